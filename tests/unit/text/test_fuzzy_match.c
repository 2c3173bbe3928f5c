/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzy matches: the values of a published package, and that the best match of a memory is the one
 * that comparing with each of its texts finds. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "text/fuzzy_match.h"

/* The best match of a text in texts [count]. */
static double best_of(const char *const *texts, int64_t count, const char *text, double least,
                      double enough) {
    alcore__fuzzy_memory memory = {0};
    alcore__fuzzy_work work = {0};
    double found;
    for (int64_t i = 0; i < count; i++)
        ck_assert_ok(alcore__fuzzy_add(NULL, &memory, texts[i], strlen(texts[i])));
    ck_assert_ok(alcore__fuzzy_finish(NULL, &memory, least));
    ck_assert_ok(alcore__fuzzy_best(NULL, &memory, &work, text, strlen(text), enough, &found));
    alcore__fuzzy_work_clear(NULL, &work);
    alcore__fuzzy_clear(NULL, &memory);
    return found;
}

/* RapidFuzz 3.14.3: 100 * Levenshtein.normalized_similarity(a.split(), b.split()). */
static const struct {
    const char *a, *b;
    double match;
} pairs[] = {
    {"the patient has severe headache", "the patient meals with severe headache",
     66.66666666666667},
    {"the patient has severe headache", "the patient has severe headache", 100.0},
    {"the patient has severe headache", "the patient before has severe headache",
     83.33333333333334},
    {"the patient has severe headache", "the patient has severe", 80.0},
    {"the patient has severe headache", "the patient has severe headache", 100.0},
    {"two doses of a medicine per day", "two doses of a medicine treated per day", 87.5},
    {"two doses of a medicine per day", "two day a medicine per day", 71.42857142857143},
    {"two doses of a medicine per day", "the two doses of a medicine per day", 87.5},
    {"two doses of a medicine per day", "two was doses of a medicine per day", 87.5},
    {"two doses of a medicine per day", "two of a medicine per treated", 71.42857142857143},
    {"the patient was treated with a medicine before meals",
     "the patient was medicine with a medicine before meals", 88.88888888888889},
    {"the patient was treated with a medicine before meals",
     "the patient two was treated with per a medicine before meals", 81.81818181818181},
    {"the patient was treated with a medicine before meals",
     "the patient was treated with a medicine before meals", 100.0},
    {"the patient was treated with a medicine before meals",
     "patient was treated with a has before meals", 77.77777777777779},
    {"the patient was treated with a medicine before meals",
     "the patient was treated a before meals", 77.77777777777779},
    {"per day", "per", 50.0},
    {"per day", "per the day", 66.66666666666667},
    {"per day", "a", 0.0},
    {"per day", "day treated day day", 25.0},
    {"per day", "per", 50.0},
};

START_TEST(values_of_rapidfuzz) {
    ck_assert_double_eq_tol(best_of(&pairs[_i].a, 1, pairs[_i].b, 1, 100), pairs[_i].match, 1e-9);
    ck_assert_double_eq_tol(best_of(&pairs[_i].b, 1, pairs[_i].a, 1, 100), pairs[_i].match, 1e-9);
    /* What is below the least match is not found. */
    const double found = best_of(&pairs[_i].a, 1, pairs[_i].b, 75, 100);
    ck_assert_double_eq_tol(found, pairs[_i].match < 75 ? 0 : pairs[_i].match, 1e-9);
}
END_TEST

/* Case, the digits of numbers and white space say nothing, signs are tokens. */
START_TEST(what_tokens_are) {
    const char *const text = "Save the file 12 times.";
    ck_assert_double_eq(best_of(&text, 1, "save  THE file 99 times .", 50, 100), 100);
    ck_assert_double_eq_tol(best_of(&text, 1, "Save the file 12 times", 50, 100), 100.0 * 5 / 6,
                            1e-9);
    ck_assert_double_eq(best_of(&text, 1, "", 50, 100), 0);
    ck_assert_double_eq(best_of(NULL, 0, "Save", 50, 100), 0);
    const char *const none = "  ";
    ck_assert_double_eq(best_of(&none, 1, " ", 50, 100), 0);
    const char *const han = "\xE6\x89\x93\xE5\xBC\x80\xE6\x96\x87\xE4\xBB\xB6";
    ck_assert_double_eq_tol(best_of(&han, 1, "\xE6\x89\x93\xE5\xBC\x80\xE6\x96\x87", 50, 100), 75,
                            1e-9);
}
END_TEST

/* A text of up to 9 words of a small vocabulary, in which some are frequent. */
static void draw_text(alcore__rng *rng, char out[64]) {
    const int words = (int)alcore__rng_below(rng, 10);
    *out = '\0';
    for (int i = 0; i < words; i++) {
        const int letter = (int)(alcore__rng_below(rng, 12) * alcore__rng_below(rng, 12) / 11);
        sprintf(out + strlen(out), "%s%c%c", i > 0 ? " " : "", 'a' + letter, 'a' + letter);
    }
}

START_TEST(the_best_match_is_found) {
    enum { TEXTS = 60, QUERIES = 60 };
    static char texts[TEXTS][64];
    const char *list[TEXTS];
    alcore__rng rng;
    const double least = (double[]){50, 60, 75, 90, 99, 100}[_i % 6];
    alcore__rng_seed(&rng, (uint64_t)_i + 1);
    for (int i = 0; i < TEXTS; i++) {
        draw_text(&rng, texts[i]);
        list[i] = texts[i];
    }
    for (int q = 0; q < QUERIES; q++) {
        char query[64];
        double best = 0;
        draw_text(&rng, query);
        for (int i = 0; i < TEXTS; i++) {
            const double one = best_of(&list[i], 1, query, 1, 100);
            if (one > best) best = one;
        }
        const double found = best_of(list, TEXTS, query, least, 100);
        ck_assert_double_eq_tol(found, best < least ? 0 : best, 1e-9);
        ck_assert(best < least ? best_of(list, TEXTS, query, least, least) == 0
                               : best_of(list, TEXTS, query, least, least) >= least);
    }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("fuzzy_match");
    tcase_add_loop_test(cases, values_of_rapidfuzz, 0, sizeof pairs / sizeof *pairs);
    tcase_add_test(cases, what_tokens_are);
    tcase_add_loop_test(cases, the_best_match_is_found, 0, 30);
    return check_suite_run("fuzzy_match", cases);
}
