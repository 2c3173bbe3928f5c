/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel table does the work. */
#ifndef ALCORE__KERNELS_H
#define ALCORE__KERNELS_H

#include "alcore/context.h"
#include "alcore/sys/kernel.h"

/* The best CPU engine this machine can run; never NULL. Every engine gives the same bits. */
const alcore_sys_kernels *alcore__kernels_cpu(void);

/* "cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni", "cpu-neon"; NULL when the build or
 * the machine lacks it. For tests. */
const alcore_sys_kernels *alcore__kernels_cpu_named(const char *engine);

/* The table for a device: NULL, "auto" and "cpu" are the CPU, "cuda" is the module. A device that
 * was named is never replaced by another one. */
alcore_status alcore__kernels_for(alcore_ctx *ctx, const char *device,
                                  const alcore_sys_kernels **out);

/* N of "cuda:N"; 0 for any other device that alcore__kernels_for() takes. */
int32_t alcore__kernels_device(const char *device);

#endif
