/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The model: whatever turns texts into columns. The caller's own functions, the built-in n-gram model, or files. */
#ifndef ALCORE_MODEL_H
#define ALCORE_MODEL_H

#include "alcore/pool.h"

ALCORE_BEGIN

/** A model. */
typedef struct alcore_model alcore_model;

/** Some rows of a pool on their way to a model. */
typedef struct alcore_batch {
    size_t size;                  /**< sizeof(alcore_batch) */
    int64_t count;                /**< rows */
    const int64_t *rows;          /**< [count] row numbers */
    const char *const *texts;     /**< [count] UTF-8, NUL-terminated */
    const size_t *lengths;        /**< [count] bytes */
    const char *const *languages; /**< [count] tags */
} alcore_batch;

/** A function of a model: computes the batch and hands the result to alcore_column_writer_put(out, batch->rows, ...).
 * Runs on the thread that entered the call. Returns ALCORE_OK or a failure (see alcore_error_set()). */
typedef alcore_status (*alcore_model_function)(void *user, const alcore_batch *batch, alcore_column_writer *out);

/** A caller's model. A function that is NULL is unsupported; asking for it names what is missing. */
typedef struct alcore_model_host {
    size_t size;                          /**< sizeof(alcore_model_host) */
    void *user;                           /**< passed to every function */
    void (*destroy)(void *user);          /**< called once when the model goes; may be NULL */
    const char *name;                     /**< copied; names the model and its state in provenance: columns it made are
                                               used again under the same name; NULL: "host", asked again each time */
    int64_t batch_rows;                   /**< rows of a batch at most; 0: 256 */
    alcore_model_function embed;          /**< "embeddings": float [count, dims] */
    alcore_model_function token_logprobs; /**< "logprobs": float [tokens], natural logarithm, lengths [count] */
    alcore_model_function class_probs;    /**< "probs": float [count, classes] */
    alcore_model_function token_probs;    /**< "token_probs": float [tokens, classes], lengths [count] */
} alcore_model_host;
#define ALCORE_MODEL_HOST_INIT ALCORE_INIT(alcore_model_host)

/** What ALCORE_MODEL_HOST_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_model_host_init(alcore_model_host *host, size_t size);

/** Makes a model of the caller's functions.
 * @param[in] ctx kept @param[in] host borrowed, copied @param[out] out owned
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_model_new_host(alcore_ctx *ctx, const alcore_model_host *host, alcore_model **out);

/** Settings of the n-gram model. Zero means default. */
typedef struct alcore_ngram_options {
    size_t size;    /**< sizeof(alcore_ngram_options) */
    int32_t order;  /**< of the language model, 1 to 6; 0: 4 */
    int32_t dims;   /**< of embeddings; 0: 256 */
    uint64_t seed;  /**< of the random projection */
} alcore_ngram_options;
#define ALCORE_NGRAM_OPTIONS_INIT ALCORE_INIT(alcore_ngram_options)

/** What ALCORE_NGRAM_OPTIONS_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_ngram_options_init(alcore_ngram_options *options, size_t size);

/** Makes the built-in n-gram model: interpolated modified Kneser-Ney for token log-probabilities (spec 6.5), hashed
 * character-n-gram TF-IDF with a seeded random projection for embeddings. It is trained when it is first asked: on the labelled
 * side; without one, cross-fitted in five folds of the pool itself, so that no row is scored by a model that saw its text.
 * @param[in] ctx kept @param[in] labeled kept; NULL: cross-fitted @param[in] options borrowed, NULL for defaults
 * @param[out] out owned @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_PARAM, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_model_new_ngram(alcore_ctx *ctx, alcore_pool *labeled,
                                                const alcore_ngram_options *options, alcore_model **out);

/** Opens a model folder. Today: a folder of ready columns, one entry per row of the pool: embeddings.npy, probs.npy,
 * logprobs.npy with logprobs.offsets.npy, scores.npy (or the same tensors in columns.safetensors).
 * @param[in] ctx kept @param[in] path borrowed @param[out] out owned
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_IO, ALCORE_E_UNSUPPORTED (says what the folder holds) */
ALCORE_API alcore_status alcore_model_open(alcore_ctx *ctx, const char *path, alcore_model **out);

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_model *alcore_model_ref(alcore_model *model);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_model_unref(alcore_model *model);

/** Name of the model, for provenance. @threadsafe @since 0.1 @return a view */
ALCORE_API const char *alcore_model_name(const alcore_model *model);

/** Whether the model can produce a column ("embeddings", "logprobs", "probs", "token_probs"). @threadsafe @since 0.1 @return 1 or 0 */
ALCORE_API int32_t alcore_model_can(const alcore_model *model, const char *column);

/** Computes a column of a pool with the model and gives it to the pool. Masked rows are left out; "embeddings" are computed for
 * labelled rows too, which strategies keep away from.
 * @param[in] model borrowed @param[in,out] pool changed @param[in] column "embeddings", "logprobs", "probs", "token_probs"
 * @serialized per pool @callback the model's functions, progress @since 0.1
 * @return ALCORE_OK, ALCORE_E_UNSUPPORTED (names what is missing), ALCORE_E_SHAPE, ALCORE_E_CALLBACK, ALCORE_E_CANCELLED */
ALCORE_API alcore_status alcore_model_run(alcore_model *model, alcore_pool *pool, const char *column);

ALCORE_END

#endif
