/* SPDX-License-Identifier: Apache-2.0 */
/* Spending the budget (spec 1.6). */
#ifndef ALCORE__FILL_H
#define ALCORE__FILL_H

#include "strategy/strategy.h"

/* Takes candidates in the order in which they are offered. All-zero is empty. */
typedef struct alcore__filler {
    alcore__run *run;
    int64_t *picks; /* [count] positions */
    int64_t count;
    size_t capacity;
    double spent;
    bool stopped; /* fill=stop met a row that does not fit */
    int64_t redundant, unaffordable, free_rows;
    double *chosen, *norms; /* vectors of the picks and their norms, for the spread */
    size_t chosen_capacity, norms_capacity;
    alcore__scratch scratch;
} alcore__filler;

void alcore__filler_begin(alcore__filler *filler, alcore__run *run);
void alcore__filler_clear(alcore__filler *filler);
/* Whether no further row can be taken. */
bool alcore__filler_full(const alcore__filler *filler);
/* Cost of a candidate. */
double alcore__filler_cost(const alcore__filler *filler, int64_t position);
/* Whether the row can still be bought at all: cost 0 never is, and with fill=skip what is dearer
 * than the rest. */
bool alcore__filler_fits(const alcore__filler *filler, int64_t position);
/* Offers the next candidate; *taken tells whether it was bought, and otherwise why is counted. */
alcore_status alcore__filler_offer(alcore__filler *filler, int64_t position, bool *taken);
/* Hands the picks to the run's outcome. */
void alcore__filler_finish(alcore__filler *filler);

/* The whole of it for a strategy that ranks: keys [candidates], larger first. */
alcore_status alcore__fill_ranked(alcore__run *run, const double *keys);

#endif
