/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK of spec 1.8, the lines that kernels alone give: every bit, on every engine. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/rng.h"
#include "base/base.h"
#include "block_data.h"
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"

enum { BLOCKS = (BLOCK_POOL + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS, PICKS = 100 };

static alcore_ctx *ctx;
static alcore_sys_work work;
static block_data data;

/* The engines; those that this machine lacks are left out. */
static const char *const engines[] = {"cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni",
                                      "cpu-neon"};

typedef struct vector {
    int64_t dims;
    double pair[3];
    double sums[15];
    uint64_t sums_hash;
    int64_t kcenter[5];
    uint64_t kcenter_picks, kcenter_radii;
    int64_t idds[5];
    uint64_t idds_picks, idds_scores;
} vector;

static const vector vectors[] = {
    {5,
     {-0x1.ea2ec8997e432p-5, 0x1.053ac08a217d4p-1, -0x1.3a9970135ead8p-2},
     {-0x1.8b15ebc29ce08p+5, 0x1.08fca18e5a1c5p+4, 0x1.0dc4a61fe02b0p+5, -0x1.1b2645613ce48p+1,
      -0x1.09704b43ed178p+4, 0x1.0bcc7ecc01f42p+6, 0x1.677bc0bec2d1ap+4, -0x1.67d8ee40c861bp+4,
      -0x1.f027b230a6bf9p+4, -0x1.e97c8dab8cc50p+1, 0x1.e0da1d384b00fp+4, -0x1.09cf23c76c7b6p+3,
      -0x1.0f50bcd5aa7c6p+4, 0x1.6c3a31168916ap+1, 0x1.dd3b70a36e3c2p+4},
     UINT64_C(0xDF8DFFE5CDB354EC),
     {13689, 9204, 12208, 10953, 1301},
     UINT64_C(0x25AC4C3842D2D692),
     UINT64_C(0x87F6FC6E506F843C),
     {18236, 12295, 17947, 12242, 10102},
     UINT64_C(0xFE2359EB053BF868),
     UINT64_C(0x2195D0F7B348AB7D)},
    {70,
     {-0x1.c78b332ea3decp-2, 0x1.78a66d3f6e844p+3, -0x1.4fb47fbe2f7a9p-4},
     {0x1.5bc2fb01ee166p+2, -0x1.69f529923b590p+0, -0x1.2bc8a1cdce73bp+4, -0x1.13bebcae07fe2p+3,
      -0x1.ffc1735bec2a7p+3, -0x1.24da25ffff6e4p+2},
     UINT64_C(0x3EB03E6343F252FC),
     {5339, 9914, 8527, 18757, 7833},
     UINT64_C(0xE1AD5BCC6B5D1E17),
     UINT64_C(0xB4E0494F1A7388AE),
     {18620, 1607, 18579, 5516, 15547},
     UINT64_C(0x4ED4D5CA2DDD4D60),
     UINT64_C(0x97753EB27EAAADEE)},
};
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

static void check_pair(const alcore_sys_kernels *table, const vector *expected) {
    int64_t dims = data.dims;
    alcore_sys_rows rows = block_rows(&data, 0, 0);
    rows.count = 1;
    double second[70], got, distance;
    for (int64_t j = 0; j < dims; j++) second[j] = (double)data.x[dims + j];
    ck_assert_int_eq(table->dots(&work, &rows, NULL, second, &got), ALCORE_OK);
    check_bits(got, expected->pair[0]);
    ck_assert_int_eq(table->sq_dists(&work, &rows, NULL, second, &got), ALCORE_OK);
    check_bits(got, expected->pair[1]);
    int32_t group = 0;
    ck_assert_int_eq(table->group_cosine(&work, &rows, &group, 1, second, &distance), ALCORE_OK);
    check_bits(distance, 1.0 - expected->pair[2]);
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

static void check_sums(const alcore_sys_kernels *table, const vector *expected) {
    int64_t dims = data.dims;
    double *sums = new_doubles(BLOCK_STRATA * dims);
    pool_sums(table, data.stratum, BLOCK_STRATA, 1, sums);
    int64_t at = 0;
    for (int64_t g = 0; g < BLOCK_STRATA; g++) {
        for (int64_t j = 0; j < dims; j++) {
            if (dims == 5 || j == 0 || j == dims - 1) {
                check_bits(sums[g * dims + j], expected->sums[at++]);
            }
        }
    }
    ck_assert_uint_eq(alcore_hash64(sums, (size_t)(BLOCK_STRATA * dims) * sizeof *sums),
                      expected->sums_hash);
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
        ck_assert_int_eq(table->arg_max(&work, rows.count, data.take + rows.first,
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
        ck_assert_int_eq(table->min_sq_dists(&work, &rows, data.take + rows.first, wide, 1, &square,
                                             NULL, 0, &weights),
                         ALCORE_OK);
    }
}

/* Spec 4.7. */
static void check_kcenter(const alcore_sys_kernels *table, const vector *expected) {
    double *minimum = new_doubles(BLOCK_POOL), radii[PICKS], most;
    int64_t picks[PICKS];
    for (int64_t i = 0; i < BLOCK_POOL; i++) minimum[i] = HUGE_VAL;
    for (int64_t i = 3; i < BLOCK_POOL; i += 97) lower_minimum(table, i, minimum);
    for (int p = 0; p < PICKS; p++) {
        picks[p] = best_row(table, minimum, &most);
        data.take[picks[p]] = 0;
        lower_minimum(table, picks[p], minimum);
        best_row(table, minimum, &most);
        radii[p] = sqrt(most);
        if (p < 5) ck_assert_int_eq(picks[p], expected->kcenter[p]);
    }
    for (int p = 0; p < PICKS; p++) data.take[picks[p]] = 1;
    ck_assert_uint_eq(alcore_hash64(picks, sizeof picks), expected->kcenter_picks);
    ck_assert_uint_eq(alcore_hash64(radii, sizeof radii), expected->kcenter_radii);
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
    for (int64_t i = 0; i < BLOCK_POOL; i++) side[i] = data.take[i] ? 0 : 1;
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
        ck_assert_int_eq(table->idds_update(&work, &rows, data.take + f, state->norms + f, wide,
                                            state->norms[picked], state->a + f, state->b + f),
                         ALCORE_OK);
    }
}

static void check_idds(const alcore_sys_kernels *table, const vector *expected) {
    idds_state state = {new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL),
                        new_doubles(BLOCK_POOL), new_doubles(BLOCK_POOL)};
    alcore_sys_idds idds = {
        .alpha = 0.67, .unlabeled = BLOCK_POOL - BLOCK_LABELLED, .labeled = BLOCK_LABELLED};
    int64_t picks[PICKS];
    double score;
    idds_begin(table, &state);
    for (int p = 0; p < PICKS; p++, idds.unlabeled--, idds.labeled++) {
        ck_assert_int_eq(table->idds_scores(&work, BLOCK_POOL, data.take, &idds, state.a, state.b,
                                            state.s, state.scores),
                         ALCORE_OK);
        picks[p] = best_row(table, state.scores, &score);
        data.take[picks[p]] = 0;
        idds_step(table, &state, picks[p]);
        if (p < 5) ck_assert_int_eq(picks[p], expected->idds[p]);
    }
    for (int p = 0; p < PICKS; p++) data.take[picks[p]] = 1;
    ck_assert_uint_eq(alcore_hash64(picks, sizeof picks), expected->idds_picks);
    /* Of a pick the score at its step, of the others that at the last step; candidates in row
     * order. */
    int64_t candidates = 0;
    for (int64_t i = 0; i < BLOCK_POOL; i++) {
        if (data.take[i]) state.scores[candidates++] = state.scores[i];
    }
    ck_assert_uint_eq(alcore_hash64(state.scores, (size_t)candidates * sizeof score),
                      expected->idds_scores);
    free(state.norms);
    free(state.a);
    free(state.b);
    free(state.s);
    free(state.scores);
}

static void each_engine(void (*check)(const alcore_sys_kernels *, const vector *), int at) {
    block_data_make(&data, vectors[at].dims);
    for (int e = 0; e < ENGINES; e++) {
        const alcore_sys_kernels *table = alcore__kernels_cpu_named(engines[e]);
        if (table) check(table, &vectors[at]);
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

int main(void) {
    Suite *suite = suite_create("kernel_block");
    TCase *tests = tcase_create("tv_block");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, pair, 0, VECTORS);
    tcase_add_loop_test(tests, sums, 0, VECTORS);
    tcase_add_loop_test(tests, kcenter, 0, VECTORS);
    tcase_add_loop_test(tests, idds, 0, VECTORS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
