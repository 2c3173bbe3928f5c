/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are drawn by their D^2 weights, one after another, in sequences side by side: the
 * passes of k-means++ seeding, which has a sequence for each group, and of BADGE, which has one.
 *
 *     engine draws   the engine finds the rows that were drawn, where it can (device_draws.h)
 *     drawn rows     blocks find the others, by position, by number or by the weights of the block
 *     D^2 weights    measures the rows from the new ones, adds the weights up, and draws the next
 *
 * They alternate until no sequence wants a row. The D^2 weight of a row is its smallest squared
 * distance to the rows drawn before, infinite before the first. A speculative row is one that a
 * later draw would hit under the present weights: it is measured in advance, and if that draw does
 * choose it, a pass is saved (d2_sampling.h). */
#ifndef ALCORE__DRAW_PASSES_H
#define ALCORE__DRAW_PASSES_H

#include "base/rng.h"
#include "strategy/kmeans/device_draws.h"

typedef struct alcore__sequence {
    bool wanted; /* a further row is to be found */
    bool same;   /* the row that was found last was not taken: only the masked rows have changed */
    /* How many of the draws after the next one can use a speculative row; more than
     * ALCORE__MAX_SPECULATIVE make no difference. */
    int64_t draws_left;
    alcore__rng rng;
    alcore__sampler sampler; /* the draws, and which rows were found */
} alcore__sequence;

/* The arrays of a block, by matrix row, in the memory that the engine works in. */
typedef struct alcore__draw_block {
    alcore__matrix matrix;
    double *weights;             /* [matrix rows] */
    double *speculative_weights; /* [ALCORE__MAX_SPECULATIVE, matrix rows] squared distances to the
                                    speculative rows measured last */
    double
        *sums; /* [matrix rows] running sums of the weights, in each block of a wide one; not used
                     on the host */
    /* [taken_count] What is taken of a drawn row, double [matrix rows, ..] each: of k-means++ its
     * dot product with itself, of BADGE its weight and its factors; the matrix itself is the last.
     */
    alcore_sys_rows taken[3];
    int32_t taken_count;
} alcore__draw_block;

typedef struct alcore__draws alcore__draws;

/* What the two strategies have in their place; s is a sequence. */
typedef struct alcore__draw_rule {
    alcore_status (*open)(const alcore__draws *draws, alcore__block *block,
                          alcore__draw_block *out);
    /* *mask: the rows of the block that can be drawn; NULL: there are none. */
    alcore_status (*mask)(const alcore__draws *draws, const alcore__draw_block *rows, int64_t s,
                          const uint8_t **mask);
    /* Whether the mask has the candidate with a place (alcore__block_place()); of another shard's,
     * whether it may have it. */
    bool (*has)(const alcore__draws *draws, int64_t s, int64_t place);
    /* The index of the row of a block that was drawn by number; -1: there is none. NULL: no row is
     * drawn so. */
    int64_t (*numbered)(const alcore__draws *draws, const alcore__block *block, int64_t s,
                        int64_t number);
    /* Rows that cannot be drawn have weights too, which are not added up. */
    bool weighs_all;
    /* Lowers the weights of the rows of a mask by their distances to the newest row of the
     * sequence, and measures them from its speculative rows. */
    alcore_status (*measure)(const alcore__draws *draws, const alcore__draw_block *rows, int64_t s,
                             const uint8_t *mask, const alcore_sys_weights *weights);
    /* Keeps what was taken of a row that was found, double [taken_size]; draw 0: the next row,
     * others: speculative ones. */
    void (*store)(alcore__draws *draws, int64_t s, int64_t draw, int64_t place,
                  const double *taken);
    /* All draws are found: takes the rows, sets `wanted` and the positions of draws that need no
     * weights. A sequence whose sampler has no place in found[0] had no row left. */
    alcore_status (*accept)(alcore__run *run, alcore__draws *draws);
    /* Draws the first row that can be drawn, for when none has a weight; nothing where there is
     * none. */
    void (*first)(const alcore__draws *draws, int64_t s, alcore__draw *out);
} alcore__draw_rule;

/* The state while these passes run; a member of the owner's. */
struct alcore__draws {
    const alcore__draw_rule *rule;
    void *owner;                /* the state around it, for the rule */
    const alcore__run *run;     /* borrowed */
    bool weighs;                /* rows are drawn by weight, or will be */
    int64_t count;              /* sequences */
    alcore__sequence *sequence; /* [count] */
    int64_t taken_size;         /* numbers that are taken of a row */
    double *block_weights;      /* [blocks, count] total weight of the rows that can be drawn */
    alcore__device_draws device;
};

/* Makes `count` sequences, whose samplers and generators the owner begins. */
alcore_status alcore__draws_begin(alcore__run *run, const alcore__draw_rule *rule, void *owner,
                                  int64_t count, int64_t taken_size, alcore__draws *draws);
extern const alcore__pass alcore__draw_passes[];
/* ALCORE_E_CORRUPT: what was found, maybe by another process, is no row that was drawn. */
alcore_status alcore__fail_draw(void);

#endif
