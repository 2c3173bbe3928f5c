/* SPDX-License-Identifier: Apache-2.0 */
/* Validation in a training, weights of rows and the optimizer, with the null module
 * (module/null_model.c). Its log-probabilities are multiplied by 1 + |updates - N| where the folder
 * says "best": N, so that the loss falls until update N and rises after it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_text.h"
#include "model_folder.h"
#include "training_pool.h"

static char best[80], kept[80], logged[4000];

/* Makes a folder with a model, and the paths of two folders in it that do not exist yet. */
static void make_box(const char *config) {
    new_folder(config);
    snprintf(best, sizeof best, "%s/best", folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
}

static void remove_box(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* The text of a file of the box. */
static const char *text_of(const char *where, const char *name) {
    char path[120];
    snprintf(path, sizeof path, "%s/%s", where, name);
    return file_text(path);
}

static void keep_log(void *user, int32_t level, const char *component, const char *message,
                     const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    strncat(logged, message, sizeof logged - strlen(logged) - 2);
    strcat(logged, "\n");
}

static alcore_ctx *context(void) {
    logged[0] = '\0';
    return null_context(keep_log);
}

static const char *const words[] = {"one word", "and another", "three"};

/* Opens the model of the box and trains it; the status of the training. */
static alcore_status train(alcore_ctx *ctx, alcore_pool *pool, const alcore_train_options *options,
                           alcore_train_result *out) {
    alcore_model *model;
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    *out = (alcore_train_result)ALCORE_TRAIN_RESULT_INIT;
    const alcore_status status = alcore_model_train(model, pool, options, out);
    alcore_model_unref(model);
    return status;
}

/* The loss of the null module for the references `words`, of five tokens, times a factor. */
static double loss_of(double factor) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t hash = 14695981039346656037u;
        for (const char *at = words[i]; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        for (uint64_t k = 0; k < (i < 2 ? 2u : 1u); k++) sum += (double)(1 + hash % (k + 7)) / 8;
    }
    return factor * sum / 5;
}

START_TEST(the_best_update_is_kept) {
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done;
    make_box("{\"dims\": 3, \"best\": 4}");
    alcore_pool *pool = pool_of(ctx, words);
    options.updates = 10;
    options.validation = pool;
    options.validate_every = 2;
    options.best = best;
    options.checkpoints = kept;
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_int_eq(done.updates, 10);
    ck_assert_int_eq(done.resumed, 0);
    ck_assert_int_eq(done.best_update, 4);
    ck_assert_double_eq_tol(done.best_value, loss_of(1), 1e-9);
    ck_assert_int_eq(done.stopped, 0);
    ck_assert_ptr_nonnull(strstr(text_of(best, "config.json"), "\"trained\": 4,"));
    /* A line each, with the values that the tokens say. */
    const char *lines = text_of(kept, "validations.tsv");
    ck_assert_ptr_nonnull(strstr(lines, "update\tvalue\tmetric\tevery\tdata\n2\t"));
    const struct {
        const char *line;
        double factor;
    } expected[] = {{"\n2\t", 3}, {"\n4\t", 1}, {"\n6\t", 3}, {"\n8\t", 5}, {"\n10\t", 7}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *found = strstr(lines, expected[i].line);
        ck_assert_ptr_nonnull(found);
        ck_assert_double_eq_tol(strtod(found + strlen(expected[i].line), NULL),
                                loss_of(expected[i].factor), 1e-9);
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

START_TEST(patience_ends_a_training) {
    static const struct {
        int64_t every, patience, updates, best;
        int32_t stopped;
    } cases[] = {
        {1, 2, 6, 4, 1},  {2, 1, 6, 4, 1},   {3, 2, 9, 3, 1},
        {1, 6, 10, 4, 0}, {0, 1, 10, 10, 0}, {7, 1, 10, 7, 0},
    };
    alcore_ctx *ctx = context();
    make_box("{\"dims\": 3, \"best\": 4}");
    alcore_pool *pool = pool_of(ctx, words);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
        alcore_train_result done;
        options.updates = 10;
        options.validation = pool;
        options.validate_every = cases[i].every;
        options.patience = cases[i].patience;
        ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
        ck_assert_int_eq(done.updates, cases[i].updates);
        ck_assert_int_eq(done.best_update, cases[i].best);
        ck_assert_int_eq(done.stopped, cases[i].stopped);
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

/* A training that was killed after update 5, and went on from its checkpoint of update 3, has the
 * validations and the end of one that was never interrupted. */
START_TEST(validations_are_taken_over) {
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result whole, done;
    char lines[2000], changed[2000];
    make_box("{\"dims\": 3, \"best\": 4}");
    alcore_pool *pool = pool_of(ctx, words);
    options.updates = 10;
    options.validation = pool;
    options.validate_every = 1;
    options.patience = 2;
    options.checkpoints = kept;
    ck_assert_int_eq(train(ctx, pool, &options, &whole), ALCORE_OK);
    ck_assert_int_eq(whole.updates, 6);
    snprintf(lines, sizeof lines, "%s", text_of(kept, "validations.tsv"));
    write_in(kept, "config.json", "{\"dims\": 3, \"best\": 4, \"trained\": 3, \"update\": 3}");
    snprintf(changed, sizeof changed, "%s", lines);
    *strstr(changed, "\n6\t") = '\0';
    strcat(changed, "\n");
    write_in(kept, "validations.tsv", changed);
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_int_eq(done.resumed, 3);
    ck_assert_ptr_nonnull(strstr(logged, "goes on after update 3 of 10"));
    ck_assert_int_eq(done.updates, 6);
    ck_assert_int_eq(done.best_update, 4);
    ck_assert_double_eq(done.best_value, whole.best_value);
    ck_assert_int_eq(done.stopped, 1);
    ck_assert_str_eq(text_of(kept, "validations.tsv"), lines);
    /* Once more: it has ended, and makes no update. */
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_int_eq(done.resumed, 6);
    ck_assert_int_eq(done.updates, 6);
    ck_assert_int_eq(done.stopped, 1);
    /* Lost validations are an error: the next value would count as the best one. */
    char path[120];
    snprintf(path, sizeof path, "%s/validations.tsv", kept);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "take another folder for checkpoints"));
    write_in(kept, "validations.tsv", lines);
    /* Another validation, and a damaged file. */
    options.validate_every = 2;
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "validations.tsv:2: made with another"));
    options.validate_every = 1;
    static const char *const damaged[] = {"update\n", "update\tvalue\tmetric\tevery\tdata\nx\t1\n",
                                          "update\tvalue\tmetric\tevery\tdata\n0\t1\n"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_in(kept, "validations.tsv", damaged[i]);
        ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_CORRUPT);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no validation"));
    }
    *strstr(lines, "\n2\t") = 'x';
    write_in(kept, "validations.tsv", lines);
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_CORRUPT);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

/* The null module translates a text into itself, whatever it was trained on. */
START_TEST(bleu_compares_outputs_with_references) {
    static const char *const same[] = {"one text of five words", "another text", "a third"};
    static const char *const none[] = {"x", "y", "z"};
    alcore_ctx *ctx = context();
    make_box("{\"dims\": 3}");
    for (int i = 0; i < 2; i++) {
        alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
        alcore_train_result done;
        alcore_pool *pool = pool_of(ctx, i == 0 ? same : none);
        options.validation = pool;
        options.metric = ALCORE_VALIDATE_BLEU;
        ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
        ck_assert_int_eq(done.best_update, 3);
        const double wanted = i == 0 ? 100 : 0;
        ck_assert_double_eq_tol(done.best_value, wanted, 1e-9);
        alcore_pool_unref(pool);
    }
    ck_assert_ptr_nonnull(strstr(logged, "translate: beams 1"));
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

/* 133: embed, class_probs and train. The other class is always the more probable one, of
 * probability 1 - (1 + hash mod 16) / 32 or 1/2. */
START_TEST(classifiers_are_measured_by_accuracy) {
    static const char *const ones[] = {"1", "1", "1"}, *const zeros[] = {"0", "0", "0"};
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result right, wrong, loss;
    make_box("{\"dims\": 3, \"calls\": 133}");
    alcore_pool *first = pool_of(ctx, ones), *second = pool_of(ctx, zeros);
    options.metric = ALCORE_VALIDATE_ACCURACY;
    options.validation = first;
    ck_assert_int_eq(train(ctx, first, &options, &right), ALCORE_OK);
    options.validation = second;
    ck_assert_int_eq(train(ctx, first, &options, &wrong), ALCORE_OK);
    ck_assert_double_gt(right.best_value, 0.5);
    ck_assert_double_eq_tol(right.best_value + wrong.best_value, 1, 1e-12);
    options.metric = ALCORE_VALIDATE_LOSS;
    ck_assert_int_eq(train(ctx, first, &options, &loss), ALCORE_OK);
    ck_assert_double_gt(loss.best_value, log(2));
    options.metric = ALCORE_VALIDATE_BLEU;
    ck_assert_int_eq(train(ctx, first, &options, &loss), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no validation by bleu: it gives classes"));
    alcore_pool_unref(first);
    alcore_pool_unref(second);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

START_TEST(weights_are_a_column) {
    static const char *const references[] = {"a", "b", NULL};
    double numbers[] = {0.5, 1, 2};
    int64_t three = 3;
    alcore_ctx *ctx = context();
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_train_result done;
    alcore_tensor tensor;
    make_box("{\"dims\": 3}");
    alcore_pool *pool = pool_of(ctx, words), *poor = pool_of(ctx, references);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT64, &three, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_set_column(pool, "weight", &tensor, NULL, NULL), ALCORE_OK);
    options.weights = "weight";
    options.optimizer = ALCORE_OPTIMIZER_ADAM;
    options.beta1 = 0.5;
    options.beta2 = 0.75;
    options.epsilon = 0.25;
    options.precision = ALCORE_PRECISION_BFLOAT16;
    options.recompute = 1;
    options.lora_rank = 2;
    options.lora_alpha = 3;
    options.lora_dropout = 0.5;
    options.lora_targets = "q v";
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_ptr_nonnull(strstr(logged, "betas 0.5 0.75, epsilon 0.25"));
    ck_assert_ptr_nonnull(strstr(logged,
                                 "optimizer 1, seed 0, dtype 102, recompute 1, lora 2 3 0.5 q v, "
                                 "weights 0.5 1 2\n"));
    /* A 0 is 0, and what is not set has its default. */
    options.beta1 = options.beta2 = 0;
    options.epsilon = ALCORE_UNSET;
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_ptr_nonnull(strstr(logged, "betas 0 0, epsilon 1e-08"));
    options.beta1 = options.beta2 = ALCORE_UNSET;
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_OK);
    ck_assert_ptr_nonnull(strstr(logged, "rate 5e-05"));
    ck_assert_ptr_nonnull(strstr(logged, "betas 0.9 0.999"));
    options.weights = "wait";
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "wait"));
    options.weights = "weight";
    static const double bad[] = {0, -1, 1e-60};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        numbers[1] = bad[i];
        ck_assert_int_eq(alcore_pool_set_column(pool, "weight", &tensor, NULL, NULL), ALCORE_OK);
        ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "column 'weight', row 1 (id 2)"));
    }
    /* Every row of the validation needs a reference too. */
    options = (alcore_train_options)ALCORE_TRAIN_OPTIONS_INIT;
    options.validation = poor;
    ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 2"));
    alcore_pool_unref(pool);
    alcore_pool_unref(poor);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

START_TEST(validation_options_need_a_pool) {
    alcore_ctx *ctx = context();
    alcore_train_result done;
    make_box("{\"dims\": 3}");
    alcore_pool *pool = pool_of(ctx, words);
#define REFUSED(member, value, word)                                                               \
    do {                                                                                           \
        alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;                                  \
        options.member = value;                                                                    \
        ck_assert_int_eq(train(ctx, pool, &options, &done), ALCORE_E_PARAM);                       \
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), word));                                  \
    } while (0)
    REFUSED(validate_every, 1, "validate_every needs validation");
    REFUSED(patience, 1, "patience needs validation");
    REFUSED(metric, ALCORE_VALIDATE_BLEU, "metric needs validation");
    REFUSED(best, "x", "best needs validation");
    REFUSED(validate_every, -1, "validate_every is not");
    REFUSED(metric, 7, "metric 7");
    REFUSED(optimizer, 2, "optimizer 2");
    REFUSED(beta1, 1, "beta1 is not below 1");
    REFUSED(rate, 0, "rate is 0, not above 0");
    REFUSED(epsilon, 0, "epsilon is 0, not above 0");
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_box();
}
END_TEST

CHECK_SUITE("model validate", the_best_update_is_kept, patience_ends_a_training,
            validations_are_taken_over, bleu_compares_outputs_with_references,
            classifiers_are_measured_by_accuracy, weights_are_a_column,
            validation_options_need_a_pool);
