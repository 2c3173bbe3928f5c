/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from hidden states h [tokens, d] and the output matrix W [classes, d] of a
 * language model: z = h W^T + bias, then log-sum-exp, top two and entropy (cuda_stats.cuh).
 *
 * Tokens pass in chunks, adjacent tokens that are on the device at a time; the rows of W, one a
 * class, in parts when they are on the host. A chunk and a part meet in tiles of tokens x classes:
 * cuBLAS, or the kernel of cuda_product.cuh where it is absent, writes the products of a tile to
 * memory of a fixed size, as float32 [tokens, classes], and split_kernel reads them. Where both
 * matrices have the same 16-bit type and cuBLAS is absent, or fused_pays() says so, the kernel of
 * cuda_fused.cuh computes both, without memory for logits.
 *
 * Of cuda_call.cuh: a call has its memory, stream and errors, which are exceptions that guarded()
 * turns into the returned status; a pipeline passes the tokens, with the caller's arrays as
 * columns; piece.get() gives the chunk's entries of a column, on the device. Of cuda_stats.cuh:
 * token_state has the statistics of a token over some classes, joined() joins those of disjoint
 * classes, and stats_out.put() writes the wanted ones and lowers *bad to the first bad token.
 * logit_state (cuda_logit_state.cuh) has those of the logits that one thread reads.
 *
 * split_kernel: a warp has a token and a split, some adjacent classes of the tile. hidden_join: a
 * warp joins the statistics of the splits of one token, in a fixed order, and those of earlier
 * tiles (carried). A tile has at most MAX_TILE_PRODUCTS products, and the host is asked whether to
 * stop before the device has more than that to do. Cost: tokens x classes x d multiply-adds, on
 * tensor cores where both matrices have the same 16-bit type; 4 bytes a logit written and read. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_fused.cuh"
#include "cuda_rows.cuh"
#include "cuda_stats.cuh"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
enum {
    TILE_STEP = 64,         /* classes of a tile are a multiple of it */
    MAX_TILE_TOKENS = 2048, /* the output matrix is read once for this many */
    MIN_TILE_TOKENS = 32,   /* as long as the device has memory for them */
    QUADS = 4,              /* groups of four adjacent logits that a thread reads at a time */
    SPLIT_STEP = 4 * QUADS * CUDA_LANES, /* classes that a warp reads at a time */
    MIN_SPLIT = 2 * SPLIT_STEP           /* classes of a split, unless the tile has fewer */
};
/* The most classes of a tile: the grid of a launch has fewer than 2^16 blocks across. */
const int64_t MAX_TILE_CLASSES = 1 << 20;

/* Bytes of the logits of a tile, unless the host's limit is lower: a product of 32 MiB should be
 * large enough for cuBLAS, and the second-level cache of a large device holds most of them. */
const size_t TILE_BYTES = (size_t)32 << 20;

/* Number of warps that keeps a large device busy, 32 for each of the 132 multiprocessors of an
 * H200: classes are split until a tile has about as many. */
const int64_t WANTED_WARPS = 4224;

/* Products of one tile: 14 ms on a device of 5e12 products a second; the host is asked for a
 * cancellation between tiles only. Tiles of the emulation are small. */
#ifdef ALCORE_CUDA_EMULATED
const int64_t MAX_TILE_PRODUCTS = 1 << 20;
#else
const int64_t MAX_TILE_PRODUCTS = INT64_C(1) << 36;
#endif

/* Four adjacent logits, which one instruction reads. */
struct alignas(16) logit_quad {
    float of[4];
};

/* A tile of logits on the device, without the bias. */
struct logit_tile {
    const float *logits;     /* [tokens, stride], aligned to 16 bytes */
    int64_t stride;          /* a multiple of 4 */
    int64_t tokens, classes; /* of the tile; classes <= stride */
    int64_t first_class;     /* column 0 is this class */
};

/* The logit z + bias[c], as the sum over classes sees it too; bias may be NULL. */
__device__ inline float biased(float z, const float *bias, int64_t c) {
    return bias ? z + bias[c] : z;
}

/* The state of the union of the sets of classes of a warp's lanes, in every lane; the whole warp
 * calls it. Sums are rescaled to the largest maximum, by a factor in float32 (rescale() of
 * cuda_logit_state.cuh), and added in a fixed shape. Of the lanes with that maximum the one with
 * the lowest class gives its second largest logit, all others their largest. argmax stays the first
 * class of a quad. */
__device__ inline token_state joined_lanes(logit_state<float> lane) {
    float max = lane.max, own = lane.max;
    for (int w = CUDA_LANES / 2; w > 0; w /= 2)
        max = larger_of(max, __shfl_xor_sync(CUDA_FULL_WARP, max, w, CUDA_LANES));
    int64_t argmax = own == max ? lane.argmax : INT64_MAX;
    for (int w = CUDA_LANES / 2; w > 0; w /= 2) {
        int64_t other = __shfl_xor_sync(CUDA_FULL_WARP, argmax, w, CUDA_LANES);
        if (other < argmax) argmax = other;
    }
    float second = own == max && lane.argmax == argmax ? lane.second : own;
    for (int w = CUDA_LANES / 2; w > 0; w /= 2)
        second = larger_of(second, __shfl_xor_sync(CUDA_FULL_WARP, second, w, CUDA_LANES));
    if (own < max) rescale(&lane, own, max);
    double sum = lanes_sum((double)lane.sum), weighted = lanes_sum((double)lane.weighted);
    return {(double)max, (double)second,     sum, weighted, (double)NAN /* label: the caller's */,
            argmax,      sum >= 0.0 ? 0 : 1, 0 /* reserved */};
}

/* Reads QUADS quads of a row of logits, 4 CUDA_LANES classes apart, from class c on, and adds the
 * bias of these classes, NULL: none. Classes from `end` on, which WHOLE rules out, are minus
 * infinity, which adds nothing. */
template <bool WHOLE>
__device__ inline void read_quads(const float *row, const float *bias, int64_t c, int64_t end,
                                  float (&z)[QUADS][4]) {
    const int64_t step = 4 * CUDA_LANES;
#pragma unroll
    for (int q = 0; q < QUADS; q++) {
        logit_quad four = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
        int64_t at = c + q * step;
        if (WHOLE || at + 4 <= end)
            four = *(const logit_quad *)(row + at);
        else
            for (int k = 0; k < 4 && at + k < end; k++) four.of[k] = row[at + k];
#pragma unroll
        for (int k = 0; k < 4; k++) z[q][k] = four.of[k];
    }
    if (!bias) return;
#pragma unroll
    for (int p = 0; p < QUADS * 4; p++) {
        int64_t at = c + p / 4 * step + p % 4;
        if (WHOLE || at < end) z[p / 4][p % 4] = z[p / 4][p % 4] + bias[at];
    }
}

/* Statistics of each token over each split of the classes of a tile: partial [splits, tokens]. A
 * warp has token n and split blockIdx.y, classes_of_split classes, a multiple of 4; the last splits
 * have fewer or none, and leave the state over no classes.
 *
 * bias [all classes] or NULL; labels [chunk]: the class of each token, NULL where there are none;
 * token n of the tile is token list[n] of the chunk. WANTED: a set of RUNNER_UP and ENTROPY. */
template <int WANTED>
static __global__ void __launch_bounds__(CUDA_THREADS)
    split_kernel(logit_tile tile, const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t classes_of_split, token_state *partial) {
    int64_t n = warp_index();
    if (n >= tile.tokens) return;
    const float *row = tile.logits + n * tile.stride;
    int64_t begin = (int64_t)blockIdx.y * classes_of_split, end = begin + classes_of_split;
    if (end > tile.classes) end = tile.classes;
    const float *own_bias = bias ? bias + tile.first_class : nullptr; /* of the tile's classes */
    logit_state<float> state;
    rounded_up<float> rounded;
    auto add = [&](int64_t c, const float(&z)[QUADS][4]) {
        int64_t quad_class[QUADS];
#pragma unroll
        for (int q = 0; q < QUADS; q++) quad_class[q] = tile.first_class + c + q * 4 * CUDA_LANES;
        add_logits<WANTED>(&state, &rounded, z, quad_class);
    };
    int64_t c = begin + 4 * lane_id();
    for (; c + (QUADS - 1) * 4 * CUDA_LANES + 4 <= end; c += SPLIT_STEP) {
        float z[QUADS][4];
        read_quads<true>(row, own_bias, c, end, z);
        add(c, z);
    }
    if (c < end) {
        float z[QUADS][4];
        read_quads<false>(row, own_bias, c, end, z);
        add(c, z);
    }
    token_state all = joined_lanes(state);
    if (lane_id() != 0) return;
    if (all.argmax < INT64_MAX) { /* the first class of its quad that has the maximum */
        int64_t quad = all.argmax - tile.first_class;
        for (int k = 3; k >= 0; k--)
            if (quad + k < end && (double)biased(row[quad + k], own_bias, quad + k) == all.max)
                all.argmax = tile.first_class + quad + k;
    }
    if (labels) {
        int64_t label = labels[list[n]] - tile.first_class;
        if (label >= begin && label < end) all.label = (double)biased(row[label], own_bias, label);
    }
    partial[(int64_t)blockIdx.y * tile.tokens + n] = all;
}

/* A member of a token_state of another lane of the warp, all of whose lanes call it. */
template <class T> __device__ inline T of_lane_below(T value, int distance) {
    return __shfl_down_sync(CUDA_FULL_WARP, value, (unsigned)distance, CUDA_LANES);
}

/* The state of the union of the sets of classes of the first `lanes` lanes of a warp, in lane 0:
 * pairs of lanes 16, 8, ... 1 apart are joined, a fixed shape. The whole warp calls it. */
__device__ inline token_state joined_states(token_state own, int64_t lanes) {
    for (int w = CUDA_LANES / 2; w > 0; w /= 2) {
        if (w >= lanes) continue; /* only sets of no classes are so far away */
        token_state other = {of_lane_below(own.max, w),   of_lane_below(own.second, w),
                             of_lane_below(own.sum, w),   of_lane_below(own.weighted, w),
                             of_lane_below(own.label, w), of_lane_below(own.argmax, w),
                             of_lane_below(own.bad, w),   0 /* reserved */};
        own = joined(own, other);
    }
    return own;
}

/* Warp n has token list[n] of the chunk and joins the statistics of its splits, partial [splits,
 * listed], to those of the classes of earlier launches, carried [chunk]: lane l those of splits l,
 * l + 32 ..., in order, lane 0 behind what is carried, and then the lanes in pairs. begins, ends:
 * this is the first, or the last, launch of these tokens: at the first nothing is carried, after
 * the last the outputs are written. labeled: the call has labels; first: the row number that *bad
 * gets for token 0 of the chunk. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    hidden_join(const int32_t *list, int64_t listed, int64_t splits, const token_state *partial,
                bool begins, bool ends, bool labeled, int64_t first, token_state *carried,
                stats_out out, long long *bad) {
    int64_t n = warp_index();
    if (n >= listed) return;
    int lane = lane_id();
    int64_t i = list[n];
    token_state all = no_classes();
    if (lane == 0 && !begins) all = carried[i];
    for (int64_t s = lane; s < splits; s += CUDA_LANES) all = joined(all, partial[s * listed + n]);
    all = joined_states(all, splits);
    if (lane > 0) return;
    carried[i] = all;
    if (ends) out.put(i, all, labeled, first + i, bad);
}

/* The output matrix on the device: in place, or one part of its rows at a time, in a buffer of half
 * the staging limit (the bytes of device memory that copies may occupy), which is kept while the
 * same part is asked for again. It is freed with the call. */
class output_parts {
  public:
    output_parts(call &owner, const alcore_sys_rows *matrix) : c(owner), rows(matrix) {
        bytes = alcore_sys_dtype_bytes(rows->dtype);
        in_place = rows->count == 0 || rows->dims == 0 || c.in_place(rows->data, bytes);
        step = std::max<int64_t>(rows->count, 1);
        if (in_place) return;
        size_t row = (size_t)rows->dims * bytes;
        step = std::min(step, std::max<int64_t>((int64_t)(c.staging_limit() / 2 / row), TILE_STEP));
        memory = (char *)c.allocate_rows(&step, row);
    }

    /* The part that begins with class `first`, 0 or the sum of the counts of the parts before;
     * copies it unless it is current. It is valid until another part is asked for: copy_in() copies
     * in the order of the stream, so behind the kernels that read the part before. */
    matrix_view part(int64_t first) {
        int64_t count = std::min(step, rows->count - first);
        const char *source = (const char *)rows->data + (size_t)(first * rows->stride) * bytes;
        if (in_place) return {source, count, rows->stride, rows->dtype};
        size_t row = (size_t)rows->dims * bytes, pitch = (size_t)rows->stride * bytes;
        int64_t together = pitch == row ? count : 1; /* rows of one copy */
        for (int64_t i = 0; current != first && i < count; i += together)
            c.copy_in(memory + (size_t)i * row, source + (size_t)i * pitch, (size_t)together * row);
        current = first;
        return {memory, count, rows->dims, rows->dtype};
    }

  private:
    call &c;
    const alcore_sys_rows *rows; /* the whole matrix, the caller's */
    size_t bytes;                /* of a component */
    bool in_place;          /* kernels read the caller's matrix; then step is all of its rows */
    char *memory = nullptr; /* [step, dims] the current part, unless in_place */
    int64_t step;           /* classes of a part */
    int64_t current = -1;   /* first class of the current part; -1: none */
};

/* Whether the fused kernel multiplies although cuBLAS is there, in form as both matrices are: a
 * rule of the call's sizes and of the device, so that the same call gives the same bytes. Where the
 * second-level cache does not hold the logits of the call's largest tile, a logit that cuBLAS
 * writes and split_kernel reads costs 8 bytes of the device's memory. On an A6000 (768 GB/s, 155
 * TFLOP/s in 16 bits) that is at least the time of 807 multiply-adds; the fused kernel takes for a
 * logit up to 19.5 instructions beside its product, the time of 78. What is left is 0.7 of the
 * product itself at FUSED_DIMS components, so that the fused kernel may multiply slower by as much.
 * Its tiles have FUSED_TOKENS tokens; with fewer a part of each product is thrown away. With more
 * than most_classes a tile has TILE_BYTES whatever the tokens are: the product is not made, as it
 * might overflow. Tiles that a small staging memory makes smaller still count as if they were not.
 */
enum { FUSED_DIMS = 1024, FUSED_TOKENS = 128 };
bool fused_pays(call &c, int64_t tokens, int64_t classes, int64_t dims) {
    int cache = 0; /* bytes */
    if (tokens < FUSED_TOKENS || dims > FUSED_DIMS) return false;
    c.check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, c.streams->device),
            "asking for the size of the cache");
    int64_t most_classes = (int64_t)(TILE_BYTES / sizeof(float)) / FUSED_TOKENS;
    size_t logits =
        (size_t)(std::min<int64_t>(tokens, MAX_TILE_TOKENS) * std::min(classes, most_classes));
    return (size_t)cache < std::min(logits * sizeof(float), TILE_BYTES);
}

/* How a call computes the logits of a tile. */
enum hidden_way {
    BY_BLAS,   /* cuBLAS, then split_kernel; both matrices have the type that is multiplied */
    BY_KERNEL, /* in float32 by the kernel of cuda_product.cuh, then split_kernel */
    BY_FUSED   /* the kernel of cuda_fused.cuh; both matrices have the same 16-bit type */
};

/* The form in which a call multiplies the rows of both matrices. */
struct hidden_form {
    const blas_product &blas;
    hidden_way way;
    int64_t dims;  /* components of a hidden state */
    int32_t dtype; /* that both matrices are multiplied in */

    /* Components of a row that is copied: zeros may stand behind those of the hidden state. */
    int64_t width() const { return way == BY_FUSED ? fused_dims(dims) : dims; }

    /* Whether a matrix can be multiplied where it is; else its rows are copied first. */
    bool has(const matrix_view &rows) const {
        if (way == BY_FUSED) return fused_in_form(rows, dims);
        return rows.dtype == dtype && (way == BY_KERNEL || blas.serves(dims, rows.stride));
    }
};

/* The tiles of a call: their sizes and memory, which is freed with the call. */
class logit_tiles {
  public:
    /* Tokens and classes: of the whole call. copies_tokens, copies_classes: whether their rows may
     * have to be copied before they are multiplied. A tile has as many of both as the staging limit
     * allows, and fewer where the device has less memory. */
    logit_tiles(call &owner, const hidden_form &form, int64_t tokens, int64_t classes,
                bool copies_tokens, bool copies_classes)
        : fused(form.way == BY_FUSED), c(owner) {
        const size_t row = (size_t)form.width() * alcore_sys_dtype_bytes(form.dtype);
        const size_t token_bytes = copies_tokens ? row : 0, class_bytes = copies_classes ? row : 0;
        const int64_t limit = (int64_t)std::min(c.staging_limit(), TILE_BYTES);
        const int64_t logits_limit = fused ? INT64_MAX / TILE_STEP : limit / (int64_t)sizeof(float);
        auto rows_within = [&](size_t bytes) {
            return bytes ? limit / 2 / (int64_t)bytes : INT64_MAX;
        };
        auto whole_steps = [](int64_t count) {
            return std::max<int64_t>(count / TILE_STEP * TILE_STEP, TILE_STEP);
        };
        const int64_t dims = std::max<int64_t>(form.width(), 1);
        most_tokens = std::min<int64_t>(MAX_TILE_TOKENS, rows_within(token_bytes));
        most_tokens = std::min<int64_t>(most_tokens, logits_limit / TILE_STEP);
        most_tokens = std::max<int64_t>(most_tokens, MIN_TILE_TOKENS);
        /* A tile of TILE_STEP classes, the fewest, is within MAX_TILE_PRODUCTS. */
        most_tokens = std::min<int64_t>(most_tokens, MAX_TILE_PRODUCTS / dims / TILE_STEP);
        most_tokens = std::max<int64_t>(std::min(most_tokens, tokens), 1);
        most_classes = std::min(logits_limit / most_tokens, MAX_TILE_PRODUCTS / dims / most_tokens);
        most_classes = std::min(most_classes, rows_within(class_bytes));
        most_classes = std::min(most_classes, MAX_TILE_CLASSES);
        most_classes = whole_steps(std::min(most_classes, classes + TILE_STEP - 1));
        while (!try_allocate(token_bytes, class_bytes)) {
            if (most_classes > TILE_STEP)
                most_classes = whole_steps(most_classes / 2);
            else
                most_tokens = (most_tokens + 1) / 2;
        }
    }

    /* Number of splits of a tile of that size: enough for WANTED_WARPS warps, each with MIN_SPLIT
     * classes or more. It depends on the size of the tile, and for the fused kernel on the kind of
     * the device, as do then the rounded sums. */
    int64_t splits(int64_t tokens, int64_t classes) const {
        if (fused) return fused_splits(c, tokens, classes);
        int64_t wanted = std::min(WANTED_WARPS / tokens, classes / MIN_SPLIT);
        return std::max<int64_t>(wanted, 1);
    }

    const bool fused;                  /* logits are in no memory */
    int64_t most_tokens, most_classes; /* of a tile; classes a multiple of TILE_STEP */
    float *logits = nullptr;           /* [most_tokens, most_classes]; NULL: fused */
    void *tokens_copy = nullptr;       /* [most_tokens] rows; NULL: none are copied */
    void *classes_copy = nullptr;      /* [most_classes] rows; likewise */
    token_state *partial = nullptr;    /* [splits, tokens] of any tile */

  private:
    /* False when memory ran out, with everything released; throws when the tile has one token. */
    bool try_allocate(size_t token_bytes, size_t class_bytes) {
        int64_t states = fused ? std::min(FUSED_STATES, most_tokens * (most_classes / TILE_STEP))
                               : std::min(WANTED_WARPS, most_tokens * (most_classes / MIN_SPLIT));
        try {
            if (!fused) logits = c.allocate_array<float>(most_tokens * most_classes);
            partial = c.allocate_array<token_state>(std::max(states, most_tokens));
            if (token_bytes) tokens_copy = c.allocate((size_t)most_tokens * token_bytes);
            if (class_bytes) classes_copy = c.allocate((size_t)most_classes * class_bytes);
            return true;
        } catch (const no_memory &) {
            for (void *memory : {(void *)logits, (void *)partial, tokens_copy, classes_copy})
                c.deallocate(memory);
            logits = nullptr;
            partial = nullptr;
            tokens_copy = classes_copy = nullptr;
            if (most_tokens == 1 && most_classes == TILE_STEP) throw;
            return false;
        }
    }

    call &c;
};

/* Tokens of a chunk that take part, and their arrays on the device. */
struct chunk_tokens {
    matrix_view states;    /* all hidden states of the chunk */
    const int32_t *host;   /* [listed] rows of the chunk that take part, ascending, on the host */
    const int32_t *list;   /* [listed] the same on the device */
    int64_t listed;        /* at least 1 */
    const int64_t *labels; /* [chunk] or NULL */
    token_state *carried;  /* [chunk] the statistics over the classes of earlier tiles */
    stats_out out;         /* [chunk] each */
    int64_t first;         /* the row number that *bad gets for token 0 of the chunk */
};

/* A call of hidden_stats as its tiles see it. */
struct hidden_call {
    call &c;
    const hidden_form &form;
    const logit_tiles &tiles;
    int64_t classes;   /* of all parts */
    const float *bias; /* [classes] on the device, or NULL */
    long long *lowest; /* bad row, on the device */
    int64_t queued;    /* products that the device may still have to compute */

    /* The rows list[0 .. count - 1] of a matrix, or with list NULL its first ones, in form in the
     * memory `copy`. */
    matrix_view copied(const matrix_view &rows, const int32_t *list, int64_t count,
                       void *copy) const {
        gather_rows(c, rows, list, count, form.dims, form.dtype, copy, form.width());
        return {copy, count, form.width(), form.dtype};
    }

    /* The hidden states of the tokens first .. first + count - 1 of the list: in place where they
     * are adjacent and in form, else a copy. */
    matrix_view token_rows(const chunk_tokens &from, int64_t first, int64_t count) const {
        int64_t row = from.host[first];
        if (form.has(from.states) && from.host[first + count - 1] == row + count - 1)
            return from.states.rows(row, count);
        return copied(from.states, from.list + first, count, tiles.tokens_copy);
    }

    /* The rows first .. first + count - 1 of a part of W, likewise. */
    matrix_view class_rows(const matrix_view &part, int64_t first, int64_t count) const {
        matrix_view rows = part.rows(first, count);
        return form.has(part) ? rows : copied(rows, nullptr, count, tiles.classes_copy);
    }

    /* Adds the logits of a tile to the statistics of its tokens, which are number `at` and on of
     * the list: the classes first .. first + count - 1 of a part that begins with first_of_part.
     * Waits first where the device would have too much to do before the host is asked again whether
     * to stop: tensor cores are at least four times as fast. */
    void add(const chunk_tokens &from, int64_t at, const matrix_view &tokens,
             const matrix_view &part, int64_t first_of_part, int64_t first, int64_t count) {
        int64_t products = tokens.count * count * std::max<int64_t>(form.dims, 1);
        if (queued > MAX_TILE_PRODUCTS * (form.dtype == ALCORE_FLOAT32 ? 1 : 4) - products) {
            c.wait_and_poll();
            queued = 0;
        }
        queued += products;
        int64_t first_class = first_of_part + first, splits = tiles.splits(tokens.count, count);
        matrix_view others = count > 0 ? class_rows(part, first, count) : part;
        if (form.way == BY_FUSED && count > 0) {
            fused_stats(c, tokens, others, form.width(), first_class, bias, from.labels,
                        from.list + at, splits, from.out, tiles.partial);
        } else {
            logit_tile tile = {tiles.logits, tiles.most_classes, tokens.count, count, first_class};
            if (form.way == BY_BLAS && count > 0)
                form.blas.multiply(tokens, others, form.dims, tiles.logits, tile.stride);
            else if (count > 0)
                multiply_rows(c, tokens, others, form.dims, tiles.logits, tile.stride);
            int64_t per_split = (count + 4 * splits - 1) / (4 * splits) * 4;
            dim3 blocks(blocks_for(tokens.count, CUDA_WARPS), (unsigned)splits);
            launch_wanted(from.out, [&](auto wanted) {
                CUDA_LAUNCH((split_kernel<decltype(wanted)::value>), blocks, CUDA_THREADS,
                            c.compute, tile, bias, from.labels, from.list + at, per_split,
                            tiles.partial);
            });
        }
        CUDA_LAUNCH(hidden_join, blocks_for(tokens.count, CUDA_WARPS), CUDA_THREADS, c.compute,
                    from.list + at, tokens.count, splits, tiles.partial, first_class == 0,
                    first_class + count >= classes, from.labels != nullptr, from.first,
                    from.carried, from.out, lowest);
        c.launched();
    }

    /* Adds the logits of all tokens of a chunk and all classes of a part of W. A part without
     * classes is one tile of none. */
    void add_part(const chunk_tokens &from, const matrix_view &part, int64_t first_of_part) {
        for (int64_t at = 0; at < from.listed; at += tiles.most_tokens) {
            matrix_view tokens =
                token_rows(from, at, std::min(tiles.most_tokens, from.listed - at));
            int64_t first = 0;
            do {
                int64_t count = std::min(tiles.most_classes, part.count - first);
                add(from, at, tokens, part, first_of_part, first, count);
                first += count;
            } while (first < part.count);
        }
    }
};
} // namespace

/* Throws for matrices that do not fit each other, and for outputs that cannot be computed. */
void check_hidden(call &c, const alcore_sys_rows *hidden, const alcore_sys_rows *output,
                  const int64_t *labels, const alcore_sys_token_stats *out) {
    c.check_rows(hidden);
    c.check_rows(output);
    c.check_stats(output->count, labels, out);
    if (hidden->dims != output->dims)
        fail(c.work, ALCORE_E_SHAPE,
             "hidden states and output matrix have different numbers of dimensions");
}

/* Both matrices are multiplied in the type that they share, by the fused kernel for 16-bit types
 * where that pays or cuBLAS is not there, else by cuBLAS where it has the type; or in float32 by
 * the plain kernel. A matrix without classes is one part of none, which makes every token bad.
 * taking [tokens]: a token with 0 is left out, and nothing is written for it; NULL: all tokens take
 * part. *lowest: the first bad token so far. */
void measure_hidden(call &c, const alcore_sys_rows *hidden, const alcore_sys_rows *output,
                    const float *bias, const int64_t *labels, const uint8_t *taking,
                    const alcore_sys_token_stats *out, long long *lowest) {
    int64_t dims = hidden->dims;
    /* A matrix as its rows are multiplied unless they are copied first. What is on the host comes
     * to the device without gaps. */
    auto seen = [&](const alcore_sys_rows *rows) -> matrix_view {
        bool there = c.on_device(rows->data);
        return {there ? rows->data : nullptr, rows->count, there ? rows->stride : dims,
                rows->dtype};
    };
    bool alike = hidden->dtype == output->dtype && hidden->dtype != ALCORE_FLOAT64;
    bool halves = alike && hidden->dtype != ALCORE_FLOAT32 && dims > 0;
    bool replaceable = halves && fused_in_form(seen(hidden), dims) &&
                       fused_in_form(seen(output), dims) &&
                       fused_pays(c, hidden->count, output->count, dims);
    blas_product blas(c, replaceable); /* which then need not be opened */
    bool fused = halves && !blas.usable();
    hidden_way way = fused ? BY_FUSED : blas.serves(dims, dims) ? BY_BLAS : BY_KERNEL;
    int32_t dtype = alike && way != BY_KERNEL ? hidden->dtype : ALCORE_FLOAT32;
    const hidden_form form = {blas, way, dims, dtype};
    output_parts matrix(c, output);
    logit_tiles tiles(c, form, hidden->count, output->count, taking || !form.has(seen(hidden)),
                      !form.has(seen(output)));
    hidden_call running = {c, form, tiles, output->count, bias, lowest, 0 /* queued */};
    std::vector<int32_t> list;
    pipeline pass(c, hidden->count);
    pass.write_only(taking);
    int states = pass.rows(hidden), label_column = pass.in(labels, sizeof *labels);
    int carried = pass.scratch(sizeof(token_state));
    stats_columns columns(pass, out);
    pass.run([&](const chunk &piece) {
        list.clear();
        for (int64_t i = 0; i < piece.count; i++)
            if (!taking || taking[piece.first + i]) list.push_back((int32_t)i);
        if (list.empty()) return;
        chunk_tokens from = {
            {piece.get<const void>(states), piece.count, piece.stride(states), hidden->dtype},
            list.data(),
            /* copied before the return, so that the next chunk may fill `list` again */
            c.to_device(list),
            (int64_t)list.size(),
            piece.get<const int64_t>(label_column),
            piece.get<token_state>(carried),
            columns.of_chunk(piece),
            hidden->first + piece.first};
        int64_t first = 0;
        do {
            matrix_view part = matrix.part(first);
            running.add_part(from, part, first);
            first += part.count;
        } while (first < output->count);
        c.deallocate(from.list);
    });
}

/* Kernel table: statistics of each token from its hidden state, hidden [tokens, d], and the output
 * matrix [classes, d] with bias [classes] (NULL: none). labels [tokens] or NULL; of a token whose
 * label is `ignore` nothing is written. *bad: the lowest bad token, where token 0 has the number
 * hidden->first; -1: none. A token is bad when a logit is NaN or plus infinity, none is finite, or
 * its label is outside the classes. Only tokens that take part are multiplied, so which they are is
 * known on the host first. */
alcore_status hidden_stats(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                           const alcore_sys_rows *output, const float *bias, const int64_t *labels,
                           int64_t ignore, const alcore_sys_token_stats *out, int64_t *bad) {
    return guarded(work, [&](call &c) {
        check_hidden(c, hidden, output, labels, out);
        std::vector<uint8_t> taking;
        if (labels) taking = labeled_rows(c, labels, hidden->count, ignore);
        long long *lowest = new_bad_row(c, bad);
        measure_hidden(c, hidden, output, c.to_device(bias, output->count), labels,
                       labels ? taking.data() : nullptr, out, lowest);
        report_bad_row(c, lowest, bad);
    });
}

} // namespace alcore_cuda
