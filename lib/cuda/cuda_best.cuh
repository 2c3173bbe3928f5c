/* SPDX-License-Identifier: Apache-2.0 */
/* The best other of each row with a filter in half precision: a block compares TILE_ROWS rows
 * with all of their others, tile by tile, and lists the candidates of each row; then warps compute
 * the values of the candidates in double.
 *
 * The filter knows each score up to an error: high and low bound it. The largest `low` that a row
 * has seen refuses every other whose `high` is below it, since the best score is at least as large.
 * A maximum does not depend on the order in which threads find its terms, so the outcome does not
 * either. */
#ifndef ALCORE__CUDA_BEST_CUH
#define ALCORE__CUDA_BEST_CUH

#include <algorithm>

#include "cuda_filter.cuh"
#include "cuda_top_k.cuh"

namespace alcore_cuda {

/* The rows of one block and the others that they are compared with. */
struct best_task {
    int32_t first, count; /* entries first .. first + count - 1 of the array `order` of rows */
    int64_t start, end;   /* others start .. end - 1 */
};

/* Candidates that a row can list; a row with more is compared with all of its others in double. */
enum { BEST_CAPACITY = 16 };

/* Others are cut into sections when there are fewer tasks than blocks that keep a device busy. */
enum { MAX_SECTIONS = 8 };
const int64_t WANTED_TILES = 264;

/* Results of the filter, by section of the others and row. */
struct best_lists {
    int64_t rows;
    int sections;
    float *least;   /* [sections, rows] the largest lower bound of a score */
    float *refused; /* [sections, rows]: at least the scores of others that are not on the list */
    int *found;     /* [sections, rows] candidates, also those that had no place on the list */
    scored_other *list; /* [sections, rows, BEST_CAPACITY] */
};

/* Bytes of best_lists for each row. */
const size_t BEST_BYTES =
    MAX_SECTIONS * (BEST_CAPACITY * sizeof(scored_other) + 2 * sizeof(float) + sizeof(int));

__device__ inline best_lists section_of(const best_lists &lists, int section) {
    int64_t skipped = section * lists.rows;
    return {lists.rows,
            lists.sections,
            lists.least + skipped,
            lists.refused + skipped,
            lists.found + skipped,
            lists.list + skipped * BEST_CAPACITY};
}

/* Integers in the order of the floats, and back. */
__device__ inline int ordered_bits(int bits) {
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}
__device__ inline int ordered_of(float x) {
    return ordered_bits(__float_as_int(x));
}
__device__ inline float float_of(int ordered) {
    return __int_as_float(ordered_bits(ordered));
}

/* Body: begin(i), what a score of row i must reach from the start; score(most, error, i, j, y,
 * high, low), whether other j with the stats y takes part, and bounds of its score, the larger the
 * better; error: twice how far the product may be off. order: rows of tasks, NULL: as they are. */
template <class Body>
static __global__ void __launch_bounds__(TILE_THREADS)
    best_filter(half_rows a, const int32_t *order, const best_task *tasks, half_rows b,
                int64_t units, Body body, best_lists lists) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    /* The largest lower bound of each row, as ordered_of(): least includes the present tile, known
     * does not and stays constant in pass 0. */
    CUDA_SHARED(int, least, TILE_ROWS);
    CUDA_SHARED(int, known, TILE_ROWS);
    CUDA_SHARED(int, refused, TILE_ROWS);
    CUDA_SHARED(int, found, TILE_ROWS);
    best_task task = tasks[blockIdx.x];
    auto row_at = [&](int r) {
        int at = task.first + (r < task.count ? r : task.count - 1);
        return (int64_t)(order ? order[at] : at);
    };
    for (int r = (int)threadIdx.x; r < TILE_ROWS; r += TILE_THREADS) {
        known[r] = least[r] = ordered_of(body.begin(row_at(r)));
        refused[r] = ordered_of(-HUGE_VALF);
        found[r] = 0;
    }
    int64_t tiles = (task.end - task.start + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t each = (tiles + lists.sections - 1) / lists.sections * TILE_OTHERS;
    int64_t begin = task.start + blockIdx.y * each;
    int64_t end = begin + each < task.end ? begin + each : task.end;
    best_lists own = section_of(lists, (int)blockIdx.y);
    for (int64_t other = begin; other < end; other += TILE_OTHERS) {
        auto line = [&](int n) {
            int64_t j = other + n - TILE_ROWS;
            if (n < TILE_ROWS) return (const half_unit *)a.units + row_at(n) * units;
            return (const half_unit *)b.units + (j < end ? j : end - 1) * units;
        };
        tile_sums sums;
        tile_products(memory, line, units, task.count, end - other, &sums);
        if (threadIdx.x == 0) CUDA_COUNT(FILTERED_TILES);
            /* Pass 0 raises the lower bounds by the whole tile, pass 1 lists what they do not
             * refuse. */
#pragma unroll
        for (int pass = 0; pass < 2; pass++) {
#pragma unroll
            for (int p = 0; p < WARP_DOWN * 2; p++) {
                int r = tile_row(p / 2, p % 2 * 2);
                int64_t i = row_at(r);
                half_stats x = a.stats[i];
                float raised = -HUGE_VALF, left = -HUGE_VALF,
                      reach = float_of(pass == 0 ? known[r] : least[r]);
#pragma unroll
                for (int q = 0; q < WARP_ACROSS * 2; q++) {
                    int64_t j = other + tile_other(q / 2, q % 2);
                    if (j >= end || r >= task.count) continue;
                    half_stats y = b.stats[j];
                    float error = filter_error(x, y), high, low;
                    float most =
                        sums.of[p / 2][q / 2][p % 2 * 2 + q % 2] * x.weight * y.weight + error;
                    if (!body.score(most, 2.0f * error, i, j, y, &high, &low)) continue;
                    if (pass == 0) {
                        if (low > raised) raised = low;
                    } else if (high < reach) {
                        if (high > left) left = high;
                    } else {
                        int at = atomicAdd(&found[r], 1);
                        if (at < BEST_CAPACITY)
                            own.list[i * BEST_CAPACITY + at] = {high, (int32_t)j};
                    }
                }
                if (pass == 0 && raised > reach) atomicMax(&least[r], ordered_of(raised));
                if (left > -HUGE_VALF) atomicMax(&refused[r], ordered_of(left));
            }
            for (int r = (int)threadIdx.x; pass == 1 && r < TILE_ROWS; r += TILE_THREADS)
                known[r] = least[r];
            __syncthreads();
        }
    }
    __syncthreads();
    for (int r = (int)threadIdx.x; r < task.count; r += TILE_THREADS) {
        own.least[row_at(r)] = float_of(least[r]);
        own.refused[row_at(r)] = float_of(refused[r]);
        own.found[row_at(r)] = found[r];
    }
}

/* Body: in_mask(i), other_in_mask(j); first(i), the best so far; value(i, j, task), what other j is
 * worth, which the warp calls together; LARGEST; end(i, best, second, refused, task), by one lane:
 * second, the best of the other values that were computed; refused, not below any other score. */
template <class Body>
static __global__ void __launch_bounds__(CUDA_THREADS)
    best_rerank(const int32_t *order, const best_task *tasks, Body body, best_lists lists) {
    best_task task = tasks[blockIdx.x];
    for (int r = (int)threadIdx.x / CUDA_LANES; r < task.count; r += CUDA_WARPS) {
        int64_t i = order ? order[task.first + r] : task.first + r;
        if (!body.in_mask(i)) continue;
        /* The lower bound of any section refuses candidates of the others. */
        bool all = false;
        float least = -HUGE_VALF, refused = -HUGE_VALF;
        for (int n = 0; n < lists.sections; n++) {
            best_lists own = section_of(lists, n);
            all = all || own.found[i] > BEST_CAPACITY;
            least = own.least[i] > least ? own.least[i] : least;
            refused = own.refused[i] > refused ? own.refused[i] : refused;
        }
        top_entry best = body.first(i);
        double second = Body::LARGEST ? -HUGE_VAL : HUGE_VAL;
        auto look_at = [&](int64_t j) {
            if (!body.other_in_mask(j)) return;
            if (lane_here() == 0) CUDA_COUNT(DECIDED_PAIRS);
            top_entry here = body.value(i, j, task);
            double behind = here.value;
            if (here.value == here.value && nearer(here, best, Body::LARGEST)) {
                behind = best.row < 0 ? second : best.value;
                best = here;
            }
            if (behind != behind || (Body::LARGEST ? behind > second : behind < second))
                second = behind;
        };
        if (all) {
            if (lane_here() == 0) CUDA_COUNT(FALL_BACKS);
            for (int64_t j = task.start; j < task.end; j++) look_at(j);
            refused = -HUGE_VALF;
        }
        for (int n = 0; n < lists.sections && !all; n++) {
            best_lists own = section_of(lists, n);
            for (int c = 0; c < own.found[i]; c++) {
                scored_other held = own.list[i * BEST_CAPACITY + c];
                if (!(held.score < least))
                    look_at(held.other);
                else if (held.score > refused)
                    refused = held.score;
            }
        }
        if (lane_here() == 0) body.end(i, best, second, refused, task);
    }
}

/* Runs the filter and the rerank. order and tasks [count]: on the device; memory: BEST_BYTES for
 * each of row_count rows; most: the largest number of others of a task. */
template <class Body>
void best_of(call &c, const half_rows &rows, int64_t row_count, const int32_t *order,
             const best_task *tasks, int64_t count, const half_rows &others, int64_t most,
             int64_t dims, const Body &body, char *memory) {
    int64_t sections = std::min<int64_t>(MAX_SECTIONS, (WANTED_TILES + count - 1) / count);
    sections = std::max<int64_t>(1, std::min(sections, (most + TILE_OTHERS - 1) / TILE_OTHERS));
    int64_t entries = row_count * sections;
    best_lists lists = {row_count, (int)sections, nullptr,
                        nullptr,   nullptr,       (scored_other *)memory};
    lists.least = (float *)(lists.list + entries * BEST_CAPACITY);
    lists.refused = lists.least + entries;
    lists.found = (int *)(lists.refused + entries);
    dim3 blocks((unsigned)count, (unsigned)sections);
    CUDA_LAUNCH((best_filter<Body>), blocks, TILE_THREADS, c.compute, rows, order, tasks, others,
                half_units(dims), body, lists);
    CUDA_LAUNCH((best_rerank<Body>), (unsigned)count, CUDA_THREADS, c.compute, order, tasks, body,
                lists);
    c.launched();
}

} // namespace alcore_cuda

#endif
