/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table in plain loops: spec 1.8 as it is written, nothing else. */
#ifndef KERNEL_ORACLE_H
#define KERNEL_ORACLE_H

#include "alcore/sys/kernel.h"

extern const alcore_sys_kernels kernel_oracle;

/* Number j of row i, widened to double. */
double oracle_number(const alcore_sys_rows *rows, int64_t i, int64_t j);

#endif
