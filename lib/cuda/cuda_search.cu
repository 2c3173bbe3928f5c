/* SPDX-License-Identifier: Apache-2.0 */
/* Exact nearest neighbors in both directions in one sweep, and margin ratios (spec 5.6), in double.
 * Small searches are done here entirely; larger ones go through a half-precision filter first
 * (cuda_candidates.cu and cuda_best.cuh).
 *
 * values_kernel: a warp computes sixteen values of a tile, [rows, others] and transposed;
 * join_kernel: a block has an item, keeps its k best sorted in shared memory and joins the values
 * of the tile that beat the last of them. Cost: rows x others x dims multiply-adds in double. */
#include <algorithm>

#include "cuda_best.cuh"
#include "cuda_entries.h"
#include "cuda_search.cuh"

namespace alcore_cuda {

namespace {
/* Rows and queries whose values are held at a time: 8 MiB of doubles each way. */
enum { TILE = 1024 };
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

/* A block updates the k best entries of one item, rows and best [items, k], from its values
 * [items, others]; other j has the number first_other + j. Entries of earlier tiles compete with
 * the new ones. Which thread finds a newcomer first does not matter, as joining sorts them. */
static __global__ void __launch_bounds__(SELECT_THREADS)
    join_kernel(const double *values, int64_t others, int64_t first_other, const uint8_t *item_mask,
                const uint8_t *other_mask, bool largest, int k, int64_t *rows, double *best) {
    CUDA_SHARED(top_entry, memory, SORTED);
    CUDA_SHARED(int, newcomers, 1);
    int64_t item = blockIdx.x;
    if (item_mask && !item_mask[item]) return;
    load_entries(memory, k, rows + item * k, best + item * k);
    if (threadIdx.x == 0) newcomers[0] = 0;
    __syncthreads();
    join_others(memory, newcomers, k, 0, others, largest, [&](int64_t base, const top_entry &last) {
        int64_t j = base + threadIdx.x;
        if (j >= others || (other_mask && !other_mask[j])) return;
        top_entry here = {values[item * others + j], first_other + j};
        /* The order in which they come does not matter: they are sorted. */
        if (here.value == here.value && nearer(here, last, largest))
            memory[k + atomicAdd(&newcomers[0], 1)] = here;
    });
    store_entries(memory, k, rows + item * k, best + item * k);
}

/* A ratio with a smaller divisor is 0 (spec 5.6); with a larger one than the second a filter's
 * bounds might be no float32 numbers. */
#define MIN_DIVISOR 1e-9
#define MAX_DIVISOR 1e20

/* Arguments of the margin kernels: a, rows of a chunk; b, some of the others. */
struct margin_sides {
    value_side a, b;
    int64_t dims;
    const uint8_t *mask, *other_mask;    /* [a.count], [b.count]; NULL: all */
    const double *row_half, *other_half; /* [a.count], [b.count] summands of the divisor */
    int64_t first_other;                 /* the number of b's first row */
    double *ratio;                       /* [a.count] the best so far */
    int64_t *best_other;                 /* [a.count] which other it is; -1: none */

    __device__ top_entry from_dot(double dot, int64_t i, int64_t j) const {
        double divisor = row_half[i] + other_half[j];
        top_entry made = {0.0, first_other + j};
        if (!(divisor <= MIN_DIVISOR))
            made.value = cosine_of(dot, a.norms[i], b.norms[j]) / divisor;
        return made;
    }
};

/* A warp compares four rows with all others; lanes 0 .. 3 keep the best ratio of
 * one row each. Without a filter: every pair in double. */
static __global__ void __launch_bounds__(CUDA_THREADS) margin_kernel(margin_sides m) {
    int64_t first = ((int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES) * PAIR_SIDE;
    if (first >= m.a.count) return;
    const double *row[PAIR_SIDE], *other[PAIR_SIDE];
    pair_rows(m.a.rows, first, m.a.count, m.dims, row);
    int mine = lane_here() % PAIR_SIDE;
    int64_t i = first + mine < m.a.count ? first + mine : m.a.count - 1;
    bool writes = lane_here() < PAIR_SIDE && first + mine < m.a.count && (!m.mask || m.mask[i]);
    top_entry best = {0.0, -1};
    if (writes) best = {m.ratio[i], m.best_other[i]};
    for (int64_t t = 0; t < m.b.count; t += PAIR_SIDE) {
        pair_rows(m.b.rows, t, m.b.count, m.dims, other);
        double pairs = pair_sums<false>(row, other, m.dims);
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            double dot = pair_value(pairs, mine, k);
            int64_t j = t + k;
            if (!writes || j >= m.b.count || (m.other_mask && !m.other_mask[j])) continue;
            top_entry here = m.from_dot(dot, i, j);
            if (here.value == here.value && nearer(here, best, true)) best = here;
        }
    }
    if (!writes || best.row < 0) return;
    m.ratio[i] = best.value;
    m.best_other[i] = best.row;
}

/* The same with a filter: a score is (cosine +- error) / divisor. */
struct margin_body {
    margin_sides m;

    __device__ float begin(int64_t i) const {
        return m.best_other[i] < 0 ? -HUGE_VALF : float_below(m.ratio[i]);
    }
    __device__ bool score(float most, float error, int64_t i, int64_t j, const half_stats &,
                          float *high, float *low) const {
        double divisor = m.row_half[i] + m.other_half[j];
        *high = HUGE_VALF;
        *low = -HUGE_VALF;
        if (divisor <= MIN_DIVISOR) {
            *high = *low = 0.0f;
        } else if (divisor < MAX_DIVISOR) {
            float near = (float)divisor, above = most / near, below = (most - error) / near;
            *high = above + fabsf(above) * 0x1p-20f;
            *low = below - fabsf(below) * 0x1p-20f;
        }
        return divisor == divisor && other_in_mask(j);
    }

    static const bool LARGEST = true;
    __device__ bool in_mask(int64_t i) const { return !m.mask || m.mask[i]; }
    __device__ bool other_in_mask(int64_t j) const { return !m.other_mask || m.other_mask[j]; }
    __device__ top_entry first(int64_t i) const { return {m.ratio[i], m.best_other[i]}; }
    __device__ top_entry value(int64_t i, int64_t j, const best_task &) const {
        return m.from_dot(row_dot(m.a.rows + i * m.dims, m.b.rows + j * m.dims, m.dims), i, j);
    }
    __device__ void end(int64_t i, const top_entry &best, double, float, const best_task &) const {
        if (best.row < 0) return;
        m.ratio[i] = best.value;
        m.best_other[i] = best.row;
    }
};

void check_sides(call &c, const alcore_sys_rows *rows, const alcore_sys_rows *others) {
    c.check_rows(rows);
    c.check_rows(others);
    if (rows->dims != others->dims)
        fail(c.work, ALCORE_E_SHAPE, "the two sides have different numbers of dimensions");
}

int checked_places(call &c, const alcore_sys_best *best) {
    if (!best) return 0;
    if (best->k < 1 || best->k > MAX_K)
        fail(c.work, ALCORE_E_INVALID, "a search keeps 1 to %d places", MAX_K);
    return (int)best->k;
}

/* The values of a tile: by_row [rows, queries], by_query [queries, rows]; NULL: not wanted. */
struct tile_values {
    double *by_row, *by_query;
};

/* Computes all values of one tile, a rows against b queries, and updates the best entries of
 * whichever sides were asked for. mask, best_rows and best_values belong to the rows of this chunk;
 * first_row and first_query count from the first row of the call's matrices. */
void search_tile(const search_call &s, const value_side &a, const value_side &b,
                 const tile_values &values, int64_t first_row, int64_t first_query,
                 const uint8_t *mask, int64_t *best_rows, double *best_values) {
    bool largest = s.metric != ALCORE_SYS_L2, cosine = s.metric == ALCORE_SYS_COSINE;
    int64_t tiles = (a.count + PAIR_SIDE - 1) / PAIR_SIDE * ((b.count + PAIR_SIDE - 1) / PAIR_SIDE);
    unsigned blocks = blocks_for(tiles, CUDA_WARPS);
    const uint8_t *query_mask = s.query_mask ? s.query_mask + first_query : nullptr;
    double *by_row = s.row_k ? values.by_row : nullptr,
           *by_query = s.query_k ? values.by_query : nullptr;
    if (largest)
        CUDA_LAUNCH((values_kernel<false>), blocks, CUDA_THREADS, s.c.compute, a, b, s.rows->dims,
                    cosine, by_row, by_query);
    else
        CUDA_LAUNCH((values_kernel<true>), blocks, CUDA_THREADS, s.c.compute, a, b, s.rows->dims,
                    cosine, by_row, by_query);
    if (by_row)
        CUDA_LAUNCH(join_kernel, (unsigned)a.count, SELECT_THREADS, s.c.compute, by_row, b.count,
                    s.queries->first + first_query, mask, query_mask, largest, s.row_k, best_rows,
                    best_values);
    if (by_query)
        CUDA_LAUNCH(join_kernel, (unsigned)b.count, SELECT_THREADS, s.c.compute, by_query, a.count,
                    s.rows->first + first_row, query_mask, mask, largest, s.query_k,
                    s.query_rows + first_query * s.query_k,
                    s.query_values + first_query * s.query_k);
    s.c.launched();
}

/* Everything in double: all values of a tile, then the best of them. */
void plain_search(const search_call &s) {
    side others(s.c, s.queries, TILE);
    pipeline pass(s.c, s.rows->count);
    pass.at_most(TILE);
    int matrix = pass.rows(s.rows), wide = pass.scratch((size_t)s.rows->dims * sizeof(double));
    int norms = pass.scratch(sizeof(double)), mask_column = pass.row_mask(s.mask);
    size_t width = (size_t)s.row_k * sizeof(double);
    int best_rows = pass.inout(s.row_k ? s.row_best->row : nullptr, width);
    int best_values = pass.inout(s.row_k ? s.row_best->value : nullptr, width);
    int64_t part = others.part(0); /* the largest one */
    int by_row = pass.scratch((size_t)(s.row_k ? part : 0) * sizeof(double));
    int by_query = pass.scratch((size_t)(s.query_k ? part : 0) * sizeof(double));
    pass.run([&](const chunk &piece) {
        value_side a = wide_rows(s.c, piece, s.rows, matrix, wide, norms);
        tile_values values = {piece.get<double>(by_row), piece.get<double>(by_query)};
        for (int64_t first = 0, count; first < s.queries->count; first += count) {
            count = others.part(first);
            value_side b = {others.numbers, others.norms, count};
            search_tile(s, a, b, values, piece.first, first, piece.get<const uint8_t>(mask_column),
                        piece.get<int64_t>(best_rows), piece.get<double>(best_values));
        }
    });
}
} // namespace

/* Kernel table: the k best queries of each row (row_best) and the k best rows of each query
 * (query_best) in one sweep; either may be NULL. Each of them has arrays row and value [items, k],
 * which come in with the best so far (row -1: none) and go out with these rows considered too, so a
 * caller may pass a large matrix in parts. Rows go through in chunks, queries are kept whole on the
 * device. */
alcore_status knn(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                  const alcore_sys_rows *queries, const uint8_t *query_mask,
                  const alcore_sys_search *search, const alcore_sys_best *query_best,
                  const alcore_sys_best *row_best) {
    return guarded(work, [&](call &c) {
        check_sides(c, rows, queries);
        if (search->metric < ALCORE_SYS_L2 || search->metric > ALCORE_SYS_COSINE)
            fail(work, ALCORE_E_INVALID, "a search by no known metric");
        search_call s = {c,
                         rows,
                         queries,
                         mask,
                         c.whole(query_mask, queries->count),
                         row_best,
                         search->metric,
                         checked_places(c, row_best),
                         checked_places(c, query_best),
                         nullptr,
                         nullptr};
        if (rows->count == 0 || queries->count == 0) return;
        int64_t places = queries->count * s.query_k;
        if (places > 0) {
            s.query_rows = (int64_t *)c.whole(query_best->row, places);
            s.query_values = (double *)c.whole(query_best->value, places);
        }
        if (filter_pays(rows->dims, rows->count, queries->count))
            filtered_search(s);
        else
            plain_search(s);
        if (places > 0 && s.query_rows != query_best->row)
            c.download(query_best->row, s.query_rows, (size_t)places * sizeof(int64_t));
        if (places > 0 && s.query_values != query_best->value)
            c.download(query_best->value, s.query_values, (size_t)places * sizeof(double));
    });
}

/* Kernel table: for each row the other with the largest cos / (row_half + other_half), the margin
 * ratio of bitext mining; row_half [rows] and other_half [others] are half the mean cosines to the
 * nearest neighbors. ratio and other [rows] come in with the best so far and are only raised. */
alcore_status margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const alcore_sys_rows *others,
                            const uint8_t *other_mask, const alcore_sys_search *search,
                            const double *row_half, const double *other_half, double *ratio,
                            int64_t *other) {
    (void)search;
    return guarded(work, [&](call &c) {
        check_sides(c, rows, others);
        if (rows->count == 0 || others->count == 0) return;
        const uint8_t *other_taken = c.whole(other_mask, others->count);
        const double *halves_there = c.whole(other_half, others->count);
        int64_t dims = rows->dims;
        bool filters = filter_pays(dims, rows->count, others->count);
        size_t bytes = filters ? half_bytes(dims) : 0;
        side far(c, others, INT64_MAX, bytes);
        half_rows half_far = cut_halves(far.beside, far.step, dims);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)dims * sizeof(double));
        int norms = pass.scratch(sizeof(double)), mask_column = pass.row_mask(mask);
        int halves = pass.scratch(bytes), beside = pass.scratch(filters ? BEST_BYTES : 0);
        int own_half = pass.in(row_half, sizeof *row_half);
        int best = pass.inout(ratio, sizeof *ratio), of = pass.inout(other, sizeof *other);
        int64_t halved = -1;
        std::vector<best_task> tasks;
        pass.run([&](const chunk &piece) {
            value_side a = wide_rows(c, piece, rows, matrix, wide, norms);
            half_rows half_a = cut_halves(piece.get<char>(halves), piece.count, dims);
            if (filters) halve(c, a.rows, a.norms, piece.count, dims, ALCORE_SYS_COSINE, half_a);
            for (int64_t first = 0, count; first < others->count; first += count) {
                count = far.part(first);
                value_side b = {far.numbers, far.norms, count};
                margin_sides sides = {a,
                                      b,
                                      dims,
                                      piece.get<const uint8_t>(mask_column),
                                      other_taken ? other_taken + first : nullptr,
                                      piece.get<const double>(own_half),
                                      halves_there + first,
                                      others->first + first,
                                      piece.get<double>(best),
                                      piece.get<int64_t>(of)};
                if (!filters) {
                    CUDA_LAUNCH(margin_kernel, blocks_for(piece.count, CUDA_WARPS * PAIR_SIDE),
                                CUDA_THREADS, piece.stream, sides);
                    continue;
                }
                if (halved != first)
                    halve(c, b.rows, b.norms, count, dims, ALCORE_SYS_COSINE, half_far);
                halved = first;
                tasks.clear();
                for (int64_t i = 0; i < piece.count; i += TILE_ROWS)
                    tasks.push_back({(int32_t)i,
                                     (int32_t)std::min<int64_t>(TILE_ROWS, piece.count - i), 0,
                                     count});
                const best_task *list = c.whole(tasks.data(), (int64_t)tasks.size());
                best_of(c, half_a, piece.count, nullptr, list, (int64_t)tasks.size(), half_far,
                        count, dims, margin_body{sides}, piece.get<char>(beside));
                c.give_back((void *)list);
            }
        });
    });
}

} // namespace alcore_cuda
