/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that a selection names. An item of a selection is a row of the pool, with the row's id,
 * or a phrase, whose id "ID:WORD+LENGTH" has the id of the row where the phrase occurs first: for
 * what is measured of rows, the phrase stands for that row. */
#include <stdlib.h>
#include <string.h>

#include "inputs.h"

/* Rows that are being listed. */
typedef struct row_finder {
    const alcore_pool *pool; /* whose rows are named */
    int64_t *rows;           /* [count] in the order of the file */
    int64_t count, phrases;  /* phrases: how many of the rows a phrase stands for */
} row_finder;

/* Length of ID in an id "ID:WORD+LENGTH", where WORD and LENGTH are numbers; 0 where the id has
 * another form. */
static size_t length_of_row_id(const char *id, size_t length) {
    static const char digits[] = "0123456789";
    const char *colon = memrchr(id, ':', length);
    if (!colon) return 0;
    const size_t word = strspn(colon + 1, digits);
    const char *plus = colon + 1 + word;
    if (word == 0 || *plus != '+') return 0;
    const size_t number = strspn(plus + 1, digits);
    return number > 0 && plus + 1 + number == id + length ? (size_t)(colon - id) : 0;
}

/* Appends the row of one id; false where the pool has none. */
static bool add_row(row_finder *self, const char *id, size_t length) {
    int64_t row;
    bool phrase = false;
    if (alcore_pool_find(self->pool, id, length, &row) != ALCORE_OK) {
        const size_t shorter = length_of_row_id(id, length);
        phrase = shorter > 0 && alcore_pool_find(self->pool, id, shorter, &row) == ALCORE_OK;
        if (!phrase) return false;
    }
    self->rows[self->count++] = row;
    self->phrases += phrase;
    return true;
}

/* Lists the rows of all ids of a file, which was read as a pool of its own. failure: what is said
 * where no id is that of a phrase, so that the first one that the pool lacks is missing. An exit
 * code. */
static int add_all(row_finder *self, const char *path, const alcore_pool *ids, bool objects,
                   const char *failure) {
    int64_t missing = -1;
    self->rows = malloc(((size_t)alcore_pool_row_count(ids) + 1) * sizeof *self->rows);
    if (!self->rows) return complain(EXIT_MEMORY, "out of memory");
    for (int64_t i = 0; i < alcore_pool_row_count(ids); i++) {
        const char *id = objects ? alcore_pool_row_id(ids, i) : alcore_pool_text(ids, i, NULL);
        if (!id) return complain(EXIT_MEMORY, "out of memory");
        if (*id && !add_row(self, id, strlen(id)) && missing < 0) missing = i;
    }
    if (self->phrases == 0) return complain(EXIT_DATA, "%s", failure);
    if (missing < 0) return EXIT_DONE;
    return complain(
        EXIT_DATA, "%s: item %lld: the pool has no id '%s'", path, (long long)missing + 1,
        objects ? alcore_pool_row_id(ids, missing) : alcore_pool_text(ids, missing, NULL));
}

/* Reads a file some of whose ids may be those of phrases and lists its rows; an exit code. */
static int find_rows(alcore_ctx *ctx, const char *path, const char *failure, row_finder *self) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *ids = NULL;
    const char table = table_of_path(path);
    const bool objects = table == 'j';
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY; /* sentences and phrases are numbered alike */
    if (table == 't') options.text_column = "id";
    TRY(outcome(alcore_pool_new(ctx, &keep_all, &ids)));
    int code = outcome(alcore_pool_read(ids, path, &options));
    if (code == EXIT_DONE) code = add_all(self, path, ids, objects, failure);
    alcore_pool_unref(ids);
    return code;
}

/* Lists the rows of a file of ids of rows: *out is a list of the request finder. */
static alcore_status read_rows(alcore_request *finder, const inputs *in, const char *path,
                               alcore_tensor *out) {
    alcore_status status = alcore_request_set_pool(finder, ALCORE_ROLE_CANDIDATES, in->candidates);
    if (status == ALCORE_OK) status = alcore_request_read_rows(finder, ALCORE_ROWS_ELIGIBLE, path);
    return status == ALCORE_OK ? alcore_request_get_rows(finder, ALCORE_ROWS_ELIGIBLE, out)
                               : status;
}

/* Lists the rows that a file with phrases names, and says how many phrases there are. failure: as
 * for add_all(). An exit code. */
static int read_phrases(alcore_ctx *ctx, const arguments *args, const char *path,
                        const char *failure, row_finder *self) {
    TRY(find_rows(ctx, path, failure, self));
    if (option_given(args, OPTION_QUIET)) return EXIT_DONE;
    terminal_clear();
    fprintf(stderr,
            "%s: %lld of %lld items are phrases; each stands for the row where it occurs "
            "first\n",
            path, (long long)self->phrases, (long long)self->count);
    return EXIT_DONE;
}

int inputs_read_selection(alcore_ctx *ctx, const arguments *args, const inputs *in,
                          const char *path, int64_t **rows, int64_t *count) {
    alcore_request *finder = NULL;
    alcore_tensor list;
    row_finder found = {.pool = in->candidates};

    TRY(outcome(alcore_request_new(ctx, &finder)));
    const alcore_status status = read_rows(finder, in, path, &list);
    int code = EXIT_DONE;
    if (status == ALCORE_OK) {
        found.count = list.shape[0];
        found.rows = malloc(((size_t)found.count + 1) * sizeof *found.rows);
        if (found.rows) memcpy(found.rows, list.data, (size_t)found.count * sizeof *found.rows);
        if (!found.rows) code = complain(EXIT_MEMORY, "out of memory");
    } else if (status == ALCORE_E_NOT_FOUND) {
        char *failure = strdup(alcore_last_error());
        code = failure ? read_phrases(ctx, args, path, failure, &found)
                       : complain(EXIT_MEMORY, "out of memory");
        free(failure);
    } else {
        code = outcome(status);
    }
    alcore_request_unref(finder);
    *rows = found.rows; /* of a failure too: the caller frees them */
    *count = found.count;
    return code;
}
