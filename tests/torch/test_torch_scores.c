/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of given tokens, and outputs, by the engine: which of them come from the
 * library's kernels, that they are what torch computes, and what happens where logits are NaN. On a
 * device the table of these tests stands in for the kernels of the device: it is given arrays of
 * the device, checks device and stream, and computes with the kernels of the CPU. */
#include <math.h>

#include "check_suite.h"
#include "kernel/kernels.h"
#include "torch_training.h"

/* ---- a kernel table that counts ---- */

static int calls;           /* of hidden_stats */
static int32_t asked;       /* the kind of device that kernels were asked for */
static alcore_status wrong; /* what the table returns in place of computing; 0: it computes */

static bool on_device(void) {
    return strcmp(test_device(), "cpu") != 0;
}

/* A pointer of the device as one of the host; NULL for NULL. */
static void *to_host(const void *memory) {
    void *(*function)(const void *) =
        (void *(*)(const void *))(uintptr_t)dlsym(RTLD_DEFAULT, "other_device_to_host");
    return !function || !memory ? (void *)(uintptr_t)memory : function(memory);
}

static void *stream_of_device(void) {
    void *(*function)(int) = (void *(*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "other_device_stream");
    return function ? function(1) : NULL;
}

static alcore_status counted_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                   const alcore_sys_rows *output, const float *bias,
                                   const int64_t *labels, int64_t ignore,
                                   const alcore_sys_token_stats *out, int64_t *bad) {
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (work->device != on_device() || work->stream != stream_of_device())
        return work->host->set_error(ALCORE_E_INVALID, "another device or stream", 24);
    if (wrong) return work->host->set_error(wrong, "as the test wants it", 20);
    alcore_sys_rows states = *hidden, matrix = *output;
    alcore_sys_token_stats stats = {.logprob = to_host(out->logprob)};
    states.data = to_host(hidden->data);
    matrix.data = to_host(output->data);
    return alcore__kernels_cpu()->hidden_stats(work, &states, &matrix, to_host(bias),
                                               to_host(labels), ignore, &stats, bad);
}

static const alcore_sys_kernels counted = {.size = sizeof counted, .hidden_stats = counted_stats};
static const alcore_sys_kernels lacking = {.size = sizeof lacking};

static alcore_status give_counted(void *user, int32_t kind, const alcore_sys_kernels **out) {
    ck_assert_ptr_eq(user, ctx);
    asked = kind;
    *out = &counted;
    return ALCORE_OK;
}

static alcore_status give_lacking(void *user, int32_t kind, const alcore_sys_kernels **out) {
    (void)user, (void)kind;
    *out = &lacking;
    return ALCORE_OK;
}

static alcore_status give_none(void *user, int32_t kind, const alcore_sys_kernels **out) {
    (void)user, (void)kind, (void)out;
    return alcore_error_set(ALCORE_E_NOMEM, "no kernels today", 16);
}

typedef alcore_status (*finder)(void *, int32_t, const alcore_sys_kernels **);

static alcore_sys_model *open_with(const char *folder, finder kernels, int32_t dtype) {
    alcore_sys_model_options options = {.size = sizeof options,
                                        .device = test_device(),
                                        .dtype = dtype,
                                        .batch_tokens = 150,
                                        .kernels = kernels};
    alcore_sys_model *model = NULL;
    alcore_status status = engine->open(ctx, folder, &options, &model);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    return model;
}

/* ---- texts ---- */

/* `times` copies of the texts of a fixture, one after the other. */
static alcore_sys_model_texts repeated(const alcore_sys_model_texts *texts, int64_t times) {
    const int64_t tokens = texts->offsets[texts->count];
    int64_t *ids = malloc((size_t)(times * tokens) * sizeof *ids);
    int64_t *offsets = calloc((size_t)(times * texts->count + 1), sizeof *offsets);
    uint8_t *marks = !texts->marks ? NULL : malloc((size_t)(times * tokens));
    for (int64_t t = 0; t < times; t++) {
        memcpy(ids + t * tokens, texts->ids, (size_t)tokens * sizeof *ids);
        if (marks) memcpy(marks + t * tokens, texts->marks, (size_t)tokens);
        for (int64_t i = 0; i < texts->count; i++)
            offsets[t * texts->count + i + 1] = t * tokens + texts->offsets[i + 1];
    }
    return (alcore_sys_model_texts){.size = sizeof *texts,
                                    .count = times * texts->count,
                                    .ids = ids,
                                    .offsets = offsets,
                                    .marks = marks};
}

static void free_texts(alcore_sys_model_texts *texts) {
    free((void *)(uintptr_t)texts->ids);
    free((void *)(uintptr_t)texts->offsets);
    free((void *)(uintptr_t)texts->marks);
}

/* Scores of `times` copies of the texts of a fixture, by the call that its family has. */
static alcore_status score(const char *name, finder kernels, int32_t dtype, int64_t times,
                           results *out) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", fixtures(), name);
    inputs in = read_inputs(path, ""), targets = {0};
    const bool words = strstr(name, "mlm") != NULL;
    if (!words) targets = read_inputs(path, "target.");
    alcore_sys_model_texts sources = repeated(&in.texts, times), wanted = {0};
    if (!words) wanted = repeated(&targets.texts, times);
    alcore_sys_model *model = open_with(path, kernels, dtype);
    alcore_sys_model_sink sink = sink_of(out);
    calls = 0;
    alcore_status status = words ? engine->mlm_losses(model, &sources, NULL, &sink)
                                 : engine->token_logprobs(model, &sources, &wanted, NULL, &sink);
    if (status == ALCORE_OK) ck_assert_int_eq(out->items, sources.count);
    expect_first_device();
    engine->close(model);
    free_texts(&sources);
    free_texts(&wanted);
    free_inputs(&in);
    free_inputs(&targets);
    return status;
}

static void expect_near(const results *mine, const results *other, double tolerance) {
    for (int i = 0; i < MOST_TEXTS && other->values[i]; i++) {
        ck_assert_int_eq(mine->counts[i], other->counts[i]);
        for (int64_t k = 0; k < mine->counts[i]; k++)
            ck_assert_double_eq_tol((double)mine->values[i][k], (double)other->values[i][k],
                                    tolerance);
    }
}

/* Copies with which a call has the tokens that make the kernel worth it on the CPU: 256 a thread.
 * Groups of 1024 tokens end within these texts. */
enum { MANY = 100 };

/* ---- the tests ---- */

/* Of both families of heads, with and without a bias, with relative positions. */
START_TEST(scores_of_many_tokens_come_from_the_kernels) {
    begin();
    static const char *const folders[] = {"marian", "t5", "m2m100", "bert-mlm"};
    static results by_kernel, by_torch, few, by_threads;
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        ck_assert_int_eq(score(folders[f], NULL, ALCORE_FLOAT32, MANY, &by_torch), ALCORE_OK);
        ck_assert_int_eq(calls, 0);
        asked = 0;
        ck_assert_int_eq(score(folders[f], give_counted, ALCORE_FLOAT32, MANY, &by_kernel),
                         ALCORE_OK);
        ck_assert_int_gt(calls, 0);
        ck_assert_int_eq(asked, on_device() ? 12 : ALCORE_DEVICE_CPU);
        expect_near(&by_kernel, &by_torch, 2e-5);
        /* A few tokens are torch's on the CPU, whose kernel would pack the output matrix for
         * them. */
        ck_assert_int_eq(score(folders[f], give_counted, ALCORE_FLOAT32, 1, &few), ALCORE_OK);
        ck_assert_int_eq(calls > 0, on_device());
        expect_near(&by_kernel, &few, 2e-5);
        free_results(&by_kernel);
        free_results(&by_torch);
        free_results(&few);
    }
    /* Several threads share the tokens of a group, which changes little. */
    ck_assert_int_eq(score("marian", give_counted, ALCORE_FLOAT32, MANY, &by_kernel), ALCORE_OK);
    alcore_ctx *one = ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 2;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(score("marian", give_counted, ALCORE_FLOAT32, MANY, &by_threads), ALCORE_OK);
    ck_assert_int_gt(calls, 1);
    expect_near(&by_kernel, &by_threads, on_device() ? 2e-5 : 1e-6);
    alcore_ctx_unref(ctx);
    ctx = one;
    free_results(&by_kernel);
    free_results(&by_threads);
    alcore_ctx_unref(ctx);
}
END_TEST

/* In 16 bits the kernel of the CPU is slower than torch; a device has no such exception. */
START_TEST(kernels_get_16_bits_on_devices_alone) {
    begin();
    static results by_kernel, by_torch;
    ck_assert_int_eq(score("marian", NULL, ALCORE_BFLOAT16, MANY, &by_torch), ALCORE_OK);
    ck_assert_int_eq(score("marian", give_counted, ALCORE_BFLOAT16, MANY, &by_kernel), ALCORE_OK);
    ck_assert_int_eq(calls > 0, on_device());
    expect_near(&by_kernel, &by_torch, 0.1); /* torch rounds the logits to 8 bits */
    free_results(&by_kernel);
    free_results(&by_torch);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(failures_of_kernels_end_the_call) {
    begin();
    static results none;
    static const alcore_status statuses[] = {ALCORE_E_CANCELLED, ALCORE_E_NOMEM};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        wrong = statuses[i];
        ck_assert_int_eq(score("marian", give_counted, ALCORE_FLOAT32, MANY, &none), wrong);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "as the test wants it"));
        ck_assert_int_eq(none.items, 0);
    }
    wrong = ALCORE_OK;
    /* A table without the kernel is as good as none; a failure to find one ends open(). */
    ck_assert_int_eq(score("marian", give_lacking, ALCORE_FLOAT32, MANY, &none), ALCORE_OK);
    ck_assert_int_eq(calls, 0);
    free_results(&none);
    char path[600];
    snprintf(path, sizeof path, "%s/marian", fixtures());
    alcore_sys_model_options options = {
        .size = sizeof options, .device = test_device(), .kernels = give_none};
    alcore_sys_model *model = NULL;
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_E_NOMEM);
    ck_assert_ptr_null(model);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no kernels today"));
    /* A caller of an older library has a shorter struct. */
    options.size = offsetof(alcore_sys_model_options, kernels);
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_OK);
    engine->close(model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- logits that are NaN ---- */

/* Fills row `row` of a float32 matrix of the scratch folder's weights with NaN. */
static void spoil_row(const char *name, int64_t row) {
    size_t count;
    char *bytes = slurp_from(scratch, "model.safetensors", &count), key[100], path[200];
    uint64_t header;
    long long rows, dims, begins;
    memcpy(&header, bytes, sizeof header);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *entry = strstr(bytes + 8, key);
    ck_assert_ptr_nonnull(entry);
    ck_assert_int_eq(sscanf(strstr(entry, "\"shape\":"), "\"shape\":[%lld,%lld]", &rows, &dims), 2);
    ck_assert_int_eq(sscanf(strstr(entry, "\"data_offsets\":"), "\"data_offsets\":[%lld", &begins),
                     1);
    ck_assert(row < rows);
    memset(bytes + 8 + header + begins + row * dims * 4, 0xff, (size_t)dims * 4);
    snprintf(path, sizeof path, "%s/model.safetensors", scratch);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
    free(bytes);
}

/* The encoder's position of the last token of the longest texts is NaN, and so are all logits for
 * these texts. They have no outputs, one NaN as the score of their own output, and NaN as those of
 * targets; the other texts of the batch have what they have in the undamaged model. */
START_TEST(texts_whose_logits_are_nan_have_no_output) {
    begin();
    static const alcore_sys_model_decoding searches[] = {
        {.size = sizeof *searches, .beams = 1, .max_tokens = 7},
        {.size = sizeof *searches, .beams = 3, .outputs = 2, .max_tokens = 7},
        {.size = sizeof *searches, .sample = 1, .seed = 3, .max_tokens = 7}};
    copy_fixture("bart", true);
    char path[600];
    snprintf(path, sizeof path, "%s/bart", fixtures());
    inputs in = read_inputs(path, ""), targets = read_inputs(path, "target.");
    int64_t longest = 0, lost = 0;
    for (int64_t i = 0; i < in.texts.count; i++)
        if (in.texts.offsets[i + 1] - in.texts.offsets[i] > longest)
            longest = in.texts.offsets[i + 1] - in.texts.offsets[i];
    spoil_row("model.encoder.embed_positions.weight", longest - 1 + 2);
    alcore_sys_model *sound = open_with(path, NULL, ALCORE_FLOAT32),
                     *spoiled = open_with(scratch, NULL, ALCORE_FLOAT32);
    for (size_t s = 0; s < sizeof searches / sizeof *searches; s++) {
        static results found, expected, own;
        alcore_sys_model_sink sink = sink_of(&expected);
        ck_assert_int_eq(engine->translate(sound, &in.texts, &searches[s], &sink), ALCORE_OK);
        sink = sink_of(&found);
        ck_assert_int_eq(engine->translate(spoiled, &in.texts, &searches[s], &sink), ALCORE_OK);
        sink = sink_of(&own);
        alcore_sys_model_scoring scoring = {
            .size = sizeof scoring, .what = ALCORE_SYS_SCORE_HYPOTHESIS, .decoding = &searches[s]};
        ck_assert_int_eq(engine->token_logprobs(spoiled, &in.texts, NULL, &scoring, &sink),
                         ALCORE_OK);
        ck_assert_int_eq(own.items, in.texts.count);
        for (int64_t i = 0; i < in.texts.count; i++) {
            if (in.texts.offsets[i + 1] - in.texts.offsets[i] == longest) {
                ck_assert_ptr_null(found.ids[i]);
                ck_assert_int_eq(own.counts[i], 1);
                ck_assert(isnan(own.values[i][0]));
                lost++;
                continue;
            }
            ck_assert_ptr_nonnull(found.ids[i]);
            ck_assert_int_eq(found.counts[i], expected.counts[i]);
            ck_assert_mem_eq(found.ids[i], expected.ids[i], (size_t)found.counts[i] * 8);
            ck_assert_int_eq(own.counts[i], expected.counts[i]);
        }
        free_results(&found);
        free_results(&expected);
        free_results(&own);
    }
    ck_assert(lost > 0 && lost < 3 * in.texts.count);
    results given = {0};
    alcore_sys_model_sink sink = sink_of(&given);
    ck_assert_int_eq(engine->token_logprobs(spoiled, &in.texts, &targets.texts, NULL, &sink),
                     ALCORE_OK);
    for (int64_t i = 0; i < in.texts.count; i++)
        for (int64_t k = 0; k < given.counts[i]; k++)
            ck_assert_int_eq(isnan(given.values[i][k]) != 0,
                             in.texts.offsets[i + 1] - in.texts.offsets[i] == longest);
    engine->close(sound);
    engine->close(spoiled);
    free_results(&given);
    free_inputs(&in);
    free_inputs(&targets);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch scores", scores_of_many_tokens_come_from_the_kernels,
            kernels_get_16_bits_on_devices_alone, failures_of_kernels_end_the_call,
            texts_whose_logits_are_nan_have_no_output);
