/* SPDX-License-Identifier: Apache-2.0 */
/* Classifiers of tokens: training and validation on a column with the classes of words, with the
 * null module (module/null_model.c), whose version counts 1 + c for each label c that it is given,
 * and whose class 0 has the same probability for all words of a text. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model_folder.h"
#include "options_with.h"

/* Three texts of 3, 1 and 2 words; "fevers" is one word of two tokens. */
static const char *const texts[] = {"no fevers today", "fever", "severe fever"};
static const int64_t offsets[] = {0, 3, 4, 6};
enum { ROWS = 3, TOKENS = 6 };

/* A folder of a model that takes ids; calls: 137 is embed, token_probs and train. */
static void make_folder(const char *config) {
    new_folder(config);
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nno\nfever\n##s\nsevere\ntoday\n");
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
    alcore_ctx *ctx = null_context(NULL);
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
    MUST(alcore_pool_get_column(pool, "token_probs", &values, &bounds));
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
    alcore_ctx *ctx = null_context(NULL);
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
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "by bleu: it gives classes of tokens"));
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* The names of the classes, or NULL. */
static const char *const *names_of(const alcore_model *model) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.classes, 2);
    return info.labels;
}

/* The F1 of spans that alcore_metric_compute_spans() gives for the most probable classes of the
 * words of each text, p(class 0) of which is first[ROWS], and labels [TOKENS] of which -100 is left
 * out on both sides. */
static double expected_f1(alcore_ctx *ctx, const char *const *names, const double first[ROWS],
                          const int64_t labels[TOKENS], int32_t strict) {
    char lines[2][ROWS][100];
    const char *gold[ROWS], *predicted[ROWS];
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    for (int i = 0; i < ROWS; i++) {
        gold[i] = lines[0][i];
        predicted[i] = lines[1][i];
        lines[0][i][0] = lines[1][i][0] = '\0';
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            if (labels[k] < 0) continue;
            strcat(strcat(lines[0][i], names[labels[k]]), " ");
            strcat(strcat(lines[1][i], names[first[i] < 0.5]), " ");
        }
    }
    MUST(alcore_metric_compute_spans(
        ctx, gold, NULL, ROWS, predicted, NULL, ROWS,
        OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + strict), &score));
    return score.f1;
}

/* The model calls the words of a text all B-LOC or all I-LOC, or all O or all I-LOC: an I-LOC that
 * continues nothing begins a span by default and none in strict mode. */
START_TEST(validation_measures_spans) {
    int64_t labels[TOKENS] = {1, 1, -100, 1, 0, 1};
    alcore_ctx *ctx = null_context(NULL);
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    for (int names = 1; names <= 2; names++) {
        double first[ROWS], found[2];
        char config[100];
        alcore_model *model;
        snprintf(config, sizeof config,
                 "{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"names\": %d}", names);
        make_folder(config);
        MUST(alcore_model_open(ctx, folder, NULL, &model));
        ck_assert_str_eq(names_of(model)[0], names == 1 ? "B-LOC" : "O");
        ck_assert_str_eq(names_of(model)[1], "I-LOC");
        alcore_pool *pool = pool_of(ctx);
        set_labels(pool, labels, ALCORE_INT64, offsets);
        read_probs(model, pool, first);
        options.labels = "tags";
        options.validation = pool;
        for (int32_t strict = 0; strict < 2; strict++) {
            options.metric = strict ? ALCORE_VALIDATE_STRICT_SPAN_F1 : ALCORE_VALIDATE_SPAN_F1;
            MUST(alcore_model_train(model, pool, &options, &done));
            found[strict] = done.best_value;
            ck_assert_double_eq_tol(
                found[strict], expected_f1(ctx, names_of(model), first, labels, strict), 1e-12);
        }
        ck_assert_double_gt(found[0], 0);
        ck_assert_double_eq(found[1], 0);
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        remove_folder();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Spans need a classifier of tokens and a name of each class that is one tag. */
START_TEST(spans_need_the_names_of_tags) {
    static const struct {
        const char *config, *text;
    } wrong[] = {
        {"{\"dims\": 3, \"tokens\": 1, \"calls\": 137}",
         "id2label of its config.json does not name"},
        {"{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"names\": 3}",
         "its class 0 is called 'LABEL_0' (id2label of its config.json), not O, B-TYPE or I-TYPE"},
        {"{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"names\": 4}",
         "its class 1 is called 'B-LOC O'"},
        {"{\"dims\": 3, \"tokens\": 1, \"calls\": 133, \"names\": 1}",
         "by span_f1: it gives classes of texts"},
    };
    alcore_ctx *ctx = null_context(NULL);
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_pool *pool = pool_of(ctx);
    int64_t labels[TOKENS] = {0};
    set_labels(pool, labels, ALCORE_INT64, offsets);
    options.validation = pool;
    options.metric = ALCORE_VALIDATE_SPAN_F1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        alcore_model *model;
        make_folder(wrong[i].config);
        MUST(alcore_model_open(ctx, folder, NULL, &model));
        ck_assert_int_eq(i == 0, !names_of(model));
        options.labels = i == 3 ? NULL : "tags";
        ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_UNSUPPORTED);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].text), "%s", alcore_last_error());
        alcore_model_unref(model);
        remove_folder();
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A pool whose references are the labels of the words. */
static alcore_pool *pool_with(alcore_ctx *ctx, const char *const references[ROWS]) {
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.references = references;
    records.count = ROWS;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

/* The labels of labels_reach_the_first_tokens_of_words, by name and by number. */
START_TEST(references_have_the_labels_of_words) {
    static const char *const good[][ROWS] = {{"B-LOC I-LOC -100", " I-LOC ", "B-LOC\tI-LOC"},
                                             {"0 I-LOC -100", "1", "B-LOC  1"}};
    static const struct {
        const char *reference, *text;
        alcore_status status;
    } wrong[] = {
        {"B-LOC O", "row 2 (id 3): label 2 of its reference is 'O', not -100", ALCORE_E_DATA},
        {"B-LOC 2", "is '2'", ALCORE_E_DATA},
        {"B-LOC -1", "is '-1'", ALCORE_E_DATA},
        {"B-LOC +1", "is '+1'", ALCORE_E_DATA},
        {"B-LOC", "row 2 (id 3): it has 1 labels, its text has 2 words", ALCORE_E_SHAPE},
        {"0 0 0", "row 2 (id 3): it has 3 labels, its text has 2 words", ALCORE_E_SHAPE},
        {NULL, "row 2 (id 3): it has no reference", ALCORE_E_MISSING}};
    alcore_ctx *ctx = null_context(NULL);
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done = ALCORE_TRAIN_RESULT_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"names\": 1}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    for (int i = 0; i < 2; i++) {
        alcore_pool *pool = pool_with(ctx, good[i]);
        options.validation = pool;
        options.metric = ALCORE_VALIDATE_SPAN_F1;
        MUST(alcore_model_train(model, pool, &options, &done));
        expect_version(model, i == 0 ? "null-3-8-" : "null-3-16-");
        ck_assert_double_gt(done.best_value, 0);
        alcore_pool_unref(pool);
    }
    options = (alcore_train_options)ALCORE_TRAIN_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const references[ROWS] = {"0 0 0", "0", wrong[i].reference};
        alcore_pool *pool = pool_with(ctx, references);
        ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), wrong[i].status);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].text), "%s", alcore_last_error());
        alcore_pool_unref(pool);
    }
    alcore_model_unref(model);
    remove_folder();
    /* A classifier of texts has one label each. */
    make_folder("{\"dims\": 3, \"calls\": 133, \"names\": 2}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    static const char *const classes[ROWS] = {"I-LOC", "O", "1"}, *const other[ROWS] = {"O", "B",
                                                                                        "1"};
    alcore_pool *pool = pool_with(ctx, classes);
    MUST(alcore_model_train(model, pool, &options, NULL));
    expect_version(model, "null-3-5"); /* 2 + 1 + 2 */
    alcore_pool_unref(pool);
    pool = pool_with(ctx, other);
    ck_assert_int_eq(alcore_model_train(model, pool, &options, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "row 1 (id 2): the reference 'B' is no class"));
    alcore_pool_unref(pool);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* A text that is cut at the longest input uses its first labels alone. */
START_TEST(cut_texts_use_their_first_labels) {
    int64_t labels[TOKENS] = {0, 1, 1, 1, 0, 1};
    alcore_ctx *ctx = null_context(NULL);
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
    alcore_ctx *ctx = null_context(NULL);
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
    REFUSED(ALCORE_E_MISSING,
            "row 0 (id 1): it has no reference, and alcore_train_options: labels");
    options.labels = "tags";
    REFUSED(ALCORE_E_NOT_FOUND, "tags");
    set_labels(pool, bad, ALCORE_INT64, offsets);
    REFUSED(ALCORE_E_DATA, "row 2 (id 3): the label 2 is no class from 0 to 1");
    bad[4] = -1;
    set_labels(pool, bad, ALCORE_INT64, offsets);
    REFUSED(ALCORE_E_DATA, "the label -1 is no class");
    set_labels(pool, good, ALCORE_INT64, fewer);
    REFUSED(ALCORE_E_SHAPE, "column 'tags', row 0 (id 1): it has 2 labels, its text has 3 words");
    set_labels(pool, good, ALCORE_INT64, more);
    REFUSED(ALCORE_E_SHAPE, "row 1 (id 2): it has 2 labels, its text has 1 words");
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
    alcore_ctx *ctx = null_context(NULL);
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_model *model;
    make_folder("{\"dims\": 3, \"tokens\": 1, \"calls\": 137, \"names\": 1}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    alcore_pool *pool = pool_of(ctx);
    set_labels(pool, labels, ALCORE_INT64, offsets);
    options.labels = "tags";
    options.validation = pool;
    options.metric = ALCORE_VALIDATE_SPAN_F1;
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
            validation_measures_spans, spans_need_the_names_of_tags,
            references_have_the_labels_of_words, cut_texts_use_their_first_labels,
            labels_that_do_not_fit_are_named, allocations_that_fail_are_errors);
