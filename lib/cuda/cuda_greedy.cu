/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of greedy IDDS (HUDS, eq. 5) and arg-max. A warp has a row of idds_update; threads have
 * items of the other two. arg_max is a reduction of each block and one block over the blocks'
 * results: larger value first, lower item among equals, so that its shape does not matter. Cost of
 * a pick: one read of the rows and of two sums. */
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

/* A thread has an item; a, b, s, out: [count] of the chunk. */
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

/* values [count] of a chunk whose first item is `first`; out [gridDim.x]: the best of each block.
 * NaN is left out before it is compared. */
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

/* Reduces found [count], the candidates of the blocks, and *best, that of earlier chunks, to *best.
 */
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

/* Kernel table: after a pick, a[i] -= f and b[i] += f with f the similarity of row i to picked
 * [dims]: the cosine where norms [rows] are given, else the inner product. */
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
        pass.run([&](const chunk &piece) {
            idds_update_body body = {piece.get<const double>(of), own, picked_norm,
                                     piece.get<double>(first), piece.get<double>(second)};
            launch_rows(rows_of(piece, rows, matrix, mask_column, -1), rows->dtype, piece.stream,
                        body);
        });
    });
}

/* Kernel table: out [count] = the IDDS score from the sums a, b and the self-similarities s, all
 * [count]. */
alcore_status idds_scores(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const alcore_sys_idds *idds, const double *a, const double *b,
                          const double *s, double *out) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), of_a = pass.in(a, sizeof *a),
            of_b = pass.in(b, sizeof *b);
        int of_s = pass.in(s, sizeof *s), to = pass.out(out, sizeof *out);
        pass.run([&](const chunk &piece) {
            CUDA_LAUNCH(idds_kernel, blocks_for(piece.count, CUDA_THREADS), CUDA_THREADS,
                        piece.stream, piece.count, piece.get<const uint8_t>(mask_column), *idds,
                        piece.get<const double>(of_a), piece.get<const double>(of_b),
                        piece.get<const double>(of_s), piece.get<double>(to));
        });
    });
}

/* Kernel table: the item of the largest of values [count] within the mask and that value; the
 * lowest item among equals; -1 without one. NaN is never the largest. */
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
        pass.run([&](const chunk &piece) {
            int64_t blocks = (piece.count + 4 * CUDA_THREADS - 1) / (4 * CUDA_THREADS);
            if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
            CUDA_LAUNCH(arg_max_kernel, (unsigned)blocks, CUDA_THREADS, piece.stream, piece.first,
                        piece.count, piece.get<const uint8_t>(mask_column),
                        piece.get<const double>(of), found);
            CUDA_LAUNCH(arg_max_join, 1, CUDA_THREADS, piece.stream, blocks, found, joined);
        });
        c.download(item, &joined->item, sizeof *item);
        c.download(value, &joined->value, sizeof *value);
    });
}

} // namespace alcore_cuda
