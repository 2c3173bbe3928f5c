/* SPDX-License-Identifier: Apache-2.0 */
/* NNLL (normalized negative log-likelihood) of stored token log-probabilities (ragged_nnll): the
 * mean over the tokens of an item of minus their natural log-probabilities, each raised to
 * CUDA_FLOOR = -100 where it is lower (spec 3.1, 1.1). A thread has an item and adds its tokens in
 * order, without exp or log, so that the bytes are the CPU's. Items pass in ranges whose tokens fit
 * the staging limit, the bytes of device memory that copies of host arrays may occupy. Token
 * positions ("starts") are those of the caller's offsets, which need not begin at 0; `origin` is
 * the position of the first token of a range, which is entry 0 of the array on the device. A mean
 * is negated as 0.0 - x, so that certain tokens give +0.0. Cost: one read of the values; items of
 * unequal length leave threads of a warp idle.
 *
 * call (cuda_call.cuh) is one call of a kernel: its memory, stream (compute) and errors, which are
 * exceptions that guarded() turns into the returned status. to_host() and to_device() give an array
 * there, in place or as a copy, NULL for NULL; copy_in() and download() copy in the order of the
 * stream; output() is an array of the caller on the device, or memory for it there. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* What a call counts over all items, in device memory: where the caller's numbers are, or in memory
 * of the call. */
struct token_counts {
    unsigned long long *floored; /* values below CUDA_FLOOR */
    long long *bad;              /* the lowest pool row with a bad value, -1: none */
};

/* ragged_nnll of a range of `count` items, a thread an item. starts [count + 1]: position of the
 * first token of each item; values: log-probabilities from position `origin` on; first: pool row of
 * item 0; mask [count], NULL: all; out [count]: NNLL, NaN without tokens or with a bad one, that is
 * NaN or above CUDA_SLACK (1e-6). Values between 0 and that are rounding and count as 0. Values are
 * compared with both limits in their own type, with the same outcomes as in double: -100 is exact
 * in float32, and CUDA_SLACK is rounded down to the next float32, so that no value lies between. */
template <int DTYPE>
static __global__ void __launch_bounds__(CUDA_THREADS)
    nnll_kernel(int64_t count, int64_t first, const uint8_t *mask, const int64_t *starts,
                int64_t origin, const void *values, double *out, token_counts counts) {
    typedef typename real_of<DTYPE>::type real;
    int64_t i = thread_index();
    if (i >= count || (mask && !mask[i])) return;
    int64_t begin = starts[i] - origin, end = starts[i + 1] - origin;
    double sum = 0.0;
    unsigned long long floored = 0;
    bool bad = false;
    for (int64_t t = begin; t < end; t++) {
        real lp = real_at<DTYPE>(values, t);
        if (!(lp <= (real)CUDA_SLACK)) {
            bad = true;
            break;
        }
        if (lp < (real)CUDA_FLOOR) {
            lp = (real)CUDA_FLOOR;
            floored++;
        } else if (lp > (real)0) {
            lp = 0;
        }
        sum = sum + widened(lp);
    }
    if (floored) atomicAdd(counts.floored, floored);
    if (bad) lower_row(counts.bad, first + i);
    out[i] = bad || end <= begin ? (double)NAN : 0.0 - sum / (double)(end - begin);
}

/* The end (one past the last item) of the range of items that begins with item `first`: as many as
 * `bytes` bytes of device memory hold, with token_bytes for a token and 32 for an item (its start,
 * its result, its mask, and a reserve), but one at least. offsets [count + 1], on
 * the host. */
int64_t items_that_fit(const int64_t *offsets, int64_t first, int64_t count, size_t token_bytes,
                       size_t bytes) {
    int64_t end = first + 1;
    while (end < count && (size_t)(offsets[end + 1] - offsets[first]) * token_bytes +
                                  (size_t)(end + 1 - first) * 32 <=
                              bytes)
        end++;
    return end;
}
} // namespace

/* Kernel table: out [items] = the mean negative log-likelihood of the tokens of each item;
 * items->offsets [items + 1]; items whose mask [items] is 0 are not written. A token below -100
 * counts as -100 and in *floored; an item without tokens, or with a value that is no
 * log-probability, gets NaN, and *bad is the lowest such item of the second kind. Items have any
 * number of tokens, so that they pass in ranges of as many as the staging limit holds and not in a
 * pipeline, whose rows have all the same bytes. */
alcore_status ragged_nnll(const alcore_sys_work *work, const alcore_sys_ragged *items,
                          const uint8_t *mask, double *out, int64_t *floored, int64_t *bad) {
    return guarded(work, [&](call &c) {
        if (items->classes != 1 || items->count < 0)
            fail(work, ALCORE_E_INVALID, "token log-probabilities must have one value a token");
        if (items->dtype < ALCORE_FLOAT16 || items->dtype > ALCORE_FLOAT64)
            fail(work, ALCORE_E_SHAPE, "kernels read float16, bfloat16, float32 and float64 only");
        const size_t bytes = alcore_sys_dtype_bytes(items->dtype);
        std::vector<int64_t> memory;
        std::vector<uint8_t> mask_memory;
        const int64_t *offsets = c.to_host(items->offsets, items->count + 1, &memory);
        const uint8_t *host_mask = c.to_host(mask, items->count, &mask_memory);
        int64_t *own = c.allocate_array<int64_t>(2); /* both counts, where the caller's are not */
        const bool places[] = {c.in_place(floored, alignof(int64_t)),
                               c.in_place(bad, alignof(int64_t))};
        const token_counts counts = {(unsigned long long *)(places[0] ? floored : own),
                                     (long long *)(places[1] ? bad : own + 1)};
        c.check(cudaMemsetAsync(counts.floored, 0, sizeof *counts.floored, c.compute),
                "clearing memory");
        c.check(cudaMemsetAsync(counts.bad, NO_BAD_ROW, sizeof *counts.bad, c.compute),
                "clearing memory");
        for (int64_t first = 0, end; first < items->count; first = end) {
            end = items_that_fit(offsets, first, items->count, bytes, c.staging_limit());
            c.poll();
            const int64_t count = end - first;
            const int64_t *starts = c.to_device(offsets + first, count + 1);
            const uint8_t *range_mask = c.to_device(host_mask ? host_mask + first : nullptr, count);
            /* The tokens of the range, where they are, or a copy. */
            const void *values = c.to_device(
                (const char *)items->values + (size_t)(offsets[first] - offsets[0]) * bytes,
                (size_t)(offsets[end] - offsets[first]) * bytes, bytes);
            double *range_out = c.output(out + first, count);
            CUDA_EACH_DTYPE(items->dtype,
                            CUDA_LAUNCH((nnll_kernel<DTYPE>), blocks_for(count, CUDA_THREADS),
                                        CUDA_THREADS, c.compute, count, items->first + first,
                                        range_mask, starts, offsets[first], values, range_out,
                                        counts));
            c.launched();
            if (range_out != out + first) {
                std::vector<double> host_out((size_t)count);
                c.download(host_out.data(), range_out, (size_t)count * sizeof(double));
                for (int64_t i = 0; i < count; i++)
                    if (!host_mask || host_mask[first + i]) out[first + i] = host_out[(size_t)i];
                c.deallocate(range_out);
            }
            c.deallocate(starts);
            c.deallocate(range_mask);
            c.deallocate(values);
        }
        if (places[0] && places[1]) return;
        int64_t sums[2]; /* one copy for both */
        c.download(sums, own, sizeof sums);
        if (!places[0]) c.write_back(floored, &sums[0], sizeof sums[0]);
        if (!places[1]) c.write_back(bad, &sums[1], sizeof sums[1]);
    });
}

} // namespace alcore_cuda
