/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Translating: the outputs of a translation model for the texts of a pool. */
#ifndef ALCORE_EXTRA_TRANSLATING_H
#define ALCORE_EXTRA_TRANSLATING_H

#include "alcore/model.h"

ALCORE_BEGIN

/** How outputs are searched for. What is 0 or unset means the default. */
typedef struct alcore_translate_options {
    size_t size;           /**< sizeof(alcore_translate_options) */
    int64_t max_tokens;    /**< of an output, its end included; 0: what the folder says */
    double length_penalty; /**< scores of hypotheses are divided by tokens^length_penalty, from 0,
                                which divides by 1; unset: what the folder says */
    double temperature;    /**< of sampling, above 0: logits are divided by it; unset: what the
                                folder says, else 1 */
    uint64_t seed;         /**< of sampling; the draws of a row depend on it and on the row */
    int32_t beams;         /**< hypotheses kept, 1 (greedy) to 64; 0: what the folder says */
    int32_t sample;        /**< 1: draws tokens in place of searching; beams is not looked at */
    /** Borrowed. Language of the outputs, for models of several: "de_DE" of mBART, "de" of M2M100,
     * "deu_Latn" of NLLB; NULL: that of alcore_model_set_language(), else what the folder says */
    const char *language;
    int32_t best;     /**< outputs of each text, 1 to 64, and no more than beams; 0: 1 */
    int32_t reserved; /**< pads: 0, checked */
} alcore_translate_options;
/** An alcore_translate_options with its size set, length_penalty and temperature unset and
 * everything else 0. */
#define ALCORE_TRANSLATE_OPTIONS_INIT                                                              \
    ALCORE_INIT_2(alcore_translate_options, length_penalty, ALCORE_UNSET, temperature, ALCORE_UNSET)

/** Translates the texts of a pool: the best outputs of a seq2seq model, or of a language model,
 * which continues a text or its prompt, for each row. The answer is a pool with `best` rows for
 * each row, one after another and with its id: output k of row r, from 0 and the best first, is row
 * r * best + k. The texts are the outputs, the column "logprobs" has the natural log-probability of
 * each token of the output, its end included, and the column "output_scores" what outputs are
 * ranked by: the sum of the log-probabilities, divided by tokens^length_penalty, where a token that
 * the folder forces counts 0. Of equal scores the one that the search finished first is better.
 * Rows that are masked, and outputs that the search did not find, have an empty text, no token and
 * the score NaN.
 * @param[in] model borrowed
 * @param[in] pool borrowed; it may be read meanwhile
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model does not translate, or has
 * no tokenizer), ALCORE_E_PARAM (names an option out of bounds, or lists the languages that there
 * are), ALCORE_E_MISSING (names the first row without an output), ALCORE_E_DATA, ALCORE_E_NOMEM,
 * ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per model. ALCORE_E_BUSY while another call uses the model or changes the pool.
 * @callback the function of a host's model, progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_translate(alcore_model *model, alcore_pool *pool,
                                                const alcore_translate_options *options,
                                                alcore_pool **out);

/** Takes the outputs of a batch that a host's model translates, while that function runs. */
typedef struct alcore_outputs alcore_outputs;

/** Translates a batch: hands the outputs of each text to alcore_outputs_put(). Runs as
 * alcore_model_compute_function does (alcore/model.h).
 * @param[in] user the pointer of alcore_model_host
 * @param[in] batch borrowed: the rows to translate
 * @param[in] options borrowed: as the caller gave them, checked; `best` is 1 or more
 * @param[in,out] out borrowed: takes the outputs
 * @return ALCORE_OK or a failure (see alcore_error_set()), which ends the outer call; a positive
 *   number counts as ALCORE_E_CALLBACK
 * @since 1.0 */
typedef alcore_status (*alcore_translate_function)(void *user, const alcore_batch *batch,
                                                   const alcore_translate_options *options,
                                                   alcore_outputs *out);

/** Lets a host's model translate: the call of alcore_model_translate().
 * @param[in,out] model borrowed, changed: of alcore_model_new_host()
 * @param[in] translate kept; NULL: it translates no more
 * @return ALCORE_OK, ALCORE_E_INVALID (another model), ALCORE_E_BUSY
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_set_translate(alcore_model *model,
                                                    alcore_translate_function translate);

/** Puts an output of a text.
 * @param[in,out] outputs borrowed
 * @param[in] item number of the text in the batch, from 0
 * @param[in] rank of the output among those of its text, from 0, the best one; ranks from
 *   alcore_translate_options.best on are passed over, as is a second one of a rank. Rank 0 is
 *   needed of every text
 * @param[in] text borrowed: UTF-8, may be empty; NUL bytes become spaces
 * @param[in] length bytes of the text
 * @param[in] logprobs borrowed: [tokens] natural log-probability of each token of the output, its
 *   end included; NULL with tokens 0: not known
 * @param[in] tokens values of logprobs, 0 or more
 * @param[in] score what the outputs of a text are ranked by; NaN: the sum of the log-probabilities
 * @return ALCORE_OK, ALCORE_E_INVALID (no such item, a negative rank), ALCORE_E_DATA (names the
 *   row: a log-probability that is NaN or above 0), ALCORE_E_NOMEM
 * @since 1.0 */
ALCORE_API alcore_status alcore_outputs_put(alcore_outputs *outputs, int64_t item, int64_t rank,
                                            const char *text, size_t length, const float *logprobs,
                                            int64_t tokens, double score);

ALCORE_END

#endif
