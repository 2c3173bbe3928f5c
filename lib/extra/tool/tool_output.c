/* SPDX-License-Identifier: Apache-2.0 */
/* Text files of tools (tool_output.h). */
#include "extra/tool/tool_output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/escape.h"

enum { POLL_ITEMS = 256 };

alcore_status alcore__tool_out_open(alcore__tool_out *out, alcore_ctx *ctx, const char *path) {
    *out = (alcore__tool_out){.ctx = ctx};
    return alcore__writer_open(ctx, path, &out->writer);
}

void alcore__tool_put_bytes(alcore__tool_out *out, const char *text, size_t length) {
    if (out->status == ALCORE_OK)
        out->status = alcore__buffer_append(out->ctx, &out->text, text, length);
}

void alcore__tool_put(alcore__tool_out *out, const char *text) {
    alcore__tool_put_bytes(out, text, strlen(text));
}

void alcore__tool_put_xml(alcore__tool_out *out, const char *text, size_t length) {
    if (out->status == ALCORE_OK)
        out->status = alcore__xml_append(out->ctx, &out->text, text, length);
}

void alcore__tool_put_attribute(alcore__tool_out *out, const char *text) {
    if (out->status == ALCORE_OK)
        out->status = alcore__xml_append_attribute(out->ctx, &out->text, text, strlen(text));
}

void alcore__tool_put_element(alcore__tool_out *out, const char *begin, const char *text,
                              const char *end) {
    if (!text) return;
    alcore__tool_put(out, begin);
    alcore__tool_put_xml(out, text, strlen(text));
    alcore__tool_put(out, end);
}

static void put_figure(alcore__tool_out *out, const char *name, double value) {
    char digits[32];
    if (isnan(value)) return;
    alcore__print_double(value, digits);
    alcore__tool_put(out, name);
    alcore__tool_put(out, digits);
}

void alcore__tool_put_figures(alcore__tool_out *out, const alcore_tool_items *items, int64_t i) {
    put_figure(out, "rank=", (double)(i + 1));
    put_figure(out, " score=", alcore__tool_number(items->scores, i));
    put_figure(out, " cost=", alcore__tool_number(items->costs, i));
}

alcore_status alcore__tool_out_flush(alcore__tool_out *out, int64_t item, int64_t count) {
    ALCORE__TRY(out->status);
    if (item % POLL_ITEMS == 0) ALCORE__TRY(alcore__tick(out->ctx, "writing", item, count));
    const alcore_status status = alcore__writer_put(out->writer, out->text.data, out->text.length);
    out->text.length = 0;
    return status;
}

alcore_status alcore__tool_out_close(alcore__tool_out *out, alcore_status status) {
    alcore__buffer_clear(out->ctx, &out->text);
    if (status == ALCORE_OK) return alcore__writer_commit(out->writer);
    alcore__writer_abort(out->writer);
    return status;
}

/* alcore__tool_write_items() between opening and closing. */
static alcore_status put_items(alcore__tool_out *out, const alcore_tool_items *items,
                               const alcore_tool_options *options,
                               const alcore__tool_layout *layout) {
    if (layout->before) layout->before(out, items, options);
    for (int64_t i = 0; i < items->count; i++) {
        if (layout->check) ALCORE__TRY(layout->check(items, i));
        layout->item(out, items, i, options);
        ALCORE__TRY(alcore__tool_out_flush(out, i, items->count));
    }
    if (layout->after) alcore__tool_put(out, layout->after);
    return alcore__tool_out_flush(out, items->count, items->count);
}

alcore_status alcore__tool_write_items(alcore_ctx *ctx, const char *path,
                                       const alcore_tool_items *items,
                                       const alcore_tool_options *options,
                                       const alcore__tool_layout *layout) {
    alcore__tool_out out;
    ALCORE__TRY(alcore__tool_out_open(&out, ctx, path));
    return alcore__tool_out_close(&out, put_items(&out, items, options, layout));
}

alcore_status alcore__tool_check_xml(const alcore_tool_items *items, int64_t i) {
    const struct {
        const char *name, *text;
    } strings[] = {{"id", items->ids[i]},
                   {"context", alcore__tool_entry(items->contexts, i)},
                   {"draft", alcore__tool_entry(items->drafts, i)},
                   {"reason", alcore__tool_entry(items->reasons, i)},
                   {"group", alcore__tool_entry(items->groups, i)}};
    const size_t bytes = alcore__tool_text_length(items, i);
    const size_t good = alcore__xml_check(items->texts[i], bytes);
    if (good < bytes)
        return alcore__tool_fail_item(
            items, i, "byte %zu of the text begins a character that XML cannot hold", good + 1);
    for (size_t s = 0; s < sizeof strings / sizeof *strings; s++) {
        const size_t length = strings[s].text ? strlen(strings[s].text) : 0;
        const size_t valid = alcore__xml_check(strings[s].text, length);
        if (valid < length)
            return alcore__fail(ALCORE_E_DATA,
                                "item %" PRId64
                                ": byte %zu of the %s begins a character that XML cannot hold",
                                i + 1, valid + 1, strings[s].name);
    }
    return ALCORE_OK;
}
