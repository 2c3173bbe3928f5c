/* SPDX-License-Identifier: Apache-2.0 */
/* The `alcore` command: a thin program over the public API. */
#include <string.h>

#include "commands.h"
#include "text_output.h"

static int run(const arguments *args) {
    switch (args->command->bit) {
    case COMMAND_SELECT:
        return command_select(args);
    case COMMAND_CANDIDATES:
        return command_candidates(args);
    case COMMAND_SCORE:
        return command_score(args);
    case COMMAND_STRATEGIES:
        return command_strategies(args);
    case COMMAND_SCORERS:
        return command_scorers(args);
    case COMMAND_DOCTOR:
        return command_doctor(args);
    case COMMAND_MODEL:
        return command_model(args);
    case COMMAND_PHRASES:
        return command_phrases(args);
    case COMMAND_ALIGN:
        return command_align(args);
    case COMMAND_ORACLE:
        return command_oracle(args);
    case COMMAND_MIX:
        return command_mix(args);
    case COMMAND_EVAL:
        return command_eval(args);
    case COMMAND_ABLATE:
        return command_ablate(args);
    case COMMAND_COMPARE:
        return command_compare(args);
    case COMMAND_COMPOSITION:
        return command_composition(args);
    case COMMAND_RHO:
        return command_rho(args);
    case COMMAND_FOLD:
        return command_fold(args);
    case COMMAND_TOOLS:
        return command_tools(args);
    case COMMAND_PLOT:
        return command_plot(args);
    case COMMAND_PROJECT:
        return command_project(args);
    case COMMAND_EXPERIMENT:
        return command_experiment(args);
    default:
        return command_lm(args);
    }
}

int main(int argc, char **argv) {
    arguments args;
    int code = arguments_parse(argc, argv, &args);

    if (code == EXIT_DONE) {
        if (option_given(&args, OPTION_VERSION))
            printf("alcore %s\n", alcore_version());
        else if (option_given(&args, OPTION_HELP))
            print_usage(stdout, args.command);
        else if ((code = check_outputs(&args)) == EXIT_DONE)
            code = run(&args);
    }
    arguments_clear(&args);
    return code == EXIT_DONE ? output_end() : code;
}
