/* SPDX-License-Identifier: Apache-2.0 */
/* Texts on their way to the model of a module and back: tokens, translations, scored references, by
 * the null module (module/null_model.c), whose answers are known from the ids of a text. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_folder.h"

/* The vocabulary of the folder: the id of a word is its place. */
static const char *const words[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",  "a",       "patient",
                                    "with",  "fever", "no",    "severe", "headache"};
enum { WORDS = sizeof words / sizeof *words, UNKNOWN = 1, BEGIN = 2, END = 3 };
static const char *const texts[] = {"a patient with fever", "severe fever", "no headache",
                                    "no fever yesterday"};
enum { ROWS = 4 };

/* A model folder; with the vocabulary unless without is true. */
static void make_folder(const char *config, bool without) {
    char vocabulary[400] = "";
    new_folder(config);
    for (int i = 0; i < WORDS; i++) {
        strcat(vocabulary, words[i]);
        strcat(vocabulary, "\n");
    }
    if (!without) write_file("vocab.txt", vocabulary);
}

static char line[200], before[200]; /* the last one of the log, and the one before it */
static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    memcpy(before, line, sizeof before);
    snprintf(line, sizeof line, "%s", message);
}

static alcore_pool *pool_of(alcore_ctx *ctx) {
    static const char *const ids[] = {NULL, "s", "h", NULL};
    static const char *const references[] = {"a fever", "no", "severe headache", ""};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.ids = ids;
    records.references = references;
    records.count = ROWS;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_records(pool, &records, NULL), ALCORE_OK);
    return pool;
}

static alcore_model *open_model(alcore_ctx *ctx) {
    alcore_model *model;
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    return model;
}

/* Writes the token ids of a text, whose words are in the vocabulary or unknown, to ids; returns how
 * many there are. */
static int64_t ids_of(const char *text, int64_t *ids) {
    char copy[200], *rest = NULL;
    int64_t count = 0;
    strcpy(copy, text);
    ids[count++] = BEGIN;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int64_t id = UNKNOWN;
        for (int i = 0; i < WORDS; i++)
            if (strcmp(words[i], word) == 0) id = i;
        ids[count++] = id;
    }
    ids[count++] = END;
    return count;
}

/* The hash of the null module. */
static uint64_t hash_of(const int64_t *ids, int64_t count) {
    uint64_t hash = 14695981039346656037u;
    const unsigned char *bytes = (const unsigned char *)ids;
    for (size_t i = 0; i < (size_t)count * sizeof *ids; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static float logprob_of(uint64_t hash, int64_t k) {
    return -(float)(1 + hash % (uint64_t)(k + 7)) / 8.0f;
}

/* Entry `row` of a column by row: its first value, and how many there are. */
static const float *values_of(const alcore_pool *pool, const char *name, int64_t row,
                              int64_t *count) {
    alcore_tensor values, offsets;
    MUST(alcore_pool_get_column(pool, name, &values, &offsets));
    if (!offsets.data) {
        *count = values.shape[1];
        return (const float *)values.data + row * values.shape[1];
    }
    const int64_t *bounds = offsets.data;
    *count = bounds[row + 1] - bounds[row];
    return (const float *)values.data + bounds[row];
}

static void check_embeddings(const alcore_pool *pool, int64_t longest) {
    for (int64_t row = 0; row < ROWS; row++) {
        int64_t ids[20], count, dims;
        count = ids_of(texts[row], ids);
        if (count > longest) {
            ids[longest - 1] = END;
            count = longest;
        }
        const float *values = values_of(pool, "embeddings", row, &dims);
        ck_assert_int_eq(dims, 3);
        for (int64_t j = 0; j < dims; j++)
            ck_assert_float_eq(values[j], (float)((hash_of(ids, count) >> j) & 255) / 256.0f);
    }
}

/* Releases the handles of a test, checks that no memory is left, and removes the folder. */
static void close_all(alcore_ctx *ctx, alcore_pool *pool, alcore_model *model) {
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}

START_TEST(texts_reach_the_module_as_ids) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    int64_t ids[20], count;
    MUST(alcore_model_run(model, pool, "embeddings"));
    check_embeddings(pool, 512);
    MUST(alcore_model_run(model, pool, "logprobs"));
    const float *values = values_of(pool, "logprobs", 3, &count);
    const uint64_t hash = hash_of(ids, ids_of(texts[3], ids));
    ck_assert_int_eq(count, 3); /* the module leaves out what the marks call special */
    for (int64_t k = 0; k < count; k++) ck_assert_float_eq(values[k], logprob_of(hash, k));
    close_all(ctx, pool, model);
}
END_TEST

START_TEST(long_texts_are_cut_to_what_the_model_reads) {
    make_folder("{\"dims\": 3, \"tokens\": 1, \"longest\": 4}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    MUST(alcore_model_run(model, pool, "embeddings"));
    check_embeddings(pool, 4);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* The version that is part of the origin of a column, and so of the name of a file of the cache. */
static void version_of(char version[100]) {
    alcore_ctx *ctx = null_context(keep_line);
    alcore_model *model = open_model(ctx);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(alcore_model_get_info(model, &info));
    snprintf(version, 100, "%s", info.version);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
}

START_TEST(the_version_depends_on_the_tokenizer) {
    char first[100], same[100], other[100];
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    version_of(first);
    version_of(same);
    ck_assert_str_eq(first, same);
    write_file("tokenizer_config.json", "{}");
    version_of(other);
    ck_assert_str_ne(first, other);
    char path[100];
    snprintf(path, sizeof path, "%s/tokenizer_config.json", folder);
    remove(path);
    version_of(same);
    ck_assert_str_eq(first, same);
    write_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfever\n");
    version_of(other);
    ck_assert_str_ne(first, other);
    remove_folder();
}
END_TEST

START_TEST(a_folder_without_a_tokenizer_says_so) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", true);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out = pool;
    alcore_model *model = open_model(ctx);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has no tokenizer"));
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_null(out);
    MUST(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.dims, 3);
    MUST(alcore_pool_set_text_column(pool, "qa_contexts", texts, NULL, ROWS, NULL));
    ck_assert_int_eq(alcore_model_run(model, pool, "qa_start"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "has no tokenizer"));
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* The contexts of the four texts, the questions, whose tokens are their words. */
static const char *const contexts[] = {"a a a a a a a a", "fever", "", "no no no no"};

/* Runs the columns of question answering in windows of 9 tokens, three of which are special, so
 * that 6 less the words of the question are for the context. */
static alcore_pool *answered_pool(alcore_model *model, alcore_ctx *ctx) {
    static const char *const columns[] = {"qa_end", "qa_windows", "qa_start"};
    alcore_pool *pool = pool_of(ctx);
    MUST(alcore_pool_set_text_column(pool, "qa_contexts", contexts, NULL, ROWS, NULL));
    for (int i = 0; i < 3; i++) {
        line[0] = '\0';
        MUST(alcore_model_run(model, pool, columns[i]));
        /* The engine runs for the first column, and the others are made of what is kept. */
        ck_assert_str_eq(line, i == 0 ? "qa_probs" : "");
    }
    return pool;
}

static alcore_model *open_for_answers(alcore_ctx *ctx, int64_t max_tokens, int64_t stride) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model *model;
    options.max_tokens = max_tokens;
    options.stride = stride;
    MUST(alcore_model_open(ctx, folder, &options, &model));
    return model;
}

/* Questions of 4, 2, 2 and 3 words leave room for 2, 4, 4 and 3 tokens of their contexts. */
START_TEST(contexts_are_cut_into_windows) {
    static const int64_t counts[] = {2, 2, 2, 2, 2, 2, 2, 1, 3, 2}; /* positions of the windows */
    static const int64_t windows[] = {0, 7, 8, 8, 10};
    make_folder("{\"dims\": 3, \"tokens\": 1, \"longest\": 9}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_model *model = open_for_answers(ctx, 9, 1);
    alcore_pool *pool = answered_pool(model, ctx);
    alcore_tensor values, offsets;
    MUST(alcore_pool_get_column(pool, "qa_windows", &values, &offsets));
    ck_assert_mem_eq(offsets.data, windows, sizeof windows);
    ck_assert_int_eq(values.shape[0], 10);
    ck_assert_mem_eq(values.data, counts, sizeof counts);
    MUST(alcore_pool_get_column(pool, "qa_start", &values, &offsets));
    const float *start = values.data;
    for (int w = 0, k = 0; w < 10; w++)
        for (int64_t i = 0; i < counts[w]; i++, k++)
            ck_assert_float_eq(start[k], 1.0f / (float)counts[w]);
    MUST(alcore_pool_get_column(pool, "qa_end", &values, &offsets));
    const float *end = values.data;
    for (int w = 0, k = 0; w < 10; w++)
        for (int64_t i = 0; i < counts[w]; i++, k++)
            ck_assert_float_eq(end[k], (float)(i == counts[w] - 1));
    alcore_pool_unref(pool);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

/* Positions of the windows of a context of 1000 tokens with a question of two words; 3 tokens of a
 * window are special. */
static void check_windows(alcore_ctx *ctx, int64_t max_tokens, int64_t count, int64_t first,
                          int64_t last) {
    static const char *const question = "no fever";
    char context[2001] = "";
    const char *views[] = {context};
    alcore_pool *pool;
    alcore_tensor values;
    alcore_model *model = open_for_answers(ctx, max_tokens, ALCORE_UNSET_INT);
    for (int i = 0; i < 1000; i++) memcpy(context + 2 * i, i < 999 ? "a " : "a", 2);
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, &question, NULL, 1, NULL));
    MUST(alcore_pool_set_text_column(pool, "qa_contexts", views, NULL, 1, NULL));
    MUST(alcore_model_run(model, pool, "qa_windows"));
    MUST(alcore_pool_get_column(pool, "qa_windows", &values, NULL));
    const int64_t *positions = values.data;
    ck_assert_int_eq(values.shape[0], count);
    ck_assert_int_eq(positions[0], first);
    ck_assert_int_eq(positions[count - 1], last);
    alcore_pool_unref(pool);
    alcore_model_unref(model);
}

/* A window has 384 tokens, or what the folder allows, and shares 128 with the next, or half of its
 * own. */
START_TEST(windows_by_default) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", false); /* allows 512 */
    alcore_ctx *ctx = null_context(keep_line);
    check_windows(ctx, 0, 4, 379, 1000 - 3 * 251);
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"longest\": 300}");
    check_windows(ctx, 0, 6, 295, 1000 - 5 * 167);
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"longest\": 100}");
    check_windows(ctx, 100, 22, 95, 1000 - 21 * 45);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* What is kept is not used for other contexts, other rows or a model that was trained since. */
START_TEST(kept_answers_are_of_the_same_contexts_and_rows) {
    make_folder("{\"dims\": 3, \"tokens\": 1, \"longest\": 9}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_model *model = open_for_answers(ctx, 9, 0);
    alcore_pool *pool = pool_of(ctx);
    const int64_t row = 3;
    for (int i = 0; i < 3; i++) {
        const char *changed[ROWS] = {contexts[0], contexts[1], contexts[2], i ? "no a" : "no"};
        MUST(alcore_pool_set_text_column(pool, "qa_contexts", changed, NULL, ROWS, NULL));
        if (i == 2) MUST(alcore_pool_mark(pool, ALCORE_ROW_FILTERED, &row, 1));
        line[0] = '\0';
        MUST(alcore_model_run(model, pool, i % 2 ? "qa_end" : "qa_start"));
        ck_assert_str_eq(line, "qa_probs");
    }
    alcore_pool_unref(pool);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

START_TEST(contexts_that_cannot_be_read_are_named) {
    static const char *const holes[] = {"a", NULL, "a", "a"};
    static const char *const wanted[] = {"the column of texts \"qa_contexts\" is missing",
                                         "row 1 (id s) has no context",
                                         "row 0 (id 1): the question and special tokens are 7 "
                                         "tokens: with a stride of 2, windows of 9 tokens have no"};
    static const alcore_status statuses[] = {ALCORE_E_MISSING, ALCORE_E_MISSING, ALCORE_E_DATA};
    make_folder("{\"dims\": 3, \"tokens\": 1, \"longest\": 9}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_model *model = open_for_answers(ctx, 9, 2);
    for (int i = 0; i < 3; i++) {
        alcore_pool *pool = pool_of(ctx);
        if (i > 0)
            MUST(alcore_pool_set_text_column(pool, "qa_contexts", i == 1 ? holes : contexts, NULL,
                                             ROWS, NULL));
        ck_assert_int_eq(alcore_model_run(model, pool, "qa_windows"), statuses[i]);
        ck_assert_msg(strstr(alcore_last_error(), wanted[i]) != NULL, "%s", alcore_last_error());
        alcore_pool_unref(pool);
    }
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

START_TEST(info_tells_what_was_opened) {
    make_folder("{\"dims\": 3, \"tokens\": 1, \"longest\": 9}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_model *model = open_model(ctx), *ngram;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(alcore_model_get_info(model, &info));
    ck_assert_str_eq(info.engine, "null-1");
    ck_assert_str_eq(info.family, "null");
    ck_assert_str_eq(info.device, "cpu");
    ck_assert_str_eq(info.json, "{\"family\": \"null\"}");
    ck_assert_int_eq(strncmp(info.version, "null-3-0-", 9), 0);
    ck_assert_int_eq(info.classes, 2);
    ck_assert_int_eq(info.max_tokens, 9);
    ck_assert_int_eq(info.vocabulary, 256);
    ck_assert_int_eq(info.translates, 1);
    ck_assert_int_eq(info.scores, 1);
    ck_assert_int_eq(info.trains, 1);
    ck_assert_int_eq(info.saves, 1);
    ck_assert_int_eq(alcore_model_get_info(NULL, &info), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_model_get_info(model, NULL), ALCORE_E_INVALID);
    info.size = 0;
    ck_assert_int_eq(alcore_model_get_info(model, &info), ALCORE_E_STRUCT_UNSET);
    info.size = sizeof info;
    MUST(alcore_model_new_ngram(ctx, NULL, NULL, &ngram));
    MUST(alcore_model_get_info(ngram, &info));
    ck_assert_str_eq(info.engine, "cpu");
    ck_assert_ptr_null(info.family);
    ck_assert_int_eq(info.translates, 0);
    ck_assert_int_eq(info.scores, 0);
    ck_assert_int_eq(info.trains, 0);
    ck_assert_int_eq(info.saves, 0);
    alcore_model_unref(ngram);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* Checks the text and the log-probabilities of a row of a translation. */
static void check_output(const alcore_pool *out, int64_t row, const char *text) {
    int64_t ids[20], count;
    const uint64_t hash = hash_of(ids, ids_of(texts[row], ids));
    const float *values = values_of(out, "logprobs", row, &count);
    ck_assert_str_eq(alcore_pool_text(out, row, NULL), text);
    for (int64_t k = 0; k < count; k++) ck_assert_float_eq(values[k], logprob_of(hash, k));
}

START_TEST(translations_are_a_pool) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out;
    alcore_model *model = open_model(ctx);
    alcore_translate_options options = {.size = sizeof options,
                                        .beams = 5,
                                        .max_tokens = 70,
                                        .sample = 1,
                                        .seed = UINT64_C(1) << 40,
                                        .length_penalty = ALCORE_UNSET,
                                        .temperature = ALCORE_UNSET};
    int64_t count;
    static const char *const empty = "";
    MUST(alcore_pool_add_texts(pool, &empty, NULL, 1, NULL)); /* row ROWS, which is masked */
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(line, "translate: beams 5, max_tokens 70, sample 1, seed 1099511627776");
    ck_assert_int_eq(alcore_pool_row_count(out), ROWS + 1);
    check_output(out, 0, "fever with patient a");
    check_output(out, 2, "headache no");
    check_output(out, 3, "fever no"); /* the unknown word is a special token, which has no text */
    ck_assert_str_eq(alcore_pool_text(out, ROWS, NULL), "");
    (void)values_of(out, "logprobs", ROWS, &count);
    ck_assert_int_eq(count, 0);
    (void)values_of(out, "logprobs", 3, &count);
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(alcore_pool_row_id(out, 0), "1");
    ck_assert_str_eq(alcore_pool_row_id(out, 1), "s");
    ck_assert_str_eq(alcore_pool_row_id(out, 2), "h");
    alcore_pool_unref(out);
    /* What is not set is the folder's; a penalty of 0, which does not divide, is passed on. */
    options.length_penalty = 0;
    line[0] = '\0';
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(before, "translate: length_penalty -1, temperature 0");
    alcore_pool_unref(out);
    options.length_penalty = 0.5;
    options.temperature = 0.25;
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(before, "translate: length_penalty 0.5, temperature 0.25");
    alcore_pool_unref(out);
    options.temperature = 0;
    ck_assert_int_eq(alcore_model_translate(model, pool, &options, &out), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "temperature is 0, not above 0"));
    ck_assert_ptr_null(out);
    alcore_model_unref(model);
    /* An engine that reads and gives texts needs no tokenizer. */
    write_file("config.json", "{\"dims\": 3}");
    model = open_model(ctx);
    MUST(alcore_model_translate(model, pool, NULL, &out));
    ck_assert_str_eq(alcore_pool_text(out, 3, NULL), texts[3]);
    alcore_pool_unref(out);
    close_all(ctx, pool, model);
}
END_TEST

/* The module gives two outputs of a text, the worse one first; the third row of each has none. */
START_TEST(best_outputs_are_rows_one_after_another) {
    static const char *const ids[] = {"1", "s", "h", "4"};
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out;
    alcore_model *model = open_model(ctx);
    const alcore_translate_options options = {.size = sizeof options,
                                              .beams = 3,
                                              .best = 3,
                                              .length_penalty = ALCORE_UNSET,
                                              .temperature = ALCORE_UNSET};
    alcore_tensor values, offsets, scores;
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(line, "translate: outputs 3, language none, token -1");
    ck_assert_int_eq(alcore_pool_row_count(out), 3 * ROWS);
    MUST(alcore_pool_get_column(out, "output_scores", &scores, NULL));
    MUST(alcore_pool_get_column(out, "logprobs", &values, &offsets));
    const double *score = scores.data;
    const int64_t *first = offsets.data;
    ck_assert_str_eq(alcore_pool_text(out, 6, NULL), "headache no");
    for (int row = 0; row < ROWS; row++) {
        ck_assert_str_eq(alcore_pool_text(out, 3 * row + 1, NULL), "worse");
        ck_assert_str_eq(alcore_pool_text(out, 3 * row + 2, NULL), "");
        ck_assert_double_eq(score[3 * row], -1);
        ck_assert_double_eq(score[3 * row + 1], -2);
        ck_assert_double_nan(score[3 * row + 2]);
        ck_assert_int_gt(first[3 * row + 1], first[3 * row]);
        ck_assert_int_eq(first[3 * row + 3], first[3 * row + 1]);
        for (int k = 0; k < 3; k++)
            ck_assert_str_eq(alcore_pool_row_id(out, 3 * row + k), ids[row]);
    }
    alcore_pool_unref(out);
    close_all(ctx, pool, model);
}
END_TEST

/* A vocabulary of BERT has no languages; an engine that reads texts gets the name itself. */
START_TEST(the_language_of_outputs_is_passed_on) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out;
    alcore_model *model = open_model(ctx);
    const alcore_translate_options options = {.size = sizeof options,
                                              .best = 2,
                                              .language = "de_DE",
                                              .length_penalty = ALCORE_UNSET,
                                              .temperature = ALCORE_UNSET};
    ck_assert_int_eq(alcore_model_translate(model, pool, &options, &out), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "marks no language"));
    alcore_model_unref(model);
    write_file("config.json", "{\"dims\": 3}");
    model = open_model(ctx);
    MUST(alcore_model_translate(model, pool, &options, &out));
    ck_assert_str_eq(line, "translate: outputs 2, language de_DE, token -1");
    alcore_pool_unref(out);
    close_all(ctx, pool, model);
}
END_TEST

START_TEST(options_of_a_translation_are_checked) {
    static const alcore_translate_options refused[] = {
        {.size = sizeof refused[0],
         .beams = 65,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .beams = -1,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .max_tokens = -1,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0], .temperature = -0.5, .length_penalty = ALCORE_UNSET},
        {.size = sizeof refused[0], .length_penalty = -2, .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .sample = 2,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .best = -1,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .best = 65,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
        {.size = sizeof refused[0],
         .best = 3,
         .beams = 2,
         .length_penalty = ALCORE_UNSET,
         .temperature = ALCORE_UNSET},
    };
    make_folder("{\"dims\": 3}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out;
    alcore_model *model = open_model(ctx), *ngram;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        out = pool;
        ck_assert_int_eq(alcore_model_translate(model, pool, &refused[i], &out), ALCORE_E_PARAM);
        ck_assert_ptr_null(out);
    }
    MUST(alcore_model_new_ngram(ctx, NULL, NULL, &ngram));
    ck_assert_int_eq(alcore_model_translate(ngram, pool, NULL, &out), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_model_score(ngram, pool), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_model_translate(NULL, pool, NULL, &out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_model_score(model, NULL), ALCORE_E_INVALID);
    alcore_model_unref(ngram);
    alcore_model_unref(model);
    /* A model without the call, and one that fails within it. */
    write_file("config.json", "{\"dims\": 3, \"calls\": 1}");
    model = open_model(ctx);
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_model_score(model, pool), ALCORE_E_UNSUPPORTED);
    alcore_model_unref(model);
    write_file("config.json", "{\"dims\": 3, \"fail\": 1}");
    model = open_model(ctx);
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "told to fail"));
    alcore_model_unref(model);
    write_file("config.json", "{\"dims\": 3, \"wrong\": 1}");
    model = open_model(ctx);
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "gave item 4 of a call with 4"));
    close_all(ctx, pool, model);
}
END_TEST

START_TEST(references_are_scored) {
    make_folder("{\"dims\": 3, \"tokens\": 1}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    int64_t ids[20], count;
    MUST(alcore_model_score(model, pool));
    const float *values = values_of(pool, "logprobs", 2, &count);
    const uint64_t hash = hash_of(ids, ids_of("severe headache", ids));
    ck_assert_int_eq(count, 4); /* of a target the special tokens count */
    for (int64_t k = 0; k < count; k++) ck_assert_float_eq(values[k], logprob_of(hash, k));
    (void)values_of(pool, "logprobs", 3, &count);
    ck_assert_int_eq(count, 2); /* an empty reference is its end */
    MUST(alcore_pool_get_column_info(pool, "logprobs", &info));
    ck_assert_ptr_nonnull(strstr(info.origin, ", of the references"));
    ck_assert_int_eq(alcore_pool_add_texts(pool, &words[7], NULL, 1, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_model_score(model, pool), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 4 (id 5) has no reference"));
    close_all(ctx, pool, model);
}
END_TEST

/* Opening, translating, scoring and answering with the n-th allocation failing, for every n. */
START_TEST(failing_allocations_leave_nothing) {
    make_folder("{\"dims\": 2, \"tokens\": 1}", false);
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(keep_line);
        alcore_pool *pool = pool_of(ctx), *out = NULL;
        alcore_model *model;
        MUST(alcore_pool_set_text_column(pool, "qa_contexts", contexts, NULL, ROWS, NULL));
        fault_arm(&fault, n, 0);
        alcore_status status = alcore_model_open(ctx, folder, NULL, &model);
        if (status == ALCORE_OK) status = alcore_model_translate(model, pool, NULL, &out);
        if (status == ALCORE_OK) status = alcore_model_score(model, pool);
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "qa_start");
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "qa_windows");
        bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        if (failed) ck_assert_int_eq(status, ALCORE_E_NOMEM);
        failures += failed;
        alcore_pool_unref(out);
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
        if (!failed) ck_assert_int_eq(status, ALCORE_OK);
        if (!failed) break;
    }
    ck_assert_int_gt(failures, 30);
    remove_folder();
}
END_TEST

START_TEST(a_translation_can_be_cancelled) {
    make_folder("{\"dims\": 2}", false);
    alcore_ctx *ctx = null_context(keep_line);
    alcore_pool *pool = pool_of(ctx), *out;
    alcore_model *model = open_model(ctx);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_model_translate(model, pool, NULL, &out), ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_model_score(model, pool), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    MUST(alcore_model_translate(model, pool, NULL, &out));
    alcore_pool_unref(out);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

CHECK_SUITE("model texts", texts_reach_the_module_as_ids,
            long_texts_are_cut_to_what_the_model_reads, the_version_depends_on_the_tokenizer,
            a_folder_without_a_tokenizer_says_so, info_tells_what_was_opened,
            translations_are_a_pool, best_outputs_are_rows_one_after_another,
            the_language_of_outputs_is_passed_on, options_of_a_translation_are_checked,
            references_are_scored, windows_by_default, contexts_are_cut_into_windows,
            kept_answers_are_of_the_same_contexts_and_rows, contexts_that_cannot_be_read_are_named,
            failing_allocations_leave_nothing, a_translation_can_be_cancelled);
