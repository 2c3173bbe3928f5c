/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of the module's table share (torch_call.cpp), and those that compute: embeddings
 * and heads (torch_heads.cpp), scores and outputs (torch_scoring.cpp).
 *
 * Calls over many texts sort them by length, cut the sorted list into batches by a budget of
 * tokens, and pass each item's result to the sink with the item's number in the call. */
#ifndef ALCORE__TORCH_CALL_H
#define ALCORE__TORCH_CALL_H

#include "torch_parts.h"

/* The handle of the C interface is the model itself. */
struct alcore_sys_model : alcore_torch::Model {};

namespace alcore_torch {

/* guard() for calls on a model, which compute unless they say otherwise. */
alcore_status guard(const Model *model, const Borrowed &body, Mode mode = Mode::Compute) noexcept;

/* Items of one pass, by their numbers in the call, sorted by length, and their tokens. */
struct Batch {
    std::vector<int64_t> items;
    Packed packed;
};

/* Tokens of all texts of a call; texts were checked. */
int64_t all_tokens(const alcore_sys_model_texts &texts);

/* for_batches() (torch_batch.cpp) for calls that read texts without targets: body(batch), the
 * longest texts first. The encoder's weights are packed where there are several batches. cost: of
 * an item, in tokens; its own where it is not given. */
void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<int64_t(int64_t)> &cost,
               const std::function<void(const Batch &)> &body);
void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<void(const Batch &)> &body);

/* Passes float values of items (numbers in the call) to the sink, which copies them: values [items,
 * ...] with lengths NULL, or [tokens, ...] with lengths [items], the tokens of each. */
void give(const alcore_sys_model_sink &sink, const std::vector<int64_t> &items,
          const at::Tensor &values, const std::vector<int64_t> *lengths);

/* Fails where a value of an item is no finite number, as weights that are NaN, or an overflow of
 * float16, make it. values and lengths: as of give(). */
void expect_numbers(const Model &model, const std::vector<int64_t> &items, const at::Tensor &values,
                    const std::vector<int64_t> *lengths);

/* The rows, int64, of those packed tokens of a batch for which wanted(item, token) is true. item is
 * the number of the item in the call, token the index of the token in texts.ids. lengths: out,
 * empty before, [items of the batch] how many each item has. */
at::Tensor some_tokens(const alcore_sys_model_texts &texts, const Batch &batch,
                       const std::function<bool(int64_t, int64_t)> &wanted,
                       std::vector<int64_t> &lengths);

/* Fails unless the model has the head of a call; call: its name for the message. */
void need_head(const Model &model, Head head, const char *call);

/* ---- entries of the table, under its names ---- */

alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                    const alcore_sys_model_sink *sink);
alcore_status class_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink);
alcore_status token_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink);
alcore_status qa_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                       const alcore_sys_model_sink *sink);
alcore_status mlm_losses(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                         const alcore_sys_model_scoring *scoring,
                         const alcore_sys_model_sink *sink);
alcore_status token_logprobs(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                             const alcore_sys_model_texts *targets,
                             const alcore_sys_model_scoring *scoring,
                             const alcore_sys_model_sink *sink);
alcore_status translate(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                        const alcore_sys_model_decoding *decoding,
                        const alcore_sys_model_sink *sink);

} // namespace alcore_torch

#endif
