/* SPDX-License-Identifier: Apache-2.0 */
/* Answering a request by one strategy:
 *
 *   phrases    for a strategy that buys phrases, a pool of texts is replaced by that of its phrases
 *   masks      which rows of each pool take part, what each candidate costs, and which candidates
 *              are drawn where the strategy has candidates=N (pools locked)
 *   columns    models make the columns that the strategy needs and that are missing (not locked)
 *   run        the strategy scores and buys (locked again)
 *   selection  one handle for each budget, with reasons, summary and provenance
 *
 * Of a shard the run is that of budget/nominees.h, or one over what all shards have gathered, and
 * there is no selection; or the answer is held before the run, for passes over all shards.
 *
 * Rows that are added to the candidates between two locks end the call with ALCORE_E_BUSY. Rows
 * that are added to the labeled pool or to the target take no part: their datasets have as many
 * rows as the masks, which were made under the first lock. */
#include <math.h>
#include <string.h>

#include "select/answering.h"

/* Refuses errors that can be seen without reading a pool: no candidates, the pool of candidates as
 * the labeled pool or the excluded texts too (as the target it is allowed), no budget, and
 * cache_max_age (NaN: "off") or max_age without a cache. Messages carry a remedy where there is one
 * thing to set. */
static alcore_status check_request(const alcore_request *request) {
    if (!request->candidates) return alcore__fail_no_candidates();
    if (request->candidates == request->labeled)
        return alcore__fail(ALCORE_E_INVALID,
                            "the pool of candidates is the labeled pool too; name the rows of the "
                            "pool whose labels are known instead");
    if (request->candidates == request->excluded)
        return alcore__fail(ALCORE_E_INVALID,
                            "the pool of candidates is the pool of excluded texts too, so that "
                            "nothing could be selected");
    if (request->budgets.count == 0)
        return alcore__fail_remedy(alcore__fail(ALCORE_E_PARAM, "the request has no budget"),
                                   ALCORE_REMEDY_OPTION, "budget", "1000w",
                                   "buys items worth 1000 words");
    const bool caches = !isnan(request->options.cache_max_age), ages = request->options.max_age > 0;
    if (*request->options.cache || !(caches || ages)) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_PARAM, caches ? "cache_max_age is set, but no cache is"
                                            : "max_age is set, but no cache is, which would have "
                                              "the scores of earlier rounds"),
        ALCORE_REMEDY_OPTION, "cache", "FOLDER", "keeps what models compute");
}

/* Sets the budgets of the run: the strategy runs under the largest one, the others are spent from
 * the same order afterwards. No amount is given twice (request_budget.c), so count - 1 of them
 * differ from the largest. */
static alcore_status set_budgets(alcore__answering *self, alcore__fill *fill) {
    const alcore__budgets *budgets = &self->request->budgets;
    fill->budget = alcore__budgets_largest(budgets);
    if (budgets->count < 2) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)budgets->count, sizeof(double), &self->further));
    for (int64_t i = 0; i < budgets->count; i++)
        if (budgets->amounts[i] != fill->budget)
            self->further[fill->further_count++] = budgets->amounts[i];
    fill->further = self->further;
    return ALCORE_OK;
}

/* Reads the options into the input of the run, opens the engine that the option "device" names, and
 * sets self->strategy (the recommended one, when none was set). The pools of the input are filled
 * in before the run. The value of a choice is its index among the words of the option table in
 * request_handle.c, whose order is that of ALCORE__FILL_* and ALCORE__TIE_*; of nan, 1 is exclude.
 * explain: the outcome then tells what each term of the score decided, for reasons and summary.
 * alcore__request_answer() frees what a failure leaves. */
static alcore_status set_up(alcore__answering *self) {
    alcore_request *request = self->request;
    const alcore__request_options *options = &request->options;
    self->input.ctx = self->ctx;
    self->input.seed = alcore__request_seed(request);
    self->input.round = options->round;
    if (self->shard) self->input.place = self->shard->place;
    self->input.nan_exclude = options->nan_exclude;
    const double max_similarity = options->max_similarity;
    self->input.fill = (alcore__fill){
        .policy = options->fill,
        .tie = options->tie,
        .limited = !isnan(max_similarity),
        .max_similarity = isnan(max_similarity) ? 0 : max_similarity,
        .explain = true,
    };
    /* follow_columns() opens it again where columns are on a device. */
    ALCORE__TRY(alcore__engine_open(self->ctx, options->device, &self->input.engine));
    ALCORE__TRY(set_budgets(self, &self->input.fill));
    if (request->strategy) {
        self->strategy = alcore_strategy_ref(request->strategy);
        return ALCORE_OK;
    }
    return alcore_strategy_new(self->ctx, NULL /* the recommended one */, &self->strategy);
}

/* Provides the columns of the texts by which phrases are measured (self->texts.columns), where the
 * strategy reads the columns "scores" and "embeddings" of phrases; the candidates are texts.
 * Called without locks on the pools, as models may make the columns. */
static alcore_status resolve_measures(alcore__answering *self) {
    if (!alcore__strategy_def_of(self->strategy)->phrase_measures) return ALCORE_OK;
    ALCORE__TRY(
        alcore__resolve_needs(self->request, alcore__phrase_measure_needs, &self->texts.columns));
    return alcore__resolve_given(self->request, alcore__phrase_links, &self->texts.columns);
}

/* Replaces the candidates by their phrases where the strategy buys phrases and they are texts: from
 * then on self->request is `derived`, whose candidates are the phrases and which names no rows, as
 * the rows that the caller's request names are rows of the texts. Else nothing changes. */
static alcore_status make_phrases(alcore__answering *self) {
    bool are_phrases;
    ALCORE__TRY(alcore__candidates_are_phrases(self->request, &are_phrases));
    if (are_phrases) return ALCORE_OK;
    ALCORE__TRY(resolve_measures(self));
    ALCORE__TRY(alcore__request_read_pools(self->request));
    alcore_status status =
        alcore__request_phrases(self->request, self->strategy, &self->texts, &self->phrases);
    if (status == ALCORE_OK && self->phrases && self->texts.columns.count > 0)
        status =
            alcore__measure_phrases(self->request->candidates, &self->texts.columns, self->phrases);
    alcore__request_leave_pools(self->request);
    if (status != ALCORE_OK || !self->phrases) return status;
    self->derived = *self->request;
    self->derived.candidates = self->phrases;
    self->derived.options.masks = "none"; /* they were for the texts */
    memset(self->derived.lists, 0, sizeof self->derived.lists);
    self->request = &self->derived;
    return ALCORE_OK;
}

/* Keeps the pools locked until alcore__held_answer_free(). */
static void hold_pools(alcore__answering *self) {
    const alcore_request *request = self->request;
    alcore_pool *const pools[ALCORE__HELD_POOLS] = {request->candidates, request->labeled,
                                                    request->target, request->excluded};
    for (int i = 0; i < ALCORE__HELD_POOLS; i++) self->held[i] = alcore_pool_ref(pools[i]);
}

/* Answers a request up to releasing what that took, which the caller does after a failure too.
 * Masks decide which rows are candidates, columns are made where they are missing, the strategy
 * runs, and its outcome becomes the selection while the pools are still locked, as the selection
 * reads their texts and fingerprints. */
static alcore_status answer_request(alcore__answering *self, alcore_selection **out) {
    ALCORE__TRY(check_request(self->request));
    ALCORE__TRY(set_up(self));
    if (self->shard && self->shard->by_earlier)
        self->input.fill = alcore__answering_refresh_fill(self);
    ALCORE__TRY(alcore__check_roles(self->request, self->strategy));
    ALCORE__TRY(make_phrases(self));
    ALCORE__TRY(alcore__answering_make_masks(self));
    if (!self->shard) ALCORE__TRY(alcore__answering_check_words(self, &self->masks));
    /* Without a candidate there is nothing to compute: an empty selection that is SHORT
     * (docs/spec/budgets.md). */
    const bool hold = self->shard && self->shard->wanted == ALCORE__SHARD_HOLD;
    bool any = hold || self->masks.eligible > 0; /* passes over all shards need the columns */
    if (self->shard && self->shard->wanted <= ALCORE__SHARD_COUNT)
        return alcore__answering_shard_masks(self);
    if (any) {
        alcore__reuse_begin(self->request, self->strategy, self->masks.rows, &self->reuse);
        if (self->shard) self->reuse.files.first_row = self->shard->place.first_row;
        ALCORE__TRY(alcore__resolve_columns(self->request, self->strategy, &self->masks,
                                            self->input.fill.limited, &self->reuse,
                                            &self->resolution));
        /* A shard without rows reads no column of its own. */
        if (self->masks.rows > 0 && (!self->request->read || !self->request->read->in_parts))
            ALCORE__TRY(alcore__check_given(self->request, self->strategy));
        ALCORE__TRY(alcore__answering_refresh_columns(self));
    }
    ALCORE__TRY(alcore__request_read_pools(self->request));
    alcore_status status = self->shard ? alcore__answering_shard_run(self)
                           : any       ? alcore__answering_run(self, &self->outcome)
                                       : ALCORE_OK;
    if (hold && status == ALCORE_OK) {
        hold_pools(self);
        return ALCORE_OK;
    }
    if (!any && self->input.fill.budget > 0) self->outcome.bought.flags = ALCORE_SELECTION_SHORT;
    if (status == ALCORE_OK && !self->shard)
        status = alcore__selection_new(self->request, self->strategy, &self->input, &self->masks,
                                       &self->resolution, &self->outcome, out);
    alcore__request_leave_pools(self->request);
    return status;
}

/* Frees what an answer has taken; texts, resolution, input and derived own nothing. */
static void clear_answer(alcore__answering *self) {
    alcore__free(self->ctx, self->drawn);
    alcore__outcome_clear(self->ctx, &self->outcome);
    alcore__reuse_clear(self->ctx, &self->reuse);
    alcore__masks_clear(self->ctx, &self->masks);
    alcore__free(self->ctx, self->costs);
    alcore__free(self->ctx, self->languages);
    alcore__free(self->ctx, self->further);
    alcore_strategy_unref(self->strategy);
    alcore_pool_unref(self->phrases);
    alcore__column_free(self->computed);
    for (int i = 0; i < ALCORE__HELD_POOLS; i++) {
        if (self->held[i]) alcore__read_end(self->held[i]);
        alcore_pool_unref(self->held[i]);
    }
}

/* The drawn candidates are kept only after a success, so that a round which failed is asked for
 * again from where it began. shard NULL: *out is the selection. */
static alcore_status answer_or_nominate(alcore_request *request, alcore__shard_answer *shard,
                                        alcore_selection **out) {
    alcore__answering self = {.request = request, .shard = shard, .ctx = request->object.ctx};
    alcore_status status = answer_request(&self, out);
    if (status == ALCORE_OK) alcore__answering_keep_drawn(&self);
    clear_answer(&self);
    return status;
}

/* ---- an answer that is held ---- */

/* The input points to the answer, which stays where it is. */
static alcore_status hold_answer(alcore_request *request, alcore__shard_answer *shard) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__answering *self;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *self, &self));
    *self = (alcore__answering){.request = request, .shard = shard, .ctx = ctx};
    const alcore_status status = answer_request(self, NULL /* no selection */);
    if (status == ALCORE_OK) alcore__answering_keep_drawn(self);
    self->shard = NULL;
    self->request = NULL;
    if (status == ALCORE_OK)
        shard->held = self;
    else
        alcore__held_answer_free(self);
    return status;
}

const alcore__run_input *alcore__held_answer_input(const alcore__held_answer *held) {
    return &held->input;
}

const alcore_strategy *alcore__held_answer_strategy(const alcore__held_answer *held) {
    return held->strategy;
}

const alcore__resolution *alcore__held_answer_columns(const alcore__held_answer *held) {
    return &held->resolution;
}

void alcore__held_answer_free(alcore__held_answer *held) {
    if (!held) return;
    clear_answer(held);
    alcore__free(held->ctx, held);
}

alcore_status alcore__request_answer(alcore_request *request, alcore_selection **out) {
    return answer_or_nominate(request, NULL, out);
}

alcore_status alcore__answer_shard(alcore_request *request, alcore__shard_answer *shard) {
    return shard->wanted == ALCORE__SHARD_HOLD ? hold_answer(request, shard)
                                               : answer_or_nominate(request, shard, NULL);
}
