/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval accuracy, macro-f1, f1, qa: labels, spans and answers against gold ones. */
#include <string.h>

#include "eval.h"

/* accuracy and macro-f1: both come from one call, the named one is printed. */
int evaluate_labels(evaluation *self) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    alcore_read_options reading;
    const alcore_text_files files = evaluation_files(self, &reading);

    const bool words = option_given(self->args, OPTION_BY_WORD);
    const alcore_labels_options options = {.size = sizeof options, .words = words};
    TRY(outcome(alcore_metric_read_labels(self->ctx, &files, &options, &score)));
    if (!strcmp(self->args->operands[0], "accuracy")) {
        add_number(self, "accuracy", score.accuracy);
        add_integer(self, "correct", score.correct);
        add_integer(self, words ? "words" : "lines", score.compared);
    } else {
        add_number(self, "macro-f1", score.macro_f1);
        add_integer(self, "labels", score.labels);
    }
    return EXIT_DONE;
}

int evaluate_spans(evaluation *self) {
    alcore_spans_options options = ALCORE_SPANS_OPTIONS_INIT;
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    alcore_read_options reading;
    const alcore_text_files files = evaluation_files(self, &reading);

    TRY(option_enum(self->args, OPTION_SCHEME, "default|iob2|iob1|ioe2|iobes|bilou",
                    ALCORE_TAGS_DEFAULT, &options.scheme));
    TRY(outcome(alcore_metric_read_spans(self->ctx, &files, &options, &score)));
    add_number(self, "f1", score.f1);
    add_number(self, "precision", score.precision);
    add_number(self, "recall", score.recall);
    add_integer(self, "gold_spans", score.gold_spans);
    add_integer(self, "predicted_spans", score.predicted_spans);
    add_integer(self, "matches", score.matches);
    add_text(self, "scheme", option_value(self->args, OPTION_SCHEME, "default"));
    return EXIT_DONE;
}

int evaluate_answers(evaluation *self) {
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    alcore_read_options reading;
    const alcore_text_files files = evaluation_files(self, &reading);

    TRY(outcome(alcore_metric_read_answers(self->ctx, &files, NULL, &score)));
    add_number(self, "exact_match", score.exact_match);
    add_number(self, "f1", score.f1);
    add_integer(self, "exact", score.exact);
    add_integer(self, "questions", score.questions);
    return EXIT_DONE;
}
