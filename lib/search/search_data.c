/* SPDX-License-Identifier: Apache-2.0 */
/* One operand of a search: a matrix of the caller, read in place, or a column of a pool, read in
 * blocks into scratch memory; either with a mask of rows that are left out.
 *
 * Members of alcore__search_data (search_data.h):
 *
 *     name         what messages call the operand: "rows", "queries", "others",
 *                  "source", "target"
 *     count, dims  rows, and components of each
 *     matrix       [count, dims] the caller's, borrowed, in host memory or on a CUDA device; or
 *     column, pool the column of a pool, which is locked for reading; NULL for a matrix
 *     device       number of the CUDA device that the values are on; -1: host memory, or a file
 *     stream       the caller's stream: a matrix is ready in it, and results are written in it
 *     mask         [count] 1: the row is compared; NULL: all are; owned_mask is the same array
 *                  where it was made here
 *     normalize    1: rows are compared as unit vectors */
#include "search/search_data.h"

#include <math.h>

#include "kernel/device_array.h"
#include "kernel/kernels.h"

/* The caller's mask, if there is one, must have an entry for each row, and none is told without it;
 * data->count is set. */
static alcore_status check_mask(const alcore_search_data *given, const alcore__search_data *data) {
    if (given->mask_count == (given->mask ? data->count : 0)) return ALCORE_OK;
    if (!given->mask)
        return alcore__fail(ALCORE_E_SHAPE, "%s: mask_count is %lld without a mask", data->name,
                            (long long)given->mask_count);
    return alcore__fail(ALCORE_E_SHAPE, "%s: mask has %lld entries for %lld rows", data->name,
                        (long long)given->mask_count, (long long)data->count);
}

/* Reads an operand that the caller gave as a tensor [rows, dims], which is read in place, with its
 * optional mask [rows] (1: the row is compared), which is borrowed until the search ends. A matrix
 * on a device is ready in the order of the caller's stream, which is waited for here, so that the
 * search can use streams of its own. */
static alcore_status begin_matrix(const alcore_search_data *given, alcore__search_data *data) {
    ALCORE__TRY(alcore__tensor_view_any(given->matrix, data->name, &data->matrix));
    if (given->matrix->ndim != 2)
        return alcore__fail(ALCORE_E_SHAPE, "%s: a matrix [rows, dims] is expected", data->name);
    if (!alcore__dtype_is_float(data->matrix.dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: float16, bfloat16, float32 or float64 numbers are expected, got "
                            "%s",
                            data->name, alcore__dtype_name(data->matrix.dtype));
    data->count = data->matrix.rows;
    data->dims = data->matrix.columns;
    data->mask = given->mask;
    ALCORE__TRY(check_mask(given, data));
    if (!data->matrix.on_device) return ALCORE_OK;
    alcore__engine opened; /* opened again once the device of the other operand is known */
    data->device = data->matrix.device;
    return alcore__device_array_open(data->ctx, &data->matrix, given->stream, data->name, &opened);
}

/* Makes the mask of a pool's rows, owned_mask [count], 1 for rows that are compared: rows with a
 * state other than ALCORE_ROW_LABELED (duplicates, filtered rows, ...) are no neighbors (spec 1.9),
 * and neither are those that the caller's mask leaves out. A label alone masks no row. */
static alcore_status mask_rows(const alcore_search_data *given, alcore__search_data *data) {
    const uint32_t *states = alcore_pool_states(data->pool);
    const uint32_t masks = ~(uint32_t)ALCORE_ROW_LABELED;
    ALCORE__TRY(alcore__new_array(data->ctx, (size_t)data->count, 1, &data->owned_mask));
    for (int64_t i = 0; i < data->count; i++)
        data->owned_mask[i] = !(states[i] & masks) && (!given->mask || given->mask[i]);
    data->mask = data->owned_mask;
    return ALCORE_OK;
}

/* Reads an operand that is a column of a pool, "embeddings" unless the caller names another. The
 * pool stays locked for reading until the search ends: data->pool is set once it is locked, and
 * alcore__search_data_end() unlocks it, also after a failure here. Rows that the pool or the
 * caller's mask leaves out need no value. */
static alcore_status begin_column(const alcore_search_data *given, alcore__search_data *data) {
    const alcore_pool *pool = given->pool;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    data->pool = pool;
    ALCORE__TRY(
        alcore__pool_get_column(pool, given->column ? given->column : "embeddings", &data->column));
    if (data->column->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "%s: column \"%s\" is ragged; a row is one vector",
                            data->name, data->column->name);
    if (!alcore__dtype_is_float(data->column->dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: column \"%s\" is not of a float dtype; a search compares values "
                            "in float16, bfloat16, float32 or float64",
                            data->name, data->column->name);
    data->device = alcore__column_device(data->column);
    data->count = alcore_pool_row_count(pool);
    data->dims = data->column->dims;
    ALCORE__TRY(check_mask(given, data));
    ALCORE__TRY(mask_rows(given, data));
    for (int64_t i = 0; i < data->count; i++) {
        if (data->mask[i] && !alcore__column_has(data->column, i))
            return alcore__fail(ALCORE_E_MISSING, "%s: column \"%s\" has no value for row %lld",
                                data->name, data->column->name, (long long)i);
    }
    return ALCORE_OK;
}

/* Called for each operand when a search begins. *out may be ended after a failure too. name: what
 * messages call the operand; it is kept, not copied. given may be the struct of an older or newer
 * release: as many bytes are copied to `ours` as its size says, what it lacks is 0, and bytes that
 * this release does not know must be 0. `reserved` must be 0; it ends the first release's struct.
 * Only pointers are copied: matrix, mask and pool stay the caller's until the search ends. */
alcore_status alcore__search_data_begin(alcore_ctx *ctx, const alcore_search_data *given,
                                        const char *name, alcore__search_data *out) {
    alcore_search_data ours;
    *out = (alcore__search_data){.ctx = ctx, .name = name, .device = -1};
    if (!given) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", name);
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_search_data, reserved), given,
                                    "alcore_search_data"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, name));
    if (ours.normalize != 0 && ours.normalize != 1)
        return alcore__fail(ALCORE_E_INVALID, "%s: normalize is 0 or 1", name);
    if (!ours.matrix == !ours.pool)
        return alcore__fail(ALCORE_E_INVALID, "%s: either a matrix or a pool is needed", name);
    if (ours.matrix && ours.column)
        return alcore__fail(ALCORE_E_INVALID, "%s: column \"%s\" is of a pool; a matrix is given",
                            name, ours.column);
    out->normalize = ours.normalize;
    out->stream = ours.stream;
    return ours.matrix ? begin_matrix(&ours, out) : begin_column(&ours, out);
}

/* Frees the mask and unlocks the pool; on an operand that was never begun, or twice, it does
 * nothing.
 */
void alcore__search_data_end(alcore__search_data *data) {
    alcore__free(data->ctx, data->owned_mask);
    if (data->pool) alcore__read_end(data->pool);
    data->owned_mask = NULL;
    data->pool = NULL;
}

/* Called when the operands are read: which device they are on decides where no device is named. */
alcore_status alcore__search_data_engine(const alcore__search_data *rows,
                                         const alcore__search_data *others, const char *device,
                                         alcore__engine *out) {
    alcore__placement placement = {0};
    ALCORE__TRY(alcore__placement_add(&placement, rows->device, rows->name));
    if (others) ALCORE__TRY(alcore__placement_add(&placement, others->device, others->name));
    return alcore__engine_open_at(rows->ctx, device, &placement, out);
}

/* Rows first .. first + count - 1 of an operand, all of which exist, as kernels of the search's
 * engine read them: in place for a matrix and for a column on the engine's device; else in scratch
 * memory, where they stay until its next use. out->first is the row of the operand; out->unit 1
 * tells the kernel to compare unit vectors. */
alcore_status alcore__search_data_rows(const alcore__search_data *data,
                                       const alcore__engine *engine, int64_t first, int64_t count,
                                       alcore__scratch *scratch, alcore_sys_rows *out) {
    if (data->column) {
        ALCORE__TRY(alcore__column_rows_on(data->column, engine, first, count, scratch, out));
    } else {
        const alcore__array *matrix = &data->matrix;
        *out = (alcore_sys_rows){
            .data = (const char *)matrix->data +
                    first * matrix->stride * (int64_t)alcore_sys_dtype_bytes(matrix->dtype),
            .count = count,
            .dims = matrix->columns,
            .stride = matrix->stride,
            .dtype = matrix->dtype,
        };
    }
    /* A row of a column without a value reads as NaN. Only masked rows lack one (begin_column()),
     * and kernels leave them out. */
    out->first = first;
    out->unit = data->normalize;
    return ALCORE_OK;
}

/* Called when the blocks of a search are sized. A column has no memory for rows that were added to
 * the pool after it was set: a block with one of them is put together in scratch memory. */
bool alcore__search_data_in_place(const alcore__search_data *data, const alcore__engine *engine) {
    return !data->column || (alcore__column_in_place(data->column, engine) &&
                             data->count <= data->column->row_count);
}

/* Fails with ALCORE_E_DATA for row i of the block `rows` (from 0), whose sum of squares is too
 * large or no number, and names the row of the operand and the component, both from 0, that is not
 * finite, or says that all are and their squares overflow. */
static alcore_status fail_row(const alcore__search_data *data, const alcore__engine *engine,
                              const alcore_sys_rows *rows, int64_t i) {
    alcore_sys_rows one = *rows;
    alcore_sys_work work = alcore__engine_work(engine);
    double *values;
    one.data =
        (const char *)rows->data + i * rows->stride * (int64_t)alcore_sys_dtype_bytes(rows->dtype);
    one.count = 1;
    ALCORE__TRY(alcore__new_array(data->ctx, (size_t)rows->dims, sizeof *values, &values));
    alcore_status status = engine->kernels->widen(&work, &one, NULL, values);
    for (int64_t j = 0; j < rows->dims && status == ALCORE_OK; j++) {
        if (isfinite(values[j])) continue;
        status = alcore__fail(ALCORE_E_DATA, "%s: row %lld has the value %s at %lld", data->name,
                              (long long)(rows->first + i), isnan(values[j]) ? "NaN" : "infinity",
                              (long long)j);
    }
    alcore__free(data->ctx, values);
    if (status != ALCORE_OK) return status;
    return alcore__fail(ALCORE_E_DATA,
                        "%s: row %lld is longer than %g, so that sums of its squares overflow; "
                        "divide all vectors by one number",
                        data->name, (long long)(rows->first + i), sqrt(ALCORE__MAX_SQUARE));
}

/* Fails with the name of the first unmasked row of a block that has a value that is not finite, or
 * squares that overflow. The sums of squares, dots [rows->count] (workspace; entries of masked rows
 * are not read), find the rows to look at; they are computed from the values as given, not from
 * unit vectors. */
alcore_status alcore__search_data_check(const alcore__search_data *data,
                                        const alcore__engine *engine, const alcore_sys_rows *rows,
                                        double *dots) {
    alcore_sys_work work = alcore__engine_work(engine);
    const uint8_t *mask = alcore__search_data_mask(data, rows->first);
    alcore_sys_rows given = *rows;
    given.unit = 0;
    ALCORE__TRY(engine->kernels->self_dots(&work, &given, mask, dots));
    for (int64_t i = 0; i < rows->count; i++) {
        if ((!mask || mask[i]) && !(dots[i] <= ALCORE__MAX_SQUARE))
            return fail_row(data, engine, &given, i);
    }
    return ALCORE_OK;
}
