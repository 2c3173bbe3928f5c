/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of several distributions a row (spec 4.20): TV-SAMPLES, the layouts in which samples are
 * given, what their numbers may mean, and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_suite.h"
#include "column_rows.h"
#include "vectors.h"

enum { ROWS = 4, SAMPLES = 3, CLASSES = 3, NUMBERS = ROWS * SAMPLES * CLASSES };

static alcore_ctx *ctx;
static alcore_pool *pool;
static const int64_t all_rows[ROWS] = {0, 1, 2, 3};

#define MUST(call) ck_assert_msg((call) == ALCORE_OK, "%s", alcore_last_error())

static void setup(void) {
    static const char *const texts[ROWS] = {"a", "b", "c", "d"};
    MUST(alcore_ctx_new(NULL, &ctx));
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, texts, NULL, ROWS, NULL));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* Sets the column to values [shape] with these strides (NULL: none between them). */
static alcore_status give_strided(const double *values, int64_t *shape, int64_t *strides,
                                  int32_t meaning) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    options.meaning = meaning;
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape, 3));
    tensor.strides = strides;
    return alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, &options);
}

static alcore_status give(const double *values, int64_t samples, int64_t rows, int64_t classes,
                          int32_t meaning) {
    return give_strided(values, (int64_t[]){samples, rows, classes}, NULL, meaning);
}

/* Values [rows, samples, classes], as the vectors have them, are given by their strides. */
static void give_by_row(const double *values, int64_t samples, int64_t classes, int32_t meaning) {
    MUST(give_strided(values, (int64_t[]){samples, ROWS, classes},
                      (int64_t[]){classes, samples * classes, 1}, meaning));
}

/* name: of a score, behind a space the value of its parameter "measure". */
static alcore_status score(const char *name) {
    alcore_scorer *scorer;
    char copy[64];
    snprintf(copy, sizeof copy, "%s", name);
    char *measure = strchr(copy, ' ');
    if (measure) *measure++ = 0;
    MUST(alcore_scorer_new(ctx, copy, &scorer));
    if (measure) MUST(alcore_scorer_set(scorer, "measure", measure));
    alcore_status status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}

static void read_scores(double *found) {
    MUST(test_column_rows(pool, "scores", all_rows, ROWS, found));
}

static void expect_scores(const char *name, const json_t *expected) {
    double found[ROWS];
    MUST(score(name));
    read_scores(found);
    vector_near(found, expected, 1e-12);
}

static void expect_failure(alcore_status status, alcore_status expected, const char *says) {
    ck_assert_int_eq(status, expected);
    ck_assert_msg(strstr(alcore_last_error(), says), "%s", alcore_last_error());
}

static const char *const names[] = {
    "bald",   "variance",  "qbc vote-entropy", "qbc consensus-entropy", "qbc variation-ratio",
    "qbc kl", "qbc kl-max"};
enum { NAMES = sizeof names / sizeof names[0] };

START_TEST(vectors) {
    test_vector known = vector_find("scores", "TV-SAMPLES");
    for (int i = 0; i < NAMES; i++) {
        vector_case one = vector_case_named(known, names[i]);
        give_by_row(vector_doubles(vector_input(&one, "samples"), NULL), SAMPLES, CLASSES, 0);
        expect_scores(names[i], vector_expected(&one, "u"));
        if (strstr(names[i], "kl-max")) continue;
        give_by_row(vector_doubles(vector_input(&one, "labels"), NULL), 2, 2,
                    ALCORE_MEANS_MULTILABEL);
        expect_scores(names[i], vector_expected(&one, "labels"));
    }
}
END_TEST

/* The first of the vectors' rows by each meaning, in place of all rows. */
START_TEST(meanings) {
    static const double p[SAMPLES][CLASSES] = {{0.7, 0.2, 0.1}, {0.1, 0.8, 0.1}, {0.2, 0.2, 0.6}};
    double probs[NUMBERS], logs[NUMBERS], logits[NUMBERS], found[3][ROWS];
    for (int s = 0, n = 0; s < SAMPLES; s++)
        for (int i = 0; i < ROWS; i++)
            for (int c = 0; c < CLASSES; c++, n++) {
                probs[n] = p[s][(c + i) % CLASSES];
                logs[n] = log(probs[n]);
                logits[n] = logs[n] + 100.0 * s - 37.0;
            }
    for (int i = 0; i < NAMES; i++) {
        MUST(give(probs, SAMPLES, ROWS, CLASSES, ALCORE_MEANS_PROBS));
        MUST(score(names[i]));
        read_scores(found[0]);
        MUST(give(logs, SAMPLES, ROWS, CLASSES, ALCORE_MEANS_LOGPROBS));
        MUST(score(names[i]));
        read_scores(found[1]);
        MUST(give(logits, SAMPLES, ROWS, CLASSES, ALCORE_MEANS_LOGITS));
        MUST(score(names[i]));
        read_scores(found[2]);
        for (int r = 0; r < ROWS; r++) {
            ck_assert_double_eq_tol(found[1][r], found[0][r], 1e-12);
            ck_assert_double_eq_tol(found[2][r], found[0][r], 1e-12);
        }
    }
}
END_TEST

/* One number is two classes, whoever writes out both; also with kl-max, of which no vector has
 * labels. */
START_TEST(one_number_is_two_classes) {
    static const double one[2 * ROWS] = {0.9, 0.5, 0.3, 0.0, 0.2, 0.5, 0.8, 1.0};
    double both[4 * ROWS], narrow[ROWS], wide[ROWS];
    for (int i = 0; i < 2 * ROWS; i++) both[2 * i] = 1.0 - one[i], both[2 * i + 1] = one[i];
    for (int i = 0; i < NAMES; i++) {
        MUST(give(one, 2, ROWS, 1, ALCORE_MEANS_SIGMOID));
        MUST(score(names[i]));
        read_scores(narrow);
        MUST(give(both, 2, ROWS, 2, 0));
        MUST(score(names[i]));
        read_scores(wide);
        ck_assert_mem_eq(narrow, wide, sizeof wide);
    }
}
END_TEST

/* Rows with different numbers of samples, by offsets: a row's score is that of its samples alone.
 */
START_TEST(any_number_of_samples) {
    static const double values[] = {0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.5, 0.5, 0.6, 0.4,
                                    0.9, 0.1, 0.2, 0.8, 0.9, 0.1, 0.2, 0.8, 0.9, 0.1};
    int64_t ends[] = {0, 2, 5, 7, 10}, shape[] = {10, 2}, offsets_shape[] = {ROWS + 1};
    alcore_tensor tensor, offsets;
    double found[ROWS];
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape, 2));
    MUST(alcore_tensor_init(&offsets, ends, ALCORE_INT64, offsets_shape, 1));
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, &offsets, NULL));
    MUST(score("bald"));
    read_scores(found);
    ck_assert_double_gt(found[0], 0.2);
    ck_assert_mem_eq(&found[0], &found[2], sizeof found[0]);
    ck_assert_double_lt(found[1], 0.01);
    ck_assert_double_gt(found[3], found[1]);
    ends[1] = 1;
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, &offsets, NULL));
    expect_failure(score("bald"), ALCORE_E_SHAPE, "row 0: one sample");
    ends[1] = 0;
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, &offsets, NULL));
    expect_failure(score("qbc"), ALCORE_E_DATA, "row 0: no sample");
}
END_TEST

/* Samples that agree differ by nothing, though the mean of equal numbers is rounded. */
START_TEST(agreement_is_zero) {
    double same[7 * ROWS * CLASSES], found[ROWS];
    for (int i = 0; i < 7 * ROWS; i++) {
        const double p = 0.1 + 0.01 * (i % ROWS);
        same[3 * i] = p, same[3 * i + 1] = 2 * p, same[3 * i + 2] = 1.0 - 3 * p;
    }
    MUST(give(same, 7, ROWS, CLASSES, 0));
    for (int i = 0; i < NAMES; i++) {
        if (strstr(names[i], "consensus")) continue;
        MUST(score(names[i]));
        read_scores(found);
        for (int r = 0; r < ROWS; r++) {
            ck_assert_double_ge(found[r], 0.0);
            ck_assert_double_lt(found[r], 1e-15);
        }
    }
}
END_TEST

START_TEST(refusals) {
    double values[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) values[i] = i % CLASSES == 0 ? 0.5 : 0.25;
    expect_failure(give(values, ROWS, SAMPLES, CLASSES, 0), ALCORE_E_SHAPE,
                   "expected [samples, 4, classes], found [4, 3, 3]; give x.transpose(1, 0, 2)");
    expect_failure(give(values, SAMPLES, 2, CLASSES, 0), ALCORE_E_SHAPE,
                   "expected [samples, 4, classes], found [3, 2, 3]");
    expect_failure(give(values, 0, ROWS, CLASSES, 0), ALCORE_E_SHAPE, "found [0, 4, 3]");
    expect_failure(give_strided(values, (int64_t[]){SAMPLES, ROWS, CLASSES},
                                (int64_t[]){1, CLASSES, ROWS * CLASSES}, 0),
                   ALCORE_E_SHAPE, "contiguous");
    MUST(give(values, 1, ROWS, CLASSES, 0));
    expect_failure(score("variance"), ALCORE_E_SHAPE, "row 0: one sample in column");
    MUST(give(values, SAMPLES, ROWS, 1, 0));
    expect_failure(score("variance"), ALCORE_E_SHAPE, "one number");
    /* Row 2 of sample 1. */
    double *bad = values + (ROWS + 2) * CLASSES;
    static const double numbers[] = {0.5 + 0.3, (double)NAN, -0.5, 1.25};
    static const char *const says[] = {
        "sample 1: row 2: the probabilities in column \"sample_probs\" add up to 1.3",
        "sample 1: row 2: class 0 of column \"sample_probs\" is NaN",
        "sample 1: row 2: a value in column \"sample_probs\" is outside",
        "sample 1: row 2: a value in column \"sample_probs\" is outside"};
    for (int i = 0; i < 4; i++) {
        bad[0] = numbers[i];
        MUST(give(values, SAMPLES, ROWS, CLASSES, 0));
        for (int n = 0; n < NAMES; n++) expect_failure(score(names[n]), ALCORE_E_DATA, says[i]);
    }
    /* Outside [0, 1] by less than the sum may be from 1, and by rounding. */
    static const double others[4][CLASSES] = {
        {1.0005, 0.0, 0.0}, {-0.0005, 0.5, 0.5}, {1.0 + 5e-7, 0.0, -5e-7}, {1.0, -0.0, 0.0}};
    for (int i = 0; i < 4; i++) {
        memcpy(bad, others[i], sizeof others[i]);
        MUST(give(values, SAMPLES, ROWS, CLASSES, 0));
        for (int n = 0; n < NAMES; n++) {
            if (i < 2)
                expect_failure(score(names[n]), ALCORE_E_DATA, says[2]);
            else
                MUST(score(names[n]));
        }
    }
    bad[0] = (double)NAN;
    MUST(give(values, SAMPLES, ROWS, CLASSES, 0));
    MUST(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, (int64_t[]){2}, 1));
    MUST(score("bald"));
}
END_TEST

/* ---- arrays that are read where they lie ---- */

static int releases;
static void count_release(void *user) {
    (void)user;
    releases++;
}

/* Gives values [SAMPLES, rows, CLASSES] of a type, for all rows or (rows not NULL) for these, as an
 * array that is kept, or borrowed. row_stride: values from a row to the next. */
static void give_owned(const void *values, int32_t dtype, int64_t row_stride, const int64_t *rows,
                       int64_t count, int32_t ownership) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    int64_t shape[] = {SAMPLES, count, CLASSES}, strides[] = {count * row_stride, row_stride, 1};
    alcore_tensor tensor;
    options.ownership = ownership;
    options.rows = rows;
    options.row_count = rows ? count : 0;
    options.release = ownership == ALCORE_BORROW ? count_release : NULL;
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, dtype, shape, 3));
    tensor.strides = strides;
    MUST(alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, &options));
}

enum { GAP = CLASSES + 2 };

/* Distributions with gaps between rows; 7 stands in the gaps. */
static void fill_gapped(double *values, float *narrow) {
    for (int i = 0; i < SAMPLES * ROWS; i++)
        for (int c = 0; c < GAP; c++) {
            const double p = 0.05 + 0.07 * ((i * 5 + 3) % 7),
                         q[] = {p, 0.4 * (1 - p), 0.6 * (1 - p)};
            values[i * GAP + c] = c < CLASSES ? q[c] : 7.0;
            narrow[i * GAP + c] = (float)values[i * GAP + c];
        }
}

/* The scores of a borrowed array have the bits of those of its copy: of both types, with gaps, for
 * some of the rows, and where one row is excluded. */
START_TEST(in_place) {
    static const int64_t two[] = {3, 1};
    double values[SAMPLES * ROWS * GAP], found[2][ROWS];
    float narrow[SAMPLES * ROWS * GAP];
    fill_gapped(values, narrow);
    releases = 0;
    for (int i = 0; i < 2 * NAMES; i++) {
        const void *data = i % 2 ? (const void *)narrow : values;
        const int32_t dtype = i % 2 ? ALCORE_FLOAT32 : ALCORE_FLOAT64;
        for (int some = 0; some < 2; some++) {
            MUST(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, (int64_t[]){0, 2}, some ? 2 : 0));
            for (int k = 0; k < 2; k++) {
                memset(found[k], 0, sizeof found[k]);
                give_owned(data, dtype, GAP, some ? two : NULL, some ? 2 : ROWS,
                           k ? ALCORE_BORROW : ALCORE_KEEP);
                MUST(score(names[i / 2]));
                MUST(test_column_rows(pool, "scores", some ? two : all_rows, some ? 2 : ROWS,
                                      found[k]));
            }
            ck_assert_mem_eq(found[0], found[1], sizeof found[0]);
            ck_assert_double_ge(found[0][0], 0.0);
            MUST(alcore_pool_unmark(pool, ALCORE_ROW_EXCLUDED, (int64_t[]){0, 2}, some ? 2 : 0));
        }
    }
    ck_assert_int_eq(releases, 4 * NAMES - 1); /* the last one is in use */
}
END_TEST

/* What is borrowed is read when it is wanted, and shown as it lies. */
START_TEST(borrowed_arrays_are_views) {
    double values[SAMPLES * ROWS * GAP], tokens[SAMPLES * CLASSES], before[ROWS], after[ROWS];
    float narrow[SAMPLES * ROWS * GAP];
    int64_t offsets[2], row = 1, shape[] = {SAMPLES, CLASSES};
    alcore_tensor view, view_offsets, out;
    fill_gapped(values, narrow);
    give_owned(values, ALCORE_FLOAT64, GAP, NULL, ROWS, ALCORE_BORROW);
    MUST(alcore_pool_get_column(pool, "sample_probs", &view, &view_offsets));
    ck_assert_int_eq(view.ndim, 3);
    ck_assert_ptr_eq(view.data, values);
    ck_assert_mem_eq(view.shape, ((int64_t[]){SAMPLES, ROWS, CLASSES}), 3 * sizeof *view.shape);
    ck_assert_mem_eq(view.strides, ((int64_t[]){ROWS * GAP, GAP, 1}), 3 * sizeof *view.strides);
    ck_assert_ptr_null(view_offsets.data);
    give_owned(values, ALCORE_FLOAT64, CLASSES, NULL, ROWS, ALCORE_BORROW);
    MUST(alcore_pool_get_column(pool, "sample_probs", &view, NULL));
    ck_assert_ptr_null(view.strides); /* without gaps */
    give_owned(values, ALCORE_FLOAT64, GAP, NULL, ROWS, ALCORE_BORROW);
    MUST(alcore_tensor_init(&out, tokens, ALCORE_FLOAT64, shape, 2));
    MUST(alcore_pool_get_column_tokens(pool, "sample_probs", &row, 1, offsets, &out));
    for (int s = 0; s < SAMPLES; s++)
        ck_assert_mem_eq(tokens + s * CLASSES, values + (s * ROWS + row) * GAP,
                         CLASSES * sizeof *tokens);
    MUST(score("variance"));
    read_scores(before);
    for (int c = 0; c < CLASSES; c++) values[row * GAP + c] = c == 1;
    MUST(score("variance"));
    read_scores(after);
    ck_assert_double_gt(after[row], before[row]);
    ck_assert_double_eq(after[0], before[0]);
    values[(ROWS + 2) * GAP] = 0.9; /* sample 1 of row 2 */
    expect_failure(score("variance"), ALCORE_E_DATA, "sample 1: row 2: the probabilities");
    values[0] = (double)NAN;
    expect_failure(score("bald"), ALCORE_E_DATA, "sample 0: row 0: class 0");
}
END_TEST

CHECK_SUITE_WITH("samples", setup, teardown, vectors, meanings, one_number_is_two_classes,
                 any_number_of_samples, agreement_is_zero, refusals, in_place,
                 borrowed_arrays_are_views);
