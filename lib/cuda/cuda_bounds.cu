/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of distances to targets between two numbers, in half precision (spec 1.8, Filters).
 *
 * For a row x and a target t let G = |x - t|^2, F = |x|^2 + |t|^2 - 2 x.t with x.t by tensor cores,
 * and E a bound of |F - G|. With s = sqrt(max(F, E)) it is |sqrt(G) - s| <= E / s: where F >= E
 * because the difference of the roots is (G - F) / (sqrt(G) + s), elsewhere because G < 2 E. So the
 * sum of s, give or take the sum of E / s, holds the true sum.
 *
 * E is twice what the product may be off (cuda_filter.cuh) and 2^-18 (|x|^2 + |t|^2) / 2 for the
 * squares and roundings. What is rounded in s, in adding up and in the normative sum itself is a
 * small share of the sum: SHARE. */
#include <algorithm>

#include "cuda_bounds.cuh"
#include "cuda_filter.cuh"
#include "cuda_rows.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* The reciprocal root of device_rsqrt and a product (2^-22 + 2^-24), ten additions of floats
 * (10 2^-24), and 2^-53 (dims / 32 + 13 + targets and more) for
 * FILTER_MAX_DIMS numbers and a million targets. */
#define BOUND_SHARE (0x1p-20 + 1e-9)
const int64_t MAX_BOUND_TARGETS = 1 << 20;

/* Targets of one group, side by side. */
struct target_tile {
    int32_t first, count, group; /* first: in order */
};

/* Sums of s and of E / s of a row and group. */
struct bound_sums {
    double roots, errors;
};

/* Tiles are cut into sections when there are few rows; each keeps sums of its own. */
const int64_t MAX_BOUND_SECTIONS = 8, WANTED_BOUND_BLOCKS = 264, MAX_SECTION_GROUPS = 64;

/* sums: [sections, rows, groups], added to. */
static __global__ void __launch_bounds__(TILE_THREADS)
    bounds_kernel(half_rows a, int64_t rows, half_rows b, const int32_t *order,
                  const target_tile *tiles, int64_t tile_count, int64_t units, int64_t groups,
                  bound_sums *sums) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    CUDA_SHARED(bound_sums, totals, 2 * TILE_ROWS);
    int64_t first = (int64_t)blockIdx.x * TILE_ROWS;
    int64_t each = (tile_count + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
    int64_t end = begin + each < tile_count ? begin + each : tile_count;
    bound_sums *own = totals + (int)threadIdx.x / CUDA_LANES % 2 * TILE_ROWS;
    for (int r = (int)threadIdx.x; r < 2 * TILE_ROWS; r += TILE_THREADS) totals[r] = {0.0, 0.0};
    for (int64_t at = begin; at < end; at++) {
        target_tile tile = tiles[at];
        auto line = [&](int n) {
            int64_t i = first + n < rows ? first + n : rows - 1;
            int t = n - TILE_ROWS < tile.count ? n - TILE_ROWS : tile.count - 1;
            if (n < TILE_ROWS) return (const half_unit *)a.units + i * units;
            return (const half_unit *)b.units + order[tile.first + t] * units;
        };
        tile_sums products;
        tile_products(memory, line, units, rows - first, tile.count, &products);
        if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
#pragma unroll
        for (int p = 0; p < WARP_DOWN * 2; p++) {
            int r = tile_row(p / 2, p % 2 * 2);
            half_stats x = a.stats[first + r < rows ? first + r : rows - 1];
            float roots = 0.0f, errors = 0.0f;
#pragma unroll
            for (int q = 0; q < WARP_ACROSS * 2; q++) {
                int t = tile_other(q / 2, q % 2);
                if (t >= tile.count) continue;
                half_stats y = b.stats[order[tile.first + t]];
                float product = products.of[p / 2][q / 2][p % 2 * 2 + q % 2] * x.weight * y.weight;
                float halves = x.half_square + y.half_square;
                float f = 2.0f * (halves - product);
                float e = 2.0f * filter_error(x, y) + 0x1p-18f * halves + 1e-36f;
                f = f < e ? e : f;
                float inverse = device_rsqrt(f);
                roots = roots + f * inverse;
                errors = errors + e * inverse;
            }
            /* Four lanes have the same row. */
            for (int w = 2; w > 0; w /= 2) {
                roots = roots + __shfl_xor_sync(CUDA_EVERYBODY, roots, w, CUDA_LANES);
                errors = errors + __shfl_xor_sync(CUDA_EVERYBODY, errors, w, CUDA_LANES);
            }
            if (lane_here() % 4 != 0) continue;
            own[r].roots = own[r].roots + (double)roots;
            own[r].errors = own[r].errors + (double)errors;
        }
        if (at + 1 < end && tiles[at + 1].group == tile.group) continue;
        __syncthreads();
        for (int r = (int)threadIdx.x; r < TILE_ROWS; r += TILE_THREADS) {
            bound_sums here = {totals[r].roots + totals[TILE_ROWS + r].roots,
                               totals[r].errors + totals[TILE_ROWS + r].errors};
            totals[r] = totals[TILE_ROWS + r] = {0.0, 0.0};
            if (first + r >= rows) continue;
            bound_sums *to = sums + (blockIdx.y * rows + first + r) * groups + tile.group;
            *to = {to->roots + here.roots, to->errors + here.errors};
        }
    }
}

/* The sums become intervals; sections are added in order. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    bounds_end(int64_t rows, int64_t groups, int64_t sections, const bound_sums *sums, bool known,
               const uint8_t *mask, double *low, double *high) {
    int64_t at = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (at >= rows * groups || (mask && !mask[at / groups])) return;
    double sum = 0.0, error = 0.0;
    for (int64_t n = 0; n < sections; n++) {
        sum = sum + sums[n * rows * groups + at].roots;
        error = error + sums[n * rows * groups + at].errors;
    }
    error = error * 1.01 + BOUND_SHARE * sum;
    /* Written so that NaN tells nothing. */
    known = known && sum + error < HUGE_VAL;
    low[at] = known && sum > error ? (sum - error) * (1.0 - 1e-15) : 0.0;
    high[at] = known ? (sum + error) * (1.0 + 1e-15) : HUGE_VAL;
}

/* The targets of a part by group, cut into tiles. */
struct target_list {
    std::vector<int32_t> order;
    std::vector<target_tile> tiles;

    void cut(const int32_t *group, int64_t count, int64_t groups) {
        order.clear();
        tiles.clear();
        std::vector<std::vector<int32_t>> of((size_t)groups);
        for (int64_t t = 0; t < count; t++) {
            int32_t g = group ? group[t] : 0;
            if (g >= 0) of[(size_t)g].push_back((int32_t)t);
        }
        for (int64_t g = 0; g < groups; g++) {
            int32_t first = (int32_t)order.size(), many = (int32_t)of[(size_t)g].size();
            order.insert(order.end(), of[(size_t)g].begin(), of[(size_t)g].end());
            for (int32_t t = 0; t < many; t += TILE_OTHERS)
                tiles.push_back({first + t, std::min<int32_t>(TILE_OTHERS, many - t), (int32_t)g});
        }
    }
};
} // namespace

/* Fills low and high [rows, groups] for the rows of the mask. Rows pass in chunks, targets in
 * parts; partial sums [sections, rows, groups] of a chunk are added in a fixed order at the end. */
void bound_distances(call &c, const alcore_sys_rows *rows, const uint8_t *mask,
                     const alcore_sys_rows *targets, const int32_t *group, int64_t groups,
                     double *low, double *high) {
    int64_t dims = rows->dims, units = half_units(dims);
    int64_t most = std::max<int64_t>(
        1, std::min(MAX_BOUND_SECTIONS, MAX_SECTION_GROUPS / std::max<int64_t>(groups, 1)));
    side others(c, targets, INT64_MAX, half_bytes(dims));
    half_rows half_others = cut_halves(others.beside, others.step, dims);
    target_list list;
    pipeline pass(c, rows->count);
    size_t bytes = (size_t)groups * sizeof *low;
    int matrix = pass.rows(rows), wide = pass.scratch((size_t)dims * sizeof(double));
    int norms = pass.scratch(sizeof(double)), halves = pass.scratch(half_bytes(dims));
    int partial = pass.scratch((size_t)(most * groups) * sizeof(bound_sums));
    int mask_column = pass.row_mask(mask), to = pass.out(low, bytes), also = pass.out(high, bytes);
    int64_t halved = -1;
    pass.run([&](const chunk &piece) {
        double *numbers = piece.get<double>(wide);
        widen_chunk(piece, rows, matrix, numbers);
        self_dots_of(c, numbers, piece.count, dims, piece.get<double>(norms));
        roots_of(c, piece.get<double>(norms), piece.count);
        half_rows half = cut_halves(piece.get<char>(halves), piece.count, dims);
        halve(c, numbers, piece.get<double>(norms), piece.count, dims, ALCORE_SYS_L2, half);
        int64_t blocks = blocks_for(piece.count, TILE_ROWS);
        int64_t sections = std::min(most, (WANTED_BOUND_BLOCKS + blocks - 1) / blocks);
        bound_sums *sums = piece.get<bound_sums>(partial);
        c.check(cudaMemsetAsync(sums, 0, (size_t)(sections * piece.count * groups) * sizeof *sums,
                                c.compute),
                "clearing sums");
        for (int64_t first = 0, count; first < targets->count; first += count) {
            count = others.part(first);
            if (halved != first)
                halve(c, others.numbers, others.norms, count, dims, ALCORE_SYS_L2, half_others);
            halved = first;
            list.cut(group ? group + first : nullptr, count, groups);
            if (list.tiles.empty()) continue;
            int64_t tiles = (int64_t)list.tiles.size();
            const int32_t *order = c.whole(list.order.data(), (int64_t)list.order.size());
            const target_tile *there = c.whole(list.tiles.data(), tiles);
            dim3 grid((unsigned)blocks, (unsigned)sections);
            CUDA_LAUNCH(bounds_kernel, grid, TILE_THREADS, c.compute, half, piece.count,
                        half_others, order, there, tiles, units, groups, sums);
            c.launched();
            c.give_back((void *)order);
            c.give_back((void *)there);
        }
        CUDA_LAUNCH(bounds_end, blocks_for(piece.count * groups, CUDA_THREADS), CUDA_THREADS,
                    c.compute, piece.count, groups, sections, sums,
                    targets->count <= MAX_BOUND_TARGETS, piece.get<const uint8_t>(mask_column),
                    piece.get<double>(to), piece.get<double>(also));
    });
}

} // namespace alcore_cuda
