/* SPDX-License-Identifier: Apache-2.0 */
/* Scores with dropout. */
#include <math.h>

#include "check_suite.h"
#include "torch_training.h"

/* Values of every text, by dropout, its seed and batch size. */
static results scored(const char *folder, int32_t dropout, uint64_t seed, int64_t batch_tokens) {
    results out = {0};
    examples all = read_examples(folder);
    alcore_sys_model_sink sink = sink_of(&out);
    alcore_sys_model_scoring how = {.size = sizeof how, .dropout = dropout, .seed = seed};
    alcore_sys_model *model = open_folder(scratch, 0, 0, batch_tokens);
    alcore_status status =
        all.targets.ids.data
            ? engine->token_logprobs(model, &all.sources.texts, &all.targets.texts, &how, &sink)
            : engine->mlm_losses(model, &all.sources.texts, &how, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    ck_assert_int_eq(out.items, all.sources.texts.count);
    engine->close(model);
    free_examples(&all);
    return out;
}

/* Largest difference of two results. */
static double difference(const results *a, const results *b) {
    double most = 0;
    for (int64_t i = 0; i < a->items; i++)
        for (int64_t k = 0; k < a->counts[i]; k++)
            most = fmax(most, fabs((double)a->values[i][k] - (double)b->values[i][k]));
    return most;
}

/* Passes with dropout differ from those without and from each other, and depend on the seed alone,
 * not on the batches. */
START_TEST(scores_with_dropout) {
    begin();
    static const char *const folders[] = {"marian", "bert-mlm", "t5"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        copy_fixture(folders[i], true);
        results plain = scored(folders[i], 0, 1, 0), first = scored(folders[i], 1, 1, 0),
                small = scored(folders[i], 1, 1, 12), second = scored(folders[i], 1, 2, 0);
        ck_assert_double_gt(difference(&plain, &first), 0.01);
        ck_assert_double_gt(difference(&second, &first), 0.01);
        ck_assert_double_lt(difference(&small, &first), 1e-4);
        free_results(&plain);
        free_results(&first);
        free_results(&small);
        free_results(&second);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* What a model searches for it scores without dropout. */
START_TEST(outputs_are_scored_without_dropout) {
    begin();
    copy_fixture("marian", true);
    examples all = read_examples("marian");
    results out = {0};
    alcore_sys_model_sink sink = sink_of(&out);
    const alcore_sys_model_scoring how = {
        .size = sizeof how, .what = ALCORE_SYS_SCORE_HYPOTHESIS, .dropout = 1};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->token_logprobs(model, &all.sources.texts, NULL, &how, &sink),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "without dropout"));
    ck_assert_int_eq(out.items, 0);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch dropout", scores_with_dropout, outputs_are_scored_without_dropout);
