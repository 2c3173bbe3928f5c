/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the passes of a strategy.
 *
 * A pass is mapped and reduced in waves of adjacent blocks: the blocks of a wave are visited by all
 * threads and leave their partials, which are then reduced in block order. A wave is as large as
 * WAVE_BYTES of partials allow, so a pass over a million rows is one wave, and no pass (k-means
 * sends clusters x dims sums a block) holds more than that beside what partials are reduced to. */
#include <string.h>

#include "strategy/budget/fill.h"
#include "strategy/passes/runner.h"
#include "strategy/strategy_handle.h"

enum {
    WAVE_BYTES = 16 << 20,     /* 16 MiB of partials */
    WAVE_BLOCKS_PER_THREAD = 4 /* at least, so that threads rarely wait for the last block */
};

/* ---- map ---- */

/* What the tasks of alcore__run_map() share: one task for each block. */
typedef struct map_loop {
    alcore__run *run;
    alcore__shard *shard; /* has the memory that blocks of candidates keep between passes */
    int64_t first;        /* the block of task 0 */
    int64_t step;         /* blocks of a task, but the last: 1, or those of a wide block */
    alcore__partial *out; /* [tasks] the partial of each block */
} map_loop;

/* The scratch memory of a worker thread, made when the thread visits its first block. The array of
 * workers needs no lock: an entry is read and written by the thread with that number only. */
static alcore_status get_worker(alcore__run *run, int32_t number, alcore__worker_memory **out) {
    alcore__worker_memory **worker = &run->runner->workers[number];
    if (!*worker) {
        ALCORE__TRY(alcore__new_array(run->ctx, 1, sizeof **worker, worker));
        (*worker)->ctx = run->ctx;
    }
    *out = *worker;
    return ALCORE_OK;
}

/* Numbers the rows of a block, which is no wide one, in a run that has no list of them. */
static alcore_status number_rows(alcore__block *block) {
    alcore__worker_memory *worker = block->worker;
    const int64_t first = block->run->active[block->source].first_row + block->start;
    if (!worker->rows)
        ALCORE__TRY(
            alcore__new_array(worker->ctx, ALCORE_BLOCK_ROWS, sizeof *worker->rows, &worker->rows));
    for (int64_t i = 0; i < block->count; i++) worker->rows[i] = first + i;
    block->rows = worker->rows;
    return ALCORE_OK;
}

/* Allocates the zeroed partial of a block and lets the pass fill it in. A pass that can have
 * partials but has no bytes for this block has nothing to do there and is not called; a pass
 * without partials is called with NULL. Everything that the pass pushed on the scratch stack is
 * released, also after a failure. out->data is owned by the set of partials that has the entry. */
static alcore_status visit_block(map_loop *loop, alcore__block *block, alcore__partial *out) {
    alcore__run *run = loop->run;
    const alcore__pass *pass = alcore__present_pass(run);
    alcore__partial_layout layout = alcore__layout_of(pass, block);
    size_t bytes = layout.leading_bytes + layout.extra_bytes;
    if (!bytes && alcore__pass_has_partial(pass)) return ALCORE_OK;
    if (bytes) ALCORE__TRY(alcore__new_array(run->ctx, 1, bytes, &out->data));
    out->bytes = bytes;
    alcore_status status = pass->block(block, out->data);
    alcore__scratch_release(block, (alcore__scratch_mark){.chunk = 0, .used = 0}); /* all of it */
    return status;
}

/* Task `index` of alcore__run_map(): visits block first + index * step of the present pass, on
 * thread `worker`. A block without active rows leaves a partial of no bytes, so that every block of
 * the pass has one entry to be reduced. */
static alcore_status map_task(void *data, int64_t index, int32_t worker) {
    map_loop *loop = data;
    int64_t number = loop->first + index * loop->step;
    alcore__block block;
    alcore__describe_block(loop->run, alcore__present_pass(loop->run), number, &block);
    loop->out[index] = (alcore__partial){.pass = loop->run->runner->pass_count, .block = number};
    if (!block.count) return ALCORE_OK;
    if (block.source == ALCORE__OVER_CANDIDATES) block.memory = &loop->shard->memory[number];
    ALCORE__TRY(get_worker(loop->run, worker, &block.worker));
    if (!block.rows) ALCORE__TRY(number_rows(&block));
    return visit_block(loop, &block, &loop->out[index]);
}

/* Any process that has begun the same run can call it for any blocks. Of wide blocks, which are for
 * one process alone, `first` is the first block of one, and `end` the end of one or of the pool. */
alcore_status alcore__run_map(alcore__run *run, alcore__shard *shard, int64_t first, int64_t end,
                              alcore__partials *out) {
    const alcore__pass *pass = alcore__present_pass(run);
    int64_t step = alcore__blocks_of_visit(run);
    int64_t visits = (run->active[pass->source].blocks + step - 1) / step, done = first / step;
    size_t count = (size_t)((end - first + step - 1) / step);
    ALCORE__TRY(alcore__grow(run->ctx, &out->entries, &out->capacity, out->count + count,
                             sizeof *out->entries));
    map_loop loop = {
        .run = run, .shard = shard, .first = first, .step = step, .out = out->entries + out->count};
    if (count > 0) memset(loop.out, 0, count * sizeof *loop.out); /* a part may have no block */
    out->count += count; /* from here on alcore__partials_clear() frees what tasks allocate */
    /* The stage of the progress is the strategy's name: blocks that are done, of all in the pass.
     */
    ALCORE__TRY(alcore__tick(run->ctx, run->def->name, done, visits));
    return alcore__parallel_part(run->ctx, run->def->name, done, visits, (int64_t)count, map_task,
                                 &loop);
}

/* ---- the end of a pass ---- */

/* Fails unless every block of the pass was reduced: a part that was lost would otherwise change
 * sums silently. */
alcore_status alcore__run_end_pass(alcore__run *run) {
    alcore__runner *runner = run->runner;
    int64_t blocks = run->active[alcore__present_pass(run)->source].blocks;
    if (runner->next_block != blocks)
        return alcore__fail(ALCORE_E_INTERNAL, "%lld of %lld blocks were reduced",
                            (long long)runner->next_block, (long long)blocks);
    runner->next_block = 0;
    runner->pass_count++;
    ALCORE__TRY(
        alcore__tick(run->ctx, run->def->name, runner->pass_count, -1 /* of an unknown number */));
    return alcore__passes_advance(run);
}

/* ---- shards ---- */

/* *out: part number `part` (from 0) of the `parts` parts of the pool, with one block memory (what a
 * block keeps from pass to pass), zeroed, for each block of candidates, those of other parts
 * included, so that it is indexed by block number; the entries of other parts stay unused. */
alcore_status alcore__shard_new(alcore__run *run, int32_t part, int32_t parts,
                                alcore__shard **out) {
    *out = NULL;
    alcore__shard *shard;
    ALCORE__TRY(alcore__new_array(run->ctx, 1, sizeof *shard, &shard));
    shard->part = part;
    shard->parts = parts;
    shard->block_count = run->active[ALCORE__OVER_CANDIDATES].blocks;
    alcore_status status = alcore__new_array(run->ctx, (size_t)shard->block_count,
                                             sizeof *shard->memory, &shard->memory);
    if (status != ALCORE_OK) {
        alcore__free(run->ctx, shard);
        return status;
    }
    *out = shard;
    return ALCORE_OK;
}

/* After a failure kernels of wide blocks may still be queued, so the device is waited for. */
void alcore__shard_free(alcore__run *run, alcore__shard *shard) {
    if (!shard) return;
    if (run->stream) alcore__close_visits(run);
    run->runner->memory = NULL;
    for (int64_t b = 0; b < shard->block_count; b++)
        alcore__block_memory_free(run, &shard->memory[b]);
    alcore__free(run->ctx, shard->memory);
    alcore__free(run->ctx, shard);
}

void alcore__shard_blocks(const alcore__run *run, const alcore__shard *shard, int64_t *first,
                          int64_t *end) {
    int64_t blocks = run->active[alcore__present_pass(run)->source].blocks;
    *first = blocks * shard->part / shard->parts;
    *end = blocks * (shard->part + 1) / shard->parts;
}

/* ---- one process, one shard ---- */

/* How many blocks the wave of the pass that begins with a block has: as many as have WAVE_BYTES of
 * partials, estimated as the sums, two doubles for each row of a block and the extra bytes that the
 * first block asks for, and at least a few for each thread. */
int64_t alcore__blocks_per_wave(alcore__run *run, int64_t first) {
    const alcore__pass *pass = alcore__present_pass(run);
    alcore__block block;
    int64_t bytes = 2 * ALCORE_BLOCK_ROWS * (int64_t)sizeof(double);
    bytes += alcore__pass_sums(run, pass).count * (int64_t)sizeof(double);
    alcore__describe_block(run, pass, first, &block);
    if (pass->partial.extra && block.count) bytes += (int64_t)pass->partial.extra(&block);
    int64_t blocks = WAVE_BYTES / bytes, min_blocks = WAVE_BLOCKS_PER_THREAD * run->threads;
    if (blocks < min_blocks) blocks = min_blocks;
    int64_t step = alcore__blocks_of_visit(run); /* a wave ends with the end of a wide block */
    return (blocks + step - 1) / step * step;
}

/* Makes the present pass over all blocks, a wave at a time, and ends it. The partials of a wave are
 * freed before the next one is mapped. */
alcore_status alcore__run_make_pass(alcore__run *run, alcore__shard *shard) {
    const alcore__pass *pass = alcore__present_pass(run);
    alcore__open_visits(run, shard);
    const int64_t blocks = run->active[pass->source].blocks;
    for (int64_t first = 0, end; first < blocks; first = end) {
        alcore__partials partials = {0};
        const int64_t wave = alcore__blocks_per_wave(run, first);
        end = blocks - first < wave ? blocks : first + wave;
        alcore_status status = alcore__run_map(run, shard, first, end, &partials);
        if (status == ALCORE_OK) status = alcore__run_reduce(run, &partials);
        alcore__partials_clear(run->ctx, &partials);
        ALCORE__TRY(status);
    }
    return alcore__run_end_pass(run);
}

alcore_status alcore__run_drive(alcore__run *run) {
    alcore__shard *shard;
    ALCORE__TRY(alcore__shard_new(run, 0 /* part 0 of */, 1, &shard));
    alcore_status status = ALCORE_OK;
    while (!alcore__run_done(run) && status == ALCORE_OK)
        status = alcore__run_make_pass(run, shard);
    alcore__shard_free(run, shard);
    return status;
}

alcore_status alcore__strategy_run(const alcore_strategy *strategy, const alcore__run_input *input,
                                   alcore__outcome *out) {
    memset(out, 0, sizeof *out);
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(strategy, strategy->def, &strategy->values, input, &run));
    alcore_status status = alcore__run_drive(run);
    if (status == ALCORE_OK) status = alcore__run_finish(run, out);
    alcore__run_free(run);
    return status;
}
