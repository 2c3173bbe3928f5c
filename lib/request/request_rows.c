/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a request names: those that alone may be selected, those that may not, and those whose
 * labels are known. They belong to the request, so that two requests over one pool may differ and
 * selecting leaves the pool as it is. lists, by kind (ALCORE_ROWS_*), have these rows in the order
 * given; drawn_rows what alcore_request_candidates() handed out last. `given` tells an empty list
 * from one that was never set. */
#include <string.h>

#include "formats/byte_stream.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"

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

/* Whether a path without its compressed suffix ends with a suffix. */
static bool ends_with(const char *path, const char *suffix) {
    size_t base = strlen(path), tail = strlen(suffix);
    (void)alcore__stream_compressed(path, &base);
    return base > tail && memcmp(path + base - tail, suffix, tail) == 0;
}

/* Adds the rows of pool whose ids the records of `ids` name. In .jsonl the id is the field "id",
 * in .tsv the column "id", else a line; empty ids are skipped. Ids that the pool lacks are skipped
 * unless `strict`; the message has the line of the file, from 1, where the first of a .tsv is its
 * header. */
static alcore_status add_ids(const alcore_pool *pool, const alcore_pool *ids, const char *path,
                             bool strict, alcore__row_list *list) {
    bool objects = ends_with(path, ".jsonl"), table = ends_with(path, ".tsv");
    int64_t count = alcore_pool_rows(ids);
    for (int64_t i = 0; i < count; i++) {
        char buffer[24]; /* for the id of a record without one, which is its number */
        int64_t row;
        const char *id = objects ? alcore_pool_id(ids, i, buffer) : alcore_pool_text(ids, i, NULL);
        ALCORE__TRY(alcore__tick(alcore__pool_ctx(pool), "ids", i, count));
        if (*id == '\0') continue;
        alcore_status status = alcore_pool_find(pool, id, strlen(id), &row);
        if (status == ALCORE_OK)
            ALCORE__TRY(append(alcore__pool_ctx(pool), list, row));
        else if (status != ALCORE_E_NOT_FOUND)
            return status;
        else if (strict)
            return alcore__fail(ALCORE_E_NOT_FOUND, "%s:%lld: the pool has no id '%s'", path,
                                (long long)(table ? i + 2 : i + 1), id);
    }
    return ALCORE_OK;
}

/* Reads a file of ids and appends their rows in the candidates' pool to the list. The file is read
 * as the texts of a temporary pool, so that it may have the formats of a pool and has its messages.
 * An id that the pool lacks is an error in a list of eligible rows only: the others say what to
 * leave out, and a row that is not there is left out already. */
static alcore_status read_ids(alcore_request *request, int32_t kind, const char *path,
                              alcore__row_list *list) {
    alcore_ctx *ctx = request->object.ctx;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *ids;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    if (ends_with(path, ".tsv")) options.text_column = "id"; /* it may have no other column */
    ALCORE__TRY(alcore_pool_new(ctx, &keep_all, &ids));
    alcore_status status = alcore_pool_read(ids, path, &options);
    if (status == ALCORE_OK) status = alcore__read_begin(request->candidates, "pool");
    if (status == ALCORE_OK) {
        status = add_ids(request->candidates, ids, path, kind == ALCORE_ROWS_ELIGIBLE, list);
        alcore__read_end(request->candidates);
    }
    alcore_pool_unref(ids);
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
