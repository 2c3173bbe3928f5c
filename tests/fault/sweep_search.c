/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: nearest neighbors and margin ratios. */
#include "search_calls.h"
#include "sweep.h"

ALLOCATES(alcore_search_knn, WITH_SCORES) {
    alcore_search_data side = world_embeddings(w);
    int64_t rows[2 * WORLD_ROWS], queries[2 * WORLD_ROWS];
    double values[2 * WORLD_ROWS], query_values[2 * WORLD_ROWS];
    return test_knn(w->ctx, &side, &side, 2, NULL, rows, values, queries, query_values);
}
ALLOCATES(alcore_search_margin_ratios, WITH_SCORES) {
    alcore_search_data side = world_embeddings(w);
    double ratios[WORLD_ROWS];
    int64_t others[WORLD_ROWS];
    return test_margin_ratios(w->ctx, &side, &side, 4, NULL, ratios, others);
}
