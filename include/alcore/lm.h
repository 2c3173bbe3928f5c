/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The language model: an n-gram model of order 1 to 6 with interpolated modified Kneser-Ney
 * smoothing (Chen and Goodman 1999, section 3, without pruning), trained here or read from an ARPA
 * file of another tool.
 *
 * Words are the maximal runs without ASCII space, tab, CR and LF. A text is scored as `<s>` words
 * `</s>`; a word that the model does not know, and `<s>`, `</s>`, `<unk>` written in a text, count
 * as `<unk>`. In training those three are dropped and counted. A model never changes once it is
 * made: any number of threads may read it. */
#ifndef ALCORE_LM_H
#define ALCORE_LM_H

#include "alcore/context.h"

ALCORE_BEGIN

/** A language model. Made by alcore_lm_train() or alcore_lm_read_arpa(). */
typedef struct alcore_lm alcore_lm;

/** Settings of the training. Zero means default everywhere. */
typedef struct alcore_lm_options {
    size_t size;      /**< sizeof(alcore_lm_options) */
    int32_t order;    /**< longest n-gram, 1 to 6; 0: 4 */
    int32_t reserved; /**< 0 */
} alcore_lm_options;
/** An alcore_lm_options with its size set and everything else 0. */
#define ALCORE_LM_OPTIONS_INIT ALCORE_INIT(alcore_lm_options)

/** What is known about the n-grams of one order. */
typedef struct alcore_lm_order_info {
    size_t size;    /**< sizeof(alcore_lm_order_info) */
    int64_t ngrams; /**< n-grams; the unigrams include `<s>` and `<unk>` */
    /** t_1 .. t_4: n-grams whose adjusted count is exactly 1 .. 4; 0 in a model that was read */
    int64_t exactly[4];
    double discount[3]; /**< D(1), D(2), D(3+) of Chen and Goodman; 0 if read */
    int32_t fallback;   /**< 1: the counts allow no estimate, D is 0.5, 1.0, 1.5; else 0 */
    int32_t reserved;   /**< 0 */
} alcore_lm_order_info;
/** An alcore_lm_order_info with its size set and everything else 0. */
#define ALCORE_LM_ORDER_INFO_INIT ALCORE_INIT(alcore_lm_order_info)

/** Trains a model. Each text is one sentence; an empty one is `<s> </s>` and counts.
 * @param[in] ctx kept
 * @param[in] options borrowed; NULL for defaults
 * @param[in] texts borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts; none is an error
 * @param[out] out owned; NULL on failure
 * @threadsafe
 * @callback progress, log
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (order), ALCORE_E_DATA (no sentence),
 *   ALCORE_E_UNSUPPORTED (more than 2^32 - 2 tokens), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_*, ALCORE_E_FORKED */
ALCORE_API alcore_status alcore_lm_train(alcore_ctx *ctx, const alcore_lm_options *options,
                                         const char *const *texts, const size_t *lengths,
                                         int64_t count, alcore_lm **out);

/** Reads a model in ARPA text format, of this library or another tool. The probability of `<s>` is
 * not looked at, a missing back-off is 0 and a missing `<unk>` gets log10 -100.
 * @param[in] ctx kept
 * @param[in] path borrowed
 * @param[out] out owned; NULL on failure
 * @threadsafe
 * @callback progress
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file and line: not ARPA,
 *   counts that differ from the header, an n-gram given twice or whose words are no unigrams),
 *   ALCORE_E_UNSUPPORTED (order above 6), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_FORKED */
ALCORE_API alcore_status alcore_lm_read_arpa(alcore_ctx *ctx, const char *path, alcore_lm **out);

/** Writes a model in ARPA text format with 9 significant digits. The file appears whole or not at
 * all.
 * @param[in] lm borrowed
 * @param[in] path borrowed
 * @threadsafe
 * @callback progress
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_FORKED */
ALCORE_API alcore_status alcore_lm_write_arpa(alcore_lm *lm, const char *path);

/** Takes another reference.
 * @param[in] lm the model; NULL is allowed
 * @return owned: lm itself; NULL for NULL
 * @threadsafe
 * @since 0.1 */
ALCORE_API alcore_lm *alcore_lm_ref(alcore_lm *lm);

/** Drops a reference; the last one releases the model.
 * @param[in] lm the caller's reference; NULL is allowed
 * @threadsafe
 * @since 0.1 */
ALCORE_API void alcore_lm_unref(alcore_lm *lm);

/** Total log10 probability of a text with its `</s>`: the sum, over words and `</s>`, of
 * log10 p(w | the order - 1 tokens before it, from `<s>` on). Allocates nothing.
 * @param[in] lm borrowed
 * @param[in] text borrowed UTF-8; NULL only if length is 0
 * @param[in] length bytes
 * @param[out] out_log10 log10, <= 0; 0 on failure
 * @threadsafe
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_FORKED */
ALCORE_API alcore_status alcore_lm_score(alcore_lm *lm, const char *text, size_t length,
                                         double *out_log10);

/** Natural log-probability of every word of a text and of its `</s>`. Allocates nothing.
 * @param[in] lm borrowed
 * @param[in] text borrowed UTF-8; NULL only if length is 0
 * @param[in] length bytes
 * @param[out] values float32 [words + 1], natural logarithm, <= 0; nothing is written when capacity
 * is too small; NULL only if capacity is 0
 * @param[in] capacity numbers that fit into values
 * @param[out] out_count words + 1, whether they were written or not; 0 on failure
 * @threadsafe
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_FORKED */
ALCORE_API alcore_status alcore_lm_token_logprobs(alcore_lm *lm, const char *text, size_t length,
                                                  float *values, int64_t capacity,
                                                  int64_t *out_count);

/** Length of the longest n-grams.
 * @param[in] lm borrowed
 * @return 1 to 6; 0 for NULL
 * @threadsafe
 * @since 0.1 */
ALCORE_API int32_t alcore_lm_order(const alcore_lm *lm);

/** Number of n-grams of one order; the unigrams include `<s>` and `<unk>`.
 * @param[in] lm borrowed
 * @param[in] order from 1
 * @threadsafe
 * @since 0.1
 * @return 0 for an order that the model has not, or NULL */
ALCORE_API int64_t alcore_lm_ngrams(const alcore_lm *lm, int32_t order);

/** What is known about the n-grams of one order.
 * @param[in] lm borrowed
 * @param[in] order from 1
 * @param[in,out] out size-first
 * @threadsafe
 * @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such order), ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_lm_order_get(const alcore_lm *lm, int32_t order,
                                             alcore_lm_order_info *out);

/** How many `<s>`, `</s>` and `<unk>` of the training texts were dropped.
 * @param[in] lm borrowed
 * @return the number; 0 for NULL or a model that was read
 * @threadsafe
 * @since 0.1 */
ALCORE_API int64_t alcore_lm_dropped(const alcore_lm *lm);

/** A number that names the model in provenance: of its order, its n-grams, their probabilities and
 * back-offs, whatever order they were learnt or read in.
 * @param[in] lm borrowed
 * @return the number; 0 for NULL
 * @threadsafe
 * @since 0.1 */
ALCORE_API uint64_t alcore_lm_fingerprint(const alcore_lm *lm);

ALCORE_END

#endif
