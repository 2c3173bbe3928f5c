/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of earlier rounds in place of new ones (spec 3.8): with the option max_age = a > 0 a value
 * that a model computed up to a rounds ago stands in for one of the present model, so that most
 * rows are not scored again after a training. Which rows are is decided by answering_earlier.c:
 *
 *   1  alcore__reuse_add() takes a column that a model would compute and puts the values of earlier
 *      rounds into the pool, where there are any
 *   2  the strategy is run on the candidates that have such values; its first picks, of
 *      refresh_factor times the budget, and the candidates without a value are to be refreshed
 *   3  alcore__reuse_refresh() has the present model compute these rows, keeps their values as
 *      those of this round, and adds the earlier values of all others: the mixture, on which the
 *      strategy is run as on any column
 *
 * What the cache has of the present model already is used in 3 wherever it is. A round reads what
 * rounds before it kept and nothing of its own, so that it selects the same when it is repeated.
 * Embeddings are never taken from an earlier round: their encoder does not change between rounds,
 * and where it does old and new vectors have no distance that means anything. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "select/select_internal.h"

/* Whether a role other than the candidates reads the column: its rows would need values too. */
static bool read_elsewhere(const alcore_strategy *strategy, const char *column) {
    return alcore__strategy_needs_column(strategy, ALCORE_ROLE_LABELED, column) ||
           alcore__strategy_needs_column(strategy, ALCORE_ROLE_TARGET, column);
}

void alcore__reuse_begin(const alcore_request *request, const alcore_strategy *strategy,
                         int64_t rows, alcore__reuse *out) {
    const alcore__request_options *options = &request->options;
    *out = (alcore__reuse){.pool = request->candidates,
                           .strategy = strategy,
                           .rows = rows,
                           .factor = options->refresh_factor,
                           .files = {.folder = options->cache,
                                     .strategy = alcore__strategy_name(strategy),
                                     .seed = alcore__request_seed(request),
                                     .round = options->round,
                                     .max_age = options->max_age}};
}

/* The user has asked for earlier values by max_age, so a model that no cache keeps is told. */
bool alcore__reuse_takes(const alcore__reuse *reuse, const alcore_model *model,
                         const char *column) {
    if (reuse->files.max_age == 0 || strcmp(column, "embeddings") == 0 ||
        read_elsewhere(reuse->strategy, column))
        return false;
    if (alcore__model_is_cached(model, column)) return true;
    alcore__log(alcore__pool_ctx(reuse->pool), ALCORE_LOG_WARN, "cache", NULL,
                "the column '%s' is computed for all rows: a cache does not keep what this model "
                "makes",
                column);
    return false;
}

/* Makes an empty writer, *out, of a column of the pool with the shape and meaning that the model
 * gives it; the caller releases it. */
static alcore_status new_writer(const alcore__reuse *reuse, const alcore_model *model,
                                const char *name, alcore_column_writer **out) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.meaning = alcore__model_meaning(model, name);
    return alcore_column_writer_new(reuse->pool, name, alcore__model_shape(model, name), &options,
                                    out);
}

/* Finishes a writer: the pool gets its values as the column, whose origin says that it is a
 * mixture, so that no later call takes it for the model's. A writer asks for a value in every row
 * that is wanted; none is here, so rows without a value stay so. */
static alcore_status install(const alcore__reuse *reuse, const alcore__reused *column,
                             alcore_column_writer *writer) {
    uint8_t none = 0;
    const alcore__wanted nothing = {.mask = &none, .rows = 0};
    char note[64];
    snprintf(note, sizeof note, "with values of up to %lld earlier rounds",
             (long long)reuse->files.max_age);
    alcore__column_writer_want(writer, &nothing);
    const alcore_status status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    alcore__column_writer_want(writer, NULL);
    if (status != ALCORE_OK) return status;
    return alcore__model_set_mixed_origin(column->model, reuse->pool, column->name, note);
}

/* Sets the entries of reuse->has [rows] to 0 of rows that the writer has no value for. *any: some
 * entry is still 1. */
static void keep_common(const alcore__reuse *reuse, const alcore_column_writer *writer, bool *any) {
    *any = false;
    for (int64_t row = 0; row < reuse->rows; row++) {
        reuse->has[row] &= alcore__column_writer_has(writer, row);
        *any |= reuse->has[row];
    }
}

/* Makes reuse->has [rows], 1 in every row, unless a column before has. */
static alcore_status make_has(alcore__reuse *reuse) {
    if (reuse->has) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(alcore__pool_ctx(reuse->pool), (size_t)reuse->rows, 1, &reuse->has));
    if (reuse->rows > 0) memset(reuse->has, 1, (size_t)reuse->rows);
    return ALCORE_OK;
}

/* Where no row has earlier values of all columns taken so far, the pool gets none: there is nothing
 * to choose rows by, and every candidate is computed. */
alcore_status alcore__reuse_add(alcore__reuse *reuse, alcore_model *model, const char *column) {
    alcore_column_writer *writer = NULL;
    bool any = false;
    for (int32_t i = 0; i < reuse->count; i++)
        if (strcmp(reuse->columns[i].name, column) == 0) return ALCORE_OK;
    if (reuse->count == ALCORE__DATASET_COLUMNS)
        return alcore__fail(ALCORE_E_INTERNAL, "a strategy needs more than %d columns",
                            ALCORE__DATASET_COLUMNS);
    ALCORE__TRY(make_has(reuse));
    alcore__reused *added = &reuse->columns[reuse->count++];
    snprintf(added->name, sizeof added->name, "%s", column);
    added->model = alcore_model_ref(model);
    alcore_status status = new_writer(reuse, model, column, &writer);
    if (status == ALCORE_OK)
        status = alcore__rounds_merge(&reuse->files, reuse->pool, column, writer);
    if (status == ALCORE_OK) keep_common(reuse, writer, &any);
    if (status == ALCORE_OK && any) status = install(reuse, added, writer);
    alcore_column_writer_unref(writer);
    return status;
}

/* Copies the rows of the column that the model has just made in the pool, in the place of the
 * mixture that alcore__reuse_add() had put there, to the empty writer, and keeps them in the cache
 * as the values of this round, which later rounds read; use->lost: it could not. */
static alcore_status keep_present(const alcore__reuse *reuse, const alcore__reused *column,
                                  alcore_column_writer *writer, alcore__cache_use *use) {
    ALCORE__TRY(alcore__read_begin(reuse->pool, "pool"));
    const alcore__column *made = alcore__pool_find_column(reuse->pool, column->name);
    const alcore_status status =
        made ? alcore__column_writer_copy(writer, made)
             : alcore__fail(ALCORE_E_BUSY, "the column '%s' was dropped during the call",
                            column->name);
    alcore__read_end(reuse->pool);
    if (status != ALCORE_OK) return status;
    return alcore__rounds_save(&reuse->files, reuse->pool, column->name, writer, use);
}

/* The number of candidates [rows] that the writer has a value for. */
static int64_t count_rows(const alcore__reuse *reuse, const uint8_t *candidates,
                          const alcore_column_writer *writer) {
    int64_t count = 0;
    for (int64_t row = 0; row < reuse->rows; row++)
        count += candidates[row] && alcore__column_writer_has(writer, row);
    return count;
}

/* Whether any row is wanted. */
static bool has_rows(const alcore__wanted *wanted) {
    bool any = false;
    for (int64_t row = 0; row < wanted->rows; row++) any |= wanted->mask[row];
    return any;
}

/* Adds what a run of the model computed to what is known of a column. */
static void add_use(alcore__reused *column, const alcore__cache_use *use) {
    column->use.misses += use->computed;
    column->seconds += use->seconds;
    column->lost |= use->lost;
}

/* Fills the empty writer with the mixture: the wanted rows by the present model, the others as
 * earlier rounds had them, and counts in column->use what it is made of. is_made: the pool has the
 * wanted rows already. *complete: every candidate has a value. Where no row is wanted the pool
 * still has the earlier values, which are none of the present model, so they are not copied as
 * such. A row that the present model has but did not compute now was in the cache, hence hits.
 * misses are those of both turns of refresh(): the second one computes rows of the first again
 * where these could not be kept in the cache or count as too old, so that there may be more misses
 * than rows. */
static alcore_status mix(const alcore__reuse *reuse, alcore__reused *column, bool is_made,
                         const alcore__wanted *wanted, const uint8_t *candidates,
                         double cache_max_age, alcore_column_writer *writer, bool *complete) {
    alcore__cache_use use = {0};
    const alcore__cache cache = {
        .folder = reuse->files.folder, .max_age = cache_max_age, .use = &use};
    const char *name = column->name;
    int64_t total = 0;
    for (int64_t row = 0; row < reuse->rows; row++) total += candidates[row];
    if (!is_made)
        ALCORE__TRY(alcore__model_run(column->model, reuse->pool, &name, 1, wanted, &cache));
    if (has_rows(wanted)) ALCORE__TRY(keep_present(reuse, column, writer, &use));
    const int64_t present = count_rows(reuse, candidates, writer);
    ALCORE__TRY(alcore__rounds_merge(&reuse->files, reuse->pool, column->name, writer));
    const int64_t have = count_rows(reuse, candidates, writer);
    *complete = have == total;
    add_use(column, &use);
    column->use.hits = present > column->use.misses ? present - column->use.misses : 0;
    column->use.stale = have - present;
    return ALCORE_OK;
}

/* Makes the mixture of a column of which compute_columns() has made the refreshed rows. Where the
 * files of earlier rounds do not fit to what the model computes now (its token counts or classes
 * may be others), candidates are left without a value; a second turn computes all of them. */
static alcore_status refresh(const alcore__reuse *reuse, alcore__reused *column,
                             const uint8_t *refreshed, const uint8_t *candidates,
                             double cache_max_age) {
    bool complete = false;
    alcore_status status = ALCORE_OK;
    for (int turn = 0; status == ALCORE_OK && !complete; turn++) {
        const alcore__wanted wanted = {.mask = turn == 0 ? refreshed : candidates,
                                       .rows = reuse->rows};
        alcore_column_writer *writer;
        ALCORE__TRY(new_writer(reuse, column->model, column->name, &writer));
        status =
            mix(reuse, column, turn == 0, &wanted, candidates, cache_max_age, writer, &complete);
        if (status == ALCORE_OK && !complete && turn > 0)
            status = alcore__fail(ALCORE_E_INTERNAL, "a model left candidates without a value");
        if (status == ALCORE_OK && complete) status = install(reuse, column, writer);
        alcore_column_writer_unref(writer);
    }
    return status;
}

/* What a refresh of all candidates would have taken longer: unknown (NaN) where nothing was
 * computed, from which the time of a row could be told. */
static double seconds_saved(const alcore__reused *column) {
    if (column->use.misses == 0) return (double)NAN;
    return column->seconds / (double)column->use.misses *
           (double)(column->use.hits + column->use.stale);
}

/* Has the wanted rows of all columns made in the pool, those of one model in one pass, where it
 * can. */
static alcore_status compute_columns(alcore__reuse *reuse, const alcore__wanted *wanted,
                                     double cache_max_age) {
    const alcore__cache cache = {.folder = reuse->files.folder, .max_age = cache_max_age};
    alcore__chosen all[ALCORE__DATASET_COLUMNS];
    if (!has_rows(wanted)) return ALCORE_OK;
    for (int32_t i = 0; i < reuse->count; i++)
        all[i] = (alcore__chosen){.name = reuse->columns[i].name, .maker = reuse->columns[i].model};
    ALCORE__TRY(alcore__model_run_chosen(all, reuse->count, reuse->pool, wanted, &cache));
    for (int32_t i = 0; i < reuse->count; i++) add_use(&reuse->columns[i], &all[i].use);
    return ALCORE_OK;
}

alcore_status alcore__reuse_refresh(alcore__reuse *reuse, const uint8_t *refreshed,
                                    const uint8_t *candidates, double cache_max_age) {
    const alcore__wanted wanted = {.mask = refreshed, .rows = reuse->rows};
    ALCORE__TRY(compute_columns(reuse, &wanted, cache_max_age));
    for (int32_t i = 0; i < reuse->count; i++) {
        alcore__reused *column = &reuse->columns[i];
        ALCORE__TRY(refresh(reuse, column, refreshed, candidates, cache_max_age));
        column->use.seconds_saved = seconds_saved(column);
        alcore__log(alcore__pool_ctx(reuse->pool), ALCORE_LOG_INFO, "cache", NULL,
                    "the column '%s': %lld rows of this model were there, %lld are computed, %lld "
                    "are of earlier rounds",
                    column->name, (long long)column->use.hits, (long long)column->use.misses,
                    (long long)column->use.stale);
    }
    return ALCORE_OK;
}

void alcore__reuse_report(const alcore__reuse *reuse, alcore__resolution *resolution) {
    for (int32_t i = 0; i < resolution->count; i++)
        for (int32_t c = 0; c < reuse->count; c++)
            if (resolution->entries[i].role == ALCORE_ROLE_CANDIDATES &&
                strcmp(resolution->entries[i].name, reuse->columns[c].name) == 0) {
                resolution->entries[i].reuse = reuse->columns[c].use;
                resolution->entries[i].lost = reuse->columns[c].lost;
            }
}

void alcore__reuse_clear(alcore_ctx *ctx, alcore__reuse *reuse) {
    for (int32_t i = 0; i < reuse->count; i++) alcore_model_unref(reuse->columns[i].model);
    alcore__free(ctx, reuse->has);
    *reuse = (alcore__reuse){0};
}
