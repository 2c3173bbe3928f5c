/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: nearest neighbors and margin ratios. */
#include "sweep.h"

static alcore_search_side embeddings_of(const world *w) {
    alcore_search_side side = ALCORE_SEARCH_SIDE_INIT;
    side.pool = w->pool;
    return side;
}

ALLOCATES(alcore_knn, WITH_SCORES) {
    alcore_search_side side = embeddings_of(w);
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t rows[2 * WORLD_ROWS], queries[2 * WORLD_ROWS];
    double values[2 * WORLD_ROWS], query_values[2 * WORLD_ROWS];
    options.k = 2;
    return alcore_knn(w->ctx, &side, &side, &options, rows, values, queries, query_values);
}
ALLOCATES(alcore_margin_ratios, WITH_SCORES) {
    alcore_search_side side = embeddings_of(w);
    double ratios[WORLD_ROWS];
    int64_t others[WORLD_ROWS];
    return alcore_margin_ratios(w->ctx, &side, &side, NULL, ratios, others);
}
