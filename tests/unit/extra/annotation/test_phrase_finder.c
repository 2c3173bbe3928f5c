/* SPDX-License-Identifier: Apache-2.0 */
/* The phrase finder against looking at every position of every phrase. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "extra/annotation/phrase_finder.h"

enum { PHRASES = 12, MAX_HITS = 400 };

typedef struct hit_list {
    alcore__phrase_hit hits[MAX_HITS];
    int count;
} hit_list;

static alcore_status add_hit(void *user, const alcore__phrase_hit *hit) {
    hit_list *list = user;
    ck_assert_int_lt(list->count, MAX_HITS);
    list->hits[list->count++] = *hit;
    return ALCORE_OK;
}

/* Up to `longest` words of "a", "b" and "cc" with spaces of all kinds around them. */
static void random_text(alcore__rng *rng, uint64_t shortest, uint64_t longest, bool plain,
                        char *out) {
    static const char *const words[] = {"a", "b", "cc"};
    static const char *const spaces[] = {" ", "  ", "\t", " \n ", "\r"};
    const uint64_t count = shortest + alcore__rng_below(rng, longest - shortest + 1);
    *out = '\0';
    for (uint64_t i = 0; i < count; i++)
        out += sprintf(out, "%s%s",
                       i == 0  ? ""
                       : plain ? " "
                               : spaces[alcore__rng_below(rng, 5)],
                       words[alcore__rng_below(rng, 3)]);
}

static void split(const char *text, char words[][4], int *count) {
    char copy[512];
    *count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = strtok(copy, " \t\r\n"); at; at = strtok(NULL, " \t\r\n"))
        strcpy(words[(*count)++], at);
}

START_TEST(random_texts) {
    alcore__rng rng;
    int total = 0;
    alcore__rng_seed(&rng, 3);
    for (int run = 0; run < 300; run++) {
        alcore__phrase_finder finder = {0};
        alcore__word_row row = {0};
        char phrases[PHRASES][64], distinct[PHRASES][64];
        uint32_t count = 0;
        for (int p = 0; p < PHRASES; p++) {
            uint32_t number;
            random_text(&rng, 1, 4, true, phrases[p]);
            ck_assert_int_eq(alcore__phrase_finder_add(NULL, &finder, &row, phrases[p],
                                                       strlen(phrases[p]), &number),
                             ALCORE_OK);
            uint32_t expected = 0;
            while (expected < count && strcmp(distinct[expected], phrases[p]) != 0) expected++;
            if (expected == count) strcpy(distinct[count++], phrases[p]);
            ck_assert_uint_eq(number, expected);
        }
        char text[512], words[40][4];
        int word_count;
        hit_list list = {.count = 0};
        random_text(&rng, 0, 30, false, text);
        split(text, words, &word_count);
        ck_assert_int_eq(alcore__word_row_read(NULL, &row, text, strlen(text)), ALCORE_OK);
        ck_assert_int_eq(row.count, word_count);
        ck_assert_int_eq(alcore__phrase_finder_scan(&finder, &row, add_hit, &list), ALCORE_OK);
        int next = 0;
        for (int at = 0; at < word_count; at++)
            for (int length = 1; length <= 4 && at + length <= word_count; length++)
                for (uint32_t p = 0; p < count; p++) {
                    char own[4][4], joined[32] = "";
                    int own_count;
                    split(distinct[p], own, &own_count);
                    if (own_count != length) continue;
                    for (int i = 0; i < length; i++) {
                        if (i > 0) strcat(joined, " ");
                        strcat(joined, words[at + i]);
                    }
                    if (strcmp(joined, distinct[p]) != 0) continue;
                    ck_assert_int_lt(next, list.count);
                    ck_assert_uint_eq(list.hits[next].phrase, p);
                    ck_assert_int_eq(list.hits[next].word, at);
                    ck_assert_uint_eq(list.hits[next].words, (uint32_t)length);
                    next++;
                }
        ck_assert_int_eq(next, list.count);
        total += next;
        alcore__phrase_finder_clear(NULL, &finder);
        alcore__word_row_clear(NULL, &row);
    }
    ck_assert_int_gt(total, 1000);
}
END_TEST

START_TEST(limits) {
    alcore__phrase_finder finder = {0};
    alcore__word_row row = {0};
    char text[200] = "";
    uint32_t number;
    hit_list list = {.count = 0};
    for (int i = 0; i < ALCORE__FINDER_WORDS; i++) strcat(text, "w ");
    ck_assert_int_eq(alcore__phrase_finder_add(NULL, &finder, &row, "", 0, &number), ALCORE_E_DATA);
    ck_assert_int_eq(alcore__phrase_finder_add(NULL, &finder, &row, text, strlen(text), &number),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__word_row_read(NULL, &row, text, strlen(text)), ALCORE_OK);
    ck_assert_int_eq(alcore__phrase_finder_scan(&finder, &row, add_hit, &list), ALCORE_OK);
    ck_assert_int_eq(list.count, 1);
    strcat(text, "w");
    ck_assert_int_eq(alcore__phrase_finder_add(NULL, &finder, &row, text, strlen(text), &number),
                     ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "65 words; 64 are allowed"));
    ck_assert_int_eq(alcore__word_row_read(NULL, &row, " ", 1), ALCORE_OK);
    ck_assert_int_eq(row.count, 0);
    alcore__phrase_finder_clear(NULL, &finder);
    alcore__word_row_clear(NULL, &row);
}
END_TEST

CHECK_SUITE("mix/phrase_finder", random_texts, limits);
