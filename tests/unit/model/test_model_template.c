/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts of language models with places for source, target and languages, by the null module,
 * which says that outputs continue texts: what it computes is a hash of the token ids that it was
 * given, so that a prompt gives what the text that it makes gives. */
#include <stdbool.h>

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
    write_file("vocab.txt",
               "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\npatient\nfever\nsevere\nno\nheadache\nen\n");
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

/* The values of the column "logprobs" of both pools are the same. */
static void expect_same(const alcore_pool *a, const alcore_pool *b) {
    alcore_tensor x, y, x_offsets, y_offsets;
    MUST(alcore_pool_get_column(a, "logprobs", &x, &x_offsets));
    MUST(alcore_pool_get_column(b, "logprobs", &y, &y_offsets));
    ck_assert_int_eq(memcmp(x_offsets.data, y_offsets.data, (ROWS + 1) * sizeof(int64_t)), 0);
    ck_assert_int_gt(x.shape[0], ROWS);
    ck_assert_int_eq(memcmp(x.data, y.data, (size_t)x.shape[0] * sizeof(float)), 0);
}

START_TEST(a_prompt_is_around_each_text) {
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, true), *same = pool_of(ctx, made, false);
    alcore_model *model, *plain;
    MUST(open_with(ctx, "a {source} patient {source_language} {target}", &model));
    MUST(open_with(ctx, "{source}", &plain));
    MUST(alcore_model_run(model, pool, "logprobs"));
    MUST(alcore_model_run(plain, same, "logprobs"));
    expect_same(pool, same);
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
                   {"{source} {target} a", "behind {target} with ' a'"}};
    make_folder();
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx, sources, false);
    alcore_model *model;
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        ck_assert_int_eq(open_with(ctx, prompts[i].prompt, &model), ALCORE_E_PARAM);
        ck_assert_msg(strstr(alcore_last_error(), prompts[i].word), "%s", alcore_last_error());
    }
    /* Other braces are text, in front of which values would not be those of the tokens. */
    MUST(open_with(ctx, "{sources} ", &model));
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_E_UNSUPPORTED);
    end_model(ctx, pool, model);
}
END_TEST

START_TEST(failing_allocations_leave_nothing) {
    make_folder();
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx, sources, true);
        alcore_model *model = NULL;
        fault_arm(&fault, n, 0);
        alcore_status status = open_with(ctx, "{source_language} {source}", &model);
        if (status == ALCORE_OK) status = alcore_model_score(model, pool);
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "logprobs");
        const bool failed = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        failures += failed;
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
        if (!failed) break;
    }
    ck_assert_int_gt(failures, 30);
    remove_folder();
}
END_TEST

CHECK_SUITE("model template", a_prompt_is_around_each_text, languages_have_to_be_known,
            wrong_prompts_are_refused, failing_allocations_leave_nothing);
