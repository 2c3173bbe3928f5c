/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens that are kept of texts are those that the texts have, whatever their rows and numbers. */
#include <string.h>

#include "alcore/alcore.h"
#include "alcore/sys/kernel.h"
#include "check_status.h"
#include "check_suite.h"
#include "text/kept_tokens.h"
#include "text/text_ngrams.h"
#include "text/text_tokens.h"

enum { MOST = 256, SLOTS = 2048, ORDERS = 3 };

/* A text of n words or numbers by turns; of few tokens where a word goes on behind each sign, so
 * that more of them have room than there are. */
static size_t make_text(int n, bool few, char out[2 * MOST]) {
    for (int i = 0; i < n; i++)
        memcpy(out + 2 * i, few ? "a_" : (char[]){i % 3 ? '0' : (char)('a' + i % 26), ' '}, 2);
    return (size_t)(2 * n);
}

/* Keeps a text as row `row`. */
static void keep(alcore_ctx *ctx, alcore__kept_tokens *kept, int64_t row, const char *text,
                 size_t length) {
    alcore__token_reader reader = {.text = text, .length = length};
    alcore__token_room room;
    int64_t count = 0;
    ck_assert_ok(
        alcore__kept_tokens_begin(ctx, kept, row, alcore__text_tokens_most(text, length), &room));
    for (; alcore__token_next(&reader); count++)
        alcore__token_put(&room, count, reader.hash, reader.kind == ALCORE__TOKEN_WORD);
    ck_assert_int_le(count, room.most);
    alcore__kept_tokens_end(kept, row, &room, count);
}

/* The n-grams of the kept row are those of the text. */
static void check_row(const alcore__kept_tokens *kept, int64_t row, const char *text,
                      size_t length) {
    const alcore__read_tokens tokens = alcore__kept_tokens_of(kept, row);
    uint64_t seen[SLOTS] = {0}, of_text[ORDERS * MOST], of_tokens[ORDERS * MOST];
    int64_t read;
    const int64_t count = alcore__text_ngrams(text, length, ORDERS, of_text, seen, &read);
    ck_assert_int_eq(tokens.count, read);
    if (read == 0) return;
    ck_assert_int_eq(
        alcore__tokens_ngrams(tokens.words, tokens.hashes, tokens.count, ORDERS, of_tokens, seen),
        count);
    ck_assert_mem_eq(of_tokens, of_text, (size_t)count * sizeof *of_text);
}

/* Rows of the first and of a later block: row i has i tokens, every seventh was not read. */
START_TEST(kept_tokens_are_those_of_the_texts) {
    enum { BLOCK = ALCORE_BLOCK_ROWS };
    const int64_t first = _i == 0 ? 0 : BLOCK, rows = first + MOST / 2 + 7;
    alcore_ctx *ctx;
    alcore__kept_tokens kept;
    char text[2 * MOST];
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__kept_tokens_new(ctx, rows, SIZE_MAX, &kept));
    for (int64_t row = 0; row < rows; row++) {
        const int n = (int)(row - first);
        if (n < 0 || n % 7 == 6)
            alcore__kept_tokens_end(&kept, row, NULL /* it was not begun */, 0);
        else
            keep(ctx, &kept, row, text, make_text(n, n % 5 == 0, text));
    }
    for (int64_t block = 0; block * BLOCK < rows; block++)
        ck_assert_ok(alcore__kept_tokens_close(ctx, &kept, block));
    for (int64_t row = 0; row < rows; row++) {
        const int n = (int)(row - first);
        const bool read = n >= 0 && n % 7 != 6;
        check_row(&kept, row, text, read ? make_text(n, n % 5 == 0, text) : 0);
    }
    alcore__kept_tokens_drop(ctx, &kept, first / BLOCK);
    ck_assert_int_eq(alcore__kept_tokens_of(&kept, rows - 1).count, 0);
    alcore__kept_tokens_clear(ctx, &kept);
    ck_assert_int_eq(kept.rows, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Where the first block has used the bytes that are there, the second one is dropped. */
START_TEST(kept_tokens_end_at_their_limit) {
    static const size_t limits[] = {16, 17, 0};
    for (int l = 0; l < 3; l++) {
        alcore_ctx *ctx;
        alcore__kept_tokens kept;
        ck_assert_ok(alcore_ctx_new(NULL, &ctx));
        ck_assert_ok(alcore__kept_tokens_new(ctx, ALCORE_BLOCK_ROWS + 1, limits[l], &kept));
        keep(ctx, &kept, 0, "a", 1);
        for (int64_t row = 1; row < ALCORE_BLOCK_ROWS; row++)
            alcore__kept_tokens_end(&kept, row, NULL /* it was not begun */, 0);
        ck_assert_ok(alcore__kept_tokens_close(ctx, &kept, 0));
        keep(ctx, &kept, ALCORE_BLOCK_ROWS, "a b", 3);
        ck_assert_ok(alcore__kept_tokens_close(ctx, &kept, 1));
        ck_assert_int_eq(alcore__kept_tokens_of(&kept, 0).count, limits[l] > 0);
        ck_assert_int_eq(alcore__kept_tokens_of(&kept, ALCORE_BLOCK_ROWS).count,
                         limits[l] > 16 ? 2 : 0);
        alcore__kept_tokens_clear(ctx, &kept);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("kept_tokens");
    tcase_add_loop_test(cases, kept_tokens_are_those_of_the_texts, 0, 2);
    tcase_add_test(cases, kept_tokens_end_at_their_limit);
    return check_suite_run("text/kept_tokens", cases);
}
