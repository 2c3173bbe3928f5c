/* SPDX-License-Identifier: Apache-2.0 */
/* Margin ratios (spec 5.6): one pass finds the neighbors of both sides, a second one the largest
 * ratios of the rows for which the neighbors do not decide it. */
#include <math.h>

#include "search/search_run.h"

/* Half-sums of an item's cosines, the largest first, over those that there are; 0 without any. */
static void half_sums(const alcore__search_best *best, int64_t count, int64_t k, double *half) {
    for (int64_t i = 0; i < count; i++) {
        int64_t found = 0;
        double sum = 0.0;
        for (; found < k && best->row[i * k + found] >= 0; found++)
            sum += best->value[i * k + found];
        half[i] = found > 0 ? sum / (2.0 * (double)found) : 0.0;
    }
}

/* The margin ratio of a pair with this cosine: 0 where the divisor is too small to mean anything.
 */
static double ratio_of(double cosine, double row_half, double other_half) {
    double sum = row_half + other_half;
    return sum <= 1e-9 ? 0.0 : cosine / sum;
}

/* Sets ratio and other [rows] to the largest ratio of each row with one of its k neighbors, and
 * open [rows] to 0 where no later other can have a larger one: any other has at most the cosine of
 * the k-th neighbor and at least the smallest half-sum of all others, which bounds its ratio. */
static void begin_ratios(alcore__search_run *run) {
    double min_half = HUGE_VAL;
    for (int64_t j = 0; j < run->queries.count; j++) {
        if ((!run->queries.mask || run->queries.mask[j]) && run->query_half[j] < min_half)
            min_half = run->query_half[j];
    }
    for (int64_t i = 0; i < run->rows.count; i++) {
        const int64_t *near = run->of_rows.row + i * run->k;
        const double *cosine = run->of_rows.value + i * run->k;
        run->ratio[i] = -HUGE_VAL;
        run->other[i] = -1;
        for (int64_t p = 0; p < run->k && near[p] >= 0; p++) {
            double ratio = ratio_of(cosine[p], run->row_half[i], run->query_half[near[p]]);
            if (ratio < run->ratio[i] || (ratio == run->ratio[i] && near[p] > run->other[i]))
                continue;
            run->ratio[i] = ratio;
            run->other[i] = near[p];
        }
        double sum = run->row_half[i] + min_half, last = cosine[run->k - 1];
        bool all = near[run->k - 1] < 0; /* every other is among the neighbors */
        run->open[i] = (!run->rows.mask || run->rows.mask[i]) && !all &&
                       !(sum > 1e-9 && last >= 0.0 && last / sum < run->ratio[i]);
    }
}

/* Task `index` of alcore__parallel(): raises the ratios of the rows of a block that are still open
 * by the present slab of others. */
static alcore_status ratio_block(void *data, int64_t index, int32_t worker) {
    alcore__search_run *run = data;
    alcore_sys_rows rows;
    alcore_sys_work work = alcore__engine_work(&run->engine);
    ALCORE__TRY(alcore__search_block(run, index, worker, false, &rows));
    int64_t first = rows.first;
    return run->engine.kernels->margin_ratios(
        &work, &rows, run->open + first, &run->queried,
        alcore__search_data_mask(&run->queries, run->queried.first), &run->search,
        run->row_half + first, run->query_half + run->queried.first, run->ratio + first,
        run->other + first);
}

/* What the two passes keep of all rows and others. */
typedef struct ratio_memory {
    alcore__search_best of_rows, of_others;
    double *row_half, *other_half;
    int64_t *other;
    uint8_t *open;
} ratio_memory;

/* Allocates what both passes keep; of_rows and of_others are [items, k]. */
static alcore_status new_memory(const alcore__search_run *run, ratio_memory *memory) {
    alcore_ctx *ctx = run->ctx;
    size_t rows = (size_t)run->rows.count, others = (size_t)run->queries.count;
    size_t k = (size_t)run->k;
    ALCORE__TRY(alcore__new_array(ctx, rows, k * sizeof(int64_t), &memory->of_rows.row));
    ALCORE__TRY(alcore__new_array(ctx, rows, k * sizeof(double), &memory->of_rows.value));
    ALCORE__TRY(alcore__new_array(ctx, others, k * sizeof(int64_t), &memory->of_others.row));
    ALCORE__TRY(alcore__new_array(ctx, others, k * sizeof(double), &memory->of_others.value));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof(double), &memory->row_half));
    ALCORE__TRY(alcore__new_array(ctx, others, sizeof(double), &memory->other_half));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof(int64_t), &memory->other));
    return alcore__new_array(ctx, rows, 1, &memory->open);
}

static void free_memory(alcore_ctx *ctx, ratio_memory *memory) {
    void *const parts[] = {memory->of_rows.row,     memory->of_rows.value, memory->of_others.row,
                           memory->of_others.value, memory->row_half,      memory->other_half,
                           memory->other,           memory->open};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) alcore__free(ctx, parts[p]);
}

/* Pass 1 finds the k nearest neighbors of both operands and from them the divisors; pass 2 searches
 * the largest ratio of the rows that their neighbors leave open. */
static alcore_status search_ratios(alcore__search_run *run, ratio_memory *memory) {
    ALCORE__TRY(new_memory(run, memory));
    run->of_rows = memory->of_rows;
    ALCORE__TRY(alcore__search_neighbors(run, memory->of_others));
    half_sums(&memory->of_rows, run->rows.count, run->k, memory->row_half);
    half_sums(&memory->of_others, run->queries.count, run->k, memory->other_half);
    run->row_half = memory->row_half;
    run->query_half = memory->other_half;
    run->other = memory->other;
    run->open = memory->open;
    begin_ratios(run);
    for (int64_t first = 0; first < run->queries.count; first += run->slab) {
        ALCORE__TRY(alcore__search_slab(run, first, false));
        ALCORE__TRY(alcore__search_blocks(run, ratio_block));
    }
    return ALCORE_OK;
}

/* The whole of alcore_search_margin_ratios() between entering and leaving. A row that has no other
 * gets NaN and -1. */
static alcore_status margin_ratios(alcore_ctx *ctx, const alcore_search_data *rows,
                                   const alcore_search_data *others, int64_t k,
                                   const alcore_search_options *options,
                                   const alcore_tensor *out_ratios,
                                   const alcore_tensor *out_others) {
    alcore__search_run run;
    ratio_memory memory = {0};
    alcore__array ratios = {0}, best_others = {0};
    alcore_status status = alcore__search_begin(ctx, rows, others, "others", k, options, &run);
    if (!status)
        status = alcore__tensor_output(out_ratios, "out_ratios", ALCORE_FLOAT64, run.rows.count, 1,
                                       &ratios);
    if (!status && out_others)
        status = alcore__tensor_output(out_others, "out_others", ALCORE_INT64, run.rows.count, 1,
                                       &best_others);
    int64_t *other_out = (int64_t *)(uintptr_t)best_others.data;
    run.search.metric = ALCORE_SYS_COSINE;
    run.ratio = (double *)(uintptr_t)ratios.data;
    int64_t usable = 0;
    for (int64_t j = 0; !status && j < run.queries.count; j++)
        usable += !run.queries.mask || run.queries.mask[j];
    if (!status && usable == 0)
        status = alcore__fail(ALCORE_E_INVALID, "there are no others to compare with");
    if (!status) status = search_ratios(&run, &memory);
    for (int64_t i = 0; !status && i < run.rows.count; i++) {
        if (run.other[i] < 0) run.ratio[i] = (double)NAN;
        if (other_out) other_out[i] = run.other[i];
    }
    free_memory(ctx, &memory);
    alcore__search_end(&run);
    return status;
}

alcore_status alcore_search_margin_ratios(alcore_ctx *ctx, const alcore_search_data *rows,
                                          const alcore_search_data *others, int64_t k,
                                          const alcore_search_options *options,
                                          const alcore_tensor *out_ratios,
                                          const alcore_tensor *out_others) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, margin_ratios(ctx, rows, others, k, options, out_ratios, out_others));
}
