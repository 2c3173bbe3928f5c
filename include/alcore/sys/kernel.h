/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The kernel table: all arithmetic over columns. lib/cpu fills it for the CPU, a module for other
 * devices.
 *
 * Everything here but the columns (below) is a decision kernel: IEEE double, every operation
 * rounded on its own (no contraction), in the order written, so that every engine gives the same
 * bytes:
 *
 *     dot(a, b)  lane[0..31] = +0.0; for j = 0 .. d-1: lane[j mod 32] += a_j * b_j;
 *                for w = 16, 8, 4, 2, 1: lane[i] += lane[i + w] for i < w; it is lane[0]
 *     sq_dist(a, b)  the same with t = a_j - b_j and lane[j mod 32] += t * t
 *     norm(a)    sqrt(dot(a, a))
 *     unit(a)    a_j / norm(a); all +0.0 where norm(a) < 1e-12
 *     cos(a, b)  dot(a, b) / (norm(a) * norm(b)); 0 where a norm is < 1e-12;
 *                1 or -1, by its sign, where it is beyond 1 - 1e-12
 *
 * Columns: ragged_nnll, class_facts, logit_facts, hidden_facts and sequence_nnll take exp and log
 * or sum in lower precision, which engines may round differently, within 1e-6 + 1e-5 |v|; what they
 * give is stored and decided from. distance_bounds and the bounds of nearest_centroid are
 * intervals, whose width engines may choose. System tier: stable within a minor release. */
#ifndef ALCORE_SYS_KERNEL_H
#define ALCORE_SYS_KERNEL_H

#include "alcore/sys/host.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** Rows of one block: sums run inside blocks of 8192 pool rows, then over blocks. */
#define ALCORE_BLOCK_ROWS 8192

/** What a kernel call works with. */
typedef struct alcore_sys_work {
    size_t size;                 /**< sizeof(alcore_sys_work) */
    const alcore_sys_host *host; /**< the library's services */
    void *host_user;             /**< first argument of the host's functions */
    void *stream;                /**< device stream, NULL on the CPU */
    /** Workspace in the device's memory; NULL: the engine allocates by itself. */
    void *(*workspace)(void *user, size_t bytes);
    /** Gives back what workspace gave; memory is never NULL. */
    void (*workspace_release)(void *user, void *memory, size_t bytes);
    void *workspace_user; /**< first argument of both */
    int32_t device;       /**< number of the device that the stream and the device arrays are on */
    int32_t reserved;     /**< 0 */
    /** Most bytes of the device that staging what is on the host takes at a time; 0: the engine's
     * choice. Whole operands (centroids, vectors) come on top. */
    int64_t workspace_bytes;
} alcore_sys_work;

/** A run of rows of a matrix. */
typedef struct alcore_sys_rows {
    const void *data; /**< first number of the first row */
    int64_t first;    /**< pool row of the first row */
    int64_t count;    /**< rows */
    int64_t dims;     /**< numbers of a row */
    int64_t stride;   /**< numbers from a row to the next */
    int32_t dtype;    /**< ALCORE_FLOAT16, ALCORE_BFLOAT16, ALCORE_FLOAT32, ALCORE_FLOAT64 */
    int32_t unit;     /**< 1: every row e is read as unit(e) */
} alcore_sys_rows;

/** A run of items with tokens: item i owns values[offsets[i] - offsets[0] .. offsets[i + 1] -
 * offsets[0] - 1]. */
typedef struct alcore_sys_ragged {
    const void *values;     /**< [tokens] or [tokens, classes] */
    const int64_t *offsets; /**< [count + 1] */
    int64_t first;          /**< pool row of the first item */
    int64_t count;          /**< items */
    int64_t classes;        /**< numbers of a token; 1 for log-probabilities */
    int32_t dtype;          /**< ALCORE_FLOAT16, ... */
    int32_t reserved;       /**< 0 */
} alcore_sys_ragged;

/** What class scores are. */
enum {
    ALCORE_CLASSES_PROBS = 0,    /**< probabilities */
    ALCORE_CLASSES_LOGPROBS = 1, /**< their natural logarithms */
    ALCORE_CLASSES_LOGITS = 2    /**< what softmax makes probabilities of */
};

/** Facts of one distribution over classes (least confidence, entropy and margin sampling; DeMuX's
 * uncertainty). */
typedef struct alcore_sys_class_facts {
    double top1;     /**< largest probability */
    double top2;     /**< second largest; 0 with one class */
    double log_top1; /**< log of it, floored at -100 */
    double log_top2; /**< log of it, floored at -100 */
    double entropy;  /**< - sum p log p, natural log, 0 log 0 = 0, summed in class order */
} alcore_sys_class_facts;

/** Facts of the token distributions softmax(logits), natural logarithms; a NULL array is not
 * wanted. Arrays of a call have an entry per row of its logits or hidden states. */
typedef struct alcore_sys_token_facts {
    double *logprob; /**< of the label: (z_label - m) - log S, m the largest logit, S the sum of
                          exp(z - m); never above 0; not written where there is no label */
    double *top1;    /**< log-probability of the likeliest class: -log S */
    double *top2; /**< of the second likeliest, equal to top1 in a tie; -infinity with one class */
    double *margin;    /**< exp(top1) - exp(top2) */
    double *entropy;   /**< log S - (sum of (z - m) exp(z - m)) / S; 0 exp(-infinity) counts as 0 */
    double *logsumexp; /**< m + log S */
    int32_t *likeliest; /**< the class with the largest logit, the lowest one in a tie */
} alcore_sys_token_facts;

/** How rows are compared. */
enum {
    ALCORE_SYS_L2 = 0,    /**< sq_dist, the smallest first */
    ALCORE_SYS_DOT = 1,   /**< dot, the largest first */
    ALCORE_SYS_COSINE = 2 /**< cos, the largest first */
};

/** What a search may know beforehand. Zero means unknown. */
typedef struct alcore_sys_search {
    size_t size;      /**< sizeof(alcore_sys_search) */
    int32_t metric;   /**< ALCORE_SYS_L2, ... */
    int32_t reserved; /**< 0 */
    /** float32 [leading, dims]: nearly orthonormal directions that hold most of what rows and
     * queries have in common, for an engine that prunes by them; NULL: none. Changes no result. */
    const float *basis;
    int64_t leading; /**< directions */
    double skew;     /**< at least the spectral norm of basis basis^T - I */
} alcore_sys_search;

/** The best of what was seen so far, item by item: value[i, 0..k-1] and the row it belongs to,
 * the best first, equal values by the lower row. Unused places have row -1. NaN is never among
 * them. */
typedef struct alcore_sys_best {
    int64_t k;     /**< places of an item, 1 .. 1024 */
    int64_t *row;  /**< [items, k] */
    double *value; /**< [items, k] */
} alcore_sys_best;

/** What the IDDS score of an item is made of beside its own sums (HUDS, eq. 5, after Tsvigun et al.
 * 2022): alpha * ((A_v - s_v) / (A - 1)) - (1 - alpha) * (B_v / B); with include_self alpha * (A_v
 * / A) in the first term. A term whose divisor is 0 is alpha * 0 or (1 - alpha) * 0. */
typedef struct alcore_sys_idds {
    double alpha;         /**< weight of the unlabeled side */
    int64_t unlabeled;    /**< |A|, the item itself included */
    int64_t labeled;      /**< |B| */
    int32_t include_self; /**< 1: self=include */
    int32_t reserved;     /**< 0 */
} alcore_sys_idds;

/** D^2 weights of rows while centroids join: of each row the least weight over the centroids so far
 * (spec 1.8). A caller who guesses the next centroids has them measured in the same pass, and
 * confirms a guess without another one (lower). */
typedef struct alcore_sys_weights {
    double *minimum; /**< [rows] minimum[i] = w where w < minimum[i], for every centroid but the
                          guessed ones, in any order */
    double *each;    /**< [guessed, rows] w of a guessed centroid where w is below the minimum that
                          the others left, infinity elsewhere */
    int64_t guessed; /**< how many of the last centroids are guessed; each may be NULL when 0 */
    const uint8_t *weigh; /**< [rows] rows of the total; NULL: those that are taken */
    double *total;        /**< running sum, from +0.0 and in row order, of the minimum as it is
                               left; NULL: not wanted */
} alcore_sys_weights;

/** The table. A NULL entry means the engine lacks it. Pointers are to host memory; a device engine
 * takes pointers to its device's memory as well, each array on its own, and stages what is on the
 * host. A call that writes to host memory returns when that is written; one that writes to device
 * memory alone returns when its work is in the stream. An engine runs one call on one thread;
 * callers run several blocks at once. work->host may be NULL, and work->workspace then is needed by
 * widened, grouped and classified rows. Masks: `take` is uint8 [count], 0 leaves the row out (its
 * output entry is not written); NULL takes all rows. */
typedef struct alcore_sys_kernels {
    size_t size;        /**< sizeof(alcore_sys_kernels) of the engine */
    uint32_t abi;       /**< ALCORE_SYS_ABI of the engine */
    int32_t device;     /**< ALCORE_DEVICE_* */
    const char *engine; /**< "cpu-avx2", ... */

    /** out[i, j] = row i widened to double (or unit(row)): double [count, dims]. */
    alcore_status (*widen)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *take, double *out);
    /** out[i] = dot(row i, vector): double [count]. With unit rows: dot(unit(row i), vector). */
    alcore_status (*dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *take, const double *vector, double *out);
    /** out[i] = dot(row i, row i): double [count]. */
    alcore_status (*self_dots)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const uint8_t *take, double *out);
    /** out[i] = sq_dist(row i, vector): double [count]. */
    alcore_status (*sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *take, const double *vector, double *out);
    /** Sums of one block by group: sums[g, j] is the running sum, from +0.0 and in row order, over
     * the rows with group[i] = g; rows with a negative group take no part. sums: double [groups,
     * dims] and counts: int64 [groups] are overwritten. */
    alcore_status (*group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, double *sums,
                                int64_t *counts);
    /** out[i] = 1 - cos(row i, centroids[group[i]]); rows with a negative group are left
     * out. centroids: double [groups, dims]. */
    alcore_status (*group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const double *centroids,
                                  double *out);
    /** out[i] = sq_dist(row i, centroids[group[i]]); rows with a negative group are left out. */
    alcore_status (*group_sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const int32_t *group, int64_t groups, const double *centroids,
                                    double *out);
    /** The nearest of the centroids of the row's own group by sq_dist, ties to the lower number.
     * Group g owns the centroids starts[g] .. starts[g + 1] - 1 of centroids: double
     * [starts[groups], dims]. nearest[i] counts from 0 within the group; distance[i] is the
     * sq_dist. A group without centroids gives -1 and infinity; a NaN distance is never nearer than
     * the centroid before it. Rows with a negative group are left out. distance may be NULL, which
     * saves work. low and high: double [count], or both NULL: in exact arithmetic the L2 distance
     * (not its square) to the nearest is at most high[i], and to every other centroid of the group
     * at least low[i], which is infinity where there is no other. Engines may choose how near they
     * come; 0 and infinity say nothing. With them a caller whose centroids moved a little knows
     * which rows stay where they are (Hamerly 2010). */
    alcore_status (*nearest_centroid)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                      const int32_t *group, int64_t groups, const int64_t *starts,
                                      const double *centroids, int32_t *nearest, double *distance,
                                      double *low, double *high);
    /** Copies the rows that are taken, one after the other, to the engine's own memory, for a
     * caller that passes over them many times: *out is what to pass from then on, without a mask;
     * plain numbers are rows of one number. out->data is NULL where the rows are on the device
     * already, and where the device would be left with less than a quarter of its memory free: the
     * caller then goes on with what it has. A NULL entry: the engine works in host memory. */
    alcore_status (*hold)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *take, alcore_sys_rows *out);
    /** Gives back what hold gave, with the same device and allocator in work; data NULL is nothing.
     */
    void (*let_go)(const alcore_sys_work *work, const alcore_sys_rows *held);
    /** D^2 weights against new centroids (k-means++, Arthur and Vassilvitskii 2007): w =
     * sq_dist(row i, centroid), 0 where w <= 1e-12 * (dot(row i, row i) + dot(centroid, centroid))
     * when zero_duplicates is 1; then as alcore_sys_weights says. centroids: double [count, dims],
     * the guessed ones last; centroid_dots: double [count]; row_dots: double [rows], the self_dots;
     * both dots may be NULL when zero_duplicates is 0. */
    alcore_status (*min_sq_dists)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *take, const double *centroids, int64_t count,
                                  const double *centroid_dots, const double *row_dots,
                                  int32_t zero_duplicates, const alcore_sys_weights *weights);
    /** The same with the D^2 weights of BADGE (Ash et al. 2019) in factored form: w = (G + G_c) - 2
     * * (dot(a, a_c) * dot(h, h_c)), 0 where w <= 1e-12 * (G + G_c). a, h: rows of the two factors,
     * the same count; centroids_a: double [count, dims of a], centroids_h: double [count, dims of
     * h]; squares: double [rows] and centroid_squares: double [count], G = dot(a, a) * dot(h, h).
     */
    alcore_status (*min_badge)(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *take,
                               const double *centroids_a, const double *centroids_h, int64_t count,
                               const double *centroid_squares, const double *squares,
                               const alcore_sys_weights *weights);
    /** A guess came true: values is its part of weights->each, and minimum[i] = values[i] where
     * values[i] < minimum[i]; values NULL: nothing. Then the total; each is not looked at. */
    alcore_status (*lower)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                           const double *values, const alcore_sys_weights *weights);
    /** The item that a draw means inside its block (spec 1.7): *item = the first one with before +
     * run_i > target and values[i] > 0, run_i being the running sum, from +0.0 and in order, of the
     * values taken up to and including i; when there is none the last one with values[i] > 0; -1
     * when there is none either. */
    alcore_status (*draw)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                          const double *values, double before, double target, int64_t *item);
    /** One greedy step of IDDS after `picked` was picked: f = cos(row i, picked) with
     * the norms given, or f = dot(row i, picked) when norms is NULL; then a[i] -= f and b[i] += f.
     * norms: double [count], the roots of self_dots; picked: double [dims]. */
    alcore_status (*idds_update)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *take, const double *norms, const double *picked,
                                 double picked_norm, double *a, double *b);
    /** out[i] = IDDS of item i from its A_v, B_v and s_v: double [count]. */
    alcore_status (*idds_scores)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                                 const alcore_sys_idds *idds, const double *a, const double *b,
                                 const double *s, double *out);
    /** The largest value and the lowest item that has it: *item counts from 0, -1 when nothing was
     * taken; NaN is never taken. *value is -infinity when nothing was taken. */
    alcore_status (*arg_max)(const alcore_sys_work *work, int64_t count, const uint8_t *take,
                             const double *values, int64_t *item, double *value);
    /** Mean of minus the log-probabilities of each item (NNLL, the uncertainty of HUDS), each value
     * floored at -100: out: double [count], NaN for an item without tokens and for a bad one;
     * *floored counts the values below -100; *bad is the first pool row with a NaN or a value above
     * 1e-6, or -1. The mean is -(running sum / tokens), never -0.0. take as above. */
    alcore_status (*ragged_nnll)(const alcore_sys_work *work, const alcore_sys_ragged *items,
                                 const uint8_t *take, double *out, int64_t *floored, int64_t *bad);
    /** Class facts of each row: out [count]. kind: ALCORE_CLASSES_*. *bad: first pool row with a
     * NaN, with a value outside [0, 1] (probabilities) or above 0 (log-probabilities) by more than
     * 1e-6, with a logit of plus infinity or without a finite logit, or without classes; -1 when
     * there is none. The facts of a bad row are all NaN. Minus infinity among logits and
     * log-probabilities is probability 0. p and log p: as given and its log; exp of the given and
     * the given; e / S and (z - m) - log S with m the largest logit, e = exp(z - m), S the sum of e
     * in class order. */
    alcore_status (*class_facts)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *take, int32_t kind, alcore_sys_class_facts *out,
                                 int64_t *bad);
    /** Token facts from logits, read once: logits: float16, bfloat16, float32 or float64 rows, one
     * of them a token, dims = classes, below 2^31; labels: int64 [count], NULL when logprob is not
     * wanted. A row whose label is `ignore` is left out, and none of its entries is written. Minus
     * infinity is probability 0. *bad: first row, numbered by logits->first, with a NaN, with a
     * logit of plus infinity, without a finite logit or with another label outside 0 .. dims - 1;
     * -1 when there is none; the facts of a bad row are NaN, likeliest -1. unit is not looked at.
     */
    alcore_status (*logit_facts)(const alcore_sys_work *work, const alcore_sys_rows *logits,
                                 const int64_t *labels, int64_t ignore,
                                 const alcore_sys_token_facts *out, int64_t *bad);
    /** The same from the hidden states [count, d] and the output matrix [classes, d] of the model,
     * without writing logits: z = hidden . output + bias, of float64 numbers rounded to float32,
     * summed in float32 or better; the label's logit is the one of the sum over classes. bias:
     * float32 [classes] or NULL. The output matrix is read once for some thousand tokens: give many
     * to a call. */
    alcore_status (*hidden_facts)(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                  const alcore_sys_rows *output, const float *bias,
                                  const int64_t *labels, int64_t ignore,
                                  const alcore_sys_token_facts *out, int64_t *bad);
    /** NNLL of sequences (HUDS): sequence i owns the tokens offsets[i] - offsets[0] .. offsets[i +
     * 1] - offsets[0] - 1 of logprob; out[rows[i]] = the mean of minus their values, each floored
     * at -100, over the tokens whose label is not `ignore` (labels NULL: all), in token order; NaN
     * without tokens and with a NaN among them. rows NULL: out[i]. *floored as in ragged_nnll,
     * added to. */
    alcore_status (*sequence_nnll)(const alcore_sys_work *work, const double *logprob,
                                   const int64_t *labels, int64_t ignore, const int64_t *offsets,
                                   const int64_t *rows, int64_t count, double *out,
                                   int64_t *floored);
    /** Exact nearest neighbors between a run of rows and queries, both ways in one sweep:
     * of_queries [queries] is joined by the best rows (numbered by rows->first), of_rows [rows] by
     * the best queries (numbered by queries->first). Either may be NULL. Values are those of spec
     * 1.8 whatever filter found them; the caller sets the places to row -1 before the first run,
     * and runs may come in any order. What is left out (take of rows, query_take of queries) is
     * nobody's neighbor and has none. */
    alcore_status (*knn)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const uint8_t *take, const alcore_sys_rows *queries,
                         const uint8_t *query_take, const alcore_sys_search *search,
                         const alcore_sys_best *of_queries, const alcore_sys_best *of_rows);
    /** The largest margin ratio (Artetxe and Schwenk 2019) of each row over others: ratio =
     * cos(row, other) / (row_half + other_half), 0 where the divisor is at most 1e-9; ties to the
     * lower other. row_half: double [count], other_half: double [others]: half-sums of neighbor
     * cosines. ratio: double [count] and other: int64 [count], numbered by others->first, hold the
     * best so far and are joined: -infinity and -1 before the first run of others. NaN is never
     * largest. search->metric is not looked at. */
    alcore_status (*margin_ratios)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *take, const alcore_sys_rows *others,
                                   const uint8_t *other_take, const alcore_sys_search *search,
                                   const double *row_half, const double *other_half, double *ratio,
                                   int64_t *other);
    /** Sums of Euclidean distances to one block of targets: sums[i, g] = the running sum, from +0.0
     * and in row order, of sqrt(sq_dist(row i, target)) over the targets with group g; group NULL:
     * all are of group 0; targets with a negative group are left out. sums: double [count, groups],
     * overwritten. */
    alcore_status (*distance_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                   const uint8_t *take, const alcore_sys_rows *targets,
                                   const int32_t *group, int64_t groups, double *sums);
    /** An interval around the same sums, in float32 speed: low[i, g] <= sums[i, g] <= high[i, g],
     * also of the sums as they are rounded. */
    alcore_status (*distance_bounds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                     const uint8_t *take, const alcore_sys_rows *targets,
                                     const int32_t *group, int64_t groups, double *low,
                                     double *high);
} alcore_sys_kernels;

/** Entry point of a kernel module, exported as alcore_ENGINE_entry, such as alcore_cuda_entry.
 * @param[in] abi ALCORE_SYS_ABI of the library that loads
 * @param[in] host kept as a pointer, valid until the process ends
 * @param[out] out a view, valid until the process ends; NULL on failure
 * @return ALCORE_OK, ALCORE_E_UNSUPPORTED (an abi it does not know)
 * @threadsafe
 * @since 0.1 */
typedef alcore_status (*alcore_sys_kernel_entry)(uint32_t abi, const alcore_sys_host *host,
                                                 const alcore_sys_kernels **out);

ALCORE_END

#endif
