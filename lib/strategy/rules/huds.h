/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS for the strategies that score by it: rules/huds.c has the formulas, rules/huds_phrase.c uses
 * them for phrases. */
#ifndef ALCORE__HUDS_H
#define ALCORE__HUDS_H

#include "strategy/strategies.h"

/* HUDS as a part of another strategy: bytes of its state, zeroed before begin; begin, the passes
 * and finish work on a run whose state is that one. finish sets the scores to H and records u, d,
 * stratum, cluster and H, which is the array of the scores itself. */
size_t alcore__huds_state_bytes(void);
alcore_status alcore__huds_begin(alcore__run *run);
extern const alcore__pass alcore__huds_passes[];
alcore_status alcore__huds_finish(alcore__run *run);
void alcore__huds_free(alcore__run *run);
/* The terms of H, for the reasons of picks. */
extern const alcore__term alcore__huds_terms[];

/* More strata than a block has rows are never of use, and each block has sums for all of them: at
 * most 8192 x dims doubles, so that no step between two polls of cancellation takes long. */
#define ALCORE__MAX_STRATA ALCORE_BLOCK_ROWS

/* Parameters of strata and of centroids: rows of a table. */
#define ALCORE__STRATA_PARAMS                                                                      \
    {"n_strata", ALCORE_PARAM_INTEGER,       "10", 1, ALCORE__MAX_STRATA,                          \
     NULL,       "strata of the uncertainty"},                                                     \
        {"strata",                                                                                 \
         ALCORE_PARAM_CHOICE,                                                                      \
         "equal",                                                                                  \
         0,                                                                                        \
         0,                                                                                        \
         "equal|quantile",                                                                         \
         "strata of equal width, or of equal numbers of rows"},                                    \
    {                                                                                              \
        "min_stratum", ALCORE_PARAM_INTEGER, "0", 0, 0x1p53, NULL,                                 \
            "rows of smaller strata are measured from the centroid of all candidates; 0: off"      \
    }
#define ALCORE__CENTROID_PARAMS                                                                    \
    {                                                                                              \
        "k_clusters",                                                                              \
        ALCORE_PARAM_INTEGER,                                                                      \
        "1",                                                                                       \
        1,                                                                                         \
        1000000,                                                                                   \
        NULL,                                                                                      \
        "k-means clusters in each stratum"},                                                       \
    {                                                                                              \
        "unit", ALCORE_PARAM_FLAG, "0", 0, 1, NULL, "1: embeddings are brought to length 1 first"  \
    }

#endif
