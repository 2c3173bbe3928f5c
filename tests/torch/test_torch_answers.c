/* SPDX-License-Identifier: Apache-2.0 */
/* Training heads of question answering, through the table of the engine: the first and the last
 * token of each answer are learned. */
#include <math.h>

#include "check_suite.h"
#include "torch_training.h"

/* An answer of one or two tokens for each text: labels [count, 2]. Returns how many tokens of the
 * text could be part of it in candidates [count], and the numbers among these of the answer's first
 * and last in places [count, 2]. */
static void make_answers(const alcore_sys_model_texts *texts, int64_t *labels, int64_t *candidates,
                         int64_t *places) {
    for (int64_t i = 0; i < texts->count; i++) {
        int64_t tokens[512], count = 0;
        for (int64_t k = texts->offsets[i]; k < texts->offsets[i + 1]; k++)
            if (texts->types[k] == 1 && !(texts->marks[k] & ALCORE_SYS_TOKEN_SPECIAL))
                tokens[count++] = k - texts->offsets[i];
        candidates[i] = count;
        labels[2 * i] = labels[2 * i + 1] = -100;
        if (count == 0) continue; /* a text that is no pair */
        places[2 * i] = i % count;
        places[2 * i + 1] = places[2 * i] + 1 < count ? places[2 * i] + 1 : places[2 * i];
        for (int part = 0; part < 2; part++) labels[2 * i + part] = tokens[places[2 * i + part]];
    }
}

/* The loss that probabilities of answers say: with smoothing over all tokens of a text alike. */
static double loss_of_answers(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                              const int64_t *candidates, const int64_t *places, double smoothing) {
    results out = {0};
    alcore_sys_model_sink sink = sink_of(&out);
    double sum = 0, pairs = 0;
    ck_assert_int_eq(engine->qa_probs(model, texts, &sink), ALCORE_OK);
    for (int64_t i = 0; i < texts->count; i++) {
        pairs += candidates[i] > 0;
        for (int part = 0; part < 2 && candidates[i] > 0; part++) {
            const float *values = out.values[i] + part;
            sum -= (1 - smoothing) * log((double)values[2 * places[2 * i + part]]) / 2;
            for (int64_t k = 0; k < candidates[i]; k++)
                sum -= smoothing / (double)candidates[i] * log((double)values[2 * k]) / 2;
        }
    }
    ck_assert_double_gt(pairs, 2);
    free_results(&out);
    return sum / pairs;
}

/* The loss of an update is that of the probabilities before it; 300 updates learn the answers; what
 * is no answer is refused. */
START_TEST(answers_are_learned) {
    begin();
    static const char *const folders[] = {"bert-qa", "distilbert-qa"};
    for (size_t f = 0; f < 2; f++) {
        char path[600];
        int64_t labels[2 * MOST_TEXTS], candidates[MOST_TEXTS], places[2 * MOST_TEXTS];
        snprintf(path, sizeof path, "%s/%s", fixtures(), folders[f]);
        copy_fixture(folders[f], false);
        inputs in = read_inputs(path, "");
        make_answers(&in.texts, labels, candidates, places);
        alcore_sys_model_training how = {.size = sizeof how,
                                         .sources = &in.texts,
                                         .labels = labels,
                                         .rate = 1e-12,
                                         .updates = 1,
                                         .label_smoothing = 0.2};
        alcore_sys_model_trained done = {.size = sizeof done};
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        const double expected = loss_of_answers(model, &in.texts, candidates, places, 0.2);
        alcore_status status = engine->train(model, &how, &done);
        ck_assert_msg(status == ALCORE_OK, "%s: %s", folders[f], alcore_last_error());
        ck_assert_double_eq_tol(done.loss, expected, 1e-4);
        how.label_smoothing = 0;
        how.rate = 1e-2;
        how.warmup = 10;
        how.updates = 300;
        how.schedule = ALCORE_SYS_SCHEDULE_LINEAR;
        ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
        ck_assert_msg(done.loss < 0.05, "%s: %g", folders[f], done.loss);
        ck_assert_double_lt(loss_of_answers(model, &in.texts, candidates, places, 0), 0.05);
        /* The question is no part of the text, an answer does not end before it begins, and one
         * without an answer counts for nothing. */
        const int64_t first = labels[0], last = labels[1];
        labels[0] = 0;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "example 0: its answer is from token 0"));
        labels[0] = last + 1;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_DATA);
        labels[0] = labels[1] = -100;
        how.updates = 1;
        ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
        labels[0] = first;
        labels[1] = last;
        in.texts.types = NULL;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_INVALID);
        engine->close(model);
        free_inputs(&in);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch answers", answers_are_learned);
