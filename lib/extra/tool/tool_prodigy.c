/* SPDX-License-Identifier: Apache-2.0 */
/* Prodigy: a task a line out, and what `prodigy db-out` prints back.
 *
 *   translation  interface text_input in blocks, field_id "translation", which a draft fills in
 *   classes      interface choice: "options" [{"id", "text"}], "accept" ["id", ...]
 *   spans, tags  interfaces ner_manual, spans_manual, pos_manual: "spans" [{"start", "end",
 *                "label"}]
 *
 * A task comes back with "answer": accept, reject or ignore, so that a draft is no answer before a
 * person accepted it. Offsets are code points. */
#include <math.h>
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"

/* Writes the labels to choose from, where there are any, and those of the draft as chosen. */
static void put_choice(alcore__tool_json *self) {
    alcore__json_out *json = &self->json;
    if (self->options->label_count == 0) return;
    alcore__json_open(json, "options", '[');
    for (int64_t i = 0; i < self->options->label_count; i++) {
        alcore__json_open(json, NULL, '{');
        alcore__json_put_string(json, "id", self->options->labels[i]);
        alcore__json_put_string(json, "text", self->options->labels[i]);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
    if (self->draft.count == 0) return;
    alcore__tool_put_labels(self, "accept");
}

/* Prodigy shows what stands under "meta". */
static void put_meta(alcore__tool_json *self) {
    const double score = alcore__tool_number(self->items->scores, self->item);
    const char *reason = alcore__tool_entry(self->items->reasons, self->item);
    alcore__json_out *json = &self->json;
    alcore__json_open(json, "meta", '{');
    alcore__json_put_integer(json, "rank", self->item + 1);
    if (isfinite(score)) alcore__json_put_number(json, "score", score);
    if (reason) alcore__json_put_string(json, "reason", reason);
    alcore__tool_put_context(self, "context");
    alcore__json_close(json, '}');
}

static alcore_status put_task(alcore__tool_json *self) {
    const int32_t task = self->options->task;
    alcore__tool_put_item_text(self, "text");
    if (task == ALCORE_TASK_CLASSES)
        put_choice(self);
    else if (task != ALCORE_TASK_TRANSLATION && self->draft.count > 0)
        alcore__tool_put_spans(self, "spans");
    else if (self->draft.translation)
        alcore__json_put_string(&self->json, "translation", self->draft.translation);
    alcore__tool_put_facts(self);
    put_meta(self);
    return ALCORE_OK;
}

static alcore_status write_tasks(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LINES, .suffix = ".jsonl",
                                                .record = put_task};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* Reads the answer: of classes the choice, or the one label that was accepted. A text_input without
 * a field_id answers under user_input. */
static alcore_status read_answer(alcore__tool_record *record) {
    const alcore__json *task = &record->json;
    alcore__json at;
    switch (record->options->task) {
    case ALCORE_TASK_TRANSLATION:
        return alcore__tool_member(task, "translation", &at) ||
                       alcore__tool_member(task, "user_input", &at)
                   ? alcore__tool_string(record, &at, &record->answer.value)
                   : ALCORE_OK;
    case ALCORE_TASK_CLASSES:
        return alcore__tool_member(task, "accept", &at) || alcore__tool_member(task, "label", &at)
                   ? alcore__tool_read_labels(record, &at)
                   : ALCORE_OK;
    default:
        return alcore__tool_member(task, "spans", &at)
                   ? alcore__tool_read_spans(record, &at, "label")
                   : ALCORE_OK;
    }
}

/* The session is DATASET-NAME where a person gave a name, else a time. */
static alcore_status read_facts(alcore__tool_record *record) {
    alcore_tool_answer *answer = &record->answer;
    const alcore__json *task = &record->json;
    ALCORE__TRY(alcore__tool_member_string(record, task, "_annotator_id", &answer->annotator));
    if (!answer->annotator)
        ALCORE__TRY(alcore__tool_member_string(record, task, "_session_id", &answer->annotator));
    ALCORE__TRY(alcore__tool_member_string(record, task, "comment", &answer->comment));
    return alcore__tool_time(record, alcore__tool_member_number(task, "_timestamp"), &answer->time);
}

static alcore_status read_task(alcore__tool_record *record) {
    static const char *const words[][2] = {
        {"accept", "ok"}, {"reject", "reject"}, {"ignore", "skip"}};
    const char *id, *text, *said, *status = NULL;
    ALCORE__TRY(alcore__tool_read_item(record, &record->json, &id, &text));
    if (!id) return ALCORE_OK;
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "answer", &said));
    if (!said) /* a task that went out */
        return alcore__tool_check_foreign(record, "prodigy", id);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(said, words[i][0]) == 0) status = words[i][1];
    if (!status)
        return alcore__tool_record_refuse(
            record, "item %s: \"%s\" is no answer; accept, reject and ignore are", id, said);
    alcore__tool_answer_begin(record, id, text, status);
    ALCORE__TRY(read_facts(record));
    ALCORE__TRY(read_answer(record));
    return alcore__tool_answer_end(record);
}

static alcore_status read_tasks(alcore_ctx *ctx, const char *path,
                                const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_lines(ctx, path, options, into, read_task);
}

const alcore__tool_form alcore__tool_prodigy = {.name = "prodigy",
                                                .title = "Prodigy (JSONL)",
                                                .suffix = ".jsonl",
                                                .tasks = "translation classes spans tags",
                                                .span_unit = ALCORE_SPAN_CODE_POINTS,
                                                .write = write_tasks,
                                                .read = read_tasks};
