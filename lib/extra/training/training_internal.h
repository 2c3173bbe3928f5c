/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of training share: examples as the engine takes them (model_examples.c, and
 * model_questions.c of question answering), and what happens between two updates
 * (model_validate.c). */
#ifndef ALCORE__TRAINING_H
#define ALCORE__TRAINING_H

#include "alcore/extra/training.h"
#include "base/tensor_view.h"
#include "model/model_engine.h"

/* The unmasked rows of a pool with their references, encoded: of a training, or of a validation. A
 * struct of zeros has none. Memory: 8 bytes for each token of texts and references, 17 where the
 * tokenizer sets types and marks. */
typedef struct alcore__examples {
    alcore__model_batch batch;             /* all unmasked rows */
    alcore__engine_texts sources, targets; /* targets: none for classifiers */
    const char **texts;                    /* [batch.count] references, with their lengths in bytes;
                                              NULL for classifiers and where `whole` is set */
    size_t *lengths;
    int64_t *labels; /* [batch.count] classes, or those of tokens as sources.passed.ids, -100: none;
                        of questions [windows.count, 2], the first and the last token of the answer
                        in each window, both 0 where it is not there; NULL for translation models */
    bool words;      /* labels are of tokens, and only those that begin a word have them */
    bool whole;      /* of a language model: no row has a reference, all tokens are learned */
    /* Of questions, whose sources.passed are the windows, and sources.tokens the pairs that they
     * are cut from; references are the answers. */
    alcore__windows windows;
    int64_t *window_rows;    /* [windows.count] example of each window */
    const char **contexts;   /* [batch.count] views of the pool */
    size_t *context_lengths; /* [batch.count] bytes */
} alcore__examples;
/* Encodes the rows of a pool, whose read lock the caller holds as long as the examples are used.
 * labels: the column of classes of tokens (NULL: the references have them), or of the characters at
 * which answers begin; NULL for models of other kinds.
 * alcore__examples_clear() must be called even after a failure. */
alcore_status alcore__examples_read(const alcore_model *model, const alcore_pool *pool,
                                    const char *labels, alcore__examples *out);
/* The part of alcore__examples_read() for questions, called with out->batch filled. */
alcore_status alcore__questions_read(const alcore_model *model, const alcore_pool *pool,
                                     const char *column, alcore__examples *out);
/* The class that a word of `length` bytes means: that of this name, else that of this number; -1:
 * it means none. */
int64_t alcore__class_of(const alcore__engine_model *data, const char *word, size_t length);
/* The targets as the engine takes them; NULL: there are none. */
const alcore_sys_model_texts *alcore__examples_targets(const alcore__examples *all);
/* Whether token k of the sources, a number among all, is one that the model gives classes of. */
bool alcore__examples_counts(const alcore__examples *all, int64_t k);
void alcore__examples_clear(alcore_ctx *ctx, alcore__examples *all);

/* The likeliest answer in a window: its first and last position, from 0, and the sum of the
 * logarithms of their probabilities. */
typedef struct alcore__span {
    double score;
    int64_t first, last;
} alcore__span;

/* What is done between the updates of a training: the watch logs after which update a training is
 * resumed and, with validation, measures the model, saves the best one and ends the training
 * early. */
typedef struct alcore__watch {
    alcore_model *model;
    const alcore_train_options *options; /* checked, with all defaults filled in */
    alcore__examples examples;           /* of the validation; zeros without one */
    int64_t items;                       /* texts of the validation, or windows of its questions */
    /* [items] of each text: its loss, or how many of its classes are right */
    double *values;
    /* [items] tokens of its reference, or labels of it: what the mean is over */
    int64_t *tokens;
    alcore__span *spans;  /* [items] of questions that are measured by their answers; or NULL */
    int64_t *predicted;   /* [tokens of the sources] of models that are measured by spans: the most
                             probable class of each token with a label; or NULL */
    char *tail;           /* what every line of validations.tsv ends with */
    alcore__buffer lines; /* validations.tsv as it is to be written next */
    /* borrowed: resumed, best_update, best_value and stopped are filled */
    alcore_train_result *result;
    int64_t worse; /* validations since the best one */
    bool begun;    /* the engine has said how many updates there are */
} alcore__watch;
/* Takes the probabilities of `positions` tokens of window w, which begin at row `row`: of the one
 * that stands for "no answer", if it has one, and of those of the context. */
alcore_status alcore__questions_take(alcore__watch *watch, const alcore__array *array, int64_t row,
                                     int64_t w, int64_t positions);
/* *out: exact match or F1 of the likeliest answers, percent. */
alcore_status alcore__questions_measure(const alcore__watch *watch, double *out);
/* Whether a metric (ALCORE_VALIDATE_*) compares spans (model_spans.c). */
bool alcore__is_of_spans(int32_t metric);
/* ALCORE_E_UNSUPPORTED unless each class of a classifier of tokens has the name of a tag that the
 * metric (ALCORE_VALIDATE_*) reads; name: of the metric, for the message. */
alcore_status alcore__spans_check(const alcore_model *model, int32_t metric, const char *name);
/* *out: F1 of the spans of the most probable classes, 0 to 1. */
alcore_status alcore__spans_measure(const alcore__watch *watch, double *out);
/* Prepares the watch; the caller holds the read lock of options->validation.
 * alcore__watch_clear() must be called even after a failure. */
alcore_status alcore__watch_begin(alcore_model *model, const alcore_train_options *options,
                                  alcore_train_result *result, alcore__watch *out);
/* alcore_sys_model_training.after_update; user: the watch. */
alcore_status alcore__watch_update(void *user, int64_t update, int64_t updates, int32_t *stop);
void alcore__watch_clear(alcore__watch *watch);
/* Measures a model on the texts and references of a pool by a metric (ALCORE_VALIDATE_*), as a
 * validation of a training does; *out: the value. */
alcore_status alcore__model_validate(alcore_model *model, alcore_pool *pool, int32_t metric,
                                     double *out);

/* Trains a model that runs in a module, under its write lock; the options are checked, with all
 * defaults filled in (model_train.c). */
alcore_status alcore__engine_train(alcore_model *model, alcore_pool *pool,
                                   const alcore_train_options *options, alcore_train_result *out);

#endif
