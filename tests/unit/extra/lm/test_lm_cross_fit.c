/* SPDX-License-Identifier: Apache-2.0 */
/* Cross-fitting (spec 6.5): counted once, estimated five times, and every number the one of a
 * training on the other four folds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "lm_calls.h"
#include "text/lm_trainer.h"
#include "vectors.h"

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static int32_t fold(const char *text) {
    return alcore__lm_fold(text, strlen(text));
}

static double total(const alcore_lm *lm, const char *text) {
    double total;
    const alcore__lm_text one = {text, strlen(text), NULL, &total};
    alcore__lm_tokens(lm, &one, 1);
    return total;
}

static alcore__lm_trainer *count(const char *const *texts, int64_t rows, int32_t order) {
    alcore__lm_trainer *trainer = NULL;
    ck_assert_int_eq(alcore__lm_trainer_new(ctx, order, ALCORE__LM_FOLDS, rows, &trainer),
                     ALCORE_OK);
    for (int64_t i = 0; i < rows; i++)
        ck_assert_int_eq(alcore__lm_trainer_add(trainer, texts[i], strlen(texts[i])), ALCORE_OK);
    return trainer;
}

static alcore_lm *without(alcore__lm_trainer *trainer, int32_t fold_left_out) {
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, fold_left_out, &lm), ALCORE_OK);
    return lm;
}

START_TEST(tv_xfit) {
    vector_case one = vector_case_named(vector_find("language-model", "TV-XFIT"), "six texts");
    const json_t *given = vector_input(&one, "texts");
    const int64_t *folds = vector_integers(vector_expected(&one, "folds"), NULL);
    const double *totals = vector_doubles(vector_expected(&one, "totals"), NULL);
    const char *texts[6];
    for (size_t i = 0; i < 6; i++) texts[i] = vector_text(json_array_get(given, i));
    alcore__lm_trainer *trainer = count(texts, 6, 4);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(fold(texts[i]), folds[i]);
        alcore_lm *lm = without(trainer, (int32_t)folds[i]);
        ck_assert_double_eq_tol(total(lm, texts[i]), totals[i], 1e-6);
        alcore_lm_unref(lm);
    }
    alcore__lm_trainer_free(trainer);
}
END_TEST

START_TEST(one_sentence) {
    const char *text = "one two three";
    for (int32_t order = 1; order <= 6; order++) {
        alcore__lm_trainer *trainer = count(&text, 1, order);
        alcore_lm *lm = without(trainer, fold(text));
        alcore__lm_trainer_free(trainer); /* the model outlives it */
        float values[4];
        ck_assert_int_eq(alcore__lm_token_count(text, strlen(text)), 4);
        alcore__lm_tokens(lm, &(alcore__lm_text){text, strlen(text), values, NULL}, 1);
        for (int i = 0; i < 4; i++) ck_assert_float_eq_tol(values[i], (float)log(0.5), 1e-7f);
        ck_assert_double_eq_tol(total(lm, text), 4 * log10(0.5), 1e-12);
        ck_assert_int_eq(lm_ngrams(lm, 1), 3);
        alcore_lm_unref(lm);
    }
}
END_TEST

START_TEST(equals_five_trainings) {
    static char texts[400][80];
    const char *all[400], *others[400];
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    const int rows = _i < 2 ? 12 : 400;
    for (int i = 0; i < rows; i++) {
        char *at = texts[i];
        *at = '\0';
        for (uint64_t left = alcore__rng_below(&rng, 9); left > 0; left--)
            at += sprintf(at, "w%d ", (int)(alcore__rng_f64(&rng) * alcore__rng_f64(&rng) * 60));
        all[i] = texts[i];
    }
    const int32_t order = 1 + _i % 6;
    alcore__lm_trainer *trainer = count(all, rows, order);
    for (int32_t f = 0; f < ALCORE__LM_FOLDS; f++) {
        int64_t rest = 0;
        for (int i = 0; i < rows; i++)
            if (fold(all[i]) != f) others[rest++] = all[i];
        alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
        options.order = order;
        alcore_lm *alone = NULL, *lm = without(trainer, f);
        ck_assert_int_eq(alcore_lm_new_trained(ctx, others, NULL, rest, &options, &alone),
                         ALCORE_OK);
        for (int32_t n = 1; n <= order; n++) {
            ck_assert_int_eq(lm_ngrams(lm, n), lm_ngrams(alone, n));
            ck_assert_mem_eq(lm->discount[n], alone->discount[n], sizeof lm->discount[n]);
        }
        for (int i = 0; i < rows; i++) ck_assert_double_eq(total(lm, all[i]), total(alone, all[i]));
        ck_assert_uint_eq(alcore_lm_fingerprint(lm), alcore_lm_fingerprint(alone));
        alcore_lm_unref(alone);
        alcore_lm_unref(lm);
    }
    alcore__lm_trainer_free(trainer);
}
END_TEST

START_TEST(symbols_are_counted_by_fold) {
    const char *texts[] = {"a <s> b", "c </s> <unk>", "d", "e", "f g"};
    alcore__lm_trainer *trainer = count(texts, 5, 2);
    alcore_lm *all = without(trainer, -1), *rest = without(trainer, fold(texts[1]));
    ck_assert_int_eq(all->dropped, 3);
    ck_assert_int_eq(rest->dropped, fold(texts[0]) == fold(texts[1]) ? 0 : 1);
    alcore_lm_unref(all);
    alcore_lm_unref(rest);
    alcore__lm_trainer_free(trainer);
}
END_TEST

START_TEST(a_trainer_ends) {
    alcore__lm_trainer *trainer = NULL;
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore__lm_trainer_new(ctx, 2, 1, -1, &trainer), ALCORE_OK);
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, -1, &lm), ALCORE_E_DATA);
    ck_assert_int_eq(alcore__lm_trainer_add(trainer, "a", 1), ALCORE_OK);
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, -1, &lm), ALCORE_OK);
    alcore_lm_unref(lm);
    ck_assert_int_eq(alcore__lm_trainer_add(trainer, "a", 1), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, -1, &lm), ALCORE_E_INVALID);
    ck_assert_ptr_null(lm);
    alcore__lm_trainer_free(trainer);
    alcore__lm_trainer_free(NULL);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("cross-fitting");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, tv_xfit);
    tcase_add_test(cases, one_sentence);
    tcase_add_loop_test(cases, equals_five_trainings, 0, 12);
    tcase_add_test(cases, symbols_are_counted_by_fold);
    tcase_add_test(cases, a_trainer_ends);
    return check_suite_run("text/lm_cross_fit", cases);
}
