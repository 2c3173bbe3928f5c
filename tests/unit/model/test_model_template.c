/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts of language models with places for source, target and languages, by the null module,
 * which says that outputs continue texts: what it computes is a hash of the token ids that it was
 * given, so that a prompt gives what the text that it makes gives. */
#include <math.h>
#include <stdbool.h>

#include "alcore/extra/prompting.h"
#include "model_folder.h"

/* 579: token_logprobs, translate, embed, and that outputs continue texts. */
#define CONFIG "{\"dims\": 3, \"tokens\": 1, \"calls\": 579}"

enum { ROWS = 3 };
static const char *const sources[ROWS] = {"fever", "severe headache", "no a"};
static const char *const made[ROWS] = {"a fever patient en", "a severe headache patient en",
                                       "a no a patient en"};
static const char *const targets[ROWS] = {"a", "no fever", "severe a"};
static const char *const languages[ROWS] = {"en", "en", "en"};

static void make_folder(void) {
    new_folder(CONFIG);
    write_file(
        "vocab.txt",
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\npatient\nfever\nsevere\nno\nheadache\nen\nuser\nsystem\n");
}

static alcore_pool *pool_of(alcore_ctx *ctx, const char *const *texts, bool tagged) {
    alcore_pool *pool;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = ROWS;
    records.texts = texts;
    records.references = targets;
    if (tagged) records.languages = languages;
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static alcore_status open_with(alcore_ctx *ctx, const char *prompt, alcore_model **out) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    options.prompt = prompt;
    return alcore_model_open(ctx, folder, &options, out);
}

START_TEST(a_prompt_is_around_each_text) {
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, true), *same = pool_of(ctx, made, false);
    alcore_model *model, *plain;
    MUST(open_with(ctx, "a {source} patient {source_language} {target}", &model));
    MUST(open_with(ctx, "{text}", &plain));
    MUST(alcore_model_run(model, pool, "logprobs"));
    MUST(alcore_model_run(plain, same, "logprobs"));
    expect_same_logprobs(pool, same, ROWS);
    alcore_model_unref(plain);
    alcore_pool_unref(same);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(languages_have_to_be_known) {
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model, *other;
    MUST(open_with(ctx, "{source_language} {source}", &model));
    ck_assert_int_eq(alcore_model_score(model, pool), ALCORE_E_MISSING);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the language of 'fever' is not known"));
    MUST(open_with(ctx, "{source} {target_language}", &other));
    ck_assert_int_eq(alcore_model_score(other, pool), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "{target_language}"));
    MUST(alcore_model_set_language(other, "no headache"));
    MUST(alcore_model_score(other, pool));
    alcore_model_unref(other);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(wrong_prompts_are_refused) {
    static const struct {
        const char *prompt, *word;
    } prompts[] = {{"{source}{source}", "2 times"},
                   {"{target_language}: ", "0 times"},
                   {"{source} {target} a", "behind {target} with ' a'"},
                   {"{sources} ", "{sources}, which is no place"},
                   {"{text} {to}", "the text {to} is written {{to}}"},
                   {"{text}\xff", "no UTF-8"}};
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model;
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        ck_assert_int_eq(open_with(ctx, prompts[i].prompt, &model), ALCORE_E_PARAM);
        ck_assert_msg(strstr(alcore_last_error(), prompts[i].word), "%s", alcore_last_error());
    }
    /* Other braces are text, in front of which values would not be those of the tokens. */
    MUST(open_with(ctx, "{{sources}} {0} {} {a b} {\"a\": {\"b\": 1}} {", &model));
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_E_UNSUPPORTED);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    MUST(alcore_model_get_info(model, &info));
    ck_assert_str_eq(info.prompt, "{sources} {0} {} {a b} {\"a\": {\"b\": 1}} {");
    end_model(ctx, pool, model);
}
END_TEST

/* An encoder and a translation model read a prompt in front of each text, where a place means
 * nothing; other braces are text. */
START_TEST(other_models_refuse_places) {
    static const char *const places[] = {"{text}", "{source}", "{source_language}",
                                         "{target_language}", "{target}"};
    static const char *const configs[] = {"{\"dims\": 3, \"tokens\": 1, \"calls\": 1}",
                                          "{\"dims\": 3, \"tokens\": 1, \"calls\": 67}"};
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model;
    for (size_t i = 0; i < 2; i++) {
        write_file("config.json", configs[i]);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            char prompt[60], word[60];
            snprintf(prompt, sizeof prompt, "no {a} fever: %s", places[k]);
            snprintf(word, sizeof word, "the prompt has %s; places are for", places[k]);
            ck_assert_int_eq(open_with(ctx, prompt, &model), ALCORE_E_PARAM);
            ck_assert_msg(strstr(alcore_last_error(), word), "%s", alcore_last_error());
        }
        MUST(open_with(ctx, "{a} {{text}} {", &model));
        alcore_model_info info = ALCORE_MODEL_INFO_INIT;
        MUST(alcore_model_get_info(model, &info));
        ck_assert_str_eq(info.prompt, "{a} {{text}} {");
        alcore_model_unref(model);
    }
    end_model(ctx, NULL, NULL);
}
END_TEST

/* "no" begins "no fever"; none is one token of another. */
enum { LABELS = 3 };
static const char *const labels[LABELS] = {"no", "no fever", "severe"};

/* The probability of each label behind a prompt is that of the label as a target, normalized. */
START_TEST(labels_are_targets_behind_the_prompt) {
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model;
    double expected[ROWS][LABELS], sums[ROWS] = {0};
    MUST(open_with(ctx, "a {text} patient", &model));
    ck_assert_int_eq(alcore_model_can(model, "probs"), 0);
    for (int k = 0; k < LABELS; k++) {
        alcore_tensor values, offsets;
        alcore_records records = ALCORE_RECORDS_INIT;
        const char *const same[ROWS] = {labels[k], labels[k], labels[k]};
        alcore_pool *pairs;
        MUST(alcore_pool_new(ctx, NULL, &pairs));
        records.count = ROWS;
        records.texts = sources;
        records.references = same;
        MUST(alcore_pool_add_records(pairs, &records, NULL));
        MUST(alcore_model_score(model, pairs));
        MUST(alcore_pool_get_column(pairs, "logprobs", &values, &offsets));
        const int64_t *first = offsets.data;
        for (int i = 0; i < ROWS; i++) {
            double sum = 0;
            ck_assert_int_eq(first[i + 1] - first[i], k == 1 ? 2 : 1);
            for (int64_t t = first[i]; t < first[i + 1]; t++)
                sum += (double)((const float *)values.data)[t];
            expected[i][k] = exp(sum);
            sums[i] += expected[i][k];
        }
        alcore_pool_unref(pairs);
    }
    MUST(alcore_model_set_verbalizer(model, labels, LABELS));
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_column_info told = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor probs;
    MUST(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.classes, LABELS);
    ck_assert_str_eq(info.labels[1], "no fever");
    MUST(alcore_model_run(model, pool, "probs"));
    MUST(alcore_pool_get_column(pool, "probs", &probs, NULL));
    ck_assert_int_eq(probs.shape[0], ROWS);
    ck_assert_int_eq(probs.shape[1], LABELS);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LABELS; k++)
            ck_assert_double_eq_tol((double)((const float *)probs.data)[i * LABELS + k],
                                    expected[i][k] / sums[i], 1e-6);
    MUST(alcore_pool_get_column_info(pool, "probs", &told));
    ck_assert_ptr_nonnull(strstr(told.origin, ", verbalizer \"no\",\"no fever\",\"severe\""));
    MUST(alcore_model_set_verbalizer(model, NULL, 0));
    ck_assert_int_eq(alcore_model_can(model, "probs"), 0);
    end_model(ctx, pool, model);
}
END_TEST

static int scored;             /* calls of token_logprobs() for choices */
static long long read_tokens;  /* of the texts of the last of them */
static long long label_tokens; /* of its choices */

/* Keeps what the module was given. */
static void keep_choices(void *user, int32_t level, const char *component, const char *message,
                         const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    scored += sscanf(message, "token_logprobs: %lld tokens before %lld of choices", &read_tokens,
                     &label_tokens) == 2;
}

START_TEST(prompts_are_read_once) {
    make_folder();
    alcore_ctx *ctx = null_context(keep_choices);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model;
    MUST(open_with(ctx, "a {text} patient", &model));
    MUST(alcore_model_set_verbalizer(model, labels, LABELS));
    scored = 0;
    MUST(alcore_model_run(model, pool, "probs"));
    ck_assert_int_eq(scored, 1);
    ck_assert_int_eq(read_tokens, ROWS * 4 + 1 + 2 + 2); /* with [CLS] and [SEP] */
    ck_assert_int_eq(label_tokens, 1 + 2 + 1);
    end_model(ctx, pool, model);
}
END_TEST

/* Where the probabilities of a batch are many, its rows are scored in parts: 1024 labels of five
 * words behind 1500 prompts, 1024 at a time. */
START_TEST(many_labels_are_scored_in_parts) {
    enum { MANY = 1024, PROMPTS = 1500 };
    static const char *const words[] = {"no", "fever", "severe", "patient"};
    static char texts[PROMPTS][50];
    static const char *many[PROMPTS];
    for (int k = 0; k < PROMPTS; k++) { /* the first MANY are the labels, too */
        snprintf(texts[k], sizeof texts[k], "%s %s %s %s %s%s", words[k % 4], words[k / 4 % 4],
                 words[k / 16 % 4], words[k / 64 % 4], words[k / 256 % 4], k < MANY ? "" : " no");
        many[k] = texts[k];
    }
    make_folder();
    alcore_ctx *ctx = null_context(keep_choices);
    alcore_pool *few = pool_of(ctx, sources, false), *pool;
    alcore_model *model;
    alcore_tensor probs, expected;
    MUST(open_with(ctx, "a {text} patient", &model));
    MUST(alcore_model_set_verbalizer(model, many, MANY));
    MUST(alcore_model_run(model, few, "probs"));
    MUST(alcore_pool_get_column(few, "probs", &expected, NULL));
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, many, NULL, PROMPTS, NULL));
    scored = 0;
    MUST(alcore_model_run(model, pool, "probs"));
    ck_assert_int_eq(scored, 2);
    MUST(alcore_pool_get_column(pool, "probs", &probs, NULL));
    ck_assert_int_eq(probs.shape[0], PROMPTS);
    for (size_t i = 0; i < PROMPTS; i++) /* those of the null model do not depend on the prompt */
        ck_assert_mem_eq((const float *)probs.data + i * MANY, expected.data, MANY * sizeof(float));
    alcore_pool_unref(few);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(wrong_labels_are_refused) {
    static const struct {
        const char *labels[2];
        int64_t count;
        alcore_status status;
        const char *word;
    } wrong[] = {{{"no", "no"}, 2, ALCORE_E_PARAM, "the same tokens"},
                 {{"no", " no "}, 2, ALCORE_E_PARAM, "the same tokens"},
                 {{"no", ""}, 2, ALCORE_E_PARAM, "label 1 of the verbalizer is empty"},
                 {{"no", " "}, 2, ALCORE_E_PARAM, "has no token"},
                 {{"no", "\xff"}, 2, ALCORE_E_PARAM, "label 1 of the verbalizer is no UTF-8"},
                 {{"no", "a zebra"}, 2, ALCORE_E_PARAM, "label \"a zebra\" of the verbalizer has"},
                 {{"no", NULL}, 1, ALCORE_E_PARAM, "one label"},
                 {{"no", NULL}, -1, ALCORE_E_INVALID, "-1 labels"}};
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model, *other;
    MUST(open_with(ctx, "{text}", &model));
    MUST(alcore_model_set_verbalizer(model, labels, LABELS));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(alcore_model_set_verbalizer(model, wrong[i].labels, wrong[i].count),
                         wrong[i].status);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].word), "%s", alcore_last_error());
    }
    /* The labels are as they were. */
    MUST(alcore_model_run(model, pool, "probs"));
    ck_assert_int_eq(alcore_model_set_verbalizer(model, NULL, 2), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_model_set_verbalizer(NULL, labels, LABELS), ALCORE_E_INVALID);
    /* Without a place for the text, and models of another kind. */
    MUST(open_with(ctx, "a ", &other));
    ck_assert_int_eq(alcore_model_set_verbalizer(other, labels, LABELS), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "{text} or {source}"));
    ck_assert_int_eq(alcore_model_run(other, pool, "probs"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "a verbalizer"));
    alcore_model_unref(other);
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"calls\": 1}");
    for (int i = 0; i < 2; i++) {
        MUST(i == 0 ? alcore_model_open(ctx, folder, NULL, &other)
                    : alcore_model_new_ngram(ctx, NULL, NULL, &other));
        ck_assert_int_eq(alcore_model_set_verbalizer(other, labels, LABELS), ALCORE_E_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no language model"));
        MUST(alcore_model_set_verbalizer(other, NULL, 0));
        alcore_model_unref(other);
    }
    end_model(ctx, pool, model);
}
END_TEST

/* Texts are cut so that the longest label has room behind them. */
START_TEST(long_texts_leave_room_for_labels) {
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model *model;
    static const char *const longer[2] = {"no", "no fever severe headache"};
    options.prompt = "{text}";
    write_file("config.json", "{\"dims\": 3, \"tokens\": 1, \"calls\": 579, \"longest\": 5}");
    MUST(alcore_model_open(ctx, folder, &options, &model));
    ck_assert_int_eq(alcore_model_set_verbalizer(model, longer, 2), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "leaves no room"));
    MUST(alcore_model_set_verbalizer(model, labels, LABELS));
    MUST(alcore_model_run(model, pool, "probs"));
    end_model(ctx, pool, model);
}
END_TEST

/* A template with the roles and texts of all turns. */
#define TURNS                                                                                      \
    "{\"bos_token\": {\"content\": \"a\"}, \"chat_template\": \"{{ bos_token }}"                   \
    "{% for m in messages %} {{ m.role }} {{ m.content }}{% endfor %}"                             \
    "{% if add_generation_prompt %} no{% endif %}\"}"

/* A prompt as a turn gives what the text that the template makes gives, as a turn of a template
 * that is the text alone: no special tokens stand around either. */
START_TEST(a_prompt_is_a_turn) {
    static const char *const turns[2][ROWS] = {
        {"a user patient fever no", "a user patient severe headache no", "a user patient no a no"},
        {"a system en user patient fever no", "a system en user patient severe headache no",
         "a system en user patient no a no"}};
    make_folder();
    write_file("tokenizer_config.json", TURNS);
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model, *plain;
    alcore_column_info told = ALCORE_COLUMN_INFO_INIT;
    MUST(open_with(ctx, "patient {source}", &model));
    write_file("chat_template.jinja", "{{ messages[0].content }}\n"); /* goes before the other */
    MUST(open_with(ctx, "{source}", &plain));
    MUST(alcore_model_set_chat(plain, 1, NULL));
    for (int i = 0; i < 2; i++) {
        alcore_pool *same = pool_of(ctx, turns[i], false);
        MUST(alcore_model_set_chat(model, 1, i == 0 ? NULL : "en"));
        MUST(alcore_model_run(model, pool, "logprobs"));
        MUST(alcore_model_run(plain, same, "logprobs"));
        expect_same_logprobs(pool, same, ROWS);
        MUST(alcore_pool_get_column_info(pool, "logprobs", &told));
        ck_assert_ptr_nonnull(strstr(told.origin, ", chat template "));
        ck_assert_int_eq(strstr(told.origin, ", system turn \"en\"") != NULL, i == 1);
        alcore_pool_unref(same);
    }
    MUST(alcore_model_set_chat(model, 0, NULL));
    MUST(alcore_model_run(model, pool, "logprobs"));
    MUST(alcore_pool_get_column_info(pool, "logprobs", &told));
    ck_assert_ptr_null(strstr(told.origin, "chat template"));
    alcore_model_unref(plain);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(wrong_chats_are_refused) {
    static const struct {
        const char *config;
        alcore_status status;
        const char *word;
    } wrong[] = {
        {"{}", ALCORE_E_UNSUPPORTED, "no chat_template"},
        {"{\"chat_template\": [{\"name\": \"rag\", \"template\": \"\"}]}", ALCORE_E_UNSUPPORTED,
         "no chat_template"},
        {"{\"chat_template\": \"{{ bos_token }}\"}", ALCORE_E_UNSUPPORTED, "what bos_token is"},
        {"{\"chat_template\": \"\\n{{ x() }}\"}", ALCORE_E_UNSUPPORTED,
         "tokenizer_config.json: line 2 of the chat_template: the function 'x' is not read here"},
        {"{\"chat_template\": \"{{ raise_exception('no system') }}\"}", ALCORE_E_DATA, "no system"},
        {"{\"chat_template\": \"\"}", ALCORE_E_DATA,
         "tokenizer_config.json: the chat template is empty"},
        {"{\"chat_template\": \"no {{ messages[0].role }}\"}", ALCORE_E_DATA,
         "does not write the text of the user"}};
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model, *other;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_file("tokenizer_config.json", wrong[i].config);
        MUST(open_with(ctx, "{text}", &other));
        ck_assert_int_eq(alcore_model_set_chat(other, 1, NULL), wrong[i].status);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].word), "%s", alcore_last_error());
        MUST(alcore_model_run(other, pool, "logprobs")); /* as it was */
        alcore_model_unref(other);
    }
    write_file("tokenizer_config.json",
               "{\"bos_token\": null, \"chat_template\": [{\"name\": \"default\", \"template\": "
               "\"{{ bos_token }}{{ messages[0].content }}\"}]}");
    MUST(open_with(ctx, "{text}", &model));
    MUST(alcore_model_set_chat(model, 1, NULL));
    ck_assert_int_eq(alcore_model_set_chat(model, 2, NULL), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_model_set_chat(model, 1, "\xff"), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_model_set_chat(NULL, 1, NULL), ALCORE_E_INVALID);
    MUST(open_with(ctx, "a ", &other));
    ck_assert_int_eq(alcore_model_set_chat(other, 1, NULL), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "{text} or {source}"));
    alcore_model_unref(other);
    MUST(alcore_model_new_ngram(ctx, NULL, NULL, &other));
    ck_assert_int_eq(alcore_model_set_chat(other, 1, NULL), ALCORE_E_UNSUPPORTED);
    MUST(alcore_model_set_chat(other, 0, NULL));
    alcore_model_unref(other);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(failing_allocations_leave_nothing) {
    make_folder();
    write_file("tokenizer_config.json", TURNS);
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx, sources, true);
        alcore_model *model = NULL;
        fault_arm(&fault, n, 0);
        alcore_status status = open_with(ctx, "{source_language} {source}", &model);
        if (status == ALCORE_OK) status = alcore_model_score(model, pool);
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "logprobs");
        if (status == ALCORE_OK) status = alcore_model_set_verbalizer(model, labels, LABELS);
        if (status == ALCORE_OK) status = alcore_model_set_chat(model, 1, "no");
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "probs");
        if (!end_turn(status, model, pool, ctx)) break;
        failures++;
    }
    ck_assert_int_gt(failures, 30);
    remove_folder();
}
END_TEST

CHECK_SUITE("model template", a_prompt_is_around_each_text, languages_have_to_be_known,
            wrong_prompts_are_refused, other_models_refuse_places,
            labels_are_targets_behind_the_prompt, prompts_are_read_once,
            many_labels_are_scored_in_parts, wrong_labels_are_refused,
            long_texts_leave_room_for_labels, a_prompt_is_a_turn, wrong_chats_are_refused,
            failing_allocations_leave_nothing);
