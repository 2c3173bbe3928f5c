/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Prompting: language models that read prompts as turns of a chat, or classify texts by the words
 * behind a prompt, and how many texts a model cut.
 *
 * A prompt with places, and a chat template, stay whole: where the model reads fewer tokens than
 * they have with a text, that text alone is cut, at its end and between two characters, to the most
 * of its tokens that fit. Where a label or target follows, there is room for it; where an output
 * follows, a quarter of what the model reads is left to it. A prompt that leaves a text no room is
 * ALCORE_E_PARAM, with the row of the text and both numbers of tokens. */
#ifndef ALCORE_EXTRA_PROMPTING_H
#define ALCORE_EXTRA_PROMPTING_H

#include "alcore/model.h"

ALCORE_BEGIN

/** Lets a language model classify texts: sets its verbalizer (Schick and Schuetze, 2021), which has
 * a label, a word or several, for each class. The model must have been opened with a prompt that
 * has the place {source} or {text}. Its column "probs" is then
 *
 *     P(k | text) = exp(s_k) / sum over all j of exp(s_j),  s_k = sum over t of log p(t | prompt)
 *
 * with the tokens t of label k, each given the prompt and the tokens of the label before it. A
 * label is tokenized alone, without special tokens, and its spaces count: " yes" and "yes" differ.
 * Two labels differ where one has a token more. Where the tokens of a label begin those of another,
 * it never gets less than that one. Strategies that read probabilities, such as "entropy",
 * "margin", "lc" and "badge", run with the model then; alcore_model_info has the labels and their
 * number. Views of labels that were got before end with this call.
 * @param[in,out] model borrowed, changed
 * @param[in] labels borrowed: [label_count] UTF-8, NUL-terminated; NULL with label_count 0: no
 *   verbalizer
 * @param[in] label_count classes, 2 or more, in the order of the column; or 0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (no language model, or one without a
 *   tokenizer), ALCORE_E_PARAM (no prompt with a place for the text; one label; names a label that
 *   is empty, has no token or the tokenizer's unknown token, is no UTF-8 or has the tokens of
 *   another), ALCORE_E_BUSY, ALCORE_E_NOMEM
 * @serialized per model. ALCORE_E_BUSY while another call uses it.
 * @since 1.1 */
ALCORE_API alcore_status alcore_model_set_verbalizer(alcore_model *model, const char *const *labels,
                                                     int64_t label_count);

/** Lets a language model read its prompt as the turn of a user, written by the chat template of its
 * folder (chat_template.jinja, or chat_template of tokenizer_config.json) as apply_chat_template()
 * of transformers does with add_generation_prompt: a system turn where one is given, the prompt
 * around a text, and the beginning of the answer. Outputs and targets follow there, without special
 * tokens of the tokenizer's own. What is scored or learned behind a target is the token that the
 * template writes behind an answer, where it is one of eos_token_id, else the first of these. Of
 * the template a part of Jinja is read, which docs/models.md lists. The model must have been opened
 * with a prompt that has the place {source} or {text}.
 * @param[in,out] model borrowed, changed
 * @param[in] on 1: it does; 0: it reads the prompt as it is, as at first
 * @param[in] system borrowed: the text of the system turn, UTF-8; NULL: no such turn
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (no language model, a folder without a
 *   chat template, or one that needs what is not read: names it, with its line), ALCORE_E_DATA (the
 *   template is empty, malformed, raises an exception or does not write the text of the user; a
 *   later call that reads a text on which it raises one names the row), ALCORE_E_PARAM (on is not 0
 *   or 1; no prompt with a place for the text; system is no UTF-8), ALCORE_E_BUSY, ALCORE_E_NOMEM
 * @serialized per model. ALCORE_E_BUSY while another call uses it.
 * @since 1.1 */
ALCORE_API alcore_status alcore_model_set_chat(alcore_model *model, int32_t on, const char *system);

/** The number of texts that a model cut, as they have more tokens than it reads, in the last call
 * of alcore_model_run(), alcore_model_score() (where references count too) or
 * alcore_model_translate(). Of a call for several columns it is the number of the column for which
 * the most texts were cut. The log has it as well (WARN).
 * @param[in] model borrowed; NULL is allowed
 * @return texts; 0 for NULL, before any such call, and where the kind of model cuts none
 * @serialized per model
 * @since 1.1 */
ALCORE_API int64_t alcore_model_cut_count(const alcore_model *model);

ALCORE_END

#endif
