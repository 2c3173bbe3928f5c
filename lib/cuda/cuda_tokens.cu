/* SPDX-License-Identifier: Apache-2.0 */
/* Means over the tokens of items: NNLL of stored log-probabilities and of sequences
 * (spec 3.1, 1.1). A thread has an item and adds its tokens in order: running sums, no exp or log,
 * so that the bytes are the CPU's. Ranges of items whose tokens fit the workspace are copied at a
 * time. Cost: one read of the values; short items leave lanes of a warp idle. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* What a call counts over all items. */
struct token_counts {
    unsigned long long floored;
    long long bad; /* the lowest bad row, or NO_ROW */
};

/* A thread an item. starts: where the tokens of each item start, counted from values. */
template <int DTYPE>
static __global__ void __launch_bounds__(CUDA_THREADS)
    nnll_kernel(int64_t count, int64_t first, const uint8_t *mask, const int64_t *starts,
                int64_t origin, const void *values, double *out, token_counts *counts) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i >= count || (mask && !mask[i])) return;
    int64_t begin = starts[i] - origin, end = starts[i + 1] - origin;
    double sum = 0.0;
    unsigned long long floored = 0;
    bool bad = false;
    for (int64_t t = begin; t < end; t++) {
        double lp = number_at<DTYPE>(values, t);
        if (!(lp <= CUDA_SLACK)) {
            bad = true;
            break;
        }
        if (lp < CUDA_FLOOR) {
            lp = CUDA_FLOOR;
            floored++;
        } else if (lp > 0.0) {
            lp = 0.0;
        }
        sum = sum + lp;
    }
    if (floored) atomicAdd(&counts->floored, floored);
    if (bad) atomicMin(&counts->bad, (long long)(first + i));
    out[i] = bad || end <= begin ? (double)NAN : 0.0 - sum / (double)(end - begin);
}

/* A thread has a sequence: starts [count + 1] are token numbers, of which logprob and labels hold
 * those from `origin` on. The order of additions is that of the tokens. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    sequence_kernel(int64_t count, const int64_t *starts, int64_t origin, const double *logprob,
                    const int64_t *labels, int64_t ignore, double *out, token_counts *counts) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
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

/* A thread has a value: out[rows[i]] = values[i], for outputs that stay on the device. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    scatter_kernel(int64_t count, const int64_t *rows, const double *values, double *out) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i < count) out[rows[i]] = values[i];
}

/* Items first .. end - 1, the most whose tokens fit into `bytes`, one at least. */
int64_t items_that_fit(const int64_t *offsets, int64_t first, int64_t count, size_t token_bytes,
                       size_t bytes) {
    int64_t end = first + 1;
    while (end < count && (size_t)(offsets[end + 1] - offsets[first]) * token_bytes +
                                  (size_t)(end + 1 - first) * 32 <=
                              bytes)
        end++;
    return end;
}

token_counts *new_counts(call &c) {
    token_counts none = {0, NO_ROW};
    token_counts *counts = c.device_array<token_counts>(1);
    c.upload(counts, &none, sizeof none);
    return counts;
}

/* Tokens begin .. end - 1 of an array on the device: itself, or a copy. */
const void *tokens_of(call &c, const void *values, int64_t begin, int64_t end, size_t bytes) {
    const char *from = (const char *)values + (size_t)begin * bytes;
    if (!values || (c.on_device(values) && (uintptr_t)from % bytes == 0))
        return values ? from : nullptr;
    void *copy = c.device((size_t)(end - begin) * bytes);
    c.upload(copy, from, (size_t)(end - begin) * bytes);
    return copy;
}

void tokens_back(call &c, const void *own, const void *values, int64_t begin, size_t bytes) {
    if (own && own != (const char *)values + (size_t)begin * bytes) c.give_back((void *)own);
}
} // namespace

/* Kernel table: out [items] = the mean negative log-likelihood of the tokens of each item;
 * items->offsets [items + 1]. A token below -100 counts as -100 and in *floored; an item without
 * tokens, or with a value that is no log-probability, gets NaN, and *bad is the lowest such item of
 * the second kind. */
alcore_status ragged_nnll(const alcore_sys_work *work, const alcore_sys_ragged *items,
                          const uint8_t *mask, double *out, int64_t *floored, int64_t *bad) {
    return guarded(work, [&](call &c) {
        static const size_t number[] = {0, 2, 2, 4, 8};
        if (items->classes != 1 || items->count < 0)
            fail(work, ALCORE_E_INVALID, "token log-probabilities have one number a token");
        if (items->dtype < ALCORE_FLOAT16 || items->dtype > ALCORE_FLOAT64)
            fail(work, ALCORE_E_SHAPE,
                 "a kernel takes float16, bfloat16, float32 and float64 only");
        size_t bytes = number[items->dtype];
        std::vector<int64_t> memory;
        std::vector<uint8_t> mask_memory;
        const int64_t *offsets = c.on_host(items->offsets, items->count + 1, &memory);
        const uint8_t *host_mask = c.on_host(mask, items->count, &mask_memory);
        token_counts *counts = new_counts(c);
        for (int64_t first = 0, end; first < items->count; first = end) {
            end = items_that_fit(offsets, first, items->count, bytes, c.limit());
            c.poll();
            int64_t begin = offsets[first] - offsets[0];
            const int64_t *starts = c.device_array<int64_t>(end - first + 1);
            c.upload((void *)starts, offsets + first, (size_t)(end - first + 1) * sizeof *starts);
            const void *values =
                tokens_of(c, items->values, begin, offsets[end] - offsets[0], bytes);
            const uint8_t *mask = host_mask ? c.whole(host_mask + first, end - first) : nullptr;
            bool in_place = c.on_device(out);
            double *to = in_place ? out + first : c.device_array<double>(end - first);
            CUDA_EACH_DTYPE(items->dtype,
                            CUDA_LAUNCH((nnll_kernel<DTYPE>), blocks_for(end - first, CUDA_THREADS),
                                        CUDA_THREADS, c.compute, end - first, items->first + first,
                                        mask, starts, offsets[first], values, to, counts));
            c.launched();
            if (!in_place) {
                std::vector<double> got((size_t)(end - first));
                c.download(got.data(), to, got.size() * sizeof(double));
                for (int64_t i = first; i < end; i++)
                    if (!host_mask || host_mask[i]) out[i] = got[(size_t)(i - first)];
                c.give_back(to);
            }
            c.give_back((void *)starts);
            c.give_back((void *)mask);
            tokens_back(c, values, items->values, begin, bytes);
        }
        token_counts sums;
        c.download(&sums, counts, sizeof sums);
        int64_t lowest = sums.bad == NO_ROW ? -1 : sums.bad, low = (int64_t)sums.floored;
        c.answer(floored, &low, sizeof low);
        c.answer(bad, &lowest, sizeof lowest);
    });
}

/* Kernel table: the same from the log-probabilities that logit_stats wrote: logprob and labels
 * [tokens], offsets [count + 1]; tokens labeled `ignore` are left out. Item i goes to out[rows[i]],
 * or out[i] without rows. *floored is added to. */
alcore_status sequence_nnll(const alcore_sys_work *work, const double *logprob,
                            const int64_t *labels, int64_t ignore, const int64_t *offsets,
                            const int64_t *rows, int64_t count, double *out, int64_t *floored) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        std::vector<int64_t> memory, row_memory, before_memory;
        const int64_t *own = c.on_host(offsets, count + 1, &memory);
        const int64_t *to = c.on_host(rows, count, &row_memory);
        token_counts *counts = new_counts(c);
        bool on_device = c.on_device(out);
        for (int64_t first = 0, end; first < count; first = end) {
            end = items_that_fit(own, first, count, 2 * sizeof *logprob, c.limit());
            c.poll();
            int64_t begin = own[first] - own[0], stop = own[end] - own[0];
            int64_t *starts = c.device_array<int64_t>(end - first + 1);
            c.upload(starts, own + first, (size_t)(end - first + 1) * sizeof *starts);
            const void *values = tokens_of(c, logprob, begin, stop, sizeof *logprob);
            const void *of = tokens_of(c, labels, begin, stop, sizeof *labels);
            double *got = c.device_array<double>(end - first);
            CUDA_LAUNCH(sequence_kernel, blocks_for(end - first, CUDA_THREADS), CUDA_THREADS,
                        c.compute, end - first, starts, own[first], (const double *)values,
                        (const int64_t *)of, ignore, got, counts);
            c.launched();
            if (on_device && !to) {
                c.upload(out + first, got, (size_t)(end - first) * sizeof *got);
            } else if (on_device) {
                const int64_t *places = c.whole(to + first, end - first);
                CUDA_LAUNCH(scatter_kernel, blocks_for(end - first, CUDA_THREADS), CUDA_THREADS,
                            c.compute, end - first, places, got, out);
                c.launched();
                c.give_back((void *)places);
            } else {
                std::vector<double> values_here((size_t)(end - first));
                c.download(values_here.data(), got, values_here.size() * sizeof(double));
                for (int64_t i = first; i < end; i++)
                    out[to ? to[i] : i] = values_here[(size_t)(i - first)];
            }
            c.give_back(starts);
            c.give_back(got);
            tokens_back(c, values, logprob, begin, sizeof *logprob);
            tokens_back(c, of, labels, begin, sizeof *labels);
        }
        token_counts sums;
        c.download(&sums, counts, sizeof sums);
        int64_t low;
        const int64_t *before = c.on_host(floored, 1, &before_memory);
        low = *before + (int64_t)sums.floored;
        c.answer(floored, &low, sizeof low);
    });
}

} // namespace alcore_cuda
