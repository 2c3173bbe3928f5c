/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions that turn a folder into a model share: its config.json, its tensors, and the
 * model that they fill (torch_family.cpp the stacks, torch_family_heads.cpp the heads). */
#ifndef ALCORE__TORCH_BUILDER_H
#define ALCORE__TORCH_BUILDER_H

#include "torch_adapter.h"
#include "torch_family.h"
#include "torch_keys.h"

namespace alcore_torch {

/* Members that read a tensor convert it to the model's dtype and device, and list it in
 * model.stored. */
struct Builder {
    const Host &host;
    const std::string &folder;
    const Keys config; /* of config.json */
    const Family &family;
    Weights &weights;
    Model &model;
    Adapter *adapter = nullptr; /* what is added to tensors while they are read; or none */
    /* A tensor that the adapter changed. */
    struct Adapted {
        at::Tensor value;
        bool whole; /* it holds the tensor, and adds nothing to it */
    };
    std::vector<Adapted> adapted = {};

    /* An integer of config.json that must be there, 1 to `most`. */
    int64_t size(const char *key, int64_t most = int64_t{1} << 24) const;
    /* The name under which the file, or the adapter, holds a tensor; empty: none does. In old files
     * of BERT LayerNorm.weight is LayerNorm.gamma, and LayerNorm.bias LayerNorm.beta. */
    std::string find(const std::string &name) const;
    /* Reads a tensor, and adds it to the model's hash and number of parameters. into: rows of
     * another tensor that it is read into, on the CPU. */
    at::Tensor read(const std::string &name, const std::vector<int64_t> &shape,
                    const at::Tensor &into = {});
    /* Reads a table [rows, width] whose number of rows, less `more`, is what config.json says under
     * `key`, where it has that key. width -1: any. */
    at::Tensor table(const std::string &name, const char *key, int64_t more, int64_t width);
    /* value, the tensor that was just read, or `other` in its place where both are equal (in their
     * files, without what an adapter adds) and config.json ties them: then training must change one
     * matrix for both, so that the one just read is removed from model.stored (its values stay in
     * model.weights_hash). */
    at::Tensor tied(const at::Tensor &value, const at::Tensor &other);
    /* Of a language model whose output is the table of words: the table, or a matrix of its own
     * where the adapter changes one of both, which PEFT trains as two. */
    at::Tensor shared(const std::string &name, const at::Tensor &words);
    /* Whether the adapter of a language model makes the same change to both, which stay one. */
    bool changes_alike(const std::string &name, const at::Tensor &words);
    bool is_adapted(const at::Tensor &value) const;
    /* Whether config.json ties the output matrix to the embeddings; that of RemBERT and of most
     * language models does not by default. */
    bool ties() const;
    /* Reads a tensor that may be missing; undefined then, and model.stored is as before. */
    at::Tensor read_if(const std::string &name, const std::vector<int64_t> &shape);
    /* Reads NAME.bias, [size]. Only T5's kin, whose norms have none, may lack it: with zeros in its
     * place a damaged file would give other numbers in silence. */
    at::Tensor bias(const std::string &name, int64_t size);
    /* Reads NAME.weight, [out, in], where -1 stands for any size, and NAME.bias. */
    Linear linear(const std::string &name, int64_t out, int64_t in);
    Norm norm(const std::string &name, int64_t dims, double epsilon);
    /* The same where config.json says whether there is a bias. */
    Linear linear(const std::string &name, int64_t out, int64_t in, bool biased);
    Norm norm(const std::string &name, int64_t dims, double epsilon, bool biased, bool rms = false);
    /* Several projections of one input, each [out, in], as one matrix [names x out, in]. */
    Linear joined(const std::vector<std::string> &names, int64_t out, int64_t in);
    /* The matrices alone, of as many rows as `outs` has, in the same way, and their biases. */
    Linear joined(const std::vector<std::string> &names, const std::vector<int64_t> &outs,
                  int64_t in, bool biased);
    /* The rows of several tensors that were just read as one tensor. Their entries of model.stored
     * then view their rows of it, and share it as `whole`, by which training knows one parameter.
     */
    at::Tensor joined(const std::vector<at::Tensor> &parts);
    /* The epsilon of norms: that of config.json, else the one that the family has. */
    double epsilon() const;
    /* A probability of dropout under `key`, 0 or more and below 1. */
    double dropout(const char *key, double otherwise) const;
    bool is(const char *model_type) const;
    /* Fails where the adapter has a tensor that was not read, or changes a matrix that the model,
     * which is no language model, uses in two places: PEFT itself changes one of them before
     * merging, and both after. */
    void check_adapter() const;
};

/* Several matrices as the rows of one. On the CPU they are read into it, so that no more memory is
 * needed than for that; their entries of model.stored are as of Builder::joined(). */
class JoinedRows {
  public:
    JoinedRows(Builder &build, int64_t rows, int64_t columns);
    /* Reads the matrix `name`, [rows, columns], into the next rows. */
    void read(const std::string &name, int64_t rows);
    /* The matrices that were read, one below the other. */
    at::Tensor whole();

  private:
    Builder &build_;
    int64_t columns_, row_ = 0;
    at::Tensor whole_; /* undefined on other devices, where parts_ are joined */
    std::vector<at::Tensor> parts_;
};

/* The activation that config.json names under `key`. */
Activation activation_of(const Builder &build, const char *key, const std::string &name);

/* Reads the settings and tensors of a stack, the encoder first, as a decoder may share its
 * embeddings. names and keys: those of the family for this stack. A decoder whose number of blocks
 * is missing has as many as T5's encoder (num_layers). */
Stack build_stack(Builder &build, const StackNames &names, const StackKeys &keys, bool decoder);

/* Whether text ends in `end`. */
bool ends_with(const std::string &text, const char *end);

/* ---- torch_family_heads.cpp ---- */

/* Reads the pooler, if there is one, and the head that the folder's architecture
 * ("BertForMaskedLM") names by its end; another name, or none, leaves Head::None: embeddings only.
 * The encoder was built, and model.vocabulary is set. */
void build_head(Builder &build, const std::string &architecture);
/* Marks the model as one whose head over texts has been read: the meaning of its outputs. */
void finish_classes(Builder &build);
/* The output matrix under the name `name`, [vocabulary, width], or the embeddings in its place
 * where config.json ties both and the file has no other one. */
at::Tensor output_matrix(Builder &build, const std::string &name, const at::Tensor &words,
                         int64_t width);
/* The number of classes and their names, of a head over texts or tokens that has been read. */
void count_classes(Builder &build);

/* ---- torch_modern.cpp and torch_deberta.cpp: Family::own_stack and own_head ---- */

Stack build_modernbert(Builder &build);
void build_modernbert_head(Builder &build, const std::string &architecture);
Stack build_eurobert(Builder &build);
void build_eurobert_head(Builder &build, const std::string &architecture);
Stack build_nomic_bert(Builder &build);
Stack build_deberta(Builder &build);
void build_deberta_head(Builder &build, const std::string &architecture);

/* Reads decoder, output matrix (that of the embeddings where config.json ties them) and settings of
 * decoding of a family with a decoder. The encoder was built. The bias of the output, if there is
 * one, is the last tensor read, and so the last of model.stored; transformers does not train it. */
void build_seq2seq(Builder &build);

/* Reads the settings of decoding (torch_generation.cpp). The vocabulary was set. */
void build_generation(Builder &build);

} // namespace alcore_torch

#endif
