/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of strategies (alcore/extra/comparison.h): what its files share.
 *
 *   comparison.c           the call: a selection by each strategy, and the handle
 *   comparison_measures.c  what is measured of each selection, and of each two
 *   comparison_document.c  the measures as JSON
 *   comparison_write.c     and as files
 *   comparison_page.c      the page among them
 *
 * What is measured is said in docs/spec/analyses.md 8.10. Words of these files:
 *
 *   compared    one of the strategies with its selection and measures
 *   own         the n-grams of the picks of one strategy */
#ifndef ALCORE__COMPARISON_INTERNAL_H
#define ALCORE__COMPARISON_INTERNAL_H

#include "alcore/extra/comparison.h"
#include "extra/analysis/selection_picks.h"
#include "select/select_internal.h"

enum {
    ALCORE__COMPARED_ORDERS = 3, /* n-grams of 1, 2 and 3 words */
    ALCORE__COMPARED_SAMPLES = 10
};

/* How much of the n-grams of some texts the picks have, by order - 1, in percent; NaN where the
 * texts have none of an order, or where it was not measured. */
typedef struct alcore__reach {
    double types[ALCORE__COMPARED_ORDERS];  /* of the distinct n-grams */
    double tokens[ALCORE__COMPARED_ORDERS]; /* of their occurrences */
} alcore__reach;

/* One strategy of a comparison. */
typedef struct alcore__compared {
    char *name;               /* owned */
    bool added;               /* it was not asked for */
    alcore_selection *picked; /* one reference */
    int64_t items, words, characters;
    int64_t phrases;    /* of a hybrid: picks that are phrases; -1 of any other */
    double spent;       /* in the unit of the budget */
    double amount;      /* of money; NaN without a price */
    double mean_words;  /* of a pick; NaN without picks */
    double quartile[3]; /* first quartile, median and third quartile of the words of a pick */
    alcore__reach pool, test;
    int64_t types[ALCORE__COMPARED_ORDERS]; /* distinct n-grams of the picks, by order - 1 */
    /* Percent of the occurrences of n-grams in the picks that are not the first of their kind */
    double repeated[ALCORE__COMPARED_ORDERS];
    double near_duplicates;   /* percent of the picks */
    alcore__share *languages; /* [language_count] owned; names are views into the pool */
    int64_t language_count;
} alcore__compared;

struct alcore_comparison {
    alcore__object object;
    alcore__compared *compared; /* [count] owned */
    int64_t count;
    bool has_test;
    int32_t unit; /* ALCORE_UNIT_* of the budget */
    double budget;
    int64_t pool_rows;
    int64_t *shared_picks; /* [count, count] picks that both have; on the diagonal all of one */
    int64_t *shared_words; /* [count, count] distinct words that both have, likewise */
    alcore__buffer document;
};

/* Measures all selections of a comparison and what each two share. pool: of the request; test: as
 * in alcore_request_compare(). Called with the request locked. */
alcore_status alcore__comparison_measure(alcore_comparison *self, const alcore_pool *pool,
                                         alcore_overlap *test);
/* Fills self->document, when all is measured. */
alcore_status alcore__comparison_describe(alcore_comparison *self);
/* Locks the pools that the picks come from for reading, one after another: *locked of them, which
 * are unlocked after a failure too. */
alcore_status alcore__comparison_lock(const alcore_comparison *self, int64_t *locked);
void alcore__comparison_unlock(const alcore_comparison *self, int64_t locked);
/* Writes the page of HTML. */
alcore_status alcore__comparison_write_page(const alcore_comparison *self, const char *path);
/* The rank from 0 of sample number i of a selection of `count` picks, which has as many samples as
 * picks where these are few. */
static inline int64_t alcore__compared_sample(int64_t count, int64_t i) {
    return count <= ALCORE__COMPARED_SAMPLES ? i : i * count / ALCORE__COMPARED_SAMPLES;
}
static inline int64_t alcore__compared_samples(int64_t count) {
    return count < ALCORE__COMPARED_SAMPLES ? count : ALCORE__COMPARED_SAMPLES;
}

#endif
