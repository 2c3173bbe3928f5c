/* SPDX-License-Identifier: Apache-2.0 */
/* The rules around the kernels' arithmetic: edges of the cosine, floors, bad rows, devices, memory,
 * cancellation. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/base.h"
#include "check_suite.h"
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"
#include "vectors.h"

static alcore_ctx *ctx;
static alcore_sys_work work;
static const alcore_sys_kernels *table;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    work = alcore__engine_work(&(alcore__engine){.ctx = ctx});
    table = alcore__kernels_cpu();
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore_sys_rows rows_of(const void *data, int32_t dtype, int64_t count, int64_t dims) {
    return (alcore_sys_rows){
        .data = data, .first = 70, .count = count, .dims = dims, .stride = dims, .dtype = dtype};
}

/* Spec 1.5. */
START_TEST(cosine_edges) {
    const double x[] = {3, 4, -6, -8, 0, 0, 4, -3, 1e-13, 0};
    const double centroids[] = {0.3, 0.4, 0, 0};
    const int32_t first[] = {0, 0, 0, 0, 0}, zero[] = {1, 1, 1, 1, 1};
    double out[5];
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT64, 5, 2);
    ck_assert_int_eq(table->group_cosine(&work, &rows, first, 2, centroids, out), ALCORE_OK);
    ck_assert(out[0] == 0.0 && out[1] == 2.0 && out[2] == 1.0 && out[4] == 1.0);
    ck_assert_double_eq_tol(out[3], 1.0, 1e-15);
    ck_assert_int_eq(table->group_cosine(&work, &rows, zero, 2, centroids, out), ALCORE_OK);
    for (int i = 0; i < 5; i++) ck_assert(out[i] == 1.0);
}
END_TEST

/* unit(e) of a zero row is all +0 and has distance 1; of a row beside itself 0. */
START_TEST(unit_rows) {
    const float x[] = {-0.0f, 0.0f, 3.0f, 4.0f};
    double wide[4], out[2];
    const double centroid[] = {30.0, 40.0};
    const int32_t group[] = {0, 0};
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT32, 2, 2);
    rows.unit = 1;
    ck_assert_int_eq(table->widen(&work, &rows, NULL, wide), ALCORE_OK);
    ck_assert(wide[0] == 0.0 && !signbit(wide[0]) && wide[2] == 3.0 / 5.0 && wide[3] == 4.0 / 5.0);
    ck_assert_int_eq(table->group_cosine(&work, &rows, group, 1, centroid, out), ALCORE_OK);
    ck_assert(out[0] == 1.0 && out[1] == 0.0);
}
END_TEST

/* Spec 1.8: what is at most 1e-12 of both squared norms is a duplicate. */
START_TEST(duplicate_rule) {
    const double x[] = {1.0 + 1e-7, 1.0 + 1e-5, 1.0};
    const double centroid = 1.0;
    double dots[3], minimum[] = {9.0, 9.0, 9.0};
    const uint8_t mask[] = {1, 1, 0};
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT64, 3, 1);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, dots), ALCORE_OK);
    alcore_sys_weights weights = {.minimum = minimum};
    ck_assert_int_eq(
        table->min_sq_dists(&work, &rows, mask, &centroid, 1, &centroid, dots, 1, &weights),
        ALCORE_OK);
    ck_assert(minimum[0] == 0.0 && minimum[1] > 0.0 && minimum[1] < 9.0 && minimum[2] == 9.0);
    minimum[0] = 9.0;
    ck_assert_int_eq(table->min_sq_dists(&work, &rows, mask, &centroid, 1, NULL, NULL, 0, &weights),
                     ALCORE_OK);
    ck_assert(minimum[0] > 0.0);
}
END_TEST

/* TV-NNLL (spec 3.1). */
START_TEST(nnll_vectors) {
    vector_case known = vector_case_number(vector_find("scores", "TV-NNLL"), 0);
    const json_t *given = vector_input(&known, "logprobs");
    int64_t offsets[7], tokens, floored, bad; /* the sixth row has no token */
    double lp[12], out[6];
    const double *values = vector_doubles(given, &tokens);
    ck_assert_int_eq(tokens, 12);
    memcpy(lp, values, sizeof lp);
    memcpy(offsets, vector_offsets(given, NULL), 6 * sizeof *offsets);
    offsets[6] = offsets[5];
    alcore_sys_ragged items = {
        .values = lp, .offsets = offsets, .count = 6, .classes = 1, .dtype = ALCORE_FLOAT64};
    ck_assert_int_eq(table->ragged_nnll(&work, &items, NULL, out, &floored, &bad), ALCORE_OK);
    vector_near(out, vector_expected(&known, "nnll"), 1e-12);
    ck_assert(!signbit(out[2]) && isnan(out[5]));
    ck_assert(floored == 1 && bad == -1);
    /* Within the slack a value counts as 0, above it its row is bad; the first such row is named.
     */
    lp[5] = 1e-6;
    lp[6] = 2e-6;
    lp[11] = (double)NAN;
    items.first = 40;
    ck_assert_int_eq(table->ragged_nnll(&work, &items, NULL, out, &floored, &bad), ALCORE_OK);
    ck_assert(bad == 43 && out[2] == 0.0 && isnan(out[3]) && isnan(out[4]));
}
END_TEST

/* TV-UNC (spec 7.4). */
START_TEST(class_vectors) {
    test_vector unc = vector_find("scores", "TV-UNC");
    vector_case margin = vector_case_named(unc, "margin"), lc = vector_case_named(unc, "lc");
    vector_case logs = vector_case_named(unc, "log margin"),
                entropy = vector_case_named(unc, "entropy"),
                softmax = vector_case_named(unc, "softmax");
    const double *p = vector_doubles(vector_input(&margin, "probs"), NULL);
    double got[4][4];
    alcore_sys_class_stats out[4];
    int64_t bad;
    alcore_sys_rows rows = rows_of(p, ALCORE_FLOAT64, 4, 3);
    ck_assert_int_eq(table->class_stats(&work, &rows, NULL, ALCORE_CLASSES_PROBS, out, &bad), 0);
    for (int i = 0; i < 4; i++) {
        got[0][i] = out[i].top1 - out[i].top2;
        got[1][i] = 1.0 - out[i].top1;
        got[2][i] = out[i].log_top1 - out[i].log_top2;
        got[3][i] = out[i].entropy;
    }
    vector_near(got[0], vector_expected(&margin, "raw"), 1e-12);
    vector_near(got[1], vector_expected(&lc, "u"), 1e-12);
    vector_near(got[2], vector_expected(&logs, "raw"), 1e-12);
    vector_near(got[3], vector_expected(&entropy, "u"), 1e-12);
    const float *z = vector_floats(vector_input(&softmax, "logits"), NULL);
    rows = rows_of(z, ALCORE_FLOAT32, 1, 3);
    ck_assert_int_eq(table->class_stats(&work, &rows, NULL, ALCORE_CLASSES_LOGITS, out, &bad), 0);
    const double top[] = {out[0].top1, out[0].top2}, difference = out[0].top1 - out[0].top2;
    const double *probs = vector_doubles(vector_expected(&softmax, "probs"), NULL);
    for (int i = 0; i < 2; i++) ck_assert_double_eq_tol(top[i], probs[i], 1e-6);
    vector_near(&difference, vector_expected(&softmax, "margin"), 1e-6);
    ck_assert_int_eq(bad, -1);
}
END_TEST

/* One class, one certain class, and bad rows of each kind. */
START_TEST(class_edges) {
    static const struct {
        double value[2];
        int64_t classes;
        int32_t kind;
        int good;
    } cases[] = {
        {{1, 0}, 1, ALCORE_CLASSES_PROBS, 1},
        {{-3, 0}, 1, ALCORE_CLASSES_LOGITS, 1},
        {{0, 0}, 1, ALCORE_CLASSES_LOGPROBS, 1},
        {{1 + 9e-7, -9e-7}, 2, ALCORE_CLASSES_PROBS, 1},
        {{0, -HUGE_VAL}, 2, ALCORE_CLASSES_LOGPROBS, 1},
        {{-7, -HUGE_VAL}, 2, ALCORE_CLASSES_LOGITS, 1},
        {{1 + 2e-6, 0}, 2, ALCORE_CLASSES_PROBS, 0},
        {{1, -2e-6}, 2, ALCORE_CLASSES_PROBS, 0},
        {{HUGE_VAL, 0}, 2, ALCORE_CLASSES_PROBS, 0},
        {{2e-6, -1}, 2, ALCORE_CLASSES_LOGPROBS, 0},
        {{HUGE_VAL, 0}, 2, ALCORE_CLASSES_LOGITS, 0},
        {{-HUGE_VAL, -HUGE_VAL}, 2, ALCORE_CLASSES_LOGITS, 0},
        {{0, 0}, 0, ALCORE_CLASSES_PROBS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        alcore_sys_class_stats out;
        int64_t bad;
        alcore_sys_rows rows = rows_of(cases[i].value, ALCORE_FLOAT64, 1, cases[i].classes);
        ck_assert_int_eq(table->class_stats(&work, &rows, NULL, cases[i].kind, &out, &bad), 0);
        ck_assert_int_eq(bad, cases[i].good ? -1 : 70);
        if (!cases[i].good) {
            ck_assert(isnan(out.top1) && isnan(out.entropy));
            continue;
        }
        /* Every good case is certain of its first class. */
        ck_assert(out.top1 == 1.0 && out.top2 == 0.0 && out.log_top1 == 0.0);
        ck_assert(!signbit(out.log_top1) && out.log_top2 == -100.0);
        ck_assert(out.entropy == 0.0 && !signbit(out.entropy));
    }
}
END_TEST

/* The nearest centroid's edges: no centroids, ties, NaN. */
START_TEST(nearest_edges) {
    const double x[] = {0.0, 0.0, (double)NAN, 5.0};
    const double centroids[] = {3.0, -1.0, 1.0};
    const int64_t starts[] = {0, 0, 3};
    const int32_t group[] = {0, 1, 1, -1};
    int32_t nearest[] = {9, 9, 9, 9};
    double distance[] = {7, 7, 7, 7}, low[] = {7, 7, 7, 7}, high[] = {7, 7, 7, 7};
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT64, 4, 1);
    ck_assert_int_eq(table->nearest_centroid(&work, &rows, group, 2, starts, centroids, nearest,
                                             distance, low, high),
                     0);
    ck_assert(nearest[0] == -1 && isinf(distance[0]));
    ck_assert(nearest[1] == 1 && distance[1] == 1.0);
    ck_assert(nearest[2] == 0 && isnan(distance[2]));
    ck_assert(nearest[3] == 9 && distance[3] == 7.0);
    ck_assert(isinf(high[0]) && isinf(high[2]) && low[2] == 0.0);
    ck_assert(low[1] <= 1.0 && low[1] > 0.99 && high[1] >= 1.0 && high[1] < 1.01);
    ck_assert(low[3] == 7.0 && high[3] == 7.0);
}
END_TEST

START_TEST(wrong_arguments) {
    const double x[] = {1.0, 2.0};
    double out[2];
    int64_t count[2];
    const int32_t group[] = {0, 3};
    alcore_sys_rows rows = rows_of(x, ALCORE_INT32, 2, 1);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, out), ALCORE_E_SHAPE);
    ck_assert_str_ne(alcore_last_error(), "");
    rows = rows_of(x, ALCORE_FLOAT64, -2, 1);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, out), ALCORE_E_INVALID);
    rows = rows_of(NULL, ALCORE_FLOAT64, 2, 1);
    ck_assert_int_eq(table->widen(&work, &rows, NULL, out), ALCORE_E_INVALID);
    rows = rows_of(x, ALCORE_FLOAT64, 2, 1);
    ck_assert_int_eq(table->group_sums(&work, &rows, group, 2, out, count), ALCORE_E_INVALID);
    ck_assert_int_eq(table->self_dots(NULL, &rows, NULL, out), ALCORE_E_INVALID);
}
END_TEST

/* Workspace that ends after so many blocks. */
typedef struct limited {
    int left, held;
} limited;

static void *limited_new(void *user, size_t bytes) {
    limited *limit = user;
    if (limit->left-- <= 0) return NULL;
    limit->held++;
    return malloc(bytes);
}

static void limited_release(void *user, void *memory, size_t bytes) {
    (void)bytes;
    ((limited *)user)->held--;
    free(memory);
}

/* Every kernel that needs memory fails cleanly for every block that it asks for. */
START_TEST(no_memory) {
    enum { ROWS = 40, DIMS = 40, CENTROIDS = 20 };
    static float x[ROWS * DIMS];
    static double centroids[CENTROIDS * DIMS], out[ROWS * DIMS];
    static int32_t group[ROWS], nearest[ROWS];
    const int64_t starts[] = {0, CENTROIDS};
    int64_t counts[1];
    for (int i = 0; i < ROWS * DIMS; i++) x[i] = (float)(i % 17) - 8.0f;
    for (int i = 0; i < CENTROIDS * DIMS; i++) centroids[i] = i % 13 - 6;
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT32, ROWS, DIMS);
    rows.unit = 1;
    for (int kernel = 0; kernel < 4; kernel++) {
        alcore_status status = ALCORE_E_NOMEM;
        int at = 0;
        for (; status == ALCORE_E_NOMEM; at++) {
            limited limit = {at, 0};
            work.workspace = limited_new;
            work.workspace_release = limited_release;
            work.workspace_user = &limit;
            if (kernel == 0) status = table->group_sums(&work, &rows, group, 1, out, counts);
            if (kernel == 1) status = table->group_cosine(&work, &rows, group, 1, centroids, out);
            if (kernel == 2) status = table->dots(&work, &rows, NULL, centroids, out);
            if (kernel == 3) {
                status = table->nearest_centroid(&work, &rows, group, 1, starts, centroids, nearest,
                                                 out, NULL, NULL);
            }
            ck_assert_int_eq(limit.held, 0);
        }
        ck_assert_int_eq(status, ALCORE_OK);
        ck_assert_int_ge(at, 2);
    }
}
END_TEST

START_TEST(cancelled) {
    enum { DIMS = 1 << 20 };
    float *x = calloc(DIMS, sizeof *x);
    double out[16];
    ck_assert_ptr_nonnull(x);
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT32, 16, DIMS);
    rows.stride = 0;
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, out), ALCORE_OK);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, out), ALCORE_E_CANCELLED);
    free(x);
}
END_TEST

/* The host's rounding and its flushing of subnormals change nothing, and are as before afterwards.
 */
START_TEST(host_float_mode) {
    const float x[] = {0x1p-140f, 1.0f / 3.0f};
    double expected[2], got[2];
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT32, 2, 1);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, expected), ALCORE_OK);
    ck_assert(expected[0] == 0x1p-280);
#if defined(__x86_64__)
    unsigned before = _mm_getcsr();
    unsigned flushing = before | 0x8040u;
    _mm_setcsr(flushing);
    flushing = _mm_getcsr() & 0x8040u; /* nothing under valgrind, which has no such mode */
#endif
    fesetround(FE_UPWARD);
    alcore_status status = table->self_dots(&work, &rows, NULL, got);
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
#if defined(__x86_64__)
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    ck_assert_uint_eq(after & 0x8040u, flushing);
#endif
    ck_assert_int_eq(status, ALCORE_OK);
    ck_assert_int_eq(rounding, FE_UPWARD);
    ck_assert_int_eq(memcmp(got, expected, sizeof got), 0);
}
END_TEST

START_TEST(devices) {
    static const char *const CPU[] = {NULL, "auto", "cpu"};
    alcore__engine out;
    for (size_t i = 0; i < sizeof CPU / sizeof CPU[0]; i++) {
        memset(&out, 0xff, sizeof out);
        ck_assert_int_eq(alcore__engine_open(ctx, CPU[i], &out), ALCORE_OK);
        ck_assert_ptr_eq(out.kernels, table);
        ck_assert_ptr_eq(out.ctx, ctx);
        ck_assert_ptr_null(out.stream);
        ck_assert_int_eq(out.device, 0);
    }
    const char *const unknown[] = {"abacus", "cuda:", "cuda:x", "cuda:10000", "cuda:-1",
                                   "cud",    "",      "cuda0",  "cuda:1x",    "cpu:0"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_int_eq(alcore__engine_open(ctx, unknown[i], &out), ALCORE_E_PARAM);
        ck_assert_ptr_null(out.kernels);
    }
    ck_assert_ptr_null(alcore__kernels_cpu_named("cpu-abacus"));
    ck_assert_ptr_nonnull(alcore__kernels_cpu_named("cpu-portable"));
    ck_assert_uint_eq(table->abi, ALCORE_SYS_ABI);
    ck_assert_uint_eq(table->size, sizeof *table);
}
END_TEST

/* The error of distance_bounds is bounded for at most 2^22 components: with more, intervals are 0
 * to infinity. Rows outside the mask are not written. */
START_TEST(bounds_of_too_many_dims) {
    const int64_t dims = (INT64_C(1) << 22) + 1;
    const uint8_t mask[] = {1, 0};
    float *x = calloc((size_t)dims * 2, sizeof *x), *y = calloc((size_t)dims, sizeof *y);
    ck_assert_ptr_nonnull(x);
    ck_assert_ptr_nonnull(y);
    for (int64_t j = 0; j < dims; j++) y[j] = 1.0f;
    alcore_sys_rows rows = rows_of(x, ALCORE_FLOAT32, 2, dims);
    alcore_sys_rows targets = rows_of(y, ALCORE_FLOAT32, 1, dims);
    double low[] = {7, 7}, high[] = {7, 7};
    ck_assert_int_eq(
        table->distance_bounds(&work, &rows, mask, &targets, NULL /* one group */, 1, low, high),
        ALCORE_OK);
    ck_assert(low[0] == 0.0 && high[0] == HUGE_VAL);
    ck_assert(low[1] == 7.0 && high[1] == 7.0);
    free(x);
    free(y);
}
END_TEST

CHECK_SUITE_WITH("kernel/rules", setup, teardown, cosine_edges, unit_rows, duplicate_rule,
                 nnll_vectors, class_vectors, class_edges, nearest_edges, wrong_arguments,
                 no_memory, cancelled, host_float_mode, devices, bounds_of_too_many_dims);
