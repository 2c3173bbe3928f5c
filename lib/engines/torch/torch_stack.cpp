/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of a stack on packed tokens: the tokens of all items (texts) of a batch lie one
 * after the other in a matrix [tokens, dims], without padding. A stack is the encoder or the
 * decoder; its inner width is heads x head, head being the components of one attention head. In a
 * decoder that reads given tokens, cross attention reads the encoder states, here called memory.
 *
 *     pre-norm    x += attention(norm(x));  x += ffn(norm(x));  a final norm after the last block
 *     post-norm   x = norm(x + attention(x));  x = norm(x + ffn(x))
 *     ffn         down(act(up(x))), gated: down(act(up(x)) * gate(x))
 *
 * A block costs about 24 dims^2 operations a token for its matrices and 4 dims times the length for
 * attention. Memory: about 12 dims components a token. */
#include <cmath>

#include "torch_attention.h"
#include "torch_deberta.h"
#include "torch_linear.h"
#include "torch_lora.h"
#include "torch_narrow.h"
#include "torch_tree.h"
#include "torch_window.h"

namespace alcore_torch {

/* The function between both layers of a feed-forward net, component by component. */
at::Tensor activate(const at::Tensor &x, Activation activation) {
    switch (activation) {
    case Activation::Gelu:
        return at::gelu(x);
    case Activation::GeluTanh:
        return at::gelu(x, "tanh");
    case Activation::Relu:
        return at::relu(x);
    case Activation::Silu:
        return at::silu(x);
    default:
        return at::tanh(x);
    }
}

/* The input of the first block, [tokens, dims]. ids, types, positions: int64 [tokens]; types
 * undefined: all 0; positions count from 0 in each item; drop: dropout, or nothing. */
at::Tensor embed_tokens(const Stack &stack, const at::Tensor &ids, const at::Tensor &types,
                        const at::Tensor &positions, const Drop &drop) {
    at::Tensor x = stack.packed_words ? packed_rows(*stack.packed_words, ids)
                                      : at::embedding(stack.words, ids, stack.padding);
    if (stack.widened) x = x.to(at::kFloat);
    if (stack.low_rank) x = x + stack.low_rank->rows(ids, stack.padding);
    if (stack.embed_scale != 1) x = x * stack.embed_scale;
    if (stack.position_table.defined())
        x = x + at::embedding(stack.position_table, positions + stack.position_base);
    if (stack.types.defined())
        x = x + (types.defined() ? at::embedding(stack.types, types) : stack.types[0]);
    /* Of the type of x, whatever the type of products is. */
    auto map = [&] { x = stack.mapping(x).to(x.scalar_type()); };
    const bool mapped = stack.mapping.weight.defined();
    if (mapped && stack.mapped_first) map();
    x = stack.embed_norm(x);
    if (drop) x = drop(x);
    if (mapped && !stack.mapped_first) map();
    return x;
}

/* Which bucket a distance (key minus query) falls into: exact near, logarithmic far (Raffel et al.
 * 2020): distances below a half (`exact`) of the buckets have one each, those up to `most` share
 * the other half, and greater ones are in the last. Bidirectional stacks (`both`) give half of the
 * buckets to each direction; others know no later keys. The logarithm is of float32 and cut towards
 * zero, as in the reference. Returns 0 to buckets - 1. */
static int64_t bucket_of(int64_t distance, int64_t buckets, int64_t most, bool both) {
    int64_t first = 0;
    if (both) {
        buckets /= 2;
        if (distance > 0) first = buckets;
        distance = std::abs(distance);
    } else {
        distance = std::max<int64_t>(-distance, 0);
    }
    int64_t exact = buckets / 2;
    if (distance < exact) return first + distance;
    float share =
        std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
        static_cast<float>(std::log(static_cast<double>(most) / static_cast<double>(exact)));
    int64_t far = exact + static_cast<int64_t>(share * static_cast<float>(buckets - exact));
    return first + std::min(far, buckets - 1);
}

/* The bias that attention adds to its scores, [1, heads, queries, keys]: query i is at position
 * first + i, key j at j. */
at::Tensor relative_bias(const Stack &stack, int64_t first, int64_t queries, int64_t keys) {
    at::Tensor bucket = at::empty({queries, keys}, at::TensorOptions().dtype(at::kLong));
    int64_t *values = bucket.data_ptr<int64_t>();
    for (int64_t i = 0; i < queries; i++)
        for (int64_t j = 0; j < keys; j++)
            values[i * keys + j] =
                bucket_of(j - (first + i), stack.buckets, stack.bucket_distance, !stack.causal);
    at::Tensor bias = at::embedding(stack.relative, bucket.to(stack.relative.device()));
    return bias.permute({2, 0, 1}).unsqueeze(0); /* [1, heads, queries, keys] */
}

/* Cuts a batch into runs, the longest possible; one pass over the items. lengths [items]: tokens;
 * memory_lengths [items], or empty without a memory. */
static std::vector<Run> find_runs(const std::vector<int64_t> &lengths,
                                  const std::vector<int64_t> &memory_lengths) {
    std::vector<Run> runs;
    int64_t token = 0, memory_token = 0;
    for (size_t i = 0; i < lengths.size(); i++) {
        int64_t memory_length = memory_lengths.empty() ? 0 : memory_lengths[i];
        if (runs.empty() || runs.back().length != lengths[i] ||
            runs.back().memory_length != memory_length)
            runs.push_back(
                {0 /* items */, lengths[i], token, memory_length, memory_token, {} /* bias */});
        runs.back().items++;
        token += lengths[i];
        memory_token += memory_length;
    }
    return runs;
}

/* The rows of x that belong to each run: [tokens of the run, n]. One operation for all, since the
 * gradient of many separate slices would be as many matrices of the size of x. */
std::vector<at::Tensor> split_runs(const at::Tensor &x, const std::vector<Run> &runs, bool memory) {
    std::vector<int64_t> sizes;
    for (const Run &run : runs)
        sizes.push_back(run.items * (memory ? run.memory_length : run.length));
    return x.split_with_sizes(sizes);
}

/* softmax(query key^T scale + bias) value with dropout of the attention weights. query, key, value:
 * [items, heads, length, head], the items of the batch from index `first` on. The function of torch
 * that does the same is not used, as it draws from the generator of the process. */
static at::Tensor attend_dropped(const at::Tensor &query, const at::Tensor &key,
                                 const at::Tensor &value, const std::optional<at::Tensor> &bias,
                                 bool causal, const Stack &stack, Dropout &dropout, size_t first) {
    at::Tensor scores = at::matmul(query * stack.attention_scale, key.transpose(-2, -1));
    if (bias) scores = scores + *bias;
    if (causal)
        scores = scores.masked_fill(
            at::ones({query.size(2), key.size(2)}, query.options()).triu(1).to(at::kBool),
            -std::numeric_limits<float>::infinity());
    at::Tensor weights = at::softmax(scores, -1);
    return at::matmul(dropout.items(weights, first, stack.dropout.weights), value);
}

/* softmax(query key^T scale + bias) value, all as above, with dropout where there is one. */
at::Tensor attend_run(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                      const std::optional<at::Tensor> &bias, bool causal, const Stack &stack,
                      Dropout *dropout, size_t first) {
    if (dropout != nullptr && stack.dropout.weights > 0)
        return attend_dropped(query, key, value, bias, causal, stack, *dropout, first);
    return at::scaled_dot_product_attention(query, key, value, bias, 0.0, causal,
                                            stack.attention_scale);
}

/* The same piece by piece where a window cuts texts. */
static at::Tensor attend_pieces(const at::Tensor &query, const at::Tensor &key,
                                const at::Tensor &value, const std::vector<Piece> &pieces,
                                const Stack &stack, Dropout *dropout, size_t first) {
    at::Tensor band = stack.band.to(query.scalar_type());
    std::vector<at::Tensor> mixed;
    for (const Piece &piece : pieces) {
        at::Tensor mask =
            band.narrow(0, 0, piece.queries).narrow(1, piece.column, piece.keys).contiguous();
        mixed.push_back(attend_run(
            query.narrow(2, piece.query, piece.queries), key.narrow(2, piece.key, piece.keys),
            value.narrow(2, piece.key, piece.keys), mask, false, stack, dropout, first));
    }
    return at::cat(mixed, 2);
}

at::Tensor attend(const Stack &stack, const std::vector<Run> &runs, const at::Tensor &q,
                  int64_t q_parts, const at::Tensor &kv, int64_t kv_parts, bool cross,
                  bool windowed, Dropout *dropout) {
    if (kernels_fit(q) && (dropout == nullptr || stack.dropout.weights == 0))
        return attend_packed(stack, runs, q, q_parts, kv, kv_parts, cross, windowed);
    std::vector<at::Tensor> q_runs = split_runs(q, runs, false);
    std::vector<at::Tensor> kv_runs = cross ? split_runs(kv, runs, true) : q_runs;
    std::vector<at::Tensor> mixed_runs;
    size_t item = 0; /* index in the batch of the first item of a run */
    for (size_t i = 0; i < runs.size(); i++) {
        const Run &run = runs[i];
        int64_t keys = cross ? run.memory_length : run.length;
        /* Each part: [items, heads, length, head]. */
        std::vector<at::Tensor> parts =
            kv_runs[i]
                .view({run.items, keys, kv_parts, stack.heads, stack.head})
                .transpose(1, 3)
                .unbind(2);
        at::Tensor value = parts[static_cast<size_t>(kv_parts - 1)];
        at::Tensor key = parts[static_cast<size_t>(kv_parts - 2)];
        at::Tensor query =
            cross ? q_runs[i]
                        .view({run.items, run.length, q_parts, stack.heads, stack.head})
                        .select(2, 0)
                        .transpose(1, 2)
                  : parts[0];
        std::optional<at::Tensor> bias;
        if (!cross && run.bias.defined()) bias = run.bias;
        bool causal = !cross && stack.causal && !bias;
        const std::vector<Piece> pieces =
            windowed ? pieces_of(stack, run.length) : std::vector<Piece>();
        at::Tensor mixed = pieces.empty()
                               ? attend_run(query, key, value, bias, causal, stack, dropout, item)
                               : attend_pieces(query, key, value, pieces, stack, dropout, item);
        mixed_runs.push_back(
            mixed.transpose(1, 2).reshape({run.items * run.length, stack.heads * stack.head}));
        item += static_cast<size_t>(run.items);
    }
    return mixed_runs.size() == 1 ? mixed_runs[0] : at::cat(mixed_runs);
}

at::Tensor positions_of(const Packed &batch) {
    at::Tensor positions = at::empty({batch.tokens}, at::TensorOptions().dtype(at::kLong));
    int64_t *values = positions.data_ptr<int64_t>(), token = 0;
    while (token < batch.shared) values[token] = token, token++;
    for (int64_t length : batch.lengths)
        for (int64_t k = 0; k < length; k++) values[token++] = batch.shared + k;
    if (batch.tree == nullptr) return positions;
    for (int64_t length : batch.lengths)
        for (int64_t depth : batch.tree->depths) values[token++] = batch.shared + length + depth;
    return positions;
}

/* Gives each run its bias of relative positions [1, heads, length, length] (T5), with minus
 * infinity for later keys in a decoder. Other stacks need none. */
static void set_biases(const Stack &stack, std::vector<Run> &runs) {
    if (!stack.relative.defined()) return;
    for (Run &run : runs) {
        run.bias = relative_bias(stack, 0, run.length, run.length).contiguous();
        if (!stack.causal) continue;
        at::Tensor later =
            at::ones({run.length, run.length}, run.bias.options()).triu(1).to(at::kBool);
        run.bias = run.bias.masked_fill(later, -std::numeric_limits<float>::infinity());
    }
}

StackPass::StackPass(const Model &model, const Stack &stack, const Packed &batch,
                     const std::vector<int64_t> &memory_lengths, Dropout *dropout)
    : model(model), stack(stack), batch(batch), runs(find_runs(batch.lengths, memory_lengths)),
      memory_lengths(memory_lengths), dropout(dropout) {
    set_biases(stack, runs);
    for (const Rotation &rotation : stack.rotations)
        turns.push_back(turn_of(positions_of(batch).to(model.device), rotation));
}

at::Tensor StackPass::drop(const at::Tensor &x, double rate) const {
    return dropout == nullptr ? x : dropout->rows(x, batch.lengths, rate);
}

at::Tensor StackPass::embed() const {
    return embed_tokens(stack, batch.ids, batch.types, positions_of(batch).to(model.device),
                        [&](const at::Tensor &y) { return drop(y, stack.dropout.embedding); });
}

at::Tensor StackPass::watched(const at::Tensor &x) const {
    const Model &watching = model;
    watching.host.tick(nullptr, 0, 0);
    if (x.requires_grad())
        x.register_hook([&watching](const at::Tensor &) { watching.host.tick(nullptr, 0, 0); });
    return x;
}

at::Tensor StackPass::block(size_t number, at::Tensor x, const at::Tensor &memory) const {
    const Block &block = stack.blocks[number];
    const DropoutRates &rates = stack.dropout;
    const at::Tensor entered = x;
    const Drop factors = [&](const at::Tensor &y) { return drop(y, rates.low_rank); };
    at::Tensor qkv = watched(block.self(stack.pre_norm ? block.self_norm(x) : x, factors));
    qkv = turned(stack, block, qkv,
                 block.rotation < 0 ? Turn() : turns[static_cast<size_t>(block.rotation)]);
    if (keep) keep(number, qkv);
    at::Tensor y =
        watched(stack.disentangled ? attend_disentangled(*this, block, qkv)
                : batch.shared > 0 || batch.tree != nullptr
                    ? attend_tree(*this, qkv, block.windowed)
                    : attend(stack, runs, qkv, 3, qkv, 3, false, block.windowed, dropout));
    x = dropout == nullptr
            ? added(block.self_out, y, x, block.self_after)
            : x + drop(block.self_after(block.self_out(y, factors)), rates.attention);
    if (!stack.pre_norm) x = block.self_norm(x);
    if (memory.defined()) {
        at::Tensor q = block.cross_q(stack.pre_norm ? block.cross_norm(x) : x, factors);
        at::Tensor kv = watched(block.cross_kv(memory, [&](const at::Tensor &m) {
            return dropout == nullptr ? m : dropout->rows(m, memory_lengths, rates.low_rank);
        }));
        y = watched(attend(stack, runs, q, 1, kv, 2, true /* cross */, false, dropout));
        x = dropout == nullptr ? added(block.cross_out, y, x)
                               : x + drop(block.cross_out(y, factors), rates.attention);
        if (!stack.pre_norm) x = block.cross_norm(x);
    }
    y = stack.pre_norm ? block.ffn_norm(x) : x;
    at::Tensor inside;
    if (block.gated) {
        std::vector<at::Tensor> halves = watched(block.up(y, factors)).chunk(2, -1);
        inside = activate(halves[0], stack.activation) * halves[1];
    } else {
        inside = watched(activated(block.up, y, stack.activation, factors));
    }
    if (block.gate.given()) inside = watched(gated(block.gate, y, inside, factors));
    x = dropout == nullptr
            ? added(block.down, inside, x, block.ffn_after)
            : x + drop(block.ffn_after(block.down(drop(inside, rates.inner), factors)), rates.ffn);
    if (!stack.pre_norm) x = block.ffn_norm(x);
    return watched(number == 0 && stack.convolution ? convolved(*this, entered, x) : x);
}

at::Tensor StackPass::finish(const at::Tensor &x) const {
    return drop(stack.final_norm(x), stack.dropout.last);
}

/* Hidden states [tokens, dims] of a batch after the first `blocks` blocks, with the final norm when
 * these are all. memory: encoder states [memory tokens, dims], packed alike, with memory_lengths
 * [items]; undefined: no cross attention. Throws when cancelled, which is asked after each
 * product or two of a block and, where gradients are taken, when theirs are known. */
at::Tensor run_stack(const Model &model, const Stack &stack, const Packed &batch, size_t blocks,
                     const at::Tensor &memory, const std::vector<int64_t> &memory_lengths,
                     Dropout *dropout) {
    StackPass pass(model, stack, batch, memory_lengths, dropout);
    at::Tensor x = pass.embed();
    for (size_t i = 0; i < blocks; i++) x = pass.block(i, x, memory);
    return blocks == stack.blocks.size() ? pass.finish(x) : x;
}

/* The weighted sum, float32 [tokens, dims], of what enters the first block of a stack and of what
 * each block gives, the last one with the final norm. weights [blocks + 1]; a layer of weight 0 is
 * computed, but not added. */
at::Tensor run_layers(const Model &model, const Stack &stack, const Packed &batch,
                      const std::vector<double> &weights) {
    StackPass pass(model, stack, batch, {}, nullptr);
    at::Tensor x = pass.embed(), sum;
    for (size_t layer = 0; layer < weights.size(); layer++) {
        if (layer > 0) x = pass.block(layer - 1, x, {});
        if (weights[layer] == 0) continue;
        const at::Tensor y = layer == stack.blocks.size() ? pass.finish(x) : x;
        sum = sum.defined() ? sum.add(y, weights[layer]) : y.to(at::kFloat) * weights[layer];
    }
    return sum.defined() ? sum : at::zeros_like(x, at::kFloat);
}

/* What the head's first layer makes of hidden states, where it has one. */
static at::Tensor head_layer(const Model &model, const at::Tensor &x) {
    if (!model.head_dense.weight.defined()) return x;
    return model.head_norm(activate(model.head_dense(x), model.head_activation));
}

/* What enters the output matrix, [rows, width], of hidden states [rows, dims]: through the head's
 * own layer where the model predicts masked words. */
at::Tensor output_input(const Model &model, const at::Tensor &hidden) {
    at::Tensor x = hidden;
    if (model.head == Head::Words) x = head_layer(model, x);
    return model.output_scale == 1 ? x : x * model.output_scale;
}

/* Logits [rows, vocabulary] of hidden states [rows, dims]. */
at::Tensor output_logits(const Model &model, const at::Tensor &hidden) {
    return model.head_out(output_input(model, hidden));
}

at::Tensor token_input(const Model &model, const at::Tensor &hidden) {
    return head_layer(model, hidden);
}

/* The mean over the tokens of each item of a batch: [items, dims] of x [tokens, dims]. */
static at::Tensor item_means(const Packed &batch, const at::Tensor &x) {
    std::vector<at::Tensor> means;
    for (const at::Tensor &own : x.split_with_sizes(batch.lengths))
        means.push_back(own.mean(0, false, at::kFloat).to(x.scalar_type()));
    return at::stack(means);
}

/* By the first token of each text or the mean of all, through the pooler or the head's first layer,
 * as the family has it. */
at::Tensor class_input(const Model &model, const Packed &batch, const at::Tensor &hidden,
                       Dropout *dropout) {
    auto drop = [&](const at::Tensor &x, double rate) {
        return dropout == nullptr ? x : dropout->items(x, 0, rate);
    };
    at::Tensor x;
    if (model.head_late) {
        x = item_means(batch, head_layer(model, hidden));
    } else {
        x = model.head_mean ? item_means(batch, hidden)
                            : hidden.index_select(0, first_tokens(batch));
        if (model.head_pooled) x = at::tanh(model.pooler(x));
        if (model.head_dense.weight.defined())
            x = head_layer(model, drop(x, model.head_dropout_before));
    }
    return drop(x, model.head_dropout);
}

} // namespace alcore_torch
