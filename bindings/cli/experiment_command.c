/* SPDX-License-Identifier: Apache-2.0 */
/* alcore experiment CONFIG.json FOLDER: does what is left of an experiment. */
#include <jansson.h>
#include <stdio.h>

#include "commands.h"
#include "terminal.h"
#include "text_output.h"

/* Prints an event on standard output, whole, before the step goes on. */
static alcore_status print_event(void *user, const char *line) {
    (void)user;
    terminal_clear();
    printf("%s\n", line);
    return output_end() == EXIT_DONE ? ALCORE_OK : ALCORE_E_IO;
}

static void print_summary(const char *folder, const alcore_experiment_result *result) {
    fprintf(stderr, "%lld runs; rounds made by this call: %lld; %s/report.html\n",
            (long long)result->runs, (long long)result->rounds, folder);
}

/* With --json: what was done. */
static int print_json(const char *folder, const alcore_experiment_result *result) {
    return print_json_object(json_pack("{s:s, s:s, s:I, s:I, s:I}", "version", alcore_version(),
                                       "folder", folder, "runs", (json_int_t)result->runs, "rounds",
                                       (json_int_t)result->rounds, "failed",
                                       (json_int_t)result->failed));
}

int command_experiment(const arguments *args) {
    alcore_experiment_options options = ALCORE_EXPERIMENT_OPTIONS_INIT;
    alcore_experiment_result result = ALCORE_EXPERIMENT_RESULT_INIT;
    alcore_ctx *ctx = NULL;
    const char *folder = args->operands[1];
    if (option_given(args, OPTION_EVENTS) && option_given(args, OPTION_JSON))
        return complain(EXIT_USAGE, "--events and --json both print to standard output");
    TRY(terminal_context(args, &ctx));
    if (option_given(args, OPTION_EVENTS)) options.event = print_event;
    options.keep_going = option_given(args, OPTION_KEEP_GOING);
    int code = outcome(alcore_experiment_run(ctx, args->operands[0], folder, &options, &result));
    terminal_clear();
    if (code == EXIT_DONE && !option_given(args, OPTION_QUIET)) print_summary(folder, &result);
    if (code == EXIT_DONE && option_given(args, OPTION_JSON)) code = print_json(folder, &result);
    alcore_ctx_unref(ctx);
    return code;
}
