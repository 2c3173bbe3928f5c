/* SPDX-License-Identifier: Apache-2.0 */
/* What trainings and evaluations share (project_work.h). */
#include "extra/project/project_work.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alcore/remedy.h"
#include "base/child.h"
#include "base/number.h"
#include "base/program.h"
#include "text/utf8.h"

enum { WAIT_NS = 20000000 };

/* ---- begin and end ---- */

alcore_status alcore__project_job_lock(const alcore_project *project, int *out) {
    alcore__buffer path = {0};
    alcore_ctx *const ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/training.lock", project->folder);
    *out = -1;
    if (status == ALCORE_OK) status = alcore__path_lock(ctx, path.data, false, out);
    alcore__buffer_clear(ctx, &path);
    return status;
}

alcore_status alcore__project_job_begin(alcore__project_job *job) {
    alcore__buffer path = {0};
    double time;
    job->lock = -1;
    job->arguments.ctx = job->result.ctx = job->ctx;
    job->work = (alcore_project_work){.size = sizeof job->work, .project = job->project->folder};
    alcore_status status =
        alcore__buffer_format(job->ctx, &path, "%s/project.sqlite", job->project->folder);
    if (status == ALCORE_OK && alcore__file_time(job->ctx, path.data, &time) != ALCORE_OK)
        status = alcore__fail(ALCORE_E_UNSUPPORTED,
                              "%s needs the file system, not a file table of the host", job->call);
    if (status == ALCORE_OK) status = alcore__project_job_lock(job->project, &job->lock);
    if (status == ALCORE_OK && job->lock < 0)
        status = alcore__fail(ALCORE_E_BUSY, "'%s': another training or evaluation runs",
                              job->project->folder);
    alcore__buffer_clear(job->ctx, &path);
    return status;
}

/* Removes the temporary folder without memory, of which there may be none. */
static void remove_scratch(const alcore__project_job *job) {
    static const char *const names[] = {"labeled.tsv", "log", "output"};
    char path[4096];
    if (!job->scratch.length) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        alcore__format(path, sizeof path, "%s/%s", job->scratch.data, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(job->scratch.data);
}

void alcore__project_job_end(alcore__project_job *job) {
    remove_scratch(job);
    if (job->lock >= 0) close(job->lock);
    alcore__buffer *const buffers[] = {&job->arguments.text, &job->result.text, &job->labeled,
                                       &job->model,          &job->scratch,     &job->language,
                                       &job->device};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(job->ctx, buffers[i]);
}

/* Enters the project and begins a transaction. */
static alcore_status enter(alcore__project_job *job) {
    ALCORE__TRY(alcore__project_enter(job->project, job->call, CALL_SAVING));
    const alcore_status status = alcore__store_begin(&job->project->store);
    return status == ALCORE_OK ? ALCORE_OK : alcore__project_leave(job->project, status);
}

alcore_status alcore__project_job_run(alcore__project_job *job, alcore__project_part *part,
                                      void *data) {
    const struct timespec pause = {0, WAIT_NS};
    alcore_status status;
    while ((status = enter(job)) == ALCORE_E_BUSY && job->waits) {
        ALCORE__TRY(alcore__tick(job->ctx, "waiting for another process", 0, -1));
        nanosleep(&pause, NULL);
    }
    ALCORE__TRY(status);
    status = alcore__store_end(&job->project->store, part(job, data));
    return alcore__project_leave(job->project, status);
}

/* ---- the log ---- */

alcore_status alcore__project_job_log_begin(alcore__project_job *job) {
    char what[16];
    alcore__json_out none = {.ctx = job->ctx};
    alcore__format(what, sizeof what, "begin %s", job->what);
    job->begun = true;
    return alcore__project_log(job->project, what, &job->arguments, &none);
}

alcore_status alcore__project_job_log_end(alcore__project_job *job) {
    return alcore__project_log(job->project, job->what, &job->arguments, &job->result);
}

/* What failed: a status and its text, of which the log keeps well-formed UTF-8. */
typedef struct failed_work {
    alcore_status status;
    char text[ALCORE__TEXT_BYTES];
} failed_work;

static alcore_status put_failure(alcore__project_job *job, const failed_work *self,
                                 alcore__json_out *json) {
    alcore__buffer text = {0};
    char what[16];
    alcore__format(what, sizeof what, "fail %s", job->what);
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "failed", alcore_status_name(self->status));
    alcore_status status =
        alcore__utf8_repair(job->ctx, self->text, strlen(self->text), &text, NULL);
    if (status == ALCORE_OK && text.length)
        alcore__json_put_text(json, "error", text.data, text.length);
    if (job->exit) alcore__json_put_integer(json, "exit", job->exit);
    alcore__json_close(json, '}');
    alcore__buffer_clear(job->ctx, &text);
    ALCORE__TRY(status);
    return alcore__project_log(job->project, what, &job->arguments, json);
}

/* A part of the work. */
static alcore_status log_failure(alcore__project_job *job, void *data) {
    alcore__json_out json = {.ctx = job->ctx};
    const alcore_status status = put_failure(job, data, &json);
    alcore__buffer_clear(job->ctx, &json.text);
    return status;
}

alcore_status alcore__project_job_log_failure(alcore__project_job *job, alcore_status status) {
    failed_work self = {.status = status};
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    if (status == ALCORE_OK || status == ALCORE_E_CANCELLED || !job->begun) return status;
    alcore__format(self.text, sizeof self.text, "%s", alcore_last_error());
    (void)alcore_last_remedy(&remedy);
    job->waits = true;
    /* Where this fails too the log has what a kill leaves. */
    (void)alcore__project_job_run(job, log_failure, &self);
    alcore__fail(status, "%s", self.text);
    return alcore__fail_remedy(status, remedy.kind, remedy.name, remedy.value, remedy.effect);
}

alcore_status alcore__project_job_standing(alcore_project *project, const char *what, int32_t *open,
                                           alcore__buffer *failure) {
    alcore_ctx *const ctx = project->object.ctx;
    sqlite3_stmt *rows;
    bool row;
    *open = 0;
    failure->length = 0;
    ALCORE__TRY(alcore__store_prepare(
        &project->store, &rows,
        "SELECT what = 'begin ' || ?1, what = 'fail ' || ?1, CASE WHEN json_valid(result) THEN "
        "ifnull(json_extract(result, '$.error'), json_extract(result, '$.failed')) END "
        "FROM steps WHERE what IN (?1, 'begin ' || ?1, 'fail ' || ?1) ORDER BY step DESC LIMIT 1",
        "t", what));
    alcore_status status = alcore__store_step(&project->store, rows, &row);
    if (status == ALCORE_OK && row) {
        const char *const text = alcore__store_text(rows, 2);
        *open = sqlite3_column_int(rows, 0) != 0;
        if (sqlite3_column_int(rows, 1) != 0)
            status = alcore__utf8_repair(ctx, *text ? text : what, strlen(*text ? text : what),
                                         failure, NULL);
    }
    sqlite3_finalize(rows);
    return status;
}

/* ---- settings ---- */

alcore_status alcore__project_job_settings(alcore__project_job *job) {
    alcore__project_settings settings;
    const char *device = NULL, *seed = NULL;
    ALCORE__TRY(alcore__project_settings_read(job->project, &settings));
    alcore_status status = alcore__buffer_format(
        job->ctx, &job->language, "%s", alcore__project_setting(&settings, "draft_language"));
    if (status == ALCORE_OK) status = alcore_request_get(settings.request, "device", &device);
    if (status == ALCORE_OK && device && strcmp(device, "auto") != 0)
        status = alcore__buffer_format(job->ctx, &job->device, "%s", device);
    if (status == ALCORE_OK) status = alcore_request_get(settings.request, "seed", &seed);
    if (status == ALCORE_OK) (void)alcore__parse_uint(seed, strlen(seed), &job->seed);
    alcore__project_settings_clear(job->project, &settings);
    return status;
}

alcore__model_folder alcore__project_job_folder(const alcore__project_job *job, const char *path,
                                                const char *language) {
    if (!language && job->language.length) language = job->language.data;
    return (alcore__model_folder){
        .path = path, .device = job->device.length ? job->device.data : NULL, .language = language};
}

/* ---- what is told ---- */

void alcore__project_job_put_command(alcore__project_job *job, const char *const *command) {
    if (!command) return;
    alcore__json_open(&job->arguments, "command", '[');
    for (int i = 0; command[i]; i++) alcore__json_put_string(&job->arguments, NULL, command[i]);
    alcore__json_close(&job->arguments, ']');
}

alcore_status alcore__project_job_tell(alcore__project_job *job, const char *text,
                                       const char **out) {
    alcore_project *const project = job->project;
    if (!text) return ALCORE_OK;
    ALCORE__TRY(alcore__project_enter(project, job->call, CALL_SHORT));
    project->view.length = 0;
    const alcore_status status = alcore__buffer_format(job->ctx, &project->view, "%s", text);
    if (status == ALCORE_OK) *out = project->view.data;
    return alcore__project_leave(project, status);
}

/* ---- commands and functions ---- */

alcore_status alcore__project_job_scratch(alcore__project_job *job, const char *name,
                                          alcore__buffer *out) {
    if (!job->scratch.length) {
        const alcore_status status = alcore__temporary_folder(job->ctx, &job->scratch);
        if (status != ALCORE_OK) job->scratch.length = 0; /* there is no such folder */
        ALCORE__TRY(status);
    }
    out->length = 0;
    return alcore__buffer_format(job->ctx, out, "%s/%s", job->scratch.data, name);
}

/* Writes NAME=VALUE and lists it; value NULL: it is left out. */
static alcore_status add_variable(alcore_ctx *ctx, alcore__arena *arena, const char **list,
                                  int *count, const char *name, const char *value) {
    alcore__buffer text = {0};
    if (!value) return ALCORE_OK;
    alcore_status status = alcore__buffer_format(ctx, &text, "%s=%s", name, value);
    if (status == ALCORE_OK)
        status = alcore__arena_text(ctx, arena, text.data, text.length, &list[(*count)++]);
    alcore__buffer_clear(ctx, &text);
    return status;
}

alcore_status alcore__project_job_command(alcore__project_job *job, const char *const *command,
                                          bool show, const char *output) {
    const char *environment[5] = {NULL};
    alcore__program program = {.arguments = command, .environment = environment, .output = output};
    alcore__arena arena = {0};
    alcore__buffer log = {0};
    char round[24], what[40];
    int count = 0, code = 0;
    alcore__format(round, sizeof round, "%lld", (long long)job->work.round);
    alcore__format(what, sizeof what, "the command of %s", job->what);
    alcore_status status = show ? ALCORE_OK : alcore__project_job_scratch(job, "log", &log);
    if (status == ALCORE_OK) program.errors = log.data;
    const struct {
        const char *name, *value;
    } variables[] = {{"ALCORE_PROJECT", job->work.project},
                     {"ALCORE_ROUND", round},
                     {"ALCORE_LABELED", job->work.labeled},
                     {"ALCORE_MODEL", job->work.model}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && status == ALCORE_OK; i++)
        status = add_variable(job->ctx, &arena, environment, &count, variables[i].name,
                              variables[i].value);
    if (status == ALCORE_OK) status = alcore__program_run(job->ctx, &program, what, &code);
    job->exit = code > 0 ? code : 0;
    if (status == ALCORE_OK && code > 0)
        status = alcore__program_fail(job->ctx, what, code, log.data);
    alcore__arena_clear(job->ctx, &arena);
    alcore__buffer_clear(job->ctx, &log);
    return status;
}

alcore_status alcore__project_job_function(alcore__project_job *job,
                                           alcore_project_function function, void *user,
                                           const char **out) {
    *out = NULL;
    const alcore_status status = function(user, &job->work, out);
    if (status != ALCORE_OK) return alcore__fail_callback(status, "the function");
    return alcore__tick(job->ctx, NULL, 0, -1);
}
