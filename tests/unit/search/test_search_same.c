/* SPDX-License-Identifier: Apache-2.0 */
/* The same bytes from every engine, number of threads, cut into blocks and shard, on data with
 * copies and rows one unit in the last place apart; and the same as plain loops over the table's
 * normative entries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/base.h"
#include "base/rng.h"
#include "check_suite.h"
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"
#include "search_calls.h"

/* Sanitized, and under valgrind, the larger shapes take minutes; under TSan in the full tier too.
 */
#if defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1, ALWAYS_SMALL = 1 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1, ALWAYS_SMALL = 0 };
#else
enum { SANITIZED = 0, ALWAYS_SMALL = 0 };
#endif
enum { ROWS = 1300, QUERIES = 123, SHAPES = 4, SMALL_SHAPES = 2 };

static const char *const engines[] = {"cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni",
                                      "cpu-neon"};
static const struct { int64_t dims, k; } shapes[SHAPES] = {{3, 1}, {70, 7}, {96, 40}, {160, 300}};

static alcore_ctx *ctx;
static alcore_sys_work work;

/* Clustered rows: copies of earlier ones, copies with one number raised by one unit in its last
 * place, rows far away from all others, zeros. */
static float *make(int64_t count, int64_t dims, uint64_t seed) {
    float *x = malloc((size_t)(count * dims) * sizeof *x);
    alcore__rng rng;
    ck_assert_ptr_nonnull(x);
    alcore__rng_seed(&rng, seed);
    for (int64_t i = 0; i < count; i++) {
        float *row = x + i * dims;
        uint64_t kind = alcore__rng_below(&rng, 10);
        for (int64_t j = 0; j < dims; j++) {
            row[j] = (float)(alcore__rng_f64(&rng) - 0.5) + (float)(i % 3);
            if (i % 500 == 77) row[j] *= 1e6f;
            if (i % 500 == 78) row[j] = 0.0f;
        }
        if (i == 0 || kind > 5) continue;
        int64_t like = (int64_t)alcore__rng_below(&rng, (uint64_t)i);
        memcpy(row, x + like * dims, (size_t)dims * sizeof *row);
        int64_t at = (int64_t)alcore__rng_below(&rng, (uint64_t)dims);
        if (kind < 3) row[at] = nextafterf(row[at], 9.0f);
    }
    return x;
}

typedef struct data {
    int64_t dims, k;
    float *rows, *queries;
    uint8_t *mask;
} data;

static data make_data(int shape) {
    data d = {.dims = shapes[shape].dims, .k = shapes[shape].k};
    d.rows = make(ROWS, d.dims, 5 + (uint64_t)shape);
    d.queries = make(QUERIES, d.dims, 5 + (uint64_t)shape); /* the first rows once more */
    d.mask = malloc(ROWS);
    ck_assert_ptr_nonnull(d.mask);
    for (int64_t i = 0; i < ROWS; i++) d.mask[i] = i % 11 != 4;
    return d;
}

static void free_data(data *d) {
    free(d->rows);
    free(d->queries);
    free(d->mask);
}

/* Both answers of one search. */
typedef struct answer {
    int64_t *row[2];
    double *value[2];
    size_t places[2];
} answer;

static answer new_answer(const data *d) {
    answer a = {.places = {(size_t)(QUERIES * d->k), (size_t)(ROWS * d->k)}};
    for (int s = 0; s < 2; s++) {
        a.row[s] = malloc(a.places[s] * sizeof(int64_t));
        a.value[s] = malloc(a.places[s] * sizeof(double));
        ck_assert(a.row[s] && a.value[s]);
        for (size_t p = 0; p < a.places[s]; p++) {
            a.row[s][p] = -1;
            a.value[s][p] = (double)NAN;
        }
    }
    return a;
}

static void free_answer(answer *a) {
    for (int s = 0; s < 2; s++) {
        free(a->row[s]);
        free(a->value[s]);
    }
}

static void check_same(const answer *a, const answer *b, const char *what) {
    for (int s = 0; s < 2; s++) {
        for (size_t p = 0; p < a->places[s]; p++) {
            ck_assert_msg(a->row[s][p] == b->row[s][p] &&
                              memcmp(&a->value[s][p], &b->value[s][p], sizeof(double)) == 0,
                          "%s: side %d, place %zu: %lld %a, not %lld %a", what, s, p,
                          (long long)a->row[s][p], a->value[s][p], (long long)b->row[s][p],
                          b->value[s][p]);
        }
    }
}

static alcore_sys_rows run_of(const float *x, int64_t first, int64_t count, int64_t dims) {
    return (alcore_sys_rows){.data = x + first * dims,
                             .first = first,
                             .count = count,
                             .dims = dims,
                             .stride = dims,
                             .dtype = ALCORE_FLOAT32};
}

static void insert(int64_t *rows, double *values, int64_t k, double value, int64_t row,
                   int32_t metric) {
    int64_t at = k;
    for (; at > 0; at--) {
        double other = values[at - 1];
        int nearer = metric == ALCORE_SYS_L2 ? value < other : value > other;
        if (rows[at - 1] >= 0 && !nearer && !(value == other && row < rows[at - 1])) break;
        if (at < k) {
            values[at] = values[at - 1];
            rows[at] = rows[at - 1];
        }
    }
    if (at == k) return;
    values[at] = value;
    rows[at] = row;
}

/* Every pair by sq_dists and dots. */
static answer plain(const data *d, int32_t metric) {
    const alcore_sys_kernels *table = alcore__kernels_cpu_named("cpu-portable");
    answer a = new_answer(d);
    alcore_sys_rows rows = run_of(d->rows, 0, ROWS, d->dims);
    double *wide = malloc((size_t)d->dims * sizeof *wide);
    double values[ROWS], own[ROWS], query_own[QUERIES];
    alcore_sys_rows queries = run_of(d->queries, 0, QUERIES, d->dims);
    ck_assert_ptr_nonnull(wide);
    ck_assert_int_eq(table->self_dots(&work, &rows, NULL, own), ALCORE_OK);
    ck_assert_int_eq(table->self_dots(&work, &queries, NULL, query_own), ALCORE_OK);
    for (int64_t q = 0; q < QUERIES; q++) {
        for (int64_t j = 0; j < d->dims; j++) wide[j] = (double)d->queries[q * d->dims + j];
        if (metric == ALCORE_SYS_L2) {
            table->sq_dists(&work, &rows, NULL, wide, values);
        } else {
            table->dots(&work, &rows, NULL, wide, values);
        }
        for (int64_t i = 0; i < ROWS; i++) {
            if (!d->mask[i]) continue;
            if (metric == ALCORE_SYS_COSINE) {
                double norm = sqrt(own[i]), other = sqrt(query_own[q]);
                values[i] = norm < 1e-12 || other < 1e-12 ? 0.0 : values[i] / (norm * other);
                if (fabs(values[i]) > 1.0 - 1e-12) values[i] = values[i] > 0.0 ? 1.0 : -1.0;
            }
            insert(a.row[0] + q * d->k, a.value[0] + q * d->k, d->k, values[i], i, metric);
            insert(a.row[1] + i * d->k, a.value[1] + i * d->k, d->k, values[i], q, metric);
        }
    }
    free(wide);
    return a;
}

/* Directions for pruning: rows made orthonormal, but for what is wrong with one of them. */
static void make_basis(const data *d, float *basis, alcore_sys_search *search) {
    int64_t leading = search->leading, dims = d->dims;
    double squares = 0.0;
    for (int64_t m = 0; m < leading; m++) {
        double own[160], norm = 0.0;
        for (int64_t j = 0; j < dims; j++) {
            own[j] = (double)d->rows[(m * 37 + 5) * dims + j] + (double)((m * 31 + j * 7) % 13);
            norm += own[j] * own[j];
        }
        for (int64_t again = 0; again < 2 * m; again++) {
            int64_t p = again % m;
            double dot = 0.0;
            for (int64_t j = 0; j < dims; j++) dot += own[j] * (double)basis[p * dims + j];
            for (int64_t j = 0; j < dims; j++) own[j] -= dot * (double)basis[p * dims + j];
        }
        norm = 0.0;
        for (int64_t j = 0; j < dims; j++) norm += own[j] * own[j];
        for (int64_t j = 0; j < dims; j++) {
            basis[m * dims + j] = (float)(own[j] / sqrt(norm));
            if (m == leading - 1) basis[m * dims + j] *= 1.002f;
        }
    }
    for (int64_t a = 0; a < leading; a++) {
        for (int64_t b = 0; b < leading; b++) {
            double dot = a == b ? -1.0 : 0.0;
            for (int64_t j = 0; j < dims; j++)
                dot += (double)basis[a * dims + j] * (double)basis[b * dims + j];
            squares += dot * dot;
        }
    }
    search->basis = basis;
    search->skew = sqrt(squares) * (1.0 + 1e-9);
    ck_assert_double_lt(search->skew, 0.01);
}

/* Runs of `cut` rows and of `query_cut` queries, the last ones first. */
static answer in_cuts(const alcore_sys_kernels *table, const data *d, int32_t metric, int64_t cut,
                      int64_t query_cut, int64_t leading) {
    answer a = new_answer(d);
    float basis[24 * 160];
    alcore_sys_search search = {.size = sizeof search, .metric = metric, .leading = leading};
    if (leading > 0) make_basis(d, basis, &search);
    for (int64_t first = (ROWS - 1) / cut * cut; first >= 0; first -= cut) {
        for (int64_t q = (QUERIES - 1) / query_cut * query_cut; q >= 0; q -= query_cut) {
            int64_t count = ROWS - first < cut ? ROWS - first : cut;
            int64_t asked = QUERIES - q < query_cut ? QUERIES - q : query_cut;
            alcore_sys_rows rows = run_of(d->rows, first, count, d->dims);
            alcore_sys_rows queries = run_of(d->queries, q, asked, d->dims);
            alcore_sys_best of_queries = {d->k, a.row[0] + q * d->k, a.value[0] + q * d->k};
            alcore_sys_best of_rows = {d->k, a.row[1] + first * d->k, a.value[1] + first * d->k};
            ck_assert_int_eq(table->knn(&work, &rows, d->mask + first, &queries, NULL, &search,
                                        &of_queries, &of_rows),
                             ALCORE_OK);
        }
    }
    return a;
}

START_TEST(engines_and_cuts) {
    data d = make_data(_i);
    for (int32_t metric = ALCORE_SYS_L2; metric <= ALCORE_SYS_COSINE; metric++) {
        answer expected = plain(&d, metric);
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            static const int64_t cuts[][3] = {
                {ROWS, QUERIES, 0}, {97, 50, 0}, {1024, 13, 0}, {ROWS, 60, 7}, {500, QUERIES, 24}};
            const alcore_sys_kernels *table = alcore__kernels_cpu_named(engines[e]);
            for (size_t c = 0; table && c < sizeof cuts / sizeof cuts[0]; c++) {
                answer got = in_cuts(table, &d, metric, cuts[c][0], cuts[c][1],
                                     d.dims > 60 ? cuts[c][2] : 0);
                check_same(&got, &expected, engines[e]);
                free_answer(&got);
            }
        }
        free_answer(&expected);
    }
    free_data(&d);
}
END_TEST

/* One side over the matrix, in the number type asked for. */
typedef struct matrix {
    int64_t shape[2];
    alcore_tensor tensor;
    alcore_search_data side;
} matrix;

static void set_side(matrix *m, void *x, int32_t dtype, int64_t count, int64_t dims,
                     const uint8_t *mask) {
    m->shape[0] = count;
    m->shape[1] = dims;
    ck_assert_int_eq(alcore_tensor_init(&m->tensor, x, dtype, m->shape, 2), ALCORE_OK);
    m->side = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    m->side.matrix = &m->tensor;
    m->side.mask = mask;
    m->side.mask_count = mask ? count : 0;
}

START_TEST(threads_and_types) {
    data d = make_data(_i);
    double *wide = malloc((size_t)(ROWS * d.dims) * sizeof *wide);
    ck_assert_ptr_nonnull(wide);
    for (int64_t i = 0; i < ROWS * d.dims; i++) wide[i] = (double)d.rows[i];
    for (int32_t metric = ALCORE_SYS_L2; metric <= ALCORE_SYS_COSINE; metric++) {
        answer expected = plain(&d, metric);
        for (int32_t threads = 1; threads <= 5; threads += 2) {
            alcore_ctx_options settings = ALCORE_CTX_OPTIONS_INIT;
            settings.threads = threads;
            alcore_ctx *own = NULL;
            ck_assert_int_eq(alcore_ctx_new(&settings, &own), ALCORE_OK);
            matrix rows, queries;
            if (threads == 3) {
                set_side(&rows, wide, ALCORE_FLOAT64, ROWS, d.dims, d.mask);
            } else {
                set_side(&rows, d.rows, ALCORE_FLOAT32, ROWS, d.dims, d.mask);
            }
            set_side(&queries, d.queries, ALCORE_FLOAT32, QUERIES, d.dims, NULL);
            alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
            int64_t wanted = 10;
            options.metric = ALCORE_METRIC_L2 + metric - ALCORE_SYS_L2;
            wanted = d.k;
            answer got = new_answer(&d);
            ck_assert_int_eq(test_knn(own, &rows.side, &queries.side, wanted, &options, got.row[0],
                                      got.value[0], got.row[1], got.value[1]),
                             ALCORE_OK);
            check_same(&got, &expected, "threads");
            free_answer(&got);
            alcore_ctx_unref(own);
        }
        free_answer(&expected);
    }
    free(wide);
    free_data(&d);
}
END_TEST

/* The formula of spec 5.6 on top of plain neighbors. */
START_TEST(ratios) {
    data d = make_data(_i);
    int64_t k = 3;
    d.k = QUERIES; /* all cosines of each row */
    answer all = plain(&d, ALCORE_SYS_COSINE);
    d.k = k;
    answer near = plain(&d, ALCORE_SYS_COSINE);
    double half[ROWS] = {0}, other_half[QUERIES] = {0}, got[ROWS];
    int64_t other[ROWS];
    for (int s = 0; s < 2; s++) {
        double *to = s ? half : other_half;
        for (int64_t i = 0; i < (s ? ROWS : QUERIES); i++) {
            for (int64_t p = 0; p < k; p++)
                to[i] += near.row[s][i * k + p] >= 0 ? near.value[s][i * k + p] : 0.0;
            to[i] /= 2.0 * (double)k;
        }
    }
    matrix rows, queries;
    set_side(&rows, d.rows, ALCORE_FLOAT32, ROWS, d.dims, d.mask);
    set_side(&queries, d.queries, ALCORE_FLOAT32, QUERIES, d.dims, NULL);
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    int64_t wanted = 10;
    wanted = k;
    ck_assert_int_eq(
        test_margin_ratios(ctx, &rows.side, &queries.side, wanted, &options, got, other),
        ALCORE_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        double most = -HUGE_VAL;
        int64_t best = -1;
        for (int64_t p = 0; d.mask[i] && p < QUERIES; p++) {
            int64_t j = all.row[1][i * QUERIES + p];
            double sum = half[i] + other_half[j];
            double ratio = sum <= 1e-9 ? 0.0 : all.value[1][i * QUERIES + p] / sum;
            if (ratio < most || (ratio == most && j > best)) continue;
            most = ratio;
            best = j;
        }
        ck_assert_int_eq(other[i], best);
        ck_assert_msg(best < 0 ? isnan(got[i]) : memcmp(&got[i], &most, sizeof most) == 0,
                      "row %lld: %a, not %a", (long long)i, got[i], most);
    }
    free_answer(&all);
    free_answer(&near);
    free_data(&d);
}
END_TEST

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    work = alcore__engine_work(&(alcore__engine){.ctx = ctx});
}
static void teardown(void) {
    alcore_ctx_unref(ctx);
}

TEST_FILE() {
    TCase *tests = tcase_create("same");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 240);
    int small =
        ALWAYS_SMALL || getenv("ALCORE_TEST_BRIEF") || (SANITIZED && !getenv("ALCORE_TEST_FULL"));
    tcase_add_loop_test(tests, engines_and_cuts, 0, small ? SMALL_SHAPES : SHAPES);
    tcase_add_loop_test(tests, threads_and_types, 0, small ? SMALL_SHAPES : SHAPES - 1);
    tcase_add_loop_test(tests, ratios, 0, small ? SMALL_SHAPES : SHAPES);
    return check_suite_run("search_same", tests);
}
