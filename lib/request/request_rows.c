/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a request names: those that alone may be selected, those that may not, those whose
 * labels are known, and those of another selection whose languages are counted. They belong to the
 * request, so that two requests over one pool may differ and selecting leaves the pool as it is.
 *
 * alcore__read_records() reads a file of any format and calls its sink with batches of records: id,
 * text (views with a length, id NULL: none) and line, for messages. alcore__word_next() finds the
 * next word of *next .. end and moves *next behind it; false: there is none. alcore_pool_find()
 * finds the row of an id. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/records.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"
#include "text/utf8.h"
#include "text/words.h"

/* Whether a number is one of ALCORE_ROWS_*, which are consecutive from ELIGIBLE. */
static bool is_kind(int32_t kind) {
    return kind >= ALCORE_ROWS_ELIGIBLE && kind <= ALCORE_ROWS_LIKE;
}

/* Frees the rows of a list, which is then as one that was never set. */
static void clear_list(alcore_ctx *ctx, alcore__row_list *list) {
    alcore__free(ctx, list->rows);
    *list = (alcore__row_list){0};
}

void alcore__row_lists_clear(alcore_request *request) {
    for (int32_t place = 0; place < ALCORE__ROW_KINDS; place++)
        clear_list(request->object.ctx, &request->lists[place]);
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
 * kind says nothing; a list of 0 rows says that there are none. Row numbers are checked when the
 * request is answered (request_masks.c), as the pool may still grow. A failure changes nothing.
 * Setting the excluded rows also drops the phrases that alcore_request_read_rows() excluded. */
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
    clear_list(ctx, &request->lists[alcore__list_place(kind)]);
    request->lists[alcore__list_place(kind)] = list;
    if (kind == ALCORE_ROWS_EXCLUDED) {
        alcore_pool_unref(request->excluded_phrases);
        request->excluded_phrases = NULL;
    }
    return ALCORE_OK;
}

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
    bool strict;            /* an id that the pool lacks is an error; else it may be a phrase's, and
                               is skipped where it is not */
    bool phrase_rows;       /* the id of a phrase stands for the row that has it */
    int64_t records;        /* read so far */
    alcore__row_list *list; /* to which the rows are appended */
    alcore_pool *phrases;   /* to which the texts of phrases are added; NULL: they are skipped */
} id_file;

/* Reads digits from *at up to end as an integer, *out, and moves *at behind them; false where there
 * is no digit, or the integer is too large for a place in a text. It has at most 11 digits, so that
 * the caller can add two without overflow. */
static bool read_number(const char **at, const char *end, int64_t *out) {
    const char *begin = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        if (*out > INT32_MAX) return false;
        *out = 10 * *out + (**at - '0');
    }
    return *at > begin;
}

/* Finds the phrase that an id "ID:WORD+LENGTH" [length bytes] names: LENGTH words of the row with
 * the id ID, from word WORD, counted from 0; rows of a pool of phrases have such ids. ID may
 * contain colons, so the last colon is looked for. False where the id has another form or the pool
 * lacks the row or the words. *row is that row; *text [*bytes] is a view of its text from the first
 * of the words to the last. */
static bool find_phrase(const alcore_pool *pool, const char *id, size_t length, int64_t *row,
                        const char **text, size_t *bytes) {
    const char *end = id + length, *colon = end;
    int64_t first, count;
    while (colon > id && *--colon != ':') continue;
    const char *at = colon + 1;
    if (length == 0 || *colon != ':' || !read_number(&at, end, &first) || at == end ||
        *at++ != '+' || !read_number(&at, end, &count) || at != end || count == 0)
        return false;
    if (alcore_pool_find(pool, id, (size_t)(colon - id), row) != ALCORE_OK) return false;
    size_t row_bytes, word_bytes;
    const char *next = alcore_pool_text(pool, *row, &row_bytes), *stop = next + row_bytes, *word;
    for (int64_t i = 0; i < first + count; i++) {
        if (!alcore__word_next(&next, stop, &word, &word_bytes)) return false;
        if (i == first) *text = word;
        if (i >= first) *bytes = (size_t)(word + word_bytes - *text);
    }
    return true;
}

/* Adds the text of the phrase that an id [length] names to the phrases of the file: its words with
 * one space between them, which is the text that a pool of phrases has. An id that names none is
 * skipped. */
static alcore_status add_phrase(const id_file *file, const char *id, size_t length) {
    alcore_ctx *ctx = alcore__pool_ctx(file->pool);
    alcore__buffer words = {0};
    const char *next = NULL, *word, *text;
    size_t bytes = 0;
    int64_t row;
    if (!file->phrases || !find_phrase(file->pool, id, length, &row, &next, &bytes))
        return ALCORE_OK;
    const char *end = next + bytes;
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && alcore__word_next(&next, end, &word, &bytes))
        status =
            alcore__buffer_format(ctx, &words, "%s%.*s", words.length ? " " : "", (int)bytes, word);
    text = words.data;
    if (status == ALCORE_OK)
        status = alcore_pool_add_texts(file->phrases, &text, &words.length, 1, NULL);
    alcore__buffer_clear(ctx, &words);
    return status;
}

/* Appends the row of one id, [length] bytes, to the list; of rows that share an id the first is
 * found, and a row without an id has its number from 1. An id that the pool lacks is an error in a
 * strict file that has no phrases, else it may name a phrase. line: where it stands in the file,
 * for messages. */
static alcore_status add_id(const id_file *file, const char *id, size_t length, int64_t line) {
    const char *text;
    size_t bytes;
    int64_t row;
    const size_t valid = alcore__utf8_check(id, length);
    if (valid < length)
        return alcore__fail(ALCORE_E_DATA, "%s:%lld: the id is not valid UTF-8 at byte %zu",
                            file->path, (long long)line, valid);
    alcore_status status = alcore_pool_find(file->pool, id, length, &row);
    if (status == ALCORE_E_NOT_FOUND && file->phrase_rows &&
        find_phrase(file->pool, id, length, &row, &text, &bytes))
        status = ALCORE_OK;
    if (status == ALCORE_OK) return append(alcore__pool_ctx(file->pool), file->list, row);
    if (status != ALCORE_E_NOT_FOUND || !file->strict)
        return status == ALCORE_E_NOT_FOUND ? add_phrase(file, id, length) : status;
    return alcore__fail(ALCORE_E_NOT_FOUND, "%s:%lld: the pool has no id '%.*s'", file->path,
                        (long long)line, (int)length, id);
}

/* The sink of alcore__read_records(): appends the rows of a batch of ids, records [count]. A JSON
 * object without an id has its number among the records, from 1, as its id, as in a pool; an empty
 * id is skipped. user: id_file; coming, how many records may follow, is not used. */
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
 * the records of a pool, so that it may have their formats and the same messages: in .jsonl and
 * .ndjson the id is the field "id" (a text is needed beside it), in .tsv and .csv the column "id",
 * else a line; files of tagged or marked texts, which have no ids of rows, are refused. An id that
 * the pool lacks is an error in lists of eligible rows and of another selection: the others say
 * what to leave out, and a row that is not there is left out already; a warning says where that is
 * so of all. The texts of phrases are added to the pool phrases, which is empty before, as the
 * warning counts its rows; NULL: ids of phrases are skipped. After a failure list and pool have
 * what was read before it, and read_rows() drops that. */
static alcore_status read_ids(alcore_request *request, int32_t kind, const char *path,
                              alcore__row_list *list, alcore_pool *phrases) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    const int32_t format = alcore__records_format(path);
    const int64_t before = list->count;
    if (format == ALCORE_FORMAT_CONLL || format == ALCORE_FORMAT_SGML ||
        format == ALCORE_FORMAT_TMX)
        return alcore__fail(
            ALCORE_E_DATA,
            "%s: a list of ids is expected: a .tsv or .csv with the column id, a .jsonl "
            "with the field id, or a text file with one id a line; this is a file "
            "of %s texts",
            path, format == ALCORE_FORMAT_CONLL ? "tagged" : "marked");
    if (format == ALCORE_FORMAT_TSV || format == ALCORE_FORMAT_CSV)
        options.text_column = "id"; /* the table may have no other column */
    id_file file = {.pool = request->candidates,
                    .path = path,
                    .objects = format == ALCORE_FORMAT_JSONL,
                    .strict = kind == ALCORE_ROWS_ELIGIBLE || kind == ALCORE_ROWS_LIKE,
                    .phrase_rows = kind == ALCORE_ROWS_LIKE,
                    .list = list,
                    .phrases = phrases};
    ALCORE__TRY(alcore__read_begin(request->candidates, "pool"));
    alcore_status status =
        alcore__read_records(request->object.ctx, path, &options, MAX_LINE_BYTES, add_ids, &file);
    alcore__read_end(request->candidates);
    const bool found = list->count > before || (phrases && alcore_pool_row_count(phrases) > 0);
    if (status == ALCORE_OK && file.records > 0 && !found)
        alcore__log(request->object.ctx, ALCORE_LOG_WARN, "request", NULL,
                    "%s: none of its %lld ids is in the pool, so that it says nothing", path,
                    (long long)file.records);
    return status;
}

/* Adds the texts of `phrases` to those that the request excludes already; a failure leaves these as
 * they were, as the old texts are copied into the new pool and not the other way round. */
static alcore_status keep_phrases(alcore_request *request, alcore_pool *phrases) {
    const int64_t rows = alcore_pool_row_count(phrases);
    alcore_pool *kept = request->excluded_phrases;
    if (rows == 0) return ALCORE_OK;
    if (!kept) {
        request->excluded_phrases = alcore_pool_ref(phrases);
        return ALCORE_OK;
    }
    for (int64_t row = 0; row < alcore_pool_row_count(kept); row++) {
        size_t length;
        const char *text = alcore_pool_text(kept, row, &length);
        ALCORE__TRY(alcore_pool_add_texts(phrases, &text, &length, 1, NULL));
    }
    request->excluded_phrases = alcore_pool_ref(phrases);
    alcore_pool_unref(kept);
    return ALCORE_OK;
}

/* Appends the rows whose ids a file names to the list of a kind; a failure leaves the list as it
 * was. Only lists of excluded rows and of another selection may name phrases. */
static alcore_status read_rows(alcore_request *request, int32_t kind, const char *path) {
    if (!is_kind(kind) || !path)
        return alcore__fail(
            ALCORE_E_INVALID,
            "alcore_request_read_rows: path and a kind of rows, ALCORE_ROWS_*, are needed; "
            "kind is %d",
            kind);
    if (!request->candidates)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_request_read_rows: the request has no pool of candidates yet");
    alcore__row_list *list = &request->lists[alcore__list_place(kind)];
    int64_t before = list->count;
    alcore_pool *phrases = NULL;
    if (kind == ALCORE_ROWS_EXCLUDED)
        ALCORE__TRY(alcore_pool_new(request->object.ctx, NULL /* options */, &phrases));
    alcore_status status = read_ids(request, kind, path, list, phrases);
    if (status == ALCORE_OK && phrases) status = keep_phrases(request, phrases);
    alcore_pool_unref(phrases);
    if (status != ALCORE_OK)
        list->count = before;
    else
        list->given = true;
    return status;
}

alcore_status alcore_request_read_rows(alcore_request *request, int32_t kind, const char *path) {
    ALCORE__TRY(alcore__request_begin_long(request, "alcore_request_read_rows"));
    return alcore__request_end(request, read_rows(request, kind, path));
}

/* Hands out the rows of one kind as a tensor [count], a view of the request's list, with the
 * request locked for reading. An empty list has no memory, so the tensor then points to its own
 * shape, as its data must not be NULL. */
static alcore_status get_rows(const alcore_request *request, int32_t kind, alcore_tensor *out) {
    alcore_request *self = request->object.self; /* the same, but not const: a tensor is not */
    alcore__row_list *list = &self->lists[alcore__list_place(kind)];
    if (!list->given)
        return alcore__fail(ALCORE_E_NOT_FOUND, "the request names no rows of this kind");
    return alcore_tensor_init(out, !list->rows ? &list->count : list->rows, ALCORE_INT64,
                              &list->count, 1 /* dimension */);
}

alcore_status alcore_request_get_rows(const alcore_request *request, int32_t kind,
                                      alcore_tensor *out) {
    alcore_ctx *ctx = !request ? NULL : request->object.ctx;
    if (out) *out = (alcore_tensor){0};
    ALCORE__TRY(alcore__enter(ctx));
    if (!request || !is_kind(kind) || !out)
        return alcore__leave(
            ctx,
            alcore__fail(ALCORE_E_INVALID,
                         "alcore_request_get_rows: request, a kind of rows and out are needed"));
    alcore_status status = alcore__read_begin(request, "request");
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    status = get_rows(request, kind, out);
    alcore__read_end(request);
    return alcore__leave(ctx, status);
}
