/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the input of a run before its first pass: the columns that the strategy needs are there,
 * the embeddings of all roles have the same number of components, and no cost is negative or NaN.
 *
 * A role (ALCORE_ROLE_*) is what a pool is for: candidates, labeled, target; a pool that was not
 * given has 0 rows. Active rows are those of a pool that the run reads. fill.limited is true where
 * the request has a similarity limit. */
#include <string.h>

#include "strategy/passes/runner.h"

/* The index-th need of the run's strategy for a role (ALCORE_ROLE_*): a column name, "a|b" for
 * either column; NULL ends the list. A definition that is in no registry is run without a handle
 * (run->strategy NULL), by tests. */
static const char *need_of(const alcore__run *run, int32_t role, int64_t index) {
    if (run->strategy) return alcore__strategy_needs(run->strategy, role, index);
    const char *const *needs = run->def->needs[alcore__role_place(role)];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (i == index) return needs[i];
    }
    return NULL;
}

bool alcore__reads_embeddings(const alcore__run *run, int32_t role) {
    const char *need;
    for (int32_t i = 0; (need = need_of(run, role, i)); i++) {
        if (!strcmp(need, "embeddings")) return true;
    }
    return role == ALCORE_ROLE_CANDIDATES && run->input->fill.limited;
}

/* What messages call the run's strategy: the name of its handle, or of its definition where it is
 * run without a handle. */
static const char *strategy_name(const alcore__run *run) {
    return run->strategy ? alcore__strategy_name(run->strategy) : run->def->name;
}

/* Whether the dataset has one of the columns of a need: a column name, or "a|b" for either. */
static bool has_one_of(const alcore__dataset *dataset, const char *need) {
    for (int32_t i = 0; i < dataset->column_count; i++) {
        if (alcore__need_names(need, dataset->columns[i].name)) return true;
    }
    return false;
}

/* Fails unless the dataset of a role has every column that the strategy needs of it. owner: the
 * pool, for the message. */
static alcore_status check_needs(const alcore__run *run, const alcore__dataset *dataset,
                                 int32_t role, const char *owner) {
    const char *need;
    for (int32_t i = 0; (need = need_of(run, role, i)); i++) {
        if (!has_one_of(dataset, need))
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs the column \"%s\" of %s",
                                strategy_name(run), need, owner);
    }
    return ALCORE_OK;
}

/* Checks that the embeddings of a dataset exist, have the shape [rows, dims], and as many
 * components as those of the candidates. owner: what messages call its pool; dims: the components
 * of the candidates' embeddings; 0: any number is right, where it is these that are checked. */
static alcore_status check_embeddings(const alcore__dataset *dataset, const char *owner,
                                      int64_t dims) {
    const alcore__column *column = alcore__dataset_find(dataset, "embeddings");
    if (!column)
        return alcore__fail(ALCORE_E_MISSING, "the column \"embeddings\" of %s is missing", owner);
    if (column->ragged || column->dims < 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"embeddings\" of %s must have shape [rows, dims]", owner);
    if (dims && column->dims != dims)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the embeddings of %s have %lld components, those of the pool %lld; "
                            "both must come from the same model",
                            owner, (long long)column->dims, (long long)dims);
    return ALCORE_OK;
}

/* Checks that the cost of every candidate is 0 or more; a NaN fails the comparison too. Costs are
 * [rows of the pool]; those of rows that are no candidates are not looked at. */
static alcore_status check_costs(const alcore__run *run) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const double *costs = run->input->costs;
    for (int64_t i = 0; costs && i < active->count; i++) {
        double cost = costs[alcore__candidate_row(run, i)];
        if (cost >= 0.0) continue;
        return alcore__fail(ALCORE_E_DATA, "row %lld: the cost %g is negative or NaN",
                            (long long)alcore__candidate_row(run, i), cost);
    }
    return ALCORE_OK;
}

/* Called after the active rows are listed and before the strategy's begin, which may rely on what
 * is checked here. Values are not read. Messages name the pool and the column in the user's terms.
 * Without a candidate the strategy never begins, and shards have told of no column. */
alcore_status alcore__check_input(const alcore__run *run) {
    const alcore__run_input *input = run->input;
    if (alcore__active_in_all(run, ALCORE__OVER_CANDIDATES) == 0) return ALCORE_OK;
    ALCORE__TRY(check_needs(run, &input->candidates, ALCORE_ROLE_CANDIDATES, "the pool"));
    if (input->labeled.rows)
        ALCORE__TRY(check_needs(run, &input->labeled, ALCORE_ROLE_LABELED, "the labeled pool"));
    if (input->target.rows)
        ALCORE__TRY(check_needs(run, &input->target, ALCORE_ROLE_TARGET, "the target"));
    if (alcore__reads_embeddings(run, ALCORE_ROLE_CANDIDATES))
        ALCORE__TRY(check_embeddings(&input->candidates, "the pool", 0 /* any number */));
    if (input->labeled.rows && alcore__reads_embeddings(run, ALCORE_ROLE_LABELED))
        ALCORE__TRY(
            check_embeddings(&input->labeled, "the labeled pool", alcore__embedding_dims(run)));
    if (alcore__reads_embeddings(run, ALCORE_ROLE_TARGET)) {
        if (!run->active[ALCORE__OVER_TARGET].count)
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs a target with rows",
                                strategy_name(run));
        ALCORE__TRY(check_embeddings(&input->target, "the target", alcore__embedding_dims(run)));
    }
    return check_costs(run);
}
