/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of `alcore project`: one function each, which returns an exit code. */
#ifndef ALCORE_CLI_PROJECT_RUN_H
#define ALCORE_CLI_PROJECT_RUN_H

#include <jansson.h>

#include "inputs.h"

/* One run of the command. */
typedef struct project_run {
    const arguments *args;
    const char *action, *folder;
    alcore_ctx *ctx;
    alcore_project *project; /* NULL until it is open; init makes it */
} project_run;

/* outcome() of a call about the project, with a hint which command comes next. */
int project_outcome(const project_run *self, alcore_status status);
/* Takes "NAME=VALUE" apart: the name, which the caller frees, and the value behind the sign. An
 * exit code. */
int project_split(const project_run *self, const char *word, char **name, const char **value);
/* The round that metric and eval are about: that of --round; without it the last one. */
int project_round(const project_run *self, int64_t *out);

/* How a file that is added or a test set is read: the options that other commands have for POOL. */
int project_reading(const project_run *self, alcore_read_options *options);

/* The next round (project_round.c). */
int project_next(project_run *self);

/* What is known (project_show.c). */
int project_show_status(project_run *self);
int project_show_log(project_run *self);
int project_show_disagreements(project_run *self);
int project_get(project_run *self);
/* *out: the settings that a round was given of its own, which the caller releases; NULL: none. */
int project_round_settings(const project_run *self, int64_t round, json_t **out);

/* The engine, or a command of the user, trains or measures a model (project_model.c). */
int project_train(project_run *self);
int project_eval(project_run *self);

#endif
