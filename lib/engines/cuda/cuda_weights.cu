/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights of k-means++ and BADGE (spec 1.8), and their total in a call:
 *
 *     k-means++  w = sq_dist(row, centroid)
 *     BADGE      w = |a|^2 |h|^2 + |a_c|^2 |h_c|^2 - 2 (a.a_c) (h.h_c), the squared distance of the
 *                outer products a h^T and a_c h_c^T, which are never formed
 *
 * and 0 where w is at most DUPLICATE times the sum of both squared norms. A row keeps the smallest
 * w over all centroids so far (minimum); speculative centroids, rows that the next draws are likely
 * to hit, are measured in the same pass and kept apart, and update_min merges one of them when the
 * draw hits it.
 *
 * A warp compares a row with TOGETHER centroids at a time; its thread 0 applies the duplicate rule
 * and the minimum. Cost: rows x centroids x dims multiply-adds in double, and one dependent
 * addition a row for a total. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* The duplicate rule of spec 1.8: a w of at most this share of both squared norms is rounding. */
const double DUPLICATE = 1e-12;

/* Centroids that a row is compared with while it is read once. */
enum { TOGETHER = 4 };

/* out [K], in every thread of the warp: dot product (SQD false) or squared distance of the row with
 * each of the first K of centroids [left, dims]; entries from `left` on, which do not exist, are
 * computed from the first centroid and ignored by the caller. The row is read once. lane: running
 * sum of this thread for each centroid. */
template <int K, bool SQD, class Row>
__device__ inline void row_sums(const Row &row, const double *centroids, int64_t left, int64_t dims,
                                double out[K]) {
    const double *centroid[K];
    double lane[K];
#pragma unroll
    for (int k = 0; k < K; k++) {
        centroid[k] = centroids + (k < left ? k : 0) * dims;
        lane[k] = 0.0;
    }
    for (int64_t j = lane_id(); j < dims; j += CUDA_LANES) {
        double x = row[j];
#pragma unroll
        for (int k = 0; k < K; k++) {
            double y = centroid[k][j];
            if (SQD) {
                double t = x - y;
                lane[k] = lane[k] + t * t;
            } else {
                lane[k] = lane[k] + x * y;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++) out[k] = lanes_sum(lane[k]);
}

/* Outputs of the weight kernels for a chunk, on the device. The centroids first_speculative ..
 * count - 1 are speculative. */
struct weights_out {
    double *minimum;           /* [chunk] smallest weight so far, in and out */
    double *speculative;       /* [count - first_speculative, plane], of which the first [chunk] of
                                  each centroid are written: weights of the speculative centroids */
    int64_t count;             /* centroids of the call */
    int64_t first_speculative; /* the first one that is speculative; `count`: none is */
    int64_t plane;             /* entries from the weights of a speculative centroid to the next */

    /* Called by one thread with the weight w (a squared distance) of row i and centroid c, in order
     * of c. A w of at most `duplicate` counts as 0; -1.0 switches that off where no w is negative.
     * *min_weight: the minimum of the row so far, in a register, which only centroids that are not
     * speculative lower; they come first. A speculative weight that is not below it is written as
     * infinity. A NaN lowers nothing. */
    __device__ void store_weight(int64_t i, int64_t c, double w, double duplicate,
                                 double *min_weight) const {
        if (w <= duplicate) w = 0.0;
        if (c >= first_speculative)
            speculative[(c - first_speculative) * plane + i] =
                w < *min_weight ? w : (double)INFINITY;
        else if (w < *min_weight)
            *min_weight = w;
    }
};

/* Body of each_row for min_sq_dists: row i of the chunk against all centroids, K at a time: K is
 * TOGETHER, or 1 where the call has one centroid, which a larger K would compute K times. The warp
 * computes the distances together, its thread 0 alone keeps and writes the minimum. */
template <int K> struct min_sq_dists_body {
    const double *centroids;     /* [count, dims] */
    const double *centroid_dots; /* [count] squared norms; read with row_dots only */
    const double *row_dots;      /* [chunk] squared norms; NULL: no duplicate rule */
    weights_out outputs;         /* `count` and where the weights go */
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double min_weight = lane_id() == 0 ? outputs.minimum[i] : 0.0;
        for (int64_t c = 0; c < outputs.count; c += K) {
            double w[K];
            row_sums<K, true>(row, centroids + c * dims, outputs.count - c, dims, w);
            if (lane_id() != 0) continue;
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (c + k >= outputs.count) continue;
                double duplicate =
                    row_dots ? DUPLICATE * (row_dots[i] + centroid_dots[c + k]) : -1.0;
                outputs.store_weight(i, c + k, w[k], duplicate, &min_weight);
            }
        }
        if (lane_id() == 0) outputs.minimum[i] = min_weight;
    }
};

/* out [K] = dot(h_i, centroid) for row i of the second factor h and the first K of centroids [left,
 * dims of h], as row_sums(). A function of its own, because the dtype of h may differ from that of
 * a. */
template <int DTYPE, int K>
__device__ inline void factor_dots(const row_set &h, int64_t i, const double *centroids,
                                   int64_t left, double out[K]) {
    row_sums<K, false>(read_row<DTYPE>(h, i), centroids, left, h.dims, out);
}

/* Body of each_row over the factor a for min_badge; h is read by factor_dots(). `row` is row i of
 * a, `dims` its components (classes). Otherwise as min_sq_dists_body; the duplicate rule always
 * holds, also for a weight that rounding made negative. */
template <int K> struct min_badge_body {
    row_set h;                               /* the second factor of the rows of the chunk */
    int32_t h_dtype;                         /* ALCORE_FLOAT32, ... of its components */
    const double *centroids_a, *centroids_h; /* [count, dims of a], [count, dims of h] */
    const double *centroid_squares;          /* [count] |a_c|^2 |h_c|^2 */
    const double *squares;                   /* [chunk] |a|^2 |h|^2 */
    weights_out outputs;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double min_weight = lane_id() == 0 ? outputs.minimum[i] : 0.0;
        for (int64_t c = 0; c < outputs.count; c += K) {
            double a[K], b[K];
            int64_t left = outputs.count - c;
            row_sums<K, false>(row, centroids_a + c * dims, left, dims, a);
            CUDA_EACH_DTYPE(h_dtype,
                            (factor_dots<DTYPE, K>(h, i, centroids_h + c * h.dims, left, b)));
            if (lane_id() != 0) continue;
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (c + k >= outputs.count) continue;
                /* both: the sum of both squared norms of the outer products */
                double both = squares[i] + centroid_squares[c + k], product = a[k] * b[k];
                outputs.store_weight(i, c + k, both - 2.0 * product, DUPLICATE * both, &min_weight);
            }
        }
        if (lane_id() == 0) outputs.minimum[i] = min_weight;
    }
};

/* Launches one of these bodies, whose members are `members`, for `count` centroids. */
template <template <int> class Body, class... Members>
void launch_weights(int64_t count, const row_set &set, int32_t dtype, cudaStream_t stream,
                    const Members &...members) {
    if (count == 1)
        launch_rows(set, dtype, stream, Body<1>{members...});
    else
        launch_rows(set, dtype, stream, Body<TOGETHER>{members...});
}

/* minimum[i] = min(minimum[i], values[i]) for the rows of the mask of a chunk, a thread a row. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    update_min_kernel(int64_t count, const uint8_t *mask, const double *values, double *minimum) {
    int64_t i = thread_index();
    if (i >= count || (mask && !mask[i])) return;
    if (values[i] < minimum[i]) minimum[i] = values[i];
}

/* The arrays of alcore_sys_weights as columns of a pass, and the total: shared by min_sq_dists,
 * min_badge and update_min, which uses no speculative columns (speculates false). */
class weights_columns {
  public:
    /* Adds the columns to the pass and allocates the total, 0, where the caller wants it.
     * centroids: how many the call has; mask_column: the call's mask, by which the total adds where
     * the caller gave no mask for that. */
    weights_columns(call &owner, pipeline &pass, const alcore_sys_weights *caller_weights,
                    int64_t centroids, bool speculates, int mask_column)
        : c(owner), weights(caller_weights), count(centroids),
          speculative(speculates ? weights->speculative_count : 0),
          minimum_column(pass.inout(weights->minimum, sizeof(double))),
          speculative_column(
              speculative ? pass.out(weights->speculative, sizeof(double), speculative) : -1),
          total_mask_column(weights->total && weights->total_mask ? pass.in(weights->total_mask, 1)
                                                                  : mask_column) {
        c.check_count(speculative);
        c.check_count(count - speculative);
        double nothing = 0.0;
        if (weights->total) total = c.in_out(&nothing, 1);
    }
    /* The outputs of a chunk, for its kernel. */
    weights_out out(const chunk &piece) const {
        return {piece.get<double>(minimum_column), piece.get<double>(speculative_column), count,
                count - speculative, piece.plane(speculative_column)};
    }
    /* Adds the minima of a chunk to the total; to be called after its weights, chunk by chunk. */
    void add(const chunk &piece) const {
        if (!total || piece.count == 0) return;
        add_to_total(piece.stream, piece.count, piece.get<const uint8_t>(total_mask_column),
                     piece.get<const double>(minimum_column), total);
    }
    /* Writes the total to the caller, after the pass. */
    void finish() const {
        if (total) c.download(weights->total, total, sizeof *total);
    }

  private:
    call &c;
    const alcore_sys_weights *weights;
    int64_t count, speculative; /* centroids, and how many of the last are speculative */
    int minimum_column, speculative_column; /* columns of the pass; -1: no speculative centroids */
    int total_mask_column;   /* column of the mask of rows that the total adds; -1: all rows */
    double *total = nullptr; /* [1] on the device; NULL: not wanted */
};
} // namespace

/* Kernel table: D^2 weights of k-means++. weights->minimum [rows] becomes the smallest weight over
 * itself and centroids [count, dims], of which the last speculative_count are speculative: their
 * weights go to weights->speculative [speculative_count, rows] instead. *weights->total: the sum of
 * the minima in row order. row_dots [rows], centroid_dots [count]: for the duplicate rule
 * (zero_duplicates). */
alcore_status min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *mask, const double *centroids, int64_t count,
                           const double *centroid_dots, const double *row_dots,
                           int32_t zero_duplicates, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        c.check_count(count);
        const double *device_centroids = c.to_device(centroids, count * rows->dims);
        const double *device_dots = zero_duplicates ? c.to_device(centroid_dots, count) : nullptr;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask);
        int dots = zero_duplicates ? pass.in(row_dots, sizeof *row_dots) : -1;
        pass.limit_products((double)rows->dims * (double)count, LAUNCH_DOUBLES);
        weights_columns outputs(c, pass, weights, count, true /* speculates */, mask_column);
        pass.run([&](const chunk &piece) {
            row_set set = chunk_rows(piece, rows, matrix, mask_column);
            launch_weights<min_sq_dists_body>(count, set, rows->dtype, piece.stream,
                                              device_centroids, device_dots,
                                              piece.get<const double>(dots), outputs.out(piece));
            outputs.add(piece);
        });
        outputs.finish();
    });
}

/* Kernel table: D^2 weights of BADGE; minimum, speculative and total as in min_sq_dists. Factors a
 * [rows, classes] and h [rows, dims], centroids_a [count, classes] and centroids_h [count, dims];
 * squares [rows] and centroid_squares [count]: squared norms of the outer products. */
alcore_status min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                        const alcore_sys_rows *h, const uint8_t *mask, const double *centroids_a,
                        const double *centroids_h, int64_t count, const double *centroid_squares,
                        const double *squares, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        c.check_rows(a);
        c.check_rows(h);
        if (a->count != h->count)
            fail(work, ALCORE_E_SHAPE, "the two factors of BADGE have different numbers of rows");
        c.check_count(count);
        const double *device_a = c.to_device(centroids_a, count * a->dims);
        const double *device_h = c.to_device(centroids_h, count * h->dims);
        const double *device_squares = c.to_device(centroid_squares, count);
        pipeline pass(c, a->count);
        int a_column = pass.rows(a), h_column = pass.rows(h), mask_column = pass.row_mask(mask);
        int squares_column = pass.in(squares, sizeof *squares);
        pass.limit_products((double)(a->dims + h->dims) * (double)count, LAUNCH_DOUBLES);
        weights_columns outputs(c, pass, weights, count, true /* speculates */, mask_column);
        pass.run([&](const chunk &piece) {
            row_set set = chunk_rows(piece, a, a_column, mask_column),
                    factor = chunk_rows(piece, h, h_column);
            launch_weights<min_badge_body>(
                count, set, a->dtype, piece.stream, factor, h->dtype, device_a, device_h,
                device_squares, piece.get<const double>(squares_column), outputs.out(piece));
            outputs.add(piece);
        });
        outputs.finish();
    });
}

/* Kernel table: merges values [count], the weights of a speculative centroid that a draw hit, into
 * weights->minimum [count]; values NULL: only the total is computed. */
alcore_status update_min(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                         const double *values, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        c.check_count(count);
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), values_column = pass.in(values, sizeof *values);
        weights_columns outputs(c, pass, weights, 0 /* centroids */, false /* speculates */,
                                mask_column);
        pass.run([&](const chunk &piece) {
            if (values)
                CUDA_LAUNCH(update_min_kernel, blocks_for(piece.count, CUDA_THREADS), CUDA_THREADS,
                            piece.stream, piece.count, piece.get<const uint8_t>(mask_column),
                            piece.get<const double>(values_column), outputs.out(piece).minimum);
            outputs.add(piece);
        });
        outputs.finish();
    });
}

} // namespace alcore_cuda
