/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring the model of a round, by the engine, a command or a function. */
#include <math.h>
#include <string.h>

#include "extra/metric/measure_lines.h"
#include "extra/project/project_work.h"

enum { MOST_OUTPUT = 64 << 20 };

/* What the public call was told, and what was measured. */
typedef struct evaluation {
    alcore_project_eval_options options;
    alcore__measures measures;
} evaluation;

static alcore_status check(evaluation *self, const alcore_project_eval_options *given,
                           const char *call) {
    self->options = (alcore_project_eval_options)ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&self->options, sizeof self->options,
                                         ALCORE__FIRST_SIZE(alcore_project_eval_options, reserved),
                                         given, "alcore_project_eval_options"));
    const alcore_project_eval_options *const options = &self->options;
    ALCORE__TRY(alcore__struct_reserved(options->reserved, "alcore_project_eval_options"));
    if (!!options->test + !!options->command + !!options->function != 1)
        return alcore__fail(ALCORE_E_PARAM, "%s: one of test, command and function is needed",
                            call);
    if (options->command && !options->command[0])
        return alcore__fail(ALCORE_E_PARAM, "%s: the command is empty", call);
    if (!options->test && (options->reading || options->metrics || options->language))
        return alcore__fail(ALCORE_E_PARAM, "%s: %s goes with test", call,
                            options->reading   ? "reading"
                            : options->metrics ? "metrics"
                                               : "language");
    if (options->show < 0 || options->show > 1)
        return alcore__fail(ALCORE_E_PARAM, "%s: show is 0 or 1", call);
    return options->metrics ? alcore__measure_names_check(options->metrics) : ALCORE_OK;
}

/* ---- measures ---- */

/* alcore__measure_take of the engine; user: the evaluation. Its names are few and differ. */
static alcore_status take(void *user, const char *name, double value) {
    alcore__measures *const measures = &((evaluation *)user)->measures;
    if (!isfinite(value))
        return alcore__fail(ALCORE_E_DATA, "%s of the test set is no finite number", name);
    alcore__format(measures->names[measures->count], ALCORE__MEASURE_NAME_BYTES, "%s", name);
    measures->values[measures->count++] = value;
    return ALCORE_OK;
}

/* Reads what a command or a function gave, which is changed. */
static alcore_status read_given(evaluation *self, alcore__buffer *text) {
    return alcore__measures_read(&self->measures, text->data, text->length);
}

/* ---- the parts ---- */

/* Which model is measured. */
static alcore_status find_model(alcore__project_work *work, const evaluation *self) {
    const char *const given = self->options.model;
    if (given) {
        ALCORE__TRY(alcore__buffer_format(work->ctx, &work->model, "%s", given));
        work->handed.model = work->model.data;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__project_model_path(work->project, work->handed.round, &work->model));
    if (alcore__path_exists(work->model.data))
        work->handed.model = work->model.data;
    else if (self->options.test)
        return alcore__fail(ALCORE_E_NOT_FOUND,
                            "there is no model '%s': train one after round %lld, or name one",
                            work->model.data, (long long)work->handed.round);
    return ALCORE_OK;
}

static alcore_status put_test(alcore__project_work *work, const evaluation *self) {
    alcore__json_out *const json = &work->arguments;
    const alcore_project_eval_options *const options = &self->options;
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t bytes;
    if (!options->test) return ALCORE_OK;
    ALCORE__TRY(alcore__path_digest(work->ctx, options->test, digest, &bytes));
    alcore__json_put_string(json, "test", options->test);
    alcore__json_put_string(json, "test_digest", digest);
    if (options->metrics) alcore__json_put_string(json, "metrics", options->metrics);
    const alcore__model_folder from = alcore__project_work_folder(work, NULL, options->language);
    if (from.language) alcore__json_put_string(json, "language", from.language);
    return ALCORE_OK;
}

/* Finds the model and logs that the evaluation begins. */
static alcore_status begin(alcore__project_work *work, void *data) {
    evaluation *const self = data;
    alcore__json_out *const json = &work->arguments;
    char digest[ALCORE__HASH_TEXT_BYTES];
    if (self->options.round == ALCORE_UNSET_INT)
        ALCORE__TRY(alcore__project_rounds(work->project, &self->options.round));
    work->handed.round = self->options.round;
    ALCORE__TRY(alcore__project_round_check(work->project, work->handed.round));
    ALCORE__TRY(alcore__project_work_settings(work));
    ALCORE__TRY(find_model(work, self));
    alcore__json_open(json, NULL, '{');
    alcore__json_put_integer(json, "round", work->handed.round);
    if (self->options.model) alcore__json_put_string(json, "model", self->options.model);
    if (work->handed.model && alcore__path_exists(work->handed.model)) {
        ALCORE__TRY(alcore__project_model_digest(work->ctx, work->handed.model, digest));
        alcore__json_put_string(json, "digest", digest);
    }
    if (self->options.function) alcore__json_put_flag(json, "function", true);
    alcore__project_work_put_command(work, self->options.command);
    ALCORE__TRY(put_test(work, self));
    alcore__json_close(json, '}');
    return alcore__project_work_log_begin(work);
}

static alcore_status measure_model(alcore__project_work *work, evaluation *self) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    const alcore__model_folder from =
        alcore__project_work_folder(work, work->handed.model, self->options.language);
    alcore_pool *test = NULL;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.repeated_ids = ALCORE_IDS_ANY;
    alcore_status status = alcore_pool_new(work->ctx, &keep_all, &test);
    if (status == ALCORE_OK)
        status = alcore_pool_read(test, self->options.test, self->options.reading);
    if (status == ALCORE_OK)
        status =
            alcore__model_folder_measure(work->ctx, &from, test, self->options.metrics, take, self);
    alcore_pool_unref(test);
    return status;
}

/* Runs the command and reads what it printed. */
static alcore_status run_command(alcore__project_work *work, evaluation *self) {
    alcore__buffer path = {0}, text = {0};
    alcore_status status = alcore__project_work_scratch(work, "output", &path);
    if (status == ALCORE_OK)
        status = alcore__project_work_command(work, self->options.command, self->options.show,
                                              path.data);
    if (status == ALCORE_OK) status = alcore__read_text(work->ctx, path.data, MOST_OUTPUT, &text);
    if (status == ALCORE_OK) status = read_given(self, &text);
    alcore__buffer_clear(work->ctx, &path);
    alcore__buffer_clear(work->ctx, &text);
    return status;
}

static alcore_status call_function(alcore__project_work *work, evaluation *self) {
    alcore__buffer text = {0};
    const char *given;
    alcore_status status =
        alcore__project_work_function(work, self->options.function, self->options.user, &given);
    if (status == ALCORE_OK)
        status = alcore__buffer_format(work->ctx, &text, "%s", given ? given : "");
    if (status == ALCORE_OK) status = read_given(self, &text);
    alcore__buffer_clear(work->ctx, &text);
    return status;
}

/* Keeps the measures and logs them. */
static alcore_status finish(alcore__project_work *work, void *data) {
    const alcore__measures *const measures = &((const evaluation *)data)->measures;
    alcore__json_open(&work->result, NULL, '{');
    for (int i = 0; i < measures->count; i++) {
        ALCORE__TRY(alcore__project_metric_add(work->project, work->handed.round,
                                               measures->names[i], measures->values[i]));
        alcore__json_put_number(&work->result, measures->names[i], measures->values[i]);
    }
    alcore__json_close(&work->result, '}');
    return alcore__project_work_log_end(work);
}

/* ---- the call ---- */

static alcore_status run(alcore__project_work *work, evaluation *self) {
    ALCORE__TRY(alcore__project_work_begin(work));
    ALCORE__TRY(alcore__project_work_run(work, begin, self));
    alcore_status status = self->options.test      ? measure_model(work, self)
                           : self->options.command ? run_command(work, self)
                                                   : call_function(work, self);
    work->waits = true;
    if (status == ALCORE_OK) status = alcore__project_work_run(work, finish, self);
    return alcore__project_work_log_failure(work, status);
}

alcore_status alcore_project_eval(alcore_project *project,
                                  const alcore_project_eval_options *options, const char **out) {
    static const char call[] = "alcore_project_eval";
    if (out) *out = NULL;
    if (!project || !options)
        return alcore__fail(ALCORE_E_INVALID, "%s: a project and options are needed", call);
    alcore_ctx *const ctx = project->object.ctx;
    evaluation self = {.measures = {.count = 0}};
    alcore__project_work work = {
        .project = project, .ctx = ctx, .call = call, .what = "eval", .lock = -1};
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = check(&self, options, call);
    if (status == ALCORE_OK) status = run(&work, &self);
    if (status == ALCORE_OK && out)
        status = alcore__project_work_tell(&work, work.result.text.data, out);
    alcore__project_work_end(&work);
    return alcore__leave(ctx, status);
}
