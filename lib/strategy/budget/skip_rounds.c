/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/budget/skip_rounds.h"

#include <math.h>

#include "base/rng.h"
#include "strategy/budget/fill.h"
#include "strategy/budget/rank.h"

bool alcore__spends_in_rounds(const alcore__run_input *input) {
    return input->own.only && input->own.policy == ALCORE__FILL_SKIP && input->costs;
}

static bool is_full(const alcore__skip_rounds *rounds) {
    return !(rounds->spent < rounds->budget);
}

static bool fits(const alcore__skip_rounds *rounds, double cost) {
    return cost > 0.0 && !(rounds->spent + cost > rounds->budget);
}

/* A nominee behind `last` can come next: they are compared as alcore__rank() compares. */
static bool precedes(const alcore__run_input *input, const alcore__nominee *a,
                     const alcore__nominee *b) {
    if (a->key > b->key || a->key < b->key) return a->key > b->key;
    if (input->fill.tie == ALCORE__TIE_RANDOM) {
        const uint64_t left = alcore__rng_derive(input->seed, ALCORE__TAG_TIE, (uint64_t)a->row, 0);
        const uint64_t right =
            alcore__rng_derive(input->seed, ALCORE__TAG_TIE, (uint64_t)b->row, 0);
        if (left != right) return left < right;
    }
    return a->row < b->row;
}

static alcore_status buy(alcore_ctx *ctx, const alcore__nominee *nominee,
                         alcore__skip_rounds *rounds) {
    alcore__nominees *bought = &rounds->bought;
    ALCORE__TRY(alcore__grow(ctx, &bought->entries, &rounds->capacity, (size_t)bought->count + 1,
                             sizeof *bought->entries));
    bought->entries[bought->count++] = *nominee;
    rounds->spent += nominee->cost;
    return ALCORE_OK;
}

alcore_status alcore__skip_begin(alcore__run *run, alcore__skip_rounds *rounds) {
    *rounds = (alcore__skip_rounds){.budget = run->input->fill.budget, .ended = true};
    if (alcore__active_in_all(run, ALCORE__OVER_CANDIDATES) == 0)
        return ALCORE_OK; /* the strategy has not begun */
    ALCORE__TRY(run->def->finish(run));
    for (int64_t i = 0; run->offered && i < run->offered->count; i++)
        ALCORE__TRY(buy(run->ctx, &run->offered->entries[i], rounds));
    rounds->ended = is_full(rounds) || (run->offered && run->offered_last);
    return ALCORE_OK;
}

void alcore__skip_restart(const alcore__run *run, alcore__skip_rounds *rounds) {
    alcore__skip_clear(run->ctx, rounds);
    rounds->budget = run->input->fill.budget;
    rounds->ended = is_full(rounds);
}

void alcore__skip_bought(const alcore__run *run, alcore__skip_rounds *rounds,
                         alcore__nominees *out) {
    *out = rounds->bought;
    rounds->bought = (alcore__nominees){0};
    rounds->capacity = 0;
    out->offered = out->count;
    out->unaffordable =
        run->offered && run->offered_last ? run->offered_skips : alcore__unbought_in_all(run, out);
}

/* ---- the nominees of a shard ---- */

static alcore__nominee nominee_of(const alcore__run *run, int64_t position) {
    const int64_t row = alcore__candidate_row(run, position);
    const double *keys = run->keys ? run->keys : run->outcome.scores;
    return (alcore__nominee){.row = row,
                             .key = keys[position],
                             .score = run->outcome.scores[position],
                             .cost = run->input->costs[row]};
}

/* *out [candidates], on the run's stack: their keys, NaN for those that cannot come next. */
static alcore_status list_keys(alcore__run *run, const alcore__skip_rounds *rounds, double **out) {
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, out));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        const alcore__nominee next = nominee_of(run, i);
        const bool is_next =
            fits(rounds, next.cost) && (!rounds->any || precedes(run->input, &rounds->last, &next));
        (*out)[i] = is_next ? next.key : (double)NAN;
    }
    return ALCORE_OK;
}

/* As many are ranked as will probably do; while these cost too little, four times as many. */
alcore_status alcore__skip_nominate(alcore__run *run, const alcore__skip_rounds *rounds,
                                    alcore__nominees *out) {
    const size_t height = alcore__run_height(run);
    const int64_t count = run->outcome.count;
    const double left = rounds->budget - rounds->spent;
    const double expected = alcore__expected_picks(run) + 64.0;
    int64_t ranked = expected < (double)count ? (int64_t)expected : count, taken = 0, *order;
    const int64_t *rows;
    double *keys, cost = 0.0;
    *out = (alcore__nominees){0};
    ALCORE__TRY(list_keys(run, rounds, &keys));
    ALCORE__TRY(alcore__rows_of_ties(run, &rows));
    const size_t above = alcore__run_height(run);
    for (;;) {
        ALCORE__TRY(ALCORE__RUN_PUSH(run, ranked, &order));
        ALCORE__TRY(alcore__rank(run->ctx, keys, rows, count, run->input->fill.tie,
                                 run->input->seed, ranked, order));
        while (taken < ranked && cost < left && !isnan(keys[order[taken]]))
            cost += run->input->costs[alcore__candidate_row(run, order[taken++])];
        if (taken < ranked || ranked == count || !(cost < left)) break;
        alcore__run_drop(run, above);
        ranked = ranked < count / 4 ? ranked * 4 : count;
    }
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)taken, sizeof *out->entries, &out->entries));
    for (; out->count < taken; out->count++)
        out->entries[out->count] = nominee_of(run, order[out->count]);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* ---- the nominees of all ---- */

/* A nominee among those of all shards. */
typedef struct placed {
    double key;
    uint64_t drawn;
    alcore__nominee nominee;
    bool is_end; /* the last one of a shard that may have more */
} placed;

/* For alcore__sort(): as precedes(). */
static int by_rank(const void *left, const void *right) {
    const placed *a = left, *b = right;
    if (a->key > b->key || a->key < b->key) return a->key > b->key ? -1 : 1;
    if (a->drawn != b->drawn) return a->drawn < b->drawn ? -1 : 1;
    return (a->nominee.row > b->nominee.row) - (a->nominee.row < b->nominee.row);
}

static alcore_status fail_nominee(const alcore__nominee *nominee) {
    return alcore__fail(ALCORE_E_CORRUPT, "row %lld is nominated and cannot be bought next",
                        (long long)nominee->row);
}

/* Copies those of one shard, first .. end - 1. */
static alcore_status place_shard(const alcore__run_input *input, const alcore__nominee *nominees,
                                 int64_t first, int64_t end, const alcore__skip_rounds *rounds,
                                 placed *out) {
    const double left = rounds->budget - rounds->spent;
    double cost = 0.0;
    for (int64_t i = first; i < end; i++) {
        const alcore__nominee *one = &nominees[i];
        if (!fits(rounds, one->cost) || (rounds->any && !precedes(input, &rounds->last, one)) ||
            (i > first && !precedes(input, &nominees[i - 1], one)))
            return fail_nominee(one);
        out[i] = (placed){.key = one->key, .nominee = *one};
        if (input->fill.tie == ALCORE__TIE_RANDOM)
            out[i].drawn = alcore__rng_derive(input->seed, ALCORE__TAG_TIE, (uint64_t)one->row, 0);
        cost += one->cost;
        out[i].is_end = i == end - 1 && !(cost < left);
    }
    return ALCORE_OK;
}

/* Buys of all [count], ascending. */
static alcore_status buy_all(alcore_ctx *ctx, const placed *all, int64_t count,
                             alcore__skip_rounds *rounds) {
    rounds->ended = true; /* unless a shard may have more */
    for (int64_t i = 0; i < count && !is_full(rounds); i++) {
        if (fits(rounds, all[i].nominee.cost)) ALCORE__TRY(buy(ctx, &all[i].nominee, rounds));
        if (!all[i].is_end) continue;
        rounds->last = all[i].nominee;
        rounds->any = true;
        rounds->ended = is_full(rounds);
        return ALCORE_OK;
    }
    return ALCORE_OK;
}

alcore_status alcore__skip_take(const alcore__run *run, const alcore__nominees *nominees,
                                const int64_t *ends, int64_t shards, alcore__skip_rounds *rounds) {
    alcore_ctx *ctx = run->ctx;
    const size_t count = (size_t)nominees->count;
    alcore_status status = ALCORE_OK;
    placed *all;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *all, &all));
    for (int64_t s = 0; s < shards && status == ALCORE_OK; s++)
        status = place_shard(run->input, nominees->entries, s > 0 ? ends[s - 1] : 0, ends[s],
                             rounds, all);
    if (status == ALCORE_OK) status = alcore__sort(ctx, all, count, sizeof *all, by_rank);
    if (status == ALCORE_OK) status = buy_all(ctx, all, nominees->count, rounds);
    alcore__free(ctx, all);
    return status;
}

void alcore__skip_clear(alcore_ctx *ctx, alcore__skip_rounds *rounds) {
    alcore__nominees_clear(ctx, &rounds->bought);
    *rounds = (alcore__skip_rounds){0};
}
