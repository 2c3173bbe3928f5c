/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from hidden states h [tokens, d] and the output matrix W [classes, d]: z = h W^T
 * + bias, then log-sum-exp, top two and entropy; tiles of logits live in shared memory only.
 *
 * hidden_kernel: a block has TOKENS tokens and a split of the classes; it makes tiles of TOKENS x
 * CLASSES logits in float32, DEPTH components at a time, and adds them to running statistics, one
 * slice of classes a thread. hidden_join: a thread joins the splits of one token in order, to what
 * earlier launches found (carried). A launch has at most MAX_LAUNCH_PRODUCTS products; between
 * launches the host is asked whether to stop.
 * Cost: tokens x classes x d multiply-adds in float32 without tensor cores; W is read once for
 * TOKENS tokens from the second-level cache at best. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* A block makes tiles of TOKENS x CLASSES logits, DEPTH dimensions at a time; a thread SIDE x SIDE
 * of them, and then SLICE classes of one token. */
enum {
    TOKENS = 64,
    CLASSES = 64,
    DEPTH = 16,
    SIDE = 4,
    THREADS = 256,
    SLICES = THREADS / TOKENS,
    SLICE = CLASSES / SLICES,
    PADDED = CLASSES + 1
};

/* Blocks that keep a large device busy. */
const int64_t WANTED_BLOCKS = 528;

/* Products of one launch: some 20 ms on a device of 5e12 products a second, so that a host that
 * wants to stop is heard. The emulation's launches are small. */
#ifdef ALCORE_CUDA_EMULATED
const int64_t MAX_LAUNCH_PRODUCTS = 1 << 20;
#else
const int64_t MAX_LAUNCH_PRODUCTS = INT64_C(1) << 36;
#endif

struct operand {
    const void *data;
    int64_t count, stride;
    int32_t dtype;
};

__device__ inline float float_at(const operand &of, int64_t at) {
    if (of.dtype == ALCORE_FLOAT32) return (float)number_at<ALCORE_FLOAT32>(of.data, at);
    if (of.dtype == ALCORE_FLOAT16) return (float)number_at<ALCORE_FLOAT16>(of.data, at);
    if (of.dtype == ALCORE_BFLOAT16) return (float)number_at<ALCORE_BFLOAT16>(of.data, at);
    return (float)number_at<ALCORE_FLOAT64>(of.data, at);
}

/* Classes of this launch are numbered from first_class. list: the tokens that have a label. */
static __global__ void __launch_bounds__(THREADS)
    hidden_kernel(operand hidden, const int32_t *list, int64_t listed, operand output,
                  int64_t first_class, int64_t dims, const float *bias, const int64_t *labels,
                  int64_t classes_of_split, token_state *partial) {
    CUDA_SHARED(float, a, DEPTH *TOKENS);
    CUDA_SHARED(float, b, DEPTH *CLASSES);
    CUDA_SHARED(float, logits, TOKENS *PADDED);
    CUDA_SHARED(token_state, states, THREADS);
    int t = (int)threadIdx.x, across = t % (CLASSES / SIDE) * SIDE,
        down = t / (CLASSES / SIDE) * SIDE;
    int token = t / SLICES, slice = t % SLICES;
    int64_t first_token = (int64_t)blockIdx.x * TOKENS;
    int64_t begin = (int64_t)blockIdx.y * classes_of_split;
    int64_t end = begin + classes_of_split < output.count ? begin + classes_of_split : output.count;
    int64_t label = -1;
    if (labels && first_token + token < listed) label = labels[list[first_token + token]];
    double label_logit = (double)NAN;
    running_state<float> own;
    for (int64_t tile = begin; tile < end; tile += CLASSES) {
        float sum[SIDE][SIDE];
#pragma unroll
        for (int p = 0; p < SIDE * SIDE; p++) sum[p / SIDE][p % SIDE] = 0.0f;
        for (int64_t depth = 0; depth < dims; depth += DEPTH) {
            __syncthreads(); /* the tile before has been read */
            for (int e = t; e < DEPTH * TOKENS; e += THREADS) {
                int64_t j = depth + e % DEPTH, row = first_token + e / DEPTH, c = tile + e / DEPTH;
                bool there = j < dims;
                a[e % DEPTH * TOKENS + e / DEPTH] =
                    there && row < listed ? float_at(hidden, list[row] * hidden.stride + j) : 0.0f;
                b[e % DEPTH * CLASSES + e / DEPTH] =
                    there && c < end ? float_at(output, c * output.stride + j) : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                float x[SIDE], y[SIDE];
#pragma unroll
                for (int k = 0; k < SIDE; k++) {
                    x[k] = a[j * TOKENS + down + k];
                    y[k] = b[j * CLASSES + across + k];
                }
#pragma unroll
                for (int p = 0; p < SIDE * SIDE; p++)
                    sum[p / SIDE][p % SIDE] =
                        device_fused(x[p / SIDE], y[p % SIDE], sum[p / SIDE][p % SIDE]);
            }
        }
        __syncthreads(); /* the logits before have been read */
#pragma unroll
        for (int p = 0; p < SIDE * SIDE; p++) {
            int64_t c = tile + across + p % SIDE;
            float shift = bias && c < end ? bias[first_class + c] : 0.0f;
            logits[(down + p / SIDE) * PADDED + across + p % SIDE] =
                sum[p / SIDE][p % SIDE] + shift;
        }
        __syncthreads();
        float z[SLICE];
        int64_t at[SLICE];
        int64_t there = end - tile - slice * SLICE;
#pragma unroll
        for (int k = 0; k < SLICE; k++) {
            z[k] = logits[token * PADDED + slice * SLICE + k];
            at[k] = first_class + tile + slice * SLICE + k;
            if (k < there && at[k] == label) label_logit = (double)z[k];
        }
        own.add(z, at, there < 0 ? 0 : there < SLICE ? (int)there : SLICE);
    }
    states[t] = own.state();
    states[t].label = label_logit;
    __syncthreads();
    if (slice != 0 || first_token + token >= listed) return;
    token_state all = states[t];
    for (int k = 1; k < SLICES; k++) all = joined(all, states[t + k]);
    partial[(int64_t)blockIdx.y * listed + first_token + token] = all;
}

/* A thread has a token and joins the statistics of its splits, in order, to those of the classes of
 * earlier launches, carried [tokens]. begins, ends: the first or the last launch of these tokens.
 */
static __global__ void __launch_bounds__(CUDA_THREADS)
    hidden_join(const int32_t *list, int64_t listed, int64_t splits, const token_state *partial,
                bool begins, bool ends, bool labeled, int64_t first, token_state *carried,
                stats_out out, long long *bad) {
    int64_t n = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (n >= listed) return;
    int64_t i = list[n];
    token_state all = begins ? no_classes() : carried[i];
    for (int64_t s = 0; s < splits; s++) all = joined(all, partial[s * listed + n]);
    carried[i] = all;
    if (ends) out.put(i, all, labeled, first + i, bad);
}

/* Rows of the output matrix on the device: in place, or a part at a time. */
class output_side {
  public:
    output_side(call &owner, const alcore_sys_rows *given) : c(owner), rows(given) {
        static const size_t number[] = {0, 2, 2, 4, 8};
        bytes = number[rows->dtype];
        in_place = rows->count == 0 || rows->dims == 0 ||
                   (c.on_device(rows->data) && (uintptr_t)rows->data % bytes == 0);
        step = std::max<int64_t>(rows->count, 1);
        if (in_place) return;
        size_t row = (size_t)rows->dims * bytes;
        step = std::min(step, std::max<int64_t>((int64_t)(c.limit() / 2 / row), CLASSES));
        for (; !memory; step = (step + 1) / 2) {
            try {
                memory = (char *)c.device((size_t)step * row);
                break;
            } catch (const no_memory &) {
                if (step == 1) throw;
            }
        }
    }

    /* The classes from `first` on, `most` of them or fewer: those of the part that is on the
     * device. */
    operand part(int64_t first, int64_t most) {
        int64_t begin = first / step * step, skipped = first - begin;
        operand all = whole_part(begin);
        size_t row = (size_t)all.stride * bytes;
        return {(const char *)all.data + (size_t)skipped * row, std::min(most, all.count - skipped),
                all.stride, all.dtype};
    }

  private:
    operand whole_part(int64_t first) {
        int64_t count = std::min(step, rows->count - first);
        const char *from = (const char *)rows->data + (size_t)(first * rows->stride) * bytes;
        if (in_place) return {from, count, rows->stride, rows->dtype};
        size_t row = (size_t)rows->dims * bytes;
        if (current != first && rows->stride == rows->dims) {
            c.upload(memory, from, (size_t)count * row);
        } else if (current != first) {
            for (int64_t i = 0; i < count; i++)
                c.upload(memory + (size_t)i * row, from + (size_t)(i * rows->stride) * bytes, row);
        }
        current = first;
        return {memory, count, rows->dims, rows->dtype};
    }

    call &c;
    const alcore_sys_rows *rows;
    size_t bytes;
    bool in_place;
    char *memory = nullptr;
    int64_t step, current = -1;
};
} // namespace

/* Kernel table: statistics of each token from its hidden state, hidden [tokens, d], and the output
 * matrix [classes, d] with bias [classes] (NULL: none); otherwise as logit_stats. The logits are
 * never written to memory. */
alcore_status hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                           const alcore_sys_rows *output, const float *bias, const int64_t *labels,
                           int64_t ignore, const alcore_sys_token_stats *out, int64_t *bad) {
    return guarded(work, [&](call &c) {
        c.check_rows(hidden);
        c.check_rows(output);
        if (hidden->dims != output->dims)
            fail(work, ALCORE_E_SHAPE, "hidden states and output matrix differ in dimensions");
        std::vector<int64_t> label_memory;
        const int64_t *labels_here = c.on_host(labels, hidden->count, &label_memory);
        std::vector<uint8_t> mask((size_t)hidden->count + 1, 1);
        for (int64_t i = 0; labels && i < hidden->count; i++)
            mask[(size_t)i] = labels_here[i] != ignore;
        long long *lowest = new_bad_row(c);
        const float *shifts = c.whole(bias, output->count);
        output_side matrix(c, output);
        std::vector<int32_t> list;
        pipeline pass(c, hidden->count);
        pass.only(mask.data());
        int64_t dims = std::max<int64_t>(hidden->dims, 1);
        pass.at_most(std::max<int64_t>(MAX_LAUNCH_PRODUCTS / dims / CLASSES, TOKENS));
        int states = pass.rows(hidden), of = pass.in(labels, sizeof *labels);
        int carried = pass.scratch(sizeof(token_state));
        stats_columns to(pass, out);
        pass.run([&](const chunk &piece) {
            list.clear();
            for (int64_t i = 0; i < piece.count; i++)
                if (mask[(size_t)(piece.first + i)]) list.push_back((int32_t)i);
            int64_t listed = (int64_t)list.size(), tiles = (listed + TOKENS - 1) / TOKENS;
            if (listed == 0) return;
            const int32_t *places = c.whole(list.data(), listed);
            operand tokens = {piece.get<const void>(states), piece.count, piece.stride(states),
                              hidden->dtype};
            int64_t most = MAX_LAUNCH_PRODUCTS / dims / listed / CLASSES * CLASSES, first = 0;
            most = std::max<int64_t>(most, CLASSES);
            do {
                if (first > 0) c.wait_and_poll();
                operand some = matrix.part(first, most);
                int64_t class_tiles = (some.count + CLASSES - 1) / CLASSES;
                int64_t splits = std::max<int64_t>(std::min(class_tiles, WANTED_BLOCKS / tiles), 1);
                int64_t per_split = (class_tiles + splits - 1) / splits * CLASSES;
                token_state *partial = c.device_array<token_state>(splits * listed);
                dim3 blocks((unsigned)tiles, (unsigned)splits);
                CUDA_LAUNCH(hidden_kernel, blocks, THREADS, piece.stream, tokens, places, listed,
                            some, first, hidden->dims, shifts, piece.get<const int64_t>(of),
                            per_split, partial);
                bool ends = first + some.count >= output->count;
                CUDA_LAUNCH(hidden_join, blocks_for(listed, CUDA_THREADS), CUDA_THREADS,
                            piece.stream, places, listed, splits, partial, first == 0, ends,
                            labels != nullptr, hidden->first + piece.first,
                            piece.get<token_state>(carried), to.of_chunk(piece), lowest);
                c.launched();
                c.give_back(partial);
                first += some.count;
            } while (first < output->count);
            c.give_back((void *)places);
        });
        give_bad_row(c, lowest, bad);
    });
}

} // namespace alcore_cuda
