/* SPDX-License-Identifier: Apache-2.0 */
/* BERT-KM (spec 4.8; Yuan et al. 2020): k-means over the embeddings as unit vectors, with as many
 * clusters as the budget buys rows; picked is the row nearest to each centroid (cluster_picks.h).
 *
 * Reads the embeddings at most once for each first centroid, once for each of the Lloyd iterations
 * (100 at most) and once more for one that left a cluster empty, and then twice, or more often
 * where the list of a cluster ends before the budget is spent. Memory: see cluster_picks.h. */
#include "strategy/rules/cluster_picks.h"
#include "strategy/strategies.h"

static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};

const alcore__strategy_def alcore__strategy_bertkm = {
    .name = "bertkm",
    .summary = "k-means with a cluster for each row to pick, and the row nearest to each centroid "
               "(BERT-KM, Yuan et al. 2020)",
    .reason = "nearest to the centroid of its cluster",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings},
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(alcore__cluster_picks),
    .begin = alcore__cluster_picks_begin,
    .passes = alcore__cluster_picks_passes,
    .finish = alcore__cluster_picks_finish,
    .by_passes = true,
};
