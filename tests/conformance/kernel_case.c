/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the inputs of conformance cases (kernel_case.h): values that follow a pattern, centroids
 * close to rows, masks, groups, and layouts with gaps and misaligned rows. */
#include "kernel_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_oracle.h"

uint64_t case_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

double case_uniform(uint64_t *state) {
    return (double)(case_random(state) >> 11) * 0x1p-53;
}

static void *new_memory(int64_t count, size_t bytes) {
    void *memory = calloc((size_t)count + 1, bytes);
    if (!memory) abort();
    return memory;
}

/* value as float16, rounded towards zero, at most 65504 in magnitude. */
static uint16_t float16_of(double value) {
    double magnitude = fabs(value);
    uint16_t sign = signbit(value) ? 0x8000u : 0u;
    if (isnan(value)) return 0x7e00u;
    if (isinf(value)) return (uint16_t)(sign | 0x7c00u);
    if (magnitude >= 65504.0) return (uint16_t)(sign | 0x7bffu);
    if (magnitude < 0x1p-14) return (uint16_t)(sign | (uint16_t)(magnitude * 0x1p24));
    int exponent;
    double fraction = frexp(magnitude, &exponent); /* in [0.5, 1) */
    int mantissa = (int)(fraction * 2048.0) - 1024;
    return (uint16_t)(sign | (uint16_t)((exponent + 14) << 10) | (uint16_t)mantissa);
}

void case_put(void *data, int64_t index, int32_t dtype, double value) {
    char *out = data;
    if (dtype == ALCORE_FLOAT64) {
        memcpy(out + index * 8, &value, 8);
    } else if (dtype == ALCORE_FLOAT32) {
        float x = (float)value;
        memcpy(out + index * 4, &x, 4);
    } else if (dtype == ALCORE_BFLOAT16) {
        float x = (float)value;
        uint32_t bits;
        memcpy(&bits, &x, 4);
        uint16_t upper = (uint16_t)(bits >> 16);
        memcpy(out + index * 2, &upper, 2);
    } else {
        uint16_t bits = float16_of(value);
        memcpy(out + index * 2, &bits, 2);
    }
}

/* Adds one unit in the last place to entry `index`, of `bytes` bytes, away from zero. */
static void raise_ulp(void *data, int64_t index, size_t bytes) {
    char *out = (char *)data + index * (int64_t)bytes;
    uint64_t bits = 0;
    memcpy(&bits, out, bytes); /* little-endian, as every machine of the tests is */
    bits++;
    memcpy(out, &bits, bytes);
}

/* A random value of a pattern; those that repeat rows are made by fill(). */
static double random_number(uint64_t *state, int32_t pattern, int32_t dtype) {
    double x = case_uniform(state) - 0.5;
    if (pattern == PATTERN_TINY) return ldexp(x, dtype == ALCORE_FLOAT16 ? -14 : -127);
    if (pattern == PATTERN_HUGE) return dtype == ALCORE_FLOAT16 ? x * 0x1p17 : ldexp(x, 128);
    if (pattern == PATTERN_ZEROS) return case_random(state) % 2 ? 0.0 : -0.0;
    if (pattern == PATTERN_SPECIAL && case_random(state) % 400 == 0) {
        uint64_t which = case_random(state) % 3;
        return which == 0 ? (double)NAN : which == 1 ? HUGE_VAL : -HUGE_VAL;
    }
    return x;
}

/* Fills the rows, gaps between them included, by the pattern. */
static void fill(kernel_case *made, uint64_t *state) {
    alcore_sys_rows *rows = &made->rows;
    void *data = (void *)(uintptr_t)rows->data;
    size_t bytes = rows->dtype == ALCORE_FLOAT64 ? 8 : rows->dtype == ALCORE_FLOAT32 ? 4 : 2;
    for (int64_t i = 0; i < rows->count; i++) {
        char *row = (char *)data + i * rows->stride * (int64_t)bytes;
        int repeat = i > 0 && (made->pattern == PATTERN_EQUAL || made->pattern == PATTERN_ULP ||
                               (made->pattern == PATTERN_DUPLICATES && i % 3 == 2));
        int32_t pattern =
            made->pattern == PATTERN_ZEROS && i % 4 == 3 ? PATTERN_RANDOM : made->pattern;
        for (int64_t j = 0; j < rows->stride; j++) {
            case_put(row, j, rows->dtype, random_number(state, pattern, rows->dtype));
        }
        if (!repeat) continue;
        memcpy(row, row - rows->stride * (int64_t)bytes, (size_t)rows->dims * bytes);
        if (made->pattern == PATTERN_ULP && rows->dims > 0 && i % 2 == 1) {
            raise_ulp(row, (int64_t)(case_random(state) % (uint64_t)rows->dims), bytes);
        }
    }
}

/* Centroids: random ones, copies of rows, means of two rows, and repeats of the one before, exact
 * or one unit in the last place off. */
static void make_centroids(kernel_case *made, uint64_t *state) {
    static const int64_t starts[CASE_GROUPS + 1] = {0, 0, 1, 8, 28, CASE_CENTROIDS};
    const alcore_sys_rows *rows = &made->rows;
    memcpy(made->starts, starts, sizeof starts);
    for (int64_t c = 0; c < CASE_CENTROIDS; c++) {
        double *centroid = made->centroids + c * rows->dims;
        if (c > 8 && c % 5 == 4) {
            memcpy(centroid, centroid - rows->dims, (size_t)rows->dims * sizeof *centroid);
            if (c % 2 && rows->dims > 0)
                centroid[c % rows->dims] = nextafter(centroid[c % rows->dims], 9.0);
            continue;
        }
        int64_t row = rows->count > 0 ? (int64_t)(case_random(state) % (uint64_t)rows->count) : 0;
        int64_t other = rows->count > 0 ? (int64_t)(case_random(state) % (uint64_t)rows->count) : 0;
        for (int64_t j = 0; j < rows->dims; j++) {
            double x = case_uniform(state) - 0.5;
            if (rows->count > 0 && c % 3) x = oracle_number(rows, row, j);
            if (rows->count > 0 && c % 3 == 2) x = (x + oracle_number(rows, other, j)) / 2.0;
            centroid[j] = x;
        }
    }
}

void case_make(kernel_case *out, uint64_t *state, int32_t dtype, int64_t count, int64_t dims,
               int32_t pattern, int32_t unit, int32_t packed, int32_t masked) {
    int64_t stride = packed ? dims : dims + 3;
    memset(out, 0, sizeof *out);
    out->pattern = pattern;
    out->packed = packed;
    out->memory = new_memory(count * stride + 2, 8);
    out->rows = (alcore_sys_rows){
        .data = (char *)out->memory + (packed ? 0 : 1),
        .first = 8192 * 3 + 17,
        .count = count,
        .dims = dims,
        .stride = stride,
        .dtype = dtype,
        .unit = unit,
    };
    out->group = new_memory(count, sizeof *out->group);
    out->starts = new_memory(CASE_GROUPS + 1, sizeof *out->starts);
    out->centroids = new_memory(CASE_CENTROIDS * dims, sizeof *out->centroids);
    out->vector = new_memory(dims, sizeof *out->vector);
    out->scalars = new_memory(3 * count, sizeof *out->scalars);
    fill(out, state);
    make_centroids(out, state);
    if (case_random(state) % 2 || masked) {
        out->mask = new_memory(count, 1);
        for (int64_t i = 0; i < count; i++) out->mask[i] = case_random(state) % 4 != 0;
    }
    for (int64_t i = 0; i < count; i++) {
        out->group[i] = (int32_t)(case_random(state) % (CASE_GROUPS + 1)) - 1;
        /* The last group, which has many centroids, gets most rows. */
        if (case_random(state) % 2) out->group[i] = CASE_GROUPS - 1;
    }
    for (int64_t j = 0; j < dims; j++) {
        out->vector[j] = count > 0 && case_random(state) % 8
                             ? oracle_number(&out->rows, count / 2, j)
                             : case_uniform(state) - 0.5;
    }
    for (int64_t i = 0; i < 3 * count; i++) {
        out->scalars[i] =
            case_random(state) % 4 ? case_uniform(state) : (double)(case_random(state) % 3);
    }
}

void case_free(kernel_case *made) {
    free(made->memory);
    free(made->mask);
    free(made->group);
    free(made->starts);
    free(made->centroids);
    free(made->vector);
    free(made->scalars);
}
