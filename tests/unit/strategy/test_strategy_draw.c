/* SPDX-License-Identifier: Apache-2.0 */
/* The D^2 draw that k-means++ and BADGE share: weighted() of spec 1.7, its lines of TV-BLOCK (spec
 * 1.8), and the draws of TV-BADGE under the weights that its vector gives. */
#include "base/rng.h"
#include "check_suite.h"
#include "kernel/kernels.h"
#include "strategy/kmeans/d2_sampling.h"
#include "vectors.h"

/* The row that u in [0, 1] draws from weights [count]; -1: none has a weight. The two steps of the
 * strategies: the block by the blocks' totals, then the row inside it by the kernel. */
static int64_t drawn_by(const double *weights, int64_t count, double u) {
    enum { MAX_BLOCKS = 3 };
    const alcore_sys_work work = {.size = sizeof work};
    double totals[MAX_BLOCKS] = {0};
    alcore__draw draw;
    int64_t item = -1;
    for (int64_t i = 0; i < count; i++) totals[i / ALCORE_BLOCK_ROWS] += weights[i];
    if (!alcore__draw_by_weight(totals, 1 /* stride */, MAX_BLOCKS, u, &draw)) return -1;
    const int64_t start = draw.block * ALCORE_BLOCK_ROWS;
    const int64_t rows = count - start < ALCORE_BLOCK_ROWS ? count - start : ALCORE_BLOCK_ROWS;
    ck_assert_int_eq(alcore__kernels_cpu()->draw(&work, rows, NULL /* no mask */, weights + start,
                                                 draw.before, draw.target, &item),
                     ALCORE_OK);
    return item < 0 ? -1 : start + item;
}

START_TEST(small_vectors) {
    vector_case known = vector_case_named(vector_find("random", "TV-RNG"), "weighted");
    const double *given = vector_doubles(vector_input(&known, "weights"), NULL);
    const double *uniforms = vector_doubles(vector_input(&known, "uniforms"), NULL);
    int64_t drawn[3];
    for (int i = 0; i < 3; i++) drawn[i] = drawn_by(given + 3 * i, 3, uniforms[i]);
    vector_equal(drawn, vector_expected(&known, "rows"));
    ck_assert_int_eq(drawn_by((const double[]){0, 0, 0}, 3, 0.5), -1);
    ck_assert_int_eq(drawn_by(NULL, 0, 0.5), -1);
    /* Rows that take no part are passed over, also where the sum does not change. */
    ck_assert_int_eq(drawn_by((const double[]){1, 0, 1}, 3, 0.5), 2);
}
END_TEST

START_TEST(block_vectors) {
    enum { ROWS = 20000 };
    static double u[ROWS], weights[ROWS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int i = 0; i < ROWS; i++) u[i] = alcore__rng_f64(&rng);
    for (int i = 999; i < ROWS; i += 1000) u[i] = u[i - 500];
    for (int i = 0; i < ROWS; i++) weights[i] = i % 97 == 3 ? 0.0 : u[i];
    vector_case known = vector_case_named(vector_find("block", "TV-BLOCK"), "u");
    int64_t count, drawn[16];
    const double *uniforms = vector_doubles(vector_input(&known, "uniforms"), &count);
    for (int64_t i = 0; i < count; i++) drawn[i] = drawn_by(weights, ROWS, uniforms[i]);
    vector_equal(drawn, vector_expected(&known, "weighted"));
}
END_TEST

START_TEST(badge_vectors) {
    vector_case known = vector_case_named(vector_find("baselines", "TV-BADGE"), "given uniforms");
    int64_t draws, picks;
    const double *uniforms = vector_doubles(vector_input(&known, "uniforms"), &draws);
    const double *weights = vector_doubles(vector_expected(&known, "weights"), NULL);
    const int64_t *rows = vector_integers(vector_expected(&known, "picks"), &picks);
    ck_assert_int_eq(picks, draws + 1);
    for (int64_t i = 0; i < draws; i++)
        ck_assert_int_eq(drawn_by(weights + 5 * i, 5, uniforms[i]), rows[i + 1]);
}
END_TEST

CHECK_SUITE("strategy-draw", small_vectors, block_vectors, badge_vectors);
