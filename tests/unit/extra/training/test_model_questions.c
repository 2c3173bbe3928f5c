/* SPDX-License-Identifier: Apache-2.0 */
/* Training of question answering on questions, contexts and answers, with the null module
 * (module/null_model.c), whose version counts the labels of each window. In both distributions of
 * a window, that of the answer's first token and that of its last, [CLS] has the probability 1 / 4.
 * The remaining 3 / 4 are spread evenly over the tokens of the context in the first distribution,
 * and are all on the context's last token in the second. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model_folder.h"

enum { ROWS = 2 };
static const char *const questions[ROWS] = {"who", "who"};
/* "nö" has three bytes, so that characters are not bytes. */
static const char *const contexts[ROWS] = {"a nö a fever a", "no fever a a a a a fever"};

/* A model for answers alone (145: embed, qa_probs and train), with windows of 9 tokens, of which
 * the question and special tokens are 4, and that share 1. */
static alcore_ctx *begin(alcore_model **model, alcore_status *opened) {
    alcore_model_options how = {.size = sizeof how, .max_tokens = 9, .stride = 1, .layer = -1};
    alcore_ctx *ctx = null_context(NULL);
    new_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 145, \"longest\": 9}");
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\na\nno\nfever\n");
    *opened = alcore_model_open(ctx, folder, &how, model);
    return ctx;
}

static alcore_pool *pool_of(alcore_ctx *ctx, const char *const answers[ROWS],
                            const int64_t starts[ROWS]) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_tensor tensor;
    alcore_pool *pool;
    int64_t rows = ROWS;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    records.texts = questions;
    records.references = answers;
    records.count = ROWS;
    MUST(alcore_pool_new(ctx, &keep_all, &pool));
    MUST(alcore_pool_add_records(pool, &records, NULL));
    MUST(alcore_pool_set_text_column(pool, "qa_contexts", contexts, NULL, ROWS, NULL));
    MUST(alcore_tensor_init(&tensor, (void *)(uintptr_t)starts, ALCORE_INT64, &rows, 1));
    MUST(alcore_pool_set_column(pool, "starts", &tensor, NULL, NULL));
    return pool;
}

static const char *const answers[ROWS] = {"fever a", "fever"};
static const int64_t starts[ROWS] = {7, 19};

/* [CLS] who [SEP] is 0 to 2, so that the context begins with 3. Row 0 has one window of the tokens
 * a, nö, a, fever and a, with the answer from 6 to 7. Row 1 has two windows, no fever a a a and
 * a a a fever: the answer is the last token of the second one, 6; the "fever" in the first is
 * another one, so that [CLS], 0, is taught there. */
START_TEST(answers_become_tokens_of_windows) {
    alcore_model *model;
    alcore_status status;
    alcore_ctx *ctx = begin(&model, &status);
    alcore_pool *pool = pool_of(ctx, answers, starts);
    alcore_train_options options = {.size = sizeof options,
                                    .labels = "starts",
                                    .updates = 3,
                                    .rate = ALCORE_UNSET,
                                    .beta1 = ALCORE_UNSET,
                                    .beta2 = ALCORE_UNSET,
                                    .epsilon = ALCORE_UNSET};
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(status);
    MUST(alcore_model_train(model, pool, &options, NULL));
    MUST(alcore_model_get_info(model, &info));
    /* 100 + 67 of the first window, 100 + 0 of the second, 100 + 66 of the third */
    ck_assert_msg(!strncmp(info.version, "null-3-433-", 11), "%s", info.version);
    ck_assert_int_eq(info.trains, 1);
    end_model(ctx, pool, model);
}
END_TEST

/* Loss: of the context's 3 / 4 start 1 / 5 and end 1 of the first window, 1 / 4 and 1 of the third;
 * 1 / 4 each of the second, which has no answer. Likeliest answers: all tokens of the context in a
 * window, of row 1 the shorter one's, "a a a fever", of equal ones the first. */
START_TEST(a_validation_compares_losses_or_answers) {
    static const double f1[] = {100 * 2 * (1.0 / 2) / (1.0 / 2 + 1), 100};
    alcore_model *model;
    alcore_status status;
    alcore_ctx *ctx = begin(&model, &status);
    static const char *const whole[ROWS] = {"nö a fever a", "fever"};
    static const int64_t places[ROWS] = {2, 19};
    alcore_pool *pool = pool_of(ctx, answers, starts), *other = pool_of(ctx, whole, places);
    alcore_train_options options = {.size = sizeof options,
                                    .labels = "starts",
                                    .updates = 1,
                                    .validation = pool,
                                    .rate = ALCORE_UNSET,
                                    .beta1 = ALCORE_UNSET,
                                    .beta2 = ALCORE_UNSET,
                                    .epsilon = ALCORE_UNSET};
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    MUST(status);
    MUST(alcore_model_train(model, pool, &options, &result));
    const double losses[] = {-(log(0.75 / 5) + log(0.75)) / 2, log(4),
                             -(log(0.75 / 4) + log(0.75)) / 2};
    ck_assert_double_eq_tol(result.best_value, (losses[0] + losses[1] + losses[2]) / 3, 1e-6);
    /* Articles do not count: "fever" of "nö fever" in row 0, and "fever" in row 1. */
    options.metric = ALCORE_VALIDATE_F1;
    MUST(alcore_model_train(model, pool, &options, &result));
    ck_assert_double_eq_tol(result.best_value, (f1[0] + f1[1]) / 2, 1e-9);
    options.metric = ALCORE_VALIDATE_EXACT_MATCH;
    MUST(alcore_model_train(model, pool, &options, &result));
    ck_assert_double_eq_tol(result.best_value, 50, 1e-9);
    options.validation = other;
    MUST(alcore_model_train(model, pool, &options, &result));
    ck_assert_double_eq_tol(result.best_value, 100, 1e-9);
    options.metric = ALCORE_VALIDATE_ACCURACY;
    ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "by accuracy: it answers questions"));
    alcore_pool_unref(other);
    end_model(ctx, pool, model);
}
END_TEST

/* An answer that stands elsewhere names its row. */
START_TEST(answers_that_do_not_stand_there_are_named) {
    static const struct {
        const char *answers[ROWS];
        int64_t starts[ROWS];
        const char *text;
    } wrong[] = {
        {{"fever a", "fever"}, {8, 19}, "row 0 (id 1): the answer 'fever a' does not stand at"},
        {{"fever a", "fever"}, {7, 20}, "row 1 (id 2): the answer 'fever' does not stand at"},
        {{"fever a", "fever"}, {7, 900}, "row 1 (id 2): the answer"},
        {{"fever a", "fever"}, {-1, 19}, "column 'starts', row 0 (id 1): -1 is no number"},
        {{"", "fever"}, {7, 19}, "row 0 (id 1): the answer ''"},
        {{" ", "fever"}, {1, 19}, "row 0 (id 1): the answer ' ' has no token"},
    };
    alcore_model *model;
    alcore_status status;
    alcore_ctx *ctx = begin(&model, &status);
    alcore_train_options options = {.size = sizeof options,
                                    .labels = "starts",
                                    .rate = ALCORE_UNSET,
                                    .beta1 = ALCORE_UNSET,
                                    .beta2 = ALCORE_UNSET,
                                    .epsilon = ALCORE_UNSET};
    MUST(status);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        alcore_pool *pool = pool_of(ctx, wrong[i].answers, wrong[i].starts);
        ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_DATA);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].text) != NULL, "%zu: %s", i,
                      alcore_last_error());
        alcore_pool_unref(pool);
    }
    alcore_pool *pool = pool_of(ctx, answers, starts);
    options.labels = NULL;
    ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_PARAM);
    options.labels = "absent";
    ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_NOT_FOUND);
    end_model(ctx, pool, model);
}
END_TEST

/* Trains with weights and a validation, with the n-th allocation failing, for every n. */
START_TEST(failing_allocations_leave_nothing) {
    int failures = 0;
    for (long long n = 1;; n++) {
        double weights[ROWS] = {1, 2};
        int64_t rows = ROWS;
        alcore_tensor tensor;
        alcore_model *model;
        alcore_status status;
        alcore_ctx *ctx = begin(&model, &status);
        alcore_pool *pool = pool_of(ctx, answers, starts);
        alcore_train_options options = {.size = sizeof options,
                                        .labels = "starts",
                                        .weights = "weights",
                                        .validation = pool,
                                        .metric = ALCORE_VALIDATE_F1,
                                        .rate = ALCORE_UNSET,
                                        .beta1 = ALCORE_UNSET,
                                        .beta2 = ALCORE_UNSET,
                                        .epsilon = ALCORE_UNSET};
        MUST(status);
        MUST(alcore_tensor_init(&tensor, weights, ALCORE_FLOAT64, &rows, 1));
        MUST(alcore_pool_set_column(pool, "weights", &tensor, NULL, NULL));
        fault_arm(&fault, n, 0);
        status = alcore_model_train(model, pool, &options, NULL);
        const bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        failures += failed;
        end_model(ctx, pool, model);
        if (!failed) break;
    }
    ck_assert_int_gt(failures, 20);
}
END_TEST

CHECK_SUITE("model questions", answers_become_tokens_of_windows,
            a_validation_compares_losses_or_answers, answers_that_do_not_stand_there_are_named,
            failing_allocations_leave_nothing);
