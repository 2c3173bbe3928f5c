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
#ifndef ALCORE_EXTRA_LM_H
#define ALCORE_EXTRA_LM_H

#include "alcore/model.h"

ALCORE_BEGIN

/** A language model. Made by alcore_lm_new_trained() or alcore_lm_open_arpa(). */
typedef struct alcore_lm alcore_lm;

/** Settings of the training. Zero means default everywhere. */
typedef struct alcore_lm_options {
    size_t size;      /**< sizeof(alcore_lm_options) */
    int32_t order;    /**< longest n-gram, 1 to 6; 0: 4 */
    int32_t reserved; /**< pads: 0, checked */
    /** Borrowed: D(1), D(2) and D(3+) of every order, or those of order 1, then of order 2, ...;
     * D(k) is 0 to k. NULL: estimated from the counts. Those that another tool reports make its
     * model. */
    const double *discounts;
    int64_t discount_count; /**< 0, 3, or 3 times the order */
} alcore_lm_options;
/** An alcore_lm_options with its size set and everything else 0. */
#define ALCORE_LM_OPTIONS_INIT ALCORE_INIT(alcore_lm_options)

/** Statistics of the n-grams of one order. */
typedef struct alcore_lm_order_info {
    size_t size;    /**< sizeof(alcore_lm_order_info) */
    int64_t ngrams; /**< n-grams; the unigrams include `<s>` and `<unk>` */
    /** t_1 .. t_4: n-grams whose adjusted count is exactly 1 .. 4; 0 in a model that was read */
    int64_t exactly[4];
    double discount[3]; /**< D(1), D(2), D(3+) of Chen and Goodman, or as given; 0 if read */
    int32_t fallback;   /**< 1: the counts allow no estimate, D is 0.5, 1.0, 1.5; else 0 */
    int32_t reserved;   /**< pads: 0 */
} alcore_lm_order_info;
/** An alcore_lm_order_info with its size set and everything else 0. */
#define ALCORE_LM_ORDER_INFO_INIT ALCORE_INIT(alcore_lm_order_info)

/** Trains a model. Each text is one sentence; an empty one is `<s> </s>` and counts. How many
 * `<s>`, `</s>` and `<unk>` of the texts were dropped is a warning of the log.
 * @param[in] ctx kept
 * @param[in] texts borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts; none is an error
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (order, discounts), ALCORE_E_DATA (no
 *   sentence), ALCORE_E_UNSUPPORTED (more than 2^32 - 2 tokens), ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_lm_new_trained(alcore_ctx *ctx, const char *const *texts,
                                               const size_t *lengths, int64_t count,
                                               const alcore_lm_options *options, alcore_lm **out);

/** Reads a model in ARPA text format, of this library or another tool. The probability of `<s>` is
 * not looked at, a missing back-off is 0 and a missing `<unk>` gets log10 -100, with a warning of
 * the log.
 * @param[in] ctx kept
 * @param[in] path borrowed
 * @param[out] out owned; NULL on failure
 * @threadsafe
 * @callback progress, log, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file and line: not ARPA,
 *   counts that differ from the header, an n-gram given twice or whose words are no unigrams),
 *   ALCORE_E_UNSUPPORTED (order above 6), ALCORE_E_NOMEM, ALCORE_E_CANCELLED */
ALCORE_API alcore_status alcore_lm_open_arpa(alcore_ctx *ctx, const char *path, alcore_lm **out);

/** Writes a model in ARPA text format with 9 significant digits. The file appears whole or not at
 * all.
 * @param[in] lm borrowed
 * @param[in] path borrowed; no compressed suffix
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (a compressed suffix), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress) */
ALCORE_API alcore_status alcore_lm_write_arpa(alcore_lm *lm, const char *path);

/** Takes another reference.
 * @param[in] lm the model; NULL is allowed
 * @return owned: lm itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_lm *alcore_lm_ref(alcore_lm *lm);

/** Drops a reference; the last one releases the model.
 * @param[in] lm the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_lm_unref(alcore_lm *lm);

/** Total log10 probability of each text with its `</s>`: the sum, over words and `</s>`, of
 * log10 p(w | the order - 1 tokens before it, from `<s>` on). Many texts are scored on the
 * context's threads.
 * @param[in] lm borrowed
 * @param[in] texts borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts, 0 or more
 * @param[in] out_log10 borrowed: float64 [count], host, contiguous; its numbers are overwritten;
 *   above 0 only where the back-off weights of a model that was read lift a probability above 1;
 *   undefined after a failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (out_log10), ALCORE_E_CANCELLED,
 * ALCORE_E_NOMEM
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_lm_score(alcore_lm *lm, const char *const *texts,
                                         const size_t *lengths, int64_t count,
                                         const alcore_tensor *out_log10);

/** Natural log-probability of every word and of the `</s>` of each text, one text after the other:
 * text i has the numbers offsets[i] .. offsets[i + 1] - 1, one more than it has words. The size of
 * the answer is not known before the words are counted, so this is called twice: with out_values
 * NULL it fills the offsets, the last of which is the length that out_values needs.
 * @param[in] lm borrowed
 * @param[in] texts borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts, 0 or more
 * @param[in] out_offsets borrowed: int64 [count + 1], host, contiguous; overwritten
 * @param[in] out_values borrowed: float32 [offsets[count]], host, contiguous; overwritten, each
 * <= 0; NULL: only the offsets are wanted
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (names the array and the shape it needs),
 * ALCORE_E_CANCELLED, ALCORE_E_NOMEM
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_lm_token_logprobs(alcore_lm *lm, const char *const *texts,
                                                  const size_t *lengths, int64_t count,
                                                  const alcore_tensor *out_offsets,
                                                  const alcore_tensor *out_values);

/** Length of the longest n-grams.
 * @param[in] lm borrowed
 * @return 1 to 6; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_lm_order(const alcore_lm *lm);

/** Statistics of the n-grams of one order.
 * @param[in] lm borrowed
 * @param[in] order from 1
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such order), ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_lm_order_get(const alcore_lm *lm, int32_t order,
                                             alcore_lm_order_info *out);

/** A hash that identifies the model in provenance: of its order and of its n-grams with their
 * probabilities and back-offs, in whatever sequence they were learned or read.
 * @param[in] lm borrowed
 * @return the hash; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API uint64_t alcore_lm_fingerprint(const alcore_lm *lm);

/** Makes a model of a language model, so that scorers and strategies can use one that was trained
 * on other texts or read from a file: it computes "logprobs", the natural log-probability of every
 * word and of the end of each row.
 * @param[in] ctx kept
 * @param[in] lm kept
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_new_lm(alcore_ctx *ctx, alcore_lm *lm, alcore_model **out);

ALCORE_END

#endif
