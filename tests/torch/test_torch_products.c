/* SPDX-License-Identifier: Apache-2.0 */
/* Products against their formula in double, for the types that this processor has instructions for,
 * at sizes around those of vectors, tiles, panels and blocks. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "torch_products.h"

enum { MOST_ROWS = 13, MOST_IN = 2100, SIGNED = 70, MOST_OUT = 130, PANELS = 3 };

static const torch_products *products;
static enum { INT8, BFLOAT16, FLOAT32 } type;
static const char *const names[] = {"int8", "bfloat16", "float32"};
static float inputs[MOST_ROWS * MOST_IN], weights[MOST_OUT * MOST_IN], bias[PANELS * TORCH_PANEL],
    scales[PANELS * TORCH_PANEL], times[MOST_ROWS * MOST_OUT], added[MOST_ROWS * MOST_OUT],
    result[MOST_ROWS * MOST_OUT + 1], row_scales[MOST_ROWS];
static int32_t sums[PANELS * TORCH_PANEL], zeros[MOST_ROWS];
static char packed[PANELS * TORCH_PANEL * (MOST_IN + 4) * 4], rows[MOST_ROWS * (MOST_IN + 4) * 4];

/* Runs a check for each type that can run here. */
static void with_each_type(void (*check)(void)) {
    const torch_products *here[] = {torch_products_int8_here(), torch_products_bfloat16_here(),
                                    torch_products_float32_here()};
    for (type = INT8; type <= FLOAT32; type++)
        if ((products = here[type]) != NULL) check();
}

/* Between -2 and 2. */
static float any(void) {
    return (float)(rand() % 4001 - 2000) / 1000.0f;
}

static void fill(void) {
    srand(5);
    /* Of either sign, and of one of them, as what an activation leaves. */
    for (int i = 0; i < MOST_ROWS * MOST_IN; i++) inputs[i] = any();
    for (int i = SIGNED * 4; i < SIGNED * 8; i++) inputs[i] = fabsf(inputs[i]) - 0.1f;
    for (int i = SIGNED * 8; i < SIGNED * 10; i++) inputs[i] = -fabsf(inputs[i]);
    for (int i = 0; i < MOST_OUT * MOST_IN; i++) weights[i] = any();
    for (int i = 0; i < PANELS * TORCH_PANEL; i++) bias[i] = any();
    for (int i = 0; i < MOST_ROWS * MOST_OUT; i++) {
        times[i] = any();
        added[i] = any();
    }
}

/* A number of a row of weights or of inputs as it is rounded. */
static double rounded(const float *row, int64_t in, int64_t k, bool of_weights) {
    if (type == FLOAT32) return (double)row[k];
    if (type == BFLOAT16) {
        uint32_t bits;
        memcpy(&bits, row + k, sizeof bits);
        bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u;
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    float least = 0, most = 0;
    for (int64_t i = 0; i < in; i++) {
        least = fminf(least, row[i]);
        most = fmaxf(most, row[i]);
    }
    if (least == most) return 0;
    if (of_weights) {
        const float range = fmaxf(most, -least);
        return (double)rintf(row[k] * (127.0f / range)) * (double)(range / 127.0f);
    }
    const float range = most - least, factor = 255.0f / range, zero = rintf(-least * factor);
    return (double)fminf(rintf(row[k] * factor), 255.0f - zero) * (double)(range / 255.0f);
}

static double apply(double x, enum torch_after after) {
    switch (after) {
    case TORCH_AFTER_GELU:
        return x * 0.5 * (1 + erf(x / sqrt(2)));
    case TORCH_AFTER_GELU_TANH:
        return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
    case TORCH_AFTER_RELU:
        return x > 0 ? x : 0;
    case TORCH_AFTER_SILU:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

/* Packs the weights, rounds the inputs and multiplies, the panels from `first` on. */
static void multiply(int64_t count, int64_t in, int64_t out, int64_t first, enum torch_after after,
                     bool more) {
    const int64_t panels = (out + TORCH_PANEL - 1) / TORCH_PANEL,
                  bytes = TORCH_PANEL * torch_row_bytes(products, in);
    for (int64_t p = 0; p < panels; p++) {
        const int64_t left = out - p * TORCH_PANEL;
        products->pack(weights + p * TORCH_PANEL * in, left < TORCH_PANEL ? left : TORCH_PANEL, in,
                       packed + p * bytes, scales + p * TORCH_PANEL, sums + p * TORCH_PANEL);
    }
    if (products->narrow != NULL) products->narrow(inputs, count, in, rows, row_scales, zeros);
    for (int64_t i = 0; i < MOST_ROWS * MOST_OUT + 1; i++) result[i] = -77;
    const torch_product what = {.weights = packed,
                                .scales = scales,
                                .sums = sums,
                                .bias = bias,
                                .in = in,
                                .out = out,
                                .rows = products->narrow == NULL ? (const void *)inputs : rows,
                                .row_scales = row_scales,
                                .row_zeros = zeros,
                                .count = count,
                                .panel = first,
                                .panels = panels,
                                .after = after,
                                .times = more ? times : NULL,
                                .added = more ? added : NULL,
                                .result = result};
    products->multiply(&what);
}

static void check_product(int64_t count, int64_t in, int64_t out, enum torch_after after,
                          bool more) {
    const int64_t first = out > TORCH_PANEL && more ? 1 : 0;
    const double bound = in > 1000 ? 3e-4 : 3e-5;
    multiply(count, in, out, first, after, more);
    for (int64_t r = 0; r < count; r++)
        for (int64_t c = 0; c < out; c++) {
            const int64_t place = r * out + c;
            if (c < first * TORCH_PANEL) {
                ck_assert(result[place] == -77);
                continue;
            }
            double right = (double)bias[c];
            for (int64_t k = 0; k < in; k++)
                right +=
                    rounded(inputs + r * in, in, k, false) * rounded(weights + c * in, in, k, true);
            right = apply(right, after);
            if (more) right = right * (double)times[place] + (double)added[place];
            ck_assert_msg(fabs(right - (double)result[place]) < bound * (1 + fabs(right)),
                          "%s: %d rows, %d in, %d out, after %d: row %d, column %d is %.8g, not "
                          "%.8g",
                          names[type], (int)count, (int)in, (int)out, (int)after, (int)r, (int)c,
                          (double)result[place], right);
        }
    for (int64_t i = count * out; i < MOST_ROWS * MOST_OUT + 1; i++) ck_assert(result[i] == -77);
}

static void check_sizes(void) {
    static const int64_t counts[] = {1, 2, 3, 4, 5, 6, 7, 13}, ins[] = {1, 3, 4, 16, 17, 64, 70},
                         outs[] = {1, 15, 16, 63, 64, 65, 130};
    fill();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
        for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
            for (size_t o = 0; o < sizeof outs / sizeof *outs; o++)
                for (int more = 0; more < 2; more++)
                    check_product(counts[n], ins[i], outs[o], TORCH_AFTER_NOTHING, more);
    for (int after = TORCH_AFTER_NOTHING; after <= TORCH_AFTER_SILU; after++)
        for (int more = 0; more < 2; more++)
            check_product(7, 70, 130, (enum torch_after)after, more);
    /* Longer than a block, of which int8 has none. */
    static const int64_t long_ins[] = {1023, 1024, 1025, 2048, 2100};
    for (size_t i = 0; type != INT8 && i < sizeof long_ins / sizeof *long_ins; i++)
        check_product(i == 0 ? 1 : 13, long_ins[i], i == 1 ? 64 : 130, TORCH_AFTER_SILU, true);
}

START_TEST(products_follow_the_formula) {
    with_each_type(check_sizes);
}
END_TEST

/* Functions of what is far from zero, where exp() is 0 or infinite. */
static void check_far(void) {
    fill();
    for (int64_t k = 0; k < 4; k++) inputs[k] = weights[k] = k == 0 ? 1.0f : 0.0f;
    static const float far[] = {-1e30f, -300, -88, -20, 20, 88, 300, 1e30f};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        bias[0] = far[i];
        for (int after = TORCH_AFTER_GELU; after <= TORCH_AFTER_SILU; after++) {
            multiply(1, 4, 1, 0, (enum torch_after)after, false);
            const double right = apply((double)far[i] + 1, (enum torch_after)after);
            ck_assert_msg(fabs(right - (double)result[0]) < 1e-5 * (1 + fabs(right)),
                          "after %d of %g: %g", after, (double)far[i], (double)result[0]);
        }
    }
}

START_TEST(functions_hold_far_from_zero) {
    with_each_type(check_far);
}
END_TEST

/* Zeros give the bias, and what is no number shows in its own row or column alone. */
static void check_odd_numbers(void) {
    enum { IN = 21, OUT = 70, ROWS = 7, ROW = 3, COLUMN = 66 };
    static const float odd[] = {0, NAN, INFINITY, -INFINITY, 1e-38f};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int of_weights = 0; of_weights < 2; of_weights++) {
            const bool tiny = isfinite(odd[i]);
            fill();
            float *row = of_weights ? weights + COLUMN * IN : inputs + ROW * IN;
            for (int k = 0; k < IN; k++)
                if (tiny || k == 18) row[k] = odd[i];
            multiply(ROWS, IN, OUT, 0, TORCH_AFTER_NOTHING, false);
            for (int r = 0; r < ROWS; r++)
                for (int c = 0; c < OUT; c++) {
                    const float found = result[r * OUT + c];
                    const bool hit = of_weights ? c == COLUMN : r == ROW;
                    ck_assert_msg(hit && !tiny ? !isfinite(found) : isfinite(found),
                                  "%g: row %d, column %d is %g", (double)odd[i], r, c,
                                  (double)found);
                    if (hit && tiny) ck_assert(found == bias[c]);
                }
        }
}

START_TEST(zeros_and_what_is_no_number_stay_so) {
    with_each_type(check_odd_numbers);
}
END_TEST

CHECK_SUITE("torch products", products_follow_the_formula, functions_hold_far_from_zero,
            zeros_and_what_is_no_number_stay_so);
