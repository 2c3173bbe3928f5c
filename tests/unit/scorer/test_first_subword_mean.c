/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_hidden_average_words() (spec 7.2): TV-WORDMEAN from flags and from numbers of words, in
 * every type of number; padded arrays; rows without a word; what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "vectors.h"

enum { ROWS = 3, DIMS = 2, TOKENS = 12 };

static alcore_ctx *ctx;
static vector_case known;
static int64_t starts[ROWS + 1]; /* of the vector's rows */
static float states[TOKENS * DIMS];
static int64_t numbers[TOKENS]; /* of words */

static alcore_tensor tensor_of(void *data, int32_t dtype, int64_t *shape, int32_t ndim) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, data, dtype, shape, ndim));
    return tensor;
}

static void open(void) {
    int64_t count;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    known = vector_case_named(vector_find("multilingual", "TV-WORDMEAN"), "rows");
    memcpy(states, vector_floats(vector_input(&known, "hidden"), &count), sizeof states);
    ck_assert_int_eq(count, TOKENS * DIMS);
    memcpy(numbers, vector_integers(vector_input(&known, "words"), &count), sizeof numbers);
    ck_assert_int_eq(count, TOKENS);
    memcpy(starts, vector_offsets(vector_input(&known, "words"), &count), sizeof starts);
}

static void shut(void) {
    alcore_ctx_unref(ctx);
}

/* The means of the states of that type by words of that type; out [ROWS, DIMS]. */
static void run(void *hidden, int32_t dtype, void *words, int32_t words_dtype, double *out) {
    int64_t shape[2] = {TOKENS, DIMS}, ends = ROWS + 1, out_shape[2] = {ROWS, DIMS};
    const alcore_tensor given = tensor_of(hidden, dtype, shape, 2),
                        which = tensor_of(words, words_dtype, shape, 1),
                        offsets = tensor_of(starts, ALCORE_INT64, &ends, 1),
                        means = tensor_of(out, ALCORE_FLOAT64, out_shape, 2);
    for (int i = 0; i < ROWS * DIMS; i++) out[i] = -1;
    ck_assert_ok(alcore_hidden_average_words(ctx, &given, &which, &offsets, &means));
}

/* The vector's means; NaN stands for a row without a word. */
static void expect(const double *found) {
    int64_t count;
    const double *wanted = vector_doubles(vector_expected(&known, "means"), &count);
    ck_assert_int_eq(count, ROWS * DIMS);
    for (int i = 0; i < ROWS * DIMS; i++)
        ck_assert_msg(found[i] == wanted[i] || (isnan(found[i]) && isnan(wanted[i])),
                      "number %d is %.17g, not %.17g", i, found[i], wanted[i]);
}

START_TEST(words_by_number_and_by_flag) {
    double means[ROWS * DIMS];
    int32_t narrow[TOKENS];
    uint8_t flags[TOKENS] = {0, 1, 0, 1, 2, 0, 1, 0, 255, 0, 0, 0};
    open();
    run(states, ALCORE_FLOAT32, numbers, ALCORE_INT64, means);
    expect(means);
    for (int t = 0; t < TOKENS; t++) narrow[t] = (int32_t)numbers[t];
    run(states, ALCORE_FLOAT32, narrow, ALCORE_INT32, means);
    expect(means);
    run(states, ALCORE_FLOAT32, flags, ALCORE_UINT8, means);
    expect(means);
    shut();
}
END_TEST

/* The vector's numbers are exact in every type. */
START_TEST(every_type_of_number) {
    double means[ROWS * DIMS], wide[TOKENS * DIMS];
    uint16_t bfloats[TOKENS * DIMS];
    open();
    for (int i = 0; i < TOKENS * DIMS; i++) {
        uint32_t bits;
        memcpy(&bits, &states[i], sizeof bits);
        bfloats[i] = (uint16_t)(bits >> 16);
        wide[i] = states[i];
    }
    run(wide, ALCORE_FLOAT64, numbers, ALCORE_INT64, means);
    expect(means);
    run(bfloats, ALCORE_BFLOAT16, numbers, ALCORE_INT64, means);
    expect(means);
    shut();
}
END_TEST

/* A padded array is packed with the offsets of its rows; columns of a wider array have gaps. */
START_TEST(padded_rows_with_gaps) {
    enum { LENGTH = 6, WIDTH = 5 };
    float padded[ROWS * LENGTH * WIDTH];
    int64_t words[ROWS * LENGTH], ends = ROWS + 1;
    int64_t shape[2] = {ROWS * LENGTH, DIMS}, strides[2] = {WIDTH, 1}, out_shape[2] = {ROWS, DIMS};
    int64_t offsets[ROWS + 1] = {0, LENGTH, 2 * LENGTH, 3 * LENGTH};
    float means[ROWS * DIMS];
    open();
    for (int i = 0; i < ROWS * LENGTH * WIDTH; i++) padded[i] = NAN;
    for (int row = 0; row < ROWS; row++)
        for (int t = 0; t < LENGTH; t++) {
            const int64_t from = starts[row] + t, to = row * LENGTH + t;
            const bool has = from < starts[row + 1];
            words[to] = has ? numbers[from] : -1;
            for (int j = 0; has && j < DIMS; j++) padded[to * WIDTH + j] = states[from * DIMS + j];
        }
    alcore_tensor hidden = tensor_of(padded, ALCORE_FLOAT32, shape, 2);
    hidden.strides = strides;
    const alcore_tensor which = tensor_of(words, ALCORE_INT64, shape, 1),
                        begin = tensor_of(offsets, ALCORE_INT64, &ends, 1),
                        out = tensor_of(means, ALCORE_FLOAT32, out_shape, 2);
    ck_assert_ok(alcore_hidden_average_words(ctx, &hidden, &which, &begin, &out));
    const double *wanted = vector_doubles(vector_expected(&known, "means"), NULL);
    for (int i = 0; i < (ROWS - 1) * DIMS; i++) ck_assert(means[i] == (float)wanted[i]);
    ck_assert(isnan(means[ROWS * DIMS - 1]));
    shut();
}
END_TEST

/* Rows without tokens, and no row at all. */
START_TEST(nothing_to_average) {
    double means[DIMS] = {0};
    float none = 0;
    int64_t zeros[2] = {0, 0}, shape[2] = {0, DIMS}, ends = 2, out_shape[2] = {1, DIMS};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    const alcore_tensor hidden = tensor_of(&none, ALCORE_FLOAT32, shape, 2),
                        words = tensor_of(zeros, ALCORE_INT64, shape, 1);
    alcore_tensor offsets = tensor_of(zeros, ALCORE_INT64, &ends, 1),
                  out = tensor_of(means, ALCORE_FLOAT64, out_shape, 2);
    ck_assert_ok(alcore_hidden_average_words(ctx, &hidden, &words, &offsets, &out));
    ck_assert(isnan(means[0]) && isnan(means[1]));
    means[0] = 7;
    ends = 1;
    out_shape[0] = 0;
    ck_assert_ok(alcore_hidden_average_words(ctx, &hidden, &words, &offsets, &out));
    ck_assert(means[0] == 7);
    shut();
}
END_TEST

START_TEST(what_is_refused) {
    double means[ROWS * DIMS];
    int64_t shape[2] = {TOKENS, DIMS}, ends = ROWS + 1, out_shape[2] = {ROWS, DIMS};
    int64_t fewer = TOKENS - 1, rest = ROWS;
    open();
    const alcore_tensor hidden = tensor_of(states, ALCORE_FLOAT32, shape, 2),
                        words = tensor_of(numbers, ALCORE_INT64, shape, 1),
                        offsets = tensor_of(starts, ALCORE_INT64, &ends, 1),
                        out = tensor_of(means, ALCORE_FLOAT64, out_shape, 2);
    alcore_tensor bad;
#define REFUSED(h, w, o, r, status, text)                                                          \
    ck_assert_fails(alcore_hidden_average_words(ctx, h, w, o, r), status, text)
    REFUSED(&hidden, NULL, &offsets, &out, ALCORE_E_INVALID, "words");
    REFUSED(&words, &words, &offsets, &out, ALCORE_E_SHAPE, "hidden: expected float16");
    REFUSED(&hidden, &hidden, &offsets, &out, ALCORE_E_SHAPE, "words: expected flags");
    bad = tensor_of(numbers, ALCORE_INT64, &fewer, 1);
    REFUSED(&hidden, &bad, &offsets, &out, ALCORE_E_SHAPE, "words has 11 entries");
    bad = tensor_of(starts, ALCORE_INT64, &rest, 1);
    REFUSED(&hidden, &words, &bad, &out, ALCORE_E_SHAPE, "out");
    bad = tensor_of(means, ALCORE_INT64, out_shape, 2);
    REFUSED(&hidden, &words, &offsets, &bad, ALCORE_E_SHAPE, "float32 or float64");
    bad = hidden;
    bad.device.type = ALCORE_DEVICE_CUDA;
    REFUSED(&bad, &words, &offsets, &out, ALCORE_E_UNSUPPORTED, "copy it there first");
    const int64_t kept = starts[1];
    starts[1] = starts[2] + 1;
    REFUSED(&hidden, &words, &offsets, &out, ALCORE_E_SHAPE, "row 1 begins at token 11");
    starts[1] = kept;
    starts[0] = 1;
    REFUSED(&hidden, &words, &offsets, &out, ALCORE_E_SHAPE, "the first is 1");
    starts[0] = 0;
    starts[ROWS] = TOKENS + 1;
    REFUSED(&hidden, &words, &offsets, &out, ALCORE_E_SHAPE, "there are 12 tokens");
    shut();
}
END_TEST

/* The result is the same for every number of threads, and that of a plain loop. */
START_TEST(threads_and_a_plain_loop) {
    enum { MANY = 500, PER_ROW = 7, WIDE = 70 };
    int64_t shape[2] = {MANY * PER_ROW, WIDE}, ends = MANY + 1, out_shape[2] = {MANY, WIDE};
    float *values = malloc(sizeof *values * MANY * PER_ROW * WIDE);
    uint8_t *flags = malloc(MANY * PER_ROW);
    int64_t *offsets = malloc(sizeof *offsets * (MANY + 1));
    double *means = malloc(sizeof *means * MANY * WIDE);
    uint64_t state = 5;
    for (int64_t i = 0; i < MANY * PER_ROW * WIDE; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[i] = (float)(state >> 40) * 0x1p-24f - 0.5f;
        if (i < MANY * PER_ROW) flags[i] = (uint8_t)(state >> 63);
    }
    for (int64_t i = 0; i <= MANY; i++) offsets[i] = i * PER_ROW;
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
        options.threads = threads;
        ck_assert_ok(alcore_ctx_new(&options, &ctx));
        const alcore_tensor hidden = tensor_of(values, ALCORE_FLOAT32, shape, 2),
                            words = tensor_of(flags, ALCORE_UINT8, shape, 1),
                            begin = tensor_of(offsets, ALCORE_INT64, &ends, 1),
                            out = tensor_of(means, ALCORE_FLOAT64, out_shape, 2);
        ck_assert_ok(alcore_hidden_average_words(ctx, &hidden, &words, &begin, &out));
        for (int64_t row = 0; row < MANY; row++)
            for (int64_t j = 0; j < WIDE; j++) {
                double sum = 0;
                int64_t count = 0;
                for (int64_t t = row * PER_ROW; t < (row + 1) * PER_ROW; t++) {
                    if (!flags[t]) continue;
                    sum += (double)values[t * WIDE + j];
                    count++;
                }
                const double mean = means[row * WIDE + j];
                ck_assert(count > 0 ? mean == sum / (double)count : isnan(mean));
            }
        alcore_ctx_unref(ctx);
    }
    free(values);
    free(flags);
    free(offsets);
    free(means);
}
END_TEST

CHECK_SUITE("first-subword-mean", words_by_number_and_by_flag, every_type_of_number,
            padded_rows_with_gaps, nothing_to_average, what_is_refused, threads_and_a_plain_loop);
