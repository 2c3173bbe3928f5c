/* SPDX-License-Identifier: Apache-2.0 */
/* Converts rows to doubles, norms and the scaled half-precision form that filters multiply on
 * tensor cores, and computes the numbers that bound its errors, in one kernel. One warp converts
 * one row. Cost: one read of the row, a second one of all but its last part (1024 components, or
 * 512 of float64), and one more of unit rows, for the norm that divides them; one operation in
 * float64 a component, three of float64 rows, and a division of unit rows; what is written: 8 and 2
 * bytes a component.
 *
 * Of cuda_filter.cuh, which has the formulas: row x is scaled by a power of two s and rounded to
 * float16, which is x'; half_stats has w (weight), which scales a product of x' back, n (norm), at
 * least |x|, t (slack), the row's share of the error bound, infinite for a far row, one out of the
 * range FILTER_MIN_NORM .. FILTER_MAX_NORM, and h (half_square), |x|^2 / 2 for distances. A unit is
 * 8 float16 components. */
#include "cuda_filter.cuh"

namespace alcore_cuda {

namespace {
/* The power of two whose double has the exponent bits `bits` (its exponent + 1023, 1 .. 2046). */
__device__ inline double power_of_two(int64_t bits) {
    return __longlong_as_double((long long)(bits << 52));
}

/* What the components of a row are divided by. */
template <int DTYPE> __device__ inline double divisor_of(const plain_row<DTYPE> &) {
    return 1.0;
}
template <int DTYPE> __device__ inline double divisor_of(const row_reader<DTYPE> &row) {
    return row.norm;
}

/* A row is read in parts of 1024 components, or 512 of float64. A warp keeps the last part that it
 * read in shared memory, in float32 or float64; each thread reads there what it wrote. */
enum { PART_BYTES = 4096 };
template <class Real> __device__ inline Real *part_memory(int warp) {
    CUDA_SHARED(loaded_unit, parts, CUDA_WARPS * PART_BYTES / sizeof(loaded_unit));
    return (Real *)parts + warp * (PART_BYTES / sizeof(Real));
}

/* Body of finished_rows, which gives rows to a warp: writes row i in double, its norm, x' and
 * half_stats, of which the first and the last two only where they are wanted. x' is 0 for a row of
 * norm 0 (for cosines: below 1e-12, which counts as 0) and for a far one, whose slack is infinite.
 * residual is |s x - x'|^2, from which d_x follows; the components behind `dims` are 0.
 *
 * The first loop over the parts adds the squares. The second one writes x', from the last part,
 * which is still in shared memory, back to the first. */
struct convert_body {
    struct alignas(sizeof(loaded_unit)) sums { /* one instruction reads it */
        double norm, residual;
    };
    conversion out; /* by row */
    double lost;    /* g + FILTER_SLACK */
    int64_t units;  /* units of 8 components of a row; 0: no half precision is wanted */

    /* What decides how a row is scaled: 2^14 over the power of two that is at most its norm. */
    struct scaling {
        bool cosine, in_range, is_nonzero;
        int64_t exponent; /* norm is in [2^e, 2^(e + 1)), with e + 1023 the exponent */
        double scale;
        __device__ scaling(double norm, int32_t metric) {
            cosine = metric == ALCORE_SYS_COSINE;
            bool zero = cosine ? norm < CUDA_ZERO_NORM : norm == 0.0;
            in_range = zero || (norm >= FILTER_MIN_NORM &&
                                norm <= (cosine ? FILTER_MAX_COSINE_NORM : FILTER_MAX_NORM));
            is_nonzero = in_range && !zero;
            exponent = __double_as_longlong(is_nonzero ? norm : 1.0) >> 52;
            scale = power_of_two(2 * 1023 + 14 - exponent);
        }
    };

    /* The sums lie where the parts of the rows were. */
    template <int DTYPE> __device__ sums *memory() const {
        return (sums *)part_memory<typename real_of<DTYPE>::type>(0);
    }

    template <template <int> class Row, int DTYPE>
    __device__ sums operator()(const Row<DTYPE> &row, int64_t i, int64_t dims) const {
        typedef typename real_of<DTYPE>::type real;
        const int64_t length = PART_BYTES / sizeof(real); /* components of a part */
        real *part =
            part_memory<real>((int)threadIdx.x / CUDA_LANES); /* [length] components first + j */
        const double divisor = divisor_of(row);
        const auto divided = [&](real x) {
            return divisor < CUDA_ZERO_NORM ? 0.0 : widened(x) / divisor;
        };
        double square = 0.0;
        int64_t first = 0;
        for (;; first += length) {
            const int64_t count = dims - first < length ? dims - first : length;
            lane_components(count, [&](int64_t j) {
                part[j] = real_at<DTYPE>(row.data, first + j);
                square = add_square(row, divided(part[j]), square);
            });
            if (out.wide) {
                double *wide = out.wide + i * dims + first;
                lane_components(count, [&](int64_t j) { wide[j] = divided(part[j]); });
            }
            if (first + length >= dims) break;
        }
        double norm = sqrt(lanes_sum(square));
        if (lane_id() == 0) CUDA_COUNT(CONVERTED_ROWS);
        if (units == 0) return {norm, 0.0};
        const scaling scaled(norm, out.metric);
        const real factor = (real)(scaled.scale / divisor);
        float residual = 0.0f;
        uint16_t *halves = (uint16_t *)(out.half.units + i * units);
        for (bool is_last = true; scaled.is_nonzero && first >= 0;
             first -= length, is_last = false) {
            const int64_t count = dims - first < length ? dims - first : length;
            if (!is_last)
                lane_components(count,
                                [&](int64_t j) { part[j] = real_at<DTYPE>(row.data, first + j); });
            lane_components(count, [&](int64_t j) {
                float x = (float)(part[j] * factor);
                uint16_t rounded = device_half_of_float(x);
                float t = x - device_float_of_half(rounded); /* exact */
                residual = device_fused(t, t, residual);
                halves[first + j] = rounded;
            });
        }
#pragma unroll 1
        for (int64_t j = (scaled.is_nonzero ? dims : 0) + lane_id(); j < units * 8; j += CUDA_LANES)
            halves[j] = 0;
        return {norm, lanes_sum((double)residual)};
    }

    __device__ void finish(int64_t i, const sums &of_row) const {
        const double norm = of_row.norm;
        out.norms[i] = norm;
        if (units == 0) return;
        const scaling scaled(norm, out.metric);
        const bool cosine = scaled.cosine;
        half_stats stats = {0.0f, 0.0f, scaled.in_range ? 0.0f : HUGE_VALF, 0.0f};
        if (scaled.is_nonzero) {
            double moved =
                sqrt(of_row.residual) / (norm * scaled.scale) * FILTER_UP + FILTER_MEASURED;
            double length = cosine ? 1.0 : norm * (1.0 + 0x1p-22);
            double back = power_of_two(scaled.exponent - 14);
            stats.weight = (float)(cosine ? back / norm : back);
            stats.norm = (float)length;
            stats.slack = (float)(length * (moved * (1.0 + 0x1p-9) + lost / 2.0) * (1.0 + 0x1p-20));
            if (out.metric == ALCORE_SYS_L2)
                stats.half_square = (float)(0.5 * norm * norm * (1.0 - FILTER_SLACK));
        }
        out.half.stats[i] = stats;
    }
};
} // namespace

/* Converts the rows (declared in cuda_filter.cuh). `lost` below is g of the error bound: a chain of
 * TILE_CHAIN stages loses 18 * 2^-22 a step of 16 components, and adding the chains 2^-24 each.
 * The factor 1.01 is more than the products of these small errors add. */
void convert_set(call &c, const row_set &rows, int32_t dtype, const conversion &out) {
    double chains = (double)(rows.dims / (TILE_CHAIN * TILE_DEPTH)) + 2.0;
    double lost = TILE_CHAIN * TILE_DEPTH / 16 * 18.0 * 0x1p-22 + chains * 0x1p-24;
    convert_body body = {out, 1.01 * lost + FILTER_SLACK,
                         out.half.units ? half_units(rows.dims) : 0};
    launch_finished_rows(rows, dtype, c.compute, body);
    c.launched();
}

/* In a pipeline of its own, because the rows may be more than a chunk. */
void convert_range(call &c, const alcore_sys_rows *rows, int64_t first, int64_t count,
                   const conversion &out) {
    alcore_sys_rows part = *rows;
    part.data = (const char *)rows->data +
                first * rows->stride * (int64_t)alcore_sys_dtype_bytes(rows->dtype);
    part.count = count;
    pipeline pass(c, count);
    int matrix = pass.rows(&part);
    pass.run([&](const chunk &piece) {
        convert_set(c, chunk_rows(piece, &part, matrix), part.dtype,
                    conversion_from(out, piece.first, part.dims));
    });
}

} // namespace alcore_cuda
