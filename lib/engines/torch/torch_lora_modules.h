/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of a model that adapters are trained of (torch_lora_modules.cpp): what they are
 * called in transformers, and which ones are chosen. Numbers of matrices are indices in
 * Model::stored, ascending. */
#ifndef ALCORE__TORCH_LORA_MODULES_H
#define ALCORE__TORCH_LORA_MODULES_H

#include "torch_linear.h"

namespace alcore_torch {

std::vector<Stack *> stacks_of(Model &model);
/* Calls body(linear) for the matrices of all blocks. */
template <class Body> void for_matrices(Model &model, const Body &body) {
    for (Stack *stack : stacks_of(model))
        for (Block &block : stack->blocks)
            for (Linear *linear : matrices_of(block))
                if (linear->weight.defined()) body(*linear);
}

/* The tensors that are rows of a matrix, by their rows. */
std::vector<size_t> rows_of(const Model &model, const at::Tensor &matrix);
/* The module of a tensor NAME.weight of a block, which files of a bare encoder name without the
 * prefix of its family. */
std::string module_of(const Model &model, const Stored &stored);
/* The matrices of blocks. */
std::vector<size_t> block_matrices(Model &model);
/* In how many places a model computes with a matrix as embeddings of words or as its output. */
int places_of(const Model &model, const at::Tensor &matrix);
/* The table of words, where nothing else is computed with it; SIZE_MAX: both stacks share it, or
 * the output does. */
size_t words_alone(const Model &model);
/* The matrices that a list of names chooses as target_modules of PEFT does; without names the
 * projections of queries and values of all attentions, which PEFT chooses for the families that it
 * knows (those that are one tensor with that of keys are this tensor). What is chosen beside
 * matrices of blocks and words_alone() is refused: other embeddings, heads and outputs. */
std::vector<size_t> chosen_targets(Model &model, const char *list);
/* target_modules for the matrices: the last part of their names where that names no other tensor of
 * the model, else the whole name. */
Json written_targets(const Model &model, const std::vector<size_t> &targets);

} // namespace alcore_torch

#endif
