/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of one engine, under the engine's name: alcore__cpu_avx2_dots and so on. cpu_table.c
 * puts them into the engine's kernel table, whose comments (alcore/sys/kernel.h) say what each
 * computes and the shape of every array. */
#ifndef ALCORE__CPU_ENGINE_H
#define ALCORE__CPU_ENGINE_H

#include "engines/cpu/cpu_vector.h"

/* Every entry that this engine has. Those that it lacks are of engines with memory of their own. */
#define CPU_EACH_KERNEL(row)                                                                       \
    row(widen) row(dots) row(self_dots) row(sq_dists) row(group_sums) row(group_cosine)            \
        row(nearest_centroid) row(idds_update) row(idds_scores) row(arg_max) row(ragged_nnll)      \
            row(class_stats) row(distance_sums) row(distance_bounds) row(min_sq_dists)             \
                row(min_badge) row(update_min) row(draw) row(knn) row(margin_ratios)               \
                    row(logit_stats) row(hidden_stats) row(sequence_nnll)

/* A function of the type of the entry. */
#define CPU_DECLARE(name) extern __typeof__(*((alcore_sys_kernels *)0)->name) CPU(name);
CPU_EACH_KERNEL(CPU_DECLARE)

#endif
