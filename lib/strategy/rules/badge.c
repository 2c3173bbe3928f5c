/* SPDX-License-Identifier: Apache-2.0 */
/* BADGE (spec 4.5; Ash et al. 2020): rows drawn by k-means++ seeding over gradient embeddings.
 *
 *   g(x) = a(x) outer h(x),   a = p - onehot(argmax p) [classes], h the embedding [dims]
 *   ||g(x)||^2 = G = (a . a)(h . h),   ||g(x) - g(y)||^2 = G_x + G_y - 2 (a_x . a_y)(h_x . h_y)
 *
 * No gradient is ever computed as a whole: both factors are enough. The first row is the one of the
 * largest G (or a uniform draw), every further one is drawn with a probability proportional to its
 * D^2 weight, the smallest squared distance to the rows picked before, the centers. A row that the
 * budget or the similarity limit passes over is no center, and its weight counts as 0 from then on.
 *
 * Terms used here:
 *
 *     position     number of a candidate among all candidates, from 0
 *     active row   a candidate in its block (8192 pool rows); its index numbers them in the block,
 *                  so that its position is block->start + index
 *     matrix row   a row of the block as kernels see it, rows that are no candidates included
 *     partial      what a block contributes to a pass, zeroed before the visit. `values` are stored
 *                  at the positions of the active rows, `extra` bytes are given to reduce()
 *     filler       spends the budget: a row that is offered to it is bought or passed over
 *     center       a row that was bought, from which distances are measured
 *     speculative  a row is speculative when a later draw would hit it under the present weights:
 *                  all candidates are measured from it in advance, which saves a pass when it is
 *                  drawn (a hit)
 *     sampler      the draws (d2_sampling.h). draw [3]: what is to be found, by a position or by a
 *                  block and the running weight inside it; found: positions of the rows found; hit:
 *                  which speculative row of the last pass the new center is, -1: none;
 *                  speculative: number of those that the next pass measures from
 *
 * After "gradient norms" two passes alternate, once for each pick: "drawn rows" fetches the vectors
 * of the row that was drawn and offers it to the budget, "D^2 weights" measures all candidates from
 * it and draws the next one. "scores" reads the distances that are left at the end.
 *
 * Reads the class scores once and the embeddings once for each pick, less what speculative rows
 * save (kmeans/d2_sampling.h). Memory: 8 x (classes + 6) bytes a candidate. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "scorer/score_table.h"
#include "strategy/kmeans/d2_sampling.h"
#include "strategy/rules/greedy_picks.h"
#include "strategy/strategies.h"

enum { FIRST_NORM, FIRST_UNIFORM }; /* the parameter "first" */

typedef struct badge_state {
    alcore__greedy greedy; /* first, see greedy_picks.h; best is the row that was drawn */
    int64_t classes, dims; /* components of a and of h */
    bool first_uniform;    /* first=uniform: the first row is drawn, too */
    alcore__rng rng;
    double *block_weights;   /* [blocks] total D^2 weight of the rows that can still be picked */
    double *squares;         /* [candidates] G */
    alcore__sampler sampler; /* which rows the next pass looks up or measures (d2_sampling.h) */
    /* What the pass "drawn rows" found: entry 0 belongs to the row that was drawn, the entries
     * after it to the speculative rows. */
    double *found_a;                         /* [ALCORE__MAX_DRAWS, classes] */
    double *found_h;                         /* [ALCORE__MAX_DRAWS, dims] */
    double found_squares[ALCORE__MAX_DRAWS]; /* G */
    double found_weight;                     /* D^2 weight of the row that was drawn */
    bool has_center;                         /* at least one row was picked */
    bool drawn_is_center; /* the row that was drawn last was bought, so it is a new center */
    bool ended;           /* nothing more can be bought */
} badge_state;

/* The arrays of a block, kept with it between passes in the memory that the engine works in. */
typedef struct row_values {
    double *squares;             /* [matrix rows] G */
    double *weights;             /* [matrix rows] D^2 weight; infinite before the first center */
    double *speculative_weights; /* [ALCORE__MAX_SPECULATIVE, matrix rows] squared distances to the
                                    speculative rows measured last */
    double *a;                   /* [matrix rows, classes] */
    double *found;               /* [ALCORE__MAX_DRAWS, 1 + classes + dims] of the rows that were
                                    drawn: D^2 weight, a, h */
} row_values;

/* Numbers of a row of row_values.found. */
static int64_t found_width(const badge_state *state) {
    return 1 + state->classes + state->dims;
}

/* Where the arrays lie in the doubles of a block with `rows` matrix rows. */
static row_values lay_out(const badge_state *state, double *values, int64_t rows) {
    double *a = values + (2 + ALCORE__MAX_SPECULATIVE) * rows;
    return (row_values){.squares = values,
                        .weights = values + rows,
                        .speculative_weights = values + 2 * rows,
                        .a = a,
                        .found = a + state->classes * rows};
}

/* The column of the candidates that the factor a is computed from: the class scores "probs" or,
 * where these are not there, the ready factors "factors" (*is_factor). One of both is, by NEEDS. */
static const alcore__column *factor_column(const alcore__run *run, bool *is_factor) {
    const alcore__column *probs = alcore__dataset_find(&run->input->candidates, "probs");
    *is_factor = !probs;
    return probs ? probs : alcore__dataset_find(&run->input->candidates, "factors");
}

/* Called once before the first pass: reads the parameters, seeds the generator of the run and
 * allocates the arrays of badge_state, the vectors of drawn rows with an entry for each draw. */
static alcore_status begin(alcore__run *run) {
    badge_state *state = run->state;
    alcore_ctx *ctx = run->ctx;
    bool is_factor;
    const alcore__column *column = factor_column(run, &is_factor);
    if (column->ragged || column->dims < 1)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"%s\" must have shape [rows, %s]",
                            is_factor ? "factors" : "probs", is_factor ? "components" : "classes");
    state->classes = column->dims;
    state->dims = alcore__embedding_dims(run);
    state->first_uniform = alcore__values_integer(run->values, "first") == FIRST_UNIFORM;
    alcore__rng_seed(&state->rng,
                     alcore__rng_derive(run->input->seed, ALCORE__TAG_BADGE,
                                        (uint64_t)run->input->round, 0 /* one sequence a round */));
    run->repeats = true; /* two passes for each pick: the runner keeps copies of the embeddings */
    alcore__sampler_begin(run, false /* not as unit vectors */, &state->sampler);
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    size_t count = (size_t)run->outcome.count, draw_bytes = ALCORE__MAX_DRAWS * sizeof(double),
           blocks = (size_t)run->active[ALCORE__OVER_CANDIDATES].blocks;
    ALCORE__TRY(alcore__new_array(ctx, blocks, sizeof(double), &state->block_weights));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)state->classes, draw_bytes, &state->found_a));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)state->dims, draw_bytes, &state->found_h));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &state->squares));
    alcore__warn_passes(run, alcore__expected_picks(run));
    return ALCORE_OK;
}

/* Called when the run is freed, also after a failure in begin: arrays that were not made are NULL.
 */
static void free_state(alcore__run *run) {
    badge_state *state = run->state;
    alcore__greedy_free_state(run->ctx, &state->greedy);
    alcore__free(run->ctx, state->block_weights);
    alcore__free(run->ctx, state->found_a);
    alcore__free(run->ctx, state->found_h);
    alcore__free(run->ctx, state->squares);
}

/* ---- the factor a ---- */

/* p, or the nearer end of [0, 1] where it lies outside. */
static double clamp_probability(double p) {
    return p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
}

/* Turns class scores p [classes] in place into probabilities, then into p - onehot(argmax p), ties
 * to the lower class. meaning: ALCORE_MEANS_*, logits, natural log-probabilities or probabilities;
 * check_rows() accepts values outside [0, 1] by rounding, hence the clamp. */
static void make_factor(int32_t meaning, int64_t classes, double *p) {
    int64_t likeliest = 0;
    for (int64_t c = 1; c < classes; c++) {
        if (p[c] > p[likeliest]) likeliest = c;
    }
    if (meaning == ALCORE_MEANS_LOGITS) {
        double max = p[likeliest], total = 0.0;
        for (int64_t c = 0; c < classes; c++) total += p[c] = exp(p[c] - max);
        for (int64_t c = 0; c < classes; c++) p[c] /= total;
    } else {
        for (int64_t c = 0; c < classes; c++)
            p[c] = clamp_probability(meaning == ALCORE_MEANS_LOGPROBS ? exp(p[c]) : p[c]);
    }
    p[likeliest] -= 1.0;
}

/* Computes the factor a of the block's active rows, [matrix rows, classes], from the column, whose
 * rows are widened together; entries of other rows are not written. The matrix may have other rows
 * than the column's span where the embeddings were copied, hence alcore__matrix_row_of() for each
 * row. */
static alcore_status read_factors(const badge_state *state, const alcore__matrix *matrix,
                                  double *a) {
    alcore__block *block = matrix->block;
    const alcore__run *run = block->run;
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows rows = {0};
    bool is_factor;
    const alcore__column *column = factor_column(run, &is_factor);
    size_t bytes = (size_t)state->classes * sizeof *a;
    double *wide; /* [span, classes] the column's rows, from the first active one to the last */
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    ALCORE__TRY(alcore__block_column(block, column, &rows));
    ALCORE__TRY(alcore__scratch_push(block, rows.count, bytes, &wide));
    ALCORE__TRY(alcore__kernels_cpu()->widen(&work, &rows, NULL /* no mask */, wide));
    for (int64_t i = 0; i < block->count; i++) {
        double *out = a + alcore__matrix_row_of(matrix, i) * state->classes;
        memcpy(out, wide + (block->rows[i] - block->rows[0]) * state->classes, bytes);
        if (!is_factor) make_factor(column->meaning, state->classes, out);
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* score_rows of the definition, called for its checks only: fails with the number of a row whose
 * class scores are not a distribution, by the checks of the score "least confidence", or whose
 * given factors are not finite. With nan=exclude a bad row gets NaN in score, raw and rank [count]
 * instead, by which the runner masks it before the first pass. The values of good rows are not
 * used. */
static alcore_status check_rows(alcore__score_call *call) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "factors");
    if (alcore__dataset_find(call->dataset, "probs")) return alcore__score_lc.rows(call);
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_sys_rows rows = {0};
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    ALCORE__TRY(call->engine.kernels->self_dots(&work, &rows, call->mask, call->rank));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        bool finite = isfinite(call->rank[i]);
        if (!finite && !call->nan_exclude)
            return alcore__fail_nan(
                "row %lld: a component in column \"factors\" is NaN or infinite",
                (long long)(call->first + i));
        call->score[i] = call->raw[i] = call->rank[i] = finite ? call->rank[i] : (double)NAN;
    }
    return ALCORE_OK;
}

/* Describes the factors a [rows, classes] as a matrix for kernels. */
static alcore_sys_rows as_matrix(const badge_state *state, const double *a, int64_t rows) {
    return (alcore_sys_rows){.data = a,
                             .count = rows,
                             .dims = state->classes,
                             .stride = state->classes,
                             .dtype = ALCORE_FLOAT64};
}

/* ---- pass "gradient norms": G, the factors, infinite weights ---- */

/* The array in which the runner stores the values of the pass: G [candidates]. */
static double *squares_of(const alcore__run *run) {
    return ((badge_state *)run->state)->squares;
}

/* Computes the arrays of one block, all by matrix row: the factors a, then G = (a . a)(h . h), and
 * weights that are infinite until the first center is there. Entries of rows that are not active
 * have no meaning and are masked wherever they are read. */
static alcore_status fill_rows(const badge_state *state, const alcore__matrix *matrix,
                               row_values *rows) {
    alcore__block *block = matrix->block;
    const alcore_sys_kernels *kernels = alcore__run_kernels(block->run);
    alcore_sys_work work = alcore__run_work(block->run);
    alcore_sys_rows factors = as_matrix(state, rows->a, matrix->rows.count);
    double *h_dots; /* [matrix rows] h . h */
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *h_dots, &h_dots));
    ALCORE__TRY(read_factors(state, matrix, rows->a));
    ALCORE__TRY(kernels->self_dots(&work, &factors, NULL /* all rows */, rows->squares));
    ALCORE__TRY(kernels->self_dots(&work, &matrix->rows, matrix->mask, h_dots));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t matrix_row = alcore__matrix_row_of(matrix, i);
        if (!isfinite(h_dots[matrix_row])) ALCORE__TRY(alcore__matrix_check(matrix));
        rows->squares[matrix_row] *= h_dots[matrix_row];
        rows->weights[matrix_row] = HUGE_VAL;
    }
    return ALCORE_OK;
}

/* Computes what a block keeps for the later passes (row_values, in one array of `count` doubles),
 * in host memory; alcore__block_keep() then moves it to the engine's memory and owns it. The
 * partial is G, double [active rows]. The scores are computed for the checks of check_rows(). */
static alcore_status measure_norms(alcore__block *block, void *partial) {
    const badge_state *state = block->run->state;
    alcore_ctx *ctx = block->run->ctx;
    alcore__matrix matrix;
    double *squares = partial, *values, *ignored;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *ignored, &ignored));
    ALCORE__TRY(alcore__block_scores(block, ignored, NULL, NULL));
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    int64_t count = (2 + ALCORE__MAX_SPECULATIVE + state->classes) * matrix.rows.count +
                    ALCORE__MAX_DRAWS * found_width(state);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *values, &values));
    row_values rows = lay_out(state, values, matrix.rows.count);
    alcore_status status = fill_rows(state, &matrix, &rows);
    if (status != ALCORE_OK) {
        alcore__free(ctx, values);
        return status;
    }
    for (int64_t i = 0; i < block->count; i++)
        squares[i] = rows.squares[alcore__matrix_row_of(&matrix, i)];
    return alcore__block_keep(block, values, count);
}

/* ---- draws ---- */

/* Position of the n-th candidate, from 0, that can still be picked; -1: there are fewer. */
static int64_t nth_free(const alcore__run *run, int64_t n) {
    const badge_state *state = run->state;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (alcore__greedy_is_free(&state->greedy, i) && n-- == 0) return i;
    }
    return -1;
}

/* Position of the next row to try as the first center, among those that can be picked: the one of
 * the largest gradient, the lower row in a tie, or a uniform draw; -1: none is left. */
static int64_t first_position(alcore__run *run) {
    badge_state *state = run->state;
    int64_t best = -1, count = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (!alcore__greedy_is_free(&state->greedy, i)) continue;
        count++;
        if (best < 0 || state->squares[i] > state->squares[best]) best = i;
    }
    if (!count || !state->first_uniform) return best;
    return nth_free(run, (int64_t)alcore__rng_below(&state->rng, (uint64_t)count));
}

/* Draws the next row by D^2 weight, weighted(D^2, f64()) of spec 1.7, to draw[0], and speculative
 * rows, which the draws after it would hit under the present weights, to draw[1] and on. These use
 * a copy of the generator, so that speculation does not change the numbers of later draws. */
static void draw_by_weight(alcore__run *run) {
    badge_state *state = run->state;
    alcore__sampler *sampler = &state->sampler;
    int64_t blocks = run->active[ALCORE__OVER_CANDIDATES].blocks;
    int32_t speculative = alcore__sampler_speculative_draws(sampler);
    double u = alcore__rng_f64(&state->rng);
    alcore__rng ahead = state->rng;
    /* No row has a weight where all that are left are duplicates of centers: the first is next. */
    if (!alcore__draw_by_weight(state->block_weights, 1 /* stride */, blocks, u, &sampler->draw[0]))
        sampler->draw[0].position = nth_free(run, 0 /* the first */);
    for (int32_t k = 1; k <= speculative; k++) {
        u = alcore__rng_f64(&ahead);
        alcore__draw_by_weight(state->block_weights, 1 /* stride */, blocks, u, &sampler->draw[k]);
    }
}

/* End of the passes "gradient norms" and "D^2 weights", and called again after a first row was
 * passed over: decides which row is drawn next, or none when the budget is full. The first row is
 * known by its position, a later one by its block and the running weight inside it, by which the
 * pass "drawn rows" finds it. */
static alcore_status draw_next(alcore__run *run) {
    badge_state *state = run->state;
    alcore__sampler_clear_draws(&state->sampler);
    alcore__greedy_clear_best(&state->greedy);
    if (alcore__filler_full(&state->greedy.filler)) return ALCORE_OK;
    if (state->has_center) {
        draw_by_weight(run);
    } else {
        state->sampler.draw[0].position = first_position(run);
    }
    return ALCORE_OK;
}

/* Whether a row was drawn whose vectors have to be found: condition of the pass "drawn rows", and
 * of the loop back to it. */
static bool has_draw(const alcore__run *run) {
    const alcore__draw *draw = &((const badge_state *)run->state)->sampler.draw[0];
    return draw->position >= 0 || draw->block >= 0;
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
static size_t found_entry_bytes(const badge_state *state) {
    return sizeof(found_row) + (size_t)(state->classes + state->dims) * sizeof(double);
}

/* Bytes of the partial of a block: an entry for each drawn row that lies in it; 0 for nearly all
 * blocks, which are then not visited at all. */
static size_t found_bytes(const alcore__block *block) {
    const badge_state *state = block->run->state;
    size_t count = 0;
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++)
        count += alcore__draw_is_in(&state->sampler.draw[k], block);
    return count * found_entry_bytes(state);
}

/* Copies the D^2 weight (of the row that was drawn alone), a and h of the row at an index (among
 * active rows) of the block to `found` [1 + classes + dims], all in the engine's memory. */
static alcore_status collect_found(const badge_state *state, const alcore__matrix *matrix,
                                   const row_values *rows, int32_t draw, int64_t index,
                                   double *found) {
    const alcore__run *run = matrix->block->run;
    const int64_t matrix_row = alcore__matrix_row_of(matrix, index), classes = state->classes;
    if (draw == 0) /* that of a speculative row is not read */
        ALCORE__TRY(alcore__download(run, rows->weights + matrix_row, 1, found));
    ALCORE__TRY(alcore__download(run, rows->a + matrix_row * classes, classes, found + 1));
    return alcore__matrix_copy_row(matrix, index, found + 1 + classes);
}

/* Writes an entry to out: the row's G, D^2 weight, a [classes] and h [dims]. found [1 + classes +
 * dims]: the last three, in host memory. draw: 0 for the drawn row, else the number of the
 * speculative one. */
static void write_found(const badge_state *state, int32_t draw, int64_t position,
                        const double *found, char *out) {
    const found_row entry = {.draw = draw,
                             .position = position,
                             .square = state->squares[position],
                             .weight = draw == 0 ? found[0] : 0.0};
    memcpy(out, &entry, sizeof entry);
    memcpy(out + sizeof entry, found + 1, (size_t)(state->classes + state->dims) * sizeof *found);
}

/* Finds the drawn rows of this block, by their position or by their running weight among the rows
 * that can still be picked, and writes an entry for each, in the order of the draws. Each is found:
 * a draw by weight chose the block only where such a row has a weight. What is known of them is
 * collected in the engine's memory and copied from there at once. */
static alcore_status find_drawn(alcore__block *block, void *partial) {
    const badge_state *state = block->run->state;
    const int64_t width = found_width(state);
    alcore__matrix matrix;
    const uint8_t *mask;
    char *out = partial;
    double *found; /* [ALCORE__MAX_DRAWS, width] */
    int64_t count = 0, index[ALCORE__MAX_DRAWS];
    int32_t draws[ALCORE__MAX_DRAWS];
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    ALCORE__TRY(alcore__scratch_push(block, ALCORE__MAX_DRAWS * width, sizeof *found, &found));
    row_values rows = lay_out(state, alcore__block_doubles(block), matrix.rows.count);
    for (int32_t k = 0; k < ALCORE__MAX_DRAWS; k++) {
        const alcore__draw *draw = &state->sampler.draw[k];
        if (!alcore__draw_is_in(draw, block)) continue;
        ALCORE__TRY(alcore__draw_find(draw, &matrix, mask, rows.weights, &index[count]));
        ALCORE__TRY(
            collect_found(state, &matrix, &rows, k, index[count], rows.found + count * width));
        draws[count++] = k;
    }
    if (count > 0) ALCORE__TRY(alcore__download(block->run, rows.found, count * width, found));
    for (int64_t i = 0; i < count; i++) {
        write_found(state, draws[i], block->start + index[i], found + i * width, out);
        out += found_entry_bytes(state);
    }
    return ALCORE_OK;
}

/* Copies the entry of a drawn row into the state. Draw 0 is the row that the budget is offered; the
 * others are speculative and only save a pass if a later draw hits them. */
static void store_found_row(badge_state *state, const char *entry) {
    found_row found;
    memcpy(&found, entry, sizeof found);
    const double *a = (const double *)(const void *)(entry + sizeof found), *h = a + state->classes;
    int64_t draw = found.draw;
    state->sampler.found[draw] = found.position;
    state->found_squares[draw] = found.square;
    memcpy(state->found_a + draw * state->classes, a, (size_t)state->classes * sizeof *a);
    memcpy(state->found_h + draw * state->dims, h, (size_t)state->dims * sizeof *h);
    if (draw > 0) return; /* speculative */
    state->greedy.best = found.position;
    state->found_weight = found.weight;
}

/* Reduces the partial of one block: its entries lie one behind the other. */
static alcore_status store_found(alcore__run *run, const alcore__block_partial *partial) {
    badge_state *state = run->state;
    for (size_t offset = 0; offset < partial->extra_bytes; offset += found_entry_bytes(state))
        store_found_row(state, (const char *)partial->extra + offset);
    return ALCORE_OK;
}

/* End of the pass "drawn rows": offers the drawn row to the budget. A row that is bought becomes a
 * center. Its score is its distance to the nearest earlier center, for the first one the length of
 * its gradient. The vectors that the next pass measures from are then moved to the front of
 * found_a, found_h and found_squares. When the first row is passed over, the next one is tried at
 * once, as there are no weights yet; when a later one is, the pass "D^2 weights" adds the weights
 * up again without it. */
static alcore_status offer_drawn(alcore__run *run) {
    badge_state *state = run->state;
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
    return state->ended || state->has_center ? ALCORE_OK : draw_next(run);
}

/* ---- pass "D^2 weights": measures the candidates from the new center ---- */

/* Condition of the pass: there is a center to measure from, and the budget is not full. */
static bool wants_weights(const alcore__run *run) {
    const badge_state *state = run->state;
    return state->has_center && !state->ended;
}

/* The partial: the total weight of the block's rows that can still be picked, of each block of a
 * wide one: double [blocks]. */
static size_t weight_bytes(const alcore__block *block) {
    return (size_t)block->blocks * sizeof(double);
}

/* Updates the D^2 weights of a block to the minimum with the squared distances to the new center,
 * and writes their total over the rows that can still be picked to the partial. Three cases: the
 * drawn row was passed over, so that only the total is computed again (values NULL); it was a
 * speculative row whose distances an earlier pass measured, so that the minimum of both arrays is
 * enough; else the rows are measured from it now, and from the next speculative rows. */
static alcore_status weigh_rows(alcore__block *block, void *partial) {
    const badge_state *state = block->run->state;
    const alcore_sys_kernels *kernels = alcore__run_kernels(block->run);
    alcore_sys_work work = alcore__run_work(block->run);
    const alcore__sampler *sampler = &state->sampler;
    alcore__matrix matrix;
    const uint8_t *free_rows;
    double *totals = partial;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &free_rows));
    int64_t count = matrix.rows.count;
    bool wide = block->run->stream; /* a call has one total, but a wide block one for each block */
    row_values rows = lay_out(state, alcore__block_doubles(block), count);
    alcore_sys_weights weights = {.minimum = rows.weights,
                                  .speculative = rows.speculative_weights,
                                  .speculative_count = sampler->speculative,
                                  .total_mask = free_rows,
                                  .total = wide ? NULL : totals};
    if (!state->drawn_is_center) {
        if (!wide) ALCORE__TRY(kernels->update_min(&work, count, matrix.mask, NULL, &weights));
    } else if (sampler->hit >= 0) {
        ALCORE__TRY(kernels->update_min(&work, count, matrix.mask,
                                        rows.speculative_weights + sampler->hit * count, &weights));
    } else {
        alcore_sys_rows factors = as_matrix(state, rows.a, count);
        ALCORE__TRY(kernels->min_badge(&work, &factors, &matrix.rows, matrix.mask, state->found_a,
                                       state->found_h, 1 + sampler->speculative,
                                       state->found_squares, rows.squares, &weights));
    }
    return wide ? alcore__matrix_totals(&matrix, free_rows, rows.weights, totals) : ALCORE_OK;
}

/* Reduces the partial of one block: keeps its total weight, or those of the blocks of a wide one,
 * for the next draw. */
static alcore_status store_weight(alcore__run *run, const alcore__block_partial *partial) {
    badge_state *state = run->state;
    memcpy(&state->block_weights[partial->block], partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

/* ---- pass "scores": the distance of every candidate to the nearest center ---- */

/* Copies the D^2 weights of a block from the engine's memory: the partial is the score of each
 * active row, double [active rows], the distance to the nearest center; finish() sets the scores of
 * the picks. Where nothing was picked the weights are still infinite, and the score is the length
 * of the gradient. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    const badge_state *state = block->run->state;
    alcore__matrix matrix;
    double *scores = partial, *squares;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *squares, &squares));
    row_values rows = lay_out(state, alcore__block_doubles(block), matrix.rows.count);
    ALCORE__TRY(alcore__download_active(&matrix, rows.squares, squares));
    ALCORE__TRY(alcore__download_active(&matrix, rows.weights, scores));
    for (int64_t i = 0; i < block->count; i++)
        scores[i] = sqrt(scores[i] < HUGE_VAL ? scores[i] : squares[i]);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "gradient norms",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = measure_norms,
     .partial = {.values = squares_of},
     .end = draw_next},
    {.name = "drawn rows",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = find_drawn,
     .partial = {.extra = found_bytes, .reduce = store_found},
     .end = offer_drawn,
     .when = has_draw},
    {.name = "D^2 weights",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = weigh_rows,
     .partial = {.extra = weight_bytes, .reduce = store_weight},
     .end = draw_next,
     .when = wants_weights,
     .again = has_draw,
     .back = 1},
    {.name = "scores",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = read_scores,
     .partial = {.values = alcore__outcome_scores}},
    {.name = NULL},
};

/* Called after the last pass: records the length of every gradient, and moves the picks and their
 * scores to the outcome. */
static alcore_status finish(alcore__run *run) {
    badge_state *state = run->state;
    double *norm;
    ALCORE__TRY(alcore__outcome_column(run, "gradient_norm", ALCORE_FLOAT64, &norm));
    for (int64_t i = 0; i < run->outcome.count; i++) norm[i] = sqrt(state->squares[i]);
    return alcore__greedy_finish(&state->greedy);
}

static const char *const NEEDS[] = {"probs|factors", "embeddings", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"first", ALCORE_PARAM_CHOICE, "norm", 0, 0, "norm|uniform",
     "the first row: the one of the largest gradient, or a uniform draw"},
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_badge = {
    .name = "badge",
    .summary =
        "Rows of large and different gradients, drawn by k-means++ seeding (Ash et al. 2020)",
    .reason = "its gradient is far from those of the chosen rows",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS},
    .score_rows = check_rows,
    .state_bytes = sizeof(badge_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
