/* SPDX-License-Identifier: Apache-2.0 */
/* One call of knn, as the plain search (cuda_search.cu) and the filtered one (cuda_candidates.cu)
 * see it. */
#ifndef ALCORE__CUDA_SEARCH_CUH
#define ALCORE__CUDA_SEARCH_CUH

#include "cuda_top_k.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

/* The arguments of the call and what it keeps on the device. Rows pass in chunks (runs of rows that
 * are on the device at a time), whose k best entries are columns of the pipeline; the k best
 * entries of the queries stay on the device for the whole call. Pointers are borrowed. */
struct search_call {
    call &c;
    const alcore_sys_rows *rows, *queries;
    const uint8_t *mask;             /* [rows] the caller's, on host or device; NULL: all */
    const uint8_t *query_mask;       /* [queries] on the device; NULL: all */
    const alcore_sys_best *row_best; /* the caller's, on host or device; read when row_k > 0 */
    int32_t metric; /* ALCORE_SYS_L2 (the smallest sq_dist is best), _DOT or _COSINE (largest) */
    int row_k, query_k;   /* neighbors wanted for each row and for each query; 0: none */
    int64_t *query_rows;  /* [queries, query_k] on the device: best entries so far: pool rows, -1:
                             unused */
    double *query_values; /* [queries, query_k] on the device: their values */
};

/* The search with a filter in half precision; updates the k best of rows and queries. */
void filtered_search(const search_call &s);

} // namespace alcore_cuda

#endif
