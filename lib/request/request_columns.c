/* SPDX-License-Identifier: Apache-2.0 */
/* Where the columns of a request come from: given, then the model, then the built-in n-gram model. */
#include <stdio.h>
#include <string.h>

#include "request/request_internal.h"

/* The alternatives of a need, one a call: "scores|logprobs". */
static bool next_alternative(const char **rest, char name[32]) {
    if (**rest == '\0') return false;
    size_t length = strcspn(*rest, "|");
    snprintf(name, 32, "%.*s", (int)length, *rest);
    *rest += length;
    if (**rest == '|') (*rest)++;
    return true;
}

typedef struct resolver {
    alcore_request *request;
    alcore_model *built_in; /* made when it is first needed */
    alcore__resolution *out;
} resolver;

static alcore_status keep(resolver *self, int32_t role, const char *name, bool built_in) {
    alcore__resolution *out = self->out;
    for (int32_t i = 0; i < out->count; i++)
        if (out->entries[i].role == role && strcmp(out->entries[i].name, name) == 0)
            return ALCORE_OK;
    if (out->count == ALCORE__RESOLVED_MAX)
        return alcore__fail(ALCORE_E_INTERNAL, "a strategy needs more columns than there is room");
    alcore__resolved *entry = &out->entries[out->count++];
    entry->role = role;
    entry->built_in = built_in;
    snprintf(entry->name, sizeof entry->name, "%s", name);
    return ALCORE_OK;
}

static alcore_status built_in_model(resolver *self) {
    if (self->built_in != NULL) return ALCORE_OK;
    alcore_pool *labeled = self->request->labeled;
    /* A labelled side without texts leaves nothing to train on: then the pool is cross-fitted. */
    if (labeled != NULL && alcore_pool_count(labeled, 0) == 0 &&
        alcore_pool_count(labeled, ALCORE_ROW_LABELED) == 0)
        labeled = NULL;
    return alcore_model_new_ngram(self->request->object.ctx, labeled, NULL, &self->built_in);
}

/* Of the columns that stand already, the first of the alternatives. A column that was computed is judged by the model that would
 * make it today. */
static alcore_status find_standing(resolver *self, alcore_pool *pool, const char *need,
                                   char name[32], bool *out) {
    *out = false;
    ALCORE__TRY(built_in_model(self));
    alcore_model *model = self->request->model;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = ALCORE_OK;
    for (const char *rest = need; status == ALCORE_OK && !*out && next_alternative(&rest, name);) {
        bool by_model = model != NULL && alcore_model_can(model, name);
        status = alcore__model_column_stands(by_model ? model : self->built_in, pool, name, out);
    }
    alcore__read_end(pool);
    return status;
}

static bool model_can(const alcore_model *model, const char *need, char name[32]) {
    for (const char *rest = need; next_alternative(&rest, name);)
        if (alcore_model_can(model, name)) return true;
    return false;
}

static alcore_status fail_missing(const resolver *self, int32_t role, const char *need) {
    const alcore_model *model = self->request->model;
    const char *side = role == ALCORE_ROLE_LABELED ? " of the labelled side" : "";
    if (model != NULL)
        return alcore__fail(ALCORE_E_MISSING,
                            "the column '%s'%s is needed: it was not given, and neither the model "
                            "%s nor the built-in n-gram model can make it",
                            need, side, alcore_model_name(model));
    return alcore__fail(ALCORE_E_MISSING,
                        "the column '%s'%s is needed: it was not given, and the built-in n-gram "
                        "model cannot make it; give the column or a model that can",
                        need, side);
}

static alcore_status resolve(resolver *self, int32_t role, alcore_pool *pool, const char *need) {
    char name[32];
    bool stands;
    ALCORE__TRY(find_standing(self, pool, need, name, &stands));
    if (stands) return keep(self, role, name, false);
    if (self->request->model != NULL && model_can(self->request->model, need, name)) {
        ALCORE__TRY(alcore__model_run(self->request->model, pool, name));
        return keep(self, role, name, false);
    }
    ALCORE__TRY(built_in_model(self));
    if (!model_can(self->built_in, need, name)) return fail_missing(self, role, need);
    alcore__log(self->request->object.ctx, ALCORE_LOG_WARN, "request", NULL,
                "the column '%s' was not given%s: the built-in n-gram model makes it", need,
                self->request->model == NULL ? "" : " and the model cannot make it");
    ALCORE__TRY(alcore__model_run(self->built_in, pool, name));
    return keep(self, role, name, true);
}

static alcore_status resolve_role(resolver *self, const alcore_strategy *strategy, int32_t role,
                                  alcore_pool *pool) {
    const char *need;
    for (int32_t i = 0; (need = alcore__strategy_needs(strategy, role, i)) != NULL; i++)
        ALCORE__TRY(resolve(self, role, pool, need));
    return ALCORE_OK;
}

alcore_status alcore__resolve_columns(alcore_request *request, const alcore_strategy *strategy,
                                      bool with_spread, alcore__resolution *out) {
    *out = (alcore__resolution){0};
    resolver self = {.request = request, .out = out};
    alcore_status status =
        resolve_role(&self, strategy, ALCORE_ROLE_CANDIDATES, request->candidates);
    if (status == ALCORE_OK && with_spread)
        status = resolve(&self, ALCORE_ROLE_CANDIDATES, request->candidates, "embeddings");
    if (status == ALCORE_OK && request->labeled != NULL)
        status = resolve_role(&self, strategy, ALCORE_ROLE_LABELED, request->labeled);
    alcore_model_unref(self.built_in);
    return status;
}

alcore_status alcore__resolution_fill(const alcore__resolution *resolution, int32_t role,
                                      const alcore_pool *pool, alcore__side *side) {
    for (int32_t i = 0; i < resolution->count; i++) {
        const alcore__resolved *entry = &resolution->entries[i];
        if (entry->role != role) continue;
        const alcore__column *column = alcore__pool_find_column(pool, entry->name);
        if (column == NULL)
            return alcore__fail(ALCORE_E_BUSY, "the column '%s' was dropped during the call",
                                entry->name);
        ALCORE__TRY(alcore__side_add(side, entry->name, column));
    }
    return ALCORE_OK;
}
