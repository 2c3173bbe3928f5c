/* SPDX-License-Identifier: Apache-2.0 */
/* Wide blocks: adjacent blocks of a source, mostly of the candidates, that a device visits as one.
 *
 * Starting a kernel and waiting for its result is expected to take a device longer than the work on
 * the 8192 rows of one block. So the strategies whose passes can do it (alcore__pass.narrow) are
 * given many blocks at once. Sums and draws depend on where blocks begin: one kernel computes them
 * for all blocks of the wide one, each block by itself and in row order, and they are reduced in
 * block order. So a strategy selects the same rows with wide blocks and without.
 *
 * Kernels of wide blocks run in the default stream of the device, in which one kernel follows the
 * other without the host waiting for it; the host waits where it reads a result. Where the whole
 * pool is in the device's memory (alcore__wide_visits()), greedy strategies and draws by weight
 * queue the kernels of all wide blocks before they read what these have found. A pass that is
 * cancelled leaves kernels in the stream for as many rows: those of a wide block, of which a device
 * reads more than WIDE_BYTES in 10 ms, or of its whole memory, which it reads in less than 100 ms.
 */
#include "alcore/sys/dtype.h"
#include "base/tensor_view.h"
#include "strategy/passes/block_embeddings.h"

/* Largest wide block: bytes of embeddings, and rows, for each of which host memory of some tens of
 * bytes is needed at a time. Embeddings that are read from a file, or made, block by block are put
 * together in host memory first, so that fewer of them are taken at a time. WIDE_HOST_BYTES: of
 * sums and others that are copied to the host for each block. */
enum { WIDE_ROWS = 1 << 20, WIDE_READ_BYTES = 64 << 20, WIDE_HOST_BYTES = 64 << 20 };
static const int64_t WIDE_BYTES = (int64_t)2 << 30;

/* Some passes compute something on the host for each row too (hints.row_work). There the pool is
 * cut into SHARES wide blocks, as many as calls run on a device at once, so that as many threads
 * work; but no wide block has fewer than SHARE_BLOCKS blocks. */
enum { SHARES = 4, SHARE_BLOCKS = 16 };

/* The default stream (cudaStreamLegacy), by its handle. */
static void *const DEFAULT_STREAM = (void *)1;

/* Whether every pass of a table over the candidates either can be given wide blocks or keeps
 * nothing from pass to pass, as those that compute scores do not. What is kept belongs to a wide
 * block or to a plain one, so that a pass over plain blocks would not find what one over wide
 * blocks has kept. */
static bool are_wide(const alcore__pass *passes) {
    for (; passes && passes->name; passes++) {
        if (passes->nested ? !are_wide(passes->nested)
                           : passes->source == ALCORE__OVER_CANDIDATES && passes->narrow &&
                                 !passes->scores && !passes->keeps_nothing)
            return false;
    }
    return true;
}

/* Whether the run has wide blocks: the engine has memory of its own, and the embeddings are there
 * or are copied there for many passes. */
static bool has_wide_blocks(const alcore__run *run, const alcore__column *column) {
    const alcore_sys_kernels *kernels = alcore__run_kernels(run);
    bool resident = run->hints.repeats || alcore__column_device(column) >= 0;
    return resident && kernels->upload && kernels->store && kernels->run_totals &&
           kernels->download && kernels->draw_rows && kernels->best_row &&
           are_wide(run->def->passes);
}

/* Bytes of one row of a column with an entry of fixed size for each. */
static int64_t row_bytes_of(const alcore__column *column) {
    return column->dims * (int64_t)alcore_sys_dtype_bytes(column->dtype);
}

/* How many blocks have at most `bytes` bytes in rows of row_bytes bytes, at most WIDE_ROWS rows,
 * and at most WIDE_HOST_BYTES in host_doubles doubles for each block; 1 or more. */
static int64_t blocks_within(int64_t bytes, int64_t row_bytes, double host_doubles) {
    int64_t blocks = bytes / (row_bytes > 0 ? row_bytes : 1) / ALCORE_BLOCK_ROWS;
    if (blocks > WIDE_ROWS / ALCORE_BLOCK_ROWS) blocks = WIDE_ROWS / ALCORE_BLOCK_ROWS;
    double most = WIDE_HOST_BYTES / (host_doubles * (double)sizeof(double) + 1.0);
    if ((double)blocks > most) blocks = (int64_t)most;
    return blocks > 1 ? blocks : 1;
}

/* The smaller of `blocks` and one of the `shares` into which the candidates are cut. */
static int64_t share_of(const alcore__run *run, int64_t blocks, int64_t shares) {
    int64_t share = (run->active[ALCORE__OVER_CANDIDATES].blocks + shares - 1) / shares;
    if (share < SHARE_BLOCKS) share = SHARE_BLOCKS;
    return blocks < share ? blocks : share;
}

/* Whether the host computes a score from each class of a distribution of the column, on the
 * engine's device, and not from the two likeliest, which a kernel finds. */
static bool reads_all_classes(const alcore__run *run, const alcore__column *column) {
    bool (*const all)(const alcore__score_params *) = run->def->reads_all_classes;
    return column->dims > 2 &&
           (column->meaning == ALCORE_MEANS_LOGITS || (all && all(&run->score_params)));
}

/* Blocks of a visit in a pass that computes scores: 1 unless all columns of the candidates but
 * their embeddings are on the engine's device, and the host need not read all classes of
 * distributions, which is the work of all threads. Narrow columns that kernels do not score are
 * copied to the host: a wide block has no more bytes than one that is read, and there is one for
 * each thread. */
static int64_t score_blocks(const alcore__run *run) {
    const alcore__dataset *dataset = &run->input->candidates;
    const alcore__column *embeddings = alcore__candidate_embeddings(run);
    const int64_t shares = run->threads > SHARES ? run->threads : SHARES;
    int64_t bytes = 0; /* of all rows */
    for (int32_t c = 0; c < dataset->column_count; c++) {
        const alcore__column *column = dataset->columns[c].column;
        const int32_t device = alcore__column_device(column);
        if (column == embeddings) continue;
        if (device < 0 || !alcore__engine_is_cuda(&run->input->engine, device) ||
            reads_all_classes(run, column))
            return 1;
        bytes += alcore__column_bytes(column);
    }
    if (bytes == 0 || dataset->rows == 0) return 1;
    return share_of(run, blocks_within(WIDE_READ_BYTES, bytes / dataset->rows + 1, 0), shares);
}

/* Blocks of a visit in a wide pass that keeps nothing with its blocks: 1 unless the embeddings are
 * on the engine's device, where they are read in place. */
static int64_t in_place_blocks(const alcore__run *run, const alcore__pass *pass) {
    const alcore__column *column = alcore__source_embeddings(run, pass->source);
    const bool in_place = column && alcore__column_device(column) >= 0 &&
                          alcore__column_in_place(column, &run->input->engine);
    const double sums = (double)alcore__pass_sums(run, pass).count;
    return in_place ? blocks_within(WIDE_BYTES, row_bytes_of(column), sums) : 1;
}

/* Decides about the blocks of all wide passes that keep something with blocks of the candidates,
 * before the first one. A run that was given a stream of the caller's keeps it. runner->memory,
 * what blocks keep, is NULL without wide blocks: alcore__wide_visits() and _position() look there
 * for the copies of embeddings. */
static void open_wide_blocks(alcore__run *run, const alcore__shard *shard) {
    const alcore__column *column = alcore__candidate_embeddings(run);
    run->runner->wide_blocks = 1;
    if (!column || !has_wide_blocks(run, column)) return;
    const alcore__engine *engine = &run->input->engine;
    const int64_t bytes = alcore__column_in_place(column, engine) ? WIDE_BYTES : WIDE_READ_BYTES;
    const int64_t blocks = blocks_within(bytes, row_bytes_of(column), run->hints.host_doubles);
    run->runner->wide_blocks = run->hints.row_work ? share_of(run, blocks, SHARES) : blocks;
    run->stream = engine->stream ? engine->stream : DEFAULT_STREAM;
    run->runner->memory = shard->memory;
}

/* Passes over those chosen among the candidates have the wide blocks of the candidates. */
void alcore__open_visits(alcore__run *run, const alcore__shard *shard) {
    const alcore__pass *pass = alcore__present_pass(run);
    alcore__runner *runner = run->runner;
    const bool keeps = !pass->keeps_nothing && (pass->source == ALCORE__OVER_CANDIDATES ||
                                                pass->source == ALCORE__OVER_CHOSEN);
    runner->visit_blocks = 1;
    if (pass->scores) {
        runner->visit_blocks = score_blocks(run);
    } else if (!pass->narrow && !keeps) {
        runner->visit_blocks = in_place_blocks(run, pass);
    } else if (!pass->narrow) {
        if (!runner->wide_blocks) open_wide_blocks(run, shard);
        runner->visit_blocks = runner->wide_blocks;
    }
}

/* Returns 0 unless all candidates are in the engine's memory. Copies are made at the first visit of
 * a block, so that before the first pass there are none. Rows in host memory without a copy on the
 * device do not count: a kernel that looks for a row is given the whole matrix, which would be
 * copied to the device in each pass. */
int64_t alcore__wide_visits(const alcore__run *run) {
    const alcore__runner *runner = run->runner;
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const int64_t step = runner->wide_blocks;
    if (!runner->memory) return 0;
    const alcore__column *column = alcore__candidate_embeddings(run);
    const bool in_place =
        alcore__column_device(column) >= 0 && alcore__column_in_place(column, &run->input->engine);
    for (int64_t b = 0; b < active->blocks && !in_place; b += step) {
        const int64_t end = b + step < active->blocks ? b + step : active->blocks;
        const bool empty = active->block_starts[b] == active->block_starts[end];
        if (!empty && !runner->memory[b].device.memory) return 0;
    }
    return (active->blocks + step - 1) / step;
}

int64_t alcore__wide_visit(const alcore__run *run, int64_t block) {
    return block / run->runner->wide_blocks;
}

/* A matrix has one of two forms: a copy of the active rows, on the device or, where its memory is
 * short, on the host; or the rows of the column from the first active one of the wide block to its
 * last. */
int64_t alcore__wide_position(const alcore__run *run, int64_t visit, int64_t matrix_row) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const int64_t step = run->runner->wide_blocks, first = visit * step;
    const int64_t end = first + step < active->blocks ? first + step : active->blocks;
    alcore__block block = {.start = active->block_starts[first]};
    block.count = active->block_starts[end] - block.start;
    block.rows = active->rows + block.start;
    const alcore__block_memory *memory = &run->runner->memory[first];
    const bool is_copy = memory->device.memory || memory->host;
    const alcore__matrix matrix = {
        .block = &block, .rows = {.first = block.rows[0]}, .mask = is_copy ? NULL : active->mask};
    return block.start + alcore__matrix_index_of(&matrix, matrix_row);
}

/* Waits until the kernels of all wide blocks have ended: a download of nothing waits for the
 * stream. A failure is not reported, as the run has ended, or failed before. */
void alcore__close_visits(alcore__run *run) {
    static const char NOTHING;
    alcore_sys_rows rows = {.data = &NOTHING, .dtype = ALCORE_UINT8};
    char out;
    (void)ALCORE__KERNEL(run, download, &rows, &out);
}
