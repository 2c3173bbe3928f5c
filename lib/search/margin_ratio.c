/* SPDX-License-Identifier: Apache-2.0 */
/* Margin ratios (spec 5.6): for each row x the largest ratio over others y of
 *
 *   cos(x, y) / (h(x) + h(y)),   h = half the mean cosine to the k nearest of the other operand
 *
 * Larger ratios are better matches. h of an empty list, such as that of a masked row, is 0. The
 * others are the queries of the search (search_run.h): they are processed in slabs, adjacent ones
 * that are in memory at once, and for each slab all rows are read once, in blocks, adjacent rows
 * that are the work of one task. In lists of neighbors -1 is a free entry, and free entries come
 * last.
 *
 * Members of alcore__search_run that are used here, all indexed from the operand's first row:
 *
 *     rows, queries        the two operands; mask [count] 1: the row is compared, NULL: all are
 *     row_best             [rows, k] neighbors of each row with their cosines, best first
 *     row_half, query_half [rows], [queries] h
 *     ratio, other         [rows] the largest ratio so far and the query that has it, -1: none
 *     open                 [rows] 1: a later query may have a larger ratio; 0: it is final
 *     slab, queried        queries of a slab, and the rows of the present one
 *
 * A first search finds the k nearest neighbors of both operands, which give h and the ratios of
 * each row with its neighbors. A bound shows for most rows that no other can have a larger ratio; a
 * second pass over all pairs is made for the rows that it leaves open. */
#include <math.h>

#include "kernel/device_result.h"
#include "search/margin_bound.h"
#include "search/search_run.h"

/* Computes h for each of `count` items from its list of neighbors, best [count, k], into half
 * [count]. */
static void compute_halves(const alcore__search_best *best, int64_t count, int64_t k,
                           double *half) {
    for (int64_t i = 0; i < count; i++)
        half[i] = alcore__margin_half(best->row + i * k, best->value + i * k, k);
}

/* Sets ratio and other [rows] from the neighbors of each row, and open [rows] to 0 where that is
 * the largest ratio of all (margin_bound.h). Masked rows are not open. A query is unmasked, as
 * margin_ratios() has checked, so that min_half is a number. */
static void begin_ratios(alcore__search_run *run) {
    double min_half = HUGE_VAL;
    for (int64_t j = 0; j < run->queries.count; j++) {
        if ((!run->queries.mask || run->queries.mask[j]) && run->query_half[j] < min_half)
            min_half = run->query_half[j];
    }
    for (int64_t i = 0; i < run->rows.count; i++) {
        bool open = alcore__margin_from_neighbors(
            run->row_best.row + i * run->k, run->row_best.value + i * run->k, run->k,
            run->row_half[i], run->query_half, min_half, &run->ratio[i], &run->other[i]);
        run->open[i] = open && (!run->rows.mask || run->rows.mask[i]);
    }
}

/* Task `index` of alcore__parallel(): updates ratio and other [rows] of those rows of a block that
 * are open [rows], by comparing them with the present slab of others, run->queried. All arrays by
 * row are passed from the block's first row on, those by other from the slab's first. ratio and
 * other hold the best so far, from the neighbors and earlier slabs, and only a better pair replaces
 * them. Blocks have no row in common, so tasks write to different entries. */
static alcore_status ratio_block(void *data, int64_t index, int32_t worker) {
    alcore__search_run *run = data;
    alcore_sys_rows rows;
    alcore_sys_work work = alcore__search_work(run);
    ALCORE__TRY(
        alcore__search_block(run, index, worker, false /* checked by the first search */, &rows));
    int64_t first = rows.first;
    return run->engine.kernels->margin_ratios(
        &work, &rows, run->open + first, &run->queried,
        alcore__search_data_mask(&run->queries, run->queried.first), &run->search,
        run->row_half + first, run->query_half + run->queried.first, run->ratio + first,
        run->other + first);
}

/* What the two passes keep of all rows and others; owned. */
typedef struct ratio_memory {
    alcore__search_best row_best;   /* [rows, k] nearest others of each row, with their cosines */
    alcore__search_best other_best; /* [others, k] nearest rows of each other, with theirs */
    double *row_half, *other_half;  /* [rows], [others] h */
    int64_t *other;                 /* [rows] the other with the largest ratio so far; -1: none */
    uint8_t *open;                  /* [rows] 1: the second pass looks for a larger ratio */
} ratio_memory;

/* Allocates all arrays, zeroed; the caller frees them with free_memory(), also after a failure. The
 * first search overwrites all lists. */
static alcore_status new_memory(const alcore__search_run *run, ratio_memory *memory) {
    alcore_ctx *ctx = run->ctx;
    size_t rows = (size_t)run->rows.count, others = (size_t)run->queries.count;
    size_t k = (size_t)run->k;
    ALCORE__TRY(alcore__new_array(ctx, rows, k * sizeof(int64_t), &memory->row_best.row));
    ALCORE__TRY(alcore__new_array(ctx, rows, k * sizeof(double), &memory->row_best.value));
    ALCORE__TRY(alcore__new_array(ctx, others, k * sizeof(int64_t), &memory->other_best.row));
    ALCORE__TRY(alcore__new_array(ctx, others, k * sizeof(double), &memory->other_best.value));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof(double), &memory->row_half));
    ALCORE__TRY(alcore__new_array(ctx, others, sizeof(double), &memory->other_half));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof(int64_t), &memory->other));
    return alcore__new_array(ctx, rows, 1, &memory->open);
}

/* Frees all arrays; those that were not allocated are NULL. The struct is not used again. */
static void free_memory(alcore_ctx *ctx, ratio_memory *memory) {
    void *const parts[] = {memory->row_best.row,   memory->row_best.value,
                           memory->other_best.row, memory->other_best.value,
                           memory->row_half,       memory->other_half,
                           memory->other,          memory->open};
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) alcore__free(ctx, parts[p]);
}

/* Makes both passes; see the top of the file. run->ratio [rows] is written in place;
 * run->other and run->open are those of memory, which the caller frees after use. */
static alcore_status search_ratios(alcore__search_run *run, ratio_memory *memory) {
    ALCORE__TRY(new_memory(run, memory));
    run->row_best = memory->row_best;
    ALCORE__TRY(alcore__search_neighbors(run, memory->other_best));
    compute_halves(&memory->row_best, run->rows.count, run->k, memory->row_half);
    compute_halves(&memory->other_best, run->queries.count, run->k, memory->other_half);
    run->row_half = memory->row_half;
    run->query_half = memory->other_half;
    run->other = memory->other;
    run->open = memory->open;
    begin_ratios(run);
    for (int64_t first = 0; first < run->queries.count; first += run->slab) {
        ALCORE__TRY(alcore__search_slab(run, first, false /* checked by the first search */));
        ALCORE__TRY(alcore__search_blocks(run, ratio_block));
    }
    return ALCORE_OK;
}

/* The body of alcore_search_margin_ratios(), called once the context is entered: reads the
 * arguments, searches, and frees everything on one path: alcore__search_begin() zeroes run first,
 * so that it is ended after a failure too. The metric and run->ratio are set behind it, before the
 * first pass, which converts rows by both. alcore__results_add() checks the dtype, the shape [rows,
 * 1] or [rows], and that there are no gaps. A metric in the options is refused, as margin ratios
 * are of cosines. At least one other must be unmasked. A masked row, whose list of neighbors is
 * empty, has the other -1 from begin_ratios() and gets the ratio NaN. out_ratios float64 [rows];
 * out_others int64 [rows] or NULL: not wanted. */
static alcore_status margin_ratios(alcore_ctx *ctx, const alcore_search_data *rows,
                                   const alcore_search_data *others, int64_t k,
                                   const alcore_search_options *options,
                                   const alcore_tensor *out_ratios,
                                   const alcore_tensor *out_others) {
    alcore__search_run run;
    ratio_memory memory = {0};
    alcore__results results = {0};
    void *ratios = NULL, *best_others = NULL;
    ALCORE__TRY(alcore__search_check_k(k, ALCORE_KNN_MAX));
    alcore_status status =
        alcore__search_begin(ctx, rows, "rows", others, "others", k, options, &run);
    if (!status) alcore__results_init(&results, &run.engine, run.rows.stream);
    if (!status)
        status = alcore__results_add(&results, out_ratios, "out_ratios", ALCORE_FLOAT64,
                                     run.rows.count, 1, false, &ratios);
    if (!status && out_others)
        status = alcore__results_add(&results, out_others, "out_others", ALCORE_INT64,
                                     run.rows.count, 1, false, &best_others);
    int64_t *other_out = best_others;
    if (!status && run.given_metric != 0)
        status = alcore__fail(ALCORE_E_INVALID,
                              "metric is %d; margin ratios always use cosines: leave it 0",
                              (int)run.given_metric);
    run.search.metric = ALCORE_SYS_COSINE;
    run.ratio = ratios;
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
    status = alcore__results_end(&results, status);
    free_memory(ctx, &memory);
    alcore__search_end(&run);
    return status;
}

/* The largest margin ratio of each row over the others, and the other that has it; see
 * margin_ratios(). k: 1 to ALCORE_KNN_MAX. After a failure the caller's arrays may be written in
 * part. */
alcore_status alcore_search_margin_ratios(alcore_ctx *ctx, const alcore_search_data *rows,
                                          const alcore_search_data *others, int64_t k,
                                          const alcore_search_options *options,
                                          const alcore_tensor *out_ratios,
                                          const alcore_tensor *out_others) {
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, margin_ratios(ctx, rows, others, k, options, out_ratios, out_others));
}
