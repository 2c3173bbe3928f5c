/* SPDX-License-Identifier: Apache-2.0 */
/* TV-RNG and the draws of TV-DRAW (spec 1.7). */
#include "alcore/rng.h"
#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"

enum { TAG_SUBSAMPLE = 1, TAG_SEEDSET = 2, TAG_RANDOM = 3, TAG_GOLD = 11 };

static void expect_sample(uint64_t seed, int64_t n, int64_t count, const int64_t *expected) {
    alcore_rng rng;
    int64_t drawn[16];
    alcore_rng_seed(&rng, seed);
    ck_assert_int_eq(alcore_rng_sample(&rng, n, count, drawn), ALCORE_OK);
    for (int64_t i = 0; i < count && i < n; i++) ck_assert_int_eq(drawn[i], expected[i]);
}
#define SAMPLE(seed, n, ...)                                                                       \
    expect_sample(seed, n, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                     \
                  (const int64_t[]){__VA_ARGS__})

START_TEST(seeding_is_splitmix64) {
    alcore_rng rng;
    alcore_rng_seed(&rng, 0);
    ck_assert_uint_eq(rng.state[0], UINT64_C(0xE220A8397B1DCDAF));
    ck_assert_uint_eq(rng.state[1], UINT64_C(0x6E789E6AA1B965F4));
    ck_assert_uint_eq(rng.state[2], UINT64_C(0x06C45D188009454F));
}
END_TEST

START_TEST(numbers_of_seed_42) {
    static const uint64_t whole[] = {UINT64_C(0x15780B2E0C2EC716), UINT64_C(0x6104D9866D113A7E),
                                     UINT64_C(0xAE17533239E499A1), UINT64_C(0xECB8AD4703B360A1)};
    static const double parts[] = {0.083862971059882163, 0.37898025066266861, 0.68004341102813937,
                                   0.92469294532538759};
    static const uint64_t below[] = {2, 2, 9, 3, 6, 4, 4, 7, 8, 5, 9, 3};
    alcore_rng rng;
    alcore_rng_seed(&rng, 42);
    for (int i = 0; i < 4; i++) ck_assert_uint_eq(alcore_rng_u64(&rng), whole[i]);
    alcore_rng_seed(&rng, 42);
    for (int i = 0; i < 4; i++) ck_assert(alcore_rng_f64(&rng) == parts[i]);
    alcore_rng_seed(&rng, 42);
    for (int i = 0; i < 12; i++) ck_assert_uint_eq(alcore_rng_below(&rng, 10), below[i]);
    alcore_rng copy = rng;
    ck_assert_uint_eq(alcore_rng_below(&rng, 0), 0);
    ck_assert_mem_eq(&copy, &rng, sizeof rng);
}
END_TEST

START_TEST(below_rejects) {
    static const uint64_t expected[] = {UINT64_C(0x33F2AF6D0FC710C4), UINT64_C(0x053B559647364CE9),
                                        UINT64_C(0x12F89756082A4513), UINT64_C(0x327A48E29A233672),
                                        UINT64_C(0x5DFDB48AB9ED4A20)};
    alcore_rng rng;
    alcore_rng_seed(&rng, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(alcore_rng_below(&rng, (UINT64_C(1) << 63) + 1), expected[i]);
}
END_TEST

START_TEST(derived_seeds) {
    ck_assert_uint_eq(alcore_rng_derive(42, 1, 0, 0), UINT64_C(0x3E4A12D70B0AF178));
    ck_assert_uint_eq(alcore_rng_derive(42, 1, 1, 0), UINT64_C(0xDFE05ACDAF69D627));
    ck_assert_uint_eq(alcore_rng_derive(2, 3, 4, 5), UINT64_C(0xE72E3891E55681B7));
}
END_TEST

START_TEST(samples) {
    SAMPLE(2, 10, 5, 0, 7, 4, 3);
    SAMPLE(22, 10, 4, 3, 1, 5, 0);
    SAMPLE(42, 10, 2, 1, 3, 7, 8);
    SAMPLE(42, 8, 6, 2, 7, 0, 4, 5, 3, 1);
    int64_t clamped[12] = {[8] = -7, [9] = -7};
    alcore_rng rng;
    alcore_rng_seed(&rng, 42);
    ck_assert_int_eq(alcore_rng_sample(&rng, 8, 10, clamped), ALCORE_OK);
    ck_assert_int_eq(clamped[7], 1);
    ck_assert_int_eq(clamped[8], -7);
}
END_TEST

START_TEST(draws_of_the_strategies) {
    SAMPLE(alcore_rng_derive(42, TAG_RANDOM, 1, 0), 10, 7, 3, 2, 4, 0);
    SAMPLE(alcore_rng_derive(42, TAG_SEEDSET, 1, 0), 10, 5, 8, 0, 2, 6);
    SAMPLE(alcore_rng_derive(42, TAG_GOLD, 1, 0), 10, 9, 4, 2, 0, 7);
    int64_t drawn[4], in_order[10] = {0};
    alcore_rng rng;
    alcore_rng_seed(&rng, alcore_rng_derive(42, TAG_SUBSAMPLE, 1, 0));
    ck_assert_int_eq(alcore_rng_sample(&rng, 10, 4, drawn), ALCORE_OK);
    for (int i = 0; i < 4; i++) in_order[drawn[i]]++;
    ck_assert(in_order[2] && in_order[3] && in_order[5] && in_order[6]);
}
END_TEST

/* sample() of spec 1.7 word by word. */
static void plain_sample(alcore_rng *rng, int64_t *a, int64_t n, int64_t count) {
    for (int64_t i = 0; i < n; i++) a[i] = i;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i + (int64_t)alcore_rng_below(rng, (uint64_t)(n - i)), kept = a[i];
        a[i] = a[j];
        a[j] = kept;
    }
}

START_TEST(large_samples_equal_the_plain_shuffle) {
    static const int64_t counts[] = {1, 7, 100, 3000, 19999, 60000, 99999, 100000};
    enum { N = 100000 };
    static int64_t plain[N], drawn[N];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        alcore_rng rng, same;
        alcore_rng_seed(&rng, 5 + c);
        same = rng;
        plain_sample(&same, plain, N, counts[c]);
        ck_assert_int_eq(alcore_rng_sample(&rng, N, counts[c], drawn), ALCORE_OK);
        ck_assert_mem_eq(plain, drawn, (size_t)counts[c] * sizeof *drawn);
        ck_assert_mem_eq(&rng, &same, sizeof rng);
    }
}
END_TEST

START_TEST(a_sample_says_what_is_wrong) {
    fault_allocator fault = {0};
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    alcore_rng rng, before;
    int64_t out[4] = {-1, -1, -1, -1};
    alcore_rng_seed(&rng, 1);
    before = rng;
    ck_assert_int_eq(alcore_rng_sample(&rng, -1, 2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_rng_sample(&rng, 5, -2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_rng_sample(NULL, 5, 2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_rng_sample(&rng, 5, 2, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_rng_sample(&rng, 5, 0, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_rng_sample(&rng, INT64_MAX, INT64_MAX / 3, out), ALCORE_E_NOMEM);
    options.allocator = &table;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    for (int64_t n = 10; n <= 1000000000; n *= 100000000) {
        fault_arm(&fault, 1, 0);
        ck_assert_int_eq(alcore__rng_sample(ctx, &rng, n, 4, out), ALCORE_E_NOMEM);
        ck_assert_int_eq(fault.failures, 1);
    }
    ck_assert_int_eq(out[0], -1);
    ck_assert_mem_eq(&rng, &before, sizeof rng);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(hashes) {
    ck_assert_uint_eq(alcore_hash64("", 0), UINT64_C(0xEF46DB3751D8E999));
    ck_assert_uint_eq(alcore_hash64(NULL, 0), UINT64_C(0xEF46DB3751D8E999));
    ck_assert_uint_eq(alcore_hash64("abc", 3), UINT64_C(0x44BC2CF5AD770999));
    ck_assert_uint_eq(alcore_hash64("sentence-0001", 13), UINT64_C(0x9652CB019D7282E5));
    alcore__hash one = alcore__hash128("abc", 3), other = alcore__hash128("abd", 3);
    ck_assert(one.low != other.low && one.high != other.high && one.low != one.high);
    other = alcore__hash128("abc", 3);
    ck_assert(one.low == other.low && one.high == other.high);
}
END_TEST

CHECK_SUITE("rng", seeding_is_splitmix64, numbers_of_seed_42, below_rejects, derived_seeds, samples,
            draws_of_the_strategies, large_samples_equal_the_plain_shuffle,
            a_sample_says_what_is_wrong, hashes);
