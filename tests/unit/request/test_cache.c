/* SPDX-License-Identifier: Apache-2.0 */
/* The request's option "cache" (spec 3.8): a second run over the same pool selects the same and has
 * nothing computed; entries of another model, state or pool and damaged ones are not used. A
 * run here has a context, a pool and a model of its own, as another process has. */
#include "cache_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* A run with the model "counting" in its first state, and the cache. */
static run new_run(void) {
    return (run){.name = "counting", .state = 1, .dims = 3, .cache = cache, .budget = 9};
}

/* A run of the same settings without a cache selects the same. */
static void check_uncached(const run *cached) {
    run plain = *cached;
    plain.cache = plain.cache_max_age = NULL;
    go(&plain);
    ck_assert_int_eq(plain.status, ALCORE_OK);
    ck_assert_int_eq(plain.notes, 0);
    ck_assert_str_eq(cached->table, plain.table);
}

/* Reads a file of at most `capacity` bytes, and returns how many it has. */
static size_t read_bytes(const char *path, char *out, size_t capacity) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t bytes = fread(out, 1, capacity, file);
    ck_assert_uint_lt(bytes, capacity);
    fclose(file);
    return bytes;
}

/* ---- tests ---- */

START_TEST(a_second_run_asks_for_nothing) {
    begin();
    run first = new_run(), second = new_run();
    go(&first);
    ck_assert_int_eq(first.status, ALCORE_OK);
    ck_assert_int_eq(first.embedded, ROWS);
    ck_assert_int_eq(first.scored, ROWS);
    ck_assert_int_eq(list_entries(""), 2);
    ck_assert_int_eq(list_entries("embeddings-"), 1);
    go(&second);
    ck_assert_int_eq(second.embedded, 0);
    ck_assert_int_eq(second.scored, 0);
    ck_assert_int_eq(second.notes, 2);
    ck_assert_int_eq(second.warnings, 0);
    ck_assert_str_eq(second.table, first.table);
    check_uncached(&second);
    ck_assert_int_eq(list_entries(""), 2);
    end();
}
END_TEST

START_TEST(only_rows_that_are_not_there_are_computed) {
    begin();
    run some = new_run(), others = new_run(), all = new_run();
    some.first = 10;
    some.past = 150;
    others.first = 100;
    others.past = 220;
    go(&some);
    ck_assert_int_eq(some.embedded, 140);
    check_uncached(&some);
    go(&others);
    ck_assert_int_eq(others.embedded, 70);
    ck_assert_int_eq(others.scored, 70);
    check_uncached(&others);
    go(&some);
    ck_assert_int_eq(some.embedded, 0);
    check_uncached(&some);
    go(&all);
    ck_assert_int_eq(all.embedded, ROWS - 210);
    check_uncached(&all);
    go(&all);
    ck_assert_int_eq(all.scored, 0);
    ck_assert_int_eq(list_entries(""), 2);
    end();
}
END_TEST

/* Makes every entry look as if it had been written so many seconds ago. */
static void make_older(int64_t seconds) {
    const struct dirent *entry;
    DIR *dir = opendir(cache);
    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir))) {
        char path[512];
        struct timespec times[2];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.300s", cache, entry->d_name);
        clock_gettime(CLOCK_REALTIME, &times[0]);
        times[0].tv_sec -= seconds;
        times[1] = times[0];
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    closedir(dir);
}

START_TEST(entries_that_are_too_old_are_computed_anew) {
    begin();
    run self = new_run(), young = new_run();
    self.strategy = young.strategy = "nnll";
    young.cache_max_age = "600";
    go(&self);
    make_older(500);
    go(&young);
    ck_assert_int_eq(young.scored, 0);
    make_older(700);
    go(&self); /* without a limit it is used as before */
    ck_assert_int_eq(self.scored, 0);
    go(&young);
    ck_assert_int_eq(young.scored, ROWS);
    ck_assert_int_eq(young.warnings, 0);
    check_uncached(&young);
    ck_assert_int_eq(list_entries(""), 1);
    go(&young); /* what was computed is young */
    ck_assert_int_eq(young.scored, 0);
    make_older(-5000); /* a clock that was set back */
    go(&young);
    ck_assert_int_eq(young.scored, 0);
    young.cache = NULL;
    go(&young);
    ck_assert_int_eq(young.status, ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(young.error, "no cache"));
    end();
}
END_TEST

/* Rows that are added to an entry do not make those that it had any younger. */
START_TEST(an_entry_is_as_old_as_its_oldest_row) {
    begin();
    run some = new_run(), all = new_run();
    some.strategy = all.strategy = "nnll";
    some.past = 100;
    go(&some);
    make_older(700);
    go(&all);
    ck_assert_int_eq(all.scored, ROWS - 100);
    all.cache_max_age = "600";
    go(&all);
    ck_assert_int_eq(all.scored, ROWS);
    go(&all);
    ck_assert_int_eq(all.scored, 0);
    end();
}
END_TEST

START_TEST(another_state_model_or_pool_has_its_own_entries) {
    begin();
    run one = new_run(), trained = new_run(), other = new_run(), edited = new_run();
    trained.state = 2;
    other.name = "another";
    edited.first_text = "something else";
    go(&one);
    go(&trained);
    ck_assert_int_eq(trained.embedded, ROWS);
    ck_assert_str_ne(trained.table, one.table);
    check_uncached(&trained);
    go(&other);
    ck_assert_int_eq(other.embedded, ROWS);
    go(&edited);
    ck_assert_int_eq(edited.embedded, ROWS);
    ck_assert_int_eq(list_entries(""), 8);
    go(&one);
    ck_assert_int_eq(one.embedded, 0);
    end();
}
END_TEST

/* Whatever the functions of a model may read beside the texts makes other entries, and the same
 * again the same. */
START_TEST(other_details_of_rows_have_their_own_entries) {
    begin();
    enum { RUNS = 13 };
    run runs[RUNS];
    for (int i = 0; i < RUNS; i++) runs[i] = new_run();
    runs[1].id = "a";
    runs[2].id = "b";
    runs[3].language = "a";
    runs[4].language = "b";
    runs[5].group = "a";
    runs[6].group = "b";
    runs[7].cost = 1;
    runs[8].cost = 2;
    runs[9].note = "a";
    runs[10].note = "b";
    runs[11].weight = 1;
    runs[12].weight = 2;
    for (int i = 0; i < RUNS; i++) {
        go(&runs[i]);
        ck_assert_int_eq(runs[i].status, ALCORE_OK);
        ck_assert_msg(runs[i].embedded == ROWS && runs[i].scored == ROWS, "run %d", i);
    }
    for (int i = 0; i < RUNS; i++) {
        go(&runs[i]);
        ck_assert_msg(runs[i].embedded + runs[i].scored == 0, "run %d again", i);
    }
    ck_assert_int_eq(list_entries(""), 2 * RUNS);
    end();
}
END_TEST

/* What a model makes changes from round to round: given scores leave what was embedded valid. */
START_TEST(given_numbers_of_models_leave_the_entries) {
    begin();
    run plain = new_run(), given = new_run();
    given.given = true;
    go(&plain);
    go(&given);
    ck_assert_int_eq(given.status, ALCORE_OK);
    ck_assert_int_eq(given.embedded, 0);
    end();
}
END_TEST

START_TEST(a_model_without_a_name_is_not_kept) {
    begin();
    run nameless = new_run();
    nameless.name = NULL;
    go(&nameless);
    ck_assert_int_eq(nameless.status, ALCORE_OK);
    ck_assert_int_eq(nameless.notes, 0);
    ck_assert_int_eq(list_entries(""), 0);
    end();
}
END_TEST

/* Each byte of the file in turn, as far as time allows, and every length below its own. */
START_TEST(a_damaged_entry_is_computed_again) {
    begin();
    run self = new_run();
    static char good[65536], bad[65536];
    char wanted[16384];
    self.strategy = "nnll";
    go(&self);
    ck_assert_int_eq(list_entries("logprobs-"), 1);
    snprintf(wanted, sizeof wanted, "%s", self.table);
    FILE *file = fopen(file_path, "rb");
    const size_t bytes = fread(good, 1, sizeof good, file);
    fclose(file);
    ck_assert_uint_gt(bytes, 1000);
    for (int turn = 0; turn < 60; turn++) {
        const size_t place = turn < 30 ? (size_t)turn * 5 : bytes * (size_t)turn / 60;
        size_t length = bytes;
        memcpy(bad, good, bytes);
        if (turn % 2 == 0)
            bad[place] ^= 0x10;
        else
            length = place;
        file = fopen(file_path, "wb");
        ck_assert_uint_eq(fwrite(bad, 1, length, file), length);
        fclose(file);
        go(&self);
        ck_assert_msg(self.scored == ROWS && self.warnings == 1, "turn %d: %d rows, %d warnings",
                      turn, (int)self.scored, (int)self.warnings);
        ck_assert_ptr_nonnull(strstr(self.last_warning, file_path));
        ck_assert_str_eq(self.table, wanted);
        go(&self);
        ck_assert_int_eq(self.scored, 0);
        ck_assert_int_eq(self.warnings, 0);
    }
    end();
}
END_TEST

/* A model that changed the length of its vectors and claims to be the same. */
START_TEST(values_of_another_shape_are_not_mixed) {
    begin();
    run old = new_run(), new = new_run();
    old.past = 200;
    new.dims = 4;
    go(&old);
    go(&new);
    ck_assert_int_eq(new.status, ALCORE_OK);
    ck_assert_int_eq(new.warnings, 2); /* the model is another one: neither file is used */
    ck_assert_int_eq(new.embedded, BATCH + ROWS); /* the first batch does not fit: all again */
    ck_assert_int_eq(new.scored, BATCH + ROWS);
    check_uncached(&new);
    go(&new);
    ck_assert_int_eq(new.embedded + new.scored, 0);
    end();
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_fails_at_once) {
    begin();
    run self = new_run();
    char nowhere[128];
    snprintf(nowhere, sizeof nowhere, "%s/a/b", folder);
    self.cache = nowhere;
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(self.error, nowhere));
    ck_assert_int_eq(self.embedded + self.scored, 0);
    self.cache = cache;
    FILE *file = fopen(cache, "wb"); /* a file in place of the folder */
    fclose(file);
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_E_IO);
    ck_assert_int_eq(self.embedded + self.scored, 0);
    unlink(cache);
    end();
}
END_TEST

/* A run that is cancelled while the model computes keeps the batches that are done, and the next
 * one computes the rest: each row once, and the same file as without an interruption. */
START_TEST(a_cancelled_run_keeps_its_batches) {
    static char whole[65536], joined[65536];
    begin();
    run plain = new_run(), cancelled = new_run(), rest = new_run();
    go(&plain);
    ck_assert_int_eq(list_entries("embeddings-"), 1);
    const size_t bytes = read_bytes(file_path, whole, sizeof whole);
    for (int64_t rows = 1; rows <= ROWS; rows += 50) {
        clear_cache();
        cancelled.cancel_at = rows;
        go(&cancelled);
        ck_assert_int_eq(cancelled.status, ALCORE_E_CANCELLED);
        go(&rest);
        ck_assert_int_eq(rest.status, ALCORE_OK);
        ck_assert_int_eq(rest.embedded, ROWS - cancelled.embedded);
        ck_assert_int_eq(rest.scored, ROWS - cancelled.scored);
        ck_assert_int_eq(rest.warnings, 0);
        ck_assert_str_eq(rest.table, plain.table);
        ck_assert_int_eq(list_entries("embeddings-"), 1);
        ck_assert_uint_eq(read_bytes(file_path, joined, sizeof joined), bytes);
        ck_assert_mem_eq(whole, joined, bytes);
    }
    end();
}
END_TEST

/* A run that is killed keeps what it had written, and what it was writing is in nobody's way. */
START_TEST(a_killed_run_keeps_a_usable_entry) {
    begin();
    run plain = new_run(), killed = new_run(), rest = new_run();
    int status = -1;
    plain.cache = NULL;
    go(&plain);
    killed.kill_at = 200;
    const pid_t child = fork();
    if (child == 0) {
        go(&killed);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_int_eq(list_entries("embeddings-"), 1);
    char left[600];
    snprintf(left, sizeof left, "%s.alcore-1-2", file_path); /* of a process before */
    FILE *file = fopen(left, "wb");
    fclose(file);
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    ck_assert_int_eq(utimensat(AT_FDCWD, left, old, 0), 0);
    go(&rest);
    ck_assert_int_eq(rest.status, ALCORE_OK);
    ck_assert_int_le(rest.embedded, ROWS - BATCH);
    ck_assert_int_le(rest.scored, ROWS - BATCH);
    ck_assert_int_eq(rest.warnings, 0);
    ck_assert_str_eq(rest.table, plain.table);
    ck_assert_int_eq(access(left, F_OK), -1);
    end();
}
END_TEST

/* What could not be kept is there for this run, and the user is told in every place. */
START_TEST(a_full_disk_is_told) {
    begin();
    run full = new_run(), again = new_run();
    full.full_disk = true;
    go(&full);
    ck_assert_int_eq(full.status, ALCORE_OK);
    ck_assert_int_eq(full.warnings, 2); /* of both columns, which are made in one pass */
    ck_assert_ptr_nonnull(strstr(full.last_warning, "the column 'embeddings' could not be kept"));
    ck_assert_ptr_nonnull(strstr(full.summary, "embeddings could not be kept in the cache"));
    ck_assert_ptr_nonnull(strstr(full.provenance, "\"kept\":false"));
    check_uncached(&full);
    go(&again);
    ck_assert_int_eq(again.embedded, ROWS);
    ck_assert_int_eq(again.scored, ROWS);
    ck_assert_ptr_null(strstr(again.provenance, "\"kept\""));
    end();
}
END_TEST

/* Processes with different rows at once: each selects as without a cache, and what remains is
 * whole. */
START_TEST(processes_share_a_folder) {
    begin();
    enum { PROCESSES = 6 };
    pid_t children[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        ck_assert_int_ge(children[p], 0);
        if (children[p] > 0) continue;
        run self = new_run();
        self.first = 30 * p;
        self.past = 30 * p + 100;
        for (int turn = 0; turn < 5; turn++) {
            go(&self);
            if (self.status == ALCORE_OK && self.warnings == 0) continue;
            fprintf(stderr, "process %d: %s; %s\n", p, self.error, self.last_warning);
            _exit(1);
        }
        check_uncached(&self);
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = -1;
        ck_assert_int_eq(waitpid(children[p], &status, 0), children[p]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d failed", p);
    }
    run last = new_run();
    go(&last);
    ck_assert_int_eq(last.warnings, 0);
    ck_assert_int_lt(last.embedded, ROWS);
    check_uncached(&last);
    ck_assert_int_eq(list_entries(""), 2);
    end();
}
END_TEST

/* The built-in model's log-probabilities are kept, its embeddings are not. */
START_TEST(the_ngram_model_keeps_its_logprobs) {
    begin();
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    run self = new_run();
    char first[16384] = "";
    options.log = on_log;
    options.log_user = &self;
    for (int turn = 0; turn < 2; turn++) {
        alcore_ctx *ctx;
        char path[128];
        ck_assert_ok(alcore_ctx_new(&options, &ctx));
        alcore_pool *pool = numbered_pool(ctx, 60);
        alcore_request *request = request_for(ctx, pool, "huds", "7");
        ck_assert_ok(alcore_request_set(request, "cache", cache));
        alcore_selection *selection = selected(request);
        snprintf(path, sizeof path, "%s/picks.tsv", folder);
        ck_assert_ok(alcore_selection_write(selection, path, NULL));
        ck_assert_msg(turn == 0 || strcmp(first, file_text(path)) == 0, "selections differ");
        snprintf(first, sizeof first, "%s", file_text(path));
        unlink(path);
        alcore_selection_unref(selection);
        alcore_request_unref(request);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
    ck_assert_int_eq(self.notes, 2);
    ck_assert_int_eq(list_entries("logprobs-"), 1);
    end();
}
END_TEST

/* Runs a model of its own on a pool of its own, without a request, and returns what the model was
 * asked for; *mean: of all components of the embeddings. */
static int64_t run_alone(const char *kept, double max_age, double *mean) {
    run self = new_run();
    alcore_ctx *ctx;
    alcore_scorer *scorer;
    alcore_tensor values;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = pool_of_run(ctx, &self);
    alcore_model *model = model_of(ctx, &self);
    ck_assert_ok(alcore_model_set_cache(model, kept, max_age));
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    ck_assert_ok(alcore_scorer_new(ctx, "nnll", &scorer));
    ck_assert_ok(alcore_scorer_run(scorer, pool, model));
    ck_assert_ok(alcore_pool_get_column(pool, "embeddings", &values, NULL));
    *mean = 0;
    for (int64_t i = 0; i < ROWS * self.dims; i++)
        *mean += ((const float *)values.data)[i] / (double)(ROWS * self.dims);
    alcore_scorer_unref(scorer);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return self.embedded + self.scored;
}

/* A model has a cache of its own too, for calls without a request; one of a request comes first. */
START_TEST(a_model_has_a_cache_of_its_own) {
    double plain, kept;
    begin();
    ck_assert_int_eq(run_alone(NULL, INFINITY, &plain), 2 * ROWS);
    ck_assert_int_eq(list_entries(""), 0);
    ck_assert_int_eq(run_alone(cache, INFINITY, &kept), 2 * ROWS);
    ck_assert(kept == plain);
    ck_assert_int_eq(list_entries(""), 2);
    ck_assert_int_eq(run_alone(cache, INFINITY, &kept), 0);
    ck_assert(kept == plain);
    ck_assert_int_eq(run_alone(cache, 0, &kept), 2 * ROWS);
    ck_assert_int_eq(run_alone("", INFINITY, &kept), 2 * ROWS);
    /* A request finds what was kept without one. */
    run self = new_run();
    go(&self);
    ck_assert_int_eq(self.embedded + self.scored, 0);
    end();
}
END_TEST

START_TEST(a_model_refuses_a_wrong_cache) {
    alcore_ctx *ctx;
    run self = new_run();
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_model *model = model_of(ctx, &self);
    ck_assert_int_eq(alcore_model_set_cache(model, cache, -1), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_model_set_cache(model, cache, NAN), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_model_set_cache(NULL, cache, 1), ALCORE_E_INVALID);
    alcore_model_unref(model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Every allocation of a selection whose cache has a part of the rows fails in turn: the call fails,
 * nothing is lost or left behind, and the entry stays whole. */
START_TEST(every_allocation) {
    static const char *const columns[] = {"logprobs", "embeddings", NULL};
    begin();
    run part = new_run(), self = new_run();
    part.past = 20;
    self.budget = 3;
    sweep_allocations(&part, &self, columns, 2);
    end();
}
END_TEST

CHECK_SUITE("cache", a_second_run_asks_for_nothing, only_rows_that_are_not_there_are_computed,
            entries_that_are_too_old_are_computed_anew, an_entry_is_as_old_as_its_oldest_row,
            another_state_model_or_pool_has_its_own_entries,
            other_details_of_rows_have_their_own_entries, given_numbers_of_models_leave_the_entries,
            a_model_without_a_name_is_not_kept, a_damaged_entry_is_computed_again,
            values_of_another_shape_are_not_mixed, a_folder_that_cannot_be_written_fails_at_once,
            a_cancelled_run_keeps_its_batches, a_killed_run_keeps_a_usable_entry,
            a_full_disk_is_told, processes_share_a_folder, the_ngram_model_keeps_its_logprobs,
            a_model_has_a_cache_of_its_own, a_model_refuses_a_wrong_cache, every_allocation);
