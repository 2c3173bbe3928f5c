/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to questions: the vectors of the specification, SQuAD's measure as transformers has it
 * (make_peer_cases.py), offsets and texts that cannot be. */
#include "check_suite.h"

#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "vectors.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    return ctx;
}

START_TEST(test_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-METRICS");
    int seen = 0;
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        if (strncmp(one.name, "QA ", 3) != 0) continue;
        const char *predicted = vector_text(vector_input(&one, "predicted"));
        const char *gold = vector_text(vector_input(&one, "gold"));
        alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
        ck_assert_int_eq(alcore_metric_compute_answers(ctx, &gold, NULL, 1, NULL, 0, &predicted,
                                                       NULL, 1, NULL, &score),
                         ALCORE_OK);
        ck_assert_double_eq_tol(score.exact_match,
                                100 * vector_double(vector_expected(&one, "exact")), 1e-9);
        ck_assert_double_eq_tol(score.f1, 100 * vector_double(vector_expected(&one, "f1")), 1e-9);
        seen++;
    }
    ck_assert_int_eq(seen, 3);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Each question by itself, then all as one data set. */
START_TEST(test_squad) {
    enum { MOST = 1000 };
    static const char *predicted[MOST], *gold[4 * MOST];
    static int64_t offsets[MOST + 1];
    json_error_t error;
    json_t *all = json_load_file(PEER_CASES, 0, &error), *row, *text;
    ck_assert_msg(all, "%s", error.text);
    alcore_ctx *ctx = new_ctx();
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    double exact = 0, f1 = 0;
    size_t i, k;
    int64_t count = 0;
    json_array_foreach(json_object_get(all, "questions"), i, row) {
        predicted[i] = vector_text(json_object_get(row, "predicted"));
        json_array_foreach(json_object_get(row, "gold"), k, text) {
            gold[count++] = vector_text(text);
        }
        offsets[i + 1] = count;
        const int64_t one[2] = {0, count - offsets[i]};
        ck_assert_int_eq(alcore_metric_compute_answers(ctx, gold + offsets[i], NULL, one[1], one, 2,
                                                       predicted + i, NULL, 1, NULL, &score),
                         ALCORE_OK);
        const json_t *expected = json_object_get(row, "scores");
        ck_assert_msg(score.exact_match == 100 * json_number_value(json_array_get(expected, 0)),
                      "%s: exact match %g", predicted[i], score.exact_match);
        ck_assert_msg(fabs(score.f1 - 100 * json_number_value(json_array_get(expected, 1))) < 1e-9,
                      "%s: F1 %g", predicted[i], score.f1);
        exact += score.exact_match;
        f1 += score.f1;
    }
    ck_assert_uint_ge(i, 100);
    ck_assert_int_eq(alcore_metric_compute_answers(ctx, gold, NULL, count, offsets, (int64_t)i + 1,
                                                   predicted, NULL, (int64_t)i, NULL, &score),
                     ALCORE_OK);
    ck_assert_double_eq_tol(score.exact_match, exact / (double)i, 1e-9);
    ck_assert_double_eq_tol(score.f1, f1 / (double)i, 1e-9);
    ck_assert_int_eq(score.questions, (int64_t)i);
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx();
    const char *const texts[] = {"a", "b", "c"}, *const hole[] = {"a", NULL};
    const int64_t good[] = {0, 1, 3}, gap[] = {0, 0, 3}, late[] = {1, 2, 3}, soon[] = {0, 1, 2},
                  *none = NULL;
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
#define ANSWERS(p, n, g, m, offsets)                                                               \
    alcore_metric_compute_answers(ctx, g, NULL, m, offsets, (offsets) == none ? 0 : (n) + 1, p,    \
                                  NULL, n, NULL, &score)
    ck_assert_int_eq(ANSWERS(texts, 2, texts, 3, good), ALCORE_OK);
    ck_assert_int_eq(score.exact, 2); /* the first article of each is all that it has */
    ck_assert_int_eq(ANSWERS(texts, 2, texts, 3, none), ALCORE_E_SHAPE);
    ck_assert_int_eq(ANSWERS(texts, 2, texts, 3, gap), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "question 1 has no gold answer"));
    ck_assert_int_eq(ANSWERS(texts, 2, texts, 3, late), ALCORE_E_SHAPE);
    ck_assert_int_eq(ANSWERS(texts, 2, texts, 3, soon), ALCORE_E_SHAPE);
    ck_assert_int_eq(
        alcore_metric_compute_answers(ctx, texts, NULL, 3, good, 2, texts, NULL, 2, NULL, &score),
        ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "one more is needed"));
    ck_assert_int_eq(
        alcore_metric_compute_answers(ctx, texts, NULL, 2, NULL, 3, texts, NULL, 2, NULL, &score),
        ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "gold_offset_count is 3 without"));
    ck_assert_int_eq(ANSWERS(texts, -1, texts, 3, none), ALCORE_E_INVALID);
    ck_assert_int_eq(ANSWERS(hole, 2, texts, 2, none), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "predicted answer 2"));
    ck_assert_int_eq(ANSWERS(texts, 2, hole, 2, none), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "gold answer 2"));
    ck_assert_int_eq(ANSWERS(NULL, 0, NULL, 0, none), ALCORE_OK);
    ck_assert_double_nan(score.f1);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_answers", test_vectors, test_squad, test_wrong_arguments);
