/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of weights and draws by them (spec 1.7 and 1.8). A sum is sequential by definition:
 * one thread adds, and its block reads the weights. run_totals adds several blocks of the pool side
 * by side and keeps the running sums; draw_rows finds a block by the totals and an item in it by
 * the running sums, and copies the rows of the item, so that nothing of a draw passes through the
 * host. Cost: one dependent addition a weight for totals, one a block of the pool for a draw.
 *
 * The blocks of spec 1.7 are runs of items, and have nothing to do with thread blocks. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* Weights that the block of a running sum has in shared memory at a time, and how many of them each
 * of its threads reads: entry k of thread t is number k * CUDA_THREADS + t of the tile. */
enum { SUM_SHARE = 4, SUM_TILE = SUM_SHARE * CUDA_THREADS };

/* own = the thread's share of the tile that begins at value `begin`; 0 behind the end and where the
 * mask leaves one out, which changes no sum. */
__device__ inline void load_share(int64_t begin, int64_t end, const uint8_t *mask,
                                  const double *values, double own[SUM_SHARE]) {
#pragma unroll
    for (int k = 0; k < SUM_SHARE; k++) {
        int64_t i = begin + k * CUDA_THREADS + (int)threadIdx.x;
        own[k] = i < end && (!mask || mask[i]) ? values[i] : 0.0;
    }
}

/* The running sum of values first .. end - 1 within the mask (NULL: all), on top of `sum`, in
 * order, as spec 1.8 writes it; the threads of a block call it together, and thread 0 returns it.
 * Thread 0 adds the values of a tile [SUM_TILE], shared, while all threads have those of the next
 * one on their way. sums: sums[i] becomes the sum up to value i, within the mask; NULL: not wanted.
 */
__device__ inline double add_in_order(int64_t first, int64_t end, const uint8_t *mask,
                                      const double *values, double sum, double *sums,
                                      double *tile) {
    double next[SUM_SHARE];
    load_share(first, end, mask, values, next);
    for (int64_t begin = first; begin < end; begin += SUM_TILE) {
#pragma unroll
        for (int k = 0; k < SUM_SHARE; k++) tile[k * CUDA_THREADS + (int)threadIdx.x] = next[k];
        __syncthreads(); /* the tile is complete */
        load_share(begin + SUM_TILE, end, mask, values, next);
        if (threadIdx.x == 0) {
#pragma unroll 16
            for (int k = 0; k < SUM_TILE; k++) {
                CUDA_COUNT(ORDERED_ADDITIONS);
                sum = sum + tile[k];
                tile[k] = sum;
            }
        }
        __syncthreads(); /* the sums are complete */
        for (int k = 0; sums && k < SUM_SHARE; k++) {
            const int at = k * CUDA_THREADS + (int)threadIdx.x;
            if (begin + at < end && (!mask || mask[begin + at])) sums[begin + at] = tile[at];
        }
        __syncthreads(); /* the tile may be overwritten */
    }
    return sum;
}

/* Adds values [count] of a chunk, within the mask [count] (NULL: all), in order, to *total, the sum
 * of earlier chunks, which begins as 0. One block. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    total_kernel(int64_t count, const uint8_t *mask, const double *values, double *total) {
    CUDA_SHARED(double, tile, SUM_TILE);
    double sum = add_in_order(0, count, mask, values, *total, nullptr, tile);
    if (threadIdx.x == 0) *total = sum;
}

/* totals[b] = the sum of values starts[b] .. starts[b + 1] - 1 for the thread block b: mask (NULL:
 * all) and values counted from the first of all runs; sums[i]: the running sum up to value i. The
 * runs are added side by side. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    run_totals_kernel(const int64_t *starts, const uint8_t *mask, const double *values,
                      double *sums, double *totals) {
    CUDA_SHARED(double, tile, SUM_TILE);
    const int64_t end = starts[blockIdx.x + 1];
    double sum = add_in_order(starts[blockIdx.x], end, mask, values, 0.0, sums, tile);
    if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

/* What a thread or a block has found of a draw: numbers of values, -1: none. */
struct draw_hits {
    int64_t first; /* the lowest that is drawn */
    int64_t last;  /* the highest of a positive weight, which is drawn where none else is */
};

/* Where a draw goes on: in this block, on top of the sum of the blocks before it. */
struct block_draw {
    int64_t block; /* -1: no block has a weight */
    double before, target;
};

/* The first block with which the running sum of totals [blocks] exceeds u times their sum. Where
 * rounding leaves none it is the last one with a weight, and before, minus infinity, lets no sum
 * inside it exceed the target. One thread calls it. */
__device__ inline block_draw draw_block(const double *totals, int64_t blocks, double u) {
    double total = 0.0, sum = 0.0;
    int64_t last = -1;
    for (int64_t b = 0; b < blocks; b++) {
        if (totals[b] > 0.0) last = b;
        total = total + totals[b];
    }
    const double target = u * total;
    for (int64_t b = 0; b < blocks && last >= 0; b++) {
        const double before = sum;
        sum = sum + totals[b];
        if (sum > target) return {b, before, target};
    }
    return {last, -(double)INFINITY, target};
}

/* What draw_rows is given: draws as the caller has them, with arrays on the device, and the
 * matrices of which it takes rows; `dims`: the sum of theirs. */
struct draws_given {
    double u[ALCORE_SYS_DRAWS];
    block_draw fixed; /* without totals: the block is known */
    int64_t blocks, first, own;
    const double *totals;  /* [blocks] */
    const int64_t *starts; /* [own + 1] */
    int64_t matrices, dims;
    row_set rows[ALCORE_SYS_DRAWN_MATRICES];
    int32_t dtypes[ALCORE_SYS_DRAWN_MATRICES];
};

/* found[d] and vectors[d, dims] of draw d, by the thread block d. The running sums are kept, and
 * nothing is added to them but the blocks before, so all threads look at them at once. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    draw_rows_kernel(draws_given given, const uint8_t *mask, const double *values,
                     const double *sums, alcore_sys_drawn *found, double *vectors) {
    CUDA_SHARED(draw_hits, memory, CUDA_THREADS);
    CUDA_SHARED(block_draw, drawn, 1);
    const int64_t d = blockIdx.x;
    if (threadIdx.x == 0)
        drawn[0] = given.totals ? draw_block(given.totals, given.blocks, given.u[d]) : given.fixed;
    __syncthreads(); /* the block is known */
    const block_draw draw = drawn[0];
    const int64_t own = draw.block - given.first;
    if (draw.block < 0 && threadIdx.x == 0) found[d] = {-1, -1};
    if (draw.block < 0 || own < 0 || own >= given.own) return;
    draw_hits hits = {-1, -1};
    for (int64_t i = given.starts[own] + threadIdx.x; i < given.starts[own + 1];
         i += CUDA_THREADS) {
        if ((mask && !mask[i]) || !(values[i] > 0.0)) continue;
        if (hits.first < 0 && draw.before + sums[i] > draw.target) hits.first = i;
        hits.last = i;
    }
    hits = joined_in_block(hits, memory, [](draw_hits *all, draw_hits other) {
        if (other.first >= 0 && (all->first < 0 || other.first < all->first))
            all->first = other.first;
        if (other.last > all->last) all->last = other.last;
    });
    const int64_t item = hits.first >= 0 ? hits.first : hits.last;
    if (threadIdx.x == 0) found[d] = {draw.block, item};
    vectors += d * given.dims;
    for (int64_t m = 0; m < given.matrices; m++) {
        CUDA_EACH_DTYPE(given.dtypes[m], (take_row<DTYPE>(given.rows[m], item, vectors)));
        vectors += given.rows[m].dims;
    }
}

/* The item behind the last of `runs` runs, which follow one another from starts[0] on; throws where
 * they do not. starts [runs + 1]: in host memory. */
int64_t check_runs(const alcore_sys_work *work, int64_t runs, const int64_t *starts) {
    bool ascending = starts[0] >= 0;
    for (int64_t b = 0; b < runs; b++) ascending = ascending && starts[b] <= starts[b + 1];
    if (!ascending) fail(work, ALCORE_E_INVALID, "the runs of a sum do not follow one another");
    return starts[runs];
}
} // namespace

void add_to_total(cudaStream_t stream, int64_t count, const uint8_t *mask, const double *values,
                  double *total) {
    CUDA_LAUNCH(total_kernel, 1, CUDA_THREADS, stream, count, mask, values, total);
}

/* Kernel table: totals [runs], the sum of values starts[b] .. starts[b + 1] - 1, within the mask,
 * for each run b; mask, values and, where they are wanted, the running sums [starts[runs]]. One
 * launch, so that the additions of a run, which follow one another by definition, wait for no other
 * run. */
alcore_status run_totals(const alcore_sys_work *work, int64_t runs, const int64_t *starts,
                         const uint8_t *mask, const double *values, double *sums, double *totals) {
    return guarded(work, [&](call &c) {
        c.check_count(runs);
        if (runs == 0) return;
        std::vector<int64_t> memory;
        const int64_t *host_starts = c.to_host(starts, runs + 1, &memory);
        const int64_t count = check_runs(work, runs, host_starts);
        const int64_t *device_starts = c.to_device(starts, runs + 1);
        const uint8_t *device_mask = c.to_device(mask, count);
        const double *device_values = c.to_device(values, count);
        /* Sums outside the mask stay. Those before the first run are not copied either: another
         * call may write them meanwhile. */
        const int64_t first = host_starts[0];
        double *device_totals = c.output(totals, runs), *own_sums = sums ? sums + first : nullptr,
               *device_sums = c.in_out(own_sums, count - first);
        CUDA_LAUNCH(run_totals_kernel, (unsigned)runs, CUDA_THREADS, c.compute, device_starts,
                    device_mask, device_values, device_sums ? device_sums - first : nullptr,
                    device_totals);
        c.launched();
        c.hand_back(own_sums, device_sums, count - first);
        c.hand_back(totals, device_totals, runs);
    });
}

/* Kernel table: draws->count draws by weight among all blocks of a pool, of which the call has
 * `own`. values [items]: the weights, within the mask [items]; sums [items] their running sums in
 * each block and draws->totals its last one, as run_totals has made them. found [draws] gets block
 * and item of each draw, vectors [draws, all dims] the item's row of each of the matrices, one
 * behind the other, where the block is one of the call's; other entries belong to calls for other
 * blocks, which may write them meanwhile: where kernels cannot write both arrays in place, they
 * write copies, of which only the entries of this call are copied back. */
alcore_status draw_rows(const alcore_sys_work *work, const alcore_sys_draws *draws,
                        const uint8_t *mask, const double *values, const double *sums,
                        int64_t matrices, const alcore_sys_rows *rows, alcore_sys_drawn *found,
                        double *vectors) {
    return guarded(work, [&](call &c) {
        const int64_t count = draws->count;
        c.check_count(count);
        c.check_count(draws->blocks);
        c.check_count(draws->own);
        c.check_count(matrices);
        if (count > ALCORE_SYS_DRAWS || matrices > ALCORE_SYS_DRAWN_MATRICES)
            fail(work, ALCORE_E_INVALID, "a call has too many draws, or too many matrices");
        if (count == 0) return;
        std::vector<int64_t> memory;
        const int64_t end =
            check_runs(work, draws->own, c.to_host(draws->starts, draws->own + 1, &memory));
        draws_given given = {};
        given.fixed.block = -1;
        memcpy(given.u, draws->u, (size_t)count * sizeof *draws->u);
        given.blocks = draws->blocks;
        given.first = draws->first;
        given.own = draws->own;
        given.totals = c.to_device(draws->totals, draws->blocks);
        given.starts = c.to_device(draws->starts, draws->own + 1);
        given.matrices = matrices;
        for (int64_t m = 0; m < matrices; m++) {
            given.rows[m] = whole_rows(c, &rows[m]);
            given.dtypes[m] = rows[m].dtype;
            given.dims += rows[m].dims;
        }
        const uint8_t *device_mask = c.to_device(mask, end);
        const double *device_values = c.to_device(values, end),
                     *device_sums = c.to_device(sums, end);
        double *taken = c.output(vectors, count * given.dims);
        const bool in_place = taken == vectors && c.in_place(found, alignof(alcore_sys_drawn));
        const int64_t NOT_WRITTEN = -2; /* no number of a block, and not -1 */
        std::vector<alcore_sys_drawn> drawn((size_t)count, {NOT_WRITTEN, NOT_WRITTEN});
        alcore_sys_drawn *device_found = in_place ? found : c.in_out(drawn.data(), count);
        CUDA_LAUNCH(draw_rows_kernel, (unsigned)count, CUDA_THREADS, c.compute, given, device_mask,
                    device_values, device_sums, device_found, taken);
        c.launched();
        if (in_place) return;
        c.download(drawn.data(), device_found, (size_t)count * sizeof *found);
        for (int64_t d = 0; d < count; d++) {
            const alcore_sys_drawn &draw = drawn[(size_t)d];
            if (draw.block == NOT_WRITTEN) continue;
            c.write_back(&found[d], &draw, sizeof draw);
            if (taken != vectors && draw.block >= 0)
                c.download(vectors + d * given.dims, taken + d * given.dims,
                           (size_t)given.dims * sizeof *vectors);
        }
    });
}

/* Kernel table: the first item, in order, whose running sum of weights, which starts at `before`,
 * exceeds `target`; without one the last item of a positive weight; -1: none has a weight, or
 * there is no item. */
alcore_status draw(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                   const double *values, double before, double target, int64_t *item) {
    return guarded(work, [&](call &c) {
        c.check_count(count);
        const int64_t run[] = {0, count};
        draws_given given = {};
        given.fixed = {0 /* the only block */, before, target};
        given.own = 1;
        given.starts = c.to_device(run, 2);
        const uint8_t *device_mask = c.to_device(mask, count);
        const double *device_values = c.to_device(values, count);
        double *sums = c.allocate_array<double>(count + 1); /* and the total, which is not used */
        alcore_sys_drawn *found = c.allocate_array<alcore_sys_drawn>(1);
        CUDA_LAUNCH(run_totals_kernel, 1, CUDA_THREADS, c.compute, given.starts, device_mask,
                    device_values, sums, sums + count);
        CUDA_LAUNCH(draw_rows_kernel, 1, CUDA_THREADS, c.compute, given, device_mask, device_values,
                    sums, found, nullptr /* no rows */);
        c.launched();
        c.download(item, &found->item, sizeof *item);
    });
}

} // namespace alcore_cuda
