/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The training set after a selection (Hu and Neubig 2021, "Phrase-level Active Learning for Neural
 * Machine Translation", section 4): the annotated sentences and phrases, mixed with pairs that are
 * made of labeled data of another domain. docs/spec/mixing.md has the rules.
 *
 *     random          pairs of L', drawn without replacement
 *     retrieved       the pairs of L' whose sources are most similar to the pool
 *     switched        for a sentence of the pool with annotated phrases, the most similar pair of
 *                     L', in which a language model of the pool chooses the words that one of the
 *                     phrases replaces; its translation replaces the words that are linked to them
 *     contextualized  such a pair with a phrase and its translation behind it
 *
 * L' are the pairs of the labeled pool that take part: its rows with a text and a reference, masked
 * ones left out, or a sample of them. Similarity is the margin ratio of the column "embeddings"
 * (alcore/search.h). What is not given is made: embeddings by the n-gram model, the language model
 * of the pool's sentences, links by the aligner; the summary names each. */
#ifndef ALCORE_EXTRA_MIX_H
#define ALCORE_EXTRA_MIX_H

#include "alcore/extra/aligner.h"
#include "alcore/extra/annotation.h"
#include "alcore/extra/lm.h"
#include "alcore/model.h"
#include "alcore/search.h"

ALCORE_BEGIN

/** A training set. It does not change once it is made. */
typedef struct alcore_mix alcore_mix;

/** Settings of a training set. What is 0 or unset means the default. */
typedef struct alcore_mix_options {
    size_t size; /**< sizeof(alcore_mix_options) */
    /** Borrowed: "none", or one or more of "random", "retrieved", "switched" and "contextualized"
     * with "+" between them, which appear in this order; NULL: none */
    const char *kind;
    /** Borrowed: which target words a switched phrase replaces. "consistent": those linked to the
     * replaced source words, if no other source word is linked to them; "minmax": the same without
     * the condition; "literal": as many words as the translation has. NULL: consistent */
    const char *span;
    const char *device;        /**< borrowed: as in alcore_search_options; NULL: auto */
    alcore_model *model;       /**< borrowed: makes "embeddings" that a pool lacks; NULL: n-gram */
    alcore_lm *lm;             /**< borrowed: of switched and contextualized pairs; NULL: 4-grams of
                                    the unmasked rows of the pool */
    const alcore_links *links; /**< borrowed: of switched pairs: links of each row of the labeled
                                    pool with its reference; NULL: L' is aligned */
    /** Pairs of each kind that is mixed in, from 0; unset: as many as the phrases that the strategy
     * ngf-smp selects for the words of all annotated items */
    int64_t count;
    int64_t subset; /**< most pairs of L'; 0: 100000 */
    int64_t k;      /**< neighbors in a margin ratio, 1 to ALCORE_KNN_MAX; 0: 4 */
    /** How often the annotated phrases appear, up to 1000000; 0: not at all; unset: once */
    int64_t upsample_phrase;
    int64_t round;  /**< of the draw, from 1; 0: 1 */
    uint64_t seed;  /**< of the draws */
    int32_t unique; /**< 1: retrieved pairs have different sources; 0: they may repeat one */
    int32_t norm;   /**< 1: contextualized pairs are chosen by the log-probability a word; 0: by the
                         total, which prefers short phrases */
} alcore_mix_options;
/** An alcore_mix_options with its size set, count and upsample_phrase unset and everything else
 * 0. */
#define ALCORE_MIX_OPTIONS_INIT                                                                    \
    ALCORE_INIT_2(alcore_mix_options, count, ALCORE_UNSET_INT, upsample_phrase, ALCORE_UNSET_INT)

/** Makes a training set: the annotated sentences, the annotated phrases, both in order of selection
 * and only those that have a translation; then each kind that is mixed in. Fewer pairs than asked
 * for are no error: alcore_mix_missing() counts them and the summary says why.
 * @param[in] ctx kept
 * @param[in,out] labeled kept: pairs of source texts and references; changed where "embeddings" are
 *   made; NULL only with kind none
 * @param[in,out] pool kept: unlabeled sentences of the domain; masked rows are left out, and
 *   annotated sentences get no phrase of another pair; changed where "embeddings" are made; NULL
 *   with kind none, and with random if count is given
 * @param[in] annotations kept: items of the pool; NULL: nothing was annotated, which switched,
 *   contextualized and a count that is unset refuse
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (a pool or annotations that are needed are NULL; other
 *   contexts; a model that is not read), ALCORE_E_PARAM (kind, span or a number out of range,
 *   device), ALCORE_E_MISSING (no pair in the labeled pool, no unmasked row in the pool, or
 *   embeddings that were given for one pool only), ALCORE_E_SHAPE (links of another number of
 *   pairs; embeddings of different lengths), ALCORE_E_DATA (a link that names a word that its pair
 *   lacks: names the row; embeddings that are not finite), ALCORE_E_UNSUPPORTED,
 *   ALCORE_E_CALLBACK, ALCORE_E_MODULE, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while a call changes the annotations or one of the pools.
 * @callback the model's functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_mix_new(alcore_ctx *ctx, alcore_pool *labeled, alcore_pool *pool,
                                        alcore_annotations *annotations,
                                        const alcore_mix_options *options, alcore_mix **out);

/** Takes another reference.
 * @param[in] mix the handle; NULL is allowed
 * @return owned: mix itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_mix *alcore_mix_ref(alcore_mix *mix);

/** Drops a reference; the last one releases the training set.
 * @param[in] mix the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_mix_unref(alcore_mix *mix);

/** The number of pairs.
 * @param[in] mix borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_mix_count(const alcore_mix *mix);

/** How many pairs fewer were made than asked for, over all kinds that are mixed in.
 * @param[in] mix borrowed
 * @return 0 or more, at most 2^63 - 1; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_mix_missing(const alcore_mix *mix);

/** What a pair is.
 * @param[in] mix borrowed
 * @param[in] index from 0
 * @return a view, valid for ever: "sent", "phrase", "random", "retrieved", "switched" or
 *   "contextualized"; NULL: no such pair
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_kind(const alcore_mix *mix, int64_t index);

/** Source text of a pair.
 * @param[in] mix borrowed
 * @param[in] index from 0
 * @param[out] out_length bytes without the NUL; 0 without such a pair; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the training set is released; NULL: no such
 *   pair
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_source(const alcore_mix *mix, int64_t index, size_t *out_length);

/** Target text of a pair.
 * @param[in] mix borrowed
 * @param[in] index from 0
 * @param[out] out_length bytes without the NUL; 0 without such a pair; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the training set is released; NULL: no such
 *   pair
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_target(const alcore_mix *mix, int64_t index, size_t *out_length);

/** Names of the columns that say where each pair comes from, one a call.
 * @param[in] index from 0
 * @return a static text; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_builtin_column_name(int64_t index);

/** A column that says where each pair comes from; -1, or NaN, where a pair has no such thing:
 *
 *     labeled_row    int64    row of the labeled pool
 *     pool_row       int64    row of the pool: the annotated sentence, the sentence in which the
 *                             annotated phrase occurs first, or that of a switched phrase
 *     item           int64    index in the annotations
 *     word           int64    first source word, from 0, that the phrase replaces or stands at
 *     target_first   int64    first word of the labeled target that is replaced
 *     target_end     int64    behind the last word that is replaced
 *     score          float64  retrieved: similarity to the pool; switched and contextualized: log10
 *                             probability of the source, with norm a word
 *
 * @param[in] mix borrowed
 * @param[in] name borrowed: a column's name
 * @param[out] out a view, [count], host, valid until the training set is released; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_mix_column(const alcore_mix *mix, const char *name,
                                           alcore_tensor *out);

/** The summary for people: pairs of each kind, what is missing and why, what was made.
 * @param[in] mix borrowed
 * @return a view: several lines of UTF-8, valid until the training set is released; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_summary(const alcore_mix *mix);

/** Where everything came from: version, options with their effective values, counts, inputs.
 * @param[in] mix borrowed
 * @return a view: a JSON object, valid until the training set is released; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_mix_provenance(const alcore_mix *mix);

/** Writes the pairs: TSV or CSV with the columns kind, src, tgt and provenance (the names and
 * values of the columns that the pair has, such as "labeled_row=3 score=1.25"); JSONL with the keys
 * kind, src and tgt and those columns; or as plain text the sources only. A file appears whole or
 * not at all.
 * @param[in] mix borrowed
 * @param[in] path borrowed; "-" is standard output
 * @param[in] options borrowed: ALCORE_FORMAT_TEXT, _TSV, _JSONL or _CSV; NULL: by the suffix,
 *   "-" as TSV
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the format or suffix, a compressed
 *   file), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_mix_write(const alcore_mix *mix, const char *path,
                                          const alcore_write_options *options);

/** Writes the pairs as two plain texts with a line a pair, prefix.src and prefix.tgt, which
 * trainers of translation models read. A line break in a text is written as in TSV. Both files
 * appear or neither: a failure leaves none of them. Where they replace earlier ones, it may be that
 * the earlier prefix.src is gone then.
 * @param[in] mix borrowed
 * @param[in] prefix borrowed: beginning of both paths
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by
 * progress)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_mix_write_parallel(const alcore_mix *mix, const char *prefix);

ALCORE_END

#endif
