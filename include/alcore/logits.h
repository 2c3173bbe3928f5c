/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * From a model's logits, or its hidden states, to columns: log-probabilities, margins, entropies
 * and the NNLL of HUDS, in one pass over the logits where they are; nothing of the size of the
 * vocabulary is copied. For loops that hold a batch of logits:
 *
 *     alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
 *     writers.nnll = writer;                // of alcore_column_writer_new(pool, "scores", ...)
 *     alcore_logits batch = ALCORE_LOGITS_INIT;
 *     batch.logits = &logits;               // [items, tokens, classes]
 *     batch.labels = &labels;               // [items, tokens]
 *     alcore_logits_put(ctx, &batch, rows, items, -100, &writers);
 *
 * An inference server gives the log-probabilities of the likeliest tokens in place of logits:
 * alcore_logits_put_topk() takes these. alcore_hidden_average_words() makes embeddings of hidden
 * states.
 *
 * Natural logarithms; log p(c) = (z_c - m) - log S, m the largest logit z, S the sum of exp(z - m).
 * Engines agree within 1e-6 + 1e-5 |v|; one engine repeats itself for any number of threads. */
#ifndef ALCORE_LOGITS_H
#define ALCORE_LOGITS_H

#include "alcore/pool_column.h"

ALCORE_BEGIN

/** The tokens of some items and what a model says of them. An array is [items, tokens, n], padded
 * to the longest item, or [tokens, n], the items one after the other; the n numbers of a token are
 * adjacent, other strides are free, such as those of logits[:, :-1]. Arrays on one device may be
 * mixed with arrays on the host. All are read where they are, but labels and bias on a device with
 * everything else on the host are copied to the host. */
typedef struct alcore_logits {
    size_t size; /**< sizeof(alcore_logits) */
    /** logits: float16|bfloat16|float32|float64 [items, tokens, classes] or [tokens, classes], any
     * device; NULL: hidden states are given */
    const alcore_tensor *logits;
    /** hidden: float16|bfloat16|float32|float64 [items, tokens, d] or [tokens, d], any device: what
     * the model multiplies by its output matrix; float64 is rounded to float32 */
    const alcore_tensor *hidden;
    const alcore_tensor *output; /**< output matrix, with hidden: the same types [classes, d] */
    /** Added to the logits, with hidden: float16|bfloat16|float32|float64 [classes], any device; or
     * NULL */
    const alcore_tensor *bias;
    /** labels: int64|int32 [items, tokens] or [tokens], any device, any strides, those of an item
     * adjacent where labels are copied to the host: the class that token t's logits are to predict,
     * from 0; NULL when no log-probabilities are wanted: every token takes part */
    const alcore_tensor *labels;
    /** int64 [length_count], host: tokens of each item, the rest of a padded array being left out;
     * NULL: padded arrays without rest. Needed for several items in [tokens, n]. */
    const int64_t *lengths;
    int64_t length_count; /**< entries of lengths: as many as items; 0 with NULL */
    /** Stream (cudaStream_t) in whose order the arrays on a device are ready, read and written;
     * NULL: the default stream. Not read where all arrays are on the host */
    void *stream;
} alcore_logits;
/** An alcore_logits with its size set and everything else 0. */
#define ALCORE_LOGITS_INIT ALCORE_INIT(alcore_logits)

/** Where the statistics of each token go: tensors of the caller, [items, tokens] or [tokens] as
 * the logits are, contiguous, on the host or on the device of the other arrays; NULL: not wanted.
 * Entries of tokens that are left out are not written. Those on a device are written in the order
 * of alcore_logits.stream, by the kernels themselves where the logits are there too and contiguous.
 * Natural logarithms. */
typedef struct alcore_token_stats {
    size_t size;                  /**< sizeof(alcore_token_stats) */
    const alcore_tensor *logprob; /**< float64: log-probability of the label, never above 0 */
    const alcore_tensor *top1;    /**< float64: log-probability of the likeliest class */
    const alcore_tensor *top2;   /**< float64: of the second; top1 in a tie, minus infinity with one
                                      class */
    const alcore_tensor *margin; /**< float64: probability of the likeliest class minus that of the
                                      second, in [0, 1] */
    const alcore_tensor *entropy;   /**< float64: - sum of p log p, in nats */
    const alcore_tensor *logsumexp; /**< float64: log of the sum of exp(logit) */
    const alcore_tensor *likeliest; /**< int64: the class with the largest logit, the lowest one in
                                       a tie */
} alcore_token_stats;
/** An alcore_token_stats with its size set and everything else 0. */
#define ALCORE_TOKEN_STATS_INIT ALCORE_INIT(alcore_token_stats)

/** Column writers that take what is known of each item, all different. NULL: not wanted. margins,
 * confidences and entropies are of shape ALCORE_COLUMN_RAGGED, one number a token, or of shape
 * ALCORE_COLUMN_SCALAR, one a row, where every item has exactly one token: one distribution a row.
 * Under these names the scores lc, entropy, margin and uncertainty read them (see alcore/scorer.h).
 */
typedef struct alcore_logits_writers {
    size_t size; /**< sizeof(alcore_logits_writers) */
    /** Of shape ALCORE_COLUMN_SCALAR: the mean of minus the log-probabilities of the labels, each
     * floored at -100 (HUDS, Algorithm 1); NaN for an item without tokens */
    alcore_column_writer *nnll;
    alcore_column_writer *logprobs;    /**< ALCORE_COLUMN_RAGGED: those of the labels, float32 */
    alcore_column_writer *margins;     /**< margin of each token, float32, in [0, 1] */
    alcore_column_writer *confidences; /**< probability of each token's likeliest class, float32 */
    alcore_column_writer *entropies;   /**< entropy of each token in nats, float32 */
} alcore_logits_writers;
/** An alcore_logits_writers with its size set and everything else 0. */
#define ALCORE_LOGITS_WRITERS_INIT ALCORE_INIT(alcore_logits_writers)

/** Computes the statistics of every token, on the context's threads.
 * @param[in] ctx borrowed: its threads do the work
 * @param[in] logits borrowed
 * @param[in] ignore label of the tokens that are left out, such as -100
 * @param[in] out borrowed; its tensors are filled, and hold anything after a failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE, ALCORE_E_DATA (names the token: a NaN, plus
 *   infinity, no finite logit, a label outside the classes), ALCORE_E_MODULE (an
 *   array on a device whose module is not there: says where it was looked for),
 *   ALCORE_E_UNSUPPORTED (another device), ALCORE_E_STRUCT_*, ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_logits_measure(alcore_ctx *ctx, const alcore_logits *logits,
                                               int64_t ignore, const alcore_token_stats *out);

/** Puts what is known of each item into columns, as alcore_column_writer_put() does: in any order,
 * a row given twice keeps its first values. The writers get their values one after the other once
 * all is computed; a failure leaves the columns without values of the call, or, when memory ends or
 * a writer refuses them, some columns with them: the call may be repeated.
 * @param[in] ctx borrowed: its threads do the work
 * @param[in] logits borrowed
 * @param[in] rows borrowed: int64 [count], host: the pool row of each item
 * @param[in] count items, 0 or more
 * @param[in] ignore label of the tokens that are left out, such as -100
 * @param[in] out borrowed: the writers
 * @return as alcore_logits_measure() and alcore_column_writer_put(); ALCORE_E_SHAPE also for a
 *   writer of another shape, and for an item of more or less than one token where the writer takes
 *   one number a row
 * @threadsafe Calls on the same writers take turns at the end.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_logits_put(alcore_ctx *ctx, const alcore_logits *logits,
                                           const int64_t *rows, int64_t count, int64_t ignore,
                                           const alcore_logits_writers *out);

/** What the classes count as that a server did not list. With P the sum of the probabilities that
 * it gave for a token, of m classes, and R = 1 - P, the mass of the rest, the true entropy is never
 * below that of ALCORE_REST_ONE_CLASS and never above that of ALCORE_REST_UNIFORM, and the two
 * differ by R log(classes - m). */
enum alcore_rest {
    /** The rest counts as one class: - sum of p log p - R log R, a lower bound of the entropy. The
     * default. */
    ALCORE_REST_ONE_CLASS = 2601,
    /** The rest is spread evenly over the classes that are not listed: - sum of p log p
     * - R log(R / (classes - m)), an upper bound. Needs alcore_topk.classes. */
    ALCORE_REST_UNIFORM = 2602
};

/** What an inference server says of the tokens of some items, one item after another: the
 * log-probability of each token, and those of its k likeliest classes (the tokens of the
 * vocabulary). Natural logarithms. vLLM, SGLang, Text Generation Inference and servers of OpenAI's
 * protocol give these numbers as lists; docs/own-model.md says where they stand. */
typedef struct alcore_topk {
    size_t size; /**< sizeof(alcore_topk) */
    /** float16|bfloat16|float32|float64 [tokens], host: of each token that was made or scored, at
     * most 0; NULL: not known. The first token of a prompt has none: leave it out. */
    const alcore_tensor *logprobs;
    /** float16|bfloat16|float32|float64 [tokens, k], host: of the k likeliest classes, in any
     * order; minus infinity, or -9999, where a token has fewer; NULL: not known */
    const alcore_tensor *top;
    /** int64|int32 [tokens], host: the class of each token; NULL: a token is one of `top` where the
     * two log-probabilities are equal within 1e-6 */
    const alcore_tensor *ids;
    /** int64|int32 [tokens, k], host: the classes of `top`; NULL: not known. Given with ids or
     * without; ids need it. */
    const alcore_tensor *top_ids;
    /** int64 [length_count], host: tokens of each item; NULL: all items have equally many */
    const int64_t *lengths;
    int64_t length_count; /**< entries of lengths: as many as items; 0 with NULL */
    int64_t classes;      /**< of the model's vocabulary; 0: not known */
    int32_t rest;         /**< ALCORE_REST_*, for entropies; 0: ALCORE_REST_ONE_CLASS */
    int32_t reserved;     /**< pads: 0, checked */
} alcore_topk;
/** An alcore_topk with its size set and everything else 0. */
#define ALCORE_TOPK_INIT ALCORE_INIT(alcore_topk)

/** Puts what a server says of each item into columns, as alcore_logits_put() puts what logits say.
 * nnll and logprobs are of the tokens; confidences are the probability of the likeliest class and
 * margins that minus the probability of the second, so that they are what all logits would give;
 * entropies are a bound of it (alcore_topk.rest). A class that is both a token and one of `top`
 * counts once.
 *
 * Numbers that no model can give are refused, with the row and token: a NaN, a log-probability
 * above 0, probabilities of a token that add up to more than 1, a token that is likelier than one
 * of `top` and not among them, the same class twice, a token whose log-probability is another one
 * in `top`, a class outside `classes`, and more mass left than the classes that are not listed can
 * have, none of them being likelier than one of `top`. As numbers are rounded, 0.001 more is
 * allowed, 0.02 where an array is float16 or bfloat16; a log-probability above 0 then counts as 0,
 * and the rest as none.
 * @param[in] ctx borrowed: its threads do the work
 * @param[in] topk borrowed
 * @param[in] rows borrowed: int64 [count], host: the pool row of each item
 * @param[in] count items, 0 or more
 * @param[in] out borrowed: the writers
 * @return ALCORE_OK, ALCORE_E_INVALID (nnll or logprobs are wanted without `logprobs`, other
 *   columns without `top`; ids without top_ids; length_count without lengths), ALCORE_E_PARAM
 *   (rest, classes), ALCORE_E_SHAPE (an array, its lengths or a writer), ALCORE_E_DATA
 *   (names row and token: see above; a margin is wanted of a token with one class in `top` and mass
 *   left), ALCORE_E_UNSUPPORTED (an array on a device), what
 *   alcore_column_writer_put() returns, ALCORE_E_STRUCT_*, ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe Calls on the same writers take turns at the end.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_logits_put_topk(alcore_ctx *ctx, const alcore_topk *topk,
                                                const int64_t *rows, int64_t count,
                                                const alcore_logits_writers *out);

/** Makes embeddings for tasks that label words, such as named entities: the mean over the words of
 * a row of the hidden state of each word's first token (sub-word). Sums are in double, in the order
 * of the tokens. Special tokens and padding are left out by having no word, so that a padded array
 * [rows, length, dims] is given as [rows * length, dims] with the offsets 0, length, 2 length, ...
 * A folder's model does the same with ALCORE_POOLING_WORDS. Source: docs/spec/multilingual.md 7.2.
 * @param[in] ctx borrowed: its threads do the work
 * @param[in] hidden borrowed: float16|bfloat16|float32|float64 [tokens, dims], host, of any layer
 * @param[in] words borrowed: which tokens begin a word, [tokens], host: uint8, not 0 for these; or
 *   int32|int64, the number of each token's word, where a token begins one whose number differs
 *   from that of the token before it in its row; negative: no word
 * @param[in] offsets borrowed: int64 [rows + 1], host: row i has the tokens offsets[i] to
 *   offsets[i + 1] - 1, as alcore_tokens_get() gives them
 * @param[in,out] out borrowed; filled: float32|float64 [rows, dims], host, contiguous; NaN in rows
 *   without a word, which a selection with nan=exclude leaves out; anything after a failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (names the array; of the offsets the row),
 *   ALCORE_E_UNSUPPORTED (an array on a device), ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_hidden_average_words(alcore_ctx *ctx, const alcore_tensor *hidden,
                                                     const alcore_tensor *words,
                                                     const alcore_tensor *offsets,
                                                     const alcore_tensor *out);

ALCORE_END

#endif
