/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's columns by name. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pool/column_array.h"

alcore_status alcore__column_options_read(const alcore_pool *pool,
                                          const alcore_column_options *theirs,
                                          alcore_column_options *ours, int64_t *out_entries) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_column_options, format), theirs,
                                    "alcore_column_options"));
    if (ours->ownership != ALCORE_KEEP && ours->ownership != ALCORE_BORROW)
        return alcore__fail(ALCORE_E_INVALID, "ownership is %d; expected ALCORE_KEEP or _BORROW",
                            ours->ownership);
    if (ours->meaning < ALCORE_MEANS_DEFAULT || ours->meaning > ALCORE_MEANS_LOGITS)
        return alcore__fail(ALCORE_E_INVALID, "meaning is %d; expected ALCORE_MEANS_*",
                            ours->meaning);
    if (ours->log_base != 0 && (!(ours->log_base > 1) || isinf(ours->log_base)))
        return alcore__fail(ALCORE_E_INVALID,
                            "log_base is %g; expected a number above 1, or 0 for e",
                            ours->log_base);
    if (ours->row_count < 0 || (ours->rows == NULL && ours->row_count > 0))
        return alcore__fail(ALCORE_E_INVALID, "row_count is %" PRId64 " with rows at %p",
                            ours->row_count, (const void *)ours->rows);
    *out_entries = ours->rows != NULL ? ours->row_count : pool->rows;
    return ALCORE_OK;
}

alcore_status alcore__column_new(alcore_pool *pool, const char *name, const char *origin,
                                 const alcore_column_options *options, alcore__column **out) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__column *column;
    *out = NULL;
    if (name == NULL || name[0] == '\0')
        return alcore__fail(ALCORE_E_INVALID, "a column needs a name");
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    column->ctx = ctx;
    column->name = alcore__strndup(ctx, name, strlen(name));
    column->origin = alcore__strndup(ctx, origin, strlen(origin));
    column->row_count = pool->rows;
    column->meaning = options->meaning;
    column->log_scale = options->log_base != 0 ? log(options->log_base) : 1.0;
    alcore_status status = column->name != NULL && column->origin != NULL
                               ? ALCORE_OK
                               : alcore__fail_memory(strlen(name));
    if (status == ALCORE_OK && options->rows != NULL)
        status =
            alcore__row_map_new(ctx, options->rows, options->row_count, pool->rows, &column->map);
    if (status != ALCORE_OK) {
        alcore__column_free(column);
        return alcore__fail_within(status, "column \"%s\"", name);
    }
    *out = column;
    return ALCORE_OK;
}

void alcore__column_free(alcore__column *column) {
    if (column == NULL) return;
    alcore_ctx *ctx = column->ctx;
    if (column->ops != NULL && column->ops->release != NULL) column->ops->release(column);
    alcore__row_map_free(ctx, column->map);
    alcore__free(ctx, column->name);
    alcore__free(ctx, column->origin);
    alcore__free(ctx, column);
}

void alcore__scratch_clear(alcore_ctx *ctx, alcore__scratch *scratch) {
    alcore__free(ctx, scratch->values);
    alcore__free(ctx, scratch->offsets);
    if (scratch->user_free != NULL) scratch->user_free(ctx, scratch->user);
    *scratch = (alcore__scratch){0};
}

alcore_status alcore__scratch_room(alcore_ctx *ctx, void **memory, size_t *have, int64_t count,
                                   size_t bytes) {
    size_t need;
    if (__builtin_mul_overflow((size_t)count, bytes, &need)) return alcore__fail_memory(SIZE_MAX);
    if (need <= *have && *memory != NULL) return ALCORE_OK;
    /* What was in it is of no more use: no need to copy it. */
    alcore__free(ctx, *memory);
    *have = 0;
    *memory = alcore__alloc(ctx, need);
    if (*memory == NULL) return alcore__fail_memory(need);
    *have = need;
    return ALCORE_OK;
}

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

static int64_t position_of(const alcore_pool *pool, const char *name) {
    for (size_t i = 0; i < pool->column_count; i++)
        if (strcmp(pool->columns[i]->name, name) == 0) return (int64_t)i;
    return -1;
}

const alcore__column *alcore__pool_find_column(const alcore_pool *pool, const char *name) {
    const int64_t at = position_of(pool, name);
    return at >= 0 ? pool->columns[at] : NULL;
}

alcore_status alcore__pool_put_column(alcore_pool *pool, alcore__column *column) {
    const int64_t at = position_of(pool, column->name);
    if (at >= 0) {
        alcore__column_free(pool->columns[at]);
        pool->columns[at] = column;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__grow(pool->object.ctx, &pool->columns, &pool->column_capacity,
                             pool->column_count + 1, sizeof(alcore__column *)));
    pool->columns[pool->column_count++] = column;
    return ALCORE_OK;
}

/* A misspelt name is the usual reason: names the nearest one. */
static alcore_status fail_no_column(const alcore_pool *pool, const char *name) {
    const char *names[64];
    size_t count = 0;
    for (; count < pool->column_count && count < 64; count++)
        names[count] = pool->columns[count]->name;
    const char *nearest = alcore__nearest_name(name, names, count);
    return alcore__fail(ALCORE_E_NOT_FOUND, "the pool has no column \"%s\"%s%s%s", name,
                        nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "\"?" : "");
}

alcore_status alcore__pool_get_column(const alcore_pool *pool, const char *name,
                                      const alcore__column **out) {
    if (name == NULL) return alcore__fail(ALCORE_E_INVALID, "name is NULL");
    *out = alcore__pool_find_column(pool, name);
    return *out != NULL ? ALCORE_OK : fail_no_column(pool, name);
}

static alcore_status drop_column(alcore_pool *pool, const char *name) {
    const alcore__column *column;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    const size_t at = (size_t)position_of(pool, name);
    alcore__column_free(pool->columns[at]);
    pool->column_count--;
    memmove(&pool->columns[at], &pool->columns[at + 1],
            (pool->column_count - at) * sizeof *pool->columns);
    return ALCORE_OK;
}

alcore_status alcore_pool_drop_column(alcore_pool *pool, const char *name) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    return alcore__pool_change_end(pool, drop_column(pool, name));
}

const char *alcore_pool_column_name(const alcore_pool *pool, int64_t index) {
    if (pool == NULL || index < 0 || (size_t)index >= pool->column_count) return NULL;
    return pool->columns[index]->name;
}

int64_t alcore_pool_column_width(const alcore_pool *pool, const char *name) {
    const int64_t at = pool != NULL && name != NULL ? position_of(pool, name) : -1;
    return at >= 0 ? pool->columns[at]->dims : 0;
}

/* ---- views and copies ---- */

static alcore_status view_column(const alcore_pool *pool, const char *name,
                                 alcore_tensor *out_values, alcore_tensor *out_offsets) {
    const alcore__column *column;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    const alcore__memory_array *array = alcore__column_memory(column);
    if (array == NULL || column->map != NULL)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "column \"%s\" (%s) is no array in memory with one entry per row; "
                            "alcore_pool_column_rows() copies its rows",
                            name, column->origin);
    /* A tensor is written through by nobody; DLPack has no const. */
    alcore__memory_array *writable = (alcore__memory_array *)(uintptr_t)array;
    ALCORE__TRY(alcore_tensor_init(out_values, (void *)(uintptr_t)array->values, column->dtype,
                                   array->shape[1] > 0 ? 2 : 1, writable->shape));
    if (array->stride != column->dims) out_values->strides = writable->strides;
    if (out_offsets == NULL || array->offsets == NULL) return ALCORE_OK;
    return alcore_tensor_init(out_offsets, (void *)(uintptr_t)array->offsets, ALCORE_INT64, 1,
                              writable->offsets_shape);
}

alcore_status alcore_pool_column(const alcore_pool *pool, const char *name,
                                 alcore_tensor *out_values, alcore_tensor *out_offsets) {
    if (out_values != NULL) memset(out_values, 0, sizeof *out_values);
    if (out_offsets != NULL) memset(out_offsets, 0, sizeof *out_offsets);
    ALCORE__TRY(alcore__pool_read_begin(pool));
    if (out_values == NULL)
        return alcore__pool_read_end(pool, alcore__fail(ALCORE_E_INVALID, "out_values is NULL"));
    return alcore__pool_read_end(pool, view_column(pool, name, out_values, out_offsets));
}

static void widen_rows(const alcore_sys_rows *block, double *out) {
    const size_t bytes = alcore__dtype_bytes(block->dtype);
    for (int64_t i = 0; i < block->count; i++) {
        const char *row = (const char *)block->data + (size_t)(i * block->stride) * bytes;
        for (int64_t j = 0; j < block->dims; j++)
            *out++ = alcore__widen(block->dtype, row + (size_t)j * bytes);
    }
}

static alcore_status copy_rows(const alcore_pool *pool, const char *name, const int64_t *rows,
                               int64_t count, double *out) {
    const alcore__column *column;
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    if (column->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\" is ragged: its rows differ in length",
                            name);
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    if (count > 0 && out == NULL) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    for (int64_t i = 0; i < count && status == ALCORE_OK;) {
        /* Rows that follow one another are read at once. */
        int64_t run = 1;
        while (run < 1024 && i + run < count && rows[i + run] == rows[i] + run) run++;
        alcore_sys_rows block;
        ALCORE__TRY_GOTO(status, done, alcore__tick(column->ctx, "reading", i, count));
        ALCORE__TRY_GOTO(status, done, column->ops->rows(column, rows[i], run, &scratch, &block));
        widen_rows(&block, out + i * column->dims);
        i += run;
    }
done:
    alcore__scratch_clear(column->ctx, &scratch);
    return status;
}

alcore_status alcore_pool_column_rows(const alcore_pool *pool, const char *name,
                                      const int64_t *rows, int64_t count, double *out) {
    ALCORE__TRY(alcore__pool_read_begin(pool));
    return alcore__pool_read_end(pool, copy_rows(pool, name, rows, count, out));
}
