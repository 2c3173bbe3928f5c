/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of translations as Hugging Face's datasets has them, a line each:
 *
 *   {"id": ..., "translation": {"en": "...", "de": null}, "draft": ...}
 *
 * A row says of its translation neither who wrote it nor whether anyone looked at it, so that a
 * draft stands beside it. */
#include <string.h>

#include "extra/tool/tool_json.h"
#include "extra/tool/tool_record.h"

static alcore_status put_row(alcore__tool_json *self) {
    const char *own = alcore__tool_language(self->items, self->item);
    const char *source = own ? own : self->options->source_language;
    alcore__json_out *json = &self->json;
    if (strcmp(source, self->options->target_language) == 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "item %lld (%s): text and translation are both in \"%s\": "
                            "source_language and target_language have to differ",
                            (long long)self->item + 1, self->items->ids[self->item], source);
    alcore__json_put_string(json, "id", self->items->ids[self->item]);
    alcore__json_open(json, "translation", '{');
    alcore__tool_put_item_text(self, source);
    alcore__json_put_string(json, self->options->target_language, NULL);
    alcore__json_close(json, '}');
    if (self->drafts) alcore__json_put_string(json, "draft", self->draft.translation);
    alcore__tool_put_context(self, "context");
    alcore__tool_put_facts(self);
    return ALCORE_OK;
}

static alcore_status write_rows(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                const alcore_tool_options *options) {
    static const alcore__tool_json_form form = {ALCORE__TOOL_LINES, .suffix = ".jsonl",
                                                .record = put_row};
    return alcore__tool_json_write(&form, ctx, path, items, options);
}

/* Whether a key, raw [bytes], is a name. */
static bool is_key(const char *raw, size_t bytes, const char *name) {
    return strlen(name) == bytes && memcmp(raw, name, bytes) == 0;
}

/* Finds the translation among the texts by language: that of the target, or where it is not named
 * the only one beside the source's. *count: how many there are. */
static alcore_status find_translation(alcore__tool_record *record, const alcore__json *texts,
                                      const char **out, int64_t *count) {
    const alcore_tool_options *options = record->options;
    alcore__json at = *texts;
    const char *raw, *text;
    size_t bytes;
    *out = NULL;
    *count = 0;
    if (!alcore__json_enter(&at, '{')) return ALCORE_OK;
    while (alcore__json_skip_key(&at, &raw, &bytes)) {
        const bool wanted = options->target_language
                                ? is_key(raw, bytes, options->target_language)
                                : !is_key(raw, bytes, options->source_language);
        ALCORE__TRY(alcore__tool_string(record, &at, &text));
        if (wanted && text) {
            *out = text;
            ++*count;
        }
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

static alcore_status read_row(alcore__tool_record *record) {
    alcore__json texts;
    const char *id, *source, *translation, *batch;
    int64_t count;
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "id", &id));
    ALCORE__TRY(alcore__tool_member_string(record, &record->json, "al_batch", &batch));
    if (batch) ALCORE__TRY(alcore__tool_read_batch(record, batch));
    if (!id || !*id) return alcore__tool_record_refuse(record, "the row has no id");
    if (!alcore__tool_member(&record->json, "translation", &texts))
        return alcore__tool_record_refuse(record, "item %s: the row has no translation", id);
    ALCORE__TRY(
        alcore__tool_member_string(record, &texts, record->options->source_language, &source));
    ALCORE__TRY(find_translation(record, &texts, &translation, &count));
    if (count > 1)
        return alcore__tool_record_refuse(
            record, "item %s: which language is the translation is not said: target_language", id);
    if (!translation || !*translation) return ALCORE_OK;
    alcore__tool_answer_begin(record, id, source, "ok");
    record->answer.value = translation;
    return alcore__tool_answer_end(record);
}

static alcore_status read_rows(alcore_ctx *ctx, const char *path,
                               const alcore_tool_options *options, alcore_tool_answers *into) {
    return alcore__tool_read_lines(ctx, path, options, into, read_row);
}

const alcore__tool_form alcore__tool_translations = {
    .name = "translations",
    .title = "Rows of translations (Hugging Face datasets, JSONL)",
    .suffix = ".jsonl",
    .tasks = "translation",
    .write = write_rows,
    .read = read_rows};
