/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a request names: those that alone may be selected, those that may not, and those whose
 * labels are known. They belong to the request, so that two requests over one pool may differ and
 * selecting leaves the pool as it is. lists, by kind (ALCORE_ROWS_*), have these rows in the order
 * given; drawn_rows what alcore_request_candidates() handed out last. `given` tells an empty list
 * from one that was never set. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/byte_stream.h"
#include "formats/records.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"
#include "text/utf8.h"

/* Whether a number is one of ALCORE_ROWS_*. */
static bool is_kind(int32_t kind) {
    return kind >= ALCORE_ROWS_ELIGIBLE && kind < ALCORE__ROW_KINDS;
}

/* Frees the rows of a list; it is as one that was never set. */
static void clear_list(alcore_ctx *ctx, alcore__row_list *list) {
    alcore__free(ctx, list->rows);
    *list = (alcore__row_list){0};
}

/* Frees all lists of a request, when the request is freed. */
void alcore__row_lists_clear(alcore_request *request) {
    for (int32_t kind = 0; kind < ALCORE__ROW_KINDS; kind++)
        clear_list(request->object.ctx, &request->lists[kind]);
    clear_list(request->object.ctx, &request->drawn_rows);
}

/* Appends a row to a list that is being built. */
static alcore_status append(alcore_ctx *ctx, alcore__row_list *list, int64_t row) {
    ALCORE__TRY(alcore__grow(ctx, &list->rows, &list->capacity, (size_t)list->count + 1,
                             sizeof *list->rows));
    list->rows[list->count++] = row;
    return ALCORE_OK;
}

/* Replaces the list of one kind by a copy of rows [count]. rows NULL: no list is given, and the
 * kind says nothing; a list of no rows says that there are none. Numbers are checked when the
 * request is answered, as the pool may still grow. */
static alcore_status set_rows(alcore_request *request, int32_t kind, const int64_t *rows,
                              int64_t count) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__row_list list = {.given = rows != NULL};
    if (!is_kind(kind))
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_set_rows: no kind %d of rows", kind);
    if (count < 0 || (!rows && count > 0))
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_request_set_rows: rows and a count of 0 or more are needed");
    if (count > 0) {
        ALCORE__TRY(alcore__grow(ctx, &list.rows, &list.capacity, (size_t)count, sizeof *rows));
        memcpy(list.rows, rows, (size_t)count * sizeof *rows);
        list.count = count;
    }
    clear_list(ctx, &request->lists[kind]);
    request->lists[kind] = list;
    return ALCORE_OK;
}

/* Sets the rows of one kind; NULL takes the list away. */
alcore_status alcore_request_set_rows(alcore_request *request, int32_t kind, const int64_t *rows,
                                      int64_t count) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_rows"));
    return alcore__request_end(request, set_rows(request, kind, rows, count));
}

/* ---- rows from a file of ids ---- */

#define MAX_LINE_BYTES ((int64_t)64 << 20) /* of a file of ids */

/* A file of ids that is being read. */
typedef struct id_file {
    const alcore_pool *pool; /* whose rows the ids name; locked for reading */
    const char *path;
    bool objects;           /* JSON lines: the id is the field "id"; else it is a record's text */
    bool strict;            /* an id that the pool lacks is an error; else it is skipped */
    int64_t records;        /* read so far */
    alcore__row_list *list; /* to which the rows are appended */
} id_file;

/* Appends the row of one id, [length] bytes that stand on a line of the file. */
static alcore_status add_id(const id_file *file, const char *id, size_t length, int64_t line) {
    int64_t row;
    const size_t valid = alcore__utf8_check(id, length);
    if (valid < length)
        return alcore__fail(ALCORE_E_DATA, "%s:%lld: the id is not valid UTF-8 at byte %zu",
                            file->path, (long long)line, valid);
    alcore_status status = alcore_pool_find(file->pool, id, length, &row);
    if (status == ALCORE_OK) return append(alcore__pool_ctx(file->pool), file->list, row);
    if (status != ALCORE_E_NOT_FOUND || !file->strict)
        return status == ALCORE_E_NOT_FOUND ? ALCORE_OK : status;
    return alcore__fail(ALCORE_E_NOT_FOUND, "%s:%lld: the pool has no id '%.*s'", file->path,
                        (long long)line, (int)length, id);
}

/* The sink of alcore__read_records(): appends the rows of a batch of ids. A JSON object without an
 * id stands for the row of its number among the records, from 1, as in a pool; an empty id is
 * skipped. user: id_file. */
static alcore_status add_ids(void *user, const alcore__record *records, int64_t count,
                             int64_t coming) {
    id_file *file = user;
    (void)coming;
    for (int64_t i = 0; i < count; i++) {
        const alcore__record *record = &records[i];
        const char *id = file->objects ? record->id : record->text;
        size_t length = file->objects ? record->id_length : record->text_length;
        char number[24];
        file->records++;
        if (!id) {
            length = (size_t)snprintf(number, sizeof number, "%" PRId64, file->records);
            id = number;
        }
        if (length > 0) ALCORE__TRY(add_id(file, id, length, record->line));
    }
    return ALCORE_OK;
}

/* Reads a file of ids and appends their rows in the candidates' pool to the list. It is read like
 * the records of a pool, so that it may have their formats and has their messages: in .jsonl and
 * .ndjson the id is the field "id" (a text is needed beside it), in .tsv the column "id", else a
 * line. An id that the pool lacks is an error in a list of eligible rows only: the others say what
 * to leave out, and a row that is not there is left out already. */
static alcore_status read_ids(alcore_request *request, int32_t kind, const char *path,
                              alcore__row_list *list) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    size_t base; /* length of the path without a suffix of compression */
    alcore__stream_compressed(path, &base);
    if (alcore__path_ends_in(path, base, ".tsv"))
        options.text_column = "id"; /* it may have no other column */
    id_file file = {.pool = request->candidates,
                    .path = path,
                    .objects = alcore__path_ends_in(path, base, ".jsonl") ||
                               alcore__path_ends_in(path, base, ".ndjson"),
                    .strict = kind == ALCORE_ROWS_ELIGIBLE,
                    .list = list};
    ALCORE__TRY(alcore__read_begin(request->candidates, "pool"));
    alcore_status status =
        alcore__read_records(request->object.ctx, path, &options, MAX_LINE_BYTES, add_ids, &file);
    alcore__read_end(request->candidates);
    return status;
}

/* Appends the rows whose ids a file names to the list of a kind; a failure leaves the list as it
 * was. */
static alcore_status read_rows(alcore_request *request, int32_t kind, const char *path) {
    if (!is_kind(kind) || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_request_read_rows: a kind of rows and path are needed");
    if (!request->candidates)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_request_read_rows: the request has no pool of candidates yet");
    alcore__row_list *list = &request->lists[kind];
    int64_t before = list->count;
    alcore_status status = read_ids(request, kind, path, list);
    if (status != ALCORE_OK)
        list->count = before;
    else
        list->given = true;
    return status;
}

alcore_status alcore_request_read_rows(alcore_request *request, int32_t kind, const char *path) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_read_rows"));
    return alcore__request_end(request, read_rows(request, kind, path));
}

/* Hands out the rows of one kind as a tensor [count], a view of the request's list; an empty list
 * has no memory, so the tensor then points to its own shape, as its data must not be NULL. */
alcore_status alcore_request_rows(alcore_request *request, int32_t kind, alcore_tensor *out) {
    if (out) *out = (alcore_tensor){0};
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_rows"));
    if (!is_kind(kind) || !out)
        return alcore__request_end(
            request, alcore__fail(ALCORE_E_INVALID,
                                  "alcore_request_rows: a kind of rows and out are needed"));
    alcore__row_list *list = &request->lists[kind];
    if (!list->given)
        return alcore__request_end(
            request, alcore__fail(ALCORE_E_NOT_FOUND, "the request names no rows of this kind"));
    list->shape = list->count;
    return alcore__request_end(request,
                               alcore_tensor_init(out, !list->rows ? &list->shape : list->rows,
                                                  ALCORE_INT64, &list->shape, 1 /* dimension */));
}
