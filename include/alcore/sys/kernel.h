/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The kernel table: all arithmetic over columns. lib/engines/cpu fills it for the CPU, a module for
 * another device; the rest of the library calls nothing else, and knows of a device only this
 * table.
 *
 * Two classes of entries:
 *
 * **Decision kernels** (every entry but those listed below). What is selected follows from their
 * values, so every engine returns the same bytes: IEEE 754 double, every operation rounded on its
 * own (no contraction to fused multiply-add unless the product is exact), in the order written
 * here:
 *
 *     dot(a, b)      lane[0..31] = +0.0; for j = 0 .. d-1: lane[j mod 32] += a_j * b_j;
 *                    for w = 16, 8, 4, 2, 1: lane[i] += lane[i + w] for i < w;
 *                    the result is lane[0]
 *     sq_dist(a, b)  as dot, but lane[j mod 32] += t * t with t = a_j - b_j
 *     norm(a)        sqrt(dot(a, a))
 *     unit(a)        a_j / norm(a) for each j; all +0.0 where norm(a) < 1e-12
 *     cos(a, b)      dot(a, b) / (norm(a) * norm(b)); 0 where a norm is < 1e-12;
 *                    1 or -1, by its sign, where its absolute value is above 1 - 1e-12
 *
 * The 32 running sums (lanes) are what one vector register, or one warp of a GPU, adds at a time.
 * An engine may compute anything else first, as long as it only discards what provably cannot
 * change the result (a filter).
 *
 * class_stats takes exp and log, and always those of the C library of the CPU: its arrays are in
 * host memory, and the entry is NULL in the table of a device. There class_tops finds the two
 * largest values of a row, from which class_stats computes everything but the entropy.
 *
 * **Column kernels**: logit_stats and hidden_stats take exp and log of the engine, or sum in lower
 * precision, which engines round differently: they agree within 1e-6 + 1e-5 |v|, beside what
 * tensor cores lose of the products of 16-bit numbers (docs/gpu.md). Their values are stored in
 * columns, and decisions read the stored values. distance_bounds and the bounds of
 * nearest_centroid are intervals, whose width an engine chooses.
 *
 * System tier: stable within a minor release. */
#ifndef ALCORE_SYS_KERNEL_H
#define ALCORE_SYS_KERNEL_H

#include "alcore/sys/host.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

struct alcore_sys_converted;

/** Rows of one block. Sums run inside blocks of 8192 pool rows and then over the blocks in order,
 * whatever the number of threads. */
#define ALCORE_BLOCK_ROWS 8192

/** First argument of every kernel: the device, the stream and the memory that it works with. */
typedef struct alcore_sys_work {
    size_t size;                 /**< sizeof(alcore_sys_work) of the caller */
    const alcore_sys_host *host; /**< services of the library: memory, errors, cancellation */
    void *host_user;             /**< first argument of the host's functions */
    /** Stream of the device in whose order the arrays are ready and the results appear. NULL: the
     * arrays are ready in the order of the default stream, the kernel runs in a stream of the
     * engine and has ended when the call returns. Not looked at on the CPU. */
    void *stream;
    /** Lends memory of the device until it is taken back: at the end of the call, or by release()
     * what upload() keeps. NULL: the engine allocates. On a device `stream` must be given too,
     * because a block that was given back is still read by kernels waiting in that stream: the
     * lender may reuse it in the stream's order only. */
    void *(*workspace)(void *user, size_t bytes);
    /** Takes back a block of `bytes` bytes that workspace lent; memory is never NULL. NULL: the
     * lender takes care of its blocks, none is given back. */
    void (*workspace_release)(void *user, void *memory, size_t bytes);
    void *workspace_user; /**< first argument of both */
    int32_t device;       /**< number of the device that the stream and the device arrays are on */
    int32_t reserved;     /**< pads: 0 */
    /** Upper bound of the device memory, in bytes, that copies of host arrays occupy at a time; 0:
     * the engine's choice. Operands that every row needs (centroids, vectors) come on top. */
    int64_t workspace_bytes;
    /** What convert() has made; NULL: nothing. nearest_centroid, knn, margin_ratios and
     * distance_bounds read it where the rows of the call are among the rows that were converted,
     * and give the same results without it. */
    const struct alcore_sys_converted *converted;
} alcore_sys_work;

/** A run of adjacent rows of a matrix. "Row i" of a kernel is i = 0 .. count - 1 of this run; what
 * is reported to the caller as a row is the pool row first + i. */
typedef struct alcore_sys_rows {
    const void *data; /**< component 0 of row 0; row i begins i * stride components later */
    int64_t first;    /**< pool row of row 0 */
    int64_t count;    /**< rows */
    int64_t dims;     /**< components of a row */
    int64_t stride;   /**< components from the begin of a row to the begin of the next, >= dims */
    int32_t dtype;    /**< ALCORE_FLOAT16, ALCORE_BFLOAT16, ALCORE_FLOAT32, ALCORE_FLOAT64 */
    int32_t unit;     /**< 1: the kernel works on unit(row) in place of the row */
} alcore_sys_rows;

/** A run of items with a list of tokens each: item i owns the tokens of values from
 * offsets[i] - offsets[0] on, up to the one before offsets[i + 1] - offsets[0]. */
typedef struct alcore_sys_ragged {
    const void *values;     /**< [tokens] or [tokens, classes], adjacent */
    const int64_t *offsets; /**< [count + 1], ascending; need not begin at 0 */
    int64_t first;          /**< pool row of item 0 */
    int64_t count;          /**< items */
    int64_t classes;        /**< values of a token; 1 for log-probabilities */
    int32_t dtype;          /**< of values: ALCORE_FLOAT16, ... */
    int32_t reserved;       /**< pads: 0 */
} alcore_sys_ragged;

/** What the values of a distribution over classes are. */
enum alcore_sys_class_form {
    ALCORE_CLASSES_PROBS = 0,    /**< probabilities */
    ALCORE_CLASSES_LOGPROBS = 1, /**< natural logarithms of probabilities */
    ALCORE_CLASSES_LOGITS = 2    /**< logits: softmax of them are probabilities */
};

/** Statistics of one distribution over classes, from which least confidence, entropy and margin
 * sampling and DeMuX's uncertainty are made. */
typedef struct alcore_sys_class_stats {
    double top1;     /**< largest probability */
    double top2;     /**< second largest probability, equal to top1 in a tie; 0 with one class */
    double log_top1; /**< natural logarithm of top1, at least -100 */
    double log_top2; /**< natural logarithm of top2, at least -100 */
    double entropy;  /**< - sum of p log p in nats, 0 log 0 = 0, added in class order */
} alcore_sys_class_stats;

/** Where statistics of token distributions softmax(z) go: arrays with an entry per row of the
 * logits or hidden states of the call; NULL: not wanted. Natural logarithms. With m the largest
 * logit and S the sum of exp(z_c - m) over the classes c: */
typedef struct alcore_sys_token_stats {
    double *logprob; /**< log-probability of the label: (z_label - m) - log S, never above 0; an
                          entry without a label is not written */
    double *top1;    /**< log-probability of the class with the largest logit: -log S */
    double *top2;    /**< of the second; equal to top1 in a tie; -infinity with one class */
    double *margin;  /**< exp(top1) - exp(top2) */
    double
        *entropy; /**< log S - (sum of (z - m) exp(z - m)) / S; a class with z = -infinity adds 0 */
    double *logsumexp; /**< m + log S */
    int32_t *argmax;   /**< the class with the largest logit, the lowest one in a tie */
} alcore_sys_token_stats;

/** The labels of the tokens of some items as a caller has them, for token_stats. Token t of item i
 * is row i * item_step + t * token_step of the logits or hidden states; rows that are no token, and
 * tokens behind the length of their item, take no part. */
typedef struct alcore_sys_labels {
    /** The label of token 0 of item 0, in memory of the device; in host memory only without gaps
     * and in this order. NULL: the label of every token is 0. */
    const void *data;
    const int64_t *lengths; /**< int64 [items]: tokens of each item; NULL: all */
    int64_t items;          /**< items */
    int64_t tokens;         /**< tokens of an item, those behind its length included */
    int64_t item_stride;    /**< labels from an item to the next; any number */
    int64_t token_stride;   /**< labels from a token to the next; any number */
    int64_t item_step;      /**< rows from an item to the next, 0 or more */
    int64_t token_step;     /**< rows from a token to the next, 0 or more */
    int64_t ignore;         /**< tokens with this label take no part */
    int32_t dtype;          /**< ALCORE_INT32 or ALCORE_INT64 */
    int32_t reserved;       /**< pads: 0 */
} alcore_sys_labels;

/** How a search compares two rows. */
enum alcore_sys_distance {
    ALCORE_SYS_L2 = 0,    /**< sq_dist, the smallest first */
    ALCORE_SYS_DOT = 1,   /**< dot, the largest first */
    ALCORE_SYS_COSINE = 2 /**< cos, the largest first */
};

/** What a search is given beside its rows. The pruning fields change no result, only how many pairs
 * are computed; an engine may ignore them. */
typedef struct alcore_sys_search {
    size_t size;      /**< sizeof(alcore_sys_search) */
    int32_t metric;   /**< ALCORE_SYS_L2, ... */
    int32_t reserved; /**< pads: 0 */
    /** float32 [leading, dims]: nearly orthonormal directions b that hold most of what rows and
     * queries have in common: x.y is at most the sum of (b.x)(b.y) plus the product of the norms of
     * what is left of x and y. NULL: none. */
    const float *basis;
    int64_t leading; /**< directions of basis */
    double skew;     /**< upper bound of the spectral norm of basis basis^T - I */
    double cost; /**< expected share of the float32 products that is left with basis; 0: unknown */
} alcore_sys_search;

/** The k best neighbors of each item so far; a call joins what it finds. Slots 0 .. k - 1 of an
 * item are ordered: best value first, equal values by the lower row. An unused slot has row -1, and
 * the unused ones come last. NaN is nobody's value. */
typedef struct alcore_sys_best {
    int64_t k;     /**< slots of an item, 1 .. 1024 */
    int64_t *row;  /**< [items, k] pool row of the neighbor; -1: unused */
    double *value; /**< [items, k] its value by the metric; unspecified in an unused slot */
} alcore_sys_best;

/** Parameters of the IDDS score (HUDS, eq. 5, after Tsvigun et al. 2022):
 * alpha * ((A_v - s_v) / (A - 1)) - (1 - alpha) * (B_v / B); with include_self alpha * (A_v / A) in
 * the first term. A term whose divisor is 0 is alpha * 0 or (1 - alpha) * 0. */
typedef struct alcore_sys_idds {
    double alpha;         /**< weight of the similarity to the unlabeled rows */
    int64_t unlabeled;    /**< A, the item itself included */
    int64_t labeled;      /**< B */
    int32_t include_self; /**< 1: self=include */
    int32_t reserved;     /**< pads: 0 */
} alcore_sys_idds;

/** D^2 weights of rows while rows are drawn as centroids: the weight of a row is its smallest w
 * over the centroids so far (spec 1.8). A caller that draws one row a pass may add rows that the
 * next draws are likely to hit (speculative centroids): they are measured in the same pass, kept
 * apart, and joined by update_min, without another pass, if the draw hits. */
typedef struct alcore_sys_weights {
    double *minimum; /**< [rows] in and out: minimum[i] = w where w < minimum[i], for every centroid
                          but the speculative ones, in any order of centroids */
    double *speculative; /**< [speculative_count, rows] out: w of a speculative centroid where it is
                              below minimum[i] as the others left it, infinity elsewhere */
    int64_t speculative_count; /**< how many of the last centroids are speculative; 0: none, and
                                    speculative may be NULL */
    const uint8_t
        *total_mask; /**< [rows] rows that total adds up; NULL: those of the call's mask */
    double *total; /**< [1] out: running sum, from +0.0 and in row order, of minimum after the call;
                        NULL: not wanted */
} alcore_sys_weights;

/** Draws by weight among the items of all blocks of a pool (spec 1.7), for a call that has those of
 * some of the blocks. */
typedef struct alcore_sys_draws {
    int64_t count;         /**< draws, at most ALCORE_SYS_DRAWS */
    const double *u;       /**< double [count], in host memory: a number in [0, 1) for each */
    int64_t blocks;        /**< blocks of the pool */
    const double *totals;  /**< double [blocks]: the weight of each, as run_totals gives it */
    int64_t first;         /**< the first block of the call */
    int64_t own;           /**< blocks of the call: first .. first + own - 1 */
    const int64_t *starts; /**< int64 [own + 1]: the first item of each, as in run_totals */
} alcore_sys_draws;

/** The most draws of a call. */
#define ALCORE_SYS_DRAWS 4
/** The most matrices of which a call takes the rows that are drawn. */
#define ALCORE_SYS_DRAWN_MATRICES 4

/** What a draw has found. */
typedef struct alcore_sys_drawn {
    int64_t block; /**< the block that was drawn; -1: no block has a weight */
    int64_t item;  /**< the item, counted as in starts; -1: likewise */
} alcore_sys_drawn;

/** Rows in the memory of an engine. */
typedef struct alcore_sys_held {
    alcore_sys_rows rows; /**< what to pass to kernels; rows.data NULL: nothing is held */
    void *memory;         /**< rows.data, for kernels that write there */
} alcore_sys_held;

/** Rows in the form in which the filters of an engine compare them, for a caller that compares the
 * same rows in several calls (alcore_sys_work.converted). */
typedef struct alcore_sys_converted {
    alcore_sys_rows rows; /**< what was converted; it stays where it is and as it is */
    int32_t metric;       /**< ALCORE_SYS_*, for which it was converted */
    int32_t reserved;     /**< pads: 0 */
    alcore_sys_held held; /**< the engine's memory, which release() gives back; held.memory NULL:
                               nothing was converted */
} alcore_sys_converted;

/** The table. A NULL entry means that the engine lacks the kernel.
 *
 * Memory. Every pointer may be to host memory; a device engine also takes pointers to memory of its
 * device, each array on its own, and copies what is on the host. A call that writes to host memory
 * returns when that is written; one that writes to device memory only may return when its work is
 * in work->stream. An array on another device than work->device is ALCORE_E_INVALID. An output in
 * memory of the device is at an address that is a multiple of the size of its numbers; inputs, and
 * arrays in host memory, may be at any.
 *
 * Arguments. First work, then the block of rows, or its count where no matrix is read, then its
 * mask, the other inputs and last the outputs. Arrays of one entry a row have no count of their
 * own.
 *
 * Masks. `mask` is uint8 [count]: a row with 0 takes no part and its entry of the output is not
 * written; NULL: all rows take part. Input arrays are never written.
 *
 * Threads. One call runs on the calling thread; callers run calls for several blocks at once.
 *
 * Failures. A kernel returns ALCORE_OK, ALCORE_E_INVALID (shapes, pointers), ALCORE_E_SHAPE
 * (dtypes, differing widths), ALCORE_E_NOMEM, ALCORE_E_CANCELLED (the host's poll_cancel, asked
 * every few milliseconds) or ALCORE_E_UNSUPPORTED, with a text set by host->set_error. Outputs then
 * hold anything. work->host may be NULL; work->workspace is then needed where an engine allocates.
 */
typedef struct alcore_sys_kernels {
    size_t size;        /**< sizeof(alcore_sys_kernels) of the engine */
    uint32_t abi;       /**< ALCORE_SYS_ABI of the engine */
    int32_t device;     /**< ALCORE_DEVICE_* that the engine runs on */
    const char *engine; /**< name for reports: "cpu-avx2", ... */

    /** out[i, j] = component j of row i as double: double [count, dims]. */
    alcore_status (*widen)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *mask, double *out);
    /** out[i] = dot(row i, vector): double [count]; vector: double [dims]. */
    alcore_status (*dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, const double *vector, double *out);
    /** out[i] = dot(row i, row i): double [count]. */
    alcore_status (*self_dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *mask, double *out);
    /** out[i] = sq_dist(row i, vector): double [count]; vector: double [dims]. */
    alcore_status (*sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const double *vector, double *out);
    /** Sums of one block by group, from which centroids are made. group: int32 [count], 0 ..
     * groups - 1 or negative: the row takes no part. sums: double [groups, dims], overwritten:
     * sums[g, j] is the running sum, from +0.0 and in row order, of component j over the rows of
     * group g. counts: int64 [groups], overwritten: rows of group g. */
    alcore_status (*group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, double *sums,
                                int64_t *counts);
    /** Cosine distance of each row to the centroid of its group: out[i] = 1 - cos(row i,
     * centroids[group[i]]): double [count]. group as in group_sums; centroids: double [groups,
     * dims]. */
    alcore_status (*group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const double *centroids,
                                  double *out);
    /** The nearest centroid of each row among those of its own group: the assignment of k-means.
     *
     * Group g owns the centroids starts[g] .. starts[g + 1] - 1; starts: int64 [groups + 1];
     * centroids: double [starts[groups], dims]; group as in group_sums.
     *
     * nearest: int32 [count], the centroid with the smallest sq_dist, the lower one in a tie,
     * counted from 0 within the group; -1 where the group has none. A NaN distance never replaces
     * the centroid before it. distance: double [count], that sq_dist, infinity where there is no
     * centroid; NULL: not wanted, which saves work.
     *
     * low, high: double [count], both or neither NULL: bounds of exact L2 distances (not squares):
     * that to the nearest is at most high[i], that to every other centroid of the group at least
     * low[i]; low[i] is infinity where there is no other. Engines choose how tight they are; 0 and
     * infinity are always right. A caller whose centroids moved by less than the gap need not ask
     * again (Hamerly 2010). */
    alcore_status (*nearest_centroid)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                      const int32_t *group, int64_t groups, const int64_t *starts,
                                      const double *centroids, int32_t *nearest, double *distance,
                                      double *low, double *high);
    /** Copies the rows of the mask, one after the other, to the engine's memory, for a caller that
     * passes over them many times; values without dims are rows of one component. out->rows is
     * what to pass from then on, without a mask: its count is the number of rows that take part.
     * Its data is NULL where nothing was copied because the rows are on the device already, or the
     * copy would leave less than a quarter of the device's memory free: the caller then goes on
     * with its own rows. The type may be an integer type too. Rows and mask in host memory may
     * change once it has returned. A NULL entry: the engine works in host memory. */
    alcore_status (*upload)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, alcore_sys_held *out);
    /** Gives back the memory of rows that upload copied, with the same device and workspace in
     * work; memory NULL is nothing. Is there when upload is. */
    void (*release)(const alcore_sys_work *work, const alcore_sys_held *held);
    /** D^2 weights against new centroids (k-means++, Arthur and Vassilvitskii 2007): w =
     * sq_dist(row i, centroid), or 0 where w <= 1e-12 * (dot(row i, row i) + dot(centroid,
     * centroid)) and zero_duplicates is 1; then as alcore_sys_weights says. centroids: double
     * [count, dims], the speculative ones last. centroid_dots: double [count], dot(centroid,
     * centroid); row_dots: double [rows], as self_dots gives them; both may be NULL when
     * zero_duplicates is 0. */
    alcore_status (*min_sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *mask, const double *centroids, int64_t count,
                                  const double *centroid_dots, const double *row_dots,
                                  int32_t zero_duplicates, const alcore_sys_weights *weights);
    /** The same for the gradient embeddings of BADGE (Ash et al. 2019), which are outer products
     * a h^T and are never formed: w = (G + G_c) - 2 * (dot(a, a_c) * dot(h, h_c)) with G = dot(a,
     * a)
     * * dot(h, h), or 0 where w <= 1e-12 * (G + G_c). a, h: the two factors, a row of each per
     * item. centroids_a: double [count, dims of a]; centroids_h: double [count, dims of h];
     * squares: double [rows], G of each row; centroid_squares: double [count], G_c. */
    alcore_status (*min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *mask,
                               const double *centroids_a, const double *centroids_h, int64_t count,
                               const double *centroid_squares, const double *squares,
                               const alcore_sys_weights *weights);
    /** Joins a speculative centroid that a draw hit: minimum[i] = values[i] where values[i] <
     * minimum[i]; then the total. values: double [count], its row of weights->speculative; NULL:
     * the minima stay, only the total is wanted. weights->speculative is not looked at. */
    alcore_status (*update_min)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                const double *values, const alcore_sys_weights *weights);
    /** Finds the row of a block that a draw by weight hits (spec 1.7). values: double [count],
     * weights; before: their sum over the blocks before; target: in [0, sum over all blocks).
     * *item = the first i with before + run_i > target and values[i] > 0, run_i being the running
     * sum, from +0.0 and in order, of the values of the mask up to and including i; when there is
     * none the last i with values[i] > 0; -1 when there is none either. */
    alcore_status (*draw)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                          const double *values, double before, double target, int64_t *item);
    /** One greedy step of IDDS after `picked` moved from the unlabeled to the labeled rows: f =
     * cos(row i, picked), or f = dot(row i, picked) when norms is NULL; then a[i] -= f and b[i] +=
     * f. norms: double [count], the roots of self_dots; picked: double [dims]; picked_norm: its
     * norm; a, b: double [count], sums of similarities to the unlabeled and to the labeled rows.
     * With idds, scores[i] then is what idds_scores gives for s, double [count]; idds NULL: scores
     * are not wanted, and s and scores may be NULL. */
    alcore_status (*idds_update)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const double *norms, const double *picked,
                                 double picked_norm, double *a, double *b,
                                 const alcore_sys_idds *idds, const double *s, double *scores);
    /** out[i] = the IDDS score of item i: double [count]. a, b, s: double [count], A_v, B_v and the
     * similarity of the item to itself, s_v. */
    alcore_status (*idds_scores)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                                 const alcore_sys_idds *idds, const double *a, const double *b,
                                 const double *s, double *out);
    /** *value = the largest of values [count] within the mask, -infinity when there is none; *item
     * = the lowest i that has it, -1 when there is none. NaN is never the largest. */
    alcore_status (*arg_max)(const alcore_sys_work *work, int64_t count, const uint8_t *mask,
                             const double *values, int64_t *item, double *value);
    /** NNLL, the uncertainty of HUDS: out[i] = -(running sum of the log-probabilities of item i,
     * each at least -100, in token order) / tokens, never -0.0: double [count]; NaN for an item
     * without tokens and for a bad one. A value in (0, 1e-6] counts as 0. *floored = number of
     * values below -100. *bad = first pool row with a NaN or a value above 1e-6, or -1. */
    alcore_status (*ragged_nnll)(const alcore_sys_work *work, const alcore_sys_ragged *items,
                                 const uint8_t *mask, double *out, int64_t *floored, int64_t *bad);
    /** Statistics of each row as a distribution over dims classes: out [count]. kind:
     * ALCORE_CLASSES_*. p and log p of a class: of probabilities x: x and log x; of
     * log-probabilities: exp x and x; of logits: e / S and (x - m) - log S, m the largest logit,
     * e = exp(x - m), S the sum of e in class order. Minus infinity among log-probabilities and
     * logits is probability 0. *bad = first pool row with a NaN, a value outside [0, 1]
     * (probabilities) or above 0 (log-probabilities) by more than 1e-6, a logit of plus infinity,
     * no finite logit, or no classes; -1 when there is none. The statistics of a bad row are NaN.
     */
    alcore_status (*class_stats)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                                 int64_t *bad);
    /** Token statistics from logits, which are read once. logits: one row a token, dims = classes,
     * below 2^31; unit is not looked at. labels: int64 [count], NULL when logprob is not wanted. A
     * row whose label is `ignore` takes no part. *bad = first row, numbered from logits->first,
     * with a NaN, a logit of plus infinity, no finite logit, or another label outside 0 .. dims -
     * 1; -1 when there is none; the statistics of a bad row are NaN, argmax -1. */
    alcore_status (*logit_stats)(const alcore_sys_work *work, const alcore_sys_rows *logits,
                                 const int64_t *labels, int64_t ignore,
                                 const alcore_sys_token_stats *out, int64_t *bad);
    /** The same from hidden states, without forming all logits [count, classes] in memory: z =
     * hidden . output[c] + bias[c], of float64 values rounded to float32, summed in float32 or
     * better (float16 and bfloat16 also on tensor cores, which sum in float32 and truncate); the
     * label's logit is the one that the sum over classes saw. hidden: one row a token; output:
     * [classes, dims]; bias: float32 [classes] or NULL. The output matrix is read once for some
     * thousand tokens: give many tokens to a call. */
    alcore_status (*hidden_stats)(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                  const alcore_sys_rows *output, const float *bias,
                                  const int64_t *labels, int64_t ignore,
                                  const alcore_sys_token_stats *out, int64_t *bad);
    /** NNLL of sequences from the log-probabilities of their tokens (HUDS). Sequence i owns the
     * tokens offsets[i] - offsets[0] .. offsets[i + 1] - offsets[0] - 1; offsets: int64 [count +
     * 1]; logprob: double [tokens]; labels: int64 [tokens] or NULL. out[rows[i]], or out[i] when
     * rows is NULL, = the mean of minus the values, each at least -100, over the tokens whose label
     * is not `ignore`, in token order; NaN without such tokens and with a NaN among them. *floored
     * is added to: the number of values below -100. NULL in an engine of another device than the
     * CPU: the log-probabilities are in host memory when they are scored. */
    alcore_status (*sequence_nnll)(const alcore_sys_work *work, const double *logprob,
                                   const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                   const int64_t *rows, int64_t count, double *out,
                                   int64_t *floored);
    /** Exact nearest neighbors between a run of rows and a run of queries, both ways in one sweep:
     * query_best [queries->count] is joined by the best rows, as rows->first + i, and row_best
     * [rows->count] by the best queries, as queries->first + q; either may be NULL. Values are
     * those of spec 1.8 whatever filter found them. Before the first run the caller sets every
     * slot's row to -1; runs may come in any order. A row outside mask or a query outside
     * query_mask is nobody's neighbor and gets none. */
    alcore_status (*knn)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *mask, const alcore_sys_rows *queries,
                         const uint8_t *query_mask, const alcore_sys_search *search,
                         const alcore_sys_best *query_best, const alcore_sys_best *row_best);
    /** The largest margin ratio (Artetxe and Schwenk 2019) of each row over a run of others: ratio
     * = cos(row i, other j) / (row_half[i] + other_half[j]), 0 where the divisor is at most 1e-9;
     * the lower other in a tie. row_half: double [count], other_half: double [others->count]: half
     * the mean cosine to the k neighbors. ratio: double [count] and other: int64 [count], as
     * others->first
     * + j, hold the largest so far and are joined; -infinity and -1 before the first run. NaN is
     * never the largest. search->metric is not looked at. */
    alcore_status (*margin_ratios)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *others,
                                   const uint8_t *other_mask, const alcore_sys_search *search,
                                   const double *row_half, const double *other_half, double *ratio,
                                   int64_t *other);
    /** Sums of Euclidean distances from each row to one block of targets, by group of the targets:
     * sums[i, g] = the running sum, from +0.0 and in target order, of sqrt(sq_dist(row i, target
     * t)) over the targets with group[t] = g: double [count, groups], overwritten. group: int32
     * [targets->count], negative: the target takes no part; NULL: all are of group 0. */
    alcore_status (*distance_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *mask, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *sums);
    /** Intervals around the same sums at the speed of float32: low[i, g] <= sums[i, g] <= high[i,
     * g], as distance_sums rounds them; double [count, groups] each. Tells which rows need no exact
     * sum. */
    alcore_status (*distance_bounds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *mask, const alcore_sys_rows *targets,
                                     const int32_t *group, int64_t groups, double *low,
                                     double *high);
    /** Copies rows from the engine's memory to host memory, without gaps: out [count, dims], in the
     * type of the rows, which here may be an integer type too. Returns when the work that was
     * queued in work->stream before the call, and the copy, are done; count 0 only waits for the
     * stream. Rows in host memory are copied as well. A NULL entry: the engine works in host
     * memory. */
    alcore_status (*download)(const alcore_sys_work *work, const alcore_sys_rows *rows, void *out);
    /** The counterpart of download: copies rows to memory of the engine, such as a part of what
     * upload made, without gaps: memory [count, dims], in the type of the rows, which here may be
     * an integer type too. In the order of work->stream; the rows may change once it has returned.
     * A NULL entry: the engine works in host memory. */
    alcore_status (*store)(const alcore_sys_work *work, const alcore_sys_rows *rows, void *memory);
    /** Running sums of several runs of items in one call, for a caller that gives the rows of
     * several blocks to a kernel at once and needs the sum of each: totals[b] = the running sum,
     * from +0.0 and in order, of values[i] for starts[b] <= i < starts[b + 1]: double [runs].
     * starts: int64 [runs + 1], ascending, 0 or more; mask: uint8 [starts[runs]]; values: double
     * [starts[runs]]. sums: double [starts[runs]], sums[i] = the running sum of its run up to and
     * including values[i]; items before starts[0], which another call may write meanwhile, and
     * outside the mask keep theirs; NULL: not wanted. A NULL entry: callers give one block at a
     * time. */
    alcore_status (*run_totals)(const alcore_sys_work *work, int64_t runs, const int64_t *starts,
                                const uint8_t *mask, const double *values, double *sums,
                                double *totals);
    /** Converts all rows, which are in the engine's memory, for later calls that compare them by
     * the metric with about `others` rows of the other operand each: nearest_centroid
     * (ALCORE_SYS_L2), knn, margin_ratios (ALCORE_SYS_COSINE) and distance_bounds (ALCORE_SYS_L2).
     * *out is what they are given as alcore_sys_work.converted. out->held.memory is NULL where
     * nothing was converted: those calls would compare in double anyway, the rows are in host
     * memory, or the result would leave less than a quarter of the device's memory free. The
     * caller then goes on without. It gives out->held to release(). A NULL entry: the engine
     * converts nothing. */
    alcore_status (*convert)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             int32_t metric, int64_t others, alcore_sys_converted *out);
    /** logit_stats (output NULL: `rows` are logits) or hidden_stats, with labels and bias in the
     * layout and type that a caller has them in, so that those in memory of the device are read
     * there. bias: [classes], a row of one component for each class, of any type, rounded to
     * float32; on the host float32 without gaps; NULL: none. taking: uint8 [rows->count], 1 for the
     * rows that take part, else 0; NULL: not wanted. *bad_label: the lowest i * tokens + t of a
     * token whose label is neither `ignore` nor a class, and which takes part otherwise; -1 when
     * there is none. Where there is one, the contents of the other outputs are undefined. A NULL
     * entry: callers lay out labels by row and convert the bias themselves. */
    alcore_status (*token_stats)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const alcore_sys_rows *output, const alcore_sys_rows *bias,
                                 const alcore_sys_labels *labels, const alcore_sys_token_stats *out,
                                 uint8_t *taking, int64_t *bad_label, int64_t *bad);
    /** Several draws at once, from weights whose totals and running sums run_totals has made. The
     * target of draw d is u[d] times the sum of totals in order; its block is the first with which
     * their running sum exceeds it, and its item what `draw` finds there, `before` being the sum of
     * the blocks before. Where rounding leaves no such block, it is the last item that has a
     * weight. found[d] and vectors[d] are written where the block is one of the call's, and
     * found[d] where no block has a weight, so that calls with all blocks of a pool fill the same
     * arrays, also at the same time: a call leaves all other entries alone. mask, values, sums: an
     * entry for each item; rows: [matrices], each with a row for each item; found: [count];
     * vectors: double [count, sum of the dims], the item's row of each matrix, widened exactly, one
     * after the other. Where all arrays are in the engine's memory nothing is waited for; rows in
     * host memory are copied as a whole. A NULL entry: callers draw one by one. */
    alcore_status (*draw_rows)(const alcore_sys_work *work, const alcore_sys_draws *draws,
                               const uint8_t *mask, const double *values, const double *sums,
                               int64_t matrices, const alcore_sys_rows *rows,
                               alcore_sys_drawn *found, double *vectors);
    /** arg_max over values [count], and the row that it finds: vector: double [dims], widened
     * exactly, zeros where there is none. Where all arrays are in the engine's memory nothing is
     * waited for; rows in host memory are copied as a whole. A NULL entry: callers use arg_max. */
    alcore_status (*best_row)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const double *values, int64_t *item,
                              double *value, double *vector);
    /** Memory of the engine for rows of this count, width and type, without gaps, which a caller
     * then fills by store and gather; rows->data is not looked at. The type may be an integer type
     * too. *out as upload() makes it, for release(): out->memory is NULL where the rows have no
     * bytes, or where less than a quarter of the device's memory would stay free. A NULL entry: the
     * engine works in host memory. */
    alcore_status (*hold)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          alcore_sys_held *out);
    /** Copies rows by number to memory of the engine, without gaps: row i of memory [count, dims] =
     * row items[i] of rows, in their type, which here may be an integer type too; all bits are 1, a
     * NaN, for a negative item. items: int64 [count], each below rows->count. In the order of
     * work->stream; rows and items in host memory may change once it has returned. A NULL entry:
     * the engine works in host memory. */
    alcore_status (*gather)(const alcore_sys_work *work, const alcore_sys_rows *rows, int64_t count,
                            const int64_t *items, void *memory);
    /** The two largest values of each row of probabilities, clamped to [0, 1], or of natural
     * log-probabilities, clamped to at most +0.0 (kind: ALCORE_CLASSES_PROBS or _LOGPROBS): tops:
     * double [count, 2], the larger first, equal in a tie; the second is -infinity with one class.
     * class_stats of the matrix tops gives all statistics of the row but the entropy, to the byte.
     * A row that it calls bad has NaN twice where one of its values is NaN, else infinity. unit is
     * not looked at. A NULL entry: callers give the rows to class_stats. */
    alcore_status (*class_tops)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const uint8_t *mask, int32_t kind, double *tops);
} alcore_sys_kernels;

/** Entry point of a kernel module, exported as alcore_ENGINE_entry, such as alcore_cuda_entry.
 * @param[in] abi ALCORE_SYS_ABI of the library that loads
 * @param[in] host kept as a pointer, valid until the process ends
 * @param[out] out a view, valid until the process ends; NULL on failure
 * @return ALCORE_OK, ALCORE_E_UNSUPPORTED (an abi it does not know)
 * @threadsafe
 * @since 1.0 */
typedef alcore_status (*alcore_sys_kernel_entry)(uint32_t abi, const alcore_sys_host *host,
                                                 const alcore_sys_kernels **out);

ALCORE_END

#endif
