/* SPDX-License-Identifier: Apache-2.0 */
/* Classifiers of tokens: training and validation on a column with the classes of words, with the
 * null module (module/null_model.c), whose version counts 1 + c for each label c that it is given,
 * and whose class 0 has the same probability for all words of a text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/alcore.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "model_folder.h"

/* Three texts of 3, 1 and 2 words; "fevers" is one word of two tokens. */
static const char *const texts[] = {"no fevers today", "fever", "severe fever"};
static const int64_t offsets[] = {0, 3, 4, 6};
enum { ROWS = 3, TOKENS = 6 };

static fault_allocator fault;

/* A folder of a model that takes ids; calls: 137 is embed, token_probs and train. */
static void make_folder(const char *config) {
    strcpy(folder, "/tmp/alcore-labels-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    write_file("config.json", config);
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nno\nfever\n##s\nsevere\ntoday\n");
}

static void remove_folder(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static alcore_ctx *context(void) {
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.allocator = &table;
    options.module_dir = getenv("NULL_MODEL_MODULE");
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

/* Gives the pool the column "tags"; ends [ROWS + 1]: offsets of its rows. */
static void set_labels(alcore_pool *pool, void *labels, int32_t dtype, const int64_t *ends) {
    alcore_tensor values, rows;
    int64_t tokens = ends[ROWS], bounds = ROWS + 1;
    MUST(alcore_tensor_init(&values, labels, dtype, &tokens, 1));
    MUST(alcore_tensor_init(&rows, (void *)(uintptr_t)ends, ALCORE_INT64, &bounds, 1));
    MUST(alcore_pool_set_column(pool, "tags", &values, &rows, NULL));
}

static alcore_pool *pool_of(alcore_ctx *ctx) {
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.count = ROWS;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static void expect_version(const alcore_model *model, const char *version) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(alcore_model_get_info(model, &info));
    ck_assert_msg(!strncmp(info.version, version, strlen(version)), "%s", info.version);
}

/* Labels as int64 and int32, one of them -100: (1 + 0) + (1 + 1) + (1 + 1) + (1 + 0) + (1 + 1). */
START_TEST(labels_reach_the_first_tokens_of_words) {
    int64_t wide[TOKENS] = {0, 1, -100, 1, 0, 1};
    int32_t narrow[TOKENS] = {0, 1, -100, 1, 0, 1};
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
    options.labels = "tags";
    set_labels(pool, wide, ALCORE_INT64, offsets);
    MUST(alcore_model_train(model, pool, &options, NULL));
    expect_version(model, "null-3-8-");
    set_labels(pool, narrow, ALCORE_INT32, offsets);
    MUST(alcore_model_train(model, pool, &options, NULL));
    expect_version(model, "null-3-16-");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* p(class 0) of the words of each text, as "token_probs" has them. */
static void read_probs(alcore_model *model, alcore_pool *pool, double first[ROWS]) {
    alcore_tensor values, bounds;
    MUST(alcore_model_run(model, pool, "token_probs"));
    MUST(alcore_pool_column(pool, "token_probs", &values, &bounds));
    ck_assert_int_eq(values.shape[0], TOKENS);
    for (int i = 0; i < ROWS; i++) {
        ck_assert_int_eq(((const int64_t *)bounds.data)[i], offsets[i]);
        first[i] = values.dtype.bits == 32 ? (double)((const float *)values.data)[2 * offsets[i]]
                                           : ((const double *)values.data)[2 * offsets[i]];
    }
}

START_TEST(validation_measures_labels) {
    int64_t labels[TOKENS] = {0, 1, -100, 1, 0, 1};
    double first[ROWS], loss = 0, right = 0;
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
    set_labels(pool, labels, ALCORE_INT64, offsets);
    read_probs(model, pool, first);
    for (int i = 0; i < ROWS; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            if (labels[k] < 0) continue;
            double p = labels[k] == 0 ? first[i] : 1 - first[i];
            loss -= log(p) / 5;
            right += (labels[k] == 0 ? p >= 0.5 : p > 0.5) / 5.0;
        }
    options.labels = "tags";
    options.validation = pool;
    MUST(alcore_model_train(model, pool, &options, &done));
    ck_assert_double_eq_tol(done.best_value, loss, 1e-6);
    options.metric = ALCORE_VALIDATE_ACCURACY;
    MUST(alcore_model_train(model, pool, &options, &done));
    ck_assert_double_eq_tol(done.best_value, right, 1e-12);
    options.metric = ALCORE_VALIDATE_BLEU;
    ck_assert_int_eq(alcore_model_train(model, pool, &options, &done), ALCORE_E_UNSUPPORTED);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* A text that is cut at the longest input uses its first labels alone. */
START_TEST(cut_texts_use_their_first_labels) {
    int64_t labels[TOKENS] = {0, 1, 1, 1, 0, 1};
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"longest\": 4}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
    options.labels = "tags";
    set_labels(pool, labels, ALCORE_INT64, offsets);
    MUST(alcore_model_train(model, pool, &options, NULL));
    expect_version(model, "null-3-8-"); /* (1 + 2) + 2 + (1 + 2): without "today" */
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

START_TEST(labels_that_do_not_fit_are_named) {
    int64_t good[TOKENS + 1] = {0, 1, 0, 1, 0, 1, 0}, bad[TOKENS] = {0, 1, 0, 1, 2, 1};
    double numbers[TOKENS] = {0};
    const int64_t fewer[] = {0, 2, 3, 5}, more[] = {0, 3, 5, 7};
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
#define REFUSED(status, word)                                                                      \
    do {                                                                                           \
        alcore_status status_ = alcore_model_train(model, pool, &options, NULL);                   \
        ck_assert_msg(status_ == (status), "%d: %s", status_, alcore_last_error());                \
        ck_assert_msg(strstr(alcore_last_error(), word), "%s", alcore_last_error());               \
    } while (0)
    REFUSED(ALCORE_E_PARAM, "labels is needed");
    options.labels = "tags";
    REFUSED(ALCORE_E_NOT_FOUND, "tags");
    set_labels(pool, bad, ALCORE_INT64, offsets);
    REFUSED(ALCORE_E_DATA, "row 2 (id 3): the label 2 is no class from 0 to 1");
    bad[4] = -1;
    set_labels(pool, bad, ALCORE_INT64, offsets);
    REFUSED(ALCORE_E_DATA, "the label -1 is no class");
    set_labels(pool, good, ALCORE_INT64, fewer);
    REFUSED(ALCORE_E_SHAPE, "row 0 (id 1) has 2 labels, its text has 3 words");
    set_labels(pool, good, ALCORE_INT64, more);
    REFUSED(ALCORE_E_SHAPE, "row 1 (id 2) has 2 labels, its text has 1 words");
    set_labels(pool, numbers, ALCORE_FLOAT64, offsets);
    REFUSED(ALCORE_E_SHAPE, "no ragged column of integers");
    expect_version(model, "null-3-0-");
    alcore_model_unref(model);
    remove_folder();
    /* A model of another kind has no use for them. */
    make_folder("{\"dims\": 3, \"calls\": 133}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    REFUSED(ALCORE_E_PARAM, "does not classify tokens");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* Every allocation of a training with validation that fails is a clean error. */
START_TEST(allocations_that_fail_are_errors) {
    int64_t labels[TOKENS] = {0, 1, -100, 1, 0, 1};
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
    set_labels(pool, labels, ALCORE_INT64, offsets);
    options.labels = "tags";
    options.validation = pool;
    MUST(alcore_model_train(model, pool, &options, NULL));
    int failed = 0;
    for (bool fails = true; fails; failed++) {
        ck_assert_int_lt(failed, 1000);
        fault_arm(&fault, failed + 1, 0);
        const alcore_status status = alcore_model_train(model, pool, &options, NULL);
        fails = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(status, fails ? ALCORE_E_NOMEM : ALCORE_OK);
    }
    ck_assert_int_gt(failed, 5);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

CHECK_SUITE("model labels", labels_reach_the_first_tokens_of_words, validation_measures_labels,
            cut_texts_use_their_first_labels, labels_that_do_not_fit_are_named,
            allocations_that_fail_are_errors);
