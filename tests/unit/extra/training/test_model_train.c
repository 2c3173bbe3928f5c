/* SPDX-License-Identifier: Apache-2.0 */
/* Training and saving through the public calls, with the null module (module/null_model.c), whose
 * version counts the examples that it was trained on: one with class c as 1 + c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_folder.h"
#include "training_pool.h"

static void expect_version(const alcore_model *model, const char *version) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    ck_assert_int_eq(alcore_model_get_info(model, &info), ALCORE_OK);
    ck_assert_str_eq(info.version, version);
}

START_TEST(pairs_are_trained_on_and_saved) {
    static const char *const references[] = {"a", "b", "c"};
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model;
    alcore_train_options adapter = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    new_folder("{\"dims\": 3}");
    alcore_pool *pool = pool_of(ctx, references);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    expect_version(model, "null-3-0");
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, &done), ALCORE_OK);
    ck_assert_int_eq(done.updates, 3);
    expect_version(model, "null-3-3");
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, NULL), ALCORE_OK);
    expect_version(model, "null-3-6");
    /* A cancelled training did some of the work, which the version tells. */
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, &done), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(done.updates, 3); /* a failure leaves it alone */
    ck_assert_int_eq(done.trained_parameters, 30);
    ck_assert_int_eq(done.parameters, 30);
    adapter.lora_rank = 2;
    ck_assert_int_eq(alcore_model_train(model, pool, &adapter, &done), ALCORE_OK);
    ck_assert_int_eq(done.trained_parameters, 6);
    ck_assert_int_eq(done.parameters, 30);
    ck_assert_int_eq(alcore_model_save(model, folder), ALCORE_OK);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    char version[40];
    ck_assert_int_eq(alcore_model_get_info(model, &info), ALCORE_OK);
    snprintf(version, sizeof version, "%s", info.version);
    alcore_model_unref(model);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    expect_version(model, version);
    ck_assert_int_eq(alcore_model_save(model, "/nowhere/else"), ALCORE_E_IO);
    ck_assert_int_eq(alcore_model_save(model, NULL), ALCORE_E_INVALID);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

static void expect_refused(alcore_status status, alcore_status expected, const char *word) {
    ck_assert_msg(status == expected, "%d: %s", status, alcore_last_error());
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
}

/* 133: embed, class_probs and train; a classifier counts 1 + class for each row. */
START_TEST(classes_are_references) {
    static const char *const good[] = {"1", "0", "1"};
    static const struct {
        const char *references[3];
        alcore_status status;
        const char *word;
    } bad[] = {
        {{"1", "2", "0"}, ALCORE_E_DATA, "row 1 (id 2): the reference '2' is no class from 0 to 1"},
        {{"1", "0", "x"}, ALCORE_E_DATA, "'x'"},
        {{"-1", "0", "0"}, ALCORE_E_DATA, "row 0"},
        {{"99999999999999999999", "0", "0"}, ALCORE_E_DATA, "row 0"},
        {{"1", NULL, "0"}, ALCORE_E_MISSING, "row 1 (id 2) has no reference"},
    };
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    new_folder("{\"dims\": 3, \"calls\": 133}");
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    alcore_pool *pool = pool_of(ctx, good);
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, &done), ALCORE_OK);
    ck_assert_int_eq(done.parameters, 0); /* the null module does not tell of a classifier */
    expect_version(model, "null-3-5");
    alcore_pool_unref(pool);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pool = pool_of(ctx, bad[i].references);
        expect_refused(alcore_model_train(model, pool, NULL, NULL), bad[i].status, bad[i].word);
        alcore_pool_unref(pool);
    }
    alcore_train_options adapter = ALCORE_TRAIN_OPTIONS_INIT;
    adapter.lora_rank = 2;
    pool = pool_of(ctx, good);
    expect_refused(alcore_model_train(model, pool, &adapter, NULL), ALCORE_E_UNSUPPORTED,
                   "lora_rank");
    alcore_pool_unref(pool);
    expect_version(model, "null-3-5");
    expect_refused(alcore_model_save(model, folder), ALCORE_E_UNSUPPORTED, "cannot be saved");
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

START_TEST(wrong_options_are_named) {
    static const char *const references[] = {"a", "b", NULL};
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model, *small;
    new_folder("{\"dims\": 3}");
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    alcore_pool *pool = pool_of(ctx, references);
#define REFUSED(member, value, word)                                                               \
    do {                                                                                           \
        alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;                                  \
        options.member = value;                                                                    \
        expect_refused(alcore_model_train(model, pool, &options, NULL), ALCORE_E_PARAM, word);     \
    } while (0)
    REFUSED(rate, -1, "rate");
    REFUSED(clip, (double)INFINITY, "clip");
    REFUSED(label_smoothing, 1, "label_smoothing");
    REFUSED(updates, -1, "updates");
    REFUSED(warmup, -1, "warmup");
    REFUSED(checkpoint_every, -1, "checkpoint_every");
    REFUSED(checkpoint_every, 1, "checkpoint_every needs checkpoints");
    REFUSED(weight_decay, -1, "weight_decay");
    REFUSED(accumulate, -1, "accumulate");
    REFUSED(batch_tokens, -1, "batch_tokens");
    REFUSED(beta2, 1, "beta2");
    REFUSED(schedule, 4, "schedule 4");
    REFUSED(precision, 3, "precision 3");
    REFUSED(precision, -1, "precision -1");
    REFUSED(recompute, 2, "recompute is 2");
    REFUSED(lora_rank, -1, "lora_rank");
    REFUSED(lora_rank, 65537, "lora_rank is above 65536");
    REFUSED(lora_alpha, 8, "lora_alpha needs lora_rank");
    REFUSED(lora_dropout, 1, "lora_dropout");
    REFUSED(lora_dropout, 0.5, "lora_dropout needs lora_rank");
    REFUSED(lora_targets, "q", "lora_targets needs lora_rank");
    expect_refused(alcore_model_train(model, pool, NULL, NULL), ALCORE_E_MISSING, "row 2");
    expect_version(model, "null-3-0");
    ck_assert_int_eq(alcore_model_train(NULL, pool, NULL, NULL), ALCORE_E_INVALID);
    /* Neither are models of other kinds trained, nor what only embeds. */
    ck_assert_int_eq(alcore_model_new_ngram(ctx, pool, NULL, &small), ALCORE_OK);
    expect_refused(alcore_model_train(small, pool, NULL, NULL), ALCORE_E_UNSUPPORTED, "trained");
    expect_refused(alcore_model_save(small, folder), ALCORE_E_UNSUPPORTED, "saved");
    alcore_model_unref(small);
    alcore_model_unref(model);
    remove_folder();
    new_folder("{\"dims\": 3, \"calls\": 129}");
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    expect_refused(alcore_model_train(model, pool, NULL, NULL), ALCORE_E_UNSUPPORTED,
                   "neither translates nor classifies");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* Masked rows are left out, also those without a reference; structs of another release. */
START_TEST(masked_rows_are_left_out) {
    static const char *const references[] = {"a", NULL, "c"};
    const int64_t without = 1;
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model;
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    new_folder("{\"dims\": 3}");
    alcore_pool *pool = pool_of(ctx, references);
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &without, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, &done), ALCORE_OK);
    ck_assert_int_eq(done.updates, 2);
    ck_assert_int_eq(done.best_update, 0);
    ck_assert_double_eq(done.best_value, 0);
    expect_version(model, "null-3-2");
    options.reserved = 1;
    ck_assert_int_eq(alcore_model_train(model, pool, &options, &done), ALCORE_E_STRUCT_NEWER);
    options.size = 0;
    ck_assert_int_eq(alcore_model_train(model, pool, &options, &done), ALCORE_E_STRUCT_UNSET);
    done.size = 0;
    ck_assert_int_eq(alcore_model_train(model, pool, NULL, &done), ALCORE_E_STRUCT_UNSET);
    options = (alcore_train_options)ALCORE_TRAIN_OPTIONS_INIT;
    options.labels = "nowhere";
    expect_refused(alcore_model_train(model, pool, &options, NULL), ALCORE_E_PARAM, "labels");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

CHECK_SUITE("model train", pairs_are_trained_on_and_saved, classes_are_references,
            wrong_options_are_named, masked_rows_are_left_out);
