/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of BADGE: which row is next, and the pass "drawn rows", which fetches its vectors and those
 * of speculative rows, and offers it to the budget. */
#include "strategy/rules/badge.h"

#include <math.h>
#include <string.h>

/* ---- which row ---- */

/* Position of the n-th candidate, from 0, that can still be picked; -1: there are fewer. */
static int64_t nth_free(const alcore__run *run, int64_t n) {
    const alcore__badge_state *state = run->state;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (alcore__greedy_is_free(&state->greedy, i) && n-- == 0) return i;
    }
    return -1;
}

/* Position of the next row to try as the first center, among those that can be picked: the one of
 * the largest gradient, the lower row in a tie, or a uniform draw; -1: none is left. */
static int64_t first_position(alcore__run *run) {
    alcore__badge_state *state = run->state;
    int64_t count;
    const int64_t best = alcore__greedy_best_free(&state->greedy, state->squares, &count);
    if (!count || !state->first_uniform) return best;
    return nth_free(run, (int64_t)alcore__rng_below(&state->rng, (uint64_t)count));
}

/* Draws the next row by D^2 weight, weighted(D^2, f64()) of spec 1.7, to draw[0], and speculative
 * rows, which the draws after it would hit under the present weights, to draw[1] and on. These use
 * a copy of the generator, so that speculation does not change the numbers of later draws. */
static void draw_by_weight(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__sampler *sampler = &state->sampler;
    const alcore__device_draws *draws = &state->device_draws; /* one sequence */
    int32_t speculative = alcore__sampler_speculative_draws(sampler);
    double u = alcore__rng_f64(&state->rng);
    alcore__rng ahead = state->rng;
    /* No row has a weight where all that are left are duplicates of centers: the first is next. */
    if (!alcore__device_draws_draw(run, draws, state->block_weights, 0, u, &sampler->draw[0]))
        sampler->draw[0].position = nth_free(run, 0 /* the first */);
    for (int32_t k = 1; k <= speculative; k++)
        alcore__device_draws_draw(run, draws, state->block_weights, 0, alcore__rng_f64(&ahead),
                                  &sampler->draw[k]);
}

/* The first row is known by its position, a later one by its block and the running weight inside
 * it. */
alcore_status alcore__badge_draw_next(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__sampler_clear_draws(&state->sampler);
    alcore__greedy_clear_best(&state->greedy);
    if (alcore__filler_full(&state->greedy.filler)) return ALCORE_OK;
    if (state->has_center) {
        ALCORE__TRY(alcore__device_draws_decide(run, &state->device_draws, state->block_weights));
        draw_by_weight(run);
    } else {
        state->sampler.draw[0].position = first_position(run);
    }
    return ALCORE_OK;
}

bool alcore__badge_has_block_draw(const alcore__run *run) {
    const alcore__draw *draw = &((const alcore__badge_state *)run->state)->sampler.draw[0];
    return draw->position >= 0 || draw->block >= 0;
}

bool alcore__badge_has_engine_draw(const alcore__run *run) {
    return ((const alcore__badge_state *)run->state)->sampler.draw[0].by_engine;
}

bool alcore__badge_has_draw(const alcore__run *run) {
    return alcore__badge_has_block_draw(run) || alcore__badge_has_engine_draw(run);
}

/* ---- pass "drawn rows": the vectors of the rows that were drawn ---- */

/* The partial has such an entry for each drawn row of the block; a [classes] and h [dims] follow
 * it, as doubles. */
typedef struct found_row {
    int64_t draw;     /* 0: the row that was drawn; k: speculative row k */
    int64_t position; /* of the row among the candidates */
    double square;    /* G */
    double weight;    /* D^2 weight of the row that was drawn; 0 of a speculative one */
} found_row;

/* Bytes of an entry with its two vectors. */
static size_t found_entry_bytes(const alcore__badge_state *state) {
    return sizeof(found_row) + (size_t)(state->classes + state->dims) * sizeof(double);
}

/* 0 for nearly all blocks, which are then not visited at all. */
size_t alcore__badge_found_bytes(const alcore__block *block) {
    const alcore__badge_state *state = block->run->state;
    size_t count = 0;
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++)
        count += alcore__draw_is_in(&state->sampler.draw[k], block);
    return count * found_entry_bytes(state);
}

/* Writes the entry of the drawn row at an index of the block to out: what the engine's memory has
 * of it. draw: 0 for the drawn row, else the number of the speculative one, whose weight is not
 * read. */
static alcore_status write_found(const alcore__badge_state *state, const alcore__matrix *matrix,
                                 const alcore__badge_rows *rows, int32_t draw, int64_t index,
                                 char *out) {
    const alcore__run *run = matrix->block->run;
    const int64_t row = alcore__matrix_row_of(matrix, index);
    double *a = (double *)(void *)(out + sizeof(found_row));
    found_row entry = {.draw = draw, .position = matrix->block->start + index};
    entry.square = state->squares[entry.position];
    if (draw == 0) ALCORE__TRY(alcore__download(run, rows->weights + row, 1, &entry.weight));
    memcpy(out, &entry, sizeof entry);
    ALCORE__TRY(alcore__download(run, rows->a + row * state->classes, state->classes, a));
    return alcore__matrix_copy_row(matrix, index, a + state->classes);
}

/* Each is found: a draw by weight chose the block only where such a row has a weight. */
alcore_status alcore__badge_find_drawn(alcore__block *block, void *partial) {
    const alcore__badge_state *state = block->run->state;
    alcore__matrix matrix;
    char *out = partial;
    const uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    const alcore__badge_rows rows =
        alcore__badge_lay_out(alcore__block_doubles(block), matrix.rows.count);
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++) {
        const alcore__draw *draw = &state->sampler.draw[k];
        int64_t index;
        if (!alcore__draw_is_in(draw, block)) continue;
        ALCORE__TRY(alcore__draw_find(draw, &matrix, mask, rows.weights, &index));
        ALCORE__TRY(write_found(state, &matrix, &rows, k, index, out));
        out += found_entry_bytes(state);
    }
    return ALCORE_OK;
}

/* Copies a drawn row into the state; a [classes] and h [dims]. Draw 0 is the row that the budget is
 * offered; the others are speculative and only save a pass if a later draw hits them. */
static void store_found_row(alcore__badge_state *state, const found_row *found, const double *a,
                            const double *h) {
    int64_t draw = found->draw;
    state->sampler.found[draw] = found->position;
    state->found_squares[draw] = found->square;
    memcpy(state->found_a + draw * state->classes, a, (size_t)state->classes * sizeof *a);
    memcpy(state->found_h + draw * state->dims, h, (size_t)state->dims * sizeof *h);
    if (draw > 0) return; /* speculative */
    state->greedy.best = found->position;
    state->found_weight = found->weight;
}

alcore_status alcore__badge_store_found(alcore__run *run, const alcore__block_partial *partial) {
    alcore__badge_state *state = run->state;
    for (size_t offset = 0; offset < partial->extra_bytes; offset += found_entry_bytes(state)) {
        const char *entry = (const char *)partial->extra + offset;
        const double *a = (const double *)(const void *)(entry + sizeof(found_row));
        found_row found;
        memcpy(&found, entry, sizeof found);
        store_found_row(state, &found, a, a + state->classes);
    }
    return ALCORE_OK;
}

/* ---- pass "engine draws": the same where the engine draws ---- */

alcore_status alcore__badge_queue_draws(alcore__block *block, void *partial) {
    const alcore__badge_state *state = block->run->state;
    alcore__matrix matrix;
    const uint8_t *mask;
    (void)partial;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    const int64_t count = matrix.rows.count;
    const alcore__badge_rows rows = alcore__badge_lay_out(alcore__block_doubles(block), count);
    const alcore_sys_rows taken[] = {alcore__rows_of(rows.weights, count, 1),
                                     alcore__badge_factors(state, rows.a, count), matrix.rows};
    return alcore__device_draws_find(&state->device_draws, &matrix, 0 /* the only sequence */,
                                     &state->sampler, mask, rows.weights, rows.sums,
                                     3 /* matrices */, taken);
}

/* What the engine has taken of a row is its weight, then both vectors of found_row. Without a
 * weight none is found, and the first row that can be picked is left to the pass "drawn rows". */
alcore_status alcore__badge_read_draws(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__sampler *sampler = &state->sampler;
    ALCORE__TRY(alcore__device_draws_read(run, &state->device_draws));
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS && sampler->draw[k].by_engine; k++) {
        found_row found = {.draw = k};
        const double *taken =
            alcore__device_draws_found(run, &state->device_draws, 0, k, &found.position);
        if (!taken) {
            alcore__sampler_clear_draws(sampler);
            sampler->draw[0].position = nth_free(run, 0 /* the first */);
            state->ended = sampler->draw[0].position < 0;
            return ALCORE_OK;
        }
        found.weight = taken[0];
        found.square = state->squares[found.position];
        store_found_row(state, &found, taken + 1, taken + 1 + state->classes);
    }
    return alcore__badge_offer_drawn(run);
}

/* ---- the end of both passes ---- */

/* The score of a center is its distance to the nearest earlier one, for the first the length of its
 * gradient. When the first row is passed over, the next one is tried at once, as there are no
 * weights yet; when a later one is, the pass "D^2 weights" adds the weights up again without it. */
alcore_status alcore__badge_offer_drawn(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    int64_t position = greedy->best;
    ALCORE__TRY(alcore__greedy_offer(greedy, &state->drawn_is_center));
    if (state->drawn_is_center) {
        double weight = state->has_center ? state->found_weight : state->found_squares[0];
        greedy->pick_scores[position] = sqrt(weight);
        state->has_center = true;
        alcore__sampler_accept(&state->sampler);
        alcore__sampler_pack(&state->sampler, state->found_a, state->classes);
        alcore__sampler_pack(&state->sampler, state->found_h, state->dims);
        alcore__sampler_pack(&state->sampler, state->found_squares, 1 /* number each */);
    }
    state->ended = alcore__filler_full(&greedy->filler);
    if (state->ended) alcore__sampler_clear_draws(&state->sampler);
    return state->ended || state->has_center ? ALCORE_OK : alcore__badge_draw_next(run);
}
