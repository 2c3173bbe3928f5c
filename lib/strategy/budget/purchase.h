/* SPDX-License-Identifier: Apache-2.0 */
/* What one budget bought, and what the terms of the score had to do with it. Plain data: the
 * strategy's run makes it (fill.c, explain.c), lib/selection turns it into words and files. */
#ifndef ALCORE__PURCHASE_H
#define ALCORE__PURCHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

typedef struct alcore__run alcore__run;

/* A term of a strategy's score, as the strategy declares it. The reasons of picks, the summary, the
 * report and the counterfactuals are made from this table; no code outside the strategy names a
 * term. A table ends with a row whose name is NULL. */
typedef struct alcore__term {
    /* All texts are static. The name is small letters of ASCII, which no format escapes. */
    const char *name;   /* in words: "uncertainty" */
    const char *column; /* float64 column of the record that holds its value per candidate: "u" */
    /* int64 column of the record with the group, from 0, inside which the value of a candidate is
     * compared; every candidate has one. The name is also the noun in a reason: "stratum 7 of 10".
     * NULL: values are compared among all candidates. */
    const char *within;
    const char *groups; /* fact of the run with one entry per group of `within`, empty groups too;
                           NULL: there is none */
    /* The strategy that orders by this term alone: "nnll". NULL: there is none. */
    const char *alone;
    /* The value is the score of alcore__block_scores(), computed from columns or read from the
     * column "scores". Where the user gave that column, the counterfactual is named after it and
     * not after the strategy `alone`. */
    bool is_score;
    /* Weight of the term in the score of this run; 0: it has no part in it. */
    double (*weight)(const alcore__run *run);
} alcore__term;

enum { ALCORE__TERMS = 4 };

/* What one term had to do with the picks of a purchase. Arrays [picks] are in rank order; all
 * arrays are owned. */
typedef struct alcore__term_part {
    const alcore__term *term;
    const char *alone;    /* whose picks the counterfactual shows: "nnll", "the given scores" */
    int64_t *at_least;    /* [picks] number of candidates whose value of the term is not below the
                             pick's: among the pick's group where the term has groups, else all */
    int64_t groups;       /* number of groups of term->within; 0: the term has no groups */
    int64_t *group_sizes; /* [groups] candidates of each; NULL without groups */
    /* The members below are set where two terms or more have a weight (alcore__explanation.mixed),
     * for the terms with a weight. */
    double *contribution; /* [picks] weight times the rescaled value, minus the mean of that over
                             the candidates: what the term adds beyond what it adds on average */
    uint8_t *also;        /* [picks] 1: the term alone would have made this pick too; NULL where the
                             term has no name for that, `alone` */
    double deviation;     /* standard deviation of the weighted, rescaled term */
    int64_t decided;      /* number of picks to which this term contributed more than any other */
    int64_t also_count;   /* number of picks with `also` 1 */
} alcore__term_part;

/* What all terms of the score had to do with the picks of a purchase. */
typedef struct alcore__explanation {
    int32_t count; /* terms whose column the record has, in the order of the strategy's table */
    alcore__term_part parts[ALCORE__TERMS]; /* [count] used */
    bool mixed;              /* two terms or more have a weight, and all candidates were measured */
    int64_t *score_at_least; /* [picks] candidates whose score is not below the pick's */
    int64_t *targets;        /* [picks] target rows among whose nearest rows the pick is; NULL: the
                                strategy does not count them */
} alcore__explanation;

/* Why a candidate is passed over: its similarity to a pick, fill=skip, or its cost of 0. */
enum { ALCORE__REFUSED_SIMILAR = 1, ALCORE__REFUSED_UNAFFORDABLE, ALCORE__REFUSED_FREE };

/* A candidate that was offered or passed over by a strategy which buys one row after another. */
typedef struct alcore__offer {
    int64_t position; /* among the candidates */
    int32_t refusal;  /* 0: it was offered to the budget; ALCORE__REFUSED_*: the strategy itself
                         passed it over for that cause */
} alcore__offer;

enum { ALCORE__RECORD_COLUMNS = 16 }; /* how many a strategy may have */

/* What one budget bought. */
typedef struct alcore__purchase {
    double budget; /* what might be spent, in the unit of the costs */
    int64_t pick_count;
    int64_t *picks;       /* [pick_count], by rank: the position among the candidates of each pick,
                             in the order of buying; owned */
    double spent;         /* sum of the costs of the picks */
    uint32_t flags;       /* ALCORE_SELECTION_SHORT */
    int64_t redundant;    /* rows passed over because they are too similar to a pick */
    int64_t unaffordable; /* rows that fill=skip passed over */
    int64_t free_rows;    /* rows of cost 0, which are never bought */
    /* Where a run of its own bought the picks, what that run made of them, in rank order, owned;
     * NULL: the values of the outcome, by position. */
    double *scores;                        /* [pick_count] */
    void *columns[ALCORE__RECORD_COLUMNS]; /* [pick_count] float64 or int64 */
    alcore__explanation explanation;
} alcore__purchase;

/* The term that contributed most to a pick; -1: the largest contributions are equal, or there are
 * none. */
int32_t alcore__explanation_decided(const alcore__explanation *explanation, int64_t rank);
/* Frees the picks and the explanation, and zeroes the purchase. */
void alcore__purchase_clear(alcore_ctx *ctx, alcore__purchase *purchase);

#endif
