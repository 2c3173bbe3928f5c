/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of BADGE: the rows of its one sequence of draws, of which each is offered to the budget.
 * The first is known by its position, a later one by its weight. */
#include "strategy/rules/badge.h"

#include <math.h>
#include <string.h>

/* ---- the first row ---- */

/* Position of the n-th candidate, from 0, that can still be picked; -1: there are fewer. */
static int64_t nth_free(const alcore__badge_state *state, int64_t n) {
    for (int64_t i = 0; i < state->greedy.run->outcome.count; i++) {
        if (alcore__greedy_is_free(&state->greedy, i) && n-- == 0) return i;
    }
    return -1;
}

int64_t alcore__badge_first_position(const alcore__badge_state *state, alcore__rng *rng) {
    int64_t count;
    const int64_t best = alcore__greedy_best_free(&state->greedy, state->squares, &count);
    if (!count || !state->first_uniform) return best;
    return nth_free(state, (int64_t)alcore__rng_below(rng, (uint64_t)count));
}

/* Draws the first row, unless the budget is full. */
static void draw_first(alcore__badge_state *state) {
    alcore__sequence *sequence = state->draws.sequence;
    alcore__sampler_clear_draws(&sequence->sampler);
    alcore__greedy_clear_best(&state->greedy);
    sequence->wanted = !alcore__filler_full(&state->greedy.filler);
    if (sequence->wanted)
        sequence->sampler.draw[0].position = alcore__badge_first_position(state, &sequence->rng);
}

alcore_status alcore__badge_draw_first(alcore__run *run) {
    draw_first(run->state);
    return ALCORE_OK;
}

/* ---- the rule of the draws ---- */

/* alcore__draw_rule.open: of a drawn row its weight, its factor a and its factor h, the embedding,
 * are taken, in this order (store_row()). */
static alcore_status open_block(const alcore__draws *draws, alcore__block *block,
                                alcore__draw_block *out) {
    const alcore__badge_state *state = draws->owner;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &out->matrix));
    const int64_t count = out->matrix.rows.count;
    const alcore__badge_rows rows = alcore__badge_lay_out(alcore__block_doubles(block), count);
    out->weights = rows.weights;
    out->speculative_weights = rows.speculative_weights;
    out->sums = rows.sums;
    out->taken[0] = alcore__rows_of(rows.weights, count, 1);
    out->taken[1] = alcore__badge_factors(state, rows.a, count);
    out->taken[2] = out->matrix.rows;
    out->taken_count = 3;
    return ALCORE_OK;
}

/* alcore__draw_rule.mask: the rows that can still be picked. */
static alcore_status mask_free(const alcore__draws *draws, const alcore__draw_block *rows,
                               int64_t sequence, const uint8_t **mask) {
    (void)sequence;
    return alcore__greedy_push_mask(&((const alcore__badge_state *)draws->owner)->greedy,
                                    &rows->matrix, mask);
}

/* alcore__draw_rule.has. */
static bool has_row(const alcore__draws *draws, int64_t sequence, int64_t place) {
    (void)sequence;
    return alcore__greedy_is_free(&((const alcore__badge_state *)draws->owner)->greedy, place);
}

/* alcore__draw_rule.measure: from the row that was bought last and, behind it in found_a, found_h
 * and found_squares, the speculative ones. squares, |a|^2 |h|^2 of each row, are the first array of
 * the block's doubles. */
static alcore_status measure(const alcore__draws *draws, const alcore__draw_block *rows,
                             int64_t sequence, const uint8_t *mask,
                             const alcore_sys_weights *weights) {
    const alcore__badge_state *state = draws->owner;
    const double *squares = alcore__block_doubles(rows->matrix.block);
    (void)sequence;
    return ALCORE__KERNEL(draws->run, min_badge, &rows->taken[1], &rows->matrix.rows, mask,
                          state->found_a, state->found_h, 1 + weights->speculative_count,
                          state->found_squares, squares, weights);
}

/* Copies a drawn row into the state. Draw 0 is the row that the budget is offered; the others are
 * speculative and only save a pass if a later draw hits them. */
static void store_row(alcore__draws *draws, int64_t sequence, int64_t draw, int64_t place,
                      const double *taken) {
    alcore__badge_state *state = draws->owner;
    const double *a = taken + 1, *h = a + state->classes;
    (void)sequence;
    state->found_squares[draw] = state->squares[place];
    memcpy(state->found_a + draw * state->classes, a, (size_t)state->classes * sizeof *a);
    memcpy(state->found_h + draw * state->dims, h, (size_t)state->dims * sizeof *h);
    if (draw > 0) return; /* speculative */
    state->greedy.best = place;
    state->found_weight = taken[0];
}

/* The row that was drawn is offered. The score of a center is its distance to the nearest earlier
 * one, for the first the length of its gradient. When the first row is passed over, the next one is
 * tried at once, as there are no weights yet; when a later one is, the pass "D^2 weights" adds the
 * weights up again without it. */
static alcore_status accept_row(alcore__run *run, alcore__draws *draws) {
    alcore__badge_state *state = draws->owner;
    alcore__greedy *greedy = &state->greedy;
    alcore__sequence *sequence = draws->sequence;
    alcore__sampler *sampler = &sequence->sampler;
    const double weight = draws->weighs ? state->found_weight : state->found_squares[0];
    bool bought;
    (void)run;
    ALCORE__TRY(alcore__greedy_turn(greedy, sqrt(weight), &bought));
    if (bought) {
        draws->weighs = true;
        alcore__sampler_accept(sampler);
        alcore__sampler_pack(sampler, state->found_a, state->classes);
        alcore__sampler_pack(sampler, state->found_h, state->dims);
        alcore__sampler_pack(sampler, state->found_squares, 1 /* number each */);
    }
    sequence->same = !bought;
    sequence->wanted = greedy->has_next;
    alcore__greedy_clear_best(greedy);
    if (!draws->weighs) draw_first(state);
    return ALCORE_OK;
}

/* alcore__draw_rule.first. */
static void first_free(const alcore__draws *draws, int64_t sequence, alcore__draw *out) {
    (void)sequence;
    out->position = nth_free(draws->owner, 0 /* the first */);
}

static const alcore__draw_rule RULE = {.open = open_block,
                                       .mask = mask_free,
                                       .has = has_row,
                                       .weighs_all = true,
                                       .measure = measure,
                                       .store = store_row,
                                       .accept = accept_row,
                                       .first = first_free};

/* draws_left: it is not known how many rows the budget buys; more than ALCORE__MAX_DRAWS make no
 * difference. */
alcore_status alcore__badge_begin_draws(alcore__run *run) {
    alcore__badge_state *state = run->state;
    ALCORE__TRY(alcore__draws_begin(run, &RULE, state, 1 /* sequence */,
                                    1 + state->classes + state->dims, &state->draws));
    alcore__sequence *sequence = state->draws.sequence;
    alcore__rng_seed(&sequence->rng,
                     alcore__rng_derive(run->input->seed, ALCORE__TAG_BADGE,
                                        (uint64_t)run->input->round, 0 /* one sequence a round */));
    alcore__sampler_begin(run, false /* not as unit vectors */, &sequence->sampler);
    sequence->draws_left = ALCORE__MAX_DRAWS;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, ALCORE__MAX_DRAWS * state->classes, &state->found_a));
    return ALCORE__RUN_ARRAY(run, ALCORE__MAX_DRAWS * state->dims, &state->found_h);
}
