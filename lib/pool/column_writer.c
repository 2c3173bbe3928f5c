/* SPDX-License-Identifier: Apache-2.0 */
/* Column writers: columns whose values a host puts row by row, in any order and from any thread,
 * such as a model that runs in the host's language. The values are kept in a builder
 * (column_builder.h) until the writer is finished; column_writer_file.c saves them for another
 * process to merge. */
#include "pool/column_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/tensor_view.h"
#include "pool/column_array.h"
#include "pool/pool_internal.h"

/* The destructor of the handle, called when its last reference is released; values that were not
 * finished are lost. */
static void release_writer(void *object) {
    alcore_column_writer *writer = object;
    alcore__builder_clear(&writer->builder);
    alcore__free(writer->object.ctx, writer->name);
    pthread_mutex_destroy(&writer->lock);
    alcore_pool_unref(writer->pool);
}

/* Reads the options of a writer, of which only those that describe the values, and those of values
 * on a device, apply: rows come with each put, and values are copied. */
static alcore_status read_options(const alcore_pool *pool, const alcore_column_options *theirs,
                                  alcore_column_options *ours) {
    int64_t entries;
    ALCORE__TRY(alcore__column_options_read(pool, theirs, ours, &entries));
    if (ours->on_device != 0 && ours->on_device != 1)
        return alcore__fail(ALCORE_E_INVALID, "on_device is %d, not 0 or 1", ours->on_device);
    if (ours->ownership == ALCORE_KEEP && !ours->rows && !ours->offsets && !ours->format &&
        !ours->release_user)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "only meaning, log_base, stream and on_device apply to a column writer, "
                        "which copies");
}

/* Makes a writer for the rows that the pool has now, which is locked for reading; rows that are
 * added later have no values in the column. The fingerprint of the pool goes into saved files, so
 * that they are merged into a writer of the same pool only. The mutex detects a second lock by its
 * owner: a call from a progress callback of the same writer then fails instead of waiting for
 * itself. */
static alcore_status new_writer(alcore_pool *pool, const char *name, int32_t shape,
                                const alcore_column_options *theirs, alcore_column_writer **out) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore_column_options options;
    alcore_column_writer *writer;
    ALCORE__TRY(read_options(pool, theirs, &options));
    ALCORE__TRY(alcore__column_check_name(name));
    ALCORE__TRY(alcore__column_check_meaning(name, options.meaning, options.log_base));
    if (shape < ALCORE_COLUMN_SCALAR || shape > ALCORE_COLUMN_RAGGED_DENSE)
        return alcore__fail(ALCORE_E_INVALID, "shape is %d; expected ALCORE_COLUMN_*", shape);
    ALCORE__TRY(alcore__object_new(ctx, sizeof *writer, release_writer, &writer));
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&writer->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    writer->shape = shape;
    writer->options = options;
    writer->pool_rows = pool->rows;
    writer->pool = alcore_pool_ref(pool);
    writer->fingerprint = pool->fingerprint;
    writer->name = alcore__strndup(ctx, name, strlen(name));
    alcore_status status = writer->name
                               ? alcore__builder_init(&writer->builder, ctx, pool->rows, shape)
                               : alcore__fail_memory(strlen(name) + 1);
    if (status == ALCORE_OK)
        *out = writer;
    else
        alcore__object_unref(writer);
    return status;
}

alcore_status alcore_column_writer_new(alcore_pool *pool, const char *name, int32_t shape,
                                       const alcore_column_options *options,
                                       alcore_column_writer **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__pool_read_begin(pool));
    if (!out) return alcore__pool_read_end(pool, alcore__fail(ALCORE_E_INVALID, "out is NULL"));
    return alcore__pool_read_end(pool, new_writer(pool, name, shape, options, out));
}

alcore_column_writer *alcore_column_writer_ref(alcore_column_writer *writer) {
    return alcore__object_ref(writer);
}

void alcore_column_writer_unref(alcore_column_writer *writer) {
    alcore__object_unref(writer);
}

/* Enters the context by `enter` and locks a writer that is not finished. Every function of a writer
 * that returns a status begins so and ends with end(), from any thread. */
static alcore_status begin_by(alcore_column_writer *writer, alcore_status (*enter)(alcore_ctx *)) {
    alcore_ctx *ctx = writer ? writer->object.ctx : NULL;
    ALCORE__TRY(enter(ctx));
    if (!writer) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "writer is NULL"));
    if (pthread_mutex_lock(&writer->lock) == EDEADLK)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_BUSY, "the column writer is in use by another call"));
    if (!writer->finished) return ALCORE_OK;
    pthread_mutex_unlock(&writer->lock);
    return alcore__leave(
        ctx, alcore__fail(ALCORE_E_INVALID, "the writer of \"%s\" is finished", writer->name));
}

static alcore_status begin(alcore_column_writer *writer) {
    return begin_by(writer, alcore__enter);
}

/* Unlocks the writer and leaves the context; returns status. */
static alcore_status end(alcore_column_writer *writer, alcore_status status) {
    pthread_mutex_unlock(&writer->lock);
    return alcore__leave(writer->object.ctx, status);
}

/* Opens the device of the values, once the work is done that was queued in the stream before the
 * call. */
static alcore_status open_values(const alcore_column_writer *writer, const alcore_tensor *values,
                                 void *stream, alcore__device_input *out) {
    alcore_ctx *ctx = writer->object.ctx;
    ALCORE__TRY(alcore__column_tensor(writer->name, values, &out->array));
    alcore_status status =
        alcore__device_array_open(ctx, &out->array, stream, "the array", &out->engine);
    return status == ALCORE_OK ? status
                               : alcore__fail_within(status, "column \"%s\"", writer->name);
}

/* Checks the caller's tensor, whose strides may be any on the host, and describes it to the builder
 * as a matrix [value_rows, dims] with strides in bytes. The check sees it without strides, as its
 * own check of them is stricter. Values on a device, ready in the order of the stream, are opened
 * in *device. */
static alcore_status describe_values(const alcore_column_writer *writer,
                                     const alcore_tensor *values, void *stream,
                                     alcore__builder_input *input, alcore__device_input *device) {
    const int32_t shape = writer->shape;
    const bool wide = shape == ALCORE_COLUMN_DENSE || shape == ALCORE_COLUMN_RAGGED_DENSE;
    alcore__array array;
    if (!values) return alcore__fail(ALCORE_E_INVALID, "values is NULL");
    alcore_tensor packed = *values;
    packed.strides = NULL;
    ALCORE__TRY(alcore__column_tensor(writer->name, &packed, &array));
    alcore_status status = alcore__column_check_dtype("the values", writer->name, array.dtype);
    if (status != ALCORE_OK) return alcore__fail_within(status, "column \"%s\"", writer->name);
    if ((wide && values->ndim != 2) || (!wide && array.columns != 1) || array.columns < 1)
        return alcore__fail(ALCORE_E_SHAPE, "column \"%s\": expected values %s, found %s",
                            writer->name, wide ? "[rows or tokens, n]" : "[rows or tokens]",
                            values->ndim == 1   ? "1 dimension"
                            : array.columns < 1 ? "0 values per row"
                                                : "2 dimensions");
    status = alcore__tensor_check_span(values, "the values");
    if (status != ALCORE_OK) return alcore__fail_within(status, "column \"%s\"", writer->name);
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(array.dtype);
    input->values = array.data;
    input->value_rows = array.rows;
    input->dims = array.columns;
    input->dtype = array.dtype;
    /* A stride along one row or column means nothing, and may be anything. */
    const bool gaps = values->strides && array.rows > 1,
               steps = values->strides && array.columns > 1;
    input->strides[0] = (gaps ? values->strides[0] : array.columns) * bytes;
    input->strides[1] = (steps ? values->strides[1] : 1) * bytes;
    return array.on_device ? open_values(writer, values, stream, device) : ALCORE_OK;
}

/* Puts a described input: values on a device into memory of it where the writer wants that and it
 * can be, else into host memory. */
static alcore_status put_input(alcore_column_writer *writer, alcore__builder_input *input,
                               alcore__device_input *device) {
    bool done = false;
    const bool is_there = device->engine.kernels;
    if (is_there && writer->options.on_device)
        ALCORE__TRY(alcore__builder_put_there(&writer->builder, writer->name, input, &device->array,
                                              &device->engine, &done));
    if (done) return ALCORE_OK;
    if (is_there) ALCORE__TRY(alcore__device_input_open(device, writer->object.ctx, input));
    alcore_status status = alcore__builder_put(&writer->builder, input);
    alcore__free(writer->object.ctx, device->block);
    return status;
}

/* Copies the values of rows [count], in any order, into the builder, all of them or, on a failure,
 * none; lengths [count]: tokens of each row, NULL for columns that are not ragged. A row that was
 * put before keeps its values. stream: in whose order values on a device are ready. The lock is
 * held. */
static alcore_status put(alcore_column_writer *writer, const int64_t *rows, const int64_t *lengths,
                         int64_t count, const alcore_tensor *values, void *stream) {
    alcore__builder_input input = {.rows = rows, .count = count, .lengths = lengths};
    if (count < 0 || (count > 0 && !rows))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows at %p", count, (const void *)rows);
    if (count > 0 && alcore__builder_ragged(&writer->builder) != (lengths != NULL))
        return alcore__fail(ALCORE_E_INVALID, "column \"%s\" is %s: lengths must %s NULL",
                            writer->name, lengths ? "not ragged" : "ragged",
                            lengths ? "be" : "not be");
    alcore__device_input device = {0};
    ALCORE__TRY(describe_values(writer, values, stream, &input, &device));
    alcore_status status = put_input(writer, &input, &device);
    return status == ALCORE_OK ? status
                               : alcore__fail_within(status, "column \"%s\"", writer->name);
}

alcore_status alcore_column_writer_put(alcore_column_writer *writer, const int64_t *rows,
                                       const int64_t *lengths, int64_t count,
                                       const alcore_tensor *values) {
    ALCORE__TRY(begin(writer));
    return end(writer, put(writer, rows, lengths, count, values, writer->options.stream));
}

alcore_status alcore_column_writer_put_in_stream(alcore_column_writer *writer, const int64_t *rows,
                                                 const int64_t *lengths, int64_t count,
                                                 const alcore_tensor *values, void *stream) {
    ALCORE__TRY(begin(writer));
    return end(writer, put(writer, rows, lengths, count, values, stream));
}

/* ALCORE_COLUMN_*; it never changes, so no lock is needed. */
int32_t alcore__column_writer_shape(const alcore_column_writer *writer) {
    return writer->shape;
}

/* Called by models, which compute only the rows that a request reads. */
void alcore__column_writer_want(alcore_column_writer *writer, const alcore__wanted *wanted) {
    pthread_mutex_lock(&writer->lock);
    writer->wanted = wanted;
    pthread_mutex_unlock(&writer->lock);
}

/* How many rows were put again after they had values; 0 for NULL. May be called from a progress
 * callback of the same writer, where the thread owns the lock already (EDEADLK). object.self is the
 * writer without const, whose lock is needed for reading too. */
int64_t alcore_column_writer_repeats(const alcore_column_writer *writer) {
    if (!writer) return 0;
    alcore_column_writer *locked = writer->object.self;
    const bool owned = pthread_mutex_lock(&locked->lock) == EDEADLK;
    const int64_t repeats = writer->builder.repeats;
    if (!owned) pthread_mutex_unlock(&locked->lock);
    return repeats;
}

/* Counts the unmasked rows (state 0) that are wanted and were not put, and writes the first
 * `capacity` of them, ascending, to rows (NULL with capacity 0). 0 once the writer is finished. The
 * lock is held. */
static int64_t find_missing(const alcore_column_writer *writer, int64_t *rows, int64_t capacity) {
    const alcore__column_builder *builder = &writer->builder;
    int64_t count = 0;
    for (int64_t row = 0; row < builder->pool_rows && !writer->finished; row++) {
        if (builder->entry[row] != 0 || writer->pool->states[row] != 0) continue;
        if (!alcore__is_wanted(writer->wanted, row)) continue;
        if (count < capacity) rows[count] = row;
        count++;
    }
    return count;
}

/* How many unmasked rows that are wanted have no values yet; 0 for NULL and for a finished writer.
 */
int64_t alcore_column_writer_missing_count(const alcore_column_writer *writer) {
    if (!writer) return 0;
    alcore_column_writer *locked = writer->object.self;
    const bool owned = pthread_mutex_lock(&locked->lock) == EDEADLK;
    const int64_t count = find_missing(writer, NULL, 0);
    if (!owned) pthread_mutex_unlock(&locked->lock);
    return count;
}

/* Fills the caller's tensor, int64 [n] of any n, with missing rows and -1 after the last. The lock
 * is held. */
static alcore_status list_missing(const alcore_column_writer *writer, const alcore_tensor *out) {
    alcore__array array;
    ALCORE__TRY(alcore__tensor_view(out, "out", &array));
    ALCORE__TRY(alcore__tensor_output(out, "out", ALCORE_INT64, array.rows, 1, &array));
    int64_t *rows = array.data;
    const int64_t count = find_missing(writer, rows, array.rows);
    for (int64_t i = count; i < array.rows; i++) rows[i] = -1;
    return ALCORE_OK;
}

alcore_status alcore_column_writer_missing(alcore_column_writer *writer, const alcore_tensor *out) {
    ALCORE__TRY(begin(writer));
    return end(writer, list_missing(writer, out));
}

alcore_status alcore_column_writer_save(alcore_column_writer *writer, const char *path) {
    ALCORE__TRY(begin(writer));
    if (!path) return end(writer, alcore__fail(ALCORE_E_INVALID, "path is NULL"));
    alcore_status status = alcore__builder_bring(&writer->builder);
    return end(writer,
               status == ALCORE_OK ? alcore__column_writer_save(writer, path, true) : status);
}

/* begin() of a caller that is within a call. */
static alcore_status begin_within(alcore_column_writer *writer) {
    if (pthread_mutex_lock(&writer->lock) == EDEADLK)
        return alcore__fail(ALCORE_E_BUSY, "the column writer is in use by another call");
    if (!writer->finished) return ALCORE_OK;
    pthread_mutex_unlock(&writer->lock);
    return alcore__fail(ALCORE_E_INVALID, "the writer of \"%s\" is finished", writer->name);
}

alcore_status alcore__column_writer_keep(alcore_column_writer *writer, const char *path) {
    ALCORE__TRY(begin_within(writer));
    alcore_status status = alcore__builder_bring(&writer->builder);
    if (status == ALCORE_OK) status = alcore__column_writer_save(writer, path, false);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

alcore_status alcore__column_writer_join(alcore_column_writer *writer, const char *path) {
    ALCORE__TRY(begin_within(writer));
    const alcore_status status = alcore__column_writer_merge(writer, path, false);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

alcore_status alcore_column_writer_merge(alcore_column_writer *writer, const char *path) {
    ALCORE__TRY(begin_by(writer, alcore__enter_long));
    return end(writer, path ? alcore__column_writer_merge(writer, path, true)
                            : alcore__fail(ALCORE_E_INVALID, "path is NULL"));
}

/* Makes the column and puts it into the pool, which is locked for writing. Unmasked rows without
 * values end the call or, with ALCORE_MISSING_MASK, get the state MISSING, so that they are never
 * selected. */
static alcore_status finish(alcore_column_writer *writer, int32_t missing) {
    alcore_pool *pool = writer->pool;
    int64_t first = -1, *rows = NULL;
    if (missing != ALCORE_MISSING_FAIL && missing != ALCORE_MISSING_MASK)
        return alcore__fail(ALCORE_E_INVALID, "missing is %d; expected ALCORE_MISSING_*", missing);
    const int64_t count = find_missing(writer, &first, 1 /* only the first of them */);
    if (count > 0 && missing == ALCORE_MISSING_FAIL)
        return alcore__fail(ALCORE_E_MISSING,
                            "column \"%s\" has no values for %" PRId64
                            " rows; the first of them is row %" PRId64,
                            writer->name, count, first);
    ALCORE__TRY(alcore__new_array(pool->object.ctx, (size_t)count, sizeof *rows, &rows));
    find_missing(writer, rows, count);
    alcore_status status =
        alcore__builder_finish(&writer->builder, pool, writer->name, "written", &writer->options);
    if (status == ALCORE_OK) {
        writer->finished = true;
        status = alcore__pool_mark_internal(pool, ALCORE_ROW_MISSING, rows, count);
    }
    alcore__free(pool->object.ctx, rows);
    return status;
}

alcore_status alcore_column_writer_finish(alcore_column_writer *writer, int32_t missing) {
    ALCORE__TRY(begin(writer));
    alcore_status status = alcore__write_begin(writer->pool, "pool");
    if (status == ALCORE_OK) {
        status = finish(writer, missing);
        alcore__write_end(writer->pool);
    }
    return end(writer, status);
}
