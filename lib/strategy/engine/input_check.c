/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy is given, checked before its first pass: the columns it needs are there, the
 * embeddings of all roles have one shape, costs are numbers. */
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

/* Whether the dataset has one of the columns "a|b|c". */
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

/* dims: components that the other pools' embeddings have; 0: none was looked at yet. */
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

/* Costs [rows of the pool] must be 0 or more for every candidate; !(cost >= 0) also finds NaN. */
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

/* Called once when a run begins. Errors name the pool and the column, as the user knows them. */
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
