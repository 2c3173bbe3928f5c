/* SPDX-License-Identifier: Apache-2.0 */
/* Argilla 2: records out for dataset.records.log(), with the settings of the dataset beside them,
 * and the two forms of its exports back.
 *
 *   to_json()              [{"id", "fields": {"text"}, "metadata": {"al_id", ...}, "status",
 *                            "responses": {"label": [{"value", "user_id"}]}}]
 *   to_list(flatten=True)  [{"id", "text", "al_id", "label.responses": [value, ...],
 *                            "label.responses.users": [...], "label.responses.status": [...]}]
 *
 * The first one does not say which responses are drafts: one alone is a draft unless its record is
 * completed, and of several nothing is known. Offsets are those of the browser, UTF-16 code
 * units. */
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"

/* The question by which a task is asked. */
static const char *question(int32_t task) {
    return task == ALCORE_TASK_TRANSLATION ? "translation" : "label";
}

/* ---- out ---- */

/* Writes the value of a suggestion. */
static void put_value(alcore__tool_json *self, const char *key) {
    if (self->draft.translation)
        alcore__json_put_string(&self->json, key, self->draft.translation);
    else if (self->options->task == ALCORE_TASK_CLASSES)
        alcore__tool_put_labels(self, key);
    else
        alcore__tool_put_spans(self, key);
}

static alcore_status put_record(alcore__tool_json *self) {
    alcore__json_out *json = &self->json;
    alcore__json_put_string(json, "id", self->items->ids[self->item]);
    alcore__json_open(json, "fields", '{');
    alcore__tool_put_item_text(self, "text");
    alcore__tool_put_context(self, "context");
    alcore__json_close(json, '}');
    alcore__json_open(json, "metadata", '{');
    alcore__tool_put_facts(self);
    alcore__json_close(json, '}');
    alcore__json_open(json, "suggestions", '{');
    if (alcore__tool_draft_given(&self->draft)) {
        alcore__json_open(json, question(self->options->task), '{');
        put_value(self, "value");
        alcore__json_put_string(json, "agent", self->options->batch);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, '}');
    alcore__json_open(json, "responses", '{');
    alcore__json_close(json, '}');
    alcore__json_open(json, "vectors", '{');
    alcore__json_close(json, '}');
    return ALCORE_OK;
}

/* Writes a field of text. */
static void put_field(alcore__json_out *json, const char *name, bool required) {
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "name", name);
    alcore__json_put_flag(json, "required", required);
    alcore__json_open(json, "settings", '{');
    alcore__json_put_string(json, "type", "text");
    alcore__json_put_flag(json, "use_markdown", false);
    alcore__json_close(json, '}');
    alcore__json_close(json, '}');
}

static void put_options(alcore__json_out *json, const alcore_tool_options *options) {
    alcore__json_open(json, "options", '[');
    for (int64_t i = 0; i < options->label_count; i++) {
        alcore__json_open(json, NULL, '{');
        alcore__json_put_string(json, "value", options->labels[i]);
        alcore__json_put_string(json, "text", options->labels[i]);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}

static void put_question(alcore__json_out *json, const alcore_tool_options *options) {
    const bool classes = options->task == ALCORE_TASK_CLASSES;
    const bool text = options->task == ALCORE_TASK_TRANSLATION;
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "name", question(options->task));
    alcore__json_put_flag(json, "required", true);
    alcore__json_open(json, "settings", '{');
    alcore__json_put_string(json, "type",
                            text      ? "text"
                            : classes ? "multi_label_selection"
                                      : "span");
    if (text) alcore__json_put_flag(json, "use_markdown", false);
    if (!text) put_options(json, options);
    if (!text && !classes) {
        alcore__json_put_string(json, "field", "text");
        alcore__json_put_flag(json, "allow_overlapping", options->task == ALCORE_TASK_SPANS);
    }
    alcore__json_close(json, '}');
    alcore__json_close(json, '}');
}

/* By rank and score the list of records can be sorted and filtered. */
static void put_metadata(alcore__json_out *json, const char *name, const char *type) {
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "name", name);
    alcore__json_open(json, "settings", '{');
    alcore__json_put_string(json, "type", type);
    alcore__json_close(json, '}');
    alcore__json_close(json, '}');
}

/* What rg.Settings.from_json() reads. */
static alcore_status put_settings(const alcore__tool_json *self, const char *main_file,
                                  alcore__buffer *out) {
    alcore__json_out json = {.ctx = self->ctx, .text = *out};
    (void)main_file;
    alcore__json_open(&json, NULL, '{');
    alcore__json_open(&json, "fields", '[');
    put_field(&json, "text", true);
    if (self->contexts) put_field(&json, "context", false);
    alcore__json_close(&json, ']');
    alcore__json_open(&json, "questions", '[');
    put_question(&json, self->options);
    alcore__json_close(&json, ']');
    alcore__json_open(&json, "metadata", '[');
    put_metadata(&json, "al_rank", "integer");
    put_metadata(&json, "al_score", "float");
    alcore__json_close(&json, ']');
    alcore__json_put_flag(&json, "allow_extra_metadata", true);
    alcore__json_close(&json, '}');
    *out = json.text;
    return json.status;
}

static alcore_status write_records(alcore_ctx *ctx, const char *path,
                                   const alcore_tool_items *items,
                                   const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LIST, .suffix = ".json",
                                                .settings_suffix = ".settings.json",
                                                .record = put_record, .settings = put_settings};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* ---- back ---- */

/* Reads the value of a response. */
static alcore_status read_value(alcore__tool_record *record, const alcore__json *value) {
    if (record->options->task == ALCORE_TASK_TRANSLATION)
        return alcore__tool_string(record, value, &record->answer.value);
    if (record->options->task == ALCORE_TASK_CLASSES)
        return alcore__tool_read_labels(record, value);
    return alcore__tool_read_spans(record, value, "label");
}

/* What a status of a response, or of a whole record, means; NULL: it is not known. */
static const char *meaning(const char *status) {
    static const char *const words[][2] = {{"submitted", "ok"},
                                           {"draft", "draft"},
                                           {"discarded", "skip"},
                                           {"completed", "ok"},
                                           {"pending", "draft"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(status, words[i][0]) == 0) return words[i][1];
    return NULL;
}

/* Adds the response of a user. */
static alcore_status read_response(alcore__tool_record *record, const char *id, const char *text,
                                   const char *said, const char *user, const alcore__json *value) {
    const char *status = said ? meaning(said) : "ok";
    if (!status)
        return alcore__tool_record_refuse(
            record, "item %s: the status \"%s\" is not known; submitted, draft, discarded are", id,
            said);
    alcore__tool_answer_begin(record, id, text, status);
    record->answer.annotator = user;
    ALCORE__TRY(read_value(record, value));
    return alcore__tool_answer_end(record);
}

/* For a record without a response to our question: refuses it where there are responses to other
 * questions, as when ours was renamed, and where it is a record of another tool. Responses are
 * lists whose keys end in `suffix`. */
static alcore_status check_other(alcore__tool_record *record, const char *id,
                                 const alcore__json *object, const char *suffix) {
    const size_t length = strlen(suffix);
    alcore__json at = *object, list;
    char *key;
    size_t bytes;
    if (!alcore__json_enter(&at, '{')) return ALCORE_OK;
    while (alcore__json_key(&at, &key, &bytes)) {
        list = at;
        if (bytes >= length && memcmp(key + bytes - length, suffix, length) == 0 &&
            alcore__json_enter(&list, '[') && alcore__json_item(&list))
            return alcore__tool_record_refuse(
                record, "item %s has responses, and none to the question \"%s\"", id,
                question(record->options->task));
        alcore__json_skip(&at);
    }
    return alcore__tool_check_foreign(record, "argilla", id);
}

/* Values of a list of responses; null, as of one that is discarded, is none. */
static int64_t count_values(const alcore__json *list) {
    alcore__json at = *list, value;
    int64_t count = 0;
    while (alcore__json_item(&at)) {
        count += alcore__tool_member(&at, "value", &value);
        alcore__json_skip(&at);
    }
    return count;
}

/* Reads {"label": [{"value", "user_id"}]}, which do not say which are drafts: one alone has the
 * status of the record. */
static alcore_status read_nested(alcore__tool_record *record, const char *id, const char *text,
                                 const alcore__json *responses) {
    alcore__json at, value;
    const char *said, *user;
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "status", &said));
    if (!alcore__tool_member(responses, question(record->options->task), &at) ||
        !alcore__json_enter(&at, '['))
        return check_other(record, id, responses, "");
    if (count_values(&at) > 1)
        return alcore__tool_record_refuse(record,
                                          "item %s has several responses, and which of them are "
                                          "drafts is not said: export to_list(flatten=True)",
                                          id);
    while (alcore__json_item(&at)) {
        ALCORE__TRY(alcore__tool_member_string(record, &at, "user_id", &user));
        if (alcore__tool_member(&at, "value", &value))
            ALCORE__TRY(read_response(record, id, text, said, user, &value));
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

/* Enters the list under "QUESTION" and a suffix. */
static bool enter_list(const alcore__tool_record *record, const char *suffix, alcore__json *out) {
    char name[64];
    alcore__format(name, sizeof name, "%s%s", question(record->options->task), suffix);
    return alcore__tool_member(&record->json, name, out) && alcore__json_enter(out, '[');
}

/* *out: the next string of a list; NULL at its end, as lists of one record may differ in length. */
static alcore_status next_string(alcore__tool_record *record, bool has_list, alcore__json *list,
                                 const char **out) {
    *out = NULL;
    if (!has_list || !alcore__json_item(list)) return ALCORE_OK;
    ALCORE__TRY(alcore__tool_string(record, list, out));
    alcore__json_skip(list);
    return ALCORE_OK;
}

/* Reads the three lists of a flat record, whose entries belong together. */
static alcore_status read_flat(alcore__tool_record *record, const char *id, const char *text) {
    alcore__json values, users, statuses;
    const char *user, *said;
    if (!enter_list(record, ".responses", &values))
        return check_other(record, id, &record->json, ".responses");
    bool has_user = enter_list(record, ".responses.users", &users);
    bool has_status = enter_list(record, ".responses.status", &statuses);
    while (alcore__json_item(&values)) {
        ALCORE__TRY(next_string(record, has_user, &users, &user));
        ALCORE__TRY(next_string(record, has_status, &statuses, &said));
        has_user = has_user && users.depth == values.depth; /* the end of a list leaves it */
        has_status = has_status && statuses.depth == values.depth;
        ALCORE__TRY(read_response(record, id, text, said, user, &values));
        alcore__json_skip(&values);
    }
    return ALCORE_OK;
}

static alcore_status read_record(alcore__tool_record *record) {
    alcore__json metadata, fields, responses;
    const char *id, *text;
    const bool nested = alcore__tool_member(&record->json, "responses", &responses);
    if (!alcore__tool_member(&record->json, "metadata", &metadata)) metadata = record->json;
    if (!alcore__tool_member(&record->json, "fields", &fields)) fields = record->json;
    ALCORE__TRY(alcore__tool_read_item(record, &metadata, &id, &text));
    if (!id) return ALCORE_OK;
    ALCORE__TRY(alcore__tool_member_string(record, &fields, "text", &text));
    return nested ? read_nested(record, id, text, &responses) : read_flat(record, id, text);
}

static alcore_status read_records(alcore_ctx *ctx, const char *path,
                                  const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_records(ctx, path, NULL, options, into, read_record);
}

const alcore__tool_form alcore__tool_argilla = {.name = "argilla",
                                                .title = "Argilla 2 (records as JSON)",
                                                .suffix = ".json",
                                                .tasks = "translation classes spans tags",
                                                .span_unit = ALCORE_SPAN_UTF16,
                                                .needs_labels = true,
                                                .write = write_records,
                                                .read = read_records};
