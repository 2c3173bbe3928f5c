/* SPDX-License-Identifier: Apache-2.0 */
/* BADGE over rows that were drawn beforehand (spec 4.5, mode=oversampling): k-means|| seeding
 * (Bahmani et al. 2012) over gradient embeddings. Its terms are those of badge.c.
 *
 *   the first row is gathered;
 *   in each step, per_step rows are drawn from all that can be picked, with replacement and a
 *       probability proportional to the squared distance to the nearest gathered row: these are
 *       gathered too;
 *   each gathered row counts the candidates to which it is the nearest, and each pick is a gathered
 *       row, drawn with a probability proportional to that count times its D^2 weight.
 *
 * So the rows that a step draws are known at once, and shards exchange two messages a step:
 *
 *     gathered rows   blocks send the factors of the rows that were drawn
 *     D^2 weights     blocks measure their rows from these and send their total weight, by which
 *                     the next step draws
 *     counts          shards send the counts; then all picks are made
 *
 * Where the gathered rows end before the budget does, another turn of steps begins; where no
 * distance is left, it gathers the lowest rows.
 *
 * Time: candidates x gathered rows x (classes + dims), so with the defaults up to five times that
 * of the exact form, and picks x gathered rows. Memory: that of the exact form and 5 bytes a
 * candidate more, and 8 x (classes + dims + 4) for each gathered row. */
#include <math.h>
#include <string.h>

#include "strategy/rules/badge.h"
#include "strategy/rules/gathered_rows.h"

/* Gathered rows that one call of the kernel measures from: of a device as many as blocks have
 * arrays for in its memory, else as many as keep a row in the cache while it is measured. */
enum { MEASURED_AT_ONCE = 16 };

/* ---- pass "gathered rows" ---- */

/* What a block sends of each draw that is in it. */
typedef struct drawn_row {
    int64_t position; /* of the candidate */
    double factors[]; /* [classes + dims] a, h */
} drawn_row;

static size_t drawn_row_bytes(const alcore__badge_state *state) {
    return sizeof(drawn_row) + (size_t)(state->classes + state->dims) * sizeof(double);
}

/* 0 for most blocks, which are then not visited. */
static size_t drawn_bytes(const alcore__block *block) {
    const alcore__badge_state *state = block->run->state;
    const alcore__badge_sample *sample = &state->sample;
    size_t count = 0;
    for (int64_t d = 0; d < sample->draws; d++)
        count += alcore__draw_is_in(&sample->draw[d], block);
    return count * drawn_row_bytes(state);
}

/* Whether a draw is in block b of a wide block, whose draws are sent block by block. */
static bool is_in(const alcore__draw *draw, const alcore__block *block, int64_t b) {
    const int64_t index = draw->position - block->start;
    if (draw->position < 0) return draw->block == block->number + b;
    return index >= alcore__block_first_index(block, b) &&
           index < alcore__block_first_index(block, b + 1);
}

/* Writes the rows that were drawn in block b to *out and moves it behind them. */
static alcore_status send_block(const alcore__matrix *matrix, int64_t b, const uint8_t *mask,
                                char **out) {
    const alcore__block *block = matrix->block;
    const alcore__badge_state *state = block->run->state;
    const alcore__badge_sample *sample = &state->sample;
    const alcore__badge_rows rows =
        alcore__badge_lay_out(alcore__block_doubles(block), matrix->rows.count);
    for (int64_t d = 0; d < sample->draws; d++) {
        drawn_row *drawn = (drawn_row *)(void *)*out;
        int64_t index;
        if (!is_in(&sample->draw[d], block, b)) continue;
        ALCORE__TRY(alcore__draw_find(&sample->draw[d], matrix, mask, rows.weights, &index));
        if (index < 0) return alcore__fail_draw();
        drawn->position = block->start + index;
        ALCORE__TRY(alcore__download(block->run,
                                     rows.a + alcore__matrix_row_of(matrix, index) * state->classes,
                                     state->classes, drawn->factors));
        ALCORE__TRY(alcore__matrix_copy_row(matrix, index, drawn->factors + state->classes));
        *out += drawn_row_bytes(state);
    }
    return ALCORE_OK;
}

static alcore_status send_drawn(alcore__block *block, void *partial) {
    const alcore__badge_state *state = block->run->state;
    const uint8_t *mask;
    alcore__matrix matrix;
    char *out = partial;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    for (int64_t b = 0; b < block->blocks; b++) ALCORE__TRY(send_block(&matrix, b, mask, &out));
    return ALCORE_OK;
}

/* Makes room for one more gathered row. */
static alcore_status grow(alcore__run *run) {
    const alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    const int64_t count = sample->gathered + 1;
    ALCORE__TRY(alcore__run_grow(run, &sample->positions, &sample->position_capacity, count,
                                 sizeof *sample->positions));
    ALCORE__TRY(alcore__run_grow(run, &sample->a, &sample->a_capacity, count * state->classes,
                                 sizeof *sample->a));
    ALCORE__TRY(alcore__run_grow(run, &sample->h, &sample->h_capacity, count * state->dims,
                                 sizeof *sample->h));
    ALCORE__TRY(alcore__run_grow(run, &sample->squares, &sample->square_capacity, count,
                                 sizeof *sample->squares));
    ALCORE__TRY(alcore__run_grow(run, &sample->weights, &sample->weight_capacity, count,
                                 sizeof *sample->weights));
    return alcore__run_grow(run, &sample->counts, &sample->count_capacity, count,
                            sizeof *sample->counts);
}

/* A row that was drawn twice is gathered once. The position may come from another process. */
static alcore_status store_drawn(alcore__run *run, const alcore__block_partial *partial) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    for (size_t at = 0; at < partial->extra_bytes; at += drawn_row_bytes(state)) {
        const drawn_row *drawn = (const void *)((const char *)partial->extra + at);
        const int64_t position = drawn->position, n = sample->gathered;
        ALCORE__TRY(alcore__partial_check_index(
            position < partial->start ? -1 : position - partial->start, partial->count));
        if (!alcore__greedy_is_free(&state->greedy, position)) return alcore__fail_draw();
        if (sample->is_gathered[position]) continue;
        ALCORE__TRY(grow(run));
        sample->is_gathered[position] = 1;
        sample->positions[n] = position;
        sample->squares[n] = state->squares[position];
        sample->weights[n] = HUGE_VAL;
        memcpy(sample->a + n * state->classes, drawn->factors,
               (size_t)state->classes * sizeof *sample->a);
        memcpy(sample->h + n * state->dims, drawn->factors + state->classes,
               (size_t)state->dims * sizeof *sample->h);
        sample->gathered++;
    }
    return ALCORE_OK;
}

/* ---- pass "D^2 weights" ---- */

/* Measures the rows of a block from gathered rows first .. first + count - 1: their distances, each
 * where it is below the weight of the row, are speculative weights for the kernel, and then update
 * the weights, in the engine's memory and, by index, in weights [count of the block], with the
 * number of the nearest gathered row. apart: [count, matrix rows], below: [count of the block],
 * workspace. */
static alcore_status measure_from(const alcore__matrix *matrix, const alcore__badge_rows *rows,
                                  int64_t first, int64_t count, double *apart, double *below,
                                  double *weights, int32_t *nearest) {
    const alcore__run *run = matrix->block->run;
    const alcore__badge_state *state = run->state;
    const alcore__badge_sample *sample = &state->sample;
    const alcore_sys_rows factors = alcore__badge_factors(state, rows->a, matrix->rows.count);
    const alcore_sys_weights lowered = {
        .minimum = rows->weights, .speculative = apart, .speculative_count = count};
    ALCORE__TRY(ALCORE__KERNEL(run, min_badge, &factors, &matrix->rows, matrix->mask,
                               sample->a + first * state->classes, sample->h + first * state->dims,
                               count, sample->squares + first, rows->squares, &lowered));
    for (int64_t c = 0; c < count; c++) {
        const double *values = apart + c * matrix->rows.count;
        const alcore_sys_weights joined = {.minimum = rows->weights};
        ALCORE__TRY(
            ALCORE__KERNEL(run, update_min, matrix->rows.count, matrix->mask, values, &joined));
        ALCORE__TRY(alcore__download_active(matrix, values, below));
        for (int64_t i = 0; i < matrix->block->count; i++) {
            if (!(below[i] < weights[i])) continue;
            weights[i] = below[i];
            nearest[i] = (int32_t)(first + c);
        }
    }
    return ALCORE_OK;
}

/* Adds up the weights [count of the block] of the rows that can be picked, in each block of a wide
 * one: running sums in the order of the rows, as the kernel `draw` makes them. */
static void add_weights(const alcore__block *block, const double *weights, double *totals) {
    const alcore__badge_state *state = block->run->state;
    for (int64_t b = 0; b < block->blocks; b++) {
        const int64_t end = alcore__block_first_index(block, b + 1);
        totals[b] = 0.0;
        for (int64_t i = alcore__block_first_index(block, b); i < end; i++)
            if (alcore__greedy_is_free(&state->greedy, block->start + i)) totals[b] += weights[i];
    }
}

static size_t totals_bytes(const alcore__block *block) {
    return (size_t)block->blocks * sizeof(double);
}

/* The partial: the total weight of each block. The block keeps nearest [count]. */
static alcore_status weigh_block(alcore__block *block, void *partial) {
    const alcore__badge_state *state = block->run->state;
    const alcore__badge_sample *sample = &state->sample;
    double *weights, *below, *apart;
    alcore__matrix matrix;
    int32_t *nearest;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__block_local(block, (size_t)block->count * sizeof *nearest, &nearest));
    const alcore__badge_rows rows =
        alcore__badge_lay_out(alcore__block_doubles(block), matrix.rows.count);
    const bool on_host = !alcore__run_kernels(block->run)->upload;
    const int64_t most = on_host ? MEASURED_AT_ONCE : ALCORE__MAX_SPECULATIVE;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *weights, &weights));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *below, &below));
    apart = rows.speculative_weights;
    if (on_host)
        ALCORE__TRY(alcore__scratch_push(block, most * matrix.rows.count, sizeof *apart, &apart));
    ALCORE__TRY(alcore__download_active(&matrix, rows.weights, weights));
    for (int64_t n = sample->measured; n < sample->gathered; n += most) {
        const int64_t left = sample->gathered - n;
        ALCORE__TRY(measure_from(&matrix, &rows, n, left < most ? left : most, apart, below,
                                 weights, nearest));
    }
    add_weights(block, weights, partial);
    return ALCORE_OK;
}

static alcore_status store_totals(alcore__run *run, const alcore__block_partial *partial) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    memcpy(sample->block_weights + partial->block, partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

/* ---- draws ---- */

static alcore_status add_draw(alcore__run *run, const alcore__draw *draw) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    ALCORE__TRY(alcore__run_grow(run, &sample->draw, &sample->draw_capacity, sample->draws + 1,
                                 sizeof *sample->draw));
    sample->draw[sample->draws++] = *draw;
    return ALCORE_OK;
}

static alcore_status add_position(alcore__run *run, int64_t position) {
    alcore__draw draw = alcore__no_draw;
    draw.position = position;
    return add_draw(run, &draw);
}

static bool has_draws(const alcore__run *run) {
    return ((const alcore__badge_state *)run->state)->sample.draws > 0;
}

static bool has_gathered_free(const alcore__badge_state *state) {
    for (int64_t n = 0; n < state->sample.gathered; n++)
        if (alcore__greedy_is_free(&state->greedy, state->sample.positions[n])) return true;
    return false;
}

/* The draws of a step: by weight or, where no row has a distance and none of the gathered ones is
 * left, the lowest rows. */
static alcore_status draw_step(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    const int64_t blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    alcore__draw draw;
    for (int64_t d = 0; d < state->per_step; d++) {
        sample->no_distance = !alcore__draw_by_weight(sample->block_weights, 1 /* next */, blocks,
                                                      alcore__rng_f64(&sample->rng), &draw);
        if (sample->no_distance) break;
        ALCORE__TRY(add_draw(run, &draw));
    }
    if (!sample->no_distance || has_gathered_free(state)) return ALCORE_OK;
    for (int64_t i = 0; i < run->outcome.count && sample->draws < state->per_step; i++)
        if (alcore__greedy_is_free(&state->greedy, i)) ALCORE__TRY(add_position(run, i));
    return ALCORE_OK;
}

/* End of the pass: draws the next step, unless the last one was made. */
static alcore_status end_step(alcore__run *run) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    sample->measured = sample->gathered;
    sample->draws = 0;
    if (sample->steps_left-- <= 0) return ALCORE_OK;
    ALCORE__TRY(draw_step(run));
    if (sample->no_distance) sample->steps_left = 0;
    return ALCORE_OK;
}

alcore_status alcore__badge_sample_first(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    const int64_t position = alcore__badge_first_position(state, &sample->rng);
    sample->steps_left = state->steps;
    if (position < 0 || alcore__filler_full(&state->greedy.filler)) return ALCORE_OK;
    return add_position(run, position);
}

/* ---- pass "counts" ---- */

/* The partial: int64 [gathered], the candidates of the block to which each one is the nearest. */
static size_t counts_bytes(const alcore__block *block) {
    return (size_t)((const alcore__badge_state *)block->run->state)->sample.gathered *
           sizeof(int64_t);
}

static alcore_status count_block(alcore__block *block, void *partial) {
    const int32_t *nearest = alcore__block_find_local(block);
    int64_t *counts = partial;
    for (int64_t i = 0; i < block->count; i++) counts[nearest[i]]++;
    return ALCORE_OK;
}

/* partial.join. */
static void join_counts(const alcore__block *block, void *into, const void *next, size_t bytes) {
    int64_t *counts = into;
    const int64_t *others = next;
    (void)block;
    for (size_t n = 0; n < bytes / sizeof *counts; n++) counts[n] += others[n];
}

static alcore_status clear_counts(alcore__run *run) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    memset(sample->counts, 0, (size_t)sample->gathered * sizeof *sample->counts);
    return ALCORE_OK;
}

/* The counts may come from another process: no sum is above the number of candidates. */
static alcore_status add_counts(alcore__run *run, const alcore__block_partial *partial) {
    alcore__badge_sample *sample = &((alcore__badge_state *)run->state)->sample;
    const int64_t *counts = partial->extra;
    for (int64_t n = 0; n < sample->gathered; n++) {
        if (counts[n] < 0 || counts[n] > run->outcome.count - sample->counts[n])
            return alcore__fail(ALCORE_E_CORRUPT, "a partial counts more rows than there are");
        sample->counts[n] += counts[n];
    }
    return ALCORE_OK;
}

/* ---- passes ---- */

static bool has_gathered(const alcore__run *run) {
    return ((const alcore__badge_state *)run->state)->sample.gathered > 0;
}

static bool another_turn(const alcore__run *run) {
    return ((const alcore__badge_state *)run->state)->sample.another_turn;
}

const alcore__pass alcore__badge_sample_passes[] = {
    {.name = "gathered rows",
     .block = send_drawn,
     .partial = {.extra = drawn_bytes, .reduce = store_drawn},
     .when = ALCORE__TEST(has_draws)},
    {.name = "D^2 weights",
     .block = weigh_block,
     .partial = {.extra = totals_bytes, .reduce = store_totals},
     .end = end_step,
     .when = ALCORE__TEST(has_gathered),
     .again = ALCORE__TEST(has_draws),
     .back = 1},
    {.name = "counts",
     .block = count_block,
     .partial = {.extra = counts_bytes, .reduce = add_counts, .join = join_counts},
     .start = clear_counts,
     .end = alcore__badge_pick_sample,
     .when = ALCORE__TEST(has_gathered),
     .again = ALCORE__TEST(another_turn),
     .back = 2},
    {.name = NULL},
};

/* ---- begin and finish ---- */

alcore_status alcore__badge_begin_sample(alcore__run *run) {
    alcore__badge_state *state = run->state;
    alcore__badge_sample *sample = &state->sample;
    const int64_t count = run->outcome.count;
    const double picks = ceil(alcore__expected_picks(run));
    run->budget_decides = !state->per_step;
    if (!state->per_step) state->per_step = picks < 1.0 ? 1 : (int64_t)picks;
    if (state->per_step > count && count > 0) state->per_step = count;
    const double most = 1.0 + (double)state->steps * (double)state->per_step;
    const double rows = most < (double)count ? most : (double)count;
    const double bytes = rows * (double)(state->classes + state->dims) * (double)sizeof(double);
    if (bytes > (double)ALCORE__GATHERED_BYTES)
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "badge with mode=oversampling compares the rows that it draws in memory: %.0f of %lld "
            "components would need %.0f GiB, and %lld GiB are the most; per_step=N draws N in each "
            "of %lld steps",
            rows, (long long)(state->classes + state->dims), bytes / (double)(1 << 30),
            (long long)(ALCORE__GATHERED_BYTES / (1 << 30)), (long long)state->steps);
    alcore__rng_seed(&sample->rng,
                     alcore__rng_derive(run->input->seed, ALCORE__TAG_BADGE,
                                        (uint64_t)run->input->round, 1 /* the exact form: 0 */));
    alcore__warn_passes(run, most);
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->active[ALCORE__OVER_CANDIDATES].blocks,
                                  &sample->block_weights));
    return ALCORE__RUN_ARRAY(run, count, &sample->is_gathered);
}
