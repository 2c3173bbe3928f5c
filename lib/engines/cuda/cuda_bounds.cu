/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals around the sums of Euclidean distances from rows to targets, by group of the targets
 * (distance_bounds; spec 1.8, Filters), with products in half precision on tensor cores.
 *
 * For a row x and a target t let G = |x - t|^2, F = |x|^2 + |t|^2 - 2 x.t with x.t from tensor
 * cores, and E a bound of |F - G|. With s = sqrt(max(F, E))
 *
 *     |sqrt(G) - s| <= E / s
 *
 * where F >= E because the difference of the roots is (G - F) / (sqrt(G) + s), elsewhere because
 * G < 2 E. So the true sum lies within the sum of E / s of the sum of s.
 *
 * E is twice the error of the product (cuda_filter.cuh) plus 2^-18 (|x|^2 + |t|^2) / 2 for the
 * squares and roundings. What is rounded in s, in adding up and in the exact sum itself is a small
 * share of the sum: BOUND_SHARE.
 *
 * Layout: rows pass in chunks, targets in parts, which are what is on the device at a time; a unit
 * is 8 float16 components, and a target without a group takes no part. The targets of a part are
 * ordered by group and cut into tiles of one group each. bounds_kernel adds the s and E / s of
 * TILE_ROWS rows with some of the tiles (a section); bounds_end adds the sections and makes the
 * intervals. Cost: rows x targets x dims multiply-adds in half precision and one reciprocal root a
 * pair. */
#include <algorithm>

#include "cuda_bounds.cuh"
#include "cuda_filter.cuh"
#include "cuda_rows.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* Relative error of a sum beside E: device_rsqrt and a product (2^-22 + 2^-24), ten float additions
 * (10 2^-24), and the double sums, 2^-53 (dims / 32 + 13 + targets), here for FILTER_MAX_DIMS dims
 * and MAX_BOUND_TARGETS targets. With more targets the interval is 0 to infinity; with more dims
 * nothing here is called (filter_pays()). */
#define BOUND_SHARE (0x1p-20 + 1e-9)
const int64_t MAX_BOUND_TARGETS = 1 << 20;

/* A tile: the targets order[first .. first + count - 1] of the part, all of one group. */
struct target_tile {
    int32_t first, count, group;
};

/* Sums over the targets of a group, for one row: of s and of E / s. */
struct bound_sums {
    double roots;  /* sum of s, the approximate distances */
    double errors; /* sum of E / s, how far they may be off */
};

/* The tiles are divided into sections, a block each with sums of their own, when there are fewer
 * blocks of rows than WANTED_BOUND_BLOCKS, which keep a large device busy (two for each of the 132
 * multiprocessors of an H200); sections x groups is at most MAX_SECTION_GROUPS, as each has 16
 * bytes a row. */
const int64_t MAX_BOUND_SECTIONS = 8, WANTED_BOUND_BLOCKS = 264, MAX_SECTION_GROUPS = 64;

/* Adds the s and E / s of this thread's pairs of a tile, from their products, to totals [TILE_ROWS]
 * of the warp; the warp calls it together. a: the rows, of which the tile begins with row `first`;
 * b: the targets of the part, order: the same by group, of which `tile` has some. Rows behind the
 * last one are computed as the last one. */
__device__ inline void add_distances(const tile_sums &products, const half_rows &a, int64_t first,
                                     int64_t rows, const half_rows &b, const int32_t *order,
                                     const target_tile &tile, bound_sums *totals) {
#pragma unroll
    for (int p = 0; p < WARP_DOWN * 2; p++) {
        int r = product_row(p);
        half_stats x = a.stats[first + r < rows ? first + r : rows - 1];
        float roots = 0.0f, errors = 0.0f;
#pragma unroll
        for (int q = 0; q < WARP_ACROSS * 2; q++) {
            int t = product_other(q);
            if (t >= tile.count) continue;
            half_stats y = b.stats[order[tile.first + t]];
            float product = products.product(p, q) * x.weight * y.weight;
            float halves = x.half_square + y.half_square;
            float f = 2.0f * (halves - product); /* F and E; 1e-36 keeps s above 0 */
            float e = 2.0f * filter_error(x, y) + 0x1p-18f * halves + 1e-36f;
            f = f < e ? e : f;
            float inverse = device_rsqrt(f);
            roots = roots + f * inverse;
            errors = errors + e * inverse;
        }
        /* Four threads hold others of the same row. */
        for (int w = 2; w > 0; w /= 2) {
            roots = roots + __shfl_xor_sync(CUDA_FULL_WARP, roots, w, CUDA_LANES);
            errors = errors + __shfl_xor_sync(CUDA_FULL_WARP, errors, w, CUDA_LANES);
        }
        if (lane_id() % 4 != 0) continue;
        totals[r].roots = totals[r].roots + (double)roots;
        totals[r].errors = totals[r].errors + (double)errors;
    }
}

/* Adds the s and E / s of the rows of block blockIdx.x, TILE_ROWS of them, with the tiles of
 * section blockIdx.y to sums [sections, rows, groups], which hold those of the parts before and
 * begin as 0. a: the rows of the chunk; b: the targets of the part; both in half precision of
 * `units` units; order: the targets of the part by group, tiles [tile_count]: which of them a tile
 * has. Rows and targets behind the last one are read as the last one and left out of the sums.
 * totals [2, TILE_ROWS]: sums of the present group, one copy for each of the two warps that share
 * rows; they go to sums when the next tile is of another group. The barrier with which
 * tile_products() begins also separates the zeroing of totals from the next additions. */
static __global__ void __launch_bounds__(TILE_THREADS)
    bounds_kernel(half_rows a, int64_t rows, half_rows b, const int32_t *order,
                  const target_tile *tiles, int64_t tile_count, int64_t units, int64_t groups,
                  bound_sums *sums) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    CUDA_SHARED(bound_sums, totals, 2 * TILE_ROWS);
    int64_t first = (int64_t)blockIdx.x * TILE_ROWS;
    int64_t each = (tile_count + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * each;
    int64_t end = begin + each < tile_count ? begin + each : tile_count;
    bound_sums *warp_totals = totals + (int)threadIdx.x / CUDA_LANES % 2 * TILE_ROWS;
    for (int r = (int)threadIdx.x; r < 2 * TILE_ROWS; r += TILE_THREADS) totals[r] = {0.0, 0.0};
    for (int64_t n = begin; n < end; n++) {
        target_tile tile = tiles[n];
        auto line = [&](int l) {
            int64_t i = first + l < rows ? first + l : rows - 1;
            int t = l - TILE_ROWS < tile.count ? l - TILE_ROWS : tile.count - 1;
            if (l < TILE_ROWS) return (const half_unit *)a.units + i * units;
            return (const half_unit *)b.units + order[tile.first + t] * units;
        };
        tile_sums products;
        tile_products(memory, line, units, rows - first, tile.count, &products);
        if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
        add_distances(products, a, first, rows, b, order, tile, warp_totals);
        /* After the last tile of the group, or of the section, the totals go to sums. */
        if (n + 1 < end && tiles[n + 1].group == tile.group) continue;
        __syncthreads();
        for (int r = (int)threadIdx.x; r < TILE_ROWS; r += TILE_THREADS) {
            bound_sums both = {totals[r].roots + totals[TILE_ROWS + r].roots,
                               totals[r].errors + totals[TILE_ROWS + r].errors};
            totals[r] = totals[TILE_ROWS + r] = {0.0, 0.0};
            if (first + r >= rows) continue;
            bound_sums *sum = sums + (blockIdx.y * rows + first + r) * groups + tile.group;
            *sum = {sum->roots + both.roots, sum->errors + both.errors};
        }
    }
}

/* Makes the intervals low, high [rows, groups] of the sums [sections, rows, groups] of a chunk,
 * which are added in order of the sections; a thread has one row and group. bounded: there are at
 * most MAX_BOUND_TARGETS targets, for which the error bound is derived; otherwise, and where a sum
 * is infinite or NaN (far rows), the interval is 0 to infinity. mask [rows]: 0 is not written;
 * NULL: all are. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    bounds_end(int64_t rows, int64_t groups, int64_t sections, const bound_sums *sums, bool bounded,
               const uint8_t *mask, double *low, double *high) {
    int64_t entry = thread_index();
    if (entry >= rows * groups || (mask && !mask[entry / groups])) return;
    double sum = 0.0, error = 0.0;
    for (int64_t n = 0; n < sections; n++) {
        sum = sum + sums[n * rows * groups + entry].roots;
        error = error + sums[n * rows * groups + entry].errors;
    }
    error = error * 1.01 + BOUND_SHARE * sum;
    /* False for a NaN too: the interval is then 0 to infinity. */
    bounded = bounded && sum + error < HUGE_VAL;
    low[entry] = bounded && sum > error ? (sum - error) * (1.0 - 1e-15) : 0.0;
    high[entry] = bounded ? (sum + error) * (1.0 + 1e-15) : HUGE_VAL;
}

/* The targets of a part, by group, as tiles in the order of the groups. */
std::vector<target_tile> cut(const grouping &by) {
    std::vector<target_tile> tiles;
    for (size_t g = 0; g < by.groups.size(); g++)
        for (int32_t t = by.starts[g]; t < by.starts[g + 1]; t += TILE_OTHERS)
            tiles.push_back(
                {t, std::min<int32_t>(TILE_OTHERS, by.starts[g + 1] - t), by.groups[g]});
    return tiles;
}
} // namespace

/* Writes low, high [rows, groups], the intervals around the sums of distances; called by
 * distance_bounds when the filter pays. Each chunk of rows meets all parts of the targets before
 * its intervals are made. group [targets] is on the host, NULL: one group; groups is at least 1. */
void bound_distances(call &c, const alcore_sys_rows *rows, const uint8_t *mask,
                     const alcore_sys_rows *targets, const int32_t *group, int64_t groups,
                     double *low, double *high) {
    int64_t dims = rows->dims, units = half_units(dims);
    int64_t max_sections = std::max<int64_t>(
        1, std::min(MAX_BOUND_SECTIONS, MAX_SECTION_GROUPS / std::max<int64_t>(groups, 1)));
    operand_parts others(c, targets, INT64_MAX /* rows of a part: as memory allows */,
                         true /* filters */, ALCORE_SYS_L2);
    grouping by;
    pipeline pass(c, rows->count);
    size_t bytes = (size_t)groups * sizeof *low;
    pass.limit_products((double)dims * (double)others.step, LAUNCH_HALVES);
    int matrix = pass.rows(rows);
    half_column halves(c, pass, rows, ALCORE_SYS_L2);
    int partial = pass.scratch((size_t)(max_sections * groups) * sizeof(bound_sums));
    int mask_column = pass.row_mask(mask);
    int low_column = pass.out(low, bytes), high_column = pass.out(high, bytes);
    pass.run([&](const chunk &piece) {
        row_set set = chunk_rows(piece, rows, matrix);
        half_rows half = halves.of(piece, set).half;
        int64_t blocks = blocks_for(piece.count, TILE_ROWS);
        int64_t sections = std::min(max_sections, (WANTED_BOUND_BLOCKS + blocks - 1) / blocks);
        bound_sums *sums = piece.get<bound_sums>(partial);
        c.check(cudaMemsetAsync(sums, 0, (size_t)(sections * piece.count * groups) * sizeof *sums,
                                c.compute),
                "clearing sums");
        for (int64_t first = 0, count; first < targets->count; first += count) {
            count = others.part(first);
            group_rows(group ? group + first : nullptr, count, groups, &by);
            if (by.order.empty()) continue;
            const std::vector<target_tile> list = cut(by);
            const int32_t *order = c.to_device(by.order);
            const target_tile *tiles = c.to_device(list);
            dim3 grid((unsigned)blocks, (unsigned)sections);
            CUDA_LAUNCH(bounds_kernel, grid, TILE_THREADS, c.compute, half, piece.count,
                        others.half, order, tiles, (int64_t)list.size(), units, groups, sums);
            c.launched();
            c.deallocate(order);
            c.deallocate(tiles);
        }
        CUDA_LAUNCH(bounds_end, blocks_for(piece.count * groups, CUDA_THREADS), CUDA_THREADS,
                    c.compute, piece.count, groups, sections, sums,
                    targets->count <= MAX_BOUND_TARGETS, piece.get<const uint8_t>(mask_column),
                    piece.get<double>(low_column), piece.get<double>(high_column));
    });
}

} // namespace alcore_cuda
