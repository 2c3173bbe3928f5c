/* SPDX-License-Identifier: Apache-2.0 */
/* The n-grams of some texts, and in which texts each of them is used: what the overlap of a test
 * set with data is counted from (docs/spec/analyses.md 8.1, 8.2).
 *
 * Texts come by role. Those of kept roles add their n-grams to the tables; those of other roles
 * only mark the n-grams that are there, so that memory does not depend on their length. An n-gram
 * of order n >= 2 is stored as the number of its first n - 1 words in the order below and its last
 * word (text/ngram_table.h). Since the first n - 1 words of an n-gram are an n-gram of the same
 * text, an n-gram is in the tables only if they are: a text is read once from left to right, with
 * the numbers of the n-grams that end at its last word. */
#ifndef ALCORE__NGRAM_USES_H
#define ALCORE__NGRAM_USES_H

#include "alcore/extra/overlap.h"
#include "text/ngram_table.h"
#include "text/vocabulary.h"

/* Where an n-gram is used. */
typedef struct alcore__ngram_use {
    int64_t test;     /* occurrences in the texts of ALCORE_OVERLAP_TEST */
    int64_t selected; /* occurrences in those of ALCORE_OVERLAP_SELECTED */
    int32_t roles;    /* ALCORE_OVERLAP_* bits of the texts that have it */
} alcore__ngram_use;

/* It owns its arrays. A struct of zeros has no n-grams. */
typedef struct alcore__ngram_uses {
    alcore__vocabulary words; /* order 1 */
    /* [order - 2] the n-grams of order 2 on */
    alcore__ngram_table longer[ALCORE_NGRAM_ORDER_MAX - 1];
    alcore__ngram_use *use[ALCORE_NGRAM_ORDER_MAX]; /* [order - 1][n-grams of the order] */
    size_t use_capacity[ALCORE_NGRAM_ORDER_MAX];
} alcore__ngram_uses;

/* Reads the n-grams of orders 1 .. max_order of one text, UTF-8. keep: new n-grams are added. A
 * failure leaves the n-grams read until then. */
alcore_status alcore__ngram_uses_read(alcore_ctx *ctx, alcore__ngram_uses *uses, int32_t max_order,
                                      int32_t role, bool keep, const char *text, size_t length);
/* How many n-grams of an order there are. */
int64_t alcore__ngram_uses_count(const alcore__ngram_uses *uses, int32_t order);
void alcore__ngram_uses_clear(alcore_ctx *ctx, alcore__ngram_uses *uses);

#endif
