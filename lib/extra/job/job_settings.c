/* SPDX-License-Identifier: Apache-2.0 */
/* What a job depends on beside its rows, as lines of text that all messages carry, and what jobs
 * refuse: whatever one shard cannot decide from its own rows and the exchanges. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "alcore/version.h"
#include "base/rng.h"
#include "extra/job/job_internal.h"
#include "model/ngram_model.h"
#include "pool/pool_state.h"
#include "strategy/strategies.h"

/* ---- what is served ---- */

static bool is_served(const alcore__strategy_def *def) {
    return def->in_shards || def->gather || def->by_passes || def->hybrid || def->phrase_options;
}

int32_t alcore_job_serves(const char *strategy) {
    const alcore__strategy_def *def = alcore__strategy_find(strategy);
    return def && is_served(def);
}

/* Whether the passes of the strategy are exchanged: of one that ranks rows by a score of their own
 * only where picks are compared with each other, their reasons are wanted, or rows are skipped that
 * cost more than is left, which depends on the picks of all shards. */
static bool makes_passes(const alcore_job *job) {
    const alcore_request *request = job->request;
    const alcore__strategy_def *def = alcore__strategy_def_of(alcore__job_strategy(job));
    const bool skips =
        request->options.fill == ALCORE__FILL_SKIP && request->budgets.unit != ALCORE_UNIT_ITEMS;
    return def->by_passes || (def->in_shards && (!isnan(request->options.max_similarity) || skips ||
                                                 alcore__job_is_hybrid(job)));
}

/* Fails for a strategy that is not served, with the names of those that are. */
static alcore_status fail_strategy(alcore_ctx *ctx, const char *name) {
    const alcore__strategy_def *def;
    alcore__buffer names = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK && (def = alcore__strategy_at(i)); i++)
        if (is_served(def))
            status =
                alcore__buffer_format(ctx, &names, "%s%s", names.length ? ", " : "", def->name);
    if (status == ALCORE_OK)
        status = alcore__fail(ALCORE_E_UNSUPPORTED,
                              "jobs over shards do not serve the strategy %s, as nothing is known "
                              "of what it reads: give what it computes as the column scores of "
                              "nnll; they serve %s",
                              name, names.data);
    alcore__buffer_clear(ctx, &names);
    return status;
}

static alcore_status check_budgets(const alcore_job *job) {
    const alcore_request *request = job->request;
    if (request->budgets.count == 0)
        return alcore__fail_remedy(alcore__fail(ALCORE_E_PARAM, "the request has no budget"),
                                   ALCORE_REMEDY_OPTION, "budget", "1000w",
                                   "buys items worth 1000 words");
    return ALCORE_OK;
}

/* Fails where the strategy needs columns and the call names neither a column nor a model. The
 * n-gram model does not stand in: it has to be named, as a shard without rows cannot know otherwise
 * that texts are to be exchanged. Such a shard needs no column. */
static alcore_status check_columns(const alcore_request *request, const alcore_strategy *strategy) {
    const char *need = alcore__strategy_needs(strategy, ALCORE_ROLE_CANDIDATES, 0);
    bool named = true;
    if (need && alcore_pool_row_count(request->candidates) > 0)
        ALCORE__TRY(alcore__request_names_inputs(request, &named));
    if (named) return ALCORE_OK;
    const char *ngram =
        alcore__strategy_def_of(strategy)->needs_are_given ? NULL : alcore__ngram_column(need);
    const alcore_status status =
        alcore__fail(ALCORE_E_MISSING,
                     "strategy %s needs the column '%s' of the shard, or a model that makes it%s",
                     alcore__strategy_name(strategy), need,
                     ngram ? "; the n-gram model has to be named here" : "");
    return ngram ? alcore__fail_remedy(status, ALCORE_REMEDY_MODEL, "ngram", NULL,
                                       "learns from the texts of all shards")
                 : status;
}

static alcore_status check_strategy(const alcore_job *job, const alcore_strategy *strategy) {
    return is_served(alcore__strategy_def_of(strategy))
               ? ALCORE_OK
               : fail_strategy(job->object.ctx, alcore__strategy_name(strategy));
}

alcore_status alcore__job_check_served(const alcore_job *job) {
    const alcore_request *request = job->request;
    const alcore_strategy *strategy = alcore__job_strategy(job);
    if (!request->candidates) return alcore__fail_no_candidates();
    ALCORE__TRY(check_strategy(job, strategy));
    if (alcore__job_is_hybrid(job)) {
        const alcore_strategy *phrases = alcore__strategy_part(request->strategy, ALCORE__PHRASES);
        ALCORE__TRY(check_strategy(job, phrases));
    }
    if (!alcore__job_buys_target(job)) ALCORE__TRY(alcore__check_roles(request, strategy));
    ALCORE__TRY(check_budgets(job));
    bool are_phrases;
    ALCORE__TRY(alcore__candidates_are_phrases(request, &are_phrases));
    if (are_phrases)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "jobs over shards do not serve a pool of phrases: give them the texts, "
                            "of which they count the phrases");
    return alcore__strategy_def_of(strategy)->phrase_options ? ALCORE_OK
                                                             : check_columns(request, strategy);
}

/* Whether the strategy needs a column of the candidates that an n-gram model makes, as it makes the
 * embeddings by which max_similarity compares picks. */
static bool needs_ngram_column(const alcore_strategy *strategy) {
    const char *need;
    for (int64_t i = 0; (need = alcore__strategy_needs(strategy, ALCORE_ROLE_CANDIDATES, i)); i++)
        if (alcore__ngram_column(need)) return !alcore__strategy_def_of(strategy)->needs_are_given;
    return false;
}

alcore_status alcore__job_plan(alcore_job *job) {
    const alcore_request *request = job->request;
    const alcore_strategy *strategy = alcore__job_strategy(job);
    const alcore__strategy_def *def = alcore__strategy_def_of(strategy);
    bool *makes = job->makes;
    const bool any = job->rows > 0; /* without a row there is nothing to compare */
    const bool passes = makes_passes(job) && any, hybrid = alcore__job_is_hybrid(job);
    const bool sticky = alcore__strategy_is_sticky(strategy);
    const bool whole = hybrid || def->phrase_options || alcore__job_buys_target(job);
    const bool limited = !isnan(request->options.max_similarity);
    makes[ALCORE__EXCHANGE_WHOLE] = whole;
    if (!whole || (hybrid && any)) {
        ALCORE__TRY(alcore__text_masks_asked(request, alcore__strategy_is_recommended(strategy),
                                             &makes[ALCORE__EXCHANGE_MASKS]));
        makes[ALCORE__EXCHANGE_TEXTS] = !whole && request->candidates->dedup != ALCORE_DEDUP_NONE;
        makes[ALCORE__EXCHANGE_CANDIDATES] =
            alcore__strategy_draws(strategy) || sticky || def->reads_number;
        makes[ALCORE__EXCHANGE_KEPT] =
            alcore__strategy_draws(strategy) && sticky && alcore__drawn_before(request)->round > 0;
        makes[ALCORE__EXCHANGE_MODEL] =
            !whole && (limited || needs_ngram_column(strategy)) && alcore__request_learns(request);
        makes[ALCORE__EXCHANGE_NOMINEES] = !def->gather && !passes;
        makes[ALCORE__EXCHANGE_GATHERED] = def->gather != NULL;
        makes[ALCORE__EXCHANGE_PASSES] = passes;
        /* Vectors by which picks are compared, for the tokens too. */
        makes[ALCORE__EXCHANGE_ROWS] = passes || (def->gather && limited && any);
    }
    while (!job->makes[job->exchange]) job->exchange++;
    return ALCORE_OK;
}

/* ---- settings ---- */

/* Options that change no pick: where and how it is computed, and what is told. The seed is written
 * as a number, as that of the context may stand in. */
static const char *const ASIDE[] = {"price",         "seed",         "device", "cache",
                                    "cache_max_age", "keep_phrases", "given",  "command"};

static bool is_aside(const char *name) {
    for (size_t i = 0; i < sizeof ASIDE / sizeof *ASIDE; i++)
        if (strcmp(ASIDE[i], name) == 0) return true;
    return false;
}

/* Appends a line with a hash of a file that a strategy reads, whose path may be another one for
 * each shard; "" without one. */
static alcore_status append_file(alcore_ctx *ctx, const char *name, const char *path,
                                 alcore__buffer *out) {
    alcore__file *file;
    alcore__file_map map;
    if (!*path) return alcore__buffer_format(ctx, out, "%s=\n", name);
    ALCORE__TRY(alcore__file_open(ctx, path, &file));
    ALCORE__TRY(alcore__file_map_open(ctx, file, &map));
    const uint64_t hash = alcore__hash64(map.data, map.bytes);
    alcore__file_map_close(ctx, &map);
    return alcore__buffer_format(ctx, out, "%s=%016" PRIx64 "\n", name, hash);
}

/* Appends the values of a table as lines: prefix, name, '=', text. */
static alcore_status append_values(alcore_ctx *ctx, const char *prefix,
                                   const alcore__values *values, alcore__buffer *out) {
    for (int32_t i = 0; values->table && i < values->table->count; i++) {
        const char *name = values->table->rows[i].name;
        const char *text = values->values[i].text;
        if (is_aside(name)) continue;
        ALCORE__TRY(strcmp(name, "file") == 0
                        ? append_file(ctx, "strategy.file", text, out)
                        : alcore__buffer_format(ctx, out, "%s%s=%s\n", prefix, name, text));
    }
    return ALCORE_OK;
}

/* Appends a line for each n-gram model of the request: a hash of the pool that it is trained on, or
 * "all texts". */
static alcore_status append_ngram(alcore_ctx *ctx, const alcore_request *request,
                                  alcore__buffer *out) {
    for (int32_t i = -1; i < ALCORE__COLUMN_INPUTS; i++) {
        const alcore_model *model = i < 0 ? request->model : request->column_models[i];
        const alcore_pool *labeled;
        if (!alcore__model_is_ngram(model, &labeled)) continue;
        const char *column = i < 0 ? "" : alcore__column_name_input(i)->name;
        if (!labeled) {
            ALCORE__TRY(alcore__buffer_format(ctx, out, "ngram %s=all texts\n", column));
            continue;
        }
        ALCORE__TRY(alcore__read_begin(labeled, "labeled pool"));
        const uint64_t state = alcore__ngram_state(labeled);
        alcore__read_end(labeled);
        ALCORE__TRY(alcore__buffer_format(ctx, out, "ngram %s=%016" PRIx64 "\n", column, state));
    }
    return ALCORE_OK;
}

/* Appends a line with a hash of the texts of a pool by which rows are masked; "none" without it. */
static alcore_status append_pool(alcore_ctx *ctx, const char *name, const alcore_pool *pool,
                                 alcore__buffer *out) {
    if (!pool) return alcore__buffer_format(ctx, out, "%s=none\n", name);
    return alcore__buffer_format(ctx, out, "%s=%016" PRIx64 "\n", name, pool->fingerprint);
}

alcore_status alcore__job_settings(const alcore_job *job, alcore__buffer *out) {
    const alcore_request *request = job->request;
    const alcore_strategy *strategy = request->strategy ? request->strategy : job->recommended;
    alcore_ctx *ctx = request->object.ctx;
    const alcore_pool *pool = request->candidates;
    ALCORE__TRY(alcore__buffer_format(
        ctx, out, "libalcore=%s\ndataset=%s\nstrategy=%s%s\n", ALCORE_VERSION, job->dataset,
        alcore__strategy_is_recommended(strategy) ? "recommended " : "",
        alcore__strategy_name(strategy)));
    ALCORE__TRY(append_values(ctx, "strategy.", alcore__strategy_values(strategy), out));
    if (alcore__job_is_hybrid(job)) {
        ALCORE__TRY(append_values(
            ctx, "sentences.",
            alcore__strategy_values(alcore__strategy_part(strategy, ALCORE__SENTENCES)), out));
        ALCORE__TRY(append_values(
            ctx, "phrases.",
            alcore__strategy_values(alcore__strategy_part(strategy, ALCORE__PHRASES)), out));
    }
    ALCORE__TRY(append_values(ctx, "", &request->values, out));
    ALCORE__TRY(
        alcore__buffer_format(ctx, out, "seed=%" PRIu64 "\n", alcore__request_seed(request)));
    ALCORE__TRY(alcore__buffer_format(ctx, out, "dedup=%s\n",
                                      pool->dedup == ALCORE_DEDUP_NONE         ? "none"
                                      : pool->dedup == ALCORE_DEDUP_NORMALIZED ? "normalized"
                                                                               : "exact"));
    if (alcore__strategy_is_sticky(alcore__job_strategy(job)))
        ALCORE__TRY(alcore__buffer_format(ctx, out, "candidates of round=%" PRId64 "\n",
                                          alcore__drawn_before(request)->round));
    ALCORE__TRY(append_pool(ctx, "labeled", request->labeled, out));
    ALCORE__TRY(append_pool(ctx, "excluded", request->excluded, out));
    ALCORE__TRY(append_pool(ctx, "excluded phrases", request->excluded_phrases, out));
    if (alcore__job_buys_target(job)) ALCORE__TRY(append_pool(ctx, "target", request->target, out));
    return append_ngram(ctx, request, out);
}
