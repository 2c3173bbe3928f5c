/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of greedy IDDS, and the best item of all. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
struct idds_update_body {
    const double *norms, *picked;
    double picked_norm, *a, *b;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double f = row_dot(row, picked, dims);
        if (lane_here() != 0) return;
        if (norms) f = cosine_of(f, norms[i], picked_norm);
        a[i] = a[i] - f;
        b[i] = b[i] + f;
    }
};

static __global__ void __launch_bounds__(CUDA_THREADS)
    idds_kernel(int64_t count, const uint8_t *mask, alcore_sys_idds idds, const double *a,
                const double *b, const double *s, double *out) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i >= count || (mask && !mask[i])) return;
    double alpha = idds.alpha, rest = 1.0 - alpha;
    double unlabeled = (double)(idds.include_self ? idds.unlabeled : idds.unlabeled - 1);
    double labeled = (double)idds.labeled;
    double near = idds.include_self ? a[i] : a[i] - s[i];
    double first = unlabeled > 0.0 ? near / unlabeled : 0.0;
    double second = labeled > 0.0 ? b[i] / labeled : 0.0;
    double left = alpha * first, right = rest * second;
    out[i] = left - right;
}

/* The better of two candidates for the maximum: the larger one, the lower item among equals. */
struct candidate {
    double value;
    int64_t item; /* -1: none */
};

__device__ inline bool better(const candidate &x, const candidate &than) {
    if (x.item < 0) return false;
    if (than.item < 0) return true;
    return x.value > than.value || (x.value == than.value && x.item < than.item);
}

/* The best of a block's threads ends in memory[0]. */
__device__ inline void best_of_block(candidate own, candidate *memory) {
    int t = (int)threadIdx.x;
    memory[t] = own;
    for (int w = CUDA_THREADS / 2; w > 0; w /= 2) {
        __syncthreads();
        if (t < w && better(memory[t + w], memory[t])) memory[t] = memory[t + w];
    }
    __syncthreads();
}

static __global__ void __launch_bounds__(CUDA_THREADS)
    arg_max_kernel(int64_t first, int64_t count, const uint8_t *mask, const double *values,
                   candidate *out) {
    CUDA_SHARED(candidate, memory, CUDA_THREADS);
    candidate own = {0.0, -1};
    int64_t step = (int64_t)gridDim.x * CUDA_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x; i < count; i += step) {
        candidate next = {values[i], first + i};
        if ((mask && !mask[i]) || next.value != next.value) continue;
        if (better(next, own)) own = next;
    }
    best_of_block(own, memory);
    if (threadIdx.x == 0) out[blockIdx.x] = memory[0];
}

/* Joins the candidates of the blocks to what the chunks before gave. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    arg_max_join(int64_t count, const candidate *found, candidate *best) {
    CUDA_SHARED(candidate, memory, CUDA_THREADS);
    candidate own = {0.0, -1};
    if (threadIdx.x == 0) own = *best;
    for (int64_t i = threadIdx.x; i < count; i += CUDA_THREADS)
        if (better(found[i], own)) own = found[i];
    best_of_block(own, memory);
    if (threadIdx.x == 0) *best = memory[0];
}
} // namespace

alcore_status idds_update(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, const double *norms, const double *picked,
                          double picked_norm, double *a, double *b) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        const double *own = c.whole(picked, rows->dims);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask),
            of = pass.in(norms, sizeof *norms);
        int first = pass.inout(a, sizeof *a), second = pass.inout(b, sizeof *b);
        pass.run([&](const chunk &at) {
            idds_update_body body = {at.get<const double>(of), own, picked_norm,
                                     at.get<double>(first), at.get<double>(second)};
            launch_rows(rows_of(at, rows, matrix, mask_column, -1), rows->dtype, at.stream, body);
        });
    });
}

alcore_status idds_scores(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const alcore_sys_idds *idds, const double *a, const double *b,
                          const double *s, double *out) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), of_a = pass.in(a, sizeof *a),
            of_b = pass.in(b, sizeof *b);
        int of_s = pass.in(s, sizeof *s), to = pass.out(out, sizeof *out);
        pass.run([&](const chunk &at) {
            CUDA_LAUNCH(idds_kernel, blocks_for(at.count, CUDA_THREADS), CUDA_THREADS, at.stream,
                        at.count, at.get<const uint8_t>(mask_column), *idds,
                        at.get<const double>(of_a), at.get<const double>(of_b),
                        at.get<const double>(of_s), at.get<double>(to));
        });
    });
}

alcore_status arg_max(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                      const double *values, int64_t *item, double *value) {
    return guarded(work, [&](call &c) {
        const int64_t MAX_BLOCKS = 512;
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        candidate best = {-HUGE_VAL, -1};
        candidate *found = c.device_array<candidate>(MAX_BLOCKS + 1), *joined = found + MAX_BLOCKS;
        c.upload(joined, &best, sizeof best);
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), of = pass.in(values, sizeof *values);
        pass.run([&](const chunk &at) {
            int64_t blocks = (at.count + 4 * CUDA_THREADS - 1) / (4 * CUDA_THREADS);
            if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
            CUDA_LAUNCH(arg_max_kernel, (unsigned)blocks, CUDA_THREADS, at.stream, at.first,
                        at.count, at.get<const uint8_t>(mask_column), at.get<const double>(of),
                        found);
            CUDA_LAUNCH(arg_max_join, 1, CUDA_THREADS, at.stream, blocks, found, joined);
        });
        c.download(item, &joined->item, sizeof *item);
        c.download(value, &joined->value, sizeof *value);
    });
}

} // namespace alcore_cuda
