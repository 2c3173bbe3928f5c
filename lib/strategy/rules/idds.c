/* SPDX-License-Identifier: Apache-2.0 */
/* IDDS: in-domain diversity sampling (spec 4.4; Tsvigun et al. 2022, HUDS eq. 5): rows similar to
 * the unlabeled candidates A and dissimilar to the labeled rows B.
 *
 *   A_v = sum of f(v, a) over A,   B_v = sum of f(v, b) over B,   f: cosine, or the inner product
 *   score(v) = alpha (A_v - f(v, v)) / (|A| - 1) - (1 - alpha) B_v / |B|
 *
 * With self=include the first term is alpha A_v / |A|. A term whose divisor is 0 is 0.
 *
 * As f is linear in v, A_v and B_v are inner products of v with the sums SA and SB of (unit)
 * vectors. With mode=greedy every pick w moves from A to B: A_v -= f(v, w), B_v += f(v, w) for
 * every v. A row that the budget or the similarity limit passes over stays in A. mode=paper is the
 * printed equation, in which f(v, v) counts, ranked once; mode=code is greedy with inner products
 * and the constant 1 in place of f(v, v), as in the public code.
 *
 * Reads the labeled embeddings once, the candidates' twice and once more for each pick.
 * Memory: 40 bytes a candidate, on the device where there is one, and 9 in host memory where picks
 * move. */
#include <math.h>
#include <string.h>

#include "kernel/kernels.h"
#include "strategy/greedy/greedy.h"
#include "strategy/strategies.h"

enum { MODE_GREEDY, MODE_ONESHOT, MODE_CODE, MODE_PAPER }; /* the parameter "mode" */

typedef struct idds_state {
    alcore__greedy greedy;             /* first, see greedy/greedy.h */
    double alpha;                      /* 0 to 1: weight of the similarity to A */
    int64_t mode;                      /* MODE_*; begin makes of paper and code what they mean */
    bool by_dot, include_self;         /* sim=dot-raw, self=include */
    bool cosine, oneshot, self_is_one; /* not by_dot; oneshot or paper; code: f(v, v) counts as 1 */
    int64_t dims;                      /* of the embeddings */
    int64_t unlabeled, labeled;        /* |A| and |B| at present */
    alcore__doubles sum_a, sum_b;      /* [dims] SA and SB as they are before the first pick */
    /* The row w that moves from A to B in the next pass: */
    double *moved;     /* [dims] its vector */
    double moved_norm; /* ||w|| */
} idds_state;

/* What a block keeps, [matrix rows] each. */
typedef struct row_values {
    double *norm;  /* ||v|| */
    double *a;     /* A_v */
    double *b;     /* B_v */
    double *self;  /* f(v, v); 1 with mode=code */
    double *score; /* score(v) */
} row_values;
enum { SCORE = 4, ROW_ARRAYS = 5 };

/* Where the arrays lie in values [ROW_ARRAYS, rows]; rows: matrix rows of the block. */
static row_values lay_out(double *values, int64_t rows) {
    return (row_values){.norm = values,
                        .a = values + rows,
                        .b = values + 2 * rows,
                        .self = values + 3 * rows,
                        .score = values + SCORE * rows};
}

/* ---- passes that sum: SB over both sources of labeled rows, SA over the candidates ---- */

/* The partial is the sum [dims] of the block's active rows, as unit vectors for the cosine. A NaN
 * in a row is found here, as the sum is not finite then. */
static alcore_status sum_block(alcore__block *block, void *partial) {
    return alcore__block_sum(block, ((const idds_state *)block->run->state)->cosine, partial);
}

/* ---- values of a row, and how they change ---- */

/* All arrays but the scores, from the sums SA and SB. For the cosine the inner products are divided
 * by the length of the row, as the sums are of unit vectors already; a row shorter than 1e-12 has
 * similarity 0 to every row, itself included (spec 1.5). */
static alcore_status fill_rows(const alcore__matrix *matrix, double *values, void *unused) {
    const alcore__run *run = matrix->block->run;
    const idds_state *state = run->state;
    const row_values rows = lay_out(values, matrix->rows.count);
    (void)unused;
    ALCORE__TRY(ALCORE__KERNEL(run, self_dots, &matrix->rows, matrix->mask, rows.self));
    ALCORE__TRY(
        ALCORE__KERNEL(run, dots, &matrix->rows, matrix->mask, state->sum_a.values, rows.a));
    ALCORE__TRY(
        ALCORE__KERNEL(run, dots, &matrix->rows, matrix->mask, state->sum_b.values, rows.b));
    for (int64_t i = 0; i < matrix->rows.count; i++) {
        rows.norm[i] = sqrt(rows.self[i]);
        if (state->self_is_one) rows.self[i] = 1.0;
        if (!state->cosine) continue;
        bool zero = rows.norm[i] < 1e-12;
        rows.a[i] = zero ? 0.0 : rows.a[i] / rows.norm[i];
        rows.b[i] = zero ? 0.0 : rows.b[i] / rows.norm[i];
        rows.self[i] = zero ? 0.0 : 1.0;
    }
    return ALCORE_OK;
}

/* What the scores depend on beside the rows: alpha and the present sizes of A and B. */
static alcore_sys_idds present_sizes(const idds_state *state) {
    return (alcore_sys_idds){.alpha = state->alpha,
                             .unlabeled = state->unlabeled,
                             .labeled = state->labeled,
                             .include_self = state->include_self};
}

/* The score of each active row from its A_v, B_v and f(v, v): before the first pick. */
static alcore_status score_rows(const alcore__matrix *matrix, double *values) {
    const alcore__run *run = matrix->block->run;
    const alcore_sys_idds idds = present_sizes(run->state);
    const row_values rows = lay_out(values, matrix->rows.count);
    return ALCORE__KERNEL(run, idds_scores, matrix->rows.count, matrix->mask, &idds, rows.a, rows.b,
                          rows.self, rows.score);
}

/* The picked row moves from A to B: A_v and B_v of every row change by its similarity, and the
 * scores with them. */
static alcore_status move_pick(const alcore__matrix *matrix, double *values) {
    const alcore__run *run = matrix->block->run;
    const idds_state *state = run->state;
    const alcore_sys_idds idds = present_sizes(state);
    const row_values rows = lay_out(values, matrix->rows.count);
    const double *there = state->greedy.best_there; /* the vector that moves, on a device */
    return ALCORE__KERNEL(run, idds_update, &matrix->rows, matrix->mask,
                          state->cosine ? rows.norm : NULL, there ? there : state->moved,
                          state->moved_norm, rows.a, rows.b, &idds, rows.self, rows.score);
}

/* Keeps the vector and the norm of the pick for move_pick(), and counts it in B, no longer in A.
 * The vector is in host memory, so that the CPU's kernel computes the norm: it gives the same bytes
 * as every other engine, without a wait. */
static alcore_status set_moved(alcore__run *run) {
    idds_state *state = run->state;
    alcore_sys_work work = alcore__run_work(run);
    double self_dot;
    memcpy(state->moved, state->greedy.best_vector, (size_t)state->dims * sizeof(double));
    const alcore_sys_rows row = alcore__rows_of(state->moved, 1, state->dims);
    ALCORE__TRY(alcore__kernels_cpu()->self_dots(&work, &row, NULL /* no mask */, &self_dot));
    state->moved_norm = sqrt(self_dot);
    state->unlabeled--;
    state->labeled++;
    return ALCORE_OK;
}

static const alcore__greedy_rule RULE = {.arrays = ROW_ARRAYS,
                                         .choice = SCORE,
                                         .fill = fill_rows,
                                         .first = score_rows,
                                         .update = move_pick,
                                         .picked = set_moved};

/* Called once before the first pass: counts A and B and allocates the sums.
 * mode=paper is oneshot with self=include, and mode=code is greedy with inner products, so that sim
 * has no effect there. The warning counts the passes that sum and make the first scores, 2. */
static alcore_status begin(alcore__run *run) {
    idds_state *state = run->state;
    state->dims = alcore__embedding_dims(run);
    state->unlabeled = alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    state->labeled =
        run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;
    state->self_is_one = state->mode == MODE_CODE;
    if (state->self_is_one && state->include_self)
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy idds: mode=code leaves the similarity of a row to itself "
                            "out, so that self=include has no part in it");
    state->include_self |= state->mode == MODE_PAPER;
    state->oneshot = state->mode == MODE_ONESHOT || state->mode == MODE_PAPER;
    state->cosine = !state->self_is_one && !state->by_dot;
    state->greedy.ranks_once = state->oneshot;
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    ALCORE__TRY(alcore__run_sums(run, state->dims, &state->sum_a));
    ALCORE__TRY(alcore__run_sums(run, state->dims, &state->sum_b));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->dims, &state->moved));
    state->greedy.rule = &RULE;
    if (state->oneshot) return ALCORE_OK;
    run->hints.repeats = true; /* a pass for each pick: the runner keeps copies of the embeddings */
    alcore__warn_passes(run, alcore__expected_picks(run) + 2.0);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = sum_block,
     .partial = {.sums = ALCORE__SUMS(idds_state, sum_b)}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = sum_block,
     .partial = {.sums = ALCORE__SUMS(idds_state, sum_b)}},
    {.name = "candidates",
     .block = sum_block,
     .partial = {.sums = ALCORE__SUMS(idds_state, sum_a)}},
    {.name = "picks", .nested = alcore__greedy_passes},
    {.name = NULL},
};

/* Called after the last pass: moves the picks and their scores to the outcome. With mode=oneshot
 * nothing is bought yet: the runner then ranks the candidates by their scores, the largest first.
 */
static alcore_status finish(alcore__run *run) {
    idds_state *state = run->state;
    return state->oneshot ? ALCORE_OK : alcore__greedy_finish(&state->greedy);
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, idds_state, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"alpha", ALCORE_PARAM_NUMBER, "0.67", 0, 1, NULL,
     "weight of the similarity to the unlabeled rows; the rest weighs the dissimilarity to the "
     "labeled ones",
     STATE(alpha)},
    {"self", ALCORE_PARAM_CHOICE, "exclude", 0, 0, "exclude|include",
     "whether the similarity of a row to itself counts", STATE(include_self)},
    {"mode", ALCORE_PARAM_CHOICE, "greedy", 0, 0, "greedy|oneshot|code|paper",
     "each pick moves to the labeled rows before the next one, or all are ranked once; paper: the "
     "printed equation, oneshot with self=include; code: as in the public code, greedy with "
     "dot-raw and 1 for the similarity of a row to itself",
     STATE(mode)},
    {"sim", ALCORE_PARAM_CHOICE, "cosine", 0, 0, "cosine|dot-raw",
     "the similarity: cosine, or the plain inner product", STATE(by_dot)},
    ALCORE__CANDIDATE_PARAMS,
};

const alcore__strategy_def alcore__strategy_idds = {
    .name = "idds",
    .summary = "In-domain diversity sampling: rows similar to the unlabeled pool and dissimilar to "
               "the labeled data (IDDS, Tsvigun et al. 2022)",
    .reason = "like the pool, unlike the labeled rows",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .state_bytes = sizeof(idds_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
