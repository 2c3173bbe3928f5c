/* SPDX-License-Identifier: Apache-2.0 */
/* Label Studio: tasks out as its JSON with the configuration of the labelling interface beside it,
 * and its two exports back.
 *
 *   JSON      [{"id": 7, "data": {"text": ..., "al_id": ...}, "annotations": [{"completed_by": 1,
 *               "was_cancelled": false, "result": [{"type": "labels", "value": {...}}]}]}]
 *   JSON_MIN  [{"id": 7, "text": ..., "al_id": ..., "label": ..., "annotator": 1}]: a record an
 *             annotation, of which skipped ones are left out
 *
 * The id of both is the task's number there; ours comes back as al_id. Offsets are code points:
 * since 1.5 the interface converts those of the browser. */
#include <math.h>
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"
#include "formats/escape.h"

/* Names of the controls, by which results name what they are of. */
#define TRANSLATION "translation"
#define LABEL "label"

/* ---- out ---- */

/* Begins a result of a control, whose value is to be written. */
static void open_result(alcore__tool_json *self, int64_t number, const char *type) {
    alcore__json_out *json = &self->json;
    char id[32];
    alcore__format(id, sizeof id, "al%lld-%lld", (long long)self->item + 1, (long long)number);
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "id", id);
    alcore__json_put_string(json, "from_name", strcmp(type, "textarea") == 0 ? TRANSLATION : LABEL);
    alcore__json_put_string(json, "to_name", "text");
    alcore__json_put_string(json, "type", type);
    alcore__json_open(json, "value", '{');
}

static void close_result(alcore__json_out *json) {
    alcore__json_close(json, '}');
    alcore__json_close(json, '}');
}

/* Writes a list of one string. */
static void put_single(alcore__json_out *json, const char *key, const char *text) {
    alcore__json_open(json, key, '[');
    alcore__json_put_string(json, NULL, text);
    alcore__json_close(json, ']');
}

/* Writes the results of the draft. */
static void put_results(alcore__tool_json *self) {
    const alcore__tool_draft *draft = &self->draft;
    alcore__json_out *json = &self->json;
    if (draft->translation) {
        open_result(self, 1, "textarea");
        put_single(json, "text", draft->translation);
        close_result(json);
        return;
    }
    if (self->options->task == ALCORE_TASK_CLASSES) {
        open_result(self, 1, "choices");
        alcore__tool_put_labels(self, "choices");
        close_result(json);
        return;
    }
    for (size_t i = 0; i < draft->count; i++) {
        open_result(self, (int64_t)i + 1, "labels");
        alcore__json_put_integer(json, "start", draft->parts[i].begin);
        alcore__json_put_integer(json, "end", draft->parts[i].end);
        put_single(json, "labels", draft->parts[i].label);
        close_result(json);
    }
}

/* A draft is a prediction, which the interface shows and which is no annotation. */
static alcore_status put_task(alcore__tool_json *self) {
    const char *reason = alcore__tool_entry(self->items->reasons, self->item);
    alcore__json_out *json = &self->json;
    alcore__json_open(json, "data", '{');
    alcore__tool_put_item_text(self, "text");
    alcore__tool_put_context(self, "context");
    /* the interface shows it: a task without it would not be imported */
    if (self->reasons && !reason) alcore__json_put_string(json, "al_reason", "");
    alcore__tool_put_facts(self);
    alcore__json_close(json, '}');
    if (!alcore__tool_draft_given(&self->draft)) return ALCORE_OK;
    alcore__json_open(json, "predictions", '[');
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "model_version", self->options->batch);
    alcore__json_open(json, "result", '[');
    put_results(self);
    alcore__json_close(json, ']');
    alcore__json_close(json, '}');
    alcore__json_close(json, ']');
    return ALCORE_OK;
}

/* Appends the elements of the labels. */
static alcore_status put_labels(const alcore__tool_json *self, const char *element,
                                alcore__buffer *out) {
    for (int64_t i = 0; i < self->options->label_count; i++) {
        const char *label = self->options->labels[i];
        ALCORE__TRY(alcore__buffer_format(self->ctx, out, "    <%s value=\"", element));
        ALCORE__TRY(alcore__xml_append(self->ctx, out, label, strlen(label)));
        ALCORE__TRY(alcore__buffer_format(self->ctx, out, "\"/>\n"));
    }
    return ALCORE_OK;
}

/* The control of the task, with a label for each of the options. */
static alcore_status put_control(const alcore__tool_json *self, alcore__buffer *out) {
    switch (self->options->task) {
    case ALCORE_TASK_TRANSLATION:
        return alcore__buffer_format(self->ctx, out,
                                     "  <TextArea name=\"" TRANSLATION "\" toName=\"text\" "
                                     "rows=\"3\" maxSubmissions=\"1\" editable=\"true\"/>\n");
    case ALCORE_TASK_CLASSES:
        ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                          "  <Choices name=\"" LABEL "\" toName=\"text\" "
                                          "choice=\"multiple\">\n"));
        ALCORE__TRY(put_labels(self, "Choice", out));
        return alcore__buffer_format(self->ctx, out, "  </Choices>\n");
    default:
        ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                          "  <Labels name=\"" LABEL "\" toName=\"text\">\n"));
        ALCORE__TRY(put_labels(self, "Label", out));
        return alcore__buffer_format(self->ctx, out, "  </Labels>\n");
    }
}

/* The interface: what is read, and the control. Tags are parts of whole words. */
static alcore_status put_config(const alcore__tool_json *self, const char *main_file,
                                alcore__buffer *out) {
    const bool words = self->options->task == ALCORE_TASK_TAGS;
    (void)main_file;
    ALCORE__TRY(alcore__buffer_format(self->ctx, out, "<View>\n"));
    if (self->contexts)
        ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                          "  <Text name=\"context\" value=\"$context\"/>\n"));
    ALCORE__TRY(alcore__buffer_format(self->ctx, out, "  <Text name=\"text\" value=\"$text\"%s/>\n",
                                      words ? " granularity=\"word\"" : ""));
    ALCORE__TRY(put_control(self, out));
    if (self->reasons)
        ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                          "  <Text name=\"reason\" value=\"$al_reason\"/>\n"));
    return alcore__buffer_format(self->ctx, out, "</View>\n");
}

static alcore_status write_tasks(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LIST, .suffix = ".json",
                                                .settings_suffix = ".config.xml",
                                                .record = put_task, .settings = put_config};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* ---- back ---- */

/* Reads the value of a control: {"text": ...}, {"choices": ...} or {"start", "end", "labels"}, as
 * the task has it. */
static alcore_status read_value(alcore__tool_record *record, const alcore__json *value) {
    const double begin = alcore__tool_member_number(value, "start");
    const double end = alcore__tool_member_number(value, "end");
    alcore__json at;
    const char *label;
    switch (record->options->task) {
    case ALCORE_TASK_TRANSLATION:
        return alcore__tool_member(value, "text", &at)
                   ? alcore__tool_read_text(record, &at, &record->answer.value)
                   : ALCORE_OK;
    case ALCORE_TASK_CLASSES:
        return alcore__tool_member(value, "choices", &at) ? alcore__tool_read_labels(record, &at)
                                                          : ALCORE_OK;
    default:
        if (isnan(begin) || !alcore__tool_member(value, "labels", &at) ||
            !alcore__json_enter(&at, '['))
            return ALCORE_OK;
        while (alcore__json_item(&at)) {
            ALCORE__TRY(alcore__tool_string(record, &at, &label));
            ALCORE__TRY(alcore__tool_answer_span(record, begin, end, label));
            alcore__json_skip(&at);
        }
        return ALCORE_OK;
    }
}

/* Reads the results of an annotation. A text area called comment is the annotator's; the answer is
 * that of the first other one. *foreign: there are results, and none of them is of the task. */
static alcore_status read_results(alcore__tool_record *record, const alcore__json *annotation,
                                  bool *foreign) {
    alcore__json result, value;
    const char *name;
    bool others = false;
    *foreign = false;
    if (!alcore__tool_member(annotation, "result", &result) || !alcore__json_enter(&result, '['))
        return ALCORE_OK;
    while (alcore__json_item(&result)) {
        ALCORE__TRY(alcore__tool_member_string(record, &result, "from_name", &name));
        if (alcore__tool_member(&result, "value", &value)) {
            alcore__json text;
            if (name && strcmp(name, "comment") == 0 && alcore__tool_member(&value, "text", &text))
                ALCORE__TRY(alcore__tool_read_text(record, &text, &record->answer.comment));
            else if (!record->answer.value) {
                ALCORE__TRY(read_value(record, &value));
                others = true;
            }
        }
        alcore__json_skip(&result);
    }
    *foreign = others && !alcore__tool_answer_given(record);
    return ALCORE_OK;
}

/* *out: who it was, an address where the export has one, else the number of the user. */
static alcore_status read_annotator(alcore__tool_record *record, const alcore__json *object,
                                    const char *name, const char **out) {
    alcore__json user;
    *out = NULL;
    if (!alcore__tool_member(object, name, &user)) return ALCORE_OK;
    if (alcore__json_kind(&user) != '{') return alcore__tool_string(record, &user, out);
    ALCORE__TRY(alcore__tool_member_string(record, &user, "email", out));
    return *out ? ALCORE_OK : alcore__tool_member_string(record, &user, "id", out);
}

/* Reads what both exports have of an annotation beside its answer. */
static alcore_status read_facts(alcore__tool_record *record, const alcore__json *annotation,
                                const char *annotator) {
    alcore_tool_answer *answer = &record->answer;
    answer->seconds = alcore__tool_member_number(annotation, "lead_time");
    ALCORE__TRY(alcore__tool_member_string(record, annotation, "updated_at", &answer->time));
    if (!answer->time)
        ALCORE__TRY(alcore__tool_member_string(record, annotation, "created_at", &answer->time));
    return read_annotator(record, annotation, annotator, &answer->annotator);
}

/* Reads a list of annotations or drafts of a task. */
static alcore_status read_annotations(alcore__tool_record *record, const char *id, const char *text,
                                      const char *list, const char *status, const char *annotator) {
    alcore__json annotation;
    bool foreign;
    if (!alcore__tool_member(&record->json, list, &annotation) ||
        !alcore__json_enter(&annotation, '['))
        return ALCORE_OK;
    while (alcore__json_item(&annotation)) {
        const bool skipped = alcore__tool_member_true(&annotation, "was_cancelled");
        if (alcore__json_kind(&annotation) == '{') { /* some exports have numbers of drafts */
            alcore__tool_answer_begin(record, id, text, skipped ? "skip" : status);
            ALCORE__TRY(read_facts(record, &annotation, annotator));
            ALCORE__TRY(read_results(record, &annotation, &foreign));
            ALCORE__TRY(foreign && !skipped
                            ? alcore__tool_record_refuse(
                                  record, "item %s: its results are those of another task", id)
                            : alcore__tool_answer_end(record));
        }
        alcore__json_skip(&annotation);
    }
    return ALCORE_OK;
}

/* Reads the answer of a record of JSON_MIN: the values of all controls stand under their names. One
 * value is alone, several are a list. */
static alcore_status read_minimal_value(alcore__tool_record *record) {
    const bool translates = record->options->task == ALCORE_TASK_TRANSLATION;
    alcore__json at;
    if (!alcore__tool_member(&record->json, translates ? TRANSLATION : LABEL, &at))
        return ALCORE_OK;
    if (alcore__json_kind(&at) == '{') return read_value(record, &at);
    if (translates) return alcore__tool_read_text(record, &at, &record->answer.value);
    if (record->options->task == ALCORE_TASK_CLASSES) return alcore__tool_read_labels(record, &at);
    if (!alcore__json_enter(&at, '[')) return ALCORE_OK;
    while (alcore__json_item(&at)) {
        ALCORE__TRY(read_value(record, &at));
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

/* A record of JSON_MIN without an annotation is a task that is open. */
static alcore_status read_minimal(alcore__tool_record *record, const char *id, const char *text) {
    alcore__json at;
    if (!alcore__tool_member(&record->json, "annotation_id", &at))
        return alcore__tool_check_foreign(record, "label-studio", id);
    alcore__tool_answer_begin(record, id, text, "ok");
    ALCORE__TRY(read_facts(record, &record->json, "annotator"));
    ALCORE__TRY(read_minimal_value(record));
    ALCORE__TRY(
        alcore__tool_member_string(record, &record->json, "comment", &record->answer.comment));
    return alcore__tool_answer_end(record);
}

static alcore_status read_task(alcore__tool_record *record) {
    alcore__json data;
    const char *id, *text;
    const bool whole = alcore__tool_member(&record->json, "data", &data);
    ALCORE__TRY(alcore__tool_read_item(record, whole ? &data : &record->json, &id, &text));
    if (!id) return ALCORE_OK;
    if (!whole) return read_minimal(record, id, text);
    ALCORE__TRY(read_annotations(record, id, text, "annotations", "ok", "completed_by"));
    return read_annotations(record, id, text, "drafts", "draft", "user");
}

static alcore_status read_tasks(alcore_ctx *ctx, const char *path,
                                const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_records(ctx, path, NULL, options, into, read_task);
}

const alcore__tool_form alcore__tool_label_studio = {.name = "label-studio",
                                                     .title = "Label Studio (JSON and JSON_MIN)",
                                                     .suffix = ".json",
                                                     .tasks = "translation classes spans tags",
                                                     .span_unit = ALCORE_SPAN_CODE_POINTS,
                                                     .needs_labels = true,
                                                     .write = write_tasks,
                                                     .read = read_tasks};
