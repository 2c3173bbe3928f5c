/* SPDX-License-Identifier: Apache-2.0 */
/* A family of models: the names of its tensors and keys, and its settings (torch_table.cpp). */
#ifndef ALCORE__TORCH_FAMILY_H
#define ALCORE__TORCH_FAMILY_H

#include <span>

#include "torch_parts.h"

namespace alcore_torch {

/* Where the tensors of a stack lie: names below the stack's own prefix; NULL: it has none. */
struct StackNames {
    const char *prefix;     /* "encoder." */
    const char *words;      /* token embeddings, below the family's prefix */
    const char *positions;  /* table of learned positions */
    const char *types;      /* embeddings of the parts of a pair */
    const char *embed_norm; /* norm of the sum of embeddings */
    const char *mapping;    /* projection of narrower embeddings */
    const char *block;      /* "layer.%d." */
    const char *self[4];    /* query, key, value, output */
    const char *self_norm;
    const char *cross[4]; /* the same of the attention to the encoder */
    const char *cross_norm;
    const char *up, *gate, *down; /* of the feed-forward net */
    const char *ffn_norm;
    const char *final_norm;
    const char *relative; /* table of relative positions, in block 0 */
};

/* Keys of config.json of a stack: the number of blocks, of heads, and the width of the feed-forward
 * net. */
struct StackKeys {
    const char *layers, *heads, *ffn;
};

/* One family. A string that is NULL says that the family has no such key or tensor. Keys are those
 * of config.json, other names are those of tensors. */
struct Family {
    const char *model_type;
    const char *prefix; /* "bert.", of all tensors */
    StackKeys encoder_keys, decoder_keys;
    const char *dims_key, *activation_key, *epsilon_key, *dropout_key;
    StackNames encoder, decoder; /* decoder.block NULL: an encoder alone */
    Positions positions;
    int64_t position_base; /* -1: one past pad_token_id (RoBERTa) */
    /* pre_norm: as in Stack; rms: norms are RMSNorm; scaled_embeddings: config.json may have the
     * key scale_embedding */
    bool pre_norm, rms, scaled_embeddings;
    const char *pooler;
    const char *class_dense, *class_out, *token_out; /* heads over texts and over tokens */
    bool class_pooled; /* the head over texts reads the pooler's output */
    Activation class_activation;
    const char *words_dense, *words_norm, *words_out, *words_bias; /* masked-LM head */
};

/* All families (torch_table.cpp). */
std::span<const Family> families();

} // namespace alcore_torch

#endif
