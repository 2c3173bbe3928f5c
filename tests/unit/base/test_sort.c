/* SPDX-License-Identifier: Apache-2.0 */
/* alcore__sort(): sorted, stable, for elements of any size; it can be cancelled and run out of
 * memory. */
#include <stdlib.h>

#include "base/base.h"
#include "base/rng.h"
#include "check_suite.h"
#include "fault_allocator.h"

/* An element of an odd size, with the place that it had before the sort. */
typedef struct __attribute__((packed)) item {
    uint16_t key;
    uint32_t place;
    char rest[5];
} item;

static int by_key(const void *a, const void *b) {
    const item *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

/* Fills items [count] with keys below `keys`, drawn from a seed. */
static void draw(item *items, size_t count, uint64_t keys) {
    for (size_t i = 0; i < count; i++)
        items[i] = (item){.key = (uint16_t)(alcore__rng_derive(5, 1, i, 0) % keys),
                          .place = (uint32_t)i,
                          .rest = {(char)i, 1, 2, 3, 4}};
}

/* Sorts drawn items and checks that they are all there, whole, and in order. */
static void check_sort(size_t count, uint64_t keys) {
    item *items = calloc(count + 1, sizeof *items);
    bool *seen = calloc(count + 1, sizeof *seen);
    draw(items, count, keys);
    ck_assert_int_eq(alcore__sort(NULL, items, count, sizeof *items, by_key), ALCORE_OK);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(items[i].place, count);
        ck_assert_msg(!seen[items[i].place], "element %u is there twice", items[i].place);
        seen[items[i].place] = true;
        ck_assert_int_eq(items[i].rest[0], (char)items[i].place);
        ck_assert_int_eq(items[i].rest[4], 4);
        if (i == 0) continue;
        ck_assert_uint_le(items[i - 1].key, items[i].key);
        if (items[i - 1].key == items[i].key) ck_assert_uint_lt(items[i - 1].place, items[i].place);
    }
    free(seen);
    free(items);
}

START_TEST(elements_rise_and_equal_ones_keep_their_order) {
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, 31, 33, 100, 1000, 4097};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t keys = 1; keys < 70000; keys = keys * 40 + 1) check_sort(counts[c], keys);
}
END_TEST

START_TEST(without_memory_it_says_so) {
    fault_allocator fault = {0};
    item items[40];
    draw(items, 40, 9);
    alcore_ctx *ctx = fault_context(&fault, 0);
    fault_arm(&fault, 1, 0);
    ck_assert_int_eq(alcore__sort(ctx, items, 40, sizeof *items, by_key), ALCORE_E_NOMEM);
    fault_arm(&fault, 0, 0);
    ck_assert_int_eq(alcore__sort(ctx, items, 40, sizeof *items, by_key), ALCORE_OK);
    ck_assert_uint_le(items[0].key, items[39].key);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(a_cancelled_sort_ends) {
    const size_t count = 100000;
    item *items = malloc(count * sizeof *items);
    alcore_ctx *ctx;
    draw(items, count, 1000);
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore__sort(ctx, items, count, sizeof *items, by_key), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    alcore_ctx_unref(ctx);
    free(items);
}
END_TEST

CHECK_SUITE("sort", elements_rise_and_equal_ones_keep_their_order, without_memory_it_says_so,
            a_cancelled_sort_ends);
