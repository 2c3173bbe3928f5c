/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance of logit_stats, hidden_stats and token_stats, within the tolerance of columns, and of
 * sequence_nnll, to the byte: with labels outside the classes, ignored labels and rows that are no
 * distribution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_entry.h"
#include "kernel_oracle.h"

enum { STATS = 6, IGNORE = -100 };

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_stats(const kernel_case *c) {
    return STATS * c->rows.count;
}

static void *memory_for(int64_t count, size_t bytes) {
    void *memory = malloc(((size_t)count + 1) * bytes);
    if (!memory) abort();
    return memory;
}

static int64_t number_below(uint64_t *state, int64_t limit) {
    return (int64_t)(case_random(state) % (uint64_t)limit);
}

/* Some labels are left out, with strange patterns some are no classes. */
static int64_t *labels_of(const kernel_case *c, uint64_t *state, int64_t classes) {
    int64_t *labels = memory_for(c->rows.count, sizeof *labels);
    for (int64_t i = 0; i < c->rows.count; i++) {
        labels[i] = classes > 0 ? number_below(state, classes) : 0;
        if (case_random(state) % 8 == 0) labels[i] = IGNORE;
        if (c->pattern == PATTERN_SPECIAL && case_random(state) % 16 == 0)
            labels[i] = case_random(state) % 2 ? -1 : classes;
    }
    return labels;
}

/* Every statistic has its own part of the numbers; argmax the first part of the places. In some
 * cases only a few are wanted. */
static alcore_sys_token_stats stats_into(const kernel_case *c, output *out, int labeled) {
    int64_t n = c->rows.count;
    double *to = out->numbers;
    int all = c->packed || c->rows.dtype == ALCORE_FLOAT32;
    alcore_sys_token_stats stats = {.logprob = labeled ? to : NULL,
                                    .top1 = all ? to + n : NULL,
                                    .top2 = all ? to + 2 * n : NULL,
                                    .margin = to + 3 * n,
                                    .entropy = all ? to + 4 * n : NULL,
                                    .logsumexp = all ? to + 5 * n : NULL,
                                    .argmax = out->indices};
    return stats;
}

/* Most cases have as many classes as the case has dimensions, some a whole vocabulary. */
static int64_t classes_of(const kernel_case *c) {
    if (c->rows.dims == 7 && c->rows.count == 2 && c->packed) return 50265;
    if (c->rows.dims == 5 && c->rows.count == 1 && c->packed == c->rows.unit) return 262144;
    if (c->rows.dims == 31) return 2;
    return c->rows.dims;
}

static double logit_of(const kernel_case *c, uint64_t *state, int64_t j) {
    double x = case_uniform(state);
    switch (c->pattern) {
    case PATTERN_EQUAL:
        return -3.25;
    case PATTERN_DUPLICATES:
        return (double)(case_random(state) % 8); /* ties */
    case PATTERN_ULP:
        return case_random(state) % 2 ? 8.0 : 8.0 + 0x1p-20;
    case PATTERN_ZEROS:
        return j % 3 == 0 ? 0.0 : j % 3 == 1 ? -0.0 : -HUGE_VAL;
    case PATTERN_TINY:
        return case_random(state) % 50 ? -16.75 - x : 0.0;
    case PATTERN_HUGE:
        return c->rows.dtype == ALCORE_FLOAT64 ? (x - 0.5) * 0x1.8p1023 : (x - 0.5) * 0x1.8p127;
    case PATTERN_SPECIAL:
        if (case_random(state) % 400 == 0)
            return case_random(state) % 2 ? (double)NAN : j % 2 ? HUGE_VAL : -HUGE_VAL;
        return 8.0 * x;
    default:
        return 40.0 * x - 20.0;
    }
}

static alcore_status call_logit_stats(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, classes = classes_of(c), stride = classes + (c->packed ? 0 : 3);
    uint64_t state = (uint64_t)(count * 31 + classes) + (uint64_t)c->pattern;
    char *memory = memory_for(count * stride + 1, 8), *data = memory + (c->packed ? 0 : 1);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < stride; j++) {
            double z = j < classes ? logit_of(c, &state, j) : (double)NAN;
            /* A row without a finite logit. */
            if (c->pattern == PATTERN_ZEROS && i % 5 == 4) z = -HUGE_VAL;
            case_put(data, i * stride + j, c->rows.dtype, z);
        }
    }
    int64_t *labels = labels_of(c, &state, classes);
    int labeled = c->pattern != PATTERN_EQUAL;
    alcore_sys_token_stats stats = stats_into(c, out, labeled);
    alcore_sys_rows logits = {.data = data,
                              .first = c->rows.first,
                              .count = count,
                              .dims = classes,
                              .stride = stride,
                              .dtype = c->rows.dtype};
    alcore_status status = t->logit_stats(&conformance_work, &logits, labeled ? labels : NULL,
                                          IGNORE, &stats, &out->integers[0]);
    free(labels);
    free(memory);
    return status;
}

/* Whether every logit is exact in float32 whatever the order of the sum, so that ties are ties and
 * the argmax class is the same everywhere. */
static int exact(const kernel_case *c) {
    return c->pattern != PATTERN_RANDOM && c->pattern != PATTERN_ULP;
}

static double hidden_number(const kernel_case *c, uint64_t *state, double scale) {
    if (!exact(c)) return scale * (case_uniform(state) - 0.5);
    if (c->pattern == PATTERN_EQUAL) return 0.25;
    if (c->pattern == PATTERN_ZEROS) return case_random(state) % 2 ? 0.0 : -0.0;
    return ((double)(case_random(state) % 5) - 2.0) / (c->pattern == PATTERN_TINY ? 64.0 : 4.0);
}

/* The largest norm of a finite row. */
static double largest_norm(const alcore_sys_rows *rows) {
    double largest = 0.0;
    for (int64_t i = 0; i < rows->count; i++) {
        double sum = 0.0;
        for (int64_t j = 0; j < rows->dims; j++)
            sum += oracle_number(rows, i, j) * oracle_number(rows, i, j);
        if (isfinite(sum) && sum > largest) largest = sum;
    }
    return sqrt(largest);
}

/* How far off the logits of 16-bit numbers may be on tensor cores: a step of 16 products and the
 * sum so far loses up to 18 * 2^-22 of the sum of their magnitudes (cuda_filter.cuh), and that is
 * at most the product of the norms. A log-probability is the difference of two such values. */
static double tensor_loss(const alcore_sys_rows *hidden, const alcore_sys_rows *matrix) {
    if (hidden->dtype != matrix->dtype) return 0.0;
    if (hidden->dtype != ALCORE_FLOAT16 && hidden->dtype != ALCORE_BFLOAT16) return 0.0;
    double steps = floor((double)hidden->dims / 16.0) + 2.0;
    return 2.0 * steps * 18.0 * 0x1p-22 * largest_norm(hidden) * largest_norm(matrix);
}

static alcore_status call_hidden_stats(table *t, const kernel_case *c, output *out) {
    static const int64_t sizes[] = {2, 385, 1, 384, 7, 800, 100, 32};
    int64_t count = c->rows.count, dims = c->rows.dims, stride = dims + (c->packed ? 0 : 3);
    int64_t classes = dims == 5 && count == 2 ? 50265 : sizes[(c->pattern + dims) % 8];
    if (classes * dims > 200000) classes = 200000 / dims;
    if (count * classes * dims > 1000000) classes = 1000000 / (count * dims);
    if (classes == 0) classes = 5; /* of a large case */
    uint64_t state = (uint64_t)(count * 31 + dims) + (uint64_t)c->pattern;
    int32_t dtype = c->rows.dtype, other = ALCORE_FLOAT16 + (dtype + c->pattern) % 4;
    double scale = dims > 0 ? 6.0 / sqrt((double)dims) : 1.0;
    char *states = memory_for(count * stride + 1, 8), *data = states + (c->packed ? 0 : 1);
    char *matrix = memory_for(classes * stride + 1, 8), *weights = matrix + (c->packed ? 0 : 1);
    float *bias = memory_for(classes, sizeof *bias);
    for (int64_t v = 0; v < count * stride; v++) {
        double x = hidden_number(c, &state, scale);
        if (c->pattern == PATTERN_SPECIAL && case_random(&state) % 4000 == 0)
            x = case_random(&state) % 2 ? (double)NAN : HUGE_VAL;
        case_put(data, v, dtype, x);
    }
    for (int64_t v = 0; v < classes * stride; v++) {
        case_put(weights, v, other, hidden_number(c, &state, 1.0));
    }
    for (int64_t j = 0; j < classes; j++) {
        bias[j] = (float)((double)(case_random(&state) % 9) / 8.0 - 0.5);
        if (c->pattern == PATTERN_DUPLICATES && j % 7 == 6) bias[j] = -HUGE_VALF; /* ruled out */
    }
    int64_t *labels = labels_of(c, &state, classes);
    int labeled = c->pattern != PATTERN_EQUAL;
    alcore_sys_token_stats stats = stats_into(c, out, labeled);
    if (!exact(c)) stats.argmax = NULL;
    alcore_sys_rows hidden = {.data = data,
                              .first = c->rows.first,
                              .count = count,
                              .dims = dims,
                              .stride = stride,
                              .dtype = dtype};
    alcore_sys_rows output_matrix = {
        .data = weights, .count = classes, .dims = dims, .stride = stride, .dtype = other};
    if (!exact(c)) out->loss = tensor_loss(&hidden, &output_matrix);
    alcore_status status = t->hidden_stats(
        &conformance_work, &hidden, &output_matrix, c->pattern == PATTERN_HUGE ? NULL : bias,
        labeled ? labels : NULL, IGNORE, &stats, &out->integers[0]);
    free(labels);
    free(bias);
    free(matrix);
    free(states);
    return status;
}

/* token_stats: logits, or in every other case the rows of the case as hidden states, and the first
 * of them as output matrix; items of three tokens, rows that are left over being no token. Labels
 * have gaps or none; the bias is of the rows' type. */
static alcore_status call_token_stats(table *t, const kernel_case *c, output *out) {
    enum { TOKENS = 3, MOST_CLASSES = 200 };
    const int64_t count = c->rows.count, items = count / TOKENS, dims = c->rows.dims;
    const int hidden = dims % 2 == 1, wide = c->packed, shorter = !c->packed;
    const int64_t item_labels = c->pattern % 3 ? TOKENS + 1 : TOKENS;
    const int64_t classes = !hidden ? dims : count < MOST_CLASSES ? count : MOST_CLASSES;
    uint64_t state = (uint64_t)(count * 31 + dims) + (uint64_t)c->pattern;
    char *numbers = memory_for(count * dims, 8), *bias = memory_for(classes, 8);
    char *labels = memory_for(items * item_labels, 8);
    float *float_bias = memory_for(classes, sizeof *float_bias);
    int64_t *by_row = memory_for(count, sizeof *by_row), *lengths = memory_for(items, 8);
    uint8_t *taking = memory_for(count, 1);
    int64_t bad_label = -1, expected_bad = -1;
    for (int64_t v = 0; v < count * dims; v++) /* exact in every type, and so are their products */
        case_put(numbers, v, c->rows.dtype, (double)(case_random(&state) % 9) / 4.0 - 1.0);
    for (int64_t j = 0; j < classes; j++) {
        float_bias[j] = (float)(case_random(&state) % 9) / 4.0f - 1.0f;
        case_put(bias, j, c->rows.dtype, (double)float_bias[j]);
    }
    for (int64_t i = 0; i < count; i++) by_row[i] = -1;
    for (int64_t i = 0; i < items; i++) {
        lengths[i] = (int64_t)(case_random(&state) % (TOKENS + 1));
        for (int64_t k = 0; k < item_labels; k++) {
            int64_t label =
                case_random(&state) % 4 && classes > 0 ? number_below(&state, classes) : IGNORE;
            if (c->pattern == PATTERN_SPECIAL && case_random(&state) % 64 == 0) label = classes;
            const int32_t narrow = (int32_t)label;
            memcpy(labels + (i * item_labels + k) * (wide ? 8 : 4),
                   wide ? (const void *)&label : &narrow, wide ? 8 : 4);
            if (k >= TOKENS || (shorter && k >= lengths[i]) || label == IGNORE) continue;
            if (label == classes && expected_bad < 0) expected_bad = i * TOKENS + k;
            by_row[i * TOKENS + k] = label;
        }
    }
    const alcore_sys_rows rows = {.data = numbers,
                                  .first = c->rows.first,
                                  .count = count,
                                  .dims = dims,
                                  .stride = dims,
                                  .dtype = c->rows.dtype};
    alcore_sys_rows matrix = rows;
    matrix.first = 0;
    if (hidden) matrix.count = classes;
    alcore_sys_token_stats stats = stats_into(c, out, 1);
    alcore_status status = ALCORE_OK;
    if (!t->token_stats && hidden)
        status = t->hidden_stats(&conformance_work, &rows, &matrix, float_bias, by_row, -1, &stats,
                                 &out->integers[0]);
    else if (!t->token_stats)
        status = t->logit_stats(&conformance_work, &rows, by_row, -1, &stats, &out->integers[0]);
    if (t->token_stats) {
        const alcore_sys_rows bias_rows = {
            .data = bias, .count = classes, .dims = 1, .stride = 1, .dtype = c->rows.dtype};
        const alcore_sys_labels given = {.data = labels,
                                         .lengths = shorter ? lengths : NULL,
                                         .items = items,
                                         .tokens = TOKENS,
                                         .item_stride = item_labels,
                                         .token_stride = 1,
                                         .item_step = TOKENS,
                                         .token_step = 1,
                                         .ignore = IGNORE,
                                         .dtype = wide ? ALCORE_INT64 : ALCORE_INT32};
        status = t->token_stats(&conformance_work, &rows, hidden ? &matrix : NULL,
                                classes > 0 ? &bias_rows : NULL, &given, &stats, taking, &bad_label,
                                &out->integers[0]);
        for (int64_t i = 0; i < count && !status; i++)
            if (taking[i] != (by_row[i] != -1)) bad_label = -9;
        if (bad_label != expected_bad) status = ALCORE_E_INTERNAL;
    }
    free(taking);
    free(lengths);
    free(by_row);
    free(float_bias);
    free(labels);
    free(bias);
    free(numbers);
    return status;
}

static alcore_status call_sequence_nnll(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, total = count * c->rows.dims, at = 0;
    uint64_t state = (uint64_t)total + (uint64_t)c->pattern;
    double *logprob = memory_for(total, sizeof *logprob);
    int64_t *labels = memory_for(total, sizeof *labels), *rows = memory_for(count, sizeof *rows);
    int64_t *offsets = memory_for(count + 1, sizeof *offsets);
    for (int64_t v = 0; v < total; v++) {
        uint64_t kind = case_random(&state) % 64;
        logprob[v] = kind == 0 ? -HUGE_VAL : kind == 1 ? -101.0 : -8.0 * case_uniform(&state);
        labels[v] = case_random(&state) % 4 ? v : IGNORE;
        if (kind == 2 && c->pattern == PATTERN_SPECIAL) logprob[v] = (double)NAN;
        if (c->pattern == PATTERN_ZEROS) logprob[v] = v % 2 ? 0.0 : -0.0;
    }
    for (int64_t i = 0; i <= count; i++) {
        offsets[i] = 1000 + at;
        if (i % 5 != 4) at += c->rows.dims;
        if (i < count) rows[i] = count - 1 - i;
    }
    out->integers[0] = 5;
    alcore_status status = t->sequence_nnll(
        &conformance_work, logprob, c->pattern == PATTERN_EQUAL ? NULL : labels, IGNORE, offsets,
        c->packed ? rows : NULL, count, out->numbers, &out->integers[0]);
    free(offsets);
    free(rows);
    free(labels);
    free(logprob);
    return status;
}

const entry entries_nll[] = {
    {TABLE_ENTRY(logit_stats), call_logit_stats, count_stats, 1, 0},
    {TABLE_ENTRY(hidden_stats), call_hidden_stats, count_stats, 1, 1},
    {TABLE_ENTRY(token_stats), call_token_stats, count_stats, 1, 0},
    {TABLE_ENTRY(sequence_nnll), call_sequence_nnll, count_rows, 0, 0},
};
const int entries_nll_count = sizeof entries_nll / sizeof entries_nll[0];
