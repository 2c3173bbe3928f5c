/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of tokens under a decoder-only language model: of a text, or of a target that
 * follows a source. Item i reads the tokens r_1 .. r_n = [start] + text, or source + target, and
 * scores
 *
 *     log p(r_k | r_1 .. r_(k-1))   for each token r_k of the text, or of the target
 *
 * so that what the model reads is r_1 .. r_(n-1). */
#include <algorithm>

#include "torch_call.h"
#include "torch_language.h"
#include "torch_linear.h"
#include "torch_output.h"

namespace alcore_torch {

namespace {

/* What items are made of. */
struct Pairs {
    const Model &model;
    const alcore_sys_model_texts &sources;
    const alcore_sys_model_texts *targets; /* NULL: the sources themselves are scored */

    /* The tokens of a text of a call. */
    static std::vector<int64_t> of(const alcore_sys_model_texts &texts, int64_t item) {
        const int64_t *first = texts.ids + texts.offsets[item];
        return {first, first + length_of(texts, item)};
    }
    /* Whether the model reads its start token before the text. */
    bool started(int64_t item) const {
        if (targets != nullptr || model.start < 0) return false;
        return length_of(sources, item) == 0 || sources.ids[sources.offsets[item]] != model.start;
    }
    /* Whether an end is scored behind the target. */
    bool ended(int64_t item) const {
        const std::vector<int64_t> &ends = model.generation.ends;
        if (targets == nullptr || ends.empty()) return false;
        return length_of(*targets, item) == 0 ||
               std::find(ends.begin(), ends.end(), targets->ids[targets->offsets[item + 1] - 1]) ==
                   ends.end();
    }
    /* The number of the tokens r of an item. */
    int64_t length(int64_t item) const {
        return length_of(sources, item) + (started(item) ? 1 : 0) + (ended(item) ? 1 : 0) +
               (targets != nullptr ? length_of(*targets, item) : 0);
    }
    /* Tokens that an item scores, and those that the model reads for it: all but the last. */
    int64_t scored(int64_t item) const {
        const int64_t first = targets != nullptr ? length_of(sources, item) : 1;
        return std::max<int64_t>(length(item) - first, 0);
    }
    int64_t read(int64_t item) const { return std::max<int64_t>(length(item) - 1, 1); }
    /* The tokens r of an item. */
    std::vector<int64_t> tokens(int64_t item) const {
        std::vector<int64_t> out = of(sources, item);
        if (started(item)) out.insert(out.begin(), model.start);
        if (targets != nullptr) {
            const std::vector<int64_t> target = of(*targets, item);
            out.insert(out.end(), target.begin(), target.end());
        }
        if (ended(item)) out.push_back(model.generation.ends[0]);
        return out;
    }
};

/* A target needs a source, and both together must fit. */
void check_pairs(const Pairs &pairs) {
    for (int64_t i = 0; i < pairs.sources.count; i++) {
        if (pairs.targets != nullptr && length_of(pairs.sources, i) == 0)
            fail(ALCORE_E_DATA, "text %lld has no token, behind which its target could be",
                 static_cast<long long>(i));
        if (pairs.read(i) > pairs.model.max_tokens)
            fail(ALCORE_E_SHAPE, "text %lld has %lld tokens%s; 1 to %lld are allowed",
                 static_cast<long long>(i), static_cast<long long>(pairs.read(i)),
                 pairs.targets != nullptr ? " with its target" : "",
                 static_cast<long long>(pairs.model.max_tokens));
    }
}

} // namespace

/* An empty text is right: it has no token to score. */
void check_language_texts(const Model &model, const alcore_sys_model_texts &texts) {
    if (texts.count == 0) return;
    if (texts.ids == nullptr || texts.offsets == nullptr)
        fail(ALCORE_E_INVALID, "the torch module takes token ids; texts came without");
    for (int64_t i = 0; i < texts.count; i++)
        for (int64_t k = texts.offsets[i]; k < texts.offsets[i + 1]; k++)
            if (texts.ids[k] < 0 || texts.ids[k] >= model.vocabulary)
                fail(ALCORE_E_DATA, "text %lld: token id %lld is out of range",
                     static_cast<long long>(i), static_cast<long long>(texts.ids[k]));
}

LanguageBatch language_batch(const Model &model, const alcore_sys_model_texts &sources,
                             const alcore_sys_model_texts *targets,
                             const std::vector<int64_t> &items, int64_t shared) {
    const Pairs pairs{model, sources, targets};
    LanguageBatch out;
    std::vector<int64_t> ids, labels, rows;
    out.read.items = items;
    out.read.shared = out.read.tokens = shared;
    if (shared > 0) ids.assign(sources.ids, sources.ids + shared);
    for (int64_t item : items) {
        const std::vector<int64_t> tokens = pairs.tokens(item);
        const int64_t read = pairs.read(item) - shared, scored = pairs.scored(item);
        for (int64_t k = 0; k < read; k++)
            ids.push_back(tokens.empty() ? 0 : tokens[static_cast<size_t>(shared + k)]);
        for (int64_t k = 0; k < scored; k++) {
            rows.push_back(out.read.tokens + read - scored + k);
            labels.push_back(tokens[static_cast<size_t>(shared + read - scored + k + 1)]);
        }
        out.read.lengths.push_back(read);
        out.read.tokens += read;
        out.scored.push_back(scored);
    }
    const at::TensorOptions options = at::TensorOptions().dtype(at::kLong);
    out.read.ids = at::tensor(ids, options).to(model.device);
    out.rows = at::tensor(rows, options).to(model.device);
    out.labels = at::tensor(labels, options).to(model.device);
    return out;
}

int64_t shared_beginning(const alcore_sys_model_texts &sources, int64_t behind) {
    constexpr int64_t LEAST = 16, LONGEST = 1024; /* tokens; a rest has a mask [rest, all] */
    if (sources.count < 2) return 0;
    int64_t shared = INT64_MAX, longest = 0;
    for (int64_t i = 0; i < sources.count; i++) {
        const int64_t length = length_of(sources, i), most = std::min(shared, length - 1);
        const int64_t *ids = sources.ids + sources.offsets[i];
        longest = std::max(longest, length);
        shared = std::mismatch(ids, ids + std::max<int64_t>(most, 0), sources.ids).first - ids;
    }
    return shared >= LEAST && longest - shared + behind <= LONGEST ? shared : 0;
}

void refuse_dropout(const Model &model, const alcore_sys_model_scoring *scoring) {
    if (scoring != nullptr && scoring->dropout != 0)
        fail(ALCORE_E_UNSUPPORTED, "%s models are scored without dropout", model.family.c_str());
}

int64_t language_length(const Model &model, const alcore_sys_model_texts &sources,
                        const alcore_sys_model_texts *targets, int64_t item) {
    return Pairs{model, sources, targets}.read(item);
}

void check_language(const Model &model, const alcore_sys_model_texts &sources,
                    const alcore_sys_model_texts *targets) {
    if (targets != nullptr && targets->count != sources.count)
        fail(ALCORE_E_INVALID, "%lld targets for %lld sources",
             static_cast<long long>(targets->count), static_cast<long long>(sources.count));
    check_language_texts(model, sources);
    if (targets != nullptr) check_language_texts(model, *targets);
    check_pairs({model, sources, targets});
}

void score_language(Model &model, const alcore_sys_model_texts &sources,
                    const alcore_sys_model_texts *targets, const alcore_sys_model_scoring *scoring,
                    const alcore_sys_model_sink &sink) {
    refuse_dropout(model, scoring);
    check_language(model, sources, targets);
    const Pairs pairs{model, sources, targets};
    int64_t all = 0, behind = 0;
    for (int64_t i = 0; i < sources.count; i++) {
        all += pairs.read(i);
        behind = std::max(behind, pairs.read(i) - length_of(sources, i));
    }
    const int64_t shared = targets != nullptr ? shared_beginning(sources, behind) : 0;
    LabelScores scores(model, all,
                       [&](const auto &items, const at::Tensor &values, const auto &lengths) {
                           give(sink, items, values, &lengths);
                       });
    PackedWeights packed(model);
    if (all > model.batch_tokens) {
        packed.pack(model.host, model.encoder);
        if (!scores.reads_plain_weights()) packed.pack(model.host, model.head_out);
    }
    auto cost = [&](int64_t i) { return pairs.read(i) - shared; };
    auto before = [&](int64_t a, int64_t b) { return pairs.read(a) > pairs.read(b); };
    for_batches(model, sources.count, cost, before, [&](const std::vector<int64_t> &items) {
        const LanguageBatch batch = language_batch(model, sources, targets, items, shared);
        const at::Tensor hidden = last_hidden(model, batch.read).index_select(0, batch.rows);
        scores.add(items, batch.scored, hidden, batch.labels);
    });
    scores.finish();
}

} // namespace alcore_torch
