/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors in the memory of the run's engine (engine_vectors.h). Every engine returns the same bytes
 * (alcore/sys/kernel.h), so that it changes no result where the vectors are.
 *
 *     on a device    a row is widened by a kernel from where it is to its place in the matrix, and
 *                    another one compares it with all of them: the host waits for the distances
 *     on the host    by the CPU's kernels, for an engine that works in host memory and where the
 *                    device's memory is short: what kernels of the device read from host memory
 *                    would be copied for each row again */
#include "strategy/passes/engine_vectors.h"

#include <string.h>

#include "kernel/kernels.h"
#include "strategy/passes/runner.h"

/* Rows of the smallest allocation of a matrix that grows, so that the first 64 picks need one
 * allocation on the device. */
enum { MIN_CAPACITY = 64 };

/* The kernels that can read the matrix: the engine's where it is in device memory, else the
 * CPU's. */
static const alcore_sys_kernels *kernels_of(const alcore__run *run,
                                            const alcore__vectors *vectors) {
    return vectors->held.memory ? alcore__run_kernels(run) : alcore__kernels_cpu();
}

/* The first `count` vectors as a matrix of kernels. */
static alcore_sys_rows rows_of(const alcore__vectors *vectors, int64_t count) {
    return alcore__rows_of(vectors->data, count, vectors->dims);
}

/* Frees the matrix where it lies, on the device or in host memory; the caller gives the struct its
 * next matrix. */
static void free_matrix(const alcore__run *run, alcore__vectors *vectors) {
    if (vectors->held.memory)
        ALCORE__KERNEL(run, release, &vectors->held);
    else
        alcore__free(run->ctx, vectors->data);
    vectors->data = NULL;
    vectors->held = (alcore_sys_held){0};
}

alcore_status alcore__vectors_adopt(const alcore__run *run, alcore__vectors *vectors,
                                    double *values, int64_t count, int64_t dims) {
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    alcore_sys_held device = {0};
    vectors->data = values;
    vectors->capacity = count;
    vectors->dims = dims;
    if (!kernels->upload || !kernels->store || vectors->on_host) return ALCORE_OK;
    const alcore_sys_rows rows = rows_of(vectors, count);
    alcore_status status = ALCORE__KERNEL(run, upload, &rows, NULL /* no mask */, &device);
    vectors->on_host = !device.memory;
    if (status == ALCORE_OK && !device.memory) return ALCORE_OK;
    free_matrix(run, vectors);
    vectors->held = device;
    vectors->data = device.memory;
    return status;
}

/* Grows the matrix. Vectors that are on the device are copied from the smaller matrix to the larger
 * one there, not through the host. */
alcore_status alcore__vectors_reserve(const alcore__run *run, alcore__vectors *vectors,
                                      int64_t count, int64_t dims, int64_t kept) {
    alcore__vectors larger = {.on_host = vectors->on_host, .scratch = vectors->scratch};
    double *values;
    if (count <= vectors->capacity) return ALCORE_OK;
    if (count < 2 * vectors->capacity) count = 2 * vectors->capacity;
    if (count < MIN_CAPACITY) count = MIN_CAPACITY;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, (size_t)dims * sizeof *values, &values));
    if (kept > 0 && !vectors->held.memory)
        memcpy(values, vectors->data, (size_t)(kept * dims) * sizeof *values);
    ALCORE__TRY(alcore__vectors_adopt(run, &larger, values, count, dims));
    alcore_status status = ALCORE_OK;
    const alcore_sys_rows rows = rows_of(vectors, kept);
    if (kept > 0 && vectors->held.memory)
        status = larger.held.memory
                     ? ALCORE__KERNEL(run, store, &rows, larger.data)
                     : alcore__download(run, vectors->data, kept * dims, larger.data);
    free_matrix(run, vectors);
    *vectors = larger;
    return status;
}

alcore_status alcore__vectors_read(const alcore__run *run, alcore__vectors *vectors,
                                   const alcore__column *column, int64_t row, int64_t index) {
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows rows = {0};
    if (vectors->held.memory)
        ALCORE__TRY(
            alcore__column_rows_on(column, &run->input->engine, row, 1, &vectors->scratch, &rows));
    else
        ALCORE__TRY(column->ops->rows(column, row, 1, &vectors->scratch, &rows));
    return kernels_of(run, vectors)
        ->widen(&work, &rows, NULL /* no mask */, vectors->data + index * vectors->dims);
}

alcore_status alcore__vectors_dots(const alcore__run *run, const alcore__vectors *vectors,
                                   int64_t count, int64_t index, double *out) {
    alcore_sys_work work = alcore__run_work(run);
    const alcore_sys_rows rows = rows_of(vectors, count);
    return kernels_of(run, vectors)
        ->dots(&work, &rows, NULL /* no mask */, vectors->data + index * vectors->dims, out);
}

alcore_status alcore__vectors_sq_dists(const alcore__run *run, const alcore__vectors *vectors,
                                       int64_t count, int64_t index, double *out) {
    alcore_sys_work work = alcore__run_work(run);
    const alcore_sys_rows rows = rows_of(vectors, count);
    return kernels_of(run, vectors)
        ->sq_dists(&work, &rows, NULL /* no mask */, vectors->data + index * vectors->dims, out);
}

alcore_status alcore__vectors_check(const alcore__run *run, const alcore__vectors *vectors,
                                    int64_t index, int64_t row) {
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows rows = rows_of(vectors, 1);
    const size_t height = alcore__run_height(run);
    double *values;
    rows.data = vectors->data + index * vectors->dims;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, vectors->dims, &values));
    ALCORE__TRY(kernels_of(run, vectors)->widen(&work, &rows, NULL, values));
    ALCORE__TRY(alcore__vector_check(values, vectors->dims, ALCORE__OVER_CANDIDATES, row));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

void alcore__vectors_free(const alcore__run *run, void *object) {
    alcore__vectors *vectors = object;
    free_matrix(run, vectors);
    alcore__scratch_clear(run->ctx, &vectors->scratch);
    *vectors = (alcore__vectors){0};
}
