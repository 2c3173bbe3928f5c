/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval plateau, uncertainty, agreement, kappa: whether a loop of rounds may end, over files
 * that its driver keeps. The decision and its numbers are the result; with --exit-code the exit
 * code says it too. */
#include <string.h>

#include "eval.h"

/* Adds a decision to the result. */
static int add_decision(evaluation *self, const alcore_stop_decision *decision) {
    static const char *const names[] = {"plateau", "mean uncertainty", "largest uncertainty",
                                        "agreement"}; /* in the order of ALCORE_STOP_* */
    char text[200];
    json_object_set_new(self->result, "stop", json_boolean(decision->stop));
    add_text(self, "criterion", names[decision->criterion - ALCORE_STOP_PLATEAU]);
    add_number(self, "value", decision->value);
    add_number(self, "threshold", decision->threshold);
    add_integer(self, "numbers", decision->numbers);
    if (decision->criterion == ALCORE_STOP_PLATEAU) {
        add_integer(self, "patience", decision->window);
        add_integer(self, "best_round", decision->best_round);
        add_number(self, "best", decision->best);
    } else if (decision->criterion == ALCORE_STOP_AGREEMENT) {
        add_integer(self, "window", decision->window);
    } else {
        add_integer(self, "left_out", decision->left_out);
    }
    add_text(self, "text", alcore_stop_text(decision, text));
    if (option_given(self->args, OPTION_EXIT_CODE) && !decision->stop) self->code = EXIT_GO_ON;
    return EXIT_DONE;
}

int evaluate_plateau(evaluation *self) {
    alcore_plateau_options options = ALCORE_PLATEAU_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;

    if (option_given(self->args, OPTION_PATIENCE))
        TRY(option_integer(self->args, OPTION_PATIENCE, 1, INT32_MAX, &options.patience));
    TRY(read_amount(self, OPTION_LEAST_GAIN, &options.least_gain));
    options.lower_is_better = option_given(self->args, OPTION_LOWER_IS_BETTER);
    TRY(outcome(alcore_stop_check_plateau(self->numbers[0], self->lines, &options, &decision)));
    return add_decision(self, &decision);
}

int evaluate_uncertainty(evaluation *self) {
    static const int32_t criteria[] = {ALCORE_STOP_MEAN_UNCERTAINTY, ALCORE_STOP_MAX_UNCERTAINTY};
    alcore_uncertainty_options options = ALCORE_UNCERTAINTY_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    double threshold = 0;
    int statistic = 0;

    if (!option_given(self->args, OPTION_THRESHOLD))
        return complain(EXIT_USAGE, "eval uncertainty needs --threshold T: what is low");
    TRY(read_amount(self, OPTION_THRESHOLD, &threshold));
    TRY(option_choice(self->args, OPTION_STATISTIC, "mean|max", &statistic));
    options.criterion = criteria[statistic];
    TRY(outcome(alcore_stop_check_uncertainty(self->numbers[0], self->lines, threshold, &options,
                                              &decision)));
    return add_decision(self, &decision);
}

/* The kappa of file `index`, from 0, and the next one. */
static int read_kappa(const evaluation *self, int index, alcore_kappa_result *out) {
    alcore_read_options reading;
    alcore_text_files files = evaluation_files(self, &reading);
    files.paths += index;
    files.count = 2;
    return outcome(alcore_metric_read_kappa(self->ctx, &files, NULL, out));
}

int evaluate_kappa(evaluation *self) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;

    TRY(read_kappa(self, 0, &result));
    add_number(self, "kappa", result.kappa);
    add_number(self, "observed", result.observed);
    add_number(self, "expected", result.expected);
    add_integer(self, "classes", result.classes);
    add_integer(self, "lines", result.items);
    return EXIT_DONE;
}

/* agreement: a file of labels for each round, the last ones of the loop. Each is read with the one
 * before it and with the one behind it, so that only the first and the last can be a stream. */
int evaluate_agreement(evaluation *self) {
    alcore_agreement_options options = ALCORE_AGREEMENT_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    double kappas[MAX_OPERANDS];

    if (option_given(self->args, OPTION_WINDOW))
        TRY(option_integer(self->args, OPTION_WINDOW, 1, MAX_OPERANDS - 2, &options.window));
    TRY(read_amount(self, OPTION_THRESHOLD, &options.threshold));
    for (int i = 1; i + 1 < self->file_count; i++)
        if (!strcmp(self->args->operands[1 + i], "-"))
            return complain(EXIT_USAGE, "eval agreement reads each file twice but for the first "
                                        "and the last, which alone can be standard input");
    for (int i = 0; i + 1 < self->file_count; i++) {
        alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
        TRY(read_kappa(self, i, &result));
        kappas[i] = result.kappa;
    }
    TRY(outcome(alcore_stop_check_agreement(kappas, self->file_count - 1, &options, &decision)));
    TRY(add_decision(self, &decision));
    add_numbers(self, "kappas", kappas, self->file_count - 1);
    return EXIT_DONE;
}
