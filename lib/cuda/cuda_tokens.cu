/* SPDX-License-Identifier: Apache-2.0 */
/* NNLL (normalized negative log-likelihood), the mean over the tokens of an item of minus their
 * natural log-probabilities, each raised to CUDA_FLOOR = -100 where it is lower (spec 3.1, 1.1): of
 * stored ragged columns (ragged_nnll) and of sequences (sequence_nnll). A thread has an item and
 * adds its tokens in order, without exp or log, so that the bytes are the CPU's. Items pass in
 * ranges whose tokens fit the staging limit, the bytes of device memory that copies of host arrays
 * may occupy. Token positions ("starts") are those of the caller's offsets, which need not begin at
 * 0; `origin` is the position of the first token of a range, which is entry 0 of the arrays on the
 * device. A mean is negated as 0.0 - x, so that certain tokens give +0.0. Cost: one read of the
 * values; items of unequal length leave threads of a warp idle.
 *
 * call (cuda_call.cuh) is one call of a kernel: its memory, stream (compute) and errors, which are
 * exceptions that guarded() turns into the returned status. to_host() and to_device() give an array
 * there, in place or as a copy, NULL for NULL; copy_in() and download() copy in the order of the
 * stream. NO_ROW is larger than every row number. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* What a call counts over all items, in device memory. */
struct token_counts {
    unsigned long long floored; /* values below CUDA_FLOOR */
    long long bad;              /* the lowest pool row with a bad value, or NO_ROW */
};

/* ragged_nnll of a range of `count` items, a thread an item. starts [count + 1]: position of the
 * first token of each item; values: log-probabilities from position `origin` on; first: pool row of
 * item 0; mask [count], NULL: all; out [count]: NNLL, NaN without tokens or with a bad one, that is
 * NaN or above CUDA_SLACK (1e-6). Values between 0 and that are rounding and count as 0. They are
 * compared in their own type, which gives the same answers: -100 is a float32, and there is none
 * between CUDA_SLACK and the nearest one, which is below it. */
template <int DTYPE>
static __global__ void __launch_bounds__(CUDA_THREADS)
    nnll_kernel(int64_t count, int64_t first, const uint8_t *mask, const int64_t *starts,
                int64_t origin, const void *values, double *out, token_counts *counts) {
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
    if (floored) atomicAdd(&counts->floored, floored);
    if (bad) atomicMin(&counts->bad, (long long)(first + i));
    out[i] = bad || end <= begin ? (double)NAN : 0.0 - sum / (double)(end - begin);
}

/* sequence_nnll of a range of `count` sequences, a thread each. starts [count + 1]: position of the
 * first token of each sequence; logprob and labels (NULL: none) begin with position `origin`;
 * tokens labeled `ignore` are left out; out [count]: NNLL, NaN without tokens. A NaN among the
 * values makes the mean NaN; nothing is above 0, because logit_stats made the values. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    sequence_kernel(int64_t count, const int64_t *starts, int64_t origin, const double *logprob,
                    const int64_t *labels, int64_t ignore, double *out, token_counts *counts) {
    int64_t i = thread_index();
    if (i >= count) return;
    int64_t tokens = 0;
    unsigned long long floored = 0;
    double sum = 0.0;
    for (int64_t t = starts[i] - origin; t < starts[i + 1] - origin; t++) {
        if (labels && labels[t] == ignore) continue;
        double lp = logprob[t];
        tokens++;
        if (lp < CUDA_FLOOR) {
            lp = CUDA_FLOOR;
            floored++;
        }
        sum = sum + lp;
    }
    if (floored) atomicAdd(&counts->floored, floored);
    out[i] = tokens == 0 ? (double)NAN : 0.0 - sum / (double)tokens;
}

/* out[rows[i]] = values[i], i < count, a thread a value, for outputs in device memory. The rows are
 * distinct, so no two threads write the same entry. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    scatter_kernel(int64_t count, const int64_t *rows, const double *values, double *out) {
    int64_t i = thread_index();
    if (i < count) out[rows[i]] = values[i];
}

/* The end (one past the last item) of the range of items that begins with item `first`: as many as
 * `bytes` bytes of device memory hold, with token_bytes for a token and 32 for an item (its start,
 * its result, its mask or output row, and a reserve), but one at least. offsets [count + 1], on
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

/* Counts of nothing, on the device, in memory that is freed with the call. */
token_counts *new_counts(call &c) {
    token_counts none = {0, NO_ROW};
    token_counts *counts = c.allocate_array<token_counts>(1);
    c.copy_in(counts, &none, sizeof none);
    return counts;
}

/* The entries of the tokens begin .. end - 1 of the caller's array `values`, `bytes` bytes each,
 * for a kernel: in place, or a copy on the device; NULL for NULL. release_tokens(), with the same
 * arguments, releases the copy. */
const void *acquire_tokens(call &c, const void *values, int64_t begin, int64_t end, size_t bytes) {
    if (!values) return nullptr;
    const char *tokens = (const char *)values + (size_t)begin * bytes;
    if (c.in_place(tokens, bytes)) return tokens;
    void *copy = c.allocate((size_t)(end - begin) * bytes);
    c.copy_in(copy, tokens, (size_t)(end - begin) * bytes);
    return copy;
}

/* Releases what acquire_tokens() returned, if that is a copy. */
void release_tokens(call &c, const void *tokens, const void *values, int64_t begin, size_t bytes) {
    if (tokens && tokens != (const char *)values + (size_t)begin * bytes)
        c.deallocate((void *)tokens);
}
} // namespace

/* Kernel table: out [items] = the mean negative log-likelihood of the tokens of each item;
 * items->offsets [items + 1]; items whose mask [items] is 0 are not written. A token below -100
 * counts as -100 and in *floored; an item without tokens, or with a value that is no
 * log-probability, gets NaN, and *bad is the lowest such item of the second kind. */
alcore_status ragged_nnll(const alcore_sys_work *work, const alcore_sys_ragged *items,
                          const uint8_t *mask, double *out, int64_t *floored, int64_t *bad) {
    return guarded(work, [&](call &c) {
        if (items->classes != 1 || items->count < 0)
            fail(work, ALCORE_E_INVALID, "token log-probabilities must have one value a token");
        if (items->dtype < ALCORE_FLOAT16 || items->dtype > ALCORE_FLOAT64)
            fail(work, ALCORE_E_SHAPE, "kernels read float16, bfloat16, float32 and float64 only");
        size_t bytes = alcore_sys_dtype_bytes(items->dtype);
        std::vector<int64_t> memory;
        std::vector<uint8_t> mask_memory;
        const int64_t *offsets = c.to_host(items->offsets, items->count + 1, &memory);
        const uint8_t *host_mask = c.to_host(mask, items->count, &mask_memory);
        token_counts *counts = new_counts(c);
        for (int64_t first = 0, end; first < items->count; first = end) {
            end = items_that_fit(offsets, first, items->count, bytes, c.staging_limit());
            c.poll();
            int64_t begin = offsets[first] - offsets[0]; /* entry of the range's first token */
            const int64_t *starts = c.allocate_array<int64_t>(end - first + 1);
            c.copy_in((void *)starts, offsets + first, (size_t)(end - first + 1) * sizeof *starts);
            const void *values =
                acquire_tokens(c, items->values, begin, offsets[end] - offsets[0], bytes);
            const uint8_t *mask = host_mask ? c.to_device(host_mask + first, end - first) : nullptr;
            bool in_place = c.on_device(out);
            double *device_out = in_place ? out + first : c.allocate_array<double>(end - first);
            CUDA_EACH_DTYPE(items->dtype,
                            CUDA_LAUNCH((nnll_kernel<DTYPE>), blocks_for(end - first, CUDA_THREADS),
                                        CUDA_THREADS, c.compute, end - first, items->first + first,
                                        mask, starts, offsets[first], values, device_out, counts));
            c.launched();
            if (!in_place) {
                std::vector<double> host_out((size_t)(end - first));
                c.download(host_out.data(), device_out, host_out.size() * sizeof(double));
                for (int64_t i = first; i < end; i++)
                    if (!host_mask || host_mask[i]) out[i] = host_out[(size_t)(i - first)];
                c.deallocate(device_out);
            }
            c.deallocate((void *)starts);
            c.deallocate((void *)mask);
            release_tokens(c, values, items->values, begin, bytes);
        }
        token_counts sums;
        c.download(&sums, counts, sizeof sums);
        int64_t lowest = sums.bad == NO_ROW ? -1 : sums.bad;
        int64_t floored_count = (int64_t)sums.floored;
        c.write_back(floored, &floored_count, sizeof floored_count);
        c.write_back(bad, &lowest, sizeof lowest);
    });
}

/* Kernel table: the NNLL of sequences from the log-probabilities that logit_stats wrote: logprob
 * and labels [tokens], offsets [count + 1]; tokens labeled `ignore` are left out. Sequence i goes
 * to out[rows[i]], or out[i] without rows. To *floored, which holds the count of earlier calls, the
 * number of values below -100 is added. out, rows and floored may each be on host or device. */
alcore_status sequence_nnll(const alcore_sys_work *work, const double *logprob,
                            const int64_t *labels, int64_t ignore, const int64_t *offsets,
                            const int64_t *rows, int64_t count, double *out, int64_t *floored) {
    return guarded(work, [&](call &c) {
        c.check_count(count);
        std::vector<int64_t> memory, row_memory, before_memory;
        const int64_t *host_offsets = c.to_host(offsets, count + 1, &memory);
        const int64_t *host_rows = c.to_host(rows, count, &row_memory);
        token_counts *counts = new_counts(c);
        bool on_device = c.on_device(out);
        for (int64_t first = 0, end; first < count; first = end) {
            end =
                items_that_fit(host_offsets, first, count, 2 * sizeof *logprob, c.staging_limit());
            c.poll();
            /* The range's tokens are the entries begin .. stop - 1 of logprob and labels. */
            int64_t begin = host_offsets[first] - host_offsets[0];
            int64_t stop = host_offsets[end] - host_offsets[0];
            int64_t *starts = c.allocate_array<int64_t>(end - first + 1);
            c.copy_in(starts, host_offsets + first, (size_t)(end - first + 1) * sizeof *starts);
            const void *values = acquire_tokens(c, logprob, begin, stop, sizeof *logprob);
            const void *label_tokens = acquire_tokens(c, labels, begin, stop, sizeof *labels);
            double *nnll = c.allocate_array<double>(end - first);
            CUDA_LAUNCH(sequence_kernel, blocks_for(end - first, CUDA_THREADS), CUDA_THREADS,
                        c.compute, end - first, starts, host_offsets[first], (const double *)values,
                        (const int64_t *)label_tokens, ignore, nnll, counts);
            c.launched();
            if (on_device && !host_rows) {
                c.copy_in(out + first, nnll, (size_t)(end - first) * sizeof *nnll);
            } else if (on_device) {
                const int64_t *device_rows = c.to_device(host_rows + first, end - first);
                CUDA_LAUNCH(scatter_kernel, blocks_for(end - first, CUDA_THREADS), CUDA_THREADS,
                            c.compute, end - first, device_rows, nnll, out);
                c.launched();
                c.deallocate((void *)device_rows);
            } else {
                std::vector<double> host_nnll((size_t)(end - first));
                c.download(host_nnll.data(), nnll, host_nnll.size() * sizeof(double));
                for (int64_t i = first; i < end; i++)
                    out[host_rows ? host_rows[i] : i] = host_nnll[(size_t)(i - first)];
            }
            c.deallocate(starts);
            c.deallocate(nnll);
            release_tokens(c, values, logprob, begin, sizeof *logprob);
            release_tokens(c, label_tokens, labels, begin, sizeof *labels);
        }
        token_counts sums;
        c.download(&sums, counts, sizeof sums);
        const int64_t *before = c.to_host(floored, 1, &before_memory);
        int64_t floored_count = *before + (int64_t)sums.floored;
        c.write_back(floored, &floored_count, sizeof floored_count);
    });
}

} // namespace alcore_cuda
