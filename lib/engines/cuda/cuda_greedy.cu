/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of greedy IDDS (HUDS, eq. 5) and arg-max. For every row v, a (A_v) is the sum of its
 * similarities to the unlabeled rows and b (B_v) that to the labeled ones: idds_update moves the
 * similarity to a pick from a to b, idds_scores makes scores from both. One warp a row in
 * idds_update, up to its similarity; one thread an item in what follows and in the others. arg_max
 * reduces each block and then the results of the blocks; its order is total (larger value, then
 * lower item), so the shape of the reduction does not matter; best_row lets its last step copy the
 * row that was found. Cost of a pick: one read of the rows and of two sums. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_top_k.cuh"

namespace alcore_cuda {

namespace {
/* The IDDS score of an item: alpha times its mean similarity to the unlabeled rows less (1 - alpha)
 * times that to the labeled ones; a mean of no rows counts as 0. a, b, s: the two sums, and the
 * similarity of the item to itself; larger is picked earlier. idds: alpha, the numbers of unlabeled
 * and labeled rows, and whether the item counts among the unlabeled ones (include_self), without
 * which s is taken off. The operations are those of the CPU's idds_scores in the same order, and
 * unfused, as both engines must give the same bytes. */
__device__ inline double idds_score(const alcore_sys_idds &idds, double a, double b, double s) {
    double alpha = idds.alpha, rest = 1.0 - alpha;
    double unlabeled = (double)(idds.include_self ? idds.unlabeled : idds.unlabeled - 1);
    double labeled = (double)idds.labeled;
    double similarity = idds.include_self ? a : a - s;
    double first = unlabeled > 0.0 ? similarity / unlabeled : 0.0;
    double second = labeled > 0.0 ? b / labeled : 0.0;
    double left = alpha * first, right = rest * second;
    return left - right;
}

/* Body of finished_rows: moves the similarity f of row i of a chunk to the picked row from a[i] to
 * b[i]. A cosine with a norm below 1e-12 is 0. */
struct idds_update_body {
    typedef double sums;  /* the dot product with the picked row */
    const double *norms;  /* [chunk] L2 norms of the rows: f is the cosine; NULL: the dot product */
    const double *picked; /* [dims] the picked row */
    double picked_norm;   /* its L2 norm */
    double *a, *b;        /* [chunk] sums of similarities to unlabeled and to labeled rows */
    alcore_sys_idds idds; /* for the scores */
    const double *s;      /* [chunk] similarity of each row to itself */
    double *scores;       /* [chunk] NULL: not wanted */
    template <int> __device__ double *memory() const {
        CUDA_SHARED(double, of_rows, FINISHED_ROWS);
        return of_rows;
    }
    template <class Row> __device__ double operator()(const Row &row, int64_t, int64_t dims) const {
        return row_dot(row, picked, dims);
    }
    __device__ void finish(int64_t i, double dot) const {
        double f = norms ? cosine_of(dot, norms[i], picked_norm) : dot;
        a[i] = a[i] - f;
        b[i] = b[i] + f;
        if (scores) scores[i] = idds_score(idds, a[i], b[i], s[i]);
    }
};

/* The scores of a chunk, a thread an item: out [count]. mask [count], NULL: all; entries of out
 * that it leaves out keep what they have. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    idds_kernel(int64_t count, const uint8_t *mask, alcore_sys_idds idds, const double *a,
                const double *b, const double *s, double *out) {
    int64_t i = thread_index();
    if (i >= count || (mask && !mask[i])) return;
    out[i] = idds_score(idds, a[i], b[i], s[i]);
}

/* Whether x comes before y, in the search for the largest value, which is never NaN; the row of an
 * entry is an item, counted from the first of the call, -1: none. */
__device__ inline bool better(const top_entry &x, const top_entry &y) {
    return nearer(x, y, true /* the larger one */);
}

/* The best entry of the threads of a block, which all call it with their own, in all of them.
 * memory [CUDA_THREADS]: shared, overwritten. */
__device__ inline top_entry best_of_block(const top_entry &own, top_entry *memory) {
    return joined_in_block(own, memory, [](top_entry *best, const top_entry &other) {
        if (better(other, *best)) *best = other;
    });
}

/* First step: out [gridDim.x] = the best of each block over values [count] of a chunk whose first
 * item is `first`; a thread has every step-th value. NaN is left out before it is compared, and so
 * are items whose mask [count] is 0; NULL: none is. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    arg_max_kernel(int64_t first, int64_t count, const uint8_t *mask, const double *values,
                   top_entry *out) {
    CUDA_SHARED(top_entry, memory, CUDA_THREADS);
    top_entry best_here = {0.0 /* value */, -1 /* none */};
    int64_t step = (int64_t)gridDim.x * CUDA_THREADS;
    for (int64_t i = thread_index(); i < count; i += step) {
        top_entry next = {values[i], first + i};
        if ((mask && !mask[i]) || next.value != next.value) continue;
        if (better(next, best_here)) best_here = next;
    }
    const top_entry best = best_of_block(best_here, memory);
    if (threadIdx.x == 0) out[blockIdx.x] = best;
}

/* Where the results of arg_max go, on the device; NULL: not wanted. */
struct best_out {
    int64_t *item;
    double *value;
    double *vector; /* [dims of rows] the row of the item */
    row_set rows;   /* with a vector only, and their dtype */
    int32_t dtype;
};

/* Second step, one block: reduces found [count], the best of the blocks of the first step,
 * and *best, that of earlier chunks (begins: there are none), to *best; after the last chunk (ends)
 * it is the result. Thread 0 begins with what was found before, and an entry without an item never
 * comes before it, so without any item that stays as it was: minus infinity and -1 from the start.
 */
static __global__ void __launch_bounds__(CUDA_THREADS)
    arg_max_join(bool begins, bool ends, int64_t count, const top_entry *found, top_entry *best,
                 best_out out) {
    CUDA_SHARED(top_entry, memory, CUDA_THREADS);
    top_entry best_here = {-(double)INFINITY, -1 /* none */};
    if (threadIdx.x == 0 && !begins) best_here = *best;
    for (int64_t i = threadIdx.x; i < count; i += CUDA_THREADS)
        if (better(found[i], best_here)) best_here = found[i];
    const top_entry joined = best_of_block(best_here, memory);
    if (threadIdx.x == 0) {
        *best = joined;
        if (ends && out.item) *out.item = joined.row;
        if (ends && out.value) *out.value = joined.value;
    }
    if (ends && out.vector)
        CUDA_EACH_DTYPE(out.dtype, (take_row<DTYPE>(out.rows, joined.row, out.vector)));
}

/* arg_max, and with rows best_row: found [MAX_BLOCKS] and joined [1] are on the device until the
 * call ends; each chunk overwrites found, after the join of the chunk before it, as launches of one
 * stream run in order. */
alcore_status find_best(const alcore_sys_work *work, const alcore_sys_rows *rows, int64_t count,
                        const uint8_t *mask, const double *values, int64_t *item, double *value,
                        double *vector) {
    return guarded(work, [&](call &c) {
        const int64_t MAX_BLOCKS = 512; /* of the first step; below it a thread has four values */
        c.check_count(count);
        top_entry *found = c.allocate_array<top_entry>(MAX_BLOCKS + 1),
                  *joined = found + MAX_BLOCKS;
        best_out out = {};
        if (c.on_device(item)) out.item = item;
        if (c.on_device(value)) out.value = value;
        if (rows) {
            out.rows = whole_rows(c, rows);
            out.dtype = rows->dtype;
            out.vector = c.output(vector, rows->dims);
        }
        /* Without values nothing is launched by the pass. */
        if (count == 0)
            CUDA_LAUNCH(arg_max_join, 1, CUDA_THREADS, c.compute, true /* begins */,
                        true /* ends */, 0, found, joined, out);
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), values_column = pass.in(values, sizeof *values);
        pass.run([&](const chunk &piece) {
            int64_t blocks = (piece.count + 4 * CUDA_THREADS - 1) / (4 * CUDA_THREADS);
            if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
            CUDA_LAUNCH(arg_max_kernel, (unsigned)blocks, CUDA_THREADS, piece.stream, piece.first,
                        piece.count, piece.get<const uint8_t>(mask_column),
                        piece.get<const double>(values_column), found);
            CUDA_LAUNCH(arg_max_join, 1, CUDA_THREADS, piece.stream, piece.first == 0,
                        piece.first + piece.count == count, blocks, found, joined, out);
        });
        c.launched();
        if (rows) c.hand_back(vector, out.vector, rows->dims);
        if (out.item && out.value) return;
        top_entry best;
        c.download(&best, joined, sizeof best); /* both at once: the device is waited for once */
        if (!out.item) *item = best.row;
        if (!out.value) *value = best.value;
    });
}
} // namespace

/* Kernel table: after a pick, a[i] -= f and b[i] += f with f the similarity of row i to picked
 * [dims]: the cosine where norms [rows] (L2, not squared) are given, else the inner product. a, b
 * [rows] are in and out; rows that the mask leaves out keep theirs. With idds, scores [rows] are
 * then made from a, b and s [rows]. */
alcore_status idds_update(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, const double *norms, const double *picked,
                          double picked_norm, double *a, double *b, const alcore_sys_idds *idds,
                          const double *s, double *scores) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        const double *device_picked = c.to_device(picked, rows->dims);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask),
            norms_column = pass.in(norms, sizeof *norms);
        int a_column = pass.inout(a, sizeof *a), b_column = pass.inout(b, sizeof *b),
            s_column = pass.in(idds ? s : nullptr, sizeof *s),
            scores_column = pass.out(idds ? scores : nullptr, sizeof *scores);
        pass.run([&](const chunk &piece) {
            idds_update_body body = {piece.get<const double>(norms_column),
                                     device_picked,
                                     picked_norm,
                                     piece.get<double>(a_column),
                                     piece.get<double>(b_column),
                                     idds ? *idds : alcore_sys_idds(),
                                     piece.get<const double>(s_column),
                                     piece.get<double>(scores_column)};
            launch_finished_rows(chunk_rows(piece, rows, matrix, mask_column), rows->dtype,
                                 piece.stream, body);
        });
    });
}

/* Kernel table: out [count] = the IDDS score, idds_score(), from the sums a, b and the
 * self-similarities s, all [count]; entries outside the mask [count] stay. */
alcore_status idds_scores(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const alcore_sys_idds *idds, const double *a, const double *b,
                          const double *s, double *out) {
    return guarded(work, [&](call &c) {
        c.check_count(count);
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), a_column = pass.in(a, sizeof *a),
            b_column = pass.in(b, sizeof *b);
        int s_column = pass.in(s, sizeof *s), out_column = pass.out(out, sizeof *out);
        pass.run([&](const chunk &piece) {
            CUDA_LAUNCH(idds_kernel, blocks_for(piece.count, CUDA_THREADS), CUDA_THREADS,
                        piece.stream, piece.count, piece.get<const uint8_t>(mask_column), *idds,
                        piece.get<const double>(a_column), piece.get<const double>(b_column),
                        piece.get<const double>(s_column), piece.get<double>(out_column));
        });
    });
}

/* Kernel table: *item, that of the largest of values [count] within the mask, and *value, the
 * largest; the lowest item among equals; -1 and minus infinity without one. NaN is never the
 * largest. */
alcore_status arg_max(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                      const double *values, int64_t *item, double *value) {
    return find_best(work, nullptr, count, mask, values, item, value, nullptr);
}

/* Kernel table: the same of rows with a value each, and vector [dims], the row that it finds; zeros
 * where it finds none (take_row()). */
alcore_status best_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const double *values, int64_t *item, double *value,
                       double *vector) {
    return find_best(work, rows, rows->count, mask, values, item, value, vector);
}

} // namespace alcore_cuda
