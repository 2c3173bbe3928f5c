/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 sampling as k-means++ and BADGE share it (spec 1.7 and 1.8). A pass over the rows measures
 * them from the newest centroid. The numbers of the next draws are known before their weights are,
 * so the rows that they would pick by the present weights are guesses of the next centroids: the
 * pass measures rows from them as well, which costs little where rows come from memory. A pick that
 * was guessed then needs no pass of its own. Guesses change no pick. */
#ifndef ALCORE__D2_SAMPLING_H
#define ALCORE__D2_SAMPLING_H

#include "strategy/strategy.h"

/* Most guesses of a pass; what a pass has room for is one centroid more. */
enum { ALCORE__GUESSES = 2, ALCORE__AHEAD = 1 + ALCORE__GUESSES };

/* A row that is looked for. */
typedef struct alcore__draw {
    int64_t position;      /* -1: by weight */
    int64_t block;         /* by weight: its block; -1: nothing is looked for */
    double before, target; /* by weight: as the kernel `draw` takes them */
} alcore__draw;

extern const alcore__draw alcore__draw_nothing;

/* weighted(D^2, u) as far as the totals of blocks tell: mass[b * stride]. False: nothing has a
 * weight, and *out looks for nothing. */
bool alcore__draw_by_weight(const double *mass, int64_t stride, int64_t blocks, double u,
                            alcore__draw *out);
/* Whether the row is in the block, as far as that is known. */
bool alcore__draw_is_in(const alcore__draw *draw, const alcore__block *block);
/* The member that is meant in a block that it is in; take [rows] and weights [rows] are those of
 * the matrix's rows. -1: none has a weight. */
alcore_status alcore__draw_member(const alcore__draw *draw, const alcore__matrix *matrix,
                                  const uint8_t *take, const double *weights, int64_t *member);

/* The centroids that are found one after the other. */
typedef struct alcore__sampler {
    alcore__draw draw[ALCORE__AHEAD]; /* the next centroid and the guesses */
    int64_t found[ALCORE__AHEAD];     /* the rows that they are; -1: none */
    /* After settling. */
    int32_t guessed;               /* guesses of the pass that comes */
    int32_t slot[ALCORE__GUESSES]; /* which of `found` they are, ascending */
    int32_t known;                 /* the part of `each` that has the new centroid's weights; -1:
                                      rows have to be measured from it */
    int64_t measured[ALCORE__GUESSES]; /* rows that the last pass guessed; -1: none */
    bool fresh;                        /* nothing was picked since that pass */
    int32_t most;                      /* guesses that pay */
    double rate;                       /* how often a guess came true at once lately */
    int32_t idle;                      /* passes without a guess */
} alcore__sampler;

/* unit: whether rows are read as unit vectors. */
void alcore__sampler_begin(const alcore__run *run, bool unit, alcore__sampler *sampler);
/* How many of the next draws are worth a guess. run->input->guesses says so in tests. */
int32_t alcore__sampler_guesses(const alcore__run *run, const alcore__sampler *sampler);
/* The draws were looked for. */
void alcore__sampler_settle(alcore__sampler *sampler);
/* Puts the vectors (of `size` numbers) of the settled guesses behind that of the new centroid:
 * ahead [ALCORE__AHEAD, size]. */
void alcore__sampler_pack(const alcore__sampler *sampler, double *ahead, int64_t size);

#endif
