/* SPDX-License-Identifier: Apache-2.0 */
/* From statistics of the tokens of some items to the columns of a pool that alcore_logits_writers
 * names: shared by the calls that have logits and by those that have the likeliest classes. */
#ifndef ALCORE__TOKEN_COLUMNS_H
#define ALCORE__TOKEN_COLUMNS_H

#include "alcore/logits.h"
#include "base/base.h"

/* What the columns are made of. Natural logarithms. */
typedef enum alcore__token_statistic {
    ALCORE__TOKEN_LOGPROB,    /* of the token */
    ALCORE__TOKEN_MARGIN,     /* probability of the likeliest class minus that of the second */
    ALCORE__TOKEN_CONFIDENCE, /* probability of the likeliest class */
    ALCORE__TOKEN_ENTROPY,    /* in nats */
    ALCORE__TOKEN_STATISTICS  /* their number */
} alcore__token_statistic;

/* The tokens of a call, item by item. */
typedef struct alcore__token_items {
    alcore_ctx *ctx;
    const int64_t *rows; /* [count] pool row of each item */
    int64_t count;
    int64_t *lengths; /* [count] tokens of each item that take part; owned */
    int64_t *offsets; /* [count + 1] first token of each, from 0; owned */
    /* Copies a statistic that alcore__token_writers_want() names of all tokens that take part, in
     * the order of the items, to out [offsets[count]]. source: as below. */
    void (*gather)(const void *source, alcore__token_statistic what, double *out);
    const void *source;
} alcore__token_items;

/* Allocates lengths and offsets, zeroed; ctx, rows and count are set. The caller clears the items
 * also after a failure. */
alcore_status alcore__token_items_init(alcore__token_items *items);
void alcore__token_items_clear(alcore__token_items *items);

/* Reads the caller's struct by its size and checks the shapes of its writers. */
alcore_status alcore__token_writers_read(const alcore_logits_writers *given,
                                         alcore_logits_writers *out);
/* Which statistics the writers need. */
void alcore__token_writers_want(const alcore_logits_writers *writers,
                                bool wanted[ALCORE__TOKEN_STATISTICS]);
/* Puts the columns, one after the other. Arguments are checked before the first put; a put that
 * fails leaves the columns before it written. */
alcore_status alcore__token_columns_put(const alcore__token_items *items,
                                        const alcore_logits_writers *writers);

#endif
