/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the word aligner share: aligner.c (training and links), aligner_expect.c (the
 * E-step of blocks of pairs), aligner_tension.c (updates of lambda). */
#ifndef ALCORE__ALIGNER_INTERNAL_H
#define ALCORE__ALIGNER_INTERNAL_H

#include "text/aligner.h"
#include "text/aligner_table.h"

struct alcore__aligner {
    alcore_ctx *ctx; /* a reference */
    alcore__aligner_options options;
    double lambda;                   /* the present one */
    alcore__corpus *source, *target; /* the training texts, same rows; a pair with an empty side has
                                        no words on both */
    alcore__aligner_table table;
    uint32_t *partner; /* [target->token_count] after training: 1 + position of the source word that
                          each target token is linked to, 0 for the null word and for boundaries */
    double *log_likelihoods; /* [options.iterations] */
    double *lambdas;         /* [options.iterations], the first lambda_count of them are set */
    int32_t lambda_count;
};

/* One pair in symbols. */
typedef struct alcore__aligner_pair {
    const uint32_t *source,
        *target;  /* [n], [m] symbols; ALCORE__CORPUS_BOUNDARY: an unknown word */
    int64_t n, m; /* both at least 1 */
} alcore__aligner_pair;

/* Arrays of one worker, [longest source sentence + 1] each; index 0 is the null word. */
typedef struct alcore__aligner_scratch {
    double *delta;     /* prior of each source position for the present target word */
    double *term;      /* delta times t; afterwards the posterior */
    uint64_t *slot[2]; /* slots of the table for the present target word and for the next one */
    int64_t cells;     /* computed since cancellation was polled last */
} alcore__aligner_scratch;

/* Sums over the pairs of a block, in the order of the pairs. */
typedef struct alcore__aligner_sums {
    double log_likelihood;
    double emp; /* sum over target words and j >= 1 of posterior times h */
} alcore__aligner_sums;

/* ---- aligner_tension.c ---- */

/* Target positions of equal (i, m, n) have equal priors, so the tension sums over classes of pairs
 * of equal lengths (m, n). */
typedef struct alcore__aligner_classes {
    int64_t count;
    uint32_t *m, *n;        /* [count] lengths */
    uint64_t *begin;        /* [count + 1] the class's first target position in mass */
    uint32_t *class_of;     /* [rows] class of each pair; unset for pairs that take no part */
    _Atomic uint64_t *mass; /* [begin[count]] weight of each target position in 2^-shift:
                               gradient: sum of the posteriors of j >= 1; public: number of words */
    int32_t shift;
    int64_t words; /* target words that take part */
} alcore__aligner_classes;

alcore_status alcore__aligner_classes_new(const alcore__aligner *aligner,
                                          alcore__aligner_classes *out);
void alcore__aligner_classes_clear(alcore_ctx *ctx, alcore__aligner_classes *classes);
/* Eight steps of lambda += 20 (emp - mod). emp: the mean over target words. */
alcore_status alcore__aligner_tighten(alcore__aligner *aligner, alcore__aligner_classes *classes,
                                      double emp);

/* Before each E-step: sets the posterior mass of the tension gradient to 0. */
void alcore__aligner_classes_reset(const alcore__aligner *aligner,
                                   alcore__aligner_classes *classes);

/* h(i, j, m, n), the distance of a link from the diagonal; 0 on it. */
static inline double alcore__aligner_h(int64_t i, int64_t j, int64_t m, int64_t n) {
    const double d = (double)j / (double)n - (double)i / (double)m;
    return d < 0 ? d : -d;
}

/* ---- aligner_expect.c ---- */

/* The E-step of one training pair: adds the posteriors to the counts of the table, and for the
 * tension gradient to mass [m] (NULL without it). */
alcore_status alcore__aligner_expect(alcore__aligner *aligner, alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, _Atomic uint64_t *mass,
                                     int32_t mass_shift, alcore__aligner_sums *sums);
/* The most probable source word of each target word, 1 + position or 0 for null, in partner [m].
 * trained: the pair is one of the training pairs, so the table has all pairs of its words. */
alcore_status alcore__aligner_decode(const alcore__aligner *aligner,
                                     alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, bool trained,
                                     uint32_t *partner, alcore__aligner_sums *sums);
alcore_status alcore__aligner_scratch_new(alcore_ctx *ctx, int64_t longest,
                                          alcore__aligner_scratch *out);
void alcore__aligner_scratch_clear(alcore_ctx *ctx, alcore__aligner_scratch *scratch);

#endif
