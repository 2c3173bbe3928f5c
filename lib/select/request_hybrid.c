/* SPDX-License-Identifier: Apache-2.0 */
/* Answering a request whose strategy is a hybrid: sentences and phrases under one budget (spec 5.8;
 * Hu and Neubig 2021, Algorithm 2). With B the budget, in whatever unit it is:
 *
 *   B_s = floor(ratio B + 1e-9)   is spent on rows S, by the strategy `sentences`
 *   B_p = B - B_s                 is spent on phrases of the texts without S, by the strategy
 *                                 `phrases`; with carry=1 it is B minus what S costs, at least 0
 *
 * With cover=1 the rows of S count as labeled, so that no phrase of them is bought; else they are
 * left out. Each part is a copy of the request with a strategy and budgets of its own. The rows of
 * all budgets are bought in one run. Phrases are derived anew for each budget, as the texts without
 * S differ; with several budgets from one index, in which the rows of S only change what they count
 * as (alcore__phrase_counter). */
#include <math.h>
#include <string.h>

#include "select/select_internal.h"

/* The state of one call. */
typedef struct hybrid {
    alcore_request *request; /* of the caller, locked for writing */
    alcore_ctx *ctx;
    alcore_strategy *parts[ALCORE__PARTS]; /* borrowed from the request's strategy */
    alcore__hybrid_shares shares;
    alcore_selection *sentences; /* what the first budget of `split` bought, which owns those of the
                                    others; one reference */
    alcore__budgets split;       /* B_s of the request's budgets, each amount once */
} hybrid;

/* B_s of a budget B. 1e-9 keeps a product that rounding made slightly less than an integer. */
static double share_of_sentences(const hybrid *self, double budget) {
    return floor(self->shares.ratio * budget + 1e-9);
}

/* Whether an amount is among those of `split` already: two budgets may have the same share, but no
 * request may have an amount twice, as what a budget bought is found by its amount. */
static bool is_split(const hybrid *self, double amount) {
    for (int64_t i = 0; i < self->split.count; i++)
        if (self->split.amounts[i] == amount) return true;
    return false;
}

/* Sets self->split to the shares of the sentences, and *out to a copy of the request with the
 * part's strategy and these budgets. */
static void split_budgets(hybrid *self, alcore_request *out) {
    const alcore__budgets *budgets = &self->request->budgets;
    self->split = (alcore__budgets){.unit = budgets->unit};
    for (int64_t i = 0; i < budgets->count; i++) {
        const double share = share_of_sentences(self, budgets->amounts[i]);
        if (!is_split(self, share)) self->split.amounts[self->split.count++] = share;
    }
    *out = *self->request;
    out->strategy = self->parts[ALCORE__SENTENCES];
    out->budgets = self->split;
}

/* Buys the sentences of all budgets, self->sentences. An answer may free the masks of `last` and
 * `previous` and set others (sticky=1), so both are copied back; a failure leaves them as they
 * were. */
static alcore_status buy_sentences(hybrid *self) {
    alcore_request part;
    split_budgets(self, &part);
    const alcore_status status = alcore__request_answer(&part, &self->sentences);
    self->request->last = part.last;
    self->request->previous = part.previous;
    return status;
}

/* The sentences that a budget of the request buys: a view of self->sentences. */
static alcore_selection *sentences_of(const hybrid *self, double budget) {
    const double share = share_of_sentences(self, budget);
    for (int64_t i = 0; i < alcore_selection_budget_count(self->sentences); i++) {
        alcore_selection *one = alcore_selection_of_budget(self->sentences, i);
        if (alcore_selection_budget(one) == share) return one;
    }
    return NULL; /* not reached: every share is in the split */
}

/* *out: a list of rows of the request with the picks of a selection behind it, both rows of the
 * candidates' pool. It counts as set by the caller (given), as without picks and rows it says that
 * nothing is labeled or excluded. The caller frees out->rows, also after a failure. A row may be in
 * a list twice. */
static alcore_status add_picks(const hybrid *self, const alcore__row_list *list,
                               const alcore_selection *picks, alcore__row_list *out) {
    const int64_t more = alcore_selection_count(picks);
    *out = (alcore__row_list){.given = true, .count = list->count + more};
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)out->count, sizeof *out->rows, &out->rows));
    if (list->count > 0) memcpy(out->rows, list->rows, (size_t)list->count * sizeof *out->rows);
    if (more > 0)
        memcpy(out->rows + list->count, alcore_selection_rows(picks),
               (size_t)more * sizeof *out->rows);
    return ALCORE_OK;
}

/* Buys the phrases of one budget, after its sentences: *out, a reference of the caller. The part is
 * a copy of the request in which the sentences are labeled (cover=1) or excluded; only that list of
 * rows is the copy's own and freed here. The target is for the sentences only. Strategies that buy
 * phrases have no parameter sticky, so `last` and `previous` are not replaced. */
static alcore_status buy_phrases(const hybrid *self, double budget,
                                 const alcore_selection *sentences, alcore_selection **out) {
    const int32_t kind = self->shares.cover ? ALCORE_ROWS_LABELED : ALCORE_ROWS_EXCLUDED;
    const double left = budget - (self->shares.carry ? alcore_selection_spent(sentences)
                                                     : share_of_sentences(self, budget));
    alcore_request part = *self->request;
    part.strategy = self->parts[ALCORE__PHRASES];
    part.target = NULL;
    part.budgets.count = 1;
    part.budgets.amounts[0] = fmax(left, 0);
    alcore_status status = add_picks(self, &self->request->lists[alcore__list_place(kind)],
                                     sentences, &part.lists[alcore__list_place(kind)]);
    if (status == ALCORE_OK) status = alcore__request_answer(&part, out);
    alcore__free(self->ctx, part.lists[alcore__list_place(kind)].rows);
    return status;
}

/* Answers one budget of the request: *out is the selection of both parts, which has a reference to
 * each, so the one to the phrases is released here. */
static alcore_status answer_budget(const hybrid *self, double budget, alcore_selection **out) {
    alcore_selection *parts[ALCORE__PARTS] = {sentences_of(self, budget), NULL};
    ALCORE__TRY(buy_phrases(self, budget, parts[ALCORE__SENTENCES], &parts[ALCORE__PHRASES]));
    const alcore_status status = alcore__selection_join(self->request, parts, budget, out);
    alcore_selection_unref(parts[ALCORE__PHRASES]);
    return status;
}

/* Answers every budget of the request, in their order, once the sentences were bought: *out is the
 * selection of the first one, which owns the others as siblings. There is one at least: without any
 * buy_sentences() fails, as alcore__request_answer() refuses a request that has none. With several
 * budgets the phrases of all of them are derived with one counter, `own` unless an outer call or
 * the request itself has one; after the last budget the counter from before is put back.
 * sibling_count grows with each success, so that a failure releases what was made. */
static alcore_status answer_budgets(const hybrid *self, alcore_selection **out) {
    const alcore__budgets *budgets = &self->request->budgets;
    alcore__phrase_counter own = {0};
    alcore_selection *first = NULL;
    alcore__phrase_counter *const before =
        alcore__request_share_phrases(self->request, budgets->count > 1 ? &own : NULL);
    alcore_status status = answer_budget(self, budgets->amounts[0], &first);
    if (status == ALCORE_OK && budgets->count > 1)
        status = alcore__new_array(self->ctx, (size_t)budgets->count - 1, sizeof *first->siblings,
                                   &first->siblings);
    for (int64_t i = 1; i < budgets->count && status == ALCORE_OK; i++) {
        status = answer_budget(self, budgets->amounts[i], &first->siblings[first->sibling_count]);
        if (status == ALCORE_OK) first->sibling_count++;
    }
    self->request->counter = before;
    alcore__phrase_counter_clear(self->ctx, &own);
    return alcore__object_made(status, first, out);
}

static hybrid begin(alcore_request *request) {
    hybrid self = {.request = request, .ctx = request->object.ctx};
    alcore__strategy_shares(request->strategy, &self.shares);
    for (int32_t i = 0; i < ALCORE__PARTS; i++)
        self.parts[i] = alcore__strategy_part(request->strategy, i);
    return self;
}

alcore_status alcore__request_answer_hybrid(alcore_request *request, alcore_selection **out) {
    hybrid self = begin(request);
    bool are_phrases;
    ALCORE__TRY(alcore__candidates_are_phrases(request, &are_phrases));
    if (are_phrases)
        return alcore__fail(ALCORE_E_INVALID,
                            "strategy %s buys rows and phrases: its candidates "
                            "are texts, not phrases",
                            alcore__strategy_name(request->strategy));
    alcore_status status = buy_sentences(&self);
    if (status == ALCORE_OK) status = answer_budgets(&self, out);
    alcore_selection_unref(self.sentences);
    return status;
}

/* ---- over shards ---- */

void alcore__hybrid_sentences(alcore_request *request, alcore_request *out) {
    hybrid self = begin(request);
    split_budgets(&self, out);
}

/* Makes self->sentences from the outcome of their strategy. Without a candidate no column is told
 * of. */
static alcore_status take_sentences(hybrid *self, const double *costs,
                                    const alcore__resolution *columns, alcore__outcome *outcome) {
    static const alcore__resolution none;
    alcore__run_input input = {.ctx = self->ctx, .costs = costs};
    alcore_request part;
    alcore__masks masks;
    split_budgets(self, &part);
    ALCORE__TRY(alcore__engine_open(self->ctx, part.options.device, &input.engine));
    ALCORE__TRY(alcore__request_read_pools(&part));
    alcore_status status =
        alcore__masks_new(&part, part.target, alcore__strategy_is_recommended(part.strategy), false,
                          NULL /* the rows of all shards */, &masks);
    if (status == ALCORE_OK) {
        if (part.target)
            input.target = (alcore__dataset){.pool = part.target, .rows = masks.target_rows};
        if (masks.eligible == 0) columns = &none;
        alcore__note_resolution(&part, columns);
        status = alcore__selection_new(&part, part.strategy, &input, &masks, columns, outcome,
                                       &self->sentences);
        alcore__masks_clear(self->ctx, &masks);
    }
    alcore__request_leave_pools(&part);
    return status;
}

alcore_status alcore__request_join_hybrid(alcore_request *request, const double *costs,
                                          const alcore__resolution *columns,
                                          alcore__outcome *outcome, alcore_selection **out) {
    alcore__read_columns read = {.in_parts = true};
    hybrid self = begin(request);
    request->read = &read;
    alcore_status status = take_sentences(&self, costs, columns, outcome);
    if (status == ALCORE_OK) status = answer_budgets(&self, out);
    alcore_selection_unref(self.sentences);
    if (status == ALCORE_OK) status = alcore__check_given_in_parts(request);
    request->read = NULL;
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore_selection_unref(*out);
    *out = NULL;
    return status;
}
