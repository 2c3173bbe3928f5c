/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/experiment.h promises of the call itself: arguments, the event function,
 * results after a failure, a cancellation. What experiments do is in tests/cli/test_experiment.py.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/experiment.h"
#include "check_status.h"
#include "check_suite.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], config[TEST_PATH_BYTES + 32], out[TEST_PATH_BYTES + 32];
static alcore_experiment_options options;

static void put(const char *name, const char *text) {
    char path[TEST_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Two seeds of one strategy and one round. */
static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_folder_make(folder, "experiment");
    snprintf(config, sizeof config, "%s/experiment.json", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    put("pool.tsv", "id\ttext\treference\na\tone two\tx y\nb\ttwo three\ty z\nc\tone\tx\n");
    put("experiment.json",
        "{\"schema\": \"alcore-experiment-1\", \"domains\": [{\"name\": \"d\", \"pool\": "
        "\"pool.tsv\"}], \"strategies\": [\"random\"], \"seeds\": [1, 2], \"budgets\": [1], "
        "\"rounds\": 1}");
    options = (alcore_experiment_options)ALCORE_EXPERIMENT_OPTIONS_INIT;
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

START_TEST(wrong_arguments) {
    alcore_experiment_result result = ALCORE_EXPERIMENT_RESULT_INIT;
    ck_assert_int_eq(alcore_experiment_run(NULL, config, out, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_experiment_run(ctx, NULL, out, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_experiment_run(ctx, config, NULL, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_experiment_run(ctx, config, "", NULL, NULL), ALCORE_E_INVALID);
    options.keep_going = 2;
    ck_assert_fails(alcore_experiment_run(ctx, config, out, &options, NULL), ALCORE_E_PARAM,
                    "keep_going is 2");
    options.keep_going = 0;
    options.reserved = 1;
    ck_assert_int_eq(alcore_experiment_run(ctx, config, out, &options, NULL),
                     ALCORE_E_STRUCT_NEWER);
    options.reserved = 0;
    options.size = 0;
    ck_assert_int_eq(alcore_experiment_run(ctx, config, out, &options, NULL),
                     ALCORE_E_STRUCT_UNSET);
    result.size = 8;
    ck_assert_int_eq(alcore_experiment_run(ctx, config, out, NULL, &result), ALCORE_E_STRUCT_SIZE);
    ck_assert_int_eq(access(out, F_OK), -1); /* nothing was begun */
}
END_TEST

/* An event function that answers with a status at the event of that number. */
typedef struct teller {
    int events, fails_at;
    alcore_status status;
    char last[400];
} teller;

static alcore_status tell(void *user, const char *line) {
    teller *self = user;
    snprintf(self->last, sizeof self->last, "%s", line);
    return ++self->events == self->fails_at ? self->status : ALCORE_OK;
}

START_TEST(what_was_done_is_told_after_a_failure) {
    alcore_experiment_result result = ALCORE_EXPERIMENT_RESULT_INIT;
    teller self = {.fails_at = 8, .status = ALCORE_E_IO};
    options.event = tell;
    options.event_user = &self;
    /* Three events of steps and three of measures are a round. */
    ck_assert_fails(alcore_experiment_run(ctx, config, out, &options, &result), ALCORE_E_IO,
                    "d/1/seed-2/random: the event function failed");
    ck_assert_int_eq(self.events, 8);
    ck_assert_ptr_nonnull(strstr(self.last, "\"run\":\"d/1/seed-2/random\""));
    ck_assert_ptr_null(strchr(self.last, '\n'));
    ck_assert_int_eq(result.runs, 2);
    ck_assert_int_eq(result.rounds, 1);
    self.fails_at = 0;
    ck_assert_ok(alcore_experiment_run(ctx, config, out, &options, &result));
    ck_assert_int_eq(result.rounds, 1);
    ck_assert_ok(alcore_experiment_run(ctx, config, out, NULL, &result));
    ck_assert_int_eq(result.rounds, 0);
    ck_assert_int_eq(result.runs, 2);
}
END_TEST

START_TEST(failures_are_counted) {
    alcore_experiment_result result = ALCORE_EXPERIMENT_RESULT_INIT;
    teller self = {.fails_at = 1, .status = 7}; /* a number of the callback's own */
    options.event = tell;
    options.event_user = &self;
    options.keep_going = 1;
    ck_assert_fails(alcore_experiment_run(ctx, config, out, &options, &result), ALCORE_E_CALLBACK,
                    "d/1/seed-1/random");
    ck_assert_int_eq(result.failed, 1);
    ck_assert_int_eq(result.rounds, 1);
}
END_TEST

static int32_t stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return 1;
}

START_TEST(a_cancellation_ends_it) {
    alcore_ctx_options with = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *other;
    options.keep_going = 1; /* a cancellation ends it all the same */
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_experiment_run(ctx, config, out, &options, NULL), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    put("experiment.json",
        "{\"schema\": \"alcore-experiment-1\", \"domains\": [{\"name\": \"d\", \"pool\": "
        "\"pool.tsv\"}], \"strategies\": [\"random\"], \"seeds\": [1, 2], \"budgets\": [1], "
        "\"rounds\": 1, \"evaluate\": {\"command\": \"sleep 20\"}}");
    with.progress = stop;
    ck_assert_ok(alcore_ctx_new(&with, &other));
    alarm(15); /* the command is killed, and not waited for */
    ck_assert_int_eq(alcore_experiment_run(other, config, out, &options, NULL), ALCORE_E_CANCELLED);
    alarm(0);
    alcore_ctx_unref(other);
}
END_TEST

static alcore_status no_file(void *user, const char *path, int32_t mode, void **handle) {
    (void)user, (void)path, (void)mode, (void)handle;
    return ALCORE_E_IO;
}

START_TEST(a_file_table_of_the_host_is_refused) {
    alcore_ctx_options with = ALCORE_CTX_OPTIONS_INIT;
    alcore_files files = ALCORE_FILES_INIT;
    alcore_ctx *other;
    files.open = no_file;
    with.files = &files;
    ck_assert_ok(alcore_ctx_new(&with, &other));
    ck_assert_fails(alcore_experiment_run(other, config, out, NULL, NULL), ALCORE_E_UNSUPPORTED,
                    "needs the file system");
    alcore_ctx_unref(other);
}
END_TEST

CHECK_SUITE_WITH("experiment/calls", setup, teardown, wrong_arguments,
                 what_was_done_is_told_after_a_failure, failures_are_counted,
                 a_cancellation_ends_it, a_file_table_of_the_host_is_refused);
