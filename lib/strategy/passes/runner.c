/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the passes of a strategy.
 *
 * A pass is mapped and reduced in waves of adjacent blocks: the blocks of a wave are visited by all
 * threads and leave their partials, which are then reduced in block order. A wave is as large as
 * WAVE_BYTES of partials allow, so a pass over a million rows is one wave, and no pass (k-means
 * sends clusters x dims sums a block) holds more than that beside what partials are reduced to.
 *
 * Sums are reduced by ranges of components: a thread owns a range and adds the partials of the wave
 * to it in block order. Each component is thus summed by one adder in the order of spec 1.8,
 * whatever the number of threads, and large sums are added by all threads. */
#include <string.h>

#include "strategy/budget/fill.h"
#include "strategy/passes/runner.h"
#include "strategy/strategy_handle.h"

enum {
    WAVE_BYTES = 16 << 20,      /* 16 MiB of partials */
    WAVE_BLOCKS_PER_THREAD = 4, /* at least, so that threads rarely wait for the last block */
    SUM_RANGE = 8192,           /* components of a range: 64 KiB stay in the cache of a core */
    MIN_PARALLEL_ADDS = 1 << 18 /* fewer additions are done before a thread is woken */
};

/* ---- the partial of a block ---- */

/* Sizes of the two parts of a block's partial. */
typedef struct partial_layout {
    size_t leading_bytes; /* of the sums or values, which the runner reduces */
    size_t extra_bytes;   /* of what follows, which is passed to the pass's reduce() */
} partial_layout;

/* How many arrays the values of a partial are stored in. */
static int32_t count_values(const alcore__partial_type *type) {
    int32_t count = 0;
    while (count < ALCORE__VALUE_ARRAYS && type->values[count]) count++;
    return count;
}

/* Where the parts of a block's partial lie: first the sums of the pass (the same number for every
 * block, and for each block of a wide one) or one double for each active row of the block, then the
 * extra bytes that the pass asks for. Map and reduce both call it, so the two agree on the layout.
 */
static partial_layout layout_of(const alcore__pass *pass, const alcore__block *block) {
    const alcore__partial_type *type = &pass->partial;
    partial_layout layout = {0};
    int64_t doubles = type->sums ? block->blocks * alcore__pass_sums(block->run, pass).count
                                 : block->count * count_values(type);
    layout.leading_bytes = (size_t)doubles * sizeof(double);
    layout.extra_bytes = (size_t)block->count * type->row_bytes;
    if (type->extra) layout.extra_bytes += type->extra(block);
    return layout;
}

bool alcore__pass_has_partial(const alcore__pass *pass) {
    const alcore__partial_type *type = &pass->partial;
    return type->sums || type->values[0] || type->row_bytes || type->extra;
}

/* ---- map ---- */

/* What the tasks of alcore__run_map() share: one task for each block. */
typedef struct map_loop {
    alcore__run *run;
    alcore__shard *shard; /* has the memory that blocks of candidates keep between passes */
    int64_t first;        /* the block of task 0 */
    int64_t step;         /* blocks of a task, but the last: 1, or those of a wide block */
    alcore__partial *out; /* [tasks] the partial of each block */
} map_loop;

/* How many blocks the present pass visits as one. */
static int64_t blocks_of_visit(const alcore__run *run) {
    const int64_t blocks = run->runner->visit_blocks;
    return blocks > 1 ? blocks : 1;
}

/* Fills in the block of a pass with the given number, from 0, or the wide block that begins with it
 * (the last one has fewer blocks than the others): its active rows are positions start .. start +
 * count - 1 among the active rows of the source. `memory` and `worker` stay NULL; map_task() sets
 * them, as only a block that is visited has them. */
static void describe_block(alcore__run *run, const alcore__pass *pass, int64_t number,
                           alcore__block *out) {
    const alcore__active_rows *active = &run->active[pass->source];
    int64_t start = active->block_starts[number], blocks = blocks_of_visit(run);
    if (blocks > active->blocks - number) blocks = active->blocks - number;
    *out = (alcore__block){.run = run,
                           .source = pass->source,
                           .number = number,
                           .blocks = blocks,
                           .start = start,
                           .count = active->block_starts[number + blocks] - start,
                           .into = alcore__member_at(run, pass->partial.into),
                           .rows = active->rows + start};
}

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

/* Allocates the zeroed partial of a block and lets the pass fill it in. A pass that can have
 * partials but has no bytes for this block has nothing to do there and is not called; a pass
 * without partials is called with NULL. Everything that the pass pushed on the scratch stack is
 * released, also after a failure. out->data is owned by the set of partials that has the entry. */
static alcore_status visit_block(map_loop *loop, alcore__block *block, alcore__partial *out) {
    alcore__run *run = loop->run;
    const alcore__pass *pass = alcore__present_pass(run);
    partial_layout layout = layout_of(pass, block);
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
    describe_block(loop->run, alcore__present_pass(loop->run), number, &block);
    loop->out[index] = (alcore__partial){.pass = loop->run->runner->pass_count, .block = number};
    if (!block.count) return ALCORE_OK;
    if (block.source == ALCORE__OVER_CANDIDATES) block.memory = &loop->shard->memory[number];
    ALCORE__TRY(get_worker(loop->run, worker, &block.worker));
    return visit_block(loop, &block, &loop->out[index]);
}

/* Any process that has begun the same run can call it for any blocks. Of wide blocks, which are for
 * one process alone, `first` is the first block of one, and `end` the end of one or of the pool. */
alcore_status alcore__run_map(alcore__run *run, alcore__shard *shard, int64_t first, int64_t end,
                              alcore__partials *out) {
    const alcore__pass *pass = alcore__present_pass(run);
    int64_t step = blocks_of_visit(run);
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

/* ---- reduce ---- */

/* Fails unless the partial is of the present pass and of block *next, and has as many bytes as
 * alcore__run_map() makes for that block; *next becomes the block after it. Called before anything
 * of the partial is read, as it may come from another process. */
static alcore_status check_partial(alcore__run *run, const alcore__partial *partial,
                                   int64_t *next) {
    const alcore__pass *pass = alcore__present_pass(run);
    int64_t number = *next;
    if (partial->pass != run->runner->pass_count || partial->block != number ||
        number >= run->active[pass->source].blocks)
        return alcore__fail(ALCORE_E_INTERNAL,
                            "pass %lld: block %lld was given for reduction where block %lld of "
                            "%lld is next",
                            (long long)run->runner->pass_count, (long long)partial->block,
                            (long long)number, (long long)run->active[pass->source].blocks);
    alcore__block block;
    describe_block(run, pass, number, &block);
    *next = number + block.blocks;
    partial_layout layout = {0};
    if (block.count) layout = layout_of(pass, &block);
    if (partial->bytes == 0 && pass->partial.join) return ALCORE_OK; /* in that of another block */
    if (layout.leading_bytes + layout.extra_bytes != partial->bytes)
        return alcore__fail(ALCORE_E_CORRUPT, "the partial of block %lld has %zu bytes, not %zu",
                            (long long)number, partial->bytes,
                            layout.leading_bytes + layout.extra_bytes);
    return ALCORE_OK;
}

/* What the tasks of reduce_sums() share: one task for each range of components. */
typedef struct sum_loop {
    alcore__run *run;
    alcore__doubles sums;             /* the totals, in the strategy's state */
    const alcore__partials *partials; /* of one wave, in block order */
} sum_loop;

/* Adds range `index` of the sums, SUM_RANGE components, of all partials of the wave to the totals,
 * one block after the other, those of a wide block too. One thread owns a range, so the order of
 * additions does not depend on how many threads there are. */
static alcore_status add_range(void *data, int64_t index, int32_t worker) {
    const sum_loop *loop = data;
    (void)worker;
    int64_t first = index * SUM_RANGE, left = loop->sums.count - first;
    int64_t count = left < SUM_RANGE ? left : SUM_RANGE;
    double *restrict total = loop->sums.values + first;
    for (size_t p = 0; p < loop->partials->count; p++) {
        const double *partial = loop->partials->entries[p].data;
        if (!partial) continue; /* a block without active rows */
        alcore__block block;
        describe_block(loop->run, alcore__present_pass(loop->run), loop->partials->entries[p].block,
                       &block);
        for (int64_t b = 0; b < block.blocks; b++) {
            const double *restrict sums = partial + b * loop->sums.count + first;
            for (int64_t j = 0; j < count; j++) total[j] += sums[j];
        }
    }
    return ALCORE_OK;
}

/* Adds the leading sums [sums.count] of every partial to sums.values, which the strategy zeroed
 * before the first pass that adds to them, range by range; in parallel where the additions
 * take longer than waking threads does. */
static alcore_status reduce_sums(alcore__run *run, alcore__doubles sums,
                                 const alcore__partials *partials) {
    sum_loop loop = {.run = run, .sums = sums, .partials = partials};
    int64_t ranges = (sums.count + SUM_RANGE - 1) / SUM_RANGE;
    if (sums.count * (int64_t)partials->count >= MIN_PARALLEL_ADDS)
        return alcore__parallel(run->ctx, NULL /* no stage of its own in the progress */, ranges,
                                add_range, &loop);
    for (int64_t r = 0; r < ranges; r++) ALCORE__TRY(add_range(&loop, r, 0 /* any worker */));
    return ALCORE_OK;
}

/* Stores values [arrays, active rows of the block] at the positions of the rows. */
static void store_values(const alcore__run *run, const alcore__pass *pass,
                         const alcore__block *block, const double *values) {
    for (int32_t i = 0; i < count_values(&pass->partial); i++, values += block->count) {
        const size_t place = pass->partial.values[i];
        double *into = place == ALCORE__SCORES ? run->outcome.scores
                                               : *(double **)alcore__member_at(run, place);
        memcpy(into + block->start, values, (size_t)block->count * sizeof *values);
    }
}

/* Stores the values of the partial of one block, and passes the extra bytes to the pass's reduce().
 * Leading sums were added by reduce_sums() before. check_partial() has accepted the partial. */
static alcore_status reduce_block(alcore__run *run, const alcore__pass *pass,
                                  const alcore__partial *partial) {
    alcore__block block;
    describe_block(run, pass, partial->block, &block);
    if (!partial->bytes) return ALCORE_OK;
    partial_layout layout = layout_of(pass, &block);
    store_values(run, pass, &block, partial->data);
    if (!pass->partial.reduce || !layout.extra_bytes) return ALCORE_OK;
    alcore__block_partial block_partial = {.block = block.number,
                                           .start = block.start,
                                           .count = block.count,
                                           .extra =
                                               (const char *)partial->data + layout.leading_bytes,
                                           .extra_bytes = layout.extra_bytes,
                                           .into = block.into,
                                           .source = pass->source};
    return pass->partial.reduce(run, &block_partial);
}

alcore_status alcore__run_check_partials(alcore__run *run, const alcore__partials *partials,
                                         int64_t *next) {
    *next = run->runner->next_block;
    for (size_t p = 0; p < partials->count; p++)
        ALCORE__TRY(check_partial(run, &partials->entries[p], next));
    return ALCORE_OK;
}

/* Partials must arrive in block order without a gap, as floating-point sums depend on the order
 * (spec 1.8). All are checked before the first is reduced: a refused set leaves the run as it was.
 * After a failure of the pass's reduce() the run can only be freed. */
alcore_status alcore__run_reduce(alcore__run *run, const alcore__partials *partials) {
    const alcore__pass *pass = alcore__present_pass(run);
    int64_t next;
    ALCORE__TRY(alcore__run_check_partials(run, partials, &next));
    run->runner->next_block = next;
    if (pass->partial.sums) ALCORE__TRY(reduce_sums(run, alcore__pass_sums(run, pass), partials));
    for (size_t p = 0; p < partials->count; p++)
        ALCORE__TRY(reduce_block(run, pass, &partials->entries[p]));
    return ALCORE_OK;
}

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
static int64_t blocks_per_wave(alcore__run *run, const alcore__pass *pass, int64_t first) {
    alcore__block block;
    int64_t bytes = 2 * ALCORE_BLOCK_ROWS * (int64_t)sizeof(double);
    bytes += alcore__pass_sums(run, pass).count * (int64_t)sizeof(double);
    describe_block(run, pass, first, &block);
    if (pass->partial.extra && block.count) bytes += (int64_t)pass->partial.extra(&block);
    int64_t blocks = WAVE_BYTES / bytes, min_blocks = WAVE_BLOCKS_PER_THREAD * run->threads;
    if (blocks < min_blocks) blocks = min_blocks;
    int64_t step = blocks_of_visit(run); /* a wave ends with the end of a wide block */
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
        const int64_t wave = blocks_per_wave(run, pass, first);
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
