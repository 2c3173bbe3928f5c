/* SPDX-License-Identifier: Apache-2.0 */
/* D^2 weights of k-means++ and BADGE (spec 1.8), their totals, and draws by weight; the formulas
 * stand in cpu_minimum.c and alcore/sys/kernel.h.
 *
 * A warp has a row and TOGETHER centroids at a time; lane 0 applies the duplicate rule and the
 * minimum. Totals and draws are running sums, sequential by definition: one block copies
 * SUM_TILE weights to shared memory, one thread adds them. Cost: rows x centroids x dims in double,
 * and one dependent addition a row for a total. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* The duplicate rule of spec 1.8: what is at most this share of both squared norms is rounding. */
const double DUPLICATE = 1e-12;

/* Centroids that a row is compared with while it is read once. */
enum { TOGETHER = 4 };

/* dot or sq_dist of the row with centroids [K, dims], fewer when `left` is less; every lane gets
 * them. */
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
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) {
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

/* Outputs of the weight kernels. Centroids 0 .. sure - 1 lower the minimum; the speculative ones,
 * sure .. count - 1, are rows that a later draw may hit. */
struct weights_out {
    double *minimum;            /* [rows] smallest weight so far */
    double *each;               /* [count - sure, plane] weights of the speculative centroids */
    int64_t count, sure, plane; /* plane: entries from a centroid's row of each to the next */

    /* Called by one lane with the weight w of row i and centroid c. *least: the minimum so far, in
     * a register. A speculative weight that is not below it is written as infinite. */
    __device__ void put(int64_t i, int64_t c, double w, double duplicate, double *least) const {
        if (w <= duplicate) w = 0.0;
        if (c >= sure)
            each[(c - sure) * plane + i] = w < *least ? w : (double)INFINITY;
        else if (w < *least)
            *least = w;
    }
};

template <int K> struct min_sq_dists_body {
    const double *centroids, *centroid_dots;
    const double *row_dots; /* NULL: no duplicate rule */
    weights_out to;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double least = lane_here() == 0 ? to.minimum[i] : 0.0;
        for (int64_t c = 0; c < to.count; c += K) {
            double w[K];
            row_sums<K, true>(row, centroids + c * dims, to.count - c, dims, w);
            if (lane_here() != 0) continue;
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (c + k >= to.count) continue;
                double duplicate =
                    row_dots ? DUPLICATE * (row_dots[i] + centroid_dots[c + k]) : -1.0;
                to.put(i, c + k, w[k], duplicate, &least);
            }
        }
        if (lane_here() == 0) to.minimum[i] = least;
    }
};

template <int DTYPE, int K>
__device__ inline void factor_dots(const row_set &h, int64_t i, const double *centroids,
                                   int64_t left, double out[K]) {
    row_sums<K, false>(read_row<DTYPE>(h.data, i, h.stride, h.dims, h.unit != 0), centroids, left,
                       h.dims, out);
}

template <int K> struct min_badge_body {
    row_set h;
    int32_t h_dtype;
    const double *centroids_a, *centroids_h, *centroid_squares;
    const double *squares;
    weights_out to;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double least = lane_here() == 0 ? to.minimum[i] : 0.0;
        for (int64_t c = 0; c < to.count; c += K) {
            double a[K], b[K];
            int64_t left = to.count - c;
            row_sums<K, false>(row, centroids_a + c * dims, left, dims, a);
            CUDA_EACH_DTYPE(h_dtype,
                            (factor_dots<DTYPE, K>(h, i, centroids_h + c * h.dims, left, b)));
            if (lane_here() != 0) continue;
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (c + k >= to.count) continue;
                double both = squares[i] + centroid_squares[c + k], product = a[k] * b[k];
                to.put(i, c + k, both - 2.0 * product, DUPLICATE * both, &least);
            }
        }
        if (lane_here() == 0) to.minimum[i] = least;
    }
};

/* A thread has a row of the chunk: minimum[i] = min(minimum[i], values[i]) within the mask. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    update_min_kernel(int64_t count, const uint8_t *mask, const double *values, double *minimum) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i >= count || (mask && !mask[i])) return;
    if (values[i] < minimum[i]) minimum[i] = values[i];
}

/* A running sum is sequential by definition: a block copies numbers to shared memory, one thread
 * adds them. */
enum { SUM_TILE = 4 * CUDA_THREADS };

/* Copies values from `begin` on to tile; 0 where the mask `of` [count] leaves one out, which
 * changes no sum. */
__device__ inline void bring(double tile[SUM_TILE], int64_t begin, int64_t count, const uint8_t *of,
                             const double *values) {
    __syncthreads();
    for (int k = (int)threadIdx.x; k < SUM_TILE; k += CUDA_THREADS) {
        int64_t i = begin + k;
        tile[k] = i < count && (!of || of[i]) ? values[i] : 0.0;
    }
    __syncthreads();
}

/* Adds the values [count] of a chunk, within the mask `of`, to *total, the sum of earlier chunks.
 */
static __global__ void __launch_bounds__(CUDA_THREADS)
    total_kernel(int64_t count, const uint8_t *of, const double *values, double *total) {
    CUDA_SHARED(double, tile, SUM_TILE);
    double run = *total;
    for (int64_t begin = 0; begin < count; begin += SUM_TILE) {
        bring(tile, begin, count, of, values);
        if (threadIdx.x != 0) continue;
        for (int k = 0; k < SUM_TILE; k++) run = run + tile[k];
    }
    if (threadIdx.x == 0) *total = run;
}

/* State of a draw between two chunks: run, the running sum; item, the drawn one or the last one of
 * a positive weight; found, 1 once the target was passed. */
struct draw_state {
    double run;
    int64_t item;
    int32_t found, reserved;
};

/* Goes on with a draw where the chunk before left it: one thread adds the weights of a tile in
 * order and stops at the first item that passes the target. values [count] of a chunk whose first
 * item is `first`. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    draw_kernel(int64_t first, int64_t count, const uint8_t *mask, const double *values,
                double before, double target, draw_state *state) {
    CUDA_SHARED(double, tile, SUM_TILE);
    draw_state own = *state;
    for (int64_t begin = 0; begin < count; begin += SUM_TILE) {
        bring(tile, begin, count, mask, values);
        if (threadIdx.x != 0) continue;
        for (int k = 0; k < SUM_TILE && !own.found; k++) {
            own.run = own.run + tile[k];
            if (!(tile[k] > 0.0)) continue;
            own.item = first + begin + k;
            own.found = before + own.run > target;
        }
    }
    if (threadIdx.x == 0) *state = own;
}

/* The columns of alcore_sys_weights in a pass over `count` rows, and the total. */
class weighing {
  public:
    weighing(call &owner, pipeline &pass, const alcore_sys_weights *weights, int64_t centroids,
             bool guesses, int mask_column)
        : c(owner), to(weights), count(centroids),
          guessed(guesses ? weights->speculative_count : 0),
          least(pass.inout(weights->minimum, sizeof(double))),
          of_each(guessed ? pass.out(weights->speculative, sizeof(double), guessed) : -1),
          counted(weights->total && weights->total_mask ? pass.in(weights->total_mask, 1)
                                                        : mask_column) {
        if (guessed < 0 || count < guessed)
            fail(c.work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        if (!to->total) return;
        const double nothing = 0.0;
        running = c.device_array<double>(1);
        c.upload(running, &nothing, sizeof nothing);
    }
    weights_out out(const chunk &piece) const {
        return {piece.get<double>(least), piece.get<double>(of_each), count, count - guessed,
                piece.plane(of_each)};
    }
    /* After the weights of a chunk. */
    void add(const chunk &piece) const {
        if (!running || piece.count == 0) return;
        CUDA_LAUNCH(total_kernel, 1, CUDA_THREADS, piece.stream, piece.count,
                    piece.get<const uint8_t>(counted), piece.get<const double>(least), running);
    }
    /* After the pass. */
    void finish() const {
        if (running) c.download(to->total, running, sizeof *running);
    }

  private:
    call &c;
    const alcore_sys_weights *to;
    int64_t count, guessed;
    int least, of_each, counted;
    double *running = nullptr;
};
} // namespace

/* Kernel table: lowers weights->minimum [rows] to the squared distance to any of the sure
 * centroids; the last speculative_count of centroids [count, dims] are speculative: their distances
 * go to weights->speculative [speculative_count, rows] and leave the minimum alone. *weights->total
 * gets the sum of the minima in row order. */
alcore_status min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *mask, const double *centroids, int64_t count,
                           const double *centroid_dots, const double *row_dots,
                           int32_t zero_duplicates, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        const double *own = c.whole(centroids, count * rows->dims);
        const double *own_dots = zero_duplicates ? c.whole(centroid_dots, count) : nullptr;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask);
        int dots = zero_duplicates ? pass.in(row_dots, sizeof *row_dots) : -1;
        weighing to(c, pass, weights, count, true, mask_column);
        pass.run([&](const chunk &piece) {
            row_set set = rows_of(piece, rows, matrix, mask_column, -1);
            const double *of = piece.get<const double>(dots);
            if (count == 1)
                launch_rows(set, rows->dtype, piece.stream,
                            min_sq_dists_body<1>{own, own_dots, of, to.out(piece)});
            else
                launch_rows(set, rows->dtype, piece.stream,
                            min_sq_dists_body<TOGETHER>{own, own_dots, of, to.out(piece)});
            to.add(piece);
        });
        to.finish();
    });
}

/* Kernel table: as min_sq_dists, for outer products a h^T that are never formed: rows a [rows,
 * classes] and h [rows, dims], centroids_a [count, classes] and centroids_h [count, dims], squares
 * and centroid_squares their squared norms. */
alcore_status min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                        const alcore_sys_rows *h, const uint8_t *mask, const double *centroids_a,
                        const double *centroids_h, int64_t count, const double *centroid_squares,
                        const double *squares, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        c.check_rows(a);
        c.check_rows(h);
        if (a->count != h->count)
            fail(work, ALCORE_E_SHAPE, "the two factors of a matrix have a row each per item");
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        const double *own_a = c.whole(centroids_a, count * a->dims);
        const double *own_h = c.whole(centroids_h, count * h->dims);
        const double *own_squares = c.whole(centroid_squares, count);
        pipeline pass(c, a->count);
        int of_a = pass.rows(a), of_h = pass.rows(h), mask_column = pass.row_mask(mask);
        int of = pass.in(squares, sizeof *squares);
        weighing to(c, pass, weights, count, true, mask_column);
        pass.run([&](const chunk &piece) {
            row_set set = rows_of(piece, a, of_a, mask_column, -1),
                    factor = rows_of(piece, h, of_h, -1, -1);
            const double *own_of = piece.get<const double>(of);
            if (count == 1)
                launch_rows(set, a->dtype, piece.stream,
                            min_badge_body<1>{factor, h->dtype, own_a, own_h, own_squares, own_of,
                                              to.out(piece)});
            else
                launch_rows(set, a->dtype, piece.stream,
                            min_badge_body<TOGETHER>{factor, h->dtype, own_a, own_h, own_squares,
                                                     own_of, to.out(piece)});
            to.add(piece);
        });
        to.finish();
    });
}

/* Kernel table: joins values [count], distances that an earlier call computed speculatively, to
 * weights->minimum; NULL values: only the total is computed again. */
alcore_status update_min(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                         const double *values, const alcore_sys_weights *weights) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), of = pass.in(values, sizeof *values);
        weighing to(c, pass, weights, 0, false, mask_column);
        pass.run([&](const chunk &piece) {
            if (values)
                CUDA_LAUNCH(update_min_kernel, blocks_for(piece.count, CUDA_THREADS), CUDA_THREADS,
                            piece.stream, piece.count, piece.get<const uint8_t>(mask_column),
                            piece.get<const double>(of), to.out(piece).minimum);
            to.add(piece);
        });
        to.finish();
    });
}

/* Kernel table: the first item, in order, whose running sum of weights, which starts at `before`,
 * exceeds `target`; without one the last item of a positive weight; -1: none has a weight. */
alcore_status draw(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                   const double *values, double before, double target, int64_t *item) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        const draw_state nothing = {0.0, -1, 0, 0};
        draw_state *state = c.device_array<draw_state>(1);
        c.upload(state, &nothing, sizeof nothing);
        pipeline pass(c, count);
        int mask_column = pass.row_mask(mask), of = pass.in(values, sizeof *values);
        pass.run([&](const chunk &piece) {
            CUDA_LAUNCH(draw_kernel, 1, CUDA_THREADS, piece.stream, piece.first, piece.count,
                        piece.get<const uint8_t>(mask_column), piece.get<const double>(of), before,
                        target, state);
        });
        c.download(item, &state->item, sizeof *item);
    });
}

} // namespace alcore_cuda
