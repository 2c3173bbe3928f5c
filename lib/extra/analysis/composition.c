/* SPDX-License-Identifier: Apache-2.0 */
/* What a selection consists of (docs/spec/multilingual.md 7.13): languages, uncertainty, distance
 * to a target, targets that it reaches, and what it shares with another selection.
 *
 * The selection becomes a mask over the rows of the pool, in which a repeated row counts once;
 * everything is computed from the mask. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra/analysis.h"
#include "pool/pool_internal.h"
#include "search/search_basis.h"

enum { DEFAULT_NEIGHBORS = 10, TARGETS_A_TIME = 1024 };

/* The state of one call. */
typedef struct composition {
    alcore_ctx *ctx;
    const alcore_pool *pool;
    int64_t pool_rows;
    uint8_t *mask; /* [pool_rows] 1: selected */
    alcore_composition_result result;
} composition;

/* Sets the entries of rows [count] in mask [pool rows], which is zeroed. *distinct: rows that were
 * set. */
static alcore_status mark_rows(const alcore_pool *pool, const int64_t *rows, int64_t count,
                               uint8_t *mask, int64_t *distinct) {
    const int64_t end = alcore_pool_row_count(pool);
    *distinct = 0;
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] < 0 || rows[i] >= end)
            return alcore__fail(ALCORE_E_NOT_FOUND, "row %lld is not in the pool, which has %lld",
                                (long long)rows[i], (long long)end);
        *distinct += !mask[rows[i]];
        mask[rows[i]] = 1;
    }
    return ALCORE_OK;
}

/* ---- languages ---- */

/* alcore_analysis_count_languages() with the pool locked for reading. */
static alcore_status count_languages(const alcore_pool *pool, const int64_t *rows, int64_t count,
                                     const alcore_tensor *out_counts) {
    const char *const *tags;
    alcore__array counts;
    ALCORE__TRY(alcore__tensor_output(out_counts, "out_counts", ALCORE_INT64,
                                      alcore__pool_languages(pool, &tags), 1, &counts));
    int64_t *out = counts.data;
    for (int64_t i = 0; i < counts.rows; i++) out[i] = 0;
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] < 0 || rows[i] >= alcore_pool_row_count(pool))
            return alcore__fail(ALCORE_E_NOT_FOUND, "row %lld is not in the pool, which has %lld",
                                (long long)rows[i], (long long)alcore_pool_row_count(pool));
        out[alcore__pool_language_rank(pool, rows[i])]++;
    }
    return ALCORE_OK;
}

alcore_status alcore_analysis_count_languages(const alcore_pool *pool, const int64_t *rows,
                                              int64_t row_count, const alcore_tensor *out_counts) {
    ALCORE__TRY(alcore__enter(NULL));
    alcore_status status = ALCORE_OK;
    if (row_count < 0 || (row_count > 0 && !rows))
        status = alcore__fail(ALCORE_E_INVALID, "rows is NULL, or row_count is negative");
    if (!status) status = alcore__read_begin(pool, "pool");
    if (!status) {
        status = count_languages(pool, rows, row_count, out_counts);
        alcore__read_end(pool);
    }
    return alcore__leave(NULL, status);
}

/* Counts selected rows whose language tag some row of the target pool has, in whatever state that
 * row is. A row without a tag has "unknown", which counts as a language like any other. */
static void count_target_languages(composition *self, const alcore_pool *target) {
    const char *const *tags; /* [count] distinct; views that are valid while the pool is locked */
    const int64_t count = alcore__pool_languages(target, &tags);
    self->result.target_language_rows = 0;
    for (int64_t i = 0; i < self->pool_rows; i++) {
        if (!self->mask[i]) continue;
        const char *language = alcore_pool_language(self->pool, i);
        self->result.target_language_rows +=
            alcore__tag_find(tags, count, language, strlen(language)) >= 0;
    }
}

/* ---- uncertainty ---- */

/* For sorting: ascending. */
static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets mean and median of u [pool_rows] over the selected rows; they stay NaN without one. */
static alcore_status measure_uncertainty(composition *self, const double *u) {
    const int64_t count = self->result.rows;
    double *values, sum = 0;
    int64_t used = 0;
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *values, &values));
    for (int64_t i = 0; i < self->pool_rows; i++) {
        if (!self->mask[i]) continue;
        if (!isfinite(u[i])) {
            alcore__free(self->ctx, values);
            return alcore__fail(ALCORE_E_DATA, "the uncertainty of row %lld is %g", (long long)i,
                                u[i]);
        }
        values[used++] = u[i];
        sum += u[i];
    }
    const alcore_status status =
        alcore__sort(self->ctx, values, (size_t)count, sizeof *values, rising);
    self->result.mean_uncertainty = sum / (double)count;
    self->result.median_uncertainty = (values[(count - 1) / 2] + values[count / 2]) / 2;
    alcore__free(self->ctx, values);
    return status;
}

/* ---- the target ---- */

/* Counts the targets that have a selected row among their k nearest source rows, and the targets
 * that take part, by which measure_distance() divides. run: its rows are those of the pool, its
 * queries the targets, which are read a slab at a time. best [slab, k]: of each target the nearest
 * rows first, -1 behind the last one. */
static alcore_status count_reached(composition *self, alcore__search_run *run) {
    const size_t entries = (size_t)(run->slab * run->k);
    alcore__search_best best = {0};
    float *basis = NULL; /* directions for pruning, of which run->search has a view */
    alcore_status status = alcore__search_basis(run, &basis);
    if (!status) status = alcore__new_array(self->ctx, entries, sizeof *best.row, &best.row);
    if (!status) status = alcore__new_array(self->ctx, entries, sizeof *best.value, &best.value);
    self->result.targets = self->result.targets_reached = 0;
    for (int64_t first = 0; first < run->queries.count && !status; first += run->slab) {
        status = alcore__search_slab_neighbors(run, first, best);
        for (int64_t q = 0; q < run->queried.count && !status; q++) {
            if (run->queries.mask && !run->queries.mask[first + q]) continue;
            bool reached = false;
            for (int64_t n = 0; n < run->k && !reached && best.row[q * run->k + n] >= 0; n++)
                reached = self->mask[best.row[q * run->k + n]];
            self->result.targets++;
            self->result.targets_reached += reached;
        }
    }
    alcore__free(self->ctx, best.row);
    alcore__free(self->ctx, best.value);
    alcore__free(self->ctx, basis);
    return status;
}

/* Adds to *total the sums of the distances of the selected rows of one block, which begins at row
 * `first`, to the slab of targets run->queried. group [slab]: 0, or -1 where a target takes no
 * part. wanted, sums [ALCORE_BLOCK_ROWS]: workspace. A kernel is given TARGETS_A_TIME targets, so
 * that cancellation is polled often enough. */
static alcore_status add_block(const composition *self, alcore__search_run *run, int64_t first,
                               const int32_t *group, uint8_t *wanted, double *sums, double *total) {
    const int64_t left = run->rows.count - first;
    const int64_t count = left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS;
    alcore_sys_work work = alcore__engine_work(&run->engine);
    alcore_sys_rows rows;
    int64_t selected = 0;
    for (int64_t i = 0; i < count; i++) {
        wanted[i] = self->mask[first + i] && (!run->rows.mask || run->rows.mask[first + i] != 0);
        selected += wanted[i];
    }
    if (selected == 0) return ALCORE_OK;
    ALCORE__TRY(
        alcore__search_data_rows(&run->rows, &run->engine, first, count, &run->scratch[0], &rows));
    for (int64_t t = 0; t < run->queried.count; t += TARGETS_A_TIME) {
        alcore_sys_rows part = run->queried;
        const int64_t more = run->queried.count - t;
        part.first += t;
        part.count = more < TARGETS_A_TIME ? more : TARGETS_A_TIME;
        part.data =
            (const char *)part.data + t * part.stride * (int64_t)alcore_sys_dtype_bytes(part.dtype);
        ALCORE__TRY(run->engine.kernels->distance_sums(&work, &rows, wanted, &part, group + t,
                                                       1 /* group */, sums));
        for (int64_t i = 0; i < count; i++)
            if (wanted[i]) *total += sums[i];
        ALCORE__TRY(alcore__tick(run->ctx, "distances", first, run->rows.count));
    }
    return ALCORE_OK;
}

/* Sets the mean distance of the selected rows to the targets that take part, which count_reached()
 * has counted; it has also checked their values. */
static alcore_status measure_distance(composition *self, alcore__search_run *run) {
    double *sums = NULL, total = 0;
    uint8_t *wanted = NULL;
    int32_t *group = NULL;
    alcore_status status = alcore__new_array(self->ctx, ALCORE_BLOCK_ROWS, sizeof *sums, &sums);
    if (!status) status = alcore__new_array(self->ctx, ALCORE_BLOCK_ROWS, 1, &wanted);
    if (!status) status = alcore__new_array(self->ctx, (size_t)run->slab, sizeof *group, &group);
    for (int64_t first = 0; first < run->queries.count && !status; first += run->slab) {
        status = alcore__search_slab(run, first, false /* values were checked before */);
        for (int64_t q = 0; q < run->queried.count && !status; q++)
            group[q] = run->queries.mask && !run->queries.mask[first + q] ? -1 : 0;
        for (int64_t row = 0; row < run->rows.count && !status; row += ALCORE_BLOCK_ROWS)
            status = add_block(self, run, row, group, wanted, sums, &total);
    }
    int64_t used = 0; /* selected rows that have an embedding */
    for (int64_t i = 0; i < self->pool_rows; i++)
        used += self->mask[i] && (!run->rows.mask || run->rows.mask[i]);
    if (!status && used > 0 && self->result.targets > 0)
        self->result.mean_distance = total / (double)self->result.targets / (double)used;
    alcore__free(self->ctx, sums);
    alcore__free(self->ctx, wanted);
    alcore__free(self->ctx, group);
    return status;
}

/* Sets what is measured against a target. */
static alcore_status measure_target(composition *self, const alcore_composition_options *options) {
    alcore__search_run run;
    const int64_t k = options->neighbors == 0 ? DEFAULT_NEIGHBORS : options->neighbors;
    if (!options->source || !options->target)
        return alcore__fail(ALCORE_E_INVALID, "source and target are given together or not at all");
    alcore_status status = alcore__search_begin(self->ctx, options->source, "source",
                                                options->target, "target", k, NULL /* L2 */, &run);
    if (!status && run.rows.count != self->pool_rows)
        status = alcore__fail(ALCORE_E_SHAPE, "source has %lld rows, the pool %lld",
                              (long long)run.rows.count, (long long)self->pool_rows);
    if (!status) status = count_reached(self, &run);
    if (!status) status = measure_distance(self, &run);
    alcore__search_end(&run);
    return status;
}

/* Sets the rows of both selections divided by the rows of either; 1 for two empty ones. */
static alcore_status compare_rows(composition *self, const int64_t *others, int64_t count) {
    uint8_t *mask;
    int64_t distinct, both = 0;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->pool_rows, 1, &mask));
    alcore_status status = mark_rows(self->pool, others, count, mask, &distinct);
    for (int64_t i = 0; i < self->pool_rows && !status; i++) both += mask[i] && self->mask[i];
    const int64_t either = self->result.rows + distinct - both;
    self->result.jaccard = either > 0 ? (double)both / (double)either : 1;
    alcore__free(self->ctx, mask);
    return status;
}

/* Measures with the pool and the target pool locked for reading. rows [count]: the selection. */
static alcore_status measure(composition *self, const int64_t *rows, int64_t count,
                             const alcore_composition_options *options) {
    self->pool_rows = alcore_pool_row_count(self->pool);
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->pool_rows, sizeof *self->mask, &self->mask));
    ALCORE__TRY(mark_rows(self->pool, rows, count, self->mask, &self->result.rows));
    if (options->target_pool) count_target_languages(self, options->target_pool);
    if (options->uncertainty && options->uncertainty_count != self->pool_rows)
        return alcore__fail(ALCORE_E_SHAPE, "%lld uncertainties for %lld rows",
                            (long long)options->uncertainty_count, (long long)self->pool_rows);
    if (options->uncertainty) ALCORE__TRY(measure_uncertainty(self, options->uncertainty));
    if (options->source || options->target) ALCORE__TRY(measure_target(self, options));
    if (options->other_rows)
        ALCORE__TRY(compare_rows(self, options->other_rows, options->other_count));
    return ALCORE_OK;
}

/* Refuses a count without the array that it is of, and a number of neighbors out of range. */
static alcore_status check_options(const alcore_composition_options *options) {
    if (options->other_count < 0 || (options->other_count > 0 && !options->other_rows))
        return alcore__fail(ALCORE_E_INVALID,
                            "other_count is %lld, but other_rows is NULL, or the "
                            "count is negative",
                            (long long)options->other_count);
    if (options->uncertainty_count != 0 && !options->uncertainty)
        return alcore__fail(ALCORE_E_INVALID, "uncertainty_count is %lld, but uncertainty is NULL",
                            (long long)options->uncertainty_count);
    return options->neighbors == 0 ? ALCORE_OK
                                   : alcore__search_check_k(options->neighbors, ALCORE_KNN_MAX);
}

/* Locks both pools, measures, and unlocks them. */
static alcore_status measure_locked(composition *self, const int64_t *rows, int64_t count,
                                    const alcore_composition_options *options) {
    const alcore_pool *pool = self->pool, *target = options->target_pool;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = target ? alcore__read_begin(target, "target pool") : ALCORE_OK;
    if (!status) {
        status = measure(self, rows, count, options);
        if (target) alcore__read_end(target);
    }
    alcore__read_end(pool);
    return status;
}

alcore_status alcore_analysis_compute_composition(alcore_ctx *ctx, const alcore_pool *pool,
                                                  const int64_t *rows, int64_t row_count,
                                                  const alcore_composition_options *options,
                                                  alcore_composition_result *out) {
    alcore_composition_options ours;
    composition self = {.ctx = ctx,
                        .pool = pool,
                        .result = {.target_language_rows = -1,
                                   .mean_uncertainty = NAN,
                                   .median_uncertainty = NAN,
                                   .mean_distance = NAN,
                                   .targets = -1,
                                   .targets_reached = -1,
                                   .jaccard = NAN}};
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = alcore__struct_read(
        &ours, sizeof ours, ALCORE__FIRST_SIZE(alcore_composition_options, neighbors), options,
        "alcore_composition_options");
    if (!status && (!ctx || !out || row_count < 0 || (row_count > 0 && !rows)))
        status =
            alcore__fail(ALCORE_E_INVALID, "ctx, rows or out is NULL, or row_count is negative");
    if (!status) status = check_options(&ours);
    if (!status) status = measure_locked(&self, rows, row_count, &ours);
    if (!status)
        status = alcore__struct_write(out, &self.result, sizeof self.result,
                                      ALCORE__FIRST_SIZE(alcore_composition_result, jaccard),
                                      "alcore_composition_result");
    alcore__free(ctx, self.mask);
    return alcore__leave(ctx, status);
}
