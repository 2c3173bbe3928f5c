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

alcore_status alcore__project_work_lock(const alcore_project *project, int *out) {
    alcore__buffer path = {0};
    alcore_ctx *const ctx = project->object.ctx;
    alcore_status status = alcore__buffer_format(ctx, &path, "%s/training.lock", project->folder);
    *out = -1;
    if (status == ALCORE_OK) status = alcore__path_lock(ctx, path.data, false, out);
    alcore__buffer_clear(ctx, &path);
    return status;
}

alcore_status alcore__project_work_begin(alcore__project_work *work) {
    alcore__buffer path = {0};
    double time;
    work->lock = -1;
    work->arguments.ctx = work->result.ctx = work->ctx;
    work->handed =
        (alcore_project_work){.size = sizeof work->handed, .project = work->project->folder};
    alcore_status status =
        alcore__buffer_format(work->ctx, &path, "%s/project.sqlite", work->project->folder);
    if (status == ALCORE_OK && alcore__file_time(work->ctx, path.data, &time) != ALCORE_OK)
        status = alcore__fail(ALCORE_E_UNSUPPORTED,
                              "%s needs the file system, not a file table of the host", work->call);
    if (status == ALCORE_OK) status = alcore__project_work_lock(work->project, &work->lock);
    if (status == ALCORE_OK && work->lock < 0)
        status = alcore__fail(ALCORE_E_BUSY, "'%s': another training or evaluation runs",
                              work->project->folder);
    alcore__buffer_clear(work->ctx, &path);
    return status;
}

/* Removes the temporary folder without memory, of which there may be none. */
static void remove_scratch(const alcore__project_work *work) {
    static const char *const names[] = {"labeled.tsv", "log", "output"};
    char path[4096];
    if (!work->scratch.length) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        alcore__format(path, sizeof path, "%s/%s", work->scratch.data, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(work->scratch.data);
}

void alcore__project_work_end(alcore__project_work *work) {
    remove_scratch(work);
    if (work->lock >= 0) close(work->lock);
    alcore__buffer *const buffers[] = {&work->arguments.text, &work->result.text, &work->labeled,
                                       &work->model,          &work->scratch,     &work->language,
                                       &work->device};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(work->ctx, buffers[i]);
}

/* Enters the project and begins a transaction. */
static alcore_status enter(alcore__project_work *work) {
    ALCORE__TRY(alcore__project_enter(work->project, work->call, CALL_SAVING));
    const alcore_status status = alcore__store_begin(&work->project->store);
    return status == ALCORE_OK ? ALCORE_OK : alcore__project_leave(work->project, status);
}

alcore_status alcore__project_work_run(alcore__project_work *work, alcore__project_part *part,
                                       void *data) {
    const struct timespec pause = {0, WAIT_NS};
    alcore_status status;
    while ((status = enter(work)) == ALCORE_E_BUSY && work->waits) {
        ALCORE__TRY(alcore__tick(work->ctx, "waiting for another process", 0, -1));
        nanosleep(&pause, NULL);
    }
    ALCORE__TRY(status);
    status = alcore__store_end(&work->project->store, part(work, data));
    return alcore__project_leave(work->project, status);
}

/* ---- the log ---- */

alcore_status alcore__project_work_log_begin(alcore__project_work *work) {
    char what[16];
    alcore__json_out none = {.ctx = work->ctx};
    alcore__format(what, sizeof what, "begin %s", work->what);
    work->begun = true;
    return alcore__project_log(work->project, what, &work->arguments, &none);
}

alcore_status alcore__project_work_log_end(alcore__project_work *work) {
    return alcore__project_log(work->project, work->what, &work->arguments, &work->result);
}

/* What failed: a status and its text, of which the log keeps well-formed UTF-8. */
typedef struct failed_work {
    alcore_status status;
    char text[ALCORE__TEXT_BYTES];
} failed_work;

static alcore_status put_failure(alcore__project_work *work, const failed_work *self,
                                 alcore__json_out *json) {
    alcore__buffer text = {0};
    char what[16];
    alcore__format(what, sizeof what, "fail %s", work->what);
    alcore__json_open(json, NULL, '{');
    alcore__json_put_string(json, "failed", alcore_status_name(self->status));
    alcore_status status =
        alcore__utf8_repair(work->ctx, self->text, strlen(self->text), &text, NULL);
    if (status == ALCORE_OK && text.length)
        alcore__json_put_text(json, "error", text.data, text.length);
    if (work->exit) alcore__json_put_integer(json, "exit", work->exit);
    alcore__json_close(json, '}');
    alcore__buffer_clear(work->ctx, &text);
    ALCORE__TRY(status);
    return alcore__project_log(work->project, what, &work->arguments, json);
}

/* A part of the work. */
static alcore_status log_failure(alcore__project_work *work, void *data) {
    alcore__json_out json = {.ctx = work->ctx};
    const alcore_status status = put_failure(work, data, &json);
    alcore__buffer_clear(work->ctx, &json.text);
    return status;
}

alcore_status alcore__project_work_log_failure(alcore__project_work *work, alcore_status status) {
    failed_work self = {.status = status};
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    if (status == ALCORE_OK || status == ALCORE_E_CANCELLED || !work->begun) return status;
    alcore__format(self.text, sizeof self.text, "%s", alcore_last_error());
    (void)alcore_last_remedy(&remedy);
    work->waits = true;
    /* Where this fails too the log has what a kill leaves. */
    (void)alcore__project_work_run(work, log_failure, &self);
    alcore__fail(status, "%s", self.text);
    return alcore__fail_remedy(status, remedy.kind, remedy.name, remedy.value, remedy.effect);
}

alcore_status alcore__project_work_standing(alcore_project *project, const char *what,
                                            int32_t *open, alcore__buffer *failure) {
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

alcore_status alcore__project_work_settings(alcore__project_work *work) {
    alcore__project_settings settings;
    const char *device = NULL, *seed = NULL;
    ALCORE__TRY(alcore__project_settings_read(work->project, &settings));
    alcore_status status = alcore__buffer_format(
        work->ctx, &work->language, "%s", alcore__project_setting(&settings, "draft_language"));
    if (status == ALCORE_OK) status = alcore_request_get(settings.request, "device", &device);
    if (status == ALCORE_OK && device && strcmp(device, "auto") != 0)
        status = alcore__buffer_format(work->ctx, &work->device, "%s", device);
    if (status == ALCORE_OK) status = alcore_request_get(settings.request, "seed", &seed);
    if (status == ALCORE_OK) (void)alcore__parse_uint(seed, strlen(seed), &work->seed);
    alcore__project_settings_clear(work->project, &settings);
    return status;
}

alcore__model_folder alcore__project_work_folder(const alcore__project_work *work, const char *path,
                                                 const char *language) {
    if (!language && work->language.length) language = work->language.data;
    return (alcore__model_folder){.path = path,
                                  .device = work->device.length ? work->device.data : NULL,
                                  .language = language};
}

/* ---- what is told ---- */

void alcore__project_work_put_command(alcore__project_work *work, const char *const *command) {
    if (!command) return;
    alcore__json_open(&work->arguments, "command", '[');
    for (int i = 0; command[i]; i++) alcore__json_put_string(&work->arguments, NULL, command[i]);
    alcore__json_close(&work->arguments, ']');
}

alcore_status alcore__project_work_tell(alcore__project_work *work, const char *text,
                                        const char **out) {
    alcore_project *const project = work->project;
    if (!text) return ALCORE_OK;
    ALCORE__TRY(alcore__project_enter(project, work->call, CALL_SHORT));
    project->view.length = 0;
    const alcore_status status = alcore__buffer_format(work->ctx, &project->view, "%s", text);
    if (status == ALCORE_OK) *out = project->view.data;
    return alcore__project_leave(project, status);
}

/* ---- commands and functions ---- */

alcore_status alcore__project_work_scratch(alcore__project_work *work, const char *name,
                                           alcore__buffer *out) {
    if (!work->scratch.length) {
        const alcore_status status = alcore__temporary_folder(work->ctx, &work->scratch);
        if (status != ALCORE_OK) work->scratch.length = 0; /* there is no such folder */
        ALCORE__TRY(status);
    }
    out->length = 0;
    return alcore__buffer_format(work->ctx, out, "%s/%s", work->scratch.data, name);
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

alcore_status alcore__project_work_command(alcore__project_work *work, const char *const *command,
                                           bool show, const char *output) {
    const char *environment[5] = {NULL};
    alcore__program program = {.arguments = command, .environment = environment, .output = output};
    alcore__arena arena = {0};
    alcore__buffer log = {0};
    char round[24], what[40];
    int count = 0, code = 0;
    alcore__format(round, sizeof round, "%lld", (long long)work->handed.round);
    alcore__format(what, sizeof what, "the command of %s", work->what);
    alcore_status status = show ? ALCORE_OK : alcore__project_work_scratch(work, "log", &log);
    if (status == ALCORE_OK) program.errors = log.data;
    const struct {
        const char *name, *value;
    } variables[] = {{"ALCORE_PROJECT", work->handed.project},
                     {"ALCORE_ROUND", round},
                     {"ALCORE_LABELED", work->handed.labeled},
                     {"ALCORE_MODEL", work->handed.model}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && status == ALCORE_OK; i++)
        status = add_variable(work->ctx, &arena, environment, &count, variables[i].name,
                              variables[i].value);
    if (status == ALCORE_OK) status = alcore__program_run(work->ctx, &program, what, &code);
    work->exit = code > 0 ? code : 0;
    if (status == ALCORE_OK && code > 0)
        status = alcore__program_fail(work->ctx, what, code, log.data);
    alcore__arena_clear(work->ctx, &arena);
    alcore__buffer_clear(work->ctx, &log);
    return status;
}

alcore_status alcore__project_work_function(alcore__project_work *work,
                                            alcore_project_function function, void *user,
                                            const char **out) {
    *out = NULL;
    const alcore_status status = function(user, &work->handed, out);
    if (status != ALCORE_OK) return alcore__fail_callback(status, "the function");
    return alcore__tick(work->ctx, NULL, 0, -1);
}
