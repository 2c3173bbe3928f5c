/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: a training whose process is killed goes on to the same bytes as one that was not
 * disturbed, and a checkpoint that is damaged or of another training is refused by name. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_suite.h"
#include "torch_training.h"

static char checkpoints[80];

static alcore_sys_model_training training_with_checkpoints(const examples *all) {
    alcore_sys_model_training how = training_of(all);
    snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", scratch);
    how.updates = 150;
    how.batch_tokens = 30;
    how.accumulate = 2;
    how.warmup = 5;
    how.schedule = ALCORE_SYS_SCHEDULE_COSINE;
    how.beta1 = 0.9; /* these three are what a caller's training has by default */
    how.beta2 = 0.999;
    how.epsilon = 1e-8;
    how.label_smoothing = 0.1;
    how.seed = 3;
    how.checkpoint_every = 4;
    how.checkpoints = checkpoints;
    return how;
}

/* Trains the scratch folder, in this process, and saves the model. */
static void train_scratch(const char *fixture, bool with_checkpoints) {
    begin();
    examples all = read_examples(fixture);
    alcore_sys_model_training how = training_with_checkpoints(&all);
    if (!with_checkpoints) how.checkpoints = NULL;
    alcore_sys_model_trained done = {.size = sizeof done};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_status status = engine->train(model, &how, &done);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_eq(done.updates, how.updates);
    save_scratch(model);
    engine->close(model);
    free_examples(&all);
    alcore_ctx_unref(ctx);
}

/* The same in a process of its own, as torch allows no fork() after gradients on a device. */
static pid_t start_training(const char *fixture, bool with_checkpoints) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        train_scratch(fixture, with_checkpoints);
        _exit(0);
    }
    return child;
}

/* The same until its end. */
static void train_apart(const char *fixture, bool with_checkpoints) {
    int status;
    pid_t child = start_training(fixture, with_checkpoints);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Starts a training and kills it some time after its first checkpoint. */
static void train_and_kill(const char *fixture, long milliseconds) {
    struct stat info;
    char manifest[120];
    snprintf(manifest, sizeof manifest, "%s/checkpoints/checkpoint.json", scratch);
    pid_t child = start_training(fixture, true);
    int status;
    while (stat(manifest, &info) != 0 && waitpid(child, &status, WNOHANG) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status), "the training had ended before it was killed");
    ck_assert_int_eq(stat(manifest, &info), 0);
}

START_TEST(killed_trainings_go_on_to_the_same_bytes) {
    static const char *const folders[] = {"bert-class", "marian", "gemma3"};
    for (size_t i = 0; i < 2; i++) {
        size_t count, other_count;
        copy_fixture(folders[i], true);
        train_and_kill(folders[i], 3);
        train_and_kill(folders[i], 40); /* what goes on is killed too */
        train_apart(folders[i], true);
        char *bytes = slurp_saved("model.safetensors", &count);
        train_apart(folders[i], false);
        char *other = slurp_saved("model.safetensors", &other_count);
        ck_assert_uint_eq(count, other_count);
        ck_assert_mem_eq(bytes, other, count);
        free(bytes);
        free(other);
        remove_scratch();
    }
}
END_TEST

/* ---- checkpoints that do not fit ---- */

static alcore_sys_model *trained; /* opened anew for each attempt */

/* Makes a checkpoint in the scratch folder. */
static void make_checkpoint(examples *all, alcore_sys_model_training *how) {
    copy_fixture("bert-class", false);
    *all = read_examples("bert-class");
    *how = training_with_checkpoints(all);
    how->updates = 6;
    trained = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(trained, how, NULL), ALCORE_OK);
    engine->close(trained);
}

/* The training is refused, and the weights are as they were. */
static void expect_refused(const alcore_sys_model_training *how, alcore_status status,
                           const char *word) {
    size_t count, other_count;
    trained = open_folder(scratch, 0, 0, 0);
    save_scratch(trained);
    char *before = slurp_saved("model.safetensors", &count);
    alcore_status got = engine->train(trained, how, NULL);
    ck_assert_msg(got == status, "%d for '%s': %s", got, word, alcore_last_error());
    ck_assert_msg(strstr(alcore_last_error(), word), "'%s' lacks '%s'", alcore_last_error(), word);
    save_scratch(trained);
    char *after = slurp_saved("model.safetensors", &other_count);
    ck_assert_uint_eq(count, other_count);
    ck_assert_mem_eq(before, after, count);
    engine->close(trained);
    free(before);
    free(after);
}

START_TEST(checkpoints_of_other_trainings_are_refused) {
    begin();
    alcore_sys_model_training good, how;
    examples all;
    make_checkpoint(&all, &good);
#define OTHER(member, value, word)                                                                 \
    do {                                                                                           \
        how = good;                                                                                \
        how.member = value;                                                                        \
        expect_refused(&how, ALCORE_E_INVALID, word);                                              \
    } while (0)
    OTHER(rate, 0.5, "its rate is 0.01, here it is 0.5");
    OTHER(seed, 4, "its seed is");
    OTHER(updates, 7, "its updates is 6, here it is 7");
    OTHER(clip, 1, "its clip is");
    OTHER(schedule, ALCORE_SYS_SCHEDULE_LINEAR, "its schedule is");
    OTHER(optimizer, ALCORE_SYS_OPTIMIZER_ADAM, "its optimizer is 0, here it is 1");
    OTHER(batch_tokens, 31, "its batch_tokens is 30");
    OTHER(weights, NULL, "its weights is");
    ((int64_t *)all.labels.data)[0] = 2;
    expect_refused(&good, ALCORE_E_INVALID, "its labels is");
    ((int64_t *)all.labels.data)[0] = 0;
    ((int64_t *)all.sources.ids.data)[1]++;
    expect_refused(&good, ALCORE_E_INVALID, "its sources is");
    ((int64_t *)all.sources.ids.data)[1]--;
    /* How often checkpoints are written changes nothing; this one is complete already. */
    how = good;
    how.checkpoint_every = 1;
    alcore_sys_model_trained done = {.size = sizeof done};
    trained = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(trained, &how, &done), ALCORE_OK);
    ck_assert_int_eq(done.updates, 6);
    ck_assert_int_eq(done.tokens, 0);
    ck_assert(done.loss > 0);
    /* Another model. */
    save_scratch(trained);
    engine->close(trained);
    char command[300];
    snprintf(command, sizeof command, "cp %s/model.safetensors %s/", saved, scratch);
    ck_assert_int_eq(system(command), 0);
    expect_refused(&good, ALCORE_E_INVALID, "its model is");
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* The manifest with the value behind "key": replaced. */
static void change_manifest(const char *manifest, const char *key, const char *value) {
    char text[8192];
    const char *at = strstr(manifest, key);
    ck_assert_ptr_nonnull(at);
    at = strchr(at, ':') + 1;
    snprintf(text, sizeof text, "%.*s %s%s", (int)(at - manifest), manifest, value,
             at + strcspn(at, ",\n"));
    rewrite_in(checkpoints, "checkpoint.json", text, strlen(text));
}

/* Removes the manifest of the checkpoint before the last one. */
static void forget_the_one_before(void) {
    char path[200];
    snprintf(path, sizeof path, "%s/checkpoint-before.json", checkpoints);
    ck_assert_int_eq(unlink(path), 0);
}

/* Trains with the checkpoints that are there. Returns the weights; *tokens: of this run. */
static char *go_on(const alcore_sys_model_training *how, size_t *count, int64_t *tokens) {
    alcore_sys_model_trained done = {.size = sizeof done};
    trained = open_folder(scratch, 0, 0, 0);
    ck_assert_msg(engine->train(trained, how, &done) == ALCORE_OK, "%s", alcore_last_error());
    *tokens = done.tokens;
    save_scratch(trained);
    engine->close(trained);
    return slurp_saved("model.safetensors", count);
}

/* With the last checkpoint damaged the training goes on from the one before it, to the same bytes.
 */
START_TEST(the_checkpoint_before_takes_over) {
    begin();
    alcore_sys_model_training good;
    examples all;
    size_t manifest_count, state_count, count, other_count;
    int64_t tokens;
    make_checkpoint(&all, &good);
    char *manifest = slurp_from(checkpoints, "checkpoint.json", &manifest_count);
    const char *name = strstr(manifest, "state-0") ? "state-0.safetensors" : "state-1.safetensors";
    char *state = slurp_from(checkpoints, name, &state_count);
    char *before = slurp_from(checkpoints, "checkpoint-before.json", &other_count);
    char *whole = go_on(&good, &count, &tokens);
    ck_assert_int_eq(tokens, 0);
    for (int damage = 0; damage < 3; damage++) {
        rewrite_in(checkpoints, "checkpoint-before.json", before, other_count);
        if (damage == 0) rewrite_in(checkpoints, "checkpoint.json", manifest, manifest_count / 2);
        if (damage == 1) rewrite_in(checkpoints, name, state, state_count / 2);
        if (damage == 2) {
            state[state_count - 5] ^= 1;
            rewrite_in(checkpoints, name, state, state_count);
            state[state_count - 5] ^= 1;
        }
        size_t bytes;
        char *joined = go_on(&good, &bytes, &tokens);
        ck_assert_int_gt(tokens, 0); /* updates 5 and 6 */
        ck_assert_uint_eq(bytes, count);
        ck_assert_mem_eq(joined, whole, count);
        free(joined);
        rewrite_in(checkpoints, "checkpoint.json", manifest, manifest_count);
        rewrite_in(checkpoints, name, state, state_count);
    }
    /* A checkpoint of another training is no reason to go back. */
    alcore_sys_model_training other = good;
    other.rate = 0.5;
    expect_refused(&other, ALCORE_E_INVALID, "its rate is");
    free(manifest);
    free(state);
    free(before);
    free(whole);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(damaged_checkpoints_are_refused) {
    begin();
    alcore_sys_model_training good;
    examples all;
    make_checkpoint(&all, &good);
    forget_the_one_before();
    size_t manifest_count, count;
    char *manifest = slurp_from(checkpoints, "checkpoint.json", &manifest_count);
    const char *name = strstr(manifest, "state-0") ? "state-0.safetensors" : "state-1.safetensors";
    char *state = slurp_from(checkpoints, name, &count);
    static const struct {
        const char *key, *value, *word;
        alcore_status status;
    } changes[] = {
        {"\"format\"", "\"alcore training 9\"",
         "'format' is \"alcore training 9\"; this release reads \"alcore training 1\"",
         ALCORE_E_UNSUPPORTED},
        {"\"format\"", "\"training\"", "'format' is \"training\"", ALCORE_E_CORRUPT},
        {"\"format\"", "7", "'format' is \"\"", ALCORE_E_CORRUPT},
        {"\"state\"", "\"../model.safetensors\"", "state", ALCORE_E_CORRUPT},
        {"\"state\"", "7", "state", ALCORE_E_CORRUPT},
        {"\"hash\"", "\"0\"", "its numbers", ALCORE_E_CORRUPT},
        {"\"update\"", "-1", "update", ALCORE_E_CORRUPT},
        {"\"update\"", "7", "update", ALCORE_E_CORRUPT},
        {"\"update\"", "1e300", "update", ALCORE_E_CORRUPT},
        {"\"epoch\"", "-3", "epoch", ALCORE_E_CORRUPT},
        {"\"epoch\"", "99", "epoch", ALCORE_E_CORRUPT},
        {"\"pass\"", "\"x\"", "pass", ALCORE_E_CORRUPT},
        {"\"pass\"", "1000000", "pass", ALCORE_E_CORRUPT},
        {"\"rate\"", "\"x\"", "its rate", ALCORE_E_INVALID},
        {"\"settings\"", "{}, \"old\": {", "its ", ALCORE_E_INVALID},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        change_manifest(manifest, changes[i].key, changes[i].value);
        expect_refused(&good, changes[i].status, changes[i].word);
    }
    rewrite_in(checkpoints, "checkpoint.json", "[]", 2);
    expect_refused(&good, ALCORE_E_DATA, "checkpoint.json");
    for (size_t length = 0; length < manifest_count; length += 97) {
        rewrite_in(checkpoints, "checkpoint.json", manifest, length);
        expect_refused(&good, ALCORE_E_DATA, "checkpoint.json");
    }
    rewrite_in(checkpoints, "checkpoint.json", manifest, manifest_count);
    for (size_t length = 0; length < count; length += length < 32 ? 1 : 4999) {
        rewrite_in(checkpoints, name, state, length);
        expect_refused(&good, ALCORE_E_DATA, name);
    }
    state[count - 5] ^= 1; /* one bit of a number */
    rewrite_in(checkpoints, name, state, count);
    expect_refused(&good, ALCORE_E_CORRUPT, "its numbers");
    state[count - 5] ^= 1;
    rewrite_in(checkpoints, name, state, count);
    trained = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->train(trained, &good, NULL), ALCORE_OK);
    engine->close(trained);
    free(manifest);
    free(state);
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

static void run(const char *format, const char *first, const char *second) {
    char command[1024];
    snprintf(command, sizeof command, format, first, second);
    ck_assert_int_eq(system(command), 0);
}

/* A training goes on from the checkpoint, of update 4, that a release wrote (tests/formats). With
 * $ALCORE_MAKE_FORMATS, such as tests/formats/1.0, it is kept there first. */
START_TEST(checkpoints_of_releases_are_read) {
    static const char *const releases[] = {"1.0"};
    begin();
    alcore_sys_model_training how;
    examples all;
    make_checkpoint(&all, &how);
    const char *made = getenv("ALCORE_MAKE_FORMATS");
    if (made) {
        run("mkdir -p %1$s/checkpoint && cp %2$s/state-0.safetensors %1$s/checkpoint", made,
            checkpoints);
        run("cp %2$s/checkpoint-before.json %1$s/checkpoint/checkpoint.json", made, checkpoints);
    }
    const bool elsewhere = getenv("TORCH_DEVICE"); /* they were written on the CPU */
    for (size_t i = 0; i < sizeof releases / sizeof *releases && !elsewhere; i++) {
        char kept[400];
        size_t count;
        int64_t tokens, whole;
        snprintf(kept, sizeof kept, "%s/../../formats/%s/checkpoint", fixtures(), releases[i]);
        run("rm -r %s", checkpoints, "");
        free(go_on(&how, &count, &whole));
        run("rm -r %2$s && cp -r %1$s %2$s", kept, checkpoints);
        free(go_on(&how, &count, &tokens));
        ck_assert_int_gt(tokens, 0);
        ck_assert_int_lt(tokens, whole); /* updates 5 and 6 of 6 */
    }
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch checkpoint", killed_trainings_go_on_to_the_same_bytes,
            checkpoints_of_other_trainings_are_refused, the_checkpoint_before_takes_over,
            damaged_checkpoints_are_refused, checkpoints_of_releases_are_read);
