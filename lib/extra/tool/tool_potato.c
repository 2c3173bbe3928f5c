/* SPDX-License-Identifier: Apache-2.0 */
/* potato: items a line out with the configuration of its server beside them, and what the server
 * writes to exports/jsonl/annotations.jsonl back:
 *
 *   {"instance_id": ..., "user_id": "anna", "labels": {"translation": {"text_box": ...},
 *    "label": {"pos": "true"}}, "spans": {"label": [{"name": "PER", "start": 8, "end": 12}]}}
 *
 * It saves while people type and has no word for work that is finished. A draft is shown beside the
 * text, not in the box, where it could not be told from an answer. Offsets are code points. */
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"
#include "formats/escape.h"

/* ---- out ---- */

static alcore_status put_item(alcore__tool_json *self) {
    const char *draft = alcore__tool_entry(self->items->drafts, self->item);
    alcore__tool_put_item_text(self, "text");
    alcore__tool_put_context(self, "context");
    if (self->drafts) alcore__json_put_string(&self->json, "draft", draft ? draft : "");
    alcore__tool_put_facts(self);
    return ALCORE_OK;
}

/* Appends "before", a string as YAML takes it, in the form of JSON, and a line's end. */
static alcore_status put_line(const alcore__tool_json *self, const char *before, const char *text,
                              alcore__buffer *out) {
    ALCORE__TRY(alcore__buffer_append(self->ctx, out, before, strlen(before)));
    ALCORE__TRY(alcore__json_append(self->ctx, out, text, strlen(text)));
    return alcore__buffer_append(self->ctx, out, "\n", 1);
}

/* Appends a field of the page. */
static alcore_status put_field(const alcore__tool_json *self, const char *key, bool target,
                               alcore__buffer *out) {
    return alcore__buffer_format(self->ctx, out, "    - key: %s\n      type: text\n%s", key,
                                 target ? "      span_target: true\n" : "");
}

static alcore_status put_scheme(const alcore__tool_json *self, alcore__buffer *out) {
    const int32_t task = self->options->task;
    if (task == ALCORE_TASK_TRANSLATION)
        return alcore__buffer_format(self->ctx, out,
                                     "annotation_schemes:\n  - annotation_type: text\n"
                                     "    name: translation\n    description: Translation\n"
                                     "    multiline: true\n");
    ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                      "annotation_schemes:\n  - annotation_type: %s\n"
                                      "    name: label\n    description: Labels\n    labels:\n",
                                      task == ALCORE_TASK_CLASSES ? "multiselect" : "span"));
    for (int64_t i = 0; i < self->options->label_count; i++)
        ALCORE__TRY(put_line(self, "      - ", self->options->labels[i], out));
    return ALCORE_OK;
}

/* The configuration of the server: items in their order, anyone may come, no password. Without the
 * interval of 0 what was saved less than a minute after an export would wait for the next save. */
static alcore_status put_config(const alcore__tool_json *self, const char *main_file,
                                alcore__buffer *out) {
    ALCORE__TRY(put_line(self, "annotation_task_name: ", self->options->batch, out));
    ALCORE__TRY(put_line(self, "task_dir: .\ndata_files:\n  - ", main_file, out));
    ALCORE__TRY(alcore__buffer_format(self->ctx, out,
                                      "item_properties:\n  id_key: al_id\n  text_key: text\n"
                                      "output_annotation_dir: annotation_output\n"
                                      "export_annotation_format: jsonl\n"
                                      "auto_export_interval: 0\n"
                                      "assignment_strategy: fixed_order\n"
                                      "require_password: false\n"
                                      "user_config:\n  allow_all_users: true\n  users: []\n"
                                      "instance_display:\n  fields:\n"));
    if (self->contexts) ALCORE__TRY(put_field(self, "context", false, out));
    ALCORE__TRY(put_field(self, "text", self->options->task == ALCORE_TASK_SPANS, out));
    if (self->drafts) ALCORE__TRY(put_field(self, "draft", false, out));
    return put_scheme(self, out);
}

static alcore_status write_items(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LINES, .suffix = ".jsonl",
                                                .settings_suffix = ".yaml", .record = put_item,
                                                .settings = put_config};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* ---- back ---- */

/* Reads the labels that are chosen: the keys of an object, whose values are not read. */
static alcore_status read_keys(alcore__tool_record *record, const alcore__json *object) {
    alcore__json at = *object, key;
    const char *raw, *label;
    size_t bytes;
    if (!alcore__json_enter(&at, '{')) return ALCORE_OK;
    while (alcore__json_skip_key(&at, &raw, &bytes)) {
        key = at;
        key.next = key.begin + (raw - 1 - key.begin); /* before the quote that opens it */
        ALCORE__TRY(alcore__tool_string(record, &key, &label));
        ALCORE__TRY(alcore__tool_answer_label(record, label));
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

static alcore_status read_answer(alcore__tool_record *record) {
    alcore__json labels, at;
    if (record->options->task == ALCORE_TASK_SPANS)
        return alcore__tool_member(&record->json, "spans", &labels) &&
                       alcore__tool_member(&labels, "label", &at)
                   ? alcore__tool_read_spans(record, &at, "name")
                   : ALCORE_OK;
    if (!alcore__tool_member(&record->json, "labels", &labels)) return ALCORE_OK;
    if (record->options->task == ALCORE_TASK_CLASSES)
        return alcore__tool_member(&labels, "label", &at) ? read_keys(record, &at) : ALCORE_OK;
    return alcore__tool_member(&labels, "translation", &at)
               ? alcore__tool_member_string(record, &at, "text_box", &record->answer.value)
               : ALCORE_OK;
}

/* Where nothing was filled in, the item is open. */
static alcore_status read_annotation(alcore__tool_record *record) {
    const char *id;
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "instance_id", &id));
    if (!id || !*id) return alcore__tool_record_refuse(record, "it has no instance_id");
    alcore__tool_answer_begin(record, id, NULL, "ok");
    ALCORE__TRY(
        alcore__tool_member_string(record, &record->json, "user_id", &record->answer.annotator));
    ALCORE__TRY(read_answer(record));
    if (record->answer.value && !*record->answer.value) record->answer.value = NULL;
    return alcore__tool_answer_given(record) ? alcore__tool_answer_end(record) : ALCORE_OK;
}

static alcore_status read_annotations(alcore_ctx *ctx, const char *path,
                                      const alcore_tool_options *options,
                                      alcore_tool_answers *into) {
    return alcore__tool_read_lines(ctx, path, options, into, read_annotation);
}

const alcore__tool_form alcore__tool_potato = {.name = "potato",
                                               .title = "potato (JSONL)",
                                               .suffix = ".jsonl",
                                               .tasks = "translation classes spans",
                                               .span_unit = ALCORE_SPAN_CODE_POINTS,
                                               .needs_labels = true,
                                               .write = write_items,
                                               .read = read_annotations};
