/* SPDX-License-Identifier: Apache-2.0 */
/* weighted() of spec 1.7 and its lines of TV-BLOCK (spec 1.8). */
#include "alcore/rng.h"
#include "base/weighted.h"
#include "check_suite.h"

START_TEST(small_vectors) {
    ck_assert_int_eq(alcore__weighted((const double[]){1, 1, 2}, 3, 0.5), 2);
    ck_assert_int_eq(alcore__weighted((const double[]){0, 1, 2}, 3, 0.0), 1);
    ck_assert_int_eq(alcore__weighted((const double[]){1, 0, 0}, 3, 1.0), 0);
    ck_assert_int_eq(alcore__weighted((const double[]){0, 0, 0}, 3, 0.5), -1);
    ck_assert_int_eq(alcore__weighted(NULL, 0, 0.5), -1);
    /* Rows that take no part are passed over, also where the sum does not change. */
    ck_assert_int_eq(alcore__weighted((const double[]){1, 0, 1}, 3, 0.5), 2);
}
END_TEST

START_TEST(block_vectors) {
    enum { ROWS = 20000 };
    static double u[ROWS], weights[ROWS];
    alcore_rng rng;
    alcore_rng_seed(&rng, 1);
    for (int i = 0; i < ROWS; i++) u[i] = alcore_rng_f64(&rng);
    for (int i = 999; i < ROWS; i += 1000) u[i] = u[i - 500];
    for (int i = 0; i < ROWS; i++) weights[i] = i % 97 == 3 ? 0.0 : u[i];
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0.0), 0);
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0.25), 4960);
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0.5), 10003);
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0.75), 15016);
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0x1.a46538d6c5e9dp-2), 8191);
    ck_assert_int_eq(alcore__weighted(weights, ROWS, 0x1.a46538d6c5e9ep-2), 8192);
}
END_TEST

CHECK_SUITE("weighted", small_vectors, block_vectors);
