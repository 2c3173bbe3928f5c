/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the JSON files of tools (tool_json.h). A record is made in memory and written when it is
 * whole. */
#include "extra/tool/tool_json.h"

#include <math.h>
#include <string.h>

#include "formats/byte_stream.h"

enum { POLL_ITEMS = 256 };

/* Whether an array of strings has one that is not empty. */
static bool has_any(const char *const *array, int64_t count) {
    for (int64_t i = 0; array && i < count; i++)
        if (array[i] && *array[i]) return true;
    return false;
}

static bool has_language(const alcore_tool_items *items) {
    for (int64_t i = 0; i < items->count; i++)
        if (alcore__tool_language(items, i)) return true;
    return false;
}

/* Whether an array of numbers has one that is written. */
static bool has_number(const double *array, int64_t count) {
    for (int64_t i = 0; array && i < count; i++)
        if (isfinite(array[i])) return true;
    return false;
}

void alcore__tool_put_item_text(alcore__tool_json *self, const char *key) {
    const alcore_tool_items *items = self->items;
    alcore__json_put_text(&self->json, key, items->texts[self->item],
                          alcore__tool_text_length(items, self->item));
}

void alcore__tool_put_context(alcore__tool_json *self, const char *key) {
    const char *context = alcore__tool_entry(self->items->contexts, self->item);
    if (self->contexts) alcore__json_put_string(&self->json, key, context ? context : "");
}

/* Writes a number; any: whether any item has one. */
static void put_number(alcore__tool_json *self, const char *key, double value, bool any) {
    if (isfinite(value))
        alcore__json_put_number(&self->json, key, value);
    else if (any && self->even)
        alcore__json_put_string(&self->json, key, "");
}

void alcore__tool_put_facts(alcore__tool_json *self) {
    const alcore_tool_items *items = self->items;
    const int64_t i = self->item;
    const struct {
        const char *key, *value;
        bool any;
    } strings[] = {{"al_reason", alcore__tool_entry(items->reasons, i), self->reasons},
                   {"al_group", alcore__tool_entry(items->groups, i), self->groups},
                   {"al_language", alcore__tool_language(items, i), self->languages},
                   {"al_batch", self->options->batch, true}};
    alcore__json_put_string(&self->json, "al_id", items->ids[i]);
    alcore__json_put_integer(&self->json, "al_rank", i + 1);
    put_number(self, "al_score", alcore__tool_number(items->scores, i), self->scores);
    put_number(self, "al_cost", alcore__tool_number(items->costs, i), self->costs);
    for (size_t s = 0; s < sizeof strings / sizeof *strings; s++)
        if (strings[s].value || (strings[s].any && self->even))
            alcore__json_put_string(&self->json, strings[s].key,
                                    strings[s].value ? strings[s].value : "");
}

void alcore__tool_put_labels(alcore__tool_json *self, const char *key) {
    alcore__json_open(&self->json, key, '[');
    for (size_t i = 0; i < self->draft.count; i++)
        alcore__json_put_string(&self->json, NULL, self->draft.parts[i].label);
    alcore__json_close(&self->json, ']');
}

void alcore__tool_put_spans(alcore__tool_json *self, const char *key) {
    alcore__json_out *json = &self->json;
    alcore__json_open(json, key, '[');
    for (size_t i = 0; i < self->draft.count; i++) {
        const alcore_tool_span *part = &self->draft.parts[i];
        alcore__json_open(json, NULL, '{');
        alcore__json_put_integer(json, "start", part->begin);
        alcore__json_put_integer(json, "end", part->end);
        alcore__json_put_string(json, "label", part->label);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}

/* Writes all records. */
static alcore_status put_records(alcore__tool_json *self, const alcore__tool_json_form *form,
                                 alcore__writer *writer) {
    const int64_t count = self->items->count;
    ALCORE__TRY(alcore__writer_put(writer, form->begin, strlen(form->begin)));
    for (self->item = 0; self->item < count; self->item++) {
        if (self->item % POLL_ITEMS == 0)
            ALCORE__TRY(alcore__tick(self->ctx, "writing", self->item, count));
        if (self->item > 0)
            ALCORE__TRY(alcore__writer_put(writer, form->between, strlen(form->between)));
        self->json.text.length = 0;
        self->json.separate = false;
        ALCORE__TRY(alcore__tool_draft_read(self->ctx, &self->draft, self->items, self->item,
                                            self->options));
        alcore__json_open(&self->json, NULL, '{');
        ALCORE__TRY(form->record(self));
        alcore__json_close(&self->json, '}');
        ALCORE__TRY(self->json.status);
        ALCORE__TRY(alcore__writer_put(writer, self->json.text.data, self->json.text.length));
    }
    return count > 0 || *form->begin ? alcore__writer_put(writer, form->end, strlen(form->end))
                                     : ALCORE_OK;
}

/* *out: the path of the settings, in which their suffix takes the place of that of the form. */
static alcore_status settings_path(const alcore__tool_json_form *form, alcore_ctx *ctx,
                                   const char *path, alcore__buffer *out) {
    size_t length = strlen(path);
    if (alcore__path_ends_in(path, length, form->suffix)) length -= strlen(form->suffix);
    ALCORE__TRY(alcore__buffer_append(ctx, out, path, length));
    return alcore__buffer_append(ctx, out, form->settings_suffix, strlen(form->settings_suffix));
}

/* Makes the settings, text, and opens their file. */
static alcore_status put_settings(const alcore__tool_json *self, const alcore__tool_json_form *form,
                                  const char *path, alcore__writer **out) {
    alcore__buffer name = {0}, text = {0};
    const char *slash = strrchr(path, '/');
    alcore_status status = settings_path(form, self->ctx, path, &name);
    if (status == ALCORE_OK) status = form->settings(self, slash ? slash + 1 : path, &text);
    if (status == ALCORE_OK) status = alcore__writer_open(self->ctx, name.data, out);
    if (status == ALCORE_OK) status = alcore__writer_put(*out, text.data, text.length);
    alcore__buffer_clear(self->ctx, &name);
    alcore__buffer_clear(self->ctx, &text);
    return status;
}

alcore_status alcore__tool_json_write(const alcore__tool_json_form *form, alcore_ctx *ctx,
                                      const char *path, const alcore_tool_items *items,
                                      const alcore_tool_options *options) {
    alcore__tool_json self = {.ctx = ctx,
                              .items = items,
                              .options = options,
                              .contexts = has_any(items->contexts, items->count),
                              .reasons = has_any(items->reasons, items->count),
                              .drafts = has_any(items->drafts, items->count),
                              .groups = has_any(items->groups, items->count),
                              .languages = has_language(items),
                              .scores = has_number(items->scores, items->count),
                              .costs = has_number(items->costs, items->count),
                              .even = form->even,
                              .json = {.ctx = ctx}};
    alcore__writer *writer, *beside = NULL;
    ALCORE__TRY(alcore__writer_open(ctx, path, &writer));
    alcore_status status = put_records(&self, form, writer);
    if (status == ALCORE_OK && form->settings && strcmp(path, "-") != 0)
        status = put_settings(&self, form, path, &beside);
    alcore__tool_draft_clear(ctx, &self.draft);
    alcore__buffer_clear(ctx, &self.json.text);
    if (status != ALCORE_OK) {
        alcore__writer_abort(beside);
        alcore__writer_abort(writer);
        return status;
    }
    return beside ? alcore__writer_commit_both(writer, beside) : alcore__writer_commit(writer);
}
