/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel tables of the CPU; kernel_engine.h opens those of other devices, too. */
#ifndef ALCORE__KERNELS_H
#define ALCORE__KERNELS_H

#include "alcore/sys/kernel.h"

/* The largest sum of squares of a vector that is accepted. float64 components may be so large that
 * sums of squares, products of two of them (BADGE), and their sums over all rows overflow, so that
 * distances are infinite or NaN without a word; vectors of the other types are shorter than 1e41.
 */
#define ALCORE__MAX_SQUARE 1e140

/* The table for the best instruction set that this machine runs; never NULL. Every table gives the
 * same bits. */
const alcore_sys_kernels *alcore__kernels_cpu(void);

/* The table of a named engine, "cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni" or
 * "cpu-neon"; NULL when the build or the machine lacks it. For tests. */
const alcore_sys_kernels *alcore__kernels_cpu_named(const char *engine);

#endif
