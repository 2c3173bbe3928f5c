/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Exact search: the nearest rows by brute force, one way or both ways, and margin ratios. The
 * answers are the same bytes for every number of threads and on every machine: float32 is only used
 * to rule out pairs, with a bound on its error; every value that is returned is computed in double.
 */
#ifndef ALCORE_SEARCH_H
#define ALCORE_SEARCH_H

#include "alcore/pool.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** How rows are compared. */
enum alcore_distance {
    ALCORE_METRIC_L2 = 2201,    /**< squared Euclidean distance, the smallest first */
    ALCORE_METRIC_DOT = 2202,   /**< inner product, the largest first */
    ALCORE_METRIC_COSINE = 2203 /**< cosine, the largest first; 0 with a zero row */
};

/** Largest number of neighbors of a row. */
#define ALCORE_KNN_MAX 1024

/** The rows of one operand of a search: a matrix, or a column of a pool, which is read in blocks
 * when it is in a file. */
typedef struct alcore_search_data {
    size_t size; /**< sizeof(alcore_search_data) */
    /** borrowed: float16|bfloat16|float32|float64 [rows, dims], any device; there may be gaps
     * between rows; NULL: the pool's column */
    const alcore_tensor *matrix;
    const alcore_pool *pool; /**< borrowed; its masked rows are left out, labeled rows are not */
    /** borrowed: a dense column of the pool; NULL: "embeddings". NULL with a matrix */
    const char *column;
    const uint8_t
        *mask;          /**< borrowed: [mask_count], 0 leaves a row out; NULL: no row is left out */
    int64_t mask_count; /**< entries of mask: the rows of the matrix or pool; 0 without a mask */
    int32_t normalize;  /**< 1: each row is divided by its norm first (in double) */
    int32_t reserved;   /**< pads: 0, checked */
    /** The stream (cudaStream_t) in whose order a matrix on a device is ready: the call waits until
     * the work that is in it is done. Results on a device are written in that of the first operand.
     * NULL: the default stream. Apart from results, it is not used for a matrix on the host or a
     * column */
    void *stream;
} alcore_search_data;
/** An alcore_search_data with its size set and everything else 0. */
#define ALCORE_SEARCH_DATA_INIT ALCORE_INIT(alcore_search_data)

/** Settings of a search. Zero means default. */
typedef struct alcore_search_options {
    size_t size; /**< sizeof(alcore_search_options) */
    /** borrowed: "auto", "cpu", "cuda", "cuda:1"; NULL: auto, which is the device that rows or
     * queries are on, and else the CPU. Another device than theirs is ALCORE_E_INVALID */
    const char *device;
    int32_t metric;   /**< ALCORE_METRIC_*; 0: _L2; 0 for margin ratios, which always use cosines */
    int32_t reserved; /**< pads: 0, checked */
} alcore_search_options;
/** An alcore_search_options with its size set and everything else 0. */
#define ALCORE_SEARCH_OPTIONS_INIT ALCORE_INIT(alcore_search_options)

/** The k nearest rows of each query, and in the same pass the k nearest queries of each row: half
 * the work of two searches. Nearest first, equal values by the lower number. Where a row has fewer
 * than k neighbors, and for every row that is left out, the other entries have number -1 and value
 * NaN. After a failure the contents of the arrays are undefined. Arrays that are filled are
 * contiguous, on the host or on one device, which is that of the search where it runs on one; they
 * do not choose where it runs.
 * @param[in] ctx borrowed
 * @param[in] rows borrowed: what is searched; read in blocks, so that it may be larger than memory
 * @param[in] queries borrowed: of the same length
 * @param[in] k neighbors of each query and row, 1 to ALCORE_KNN_MAX
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out_rows borrowed; filled: int64 [queries, k], any device, row numbers; NULL: not
 *   wanted
 * @param[in,out] out_values borrowed; filled: float64 [queries, k], any device, squared distances,
 *   products or cosines; NULL with out_rows
 * @param[in,out] out_queries borrowed; filled: int64 [rows, k], any device, numbers of queries;
 *   NULL: not wanted
 * @param[in,out] out_query_values borrowed; filled: float64 [rows, k], any device; NULL with
 *   out_queries
 * @return ALCORE_OK, ALCORE_E_INVALID (also: neither out is wanted), ALCORE_E_SHAPE (rows and
 * queries differ in length, a ragged column, a mask or an out of another shape), ALCORE_E_DATA
 * (names the first row with a NaN or an infinity), ALCORE_E_MISSING (names the row without a
 * value), ALCORE_E_NOT_FOUND (no such column), ALCORE_E_UNSUPPORTED, ALCORE_E_MODULE (a device that
 * was named), ALCORE_E_PARAM (no such device), ALCORE_E_IO, ALCORE_E_CANCELLED, ALCORE_E_NOMEM,
 * ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_search_knn(alcore_ctx *ctx, const alcore_search_data *rows,
                                           const alcore_search_data *queries, int64_t k,
                                           const alcore_search_options *options,
                                           const alcore_tensor *out_rows,
                                           const alcore_tensor *out_values,
                                           const alcore_tensor *out_queries,
                                           const alcore_tensor *out_query_values);

/** The largest margin ratio (Artetxe and Schwenk 2019) of each row x with an other y: cos(x, y) /
 * (h(x) + h(y)), where h(x) is half the mean of the k largest cosines of x with others and h(y)
 * half the mean of the k largest cosines of y with rows; of all, where there are fewer. A ratio
 * whose divisor is 1e-9 or less, or negative, is 0. One minus the ratio is the score MRS of
 * phrase-level active learning.
 * @param[in] ctx borrowed
 * @param[in] rows borrowed
 * @param[in] others borrowed: of the same length; at least one that is not left out
 * @param[in] k neighbors whose cosines are averaged, 1 to ALCORE_KNN_MAX; 4 in the paper
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out_ratios borrowed; filled: float64 [rows], any device; NaN for a row that is
 *   left out
 * @param[in,out] out_others borrowed; filled: int64 [rows], any device, the other with that ratio,
 *   the lowest one in a tie; -1 for a row that is left out; NULL is allowed
 * @return as alcore_search_knn(); ALCORE_E_INVALID also without others
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_search_margin_ratios(alcore_ctx *ctx,
                                                     const alcore_search_data *rows,
                                                     const alcore_search_data *others, int64_t k,
                                                     const alcore_search_options *options,
                                                     const alcore_tensor *out_ratios,
                                                     const alcore_tensor *out_others);

ALCORE_END

#endif
