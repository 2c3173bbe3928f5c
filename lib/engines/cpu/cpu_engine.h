/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of one engine, under the engine's name: alcore__cpu_avx2_dots and so on. cpu_table.c
 * puts them into the engine's kernel table, whose comments (alcore/sys/kernel.h) say what each
 * computes and the shape of every array. */
#ifndef ALCORE__CPU_ENGINE_H
#define ALCORE__CPU_ENGINE_H

#include "engines/cpu/cpu_vector.h"

alcore_status CPU(widen)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, double *out);
alcore_status CPU(dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *mask, const double *vector, double *out);
alcore_status CPU(self_dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *mask, double *out);
alcore_status CPU(sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const double *vector, double *out);
alcore_status CPU(group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const int32_t *group, int64_t groups, double *sums, int64_t *counts);
alcore_status CPU(group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, const double *centroids,
                                double *out);
alcore_status CPU(nearest_centroid)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const int32_t *group, int64_t groups, const int64_t *starts,
                                    const double *centroids, int32_t *nearest, double *distance,
                                    double *low, double *high);
alcore_status CPU(idds_update)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, const double *norms, const double *picked,
                               double picked_norm, double *a, double *b,
                               const alcore_sys_idds *idds, const double *s, double *scores);
alcore_status CPU(idds_scores)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                               const alcore_sys_idds *idds, const double *a, const double *b,
                               const double *s, double *out);
alcore_status CPU(arg_max)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                           const double *values, int64_t *item, double *value);
alcore_status CPU(ragged_nnll)(const alcore_sys_work *work, const alcore_sys_ragged *items,
                               const uint8_t *mask, double *out, int64_t *floored, int64_t *bad);
alcore_status CPU(class_stats)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                               int64_t *bad);
alcore_status CPU(distance_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const alcore_sys_rows *targets,
                                 const int32_t *group, int64_t groups, double *sums);
alcore_status CPU(min_sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const uint8_t *mask, const double *centroids, int64_t count,
                                const double *centroid_dots, const double *row_dots,
                                int32_t zero_duplicates, const alcore_sys_weights *weights);
alcore_status CPU(min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                             const alcore_sys_rows *h, const uint8_t *mask,
                             const double *centroids_a, const double *centroids_h, int64_t count,
                             const double *centroid_squares, const double *squares,
                             const alcore_sys_weights *weights);
alcore_status CPU(update_min)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                              const double *values, const alcore_sys_weights *weights);
alcore_status CPU(draw)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                        const double *values, double before, double target, int64_t *item);
alcore_status CPU(knn)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const alcore_sys_rows *queries,
                       const uint8_t *query_mask, const alcore_sys_search *search,
                       const alcore_sys_best *query_best, const alcore_sys_best *row_best);
alcore_status CPU(margin_ratios)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const alcore_sys_rows *others,
                                 const uint8_t *other_mask, const alcore_sys_search *search,
                                 const double *row_half, const double *other_half, double *ratio,
                                 int64_t *other);

alcore_status CPU(distance_bounds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *low, double *high);
alcore_status CPU(logit_stats)(const alcore_sys_work *work, const alcore_sys_rows *logits,
                               const int64_t *labels, int64_t ignore,
                               const alcore_sys_token_stats *out, int64_t *bad);
alcore_status CPU(hidden_stats)(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                const alcore_sys_rows *output, const float *bias,
                                const int64_t *labels, int64_t ignore,
                                const alcore_sys_token_stats *out, int64_t *bad);
alcore_status CPU(sequence_nnll)(const alcore_sys_work *work, const double *logprob,
                                 const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                 const int64_t *rows, int64_t count, double *out, int64_t *floored);

#endif
