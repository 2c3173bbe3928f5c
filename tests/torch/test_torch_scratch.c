/* SPDX-License-Identifier: Apache-2.0 */
/* Plain Transformers that are trained from scratch: a folder with nothing but config.json opens
 * with random weights, learns to reverse its input, and is a folder like any other when it is
 * saved. */
#include <sys/stat.h>

#include "check_suite.h"
#include "torch_training.h"

enum { TEXTS = 60, LETTERS = 6, WORDS = 12, FINISH = 2, FIRST_LETTER = 4 };

/* Makes the scratch folder with a config.json. */
static void make_config(const char *seed, bool pre_norm) {
    char more[200];
    snprintf(more, sizeof more,
             "\"activation_function\": \"relu\", \"scale_embedding\": true,\n"
             " \"normalize_before\": %s, \"dropout\": 0.0%s%s",
             pre_norm ? "true" : "false", *seed ? ", \"random_seed\": " : "", seed);
    const plain_model model = {WORDS, 32, 2, 4, 64, 20, more};
    make_plain(&model);
}

/* Texts of 2 to 6 letters with the end of sentence, and the same reversed. */
static void make_texts(int64_t *sources, int64_t *targets, int64_t *offsets) {
    uint32_t state = 9;
    offsets[0] = 0;
    for (int i = 0; i < TEXTS; i++) {
        int length = 2 + i % (LETTERS - 1);
        for (int k = 0; k < length; k++) {
            state = state * 1664525u + 1013904223u;
            sources[offsets[i] + k] =
                FIRST_LETTER + (int64_t)(state >> 16) % (WORDS - FIRST_LETTER);
        }
        for (int k = 0; k < length; k++)
            targets[offsets[i] + k] = sources[offsets[i] + length - 1 - k];
        sources[offsets[i] + length] = targets[offsets[i] + length] = FINISH;
        offsets[i + 1] = offsets[i] + length + 1;
    }
}

/* How many texts the model of a folder reverses. */
static int count_reversed(const char *folder, const alcore_sys_model_texts *sources,
                          const int64_t *targets) {
    results out = {0};
    int right = 0;
    alcore_sys_model_sink sink = sink_of(&out);
    alcore_sys_model *model = open_folder(folder, 0, 0, 0);
    alcore_sys_model_decoding how = {.size = sizeof how, .max_tokens = 10};
    ck_assert_int_eq(engine->translate(model, sources, &how, &sink), ALCORE_OK);
    for (int i = 0; i < TEXTS; i++) {
        int64_t length = sources->offsets[i + 1] - sources->offsets[i];
        right += out.counts[i] == length &&
                 !memcmp(out.ids[i], targets + sources->offsets[i], (size_t)length * 8);
    }
    engine->close(model);
    free_results(&out);
    return right;
}

START_TEST(reversing_is_learned_from_scratch) {
    begin();
    int64_t ids[TEXTS * (LETTERS + 1)], reversed[TEXTS * (LETTERS + 1)], offsets[TEXTS + 1];
    make_texts(ids, reversed, offsets);
    alcore_sys_model_texts sources = {
        .size = sizeof sources, .count = TEXTS, .ids = ids, .offsets = offsets};
    alcore_sys_model_texts targets = sources;
    targets.ids = reversed;
    for (int pre_norm = 0; pre_norm < 2; pre_norm++) {
        make_config("7", pre_norm);
        ck_assert_int_lt(count_reversed(scratch, &sources, reversed), TEXTS / 10);
        alcore_sys_model_training how = {.size = sizeof how,
                                         .sources = &sources,
                                         .targets = &targets,
                                         .rate = 3e-3,
                                         .updates = 400,
                                         .warmup = 40,
                                         .schedule = ALCORE_SYS_SCHEDULE_INVERSE_SQRT,
                                         .clip = 1,
                                         .label_smoothing = 0.05};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        alcore_status status = engine->train(model, &how, NULL);
        ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
        save_scratch(model);
        engine->close(model);
        ck_assert_int_ge(count_reversed(saved, &sources, reversed), TEXTS * 9 / 10);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* The version of the model in the scratch folder, which is a hash of its weights. */
static void version_of(const char *folder, char version[200]) {
    alcore_sys_model *model = open_folder(folder, 0, 0, 0);
    alcore_sys_model_info info = {.size = sizeof info};
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    snprintf(version, 200, "%s", info.version);
    engine->close(model);
}

START_TEST(the_seed_draws_the_weights) {
    begin();
    char versions[4][200];
    make_config("7", true);
    version_of(scratch, versions[0]);
    version_of(scratch, versions[1]);
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    save_scratch(model);
    engine->close(model);
    version_of(saved, versions[2]); /* the weights in the file count, not the seed beside them */
    remove_scratch();
    make_config("8", true);
    version_of(scratch, versions[3]);
    remove_scratch();
    ck_assert_str_eq(versions[0], versions[1]);
    ck_assert_str_eq(versions[0], versions[2]);
    ck_assert_str_ne(versions[0], versions[3]);
    make_config("", true);
    ck_assert_int_eq(engine->open(ctx, scratch, NULL, &model), ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "model.safetensors is missing"));
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Embeddings have the variance 1 / dims, other matrices 2 / (rows + columns); norms are 1 and
 * biases 0. */
START_TEST(drawn_weights_are_spread_as_documented) {
    begin();
    static const struct {
        const char *name;
        double variance;
    } cases[] = {{"model.shared.weight", 1.0 / 32},
                 {"model.encoder.layers.0.fc1.weight", 2.0 / 96},
                 {"model.decoder.layers.1.encoder_attn.k_proj.weight", 2.0 / 64}};
    make_config("7", true);
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    save_scratch(model);
    engine->close(model);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        array found = read_saved(cases[i].name);
        ck_assert_ptr_nonnull(found.data);
        int64_t count = found.shape[0] * found.shape[1];
        double sum = 0;
        for (int64_t k = 0; k < count; k++) {
            double value = (double)((float *)found.data)[k];
            sum += value * value;
        }
        ck_assert_double_eq_tol(sum / (double)count / cases[i].variance, 1, 0.4);
        free(found.data);
    }
    array norm = read_saved("model.encoder.layer_norm.weight"),
          bias = read_saved("model.encoder.layers.1.fc2.bias");
    for (int k = 0; k < 32; k++) {
        ck_assert_float_eq(((float *)norm.data)[k], 1);
        ck_assert_float_eq(((float *)bias.data)[k], 0);
    }
    free(norm.data);
    free(bias.data);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch scratch", reversing_is_learned_from_scratch, the_seed_draws_the_weights,
            drawn_weights_are_spread_as_documented);
