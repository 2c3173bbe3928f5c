/* SPDX-License-Identifier: Apache-2.0 */
/* alcore eval accuracy, macro-f1, f1, qa: labels, spans and answers against gold ones. */
#include <stdlib.h>
#include <string.h>

#include "eval.h"

enum { PLACE = 512 }; /* bytes of a place, which is cut there */

/* Writes where an entry of a file, from 1, stands: FILE:LINE, or its number where the format does
 * not tell the line. */
static const char *place_of(const char *path, long long entry, char place[PLACE]) {
    static const char *const other[] = {".jsonl", ".ndjson", ".conll", ".bio",
                                        ".iob",   ".sgm",    ".xml"};
    const char *between = ":";
    if (strstr(path, ".tsv")) entry++; /* the first line names the columns */
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strstr(path, other[i])) between = ", entry ";
    snprintf(place, PLACE, "%.400s%s%lld", path, between, entry);
    return place;
}

/* outcome() of a call that compares entries: the library knows the files as gold and predicted and
 * begins its message with "line N", "line N of gold" or "line N of predicted", which become their
 * places. */
static int outcome_of_lines(const evaluation *self, alcore_status status) {
    static const char *const sides[] = {"gold", "predicted"};
    const char *const *files = self->args->operands + 1;
    char places[2][PLACE];
    const char *said = alcore_last_error();
    long long entry;
    int end = 0;
    if ((status != ALCORE_E_DATA && status != ALCORE_E_SHAPE) ||
        sscanf(said, "line %lld%n", &entry, &end) < 1)
        return outcome(status);
    terminal_clear();
    for (int side = 0; side < 2; side++) {
        char of[16];
        place_of(files[side], entry, places[side]);
        snprintf(of, sizeof of, " of %s:", sides[side]);
        if (!strncmp(said + end, of, strlen(of)))
            return complain(EXIT_DATA, "%s %s%s", sides[side], places[side],
                            said + end + strlen(of) - 1);
    }
    return complain(EXIT_DATA, "gold %s, predicted %s%s", places[0], places[1], said + end);
}

/* accuracy and macro-f1: both come from one call, the named one is printed. */
int evaluate_labels(evaluation *self) {
    alcore_label_score score = ALCORE_LABEL_SCORE_INIT;

    const bool words = option_given(self->args, OPTION_BY_WORD);
    TRY(outcome_of_lines(self, alcore_metric_compute_labels(
                                   self->ctx, self->own, self->own_lengths, self->lines,
                                   self->others, self->other_lengths, self->lines, words, &score)));
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
    alcore_span_score score = ALCORE_SPAN_SCORE_INIT;
    int strict = 0;

    TRY(option_choice(self->args, OPTION_SCHEME, "default|strict", &strict));
    TRY(outcome_of_lines(self,
                         alcore_metric_compute_spans(self->ctx, self->own, self->own_lengths,
                                                     self->lines, self->others, self->other_lengths,
                                                     self->lines, strict, &score)));
    add_number(self, "f1", score.f1);
    add_number(self, "precision", score.precision);
    add_number(self, "recall", score.recall);
    add_integer(self, "gold_spans", score.gold_spans);
    add_integer(self, "predicted_spans", score.predicted_spans);
    add_integer(self, "matches", score.matches);
    add_text(self, "scheme", strict ? "strict" : "default");
    return EXIT_DONE;
}

/* The gold answers of all questions: line i of the gold file holds those of question i with TABs
 * between them. texts, lengths [*count] and offsets [lines + 1] are allocated. */
static int split_answers(const evaluation *self, const char ***texts, size_t **lengths,
                         int64_t **offsets, int64_t *count) {
    *count = 0;
    for (int64_t i = 0; i < self->lines; i++) {
        ++*count;
        for (size_t k = 0; k < self->own_lengths[i]; k++) *count += self->own[i][k] == '\t';
    }
    *texts = calloc((size_t)*count + 1, sizeof **texts);
    *lengths = calloc((size_t)*count + 1, sizeof **lengths);
    *offsets = calloc((size_t)self->lines + 1, sizeof **offsets);
    if (!*texts || !*lengths || !*offsets) return complain(EXIT_MEMORY, "out of memory");
    int64_t answer = 0;
    for (int64_t i = 0; i < self->lines; i++) {
        const char *begin = self->own[i], *end = begin + self->own_lengths[i];
        for (const char *stop = begin; stop <= end; stop++) {
            if (stop < end && *stop != '\t') continue;
            (*texts)[answer] = begin;
            (*lengths)[answer++] = (size_t)(stop - begin);
            begin = stop + 1;
        }
        (*offsets)[i + 1] = answer;
    }
    return EXIT_DONE;
}

int evaluate_answers(evaluation *self) {
    alcore_answer_score score = ALCORE_ANSWER_SCORE_INIT;
    const char **texts = NULL;
    size_t *lengths = NULL;
    int64_t *offsets = NULL, count;

    int code = split_answers(self, &texts, &lengths, &offsets, &count);
    if (code == EXIT_DONE)
        code = outcome(alcore_metric_compute_answers(self->ctx, self->others, self->other_lengths,
                                                     self->lines, texts, lengths, count, offsets,
                                                     self->lines + 1, &score));
    free(offsets);
    free(lengths);
    free((void *)texts);
    TRY(code);
    add_number(self, "exact_match", score.exact_match);
    add_number(self, "f1", score.f1);
    add_integer(self, "exact", score.exact);
    add_integer(self, "questions", score.questions);
    return EXIT_DONE;
}
