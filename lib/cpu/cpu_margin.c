/* SPDX-License-Identifier: Apache-2.0 */
/* The largest margin ratio of each row (spec 5.6).
 *
 * With D = row_half + other_half above 1e-9, a ratio of at least r means a cosine of at least r D.
 * So once a row has seen a ratio of at least r, another must have s + E >= r D (E: search_error)
 * to be larger, written s - r other_half >= r row_half - E, which a tile compares at once. Those
 * that pass are candidates with the interval (s - E) / D .. (s + E) / D; the largest lower end is
 * the next r. Candidates whose upper end is not below it are computed in double at the end. Rows
 * that have a D of at most 1e-9 with some other take that 0 into account and look at D one by
 * one. */
#include <string.h>

#include "cpu/cpu_engine.h"
#include "cpu/cpu_sweep.h"

/* Candidates of a row. */
#define MARGIN_CAPACITY 64
/* A divisor of at most this gives ratio 0 (spec 5.6). */
#define MARGIN_ZERO 1e-9

typedef struct margin_call {
    const alcore_sys_work *work;
    int64_t dims, spent;
    search_side rows, others;
    sweep_items row_items, other_items;
    int64_t row_slab, other_slab;
    int32_t *row_order, *other_order;
    int64_t row_count, other_count; /* of the orders */
    const double *row_half, *other_half;
    double *ratio;
    int64_t *other;
    float *half;      /* [other_slab] other_half of the slab's columns; infinite: none */
    double most_half; /* of the columns' magnitudes */
    double error;     /* of s */
    float *bar;       /* [row_slab] r row_half - E, rounded down */
    float *slope;     /* [row_slab] r */
    double *reached;  /* [row_slab] r */
    int32_t *held;    /* [row_slab] */
    float *score;     /* [row_slab, MARGIN_CAPACITY] */
    int32_t *index;   /* [row_slab, MARGIN_CAPACITY] */
    uint8_t *plain;   /* [row_slab] 1: some D is at most 1e-9 */
    double *unit, *wide, *sorted;
    double *staged; /* [SWEEP_STAGED, dims] */
    float *products;
} margin_call;

/* The normative ratio. */
static double ratio_of(double cosine, double row_half, double other_half) {
    double sum = row_half + other_half;
    return sum <= MARGIN_ZERO ? 0.0 : cosine / sum;
}

/* Joins the best of row i; a NaN never does. */
static void join(margin_call *call, int64_t i, double ratio, int64_t j) {
    int64_t number = call->others.rows->first + j;
    if (ratio > call->ratio[i] || (call->other[i] < 0 && ratio == ratio) ||
        (ratio == call->ratio[i] && number < call->other[i])) {
        call->ratio[i] = ratio;
        call->other[i] = number;
    }
}

/* Row at of the slab has seen a ratio of at least r. */
static void reach(margin_call *call, int64_t at, double r) {
    if (r <= call->reached[at]) return;
    double half = call->row_half[call->row_items.item[at]];
    /* The slope and the products with it are rounded, and so are ratios themselves. */
    double slack = 0x1p-21 * fabs(r) * (fabs(half) + call->most_half) + 1e-30;
    call->reached[at] = r;
    call->slope[at] = (float)r;
    call->bar[at] = search_below(r * half - call->error - slack);
    /* Beyond float32 the comparison decides nothing. */
    if (!(fabs(r) * (1.0 + fabs(half) + call->most_half) < 1e30)) {
        call->slope[at] = 0.0f;
        call->bar[at] = -FLT_MAX;
    }
}

static double exact_ratio(margin_call *call, int64_t i, int64_t j) {
    double cosine = CPU(search_value)(ALCORE_SYS_COSINE, call->wide, call->rows.norm[i],
                                      &call->others, j, call->unit, HUGE_VAL);
    return ratio_of(cosine, call->row_half[i], call->other_half[j]);
}

/* Puts row i, widened, into call->wide. */
static void widen_own(margin_call *call, const search_side *side, int64_t i) {
    const char *row = cpu_row(side->rows, i, call->unit);
    CPU(widen_row)(row, call->dims, cpu_row_dtype(side->rows), call->wide);
}

/* Computes the candidates that can still be the largest, in double. */
static void rerank(margin_call *call, int64_t at) {
    int64_t i = call->row_items.item[at];
    int wide = 0;
    for (int64_t c = 0; c < call->held[at]; c++) {
        int64_t j = call->index[at * MARGIN_CAPACITY + c];
        double sum = call->row_half[i] + call->other_half[j];
        double high = ((double)call->score[at * MARGIN_CAPACITY + c] + call->error) / sum;
        if (high + 0x1p-40 * fabs(high) < call->reached[at]) continue;
        if (!wide) widen_own(call, &call->rows, i);
        wide = 1;
        join(call, i, exact_ratio(call, i, j), j);
        call->spent += call->dims;
    }
    call->held[at] = 0;
    if (call->other[i] >= 0) reach(call, at, call->ratio[i]);
}

/* Drops the candidates of a row whose ratio, at the upper end of its interval, stays below what the
 * row has reached; computes the rest when three quarters of the list are left. */
static void make_room(margin_call *call, int64_t at) {
    int64_t i = call->row_items.item[at], kept = 0;
    float *score = call->score + at * MARGIN_CAPACITY;
    int32_t *index = call->index + at * MARGIN_CAPACITY;
    for (int64_t c = 0; c < call->held[at]; c++) {
        double high =
            ((double)score[c] + call->error) / (call->row_half[i] + call->other_half[index[c]]);
        if (high + 0x1p-40 * fabs(high) < call->reached[at]) continue;
        score[kept] = score[c];
        index[kept++] = index[c];
    }
    call->held[at] = (int32_t)kept;
    if (kept > MARGIN_CAPACITY * 3 / 4) rerank(call, at);
}

/* A column whose D is above 1e-9 and whose upper end is not below what the row has reached. */
static void look_at(margin_call *call, int64_t at, int64_t column, float s) {
    int64_t i = call->row_items.item[at], j = call->other_items.item[column];
    double sum = call->row_half[i] + call->other_half[j];
    if (!(sum > MARGIN_ZERO)) {
        /* No cosine is needed; a NaN half gives a NaN ratio, which is never the largest. */
        if (sum <= MARGIN_ZERO) {
            join(call, i, 0.0, j);
            reach(call, at, call->ratio[i]);
        }
        return;
    }
    double high = ((double)s + call->error) / sum;
    if (high + 0x1p-40 * fabs(high) < call->reached[at]) return;
    double low = ((double)s - call->error) / sum;
    reach(call, at, low - 0x1p-40 * fabs(low));
    call->score[at * MARGIN_CAPACITY + call->held[at]] = s;
    call->index[at * MARGIN_CAPACITY + call->held[at]] = (int32_t)j;
    if (++call->held[at] == MARGIN_CAPACITY) make_room(call, at);
}

/* The callback of sweep_products: products [rows, count] of slab rows row .. with the others first
 * ... A pair is a candidate where s - slope * other_half >= bar, which is s + E >= ratio *
 * (row_half + other_half) solved for what a tile can compare; rows marked plain look at every pair.
 */
static void look(void *user, int64_t row, int rows, int64_t first, int64_t count,
                 const float *products) {
    margin_call *call = user;
    int64_t columns = call->other_items.count;
    for (int r = 0; r < rows; r++) {
        const float *of = products + r * count;
        int64_t at = row + r;
        float weight = sweep_weight(&call->row_items, &call->rows, at);
        sweep_floats w = weight - (sweep_floats){0};
        for (int64_t c = 0; c < count; c += SWEEP_LOOK) {
            sweep_floats slope = call->slope[at] - (sweep_floats){0};
            sweep_floats bar = call->bar[at] - (sweep_floats){0};
            const float *half = call->half + first + c;
            sweep_floats a = sweep_load(of + c) * w - slope * sweep_load(half);
            sweep_floats b =
                sweep_load(of + c + PRODUCT_FLOATS) * w - slope * sweep_load(half + PRODUCT_FLOATS);
            if (!call->plain[at] && !sweep_any(a, bar, b, bar)) continue;
            for (int64_t e = 0; e < SWEEP_LOOK && first + c + e < columns; e++) {
                float s = of[c + e] * weight;
                if (call->plain[at] || s - call->slope[at] * half[e] >= call->bar[at])
                    look_at(call, at, first + c + e, s);
            }
        }
    }
}

/* Compares everything with the far items of one side in double. */
static alcore_status compare_far(margin_call *call, int by_row) {
    search_side *own = by_row ? &call->rows : &call->others;
    search_side *across = by_row ? &call->others : &call->rows;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < own->rows->count && own->fars > 0 && !status; i++) {
        if (!own->far[i]) continue;
        widen_own(call, own, i);
        for (int64_t j = 0; j < across->rows->count && !status; j++) {
            if (!search_in_mask(across, j) || (!by_row && across->far[j])) continue;
            double cosine = CPU(search_value)(ALCORE_SYS_COSINE, call->wide, own->norm[i], across,
                                              j, call->unit, HUGE_VAL);
            int64_t row = by_row ? i : j, other = by_row ? j : i;
            join(call, row, ratio_of(cosine, call->row_half[row], call->other_half[other]), other);
            status = alcore__cpu_poll(call->work, &call->spent, call->dims);
        }
    }
    return status;
}

/* The columns of a slab, and the least and most of their halves. */
static void take_others(margin_call *call, int64_t first, double *least) {
    int64_t left = call->other_count - first;
    call->other_items.count = left < call->other_slab ? left : call->other_slab;
    call->other_items.item = call->other_order + first;
    call->most_half = 0.0;
    *least = HUGE_VAL;
    for (int64_t c = 0; c < sweep_padded(call->other_items.count, PRODUCT_COLUMNS); c++) {
        call->half[c] = 0.0f;
        if (c >= call->other_items.count) continue;
        double half = call->other_half[call->other_items.item[c]];
        call->half[c] = (float)half;
        /* Written so that NaN is seen. */
        if (!(half >= *least)) *least = half;
        if (!(fabs(half) <= call->most_half)) call->most_half = fabs(half);
    }
}

/* Makes the rows first .. of the order the slab: nothing reached yet but what earlier runs left in
 * ratio. plain marks rows for which a divisor may be at most 1e-9, where the comparison does not
 * hold; least: the smallest half-sum of the others. */
static void take_rows(margin_call *call, int64_t first, double least) {
    int64_t left = call->row_count - first;
    call->row_items.count = left < call->row_slab ? left : call->row_slab;
    call->row_items.item = call->row_order + first;
    for (int64_t at = 0; at < call->row_items.count; at++) {
        int64_t i = call->row_items.item[at];
        call->held[at] = 0;
        call->slope[at] = 0.0f;
        call->bar[at] = -FLT_MAX;
        call->reached[at] = -HUGE_VAL;
        /* The least sum may be rounded the other way than that of another column. */
        call->plain[at] =
            !(call->row_half[i] + least > 2.0 * MARGIN_ZERO) || !(call->most_half < 1e30);
        if (call->other[i] >= 0) reach(call, at, call->ratio[i]);
    }
}

/* All slabs of others against all slabs of rows; a row's candidates are positions in the slab of
 * others, so they are reranked before the next slab of rows. */
static alcore_status sweep(margin_call *call) {
    alcore_status status = ALCORE_OK;
    double least;
    for (int64_t o = 0; o < call->other_count && !status; o += call->other_slab) {
        take_others(call, o, &least);
        sweep_pack(&call->other_items, &call->others, 1, call->staged);
        for (int64_t r = 0; r < call->row_count && !status; r += call->row_slab) {
            take_rows(call, r, least);
            sweep_pack(&call->row_items, &call->rows, 0, call->staged);
            int64_t numbers = sweep_numbers(&call->row_items, call->dims);
            status = sweep_products(call->work, &call->row_items, &call->other_items, numbers,
                                    call->products, &call->spent, look, call);
            for (int64_t at = 0; at < call->row_items.count && !status; at++) {
                rerank(call, at);
                status = alcore__cpu_poll(call->work, &call->spent, 0);
            }
        }
    }
    return status;
}

static void cut_side(search_side *side, sweep_memory *memory, int32_t **order, int weighted) {
    int64_t count = side->rows->count;
    side->norm = sweep_cut(memory, count, sizeof *side->norm);
    side->weight = weighted ? sweep_cut(memory, count, sizeof *side->weight) : NULL;
    side->offset = sweep_cut(memory, count, sizeof *side->offset);
    side->far = sweep_cut(memory, count, sizeof *side->far);
    *order = sweep_cut(memory, count, sizeof **order);
}

/* The arrays of the call out of one block of memory; the order of the calls here is the layout. */
static void cut_call(margin_call *call, sweep_memory *memory) {
    int64_t dims = call->dims, slab = call->row_slab;
    int64_t most = call->rows.rows->count;
    if (call->others.rows->count > most) most = call->others.rows->count;
    cut_side(&call->rows, memory, &call->row_order, 1);
    cut_side(&call->others, memory, &call->other_order, 0);
    call->unit = sweep_cut(memory, dims, sizeof *call->unit);
    call->wide = sweep_cut(memory, dims, sizeof *call->wide);
    call->sorted = sweep_cut(memory, most, sizeof *call->sorted);
    call->half = sweep_cut(memory, call->other_slab, sizeof *call->half);
    call->bar = sweep_cut(memory, slab, sizeof *call->bar);
    call->slope = sweep_cut(memory, slab, sizeof *call->slope);
    call->reached = sweep_cut(memory, slab, sizeof *call->reached);
    call->held = sweep_cut(memory, slab, sizeof *call->held);
    call->score = sweep_cut(memory, slab * MARGIN_CAPACITY, sizeof *call->score);
    call->index = sweep_cut(memory, slab * MARGIN_CAPACITY, sizeof *call->index);
    call->plain = sweep_cut(memory, slab, sizeof *call->plain);
    if (dims == 0 || dims > SEARCH_MAX_DIMS) return;
    call->products = sweep_cut(memory, PRODUCT_ROWS * sweep_most_columns(dims), sizeof(float));
    call->staged = sweep_cut(memory, SWEEP_STAGED * dims, sizeof(double));
    call->other_items.panels = sweep_cut(memory, call->other_slab * dims, sizeof(float));
    call->row_items.panels = sweep_cut(memory, slab * dims, sizeof(float));
}

/* Kernel table: for each row the other with the largest cos / (row_half + other_half); ratio and
 * other [rows] come in with the best so far (other -1: none) and are only raised. Items that
 * float32 cannot hold are compared in double first, the others go through the filter. */
alcore_status CPU(margin_ratios)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const alcore_sys_rows *others,
                                 const uint8_t *other_mask, const alcore_sys_search *search,
                                 const double *row_half, const double *other_half, double *ratio,
                                 int64_t *other) {
    (void)search;
    alcore_status status = CPU(search_check)(work, rows, others);
    if (status || rows->count == 0 || others->count == 0) return status;
    int64_t dims = rows->dims, bytes = dims * 4;
    margin_call call = {.work = work,
                        .dims = dims,
                        .rows = {.rows = rows, .mask = mask},
                        .others = {.rows = others, .mask = other_mask},
                        .row_items = {.width = PRODUCT_ROWS},
                        .other_items = {.width = PRODUCT_COLUMNS},
                        .row_half = row_half,
                        .other_half = other_half,
                        .ratio = ratio,
                        .other = other};
    call.row_slab = sweep_slab(rows->count, MARGIN_CAPACITY * 8 + bytes, PRODUCT_ROWS);
    call.other_slab = sweep_slab(others->count, bytes + 1, PRODUCT_COLUMNS);
    sweep_memory memory = {0};
    cut_call(&call, &memory);
    bytes = memory.used;
    status = alcore__cpu_new(work, bytes, 1, &memory.base);
    if (status) return status;
    memory.used = 0;
    cut_call(&call, &memory);
    CPU(search_measure)(&call.rows, ALCORE_SYS_COSINE, call.unit, call.sorted);
    CPU(search_measure)(&call.others, ALCORE_SYS_COSINE, call.unit, call.sorted);
    status = compare_far(&call, 1);
    if (!status) status = compare_far(&call, 0);
    call.row_count = CPU(search_order)(&call.rows, call.row_order);
    call.other_count = CPU(search_order)(&call.others, call.other_order);
    sweep_view own = {&call.row_items, &call.rows, call.row_order, call.row_count, 1};
    sweep_view across = {&call.other_items, &call.others, call.other_order, call.other_count, 0};
    sweep_choose(&own, &across, ALCORE_SYS_COSINE, call.wide, call.unit);
    call.error = CPU(search_error)(SEARCH_UP, SEARCH_UP, dims, ALCORE_SYS_COSINE) +
                 sweep_error(&call.row_items, &call.other_items, SEARCH_UP, SEARCH_UP);
    if (!status) status = sweep(&call);
    alcore__cpu_free(work, memory.base, bytes, 1);
    return status;
}
