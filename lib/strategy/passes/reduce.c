/* SPDX-License-Identifier: Apache-2.0 */
/* What partials have, and how they are reduced.
 *
 * Sums are reduced by ranges of components: a thread owns a range and adds the partials of the wave
 * to it in block order. Each component is thus summed by one adder in the order of spec 1.8,
 * whatever the number of threads, and large sums are added by all threads. */
#include <string.h>

#include "strategy/passes/runner.h"

enum {
    SUM_RANGE = 8192,           /* components of a range: 64 KiB stay in the cache of a core */
    MIN_PARALLEL_ADDS = 1 << 18 /* fewer additions are done before a thread is woken */
};

/* ---- the partial of a block ---- */

int64_t alcore__blocks_of_visit(const alcore__run *run) {
    const int64_t blocks = run->runner->visit_blocks;
    return blocks > 1 ? blocks : 1;
}

/* Fills in the block of a pass with the given number, from 0, or the wide block that begins with it
 * (the last one has fewer blocks than the others): its active rows are positions start .. start +
 * count - 1 among the active rows of the source. `memory` and `worker` stay NULL; map_task() sets
 * them, as only a block that is visited has them. */
void alcore__describe_block(alcore__run *run, const alcore__pass *pass, int64_t number,
                            alcore__block *out) {
    const alcore__active_rows *active = &run->active[pass->source];
    int64_t start = active->block_starts[number], blocks = alcore__blocks_of_visit(run);
    if (blocks > active->blocks - number) blocks = active->blocks - number;
    *out = (alcore__block){.run = run,
                           .source = pass->source,
                           .number = number,
                           .blocks = blocks,
                           .start = start,
                           .count = active->block_starts[number + blocks] - start,
                           .into = alcore__member_at(run, pass->partial.into),
                           .rows = active->rows ? active->rows + start : NULL};
}

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
alcore__partial_layout alcore__layout_of(const alcore__pass *pass, const alcore__block *block) {
    const alcore__partial_type *type = &pass->partial;
    alcore__partial_layout layout = {0};
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

bool alcore__pass_joins(const alcore__run *run, const alcore__pass *pass) {
    const alcore__partial_type *type = &pass->partial;
    return type->join && !type->sums && (alcore__lists_own(run) || !type->values[0]);
}

/* ---- reduce ---- */

/* Whether nothing is known of the active rows in blocks of other shards. */
static bool is_unknown(const alcore__run *run, const alcore__pass *pass) {
    return alcore__lists_own(run) && pass->source == ALCORE__OVER_CANDIDATES;
}

/* The layout of a partial that is reduced: of values that a shard keeps it has none. */
static alcore__partial_layout exchanged_layout(const alcore__run *run, const alcore__pass *pass,
                                               const alcore__block *block) {
    alcore__partial_layout layout = {0};
    if (!block->count && !is_unknown(run, pass)) return layout;
    layout = alcore__layout_of(pass, block);
    if (alcore__lists_own(run) && !pass->partial.sums) layout.leading_bytes = 0;
    return layout;
}

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
    alcore__describe_block(run, pass, number, &block);
    *next = number + block.blocks;
    const alcore__partial_layout layout = exchanged_layout(run, pass, &block);
    if (alcore__pass_tells(run, pass) && partial->bytes % 8 == 0) return ALCORE_OK;
    if (alcore__pass_varies(run, pass) &&
        partial->bytes <= layout.leading_bytes + layout.extra_bytes)
        return ALCORE_OK;
    /* Without bytes where it is in that of another block, or in a block of another shard, of whose
     * candidates nothing is known. */
    if (partial->bytes == 0 && run->runner->exchanges &&
        (is_unknown(run, pass) || alcore__pass_joins(run, pass)))
        return ALCORE_OK;
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
        alcore__describe_block(loop->run, alcore__present_pass(loop->run),
                               loop->partials->entries[p].block, &block);
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
    alcore__describe_block(run, pass, partial->block, &block);
    if (!partial->bytes) return ALCORE_OK;
    alcore__partial_layout layout = exchanged_layout(run, pass, &block);
    if (alcore__pass_tells(run, pass) || alcore__pass_varies(run, pass))
        layout.extra_bytes = partial->bytes;
    if (!alcore__lists_own(run)) store_values(run, pass, &block, partial->data);
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

/* The values of own blocks go where they stay, and the partials have what is left. */
void alcore__run_keep_values(alcore__run *run, alcore__partials *partials) {
    const alcore__pass *pass = alcore__present_pass(run);
    for (size_t p = 0; p < partials->count; p++) {
        alcore__partial *partial = &partials->entries[p];
        alcore__block block;
        if (!partial->bytes || pass->partial.sums) continue;
        alcore__describe_block(run, pass, partial->block, &block);
        const size_t leading = alcore__layout_of(pass, &block).leading_bytes;
        store_values(run, pass, &block, partial->data);
        partial->bytes -= leading;
        memmove(partial->data, (const char *)partial->data + leading, partial->bytes);
    }
}
