/* SPDX-License-Identifier: Apache-2.0 */
/* Training of LoRA adapters (Hu et al. 2022): of a matrix W [out, in] of a block only two factors
 * of what is added to it are trained,
 *
 *     y = x W^T + scale (drop(x) A^T) B^T      A [r, in], B [out, r], scale alpha / r
 *
 * and of the table of words W [words, width], where nothing else is computed with it,
 *
 *     row w = W[w] + scale A[., w]^T B^T       A [r, words], B [width, r]
 *
 * Words of this file: a module is a matrix under the name that transformers has for it, such as
 * "model.layers.0.self_attn.q_proj".
 *
 * Outside of a training the change scale B A is part of the model's weights, as Adapter merges it
 * when a folder is opened, so that all other calls know nothing of adapters. For a training the
 * weights are those of the base again, and the matrices of blocks have their factors beside them.
 * Cost: two products of the width r a matrix in place of the product that makes the gradient of W,
 * and 16 bytes for each number of A and B in place of each of W. */
#ifndef ALCORE__TORCH_LORA_H
#define ALCORE__TORCH_LORA_H

#include "torch_train.h"

namespace alcore_torch {

/* What is added to the product with one matrix of the model, of whose rows several modules may have
 * a part. */
struct LowRank {
    struct Part {
        int64_t row, rows; /* of the matrix */
        at::Tensor a, b;   /* [r, in], [rows, r] */
        double scale;
    };
    std::vector<Part> parts; /* by their rows, which do not overlap */
    int64_t rows;            /* of the matrix */
    /* What is added, [n, rows], to the product of x [n, in]; drop: of the input of each part. */
    at::Tensor product(const at::Tensor &x, const Drop &drop) const;
};

/* What is added to the rows of a table. */
struct LowRankTable {
    at::Tensor a, b; /* [r, words], [width, r] */
    double scale;
    /* Of the rows ids [n], [n, width]; the column `padding` of A gets no gradient. */
    at::Tensor rows(const at::Tensor &ids, int64_t padding) const;
};

/* An adapter that is trained, or was. */
struct Lora {
    struct Factors {
        std::string module;
        size_t stored; /* index in Model::stored of the matrix */
        at::Tensor a, b;
        double scale;
        bool table; /* of words */
        /* Their names in files of PEFT. */
        std::string name_a() const {
            return module + (table ? ".lora_embedding_A" : ".lora_A.weight");
        }
        std::string name_b() const {
            return module + (table ? ".lora_embedding_B" : ".lora_B.weight");
        }
    };
    Json config; /* adapter_config.json, as it is written */
    std::vector<Factors> factors;
    /* Tensors of modules_to_save: their names, and indices in Model::stored. */
    std::vector<std::pair<std::string, size_t>> whole;
};

/* An adapter beside the weights of a model, for a training of it, at whose end merge_factors() is
 * called. */
class LoraTraining {
  public:
    /* how: checked, but for what is of adapters. The adapter is the one that the model was opened
     * with, or trained before; else a new one, drawn from the seed and the names of modules as PEFT
     * has it: A is uniform in +-1 / sqrt(in) and B 0; of a table A is 0 and B normal. Throws with
     * the model as it was. */
    LoraTraining(Model &model, const alcore_sys_model_training &how);
    ~LoraTraining();
    LoraTraining(const LoraTraining &) = delete;
    LoraTraining &operator=(const LoraTraining &) = delete;
    /* The factors, and the tensors of modules_to_save. */
    std::vector<Parameter> parameters() const;
    /* How many numbers the factors have. */
    int64_t factors_size() const;
    const std::shared_ptr<Lora> &lora() const { return lora_; }

  private:
    void separate();
    Model &model_;
    std::shared_ptr<Lora> lora_;
};

/* Merges the factors that stand beside the weights of a model into these. What was not merged when
 * it throws is still added to products. */
void merge_factors(Model &model);
/* Writes the adapter of a model as a folder of PEFT. */
void save_lora(const Model &model, const std::string &folder);
/* What a checkpoint says of the adapter that is trained: all that its result depends on. */
std::string lora_settings(const Lora &lora);

} // namespace alcore_torch

#endif
