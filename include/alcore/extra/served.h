/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Models that are served elsewhere: columns from the answers of a server that speaks OpenAI's
 * protocol (vLLM, llama.cpp's server, SGLang), which were kept as a file. */
#ifndef ALCORE_EXTRA_SERVED_H
#define ALCORE_EXTRA_SERVED_H

#include "alcore/logits.h"
#include "alcore/pool.h"

ALCORE_BEGIN

/** Which rows the answers are of, and what bounds their entropies. Zero means default everywhere.
 */
typedef struct alcore_served_options {
    size_t size; /**< sizeof(alcore_served_options) */
    /** Borrowed: [row_count] pool row of each answer that says no custom_id, each once; an "index"
     * counts these, too. NULL: answer i is of row i */
    const int64_t *rows;
    int64_t row_count; /**< entries of rows; 0 with NULL */
    int64_t classes;   /**< tokens of the model's vocabulary; 0: not known */
    int32_t rest;      /**< ALCORE_REST_*, for entropies; 0: ALCORE_REST_ONE_CLASS */
    int32_t reserved;  /**< pads: 0, checked */
} alcore_served_options;
/** An alcore_served_options with its size set and everything else 0. */
#define ALCORE_SERVED_OPTIONS_INIT ALCORE_INIT(alcore_served_options)

/** Puts what the answers of a file say into columns, as alcore_logits_put_topk() does. A line is
 * the JSON of an answer, as it came, or a line of a batch file, which names the row by its id:
 *
 *     {"choices": [{"logprobs": {"content": [{"token": "a", "logprob": -0.1, "top_logprobs": ...
 *     {"custom_id": "r1", "response": {"status_code": 200, "body": {"choices": [{"logprobs": ...
 *
 * Read are the lists "content" of chats and "token_logprobs" and "top_logprobs" of completions,
 * and where an answer has neither vLLM's "prompt_logprobs". The first token of a prompt, whose
 * log-probability is null, is left out. Of several choices of an answer that names its row the
 * first counts. docs/served.md says what each server writes.
 *
 * A token that is the least likely one of its list may stand there beside the likeliest classes, or
 * in the place of one, as some servers write it: it counts as one of them only where the other
 * lists of the answer show it. Two classes may have become one where a server names them by texts
 * of which one is U+FFFD, or where a list is shorter than others: margins and confidences of such
 * an answer are refused.
 * @param[in] pool borrowed: its rows are what ids name; it may be read meanwhile
 * @param[in] path borrowed; compressed or not, "-" is standard input
 * @param[in] options borrowed; NULL: defaults
 * @param[in] out borrowed: the writers, of columns of this pool; each row is put once
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (rest, classes), ALCORE_E_IO, ALCORE_E_DATA
 *   (names file and line: no JSON, an error of the server, an answer without log-probabilities or
 *   in parts, several choices of unnamed rows, a row given twice, numbers that no model can give,
 *   with the token), ALCORE_E_SHAPE (more answers than rows; a writer), ALCORE_E_NOT_FOUND (an id;
 *   a row of options), what alcore_column_writer_put() returns, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_served_read(const alcore_pool *pool, const char *path,
                                            const alcore_served_options *options,
                                            const alcore_logits_writers *out);

ALCORE_END

#endif
