/* SPDX-License-Identifier: Apache-2.0 */
/* Products of many rows with many others (rows of the second operand, such as queries, centroids or
 * classes), float16 or bfloat16, on tensor cores: one block computes a tile of TILE_ROWS x
 * TILE_OTHERS dot products and leaves them in registers (tile_sums), where the filters compare
 * them.
 *
 * A unit is 8 components (half_unit), 16 bytes. A "line" is a row or an other of the tile:
 * lines 0 .. TILE_ROWS - 1 are rows, the rest others. Shared memory holds TILE_STAGES stages, each
 * TILE_DEPTH components of all lines; while one stage is multiplied, the next ones are copied
 * (cp.async). Sums run in chains of TILE_CHAIN stages on the tensor cores, which truncate what
 * they add; the chains are added in float32, which rounds. The error bound is in cuda_filter.cuh.
 * Of cuda_tensor.cuh: copy_begin() starts copying a unit, copy_group() ends a group of copies of
 * this thread, copy_wait<n>() waits for all but its last n groups; tensor_step() multiplies
 * fragments. lane_id() is the number of a thread in its warp of CUDA_LANES = 32 threads. */
#ifndef ALCORE__CUDA_TILE_CUH
#define ALCORE__CUDA_TILE_CUH

#include "cuda_tensor.cuh"
#include "cuda_warp.cuh"

/* Sizes of a tile. Each of the four warps of a block computes WARP_ROWS x WARP_OTHERS of its
 * products. */
enum {
    TILE_ROWS = 128,
    TILE_OTHERS = 64,
    TILE_THREADS = 128,
    TILE_DEPTH = 32,             /* components of a stage */
    TILE_UNITS = TILE_DEPTH / 8, /* units (8 components) of a line in a stage */
    TILE_STAGES = 3,             /* one that is multiplied, two that are being copied */
    TILE_LINES = TILE_ROWS + TILE_OTHERS,
    TILE_MEMORY = TILE_STAGES * TILE_LINES * TILE_UNITS,  /* units of shared memory */
    TILE_COPIES = TILE_LINES * TILE_UNITS / TILE_THREADS, /* units that a thread copies a stage */
    WARP_ROWS = 64,
    WARP_OTHERS = 32,
    WARP_DOWN = WARP_ROWS / 16, /* 16 x 8 fragments of a warp, down and across */
    WARP_ACROSS = WARP_OTHERS / 8,
    /* Stages whose products one chain on the tensor cores adds. Its sums are truncated, so short
     * chains, which rounded additions combine, keep the error bound small. */
    TILE_CHAIN = 4
};

/* Units of a row of `dims` components, a multiple of TILE_UNITS: whole stages, with zeros, which
 * add nothing to a product, behind the last component. */
inline int64_t half_units(int64_t dims) {
    return (dims + TILE_DEPTH - 1) / TILE_DEPTH * TILE_UNITS;
}

/* Index in a stage of unit `unit` of line `line`. The exclusive or spreads unit u of eight adjacent
 * lines, which threads read together, over all banks of shared memory. */
__device__ inline int unit_index(int line, int unit) {
    return line * TILE_UNITS + (unit ^ (line >> 1 & 3));
}

/* The products of a tile that this thread holds: of[down][across][r] is product(2 down + r / 2, 2
 * across + r % 2) (layout: tensor_step). */
struct tile_sums {
    float of[WARP_DOWN][WARP_ACROSS][4];
    /* The product of the p-th of the thread's rows with the q-th of its others. */
    __device__ float product(int p, int q) const { return of[p / 2][q / 2][p % 2 * 2 + q % 2]; }
};
/* The row (0 .. TILE_ROWS - 1) and the other (0 .. TILE_OTHERS - 1) of the tile that product(p, q)
 * of this thread belongs to: four warps have a quarter of the tile each, two by two. */
__device__ inline int product_row(int p) {
    int warp = (int)threadIdx.x / CUDA_LANES;
    return warp / 2 * WARP_ROWS + p / 2 * 16 + lane_id() / 4 + p % 2 * 8;
}
__device__ inline int product_other(int q) {
    int warp = (int)threadIdx.x / CUDA_LANES;
    return warp % 2 * WARP_OTHERS + q / 2 * 8 + lane_id() % 4 * 2 + q % 2;
}

/* Where this thread reads a stage: the lines of the fragments of rows and of others, for each step
 * of 16 components, that it brings to load_parts(). Kept from stage to stage and moved by a
 * constant, as the compiler would compute them again for each. */
struct tile_place {
    const half_unit *row[TILE_UNITS / 2], *other[TILE_UNITS / 2];
    __device__ explicit tile_place(const half_unit *stage) {
        int lane = lane_id(), first_row = product_row(0) - lane / 4,
            first_other = TILE_ROWS + product_other(0) - lane % 4 * 2;
#pragma unroll
        for (int k = 0; k < TILE_UNITS / 2; k++) {
            row[k] = stage + unit_index(first_row + lane % 16, 2 * k + lane / 16);
            other[k] =
                stage + unit_index(first_other + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2);
        }
    }
    __device__ void move(int units) {
#pragma unroll
        for (int k = 0; k < TILE_UNITS / 2; k++) {
            row[k] += units;
            other[k] += units;
        }
    }
};

/* sums += the products of the lines of one stage, in shared memory in the order of unit_index();
 * each warp computes its part of the tile. A step of the loop takes the units 2 k and 2 k + 1, 16
 * components: a and b are the fragments of tensor_step() (cuda_tensor.cuh). The four parts of
 * a[down], 8 lines of one unit each, are the first and the next 8 lines of unit 2 k, then the same
 * of unit 2 k + 1; those of b[pair], of two adjacent `across`, are unit 2 k and unit 2 k + 1 of the
 * first, then of the second. 16 lines on, unit_index() has the same order of units. A whole warp
 * calls it, behind a barrier that follows the copies of the stage. */
template <int DTYPE> __device__ inline void tile_step(const tile_place &place, tile_sums *sums) {
#pragma unroll
    for (int k = 0; k < TILE_UNITS / 2; k++) {
        uint32_t a[WARP_DOWN][4], b[WARP_ACROSS / 2][4];
#pragma unroll
        for (int down = 0; down < WARP_DOWN; down++)
            load_parts(a[down], place.row[k] + 16 * TILE_UNITS * down);
#pragma unroll
        for (int pair = 0; pair < WARP_ACROSS / 2; pair++)
            load_parts(b[pair], place.other[k] + 16 * TILE_UNITS * pair);
#pragma unroll
        for (int down = 0; down < WARP_DOWN; down++) {
#pragma unroll
            for (int across = 0; across < WARP_ACROSS; across++)
                tensor_step<DTYPE>(sums->of[down][across], a[down], b[across / 2] + across % 2 * 2);
        }
    }
}

/* Computes the products of one tile, components of type DTYPE; the whole block calls it together.
 *   memory   [TILE_MEMORY] units of shared memory
 *   line(n)  pointer to the first unit of line n of the tile in device memory, `units` units long,
 *            whole stages; may be called by every thread for any n < TILE_LINES
 *   rows, others  how many of the tile's rows and others exist; line() of the rest may be any line,
 *            whose products the caller ignores. Warps without an existing pair skip the products.
 *   out      the thread's products, whatever it held before
 * Reads and writes of `memory` by the caller need a barrier after the call. A round of the outer
 * loop is a chain. fetch() ends a group of copies also where no stage is left, so that copy_wait()
 * counts groups alike in every step. */
template <int DTYPE = ALCORE_FLOAT16, class Line>
__device__ inline void tile_products(half_unit *memory, const Line &line, int64_t units,
                                     int64_t rows, int64_t others, tile_sums *out) {
    enum { STAGE = TILE_LINES * TILE_UNITS, APART = TILE_THREADS / TILE_UNITS };
    const int first = (int)threadIdx.x / TILE_UNITS, unit = (int)threadIdx.x % TILE_UNITS;
    const half_unit *source[TILE_COPIES];  /* unit of each line that this thread copies next */
    int steps = (int)(units / TILE_UNITS); /* stages of a line */
    bool busy =
        product_row(0) - lane_id() / 4 < rows && product_other(0) - lane_id() % 4 * 2 < others;
#pragma unroll
    for (int c = 0; c < TILE_COPIES; c++) source[c] = line(first + c * APART) + unit;
    half_unit *filled = memory + unit_index(first, unit); /* where the first of them is copied to */
    tile_place place(memory);                             /* in the stage multiplied next */
    /* Begins to copy stage `step`, `ahead` stages behind the one that source[] points to. */
    auto fetch = [&](int step, int ahead) {
        if (step < steps) {
#pragma unroll
            for (int c = 0; c < TILE_COPIES; c++)
                copy_begin(filled + c * APART * TILE_UNITS, source[c] + ahead * TILE_UNITS);
        }
        copy_group();
    };
    __syncthreads(); /* every thread has read the stages of the tile before */
#pragma unroll
    for (int s = 0; s < TILE_STAGES - 1; s++) {
        fetch(s, s);
        filled += STAGE;
    }
    int stage = 0, fill_move = -(TILE_STAGES - 1) * STAGE; /* of `place`; what moves `filled` */
    *out = tile_sums();                                    /* zeros */
    for (int begin = 0; begin < steps; begin += TILE_CHAIN) {
        tile_sums chain = tile_sums();
#pragma unroll
        for (int s = 0; s < TILE_CHAIN; s++) {
            if (s > 0 && begin + s >= steps) break;
            copy_wait<TILE_STAGES - 2>();
            /* All threads now see this stage, and have multiplied the one that fetch() overwrites,
             * the one before it. */
            __syncthreads();
            fetch(begin + s + TILE_STAGES - 1, s + TILE_STAGES - 1);
            if (busy) tile_step<DTYPE>(place, &chain);
            filled += fill_move;
            stage = stage + 1 < TILE_STAGES ? stage + 1 : 0;
            fill_move = stage ? STAGE : -(TILE_STAGES - 1) * STAGE;
            place.move(fill_move);
        }
#pragma unroll
        for (int c = 0; c < TILE_COPIES; c++) source[c] += TILE_CHAIN * TILE_UNITS;
#pragma unroll
        for (int p = 0; p < WARP_DOWN * WARP_ACROSS * 4; p++) {
            float part = chain.of[p / 4 / WARP_ACROSS][p / 4 % WARP_ACROSS][p % 4];
            float &sum = out->of[p / 4 / WARP_ACROSS][p / 4 % WARP_ACROSS][p % 4];
            sum = sum + part;
        }
    }
    copy_wait<0>();
}

#endif
