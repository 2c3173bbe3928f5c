/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS for the strategies that score by it: huds_score.c has the formulas, huds_phrase.c uses them
 * for phrases. */
#ifndef ALCORE__HUDS_H
#define ALCORE__HUDS_H

#include "strategy/budget/rescale.h"
#include "strategy/kmeans/kmeans.h"
#include "strategy/rules/huds/rank_bounds.h"
#include "strategy/strategies.h"

/* The smallest and the largest of some values. */
typedef struct alcore__huds_range {
    double low, high;
} alcore__huds_range;

typedef struct alcore__huds_state {
    /* The parameters; without lambda the strategy is diversity alone, without n_strata there is one
     * stratum. */
    alcore__numbers lambdas;  /* one for each round */
    double lambda_first;      /* NaN: that of the list */
    const char *rescale;      /* NULL: no scale */
    int64_t strata, clusters; /* n_strata, k_clusters */
    int64_t min_stratum;
    bool by_count;    /* strata=quantile */
    bool unit;        /* embeddings are divided by their length first */
    bool only_needed; /* distances=needed */

    /* The run lists the own rows of a shard, of which nothing but picks is told: u and then H lie
     * in the array of the scores (with a common scale d and then H), and strata are computed anew
     * for each block. */
    bool brief;
    double lambda;       /* of the round: the weight of d (spec 3.6) */
    int64_t dims;        /* components of an embedding */
    bool some_global;    /* some strata are smaller than min_stratum */
    bool many_centroids; /* clusters > 1 */
    /* [candidates] uncertainty (0 in diversity-global) and diversity (NaN: not measured): rows with
     * larger values are preferred. */
    double *u, *d;
    int32_t *stratum; /* [candidates] 0 .. strata - 1; stratum 0 has the smallest u; NULL: brief */
    int32_t *cluster; /* [candidates] number of the cluster in its stratum, 0 for a row of a small
                         stratum; NULL: every stratum has one centroid */
    /* [candidates] the group whose sums and centroids a row joins: its stratum, -1 for a row of a
     * small stratum. NULL with min_stratum=0, where it would be `stratum` (see group_array), and
     * with `brief` unless there are clusters. */
    int32_t *group;
    alcore__huds_range u_range, d_range; /* of all candidates; that of d with `brief` and a common
                                            scale, as the next members */
    alcore__scale u_scale, d_scale;
    double means[2];                         /* of u and d, with rescale=zscore */
    alcore__doubles term_sums, term_squares; /* [2] of u and d, which become mean and deviation */
    alcore__rank_bounds bounds;              /* of strata of equal numbers of rows; with `brief` */
    double *edges;        /* [strata + 1] lower bound of u in each stratum, then the largest u */
    alcore__doubles sums; /* [strata + 1, dims] over the rows of each stratum, 0 for a small one;
                             then over all candidates, 0 where some_global is false */
    int64_t *counts;      /* [strata + 1] candidates of each stratum, small ones too, then all */
    /* [centroid_count, dims]: one of each stratum or, with k-means, those of its clusters in the
     * order of kmeans.centroid_starts; the last one is that of all candidates. */
    double *centroids;
    int64_t centroid_count;
    alcore__kmeans kmeans; /* with many_centroids */

    /* With distances=needed. The present batch begins with stratum batch_first_stratum; the strata
     * above the batch are measured, those below it are not. */
    bool all_picks_known;        /* no row that is not measured can be picked */
    int64_t batch_first_stratum; /* a stratum; `strata` before the first batch */
    int64_t *batch_positions;    /* [batch_count] positions of the batch's candidates, ascending */
    int64_t batch_count, measured; /* rows of the batch; rows of all batches measured so far */
} alcore__huds_state;

/* HUDS as a part of another strategy, whose state begins with an alcore__huds_state: begin, the
 * passes and finish. finish sets the scores to H and records u, d, stratum, cluster and H, which is
 * the array of the scores itself. */
alcore_status alcore__huds_begin(alcore__run *run);
extern const alcore__pass alcore__huds_passes[];
bool alcore__huds_ranks_own(const void *state);
alcore_status alcore__huds_finish(alcore__run *run);

/* The weights of d and u; H of one row (HUDS, eq. 4), rest: 1 - lambda; and whether the strategy
 * has an uncertainty. */
static inline double alcore__huds_lambda(const alcore__run *run) {
    return ((const alcore__huds_state *)run->state)->lambda;
}

static inline double alcore__huds_rest(const alcore__run *run) {
    return 1.0 - alcore__huds_lambda(run);
}

static inline double alcore__huds_of_row(double lambda, double d, double rest, double u) {
    return lambda * d + rest * u;
}

static inline bool alcore__huds_has_scores(const alcore__run *run) {
    return run->def->score_rows != NULL;
}

/* ---- strata (huds_strata.c) ---- */

/* The passes that fill u, and cut and count the strata. */
extern const alcore__pass alcore__huds_strata_passes[];
/* *out [active rows]: the strata of the candidates of a block, a part of the state's array or made
 * on the scratch stack. */
alcore_status alcore__huds_strata_of(alcore__block *block, const int32_t **out);

/* The range of values [count], 1 or more, as the extra bytes of a partial: how many these are, how
 * those of two blocks become one, and the reduction, as they may come from another process. */
size_t alcore__huds_range_bytes(const alcore__block *block);
alcore__huds_range alcore__huds_range_of(const double *values, int64_t count);
void alcore__huds_join_ranges(const alcore__block *block, void *into, const void *next,
                              size_t bytes);
alcore_status alcore__huds_widen(alcore__huds_range *range, const alcore__block_partial *partial);

/* ---- a common scale with `brief` (huds_scale.c) ---- */

/* The passes that make u_scale and d_scale. */
extern const alcore__pass alcore__huds_scale_passes[];

/* ---- distances=needed (huds_needed.c) ---- */

/* Called in begin: all rows are NaN, not measured; refuses parameters that need all rows. Nothing
 * with distances=all. */
alcore_status alcore__huds_begin_needed(alcore__run *run);
/* Makes the next strata the source ALCORE__OVER_CHOSEN: once the strata are cut, and at the end of
 * a batch. */
alcore_status alcore__huds_choose_strata(alcore__run *run);
/* Condition and loop of the passes over a batch: whether there is one to be measured. */
bool alcore__huds_has_batch(const alcore__run *run);
/* The reduction of d [active rows] of a batch, and the end of the batch. */
alcore_status alcore__huds_store_batch(alcore__run *run, const alcore__block_partial *partial);
alcore_status alcore__huds_end_batch(alcore__run *run);

/* The terms of H, for the reasons of picks. */
extern const alcore__term alcore__huds_terms[];

/* More strata than a block has rows are never of use, and each block has sums for all of them: at
 * most 8192 x dims doubles, so that no step between two polls of cancellation takes long. */
#define ALCORE__MAX_STRATA ALCORE_BLOCK_ROWS

/* Parameters of strata and of centroids: rows of a table. */
#define ALCORE__TO_HUDS(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__huds_state, member)
#define ALCORE__STRATA_PARAMS                                                                      \
    ALCORE__PARAM("n_strata", INTEGER, "10", 1, ALCORE__MAX_STRATA, NULL,                          \
                  "strata of the uncertainty", ALCORE__TO_HUDS(strata)),                           \
        ALCORE__PARAM("strata", CHOICE, "equal", 0, 0, "equal|quantile",                           \
                      "strata of equal width, or of equal numbers of rows",                        \
                      ALCORE__TO_HUDS(by_count)),                                                  \
        ALCORE__PARAM(                                                                             \
            "min_stratum", INTEGER, "0", 0, 0x1p53, NULL,                                          \
            "rows of smaller strata are measured from the centroid of all candidates; 0: off",     \
            ALCORE__TO_HUDS(min_stratum))
#define ALCORE__LAMBDA_PARAMS                                                                      \
    ALCORE__PARAM(                                                                                 \
        "lambda", NUMBERS, "0.5", 0, 1, NULL,                                                      \
        "weight of diversity against uncertainty, one number for each round; the last one stays",  \
        ALCORE__TO_HUDS(lambdas)),                                                                 \
        ALCORE__PARAM("lambda_first", NUMBER, "same", 0, 1, "same", "weight in the first round",   \
                      ALCORE__TO_HUDS(lambda_first))
#define ALCORE__RESCALE_PARAM(words)                                                               \
    ALCORE__PARAM("rescale", CHOICE, "none", 0, 0, words,                                          \
                  "common scale of the two terms before they are mixed", ALCORE__TO_HUDS(rescale))
#define ALCORE__CENTROID_PARAMS                                                                    \
    ALCORE__PARAM("k_clusters", INTEGER, "1", 1, 1000000, NULL,                                    \
                  "k-means clusters in each stratum", ALCORE__TO_HUDS(clusters)),                  \
        ALCORE__PARAM("unit", FLAG, "0", 0, 1, NULL,                                               \
                      "1: embeddings are brought to length 1 first", ALCORE__TO_HUDS(unit))

/* What the definitions of HUDS and of its diversity have in common. */
#define ALCORE__HUDS_RUN                                                                           \
    .state_bytes = sizeof(alcore__huds_state), .begin = alcore__huds_begin,                        \
    .passes = alcore__huds_passes, .finish = alcore__huds_finish, .by_passes = true,               \
    .ranks_own = alcore__huds_ranks_own

#endif
