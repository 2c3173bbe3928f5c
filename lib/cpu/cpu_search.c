/* SPDX-License-Identifier: Apache-2.0 */
/* What searches share: norms and the items that float32 cannot hold, the error bound of the filter,
 * normative values, and lists of the k best (cpu_search.h has the formulas). */
#include "cpu/cpu_search.h"

#include "cpu/cpu_call.h"

/* Beyond these products of float32 could leave their range, or the bound would not hold. */
#define SEARCH_MAX_NORM 1e18
#define SEARCH_MAX_COSINE_NORM 1e150
/* A side's bound is made for the norms below this many times the norm that nine in ten do not
 * pass. */
#define SEARCH_SPREAD 4.0

static void swap(double *values, int64_t a, int64_t b) {
    double held = values[a];
    values[a] = values[b];
    values[b] = held;
}

/* The rank-th smallest of count numbers without NaN, by Hoare's selection. */
static double smallest(double *values, int64_t count, int64_t rank) {
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

/* The value of rank `rank` (0: the largest) of values [count], which are reordered; by Hoare's
 * selection. Called where an item has more candidates than room: what lies below its k-th largest
 * is refused. */
float CPU(search_largest)(float *values, int64_t count, int64_t rank) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (values[i] > pivot) i++;
            while (values[j] < pivot) j--;
            if (i <= j) {
                float held = values[i];
                values[i++] = values[j];
                values[j--] = held;
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

/* Measures a dataset before the sweep: its norms, the items that float32 cannot hold ("far",
 * compared in double elsewhere), and `limit`, the largest norm of the others, which the error bound
 * of the filter is made with. A limit far above most norms makes that bound loose for all, so items
 * above SEARCH_SPREAD times the ninth decile are far as well. sorted [count]: workspace; unit
 * [dims]: workspace for unit rows. */
void CPU(search_measure)(search_side *side, int32_t metric, double *unit, double *sorted) {
    const alcore_sys_rows *rows = side->rows;
    int32_t dtype = cpu_row_dtype(rows);
    double most =
        metric == ALCORE_SYS_COSINE && !side->weight ? SEARCH_MAX_COSINE_NORM : SEARCH_MAX_NORM;
    if (rows->dims == 0 || rows->dims > SEARCH_MAX_DIMS) most = -1.0;
    int64_t usable = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (!search_in_mask(side, i)) continue;
        side->norm[i] = sqrt(CPU(self_dot)(cpu_row(rows, i, unit), rows->dims, dtype));
        if (side->norm[i] < most) sorted[usable++] = side->norm[i];
    }
    if (metric != ALCORE_SYS_COSINE && usable > 0) {
        double common = SEARCH_SPREAD * smallest(sorted, usable, usable * 9 / 10);
        if (common < most) most = common;
    }
    side->fars = 0;
    side->limit = metric == ALCORE_SYS_COSINE ? SEARCH_UP : 0.0;
    for (int64_t i = 0; i < rows->count; i++) {
        double norm = side->norm[i];
        side->far[i] = 0;
        side->offset[i] = HUGE_VALF;
        if (side->weight) side->weight[i] = 1.0f;
        if (!search_in_mask(side, i)) continue;
        side->far[i] = !(norm <= most);
        side->fars += side->far[i];
        if (side->far[i]) continue;
        if (metric != ALCORE_SYS_COSINE && norm * SEARCH_UP > side->limit)
            side->limit = norm * SEARCH_UP;
        side->offset[i] = metric == ALCORE_SYS_L2 ? (float)(0.5 * norm * norm) : 0.0f;
        /* The cosine with a zero row is 0. */
        if (side->weight) side->weight[i] = norm < CPU_ZERO_NORM ? 0.0f : (float)(1.0 / norm);
    }
}

/* Arguments that no search takes; positions of items are int32_t inside a call. */
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

/* Lists the items that the filter sees, in row order: order [count]; returns how many. */
int64_t CPU(search_order)(const search_side *side, int32_t *order) {
    int64_t count = 0;
    for (int64_t i = 0; i < side->rows->count; i++) {
        if (search_in_mask(side, i) && !side->far[i]) order[count++] = (int32_t)i;
    }
    return count;
}

/* An upper bound of how far the float32 score of a pair can lie above the one that double gives,
 * for an item of norm `norm` and others of norms up to `limit`: rounding of the product chains, of
 * the double sums, of the offset h (L2), and what underflows. */
double CPU(search_error)(double norm, double limit, int64_t dims, int32_t metric) {
    double chain =
        (double)((dims < PRODUCT_CHAIN ? dims : PRODUCT_CHAIN) + dims / PRODUCT_CHAIN + 4);
    double sum = norm + limit;
    double error = 0x1p-24 * 1.02 * (chain + 6.0) * norm * limit;
    error += 4.0 * ((double)(dims / 32) + 10.0) * 0x1p-52 * sum * sum;
    if (metric == ALCORE_SYS_L2) error += 0x1p-24 * 1.02 * (norm * limit + 2.0 * limit * limit);
    /* The rest is what underflows: w is at most 1e12. */
    if (metric == ALCORE_SYS_COSINE) return error + 4e-12 + (double)dims * 1e-30;
    return error + (double)dims * 1e-43 * (1.0 + sum) + 1e-290;
}

/* out [dims] = row / |row| by one reciprocal: for the filter only, as it rounds differently from
 * unit_row. */
void CPU(scaled_row)(const char *row, int64_t dims, int32_t dtype, double norm, double *out) {
    if (norm < CPU_ZERO_NORM) {
        __builtin_memset(out, 0, (size_t)dims * sizeof *out);
        return;
    }
    CPU(widen_row)(row, dims, dtype, out);
    double inverse = 1.0 / norm;
    for (int64_t j = 0; j < dims; j++) out[j] *= inverse;
}

/* The normative value of a pair in double: wide [dims] is one item widened, norm its norm; i counts
 * the items of `other`. An L2 distance above `within` may come back as any value above it. */
double CPU(search_value)(int32_t metric, const double *wide, double norm, const search_side *other,
                         int64_t i, double *unit, double within) {
    const alcore_sys_rows *rows = other->rows;
    const char *row = cpu_row(rows, i, unit);
    int32_t dtype = cpu_row_dtype(rows);
    if (metric == ALCORE_SYS_L2) return CPU(sq_dist_within)(row, wide, rows->dims, dtype, within);
    double dot = CPU(dot)(row, wide, rows->dims, dtype);
    return metric == ALCORE_SYS_DOT ? dot : cpu_cosine(dot, norm, other->norm[i]);
}

/* Whether a comes before b. */
CPU_INLINE int before(search_found a, search_found b, int32_t metric) {
    if (metric == ALCORE_SYS_L2 ? a.value < b.value : a.value > b.value) return 1;
    if (metric == ALCORE_SYS_L2 ? a.value > b.value : a.value < b.value) return 0;
    return a.row < b.row;
}

/* Heap sort: the memory is the caller's, and no order is slow. */
static void sort_found(search_found *found, int64_t count, int32_t metric) {
    for (int64_t start = count / 2, end = count; end > 1;) {
        search_found moved;
        if (start > 0) {
            moved = found[--start];
        } else {
            moved = found[--end];
            found[end] = found[0];
        }
        int64_t at = start;
        for (int64_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
            if (child + 1 < end && before(found[child], found[child + 1], metric)) child++;
            if (!before(moved, found[child], metric)) break;
            found[at] = found[child];
            at = child;
        }
        found[at] = moved;
    }
}

/* Merges found [count] into the k best entries (row, value) of an item, in place; both are sorted,
 * free entries have row -1 and stand last. found is overwritten by its sorting. */
void CPU(search_join)(int64_t *row, double *value, int64_t k, search_found *found, int64_t count,
                      int32_t metric) {
    int64_t have = k, taken = 0;
    sort_found(found, count, metric);
    while (have > 0 && row[have - 1] < 0) have--;
    /* How many of each are among the best k. */
    int64_t kept = 0;
    while (kept + taken < k && (kept < have || taken < count)) {
        if (taken < count &&
            (kept == have ||
             before(found[taken], (search_found){value[kept], row[kept]}, metric))) {
            taken++;
        } else {
            kept++;
        }
    }
    /* From the last place on, so that no kept one is overwritten before it has moved. */
    for (int64_t at = kept + taken; taken > 0;) {
        at--;
        if (kept > 0 &&
            before(found[taken - 1], (search_found){value[kept - 1], row[kept - 1]}, metric)) {
            kept--;
            value[at] = value[kept];
            row[at] = row[kept];
        } else {
            taken--;
            value[at] = found[taken].value;
            row[at] = found[taken].row;
        }
    }
}
