/* SPDX-License-Identifier: Apache-2.0 */
/* What one budget bought, and what the terms of the score had to do with it. Plain data: the
 * strategy's run makes it (fill.c, explain.c), lib/request turns it into words and files. */
#ifndef ALCORE__PURCHASE_H
#define ALCORE__PURCHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

typedef struct alcore__run alcore__run;

/* A term of a strategy's score, as the strategy declares it. The reasons of picks, the summary, the
 * report and the counterfactuals are made from this table; nobody else knows a term by name. A
 * table ends with a row whose name is NULL. */
typedef struct alcore__term {
    const char *name;   /* in words: "uncertainty" */
    const char *column; /* float64 column of the record that holds its value per candidate: "u" */
    /* int64 column of the record that numbers the group inside which the value is compared, from 0,
     * -1: none; NULL: it is compared among all candidates. */
    const char *within;
    const char *groups; /* fact of the run with one entry per group of `within`, the empty too */
    /* The strategy that orders by this term alone: "nnll". NULL: there is none. */
    const char *alone;
    /* The value is the score that the strategy computed or was given (alcore__block_scores): where
     * the caller gave ready scores, it is they that `alone` would have ordered by. */
    bool is_score;
    /* Weight of the term in the score of this run; 0: it has no part in it. */
    double (*weight)(const alcore__run *run);
} alcore__term;

enum { ALCORE__TERMS = 4 };

/* One term as seen from the picks. Arrays [picks] are in rank order. */
typedef struct alcore__term_part {
    const alcore__term *term;
    const char *alone;    /* whose picks the counterfactual shows: "nnll", "the given scores" */
    int64_t *at_least;    /* [picks] candidates of the pick's group whose value is not below its */
    int64_t groups;       /* groups of term->within; 0: no such column */
    int64_t *group_sizes; /* [groups] candidates of each */
    /* The rest is set when two terms or more have a weight (alcore__explanation.mixed). */
    double *contribution; /* [picks] weight times the rescaled value, minus the mean of that over
                             the candidates: what the term adds beyond the usual */
    uint8_t *also;        /* [picks] 1: the term alone would have made this pick too */
    double deviation;     /* standard deviation of the weighted, rescaled term */
    int64_t decided;      /* picks to which this term contributed most */
    int64_t also_count;   /* picks with `also` */
} alcore__term_part;

typedef struct alcore__explanation {
    int32_t count; /* terms whose column the record has */
    alcore__term_part parts[ALCORE__TERMS];
    bool mixed;              /* two terms or more have a weight */
    int64_t *score_at_least; /* [picks] candidates whose score is not below the pick's */
} alcore__explanation;

typedef struct alcore__purchase {
    double budget; /* what might be spent, in the unit of the costs */
    int64_t pick_count;
    int64_t *picks; /* [pick_count] positions among the candidates, best first */
    double spent;
    uint32_t flags;       /* ALCORE_SELECTION_SHORT */
    int64_t redundant;    /* rows passed over because they are too similar to a pick */
    int64_t unaffordable; /* rows that fill=skip passed over */
    int64_t free_rows;    /* rows of cost 0, which are never bought */
    alcore__explanation explanation;
} alcore__purchase;

/* The term that contributed most to a pick; -1: the largest contributions are equal, or there are
 * none. */
int32_t alcore__explanation_decided(const alcore__explanation *explanation, int64_t rank);
void alcore__purchase_clear(alcore_ctx *ctx, alcore__purchase *purchase);

#endif
