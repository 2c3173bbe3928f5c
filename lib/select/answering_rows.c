/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of an answer: which take part by the masks, what each candidate costs, and which are
 * drawn where the strategy has candidates=N; with sticky=1 these are kept for the next round (spec
 * 3.7). */
#include <math.h>
#include <string.h>

#include "select/answering.h"

/* Makes costs [rows], the cost of every candidate in the unit of the budget: its words, its
 * characters, or its entry in the cost column; 0 for other rows. All budgets have one unit, that of
 * the first, which check_request() has found. Those of items leave costs NULL: every row costs 1.
 * Fails for a candidate without an entry in the cost column (NaN). */
static alcore_status make_costs(alcore__answering *self) {
    const alcore_pool *pool = self->request->candidates;
    int32_t unit = self->request->budgets.unit;
    if (unit == ALCORE_UNIT_ITEMS) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof(double), &self->costs));
    for (int64_t i = 0; i < self->masks.rows; i++) {
        if (i % 1024 == 0) ALCORE__TRY(alcore__tick(self->ctx, "costs", i, self->masks.rows));
        if (!self->masks.candidate_mask[i]) continue;
        double cost = unit == ALCORE_UNIT_WORDS        ? (double)alcore_pool_words(pool, i)
                      : unit == ALCORE_UNIT_CHARACTERS ? (double)alcore__pool_characters(pool, i)
                                                       : alcore_pool_cost(pool, i);
        if (isnan(cost)) {
            char buffer[24]; /* for the id of a row without one: its number */
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld (id %s) has no cost, and the budget is in units of the "
                                "cost column",
                                (long long)i, alcore__pool_id(pool, i, buffer));
        }
        self->costs[i] = cost;
    }
    return ALCORE_OK;
}

alcore_status alcore__answering_copy_previous(const alcore__answering *self, uint8_t **out) {
    const alcore__drawn *drawn = alcore__drawn_before(self->request);
    const int64_t rows = drawn->rows < self->masks.rows ? drawn->rows : self->masks.rows;
    *out = NULL;
    if (drawn->round == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof **out, out));
    if (rows > 0) memcpy(*out, drawn->mask, (size_t)rows);
    return ALCORE_OK;
}

/* With sticky=1, copies the candidates of this round to self->drawn for the next one (spec 3.7);
 * without, self->drawn stays NULL and nothing is remembered. */
static alcore_status copy_drawn(alcore__answering *self) {
    if (!alcore__strategy_is_sticky(self->strategy)) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof *self->drawn, &self->drawn));
    if (self->masks.rows > 0)
        memcpy(self->drawn, self->masks.candidate_mask, (size_t)self->masks.rows);
    return ALCORE_OK;
}

/* Strategies that buy phrases have no parameter sticky, so self->request is the caller's here and
 * never `derived`, which would free the masks that it shares with the caller's request. */
void alcore__answering_keep_drawn(alcore__answering *self) {
    if (!self->drawn) return;
    if (self->shard)
        self->shard->drawn = self->drawn;
    else
        alcore__keep_drawn(self->request, self->masks.rows, self->drawn);
    self->drawn = NULL;
}

/* Applies candidates=N to the mask of the candidates and copies what it draws for sticky=1. For
 * sticky=1 the draw starts from the candidates of the latest earlier round that was answered,
 * previous [rows] (NULL: there is none; without sticky=1 it is not looked at); rows that were added
 * since stay 0, as they were no candidates then. alcore__strategy_draw() clears the entries of
 * candidate_mask that are not drawn; all stay where candidates=N is not set. Only after the run is
 * it known that the round was answered, so what is drawn is remembered later. */
static alcore_status draw_candidates(alcore__answering *self) {
    uint8_t *previous;
    ALCORE__TRY(alcore__answering_copy_previous(self, &previous));
    alcore_status status = alcore__strategy_draw(
        self->strategy, self->input.seed, self->input.round, &self->input.place, self->masks.rows,
        previous, self->masks.candidate_mask);
    alcore__free(self->ctx, previous);
    if (status != ALCORE_OK) return status;
    return copy_drawn(self);
}

/* masks.texts: what the provenance tells of the texts of derived phrases. */
alcore_status alcore__answering_make_masks(alcore__answering *self) {
    const alcore_request *request = self->request;
    const bool only_count = self->shard && self->shard->wanted <= ALCORE__SHARD_COUNT;
    ALCORE__TRY(alcore__request_read_pools(request));
    alcore_status status =
        alcore__masks_new(request, request->target, alcore__strategy_is_recommended(self->strategy),
                          alcore__strategy_def_of(self->strategy)->reads_tokens,
                          self->shard ? &self->shard->masked : NULL, &self->masks);
    self->masks.texts = self->texts;
    if (status == ALCORE_OK && !only_count) status = make_costs(self);
    const bool any = self->masks.eligible > 0 || (self->shard && self->shard->place.candidates > 0);
    if (status == ALCORE_OK && !only_count && any) status = draw_candidates(self);
    alcore__request_leave_pools(request);
    return status;
}

/* A pool of numbers or keys, which stand for rows whose values are in columns, has no text to
 * choose by. In a later round the selection is SHORT, as it is when a pool has been bought. */
alcore_status alcore__answering_check_words(const alcore__answering *self,
                                            const alcore__masks *masks) {
    if (masks->eligible > 0 || masks->by_cause[ALCORE__CAUSE_WORDLESS] == 0 ||
        masks->by_cause[ALCORE__CAUSE_LABELED] > 0 || masks->by_cause[ALCORE__CAUSE_KNOWN] > 0 ||
        masks->by_cause[ALCORE__CAUSE_EXCLUDED] > 0 ||
        masks->by_cause[ALCORE__CAUSE_FILTERED] > 0 ||
        masks->by_cause[ALCORE__CAUSE_INELIGIBLE] > 0 ||
        !alcore__strategy_is_recommended(self->strategy) ||
        strcmp(self->request->options.masks, "auto") != 0)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "the candidates have no texts of words, which the recommended strategy %s "
                        "reads: name a strategy, such as kcenter for embeddings, uncertainty for "
                        "scores or huds for both; the option masks=none keeps such texts",
                        alcore__strategy_name(self->strategy));
}

bool alcore__answering_has_candidate(const alcore__answering *self) {
    bool any = false;
    for (int64_t row = 0; row < self->masks.rows && !any; row++)
        any = self->masks.candidate_mask[row];
    return any;
}
