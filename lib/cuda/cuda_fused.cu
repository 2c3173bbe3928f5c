/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 16-bit hidden states and classes on tensor cores, reduced before they leave the block
 * (cut cross-entropy, Wijmans et al. 2025). A block has TILE_ROWS tokens and a split, some adjacent
 * classes; of these it computes TILE_OTHERS at a time (tile_products of cuda_tile.cuh), puts the
 * logits into the shared memory that the operands had, and each of its threads adds those of one
 * token to its running statistics (cuda_stats.cuh). Cost: tokens x classes x d multiply-adds on
 * tensor cores; the classes are read once for TILE_ROWS tokens, at best from the second-level
 * cache. */
#include "cuda_fused.cuh"

#include <algorithm>

#include "cuda_tile.cuh"

namespace alcore_cuda {

namespace {
enum {
    FUSED_AHEAD = 16,              /* logits that a thread adds at a time */
    FUSED_PITCH = TILE_OTHERS + 1, /* from a token's logits to the next: spread over the banks */
    FUSED_BLOCKS = 528             /* four for each of the 132 multiprocessors of an H200 */
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
 * not exist are copies of the last row. The pipeline of a tile begins with a barrier, so that no
 * thread still reads the logits of the tile before. */
template <int DTYPE>
static __global__ void __launch_bounds__(TILE_THREADS)
    fused_kernel(unit_rows tokens, unit_rows classes, int64_t units, int64_t first_class,
                 const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t classes_of_split, token_state *partial) {
    CUDA_SHARED(half_unit, memory, TILE_MEMORY);
    float *logits = (float *)memory; /* [TILE_ROWS, FUSED_PITCH] */
    int t = (int)threadIdx.x;
    int64_t first_token = (int64_t)blockIdx.x * TILE_ROWS, token = first_token + t;
    int64_t begin = (int64_t)blockIdx.y * classes_of_split, end = begin + classes_of_split;
    if (end > classes.count) end = classes.count;
    int64_t label = -1; /* no class has this number */
    if (labels && token < tokens.count) label = labels[list[token]] - first_class;
    double label_logit = (double)NAN;
    running_state<float> state;
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
        for (int p = 0; p < WARP_DOWN * WARP_ACROSS * 4; p++) {
            int down = p / 4 / WARP_ACROSS, across = p / 4 % WARP_ACROSS, r = p % 4;
            logits[tile_row(down, r) * FUSED_PITCH + tile_other(across, r)] =
                sums.of[down][across][r];
        }
        __syncthreads(); /* the logits are complete */
        for (int k = 0; k < TILE_OTHERS && tile + k < end; k += FUSED_AHEAD) {
            float z[FUSED_AHEAD];
            int64_t class_index[FUSED_AHEAD];
            int64_t left = end - tile - k;
#pragma unroll
            for (int m = 0; m < FUSED_AHEAD; m++) {
                int64_t c = first_class + tile + k + m;
                class_index[m] = c;
                z[m] = logits[t * FUSED_PITCH + k + m];
                if (bias && m < left) z[m] = z[m] + bias[c];
                if (m < left && tile + k + m == label) label_logit = (double)z[m];
            }
            state.add(z, class_index, left < FUSED_AHEAD ? (int)left : FUSED_AHEAD);
        }
    }
    if (token >= tokens.count) return;
    token_state all = state.state();
    all.label = label_logit;
    partial[(int64_t)blockIdx.y * tokens.count + token] = all;
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

int64_t fused_splits(int64_t tokens, int64_t classes) {
    int64_t blocks = (tokens + TILE_ROWS - 1) / TILE_ROWS;
    int64_t tiles = (classes + TILE_OTHERS - 1) / TILE_OTHERS;
    return std::max<int64_t>(std::min(FUSED_BLOCKS / blocks, tiles), 1);
}

void fused_stats(call &c, const matrix_view &tokens, const matrix_view &classes, int64_t dims,
                 int64_t first_class, const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t splits, token_state *partial) {
    int64_t tiles = (classes.count + TILE_OTHERS - 1) / TILE_OTHERS;
    int64_t per_split = (tiles + splits - 1) / splits * TILE_OTHERS;
    dim3 blocks(blocks_for(tokens.count, TILE_ROWS), (unsigned)splits);
    if (tokens.dtype == ALCORE_FLOAT16)
        CUDA_LAUNCH((fused_kernel<ALCORE_FLOAT16>), blocks, TILE_THREADS, c.compute,
                    units_of(tokens), units_of(classes), half_units(dims), first_class, bias,
                    labels, list, per_split, partial);
    else
        CUDA_LAUNCH((fused_kernel<ALCORE_BFLOAT16>), blocks, TILE_THREADS, c.compute,
                    units_of(tokens), units_of(classes), half_units(dims), first_class, bias,
                    labels, list, per_split, partial);
}

} // namespace alcore_cuda
