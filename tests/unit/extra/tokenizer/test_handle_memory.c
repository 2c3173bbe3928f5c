/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers of alcore/extra/ promise of the memory of handles: tokens, tokenizers, links,
 * aligners and overlaps, each counted as the bytes that its release gives back. */
#include "check_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "check_status.h"
#include "fault_allocator.h"
#include "options_with.h"
#include "test_folder.h"

static fault_allocator counted;
static alcore_ctx *ctx;
static char path[TEST_PATH_BYTES];

static void setup(void) {
    static alcore_allocator allocator;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    allocator = fault_table(&counted);
    options.allocator = &allocator;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&counted.live_bytes), 0);
}

/* Bytes that releasing a handle gives back. */
#define BYTES_OF(release, handle)                                                                  \
    (before = atomic_load(&counted.live_bytes), release(handle),                                   \
     before - atomic_load(&counted.live_bytes))

/* A vocabulary of numbered words as its file, whose size goes to *bytes. */
static alcore_tokenizer *open_words(int words, long *bytes) {
    alcore_tokenizer *tokenizer;
    test_file_make(path, "words", ".json", "");
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":"
                  "\"WordLevel\",\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0");
    for (int i = 1; i < words; i++) fprintf(file, ",\"word%d\":%d", i, i);
    fputs("}}}", file);
    *bytes = ftell(file);
    fclose(file);
    ck_assert_ok(alcore_tokenizer_open(ctx, path, &tokenizer));
    unlink(path);
    return tokenizer;
}

/* 33 bytes a token and 8 bytes a text, and what does not depend on them. */
START_TEST(tokens) {
    enum { TEXTS = 5000 };
    static const char *texts[TEXTS];
    long long before, sizes[2];
    long bytes;
    alcore_tokenizer *tokenizer = open_words(50, &bytes);
    for (int i = 0; i < TEXTS; i++)
        texts[i] = i % 2 ? "word1 word2 word3" : "word4 nothing word6 word7 word8";
    for (int k = 0; k < 2; k++) {
        const int64_t count = k == 0 ? 1000 : TEXTS;
        alcore_tokens *made;
        ck_assert_ok(
            alcore_tokenizer_encode(tokenizer, texts, NULL, NULL, NULL, count, NULL, &made));
        sizes[k] = BYTES_OF(alcore_tokens_unref, made);
        ck_assert_int_le(sizes[k], 33 * 4 * count + 8 * count + 1024);
    }
    ck_assert_int_eq(sizes[1] - sizes[0], (33 * 4 + 8) * (TEXTS - 1000));
    alcore_tokenizer_unref(tokenizer);
}
END_TEST

/* Two to five times the file. */
START_TEST(tokenizers) {
    for (int words = 20000; words <= 80000; words *= 2) {
        long long before;
        long file;
        alcore_tokenizer *tokenizer = open_words(words, &file);
        const long long bytes = BYTES_OF(alcore_tokenizer_unref, tokenizer);
        ck_assert_int_ge(bytes, 2 * file);
        ck_assert_int_le(bytes, 5 * file);
    }
}
END_TEST

/* 8 bytes a link and 8 bytes a pair. */
START_TEST(links) {
    static const int64_t pairs[] = {1000, 7000};
    long long before, sizes[2];
    for (int k = 0; k < 2; k++) {
        alcore_links *made;
        test_file_make(path, "links", ".txt", "");
        FILE *file = fopen(path, "wb");
        ck_assert_ptr_nonnull(file);
        for (int64_t i = 0; i < pairs[k]; i++) fputs("0-0 1-1 2-2\n", file);
        fclose(file);
        ck_assert_ok(alcore_links_open(ctx, path, pairs[k], &made));
        sizes[k] = BYTES_OF(alcore_links_unref, made);
        unlink(path);
    }
    ck_assert_int_eq(sizes[1] - sizes[0], (8 * 3 + 8) * (pairs[1] - pairs[0]));
    ck_assert_int_le(sizes[0], (8 * 3 + 8) * pairs[0] + 1024);
}
END_TEST

enum { WORDS = 8, KINDS = 1000 };

/* Fills texts [count] with random words and counts the different pairs of words of one pair. */
static int64_t fill(char (*texts)[2][WORDS * 6], const char **views[2], int64_t count) {
    static char met[KINDS][KINDS];
    alcore__rng rng;
    int64_t different = 0;
    memset(met, 0, sizeof met);
    alcore__rng_seed(&rng, 1);
    for (int64_t i = 0; i < count; i++) {
        int words[2][WORDS];
        for (int side = 0; side < 2; side++) {
            char *end = texts[i][side];
            for (int w = 0; w < WORDS; w++) {
                words[side][w] = (int)alcore__rng_below(&rng, KINDS);
                end += sprintf(end, "%c%d ", side ? 't' : 's', words[side][w]);
            }
            views[side][i] = texts[i][side];
        }
        for (int a = 0; a < WORDS; a++)
            for (int b = 0; b < WORDS; b++) {
                char *cell = &met[words[0][a]][words[1][b]];
                different += !*cell;
                *cell = 1;
            }
    }
    return different;
}

/* 27 bytes for each different pair of words, 1 MB, and about 9 bytes a word of the training
 * pairs. */
START_TEST(aligners) {
    enum { PAIRS = 16000 };
    static char texts[PAIRS][2][WORDS * 6];
    static const char *sources[PAIRS], *targets[PAIRS];
    long long before;
    alcore_aligner *aligner;
    for (int64_t count = 4000; count <= PAIRS; count *= 2) {
        const int64_t different = fill(texts, (const char **[2]){sources, targets}, count);
        ck_assert_ok(
            alcore_aligner_new_trained(ctx, sources, NULL, targets, NULL, count, NULL, &aligner));
        const long long bytes = BYTES_OF(alcore_aligner_unref, aligner);
        const long long rest = bytes - 27 * different;
        ck_assert_msg(rest >= 0 && rest <= (3 << 19) + 9 * 2 * WORDS * count,
                      "%lld bytes, %lld different pairs", bytes, (long long)different);
    }
}
END_TEST

/* 60 to 100 bytes an n-gram, where words are short. */
START_TEST(overlaps) {
    char *text = malloc(100000 * 8);
    ck_assert_ptr_nonnull(text);
    for (int32_t order = 1; order <= 4; order++) {
        for (int words = 10000; words <= 100000; words = words * 3 / 2) {
            const char *views[] = {text};
            long long before;
            alcore_overlap *overlap;
            char *end = text;
            for (int i = 0; i < words; i++) end += sprintf(end, "w%05d ", i);
            ck_assert_ok(alcore_overlap_new(
                ctx, OPTIONS_WITH(alcore_overlap_options, .max_order = order), &overlap));
            ck_assert_ok(alcore_overlap_add(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, views,
                                            NULL, 1));
            const long long grams = (long long)order * words - order * (order - 1) / 2;
            const long long bytes = BYTES_OF(alcore_overlap_unref, overlap);
            ck_assert_msg(bytes >= 55 * grams && bytes <= 100 * grams + 4096,
                          "order %d, %d words: %.1f bytes", order, words,
                          (double)bytes / (double)grams);
        }
    }
    free(text);
}
END_TEST

CHECK_SUITE_WITH("handle memory", setup, teardown, tokens, tokenizers, links, aligners, overlaps);
