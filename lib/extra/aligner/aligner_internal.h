/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the word aligner share: aligner.c (training and links), aligner_expect.c (the
 * E-step and the decoding of one sentence pair), aligner_tension.c (updates of lambda).
 *
 * m and n are the lengths in words of a target and a source sentence; i = 1 .. m is a target
 * position, j = 1 .. n a source position and j = 0 the null word. A symbol is the number of a word
 * in its corpus (text/corpus.h). */
#ifndef ALCORE__ALIGNER_INTERNAL_H
#define ALCORE__ALIGNER_INTERNAL_H

#include "extra/aligner/aligner_model.h"
#include "extra/aligner/aligner_table.h"

struct alcore__aligner {
    alcore_ctx *ctx; /* a reference, released with the aligner */
    alcore__aligner_options options;
    double lambda;                   /* the present value; options.lambda before the first update */
    alcore__corpus *source, *target; /* the training texts, owned; row r of both is pair r. A pair
                                        with an empty text has no words in either. In a model that
                                        was read from a file: their words alone */
    alcore__aligner_table table;     /* t(f | e) and the counts of the present iteration */
    uint32_t *partner; /* [target->token_count] after training: 1 + position of the source word that
                          each target token is linked to, 0 for the null word and for boundaries;
                          NULL in a model that was read from a file */
    double *log_likelihoods; /* [options.iterations] of all pairs, natural logarithm */
    double *lambdas;         /* [options.iterations], the first lambda_count of them are set; NULL
                                in a model that was read from a file */
    int32_t lambda_count;
};

/* One sentence pair in symbols. */
typedef struct alcore__aligner_pair {
    const uint32_t *source; /* [n] borrowed; ALCORE__CORPUS_BOUNDARY stands for an unknown word */
    const uint32_t *target; /* [m] borrowed, in the same way */
    int64_t n, m;           /* words; both at least 1 where a pair is decoded or trained on */
} alcore__aligner_pair;

/* Arrays of one worker, [longest source sentence + 1] each: entry j belongs to source position j,
 * entry 0 to the null word. */
typedef struct alcore__aligner_scratch {
    double *delta; /* prior of each source position for the present target word */
    double *term;  /* delta times t, not normalized */
    uint64_t
        *slot[2];  /* slots of the table for the target words of even and of odd i - 1: while one
                      array serves the present word, the other is filled for the next word */
    int64_t cells; /* terms computed since cancellation was polled last */
} alcore__aligner_scratch;

/* Sums over the pairs of a block, in the order of the pairs. */
typedef struct alcore__aligner_sums {
    double log_likelihood; /* sum over target words of ln(sum of the terms) */
    double emp;            /* sum over target words and j >= 1 of posterior times h */
} alcore__aligner_sums;

/* ---- aligner_tension.c ---- */

/* The sentence pairs by their lengths: a class is the set of pairs of equal (m, n). Target position
 * i has the same prior in every pair of a class, so the tension computes it once per class. */
typedef struct alcore__aligner_classes {
    int64_t count;          /* classes; 0 with tension off, all arrays NULL then */
    uint32_t *m, *n;        /* [count] target and source length of each class, ascending (m, n) */
    uint64_t *begin;        /* [count + 1] index in mass of target position 1 of each class */
    uint32_t *class_of;     /* [rows] class of each pair; 0 and unused for those not trained on */
    _Atomic uint64_t *mass; /* [begin[count]] weight of each class's target positions, in units of
                               2^-shift. gradient: sum over the class of the posteriors of j >= 1;
                               public: number of the class's pairs */
    int32_t shift;          /* the largest with which the sum of all weights stays below 2^62 */
    int64_t words;          /* target words of all pairs that are trained on */
} alcore__aligner_classes;

/* Makes the classes of aligner's training pairs, with mass 0 (gradient) or final (public). */
alcore_status alcore__aligner_classes_new(const alcore__aligner *aligner,
                                          alcore__aligner_classes *out);
void alcore__aligner_classes_clear(alcore_ctx *ctx, alcore__aligner_classes *classes);
/* Updates aligner->lambda by eight steps lambda += 20 (emp - mod) within [0.1, 14], after the
 * E-step that filled classes->mass. emp: the mean over target words of the posterior's h. */
alcore_status alcore__aligner_tighten(alcore__aligner *aligner, alcore__aligner_classes *classes,
                                      double emp);

/* Before each E-step: sets mass to 0 for the tension gradient; public keeps its constant weights.
 */
void alcore__aligner_classes_reset(const alcore__aligner *aligner,
                                   alcore__aligner_classes *classes);

/* h(i, j, m, n) = -|j / n - i / m|: 0 for a link on the diagonal, down to -1 away from it. */
static inline double alcore__aligner_h(int64_t i, int64_t j, int64_t m, int64_t n) {
    const double d = (double)j / (double)n - (double)i / (double)m;
    return d < 0 ? d : -d;
}

/* ---- aligner_expect.c ---- */

/* The E-step of one training pair: adds the posteriors to the counts of the table, to sums->emp
 * with a tension, and with the tension gradient to mass [m] (the target positions of the pair's
 * class, in units of 2^-mass_shift; NULL with tension off). Any worker; the counts and mass are
 * shared. */
alcore_status alcore__aligner_expect(alcore__aligner *aligner, alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, _Atomic uint64_t *mass,
                                     int32_t mass_shift, alcore__aligner_sums *sums);
/* The most probable source word of each target word i: partner[i - 1], i = 1 .. m, becomes its j,
 * 0 for the null word; the smallest j in ties. trained: the pair is one of the training pairs, so
 * the table has all pairs of its words. Adds the log-likelihood to *sums. */
alcore_status alcore__aligner_decode(const alcore__aligner *aligner,
                                     alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, bool trained,
                                     uint32_t *partner, alcore__aligner_sums *sums);
/* Allocates the arrays of one worker for source sentences of up to `longest` words. After a failure
 * alcore__aligner_scratch_clear() frees those that were allocated. */
alcore_status alcore__aligner_scratch_new(alcore_ctx *ctx, int64_t longest,
                                          alcore__aligner_scratch *out);
void alcore__aligner_scratch_clear(alcore_ctx *ctx, alcore__aligner_scratch *scratch);

#endif
