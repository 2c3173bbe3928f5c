/* SPDX-License-Identifier: Apache-2.0 */
/* Several targets behind each source (ALCORE_SYS_SCORE_CHOICES), beside the same targets scored one
 * by one, each of which reads its source anew. */
#include <math.h>

#include "check_suite.h"
#include "torch_support.h"

/* Of one token; two that begin alike, of which one goes on where the other ends; and one that is
 * longer than the windows of the folders. */
enum { CHOICES = 5, TOKENS = 14, NODES = 8 /* that are read */ };
static const int64_t ids[TOKENS] = {12, 13, 14, 13, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26};
static const int64_t offsets[CHOICES + 1] = {0, 1, 3, 4, 7, 14};
static const alcore_sys_model_texts choices = {
    .size = sizeof choices, .count = CHOICES, .ids = ids, .offsets = offsets};
static const alcore_sys_model_scoring by_choices = {.size = sizeof by_choices,
                                                    .what = ALCORE_SYS_SCORE_CHOICES};

static const char *const families[] = {"gemma3",  "gemma3-old", "llama",        "llama-dynamic",
                                       "mistral", "qwen2",      "llama-llama3", "llama-yarn",
                                       "qwen3",   "llama-tied", "mistral-full"};
enum { FAMILIES = (int)(sizeof families / sizeof *families) };

static alcore_sys_model *open_as(const char *name, int32_t dtype, int64_t batch_tokens) {
    char path[600];
    alcore_sys_model_options options = {.size = sizeof options,
                                        .device = test_device(),
                                        .dtype = dtype,
                                        .batch_tokens = batch_tokens};
    alcore_sys_model *model = NULL;
    snprintf(path, sizeof path, "%s/%s", fixtures(), name);
    const alcore_status status = engine->open(ctx, path, &options, &model);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", name, alcore_last_error());
    return model;
}

static inputs read_sources(const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", fixtures(), name);
    return read_inputs(path, "");
}

/* Passes to `out` the log-probabilities [TOKENS] of each source, by a call for each target. An end
 * follows there, whose value is left out. */
static void score_plainly(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                          double (*out)[TOKENS]) {
    for (int k = 0; k < CHOICES; k++) {
        const int64_t length = offsets[k + 1] - offsets[k];
        int64_t targets[MOST_TEXTS * TOKENS], places[MOST_TEXTS + 1] = {0};
        results found = {0};
        const alcore_sys_model_sink sink = sink_of(&found);
        for (int64_t i = 0; i < sources->count; i++) {
            memcpy(targets + i * length, ids + offsets[k], (size_t)length * sizeof *ids);
            places[i + 1] = (i + 1) * length;
        }
        const alcore_sys_model_texts same = {
            .size = sizeof same, .count = sources->count, .ids = targets, .offsets = places};
        ck_assert_int_eq(engine->token_logprobs(model, sources, &same, NULL, &sink), ALCORE_OK);
        for (int64_t i = 0; i < sources->count; i++)
            for (int64_t t = 0; t < length; t++)
                out[i][offsets[k] + t] = (double)found.values[i][t];
        free_results(&found);
    }
}

/* The probabilities of the choices by the log-probabilities of their tokens. */
static void normalize(const double *logprobs, double *probs) {
    double all = 0;
    for (int k = 0; k < CHOICES; k++) {
        double sum = 0;
        for (int64_t t = offsets[k]; t < offsets[k + 1]; t++) sum += logprobs[t];
        all += probs[k] = exp(sum);
    }
    for (int k = 0; k < CHOICES; k++) probs[k] /= all;
}

/* tolerance: of a probability, and of a log-probability relative to 1 + |x|. */
static void expect_plain_scores(const char *name, int32_t dtype, double tolerance) {
    static double plain[MOST_TEXTS][TOKENS];
    inputs in = read_sources(name);
    for (int64_t batch = 0; batch <= 30; batch += 30) {
        alcore_sys_model *model = open_as(name, dtype, batch);
        results found = {0};
        const alcore_sys_model_sink sink = sink_of(&found);
        score_plainly(model, &in.texts, plain);
        const alcore_status status =
            engine->token_logprobs(model, &in.texts, &choices, &by_choices, &sink);
        ck_assert_msg(status == ALCORE_OK, "%s: %s", name, alcore_last_error());
        ck_assert_int_eq(found.items, in.texts.count);
        ck_assert(batch == 0 || found.puts > 1);
        for (int64_t i = 0; i < in.texts.count; i++) {
            double ours[TOKENS], probs[CHOICES], expected[CHOICES];
            ck_assert_int_eq(found.counts[i], TOKENS);
            for (int t = 0; t < TOKENS; t++) {
                ours[t] = (double)found.values[i][t];
                ck_assert_msg(fabs(ours[t] - plain[i][t]) <= tolerance * (1 + fabs(plain[i][t])),
                              "%s: text %lld, token %d: %.9g, alone %.9g", name, (long long)i, t,
                              ours[t], plain[i][t]);
            }
            normalize(ours, probs);
            normalize(plain[i], expected);
            for (int k = 0; k < CHOICES; k++)
                ck_assert_double_eq_tol(probs[k], expected[k], tolerance);
        }
        expect_first_device();
        free_results(&found);
        engine->close(model);
    }
    free_inputs(&in);
}

START_TEST(choices_are_scored_as_targets_are) {
    begin();
    for (int k = 0; k < FAMILIES; k++) expect_plain_scores(families[k], ALCORE_FLOAT32, 4e-6);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(choices_of_narrow_models_are_scored_alike) {
    begin();
    for (int k = 0; k < FAMILIES; k++) {
        expect_plain_scores(families[k], ALCORE_BFLOAT16, 1e-2);
        if (!strcmp(test_device(), "cpu")) expect_plain_scores(families[k], ALCORE_SYS_INT8, 1e-2);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* What the devices of the test count: the tokens of each source once, and those that are read
 * behind it; and, where targets have one token, the sources alone. */
START_TEST(sources_are_read_once) {
    begin();
    int64_t (*read)(void) = (int64_t(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "other_device_read");
    ck_assert((read != NULL) == (getenv("TORCH_DEVICE_LIBRARY") != NULL));
    inputs in = read_sources("qwen3");
    const int64_t count = in.texts.count, tokens = in.texts.offsets[count];
    alcore_sys_model *model = open_as("qwen3", ALCORE_FLOAT32, 0);
    const int64_t short_offsets[] = {0, 1, 2, 3};
    const alcore_sys_model_texts single = {
        .size = sizeof single, .count = 3, .ids = ids, .offsets = short_offsets};
    static double plain[MOST_TEXTS][TOKENS];
    for (int i = 0; read && i < 3; i++) {
        const int64_t before = read();
        results found = {0};
        const alcore_sys_model_sink sink = sink_of(&found);
        if (i == 2)
            score_plainly(model, &in.texts, plain);
        else
            ck_assert_int_eq(engine->token_logprobs(model, &in.texts, i == 0 ? &choices : &single,
                                                    &by_choices, &sink),
                             ALCORE_OK);
        const int64_t expected[] = {tokens + NODES * count, tokens,
                                    CHOICES * tokens + TOKENS * count};
        ck_assert_int_eq(read() - before, expected[i]);
        free_results(&found);
    }
    engine->close(model);
    free_inputs(&in);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- sources that begin alike ---- */

enum { SOURCES = 4, ALIKE = 20 };
static const int64_t lengths[SOURCES] = {22, 25, 21, 22};

/* Sources whose first ALIKE tokens are the same, and a target for each of them. */
typedef struct alike {
    int64_t ids[SOURCES * 25], offsets[SOURCES + 1], targets[TOKENS], places[SOURCES + 1];
} alike;

static void make_alike(alike *out) {
    *out = (alike){0};
    for (int i = 0; i < SOURCES; i++) {
        int64_t *ids_of = out->ids + out->offsets[i];
        for (int64_t k = 0; k < lengths[i]; k++) ids_of[k] = 5 + (k < ALIKE ? k : 20 + i + k) % 50;
        out->offsets[i + 1] = out->offsets[i] + lengths[i];
        out->places[i + 1] = offsets[i + 1];
    }
    memcpy(out->targets, ids, sizeof out->targets);
}

/* The values of all sources in one call, or of one alone. */
static void score_alike(alcore_sys_model *model, const alike *all, bool chosen, int first,
                        int count, results *out) {
    int64_t offsets_of[SOURCES + 1], places[SOURCES + 1];
    for (int i = 0; i <= count; i++) {
        offsets_of[i] = all->offsets[first + i] - all->offsets[first];
        places[i] = all->places[first + i] - all->places[first];
    }
    const alcore_sys_model_texts sources = {.size = sizeof sources,
                                            .count = count,
                                            .ids = all->ids + all->offsets[first],
                                            .offsets = offsets_of},
                                 targets = {.size = sizeof targets,
                                            .count = count,
                                            .ids = all->targets + all->places[first],
                                            .offsets = places};
    const alcore_sys_model_sink sink = sink_of(out);
    const alcore_status status = engine->token_logprobs(
        model, &sources, chosen ? &choices : &targets, chosen ? &by_choices : NULL, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_eq(out->items, count);
}

static void expect_alike(const char *name, int32_t dtype, double tolerance) {
    alike all;
    make_alike(&all);
    for (int64_t batch = 0; batch <= 12; batch += 12)
        for (int chosen = 0; chosen < 2; chosen++) {
            alcore_sys_model *model = open_as(name, dtype, batch);
            results together = {0};
            score_alike(model, &all, chosen, 0, SOURCES, &together);
            ck_assert(batch == 0 || together.puts > 1);
            for (int i = 0; i < SOURCES; i++) {
                results alone = {0};
                score_alike(model, &all, chosen, i, 1, &alone);
                ck_assert_int_eq(together.counts[i], alone.counts[0]);
                for (int64_t k = 0; k < alone.counts[0]; k++)
                    ck_assert_msg(
                        fabs((double)together.values[i][k] - (double)alone.values[0][k]) <=
                            tolerance * (1 + fabs((double)alone.values[0][k])),
                        "%s: source %d, value %lld: %.9g, alone %.9g", name, i, (long long)k,
                        (double)together.values[i][k], (double)alone.values[0][k]);
                free_results(&alone);
            }
            free_results(&together);
            engine->close(model);
        }
}

START_TEST(a_common_beginning_changes_nothing) {
    begin();
    for (int k = 0; k < FAMILIES; k++) {
        expect_alike(families[k], ALCORE_FLOAT32, 4e-6);
        expect_alike(families[k], ALCORE_BFLOAT16, 1e-2);
        if (!strcmp(test_device(), "cpu")) expect_alike(families[k], ALCORE_SYS_INT8, 1e-2);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(a_common_beginning_is_read_once) {
    begin();
    int64_t (*read)(void) = (int64_t(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "other_device_read");
    const int64_t own = lengths[0] + lengths[1] + lengths[2] + lengths[3] - SOURCES * ALIKE,
                  expected[] = {ALIKE + own + offsets[SOURCES], ALIKE + own + SOURCES * NODES};
    alike all;
    make_alike(&all);
    alcore_sys_model *model = open_as("qwen3", ALCORE_FLOAT32, 0);
    for (int chosen = 0; read && chosen < 2; chosen++) {
        const int64_t before = read();
        results found = {0};
        score_alike(model, &all, chosen, 0, SOURCES, &found);
        ck_assert_int_eq(read() - before, expected[chosen]);
        free_results(&found);
    }
    engine->close(model);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(wrong_choices_are_refused) {
    begin();
    inputs in = read_sources("qwen3");
    static const int64_t none[] = {0, 1, 1}, far[] = {0, 1, 99999};
    int64_t many[40], most = 0;
    for (int i = 0; i < 40; i++) many[i] = 12;
    for (int64_t i = 0; i < in.texts.count; i++)
        if (in.texts.offsets[i + 1] - in.texts.offsets[i] > most)
            most = in.texts.offsets[i + 1] - in.texts.offsets[i];
    ck_assert_int_lt(most, 32);
    const int64_t fitting[] = {0, 32 - most + 1}, long_one[] = {0, 32 - most + 2};
    const alcore_sys_model_texts
        empty = {.size = sizeof empty, .ids = ids, .offsets = none},
        gap = {.size = sizeof gap, .count = 2, .ids = ids, .offsets = none},
        unknown = {.size = sizeof unknown, .count = 1, .ids = far + 2, .offsets = none},
        fits = {.size = sizeof fits, .count = 1, .ids = many, .offsets = fitting},
        full = {.size = sizeof full, .count = 1, .ids = many, .offsets = long_one};
    alcore_sys_model_scoring dropped = by_choices;
    dropped.dropout = 1;
    const struct {
        const alcore_sys_model_texts *targets;
        const alcore_sys_model_scoring *how;
        alcore_status status;
        const char *word;
    } wrong[] = {{NULL, &by_choices, ALCORE_E_INVALID, "no targets"},
                 {&empty, &by_choices, ALCORE_E_INVALID, "no targets"},
                 {&gap, &by_choices, ALCORE_E_DATA, "target 1 has no token"},
                 {&unknown, &by_choices, ALCORE_E_DATA, "token id 99999"},
                 {&full, &by_choices, ALCORE_E_SHAPE, "33 tokens with its targets; 1 to 32"},
                 {&choices, &dropped, ALCORE_E_UNSUPPORTED, "without dropout"}};
    alcore_sys_model *model = open_as("qwen3", ALCORE_FLOAT32, 0);
    results found = {0};
    alcore_sys_model_sink sink = sink_of(&found);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(
            engine->token_logprobs(model, &in.texts, wrong[i].targets, wrong[i].how, &sink),
            wrong[i].status);
        ck_assert_msg(strstr(alcore_last_error(), wrong[i].word), "%s", alcore_last_error());
        ck_assert_int_eq(found.items, 0);
    }
    ck_assert_int_eq(engine->token_logprobs(model, &in.texts, &fits, &by_choices, &sink),
                     ALCORE_OK);
    free_results(&found);
    engine->close(model);
    free_inputs(&in);
    model = open_as("marian", ALCORE_FLOAT32, 0);
    in = read_sources("marian");
    ck_assert_int_eq(engine->token_logprobs(model, &in.texts, &choices, &by_choices, &sink),
                     ALCORE_E_UNSUPPORTED);
    engine->close(model);
    free_inputs(&in);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch choices", choices_are_scored_as_targets_are,
            choices_of_narrow_models_are_scored_alike, sources_are_read_once,
            a_common_beginning_changes_nothing, a_common_beginning_is_read_once,
            wrong_choices_are_refused);
