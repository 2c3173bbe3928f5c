/* SPDX-License-Identifier: Apache-2.0 */
/* doccano: a line an item out and back. What it does not know it keeps as metadata of the item,
 * which it shows and exports; "id" is its own number. A member that only some lines have it makes
 * NaN in the others, which its database refuses with the whole file.
 *
 *   out   {"text": ..., "label": [], "al_id": ..., "draft": ...}
 *   back  {"id": 3, "text": ..., "al_id": ..., "label": [...], "Comments": ["...", ...]}
 *         label: ["translation"], ["class", ...], [[begin, end, "class"], ...] in UTF-16 units;
 *         with relations [{"start_offset", "end_offset", "label"}] under "entities", and comments
 *         are [{"comment": "..."}]
 *
 * Its page takes offsets from the browser's selection, which counts UTF-16 code units; its server
 * changes none.
 *
 * A label that is imported cannot be told from one that a person gave, so that a draft is metadata
 * and no label. Who answered stands in the name of the file, if at all. */
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"

static alcore_status put_example(alcore__tool_json *self) {
    const char *draft = alcore__tool_entry(self->items->drafts, self->item);
    alcore__tool_put_item_text(self, "text");
    alcore__json_open(&self->json, "label", '[');
    alcore__json_close(&self->json, ']');
    alcore__tool_put_context(self, "context");
    if (self->drafts) alcore__json_put_string(&self->json, "draft", draft ? draft : "");
    alcore__tool_put_facts(self);
    return ALCORE_OK;
}

static alcore_status write_examples(alcore_ctx *ctx, const char *path,
                                    const alcore_tool_items *items,
                                    const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LINES, .suffix = ".jsonl",
                                                .even = true, .record = put_example};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* Reads spans: tuples, or objects where the project has relations. */
static alcore_status read_spans(alcore__tool_record *record, const alcore__json *list) {
    alcore__json at = *list;
    const char *label;
    if (!alcore__json_enter(&at, '[')) return ALCORE_OK;
    while (alcore__json_item(&at)) {
        if (alcore__json_kind(&at) == '{') {
            ALCORE__TRY(alcore__tool_member_string(record, &at, "label", &label));
            ALCORE__TRY(
                alcore__tool_answer_span(record, alcore__tool_member_number(&at, "start_offset"),
                                         alcore__tool_member_number(&at, "end_offset"), label));
        } else {
            ALCORE__TRY(alcore__tool_read_tuple(record, &at));
        }
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

/* Reads the comments, a line each: strings, or objects where the project has relations. */
static alcore_status read_comments(alcore__tool_record *record, const alcore__json *list) {
    alcore__buffer all = {0};
    alcore_status status = ALCORE_OK;
    alcore__json at = *list;
    const char *text;
    if (!alcore__json_enter(&at, '['))
        return alcore__tool_string(record, &at, &record->answer.comment);
    while (status == ALCORE_OK && alcore__json_item(&at)) {
        status = alcore__json_kind(&at) == '{'
                     ? alcore__tool_member_string(record, &at, "comment", &text)
                     : alcore__tool_string(record, &at, &text);
        if (status == ALCORE_OK && text)
            status =
                alcore__buffer_format(record->ctx, &all, "%s%s", all.length > 0 ? "\n" : "", text);
        alcore__json_skip(&at);
    }
    if (status == ALCORE_OK && all.length > 0)
        status = alcore__arena_text(record->ctx, &record->strings, all.data, all.length,
                                    &record->answer.comment);
    alcore__buffer_clear(record->ctx, &all);
    return status;
}

/* Adds each of the texts that people wrote as an answer; of several, who wrote which is not said:
 * 1, 2, ... */
static alcore_status read_translations(alcore__tool_record *record, const alcore__json *list) {
    const alcore_tool_answer shared = record->answer;
    alcore__json at = *list, other;
    if (!alcore__json_enter(&at, '[')) return ALCORE_OK;
    for (int64_t number = 0; alcore__json_item(&at);) {
        alcore__tool_answer_begin(record, shared.id, shared.text, "ok");
        record->answer.comment = shared.comment;
        ALCORE__TRY(alcore__tool_string(record, &at, &record->answer.value));
        alcore__json_skip(&at);
        other = at;
        if (number > 0 || alcore__json_item(&other)) number++;
        ALCORE__TRY(alcore__tool_name_answer(record, number));
        ALCORE__TRY(alcore__tool_answer_end(record));
    }
    return ALCORE_OK;
}

/* An example without a label may be one that nobody looked at: it is open. */
static alcore_status read_example(alcore__tool_record *record) {
    const int32_t task = record->options->task;
    const bool parts = task == ALCORE_TASK_SPANS || task == ALCORE_TASK_TAGS;
    alcore__json at;
    const char *id, *text;
    ALCORE__TRY(alcore__tool_read_item(record, &record->json, &id, &text));
    if (!id) return ALCORE_OK;
    alcore__tool_answer_begin(record, id, text, "ok");
    if (alcore__tool_member(&record->json, "Comments", &at))
        ALCORE__TRY(read_comments(record, &at));
    if (!alcore__tool_member(&record->json, "label", &at) &&
        !alcore__tool_member(&record->json, parts ? "entities" : "cats", &at))
        return alcore__tool_check_foreign(record, "doccano", id);
    if (alcore__json_kind(&at) != '[')
        return alcore__tool_record_refuse(record, "item %s: its label is no list", id);
    if (task == ALCORE_TASK_TRANSLATION) return read_translations(record, &at);
    ALCORE__TRY(parts ? read_spans(record, &at) : alcore__tool_read_labels(record, &at));
    return alcore__tool_answer_given(record) ? alcore__tool_answer_end(record) : ALCORE_OK;
}

static alcore_status read_examples(alcore_ctx *ctx, const char *path,
                                   const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_lines(ctx, path, options, into, read_example);
}

const alcore__tool_form alcore__tool_doccano = {.name = "doccano",
                                                .title = "doccano (JSONL)",
                                                .suffix = ".jsonl",
                                                .tasks = "translation classes spans tags",
                                                .span_unit = ALCORE_SPAN_UTF16,
                                                .write = write_examples,
                                                .read = read_examples};
