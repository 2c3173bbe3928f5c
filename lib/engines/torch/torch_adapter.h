/* SPDX-License-Identifier: Apache-2.0 */
/* A LoRA adapter (Hu et al. 2022) as a folder of PEFT, whose changes are added to the weights of
 * another folder while these are read: for a module with the weight W [out, in]
 *
 *     W + alpha / r  B A      A [r, in], B [out, r]; with use_rslora alpha / sqrt(r)
 *
 * and for a table of embeddings W [rows, dims] the transpose of the same, A [r, rows], B [dims, r].
 * With use_dora (Liu et al. 2024) each row of the sum, of a table each column, is then given the
 * length that lora_magnitude_vector has for it. Tensors that the adapter holds whole
 * (modules_to_save, biases) stand in place of those of the other folder. What PEFT has beside that
 * is refused by name. */
#ifndef ALCORE__TORCH_ADAPTER_H
#define ALCORE__TORCH_ADAPTER_H

#include <functional>
#include <set>

#include "torch_adapter_rules.h"

namespace alcore_torch {

class Adapter {
  public:
    /* Reads adapter_config.json and the headers of adapter_model.safetensors. */
    Adapter(const Host &host, const std::string &folder);
    /* Whether the adapter holds the tensor `name`, such as "classifier.weight", whole. Names are
     * those of the modules of transformers. */
    bool has(const std::string &name) const { return whole_.count(name) != 0; }
    /* Whether it adds to the tensor. */
    bool adds(const std::string &name) const { return deltas_.count(name) != 0; }
    /* Whether it adds to the tensor, or holds another one in its place as one of modules_to_save.
     */
    bool changes(const std::string &name) const;
    /* That tensor, of a shape as for Weights::read(). */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape);
    /* value, a tensor of the other folder on the CPU, with what the adapter adds to it: the sum of
     * both in float32, in the type of value. */
    at::Tensor add(const std::string &name, const at::Tensor &value);
    /* Whether the adapter adds the same to the output matrix as to the table of words, as with
     * ensure_weight_tying of PEFT; then the tensors of the matrix count as read. Fails where that
     * key is true and the factors differ. */
    bool adds_same(const std::string &table, const std::string &matrix);
    /* Fails where a tensor of the adapter was asked for by neither read() nor add(): the model that
     * was built has no place for it. has_weight: whether that model has the matrix of a module. */
    void check_used(const std::function<bool(const std::string &module)> &has_weight) const;
    /* Fails where adapter_config.json says that the file holds factors or the bias of the module
     * that has the tensor `name`, with the prefix or without it, and it does not. Only modules of
     * blocks are looked at: of others the folder may hold more than the class of the model has. */
    void expect(const std::string &name, const std::string &prefix) const;
    /* What task_type says that the adapted model is: the end of its class, such as
     * "ForSequenceClassification"; empty: nothing. */
    const std::string &head() const { return head_; }

    /* What a training goes on from. */
    struct Factors {
        std::string module;
        at::Tensor a, b;
        double scale; /* of b a */
        bool table;   /* of embeddings */
    };
    std::vector<Factors> factors();
    /* Names of the tensors of modules_to_save. */
    std::vector<std::string> saved() const { return {saved_.begin(), saved_.end()}; }
    /* A copy of adapter_config.json; fails where the adapter has what is not trained. */
    Json trained_config() const;

  private:
    struct Delta {
        std::string a, b;      /* names of both factors in the file; of a bias b alone */
        std::string magnitude; /* that of lora_magnitude_vector; empty: there is none */
        double scale = 0;      /* alpha / r or alpha / sqrt(r) */
        int64_t rank = 0;
        bool table = false; /* of embeddings: the transpose is added */
    };
    void find_factors(const std::string &name, const std::string &module, bool table);
    void find_bias(const std::string &name, const std::string &module);
    double rank_of(const std::string &module) const;
    double scale_of(const std::string &module) const;
    at::Tensor take(const std::string &name, const std::vector<int64_t> &shape);
    const std::string folder_, path_; /* path_: of adapter_config.json */
    const Json config_;
    const Keys keys_;
    const AdapterRules rules_;
    Weights weights_;
    std::map<std::string, std::string> whole_; /* name of a tensor -> its name in the file */
    std::map<std::string, Delta> deltas_;      /* by the name of the tensor, "NAME.weight" */
    std::set<std::string> saved_;              /* of whole_: those of modules_to_save */
    std::set<std::string> unused_;             /* names in the file that no one asked for yet */
    std::string head_;
};

} // namespace alcore_torch

#endif
