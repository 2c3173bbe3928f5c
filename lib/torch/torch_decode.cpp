/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of seq2seq models: greedy, beam search and sampling.
 *
 * An item is one source text of the batch. A hypothesis is the beginning of an output; an item has
 * k of them (beams, or samples). A hypothesis is finished when it has ended with the end token or
 * has reached the greatest length. Logarithms are natural; larger scores are better.
 *
 * A step computes the last token of every hypothesis; keys and values of earlier tokens are cached.
 * The hypotheses of an item read one copy of its encoder states: they are the queries of one
 * attention. Items are removed from the batch when they are done.
 *
 * Beam search scores a hypothesis y by sum log p / |y|^penalty. Of the 2k best continuations of an
 * item's k hypotheses, those among the first k that end are finished, and the k best others are
 * continued; an item is done when it has k finished ones and the best of the others could not beat
 * the worst of them at its present length. Forced tokens count with log-probability 0 in scores, as
 * in transformers; the log-probabilities of the outputs are the model's own.
 *
 * Memory: 2 layers inner components (inner = heads x head) for each token so far of a hypothesis,
 * and for each source token of an item. */
#include <algorithm>
#include <cmath>
#include <limits>

#include "torch_parts.h"

namespace alcore_torch {

namespace {

/* Score of an entry of `running` without a hypothesis: below every sum of log-probabilities, and
 * finite, as in transformers. */
constexpr double NEVER = -1e9;

/* A hypothesis, finished or not. */
struct Hypothesis {
    std::vector<int64_t> ids;    /* tokens so far, without the start */
    std::vector<float> logprobs; /* [ids] the model's own */
    double score = NEVER;        /* sum of log-probabilities so far; of finished ones divided by
                                  * |ids|^penalty */
};

/* A source text whose outputs are sought. */
struct Item {
    size_t place = 0;                 /* index in the batch as it began */
    uint64_t number = 0;              /* in the call, which draws depend on */
    std::vector<Hypothesis> running;  /* [k] hypotheses that are continued */
    std::vector<Hypothesis> finished; /* at most k, best first */
    bool done = false;
};

/* What attention needs per decoder block: keys and values of the tokens so far, and of the encoder
 * states. capacity: tokens that there is memory for; head: components of one attention head. */
struct Cache {
    at::Tensor key, value; /* [items k, heads, capacity, head] the first `step` tokens are set */
    at::Tensor memory_key, memory_value; /* [items, heads, source length, head] */
};

/* How to decode, with all defaults filled in. */
struct Settings {
    int64_t k = 1;       /* hypotheses of an item */
    int64_t outputs = 1; /* that are returned of each item, at most k */
    int64_t most = 0;    /* tokens of an output, the end included */
    double penalty = 1;  /* exponent of the length that scores are divided by; 0: not divided */
    double temperature = 1;
    bool greedy = false, sample = false; /* neither: beam search */
    uint64_t seed = 0;                   /* of samples */
    int64_t start = -1;                  /* what the decoder reads first */
    int64_t forced_first = -1;           /* first token of every output; -1: any */
};

/* Makes `id` the language of the outputs: where transformers puts it, the first token of an output;
 * of mBART (not mBART-50, whose outputs start with the end token) what the decoder reads first. */
void force_language(const Model &model, int64_t id, Settings &s) {
    if (id >= model.vocabulary)
        fail(ALCORE_E_INVALID, "the token %lld of a language is not in the vocabulary",
             static_cast<long long>(id));
    if (model.start_rolled && model.forced_first < 0 && model.start != model.finish)
        s.start = id;
    else
        s.forced_first = id;
}

/* Checks the caller's settings and fills in the defaults: 0 is the default everywhere; a negative
 * length_penalty means no penalty. No output is longer than a table of positions.
 */
Settings settings_of(const Model &model, const alcore_sys_model_decoding &how) {
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
    s.most = how.max_tokens > 0 ? how.max_tokens : std::max<int64_t>(model.output_tokens - 1, 1);
    const at::Tensor &table = model.decoder->position_table;
    if (table.defined()) s.most = std::min(s.most, table.size(0) - model.decoder->position_base);
    s.penalty = how.length_penalty == 0 ? 1 : how.length_penalty < 0 ? 0 : how.length_penalty;
    s.temperature = how.temperature == 0 ? 1 : how.temperature;
    s.seed = how.seed;
    s.start = model.start;
    s.forced_first = model.forced_first;
    if (how.language_token > 0) force_language(model, how.language_token - 1, s);
    return s;
}

/* Uniform in [0, 1) from seed, number of the item in the call, number of the sample and step: the
 * finalizer of splitmix64 (Steele et al. 2014) is applied once for each of the last three. A draw
 * depends on nothing else, so neither batches nor their order change it. */
double uniform(uint64_t seed, uint64_t item, uint64_t sample, uint64_t step) {
    uint64_t x = seed;
    for (uint64_t part : {item, sample, step}) {
        x += 0x9e3779b97f4a7c15u * (part + 1);
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return static_cast<double>(x >> 11) * 0x1p-53;
}

/* The state of a batch that is being decoded. */
struct Search {
    const Model &model;
    const Stack &stack;
    Settings how;
    std::vector<Item> items;   /* those that are not done */
    std::vector<Cache> caches; /* [blocks of the decoder] */
    /* bool [items, 1, 1, source length]; undefined: all are of one length */
    at::Tensor memory_mask;
    int64_t step = 0; /* tokens that the decoder has read */

    at::Tensor advance(const std::vector<int64_t> &ids);
    void reorder(const std::vector<int64_t> &hypotheses);
    void drop_done();
};

/* Encoder states [tokens, dims] of the batch (items one after the other) as [items, longest, dims],
 * padded with zeros. mask: bool [items, 1, 1, longest], true where there is a token; left undefined
 * where all items are of one length. */
at::Tensor pad_memory(const Packed &sources, const at::Tensor &memory, at::Tensor &mask) {
    int64_t items = static_cast<int64_t>(sources.lengths.size());
    int64_t longest = *std::max_element(sources.lengths.begin(), sources.lengths.end());
    if (longest * items == sources.tokens) return memory.view({items, longest, memory.size(1)});
    at::Tensor out = at::zeros({items, longest, memory.size(1)}, memory.options());
    mask = at::zeros({items, 1, 1, longest}, memory.options().dtype(at::kBool));
    int64_t token = 0;
    for (int64_t i = 0; i < items; i++) {
        int64_t length = sources.lengths[static_cast<size_t>(i)];
        out[i].narrow(0, 0, length).copy_(memory.narrow(0, token, length));
        mask[i].narrow(2, 0, length).fill_(true);
        token += length;
    }
    return out;
}

/* Runs the encoder and makes the state before the first step: caches without tokens (step 0,
 * capacity 0: key and value may be one tensor until grown() copies them), the encoder states in the
 * form that every step reads, and k empty hypotheses an item. */
Search begin(const Model &model, const Packed &sources, const Settings &how) {
    Search search{model, *model.decoder, how, {}, {}, {}, 0 /* step */};
    const Stack &stack = search.stack;
    at::Tensor states = run_stack(model, model.encoder, sources, model.encoder.blocks.size());
    at::Tensor memory = pad_memory(sources, states, search.memory_mask);
    int64_t items = memory.size(0);
    for (const Block &block : stack.blocks) {
        at::Tensor both =
            block.cross_kv(memory).view({items, memory.size(1), 2, stack.heads, stack.head});
        Cache cache;
        cache.memory_key = both.select(2, 0).transpose(1, 2);
        cache.memory_value = both.select(2, 1).transpose(1, 2);
        cache.key = at::empty({items * how.k, stack.heads, 0, stack.head}, memory.options());
        cache.value = cache.key;
        search.caches.push_back(cache);
    }
    for (int64_t i = 0; i < items; i++) {
        Item item;
        item.place = static_cast<size_t>(i);
        item.number = static_cast<uint64_t>(sources.items[item.place]);
        item.running.resize(static_cast<size_t>(how.k));
        /* The k hypotheses of an item are equal before the first step, so a beam search scores only
         * the first of them. Samples differ from the first step on, so all of them are used. */
        for (size_t b = 0; b < item.running.size(); b++)
            if (b == 0 || how.sample) item.running[b].score = 0;
        search.items.push_back(std::move(item));
    }
    return search;
}

/* A cache [rows, heads, capacity, head] with capacity for one token more than the `used` ones: the
 * same where it has that, else a copy of capacity used + max(16, used / 2). */
at::Tensor grown(const at::Tensor &cache, int64_t used) {
    if (cache.size(2) > used) return cache;
    std::vector<int64_t> shape = cache.sizes().vec();
    shape[2] = used + std::max<int64_t>(16, used / 2);
    at::Tensor out = at::empty(shape, cache.options());
    out.narrow(2, 0, used).copy_(cache.narrow(2, 0, used));
    return out;
}

/* Reads the tokens of this step, one per hypothesis (k of each item, item by item), appends their
 * keys and values to the caches, and returns the logits of the next, float [hypotheses,
 * vocabulary]. The arithmetic of a block is that of torch_stack.cpp for one token. Throws when
 * cancelled.
 *
 * rows: hypotheses; count: items. x, y: [rows, dims]. qkv: [rows, 3, heads, 1, head], so that a
 * query meets the t + 1 keys of its own hypothesis. q: [items, heads, k, head]: the k hypotheses
 * are queries to the encoder states of their item. bias: [1, heads, 1, t + 1]. mask: [items, 1, k,
 * source length]. */
at::Tensor Search::advance(const std::vector<int64_t> &ids) {
    int64_t rows = static_cast<int64_t>(ids.size()), count = rows / how.k, t = step;
    at::Tensor place = at::full({rows}, t, at::TensorOptions().dtype(at::kLong)).to(model.device);
    at::Tensor words = at::tensor(ids, at::TensorOptions().dtype(at::kLong)).to(model.device);
    at::Tensor x = embed_tokens(stack, words, {}, place);
    std::optional<at::Tensor> bias, mask;
    if (stack.positions == Positions::Relative) bias = relative_bias(stack, t, 1, t + 1);
    if (memory_mask.defined()) mask = memory_mask.expand({count, 1, how.k, memory_mask.size(3)});
    for (size_t i = 0; i < stack.blocks.size(); i++) {
        const Block &block = stack.blocks[i];
        Cache &cache = caches[i];
        at::Tensor qkv = block.self(stack.pre_norm ? block.self_norm(x) : x)
                             .view({rows, 3, stack.heads, 1, stack.head});
        cache.key = grown(cache.key, t);
        cache.value = grown(cache.value, t);
        cache.key.narrow(2, t, 1).copy_(qkv.select(1, 1));
        cache.value.narrow(2, t, 1).copy_(qkv.select(1, 2));
        at::Tensor mixed = at::scaled_dot_product_attention(
            qkv.select(1, 0), cache.key.narrow(2, 0, t + 1), cache.value.narrow(2, 0, t + 1), bias,
            0.0, false, stack.attention_scale);
        x = x + block.self_out(mixed.reshape({rows, stack.heads * stack.head}));
        if (!stack.pre_norm) x = block.self_norm(x);
        at::Tensor q = block.cross_q(stack.pre_norm ? block.cross_norm(x) : x)
                           .view({count, how.k, stack.heads, stack.head})
                           .transpose(1, 2);
        mixed = at::scaled_dot_product_attention(q, cache.memory_key, cache.memory_value, mask, 0.0,
                                                 false, stack.attention_scale);
        x = x + block.cross_out(mixed.transpose(1, 2).reshape({rows, stack.heads * stack.head}));
        if (!stack.pre_norm) x = block.cross_norm(x);
        at::Tensor y = stack.pre_norm ? block.ffn_norm(x) : x;
        at::Tensor inside = activate(block.up(y), stack.activation);
        if (block.gate.weight.defined()) inside = inside * block.gate(y);
        x = x + block.down(inside);
        if (!stack.pre_norm) x = block.ffn_norm(x);
        model.host.tick(nullptr, 0, 0);
    }
    step++;
    return output_logits(model, stack.final_norm(x)).to(at::kFloat);
}

/* Rearranges the caches so that hypothesis i continues hypothesis hypotheses[i] of before; there
 * may be fewer than before. Encoder states, which are by item, stay. */
void Search::reorder(const std::vector<int64_t> &hypotheses) {
    bool same = static_cast<int64_t>(hypotheses.size()) == caches[0].key.size(0);
    for (size_t i = 0; same && i < hypotheses.size(); i++)
        same = hypotheses[i] == static_cast<int64_t>(i);
    if (same) return;
    at::Tensor rows = at::tensor(hypotheses, at::TensorOptions().dtype(at::kLong)).to(model.device);
    for (Cache &cache : caches) {
        cache.key = cache.key.index_select(0, rows);
        cache.value = cache.value.index_select(0, rows);
    }
}

/* Removes the items that are done, whose outputs decode() has taken, from the batch: from items,
 * caches and mask. */
void Search::drop_done() {
    std::vector<int64_t> kept, hypotheses;
    std::vector<Item> open;
    for (size_t i = 0; i < items.size(); i++) {
        if (items[i].done) continue;
        kept.push_back(static_cast<int64_t>(i));
        for (int64_t b = 0; b < how.k; b++)
            hypotheses.push_back(static_cast<int64_t>(i) * how.k + b);
        open.push_back(std::move(items[i]));
    }
    items = std::move(open);
    if (items.empty()) return;
    reorder(hypotheses);
    at::Tensor rows = at::tensor(kept, at::TensorOptions().dtype(at::kLong)).to(model.device);
    for (Cache &cache : caches) {
        cache.memory_key = cache.memory_key.index_select(0, rows);
        cache.memory_value = cache.memory_value.index_select(0, rows);
    }
    if (memory_mask.defined()) memory_mask = memory_mask.index_select(0, rows);
}

/* Log-probabilities that rank continuations, from the model's [hypotheses, vocabulary]: forbidden
 * tokens have minus infinity, a forced one is the only one and counts 0. The first token of an
 * output (step 1: advance() has read the start) is forced_first, the last one forced_last; -1:
 * none. */
at::Tensor ruled(const Search &search, const at::Tensor &logprobs) {
    const Model &model = search.model;
    int64_t forced = -1;
    if (search.step == 1) forced = search.how.forced_first;
    if (search.step == search.how.most && model.forced_last >= 0) forced = model.forced_last;
    constexpr float minus = -std::numeric_limits<float>::infinity();
    if (forced >= 0) {
        at::Tensor out = at::full_like(logprobs, minus);
        out.select(1, forced).fill_(0);
        return out;
    }
    if (model.forbidden.empty()) return logprobs;
    at::Tensor out = logprobs.clone();
    for (int64_t id : model.forbidden)
        if (id >= 0 && id < out.size(1)) out.select(1, id).fill_(minus);
    return model.renormalize ? at::log_softmax(out, -1) : out;
}

/* A copy of a hypothesis with one token more; score: that of the whole. */
Hypothesis extended(const Hypothesis &from, int64_t id, float logprob, double score) {
    Hypothesis out = from;
    out.ids.push_back(id);
    out.logprobs.push_back(logprob);
    out.score = score;
    return out;
}

/* Adds a hypothesis to item.finished, its score divided by divisor (the length penalty), and keeps
 * the k best, the best first; of equals the earlier one stays. */
void finish(Item &item, Hypothesis hypothesis, double divisor, size_t k) {
    hypothesis.score /= divisor;
    auto place = std::upper_bound(
        item.finished.begin(), item.finished.end(), hypothesis,
        [](const Hypothesis &a, const Hypothesis &b) { return a.score > b.score; });
    item.finished.insert(place, std::move(hypothesis));
    if (item.finished.size() > k) item.finished.pop_back();
}

/* One step of beam search for all items. raw: log-probabilities of the next token [items k,
 * vocabulary]. sources: out, empty before, [items k] the hypothesis that each new one continues,
 * for reorder(). The 2k best continuations of an item come best first, so `c` is the rank; place =
 * from * width + id says hypothesis and token of each. own: the model's log-probability of each,
 * without the rules of ruled(). */
void beam_step(Search &search, const at::Tensor &raw, std::vector<int64_t> &sources) {
    int64_t k = search.how.k, count = static_cast<int64_t>(search.items.size()),
            width = raw.size(1);
    bool last = search.step >= search.how.most;
    std::vector<float> before;
    for (const Item &item : search.items)
        for (const Hypothesis &one : item.running) before.push_back(static_cast<float>(one.score));
    at::Tensor sums =
        ruled(search, raw) +
        at::tensor(before, at::TensorOptions().dtype(at::kFloat)).to(raw.device()).unsqueeze(1);
    int64_t best = std::min(2 * k, k * width);
    auto [scores, places] = at::topk(sums.view({count, k * width}), best, 1);
    at::Tensor rows =
        places.div(width, "floor") + at::arange(count, places.options()).unsqueeze(1) * k;
    at::Tensor own = raw.view({-1})
                         .index_select(0, (rows * width + places.remainder(width)).view({-1}))
                         .to(at::kCPU);
    scores = scores.to(at::kCPU).contiguous();
    places = places.to(at::kCPU).contiguous();
    double divisor = std::pow(static_cast<double>(search.step), search.how.penalty);
    for (int64_t i = 0; i < count; i++) {
        Item &item = search.items[static_cast<size_t>(i)];
        std::vector<Hypothesis> running;
        for (int64_t c = 0; c < best; c++) {
            int64_t n = i * best + c, place = places.data_ptr<int64_t>()[n];
            int64_t from = place / width, id = place % width;
            bool ends = last || id == search.model.finish;
            if (ends ? c >= k : static_cast<int64_t>(running.size()) == k) continue;
            Hypothesis next = extended(item.running[static_cast<size_t>(from)], id,
                                       own.data_ptr<float>()[n], scores.data_ptr<float>()[n]);
            if (ends) {
                finish(item, std::move(next), divisor, static_cast<size_t>(k));
            } else {
                running.push_back(std::move(next));
                sources.push_back(i * k + from);
            }
        }
        while (static_cast<int64_t>(running.size()) < k) { /* entries without a hypothesis: NEVER */
            running.emplace_back();
            running.back().ids.resize(static_cast<size_t>(search.step),
                                      std::max<int64_t>(search.model.finish, 0));
            running.back().logprobs.resize(static_cast<size_t>(search.step));
            sources.push_back(i * k);
        }
        item.running = std::move(running);
        bool full = static_cast<int64_t>(item.finished.size()) == k;
        item.done = last || (full && item.running[0].score / divisor <= item.finished.back().score);
    }
}

/* One step of greedy search or sampling: every hypothesis by itself. raw and sources as in
 * beam_step(); hypothesis r continues r. A draw inverts the cumulated probabilities of its row,
 * sums [items k, vocabulary]: the first token whose sum is above u, which is uniform below the last
 * sum, as rounding leaves that near 1. own: the model's log-probability of each chosen token,
 * without ruled() and temperature. A hypothesis that has ended waits for the others of its item and
 * does not change. */
void single_step(Search &search, const at::Tensor &raw, std::vector<int64_t> &sources) {
    at::Tensor scores = ruled(search, raw);
    int64_t rows = raw.size(0);
    std::vector<int64_t> chosen(static_cast<size_t>(rows));
    if (search.how.greedy) {
        at::Tensor best = scores.argmax(1).to(at::kCPU).contiguous();
        std::copy_n(best.data_ptr<int64_t>(), rows, chosen.begin());
    } else {
        at::Tensor sums =
            at::softmax(scores / search.how.temperature, 1).to(at::kCPU, at::kDouble).cumsum(1);
        for (int64_t r = 0; r < rows; r++) {
            const Item &item = search.items[static_cast<size_t>(r / search.how.k)];
            const double *row = sums.data_ptr<double>() + r * raw.size(1);
            double u =
                uniform(search.how.seed, item.number, static_cast<uint64_t>(r % search.how.k),
                        static_cast<uint64_t>(search.step)) *
                row[raw.size(1) - 1];
            chosen[static_cast<size_t>(r)] = std::min<int64_t>(
                std::upper_bound(row, row + raw.size(1), u) - row, raw.size(1) - 1);
        }
    }
    at::Tensor ids = at::tensor(chosen, at::TensorOptions().dtype(at::kLong)).to(raw.device());
    at::Tensor own = raw.gather(1, ids.unsqueeze(1)).to(at::kCPU).contiguous();
    for (int64_t r = 0; r < rows; r++) {
        Item &item = search.items[static_cast<size_t>(r / search.how.k)];
        Hypothesis &one = item.running[static_cast<size_t>(r % search.how.k)];
        sources.push_back(r);
        bool ended = !one.ids.empty() && one.ids.back() == search.model.finish;
        float logprob = own.data_ptr<float>()[r];
        if (!ended)
            one = extended(one, chosen[static_cast<size_t>(r)], logprob,
                           one.score + static_cast<double>(logprob));
    }
    bool last = search.step >= search.how.most;
    for (Item &item : search.items) {
        item.done = true;
        for (const Hypothesis &one : item.running)
            item.done = item.done && (last || one.ids.back() == search.model.finish);
        if (!item.done) continue;
        for (const Hypothesis &one : item.running)
            finish(item, one, std::pow(static_cast<double>(one.ids.size()), search.how.penalty),
                   item.running.size());
    }
}

} // namespace

/* Outputs of each source, by its index in the batch, best first, at most how.outputs of them. ids
 * [items k]: the token that each hypothesis reads in the next step. raw [items k, vocabulary]: the
 * model's log-probabilities of the token after it. Outputs of items that are done are moved to
 * `out` before drop_done() removes these items. */
std::vector<std::vector<Output>> decode(const Model &model, const Packed &sources,
                                        const alcore_sys_model_decoding &how) {
    Settings settings = settings_of(model, how);
    Search search = begin(model, sources, settings);
    std::vector<std::vector<Output>> out(sources.lengths.size());
    if (settings.start < 0)
        fail(ALCORE_E_DATA, "the folder does not say which token starts an output");
    std::vector<int64_t> ids(search.items.size() * static_cast<size_t>(settings.k), settings.start);
    while (!search.items.empty()) {
        at::Tensor raw = at::log_softmax(search.advance(ids), -1);
        std::vector<int64_t> from;
        if (settings.greedy || settings.sample)
            single_step(search, raw, from);
        else
            beam_step(search, raw, from);
        search.reorder(from);
        bool any = false;
        for (Item &item : search.items) {
            if (!item.done) continue;
            any = true;
            for (size_t b = 0;
                 b < item.finished.size() && b < static_cast<size_t>(settings.outputs); b++)
                out[item.place].push_back({std::move(item.finished[b].ids),
                                           std::move(item.finished[b].logprobs),
                                           item.finished[b].score});
        }
        if (any) search.drop_done();
        ids.clear();
        for (const Item &item : search.items)
            for (const Hypothesis &one : item.running) ids.push_back(one.ids.back());
    }
    return out;
}

} // namespace alcore_torch
