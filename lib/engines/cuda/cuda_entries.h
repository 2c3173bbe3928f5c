/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the kernel table that this engine has; alcore/sys/kernel.h says what each
 * computes. */
#ifndef ALCORE__CUDA_ENTRIES_H
#define ALCORE__CUDA_ENTRIES_H

#include <type_traits>

#include "alcore/sys/kernel.h"

/* ENTRY(name) for each entry. */
#define CUDA_ENTRIES(ENTRY)                                                                        \
    ENTRY(widen)                                                                                   \
    ENTRY(dots)                                                                                    \
    ENTRY(self_dots)                                                                               \
    ENTRY(sq_dists)                                                                                \
    ENTRY(group_sums)                                                                              \
    ENTRY(group_cosine)                                                                            \
    ENTRY(nearest_centroid)                                                                        \
    ENTRY(idds_update)                                                                             \
    ENTRY(idds_scores)                                                                             \
    ENTRY(arg_max)                                                                                 \
    ENTRY(ragged_nnll)                                                                             \
    ENTRY(logit_stats)                                                                             \
    ENTRY(hidden_stats)                                                                            \
    ENTRY(token_stats)                                                                             \
    ENTRY(knn)                                                                                     \
    ENTRY(margin_ratios)                                                                           \
    ENTRY(distance_sums)                                                                           \
    ENTRY(distance_bounds)                                                                         \
    ENTRY(min_sq_dists)                                                                            \
    ENTRY(min_badge)                                                                               \
    ENTRY(update_min)                                                                              \
    ENTRY(draw)                                                                                    \
    ENTRY(draw_rows)                                                                               \
    ENTRY(best_row)                                                                                \
    ENTRY(run_totals)                                                                              \
    ENTRY(upload)                                                                                  \
    ENTRY(release)                                                                                 \
    ENTRY(store)                                                                                   \
    ENTRY(download)                                                                                \
    ENTRY(convert)                                                                                 \
    ENTRY(hold)                                                                                    \
    ENTRY(gather)                                                                                  \
    ENTRY(class_tops)

namespace alcore_cuda {
#define CUDA_DECLARE(name)                                                                         \
    extern std::remove_pointer<decltype(alcore_sys_kernels::name)>::type name;
CUDA_ENTRIES(CUDA_DECLARE)
#undef CUDA_DECLARE
} // namespace alcore_cuda

#endif
