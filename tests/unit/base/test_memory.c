/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"

START_TEST(every_byte_is_given_back) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    char *block = alcore__alloc(ctx, 10);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % 16, 0);
    memcpy(block, "123456789", 10);
    block = alcore__realloc(ctx, block, 100000);
    ck_assert_str_eq(block, "123456789");
    alcore__free(ctx, block);
    alcore__free(ctx, alcore__alloc(ctx, 0));
    alcore__free(ctx, alcore__realloc(ctx, NULL, 5));
    alcore__free(ctx, NULL);
    int64_t *zeroes = alcore__calloc(ctx, 100, sizeof *zeroes);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(zeroes[i], 0);
    alcore__free(ctx, zeroes);
    char *copy = alcore__strndup(ctx, "abcdef", 3);
    ck_assert_str_eq(copy, "abc");
    alcore__free(ctx, copy);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    ck_assert_int_eq(fault.live_blocks, 0);
}
END_TEST

START_TEST(overflow_is_out_of_memory) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    int64_t *array = (int64_t *)&array;
    size_t capacity = 0;
    ck_assert_ptr_null(alcore__alloc(ctx, SIZE_MAX));
    ck_assert_ptr_null(alcore__calloc(ctx, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(alcore__strndup(ctx, "", SIZE_MAX));
    ck_assert_int_eq(alcore__new_array(ctx, SIZE_MAX / 2, 8, &array), ALCORE_E_NOMEM);
    ck_assert_ptr_null(array);
    ck_assert_int_eq(alcore__grow(ctx, &array, &capacity, SIZE_MAX / 2, 8), ALCORE_E_NOMEM);
    ck_assert_uint_eq(capacity, 0);
    ck_assert_ptr_null(array);
    char *block = alcore__alloc(ctx, 4);
    ck_assert_ptr_null(alcore__realloc(ctx, block, SIZE_MAX - 3));
    alcore__free(ctx, block);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

/* Zeros are written to each page of the memory, by threads, and to no byte around it; on one thread
 * nothing is. */
START_TEST(fresh_memory_is_touched) {
    enum { BYTES = (9 << 20) + 12345, AROUND = 8192, PAGE = 4096, FULL = 7 };
    for (int32_t threads = 1; threads <= 3; threads++) {
        alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
        options.threads = threads;
        alcore_ctx *ctx;
        ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
        char *block = alcore__alloc(ctx, BYTES + 2 * AROUND), *memory = block + AROUND;
        ck_assert_ptr_nonnull(block);
        memset(block, FULL, BYTES + 2 * AROUND);
        ck_assert_int_eq(alcore__touch(ctx, memory, BYTES), ALCORE_OK);
        for (int i = 0; i < AROUND; i++) {
            ck_assert_int_eq(block[i], FULL);
            ck_assert_int_eq(memory[BYTES + i], FULL);
        }
        for (size_t page = 0; page + PAGE <= BYTES; page += PAGE)
            ck_assert_int_eq(!memchr(memory + page, 0, PAGE), threads == 1);
        alcore__free(ctx, block);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

START_TEST(arrays_grow_and_keep_their_numbers) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    int64_t *array = NULL;
    size_t capacity = 0;
    for (int64_t i = 0; i < 5000; i++) {
        ck_assert_int_eq(alcore__grow(ctx, &array, &capacity, (size_t)i + 1, sizeof *array),
                         ALCORE_OK);
        array[i] = i;
    }
    for (int64_t i = 0; i < 5000; i++) ck_assert_int_eq(array[i], i);
    ck_assert_int_lt(fault.calls, 40); /* in steps that grow */
    size_t before = capacity;
    fault_arm(&fault, 1, 1);
    ck_assert_int_eq(alcore__grow(ctx, &array, &capacity, capacity + 1, sizeof *array),
                     ALCORE_E_NOMEM);
    fault_arm(&fault, 0, 0);
    ck_assert_uint_eq(capacity, before);
    ck_assert_int_eq(array[4999], 4999);
    alcore__free(ctx, array);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(buffers_hold_text) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    alcore__buffer buffer = {0};
    char word[400];
    memset(word, 'w', sizeof word);
    word[399] = 0;
    ck_assert_int_eq(alcore__buffer_append(ctx, &buffer, NULL, 0), ALCORE_OK);
    ck_assert_str_eq(buffer.data, "");
    ck_assert_int_eq(alcore__buffer_append(ctx, &buffer, "ab", 2), ALCORE_OK);
    ck_assert_int_eq(alcore__buffer_format(ctx, &buffer, "%d:%s", 7, word), ALCORE_OK);
    ck_assert_uint_eq(buffer.length, 4 + 399);
    ck_assert_uint_eq(strlen(buffer.data), buffer.length);
    ck_assert_int_eq(strncmp(buffer.data, "ab7:w", 5), 0);
    fault_arm(&fault, 1, 1);
    while (alcore__buffer_format(ctx, &buffer, "%s", word) == ALCORE_OK) continue;
    ck_assert_uint_eq(strlen(buffer.data), buffer.length);
    fault_arm(&fault, 0, 0);
    alcore__buffer_clear(ctx, &buffer);
    ck_assert_ptr_null(buffer.data);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(arena_texts_never_move) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    alcore__arena arena = {0};
    enum { TEXTS = 3000 };
    static unsigned char *texts[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        size_t bytes = i % 100 == 99 ? 50000 : 1 + i % 61, align = (size_t)1 << i % 6;
        texts[i] = alcore__arena_alloc(ctx, &arena, bytes, align);
        ck_assert_ptr_nonnull(texts[i]);
        ck_assert_uint_eq((uintptr_t)texts[i] % align, 0);
        memset(texts[i], (int)(i % 251), bytes);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        size_t bytes = i % 100 == 99 ? 50000 : 1 + i % 61;
        size_t same = 0;
        while (same < bytes && texts[i][same] == i % 251) same++;
        ck_assert_uint_eq(same, bytes);
    }
    ck_assert_ptr_null(alcore__arena_alloc(ctx, &arena, SIZE_MAX - 8, 8));
    ck_assert_uint_gt(arena.bytes, 30 * 50000);
    ck_assert_uint_lt(arena.bytes, 30 * 50000 + 1000000);
    alcore__arena_clear(ctx, &arena);
    ck_assert_ptr_null(arena.chunk);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

START_TEST(without_a_context_memory_is_malloc) {
    char *block = alcore__realloc(NULL, alcore__calloc(NULL, 3, 3), 40);
    for (int i = 0; i < 9; i++) ck_assert_int_eq(block[i], 0);
    alcore__free(NULL, block);
}
END_TEST

CHECK_SUITE("memory", every_byte_is_given_back, overflow_is_out_of_memory, fresh_memory_is_touched,
            arrays_grow_and_keep_their_numbers, buffers_hold_text, arena_texts_never_move,
            without_a_context_memory_is_malloc);
