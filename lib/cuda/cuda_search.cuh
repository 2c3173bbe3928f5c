/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain and the filtered search share: one call of knn, and widened rows with their norms.
 */
#ifndef ALCORE__CUDA_SEARCH_CUH
#define ALCORE__CUDA_SEARCH_CUH

#include "cuda_top_k.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

/* Widened rows on the device and their norms. */
struct value_side {
    const double *rows, *norms; /* [count, dims], [count] */
    int64_t count;
};

/* Those of a chunk; matrix, wide and norms: columns of its pipeline. */
inline value_side wide_rows(call &c, const chunk &piece, const alcore_sys_rows *rows, int matrix,
                            int wide, int norms) {
    value_side made = {piece.get<double>(wide), piece.get<double>(norms), piece.count};
    widen_chunk(piece, rows, matrix, piece.get<double>(wide));
    self_dots_of(c, made.rows, piece.count, rows->dims, piece.get<double>(norms));
    roots_of(c, piece.get<double>(norms), piece.count);
    return made;
}

/* One call of knn. */
struct search_call {
    call &c;
    const alcore_sys_rows *rows, *queries;
    const uint8_t *mask;       /* [rows] as it was given; NULL: all */
    const uint8_t *query_mask; /* [queries] on the device; NULL: all */
    const alcore_sys_best *row_best;
    int32_t metric;
    int row_k, query_k;   /* 0: not wanted */
    int64_t *query_rows;  /* [queries, query_k], on the device */
    double *query_values; /* [queries, query_k], on the device */
};

/* The whole search with a filter in half precision. */
void filtered_search(const search_call &s);

} // namespace alcore_cuda

#endif
