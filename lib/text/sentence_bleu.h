/* SPDX-License-Identifier: Apache-2.0 */
/* The counts and the formula of BLEU (docs/spec/analyses.md 8.6), which the metric adds up over a
 * corpus, and BLEU of one pair of texts, for scores of sentences (docs/spec/phrases.md 5.7). */
#ifndef ALCORE__SENTENCE_BLEU_H
#define ALCORE__SENTENCE_BLEU_H

#include "text/bleu_tokens.h"
#include "text/clipped_ngrams.h"

enum { ALCORE__BLEU_ORDERS = 4 };

/* Where the statistics of a segment or a corpus are in its array [ALCORE__BLEU_WIDTH]: matches and
 * totals by order, tokens of the hypothesis, tokens of the closest reference. */
enum {
    ALCORE__BLEU_MATCHES = 0,
    ALCORE__BLEU_TOTALS = ALCORE__BLEU_ORDERS,
    ALCORE__BLEU_HYPOTHESIS = 2 * ALCORE__BLEU_ORDERS,
    ALCORE__BLEU_REFERENCE,
    ALCORE__BLEU_WIDTH
};

/* What an order without a match counts as, in the order of the public ALCORE_BLEU_SMOOTH_EXP and
 * on. */
typedef enum alcore__bleu_smoothing {
    ALCORE__BLEU_SMOOTH_EXP,
    ALCORE__BLEU_SMOOTH_FLOOR,
    ALCORE__BLEU_SMOOTH_ADD_K,
    ALCORE__BLEU_SMOOTH_NONE
} alcore__bleu_smoothing;

/* How a score is made of the statistics. */
typedef struct alcore__bleu_rules {
    alcore__bleu_smoothing smoothing;
    double smoothing_value; /* of _FLOOR and _ADD_K */
    bool effective_order;   /* the mean is over the orders that the hypothesis has n-grams of */
} alcore__bleu_rules;

typedef struct alcore__bleu_score {
    double bleu;                            /* 0 to 100 */
    double brevity_penalty;                 /* 0 to 1 */
    double precisions[ALCORE__BLEU_ORDERS]; /* percent */
} alcore__bleu_score;

/* The score of statistics [ALCORE__BLEU_WIDTH]. */
void alcore__bleu_of_sums(const int64_t *sums, const alcore__bleu_rules *rules,
                          alcore__bleu_score *out);

/* What texts are counted in; reused by the next pair. A zeroed struct with the ctx of its members
 * set is empty. */
typedef struct alcore__bleu_workspace {
    alcore__ngram_counter counter; /* words and n-grams of one segment */
    alcore__token_lines lines;     /* code points of one text */
} alcore__bleu_workspace;

/* Cuts one text into tokens, the next part of the counter (part 0 is the hypothesis, the others its
 * references); *tokens is how many it has. */
alcore_status alcore__bleu_add_text(alcore__ngram_counter *counter, alcore__token_lines *lines,
                                    alcore__bleu_tokenizer tokenizer, const char *text,
                                    size_t length, int64_t *tokens);
/* Ends a segment: its statistics [ALCORE__BLEU_WIDTH], but for the tokens of the reference. */
alcore_status alcore__bleu_match(alcore__ngram_counter *counter, int64_t *statistics);

/* *bleu: BLEU of a hypothesis against one reference, 0 to 100, as sacreBLEU's sentence_bleu()
 * computes it: tokenizer 13a, smoothing "exp", effective order. Texts are UTF-8, lengths in bytes;
 * workspace, zeroed at first and then used for one pair after the other, is the calling thread's
 * own; its memory is of ctx. */
alcore_status alcore__sentence_bleu(alcore_ctx *ctx, alcore__bleu_workspace *workspace,
                                    const char *hypothesis, size_t hypothesis_length,
                                    const char *reference, size_t reference_length, double *bleu);
void alcore__sentence_bleu_clear(alcore__bleu_workspace *workspace);

#endif
