/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table in plain loops: spec 1.8 as it is written, nothing else. */
#ifndef KERNEL_ORACLE_H
#define KERNEL_ORACLE_H

#include "alcore/sys/kernel.h"

extern const alcore_sys_kernels kernel_oracle;

/* Number j of row i, widened to double. */
double oracle_number(const alcore_sys_rows *rows, int64_t i, int64_t j);

/* dot, sqd and cos of spec 1.8; cos from the dot product and the norms. */
double oracle_dot(const double *a, const double *b, int64_t dims);
double oracle_sqd(const double *a, const double *b, int64_t dims);
double oracle_cosine(double product, double norm_a, double norm_b);

/* Row i as doubles, unit(row i) when it is asked for. The caller frees it. */
double *oracle_row(const alcore_sys_rows *rows, int64_t i);

#endif
