/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the input of a run before its first pass: the columns that the strategy needs are there,
 * the embeddings of all roles have the same number of components, and no cost is negative or NaN.
 */
#include <string.h>

#include "strategy/engine/runner.h"

/* Whether the run reads embeddings of the pool in a role: the strategy itself does, or the
 * similarity limit, which compares candidates with each other. */
bool alcore__reads_embeddings(const alcore__run *run, int32_t role) {
    const char *const *needs = run->def->needs[role];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (!strcmp(needs[i], "embeddings")) return true;
    }
    return role == ALCORE_ROLE_CANDIDATES && run->input->fill.limited;
}

/* Whether the dataset has one of the columns of a need: alternatives is "a", or "a|b|c" where any
 * one of the three will do. Names of 64 bytes or more are no column's. */
static bool has_one_of(const alcore__dataset *dataset, const char *alternatives) {
    char name[64];
    for (const char *rest = alternatives; *rest;) {
        size_t length = strcspn(rest, "|");
        if (length < sizeof name) {
            memcpy(name, rest, length);
            name[length] = 0;
            if (alcore__dataset_find(dataset, name)) return true;
        }
        rest += length + (rest[length] == '|');
    }
    return false;
}

/* Checks that the embeddings of a dataset exist and have the shape [rows, dims]. owner: what
 * messages call its pool; dims: components of the candidates' embeddings, 0 where these are
 * checked. */
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
        double cost = costs[active->rows[i]];
        if (cost >= 0.0) continue;
        return alcore__fail(ALCORE_E_DATA, "row %lld: the cost %g is negative or NaN",
                            (long long)active->rows[i], cost);
    }
    return ALCORE_OK;
}

/* Called once when a run begins, after the active rows are listed: a strategy that reads a target
 * needs at least one active row there. Messages name the pool and the column in the user's terms.
 */
alcore_status alcore__check_input(const alcore__run *run) {
    const alcore__run_input *input = run->input;
    const char *const *needs = run->def->needs[ALCORE_ROLE_CANDIDATES];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (!has_one_of(&input->candidates, needs[i]))
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs the column \"%s\"",
                                run->def->name, needs[i]);
    }
    if (alcore__reads_embeddings(run, ALCORE_ROLE_CANDIDATES))
        ALCORE__TRY(check_embeddings(&input->candidates, "the pool", 0));
    if (input->labeled.rows && alcore__reads_embeddings(run, ALCORE_ROLE_LABELED))
        ALCORE__TRY(
            check_embeddings(&input->labeled, "the labeled pool", alcore__embedding_dims(run)));
    if (alcore__reads_embeddings(run, ALCORE_ROLE_TARGET)) {
        if (!run->active[ALCORE__OVER_TARGET].count)
            return alcore__fail(ALCORE_E_MISSING, "strategy %s needs a target with rows",
                                run->def->name);
        ALCORE__TRY(check_embeddings(&input->target, "the target", alcore__embedding_dims(run)));
    }
    return check_costs(run);
}
