/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of an experiment that are done, and what is made of them. */
#ifndef ALCORE__EXPERIMENT_RESULTS_H
#define ALCORE__EXPERIMENT_RESULTS_H

#include "extra/experiment/experiment_run.h"

enum { ALCORE__RESULT_MEASURES = 128 };

/* A round that is done. The first four are indices of the lists of the configuration. */
typedef struct alcore__result_row {
    int64_t domain, budget, strategy, seed, round;
    double bought[3]; /* items, words, cost */
    double *values;   /* [ALCORE__RESULT_MEASURES] NaN: the round has no such measure */
} alcore__result_row;

typedef struct alcore__results {
    alcore__experiment *all;
    alcore__arena arena;
    alcore__result_row *rows; /* [count] owned, by domain, budget, strategy, seed and round */
    size_t capacity;
    int64_t count;
    const char *measures[ALCORE__RESULT_MEASURES]; /* [measure_count] */
    int64_t measure_count;
    alcore__buffer path; /* workspace */
} alcore__results;

/* The statistics of one measure of a strategy after a round, over the seeds that have it. What
 * cannot be told is NaN. */
typedef struct alcore__result_cell {
    int64_t n;                              /* seeds */
    double mean, deviation, error;          /* standard deviation and error */
    int64_t pairs;                          /* seeds that the baseline has too */
    double difference, wilcoxon, bootstrap; /* from the baseline, and p of both tests */
} alcore__result_cell;

/* experiment_table.c */
alcore_status alcore__results_cell(const alcore__results *self, int64_t domain, int64_t budget,
                                   int64_t strategy, int64_t round, int64_t measure,
                                   alcore__result_cell *out);
/* The last round that a domain and budget have; -1: none. */
int64_t alcore__results_last_round(const alcore__results *self, int64_t domain, int64_t budget);
alcore_status alcore__results_write_table(const alcore__results *self, const char *path);
/* experiment_page.c: the curves and the page. */
alcore_status alcore__results_write_page(alcore__results *self);

#endif
