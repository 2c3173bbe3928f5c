/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 sampling with speculation, as k-means++ and BADGE share it (spec 1.7 and 1.8; Arthur and
 * Vassilvitskii 2007).
 *
 * The next row is drawn with a probability proportional to its D^2 weight: the squared distance to
 * the nearest row drawn before. After a draw, one pass over the candidates measures them from the
 * row just drawn and lowers the weights. The random numbers of the following draws are known before
 * the weights are, so the rows that they would hit under the present weights are likely to be drawn
 * next: the pass measures the candidates from one or two of these speculative rows too. When the
 * next draw is a hit, its distances are there already and a pass is saved. Speculation changes no
 * pick. */
#ifndef ALCORE__D2_SAMPLING_H
#define ALCORE__D2_SAMPLING_H

#include "strategy/block.h"

/* Draws that one pass looks up: the next row, then speculative ones. */
enum { ALCORE__MAX_SPECULATIVE = 2, ALCORE__MAX_DRAWS = 1 + ALCORE__MAX_SPECULATIVE };

/* A row to be found: by its position, by its number or weight inside a block, or by weight inside
 * the pool. */
typedef struct alcore__draw {
    int64_t position;      /* of the candidate; -1: otherwise */
    int64_t block;         /* by number or weight: the block that holds it; -1: nothing is to be
                              found */
    int64_t number;        /* by number, from 0 among the rows of the block that its sequence has
                              not taken; -1: by weight */
    double before, target; /* by weight: sum of the weights of the blocks before, and the target, as
                              the kernel `draw` takes them */
    bool by_engine;        /* by weight, and the engine finds block and row (device_draws.h): */
    double u;              /* the random number */
} alcore__draw;

extern const alcore__draw alcore__no_draw;

/* weighted(D^2, u) of spec 1.7, down to the block: block_weights[b * stride] is the total weight of
 * block b. False: no row has a weight, and *out is alcore__no_draw. */
bool alcore__draw_by_weight(const double *block_weights, int64_t stride, int64_t blocks, double u,
                            alcore__draw *out);
/* Whether the row is in the block, by its position or by the block that its weight chose. Called
 * before the block is visited, and in the visit. */
bool alcore__draw_is_in(const alcore__draw *draw, const alcore__block *block);
/* The index of the drawn row in a block that it is in; mask and weights: [matrix rows]. -1: no row
 * of the block has a weight. */
alcore_status alcore__draw_find(const alcore__draw *draw, const alcore__matrix *matrix,
                                const uint8_t *mask, const double *weights, int64_t *index);

/* Draws of one sequence, and which speculative rows the next pass measures. */
typedef struct alcore__sampler {
    alcore__draw draw[ALCORE__MAX_DRAWS]; /* the next row, then speculative draws */
    int64_t found[ALCORE__MAX_DRAWS];     /* places (alcore__block_place()) of the rows that were
                                             found, by draw; -1: none */

    /* What alcore__sampler_accept() decides for the pass that follows: */
    int32_t hit; /* which speculative row of the last pass the new row is: its weights are known;
                    -1: none, the candidates have to be measured */
    int32_t speculative;                       /* speculative rows of the pass */
    int32_t slot[ALCORE__MAX_SPECULATIVE];     /* [speculative] their entries of found, ascending */
    int64_t measured[ALCORE__MAX_SPECULATIVE]; /* their places; -1: none */

    /* Whether speculation pays: */
    bool first_draw;         /* no row was drawn since the pass that measured them */
    int32_t max_speculative; /* rows that can pay at all on this engine and data */
    double hit_rate;         /* 0 to 1: exponential mean over recent passes */
    int32_t idle_passes;     /* passes since the last one with a speculative row */
} alcore__sampler;

/* unit: whether rows are read as unit vectors. */
void alcore__sampler_begin(const alcore__run *run, bool unit, alcore__sampler *sampler);
/* Forgets draws and found rows: nothing is to be found. What alcore__sampler_accept() decided
 * stays. */
void alcore__sampler_clear_draws(alcore__sampler *sampler);
/* How many speculative draws to add to the next draw, by the share of earlier ones that hit. */
int32_t alcore__sampler_speculative_draws(const alcore__sampler *sampler);
/* The draws were found, and found[0] is chosen: updates the hit rate and sets hit, speculative,
 * slot and measured; after a hit speculative is 0, and the last two stay. Called once for each row
 * that is taken, before alcore__sampler_pack() and before the draws are cleared. */
void alcore__sampler_accept(alcore__sampler *sampler);
/* Moves the vectors of the speculative rows behind that of the new row: vectors [ALCORE__MAX_DRAWS,
 * size], entry k that of found[k] before, that of slot[k - 1] after. Called for each array of the
 * owner, after alcore__sampler_accept(). */
void alcore__sampler_pack(const alcore__sampler *sampler, double *vectors, int64_t size);

#endif
