/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON files of a model's folder ask for (lib/model/folder_keys.h, folder_settings.h): the
 * keys that are refused, warned of or obeyed, and prompts and limits, with the null module
 * (module/null_model.c), whose embedding of a text is made of its bytes. The numbers of real models
 * are compared with the packages' in tests/torch/test_model_keys.py. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "check_status.h"
#include "column_rows.h"
#include "model_folder.h"

static char line[400]; /* the last one of the log that says how the module was opened */

static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    if (strncmp(message, "opened", 6) == 0) snprintf(line, sizeof line, "%s", message);
}

/* Files of the folder beside config.json, removed at the end of a case. */
static const char *const others[] = {"generation_config.json",
                                     "tokenizer_config.json",
                                     "modules.json",
                                     "sentence_bert_config.json",
                                     "config_sentence_transformers.json",
                                     "1_Pooling/config.json",
                                     "1_Pooling",
                                     "2_Normalize"};

static void remove_others(void) {
    char path[300];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, others[i]);
        (void)remove(path);
    }
}

static void write_pooling(const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/1_Pooling", folder);
    (void)mkdir(path, 0700);
    write_file("1_Pooling/config.json", text);
}

/* A folder of sentence-transformers, as version 6.2 or as version 2 writes modules.json. */
static void write_modules(bool new) {
    write_file(
        "modules.json",
        new ? "[{\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": "
              "\"sentence_transformers.base.modules.transformer.Transformer\"}, {\"idx\": 1, "
              "\"name\": \"1\", \"path\": \"1_Pooling\", \"type\": "
              "\"sentence_transformers.sentence_transformer.modules.pooling.Pooling\"}, "
              "{\"idx\": 2, \"name\": \"2\", \"path\": \"2_Normalize\", \"type\": "
              "\"sentence_transformers.base.modules.normalize.Normalize\"}]"
            : "[{\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": "
              "\"sentence_transformers.models.Transformer\"}, {\"idx\": 1, \"name\": \"1\", "
              "\"path\": \"1_Pooling\", \"type\": \"sentence_transformers.models.Pooling\"}]");
    write_pooling("{\"pooling_mode\": \"mean\", \"embedding_dimension\": 3}");
}

static alcore_ctx *begin(const char *config) {
    alcore_ctx *ctx = null_context(keep_line);
    new_folder(config);
    line[0] = '\0';
    return ctx;
}

static void end(alcore_ctx *ctx) {
    remove_others();
    end_model(ctx, NULL, NULL);
}

static void expect_refused(alcore_ctx *ctx, alcore_status status, const char *word) {
    alcore_model *model;
    ck_assert_msg(alcore_model_open(ctx, folder, NULL, &model) == status, "%s: %s", word,
                  alcore_last_error());
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
}

/* How the module is opened, of which the line of the log has a part. */
static void expect_opened(alcore_ctx *ctx, const alcore_model_options *options, const char *part) {
    alcore_model *model;
    MUST(alcore_model_open(ctx, folder, options, &model));
    ck_assert_msg(strstr(line, part), "'%s' lacks '%s'", line, part);
    alcore_model_unref(model);
}

START_TEST(keys_that_would_change_results_are_refused) {
    static const struct {
        const char *file, *text, *word;
        alcore_status status;
    } cases[] = {
        {"config.json", "\"is_decoder\": true", "is_decoder is true", ALCORE_E_UNSUPPORTED},
        {"config.json", "\"add_cross_attention\": true", "add_cross_attention",
         ALCORE_E_UNSUPPORTED},
        {"config.json", "\"position_embedding_type\": \"relative_key\"", "relative_key",
         ALCORE_E_UNSUPPORTED},
        {"config.json", "\"pruned_heads\": {\"1\": [0]}", "pruned_heads", ALCORE_E_UNSUPPORTED},
        {"config.json", "\"quantization_config\": {\"bits\": 4}", "quantization_config",
         ALCORE_E_UNSUPPORTED},
        {"config.json", "\"dims\": 4", "twice", ALCORE_E_DATA},
        {"tokenizer_config.json", "\"truncation_side\": \"left\"", "truncation_side",
         ALCORE_E_UNSUPPORTED},
        {"tokenizer_config.json", "\"split_special_tokens\": true", "split_special_tokens",
         ALCORE_E_UNSUPPORTED},
        {"tokenizer_config.json", "\"model_max_length\": \"many\"", "model_max_length",
         ALCORE_E_DATA},
        {"tokenizer_config.json", "\"model_max_length\": 0", "model_max_length", ALCORE_E_DATA},
        {"sentence_bert_config.json", "\"pad\": 1", "the key 'pad'", ALCORE_E_UNSUPPORTED},
        {"sentence_bert_config.json", "\"processing_kwargs\": {\"text\": {\"max_length\": 9}}",
         "processing_kwargs", ALCORE_E_UNSUPPORTED},
        {"sentence_bert_config.json", "\"transformer_task\": \"fill-mask\"", "fill-mask",
         ALCORE_E_UNSUPPORTED},
        {"sentence_bert_config.json", "\"max_seq_length\": 2.5", "max_seq_length", ALCORE_E_DATA},
        {"config_sentence_transformers.json", "\"shorten\": 1", "the key 'shorten'",
         ALCORE_E_UNSUPPORTED},
        {"config_sentence_transformers.json", "\"model_type\": \"SparseEncoder\"", "SparseEncoder",
         ALCORE_E_UNSUPPORTED},
        {"config_sentence_transformers.json", "\"default_prompt_name\": \"ask\"", "'ask'",
         ALCORE_E_DATA},
        {"config_sentence_transformers.json", "\"prompts\": [\"a\"]", "prompts", ALCORE_E_DATA},
        {"config_sentence_transformers.json", "\"truncate_dim\": -1", "truncate_dim",
         ALCORE_E_DATA},
        {"1_Pooling/config.json", "\"pooling_mode\": \"median\"", "'median'", ALCORE_E_UNSUPPORTED},
        {"1_Pooling/config.json", "\"pooling_mode\": [\"mean\", \"weighted\"]", "'weighted'",
         ALCORE_E_UNSUPPORTED},
        {"1_Pooling/config.json",
         "\"pooling_mode\": [\"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"cls\", "
         "\"cls\", "
         "\"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"cls\", \"mean\"]",
         "more than 16 modes", ALCORE_E_UNSUPPORTED},
        {"1_Pooling/config.json", "\"pooling_mode\": []", "pooling_mode", ALCORE_E_DATA},
        {"1_Pooling/config.json", "\"pooling\": \"mean\"", "the key 'pooling'",
         ALCORE_E_UNSUPPORTED},
    };
    alcore_ctx *ctx = begin("{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        write_modules(true);
        write_file("config.json", "{\"dims\": 3, \"model_type\": \"bert\"}");
        const bool config = strcmp(cases[i].file, "config.json") == 0;
        snprintf(text, sizeof text, "{%s%s}",
                 config ? "\"dims\": 3, \"model_type\": \"bert\", " : "", cases[i].text);
        write_file(cases[i].file, text);
        expect_refused(ctx, cases[i].status, cases[i].word);
        expect_refused(ctx, cases[i].status, cases[i].file);
        remove_others();
    }
    end(ctx);
}
END_TEST

/* Values without an effect, however they are written, and keys of outputs in an encoder's
 * folder. */
START_TEST(values_without_an_effect_are_accepted) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bert\", \"is_decoder\": false, "
                            "\"pruned_heads\": { }, \"quantization_config\": null, "
                            "\"no_repeat_ngram_size\": 3, \"position_embedding_type\": "
                            "\"absolute\", \"auto_map\": {\"AutoModel\": \"code.Model\"}}");
    write_modules(true);
    write_file("sentence_bert_config.json",
               "{\"transformer_task\": \"feature-extraction\", \"modality_config\": {\n \"text\": "
               "{\"method\":\"forward\", \"method_output_name\": \"last_hidden_state\"}}, "
               "\"module_output_name\": \"token_embeddings\"}");
    expect_opened(ctx, NULL, "opened");
    end(ctx);
}
END_TEST

START_TEST(unknown_keys_are_warnings) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bert\"}");
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_model *model;
    write_file("tokenizer_config.json", "{\"reads_aloud\": true, \"model_max_length\": 9}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    MUST(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.warning_count, 2);
    ck_assert_str_eq(info.warnings[0], "config.json: the key 'dims' is not known and not obeyed");
    ck_assert_str_eq(info.warnings[1],
                     "tokenizer_config.json: the key 'reads_aloud' is not known and not obeyed");
    alcore_model_unref(model);
    /* Of another family the engine knows what its config.json may have. */
    write_file("config.json", "{\"dims\": 3, \"model_type\": \"my-own\"}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    MUST(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.warning_count, 1);
    alcore_model_unref(model);
    end(ctx);
}
END_TEST

/* Modules that are not computed here, and lists of modules that are none. */
START_TEST(other_modules_are_refused) {
    static const char *const cases[][2] = {
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\"}, {\"type\": "
         "\"sentence_transformers.models.Dense\", \"path\": \"2_Dense\"}]",
         "in this order"},
        {"[{\"type\": \"sentence_transformers.base.modules.router.Router\", \"path\": \"\"}]",
         "router_config.json of a Router is missing"},
        {"[{\"type\": \"sentence_transformers.models.Asym\", \"path\": \"1_Pooling\"}]",
         "router_config.json of a Router is missing"},
        {"[{\"type\": \"sentence_transformers.models.CNN\", \"path\": \"\"}]",
         "number 1 is 'sentence_transformers.models.CNN'"},
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\"}, {\"type\": "
         "\"sentence_transformers.models.CNN\", \"path\": \"1_Pooling\"}, {\"type\": "
         "\"sentence_transformers.models.WeightedLayerPooling\", \"path\": \"1_Pooling\"}]",
         "number 3 is 'sentence_transformers.models.WeightedLayerPooling'"},
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\"}, {\"type\": "
         "\"sentence_transformers.models.CNN\", \"path\": \"1_Pooling\"}]",
         "number 2 is 'sentence_transformers.models.CNN'"},
        {"[{\"type\": \"sentence_transformers.models.LSTM\", \"path\": \"\"}]",
         "models.LSTM' is not supported: it reads the words of WordEmbeddings"},
        {"[{\"type\": \"sentence_transformers.models.BoW\", \"path\": \"\"}]",
         "models.BoW' is not supported: its words are cut by a tokenizer of its own"},
        {"[{\"type\": \"sentence_transformers.models.WordEmbeddings\", \"path\": \"\"}]",
         "models.WordEmbeddings' is not supported: its words are cut by a tokenizer of its own"},
        {"[{\"type\": \"sentence_transformers.models.WordWeights\", \"path\": \"\"}]",
         "models.WordWeights' is not supported: its words are those"},
        {"[{\"type\": \"sentence_transformers.models.CLIPModel\", \"path\": \"\"}]",
         "models.CLIPModel' is not supported: it is a model of images"},
        {"[{\"type\": \"my.Module\", \"path\": \"\"}]", "'my.Module'"},
        {"[{\"type\": \"sentence_transformers.models.Pooling\", \"path\": \"1_Pooling\"}]",
         "in this order"},
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": "
         "\"0_Transformer\"}]",
         "0_Transformer, which has no config.json"},
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\"}, {\"type\": "
         "\"sentence_transformers.models.Pooling\", \"path\": \"../x\"}]",
         "../x"},
        {"[]", "no module"},
        {"{}", "a list is expected"},
        {"[1]", "no object"},
        {"[{\"type\": \"sentence_transformers.models.Transformer\", \"path\": \"\", \"way\": 1}]",
         "'way'"},
        {"[{\"kwargs\": [\"task\"], \"type\": \"sentence_transformers.models.Transformer\", "
         "\"path\": \"\"}]",
         "kwargs"},
    };
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bert\"}");
    alcore_model *model;
    write_pooling("{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("modules.json", cases[i][0]);
        ck_assert_int_ne(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
        ck_assert_msg(strstr(alcore_last_error(), cases[i][1]), "'%s' lacks '%s'",
                      alcore_last_error(), cases[i][1]);
    }
    end(ctx);
}
END_TEST

/* Limits and modules as the module is told of them; those of the caller go before the folder's, and
 * a limit can only become lower. */
/* The base of an adapter is looked for before an engine is; that of these tests reads none. */
START_TEST(adapters_name_their_base) {
    char adapter[TEST_PATH_BYTES], named[2 * TEST_PATH_BYTES];
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model = (alcore_model *)1;
    new_folder("{\"dims\": 3}");
    test_folder_make(adapter, "adapter");
    snprintf(named, sizeof named, "{\"base_model_name_or_path\": \"%s\"}", folder);
    const struct {
        const char *config, *word;
        alcore_status status;
    } cases[] = {
        {"{", "adapter_config.json", ALCORE_E_DATA},
        {"{}", "base_model_name_or_path is missing", ALCORE_E_NOT_FOUND},
        {"{\"base_model_name_or_path\": 3}", "base_model_name_or_path", ALCORE_E_DATA},
        {"{\"base_model_name_or_path\": \"org/name\"}", "'org/name', which is no folder",
         ALCORE_E_NOT_FOUND},
        {named, "reads no adapters", ALCORE_E_UNSUPPORTED},
    };
    write_in(adapter, "adapter_config.json", named);
    ck_assert_fails(alcore_model_open(ctx, adapter, NULL, &model), ALCORE_E_IO,
                    "adapter_model.safetensors is missing");
    write_in(adapter, "adapter_model.bin", "");
    ck_assert_fails(alcore_model_open(ctx, adapter, NULL, &model), ALCORE_E_UNSUPPORTED,
                    "adapter_model.bin, which is code");
    write_in(adapter, "adapter_model.safetensors", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_in(adapter, "adapter_config.json", cases[i].config);
        ck_assert_fails(alcore_model_open(ctx, adapter, NULL, &model), cases[i].status,
                        cases[i].word);
        ck_assert_ptr_null(model);
    }
    for (size_t i = 0; i < 20; i++) { /* every allocation fails once */
        fault_arm(&fault, (long long)i + 1, 0);
        alcore_status status = alcore_model_open(ctx, adapter, NULL, &model);
        ck_assert(status == ALCORE_E_NOMEM || status == ALCORE_E_UNSUPPORTED);
    }
    fault_arm(&fault, 0, 0);
    test_folder_remove(adapter);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

START_TEST(settings_reach_the_engine) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bert\"}");
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    write_file("tokenizer_config.json", "{\"model_max_length\": 64}");
    /* Without modules.json the files of sentence-transformers do not count. */
    write_file("sentence_bert_config.json", "{\"max_seq_length\": 32}");
    expect_opened(ctx, NULL, "pooling 0, layer 0, normalize 0, max_tokens 64,");
    write_modules(true);
    expect_opened(ctx, NULL, "pooling 1, layer 0, normalize 1, max_tokens 32,");
    options.max_tokens = 40;
    options.pooling = ALCORE_POOLING_MAX;
    options.normalize = ALCORE_NORMALIZE_NONE;
    expect_opened(ctx, &options, "pooling 5, layer 0, normalize 2, max_tokens 32,");
    options.max_tokens = 20;
    expect_opened(ctx, &options, "max_tokens 20,");
    write_modules(false);
    write_pooling("{\"pooling_mode_cls_token\": true, \"pooling_mode_mean_tokens\": false}");
    write_file("sentence_bert_config.json", "{}");
    expect_opened(ctx, NULL, "pooling 2, layer 0, normalize 0, max_tokens 64,");
    write_file("tokenizer_config.json", "{\"model_max_length\": 1000000000000000019884624838656}");
    expect_opened(ctx, NULL, "max_tokens 0,");
    end(ctx);
}
END_TEST

/* The embedding of one text by the model of the folder, and the origin of the column. */
static void embed(alcore_ctx *ctx, const alcore_model_options *options, const char *text,
                  double values[3], char origin[300]) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    const int64_t row = 0;
    alcore_model *model;
    alcore_pool *pool;
    MUST(alcore_model_open(ctx, folder, options, &model));
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, &text, NULL, 1, NULL));
    MUST(alcore_model_run(model, pool, "embeddings"));
    MUST(test_column_rows(pool, "embeddings", &row, 1, values));
    MUST(alcore_pool_get_column_info(pool, "embeddings", &info));
    snprintf(origin, 300, "%s", info.origin);
    alcore_pool_unref(pool);
    alcore_model_unref(model);
}

/* The embedding of a text with a prompt is that of both together; the origin of the column tells
 * the prompt, so that a cache keeps columns of different prompts apart. */
static void expect_prompt(alcore_ctx *ctx, const alcore_model_options *options, const char *joined,
                          const char *told) {
    const alcore_model_options none = {
        .size = sizeof none, .prompt = "", .layer = -1, .stride = ALCORE_UNSET_INT};
    double values[3], expected[3];
    char origin[300], plain[300];
    embed(ctx, options, "text", values, origin);
    embed(ctx, &none, joined, expected, plain);
    ck_assert_mem_eq(values, expected, sizeof values);
    ck_assert_msg(*told ? strstr(origin, told) != NULL : strstr(origin, "prompt") == NULL,
                  "'%s' and '%s'", origin, told);
    ck_assert_ptr_null(strstr(plain, "prompt"));
}

START_TEST(prompts_stand_in_front_of_texts) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bert\"}");
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_model *model;
    write_file("config_sentence_transformers.json",
               "{\"prompts\": {\"query\": \"ask\\n: \", \"document\": null, \"other\": \"o \"}, "
               "\"default_prompt_name\": \"query\"}");
    expect_prompt(ctx, NULL, "text", ""); /* no folder of sentence-transformers */
    write_modules(true);
    expect_prompt(ctx, NULL, "ask\n: text", ", prompt \"ask\\n: \"");
    options.prompt_name = "other";
    expect_prompt(ctx, &options, "o text", ", prompt \"o \"");
    options.prompt_name = "document";
    expect_prompt(ctx, &options, "text", "");
    options.prompt_name = NULL;
    options.prompt = "say ";
    expect_prompt(ctx, &options, "say text", ", prompt \"say \"");
    MUST(alcore_model_open(ctx, folder, &options, &model));
    MUST(alcore_model_get_info(model, &info));
    ck_assert_str_eq(info.prompt, "say ");
    alcore_model_unref(model);
    options.prompt_name = "query";
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_E_PARAM);
    options.prompt = NULL;
    options.prompt_name = "answer";
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "query, document, other"));
    end(ctx);
}
END_TEST

/* The default prompt is for embeddings alone; a given one is for classes of texts too, and not for
 * columns with a value for each token. */
START_TEST(prompts_of_other_columns) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"calls\": 61, \"model_type\": \"bert\"}");
    static const char *const texts[] = {"text", "one"};
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_model *model;
    alcore_pool *pool;
    write_modules(true);
    write_file("config_sentence_transformers.json",
               "{\"prompts\": {\"query\": \"ask \"}, \"default_prompt_name\": \"query\"}");
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    MUST(alcore_model_run(model, pool, "probs"));
    MUST(alcore_pool_get_column_info(pool, "probs", &info));
    ck_assert_ptr_null(strstr(info.origin, "prompt"));
    MUST(alcore_model_run(model, pool, "mlm_losses"));
    alcore_model_unref(model);
    options.prompt = "ask ";
    MUST(alcore_model_open(ctx, folder, &options, &model));
    MUST(alcore_model_run(model, pool, "probs"));
    MUST(alcore_pool_get_column_info(pool, "probs", &info));
    ck_assert_ptr_nonnull(strstr(info.origin, "prompt \"ask \""));
    ck_assert_int_eq(alcore_model_run(model, pool, "mlm_losses"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no prompt"));
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    end(ctx);
}
END_TEST

/* A key of outputs that is not computed stands against searching for outputs, and nothing else. */
START_TEST(other_outputs_are_refused) {
    alcore_ctx *ctx = begin("{\"dims\": 3, \"model_type\": \"bart\", \"penalty_alpha\": 0.6}");
    static const char *const texts[] = {"text", "one"};
    alcore_model *model;
    alcore_pool *pool, *out;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    MUST(alcore_model_run(model, pool, "embeddings"));
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "penalty_alpha is 0.6"));
    alcore_model_unref(model);
    /* Where there is a generation_config.json, the keys of config.json say nothing. */
    write_file("generation_config.json", "{\"do_sample\": false}");
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    MUST(alcore_model_translate(model, pool, NULL, &out));
    alcore_pool_unref(out);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    end(ctx);
}
END_TEST

/* What a selection says of texts that the model cut and of keys that are not obeyed; a cache that
 * has the values says the same. */
START_TEST(selections_say_what_was_cut) {
    static const char *const texts[] = {"a b c d e", "a b", "c d e a b c", "e"};
    alcore_ctx *ctx =
        begin("{\"dims\": 3, \"tokens\": 1, \"longest\": 4, \"model_type\": \"bert\"}");
    char cache[TEST_PATH_BYTES];
    test_folder_make(cache, "cut");
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\n");
    for (int i = 0; i < 2; i++) {
        alcore_model *model;
        alcore_pool *pool;
        alcore_request *request;
        alcore_strategy *strategy;
        alcore_selection *selection;
        MUST(alcore_model_open(ctx, folder, NULL, &model));
        MUST(alcore_pool_new(ctx, NULL, &pool));
        MUST(alcore_pool_add_texts(pool, texts, NULL, 4, NULL));
        MUST(alcore_strategy_new(ctx, "kcenter", &strategy));
        MUST(alcore_request_new(ctx, &request));
        MUST(alcore_request_set_strategy(request, strategy));
        MUST(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
        MUST(alcore_request_set_model(request, model));
        MUST(alcore_request_set(request, "budget", "2"));
        MUST(alcore_request_set(request, "cache", cache));
        MUST(alcore_select(request, &selection));
        const char *summary = alcore_selection_summary(selection);
        ck_assert_msg(strstr(summary, "embeddings: 2 texts were cut to 4 tokens"), "%s", summary);
        ck_assert_msg(strstr(summary, "the key 'longest' is not known"), "%s", summary);
        const char *record = alcore_selection_provenance(selection);
        ck_assert_msg(strstr(record, "\"cut\""), "%s", record);
        ck_assert_msg(strstr(record, "the key 'longest' is not known"), "%s", record);
        alcore_selection_unref(selection);
        alcore_request_unref(request);
        alcore_strategy_unref(strategy);
        alcore_pool_unref(pool);
        alcore_model_unref(model);
    }
    test_folder_remove(cache);
    end(ctx);
}
END_TEST

/* The width of an embedding by the route that a name chooses. */
static int64_t route_dims(alcore_ctx *ctx, const char *name) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_model *model;
    options.prompt_name = name;
    MUST(alcore_model_open(ctx, folder, &options, &model));
    MUST(alcore_model_get_info(model, &info));
    const int64_t dims = info.dims;
    alcore_model_unref(model);
    return dims;
}

/* The module is opened with the folder of the route; vectors of the real engine are compared in
 * tests/torch/test_modules.py. */
START_TEST(routers_choose_a_folder) {
    static const char *const parts[] = {"query_0", "document_0", "other"};
    char path[300];
    alcore_ctx *ctx = null_context(NULL);
    test_folder_make(folder, "router");
    for (size_t i = 0; i < 3; i++) {
        char config[80];
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        snprintf(config, sizeof config, "{\"dims\": %zu, \"model_type\": \"bert\"}", i + 3);
        write_in(path, "config.json", config);
    }
    write_file("modules.json", "[{\"type\": \"sentence_transformers.base.modules.router.Router\", "
                               "\"path\": \"\"}]");
    write_file("config_sentence_transformers.json", "{\"prompts\": {\"other\": \"w \"}}");
    write_file(
        "router_config.json",
        "{\"types\": {\"query_0\": \"sentence_transformers.models.Transformer\", "
        "\"document_0\": \"sentence_transformers.models.Transformer\", "
        "\"other\": \"sentence_transformers.models.Transformer\"}, \"structure\": "
        "{\"query\": [\"query_0\"], \"document\": [\"document_0\"], \"third\": [\"other\"]}, "
        "\"parameters\": {\"default_route\": \"document\", \"route_mappings\": "
        "{\"( \\\"cluster\\\" , None)\": \"third\", \"('image', 'image')\": \"query\"}}}");
    ck_assert_int_eq(route_dims(ctx, NULL), 4);
    ck_assert_int_eq(route_dims(ctx, "query"), 3);
    ck_assert_int_eq(route_dims(ctx, "document"), 4);
    ck_assert_int_eq(route_dims(ctx, "third"), 5);
    ck_assert_int_eq(route_dims(ctx, "cluster"), 5);
    ck_assert_int_eq(route_dims(ctx, "other"), 4); /* the name of a prompt */
    for (int i = 0, failed = 1; failed; i++) {     /* every allocation fails once */
        alcore_model *model;
        fault_arm(&fault, i + 1, 0);
        const alcore_status status = alcore_model_open(ctx, folder, NULL, &model);
        failed = status != ALCORE_OK;
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        ck_assert_int_lt(i, 400);
        alcore_model_unref(model);
    }
    fault_arm(&fault, 0, 0);
    test_folder_remove(folder);
    folder[0] = '\0';
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("model folder", keys_that_would_change_results_are_refused,
            values_without_an_effect_are_accepted, unknown_keys_are_warnings,
            other_modules_are_refused, routers_choose_a_folder, adapters_name_their_base,
            settings_reach_the_engine, prompts_stand_in_front_of_texts, prompts_of_other_columns,
            other_outputs_are_refused, selections_say_what_was_cut);
