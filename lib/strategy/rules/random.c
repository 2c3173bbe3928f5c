/* SPDX-License-Identifier: Apache-2.0 */
/* Random rows: the candidates in the order of a draw without replacement by the generator
 * derive(seed, TAG, round, 0). "random" draws from the pool (spec 4.1); with seed_set=1 it draws
 * the first rows that a loop labels (spec 3.6), by a tag of their own and as in round 1, so that a
 * loop whose later rounds are random too does not repeat the numbers of its seed set. "gold" is
 * DeMuX's upper bound (spec 7.8): its candidates are rows of the target languages, kept in a pool
 * of their own, which a request may have as the target; it has its own tag, so that the draws of
 * the two are independent. Reads no column and makes no pass. */
#include <math.h>

#include "base/rng.h"
#include "strategy/strategies.h"

/* Draws of a shard beside the budget, so that small ones are made once. */
enum { FIRST_RANKS = 64 };

typedef struct random_state {
    bool seed_set; /* the parameter */
} random_state;

/* Makes the first `ranks` draws of the candidates of all shards, `total`, and scores those of the
 * shard by their rank in the draw, from 1 down to 1 / total, so that the runner, which ranks by
 * score, the largest first, buys in the order of the draw. The others get NaN, which is not bought.
 * *cost: of those that were drawn. seed: of the generator. */
static alcore_status draw_ranks(alcore__run *run, uint64_t seed, int64_t total, int64_t ranks,
                                double *cost) {
    const double *costs = run->input->costs;
    const int64_t count = run->outcome.count;
    int64_t *drawn; /* [ranks] numbers among the candidates of all shards, as they are drawn */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, ranks, &drawn));
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    ALCORE__TRY(alcore__rng_sample(run->ctx, &rng, total, ranks, drawn));
    for (int64_t i = 0; ranks < total && i < count; i++) run->outcome.scores[i] = (double)NAN;
    *cost = 0.0;
    for (int64_t i = 0; i < ranks; i++) {
        const int64_t position = drawn[i] - run->input->place.before;
        if (position < 0 || position >= count) continue;
        run->outcome.scores[position] = (double)(total - i) / (double)total;
        *cost += costs ? costs[run->outcome.rows[position]] : 1.0;
    }
    alcore__run_drop(run, 0 /* finish is no part of another function */);
    return ALCORE_OK;
}

/* Draws all candidates; of a shard only as many of those of all shards as its part of the draw
 * takes to cost more than the budget, which no purchase exceeds (a draw of n is the beginning of
 * every longer one). Where a row costs 1 each that is known before. tag: ALCORE__TAG_* of
 * base/rng.h, by which each use of random numbers has a generator of its own; round: from 1. */
static alcore_status draw_all(alcore__run *run, uint64_t tag, int64_t round) {
    const alcore__run_input *input = run->input;
    const bool is_shard = input->place.candidates > 0;
    const int64_t total = is_shard ? input->place.candidates : run->outcome.count;
    const uint64_t seed =
        alcore__rng_derive(input->seed, tag, (uint64_t)round, 0 /* there is one draw a round */);
    int64_t ranks = total;
    double cost = 0.0;
    if (is_shard && input->fill.budget + FIRST_RANKS < (double)total)
        ranks = (int64_t)ceil(input->fill.budget) + FIRST_RANKS;
    ALCORE__TRY(draw_ranks(run, seed, total, ranks, &cost));
    while (input->costs && ranks < total && !(cost > input->fill.budget)) {
        ranks = ranks < total / 4 ? ranks * 4 : total;
        ALCORE__TRY(draw_ranks(run, seed, total, ranks, &cost));
    }
    return ALCORE_OK;
}

/* finish of the two definitions; they make no pass. */
static alcore_status finish_random(alcore__run *run) {
    if (((const random_state *)run->state)->seed_set)
        return draw_all(run, ALCORE__TAG_SEEDSET, 1 /* whatever the round's number */);
    return draw_all(run, ALCORE__TAG_RANDOM, run->input->round);
}

static alcore_status finish_gold(alcore__run *run) {
    return draw_all(run, ALCORE__TAG_GOLD, run->input->round);
}

static const alcore__param random_params[] = {
    {"seed_set", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the seed set of a loop, drawn once and in the same way in every round (HUDS, round 1)",
     ALCORE__MEMBER(ALCORE__TO_STATE, random_state, seed_set)},
};
static const alcore__param_table GOLD_PARAMS = {.rows = NULL, .count = 0}; /* no parameter */

const alcore__strategy_def alcore__strategy_random = {
    .name = "random",
    .summary = "Rows drawn at random without replacement",
    .reason = "drawn at random",
    .in_shards = true,
    .reads_number = true,
    .params = ALCORE__PARAMS(random_params),
    .state_bytes = sizeof(random_state),
    .finish = finish_random,
};

const alcore__strategy_def alcore__strategy_gold = {
    .name = "gold",
    .summary = "Rows of the target languages drawn at random: an upper bound (GOLD of DeMuX)",
    .reason = "drawn at random from the target languages",
    .params = &GOLD_PARAMS,
    .in_shards = true,
    .reads_number = true,
    .picks_from_target = true,
    .finish = finish_gold,
};
