/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of the conformance run: the kernel table in plain loops, spec 1.8 as it is written. */
#ifndef KERNEL_ORACLE_H
#define KERNEL_ORACLE_H

#include "alcore/sys/kernel.h"

extern const alcore_sys_kernels kernel_oracle;

/* Component j of row i, widened to double. */
double oracle_number(const alcore_sys_rows *rows, int64_t i, int64_t j);

/* dot, sq_dist and cos of spec 1.8; cos from the dot product and the norms. */
/* Multiply-adds of all products and distances that the oracle has computed so far. */
extern uint64_t oracle_multiply_adds;
double oracle_dot(const double *a, const double *b, int64_t dims);
double oracle_sq_dist(const double *a, const double *b, int64_t dims);
double oracle_cosine(double product, double norm_a, double norm_b);

/* Row i as doubles [dims], unit(row i) when rows->unit is set. The caller frees it. */
double *oracle_row(const alcore_sys_rows *rows, int64_t i);

/* oracle_distance.c */
alcore_status oracle_distance_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *sums);
alcore_status oracle_distance_bounds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *mask, const alcore_sys_rows *targets,
                                     const int32_t *group, int64_t groups, double *low,
                                     double *high);

/* oracle_greedy.c */
alcore_status oracle_min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *mask, const double *centroids, int64_t count,
                                  const double *centroid_dots, const double *row_dots,
                                  int32_t zero_duplicates, const alcore_sys_weights *weights);
alcore_status oracle_min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *mask,
                               const double *centroids_a, const double *centroids_h, int64_t count,
                               const double *centroid_squares, const double *squares,
                               const alcore_sys_weights *weights);
alcore_status oracle_update_min(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                const double *values, const alcore_sys_weights *weights);
alcore_status oracle_draw(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const double *values, double before, double target, int64_t *item);

/* oracle_nll.c */
alcore_status oracle_logit_stats(const alcore_sys_work *work, const alcore_sys_rows *logits,
                                 const int64_t *labels, int64_t ignore,
                                 const alcore_sys_token_stats *out, int64_t *bad);
alcore_status oracle_hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                  const alcore_sys_rows *output, const float *bias,
                                  const int64_t *labels, int64_t ignore,
                                  const alcore_sys_token_stats *out, int64_t *bad);
alcore_status oracle_sequence_nnll(const alcore_sys_work *work, const double *logprob,
                                   const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                   const int64_t *rows, int64_t count, double *out,
                                   int64_t *floored);

#endif
