/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison: a request is answered with each of several strategies, and what they pick is
 * measured (comparison_measures.c).
 *
 * The columns that a model makes stay in the pools after the first strategy that needs them, so
 * that the others only choose; phrases are counted in one index of the texts. An input that only
 * some of the strategies read is hidden from the others, which would refuse it, and one that none
 * reads is refused at the end, when all that was read is known. */
#include <string.h>

#include "extra/analysis/comparison_internal.h"
#include "extra/overlap/overlap_handle.h"

static const char FLOOR[] = "random";

/* One call. */
typedef struct comparing {
    alcore_request *request; /* locked for writing */
    alcore_ctx *ctx;
    alcore_strategy *const *given; /* [given_count] the caller's */
    const char *const *names;      /* [given_count] or NULL */
    int64_t given_count;
    alcore_overlap *test;         /* NULL: none */
    alcore_strategy **strategies; /* [made->count] owned references */
    alcore_comparison *made;
} comparing;

static void release(void *object) {
    alcore_comparison *self = object;
    alcore_ctx *ctx = self->object.ctx;
    for (int64_t i = 0; i < self->count; i++) {
        alcore_selection_unref(self->compared[i].picked);
        alcore__free(ctx, self->compared[i].languages);
        alcore__free(ctx, self->compared[i].name);
    }
    alcore__free(ctx, self->compared);
    alcore__free(ctx, self->shared_picks);
    alcore__free(ctx, self->shared_words);
    alcore__buffer_clear(ctx, &self->document);
}

/* ---- strategies ---- */

static const char *name_of(const comparing *self, int64_t i) {
    const char *name = self->names && i < self->given_count ? self->names[i] : NULL;
    return name ? name : alcore__strategy_name(self->strategies[i]);
}

/* Makes the list of strategies, the floor behind them where it is not among them; self->made has
 * room for it. */
static alcore_status list_strategies(comparing *self) {
    bool has_floor = false;
    for (int64_t i = 0; i < self->given_count; i++) {
        self->strategies[i] = alcore_strategy_ref(self->given[i]);
        if (!self->strategies[i])
            ALCORE__TRY(alcore_strategy_new(self->ctx, NULL /* the recommended one */,
                                            &self->strategies[i]));
        has_floor = has_floor || strcmp(alcore__strategy_name(self->strategies[i]), FLOOR) == 0;
    }
    self->made->count = self->given_count + !has_floor;
    if (has_floor) return ALCORE_OK;
    self->made->compared[self->given_count].added = true;
    return alcore_strategy_new(self->ctx, FLOOR, &self->strategies[self->given_count]);
}

static alcore_status name_strategies(comparing *self) {
    for (int64_t i = 0; i < self->made->count; i++) {
        const char *name = name_of(self, i);
        for (int64_t k = 0; k < i; k++)
            if (strcmp(self->made->compared[k].name, name) == 0)
                return alcore__fail(ALCORE_E_INVALID, "two of the strategies are called '%s'",
                                    name);
        self->made->compared[i].name = alcore__strndup(self->ctx, name, strlen(name));
        if (!self->made->compared[i].name) return alcore__fail_memory(strlen(name) + 1);
    }
    return ALCORE_OK;
}

/* ---- selections ---- */

static bool reads_like(const alcore_strategy *strategy) {
    return alcore__strategy_def_of(strategy)->reads_like;
}

/* Whether one of the strategies reads an input, so that the others go without it. */
static bool any_reads(const comparing *self, bool (*reads)(const alcore_strategy *)) {
    for (int64_t i = 0; i < self->made->count; i++)
        if (reads(self->strategies[i])) return true;
    return false;
}

/* Calls with one strategy set, from which inputs that it does not read are hidden. */
static alcore_status call_with(comparing *self, int64_t i,
                               alcore_status (*call)(comparing *self, int64_t i)) {
    alcore_request *request = self->request;
    alcore_strategy *const strategy = self->strategies[i];
    alcore_pool *const target = request->target;
    alcore__row_list *const like = &request->lists[ALCORE__LIST(LIKE)];
    const bool has_like = like->given;
    request->strategy = strategy;
    if (!alcore__strategy_takes_target(strategy) && any_reads(self, alcore__strategy_takes_target))
        request->target = NULL;
    if (!reads_like(strategy) && any_reads(self, reads_like)) like->given = false;
    const alcore_status status = call(self, i);
    request->target = target;
    like->given = has_like;
    if (status == ALCORE_OK || status == ALCORE_E_CANCELLED) return status;
    return alcore__fail_within(status, "strategy %s", self->made->compared[i].name);
}

/* Refuses a strategy that lacks a target or a column, before any is run. */
static alcore_status check_inputs(comparing *self, int64_t i) {
    (void)i;
    return alcore__check_inputs(self->request);
}

static alcore_status select_with(comparing *self, int64_t i) {
    return alcore__request_select(self->request, &self->made->compared[i].picked);
}

/* Refuses an input of the option "given" that none of the strategies has read: as the first one
 * that was named does, or, where only the recommended one was asked for, as that does, which tells
 * of a model. */
static alcore_status check_given(const comparing *self) {
    int64_t named = self->given_count;
    for (int64_t i = 0; i < self->made->count; i++)
        if (alcore__strategy_reads_any(self->strategies[i])) return ALCORE_OK;
    while (named > 0 && alcore__strategy_is_recommended(self->strategies[named - 1])) named--;
    if (named == 0) alcore__log_ignored(self->made->compared[0].picked);
    const alcore_status status =
        alcore__check_given(self->request, self->strategies[named > 0 ? named - 1 : 0]);
    return status == ALCORE_OK ? status
                               : alcore__fail_within(status, "of all strategies that are compared");
}

/* Selects with every strategy. What they read together is noted in request->read. */
static alcore_status select_all(comparing *self) {
    alcore_request *request = self->request;
    alcore_strategy *const theirs = request->strategy;
    const char *const given = request->options.given;
    alcore__phrase_counter own = {0};
    alcore__read_columns read = {0};
    alcore__phrase_counter *const before = alcore__request_share_phrases(request, &own);
    alcore_status status = ALCORE_OK;
    request->read = &read;
    request->options.given = "";
    for (int64_t i = 0; i < self->made->count && status == ALCORE_OK; i++)
        status = call_with(self, i, check_inputs);
    for (int64_t i = 0; i < self->made->count && status == ALCORE_OK; i++)
        status = call_with(self, i, select_with);
    request->options.given = given;
    if (status == ALCORE_OK) status = check_given(self);
    request->read = NULL;
    request->strategy = theirs;
    request->counter = before;
    alcore__phrase_counter_clear(self->ctx, &own);
    return status;
}

/* ---- the call ---- */

/* Whether the test set has a word. */
static alcore_status check_test(alcore_overlap *test) {
    alcore_coverage_result found = ALCORE_COVERAGE_RESULT_INIT;
    if (test->kept & ALCORE_OVERLAP_SELECTED)
        return alcore__fail(ALCORE_E_INVALID,
                            "the test set is an overlap that keeps the n-grams of the selected "
                            "data, which a comparison replaces for each strategy");
    ALCORE__TRY(alcore_overlap_compute_coverage(test, 1, NULL, &found));
    return found.test_tokens > 0 ? ALCORE_OK
                                 : alcore__fail(ALCORE_E_INVALID, "the test set has no words");
}

static alcore_status check(const comparing *self) {
    const alcore_request *request = self->request;
    if (!self->given || self->given_count < 1 || self->given_count > ALCORE_COMPARISON_MAX)
        return alcore__fail(ALCORE_E_INVALID, "strategies, and a count of 1 to %d, are needed",
                            ALCORE_COMPARISON_MAX);
    if (!request->candidates) return alcore__fail_no_candidates();
    if (alcore_pool_row_count(request->candidates) == 0)
        return alcore__fail(ALCORE_E_INVALID, "the pool has no rows, so that there is nothing to "
                                              "compare");
    if (request->options.max_age > 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "max_age is set, and each strategy of a comparison would score other "
                            "rows again; a comparison selects with scores of the present model");
    return self->test ? check_test(self->test) : ALCORE_OK;
}

static alcore_status compare(comparing *self) {
    alcore_comparison *made = self->made;
    const size_t room = (size_t)self->given_count + 1;
    ALCORE__TRY(alcore__new_array(self->ctx, room, sizeof *made->compared, &made->compared));
    ALCORE__TRY(alcore__new_array(self->ctx, room, sizeof(void *), &self->strategies));
    ALCORE__TRY(list_strategies(self));
    ALCORE__TRY(name_strategies(self));
    ALCORE__TRY(select_all(self));
    made->has_test = self->test != NULL;
    ALCORE__TRY(alcore__comparison_measure(made, self->request->candidates, self->test));
    return alcore__comparison_describe(made);
}

static alcore_status compare_checked(comparing *self, alcore_comparison **out) {
    ALCORE__TRY(check(self));
    ALCORE__TRY(alcore__object_new(self->ctx, sizeof *self->made, release, &self->made));
    const alcore_status status = compare(self);
    for (int64_t i = 0; self->strategies && i <= self->given_count; i++)
        alcore_strategy_unref(self->strategies[i]);
    alcore__free(self->ctx, self->strategies);
    return alcore__object_made(status, self->made, out);
}

alcore_status alcore_request_compare(alcore_request *request, alcore_strategy *const *strategies,
                                     const char *const *names, int64_t count, alcore_overlap *test,
                                     alcore_comparison **out) {
    comparing self = {.request = request,
                      .given = strategies,
                      .names = names,
                      .given_count = count,
                      .test = test};
    if (out) *out = NULL;
    ALCORE__TRY(alcore__request_begin_long(request, "alcore_request_compare"));
    self.ctx = request->object.ctx;
    const alcore_status status =
        out ? compare_checked(&self, out) : alcore__fail(ALCORE_E_INVALID, "out is NULL");
    return alcore__request_end(request, status);
}

alcore_comparison *alcore_comparison_ref(alcore_comparison *comparison) {
    return alcore__object_ref(comparison);
}

void alcore_comparison_unref(alcore_comparison *comparison) {
    alcore__object_unref(comparison);
}

int64_t alcore_comparison_count(const alcore_comparison *comparison) {
    return comparison ? comparison->count : 0;
}

alcore_selection *alcore_comparison_selection(const alcore_comparison *comparison, int64_t index) {
    return comparison && index >= 0 && index < comparison->count
               ? comparison->compared[index].picked
               : NULL;
}

const char *alcore_comparison_document(const alcore_comparison *comparison) {
    return comparison ? comparison->document.data : NULL;
}
