/* SPDX-License-Identifier: Apache-2.0 */
/* What knn and margin_ratios share: measuring an operand (norms, and which items are "far", that
 * is, compared in double only), the error bound of the float32 filter, values in double, and
 * merging neighbors into lists of the k best. cpu_search.h has the formulas and the proof of the
 * bound.
 * Values in double are those of the metric: the squared distance for L2 (smaller is better), dot or
 * cosine (larger is better). */
#include "engines/cpu/cpu_search.h"

#include "engines/cpu/cpu_call.h"

/* Above these norms float32 products could overflow, and the error bound would not hold. */
#define SEARCH_MAX_NORM 1e18
#define SEARCH_MAX_COSINE_NORM 1e150
/* Items longer than this many times the ninth decile of the norms are far: the error bound grows
 * with the largest norm that it must cover, and a few long items would loosen it for all. */
#define SEARCH_SPREAD 4.0

/* Exchanges entries a and b of values. */
static void swap(double *values, int64_t a, int64_t b) {
    double saved = values[a];
    values[a] = values[b];
    values[b] = saved;
}

/* The value of rank `rank` (0: the smallest) among values [count], 0 <= rank < count, which are
 * reordered and hold no NaN; by Hoare's selection. search_measure() finds the ninth decile of the
 * norms with it. */
static double select_smallest(double *values, int64_t count, int64_t rank) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i <= j) swap(values, i++, j--);
        }
        if (rank <= j) {
            high = j;
        } else if (rank >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[rank];
}

/* By Hoare's selection. knn calls it with a copy of the scores of an item whose candidate list is
 * full, cpu_sweep.h with samples of scores. */
float CPU(search_select)(float *values, int64_t count, int64_t rank) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] > pivot) i++;
            while (values[j] < pivot) j--;
            if (i <= j) {
                float saved = values[i];
                values[i++] = values[j];
                values[j--] = saved;
            }
        }
        if (rank <= j) {
            high = j;
        } else if (rank >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[rank];
}

/* An item is far when its norm is above max_norm or NaN. max_norm is the largest norm whose float32
 * products cannot overflow, for L2 and dot at most 4 times the ninth decile of the norms; -1 where
 * dims is out of range, so that every row is far and nothing is filtered. For cosine the filter
 * sees vectors of length 1, so no item is too long for the others and limit is 1, rounded up; the
 * operand without weights is divided by its norms in double first, hence the larger maximum. Of
 * items outside the mask the norm is neither written nor read. A weight of 1 is set for items that
 * the filter does not compare, and not used. */
void CPU(search_measure)(search_operand *operand, int32_t metric, double *unit, double *sorted) {
    const alcore_sys_rows *rows = operand->rows;
    int32_t dtype = cpu_row_dtype(rows);
    double max_norm =
        metric == ALCORE_SYS_COSINE && !operand->weight ? SEARCH_MAX_COSINE_NORM : SEARCH_MAX_NORM;
    if (rows->dims == 0 || rows->dims > SEARCH_MAX_DIMS) max_norm = -1.0;
    int64_t usable = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (!search_in_mask(operand, i)) continue;
        operand->norm[i] = sqrt(CPU(self_dot)(cpu_row(rows, i, unit), rows->dims, dtype));
        if (operand->norm[i] < max_norm) sorted[usable++] = operand->norm[i];
    }
    if (metric != ALCORE_SYS_COSINE && usable > 0) {
        double common = SEARCH_SPREAD * select_smallest(sorted, usable, usable * 9 / 10);
        if (common < max_norm) max_norm = common;
    }
    operand->far_count = operand->ordered = 0;
    operand->limit = metric == ALCORE_SYS_COSINE ? SEARCH_UP : 0.0;
    for (int64_t i = 0; i < rows->count; i++) {
        operand->far[i] = 0;
        operand->offset[i] = HUGE_VALF;
        if (operand->weight) operand->weight[i] = 1.0f;
        if (!search_in_mask(operand, i)) continue;
        double norm = operand->norm[i];
        operand->far[i] = !(norm <= max_norm); /* a NaN norm too */
        operand->far_count += operand->far[i];
        if (operand->far[i]) continue;
        operand->order[operand->ordered++] = (int32_t)i;
        if (metric != ALCORE_SYS_COSINE && norm * SEARCH_UP > operand->limit)
            operand->limit = norm * SEARCH_UP;
        operand->offset[i] = metric == ALCORE_SYS_L2 ? (float)(0.5 * norm * norm) : 0.0f;
        /* The cosine with a zero row is 0. */
        if (operand->weight) operand->weight[i] = norm < CPU_ZERO_NORM ? 0.0f : (float)(1.0 / norm);
    }
}

/* Matrix rows are stored as int32_t within a call, hence the limit on the counts. */
alcore_status CPU(search_check)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const alcore_sys_rows *queries) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (!status) status = alcore__cpu_check(work, queries);
    if (status) return status;
    if (rows->dims != queries->dims)
        return alcore__cpu_fail(work, ALCORE_E_SHAPE, "rows and queries differ in length");
    if (rows->count > INT32_MAX || queries->count > INT32_MAX)
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "too many rows for one call of a kernel");
    return ALCORE_OK;
}

/* Rounding of the product chains (PRODUCT_CHAIN products are added in a row, then the sums of the
 * chains), of the double sums, of the offset h (L2), and what underflows. For cosine both norms are
 * 1, rounded up. No term is less than its formula in cpu_search.h; 1.02 covers products of
 * roundings, 1e-290 what underflows in double. */
double CPU(search_error)(double norm, double limit, int64_t dims, int32_t metric) {
    double sum = norm + limit;
    double error = 0x1p-24 * 1.02 * (product_chain(dims) + 6.0) * norm * limit;
    error += 4.0 * ((double)(dims / 32) + 10.0) * 0x1p-52 * sum * sum;
    if (metric == ALCORE_SYS_L2) error += 0x1p-24 * 1.02 * (norm * limit + 2.0 * limit * limit);
    /* The last terms bound what underflows, for cosine times w, which is at most 1e12. */
    if (metric == ALCORE_SYS_COSINE) return error + 4e-12 + (double)dims * 1e-30;
    return error + (double)dims * 1e-43 * (1.0 + sum) + 1e-290;
}

/* By one reciprocal: for the filter only, because it rounds differently from CPU(unit_row). */
void CPU(scaled_row)(const char *row, int64_t dims, int32_t dtype, double norm, double *out) {
    if (norm < CPU_ZERO_NORM) {
        __builtin_memset(out, 0, (size_t)dims * sizeof *out);
        return;
    }
    CPU(widen_row)(row, dims, dtype, out);
    double inverse = 1.0 / norm;
    for (int64_t j = 0; j < dims; j++) out[j] *= inverse;
}

/* A caller with a limit has k better values; it is not read for dot and cosine. */
double CPU(search_value)(int32_t metric, const double *wide, double norm,
                         const search_operand *other, int64_t i, double *unit, double limit) {
    const alcore_sys_rows *rows = other->rows;
    const char *row = cpu_row(rows, i, unit);
    int32_t dtype = cpu_row_dtype(rows);
    if (metric == ALCORE_SYS_L2) return CPU(sq_dist_within)(row, wide, rows->dims, dtype, limit);
    double dot = CPU(dot)(row, wide, rows->dims, dtype);
    return metric == ALCORE_SYS_DOT ? dot : cpu_cosine(dot, norm, other->norm[i]);
}

/* Whether neighbor a ranks before b: by the better value (L2: the smaller sq_dist; else the larger
 * dot or cosine), then by the lower pool row. No value is NaN: an item with a NaN is far, and
 * the comparison of far items passes none on. */
CPU_INLINE int before(search_found a, search_found b, int32_t metric) {
    if (metric == ALCORE_SYS_L2 ? a.value < b.value : a.value > b.value) return 1;
    if (metric == ALCORE_SYS_L2 ? a.value > b.value : a.value < b.value) return 0;
    return a.row < b.row;
}

/* Sorts found [count] by before(), by heap sort: it needs no memory of its own, and no input makes
 * it quadratic. While start is above 0 entries are sifted into a heap, whose root ranks last; then
 * each step moves the root to the end. `index` is the free entry, which moves down the heap until
 * `moved` fits there. */
static void sort_found(search_found *found, int64_t count, int32_t metric) {
    for (int64_t start = count / 2, end = count; end > 1;) {
        search_found moved;
        if (start > 0) {
            moved = found[--start];
        } else {
            moved = found[--end];
            found[end] = found[0];
        }
        int64_t index = start;
        for (int64_t child = 2 * index + 1; child < end; child = 2 * index + 1) {
            if (child + 1 < end && before(found[child], found[child + 1], metric)) child++;
            if (!before(moved, found[child], metric)) break;
            found[index] = found[child];
            index = child;
        }
        found[index] = moved;
    }
}

/* The entries are sorted by before(), unused ones have row -1 and come last; found are neighbors
 * that are not in the list yet. Two steps: count how many entries of either list are among the k
 * best (kept, joined), then move those. */
void CPU(search_join)(int64_t *row, double *value, int64_t k, search_found *found, int64_t count,
                      int32_t metric) {
    int64_t used = k, joined = 0;
    sort_found(found, count, metric);
    while (used > 0 && row[used - 1] < 0) used--;
    int64_t kept = 0;
    while (kept + joined < k && (kept < used || joined < count)) {
        if (joined < count &&
            (kept == used ||
             before(found[joined], (search_found){value[kept], row[kept]}, metric))) {
            joined++;
        } else {
            kept++;
        }
    }
    /* From the last entry on, so that no kept entry is overwritten before it has moved. */
    for (int64_t to = kept + joined; joined > 0;) {
        to--;
        if (kept > 0 &&
            before(found[joined - 1], (search_found){value[kept - 1], row[kept - 1]}, metric)) {
            kept--;
            value[to] = value[kept];
            row[to] = row[kept];
        } else {
            joined--;
            value[to] = found[joined].value;
            row[to] = found[joined].row;
        }
    }
}
