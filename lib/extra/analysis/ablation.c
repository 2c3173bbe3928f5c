/* SPDX-License-Identifier: Apache-2.0 */
/* An ablation: a request is answered with each value of one parameter of its strategy, and the
 * selections are compared (spec 3.6, the layout of HUDS's Table 7; spec 5.8 for the ratio of a
 * hybrid). The shares say how much of a selection either end of the scale, the values 0 and 1,
 * selects too; an end that is not among the values is selected beside them.
 *
 * The columns that a model makes stay in the pools after the first selection, so that the others
 * only choose; phrases of a hybrid's texts are counted anew, as other sentences are bought, in one
 * index of the texts. Picks of different selections are compared by the place that they have in the
 * pool of the request, since each selection of phrases has a pool of its own. */
#include "alcore/extra/analysis.h"

#include <math.h>
#include <string.h>

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

/* What a pick is, the same in every selection of the call: a row of the pool with -1 and -1, or a
 * phrase by its first occurrence and its number of words. */
typedef struct pick {
    int64_t row, position, length;
} pick;

/* ---- picks ---- */

/* A column of a selection's record that holds int64, [picks]; NULL: it has none of that name. */
static const int64_t *record_column(const alcore_selection *picked, const char *name) {
    for (int64_t i = 0;; i++) {
        const char *found = alcore_selection_column_name(picked, ALCORE_SCOPE_PICKS, i);
        alcore_tensor column;
        if (!found) return NULL;
        if (strcmp(found, name) == 0)
            return alcore_selection_get_column(picked, ALCORE_SCOPE_PICKS, name, &column) ==
                           ALCORE_OK
                       ? column.data
                       : NULL;
    }
}

static int compare_picks(const void *a, const void *b) {
    const pick *one = a, *other = b;
    if (one->row != other->row) return one->row < other->row ? -1 : 1;
    if (one->position != other->position) return one->position < other->position ? -1 : 1;
    return (one->length > other->length) - (one->length < other->length);
}

/* *out: the picks of a selection in the order of compare_picks(), [picks], owned by the caller. */
static alcore_status sort_picks(alcore_ctx *ctx, const alcore_selection *picked, pick **out) {
    const int64_t count = alcore_selection_count(picked);
    const int64_t *rows = record_column(picked, "first_row");
    const int64_t *positions = record_column(picked, "first_position");
    const int64_t *lengths = record_column(picked, "length");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count + 1, sizeof **out, out));
    if (!rows) rows = alcore_selection_rows(picked);
    for (int64_t i = 0; i < count; i++)
        (*out)[i] = (pick){rows[i], positions ? positions[i] : -1, lengths ? lengths[i] : -1};
    return alcore__sort(ctx, *out, (size_t)count, sizeof **out, compare_picks);
}

/* How many elements two sorted lists of distinct picks have in common. */
static int64_t count_shared(const pick *ours, int64_t count, const pick *theirs, int64_t others) {
    int64_t both = 0;
    for (int64_t i = 0, j = 0; i < count && j < others;) {
        const int order = compare_picks(&ours[i], &theirs[j]);
        both += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return both;
}

/* *out: the share of a selection's picks, 0 to 1, that another one has too; NaN without picks. */
static alcore_status share(alcore_ctx *ctx, const alcore_selection *picked,
                           const alcore_selection *other, double *out) {
    const int64_t count = alcore_selection_count(picked);
    pick *ours = NULL, *theirs = NULL;
    alcore_status status = sort_picks(ctx, picked, &ours);
    if (status == ALCORE_OK) status = sort_picks(ctx, other, &theirs);
    if (status == ALCORE_OK)
        *out = count > 0
                   ? (double)count_shared(ours, count, theirs, alcore_selection_count(other)) /
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
    const int64_t count = alcore_selection_count(picked);
    const alcore_pool *pool = alcore_selection_pool(picked);
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const char **texts = NULL;
    size_t *lengths = NULL;
    *out = NAN;
    if (!self->test) return ALCORE_OK;
    alcore_status status = alcore__overlap_forget_selected(self->test);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, (size_t)count + 1, sizeof *texts, &texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, (size_t)count + 1, sizeof *lengths, &lengths);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++)
        texts[i] = alcore_pool_text(pool, alcore_selection_rows(picked)[i], &lengths[i]);
    if (status == ALCORE_OK)
        status = alcore_overlap_add(self->test, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, texts,
                                    lengths, count);
    if (status == ALCORE_OK) status = alcore_overlap_compute_coverage(self->test, 1, NULL, &score);
    if (status == ALCORE_OK) *out = score.coverage;
    alcore__free(self->ctx, lengths);
    alcore__free(self->ctx, texts);
    return status;
}

/* Measures the selection of one value. */
static alcore_status measure(const ablation *self, int64_t index, alcore_ablation *out) {
    const alcore_selection *picked = self->picked[index];
    const alcore_pool *pool = alcore_selection_pool(picked);
    const int64_t *kinds = record_column(picked, "kind"); /* of a hybrid: 1 for a phrase */
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
