/* SPDX-License-Identifier: Apache-2.0 */
/* Spending a budget (docs/spec/budgets.md). Candidates are offered one after another, best first;
 * each is bought, or passed over because it costs nothing, because its cosine with a pick exceeds
 * max_similarity, or because it does not fit. With B the budget and S what is spent so far:
 *
 *   overshoot  buys while S < B; the last pick may exceed B
 *   stop       ends at the first candidate with S + cost > B
 *   skip       passes over candidates with S + cost > B
 *
 * A candidate is named by its position among all candidates; outcome.rows has its pool row. Costs
 * are by pool row, in the unit of the budget; a request without costs counts rows. Keys order the
 * candidates, the largest first. The run's own budget, run->input->fill.budget, is the largest of
 * the request; the others, fill.further [further_count], in the order of the request, are spent
 * afterwards from the same order of candidates.
 *
 * Only the rows that are offered before the budget is full are put in order. Cost without the
 * similarity limit: one partial ranking of the candidates; with it one product of each offered row
 * with every pick. */
#include "strategy/budget/fill.h"

#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"

/* Relative to the budget: above n 2^-53, the rounding of a sum of n costs, for n = 2^33 picks. */
static const double ROUNDING = 0x1p-20;

/* A filler that has bought nothing, under the run's own budget, the largest of the request. */
static alcore__filler empty_filler(alcore__run *run) {
    return (alcore__filler){.run = run, .bought = {.budget = run->input->fill.budget}};
}

/* Frees all arrays and zeroes the filler: when the run is freed, and before that when its picks
 * were moved into a purchase; a second call finds nothing to free. */
static void clear(const alcore__run *run, void *object) {
    alcore__filler *filler = object;
    alcore__free(run->ctx, filler->bought.picks);
    alcore__vectors_free(run, &filler->pick_vectors);
    alcore__free(run->ctx, filler->pick_norms);
    alcore__free(run->ctx, filler->offers);
    memset(filler, 0, sizeof *filler);
}

alcore_status alcore__filler_begin(alcore__filler *filler, alcore__run *run) {
    *filler = empty_filler(run);
    return alcore__run_defer(run, clear, filler);
}

bool alcore__filler_full(const alcore__filler *filler) {
    return filler->stopped || !(filler->bought.spent < filler->bought.budget);
}

double alcore__filler_cost(const alcore__filler *filler, int64_t position) {
    const alcore__run *run = filler->run;
    if (filler->costs) return filler->costs[position];
    return run->input->costs ? run->input->costs[alcore__candidate_row(run, position)] : 1.0;
}

/* With overshoot and stop any row of positive cost passes, as these decide when the row is offered.
 */
bool alcore__filler_fits(const alcore__filler *filler, int64_t position) {
    return alcore__filler_fits_cost(filler, alcore__filler_cost(filler, position));
}

bool alcore__filler_fits_cost(const alcore__filler *filler, double cost) {
    if (!(cost > 0.0)) return false;
    return filler->run->input->fill.policy != ALCORE__FILL_SKIP ||
           !(filler->bought.spent + cost > filler->bought.budget);
}

/* Compares the candidate at a position with every pick: *redundant is whether its cosine with one
 * of them exceeds max_similarity. Its vector and norm are written behind those of the picks, as
 * entry `count` of pick_vectors [count + 1, dims] and pick_norms [count + 1]: they are those of the
 * next pick if the row is bought, and are overwritten by the next offer if not. The last dot
 * product is that of the row with itself. A zero vector has the cosine 0 with every other (spec
 * 1.5). The column is there, as a run with a similarity limit checks that before it begins
 * (input_check.c). On a device the dot products alone are copied to the host. */
static alcore_status compare(alcore__filler *filler, int64_t position, bool *redundant) {
    alcore__run *run = filler->run;
    const alcore__column *column = alcore__dataset_find(&run->input->candidates, "embeddings");
    const int64_t count = filler->bought.pick_count, row = alcore__candidate_row(run, position);
    double *dots; /* [count + 1] */
    ALCORE__TRY(
        alcore__vectors_reserve(run, &filler->pick_vectors, count + 1, column->dims, count));
    ALCORE__TRY(alcore__grow(run->ctx, &filler->pick_norms, &filler->pick_norms_capacity,
                             (size_t)count + 1, sizeof(double)));
    ALCORE__TRY(alcore__vectors_read(run, &filler->pick_vectors, column, row, count));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count + 1, &dots));
    ALCORE__TRY(alcore__vectors_dots(run, &filler->pick_vectors, count + 1, count, dots));
    /* The check fails where a value is NaN or infinite. A finite vector whose square overflows
     * passes: its cosines are 0 or NaN, and NaN exceeds no limit. */
    const double norm = sqrt(dots[count]);
    filler->pick_norms[count] = norm;
    if (!isfinite(norm)) ALCORE__TRY(alcore__vectors_check(run, &filler->pick_vectors, count, row));
    *redundant = false;
    for (int64_t i = 0; i < count; i++) {
        double cosine = alcore__cosine(dots[i], norm, filler->pick_norms[i]);
        if (cosine > run->input->fill.max_similarity) *redundant = true;
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Records a candidate that the strategy has offered or passed over, where further budgets replay
 * these; refusal: 0 where it is offered, or ALCORE__REFUSED_*. */
static alcore_status record_offer(alcore__filler *filler, int64_t position, int32_t refusal) {
    const alcore__run *run = filler->run;
    if (run->input->fill.further_count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(run->ctx, &filler->offers, &filler->offer_capacity,
                             (size_t)filler->offer_count + 1, sizeof *filler->offers));
    filler->offers[filler->offer_count++] = (alcore__offer){position, refusal};
    return ALCORE_OK;
}

/* Strategies do not change the filler's counts themselves: those of a smaller budget, which
 * replay() makes, would lack these rows. */
alcore_status alcore__filler_pass_over(alcore__filler *filler, int64_t position, int32_t refusal) {
    ALCORE__TRY(record_offer(filler, position, refusal));
    filler->bought.redundant += refusal == ALCORE__REFUSED_SIMILAR;
    filler->bought.unaffordable += refusal == ALCORE__REFUSED_UNAFFORDABLE;
    filler->bought.free_rows += refusal == ALCORE__REFUSED_FREE;
    return ALCORE_OK;
}

/* The order of the tests is part of the contract (docs/spec/budgets.md), as each counts its
 * refusals: cost 0, then the similarity limit, then the budget. */
alcore_status alcore__filler_offer(alcore__filler *filler, int64_t position, bool *bought) {
    alcore__run *run = filler->run;
    *bought = false;
    ALCORE__TRY(record_offer(filler, position, 0));
    double cost = alcore__filler_cost(filler, position);
    if (!(cost > 0.0)) {
        filler->bought.free_rows++;
        return ALCORE_OK;
    }
    if (run->input->fill.limited) {
        bool redundant;
        ALCORE__TRY(compare(filler, position, &redundant));
        if (redundant) {
            filler->bought.redundant++;
            return ALCORE_OK;
        }
    }
    bool fits = !(filler->bought.spent + cost > filler->bought.budget);
    if (!fits && run->input->fill.policy == ALCORE__FILL_STOP) {
        filler->stopped = true;
        return ALCORE_OK;
    }
    if (!fits && run->input->fill.policy == ALCORE__FILL_SKIP) {
        filler->bought.unaffordable++;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__grow(run->ctx, &filler->bought.picks, &filler->capacity,
                             (size_t)filler->bought.pick_count + 1, sizeof *filler->bought.picks));
    filler->bought.picks[filler->bought.pick_count++] = position;
    filler->bought.spent += cost;
    *bought = true;
    return ALCORE_OK;
}

alcore_status alcore__filler_offer_all(alcore__filler *filler, const int64_t *positions,
                                       int64_t count) {
    for (int64_t i = 0; i < count && !alcore__filler_full(filler); i++) {
        bool bought; /* the filler keeps what it bought */
        ALCORE__TRY(alcore__filler_offer(filler, positions[i], &bought));
        ALCORE__TRY(alcore__tick(filler->run->ctx, "filling the budget", i, count));
    }
    return ALCORE_OK;
}

/* Moves the picks and counts of a filler into a purchase, whose explanation is empty, and clears
 * the filler. The purchase is SHORT when the rows that were offered ended before the budget was
 * spent and none was passed over because it did not fit (fill=skip). Those are all candidates, or
 * fewer where the strategy offers only some of them (the counts of a plan, the neighbors of a
 * target). */
static void close_purchase(alcore__filler *filler, alcore__purchase *purchase) {
    bool enough = alcore__filler_full(filler) || filler->bought.unaffordable > 0;
    *purchase = filler->bought;
    purchase->flags = enough ? 0 : ALCORE_SELECTION_SHORT;
    filler->bought.picks = NULL;
    clear(filler->run, filler);
}

/* Sets run->picked, by which alcore__spend() recognizes a strategy that has bought its picks
 * itself. */
void alcore__filler_finish(alcore__filler *filler) {
    alcore__run *run = filler->run;
    run->outcome.offers = filler->offers;
    run->outcome.offer_count = filler->offer_count;
    run->picked = true;
    filler->offers = NULL;
    close_purchase(filler, &run->outcome.bought);
}

/* Number of rows that a budget buys at the mean cost of `count` rows, which cost `total` together,
 * rounded up, from 0 to their number, which it is where every one costs 0. */
static double picks_of(const alcore__run *run, double budget, int64_t count, double total) {
    double mean = run->input->costs && count ? total / (double)count : 1.0;
    double picks = mean > 0.0 ? ceil(budget / mean) : (double)count;
    return picks < (double)count ? (picks > 0.0 ? picks : 0.0) : (double)count;
}

/* The same of the candidates that the run lists. */
static double expected_picks(const alcore__run *run, double budget) {
    double total = 0.0;
    int64_t count = run->outcome.count;
    for (int64_t i = 0; run->input->costs && i < count; i++)
        total += run->input->costs[alcore__candidate_row(run, i)];
    return picks_of(run, budget, count, total);
}

double alcore__expected_picks(const alcore__run *run) {
    const alcore__own_rows *own = &run->input->own;
    const double budget = run->input->fill.budget;
    if (own->only) return picks_of(run, budget, own->candidates, own->cost);
    return expected_picks(run, budget);
}

double alcore__nominees_budget(const alcore__run *run) {
    const double budget = run->input->fill.budget;
    const bool nominates = run->def->in_shards || alcore__lists_own(run);
    return nominates && run->input->costs ? budget * (1.0 + ROUNDING) : budget;
}

alcore_status alcore__rows_of_ties(const alcore__run *run, const int64_t **out) {
    const int64_t first_row = run->input->place.first_row;
    int64_t *rows;
    *out = run->outcome.rows;
    if ((first_row == 0 && *out) || run->input->fill.tie != ALCORE__TIE_RANDOM) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &rows));
    for (int64_t i = 0; i < run->outcome.count; i++)
        rows[i] = alcore__candidate_row(run, i) + first_row;
    *out = rows;
    return ALCORE_OK;
}

/* Offers candidates in the order of keys [candidates], the largest first, until the filler is full,
 * no candidate is left, or the next one has a key that is `bound` or less, or NaN (not known); that
 * one is not offered. bound NaN: every key that is known is offered. alcore__rank() puts NaN last,
 * so no known key follows one that is not. */
static alcore_status offer_ranked(alcore__filler *filler, const double *keys, double bound) {
    const alcore__run *run = filler->run;
    const alcore__run_input *input = run->input;
    const size_t height = alcore__run_height(run);
    int64_t count = run->outcome.count, done = 0, *order;
    /* Only the beginning of the order is made: as many candidates as the budget is expected to buy
     * and 64 more. Where these were too few, four times as many are ordered and the loop continues
     * at `done`, the number of candidates looked at so far, as the longer order begins with the
     * shorter one. order [ordered]: positions, by rank. */
    double expected = expected_picks(run, filler->bought.budget) + 64.0;
    int64_t ordered = expected < (double)count ? (int64_t)expected : count;
    bool ended = false;
    const int64_t *rows;
    ALCORE__TRY(alcore__rows_of_ties(run, &rows));
    const size_t above = alcore__run_height(run);
    while (done < count && !ended && !alcore__filler_full(filler)) {
        ALCORE__TRY(ALCORE__RUN_PUSH(run, ordered, &order));
        ALCORE__TRY(alcore__rank(run->ctx, keys, rows, count, input->fill.tie, input->seed, ordered,
                                 order));
        for (; done < ordered && !alcore__filler_full(filler); done++) {
            bool bought; /* the filler keeps what it bought */
            double key = keys[order[done]];
            ended = isnan(key) || key <= bound;
            if (ended) break;
            ALCORE__TRY(alcore__filler_offer(filler, order[done], &bought));
            ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", done, count));
        }
        alcore__run_drop(run, above);
        ordered = ordered < count / 4 ? ordered * 4 : count;
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

alcore_status alcore__fill_by(alcore__run *run, const double *keys, alcore__purchase *purchase) {
    alcore__filler filler = empty_filler(run);
    filler.bought.budget = purchase->budget;
    const double bound = run->outcome.positive ? 0.0 : (double)NAN; /* NaN: none */
    alcore_status status = offer_ranked(&filler, keys, bound);
    if (status == ALCORE_OK) close_purchase(&filler, purchase);
    clear(run, &filler); /* of a failure; a purchase has emptied it */
    return status;
}

/* Each budget is tried with a filler of its own, as with fill=skip a smaller one may look at more
 * candidates than a larger one. i: number of a further budget; -1: the largest. */
alcore_status alcore__fill_ends_above(alcore__run *run, const double *keys, double bound,
                                      bool *out) {
    const alcore__fill *fill = &run->input->fill;
    *out = true;
    for (int32_t i = -1; i < fill->further_count && *out; i++) {
        alcore__filler filler = empty_filler(run);
        if (i >= 0) filler.bought.budget = fill->further[i];
        alcore_status status = offer_ranked(&filler, keys, bound);
        *out = alcore__filler_full(&filler);
        clear(run, &filler);
        ALCORE__TRY(status);
    }
    return ALCORE_OK;
}

alcore_status alcore__fill_ranked(alcore__run *run, const double *keys) {
    run->outcome.bought.budget = run->input->fill.budget;
    return alcore__fill_by(run, keys, &run->outcome.bought);
}

/* Buys under a further budget for a strategy that offers its picks itself: offers the candidates
 * that it offered under the largest budget, outcome->offers, in the same order, and passes over
 * those that it passed over, until the budget is spent. That is exact with fill=overshoot and
 * fill=stop: which candidate the strategy offers next depends on what was bought and never on how
 * much of the budget is left, so that a smaller budget buys a prefix. With fill=skip spend.c runs
 * it again. */
static alcore_status replay(alcore__run *run, alcore__purchase *purchase) {
    const alcore__outcome *outcome = &run->outcome;
    alcore__filler filler = empty_filler(run);
    filler.bought.budget = purchase->budget;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0;
         i < outcome->offer_count && !alcore__filler_full(&filler) && status == ALCORE_OK; i++) {
        const alcore__offer *offer = &outcome->offers[i];
        bool bought; /* the filler keeps what it bought */
        status = offer->refusal ? alcore__filler_pass_over(&filler, offer->position, offer->refusal)
                                : alcore__filler_offer(&filler, offer->position, &bought);
        if (status == ALCORE_OK)
            status = alcore__tick(run->ctx, "filling the budget", i, outcome->offer_count);
    }
    if (status == ALCORE_OK) close_purchase(&filler, purchase);
    clear(run, &filler); /* of a failure; a purchase has emptied it */
    return status;
}

/* With fill=skip, and where a strategy that offers one by one chooses otherwise under another
 * budget, spend.c runs the strategy again instead. */
alcore_status alcore__fill_further(alcore__run *run, const double *keys) {
    const alcore__fill *fill = &run->input->fill;
    alcore__outcome *outcome = &run->outcome;
    if (fill->further_count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)fill->further_count, sizeof *outcome->further,
                                  &outcome->further));
    for (; outcome->further_count < fill->further_count; outcome->further_count++) {
        alcore__purchase *purchase = &outcome->further[outcome->further_count];
        purchase->budget = fill->further[outcome->further_count];
        ALCORE__TRY(keys ? alcore__fill_by(run, keys, purchase) : replay(run, purchase));
    }
    return ALCORE_OK;
}
