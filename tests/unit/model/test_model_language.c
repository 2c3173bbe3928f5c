/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the outputs of a model of several (alcore_model_set_language()), and dropout in
 * scores (alcore_model_set_dropout()), with the null module (module/null_model.c), which logs what
 * it is given of both. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model_folder.h"
#include "training_pool.h"

/* A tokenizer of five words that puts the token of the text's language before it, English (2) where
 * a call names none; 1 is German. */
static const char tokenizer[] =
    "{\"version\": \"1.0\", \"added_tokens\": ["
    "{\"id\": 0, \"content\": \"</s>\", \"single_word\": false, \"lstrip\": false, \"rstrip\": "
    "false, \"normalized\": false, \"special\": true},"
    "{\"id\": 1, \"content\": \"__de__\", \"single_word\": false, \"lstrip\": false, \"rstrip\": "
    "false, \"normalized\": false, \"special\": true},"
    "{\"id\": 2, \"content\": \"__en__\", \"single_word\": false, \"lstrip\": false, \"rstrip\": "
    "false, \"normalized\": false, \"special\": true}],"
    "\"normalizer\": null, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, \"decoder\": null,"
    "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": "
    "{\"id\": \"__en__\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}, "
    "{\"SpecialToken\": {\"id\": \"</s>\", \"type_id\": 0}}], \"pair\": [{\"Sequence\": {\"id\": "
    "\"A\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"B\", \"type_id\": 0}}], "
    "\"special_tokens\": {\"__en__\": {\"id\": \"__en__\", \"ids\": [2], \"tokens\": "
    "[\"__en__\"]}, \"</s>\": {\"id\": \"</s>\", \"ids\": [0], \"tokens\": [\"</s>\"]}}},"
    "\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"</s>\": 0, \"__de__\": 1, \"__en__\": 2, "
    "\"<unk>\": 3, \"text\": 4}, \"unk_token\": \"<unk>\"}}";

static char line[200]; /* the last one of the log */

static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    snprintf(line, sizeof line, "%s", message);
}

/* A context with a model of a new folder. */
static alcore_ctx *begin(const char *config, alcore_model **model) {
    alcore_ctx *ctx = null_context(keep_line);
    new_folder(config);
    write_file("tokenizer.json", tokenizer);
    MUST(alcore_model_open(ctx, folder, NULL, model));
    return ctx;
}

static const char *const references[3] = {"text", "a text", "text text"};

/* The line that the module logs for "logprobs", of the model's own outputs or of references. */
static void expect_scored(alcore_model *model, alcore_pool *pool, bool of_references,
                          const char *expected) {
    line[0] = '\0';
    MUST(of_references ? alcore_model_score(model, pool)
                       : alcore_model_run(model, pool, "logprobs"));
    ck_assert_str_eq(line, expected);
}

static void expect_translated(alcore_model *model, alcore_pool *pool, const char *language,
                              const char *expected) {
    const alcore_translate_options options = {.size = sizeof options,
                                              .best = 2,
                                              .language = language,
                                              .length_penalty = ALCORE_UNSET,
                                              .temperature = ALCORE_UNSET};
    alcore_pool *out;
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(line, expected);
    alcore_pool_unref(out);
}

/* An engine that reads texts itself gets the name, of outputs and of each reference. */
START_TEST(the_language_reaches_every_call) {
    alcore_model *model;
    alcore_ctx *ctx = begin("{\"dims\": 3}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    expect_scored(model, pool, false, "");
    MUST(alcore_model_set_language(model, "de_DE"));
    expect_scored(model, pool, false, "token_logprobs: language de_DE, token -1, targets in none");
    expect_scored(model, pool, true, "token_logprobs: language de_DE, token -1, targets in de_DE");
    expect_translated(model, pool, NULL, "translate: outputs 2, language de_DE, token -1");
    expect_translated(model, pool, "ro_RO", "translate: outputs 2, language ro_RO, token -1");
    MUST(alcore_model_set_language(model, NULL));
    expect_scored(model, pool, true, "");
    expect_translated(model, pool, NULL, "translate: outputs 2, language none, token -1");
    end_model(ctx, pool, model);
}
END_TEST

/* Ids are those of the tokenizer: the token of the language goes to the engine, and begins each
 * reference. Its log-probabilities follow from the hash of the ids. */
START_TEST(the_language_is_a_token_of_the_tokenizer) {
    alcore_model *model;
    alcore_ctx *ctx = begin("{\"dims\": 3, \"tokens\": 1}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    MUST(alcore_model_set_language(model, "de"));
    expect_scored(model, pool, false, "token_logprobs: language de, token 1, targets in none");
    expect_translated(model, pool, NULL, "translate: outputs 2, language de, token 1");
    expect_translated(model, pool, "en", "translate: outputs 2, language en, token 2");
    for (int64_t token = 1; token <= 2; token++) {
        const int64_t ids[] = {token, 4, 0};
        uint64_t hash = 14695981039346656037u;
        alcore_tensor values;
        MUST(alcore_model_set_language(model, token == 1 ? "de" : "en"));
        MUST(alcore_model_score(model, pool));
        MUST(alcore_pool_get_column(pool, "logprobs", &values, NULL));
        for (size_t i = 0; i < sizeof ids; i++)
            hash = (hash ^ ((const unsigned char *)ids)[i]) * 1099511628211u;
        for (uint64_t k = 0; k < 3; k++)
            ck_assert_float_eq(((const float *)values.data)[k],
                               -(float)(1 + hash % (k + 7)) / 8.0f);
    }
    end_model(ctx, pool, model);
}
END_TEST

/* The origin of a column says the language, by which one of another language is not used; that of
 * embeddings does not, which are the same in each. */
START_TEST(only_log_probabilities_depend_on_the_language) {
    alcore_model *model;
    alcore_ctx *ctx = begin("{\"dims\": 3}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    MUST(alcore_model_set_language(model, "de_DE"));
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "logprobs" : "embeddings";
        alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
        MUST(alcore_model_run(model, pool, name));
        MUST(alcore_pool_get_column_info(pool, name, &info));
        ck_assert_int_eq(strstr(info.origin, ", language de_DE") != NULL, i == 0);
    }
    /* A scorer takes the column as it is, and has it made anew in another language. */
    static const char *const languages[] = {"de_DE", "ro_RO"};
    alcore_scorer *scorer;
    MUST(alcore_scorer_new(ctx, "nnll", &scorer));
    for (int i = 0; i < 2; i++) {
        MUST(alcore_model_set_language(model, languages[i]));
        line[0] = '\0';
        MUST(alcore_scorer_run(scorer, pool, model));
        ck_assert_int_eq(strstr(line, "token_logprobs: language ro_RO") != NULL, i == 1);
    }
    alcore_scorer_unref(scorer);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(a_language_that_is_not_there_is_refused) {
    alcore_model *model, *other;
    alcore_ctx *ctx = begin("{\"dims\": 3, \"tokens\": 1}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    MUST(alcore_model_set_language(model, "de"));
    ck_assert_int_eq(alcore_model_set_language(model, "xx"), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "\"xx\" is none"));
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "it has de, en"));
    expect_scored(model, pool, false, "token_logprobs: language de, token 1, targets in none");
    ck_assert_int_eq(alcore_model_set_language(NULL, "de"), ALCORE_E_INVALID);
    /* A model that embeds alone, and one that is not of a folder. */
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"calls\": 1}");
    for (int i = 0; i < 2; i++) {
        MUST(i == 0 ? alcore_model_open(ctx, folder, NULL, &other)
                    : alcore_model_new_ngram(ctx, NULL, NULL, &other));
        ck_assert_int_eq(alcore_model_set_language(other, "de"), ALCORE_E_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has no outputs in a language"));
        MUST(alcore_model_set_language(other, NULL));
        alcore_model_unref(other);
    }
    end_model(ctx, pool, model);
}
END_TEST

/* The seed reaches the engine, and is part of the origin of what is scored, by which a column of
 * another seed is not used; embeddings are the same with each. */
START_TEST(dropout_stays_on_in_scores) {
    alcore_model *model;
    alcore_ctx *ctx = begin("{\"dims\": 3}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    MUST(alcore_model_set_dropout(model, 1, 7));
    expect_scored(model, pool, true, "token_logprobs: dropout of seed 7");
    MUST(alcore_pool_get_column_info(pool, "logprobs", &info));
    ck_assert_ptr_nonnull(strstr(info.origin, ", dropout of seed 7, of the references"));
    MUST(alcore_model_run(model, pool, "embeddings"));
    MUST(alcore_pool_get_column_info(pool, "embeddings", &info));
    ck_assert_ptr_null(strstr(info.origin, "dropout"));
    MUST(alcore_model_set_dropout(model, 0, 9));
    expect_scored(model, pool, true, "");
    MUST(alcore_pool_get_column_info(pool, "logprobs", &info));
    ck_assert_ptr_null(strstr(info.origin, "dropout"));
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(dropout_that_scores_nothing_is_refused) {
    alcore_model *model, *other;
    alcore_ctx *ctx = begin("{\"dims\": 3, \"tokens\": 1}", &model);
    alcore_pool *pool = pool_of(ctx, references);
    ck_assert_int_eq(alcore_model_set_dropout(NULL, 1, 0), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_model_set_dropout(model, 2, 0), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "on is 2"));
    /* A model that embeds alone, and one that is not of a folder. */
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"calls\": 1}");
    for (int i = 0; i < 2; i++) {
        MUST(i == 0 ? alcore_model_open(ctx, folder, NULL, &other)
                    : alcore_model_new_ngram(ctx, NULL, NULL, &other));
        ck_assert_int_eq(alcore_model_set_dropout(other, 1, 0), ALCORE_E_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "in which dropout could be on"));
        MUST(alcore_model_set_dropout(other, 0, 0));
        alcore_model_unref(other);
    }
    end_model(ctx, pool, model);
}
END_TEST

CHECK_SUITE("model language", the_language_reaches_every_call,
            the_language_is_a_token_of_the_tokenizer, only_log_probabilities_depend_on_the_language,
            a_language_that_is_not_there_is_refused, dropout_stays_on_in_scores,
            dropout_that_scores_nothing_is_refused);
