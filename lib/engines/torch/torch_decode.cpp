/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of seq2seq and language models: greedy, beam search and sampling (torch_decode.h has its
 * words).
 *
 * Beam search scores a hypothesis y by sum log p / |y|^penalty. Of the best continuations of an
 * item's k hypotheses, (1 + ends) k where `ends` tokens end an output, those among the first k that
 * end are finished, and the k best others are continued; an item is done when it has k finished
 * ones and, unless the folder asks for early_stopping, the best of the others could not beat the
 * worst of them at its present length ("never": at its greatest one). */
#include "torch_decode.h"

#include <cmath>

namespace alcore_torch {

namespace {

/* Makes `id` the language of the outputs: where transformers puts it, the first token of an output;
 * of mBART (not mBART-50, whose outputs start with the end token) what the decoder reads first. */
void force_language(const Model &model, int64_t id, Settings &s) {
    if (id >= model.vocabulary)
        fail(ALCORE_E_INVALID, "the token %lld of a language is not in the vocabulary",
             static_cast<long long>(id));
    const std::vector<int64_t> &ends = model.generation.ends;
    if (model.start_rolled && model.generation.forced_first < 0 &&
        std::find(ends.begin(), ends.end(), model.start) == ends.end())
        s.start = id;
    else
        s.forced_first = id;
}

/* Checks the caller's settings and fills in the defaults: 0 is the default everywhere, of
 * length_penalty `penalty`; a negative length_penalty means none. No output is longer than a table
 * of positions.
 */
Settings settings_of(const Model &model, const alcore_sys_model_decoding &how, double penalty) {
    Settings s;
    if (how.beams < 0 || how.beams > 64 || how.outputs < 0 || how.outputs > 64 ||
        how.max_tokens < 0 || how.temperature < 0)
        fail(ALCORE_E_INVALID,
             "beams and outputs are 0 to 64, max_tokens and temperature 0 or more");
    s.sample = how.sample != 0;
    s.outputs = std::max(how.outputs, 1);
    s.k = s.sample ? s.outputs : std::max(how.beams, 1);
    s.greedy = !s.sample && s.k == 1;
    if (s.outputs > s.k)
        fail(ALCORE_E_INVALID, "%lld outputs of %lld beams", static_cast<long long>(s.outputs),
             static_cast<long long>(s.k));
    const Generation &folder = model.generation;
    s.most = how.max_tokens > 0 ? how.max_tokens : folder.longest;
    s.total = how.max_tokens > 0 ? model.max_tokens : std::min(model.max_tokens, folder.total);
    const Stack &stack = decoding_stack(model);
    if (stack.position_table.defined())
        s.most = std::min(s.most, stack.position_table.size(0) - stack.position_base);
    s.penalty = how.length_penalty == 0 ? penalty : std::max(how.length_penalty, 0.0);
    s.temperature = how.temperature == 0 ? folder.temperature : how.temperature;
    if (s.sample && !folder.unknown_cut.empty())
        fail(ALCORE_E_UNSUPPORTED,
             "%s: %s, by which draws are cut, is not computed here; top_k, top_p and min_p are: "
             "take it out, or search with beams",
             folder.path.c_str(), folder.unknown_cut.c_str());
    s.seed = how.seed;
    s.start = model.head == Head::Language ? 0 : model.start;
    s.forced_first = folder.forced_first;
    if (how.language_token > 0) force_language(model, how.language_token - 1, s);
    return s;
}

/* A copy of a hypothesis with one token more; score: that of the whole. */
Hypothesis extended(const Hypothesis &from, int64_t id, float logprob, double score) {
    Hypothesis out = from;
    out.ids.push_back(id);
    out.logprobs.push_back(logprob);
    out.score = score;
    return out;
}

/* The score of an output is divided by this; tokens: its length, the end token included. */
double length_penalty(const Settings &how, int64_t tokens) {
    return std::pow(static_cast<double>(tokens), how.penalty);
}

/* Adds a hypothesis to item.finished, its score divided by its length penalty, and keeps the k
 * best, the best first; of equals the earlier one stays. */
void finish(const Settings &how, Item &item, Hypothesis hypothesis) {
    hypothesis.score /= length_penalty(how, static_cast<int64_t>(hypothesis.ids.size()));
    auto place = std::upper_bound(
        item.finished.begin(), item.finished.end(), hypothesis,
        [](const Hypothesis &a, const Hypothesis &b) { return a.score > b.score; });
    item.finished.insert(place, std::move(hypothesis));
    if (item.finished.size() > static_cast<size_t>(how.k)) item.finished.pop_back();
}

/* Ends an item without an output, as the model's logits for one of its hypotheses are no
 * numbers. */
void give_up(Item &item) {
    item.finished.clear();
    item.done = true;
}

/* Whether a search need not go on: k hypotheses are finished, and no other one may beat the worst
 * of them by the rule of early_stopping that the folder sets. */
bool is_settled(const Search &search, const Item &item) {
    const EarlyStopping early = search.model.generation.early_stopping;
    if (item.finished.size() < static_cast<size_t>(search.how.k)) return false;
    const bool far = early == EarlyStopping::Never && search.how.penalty > 0;
    const double divisor = length_penalty(search.how, far ? item.most : search.step);
    return early == EarlyStopping::Yes ||
           item.running[0].score / divisor <= item.finished.back().score;
}

/* One step of beam search for all items. nexts: at least the looked_at() best continuations of each
 * hypothesis, or all. sources: out, empty before, [items k] the hypothesis that each new one
 * continues. Of the continuations of an item the best come first, so `c` is the rank. */
void beam_step(Search &search, const Nexts &nexts, std::vector<int64_t> &sources) {
    struct Continuation {
        float score; /* sum of the ruled log-probabilities */
        size_t from; /* the hypothesis of the item */
        const Next *next;
    };
    size_t k = static_cast<size_t>(search.how.k);
    for (size_t i = 0; i < search.items.size(); i++) {
        Item &item = search.items[i];
        const bool last = search.step >= item.most;
        std::vector<Continuation> best;
        bool lost = false; /* a hypothesis, which an entry with the score NO_HYPOTHESIS is not */
        for (size_t b = 0; b < k; b++)
            lost = lost || (is_real(item.running[b].score) && nexts[i * k + b].empty());
        if (lost) {
            sources.insert(sources.end(), k, static_cast<int64_t>(i * k));
            give_up(item);
            continue;
        }
        for (size_t b = 0; b < k; b++)
            for (const Next &next : nexts[i * k + b])
                best.push_back({next.ruled + static_cast<float>(item.running[b].score), b, &next});
        std::stable_sort(best.begin(), best.end(),
                         [](const auto &a, const auto &b) { return a.score > b.score; });
        std::vector<Hypothesis> running;
        for (size_t c = 0; c < best.size() && c < search.looked_at(); c++) {
            int64_t id = best[c].next->id;
            bool ends = last || search.ends(id);
            if (ends ? c >= k : running.size() == k) continue;
            Hypothesis next = extended(item.running[best[c].from], id, best[c].next->own,
                                       static_cast<double>(best[c].score));
            if (ends) {
                finish(search.how, item, std::move(next));
            } else {
                running.push_back(std::move(next));
                sources.push_back(static_cast<int64_t>(i * k + best[c].from));
            }
        }
        while (running.size() < k) { /* entries without a hypothesis */
            running.emplace_back();
            running.back().ids.resize(static_cast<size_t>(search.step), search.how.start);
            running.back().logprobs.resize(static_cast<size_t>(search.step));
            sources.push_back(static_cast<int64_t>(i * k));
        }
        item.running = std::move(running);
        item.done = last || is_settled(search, item);
    }
}

/* One step of greedy search or sampling: every hypothesis by itself, with the first of its
 * continuations. sources: as in beam_step(); hypothesis r continues r. A hypothesis that has ended
 * waits for the others of its item and does not change. */
void single_step(Search &search, const Nexts &nexts, std::vector<int64_t> &sources) {
    for (size_t r = 0; r < nexts.size(); r++) {
        Item &item = search.items[r / static_cast<size_t>(search.how.k)];
        Hypothesis &one = item.running[r % static_cast<size_t>(search.how.k)];
        sources.push_back(static_cast<int64_t>(r));
        if (!one.ids.empty() && search.ends(one.ids.back())) continue;
        if (nexts[r].empty()) {
            give_up(item);
            continue;
        }
        const Next &next = nexts[r][0];
        one = extended(one, next.id, next.own, one.score + static_cast<double>(next.own));
    }
    for (Item &item : search.items) {
        if (item.done) continue; /* given up */
        const bool last = search.step >= item.most;
        item.done = true;
        for (const Hypothesis &one : item.running)
            item.done = item.done && (last || search.ends(one.ids.back()));
        if (!item.done) continue;
        for (const Hypothesis &one : item.running) finish(search.how, item, one);
    }
}

} // namespace

/* Outputs of each source, by its index in the batch, best first, at most how.outputs of them and no
 * more than the rules of the folder allow; none for a source with a logit that is NaN or plus
 * infinity, or without a finite one. ids [items k]: the token that each hypothesis reads in the
 * next step. Outputs of items that are done are moved to `out` before drop_done() removes these
 * items. */
std::vector<std::vector<Output>> decode(const Model &model, const Packed &sources,
                                        const alcore_sys_model_decoding &how, double penalty) {
    Settings settings = settings_of(model, how, penalty);
    Search search = begin_search(model, sources, settings);
    std::vector<std::vector<Output>> out(sources.lengths.size());
    if (settings.start < 0)
        fail(ALCORE_E_DATA, "the folder does not say which token starts an output");
    std::vector<int64_t> ids; /* that the hypotheses read next: the start, or the end of a prompt */
    const bool shared = !settings.sample && search.cache->shares_first_step();
    for (const Item &item : search.items)
        ids.insert(ids.end(), shared ? 1 : static_cast<size_t>(settings.k),
                   model.head == Head::Language ? item.source.back() : settings.start);
    while (!search.items.empty()) {
        at::Tensor hidden = search.advance(ids);
        std::vector<int64_t> from;
        if (settings.sample)
            single_step(search, drawn_tokens(search, hidden), from);
        else if (settings.greedy)
            single_step(search, best_tokens(search, hidden, 1), from);
        else
            beam_step(search, best_tokens(search, hidden, static_cast<int64_t>(search.looked_at())),
                      from);
        search.cache->reorder(from);
        bool any = false;
        for (Item &item : search.items) {
            if (!item.done) continue;
            any = true;
            for (Hypothesis &one : item.finished) {
                const int64_t tokens = static_cast<int64_t>(one.ids.size());
                if (out[item.place].size() == static_cast<size_t>(settings.outputs) ||
                    !is_real(one.score * length_penalty(settings, tokens)))
                    break;
                out[item.place].push_back({std::move(one.ids), std::move(one.logprobs), one.score});
            }
        }
        if (any) search.drop_done();
        ids.clear();
        for (const Item &item : search.items)
            for (const Hypothesis &one : item.running) ids.push_back(one.ids.back());
    }
    return out;
}

} // namespace alcore_torch
