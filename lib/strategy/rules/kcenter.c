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
 * then a part of the candidates for each pick. Memory: 33 bytes a candidate, 8 more for the record
 * and 8 more where nothing is labeled, and the vectors of CHUNK_ROWS labeled rows and of all picks
 * in double. mode=composable picks among centers of the blocks (kcenter_composable.c). */
#include <math.h>
#include <string.h>

#include "strategy/rules/kcenter.h"
#include "strategy/strategies.h"

/* Labeled rows that one pass over the candidates measures from. */
enum { CHUNK_ROWS = 1024 };

/* ---- without labeled rows: pass "mean", and the first pick ---- */

/* The partial is the sum [dims] of the block's candidates. */
static alcore_status sum_block(alcore__block *block, void *partial) {
    return alcore__block_sum(block, false /* not unit vectors */, partial);
}

/* End of the pass "mean": turns the sum into the mean of all candidates. */
static alcore_status divide_mean(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    const double count = (double)alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    for (int64_t j = 0; j < state->dims; j++) state->mean.values[j] /= count;
    return ALCORE_OK;
}

/* m(x) as alcore__kcenter_fill() makes it, then minus the squared distance to the mean, as the
 * largest value is picked. */
static alcore_status fill_from_mean(const alcore__matrix *matrix, double *values, void *unused) {
    const alcore__run *run = matrix->block->run;
    const alcore__kcenter_state *state = run->state;
    double *nearness = values + matrix->rows.count;
    ALCORE__TRY(alcore__kcenter_fill(matrix, values, unused));
    ALCORE__TRY(
        ALCORE__KERNEL(run, sq_dists, &matrix->rows, matrix->mask, state->mean.values, nearness));
    for (int64_t i = 0; i < matrix->rows.count; i++) nearness[i] = -nearness[i];
    return ALCORE_OK;
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
    alcore__matrix matrix;
    int64_t first, end, indices[CHUNK_ROWS];
    chunk_range(block, &first, &end);
    for (int64_t i = first; i < end; i++) indices[i - first] = i;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__matrix_copy_rows(&matrix, indices, end - first, partial);
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
    double *sq_dist;
    (void)partial;
    ALCORE__TRY(alcore__greedy_open(block, &matrix, &sq_dist));
    return alcore__kcenter_measure(&matrix, state->chunk, state->chunk_rows, sq_dist);
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

/* ---- picks ---- */

/* The next pass measures from the pick. */
static alcore_status make_center(alcore__run *run);

static const alcore__greedy_rule RULE = {.arrays = 1,
                                         .fill = alcore__kcenter_fill,
                                         .update = alcore__kcenter_update,
                                         .picked = make_center,
                                         .score = alcore__kcenter_score,
                                         .search = alcore__kcenter_find_farthest,
                                         .complete = alcore__kcenter_complete,
                                         .finds_left = true,
                                         .searched = alcore__kcenter_set_radius};
/* Until there is a center, where nothing is labeled; the arrays of RULE come first. */
static const alcore__greedy_rule FIRST_FROM_MEAN = {.arrays = 2,
                                                    .choice = 1,
                                                    .fill = fill_from_mean,
                                                    .picked = make_center,
                                                    .score = alcore__kcenter_score,
                                                    .finds_left = true};

static alcore_status make_center(alcore__run *run) {
    ((alcore__kcenter_state *)run->state)->greedy.rule = &RULE;
    return alcore__kcenter_add_center(run);
}

/* Called once before the first pass: allocates the mean, the chunk of labeled rows and the radii.
 * Warns when this will take long: measuring from a labeled row costs what a pass for a pick does at
 * most, so both count as a pass. The parameters have been applied before the run: they only say
 * which candidates are drawn, and the mode. */
static alcore_status begin(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    const int64_t count = run->outcome.count;
    state->dims = alcore__embedding_dims(run);
    state->labeled =
        run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;
    state->from_mean = !state->labeled;
    state->greedy.rule = state->from_mean ? &FIRST_FROM_MEAN : &RULE;
    /* One pass for each pick: the runner keeps copies of the embeddings. */
    run->hints.repeats = !state->composable;
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    ALCORE__TRY(alcore__run_sums(run, state->dims, &state->mean));
    int64_t chunk = state->labeled < CHUNK_ROWS ? state->labeled : CHUNK_ROWS;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, chunk * state->dims, &state->chunk));
    if (!alcore__lists_own(run)) ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->radius));
    for (int64_t i = 0; i < count && state->radius; i++) state->radius[i] = (double)NAN;
    if (state->composable) ALCORE__TRY(alcore__kcenter_begin_composable(run));
    const double turns = state->composable ? (double)state->per_block : alcore__expected_picks(run);
    alcore__warn_passes(run, turns + (double)state->labeled);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "mean",
     .block = sum_block,
     .partial = {.sums = ALCORE__SUMS(alcore__kcenter_state, mean)},
     .end = divide_mean,
     .when = ALCORE__IF(alcore__kcenter_state, from_mean)},
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
    {.name = "picks",
     .nested = alcore__greedy_passes,
     .when = ALCORE__UNLESS(alcore__kcenter_state, composable)},
    {.name = "centers",
     .nested = alcore__kcenter_composable_passes,
     .when = ALCORE__IF(alcore__kcenter_state, composable)},
    {.name = NULL},
};

/* Called after the last pass: records the radii, and moves the picks and their scores to the
 * outcome. */
static alcore_status finish(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    if (state->composable && !alcore__lists_own(run)) alcore__kcenter_score_gathered(run);
    if (state->radius) ALCORE__TRY(alcore__outcome_keep_column(run, "radius", &state->radius));
    return alcore__greedy_finish(&state->greedy);
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__kcenter_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("mode", CHOICE, "exact", 0, 0, "exact|composable",
                  "each pick is the farthest of all rows, or composable: of the centers that each "
                  "block of 8192 rows picks by itself, an approximation with a bound; over shards "
                  "one exchange in place of one for each pick",
                  STATE(composable)),
    ALCORE__PARAM("per_block", INTEGER, "budget", 1, ALCORE_BLOCK_ROWS, "budget",
                  "how many centers a block picks with mode=composable; budget: about as many as "
                  "the budget buys",
                  STATE(per_block)),
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"mode=composable", "mode=composable per_block=3", NULL};

const alcore__strategy_def alcore__strategy_kcenter = {
    .name = "kcenter",
    .summary = "k-center greedy: the row farthest from everything labeled or picked, again and "
               "again (core-set, Sener and Savarese 2018)",
    .examples = EXAMPLES,
    .reason = "farthest from the labeled and the chosen rows",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .state_bytes = sizeof(alcore__kcenter_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
