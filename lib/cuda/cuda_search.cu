/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest neighbours, both ways in one sweep, and margin ratios (spec 5.6). */
#include "cuda_entries.h"
#include "cuda_side.cuh"

namespace alcore_cuda {

namespace {
/* Rows and queries whose values are held at a time: 8 MiB of doubles each way. */
enum { TILE = 1024 };
/* Places of an item and newcomers that one block sorts. */
enum { MOST_PLACES = 1024, SORTED = 2 * MOST_PLACES, SELECT_THREADS = 128, FEW_PLACES = 256 };

struct place_of {
    double value;
    int64_t row; /* -1: none */
};

/* The order of a search: nearest first, the lower row among equals. */
__device__ inline bool nearer(const place_of &a, const place_of &b, bool largest) {
    if (a.row < 0) return false;
    if (b.row < 0) return true;
    if (a.value == b.value) return a.row < b.row;
    return largest ? a.value > b.value : a.value < b.value;
}

/* One side of the values of a tile. */
struct value_side {
    const double *rows, *norms;
    int64_t count;
};

/* A warp makes the values of 16 pairs, stored by rows, by others, or both. */
template <bool SQD>
static __global__ void __launch_bounds__(CUDA_THREADS)
    values_kernel(value_side a, value_side b, int64_t dims, bool cosine, double *by_a,
                  double *by_b) {
    int64_t across = (b.count + PAIR_SIDE - 1) / PAIR_SIDE;
    int64_t number = (int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES;
    int64_t first = number / across * PAIR_SIDE, other_first = number % across * PAIR_SIDE;
    if (first >= a.count) return;
    const double *row[PAIR_SIDE], *other[PAIR_SIDE];
    pair_rows(a.rows, first, a.count, dims, row);
    pair_rows(b.rows, other_first, b.count, dims, other);
    double value = pair_sums<SQD>(row, other, dims);
    int pair = lane_here() / 2;
    int64_t i = first + pair / PAIR_SIDE, j = other_first + pair % PAIR_SIDE;
    if (i >= a.count || j >= b.count) return;
    if (cosine) value = cosine_of(value, a.norms[i], b.norms[j]);
    if (lane_here() % 2 == 0 && by_a) by_a[i * b.count + j] = value;
    if (lane_here() % 2 == 1 && by_b) by_b[j * a.count + i] = value;
}

/* Sorts `count` places, a power of two, by nearer(). */
__device__ inline void sort_places(place_of *memory, int count, bool largest) {
    for (int size = 2; size <= count; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            for (int t = (int)threadIdx.x; t < count / 2; t += SELECT_THREADS) {
                int low = t / gap * 2 * gap + t % gap, high = low + gap;
                bool descending = (low & size) != 0;
                if (nearer(memory[descending ? low : high], memory[descending ? high : low],
                           largest)) {
                    place_of kept = memory[low];
                    memory[low] = memory[high];
                    memory[high] = kept;
                }
            }
        }
    }
    __syncthreads();
}

/* The same for a few: each place counts how many stand before it. Two barriers. */
__device__ inline void rank_places(place_of *memory, int count, bool largest) {
    place_of own[FEW_PLACES / SELECT_THREADS];
    int rank[FEW_PLACES / SELECT_THREADS];
#pragma unroll
    for (int n = 0; n < FEW_PLACES / SELECT_THREADS; n++) {
        int t = (int)threadIdx.x + n * SELECT_THREADS;
        rank[n] = count;
        if (t >= count) continue;
        own[n] = memory[t];
        rank[n] = 0;
        for (int u = 0; u < count; u++) {
            bool before = nearer(memory[u], own[n], largest);
            /* Free places are all alike. */
            if (own[n].row < 0 && memory[u].row < 0) before = u < t;
            rank[n] += before;
        }
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < FEW_PLACES / SELECT_THREADS; n++)
        if (rank[n] < count) memory[rank[n]] = own[n];
    __syncthreads();
}

/* A block joins the values of one item, values[item, others], to its best places. */
static __global__ void __launch_bounds__(SELECT_THREADS)
    join_kernel(const double *values, int64_t others, int64_t first_other, const uint8_t *item_take,
                const uint8_t *other_take, bool largest, int k, int64_t *rows, double *best) {
    CUDA_SHARED(place_of, memory, SORTED);
    CUDA_SHARED(int, newcomers, 1);
    int64_t item = blockIdx.x;
    if (item_take && !item_take[item]) return;
    for (int t = (int)threadIdx.x; t < k; t += SELECT_THREADS)
        memory[t] = {best[item * k + t], rows[item * k + t]};
    if (threadIdx.x == 0) newcomers[0] = 0;
    __syncthreads();
    place_of last = memory[k - 1];
    for (int64_t base = 0; base < others; base += SELECT_THREADS) {
        int64_t j = base + threadIdx.x;
        if (j < others && (!other_take || other_take[j])) {
            place_of here = {values[item * others + j], first_other + j};
            /* The order in which they come does not matter: they are sorted. */
            if (here.value == here.value && nearer(here, last, largest))
                memory[k + atomicAdd(&newcomers[0], 1)] = here;
        }
        __syncthreads();
        int count = newcomers[0];
        bool ends = base + SELECT_THREADS >= others;
        if (count > 0 && (ends || k + count + SELECT_THREADS > SORTED)) {
            int all = k + count, sorted = 2;
            while (sorted < all) sorted *= 2;
            if (all <= FEW_PLACES) {
                rank_places(memory, all, largest);
            } else {
                for (int t = all + (int)threadIdx.x; t < sorted; t += SELECT_THREADS)
                    memory[t] = {0.0, -1};
                sort_places(memory, sorted, largest);
            }
            last = memory[k - 1];
            if (threadIdx.x == 0) newcomers[0] = 0;
        }
        __syncthreads();
    }
    for (int t = (int)threadIdx.x; t < k; t += SELECT_THREADS) {
        if (memory[t].row < 0) continue; /* a free place stays as it is */
        best[item * k + t] = memory[t].value;
        rows[item * k + t] = memory[t].row;
    }
}

/* A warp takes four rows, its lanes keep the best ratio of one of them each. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    margin_kernel(value_side a, value_side b, int64_t dims, const uint8_t *take,
                  const uint8_t *other_take, const double *row_half, const double *other_half,
                  int64_t first_other, double *ratio, int64_t *best_other) {
    int64_t first = ((int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES) * PAIR_SIDE;
    if (first >= a.count) return;
    const double *row[PAIR_SIDE], *other[PAIR_SIDE];
    pair_rows(a.rows, first, a.count, dims, row);
    int mine = lane_here() % PAIR_SIDE;
    int64_t i = first + mine < a.count ? first + mine : a.count - 1;
    bool writes = lane_here() < PAIR_SIDE && first + mine < a.count && (!take || take[i]);
    place_of best = {0.0, -1};
    if (writes) best = {ratio[i], best_other[i]};
    for (int64_t t = 0; t < b.count; t += PAIR_SIDE) {
        pair_rows(b.rows, t, b.count, dims, other);
        double pairs = pair_sums<false>(row, other, dims);
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            double dot = pair_value(pairs, mine, k);
            int64_t j = t + k;
            if (!writes || j >= b.count || (other_take && !other_take[j])) continue;
            double divisor = row_half[i] + other_half[j];
            place_of here = {0.0, first_other + j};
            if (!(divisor <= 1e-9)) here.value = cosine_of(dot, a.norms[i], b.norms[j]) / divisor;
            if (here.value == here.value && nearer(here, best, true)) best = here;
        }
    }
    if (!writes || best.row < 0) return;
    ratio[i] = best.value;
    best_other[i] = best.row;
}

void check_sides(call &c, const alcore_sys_rows *rows, const alcore_sys_rows *others) {
    c.check_rows(rows);
    c.check_rows(others);
    if (rows->dims != others->dims)
        fail(c.work, ALCORE_E_SHAPE, "the two sides have different numbers of dimensions");
}

int checked_places(call &c, const alcore_sys_best *best) {
    if (!best) return 0;
    if (best->k < 1 || best->k > MOST_PLACES)
        fail(c.work, ALCORE_E_INVALID, "a search keeps 1 to %d places", MOST_PLACES);
    return (int)best->k;
}

/* The widened rows of a chunk, and their norms. */
value_side wide_rows(call &c, const chunk &at, const alcore_sys_rows *rows, int matrix, int wide,
                     int norms) {
    value_side made = {at.get<double>(wide), at.get<double>(norms), at.count};
    widen_chunk(at, rows, matrix, at.get<double>(wide));
    self_dots_of(c, made.rows, at.count, rows->dims, at.get<double>(norms));
    roots_of(c, at.get<double>(norms), at.count);
    return made;
}

/* Everything of one call of knn. */
struct search_call {
    call &c;
    const alcore_sys_rows *rows, *queries;
    int32_t metric;
    const uint8_t *query_take;    /* on the device */
    int row_places, query_places; /* 0: not wanted */
    int64_t *query_rows;          /* [queries, query_places], on the device */
    double *query_values;
    double *by_row, *by_query; /* values of a tile */
};

void search_tile(const search_call &s, const value_side &a, const value_side &b, int64_t first_row,
                 int64_t first_query, const uint8_t *take, int64_t *best_rows,
                 double *best_values) {
    bool largest = s.metric != ALCORE_SYS_L2, cosine = s.metric == ALCORE_SYS_COSINE;
    int64_t tiles = (a.count + PAIR_SIDE - 1) / PAIR_SIDE * ((b.count + PAIR_SIDE - 1) / PAIR_SIDE);
    unsigned blocks = blocks_for(tiles, CUDA_WARPS);
    const uint8_t *query_take = s.query_take ? s.query_take + first_query : nullptr;
    double *by_row = s.row_places ? s.by_row : nullptr,
           *by_query = s.query_places ? s.by_query : nullptr;
    if (largest)
        CUDA_LAUNCH((values_kernel<false>), blocks, CUDA_THREADS, s.c.compute, a, b, s.rows->dims,
                    cosine, by_row, by_query);
    else
        CUDA_LAUNCH((values_kernel<true>), blocks, CUDA_THREADS, s.c.compute, a, b, s.rows->dims,
                    cosine, by_row, by_query);
    if (by_row)
        CUDA_LAUNCH(join_kernel, (unsigned)a.count, SELECT_THREADS, s.c.compute, by_row, b.count,
                    s.queries->first + first_query, take, query_take, largest, s.row_places,
                    best_rows, best_values);
    if (by_query)
        CUDA_LAUNCH(join_kernel, (unsigned)b.count, SELECT_THREADS, s.c.compute, by_query, a.count,
                    s.rows->first + first_row, query_take, take, largest, s.query_places,
                    s.query_rows + first_query * s.query_places,
                    s.query_values + first_query * s.query_places);
    s.c.launched();
}
} // namespace

alcore_status knn(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *take,
                  const alcore_sys_rows *queries, const uint8_t *query_take,
                  const alcore_sys_search *search, const alcore_sys_best *of_queries,
                  const alcore_sys_best *of_rows) {
    return guarded(work, [&](call &c) {
        check_sides(c, rows, queries);
        if (search->metric < ALCORE_SYS_L2 || search->metric > ALCORE_SYS_COSINE)
            fail(work, ALCORE_E_INVALID, "a search by no known metric");
        search_call s = {c,
                         rows,
                         queries,
                         search->metric,
                         c.whole(query_take, queries->count),
                         checked_places(c, of_rows),
                         checked_places(c, of_queries),
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr};
        if (rows->count == 0 || queries->count == 0) return;
        int64_t places = queries->count * s.query_places;
        if (places > 0) {
            s.query_rows = (int64_t *)c.whole(of_queries->row, places);
            s.query_values = (double *)c.whole(of_queries->value, places);
        }
        side others(c, queries, TILE);
        pipeline pass(c, rows->count);
        pass.at_most(TILE);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)rows->dims * sizeof(double));
        int norms = pass.scratch(sizeof(double)), taken = pass.take(take);
        size_t width = (size_t)s.row_places * sizeof(double);
        int best_rows = pass.inout(s.row_places ? of_rows->row : nullptr, width);
        int best_values = pass.inout(s.row_places ? of_rows->value : nullptr, width);
        int64_t part = others.part(0); /* the largest one */
        int by_row = pass.scratch((size_t)(s.row_places ? part : 0) * sizeof(double));
        int by_query = pass.scratch((size_t)(s.query_places ? part : 0) * sizeof(double));
        pass.run([&](const chunk &at) {
            value_side a = wide_rows(c, at, rows, matrix, wide, norms);
            s.by_row = at.get<double>(by_row);
            s.by_query = at.get<double>(by_query);
            for (int64_t first = 0, count; first < queries->count; first += count) {
                count = others.part(first);
                value_side b = {others.numbers, others.norms, count};
                search_tile(s, a, b, at.first, first, at.get<const uint8_t>(taken),
                            at.get<int64_t>(best_rows), at.get<double>(best_values));
            }
        });
        if (places > 0 && s.query_rows != of_queries->row)
            c.download(of_queries->row, s.query_rows, (size_t)places * sizeof(int64_t));
        if (places > 0 && s.query_values != of_queries->value)
            c.download(of_queries->value, s.query_values, (size_t)places * sizeof(double));
    });
}

alcore_status margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *take, const alcore_sys_rows *others,
                            const uint8_t *other_take, const alcore_sys_search *search,
                            const double *row_half, const double *other_half, double *ratio,
                            int64_t *other) {
    (void)search;
    return guarded(work, [&](call &c) {
        check_sides(c, rows, others);
        if (rows->count == 0 || others->count == 0) return;
        const uint8_t *other_taken = c.whole(other_take, others->count);
        const double *half = c.whole(other_half, others->count);
        side far(c, others, INT64_MAX);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)rows->dims * sizeof(double));
        int norms = pass.scratch(sizeof(double)), taken = pass.take(take);
        int own_half = pass.in(row_half, sizeof *row_half);
        int best = pass.inout(ratio, sizeof *ratio), of = pass.inout(other, sizeof *other);
        pass.run([&](const chunk &at) {
            value_side a = wide_rows(c, at, rows, matrix, wide, norms);
            for (int64_t first = 0, count; first < others->count; first += count) {
                count = far.part(first);
                value_side b = {far.numbers, far.norms, count};
                CUDA_LAUNCH(margin_kernel, blocks_for(at.count, CUDA_WARPS * PAIR_SIDE),
                            CUDA_THREADS, at.stream, a, b, rows->dims, at.get<const uint8_t>(taken),
                            other_taken ? other_taken + first : nullptr,
                            at.get<const double>(own_half), half + first, others->first + first,
                            at.get<double>(best), at.get<int64_t>(of));
            }
        });
    });
}

} // namespace alcore_cuda
