/* SPDX-License-Identifier: Apache-2.0 */
/* The surprisal vectors of ALPS (spec 4.6; Yuan et al. 2020): the cross-entropies of a masked
 * language model at some of the tokens of a text, 0 at the others. */
#ifndef ALCORE__SURPRISAL_H
#define ALCORE__SURPRISAL_H

#include "pool/column.h"

/* Which tokens of a text keep their loss, the cross-entropy of a token in nats. */
typedef struct alcore__surprisal {
    const alcore__column *losses; /* ragged, one loss a token; borrowed */
    alcore_pool *pool;            /* for the ids of rows; NULL: the id is the row's number from 1 */
    uint64_t seed;
    int64_t length; /* how many tokens of a text are looked at, the first ones; also the components
                       of a vector */
    double share;   /* 0 to 1: share of these tokens that keep their loss */
    bool bernoulli; /* each token is drawn by itself; else how many are drawn is fixed */
} alcore__surprisal;

/* Sets chosen [n], n = min(tokens, length), to 1 for the tokens that keep their loss, else 0:
 * max(1, floor(share * n + 0.5)) of them drawn without replacement or, with bernoulli, each one for
 * which a random number of [0, 1) is below the share. The generator is derive(seed, ALPS, 0,
 * hash64(id)), so the draw depends neither on the round nor on the row. workspace: int64 [length].
 */
alcore_status alcore__surprisal_draw(const alcore__surprisal *surprisal, const char *id,
                                     int64_t tokens, uint8_t *chosen, int64_t *workspace);
/* Makes a column that computes the vectors, [rows, length], not normalized, as blocks are read:
 * float64 where the losses are, else float32. The `begin` of ALPS (alps.c) calls it once and sets
 * run->embeddings to the column, which the passes then read in place of embeddings. It borrows
 * surprisal until it is freed, by the caller with alcore__column_free(). */
alcore_status alcore__surprisal_column(alcore_ctx *ctx, alcore__surprisal *surprisal,
                                       alcore__column **out);

#endif
