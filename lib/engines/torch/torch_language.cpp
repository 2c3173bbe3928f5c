/* SPDX-License-Identifier: Apache-2.0 */
/* Decoder-only language models as stacks: Llama, Mistral, Qwen2, Qwen3 and Gemma 3, which differ in
 * the settings of their rows in torch_table.cpp. Blocks are
 *
 *     x += attention(norm(x));  x += down(act(gate(x)) * up(x)) of norm(x)
 *
 * with RMSNorm, rotary positions (torch_rotary.h), and heads of keys and values that several
 * queries share. Gemma has a norm more behind each part, factors of norms that are 1 + weight, and
 * scaled embeddings. Names of tensors are those of all these families. */
#include "torch_language.h"

#include <cmath>

#include "torch_rotary_forms.h"
#include "torch_window.h"

namespace alcore_torch {

namespace {

constexpr const char *FULL = "full_attention", *SLIDING = "sliding_attention";

/* Which blocks are windowed, by layer_types of config.json or what the family has in its place. */
std::vector<bool> windowed_blocks(const Builder &build, int64_t layers) {
    const Language &kind = *build.family.language;
    std::vector<bool> out(static_cast<size_t>(layers), kind.windows == Windows::All);
    if (kind.windows == Windows::None || kind.windows == Windows::All) return out;
    json_t *types = build.config.find("layer_types");
    if (types != nullptr) {
        if (!json_is_array(types) || json_array_size(types) != out.size())
            build.config.refuse("layer_types", "a list with the kind of each block");
        for (size_t i = 0; i < out.size(); i++) {
            const char *type = json_string_value(json_array_get(types, i));
            const std::string name = type == nullptr ? "" : type;
            if (name != FULL && name != SLIDING)
                build.config.refuse("layer_types", "a list of full_attention and sliding_attention",
                                    ALCORE_E_UNSUPPORTED);
            out[i] = name == SLIDING;
        }
        return out;
    }
    if (kind.windows == Windows::Pattern) {
        const int64_t step = build.config.integer(
            "_sliding_window_pattern", build.config.integer("sliding_window_pattern", 6));
        if (step < 1) build.config.refuse("sliding_window_pattern", "1 or more");
        for (size_t i = 0; i < out.size(); i++) out[i] = (static_cast<int64_t>(i) + 1) % step != 0;
        return out;
    }
    const int64_t first = build.config.integer("max_window_layers", 28);
    for (size_t i = 0; i < out.size(); i++)
        out[i] = build.config.flag("use_sliding_window", false) && static_cast<int64_t>(i) >= first;
    return out;
}

/* Sets the window of a stack, which reaches sliding_window tokens, the token itself counted, and in
 * a stack that reads both ways half of them to each side. Without a window no block has one. */
void build_window(const Builder &build, Stack &stack, std::vector<bool> &windowed) {
    const Language &kind = *build.family.language;
    const char *key = "sliding_window";
    const bool given = build.config.has(key),
               none = !given && json_is_null(json_object_get(build.model.config.get(), key));
    if (std::count(windowed.begin(), windowed.end(), true) == 0) return;
    if (none && kind.windows != Windows::All)
        build.config.refuse(key, "a number, since some of layer_types are sliding_attention");
    if (none) {
        windowed.assign(windowed.size(), false);
        return;
    }
    const int64_t reach = build.config.integer(key, 4096);
    if (reach < 1 || reach > 1 << 24) build.config.refuse(key, "an integer of 1 to 16777216");
    stack.window = stack.causal ? reach - 1 : reach / 2;
    stack.band = band_of(stack.window, stack.causal).to(build.model.device);
}

/* A projection NAME.weight [out, in], with NAME.bias where it has one. */
Linear projection(Builder &build, const std::string &name, int64_t out, int64_t in, bool biased) {
    const at::Tensor weight = build.read(name + ".weight", {out, in});
    return {weight, biased ? build.read(name + ".bias", {out}) : at::Tensor()};
}

/* An RMSNorm NAME.weight [size]. */
Norm norm_of(Builder &build, const std::string &name, int64_t size) {
    return {build.read(name + ".weight", {size}), at::Tensor(), build.epsilon(), true,
            build.family.language->gemma};
}

/* Query, key and value as one matrix, [(heads + 2 kv_heads) head, dims]. */
Linear joined_projections(Builder &build, const std::string &prefix, const Stack &stack,
                          bool biased) {
    JoinedRows weights(build, (stack.heads + 2 * stack.kv_heads) * stack.head, stack.dims);
    std::vector<at::Tensor> biases;
    for (const char *name : {"q_proj", "k_proj", "v_proj"}) {
        const int64_t rows = (*name == 'q' ? stack.heads : stack.kv_heads) * stack.head;
        weights.read(prefix + name + ".weight", rows);
        if (biased) biases.push_back(build.read(prefix + name + ".bias", {rows}));
    }
    return {weights.whole(), biased ? build.joined(biases) : at::Tensor()};
}

/* Reads the tensors of block `index`, from 0. */
Block build_block(Builder &build, const Stack &stack, int64_t index, int64_t ffn) {
    const Language &kind = *build.family.language;
    const std::string prefix = "layers." + std::to_string(index) + ".";
    const bool biased = kind.bias_key != nullptr && build.config.flag(kind.bias_key, false),
               mlp_biased =
                   kind.mlp_bias_key != nullptr && build.config.flag(kind.mlp_bias_key, false);
    Block block;
    block.self_norm = norm_of(build, prefix + "input_layernorm", stack.dims);
    block.self =
        joined_projections(build, prefix + "self_attn.", stack, biased || kind.biased_inputs);
    block.self_out = projection(build, prefix + "self_attn.o_proj", stack.dims,
                                stack.heads * stack.head, biased);
    if (kind.head_norms) {
        block.query_norm = norm_of(build, prefix + "self_attn.q_norm", stack.head);
        block.key_norm = norm_of(build, prefix + "self_attn.k_norm", stack.head);
    }
    const std::string after = prefix + "post_attention_layernorm";
    if (kind.gemma) {
        block.self_after = norm_of(build, after, stack.dims);
        block.ffn_norm = norm_of(build, prefix + "pre_feedforward_layernorm", stack.dims);
        block.ffn_after = norm_of(build, prefix + "post_feedforward_layernorm", stack.dims);
    } else {
        block.ffn_norm = norm_of(build, after, stack.dims);
    }
    block.up = projection(build, prefix + "mlp.gate_proj", ffn, stack.dims, mlp_biased);
    block.gate = projection(build, prefix + "mlp.up_proj", ffn, stack.dims, mlp_biased);
    block.down = projection(build, prefix + "mlp.down_proj", stack.dims, ffn, mlp_biased);
    return block;
}

/* Heads, and what their products are scaled by. */
void build_heads(const Builder &build, Stack &stack) {
    const Language &kind = *build.family.language;
    stack.heads = build.size("num_attention_heads");
    stack.kv_heads =
        build.config.has("num_key_value_heads") ? build.size("num_key_value_heads") : stack.heads;
    if (stack.heads % stack.kv_heads != 0)
        build.config.refuse("num_key_value_heads", "a divisor of num_attention_heads");
    const int64_t otherwise = kind.head > 0 ? kind.head : stack.dims / stack.heads;
    stack.head = build.config.has("head_dim") ? build.size("head_dim") : otherwise;
    if (stack.head < 1)
        build.config.refuse("num_attention_heads", "at most hidden_size, as there is no head_dim");
    double scalar = static_cast<double>(stack.head);
    if (kind.gemma) {
        scalar = build.config.real("query_pre_attn_scalar", 256);
        if (!(scalar > 0)) build.config.refuse("query_pre_attn_scalar", "a number above 0");
        stack.embed_scale = std::sqrt(static_cast<double>(stack.dims));
    }
    stack.attention_scale = 1 / std::sqrt(scalar);
}

/* The rotary positions of all blocks: one for full attention and, in Gemma, another for windows. */
void build_rotations(const Builder &build, Stack &stack) {
    if (!build.family.language->gemma) {
        stack.rotations.push_back(read_rotation(build.config, {}, stack.head));
        return;
    }
    const RotaryKeys full{FULL, "rope_theta", 1e6, true},
        sliding{SLIDING, "rope_local_base_freq", 1e4, false};
    stack.rotations.push_back(read_rotation(build.config, full, stack.head));
    stack.rotations.push_back(read_rotation(build.config, sliding, stack.head));
}

/* Settings of Gemma's kin that are not computed. */
void refuse_caps(const Builder &build) {
    for (const char *key : {"final_logit_softcapping", "attn_logit_softcapping"})
        if (build.config.has(key))
            build.config.refuse(key, "null in what is computed here", ALCORE_E_UNSUPPORTED);
}

} // namespace

Stack build_language_stack(Builder &build) {
    const Language &kind = *build.family.language;
    const char *activation = build.family.activation_key;
    Stack stack;
    refuse_caps(build);
    stack.dims = build.size("hidden_size");
    stack.pre_norm = true;
    stack.causal = !(kind.gemma && build.config.flag("use_bidirectional_attention", false));
    stack.activation =
        activation_of(build, activation,
                      build.config.text(activation, kind.gemma ? "gelu_pytorch_tanh" : "silu"));
    stack.dropout.weights = build.dropout("attention_dropout", 0);
    build_heads(build, stack);
    build_rotations(build, stack);
    const int64_t layers = build.size("num_hidden_layers", 1000),
                  ffn = build.size("intermediate_size");
    std::vector<bool> windowed = windowed_blocks(build, layers);
    build_window(build, stack, windowed);
    stack.words = build.table("embed_tokens.weight", "vocab_size", 0, stack.dims);
    for (int64_t i = 0; i < layers; i++) {
        Block block = build_block(build, stack, i, ffn);
        block.windowed = windowed[static_cast<size_t>(i)];
        block.rotation = kind.gemma && block.windowed ? 1 : 0;
        stack.blocks.push_back(std::move(block));
    }
    stack.final_norm = norm_of(build, "norm", stack.dims);
    build.model.max_tokens =
        std::min(build.model.max_tokens, build.size("max_position_embeddings"));
    return stack;
}

void build_language_head(Builder &build, const std::string &architecture) {
    Model &model = build.model;
    if (!ends_with(architecture, "ForCausalLM")) return;
    if (!model.encoder.causal) return; /* reads both ways: it predicts nothing */
    model.head = Head::Language;
    model.head_out.weight =
        output_matrix(build, "lm_head.weight", model.encoder.words, model.encoder.dims);
    build_generation(build);
    /* What a text stands behind: its beginning or, in models without such a token, the end of the
     * text before it, as those are trained. */
    for (const char *key : {"bos_token_id", "eos_token_id"}) {
        const std::vector<int64_t> ids = build.config.ids(key, model.vocabulary);
        if (model.start < 0 && !ids.empty()) model.start = ids[0];
    }
}

} // namespace alcore_torch
