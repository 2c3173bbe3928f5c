/* SPDX-License-Identifier: Apache-2.0 */
/* Projection of embeddings on two principal components (docs/spec/analyses.md 8.7).
 *
 *     mean m, population covariance C = 1/n sum over rows of (x - m) (x - m)^T,
 *     components: the eigenvectors of C with the two largest eigenvalues (top_eigenvectors.h),
 *     point of a row: its dot products (x - m) . component
 *
 * Passes over the rows, in strips of STRIP rows: means; covariance; points. In the second pass each
 * thread has bands of BAND rows of C, to which it adds the rows of the strip in their order, so
 * that the sums do not depend on the number of threads. Time n d^2 / 2 multiply-adds, memory
 * d^2. */
#include <math.h>
#include <string.h>

#include "alcore/extra/analysis.h"
#include "extra/analysis/top_eigenvectors.h"
#include "kernel/device_result.h"
#include "search/search_data.h"

/* Rows of a strip, which is widened to float64 (1.5 MB at 768 dims, so that it stays in the cache
 * while all bands are updated), and rows of the covariance matrix of one task. */
enum { STRIP = 256, BAND = 16 };

/* The state of one call. */
typedef struct projection {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore__search_data rows, others; /* others.ctx NULL: there is no second operand */
    int64_t dims;
    int64_t strip_count; /* rows of the present strip that take part */
    double *strip;       /* [STRIP, dims] those rows, centered in the second and third pass */
    double *dots;        /* [STRIP] workspace of the check of values */
    double *mean;        /* [dims] */
    double *covariance;  /* [dims, dims] */
    double *components;  /* [2, dims]; zeros where there is no component */
    alcore_projection_result result;
} projection;

/* What a pass does with a strip, whose rows that take part are in self->strip. numbers
 * [self->strip_count]: the row of the operand that each of them is; out: that of each_strip(). */
typedef alcore_status (*strip_function)(projection *self, const int64_t *numbers, void *out);

/* Reads all strips of an operand and calls `handle` for each. check: refuses values that are not
 * finite. centered: the mean is subtracted. widen() writes each row at its place among all rows of
 * the strip, and those that take part are then moved to the front. */
static alcore_status each_strip(projection *self, const alcore__search_data *data, bool check,
                                bool centered, strip_function handle, void *out) {
    alcore__scratch scratch = {0};
    alcore_sys_work work = alcore__engine_work(&self->engine);
    int64_t numbers[STRIP];
    alcore_status status = ALCORE_OK;
    for (int64_t first = 0; first < data->count && !status; first += STRIP) {
        const int64_t count = data->count - first < STRIP ? data->count - first : STRIP;
        const uint8_t *mask = alcore__search_data_mask(data, first);
        alcore_sys_rows rows;
        status = alcore__search_data_rows(data, &self->engine, first, count, &scratch, &rows);
        if (!status && check)
            status = alcore__search_data_check(data, &self->engine, &rows, self->dots);
        if (!status) status = self->engine.kernels->widen(&work, &rows, mask, self->strip);
        self->strip_count = 0;
        for (int64_t i = 0; i < count && !status; i++) {
            if (mask && !mask[i]) continue;
            double *to = self->strip + self->strip_count * self->dims;
            const double *from = self->strip + i * self->dims;
            for (int64_t j = 0; j < self->dims; j++)
                to[j] = from[j] - (centered ? self->mean[j] : 0);
            numbers[self->strip_count++] = first + i;
        }
        if (!status) status = handle(self, numbers, out);
        if (!status) status = alcore__tick(self->ctx, "projection", first + count, data->count);
    }
    alcore__scratch_clear(data->column ? data->column->ctx : self->ctx, &scratch);
    return status;
}

/* First pass: adds the rows to the mean, which is divided by their number afterwards. */
static alcore_status add_to_mean(projection *self, const int64_t *numbers, void *out) {
    (void)numbers, (void)out;
    for (int64_t i = 0; i < self->strip_count; i++)
        for (int64_t j = 0; j < self->dims; j++) self->mean[j] += self->strip[i * self->dims + j];
    self->result.rows += self->strip_count;
    return ALCORE_OK;
}

/* Task `index` of the second pass: adds the strip to rows index * BAND .. of the covariance matrix,
 * from the diagonal to the right. Four rows of the strip are added at a time, one after the other,
 * which halves the loads and stores of sums. */
static alcore_status add_band(void *data, int64_t index, int32_t worker) {
    projection *self = data;
    const int64_t dims = self->dims, end = (index + 1) * BAND < dims ? (index + 1) * BAND : dims;
    (void)worker;
    int64_t r = 0;
    for (; r + 4 <= self->strip_count; r += 4) {
        const double *a = self->strip + r * dims, *b = a + dims, *c = b + dims, *d = c + dims;
        for (int64_t i = index * BAND; i < end; i++) {
            double *sums = self->covariance + i * dims;
            for (int64_t j = i; j < dims; j++)
                sums[j] = sums[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + d[i] * d[j];
        }
    }
    for (; r < self->strip_count; r++) {
        const double *a = self->strip + r * dims;
        for (int64_t i = index * BAND; i < end; i++)
            for (int64_t j = i; j < dims; j++) self->covariance[i * dims + j] += a[i] * a[j];
    }
    return ALCORE_OK;
}

/* Second pass: adds the centered strip to the covariance matrix, on the context's threads. */
static alcore_status add_to_covariance(projection *self, const int64_t *numbers, void *out) {
    (void)numbers, (void)out;
    return alcore__parallel(self->ctx, NULL /* as each_strip() said */,
                            (self->dims + BAND - 1) / BAND, add_band, self);
}

/* Third pass: points of the strip, out float64 [rows of the operand, 2]. */
static alcore_status put_points(projection *self, const int64_t *numbers, void *out) {
    double *points = out;
    for (int64_t i = 0; i < self->strip_count; i++) {
        const double *row = self->strip + i * self->dims;
        for (int c = 0; c < 2; c++) {
            const double *component = self->components + c * self->dims;
            double sum = 0;
            for (int64_t j = 0; j < self->dims; j++) sum += row[j] * component[j];
            points[2 * numbers[i] + c] = sum;
        }
    }
    return ALCORE_OK;
}

/* Divides the sums by the number of rows, copies them below the diagonal, and returns the sum of
 * the variances of all components. */
static double finish_covariance(projection *self) {
    const int64_t dims = self->dims;
    double variance = 0;
    for (int64_t i = 0; i < dims; i++) {
        for (int64_t j = i; j < dims; j++) {
            const double value = self->covariance[i * dims + j] / (double)self->result.rows;
            self->covariance[i * dims + j] = self->covariance[j * dims + i] = value;
        }
        variance += self->covariance[i * dims + i];
    }
    return variance;
}

/* Turns a component [dims] so that its loading of the largest absolute value, the first one where
 * several agree within 1e-9 of it, is positive. */
static void fix_sign(double *component, int64_t dims) {
    double largest = 0;
    int64_t at = 0;
    for (int64_t j = 0; j < dims; j++) largest = fmax(largest, fabs(component[j]));
    while (at < dims - 1 && fabs(component[at]) < largest * (1 - 1e-9)) at++;
    if (component[at] < 0)
        for (int64_t j = 0; j < dims; j++) component[j] = -component[j];
}

/* The first two passes and the components; without rows all stay 0. */
static alcore_status find_components(projection *self) {
    const int64_t dims = self->dims;
    ALCORE__TRY(each_strip(self, &self->rows, true, false, add_to_mean, NULL));
    if (self->result.rows == 0 || dims == 0) return ALCORE_OK;
    for (int64_t j = 0; j < dims; j++) self->mean[j] /= (double)self->result.rows;
    ALCORE__TRY(each_strip(self, &self->rows, false, true, add_to_covariance, NULL));
    const double variance = finish_covariance(self);
    const int32_t count = dims < 2 ? 1 : 2;
    ALCORE__TRY(alcore__top_eigenvectors(self->ctx, self->covariance, dims, count,
                                         self->result.eigenvalues, self->components));
    for (int c = 0; c < count; c++) {
        fix_sign(self->components + c * dims, dims);
        if (variance > 0) self->result.shares[c] = self->result.eigenvalues[c] / variance;
    }
    if (variance > 0 && count < 2) self->result.shares[1] = 0;
    return ALCORE_OK;
}

/* Allocates what the passes need; the caller frees it, also after a failure. */
static alcore_status new_memory(projection *self) {
    const size_t dims = (size_t)self->dims;
    ALCORE__TRY(alcore__new_array(self->ctx, STRIP * dims, sizeof(double), &self->strip));
    ALCORE__TRY(alcore__new_array(self->ctx, STRIP, sizeof(double), &self->dots));
    ALCORE__TRY(alcore__new_array(self->ctx, dims, sizeof(double), &self->mean));
    ALCORE__TRY(alcore__new_array(self->ctx, 2 * dims, sizeof(double), &self->components));
    return alcore__new_array(self->ctx, dims * dims, sizeof(double), &self->covariance);
}

/* Third pass over one operand: points [count, 2], NaN for rows that take no part. */
static alcore_status project(projection *self, const alcore__search_data *data, bool check,
                             double *points) {
    for (int64_t i = 0; i < 2 * data->count; i++) points[i] = NAN;
    return each_strip(self, data, check, true, put_points, points);
}

/* All passes, with both operands read and the caller's arrays checked. points [rows, 2],
 * other_points [others, 2], components [2, dims]: where the results go; components NULL: not
 * wanted. */
static alcore_status run_passes(projection *self, double *points, double *other_points,
                                double *components) {
    ALCORE__TRY(new_memory(self));
    ALCORE__TRY(find_components(self));
    ALCORE__TRY(project(self, &self->rows, false /* checked in the first pass */, points));
    if (self->others.ctx) ALCORE__TRY(project(self, &self->others, true, other_points));
    if (components && self->dims > 0)
        memcpy(components, self->components, 2 * (size_t)self->dims * sizeof(double));
    return ALCORE_OK;
}

/* Reads the operands and the caller's arrays, and projects. */
static alcore_status compute(projection *self, const alcore_search_data *rows,
                             const alcore_search_data *others, const alcore_tensor *out_points,
                             const alcore_tensor *out_other_points,
                             const alcore_tensor *out_components, alcore__results *results) {
    void *points, *other_points = NULL, *components = NULL;
    if (!others && out_other_points)
        return alcore__fail(ALCORE_E_INVALID, "out_other_points is given, but others is NULL");
    ALCORE__TRY(alcore__search_data_begin(self->ctx, rows, "rows", &self->rows));
    self->dims = self->rows.dims;
    if (others) {
        ALCORE__TRY(alcore__search_data_begin(self->ctx, others, "others", &self->others));
        if (self->others.dims != self->dims)
            return alcore__fail(ALCORE_E_SHAPE, "rows and others have %lld and %lld components",
                                (long long)self->dims, (long long)self->others.dims);
    }
    ALCORE__TRY(alcore__search_data_engine(&self->rows, others ? &self->others : NULL,
                                           NULL /* where the rows are */, &self->engine));
    alcore__results_init(results, &self->engine, self->rows.stream);
    if (others)
        ALCORE__TRY(alcore__results_add(results, out_other_points, "out_other_points",
                                        ALCORE_FLOAT64, self->others.count, 2, false,
                                        &other_points));
    ALCORE__TRY(alcore__results_add(results, out_points, "out_points", ALCORE_FLOAT64,
                                    self->rows.count, 2, false, &points));
    if (out_components)
        ALCORE__TRY(alcore__results_add(results, out_components, "out_components", ALCORE_FLOAT64,
                                        2, self->dims, false, &components));
    return run_passes(self, points, other_points, components);
}

alcore_status alcore_analysis_compute_projection(alcore_ctx *ctx, const alcore_search_data *rows,
                                                 const alcore_search_data *others,
                                                 const alcore_projection_options *options,
                                                 const alcore_tensor *out_points,
                                                 const alcore_tensor *out_other_points,
                                                 const alcore_tensor *out_components,
                                                 alcore_projection_result *out) {
    projection self = {.ctx = ctx, .result = {.shares = {NAN, NAN}}};
    alcore__results results = {0};
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ctx ? ALCORE_OK : alcore__fail(ALCORE_E_INVALID, "ctx is NULL");
    if (!status) status = alcore__struct_empty(options, "alcore_projection_options");
    if (!status)
        status =
            compute(&self, rows, others, out_points, out_other_points, out_components, &results);
    status = alcore__results_end(&results, status);
    alcore__search_data_end(&self.rows);
    alcore__search_data_end(&self.others);
    alcore__free(ctx, self.strip);
    alcore__free(ctx, self.dots);
    alcore__free(ctx, self.mean);
    alcore__free(ctx, self.covariance);
    alcore__free(ctx, self.components);
    if (!status && out)
        status = alcore__struct_write(out, &self.result, sizeof self.result,
                                      ALCORE__FIRST_SIZE(alcore_projection_result, shares),
                                      "alcore_projection_result");
    return alcore__leave(ctx, status);
}
