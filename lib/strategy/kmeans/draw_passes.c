/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that find the rows that were drawn, weigh the others, and draw again (draw_passes.h). */
#include "strategy/kmeans/draw_passes.h"

#include <string.h>

alcore_status alcore__draws_begin(alcore__run *run, const alcore__draw_rule *rule, void *owner,
                                  int64_t count, int64_t taken_size, alcore__draws *draws) {
    const int64_t blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    draws->rule = rule;
    draws->owner = owner;
    draws->run = run;
    draws->count = count;
    draws->taken_size = taken_size;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &draws->sequence));
    return ALCORE__RUN_ARRAY(run, blocks * count, &draws->block_weights);
}

/* Whether the next row of a sequence is drawn by the engine. */
static bool draws_on_engine(const alcore__sequence *sequence) {
    return sequence->wanted && sequence->sampler.draw[0].by_engine;
}

/* Condition of the pass "engine draws". */
static bool has_engine_draw(const alcore__run *run) {
    const alcore__draws *draws = run->state;
    for (int64_t s = 0; s < draws->count; s++)
        if (draws_on_engine(&draws->sequence[s])) return true;
    return false;
}

/* Condition of the pass "drawn rows": a draw is found by its position, or in a block. */
static bool has_block_draw(const alcore__run *run) {
    const alcore__draws *draws = run->state;
    for (int64_t s = 0; s < draws->count; s++) {
        const alcore__draw *draw = &draws->sequence[s].sampler.draw[0];
        if (draws->sequence[s].wanted && (draw->position >= 0 || draw->block >= 0)) return true;
    }
    return false;
}

/* Loop of the three passes. */
static bool has_draw(const alcore__run *run) {
    return has_block_draw(run) || has_engine_draw(run);
}

/* Stores a row that was found. */
static void store(alcore__draws *draws, int64_t s, int64_t draw, int64_t place,
                  const double *taken) {
    draws->sequence[s].sampler.found[draw] = place;
    draws->rule->store(draws, s, draw, place, taken);
}

/* ---- pass "engine draws" ---- */

/* Queues the draws of all sequences that have rows in the block: kernels find the drawn rows by the
 * running sums of the weights and copy what is taken of them, and nothing is waited for. */
static alcore_status queue_draws(alcore__block *block, void *partial) {
    const alcore__draws *draws = block->run->state;
    alcore__draw_block rows;
    (void)partial;
    ALCORE__TRY(draws->rule->open(draws, block, &rows));
    for (int64_t s = 0; s < draws->count; s++) {
        const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
        const uint8_t *mask;
        if (!draws_on_engine(&draws->sequence[s])) continue;
        ALCORE__TRY(draws->rule->mask(draws, &rows, s, &mask));
        if (mask)
            ALCORE__TRY(alcore__device_draws_find(&draws->device, &rows.matrix, s,
                                                  &draws->sequence[s].sampler, mask, rows.weights,
                                                  rows.sums, rows.taken_count, rows.taken));
        alcore__scratch_release(block, mark);
    }
    return ALCORE_OK;
}

/* Stores what the engine has found for a sequence. Without a weight no row is found, and the first
 * one that can be drawn is left to the pass "drawn rows". */
static void store_engine_draws(alcore__draws *draws, int64_t s) {
    alcore__sampler *sampler = &draws->sequence[s].sampler;
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS && sampler->draw[k].by_engine; k++) {
        int64_t position;
        const double *taken =
            alcore__device_draws_found(draws->run, &draws->device, s, k, &position);
        if (!taken) {
            alcore__sampler_clear_draws(sampler);
            draws->rule->first(draws, s, &sampler->draw[0]);
            return;
        }
        store(draws, s, k, position, taken);
    }
}

/* End of the pass: reads what the kernels of all visits have found. */
static alcore_status read_draws(alcore__run *run) {
    alcore__draws *draws = run->state;
    ALCORE__TRY(alcore__device_draws_read(run, &draws->device));
    for (int64_t s = 0; s < draws->count; s++)
        if (draws_on_engine(&draws->sequence[s])) store_engine_draws(draws, s);
    return has_block_draw(run) ? ALCORE_OK : draws->rule->accept(run, draws);
}

/* ---- pass "drawn rows" ---- */

/* The partial has such an entry for each row that was found in the block. */
typedef struct found_row {
    int64_t sequence, draw, place;
    double taken[]; /* [taken_size] */
} found_row;

alcore_status alcore__fail_draw(void) {
    return alcore__fail(ALCORE_E_CORRUPT, "a partial has a draw that was not made");
}

/* Bytes of such an entry. */
static size_t found_row_bytes(const alcore__draws *draws) {
    return sizeof(found_row) + (size_t)draws->taken_size * sizeof(double);
}

/* 0 for nearly all blocks, which are then not visited at all. */
static size_t found_bytes(const alcore__block *block) {
    const alcore__draws *draws = block->run->state;
    size_t count = 0;
    for (int64_t s = 0; s < draws->count; s++)
        for (int32_t k = 0; draws->sequence[s].wanted && k < ALCORE__MAX_DRAWS; k++)
            count += alcore__draw_is_in(&draws->sequence[s].sampler.draw[k], block);
    return count * found_row_bytes(draws);
}

/* Copies what is taken of the active row with an index from the engine's memory to out [taken_size]
 * in host memory: its entries of rows->taken, one after the other, of which the last is its row of
 * the matrix. */
static alcore_status take_row(const alcore__draw_block *rows, int64_t index, double *out) {
    const int64_t matrix_row = alcore__matrix_row_of(&rows->matrix, index);
    for (int32_t m = 0; m < rows->taken_count - 1; m++) {
        const int64_t dims = rows->taken[m].dims;
        const double *values = (const double *)rows->taken[m].data + matrix_row * dims;
        ALCORE__TRY(alcore__download(rows->matrix.block->run, values, dims, out));
        out += dims;
    }
    return alcore__matrix_copy_row(&rows->matrix, index, out);
}

/* Each draw is found, as one by weight chose the block only where such a row has a weight; where
 * another process has lied about that it is not. The mask of a sequence is made once for all of its
 * draws. */
static alcore_status find_draws(alcore__block *block, void *partial) {
    const alcore__draws *draws = block->run->state;
    alcore__draw_block rows;
    char *out = partial;
    ALCORE__TRY(draws->rule->open(draws, block, &rows));
    for (int64_t s = 0; s < draws->count; s++) {
        const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
        const uint8_t *mask = NULL;
        for (int32_t k = 0; draws->sequence[s].wanted && k < ALCORE__MAX_DRAWS; k++) {
            const alcore__draw *draw = &draws->sequence[s].sampler.draw[k];
            found_row *found = (found_row *)(void *)out;
            int64_t index = -1; /* not found */
            if (!alcore__draw_is_in(draw, block)) continue;
            if (!mask) ALCORE__TRY(draws->rule->mask(draws, &rows, s, &mask));
            if (draw->number >= 0)
                index = draws->rule->numbered(draws, block, s, draw->number);
            else if (mask || draw->position >= 0)
                ALCORE__TRY(alcore__draw_find(draw, &rows.matrix, mask, rows.weights, &index));
            if (index < 0) return alcore__fail_draw();
            *found =
                (found_row){.sequence = s, .draw = k, .place = alcore__block_place(block, index)};
            ALCORE__TRY(take_row(&rows, index, found->taken));
            out += found_row_bytes(draws);
        }
        alcore__scratch_release(block, mark);
    }
    return ALCORE_OK;
}

/* Whether an entry of a partial, which may come from another process, is a draw that was made and
 * not found yet, and names a row that can be drawn; in a run over own rows, where that is not known
 * of another shard's, one of the block that the draw and the partial are of. */
static bool is_found(const alcore__draws *draws, const found_row *found, int64_t block) {
    if (found->sequence < 0 || found->sequence >= draws->count || found->draw < 0 ||
        found->draw >= ALCORE__MAX_DRAWS || !draws->sequence[found->sequence].wanted)
        return false;
    const alcore__sampler *sampler = &draws->sequence[found->sequence].sampler;
    const alcore__draw *draw = &sampler->draw[found->draw];
    if (alcore__lists_own(draws->run) &&
        (found->place / ALCORE_BLOCK_ROWS != block || draw->block != block))
        return false;
    return sampler->found[found->draw] < 0 &&
           (draw->position >= 0
                ? draw->position == found->place
                : draw->block >= 0 && draws->rule->has(draws, found->sequence, found->place));
}

/* Reduces the partial of one block: its entries lie one behind the other. */
static alcore_status store_draws(alcore__run *run, const alcore__block_partial *partial) {
    alcore__draws *draws = run->state;
    for (size_t at = 0; at < partial->extra_bytes; at += found_row_bytes(draws)) {
        const found_row *found = (const void *)((const char *)partial->extra + at);
        ALCORE__TRY(alcore__partial_check_index(found->place, alcore__place_end(run)));
        if (!is_found(draws, found, partial->block)) return alcore__fail_draw();
        store(draws, found->sequence, found->draw, found->place, found->taken);
    }
    return ALCORE_OK;
}

/* End of the pass: all draws are found. */
static alcore_status accept(alcore__run *run) {
    alcore__draws *draws = run->state;
    return draws->rule->accept(run, draws);
}

/* ---- pass "D^2 weights" ---- */

/* Start of the pass: makes the memory in which the device draws, once, if the run has wide blocks.
 */
static alcore_status open_draws(alcore__run *run) {
    alcore__draws *draws = run->state;
    return alcore__device_draws_open(run, draws->count, draws->taken_size, &draws->device);
}

/* Condition of the pass: another row is drawn by weight. */
static bool wants_weights(const alcore__run *run) {
    const alcore__draws *draws = run->state;
    for (int64_t s = 0; draws->weighs && s < draws->count; s++)
        if (draws->sequence[s].wanted) return true;
    return false;
}

/* The partial: the total weight of each sequence in the block, or in each block of a wide one:
 * double [blocks, count]. It stays 0 for one without rows in the block. */
static size_t weights_bytes(const alcore__block *block) {
    const alcore__draws *draws = block->run->state;
    return (size_t)(block->blocks * draws->count) * sizeof(double);
}

/* Lowers the weights of the rows of a sequence, and adds up those of the rows that can be drawn, in
 * *total or, where it is NULL, for the device's draws. Three cases: the last row was not taken, so
 * that only the total is computed again (values NULL); it was a speculative row whose distances an
 * earlier pass measured, so that the minimum of both arrays is enough; else the rows are measured
 * from it now, and from the next speculative rows. */
static alcore_status weigh_sequence(const alcore__draws *draws, const alcore__draw_block *rows,
                                    int64_t s, const uint8_t *mask, double *total) {
    const alcore__run *run = rows->matrix.block->run;
    const alcore__sampler *sampler = &draws->sequence[s].sampler;
    const int64_t count = rows->matrix.rows.count;
    const bool all = draws->rule->weighs_all;
    const uint8_t *weighed = all ? rows->matrix.mask : mask;
    const double *values = NULL;
    alcore_sys_weights weights = {.minimum = rows->weights,
                                  .speculative = rows->speculative_weights,
                                  .speculative_count = sampler->speculative,
                                  .total_mask = all ? mask : NULL,
                                  .total = total};
    if (!draws->sequence[s].same) {
        if (sampler->hit < 0) return draws->rule->measure(draws, rows, s, weighed, &weights);
        values = rows->speculative_weights + sampler->hit * count;
    } else if (!total) {
        return ALCORE_OK;
    }
    return ALCORE__KERNEL(run, update_min, count, weighed, values, &weights);
}

/* Weighs the rows of all sequences that want a row. A sequence without a row in the block, whose
 * mask is NULL, keeps the total 0. */
static alcore_status weigh_rows(alcore__block *block, void *partial) {
    const alcore__draws *draws = block->run->state;
    /* A call has one total, but a wide block one for each of its blocks. */
    const bool wide = alcore__device_draws_are_open(&draws->device);
    alcore__draw_block rows;
    double *totals = partial;
    ALCORE__TRY(draws->rule->open(draws, block, &rows));
    for (int64_t s = 0; s < draws->count; s++) {
        const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
        const uint8_t *mask;
        if (!draws->sequence[s].wanted) continue;
        ALCORE__TRY(draws->rule->mask(draws, &rows, s, &mask));
        if (mask) ALCORE__TRY(weigh_sequence(draws, &rows, s, mask, wide ? NULL : &totals[s]));
        if (mask && wide)
            ALCORE__TRY(alcore__device_draws_add(&draws->device, &rows.matrix, s, mask,
                                                 rows.weights, rows.sums));
        alcore__scratch_release(block, mark);
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: the lines of its blocks in block_weights. */
static alcore_status store_weights(alcore__run *run, const alcore__block_partial *partial) {
    alcore__draws *draws = run->state;
    memcpy(draws->block_weights + partial->block * draws->count, partial->extra,
           partial->extra_bytes);
    return ALCORE_OK;
}

/* Draws the next row of a sequence with a probability proportional to the weights, weighted(D^2,
 * f64()) of spec 1.7, to draw[0], and the speculative rows after it. Where the host draws, only the
 * block and the target of the running weight are known here; the block finds the row. No row has a
 * weight where all that are left are duplicates of those drawn before: the first is next.
 * Speculative draws use the numbers that the generator will return next, from a copy of it, so that
 * they do not change later draws. */
static void draw_next(alcore__run *run, alcore__draws *draws, int64_t s) {
    alcore__sequence *sequence = &draws->sequence[s];
    alcore__sampler *sampler = &sequence->sampler;
    const int32_t speculative = alcore__sampler_speculative_draws(sampler);
    alcore__sampler_clear_draws(sampler);
    if (!alcore__device_draws_draw(run, &draws->device, draws->block_weights, s,
                                   alcore__rng_f64(&sequence->rng), &sampler->draw[0]))
        draws->rule->first(draws, s, &sampler->draw[0]);
    alcore__rng ahead = sequence->rng;
    for (int32_t k = 1; k <= speculative && k <= sequence->draws_left; k++)
        alcore__device_draws_draw(run, &draws->device, draws->block_weights, s,
                                  alcore__rng_f64(&ahead), &sampler->draw[k]);
}

/* End of the pass. */
static alcore_status draw_rows(alcore__run *run) {
    alcore__draws *draws = run->state;
    ALCORE__TRY(alcore__device_draws_decide(run, &draws->device, draws->block_weights));
    for (int64_t s = 0; s < draws->count; s++)
        if (draws->sequence[s].wanted) draw_next(run, draws, s);
    return ALCORE_OK;
}

const alcore__pass alcore__draw_passes[] = {
    {.name = "engine draws",
     .block = queue_draws,
     .end = read_draws,
     .when = ALCORE__TEST(has_engine_draw)},
    {.name = "drawn rows",
     .block = find_draws,
     .partial = {.extra = found_bytes, .reduce = store_draws},
     .end = accept,
     .when = ALCORE__TEST(has_block_draw)},
    {.name = "D^2 weights",
     .block = weigh_rows,
     .partial = {.extra = weights_bytes, .reduce = store_weights},
     .end = draw_rows,
     .when = ALCORE__TEST(wants_weights),
     .start = open_draws,
     .again = ALCORE__TEST(has_draw),
     .back = 2},
    {.name = NULL},
};
