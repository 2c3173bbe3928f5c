/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The kernel table: all arithmetic over columns. lib/cpu fills it for the CPU, a module for other
 * devices.
 *
 * Everything here but ragged_nnll and class_facts is a decision kernel: IEEE double, every
 * operation rounded on its own (no contraction), in the order written, so that every engine gives
 * the same bytes:
 *
 *     dot(a, b)  lane[0..31] = +0.0; for j = 0 .. d-1: lane[j mod 32] += a_j * b_j;
 *                for w = 16, 8, 4, 2, 1: lane[i] += lane[i + w] for i < w; it is lane[0]
 *     sqd(a, b)  the same with t = a_j - b_j and lane[j mod 32] += t * t
 *     norm(a)    sqrt(dot(a, a))
 *     unit(a)    a_j / norm(a); all +0.0 where norm(a) < 1e-12
 *     cos(a, b)  dot(a, b) / (norm(a) * norm(b)); 0 where a norm is < 1e-12;
 *                1 or -1, by its sign, where it is beyond 1 - 1e-12
 *
 * ragged_nnll and class_facts take exp and log, which engines may round differently; what they give
 * is stored as a column and decided from. System tier: stable within a minor release. */
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

/** What the IDDS score of an item is made of beside its own sums (HUDS, eq. 5, after Tsvigun et al.
 * 2022): alpha * ((A_v - s_v) / (A - 1)) - (1 - alpha) * (B_v / B); with include_self alpha * (A_v
 * / A) in the first term. A term whose divisor is 0 is alpha * 0 or (1 - alpha) * 0. */
typedef struct alcore_sys_idds {
    double alpha;         /**< weight of the unlabelled side */
    int64_t unlabelled;   /**< |A|, the item itself included */
    int64_t labelled;     /**< |B| */
    int32_t include_self; /**< 1: self=include */
    int32_t reserved;     /**< 0 */
} alcore_sys_idds;

/** The table. A NULL entry means the engine lacks it. Every pointer is in the engine's memory; on
 * the CPU, in host memory. An engine runs one call on one thread; callers run several blocks at
 * once. work->host may be NULL, and work->workspace then is needed by widened, grouped and
 * classified rows. Masks: `take` is uint8 [count], 0 leaves the row out (its output entry is not
 * written); NULL takes all rows. */
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
    /** out[i] = sqd(row i, vector): double [count]. */
    alcore_status (*sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *take, const double *vector, double *out);
    /** Sums of one block by group: sums[g, j] is the running sum, from +0.0 and in row order, over
     * the rows with group[i] = g; rows with a negative group take no part. sums: double [groups,
     * dims] and counts: int64 [groups] are overwritten. */
    alcore_status (*group_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, double *sums,
                                int64_t *counts);
    /** out[i] = 1 - cos(row i, centres[group[i]]); rows with a negative group are left
     * out. centres: double [groups, dims]. */
    alcore_status (*group_cosine)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const int32_t *group, int64_t groups, const double *centres,
                                  double *out);
    /** out[i] = sqd(row i, centres[group[i]]); rows with a negative group are left out. */
    alcore_status (*group_sqds)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                const int32_t *group, int64_t groups, const double *centres,
                                double *out);
    /** The nearest of the centres of the row's own group by sqd, ties to the lower number. Group g
     * owns the centres starts[g] .. starts[g + 1] - 1 of centres: double [starts[groups], dims].
     * nearest[i] counts from 0 within the group; distance[i] is the sqd. A group without centres
     * gives -1 and infinity; a NaN distance is never nearer than the centre before it. Rows with a
     * negative group are left out. */
    alcore_status (*nearest_centre)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                    const int32_t *group, int64_t groups, const int64_t *starts,
                                    const double *centres, int32_t *nearest, double *distance);
    /** D^2 weights against one new centre (k-means++, Arthur and Vassilvitskii 2007): w = sqd(row
     * i, centre), 0 where w <= 1e-12 * (dot(row i, row i) + centre_dot) when zero_duplicates is 1;
     * then minimum[i] = w where w < minimum[i]. row_dots: double [count], the self_dots; may be
     * NULL when zero_duplicates is 0.
     */
    alcore_status (*min_sqd)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *take, const double *centre, double centre_dot,
                             const double *row_dots, int32_t zero_duplicates, double *minimum);
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
