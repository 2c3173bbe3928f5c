/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of tokens under a model, and its own outputs: losses of masked words, log-probabilities of
 * given targets or of the best output, translation. */
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "torch_call.h"
#include "torch_language.h"
#include "torch_linear.h"
#include "torch_output.h"

namespace alcore_torch {

namespace {

/* The dropout of scoring: the draws of an item depend on the seed and its number in the call. */
std::optional<Dropout> dropout_of(const alcore_sys_model_scoring *scoring,
                                  const std::vector<int64_t> &items) {
    if (scoring == nullptr || scoring->dropout == 0) return {};
    return Dropout(scoring->seed, items);
}

} // namespace

/* mlm_losses of the table: for each token but special ones minus its log-probability in nats, from
 * the text as it is (no token is masked). scoring may be NULL. */
alcore_status mlm_losses(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                         const alcore_sys_model_scoring *scoring,
                         const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Words, "masked words");
        auto wanted = [&](int64_t, int64_t k) {
            return texts->marks == nullptr || !(texts->marks[k] & ALCORE_SYS_TOKEN_SPECIAL);
        };
        LabelScores scores(*model, texts->count == 0 || !texts->offsets ? 0 : all_tokens(*texts),
                           [&](const auto &items, const at::Tensor &values, const auto &lengths) {
                               expect_numbers(*model, items, values, &lengths);
                               give(*sink, items, -values, &lengths);
                           });
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            std::optional<Dropout> dropout = dropout_of(scoring, batch.items);
            at::Tensor x = last_hidden(*model, batch.packed, dropout ? &*dropout : nullptr)
                               .index_select(0, rows);
            at::Tensor labels = batch.packed.ids.index_select(0, rows);
            scores.add(batch.items, lengths, x, labels);
        });
        scores.finish();
    });
}

namespace {

/* Passes to the sink, for each pair of source i and target i, the log-probability of each token of
 * the target under the decoder that has read the source and the target's tokens before it. */
void score_targets(Model &model, const alcore_sys_model_texts &sources,
                   const alcore_sys_model_texts &targets, const alcore_sys_model_scoring *scoring,
                   const alcore_sys_model_sink &sink) {
    if (targets.count != sources.count)
        fail(ALCORE_E_INVALID, "%lld targets for %lld sources",
             static_cast<long long>(targets.count), static_cast<long long>(sources.count));
    check_texts(model, sources, model.encoder.words.size(0));
    check_texts(model, targets, model.vocabulary);
    LabelScores scores(model, all_tokens(targets),
                       [&](const auto &items, const at::Tensor &values, const auto &lengths) {
                           give(sink, items, values, &lengths);
                       });
    PackedWeights packed(model);
    if (all_tokens(sources) + all_tokens(targets) > model.batch_tokens) {
        packed.pack(model.host, model.encoder);
        packed.pack(model.host, *model.decoder);
        if (!scores.reads_plain_weights()) packed.pack(model.host, model.head_out);
    }
    auto cost = [&](int64_t i) { return length_of(sources, i) + length_of(targets, i); };
    auto before = [&](int64_t a, int64_t b) {
        int64_t x = length_of(sources, a), y = length_of(sources, b);
        return x != y ? x > y : length_of(targets, a) > length_of(targets, b);
    };
    for_batches(model, sources.count, cost, before, [&](const std::vector<int64_t> &items) {
        Packed source = pack(model, sources, items), target = pack(model, targets, items);
        target.types = at::Tensor();
        std::optional<Dropout> dropout = dropout_of(scoring, items);
        Dropout *drop = dropout ? &*dropout : nullptr;
        at::Tensor memory = last_hidden(model, source, drop);
        const Stack &decoder = *model.decoder;
        at::Tensor hidden = run_stack(model, decoder, shifted(model, target), decoder.blocks.size(),
                                      memory, source.lengths, drop);
        scores.add(items, target.lengths, hidden, target.ids);
    });
    scores.finish();
}

/* The settings of the caller, of the size that they say, which may be older than ours; NULL: zeros,
 * the defaults. */
alcore_sys_model_decoding settings_from(const alcore_sys_model_decoding *given) {
    alcore_sys_model_decoding out{};
    if (given != nullptr) std::memcpy(&out, given, std::min(given->size, sizeof out));
    return out;
}

/* for_texts() for decoding, which reads all weights of the decoder in every step, whatever the
 * number of items is: a batch has up to four times as many source tokens as others (never more than
 * model.most_tokens; twice as many of both with an encoder, which reads them in pieces), and up to
 * MOST_HYPOTHESES hypotheses. An item counts as its share of such a
 * batch, in units of model.batch_tokens. */
void for_sources(Model &model, const alcore_sys_model_texts &texts,
                 const alcore_sys_model_decoding &how,
                 const std::function<void(const Batch &)> &body) {
    constexpr double MOST_HYPOTHESES = 256;
    PackedWeights packed(model);
    if (texts.count > 0) {
        if (model.decoder) packed.pack(model.host, *model.decoder);
        packed.pack(model.host, model.head_out);
    }
    double unit = static_cast<double>(model.batch_tokens),
           pieces = model.decoder && model.device.is_cpu() ? 2 : 1,
           tokens = pieces * std::min(4 * unit, static_cast<double>(model.most_tokens)),
           hypotheses = std::max({how.sample ? how.outputs : how.beams, 1});
    auto cost = [&](int64_t i) {
        double length = static_cast<double>(length_of(texts, i));
        return static_cast<int64_t>(
            std::ceil(unit * std::max(length / tokens, hypotheses / MOST_HYPOTHESES)));
    };
    for_texts(model, texts, cost, body);
}

} // namespace

/* token_logprobs of the table: of given targets or, with ALCORE_SYS_SCORE_HYPOTHESIS, of the best
 * output that the model decodes itself; the end token counts. A text without an output, as its
 * logits are no numbers, has the one value NaN. targets and scoring may be NULL. */
alcore_status token_logprobs(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                             const alcore_sys_model_texts *targets,
                             const alcore_sys_model_scoring *scoring,
                             const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        bool hypothesis = scoring != nullptr && scoring->what == ALCORE_SYS_SCORE_HYPOTHESIS;
        const bool language = model->head == Head::Language;
        if (scoring != nullptr && scoring->what == ALCORE_SYS_SCORE_CHOICES) {
            need_head(*model, Head::Language, "choices behind a text");
            if (targets == nullptr || targets->count == 0)
                fail(ALCORE_E_INVALID, "there are no targets to choose from");
            return score_choices(*model, *sources, *targets, *scoring, *sink);
        }
        if (language && !hypothesis)
            return score_language(*model, *sources, targets, scoring, *sink);
        if (!language) need_head(*model, Head::Seq2seq, "texts given a source");
        if (!hypothesis && targets == nullptr)
            fail(ALCORE_E_INVALID, "a %s model scores targets; none are given",
                 model->family.c_str());
        if (!hypothesis) return score_targets(*model, *sources, *targets, scoring, *sink);
        if (scoring->dropout != 0)
            fail(ALCORE_E_UNSUPPORTED, "a model's own outputs are scored without dropout: score "
                                       "references, or switch it off");
        alcore_sys_model_decoding how = settings_from(scoring->decoding);
        for_sources(*model, *sources, how, [&](const Batch &batch) {
            std::vector<std::vector<Output>> found = decode(*model, batch.packed, how, 1);
            std::vector<float> values;
            std::vector<int64_t> lengths;
            for (const std::vector<Output> &outputs : found) {
                const std::vector<float> best =
                    outputs.empty() ? std::vector<float>{std::numeric_limits<float>::quiet_NaN()}
                                    : outputs[0].logprobs;
                values.insert(values.end(), best.begin(), best.end());
                lengths.push_back(static_cast<int64_t>(best.size()));
            }
            give(*sink, batch.items, at::tensor(values, at::TensorOptions().dtype(at::kFloat)),
                 &lengths);
        });
    });
}

/* translate of the table: token ids of each output, its rank (0: the best), score and
 * log-probabilities; no text, as the module has no tokenizer. Beams and length penalty that are 0
 * are those of the folder. decoding NULL: all of them are. */
alcore_status translate(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                        const alcore_sys_model_decoding *decoding,
                        const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        if (model->head != Head::Language) need_head(*model, Head::Seq2seq, "translation");
        alcore_sys_model_decoding how = settings_from(decoding);
        const Generation &folder = model->generation;
        if (how.beams == 0 && how.sample == 0 && folder.sample)
            fail(ALCORE_E_UNSUPPORTED,
                 "%s: do_sample asks for outputs that are drawn; name the number of beams of a "
                 "search (1: greedy), or ask for samples with a seed",
                 folder.path.c_str());
        if (how.beams == 0) how.beams = std::max(folder.beams, how.outputs);
        for_sources(*model, *sources, how, [&](const Batch &batch) {
            std::vector<std::vector<Output>> found =
                decode(*model, batch.packed, how, folder.length_penalty);
            for (size_t i = 0; i < found.size(); i++)
                for (size_t rank = 0; rank < found[i].size(); rank++) {
                    const Output &one = found[i][rank];
                    check(sink->put_text(sink->user, batch.items[i], static_cast<int64_t>(rank),
                                         nullptr, 0, one.ids.data(), one.logprobs.data(),
                                         static_cast<int64_t>(one.ids.size()), one.score));
                }
        });
    });
}

} // namespace alcore_torch
