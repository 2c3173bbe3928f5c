/* SPDX-License-Identifier: Apache-2.0 */
/* k-center greedy, core-set selection (spec 4.7; Sener and Savarese 2018): the candidate farthest
 * from everything that is labeled or picked, again and again.
 *
 *   m(x) = min of ||x - y||^2 over labeled rows and picks y;  the next pick is argmax m(x)
 *
 * Labeled rows and picks are the centers. Without labeled rows the first pick is the candidate
 * nearest to the mean of all. A row that the budget or the similarity limit passes over is no
 * center.
 *
 * m(x) only shrinks as picks are added, so a value over fewer picks is an upper bound. Each row
 * therefore keeps m over the picks that it was measured from, and is measured from the others only
 * when its bound is the largest of its block, for then it may be the farthest row. Where that has
 * cost too much in a block, all of its rows are measured together, which costs a fifth of measuring
 * them one by one.
 *
 * Squared distances are compared; radii and scores are distances.
 *
 * Reads the labeled embeddings once, CHUNK_ROWS at a time, and the candidates' once for each chunk;
 * then a part of the candidates for each pick. Memory: 33 bytes a candidate, 8 more for the record,
 * and the vectors of CHUNK_ROWS labeled rows and of all picks in double. */
#include <math.h>
#include <string.h>

#include "strategy/rules/kcenter.h"
#include "strategy/strategies.h"

/* Labeled rows that one pass over the candidates measures from. */
enum { CHUNK_ROWS = 1024 };

/* Called once before the first pass: allocates the mean, the chunk of labeled rows and the radii.
 * Warns when this will take long: measuring from a labeled row costs what a pass for a pick does at
 * most, so both count as a pass. The parameters have been applied before the run: they only say
 * which candidates are drawn. */
static alcore_status begin(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    const int64_t count = run->outcome.count;
    state->dims = alcore__embedding_dims(run);
    state->labeled =
        run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;
    state->last_pick = -1;
    state->greedy.has_next = true;
    run->hints.repeats =
        true; /* one pass for each pick: the runner keeps copies of the embeddings */
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    ALCORE__TRY(alcore__run_sums(run, state->dims, &state->mean));
    int64_t chunk = state->labeled < CHUNK_ROWS ? state->labeled : CHUNK_ROWS;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, chunk * state->dims, &state->chunk));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->radius));
    for (int64_t i = 0; i < count; i++) state->radius[i] = (double)NAN;
    alcore__warn_passes(run, alcore__expected_picks(run) + (double)state->labeled);
    return ALCORE_OK;
}

/* ---- without labeled rows: passes "mean" and "nearest to the mean" ---- */

/* Condition of both passes: there is no labeled row. */
static bool has_no_labeled(const alcore__run *run) {
    return !((const alcore__kcenter_state *)run->state)->labeled;
}

/* The partial is the sum [dims] of the block's candidates. */
static alcore_status sum_block(alcore__block *block, void *partial) {
    return alcore__block_sum(block, false /* not unit vectors */, partial);
}

/* End of the pass "mean": turns the sum into the mean of all candidates. */
static alcore_status divide_mean(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    for (int64_t j = 0; j < state->dims; j++) state->mean.values[j] /= (double)run->outcome.count;
    return ALCORE_OK;
}

/* Finds the candidate of the block nearest to the mean among those that can
 * be picked. The best candidate is that of the largest value in every pass, so the value here is
 * minus the squared distance. */
static alcore_status find_nearest_to_mean(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    alcore_sys_work work = alcore__run_work(block->run);
    alcore__matrix matrix;
    int64_t best;
    double *nearness, value;
    const uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *nearness, &nearness));
    ALCORE__TRY(alcore__run_kernels(block->run)
                    ->sq_dists(&work, &matrix.rows, matrix.mask, state->mean.values, nearness));
    for (int64_t i = 0; i < matrix.rows.count; i++) nearness[i] = -nearness[i];
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    ALCORE__TRY(alcore__greedy_arg_max(&matrix, mask, nearness, &best, &value));
    return alcore__greedy_write_best(&matrix, best, value, partial);
}

/* ---- with labeled rows: passes "labeled ..." and "distances to ...", a chunk at a time ---- */

/* Active rows of the block that are in the present chunk of their source: indices *first to
 * *end - 1. state->collected counts the rows of both sources, so those of the first one are
 * subtracted in the second. The range is empty, *first = *end, where the block has none. */
static void chunk_range(const alcore__block *block, int64_t *first, int64_t *end) {
    const alcore__kcenter_state *state = block->run->state;
    int64_t earlier_rows = block->source == ALCORE__OVER_LABELED_POOL
                               ? block->run->active[ALCORE__OVER_LABELED_ROWS].count
                               : 0;
    int64_t chunk_first = state->collected - earlier_rows - block->start;
    int64_t chunk_end = chunk_first + CHUNK_ROWS;
    *first = chunk_first > 0 ? chunk_first : 0;
    *end = chunk_end < block->count ? chunk_end : block->count;
    if (*end < *first) *end = *first;
}

/* The partial: the vectors of the block's rows in the chunk, double [end - first, dims]. */
static size_t chunk_bytes(const alcore__block *block) {
    const alcore__kcenter_state *state = block->run->state;
    int64_t first, end;
    chunk_range(block, &first, &end);
    return (size_t)((end - first) * state->dims) * sizeof(double);
}

/* Copies the vectors of the block's rows that belong to the present chunk to the partial, as
 * doubles, and fails on a component that is not finite. */
static alcore_status collect_vectors(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    int64_t first, end, indices[CHUNK_ROWS];
    const double *vectors = partial;
    chunk_range(block, &first, &end);
    for (int64_t i = first; i < end; i++) indices[i - first] = i;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__matrix_copy_rows(&matrix, indices, end - first, partial));
    for (int64_t i = first; i < end; i++, vectors += state->dims)
        ALCORE__TRY(alcore__vector_check(vectors, state->dims, block->source, block->rows[i]));
    return ALCORE_OK;
}

/* Reduces the partial of one block: appends its vectors to the chunk. Blocks are reduced in order,
 * so the chunk has the rows in the order of the pool. */
static alcore_status store_vectors(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kcenter_state *state = run->state;
    memcpy(state->chunk + state->chunk_rows * state->dims, partial->extra, partial->extra_bytes);
    state->chunk_rows += (int64_t)(partial->extra_bytes / sizeof(double)) / state->dims;
    return ALCORE_OK;
}

/* Measures every candidate of the block from the labeled rows of the chunk. There is no partial:
 * m(x) stays with the block. */
static alcore_status measure_from_chunk(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    alcore__kcenter_rows rows;
    (void)partial;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__kcenter_open_rows(block, &matrix, &rows));
    return alcore__kcenter_measure(&matrix, state->chunk, state->chunk_rows, rows.sq_dist);
}

/* Condition of the passes "distances to ...": the chunk has a labeled row. */
static bool has_chunk(const alcore__run *run) {
    return ((const alcore__kcenter_state *)run->state)->chunk_rows > 0;
}

/* End of the passes "distances to ...": counts the rows of the chunk as collected and empties it.
 */
static alcore_status end_chunk(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    state->collected += state->chunk_rows;
    state->chunk_rows = 0;
    return ALCORE_OK;
}

/* Loops of these passes: whether rows of the present source are left for another chunk. */
static bool more_labeled_rows(const alcore__run *run) {
    const alcore__kcenter_state *state = run->state;
    return state->collected < run->active[ALCORE__OVER_LABELED_ROWS].count;
}

static bool more_labeled_pool(const alcore__run *run) {
    const alcore__kcenter_state *state = run->state;
    return state->collected < state->labeled;
}

/* ---- pass "farthest": one pick ---- */

/* The partial: the largest m(x) of the rows that are no center, double [1], then the best
 * candidate, an alcore__greedy_best. */
static size_t farthest_bytes(const alcore__block *block) {
    return sizeof(double) + alcore__greedy_best_bytes(block);
}

/* find_pick() where the engine has memory of its own. Every row is measured from all picks here, so
 * that the farthest row has the largest value under a mask. One search gives both results, unless
 * some of the rows that are left cannot be bought. */
static alcore_status find_pick_on_device(const alcore__kcenter_state *state,
                                         const alcore__matrix *matrix, alcore__kcenter_rows *rows,
                                         double *max_sq_dist, alcore__greedy_best *best) {
    const alcore__greedy *greedy = &state->greedy;
    const uint8_t *mask;
    bool same = alcore__greedy_left_are_free(greedy);
    ALCORE__TRY(alcore__kcenter_measure_from_picks(state, matrix, rows));
    if (!same) {
        ALCORE__TRY(alcore__greedy_push_left(greedy, matrix, &mask));
        ALCORE__TRY(alcore__greedy_max_left(greedy, matrix, mask, rows->sq_dist, max_sq_dist));
    }
    ALCORE__TRY(alcore__greedy_push_mask(greedy, matrix, &mask));
    ALCORE__TRY(alcore__greedy_find_best(greedy, matrix, mask, rows->sq_dist, best));
    if (same) *max_sq_dist = best->position < 0 ? 0.0 : best->value;
    return ALCORE_OK;
}

/* Searches the block twice: for the largest m(x) of all rows that are no center, whose root, over
 * all blocks, is the radius of the last pick, and for the largest among rows that can still be
 * picked. They differ when the budget passed rows over. Without a row for the first search the
 * block reports 0, without one for the second -1 as its best row. */
static alcore_status find_pick(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    alcore__kcenter_rows rows;
    int64_t farthest, pick;
    double *max_sq_dist = partial, *vector, farthest_value = 0.0, pick_value = 0.0;
    alcore__greedy_best *best = (alcore__greedy_best *)(void *)(max_sq_dist + 1);
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__kcenter_open_rows(block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, state->dims, sizeof *vector, &vector));
    if (alcore__run_kernels(block->run)->upload)
        return find_pick_on_device(state, &matrix, &rows, max_sq_dist, best);
    bool pickable = false; /* first among all rows that are no center */
    ALCORE__TRY(alcore__kcenter_find_farthest(state, &matrix, &rows, pickable, vector, &farthest,
                                              &farthest_value));
    pickable = true;
    ALCORE__TRY(
        alcore__kcenter_find_farthest(state, &matrix, &rows, pickable, vector, &pick, &pick_value));
    *max_sq_dist = farthest < 0 ? 0.0 : farthest_value;
    return alcore__greedy_write_best(&matrix, pick, pick_value, best);
}

/* Reduces the partial of one block to the largest m(x) and the best candidate so far. */
static alcore_status keep_farthest(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kcenter_state *state = run->state;
    const double *max_sq_dist = partial->extra;
    if (*max_sq_dist > state->max_sq_dist) state->max_sq_dist = *max_sq_dist;
    alcore__block_partial best = *partial;
    best.extra = max_sq_dist + 1;
    return alcore__greedy_keep_best(run, &best);
}

/* Offers the best candidate of the pass to the budget; if it is bought it becomes a center.
 * sq_dist: its m(x), whose root is its score. from_mean: it is the nearest to the mean, as there is
 * nothing labeled or picked yet; its score is then set by set_radius_and_offer(). */
static alcore_status offer_best(alcore__run *run, double sq_dist, bool from_mean) {
    alcore__kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    bool bought = false;
    state->max_sq_dist = 0.0;
    ALCORE__TRY(alcore__greedy_turn(greedy, from_mean ? 0.0 : sqrt(sq_dist), &bought));
    if (bought) {
        state->last_pick = greedy->best;
        state->first_from_mean = from_mean;
        int64_t needed = (state->center_count + 1) * state->dims;
        ALCORE__TRY(alcore__run_grow(run, &state->centers, &state->center_capacity, needed,
                                     sizeof(double)));
        memcpy(state->centers + state->center_count++ * state->dims, greedy->best_vector,
               (size_t)state->dims * sizeof(double));
    }
    alcore__greedy_clear_best(greedy);
    /* Also when this pick fills the budget: one more pass finds its radius and offers nothing. */
    greedy->has_next |= bought;
    return ALCORE_OK;
}

/* End of the pass "nearest to the mean". */
static alcore_status offer_nearest_to_mean(alcore__run *run) {
    return offer_best(run, 0.0 /* not used */, true);
}

/* End of the pass "farthest", which measured the rows from the last pick too: the distance of the
 * row that is farthest now is the radius of that pick. Then the best candidate is offered. */
static alcore_status set_radius_and_offer(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    ALCORE__TRY(alcore__greedy_collect(run));
    if (greedy->found.data && !alcore__greedy_left_are_free(greedy))
        state->max_sq_dist = greedy->left_value;
    else if (greedy->found.data)
        state->max_sq_dist = greedy->best < 0 ? 0.0 : greedy->best_value;
    if (state->last_pick >= 0 && isnan(state->radius[state->last_pick])) {
        double radius = sqrt(state->max_sq_dist);
        state->radius[state->last_pick] = radius;
        /* The first pick has no distance to earlier ones. With its radius as its score the scores
         * of the picks never increase. */
        if (state->first_from_mean) state->greedy.pick_scores[state->last_pick] = radius;
        state->first_from_mean = false;
    }
    return offer_best(run, state->greedy.best_value, false);
}

/* Loop of the pass "nearest to the mean": the row offered was passed over, so the pass is made
 * again and finds the next nearest one. */
static bool lacks_first_center(const alcore__run *run) {
    const alcore__kcenter_state *state = run->state;
    return !state->labeled && state->greedy.has_next && !state->center_count;
}

/* ---- pass "scores": the distance of every candidate to the nearest center ---- */

/* Measures every row from the picks that it was not measured from, so that m(x) is final, and
 * scores it with its root; finish() sets the scores of the picks. Without picks and labeled rows
 * all scores are 0. The partial is scores, double [active rows]. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    double *scores = partial;
    alcore__matrix matrix;
    alcore__kcenter_rows rows;
    if (!alcore__block_doubles(block)) return ALCORE_OK; /* nothing was measured: all are 0 */
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__kcenter_open_rows(block, &matrix, &rows));
    ALCORE__TRY(alcore__kcenter_measure_from_picks(state, &matrix, &rows));
    ALCORE__TRY(alcore__download_active(&matrix, rows.sq_dist, scores));
    for (int64_t i = 0; i < block->count; i++)
        scores[i] = scores[i] < HUGE_VAL ? sqrt(scores[i]) : 0.0;
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "mean",
     .block = sum_block,
     .partial = {.sums = ALCORE__SUMS(alcore__kcenter_state, mean)},
     .end = divide_mean,
     .when = ALCORE__TEST(has_no_labeled)},
    {.name = "nearest to the mean",
     .block = find_nearest_to_mean,
     .partial = ALCORE__GREEDY_BEST,
     .end = offer_nearest_to_mean,
     .when = ALCORE__TEST(has_no_labeled),
     .again = ALCORE__TEST(lacks_first_center)},
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = collect_vectors,
     .partial = {.extra = chunk_bytes, .reduce = store_vectors}},
    {.name = "distances to labeled rows",
     .block = measure_from_chunk,
     .end = end_chunk,
     .when = ALCORE__TEST(has_chunk),
     .again = ALCORE__TEST(more_labeled_rows),
     .back = 1},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = collect_vectors,
     .partial = {.extra = chunk_bytes, .reduce = store_vectors}},
    {.name = "distances to labeled pool",
     .block = measure_from_chunk,
     .end = end_chunk,
     .when = ALCORE__TEST(has_chunk),
     .again = ALCORE__TEST(more_labeled_pool),
     .back = 1},
    {.name = "farthest",
     .block = find_pick,
     .partial = {.extra = farthest_bytes, .reduce = keep_farthest},
     .end = set_radius_and_offer,
     .start = alcore__greedy_start_pass,
     .when = ALCORE__GREEDY_HAS_NEXT,
     .again = ALCORE__GREEDY_HAS_NEXT},
    {.name = "scores", .block = read_scores, .partial = {.values = {ALCORE__SCORES}}},
    {.name = NULL},
};

/* Called after the last pass: records the radii, and moves the picks and their scores to the
 * outcome. */
static alcore_status finish(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    ALCORE__TRY(alcore__outcome_keep_column(run, "radius", &state->radius));
    return alcore__greedy_finish(&state->greedy);
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_kcenter = {
    .name = "kcenter",
    .summary = "k-center greedy: the row farthest from everything labeled or picked, again and "
               "again (core-set, Sener and Savarese 2018)",
    .reason = "farthest from the labeled and the chosen rows",
    .params = &PARAMS,
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS, [ALCORE__ROLE(LABELED)] = NEEDS},
    .state_bytes = sizeof(alcore__kcenter_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
