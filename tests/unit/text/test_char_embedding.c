/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of character n-grams: the documented formula written once more, that like texts are
 * near, and what is learnt. Rows of many texts are in test_char_rows.c. */
#include <math.h>
#include <string.h>

#include "char_bed.h"
#include "check_suite.h"

#define DIMS ALCORE__CHAR_DEFAULT_DIMS

static double dot(const float *a, const float *b, int dims) {
    double sum = 0;
    for (int j = 0; j < dims; j++) sum += (double)a[j] * (double)b[j];
    return sum;
}

START_TEST(the_formula) {
    static const int sizes[] = {1, 5, 8, 19, 256};
    const int dims = sizes[_i];
    const char *texts[] = {"the the", "th\xc3\xa9", "other", "a"};
    alcore__char_embedder *embedder = char_learnt(dims, 7, texts, 4);
    alcore__char_embedder_finish(embedder);
    const double once = 1 + log(5.0 / 2), twice = 1 + log(5.0 / 3), never = 1 + log(5.0);
    double sum[256] = {0};
    /* "the th\xc3\xa9 a bc" */
    static const struct {
        const char *gram;
        int texts;
    } grams[] = {{" th", 2},          {" the", 1},       {" the ", 1},       {"the", 2},
                 {"the ", 1},         {"he ", 1},        {" th", 2},         {" th\xc3\xa9", 1},
                 {" th\xc3\xa9 ", 1}, {"th\xc3\xa9", 1}, {"th\xc3\xa9 ", 1}, {"h\xc3\xa9 ", 1},
                 {" a ", 1},          {" bc", 0},        {" bc ", 0},        {"bc ", 0}};
    for (size_t i = 0; i < sizeof grams / sizeof grams[0]; i++)
        char_add(sum, dims, 7, grams[i].gram,
                 grams[i].texts == 0   ? never
                 : grams[i].texts == 1 ? once
                                       : twice);
    double square = 0;
    for (int j = 0; j < dims; j++) square += sum[j] * sum[j];
    float row[256];
    char_embed(embedder, "the th\xc3\xa9\ta\n bc ", row);
    for (int j = 0; j < dims; j++)
        ck_assert_float_eq(row[j], square > 0 ? (float)(sum[j] / sqrt(square)) : 0);
    alcore__char_embedder_free(embedder);
}
END_TEST

static const char *const menus[] = {
    "Open the file in a new window",  "Close the window without saving the file",
    "Save the file under a new name", "Print the file that is open in this window",
    "The file could not be opened",   "Do you want to save the open file?",
    "Reload the file in this window", "Close all windows and save all files"};
static const char *const weather[] = {
    "Heavy rain is expected in the northern hills", "Light rain and strong wind near the coast",
    "Sunny with a few clouds in the afternoon",     "Strong winds bring heavy clouds and rain",
    "Snow falls on the hills above the coast",      "Rainy morning, sunny afternoon near the hills",
    "Clouds and light snow in the north",           "The wind turns north, snow is expected"};

START_TEST(like_texts_are_near) {
    alcore__char_embedder *embedder = char_learnt(DIMS, (uint64_t)_i, menus, 8);
    for (int i = 0; i < 8; i++)
        alcore__char_embedder_learn(embedder, weather[i], strlen(weather[i]));
    alcore__char_embedder_finish(embedder);
    static float rows[16][DIMS];
    for (int i = 0; i < 8; i++) char_embed(embedder, menus[i], rows[i]);
    for (int i = 0; i < 8; i++) char_embed(embedder, weather[i], rows[8 + i]);
    double within = 0, between = 0;
    for (int i = 0; i < 16; i++) {
        ck_assert_double_eq_tol(dot(rows[i], rows[i], DIMS), 1.0, 1e-6);
        for (int k = 0; k < i; k++)
            *(i / 8 == k / 8 ? &within : &between) += dot(rows[i], rows[k], DIMS);
    }
    ck_assert_double_gt(within / 56, 1.5 * between / 64);
    alcore__char_embedder_free(embedder);
}
END_TEST

START_TEST(learning_in_parts_is_the_same) {
    alcore__char_embedder *whole = char_learnt(DIMS, 3, menus, 8),
                          *first = char_learnt(DIMS, 3, menus, 3),
                          *rest = char_learnt(DIMS, 3, menus + 3, 3);
    alcore__char_embedder_merge(first, rest);
    for (int i = 6; i < 8; i++) alcore__char_embedder_learn(first, menus[i], strlen(menus[i]));
    alcore__char_embedder_finish(whole);
    alcore__char_embedder_finish(first);
    for (int i = 0; i < 8; i++) {
        float a[DIMS], b[DIMS];
        char_embed(whole, menus[i], a);
        char_embed(first, menus[i], b);
        ck_assert_mem_eq(a, b, sizeof a);
    }
    alcore__char_embedder_free(whole);
    alcore__char_embedder_free(first);
    alcore__char_embedder_free(rest);
}
END_TEST

START_TEST(seeds_and_empty_texts) {
    alcore__char_embedder *one = char_learnt(DIMS, 1, menus, 8),
                          *two = char_learnt(DIMS, 2, menus, 8);
    alcore__char_embedder_finish(one);
    alcore__char_embedder_finish(two);
    float a[DIMS], b[DIMS];
    char_embed(one, menus[0], a);
    char_embed(two, menus[0], b);
    ck_assert_double_lt(fabs(dot(a, b, DIMS)), 0.5);
    char_embed(one, " \t\r\n", a);
    char_embed(one, "", b);
    for (int j = 0; j < DIMS; j++) {
        ck_assert_float_eq(a[j], 0);
        ck_assert_float_eq(b[j], 0);
    }
    char_embed(one, "\x80\x80 \xff", a); /* not UTF-8: still a vector */
    ck_assert_double_eq_tol(dot(a, a, DIMS), 1.0, 1e-6);
    alcore__char_embedder_free(one);
    alcore__char_embedder_free(two);
    alcore__char_embedder *none = (alcore__char_embedder *)&none;
    ck_assert_int_eq(alcore__char_embedder_new(char_ctx, 0, 1, &none), ALCORE_E_PARAM);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(alcore__char_embedder_new(char_ctx, ALCORE__CHAR_MAX_DIMS + 1, 1, &none),
                     ALCORE_E_PARAM);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("char_embedding");
    tcase_add_checked_fixture(cases, char_setup, char_teardown);
    tcase_add_loop_test(cases, the_formula, 0, 5);
    tcase_add_loop_test(cases, like_texts_are_near, 0, 5);
    tcase_add_test(cases, learning_in_parts_is_the_same);
    tcase_add_test(cases, seeds_and_empty_texts);
    return check_suite_run("text/char_embedding", cases);
}
