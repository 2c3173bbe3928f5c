/* SPDX-License-Identifier: Apache-2.0 */
/* Exact nearest neighbors in both directions with a filter in half precision on tensor cores
 * (spec 1.3, 1.8).
 *
 * An item of either side that wants neighbors keeps its k best so far, with exact values, and a
 * list of candidates that the filter could not refuse, each with a score that is an upper bound of
 * the truth (for distances x.y - |y|^2 / 2, otherwise the value itself). `min_score` is what a
 * candidate must reach: below it, k others are truly better.
 *
 * For each tile of rows and others: products by tensor cores append to the lists; the k-th best
 * score minus its error raises min_score and refuses candidates. What remains is computed in double
 * (rerank) before the rows leave the device, or when a list is nearly full. An item whose list
 * overflows is compared with all others of that tile in double. The order in which threads append
 * changes which bound is known when, never the result. Cost: rows x others x dims multiply-adds in
 * half precision, a few exact values an item. */
#include "cuda_filter.cuh"
#include "cuda_search.cuh"

namespace alcore_cuda {

namespace {
/* The rows of a chunk or the queries of a part, on the device, each of them an item. */
struct item_side {
    value_side wide;
    half_rows half;
    const uint8_t *mask; /* [items]; NULL: all */
    int64_t number;      /* number of the first item in its matrix */
    /* For items whose neighbors are wanted; k is 0 otherwise. */
    int k, capacity;
    float *least;       /* [items] minimum score of a candidate (min_score above) */
    int *found;         /* [items] candidates so far; above capacity: some were lost */
    int *held;          /* [items] those from before the present tile */
    scored_other *list; /* [items, capacity] */
    int64_t *rows;      /* [items, k] */
    double *values;     /* [items, k] */
};

/* Capacity of an item's list: with its k best it must fit into the SORTED entries of a block. */
inline int room_for(int k) {
    int capacity = 2 * k + 108;
    return capacity < SORTED - k ? capacity : SORTED - k;
}

/* A lower bound of the score of a normative value; for distances it is half of |item|^2 - value. */
__device__ inline double score_of(double value, double norm, int32_t metric) {
    if (metric != ALCORE_SYS_L2) return value;
    double own = norm * norm;
    double score = (own - value) / 2.0 - 0x1p-40 * (own + value);
    return score == score ? score : -HUGE_VAL;
}

/* A lower bound of the true score of a candidate, from the upper bound that the filter gave. */
__device__ inline double least_score(float score, const half_stats &own, const half_stats &other) {
    double error = (double)filter_error(own, other) * (1.0 + 0x1p-20);
    return (double)score - 2.0 * error - 0x1p-19 * (double)other.half_square;
}

__device__ inline void raise_least(float *least, double score) {
    float below = float_below(score);
    if (below > *least) *least = below;
}

/* A thread has an item: its minimum score starts at what the last of its k best so far asks for;
 * its list is empty. */
static __global__ void __launch_bounds__(CUDA_THREADS) begin_kernel(item_side own, int32_t metric) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i >= own.wide.count) return;
    int64_t last = (i + 1) * own.k - 1;
    float least = -HUGE_VALF;
    if (own.rows[last] >= 0)
        raise_least(&least, score_of(own.values[last], own.wide.norms[i], metric));
    own.least[i] = least;
    own.found[i] = own.held[i] = 0;
}

/* Appends other j to the list of an item unless a mask excludes one of them. A full list still
 * counts, which tells the rerank that some were lost. */
__device__ inline void keep(const item_side &own, int64_t item, const item_side &other, int64_t j,
                            float score) {
    if ((own.mask && !own.mask[item]) || (other.mask && !other.mask[j])) return;
    int at = atomicAdd(&own.found[item], 1);
    if (at < own.capacity) own.list[item * own.capacity + at] = {score, (int32_t)j};
}

/* Items first .. end - 1: those that one tile of launches compares. */
struct stretch {
    int64_t first, end;
};

/* A block lists the candidates of a tile of products. Comparisons are written so that a NaN becomes
 * a candidate. */
static __global__ void __launch_bounds__(TILE_THREADS)
    candidates_kernel(item_side a, item_side b, stretch of_a, stretch of_b, int64_t units) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    int64_t across = (of_b.end - of_b.first + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t row = of_a.first + blockIdx.x / across * TILE_ROWS;
    int64_t other = of_b.first + blockIdx.x % across * TILE_OTHERS;
    auto line = [&](int n) {
        int64_t i = n < TILE_ROWS ? row + n : other + n - TILE_ROWS;
        int64_t last = (n < TILE_ROWS ? of_a.end : of_b.end) - 1;
        return (n < TILE_ROWS ? a.half.units : b.half.units) + (i < last ? i : last) * units;
    };
    tile_sums sums;
    tile_products(memory, line, units, of_a.end - row, of_b.end - other, &sums);
    if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
#pragma unroll
    for (int p = 0; p < WARP_DOWN * 2; p++) {
        int64_t i = row + tile_row(p / 2, p % 2 * 2);
        if (i >= of_a.end) continue;
        half_stats x = a.half.stats[i];
        float least = a.k ? a.least[i] : HUGE_VALF;
#pragma unroll
        for (int q = 0; q < WARP_ACROSS * 2; q++) {
            int64_t j = other + tile_other(q / 2, q % 2);
            if (j >= of_b.end) continue;
            half_stats y = b.half.stats[j];
            float most = filter_most(sums.of[p / 2][q / 2][p % 2 * 2 + q % 2], x, y);
            float of_row = most - y.half_square, of_other = most - x.half_square;
            if (a.k && !(of_row < least)) keep(a, i, b, j, of_row);
            if (b.k && !(of_other < b.least[j])) keep(b, j, a, i, of_other);
        }
    }
}

/* The normative value of two rows; a warp calls it together. */
__device__ inline double exact_value(const item_side &own, int64_t i, const item_side &other,
                                     int64_t j, int64_t dims, int32_t metric) {
    const double *x = own.wide.rows + i * dims, *y = other.wide.rows + j * dims;
    if (metric == ALCORE_SYS_L2) return row_sq_dist(x, y, dims);
    double dot = row_dot(x, y, dims);
    if (metric == ALCORE_SYS_DOT) return dot;
    return cosine_of(dot, own.wide.norms[i], other.wide.norms[j]);
}

/* Puts the places that an item has and the least scores of its candidates in order, and raises
 * `least` to the k-th. */
__device__ inline void raise_by_candidates(top_entry *memory, const item_side &own, int64_t item,
                                           const half_stats *others, int count, int32_t metric,
                                           float *least) {
    half_stats stats = own.half.stats[item];
    double norm = own.wide.norms[item];
    for (int t = (int)threadIdx.x; t < own.k + count; t += SELECT_THREADS) {
        top_entry here = {0.0, -1};
        if (t >= own.k) {
            scored_other c = own.list[item * own.capacity + t - own.k];
            here = {least_score(c.score, stats, others[c.other]), t};
        } else if (own.rows[item * own.k + t] >= 0) {
            here = {score_of(own.values[item * own.k + t], norm, metric), t};
        }
        if (!(here.value > -HUGE_VAL)) here.row = -1; /* tells nothing */
        memory[t] = here;
    }
    __syncthreads();
    join_places(memory, own.k, count, true);
    if (memory[own.k - 1].row >= 0) raise_least(least, memory[own.k - 1].value);
    __syncthreads();
}

/* Drops the candidates below `least`; returns how many stay, in order in memory and in the list. */
__device__ inline int drop_candidates(top_entry *memory, int *kept, const item_side &own,
                                      int64_t item, int count, float least) {
    scored_other *list = own.list + item * own.capacity;
    if (threadIdx.x == 0) kept[0] = 0;
    __syncthreads();
    for (int t = (int)threadIdx.x; t < count; t += SELECT_THREADS) {
        scored_other c = list[t];
        if (!(c.score < least)) memory[atomicAdd(&kept[0], 1)] = {(double)c.score, c.other};
    }
    __syncthreads();
    for (int t = (int)threadIdx.x; t < kept[0]; t += SELECT_THREADS)
        list[t] = {(float)memory[t].value, (int32_t)memory[t].row};
    __syncthreads();
    return kept[0];
}

/* A block has one item and reduces its list after a tile of launches, whose others are of_other: it
 * raises the minimum score, drops candidates below it, and computes the rest in double when the
 * list is nearly full or, with `finally`, before the rows leave the device. */
static __global__ void __launch_bounds__(SELECT_THREADS)
    rerank_kernel(item_side own, stretch of_own, item_side other, stretch of_other, int64_t dims,
                  int32_t metric, bool finally) {
    CUDA_SHARED(top_entry, memory, SORTED);
    CUDA_SHARED(int, newcomers, 1);
    int64_t item = of_own.first + blockIdx.x;
    if (own.mask && !own.mask[item]) return;
    int count = own.found[item], held = own.held[item];
    if (count == held && !(finally && held > 0)) return;
    int warp = (int)threadIdx.x / CUDA_LANES, k = own.k;
    bool largest = metric != ALCORE_SYS_L2;
    int64_t *rows = own.rows + item * k;
    double *values = own.values + item * k, norm = own.wide.norms[item];
    float least = own.least[item];
    if (threadIdx.x == 0) newcomers[0] = 0;
    if (count > own.capacity) {
        if (threadIdx.x == 0) CUDA_COUNT(FALL_BACKS);
        load_entries(memory, k, rows, values);
        __syncthreads();
        auto gather = [&](int64_t base, const top_entry &last) {
            for (int t = warp; t < SELECT_THREADS; t += SELECT_THREADS / CUDA_LANES) {
                int64_t j = base + t;
                if (j >= of_other.end || (other.mask && !other.mask[j])) continue;
                top_entry here = {exact_value(own, item, other, j, dims, metric), other.number + j};
                if (lane_here() == 0 && here.value == here.value && nearer(here, last, largest))
                    memory[k + atomicAdd(&newcomers[0], 1)] = here;
            }
        };
        join_others(memory, newcomers, k, of_other.first, of_other.end, largest, gather);
        store_entries(memory, k, rows, values);
        count = held;
        __syncthreads();
    }
    raise_by_candidates(memory, own, item, other.half.stats, count, metric, &least);
    count = drop_candidates(memory, newcomers, own, item, count, least);
    if (count > 0 && (finally || 4 * count > 3 * own.capacity)) {
        load_entries(memory, k, rows, values);
        for (int t = warp; t < count; t += SELECT_THREADS / CUDA_LANES) {
            int64_t j = own.list[item * own.capacity + t].other;
            double value = exact_value(own, item, other, j, dims, metric);
            if (lane_here() != 0) continue;
            CUDA_COUNT(DECIDED_PAIRS);
            memory[k + t] = {value, value == value ? other.number + j : -1};
        }
        __syncthreads();
        join_places(memory, k, count, largest);
        store_entries(memory, k, rows, values);
        if (memory[k - 1].row >= 0)
            raise_least(&least, score_of(memory[k - 1].value, norm, metric));
        count = 0;
    }
    if (threadIdx.x != 0) return;
    own.least[item] = least;
    own.found[item] = own.held[item] = count;
}

/* Rows of a tile of launches at most. */
const int64_t STRETCH = 4096;

/* How many others a tile of launches takes after `seen` of them: as many as the lists hold, then
 * twice as many as before each time, since of the next n others of n about k are among the best. */
int64_t stretch_after(int64_t seen, int capacity) {
    return seen < capacity ? capacity / 2 : seen;
}

/* Bytes of device memory for an item besides its components. */
size_t item_bytes(int64_t dims, int k) {
    size_t list = (size_t)room_for(k) * sizeof(scored_other) + sizeof(float) + 2 * sizeof(int);
    return half_bytes(dims) + (k ? list : 0);
}

/* Cuts memory for `count` items. */
void cut_items(item_side *out, char *memory, int64_t count, int64_t dims) {
    out->half = cut_halves(memory, count, dims);
    if (!out->k) return;
    out->capacity = room_for(out->k);
    out->list = (scored_other *)(memory + (size_t)count * half_bytes(dims));
    out->least = (float *)(out->list + count * out->capacity);
    out->found = (int *)(out->least + count);
    out->held = out->found + count;
}

void begin_items(const search_call &s, const item_side &own) {
    if (own.k)
        CUDA_LAUNCH(begin_kernel, blocks_for(own.wide.count, CUDA_THREADS), CUDA_THREADS,
                    s.c.compute, own, s.metric);
}

/* All rows of a chunk with all queries of a part. seen: rows and queries before them. */
void search_part(const search_call &s, const item_side &rows, const item_side &queries,
                 int64_t seen_rows, int64_t seen_queries) {
    int64_t dims = s.rows->dims, units = half_units(dims);
    begin_items(s, rows);
    begin_items(s, queries);
    for (stretch a = {0, 0}; a.first < rows.wide.count; a.first = a.end) {
        a.end = rows.wide.count;
        if (queries.k)
            a.end = std::min(a.end, a.first + stretch_after(seen_rows + a.first, queries.capacity));
        for (stretch b = {0, 0}; b.first < queries.wide.count; b.first = b.end) {
            b.end = queries.wide.count;
            if (rows.k)
                b.end =
                    std::min(b.end, b.first + stretch_after(seen_queries + b.first, rows.capacity));
            int64_t tiles = (int64_t)blocks_for(a.end - a.first, TILE_ROWS) *
                            blocks_for(b.end - b.first, TILE_OTHERS);
            CUDA_LAUNCH(candidates_kernel, (unsigned)tiles, TILE_THREADS, s.c.compute, rows,
                        queries, a, b, units);
            if (queries.k)
                CUDA_LAUNCH(rerank_kernel, (unsigned)(b.end - b.first), SELECT_THREADS, s.c.compute,
                            queries, b, rows, a, dims, s.metric, a.end == rows.wide.count);
            if (rows.k)
                CUDA_LAUNCH(rerank_kernel, (unsigned)(a.end - a.first), SELECT_THREADS, s.c.compute,
                            rows, a, queries, b, dims, s.metric, b.end == queries.wide.count);
            s.c.launched();
            s.c.poll();
        }
    }
}
} // namespace

/* A whole search: queries are widened and halved in parts that stay on the device, rows pass in
 * chunks of at most STRETCH. The lists of candidates belong to the rows of the chunk and to the
 * queries of the part. */
void filtered_search(const search_call &s) {
    int64_t dims = s.rows->dims;
    item_side rows = item_side(), queries = item_side();
    rows.k = s.row_k;
    queries.k = s.query_k;
    side others(s.c, s.queries, STRETCH, item_bytes(dims, queries.k));
    cut_items(&queries, others.beside, others.step, dims);
    pipeline pass(s.c, s.rows->count);
    pass.at_most(STRETCH);
    int matrix = pass.rows(s.rows), wide = pass.scratch((size_t)dims * sizeof(double));
    int norms = pass.scratch(sizeof(double)), mask_column = pass.row_mask(s.mask);
    int beside = pass.scratch(item_bytes(dims, rows.k));
    size_t width = (size_t)rows.k * sizeof(double);
    int best_rows = pass.inout(rows.k ? s.row_best->row : nullptr, width);
    int best_values = pass.inout(rows.k ? s.row_best->value : nullptr, width);
    int64_t halved = -1;
    pass.run([&](const chunk &piece) {
        rows.wide = wide_rows(s.c, piece, s.rows, matrix, wide, norms);
        cut_items(&rows, piece.get<char>(beside), piece.count, dims);
        halve(s.c, rows.wide.rows, rows.wide.norms, piece.count, dims, s.metric, rows.half);
        rows.mask = piece.get<const uint8_t>(mask_column);
        rows.number = s.rows->first + piece.first;
        rows.rows = piece.get<int64_t>(best_rows);
        rows.values = piece.get<double>(best_values);
        for (int64_t first = 0, count; first < s.queries->count; first += count) {
            count = others.part(first);
            queries.wide = {others.numbers, others.norms, count};
            if (halved != first)
                halve(s.c, others.numbers, others.norms, count, dims, s.metric, queries.half);
            halved = first;
            queries.mask = s.query_mask ? s.query_mask + first : nullptr;
            queries.number = s.queries->first + first;
            queries.rows = s.query_rows + first * queries.k;
            queries.values = s.query_values + first * queries.k;
            search_part(s, rows, queries, piece.first, first);
        }
    });
}

} // namespace alcore_cuda
