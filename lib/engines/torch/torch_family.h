/* SPDX-License-Identifier: Apache-2.0 */
/* A family of models: the names of its tensors and keys, and its settings (torch_table.cpp). */
#ifndef ALCORE__TORCH_FAMILY_H
#define ALCORE__TORCH_FAMILY_H

#include <span>

#include "torch_parts.h"

namespace alcore_torch {

/* Where the tensors of a stack lie: names below the stack's own prefix; NULL: it has none. */
struct StackNames {
    const char *prefix = nullptr;     /* "encoder." */
    const char *words = nullptr;      /* token embeddings, below the family's prefix */
    const char *positions = nullptr;  /* table of learned positions */
    const char *types = nullptr;      /* embeddings of the parts of a pair */
    const char *embed_norm = nullptr; /* norm of the sum of embeddings */
    const char *mapping = nullptr;    /* projection of narrower embeddings */
    const char *block = nullptr;      /* "layer.%d." */
    const char *self[4] = {};         /* query, key, value, output */
    const char *self_norm = nullptr;
    const char *cross[4] = {}; /* the same of the attention to the encoder */
    const char *cross_norm = nullptr;
    const char *up = nullptr, *gate = nullptr, *down = nullptr; /* of the feed-forward net */
    const char *ffn_norm = nullptr;
    const char *final_norm = nullptr;
    const char *relative = nullptr; /* table of relative positions, which all blocks share */
};

/* Keys of config.json of a stack: the number of blocks, of heads, and the width of the feed-forward
 * net. */
struct StackKeys {
    const char *layers = nullptr, *heads = nullptr, *ffn = nullptr;
};

/* Which blocks of a language model attend within a window: none, all, those from max_window_layers
 * on where use_sliding_window is true, or all but each sixth; the last two where layer_types does
 * not say it. */
enum class Windows { None, All, Switched, Pattern };

/* What the families of decoder-only language models differ in (torch_language.cpp). */
struct Language {
    Windows windows = Windows::None;
    /* Keys of config.json by which all projections of an attention, and those of a feed-forward
     * net, have a bias; NULL: none has. biased_inputs: query, key and value have one always. */
    const char *bias_key = nullptr, *mlp_bias_key = nullptr;
    bool biased_inputs = false;
    bool head_norms = false; /* queries and keys are normed head by head */
    bool gemma = false;      /* norms behind each part, factors 1 + weight, scaled embeddings */
    int64_t head = 0;        /* components of a head without head_dim; 0: hidden_size / heads */
    bool ties = false;       /* output and embeddings are one where config.json does not say it */
};
struct Builder;

/* One family. A string that is NULL says that the family has no such key or tensor. Keys are those
 * of config.json, other names are those of tensors. */
struct Family {
    const char *model_type = nullptr;
    const char *prefix = nullptr; /* "bert.", of all tensors */
    StackKeys encoder_keys = {}, decoder_keys = {};
    const char *dims_key = nullptr, *activation_key = nullptr, *epsilon_key = nullptr,
               *dropout_key = nullptr;
    StackNames encoder = {}, decoder = {}; /* decoder.block NULL: an encoder alone */
    Positions positions = Positions::None;
    int64_t position_base = 0; /* -1: one past pad_token_id (RoBERTa) */
    /* pre_norm: as in Stack; rms: norms are RMSNorm; scaled_embeddings: config.json may have the
     * key scale_embedding */
    bool pre_norm = false, rms = false, scaled_embeddings = false;
    const char *pooler = nullptr;
    /* heads over texts and over tokens */
    const char *class_dense = nullptr, *class_out = nullptr, *token_out = nullptr;
    bool class_pooled = false; /* the head over texts reads the pooler's output */
    Activation class_activation = Activation::Tanh;
    /* masked-LM head */
    const char *words_dense = nullptr, *words_norm = nullptr, *words_out = nullptr,
               *words_bias = nullptr;
    bool words_gelu = false;           /* its activation is GELU, whatever that of the stack is */
    bool class_dropped_before = false; /* dropout before both layers of the head over texts */
    /* Where config.json does not have it: the epsilon of norms. */
    double epsilon = 1e-12;
    /* max_position_embeddings counts the rows of the table before position_base too (MPNet). */
    bool base_counted = false;
    /* Relative positions that are no setting: buckets, and the distance of the last (MPNet). */
    int64_t buckets = 0, bucket_distance = 0;
    const char *groups_key = nullptr;      /* number of different blocks, which neighbors share */
    bool mapped_if_narrower = false;       /* without a mapping where embeddings are as wide */
    bool ffn_dropped = true;               /* the output of the feed-forward net has dropout */
    std::optional<Language> language = {}; /* of a decoder-only language model */
    /* Of encoders that build_stack() and build_head() are not enough for: what reads the stack, and
     * what the head (torch_modern.cpp, torch_deberta.cpp); NULL: those. */
    Stack (*own_stack)(Builder &build) = nullptr;
    void (*own_head)(Builder &build, const std::string &architecture) = nullptr;
};

/* All families (torch_table.cpp). */
std::span<const Family> families();

} // namespace alcore_torch

#endif
