/* SPDX-License-Identifier: Apache-2.0 */
/* SQuAD: the text of an item is a question, its context the passage in which the answer stands, and
 * the answer what ALCORE_TASK_TRANSLATION calls a translation.
 *
 *   {"version": "v2.0", "data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
 *    "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}
 *
 * An answer whose text does not stand at answer_start, in code points, is refused: the passage was
 * changed. One that is impossible is "untranslatable". Several answers are those of several people,
 * who have no names: 1, 2, ... */
#include <math.h>
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"
#include "text/utf8.h"

/* ---- out ---- */

/* Writes an article of one passage and one question, so that the order stays. */
static alcore_status put_article(alcore__tool_json *self) {
    const char *context = alcore__tool_entry(self->items->contexts, self->item);
    const char *group = alcore__tool_entry(self->items->groups, self->item);
    alcore__json_out *json = &self->json;
    if (!context)
        return alcore__tool_fail_item(self->items, self->item,
                                      "squad asks about a context, and it has none");
    alcore__json_put_string(json, "title", group ? group : self->options->batch);
    alcore__json_open(json, "paragraphs", '[');
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "context", context);
    alcore__json_open(json, "qas", '[');
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "id", self->items->ids[self->item]);
    alcore__tool_put_item_text(self, "question");
    alcore__json_open(json, "answers", '[');
    alcore__json_close(json, ']');
    alcore__json_put_flag(json, "is_impossible", false);
    if (self->draft.translation) alcore__json_put_string(json, "draft", self->draft.translation);
    alcore__tool_put_facts(self);
    alcore__json_close(json, '}');
    alcore__json_close(json, ']');
    alcore__json_close(json, '}');
    alcore__json_close(json, ']');
    return ALCORE_OK;
}

static alcore_status write_questions(alcore_ctx *ctx, const char *path,
                                     const alcore_tool_items *items,
                                     const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {.begin = "{\"version\":\"v2.0\",\"data\":[\n",
                                                .between = ",\n",
                                                .end = "\n]}\n",
                                                .suffix = ".json",
                                                .record = put_article};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* ---- back ---- */

/* Whether a text is in the context at an offset of `start` code points. */
static bool stands_at(const char *context, double start, const char *text) {
    const size_t length = strlen(context);
    size_t next = 0;
    for (double i = 0; i < start && next < length; i++) alcore__utf8_next(context, length, &next);
    return strncmp(context + next, text, strlen(text)) == 0;
}

/* Adds an answer, the number-th of the question; of one alone number is 0. */
static alcore_status read_answer(alcore__tool_record *record, const char *id, const char *context,
                                 const alcore__json *answer, int64_t number) {
    const double start = alcore__tool_member_number(answer, "answer_start");
    const char *value;
    ALCORE__TRY(alcore__tool_member_string(record, answer, "text", &value));
    if (value && context && !isnan(start) && !stands_at(context, start, value))
        return alcore__tool_record_refuse(record,
                                          "question %s: \"%.60s\" does not stand at answer_start "
                                          "of its context",
                                          id, value);
    alcore__tool_answer_begin(record, id, record->answer.text, "ok");
    record->answer.value = value;
    ALCORE__TRY(alcore__tool_name_answer(record, number));
    return alcore__tool_answer_end(record);
}

/* Reads a question, an element of qas. */
static alcore_status read_question(alcore__tool_record *record, const char *context,
                                   const alcore__json *qa) {
    alcore__json answers, other;
    const char *id, *question, *batch;
    ALCORE__TRY(alcore__tool_member_string(record, qa, "id", &id));
    ALCORE__TRY(alcore__tool_member_string(record, qa, "question", &question));
    ALCORE__TRY(alcore__tool_member_string(record, qa, "al_batch", &batch));
    if (batch) ALCORE__TRY(alcore__tool_read_batch(record, batch));
    if (!id || !*id) return alcore__tool_record_refuse(record, "a question has no id");
    alcore__tool_answer_begin(record, id, question, "untranslatable");
    if (alcore__tool_member_true(qa, "is_impossible")) return alcore__tool_answer_end(record);
    if (!alcore__tool_member(qa, "answers", &answers) || !alcore__json_enter(&answers, '['))
        return ALCORE_OK;
    for (int64_t number = 0; alcore__json_item(&answers);) {
        const alcore__json answer = answers;
        alcore__json_skip(&answers);
        other = answers;
        if (number > 0 || alcore__json_item(&other)) number++;
        ALCORE__TRY(read_answer(record, id, context, &answer, number));
        record->answer.text = question;
    }
    return ALCORE_OK;
}

static alcore_status read_article(alcore__tool_record *record) {
    alcore__json paragraph, qa;
    const char *context;
    if (!alcore__tool_member(&record->json, "paragraphs", &paragraph) ||
        !alcore__json_enter(&paragraph, '['))
        return alcore__tool_record_refuse(record, "the article has no paragraphs");
    while (alcore__json_item(&paragraph)) {
        ALCORE__TRY(alcore__tool_member_string(record, &paragraph, "context", &context));
        if (alcore__tool_member(&paragraph, "qas", &qa) && alcore__json_enter(&qa, '['))
            while (alcore__json_item(&qa)) {
                ALCORE__TRY(read_question(record, context, &qa));
                alcore__json_skip(&qa);
            }
        alcore__json_skip(&paragraph);
    }
    return ALCORE_OK;
}

static alcore_status read_questions(alcore_ctx *ctx, const char *path,
                                    const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_records(ctx, path, "data", options, into, read_article);
}

const alcore__tool_form alcore__tool_squad = {.name = "squad",
                                              .title = "SQuAD (question answering)",
                                              .suffix = ".json",
                                              .tasks = "translation",
                                              .write = write_questions,
                                              .read = read_questions};
