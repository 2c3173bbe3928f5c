/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of given tokens, from hidden states and the output matrix
 * (torch_output.cpp). */
#ifndef ALCORE__TORCH_OUTPUT_H
#define ALCORE__TORCH_OUTPUT_H

#include "torch_parts.h"

namespace alcore_torch {

/* The kernels that the library has for the model's device and that compute token statistics; NULL:
 * there are none, or the library is older than this question. */
const alcore_sys_kernels *find_kernels(const Model &model, const alcore_sys_model_options &options);

/* Scores of labels, float [labels], as LabelScores gives them, computed by torch. input [rows,
 * dims]: hidden states that the output matrix multiplies; the logits of a row are computed once,
 * however many labels it has. labels [labels], int64: those of the first row, then those of the
 * second, and so on; counts [rows]: how many each row has; empty: one each. */
at::Tensor score_by_torch(const Model &model, const at::Tensor &input, const at::Tensor &labels,
                          const std::vector<int64_t> &counts = {});

/* The scores of one call, whose items come in batches. */
class LabelScores {
  public:
    /* Receives the scores of some items of the call: float [tokens], natural logarithms of at most
     * 0, NaN where the logits of a token are no numbers; lengths [items]. */
    using Receiver = std::function<void(const std::vector<int64_t> &items, const at::Tensor &values,
                                        const std::vector<int64_t> &lengths)>;
    /* tokens: that the call scores, or somewhat more. The model is borrowed. */
    LabelScores(const Model &model, int64_t tokens, Receiver receiver);
    /* Whether the output matrix is read as it is, so that it must not be packed. */
    bool reads_plain_weights() const { return by_kernel_; }
    /* Adds items: hidden states [tokens, dims], and the tokens, int64 [tokens], whose scores are
     * wanted; lengths [items] how many of them each item has. Throws when cancelled. */
    void add(const std::vector<int64_t> &items, const std::vector<int64_t> &lengths,
             const at::Tensor &hidden, const at::Tensor &labels);
    /* Scores what is left; called once, after the last item. */
    void finish();

  private:
    const Model &model_;
    Receiver receiver_;
    bool by_kernel_;
    int64_t group_; /* tokens that are scored together, in whole batches */
    /* What was added since the last group: items and their lengths, and batch by batch the input of
     * the output matrix [tokens, dims] and the labels [tokens]; tokens_ in all. */
    std::vector<int64_t> items_, lengths_;
    std::vector<at::Tensor> inputs_, labels_;
    int64_t tokens_ = 0;
};

} // namespace alcore_torch

#endif
