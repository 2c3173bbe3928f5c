/* SPDX-License-Identifier: Apache-2.0 */
/* A training whose process ends at any moment goes on to the same bytes: at each operation that
 * changes a file, and after each update. And what it says while it runs.
 *
 * The end of the process is simulated by a file table over that of the library: operation `last`
 * and all later ones fail and change nothing, except that a write leaves half of its bytes, and a
 * temporary file is not removed. What is on the disk then is what a kill would leave there. */
#include <stdbool.h>
#include <time.h>

#include "base/state.h"
#include "check_suite.h"
#include "comma_locale.h"
#include "torch_training.h"

/* ---- a disk that fails from some operation on ---- */

static alcore_files disk;        /* the library's own table, of the context `plain` */
static alcore_ctx *plain;        /* its files never fail */
static int64_t operations, last; /* made so far; the first that fails, 0: none */

/* Counts an operation; false: it is not made. */
static bool is_made(void) {
    operations++;
    return last == 0 || operations < last;
}

static alcore_status ended(void) {
    return alcore_error_set(ALCORE_E_IO, "the process has ended", 21);
}

static alcore_status open_file(void *user, const char *path, int32_t mode, void **out) {
    (void)user;
    if (mode == ALCORE_FILE_CREATE && !is_made()) return ended();
    return disk.open(disk.user, path, mode, out);
}

static alcore_status read_file(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                               size_t *out) {
    (void)user;
    return disk.read(disk.user, file, offset, buffer, bytes, out);
}

static alcore_status write_file(void *user, void *file, const void *data, size_t bytes) {
    (void)user;
    if (is_made()) return disk.write(disk.user, file, data, bytes);
    if (operations == last) (void)disk.write(disk.user, file, data, bytes / 2);
    return ended();
}

static alcore_status length_of_file(void *user, void *file, int64_t *out) {
    (void)user;
    return disk.length(disk.user, file, out);
}

static alcore_status sync_file(void *user, void *file) {
    (void)user;
    return is_made() ? disk.sync(disk.user, file) : ended();
}

static alcore_status close_file(void *user, void *file) {
    (void)user;
    return disk.close(disk.user, file);
}

static alcore_status rename_file(void *user, const char *from, const char *to) {
    (void)user;
    return is_made() ? disk.rename(disk.user, from, to) : ended();
}

static alcore_status remove_file(void *user, const char *path) {
    (void)user;
    return is_made() ? disk.remove(disk.user, path) : ended();
}

/* Loads the engine in the context `plain`; `ctx` becomes one whose files are those above. */
static void begin_on_disk(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    const alcore_files files = {.size = sizeof files,
                                .open = open_file,
                                .read = read_file,
                                .write = write_file,
                                .length = length_of_file,
                                .sync = sync_file,
                                .close = close_file,
                                .rename = rename_file,
                                .remove = remove_file};
    begin();
    plain = ctx;
    alcore__file_system(plain, &disk);
    options.files = &files;
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
}

/* ---- trainings ---- */

static char checkpoints[80];

/* Ends a training after an update, before its checkpoint is written. user: the update; 0: none. */
static alcore_status end_after(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)updates;
    (void)stop;
    return update > 0 && update == *(const int64_t *)user ? ended() : ALCORE_OK;
}

/* Five updates over two epochs, with a checkpoint after the second, the fourth and the last. */
static alcore_sys_model_training training_over_epochs(const examples *all, int32_t dtype,
                                                      int64_t *end) {
    alcore_sys_model_training how = training_of(all);
    how.updates = 5;
    how.batch_tokens = all->tokens / 6 + 1;
    how.accumulate = 2;
    how.warmup = 2;
    how.schedule = ALCORE_SYS_SCHEDULE_COSINE;
    how.seed = 3;
    how.dtype = dtype;
    how.checkpoint_every = 2;
    how.checkpoints = checkpoints;
    how.after_update = end_after;
    how.user = end;
    return how;
}

/* Trains the scratch folder in this context until the end of the training or that of the process.
 */
static alcore_status train_in(alcore_ctx *in, const alcore_sys_model_training *how,
                              alcore_sys_model **model) {
    alcore_ctx *const before = ctx;
    ctx = in;
    *model = open_folder(scratch, 0, 0, 0);
    const alcore_status status = engine->train(*model, how, NULL);
    ctx = before;
    return status;
}

/* An empty folder of checkpoints; the library makes none through a table of the host. */
static void empty_checkpoints(void) {
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", checkpoints, checkpoints);
    ck_assert_int_eq(system(command), 0);
}

/* The bytes that a training in the context `plain` ends with: from the checkpoint, if there is one.
 */
static char *bytes_at_end(const alcore_sys_model_training *how, size_t *count) {
    alcore_sys_model *model;
    ck_assert_msg(train_in(plain, how, &model) == ALCORE_OK, "%s", alcore_last_error());
    save_scratch(model);
    engine->close(model);
    return slurp_saved(how->lora_rank > 0 ? "adapter_model.safetensors" : "model.safetensors",
                       count);
}

/* Compares the bytes of a training that goes on with those of one that was never interrupted. */
static void expect_bytes(const alcore_sys_model_training *how, const char *whole, size_t length) {
    size_t count;
    char *bytes = bytes_at_end(how, &count);
    ck_assert_uint_eq(count, length);
    ck_assert_msg(!memcmp(bytes, whole, count), "other bytes; operation %lld", (long long)last);
    free(bytes);
}

/* With dropout, in float32 and, whose scale of losses is part of the state, in float16; and an
 * adapter. */
START_TEST(a_training_goes_on_from_every_moment) {
    static const struct {
        const char *folder;
        int32_t dtype;
        int64_t rank;
        const char *targets;
    } cases[] = {{"marian", ALCORE_FLOAT32, 0, NULL},
                 {"bert-class", ALCORE_FLOAT16, 0, NULL},
                 {"bert-class", ALCORE_FLOAT32, 2, "query,word_embeddings"}};
    begin_on_disk();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_sys_model *model;
        int64_t end = 0, kept = 0;
        size_t count;
        copy_fixture(cases[i].folder, true);
        snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", scratch);
        examples all = read_examples(cases[i].folder);
        alcore_sys_model_training how = training_over_epochs(&all, cases[i].dtype, &end);
        how.lora_rank = cases[i].rank;
        how.lora_targets = cases[i].targets;
        how.lora_dropout = cases[i].rank > 0 ? 0.2 : 0;
        empty_checkpoints();
        char *whole = bytes_at_end(&how, &count);
        empty_checkpoints();
        operations = last = 0;
        ck_assert_int_eq(train_in(ctx, &how, &model), ALCORE_OK);
        engine->close(model);
        const int64_t all_operations = operations;
        ck_assert_int_ge(all_operations, 3 * 2 * 4); /* create, write, sync, rename */
        for (last = 1; last <= all_operations; last++) {
            empty_checkpoints();
            operations = 0;
            ck_assert_int_eq(train_in(ctx, &how, &model), ALCORE_E_IO);
            engine->close(model);
            expect_bytes(&how, whole, count);
            kept++;
        }
        last = 0;
        for (int64_t update = 1; update <= how.updates; update++, kept++) {
            empty_checkpoints();
            end = update;
            ck_assert_int_eq(train_in(ctx, &how, &model), ALCORE_E_IO);
            engine->close(model);
            end = 0;
            expect_bytes(&how, whole, count);
        }
        ck_assert_int_eq(kept, all_operations + how.updates);
        free(whole);
        free_examples(&all);
        remove_scratch();
    }
    alcore_ctx_unref(ctx);
    alcore_ctx_unref(plain);
}
END_TEST

/* ---- progress ---- */

/* The lines of the log about updates. */
typedef struct said {
    char lines[4][200];
    int count;
} said;

static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    said *all = user;
    (void)level;
    (void)component;
    (void)fields;
    if (!strncmp(message, "update ", 7) && all->count < 4)
        snprintf(all->lines[all->count++], 200, "%s", message);
}

/* Lasts longer than the ten seconds between two lines, after the first update. */
static alcore_status wait_once(void *user, int64_t update, int64_t updates, int32_t *stop) {
    (void)user;
    (void)updates;
    (void)stop;
    if (update == 1) nanosleep(&(struct timespec){.tv_sec = 10, .tv_nsec = 1000000}, NULL);
    return ALCORE_OK;
}

/* A line after ten seconds and one at the end: three more updates like the first take three times
 * as long as it. Numbers have a point whatever the host's locale is. */
START_TEST(speed_and_time_left_are_said) {
    said all_lines = {0};
    begin();
    alcore_ctx_unref(ctx);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = keep_line;
    options.log_user = &all_lines;
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    copy_fixture("bert-class", true);
    examples all = read_examples("bert-class");
    alcore_sys_model_training how = training_of(&all);
    how.updates = 4;
    how.after_update = wait_once;
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    /* Lines are passed on to a thread that is in a call of the context. */
    ck_assert_int_eq(alcore__enter(ctx), ALCORE_OK);
    comma_locale locale;
    comma_locale_begin(&locale);
    ck_assert_int_eq(alcore__leave(ctx, engine->train(model, &how, NULL)), ALCORE_OK);
    comma_locale_end(&locale);
    engine->close(model);
    ck_assert_msg(all_lines.count == 2, "%d lines, %s", all_lines.count, all_lines.lines[0]);
    for (int i = 0; i < 2; i++) {
        long long update, updates;
        double loss, speed, left;
        ck_assert_msg(sscanf(all_lines.lines[i],
                             "update %lld of %lld: loss %lf, %lf tokens/s, %lf s left", &update,
                             &updates, &loss, &speed, &left) == 5,
                      "%s", all_lines.lines[i]);
        ck_assert_int_eq(update, i == 0 ? 1 : 4);
        ck_assert_int_eq(updates, 4);
        ck_assert_double_gt(loss, 0);
        ck_assert_msg(i == 0 ? left >= 30 : left < 0.5, "%s", all_lines.lines[i]);
        /* The tokens of one update in a third of the time that is left; at the end those of four
         * updates in ten seconds and what they took. */
        const double most = i == 0 ? (double)all.tokens * 3 / left : (double)all.tokens * 4 / 10;
        ck_assert_msg(speed <= most + 1 && (i > 0 || speed >= most - 1), "%s", all_lines.lines[i]);
        ck_assert_double_gt(speed, 0);
    }
    free_examples(&all);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch interrupt", a_training_goes_on_from_every_moment, speed_and_time_left_are_said);
