/* SPDX-License-Identifier: Apache-2.0 */
/* The families of models. Members of a row stand in the order of torch_family.h: most are strings
 * or NULL, so that a row has to be read beside that file. What several families share is a macro.
 */
#include "torch_family.h"

namespace alcore_torch {

#define BERT_BLOCK                                                                                 \
    "encoder.layer.%d.",                                                                           \
        {"attention.self.query", "attention.self.key", "attention.self.value",                     \
         "attention.output.dense"},                                                                \
        "attention.output.LayerNorm", {}, nullptr, "intermediate.dense", nullptr, "output.dense",  \
        "output.LayerNorm", nullptr, nullptr
#define BERT_EMBEDDINGS                                                                            \
    "embeddings.word_embeddings", "embeddings.position_embeddings",                                \
        "embeddings.token_type_embeddings", "embeddings.LayerNorm"
#define BERT_KEYS                                                                                  \
    { "num_hidden_layers", "num_attention_heads", "intermediate_size" }

#define BART_STACK(which, final_norm)                                                              \
    {                                                                                              \
        which, "shared", "embed_positions", nullptr, "layernorm_embedding", nullptr, "layers.%d.", \
            {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"},    \
            "self_attn_layer_norm",                                                                \
            {"encoder_attn.q_proj", "encoder_attn.k_proj", "encoder_attn.v_proj",                  \
             "encoder_attn.out_proj"},                                                             \
            "encoder_attn_layer_norm", "fc1", nullptr, "fc2", "final_layer_norm", final_norm,      \
            nullptr                                                                                \
    }
#define BART_FAMILY(type, positions, base, pre_norm, final_norm)                                   \
    {                                                                                              \
        type, "model.", {"encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"},          \
            {"decoder_layers", "decoder_attention_heads", "decoder_ffn_dim"}, "d_model",           \
            "activation_function", nullptr, "dropout", BART_STACK("encoder.", final_norm),         \
            BART_STACK("decoder.", final_norm), positions, base, pre_norm, false, true, nullptr,   \
            nullptr, nullptr, nullptr, false, Activation::Tanh, nullptr, nullptr, nullptr, nullptr \
    }
#define T5_STACK(which, ffn)                                                                       \
    {                                                                                              \
        which, "shared", nullptr, nullptr, nullptr, nullptr, "block.%d.",                          \
            {"layer.0.SelfAttention.q", "layer.0.SelfAttention.k", "layer.0.SelfAttention.v",      \
             "layer.0.SelfAttention.o"},                                                           \
            "layer.0.layer_norm",                                                                  \
            {"layer.1.EncDecAttention.q", "layer.1.EncDecAttention.k",                             \
             "layer.1.EncDecAttention.v", "layer.1.EncDecAttention.o"},                            \
            "layer.1.layer_norm", ffn "DenseReluDense.wi", ffn "DenseReluDense.wi_1",              \
            ffn "DenseReluDense.wo", ffn "layer_norm", "final_layer_norm",                         \
            "block.0.layer.0.SelfAttention.relative_attention_bias"                                \
    }
#define T5_FAMILY(type)                                                                            \
    {                                                                                              \
        type, "", {"num_layers", "num_heads", "d_ff"},                                             \
            {"num_decoder_layers", "num_heads", "d_ff"}, "d_model", nullptr, "layer_norm_epsilon", \
            "dropout_rate", T5_STACK("encoder.", "layer.1."), T5_STACK("decoder.", "layer.2."),    \
            Positions::Relative, 0, true, true, false, nullptr, nullptr, nullptr, nullptr, false,  \
            Activation::Tanh, nullptr, nullptr, nullptr, nullptr                                   \
    }
#define ROBERTA_FAMILY(type)                                                                       \
    {                                                                                              \
        type, "roberta.", BERT_KEYS, {}, "hidden_size", "hidden_act", "layer_norm_eps",            \
            "hidden_dropout_prob", {"", BERT_EMBEDDINGS, nullptr, BERT_BLOCK}, {},                 \
            Positions::Learned, -1, false, false, false, "pooler.dense", "classifier.dense",       \
            "classifier.out_proj", "classifier", false, Activation::Tanh, "lm_head.dense",         \
            "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias"                                \
    }

static const Family FAMILIES[] = {
    {"bert",
     "bert.",
     BERT_KEYS,
     {},
     "hidden_size",
     "hidden_act",
     "layer_norm_eps",
     "hidden_dropout_prob",
     {"", BERT_EMBEDDINGS, nullptr, BERT_BLOCK},
     {},
     Positions::Learned,
     0,
     false,
     false,
     false,
     "pooler.dense",
     nullptr,
     "classifier",
     "classifier",
     true,
     Activation::Tanh,
     "cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm",
     "cls.predictions.decoder",
     "cls.predictions.bias"},
    ROBERTA_FAMILY("roberta"),
    ROBERTA_FAMILY("xlm-roberta"),
    {"distilbert",
     "distilbert.",
     {"n_layers", "n_heads", "hidden_dim"},
     {},
     "dim",
     "activation",
     nullptr,
     "dropout",
     {"",
      "embeddings.word_embeddings",
      "embeddings.position_embeddings",
      nullptr,
      "embeddings.LayerNorm",
      nullptr,
      "transformer.layer.%d.",
      {"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"},
      "sa_layer_norm",
      {},
      nullptr,
      "ffn.lin1",
      nullptr,
      "ffn.lin2",
      "output_layer_norm",
      nullptr,
      nullptr},
     {},
     Positions::Learned,
     0,
     false,
     false,
     false,
     nullptr,
     "pre_classifier",
     "classifier",
     "classifier",
     false,
     Activation::Relu,
     "vocab_transform",
     "vocab_layer_norm",
     "vocab_projector",
     "vocab_projector.bias"},
    {"rembert",
     "rembert.",
     BERT_KEYS,
     {},
     "hidden_size",
     "hidden_act",
     "layer_norm_eps",
     "hidden_dropout_prob",
     {"", BERT_EMBEDDINGS, "encoder.embedding_hidden_mapping_in", BERT_BLOCK},
     {},
     Positions::Learned,
     0,
     false,
     false,
     false,
     "pooler.dense",
     nullptr,
     "classifier",
     "classifier",
     true,
     Activation::Tanh,
     "cls.predictions.dense",
     "cls.predictions.LayerNorm",
     "cls.predictions.decoder",
     "cls.predictions.decoder.bias"},
    BART_FAMILY("bart", Positions::Learned, 2, false, nullptr),
    BART_FAMILY("mbart", Positions::Learned, 2, true, "layer_norm"),
    BART_FAMILY("marian", Positions::Sinusoid, 0, false, nullptr),
    BART_FAMILY("m2m_100", Positions::SinusoidFairseq, 2, true, "layer_norm"),
    BART_FAMILY("alcore_transformer", Positions::Sinusoid, 0, true, "layer_norm"),
    T5_FAMILY("t5"),
    T5_FAMILY("mt5"),
};

std::span<const Family> families() {
    return FAMILIES;
}

} // namespace alcore_torch
