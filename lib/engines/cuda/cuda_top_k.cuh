/* SPDX-License-Identifier: Apache-2.0 */
/* The k best entries (value, row) of one item, kept sorted in shared memory by one block of
 * SELECT_THREADS threads: entries [SORTED] holds the best so far in 0 .. k - 1 and newcomers,
 * entries that were appended and not sorted in yet, from k on. The order is total (value, then
 * lower row, and no row occurs twice), so the order in which threads append newcomers does not
 * change the result. All threads of the block call these functions together. Cost of a join: a
 * bitonic sort of the next power of two. */
#ifndef ALCORE__CUDA_TOP_K_CUH
#define ALCORE__CUDA_TOP_K_CUH

#include "cuda_warp.cuh"

namespace alcore_cuda {

/* MAX_K: limit of k; SORTED: entries that one block can sort, best ones and newcomers. */
enum { MAX_K = 1024, SORTED = 2 * MAX_K, SELECT_THREADS = 128 };

/* A neighbor: its value by the metric and its pool row; row -1: an unused entry. Aligned so that
 * one instruction moves all of it to or from shared memory: two of half its size would each meet
 * the same banks twice. */
struct alignas(16) top_entry {
    double value;
    int64_t row;
};

/* The order of a search: the better value first (the larger one when `largest`), the lower row
 * among equals, unused entries last. */
__device__ inline bool nearer(const top_entry &a, const top_entry &b, bool largest) {
    if (a.row < 0) return false;
    if (b.row < 0) return true;
    if (a.value == b.value) return a.row < b.row;
    return largest ? a.value > b.value : a.value < b.value;
}

/* Sorts entries [count], count a power of two of at most SORTED, by nearer(): bitonic sort,
 * log2(count)^2 / 2 barriers. A pass compares the entries that are `gap` apart; runs of `size`
 * become sorted, by turns ascending and descending. Begins and ends with a barrier. */
__device__ inline void sort_entries(top_entry *entries, int count, bool largest) {
    for (int size = 2; size <= count; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            for (int t = (int)threadIdx.x; t < count / 2; t += SELECT_THREADS) {
                int low = t / gap * 2 * gap + t % gap, high = low + gap;
                top_entry first = entries[low], second = entries[high];
                bool descending = (low & size) != 0;
                if (descending ? nearer(first, second, largest) : nearer(second, first, largest)) {
                    entries[low] = second;
                    entries[high] = first;
                }
            }
        }
    }
    __syncthreads();
}

/* Merges the newcomers entries[k .. k + count - 1] into the k best entries: afterwards entries[0 ..
 * k - 1] are the best of all, sorted, and what lies behind is no longer needed. k + count is at
 * most SORTED. The caller has made all entries visible by a barrier; this ends with one. */
__device__ inline void join_entries(top_entry *entries, int k, int count, bool largest) {
    int all = k + count, sorted = 2;
    while (sorted < all) sorted *= 2;
    /* Unused entries, which sort last, fill up to the power of two. */
    for (int t = all + (int)threadIdx.x; t < sorted; t += SELECT_THREADS) entries[t] = {0.0, -1};
    sort_entries(entries, sorted, largest);
}

/* Merges what gather() finds among the others begin .. end - 1 into the k best entries. The others
 * are matrix rows of the other operand, to which gather() adds the first pool row. gather(first,
 * last) is called by all threads and compares the others first .. first + SELECT_THREADS - 1, with
 * a thread or a warp for each; those from `end` on it must leave out itself. It appends those
 * nearer than `last`, the worst entry, behind the k entries (never a NaN), and counts them in
 * newcomers[0], by atomicAdd(). Between joins `last` is that of the latest join, which lets more
 * newcomers in and loses none. Before the call newcomers[0] is 0 and a barrier has made the entries
 * visible. */
template <class Gather>
__device__ inline void join_others(top_entry *entries, int *newcomers, int k, int64_t begin,
                                   int64_t end, bool largest, const Gather &gather) {
    top_entry last = entries[k - 1];
    for (int64_t base = begin; base < end; base += SELECT_THREADS) {
        gather(base, last);
        __syncthreads();
        int count = newcomers[0];
        bool ends = base + SELECT_THREADS >= end;
        if (count > 0 && (ends || k + count + SELECT_THREADS > SORTED)) {
            join_entries(entries, k, count, largest);
            last = entries[k - 1];
            if (threadIdx.x == 0) newcomers[0] = 0;
        }
        __syncthreads();
    }
}

/* Copies the k entries of an item, rows and values [k], from device memory to entries[0 .. k - 1],
 * visible to other threads after a barrier; store_entries(), called after the barrier that ends a
 * join, copies them back, except unused ones, whose slots were unused before, too, as a join never
 * removes an entry without a nearer one. */
__device__ inline void load_entries(top_entry *entries, int k, const int64_t *rows,
                                    const double *values) {
    for (int t = (int)threadIdx.x; t < k; t += SELECT_THREADS) entries[t] = {values[t], rows[t]};
}
__device__ inline void store_entries(const top_entry *entries, int k, int64_t *rows,
                                     double *values) {
    for (int t = (int)threadIdx.x; t < k; t += SELECT_THREADS) {
        if (entries[t].row < 0) continue;
        values[t] = entries[t].value;
        rows[t] = entries[t].row;
    }
}

} // namespace alcore_cuda

#endif
