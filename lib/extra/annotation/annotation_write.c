/* SPDX-License-Identifier: Apache-2.0 */
/* Files that annotations are written to: requests to people, and answers
 * (alcore/extra/annotation.h). */
#include <string.h>

#include "extra/annotation/annotation_contexts.h"
#include "formats/json_text.h"
#include "formats/line_schema.h"
#include "formats/table_writer.h"

enum { POLL_ROWS = 1024 /* items between two polls of cancellation */ };

/* ---- requests ---- */

/* The request of an item as a line of TSV or CSV; joined: workspace for its contexts, which stand
 * in one cell with " | " between them. */
static alcore_status put_request_cells(const alcore_annotations *annotations,
                                       const alcore__annotation_contexts *self, int64_t index,
                                       alcore__buffer *joined, alcore__table *table) {
    const alcore__annotation *item = &annotations->items[index];
    const char *language = alcore_pool_language(annotations->pool, item->row), *text;
    size_t length;
    joined->length = 0;
    for (int n = 0; (text = alcore__contexts_at(annotations, self, index, n, &length)); n++) {
        if (n > 0) ALCORE__TRY(alcore__buffer_append(table->ctx, joined, " | ", 3));
        ALCORE__TRY(alcore__buffer_append(table->ctx, joined, text, length));
    }
    ALCORE__TRY(alcore__table_put_string(table, item->id));
    ALCORE__TRY(alcore__table_put_string(table, item->phrase ? "phrase" : "sent"));
    ALCORE__TRY(alcore__table_put_string(table, language ? language : "unknown"));
    ALCORE__TRY(alcore__table_put_number(table, item->cost));
    ALCORE__TRY(alcore__table_put_text(table, item->text, item->text_length));
    ALCORE__TRY(alcore__table_put_text(table, joined->data, joined->length));
    return alcore__table_end_line(table);
}

/* The request of an item as a line of JSONL. The JSON is appended to the table's own buffer. */
static alcore_status put_request_object(const alcore_annotations *annotations,
                                        const alcore__annotation_contexts *self, int64_t index,
                                        alcore__table *table) {
    const alcore__annotation *item = &annotations->items[index];
    const char *language = alcore_pool_language(annotations->pool, item->row), *text;
    size_t length;
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", ALCORE__REQUESTS_SCHEMA);
    alcore__json_put_string(&json, "req_id", item->id);
    alcore__json_put_string(&json, "kind", item->phrase ? "phrase" : "sent");
    alcore__json_put_string(&json, "lang", language ? language : "unknown");
    alcore__json_put_number(&json, "cost", item->cost);
    alcore__json_put_text(&json, "text", item->text, item->text_length);
    alcore__json_open(&json, "context", '[');
    for (int n = 0; (text = alcore__contexts_at(annotations, self, index, n, &length)); n++)
        alcore__json_put_text(&json, NULL, text, length);
    alcore__json_close(&json, ']');
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes the header names [count], where the format has one. */
static alcore_status put_names(alcore__table *table, const char *const *names, size_t count) {
    if (!alcore__table_has_cells(table)) return ALCORE_OK;
    for (size_t i = 0; i < count; i++) ALCORE__TRY(alcore__table_put_string(table, names[i]));
    return alcore__table_end_line(table);
}

/* Writes the header and the requests of all open items. */
static alcore_status put_requests(const alcore_annotations *annotations,
                                  const alcore__annotation_contexts *self, alcore__buffer *joined,
                                  alcore__table *table) {
    static const char *const names[] = {"req_id", "kind", "lang", "cost", "text", "context"};
    ALCORE__TRY(put_names(table, names, sizeof names / sizeof *names));
    for (int64_t i = 0; i < annotations->count; i++) {
        if (i % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(table->ctx, "writing", i, annotations->count));
        if (annotations->items[i].answer != ALCORE__ANSWER_OPEN) continue;
        ALCORE__TRY(alcore__table_has_cells(table)
                        ? put_request_cells(annotations, self, i, joined, table)
                        : put_request_object(annotations, self, i, table));
    }
    return ALCORE_OK;
}

/* Writes the requests; the file appears only if all of it could be written. */
static alcore_status write_requests(const alcore_annotations *annotations, const char *path,
                                    const alcore_write_options *options) {
    alcore_ctx *ctx = annotations->object.ctx;
    alcore__annotation_contexts self = {0};
    alcore__buffer joined = {0};
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, ctx, "a list of requests", path, options));
    alcore_status status = ALCORE_OK;
    if (table.format == ALCORE_FORMAT_TEXT)
        status = alcore__fail(ALCORE_E_UNSUPPORTED,
                              "%s: requests are written as .tsv, .csv or .jsonl", path);
    if (status == ALCORE_OK) status = alcore__contexts_find(annotations, &self);
    /* A list without contexts still has a text to put into the cell. */
    if (status == ALCORE_OK) status = alcore__buffer_reserve(ctx, &joined, 1);
    if (status == ALCORE_OK) status = put_requests(annotations, &self, &joined, &table);
    status = alcore__table_close(&table, status);
    alcore__buffer_clear(ctx, &joined);
    alcore__contexts_clear(ctx, &self);
    return status;
}

/* ---- answers ---- */

/* The answer of an item in the format of the table; a plain text has the translation only. */
static alcore_status put_answer(const alcore__annotation *item, alcore__table *table) {
    const char *translation = item->translation ? item->translation : "";
    static const char *const all_flags[] = {
        [ALCORE__ANSWER_OPEN] = "",           [ALCORE__ANSWER_OK] = "",
        [ALCORE__ANSWER_LOOSE] = "loose",     [ALCORE__ANSWER_UNTRANSLATABLE] = "untranslatable",
        [ALCORE__ANSWER_SKIPPED] = "skipped", [ALCORE__ANSWER_REJECTED] = "rejected"};
    const char *flags = all_flags[item->answer];
    if (table->format == ALCORE_FORMAT_TEXT)
        return alcore__table_put_plain_line(table, translation, item->translation_length);
    if (alcore__table_has_cells(table)) {
        ALCORE__TRY(alcore__table_put_string(table, item->id));
        ALCORE__TRY(alcore__table_put_text(table, item->text, item->text_length));
        ALCORE__TRY(alcore__table_put_text(table, translation, item->translation_length));
        ALCORE__TRY(alcore__table_put_string(table, flags));
        return alcore__table_end_line(table);
    }
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "id", item->id);
    alcore__json_put_text(&json, "text", item->text, item->text_length);
    alcore__json_put_text(&json, "translation", translation, item->translation_length);
    alcore__json_put_string(&json, "flags", flags);
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes the header and all items that have an answer. */
static alcore_status put_answers(const alcore_annotations *annotations, alcore__table *table) {
    static const char *const names[] = {"id", "text", "translation", "flags"};
    ALCORE__TRY(put_names(table, names, sizeof names / sizeof *names));
    for (int64_t i = 0; i < annotations->count; i++) {
        if (i % POLL_ROWS == 0)
            ALCORE__TRY(alcore__tick(table->ctx, "writing", i, annotations->count));
        if (annotations->items[i].answer != ALCORE__ANSWER_OPEN)
            ALCORE__TRY(put_answer(&annotations->items[i], table));
    }
    return ALCORE_OK;
}

/* Writes the answers; the file appears only if all of it could be written. */
static alcore_status write_answers(const alcore_annotations *annotations, const char *path,
                                   const alcore_write_options *options) {
    alcore__table table;
    ALCORE__TRY(
        alcore__table_open(&table, annotations->object.ctx, "a list of answers", path, options));
    return alcore__table_close(&table, put_answers(annotations, &table));
}

/* ---- the public calls ---- */

/* Locks the annotations and their pool for reading around one of the writings. */
static alcore_status run(alcore_annotations *annotations, const char *path,
                         const alcore_write_options *options, const char *function,
                         alcore_status (*write)(const alcore_annotations *, const char *,
                                                const alcore_write_options *)) {
    if (!annotations || !path)
        return alcore__fail(ALCORE_E_INVALID, "%s: annotations and path are needed", function);
    ALCORE__TRY(alcore__enter(annotations->object.ctx));
    alcore_status status = alcore__read_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = alcore__read_begin(annotations->pool, "pool");
        if (status == ALCORE_OK) {
            status = write(annotations, path, options);
            alcore__read_end(annotations->pool);
        }
        alcore__read_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}

alcore_status alcore_annotations_write_requests(alcore_annotations *annotations, const char *path,
                                                const alcore_write_options *options) {
    return run(annotations, path, options, "alcore_annotations_write_requests", write_requests);
}

alcore_status alcore_annotations_write(alcore_annotations *annotations, const char *path,
                                       const alcore_write_options *options) {
    return run(annotations, path, options, "alcore_annotations_write", write_answers);
}
