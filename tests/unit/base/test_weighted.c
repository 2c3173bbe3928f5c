/* SPDX-License-Identifier: Apache-2.0 */
/* weighted() of spec 1.7 and its lines of TV-BLOCK (spec 1.8). */
#include "base/rng.h"
#include "base/weighted.h"
#include "check_suite.h"
#include "vectors.h"

START_TEST(small_vectors) {
    vector_case known = vector_case_named(vector_find("random", "TV-RNG"), "weighted");
    const double *given = vector_doubles(vector_input(&known, "weights"), NULL);
    const double *uniforms = vector_doubles(vector_input(&known, "uniforms"), NULL);
    int64_t drawn[3];
    for (int i = 0; i < 3; i++) drawn[i] = alcore__weighted(given + 3 * i, 3, uniforms[i]);
    vector_equal(drawn, vector_expected(&known, "rows"));
    ck_assert_int_eq(alcore__weighted((const double[]){0, 0, 0}, 3, 0.5), -1);
    ck_assert_int_eq(alcore__weighted(NULL, 0, 0.5), -1);
    /* Rows that take no part are passed over, also where the sum does not change. */
    ck_assert_int_eq(alcore__weighted((const double[]){1, 0, 1}, 3, 0.5), 2);
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
    for (int64_t i = 0; i < count; i++) drawn[i] = alcore__weighted(weights, ROWS, uniforms[i]);
    vector_equal(drawn, vector_expected(&known, "weighted"));
}
END_TEST

CHECK_SUITE("weighted", small_vectors, block_vectors);
