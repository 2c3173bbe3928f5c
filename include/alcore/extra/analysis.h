/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Analyses of an experiment: what labeling costs, whether uncertainty carries over from a target to
 * its neighbors, what a selection consists of, which texts of a test set are training data too, and
 * a projection of embeddings to two dimensions (docs/spec/analyses.md, docs/spec/multilingual.md).
 * Measures of translations, labels and numbers are in metric.h, drawings in plot.h. */
#ifndef ALCORE_EXTRA_ANALYSIS_H
#define ALCORE_EXTRA_ANALYSIS_H

#include "alcore/extra/overlap.h"
#include "alcore/request.h"
#include "alcore/search.h"

ALCORE_BEGIN

/** How the price of a number of words is computed; w are the words. The two lines and the power
 * run through what the paper on phrases reports: 491 USD for 2,500 words, 7,092 for 40,000. */
enum alcore_cost_model {
    ALCORE_COST_RATE = 5801,   /**< rate * w */
    ALCORE_COST_LINEAR = 5802, /**< 50.933333 + 0.176026667 w */
    ALCORE_COST_POWER = 5803   /**< 0.262136504 w^0.963099402 */
};

/** Settings of a cost. What is unset means the default, 0 is not given. */
typedef struct alcore_cost_options {
    size_t size;            /**< sizeof(alcore_cost_options) */
    int32_t model;          /**< ALCORE_COST_*; 0: _RATE */
    int32_t reserved;       /**< pads: 0, checked */
    double rate;            /**< USD a word, of ALCORE_COST_RATE, from 0; unset: 0.1773 */
    double bleu_gain;       /**< points of BLEU gained over the base model; 0: not given */
    double in_domain_types; /**< in-domain word types of the selection; 0: not given */
} alcore_cost_options;
/** An alcore_cost_options with its size set, rate unset and everything else 0. */
#define ALCORE_COST_OPTIONS_INIT ALCORE_INIT_1(alcore_cost_options, rate, ALCORE_UNSET)

/** What labeling costs. */
typedef struct alcore_cost_result {
    size_t size;         /**< sizeof(alcore_cost_result) */
    double usd;          /**< for all words */
    double usd_per_bleu; /**< per point of BLEU; NaN where the gain is not given or not above 0 */
    double usd_per_type; /**< per in-domain word type; NaN where their number is not given */
} alcore_cost_result;
/** An alcore_cost_result with its size set and everything else 0. */
#define ALCORE_COST_RESULT_INIT ALCORE_INIT(alcore_cost_result)

/** What the translation of a number of words costs, by one of three models.
 * Source: docs/spec/analyses.md 8.8 (the paper on phrases, footnote 5).
 * @param[in] words words to label, 0 or more, finite; a mean over seeds need not be whole
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (words, rate or in_domain_types negative, one of these or
 *   bleu_gain not finite, no such model), ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_analysis_compute_cost(double words,
                                                      const alcore_cost_options *options,
                                                      alcore_cost_result *out);

/** Largest k of alcore_analysis_compute_neighborhood(). */
#define ALCORE_NEIGHBORHOOD_MAX 8192

/** The correlation rho, over target rows, of their own uncertainty with the mean uncertainty of
 * their k nearest source rows, and the two-sided p of Student's t with M - 2 degrees of freedom,
 * where M is the number of target rows that take part.
 * Source: docs/spec/multilingual.md 7.12 (DeMuX, section 3.3).
 *
 * Memory in bytes, with K the largest k and T threads: 8 (k_count + 1) for each target row, and
 * 16 K (T + 1) Q for the neighbors of Q target rows at a time, where Q is the larger of
 * 2^26 / (16 K T) and L, which is 256 up to K = 1024 and 2^18 / K above. The neighbors take at most
 * 128 MiB with up to 16 threads. With K above 1024, 1 MiB a thread comes on top.
 * @param[in] ctx borrowed
 * @param[in] source borrowed: embeddings of the source; masked rows are nobody's neighbor
 * @param[in] source_uncertainty borrowed: float64 [source_count]; entries of masked rows are not
 *   read
 * @param[in] source_count rows of source
 * @param[in] target borrowed: embeddings of the target, of the same length; masked rows take no
 *   part
 * @param[in] target_uncertainty borrowed: float64 [target_count]
 * @param[in] target_count rows of target
 * @param[in] k borrowed: int64 [k_count], numbers of neighbors, 1 to ALCORE_NEIGHBORHOOD_MAX;
 *   one above the number of source rows that take part means all of them
 * @param[in] k_count entries of k
 * @param[in] options borrowed: device and metric of the search; NULL: L2
 * @param[in,out] out borrowed; filled: float64 [k_count, 2], any device, as in
 *   alcore_search_knn(): rho and p of each k; both NaN
 *   with fewer than three target rows and where one side has no variance, which is logged as a
 *   warning
 * @return ALCORE_OK, ALCORE_E_SHAPE (counts or lengths differ, another shape of out),
 *   ALCORE_E_DATA (an uncertainty of a row that takes part is not finite: names it), and what
 *   alcore_search_knn() returns; ALCORE_E_INVALID also without a source row
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_analysis_compute_neighborhood(
    alcore_ctx *ctx, const alcore_search_data *source, const double *source_uncertainty,
    int64_t source_count, const alcore_search_data *target, const double *target_uncertainty,
    int64_t target_count, const int64_t *k, int64_t k_count, const alcore_search_options *options,
    const alcore_tensor *out);

/** How many of the rows have each language of the pool.
 * Source: docs/spec/multilingual.md 7.13.
 * @param[in] pool borrowed
 * @param[in] rows borrowed: int64 [row_count]; a row that stands there twice counts twice
 * @param[in] row_count 0 or more
 * @param[in,out] out_counts borrowed; filled: int64 [languages], host: entry i is of
 *   alcore_pool_distinct_language(pool, i)
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (a row that the pool lacks),
 *   ALCORE_E_SHAPE (out_counts), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while a call changes the pool.
 * @since 1.0 */
ALCORE_API alcore_status alcore_analysis_count_languages(const alcore_pool *pool,
                                                         const int64_t *rows, int64_t row_count,
                                                         const alcore_tensor *out_counts);

/** What a selection is compared with. Zero and NULL leave a measure out. */
typedef struct alcore_composition_options {
    size_t size;               /**< sizeof(alcore_composition_options) */
    const double *uncertainty; /**< borrowed: float64 [uncertainty_count] of all rows of the pool */
    int64_t uncertainty_count; /**< rows of the pool; 0 without uncertainty */
    const alcore_search_data *source; /**< borrowed: embeddings of the pool's rows */
    const alcore_search_data *target; /**< borrowed: embeddings of the target, with source */
    const alcore_pool *target_pool;   /**< borrowed: its languages are the target languages */
    const int64_t *other_rows;        /**< borrowed: [other_count] another strategy's selection */
    int64_t other_count;              /**< entries of other_rows; 0 without other_rows */
    int64_t neighbors; /**< nearest rows of a target that count, at most ALCORE_KNN_MAX;
                                    0: 10 */
} alcore_composition_options;
/** An alcore_composition_options with its size set and everything else 0. */
#define ALCORE_COMPOSITION_OPTIONS_INIT ALCORE_INIT(alcore_composition_options)

/** What a selection consists of. NaN and -1 stand for what was left out. */
typedef struct alcore_composition_result {
    size_t size;                  /**< sizeof(alcore_composition_result) */
    int64_t rows;                 /**< distinct rows */
    int64_t target_language_rows; /**< of these, rows whose language the target pool has; or -1 */
    double mean_uncertainty;      /**< over these rows; NaN without rows */
    double median_uncertainty;    /**< the mean of both middle values of an even number of rows */
    /** Mean over the rows of their mean Euclidean distance to the target (7.3); NaN without */
    double mean_distance;
    int64_t targets;         /**< target rows that take part; or -1 */
    int64_t targets_reached; /**< of these, with one of the rows among their nearest; or -1 */
    double jaccard; /**< rows of both selections divided by rows of either, 1 for two empty ones;
                       NaN without other_rows */
} alcore_composition_result;
/** An alcore_composition_result with its size set and everything else 0. */
#define ALCORE_COMPOSITION_RESULT_INIT ALCORE_INIT(alcore_composition_result)

/** Measures a selection: one round of it, or all rounds together.
 * Source: docs/spec/multilingual.md 7.13.
 * @param[in] ctx borrowed
 * @param[in] pool borrowed
 * @param[in] rows borrowed: int64 [row_count] rows of the pool; repeats count once
 * @param[in] row_count 0 or more
 * @param[in] options borrowed; NULL: only the rows are counted
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (also a count without its array, one of source and target
 *   only), ALCORE_E_NOT_FOUND (a row that the pool lacks), ALCORE_E_DATA (an uncertainty of a
 *   selected row is not finite: names it), ALCORE_E_SHAPE (counts or lengths differ),
 *   ALCORE_E_STRUCT_*, and what alcore_search_knn() returns
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_analysis_compute_composition(
    alcore_ctx *ctx, const alcore_pool *pool, const int64_t *rows, int64_t row_count,
    const alcore_composition_options *options, alcore_composition_result *out);

/** Settings of duplicates: none yet. */
typedef struct alcore_duplicates_options {
    size_t size; /**< sizeof(alcore_duplicates_options) */
} alcore_duplicates_options;
/** An alcore_duplicates_options with its size set and everything else 0. */
#define ALCORE_DUPLICATES_OPTIONS_INIT ALCORE_INIT(alcore_duplicates_options)

/** Texts that a test set has in common with training data. */
typedef struct alcore_duplicates_result {
    size_t size;       /**< sizeof(alcore_duplicates_result) */
    double duplicates; /**< percent of the texts that the training data has; NaN without texts */
    int64_t in_train;  /**< texts of the test set that the training data has, repeats too */
    int64_t texts;     /**< texts of the test set that have words */
    int64_t repeated;  /**< of these, repeats of an earlier one by the dedup of the test's pool */
} alcore_duplicates_result;
/** An alcore_duplicates_result with its size set and everything else 0. */
#define ALCORE_DUPLICATES_RESULT_INIT ALCORE_INIT(alcore_duplicates_result)

/** Counts the texts of a test set that are also training data, which it should not have. Texts are
 * compared as the dedup of the test's pool says, byte by byte with ALCORE_DEDUP_NONE; neither pool
 * is changed.
 * Source: docs/spec/arithmetic.md 1.9 for what an equal text is.
 * @param[in] test borrowed
 * @param[in] train borrowed; another pool than test
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (also one pool for both), ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_analysis_compute_duplicates(
    const alcore_pool *test, const alcore_pool *train, const alcore_duplicates_options *options,
    alcore_duplicates_result *out);

/** Settings of a leverage: none yet. */
typedef struct alcore_leverage_options {
    size_t size; /**< sizeof(alcore_leverage_options) */
} alcore_leverage_options;
/** An alcore_leverage_options with its size set and everything else 0. */
#define ALCORE_LEVERAGE_OPTIONS_INIT ALCORE_INIT(alcore_leverage_options)

/** What a translation memory saves of texts, by bands of their matches: repetitions of an earlier
 * one of the texts, 100 percent (the memory has the text), 95 to 99, 85 to 94, 75 to 84, 50 to 74,
 * and none or less. */
typedef struct alcore_leverage_result {
    size_t size;      /**< sizeof(alcore_leverage_result) */
    int64_t rows[7];  /**< texts of each band, in this order */
    int64_t words[7]; /**< words of these texts */
} alcore_leverage_result;
/** An alcore_leverage_result with its size set and everything else 0. */
#define ALCORE_LEVERAGE_RESULT_INIT ALCORE_INIT(alcore_leverage_result)

/** Counts the leverage of a memory of translations over a selection, as translators' tools do. A
 * text that the memory has, by the dedup of the pool, is a match of 100; else one that an earlier
 * row has is a repetition; else its best fuzzy match tells its band. Texts without a word are not
 * counted.
 * Source: docs/spec/analyses.md 8.11.
 * @param[in] pool borrowed
 * @param[in] rows borrowed: int64 [row_count] rows of the pool, in their order; repeats count again
 * @param[in] row_count 0 or more
 * @param[in] memory borrowed; another pool than pool
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID (also one pool for both), ALCORE_E_NOT_FOUND (a row that the
 *   pool lacks), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress
 * @since 1.1 */
ALCORE_API alcore_status alcore_analysis_compute_leverage(const alcore_pool *pool,
                                                          const int64_t *rows, int64_t row_count,
                                                          const alcore_pool *memory,
                                                          const alcore_leverage_options *options,
                                                          alcore_leverage_result *out);

/** Settings of a projection: none yet. */
typedef struct alcore_projection_options {
    size_t size; /**< sizeof(alcore_projection_options) */
} alcore_projection_options;
/** An alcore_projection_options with its size set and everything else 0. */
#define ALCORE_PROJECTION_OPTIONS_INIT ALCORE_INIT(alcore_projection_options)

/** Two principal components. */
typedef struct alcore_projection_result {
    size_t size;           /**< sizeof(alcore_projection_result) */
    int64_t rows;          /**< rows that took part */
    double eigenvalues[2]; /**< variance along each component, the larger first; 0 without rows */
    double shares[2];      /**< eigenvalue divided by the variance of all rows; NaN if that is 0 */
} alcore_projection_result;
/** An alcore_projection_result with its size set and everything else 0. */
#define ALCORE_PROJECTION_RESULT_INIT ALCORE_INIT(alcore_projection_result)

/** Projects rows, and other rows beside them, on the two principal components of the first: the
 * eigenvectors of the population covariance of the centered rows that have the largest eigenvalues.
 * The sign of a component is such that its loading of the largest absolute value is positive, the
 * first such loading where several agree within 1e-9 of it. Rows are read three times in blocks, so
 * that a column may be larger than memory; what is kept is a matrix float64 [dims, dims].
 * Source: docs/spec/analyses.md 8.7.
 * @param[in] ctx borrowed
 * @param[in] rows borrowed; masked rows take no part
 * @param[in] others borrowed: of the same length, such as the embeddings of a target; NULL: none
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out_points borrowed; filled: float64 [rows, 2], any device, as in
 *   alcore_search_knn(); NaN for masked rows
 * @param[in,out] out_other_points borrowed; filled: float64 [others, 2], any device; NULL without
 *   others
 * @param[in,out] out_components borrowed; filled: float64 [2, dims], any device: unit vectors; 0
 *   where there are fewer than two dims or no rows; NULL: not wanted
 * @param[in,out] out size-first; NULL: not wanted
 * @return as alcore_search_knn(); ALCORE_E_INVALID also for out_other_points without others
 * @threadsafe ALCORE_E_BUSY while a call changes one of the pools.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_analysis_compute_projection(
    alcore_ctx *ctx, const alcore_search_data *rows, const alcore_search_data *others,
    const alcore_projection_options *options, const alcore_tensor *out_points,
    const alcore_tensor *out_other_points, const alcore_tensor *out_components,
    alcore_projection_result *out);

/** What a request selects with one value of a parameter. */
typedef struct alcore_ablation {
    size_t size;     /**< sizeof(alcore_ablation) */
    double value;    /**< of the parameter */
    int64_t items;   /**< picks */
    int64_t phrases; /**< of these phrases, by a hybrid strategy; -1 by any other */
    int64_t words;   /**< of the picks */
    /** Percent of the word types of the test set that the picks have; NaN without a test set */
    double overlap;
    double share_of_0; /**< 0 to 1: picks that the value 0 selects too, of all; NaN without picks */
    double share_of_1; /**< the same of the value 1 */
} alcore_ablation;
/** An alcore_ablation with its size set and everything else 0. */
#define ALCORE_ABLATION_INIT ALCORE_INIT(alcore_ablation)

/** Answers a request with each of several values of one parameter of its strategy, which weighs two
 * parts of its score against each other from 0 to 1, and compares what is selected: lambda of HUDS
 * (its Table 7 without BLEU), or the ratio of sentences of a hybrid. Columns that a model computes
 * are computed by the first selection only, but those of a host's model without a name by each. The
 * request's strategy keeps the value that it has.
 * Source: docs/spec/huds.md 3.6, docs/spec/phrases.md 5.8.
 * @param[in,out] request borrowed; of several budgets the first counts. Its strategy has the
 *   parameter: the recommended one has neither lambda nor ratio
 * @param[in] parameter borrowed: its name; NULL: "ratio" of a hybrid strategy, "lambda" of any
 *   other
 * @param[in] values borrowed: float64 [count], finite
 * @param[in] count values, 1 or more
 * @param[in,out] test borrowed: has the texts of the test set and does not keep the n-grams of the
 *   role ALCORE_OVERLAP_SELECTED, whose texts are forgotten; NULL: none
 * @param[in,out] out_rows borrowed: [count] size-first structs of one size
 * @param[out] out_selections owned: [count], by value; all NULL on failure; NULL: not wanted
 * @return ALCORE_OK, ALCORE_E_INVALID (also a test set whose selected data is kept),
 *   ALCORE_E_PARAM (the strategy has no such parameter, or it refuses a value, 0 or 1; the request
 *   has max_age, by which each value would score rows again), what
 *   alcore_select() and alcore_overlap_add() return, ALCORE_E_STRUCT_*
 * @serialized per request and per test; per pool and model as alcore_select(). ALCORE_E_BUSY while
 *   another call uses one.
 * @callback model, scorer and strategy functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_ablate(alcore_request *request, const char *parameter,
                                               const double *values, int64_t count,
                                               alcore_overlap *test, alcore_ablation *out_rows,
                                               alcore_selection **out_selections);

ALCORE_END

#endif
