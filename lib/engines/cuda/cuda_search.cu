/* SPDX-License-Identifier: Apache-2.0 */
/* Exact nearest neighbors in both directions in one sweep (knn), and margin ratios (spec 5.6), in
 * double. Larger calls go through a half-precision filter (knn: cuda_candidates.cu; margin_ratios:
 * cuda_best.cuh with margin_body below).
 *
 * Rows pass in chunks and queries (or others) in parts, which are what is on the device at a time.
 * The value of a pair is its squared distance (the smallest is best), dot product or cosine (the
 * largest is best).
 *
 * knn without filter: values_kernel computes the values of a tile of rows and queries, sixteen a
 * warp, and writes them by row and by query; join_kernel, a block an item, keeps the k best of the
 * item sorted in shared memory and merges the values that beat the last of them. Cost: rows x
 * others x dims multiply-adds in double. */
#include <algorithm>
#include <type_traits>

#include "cuda_best.cuh"
#include "cuda_entries.h"
#include "cuda_search.cuh"

namespace alcore_cuda {

namespace {
/* A tile has at most TILE queries and TILE * TILE pairs: 8 MiB of values by row and as much by
 * query. Of few queries it has more than TILE rows, as many as have TILE_DOUBLES (32 MiB). queries:
 * the capacity of a part of them, which is 1 or more. */
enum { TILE = 1024, TILE_DOUBLES = 1 << 22 };
/* The most rows of such a tile; their vectors have at most TILE_DOUBLES doubles, or are TILE. */
int64_t tile_rows(int64_t queries, int64_t dims) {
    int64_t most = std::min(TILE * TILE / queries, TILE_DOUBLES / std::max<int64_t>(dims, 1));
    return std::max<int64_t>(most, TILE);
}

/* The values of all pairs of a and b: by_a [a.count, b.count] and by_b [b.count, a.count], the same
 * values transposed; NULL: not wanted. A warp computes 4 x 4 pairs: dot or, with SQD, sq_dist;
 * cosine: dot becomes the cosine. The two threads that get the value of a pair write one array
 * each.
 */
template <bool SQD>
static __global__ void __launch_bounds__(CUDA_THREADS)
    values_kernel(wide_operand a, wide_operand b, int64_t dims, bool cosine, double *by_a,
                  double *by_b) {
    int64_t across = (b.count + PAIR_ROWS - 1) / PAIR_ROWS;
    int64_t pair_block = warp_index(); /* of 4 x 4 pairs, b's groups of four running fastest */
    int64_t first = pair_block / across * PAIR_ROWS, other_first = pair_block % across * PAIR_ROWS;
    if (first >= a.count) return;
    const double *row[PAIR_ROWS], *other[PAIR_ROWS];
    pair_rows(a.rows, first, a.count, dims, row);
    pair_rows(b.rows, other_first, b.count, dims, other);
    double value = pair_sums<SQD>(row, other, dims);
    int pair = lane_id() / 2;
    int64_t i = first + pair / PAIR_ROWS, j = other_first + pair % PAIR_ROWS;
    if (i >= a.count || j >= b.count) return;
    if (cosine) value = cosine_of(value, a.norms[i], b.norms[j]);
    if (lane_id() % 2 == 0 && by_a) by_a[i * b.count + j] = value;
    if (lane_id() % 2 == 1 && by_b) by_b[j * a.count + i] = value;
}

/* Merges values [items, others] into the k best of each item so far, their pool rows `rows` and
 * values `best` [items, k], the best first and row -1 for unused entries; one block an item. Other
 * j is pool row first_other + j. largest: larger values are better. Masks [items], [others]: 0
 * leaves out; NULL: all. NaN is never among the best. Which thread appends a newcomer first does
 * not matter, because joining sorts them. */
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
    join_others(memory, newcomers, k, 0 /* begin */, others /* end */, largest,
                [&](int64_t base, const top_entry &last) {
                    int64_t j = base + threadIdx.x;
                    if (j >= others || (other_mask && !other_mask[j])) return;
                    top_entry found = {values[item * others + j], first_other + j};
                    if (found.value == found.value && nearer(found, last, largest))
                        memory[k + atomicAdd(&newcomers[0], 1)] = found;
                });
    store_entries(memory, k, rows + item * k, best + item * k);
}

/* A ratio with a divisor of at most MIN_DIVISOR is 0 (spec 5.6). With one of MAX_DIVISOR or more
 * the bounds of the filter might overflow float32, and the pair is computed in double. */
#define MIN_DIVISOR 1e-9
#define MAX_DIVISOR 1e20

/* What both ways to margin ratios (every pair in double, and with a filter) work on: the rows of a
 * chunk, and b, a part of the others. Arrays are on the device. The ratio is cos(row, other)
 * divided by row_half + other_half; the largest is best, the lower pool row among equals. */
struct margin_operands {
    exact_rows exact;    /* with a filter: the rows, which are read where they are */
    const double *wide;  /* without: [count, dims] the rows in double */
    const double *norms; /* [count] L2 norms of the rows */
    int64_t count, dims;
    wide_operand b;                      /* with norms */
    const uint8_t *mask, *other_mask;    /* [count], [b.count]; NULL: all */
    const double *row_half, *other_half; /* [count], [b.count] half the mean cosine of the row (or
                                            other) to its nearest neighbors */
    int64_t first_other;                 /* pool row of other 0 of the part */
    double *ratio;                       /* [count] the largest ratio so far, in and out */
    int64_t *best_other;                 /* [count] pool row of its other; -1: none */

    /* The ratio of row i and other j from their dot product, with the pool row of j. It is 0 for a
     * divisor of at most MIN_DIVISOR (1e-9), and NaN for one of NaN. */
    __device__ top_entry ratio_of_dot(double dot, int64_t i, int64_t j) const {
        double divisor = row_half[i] + other_half[j];
        top_entry made = {0.0, first_other + j};
        if (!(divisor <= MIN_DIVISOR)) made.value = cosine_of(dot, norms[i], b.norms[j]) / divisor;
        return made;
    }
};

/* Without a filter: every pair in double. A warp compares four rows with all others, four at a
 * time; threads 0 .. 3 keep the best ratio of one row each, begin with the one that the caller
 * gave, and write it. NaN is never the best. Behind the last row the last one is computed again. */
static __global__ void __launch_bounds__(CUDA_THREADS) margin_kernel(margin_operands m) {
    int64_t first = warp_index() * PAIR_ROWS;
    if (first >= m.count) return;
    const double *row[PAIR_ROWS], *other[PAIR_ROWS];
    pair_rows(m.wide, first, m.count, m.dims, row);
    int row_of_thread = lane_id() % PAIR_ROWS;
    int64_t i = first + row_of_thread < m.count ? first + row_of_thread : m.count - 1;
    bool writes =
        lane_id() < PAIR_ROWS && first + row_of_thread < m.count && (!m.mask || m.mask[i]);
    top_entry best = {0.0, -1};
    if (writes) best = {m.ratio[i], m.best_other[i]};
    for (int64_t t = 0; t < m.b.count; t += PAIR_ROWS) {
        pair_rows(m.b.rows, t, m.b.count, m.dims, other);
        double pairs = pair_sums<false>(row, other, m.dims);
#pragma unroll
        for (int k = 0; k < PAIR_ROWS; k++) {
            double dot = pair_value(pairs, row_of_thread, k);
            int64_t j = t + k;
            if (!writes || j >= m.b.count || (m.other_mask && !m.other_mask[j])) continue;
            top_entry found = m.ratio_of_dot(dot, i, j);
            if (found.value == found.value && nearer(found, best, true)) best = found;
        }
    }
    if (!writes || best.row < 0) return;
    m.ratio[i] = best.value;
    m.best_other[i] = best.row;
}

/* With a filter: the body of best_filter and best_rerank (cuda_best.cuh says when they call what).
 * The score of a pair is its ratio; its bounds `high` and `low` are the bounds `upper` and `upper -
 * error` of the cosine divided by the divisor, widened by 2^-20 for rounding. Where the quotient
 * could leave float32 they are infinite, and the pair is computed in double. score() returns
 * whether the pair takes part, begin() a lower bound of the best ratio so far, first() that ratio
 * itself, value() the ratio of a pair in double, end() writes the best one. i counts rows of the
 * chunk, j others of the part. */
struct margin_body {
    margin_operands m;

    __device__ float begin(int64_t i) const {
        return m.best_other[i] < 0 ? -HUGE_VALF : float_below(m.ratio[i]);
    }
    __device__ bool score(float upper, float error, int64_t i, int64_t j, const half_stats &,
                          float *high, float *low) const {
        double divisor = m.row_half[i] + m.other_half[j];
        *high = HUGE_VALF;
        *low = -HUGE_VALF;
        if (divisor <= MIN_DIVISOR) {
            *high = *low = 0.0f;
        } else if (divisor < MAX_DIVISOR) {
            float rounded = (float)divisor;
            float above = upper / rounded, below = (upper - error) / rounded;
            *high = above + fabsf(above) * 0x1p-20f;
            *low = below - fabsf(below) * 0x1p-20f;
        }
        return divisor == divisor && other_in_mask(j);
    }

    static const bool LARGEST = true; /* the largest value is the best */
    __device__ bool in_mask(int64_t i) const { return !m.mask || m.mask[i]; }
    __device__ bool other_in_mask(int64_t j) const { return !m.other_mask || m.other_mask[j]; }
    __device__ top_entry first(int64_t i) const { return {m.ratio[i], m.best_other[i]}; }
    __device__ top_entry value(int64_t i, int64_t j, const best_task &) const {
        return m.ratio_of_dot(m.exact.dot(i, m.b.rows + j * m.dims), i, j);
    }
    __device__ void end(int64_t i, const top_entry &best, double /* second */,
                        float /* max_refused */, const best_task &) const {
        if (best.row < 0) return; /* none so far: the caller's -infinity and -1 stay */
        m.ratio[i] = best.value;
        m.best_other[i] = best.row;
    }
};

/* Checks both operands and that their dims agree. */
void check_operands(call &c, const alcore_sys_rows *rows, const alcore_sys_rows *others) {
    c.check_rows(rows);
    c.check_rows(others);
    if (rows->dims != others->dims)
        fail(c.work, ALCORE_E_SHAPE,
             "rows and queries (or others) have different numbers of dimensions");
}

/* The number of neighbors that `best` asks for, 1 to 1024; 0 for NULL: none are wanted. */
int checked_k(call &c, const alcore_sys_best *best) {
    if (!best) return 0;
    if (best->k < 1 || best->k > MAX_K)
        fail(c.work, ALCORE_E_INVALID, "a search is for 1 to %d neighbors (k)", MAX_K);
    return (int)best->k;
}

/* knn without filter: for each chunk of rows and part of the queries, a tile, whose values update
 * the k best of the rows and of the queries, where they are wanted. by_row [rows, queries of the
 * tile] and by_query, its transpose: device memory for the values; -1: none are wanted of the rows,
 * or of the queries. Pool rows are numbers of rows of the call plus `first` of the matrix. */
void plain_search(const search_call &s) {
    operand_parts others(s.c, s.queries, TILE);
    pipeline pass(s.c, s.rows->count);
    pass.limit_rows(tile_rows(others.step, s.rows->dims));
    int matrix = pass.rows(s.rows), wide = pass.scratch((size_t)s.rows->dims * sizeof(double));
    int norms = pass.scratch(sizeof(double)), mask_column = pass.row_mask(s.mask);
    size_t width = (size_t)s.row_k * sizeof(double);
    int best_rows = pass.inout(s.row_k ? s.row_best->row : nullptr, width);
    int best_values = pass.inout(s.row_k ? s.row_best->value : nullptr, width);
    const bool largest = s.metric != ALCORE_SYS_L2, cosine = s.metric == ALCORE_SYS_COSINE;
    int64_t part = others.part(0); /* no other part is larger */
    int by_row = s.row_k ? pass.scratch((size_t)part * sizeof(double)) : -1;
    int by_query = s.query_k ? pass.scratch((size_t)part * sizeof(double)) : -1;
    pass.run([&](const chunk &piece) {
        const wide_operand a = widen_with_norms(s.c, piece, s.rows, matrix, wide, norms);
        const uint8_t *mask = piece.get<const uint8_t>(mask_column);
        double *row_values = piece.get<double>(by_row), *query_values = piece.get<double>(by_query);
        for (int64_t first = 0, count; first < s.queries->count; first += count) {
            count = others.part(first);
            const wide_operand b = {others.wide, others.norms, count};
            const uint8_t *query_mask = s.query_mask ? s.query_mask + first : nullptr;
            const unsigned blocks = blocks_for(
                (int64_t)blocks_for(a.count, PAIR_ROWS) * blocks_for(count, PAIR_ROWS), CUDA_WARPS);
            auto launch = [&](auto sq_dist) {
                CUDA_LAUNCH((values_kernel<decltype(sq_dist)::value>), blocks, CUDA_THREADS,
                            piece.stream, a, b, s.rows->dims, cosine, row_values, query_values);
            };
            largest ? launch(std::false_type()) : launch(std::true_type());
            if (row_values)
                CUDA_LAUNCH(join_kernel, (unsigned)a.count, SELECT_THREADS, piece.stream,
                            row_values, count, s.queries->first + first, mask, query_mask, largest,
                            s.row_k, piece.get<int64_t>(best_rows), piece.get<double>(best_values));
            if (query_values)
                CUDA_LAUNCH(join_kernel, (unsigned)count, SELECT_THREADS, piece.stream,
                            query_values, a.count, s.rows->first + piece.first, query_mask, mask,
                            largest, s.query_k, s.query_rows + first * s.query_k,
                            s.query_values + first * s.query_k);
            s.c.launched();
        }
    });
}

/* Margin ratios of the rows of a chunk with a part of the others, by a filter. half, others: both
 * in half precision; lists: BEST_BYTES for each row of the chunk. */
void filter_margins(call &c, const margin_operands &m, const half_rows &half,
                    const half_rows &others, char *lists) {
    std::vector<best_task> tasks;
    for (int64_t i = 0; i < m.count; i += TILE_ROWS)
        tasks.push_back({(int32_t)i, (int32_t)std::min<int64_t>(TILE_ROWS, m.count - i),
                         0 /* the first other */, m.b.count /* the end of the others */});
    const best_task *list = c.to_device(tasks);
    filter_and_rerank(c, half, m.count, nullptr /* order */, list, (int64_t)tasks.size(), others,
                      m.b.count, m.dims, margin_body{m}, lists);
    c.deallocate(list);
}
} // namespace

/* Kernel table: the k best queries of each row (row_best) and the k best rows of each query
 * (query_best) in one sweep; either may be NULL. Each of them has arrays row and value [items, k],
 * which hold the best so far (row -1: none) before the call, and the best with these rows and
 * queries included after it, so a caller may pass a large matrix in parts. Rows pass in chunks,
 * queries in parts; the k best of all queries stay on the device during the call and are copied
 * back at its end. Of `search` only the metric is used: its pruning fields serve the CPU engines.
 */
alcore_status knn(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                  const alcore_sys_rows *queries, const uint8_t *query_mask,
                  const alcore_sys_search *search, const alcore_sys_best *query_best,
                  const alcore_sys_best *row_best) {
    return guarded(work, [&](call &c) {
        check_operands(c, rows, queries);
        if (search->metric < ALCORE_SYS_L2 || search->metric > ALCORE_SYS_COSINE)
            fail(work, ALCORE_E_INVALID, "a search has no such metric");
        search_call s = {c,
                         rows,
                         queries,
                         mask,
                         c.to_device(query_mask, queries->count),
                         row_best,
                         search->metric,
                         checked_k(c, row_best),
                         checked_k(c, query_best),
                         nullptr,  /* query_rows: below, where they are wanted */
                         nullptr}; /* query_values */
        if (rows->count == 0 || queries->count == 0) return;
        int64_t entries = queries->count * s.query_k;
        if (entries > 0) {
            s.query_rows = c.in_out(query_best->row, entries);
            s.query_values = c.in_out(query_best->value, entries);
        }
        if (filter_pays(rows->dims, rows->count, queries->count))
            filtered_search(s);
        else
            plain_search(s);
        if (entries == 0) return;
        c.hand_back(query_best->row, s.query_rows, entries);
        c.hand_back(query_best->value, s.query_values, entries);
    });
}

/* Kernel table: for each row the other with the largest cos / (row_half + other_half), the margin
 * ratio of bitext mining; row_half [rows] and other_half [others] are half the mean cosines to the
 * nearest neighbors. ratio and other [rows] hold the largest so far, -infinity and -1 before the
 * first call; a row without a larger ratio keeps them. `search` is part of the signature that
 * searches share, and not read: a ratio is always made of cosines. */
alcore_status margin_ratios(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const alcore_sys_rows *others,
                            const uint8_t *other_mask, const alcore_sys_search *search,
                            const double *row_half, const double *other_half, double *ratio,
                            int64_t *other) {
    (void)search;
    return guarded(work, [&](call &c) {
        check_operands(c, rows, others);
        if (rows->count == 0 || others->count == 0) return;
        const uint8_t *device_mask = c.to_device(other_mask, others->count);
        const double *device_halves = c.to_device(other_half, others->count);
        int64_t dims = rows->dims;
        bool filters = filter_pays(dims, rows->count, others->count);
        operand_parts parts(c, others, INT64_MAX /* rows of a part: as memory allows */, filters,
                            ALCORE_SYS_COSINE);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask);
        int row_half_column = pass.in(row_half, sizeof *row_half);
        std::optional<half_column> halves; /* with a filter */
        if (filters) halves.emplace(c, pass, rows, ALCORE_SYS_COSINE);
        int lists = filters ? pass.scratch(BEST_BYTES) : -1;
        int wide = filters ? -1 : pass.scratch((size_t)dims * sizeof(double));
        int norms = filters ? -1 : pass.scratch(sizeof(double));
        pass.limit_products((double)dims * (double)parts.step,
                            filters ? LAUNCH_HALVES : LAUNCH_DOUBLES);
        int ratio_column = pass.inout(ratio, sizeof *ratio);
        int other_column = pass.inout(other, sizeof *other);
        pass.run([&](const chunk &piece) {
            margin_operands sides = margin_operands();
            half_rows half = {nullptr, nullptr}; /* not used without the filter */
            if (filters) {
                row_set set = chunk_rows(piece, rows, matrix);
                conversion converted = halves->of(piece, set);
                sides.exact = {set, rows->dtype};
                sides.norms = converted.norms;
                half = converted.half;
            } else {
                wide_operand a = widen_with_norms(c, piece, rows, matrix, wide, norms);
                sides.wide = a.rows;
                sides.norms = a.norms;
            }
            sides.count = piece.count;
            sides.dims = dims;
            sides.mask = piece.get<const uint8_t>(mask_column);
            sides.row_half = piece.get<const double>(row_half_column);
            sides.ratio = piece.get<double>(ratio_column);
            sides.best_other = piece.get<int64_t>(other_column);
            for (int64_t first = 0, count; first < others->count; first += count) {
                count = parts.part(first);
                sides.b = {parts.wide, parts.norms, count};
                sides.other_mask = device_mask ? device_mask + first : nullptr;
                sides.other_half = device_halves + first;
                sides.first_other = others->first + first;
                if (filters)
                    filter_margins(c, sides, half, parts.half, piece.get<char>(lists));
                else
                    CUDA_LAUNCH(margin_kernel, blocks_for(piece.count, CUDA_WARPS * PAIR_ROWS),
                                CUDA_THREADS, piece.stream, sides);
            }
        });
    });
}

} // namespace alcore_cuda
