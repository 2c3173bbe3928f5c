/* SPDX-License-Identifier: Apache-2.0 */
/* The torch engine against PyPI's transformers: every folder of tests/torch/fixtures is opened, fed
 * with the token ids of its expected.safetensors, and gives the numbers that stand there (written
 * by make_fixtures.py): to 1e-5 (1 + |x|) on hidden states, 1e-4 (1 + |x|) on log-probabilities. */
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "torch_training.h"

static void expect(const results *all, const array *expected, double tolerance, const char *what) {
    const float *next = expected->data;
    const float *end = next + expected->shape[0] * expected->shape[1];
    for (int i = 0; i < MOST_TEXTS && all->values[i]; i++)
        for (int64_t k = 0; k < all->counts[i]; k++, next++) {
            ck_assert_msg(next < end, "%s: more numbers than expected", what);
            ck_assert_msg(fabs((double)*next - (double)all->values[i][k]) <=
                              tolerance * (1 + fabs((double)*next)),
                          "%s: text %d, number %lld: %.8g, transformers says %.8g", what, i,
                          (long long)k, (double)all->values[i][k], (double)*next);
        }
    ck_assert_msg(next == end, "%s: fewer numbers than expected", what);
}

/* ---- one folder ---- */

static int checks; /* arrays of expected.safetensors that were compared */

static void check_embedding(const char *folder, int32_t pooling, int32_t layer, const char *name) {
    array expected = read_array(folder, name);
    if (!expected.data) return;
    inputs in = read_inputs(folder, "");
    for (int64_t batch = 0; batch <= 16; batch += 16) { /* one batch, then several small ones */
        results all = {0};
        alcore_sys_model_sink sink = sink_of(&all);
        alcore_sys_model *model = open_folder(folder, pooling, layer, batch);
        alcore_status status = engine->embed(model, &in.texts, &sink);
        ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
        ck_assert(batch == 0 || all.puts > 1);
        char what[700];
        snprintf(what, sizeof what, "%s %s", folder, name);
        expect(&all, &expected, 1e-5, what);
        expect_first_device();
        engine->close(model);
        free_results(&all);
    }
    checks++;
    free_inputs(&in);
    free(expected.data);
}

static void check_embeddings(const char *folder) {
    static const char *const poolings[] = {"auto", "mean", "first", "pooler", "words",
                                           "max",  NULL,   NULL,    "last"};
    char name[40];
    for (int32_t pooling = 1; pooling <= 8; pooling++)
        for (int32_t layer = -1; layer <= 3 && poolings[pooling]; layer++) {
            snprintf(name, sizeof name, "embed.%s.%d", poolings[pooling], layer);
            check_embedding(folder, pooling, layer, name);
        }
}

static void check_head(const char *folder, const char *name) {
    array expected = read_array(folder, name);
    if (!expected.data) return;
    inputs in = read_inputs(folder, ""), targets = {0};
    results all = {0};
    alcore_sys_model_sink sink = sink_of(&all);
    alcore_sys_model *model = open_folder(folder, 0, 0, 30);
    alcore_status status;
    if (!strcmp(name, "class_probs")) {
        status = engine->class_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "token_probs")) {
        status = engine->token_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "qa_probs")) {
        status = engine->qa_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "mlm_losses")) {
        status = engine->mlm_losses(model, &in.texts, NULL, &sink);
    } else if (!strcmp(name, "text_logprobs")) { /* of a language model */
        status = engine->token_logprobs(model, &in.texts, NULL, NULL, &sink);
    } else {
        targets = read_inputs(folder, "target.");
        status = engine->token_logprobs(model, &in.texts, &targets.texts, NULL, &sink);
    }
    ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
    char what[700];
    snprintf(what, sizeof what, "%s %s", folder, name);
    ck_assert_int_eq(all.items, in.texts.count);
    expect(&all, &expected, 1e-4, what);
    checks++;
    engine->close(model);
    free_results(&all);
    free_inputs(&in);
    free_inputs(&targets);
    free(expected.data);
}

/* Outputs start behind the token that starts every output; generate() keeps that one. beams and
 * most: as of alcore_sys_model_decoding, 0 what the folder says. */
static void check_decoding(const char *folder, const char *name, int32_t beams, int64_t most) {
    char key[40];
    snprintf(key, sizeof key, "%s.", name);
    inputs expected = read_inputs(folder, key);
    if (!expected.ids.data) {
        free_inputs(&expected);
        return;
    }
    snprintf(key, sizeof key, "%s.scores", name);
    array scores = read_array(folder, key);
    inputs in = read_inputs(folder, "");
    for (int64_t batch = 0; batch <= 12; batch += 12) {
        results all = {0};
        alcore_sys_model_sink sink = sink_of(&all);
        alcore_sys_model *model = open_folder(folder, 0, 0, batch);
        alcore_sys_model_decoding how = {.size = sizeof how, .beams = beams, .max_tokens = most};
        alcore_status status = engine->translate(model, &in.texts, &how, &sink);
        ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
        ck_assert_int_eq(all.items, in.texts.count);
        for (int64_t i = 0; i < in.texts.count; i++) {
            const int64_t *row = expected.texts.ids + expected.texts.offsets[i] + 1;
            int64_t count = expected.texts.offsets[i + 1] - expected.texts.offsets[i] - 1;
            for (int64_t k = 0; k < count && k < all.counts[i]; k++)
                ck_assert_msg(row[k] == all.ids[i][k],
                              "%s %s: text %lld, token %lld is %lld, transformers says %lld",
                              folder, name, (long long)i, (long long)k, (long long)all.ids[i][k],
                              (long long)row[k]);
            ck_assert_msg(all.counts[i] == count, "%s %s: text %lld has %lld tokens, not %lld",
                          folder, name, (long long)i, (long long)all.counts[i], (long long)count);
            if (scores.data)
                ck_assert_double_eq_tol(all.scores[i], (double)((float *)scores.data)[i], 1e-4);
        }
        engine->close(model);
        free_results(&all);
    }
    checks++;
    free_inputs(&in);
    free_inputs(&expected);
    free(scores.data);
}

static void check_folder(const char *folder) {
    static const char *const heads[] = {"class_probs", "token_probs", "qa_probs",
                                        "mlm_losses",  "logprobs",    "text_logprobs"};
    int before = checks;
    check_embeddings(folder);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) check_head(folder, heads[i]);
    check_decoding(folder, "greedy", 1, 9);
    check_decoding(folder, "beam", 4, 9);
    ck_assert_msg(checks > before, "%s: nothing was compared", folder);
}

/* ---- the tests ---- */

START_TEST(every_family_agrees_with_transformers) {
    begin();
    const char *only = getenv("TORCH_FIXTURE"); /* to look at one folder */
    struct dirent *entry;
    DIR *folder = opendir(fixtures());
    int families = 0;
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[600];
        if (entry->d_name[0] == '.' || (only && strcmp(only, entry->d_name))) continue;
        snprintf(path, sizeof path, "%s/%s", fixtures(), entry->d_name);
        check_folder(path);
        families++;
    }
    closedir(folder);
    ck_assert(only || families >= 147);
    ck_assert_int_ge(only ? 627 : checks, 627);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- folders that are changed ---- */

/* tests/torch/generation has one model and, for each NAME.json, what generate() gives with that as
 * generation_config.json: end tokens, lengths, penalties, n-grams, words, beams. */
START_TEST(settings_of_decoding_are_obeyed) {
    begin();
    char from[600];
    snprintf(from, sizeof from, "%s/../generation", fixtures());
    struct dirent *entry;
    DIR *folder = opendir(from);
    ck_assert_ptr_nonnull(folder);
    const int before = checks;
    const char *only = getenv("TORCH_FIXTURE");
    while ((entry = readdir(folder)) != NULL) {
        char name[64], command[2000];
        const char *end = strstr(entry->d_name, ".json");
        if (!end || strstr(entry->d_name, "config")) continue;
        snprintf(name, sizeof name, "%.*s", (int)(end - entry->d_name), entry->d_name);
        if (only && strcmp(only, name)) continue;
        test_folder_make(scratch, "torch");
        snprintf(command, sizeof command, "cp -r %s/. %s && cp %s/%s %s/generation_config.json",
                 from, scratch, from, entry->d_name, scratch);
        ck_assert_int_eq(system(command), 0);
        check_decoding(scratch, name, 0, 0);
        test_folder_remove(scratch);
    }
    closedir(folder);
    ck_assert(only || checks - before >= 22);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The plain Transformer with a norm behind each part is Marian's; with one before it there is a
 * fixture. */
START_TEST(norms_behind_each_part_are_those_of_marian) {
    begin();
    copy_fixture("marian", true);
    size_t count;
    char *config = slurp_from(scratch, "config.json", &count), changed[4096];
    config[count] = 0;
    char *name = strstr(config, "\"marian\"");
    ck_assert_ptr_nonnull(name);
    *name = 0;
    snprintf(changed, sizeof changed, "%s\"alcore_transformer\", \"normalize_before\": false%s",
             config, name + strlen("\"marian\""));
    rewrite_in(scratch, "config.json", changed, strlen(changed));
    const int before = checks;
    check_folder(scratch);
    ck_assert_int_eq(checks - before, 4); /* embeddings, log-probabilities, greedy, beams */
    free(config);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* A device has a number; without one it is the current device. */
START_TEST(the_device_is_the_one_that_was_asked_for) {
    begin();
    char path[600];
    snprintf(path, sizeof path, "%s/bert", fixtures());
    alcore_sys_model *model = open_folder(path, 0, 0, 0);
    alcore_sys_model_info info = {.size = sizeof info};
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    ck_assert_str_eq(info.device, test_device());
    engine->close(model);
    if (strcmp(test_device(), "cpu")) { /* "other" of "other:1" */
        char kind[40];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(test_device(), ":"), test_device());
        alcore_sys_model_options options = {.size = sizeof options, .device = kind};
        ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_OK);
        ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
        strcat(kind, ":0");
        ck_assert_str_eq(info.device, kind);
        ck_assert_ptr_nonnull(strstr(info.json, "\"dtype\": \"BFloat16\""));
        engine->close(model);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Weights of 8 bits of precision give other vectors, near those of float32. */
START_TEST(bfloat16_is_near_float32) {
    begin();
    static const char *const folders[] = {"bert",     "roberta", "t5",      "modernbert",
                                          "eurobert", "nomic",   "deberta", "deberta-wide"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        char path[600];
        results found[2] = {0};
        snprintf(path, sizeof path, "%s/%s", fixtures(), folders[f]);
        inputs in = read_inputs(path, "");
        for (int i = 0; i < 2; i++) {
            alcore_sys_model_options options = {.size = sizeof options,
                                                .device = test_device(),
                                                .dtype = i ? ALCORE_BFLOAT16 : ALCORE_FLOAT32};
            alcore_sys_model *model = NULL;
            alcore_sys_model_sink sink = sink_of(&found[i]);
            ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_OK);
            ck_assert_int_eq(engine->embed(model, &in.texts, &sink), ALCORE_OK);
            engine->close(model);
        }
        double most = 0;
        for (int64_t i = 0; i < in.texts.count; i++)
            for (int64_t k = 0; k < found[0].counts[i]; k++)
                most = fmax(most, fabs((double)found[0].values[i][k] - found[1].values[i][k]));
        ck_assert_msg(most > 1e-6 && most < 0.1, "%s: %g", folders[f], most);
        for (int i = 0; i < 2; i++) free_results(&found[i]);
        free_inputs(&in);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(info_says_what_the_model_is) {
    begin();
    enum {
        SAVED = ALCORE_SYS_MODEL_EMBED | ALCORE_SYS_MODEL_SAVE,
        TRAINED = SAVED | ALCORE_SYS_MODEL_TRAIN | ALCORE_SYS_MODEL_TRAIN_LORA
    };
    static const struct {
        const char *folder;
        uint32_t calls;
        int64_t classes;
    } cases[] = {{"bert", SAVED, 0},
                 {"bert-qa", TRAINED | ALCORE_SYS_MODEL_QA_PROBS, 0},
                 {"roberta-class", TRAINED | ALCORE_SYS_MODEL_CLASS_PROBS, 3},
                 {"distilbert-token", TRAINED | ALCORE_SYS_MODEL_TOKEN_PROBS, 3},
                 {"t5", TRAINED | ALCORE_SYS_MODEL_TOKEN_LOGPROBS | ALCORE_SYS_MODEL_TRANSLATE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600], version[200];
        snprintf(path, sizeof path, "%s/%s", fixtures(), cases[i].folder);
        alcore_sys_model *model = open_folder(path, 0, 0, 0);
        alcore_sys_model_info info = {.size = sizeof info};
        ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
        ck_assert_uint_eq(info.calls, cases[i].calls);
        ck_assert_int_eq(info.classes, cases[i].classes);
        ck_assert_int_eq(info.takes_tokens, 1);
        ck_assert_int_eq(info.dims, 16);
        ck_assert_int_eq(info.vocabulary, 60);
        ck_assert_ptr_nonnull(strstr(info.json, "\"parameters\": "));
        snprintf(version, sizeof version, "%s", info.version);
        engine->close(model);
        /* The same folder has the same version, and another one with other options. */
        model = open_folder(path, 0, 0, 0);
        ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
        ck_assert_str_eq(info.version, version);
        engine->close(model);
        model = open_folder(path, ALCORE_SYS_POOLING_FIRST, 0, 0);
        ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
        ck_assert_str_ne(info.version, version);
        engine->close(model);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Samples depend on the seed alone, not on the batches. */
START_TEST(samples_are_reproducible) {
    begin();
    char path[600];
    snprintf(path, sizeof path, "%s/marian", fixtures());
    inputs in = read_inputs(path, "");
    static results drawn[3];
    for (int i = 0; i < 3; i++) {
        alcore_sys_model *model = open_folder(path, 0, 0, i == 1 ? 10 : 0);
        alcore_sys_model_sink sink = sink_of(&drawn[i]);
        alcore_sys_model_decoding how = {
            .size = sizeof how, .sample = 1, .max_tokens = 8, .seed = i == 2 ? 5 : 4};
        ck_assert_int_eq(engine->translate(model, &in.texts, &how, &sink), ALCORE_OK);
        engine->close(model);
    }
    bool differ = false;
    for (int64_t i = 0; i < in.texts.count; i++) {
        ck_assert_int_eq(drawn[0].counts[i], drawn[1].counts[i]);
        ck_assert_mem_eq(drawn[0].ids[i], drawn[1].ids[i], (size_t)drawn[0].counts[i] * 8);
        differ = differ || drawn[0].counts[i] != drawn[2].counts[i] ||
                 memcmp(drawn[0].ids[i], drawn[2].ids[i], (size_t)drawn[0].counts[i] * 8) != 0;
    }
    ck_assert(differ);
    for (int i = 0; i < 3; i++) free_results(&drawn[i]);
    free_inputs(&in);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The model's own output has the log-probabilities that scoring it as a target gives. */
START_TEST(hypotheses_are_scored_as_targets_are) {
    begin();
    static const char *const folders[] = {"marian", "t5", "m2m100"};
    for (size_t f = 0; f < 3; f++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", fixtures(), folders[f]);
        inputs in = read_inputs(path, "");
        results found = {0}, own = {0}, given = {0};
        alcore_sys_model_sink sink = sink_of(&found);
        alcore_sys_model *model = open_folder(path, 0, 0, 0);
        alcore_sys_model_decoding how = {.size = sizeof how, .beams = 3, .max_tokens = 6};
        ck_assert_int_eq(engine->translate(model, &in.texts, &how, &sink), ALCORE_OK);
        int64_t ids[MOST_TEXTS * 8], offsets[MOST_TEXTS + 1] = {0};
        for (int64_t i = 0; i < in.texts.count; i++) {
            memcpy(ids + offsets[i], found.ids[i], (size_t)found.counts[i] * sizeof *ids);
            offsets[i + 1] = offsets[i] + found.counts[i];
        }
        alcore_sys_model_texts targets = {
            .size = sizeof targets, .count = in.texts.count, .ids = ids, .offsets = offsets};
        sink = sink_of(&given);
        ck_assert_int_eq(engine->token_logprobs(model, &in.texts, &targets, NULL, &sink),
                         ALCORE_OK);
        alcore_sys_model_scoring scoring = {
            .size = sizeof scoring, .what = ALCORE_SYS_SCORE_HYPOTHESIS, .decoding = &how};
        sink = sink_of(&own);
        ck_assert_int_eq(engine->token_logprobs(model, &in.texts, NULL, &scoring, &sink),
                         ALCORE_OK);
        for (int64_t i = 0; i < in.texts.count; i++) {
            ck_assert_int_eq(own.counts[i], given.counts[i]);
            for (int64_t k = 0; k < own.counts[i]; k++)
                ck_assert_float_eq_tol(own.values[i][k], given.values[i][k], 1e-4f);
        }
        ck_assert_int_eq(engine->token_logprobs(model, &in.texts, NULL, NULL, &sink),
                         ALCORE_E_INVALID);
        engine->close(model);
        free_results(&found);
        free_results(&own);
        free_results(&given);
        free_inputs(&in);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* A sink that cancels: the next block of the model ends the call. */
static alcore_status cancel_at_put(void *user, const int64_t *items, const int64_t *lengths,
                                   int64_t count, const alcore_tensor *values) {
    (void)items, (void)count, (void)values, (void)lengths;
    ++*(int *)user;
    alcore_ctx_cancel(ctx);
    return ALCORE_OK;
}

START_TEST(a_call_ends_between_blocks) {
    begin();
    char path[600];
    snprintf(path, sizeof path, "%s/bert", fixtures());
    inputs in = read_inputs(path, "");
    alcore_sys_model *model = open_folder(path, 0, 0, 10);
    int puts = 0;
    alcore_sys_model_sink sink = {.size = sizeof sink, .user = &puts, .put = cancel_at_put};
    ck_assert_int_eq(engine->embed(model, &in.texts, &sink), ALCORE_E_CANCELLED);
    ck_assert_int_eq(puts, 1);
    alcore_ctx_cancel_clear(ctx);
    puts = 0;
    results all = {0};
    sink = sink_of(&all);
    ck_assert_int_eq(engine->embed(model, &in.texts, &sink), ALCORE_OK);
    ck_assert_int_eq(all.items, in.texts.count);
    engine->close(model);
    free_results(&all);
    free_inputs(&in);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Through the public calls: a folder opens by itself, and says what its columns lack. */
START_TEST(folders_open_through_the_library) {
    begin();
    char path[600];
    alcore_model *model;
    alcore_pool *pool;
    const char *text = "one text";
    snprintf(path, sizeof path, "%s/bert", fixtures());
    ck_assert_int_eq(alcore_model_check_engine(ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_model_open(ctx, path, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 1);
    ck_assert_int_eq(alcore_model_can(model, "probs"), 0);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, &text, NULL, 1, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "probs"), ALCORE_E_UNSUPPORTED);
    alcore_pool_unref(pool);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch models", every_family_agrees_with_transformers, settings_of_decoding_are_obeyed,
            norms_behind_each_part_are_those_of_marian, bfloat16_is_near_float32,
            info_says_what_the_model_is, samples_are_reproducible,
            hypotheses_are_scored_as_targets_are, a_call_ends_between_blocks,
            the_device_is_the_one_that_was_asked_for, folders_open_through_the_library);
