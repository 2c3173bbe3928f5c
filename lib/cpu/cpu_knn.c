/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest rows of queries, and nearest queries of rows, in one sweep (spec 1.3, 1.8).
 *
 * An item is a row or a query. Each item whose neighbors are wanted keeps its k best so far, with
 * normative values, and a list of candidates that the filter could not refuse, with their float32
 * scores s (cpu_search.h). min_score is the s that a candidate must reach: below it, k others are
 * truly better. When the list of an item is full, its k-th best score minus twice the error raises
 * min_score, and candidates below it are dropped. The rest is computed in double (rerank) when the
 * list is still nearly full, and at the end.
 *
 * Both operands are cut into slabs that fit the cache; a slab of rows is multiplied with a slab of
 * queries in tiles. Cost: rows x queries x dims in float32 and a few values in double an item. */
#include <string.h>

#include "cpu/cpu_engine.h"
#include "cpu/cpu_prune.h"

#define KNN_MAX_K 1024

/* One operand of the search, rows or queries. Arrays by slab index: position within the slab. */
typedef struct knn_side {
    search_side side;
    const alcore_sys_best *best; /* NULL: its neighbors are not asked for */
    sweep_items items;           /* items of the present slab */
    int64_t slab;                /* largest number of items of a slab */
    int32_t *order;              /* [ordered] numbers of all items that the filter sees */
    int64_t ordered;
    int64_t capacity; /* largest number of candidates of an item */
    float *tile_min;  /* [slab, padded] limit that the products of a tile are compared with */
    float *min_score; /* [slab, padded] s that a candidate must reach; tile_min unless pruned */
    /* With pruning, where a tile holds products of the leading components only: */
    double *slack;  /* [slab] min_score - tile_min: bound of what the other components can add */
    float *floats;  /* [slab, dims] the items in float32 */
    float *leading; /* [slab, padded leading] their leading components */
    float *offset;  /* [slab, padded] h, which the other operand's scores subtract */
    int32_t *held;  /* [slab] number of candidates */
    float *score;   /* [slab, capacity] s of the candidates */
    int32_t *other; /* [slab, capacity] slab index of each in the other operand */
} knn_side;

typedef struct knn_call {
    const alcore_sys_work *work;
    int32_t metric;
    int64_t dims, spent;
    prune prune;
    knn_side rows, queries;
    double *unit, *wide; /* [dims] */
    double *sorted;      /* [the larger count] */
    double *staged;      /* [SWEEP_STAGED, dims] */
    float *products;
    float *scores;       /* [k + capacity] */
    search_found *found; /* [capacity] */
} knn_call;

/* The norm of an item as the filter sees it. */
static double filter_norm(const knn_call *call, const search_side *side, int64_t i) {
    return call->metric == ALCORE_SYS_COSINE ? SEARCH_UP : side->norm[i] * SEARCH_UP;
}

/* A lower bound of the s of a normative value of an item with that norm. */
static double score_of(const knn_call *call, double norm, double value) {
    if (call->metric != ALCORE_SYS_L2) return value;
    double own = 0.5 * norm * norm, half = 0.5 * value;
    return own - half - 0x1p-48 * (own + half);
}

/* How far the score of item i of `own` with any item of `other` can be off in the sweep; an item's
 * min_score is lowered by it. */
static double own_error(const knn_call *call, const knn_side *own, const knn_side *other,
                        int64_t i) {
    double norm = filter_norm(call, &own->side, i), limit = other->side.limit;
    return CPU(search_error)(norm, limit, call->dims, call->metric) +
           sweep_error(&own->items, &other->items, norm, limit);
}

/* Raises the score that candidates of an item of the slab must reach. */
static void raise_to(knn_side *own, int64_t slab_index, float min_score) {
    if (min_score <= own->min_score[slab_index]) return;
    own->min_score[slab_index] = min_score;
    if (own->slack)
        own->tile_min[slab_index] = search_below((double)min_score - own->slack[slab_index]);
}

/* Raises it to the score of the worst of the item's k best, once there are k. */
static void raise_to_list(const knn_call *call, knn_side *own, const knn_side *other,
                          int64_t slab_index) {
    int64_t i = own->items.item[slab_index], k = own->best->k, last = (i + 1) * k - 1;
    if (own->best->row[last] < 0) return;
    double score = score_of(call, own->side.norm[i], own->best->value[last]);
    raise_to(own, slab_index, search_below(score - own_error(call, own, other, i)));
}

/* Prefetches a row: candidates lie far apart in memory, and the next one is loaded while this one
 * is computed. */
CPU_INLINE void fetch(const alcore_sys_rows *rows, int64_t i) {
    int64_t bytes = (int64_t)cpu_bytes(rows->dtype);
    const char *row = (const char *)rows->data + i * rows->stride * bytes;
    for (int64_t byte = 0; byte < rows->dims * bytes; byte += 64) __builtin_prefetch(row + byte);
}

/* Computes the candidates of the slab's item in double and joins them with its neighbors. */
static void rerank(knn_call *call, knn_side *own, const knn_side *other, int64_t slab_index) {
    int64_t i = own->items.item[slab_index], k = own->best->k, count = 0;
    if (own->held[slab_index] == 0) return;
    const char *row = cpu_row(own->side.rows, i, call->unit);
    CPU(widen_row)(row, call->dims, cpu_row_dtype(own->side.rows), call->wide);
    double within = HUGE_VAL;
    if (own->best->row[(i + 1) * k - 1] >= 0) within = own->best->value[(i + 1) * k - 1];
    for (int64_t c = 0; c < own->held[slab_index]; c++) {
        int64_t j = own->other[slab_index * own->capacity + c];
        if (c + 1 < own->held[slab_index])
            fetch(other->side.rows, own->other[slab_index * own->capacity + c + 1]);
        double value = CPU(search_value)(call->metric, call->wide, own->side.norm[i], &other->side,
                                         j, call->unit, within);
        call->found[count++] = (search_found){value, other->side.rows->first + j};
    }
    call->spent += count * call->dims;
    own->held[slab_index] = 0;
    CPU(search_join)
    (own->best->row + i * k, own->best->value + i * k, k, call->found, count, call->metric);
    raise_to_list(call, own, other, slab_index);
}

/* Refuses candidates of an item that has no room left. */
static void make_room(knn_call *call, knn_side *own, const knn_side *other, int64_t slab_index) {
    int64_t i = own->items.item[slab_index], k = own->best->k, count = own->held[slab_index],
            kept = 0;
    float *score = own->score + slab_index * own->capacity;
    int32_t *index = own->other + slab_index * own->capacity;
    double error = own_error(call, own, other, i);
    memcpy(call->scores, score, (size_t)count * sizeof *score);
    for (int64_t p = 0; p < k && own->best->row[i * k + p] >= 0; p++) {
        call->scores[count++] =
            search_below(score_of(call, own->side.norm[i], own->best->value[i * k + p]) + error);
    }
    if (count >= k) {
        double worst = (double)CPU(search_largest)(call->scores, count, k - 1);
        raise_to(own, slab_index, search_below(worst - 2.0 * error));
        for (int64_t c = 0; c < own->held[slab_index]; c++) {
            if (score[c] < own->min_score[slab_index]) continue;
            score[kept] = score[c];
            index[kept++] = index[c];
        }
        own->held[slab_index] = (int32_t)kept;
    }
    /* Many that no bound can tell apart, such as copies. */
    if (own->held[slab_index] > own->capacity - own->capacity / 4)
        rerank(call, own, other, slab_index);
}

/* Keeps item j of the other dataset, with its score, as a candidate of a slab's item; a full list
 * first refuses what is below its k-th best. */
CPU_INLINE void hold(knn_call *call, knn_side *own, const knn_side *other, int64_t slab_index,
                     float score, int64_t j) {
    int64_t place = slab_index * own->capacity + own->held[slab_index];
    own->score[place] = score;
    own->other[place] = (int32_t)j;
    if (++own->held[slab_index] == own->capacity) make_room(call, own, other, slab_index);
}

/* Candidates among SWEEP_LOOK products of a row; where those are upper bounds, the products that
 * pass are computed first. */
static __attribute__((noinline)) void hold_hits(knn_call *call, int64_t row, int64_t first,
                                                const float *products, float weight) {
    knn_side *rows = &call->rows, *queries = &call->queries;
    for (int64_t c = 0; c < SWEEP_LOOK && first + c < queries->items.count; c++) {
        int64_t q = first + c;
        float product = products[c] * weight;
        if (call->prune.leading > 0) {
            if (!(queries->best && product - rows->offset[row] >= queries->tile_min[q]) &&
                !(rows->best && product - queries->offset[q] >= rows->tile_min[row]))
                continue;
            product = weight * prune_dot(rows->floats + row * call->dims,
                                         queries->floats + q * call->dims, call->dims);
        }
        float of_query = product - rows->offset[row];
        if (queries->best && of_query >= queries->min_score[q])
            hold(call, queries, rows, q, of_query, rows->items.item[row]);
        float of_row = product - queries->offset[q];
        if (rows->best && of_row >= rows->min_score[row])
            hold(call, rows, queries, row, of_row, queries->items.item[q]);
    }
}

/* Looks for candidates in a tile; query_best and row_best are constants. */
CPU_INLINE void look(knn_call *call, int64_t row, int rows, int64_t first, int64_t count,
                     const float *products, int query_best, int row_best) {
    const float *limits = call->queries.tile_min + first, *offset = call->queries.offset + first;
    for (int r = 0; r < rows; r++) {
        const float *of = products + r * count;
        float weight = sweep_weight(&call->rows.items, &call->rows.side, row + r);
        sweep_floats w = weight - (sweep_floats){0};
        sweep_floats own = call->rows.offset[row + r] - (sweep_floats){0};
        for (int64_t c = 0; c < count; c += SWEEP_LOOK) {
            sweep_floats a = sweep_load(of + c) * w;
            sweep_floats b = sweep_load(of + c + PRODUCT_FLOATS) * w;
            int hit = 0;
            if (query_best) {
                hit = sweep_any(a - own, sweep_load(limits + c), b - own,
                                sweep_load(limits + c + PRODUCT_FLOATS));
            }
            if (row_best) {
                sweep_floats limit = call->rows.tile_min[row + r] - (sweep_floats){0};
                hit |= sweep_any(a - sweep_load(offset + c), limit,
                                 b - sweep_load(offset + c + PRODUCT_FLOATS), limit);
            }
            if (hit) hold_hits(call, row + r, first + c, of + c, weight);
        }
    }
}

static void look_both(void *user, int64_t row, int rows, int64_t first, int64_t count,
                      const float *products) {
    look(user, row, rows, first, count, products, 1, 1);
}
static void look_queries(void *user, int64_t row, int rows, int64_t first, int64_t count,
                         const float *products) {
    look(user, row, rows, first, count, products, 1, 0);
}
static void look_rows(void *user, int64_t row, int rows, int64_t first, int64_t count,
                      const float *products) {
    look(user, row, rows, first, count, products, 0, 1);
}

/* Compares the far items of one side with the other side in double. */
static alcore_status compare_far(knn_call *call, knn_side *own, knn_side *other, int skip_far) {
    alcore_status status = ALCORE_OK;
    int64_t own_first = own->side.rows->first, other_first = other->side.rows->first;
    for (int64_t i = 0; i < own->side.rows->count && own->side.fars > 0 && !status; i++) {
        if (!own->side.far[i]) continue;
        const char *row = cpu_row(own->side.rows, i, call->unit);
        CPU(widen_row)(row, call->dims, cpu_row_dtype(own->side.rows), call->wide);
        for (int64_t j = 0; j < other->side.rows->count && !status; j++) {
            if (!search_in_mask(&other->side, j) || (skip_far && other->side.far[j])) continue;
            search_found found;
            found.value = CPU(search_value)(call->metric, call->wide, own->side.norm[i],
                                            &other->side, j, call->unit, HUGE_VAL);
            if (found.value != found.value) continue;
            const alcore_sys_best *best = own->best;
            if (best) {
                found.row = other_first + j;
                CPU(search_join)
                (best->row + i * best->k, best->value + i * best->k, best->k, &found, 1,
                 call->metric);
            }
            best = other->best;
            if (best) {
                found.row = own_first + i;
                CPU(search_join)
                (best->row + j * best->k, best->value + j * best->k, best->k, &found, 1,
                 call->metric);
            }
            status = alcore__cpu_poll(call->work, &call->spent, call->dims);
        }
    }
    return status;
}

/* Makes items first .. of the order the side's slab. */
static void take_slab(knn_call *call, knn_side *own, const knn_side *other, int64_t first) {
    int64_t left = own->ordered - first;
    own->items.count = left < own->slab ? left : own->slab;
    own->items.item = own->order + first;
    for (int64_t slab_index = 0; slab_index < sweep_padded(own->items.count, own->items.width);
         slab_index++) {
        int real = slab_index < own->items.count;
        own->offset[slab_index] = real ? own->side.offset[own->items.item[slab_index]] : HUGE_VALF;
        own->tile_min[slab_index] = own->min_score[slab_index] =
            real && own->best ? -FLT_MAX : HUGE_VALF;
        if (!real || !own->best) continue;
        if (own->slack) {
            double norm = filter_norm(call, &own->side, own->items.item[slab_index]);
            own->slack[slab_index] = prune_slack(&call->prune) * norm * other->side.limit +
                                     own_error(call, own, other, own->items.item[slab_index]);
        }
        own->held[slab_index] = 0;
        raise_to_list(call, own, other, slab_index);
    }
}

/* Computes the candidates of all items of the slab in double, at the end of a slab of rows or of
 * the sweep. */
static alcore_status rerank_all(knn_call *call, knn_side *own, const knn_side *other) {
    alcore_status status = ALCORE_OK;
    for (int64_t slab_index = 0; own->best && slab_index < own->items.count && !status;
         slab_index++) {
        if (own->held[slab_index] > own->best->k) make_room(call, own, other, slab_index);
        rerank(call, own, other, slab_index);
        status = alcore__cpu_poll(call->work, &call->spent, 0);
    }
    return status;
}

/* Packs the items of the slab for the sweep. */
static void pack_slab(knn_call *call, knn_side *own, int scaled) {
    if (call->prune.leading > 0) {
        prune_pack(&call->prune, &own->items, &own->side, scaled, call->staged, own->floats,
                   own->leading);
    } else {
        sweep_pack(&own->items, &own->side, scaled, call->staged);
    }
}

/* Numbers of 32 bits of an item as the sweep sees it. */
static int64_t packed_numbers(const knn_call *call) {
    if (call->prune.leading > 0) return call->prune.leading + 1;
    return sweep_numbers(&call->rows.items, call->dims);
}

/* All slabs of queries against all slabs of rows. A slab of queries stays packed while every slab
 * of rows passes; rows are reranked after their slab, because their candidates are positions in it,
 * queries after all rows have passed. */
static alcore_status sweep(knn_call *call) {
    knn_side *rows = &call->rows, *queries = &call->queries;
    int64_t numbers = packed_numbers(call);
    if (call->prune.leading > 0) prune_pack_basis(&call->prune, call->dims);
    sweep_tile tile = !rows->best ? look_queries : !queries->best ? look_rows : look_both;
    alcore_status status = ALCORE_OK;
    for (int64_t q = 0; q < queries->ordered && !status; q += queries->slab) {
        take_slab(call, queries, rows, q);
        pack_slab(call, queries, call->metric == ALCORE_SYS_COSINE);
        for (int64_t r = 0; r < rows->ordered && !status; r += rows->slab) {
            take_slab(call, rows, queries, r);
            pack_slab(call, rows, 0);
            status = sweep_products(call->work, &rows->items, &queries->items, numbers,
                                    call->products, &call->spent, tile, call);
            if (!status) status = rerank_all(call, rows, queries);
        }
        if (!status) status = rerank_all(call, queries, rows);
    }
    return status;
}

/* Decides how many items of a dataset fit in a slab (the cache), and how many candidates each may
 * have between two refusals: 2 k + 48, so that one selection pays for k + 48 of them. */
static void size_side(const knn_call *call, knn_side *own, int64_t width) {
    int64_t each = packed_numbers(call) * 4 + 1;
    if (call->prune.leading > 0) each += (call->dims + call->prune.padded) * 4;
    if (own->best) {
        own->capacity = 2 * own->best->k + 48;
        each += own->capacity * 8;
    }
    own->items.width = width;
    own->slab = sweep_slab(own->side.rows->count, each, width);
}

/* The arrays of one side out of the call's one block of memory (sweep_cut counts in a first walk
 * and hands out in a second): by item [count], by slab [slab] and by candidate [slab, capacity]. */
static void cut_side(const knn_call *call, knn_side *own, sweep_memory *memory, int weighted) {
    int64_t count = own->side.rows->count;
    own->side.norm = sweep_cut(memory, count, sizeof *own->side.norm);
    own->side.weight = weighted ? sweep_cut(memory, count, sizeof *own->side.weight) : NULL;
    own->side.offset = sweep_cut(memory, count, sizeof *own->side.offset);
    own->side.far = sweep_cut(memory, count, sizeof *own->side.far);
    own->order = sweep_cut(memory, count, sizeof *own->order);
    own->tile_min = own->min_score = sweep_cut(memory, own->slab, sizeof *own->tile_min);
    own->offset = sweep_cut(memory, own->slab, sizeof *own->offset);
    if (call->prune.leading > 0) {
        /* Whole panels of PRODUCT_ROWS are written. */
        int64_t slab = sweep_padded(own->slab, PRODUCT_ROWS);
        own->slack = sweep_cut(memory, own->slab, sizeof *own->slack);
        own->min_score = sweep_cut(memory, own->slab, sizeof *own->min_score);
        own->floats = sweep_cut(memory, own->slab * call->dims, sizeof *own->floats);
        own->leading = sweep_cut(memory, slab * call->prune.padded, sizeof *own->leading);
    }
    if (!own->best) return;
    own->held = sweep_cut(memory, own->slab, sizeof *own->held);
    own->score = sweep_cut(memory, own->slab * own->capacity, sizeof *own->score);
    own->other = sweep_cut(memory, own->slab * own->capacity, sizeof *own->other);
}

/* The arrays of the call; the order of the calls here is the layout. No filter, and so no panels,
 * for rows without or with too many components. */
static void cut_call(knn_call *call, sweep_memory *memory) {
    knn_side *rows = &call->rows, *queries = &call->queries;
    int64_t dims = call->dims, k = 0, capacity = 0;
    cut_side(call, rows, memory, call->metric == ALCORE_SYS_COSINE);
    cut_side(call, queries, memory, 0);
    for (int s = 0; s < 2; s++) {
        const knn_side *own = s ? queries : rows;
        if (own->best && own->best->k > k) k = own->best->k;
        if (own->best && own->capacity > capacity) capacity = own->capacity;
    }
    call->unit = sweep_cut(memory, dims, sizeof *call->unit);
    call->wide = sweep_cut(memory, dims, sizeof *call->wide);
    int64_t most = rows->side.rows->count;
    if (queries->side.rows->count > most) most = queries->side.rows->count;
    call->sorted = sweep_cut(memory, most, sizeof *call->sorted);
    call->scores = sweep_cut(memory, k + capacity, sizeof *call->scores);
    call->found = sweep_cut(memory, capacity, sizeof *call->found);
    if (dims == 0 || dims > SEARCH_MAX_DIMS) return;
    int64_t packed = packed_numbers(call);
    int64_t columns = call->prune.leading > 0 ? sweep_columns(packed) : sweep_most_columns(dims);
    call->products = sweep_cut(memory, PRODUCT_ROWS * columns, sizeof(float));
    call->staged = sweep_cut(memory, SWEEP_STAGED * dims, sizeof(double));
    queries->items.panels = sweep_cut(memory, queries->slab * packed, sizeof(float));
    rows->items.panels = sweep_cut(memory, rows->slab * packed, sizeof(float));
    if (call->prune.leading > 0) prune_cut(&call->prune, dims, memory);
}

/* What no call takes; checked before any memory is asked for. */
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
            return alcore__cpu_fail(work, ALCORE_E_INVALID, "a search has 1 to 1024 places");
    }
    return ALCORE_OK;
}

static sweep_view view_of(knn_side *own) {
    return (sweep_view){&own->items, &own->side, own->order, own->ordered,
                        own->best ? own->best->k : 0};
}

/* Kernel table: the k best queries of each row and the k best rows of each query (either may be
 * NULL), in one sweep. row and value [items, k] of a best come in with the best so far (row -1:
 * none), so that a matrix may be passed in parts. Items that float32 cannot hold are compared in
 * double first; the others go through the filter. */
alcore_status CPU(knn)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const alcore_sys_rows *queries,
                       const uint8_t *query_mask, const alcore_sys_search *search,
                       const alcore_sys_best *query_best, const alcore_sys_best *row_best) {
    alcore_status status = check(work, rows, queries, search, query_best, row_best);
    if (status || rows->count == 0 || queries->count == 0 || (!query_best && !row_best))
        return status;
    int64_t dims = rows->dims;
    knn_call call = {.work = work, .metric = search->metric, .dims = dims};
    call.rows.side = (search_side){.rows = rows, .mask = mask};
    call.rows.best = row_best;
    call.queries.side = (search_side){.rows = queries, .mask = query_mask};
    call.queries.best = query_best;
    call.prune = prune_begin(search, dims);
    size_side(&call, &call.rows, PRODUCT_ROWS);
    size_side(&call, &call.queries, PRODUCT_COLUMNS);
    sweep_memory memory = {0};
    cut_call(&call, &memory);
    int64_t bytes = memory.used;
    status = alcore__cpu_new(work, bytes, 1, &memory.base);
    if (status) return status;
    memory.used = 0;
    cut_call(&call, &memory);
    CPU(search_measure)(&call.rows.side, call.metric, call.unit, call.sorted);
    CPU(search_measure)(&call.queries.side, call.metric, call.unit, call.sorted);
    status = compare_far(&call, &call.rows, &call.queries, 0);
    if (!status) status = compare_far(&call, &call.queries, &call.rows, 1);
    call.rows.ordered = CPU(search_order)(&call.rows.side, call.rows.order);
    call.queries.ordered = CPU(search_order)(&call.queries.side, call.queries.order);
    if (call.prune.leading == 0) {
        sweep_view views[] = {view_of(&call.rows), view_of(&call.queries)};
        sweep_choose(&views[0], &views[1], call.metric, call.wide, call.unit);
    }
    if (!status) status = sweep(&call);
    alcore__cpu_free(work, memory.base, bytes, 1);
    return status;
}
