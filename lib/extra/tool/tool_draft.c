/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts, which are written as values of answers are (tool_draft.h). */
#include "extra/tool/tool_draft.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "formats/json_scan.h"
#include "text/utf8.h"
#include "text/words.h"

/* Adds a part with a label of `length` bytes. */
static alcore_status add(alcore_ctx *ctx, alcore__tool_draft *draft, int64_t begin, int64_t end,
                         const char *label, size_t length) {
    ALCORE__TRY(
        alcore__grow(ctx, &draft->parts, &draft->capacity, draft->count + 1, sizeof *draft->parts));
    const char *kept;
    ALCORE__TRY(alcore__arena_text(ctx, &draft->strings, label, length, &kept));
    draft->parts[draft->count++] = (alcore_tool_span){begin, end, kept};
    return ALCORE_OK;
}

static alcore_status read_labels(alcore_ctx *ctx, alcore__tool_draft *draft, const char *value) {
    for (const char *at = value; *at;) {
        const size_t length = strcspn(at, "\t");
        if (length > 0) ALCORE__TRY(add(ctx, draft, 0, 0, at, length));
        at += length + (at[length] == '\t');
    }
    return ALCORE_OK;
}

/* The next number of the open list, an integer; -1: there is none. */
static int64_t next_integer(alcore__json *json) {
    char *text;
    size_t length;
    int64_t value;
    if (!alcore__json_item(json) || !alcore__json_number(json, &text, &length)) return -1;
    return alcore__parse_int(text, length, &value) ? value : -1;
}

/* Reads [[begin, end, label], ...] in code points, which become units. *out: whether it is one. */
static alcore_status read_spans(alcore_ctx *ctx, alcore__tool_draft *draft, const char *value,
                                bool *out) {
    const size_t bytes = strlen(value);
    char *copy, *label;
    size_t length;
    alcore__json json;
    *out = false;
    ALCORE__TRY(alcore__arena_text(ctx, &draft->strings, value, bytes, &copy));
    alcore__json_begin(&json, copy, bytes, 4);
    if (!alcore__json_enter(&json, '[')) return ALCORE_OK;
    while (alcore__json_item(&json)) {
        if (!alcore__json_enter(&json, '[')) return ALCORE_OK;
        const int64_t begin = alcore__span_text_units(&draft->text, next_integer(&json));
        const int64_t end = alcore__span_text_units(&draft->text, next_integer(&json));
        if (begin < 0 || end <= begin) return ALCORE_OK;
        if (!alcore__json_item(&json) || !alcore__json_string(&json, &label, &length) ||
            length == 0 || alcore__json_item(&json) || json.error)
            return ALCORE_OK;
        ALCORE__TRY(add(ctx, draft, begin, end, label, length));
    }
    *out = alcore__json_end(&json);
    return ALCORE_OK;
}

/* Makes a part of each word whose tag is not O. *out: whether there are as many tags as words. */
static alcore_status read_tags(alcore_ctx *ctx, alcore__tool_draft *draft, const char *value,
                               bool *out) {
    const char *end = draft->text.text + draft->text.length, *next = draft->text.text, *at = next;
    const char *tags = value, *tags_end = value + strlen(value), *word, *tag;
    size_t bytes, length;
    int64_t points = 0;
    *out = true;
    while (alcore__word_next(&next, end, &word, &bytes)) {
        points += alcore__utf8_count(at, (size_t)(word - at));
        const int64_t stop = points + alcore__utf8_count(word, bytes);
        *out = alcore__word_next(&tags, tags_end, &tag, &length);
        if (!*out) return ALCORE_OK;
        if (length != 1 || *tag != 'O')
            ALCORE__TRY(add(ctx, draft, alcore__span_text_units(&draft->text, points),
                            alcore__span_text_units(&draft->text, stop), tag, length));
        points = stop;
        at = word + bytes;
    }
    *out = !alcore__word_next(&tags, tags_end, &tag, &length);
    return ALCORE_OK;
}

alcore_status alcore__tool_draft_read(alcore_ctx *ctx, alcore__tool_draft *draft,
                                      const alcore_tool_items *items, int64_t i,
                                      const alcore_tool_options *options) {
    const char *value = alcore__tool_entry(items->drafts, i);
    bool good;
    draft->translation = NULL;
    draft->count = 0;
    alcore__arena_clear(ctx, &draft->strings);
    if (!value || !*value) return ALCORE_OK;
    if (options->task == ALCORE_TASK_TRANSLATION) {
        draft->translation = value;
        return ALCORE_OK;
    }
    if (options->task == ALCORE_TASK_CLASSES) return read_labels(ctx, draft, value);
    const int32_t unit = options->span_unit ? options->span_unit : ALCORE_SPAN_CODE_POINTS;
    ALCORE__TRY(alcore__span_text_begin(ctx, &draft->text, items->texts[i],
                                        alcore__tool_text_length(items, i), unit));
    if (options->task == ALCORE_TASK_TAGS) {
        ALCORE__TRY(read_tags(ctx, draft, value, &good));
        return good ? ALCORE_OK
                    : alcore__tool_fail_item(items, i, "the draft has not a tag for each word");
    }
    ALCORE__TRY(read_spans(ctx, draft, value, &good));
    return good ? ALCORE_OK
                : alcore__tool_fail_item(items, i,
                                         "the draft is no list of [begin, end, label] in code "
                                         "points of the text: %.60s",
                                         value);
}

void alcore__tool_draft_clear(alcore_ctx *ctx, alcore__tool_draft *draft) {
    alcore__free(ctx, draft->parts);
    alcore__arena_clear(ctx, &draft->strings);
    alcore__span_text_clear(ctx, &draft->text);
    *draft = (alcore__tool_draft){0};
}
