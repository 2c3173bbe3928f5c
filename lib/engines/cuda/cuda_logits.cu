/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from logits [tokens, classes], which are read once, 16 bytes at a time: a block
 * has a token, each of its threads every THREADS-th unit of 16 bytes. A thread loads AHEAD of its
 * units before it computes their exponentials. The running statistics of the threads are joined
 * pairwise in a fixed shape, so that a repeated call gives the same bits. Cost: the bandwidth of
 * the logits, with one exp each in float32 (float64 for float64 logits); for 8 logits of 16 bits 58
 * to 91 instructions, by what is wanted (docs/results/gpu-resources.txt).
 *
 * Statistics are those of softmax(logits) of a token, in natural logarithms. stats_columns,
 * new_bad_row() and report_bad_row() serve hidden_stats too, and the kernel itself token_stats;
 * cuda_stats.cuh declares them. */
#include "cuda_entries.h"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

/* Adds the wanted outputs (those that are not NULL) to the pipeline as columns. */
stats_columns::stats_columns(pipeline &pass, const alcore_sys_token_stats *out)
    : logprob(pass.out(out->logprob, sizeof(double))), top1(pass.out(out->top1, sizeof(double))),
      top2(pass.out(out->top2, sizeof(double))), margin(pass.out(out->margin, sizeof(double))),
      entropy(pass.out(out->entropy, sizeof(double))),
      logsumexp(pass.out(out->logsumexp, sizeof(double))),
      argmax(pass.out(out->argmax, sizeof(int32_t))) {}

/* Where the kernel writes the statistics of a chunk, on the device; NULL: not wanted. */
stats_out stats_columns::of_chunk(const chunk &piece) const {
    return {piece.get<double>(logprob), piece.get<double>(top1),    piece.get<double>(top2),
            piece.get<double>(margin),  piece.get<double>(entropy), piece.get<double>(logsumexp),
            piece.get<int32_t>(argmax)};
}

bool is_any_on_host(call &c, const alcore_sys_token_stats *out) {
    bool host = out->argmax && !c.on_device(out->argmax);
    for (const double *array :
         {out->logprob, out->top1, out->top2, out->margin, out->entropy, out->logsumexp})
        host = host || (array && !c.on_device(array));
    return host;
}

/* A byte for each token, on the host, 1 where its label, of labels [count], is not `ignore`; one
 * byte more, so that the mask is never empty. */
std::vector<uint8_t> labeled_rows(call &c, const int64_t *labels, int64_t count, int64_t ignore) {
    std::vector<int64_t> label_memory;
    const int64_t *host_labels = c.to_host(labels, count, &label_memory);
    std::vector<uint8_t> taking((size_t)count + 1, 1);
    for (int64_t i = 0; i < count; i++) taking[(size_t)i] = host_labels[i] != ignore;
    return taking;
}

/* Where the kernels of a call note their lowest bad row; -1 at first. */
long long *new_bad_row(call &c, int64_t *bad) {
    long long *lowest = (long long *)c.output(bad, 1);
    c.check(cudaMemsetAsync(lowest, NO_BAD_ROW, sizeof *lowest, c.compute), "clearing memory");
    return lowest;
}

/* Writes the lowest bad row, -1: none, to *bad of the caller where it is not there yet. */
void report_bad_row(call &c, const long long *lowest, int64_t *bad) {
    c.hand_back(bad, (const int64_t *)lowest, 1);
}

namespace {
/* AHEAD: units that a thread loads before it computes their exponentials; FEW_CLASSES: up to this
 * number of classes a block has one warp, as each of 256 threads would have two classes at most. */
enum { AHEAD = 4, FEW_CLASSES = 512 };

/* The WIDTH logits of a row from class `first` on, a multiple of WIDTH (the first class of a unit);
 * minus infinity, which adds nothing, where there are no more classes. aligned: the row begins at a
 * multiple of 16 bytes, and so does every unit of it: one with all of its classes is read by one
 * instruction. */
template <int DTYPE, class Real, int WIDTH>
__device__ inline void load_logits(const char *row, int64_t first, int64_t classes, bool aligned,
                                   Real (&z)[WIDTH]) {
    if (aligned && first + WIDTH <= classes) {
        loaded_unit unit = *(const loaded_unit *)(row + first * dtype_size<DTYPE>::BYTES);
        widen_unit<DTYPE>(unit, z);
        return;
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        z[k] = first + k < classes ? real_at<DTYPE>(row, first + k) : -(Real)INFINITY;
}

/* The statistics of token blockIdx.x of a chunk of logits [chunk, classes], unless its label is
 * `ignore`. labels [chunk]: class of each token, or NULL; first: the row number that *bad gets for
 * token 0 of the chunk.
 *
 * A unit is WIDTH adjacent classes, 16 bytes; thread t reads the units t, t + THREADS ..., AHEAD of
 * them at a time while there are as many. Which thread adds which classes, and in which order, does
 * not depend on where a row begins, so neither do the bits of the result: rows at addresses that
 * are no multiples of 16 bytes are read class by class, of which the first reads a line of memory
 * to the first-level cache for the others. memory: the statistics of each thread, joined pairwise:
 * w = THREADS / 2, ..., 1. The class of the largest logit is then looked for in its unit. The
 * label's logit is read by itself, by thread 0; a label outside the classes leaves it NaN, by which
 * out.put() recognizes a bad token: its statistics become NaN, its argmax -1, and *bad is lowered
 * to its row. rows.mask and rows.unit are not looked at. */
template <int DTYPE, int WANTED, int THREADS>
static __global__ void __launch_bounds__(THREADS, CUDA_BLOCKS)
    logits_kernel(row_set rows, int64_t first, const int64_t *labels, int64_t ignore, stats_out out,
                  long long *bad) {
    typedef typename real_of<DTYPE>::type real;
    enum { BYTES = dtype_size<DTYPE>::BYTES, WIDTH = sizeof(loaded_unit) / BYTES };
    CUDA_SHARED(logit_state<real>, memory, THREADS);
    int64_t i = blockIdx.x, classes = rows.dims, t = threadIdx.x, c = t * WIDTH;
    if (labels && labels[i] == ignore) return;
    const char *row = (const char *)rows.data + i * rows.stride * BYTES;
    bool aligned = (uintptr_t)row % sizeof(loaded_unit) == 0;
    const int64_t next = THREADS * WIDTH; /* classes from a unit of a thread to its next one */
    logit_state<real> state;
    rounded_up<real> rounded;
    for (; c + (AHEAD - 1) * next + WIDTH <= classes; c += AHEAD * next) {
        real z[AHEAD][WIDTH];
        int64_t first_class[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) first_class[k] = c + k * next;
        if (aligned) {
            loaded_unit loaded[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                loaded[k] = *(const loaded_unit *)(row + first_class[k] * BYTES);
#pragma unroll
            for (int k = 0; k < AHEAD; k++) widen_unit<DTYPE>(loaded[k], z[k]);
        } else {
#pragma unroll
            for (int k = 0; k < AHEAD * WIDTH; k++)
                z[k / WIDTH][k % WIDTH] = real_at<DTYPE>(row, first_class[k / WIDTH] + k % WIDTH);
        }
        add_logits<WANTED>(&state, &rounded, z, first_class);
    }
    for (; c < classes; c += next) {
        real z[1][WIDTH];
        int64_t first_class[1] = {c};
        load_logits<DTYPE>(row, c, classes, aligned, z[0]);
        add_logits<WANTED>(&state, &rounded, z, first_class);
    }
    memory[t] = state;
    for (int w = THREADS / 2; w > 0; w /= 2) {
        __syncthreads();
        if (t < w) memory[t] = joined(memory[t], memory[t + w]);
    }
    if (t != 0) return;
    state = memory[0];
    state.bad = !(state.sum >= 0);
    if (labels && labels[i] >= 0 && labels[i] < classes)
        state.label = real_at<DTYPE>(row, labels[i]);
    if (out.argmax && state.argmax < classes) {
        real z[WIDTH];
        load_logits<DTYPE>(row, state.argmax, classes, aligned, z);
        int at = WIDTH;
#pragma unroll
        for (int k = WIDTH - 1; k >= 0; k--)
            if (z[k] == state.max) at = k;
        state.argmax += at;
    }
    out.put(i, state, labels != nullptr, first + i, bad);
}

/* Launches logits_kernel on the rows of a chunk, for the outputs that are wanted; THREADS: of a
 * block, which has one token. */
template <int DTYPE, int THREADS>
void launch_logits(const row_set &rows, int64_t first, const int64_t *labels, int64_t ignore,
                   const stats_out &out, long long *bad, cudaStream_t stream) {
    launch_wanted(out, [&](auto wanted) {
        CUDA_LAUNCH((logits_kernel<DTYPE, decltype(wanted)::value, THREADS>), (unsigned)rows.count,
                    THREADS, stream, rows, first, labels, ignore, out, bad);
    });
}
} // namespace

/* Statistics of tokens that take no part are not written: those in device memory are left out by
 * the kernel, those in host memory by the mask `taking` of the pipeline. Blocks have 32 threads for
 * few classes, else 256. */
void measure_logits(call &c, const alcore_sys_rows *logits, const int64_t *labels, int64_t ignore,
                    const uint8_t *taking, const alcore_sys_token_stats *out, long long *lowest) {
    pipeline pass(c, logits->count);
    pass.write_only(taking);
    int matrix = pass.rows(logits), label_column = pass.in(labels, sizeof *labels);
    stats_columns columns(pass, out);
    pass.run([&](const chunk &piece) {
        row_set set = chunk_rows(piece, logits, matrix);
        int64_t first = logits->first + piece.first;
        CUDA_EACH_DTYPE(logits->dtype,
                        (logits->dims <= FEW_CLASSES
                             ? launch_logits<DTYPE, 32>
                             : launch_logits<DTYPE, 256>)(set, first,
                                                          piece.get<const int64_t>(label_column),
                                                          ignore, columns.of_chunk(piece), lowest,
                                                          piece.stream));
    });
}

/* Kernel table: statistics of each token from its logits [tokens, classes]. labels [tokens] or
 * NULL; tokens whose label is `ignore` are not written. A bad token has a NaN, plus infinity, no
 * finite logit, or a label outside the classes. *bad: the number of the lowest bad token, where
 * token 0 has the number logits->first; -1 when there is none. Which tokens are not written must be
 * known on the host where an output is there, as those are copied back. */
alcore_status logit_stats(const alcore_sys_work *work, const alcore_sys_rows *logits,
                          const int64_t *labels, int64_t ignore, const alcore_sys_token_stats *out,
                          int64_t *bad) {
    return guarded(work, [&](call &c) {
        c.check_rows(logits);
        c.check_stats(logits->dims, labels, out);
        std::vector<uint8_t> taking;
        if (labels && is_any_on_host(c, out))
            taking = labeled_rows(c, labels, logits->count, ignore);
        long long *lowest = new_bad_row(c, bad);
        measure_logits(c, logits, labels, ignore, taking.empty() ? nullptr : taking.data(), out,
                       lowest);
        report_bad_row(c, lowest, bad);
    });
}

} // namespace alcore_cuda
