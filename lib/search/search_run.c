/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches for nearest neighbors (knn.c) and for margin ratios (margin_ratio.c) share,
 * which lib/metric uses too: options, the sizes of slabs of queries and blocks of rows, the
 * threads' memory, and reading slabs and blocks (search_run.h shows in which order a search reads
 * them). A slab is adjacent queries that are in memory at once, a block adjacent rows that are the
 * work of one task; for each slab all blocks are read once.
 *
 * Members of alcore__search_run that are used here:
 *
 *     rows, queries  the two operands, each a matrix or a column of a pool (column NULL: a matrix)
 *     slab, block    largest numbers of queries of a slab and of rows of a block
 *     queried        the present slab; queried.first is its first query
 *     scratch, dots  [threads + 1] and [threads + 1, block]: for each thread, and last for the
 *                    slab, the memory in which a column is read, and squared norms
 *     thread_best, thread_tails  [threads] lists that a search makes and the workspace of long ones
 *                    (knn.c), owned; NULL: none */
#include "search/search_run.h"

#include <string.h>

#include "search/neighbor_list.h"

/* Bytes that a slab of queries takes with the lists of all threads, about. A slab has at least
 * MIN_SLAB queries, so that each pass over the rows has enough work for the reading; with lists
 * that are longer than the kernel's, as many as have lists of the same bytes, 4 MiB a thread. */
#define SLAB_BYTES (INT64_C(64) << 20)
#define MIN_SLAB 256
/* The largest number of rows of a block that is read in place in host memory. Longer ones would
 * leave fewer tasks to share evenly among the threads, and more rows between two questions whether
 * to stop; it was chosen, not measured, and no result depends on it. */
#define MEMORY_BLOCK_ROWS (4 * ALCORE_BLOCK_ROWS)
/* Limits of a block that is read in place on a device: DEVICE_ROWS rows, DEVICE_BYTES of them, and
 * DOTS_BYTES of host memory for the dot products of all threads. At most DEVICE_SHARES threads call
 * the device at once, and each gets blocks of at least DEVICE_SHARE_ROWS rows unless all rows are
 * fewer. */
enum { DEVICE_SHARES = 4, DEVICE_SHARE_ROWS = 16 * ALCORE_BLOCK_ROWS, DEVICE_ROWS = 1 << 20 };
#define DEVICE_BYTES (INT64_C(2) << 30)
#define DOTS_BYTES (INT64_C(64) << 20)

/* Checks the options, and fills in run->k, run->given_metric and run->search (the metric; no
 * pruning yet).
 * *out_device: the name of the engine's device ("auto", "cpu", "cuda", "cuda:1"; NULL: auto), which
 * is opened when it is known where the operands are; it is the caller's string.
 *
 * theirs may be the struct of an older or newer release: as many bytes are copied as its size says,
 * what it lacks is 0, and bytes that this release does not know must be 0. NULL: all are 0, which
 * are the defaults. `reserved` must be 0; it ends the first release's struct. The
 * metrics of a kernel, ALCORE_SYS_*, have the order of ALCORE_METRIC_*. */
static alcore_status read_options(alcore__search_run *run, int64_t k,
                                  const alcore_search_options *theirs, const char **out_device) {
    alcore_search_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_search_options, reserved), theirs,
                                    "alcore_search_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_search_options"));
    const int32_t metric = alcore__or_default(options.metric, ALCORE_METRIC_L2);
    if (metric < ALCORE_METRIC_L2 || metric > ALCORE_METRIC_COSINE)
        return alcore__fail(ALCORE_E_INVALID, "metric %d is none of ALCORE_METRIC_*", metric);
    run->k = k;
    run->given_metric = options.metric;
    run->search = (alcore_sys_search){.size = sizeof run->search,
                                      .metric = metric - ALCORE_METRIC_L2 + ALCORE_SYS_L2};
    *out_device = options.device;
    return ALCORE_OK;
}

/* k, as a public function was given it, is checked before the search begins, because functions
 * differ in the largest. */
alcore_status alcore__search_check_k(int64_t k, int64_t most) {
    if (k >= 1 && k <= most) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "k is %lld; expected 1 to %lld", (long long)k,
                        (long long)most);
}

/* Sets run->slab, the number of queries of a slab, from the bytes that one takes: a list of k
 * neighbors (8 bytes of row, 8 of value) for each thread and, for queries of a column, the query
 * itself. It is 0 when there are no queries, and query_bytes is at least 16; with them it is not 0,
 * as k is at most ALCORE_NEIGHBORHOOD_MAX = 8192, so that `least` is 32 or more. */
static void size_slab(alcore__search_run *run) {
    int64_t query_bytes = run->k * 16 * run->threads;
    if (run->queries.column)
        query_bytes +=
            run->queries.dims * (int64_t)alcore_sys_dtype_bytes(run->queries.column->dtype);
    int64_t least = MIN_SLAB;
    if (run->k > ALCORE__KERNEL_NEIGHBORS) least = MIN_SLAB * ALCORE__KERNEL_NEIGHBORS / run->k;
    run->slab = SLAB_BYTES / query_bytes;
    if (run->slab < least) run->slab = least;
    if (run->slab > run->queries.count) run->slab = run->queries.count;
}

/* How many rows a block that is read in place on a device may have: as many as keep the sums of
 * squares of all threads within DOTS_BYTES and the embeddings of the block within DEVICE_BYTES, at
 * most DEVICE_ROWS; 1 or more, also where a row is longer than DEVICE_BYTES. size_block() cuts no
 * block longer than that, but none shorter than ALCORE_BLOCK_ROWS either: of rows longer than
 * 256 KiB a block exceeds DEVICE_BYTES. They are read where they are, so that only the work between
 * two questions whether to stop grows by it. */
static int64_t most_on_device(const alcore__search_run *run) {
    const alcore__search_data *rows = &run->rows;
    int32_t dtype = rows->column ? rows->column->dtype : rows->matrix.dtype;
    int64_t row_bytes = rows->dims * (int64_t)alcore_sys_dtype_bytes(dtype);
    int64_t most = DOTS_BYTES / (run->threads + 1) / (int64_t)sizeof *run->dots;
    if (row_bytes > 0 && most > DEVICE_BYTES / row_bytes) most = DEVICE_BYTES / row_bytes;
    if (most < 1) most = 1;
    return most < DEVICE_ROWS ? most : DEVICE_ROWS;
}

/* Sets run->block, the rows of a block. Rows that are read from a file, or put together in scratch
 * memory, have blocks of ALCORE_BLOCK_ROWS. Of rows that are read in place each share, that of a
 * thread, is cut into as few blocks of equal length as the largest allows, but none shorter than
 * ALCORE_BLOCK_ROWS. The longer a block in host memory, the fewer candidates remain to be computed
 * in double, because the threshold of a query (the value of its k-th best so far) improves within a
 * block. For a block on a device the host starts some kernels, converts the queries and waits, in
 * tens of microseconds each, whatever its length. */
static void size_block(alcore__search_run *run) {
    int64_t shares = run->threads, most = MEMORY_BLOCK_ROWS, least = ALCORE_BLOCK_ROWS;
    run->block = ALCORE_BLOCK_ROWS;
    if (!alcore__search_data_in_place(&run->rows, &run->engine)) return;
    if (run->rows.device >= 0) {
        if (shares > DEVICE_SHARES) shares = DEVICE_SHARES;
        most = most_on_device(run);
        least = DEVICE_SHARE_ROWS;
    }
    int64_t share = (run->rows.count + shares - 1) / shares;
    if (share < least) share = run->rows.count < least ? run->rows.count : least;
    int64_t blocks = (share + most - 1) / most; /* of a share */
    if (blocks > 0 && (share + blocks - 1) / blocks > run->block)
        run->block = (share + blocks - 1) / blocks;
}

/* Reads all arguments of a search and sizes its memory: slab, block, and scratch and dots for each
 * thread and one more for the slab. rows_name and queries_name: what messages call the operands,
 * kept and not copied. The rest of *run is zeroed; after a failure too the caller ends *run, which
 * frees memory in the contexts: they are set first. */
alcore_status alcore__search_begin(alcore_ctx *ctx, const alcore_search_data *rows,
                                   const char *rows_name, const alcore_search_data *queries,
                                   const char *queries_name, int64_t k,
                                   const alcore_search_options *options, alcore__search_run *run) {
    *run = (alcore__search_run){.ctx = ctx, .rows.ctx = ctx, .queries.ctx = ctx};
    const char *device = NULL;
    ALCORE__TRY(read_options(run, k, options, &device));
    ALCORE__TRY(alcore__search_data_begin(ctx, rows, rows_name, &run->rows));
    ALCORE__TRY(alcore__search_data_begin(ctx, queries, queries_name, &run->queries));
    if (run->rows.dims != run->queries.dims)
        return alcore__fail(ALCORE_E_SHAPE, "%s and %s have %lld and %lld components", rows_name,
                            queries_name, (long long)run->rows.dims, (long long)run->queries.dims);
    /* An engine needs no closing. */
    ALCORE__TRY(alcore__search_data_engine(&run->rows, &run->queries, device, &run->engine));
    run->threads = alcore_ctx_threads(ctx);
    size_slab(run);
    size_block(run);
    size_t readers = (size_t)run->threads + 1; /* the threads, and the slab of queries */
    ALCORE__TRY(alcore__new_array(ctx, readers, sizeof *run->scratch, &run->scratch));
    return alcore__new_array(ctx, readers * (size_t)run->block, sizeof *run->dots, &run->dots);
}

/* Frees what a search has allocated and unlocks its pools, also after a begin that failed. A
 * scratch is freed in the context of the column that it was used with, which may have allocated
 * state in it: scratch[0 .. threads - 1] read the rows, scratch[threads] the queries. */
void alcore__search_end(alcore__search_run *run) {
    for (int32_t t = 0; run->scratch && t <= run->threads; t++) {
        const alcore__search_data *data = t < run->threads ? &run->rows : &run->queries;
        alcore__scratch_clear(data->column ? data->column->ctx : run->ctx, &run->scratch[t]);
    }
    for (int32_t t = 0; run->thread_best && t < run->threads; t++) {
        alcore__free(run->ctx, run->thread_best[t].row);
        alcore__free(run->ctx, run->thread_best[t].value);
    }
    for (int32_t t = 0; run->thread_tails && t < run->threads; t++) {
        alcore__free(run->ctx, run->thread_tails[t].row);
        alcore__free(run->ctx, run->thread_tails[t].value);
    }
    alcore__free(run->ctx, run->thread_best);
    alcore__free(run->ctx, run->thread_tails);
    alcore__free(run->ctx, run->merged);
    alcore__free(run->ctx, run->scratch);
    alcore__free(run->ctx, run->dots);
    if (run->converted.held.memory) {
        alcore_sys_work work = alcore__engine_work(&run->engine);
        run->engine.kernels->release(&work, &run->converted.held);
    }
    alcore__search_data_end(&run->rows);
    alcore__search_data_end(&run->queries);
}

/* Worth it only where a device passes the rows again: with several slabs of queries, or for margin
 * ratios, which take a pass more; in a single pass the kernel converts each block by itself. The
 * blocks that are read in place then are parts of these rows, by which kernels find what is
 * converted. search.metric and slab, the others of a call, are known by now. What an earlier call
 * has converted stays; where memory was short, which leaves held.memory NULL, this one tries again.
 */
alcore_status alcore__search_convert_rows(alcore__search_run *run) {
    const alcore_sys_kernels *kernels = run->engine.kernels;
    const bool passes_again = run->queries.count > run->slab || run->ratio;
    alcore_sys_work work = alcore__engine_work(&run->engine);
    alcore_sys_rows rows;
    if (!passes_again || run->rows.device < 0 || !kernels->convert || run->converted.held.memory ||
        !alcore__search_data_in_place(&run->rows, &run->engine))
        return ALCORE_OK;
    ALCORE__TRY(alcore__search_data_rows(&run->rows, &run->engine, 0, run->rows.count,
                                         &run->scratch[0], &rows));
    return kernels->convert(&work, &rows, run->search.metric, run->slab, &run->converted);
}

alcore_sys_work alcore__search_work(const alcore__search_run *run) {
    alcore_sys_work work = alcore__engine_work(&run->engine);
    work.converted = &run->converted;
    return work;
}

/* Reads the slab of queries from `first` on into run->queried: run->slab of them, or those that are
 * left. With `check` their values must be finite, which is tested in blocks of run->block, for
 * which dots has memory. Called before each pass over the rows. */
alcore_status alcore__search_slab(alcore__search_run *run, int64_t first, bool check) {
    const alcore__search_data *queries = &run->queries;
    int64_t count = queries->count - first < run->slab ? queries->count - first : run->slab;
    ALCORE__TRY(alcore__search_data_rows(queries, &run->engine, first, count,
                                         &run->scratch[run->threads], &run->queried));
    double *dots = run->dots + (int64_t)run->threads * run->block;
    for (int64_t offset = 0; check && offset < count; offset += run->block) {
        alcore_sys_rows block = run->queried;
        block.first += offset;
        block.count = count - offset < run->block ? count - offset : run->block;
        block.data = (const char *)block.data +
                     offset * block.stride * (int64_t)alcore_sys_dtype_bytes(block.dtype);
        ALCORE__TRY(alcore__search_data_check(queries, &run->engine, &block, dots));
        ALCORE__TRY(alcore__tick(run->ctx, "search", 0, 0)); /* only asks for cancellation */
    }
    return ALCORE_OK;
}

/* One pass over the rows: a task for each block, on the context's threads. Workers have the numbers
 * 0 .. threads - 1, and no two tasks run at once with the same one, so memory by worker needs no
 * lock. The first failure ends the pass. The task's data is the run, its index the number of the
 * block, from 0. */
alcore_status alcore__search_blocks(alcore__search_run *run, alcore__task task) {
    int64_t blocks = (run->rows.count + run->block - 1) / run->block;
    return alcore__parallel(run->ctx, "search", blocks, task, run);
}

/* Called by a task: reads block `index` of the rows for worker `worker`, into its own scratch
 * memory, where *out stays until the worker's next block; a matrix and a column in memory are read
 * in place. check, true in the first pass over the rows only: fails when an unmasked row has a
 * value that is not finite, with the worker's part of dots as workspace. */
alcore_status alcore__search_block(alcore__search_run *run, int64_t index, int32_t worker,
                                   bool check, alcore_sys_rows *out) {
    int64_t first = index * run->block, left = run->rows.count - first;
    ALCORE__TRY(alcore__search_data_rows(&run->rows, &run->engine, first,
                                         left < run->block ? left : run->block,
                                         &run->scratch[worker], out));
    if (!check) return ALCORE_OK;
    return alcore__search_data_check(&run->rows, &run->engine, out,
                                     run->dots + (int64_t)worker * run->block);
}
