/* SPDX-License-Identifier: Apache-2.0 */
/* Near-duplicates: which texts are near, that their outlines may be, and that they share a key. */
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "text/near_words.h"
#include "text/text_content.h"

enum { MOST = 64 };

typedef struct listed {
    uint64_t words[MOST];
    uint32_t parts[2 * MOST + 1];
    alcore__near_parts near;
} listed;

static void list_text(const char *text, listed *out) {
    alcore__text_content content;
    ck_assert_uint_lt(strlen(text), MOST);
    alcore__text_content_read(text, strlen(text), out->words, NULL, &content);
    ck_assert_int_ge(content.words, 1);
    out->near.count = alcore__near_list(out->words, content.words, out->parts);
    out->near.parts = out->parts;
    out->near.unspaced = content.unspaced * 2 >= content.words;
}

static const struct {
    const char *a, *b;
    bool near;
} pairs[] = {
    {"Open the file in a new window", "Open this file in a new window", true}, /* 12 of 18 */
    {"Open the file in your window", "Open this file in your window", false},  /* 10 of 16 */
    {"Copy the file", "Move the file", false},
    {"Copy all files", "Copy all files now", false},              /* 6 of 10 */
    {"Unable to parse file", "Unable to parse XML file", true},   /* 8 of 12 */
    {"Could not open %s now", "could NOT open the 12 now", true}, /* numbers are no words */
    {"a b c d e f g h", "h g f e d c b a", false},                /* the order counts */
    {"Delete a row", "Delete a row", true},
    {"one two three four five six seven", "eight nine ten eleven twelve and so on", false},
    /* One of 13 and one of 16 Han letters differ: two thirds and five sixths are in both. */
    {"打开文件在新的窗口里面吧好", "打关文件在新的窗口里面吧好", false},
    {"打开文件在新的窗口里面吧好可以了", "打关文件在新的窗口里面吧好可以了", true},
};

START_TEST(texts_are_near) {
    listed a, b;
    list_text(pairs[_i].a, &a);
    list_text(pairs[_i].b, &b);
    ck_assert_int_eq(alcore__near_same(&a.near, &b.near), pairs[_i].near);
    ck_assert_int_eq(alcore__near_same(&b.near, &a.near), pairs[_i].near);
    ck_assert(alcore__near_same(&a.near, &a.near));
}
END_TEST

/* Random texts of up to 100 parts, and others that have most of them: outlines never tell near ones
 * apart, and most others; those of texts of 127 parts or more tell nothing apart. */
START_TEST(outlines_of_near_texts) {
    enum { TRIALS = 20000, PARTS = 100 };
    int near = 0, others = 0, told = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, 7);
    for (int t = 0; t < TRIALS; t++) {
        uint32_t parts[2][PARTS];
        alcore__near_parts texts[2];
        const uint32_t first = (uint32_t)alcore__rng_below(&rng, 1 << 24);
        const uint32_t kept = 1 + (uint32_t)alcore__rng_below(&rng, 20);
        for (int i = 0; i < 2; i++) {
            texts[i] = (alcore__near_parts){.parts = parts[i], .unspaced = t % 7 == i};
            const uint32_t most = 10 + (uint32_t)alcore__rng_below(&rng, PARTS - 10);
            for (uint32_t p = 0; texts[i].count < most; p++) {
                uint32_t part = first + p * 2097169;
                if (alcore__rng_below(&rng, kept) == 0) part += (uint32_t)(i + 1) * 262147;
                parts[i][texts[i].count++] = part;
            }
        }
        const bool same = alcore__near_same(&texts[0], &texts[1]);
        const uint64_t a = alcore__near_outline(&texts[0]), b = alcore__near_outline(&texts[1]);
        near += same;
        others += !same;
        told += !alcore__near_may(a, b);
        ck_assert_int_eq(alcore__near_may(a, b), alcore__near_may(b, a));
        ck_assert_msg(!same || alcore__near_may(a, b), "trial %d", t);
    }
    ck_assert_int_gt(near, TRIALS / 20);
    ck_assert_int_gt(told, others / 2);
    uint32_t many[ALCORE__NEAR_MANY] = {0};
    const alcore__near_parts full = {.parts = many, .count = ALCORE__NEAR_MANY};
    const alcore__near_parts one = {.parts = many, .count = 1};
    ck_assert(alcore__near_may(alcore__near_outline(&full), alcore__near_outline(&one)));
}
END_TEST

START_TEST(parts_rise_and_are_distinct) {
    uint64_t words[3000];
    uint32_t parts[2 * 3000 + 1];
    for (int count = 1; count <= 3000; count = count * 3 / 2 + 1) {
        for (int i = 0; i < count; i++) words[i] = alcore__scramble((uint64_t)(i % 1000) + 1);
        const uint32_t written = alcore__near_list(words, count, parts);
        for (uint32_t i = 1; i < written; i++) ck_assert_uint_lt(parts[i - 1], parts[i]);
        /* Words, pairs in which one follows another, and those of both ends; the hashes of 32 bits
         * of so few never collide. */
        const int64_t distinct = count < 1000 ? count : 1000;
        ck_assert_int_eq(written, 2 * distinct + 1 + (count > 1000));
    }
}
END_TEST

/* Whether a text of `count` random words has a key of one that has `kept` of them and others. */
static bool share_a_key(alcore__rng *rng, int count, int kept) {
    uint64_t words[MOST];
    uint32_t first[ALCORE__NEAR_KEYS], second[ALCORE__NEAR_KEYS];
    for (int i = 0; i < count; i++) words[i] = alcore__rng_u64(rng);
    alcore__near_keys(words, count, first);
    for (int i = kept; i < count; i++) words[i] = alcore__rng_u64(rng);
    alcore__near_keys(words, count, second);
    for (int i = 0; i < ALCORE__NEAR_KEYS; i++)
        if (first[i] == second[i]) return true;
    return false;
}

/* 1 - (1 - s^3)^6 of those that share s of their words: 0.96 for 6 of 8, 0.10 for 5 of 19. */
START_TEST(near_texts_share_keys) {
    enum { TRIALS = 2000 };
    int near = 0, far = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int t = 0; t < TRIALS; t++) {
        near += share_a_key(&rng, 7, 6);
        far += share_a_key(&rng, 12, 5);
    }
    ck_assert_double_eq_tol((double)near / TRIALS, 0.96, 0.02);
    ck_assert_double_eq_tol((double)far / TRIALS, 0.10, 0.03);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("near_words");
    tcase_add_loop_test(cases, texts_are_near, 0, sizeof pairs / sizeof *pairs);
    tcase_add_test(cases, outlines_of_near_texts);
    tcase_add_test(cases, parts_rise_and_are_distinct);
    tcase_add_test(cases, near_texts_share_keys);
    return check_suite_run("text/near_words", cases);
}
