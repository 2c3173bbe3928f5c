/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_search.h"

static double number_at(const void *data, int64_t at, int32_t dtype) {
    if (dtype == ALCORE_FLOAT64) {
        double x;
        memcpy(&x, (const char *)data + at * 8, 8);
        return x;
    }
    if (dtype == ALCORE_FLOAT32) {
        float x;
        memcpy(&x, (const char *)data + at * 4, 4);
        return (double)x;
    }
    uint16_t bits;
    memcpy(&bits, (const char *)data + at * 2, 2);
    if (dtype == ALCORE_BFLOAT16) {
        uint32_t wide = (uint32_t)bits << 16;
        float x;
        memcpy(&x, &wide, 4);
        return (double)x;
    }
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double x = exponent == 31  ? (fraction ? (double)NAN : HUGE_VAL)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -x : x;
}

double oracle_number(const alcore_sys_rows *rows, int64_t i, int64_t j) {
    return number_at(rows->data, i * rows->stride + j, rows->dtype);
}

static double tree(double *lane) {
    for (int w = 16; w >= 1; w /= 2) {
        for (int i = 0; i < w; i++) lane[i] += lane[i + w];
    }
    return lane[0];
}

uint64_t oracle_multiply_adds;

double oracle_dot(const double *a, const double *b, int64_t dims) {
    double lane[32] = {0};
    oracle_multiply_adds += (uint64_t)dims;
    for (int64_t j = 0; j < dims; j++) lane[j % 32] += a[j] * b[j];
    return tree(lane);
}

double oracle_sq_dist(const double *a, const double *b, int64_t dims) {
    double lane[32] = {0};
    oracle_multiply_adds += (uint64_t)dims;
    for (int64_t j = 0; j < dims; j++) {
        double t = a[j] - b[j];
        lane[j % 32] += t * t;
    }
    return tree(lane);
}

double oracle_cosine(double product, double norm_a, double norm_b) {
    if (norm_a < 1e-12 || norm_b < 1e-12) return 0.0;
    double c = product / (norm_a * norm_b);
    if (fabs(c) > 1.0 - 1e-12) return c > 0.0 ? 1.0 : -1.0;
    return c;
}

double *oracle_row(const alcore_sys_rows *rows, int64_t i) {
    double *row = malloc((size_t)rows->dims * sizeof *row + 1);
    if (!row) abort();
    for (int64_t j = 0; j < rows->dims; j++) row[j] = oracle_number(rows, i, j);
    if (rows->unit) {
        double norm = sqrt(oracle_dot(row, row, rows->dims));
        for (int64_t j = 0; j < rows->dims; j++) row[j] = norm < 1e-12 ? 0.0 : row[j] / norm;
    }
    return row;
}

static alcore_status widen(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *mask, double *out) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        memcpy(out + i * rows->dims, row, (size_t)rows->dims * sizeof *row);
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, const double *vector, double *out) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        out[i] = oracle_dot(row, vector, rows->dims);
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status self_dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, double *out) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        out[i] = oracle_dot(row, row, rows->dims);
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const double *vector, double *out) {
    (void)work;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        out[i] = oracle_sq_dist(row, vector, rows->dims);
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status group_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, double *sums,
                                int64_t *counts) {
    (void)work;
    for (int64_t g = 0; g < groups; g++) {
        counts[g] = 0;
        for (int64_t j = 0; j < rows->dims; j++) sums[g * rows->dims + j] = 0.0;
    }
    for (int64_t i = 0; i < rows->count; i++) {
        if (group[i] < 0) continue;
        double *row = oracle_row(rows, i);
        counts[group[i]]++;
        for (int64_t j = 0; j < rows->dims; j++) sums[group[i] * rows->dims + j] += row[j];
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status group_cosine(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const double *centroids,
                                  double *out) {
    (void)work;
    (void)groups;
    for (int64_t i = 0; i < rows->count; i++) {
        if (group[i] < 0) continue;
        double *row = oracle_row(rows, i);
        const double *centroid = centroids + group[i] * rows->dims;
        out[i] = 1.0 - oracle_cosine(oracle_dot(row, centroid, rows->dims),
                                     sqrt(oracle_dot(row, row, rows->dims)),
                                     sqrt(oracle_dot(centroid, centroid, rows->dims)));
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status nearest_centroid(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                      const int32_t *group, int64_t groups, const int64_t *starts,
                                      const double *centroids, int32_t *nearest, double *distance,
                                      double *low, double *high) {
    (void)work;
    (void)groups;
    (void)low; /* the case looks at them by itself */
    (void)high;
    for (int64_t i = 0; i < rows->count; i++) {
        int32_t g = group[i];
        if (g < 0) continue;
        double *row = oracle_row(rows, i);
        nearest[i] = -1;
        double least = HUGE_VAL;
        for (int64_t c = starts[g]; c < starts[g + 1]; c++) {
            double d = oracle_sq_dist(row, centroids + c * rows->dims, rows->dims);
            if (c == starts[g] || d < least) {
                nearest[i] = (int32_t)(c - starts[g]);
                least = d;
            }
        }
        if (distance) distance[i] = least;
        free(row);
    }
    return ALCORE_OK;
}

static alcore_status idds_scores(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                 const alcore_sys_idds *idds, const double *a, const double *b,
                                 const double *s, double *out) {
    (void)work;
    for (int64_t i = 0; i < count; i++) {
        if (mask && !mask[i]) continue;
        double first = 0.0, second = 0.0;
        if (idds->include_self) {
            if (idds->unlabeled > 0) first = a[i] / (double)idds->unlabeled;
        } else if (idds->unlabeled > 1) {
            first = (a[i] - s[i]) / (double)(idds->unlabeled - 1);
        }
        if (idds->labeled > 0) second = b[i] / (double)idds->labeled;
        out[i] = idds->alpha * first - (1.0 - idds->alpha) * second;
    }
    return ALCORE_OK;
}

static alcore_status idds_update(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const double *norms, const double *picked,
                                 double picked_norm, double *a, double *b,
                                 const alcore_sys_idds *idds, const double *s, double *scores) {
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        double *row = oracle_row(rows, i);
        double f = oracle_dot(row, picked, rows->dims);
        if (norms) f = oracle_cosine(f, norms[i], picked_norm);
        a[i] -= f;
        b[i] += f;
        free(row);
    }
    return idds ? idds_scores(work, rows->count, mask, idds, a, b, s, scores) : ALCORE_OK;
}

static alcore_status arg_max(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                             const double *values, int64_t *item, double *value) {
    (void)work;
    *item = -1;
    *value = -HUGE_VAL;
    for (int64_t i = count - 1; i >= 0; i--) {
        if (mask && !mask[i]) continue;
        if (values[i] >= *value) {
            *item = i;
            *value = values[i];
        }
    }
    return ALCORE_OK;
}

static alcore_status ragged_nnll(const alcore_sys_work *work, const alcore_sys_ragged *items,
                                 const uint8_t *mask, double *out, int64_t *floored, int64_t *bad) {
    (void)work;
    *floored = 0;
    *bad = -1;
    for (int64_t i = 0; i < items->count; i++) {
        if (mask && !mask[i]) continue;
        double sum = 0.0;
        int64_t tokens = items->offsets[i + 1] - items->offsets[i], broken = 0;
        for (int64_t t = 0; t < tokens && !broken; t++) {
            double lp =
                number_at(items->values, items->offsets[i] - items->offsets[0] + t, items->dtype);
            if (isnan(lp) || lp > 1e-6) {
                broken = 1;
            } else if (lp < -100.0) {
                sum += -100.0;
                ++*floored;
            } else if (lp < 0.0) {
                sum += lp;
            }
        }
        if (broken && *bad < 0) *bad = items->first + i;
        out[i] = broken || tokens == 0 ? (double)NAN : sum == 0.0 ? 0.0 : -(sum / (double)tokens);
    }
    return ALCORE_OK;
}

static double at_least(double logarithm) {
    return logarithm > -100.0 ? logarithm : -100.0;
}

/* Statistics of p and log p, both [classes]; the floor holds for the two logs, not for the entropy
 * (spec 1.1). */
static void stats(const double *p, const double *log_p, int64_t classes,
                  alcore_sys_class_stats *out) {
    double entropy = 0.0;
    int64_t first = 0, second = -1;
    for (int64_t c = 0; c < classes; c++) {
        if (p[c] > 0.0) entropy += p[c] * log_p[c];
        if (log_p[c] > log_p[first]) first = c;
    }
    for (int64_t c = 0; c < classes; c++) {
        if (c != first && (second < 0 || log_p[c] > log_p[second])) second = c;
    }
    out->top1 = p[first];
    out->log_top1 = at_least(log_p[first]);
    out->top2 = second < 0 ? 0.0 : p[second];
    out->log_top2 = second < 0 ? -100.0 : at_least(log_p[second]);
    out->entropy = entropy == 0.0 ? 0.0 : -entropy;
}

/* p and log p of the classes; 0 for a bad row. */
static int probabilities(int64_t classes, int32_t kind, double *p, double *log_p) {
    double most = -HUGE_VAL, total = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        if (isnan(p[c])) return 0;
        if (kind == ALCORE_CLASSES_PROBS && (p[c] < -1e-6 || p[c] > 1.0 + 1e-6)) return 0;
        if (kind == ALCORE_CLASSES_LOGPROBS && p[c] > 1e-6) return 0;
        if (p[c] > most) most = p[c];
    }
    if (kind == ALCORE_CLASSES_LOGITS && isinf(most)) return 0;
    for (int64_t c = 0; c < classes; c++) {
        if (kind == ALCORE_CLASSES_PROBS) {
            p[c] = p[c] > 0.0 ? fmin(p[c], 1.0) : 0.0;
            log_p[c] = log(p[c]);
        } else if (kind == ALCORE_CLASSES_LOGPROBS) {
            log_p[c] = p[c] < 0.0 ? p[c] : 0.0;
            p[c] = exp(log_p[c]);
        } else {
            log_p[c] = p[c] - most;
            p[c] = exp(log_p[c]);
            total += p[c];
        }
    }
    for (int64_t c = 0; c < classes && kind == ALCORE_CLASSES_LOGITS; c++) {
        p[c] = p[c] / total;
        log_p[c] = log_p[c] - log(total);
    }
    return classes > 0;
}

static alcore_status class_stats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                                 int64_t *bad) {
    (void)work;
    *bad = -1;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        alcore_sys_rows given = *rows;
        given.unit = 0;
        double *p = oracle_row(&given, i), *log_p = oracle_row(&given, i);
        if (probabilities(rows->dims, kind, p, log_p)) {
            stats(p, log_p, rows->dims, &out[i]);
        } else {
            double none = (double)NAN;
            out[i] = (alcore_sys_class_stats){none, none, none, none, none};
            if (*bad < 0) *bad = rows->first + i;
        }
        free(p);
        free(log_p);
    }
    return ALCORE_OK;
}

const alcore_sys_kernels kernel_oracle = {
    .size = sizeof(alcore_sys_kernels),
    .abi = ALCORE_SYS_ABI,
    .device = ALCORE_DEVICE_CPU,
    .engine = "oracle",
    .widen = widen,
    .dots = dots,
    .self_dots = self_dots,
    .sq_dists = sq_dists,
    .group_sums = group_sums,
    .group_cosine = group_cosine,
    .nearest_centroid = nearest_centroid,
    .idds_update = idds_update,
    .idds_scores = idds_scores,
    .arg_max = arg_max,
    .ragged_nnll = ragged_nnll,
    .class_stats = class_stats,
    .logit_stats = oracle_logit_stats,
    .hidden_stats = oracle_hidden_stats,
    .sequence_nnll = oracle_sequence_nnll,
    .distance_sums = oracle_distance_sums,
    .distance_bounds = oracle_distance_bounds,
    .min_sq_dists = oracle_min_sq_dists,
    .min_badge = oracle_min_badge,
    .update_min = oracle_update_min,
    .draw = oracle_draw,
    .knn = oracle_knn,
    .margin_ratios = oracle_margin_ratios,
};
