/* SPDX-License-Identifier: Apache-2.0 */
/* How soon a call of a model with blocks of the size of BERT-base notices that it is cancelled,
 * however many tokens its batches may have: within 100 ms of the processor's time. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "check_suite.h"
#include "torch_training.h"

/* Texts of LONG tokens each; the times at which calls are cancelled, in seconds of the processor,
 * are DELAY, 2 DELAY, ... ATTEMPTS DELAY after the beginning of a call. */
enum { TEXTS = 64, LONG = 256, WORDS = 8000, ATTEMPTS = 8 };
#define DELAY 0.045

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cancel_at, cancelled_at;
static atomic_bool ended; /* the call has returned */

static void *cancel_then(void *unused) {
    while (processor_seconds() < cancel_at && !ended)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cancelled_at = processor_seconds();
    alcore_ctx_cancel(ctx);
    return unused;
}

/* The calls: what they do with the same texts. */
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

static void make_config(void) {
    char path[200];
    strcpy(scratch, "/tmp/alcore-torch-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scratch));
    snprintf(path, sizeof path, "%s/config.json", scratch);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"model_type\": \"alcore_transformer\", \"vocab_size\": %d, \"d_model\": 768,\n"
            " \"encoder_layers\": 1, \"decoder_layers\": 1, \"encoder_attention_heads\": 12,\n"
            " \"decoder_attention_heads\": 12, \"encoder_ffn_dim\": 3072,\n"
            " \"decoder_ffn_dim\": 3072, \"max_position_embeddings\": %d, \"random_seed\": 1,\n"
            " \"pad_token_id\": 0, \"decoder_start_token_id\": 1, \"eos_token_id\": 2}\n",
            WORDS, LONG);
    fclose(file);
}

START_TEST(calls_end_within_100_ms) {
    static int64_t ids[TEXTS * LONG], offsets[TEXTS + 1];
    static const struct {
        const char *name;
        a_call *call;
    } calls[] = {{"embed", embed},
                 {"score", score},
                 {"translate", translate},
                 {"train", train},
                 {"recompute", train_twice}};
    for (int i = 0; i < TEXTS * LONG; i++) ids[i] = 3 + i % (WORDS - 3);
    for (int i = 0; i <= TEXTS; i++) offsets[i] = (int64_t)i * LONG;
    const alcore_sys_model_texts texts = {
        .size = sizeof texts, .count = TEXTS, .ids = ids, .offsets = offsets};
    begin();
    make_config();
    alcore_sys_model *model = open_folder(scratch, 0, 0, 16384);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        double longest = 0;
        for (int i = 0; i < ATTEMPTS; i++) {
            pthread_t thread;
            ended = false;
            cancel_at = processor_seconds() + DELAY * (1 + i);
            ck_assert_int_eq(pthread_create(&thread, NULL, cancel_then, NULL), 0);
            const alcore_status status = calls[c].call(model, &texts);
            const double returned = processor_seconds();
            ended = true;
            pthread_join(thread, NULL);
            alcore_ctx_cancel_clear(ctx);
            ck_assert_msg(status == ALCORE_E_CANCELLED, "%s: %d", calls[c].name, status);
            if (returned - cancelled_at > longest) longest = returned - cancelled_at;
        }
        ck_assert_msg(longest < 0.1, "%s: %.0f ms", calls[c].name, 1e3 * longest);
    }
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch cancel", calls_end_within_100_ms);
