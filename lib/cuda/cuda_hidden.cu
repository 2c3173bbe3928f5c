/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from hidden states h [tokens, d] and the output matrix W [classes, d] of a
 * language model: z = h W^T + bias, then log-sum-exp, top two and entropy (cuda_stats.cuh); tiles
 * of logits live in shared memory only (cut cross-entropy, Wijmans et al. 2025).
 *
 * Tokens pass in chunks, adjacent tokens that are on the device at a time; the rows of W, one a
 * class, in parts when they are on the host. Of cuda_call.cuh: a call has its memory, stream and
 * errors, which are exceptions that guarded() turns into the returned status; a pipeline passes the
 * tokens, with the caller's arrays as columns; piece.get() gives the chunk's entries of a column,
 * on the device. Of cuda_stats.cuh: running_state collects the statistics of the logits that a
 * thread reads, token_state is what is kept of them, joined() joins those of disjoint classes, and
 * stats_out.put() writes the wanted ones and lowers *bad to the first bad token.
 *
 * hidden_kernel: a block has TOKENS tokens and a split, some adjacent classes; it computes
 * tiles of TOKENS x CLASSES logits in float32, DEPTH components at a time, and adds them to running
 * statistics, one slice of the classes of a token a thread. hidden_join: a thread joins the
 * statistics of the splits of one token, in order, and those of earlier launches (carried). A
 * launch computes at most MAX_LAUNCH_PRODUCTS products; between launches the host is asked whether
 * to stop. Cost: tokens x classes x d multiply-adds in float32 without tensor cores; W is read once
 * for TOKENS tokens, at best from the second-level cache. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* A block computes tiles of TOKENS x CLASSES logits, DEPTH components at a time: a thread
 * THREAD_LOGITS x THREAD_LOGITS of them, of which it then reads SLICE classes of one token. */
enum {
    TOKENS = 64,
    CLASSES = 64,
    DEPTH = 16,
    THREAD_LOGITS = 4,
    THREADS = 256,
    SLICES = THREADS / TOKENS, /* threads that share the logits of a token */
    SLICE = CLASSES / SLICES,  /* classes of a tile that one of them reads */
    PADDED =
        CLASSES + 1 /* entries from a token's logits to the next: spreads them over the banks */
};

/* Number of blocks that keeps a large device busy, four for each of the 132 multiprocessors of an
 * H200: classes are split until a launch has about as many. */
const int64_t WANTED_BLOCKS = 528;

/* Products of one launch: 14 ms on a device of 5e12 products a second; the host is asked for a
 * cancellation between launches only. Launches of the emulation are small. */
#ifdef ALCORE_CUDA_EMULATED
const int64_t MAX_LAUNCH_PRODUCTS = 1 << 20;
#else
const int64_t MAX_LAUNCH_PRODUCTS = INT64_C(1) << 36;
#endif

/* A matrix on the device: the hidden states of a chunk, or some rows of W. */
struct matrix_view {
    const void *data;      /* component 0 of row 0 */
    int64_t count, stride; /* rows, and components from a row to the next */
    int32_t dtype;         /* ALCORE_FLOAT32, ... of the components */
};

/* Component `index` of matrix.data (row r, component j: index r * stride + j), rounded to float32;
 * a float64 beyond float32's range becomes infinite. The dtype is looked at for each component, not
 * a template parameter: hidden states and W may differ in it, which would make 16 kernels. */
__device__ inline float float_at(const matrix_view &matrix, int64_t index) {
    if (matrix.dtype == ALCORE_FLOAT32)
        return (float)component_at<ALCORE_FLOAT32>(matrix.data, index);
    if (matrix.dtype == ALCORE_FLOAT16)
        return (float)component_at<ALCORE_FLOAT16>(matrix.data, index);
    if (matrix.dtype == ALCORE_BFLOAT16)
        return (float)component_at<ALCORE_BFLOAT16>(matrix.data, index);
    return (float)component_at<ALCORE_FLOAT64>(matrix.data, index);
}

/* Statistics of each token over each split of the classes of this launch: partial [splits, listed].
 *
 * - hidden and list [listed]: the hidden states of a chunk, and its rows that take part, ascending.
 * - output and first_class: the rows of W of this launch; row 0 is class first_class.
 * - bias [all classes]; labels [chunk]: the class of each token, NULL where there are none.
 * - classes_of_split: a multiple of CLASSES. Split blockIdx.y has that number of classes; the last
 *   splits have fewer or none. A split without classes leaves the state over no classes.
 *
 * Shared memory: a [DEPTH, TOKENS] and b [DEPTH, CLASSES], the components of the present step;
 * logits [TOKENS, PADDED]; states [THREADS], the statistics of one slice of a token's classes each.
 * Tokens behind the last one are computed from zeros and not written. */
static __global__ void __launch_bounds__(THREADS)
    hidden_kernel(matrix_view hidden, const int32_t *list, int64_t listed, matrix_view output,
                  int64_t first_class, int64_t dims, const float *bias, const int64_t *labels,
                  int64_t classes_of_split, token_state *partial) {
    CUDA_SHARED(float, a, DEPTH *TOKENS);
    CUDA_SHARED(float, b, DEPTH *CLASSES);
    CUDA_SHARED(float, logits, TOKENS *PADDED);
    CUDA_SHARED(token_state, states, THREADS);
    /* The thread computes the logits of tokens down .. down + 3 and classes across .. across + 3 of
     * the tile; then it reads those of slice `slice` of the classes of token `token`. */
    int t = (int)threadIdx.x, across = t % (CLASSES / THREAD_LOGITS) * THREAD_LOGITS,
        down = t / (CLASSES / THREAD_LOGITS) * THREAD_LOGITS;
    int token = t / SLICES, slice = t % SLICES;
    int64_t first_token = (int64_t)blockIdx.x * TOKENS;
    int64_t begin = (int64_t)blockIdx.y * classes_of_split;
    int64_t end = begin + classes_of_split < output.count ? begin + classes_of_split : output.count;
    int64_t label = -1; /* no class has this number */
    if (labels && first_token + token < listed) label = labels[list[first_token + token]];
    double label_logit = (double)NAN; /* until the slice of this thread has the label's class */
    running_state<float> state;
    for (int64_t tile = begin; tile < end; tile += CLASSES) {
        float sum[THREAD_LOGITS][THREAD_LOGITS];
#pragma unroll
        for (int p = 0; p < THREAD_LOGITS * THREAD_LOGITS; p++)
            sum[p / THREAD_LOGITS][p % THREAD_LOGITS] = 0.0f;
        for (int64_t depth = 0; depth < dims; depth += DEPTH) {
            __syncthreads(); /* all threads have read a and b of the step before */
            for (int e = t; e < DEPTH * TOKENS; e += THREADS) {
                int64_t j = depth + e % DEPTH, row = first_token + e / DEPTH, c = tile + e / DEPTH;
                bool exists = j < dims;
                a[e % DEPTH * TOKENS + e / DEPTH] =
                    exists && row < listed ? float_at(hidden, list[row] * hidden.stride + j) : 0.0f;
                b[e % DEPTH * CLASSES + e / DEPTH] =
                    exists && c < end ? float_at(output, c * output.stride + j) : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int j = 0; j < DEPTH; j++) {
                float x[THREAD_LOGITS], y[THREAD_LOGITS];
#pragma unroll
                for (int k = 0; k < THREAD_LOGITS; k++) {
                    x[k] = a[j * TOKENS + down + k];
                    y[k] = b[j * CLASSES + across + k];
                }
#pragma unroll
                for (int p = 0; p < THREAD_LOGITS * THREAD_LOGITS; p++)
                    sum[p / THREAD_LOGITS][p % THREAD_LOGITS] =
                        device_fused(x[p / THREAD_LOGITS], y[p % THREAD_LOGITS],
                                     sum[p / THREAD_LOGITS][p % THREAD_LOGITS]);
            }
        }
        __syncthreads(); /* all threads have read the logits of the tile before */
#pragma unroll
        for (int p = 0; p < THREAD_LOGITS * THREAD_LOGITS; p++) {
            int64_t c = tile + across + p % THREAD_LOGITS;
            float shift = bias && c < end ? bias[first_class + c] : 0.0f;
            logits[(down + p / THREAD_LOGITS) * PADDED + across + p % THREAD_LOGITS] =
                sum[p / THREAD_LOGITS][p % THREAD_LOGITS] + shift;
        }
        __syncthreads(); /* the logits of this tile are complete */
        float z[SLICE];
        int64_t class_index[SLICE];
        int64_t left = end - tile - slice * SLICE;
#pragma unroll
        for (int k = 0; k < SLICE; k++) {
            z[k] = logits[token * PADDED + slice * SLICE + k];
            class_index[k] = first_class + tile + slice * SLICE + k;
            if (k < left && class_index[k] == label) label_logit = (double)z[k];
        }
        state.add(z, class_index, left < 0 ? 0 : left < SLICE ? (int)left : SLICE);
    }
    states[t] = state.state();
    states[t].label = label_logit;
    __syncthreads();
    if (slice != 0 || first_token + token >= listed) return;
    token_state all = states[t];
    for (int k = 1; k < SLICES; k++) all = joined(all, states[t + k]);
    partial[(int64_t)blockIdx.y * listed + first_token + token] = all;
}

/* Thread n has token list[n] of the chunk and joins the statistics of its splits, partial [splits,
 * listed], in order, to those of the classes of earlier launches, carried [chunk]. begins, ends:
 * this is the first, or the last, launch of these tokens: at the first nothing is carried, after
 * the last the outputs are written. labeled: the call has labels; first: the row number that *bad
 * gets for token 0 of the chunk. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    hidden_join(const int32_t *list, int64_t listed, int64_t splits, const token_state *partial,
                bool begins, bool ends, bool labeled, int64_t first, token_state *carried,
                stats_out out, long long *bad) {
    int64_t n = thread_index();
    if (n >= listed) return;
    int64_t i = list[n];
    token_state all = begins ? no_classes() : carried[i];
    for (int64_t s = 0; s < splits; s++) all = joined(all, partial[s * listed + n]);
    carried[i] = all;
    if (ends) out.put(i, all, labeled, first + i, bad);
}

/* The output matrix on the device: in place, or one part of its rows at a time, in a buffer of half
 * the staging limit (the bytes of device memory that copies may occupy), which is kept while the
 * same part is asked for again. The buffer is freed with the call. */
class output_parts {
  public:
    output_parts(call &owner, const alcore_sys_rows *matrix) : c(owner), rows(matrix) {
        bytes = alcore_sys_dtype_bytes(rows->dtype);
        in_place = rows->count == 0 || rows->dims == 0 || c.in_place(rows->data, bytes);
        step = std::max<int64_t>(rows->count, 1);
        if (in_place) return;
        size_t row = (size_t)rows->dims * bytes;
        step = std::min(step, std::max<int64_t>((int64_t)(c.staging_limit() / 2 / row), CLASSES));
        for (; !memory; step = (step + 1) / 2) {
            try {
                memory = (char *)c.allocate((size_t)step * row);
                break;
            } catch (const no_memory &) {
                if (step == 1) throw;
            }
        }
    }

    /* The rows of W from class `first` to the end of the part that holds it, and at most
     * `max_classes` of them. They are valid until another part is asked for. first is below the
     * number of classes, or 0. */
    matrix_view part(int64_t first, int64_t max_classes) {
        int64_t begin = first / step * step, skipped = first - begin;
        matrix_view all = whole_part(begin);
        size_t row = (size_t)all.stride * bytes;
        return {(const char *)all.data + (size_t)skipped * row,
                std::min(max_classes, all.count - skipped), all.stride, all.dtype};
    }

  private:
    /* The part that begins with class `first`, a multiple of step; copies it unless it is current.
     * copy_in() copies in the order of the stream, so behind the kernels that read the part before.
     */
    matrix_view whole_part(int64_t first) {
        int64_t count = std::min(step, rows->count - first);
        const char *source = (const char *)rows->data + (size_t)(first * rows->stride) * bytes;
        if (in_place) return {source, count, rows->stride, rows->dtype};
        size_t row = (size_t)rows->dims * bytes;
        if (current != first && rows->stride == rows->dims) {
            c.copy_in(memory, source, (size_t)count * row);
        } else if (current != first) {
            for (int64_t i = 0; i < count; i++)
                c.copy_in(memory + (size_t)i * row, source + (size_t)(i * rows->stride) * bytes,
                          row);
        }
        current = first;
        return {memory, count, rows->dims, rows->dtype};
    }

    call &c;
    const alcore_sys_rows *rows; /* the whole matrix, the caller's */
    size_t bytes;                /* of a component */
    bool in_place;          /* kernels read the caller's matrix; then step is all of its rows */
    char *memory = nullptr; /* [step, dims] the current part, unless in_place */
    int64_t step;           /* classes of a part */
    int64_t current = -1;   /* first class of the current part; -1: none */
};
} // namespace

/* Kernel table: statistics of each token from its hidden state, hidden [tokens, d], and the output
 * matrix [classes, d] with bias [classes] (NULL: none); otherwise as logit_stats. Each chunk of
 * tokens meets all classes, in launches of at most max_classes classes and, within one, in `splits`
 * blocks; carried keeps the statistics of a token from launch to launch. Logits are never written
 * to memory. A matrix without classes gets one launch over none, which makes every token bad. */
alcore_status hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                           const alcore_sys_rows *output, const float *bias, const int64_t *labels,
                           int64_t ignore, const alcore_sys_token_stats *out, int64_t *bad) {
    return guarded(work, [&](call &c) {
        c.check_rows(hidden);
        c.check_rows(output);
        if (hidden->dims != output->dims)
            fail(work, ALCORE_E_SHAPE,
                 "hidden states and output matrix have different numbers of dimensions");
        std::vector<int64_t> label_memory;
        const int64_t *host_labels = c.to_host(labels, hidden->count, &label_memory);
        /* 1: the token takes part; one more, so that data() is not NULL without tokens. */
        std::vector<uint8_t> mask((size_t)hidden->count + 1, 1);
        for (int64_t i = 0; labels && i < hidden->count; i++)
            mask[(size_t)i] = host_labels[i] != ignore;
        long long *lowest = new_bad_row(c);
        const float *device_bias = c.to_device(bias, output->count);
        output_parts matrix(c, output);
        std::vector<int32_t> list;
        pipeline pass(c, hidden->count);
        pass.write_only(mask.data());
        int64_t dims = std::max<int64_t>(hidden->dims, 1);
        /* A chunk with CLASSES classes, the fewest of a launch, is within MAX_LAUNCH_PRODUCTS. */
        pass.limit_rows(std::max<int64_t>(MAX_LAUNCH_PRODUCTS / dims / CLASSES, TOKENS));
        int states = pass.rows(hidden), label_column = pass.in(labels, sizeof *labels);
        int carried = pass.scratch(sizeof(token_state));
        stats_columns columns(pass, out);
        pass.run([&](const chunk &piece) {
            list.clear();
            for (int64_t i = 0; i < piece.count; i++)
                if (mask[(size_t)(piece.first + i)]) list.push_back((int32_t)i);
            int64_t listed = (int64_t)list.size(), tiles = (listed + TOKENS - 1) / TOKENS;
            if (listed == 0) return;
            const int32_t *device_list = c.to_device(list.data(), listed);
            matrix_view tokens = {piece.get<const void>(states), piece.count, piece.stride(states),
                                  hidden->dtype};
            int64_t first = 0; /* the first class of the next launch */
            int64_t max_classes =
                std::max<int64_t>(MAX_LAUNCH_PRODUCTS / dims / listed / CLASSES * CLASSES, CLASSES);
            do {
                if (first > 0) c.wait_and_poll();
                matrix_view classes = matrix.part(first, max_classes);
                int64_t class_tiles = (classes.count + CLASSES - 1) / CLASSES;
                int64_t splits = std::max<int64_t>(std::min(class_tiles, WANTED_BLOCKS / tiles), 1);
                int64_t per_split = (class_tiles + splits - 1) / splits * CLASSES;
                token_state *partial = c.allocate_array<token_state>(splits * listed);
                dim3 blocks((unsigned)tiles, (unsigned)splits);
                CUDA_LAUNCH(hidden_kernel, blocks, THREADS, piece.stream, tokens, device_list,
                            listed, classes, first, hidden->dims, device_bias,
                            piece.get<const int64_t>(label_column), per_split, partial);
                bool ends = first + classes.count >= output->count;
                CUDA_LAUNCH(hidden_join, blocks_for(listed, CUDA_THREADS), CUDA_THREADS,
                            piece.stream, device_list, listed, splits, partial, first == 0, ends,
                            labels != nullptr, hidden->first + piece.first,
                            piece.get<token_state>(carried), columns.of_chunk(piece), lowest);
                c.launched();
                c.deallocate(partial);
                first += classes.count;
            } while (first < output->count);
            c.deallocate((void *)device_list);
        });
        report_bad_row(c, lowest, bad);
    });
}

} // namespace alcore_cuda
