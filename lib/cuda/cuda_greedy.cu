/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the greedy choices: k-centre, D^2 sampling, BADGE, IDDS. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* The duplicate rule of spec 1.8: what is at most this share of both squared norms is rounding. */
const double DUPLICATE = 1e-12;

/* Centres whose products with a row are taken while the row passes once. */
enum { TOGETHER = 4 };

/* dot or sqd of the row with centres [TOGETHER, dims], fewer when `left` is less; every lane gets
 * them. */
template <bool SQD, class Row>
__device__ inline void row_sums(const Row &row, const double *centres, int64_t left, int64_t dims,
                                double out[TOGETHER]) {
    const double *centre[TOGETHER];
    double lane[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
        centre[k] = centres + (k < left ? k : 0) * dims;
        lane[k] = 0.0;
    }
    for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) {
        double x = row[j];
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) {
            double y = centre[k][j];
            if (SQD) {
                double t = x - y;
                lane[k] = lane[k] + t * t;
            } else {
                lane[k] = lane[k] + x * y;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) out[k] = lanes_sum(lane[k]);
}

/* Where the weights of several centres go. */
struct weights_out {
    double *minimum;
    double *each; /* [centres, plane]; NULL: into the minimum */
    int64_t plane;

    /* The weight of row i and centre k, for one lane; least is the minimum so far. */
    __device__ void put(int64_t i, int64_t k, double w, double duplicate, double *least) const {
        if (w <= duplicate) w = 0.0;
        if (each)
            each[k * plane + i] = w < *least ? w : (double)INFINITY;
        else if (w < *least)
            *least = w;
    }
};

struct min_sqds_body {
    const double *centres, *centre_dots;
    int64_t centre_count;
    const double *row_dots; /* NULL: no duplicate rule */
    weights_out to;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double least = lane_here() == 0 ? to.minimum[i] : 0.0;
        for (int64_t c = 0; c < centre_count; c += TOGETHER) {
            double w[TOGETHER];
            row_sums<true>(row, centres + c * dims, centre_count - c, dims, w);
            if (lane_here() != 0) continue;
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) {
                if (c + k >= centre_count) continue;
                double duplicate = row_dots ? DUPLICATE * (row_dots[i] + centre_dots[c + k]) : -1.0;
                to.put(i, c + k, w[k], duplicate, &least);
            }
        }
        if (lane_here() == 0 && !to.each) to.minimum[i] = least;
    }
};

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
    idds_kernel(int64_t count, const uint8_t *take, alcore_sys_idds idds, const double *a,
                const double *b, const double *s, double *out) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i >= count || (take && !take[i])) return;
    double alpha = idds.alpha, rest = 1.0 - alpha;
    double unlabelled = (double)(idds.include_self ? idds.unlabelled : idds.unlabelled - 1);
    double labelled = (double)idds.labelled;
    double near = idds.include_self ? a[i] : a[i] - s[i];
    double first = unlabelled > 0.0 ? near / unlabelled : 0.0;
    double second = labelled > 0.0 ? b[i] / labelled : 0.0;
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
    arg_max_kernel(int64_t first, int64_t count, const uint8_t *take, const double *values,
                   candidate *out) {
    CUDA_SHARED(candidate, memory, CUDA_THREADS);
    candidate own = {0.0, -1};
    int64_t step = (int64_t)gridDim.x * CUDA_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x; i < count; i += step) {
        candidate next = {values[i], first + i};
        if ((take && !take[i]) || next.value != next.value) continue;
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

template <int DTYPE>
__device__ inline void factor_dots(const row_set &h, int64_t i, const double *centres, int64_t left,
                                   double out[TOGETHER]) {
    row_sums<false>(read_row<DTYPE>(h.data, i, h.stride, h.dims, h.unit != 0), centres, left,
                    h.dims, out);
}

struct min_badge_body {
    row_set h;
    int32_t h_dtype;
    const double *centres_a, *centres_h, *centre_squares;
    int64_t centre_count;
    const double *squares;
    weights_out to;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double least = lane_here() == 0 ? to.minimum[i] : 0.0;
        for (int64_t c = 0; c < centre_count; c += TOGETHER) {
            double a[TOGETHER], b[TOGETHER];
            int64_t left = centre_count - c;
            row_sums<false>(row, centres_a + c * dims, left, dims, a);
            CUDA_EACH_DTYPE(h_dtype, factor_dots<DTYPE>(h, i, centres_h + c * h.dims, left, b));
            if (lane_here() != 0) continue;
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) {
                if (c + k >= centre_count) continue;
                double both = squares[i] + centre_squares[c + k], product = a[k] * b[k];
                to.put(i, c + k, both - 2.0 * product, DUPLICATE * both, &least);
            }
        }
        if (lane_here() == 0 && !to.each) to.minimum[i] = least;
    }
};
} // namespace

alcore_status min_sqds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *take, const double *centres, int64_t count,
                       const double *centre_dots, const double *row_dots, int32_t zero_duplicates,
                       double *minimum, double *each) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        const double *own = c.whole(centres, count * rows->dims);
        const double *own_dots = zero_duplicates ? c.whole(centre_dots, count) : nullptr;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), taken = pass.take(take);
        int dots = zero_duplicates ? pass.in(row_dots, sizeof *row_dots) : -1;
        int least = each ? pass.in(minimum, sizeof *minimum) : pass.inout(minimum, sizeof *minimum);
        int of_each = pass.out(each, sizeof *each, count);
        pass.run([&](const chunk &at) {
            weights_out to = {at.get<double>(least), at.get<double>(of_each), at.plane(of_each)};
            min_sqds_body body = {own, own_dots, count, at.get<const double>(dots), to};
            launch_rows(rows_of(at, rows, matrix, taken, -1), rows->dtype, at.stream, body);
        });
    });
}

alcore_status idds_update(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *take, const double *norms, const double *picked,
                          double picked_norm, double *a, double *b) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        const double *own = c.whole(picked, rows->dims);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), taken = pass.take(take), of = pass.in(norms, sizeof *norms);
        int first = pass.inout(a, sizeof *a), second = pass.inout(b, sizeof *b);
        pass.run([&](const chunk &at) {
            idds_update_body body = {at.get<const double>(of), own, picked_norm,
                                     at.get<double>(first), at.get<double>(second)};
            launch_rows(rows_of(at, rows, matrix, taken, -1), rows->dtype, at.stream, body);
        });
    });
}

alcore_status idds_scores(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                          const alcore_sys_idds *idds, const double *a, const double *b,
                          const double *s, double *out) {
    return guarded(work, [&](call &c) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        pipeline pass(c, count);
        int taken = pass.take(take), of_a = pass.in(a, sizeof *a), of_b = pass.in(b, sizeof *b);
        int of_s = pass.in(s, sizeof *s), to = pass.out(out, sizeof *out);
        pass.run([&](const chunk &at) {
            CUDA_LAUNCH(idds_kernel, blocks_for(at.count, CUDA_THREADS), CUDA_THREADS, at.stream,
                        at.count, at.get<const uint8_t>(taken), *idds, at.get<const double>(of_a),
                        at.get<const double>(of_b), at.get<const double>(of_s), at.get<double>(to));
        });
    });
}

alcore_status arg_max(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                      const double *values, int64_t *item, double *value) {
    return guarded(work, [&](call &c) {
        const int64_t MOST_BLOCKS = 512;
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        candidate best = {-HUGE_VAL, -1};
        candidate *found = c.device_array<candidate>(MOST_BLOCKS + 1),
                  *joined = found + MOST_BLOCKS;
        c.upload(joined, &best, sizeof best);
        pipeline pass(c, count);
        int taken = pass.take(take), of = pass.in(values, sizeof *values);
        pass.run([&](const chunk &at) {
            int64_t blocks = (at.count + 4 * CUDA_THREADS - 1) / (4 * CUDA_THREADS);
            if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
            CUDA_LAUNCH(arg_max_kernel, (unsigned)blocks, CUDA_THREADS, at.stream, at.first,
                        at.count, at.get<const uint8_t>(taken), at.get<const double>(of), found);
            CUDA_LAUNCH(arg_max_join, 1, CUDA_THREADS, at.stream, blocks, found, joined);
        });
        c.download(item, &joined->item, sizeof *item);
        c.download(value, &joined->value, sizeof *value);
    });
}

alcore_status min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                        const alcore_sys_rows *h, const uint8_t *take, const double *centres_a,
                        const double *centres_h, int64_t count, const double *centre_squares,
                        const double *squares, double *minimum, double *each) {
    return guarded(work, [&](call &c) {
        c.check_rows(a);
        c.check_rows(h);
        if (a->count != h->count)
            fail(work, ALCORE_E_SHAPE, "the two factors of a matrix have a row each per item");
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        const double *own_a = c.whole(centres_a, count * a->dims);
        const double *own_h = c.whole(centres_h, count * h->dims);
        const double *own_squares = c.whole(centre_squares, count);
        pipeline pass(c, a->count);
        int of_a = pass.rows(a), of_h = pass.rows(h), taken = pass.take(take);
        int of = pass.in(squares, sizeof *squares);
        int least = each ? pass.in(minimum, sizeof *minimum) : pass.inout(minimum, sizeof *minimum);
        int of_each = pass.out(each, sizeof *each, count);
        pass.run([&](const chunk &at) {
            weights_out to = {at.get<double>(least), at.get<double>(of_each), at.plane(of_each)};
            min_badge_body body = {
                rows_of(at, h, of_h, -1, -1), h->dtype, own_a, own_h, own_squares, count,
                at.get<const double>(of),     to};
            launch_rows(rows_of(at, a, of_a, taken, -1), a->dtype, at.stream, body);
        });
    });
}

} // namespace alcore_cuda
