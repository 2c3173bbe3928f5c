/* SPDX-License-Identifier: Apache-2.0 */
/* What the annotation page saves (docs/schemas/page.schema.json):
 *
 *   {"schema": "alcore-page-1", "batch": ..., "digest": ..., "task": ..., "annotator": ...,
 *    "saved": ..., "answers": [{"id", "text", "status", "value", "time", "seconds", "annotator",
 *    "comment"}, ...]}
 *
 * value is a string for translations, a list of labels for classes and tags, and a list of [begin,
 * end, label] in code points for spans. */
#include <inttypes.h>
#include <string.h>

#include "extra/annotation/annotation_list.h"
#include "extra/tool/page_form.h"
#include "extra/tool/tool_record.h"
#include "formats/byte_stream.h"

#define PAGE_SCHEMA "alcore-page-1"

/* What was found beside the answers. */
typedef struct page_head {
    const char *path;
    bool has_schema;
} page_head;

static alcore_status check_schema(page_head *self, const char *schema) {
    self->has_schema = schema && strcmp(schema, PAGE_SCHEMA) == 0;
    if (self->has_schema) return ALCORE_OK;
    if (schema && strncmp(schema, "alcore-page-", strlen("alcore-page-")) == 0)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the schema is %.60s, and " PAGE_SCHEMA " is read", self->path,
                            schema);
    return alcore__fail(ALCORE_E_DATA, "%s: the schema is not " PAGE_SCHEMA, self->path);
}

static alcore_status check_task(const page_head *self, const alcore__tool_record *record,
                                const char *task) {
    const char *wanted = alcore__tool_task_name(record->options->task);
    if (task && strcmp(task, wanted) == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s has answers to the task %.60s, not %s", self->path,
                        task ? task : "null", wanted);
}

/* alcore__tool_head_reader */
static alcore_status read_head(alcore__tool_record *record, const char *name) {
    const char *text;
    ALCORE__TRY(alcore__tool_string(record, &record->json, &text));
    if (strcmp(name, "schema") == 0) return check_schema(record->user, text);
    if (strcmp(name, "task") == 0) return check_task(record->user, record, text);
    if (strcmp(name, "batch") == 0 && text)
        return alcore__tool_answers_set_batch(record->into, text);
    return ALCORE_OK;
}

/* ---- answers ---- */

/* Sets the value of tags: those of the list with a space between. */
static alcore_status read_tags(alcore__tool_record *record, alcore__json *at) {
    const char *tag;
    while (alcore__json_item(at)) {
        ALCORE__TRY(alcore__tool_string(record, at, &tag));
        alcore__json_skip(at);
        if (!tag) continue;
        ALCORE__TRY(alcore__buffer_append(record->ctx, &record->labels, tag, strlen(tag)));
        ALCORE__TRY(alcore__buffer_append(record->ctx, &record->labels, " ", 1));
    }
    record->answer.value = record->labels.length > 0 ? record->labels.data : NULL;
    return ALCORE_OK;
}

/* Reads the value, which is of the task; anything else is as none. */
static alcore_status read_value(alcore__tool_record *record, alcore__json *at) {
    const int32_t task = record->options->task;
    if (task == ALCORE_TASK_TRANSLATION)
        return alcore__tool_string(record, at, &record->answer.value);
    if (task == ALCORE_TASK_CLASSES) return alcore__tool_read_labels(record, at);
    if (alcore__json_kind(at) != '[' || !alcore__json_enter(at, '[')) return ALCORE_OK;
    if (task == ALCORE_TASK_TAGS) return read_tags(record, at);
    while (alcore__json_item(at)) {
        ALCORE__TRY(alcore__tool_read_tuple(record, at));
        alcore__json_skip(at);
    }
    return ALCORE_OK;
}

/* An answer has one tag for each word of its text, and a draft one or more. */
static alcore_status end_tags(alcore__tool_record *record) {
    const alcore_tool_answer *answer = &record->answer;
    const bool answered = strcmp(answer->status, "ok") == 0;
    const int64_t words =
        answer->text ? alcore__count_words(answer->text, strlen(answer->text)) : 0;
    const int64_t tags =
        answer->value ? alcore__count_words(answer->value, strlen(answer->value)) : 0;
    const bool refers = answered || strcmp(answer->status, "draft") == 0;
    if (refers && (tags == 0 || (answered && answer->text && tags != words)))
        return alcore__tool_record_refuse(record, "item %s: %" PRId64 " tags for %" PRId64 " words",
                                          answer->id, tags, words);
    return alcore__tool_answers_add(record->into, answer);
}

static bool is_status(const char *status) {
    for (const char *const *known = alcore__tool_statuses; status && *known; known++)
        if (strcmp(*known, status) == 0) return true;
    return false;
}

/* alcore__tool_record_reader */
static alcore_status read_answer(alcore__tool_record *record) {
    const char *id, *text, *status;
    alcore__json at;
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "id", &id));
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "text", &text));
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "status", &status));
    if (!id || !*id) return alcore__tool_record_refuse(record, "the answer has no id");
    if (!is_status(status))
        return alcore__tool_record_refuse(record, "item %s: the status %.60s is not known", id,
                                          status ? status : "null");
    alcore__tool_answer_begin(record, id, text, status);
    record->answer.seconds = alcore__tool_member_number(&record->json, "seconds");
    ALCORE__TRY(
        alcore__tool_member_string(record, &record->json, "annotator", &record->answer.annotator));
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "time", &record->answer.time));
    ALCORE__TRY(
        alcore__tool_member_string(record, &record->json, "comment", &record->answer.comment));
    if (alcore__tool_member(&record->json, "value", &at)) ALCORE__TRY(read_value(record, &at));
    return record->options->task == ALCORE_TASK_TAGS ? end_tags(record)
                                                     : alcore__tool_answer_end(record);
}

static alcore_status read_page(alcore_ctx *ctx, const char *path,
                               const alcore_tool_options *options, alcore_tool_answers *into) {
    page_head head = {.path = path};
    if (alcore__path_ends_in(path, strlen(path), ".html"))
        return alcore__fail(ALCORE_E_DATA,
                            "%s is a page, which has no answers: they are in the file that its "
                            "button Save makes",
                            path);
    ALCORE__TRY(alcore__tool_read_document(ctx, path, "answers", options, into, read_head,
                                           read_answer, &head));
    return head.has_schema ? ALCORE_OK : check_schema(&head, NULL);
}

const alcore__tool_form alcore__tool_page = {.name = "page",
                                             .title = "a page for any browser, without a server",
                                             .suffix = ".html",
                                             .tasks = "translation classes spans tags",
                                             .span_unit = ALCORE_SPAN_CODE_POINTS,
                                             .needs_labels = true,
                                             .write = alcore__page_write,
                                             .read = read_page};
