/* SPDX-License-Identifier: Apache-2.0 */
/* The best other of each row, found with a filter in half precision: for nearest_centroid (the
 * others are centroids) and margin_ratios. Two kernels: best_filter compares TILE_ROWS rows a block
 * with all of their others, tile by tile, and lists the candidates of each row; best_rerank
 * computes the values of the candidates in double, a warp a row.
 *
 * i counts the rows of a chunk, j the others of a part. A task is what one block has: some rows and
 * their others. product(p, q) of a tile is that of row product_row(p) and other product_other(q);
 * tile_products() begins with a barrier.
 *
 * The filter gives an interval low .. high for each score (the larger the better). The largest
 * `low` of a row discards every other whose `high` is below it, since the best score is at least as
 * large. A maximum does not depend on the order in which threads find its terms, so the result does
 * not either. Cost: rows x others x dims multiply-adds in half precision, and a few values in
 * double a row. */
#ifndef ALCORE__CUDA_BEST_CUH
#define ALCORE__CUDA_BEST_CUH

#include <algorithm>

#include "cuda_filter.cuh"
#include "cuda_top_k.cuh"

namespace alcore_cuda {

/* The rows of one block, at most TILE_ROWS (without a filter those of a warp), and the others that
 * they are compared with. */
struct best_task {
    int32_t first, count; /* the rows order[first] .. order[first + count - 1] of the chunk; without
                             an order the rows first .. first + count - 1 */
    int64_t start, end;   /* the others start .. end - 1 */
};

/* Capacity of the candidate list of a row and section (a share of the others). A row with more
 * candidates is compared with all of its others in double. */
enum { BEST_CAPACITY = 16 };

/* The others of a task are divided into sections, a block each, when there are fewer tasks than the
 * WANTED_BEST_BLOCKS blocks that keep a large device busy: two for each of the 132 multiprocessors
 * of an H200. */
enum { MAX_SECTIONS = 8 };
const int64_t WANTED_BEST_BLOCKS = 264;

/* Results of the filter, by section of the others and row of the chunk, on the device. Rows of no
 * task have none. */
struct best_lists {
    int64_t rows;         /* of the chunk */
    int sections;         /* that the others of a task are divided into */
    float *max_low;       /* [sections, rows] the largest lower bound of a score */
    float *max_refused;   /* [sections, rows] upper bound of the scores of all others that were
                             discarded; minus infinity: none was */
    int *candidate_count; /* [sections, rows] candidates, with those that did not fit the list */
    scored_other *list;   /* [sections, rows, BEST_CAPACITY] candidates: index j of the other, and
                             upper bound of its score; in any order */
};

/* Device memory of best_lists for each row. */
const size_t BEST_BYTES =
    MAX_SECTIONS * (BEST_CAPACITY * sizeof(scored_other) + 2 * sizeof(float) + sizeof(int));

/* The lists of one section: its arrays begin at the section. */
__device__ inline best_lists section_of(const best_lists &lists, int section) {
    int64_t skipped = section * lists.rows;
    return {lists.rows,
            lists.sections,
            lists.max_low + skipped,
            lists.max_refused + skipped,
            lists.candidate_count + skipped,
            lists.list + skipped * BEST_CAPACITY};
}

/* An integer for each float in the same order, for atomicMax, which has no float form, and back.
 * ordered_bits is its own inverse: it inverts the magnitude bits of negative floats. */
__device__ inline int ordered_bits(int bits) {
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}
__device__ inline int ordered_of(float x) {
    return ordered_bits(__float_as_int(x));
}
__device__ inline float float_of_ordered(int ordered) {
    return __int_as_float(ordered_bits(ordered));
}

/* First kernel: a block has the rows of tasks[blockIdx.x] and section blockIdx.y of their others,
 * and fills the lists of that section. a, b: rows and others in half precision, `units` units of 8
 * components each; order: what tasks index, NULL: none. The functions of the body:
 *   - begin(i): a lower bound of the best score of row i that is known before; -infinity: none.
 *   - score(upper, error, i, j, y, &high, &low): whether other j, with stats y, takes part, and
 *     bounds of its score. upper: an upper bound of the dot product (cosine) of the pair, U of
 *     cuda_filter.cuh; upper - error: a lower bound of it.
 * For each tile pass 0 raises the lower bounds by the whole tile, pass 1 lists what they leave and
 * raises none; a barrier ends each pass. Rows behind the last of a task, which has one at least,
 * are read as the last one and written nowhere. A section behind the last other compares nothing:
 * its list is empty, and its bounds are those before the first tile. */
template <class Body>
static __global__ void __launch_bounds__(TILE_THREADS)
    best_filter(half_rows a, const int32_t *order, const best_task *tasks, half_rows b,
                int64_t units, Body body, best_lists lists) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    /* By row of the tile, bounds as ordered_of(). max_low: the largest lower bound so far;
     * max_low_before: that before the present tile, which stays as it is in pass 0, so that no
     * thread reads what others change; max_refused: the largest upper bound that was discarded;
     * candidate_count: entries of the list, those that did not fit included. */
    CUDA_SHARED(int, max_low, TILE_ROWS);
    CUDA_SHARED(int, max_low_before, TILE_ROWS);
    CUDA_SHARED(int, max_refused, TILE_ROWS);
    CUDA_SHARED(int, candidate_count, TILE_ROWS);
    best_task task = tasks[blockIdx.x];
    auto tile_row_index = [&](int r) {
        int entry = task.first + (r < task.count ? r : task.count - 1);
        return (int64_t)(order ? order[entry] : entry);
    };
    for (int r = (int)threadIdx.x; r < TILE_ROWS; r += TILE_THREADS) {
        max_low_before[r] = max_low[r] = ordered_of(body.begin(tile_row_index(r)));
        max_refused[r] = ordered_of(-HUGE_VALF);
        candidate_count[r] = 0;
    }
    int64_t tiles = (task.end - task.start + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t section_others = (tiles + lists.sections - 1) / lists.sections * TILE_OTHERS;
    int64_t begin = task.start + blockIdx.y * section_others;
    int64_t end = begin + section_others < task.end ? begin + section_others : task.end;
    best_lists lists_here = section_of(lists, (int)blockIdx.y);
    for (int64_t other = begin; other < end; other += TILE_OTHERS) {
        auto line = [&](int n) {
            int64_t j = other + n - TILE_ROWS;
            if (n < TILE_ROWS) return (const half_unit *)a.units + tile_row_index(n) * units;
            return (const half_unit *)b.units + (j < end ? j : end - 1) * units;
        };
        tile_sums sums;
        tile_products(memory, line, units, task.count, end - other, &sums);
        if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
#pragma unroll
        for (int pass = 0; pass < 2; pass++) {
#pragma unroll
            for (int p = 0; p < WARP_DOWN * 2; p++) {
                int r = product_row(p);
                int64_t i = tile_row_index(r);
                half_stats x = a.stats[i];
                float raised_low = -HUGE_VALF, discarded = -HUGE_VALF,
                      limit = float_of_ordered(pass == 0 ? max_low_before[r] : max_low[r]);
#pragma unroll
                for (int q = 0; q < WARP_ACROSS * 2; q++) {
                    int64_t j = other + product_other(q);
                    if (j >= end || r >= task.count) continue;
                    half_stats y = b.stats[j];
                    float upper = filter_upper(sums.product(p, q), x, y), high, low;
                    float error = 2.0f * filter_error(x, y);
                    if (!body.score(upper, error, i, j, y, &high, &low)) continue;
                    if (pass == 0) {
                        if (low > raised_low) raised_low = low;
                    } else if (high < limit) {
                        if (high > discarded) discarded = high;
                    } else {
                        int entry = atomicAdd(&candidate_count[r], 1);
                        if (entry < BEST_CAPACITY)
                            lists_here.list[i * BEST_CAPACITY + entry] = {high, (int32_t)j};
                    }
                }
                if (pass == 0 && raised_low > limit) atomicMax(&max_low[r], ordered_of(raised_low));
                if (discarded > -HUGE_VALF) atomicMax(&max_refused[r], ordered_of(discarded));
            }
            for (int r = (int)threadIdx.x; pass == 1 && r < TILE_ROWS; r += TILE_THREADS)
                max_low_before[r] = max_low[r];
            __syncthreads();
        }
    }
    __syncthreads();
    for (int r = (int)threadIdx.x; r < task.count; r += TILE_THREADS) {
        lists_here.max_low[tile_row_index(r)] = float_of_ordered(max_low[r]);
        lists_here.max_refused[tile_row_index(r)] = float_of_ordered(max_refused[r]);
        lists_here.candidate_count[tile_row_index(r)] = candidate_count[r];
    }
}

/* Second kernel: block b has the rows of tasks[b]; a warp computes the candidates of a row in
 * double, or all of its others when a list overflowed, and reports the best. The members of the
 * body:
 *   - in_mask(i), other_in_mask(j): whether row and other take part.
 *   - LARGEST: whether larger values are better.
 *   - first(i): the best entry before this call; row -1: none.
 *   - value(i, j, task): the entry of other j, computed in double; the warp calls it together. A
 *     NaN is never the best. Its `row` is the body's number of the other, 0 or more and growing
 *     with j, as ties go to the lower one: j itself, or the pool row. first() counts likewise.
 *   - end(i, best, second, max_refused, task): called by one thread a row. best: the best entry,
 *     perhaps that of first(); second: the best value of the other entries, that of first() among
 *     them where a computed one was better, infinitely bad without one, NaN where one of them was;
 *     max_refused: an upper bound of the scores of all others that were not computed, minus
 *     infinity when all were. */
template <class Body>
static __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS)
    best_rerank(const int32_t *order, const best_task *tasks, Body body, best_lists lists) {
    best_task task = tasks[blockIdx.x];
    for (int r = (int)threadIdx.x / CUDA_LANES; r < task.count; r += CUDA_WARPS) {
        int64_t i = order ? order[task.first + r] : task.first + r;
        if (!body.in_mask(i)) continue;
        /* A lower bound from one section discards candidates of the other sections, too. */
        bool all = false;
        float max_low = -HUGE_VALF, max_refused = -HUGE_VALF;
        for (int n = 0; n < lists.sections; n++) {
            best_lists lists_here = section_of(lists, n);
            all = all || lists_here.candidate_count[i] > BEST_CAPACITY;
            max_low = lists_here.max_low[i] > max_low ? lists_here.max_low[i] : max_low;
            max_refused =
                lists_here.max_refused[i] > max_refused ? lists_here.max_refused[i] : max_refused;
        }
        top_entry best = body.first(i);
        double second = Body::LARGEST ? -HUGE_VAL : HUGE_VAL;
        auto evaluate = [&](int64_t j) {
            if (!body.other_in_mask(j)) return;
            if (lane_id() == 0) CUDA_COUNT(DECIDED_PAIRS);
            top_entry entry = body.value(i, j, task);
            double loser = entry.value;
            if (entry.value == entry.value && nearer(entry, best, Body::LARGEST)) {
                loser = best.row < 0 ? second : best.value;
                best = entry;
            }
            if (loser != loser || (Body::LARGEST ? loser > second : loser < second)) second = loser;
        };
        if (all) {
            if (lane_id() == 0) CUDA_COUNT(FALL_BACKS);
            for (int64_t j = task.start; j < task.end; j++) evaluate(j);
            max_refused = -HUGE_VALF;
        }
        for (int n = 0; n < lists.sections && !all; n++) {
            best_lists lists_here = section_of(lists, n);
            for (int c = 0; c < lists_here.candidate_count[i]; c++) {
                scored_other candidate = lists_here.list[i * BEST_CAPACITY + c];
                if (!(candidate.score < max_low))
                    evaluate(candidate.other);
                else if (candidate.score > max_refused)
                    max_refused = candidate.score;
            }
        }
        if (lane_id() == 0) body.end(i, best, second, max_refused, task);
    }
}

/* Runs both kernels for `count` tasks, at least one, on the compute stream. tasks [count] and order
 * (what the tasks index; NULL: none) are on the device; rows [row_count], others: in half
 * precision, made by convert_set() for the body's metric; max_others: the largest number of others
 * of a task, which limits the sections; memory: BEST_BYTES bytes of the device for each of
 * row_count rows, of any content, free again when the kernels are done. */
template <class Body>
void filter_and_rerank(call &c, const half_rows &rows, int64_t row_count, const int32_t *order,
                       const best_task *tasks, int64_t count, const half_rows &others,
                       int64_t max_others, int64_t dims, const Body &body, char *memory) {
    int64_t sections = std::min<int64_t>(MAX_SECTIONS, (WANTED_BEST_BLOCKS + count - 1) / count);
    sections =
        std::max<int64_t>(1, std::min(sections, (max_others + TILE_OTHERS - 1) / TILE_OTHERS));
    int64_t entries = row_count * sections;
    best_lists lists = best_lists();
    lists.rows = row_count;
    lists.sections = (int)sections;
    lists.list = (scored_other *)memory;
    lists.max_low = (float *)(lists.list + entries * BEST_CAPACITY);
    lists.max_refused = lists.max_low + entries;
    lists.candidate_count = (int *)(lists.max_refused + entries);
    dim3 blocks((unsigned)count, (unsigned)sections);
    CUDA_LAUNCH((best_filter<Body>), blocks, TILE_THREADS, c.compute, rows, order, tasks, others,
                half_units(dims), body, lists);
    CUDA_LAUNCH((best_rerank<Body>), (unsigned)count, CUDA_THREADS, c.compute, order, tasks, body,
                lists);
    c.launched();
}

} // namespace alcore_cuda

#endif
