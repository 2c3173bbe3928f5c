/* SPDX-License-Identifier: Apache-2.0 */
/* Exact k nearest rows of each query and k nearest queries of each row, in one sweep
 * (spec 1.3, 1.8).
 *
 * The rows and the queries are the two operands; an item is a row or a query. Each item whose
 * neighbors are wanted keeps three things. First, its k best so far with their values in double:
 * the caller's alcore_sys_best, [items, k], best value first. Second, a list of candidates: items
 * of the other operand that the filter could not discard, each with its float32 score s = product *
 * w - h, larger is better (cpu_search.h: w is 1 / |row| for cosine, else 1; h is half the squared
 * norm of the candidate for L2, else 0). Third, min_score: a candidate with a lower s is truly
 * worse than k others, and is discarded. When the list is full, the k-th best score minus twice the
 * error (the bound of how far s can be from the true score) becomes min_score, and candidates below
 * it are dropped. What remains is computed in double (rerank) when the list is still nearly full,
 * and at the end of the slab.
 *
 * A slab is a run of items of one operand that are packed at a time so that they fit the cache; a
 * panel, some packed items interleaved by component; a tile, the products of one panel of rows with
 * some panels of queries (cpu_sweep.h). With pruning, when the caller gives leading directions, a
 * tile holds upper bounds of the products, made of the leading components only (cpu_prune.h); with
 * a coarse filter, which engines with int8 products have for the neighbors of queries alone,
 * products of bytes (cpu_coarse.h). Of either, the pairs that pass are collected (hits) and
 * multiplied in full. A far item is one that the filter cannot bound: its norm is NaN, too large
 * for float32 or, for L2 and dot, much larger than most; it is compared with all items of the other
 * operand in double.
 * Cost: rows x queries x dims multiply-adds in float32, and a few values in double an item. */
#include "engines/cpu/cpu_candidates.h"
#include "engines/cpu/cpu_engine.h"

/* The most neighbors of an item that a caller may ask for (alcore_sys_best). */
#define KNN_MAX_K 1024

/* Adds a pair of the present slabs to the candidates of either, where its score is not too low.
 * product: in full, times the weight of the row. */
CPU_INLINE void add_pair(knn_call *call, int64_t row, int64_t q, float product) {
    knn_operand *rows = &call->rows, *queries = &call->queries;
    float query_score = product - rows->offset[row];
    if (queries->best && query_score >= queries->min_score[q])
        add_candidate(call, queries, rows, q, query_score, rows->sweep.item[row]);
    float row_score = product - queries->offset[q];
    if (rows->best && row_score >= rows->min_score[row])
        add_candidate(call, rows, queries, row, row_score, queries->sweep.item[q]);
}

/* 1 when a product of a tile reaches the limit of its query or of its row. */
CPU_INLINE int reaches(const knn_call *call, int64_t row, int64_t q, float product) {
    const knn_operand *rows = &call->rows, *queries = &call->queries;
    return (queries->best && product - rows->tile_offset[row] >= queries->tile_min[q]) ||
           (rows->best && product - queries->tile_offset[q] >= rows->tile_min[row]);
}

/* An item of the present slab in float32. */
CPU_INLINE const float *full_item(const knn_operand *operand, int64_t dims, int64_t slab_index) {
    const alcore_sys_rows *rows = operand->sweep.search.rows;
    if (operand->floats) return operand->floats + slab_index * dims;
    return (const float *)rows->data + operand->sweep.item[slab_index] * rows->stride;
}

/* Prefetches an item for a full product. */
CPU_INLINE void fetch_item(const float *item, int64_t dims) {
    for (int64_t j = 0; j < dims; j += 16) __builtin_prefetch(item + j);
}

/* Computes the full products of the collected hits whose bounds still reach a limit, which earlier
 * ones may have raised, and adds them to the candidates. The query of a later hit is fetched
 * meanwhile, as add_hits() has fetched the rows: they lie anywhere in memory. */
static __attribute__((noinline)) void take_hits(knn_call *call) {
    const knn_operand *rows = &call->rows, *queries = &call->queries;
    int64_t dims = call->sweep.dims;
    for (int h = 0; h < call->hit_count; h++) {
        const knn_hit *hit = &call->hits[h];
        if (h + 2 < call->hit_count) fetch_item(full_item(queries, dims, hit[2].query), dims);
        if (!reaches(call, hit->row, hit->query, hit->product)) continue;
        const float *weight = rows->sweep.search.weight;
        float product = CPU(float_dot)(full_item(rows, dims, hit->row),
                                       full_item(queries, dims, hit->query), dims);
        if (weight) product *= weight[rows->sweep.item[hit->row]];
        add_pair(call, hit->row, hit->query, product);
    }
    call->hit_count = 0;
}

/* Adds candidates from SWEEP_STEP products of one row with the queries first .. (slab indices), of
 * which those of the `lanes` may reach the limits in scan_tile(). Where a tile holds bounds, such a
 * pair is collected for take_hits(). row: position in the slab of rows; products [SWEEP_STEP];
 * weight: w of the row, 1 / |row| for cosine (1 where it is in the packed values), else 1, or the
 * multiplier of an int8 row. Columns behind the last query of the slab are skipped. Not inlined, so
 * that the loop of scan_tile() stays small: few steps need this function. */
static __attribute__((noinline)) void add_hits(knn_call *call, int64_t row, int64_t first,
                                               uint32_t lanes, const float *products,
                                               float weight) {
    for (; lanes != 0; lanes &= lanes - 1) {
        int64_t q = first + __builtin_ctz(lanes);
        if (q >= call->queries.sweep.count) return;
        float product = products[q - first] * weight;
        if (!call->hits) {
            add_pair(call, row, q, product);
            continue;
        }
        if (call->sweep.coarse) product *= call->queries.coarse.multiplier[q];
        if (!reaches(call, row, q, product)) continue;
        int known = call->hit_count > 0 && call->hits[call->hit_count - 1].row == row;
        if (!known) fetch_item(full_item(&call->rows, call->sweep.dims, row), call->sweep.dims);
        call->hits[call->hit_count++] = (knn_hit){(int32_t)row, (int32_t)q, product};
        if (call->hit_count == KNN_HITS) take_hits(call);
    }
}

/* Compares a tile, products [rows, count] of the slab rows row .. row + rows - 1 with the slab
 * queries first .. first + count - 1, with the limits of both operands (tile_min), SWEEP_STEP = 2 x
 * PRODUCT_FLOATS products at a time; add_hits() is called only for steps in which a comparison
 * holds. count is whole panels of queries and so a multiple of SWEEP_STEP; behind the last query of
 * the slab load_slab() has set limits and offsets that no comparison passes. query_best and
 * row_best (1: the neighbors of queries, of rows are wanted) are constants, so that each caller
 * compiles to a loop without branches on them; so is coarse (1: the products are of integers, still
 * to be multiplied by the multipliers of both items). The row's limit is read again for each step,
 * because add_hits() may have raised it. */
CPU_INLINE void scan_tile(knn_call *call, int64_t row, int rows, int64_t first, int64_t count,
                          const float *products, int query_best, int row_best, int coarse) {
    const float *limits = call->queries.tile_min + first, *offset = call->queries.offset + first;
    const float *multiplier = call->queries.coarse.multiplier + (coarse ? first : 0);
    for (int r = 0; r < rows; r++) {
        const float *row_products = products + r * count;
        float weight = coarse ? call->rows.coarse.multiplier[row + r]
                              : sweep_weight(&call->rows.sweep, row + r);
        cpu_floats w = cpu_all_floats(weight);
        cpu_floats row_offset = cpu_all_floats(call->rows.tile_offset[row + r]);
        for (int64_t c = 0; c < count; c += SWEEP_STEP) {
            cpu_floats a = cpu_load_floats(row_products + c) * w;
            cpu_floats b = cpu_load_floats(row_products + c + PRODUCT_FLOATS) * w;
            if (coarse) {
                a *= cpu_load_floats(multiplier + c);
                b *= cpu_load_floats(multiplier + c + PRODUCT_FLOATS);
            }
            uint32_t lanes = 0;
            if (query_best) {
                lanes = sweep_lanes(a - row_offset, cpu_load_floats(limits + c), b - row_offset,
                                    cpu_load_floats(limits + c + PRODUCT_FLOATS));
            }
            if (row_best) {
                cpu_floats limit = cpu_all_floats(call->rows.tile_min[row + r]);
                lanes |= sweep_lanes(a - cpu_load_floats(offset + c), limit,
                                     b - cpu_load_floats(offset + c + PRODUCT_FLOATS), limit);
            }
            if (lanes) add_hits(call, row + r, first + c, lanes, row_products + c, weight);
        }
    }
    if (call->hit_count > 0) take_hits(call);
}

/* The callbacks of sweep_products(), called for each tile; user is the knn_call. There is one for
 * each choice of wanted neighbors: those of both operands, of the queries only, of the rows
 * only; and one for the queries with a coarse filter. */
static void scan_tile_both(void *user, int64_t row, int rows, int64_t first, int64_t count,
                           const float *products) {
    scan_tile(user, row, rows, first, count, products, /*query_best=*/1, /*row_best=*/1,
              /*coarse=*/0);
}
static void scan_tile_queries(void *user, int64_t row, int rows, int64_t first, int64_t count,
                              const float *products) {
    scan_tile(user, row, rows, first, count, products, /*query_best=*/1, /*row_best=*/0,
              /*coarse=*/0);
}
static void scan_tile_rows(void *user, int64_t row, int rows, int64_t first, int64_t count,
                           const float *products) {
    scan_tile(user, row, rows, first, count, products, /*query_best=*/0, /*row_best=*/1,
              /*coarse=*/0);
}
static void scan_tile_coarse(void *user, int64_t row, int rows, int64_t first, int64_t count,
                             const float *products) {
    scan_tile(user, row, rows, first, count, products, /*query_best=*/1, /*row_best=*/0,
              /*coarse=*/1);
}

/* The callback of sweep_begin(), for a pair that has a far item: merges its value into the k best
 * of either, where they are wanted; a NaN value is nobody's neighbor. */
static void join_pair(void *user, int64_t row, int64_t query, double value) {
    knn_call *call = user;
    if (isnan(value)) return;
    search_found neighbor = {value, call->queries.sweep.search.rows->first + query};
    join_best(call, call->rows.best, row, &neighbor, 1);
    neighbor = (search_found){value, call->rows.sweep.search.rows->first + row};
    join_best(call, call->queries.best, query, &neighbor, 1);
}

/* How far a bound of a slab item in a tile may lie below its true product with any item of the
 * other operand (cpu_coarse.h, cpu_prune.h), plus the error of a full score. */
static double bound_slack(const knn_call *call, const knn_operand *operand,
                          const knn_operand *other, int64_t slab_index) {
    int64_t i = operand->sweep.item[slab_index];
    double norm = sweep_norm(&operand->sweep, i, call->sweep.metric);
    double limit = other->sweep.search.limit;
    double below = call->sweep.coarse ? operand->coarse.residual[slab_index] * limit * SEARCH_UP +
                                            coarse_rounding(limit, norm)
                                      : prune_slack(&call->prune) * norm * limit;
    return below + score_error(call, operand, other, i);
}

/* Sets what products of a coarse filter with the rows of the present slab are compared with less:
 * the offset of a row, less its residual times the longest of what stands for the queries of the
 * slab (reach; cpu_coarse.h). */
static void set_tile_offsets(knn_call *call) {
    const knn_operand *rows = &call->rows, *queries = &call->queries;
    double reach = 0.0;
    for (int64_t q = 0; q < queries->sweep.count; q++) {
        double norm = sweep_norm(&queries->sweep, queries->sweep.item[q], call->sweep.metric);
        if (norm + queries->coarse.residual[q] > reach) reach = norm + queries->coarse.residual[q];
    }
    for (int64_t r = 0; r < rows->sweep.count; r++)
        rows->tile_offset[r] =
            search_below((double)rows->offset[r] - rows->coarse.residual[r] * reach * SEARCH_UP);
}

/* Begins the slab of the items that sweep_next() has made the present one and pack_slab() has
 * packed: sets offset, limits (from the k best of earlier slabs and calls) and empty candidate
 * lists. Entries that fill the last panel have an infinite offset and limit, so that no comparison
 * holds; every limit is infinite when the operand's neighbors are not wanted. slack is for the
 * norms up to the limit of `other`, of all items that the filter compares an item with. */
static void load_slab(knn_call *call, knn_operand *operand, const knn_operand *other) {
    const search_operand *search = &operand->sweep.search;
    for (int64_t slab_index = 0;
         slab_index < sweep_padded(operand->sweep.count, operand->sweep.width); slab_index++) {
        int present = slab_index < operand->sweep.count;
        int64_t i = present ? operand->sweep.item[slab_index] : -1;
        operand->offset[slab_index] = present ? search->offset[i] : HUGE_VALF;
        operand->tile_min[slab_index] = operand->min_score[slab_index] =
            present && operand->best ? -FLT_MAX : HUGE_VALF;
        if (!present || !operand->best) continue;
        if (operand->slack)
            operand->slack[slab_index] = bound_slack(call, operand, other, slab_index);
        operand->candidate_count[slab_index] = 0;
        raise_from_best(call, operand, other, slab_index);
    }
}

/* Reranks the candidates of all items of the present slab, before the next slab replaces it; lists
 * of more than k are pruned first, which is cheaper than computing all of them in double. Nothing
 * when the operand's neighbors are not wanted. The poll adds no cost: rerank() has added its own.
 */
static alcore_status rerank_all(knn_call *call, knn_operand *operand, const knn_operand *other) {
    alcore_status status = ALCORE_OK;
    for (int64_t slab_index = 0; operand->best && slab_index < operand->sweep.count && !status;
         slab_index++) {
        if (operand->candidate_count[slab_index] > operand->best->k)
            prune_candidates(call, operand, other, slab_index);
        rerank(call, operand, other, slab_index);
        status = alcore__cpu_poll(call->sweep.work, &call->sweep.spent, 0);
    }
    return status;
}

/* Makes the items from position `first` of the order on the present slab and packs them: whole
 * items, as int8 for a coarse filter, or with pruning their leading components. scaled:
 * SWEEP_SCALED (1) divides each by its norm (queries of a cosine search), SWEEP_AS_IS (0) does
 * not. */
static void pack_slab(knn_call *call, knn_operand *operand, int64_t first, int scaled) {
    sweep_next(&operand->sweep, first);
    if (call->sweep.coarse) {
        coarse_pack(&operand->sweep, scaled, operand == &call->queries, call->sweep.staged,
                    operand->floats, &operand->coarse);
    } else if (call->prune.leading > 0) {
        prune_pack(&call->prune, &operand->sweep, scaled, call->sweep.staged, operand->floats,
                   operand->leading);
    } else {
        sweep_pack(&operand->sweep, scaled, call->sweep.staged);
    }
}

/* Words (32 bits) of a packed item: its leading components and the norm of the remainder, or all
 * components as float32 or, two or four a word, as int16 or int8. */
static int64_t packed_words(const knn_call *call) {
    if (call->prune.leading > 0) return call->prune.leading + 1;
    if (call->sweep.coarse) return int8_words(call->sweep.dims);
    return sweep_words(&call->rows.sweep, call->sweep.dims);
}

/* All slabs of queries against all slabs of rows. A slab of queries stays packed while every slab
 * of rows is multiplied with it, so its items are reranked once; the lists of a slab of rows are
 * reused by the next slab, so its items are reranked before that. The callback `tile` is the
 * variant of scan_tile() for the operands whose neighbors are wanted, one at least. */
static alcore_status sweep(knn_call *call) {
    knn_operand *rows = &call->rows, *queries = &call->queries;
    int64_t words = packed_words(call);
    if (call->prune.leading > 0) prune_pack_basis(&call->prune, call->sweep.dims);
    sweep_tile tile = call->sweep.coarse ? scan_tile_coarse
                      : !rows->best      ? scan_tile_queries
                      : !queries->best   ? scan_tile_rows
                                         : scan_tile_both;
    alcore_status status = ALCORE_OK;
    int scaled = call->sweep.metric == ALCORE_SYS_COSINE ? SWEEP_SCALED : SWEEP_AS_IS;
    int64_t query_count = queries->sweep.search.ordered, row_count = rows->sweep.search.ordered;
    for (int64_t q = 0; q < query_count && !status; q += queries->sweep.slab) {
        pack_slab(call, queries, q, scaled);
        load_slab(call, queries, rows);
        for (int64_t r = 0; r < row_count && !status; r += rows->sweep.slab) {
            pack_slab(call, rows, r, SWEEP_AS_IS);
            load_slab(call, rows, queries);
            if (call->sweep.coarse) set_tile_offsets(call);
            status = sweep_products(&call->sweep, words, tile, call);
            if (!status) status = rerank_all(call, rows, queries);
        }
        if (!status) status = rerank_all(call, queries, rows);
    }
    return status;
}

/* Words that the panels are sized for: of the longest form that sweep_choose() may find. */
static int64_t panel_words(const knn_call *call) {
    return call->prune.leading > 0 ? call->prune.leading + 1 : call->sweep.dims;
}

/* 1 when tiles hold bounds, or before sweep_begin() when they may. */
static int has_bounds(const knn_call *call) {
    return call->prune.leading > 0 || call->sweep.coarse;
}

/* 1 when the rows of a matrix are float32 items as they are: not to be scaled, and aligned. */
static int is_in_place(const alcore_sys_rows *rows, int scaled) {
    return rows->dtype == ALCORE_FLOAT32 && !rows->unit && !scaled &&
           (uintptr_t)rows->data % sizeof(float) == 0;
}

/* Sets the capacity of a slab and of candidate lists: 2 k + 48 entries, of which prune_candidates()
 * drops at least k + 48 unless bounds cannot tell them apart, so that its selection is paid for by
 * as many appended ones. width: items of a panel, PRODUCT_ROWS for the rows and PRODUCT_COLUMNS for
 * the queries. each: bytes that an item of the slab takes; 1 more, so that it is never 0. */
static void size_operand(const knn_call *call, knn_operand *operand, int64_t width) {
    int64_t each = panel_words(call) * 4 + 1;
    if (call->prune.leading > 0) each += call->prune.padded * 4;
    if (has_bounds(call) && !operand->in_place) each += call->sweep.dims * 4;
    operand->sweep.k = operand->best ? operand->best->k : 0;
    if (operand->best) {
        operand->capacity = operand->best->k + operand->best->k / 4 + 48;
        each += operand->capacity * 8;
    }
    operand->sweep.width = width;
    operand->sweep.slab = sweep_slab(operand->sweep.search.rows->count, each, width);
}

/* Cuts the arrays of one operand for a slab out of the call's allocation (sweep_cut() only adds up
 * sizes in the first of two runs). */
static void cut_operand(const knn_call *call, knn_operand *operand, sweep_memory *memory) {
    int64_t slab = operand->sweep.slab, dims = call->sweep.dims;
    operand->tile_min = operand->min_score = sweep_cut(memory, slab, sizeof *operand->tile_min);
    operand->offset = operand->tile_offset = sweep_cut(memory, slab, sizeof *operand->offset);
    if (has_bounds(call)) {
        operand->slack = sweep_cut(memory, slab, sizeof *operand->slack);
        operand->min_score = sweep_cut(memory, slab, sizeof *operand->min_score);
        if (!operand->in_place)
            operand->floats = sweep_cut(memory, slab * dims, sizeof *operand->floats);
    }
    if (call->sweep.coarse) {
        operand->tile_offset = sweep_cut(memory, slab, sizeof *operand->tile_offset);
        coarse_cut(&operand->coarse, slab, memory);
    }
    if (call->prune.leading > 0) {
        /* Whole panels of PRODUCT_ROWS are written. */
        int64_t padded = sweep_padded(slab, PRODUCT_ROWS);
        operand->leading = sweep_cut(memory, padded * call->prune.padded, sizeof *operand->leading);
    }
    if (!operand->best) return;
    int64_t entries = slab * operand->capacity;
    operand->candidate_count = sweep_cut(memory, slab, sizeof *operand->candidate_count);
    operand->candidate_score = sweep_cut(memory, entries, sizeof *operand->candidate_score);
    operand->candidate_row = sweep_cut(memory, entries, sizeof *operand->candidate_row);
}

/* Cuts all arrays of the call; the order of the cuts is the layout. Runs twice: with memory->base
 * NULL it only adds up the size, in memory->used. */
static void cut_call(knn_call *call, sweep_memory *memory) {
    knn_operand *rows = &call->rows, *queries = &call->queries;
    int64_t k = 0, capacity = 0;
    sweep_cut_call(&call->sweep, memory, panel_words(call));
    cut_operand(call, rows, memory);
    cut_operand(call, queries, memory);
    for (int s = 0; s < 2; s++) {
        const knn_operand *operand = s ? queries : rows;
        if (operand->best && operand->best->k > k) k = operand->best->k;
        if (operand->best && operand->capacity > capacity) capacity = operand->capacity;
    }
    call->scores = sweep_cut(memory, k + capacity, sizeof *call->scores);
    call->found = sweep_cut(memory, capacity, sizeof *call->found);
    if (has_bounds(call)) call->hits = sweep_cut(memory, KNN_HITS, sizeof *call->hits);
    if (call->prune.leading > 0) prune_cut(&call->prune, call->sweep.dims, memory);
}

/* After sweep_choose() has decided against a coarse filter: tiles hold products. */
static void without_bounds(knn_call *call) {
    knn_operand *operands[] = {&call->rows, &call->queries};
    for (int v = 0; v < 2; v++) {
        operands[v]->slack = NULL;
        operands[v]->min_score = operands[v]->tile_min;
        operands[v]->tile_offset = operands[v]->offset;
    }
    call->hits = NULL;
}

/* Checks the arguments of a call before any memory is allocated: both matrices, a known metric, and
 * 1 to KNN_MAX_K neighbors of each operand whose neighbors are wanted (best NULL: not wanted). */
static alcore_status check(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const alcore_sys_rows *queries, const alcore_sys_search *search,
                           const alcore_sys_best *query_best, const alcore_sys_best *row_best) {
    alcore_status status = CPU(search_check)(work, rows, queries);
    if (status) return status;
    if (!search || search->metric < ALCORE_SYS_L2 || search->metric > ALCORE_SYS_COSINE)
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "a search has no such metric");
    for (int s = 0; s < 2; s++) {
        const alcore_sys_best *best = s ? row_best : query_best;
        if (best && (best->k < 1 || best->k > KNN_MAX_K))
            return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                    "a search is for 1 to 1024 neighbors (k)");
    }
    return ALCORE_OK;
}

/* Far items are compared in double first, the others in the sweep, whose panels are float32, or
 * integers where sweep_choose() finds these sharp enough and nothing is pruned. query_best and
 * row_best may be NULL, not both: then nobody's neighbors are wanted. */
alcore_status CPU(knn)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const alcore_sys_rows *queries,
                       const uint8_t *query_mask, const alcore_sys_search *search,
                       const alcore_sys_best *query_best, const alcore_sys_best *row_best) {
    alcore_status status = check(work, rows, queries, search, query_best, row_best);
    if (status || rows->count == 0 || queries->count == 0 || (!query_best && !row_best))
        return status;
    knn_call call = {
        .sweep = {.work = work, .metric = search->metric, .dims = rows->dims},
        .prune = prune_begin(search, rows->dims),
        .rows = {.sweep.search = {.rows = rows, .mask = mask}, .best = row_best},
        .queries = {.sweep.search = {.rows = queries, .mask = query_mask}, .best = query_best}};
    call.sweep.always_floats = call.prune.leading > 0;
    /* Of the rows, too, few pairs would be discarded by both operands. */
    call.sweep.coarse = CPU_INT8 && !call.sweep.always_floats && !row_best &&
                        rows->dims >= PRUNE_MIN_DIMS && rows->dims <= PRUNE_MAX_DIMS;
    call.rows.in_place = is_in_place(rows, /*scaled=*/0);
    call.queries.in_place = is_in_place(queries, search->metric == ALCORE_SYS_COSINE);
    call.sweep.rows = &call.rows.sweep;
    call.sweep.columns = &call.queries.sweep;
    size_operand(&call, &call.rows, PRODUCT_ROWS);
    size_operand(&call, &call.queries, PRODUCT_COLUMNS);
    sweep_memory memory = {0}; /* base NULL: the first run only adds up sizes */
    cut_call(&call, &memory);
    int64_t bytes = memory.used;
    status = alcore__cpu_new(work, bytes, 1, &memory.base);
    if (status) return status;
    memory.used = 0;
    cut_call(&call, &memory);
    status = sweep_begin(&call.sweep, join_pair, &call);
    call.sweep.begin = call.rows.coarse.begin;
    if (!has_bounds(&call)) without_bounds(&call);
    if (!status) status = sweep(&call);
    alcore__cpu_free(work, memory.base, bytes, 1);
    return status;
}
