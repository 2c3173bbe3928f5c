/* SPDX-License-Identifier: Apache-2.0 */
/* The torch engine in a process that forks, that runs out of memory, and whose model folders change
 * while they are used. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_suite.h"
#include "torch_training.h"

/* Texts of the bert fixture, so many that products and norms of a batch are made by all threads. */
enum { TEXTS = 400, LONG = 20, DIMS = 16 };

static int64_t many_ids[TEXTS * LONG], many_offsets[TEXTS + 1];

static alcore_sys_model_texts many_texts(void) {
    for (int i = 0; i < TEXTS * LONG; i++) many_ids[i] = 5 + i % 50;
    for (int i = 0; i <= TEXTS; i++) many_offsets[i] = (int64_t)i * LONG;
    return (alcore_sys_model_texts){.size = sizeof(alcore_sys_model_texts),
                                    .count = TEXTS,
                                    .ids = many_ids,
                                    .offsets = many_offsets};
}

/* A context of two threads in place of that of begin(). */
static void begin_threads(void) {
    begin();
    alcore_ctx_unref(ctx);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.module_dir = getenv("TORCH_MODULE_DIR");
    options.threads = 2;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
}

/* Embeds the texts with a folder that is opened for it. */
static void embed_many(const char *folder, results *out) {
    const alcore_sys_model_texts texts = many_texts();
    alcore_sys_model_sink sink = sink_of(out);
    alcore_sys_model *model = open_folder(folder, 0, 0, 0);
    const alcore_status status = engine->embed(model, &texts, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_eq(out->items, TEXTS);
    engine->close(model);
}

/* ---- fork ---- */

/* A child makes a context and a model of its own and embeds, though the threads of its parent's
 * torch are not there; the parent goes on as before. */
START_TEST(a_forked_child_opens_its_own_model) {
    static results before, after;
    begin_threads();
    copy_fixture("bert", true);
    embed_many(scratch, &before);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(60); /* a child that waits for threads forever is killed */
        begin_threads();
        embed_many(scratch, &after);
        for (int i = 0; i < TEXTS; i++)
            for (int k = 0; k < DIMS; k++)
                if (!(fabsf(before.values[i][k] - after.values[i][k]) < 1e-5f)) _exit(2);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
    embed_many(scratch, &after);
    for (int i = 0; i < TEXTS; i++)
        ck_assert_mem_eq(before.values[i], after.values[i], DIMS * sizeof(float));
    free_results(&before);
    free_results(&after);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* The parent's handles are refused in a child. */
START_TEST(a_forked_child_is_refused_the_models_of_its_parent) {
    begin();
    char path[600];
    const char *text = "one text";
    alcore_model *model;
    alcore_pool *pool;
    snprintf(path, sizeof path, "%s/bert", fixtures());
    ck_assert_int_eq(alcore_model_open(ctx, path, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, &text, NULL, 1, NULL), ALCORE_OK);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(60);
        const alcore_status status = alcore_model_run(model, pool, "embeddings");
        alcore_pool_unref(pool);
        alcore_model_unref(model);
        alcore_ctx_unref(ctx);
        _exit(status == ALCORE_E_FORKED ? 0 : 2);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
    alcore_pool_unref(pool);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- memory ---- */

enum { WORDS = 1 << 20 }; /* logits of 16 tokens take 64 MiB */

static void make_wide(void) {
    const plain_model model = {WORDS, 16, 1, 2, 16, 64, "\"random_seed\": 1"};
    make_plain(&model);
}

/* Lets the process grow by `more` bytes of addresses; -1: without a limit. */
static void limit_memory(int64_t more) {
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur =
        more < 0 ? limit.rlim_max : (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)more;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* A call that needs more memory than there is says so, and the same model answers as soon as there
 * is enough. */
START_TEST(too_little_memory_is_a_status) {
    static int64_t ids[LONG], offsets[2] = {0, LONG};
    begin();
    make_wide();
    for (int i = 0; i < LONG; i++) ids[i] = 3 + i;
    const alcore_sys_model_texts texts = {
        .size = sizeof texts, .count = 1, .ids = ids, .offsets = offsets};
    alcore_sys_model_scoring how = {.size = sizeof how};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0), *other = NULL;
    results out = {0}, none = {0};
    alcore_sys_model_sink sink = sink_of(&none);
    limit_memory((int64_t)40 << 20);
    const alcore_status status = engine->token_logprobs(model, &texts, &texts, &how, &sink);
    ck_assert_msg(status == ALCORE_E_NOMEM, "%d: %s", status, alcore_last_error());
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "memory"));
    ck_assert_int_eq(none.items, 0);
    ck_assert_int_eq(engine->open(ctx, scratch, NULL, &other), ALCORE_E_NOMEM);
    ck_assert_ptr_null(other);
    limit_memory(-1);
    sink = sink_of(&out);
    ck_assert_int_eq(engine->token_logprobs(model, &texts, &texts, &how, &sink), ALCORE_OK);
    ck_assert_int_eq(out.items, 1);
    engine->close(model);
    free_results(&out);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- folders that change ---- */

/* An open model has its weights in memory: what happens to its files does not reach it. Opened
 * again, the folder is another model. A folder whose config.json is another one is not copied from.
 */
START_TEST(an_open_model_stays_as_it_is) {
    static results before, after;
    char version[200];
    size_t count, config_count;
    begin();
    copy_fixture("bert", true);
    char *weights = slurp_from(scratch, "model.safetensors", &count);
    char *config = slurp_from(scratch, "config.json", &config_count);
    const alcore_sys_model_texts texts = many_texts();
    alcore_sys_model_info info = {.size = sizeof info};
    alcore_sys_model *model = open_folder(scratch, 0, 0, 0);
    alcore_sys_model_sink sink = sink_of(&before);
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_OK);
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    snprintf(version, sizeof version, "%s", info.version);

    for (size_t i = count - 400; i < count; i++) weights[i] = (char)(weights[i] ^ 1);
    rewrite_in(scratch, "model.safetensors", weights, count);
    sink = sink_of(&after);
    ck_assert_int_eq(engine->embed(model, &texts, &sink), ALCORE_OK);
    for (int i = 0; i < TEXTS; i++)
        ck_assert_mem_eq(before.values[i], after.values[i], DIMS * sizeof(float));
    alcore_sys_model *other = open_folder(scratch, 0, 0, 0);
    ck_assert_int_eq(engine->info(other, &info), ALCORE_OK);
    ck_assert_str_ne(info.version, version);
    engine->close(other);

    char *eps = strstr(config, "1e-12");
    ck_assert_ptr_nonnull(eps);
    memcpy(eps, "1e-11", 5);
    rewrite_in(scratch, "config.json", config, config_count);
    ck_assert_int_eq(engine->save(model, saved), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "config.json is not the one"));
    ck_assert_int_ne(access(saved, F_OK), 0);
    memcpy(eps, "1e-12", 5);
    rewrite_in(scratch, "config.json", config, config_count);
    save_scratch(model);
    rewrite_in(scratch, "config.json", config, 0);
    remove_scratch();
    ck_assert_int_eq(engine->save(model, saved), ALCORE_E_IO);
    engine->close(model);
    free(weights);
    free(config);
    free_results(&before);
    free_results(&after);
    alcore_ctx_unref(ctx);
}
END_TEST

static char *file_bytes; /* of the weights as the fixture has them */
static size_t file_count;
static atomic_bool ended;

/* Writes the weights over themselves again and again: whole, cut off, and with other numbers. */
static void *keep_writing(void *unused) {
    char path[200], *other = malloc(file_count);
    snprintf(path, sizeof path, "%s/model.safetensors", scratch);
    memcpy(other, file_bytes, file_count);
    memset(other + file_count - 400, 0, 400);
    for (int i = 0; !ended; i++) {
        FILE *file = fopen(path, "wb"); /* which cuts it to no bytes at first */
        if (!file) continue;
        fwrite(i % 2 ? other : file_bytes, 1, i % 3 ? file_count : file_count / 2, file);
        fclose(file);
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); /* longer than a folder is read */
    }
    free(other);
    return unused;
}

/* A file that is written while it is read is an error or a model, and never a signal: files are
 * read and not mapped. */
START_TEST(files_may_change_while_they_are_read) {
    pthread_t thread;
    int opened = 0, refused = 0;
    begin();
    copy_fixture("bert", true);
    file_bytes = slurp_from(scratch, "model.safetensors", &file_count);
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_writing, NULL), 0);
    for (int i = 0; i < 20000 && (opened < 20 || refused < 20); i++) {
        alcore_sys_model *model = NULL;
        const alcore_status status = engine->open(ctx, scratch, NULL, &model);
        ck_assert_msg(status == ALCORE_OK || status == ALCORE_E_DATA || status == ALCORE_E_IO,
                      "%d: %s", status, alcore_last_error());
        ck_assert((status == ALCORE_OK) == (model != NULL));
        *(status == ALCORE_OK ? &opened : &refused) += 1;
        engine->close(model);
    }
    ended = true;
    pthread_join(thread, NULL);
    ck_assert_msg(opened >= 20 && refused >= 20, "%d opened, %d refused", opened, refused);
    free(file_bytes);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch process", a_forked_child_opens_its_own_model,
            a_forked_child_is_refused_the_models_of_its_parent, too_little_memory_is_a_status,
            an_open_model_stays_as_it_is, files_may_change_while_they_are_read);
