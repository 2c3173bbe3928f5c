/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `alcore eval` share: one call of the command, and how a metric adds to its
 * result. */
#ifndef ALCORE_CLI_EVAL_H
#define ALCORE_CLI_EVAL_H

#include <jansson.h>

#include "inputs.h"

enum { MOST_TRANSLATIONS = 15 }; /* files of translations and references of one call */

/* One call of the command. */
typedef struct evaluation {
    const arguments *args;
    alcore_ctx *ctx;
    int file_count;
    alcore_pool **files; /* [file_count] one for each operand after the metric's name that is read;
                          * NULL where the library reads it */
    int64_t **joined;    /* [file_count] [lines] row of the file that belongs to each line of the
                          * first one; NULL: the same row */
    int32_t by;          /* ALCORE_JOIN_* of --by */
    int64_t lines;       /* of the first file that was read, each with its rows of the others */
    /* Texts of files[0]: [lines] pointers into the pool and their lengths in bytes; of the other
     * files one after the other: [(file_count - 1) * lines]. */
    const char **own, **others;
    size_t *own_lengths, *other_lengths;
    double *numbers[2];          /* [lines] of the first and second file when they are numbers */
    double *sentences;           /* [lines] scores, with --sentence; else NULL */
    int64_t sentence_capacity;   /* entries of sentences that there is memory for */
    bool out_of_memory;          /* a score could not be kept */
    alcore_read_options reading; /* how files are read, but for the column */
    json_t *result;              /* object, in the order in which it is printed */
    int code; /* exit code of a call that printed its result: EXIT_DONE, or EXIT_GO_ON */
} evaluation;

/* What the files of a metric hold. */
typedef enum evaluation_input {
    INPUT_NUMBERS, /* a number a line, line i of each belong together */
    INPUT_STREAMS  /* texts in files of any length, which the library reads in blocks */
} evaluation_input;

typedef struct metric {
    const char *name;
    const char *files; /* as in the usage line */
    int min_files, max_files;
    const char *options; /* " tokenize smooth ": those of evaluation_options that it takes */
    evaluation_input input;
    int (*compute)(evaluation *self);
} metric;

/* ---- results ---- */

void add_number(evaluation *self, const char *name, double value);
void add_integer(evaluation *self, const char *name, int64_t value);
void add_text(evaluation *self, const char *name, const char *text);
void add_numbers(evaluation *self, const char *name, const double *values, int64_t count);
void add_integers(evaluation *self, const char *name, const int64_t *values, int64_t count);

/* The operands after the metric's name as files that the library reads, with --text-column;
 * options: the caller's, which live as long as the result. */
alcore_text_files evaluation_files(const evaluation *self, alcore_read_options *options);

/* Reads all operands as pools of the same number of lines, and lists their texts. An exit code. */
int evaluation_read_texts(evaluation *self);

/* Sets *out to the number of an option, which must be finite; *out keeps its value where the option
 * was not given. An exit code. */
int read_amount(const evaluation *self, option_id id, double *out);

/* ---- metrics: each fills self->result; an exit code ---- */

int evaluate_bleu(evaluation *self);
int evaluate_chrf(evaluation *self);
int evaluate_ter(evaluation *self);
int evaluate_labels(evaluation *self);
int evaluate_spans(evaluation *self);
int evaluate_answers(evaluation *self);
int evaluate_overlap(evaluation *self);
int evaluate_in_domain(evaluation *self);
int evaluate_word_accuracy(evaluation *self);
int evaluate_length_ratio(evaluation *self);
int evaluate_duplicates(evaluation *self);
int evaluate_plateau(evaluation *self);
int evaluate_uncertainty(evaluation *self);
int evaluate_agreement(evaluation *self);
int evaluate_kappa(evaluation *self);

#endif
