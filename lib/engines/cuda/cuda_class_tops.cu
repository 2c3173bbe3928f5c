/* SPDX-License-Identifier: Apache-2.0 */
/* class_tops: the two largest classes of each row, of which class_stats makes its statistics but
 * the entropy. It compares and clamps, and takes neither exp nor log, so that an engine of a device
 * gives the bytes of the CPU. Cost: one read of the rows; 16 bytes a row are written.
 *
 * call, pipeline and piece.get are explained in cuda_call.cuh, each_row in cuda_rows.cuh, whose
 * launch_rows() gives every row of the mask to a warp of CUDA_LANES = 32 threads. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* Keeps the larger of two values and the smaller one, of which none is NaN. */
__device__ inline void order_two(double *larger, double *smaller) {
    if (*smaller <= *larger) return;
    double x = *larger;
    *larger = *smaller;
    *smaller = x;
}

/* tops [chunk, 2] of row i: a lane finds the two largest of its components, and then those of it
 * and of the lanes at a distance of 16, 8, 4, 2 and 1. Which lane has an equal value is no matter
 * to the result. */
struct class_tops_body {
    int32_t kind; /* ALCORE_CLASSES_PROBS or _LOGPROBS */
    double *tops;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double first = -HUGE_VAL, second = -HUGE_VAL;
        int nan = 0, bad = dims == 0;
        lane_components(dims, [&](int64_t j) {
            double x = row[j];
            if (kind == ALCORE_CLASSES_PROBS) {
                if (!(x >= -CUDA_SLACK && x <= 1.0 + CUDA_SLACK)) bad = 1;
                nan |= x != x;
                x = x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
            } else {
                if (!(x <= CUDA_SLACK)) bad = 1;
                nan |= x != x;
                x = x < 0.0 ? x : 0.0; /* +0.0 for -0.0 too, and for NaN */
            }
            order_two(&second, &x);
            order_two(&first, &second);
        });
        for (int w = CUDA_LANES / 2; w > 0; w /= 2) {
            double other = __shfl_xor_sync(CUDA_FULL_WARP, first, w, CUDA_LANES);
            double other_second = __shfl_xor_sync(CUDA_FULL_WARP, second, w, CUDA_LANES);
            nan |= __shfl_xor_sync(CUDA_FULL_WARP, nan, w, CUDA_LANES);
            bad |= __shfl_xor_sync(CUDA_FULL_WARP, bad, w, CUDA_LANES);
            order_two(&first, &other);
            order_two(&second, &other);
            order_two(&second, &other_second);
        }
        if (lane_id() != 0) return;
        tops[2 * i] = nan ? NAN : bad ? HUGE_VAL : first;
        tops[2 * i + 1] = nan ? NAN : bad ? HUGE_VAL : second;
    }
};
} // namespace

/* Kernel table: tops [count, 2], the two largest of each row of rows [count, classes], the larger
 * first, by row; other rows than those of the mask [count] (NULL: all) are not written. Unit rows
 * are read as they are, since probabilities have no norm. */
alcore_status class_tops(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, int32_t kind, double *tops) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        if (kind != ALCORE_CLASSES_PROBS && kind != ALCORE_CLASSES_LOGPROBS)
            fail(work, ALCORE_E_INVALID,
                 "class scores are neither probabilities nor log-probabilities");
        alcore_sys_rows plain = *rows;
        plain.unit = 0;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(&plain), mask_column = pass.row_mask(mask),
            tops_column = pass.out(tops, 2 * sizeof *tops);
        pass.run([&](const chunk &piece) {
            class_tops_body body = {kind, piece.get<double>(tops_column)};
            launch_rows(chunk_rows(piece, &plain, matrix, mask_column), plain.dtype, piece.stream,
                        body);
        });
    });
}

} // namespace alcore_cuda
