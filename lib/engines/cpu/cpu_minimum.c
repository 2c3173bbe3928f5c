/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights of k-means++ and BADGE (spec 1.8): the smallest weight w of each row over the
 * centroids so far, updated by one or more new centroids in one pass over the rows. Speculative
 * centroids (rows that the next draws are likely to hit) are measured in the same pass and kept
 * apart; update_min merges one of them when the draw hits it. draw finds the row that a random
 * number hits.
 *
 *     k-means++  w = sq_dist(row, centroid)
 *     BADGE      w = |a|^2 |h|^2 + |a_c|^2 |h_c|^2 - 2 (a.a_c) (h.h_c), the squared distance of the
 *                outer products a h^T and a_c h_c^T, which are never formed
 *
 * A w of at most DUPLICATE times the sum of both squared norms is rounding, and counts as 0.
 * k-means++ with at least FILTER_MIN_CENTROIDS = 5 centroids and FILTER_MIN_ROWS = 32 rows: a
 * filter in float32 (cpu_filter.h) compares panels of rows with all centroids, and a weight is
 * computed in double only where its lower bound is below the minimum of the row. Otherwise, and for
 * BADGE always, each pair is bounded in float32 by itself where rows and centroids are float32, and
 * the sum in double stops early above the minimum (k-means++). The total is added in row order at
 * the end. Cost: rows x centroids x dims in float32, and few sq_dists in double.
 *
 * All norms, limits and weights in this file are squared. */
#include <math.h>
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_filter.h"
#include "engines/cpu/cpu_rows.h"

/* The duplicate rule of spec 1.8: a w of at most this share of both squared norms is rounding. */
#define DUPLICATE 1e-12

/* One call and its memory. */
typedef struct minimum_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const double *centroids;           /* [count, dims] the speculative ones last */
    const double *centroid_dots;       /* [count] |c|^2; only read with zero_duplicates */
    const double *row_dots;            /* [rows] |x|^2; NULL, only without zero_duplicates: computed
                                          where the filter needs it */
    int64_t count;                     /* centroids, the speculative ones included */
    int64_t spent;                     /* multiplications since the last poll */
    int zero_duplicates;               /* 1: the duplicate rule applies */
    double max_dot;                    /* the largest of centroid_dots */
    const alcore_sys_weights *weights; /* the caller's: minimum [rows], in and out, and speculative
                                          [speculative_count, rows], out: where weights go */
    double *unit;    /* [PRODUCT_ROWS, dims] unit vectors; NULL: rows are read as they are */
    float *floats;   /* [count, dims] the centroids in float32; NULL unless they and the rows are
                        float32 values and the filter is off */
    float *panel;    /* [dims, PRODUCT_ROWS] packed rows; these three with the filter only */
    float *products; /* [PRODUCT_ROWS, padded] of the packed rows with all centroids; padded: count
                        rounded up to whole panels of PRODUCT_COLUMNS centroids */
    filter_centroids filter; /* the centroids, packed, with |c|^2 and what bounds their rounding */
} minimum_call;

/* Stores the weight w of row i against centroid c where it is below the minimum of the row: as its
 * new minimum, or for a speculative centroid as speculative[c', i], c' being its index among the
 * speculative ones, which stay infinite elsewhere. A NaN w is not stored. Callers compare a row
 * with the centroids in order, the speculative ones last: the minimum is then that of all
 * others. */
static void store_weight(const minimum_call *call, int64_t i, int64_t c, double w) {
    const alcore_sys_weights *weights = call->weights;
    int64_t speculative = c - (call->count - weights->speculative_count);
    if (!(w < weights->minimum[i])) return;
    if (speculative < 0) {
        weights->minimum[i] = w;
    } else {
        weights->speculative[speculative * call->rows->count + i] = w;
    }
}

/* The limit of the pair (row i, centroid c): a sq_dist above it changes nothing, being neither
 * below the minimum of the row nor a duplicate. *duplicate: the sq_dist up to which the pair is a
 * duplicate; -1: no rule, because no sq_dist is that low. */
static double pair_limit(const minimum_call *call, int64_t i, int64_t c, double *duplicate) {
    *duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->centroid_dots[c]) : -1.0;
    double minimum = call->weights->minimum[i];
    return minimum > *duplicate ? minimum : *duplicate;
}

/* Upper bound of the limits of row i with any centroid: for comparing many centroids at once. */
static double row_limit(const minimum_call *call, int64_t i) {
    double minimum = call->weights->minimum[i];
    double duplicate =
        call->zero_duplicates ? DUPLICATE * (call->row_dots[i] + call->max_dot) : -1.0;
    return minimum > duplicate ? minimum : duplicate;
}

/* ---- one row in float32 ---- */

/* Few centroids are compared with a float32 row in float32 first, which takes a third of the time
 * (spec 1.8, Filters). Centroids that are rows of the same matrix are float32 values themselves, so
 * only the arithmetic rounds: with CPU_FLOAT_CHAIN(n) an upper bound of the roundings that a term
 * passes through, a sum of n squares or products is off by less than g = 1.01 (CPU_FLOAT_CHAIN + 4)
 * 2^-24 of the sum of their magnitudes, and by less than 2e-45, here twice that, for each term
 * below float32's range. The sums in double are within 1e-9 of the exact ones; the 1e-8 that
 * FLOAT_ERROR has beyond g covers that. */
#define FLOAT_ERROR(dims) (1.01 * 0x1p-24 * (CPU_FLOAT_CHAIN(dims) + 4.0) + 1e-8)
#define FLOAT_TINY(dims) ((double)(dims)*4e-45)
/* Above this a float32 sum may have overflowed, and its infinity proves nothing. */
#define FLOAT_MAX 3e38

/* 1 when the sq_dist of row and centroid, both float32 [dims], is certainly above the limit, itself
 * a sq_dist; 0 says nothing. A NaN gives 0. */
static int is_above(const float *row, const float *centroid, int64_t dims, double limit) {
    double threshold = limit * (1.0 + FLOAT_ERROR(dims)) + FLOAT_TINY(dims);
    return threshold < FLOAT_MAX && (double)CPU(float_sq_dist)(row, centroid, dims) > threshold;
}

/* *out [count, dims]: the centroids in float32; NULL where one of them is not a float32 value, the
 * rows are not float32 or are to be unit vectors, or dims is above FILTER_MAX_DIMS = 2^22, beyond
 * which the factor 1.01 in FLOAT_ERROR is not proved to cover products of roundings. NULL where
 * arrays->status is ALCORE_OK is no failure: pairs are then computed in double at once. Shared by
 * both kinds of weights (for BADGE: rows and centroids are the h factors). */
static void make_floats(cpu_arrays *arrays, const alcore_sys_rows *rows, const double *centroids,
                        int64_t count, float **out) {
    int64_t values = count * rows->dims;
    *out = NULL;
    if (rows->unit || rows->dtype != ALCORE_FLOAT32 || rows->dims > FILTER_MAX_DIMS) return;
    for (int64_t j = 0; j < values; j++) {
        if (!((double)(float)centroids[j] == centroids[j])) return;
    }
    alcore__cpu_add(arrays, values, sizeof **out, out);
    for (int64_t j = 0; j < values && *out; j++) (*out)[j] = (float)centroids[j];
}

/* ---- weights ---- */

/* Computes the weight of row i against centroid c and stores it where it is below the minimum:
 * first a float32 comparison if call->floats is not NULL, then the sq_dist in double, which stops
 * early above the limit of the pair. row: the components of row i as cpu_row() returns them; they
 * are float32 whenever call->floats is not NULL. */
static void weigh(const minimum_call *call, const char *row, int64_t i, int64_t c) {
    int64_t dims = call->rows->dims;
    double duplicate, limit = pair_limit(call, i, c, &duplicate);
    if (call->floats &&
        is_above((const float *)(const void *)row, call->floats + c * dims, dims, limit))
        return;
    double w = CPU(sq_dist_within)(row, call->centroids + c * dims, dims, cpu_row_dtype(call->rows),
                                   limit);
    store_weight(call, i, c, w <= duplicate ? 0.0 : w);
}

/* The matrix rows item [count], at most PRODUCT_ROWS, with the filter: f below is the squared
 * distance |c|^2 + |x|^2 - 2 x.c from float32 products, and bound how far it may be off (negative:
 * do not filter this row, but weigh it against every centroid; filter_bound()). f is infinite
 * behind the last centroid. A pair is weighed when f is not above its limit by more than that;
 * CPU_WIDTH centroids are compared at a time with the largest limit of the row, which is computed
 * again each time, as weigh() lowers the minimum. */
static void weigh_tile(minimum_call *call, const int64_t *item, int count) {
    int64_t dims = call->rows->dims, padded = call->filter.padded;
    int32_t dtype = cpu_row_dtype(call->rows);
    const char *row[PRODUCT_ROWS];
    for (int r = 0; r < count; r++) {
        row[r] = cpu_row(call->rows, item[r], call->unit ? call->unit + r * dims : NULL);
    }
    CPU(pack_panel)(row, count, PRODUCT_ROWS, dims, dtype, call->panel);
    CPU(products)
    (call->panel, /*row_panels=*/1, call->filter.panels, padded / PRODUCT_COLUMNS, dims,
     call->products, padded);
    for (int r = 0; r < count; r++) {
        int64_t i = item[r];
        double dot = call->row_dots ? call->row_dots[i] : CPU(self_dot)(row[r], dims, dtype);
        double duplicate; /* not used: weigh() applies the rule */
        double bound = filter_bound(&call->filter, sqrt(dot) * FILTER_UP, dims);
        const float *products = call->products + r * padded;
        for (int64_t c = 0; c < padded; c += CPU_WIDTH) {
            cpu_vector f = cpu_load_double(call->filter.squares + c) + dot -
                           2.0 * cpu_load((const char *)products, c, ALCORE_FLOAT32);
            double highest = row_limit(call, i) + bound, lane[CPU_WIDTH];
            /* "Not above" and not "at most", so that a pair with a NaN is weighed. */
            if (bound >= 0.0 && !cpu_any_double(~(cpu_mask)(f > highest))) continue;
            cpu_store_double(lane, f);
            for (int64_t k = 0; k < CPU_WIDTH && c + k < call->count; k++) {
                if (bound >= 0.0 && lane[k] > pair_limit(call, i, c + k, &duplicate) + bound)
                    continue;
                weigh(call, row[r], i, c + k);
            }
        }
    }
}

/* Every row of the mask against all centroids: filtered 1: with the filter, PRODUCT_ROWS rows at a
 * time, which are collected in item (matrix rows); 0: row by row. */
static alcore_status weigh_rows(minimum_call *call, const uint8_t *mask, int filtered) {
    int64_t dims = call->rows->dims, item[PRODUCT_ROWS];
    int collected = 0, step = filtered ? PRODUCT_ROWS : 1;
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!mask || mask[i]) item[collected++] = i;
        if (!collected || (collected < step && i + 1 < call->rows->count)) continue;
        if (filtered) {
            weigh_tile(call, item, collected);
        } else {
            const char *row = cpu_row(call->rows, i, call->unit);
            for (int64_t c = 0; c < call->count; c++) weigh(call, row, i, c);
        }
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent, collected * call->count * dims);
        if (status) return status;
        collected = 0;
    }
    return ALCORE_OK;
}

/* Sets the speculative weights [speculative_count, rows] of the rows of the mask to infinity: what
 * remains where a weight is not below the minimum. Called before the pass. rows: rows of the call.
 */
static void clear_speculative(const alcore_sys_weights *weights, int64_t rows,
                              const uint8_t *mask) {
    for (int64_t c = 0; c < weights->speculative_count; c++) {
        for (int64_t i = 0; i < rows; i++) {
            if (!mask || mask[i]) weights->speculative[c * rows + i] = HUGE_VAL;
        }
    }
}

/* *weights->total, where it is wanted (not NULL): the running sum of the minima of the block in row
 * order, over the rows of total_mask, or of mask when that is NULL. Last step of the three kernels
 * that change minima. rows: rows of the call, masked ones included. */
static void add_total(const alcore_sys_weights *weights, int64_t rows, const uint8_t *mask) {
    const uint8_t *counted = weights->total_mask ? weights->total_mask : mask;
    double total = 0.0;
    if (!weights->total) return;
    for (int64_t i = 0; i < rows; i++) {
        if (!counted || counted[i]) total += weights->minimum[i];
    }
    *weights->total = total;
}

/* The squared norms, row_dots and centroid_dots, are needed with zero_duplicates only, which makes
 * a sq_dist that is only rounding a weight of 0. */
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
        if (centroid_dots[c] > call.max_dot) call.max_dot = centroid_dots[c];
    }
    /* capacity: at least the centroids rounded up to whole panels (padded) */
    int64_t dims = rows->dims, capacity = count + PRODUCT_COLUMNS;
    int filtered =
        count >= FILTER_MIN_CENTROIDS && rows->count >= FILTER_MIN_ROWS && dims <= FILTER_MAX_DIMS;
    /* bytes of a panel's component and of a packed centroid */
    size_t tile = PRODUCT_ROWS * sizeof(float), column = (size_t)dims * sizeof(float);
    cpu_arrays arrays = {.work = work};
    if (rows->unit) alcore__cpu_add(&arrays, dims, PRODUCT_ROWS * sizeof(double), &call.unit);
    if (filtered) {
        alcore__cpu_add(&arrays, dims, tile, &call.panel);
        alcore__cpu_add(&arrays, capacity, tile, &call.products);
        alcore__cpu_add(&arrays, capacity, sizeof(double), &call.filter.squares);
        alcore__cpu_add(&arrays, capacity, column, &call.filter.panels);
    } else {
        make_floats(&arrays, rows, centroids, count, &call.floats);
    }
    status = arrays.status;
    if (!status && filtered) filter_prepare(&call.filter, centroids, count, dims);
    if (!status) clear_speculative(weights, rows->count, mask);
    if (!status) status = weigh_rows(&call, mask, filtered);
    if (!status) add_total(weights, rows->count, mask);
    alcore__cpu_release(&arrays);
    return status;
}

/* ---- BADGE ---- */

/* One call: the gradient embedding of a row is the outer product of its factors a (what it adds to
 * each class) and h (its embedding). */
typedef struct badge_call {
    const alcore_sys_rows *a, *h;   /* the factors of each row: matrices of equally many rows */
    const double *centroids_a;      /* [count, dims of a] the factors of each centroid */
    const double *centroids_h;      /* [count, dims of h] */
    const double *centroid_squares; /* [count] G_c = |a_c|^2 |h_c|^2 */
    const double *squares;          /* [rows] G = |a|^2 |h|^2 */
    float *floats;                  /* [count, dims of h] centroids_h in float32; NULL: these or h
                                       are not float32 values, no float32 bound */
    minimum_call weights;           /* what store_weight() reads: only rows (h), count and weights
                                       are set */
} badge_call;

/* 1 when the weight sum - 2 dot_a (h.h_c) of a row and centroid c is certainly above the limit,
 * from h.h_c in float32; 0 says nothing, as for an infinite limit, and for a sum of at most 1e-200,
 * which may have underflowed. row_h: the factor h of the row, float32 if call->floats is not NULL;
 * dot_a: a.a_c; sum: G + G_c. Since |dot_a| |h| |h_c| <= |a| |a_c| |h| |h_c| <= (G + G_c) / 2, the
 * error of the float32 product is a share of sum: FLOAT_ERROR, and 1 % more for the roundings of
 * sum, dot_a and the difference themselves. */
static int is_badge_above(const badge_call *call, const char *row_h, int64_t c, double dot_a,
                          double sum, double limit) {
    int64_t dims = call->h->dims;
    if (!call->floats || !(sum > 1e-200) || !(limit < HUGE_VAL)) return 0;
    double dot_h =
        (double)CPU(float_dot)((const float *)(const void *)row_h, call->floats + c * dims, dims);
    double error = FLOAT_ERROR(dims) * 1.01 * sum + 2.0 * fabs(dot_a) * FLOAT_TINY(dims);
    return fabs(dot_h) < FLOAT_MAX && sum - 2.0 * dot_a * dot_h - error > limit;
}

/* Computes the weight of row i, with factors row_a and row_h as cpu_row() returns them, against
 * centroid c, and stores it where it is below the minimum of the row. a.a_c is computed in double,
 * h.h_c (usually the longer one) in double only where its float32 bound leaves the weight possibly
 * below the limit: the minimum of the row or, when larger, what counts as a duplicate, whose weight
 * is 0. */
static void weigh_badge(const badge_call *call, const char *row_a, const char *row_h, int64_t i,
                        int64_t c) {
    const alcore_sys_rows *a = call->a, *h = call->h;
    double dot_a = CPU(dot)(row_a, call->centroids_a + c * a->dims, a->dims, cpu_row_dtype(a));
    double sum = call->squares[i] + call->centroid_squares[c], duplicate = DUPLICATE * sum;
    double minimum = call->weights.weights->minimum[i];
    if (is_badge_above(call, row_h, c, dot_a, sum, minimum > duplicate ? minimum : duplicate))
        return;
    double dot_h = CPU(dot)(row_h, call->centroids_h + c * h->dims, h->dims, cpu_row_dtype(h));
    double w = sum - 2.0 * (dot_a * dot_h);
    store_weight(&call->weights, i, c, w <= duplicate ? 0.0 : w);
}

/* Row by row and pair by pair (no panels). The duplicate rule always applies. The refusal below
 * covers a wrong number of speculative centroids too. unit_a, unit_h [dims]: a factor as a unit
 * vector, where the caller's matrix says so. */
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
    cpu_arrays arrays = {.work = work};
    if (a->unit) alcore__cpu_add(&arrays, a->dims, sizeof *unit_a, &unit_a);
    if (h->unit) alcore__cpu_add(&arrays, h->dims, sizeof *unit_h, &unit_h);
    make_floats(&arrays, h, centroids_h, count, &call.floats);
    status = arrays.status;
    if (!status) clear_speculative(weights, h->count, mask);
    int64_t spent = 0;
    for (int64_t i = 0; i < h->count && !status; i++) {
        if (mask && !mask[i]) continue;
        const char *row_a = cpu_row(a, i, unit_a), *row_h = cpu_row(h, i, unit_h);
        for (int64_t c = 0; c < count; c++) weigh_badge(&call, row_a, row_h, i, c);
        status = alcore__cpu_poll(work, &spent, count * (a->dims + h->dims));
    }
    if (!status) add_total(weights, h->count, mask);
    alcore__cpu_release(&arrays);
    return status;
}

/* ---- draws ---- */

/* Called once a block in place of a pass over the rows. values NULL: the minima stay, and only
 * their total is computed anew. */
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

/* mask is the one that the totals were made with, and the sum runs as in add_total(), so that a
 * draw and the totals it was made from agree to the bit. before: minus infinity asks for the last
 * row with a positive weight. */
alcore_status CPU(draw)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                        const double *values, double before, double target, int64_t *item) {
    if (count < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    double sum = 0.0;
    *item = -1;
    for (int64_t i = 0; i < count; i++) {
        if (mask && !mask[i]) continue;
        sum += values[i];
        if (!(values[i] > 0.0)) continue;
        *item = i;
        if (before + sum > target) break;
    }
    return ALCORE_OK;
}
