/* SPDX-License-Identifier: Apache-2.0 */
/* Answering a request by one strategy:
 *
 *   phrases    for a strategy that buys phrases, a pool of texts is replaced by that of its phrases
 *   masks      which rows of each pool take part, what each candidate costs, and which candidates
 *              are drawn where the strategy has candidates=N (pools locked)
 *   columns    models make the columns that the strategy needs and that are missing (not locked)
 *   run        the strategy scores and buys (locked again)
 *   selection  one handle for each budget, with reasons, summary and provenance
 *
 * Of a shard the run is that of budget/nominees.h, or one over what all shards have gathered, and
 * there is no selection; or the answer is held before the run, for passes over all shards.
 *
 * Rows that are added to the candidates between two locks end the call with ALCORE_E_BUSY. Rows
 * that are added to the labeled pool or to the target take no part: their datasets have as many
 * rows as the masks, which were made under the first lock. */
#include <math.h>
#include <string.h>

#include "scorer/bleu_column.h"
#include "select/select_internal.h"

enum { HELD_POOLS = 4 }; /* candidates, labeled, target, excluded */

/* The state of one answer, which answer_or_nominate() frees at its end. */
typedef struct alcore__held_answer answer;
struct alcore__held_answer {
    alcore_request *request;     /* the caller's, or `derived` */
    alcore__shard_answer *shard; /* borrowed; NULL: a selection is wanted */
    /* A copy of the caller's request whose candidates are the phrases of its texts, `phrases`, and
     * which names no rows; used where the strategy buys phrases. */
    alcore_request derived;
    alcore_pool *phrases;    /* one reference; NULL: the candidates are those of the caller */
    alcore__text_rows texts; /* what is known of the texts of `phrases`; else all 0 */
    alcore_ctx *ctx;
    alcore_strategy *strategy; /* the request's, or the recommended one; one reference */
    alcore__masks masks;
    alcore__resolution resolution; /* the columns that the strategy reads */
    alcore__reuse reuse; /* with max_age: the columns that earlier rounds have values of */
    double *costs;       /* [rows of the candidates' pool] in the unit of the budget; 0 for
                      rows that are no candidates; NULL: every row costs 1 */
    /* [budgets.count - 1] the budgets but the largest; NULL: there is one budget */
    double *further;
    /* [rows] a copy of the candidates for the next round, with sticky=1; else NULL */
    uint8_t *drawn;
    int32_t *languages; /* [rows of the candidates' pool] index of each row's language among all
                           tags of the pool in byte order; NULL: the strategy does not read
                           languages */
    alcore__run_input input;
    alcore__outcome outcome;
    alcore__column
        *computed; /* in place of a column of texts, for passes over shards; NULL: none */
    alcore_pool *held[HELD_POOLS]; /* locked for reading until the answer is freed, a reference of
                                      each; NULL: it is not held, or has no such pool */
};

/* Refuses errors that can be seen without reading a pool: no candidates, the pool of candidates as
 * the labeled pool or the excluded texts too (as the target it is allowed), no budget, and
 * cache_max_age (NaN: "off") or max_age without a cache. Messages carry a remedy where there is one
 * thing to set. */
static alcore_status check_request(const alcore_request *request) {
    if (!request->candidates) return alcore__fail_no_candidates();
    if (request->candidates == request->labeled)
        return alcore__fail(ALCORE_E_INVALID,
                            "the pool of candidates is the labeled pool too; name the rows of the "
                            "pool whose labels are known instead");
    if (request->candidates == request->excluded)
        return alcore__fail(ALCORE_E_INVALID,
                            "the pool of candidates is the pool of excluded texts too, so that "
                            "nothing could be selected");
    if (request->budgets.count == 0)
        return alcore__fail_remedy(alcore__fail(ALCORE_E_PARAM, "the request has no budget"),
                                   ALCORE_REMEDY_OPTION, "budget", "1000w",
                                   "buys items worth 1000 words");
    const bool caches = !isnan(request->options.cache_max_age), ages = request->options.max_age > 0;
    if (*request->options.cache || !(caches || ages)) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_PARAM, caches ? "cache_max_age is set, but no cache is"
                                            : "max_age is set, but no cache is, which would have "
                                              "the scores of earlier rounds"),
        ALCORE_REMEDY_OPTION, "cache", "FOLDER", "keeps what models compute");
}

/* Makes costs [rows], the cost of every candidate in the unit of the budget: its words, its
 * characters, or its entry in the cost column; 0 for other rows. All budgets have one unit, that of
 * the first, which check_request() has found. Those of items leave costs NULL: every row costs 1.
 * Fails for a candidate without an entry in the cost column (NaN). */
static alcore_status make_costs(answer *self) {
    const alcore_pool *pool = self->request->candidates;
    int32_t unit = self->request->budgets.unit;
    if (unit == ALCORE_UNIT_ITEMS) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof(double), &self->costs));
    for (int64_t i = 0; i < self->masks.rows; i++) {
        if (i % 1024 == 0) ALCORE__TRY(alcore__tick(self->ctx, "costs", i, self->masks.rows));
        if (!self->masks.candidate_mask[i]) continue;
        double cost = unit == ALCORE_UNIT_WORDS        ? (double)alcore_pool_words(pool, i)
                      : unit == ALCORE_UNIT_CHARACTERS ? (double)alcore__pool_characters(pool, i)
                                                       : alcore_pool_cost(pool, i);
        if (isnan(cost)) {
            char buffer[24]; /* for the id of a row without one: its number */
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld (id %s) has no cost, and the budget is in units of the "
                                "cost column",
                                (long long)i, alcore__pool_id(pool, i, buffer));
        }
        self->costs[i] = cost;
    }
    return ALCORE_OK;
}

/* Checks that every candidate has a value in every column of the dataset. A candidate without one
 * ends the call; a labeled row of the pool that lacks one of the columns that the strategy reads of
 * what is labeled only takes no part, with a warning, since its labels were given and its columns
 * often are not. No row is both. Called after the candidates are drawn, so that only drawn rows
 * need values. */
static alcore_status check_values(answer *self, const alcore__dataset *dataset) {
    int64_t dropped = 0; /* labeled rows that take no part */
    for (int32_t c = 0; c < dataset->column_count; c++) {
        const alcore__column *column = dataset->columns[c].column;
        bool of_labeled = alcore__strategy_needs_column(self->strategy, ALCORE_ROLE_LABELED,
                                                        dataset->columns[c].name);
        int64_t missing = 0, first = -1;
        for (int64_t i = 0; i < self->masks.rows; i++) {
            if (i % ALCORE_BLOCK_ROWS == 0)
                ALCORE__TRY(alcore__tick(self->ctx, "columns", i, self->masks.rows));
            bool candidate = self->masks.candidate_mask[i];
            bool labeled = of_labeled && self->masks.labeled_rows[i];
            if ((!candidate && !labeled) || alcore__column_has(column, i)) continue;
            if (labeled) {
                self->masks.labeled_rows[i] = 0;
                dropped++;
                continue;
            }
            if (missing++ == 0) first = i;
        }
        if (missing > 0)
            return alcore__fail(
                ALCORE_E_MISSING,
                "column '%s' has no value for row %lld and %lld more; give them, or "
                "mark those rows ineligible",
                dataset->columns[c].name, (long long)first, (long long)missing - 1);
    }
    self->masks.labeled_count -= dropped;
    if (dropped > 0)
        alcore__log(self->ctx, ALCORE_LOG_WARN, "request", NULL /* no fields */,
                    "%lld labeled rows of the pool have no values and take no part",
                    (long long)dropped);
    return ALCORE_OK;
}

/* With sticky=1, copies the candidates of this round to self->drawn for the next one (spec 3.7);
 * without, self->drawn stays NULL and nothing is remembered. */
static alcore_status copy_drawn(answer *self) {
    if (!alcore__strategy_is_sticky(self->strategy)) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof *self->drawn, &self->drawn));
    if (self->masks.rows > 0)
        memcpy(self->drawn, self->masks.candidate_mask, (size_t)self->masks.rows);
    return ALCORE_OK;
}

/* Moves self->drawn into the request, once the selection is made, or hands it out for a shard,
 * whose job does so when it is done. Strategies that buy phrases have no parameter sticky, so
 * self->request is the caller's here and never `derived`, which would free the masks that it shares
 * with the caller's request. */
static void keep_drawn(answer *self) {
    if (!self->drawn) return;
    if (self->shard)
        self->shard->drawn = self->drawn;
    else
        alcore__keep_drawn(self->request, self->masks.rows, self->drawn);
    self->drawn = NULL;
}

/* *out [rows]: the candidates of the round before, of which rows that were added since are none,
 * owned by the caller; NULL: there was no such round. */
static alcore_status copy_previous(const answer *self, uint8_t **out) {
    const alcore__drawn *drawn = alcore__drawn_before(self->request);
    const int64_t rows = drawn->rows < self->masks.rows ? drawn->rows : self->masks.rows;
    *out = NULL;
    if (drawn->round == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->masks.rows, sizeof **out, out));
    if (rows > 0) memcpy(*out, drawn->mask, (size_t)rows);
    return ALCORE_OK;
}

/* Applies candidates=N to the mask of the candidates and copies what it draws for sticky=1. For
 * sticky=1 the draw starts from the candidates of the latest earlier round that was answered,
 * previous [rows] (NULL: there is none; without sticky=1 it is not looked at); rows that were added
 * since stay 0, as they were no candidates then. alcore__strategy_draw() clears the entries of
 * candidate_mask that are not drawn; all stay where candidates=N is not set. Only after the run is
 * it known that the round was answered, so keep_drawn() is called later. */
static alcore_status draw_candidates(answer *self) {
    uint8_t *previous;
    ALCORE__TRY(copy_previous(self, &previous));
    alcore_status status = alcore__strategy_draw(
        self->strategy, self->input.seed, self->input.round, &self->input.place, self->masks.rows,
        previous, self->masks.candidate_mask);
    alcore__free(self->ctx, previous);
    if (status != ALCORE_OK) return status;
    return copy_drawn(self);
}

/* Sets the budgets of the run: the strategy runs under the largest one, the others are spent from
 * the same order afterwards. No amount is given twice (request_budget.c), so count - 1 of them
 * differ from the largest. */
static alcore_status set_budgets(answer *self, alcore__fill *fill) {
    const alcore__budgets *budgets = &self->request->budgets;
    fill->budget = alcore__budgets_largest(budgets);
    if (budgets->count < 2) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)budgets->count, sizeof(double), &self->further));
    for (int64_t i = 0; i < budgets->count; i++)
        if (budgets->amounts[i] != fill->budget)
            self->further[fill->further_count++] = budgets->amounts[i];
    fill->further = self->further;
    return ALCORE_OK;
}

/* Reads the options into the input of the run, opens the engine that the option "device" names, and
 * sets self->strategy (the recommended one, when none was set). Pools are added by fill_input().
 * The value of a choice is its index among the words of the option table in request_handle.c, whose
 * order is that of ALCORE__FILL_* and ALCORE__TIE_*; of nan, 1 is exclude. explain: the outcome
 * then tells what each term of the score decided, for reasons and summary. alcore__request_answer()
 * frees what a failure leaves. */
static alcore_status set_up(answer *self) {
    alcore_request *request = self->request;
    const alcore__request_options *options = &request->options;
    self->input.ctx = self->ctx;
    self->input.seed = alcore__request_seed(request);
    self->input.round = options->round;
    if (self->shard) self->input.place = self->shard->place;
    self->input.nan_exclude = options->nan_exclude;
    const double max_similarity = options->max_similarity;
    self->input.fill = (alcore__fill){
        .policy = options->fill,
        .tie = options->tie,
        .limited = !isnan(max_similarity),
        .max_similarity = isnan(max_similarity) ? 0 : max_similarity,
        .explain = true,
    };
    /* follow_columns() opens it again where columns are on a device. */
    ALCORE__TRY(alcore__engine_open(self->ctx, options->device, &self->input.engine));
    ALCORE__TRY(set_budgets(self, &self->input.fill));
    if (request->strategy) {
        self->strategy = alcore_strategy_ref(request->strategy);
        return ALCORE_OK;
    }
    return alcore_strategy_new(self->ctx, NULL /* the recommended one */, &self->strategy);
}

/* Provides the columns of the texts by which phrases are measured (self->texts.columns), where the
 * strategy reads the columns "scores" and "embeddings" of phrases; the candidates are texts.
 * Called without locks on the pools, as models may make the columns. */
static alcore_status resolve_measures(answer *self) {
    if (!alcore__strategy_def_of(self->strategy)->phrase_measures) return ALCORE_OK;
    ALCORE__TRY(
        alcore__resolve_needs(self->request, alcore__phrase_measure_needs, &self->texts.columns));
    return alcore__resolve_given(self->request, alcore__phrase_links, &self->texts.columns);
}

/* Replaces the candidates by their phrases where the strategy buys phrases and they are texts: from
 * then on self->request is `derived`, whose candidates are the phrases and which names no rows, as
 * the rows that the caller's request names are rows of the texts. Else nothing changes. */
static alcore_status make_phrases(answer *self) {
    bool are_phrases;
    ALCORE__TRY(alcore__candidates_are_phrases(self->request, &are_phrases));
    if (are_phrases) return ALCORE_OK;
    ALCORE__TRY(resolve_measures(self));
    ALCORE__TRY(alcore__request_read_pools(self->request));
    alcore_status status =
        alcore__request_phrases(self->request, self->strategy, &self->texts, &self->phrases);
    if (status == ALCORE_OK && self->phrases && self->texts.columns.count > 0)
        status =
            alcore__measure_phrases(self->request->candidates, &self->texts.columns, self->phrases);
    alcore__request_leave_pools(self->request);
    if (status != ALCORE_OK || !self->phrases) return status;
    self->derived = *self->request;
    self->derived.candidates = self->phrases;
    self->derived.options.masks = "none"; /* they were for the texts */
    memset(self->derived.lists, 0, sizeof self->derived.lists);
    self->request = &self->derived;
    return ALCORE_OK;
}

/* Makes the masks of all pools and the costs of the candidates, and draws with candidates=N, with
 * the pools locked for reading. This is done before any column of the strategy is made, as without
 * a candidate no column is needed at all, and a model computes the candidates that are drawn only.
 * masks.texts: what the provenance tells of the texts of derived phrases. */
static alcore_status make_masks(answer *self) {
    const alcore_request *request = self->request;
    const bool only_count = self->shard && self->shard->wanted <= ALCORE__SHARD_COUNT;
    ALCORE__TRY(alcore__request_read_pools(request));
    alcore_status status =
        alcore__masks_new(request, request->target, alcore__strategy_is_recommended(self->strategy),
                          self->shard ? &self->shard->masked : NULL, &self->masks);
    self->masks.texts = self->texts;
    if (status == ALCORE_OK && !only_count) status = make_costs(self);
    const bool any = self->masks.eligible > 0 || (self->shard && self->shard->place.candidates > 0);
    if (status == ALCORE_OK && !only_count && any) status = draw_candidates(self);
    alcore__request_leave_pools(request);
    return status;
}

/* Fails where the masks of the recommended strategy left nothing in a first round: a pool of
 * numbers or keys, which stand for rows whose values are in columns, has no text to choose by. In a
 * later round the selection is SHORT, as it is when a pool has been bought. */
static alcore_status check_words(const answer *self, const alcore__masks *masks) {
    if (masks->eligible > 0 || masks->by_cause[ALCORE__CAUSE_WORDLESS] == 0 ||
        masks->by_cause[ALCORE__CAUSE_LABELED] > 0 || masks->by_cause[ALCORE__CAUSE_KNOWN] > 0 ||
        masks->by_cause[ALCORE__CAUSE_EXCLUDED] > 0 ||
        masks->by_cause[ALCORE__CAUSE_FILTERED] > 0 ||
        masks->by_cause[ALCORE__CAUSE_INELIGIBLE] > 0 ||
        !alcore__strategy_is_recommended(self->strategy) ||
        strcmp(self->request->options.masks, "auto") != 0)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "the candidates have no texts of words, which the recommended strategy %s "
                        "reads: name a strategy, such as kcenter for embeddings, uncertainty for "
                        "scores or huds for both; the option masks=none keeps such texts",
                        alcore__strategy_name(self->strategy));
}

/* Chooses the engine again where columns are on a device: that one, unless the request names
 * another, which is an error. Called when the datasets of all roles have their columns. */
static alcore_status follow_columns(answer *self) {
    alcore__run_input *input = &self->input;
    const alcore__dataset *const datasets[] = {&input->candidates, &input->labeled, &input->target};
    const char *device = self->request->options.device;
    alcore__placement placement = {0};
    alcore_status status = ALCORE_OK;
    for (size_t d = 0; d < sizeof datasets / sizeof *datasets; d++) {
        for (int32_t c = 0; c < datasets[d]->column_count && status == ALCORE_OK; c++) {
            const int32_t number = alcore__column_device(datasets[d]->columns[c].column);
            status = alcore__placement_add(&placement, number, datasets[d]->columns[c].name);
        }
    }
    if (status == ALCORE_OK && placement.on_device)
        status = alcore__engine_open_at(self->ctx, device, &placement, &input->engine);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "columns");
}

/* The rows of the candidates' pool that the strategy reads as labeled, [rows]; NULL without one. A
 * strategy that reads all that was bought needs no columns of them, so that none was dropped. */
static const uint8_t *labeled_rows_of(const answer *self) {
    const alcore__masks *masks = &self->masks;
    if (alcore__strategy_def_of(self->strategy)->reads_bought)
        return masks->bought_count > 0 ? masks->bought_rows : NULL;
    return masks->labeled_count > 0 ? masks->labeled_rows : NULL;
}

/* Whether a row is left in the mask of the candidates. */
static bool has_candidate(const answer *self) {
    bool any = false;
    for (int64_t row = 0; row < self->masks.rows && !any; row++)
        any = self->masks.candidate_mask[row];
    return any;
}

/* Fills in the input of the run, with the pools locked for reading: datasets with their columns,
 * the engine, the rows of another selection (like) and, where the strategy reads them, languages. A
 * role without a pool leaves its dataset empty (0 rows), as does a labeled pool without a row that
 * is read. Languages are listed once, though find_best() fills the input too. */
static alcore_status fill_input(answer *self) {
    alcore_request *request = self->request;
    alcore__run_input *input = &self->input;
    if (alcore_pool_row_count(request->candidates) != self->masks.rows)
        return alcore__fail(ALCORE_E_BUSY, "rows were added to the pool during the call");
    input->candidates = (alcore__dataset){
        .pool = request->candidates, .rows = self->masks.rows, .mask = self->masks.candidate_mask};
    input->labeled_rows = labeled_rows_of(self);
    input->costs = self->costs;
    if (request->labeled && self->masks.labeled_pool_count > 0) {
        input->labeled = (alcore__dataset){.pool = request->labeled,
                                           .rows = self->masks.labeled_pool_rows,
                                           .mask = self->masks.labeled_mask};
        ALCORE__TRY(alcore__resolution_fill(&self->resolution, ALCORE_ROLE_LABELED,
                                            request->labeled, true, &input->labeled));
    }
    alcore_pool *target = request->target;
    if (target) {
        const char *const *tags;
        input->target = (alcore__dataset){
            .pool = target, .rows = self->masks.target_rows, .mask = self->masks.target_mask};
        input->target_languages = self->masks.target_languages;
        input->target_language_count = alcore__pool_languages(target, &tags);
        ALCORE__TRY(alcore__resolution_fill(&self->resolution, ALCORE_ROLE_TARGET, target, true,
                                            &input->target));
    }
    /* Without a candidate nothing was computed of columns with values of earlier rounds. */
    ALCORE__TRY(alcore__resolution_fill(&self->resolution, ALCORE_ROLE_CANDIDATES,
                                        request->candidates, !self->shard || has_candidate(self),
                                        &input->candidates));
    ALCORE__TRY(follow_columns(self));
    if (request->lists[ALCORE__LIST(LIKE)].given) {
        input->like = request->lists[ALCORE__LIST(LIKE)].rows;
        input->like_count = request->lists[ALCORE__LIST(LIKE)].count;
        input->has_like = true;
    }
    if (!alcore__strategy_def_of(self->strategy)->reads_languages) return ALCORE_OK;
    if (!self->languages)
        ALCORE__TRY(alcore__list_languages(self->ctx, request->candidates, &self->languages));
    input->languages = self->languages;
    input->language_count = alcore__pool_languages(request->candidates, &input->language_tags);
    return ALCORE_OK;
}

/* Runs the strategy on the input and the candidates that were drawn, which must have values; others
 * need none. Rows of the labeled pool and of the target are not checked here: one without a value
 * reads as NaN (or as no tokens), which fails when the strategy reads it; with nan=exclude a row
 * whose embedding is NaN is left out. */
static alcore_status run_strategy(answer *self, alcore__outcome *out) {
    alcore__run_input *input = &self->input;
    ALCORE__TRY(fill_input(self));
    ALCORE__TRY(check_values(self, &input->candidates)); /* may lower labeled_count */
    input->labeled_rows = labeled_rows_of(self);
    return alcore__strategy_run(self->strategy, input, out);
}

/* ---- scores of earlier rounds (request_reuse.c) ---- */

/* Leaves the candidates that have values of earlier rounds in the mask. */
static void keep_earlier(answer *self) {
    for (int64_t row = 0; row < self->masks.rows; row++)
        self->masks.candidate_mask[row] &= self->reuse.has && self->reuse.has[row];
}

/* Under which budget the best candidates are found by values of earlier rounds. */
static alcore__fill refresh_fill(const answer *self) {
    const alcore__fill *fill = &self->input.fill;
    return (alcore__fill){.budget = fill->budget * self->request->options.refresh_factor,
                          .policy = fill->policy,
                          .tie = fill->tie};
}

/* Sets refreshed [rows] to 1 for the best candidates by values of earlier rounds: what the strategy
 * picks of those that have such values, for refresh_factor times the budget. The limit on similar
 * picks is for what is bought. The mask of the candidates is changed. */
static alcore_status find_best(answer *self, uint8_t *refreshed) {
    const alcore__fill fill = self->input.fill;
    alcore__outcome outcome = {0};
    keep_earlier(self);
    self->input.fill = refresh_fill(self);
    const alcore_status status = run_strategy(self, &outcome);
    self->input.fill = fill;
    for (int64_t i = 0; i < outcome.bought.pick_count; i++)
        refreshed[outcome.rows[outcome.bought.picks[i]]] = 1;
    alcore__outcome_clear(self->ctx, &outcome);
    return status;
}

/* Chooses the candidates that the present model scores, refreshed [rows]: those without a value of
 * earlier rounds, or among the best by these, which of a shard its job has found. The pools are
 * locked for reading. reuse.has is there, as at least one column is reused (refresh_columns()). */
static alcore_status choose_refreshed(answer *self, uint8_t *refreshed) {
    const uint8_t *found = self->shard ? self->shard->refreshed : NULL;
    bool any = false; /* some candidate has an earlier value */
    for (int64_t row = 0; row < self->masks.rows; row++) {
        const bool candidate = self->masks.candidate_mask[row] != 0;
        refreshed[row] = candidate && (!self->reuse.has[row] || (found && found[row]));
        any |= candidate && self->reuse.has[row];
    }
    return any && !self->shard && self->reuse.factor > 0 ? find_best(self, refreshed) : ALCORE_OK;
}

/* Makes the columns of which earlier rounds may have values, where the request has the option
 * max_age (rounds). The mask of the candidates, which find_best() narrows, is on return as it was,
 * also after a failure; but where a shard is asked by these values, it has the candidates alone
 * that have them. Called without locks on the pools; they are locked for reading while rows are
 * chosen. */
static alcore_status refresh_columns(answer *self) {
    const size_t rows = (size_t)self->masks.rows;
    const double cache_max_age = self->request->options.cache_max_age; /* seconds */
    uint8_t *arrays; /* [2, rows]: a copy of the mask of the candidates; refreshed */
    if (self->shard && self->shard->by_earlier) {
        keep_earlier(self);
        return ALCORE_OK;
    }
    if (self->reuse.count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, rows, 2, &arrays));
    uint8_t *refreshed = arrays + rows;
    memcpy(arrays, self->masks.candidate_mask, rows);
    alcore_status status = alcore__request_read_pools(self->request);
    if (status == ALCORE_OK) {
        status = choose_refreshed(self, refreshed);
        alcore__request_leave_pools(self->request);
    }
    memcpy(self->masks.candidate_mask, arrays, rows);
    if (status == ALCORE_OK)
        status = alcore__reuse_refresh(&self->reuse, refreshed, arrays, cache_max_age);
    if (status == ALCORE_OK) alcore__reuse_report(&self->reuse, &self->resolution);
    alcore__free(self->ctx, arrays);
    return status;
}

/* Fails for a column of a shard that an n-gram model made from the texts of the shard alone: those
 * of another shard would be scored otherwise. A request that names such a model has it learn from
 * the texts of all shards. */
static alcore_status check_makers(const answer *self) {
    const alcore__dataset *dataset = &self->input.candidates;
    for (int32_t c = 0; c < dataset->column_count; c++)
        if (alcore__column_is_built_in(dataset->columns[c].column) &&
            !alcore__request_names_ngram(self->request))
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "the column '%s' of the shard is of the n-gram model, which has "
                                "learned from the texts of the shard alone; name that model, which "
                                "then learns from all, or another one that was trained before",
                                dataset->columns[c].name);
    return ALCORE_OK;
}

/* ---- shards ---- */

/* Counts the candidates that sticky=1 may keep. */
static alcore_status count_kept(answer *self) {
    uint8_t *previous;
    ALCORE__TRY(copy_previous(self, &previous));
    for (int64_t row = 0; previous && row < self->masks.rows; row++)
        self->shard->kept += previous[row] && self->masks.candidate_mask[row];
    alcore__free(self->ctx, previous);
    return ALCORE_OK;
}

/* Answers what is asked of a shard before the columns are made. */
static alcore_status answer_masks(answer *self) {
    alcore__shard_answer *shard = self->shard;
    const bool recommended = alcore__strategy_is_recommended(self->strategy);
    alcore__masks all;
    shard->eligible = self->masks.eligible;
    if (shard->wanted == ALCORE__SHARD_COUNT) return count_kept(self);
    ALCORE__TRY(alcore__request_read_pools(self->request));
    const alcore_status status =
        shard->wanted == ALCORE__SHARD_TEXTS
            ? alcore__text_masks_write(self->request, recommended, &self->masks, &shard->out)
            : alcore__text_masks_read(self->request, recommended, &self->masks, &shard->parts, &all,
                                      shard->left_out);
    alcore__request_leave_pools(self->request);
    if (status != ALCORE_OK || shard->wanted == ALCORE__SHARD_TEXTS) return status;
    return check_words(self, &all);
}

/* Runs the strategy on the rows of all shards, with the pools locked for reading. */
static alcore_status spend_gathered(answer *self) {
    alcore__shard_answer *shard = self->shard;
    alcore__run_input *input = &self->input;
    alcore__shard_tokens gathered;
    alcore_status status =
        alcore__shard_tokens_read(self->ctx, &shard->parts, shard->rows, &gathered);
    input->gathered = &gathered;
    input->candidates = (alcore__dataset){.rows = shard->rows, .mask = gathered.candidates};
    input->labeled_rows = gathered.bought;
    if (input->costs) input->costs = gathered.costs;
    input->languages = gathered.languages;
    input->language_count = gathered.language_count;
    input->place = (alcore__place){0};
    input->fill.explain = shard->explain;
    input->fill.limited &= shard->rows > 0; /* of no row there is an embedding */
    if (status == ALCORE_OK && shard->embeddings)
        status = alcore__dataset_add(&input->candidates, "embeddings", shard->embeddings);
    if (status == ALCORE_OK) status = alcore__strategy_run(self->strategy, input, &shard->outcome);
    if (status == ALCORE_OK && input->costs) {
        shard->costs = gathered.costs;
        gathered.costs = NULL;
    }
    alcore__shard_tokens_clear(self->ctx, &gathered);
    return status;
}

/* The input of a shard, with the pools locked for reading. */
static alcore_status fill_shard(answer *self) {
    ALCORE__TRY(fill_input(self));
    ALCORE__TRY(check_makers(self));
    ALCORE__TRY(check_values(self, &self->input.candidates));
    self->input.labeled_rows = labeled_rows_of(self);
    return ALCORE_OK;
}

/* Keeps the pools locked until alcore__held_answer_free(). */
static void hold_pools(answer *self) {
    const alcore_request *request = self->request;
    alcore_pool *const pools[HELD_POOLS] = {request->candidates, request->labeled, request->target,
                                            request->excluded};
    for (int i = 0; i < HELD_POOLS; i++) self->held[i] = alcore_pool_ref(pools[i]);
}

/* Passes over shards exchange values of rows and not their texts: a column of round trips is
 * replaced by what the score makes of it. A shard without rows has none. */
static alcore_status compute_texts(answer *self) {
    alcore__dataset *dataset = &self->input.candidates;
    if (!alcore__strategy_needs_column(self->strategy, ALCORE_ROLE_CANDIDATES, "roundtrip") ||
        !alcore__dataset_find(dataset, "roundtrip"))
        return ALCORE_OK;
    ALCORE__TRY(alcore__bleu_column_new(self->ctx, dataset, &self->computed));
    for (int32_t c = 0; c < dataset->column_count; c++)
        if (strcmp(dataset->columns[c].name, "roundtrip") == 0)
            dataset->columns[c].column = self->computed;
    return ALCORE_OK;
}

/* Answers what is asked of a shard at last, with the pools locked for reading; without a candidate
 * it has no nominee. */
static alcore_status answer_shard(answer *self) {
    alcore__run_input *input = &self->input;
    alcore__shard_answer *shard = self->shard;
    if (shard->wanted == ALCORE__SHARD_NOMINEES && !has_candidate(self)) return ALCORE_OK;
    if (shard->wanted == ALCORE__SHARD_HOLD) {
        ALCORE__TRY(fill_shard(self));
        return compute_texts(self);
    }
    if (shard->wanted == ALCORE__SHARD_NOMINEES) {
        ALCORE__TRY(fill_shard(self));
        return alcore__strategy_nominate(self->strategy, input, &shard->nominees);
    }
    ALCORE__TRY(fill_input(self));
    if (shard->wanted == ALCORE__SHARD_SPEND) return spend_gathered(self);
    return alcore__strategy_gather(self->strategy, input, &shard->out);
}

/* Answers a request up to releasing what that took, which the caller does after a failure too.
 * Masks decide which rows are candidates, columns are made where they are missing, the strategy
 * runs, and its outcome becomes the selection while the pools are still locked, as the selection
 * reads their texts and fingerprints. */
static alcore_status answer_request(answer *self, alcore_selection **out) {
    ALCORE__TRY(check_request(self->request));
    ALCORE__TRY(set_up(self));
    if (self->shard && self->shard->by_earlier) self->input.fill = refresh_fill(self);
    ALCORE__TRY(alcore__check_roles(self->request, self->strategy));
    ALCORE__TRY(make_phrases(self));
    ALCORE__TRY(make_masks(self));
    if (!self->shard) ALCORE__TRY(check_words(self, &self->masks));
    /* Without a candidate there is nothing to compute: an empty selection that is SHORT
     * (docs/spec/budgets.md). */
    const bool hold = self->shard && self->shard->wanted == ALCORE__SHARD_HOLD;
    bool any = hold || self->masks.eligible > 0; /* passes over all shards need the columns */
    if (self->shard && self->shard->wanted <= ALCORE__SHARD_COUNT) return answer_masks(self);
    if (any) {
        alcore__reuse_begin(self->request, self->strategy, self->masks.rows, &self->reuse);
        if (self->shard) self->reuse.files.first_row = self->shard->place.first_row;
        ALCORE__TRY(alcore__resolve_columns(self->request, self->strategy, &self->masks,
                                            self->input.fill.limited, &self->reuse,
                                            &self->resolution));
        /* A shard without rows reads no column of its own. */
        if (self->masks.rows > 0 && (!self->request->read || !self->request->read->in_parts))
            ALCORE__TRY(alcore__check_given(self->request, self->strategy));
        ALCORE__TRY(refresh_columns(self));
    }
    ALCORE__TRY(alcore__request_read_pools(self->request));
    alcore_status status = self->shard ? answer_shard(self)
                           : any       ? run_strategy(self, &self->outcome)
                                       : ALCORE_OK;
    if (hold && status == ALCORE_OK) {
        hold_pools(self);
        return ALCORE_OK;
    }
    if (!any && self->input.fill.budget > 0) self->outcome.bought.flags = ALCORE_SELECTION_SHORT;
    if (status == ALCORE_OK && !self->shard)
        status = alcore__selection_new(self->request, self->strategy, &self->input, &self->masks,
                                       &self->resolution, &self->outcome, out);
    alcore__request_leave_pools(self->request);
    return status;
}

/* Frees what an answer has taken; texts, resolution, input and derived own nothing. */
static void clear_answer(answer *self) {
    alcore__free(self->ctx, self->drawn);
    alcore__outcome_clear(self->ctx, &self->outcome);
    alcore__reuse_clear(self->ctx, &self->reuse);
    alcore__masks_clear(self->ctx, &self->masks);
    alcore__free(self->ctx, self->costs);
    alcore__free(self->ctx, self->languages);
    alcore__free(self->ctx, self->further);
    alcore_strategy_unref(self->strategy);
    alcore_pool_unref(self->phrases);
    alcore__column_free(self->computed);
    for (int i = 0; i < HELD_POOLS; i++) {
        if (self->held[i]) alcore__read_end(self->held[i]);
        alcore_pool_unref(self->held[i]);
    }
}

/* The drawn candidates are kept only after a success, so that a round which failed is asked for
 * again from where it began. shard NULL: *out is the selection. */
static alcore_status answer_or_nominate(alcore_request *request, alcore__shard_answer *shard,
                                        alcore_selection **out) {
    answer self = {.request = request, .shard = shard, .ctx = request->object.ctx};
    alcore_status status = answer_request(&self, out);
    if (status == ALCORE_OK) keep_drawn(&self);
    clear_answer(&self);
    return status;
}

/* ---- an answer that is held ---- */

/* The input points to the answer, which stays where it is. */
static alcore_status hold_answer(alcore_request *request, alcore__shard_answer *shard) {
    alcore_ctx *ctx = request->object.ctx;
    answer *self;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *self, &self));
    *self = (answer){.request = request, .shard = shard, .ctx = ctx};
    const alcore_status status = answer_request(self, NULL /* no selection */);
    if (status == ALCORE_OK) keep_drawn(self);
    self->shard = NULL;
    self->request = NULL;
    if (status == ALCORE_OK)
        shard->held = self;
    else
        alcore__held_answer_free(self);
    return status;
}

const alcore__run_input *alcore__held_answer_input(const alcore__held_answer *held) {
    return &held->input;
}

const alcore_strategy *alcore__held_answer_strategy(const alcore__held_answer *held) {
    return held->strategy;
}

void alcore__held_answer_free(alcore__held_answer *held) {
    if (!held) return;
    clear_answer(held);
    alcore__free(held->ctx, held);
}

alcore_status alcore__request_answer(alcore_request *request, alcore_selection **out) {
    return answer_or_nominate(request, NULL, out);
}

alcore_status alcore__answer_shard(alcore_request *request, alcore__shard_answer *shard) {
    return shard->wanted == ALCORE__SHARD_HOLD ? hold_answer(request, shard)
                                               : answer_or_nominate(request, shard, NULL);
}
