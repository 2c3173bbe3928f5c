/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by their hash, also where the bits of a slot are too few for both. */
#include "pool/hash_index.h"
#include "pool_test.h"

enum { NUMBERS = 1000 };

static uint64_t hash_of(int64_t number) {
    return ((uint64_t)number + 1) * 0x9E3779B97F4A7C15u;
}

static bool has(const alcore__hash_index *index, int64_t number) {
    size_t at = alcore__index_home(index, hash_of(number));
    int64_t found;
    do {
        found = alcore__index_next(index, hash_of(number), &at);
    } while (found >= 0 && found != number);
    return found == number;
}

static void put(alcore__hash_index *index, int64_t number, int64_t numbers) {
    ck_assert_ok(alcore__index_reserve(NULL, index, 1, 0, numbers));
    size_t at = alcore__index_home(index, hash_of(number));
    while (alcore__index_next(index, hash_of(number), &at) >= 0) continue;
    alcore__index_put(index, at, hash_of(number), number);
}

static void check_range(int64_t first) {
    alcore__hash_index index = {0};
    for (int64_t i = 0; i < NUMBERS; i++) {
        put(&index, first + i, first + i + 1);
        ck_assert_uint_eq(index.count, (size_t)i + 1);
        if (i % 97 == 0)
            for (int64_t k = 0; k <= i; k++) ck_assert(has(&index, first + k));
    }
    ck_assert(!has(&index, first + NUMBERS));
    alcore__index_drop(&index, first + 300);
    ck_assert_uint_eq(index.count, 300);
    for (int64_t k = 0; k < NUMBERS; k++) ck_assert_int_eq(has(&index, first + k), k < 300);
    alcore__index_clear(NULL, &index);
    ck_assert_uint_eq(index.capacity, 0);
}

START_TEST(any_numbers) {
    check_range(0);
    check_range((int64_t)1 << 32);
    check_range(((int64_t)1 << 40) - 500);
    check_range((int64_t)1 << 60); /* three bits of the hash are left */
}
END_TEST

START_TEST(numbers_fall) {
    alcore__hash_index index = {0};
    put(&index, 3, 4);
    put(&index, (int64_t)1 << 50, ((int64_t)1 << 50) + 1);
    alcore__index_drop(&index, 4);
    for (int64_t i = 10; i < 100; i++) put(&index, i, i + 1);
    ck_assert(has(&index, 3));
    ck_assert(!has(&index, (int64_t)1 << 50));
    alcore__index_clear(NULL, &index);
}
END_TEST

START_TEST(room_for_what_is_coming) {
    test_allocator allocator;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    test_allocator_init(&allocator);
    options.allocator = &allocator.table;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    alcore__hash_index index = {0};
    /* A guess is taken up to 16 times what is needed, and only where the index has to grow. */
    ck_assert_ok(alcore__index_reserve(ctx, &index, 10, 90, 10));
    ck_assert_uint_ge(index.capacity / 8 * 5, 100);
    size_t before = index.capacity;
    ck_assert_ok(alcore__index_reserve(ctx, &index, 10, 1000000, 10));
    ck_assert_uint_eq(index.capacity, before);
    ck_assert_ok(alcore__index_reserve(ctx, &index, 1000, SIZE_MAX, 1000));
    ck_assert_uint_ge(index.capacity / 8 * 5, 16000);
    ck_assert_uint_lt(index.capacity / 8 * 5, 64000);
    /* Where memory is short, it is what is needed. */
    alcore__index_clear(ctx, &index);
    allocator.fail_at = allocator.calls + 1;
    allocator.for_good = false;
    ck_assert_ok(alcore__index_reserve(ctx, &index, 10, 90, 10));
    ck_assert_uint_eq(index.capacity, 16);
    alcore__index_clear(ctx, &index);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(allocator.live, 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, any_numbers);
    tcase_add_test(tests, numbers_fall);
    tcase_add_test(tests, room_for_what_is_coming);
}

TEST_FILE() {
    return test_run("hash-index", add);
}
