/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are too long together with a prompt with places: the text alone is cut, and the number
 * of texts that were is told. By the null module, whose outputs are the ids that it was given in
 * reverse order, and whose values are a hash of these. */
#include <stdbool.h>

#include "alcore/extra/prompting.h"
#include "alcore/extra/translating.h"
#include "model_folder.h"

#define CONFIG(longest)                                                                            \
    "{\"dims\": 3, \"tokens\": 1, \"calls\": 579, \"eos_token_id\": [3, 10], "                     \
    "\"longest\": " longest "}"

enum { ROWS = 3 };

static void make_folder(const char *config) {
    new_folder(config);
    write_file(
        "vocab.txt",
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\npatient\nfever\nsevere\nno\nheadache\nen\nuser\nsystem\n");
}

static alcore_pool *pool_of(alcore_ctx *ctx, const char *const *texts, const char *const *targets) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    MUST(alcore_pool_new(ctx, &keep_all, &pool));
    records.count = ROWS;
    records.texts = texts;
    records.references = targets;
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static alcore_model *open_with(alcore_ctx *ctx, const char *prompt) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model *model;
    options.prompt = prompt;
    MUST(alcore_model_open(ctx, folder, &options, &model));
    return model;
}

/* The tokens that the model was given of each text, the last first. */
static void expect_read(alcore_model *model, alcore_pool *pool, const char *const *expected) {
    alcore_pool *outputs;
    MUST(alcore_model_translate(model, pool, NULL, &outputs));
    for (int i = 0; i < ROWS; i++)
        ck_assert_str_eq(alcore_pool_text(outputs, i, NULL), expected[i]);
    alcore_pool_unref(outputs);
}

static const char *const texts[ROWS] = {"fever no fever no", "no fever severe headache no",
                                        "severe"};

/* A prompt has 4 tokens beside its text; of 8 all can be used, and a text that has to be cut leaves
 * 2 to its output. */
START_TEST(the_text_alone_is_cut) {
    static const char *const read[ROWS] = {"patient no fever no fever a", "patient fever no a",
                                           "patient severe a"};
    static const char *const kept[ROWS] = {"fever no fever no", "no fever", "severe"};
    make_folder(CONFIG("8"));
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, texts, NULL), *same = pool_of(ctx, kept, NULL);
    alcore_model *model = open_with(ctx, "a {text} patient");
    ck_assert_int_eq(alcore_model_cut_count(model), 0);
    expect_read(model, pool, read);
    ck_assert_int_eq(alcore_model_cut_count(model), 1);
    MUST(alcore_model_run(model, same, "logprobs"));
    ck_assert_int_eq(alcore_model_cut_count(model), 0);
    MUST(alcore_model_run(model, pool, "logprobs"));
    ck_assert_int_eq(alcore_model_cut_count(model), 1);
    expect_same_logprobs(pool, same, ROWS);
    alcore_pool_unref(same);
    end_model(ctx, pool, model);
}
END_TEST

/* Labels and targets leave the text less: 2 tokens of 4. Both texts and targets are counted. */
START_TEST(labels_and_targets_have_room) {
    static const char *const labels[] = {"no", "no fever"};
    static const char *const targets[ROWS] = {"no fever", "no", "a"};
    static const char *const longer[ROWS] = {"no", "a", "no a no a no a no a no"};
    static const char *const full[ROWS] = {"no", "a", "no a"};
    make_folder(CONFIG("8"));
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, texts, targets), *other;
    alcore_model *model = open_with(ctx, "a {text} patient");
    MUST(alcore_model_set_verbalizer(model, labels, 2));
    MUST(alcore_model_run(model, pool, "probs"));
    ck_assert_int_eq(alcore_model_cut_count(model), 2);
    MUST(alcore_model_score(model, pool));
    ck_assert_int_eq(alcore_model_cut_count(model), 2);
    alcore_model_unref(model);
    /* Without a prompt that has places, neither the text nor its reference is cut: the 2 tokens of
     * the text, the special tokens and the reference must fit together. */
    model = open_with(ctx, NULL);
    other = pool_of(ctx, targets, longer);
    ck_assert_int_eq(alcore_model_score(model, other), ALCORE_E_SHAPE);
    ck_assert_msg(
        strstr(alcore_last_error(), "row 2 (id 3): the text has 3 tokens and its reference 9, and"),
        "%s", alcore_last_error());
    alcore_pool_unref(other);
    other = pool_of(ctx, longer, targets);
    ck_assert_int_eq(alcore_model_score(model, other), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "the text has 11 tokens and its reference 1"));
    alcore_pool_unref(other);
    other = pool_of(ctx, targets, full);
    MUST(alcore_model_score(model, other));
    ck_assert_int_eq(alcore_model_cut_count(model), 0);
    MUST(alcore_model_run(model, pool, "embeddings"));
    ck_assert_int_eq(alcore_model_cut_count(model), 0);
    ck_assert_int_eq(alcore_model_cut_count(NULL), 0);
    alcore_pool_unref(other);
    end_model(ctx, pool, model);
}
END_TEST

/* Each byte is a token, 5 fit, and a text ends between characters: of four with two bytes 4 are
 * kept. */
START_TEST(characters_stay_whole) {
    static const char *const long_texts[ROWS] = {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "aaaaaaaa",
                                                 "a\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"};
    static const char *const kept[ROWS] = {"\xc3\xa9\xc3\xa9", "aaaaa", "a\xc3\xa9\xc3\xa9"};
    new_folder(CONFIG("8"));
    write_file("tokenizer.json",
               "{\"version\": \"1.0\", \"added_tokens\": [], \"normalizer\": null, "
               "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
               "\"trim_offsets\": true, \"use_regex\": true}, \"post_processor\": null, "
               "\"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
               "\"trim_offsets\": true, \"use_regex\": true}, \"model\": {\"type\": \"BPE\", "
               "\"vocab\": {\"a\": 0, \"\xc3\x83\": 1, \"\xc2\xa9\": 2}, \"merges\": []}}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, long_texts, NULL), *same = pool_of(ctx, kept, NULL);
    alcore_model *model = open_with(ctx, "a{text}");
    MUST(alcore_model_run(model, pool, "logprobs"));
    ck_assert_int_eq(alcore_model_cut_count(model), ROWS);
    MUST(alcore_model_run(model, same, "logprobs"));
    expect_same_logprobs(pool, same, ROWS);
    alcore_pool_unref(same);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(a_prompt_without_room_is_refused) {
    static const char *const labels[] = {"no", "a fever no"};
    static const char *const targets[ROWS] = {"no fever no a", "no", "a"};
    make_folder(CONFIG("6"));
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, texts, targets), *other_pool;
    alcore_model *model = open_with(ctx, "a no {text} patient no"), *other;
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 0 (id 1): the prompt without its text "
                                                      "has 6 tokens, and the model "));
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), " reads 5 in front of an output, which leaves no room"));
    alcore_model_unref(model);
    model = open_with(ctx, "a {text}");
    ck_assert_int_eq(alcore_model_score(model, pool), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 0 (id 1): the prompt without its text "
                                                      "has 3 tokens and the target behind it 4, "));
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), " reads 6, which leaves no room"));
    /* A target that is longer than all that the model reads is told as it was given. */
    static const char *const endless[ROWS] = {"a", "no", "no a no a no a no a no"};
    other_pool = pool_of(ctx, texts, endless);
    ck_assert_int_eq(alcore_model_score(model, other_pool), ALCORE_E_PARAM);
    ck_assert_msg(strstr(alcore_last_error(), "row 2 (id 3): the prompt without its text has 3 "
                                              "tokens and the target behind it 9, "),
                  "%s", alcore_last_error());
    alcore_pool_unref(other_pool);
    MUST(alcore_model_set_verbalizer(model, labels, 2));
    ck_assert_int_eq(alcore_model_run(model, pool, "probs"), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), " reads 3 in front of the longest label"));
    /* In front of every text. */
    options.prompt = "a no a no ";
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &other), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "the prompt has 6 tokens, and the model reads 6"));
    options.prompt = "a no a ";
    MUST(alcore_model_open(ctx, folder, &options, &other));
    alcore_model_unref(other);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(a_template_that_raises_names_the_row) {
    static const char *const plain[ROWS] = {"fever", "severe headache", "no a"};
    make_folder(CONFIG("512"));
    write_file("chat_template.jinja",
               "{% if 'no' in messages[0].content %}\n{{ raise_exception('not no') }}{% endif %}"
               "{{ messages[0].content }}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, plain, plain);
    alcore_model *model = open_with(ctx, "a {text}");
    MUST(alcore_model_set_chat(model, 1, NULL));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(i == 0 ? alcore_model_run(model, pool, "logprobs")
                                : alcore_model_score(model, pool),
                         ALCORE_E_DATA);
        ck_assert_msg(strncmp(alcore_last_error(), "row 2 (id 3): ", 14) == 0 &&
                          strstr(alcore_last_error(), "chat_template.jinja: line 2 of the "
                                                      "chat_template: it raises \"not no\""),
                      "%s", alcore_last_error());
    }
    end_model(ctx, pool, model);
}
END_TEST

/* A target of a chat ends as the template ends an answer, where that ends outputs: token 10, "en".
 * The null module scores the tokens that it is given and no end. */
START_TEST(targets_of_a_chat_end_as_its_answers) {
    static const struct {
        const char *behind; /* an answer */
        int64_t more;       /* tokens of a target */
    } ends[] = {{" en no", 1}, {" no", 0}, {"", 0}};
    static const char *const plain[ROWS] = {"fever", "severe headache", "no a"};
    static const char *const targets[ROWS] = {"no fever", "a", "no en"};
    make_folder(CONFIG("512"));
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, plain, targets);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        char program[200];
        alcore_tensor values, offsets;
        snprintf(program, sizeof program,
                 "{%% for m in messages %%}{{ m.role[0:0] if false else '' }} {{ m.content }}%s"
                 "{%% endfor %%}",
                 ends[k].behind);
        write_file("chat_template.jinja", program);
        alcore_model *model = open_with(ctx, "a {text}");
        MUST(alcore_model_set_chat(model, 1, NULL));
        MUST(alcore_model_score(model, pool));
        MUST(alcore_pool_get_column(pool, "logprobs", &values, &offsets));
        const int64_t *first = offsets.data;
        ck_assert_int_eq(first[1] - first[0], 2 + ends[k].more);
        ck_assert_int_eq(first[2] - first[1], 1 + ends[k].more);
        ck_assert_int_eq(first[3] - first[2], 2); /* has one already */
        alcore_model_unref(model);
    }
    end_model(ctx, pool, NULL);
}
END_TEST

START_TEST(failing_allocations_leave_nothing) {
    make_folder(CONFIG("8"));
    write_file("chat_template.jinja", "{% for m in messages %}{{ m.content }} en {% endfor %}");
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        static const char *const targets[ROWS] = {"no fever", "no", "a"};
        alcore_pool *pool = pool_of(ctx, texts, targets);
        alcore_model *model = open_with(ctx, "a {text} patient");
        MUST(alcore_model_set_chat(model, 1, NULL));
        fault_arm(&fault, n, 0);
        alcore_status status = alcore_model_run(model, pool, "logprobs");
        if (status == ALCORE_OK) status = alcore_model_score(model, pool);
        if (!end_turn(status, model, pool, ctx)) break;
        failures++;
    }
    ck_assert_int_gt(failures, 10);
    remove_folder();
}
END_TEST

CHECK_SUITE("prompt cut", the_text_alone_is_cut, labels_and_targets_have_room,
            characters_stay_whole, a_prompt_without_room_is_refused,
            a_template_that_raises_names_the_row, targets_of_a_chat_end_as_its_answers,
            failing_allocations_leave_nothing);
