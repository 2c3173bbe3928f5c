/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel tables of the CPU; kernel_engine.h opens those of other devices, too. */
#ifndef ALCORE__KERNELS_H
#define ALCORE__KERNELS_H

#include "alcore/sys/kernel.h"

/* The table for the best instruction set that this machine runs; never NULL. Every table gives the
 * same bits. */
const alcore_sys_kernels *alcore__kernels_cpu(void);

/* The table of a named engine, "cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni" or
 * "cpu-neon"; NULL when the build or the machine lacks it. For tests. */
const alcore_sys_kernels *alcore__kernels_cpu_named(const char *engine);

#endif
