/* SPDX-License-Identifier: Apache-2.0 */
/* The families of models. Rows name their members, or have all of them in the order of
 * torch_family.h: most are strings or NULL, so that such a row has to be read beside that file.
 * What several families share is a macro. */
#include "torch_builder.h"

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
            nullptr, nullptr, nullptr, false, Activation::Tanh, nullptr, nullptr, nullptr,         \
            nullptr, false, false, 1e-5                                                            \
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
            Activation::Tanh, nullptr, nullptr, nullptr, nullptr, false, false, 1e-6               \
    }
#define ROBERTA_HEADS                                                                              \
    .pooler = "pooler.dense", .class_dense = "classifier.dense",                                   \
    .class_out = "classifier.out_proj", .token_out = "classifier", .words_dense = "lm_head.dense", \
    .words_norm = "lm_head.layer_norm", .words_out = "lm_head.decoder",                            \
    .words_bias = "lm_head.bias", .words_gelu = true, .class_dropped_before = true
#define BERT_SETTINGS                                                                              \
    .encoder_keys = BERT_KEYS, .dims_key = "hidden_size", .activation_key = "hidden_act",          \
    .epsilon_key = "layer_norm_eps", .dropout_key = "hidden_dropout_prob"
#define ROBERTA_FAMILY(type)                                                                       \
    {                                                                                              \
        .model_type = type, .prefix = "roberta.", BERT_SETTINGS,                                   \
        .encoder = {"", BERT_EMBEDDINGS, nullptr, BERT_BLOCK}, .positions = Positions::Learned,    \
        .position_base = -1, ROBERTA_HEADS                                                         \
    }

/* Their other names are those of all of them (torch_language.cpp). */
#define LANGUAGE_FAMILY(type, activation, ...)                                                     \
    {                                                                                              \
        .model_type = type, .prefix = "model.", .dims_key = "hidden_size",                         \
        .activation_key = activation, .epsilon_key = "rms_norm_eps", .pre_norm = true,             \
        .rms = true, .epsilon = 1e-6, .language = Language {                                       \
            __VA_ARGS__                                                                            \
        }                                                                                          \
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
    ROBERTA_FAMILY("camembert"),
    {.model_type = "xlm-roberta-xl",
     .prefix = "roberta.",
     BERT_SETTINGS,
     .encoder = {.prefix = "",
                 .words = "embeddings.word_embeddings",
                 .positions = "embeddings.position_embeddings",
                 .types = "embeddings.token_type_embeddings",
                 .block = "encoder.layer.%d.",
                 .self = {"attention.self.query", "attention.self.key", "attention.self.value",
                          "attention.output.dense"},
                 .self_norm = "attention.self_attn_layer_norm",
                 .up = "intermediate.dense",
                 .down = "output.dense",
                 .ffn_norm = "LayerNorm",
                 .final_norm = "encoder.LayerNorm"},
     .positions = Positions::Learned,
     .position_base = -1,
     .pre_norm = true,
     ROBERTA_HEADS,
     .epsilon = 1e-5,
     .ffn_dropped = false},
    {.model_type = "mpnet",
     .prefix = "mpnet.",
     BERT_SETTINGS,
     .encoder = {.prefix = "",
                 .words = "embeddings.word_embeddings",
                 .positions = "embeddings.position_embeddings",
                 .embed_norm = "embeddings.LayerNorm",
                 .block = "encoder.layer.%d.",
                 .self = {"attention.attn.q", "attention.attn.k", "attention.attn.v",
                          "attention.attn.o"},
                 .self_norm = "attention.LayerNorm",
                 .up = "intermediate.dense",
                 .down = "output.dense",
                 .ffn_norm = "output.LayerNorm",
                 .relative = "encoder.relative_attention_bias"},
     .positions = Positions::Learned,
     .position_base = 2,
     ROBERTA_HEADS,
     .base_counted = true,
     .buckets = 32,
     .bucket_distance = 128},
    {.model_type = "electra",
     .prefix = "electra.",
     BERT_SETTINGS,
     .encoder = {"", BERT_EMBEDDINGS, "embeddings_project", BERT_BLOCK},
     .positions = Positions::Learned,
     .class_dense = "classifier.dense",
     .class_out = "classifier.out_proj",
     .token_out = "classifier",
     .class_activation = Activation::Gelu,
     .words_dense = "generator_predictions.dense",
     .words_norm = "generator_predictions.LayerNorm",
     .words_out = "generator_lm_head",
     .words_bias = "generator_lm_head.bias",
     .words_gelu = true,
     .class_dropped_before = true,
     .mapped_if_narrower = true},
    {.model_type = "albert",
     .prefix = "albert.",
     BERT_SETTINGS,
     .encoder = {.prefix = "",
                 .words = "embeddings.word_embeddings",
                 .positions = "embeddings.position_embeddings",
                 .types = "embeddings.token_type_embeddings",
                 .embed_norm = "embeddings.LayerNorm",
                 .mapping = "encoder.embedding_hidden_mapping_in",
                 .block = "encoder.albert_layer_groups.%d.albert_layers.0.",
                 .self = {"attention.query", "attention.key", "attention.value", "attention.dense"},
                 .self_norm = "attention.LayerNorm",
                 .up = "ffn",
                 .down = "ffn_output",
                 .ffn_norm = "full_layer_layer_norm"},
     .positions = Positions::Learned,
     .pooler = "pooler",
     .class_out = "classifier",
     .token_out = "classifier",
     .class_pooled = true,
     .words_dense = "predictions.dense",
     .words_norm = "predictions.LayerNorm",
     .words_out = "predictions.decoder",
     .words_bias = "predictions.bias",
     .groups_key = "num_hidden_groups",
     .ffn_dropped = false},
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
    LANGUAGE_FAMILY("llama", "hidden_act", .bias_key = "attention_bias",
                    .mlp_bias_key = "mlp_bias"),
    LANGUAGE_FAMILY("mistral", "hidden_act", .windows = Windows::All),
    LANGUAGE_FAMILY("qwen2", "hidden_act", .windows = Windows::Switched, .biased_inputs = true),
    LANGUAGE_FAMILY("qwen3", "hidden_act", .windows = Windows::Switched,
                    .bias_key = "attention_bias", .head_norms = true, .head = 128),
    LANGUAGE_FAMILY("gemma3_text", "hidden_activation", .windows = Windows::Pattern,
                    .bias_key = "attention_bias", .head_norms = true, .gemma = true, .head = 256,
                    .ties = true),
    {.model_type = "modernbert",
     .prefix = "model.",
     .own_stack = build_modernbert,
     .own_head = build_modernbert_head},
    {.model_type = "eurobert",
     .prefix = "model.",
     .own_stack = build_eurobert,
     .own_head = build_eurobert_head},
    {.model_type = "nomic_bert",
     .prefix = "nomic_bert.",
     .epsilon_key = "layer_norm_eps",
     .pooler = "pooler.dense",
     .class_out = "classifier",
     .token_out = "classifier",
     .class_pooled = true,
     .words_dense = "cls.predictions.transform.dense",
     .words_norm = "cls.predictions.transform.layer_norm",
     .words_out = "cls.predictions.decoder",
     .words_bias = "cls.predictions.bias",
     .own_stack = build_nomic_bert},
    {.model_type = "deberta-v2",
     .prefix = "deberta.",
     .epsilon_key = "layer_norm_eps",
     .class_dense = "pooler.dense",
     .class_out = "classifier",
     .token_out = "classifier",
     .words_dense = "cls.predictions.transform.dense",
     .words_norm = "cls.predictions.transform.LayerNorm",
     .words_out = "cls.predictions.decoder",
     .words_bias = "cls.predictions.bias",
     .epsilon = 1e-7,
     .own_stack = build_deberta,
     .own_head = build_deberta_head},
};

std::span<const Family> families() {
    return FAMILIES;
}

} // namespace alcore_torch
