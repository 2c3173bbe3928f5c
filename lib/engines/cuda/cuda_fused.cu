/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 16-bit hidden states and classes on tensor cores, reduced before they leave the block
 * (cut cross-entropy, Wijmans et al. 2025). A block has TILE_ROWS tokens and a split, some adjacent
 * classes; of these it computes TILE_OTHERS at a time (tile_products of cuda_tile.cuh), puts the
 * logits into the shared memory that the operands had, and each of its threads adds those of one
 * token to its statistics (cuda_logit_state.cuh). Cost: tokens x classes x d multiply-adds on
 * tensor cores; the classes are read once for TILE_ROWS tokens, at best from the second-level
 * cache. */
#include "cuda_fused.cuh"

#include <algorithm>

#include "cuda_stream.cuh"
#include "cuda_tile.cuh"

namespace alcore_cuda {

namespace {
enum {
    FUSED_UNIT = 16, /* adjacent logits of a tile, the groups in which add_logits() takes them */
    FUSED_UNITS = TILE_OTHERS / FUSED_UNIT,
    /* From a token's logits to the next. Threads of a warp read the same class of 32 tokens, which
     * an odd pitch spreads over all banks; they write four classes, two apart, of eight tokens, of
     * which no odd pitch puts fewer than two into a bank. */
    FUSED_PITCH = TILE_OTHERS + 7,
    /* Blocks that a multiprocessor has room for: each thread has up to 255 of its 65,536 registers,
     * and a block TILE_MEMORY, 36 KiB of at least 100 KiB of shared memory. With as many blocks as
     * the device has room for all end at about the same time; the rest of a fourth wave, on a
     * device of 84 multiprocessors, would leave most of it idle. */
    FUSED_RESIDENT = 2
};
static_assert(TILE_ROWS == TILE_THREADS, "a thread has a token");
static_assert(TILE_ROWS * FUSED_PITCH * sizeof(float) <= TILE_MEMORY * sizeof(half_unit),
              "the logits of a tile fit where its operands were");

/* Rows of units, `stride` units from a row to the next. */
struct unit_rows {
    const half_unit *data;
    int64_t count, stride;
};

/* The statistics of tokens TILE_ROWS blockIdx.x and on over split blockIdx.y, classes_of_split
 * classes, a multiple of TILE_OTHERS; the last splits have fewer or none. Lines of a tile that do
 * not exist are copies of the last row. The logit of a class that does not exist is that of the
 * last class with a bias of minus infinity: it adds nothing, or is bad where the last class is.
 * WANTED: a set of RUNNER_UP and ENTROPY. The pipeline of a tile begins with a barrier, so that no
 * thread still reads the logits of the tile before. */
template <int DTYPE, int WANTED>
static __global__ void __launch_bounds__(TILE_THREADS)
    fused_kernel(unit_rows tokens, unit_rows classes, int64_t units, int64_t first_class,
                 const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t classes_of_split, token_state *partial) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    float *logits = (float *)memory;                            /* [TILE_ROWS, FUSED_PITCH] */
    const float *own = logits + (int)threadIdx.x * FUSED_PITCH; /* of this thread's token */
    int64_t first_token = (int64_t)blockIdx.x * TILE_ROWS, token = first_token + threadIdx.x;
    int64_t begin = (int64_t)blockIdx.y * classes_of_split, end = begin + classes_of_split;
    if (end > classes.count) end = classes.count;
    int64_t label = -1; /* the class, -1: none of this split */
    if (labels && token < tokens.count) label = labels[list[token]] - first_class;
    if (label < begin || label >= end) label = -1;
    logit_state<float> state; /* argmax counts from first_class */
    rounded_up<float> rounded;
    for (int64_t tile = begin; tile < end; tile += TILE_OTHERS) {
        auto line = [&](int n) {
            bool is_token = n < TILE_ROWS;
            int64_t row = is_token ? first_token + n : tile + n - TILE_ROWS;
            int64_t last = (is_token ? tokens.count : classes.count) - 1;
            return (is_token ? tokens.data : classes.data) +
                   (row < last ? row : last) * (is_token ? tokens.stride : classes.stride);
        };
        tile_sums sums;
        tile_products<DTYPE>(memory, line, units, tokens.count - first_token, end - tile, &sums);
        __syncthreads(); /* all threads have multiplied the last stage */
#pragma unroll
        for (int q = 0; q < 2 * WARP_ACROSS; q++) {
            int other = product_other(q);
            float added = bias && tile + other < end ? bias[first_class + tile + other] : 0.0f;
            if (tile + other >= end) added = -INFINITY;
#pragma unroll
            for (int p = 0; p < 2 * WARP_DOWN; p++)
                logits[product_row(p) * FUSED_PITCH + other] = sums.product(p, q) + added;
        }
        __syncthreads(); /* the logits are complete */
        float z[FUSED_UNITS][FUSED_UNIT];
        int64_t unit_class[FUSED_UNITS];
#pragma unroll
        for (int u = 0; u < FUSED_UNITS; u++) {
            unit_class[u] = tile + u * FUSED_UNIT;
#pragma unroll
            for (int k = 0; k < FUSED_UNIT; k++) z[u][k] = own[u * FUSED_UNIT + k];
        }
        add_logits<WANTED>(&state, &rounded, z, unit_class);
        if (state.argmax >= tile && state.argmax < end) { /* first met in this tile, in that unit */
            const float *unit = own + (state.argmax - tile);
            int at = 0;
#pragma unroll
            for (int k = FUSED_UNIT - 1; k >= 0; k--)
                if (unit[k] == state.max) at = k;
            state.argmax += at;
        }
        if (label >= tile && label < tile + TILE_OTHERS) state.label = own[label - tile];
    }
    if (token >= tokens.count) return;
    if (state.argmax < INT64_MAX) state.argmax += first_class;
    partial[(int64_t)blockIdx.y * tokens.count + token] = token_state_of(state);
}

unit_rows units_of(const matrix_view &rows) {
    return {(const half_unit *)rows.data, rows.count, rows.stride / 8};
}
} // namespace

int64_t fused_dims(int64_t dims) {
    return half_units(dims) * 8;
}

bool fused_in_form(const matrix_view &rows, int64_t dims) {
    return dims == fused_dims(dims) && rows.stride >= dims && rows.stride % 8 == 0 &&
           (uintptr_t)rows.data % sizeof(half_unit) == 0;
}

int64_t fused_splits(call &c, int64_t tokens, int64_t classes) {
    int multiprocessors = 0;
    c.check(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, c.streams->device),
        "asking for the number of multiprocessors");
    int64_t wanted = std::min<int64_t>(multiprocessors * FUSED_RESIDENT, FUSED_STATES / TILE_ROWS);
    int64_t blocks = (tokens + TILE_ROWS - 1) / TILE_ROWS;
    int64_t tiles = (classes + TILE_OTHERS - 1) / TILE_OTHERS;
    return std::max<int64_t>(std::min(wanted / blocks, tiles), 1);
}

void fused_stats(call &c, const matrix_view &tokens, const matrix_view &classes, int64_t dims,
                 int64_t first_class, const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t splits, const stats_out &out, token_state *partial) {
    int64_t tiles = (classes.count + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t per_split = (tiles + splits - 1) / splits * TILE_OTHERS;
    dim3 blocks(blocks_for(tokens.count, TILE_ROWS), (unsigned)splits);
    auto launch = [&](auto dtype, auto wanted) {
        CUDA_LAUNCH((fused_kernel<decltype(dtype)::value, decltype(wanted)::value>), blocks,
                    TILE_THREADS, c.compute, units_of(tokens), units_of(classes), half_units(dims),
                    first_class, bias, labels, list, per_split, partial);
    };
    launch_wanted(out, [&](auto wanted) {
        if (tokens.dtype == ALCORE_FLOAT16)
            launch(std::integral_constant<int, ALCORE_FLOAT16>(), wanted);
        else
            launch(std::integral_constant<int, ALCORE_BFLOAT16>(), wanted);
    });
}

} // namespace alcore_cuda
