/* SPDX-License-Identifier: Apache-2.0 */
/* What the selections of one request share: the candidates with their scores and record, what was
 * asked, and where the inputs came from. Made once, however many budgets are spent.
 *
 * The input of the run, the masks, the resolution and the outcome are those of the answered request
 * (request_answer.c). Texts of the ranking are copies that it owns, but for engine, reason and
 * measure, which are static. Of a column (pool/column.h) `origin` says who made it, and `engine`
 * what ran the model that did; NULL: no model made it. */
#include <math.h>
#include <string.h>

#include "phrase/phrase_pool.h"
#include "selection/selection_internal.h"

/* The destructor of the ranking, called when the last selection of the request is released; safe
 * for one whose making failed, as alcore__object_new() zeroes all members. */
static void release(void *object) {
    alcore__ranking *self = object;
    alcore_ctx *ctx = self->object.ctx;
    alcore_pool_unref(self->pool);
    alcore__outcome_clear(ctx, &self->outcome);
    for (int32_t i = 0; i < self->input_column_count; i++) {
        alcore__free(ctx, self->input_columns[i].origin);
        alcore__free(ctx, self->input_columns[i].warnings);
    }
    for (int32_t i = 0; i < ALCORE__NEED_ROLES; i++) alcore__free(ctx, self->inputs[i].unread);
    alcore__free(ctx, self->ignored);
    alcore__free(ctx, self->masks);
    alcore__free(ctx, self->strategy);
    alcore__free(ctx, self->parameters);
    alcore__free(ctx, self->options);
    alcore__free(ctx, self->command);
    alcore__free(ctx, self->device);
}

/* *out: a copy of text that the caller frees. */
static alcore_status copy_text(alcore_ctx *ctx, const char *text, char **out) {
    *out = alcore__strndup(ctx, text, strlen(text));
    return !*out ? alcore__fail_memory(strlen(text) + 1) : ALCORE_OK;
}

/* Makes *out, a JSON object of all parameters of a table (NULL: a host's strategy has none) with
 * their values, for the provenance: the options of the request, or the parameters of the strategy.
 * Numbers become JSON numbers, and so do integers that are written with digits alone; everything
 * else is a string: words such as "all", whose value as a number is NaN, and an integer written as
 * 1e3. A seed of 2^63 or more, whose 64 bits value->integer has, is printed from its text. The
 * option "command" is left out, as the provenance has a member for it, and so are "given", those
 * of the cache and keep_phrases, which change nothing of a selection, and fuzzy_match where it is
 * off, as selections of 1.0 have none. The caller frees *out, whose text ends with a NUL; it is
 * NULL after a failure. */
static alcore_status values_json(alcore_ctx *ctx, const alcore__values *values, char **out) {
    alcore__json_out json = {.ctx = ctx};
    alcore__json_open(&json, NULL, '{');
    for (int32_t i = 0; values->table && i < values->table->count; i++) {
        const alcore__param *row = &values->table->rows[i];
        const alcore__value *value = &values->values[i];
        if (strcmp(row->name, "command") == 0 || strcmp(row->name, "given") == 0 ||
            strncmp(row->name, "cache", 5) == 0 || strcmp(row->name, "keep_phrases") == 0 ||
            (strcmp(row->name, "fuzzy_match") == 0 && isnan(value->number)))
            continue;
        bool number = row->type == ALCORE_PARAM_NUMBER && !isnan(value->number);
        bool integer = row->type == ALCORE_PARAM_INTEGER || row->type == ALCORE_PARAM_FLAG;
        if (number)
            alcore__json_put_number(&json, row->name, value->number);
        else if (integer && value->integer < 0 && value->text[0] != '-')
            alcore__json_put_raw(&json, row->name, value->text + strspn(value->text, "+0"));
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

/* Copies what a selection tells of the request: options, strategy and its parameters, seed, round,
 * price. Copies, since the request and the strategy may change after the selection is made.
 * summary, reason and measure are static. */
static alcore_status keep_request(alcore__ranking *self, const alcore_request *request,
                                  const alcore_strategy *strategy) {
    alcore_ctx *ctx = self->object.ctx;
    const char *command = request->options.command, *masks = request->options.masks;
    self->seed = alcore__request_seed(request);
    self->round = request->options.round;
    self->unit = request->budgets.unit;
    self->price = request->price;
    self->fill_policy = request->options.fill;
    self->summary = alcore__strategy_def_of(strategy)->summary;
    self->reason = alcore__strategy_def_of(strategy)->reason;
    self->measure = alcore__strategy_measure(strategy);
    self->scored = alcore__strategy_scores(strategy);
    self->recommended = alcore__strategy_is_recommended(strategy);
    ALCORE__TRY(copy_text(ctx, alcore__strategy_name(strategy), &self->strategy));
    ALCORE__TRY(copy_text(ctx, request->options.device, &self->device));
    if (command[0] != '\0') ALCORE__TRY(copy_text(ctx, command, &self->command));
    if (self->recommended)
        ALCORE__TRY(copy_text(ctx, strcmp(masks, "auto") == 0 ? "all" : masks, &self->masks));
    ALCORE__TRY(values_json(ctx, &request->values, &self->options));
    return values_json(ctx, alcore__strategy_values(strategy), &self->parameters);
}

/* Adds what a job has of a column that lies in its shards. */
static alcore_status keep_told(alcore__ranking *self, const alcore__input_column *told) {
    alcore__input_column *input = &self->input_columns[self->input_column_count++];
    *input = *told;
    input->origin = input->warnings = NULL;
    ALCORE__TRY(copy_text(self->object.ctx, told->origin, &input->origin));
    return told->warnings ? copy_text(self->object.ctx, told->warnings, &input->warnings)
                          : ALCORE_OK;
}

/* Adds a description of a column that was read to self->input_columns: where it came from, its
 * shape and dtype, and a fingerprint of its values; of one that a model made, the model's engine
 * instead; of one on a device, the device instead, because a fingerprint would copy all of it to
 * the host. Columns that another thread has dropped meanwhile are left out, and those that the
 * maker of a derived pool set, since they follow from its source. A resolution has at most as many
 * columns as input_columns has entries. */
static alcore_status keep_column(alcore__ranking *self, const alcore_pool *pool,
                                 const alcore__resolved *entry) {
    if (entry->in_shards) return keep_told(self, entry->in_shards);
    const alcore__column *column = alcore__pool_find_column(pool, entry->name);
    if (!column || strcmp(column->origin, ALCORE__ORIGIN_DERIVED) == 0) return ALCORE_OK;
    alcore__input_column *input = &self->input_columns[self->input_column_count];
    *input = (alcore__input_column){.role = entry->role,
                                    .built_in = entry->built_in,
                                    .reused = entry->reused,
                                    .reuse = entry->reuse,
                                    .lost = entry->lost,
                                    .rows = column->row_count,
                                    .dims = column->dims,
                                    .cut = column->cut.texts,
                                    .cut_at = column->cut.tokens,
                                    .dtype = column->dtype,
                                    .ragged = column->ragged};
    memcpy(input->name, entry->name, sizeof input->name);
    input->engine = column->engine;
    input->device = alcore__column_device(column);
    if (!input->engine && input->device < 0)
        ALCORE__TRY(alcore__column_fingerprint(column, &input->fingerprint));
    self->input_column_count++; /* from here on it is released with the ranking */
    ALCORE__TRY(copy_text(self->object.ctx, column->origin, &input->origin));
    return column->warnings ? copy_text(self->object.ctx, column->warnings, &input->warnings)
                            : ALCORE_OK;
}

/* Whether the column of the pool in a role is among the columns that were read. */
static bool is_read(const alcore__ranking *self, int32_t role, const char *name) {
    for (int32_t i = 0; i < self->input_column_count; i++)
        if (self->input_columns[i].role == role && strcmp(self->input_columns[i].name, name) == 0)
            return true;
    return false;
}

/* Sets input->unread to the names of the columns that a caller gave the pool of an input and that
 * were not read, a JSON array whose text moves there; it stays NULL where all were read. Called
 * when all columns that were read are kept. */
static alcore_status list_unread(alcore__ranking *self, const alcore_pool *pool,
                                 alcore__input_pool *input) {
    alcore__json_out json = {.ctx = self->object.ctx};
    bool any = false;
    alcore__json_open(&json, NULL, '[');
    const alcore__column *column;
    for (int64_t i = 0; (column = alcore__pool_column_at(pool, i)) != NULL; i++) {
        if (!alcore__column_is_given(column) || is_read(self, input->role, column->name)) continue;
        alcore__json_put_string(&json, NULL, column->name);
        any = true;
    }
    alcore__json_close(&json, ']');
    if (any && json.status == ALCORE_OK)
        input->unread = json.text.data;
    else
        alcore__buffer_clear(self->object.ctx, &json.text);
    return json.status;
}

/* Describes the pool in a role, of whose rows `used` took part, once all columns that were read are
 * kept; NULL: the request has none. */
static alcore_status keep_pool(alcore__ranking *self, const alcore_pool *pool, int32_t role,
                               int64_t rows, int64_t used) {
    if (!pool) return ALCORE_OK;
    alcore__input_pool *input = &self->inputs[alcore__role_place(role)];
    *input = (alcore__input_pool){
        .role = role, .rows = rows, .used = used, .fingerprint = alcore_pool_fingerprint(pool)};
    return list_unread(self, pool, input);
}

/* The names of the given columns in a role that were not read, with a meaning to strategies. */
static alcore_status ignore_columns(const alcore__ranking *self, const alcore_pool *pool,
                                    int32_t role, alcore__buffer *text) {
    const char *prefix = role == ALCORE_ROLE_LABELED  ? "labeled."
                         : role == ALCORE_ROLE_TARGET ? "target."
                                                      : "";
    const alcore__column *column;
    for (int64_t i = 0; pool && (column = alcore__pool_column_at(pool, i)) != NULL; i++) {
        const alcore__column_name *name = alcore__column_name_find(column->name);
        if (!name || name->role != ALCORE__COLUMN_INPUT || !alcore__column_is_given(column) ||
            is_read(self, role, column->name))
            continue;
        ALCORE__TRY(alcore__buffer_format(self->object.ctx, text, "%s%s%s",
                                          text->length ? ", " : "", prefix, column->name));
    }
    return ALCORE_OK;
}

/* Sets self->ignored, once all columns that were read are kept. A caller who names a strategy is
 * told of what it does not read by an error (request_given.c), or wants it for other calls. Where
 * no model made a column, neither a model nor its options were read. */
static alcore_status list_ignored(alcore__ranking *self, const alcore_request *request) {
    const alcore__request_options *options = &request->options;
    bool made = false;
    for (int32_t i = 0; i < self->input_column_count; i++)
        made |= self->input_columns[i].engine != NULL;
    const struct {
        const char *name;
        bool set;
    } inputs[] = {{"model", alcore__request_names_model(request)},
                  {"cache", options->cache[0] != '\0'},
                  {"max_age", options->max_age > 0}};
    alcore__buffer text = {0};
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; status == ALCORE_OK && i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i].set && !made)
            status = alcore__buffer_format(self->object.ctx, &text, "%s%s", text.length ? ", " : "",
                                           inputs[i].name);
    if (status == ALCORE_OK)
        status = ignore_columns(self, request->candidates, ALCORE_ROLE_CANDIDATES, &text);
    if (status == ALCORE_OK)
        status = ignore_columns(self, request->labeled, ALCORE_ROLE_LABELED, &text);
    if (status == ALCORE_OK)
        status = ignore_columns(self, request->target, ALCORE_ROLE_TARGET, &text);
    if (status != ALCORE_OK) alcore__buffer_clear(self->object.ctx, &text);
    self->ignored = text.data;
    return status;
}

/* Describes the pools and the columns that were read: rows, rows that took part, fingerprints, and
 * how many rows were masked for which cause. Rows that the run masked for a NaN are added to the
 * causes of the masks. `used` of the candidates counts them before candidates=N draws. The target,
 * request->target, is described only where a strategy ran, as only then the input has it. The share
 * of unspaced letters is needed for a warning about budgets of words only. Called behind
 * keep_request(), which sets self->unit, when self->outcome is the run's. */
static alcore_status keep_inputs(alcore__ranking *self, const alcore_request *request,
                                 const alcore__run_input *input, const alcore__masks *masks,
                                 const alcore__resolution *resolution) {
    self->pool_rows = masks->rows;
    self->texts = masks->texts;
    if (alcore__is_phrase_pool(request->candidates))
        self->text_rows = alcore__phrase_source_rows(request->candidates);
    memcpy(self->by_cause, masks->by_cause, sizeof self->by_cause);
    self->by_cause[ALCORE__CAUSE_NAN] += self->outcome.nan_count;
    self->unspaced_share =
        self->unit == ALCORE_UNIT_WORDS ? alcore__pool_unspaced_share(request->candidates) : 0;
    for (int32_t i = 0; i < resolution->count; i++) {
        const alcore__resolved *entry = &resolution->entries[i];
        ALCORE__TRY(keep_column(self,
                                entry->role == ALCORE_ROLE_LABELED  ? request->labeled
                                : entry->role == ALCORE_ROLE_TARGET ? request->target
                                                                    : request->candidates,
                                entry));
    }
    /* Phrases were measured by columns of their texts; keep_column() left their own columns out. */
    for (int32_t i = 0; i < masks->texts.columns.count; i++)
        ALCORE__TRY(keep_column(self, alcore_pool_source(request->candidates),
                                &masks->texts.columns.entries[i]));
    ALCORE__TRY(
        keep_pool(self, request->candidates, ALCORE_ROLE_CANDIDATES, masks->rows, masks->eligible));
    ALCORE__TRY(keep_pool(self, request->labeled, ALCORE_ROLE_LABELED, masks->labeled_pool_rows,
                          masks->labeled_pool_count));
    ALCORE__TRY(keep_pool(self, input->target.pool, ALCORE_ROLE_TARGET, input->target.rows,
                          masks->target_count));
    return self->recommended && masks->eligible > 0 ? list_ignored(self, request) : ALCORE_OK;
}

alcore_status alcore__ranking_new(const alcore_request *request, const alcore_strategy *strategy,
                                  const alcore__run_input *input, const alcore__masks *masks,
                                  const alcore__resolution *resolution, alcore__outcome *outcome,
                                  alcore__ranking **out) {
    alcore__ranking *self;
    *out = NULL;
    ALCORE__TRY(alcore__object_new(request->object.ctx, sizeof *self, release, &self));
    self->pool = alcore_pool_ref(request->candidates);
    self->outcome = *outcome;
    *outcome = (alcore__outcome){0};
    self->engine = input->engine.kernels->engine;
    alcore_status status = keep_request(self, request, strategy);
    if (status == ALCORE_OK) status = keep_inputs(self, request, input, masks, resolution);
    return alcore__object_made(status, self, out);
}

int64_t alcore__ranking_text_masked(const alcore__ranking *ranking, int32_t cause) {
    return ranking->by_cause[cause] + ranking->texts.by_cause[cause];
}

/* The ranking of the picks of a hybrid, *out, with one reference: options, seed and strategy are
 * those of the whole request, the pool is that of the picks, the inputs are those of the sentences.
 * It has no input columns, as the provenance of the parts tells which were read. The outcome
 * moves into it as in alcore__ranking_new(). Called by selection_join.c. */
alcore_status alcore__ranking_join(const alcore_request *request, const alcore__ranking *sentences,
                                   alcore_pool *picks, alcore__outcome *outcome,
                                   alcore__ranking **out) {
    alcore__ranking *self;
    *out = NULL;
    ALCORE__TRY(alcore__object_new(request->object.ctx, sizeof *self, release, &self));
    self->pool = alcore_pool_ref(picks);
    self->outcome = *outcome;
    *outcome = (alcore__outcome){0};
    self->engine = sentences->engine;
    memcpy(self->inputs, sentences->inputs, sizeof self->inputs);
    /* What was not read stands with the parts. */
    for (int32_t i = 0; i < ALCORE__NEED_ROLES; i++) self->inputs[i].unread = NULL;
    memcpy(self->by_cause, sentences->by_cause, sizeof self->by_cause);
    self->pool_rows = sentences->pool_rows;
    self->unspaced_share = sentences->unspaced_share;
    const alcore_status status = keep_request(self, request, request->strategy);
    return alcore__object_made(status, self, out);
}
