/* SPDX-License-Identifier: Apache-2.0 */
/* The largest margin ratio of each row over the others (Artetxe and Schwenk 2019; spec 5.6):
 *
 *     ratio(i, j) = cos(row i, other j) / D,  D = row_half[i] + other_half[j];  0 where D <= 1e-9
 *
 * Filter. Let s be the float32 cosine of a pair and E its error (search_error). While D > 1e-9, the
 * ratio lies between (s - E) / D and (s + E) / D. `reached` of a row, r below, is a ratio that some
 * pair of the row is known to reach: the largest lower end so far. Another pair can only be larger
 * when s + E >= r D, which a tile compares for many pairs at once in the form
 *     s - r other_half >= r row_half - E        (slope = r, bar = r row_half - E)
 * Pairs that pass become candidates of the row; those whose upper end is still not below r when the
 * slab of others is through are computed in double (rerank). Where D may be at most 1e-9 for some
 * pair of a row, the comparison does not hold: every pair of such a "plain" row is tested by
 * itself.
 *
 * Far items, which the filter cannot bound, are compared in double with all items of the other
 * operand (cpu_sweep.h): their norm is NaN or above 1e18 (a row) or 1e150 (an other), or dims is 0
 * or above SEARCH_MAX_DIMS = 65536, which makes every item far.
 *
 * Products of a packed row with a packed other, times the weight w = 1 / |row| (int16: w is in the
 * packed values), are float32 cosines, because others are divided by their norms when they are
 * packed. Cost: rows x others x dims multiply-adds in float32, and a few cosines in double a
 * row. */
#include <string.h>

#include "engines/cpu/cpu_choose.h"
#include "engines/cpu/cpu_engine.h"

/* Capacity of the candidate list of a row. */
#define MARGIN_CAPACITY 64
/* A divisor of at most this gives ratio 0 (spec 5.6). */
#define MARGIN_ZERO 1e-9

/* One call and its memory: all arrays but the caller's are cut out of one allocation. i is a matrix
 * row of the rows, j of the others; slab_index is the position of a row in the present slab of
 * rows, column that of an other in the present slab of others. */
typedef struct margin_call {
    sweep_call sweep;
    sweep_operand rows, others;          /* others: the columns of the sweep */
    const double *row_half, *other_half; /* [rows], [others] the caller's: half the mean cosine of
                                            the item to its k nearest neighbors */
    double *ratio;   /* [rows] the caller's: largest ratio so far, over earlier calls too */
    int64_t *other;  /* [rows] the caller's: pool row of that other; -1: none yet */
    float *half;     /* [slab of others] other_half by column; 0 behind the last other */
    double max_half; /* the largest |other_half| of the slab */
    double error;    /* E, the same for all pairs: cosines have operands of length 1 */
    float *bar;      /* [slab of rows] r row_half - E, rounded down; -FLT_MAX: every pair passes */
    float *slope;    /* [slab of rows] r in float32 */
    double *reached; /* [slab of rows] r; -infinity: none yet */
    int32_t *candidate_count; /* [slab of rows] number of candidates of the row */
    float *candidate_score;   /* [slab of rows, MARGIN_CAPACITY] s of the candidates */
    int32_t *candidate_other; /* [slab of rows, MARGIN_CAPACITY] j of the candidates */
    uint8_t *plain; /* [slab of rows] 1: D may be at most 1e-9 for some pair, or is too large
                                 for float32: every pair of the row is tested by itself */
} margin_call;

/* The ratio of a pair as spec 5.6 defines it, from its cosine and both halves; larger is better. */
static double ratio_of(double cosine, double row_half, double other_half) {
    double sum = row_half + other_half;
    return sum <= MARGIN_ZERO ? 0.0 : cosine / sum;
}

/* Makes the pair (i, j) of matrix rows the best of row i when its ratio is larger than the one so
 * far, or equal with a lower pool row of the other; a NaN ratio never is. other[i] < 0: no pair
 * yet, so that a first ratio of -infinity is stored too. */
static void join_best(margin_call *call, int64_t i, double ratio, int64_t j) {
    int64_t pool_row = call->others.search.rows->first + j;
    if (ratio > call->ratio[i] || (call->other[i] < 0 && ratio == ratio) ||
        (ratio == call->ratio[i] && pool_row < call->other[i])) {
        call->ratio[i] = ratio;
        call->other[i] = pool_row;
    }
}

/* Raises `reached` of a slab row to r, a ratio that some pair of the row reaches, and makes slope
 * and bar from it, rounded so that no pair with a ratio of r or more fails the comparison of a tile
 * (an equal ratio counts: the lower other wins). */
static void raise_reached(margin_call *call, int64_t slab_index, double r) {
    if (r <= call->reached[slab_index]) return;
    double half = call->row_half[call->rows.item[slab_index]];
    /* The slope and the products with it are rounded, and so are ratios themselves; 1e-30 covers
     * what underflows. */
    double slack = 0x1p-21 * fabs(r) * (fabs(half) + call->max_half) + 1e-30;
    call->reached[slab_index] = r;
    call->slope[slab_index] = (float)r;
    call->bar[slab_index] = search_below(r * half - call->error - slack);
    /* Beyond float32 the comparison would be wrong: let every pair pass. */
    if (!(fabs(r) * (1.0 + fabs(half) + call->max_half) < 1e30)) {
        call->slope[slab_index] = 0.0f;
        call->bar[slab_index] = -FLT_MAX;
    }
}

/* Joins the pair (i, j) by its cosine in double; the callback of sweep_begin() too, for a pair that
 * has a far item. user: the margin_call. */
static void join_pair(void *user, int64_t i, int64_t j, double cosine) {
    margin_call *call = user;
    join_best(call, i, ratio_of(cosine, call->row_half[i], call->other_half[j]), j);
}

/* Computes in double the candidates of a slab row whose upper end (s + E) / D is not below what the
 * row has reached, merges them into the row's best and empties the list. The factor 2^-40 covers
 * the rounding of the upper end itself. sum is above MARGIN_ZERO: test_pair() lists no other pair.
 * Called when the list is nearly full, and for each row of a slab that has been compared with a
 * slab of others. The row is widened only when a candidate is left to compute (is_wide). */
static void rerank(margin_call *call, int64_t slab_index) {
    const search_operand *rows = &call->rows.search;
    int64_t i = call->rows.item[slab_index];
    int is_wide = 0;
    for (int64_t c = 0; c < call->candidate_count[slab_index]; c++) {
        int64_t j = call->candidate_other[slab_index * MARGIN_CAPACITY + c];
        double sum = call->row_half[i] + call->other_half[j];
        double high =
            ((double)call->candidate_score[slab_index * MARGIN_CAPACITY + c] + call->error) / sum;
        if (high + 0x1p-40 * fabs(high) < call->reached[slab_index]) continue;
        if (!is_wide) sweep_widen(&call->sweep, rows, i);
        is_wide = 1;
        join_pair(call, i, j,
                  sweep_value(&call->sweep, rows, i, &call->others.search, j, HUGE_VAL));
        call->sweep.spent += call->sweep.dims;
    }
    call->candidate_count[slab_index] = 0;
    if (call->other[i] >= 0) raise_reached(call, slab_index, call->ratio[i]);
}

/* Called when the candidate list of a slab row is full: drops the candidates whose upper end
 * (s + E) / D is below what the row has reached, which has grown since they were listed; when more
 * than three quarters of the list remain, reranks them, which empties it. */
static void prune_candidates(margin_call *call, int64_t slab_index) {
    int64_t i = call->rows.item[slab_index], kept = 0;
    float *candidate_score = call->candidate_score + slab_index * MARGIN_CAPACITY;
    int32_t *candidate_other = call->candidate_other + slab_index * MARGIN_CAPACITY;
    for (int64_t c = 0; c < call->candidate_count[slab_index]; c++) {
        double high = ((double)candidate_score[c] + call->error) /
                      (call->row_half[i] + call->other_half[candidate_other[c]]);
        if (high + 0x1p-40 * fabs(high) < call->reached[slab_index]) continue;
        candidate_score[kept] = candidate_score[c];
        candidate_other[kept++] = candidate_other[c];
    }
    call->candidate_count[slab_index] = (int32_t)kept;
    if (kept > MARGIN_CAPACITY * 3 / 4) rerank(call, slab_index);
}

/* Tests one pair, a slab row and a column (both positions in their slabs) with float32 cosine s: a
 * D of at most 1e-9 makes its ratio 0 at once; else its lower end (s - E) / D may raise what the
 * row has reached, and it becomes a candidate unless its upper end (s + E) / D is below that.
 * 2^-40: rounding of the ends. The list is never full here: it is pruned as soon as it becomes so.
 */
static void test_pair(margin_call *call, int64_t slab_index, int64_t column, float s) {
    int64_t i = call->rows.item[slab_index], j = call->others.item[column];
    double sum = call->row_half[i] + call->other_half[j];
    if (!(sum > MARGIN_ZERO)) {
        /* No cosine is needed; a NaN half gives a NaN ratio, which is never the largest. */
        if (sum <= MARGIN_ZERO) {
            join_best(call, i, 0.0, j);
            raise_reached(call, slab_index, call->ratio[i]);
        }
        return;
    }
    double high = ((double)s + call->error) / sum;
    if (high + 0x1p-40 * fabs(high) < call->reached[slab_index]) return;
    double low = ((double)s - call->error) / sum;
    raise_reached(call, slab_index, low - 0x1p-40 * fabs(low));
    call->candidate_score[slab_index * MARGIN_CAPACITY + call->candidate_count[slab_index]] = s;
    call->candidate_other[slab_index * MARGIN_CAPACITY + call->candidate_count[slab_index]] =
        (int32_t)j;
    if (++call->candidate_count[slab_index] == MARGIN_CAPACITY) prune_candidates(call, slab_index);
}

/* The callback of sweep_products(), once a tile: products [rows, count] of the slab rows row .. row
 * + rows - 1 with the columns first .. first + count - 1; the last columns may lie behind the
 * slab's last other and are skipped. s = product * weight. Compares s - slope other_half >= bar for
 * SWEEP_STEP = 2 x PRODUCT_FLOATS pairs at a time, and tests each pair for which it holds; all
 * pairs of plain rows. Vectors and single pairs may be rounded differently, which the slack of the
 * bar covers (raise_reached()). user: the margin_call. slope and bar are read again for each step,
 * because test_pair() may have raised them. */
static void scan_tile(void *user, int64_t row, int rows, int64_t first, int64_t count,
                      const float *products) {
    margin_call *call = user;
    int64_t columns = call->others.count;
    for (int tile_row = 0; tile_row < rows; tile_row++) {
        const float *row_products = products + tile_row * count;
        int64_t slab_index = row + tile_row;
        float weight = sweep_weight(&call->rows, slab_index);
        cpu_floats w = cpu_all_floats(weight);
        for (int64_t c = 0; c < count; c += SWEEP_STEP) {
            cpu_floats slope = cpu_all_floats(call->slope[slab_index]);
            cpu_floats bar = cpu_all_floats(call->bar[slab_index]);
            const float *half = call->half + first + c;
            cpu_floats a = cpu_load_floats(row_products + c) * w - slope * cpu_load_floats(half);
            cpu_floats b = cpu_load_floats(row_products + c + PRODUCT_FLOATS) * w -
                           slope * cpu_load_floats(half + PRODUCT_FLOATS);
            if (!call->plain[slab_index] && !sweep_any(a, bar, b, bar)) continue;
            for (int64_t k = 0; k < SWEEP_STEP && first + c + k < columns; k++) {
                float s = row_products[c + k] * weight;
                if (call->plain[slab_index] ||
                    s - call->slope[slab_index] * half[k] >= call->bar[slab_index])
                    test_pair(call, slab_index, first + c + k, s);
            }
        }
    }
}

/* Begins the slab of the others from position `first` of their order on: half [columns], 0 for the
 * columns that fill the last panel; max_half, the largest |other_half|; and *min_half, the smallest
 * other_half, from which load_rows() tells which rows are plain. */
static void load_others(margin_call *call, int64_t first, double *min_half) {
    sweep_next(&call->others, first);
    call->max_half = 0.0;
    *min_half = HUGE_VAL;
    for (int64_t c = 0; c < sweep_padded(call->others.count, PRODUCT_COLUMNS); c++) {
        call->half[c] = 0.0f;
        if (c >= call->others.count) continue;
        double half = call->other_half[call->others.item[c]];
        call->half[c] = (float)half;
        /* A NaN half makes both extremes NaN, which they stay, as no comparison with NaN is true;
         * load_rows() then makes every row plain. */
        if (half < *min_half || half != half) *min_half = half;
        if (fabs(half) > call->max_half || half != half) call->max_half = fabs(half);
    }
}

/* Begins the slab of the rows from position `first` of their order on: empty candidate lists, and
 * nothing reached but the ratio that earlier slabs or calls found (call->other of the row is -1
 * when there is none: then every pair passes the first comparison). min_half: the smallest
 * other_half of the present slab of others. A row is plain when row_half + min_half, the smallest D
 * that a pair of it can have, is not clearly above 1e-9, or when halves of the others are too large
 * for float32, in which their infinity would make a NaN of the bound; the row's own half is met by
 * raise_reached(). */
static void load_rows(margin_call *call, int64_t first, double min_half) {
    sweep_next(&call->rows, first);
    for (int64_t slab_index = 0; slab_index < call->rows.count; slab_index++) {
        int64_t i = call->rows.item[slab_index];
        call->candidate_count[slab_index] = 0;
        call->slope[slab_index] = 0.0f;
        call->bar[slab_index] = -FLT_MAX;
        call->reached[slab_index] = -HUGE_VAL;
        /* 2 x: this sum may be rounded the other way than the D of some column. */
        call->plain[slab_index] =
            !(call->row_half[i] + min_half > 2.0 * MARGIN_ZERO) || !(call->max_half < 1e30);
        if (call->other[i] >= 0) raise_reached(call, slab_index, call->ratio[i]);
    }
}

/* Every slab of others against every slab of rows: packs both, multiplies them tile by tile
 * (scan_tile() collects candidates), then reranks each row of the slab, because the next slab of
 * rows reuses the candidate lists. A slab of others is packed once, the rows again for each slab of
 * others. Others are packed divided by their norms (SWEEP_SCALED), rows as they are: their scores
 * have the weight 1 / norm. min_half: smallest other_half of the slab of others, on its way from
 * load_others() to load_rows(). */
static alcore_status sweep(margin_call *call) {
    alcore_status status = ALCORE_OK;
    double min_half, *staged = call->sweep.staged;
    int64_t words = sweep_words(&call->rows, call->sweep.dims);
    for (int64_t o = 0; o < call->others.search.ordered && !status; o += call->others.slab) {
        load_others(call, o, &min_half);
        sweep_pack(&call->others, SWEEP_SCALED, staged);
        for (int64_t r = 0; r < call->rows.search.ordered && !status; r += call->rows.slab) {
            load_rows(call, r, min_half);
            sweep_pack(&call->rows, SWEEP_AS_IS, staged);
            status = sweep_products(&call->sweep, words, scan_tile, call);
            for (int64_t slab_index = 0; slab_index < call->rows.count && !status; slab_index++) {
                rerank(call, slab_index);
                /* cost 0: rerank() has added its own to spent */
                status = alcore__cpu_poll(call->sweep.work, &call->sweep.spent, 0);
            }
        }
    }
    return status;
}

/* Cuts all arrays of the call out of one allocation; the order of the cuts is the layout. Runs
 * twice: with memory->base NULL it only adds up the size, in memory->used. Arrays begin at
 * multiples of 64 bytes. Needs the capacities of the slabs. Panels and products are large enough
 * for float32 and for int16, as sweep_choose() decides between them later. */
static void cut_call(margin_call *call, sweep_memory *memory) {
    int64_t slab = call->rows.slab;
    sweep_cut_call(&call->sweep, memory, call->sweep.dims);
    call->half = sweep_cut(memory, call->others.slab, sizeof *call->half);
    call->bar = sweep_cut(memory, slab, sizeof *call->bar);
    call->slope = sweep_cut(memory, slab, sizeof *call->slope);
    call->reached = sweep_cut(memory, slab, sizeof *call->reached);
    call->candidate_count = sweep_cut(memory, slab, sizeof *call->candidate_count);
    call->candidate_score =
        sweep_cut(memory, slab * MARGIN_CAPACITY, sizeof *call->candidate_score);
    call->candidate_other =
        sweep_cut(memory, slab * MARGIN_CAPACITY, sizeof *call->candidate_other);
    call->plain = sweep_cut(memory, slab, sizeof *call->plain);
}

/* `search` (metric and directions) is part of the signature that searches share; a ratio is always
 * made of cosines, so it is not read. Steps: memory, norms, far items in double, the order of the
 * items that the filter compares, the form of panels (float32 or int16), the sweep. */
alcore_status CPU(margin_ratios)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const alcore_sys_rows *others,
                                 const uint8_t *other_mask, const alcore_sys_search *search,
                                 const double *row_half, const double *other_half, double *ratio,
                                 int64_t *other) {
    (void)search;
    alcore_status status = CPU(search_check)(work, rows, others);
    if (status || rows->count == 0 || others->count == 0) return status;
    int64_t bytes = rows->dims * 4;
    margin_call call = {.sweep = {.work = work, .metric = ALCORE_SYS_COSINE, .dims = rows->dims},
                        .row_half = row_half,
                        .other_half = other_half,
                        .ratio = ratio,
                        .other = other};
    /* k: each row wants its best other, no other wants a row. */
    call.rows =
        (sweep_operand){.search = {.rows = rows, .mask = mask},
                        .k = 1,
                        .width = PRODUCT_ROWS,
                        .slab = sweep_slab(rows->count, MARGIN_CAPACITY * 8 + bytes, PRODUCT_ROWS)};
    /* + 1: sweep_slab() divides by it, and dims may be 0 */
    call.others = (sweep_operand){.search = {.rows = others, .mask = other_mask},
                                  .width = PRODUCT_COLUMNS,
                                  .slab = sweep_slab(others->count, bytes + 1, PRODUCT_COLUMNS)};
    call.sweep.rows = &call.rows;
    call.sweep.columns = &call.others;
    sweep_memory memory = {0}; /* base NULL: the first run only adds up sizes */
    cut_call(&call, &memory);
    bytes = memory.used;
    status = alcore__cpu_new(work, bytes, 1, &memory.base);
    if (status) return status;
    memory.used = 0;
    cut_call(&call, &memory);
    status = sweep_begin(&call.sweep, join_pair, &call);
    call.error = sweep_error(&call.rows, &call.others, 0 /* any item */, ALCORE_SYS_COSINE);
    if (!status) status = sweep(&call);
    alcore__cpu_free(work, memory.base, bytes, 1);
    return status;
}
