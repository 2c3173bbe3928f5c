/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of training share.
 *
 * A training is a sequence of updates; an update reads up to `accumulate` passes, each a batch of
 * whole examples of at most batch_tokens tokens, and changes the weights once. The loss of an
 * update is sum over its passes of w_i l_it / sum of w_i over examples i and their tokens t (a
 * classifier of texts: over examples), so that it does not depend on how the examples are cut into
 * passes. */
#ifndef ALCORE__TORCH_TRAIN_H
#define ALCORE__TORCH_TRAIN_H

#include <ATen/autocast_mode.h>

#include "torch_parts.h"

namespace alcore_torch {

/* While it lives, matrix products and attention of this thread on devices of this kind are computed
 * in dtype, by torch's autocast: weights and everything that is added up stay float32. float32: it
 * does nothing. Only around a forward pass; gradients are of the types that it left. */
class PrecisionScope {
  public:
    PrecisionScope(at::Device device, at::ScalarType dtype);
    ~PrecisionScope();
    PrecisionScope(const PrecisionScope &) = delete;
    PrecisionScope &operator=(const PrecisionScope &) = delete;

  private:
    bool active_, enabled_ = false, cached_ = false; /* enabled_, cached_: the settings before */
    at::DeviceType kind_;
    at::ScalarType before_ = at::kFloat;
};

/* A tensor that is trained, with the moments of its gradient. The projections of query, key and
 * value are one tensor. */
struct Parameter {
    std::string name; /* of the first tensor of the folder that it holds */
    at::Tensor value, first, second;
    bool decays; /* matrices do; biases and norms do not */
};

/* The progress of a training: `update` updates are finished, and pass number `pass` of epoch
 * `epoch` is read next. All three count from 0. */
struct Position {
    int64_t update = 0, epoch = 0, pass = 0;
    double loss = 0; /* of the last update */
    /* float16 alone: what losses are multiplied by, so that small gradients are no zeros. An
     * update whose gradient is not finite moves nothing and halves the scale; 2000 updates in a
     * row that moved (`steady`) double it. moved: updates that changed the weights. */
    double scale = 1;
    int64_t steady = 0, moved = 0;
};

/* The state of a training. */
struct Training {
    Model &model;
    alcore_sys_model_training how;    /* with all defaults filled in */
    std::shared_ptr<const Lora> lora; /* the adapter that is trained; NULL: the model is */
    std::vector<Parameter> parameters;
    Position at;
    Json checkpoint = nullptr; /* the manifest of the checkpoint that this training has read or
                                  written last; nullptr: none */
};

/* Sums of a pass: of weighted losses, and of weights. */
struct Sums {
    double loss = 0, weight = 0;
    int64_t tokens = 0; /* read, by encoder and decoder */
};

/* Adds the gradient of the sum of losses of some examples, times `scale`, to the gradients of all
 * parameters (torch_loss.cpp). seed: of dropout. Throws when cancelled; gradients are then
 * incomplete. */
Sums add_gradients(const Model &model, const alcore_sys_model_training &how,
                   const std::vector<int64_t> &examples, uint64_t seed, double scale);

/* torch's name of a type of alcore_sys_model_training.dtype. */
at::ScalarType products_type(const alcore_sys_model_training &how);

/* The passes of an epoch, each some examples (torch_train.cpp). */
std::vector<std::vector<int64_t>> passes_of(const alcore_sys_model_training &how, int64_t epoch);

/* Writes the state of a training to its checkpoint folder (torch_checkpoint.cpp), whole or not at
 * all: when the process ends while it writes, the folder has the previous checkpoint. */
void write_checkpoint(Training &training);
/* Sets weights, moments and progress to those of the folder's checkpoint; false: it has none.
 * A damaged checkpoint is passed over, with a warning, where the one before it is there. Throws,
 * with nothing changed, where both are damaged, or the last one was made with other settings, data
 * or model. */
bool read_checkpoint(Training &training);

} // namespace alcore_torch

#endif
