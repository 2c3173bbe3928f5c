/* SPDX-License-Identifier: Apache-2.0 */
/* How soon a call of a model with blocks of the size of BERT-base notices that it is cancelled,
 * however many tokens its batches may have: within 100 ms of the processor's time. The scores of
 * references are cancelled in torch's way of computing them and in the library's kernel. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check_suite.h"
#include "kernel/kernels.h"
#include "torch_training.h"

/* Texts of LONG tokens each; the times at which calls are cancelled, in seconds of the processor,
 * are DELAY, 2 DELAY, ... ATTEMPTS DELAY after the beginning of a call, or of its first call of the
 * kernel. MANY_WORDS tokens in the vocabulary: one call of the kernel, with 1024 tokens, takes 1e11
 * operations, which is longer than ATTEMPTS DELAY. */
enum { TEXTS = 64, LONG = 256, WORDS = 8000, MANY_WORDS = 64000, ATTEMPTS = 8 };
#define DELAY 0.045

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Atomic double cancel_at; /* INFINITY: not yet known */
static double cancelled_at;
static atomic_bool ended; /* the call has returned */

static void *cancel_then(void *unused) {
    while (processor_seconds() < cancel_at && !ended)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cancelled_at = processor_seconds();
    alcore_ctx_cancel(ctx);
    return unused;
}

/* ---- the kernel ---- */

static double kernel_delay;  /* from the beginning of the kernel to the time of the cancellation */
static int kernel_cancelled; /* calls of the kernel that returned ALCORE_E_CANCELLED */

/* hidden_stats of the library; its beginning says when the call is cancelled. */
static alcore_status timed_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                 const alcore_sys_rows *output, const float *bias,
                                 const int64_t *labels, int64_t ignore,
                                 const alcore_sys_token_stats *out, int64_t *bad) {
    if (isinf(cancel_at)) cancel_at = processor_seconds() + kernel_delay;
    const alcore_status status =
        alcore__kernels_cpu()->hidden_stats(work, hidden, output, bias, labels, ignore, out, bad);
    kernel_cancelled += status == ALCORE_E_CANCELLED;
    return status;
}

static const alcore_sys_kernels timed = {.size = sizeof timed, .hidden_stats = timed_stats};

static alcore_status give_timed(void *user, int32_t kind, const alcore_sys_kernels **out) {
    (void)user, (void)kind;
    *out = &timed;
    return ALCORE_OK;
}

/* ---- the calls ---- */

/* What the calls do with the same texts. */
typedef alcore_status a_call(alcore_sys_model *model, const alcore_sys_model_texts *texts);

static alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts) {
    results out = {0};
    alcore_sys_model_sink sink = sink_of(&out);
    const alcore_status status = engine->embed(model, texts, &sink);
    free_results(&out);
    return status;
}

static alcore_status score(alcore_sys_model *model, const alcore_sys_model_texts *texts) {
    results out = {0};
    alcore_sys_model_sink sink = sink_of(&out);
    const alcore_sys_model_scoring how = {.size = sizeof how};
    const alcore_status status = engine->token_logprobs(model, texts, texts, &how, &sink);
    free_results(&out);
    return status;
}

/* Beams, of which each is as long as the model allows: the weights are random. */
static alcore_status translate(alcore_sys_model *model, const alcore_sys_model_texts *texts) {
    static results out;
    alcore_sys_model_sink sink = sink_of(&out);
    const alcore_sys_model_decoding how = {.size = sizeof how, .beams = 4};
    const alcore_status status = engine->translate(model, texts, &how, &sink);
    free_results(&out);
    return status;
}

/* recompute: as in alcore_sys_model_training. */
static alcore_status train_so(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                              int32_t recompute) {
    const alcore_sys_model_training how = {.size = sizeof how,
                                           .sources = texts,
                                           .targets = texts,
                                           .batch_tokens = 32768,
                                           .updates = 1,
                                           .recompute = recompute};
    return engine->train(model, &how, NULL);
}
static alcore_status train(alcore_sys_model *model, const alcore_sys_model_texts *texts) {
    return train_so(model, texts, 0);
}
static alcore_status train_twice(alcore_sys_model *model, const alcore_sys_model_texts *texts) {
    return train_so(model, texts, 1);
}

static void make_config(int words) {
    const plain_model model = {words, 768, 1, 12, 3072, LONG, "\"random_seed\": 1"};
    make_plain(&model);
}

/* TEXTS texts, which live as long as the process. */
static alcore_sys_model_texts long_texts(void) {
    static int64_t ids[TEXTS * LONG], offsets[TEXTS + 1];
    for (int i = 0; i < TEXTS * LONG; i++) ids[i] = 3 + i % (WORDS - 3);
    for (int i = 0; i <= TEXTS; i++) offsets[i] = (int64_t)i * LONG;
    return (alcore_sys_model_texts){
        .size = sizeof(alcore_sys_model_texts), .count = TEXTS, .ids = ids, .offsets = offsets};
}

/* Cancels a call once, `delay` after its beginning or, in_kernel, after that of the kernel. Returns
 * the seconds from then on until it ends. */
static double seconds_until_end(const char *name, a_call *call, alcore_sys_model *model,
                                const alcore_sys_model_texts *texts, bool in_kernel, double delay) {
    pthread_t thread;
    ended = false;
    kernel_delay = delay;
    cancel_at = in_kernel ? (double)INFINITY : processor_seconds() + delay;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_then, NULL), 0);
    const alcore_status status = call(model, texts);
    const double returned = processor_seconds();
    ended = true;
    pthread_join(thread, NULL);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_msg(status == ALCORE_E_CANCELLED, "%s: %d", name, status);
    return returned - cancelled_at;
}

/* Cancels a call at ATTEMPTS times, each DELAY later than the one before; it ends within 100 ms of
 * each. Other programs on the machine make the processor slower, so that a time is tried up to
 * eight times. */
static void assert_ends_soon(const char *name, a_call *call, alcore_sys_model *model,
                             const alcore_sys_model_texts *texts, bool in_kernel) {
    for (int i = 1; i <= ATTEMPTS; i++) {
        double seconds = INFINITY;
        for (int n = 0; n < 8 && seconds >= 0.1; n++)
            seconds = seconds_until_end(name, call, model, texts, in_kernel, DELAY * i);
        ck_assert_msg(seconds < 0.1, "%s: %.0f ms", name, 1e3 * seconds);
    }
}

START_TEST(calls_end_within_100_ms) {
    static const struct {
        const char *name;
        a_call *call;
    } calls[] = {{"embed", embed},
                 {"score", score},
                 {"translate", translate},
                 {"train", train},
                 {"recompute", train_twice}};
    const alcore_sys_model_texts texts = long_texts();
    begin();
    make_config(WORDS);
    alcore_sys_model *model = open_folder(scratch, 0, 0, 16384);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        assert_ends_soon(calls[c].name, calls[c].call, model, &texts, false);
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Each call is in the kernel when it is cancelled, and the kernel itself ends. */
START_TEST(the_kernel_of_scores_ends_within_100_ms) {
    const alcore_sys_model_texts texts = long_texts();
    begin();
    make_config(MANY_WORDS);
    const alcore_sys_model_options options = {.size = sizeof options,
                                              .device = test_device(),
                                              .dtype = ALCORE_FLOAT32,
                                              .batch_tokens = 1024,
                                              .kernels = give_timed};
    alcore_sys_model *model = NULL;
    const alcore_status status = engine->open(ctx, scratch, &options, &model);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    assert_ends_soon("score in the kernel", score, model, &texts, true);
    ck_assert_int_ge(kernel_cancelled, ATTEMPTS);
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch cancel", calls_end_within_100_ms, the_kernel_of_scores_ends_within_100_ms);
