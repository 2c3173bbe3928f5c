/* SPDX-License-Identifier: Apache-2.0 */
/* TV-RNG and the draws of TV-DRAW (spec 1.7). */
#include "base/base.h"
#include "base/rng.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "vectors.h"

enum { TAG_SUBSAMPLE = 1, TAG_SEEDSET = 2, TAG_RANDOM = 3, TAG_GOLD = 11 };

static vector_case rng_case(const char *name) {
    return vector_case_named(vector_find("random", "TV-RNG"), name);
}

/* The generator that the case's seed makes. */
static alcore__rng seeded(const vector_case *one) {
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)vector_integer(vector_input(one, "seed")));
    return rng;
}

static void expect_sample(uint64_t seed, int64_t n, int64_t count, const json_t *expected) {
    alcore__rng rng;
    int64_t drawn[16];
    alcore__rng_seed(&rng, seed);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, n, count, drawn), ALCORE_OK);
    vector_equal(drawn, expected);
}

START_TEST(seeding_is_splitmix64) {
    vector_case one = rng_case("splitmix64");
    const json_t *words = vector_expected(&one, "words");
    alcore__rng rng = seeded(&one);
    for (int64_t i = 0; i < vector_length(words); i++)
        ck_assert_uint_eq(rng.state[i], vector_word(json_array_get(words, (size_t)i)));
}
END_TEST

START_TEST(numbers_of_seed_42) {
    vector_case one = rng_case("u64");
    const json_t *words = vector_expected(&one, "words");
    alcore__rng rng = seeded(&one);
    for (int64_t i = 0; i < vector_length(words); i++)
        ck_assert_uint_eq(alcore__rng_u64(&rng), vector_word(json_array_get(words, (size_t)i)));
    int64_t count;
    one = rng_case("f64");
    const double *parts = vector_doubles(vector_expected(&one, "values"), &count);
    rng = seeded(&one);
    for (int64_t i = 0; i < count; i++) ck_assert(alcore__rng_f64(&rng) == parts[i]);
    one = rng_case("below");
    const int64_t *below = vector_integers(vector_expected(&one, "values"), &count);
    uint64_t n = (uint64_t)vector_integer(vector_input(&one, "n"));
    rng = seeded(&one);
    for (int64_t i = 0; i < count; i++)
        ck_assert_uint_eq(alcore__rng_below(&rng, n), (uint64_t)below[i]);
    alcore__rng copy = rng;
    ck_assert_uint_eq(alcore__rng_below(&rng, 0), 0);
    ck_assert_mem_eq(&copy, &rng, sizeof rng);
}
END_TEST

START_TEST(below_rejects) {
    vector_case one = rng_case("below with rejections");
    const json_t *words = vector_expected(&one, "words");
    uint64_t n = vector_word(vector_input(&one, "n_hex"));
    alcore__rng rng = seeded(&one);
    for (int64_t i = 0; i < vector_length(words); i++)
        ck_assert_uint_eq(alcore__rng_below(&rng, n),
                          vector_word(json_array_get(words, (size_t)i)));
}
END_TEST

START_TEST(derived_seeds) {
    vector_case one = rng_case("derive");
    const json_t *words = vector_expected(&one, "words");
    const int64_t *given = vector_integers(vector_input(&one, "arguments"), NULL);
    for (int64_t i = 0; i < vector_length(words); i++, given += 4)
        ck_assert_uint_eq(alcore__rng_derive((uint64_t)given[0], (uint64_t)given[1],
                                             (uint64_t)given[2], (uint64_t)given[3]),
                          vector_word(json_array_get(words, (size_t)i)));
}
END_TEST

START_TEST(samples) {
    static const char *const names[] = {"sample", "sample all"};
    for (int k = 0; k < 2; k++) {
        vector_case one = rng_case(names[k]);
        int64_t count;
        const int64_t *seeds = vector_integers(vector_input(&one, "seeds"), &count);
        for (int64_t i = 0; i < count; i++)
            expect_sample((uint64_t)seeds[i], vector_integer(vector_input(&one, "n")),
                          vector_integer(vector_input(&one, "m")),
                          json_array_get(vector_expected(&one, "samples"), (size_t)i));
    }
    int64_t clamped[12] = {[8] = -7, [9] = -7};
    alcore__rng rng;
    alcore__rng_seed(&rng, 42);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, 8, 10, clamped), ALCORE_OK);
    ck_assert_int_eq(clamped[7], 1);
    ck_assert_int_eq(clamped[8], -7);
}
END_TEST

/* TV-DRAW over the rows 0 to 9; candidates are drawn the same way and then sorted. */
START_TEST(draws_of_the_strategies) {
    static const struct {
        const char *name;
        uint64_t tag;
    } draws[] = {{"random", TAG_RANDOM}, {"seed set", TAG_SEEDSET}, {"gold", TAG_GOLD}};
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        vector_case one = vector_case_named(vector_find("random", "TV-DRAW"), draws[i].name);
        expect_sample(alcore__rng_derive(42, draws[i].tag, 1, 0), 10,
                      vector_integer(vector_input(&one, "k")), vector_expected(&one, "picks"));
    }
    vector_case one = vector_case_named(vector_find("random", "TV-DRAW"), "candidates");
    int64_t drawn[4], in_order[4], count = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, alcore__rng_derive(42, TAG_SUBSAMPLE, 1, 0));
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, 10, 4, drawn), ALCORE_OK);
    for (int64_t row = 0; row < 10; row++)
        for (int i = 0; i < 4; i++)
            if (drawn[i] == row) in_order[count++] = row;
    ck_assert_int_eq(count, 4);
    vector_equal(in_order, vector_expected(&one, "picks"));
}
END_TEST

/* sample() of spec 1.7 word by word. */
static void plain_sample(alcore__rng *rng, int64_t *a, int64_t n, int64_t count) {
    for (int64_t i = 0; i < n; i++) a[i] = i;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i + (int64_t)alcore__rng_below(rng, (uint64_t)(n - i)), kept = a[i];
        a[i] = a[j];
        a[j] = kept;
    }
}

START_TEST(large_samples_equal_the_plain_shuffle) {
    static const int64_t counts[] = {1, 7, 100, 3000, 19999, 60000, 99999, 100000};
    enum { N = 100000 };
    static int64_t plain[N], drawn[N];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        alcore__rng rng, same;
        alcore__rng_seed(&rng, 5 + c);
        same = rng;
        plain_sample(&same, plain, N, counts[c]);
        ck_assert_int_eq(alcore__rng_sample(NULL, &rng, N, counts[c], drawn), ALCORE_OK);
        ck_assert_mem_eq(plain, drawn, (size_t)counts[c] * sizeof *drawn);
        ck_assert_mem_eq(&rng, &same, sizeof rng);
    }
}
END_TEST

START_TEST(a_sample_says_what_is_wrong) {
    fault_allocator fault = {0};
    alcore__rng rng, before;
    int64_t out[4] = {-1, -1, -1, -1};
    alcore__rng_seed(&rng, 1);
    before = rng;
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, -1, 2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, 5, -2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__rng_sample(NULL, NULL, 5, 2, out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, 5, 2, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, 5, 0, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore__rng_sample(NULL, &rng, INT64_MAX, INT64_MAX / 3, out), ALCORE_E_NOMEM);
    alcore_ctx *ctx = fault_context(&fault, 0);
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
    vector_case known = rng_case("hash64");
    const json_t *texts = vector_input(&known, "texts"), *words = vector_expected(&known, "words");
    for (size_t i = 0; i < (size_t)vector_length(words); i++) {
        const char *text = vector_text(json_array_get(texts, i));
        ck_assert_uint_eq(alcore__hash64(text, strlen(text)),
                          vector_word(json_array_get(words, i)));
    }
    ck_assert_uint_eq(alcore__hash64(NULL, 0), alcore__hash64("", 0));
    alcore__hash one = alcore__hash128("abc", 3), other = alcore__hash128("abd", 3);
    ck_assert(one.low != other.low && one.high != other.high && one.low != one.high);
    other = alcore__hash128("abc", 3);
    ck_assert(one.low == other.low && one.high == other.high);
}
END_TEST

CHECK_SUITE("rng", seeding_is_splitmix64, numbers_of_seed_42, below_rejects, derived_seeds, samples,
            draws_of_the_strategies, large_samples_equal_the_plain_shuffle,
            a_sample_says_what_is_wrong, hashes);
