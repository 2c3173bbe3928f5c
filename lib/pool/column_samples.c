/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of arrays [samples, rows, classes], as n passes of a model or n models make them one
 * after the other: np.stack([model(x) for _ in range(n)]). A ragged column keeps the samples of a
 * row side by side, so that a block of rows is one piece of memory:
 *
 *     value (s, row, c) of the array  ->  token row * samples + s of the column, value c
 *
 * A plane is a sample of all rows. A caller's array that may be read where it lies stays as it is;
 * blocks of it are put together for readers that want the samples of a row side by side
 * (alcore__column_planes() for those that do not). Other arrays in memory are copied piece by piece
 * of the rows, files and devices plane by plane; offsets are the multiples of the number of
 * samples. */
#include <inttypes.h>
#include <string.h>

#include "pool/column_array.h"

enum {
    PIECE_BYTES = 1 << 20, /* of a plane of a file, read at a time */
    COPY_BYTES = 256 << 10 /* of all planes, copied by a task: they stay in the cache of a core */
};

bool alcore__column_takes_samples(const char *name) {
    return strcmp(name, "sample_probs") == 0;
}

/* The error of an array that is not one of samples of every row, one or more, over a class or more.
 */
static alcore_status check_shape(const alcore__column *column, int64_t samples, int64_t rows,
                                 int64_t entries) {
    int64_t count;
    if (rows == entries && samples >= 1 && column->dims >= 1 &&
        !__builtin_mul_overflow(samples, rows, &count))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE,
                        "column \"%s\": expected [samples, %" PRId64 ", classes], found [%" PRId64
                        ", %" PRId64 ", %" PRId64 "]%s",
                        column->name, entries, samples, rows, column->dims,
                        rows != entries && samples == entries
                            ? "; give x.transpose(1, 0, 2): samples come first"
                            : "");
}

/* Checks the shape of samples, each with column->dims classes, and fills array but for its values
 * and where they lie. *out_count: samples of all rows. */
static alcore_status begin_samples(alcore__column *column, int64_t samples, int64_t rows,
                                   int64_t entries, alcore__memory_array *array,
                                   int64_t *out_count) {
    ALCORE__TRY(check_shape(column, samples, rows, entries));
    *out_count = samples * rows;
    ALCORE__TRY(alcore__new_array(column->ctx, (size_t)rows + 1, sizeof *array->offsets,
                                  &array->owned_offsets));
    array->offsets = array->owned_offsets;
    array->shape[1] = column->dims;
    for (int64_t i = 0; i <= rows; i++) array->offsets[i] = i * samples;
    return ALCORE_OK;
}

/* Allocates the values of a copy of `count` samples. */
static alcore_status begin_copy(const alcore__column *column, int64_t count,
                                alcore__memory_array *array) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    ALCORE__TRY(alcore__new_array(column->ctx, (size_t)count, bytes, &array->owned_values));
    array->values = array->owned_values;
    array->stride = column->dims;
    return ALCORE_OK;
}

/* Puts rows first .. first + count - 1 of a sample, which lie `stride` values apart at `from`, to
 * their places. */
static void put_rows(const alcore__column *column, const alcore__memory_array *array,
                     int64_t samples, int64_t sample, int64_t first, int64_t count,
                     const char *from, int64_t stride) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    const size_t row_bytes = (size_t)column->dims * bytes;
    for (int64_t i = 0; i < count; i++)
        memcpy(array->values + (size_t)((first + i) * samples + sample) * row_bytes,
               from + (size_t)(i * stride) * bytes, row_bytes);
}

/* ---- arrays ---- */

/* The matrix of one sample of a tensor of three dimensions. */
static alcore_tensor plane_of(const alcore_tensor *values, int64_t sample) {
    const uint64_t step = values->strides ? (uint64_t)values->strides[0]
                                          : (uint64_t)values->shape[1] * (uint64_t)values->shape[2];
    alcore_tensor plane = *values;
    plane.ndim = 2;
    plane.shape = values->shape + 1;
    plane.strides = values->strides ? values->strides + 1 : NULL;
    plane.byte_offset += (uint64_t)sample * step * ((values->dtype.bits + 7u) / 8);
    return plane;
}

/* Describes the caller's array as it lies on the host; it was checked by its first sample. */
static void describe_host(const alcore__column *column, const alcore_tensor *values,
                          alcore__memory_array *array) {
    const int64_t *strides = values->strides;
    array->values = (char *)values->data + values->byte_offset;
    array->samples = values->shape[0];
    array->stride = strides ? strides[1] : column->dims;
    array->sample_stride = strides ? strides[0] : values->shape[1] * column->dims;
    memcpy(array->sample_shape, values->shape, sizeof array->sample_shape);
    array->sample_strides[0] = array->sample_stride;
    array->sample_strides[1] = array->stride;
    array->sample_strides[2] = 1;
}

/* Rows whose samples stay in the cache while they are copied. */
static int64_t piece_rows_of(const alcore__column *column, int64_t samples) {
    const int64_t row_bytes =
        samples * column->dims * (int64_t)alcore_sys_dtype_bytes(column->dtype);
    return row_bytes < COPY_BYTES ? COPY_BYTES / row_bytes : 1;
}

/* Copies the samples of rows first .. first + count - 1 of an array that lies where it is. */
static void copy_samples(const alcore__column *column, const alcore__memory_array *from,
                         int64_t first, int64_t count, char *destination) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    const size_t sample_bytes = (size_t)column->dims * bytes;
    for (int64_t s = 0; s < from->samples; s++) {
        const char *sample =
            from->values + (size_t)(first * from->stride + s * from->sample_stride) * bytes;
        for (int64_t i = 0; i < count; i++)
            memcpy(destination + (size_t)(i * from->samples + s) * sample_bytes,
                   sample + (size_t)(i * from->stride) * bytes, sample_bytes);
    }
}

void alcore__samples_fetch(const alcore__column *column, int64_t token, int64_t count,
                           char *destination) {
    const alcore__memory_array *from = column->data;
    const int64_t begin = token / from->samples, end = begin + count / from->samples;
    const int64_t piece = piece_rows_of(column, from->samples);
    const size_t row_bytes =
        (size_t)(from->samples * column->dims) * alcore_sys_dtype_bytes(column->dtype);
    for (int64_t first = begin; first < end; first += piece)
        copy_samples(column, from, first, end - first < piece ? end - first : piece,
                     destination + (size_t)(first - begin) * row_bytes);
}

/* An array on the host that is being copied. */
typedef struct copy_work {
    const alcore__column *column;
    const alcore__memory_array *to;
    alcore__memory_array from;
    int64_t rows, piece; /* in all, and of a task */
} copy_work;

/* Task: copies all samples of the rows of one piece, whose places are adjacent. */
static alcore_status copy_piece(void *data, int64_t index, int32_t worker) {
    const copy_work *work = data;
    const int64_t first = index * work->piece, left = work->rows - first;
    const size_t row_bytes = (size_t)(work->from.samples * work->column->dims) *
                             alcore_sys_dtype_bytes(work->column->dtype);
    (void)worker;
    copy_samples(work->column, &work->from, first, left < work->piece ? left : work->piece,
                 work->to->values + (size_t)first * row_bytes);
    return ALCORE_OK;
}

static alcore_status copy_host(const alcore__column *column, const alcore_tensor *values,
                               const alcore__memory_array *array) {
    copy_work work = {.column = column, .to = array, .rows = values->shape[1]};
    describe_host(column, values, &work.from);
    work.piece = piece_rows_of(column, work.from.samples);
    const int64_t pieces = (work.rows + work.piece - 1) / work.piece;
    return work.rows > 0 ? alcore__parallel(column->ctx, "copying", pieces, copy_piece, &work)
                         : ALCORE_OK;
}

/* Copies an array on a device sample by sample, each by way of host memory. */
static alcore_status copy_device(const alcore__column *column, const alcore_tensor *values,
                                 void *stream, const alcore__memory_array *array) {
    const int64_t samples = values->shape[0];
    for (int64_t s = 0; s < samples && values->shape[1] > 0; s++) {
        const alcore_tensor tensor = plane_of(values, s);
        alcore__array plane;
        void *copy;
        ALCORE__TRY(alcore__tick(column->ctx, "copying", s, samples));
        ALCORE__TRY(alcore__column_tensor(column->name, &tensor, &plane));
        ALCORE__TRY(alcore__device_array_fetch(column->ctx, &plane, stream, "the array", &copy));
        put_rows(column, array, samples, s, 0, plane.rows, copy, plane.columns);
        alcore__free(column->ctx, copy);
    }
    return ALCORE_OK;
}

/* Checks a tensor of three dimensions by its first sample and begins the column. */
static alcore_status begin_tensor(alcore__column *column, const alcore_tensor *values,
                                  int64_t entries, alcore__memory_array *array, int64_t *out_count,
                                  bool *out_on_device) {
    alcore__array plane;
    if (!values->shape)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\": the array has no shape", column->name);
    const alcore_tensor tensor = plane_of(values, 0);
    ALCORE__TRY(alcore__column_tensor(column->name, &tensor, &plane));
    ALCORE__TRY(alcore__column_tensor_dtype(column->name, plane.dtype));
    ALCORE__TRY(alcore__tensor_check_span(values, column->name));
    column->dims = plane.columns;
    column->dtype = plane.dtype;
    *out_on_device = plane.on_device;
    return begin_samples(column, values->shape[0], plane.rows, entries, array, out_count);
}

alcore_status alcore__column_set_samples(alcore__column *column, const alcore_tensor *values,
                                         int64_t entries, const alcore_column_options *options,
                                         alcore__memory_array *array, int64_t *out_count) {
    bool on_device = false;
    ALCORE__TRY(begin_tensor(column, values, entries, array, out_count, &on_device));
    if (!on_device && options->ownership == ALCORE_BORROW) {
        describe_host(column, values, array);
        return ALCORE_OK;
    }
    ALCORE__TRY(begin_copy(column, *out_count, array));
    return on_device ? copy_device(column, values, options->stream, array)
                     : copy_host(column, values, array);
}

/* ---- files ---- */

/* Reads the planes piece by piece; piece [piece_rows, classes] is room for one. */
static alcore_status read_planes(const alcore__column *column, alcore__file *file,
                                 const alcore__array_info *info, int64_t rows, int64_t piece_rows,
                                 char *piece, const alcore__memory_array *array) {
    for (int64_t s = 0; s < info->planes; s++)
        for (int64_t first = 0; first < rows; first += piece_rows) {
            const int64_t left = rows - first, count = left < piece_rows ? left : piece_rows;
            ALCORE__TRY(alcore__tick(column->ctx, "reading", s, info->planes));
            ALCORE__TRY(alcore__array_read(file, info, s * rows + first, count, piece));
            put_rows(column, array, info->planes, s, first, count, piece, column->dims);
        }
    return ALCORE_OK;
}

alcore_status alcore__column_read_samples(alcore__column *column, alcore__file *file,
                                          const alcore__array_info *info, int64_t entries,
                                          alcore__memory_array *array, int64_t *out_count) {
    const int64_t rows = info->planes > 0 ? info->shape[0] / info->planes : 0;
    char *piece = NULL;
    column->dims = info->shape[1];
    column->dtype = info->dtype;
    alcore_status status = begin_samples(column, info->planes, rows, entries, array, out_count);
    if (status == ALCORE_E_SHAPE) return alcore__fail_within(status, "%s", alcore__file_path(file));
    if (status != ALCORE_OK) return status;
    ALCORE__TRY(begin_copy(column, *out_count, array));
    const size_t row_bytes = (size_t)column->dims * alcore_sys_dtype_bytes(info->dtype);
    const int64_t piece_rows = row_bytes < PIECE_BYTES ? PIECE_BYTES / (int64_t)row_bytes : 1;
    ALCORE__TRY(alcore__new_array(column->ctx, (size_t)piece_rows, row_bytes, &piece));
    status = read_planes(column, file, info, rows, piece_rows, piece, array);
    alcore__free(column->ctx, piece);
    return status;
}
