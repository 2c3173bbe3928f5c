/* SPDX-License-Identifier: Apache-2.0 */
/* The logits processors of transformers 5 (generation/logits_process.py), row by row. */
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "torch_rules.h"

namespace alcore_torch {

namespace {

constexpr float NEVER = -std::numeric_limits<float>::infinity();

/* Whether `tokens` ends with `end`. */
bool follows(const std::vector<int64_t> &tokens, const std::vector<int64_t> &end) {
    return tokens.size() >= end.size() && std::equal(end.rbegin(), end.rend(), tokens.rbegin());
}

/* Adds each bias whose tokens have come. */
void add_biases(const std::vector<SequenceBias> &biases, const Context &context, float *values) {
    for (const SequenceBias &one : biases)
        if (follows(context.tokens, one.before)) values[one.last] += static_cast<float>(one.bias);
}

/* Multiplies negative scores of these tokens by a factor, and divides others by it: above 1 they
 * become less likely. A token that stands there twice counts once. */
void penalize(const std::vector<int64_t> &tokens, double factor, float shift, int64_t vocabulary,
              float *values) {
    for (int64_t id : std::set<int64_t>(tokens.begin(), tokens.end())) {
        if (id >= vocabulary || factor == 1) continue;
        float score = values[id] - shift, by = static_cast<float>(factor);
        values[id] = (score < 0 ? score * by : score / by) + shift;
    }
}

/* Forbids what would end an n-gram that `text` has: tokens that follow there the last n - 1 of the
 * hypothesis. n 0: nothing. */
void forbid_ngrams(const std::vector<int64_t> &text, const std::vector<int64_t> &tokens, int64_t n,
                   int64_t vocabulary, float *values) {
    size_t size = static_cast<size_t>(n);
    if (n == 0 || tokens.size() + 1 < size) return;
    auto end = tokens.end() - (n - 1);
    for (size_t i = 0; i + size <= text.size(); i++) {
        int64_t next = text[i + size - 1];
        auto from = text.begin() + static_cast<ptrdiff_t>(i);
        if (next < vocabulary && std::equal(end, tokens.end(), from)) values[next] = NEVER;
    }
}

} // namespace

Rules::Rules(const Generation &folder, int64_t step, int64_t longest, int64_t forced_first)
    : folder_(folder), step_(step) {
    if (step == longest && !folder.forced_last.empty())
        forced_ = folder.forced_last;
    else if (step == 1 && forced_first >= 0)
        forced_ = {forced_first};
    if (!forced_.empty()) return;
    auto forbid = [&](const std::vector<int64_t> &ids) {
        forbidden_.insert(forbidden_.end(), ids.begin(), ids.end());
    };
    forbid(folder.suppressed);
    if (step == (forced_first < 0 ? 1 : 2)) forbid(folder.suppressed_first);
    if (step <= folder.shortest) forbid(folder.ends);
    bool sequences = !folder.biases.empty();
    for (const SequenceBias &word : folder.bad_words) {
        if (word.before.empty()) forbidden_.push_back(word.last);
        sequences = sequences || !word.before.empty();
    }
    reads_hypotheses_ = sequences || folder.repetition != 1 || folder.source_repetition != 1 ||
                        folder.ngram > 0 || folder.source_ngram > 0 ||
                        (folder.decay > 0 && step - 1 > folder.decay_from);
}

/* Raises the scores of ends, the more the longer the output is. */
void Rules::favor_ends(float *values, float shift) const {
    const int64_t over = step_ - 1 - folder_.decay_from;
    if (folder_.decay == 0 || over <= 0) return;
    const float by = static_cast<float>(std::pow(folder_.decay, static_cast<double>(over)) - 1);
    for (int64_t id : folder_.ends)
        if (std::isfinite(values[id])) values[id] += std::abs(values[id] - shift) * by;
}

void Rules::adjust(float *values, int64_t vocabulary, float shift, const Context &context) const {
    for (int64_t id : forbidden_) values[id] = NEVER;
    if (!reads_hypotheses_) return;
    add_biases(folder_.biases, context, values);
    penalize(context.source, 1 / folder_.source_repetition, shift, vocabulary, values);
    penalize(context.tokens, folder_.repetition, shift, vocabulary, values);
    forbid_ngrams(context.tokens, context.tokens, folder_.ngram, vocabulary, values);
    forbid_ngrams(context.source, context.tokens, folder_.source_ngram, vocabulary, values);
    add_biases(folder_.bad_words, context, values);
    favor_ends(values, shift);
}

bool reads_sources(const Generation &folder) {
    return folder.source_repetition != 1 || folder.source_ngram > 0;
}

at::Tensor cut_off(const Generation &folder, at::Tensor values) {
    const int64_t vocabulary = values.size(1);
    if (folder.top_k > 0) {
        at::Tensor best = std::get<0>(at::topk(values, std::min(folder.top_k, vocabulary), 1));
        values = values.masked_fill(values < best.narrow(1, best.size(1) - 1, 1), NEVER);
    }
    if (folder.top_p < 1) { /* the least likely go, as long as they have 1 - top_p together */
        auto [sorted, ids] = values.sort(1, false);
        at::Tensor out = at::softmax(sorted, 1).cumsum(1) <= 1 - folder.top_p;
        out.narrow(1, vocabulary - 1, 1).fill_(false);
        values = values.masked_fill(at::empty_like(out).scatter_(1, ids, out), NEVER);
    }
    if (folder.min_p > 0) {
        at::Tensor p = at::softmax(values, 1);
        values = values.masked_fill(p < p.amax(1, true) * folder.min_p, NEVER);
    }
    return values;
}

} // namespace alcore_torch
