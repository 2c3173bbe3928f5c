/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, one function each; every one returns an exit code. */
#ifndef ALCORE_CLI_COMMANDS_H
#define ALCORE_CLI_COMMANDS_H

#include <alcore/extra.h>

#include "options.h"

int command_select(const arguments *args);
int command_candidates(const arguments *args);
int command_score(const arguments *args);
int command_strategies(const arguments *args);
int command_scorers(const arguments *args);
int command_doctor(const arguments *args);
int command_lm(const arguments *args);
int command_model(const arguments *args);
int command_phrases(const arguments *args);
int command_align(const arguments *args);
int command_oracle(const arguments *args);
int command_mix(const arguments *args);
int command_eval(const arguments *args);
int command_ablate(const arguments *args);
int command_compare(const arguments *args);
int command_rho(const arguments *args);
int command_composition(const arguments *args);
int command_tools(const arguments *args);
int command_plot(const arguments *args);
int command_project(const arguments *args);
int command_experiment(const arguments *args);
int command_fold(const arguments *args);

/* Refuses options of select that go with --shard alone, or not with it; an exit code
 * (shard_command.c). */
int shard_check(const arguments *args);
/* A copy of a path of --out or --report with {budget} replaced by the index-th budget, without
 * spaces, which the caller frees; NULL without memory (select_command.c). */
char *path_of_budget(const arguments *args, const char *path, int64_t index);
/* The next step of the shard that the request's candidates are: writes a message, or the picks. */
int shard_select(const arguments *args, alcore_request *request);

/* Calls set(handle, name, value) for every -p NAME=VALUE; an exit code. */
int set_parameters(const arguments *args, alcore_status (*set)(void *, const char *, const char *),
                   void *handle);
/* The same of a strategy and of a scorer. */
int set_strategy_parameters(const arguments *args, alcore_strategy *strategy);
int set_scorer_parameters(const arguments *args, alcore_scorer *scorer);

/* Refuses, before anything is read, an output of the command line that is one of its inputs, or two
 * outputs that are one file (output_check.c). check_output: one output of an option, at a path that
 * follows from its value. An exit code. */
int check_outputs(const arguments *args);
int check_output(const arguments *args, option_id id, const char *path);

/* The command line of a run: written into its report, read back by --config (run_record.c). */
typedef struct run_record {
    arguments args; /* effective: those of --config, replaced by those that are given now */
    char *command;  /* the effective command line as a JSON array */
    char **argv;    /* [argc] owned: with --config the strings that args points to, else NULL */
    int argc;
    void *old_report; /* the JSON report of --config, or NULL */
    bool force;       /* --force: changed inputs are accepted */
} run_record;
int record_open(const arguments *given, run_record *out);
/* With --config: refuses when the inputs of provenance differ from those of the report, unless
 * --force. */
int record_check_inputs(const run_record *record, const char *provenance);
void record_close(run_record *record);

#endif
