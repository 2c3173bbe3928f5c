/* SPDX-License-Identifier: Apache-2.0 */
/* The products of many float16 rows with many others, a tile of a block at a time, by tensor
 * cores. */
#ifndef ALCORE__CUDA_TILE_CUH
#define ALCORE__CUDA_TILE_CUH

#include "cuda_tensor.cuh"
#include "cuda_warp.cuh"

/* A block makes TILE_ROWS x TILE_OTHERS products, each of its four warps 64 x 32 of them, from
 * TILE_DEPTH numbers of each row at a time, while those of the next TILE_STAGES - 1 steps are on
 * their way. */
enum {
    TILE_ROWS = 128,
    TILE_OTHERS = 64,
    TILE_THREADS = 128,
    TILE_DEPTH = 32,
    TILE_UNITS = TILE_DEPTH / 8, /* of a row and step */
    TILE_STAGES = 3,
    TILE_LINES = TILE_ROWS + TILE_OTHERS,
    TILE_MEMORY = TILE_STAGES * TILE_LINES * TILE_UNITS, /* units of shared memory */
    TILE_COPIES = TILE_LINES * TILE_UNITS / TILE_THREADS,
    WARP_ROWS = 64,
    WARP_OTHERS = 32,
    WARP_DOWN = WARP_ROWS / 16, /* steps of a tensor core down and across */
    WARP_ACROSS = WARP_OTHERS / 8,
    /* Steps of TILE_DEPTH whose products one chain of a tensor core adds up. Its sums are cut, not
     * rounded: short chains, added up by a rounded operation, keep the bound small. */
    TILE_CHAIN = 4
};

/* Units of a row that has `dims` numbers: whole steps, the rest zeros. */
inline int64_t half_units(int64_t dims) {
    return (dims + TILE_DEPTH - 1) / TILE_DEPTH * TILE_UNITS;
}

/* Where a unit of a line is: eight lines' units of one column lie in eight different banks. */
__device__ inline int tile_slot(int line, int unit) {
    return line * TILE_UNITS + (unit ^ (line >> 1 & 3));
}

/* A thread's part of a tile: product [down][across][r] is that of the tile's row tile_row(down, r)
 * and other tile_other(across, r). */
struct tile_sums {
    float of[WARP_DOWN][WARP_ACROSS][4];
};
__device__ inline int tile_row(int down, int r) {
    int warp = (int)threadIdx.x / CUDA_LANES;
    return warp / 2 * WARP_ROWS + down * 16 + lane_here() / 4 + r / 2 * 8;
}
__device__ inline int tile_other(int across, int r) {
    int warp = (int)threadIdx.x / CUDA_LANES;
    return warp % 2 * WARP_OTHERS + across * 8 + lane_here() % 4 * 2 + r % 2;
}

/* One stage times one stage. */
__device__ inline void tile_step(const half_unit *stage, tile_sums *sums) {
    int g = lane_here() / 4, t = lane_here() % 4;
    int row = tile_row(0, 0), other = TILE_ROWS + tile_other(0, 0) - 2 * t + g;
#pragma unroll
    for (int k = 0; k < TILE_UNITS; k += 2) {
        uint32_t a[WARP_DOWN][4], b[WARP_ACROSS][2];
#pragma unroll
        for (int down = 0; down < WARP_DOWN; down++) {
#pragma unroll
            for (int r = 0; r < 4; r++)
                a[down][r] = stage[tile_slot(row + 16 * down + r % 2 * 8, k + r / 2)].word[t];
        }
#pragma unroll
        for (int across = 0; across < WARP_ACROSS; across++) {
#pragma unroll
            for (int r = 0; r < 2; r++)
                b[across][r] = stage[tile_slot(other + 8 * across, k + r)].word[t];
        }
#pragma unroll
        for (int down = 0; down < WARP_DOWN; down++) {
#pragma unroll
            for (int across = 0; across < WARP_ACROSS; across++)
                tensor_step(sums->of[down][across], a[down], b[across]);
        }
    }
}

__device__ inline void tile_clear(tile_sums *sums) {
#pragma unroll
    for (int p = 0; p < WARP_DOWN * WARP_ACROSS * 4; p++)
        sums->of[p / 4 / WARP_ACROSS][p / 4 % WARP_ACROSS][p % 4] = 0.0f;
}

/* The products of a block. memory: TILE_MEMORY units. line(n): the first unit of the tile's line n,
 * rows before others; lines beyond `rows` rows and `others` others may be any row's. */
template <class Line>
__device__ inline void tile_products(half_unit *memory, const Line &line, int64_t units,
                                     int64_t rows, int64_t others, tile_sums *out) {
    const int unit = (int)threadIdx.x % TILE_UNITS, first = (int)threadIdx.x / TILE_UNITS;
    const half_unit *from[TILE_COPIES];
    int steps = (int)(units / TILE_UNITS), filled = 0, read = 0; /* stages */
    bool busy =
        tile_row(0, 0) - lane_here() / 4 < rows && tile_other(0, 0) - lane_here() % 4 * 2 < others;
#pragma unroll
    for (int c = 0; c < TILE_COPIES; c++)
        from[c] = line(first + c * (TILE_THREADS / TILE_UNITS)) + unit;
    auto next = [](int stage) { return stage + 1 < TILE_STAGES ? stage + 1 : 0; };
    auto fetch = [&](int step) {
        half_unit *stage = memory + filled * (TILE_LINES * TILE_UNITS);
        filled = next(filled);
#pragma unroll
        for (int c = 0; c < TILE_COPIES && step < steps; c++)
            copy_begin(stage + tile_slot(first + c * (TILE_THREADS / TILE_UNITS), unit),
                       from[c] + step * TILE_UNITS);
        copy_group();
    };
    __syncthreads(); /* the stages have been read */
#pragma unroll
    for (int s = 0; s < TILE_STAGES - 1; s++) fetch(s);
    tile_sums chain;
    tile_clear(&chain);
    tile_clear(out);
    for (int step = 0; step < steps; step++) {
        copy_wait<TILE_STAGES - 2>();
        __syncthreads();
        fetch(step + TILE_STAGES - 1);
        if (busy) tile_step(memory + read * (TILE_LINES * TILE_UNITS), &chain);
        read = next(read);
        if (step % TILE_CHAIN != TILE_CHAIN - 1 && step + 1 < steps) continue;
#pragma unroll
        for (int p = 0; p < WARP_DOWN * WARP_ACROSS * 4; p++) {
            float &part = chain.of[p / 4 / WARP_ACROSS][p / 4 % WARP_ACROSS][p % 4];
            float &sum = out->of[p / 4 / WARP_ACROSS][p / 4 % WARP_ACROSS][p % 4];
            sum = sum + part;
            part = 0.0f;
        }
    }
    copy_wait<0>();
}

#endif
