/* SPDX-License-Identifier: Apache-2.0 */
/* What a host's model tells of itself, the references that it scores and its translations. */
#include "host_model_bed.h"

START_TEST(a_host_tells_what_it_is) {
    alcore_model *model = model_of(4, NULL), *bare;
    alcore_model_info found = ALCORE_MODEL_INFO_INIT;
    ck_assert_ok(alcore_model_get_info(model, &found));
    ck_assert_str_eq(found.engine, "host");
    ck_assert_str_eq(found.family, "letters");
    ck_assert_int_eq(found.dims, 2);
    ck_assert_int_eq(found.scores, 1);
    ck_assert_int_eq(found.translates, 0);
    ck_assert_int_eq(found.trains, 0);
    ck_assert_ok(alcore_model_set_language(model, "de"));
    ck_assert_str_eq(self.language, "de");
    ck_assert_fails(alcore_model_set_language(model, "xx"), ALCORE_E_PARAM, "there are de and fr");
    ck_assert_fails(alcore_model_set_language(model, "yy"), ALCORE_E_CALLBACK, "failed");
    ck_assert_fails(alcore_model_set_dropout(model, 1, UINT64_MAX), ALCORE_E_CALLBACK, "failed");
    ck_assert_fails(alcore_model_set_dropout(model, 2, 7), ALCORE_E_PARAM, "on is 2");
    ck_assert_ok(alcore_model_set_dropout(model, 1, 7));
    ck_assert_uint_eq(self.seed, 7);
    alcore_model_unref(model);
    alcore_model_host nothing = ALCORE_MODEL_HOST_INIT;
    ck_assert_ok(alcore_model_new_host(ctx, &nothing, &bare));
    ck_assert_int_eq(alcore_model_can(bare, "logprobs"), 0);
    ck_assert_fails(alcore_model_score(bare, pool), ALCORE_E_UNSUPPORTED, "scores no pairs");
    ck_assert_fails(alcore_model_set_language(bare, "de"), ALCORE_E_UNSUPPORTED, "no outputs");
    ck_assert_fails(alcore_model_set_dropout(bare, 1, 7), ALCORE_E_UNSUPPORTED, "dropout");
    ck_assert_ok(alcore_model_set_language(bare, NULL));
    ck_assert_ok(alcore_model_set_dropout(bare, 0, 0));
    alcore_model_unref(bare);
}
END_TEST

START_TEST(references_are_scored) {
    const int64_t excluded = 2;
    alcore_model *model = model_of(4, NULL);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &excluded, 1));
    ck_assert_ok(alcore_model_score(model, pool));
    ck_assert_int_eq(self.scored, ROWS - 1);
    ck_assert_str_eq(self.references, "r0 r1 r3 r4 r5 r6 r7 r8 r9 ");
    ck_assert_ptr_nonnull(strstr(origin_of("logprobs"), ", of the references"));
    self.forget = "logprobs";
    ck_assert_fails(alcore_model_score(model, pool), ALCORE_E_MISSING, "gave row 4 no value");
    self.forget = NULL;
    const char *more = "without one";
    ck_assert_ok(alcore_pool_add_texts(pool, &more, NULL, 1, NULL));
    ck_assert_fails(alcore_model_score(model, pool), ALCORE_E_MISSING, "row 10 has no reference");
    alcore_model_unref(model);
}
END_TEST

static int64_t wrong; /* what translate() does wrong; 0: nothing */

static alcore_status translate(void *user, const alcore_batch *batch,
                               const alcore_translate_options *options, alcore_outputs *out) {
    host *model = user;
    const float logprobs[] = {-1, -0.5f, wrong == 2 ? 0.5f : -0.25f};
    char text[40];
    model->translated += batch->count;
    snprintf(model->language, sizeof model->language, "%s", options->language);
    for (int64_t i = 0; i < batch->count - (wrong == 1); i++)
        for (int64_t rank = options->best; rank-- > 0;) { /* in any order */
            snprintf(text, sizeof text, "%s>%lld", batch->texts[i], (long long)rank);
            text[0] = wrong == 3 ? '\0' : text[0];
            const alcore_status status = alcore_outputs_put(
                out, wrong == 4 ? batch->count : i, rank, text, strlen(text + 1) + 1, logprobs,
                rank == 0 ? 3 : 1, rank == 0 ? (double)NAN : -7);
            if (status != ALCORE_OK) return status;
        }
    return ALCORE_OK;
}

START_TEST(texts_are_translated) {
    alcore_model *model = model_of(4, NULL), *ngram;
    alcore_model_info found = ALCORE_MODEL_INFO_INIT;
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    alcore_pool *out;
    const int64_t excluded = 2, rows[] = {0, 1};
    double scores[2];
    ck_assert_fails(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_UNSUPPORTED,
                    "does not translate");
    ck_assert_ok(alcore_model_set_translate(model, translate));
    ck_assert_ok(alcore_model_get_info(model, &found));
    ck_assert_int_eq(found.translates, 1);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &excluded, 1));
    options.best = 2;
    options.language = "de";
    ck_assert_ok(alcore_model_translate(model, pool, &options, &out));
    ck_assert_int_eq(self.translated, ROWS - 1);
    ck_assert_str_eq(self.language, "de");
    ck_assert_int_eq(alcore_pool_row_count(out), 2 * ROWS);
    ck_assert_str_eq(alcore_pool_text(out, 2, NULL), "text 0>0");
    ck_assert_str_eq(alcore_pool_text(out, 3, NULL), "text 0>1");
    ck_assert_str_eq(alcore_pool_text(out, 4, NULL), "");
    ck_assert_ok(test_column_rows(out, "output_scores", rows, 2, scores));
    ck_assert_double_eq(scores[0], -1.75);
    ck_assert_double_eq(scores[1], -7);
    alcore_tensor values, offsets;
    ck_assert_ok(alcore_pool_get_column(out, "logprobs", &values, &offsets));
    ck_assert_int_eq(((const int64_t *)offsets.data)[4], 8);
    alcore_pool_unref(out);
    static const char *const texts[] = {
        NULL, "gave no output for row 4",
        "row 0: the log-probability of token 2 of its output is 0.5", NULL,
        "an output of item 4 of a batch of 4"};
    for (wrong = 1; wrong <= 4; wrong++) {
        const alcore_status status = alcore_model_translate(model, pool, &options, &out);
        if (texts[wrong]) {
            ck_assert_int_ne(status, ALCORE_OK);
            ck_assert_ptr_null(out);
            ck_assert_msg(strstr(alcore_last_error(), texts[wrong]), "%s", alcore_last_error());
            continue;
        }
        ck_assert_ok(status); /* NUL becomes a blank */
        ck_assert_str_eq(alcore_pool_text(out, 2, NULL), " ext 0>0");
        alcore_pool_unref(out);
    }
    wrong = 0;
    ck_assert_ok(alcore_model_set_translate(model, NULL));
    ck_assert_fails(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_UNSUPPORTED,
                    "does not translate");
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &ngram));
    ck_assert_fails(alcore_model_set_translate(ngram, translate), ALCORE_E_INVALID,
                    "not made of functions");
    ck_assert_fails(alcore_outputs_put(NULL, 0, 0, "", 0, NULL, 0, 0), ALCORE_E_INVALID, "out");
    alcore_model_unref(ngram);
    alcore_model_unref(model);
}
END_TEST

/* A second output of a rank, and one of a rank that nobody asked for, say nothing; an output may be
 * empty, and its log-probabilities unknown. */
static alcore_status translate_too_much(void *user, const alcore_batch *batch,
                                        const alcore_translate_options *options,
                                        alcore_outputs *out) {
    const float logprob = -1;
    (void)user;
    ck_assert_int_eq(options->best, 2);
    for (int64_t i = 0; i < batch->count; i++) {
        ck_assert_ok(alcore_outputs_put(out, i, 0, "first", 5, &logprob, 1, (double)NAN));
        ck_assert_ok(alcore_outputs_put(out, i, 0, "second", 6, &logprob, 1, (double)NAN));
        ck_assert_ok(alcore_outputs_put(out, i, 2, "third", 5, &logprob, 1, (double)NAN));
        ck_assert_ok(alcore_outputs_put(out, i, 1, "", 0, NULL, 0, -3));
        ck_assert_fails(alcore_outputs_put(out, i, -1, "", 0, NULL, 0, 0), ALCORE_E_INVALID,
                        "rank");
    }
    return ALCORE_OK;
}

START_TEST(outputs_that_are_passed_over) {
    alcore_model *model = model_of(4, NULL);
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    alcore_pool *out;
    alcore_tensor values, offsets;
    const int64_t rows[] = {0, 1};
    double scores[2];
    options.best = 2;
    ck_assert_ok(alcore_model_set_translate(model, translate_too_much));
    ck_assert_ok(alcore_model_translate(model, pool, &options, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 2 * ROWS);
    ck_assert_str_eq(alcore_pool_text(out, 0, NULL), "first");
    ck_assert_str_eq(alcore_pool_text(out, 1, NULL), "");
    ck_assert_ok(test_column_rows(out, "output_scores", rows, 2, scores));
    ck_assert(scores[0] == -1 && scores[1] == -3);
    ck_assert_ok(alcore_pool_get_column(out, "logprobs", &values, &offsets));
    ck_assert_int_eq(((const int64_t *)offsets.data)[2], 1);
    alcore_pool_unref(out);
    alcore_model_unref(model);
}
END_TEST

/* A column of scores takes the place of one that was given; of several columns of which one fails
 * the others may be there, and a later call completes them. */
START_TEST(columns_are_replaced_and_completed) {
    static const char *const columns[] = {"quality", "margins"};
    const double given[ROWS] = {1, 2, 3};
    const int64_t offsets[ROWS + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int64_t rows = ROWS, ends = ROWS + 1;
    alcore_tensor values, at;
    alcore_column_info found = ALCORE_COLUMN_INFO_INIT;
    alcore_model *model = model_of(4, NULL);
    ck_assert_ok(alcore_tensor_init(&values, (void *)(uintptr_t)given, ALCORE_FLOAT64, &rows, 1));
    ck_assert_ok(alcore_tensor_init(&at, (void *)(uintptr_t)offsets, ALCORE_INT64, &ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &at, NULL));
    ck_assert_ok(alcore_model_score(model, pool));
    ck_assert_ptr_nonnull(strstr(origin_of("logprobs"), ", of the references"));
    self.fail_at = self.call_count + 2;
    ck_assert_int_ne(alcore_model_run_columns(model, pool, columns, 2), ALCORE_OK);
    self.fail_at = 0;
    ck_assert_ok(alcore_model_run_columns(model, pool, columns, 2));
    for (int i = 0; i < 2; i++) ck_assert_ok(alcore_pool_get_column_info(pool, columns[i], &found));
    alcore_model_unref(model);
}
END_TEST

/* One model and one scorer serve several pools, each of which gets columns of its own rows. */
START_TEST(several_pools) {
    static const char *const few[] = {"a", "bb"};
    alcore_pool *other;
    alcore_scorer *scorer;
    alcore_column_info found = ALCORE_COLUMN_INFO_INIT;
    alcore_model *model = model_of(0, NULL);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &other));
    ck_assert_ok(alcore_pool_add_texts(other, few, NULL, 2, NULL));
    ck_assert_ok(alcore_scorer_new(ctx, "nnll", &scorer));
    alcore_pool *const pools[] = {pool, other, pool};
    for (int i = 0; i < 3; i++) {
        pool = pools[i]; /* the one that the functions expect */
        ck_assert_ok(alcore_scorer_run(scorer, pool, model));
        ck_assert_ok(alcore_pool_get_column_info(pool, "scores", &found));
    }
    ck_assert_int_eq(self.call_count, 2); /* the columns of the first pool are still there */
    ck_assert_int_eq(self.calls[0].count, ROWS);
    ck_assert_int_eq(self.calls[1].count, 2);
    ck_assert_ptr_null(alcore_model_name(NULL));
    alcore_scorer_unref(scorer);
    alcore_pool_unref(other);
    alcore_model_unref(model);
}
END_TEST

CHECK_SUITE_WITH("host answers", set_up, tear_down, a_host_tells_what_it_is, references_are_scored,
                 texts_are_translated, outputs_that_are_passed_over,
                 columns_are_replaced_and_completed, several_pools);
