/* SPDX-License-Identifier: Apache-2.0 */
/* What the searches have in common. */
#ifndef ALCORE__CUDA_SEARCH_CUH
#define ALCORE__CUDA_SEARCH_CUH

#include "cuda_top_k.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

/* Widened rows and their norms. */
struct value_side {
    const double *rows, *norms;
    int64_t count;
};

/* Those of a chunk; matrix, wide and norms: columns of its pipeline. */
inline value_side wide_rows(call &c, const chunk &at, const alcore_sys_rows *rows, int matrix,
                            int wide, int norms) {
    value_side made = {at.get<double>(wide), at.get<double>(norms), at.count};
    widen_chunk(at, rows, matrix, at.get<double>(wide));
    self_dots_of(c, made.rows, at.count, rows->dims, at.get<double>(norms));
    roots_of(c, at.get<double>(norms), at.count);
    return made;
}

/* One call of knn. */
struct search_call {
    call &c;
    const alcore_sys_rows *rows, *queries;
    const uint8_t *mask;       /* as it was given */
    const uint8_t *query_mask; /* on the device */
    const alcore_sys_best *of_rows;
    int32_t metric;
    int row_places, query_places; /* 0: not wanted */
    int64_t *query_rows;          /* [queries, query_places], on the device */
    double *query_values;
};

/* The whole search with a filter in half precision. */
void filtered_search(const search_call &s);

} // namespace alcore_cuda

#endif
