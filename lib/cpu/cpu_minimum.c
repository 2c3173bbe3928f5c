/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights of k-means++ and BADGE (spec 1.8): the smallest weight of each row over the centroids
 * so far, for several new centroids while the rows pass once; update_min joins one of them later;
 * draw finds the row that a random number hits.
 *
 *     k-means++  w = sq_dist(row, centroid)
 *     BADGE      w = |a|^2 |h|^2 + |a_c|^2 |h_c|^2 - 2 (a.a_c) (h.h_c), the squared distance of the
 *                outer products a h^T and a_c h_c^T, which are never formed
 *
 * A w of at most DUPLICATE times both squared norms is rounding, and counts as 0.
 * A filter in float32 (cpu_filter.h) compares a panel of rows with the centroids; a weight is
 * computed in double only where its lower bound is below the row's minimum. Running totals are
 * added in row order at the end. Cost: with many centroids rows x centroids x dims in float32 and
 * few sq_dists in double; with one centroid the exact distances, stopped early above the minimum.
 */
#include <math.h>
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_filter.h"
#include "cpu/cpu_rows.h"

/* The duplicate rule of spec 1.8: what is at most this share of both squared norms is rounding. */
#define DUPLICATE 1e-12

/* One call and its memory. */
typedef struct minimum_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centroids, *centroid_dots, *row_dots;
    int64_t count, spent;
    int zero_duplicates;
    double most_dot; /* the largest of centroid_dots */
    const alcore_sys_weights *weights;
    double *unit;    /* [PRODUCT_ROWS, dims]; NULL: rows are as given */
    float *floats;   /* [count, dims] the centroids, when they are float32 like the rows; NULL */
    float *panel;    /* [dims, PRODUCT_ROWS] */
    float *products; /* [PRODUCT_ROWS, padded] */
    filter_centroids filter;
} minimum_call;

/* Weight w of row i against centroid c. The guessed centroids come last, when the row's minimum is
 * the one that the others leave. */
static void put_weight(const minimum_call *call, int64_t i, int64_t c, double w) {
    const alcore_sys_weights *weights = call->weights;
    int64_t guess = c - (call->count - weights->speculative_count);
    if (!(w < weights->minimum[i])) return;
    if (guess < 0) {
        weights->minimum[i] = w;
    } else {
        weights->speculative[guess * call->rows->count + i] = w;
    }
}

/* What the sq_dist may be without changing anything is above this. */
static double limit_of(const minimum_call *call, int64_t i, int64_t c, double *duplicate) {
    *duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->centroid_dots[c]) : -1.0;
    double minimum = call->weights->minimum[i];
    return minimum > *duplicate ? minimum : *duplicate;
}

/* No centroid's limit is above this. */
static double limit_of_all(const minimum_call *call, int64_t i) {
    double minimum = call->weights->minimum[i];
    double duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->most_dot) : -1.0;
    return minimum > duplicate ? minimum : duplicate;
}

/* ---- one row in float32 ---- */

/* Few centroids are compared with a row of float32 numbers in float32 first, which takes a third of
 * the time (spec 1.8, Filters). Centroids that are rows of the same matrix are float32 numbers
 * themselves, so nothing but the arithmetic rounds: a sum of n squares or products is off by less
 * than g = 1.01 (CPU_FLOAT_CHAIN + 4) 2^-24 of the sum of their magnitudes, and what lies below
 * float32's range by less than 2e-45 a term. The normative sums are within 1e-9 of the exact ones,
 * a part of what FLOAT_ERROR has beyond g. */
#define FLOAT_ERROR(dims) (1.01 * 0x1p-24 * (CPU_FLOAT_CHAIN(dims) + 4.0) + 1e-8)
#define FLOAT_TINY(dims) ((double)(dims)*4e-45)
/* Above this an infinite sum says nothing. */
#define FLOAT_MAX 3e38

/* Whether the squared distance is above the limit. */
static int is_above(const float *row, const float *centroid, int64_t dims, double limit) {
    double threshold = limit * (1.0 + FLOAT_ERROR(dims)) + FLOAT_TINY(dims);
    return threshold < FLOAT_MAX && (double)CPU(float_sq_dist)(row, centroid, dims) > threshold;
}

/* The centroids as float32 numbers, when they are such and the rows are. */
static alcore_status make_floats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const double *centroids, int64_t count, float **out) {
    int64_t numbers = count * rows->dims;
    *out = NULL;
    if (rows->unit || rows->dtype != ALCORE_FLOAT32 || rows->dims > FILTER_MAX_DIMS)
        return ALCORE_OK;
    for (int64_t j = 0; j < numbers; j++) {
        if (!((double)(float)centroids[j] == centroids[j])) return ALCORE_OK;
    }
    alcore_status status = alcore__cpu_new(work, numbers, sizeof **out, out);
    for (int64_t j = 0; j < numbers && !status; j++) (*out)[j] = (float)centroids[j];
    return status;
}

/* ---- weights ---- */

/* Lowers the minimum of row i by centroid c: first a float32 bound where there is one, then the
 * exact distance, which stops early above the limit. */
static void weigh(const minimum_call *call, const char *row, int64_t i, int64_t c) {
    int64_t dims = call->rows->dims;
    double duplicate, limit = limit_of(call, i, c, &duplicate);
    if (call->floats &&
        is_above((const float *)(const void *)row, call->floats + c * dims, dims, limit))
        return;
    double w = CPU(sq_dist_within)(row, call->centroids + c * dims, dims, cpu_row_dtype(call->rows),
                                   limit);
    put_weight(call, i, c, w <= duplicate ? 0.0 : w);
}

/* The rows item[0 .. count - 1], at most PRODUCT_ROWS: float32 products tell which centroids may
 * lower a minimum. */
static void weigh_tile(minimum_call *call, const int64_t *item, int count) {
    int64_t dims = call->rows->dims, padded = call->filter.padded;
    int32_t dtype = cpu_row_dtype(call->rows);
    const char *row[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, item[r], call->unit ? call->unit + r * dims : NULL);
    }
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, call->panel);
    CPU(products)
    (call->panel, 1, call->filter.panels, padded / PRODUCT_COLUMNS, dims, call->products, padded);
    for (int r = 0; r < count; r++) {
        int64_t i = item[r];
        double dot = call->row_dots ? call->row_dots[i] : CPU(self_dot)(row[r], dims, dtype),
               duplicate;
        double bound = filter_bound(&call->filter, sqrt(dot) * FILTER_UP, dims);
        const float *products = call->products + r * padded;
        for (int64_t c = 0; c < padded; c += CPU_WIDTH) {
            cpu_vector f = cpu_load_double(call->filter.squares + c) + dot -
                           2.0 * cpu_load((const char *)products, c, ALCORE_FLOAT32);
            double most = limit_of_all(call, i) + bound, lane[CPU_WIDTH];
            if (bound >= 0.0 && !cpu_any_double(~(cpu_mask)(f > most))) continue;
            cpu_store_double(lane, f);
            for (int64_t k = 0; k < CPU_WIDTH && c + k < call->count; k++) {
                if (bound >= 0.0 && lane[k] > limit_of(call, i, c + k, &duplicate) + bound)
                    continue;
                weigh(call, row[r], i, c + k);
            }
        }
    }
}

/* Every row of the mask against all centroids: with the filter a panel of PRODUCT_ROWS rows at a
 * time, else row by row. item [waiting]: the rows of the panel that fills. */
static alcore_status weigh_rows(minimum_call *call, const uint8_t *mask, int filtered) {
    int64_t dims = call->rows->dims, item[PRODUCT_ROWS];
    int waiting = 0, step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!mask || mask[i]) item[waiting++] = i;
        if (!waiting || (waiting < step && i + 1 < call->rows->count)) continue;
        if (filtered) {
            weigh_tile(call, item, waiting);
        } else {
            const char *row = cpu_row(call->rows, i, call->unit);
            for (int64_t c = 0; c < call->count; c++) weigh(call, row, i, c);
        }
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent, waiting * call->count * dims);
        if (status) return status;
        waiting = 0;
    }
    return ALCORE_OK;
}

/* Sets the speculative weights [speculative_count, rows] of the rows of the mask to infinity. */
static void clear_each(const alcore_sys_weights *weights, int64_t rows, const uint8_t *mask) {
    for (int64_t c = 0; c < weights->speculative_count; c++) {
        for (int64_t i = 0; i < rows; i++) {
            if (!mask || mask[i]) weights->speculative[c * rows + i] = HUGE_VAL;
        }
    }
}

/* The total weight of a block, in row order: of the rows of total_mask, or else of mask (NULL:
 * all). */
static void add_total(const alcore_sys_weights *weights, int64_t rows, const uint8_t *mask) {
    const uint8_t *weigh = weights->total_mask ? weights->total_mask : mask;
    double total = 0.0;
    if (!weights->total) return;
    for (int64_t i = 0; i < rows; i++) {
        if (!weigh || weigh[i]) total += weights->minimum[i];
    }
    *weights->total = total;
}

/* Kernel table: lowers weights->minimum [rows] to the squared distance to any of centroids [count,
 * dims] but the last speculative_count of them, whose distances go to weights->speculative
 * [speculative_count, rows]; then totals the minima. row_dots [rows] and centroid_dots [count] are
 * needed with zero_duplicates only. */
alcore_status CPU(min_sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const uint8_t *mask, const double *centroids, int64_t count,
                                const double *centroid_dots, const double *row_dots,
                                int32_t zero_duplicates, const alcore_sys_weights *weights) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (count < weights->speculative_count || weights->speculative_count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    minimum_call call = {.work = work,
                         .rows = rows,
                         .centroids = centroids,
                         .centroid_dots = centroid_dots,
                         .row_dots = row_dots,
                         .count = count,
                         .zero_duplicates = zero_duplicates,
                         .weights = weights};
    for (int64_t c = 0; zero_duplicates && c < count; c++) {
        if (centroid_dots[c] > call.most_dot) call.most_dot = centroid_dots[c];
    }
    int64_t dims = rows->dims, capacity = count + PRODUCT_COLUMNS;
    int filtered =
        count >= FILTER_MIN_CENTROIDS && rows->count >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    size_t tile = PRODUCT_ROWS * sizeof(float), column = (size_t)dims * sizeof(float);
    if (rows->unit) status = alcore__cpu_new(work, dims, PRODUCT_ROWS * sizeof(double), &call.unit);
    if (!status && filtered) status = alcore__cpu_new(work, dims, tile, &call.panel);
    if (!status && filtered) status = alcore__cpu_new(work, capacity, tile, &call.products);
    if (!status && filtered)
        status = alcore__cpu_new(work, capacity, sizeof(double), &call.filter.squares);
    if (!status && filtered) status = alcore__cpu_new(work, capacity, column, &call.filter.panels);
    if (!status && !filtered) status = make_floats(work, rows, centroids, count, &call.floats);
    if (!status && filtered) filter_prepare(&call.filter, centroids, count, dims);
    if (!status) clear_each(weights, rows->count, mask);
    if (!status) status = weigh_rows(&call, mask, filtered);
    if (!status) add_total(weights, rows->count, mask);
    alcore__cpu_free(work, call.floats, count * dims, sizeof *call.floats);
    alcore__cpu_free(work, call.filter.panels, capacity, column);
    alcore__cpu_free(work, call.filter.squares, capacity, sizeof(double));
    alcore__cpu_free(work, call.products, capacity, tile);
    alcore__cpu_free(work, call.panel, dims, tile);
    alcore__cpu_free(work, call.unit, dims, PRODUCT_ROWS * sizeof(double));
    return status;
}

/* ---- BADGE ---- */

/* Both factors of one call. */
typedef struct badge_call {
    const alcore_sys_rows *a, *h;
    const double *centroids_a, *centroids_h, *centroid_squares, *squares;
    float *floats; /* of centroids_h */
    minimum_call weights;
} badge_call;

/* Whether the weight is above the limit: with |dot(a, a_c)| |h| |h_c| <= |a| |a_c| |h| |h_c| <= (G
 * + G_c) / 2 the error of the product in float32 becomes a share of the sum. */
static int is_badge_above(const badge_call *call, const char *row_h, int64_t c, double in_a,
                          double sum, double limit) {
    int64_t dims = call->h->dims;
    if (!call->floats || !(sum > 1e-200) || !(limit < HUGE_VAL)) return 0;
    double in_h =
        (double)CPU(float_dot)((const float *)(const void *)row_h, call->floats + c * dims, dims);
    double error = FLOAT_ERROR(dims) * 1.01 * sum + 2.0 * fabs(in_a) * FLOAT_TINY(dims);
    return fabs(in_h) < FLOAT_MAX && sum - 2.0 * in_a * in_h - error > limit;
}

/* One row and one centroid of BADGE. row_a, row_h: the two factors of row i. The first product is
 * exact; the second one is computed exactly only where its float32 lower bound could beat the
 * minimum. */
static void weigh_badge(const badge_call *call, const char *row_a, const char *row_h, int64_t i,
                        int64_t c) {
    const alcore_sys_rows *a = call->a, *h = call->h;
    double in_a = CPU(dot)(row_a, call->centroids_a + c * a->dims, a->dims, cpu_row_dtype(a));
    double sum = call->squares[i] + call->centroid_squares[c], duplicate = DUPLICATE * sum;
    double minimum = call->weights.weights->minimum[i];
    if (is_badge_above(call, row_h, c, in_a, sum, minimum > duplicate ? minimum : duplicate))
        return;
    double in_h = CPU(dot)(row_h, call->centroids_h + c * h->dims, h->dims, cpu_row_dtype(h));
    double w = sum - 2.0 * (in_a * in_h);
    put_weight(&call->weights, i, c, w <= duplicate ? 0.0 : w);
}

/* Kernel table: as min_sq_dists for outer products a h^T, which are never formed: centroids_a
 * [count, dims of a], centroids_h [count, dims of h], squares [rows] and centroid_squares [count]
 * the squared norms of the products. */
alcore_status CPU(min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                             const alcore_sys_rows *h, const uint8_t *mask,
                             const double *centroids_a, const double *centroids_h, int64_t count,
                             const double *centroid_squares, const double *squares,
                             const alcore_sys_weights *weights) {
    alcore_status status = alcore__cpu_check(work, a);
    if (!status) status = alcore__cpu_check(work, h);
    if (status) return status;
    if (count < weights->speculative_count || weights->speculative_count < 0 ||
        a->count != h->count)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with factors of different shapes");
    badge_call call = {.a = a,
                       .h = h,
                       .centroids_a = centroids_a,
                       .centroids_h = centroids_h,
                       .centroid_squares = centroid_squares,
                       .squares = squares,
                       .weights = {.rows = h, .count = count, .weights = weights}};
    double *unit_a = NULL, *unit_h = NULL;
    if (a->unit) status = alcore__cpu_new(work, a->dims, sizeof *unit_a, &unit_a);
    if (!status && h->unit) status = alcore__cpu_new(work, h->dims, sizeof *unit_h, &unit_h);
    if (!status) status = make_floats(work, h, centroids_h, count, &call.floats);
    if (!status) clear_each(weights, h->count, mask);
    int64_t spent = 0;
    for (int64_t i = 0; i < h->count && !status; i++) {
        if (mask && !mask[i]) continue;
        const char *row_a = cpu_row(a, i, unit_a), *row_h = cpu_row(h, i, unit_h);
        for (int64_t c = 0; c < count; c++) weigh_badge(&call, row_a, row_h, i, c);
        status = alcore__cpu_poll(work, &spent, count * (a->dims + h->dims));
    }
    if (!status) add_total(weights, h->count, mask);
    alcore__cpu_free(work, call.floats, count * h->dims, sizeof *call.floats);
    alcore__cpu_free(work, unit_h, h->dims, sizeof *unit_h);
    alcore__cpu_free(work, unit_a, a->dims, sizeof *unit_a);
    return status;
}

/* ---- draws ---- */

/* No arithmetic but comparisons, and then the total in row order. */
alcore_status CPU(update_min)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                              const double *values, const alcore_sys_weights *weights) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    for (int64_t i = 0; values && i < count; i++) {
        if (mask && !mask[i]) continue;
        if (values[i] < weights->minimum[i]) weights->minimum[i] = values[i];
    }
    add_total(weights, count, mask);
    return ALCORE_OK;
}

/* The running sum is that of total_of, so that a draw and the totals it is made of agree to the
 * bit. */
alcore_status CPU(draw)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                        const double *values, double before, double target, int64_t *item) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    double run = 0.0;
    *item = -1;
    for (int64_t i = 0; i < count; i++) {
        if (mask && !mask[i]) continue;
        run += values[i];
        if (!(values[i] > 0.0)) continue;
        *item = i;
        if (before + run > target) break;
    }
    return ALCORE_OK;
}
