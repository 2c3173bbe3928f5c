/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of labels behind each source, as those of a taxonomy: the values are those of the same
 * labels in small parts, and memory grows with the number of their tokens, not with its square. */
#include <math.h>

#include "check_suite.h"
#include "torch_support.h"

/* LABELS labels of 3 to 6 tokens, with some 7,600 tokens that are read in all; PART of them at a
 * time are few enough for one group of nodes. */
enum { LABELS = 5000, MOST = 6, PART = 100, SOURCES = 3, SHORT = 20 /* tokens of a source */ };

static int64_t label_ids[LABELS * MOST], label_offsets[LABELS + 1];
static int64_t source_ids[SOURCES * SHORT], source_offsets[SOURCES + 1];

/* Labels in no order. They begin with one of two tokens, behind which there are more nodes than a
 * group has. */
static void make_labels(void) {
    int64_t *at = label_ids;
    for (int64_t i = 0; i < LABELS; i++) {
        const int64_t k = i * 1009 % LABELS;
        const int64_t tokens[MOST] = {10 + k % 2, 5 + k / 2 % 50, 5 + k / 100, 20, 21 + k % 7, 40};
        for (int64_t t = 0; t < 3 + k % 4; t++) *at++ = tokens[t];
        label_offsets[i + 1] = at - label_ids;
    }
    for (int64_t i = 0; i < SOURCES * SHORT; i++) source_ids[i] = 5 + i * 7 % 50;
    for (int64_t i = 0; i <= SOURCES; i++) source_offsets[i] = i * SHORT;
}

/* Passes to `out` [SOURCES, tokens of all labels] the values of labels first .. first + count - 1.
 */
static void score_part(alcore_sys_model *model, int64_t first, int64_t count, float **out) {
    static results found;
    const int64_t tokens = label_offsets[first + count] - label_offsets[first];
    int64_t offsets[LABELS + 1];
    for (int64_t k = 0; k <= count; k++)
        offsets[k] = label_offsets[first + k] - label_offsets[first];
    const alcore_sys_model_texts sources = {.size = sizeof sources,
                                            .count = SOURCES,
                                            .ids = source_ids,
                                            .offsets = source_offsets},
                                 labels = {.size = sizeof labels,
                                           .count = count,
                                           .ids = label_ids + label_offsets[first],
                                           .offsets = offsets};
    const alcore_sys_model_scoring how = {.size = sizeof how, .what = ALCORE_SYS_SCORE_CHOICES};
    const alcore_sys_model_sink sink = sink_of(&found);
    const alcore_status status = engine->token_logprobs(model, &sources, &labels, &how, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    for (int i = 0; i < SOURCES; i++) {
        ck_assert_int_eq(found.counts[i], tokens);
        memcpy(out[i] + label_offsets[first], found.values[i], (size_t)tokens * sizeof **out);
    }
    free_results(&found);
}

/* The probabilities of all labels by the log-probabilities of their tokens. */
static void normalize(const float *logprobs, double *probs) {
    double all = 0;
    for (int k = 0; k < LABELS; k++) {
        double sum = 0;
        for (int64_t t = label_offsets[k]; t < label_offsets[k + 1]; t++)
            sum += (double)logprobs[t];
        all += probs[k] = exp(sum);
    }
    for (int k = 0; k < LABELS; k++) probs[k] /= all;
}

static void new_values(float **out) {
    for (int i = 0; i < SOURCES; i++) out[i] = malloc((size_t)label_offsets[LABELS] * sizeof **out);
}

static void free_values(float **values) {
    for (int i = 0; i < SOURCES; i++) free(values[i]);
}

static alcore_sys_model *open_fixture(const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", fixtures(), name);
    return open_folder(path, 0, 0, 0);
}

START_TEST(many_labels_are_scored_as_few_are) {
    static const char *const families[] = {"llama", "qwen3", "gemma3", "mistral"};
    static double probs[LABELS], expected[LABELS];
    float *together[SOURCES], *apart[SOURCES];
    begin();
    make_labels();
    new_values(together);
    new_values(apart);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        alcore_sys_model *model = open_fixture(families[f]);
        score_part(model, 0, LABELS, together);
        for (int64_t first = 0; first < LABELS; first += PART)
            score_part(model, first, PART, apart);
        for (int i = 0; i < SOURCES; i++) {
            for (int64_t t = 0; t < label_offsets[LABELS]; t++)
                ck_assert_msg(fabsf(together[i][t] - apart[i][t]) <=
                                  1e-5f * (1 + fabsf(apart[i][t])),
                              "%s: source %d, value %lld: %.9g, apart %.9g", families[f], i,
                              (long long)t, (double)together[i][t], (double)apart[i][t]);
            normalize(together[i], probs);
            normalize(apart[i], expected);
            for (int k = 0; k < LABELS; k++)
                ck_assert_double_eq_tol(probs[k], expected[k], 1e-7);
        }
        engine->close(model);
    }
    free_values(together);
    free_values(apart);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A mask of all tokens that are read, float [7600, 7620], would have 232 MB. */
START_TEST(memory_does_not_grow_with_the_square_of_labels) {
    float *values[SOURCES];
    begin();
    make_labels();
    new_values(values);
    release_at_once();
    alcore_sys_model *model = open_fixture("llama");
    score_part(model, 0, PART, values);
    const int64_t before = peak_memory();
    score_part(model, 0, LABELS, values);
    const int64_t more = peak_memory() - before;
    ck_assert_msg(more < ((int64_t)96 << 20), "%lld bytes", (long long)more);
    engine->close(model);
    free_values(values);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch labels", many_labels_are_scored_as_few_are,
            memory_does_not_grow_with_the_square_of_labels);
