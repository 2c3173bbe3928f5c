/* SPDX-License-Identifier: Apache-2.0 */
#include "search/search_side.h"

#include <math.h>

static alcore_status begin_matrix(const alcore_search_side *given, alcore__search_side *side) {
    ALCORE__TRY(alcore__tensor_view(given->matrix, side->name, &side->matrix));
    if (given->matrix->ndim != 2)
        return alcore__fail(ALCORE_E_SHAPE, "%s: a matrix [rows, dims] is expected", side->name);
    if (!alcore__dtype_is_float(side->matrix.dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: float16, bfloat16, float32 or float64 numbers are expected, got "
                            "%s",
                            side->name, alcore__dtype_name(side->matrix.dtype));
    side->count = side->matrix.rows;
    side->dims = side->matrix.columns;
    side->take = given->take;
    return ALCORE_OK;
}

/* Rows that the pool masks are nobody's neighbors (spec 1.9); a label masks none. */
static alcore_status mask_rows(const alcore_search_side *given, alcore__search_side *side) {
    const uint32_t *states = alcore_pool_states(side->pool);
    const uint32_t masks = ~(uint32_t)ALCORE_ROW_LABELED;
    ALCORE__TRY(alcore__new_array(side->ctx, (size_t)side->count, 1, &side->own_take));
    for (int64_t i = 0; i < side->count; i++)
        side->own_take[i] = !(states[i] & masks) && (!given->take || given->take[i]);
    side->take = side->own_take;
    return ALCORE_OK;
}

static alcore_status begin_column(const alcore_search_side *given, alcore__search_side *side) {
    /* Reading counts readers in the handle: no row changes. */
    alcore_pool *pool = (alcore_pool *)(uintptr_t)given->pool;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    side->pool = pool;
    ALCORE__TRY(
        alcore__pool_get_column(pool, given->column ? given->column : "embeddings", &side->column));
    if (side->column->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "%s: column \"%s\" is ragged; a row is one vector",
                            side->name, side->column->name);
    if (!alcore__dtype_is_float(side->column->dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: column \"%s\" has no floating-point numbers; a search compares "
                            "float16, bfloat16, float32 or float64",
                            side->name, side->column->name);
    side->count = alcore_pool_rows(pool);
    side->dims = side->column->dims;
    ALCORE__TRY(mask_rows(given, side));
    for (int64_t i = 0; i < side->count; i++) {
        if (side->take[i] && !alcore__column_has(side->column, i))
            return alcore__fail(ALCORE_E_MISSING, "%s: column \"%s\" has no value for row %lld",
                                side->name, side->column->name, (long long)i);
    }
    return ALCORE_OK;
}

alcore_status alcore__search_side_begin(alcore_ctx *ctx, const alcore_search_side *given,
                                        const char *name, alcore__search_side *out) {
    alcore_search_side ours;
    *out = (alcore__search_side){.ctx = ctx, .name = name};
    if (!given) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", name);
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_search_side, reserved), given,
                                    "alcore_search_side"));
    if (ours.unit != 0 && ours.unit != 1)
        return alcore__fail(ALCORE_E_INVALID, "%s: unit is 0 or 1", name);
    if (!ours.matrix == !ours.pool)
        return alcore__fail(ALCORE_E_INVALID, "%s: either a matrix or a pool is needed", name);
    out->unit = ours.unit;
    return ours.matrix ? begin_matrix(&ours, out) : begin_column(&ours, out);
}

void alcore__search_side_end(alcore__search_side *side) {
    alcore__free(side->ctx, side->own_take);
    if (side->pool) alcore__read_end(side->pool);
    side->own_take = NULL;
    side->pool = NULL;
}

alcore_status alcore__search_side_rows(const alcore__search_side *side, int64_t first,
                                       int64_t count, alcore__scratch *scratch,
                                       alcore_sys_rows *out) {
    if (side->column) {
        ALCORE__TRY(side->column->ops->rows(side->column, first, count, scratch, out));
    } else {
        const alcore__array *matrix = &side->matrix;
        *out = (alcore_sys_rows){
            .data = (const char *)matrix->data +
                    first * matrix->stride * (int64_t)alcore__dtype_bytes(matrix->dtype),
            .count = count,
            .dims = matrix->columns,
            .stride = matrix->stride,
            .dtype = matrix->dtype,
        };
    }
    out->first = first;
    out->unit = side->unit;
    return ALCORE_OK;
}

/* The sum of squares of finite numbers may be infinite: only the numbers themselves tell. */
static alcore_status check_row(const alcore__search_side *side, const alcore__engine *engine,
                               const alcore_sys_rows *rows, int64_t i) {
    alcore_sys_rows one = *rows;
    alcore_sys_work work = alcore__engine_work(engine);
    double *values;
    one.data =
        (const char *)rows->data + i * rows->stride * (int64_t)alcore__dtype_bytes(rows->dtype);
    one.count = 1;
    ALCORE__TRY(alcore__new_array(side->ctx, (size_t)rows->dims, sizeof *values, &values));
    alcore_status status = engine->kernels->widen(&work, &one, NULL, values);
    for (int64_t j = 0; j < rows->dims && status == ALCORE_OK; j++) {
        if (isfinite(values[j])) continue;
        status = alcore__fail(ALCORE_E_DATA, "%s: row %lld has the value %s at %lld", side->name,
                              (long long)(rows->first + i), isnan(values[j]) ? "NaN" : "infinity",
                              (long long)j);
    }
    alcore__free(side->ctx, values);
    return status;
}

alcore_status alcore__search_side_check(const alcore__search_side *side,
                                        const alcore__engine *engine, const alcore_sys_rows *rows,
                                        double *dots) {
    alcore_sys_work work = alcore__engine_work(engine);
    const uint8_t *take = alcore__search_side_take(side, rows->first);
    alcore_sys_rows given = *rows;
    given.unit = 0;
    ALCORE__TRY(engine->kernels->self_dots(&work, &given, take, dots));
    for (int64_t i = 0; i < rows->count; i++) {
        if ((!take || take[i]) && !isfinite(dots[i]))
            ALCORE__TRY(check_row(side, engine, &given, i));
    }
    return ALCORE_OK;
}
