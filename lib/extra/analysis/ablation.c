/* SPDX-License-Identifier: Apache-2.0 */
/* An ablation: a request is answered with each value of one parameter of its strategy, and the
 * selections are compared (spec 3.6, the layout of HUDS's Table 7; spec 5.8 for the ratio of a
 * hybrid). The shares say how much of a selection either end of the scale, the values 0 and 1,
 * selects too; an end that is not among the values is selected beside them.
 *
 * The columns that a model makes stay in the pools after the first selection, so that the others
 * only choose; phrases of a hybrid's texts are counted anew, as other sentences are bought, in one
 * index of the texts. */
#include "alcore/extra/analysis.h"

#include <math.h>

#include "extra/analysis/selection_picks.h"
#include "extra/overlap/overlap_handle.h"
#include "select/select_internal.h"

enum { ENDS = 2 }; /* the values 0 and 1 */

/* The state of one call. */
typedef struct ablation {
    alcore_request *request; /* locked for writing; its strategy is `strategy` during the call */
    alcore_ctx *ctx;
    alcore_strategy *strategy; /* a copy of the request's, so that the caller's stays as it is */
    const char *parameter;
    const double *values;
    int64_t count;
    alcore_overlap *test;         /* NULL: none */
    alcore_selection **picked;    /* [count] by value; owned references, NULL until they are made */
    alcore_selection *ends[ENDS]; /* by the values 0 and 1; as picked */
} ablation;

/* *out: the share of a selection's picks, 0 to 1, that another one has too; NaN without picks. */
static alcore_status share(alcore_ctx *ctx, const alcore_selection *picked,
                           const alcore_selection *other, double *out) {
    const int64_t count = alcore_selection_count(picked);
    alcore__pick *ours = NULL, *theirs = NULL;
    alcore_status status = alcore__picks_sort(ctx, picked, &ours);
    if (status == ALCORE_OK) status = alcore__picks_sort(ctx, other, &theirs);
    if (status == ALCORE_OK)
        *out = count > 0 ? (double)alcore__picks_shared(ours, count, theirs,
                                                        alcore_selection_count(other)) /
                               (double)count
                         : (double)NAN;
    alcore__free(ctx, theirs);
    alcore__free(ctx, ours);
    return status;
}

/* ---- rows of the table ---- */

/* *out: the percentage of the word types of the test set that the picks have; NaN without one. The
 * texts of an earlier selection are forgotten. */
static alcore_status measure_overlap(const ablation *self, const alcore_selection *picked,
                                     double *out) {
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    *out = NAN;
    if (!self->test) return ALCORE_OK;
    ALCORE__TRY(alcore__picks_cover(self->ctx, picked, self->test, 1, true, &score));
    *out = score.coverage;
    return ALCORE_OK;
}

/* Measures the selection of one value. */
static alcore_status measure(const ablation *self, int64_t index, alcore_ablation *out) {
    const alcore_selection *picked = self->picked[index];
    const alcore_pool *pool = alcore_selection_pool(picked);
    const int64_t *kinds = alcore__picks_column(picked, "kind"); /* of a hybrid: 1 for a phrase */
    alcore_ablation row = {.value = self->values[index],
                           .items = alcore_selection_count(picked),
                           .phrases = kinds ? 0 : -1};
    for (int64_t i = 0; i < row.items; i++) {
        row.words += alcore_pool_words(pool, alcore_selection_rows(picked)[i]);
        if (kinds) row.phrases += kinds[i];
    }
    ALCORE__TRY(measure_overlap(self, picked, &row.overlap));
    ALCORE__TRY(share(self->ctx, picked, self->ends[0], &row.share_of_0));
    ALCORE__TRY(share(self->ctx, picked, self->ends[1], &row.share_of_1));
    return alcore__struct_write(out, &row, sizeof row,
                                ALCORE__FIRST_SIZE(alcore_ablation, share_of_1), "alcore_ablation");
}

/* ---- selections ---- */

static alcore_status select_with(ablation *self, double value, alcore_selection **out) {
    ALCORE__TRY(alcore_strategy_set_number(self->strategy, self->parameter, value));
    return alcore__request_select(self->request, out);
}

/* Selects with every value and with 0 and 1, each of which may be among them. */
static alcore_status select_all(ablation *self) {
    for (int64_t i = 0; i < self->count; i++) {
        ALCORE__TRY(select_with(self, self->values[i], &self->picked[i]));
        for (int end = 0; end < ENDS; end++)
            if (self->values[i] == end && !self->ends[end])
                self->ends[end] = alcore_selection_ref(self->picked[i]);
    }
    for (int end = 0; end < ENDS; end++)
        if (!self->ends[end]) ALCORE__TRY(select_with(self, end, &self->ends[end]));
    return ALCORE_OK;
}

/* Makes the strategy whose parameter is varied: a copy of the request's, or the recommended one.
 * Fails for a strategy without the parameter; a host's has none. */
static alcore_status make_strategy(ablation *self) {
    const alcore_strategy *theirs = self->request->strategy;
    const char *value;
    if (!self->parameter && theirs) self->parameter = alcore__strategy_def_of(theirs)->ablated;
    if (!self->parameter) self->parameter = "lambda";
    if (!theirs)
        return alcore_strategy_new(self->ctx, NULL /* the recommended one */, &self->strategy);
    ALCORE__TRY(alcore_strategy_get(self->request->strategy, self->parameter, &value));
    ALCORE__TRY(alcore__read_begin(theirs, "strategy"));
    const alcore_status status = alcore__strategy_copy(theirs, &self->strategy);
    alcore__read_end(theirs);
    return status;
}

/* Selects and measures, out_rows [count]. */
static alcore_status run(ablation *self, alcore_ablation *out_rows) {
    const size_t bytes =
        out_rows->size; /* of a row, as the caller's version of the header has it */
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->count, sizeof(void *), &self->picked));
    ALCORE__TRY(make_strategy(self));
    alcore_strategy *theirs = self->request->strategy;
    alcore__phrase_counter own = {0};
    alcore__phrase_counter *const before = alcore__request_share_phrases(self->request, &own);
    self->request->strategy = self->strategy;
    alcore_status status = select_all(self);
    self->request->strategy = theirs;
    self->request->counter = before;
    alcore__phrase_counter_clear(self->ctx, &own);
    for (int64_t i = 0; i < self->count && status == ALCORE_OK; i++) {
        char *out = (char *)out_rows + (size_t)i * bytes;
        status = measure(self, i, (alcore_ablation *)(void *)out);
    }
    if (status == ALCORE_OK && self->test) status = alcore__overlap_forget_selected(self->test);
    return status;
}

static alcore_status check(const ablation *self, const alcore_ablation *out_rows) {
    if (!self->values || self->count < 1 || !out_rows)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_ablate: values, a count "
                                              "of 1 or more and out_rows are needed");
    if (self->test && (self->test->kept & ALCORE_OVERLAP_SELECTED))
        return alcore__fail(ALCORE_E_INVALID,
                            "the test set is an overlap that keeps the n-grams of the selected "
                            "data, which an ablation replaces for each value");
    if (self->request->options.max_age > 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "max_age is set, and each value of an ablation would score other rows "
                            "again; an ablation selects with scores of the present model");
    return ALCORE_OK;
}

alcore_status alcore_request_ablate(alcore_request *request, const char *parameter,
                                    const double *values, int64_t count, alcore_overlap *test,
                                    alcore_ablation *out_rows, alcore_selection **out_selections) {
    ablation self = {
        .request = request, .parameter = parameter, .values = values, .count = count, .test = test};
    for (int64_t i = 0; i < count && out_selections; i++) out_selections[i] = NULL;
    ALCORE__TRY(alcore__request_begin_long(request, "alcore_request_ablate"));
    self.ctx = request->object.ctx;
    alcore_status status = check(&self, out_rows);
    if (status == ALCORE_OK) status = run(&self, out_rows);
    for (int64_t i = 0; self.picked && i < count; i++) {
        if (out_selections && status == ALCORE_OK)
            out_selections[i] = self.picked[i];
        else
            alcore_selection_unref(self.picked[i]);
    }
    for (int end = 0; end < ENDS; end++) alcore_selection_unref(self.ends[end]);
    alcore_strategy_unref(self.strategy);
    alcore__free(self.ctx, self.picked);
    return alcore__request_end(request, status);
}
