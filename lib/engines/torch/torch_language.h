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

/* What the model reads of some items of a call, and which of its tokens are scored
 * (torch_language_scores.cpp): those of target i behind the tokens of source i, and of the first
 * token of generation.ends where it does not end with one of them; without targets those of each
 * text, of which the first one stands behind model.start. */
struct LanguageBatch {
    Packed read;
    at::Tensor rows;             /* int64 [scored tokens] rows of read behind which they stand */
    at::Tensor labels;           /* int64 [scored tokens] their ids */
    std::vector<int64_t> scored; /* [items] how many each item has */
};
LanguageBatch language_batch(const Model &model, const alcore_sys_model_texts &sources,
                             const alcore_sys_model_texts *targets,
                             const std::vector<int64_t> &items, int64_t shared = 0);
/* How many tokens all sources of a call begin with, which are read once for a batch (`shared` of
 * language_batch() and of Packed); 0: too few to be worth it, or a rest that is too long. Each
 * source has one more. behind: the most tokens that are read behind a source in one row. */
int64_t shared_beginning(const alcore_sys_model_texts &sources, int64_t behind);
/* The tokens that the model reads of an item. */
int64_t language_length(const Model &model, const alcore_sys_model_texts &sources,
                        const alcore_sys_model_texts *targets, int64_t item);
/* Fails where items have ids that the vocabulary does not have, or are too long. */
void check_language(const Model &model, const alcore_sys_model_texts &sources,
                    const alcore_sys_model_texts *targets);

/* Passes the log-probabilities of tokens to the sink (torch_language_scores.cpp). A text
 * that begins with model.start has no value for it. */
void score_language(Model &model, const alcore_sys_model_texts &sources,
                    const alcore_sys_model_texts *targets, const alcore_sys_model_scoring *scoring,
                    const alcore_sys_model_sink &sink);

/* Passes to the sink, for each source, the log-probabilities of the tokens of all targets, one
 * behind the other, each target behind that source, without an end (torch_choices.cpp). */
void score_choices(Model &model, const alcore_sys_model_texts &sources,
                   const alcore_sys_model_texts &targets, const alcore_sys_model_scoring &scoring,
                   const alcore_sys_model_sink &sink);
/* Refuses scores with dropout. */
void refuse_dropout(const Model &model, const alcore_sys_model_scoring *scoring);
/* Refuses ids that the vocabulary does not have. */
void check_language_texts(const Model &model, const alcore_sys_model_texts &texts);

} // namespace alcore_torch

#endif
