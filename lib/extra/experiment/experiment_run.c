/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is: its name, the files of its rounds, the models that they begin with, and the events
 * that tell of it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "alcore/extra/lm.h"
#include "extra/experiment/experiment_run.h"
#include "formats/json_text.h"

/* ---- rounds and their files ---- */

int64_t alcore__experiment_shared_rounds(const alcore__experiment_config *config) {
    return config->first.strategy ? 1 : config->zero ? 0 : -1;
}

int64_t alcore__experiment_first_round(const alcore__experiment_config *config) {
    return config->zero ? 0 : 1;
}

alcore_status alcore__experiment_file(const alcore__experiment_run *run, int64_t round,
                                      const char *file, alcore__buffer *out) {
    const bool shared = round <= alcore__experiment_shared_rounds(&run->all->config);
    const size_t slash = (size_t)(strrchr(run->name.data, '/') - run->name.data);
    return alcore__experiment_path(run->all->ctx, out, "%s/runs/%.*s/%s/round-%02lld%s%s",
                                   run->all->folder.data, (int)slash, run->name.data,
                                   shared ? ALCORE__EXPERIMENT_SHARED : run->name.data + slash + 1,
                                   (long long)round, *file ? "/" : "", file);
}

/* ---- events ---- */

/* Appends a line to the file; a line that a killed process has left without its end is ended
 * first. */
static int append_line(const char *path, const char *line, size_t length) {
    char last = '\n';
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int error = flock(file, LOCK_EX) == 0 ? 0 : errno;
    const off_t end = error ? 0 : lseek(file, 0, SEEK_END);
    if (!error && end > 0 && pread(file, &last, 1, end - 1) != 1) error = EIO;
    if (!error && last != '\n' && write(file, "\n", 1) != 1) error = errno ? errno : EIO;
    if (!error && write(file, line, length) != (ssize_t)length) error = errno ? errno : ENOSPC;
    close(file);
    return error;
}

alcore_status alcore__experiment_event(const alcore__experiment_run *run, int64_t round,
                                       const char *step, const char *name, double value) {
    const alcore__experiment *all = run->all;
    struct timespec now;
    char seconds[48];
    alcore__json_out json = {.ctx = all->ctx};
    alcore__buffer path = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    alcore__format(seconds, sizeof seconds, "%lld.%03ld", (long long)now.tv_sec,
                   now.tv_nsec / 1000000);
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_raw(&json, "time", seconds);
    alcore__json_put_string(&json, "run", run->name.data);
    alcore__json_put_integer(&json, "round", round);
    alcore__json_put_string(&json, "step", step);
    alcore__json_put_string(&json, "name", name);
    alcore__json_put_number(&json, "value", value);
    alcore__json_close(&json, '}');
    alcore_status status = json.status;
    if (status == ALCORE_OK && all->options->event) {
        status = all->options->event(all->options->event_user, json.text.data);
        if (status != ALCORE_OK) status = alcore__fail_callback(status, "the event function");
    }
    if (status == ALCORE_OK) status = alcore__buffer_append(all->ctx, &json.text, "\n", 1);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(all->ctx, &path, "%s/events.jsonl", all->folder.data);
    if (status == ALCORE_OK) {
        errno = 0;
        const int error = append_line(path.data, json.text.data, json.text.length);
        if (error) status = alcore__fail_system(error, "write", path.data);
    }
    alcore__buffer_clear(all->ctx, &json.text);
    alcore__buffer_clear(all->ctx, &path);
    return status;
}

/* ---- the run ---- */

alcore_status alcore__experiment_run_of(alcore__experiment *self, int64_t domain, int64_t budget,
                                        int64_t seed, const alcore__experiment_strategy *strategy,
                                        alcore__experiment_run *out) {
    const alcore__experiment_config *config = &self->config;
    *out = (alcore__experiment_run){.all = self,
                                    .domain = &config->domains[domain],
                                    .budget = config->budgets[budget],
                                    .seed = config->seeds[seed],
                                    .strategy = strategy,
                                    .lock = -1};
    ALCORE__TRY(alcore__experiment_path(
        self->ctx, &out->name, "%s/%s/seed-%llu/%s", out->domain->name, out->budget,
        (unsigned long long)out->seed, strategy ? strategy->name : ALCORE__EXPERIMENT_SHARED));
    return alcore__experiment_run_settings(out);
}

void alcore__experiment_run_clear(alcore__experiment_run *run) {
    alcore__buffer_clear(run->all->ctx, &run->name);
    alcore_pool_unref(run->pool);
    alcore_pool_unref(run->test);
    alcore_pool_unref(run->target);
    if (run->lock >= 0) close(run->lock);
}

/* ---- which model ---- */

const char *alcore__experiment_model_name(const alcore__experiment_config *config) {
    const alcore__experiment_training *train = &config->train;
    if (train->kind == EXPERIMENT_TRAIN_NONE) return NULL;
    if (train->kind == EXPERIMENT_TRAIN_NGRAM) return "model.arpa";
    if (train->command && !alcore__experiment_has(train->command, "model")) return NULL;
    return "model";
}

alcore_status alcore__experiment_previous(const alcore__experiment_run *run, int64_t round,
                                          alcore__buffer *out) {
    const alcore__experiment_config *config = &run->all->config;
    const char *name = alcore__experiment_model_name(config);
    const char *base = config->train.base ? config->train.base : config->train.model;
    if (round > alcore__experiment_first_round(config) && name)
        return alcore__experiment_file(run, round - 1, name, out);
    if (base) return alcore__experiment_absolute(run->all, base, out);
    out->length = 0;
    return alcore__buffer_append(run->all->ctx, out, "", 0);
}

alcore_status alcore__experiment_trained(alcore__experiment_run *run, int64_t round,
                                         alcore_model **out) {
    alcore_ctx *ctx = run->all->ctx;
    alcore__buffer path = {0};
    alcore_lm *lm = NULL;
    *out = NULL;
    alcore_status status = alcore__experiment_previous(run, round, &path);
    if (status == ALCORE_OK && run->all->config.train.kind == EXPERIMENT_TRAIN_NGRAM) {
        status = alcore_lm_open_arpa(ctx, path.data, &lm);
        if (status == ALCORE_OK) status = alcore_model_new_lm(ctx, lm, out);
        alcore_lm_unref(lm);
    } else if (status == ALCORE_OK) {
        status = alcore_model_open(ctx, path.data, NULL, out);
    }
    alcore__buffer_clear(ctx, &path);
    return status;
}
