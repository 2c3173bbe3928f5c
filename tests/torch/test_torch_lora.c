/* SPDX-License-Identifier: Apache-2.0 */
/* Training of LoRA adapters: five updates against peft and PyTorch's AdamW (the numbers are
 * make_lora_training.py's), and what is trained, kept and saved. */
#include <math.h>

#include "check_suite.h"
#include "fault_allocator.h"
#include "torch_training.h"

static char adapter[TEST_PATH_BYTES + 16]; /* scratch/adapter */

/* The model of a fixture, with its adapter where `adapted`. */
static alcore_sys_model *open_model(bool adapted) {
    const alcore_sys_model_options options = {.size = sizeof options,
                                              .device = test_device(),
                                              .dtype = ALCORE_FLOAT32,
                                              .adapter = adapted ? adapter : NULL};
    alcore_sys_model *model = NULL;
    ck_assert_msg(engine->open(ctx, scratch, &options, &model) == ALCORE_OK, "%s",
                  alcore_last_error());
    return model;
}

/* Copies a fixture and the adapter of it that peft made. */
static void copy_adapted(const char *folder) {
    char command[900];
    copy_fixture(folder, false);
    snprintf(adapter, sizeof adapter, "%s/adapter", scratch);
    snprintf(command, sizeof command, "cp -r %s/../lora/%s %s", fixtures(), folder, adapter);
    ck_assert_int_eq(system(command), 0);
}

static alcore_sys_model_training lora_of(const examples *all) {
    alcore_sys_model_training how = training_of(all);
    how.lora_rank = 3;
    how.updates = 5;
    how.batch_tokens = 20;
    return how;
}

static void train(alcore_sys_model *model, const alcore_sys_model_training *how) {
    ck_assert_msg(engine->train(model, how, NULL) == ALCORE_OK, "%s", alcore_last_error());
}

static char *version_of(alcore_sys_model *model) {
    alcore_sys_model_info info = {.size = sizeof info};
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    return strdup(info.version);
}

/* ---- against peft ---- */

static const struct {
    const char *folder;
    int32_t schedule;
    double smoothing;
} CASES[] = {{"bert-class", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"bert-token", ALCORE_SYS_SCHEDULE_LINEAR, 0.1},
             {"bert-mlm", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"roberta-class", ALCORE_SYS_SCHEDULE_COSINE, 0.2},
             {"distilbert-class", ALCORE_SYS_SCHEDULE_INVERSE_SQRT, 0},
             {"rembert-token", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"mpnet-class", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"electra-mlm", ALCORE_SYS_SCHEDULE_COSINE, 0},
             {"albert-token", ALCORE_SYS_SCHEDULE_LINEAR, 0.1},
             {"modernbert-token", ALCORE_SYS_SCHEDULE_LINEAR, 0.1},
             {"eurobert-class", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"deberta-class", ALCORE_SYS_SCHEDULE_INVERSE_SQRT, 0},
             {"llama", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"llama-llama3", ALCORE_SYS_SCHEDULE_LINEAR, 0.1},
             {"mistral", ALCORE_SYS_SCHEDULE_INVERSE_SQRT, 0.1},
             {"qwen2", ALCORE_SYS_SCHEDULE_COSINE, 0},
             {"qwen3", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"gemma3", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"marian", ALCORE_SYS_SCHEDULE_INVERSE_SQRT, 0.1},
             {"bart", ALCORE_SYS_SCHEDULE_LINEAR, 0.1},
             {"mbart", ALCORE_SYS_SCHEDULE_CONSTANT, 0},
             {"m2m100", ALCORE_SYS_SCHEDULE_COSINE, 0.1},
             {"t5", ALCORE_SYS_SCHEDULE_COSINE, 0.1},
             {"mt5", ALCORE_SYS_SCHEDULE_INVERSE_SQRT, 0}};

/* Whether a tensor of trained.safetensors is one of the adapter. */
static bool of_adapter(const char *name) {
    return strncmp(name, "base_model.", 11) == 0;
}

/* Reads the names of the tensors of a safetensors file into names; returns how many there are. */
static size_t read_names(const char *path, char (*names)[160], size_t most) {
    static char text[1 << 20];
    static const char behind[] = "\":{\"dtype\"";
    size_t count = 0;
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    for (char *at = text + 8, *end; (end = strstr(at, behind)) != NULL; at = end + 1) {
        *end = 0;
        ck_assert_uint_lt(count, most);
        snprintf(names[count++], 160, "%s", strrchr(at, '"') + 1);
    }
    ck_assert_uint_gt(count, 0);
    return count;
}

START_TEST(updates_agree_with_peft) {
    static char names[200][160], found_names[200][160];
    begin();
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char path[900], place[40];
        copy_adapted(CASES[i].folder);
        snprintf(place, sizeof place, "../lora/%s", CASES[i].folder);
        examples all = read_examples(CASES[i].folder);
        alcore_sys_model_training how = lora_of(&all);
        how.rate = 2e-2; /* the settings of make_training.py */
        how.weight_decay = 0.1;
        how.beta1 = 0.8;
        how.beta2 = 0.95;
        how.epsilon = 1e-6;
        how.clip = 0.7;
        how.warmup = 2;
        how.accumulate = 1000;
        how.schedule = CASES[i].schedule;
        how.label_smoothing = CASES[i].smoothing;
        alcore_sys_model_trained done = {.size = sizeof done};
        alcore_sys_model *model = open_model(true);
        ck_assert_msg(engine->train(model, &how, &done) == ALCORE_OK, "%s: %s", CASES[i].folder,
                      alcore_last_error());
        array losses = read_fixture(place, "trained", "losses");
        const double expected = (double)((float *)losses.data)[4];
        ck_assert_msg(fabs(done.loss - expected) < 1e-4 * (1 + expected),
                      "%s: loss %.6f, peft says %.6f", CASES[i].folder, done.loss, expected);
        save_scratch(model);
        engine->close(model);
        snprintf(path, sizeof path, "%s/%s/trained.safetensors", fixtures(), place);
        const size_t count = read_names(path, names, 200);
        snprintf(path, sizeof path, "%s/adapter_model.safetensors", saved);
        ck_assert_uint_eq(read_names(path, found_names, 200), count - 1); /* all but losses */
        for (size_t t = 0; t < count; t++) {
            if (!of_adapter(names[t])) continue;
            array want = read_fixture(place, "trained", names[t]),
                  have = read_tensor(path, names[t]);
            ck_assert_msg(have.data != NULL, "%s: %s", CASES[i].folder, names[t]);
            const int64_t size = want.shape[0] * want.shape[1];
            ck_assert_int_eq(have.shape[0] * have.shape[1], size);
            for (int64_t k = 0; k < size; k++)
                ck_assert_msg(
                    fabs((double)((float *)want.data)[k] - (double)((float *)have.data)[k]) <
                        how.rate / 50 * (1 + fabs((double)((float *)want.data)[k])),
                    "%s: %s[%lld] is %.6f, peft says %.6f", CASES[i].folder, names[t], (long long)k,
                    (double)((float *)have.data)[k], (double)((float *)want.data)[k]);
            free(want.data);
            free(have.data);
        }
        free(losses.data);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- properties ---- */

/* A new adapter of a fixture, of rank 3. */
START_TEST(the_saved_adapter_is_the_model) {
    static const struct {
        const char *folder, *targets;
    } cases[] = {{"bert-class", NULL},      {"bert-class", "word_embeddings query"},
                 {"roberta-class", NULL},   {"albert-token", "word_embeddings"},
                 {"marian", NULL},          {"t5", NULL},
                 {"llama", NULL},           {"qwen3", "embed_tokens,down_proj"},
                 {"modernbert-token", NULL}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        copy_fixture(cases[i].folder, false);
        snprintf(adapter, sizeof adapter, "%s/saved", scratch);
        examples all = read_examples(cases[i].folder);
        alcore_sys_model_training how = lora_of(&all);
        how.lora_targets = cases[i].targets;
        alcore_sys_model *model = open_model(false);
        char *before = version_of(model);
        train(model, &how);
        char *trained = version_of(model);
        ck_assert_str_ne(before, trained);
        save_scratch(model);
        ck_assert_int_eq(engine->save(model, scratch), ALCORE_E_INVALID);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "weights of a model"));
        alcore_sys_model *again = open_model(true);
        char *opened = version_of(again);
        ck_assert_msg(strcmp(trained, opened) == 0, "%s: %s, opened %s", cases[i].folder, trained,
                      opened);
        /* Both go on with it. */
        train(model, &how);
        train(again, &how);
        char *further = version_of(model), *opened_further = version_of(again);
        ck_assert_str_eq(further, opened_further);
        ck_assert_str_ne(further, trained);
        engine->close(model);
        engine->close(again);
        free(before);
        free(trained);
        free(opened);
        free(further);
        free(opened_further);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* A is uniform in +-1 / sqrt(in) and depends on seed and name; B is 0. A rate of next to nothing
 * leaves them so. */
START_TEST(new_adapters_are_drawn_as_by_peft) {
    static const char *const a[] = {
        "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
        "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight"};
    begin();
    copy_fixture("qwen3", false);
    examples all = read_examples("qwen3");
    float seen[3] = {0};
    for (int run = 0; run < 3; run++) { /* two seeds; the second name with the second one */
        char path[900], b[100];
        alcore_sys_model_training how = lora_of(&all);
        how.rate = 1e-12;
        how.updates = 1;
        how.seed = run > 0;
        alcore_sys_model *model = open_model(false);
        train(model, &how);
        save_scratch(model);
        engine->close(model);
        snprintf(path, sizeof path, "%s/adapter_model.safetensors", saved);
        array drawn = read_tensor(path, a[run > 1]);
        ck_assert_int_eq(drawn.shape[0], 3);
        const int64_t in = drawn.shape[1], count = 3 * in;
        double sum = 0, squares = 0, largest = 0;
        for (int64_t k = 0; k < count; k++) {
            const double value = (double)((float *)drawn.data)[k];
            sum += value;
            squares += value * value;
            largest = fmax(largest, fabs(value));
        }
        const double bound = 1 / sqrt((double)in);
        ck_assert(largest <= bound && largest > 0.8 * bound);
        /* The variance is bound^2 / 3, and that of the mean 1 / count of it. */
        ck_assert(fabs(squares / (double)count / (bound * bound / 3) - 1) < 0.5);
        ck_assert(fabs(sum / (double)count) < 4 * bound / sqrt(3.0 * (double)count));
        seen[run] = ((float *)drawn.data)[0];
        free(drawn.data);
        snprintf(b, sizeof b, "%s", a[run > 1]);
        strstr(b, "lora_A")[5] = 'B';
        array zeros = read_tensor(path, b);
        ck_assert_int_eq(zeros.shape[1], 3);
        for (int64_t k = 0; k < zeros.shape[0] * 3; k++)
            ck_assert(fabsf(((float *)zeros.data)[k]) < 1e-11F);
        free(zeros.data);
    }
    ck_assert(seen[0] != seen[1] && seen[1] != seen[2]);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

static int64_t stop_at; /* the update after which stop_after() ends a training; 0: none */

static alcore_status stop_after(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)user;
    *stop = stop_at > 0 && update == stop_at && update < updates;
    return ALCORE_OK;
}

/* Weights, moments and checkpoints are of the adapter alone, and recomputed blocks and dropout do
 * not change what is computed: a training that went on from a checkpoint has the same bytes. */
START_TEST(checkpoints_hold_the_adapter_alone) {
    static char names[400][160];
    begin();
    for (int recompute = 0; recompute < 2; recompute++) {
        char path[900];
        char *versions[4] = {NULL};
        copy_fixture("t5", false);
        examples all = read_examples("t5");
        for (int run = 0; run < 4; run++) { /* in one go; cut after 3 updates, and on; no dropout */
            char folder[TEST_PATH_BYTES + 16];
            snprintf(folder, sizeof folder, "%s/kept-%d", scratch, (run + 1) / 2);
            alcore_sys_model_training how = lora_of(&all);
            how.seed = 4;
            how.lora_dropout = run < 3 ? 0.3 : 0;
            how.recompute = recompute;
            how.checkpoints = folder;
            how.checkpoint_every = 3;
            stop_at = run == 1 ? 3 : 0;
            how.after_update = stop_after;
            alcore_sys_model *model = open_model(false);
            train(model, &how);
            versions[run] = version_of(model);
            engine->close(model);
        }
        ck_assert_str_eq(versions[0], versions[2]);
        ck_assert_str_ne(versions[0], versions[1]);
        ck_assert_str_ne(versions[0], versions[3]);
        snprintf(path, sizeof path, "%s/kept-1/state-0.safetensors", scratch);
        const size_t count = read_names(path, names, 400);
        /* A and B of q and v of 2 blocks of the encoder, and of both attentions of 2 of the
         * decoder, each with two moments. */
        ck_assert_uint_eq(count, 3 * 2 * 2 * (2 + 4));
        for (size_t t = 0; t < count; t++) ck_assert_ptr_nonnull(strstr(names[t], ".lora_"));
        for (int run = 0; run < 4; run++) free(versions[run]);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- calls that do not end ---- */

static alcore_ctx *roomy; /* of whose memory all is there */
static fault_allocator fault;
static long long faults;  /* allocations that failed in the last training */
static int64_t cancel_at; /* the update after which a training is cancelled; 0: none */

static alcore_status cancel_after(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)user, (void)updates, (void)stop;
    if (cancel_at > 0 && update == cancel_at) alcore_ctx_cancel(ctx);
    return ALCORE_OK;
}

/* Trains a new adapter of the scratch folder and saves it; returns what failed, if anything did. */
static alcore_status train_and_save(const alcore_sys_model_training *how, long long failing) {
    alcore_sys_model *model = open_model(false);
    fault_arm(&fault, failing, 0);
    alcore_status status = engine->train(model, how, NULL);
    if (status == ALCORE_OK) status = engine->save(model, saved);
    faults = fault.failures;
    fault_arm(&fault, 0, 0);
    engine->close(model);
    return status;
}

/* The adapter that is saved, after a training that goes on from its checkpoint. */
static char *adapter_at_end(const alcore_sys_model_training *how, size_t *count) {
    alcore_status status = train_and_save(how, 0);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return slurp_saved("adapter_model.safetensors", count);
}

/* Each allocation of a training and of save() fails once, and each update is cancelled once: the
 * call says so, nothing stays behind in memory, and the same training then ends with the same
 * bytes. */
START_TEST(trainings_that_fail_go_on) {
    char command[2 * TEST_PATH_BYTES + 60], folder[TEST_PATH_BYTES + 16];
    begin();
    roomy = ctx; /* which the engine was loaded with */
    ctx = fault_context(&fault, 1);
    copy_fixture("qwen3", false);
    examples all = read_examples("qwen3");
    snprintf(folder, sizeof folder, "%s/kept", scratch);
    snprintf(command, sizeof command, "rm -rf %s %s", folder, saved);
    alcore_sys_model_training how = lora_of(&all);
    how.lora_targets = "embed_tokens v_proj";
    how.lora_dropout = 0.3;
    how.checkpoints = folder;
    how.checkpoint_every = 2;
    how.after_update = cancel_after;
    size_t count, length, failed = 0;
    char *whole = adapter_at_end(&how, &length);
    const long long blocks = fault.live_blocks;
    for (long long call = 1;; call++) {
        ck_assert_int_eq(system(command), 0);
        const alcore_status status = train_and_save(&how, call);
        ck_assert_int_eq(fault.live_blocks, blocks);
        if (faults == 0) break;
        /* A line of the log may be lost without harm. */
        ck_assert_msg(status == ALCORE_E_NOMEM || status == ALCORE_OK, "allocation %lld: %s", call,
                      alcore_status_name(status));
        failed += status == ALCORE_E_NOMEM;
        char *bytes = adapter_at_end(&how, &count);
        ck_assert(count == length && memcmp(bytes, whole, count) == 0);
        free(bytes);
    }
    ck_assert_uint_ge(failed, 12);
    for (int64_t update = 1; update < how.updates; update++) {
        ck_assert_int_eq(system(command), 0);
        cancel_at = update;
        ck_assert_int_eq(train_and_save(&how, 0), ALCORE_E_CANCELLED);
        alcore_ctx_cancel_clear(ctx);
        cancel_at = 0;
        char *bytes = adapter_at_end(&how, &count);
        ck_assert(count == length && memcmp(bytes, whole, count) == 0);
        free(bytes);
    }
    free(whole);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
    alcore_ctx_unref(roomy);
}
END_TEST

CHECK_SUITE("torch lora", updates_agree_with_peft, the_saved_adapter_is_the_model,
            new_adapters_are_drawn_as_by_peft, checkpoints_hold_the_adapter_alone,
            trainings_that_fail_go_on);
