/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Exact search: the nearest rows by brute force, one way or both ways, and margin ratios. The
 * answers are the same bytes for every number of threads and on every machine; float32 only
 * decides what need not be computed in double. */
#ifndef ALCORE_SEARCH_H
#define ALCORE_SEARCH_H

#include "alcore/pool.h"

ALCORE_BEGIN

/** How rows are compared. */
enum {
    ALCORE_METRIC_L2 = 0,    /**< squared Euclidean distance, the smallest first */
    ALCORE_METRIC_DOT = 1,   /**< inner product, the largest first */
    ALCORE_METRIC_COSINE = 2 /**< cosine, the largest first; 0 with a zero row */
};

enum {
    ALCORE_KNN_MOST = 1024 /**< most neighbors of a row */
};

/** One side of a search: a matrix, or a column of a pool, read in blocks where it is in a file. */
typedef struct alcore_search_side {
    size_t size; /**< sizeof(alcore_search_side) */
    /** borrowed: float16|bfloat16|float32|float64 [rows, dims], host; rows may be strided; NULL:
     * the pool's column */
    const alcore_tensor *matrix;
    const alcore_pool *pool; /**< borrowed; its masked rows are left out, labeled rows are not */
    const char *column;      /**< borrowed: a dense column of the pool; NULL: "embeddings" */
    const uint8_t *take; /**< borrowed: [rows], 0 leaves the row out; NULL: no row is left out */
    int32_t unit;        /**< 1: each row is divided by its norm first (in double) */
    int32_t reserved;    /**< 0 */
} alcore_search_side;
/** An alcore_search_side with its size set and everything else 0. */
#define ALCORE_SEARCH_SIDE_INIT ALCORE_INIT(alcore_search_side)

/** Settings of a search. Zero means default. */
typedef struct alcore_search_options {
    size_t size;      /**< sizeof(alcore_search_options) */
    int32_t metric;   /**< ALCORE_METRIC_*; margin ratios always take cosines */
    int32_t reserved; /**< 0 */
    /** neighbors of each row, 1 to ALCORE_KNN_MOST; 0: 10, for margin ratios 4 */
    int64_t k;
    const char *device; /**< borrowed: "auto", "cpu", "cuda", "cuda:1"; NULL: auto */
} alcore_search_options;
/** An alcore_search_options with its size set and everything else 0. */
#define ALCORE_SEARCH_OPTIONS_INIT ALCORE_INIT(alcore_search_options)

/** The k nearest rows of each query, and in the same pass the k nearest queries of each row: half
 * the work of two searches. Nearest first, equal values by the lower number. A place without a
 * neighbor, and every place of what is left out, has number -1 and value NaN. After a failure the
 * arrays hold no answer.
 * @param[in] ctx borrowed
 * @param[in] rows borrowed: what is searched; up to 10 million rows and more are read in blocks
 * @param[in] queries borrowed: of the same length
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out_rows int64 [queries, k], host: row numbers; NULL: not wanted
 * @param[out] out_values float64 [queries, k], host: squared distances, products or cosines; NULL
 * with out_rows
 * @param[out] out_queries int64 [rows, k], host: numbers of queries; NULL: not wanted
 * @param[out] out_query_values float64 [rows, k], host: their values; NULL with out_queries
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (rows and queries differ in length, a ragged
 * column), ALCORE_E_DATA (names the first row with a NaN or an infinity), ALCORE_E_MISSING (names
 * the row without a value), ALCORE_E_NOT_FOUND (no such column), ALCORE_E_UNSUPPORTED,
 * ALCORE_E_MODULE (a device that was named), ALCORE_E_PARAM (no such device), ALCORE_E_IO,
 * ALCORE_E_CANCELLED, ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 0.1 */
ALCORE_API alcore_status alcore_knn(alcore_ctx *ctx, const alcore_search_side *rows,
                                    const alcore_search_side *queries,
                                    const alcore_search_options *options, int64_t *out_rows,
                                    double *out_values, int64_t *out_queries,
                                    double *out_query_values);

/** The largest margin ratio (Artetxe and Schwenk 2019) of each row over the others: cosine /
 * (half-sum of the row's k largest cosines with others + half-sum of the other's k largest cosines
 * with rows). One minus it is the score MRS of phrase-level active learning.
 * @param[in] ctx borrowed
 * @param[in] rows borrowed
 * @param[in] others borrowed: of the same length; at least one that is not left out
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out_ratios float64 [rows], host; NaN for a row that is left out
 * @param[out] out_others int64 [rows], host: the other with that ratio, the lowest one in a tie; -1
 * for a row that is left out; NULL is allowed
 * @return as alcore_knn(); ALCORE_E_INVALID also without others
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 0.1 */
ALCORE_API alcore_status alcore_margin_ratios(alcore_ctx *ctx, const alcore_search_side *rows,
                                              const alcore_search_side *others,
                                              const alcore_search_options *options,
                                              double *out_ratios, int64_t *out_others);

ALCORE_END

#endif
