/* SPDX-License-Identifier: Apache-2.0 */
/* The selection's handle: what it holds and hands out. */
#include <math.h>
#include <string.h>

#include "request/selection_internal.h"

static void release(void *object) {
    alcore_selection *selection = object;
    alcore_ctx *ctx = selection->object.ctx;
    alcore_pool_unref(selection->pool);
    alcore__outcome_clear(ctx, &selection->outcome);
    alcore__terms_clear(ctx, &selection->terms);
    alcore__arena_clear(ctx, &selection->texts);
    alcore__free(ctx, selection->rows);
    alcore__free(ctx, selection->scores);
    alcore__free(ctx, selection->costs);
    alcore__free(ctx, selection->reasons);
    alcore__free(ctx, selection->ranks);
    for (int32_t i = 0; i < ALCORE__RECORD_COLUMNS; i++)
        alcore__free(ctx, selection->pick_columns[i]);
    for (int32_t i = 0; i < selection->source_count; i++)
        alcore__free(ctx, selection->sources[i].origin);
    alcore__free(ctx, selection->provenance);
    alcore__free(ctx, selection->summary);
    alcore__free(ctx, selection->strategy);
    alcore__free(ctx, selection->parameters);
    alcore__free(ctx, selection->options);
    alcore__free(ctx, selection->command);
    alcore__free(ctx, selection->device);
}

static alcore_status copy_text(alcore_ctx *ctx, const char *text, char **out) {
    *out = alcore__strndup(ctx, text, strlen(text));
    return *out == NULL ? alcore__fail_memory(strlen(text) + 1) : ALCORE_OK;
}

/* Names and effective values of a table, as a JSON object. */
static alcore_status values_json(alcore_ctx *ctx, const alcore__values *values, char **out) {
    alcore__json_out json = {.ctx = ctx};
    alcore__json_open(&json, NULL, '{');
    for (int32_t i = 0; values->table != NULL && i < values->table->count; i++) {
        const alcore__param *row = &values->table->rows[i];
        const alcore__value *value = &values->values[i];
        if (strcmp(row->name, "command") == 0) continue;
        bool number = row->type == ALCORE_PARAM_NUMBER && !isnan(value->number);
        bool integer = row->type == ALCORE_PARAM_INTEGER || row->type == ALCORE_PARAM_FLAG;
        if (number)
            alcore__json_put_number(&json, row->name, value->number);
        else if (integer && strspn(value->text, "-+0123456789") == strlen(value->text))
            alcore__json_put_integer(&json, row->name, value->integer);
        else
            alcore__json_put_string(&json, row->name, value->text);
    }
    alcore__json_close(&json, '}');
    if (json.status != ALCORE_OK) alcore__buffer_clear(ctx, &json.text);
    *out = json.text.data;
    return json.status;
}

static alcore_status keep_request(alcore_selection *self, const alcore_request *request,
                                  const alcore_strategy *strategy, const alcore__run_input *input) {
    alcore_ctx *ctx = self->object.ctx;
    const char *command = alcore__values_text(&request->values, "command");
    self->seed = input->seed;
    self->round = input->round;
    self->budget = request->budget;
    self->fill_policy = input->fill.policy;
    self->engine = input->engine.kernels->engine;
    self->reason = alcore__strategy_reason(strategy);
    self->measure = alcore__strategy_measure(strategy);
    self->scored = alcore__strategy_scores(strategy);
    ALCORE__TRY(copy_text(ctx, alcore__strategy_name(strategy), &self->strategy));
    ALCORE__TRY(copy_text(ctx, alcore__values_text(&request->values, "device"), &self->device));
    if (command[0] != '\0') ALCORE__TRY(copy_text(ctx, command, &self->command));
    ALCORE__TRY(values_json(ctx, &request->values, &self->options));
    return values_json(ctx, alcore__strategy_values(strategy), &self->parameters);
}

static alcore_status keep_inputs(alcore_selection *self, const alcore_request *request,
                                 const alcore__run_input *input, const alcore__masks *masks,
                                 const alcore__resolution *resolution) {
    alcore_ctx *ctx = self->object.ctx;
    self->pool_rows = masks->rows;
    memcpy(self->by_cause, masks->by_cause, sizeof self->by_cause);
    self->by_cause[ALCORE__CAUSE_NAN] += self->outcome.nan_count;
    self->unspaced_share = self->budget.unit == ALCORE__UNIT_WORDS
                               ? alcore__pool_unspaced_share(request->candidates)
                               : 0;
    self->inputs[0] = (alcore__input){ALCORE_ROLE_CANDIDATES, masks->rows, masks->eligible,
                                      alcore_pool_fingerprint(request->candidates)};
    if (request->labeled != NULL)
        self->inputs[1] =
            (alcore__input){ALCORE_ROLE_LABELED, alcore_pool_rows(request->labeled),
                            masks->side_count, alcore_pool_fingerprint(request->labeled)};
    if (input->target.pool != NULL)
        self->inputs[2] =
            (alcore__input){ALCORE_ROLE_TARGET, input->target.rows, masks->target_count,
                            alcore_pool_fingerprint(input->target.pool)};
    for (int32_t i = 0; i < resolution->count; i++) {
        const alcore__resolved *entry = &resolution->entries[i];
        const alcore_pool *pool = entry->role == ALCORE_ROLE_LABELED  ? request->labeled
                                  : entry->role == ALCORE_ROLE_TARGET ? request->target
                                                                      : request->candidates;
        const alcore__column *column = alcore__pool_find_column(pool, entry->name);
        alcore__source *source = &self->sources[self->source_count];
        *source = (alcore__source){.role = entry->role,
                                   .built_in = entry->built_in,
                                   .rows = column->row_count,
                                   .dims = column->dims,
                                   .dtype = column->dtype,
                                   .ragged = column->ragged};
        memcpy(source->name, entry->name, sizeof source->name);
        source->engine = column->engine;
        if (source->engine == NULL)
            ALCORE__TRY(alcore__column_fingerprint(column, &source->fingerprint));
        ALCORE__TRY(copy_text(ctx, column->origin, &source->origin));
        self->source_count++;
    }
    return ALCORE_OK;
}

/* The picks by themselves: rows, scores, costs and the record's columns. */
static alcore_status gather_picks(alcore_selection *self, const double *costs) {
    alcore_ctx *ctx = self->object.ctx;
    const alcore__outcome *outcome = &self->outcome;
    size_t count = (size_t)outcome->pick_count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &self->rows));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->scores));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->costs));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof(int64_t), &self->ranks));
    for (int64_t i = 0; i < outcome->count; i++) self->ranks[i] = -1;
    for (int32_t c = 0; c < outcome->column_count; c++) {
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &self->pick_columns[c]));
        for (size_t k = 0; k < count; k++) /* float64 and int64 are both 8 bytes */
            memcpy((char *)self->pick_columns[c] + 8 * k,
                   (const char *)outcome->columns[c].values + 8 * outcome->picks[k], 8);
    }
    for (size_t k = 0; k < count; k++) {
        int64_t position = outcome->picks[k], row = outcome->rows[position];
        self->ranks[position] = (int64_t)k;
        self->rows[k] = row;
        self->scores[k] = outcome->scores[position];
        self->costs[k] = costs == NULL ? 1.0 : costs[row];
        self->words += alcore_pool_words(self->pool, row);
        self->characters += alcore__pool_characters(self->pool, row);
        self->units += alcore_pool_cost(self->pool, row);
    }
    self->count = outcome->pick_count;
    self->spent = outcome->spent;
    self->shapes[0] = outcome->pick_count;
    self->shapes[1] = outcome->count;
    return ALCORE_OK;
}

static alcore_status build(alcore_selection *self, const alcore_request *request,
                           const alcore_strategy *strategy, const alcore__run_input *input,
                           const alcore__masks *masks, const alcore__resolution *resolution) {
    ALCORE__TRY(gather_picks(self, input->costs));
    ALCORE__TRY(keep_request(self, request, strategy, input));
    ALCORE__TRY(keep_inputs(self, request, input, masks, resolution));
    ALCORE__TRY(alcore__terms_new(self->object.ctx, strategy, input, &self->outcome, &self->terms));
    ALCORE__TRY(alcore__selection_reasons(self));
    ALCORE__TRY(alcore__selection_write_provenance(self));
    return alcore__selection_write_summary(self);
}

alcore_status alcore__selection_new(const alcore_request *request, const alcore_strategy *strategy,
                                    const alcore__run_input *input, const alcore__masks *masks,
                                    const alcore__resolution *resolution, alcore__outcome *outcome,
                                    alcore_selection **out) {
    alcore_selection *self;
    ALCORE__TRY(alcore__object_new(request->object.ctx, sizeof *self, release, &self));
    self->pool = alcore_pool_ref(request->candidates);
    self->outcome = *outcome;
    *outcome = (alcore__outcome){0};
    alcore_status status = build(self, request, strategy, input, masks, resolution);
    if (status != ALCORE_OK) {
        alcore__object_unref(self);
        return status;
    }
    *out = self;
    return ALCORE_OK;
}

alcore_selection *alcore_selection_ref(alcore_selection *selection) {
    return alcore__object_ref(selection);
}

void alcore_selection_unref(alcore_selection *selection) {
    alcore__object_unref(selection);
}

int64_t alcore_selection_count(const alcore_selection *selection) {
    return selection == NULL ? 0 : selection->count;
}

const int64_t *alcore_selection_rows(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->rows;
}

const double *alcore_selection_scores(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->scores;
}

const double *alcore_selection_costs(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->costs;
}

double alcore_selection_spent(const alcore_selection *selection) {
    return selection == NULL ? 0 : selection->spent;
}

uint32_t alcore_selection_flags(const alcore_selection *selection) {
    return selection == NULL ? 0 : selection->outcome.flags;
}

alcore_pool *alcore_selection_pool(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->pool;
}

const char *alcore_selection_reason(const alcore_selection *selection, int64_t rank) {
    if (selection == NULL || rank < 0 || rank >= selection->count) return NULL;
    return selection->reasons[rank];
}

const char *alcore_selection_provenance(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->provenance;
}

const char *alcore_selection_summary(const alcore_selection *selection) {
    return selection == NULL ? NULL : selection->summary;
}

/* Columns that every candidates' record has, before the strategy's own. */
static const char *const candidate_columns[] = {"row", "rank", "score"};
enum { CANDIDATE_COLUMNS = 3 };

const char *alcore_selection_column_name(const alcore_selection *selection, int32_t scope,
                                         int32_t index) {
    if (selection == NULL || index < 0) return NULL;
    if (scope == ALCORE_SCOPE_CANDIDATES) {
        if (index < CANDIDATE_COLUMNS) return candidate_columns[index];
        index -= CANDIDATE_COLUMNS;
    } else if (scope != ALCORE_SCOPE_PICKS) {
        return NULL;
    }
    return index < selection->outcome.column_count ? selection->outcome.columns[index].name : NULL;
}

/* Whether there is such a column. *values is NULL only for an empty one. */
static bool find_column(const alcore_selection *selection, int32_t scope, const char *name,
                        void **values, int32_t *dtype) {
    const alcore__outcome *outcome = &selection->outcome;
    bool candidates = scope == ALCORE_SCOPE_CANDIDATES;
    if (candidates && strcmp(name, "score") == 0) {
        *values = outcome->scores;
        *dtype = ALCORE_FLOAT64;
        return true;
    }
    if (candidates && (strcmp(name, "row") == 0 || strcmp(name, "rank") == 0)) {
        *values = name[1] == 'o' ? outcome->rows : selection->ranks;
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

alcore_status alcore_selection_column(const alcore_selection *selection, int32_t scope,
                                      const char *name, alcore_tensor *out) {
    if (out != NULL) *out = (alcore_tensor){0};
    if (selection == NULL || name == NULL || out == NULL ||
        (scope != ALCORE_SCOPE_PICKS && scope != ALCORE_SCOPE_CANDIDATES))
        return alcore__fail(ALCORE_E_INVALID, "alcore_selection_column: selection, a scope, name "
                                              "and out are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    void *values;
    int32_t dtype;
    if (!find_column(selection, scope, name, &values, &dtype))
        return alcore__leave(selection->object.ctx,
                             alcore__fail(ALCORE_E_NOT_FOUND,
                                          "strategy %s keeps no record column '%s'",
                                          selection->strategy, name));
    /* The shape lives in the selection; alcore_tensor has no room for it, nor for const. */
    int64_t *shape = (int64_t *)(uintptr_t)&selection->shapes[scope == ALCORE_SCOPE_CANDIDATES];
    alcore_status status =
        alcore_tensor_init(out, values == NULL ? shape : values, dtype, shape, 1);
    return alcore__leave(selection->object.ctx, status);
}
