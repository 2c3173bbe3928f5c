/* SPDX-License-Identifier: Apache-2.0 */
/* What the torch engine refuses by name: folders with settings that no model has or with damaged
 * files, inputs that are none, devices that are not there. */
#include "check_suite.h"
#include "torch_training.h"

/* Opening the scratch folder fails so, with a text that holds `word`. */
static void expect_refused(alcore_status status, const char *word) {
    alcore_sys_model *model = (alcore_sys_model *)(uintptr_t)1;
    ck_assert_int_eq(engine->open(ctx, scratch, NULL, &model), status);
    ck_assert_ptr_null(model);
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
}

/* A member of config.json of a folder that is put in the place of another one, and a word of the
 * message that refuses it. */
static const struct {
    const char *folder, *member, *other, *word;
    alcore_status status;
} bad_settings[] = {
    {"modernbert", "\"local_attention\": 8", "\"local_attention\": 1", "local_attention",
     ALCORE_E_DATA},
    {"modernbert", "\"sliding_attention\",", "\"chunked_attention\",", "layer_types",
     ALCORE_E_DATA},
    {"modernbert", "\"full_attention\",", "", "num_hidden_layers", ALCORE_E_DATA},
    {"modernbert", "\"rope_type\": \"default\"", "\"rope_type\": \"longrope\"", "longrope",
     ALCORE_E_UNSUPPORTED},
    {"modernbert", "\"norm_bias\": false", "\"norm_bias\": true", "norm.bias", ALCORE_E_DATA},
    {"modernbert-class", "\"mean\"", "\"max\"", "classifier_pooling", ALCORE_E_DATA},
    {"eurobert", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", "num_key_value_heads",
     ALCORE_E_DATA},
    {"eurobert-class", "\"late\"", "\"cls\"", "classifier_pooling", ALCORE_E_DATA},
    {"nomic", "\"hidden_size\"", "\"n_embd\"", "hidden_size", ALCORE_E_DATA},
    {"deberta", "\"layer_norm\"", "\"rms_norm\"", "norm_rel_ebd", ALCORE_E_DATA},
    {"deberta", "\"position_buckets\": 8", "\"position_buckets\": 1", "position_buckets",
     ALCORE_E_DATA},
    {"deberta", "\"position_buckets\": 8", "\"position_buckets\": 10", "rel_embeddings",
     ALCORE_E_SHAPE},
    {"deberta-wide", "\"conv_kernel_size\": 3", "\"conv_kernel_size\": 2", "conv_kernel_size",
     ALCORE_E_DATA},
    {"deberta-wide", "\"conv_groups\": 2", "\"conv_groups\": 3", "conv_groups", ALCORE_E_DATA},
};

START_TEST(bad_settings_are_refused_by_name) {
    begin();
    for (size_t i = 0; i < sizeof bad_settings / sizeof *bad_settings; i++) {
        copy_fixture(bad_settings[i].folder, true);
        size_t count;
        char *config = slurp_from(scratch, "config.json", &count), text[4000];
        config = realloc(config, count + 1);
        config[count] = 0;
        const char *member = strstr(config, bad_settings[i].member);
        ck_assert_msg(member != NULL, "%s", bad_settings[i].member);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(member - config), config,
                 bad_settings[i].other, member + strlen(bad_settings[i].member));
        rewrite_in(scratch, "config.json", text, strlen(text));
        expect_refused(bad_settings[i].status, bad_settings[i].word);
        free(config);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(damaged_folders_are_refused) {
    begin();
    copy_fixture("bert", true);
    size_t count, config_count;
    char *weights = slurp_from(scratch, "model.safetensors", &count),
         *config = slurp_from(scratch, "config.json", &config_count);
    static const struct {
        const char *text, *word;
        alcore_status status;
    } configs[] = {
        {"{", "config.json", ALCORE_E_DATA},
        {"[]", "config.json", ALCORE_E_DATA},
        {"{}", "model_type", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"gpt2\"}", "bert, roberta", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"new\"}", "gte-multilingual", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"gte\"}", "only transformers has the code", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"deberta\"}", "before version 2", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"modernbert-decoder\"}", "decoder-only", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"bert\", \"model_type\": \"bert\"}", "duplicate", ALCORE_E_DATA},
        {"{\"model_type\": \"bert\"}", "hidden_size", ALCORE_E_DATA},
        {"{\"model_type\": \"bert\", \"hidden_size\": 16, \"num_attention_heads\": 3}", "heads",
         ALCORE_E_DATA},
        {"{\"model_type\": \"bert\", \"hidden_size\": 16, \"num_attention_heads\": 2, "
         "\"num_hidden_layers\": 2, \"intermediate_size\": 24, \"max_position_embeddings\": 32, "
         "\"position_embedding_type\": \"relative_key\"}",
         "relative_key", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"bert\", \"hidden_size\": 32, \"num_attention_heads\": 2, "
         "\"num_hidden_layers\": 2, \"intermediate_size\": 24, \"max_position_embeddings\": 32}",
         "shape", ALCORE_E_SHAPE},
        {"{\"model_type\": \"bert\", \"hidden_size\": 16, \"num_attention_heads\": 2, "
         "\"num_hidden_layers\": 3, \"intermediate_size\": 24, \"max_position_embeddings\": 32}",
         "layer.2", ALCORE_E_DATA},
    };
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        rewrite_in(scratch, "config.json", configs[i].text, strlen(configs[i].text));
        expect_refused(configs[i].status, configs[i].word);
    }
    rewrite_in(scratch, "config.json", config, config_count);
    /* Cut off at every length of the header's start, and at steps of the rest. */
    for (size_t length = 0; length < count; length += length < 64 ? 1 : 997) {
        rewrite_in(scratch, "model.safetensors", weights, length);
        expect_refused(ALCORE_E_DATA, "model.safetensors");
    }
    /* A header that claims to be longer than the file, and one that is no JSON. */
    char *damaged = malloc(count);
    memcpy(damaged, weights, count);
    memset(damaged, 0xff, 8);
    rewrite_in(scratch, "model.safetensors", damaged, count);
    expect_refused(ALCORE_E_DATA, "header");
    memcpy(damaged, weights, count);
    damaged[8] = ' ';
    rewrite_in(scratch, "model.safetensors", damaged, count);
    expect_refused(ALCORE_E_DATA, "header");
    /* One byte more than the header speaks of. */
    char *longer = calloc(count + 1, 1);
    memcpy(longer, weights, count);
    rewrite_in(scratch, "model.safetensors", longer, count + 1);
    expect_refused(ALCORE_E_DATA, "bytes of numbers");
    /* Every digit of the header changed in turn is refused or opens: nothing crashes. */
    uint64_t header;
    memcpy(&header, weights, sizeof header);
    for (size_t i = 8; i < 8 + header; i += 7) {
        if (weights[i] < '0' || weights[i] > '9') continue;
        memcpy(damaged, weights, count);
        damaged[i] = (char)('0' + (weights[i] - '0' + 1) % 10);
        rewrite_in(scratch, "model.safetensors", damaged, count);
        alcore_sys_model *model = NULL;
        alcore_status status = engine->open(ctx, scratch, NULL, &model);
        ck_assert((status == ALCORE_OK) == (model != NULL));
        engine->close(model);
    }
    char path[200];
    snprintf(path, sizeof path, "%s/model.safetensors", scratch);
    ck_assert_int_eq(remove(path), 0);
    expect_refused(ALCORE_E_IO, "model.safetensors is missing");
    rewrite_in(scratch, "pytorch_model.bin", "x", 1);
    expect_refused(ALCORE_E_UNSUPPORTED, "weights_only=True");
    free(damaged);
    free(longer);
    free(weights);
    free(config);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(wrong_inputs_are_refused) {
    begin();
    char path[600];
    snprintf(path, sizeof path, "%s/bert", fixtures());
    alcore_sys_model *model = open_folder(path, 0, 0, 0);
    results all = {0};
    alcore_sys_model_sink sink = sink_of(&all);
    int64_t ids[40] = {0}, offsets[2] = {0, 3};
    alcore_sys_model_texts texts = {
        .size = sizeof texts, .count = 1, .ids = ids, .offsets = offsets};
    ids[1] = 60; /* the vocabulary ends at 59 */
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_E_DATA);
    ids[1] = -1;
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_E_DATA);
    ids[1] = 5;
    offsets[1] = 0;
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_E_SHAPE);
    offsets[1] = 33; /* there are 32 positions */
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "33 tokens; 1 to 32"));
    texts.ids = NULL;
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_E_INVALID);
    texts.ids = ids;
    offsets[1] = 3;
    ck_assert_int_eq(engine->class_probs(model, &texts, &sink), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(engine->translate(model, &texts, NULL, &sink), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(all.items, 0);
    texts.count = 0;
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_OK);
    engine->close(model);
    alcore_sys_model_options options = {.size = sizeof options, .layer = 3};
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_E_INVALID);
    options = (alcore_sys_model_options){
        .size = sizeof options, .device = "cpu", .dtype = ALCORE_FLOAT16};
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_E_UNSUPPORTED);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(devices_that_are_not_there_are_refused) {
    static const struct {
        const char *device, *message;
        alcore_status status;
    } cases[] = {{"gpu", "device gpu is not known", ALCORE_E_INVALID},
                 {"cuda:x", "device cuda:x is not known", ALCORE_E_INVALID},
                 {"xpu", "device xpu: this torch has no such devices", ALCORE_E_UNSUPPORTED},
                 {"cuda:99", "device cuda:99: ", ALCORE_E_UNSUPPORTED}};
    begin();
    char path[600];
    snprintf(path, sizeof path, "%s/bert", fixtures());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_sys_model_options options = {.size = sizeof options, .device = cases[i].device};
        alcore_sys_model *model = NULL;
        ck_assert_int_eq(engine->open(ctx, path, &options, &model), cases[i].status);
        ck_assert_ptr_null(model);
        ck_assert_msg(strstr(alcore_last_error(), cases[i].message) != NULL, "%s",
                      alcore_last_error());
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch refused", bad_settings_are_refused_by_name, damaged_folders_are_refused,
            wrong_inputs_are_refused, devices_that_are_not_there_are_refused);
