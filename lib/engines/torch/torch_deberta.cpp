/* SPDX-License-Identifier: Apache-2.0 */
/* DeBERTa-v2 and v3 (He et al. 2021, 2023), as transformers computes them. With q_i, k_j, v_j of
 * tokens, K_d and Q_d of distances, d = i - j, and n products that are added up:
 *
 *     score(i, j) = (q_i k_j + q_i K_d + k_j Q_d) / sqrt(n head)
 *
 * Either of the last two may be missing. In training by transformers the table of distances has
 * dropout of its own, drawn once for all texts of a batch; here it has none. */
#include "torch_deberta.h"

#include <cmath>

#include "torch_builder.h"

namespace alcore_torch {

namespace {

/* ---- distances ---- */

/* Which row of the table of distances belongs to each of the distances -(length - 1) to length - 1:
 * int64 [2 length - 1]. Distances beyond half of the buckets share rows by their logarithm, which
 * is taken in float32, as transformers takes it. */
at::Tensor rows_of(const Disentangled &what, int64_t length, at::Device device) {
    at::Tensor distance = at::arange(-(length - 1), length, at::TensorOptions().dtype(at::kLong));
    if (what.buckets > 0) {
        const int64_t half = what.buckets / 2;
        at::Tensor far = distance.abs();
        at::Tensor share = at::log(far.clamp_min(half).to(at::kFloat) / half) /
                           at::log(at::scalar_tensor(static_cast<double>(what.farthest - 1) /
                                                     static_cast<double>(half)));
        at::Tensor bucket = (at::ceil(share * (half - 1)) + half).to(at::kLong) * distance.sign();
        distance = at::where(far <= half, distance, bucket);
    }
    return (distance + what.span).clamp(0, 2 * what.span - 1).to(device);
}

/* The projections of distances of one block: [heads, head, rows], of queries and of keys. */
struct Distances {
    at::Tensor query, key;
};

/* table [rows, dims]: the rows that a batch needs. */
Distances distances_of(const Stack &stack, const Block &block, const at::Tensor &table) {
    auto split = [&](const at::Tensor &x) {
        return x.view({x.size(0), stack.heads, stack.head}).permute({1, 2, 0});
    };
    if (!block.distance_key.weight.defined() && !block.distance_query.weight.defined()) {
        std::vector<at::Tensor> parts = block.self(table).chunk(3, -1);
        return {split(parts[0].contiguous()), split(parts[1].contiguous())};
    }
    Distances out;
    if (stack.disentangled->of_keys) out.query = split(block.distance_query(table));
    if (stack.disentangled->of_queries) out.key = split(block.distance_key(table));
    return out;
}

/* What distances add to the scores, [items, heads, length, length]. places: int64 [2 length - 1],
 * of Distances' rows, by distance. */
at::Tensor bias_of(const Stack &stack, const Distances &distances, const at::Tensor &query,
                   const at::Tensor &key, const at::Tensor &places) {
    const int64_t length = query.size(2);
    at::Tensor token = at::arange(length, places.options());
    at::Tensor place = places.take(token.unsqueeze(1) - token.unsqueeze(0) + length - 1);
    at::Tensor bias;
    auto expanded = [&](const at::Tensor &x) {
        return x.expand({query.size(0), query.size(1), length, length});
    };
    if (stack.disentangled->of_queries)
        bias = at::matmul(query, distances.key).gather(-1, expanded(place));
    if (stack.disentangled->of_keys) {
        at::Tensor of_keys =
            at::matmul(key, distances.query).gather(-1, expanded(place.t())).transpose(-1, -2);
        bias = bias.defined() ? bias + of_keys : of_keys;
    }
    return bias * stack.attention_scale;
}

/* Texts that are computed at once: those of at most this many scores. */
constexpr int64_t MOST_SCORES = int64_t{1} << 25;

} // namespace

at::Tensor attend_disentangled(const StackPass &pass, const Block &block, const at::Tensor &qkv) {
    const Stack &stack = pass.stack;
    const Disentangled &what = *stack.disentangled;
    int64_t longest = 1;
    for (const Run &run : pass.runs) longest = std::max(longest, run.length);
    const int64_t most = std::min(what.span, longest); /* no text needs rows further off */
    const int64_t low = what.span - most;
    const Distances distances =
        distances_of(stack, block, what.norm(what.table.narrow(0, low, 2 * most)));
    const std::vector<at::Tensor> own = split_runs(qkv, pass.runs, false);
    std::vector<at::Tensor> mixed;
    size_t item = 0;
    for (size_t i = 0; i < pass.runs.size(); i++) {
        const Run &run = pass.runs[i];
        const at::Tensor places = rows_of(what, run.length, qkv.device()) - low;
        const int64_t step =
            std::max<int64_t>(MOST_SCORES / (stack.heads * run.length * run.length), 1);
        for (int64_t from = 0; from < run.items; from += step) {
            const int64_t items = std::min(step, run.items - from);
            std::vector<at::Tensor> parts =
                own[i]
                    .narrow(0, from * run.length, items * run.length)
                    .view({items, run.length, 3, stack.heads, stack.head})
                    .transpose(1, 3)
                    .unbind(2); /* each [items, heads, length, head] */
            at::Tensor bias = bias_of(stack, distances, parts[0], parts[1], places);
            mixed.push_back(
                attend_run(parts[0], parts[1], parts[2], bias, false, stack, pass.dropout, item)
                    .transpose(1, 2)
                    .reshape({items * run.length, stack.heads * stack.head}));
            item += static_cast<size_t>(items);
        }
    }
    return mixed.size() == 1 ? mixed[0] : at::cat(mixed);
}

at::Tensor convolved(const StackPass &pass, const at::Tensor &entered, const at::Tensor &x) {
    const Convolution &what = *pass.stack.convolution;
    const int64_t dims = pass.stack.dims, around = (what.weight.size(2) - 1) / 2;
    const std::vector<at::Tensor> own = split_runs(entered, pass.runs, false);
    std::vector<at::Tensor> out;
    for (size_t i = 0; i < own.size(); i++) {
        const Run &run = pass.runs[i];
        at::Tensor texts = own[i].view({run.items, run.length, dims}).transpose(1, 2);
        at::Tensor y = at::conv1d(texts, what.weight, what.bias, 1, around, 1, what.groups);
        out.push_back(y.transpose(1, 2).reshape({run.items * run.length, dims}));
    }
    at::Tensor y = pass.drop(at::cat(out), pass.stack.dropout.ffn);
    return what.norm(x + activate(y, what.activation));
}

namespace {

/* ---- the folder ---- */

double epsilon_of(const Builder &build) {
    const double epsilon = build.config.real("layer_norm_eps", 1e-7);
    if (!(epsilon > 0 && epsilon < 1)) build.config.refuse("layer_norm_eps", "above 0 and below 1");
    return epsilon;
}

/* Whether pos_att_type, a list or a text with "|", has "c2p" or "p2c". */
bool has_kind(const Builder &build, const std::string &kind) {
    json_t *value = build.config.find("pos_att_type");
    if (value == nullptr) return false;
    if (json_is_string(value))
        return ("|" + std::string(json_string_value(value)) + "|").find(kind) != std::string::npos;
    if (!json_is_array(value)) build.config.refuse("pos_att_type", "a text or a list of texts");
    bool found = false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *one = json_array_get(value, i);
        found = found || (json_is_string(one) && json_string_value(one) == kind);
    }
    return found;
}

/* Reads the table of distances where relative_attention is true. */
void build_distances(Builder &build, Stack &stack) {
    const bool of_queries = has_kind(build, "c2p"), of_keys = has_kind(build, "p2c");
    const double products = 1.0 + (of_queries ? 1 : 0) + (of_keys ? 1 : 0);
    stack.attention_scale = 1.0 / std::sqrt(static_cast<double>(stack.head) * products);
    if (!build.config.flag("relative_attention", false)) return;
    Disentangled what;
    what.of_queries = of_queries;
    what.of_keys = of_keys;
    what.farthest = build.config.integer("max_relative_positions", -1);
    if (what.farthest < 1) what.farthest = build.size("max_position_embeddings");
    what.buckets = std::max<int64_t>(build.config.integer("position_buckets", -1), 0);
    what.span = what.buckets > 0 ? what.buckets : what.farthest;
    if (what.span > 1 << 20 || (what.buckets > 0 && what.farthest - 1 <= what.buckets / 2) ||
        what.buckets == 1)
        build.config.refuse("position_buckets",
                            "2 or more, with more than half as many max_relative_positions");
    what.table = build.read("encoder.rel_embeddings.weight", {2 * what.span, stack.dims});
    const std::string norm = build.config.text("norm_rel_ebd", "none");
    if (norm == "layer_norm")
        what.norm = build.norm("encoder.LayerNorm", stack.dims, epsilon_of(build), true);
    else if (norm != "none")
        build.config.refuse("norm_rel_ebd", "\"none\" or \"layer_norm\"");
    if (of_queries || of_keys) stack.disentangled = what;
}

void build_convolution(Builder &build, Stack &stack) {
    const int64_t tokens = build.config.integer("conv_kernel_size", 0);
    if (tokens <= 0) return;
    if (tokens % 2 == 0 || tokens > 1 << 10)
        build.config.refuse("conv_kernel_size", "odd, so that each token has a middle");
    Convolution what;
    what.groups = build.config.has("conv_groups") ? build.size("conv_groups") : 1;
    if (stack.dims % what.groups != 0)
        build.config.refuse("conv_groups", "a divisor of hidden_size");
    const std::string activation = build.config.text("conv_act", "tanh");
    what.activation =
        activation == "tanh" ? Activation::Tanh : activation_of(build, "conv_act", activation);
    what.weight =
        build.read("encoder.conv.conv.weight", {stack.dims, stack.dims / what.groups, tokens});
    what.bias = build.read("encoder.conv.conv.bias", {stack.dims});
    what.norm = build.norm("encoder.conv.LayerNorm", stack.dims, epsilon_of(build), true);
    stack.convolution = what;
}

Block deberta_block(Builder &build, const Stack &stack, int64_t layer) {
    const std::string prefix = "encoder.layer." + std::to_string(layer) + ".",
                      own = prefix + "attention.self.";
    const int64_t dims = stack.dims, ffn = build.size("intermediate_size");
    const double epsilon = epsilon_of(build);
    Block block;
    block.self =
        build.joined({own + "query_proj", own + "key_proj", own + "value_proj"}, dims, dims);
    if (stack.disentangled && !build.config.flag("share_att_key", false)) {
        if (stack.disentangled->of_queries)
            block.distance_key = build.linear(own + "pos_key_proj", dims, dims);
        if (stack.disentangled->of_keys)
            block.distance_query = build.linear(own + "pos_query_proj", dims, dims);
    }
    block.self_out = build.linear(prefix + "attention.output.dense", dims, dims);
    block.self_norm = build.norm(prefix + "attention.output.LayerNorm", dims, epsilon, true);
    block.up = build.linear(prefix + "intermediate.dense", ffn, dims);
    block.down = build.linear(prefix + "output.dense", dims, ffn);
    block.ffn_norm = build.norm(prefix + "output.LayerNorm", dims, epsilon, true);
    return block;
}

/* Words, and what is added to them: positions where position_biased_input is true, and types. */
void build_embeddings(Builder &build, Stack &stack) {
    stack.words = build.table("embeddings.word_embeddings.weight", "vocab_size", 0, -1);
    const int64_t width = stack.words.size(1), pad = build.config.integer("pad_token_id", 0);
    stack.padding = pad >= 0 && pad < stack.words.size(0) ? pad : -1;
    if (build.config.flag("position_biased_input", true)) {
        stack.positions = Positions::Learned;
        stack.position_table = build.table("embeddings.position_embeddings.weight",
                                           "max_position_embeddings", 0, width);
        build.model.max_tokens = std::min(build.model.max_tokens, stack.position_table.size(0));
    }
    if (build.config.integer("type_vocab_size", 0) > 0)
        stack.types =
            build.table("embeddings.token_type_embeddings.weight", "type_vocab_size", 0, width);
    if (width != stack.dims)
        stack.mapping = build.linear("embeddings.embed_proj", stack.dims, width, false);
    stack.mapped_first = true;
    stack.embed_norm = build.norm("embeddings.LayerNorm", stack.dims, epsilon_of(build), true);
}

} // namespace

Stack build_deberta(Builder &build) {
    Stack stack;
    stack.dims = build.size("hidden_size");
    stack.heads = build.size("num_attention_heads");
    if (stack.dims % stack.heads != 0)
        build.config.refuse("num_attention_heads", "a divisor of hidden_size");
    stack.head = stack.dims / stack.heads;
    stack.activation = activation_of(build, "hidden_act", build.config.text("hidden_act", "gelu"));
    DropoutRates &rates = stack.dropout;
    rates.embedding = rates.attention = rates.ffn = build.dropout("hidden_dropout_prob", 0.1);
    rates.weights = build.dropout("attention_probs_dropout_prob", 0.1);
    build_embeddings(build, stack);
    build_distances(build, stack);
    const int64_t layers = build.size("num_hidden_layers", 1000);
    for (int64_t i = 0; i < layers; i++) stack.blocks.push_back(deberta_block(build, stack, i));
    build_convolution(build, stack);
    return stack;
}

/* The heads of BERT, but for these: that over texts has a first layer, which its files call a
 * pooler; that over masked words has two forms, by the key legacy. */
void build_deberta_head(Builder &build, const std::string &architecture) {
    Model &model = build.model;
    const double hidden = model.encoder.dropout.embedding;
    if (ends_with(architecture, "ForMaskedLM") && !build.config.flag("legacy", true)) {
        const std::string head = "lm_predictions.lm_head.";
        model.head = Head::Words;
        model.head_activation = model.encoder.activation;
        model.head_dense =
            build.linear(head + "dense", model.encoder.words.size(1), model.encoder.dims);
        model.head_norm =
            build.norm(head + "LayerNorm", model.encoder.words.size(1), epsilon_of(build), true);
        model.head_out = {model.encoder.words, build.read(head + "bias", {model.vocabulary})};
        return;
    }
    build_head(build, architecture);
    if (model.head == Head::Tokens) model.head_dropout = hidden;
    if (model.head != Head::Classes) return;
    model.head_activation =
        activation_of(build, "pooler_hidden_act", build.config.text("pooler_hidden_act", "gelu"));
    model.head_dropout_before = build.dropout("pooler_dropout", 0.0);
    model.head_dropout = build.dropout("cls_dropout", hidden);
}

} // namespace alcore_torch
