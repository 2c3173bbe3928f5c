/* SPDX-License-Identifier: Apache-2.0 */
/* The correlation of uncertainty with that of neighbors: the vector of the specification, slow
 * obvious searches on random rows, for lists that the kernel keeps and for longer ones, memory, and
 * wrong arguments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_status.h"
#include "matrix_data.h"
#include "memory_host.h"
#include "vectors.h"

START_TEST(test_neighborhood_vectors) {
    alcore_ctx *ctx = new_ctx(2);
    const test_vector vector = vector_find("multilingual", "TV-RHO");
    ck_assert_int_eq(vector_case_count(vector), 2);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        int64_t sources, targets, k[1] = {vector_integer(vector_input(&one, "k"))};
        double answer[2];
        matrix source, target, out;
        const double *from = vector_doubles(vector_input(&one, "source"), &sources);
        const double *to = vector_doubles(vector_input(&one, "target"), &targets);
        matrix_of(&out, answer, 1, 2);
        ck_assert_int_eq(alcore_analysis_compute_neighborhood(
                             ctx, matrix_of(&source, from, sources, 1),
                             vector_doubles(vector_input(&one, "u_source"), NULL), sources,
                             matrix_of(&target, to, targets, 1),
                             vector_doubles(vector_input(&one, "u_target"), NULL), targets, k, 1,
                             NULL, &out.tensor),
                         ALCORE_OK);
        vector_near(&answer[0], vector_expected(&one, "rho"), 1e-12);
        vector_near(&answer[1], vector_expected(&one, "p"), 1e-12);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- lists that the kernel keeps ---- */

/* The mean of u over the k rows nearest to a target by (squared distance, row), by sorting nothing:
 * the next nearest row is searched k times. */
static double slow_mean(const double *source, const double *u, const uint8_t *mask, int64_t rows,
                        int64_t dims, const double *target, int64_t k) {
    uint8_t *used = calloc((size_t)rows, 1);
    double sum = 0;
    int64_t near = 0;
    for (; near < k; near++) {
        double best = INFINITY;
        int64_t at = -1;
        for (int64_t i = 0; i < rows; i++) {
            double square = 0;
            if (used[i] || !mask[i]) continue;
            for (int64_t j = 0; j < dims; j++)
                square += (source[i * dims + j] - target[j]) * (source[i * dims + j] - target[j]);
            if (square < best) best = square, at = i;
        }
        if (at < 0) break;
        used[at] = 1;
        sum += u[at];
    }
    free(used);
    return sum / (double)near;
}

/* Random rows with masks on both sides, several k, one of them above the number of rows, on one and
 * on four threads. */
START_TEST(test_neighborhood_property) {
    enum { ROWS = 60, TARGETS = 300, DIMS = 5 };
    static const int64_t k[] = {1, 4, 2, 1024};
    static double source[ROWS * DIMS], target[TARGETS * DIMS], u[ROWS], v[TARGETS];
    static double x[TARGETS], y[TARGETS];
    uint8_t source_mask[ROWS], target_mask[TARGETS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int i = 0; i < ROWS * DIMS; i++) source[i] = alcore__rng_f64(&rng);
    for (int i = 0; i < TARGETS * DIMS; i++) target[i] = alcore__rng_f64(&rng);
    for (int i = 0; i < ROWS; i++) {
        source_mask[i] = i % 7 != 3;
        u[i] = source_mask[i] ? source[i * DIMS] + alcore__rng_f64(&rng) : NAN;
    }
    for (int i = 0; i < TARGETS; i++) {
        target_mask[i] = i % 5 != 0;
        v[i] = target_mask[i] ? target[i * DIMS] : NAN;
    }
    for (int threads = 1; threads <= 4; threads += 3) {
        alcore_ctx *ctx = new_ctx(threads);
        matrix from, to, out;
        double answer[8];
        matrix_of(&from, source, ROWS, DIMS);
        matrix_of(&to, target, TARGETS, DIMS);
        from.data.mask = source_mask;
        from.data.mask_count = ROWS;
        to.data.mask = target_mask;
        to.data.mask_count = TARGETS;
        matrix_of(&out, answer, 4, 2);
        ck_assert_int_eq(alcore_analysis_compute_neighborhood(ctx, &from.data, u, ROWS, &to.data, v,
                                                              TARGETS, k, 4, NULL, &out.tensor),
                         ALCORE_OK);
        for (int i = 0; i < 4; i++) {
            int64_t used = 0;
            alcore_pearson_result expected = ALCORE_PEARSON_RESULT_INIT;
            for (int t = 0; t < TARGETS; t++) {
                if (!target_mask[t]) continue;
                x[used] = v[t];
                y[used++] = slow_mean(source, u, source_mask, ROWS, DIMS, target + t * DIMS, k[i]);
            }
            ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, used, y, used, NULL, &expected),
                             ALCORE_OK);
            if (k[i] == 1024) { /* all rows: only rounding tells the means apart */
                ck_assert(isnan(answer[2 * i]) || fabs(answer[2 * i]) <= 1);
                continue;
            }
            ck_assert_double_eq_tol(answer[2 * i], expected.rho, 1e-12);
            ck_assert_double_eq_tol(answer[2 * i + 1], expected.p, 1e-12);
        }
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* ---- longer lists ---- */

/* A problem with lists of more neighbors than the kernel keeps, 1024. All arrays are owned. */
typedef struct problem {
    int64_t rows, targets, dims;
    double *source, *target; /* [rows, dims], [targets, dims] */
    double *u, *v;           /* [rows], [targets] uncertainty; NaN in masked rows */
    uint8_t *row_mask, *target_mask;
} problem;

static double *new_doubles(int64_t count) {
    double *x = malloc((size_t)count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

/* Every eleventh row and every fifth target row is masked. ties: components are integers 0 .. 15,
 * so that distances are exact and many are equal; else the rows are near a plane, so that a search
 * of many of them is pruned. Uncertainty grows with the first component. */
static void open_problem(problem *p, int64_t rows, int64_t targets, int64_t dims, bool ties) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    *p = (problem){.rows = rows, .targets = targets, .dims = dims};
    double *const values[] = {p->source = new_doubles(rows * dims),
                              p->target = new_doubles(targets * dims)};
    const int64_t counts[] = {rows, targets};
    for (int side = 0; side < 2; side++) {
        for (int64_t i = 0; i < counts[side]; i++) {
            double *x = values[side] + i * dims;
            const double a = alcore__rng_f64(&rng), b = alcore__rng_f64(&rng);
            for (int64_t j = 0; j < dims; j++)
                x[j] = ties ? (double)alcore__rng_below(&rng, 16)
                            : a * cos((double)j) + b * sin(2.0 * (double)j) +
                                  1e-3 * alcore__rng_f64(&rng);
        }
    }
    p->u = new_doubles(rows);
    p->v = new_doubles(targets);
    p->row_mask = malloc((size_t)rows);
    p->target_mask = malloc((size_t)targets);
    ck_assert(p->row_mask && p->target_mask);
    for (int64_t i = 0; i < rows; i++) {
        p->row_mask[i] = i % 11 != 4;
        p->u[i] = p->row_mask[i] ? p->source[i * dims] + alcore__rng_f64(&rng) : (double)NAN;
    }
    for (int64_t t = 0; t < targets; t++) {
        p->target_mask[t] = t % 5 != 0;
        p->v[t] = p->target_mask[t] ? p->target[t * dims] : (double)NAN;
    }
}

static void close_problem(problem *p) {
    free(p->source);
    free(p->target);
    free(p->u);
    free(p->v);
    free(p->row_mask);
    free(p->target_mask);
}

/* The library's answer [count, 2] in a context. */
static alcore_status ask(alcore_ctx *ctx, const problem *p, int32_t metric, const int64_t *k,
                         int64_t count, double *answer) {
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    matrix from, to, out;
    options.metric = metric;
    matrix_of(&from, p->source, p->rows, p->dims);
    matrix_of(&to, p->target, p->targets, p->dims);
    from.data.mask = p->row_mask;
    from.data.mask_count = p->rows;
    to.data.mask = p->target_mask;
    to.data.mask_count = p->targets;
    matrix_of(&out, answer, count, 2);
    return alcore_analysis_compute_neighborhood(ctx, &from.data, p->u, p->rows, &to.data, p->v,
                                                p->targets, k, count, &options, &out.tensor);
}

/* A source row and how far it is; a negated product or cosine, so that the smallest is nearest. */
typedef struct distance {
    double value;
    int64_t row;
} distance;

static int by_distance(const void *a, const void *b) {
    const distance *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static double distance_of(const double *x, const double *y, int64_t dims, int32_t metric) {
    double square = 0, product = 0, xx = 0, yy = 0;
    for (int64_t j = 0; j < dims; j++) {
        square += (x[j] - y[j]) * (x[j] - y[j]);
        product += x[j] * y[j];
        xx += x[j] * x[j];
        yy += y[j] * y[j];
    }
    if (metric == ALCORE_METRIC_L2) return square;
    return metric == ALCORE_METRIC_DOT ? -product : -product / (sqrt(xx) * sqrt(yy));
}

/* Compares the answer [count, 2] with a search that computes and sorts every distance. */
static void expect(alcore_ctx *ctx, const problem *p, int32_t metric, const int64_t *k,
                   int64_t count, const double *answer) {
    distance *all = malloc((size_t)p->rows * sizeof *all);
    double *means = new_doubles(count * p->targets), *x = new_doubles(p->targets);
    int64_t used = 0;
    ck_assert_ptr_nonnull(all);
    for (int64_t t = 0; t < p->targets; t++) {
        int64_t found = 0, near = 0;
        if (!p->target_mask[t]) continue;
        for (int64_t i = 0; i < p->rows; i++) {
            if (!p->row_mask[i]) continue;
            all[found].value =
                distance_of(p->source + i * p->dims, p->target + t * p->dims, p->dims, metric);
            all[found++].row = i;
        }
        qsort(all, (size_t)found, sizeof *all, by_distance);
        double sum = 0;
        for (int64_t c = 0; c < count; c++) { /* k ascends */
            for (; near < k[c] && near < found; near++) sum += p->u[all[near].row];
            means[c * p->targets + used] = sum / (double)near;
        }
        x[used++] = p->v[t];
    }
    for (int64_t c = 0; c < count; c++) {
        alcore_pearson_result expected = ALCORE_PEARSON_RESULT_INIT;
        ck_assert_ok(alcore_metric_compute_pearson(ctx, x, used, means + c * p->targets, used, NULL,
                                                   &expected));
        ck_assert_double_eq_tol(answer[2 * c], expected.rho, 1e-12);
        ck_assert_double_eq_tol(answer[2 * c + 1], expected.p, 1e-12);
    }
    free(all);
    free(means);
    free(x);
}

/* Asks with one, two and eight threads, which must give the same bytes, and compares these with
 * the search that sorts. Under valgrind ($ALCORE_TEST_BRIEF) with two threads alone. */
static void compare(const problem *p, int32_t metric, const int64_t *k, int64_t count) {
    static const int32_t THREADS[] = {2, 1, 8};
    const int runs = getenv("ALCORE_TEST_BRIEF") ? 1 : 3;
    double answer[3][16];
    for (int i = 0; i < runs; i++) {
        alcore_ctx *ctx = new_ctx(THREADS[i]);
        ck_assert_ok(ask(ctx, p, metric, k, count, answer[i]));
        ck_assert_mem_eq(answer[i], answer[0], (size_t)count * 2 * sizeof(double));
        alcore_ctx_unref(ctx);
    }
    alcore_ctx *ctx = new_ctx(1);
    expect(ctx, p, metric, k, count, answer[0]);
    alcore_ctx_unref(ctx);
}

/* Every power of two from 1024 on, and both sides of it; more rows than a block has, 8192. */
START_TEST(test_long_neighborhood) {
    static const int64_t k[] = {1024, 1025, 2048, 4096, 8191, 8192};
    problem p;
    open_problem(&p, 9600, 75, 2, true);
    compare(&p, ALCORE_METRIC_L2, k, 6);
    compare(&p, ALCORE_METRIC_DOT, k, 6);
    close_problem(&p);
    open_problem(&p, 9600, 75, 3, false);
    compare(&p, ALCORE_METRIC_COSINE, k, 6);
    close_problem(&p);
}
END_TEST

/* So many rows, targets and components that the search leaves out pairs by a bound. */
START_TEST(test_pruned_neighborhood) {
    static const int64_t k[] = {1, 1100, 1500};
    problem p;
    open_problem(&p, 16500, 130, 128, false);
    compare(&p, ALCORE_METRIC_L2, k, 3);
    close_problem(&p);
}
END_TEST

/* k is one below the rows that take part, as many, and above: then it means all of them. */
START_TEST(test_neighborhood_of_all_rows) {
    enum { ROWS = 2500 };
    problem p;
    double answer[8];
    alcore_ctx *ctx = new_ctx(2);
    open_problem(&p, ROWS, 75, 2, true);
    memset(p.row_mask, 1, ROWS);
    for (int64_t i = 0; i < ROWS; i++) p.u[i] = p.source[2 * i] * p.source[2 * i + 1];
    p.u[0] = 1e6; /* the mean without the farthest row differs more than by rounding */
    const int64_t less[] = {1025, ROWS - 1}, all[] = {ROWS, ROWS + 1, ALCORE_NEIGHBORHOOD_MAX};
    compare(&p, ALCORE_METRIC_L2, less, 2);
    ck_assert_ok(ask(ctx, &p, ALCORE_METRIC_L2, all, 3, answer));
    ck_assert_mem_eq(answer, answer + 2, 2 * sizeof *answer);
    ck_assert_mem_eq(answer, answer + 4, 2 * sizeof *answer);
    close_problem(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Bytes that a call for k = ALCORE_NEIGHBORHOOD_MAX allocates at most at a time. */
static size_t peak_of(int64_t targets) {
    static const int64_t k[] = {ALCORE_NEIGHBORHOOD_MAX};
    problem p;
    memory_host host;
    double answer[2];
    memory_host_open(&host);
    open_problem(&p, 1500, targets, 2, true);
    const size_t live = host.live;
    host.peak = live;
    ck_assert_ok(ask(host.ctx, &p, ALCORE_METRIC_L2, k, 1, answer));
    const size_t peak = host.peak - live;
    ck_assert_uint_eq(memory_host_close(&host), 0);
    close_problem(&p);
    return peak;
}

/* The lists are those of a slab of targets; of a target only its mean is kept, and its uncertainty,
 * 16 bytes. */
START_TEST(test_neighborhood_memory) {
    const size_t small = peak_of(600), large = peak_of(1800);
    ck_assert_uint_le(large, small + 1200 * 16 + 65536);
    ck_assert_uint_le(large, (size_t)160 << 20);
}
END_TEST

/* ---- arguments ---- */

START_TEST(test_neighborhood_arguments) {
    alcore_ctx *ctx = new_ctx(1);
    static const double rows[] = {0, 1, 2}, u[] = {1, NAN, 2}, same[] = {1, 1, 1};
    static const int64_t one[] = {1}, none[] = {0}, most[] = {ALCORE_NEIGHBORHOOD_MAX + 1};
    const uint8_t first[] = {1, 0, 0}, nothing[] = {0, 0, 0};
    double answer[2];
    matrix data, out, masked;
    matrix_of(&data, rows, 3, 1);
    matrix_of(&masked, rows, 3, 1);
    matrix_of(&out, answer, 1, 2);
#define CALL(u_source, count, target, k, tensor)                                                   \
    alcore_analysis_compute_neighborhood(ctx, &data.data, u_source, count, target, same, 3, k, 1,  \
                                         NULL, tensor)
    ck_assert_int_eq(CALL(u, 3, &data.data, one, &out.tensor), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "source: the uncertainty of row 1"));
    ck_assert_int_eq(CALL(same, 2, &data.data, one, &out.tensor), ALCORE_E_SHAPE);
    ck_assert_int_eq(CALL(same, 3, &data.data, none, &out.tensor), ALCORE_E_INVALID);
    ck_assert_int_eq(CALL(same, 3, &data.data, most, &out.tensor), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "k is 8193; expected 1 to 8192"));
    ck_assert_int_eq(CALL(same, 3, &data.data, NULL, &out.tensor), ALCORE_E_INVALID);
    ck_assert_int_eq(CALL(same, 3, &data.data, one, &data.tensor), ALCORE_E_SHAPE);
    ck_assert_int_eq(CALL(NULL, 3, &data.data, one, &out.tensor), ALCORE_E_INVALID);
    ck_assert_int_eq(CALL(same, 3, &data.data, one, &out.tensor), ALCORE_OK);
    ck_assert_double_nan(answer[0]); /* no variance */
    ck_assert_double_nan(answer[1]);
    masked.data.mask = first;
    masked.data.mask_count = 3;
    ck_assert_int_eq(CALL(rows, 3, &masked.data, one, &out.tensor), ALCORE_OK);
    ck_assert_double_nan(answer[0]); /* one target */
    data.data.mask = nothing;
    data.data.mask_count = 3;
    ck_assert_int_eq(CALL(same, 3, &masked.data, one, &out.tensor), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "source"));
#undef CALL
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_neighborhood", test_neighborhood_vectors, test_neighborhood_property,
            test_long_neighborhood, test_pruned_neighborhood, test_neighborhood_of_all_rows,
            test_neighborhood_memory, test_neighborhood_arguments);
