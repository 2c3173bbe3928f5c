/* SPDX-License-Identifier: Apache-2.0 */
/* Word alignment by IBM Model 1 and by the diagonal Model 2 of Dyer, Chahuneau and Smith (2013,
 * "A Simple, Fast, and Effective Reparameterization of IBM Model 2"); formulas in
 * docs/spec/aligner.md.
 *
 * A model explains every target word by one source word or by the null word. It is trained in one
 * direction; for the other one the caller swaps the texts and asks for swapped links, and
 * alcore__links_symmetrize() combines the two. Everything a model computes is the same for every
 * number of threads. Memory: 27 bytes for each different pair of words that occur together (20 per
 * slot of a table three quarters full), 4 bytes a source word and 8 a target word, and the corpus
 * of the training pairs. */
#ifndef ALCORE__ALIGNER_MODEL_H
#define ALCORE__ALIGNER_MODEL_H

#include "text/corpus.h"
#include "text/word_links.h"

typedef enum alcore__tension {
    ALCORE__TENSION_OFF,      /* lambda keeps its start value */
    ALCORE__TENSION_GRADIENT, /* lambda ascends the gradient of the log-likelihood */
    ALCORE__TENSION_PUBLIC    /* the update of the public tool fast_align, with its index slips */
} alcore__tension;

/* Options of a training. Unlike public option structs, zero is not the default: begin with
 * alcore__aligner_defaults(). */
typedef struct alcore__aligner_options {
    bool diagonal;          /* false: IBM Model 1, positions are equally likely */
    bool variational_bayes; /* false: t is the plain ratio of counts */
    bool null_word;         /* false only with Model 1: a target word always has a link */
    alcore__tension tension;
    int32_t iterations; /* 1 .. 1000; the last one only decodes */
    double p0;          /* prior of the null word, 0 <= p0 < 1; Model 1 ignores it */
    double lambda;      /* start value, 0 .. 100: how strongly links keep to the diagonal */
    double alpha;       /* pseudo count of variational Bayes, 1e-6 .. 1e6 */
    double start;       /* t of every pair of words before the first iteration, and of words that
                           never occurred together, 1e-30 .. 1 */
} alcore__aligner_options;

/* The defaults of the specification: diagonal, variational Bayes, tension off, 5 iterations, p0
 * 0.08, lambda 4, alpha 0.01, start 1e-9. */
alcore__aligner_options alcore__aligner_defaults(void);

/* The largest lambda of the options, and of a training. */
#define ALCORE__ALIGNER_MAX_LAMBDA 100.0
/* ALCORE_E_PARAM, naming the bounds, for options out of them. */
alcore_status alcore__aligner_check_options(const alcore__aligner_options *options);

/* A trained model. It does not change after the training, so any number of threads may read it. */
typedef struct alcore__aligner alcore__aligner;

/* Trains on the pairs (row r of sources, row r of targets). A pair of which either text has no word
 * takes no part.
 * options NULL: the defaults. ALCORE_E_SHAPE: unequal numbers of rows. ALCORE_E_PARAM: an option
 * out of bounds. ALCORE_E_UNSUPPORTED: a pair whose numbers of words
 * have a product above 2^24. */
alcore_status alcore__aligner_train(alcore_ctx *ctx, const alcore__text_source *sources,
                                    const alcore__text_source *targets,
                                    const alcore__aligner_options *options, alcore__aligner **out);
void alcore__aligner_free(alcore__aligner *aligner); /* NULL-safe */

/* [*count] log-likelihood of each iteration, with the parameters before its M-step. A view. */
double *alcore__aligner_log_likelihoods(const alcore__aligner *aligner, int32_t *count);
/* [*count] lambda after each update of the tension, from the second iteration on. A view. */
const double *alcore__aligner_lambdas(const alcore__aligner *aligner, int32_t *count);
/* The present lambda: after the training its last value. */
double alcore__aligner_lambda(const alcore__aligner *aligner);
/* t(target | source) after training; source NULL: the null word. The start value for words that
 * never occurred together. Words are NUL-terminated. */
double alcore__aligner_probability(const alcore__aligner *aligner, const char *source,
                                   const char *target);

/* The most probable links of the training pairs: pair r of *out is row r. swap: the model was
 * trained with the languages swapped, so its source word is a link's target. The caller clears *out
 * with alcore__links_clear(). ALCORE_E_INVALID for a model that was read from a file, which has no
 * training pairs. */
alcore_status alcore__aligner_links(const alcore__aligner *aligner, bool swap, alcore__links *out);
/* The most probable links of other sentence pairs under the trained t and lambda; words that never
 * occurred together in the training have t = options.start. ALCORE_E_SHAPE and
 * ALCORE_E_UNSUPPORTED as in alcore__aligner_train(). */
alcore_status alcore__aligner_apply(const alcore__aligner *aligner,
                                    const alcore__text_source *sources,
                                    const alcore__text_source *targets, bool swap,
                                    alcore__links *out);

/* ---- parts of the model, for its files and their tests ---- */

/* The derivative of the logarithm of the gamma function, x > 0. */
double alcore__digamma(double x);
/* The prior delta(j | i) of the diagonal model for target position i in 1 .. m: delta [n + 1]
 * receives it for j = 0 (the null word) .. n. */
void alcore__aligner_delta(int64_t i, int64_t m, int64_t n, double lambda, double p0,
                           double *delta);

#endif
