/* SPDX-License-Identifier: Apache-2.0 */
/* Encoders with rotary positions and gated feed-forward nets. Names of tensors and keys, and
 * defaults of keys, are those of transformers 5.23.
 *
 *     ModernBERT (mmBERT)   pre-norm; blocks whose attention reaches a window alone between others
 *                           that reach all; query, key and value one tensor, and both layers of the
 *                           feed-forward net too; biases where config.json says so
 *     EuroBERT              pre-norm with RMSNorm; keys and values that several heads share
 *     nomic-bert            BERT's norms and embeddings, products without biases */
#include <cmath>

#include "torch_builder.h"
#include "torch_rotary_forms.h"
#include "torch_window.h"

namespace alcore_torch {

namespace {

constexpr const char *FULL = "full_attention", *SLIDING = "sliding_attention";

/* Which blocks of ModernBERT reach their window alone: those that layer_types names so, else all
 * but every third (or as global_attn_every_n_layers has it, in older files). */
bool is_windowed(const Builder &build, int64_t layer, int64_t layers) {
    json_t *types = build.config.find("layer_types");
    if (types == nullptr)
        return layer % (build.config.has("global_attn_every_n_layers")
                            ? build.size("global_attn_every_n_layers")
                            : 3) !=
               0;
    json_t *type = json_array_get(types, static_cast<size_t>(layer));
    const std::string name = json_is_string(type) ? json_string_value(type) : "";
    if (json_array_size(types) != static_cast<size_t>(layers) || (name != FULL && name != SLIDING))
        build.config.refuse(
            "layer_types",
            "a list of num_hidden_layers names, \"full_attention\" or \"sliding_attention\"");
    return name == SLIDING;
}

double epsilon_of(const Builder &build, const char *key, double otherwise = 1e-5) {
    const double epsilon = build.config.real(key, otherwise);
    if (!(epsilon > 0 && epsilon < 1)) build.config.refuse(key, "above 0 and below 1");
    return epsilon;
}

/* The window and the two rotations of ModernBERT's blocks: 0 of those that reach all, 1 of others.
 */
void build_reach(Builder &build, Stack &stack) {
    for (const RotaryKeys &keys : {RotaryKeys{FULL, "global_rope_theta", 160000, true},
                                   RotaryKeys{SLIDING, "local_rope_theta", 10000, true}})
        stack.rotations.push_back(read_rotation(build.config, keys, stack.head));
    const int64_t local = build.config.integer("local_attention", 128);
    if (local < 2 || local > 1 << 20) build.config.refuse("local_attention", "2 to 1048576");
    stack.window = local / 2;
    stack.band = band_of(stack.window, false).to(build.model.device);
}

Block modernbert_block(Builder &build, const Stack &stack, int64_t layer, bool windowed) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    const bool attention_bias = build.config.flag("attention_bias", false),
               mlp_bias = build.config.flag("mlp_bias", false),
               norm_bias = build.config.flag("norm_bias", false);
    const double epsilon = epsilon_of(build, "norm_eps");
    const int64_t dims = stack.dims, inner = stack.heads * stack.head,
                  ffn = build.size("intermediate_size");
    Block block;
    block.gated = true;
    block.windowed = windowed;
    block.rotation = windowed ? 1 : 0;
    /* The norm of the embeddings is that of the first block. */
    if (layer > 0) block.self_norm = build.norm(prefix + "attn_norm", dims, epsilon, norm_bias);
    block.self = build.linear(prefix + "attn.Wqkv", 3 * inner, dims, attention_bias);
    block.self_out = build.linear(prefix + "attn.Wo", dims, inner, attention_bias);
    block.ffn_norm = build.norm(prefix + "mlp_norm", dims, epsilon, norm_bias);
    block.up = build.linear(prefix + "mlp.Wi", 2 * ffn, dims, mlp_bias);
    block.down = build.linear(prefix + "mlp.Wo", dims, ffn, mlp_bias);
    return block;
}

/* Sets widths, heads and the table of words of a stack of one of these families, and lowers
 * model.max_tokens to the positions that the model was made for. */
void begin_stack(Builder &build, Stack &stack, const char *words, int64_t pad) {
    stack.dims = build.size("hidden_size");
    stack.heads = build.size("num_attention_heads");
    if (stack.dims % stack.heads != 0)
        build.config.refuse("num_attention_heads", "a divisor of hidden_size");
    stack.head = build.config.has("head_dim") ? build.size("head_dim") : stack.dims / stack.heads;
    stack.attention_scale = 1.0 / std::sqrt(static_cast<double>(stack.head));
    stack.words = build.table(words, "vocab_size", 0, stack.dims);
    stack.padding = build.config.integer("pad_token_id", pad);
    if (stack.padding >= stack.words.size(0)) stack.padding = -1;
    build.model.max_tokens =
        std::min(build.model.max_tokens, build.size("max_position_embeddings"));
}

} // namespace

Stack build_modernbert(Builder &build) {
    Stack stack;
    begin_stack(build, stack, "embeddings.tok_embeddings.weight", 50283);
    stack.pre_norm = true;
    stack.activation =
        activation_of(build, "hidden_activation", build.config.text("hidden_activation", "gelu"));
    stack.dropout.embedding = build.dropout("embedding_dropout", 0.0);
    stack.dropout.weights = stack.dropout.attention = build.dropout("attention_dropout", 0.0);
    stack.dropout.inner = build.dropout("mlp_dropout", 0.0);
    const bool norm_bias = build.config.flag("norm_bias", false);
    const double epsilon = epsilon_of(build, "norm_eps");
    stack.embed_norm = build.norm("embeddings.norm", stack.dims, epsilon, norm_bias);
    build_reach(build, stack);
    const int64_t layers = build.size("num_hidden_layers", 1000);
    for (int64_t i = 0; i < layers; i++)
        stack.blocks.push_back(modernbert_block(build, stack, i, is_windowed(build, i, layers)));
    stack.final_norm = build.norm("final_norm", stack.dims, epsilon, norm_bias);
    return stack;
}

/* All heads have a first layer with a norm behind its activation. */
void build_modernbert_head(Builder &build, const std::string &architecture) {
    Model &model = build.model;
    const int64_t dims = model.encoder.dims;
    const bool words = ends_with(architecture, "ForMaskedLM"),
               classes = ends_with(architecture, "ForSequenceClassification"),
               tokens = ends_with(architecture, "ForTokenClassification"),
               answers = ends_with(architecture, "ForQuestionAnswering");
    if (!words && !classes && !tokens && !answers) return;
    model.head_dense =
        build.linear("head.dense", dims, dims, build.config.flag("classifier_bias", false));
    model.head_activation = activation_of(build, "classifier_activation",
                                          build.config.text("classifier_activation", "gelu"));
    model.head_norm = build.norm("head.norm", dims, epsilon_of(build, "norm_eps"),
                                 build.config.flag("norm_bias", false));
    if (words) {
        model.head = Head::Words;
        model.head_out.weight = output_matrix(build, "decoder.weight", model.encoder.words, dims);
        if (build.config.flag("decoder_bias", true))
            model.head_out.bias = build.read("decoder.bias", {model.vocabulary});
        return;
    }
    model.head_out = build.linear("classifier", answers ? 2 : -1, dims, true);
    model.head_dropout = build.dropout("classifier_dropout", 0.0);
    if (answers) model.head = Head::Answers;
    if (tokens) model.head = Head::Tokens;
    if (classes) {
        const std::string pooling = build.config.text("classifier_pooling", "cls");
        if (pooling != "cls" && pooling != "mean")
            build.config.refuse("classifier_pooling", "\"cls\" or \"mean\"");
        model.head_mean = pooling == "mean";
        finish_classes(build);
    }
    count_classes(build);
}

Stack build_eurobert(Builder &build) {
    Stack stack;
    begin_stack(build, stack, "embed_tokens.weight", 128001);
    stack.kv_heads =
        build.config.has("num_key_value_heads") ? build.size("num_key_value_heads") : stack.heads;
    if (stack.heads % stack.kv_heads != 0)
        build.config.refuse("num_key_value_heads", "a divisor of num_attention_heads");
    stack.pre_norm = true;
    stack.activation = activation_of(build, "hidden_act", build.config.text("hidden_act", "silu"));
    stack.dropout.weights = build.dropout("attention_dropout", 0.0);
    stack.rotations.push_back(read_rotation(build.config, {}, stack.head));
    const double epsilon = epsilon_of(build, "rms_norm_eps");
    const bool attention_bias = build.config.flag("attention_bias", false),
               mlp_bias = build.config.flag("mlp_bias", false);
    const int64_t layers = build.size("num_hidden_layers", 1000),
                  ffn = build.size("intermediate_size"), inner = stack.heads * stack.head,
                  shared = stack.kv_heads * stack.head;
    for (int64_t i = 0; i < layers; i++) {
        const std::string prefix = "layers." + std::to_string(i) + ".", own = prefix + "self_attn.",
                          mlp = prefix + "mlp.";
        Block block;
        block.rotation = 0;
        block.self = build.joined({own + "q_proj", own + "k_proj", own + "v_proj"},
                                  {inner, shared, shared}, stack.dims, attention_bias);
        block.self_out = build.linear(own + "o_proj", stack.dims, inner, attention_bias);
        /* What is activated is called the gate in these files. */
        block.up = build.linear(mlp + "gate_proj", ffn, stack.dims, mlp_bias);
        block.gate = build.linear(mlp + "up_proj", ffn, stack.dims, mlp_bias);
        block.down = build.linear(mlp + "down_proj", stack.dims, ffn, mlp_bias);
        block.self_norm = build.norm(prefix + "input_layernorm", stack.dims, epsilon, false, true);
        block.ffn_norm =
            build.norm(prefix + "post_attention_layernorm", stack.dims, epsilon, false, true);
        stack.blocks.push_back(block);
    }
    stack.final_norm = build.norm("norm", stack.dims, epsilon, false, true);
    return stack;
}

/* The head over texts reads the first token, the mean of all, or "late", by default, all of them,
 * and the mean behind its first layer. */
void build_eurobert_head(Builder &build, const std::string &architecture) {
    Model &model = build.model;
    const int64_t dims = model.encoder.dims;
    if (ends_with(architecture, "ForMaskedLM")) {
        model.head = Head::Words;
        model.head_out.weight = output_matrix(build, "lm_head.weight", model.encoder.words, dims);
        if (build.config.flag("mlp_bias", false))
            model.head_out.bias = build.read("lm_head.bias", {model.vocabulary});
        return;
    }
    const bool classes = ends_with(architecture, "ForSequenceClassification");
    if (!classes && !ends_with(architecture, "ForTokenClassification")) return;
    if (classes) {
        const std::string pooling = build.config.text("classifier_pooling", "late");
        if (pooling != "bos" && pooling != "mean" && pooling != "late")
            build.config.refuse("classifier_pooling", "\"bos\", \"mean\" or \"late\"");
        model.head_mean = pooling == "mean";
        model.head_late = pooling == "late";
        model.head_dense = build.linear("dense", dims, dims, true);
        model.head_activation = Activation::Gelu;
    }
    model.head_out = build.linear("classifier", -1, dims, true);
    if (classes)
        finish_classes(build);
    else
        model.head = Head::Tokens;
    count_classes(build);
}

Stack build_nomic_bert(Builder &build) {
    Stack stack;
    begin_stack(build, stack, "embeddings.word_embeddings.weight", 0);
    stack.activation = activation_of(build, "hidden_act", build.config.text("hidden_act", "silu"));
    DropoutRates &rates = stack.dropout;
    rates.embedding = rates.attention = rates.ffn = build.dropout("hidden_dropout_prob", 0.0);
    rates.weights = build.dropout("attention_probs_dropout_prob", 0.0);
    stack.rotations.push_back(
        read_rotation(build.config, {nullptr, "rope_theta", 1000, true}, stack.head));
    const double epsilon = epsilon_of(build, "layer_norm_eps", 1e-12);
    stack.types =
        build.table("embeddings.token_type_embeddings.weight", "type_vocab_size", 0, stack.dims);
    stack.embed_norm = build.norm("emb_ln", stack.dims, epsilon, true);
    const int64_t layers = build.size("num_hidden_layers", 1000),
                  ffn = build.size("intermediate_size"), inner = stack.heads * stack.head;
    for (int64_t i = 0; i < layers; i++) {
        const std::string prefix = "encoder.layers." + std::to_string(i) + ".";
        Block block;
        block.rotation = 0;
        block.self = build.linear(prefix + "attn.Wqkv", 3 * inner, stack.dims, false);
        block.self_out = build.linear(prefix + "attn.out_proj", stack.dims, inner, false);
        block.self_norm = build.norm(prefix + "norm1", stack.dims, epsilon, true);
        block.up = build.linear(prefix + "mlp.fc12", ffn, stack.dims, false);
        block.gate = build.linear(prefix + "mlp.fc11", ffn, stack.dims, false);
        block.down = build.linear(prefix + "mlp.fc2", stack.dims, ffn, false);
        block.ffn_norm = build.norm(prefix + "norm2", stack.dims, epsilon, true);
        stack.blocks.push_back(block);
    }
    return stack;
}

} // namespace alcore_torch
