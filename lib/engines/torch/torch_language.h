/* SPDX-License-Identifier: Apache-2.0 */
/* Decoder-only language models: Llama and its kin (torch_language.cpp). */
#ifndef ALCORE__TORCH_LANGUAGE_H
#define ALCORE__TORCH_LANGUAGE_H

#include "torch_builder.h"

namespace alcore_torch {

/* Reads the stack of a family that has Family::language. */
Stack build_language_stack(Builder &build);
/* Reads the output matrix of a folder whose architecture ends in ForCausalLM; another one, or none,
 * leaves Head::None: embeddings only. The stack was built, and model.vocabulary is set. */
void build_language_head(Builder &build, const std::string &architecture);

/* Passes the log-probabilities of tokens to the sink (torch_language_scores.cpp). targets given:
 * those of target i behind the tokens of source i, and of the first token of generation.ends where
 * it does not end with one of them. NULL: those of each text, of which the first one stands behind
 * model.start; a text that begins with that token has no value for it. */
void score_language(Model &model, const alcore_sys_model_texts &sources,
                    const alcore_sys_model_texts *targets, const alcore_sys_model_scoring *scoring,
                    const alcore_sys_model_sink &sink);

} // namespace alcore_torch

#endif
