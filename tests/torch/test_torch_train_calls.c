/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around a training: the caller that follows it, other calls of its model, torch, and
 * what it leaves behind when it fails or is cancelled. test_torch_checkpoint.c has those that end
 * with their process. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "check_suite.h"
#include "torch_training.h"

/* What the calls of after_update were, and when they end the training. */
typedef struct calls {
    int64_t updates[8], count, total, stop_at;
    alcore_status status; /* of the last call */
} calls;

static alcore_status note_update(void *user, int64_t update, int64_t updates, int32_t *stop) {
    calls *all = user;
    ck_assert_int_lt(all->count, 8);
    ck_assert_int_eq(*stop, 0);
    all->updates[all->count++] = update;
    all->total = updates;
    *stop = update == all->stop_at;
    return *stop ? all->status : ALCORE_OK;
}

/* It is called before the first update and after each; it can end the training, which keeps the
 * updates that are made, and its failure is that of the training. */
START_TEST(the_caller_follows_the_updates) {
    begin();
    copy_fixture("bert-class", false);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    calls noted = {.stop_at = -1};
    how.updates = 4;
    how.after_update = note_update;
    how.user = &noted;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_sys_model_trained done = {.size = sizeof done};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
    ck_assert_int_eq(noted.count, 5);
    for (int64_t i = 0; i < 5; i++) ck_assert_int_eq(noted.updates[i], i);
    ck_assert_int_eq(noted.total, 4);
    noted = (calls){.stop_at = 2};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_OK);
    ck_assert_int_eq(noted.count, 3);
    ck_assert_int_eq(done.updates, 2);
    noted = (calls){.stop_at = 3, .status = ALCORE_E_DATA};
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_E_DATA);
    ck_assert_int_eq(done.updates, 3);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

static void expect_refused(alcore_sys_model *model, const alcore_sys_model_training *how,
                           alcore_status status, const char *word) {
    alcore_status got = engine->train(model, how, NULL);
    ck_assert_msg(got == status, "%d for '%s': %s", got, word, alcore_last_error());
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
}

START_TEST(wrong_trainings_are_refused) {
    begin();
    copy_fixture("bert-class", false);
    examples all = read_examples("bert-class");
    alcore_sys_model_training good = training_of(&all), how;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
#define REFUSED(member, value, status, word)                                                       \
    do {                                                                                           \
        how = good;                                                                                \
        how.member = value;                                                                        \
        expect_refused(model, &how, status, word);                                                 \
    } while (0)
    REFUSED(labels, NULL, ALCORE_E_INVALID, "labels");
    REFUSED(sources, NULL, ALCORE_E_INVALID, "examples");
    REFUSED(rate, -1, ALCORE_E_INVALID, "rate");
    REFUSED(rate, (double)NAN, ALCORE_E_INVALID, "rate");
    REFUSED(beta1, 1, ALCORE_E_INVALID, "beta1");
    REFUSED(label_smoothing, 1.5, ALCORE_E_INVALID, "label_smoothing");
    REFUSED(schedule, 4, ALCORE_E_INVALID, "schedule 4");
    REFUSED(updates, -1, ALCORE_E_INVALID, "updates");
    REFUSED(optimizer, 2, ALCORE_E_INVALID, "optimizer 2");
    ((int64_t *)all.labels.data)[1] = 3;
    expect_refused(model, &good, ALCORE_E_DATA, "label 1 is 3; 0 to 2");
    ((int64_t *)all.labels.data)[1] = 1;
    ((float *)all.weights.data)[2] = 0;
    expect_refused(model, &good, ALCORE_E_DATA, "example 2");
    ((float *)all.weights.data)[2] = 1;
    /* A rate that is far too large ends in numbers that are not finite. */
    how = good;
    how.weights = NULL;
    how.rate = 1e30;
    how.updates = 50;
    expect_refused(model, &how, ALCORE_E_DATA, "not finite");
    engine->close(model);
    free_examples(&all);
    remove_scratch();

    copy_fixture("marian", false);
    all = read_examples("marian");
    good = training_of(&all);
    model = open_folder(scratch, 0, 0, 0);
    REFUSED(targets, NULL, ALCORE_E_INVALID, "target");
    engine->close(model);
    static const int32_t narrow[] = {ALCORE_BFLOAT16, ALCORE_SYS_INT8};
    for (int i = 0; i < 2; i++) {
        alcore_sys_model_options options = {.size = sizeof options, .dtype = narrow[i]};
        if (i == 1) options.device = "cpu";
        ck_assert_int_eq(engine->open(ctx, scratch, &options, &model), ALCORE_OK);
        expect_refused(model, &good, ALCORE_E_UNSUPPORTED, "float32");
        if (i == 1) ck_assert_int_eq(engine->save(model, scratch), ALCORE_E_UNSUPPORTED);
        engine->close(model);
    }
    free_examples(&all);
    remove_scratch();

    copy_fixture("bert", false);
    model = open_folder(scratch, 0, 0, 0);
    expect_refused(model, &good, ALCORE_E_UNSUPPORTED, "no head");
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Posted when the first update is finished, which takes long on a busy machine. */
static sem_t updated;

static alcore_status tell_of_the_first(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)user;
    (void)updates;
    (void)stop;
    if (update == 1) sem_post(&updated);
    return ALCORE_OK;
}

static void *cancel_soon(void *unused) {
    sem_wait(&updated);
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000}, NULL);
    alcore_ctx_cancel(ctx);
    return unused;
}

/* A cancelled training has the weights of as many updates as it says that it made. */
START_TEST(cancelled_trainings_keep_the_last_update) {
    begin();
    copy_fixture("bart", true);
    examples all = read_examples("bart");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 1000000;
    how.after_update = tell_of_the_first;
    alcore_sys_model_trained done = {.size = sizeof done};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    pthread_t thread;
    ck_assert_int_eq(sem_init(&updated, 0, 0), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    ck_assert_int_eq(engine->train(model, &how, &done), ALCORE_E_CANCELLED);
    pthread_join(thread, NULL);
    alcore_ctx_cancel_clear(ctx);
    ck_assert(done.updates > 0 && done.updates < how.updates);
    ck_assert_msg(done.seconds < 30, "%g s", done.seconds);
    save_scratch(model);
    engine->close(model);
    size_t count, other_count;
    char *bytes = slurp_saved("model.safetensors", &count);
    how.updates = done.updates;
    how.after_update = NULL;
    model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
    save_scratch(model);
    char *other = slurp_saved("model.safetensors", &other_count);
    ck_assert_uint_eq(count, other_count);
    ck_assert_mem_eq(bytes, other, count);
    free(bytes);
    free(other);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* What is translated after each update of a training, and its results after the last one. */
typedef struct {
    alcore_sys_model *model;
    const alcore_sys_model_texts *sources;
    const alcore_sys_model_decoding *decoding;
    results last;
} translating;

static alcore_status translate_again(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)update, (void)updates, (void)stop;
    translating *what = user;
    free_results(&what->last);
    const alcore_sys_model_sink sink = sink_of(&what->last);
    return engine->translate(what->model, what->sources, what->decoding, &sink);
}

/* Calls that compute with packed weights leave the model as it was: a training with them before
 * it, one of them cancelled, and after each update ends with the same bytes as one without them.
 * And what they have packed is not what the model translates by after the next update, nor once it
 * is trained. */
START_TEST(other_calls_do_not_change_a_training) {
    begin();
    copy_fixture("bart", true);
    examples all = read_examples("bart");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 3;
    how.rate = 0.01;
    char *bytes[2];
    size_t counts[2];
    results after[2];
    memset(after, 0, sizeof after);
    for (int i = 0; i < 2; i++) {
        alcore_sys_model *model = open_folder(scratch, 0, 0, 10);
        const alcore_sys_model_decoding decoding = {
            .size = sizeof decoding, .beams = 2, .max_tokens = 5};
        for (int cancelled = 0; cancelled < 2 * i; cancelled++) {
            results out = {0};
            alcore_sys_model_sink sink = sink_of(&out);
            if (cancelled) alcore_ctx_cancel(ctx);
            ck_assert_int_eq(engine->translate(model, how.sources, &decoding, &sink),
                             cancelled ? ALCORE_E_CANCELLED : ALCORE_OK);
            alcore_ctx_cancel_clear(ctx);
            free_results(&out);
        }
        translating what = {.model = model, .sources = how.sources, .decoding = &decoding};
        how.user = &what;
        how.after_update = i ? translate_again : NULL;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        save_scratch(model);
        bytes[i] = slurp_saved("model.safetensors", &counts[i]);
        for (int64_t item = 0; i == 1 && item < how.sources->count; item++)
            ck_assert_double_eq(after[0].scores[item], what.last.scores[item]);
        free_results(&what.last);
        alcore_sys_model_sink sink = sink_of(&after[i]);
        ck_assert_int_eq(engine->translate(model, how.sources, &decoding, &sink), ALCORE_OK);
        engine->close(model);
    }
    ck_assert_uint_eq(counts[0], counts[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], counts[0]);
    for (int64_t item = 0; item < how.sources->count; item++)
        ck_assert_double_eq(after[0].scores[item], after[1].scores[item]);
    for (int i = 0; i < 2; i++) free_results(&after[i]);
    free(bytes[0]);
    free(bytes[1]);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

static int warnings; /* of torch, in the log */

static void count_warnings(void *user, int32_t level, const char *component, const char *message,
                           const char *fields) {
    (void)user;
    (void)fields;
    if (level != ALCORE_LOG_WARN || strcmp(component, "torch")) return;
    ck_assert_ptr_nonnull(strstr(message, "draw for this device"));
    warnings++;
}

/* The device of other_device.cpp warns in each training with dropout; the CPU does not. */
START_TEST(warnings_of_torch_are_logged) {
    const void *module;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    load_devices();
    options.module_dir = getenv("TORCH_MODULE_DIR");
    options.log = count_warnings;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__module_load(ctx, getenv("TORCH_ENGINE"), &module), ALCORE_OK);
    engine = module;
    copy_fixture("bert-class", true);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 2;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
    ck_assert_int_eq(warnings > 0, getenv("TORCH_DEVICE_LIBRARY") != NULL);
    engine->close(model);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Gradients are on in a training and as they were after it, whatever they were and however it ends;
 * so is the number of threads. */
START_TEST(torch_is_as_it_was) {
    begin();
    bool (*enabled)(void) =
        (bool (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "aoti_torch_grad_mode_is_enabled");
    void *torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (!enabled && torch)
        enabled = (bool (*)(void))(uintptr_t)dlsym(torch, "aoti_torch_grad_mode_is_enabled");
    void (*set)(bool) = (void (*)(bool))(uintptr_t)dlsym(torch, "aoti_torch_grad_mode_set_enabled");
    int (*threads)(void) = (int (*)(void))(uintptr_t)dlsym(torch, "_ZN2at15get_num_threadsEv");
    ck_assert_ptr_nonnull((void *)(uintptr_t)enabled);
    ck_assert_ptr_nonnull((void *)(uintptr_t)set);
    ck_assert_ptr_nonnull((void *)(uintptr_t)threads);
    copy_fixture("bert-class", true);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 2;
    int before = threads();
    for (int on = 0; on < 2; on++) {
        alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
        set(on);
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_OK);
        ck_assert_int_eq(enabled(), on);
        how.rate = -1;
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_INVALID);
        how.rate = 0;
        alcore_ctx_cancel(ctx);
        ck_assert_int_eq(engine->train(model, &how, NULL), ALCORE_E_CANCELLED);
        alcore_ctx_cancel_clear(ctx);
        ck_assert_int_eq(enabled(), on);
        ck_assert_int_eq(threads(), before);
        expect_first_device();
        engine->close(model);
    }
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch train_calls", the_caller_follows_the_updates, wrong_trainings_are_refused,
            cancelled_trainings_keep_the_last_update, other_calls_do_not_change_a_training,
            torch_is_as_it_was, warnings_of_torch_are_logged);
