/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's columns by name: options, the list of columns, and what is common to all kinds.
 *
 * A column has entries; a map (row_map.h) says which pool row each belongs to, and without a map
 * entry i is row i's. An entry is one value (scalar) or a vector (dense), or it has any number of
 * tokens with one value each (ragged) or a vector each. Tokens of all entries are counted through:
 * token t of entry i is token offsets[i] + t of the column. Scratch is memory of one thread, in
 * which readers assemble blocks of rows. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pool/column_array.h"
#include "text/utf8.h"

/* Called by every function that sets a column, before anything is allocated: copies and checks the
 * caller's options (NULL: all defaults). Fields that a caller's older struct lacks read as 0.
 * *out_entries: the entries that the column must have, one for each of options.rows, or one a row.
 */
alcore_status alcore__column_options_read(const alcore_pool *pool,
                                          const alcore_column_options *theirs,
                                          alcore_column_options *ours, int64_t *out_entries) {
    *ours = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(ours, sizeof *ours,
                                         ALCORE__FIRST_SIZE(alcore_column_options, release_user),
                                         theirs, "alcore_column_options"));
    ours->ownership = alcore__or_default(ours->ownership, ALCORE_KEEP);
    if (ours->ownership != ALCORE_KEEP && ours->ownership != ALCORE_BORROW)
        return alcore__fail(ALCORE_E_INVALID, "ownership is %d; expected ALCORE_KEEP or _BORROW",
                            ours->ownership);
    if (ours->release_user && !ours->release)
        return alcore__fail(ALCORE_E_INVALID, "release_user without release");
    if (ours->release && ours->ownership != ALCORE_BORROW)
        return alcore__fail(ALCORE_E_INVALID,
                            "release goes with ALCORE_BORROW: a copied array stays the caller's");
    if (ours->meaning != 0 &&
        (ours->meaning < ALCORE_MEANS_UNCERTAINTY || ours->meaning > ALCORE_MEANS_MULTILABEL))
        return alcore__fail(ALCORE_E_INVALID, "meaning is %d; expected ALCORE_MEANS_*",
                            ours->meaning);
    if (!isnan(ours->log_base) && (!(ours->log_base > 1) || isinf(ours->log_base)))
        return alcore__fail(ALCORE_E_INVALID, "log_base is %g; expected a number above 1",
                            ours->log_base);
    if (isnan(ours->log_base)) ours->log_base = 0; /* e, within the library */
    if (ours->row_count < 0 || (!ours->rows && ours->row_count > 0))
        return alcore__fail(ALCORE_E_INVALID, "row_count is %" PRId64 " with rows at %p",
                            ours->row_count, (const void *)ours->rows);
    if (ours->shape != 0)
        return alcore__fail(ALCORE_E_INVALID, "the option shape is that of columns of Arrow");
    *out_entries = ours->rows ? ours->row_count : pool->rows;
    return ALCORE_OK;
}

alcore_status alcore__column_check_name(const char *name) {
    if (!name || name[0] == '\0') return alcore__fail(ALCORE_E_INVALID, "a column needs a name");
    const size_t length = strlen(name);
    if (length > ALCORE__COLUMN_NAME_BYTES)
        return alcore__fail(ALCORE_E_INVALID,
                            "the name of a column has %zu bytes; %d are allowed: \"%.40s...\"",
                            length, ALCORE__COLUMN_NAME_BYTES, name);
    const size_t good = alcore__utf8_check(name, length);
    if (good == length) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "byte %zu of the name of a column is not UTF-8",
                        good + 1);
}

/* Makes the column that a setter then fills: dims, dtype, ops and data are still 0. name and origin
 * (who made the values: "given", a path) are copied. The map is made here, so that row numbers are
 * checked before any value is copied. log_scale: the natural logarithm of the base of stored
 * log-probabilities. Errors name the column. The caller frees it with alcore__column_free() until a
 * pool owns it. */
alcore_status alcore__column_new(alcore_pool *pool, const char *name, const char *origin,
                                 const alcore_column_options *options, alcore__column **out) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__column *column;
    *out = NULL;
    ALCORE__TRY(alcore__column_check_name(name));
    ALCORE__TRY(alcore__column_check_meaning(name, options->meaning, options->log_base));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    column->ctx = ctx;
    column->name = alcore__strndup(ctx, name, strlen(name));
    column->origin = alcore__strndup(ctx, origin, strlen(origin));
    column->row_count = pool->rows;
    column->meaning = options->meaning;
    column->log_scale = options->log_base != 0 ? log(options->log_base) : 1.0;
    alcore_status status =
        column->name && column->origin ? ALCORE_OK : alcore__fail_memory(strlen(name));
    if (status == ALCORE_OK && options->rows)
        status =
            alcore__row_map_new(ctx, options->rows, options->row_count, pool->rows, &column->map);
    if (status != ALCORE_OK) {
        alcore__column_free(column);
        return alcore__fail_within(status, "column \"%s\"", name);
    }
    *out = column;
    return ALCORE_OK;
}

void alcore__column_set_tokens(alcore__column *column, const alcore__column_tokens *tokens) {
    alcore_tokenizer *tokenizer = alcore__object_ref(tokens->tokenizer);
    alcore__object_unref(column->tokens.tokenizer);
    alcore__free(column->ctx, column->tokens.language);
    column->tokens = *tokens;
    column->tokens.tokenizer = tokenizer;
}

/* Frees the values through the column's ops, where it has any yet, then the column itself. NULL
 * does nothing. */
void alcore__column_free(alcore__column *column) {
    if (!column) return;
    alcore_ctx *ctx = column->ctx;
    if (column->ops && column->ops->release) column->ops->release(column);
    alcore__row_map_free(ctx, column->map);
    alcore__object_unref(column->tokens.tokenizer);
    alcore__free(ctx, column->tokens.language);
    alcore__free(ctx, column->name);
    alcore__free(ctx, column->origin);
    alcore__free(ctx, column->warnings);
    alcore__free(ctx, column);
}

/* Frees the memory of a reader's thread, which is empty then and can be used again. */
void alcore__scratch_clear(alcore_ctx *ctx, alcore__scratch *scratch) {
    alcore__free(ctx, scratch->values);
    alcore__free(ctx, scratch->offsets);
    if (scratch->user_free) scratch->user_free(ctx, scratch->user);
    *scratch = (alcore__scratch){0};
}

/* Called by readers before they assemble a block: makes *memory, of *capacity bytes, at least
 * count * bytes long; its content is lost. Memory grows to the largest block and is kept for the
 * next ones. After a failure it is empty. */
alcore_status alcore__scratch_reserve(alcore_ctx *ctx, void **memory, size_t *capacity,
                                      int64_t count, size_t bytes) {
    size_t need;
    if (__builtin_mul_overflow((size_t)count, bytes, &need)) return alcore__fail_memory(SIZE_MAX);
    if (need <= *capacity && *memory) return ALCORE_OK;
    /* Freed and allocated anew: realloc() would copy a content that nobody reads again. */
    alcore__free(ctx, *memory);
    *capacity = 0;
    *memory = alcore__alloc(ctx, need);
    if (!*memory) return alcore__fail_memory(need);
    *capacity = need;
    return ALCORE_OK;
}

/* One pass over offsets [entries + 1]: the first is 0, none is less than the one before it, the
 * last is `tokens`. Every reader of a ragged column relies on what it checks. name: of the column
 * or the path, for messages. */
alcore_status alcore__offsets_check(const char *name, const int64_t *offsets, int64_t entries,
                                    int64_t tokens) {
    if (offsets[0] != 0)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": the first offset is %" PRId64 ", expected 0", name,
                            offsets[0]);
    for (int64_t i = 0; i < entries; i++)
        if (offsets[i + 1] < offsets[i])
            return alcore__fail(ALCORE_E_DATA,
                                "column \"%s\": offset %" PRId64 " is %" PRId64
                                ", less than the one before it, %" PRId64,
                                name, i + 1, offsets[i + 1], offsets[i]);
    if (offsets[entries] != tokens)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column \"%s\": the last offset is %" PRId64 ", but there are %" PRId64
                            " tokens",
                            name, offsets[entries], tokens);
    return ALCORE_OK;
}

/* Index in pool->columns; -1 when there is no column of that name. */
static int64_t column_index(const alcore_pool *pool, const char *name) {
    for (size_t i = 0; i < pool->column_count; i++)
        if (strcmp(pool->columns[i]->name, name) == 0) return (int64_t)i;
    return -1;
}

/* The column of a name, NULL when there is none; valid until it is replaced or dropped, so while
 * the caller holds a lock of the pool. */
const alcore__column *alcore__pool_find_column(const alcore_pool *pool, const char *name) {
    const int64_t index = column_index(pool, name);
    return index >= 0 ? pool->columns[index] : NULL;
}

/* The same for a caller who holds the pool's lock for writing and changes the column. */
alcore__column *alcore__pool_change_column(alcore_pool *pool, const char *name) {
    const int64_t index = column_index(pool, name);
    return index >= 0 ? pool->columns[index] : NULL;
}

/* Replaces the origin of a column by that of a derived pool; after a failure the old one stays. */
alcore_status alcore__column_mark_derived(alcore__column *column) {
    char *origin =
        alcore__strndup(column->ctx, ALCORE__ORIGIN_DERIVED, strlen(ALCORE__ORIGIN_DERIVED));
    if (!origin) return alcore__fail_memory(sizeof ALCORE__ORIGIN_DERIVED);
    alcore__free(column->ctx, column->origin);
    column->origin = origin;
    return ALCORE_OK;
}

const alcore__column *alcore__pool_column_at(const alcore_pool *pool, int64_t index) {
    return index >= 0 && (size_t)index < pool->column_count ? pool->columns[index] : NULL;
}

/* Whether a caller set the column or had it read from a file. */
bool alcore__column_is_given(const alcore__column *column) {
    return !column->engine && strcmp(column->origin, ALCORE__ORIGIN_DERIVED) != 0;
}

/* Replaces the column of the same name, which is freed, or appends the column. Only the second can
 * fail, for lack of memory, and column is then still the caller's. The pool is locked for writing.
 */
alcore_status alcore__pool_put_column(alcore_pool *pool, alcore__column *column) {
    const int64_t index = column_index(pool, column->name);
    if (index >= 0) {
        alcore__column_free(pool->columns[index]);
        pool->columns[index] = column;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__grow(pool->object.ctx, &pool->columns, &pool->column_capacity,
                             pool->column_count + 1, sizeof(alcore__column *)));
    pool->columns[pool->column_count++] = column;
    return ALCORE_OK;
}

/* Fails for a name that no column has, and names the most similar of the first 64 columns, because
 * a misspelled name is the usual reason. */
static alcore_status fail_no_column(const alcore_pool *pool, const char *name) {
    const char *names[64];
    size_t count = 0;
    for (; count < pool->column_count && count < 64; count++)
        names[count] = pool->columns[count]->name;
    const char *nearest = alcore__nearest_name(name, names, count);
    return alcore__fail(ALCORE_E_NOT_FOUND, "the pool has no column \"%s\"%s%s%s", name,
                        nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                        nearest ? "\"?" : "");
}

/* *out: the column of a name; for public calls, whose name may be NULL or wrong. */
alcore_status alcore__pool_get_column(const alcore_pool *pool, const char *name,
                                      const alcore__column **out) {
    if (!name) return alcore__fail(ALCORE_E_INVALID, "name is NULL");
    *out = alcore__pool_find_column(pool, name);
    return *out ? ALCORE_OK : fail_no_column(pool, name);
}

/* Frees the column of a name and closes the gap in the list of columns, whose order stays. */
static alcore_status drop_column(alcore_pool *pool, const char *name) {
    const alcore__column *column;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    const size_t index = (size_t)column_index(pool, name);
    alcore__column_free(pool->columns[index]);
    pool->column_count--;
    memmove(&pool->columns[index], &pool->columns[index + 1],
            (pool->column_count - index) * sizeof *pool->columns);
    return ALCORE_OK;
}

alcore_status alcore_pool_drop_column(alcore_pool *pool, const char *name) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, drop_column(pool, name));
}

const char *alcore_pool_column_name(const alcore_pool *pool, int64_t index) {
    if (!pool || index < 0 || (size_t)index >= pool->column_count) return NULL;
    return pool->columns[index]->name;
}

bool alcore__column_names_source_rows(const alcore_pool *pool, const char *name) {
    const alcore__column_name *known = pool->source ? alcore__column_name_find(name) : NULL;
    return known && known->is_row;
}

/* Called for every column that is set, so that a phrase never points to a row that the source pool
 * lacks: values [count] of a column that is known to have rows of the source (first_row,
 * source_rows) are checked, and these are integers; anything else passes. INT64_MIN, and INT32_MIN
 * of int32, stand for no value. */
alcore_status alcore__column_check_source_rows(const alcore_pool *pool, const char *name,
                                               int32_t dtype, const char *values, int64_t count) {
    if (!alcore__column_names_source_rows(pool, name)) return ALCORE_OK;
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    const int64_t source_rows = alcore_pool_row_count(pool->source);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = alcore__read_integer(dtype, values + (size_t)i * bytes);
        if (row != INT64_MIN && (row < 0 || row >= source_rows))
            return alcore__fail(ALCORE_E_NOT_FOUND,
                                "column \"%s\": value %" PRId64 " is %" PRId64
                                ", but the source pool has %" PRId64 " rows",
                                name, i, row, source_rows);
    }
    return ALCORE_OK;
}

int32_t alcore__column_shape(const alcore__column *column) {
    const alcore__memory_array *array = alcore__column_memory(column);
    /* A matrix of one column is dense where its array says so, and scalar otherwise. */
    const bool dense = column->dims > 1 || (array && array->shape[1] > 0);
    if (column->ragged) return dense ? ALCORE_COLUMN_RAGGED_DENSE : ALCORE_COLUMN_RAGGED;
    return dense ? ALCORE_COLUMN_DENSE : ALCORE_COLUMN_SCALAR;
}

/* Fills in the public description of a column; out->size says how much of the struct the caller
 * knows. info.origin is a view, valid until the column is replaced or dropped. */
static alcore_status describe_column(const alcore_pool *pool, const char *name,
                                     alcore_column_info *out) {
    const alcore__column *column;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    const alcore_column_info info = {.size = sizeof info,
                                     .dtype = column->dtype,
                                     .shape = alcore__column_shape(column),
                                     .meaning = column->meaning,
                                     .in_file = column->in_file,
                                     .width = column->dims,
                                     .entries =
                                         column->map ? column->map->count : column->row_count,
                                     .origin = column->origin};
    return alcore__struct_write(out, &info, sizeof info,
                                ALCORE__FIRST_SIZE(alcore_column_info, origin),
                                "alcore_column_info");
}

alcore_status alcore_pool_get_column_info(const alcore_pool *pool, const char *name,
                                          alcore_column_info *out) {
    ALCORE__TRY(alcore__pool_read_begin(pool));
    return alcore__pool_read_end(pool, describe_column(pool, name, out));
}
