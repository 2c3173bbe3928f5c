/* SPDX-License-Identifier: Apache-2.0 */
/* Whether uncertainty carries over to neighbors (docs/spec/multilingual.md 7.12):
 *
 *     rho(k) = Pearson's correlation, over the target rows t, of U(t) with the mean of U over the k
 *              source rows nearest to t
 *
 * One search finds the neighbors for the largest k; those of a smaller k are the first of them. It
 * goes through slabs of targets, and of each target only the mean for each k is kept, 8 bytes, so
 * that no more lists of neighbors are in memory than those of a slab (search_run.c). */
#include <math.h>

#include "alcore/extra/analysis.h"
#include "extra/metric/correlation.h"
#include "kernel/device_result.h"
#include "search/search_basis.h"

/* The state of one call. */
typedef struct neighborhood {
    alcore_ctx *ctx;
    alcore__search_run run;            /* rows: the source, queries: the target */
    const double *source_u, *target_u; /* [rows], [queries] uncertainty, the caller's */
    const int64_t *k;                  /* [k_count] numbers of neighbors, the caller's */
    int64_t k_count;
    double *x;     /* [targets that take part] their own uncertainty */
    double *means; /* [k_count, queries] mean uncertainty of the k nearest source rows; of each row
                      the first `used` entries are set */
    double *sums;  /* [run.k + 1] sums of the uncertainty of the 0, 1, ... nearest rows of a target:
                      workspace */
    int64_t used;  /* targets that take part, so far */
} neighborhood;

/* Checks that `u` has a finite entry for each row of an operand that takes part. count: entries of
 * u. *used: rows that take part. */
static alcore_status check_uncertainty(const alcore__search_data *data, const double *u,
                                       int64_t count, int64_t *used) {
    *used = 0;
    if (count != data->count)
        return alcore__fail(ALCORE_E_SHAPE, "%s: %lld uncertainties for %lld rows", data->name,
                            (long long)count, (long long)data->count);
    if (count > 0 && !u)
        return alcore__fail(ALCORE_E_INVALID, "%s: the uncertainties are NULL", data->name);
    for (int64_t i = 0; i < count; i++) {
        if (data->mask && !data->mask[i]) continue;
        ++*used;
        if (!isfinite(u[i]))
            return alcore__fail(ALCORE_E_DATA, "%s: the uncertainty of row %lld is %g", data->name,
                                (long long)i, u[i]);
    }
    return ALCORE_OK;
}

/* Adds the targets of the present slab, whose first is target `first`: their own uncertainty and
 * the mean uncertainty of their k nearest rows for each k. found [slab, run.k]: source rows, the
 * nearest first, -1 behind the last one where there are fewer. At least one source row takes part,
 * so a mean is never of no row. */
static alcore_status add_slab(neighborhood *self, int64_t first, const int64_t *found) {
    const alcore__search_data *target = &self->run.queries;
    for (int64_t q = 0; q < self->run.queried.count; q++) {
        if (target->mask && !target->mask[first + q]) continue;
        const int64_t *row = found + q * self->run.k;
        self->x[self->used] = self->target_u[first + q];
        int64_t found_rows = 0;
        self->sums[0] = 0;
        for (; found_rows < self->run.k && row[found_rows] >= 0; found_rows++)
            self->sums[found_rows + 1] = self->sums[found_rows] + self->source_u[row[found_rows]];
        for (int64_t i = 0; i < self->k_count; i++) {
            const int64_t near = self->k[i] < found_rows ? self->k[i] : found_rows;
            self->means[i * target->count + self->used] = self->sums[near] / (double)near;
        }
        self->used++;
        ALCORE__TRY(alcore__tick(self->ctx, NULL /* the stage stays */, 0, 0));
    }
    return ALCORE_OK;
}

/* Finds the neighbors of all targets, slab by slab. */
static alcore_status search(neighborhood *self) {
    alcore__search_run *run = &self->run;
    const size_t entries = (size_t)(run->slab * run->k);
    alcore__search_best best = {0};
    float *basis = NULL; /* directions for pruning, of which run->search has a view */
    alcore_status status = alcore__search_basis(run, &basis);
    if (!status) status = alcore__new_array(self->ctx, entries, sizeof *best.row, &best.row);
    if (!status) status = alcore__new_array(self->ctx, entries, sizeof *best.value, &best.value);
    if (!status)
        status = alcore__new_array(self->ctx, (size_t)run->k + 1, sizeof *self->sums, &self->sums);
    for (int64_t first = 0; first < run->queries.count && !status; first += run->slab) {
        status = alcore__search_slab_neighbors(run, first, best);
        if (!status) status = add_slab(self, first, best.row);
    }
    alcore__free(self->ctx, best.row);
    alcore__free(self->ctx, best.value);
    alcore__free(self->ctx, basis);
    return status;
}

/* Correlates the targets for each k: out [k_count, 2], rho and p. A rho that is NaN is logged with
 * its reason. */
static void correlate_each(const neighborhood *self, double *out) {
    for (int64_t i = 0; i < self->k_count; i++) {
        alcore_pearson_result result = {.rho = NAN, .p = NAN};
        if (self->used >= 3)
            alcore__correlate(self->x, self->means + i * self->run.queries.count, self->used,
                              &result);
        if (isnan(result.rho))
            alcore__log(self->ctx, ALCORE_LOG_WARN, "metric", NULL /* no fields */,
                        "rho for k = %lld is NaN: %s", (long long)self->k[i],
                        self->used < 3 ? "there are fewer than three target rows"
                                       : "the uncertainty of one side is the same everywhere");
        out[2 * i] = result.rho;
        out[2 * i + 1] = result.p;
    }
}

/* The largest of k [count]; the error names the first entry that is out of range. */
static alcore_status largest_k(const int64_t *k, int64_t count, int64_t *out) {
    *out = 0;
    if (count < 1 || !k) return alcore__fail(ALCORE_E_INVALID, "k is NULL or has no entry");
    for (int64_t i = 0; i < count; i++) {
        ALCORE__TRY(alcore__search_check_k(k[i], ALCORE_NEIGHBORHOOD_MAX));
        if (k[i] > *out) *out = k[i];
    }
    return ALCORE_OK;
}

/* Checks both operands, which the run has, searches and correlates. source_count, target_count:
 * entries of the caller's two arrays of uncertainties. out: float64 [k_count, 2], which is
 * written through results. */
static alcore_status analyze(neighborhood *self, int64_t source_count, int64_t target_count,
                             const alcore_tensor *out, alcore__results *results) {
    int64_t sources, targets;
    void *answer;
    ALCORE__TRY(
        alcore__results_add(results, out, "out", ALCORE_FLOAT64, self->k_count, 2, false, &answer));
    ALCORE__TRY(check_uncertainty(&self->run.rows, self->source_u, source_count, &sources));
    ALCORE__TRY(check_uncertainty(&self->run.queries, self->target_u, target_count, &targets));
    if (sources == 0) return alcore__fail(ALCORE_E_INVALID, "source: no row takes part");
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)targets, sizeof *self->x, &self->x));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->k_count * (size_t)target_count,
                                  sizeof *self->means, &self->means));
    ALCORE__TRY(search(self));
    correlate_each(self, answer);
    return ALCORE_OK;
}

alcore_status alcore_analysis_compute_neighborhood(
    alcore_ctx *ctx, const alcore_search_data *source, const double *source_uncertainty,
    int64_t source_count, const alcore_search_data *target, const double *target_uncertainty,
    int64_t target_count, const int64_t *k, int64_t k_count, const alcore_search_options *options,
    const alcore_tensor *out) {
    neighborhood self = {.ctx = ctx,
                         .source_u = source_uncertainty,
                         .target_u = target_uncertainty,
                         .k = k,
                         .k_count = k_count};
    int64_t widest;
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ctx ? ALCORE_OK : alcore__fail(ALCORE_E_INVALID, "ctx is NULL");
    if (!status) status = largest_k(k, k_count, &widest);
    if (!status) {
        status = alcore__search_begin(ctx, source, "source", target, "target", widest, options,
                                      &self.run);
        alcore__results results = {0};
        if (!status) alcore__results_init(&results, &self.run.engine, self.run.rows.stream);
        if (!status) status = analyze(&self, source_count, target_count, out, &results);
        status = alcore__results_end(&results, status);
        alcore__search_end(&self.run);
    }
    alcore__free(ctx, self.x);
    alcore__free(ctx, self.means);
    alcore__free(ctx, self.sums);
    return alcore__leave(ctx, status);
}
