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
 * After "gradient norms" the passes of draw_passes.h alternate, once for each pick: a row is drawn,
 * its vectors are found, the budget is offered it, and all candidates are measured from it.
 * "scores" reads the distances that are left at the end.
 *
 * Reads the class scores once and the embeddings once for each pick, less what speculative rows
 * save (kmeans/d2_sampling.h). Memory: 8 x (classes + 7) bytes a candidate. mode=oversampling draws
 * from rows that few passes gather (badge_oversampling.c). */
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "scorer/score_table.h"
#include "strategy/rules/badge.h"
#include "strategy/strategies.h"

/* How many doubles a block with `rows` matrix rows keeps: its alcore__badge_rows. */
static int64_t doubles_of(const alcore__badge_state *state, int64_t rows) {
    return (ALCORE__BADGE_ROW_ARRAYS + state->classes) * rows;
}

/* The column of the candidates that the factor a is computed from: the class scores "probs" or,
 * where these are not there, the ready factors "factors" (*is_factor). One of both is, by NEEDS. */
static const alcore__column *factor_column(const alcore__run *run, bool *is_factor) {
    const alcore__column *probs = alcore__dataset_find(&run->input->candidates, "probs");
    *is_factor = !probs;
    return probs ? probs : alcore__dataset_find(&run->input->candidates, "factors");
}

/* Called once before the first pass: allocates the arrays of the state. */
static alcore_status begin(alcore__run *run) {
    alcore__badge_state *state = run->state;
    bool is_factor;
    const alcore__column *column = factor_column(run, &is_factor);
    if (column->ragged || column->dims < 1)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"%s\" must have shape [rows, %s]",
                            is_factor ? "factors" : "probs", is_factor ? "components" : "classes");
    state->classes = column->dims;
    state->dims = alcore__embedding_dims(run);
    run->hints.repeats =
        true; /* two passes for each pick: the runner keeps copies of the embeddings */
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    const int64_t count = run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->squares));
    if (state->oversampling) return alcore__badge_begin_sample(run);
    ALCORE__TRY(alcore__badge_begin_draws(run));
    alcore__warn_passes(run, alcore__expected_picks(run));
    return ALCORE_OK;
}

/* ---- the factor a ---- */

/* p, or the nearer end of [0, 1] where it lies outside. */
static double clamp_probability(double p) {
    return p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
}

/* Turns probabilities p [labels] of labels that do not exclude each other in place into p - 1 where
 * a label is likely (p above 1/2), else p: the gradient of their binary cross-entropies. Of one
 * label, which stands for two classes, it is the factor of (1 - p, p) but for a constant. */
static void make_binary_factor(int64_t labels, double *p) {
    for (int64_t l = 0; l < labels; l++) {
        p[l] = clamp_probability(p[l]);
        if (p[l] > 0.5) p[l] -= 1.0;
    }
}

/* Turns class scores p [classes] in place into probabilities, then into p - onehot(argmax p), ties
 * to the lower class; of independent labels see above. meaning: ALCORE_MEANS_*, logits, natural
 * log-probabilities or probabilities; check_rows() accepts values outside [0, 1] by rounding, hence
 * the clamp. */
static void make_factor(int32_t meaning, int64_t classes, double *p) {
    int64_t likeliest = 0;
    if (meaning == ALCORE_MEANS_SIGMOID || meaning == ALCORE_MEANS_MULTILABEL) {
        make_binary_factor(classes, p);
        return;
    }
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
static alcore_status read_factors(const alcore__badge_state *state, const alcore__matrix *matrix,
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
        bool finite = call->rank[i] <= ALCORE__MAX_SQUARE;
        if (!finite && !call->nan_exclude)
            return alcore__fail_nan(
                "row %lld: a component in column \"factors\" is NaN or infinite, "
                "or so large that squares overflow",
                (long long)(call->first + i));
        call->score[i] = call->raw[i] = call->rank[i] = finite ? call->rank[i] : (double)NAN;
    }
    return ALCORE_OK;
}

/* ---- pass "gradient norms": G, the factors, infinite weights ---- */

/* Computes the arrays of one block, all by matrix row: the factors a, then G = (a . a)(h . h), and
 * weights that are infinite until the first center is there. Entries of rows that are not active
 * have no meaning and are masked wherever they are read. squares [active rows]: G too. */
static alcore_status fill_rows(const alcore__matrix *matrix, double *values, void *squares) {
    alcore__block *block = matrix->block;
    const alcore__badge_state *state = block->run->state;
    const alcore__badge_rows rows = alcore__badge_lay_out(values, matrix->rows.count);
    alcore_sys_rows factors = alcore__badge_factors(state, rows.a, matrix->rows.count);
    double *h_dots; /* [matrix rows] h . h */
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *h_dots, &h_dots));
    ALCORE__TRY(read_factors(state, matrix, rows.a));
    ALCORE__TRY(ALCORE__KERNEL(block->run, self_dots, &factors, NULL /* all rows */, rows.squares));
    ALCORE__TRY(ALCORE__KERNEL(block->run, self_dots, &matrix->rows, matrix->mask, h_dots));
    ALCORE__TRY(alcore__matrix_check_dots(matrix, h_dots, NULL /* the first is an error */));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t matrix_row = alcore__matrix_row_of(matrix, i);
        rows.squares[matrix_row] *= h_dots[matrix_row];
        rows.weights[matrix_row] = HUGE_VAL;
        ((double *)squares)[i] = rows.squares[matrix_row];
    }
    return ALCORE_OK;
}

/* The scores are computed for the checks of check_rows(). The partial is G, double [active rows].
 */
static alcore_status measure_norms(alcore__block *block, void *partial) {
    const alcore__badge_state *state = block->run->state;
    alcore__matrix matrix;
    double *ignored;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *ignored, &ignored));
    ALCORE__TRY(alcore__block_scores(block, ignored, NULL, NULL));
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__block_fill(&matrix, doubles_of(state, matrix.rows.count), fill_rows, partial);
}

/* End of the pass. */
static alcore_status draw_first(alcore__run *run) {
    const alcore__badge_state *state = run->state;
    return state->oversampling ? alcore__badge_sample_first(run) : alcore__badge_draw_first(run);
}

/* ---- pass "scores": the distance of every candidate to the nearest center ---- */

/* Copies the D^2 weights of a block from the engine's memory: the partial is the score of each
 * active row, double [active rows], the distance to the nearest center; finish() sets the scores of
 * the picks. Where nothing was picked the weights are still infinite, and the score is the length
 * of the gradient. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    alcore__matrix matrix;
    double *scores = partial, *squares;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *squares, &squares));
    alcore__badge_rows rows =
        alcore__badge_lay_out(alcore__block_doubles(block), matrix.rows.count);
    ALCORE__TRY(alcore__download_active(&matrix, rows.squares, squares));
    ALCORE__TRY(alcore__download_active(&matrix, rows.weights, scores));
    for (int64_t i = 0; i < block->count; i++)
        scores[i] = sqrt(scores[i] < HUGE_VAL ? scores[i] : squares[i]);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "gradient norms",
     .block = measure_norms,
     .partial = {.values = {ALCORE__VALUES(alcore__badge_state, squares)}},
     .end = draw_first},
    {.name = "picks",
     .nested = alcore__draw_passes,
     .nested_at = offsetof(alcore__badge_state, draws),
     .when = ALCORE__UNLESS(alcore__badge_state, oversampling)},
    {.name = "scores",
     .block = read_scores,
     .partial = {.values = {ALCORE__SCORES}},
     .when = ALCORE__UNLESS(alcore__badge_state, oversampling)},
    {.name = "sample",
     .nested = alcore__badge_sample_passes,
     .when = ALCORE__IF(alcore__badge_state, oversampling)},
    {.name = NULL},
};

/* Called after the last pass: records the length of every gradient, and moves the picks and their
 * scores to the outcome. */
static alcore_status finish(alcore__run *run) {
    alcore__badge_state *state = run->state;
    double *norm;
    ALCORE__TRY(alcore__outcome_column(run, "gradient_norm", ALCORE_FLOAT64, &norm));
    for (int64_t i = 0; i < run->outcome.count; i++) norm[i] = sqrt(state->squares[i]);
    if (state->oversampling) alcore__badge_score_sample(run);
    return alcore__greedy_finish(&state->greedy);
}

static const char *const NEEDS[] = {"probs|factors", "embeddings", NULL};
#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__badge_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("first", CHOICE, "norm", 0, 0, "norm|uniform",
                  "the first row: the one of the largest gradient, or a uniform draw",
                  STATE(first_uniform)),
    ALCORE__PARAM("mode", CHOICE, "exact", 0, 0, "exact|oversampling",
                  "each pick is drawn from all rows, or oversampling: from rows that a few steps "
                  "draw beforehand, many at a time, an approximation (k-means||, Bahmani et al. "
                  "2012); over shards two exchanges a step in place of two for each pick",
                  STATE(oversampling)),
    ALCORE__PARAM("steps", INTEGER, "5", 1, 1000, NULL,
                  "how many steps draw rows with mode=oversampling", STATE(steps)),
    ALCORE__PARAM("per_step", INTEGER, "budget", 1, 0x1p40, "budget",
                  "how many rows a step draws with mode=oversampling; budget: about as many as the "
                  "budget buys",
                  STATE(per_step)),
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"mode=oversampling", "mode=oversampling steps=2 per_step=3",
                                       NULL};

const alcore__strategy_def alcore__strategy_badge = {
    .name = "badge",
    .summary =
        "Rows of large and different gradients, drawn by k-means++ seeding (Ash et al. 2020)",
    .examples = EXAMPLES,
    .reason = "its gradient is far from those of the chosen rows",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = check_rows,
    .state_bytes = sizeof(alcore__badge_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
};
