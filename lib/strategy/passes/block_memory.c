/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept with a block of candidates between passes (alcore__block_memory): bytes of the
 * strategy, doubles that kernels update, copies of the embeddings, and these as the filters of a
 * device compare them. All of it is freed with the shard, the part of the pool that a process works
 * on.
 *
 * A copy of the embeddings is made on the first visit, and only in runs of many passes:
 *
 *     on the device   where the engine has memory of its own and enough of it is free
 *     on the host     where reading them again costs more than memory: they come from a file, are
 *                     generated block by block, or most rows of the block are not active; and all
 *                     of them take no more than MAX_HOST_COPY
 *     neither         they are read from the column in each pass */
#include <string.h>

#include "base/tensor_view.h"
#include "strategy/passes/block_embeddings.h"

/* Bytes of embeddings of all candidates up to which copies in host memory are kept. */
enum { MAX_HOST_COPY = 256 << 20 }; /* 256 MiB */

/* ---- bytes of the strategy ---- */

/* The block is one of candidates, as only these have a memory; the functions below demand that too.
 */
alcore_status alcore__block_local(alcore__block *block, size_t bytes, void *out) {
    void **local = &block->memory->local;
    if (!*local) ALCORE__TRY(alcore__new_array(block->run->ctx, 1, bytes, local));
    *(void **)out = *local;
    return ALCORE_OK;
}

void *alcore__block_find_local(const alcore__block *block) {
    return block->memory->local;
}

/* ---- doubles that kernels work on ---- */

double *alcore__block_doubles(const alcore__block *block) {
    return block->memory->doubles.memory;
}

/* Makes values [count], an array of the context, the doubles of the block, which owns it; after a
 * failure it is freed. It is kept as it is where the engine works in host memory, or its own memory
 * is short: kernels take host arrays too. */
static alcore_status keep_doubles(alcore__block *block, double *values, int64_t count) {
    const alcore__run *run = block->run;
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    alcore_sys_held host = {.rows = alcore__rows_of(values, 1, count), .memory = values},
                    device = {0};
    alcore_status status =
        kernels->upload ? ALCORE__KERNEL(run, upload, &host.rows, NULL /* no mask */, &device)
                        : ALCORE_OK;
    bool uploaded = device.memory != NULL;
    if (status != ALCORE_OK || uploaded) alcore__free(run->ctx, values);
    ALCORE__TRY(status);
    block->memory->doubles_on_device = uploaded;
    block->memory->doubles = uploaded ? device : host;
    return ALCORE_OK;
}

alcore_status alcore__block_fill(const alcore__matrix *matrix, int64_t count,
                                 alcore_status (*fill)(const alcore__matrix *matrix, double *values,
                                                       void *user),
                                 void *user) {
    alcore_ctx *ctx = matrix->block->run->ctx;
    double *values;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *values, &values));
    const alcore_status status = fill(matrix, values, user);
    if (status == ALCORE_OK) return keep_doubles(matrix->block, values, count);
    alcore__free(ctx, values);
    return status;
}

/* The kernel `widen` reads either memory and writes doubles. */
alcore_status alcore__download(const alcore__run *run, const double *values, int64_t count,
                               double *out) {
    alcore_sys_rows row = alcore__rows_of(values, 1, count);
    return ALCORE__KERNEL(run, widen, &row, NULL /* no mask */, out);
}

alcore_status alcore__read_back(const alcore__run *run, const double *values, int64_t count,
                                void *out) {
    alcore_sys_rows row = alcore__rows_of(values, 1, count);
    if (alcore__run_kernels(run)->download) return ALCORE__KERNEL(run, download, &row, out);
    memcpy(out, values, (size_t)count * sizeof *values);
    return ALCORE_OK;
}

alcore_status alcore__download_active(const alcore__matrix *matrix, const double *values,
                                      double *out) {
    alcore__block *block = matrix->block;
    if (!matrix->mask) return alcore__download(block->run, values, block->count, out);
    double *by_row;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *by_row, &by_row));
    ALCORE__TRY(alcore__download(block->run, values, matrix->rows.count, by_row));
    for (int64_t i = 0; i < block->count; i++) out[i] = by_row[alcore__matrix_row_of(matrix, i)];
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* ---- masks ---- */

/* A mask [count] as a matrix of one row, the form in which engines copy arrays. */
static alcore_sys_rows as_mask_row(const uint8_t *mask, int64_t count) {
    return (alcore_sys_rows){
        .data = mask, .count = 1, .dims = count, .stride = count, .dtype = ALCORE_UINT8};
}

/* Uploads a mask [count] for the first time, and keeps a copy of it in host memory. Where the
 * device's memory is short nothing is kept, the mask is given to kernels from host memory, and the
 * next call tries again. Only runs with wide blocks get here, which are those of an engine with
 * memory of its own (wide_blocks.c): `upload` and `store` are not NULL. */
static alcore_status keep_mask(alcore__block *block, int32_t number, const uint8_t *mask,
                               int64_t count) {
    const alcore__run *run = block->run;
    alcore_sys_rows row = as_mask_row(mask, count);
    uint8_t **stored = &block->memory->stored_masks[number];
    ALCORE__TRY(ALCORE__KERNEL(run, upload, &row, NULL /* no mask of its own */,
                               &block->memory->masks[number]));
    if (!block->memory->masks[number].memory) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, 1, stored));
    memcpy(*stored, mask, (size_t)count);
    return ALCORE_OK;
}

/* Copies mask [count] over the one that the device has, from the first entry that differs to the
 * last: a pick changes one entry, and some more where it leaves rows unaffordable. */
static alcore_status renew_mask(alcore__block *block, int32_t number, const uint8_t *mask,
                                int64_t count) {
    const alcore__run *run = block->run;
    uint8_t *stored = block->memory->stored_masks[number];
    uint8_t *memory = block->memory->masks[number].memory;
    int64_t first = 0, end = count;
    while (first < end && mask[first] == stored[first]) first++;
    while (end > first && mask[end - 1] == stored[end - 1]) end--;
    if (first == end) return ALCORE_OK;
    memcpy(stored + first, mask + first, (size_t)(end - first));
    alcore_sys_rows changed = as_mask_row(mask + first, end - first);
    return ALCORE__KERNEL(run, store, &changed, memory + first);
}

/* *out is `mask` itself, in host memory, in runs without wide blocks and where the device's memory
 * is short. */
alcore_status alcore__block_store_mask(alcore__block *block, int32_t number, const uint8_t *mask,
                                       int64_t count, const uint8_t **out) {
    *out = mask;
    if (!block->run->stream || !block->memory || number >= ALCORE__BLOCK_MASKS) return ALCORE_OK;
    block->memory->mask_changes[number] = 0; /* it may be a mask of something else */
    if (block->memory->stored_masks[number]) {
        ALCORE__TRY(renew_mask(block, number, mask, count));
    } else {
        ALCORE__TRY(keep_mask(block, number, mask, count));
    }
    if (block->memory->masks[number].memory) *out = block->memory->masks[number].memory;
    return ALCORE_OK;
}

/* A mask that is kept has a copy in host memory (stored_masks) and one on the device. */
int64_t alcore__block_mask_changes(const alcore__block *block, int32_t number) {
    const alcore__block_memory *memory = block->memory;
    bool kept = memory && number < ALCORE__BLOCK_MASKS && memory->stored_masks[number];
    return kept ? memory->mask_changes[number] - 1 : -1;
}

void alcore__block_set_mask_changes(alcore__block *block, int32_t number, int64_t changes) {
    if (block->memory && number < ALCORE__BLOCK_MASKS && block->memory->stored_masks[number])
        block->memory->mask_changes[number] = changes + 1;
}

const uint8_t *alcore__block_kept_mask(const alcore__block *block, int32_t number) {
    return block->memory->masks[number].memory;
}

/* Cost: one byte is copied and no other is read, however many rows the block has. */
alcore_status alcore__block_clear_mask_row(alcore__block *block, int32_t number,
                                           int64_t matrix_row) {
    const alcore__run *run = block->run;
    uint8_t *stored = block->memory->stored_masks[number] + matrix_row;
    if (!*stored) return ALCORE_OK;
    *stored = 0;
    alcore_sys_rows changed = as_mask_row(stored, 1);
    return ALCORE__KERNEL(run, store, &changed,
                          (uint8_t *)block->memory->masks[number].memory + matrix_row);
}

/* ---- copies of the embeddings ---- */

/* Asks the engine once for a device copy of the active rows of `rows`, those with mask
 * [rows->count] 1 (NULL: all), in runs that read them again (hints.repeats). It copies nothing
 * where memory is short or the rows lie on the device already, which is no failure: device.memory
 * stays NULL, a host copy is considered next, and later visits do not ask again. */
static alcore_status upload_rows(alcore__block *block, const alcore_sys_rows *rows,
                                 const uint8_t *mask) {
    const alcore__run *run = block->run;
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    if (block->memory->upload_tried || !run->hints.repeats || !kernels->upload) return ALCORE_OK;
    block->memory->upload_tried = true;
    return ALCORE__KERNEL(run, upload, rows, mask, &block->memory->device);
}

/* Whether later passes gain from a copy of the active rows in host memory, by the table at the top
 * of this file. rows: the span (the pool rows from the first active row to the last) as it was just
 * read; reader: the buffer it was read with, in which the rows lie when they were read from a file
 * or converted. It has a `user`, the state of the generator, where rows are generated block by
 * block. */
static bool is_worth_copying(const alcore__block *block, const alcore__column *column,
                             const alcore__scratch *reader, const alcore_sys_rows *rows) {
    const alcore__run *run = block->run;
    size_t row_bytes = alcore_sys_dtype_bytes(column->dtype) * (size_t)column->dims;
    if (!run->hints.repeats || !row_bytes) return false;
    /* Of all shards, so that a pool too large for it on one machine is so in parts, too. */
    const int64_t candidates = alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    if ((size_t)candidates > MAX_HOST_COPY / row_bytes) return false;
    /* Doubles that are kept with the block have an entry per matrix row, active or not. */
    if (!alcore__run_kernels(run)->upload && rows->count > 2 * block->count) return true;
    const char *data = rows->data, *values = reader->values;
    bool in_reader = values && data >= values && data < values + reader->values_bytes;
    return column->in_file || reader->user || in_reader;
}

/* Copies the active rows of the span `rows` together, [active rows, dims] in the column's type, and
 * keeps the copy with the block: in later passes the matrix row of a row is its index. The rows are
 * in host memory, as is_worth_copying() is false for rows on the device. Called once a block, as
 * later visits find the copy. */
static alcore_status copy_rows(alcore__block *block, const alcore_sys_rows *rows) {
    size_t bytes = alcore_sys_dtype_bytes(rows->dtype) * (size_t)rows->dims;
    size_t stride = alcore_sys_dtype_bytes(rows->dtype) * (size_t)rows->stride;
    char *copy;
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)block->count, bytes, &copy));
    for (int64_t i = 0; i < block->count; i++) {
        size_t matrix_row = (size_t)(block->rows[i] - rows->first);
        memcpy(copy + (size_t)i * bytes, (const char *)rows->data + matrix_row * stride, bytes);
    }
    block->memory->host = copy;
    return ALCORE_OK;
}

/* out->first, which is a pool row in a matrix without a copy, is the position of the first row
 * among all active rows. A block of another source than the candidates has no memory. */
bool alcore__block_find_copy(const alcore__block *block, alcore_sys_rows *out) {
    const alcore__block_memory *memory = block->memory;
    if (!memory || (!memory->device.memory && !memory->host)) return false;
    if (memory->device.memory) {
        *out = memory->device.rows;
    } else {
        out->data = memory->host;
        out->count = block->count;
        out->stride = out->dims;
    }
    out->first = block->start;
    return true;
}

alcore_status alcore__block_make_copy(alcore__block *block, const alcore__column *column,
                                      const alcore__scratch *reader, const alcore_sys_rows *rows,
                                      const uint8_t *mask) {
    if (!block->memory) return ALCORE_OK;
    ALCORE__TRY(upload_rows(block, rows, mask));
    if (block->memory->device.memory || !is_worth_copying(block, column, reader, rows))
        return ALCORE_OK;
    return copy_rows(block, rows);
}

/* A device converts the rows of a matrix before its filters compare them, in each call anew where
 * nothing is kept. The rows are those of the block in all calls: a copy on the device, or a column
 * that is there. Nothing is kept where they are in host memory, or memory is short. */
alcore_status alcore__matrix_work(const alcore__matrix *matrix, int32_t metric, int64_t others,
                                  alcore_sys_work *out) {
    const alcore__block *block = matrix->block;
    const alcore__run *run = block->run;
    alcore__block_memory *memory = block->memory;
    *out = alcore__run_work(run);
    if (!memory || !alcore__run_kernels(run)->convert) return ALCORE_OK;
    bool again = run->hints.repeats || run->active[ALCORE__OVER_TARGET].blocks > 1;
    if (again && !memory->converted.held.memory && others > memory->convert_others) {
        memory->convert_others = others;
        ALCORE__TRY(alcore__run_kernels(run)->convert(out, &matrix->rows, metric, others,
                                                      &memory->converted));
    }
    out->converted = &memory->converted;
    return ALCORE_OK;
}

/* Frees all that a block kept, on the device through the engine, and zeroes the struct. Called for
 * every block when the shard is freed, and safe for one that kept nothing. */
void alcore__block_memory_free(alcore__run *run, alcore__block_memory *memory) {
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    if (kernels->release) ALCORE__KERNEL(run, release, &memory->converted.held);
    if (kernels->release) ALCORE__KERNEL(run, release, &memory->device);
    if (memory->doubles_on_device) {
        ALCORE__KERNEL(run, release, &memory->doubles);
    } else {
        alcore__free(run->ctx, memory->doubles.memory);
    }
    for (int32_t m = 0; m < ALCORE__BLOCK_MASKS; m++) {
        if (kernels->release) ALCORE__KERNEL(run, release, &memory->masks[m]);
        alcore__free(run->ctx, memory->stored_masks[m]);
    }
    alcore__free(run->ctx, memory->host);
    alcore__free(run->ctx, memory->local);
    memset(memory, 0, sizeof *memory);
}
