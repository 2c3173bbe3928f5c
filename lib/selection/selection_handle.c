/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a selection: made from the outcome of a run, one for each budget, and read by the
 * public accessors. Nothing of it changes once it is made, so any number of threads may read it. */
#include <math.h>
#include <string.h>

#include "selection/selection_internal.h"

/* The destructor of the handle, also of one whose making failed, in which what was not made is
 * NULL. The ranking is released after pick_columns, whose number it has. */
static void release(void *object) {
    alcore_selection *self = object;
    alcore_ctx *ctx = self->object.ctx;
    for (int32_t p = 0; p < ALCORE__PARTS; p++) alcore__object_unref(self->parts[p]);
    for (int32_t i = 0; i < self->sibling_count; i++) alcore__object_unref(self->siblings[i]);
    alcore__free(ctx, self->siblings);
    if (self->ranking)
        for (int32_t i = 0; i < self->ranking->outcome.column_count; i++)
            alcore__free(ctx, self->pick_columns[i]);
    alcore__object_unref(self->ranking);
    alcore__purchase_clear(ctx, &self->bought);
    alcore__arena_clear(ctx, &self->reason_arena);
    alcore__free(ctx, self->rows);
    alcore__free(ctx, self->scores);
    alcore__free(ctx, self->costs);
    alcore__free(ctx, self->reasons);
    alcore__free(ctx, self->ranks);
    alcore__free(ctx, self->occurrences);
    alcore__free(ctx, self->phrase_rows);
    alcore__free(ctx, self->contexts);
    alcore__free(ctx, self->longer);
    alcore__free(ctx, self->containing);
    alcore__free(ctx, self->provenance);
    alcore__free(ctx, self->summary);
}

/* Makes the arrays of the picks: rows, scores, costs and record columns [count] in rank order. Also
 * adds up the words and characters of the picks and their units, the values of the pool's cost
 * column (NaN where a pick has none). costs [rows of the pool], in the unit of the budget; NULL:
 * every row costs 1. pick_columns is an array in the struct, of ALCORE__RECORD_COLUMNS pointers;
 * all members of a new selection are 0. */
static alcore_status gather_picks(alcore_selection *self, const double *costs) {
    alcore_ctx *ctx = self->object.ctx;
    const alcore__outcome *outcome = &self->ranking->outcome;
    const alcore_pool *pool = self->ranking->pool;
    size_t count = (size_t)self->bought.pick_count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &self->rows));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->scores));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->costs));
    for (int32_t c = 0; c < outcome->column_count; c++) {
        const char *own = self->bought.columns[c], *all = outcome->columns[c].values;
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->pick_columns[c]));
        for (size_t k = 0; k < count; k++) /* float64 and int64 are both 8 bytes */
            memcpy((char *)self->pick_columns[c] + 8 * k,
                   own ? own + 8 * k : all + 8 * self->bought.picks[k], 8);
    }
    for (size_t k = 0; k < count; k++) {
        int64_t position = self->bought.picks[k], row = outcome->rows[position];
        self->rows[k] = row;
        self->scores[k] = self->bought.scores ? self->bought.scores[k] : outcome->scores[position];
        self->costs[k] = !costs ? 1.0 : costs[row];
        self->words += alcore_pool_words(pool, row);
        self->characters += alcore__pool_characters(pool, row);
        self->units += alcore_pool_cost(pool, row);
    }
    self->count = self->bought.pick_count;
    self->shapes[0] = self->count;
    self->shapes[1] = outcome->count;
    return ALCORE_OK;
}

/* What the picks cost in money: the amount of the price, which is for one item, word, character or
 * unit of the cost column, times how many of these the picks have, whatever unit the budget had.
 * NaN without a price, whose amount is NaN, and where the price is for a cost column that the rows
 * lack, as a missing cost is NaN. */
static double price_of(const alcore_selection *self) {
    const alcore__price *price = &self->ranking->price;
    double units = price->unit == ALCORE_UNIT_ITEMS        ? (double)self->count
                   : price->unit == ALCORE_UNIT_WORDS      ? (double)self->words
                   : price->unit == ALCORE_UNIT_CHARACTERS ? (double)self->characters
                                                           : self->units;
    return price->amount * units;
}

/* Derives everything from the purchase of a new selection; costs and parts: as for
 * alcore__selection_make(). The arrays of the picks come first, since all others read them, and
 * phrases before the reasons, which say how frequent a phrase is. Remedies, provenance and summary
 * do not read one another. */
static alcore_status build(alcore_selection *self, const double *costs,
                           alcore_selection *const *parts) {
    ALCORE__TRY(gather_picks(self, costs));
    self->money = price_of(self);
    if (parts) {
        ALCORE__TRY(alcore__selection_copy_parts(self, parts));
    } else {
        ALCORE__TRY(alcore__selection_find_phrases(self));
        ALCORE__TRY(alcore__selection_reasons(self));
    }
    alcore__selection_find_remedies(self);
    ALCORE__TRY(alcore__selection_write_provenance(self));
    return alcore__selection_write_summary(self);
}

/* release() frees what build() has made before a failure, the purchase too. */
alcore_status alcore__selection_make(alcore__ranking *ranking, const double *costs,
                                     alcore__purchase *purchase, alcore_selection *const *parts,
                                     alcore_selection **out) {
    alcore_selection *self;
    alcore_ctx *ctx = ranking->object.ctx;
    alcore_status status = alcore__object_new(ctx, sizeof *self, release, &self);
    if (status != ALCORE_OK) {
        alcore__purchase_clear(ctx, purchase);
        return status;
    }
    self->ranking = alcore__object_ref(ranking);
    self->bought = *purchase;
    *purchase = (alcore__purchase){0};
    status = build(self, costs, parts);
    return alcore__object_made(status, self, out);
}

/* Moves the purchase of the budget `amount` out of the outcome, so that the outcome does not free
 * it a second time: that of the request's largest budget, `largest`, lies in members of the
 * outcome, the others are in its list of further purchases. Called once for each amount of a
 * request, which are all different (request_budget.c refuses an amount that is given twice). */
static void move_purchase(alcore__outcome *outcome, double amount, double largest,
                          alcore__purchase *out) {
    if (amount == largest) {
        *out = outcome->bought;
        out->budget = amount; /* where no strategy ran, too */
        outcome->bought = (alcore__purchase){0};
        return;
    }
    for (int32_t i = 0; i < outcome->further_count; i++) {
        if (outcome->further[i].budget != amount) continue;
        *out = outcome->further[i];
        outcome->further[i] = (alcore__purchase){.budget = (double)NAN}; /* equals no amount */
        return;
    }
    /* Without a candidate no strategy ran, and outcome->further is empty: nothing was bought, which
     * is short of every budget but 0. (request_answer.c has set the flags of the largest one
     * likewise.) */
    *out = (alcore__purchase){.budget = amount, .flags = amount > 0 ? ALCORE_SELECTION_SHORT : 0};
}

/* Makes the selections of the other budgets, in the order given, as siblings of `first`, the
 * selection of the budget that was given first. costs [rows of the pool], NULL: every row costs 1.
 * After a failure those that were made are freed with `first`. */
static alcore_status add_siblings(alcore_selection *first, const alcore__budgets *budgets,
                                  const double *costs) {
    alcore_ctx *ctx = first->object.ctx;
    double largest = alcore__budgets_largest(budgets);
    if (budgets->count < 2) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)budgets->count - 1, sizeof *first->siblings,
                                  &first->siblings));
    for (int64_t i = 1; i < budgets->count; i++) {
        alcore__purchase purchase;
        move_purchase(&first->ranking->outcome, budgets->amounts[i], largest, &purchase);
        ALCORE__TRY(alcore__selection_make(first->ranking, costs, &purchase, NULL /* no parts */,
                                           &first->siblings[first->sibling_count]));
        first->sibling_count++;
    }
    return ALCORE_OK;
}

/* Each selection has a reference to the ranking, so the one of this function is released. */
alcore_status alcore__selection_new(const alcore_request *request, const alcore_strategy *strategy,
                                    const alcore__run_input *input, const alcore__masks *masks,
                                    const alcore__resolution *resolution, alcore__outcome *outcome,
                                    alcore_selection **out) {
    alcore__ranking *ranking;
    alcore__purchase purchase;
    alcore_selection *first = NULL;
    ALCORE__TRY(
        alcore__ranking_new(request, strategy, input, masks, resolution, outcome, &ranking));
    move_purchase(&ranking->outcome, request->budgets.amounts[0],
                  alcore__budgets_largest(&request->budgets), &purchase);
    alcore_status status =
        alcore__selection_make(ranking, input->costs, &purchase, NULL /* no parts */, &first);
    alcore__object_unref(ranking);
    if (status == ALCORE_OK) status = add_siblings(first, &request->budgets, input->costs);
    return alcore__object_made(status, first, out);
}

/* The accessors of include/alcore/selection.h. Arrays and texts are views of the selection, valid
 * until it is released; a NULL selection has 0 picks and NULL for every array and text. */

int64_t alcore_selection_budget_count(const alcore_selection *selection) {
    return !selection ? 0 : 1 + selection->sibling_count;
}

/* The siblings are those from budget 1 on. (object.self is the handle itself, without const.) */
alcore_selection *alcore_selection_of_budget(const alcore_selection *selection, int64_t index) {
    if (!selection || index < 0 || index > selection->sibling_count) return NULL;
    return index == 0 ? selection->object.self : selection->siblings[index - 1];
}

alcore_selection *alcore_selection_ref(alcore_selection *selection) {
    return alcore__object_ref(selection);
}

void alcore_selection_unref(alcore_selection *selection) {
    alcore__object_unref(selection);
}

int64_t alcore_selection_count(const alcore_selection *selection) {
    return !selection ? 0 : selection->count;
}

const int64_t *alcore_selection_rows(const alcore_selection *selection) {
    return !selection ? NULL : selection->rows;
}

const double *alcore_selection_scores(const alcore_selection *selection) {
    return !selection ? NULL : selection->scores;
}

const double *alcore_selection_costs(const alcore_selection *selection) {
    return !selection ? NULL : selection->costs;
}

double alcore_selection_spent(const alcore_selection *selection) {
    return !selection ? 0 : selection->bought.spent;
}

double alcore_selection_budget(const alcore_selection *selection) {
    return !selection ? 0 : selection->bought.budget;
}

double alcore_selection_amount(const alcore_selection *selection) {
    return !selection ? (double)NAN : selection->money;
}

alcore_status alcore_selection_remedy(const alcore_selection *selection, int64_t index,
                                      alcore_remedy *out) {
    ALCORE__TRY(alcore__enter(NULL)); /* no context is needed */
    if (!selection || !out || index < 0)
        return alcore__leave(NULL, alcore__fail(ALCORE_E_INVALID,
                                                "alcore_selection_remedy: selection, an index of "
                                                "0 or more and out are needed"));
    if (index >= selection->remedy_count)
        return alcore__leave(NULL, alcore__fail(ALCORE_E_NOT_FOUND, "the selection has %d remedies",
                                                (int)selection->remedy_count));
    return alcore__leave(
        NULL, alcore__struct_write(out, &selection->remedies[index], sizeof(alcore_remedy),
                                   ALCORE__FIRST_SIZE(alcore_remedy, reserved), "alcore_remedy"));
}

int32_t alcore_selection_unit(const alcore_selection *selection) {
    return !selection ? 0 : selection->ranking->unit;
}

alcore_status alcore_selection_get_price(const alcore_selection *selection, alcore_price *out) {
    ALCORE__TRY(alcore__enter(NULL)); /* no context is needed */
    if (!selection || !out)
        return alcore__leave(NULL, alcore__fail(ALCORE_E_INVALID, "alcore_selection_get_price: "
                                                                  "selection and out are needed"));
    return alcore__leave(NULL, alcore__price_tell(&selection->ranking->price, out));
}

uint32_t alcore_selection_flags(const alcore_selection *selection) {
    uint32_t flags = !selection ? 0 : selection->bought.flags;
    return alcore__selection_is_built_in(selection) ? flags | ALCORE_SELECTION_BUILT_IN : flags;
}

alcore_pool *alcore_selection_pool(const alcore_selection *selection) {
    return !selection ? NULL : selection->ranking->pool;
}

const char *alcore_selection_reason(const alcore_selection *selection, int64_t rank) {
    if (!selection || rank < 0 || rank >= selection->count) return NULL;
    return selection->reasons[rank];
}

const char *alcore_selection_provenance(const alcore_selection *selection) {
    return !selection ? NULL : selection->provenance;
}

const char *alcore_selection_summary(const alcore_selection *selection) {
    return !selection ? NULL : selection->summary;
}

/* Columns that every candidates' record has, before the strategy's own. */
static const char *const candidate_columns[] = {"row", "rank", "score"};
enum { CANDIDATE_COLUMNS = 3 };

/* The columns of the candidates' scope are candidate_columns, then those of the record; of the
 * picks' scope only those of the record, as rows and scores of the picks have accessors of their
 * own. */
const char *alcore_selection_column_name(const alcore_selection *selection, int32_t scope,
                                         int64_t index) {
    if (!selection || index < 0) return NULL;
    if (scope == ALCORE_SCOPE_CANDIDATES) {
        if (index < CANDIDATE_COLUMNS) return candidate_columns[index];
        index -= CANDIDATE_COLUMNS;
    } else if (scope != ALCORE_SCOPE_PICKS) {
        return NULL;
    }
    const alcore__outcome *outcome = &selection->ranking->outcome;
    return index < outcome->column_count ? outcome->columns[index].name : NULL;
}

/* Of threads that make the ranks at the same time the first one's are kept. */
alcore_status alcore__selection_ranks(const alcore_selection *selection, int64_t **out) {
    alcore_selection *self = selection->object.self;
    alcore_ctx *ctx = self->object.ctx;
    const int64_t candidates = self->ranking->outcome.count;
    int64_t *made, *first = NULL;
    *out = __atomic_load_n(&self->ranks, __ATOMIC_ACQUIRE);
    if (*out) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)candidates, sizeof *made, &made));
    for (int64_t i = 0; i < candidates; i++) made[i] = -1;
    for (int64_t k = 0; k < self->count; k++) made[self->bought.picks[k]] = k;
    *out = made;
    if (__atomic_compare_exchange_n(&self->ranks, &first, made, false /* not weak */,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return ALCORE_OK;
    alcore__free(ctx, made);
    *out = first;
    return ALCORE_OK;
}

/* Finds a column of a scope by its name: *values [candidates] or [picks], borrowed, NULL only where
 * there are none, and *dtype. "row" has pool rows. False when there is no such column. */
static bool find_column(const alcore_selection *selection, int32_t scope, const char *name,
                        void **values, int32_t *dtype) {
    const alcore__outcome *outcome = &selection->ranking->outcome;
    bool candidates = scope == ALCORE_SCOPE_CANDIDATES;
    if (candidates && strcmp(name, "score") == 0) {
        *values = outcome->scores;
        *dtype = ALCORE_FLOAT64;
        return true;
    }
    if (candidates && strcmp(name, "row") == 0) {
        *values = outcome->rows;
        *dtype = ALCORE_INT64;
        return true;
    }
    for (int32_t i = 0; i < outcome->column_count; i++) {
        if (strcmp(outcome->columns[i].name, name) != 0) continue;
        *dtype = outcome->columns[i].dtype;
        *values = candidates ? outcome->columns[i].values : selection->pick_columns[i];
        return true;
    }
    return false;
}

alcore_status alcore_selection_get_column(const alcore_selection *selection, int32_t scope,
                                          const char *name, alcore_tensor *out) {
    if (out) *out = (alcore_tensor){0};
    if (!selection || !name || !out ||
        (scope != ALCORE_SCOPE_PICKS && scope != ALCORE_SCOPE_CANDIDATES))
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_selection_get_column: selection, a scope, name "
                            "and out are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    void *values;
    int32_t dtype = ALCORE_INT64;
    if (scope == ALCORE_SCOPE_CANDIDATES && strcmp(name, "rank") == 0) {
        int64_t *ranks;
        const alcore_status made = alcore__selection_ranks(selection, &ranks);
        if (made != ALCORE_OK) return alcore__leave(selection->object.ctx, made);
        values = ranks;
    } else if (!find_column(selection, scope, name, &values, &dtype)) {
        return alcore__leave(selection->object.ctx,
                             alcore__fail(ALCORE_E_NOT_FOUND,
                                          "strategy %s keeps no record column '%s'",
                                          selection->ranking->strategy, name));
    }
    /* A tensor points to its shape, which is therefore a member of the selection, and has no const
     * pointers. The data of an empty one is the shape's address, as it must not be NULL. */
    alcore_selection *self = selection->object.self;
    int64_t *shape = &self->shapes[scope == ALCORE_SCOPE_CANDIDATES];
    alcore_status status =
        alcore_tensor_init(out, !values ? shape : values, dtype, shape, 1 /* dimension */);
    return alcore__leave(selection->object.ctx, status);
}
