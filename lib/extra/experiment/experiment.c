/* SPDX-License-Identifier: Apache-2.0 */
/* The call of an experiment: the runs, who works on which, and their rounds.
 *
 * A process takes the lock of a run and does what is left of it; runs that others have it leaves
 * for the end, when it waits for their locks: either they are done by then, or their process died
 * and it goes on with them. */
#include "alcore/extra/experiment.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extra/experiment/experiment_run.h"

/* ---- a run ---- */

/* Whether a round is done, by its record, and whether it ended the run. */
static alcore_status look_at_round(const alcore__experiment_run *run, int64_t round, bool *done,
                                   bool *ended) {
    alcore__buffer path = {0};
    alcore__tree record;
    *done = *ended = false;
    alcore_status status = alcore__experiment_file(run, round, "record.json", &path);
    if (status == ALCORE_OK && alcore__path_exists(path.data)) {
        status = alcore__tree_read(run->all->ctx, path.data, &record);
        if (status == ALCORE_OK) {
            const alcore__node *settings = alcore__node_find(record.root, "settings");
            const bool shared = round <= alcore__experiment_shared_rounds(&run->all->config);
            *done = true;
            *ended = alcore__node_find(record.root, "ended");
            if (!settings || !settings->text ||
                (shared == !run->strategy && strcmp(settings->text, run->settings) != 0))
                status = alcore__fail(ALCORE_E_DATA, "%s: the record of a run with other settings",
                                      path.data);
            alcore__tree_clear(&record);
        }
    }
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}

static alcore_status do_round(alcore__experiment_run *run, int64_t round, bool *ended) {
    alcore__buffer folder = {0};
    int64_t items = 0;
    alcore_status status = alcore__experiment_file(run, round, "", &folder);
    if (status == ALCORE_OK) status = alcore__experiment_make_folders(run->all->ctx, folder.data);
    alcore__buffer_clear(run->all->ctx, &folder);
    if (status == ALCORE_OK && round > 0) status = alcore__experiment_select(run, round, &items);
    *ended = round > 0 && items == 0;
    if (status == ALCORE_OK && items > 0) status = alcore__experiment_answer(run, round);
    if (status == ALCORE_OK && !*ended) status = alcore__experiment_mix(run, round);
    if (status == ALCORE_OK && !*ended) status = alcore__experiment_train(run, round);
    if (status == ALCORE_OK) status = alcore__experiment_measure(run, round, items);
    if (status != ALCORE_OK) return status;
    run->all->made->rounds++;
    return alcore__experiment_show(run->all, false);
}

/* Does what is left of the rounds [first, last]. */
static alcore_status do_rounds(alcore__experiment_run *run, int64_t first, int64_t last) {
    bool done, ended = false;
    for (int64_t round = first; round <= last && !ended; round++) {
        ALCORE__TRY(look_at_round(run, round, &done, &ended));
        if (!done) ALCORE__TRY(do_round(run, round, &ended));
    }
    return ALCORE_OK;
}

/* Takes the lock of a run, whose folder is then cleaned; run->lock is -1 where another process has
 * it. */
static alcore_status take_run(alcore__experiment_run *run, bool wait) {
    alcore_ctx *ctx = run->all->ctx;
    alcore__buffer folder = {0}, lock = {0};
    alcore_status status =
        alcore__experiment_path(ctx, &folder, "%s/runs/%s", run->all->folder.data, run->name.data);
    if (status == ALCORE_OK) status = alcore__experiment_path(ctx, &lock, "%s/lock", folder.data);
    if (status == ALCORE_OK) status = alcore__experiment_make_folders(ctx, folder.data);
    if (status == ALCORE_OK) status = alcore__path_lock(ctx, lock.data, wait, &run->lock);
    if (status == ALCORE_OK && run->lock >= 0) alcore__experiment_clean(ctx, folder.data);
    alcore__buffer_clear(ctx, &folder);
    alcore__buffer_clear(ctx, &lock);
    return status;
}

/* Does a run; *busy: another process does, and wait is false. */
static alcore_status do_run(alcore__experiment *self, const int64_t at[3],
                            const alcore__experiment_strategy *strategy, bool wait, bool *busy) {
    const alcore__experiment_config *config = &self->config;
    const int64_t shared = alcore__experiment_shared_rounds(config);
    alcore__experiment_run run;
    bool done, ended = false;
    alcore_status status = alcore__experiment_run_of(self, at[0], at[1], at[2], strategy, &run);
    if (status == ALCORE_OK) status = take_run(&run, wait);
    *busy = status == ALCORE_OK && run.lock < 0;
    if (status == ALCORE_OK && run.lock >= 0 && strategy && shared >= 0)
        status = look_at_round(&run, shared, &done, &ended);
    if (status == ALCORE_OK && run.lock >= 0 && !ended)
        status = strategy ? do_rounds(&run, shared >= 0 ? shared + 1 : 1, config->rounds)
                          : do_rounds(&run, alcore__experiment_first_round(config), shared);
    if (status != ALCORE_OK && status != ALCORE_E_CANCELLED)
        status = alcore__fail_within(status, "%s", run.name.data ? run.name.data : "a run");
    alcore__experiment_run_clear(&run);
    return status;
}

/* ---- all runs ---- */

/* The runs of a call. */
typedef struct walking {
    alcore__experiment *self;
    bool *done;          /* [runs] done or failed */
    alcore_status first; /* failure; ALCORE_OK: none */
    alcore__buffer text; /* of it */
} walking;

/* Notes a failure, or returns it where it ends the call. */
static alcore_status note(walking *walk, alcore_status status) {
    alcore__experiment *self = walk->self;
    if (status == ALCORE_OK || status == ALCORE_E_CANCELLED || status == ALCORE_E_NOMEM ||
        !self->options->keep_going)
        return status;
    self->made->failed++;
    if (walk->first != ALCORE_OK) return ALCORE_OK;
    walk->first = status;
    const char *text = alcore_last_error();
    return alcore__buffer_append(self->ctx, &walk->text, text, strlen(text));
}

/* Does the run of each strategy of a domain, budget and seed after their shared rounds. A shared
 * run that fails fails all of them. */
static alcore_status do_seed(walking *walk, const int64_t at[3], bool *done, bool wait) {
    alcore__experiment *self = walk->self;
    const int64_t strategies = self->config.strategy_count;
    bool busy = false, all = true;
    for (int64_t i = 0; i < strategies; i++) all = all && done[i];
    if (all) return ALCORE_OK;
    if (alcore__experiment_shared_rounds(&self->config) >= 0) {
        const alcore_status status = do_run(self, at, NULL, wait, &busy);
        if (busy) return ALCORE_OK;
        ALCORE__TRY(note(walk, status));
        if (status != ALCORE_OK) {
            memset(done, 1, (size_t)strategies * sizeof *done);
            return ALCORE_OK;
        }
    }
    for (int64_t i = 0; i < strategies; i++) {
        if (done[i]) continue;
        const alcore_status status = do_run(self, at, &self->config.strategies[i], wait, &busy);
        ALCORE__TRY(note(walk, status));
        done[i] = !busy;
    }
    return ALCORE_OK;
}

/* Seeds are the outermost loop, so that all strategies soon have the same number of them. */
static alcore_status do_all(walking *walk, bool wait) {
    const alcore__experiment_config *config = &walk->self->config;
    bool *done = walk->done;
    int64_t at[3];
    for (at[2] = 0; at[2] < config->seed_count; at[2]++)
        for (at[0] = 0; at[0] < config->domain_count; at[0]++)
            for (at[1] = 0; at[1] < config->budget_count; at[1]++) {
                ALCORE__TRY(do_seed(walk, at, done, wait));
                done += config->strategy_count;
            }
    return ALCORE_OK;
}

static alcore_status do_runs(alcore__experiment *self) {
    const alcore__experiment_config *config = &self->config;
    walking walk = {.self = self};
    self->made->runs =
        config->domain_count * config->budget_count * config->seed_count * config->strategy_count;
    alcore_status status =
        alcore__new_array(self->ctx, (size_t)self->made->runs, sizeof *walk.done, &walk.done);
    for (int pass = 0; pass < 2 && status == ALCORE_OK; pass++) status = do_all(&walk, pass > 0);
    if (status == ALCORE_OK) status = alcore__experiment_show(self, true);
    if (status == ALCORE_OK && walk.first != ALCORE_OK)
        status = alcore__fail(walk.first, "%s", walk.text.data);
    alcore__free(self->ctx, walk.done);
    alcore__buffer_clear(self->ctx, &walk.text);
    return status;
}

/* ---- the call ---- */

/* An absolute path without links, of a file or folder that is there. */
static alcore_status real_path(alcore_ctx *ctx, const char *path, alcore__buffer *out) {
    char real[PATH_MAX];
    if (!realpath(path, real)) return alcore__fail_system(errno, "read", path);
    return alcore__experiment_path(ctx, out, "%s", real);
}

/* Reads the configuration and makes the folder ready; other processes may do so at the same
 * time. */
static alcore_status begin(alcore__experiment *self, const char *config, const char *folder) {
    alcore__buffer path = {0};
    int lock = -1;
    const char *base = self->options->base;
    ALCORE__TRY(real_path(self->ctx, base ? base : config, &self->base));
    if (!base) *strrchr(self->base.data, '/') = '\0';
    alcore_status status = alcore__experiment_make_folders(self->ctx, folder);
    if (status == ALCORE_OK) status = real_path(self->ctx, folder, &self->folder);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(self->ctx, &path, "%s/lock", self->folder.data);
    if (status == ALCORE_OK) status = alcore__path_lock(self->ctx, path.data, true, &lock);
    if (status == ALCORE_OK) status = alcore__experiment_check_settings(self);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(self->ctx, &path, "%s/data", self->folder.data);
    if (status == ALCORE_OK) status = alcore__experiment_make_folders(self->ctx, path.data);
    if (status == ALCORE_OK) alcore__experiment_clean(self->ctx, path.data);
    if (status == ALCORE_OK) status = alcore__experiment_cut_files(self);
    if (lock >= 0) close(lock);
    alcore__buffer_clear(self->ctx, &path);
    return status;
}

static alcore_status run(alcore_ctx *ctx, const char *config, const char *folder,
                         const alcore_experiment_options *options, alcore_experiment_result *made) {
    alcore__experiment self = {.ctx = ctx, .options = options, .made = made};
    double time;
    if (alcore__file_time(ctx, config, &time) != ALCORE_OK)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "an experiment needs the file system, not a file table of the host");
    ALCORE__TRY(alcore__experiment_config_read(ctx, config, &self.config));
    alcore_status status = begin(&self, config, folder);
    if (status == ALCORE_OK) status = do_runs(&self);
    alcore__experiment_config_clear(&self.config);
    alcore__buffer_clear(ctx, &self.base);
    alcore__buffer_clear(ctx, &self.folder);
    alcore__arena_clear(ctx, &self.arena);
    alcore__free(ctx, self.settings);
    return status;
}

/* Checks the structs of the caller and runs. */
static alcore_status check_and_run(alcore_ctx *ctx, const char *config, const char *folder,
                                   const alcore_experiment_options *options,
                                   alcore_experiment_result *out) {
    alcore_experiment_options ours;
    alcore_experiment_result made = ALCORE_EXPERIMENT_RESULT_INIT;
    const size_t result_size = ALCORE__FIRST_SIZE(alcore_experiment_result, failed);
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_experiment_options, reserved),
                                    options, "alcore_experiment_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_experiment_options"));
    if (ours.keep_going != 0 && ours.keep_going != 1)
        return alcore__fail(ALCORE_E_PARAM, "keep_going is %d, not 0 or 1", ours.keep_going);
    if (out)
        ALCORE__TRY(
            alcore__struct_write(out, &made, sizeof made, result_size, "alcore_experiment_result"));
    const alcore_status status = run(ctx, config, folder, &ours, &made);
    if (out) alcore__struct_write(out, &made, sizeof made, result_size, "alcore_experiment_result");
    return status;
}

alcore_status alcore_experiment_run(alcore_ctx *ctx, const char *config, const char *folder,
                                    const alcore_experiment_options *options,
                                    alcore_experiment_result *out) {
    if (!ctx || !config || !folder || !*config || !*folder)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_experiment_run: ctx, config and folder are needed");
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, check_and_run(ctx, config, folder, options, out));
}
