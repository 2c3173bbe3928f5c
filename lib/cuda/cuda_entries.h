/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the kernel table of this engine; alcore/sys/kernel.h says what each computes.
 * Their types are those of the table's members: entry_of<T *> is the function type behind a
 * pointer. */
#ifndef ALCORE__CUDA_ENTRIES_H
#define ALCORE__CUDA_ENTRIES_H

#include "alcore/sys/kernel.h"

namespace alcore_cuda {
template <class T> struct entry_of;
template <class T> struct entry_of<T *> { typedef T type; };
#define CUDA_ENTRY(name) extern entry_of<decltype(alcore_sys_kernels::name)>::type name
CUDA_ENTRY(widen);
CUDA_ENTRY(dots);
CUDA_ENTRY(self_dots);
CUDA_ENTRY(sq_dists);
CUDA_ENTRY(group_sums);
CUDA_ENTRY(group_cosine);
CUDA_ENTRY(group_sq_dists);
CUDA_ENTRY(nearest_centroid);
CUDA_ENTRY(idds_update);
CUDA_ENTRY(idds_scores);
CUDA_ENTRY(arg_max);
CUDA_ENTRY(ragged_nnll);
CUDA_ENTRY(class_stats);
CUDA_ENTRY(logit_stats);
CUDA_ENTRY(hidden_stats);
CUDA_ENTRY(sequence_nnll);
CUDA_ENTRY(knn);
CUDA_ENTRY(margin_ratios);
CUDA_ENTRY(distance_sums);
CUDA_ENTRY(distance_bounds);
CUDA_ENTRY(min_sq_dists);
CUDA_ENTRY(min_badge);
CUDA_ENTRY(update_min);
CUDA_ENTRY(draw);
CUDA_ENTRY(upload);
CUDA_ENTRY(release);
CUDA_ENTRY(download);
CUDA_ENTRY(store);
CUDA_ENTRY(run_totals);
CUDA_ENTRY(convert);
#undef CUDA_ENTRY
} // namespace alcore_cuda

#endif
