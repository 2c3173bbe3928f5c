/* SPDX-License-Identifier: Apache-2.0 */
/* Exact nearest neighbors in both directions (knn) with a filter in half precision on tensor cores
 * (spec 1.3, 1.8; error bound: cuda_filter.cuh).
 *
 * The rows of a chunk and the queries of a part (the rows, or queries, that are on the device at a
 * time) are two sets of items; each item whose neighbors are wanted keeps
 *   - its k best so far, with values in double, the best first: the value of a pair is its squared
 *     distance (the smallest is best), dot product or cosine (the largest is best);
 *   - a list of candidates: items of the other set that the filter could not discard, each with an
 *     upper bound of its score. The score of item y for item x is x.y - |y|^2 / 2 for distances,
 *     which orders the y as -|x - y|^2 does, else the value itself; the larger the better;
 *   - min_score: a candidate with a lower score is truly worse than k others.
 *
 * Rows and queries are compared in steps (item_range of rows x item_range of queries). In each step
 * candidates_kernel appends to the lists of both sets; then rerank_kernel, a block an item, raises
 * min_score to the k-th best lower bound, drops the candidates below it, and computes the rest in
 * double when the list is nearly full or the items it refers to are about to leave the device. An
 * item whose list overflowed is compared with all others of that step in double. The order in which
 * threads append changes when a bound is raised, never the result. Cost: rows x queries x dims
 * multiply-adds in half precision, a few values in double an item. */
#include "cuda_filter.cuh"
#include "cuda_search.cuh"

namespace alcore_cuda {

namespace {
/* The rows of a chunk or the queries of a part, on the device; passed to kernels by value. */
struct item_set {
    int64_t count;         /* items */
    exact_rows exact;      /* rows of a chunk, to be read in double; not used with vectors */
    const double *vectors; /* [items, dims] queries in double; NULL: the items are rows */
    const double *norms;   /* [items] L2, not squared */
    half_rows half;        /* the items in half precision, and stats [items] for the error bound */
    const uint8_t *mask;   /* [items]; NULL: all take part */
    int64_t first_row;     /* pool row of the first item */
    int k;                 /* neighbors wanted; 0: none, and what follows is unused */
    int capacity;          /* entries of a list */
    float *min_score;      /* [items] min_score, minus infinity while fewer than k are known */
    int *candidate_count;  /* [items] candidates so far; above capacity: some were lost */
    int *earlier_count;    /* [items] candidates before the present step */
    scored_other *list;    /* [items, capacity] candidates: index in the other set, upper bound */
    int64_t *rows;         /* [items, k] pool rows of the k best so far; -1: none */
    double *values;        /* [items, k] their values */

    /* Copies the k best of an item to shared memory, and back (cuda_top_k.cuh). */
    __device__ void load_best(int64_t item, top_entry *memory) const {
        load_entries(memory, k, rows + item * k, values + item * k);
    }
    __device__ void store_best(int64_t item, const top_entry *memory) const {
        store_entries(memory, k, rows + item * k, values + item * k);
    }
};

/* Capacity of the candidate list: with the k best it must fit the SORTED (2048) entries that a
 * block can sort, which limits it from k = 647 on; k is at most 1024, so it is never below k. */
inline int list_capacity(int k) {
    int capacity = 2 * k + 108;
    return capacity < SORTED - k ? capacity : SORTED - k;
}

/* A lower bound of the score that corresponds to a value of the metric, for an item of norm `norm`
 * (not squared): for distances (|item|^2 - value) / 2, less 2^-40 of the terms for rounding; minus
 * infinity, which bounds nothing, where that is NaN. Other metrics: the value. */
__device__ inline double score_of_value(double value, double norm, int32_t metric) {
    if (metric != ALCORE_SYS_L2) return value;
    double square = norm * norm;
    double score = (square - value) / 2.0 - 0x1p-40 * (square + value);
    return score == score ? score : -HUGE_VAL;
}

/* A lower bound of the true score of a candidate, from its upper bound `score` and the stats of the
 * item and of the candidate: the upper bound lies at most twice filter_error above the product, and
 * half_square was stored a little smaller (2^-20 of itself). */
__device__ inline double lower_score(float score, const half_stats &items,
                                     const half_stats &other) {
    double error = (double)filter_error(items, other) * (1.0 + 0x1p-20);
    return (double)score - 2.0 * error - 0x1p-19 * (double)other.half_square;
}

/* Raises *min_score to `score` rounded down to a float, if that is larger. */
__device__ inline void raise_min_score(float *min_score, double score) {
    float below = float_below(score);
    if (below > *min_score) *min_score = below;
}

/* Before the first step: a thread has an item, whose min_score starts at the score of the last of
 * its k best so far, if there are k, and whose list is empty. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    begin_kernel(item_set items, int32_t metric) {
    int64_t i = thread_index();
    if (i >= items.count) return;
    int64_t last = (i + 1) * items.k - 1; /* the worst of the k best of item i; free while row -1 */
    float min_score = -HUGE_VALF;
    if (items.rows[last] >= 0)
        raise_min_score(&min_score, score_of_value(items.values[last], items.norms[i], metric));
    items.min_score[i] = min_score;
    items.candidate_count[i] = items.earlier_count[i] = 0;
}

/* Appends item j of the other set, with `score` as upper bound, to the list of an item unless a
 * mask excludes one of them. The count goes on when the list is full, which tells rerank_kernel
 * that candidates were lost. Called by one thread, beside others that append to the same list. */
__device__ inline void add_candidate(const item_set &items, int64_t item, const item_set &other,
                                     int64_t j, float score) {
    if ((items.mask && !items.mask[item]) || (other.mask && !other.mask[j])) return;
    int entry = atomicAdd(&items.candidate_count[item], 1);
    if (entry < items.capacity) items.list[item * items.capacity + entry] = {score, (int32_t)j};
}

/* The items first .. end - 1 of a set (0: the first of the chunk or part): what one step compares.
 */
struct item_range {
    int64_t first, end;
};

/* First kernel of a step, the items a_range of a (rows) against b_range of b (queries), each stored
 * as `units` units of 8 float16 components: a block computes one tile of products (blockIdx.x
 * counts tiles, those of the same rows first) and appends the pairs that pass to the lists of both
 * sets. Items behind the end of a range are read as the last one and ignored. A thread has the
 * products of 8 rows (counted by p) with 8 queries (q); it compares each with min_score of either
 * item; comparisons are negated, so that a NaN becomes a candidate. */
static __global__ void __launch_bounds__(TILE_THREADS)
    candidates_kernel(item_set a, item_set b, item_range a_range, item_range b_range,
                      int64_t units) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    int64_t across = (b_range.end - b_range.first + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t row = a_range.first + blockIdx.x / across * TILE_ROWS;
    int64_t other = b_range.first + blockIdx.x % across * TILE_OTHERS;
    auto line = [&](int n) {
        int64_t i = n < TILE_ROWS ? row + n : other + n - TILE_ROWS;
        int64_t last = (n < TILE_ROWS ? a_range.end : b_range.end) - 1;
        return (n < TILE_ROWS ? a.half.units : b.half.units) + (i < last ? i : last) * units;
    };
    tile_sums sums;
    tile_products(memory, line, units, a_range.end - row, b_range.end - other, &sums);
    if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
#pragma unroll
    for (int p = 0; p < WARP_DOWN * 2; p++) {
        int64_t i = row + product_row(p);
        if (i >= a_range.end) continue;
        half_stats x = a.half.stats[i];
        float min_score = a.k ? a.min_score[i] : HUGE_VALF;
#pragma unroll
        for (int q = 0; q < WARP_ACROSS * 2; q++) {
            int64_t j = other + product_other(q);
            if (j >= b_range.end) continue;
            half_stats y = b.half.stats[j];
            float upper = filter_upper(sums.product(p, q), x, y);
            float a_score = upper - y.half_square, b_score = upper - x.half_square;
            if (a.k && !(a_score < min_score)) add_candidate(a, i, b, j, a_score);
            if (b.k && !(b_score < b.min_score[j])) add_candidate(b, j, a, i, b_score);
        }
    }
}

/* The value of a pair in double, as spec 1.8 defines it; the warp calls it together. One of the two
 * sets has queries, in double, and the other rows, which are read where they are; in which order
 * they are multiplied or subtracted makes no difference to the bits. */
__device__ inline double exact_value(const item_set &items, int64_t i, const item_set &other,
                                     int64_t j, int64_t dims, int32_t metric) {
    const exact_rows &rows = items.vectors ? other.exact : items.exact;
    int64_t row = items.vectors ? j : i;
    const double *query = items.vectors ? items.vectors + i * dims : other.vectors + j * dims;
    if (metric == ALCORE_SYS_L2) return rows.sq_dist(row, query);
    double dot = rows.dot(row, query);
    if (metric == ALCORE_SYS_DOT) return dot;
    return cosine_of(dot, items.norms[i], other.norms[j]);
}

/* Raises *min_score, a register that has the same value in every thread, to the k-th largest of the
 * lower bounds that are known for an item: those of the scores of its k best so far, from their
 * exact values, and of its `count` candidates (at most its capacity), from their upper bounds. No
 * other is both (rerank_kernel), so that none counts twice. The bounds are sorted, the largest
 * first, in shared memory [SORTED], where k + capacity entries fit (list_capacity); afterwards it
 * holds nothing that is needed. others [items of the other set]: their stats. All threads of the
 * block call it. */
__device__ inline void raise_from_candidates(top_entry *memory, const item_set &items, int64_t item,
                                             const half_stats *others, int count, int32_t metric,
                                             float *min_score) {
    half_stats stats = items.half.stats[item];
    double norm = items.norms[item];
    for (int t = (int)threadIdx.x; t < items.k + count; t += SELECT_THREADS) {
        top_entry bound = {0.0 /* value */, -1 /* row: none yet; t just tells bounds apart */};
        if (t >= items.k) {
            scored_other c = items.list[item * items.capacity + t - items.k];
            bound = {lower_score(c.score, stats, others[c.other]), t};
        } else if (items.rows[item * items.k + t] >= 0) {
            bound = {score_of_value(items.values[item * items.k + t], norm, metric), t};
        }
        if (!(bound.value > -HUGE_VAL)) bound.row = -1; /* minus infinity or NaN: no bound */
        memory[t] = bound;
    }
    __syncthreads();
    join_entries(memory, items.k, count, true /* the largest first */);
    if (memory[items.k - 1].row >= 0) raise_min_score(min_score, memory[items.k - 1].value);
    __syncthreads();
}

/* Drops those of the `count` candidates of an item whose upper bound is below min_score; the others
 * move to the front of the list, in any order. Returns how many stay, to every thread of the block,
 * which all call it. memory [SORTED], kept [1]: shared memory that this may overwrite. */
__device__ inline int drop_candidates(top_entry *memory, int *kept, const item_set &items,
                                      int64_t item, int count, float min_score) {
    scored_other *list = items.list + item * items.capacity;
    if (threadIdx.x == 0) kept[0] = 0;
    __syncthreads();
    for (int t = (int)threadIdx.x; t < count; t += SELECT_THREADS) {
        scored_other c = list[t];
        if (!(c.score < min_score)) memory[atomicAdd(&kept[0], 1)] = {(double)c.score, c.other};
    }
    __syncthreads();
    for (int t = (int)threadIdx.x; t < kept[0]; t += SELECT_THREADS)
        list[t] = {(float)memory[t].value, (int32_t)memory[t].row};
    __syncthreads();
    return kept[0];
}

/* Compares an item with all others of a range in double and updates its k best; for an item that
 * has lost candidates. The whole block calls it. memory [SORTED], newcomers [1]: shared;
 * newcomers[0] is 0 before and after. */
__device__ inline void compare_with_all(top_entry *memory, int *newcomers, const item_set &items,
                                        int64_t item, const item_set &other,
                                        const item_range &others, int64_t dims, int32_t metric) {
    bool largest = metric != ALCORE_SYS_L2;
    if (threadIdx.x == 0) CUDA_COUNT(FALL_BACKS);
    items.load_best(item, memory);
    __syncthreads();
    auto gather = [&](int64_t base, const top_entry &last) {
        for (int t = (int)threadIdx.x / CUDA_LANES; t < SELECT_THREADS;
             t += SELECT_THREADS / CUDA_LANES) {
            int64_t j = base + t;
            if (j >= others.end || (other.mask && !other.mask[j])) continue;
            top_entry found = {exact_value(items, item, other, j, dims, metric),
                               other.first_row + j};
            if (lane_id() == 0 && found.value == found.value && nearer(found, last, largest))
                memory[items.k + atomicAdd(&newcomers[0], 1)] = found;
        }
    };
    join_others(memory, newcomers, items.k, others.first, others.end, largest, gather);
    items.store_best(item, memory);
    __syncthreads();
}

/* Computes the `count` candidates of an item in double and updates its k best and *min_score, a
 * register that has the same value in every thread. The whole block calls it. memory [SORTED]:
 * shared. */
__device__ inline void decide_candidates(top_entry *memory, const item_set &items, int64_t item,
                                         const item_set &other, int count, int64_t dims,
                                         int32_t metric, float *min_score) {
    int k = items.k;
    items.load_best(item, memory);
    for (int t = (int)threadIdx.x / CUDA_LANES; t < count; t += SELECT_THREADS / CUDA_LANES) {
        int64_t j = items.list[item * items.capacity + t].other;
        double value = exact_value(items, item, other, j, dims, metric);
        if (lane_id() != 0) continue;
        CUDA_COUNT(DECIDED_PAIRS);
        memory[k + t] = {value, value == value ? other.first_row + j : -1 /* NaN: unused */};
    }
    __syncthreads();
    join_entries(memory, k, count, metric != ALCORE_SYS_L2);
    items.store_best(item, memory);
    if (memory[k - 1].row >= 0)
        raise_min_score(min_score, score_of_value(memory[k - 1].value, items.norms[item], metric));
}

/* Second kernel of a step: block b has item items_range.first + b of `items` and shortens its list.
 * An item without new candidates is left as it is. Else it raises min_score, drops the candidates
 * below, and computes the rest in double when more than three quarters of the list remain or, with
 * items_leave, because the candidates leave the device. When candidates were lost (a count above
 * the capacity), the item is first compared with all of other_range in double, and only the
 * candidates of earlier steps stay in the list. A pair meets in one step of the call only, so none
 * of these others is among the k best already, and what becomes one of these leaves the list: no
 * other is both among the k best and a candidate. items_range, other_range: the items that the step
 * compared. */
static __global__ void __launch_bounds__(SELECT_THREADS, CUDA_BLOCKS)
    rerank_kernel(item_set items, item_range items_range, item_set other, item_range other_range,
                  int64_t dims, int32_t metric, bool items_leave) {
    CUDA_SHARED(top_entry, memory, SORTED);
    CUDA_SHARED(int, newcomers, 1);
    int64_t item = items_range.first + blockIdx.x;
    if (items.mask && !items.mask[item]) return;
    int count = items.candidate_count[item], earlier_count = items.earlier_count[item];
    if (count == earlier_count && !(items_leave && earlier_count > 0)) return;
    float min_score = items.min_score[item];
    if (threadIdx.x == 0) newcomers[0] = 0;
    if (count > items.capacity) {
        compare_with_all(memory, newcomers, items, item, other, other_range, dims, metric);
        count = earlier_count;
    }
    raise_from_candidates(memory, items, item, other.half.stats, count, metric, &min_score);
    count = drop_candidates(memory, newcomers, items, item, count, min_score);
    if (count > 0 && (items_leave || 4 * count > 3 * items.capacity)) {
        decide_candidates(memory, items, item, other, count, dims, metric, &min_score);
        count = 0;
    }
    if (threadIdx.x != 0) return;
    items.min_score[item] = min_score;
    items.candidate_count[item] = items.earlier_count[item] = count;
}

/* The most rows of a step: MAX_STEP, or with fewer queries as many as have MAX_STEP * MAX_STEP
 * pairs with them, but at most MAX_FEW_STEP. Queries, which all rows meet, are converted once where
 * they fit a part: as many as one launch may compare with MAX_STEP rows. `queries`: those of a
 * part, 1 or more, as a call without any has no filter (filter_pays()). */
const int64_t MAX_STEP = 4096, MAX_FEW_STEP = 16 * MAX_STEP;
int64_t max_rows(int64_t queries) {
    return std::max(MAX_STEP, std::min(MAX_STEP * MAX_STEP / queries, MAX_FEW_STEP));
}
/* The most queries of a part, with which MAX_STEP rows are compared in one launch. */
int64_t max_queries(int64_t dims) {
    return std::max<int64_t>(LAUNCH_HALVES / (MAX_STEP * std::max<int64_t>(dims, 1)), MAX_STEP);
}

/* How many items of the other set the next step compares after `seen` of them: half a list of
 * `capacity` candidates at first, then as many as were compared so far, because in random order
 * about k of the next n items are better than the k-th best of the first n. Never 0: a list has
 * more than a hundred entries. */
int64_t step_after(int64_t seen, int capacity) {
    return seen < capacity ? capacity / 2 : seen;
}

/* Bytes of device memory for the list of an item, its min_score and both counts; k 0: none. */
size_t list_bytes(int k) {
    size_t list = (size_t)list_capacity(k) * sizeof(scored_other) + sizeof(float) + 2 * sizeof(int);
    return k ? list : 0;
}

/* Sets the pointers of *out, whose k is set, into device memory of count * list_bytes() bytes, for
 * `count` items; nothing is written there. begin_kernel fills it. */
void lay_out_lists(item_set *out, char *memory, int64_t count) {
    if (!out->k) return;
    out->capacity = list_capacity(out->k);
    out->list = (scored_other *)memory;
    out->min_score = (float *)(out->list + count * out->capacity);
    out->candidate_count = (int *)(out->min_score + count);
    out->earlier_count = out->candidate_count + count;
}

/* Launches begin_kernel for a set whose neighbors are wanted. */
void begin_items(const search_call &s, const item_set &items) {
    if (items.k)
        CUDA_LAUNCH(begin_kernel, blocks_for(items.count, CUDA_THREADS), CUDA_THREADS, s.c.compute,
                    items, s.metric);
}

/* All rows of a chunk against all queries of a part, step by step; at the end all lists are empty.
 * seen_rows, seen_queries: how many of each came before in this call. The queries' k best have been
 * compared with those rows, the rows' with those queries, so the steps may begin larger. */
void search_part(const search_call &s, const item_set &rows, const item_set &queries,
                 int64_t seen_rows, int64_t seen_queries) {
    int64_t dims = s.rows->dims, units = half_units(dims);
    begin_items(s, rows);
    begin_items(s, queries);
    for (item_range a = {0, 0}; a.first < rows.count; a.first = a.end) {
        a.end = rows.count;
        if (queries.k)
            a.end = std::min(a.end, a.first + step_after(seen_rows + a.first, queries.capacity));
        for (item_range b = {0, 0}; b.first < queries.count; b.first = b.end) {
            b.end = queries.count;
            if (rows.k)
                b.end =
                    std::min(b.end, b.first + step_after(seen_queries + b.first, rows.capacity));
            int64_t tiles = (int64_t)blocks_for(a.end - a.first, TILE_ROWS) *
                            blocks_for(b.end - b.first, TILE_OTHERS);
            CUDA_LAUNCH(candidates_kernel, (unsigned)tiles, TILE_THREADS, s.c.compute, rows,
                        queries, a, b, units);
            /* The last argument, items_leave: no step with these items of the other set follows. */
            if (queries.k)
                CUDA_LAUNCH(rerank_kernel, (unsigned)(b.end - b.first), SELECT_THREADS, s.c.compute,
                            queries, b, rows, a, dims, s.metric, a.end == rows.count);
            if (rows.k)
                CUDA_LAUNCH(rerank_kernel, (unsigned)(a.end - a.first), SELECT_THREADS, s.c.compute,
                            rows, a, queries, b, dims, s.metric, b.end == queries.count);
            s.c.launched();
            s.c.poll();
        }
    }
}
} // namespace

/* A whole search: queries are converted in parts that stay on the device, rows pass in chunks of at
 * most max_rows(). Lists live while a chunk meets a part: their entries refer to both. */
void filtered_search(const search_call &s) {
    int64_t dims = s.rows->dims;
    item_set rows = item_set(), queries = item_set();
    rows.k = s.row_k;
    queries.k = s.query_k;
    operand_parts others(s.c, s.queries, max_queries(dims), true /* filters */, s.metric,
                         list_bytes(queries.k));
    queries.half = others.half;
    lay_out_lists(&queries, others.extra, others.step);
    pipeline pass(s.c, s.rows->count);
    pass.limit_rows(max_rows(others.step));
    half_column halves(s.c, pass, s.rows, s.metric);
    int matrix = pass.rows(s.rows), mask_column = pass.row_mask(s.mask);
    int lists = pass.scratch(list_bytes(rows.k));
    size_t width = (size_t)rows.k * sizeof(double);
    int best_rows = pass.inout(rows.k ? s.row_best->row : nullptr, width);
    int best_values = pass.inout(rows.k ? s.row_best->value : nullptr, width);
    pass.run([&](const chunk &piece) {
        row_set set = chunk_rows(piece, s.rows, matrix);
        conversion converted = halves.of(piece, set);
        rows.exact = {set, s.rows->dtype};
        rows.count = piece.count;
        rows.norms = converted.norms;
        rows.half = converted.half;
        lay_out_lists(&rows, piece.get<char>(lists), piece.count);
        rows.mask = piece.get<const uint8_t>(mask_column);
        rows.first_row = s.rows->first + piece.first;
        rows.rows = piece.get<int64_t>(best_rows);
        rows.values = piece.get<double>(best_values);
        for (int64_t first = 0, count; first < s.queries->count; first += count) {
            count = others.part(first);
            queries.vectors = others.wide;
            queries.norms = others.norms;
            queries.count = count;
            queries.mask = s.query_mask ? s.query_mask + first : nullptr;
            queries.first_row = s.queries->first + first;
            queries.rows = s.query_rows + first * queries.k;
            queries.values = s.query_values + first * queries.k;
            search_part(s, rows, queries, piece.first, first);
        }
    });
}

} // namespace alcore_cuda
