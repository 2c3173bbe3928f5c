/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the columns that the strategy of a request needs. A need is a column name or
 * alternatives, "scores|logprobs". A column of that name in the pool is used as given; else the
 * model that the user set for the column makes it; else the user's model makes one, if it can. A
 * request that names neither a column nor a model is answered with the built-in n-gram model, with
 * a warning; in any other a column that is missing is an error (request_given.c). Models add what
 * they make to the pool, so this runs before the pools are locked for the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model_engine.h"
#include "model/ngram_model.h"
#include "select/select_internal.h"

/* A column that meets a need of a role. */
typedef struct planned {
    char name[ALCORE__NEED_BYTES];
    alcore_model *maker; /* that makes it now, borrowed; NULL: none */
    bool made;           /* a model made it, or makes it */
    bool built_in;       /* that is the n-gram model, which stands in without being named */
    bool reused;         /* by self->reuse, which computes it later */
} planned;

/* The state of one call of alcore__resolve_columns() or alcore__resolve_needs(). */
typedef struct resolver {
    alcore_request *request;
    bool needs_are_given;  /* no model is asked: the strategy needs values that none makes, though
                                one could make a column of that name (the log-probabilities of a
                                round trip are not those of a text) */
    uint8_t *mask;         /* [rows of the candidates' pool] rows that take part; NULL: all do */
    alcore__wanted wanted; /* that mask with its length, as models take it; unused without a mask */
    alcore__reuse *reuse;  /* of the candidates' columns; NULL: all are computed */
    bool named;            /* the request names columns or models: the n-gram model is not asked */
    bool said;             /* the log has the warning that the n-gram model is used */
    bool of_phrases;       /* the columns are those by which phrases are measured */
    alcore_model *built_in; /* the n-gram model, owned; made with the first need of the call */
    /* Of the n-gram models of the request, in their order, those that learn from all shards; owned,
     * [over_count] used. */
    alcore_model *over[ALCORE__COLUMN_INPUTS + 1];
    const alcore_model *over_of[ALCORE__COLUMN_INPUTS + 1]; /* borrowed: the model of the request */
    int32_t over_count;
    planned plan[ALCORE__DATASET_COLUMNS]; /* [plan_count] the needs of the present role */
    int32_t plan_count;
    alcore__resolution *out; /* the columns chosen so far */
} resolver;

/* Adds a column of a role to the resolution and notes that it is read; where two needs are met by
 * the same column it is there already. A name in a need has fewer bytes than entry->name
 * (ALCORE__NEED_BYTES). lost: the cache could not keep what was computed of it. */
static alcore_status keep(resolver *self, int32_t role, const planned *column, bool lost) {
    alcore__resolution *out = self->out;
    alcore__note_read(self->request, role, column->name, column->made);
    for (int32_t i = 0; i < out->count; i++)
        if (out->entries[i].role == role && strcmp(out->entries[i].name, column->name) == 0)
            return ALCORE_OK;
    if (out->count == ALCORE__RESOLVED_MAX)
        return alcore__fail(ALCORE_E_INTERNAL, "a strategy needs more than %d columns",
                            ALCORE__RESOLVED_MAX);
    alcore__resolved *entry = &out->entries[out->count++];
    entry->role = role;
    entry->built_in = column->built_in;
    entry->reused = column->reused;
    entry->lost = lost;
    snprintf(entry->name, sizeof entry->name, "%s", column->name);
    return ALCORE_OK;
}

/* Makes self->built_in, the n-gram model, with the first need; later calls find it. The caller of
 * the resolver releases it. Only when it is to make a column is it trained: on the labeled pool or,
 * without labeled texts, cross-fitted on the pool whose column it makes. */
static alcore_status built_in_model(resolver *self) {
    if (self->built_in) return ALCORE_OK;
    alcore_pool *labeled = self->request->labeled;
    /* A labeled pool without texts leaves nothing to train on: then the pool is cross-fitted. */
    if (labeled && alcore_pool_state_count(labeled, 0 /* rows without a state */) == 0 &&
        alcore_pool_state_count(labeled, ALCORE_ROW_LABELED) == 0)
        labeled = NULL;
    return alcore_model_new_ngram(self->request->object.ctx, labeled, NULL /* default options */,
                                  &self->built_in);
}

const char *alcore__ngram_column(const char *need) {
    static const char *const made[] = {"logprobs", "embeddings"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (alcore__need_names(need, made[i])) return made[i];
    return NULL;
}

/* Attaches what mends a missing column to its error. Of the candidates it is the column itself,
 * where nothing else can make it, as front ends have options for the columns of the candidates
 * only. */
static alcore_status add_missing_remedy(const resolver *self, alcore_status status, int32_t role,
                                        const char *need) {
    const char *ngram = self->needs_are_given ? NULL : alcore__ngram_column(need);
    if (ngram)
        return alcore__fail_remedy(status, ALCORE_REMEDY_MODEL, "ngram", ngram,
                                   "agrees to the built-in n-gram model");
    return role == ALCORE_ROLE_CANDIDATES ? alcore__fail_without(status, need) : status;
}

/* Fails for a need that neither the pool nor a model meets. The message names the need and the role
 * as the user knows them, which model was asked and why it is not there, and a column of the pool
 * whose name is like it; then the error gets a remedy. */
static alcore_status fail_missing(const resolver *self, int32_t role, alcore_pool *pool,
                                  const char *need) {
    const alcore_model *model = self->request->model;
    const char *owner = alcore__role_owner(role);
    alcore_ctx *ctx = self->request->object.ctx;
    alcore__buffer near = {0};
    char lacks[ALCORE__LACKS_BYTES] = "";
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const char *similar = alcore__similar_column(pool, need);
    alcore_status status =
        similar ? alcore__buffer_format(ctx, &near, "; did you mean the column '%s'?", similar)
                : ALCORE_OK;
    alcore__read_end(pool);
    if (status == ALCORE_OK && self->needs_are_given)
        status = alcore__fail(ALCORE_E_MISSING,
                              "the column '%s'%s is needed: it was not given, and no model makes "
                              "it%.*s",
                              need, owner, (int)near.length, near.length ? near.data : "");
    else if (status == ALCORE_OK)
        status = alcore__fail(
            ALCORE_E_MISSING, "the column '%s'%s is needed: it was not given, and %s%s%s%s%.*s",
            need, owner,
            model                                        ? "the model "
            : alcore__request_names_model(self->request) ? "no model of this column was given"
            : self->named                                ? "no model was given"
                                                         : "the built-in n-gram model",
            model ? alcore_model_name(model) : "",
            model || !self->named ? " cannot make it" : " that makes it",
            model ? alcore__engine_lacks(model, need, lacks) : lacks, (int)near.length,
            near.length ? near.data : "");
    alcore__buffer_clear(ctx, &near);
    return status == ALCORE_E_MISSING ? add_missing_remedy(self, status, role, need) : status;
}

/* *out: the model that makes columns in a role for a model of the request: itself or, of the
 * candidates of a shard, one that learns from the texts of all shards. */
static alcore_status over_shards(resolver *self, int32_t role, alcore_model *model,
                                 alcore_model **out) {
    const alcore_request *request = self->request;
    const alcore_pool *labeled;
    *out = model;
    if (!request->all_texts || role != ALCORE_ROLE_CANDIDATES ||
        !alcore__model_is_ngram(model, &labeled) || labeled)
        return ALCORE_OK;
    int32_t i = 0;
    while (i < self->over_count && self->over_of[i] != model) i++;
    if (i == self->over_count) {
        ALCORE__TRY(
            alcore__ngram_over(model, request->candidates, request->all_texts, &self->over[i]));
        self->over_of[self->over_count++] = model;
    }
    *out = self->over[i];
    return ALCORE_OK;
}

/* Lists the models that may make a column of the need, in the order in which they are asked: those
 * that the user set for one of its columns, the user's model; the built-in one where the request
 * names neither a model nor a column. models [ALCORE__COLUMN_INPUTS + 2] borrows them, *count of
 * them; *count is 0 before the call. */
static alcore_status list_models(resolver *self, int32_t role, const char *need,
                                 alcore_model **models, int32_t *count) {
    const alcore_request *request = self->request;
    if (!self->named) ALCORE__TRY(built_in_model(self));
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        if (request->column_models[i] &&
            alcore__need_names(need, alcore__column_name_input(i)->name))
            ALCORE__TRY(over_shards(self, role, request->column_models[i], &models[(*count)++]));
    if (request->model) ALCORE__TRY(over_shards(self, role, request->model, &models[(*count)++]));
    if (!self->named) models[(*count)++] = self->built_in;
    return ALCORE_OK;
}

/* Refuses max_age (values of earlier rounds) where a model is about to make `column`, one of the
 * texts by which phrases are measured (spec 3.8): of alcore__phrase_measure_needs, which are
 * "logprobs" and "word_embeddings|embeddings". max_age has the best rows by their old scores scored
 * again. What is bought here is a phrase, whose score is the mean over every text in which it
 * occurs, so that to score the best phrases again would be to score nearly all texts again. For the
 * vectors max_age means nothing: embeddings are never taken from earlier rounds
 * (alcore__reuse_takes()), and no strategy reads "word_embeddings" of its candidates, so that only
 * "logprobs" is refused. The message names huds-phrase as it is the only strategy whose phrases are
 * measured (phrase_measures of its definition). */
static alcore_status check_age_of_phrases(const resolver *self, const char *column) {
    if (!self->of_phrases || self->request->options.max_age == 0 || strcmp(column, "logprobs") != 0)
        return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_PARAM,
                     "max_age does not apply to huds-phrase: a phrase is scored by every text in "
                     "which it occurs, so that nearly all texts would be scored again"),
        ALCORE_REMEDY_OPTION, "max_age", "0", "scores all texts by the present model");
}

/* Looks at a column that the pool has and alcore__model_choose() found usable: *made becomes
 * whether a model made it. One of the n-gram model that no other of models [count] can make stems
 * from an earlier call: where this call names columns or models it counts as missing (*maker
 * becomes ALCORE__SUPPLY_NONE), else *built_in becomes true. One that another model can make is
 * that model's own, as it would not be usable otherwise. */
static alcore_status look_at_standing(const resolver *self, alcore_pool *pool,
                                      alcore_model *const *models, int32_t count, const char *name,
                                      int32_t *maker, bool *made, bool *built_in) {
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore__column *column = alcore__pool_find_column(pool, name);
    const bool ngram = column && alcore__column_is_built_in(column);
    *made = column && column->engine;
    alcore__read_end(pool);
    if (!ngram || self->needs_are_given) return ALCORE_OK;
    for (int32_t i = 0; i < count; i++)
        if (models[i] != self->built_in && alcore_model_can(models[i], name)) return ALCORE_OK;
    *built_in = !self->named;
    if (self->named) *maker = ALCORE__SUPPLY_NONE;
    return ALCORE_OK;
}

/* The rows of the pool of a role that models compute: those of self->mask; NULL: all, as in other
 * roles. */
static const alcore__wanted *rows_of(const resolver *self, int32_t role) {
    return role == ALCORE_ROLE_CANDIDATES && self->mask ? &self->wanted : NULL;
}

/* Says once in the log that the n-gram model is used. */
static void say_built_in(resolver *self) {
    if (!self->said)
        alcore__log(
            self->request->object.ctx, ALCORE_LOG_WARN, "request", NULL,
            "the built-in n-gram model stands in, as neither a column nor a model was given");
    self->said = true;
}

/* Plans how one need of a role is met: by a column that was given, or made by a model of the user,
 * or by the built-in one, in this order; the last is logged. No model is run.
 *
 * alcore__model_choose() locks the pool itself, looks for a usable column first, then asks the
 * models in their order, and writes the name of the column and its maker: the index of a model,
 * ALCORE__SUPPLY_GIVEN (-1, the pool has the column) or ALCORE__SUPPLY_NONE (-2, nothing meets the
 * need). The built-in model is the last of the list, so the index count - 1 is it; where it is not
 * in the list (needs_are_given, named) `built_in` does not look at the index, which may be -1 as
 * count - 1 is. */
static alcore_status plan_need(resolver *self, int32_t role, alcore_pool *pool, const char *need) {
    alcore_model *models[ALCORE__COLUMN_INPUTS + 2];
    int32_t count = 0,
            maker; /* index in models of the one that makes the column, or ALCORE__SUPPLY_* */
    if (self->plan_count == ALCORE__DATASET_COLUMNS)
        return alcore__fail(ALCORE_E_INTERNAL, "a strategy needs more than %d columns",
                            ALCORE__DATASET_COLUMNS);
    planned *out = &self->plan[self->plan_count];
    *out = (planned){0};
    if (!self->needs_are_given) ALCORE__TRY(list_models(self, role, need, models, &count));
    ALCORE__TRY(
        alcore__model_choose(models, count, pool, rows_of(self, role), need, out->name, &maker));
    out->built_in = !self->needs_are_given && !self->named && maker == count - 1;
    out->made = maker >= 0;
    if (maker == ALCORE__SUPPLY_GIVEN)
        ALCORE__TRY(look_at_standing(self, pool, models, count, out->name, &maker, &out->made,
                                     &out->built_in));
    if (maker == ALCORE__SUPPLY_NONE) return fail_missing(self, role, pool, need);
    if (maker >= 0) ALCORE__TRY(check_age_of_phrases(self, out->name));
    out->reused = maker >= 0 && role == ALCORE_ROLE_CANDIDATES && self->reuse &&
                  alcore__reuse_takes(self->reuse, models[maker], out->name);
    if (out->reused)
        ALCORE__TRY(alcore__reuse_add(self->reuse, models[maker], out->name));
    else if (maker >= 0)
        out->maker = models[maker];
    if (out->built_in) say_built_in(self);
    self->plan_count++;
    return ALCORE_OK;
}

/* Has the planned columns of a role made that have a maker, adds all of them to the resolution, and
 * forgets the plan. A model that makes several of the columns is asked for all of them at once; so
 * needs are planned first and met together. */
static alcore_status meet_needs(resolver *self, int32_t role, alcore_pool *pool) {
    const alcore__cache cache = {.folder = self->request->options.cache,
                                 .max_age = self->request->options.cache_max_age};
    alcore__chosen all[ALCORE__DATASET_COLUMNS];
    const int32_t count = self->plan_count;
    for (int32_t i = 0; i < count; i++)
        all[i] = (alcore__chosen){.name = self->plan[i].name, .maker = self->plan[i].maker};
    ALCORE__TRY(alcore__model_run_chosen(all, count, pool, rows_of(self, role), &cache));
    for (int32_t i = 0; i < count; i++)
        ALCORE__TRY(keep(self, role, &self->plan[i], all[i].use.lost));
    self->plan_count = 0;
    return ALCORE_OK;
}

/* Plans every need of the strategy for the pool in a role (ALCORE_ROLE_*). */
static alcore_status plan_role(resolver *self, const alcore_strategy *strategy, int32_t role,
                               alcore_pool *pool) {
    const char *need;
    for (int32_t i = 0; (need = alcore__strategy_needs(strategy, role, i)) != NULL; i++)
        ALCORE__TRY(plan_need(self, role, pool, need));
    return ALCORE_OK;
}

/* Meets every need of the strategy for the pool in a role (ALCORE_ROLE_*). */
static alcore_status resolve_role(resolver *self, const alcore_strategy *strategy, int32_t role,
                                  alcore_pool *pool) {
    ALCORE__TRY(plan_role(self, strategy, role, pool));
    return meet_needs(self, role, pool);
}

/* Meets the needs of the candidates. with_embeddings: the similarity limit needs embeddings too,
 * and a model may make them though it is not asked for what the strategy reads (needs_are_given).
 */
static alcore_status resolve_candidates(resolver *self, const alcore_strategy *strategy,
                                        bool with_embeddings) {
    alcore_pool *pool = self->request->candidates;
    const bool of_strategy = self->needs_are_given;
    ALCORE__TRY(plan_role(self, strategy, ALCORE_ROLE_CANDIDATES, pool));
    self->needs_are_given = false;
    if (with_embeddings) ALCORE__TRY(plan_need(self, ALCORE_ROLE_CANDIDATES, pool, "embeddings"));
    self->needs_are_given = of_strategy;
    return meet_needs(self, ALCORE_ROLE_CANDIDATES, pool);
}

/* Makes self->mask and self->wanted, the rows of the candidates' pool that take part: candidates
 * and labeled rows. Models do not compute the others. Where the pool is the target too the mask
 * stays NULL, as all its rows may be read. Both masks [masks->rows] that it reads are always there.
 * alcore__resolve_columns() frees it. */
static alcore_status want_rows(resolver *self, const alcore__masks *masks) {
    const alcore_request *request = self->request;
    if (request->target == request->candidates) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(request->object.ctx, (size_t)masks->rows, 1, &self->mask));
    for (int64_t row = 0; row < masks->rows; row++)
        self->mask[row] = masks->candidate_mask[row] || masks->labeled_rows[row];
    self->wanted = (alcore__wanted){.mask = self->mask, .rows = masks->rows};
    return ALCORE_OK;
}

/* The mask and the n-gram model serve all roles: one that no need has asked for is NULL. */
alcore_status alcore__resolve_columns(alcore_request *request, const alcore_strategy *strategy,
                                      const alcore__masks *masks, bool with_embeddings,
                                      alcore__reuse *reuse, alcore__resolution *out) {
    *out = (alcore__resolution){0};
    resolver self = {.request = request,
                     .out = out,
                     .reuse = reuse,
                     .needs_are_given = alcore__strategy_def_of(strategy)->needs_are_given};
    alcore_status status = want_rows(&self, masks);
    if (status == ALCORE_OK) status = alcore__request_names_inputs(request, &self.named);
    /* A shard without rows (lib/extra/job) has no columns. */
    if (status == ALCORE_OK && alcore_pool_row_count(request->candidates) > 0)
        status = resolve_candidates(&self, strategy, with_embeddings);
    if (status == ALCORE_OK && request->labeled)
        status = resolve_role(&self, strategy, ALCORE_ROLE_LABELED, request->labeled);
    if (status == ALCORE_OK && request->target)
        status = resolve_role(&self, strategy, ALCORE_ROLE_TARGET, request->target);
    alcore_model_unref(self.built_in);
    for (int32_t i = 0; i < self.over_count; i++) alcore_model_unref(self.over[i]);
    alcore__free(request->object.ctx, self.mask);
    return status;
}

/* Plans what the strategy reads of the candidates, or of the texts whose phrases it buys: *phrases,
 * whether it does. */
static alcore_status plan_candidates(resolver *self, const alcore_strategy *strategy,
                                     bool *phrases) {
    alcore_pool *pool = self->request->candidates;
    alcore_phrase_options options;
    bool by_place;
    ALCORE__TRY(alcore__candidates_are_phrases(self->request, phrases));
    *phrases = !*phrases && alcore__strategy_buys_phrases(strategy, &options, &by_place);
    if (!*phrases) return plan_role(self, strategy, ALCORE_ROLE_CANDIDATES, pool);
    for (int32_t i = 0;
         alcore__strategy_def_of(strategy)->phrase_measures && alcore__phrase_measure_needs[i]; i++)
        ALCORE__TRY(plan_need(self, ALCORE_ROLE_CANDIDATES, pool, alcore__phrase_measure_needs[i]));
    return ALCORE_OK;
}

/* Plans the needs of all roles and forgets the plan. */
static alcore_status plan_roles(resolver *self, const alcore_strategy *strategy) {
    alcore_request *request = self->request;
    bool phrases;
    ALCORE__TRY(plan_candidates(self, strategy, &phrases));
    self->needs_are_given = false;
    if (!isnan(request->options.max_similarity) && !phrases)
        ALCORE__TRY(plan_need(self, ALCORE_ROLE_CANDIDATES, request->candidates, "embeddings"));
    self->needs_are_given = alcore__strategy_def_of(strategy)->needs_are_given;
    self->plan_count = 0;
    if (request->labeled && !phrases)
        ALCORE__TRY(plan_role(self, strategy, ALCORE_ROLE_LABELED, request->labeled));
    self->plan_count = 0;
    return request->target && !phrases
               ? plan_role(self, strategy, ALCORE_ROLE_TARGET, request->target)
               : ALCORE_OK;
}

/* The masks are not made yet, which tell the rows that a column has to have values of; so none is
 * asked of the candidates, and one without them is found when the request is answered. */
alcore_status alcore__check_inputs(alcore_request *request) {
    const alcore_strategy *sentences = alcore__strategy_part(request->strategy, 0);
    const alcore_strategy *strategy = sentences ? sentences : request->strategy;
    alcore_request from_target;
    bool is_from_target;
    ALCORE__TRY(alcore__request_from_target(request, &from_target, &is_from_target));
    resolver self = {.request = is_from_target ? &from_target : request,
                     .said = true,
                     .out = NULL,
                     .needs_are_given = alcore__strategy_def_of(strategy)->needs_are_given};
    ALCORE__TRY(alcore__check_roles(self.request, strategy));
    const int64_t rows = alcore_pool_row_count(self.request->candidates);
    ALCORE__TRY(alcore__new_array(request->object.ctx, (size_t)rows, 1, &self.mask));
    self.wanted = (alcore__wanted){.mask = self.mask, .rows = rows};
    alcore_status status = alcore__request_names_inputs(self.request, &self.named);
    if (status == ALCORE_OK) status = plan_roles(&self, strategy);
    alcore_model_unref(self.built_in);
    alcore__free(request->object.ctx, self.mask);
    return status;
}

alcore_status alcore__resolve_needs(alcore_request *request, const char *const *needs,
                                    alcore__resolution *out) {
    *out = (alcore__resolution){0};
    resolver self = {.request = request, .out = out, .of_phrases = true};
    alcore_status status = alcore__request_names_inputs(request, &self.named);
    for (int32_t i = 0; needs[i] && status == ALCORE_OK; i++)
        status = plan_need(&self, ALCORE_ROLE_CANDIDATES, request->candidates, needs[i]);
    if (status == ALCORE_OK)
        status = meet_needs(&self, ALCORE_ROLE_CANDIDATES, request->candidates);
    alcore_model_unref(self.built_in);
    return status;
}

alcore_status alcore__resolve_given(alcore_request *request, const char *name,
                                    alcore__resolution *out) {
    resolver self = {.request = request, .out = out};
    ALCORE__TRY(alcore__read_begin(request->candidates, "pool"));
    const bool found = alcore__pool_find_column(request->candidates, name) != NULL;
    alcore__read_end(request->candidates);
    if (!found) return ALCORE_OK;
    planned given = {0};
    snprintf(given.name, sizeof given.name, "%s", name);
    return keep(&self, ALCORE_ROLE_CANDIDATES, &given, false /* kept nowhere */);
}

/* Columns are looked up again by their names, since another thread may have dropped one since they
 * were resolved, when the pool was not locked. */
alcore_status alcore__resolution_fill(const alcore__resolution *resolution, int32_t role,
                                      const alcore_pool *pool, bool with_reused,
                                      alcore__dataset *dataset) {
    for (int32_t i = 0; i < resolution->count; i++) {
        const alcore__resolved *entry = &resolution->entries[i];
        if (entry->role != role || (entry->reused && !with_reused)) continue;
        const alcore__column *column = alcore__pool_find_column(pool, entry->name);
        if (!column)
            return alcore__fail(ALCORE_E_BUSY, "the column '%s' was dropped during the call",
                                entry->name);
        ALCORE__TRY(alcore__dataset_add(dataset, entry->name, column));
    }
    return ALCORE_OK;
}
