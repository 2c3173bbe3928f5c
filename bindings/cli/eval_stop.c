/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval plateau, uncertainty, agreement, kappa: whether a loop of rounds may end, over files
 * that its driver keeps. The decision and its numbers are the result; with --exit-code the exit
 * code says it too. */
#include <stdlib.h>
#include <string.h>

#include "eval.h"

/* Adds a decision to the result. */
static int add_decision(evaluation *self, const alcore_stop_decision *decision) {
    static const char *const names[] = {[ALCORE_STOP_PLATEAU] = "plateau",
                                        [ALCORE_STOP_MEAN_UNCERTAINTY] = "mean uncertainty",
                                        [ALCORE_STOP_MAX_UNCERTAINTY] = "largest uncertainty",
                                        [ALCORE_STOP_AGREEMENT] = "agreement"};
    char text[200];
    json_object_set_new(self->result, "stop", json_boolean(decision->stop));
    add_text(self, "criterion", names[decision->criterion]);
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
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    double threshold = 0;
    int statistic = 0;

    if (!option_given(self->args, OPTION_THRESHOLD))
        return complain(EXIT_USAGE, "eval uncertainty needs --threshold T: what is low");
    TRY(read_amount(self, OPTION_THRESHOLD, &threshold));
    TRY(option_choice(self->args, OPTION_STATISTIC, "mean|max", &statistic));
    TRY(outcome(alcore_stop_check_uncertainty(self->numbers[0], self->lines, criteria[statistic],
                                              threshold, &decision)));
    return add_decision(self, &decision);
}

/* The labels of all files as integers, [file_count * lines], file after file: equal texts are equal
 * integers. *out is allocated. */
static int list_classes(const evaluation *self, int64_t **out) {
    json_t *numbers = json_object(); /* number of each label, by its text */
    int64_t *classes = *out = calloc((size_t)(self->lines * self->file_count) + 1, sizeof *classes);
    int code = numbers && classes ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");

    for (int64_t i = 0; code == EXIT_DONE && i < self->lines * self->file_count; i++) {
        const char *text = i < self->lines ? self->own[i] : self->others[i - self->lines];
        const json_t *found = json_object_get(numbers, text);
        classes[i] = found ? json_integer_value(found) : (int64_t)json_object_size(numbers);
        if (!found && json_object_set_new_nocheck(numbers, text, json_integer(classes[i])))
            code = complain(EXIT_MEMORY, "out of memory");
    }
    json_decref(numbers);
    return code;
}

/* The kappa of the labels of file `index` and the next one. */
static int compute_kappa(const evaluation *self, const int64_t *classes, int index,
                         alcore_kappa_result *out) {
    const int64_t *first = classes + (int64_t)index * self->lines;
    return outcome(alcore_metric_compute_kappa(self->ctx, first, self->lines, first + self->lines,
                                               self->lines, out));
}

int evaluate_kappa(evaluation *self) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    int64_t *classes;

    int code = list_classes(self, &classes);
    if (code == EXIT_DONE) code = compute_kappa(self, classes, 0, &result);
    free(classes);
    TRY(code);
    add_number(self, "kappa", result.kappa);
    add_number(self, "observed", result.observed);
    add_number(self, "expected", result.expected);
    add_integer(self, "classes", result.classes);
    add_integer(self, "lines", self->lines);
    return EXIT_DONE;
}

/* agreement: a file of labels for each round, the last ones of the loop. */
int evaluate_agreement(evaluation *self) {
    alcore_agreement_options options = ALCORE_AGREEMENT_OPTIONS_INIT;
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    double kappas[MAX_OPERANDS];
    int64_t *classes;

    if (option_given(self->args, OPTION_WINDOW))
        TRY(option_integer(self->args, OPTION_WINDOW, 1, MAX_OPERANDS - 2, &options.window));
    TRY(read_amount(self, OPTION_THRESHOLD, &options.threshold));
    int code = list_classes(self, &classes);
    for (int i = 0; code == EXIT_DONE && i + 1 < self->file_count; i++) {
        alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
        code = compute_kappa(self, classes, i, &result);
        kappas[i] = result.kappa;
    }
    free(classes);
    TRY(code);
    TRY(outcome(alcore_stop_check_agreement(kappas, self->file_count - 1, &options, &decision)));
    TRY(add_decision(self, &decision));
    add_numbers(self, "kappas", kappas, self->file_count - 1);
    return EXIT_DONE;
}
