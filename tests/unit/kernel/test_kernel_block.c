/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK of spec 1.8, the lines that kernels alone give: every bit, on every engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/rng.h"
#include "block_data.h"
#include "check_suite.h"
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"
#include "vectors.h"

enum { BLOCKS = (BLOCK_POOL + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS, PICKS = 100 };

static alcore_ctx *ctx;
static alcore_sys_work work;
static block_data data;

/* The engines; those that this machine lacks are left out. */
static const char *const engines[] = {"cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni",
                                      "cpu-neon"};

/* Both widths of TV-BLOCK: file, vector. */
static const char *const vectors[][2] = {{"block", "TV-BLOCK"}, {"block-wide", "TV-BLOCK-WIDE"}};
enum { VECTORS = sizeof vectors / sizeof vectors[0], ENGINES = sizeof engines / sizeof engines[0] };

static void check_bits(double got, double expected) {
    ck_assert_msg(memcmp(&got, &expected, sizeof got) == 0, "%a instead of %a", got, expected);
}

static double *new_doubles(int64_t count) {
    double *memory = calloc((size_t)count, sizeof *memory);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    work = alcore__engine_work(&(alcore__engine){.ctx = ctx});
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static void check_pair(const alcore_sys_kernels *table, const vector_case *expected) {
    int64_t dims = data.dims;
    const double *bits = vector_doubles(vector_expected(expected, "pair"), NULL);
    alcore_sys_rows rows = block_rows(&data, 0, 0);
    rows.count = 1;
    double second[70], got, distance;
    for (int64_t j = 0; j < dims; j++) second[j] = (double)data.x[dims + j];
    ck_assert_int_eq(table->dots(&work, &rows, NULL, second, &got), ALCORE_OK);
    check_bits(got, bits[0]);
    ck_assert_int_eq(table->sq_dists(&work, &rows, NULL, second, &got), ALCORE_OK);
    check_bits(got, bits[1]);
    int32_t group = 0;
    ck_assert_int_eq(table->group_cosine(&work, &rows, &group, 1, second, &distance), ALCORE_OK);
    check_bits(distance, 1.0 - bits[2]);
}

/* sums[g, j] over the pool: the blocks' sums, added in block order. */
static void pool_sums(const alcore_sys_kernels *table, const int32_t *group, int64_t groups,
                      int32_t unit, double *sums) {
    double *block = new_doubles(groups * data.dims);
    int64_t counts[BLOCK_STRATA];
    for (int64_t j = 0; j < groups * data.dims; j++) sums[j] = 0.0;
    for (int64_t b = 0; b < BLOCKS; b++) {
        alcore_sys_rows rows = block_rows(&data, b, unit);
        ck_assert_int_eq(table->group_sums(&work, &rows, group + rows.first, groups, block, counts),
                         ALCORE_OK);
        for (int64_t j = 0; j < groups * data.dims; j++) sums[j] += block[j];
    }
    free(block);
}

static void check_sums(const alcore_sys_kernels *table, const vector_case *expected) {
    int64_t dims = data.dims;
    double *sums = new_doubles(BLOCK_STRATA * dims);
    pool_sums(table, data.stratum, BLOCK_STRATA, 1, sums);
    int64_t shown;
    const int64_t *components =
        vector_integers(vector_expected(expected, "sums/components"), &shown);
    const double *bits = vector_doubles(vector_expected(expected, "sums/values"), NULL);
    for (int64_t g = 0; g < BLOCK_STRATA; g++) {
        for (int64_t k = 0; k < shown; k++) {
            check_bits(sums[g * dims + components[k]], bits[g * shown + k]);
        }
    }
    vector_digest(sums, (size_t)(BLOCK_STRATA * dims) * sizeof *sums,
                  vector_expected(expected, "sums/digest"));
    free(sums);
}

/* Row i of the pool as doubles, and its squared norm. */
static double widen_row(const alcore_sys_kernels *table, int64_t i, double *out) {
    double square;
    alcore_sys_rows one = block_rows(&data, 0, 0);
    one.data = data.x + i * data.dims;
    one.count = 1;
    ck_assert_int_eq(table->widen(&work, &one, NULL, out), ALCORE_OK);
    ck_assert_int_eq(table->self_dots(&work, &one, NULL, &square), ALCORE_OK);
    return square;
}

/* The largest value of the pool's candidates, blocks one after another. */
static int64_t best_row(const alcore_sys_kernels *table, const double *values, double *most) {
    int64_t best = -1;
    *most = -HUGE_VAL;
    for (int64_t b = 0; b < BLOCKS; b++) {
        alcore_sys_rows rows = block_rows(&data, b, 0);
        int64_t item;
        double value;
        ck_assert_int_eq(table->arg_max(&work, rows.count, data.mask + rows.first,
                                        values + rows.first, &item, &value),
                         ALCORE_OK);
        if (item >= 0 && value > *most) {
            best = rows.first + item;
            *most = value;
        }
    }
    return best;
}

static void lower_minimum(const alcore_sys_kernels *table, int64_t centroid, double *minimum) {
    double wide[70];
    double square = widen_row(table, centroid, wide);
    for (int64_t b = 0; b < BLOCKS; b++) {
        alcore_sys_rows rows = block_rows(&data, b, 0);
        alcore_sys_weights weights = {.minimum = minimum + rows.first};
        ck_assert_int_eq(table->min_sq_dists(&work, &rows, data.mask + rows.first, wide, 1, &square,
                                             NULL, 0, &weights),
                         ALCORE_OK);
    }
}

/* Spec 4.7. */
static void check_kcenter(const alcore_sys_kernels *table, const vector_case *expected) {
    double *minimum = new_doubles(BLOCK_POOL), radii[PICKS], most;
    int64_t picks[PICKS];
    for (int64_t i = 0; i < BLOCK_POOL; i++) minimum[i] = HUGE_VAL;
    for (int64_t i = 3; i < BLOCK_POOL; i += 97) lower_minimum(table, i, minimum);
    for (int p = 0; p < PICKS; p++) {
        picks[p] = best_row(table, minimum, &most);
        data.mask[picks[p]] = 0;
        lower_minimum(table, picks[p], minimum);
        best_row(table, minimum, &most);
        radii[p] = sqrt(most);
    }
    for (int p = 0; p < PICKS; p++) data.mask[picks[p]] = 1;
    vector_equal(picks, vector_expected(expected, "kcenter/first"));
    vector_digest(picks, sizeof picks, vector_expected(expected, "kcenter/picks"));
    vector_digest(radii, sizeof radii, vector_expected(expected, "kcenter/radii"));
    free(minimum);
}

/* What IDDS keeps of each row of the pool. */
typedef struct idds_state {
    double *norms, *a, *b, *s, *scores;
} idds_state;

/* Spec 4.4, cosine, self excluded. */
static void idds_begin(const alcore_sys_kernels *table, idds_state *state) {
    double *all = new_doubles(2 * data.dims);
    int32_t *side = calloc(BLOCK_POOL, sizeof *side);
    ck_assert_ptr_nonnull(side);
    for (int64_t i = 0; i < BLOCK_POOL; i++) side[i] = data.mask[i] ? 0 : 1;
    pool_sums(table, side, 2, 1, all);
    for (int64_t b = 0; b < BLOCKS; b++) {
        alcore_sys_rows rows = block_rows(&data, b, 0);
        int64_t f = rows.first;
        ck_assert_int_eq(table->self_dots(&work, &rows, NULL, state->norms + f), ALCORE_OK);
        ck_assert_int_eq(table->dots(&work, &rows, NULL, all, state->a + f), ALCORE_OK);
        ck_assert_int_eq(table->dots(&work, &rows, NULL, all + data.dims, state->b + f), ALCORE_OK);
    }
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        state->norms[i] = sqrt(state->norms[i]);
        state->a[i] /= state->norms[i];
        state->b[i] /= state->norms[i];
        state->s[i] = 1.0;
    }
    free(side);
    free(all);
}

static void idds_step(const alcore_sys_kernels *table, idds_state *state, int64_t picked) {
    double wide[70];
    widen_row(table, picked, wide);
    for (int64_t b = 0; b < BLOCKS; b++) {
        alcore_sys_rows rows = block_rows(&data, b, 0);
        int64_t f = rows.first;
        ck_assert_int_eq(table->idds_update(&work, &rows, data.mask + f, state->norms + f, wide,
                                            state->norms[picked], state->a + f, state->b + f,
                                            NULL /* no scores */, NULL, NULL),
                         ALCORE_OK);
    }
}

static void check_idds(const alcore_sys_kernels *table, const vector_case *expected) {
    idds_state state = {new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL),
                        new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL)};
    alcore_sys_idds idds = {
        .alpha = 0.67, .unlabeled = BLOCK_POOL - BLOCK_LABELED, .labeled = BLOCK_LABELED};
    int64_t picks[PICKS];
    double score;
    idds_begin(table, &state);
    for (int p = 0; p < PICKS; p++, idds.unlabeled--, idds.labeled++) {
        ck_assert_int_eq(table->idds_scores(&work, BLOCK_POOL, data.mask, &idds, state.a, state.b,
                                            state.s, state.scores),
                         ALCORE_OK);
        picks[p] = best_row(table, state.scores, &score);
        data.mask[picks[p]] = 0;
        idds_step(table, &state, picks[p]);
    }
    for (int p = 0; p < PICKS; p++) data.mask[picks[p]] = 1;
    vector_equal(picks, vector_expected(expected, "idds/first"));
    vector_digest(picks, sizeof picks, vector_expected(expected, "idds/picks"));
    /* Of a pick the score at its step, of the others that at the last step; candidates in row
     * order. */
    int64_t candidates = 0;
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        if (data.mask[i]) state.scores[candidates++] = state.scores[i];
    }
    vector_digest(state.scores, (size_t)candidates * sizeof score,
                  vector_expected(expected, "idds/scores"));
    free(state.norms);
    free(state.a);
    free(state.b);
    free(state.s);
    free(state.scores);
}

static void each_engine(void (*check)(const alcore_sys_kernels *, const vector_case *),
                        int number) {
    vector_case rows =
        vector_case_named(vector_find(vectors[number][0], vectors[number][1]), "rows");
    block_data_make(&data, vector_integer(vector_input(&rows, "dims")));
    for (int e = 0; e < ENGINES; e++) {
        const alcore_sys_kernels *table = alcore__kernels_cpu_named(engines[e]);
        if (table) check(table, &rows);
    }
    block_data_free(&data);
}

START_TEST(pair) {
    each_engine(check_pair, _i);
}
END_TEST

START_TEST(sums) {
    each_engine(check_sums, _i);
}
END_TEST

START_TEST(kcenter) {
    each_engine(check_kcenter, _i);
}
END_TEST

START_TEST(idds) {
    each_engine(check_idds, _i);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("tv_block");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    /* Under valgrind each vector takes a minute, and the wide one walks the same loads again. */
    int count = getenv("ALCORE_TEST_BRIEF") ? 1 : VECTORS;
    tcase_add_loop_test(tests, pair, 0, count);
    tcase_add_loop_test(tests, sums, 0, count);
    tcase_add_loop_test(tests, kcenter, 0, count);
    tcase_add_loop_test(tests, idds, 0, count);
    return check_suite_run("kernel_block", tests);
}
