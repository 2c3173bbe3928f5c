/* SPDX-License-Identifier: Apache-2.0 */
/* The loss of a pass and its gradient.
 *
 * For a row (a token, or a text) with logits z and class y the loss is cross-entropy with label
 * smoothing e over V classes (Szegedy et al. 2016), p = softmax(z):
 *
 *     l = -(1 - e) log p_y - e / V sum_v log p_v        dl/dz_v = p_v - (1 - e) [v = y] - e / V
 *
 * Up to the input of the last layer gradients are autograd's. The last layer's are written out
 * here: rows are taken in pieces, so that a large vocabulary needs no matrix of all tokens, and
 * the gradient of the output matrix is added up in place, of which autograd would make a copy for
 * each piece. A piece takes about 50 ms; between pieces a call can be cancelled. */
#include <algorithm>

#include "torch_language.h"
#include "torch_recompute.h"
#include "torch_train.h"

namespace alcore_torch {

namespace {

constexpr int64_t IGNORED = -100; /* the label of what has no class */

/* Rows of a piece: its operations, 6 dims V a row, are to be about 6e9, which take about 50 ms. */
int64_t piece_rows(int64_t dims, int64_t classes) {
    double row = 6.0 * static_cast<double>(dims) * static_cast<double>(classes);
    return std::clamp<int64_t>(static_cast<int64_t>(6e9 / row), 16, 4096);
}

/* The gradient that a parameter has so far, zeros before the first is added. */
at::Tensor &gradient_of(const at::Tensor &parameter) {
    at::Tensor &gradient = parameter.mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameter);
    return gradient;
}

/* sum += slope^T own. Many rows are worth a matrix of the product beside the sum, because
 * product_of() is faster than the product of addmm_(). */
void add_product(at::Tensor &sum, const at::Tensor &slope, const at::Tensor &own) {
    constexpr int64_t MANY = 256;
    if (own.size(0) < MANY)
        sum.addmm_(slope.t(), own);
    else
        sum.add_(product_of(slope.t(), own));
}

/* Adds the gradients of the weighted sum of losses to those of all parameters, and returns that
 * sum. x [rows, dims]: the input of the last layer; its gradient is passed to autograd at the end,
 * which computes those of all layers before. labels: int64 [rows], each one of the classes;
 * weights: float [rows]. slope: dl/dz of the rows of a piece, p - share - (1 - smoothing) [v = y],
 * times their weights and `scale`. The layer is computed in float32 whatever the type of x is.
 * Once the losses are known, logp [rows of the piece, classes] is overwritten by the slope. The
 * returned sum is without `scale`. */
double last_layer(const Model &model, const at::Tensor &x, const at::Tensor &labels,
                  const at::Tensor &weights, double smoothing, double scale) {
    const Linear &last = model.head_out;
    int64_t rows = x.size(0), classes = last.weight.size(0);
    int64_t step = piece_rows(x.size(1), classes);
    double loss = 0, share = smoothing / static_cast<double>(classes);
    at::Tensor gradient;
    {
        c10::NoGradGuard by_hand;
        at::Tensor input = x.detach().to(at::kFloat);
        gradient = at::empty_like(input);
        for (int64_t from = 0; from < rows; from += step) {
            int64_t count = std::min(step, rows - from);
            at::Tensor own = input.narrow(0, from, count);
            at::Tensor label = labels.narrow(0, from, count).unsqueeze(1);
            at::Tensor weight = weights.narrow(0, from, count);
            at::Tensor logp = at::log_softmax(last(own), -1);
            at::Tensor losses = logp.gather(1, label).squeeze(1) * (smoothing - 1);
            if (smoothing > 0) losses = losses - logp.sum(1) * share;
            loss += (losses * weight).sum(at::kDouble).item<double>();
            at::Tensor slope = logp.exp_().sub_(share);
            slope.scatter_add_(1, label, at::full(label.sizes(), smoothing - 1, own.options()));
            slope.mul_(weight.unsqueeze(1) * scale);
            gradient.narrow(0, from, count).copy_(product_of(slope, last.weight));
            if (last.weight.requires_grad()) add_product(gradient_of(last.weight), slope, own);
            if (last.bias.defined() && last.bias.requires_grad())
                gradient_of(last.bias).add_(slope.sum(0));
            model.host.tick(nullptr, 0, 0);
        }
    }
    x.backward(gradient.to(x.scalar_type()));
    return loss;
}

/* Weight of each row of the pass, float [rows] on the model's device: that of its example.
 * examples: their numbers in the call; rows_of [examples]: how many rows each has. */
at::Tensor weights_of(const Model &model, const alcore_sys_model_training &how,
                      const std::vector<int64_t> &examples, const std::vector<int64_t> &rows_of) {
    std::vector<float> values;
    for (size_t i = 0; i < examples.size(); i++)
        values.insert(values.end(), static_cast<size_t>(rows_of[i]),
                      how.weights == nullptr ? 1.0f : how.weights[examples[i]]);
    return at::tensor(values, at::TensorOptions().dtype(at::kFloat)).to(model.device);
}

/* The values as int64 [values] on the model's device. */
at::Tensor integers(const Model &model, const std::vector<int64_t> &values) {
    return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(model.device);
}

/* The answer of an example: among the `tokens` tokens that can be part of one, those that it begins
 * and ends with, by their numbers from 0. */
struct Answer {
    int64_t tokens, first, last;
    double weight; /* of the example */
};

/* Adds the gradients of the losses of answers, times scale. x [rows, dims]: states of the tokens
 * that can be part of an answer, of one example after the other. The loss of an example is the mean
 * of two cross-entropies over its tokens: of the first and of the last one of the answer. Returns
 * the weighted sum of the losses, without scale. */
double answers_loss(const Model &model, const at::Tensor &x, const std::vector<Answer> &answers,
                    double smoothing, double scale) {
    std::vector<int64_t> sizes;
    for (const Answer &answer : answers) sizes.push_back(answer.tokens);
    std::vector<at::Tensor> logits = model.head_out(x.to(at::kFloat)).split_with_sizes(sizes);
    std::vector<at::Tensor> losses;
    for (size_t i = 0; i < answers.size(); i++) {
        const Answer &answer = answers[i];
        at::Tensor logp = at::log_softmax(logits[i], 0); /* [tokens, 2] */
        at::Tensor sum = (logp[answer.first][0] + logp[answer.last][1]) * (1 - smoothing);
        if (smoothing > 0)
            sum = sum + logp.sum() * (smoothing / static_cast<double>(answer.tokens));
        losses.push_back(sum * (-answer.weight / 2));
    }
    at::Tensor total = at::stack(losses).sum();
    (total * scale).backward();
    model.host.tick(nullptr, 0, 0);
    return total.item<double>();
}

/* The encoder and the decoder of a pass, at once or with blocks that are computed twice. */
class Stacks {
  public:
    Stacks(const Model &model, const alcore_sys_model_training &how, Dropout &dropout)
        : model_(model), recompute_(how.recompute != 0), dtype_(products_type(how)),
          dropout_(dropout) {}
    /* The output of a stack, as run_stack(): the encoder's first, then the decoder's, which reads
     * it. The batches are borrowed until backward() has ended. */
    at::Tensor run(const Stack &stack, const Packed &batch, const at::Tensor &memory,
                   const std::vector<int64_t> &memory_lengths) {
        if (!recompute_) {
            PrecisionScope products(model_.device, dtype_);
            return run_stack(model_, stack, batch, stack.blocks.size(), memory, memory_lengths,
                             &dropout_);
        }
        if (memory.defined()) {
            states_ = memory;
            leaf_ = memory.detach().set_requires_grad(true);
        }
        stacks_.push_back(std::make_unique<RecomputedStack>(model_, stack, batch, leaf_,
                                                            memory_lengths, &dropout_, dtype_));
        return stacks_.back()->run();
    }
    /* Goes on from the gradients of the last output, after a backward() from it. The stack that ran
     * last, the decoder, is first: it leaves a gradient in leaf_, which is passed on to the
     * encoder's output, so that the encoder's blocks follow. */
    void backward() {
        Roots roots;
        for (; !stacks_.empty(); stacks_.pop_back()) {
            stacks_.back()->backward(&roots);
            if (stacks_.size() > 1 && leaf_.grad().defined()) states_.backward(leaf_.grad());
        }
        roots.backward();
    }

  private:
    const Model &model_;
    bool recompute_;
    at::ScalarType dtype_;
    Dropout &dropout_;
    std::vector<std::unique_ptr<RecomputedStack>> stacks_;
    at::Tensor states_, leaf_; /* the encoder's output with its graph, and what the decoder reads */
};

/* add_gradients() of a language model, whose rows are the tokens that score_language() scores.
 * Items of one length are neighbors, since attention is computed for them together. */
Sums add_language_gradients(const Model &model, const alcore_sys_model_training &how,
                            std::vector<int64_t> examples, uint64_t seed, double scale) {
    const auto length = [&](int64_t i) {
        return language_length(model, *how.sources, how.targets, i);
    };
    std::stable_sort(examples.begin(), examples.end(),
                     [&](int64_t a, int64_t b) { return length(a) > length(b); });
    const LanguageBatch batch = language_batch(model, *how.sources, how.targets, examples);
    Sums sums;
    for (int64_t i : examples)
        sums.tokens +=
            length_of(*how.sources, i) + (how.targets == nullptr ? 0 : length_of(*how.targets, i));
    if (batch.labels.numel() == 0) return sums;
    Dropout dropout(seed, examples, model.device);
    Stacks stacks(model, how, dropout);
    const at::Tensor hidden = stacks.run(model.encoder, batch.read, {}, {});
    const at::Tensor weights = weights_of(model, how, examples, batch.scored);
    sums.loss = last_layer(model, hidden.index_select(0, batch.rows), batch.labels, weights,
                           how.label_smoothing, scale);
    stacks.backward();
    sums.weight = weights.sum(at::kDouble).item<double>();
    return sums;
}

} // namespace

/* Rows are the target tokens of a model with a decoder, the tokens with a label of a model that
 * classifies tokens or predicts words, and the texts with a label of a classifier of texts; those
 * of answers are the tokens that can be part of one. A pass without a label adds nothing.
 *
 * hidden [packed tokens, dims]; x [rows, n]: the input of the last layer; labels int64 [rows];
 * rows_of [examples]: rows of each. `products` is in force while layers between the stacks and the
 * last one are computed; it ends before the last layer, which is float32. */
Sums add_gradients(const Model &model, const alcore_sys_model_training &how,
                   const std::vector<int64_t> &examples, uint64_t seed, double scale) {
    if (model.head == Head::Language)
        return add_language_gradients(model, how, examples, seed, scale);
    const alcore_sys_model_texts &sources = *how.sources;
    Packed source = pack(model, sources, examples), target, entered;
    Sums sums;
    sums.tokens = source.tokens;
    Dropout dropout(seed, examples, model.device);
    Stacks stacks(model, how, dropout);
    at::Tensor hidden = stacks.run(model.encoder, source, {}, {}), x, labels;
    std::vector<int64_t> rows_of;
    std::optional<PrecisionScope> products(std::in_place, model.device, products_type(how));
    if (model.head == Head::Answers) {
        std::vector<Answer> answers;
        std::vector<int64_t> rows; /* packed rows of the tokens that can be part of an answer */
        int64_t row = 0;           /* packed row of the example's first token */
        for (int64_t example : examples) {
            const int64_t *label = how.labels + 2 * example;
            Answer answer{0, 0, 0, how.weights == nullptr ? 1.0 : how.weights[example]};
            int64_t from = sources.offsets[example], length = length_of(sources, example);
            for (int64_t k = 0; label[0] != IGNORED && k < length; k++) {
                if (!may_answer(sources, from + k)) continue;
                if (k == label[0]) answer.first = answer.tokens;
                if (k == label[1]) answer.last = answer.tokens;
                rows.push_back(row + k);
                answer.tokens++;
            }
            if (answer.tokens > 0) answers.push_back(answer);
            row += length;
        }
        products.reset();
        if (answers.empty()) return sums;
        x = token_input(model, hidden.index_select(0, integers(model, rows)));
        sums.loss = answers_loss(model, x, answers, how.label_smoothing, scale);
        stacks.backward();
        for (const Answer &answer : answers) sums.weight += answer.weight;
        return sums;
    }
    if (model.head == Head::Seq2seq) {
        target = pack(model, *how.targets, examples);
        target.types = at::Tensor();
        entered = shifted(model, target);
        sums.tokens += target.tokens;
        hidden = stacks.run(*model.decoder, entered, hidden, source.lengths);
        x = output_input(model, hidden);
        labels = target.ids;
        rows_of = target.lengths;
    } else {
        std::vector<int64_t> rows, chosen; /* packed rows that have a label, and the labels */
        int64_t row = 0;                   /* packed row of the example's first token */
        for (int64_t example : examples) {
            int64_t from = model.head == Head::Classes ? example : sources.offsets[example];
            int64_t length = length_of(sources, example), count = 0;
            int64_t candidates = model.head == Head::Classes ? 1 : length;
            for (int64_t k = 0; k < candidates; k++)
                if (how.labels[from + k] != IGNORED) {
                    rows.push_back(row + k);
                    chosen.push_back(how.labels[from + k]);
                    count++;
                }
            rows_of.push_back(count);
            row += length;
        }
        if (rows.empty()) return sums;
        labels = integers(model, chosen);
        if (model.head == Head::Tokens)
            hidden = dropout.rows(token_input(model, hidden), source.lengths, model.head_dropout);
        if (model.head == Head::Classes) { /* the generators of dropout are those of examples */
            x = class_input(model, source, hidden, &dropout);
            std::vector<int64_t> labeled;
            for (size_t i = 0; i < rows_of.size(); i++)
                if (rows_of[i] > 0) labeled.push_back(static_cast<int64_t>(i));
            if (labeled.size() < rows_of.size()) x = x.index_select(0, integers(model, labeled));
        } else {
            x = hidden.index_select(0, integers(model, rows));
        }
        if (model.head == Head::Words) x = output_input(model, x);
    }
    products.reset();
    at::Tensor weights = weights_of(model, how, examples, rows_of);
    sums.loss = last_layer(model, x, labels, weights, how.label_smoothing, scale);
    stacks.backward();
    sums.weight = weights.sum(at::kDouble).item<double>();
    return sums;
}

} // namespace alcore_torch
