/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of seq2seq and language models: greedy, beam search and sampling.
 *
 * An item is one source text of the batch; of a language model the prompt that outputs continue. A
 * hypothesis is the beginning of an output; an item has k of them (beams, or samples). A hypothesis
 * is finished when it has ended with the end token or has reached the greatest length. Logarithms
 * are natural; larger scores are better.
 *
 * A step computes the last token of every hypothesis; keys and values of earlier tokens and of the
 * sources are cached (torch_attention.h). Items are removed from the batch when they are done.
 *
 * Beam search scores a hypothesis y by sum log p / |y|^penalty. Of the best continuations of an
 * item's k hypotheses, (1 + ends) k where `ends` tokens end an output, those among the first k that
 * end are finished, and the k best others are continued; an item is done when it has k finished
 * ones and, unless the folder asks for early_stopping, the best of the others could not beat the
 * worst of them at its present length ("never": at its greatest one).
 * What tokens count in scores is up to the rules of the folder (torch_rules.h): forced ones count
 * 0, as in transformers; the log-probabilities of the outputs are the model's own.
 *
 * Memory: that of the cache, and for 2^24 logits: a large vocabulary is computed in pieces. */
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include <c10/core/InferenceMode.h>

#include "torch_attention.h"
#include "torch_kernels.h"
#include "torch_linear.h"
#include "torch_narrow.h"
#include "torch_parallel.h"
#include "torch_rules.h"

namespace alcore_torch {

namespace {

/* Score of an entry of `running` without a hypothesis: below every sum of log-probabilities, and
 * finite, as in transformers. */
constexpr double NEVER = -1e9;

/* Whether a sum of log-probabilities is that of a hypothesis. */
bool is_real(double sum) {
    return sum > NEVER / 2;
}

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
    std::vector<int64_t> source;      /* its tokens, where a rule of the folder reads them, and of a
                                       * language model */
    int64_t most = 0;                 /* tokens of an output, the end included */
    uint64_t number = 0;              /* in the call, which draws depend on */
    std::vector<Hypothesis> running;  /* [k] hypotheses that are continued */
    std::vector<Hypothesis> finished; /* at most k, best first */
    bool done = false;
};

/* How to decode, with all defaults filled in. */
struct Settings {
    int64_t k = 1;       /* hypotheses of an item */
    int64_t outputs = 1; /* that are returned of each item, at most k */
    int64_t most = 0;    /* tokens of an output, the end included */
    int64_t total = 0;   /* of a prompt and its output */
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
    std::unique_ptr<DecoderCache> cache;
    std::vector<Item> items = {}; /* those that are not done */
    int64_t step = 0;             /* tokens that the decoder has read */

    at::Tensor advance(const std::vector<int64_t> &ids);
    template <typename Watch>
    at::Tensor read(const at::Tensor &words, int64_t first, const Watch &watch) const;
    bool reads_in_parts(int64_t rows) const;
    bool ends(int64_t id) const {
        const std::vector<int64_t> &all = model.generation.ends;
        return std::find(all.begin(), all.end(), id) != all.end();
    }
    /* Continuations of an item that a step of a beam search looks at. */
    size_t looked_at() const {
        size_t ends = std::max<size_t>(model.generation.ends.size(), 1);
        return (1 + ends) * static_cast<size_t>(how.k);
    }
    Rules rules() const { return {model.generation, step, how.most, how.forced_first}; }
    void drop_done();
    void deal_items();
};

/* What the encoder makes of the sources, [tokens, dims], in pieces of at most model.most_tokens
 * tokens (a source may have more). */
at::Tensor states_of(const Model &model, const Packed &sources) {
    std::vector<at::Tensor> states;
    int64_t token = 0;
    for (size_t from = 0; from < sources.lengths.size();) {
        Packed piece;
        do {
            piece.lengths.push_back(sources.lengths[from]);
            piece.tokens += sources.lengths[from++];
        } while (from < sources.lengths.size() &&
                 piece.tokens + sources.lengths[from] <= model.most_tokens);
        piece.ids = sources.ids.narrow(0, token, piece.tokens);
        if (sources.types.defined()) piece.types = sources.types.narrow(0, token, piece.tokens);
        token += piece.tokens;
        states.push_back(run_stack(model, model.encoder, piece, model.encoder.blocks.size()));
    }
    return states.size() == 1 ? states[0] : at::cat(states);
}

/* Reads the sources, or the prompts of a language model. */
std::unique_ptr<DecoderCache> cache_of(const Model &model, const Packed &sources,
                                       const Settings &how) {
    if (model.head == Head::Language) return language_cache(model, sources, how.k);
    const at::Tensor states = states_of(model, sources);
    auto make_cache = model.device.is_cpu() ? host_cache : device_cache;
    return make_cache(model, sources, states, how.k);
}

/* Sources come the longest first; threads whose rows are those of the first and of the last items
 * have equal shares of long ones then. */
void Search::deal_items() {
    const std::vector<int64_t> order = dealt(items.size());
    std::vector<Item> moved;
    for (int64_t i : order) moved.push_back(std::move(items[static_cast<size_t>(i)]));
    items = std::move(moved);
    cache->keep_items(order);
}

/* Tokens of the longest output of an item: as the settings say and, of a language model, as many as
 * its prompt leaves. */
int64_t most_of(const Model &model, const Settings &how, int64_t prompt) {
    if (model.head != Head::Language) return how.most;
    return std::max<int64_t>(std::min(how.most, how.total - prompt), 1);
}

/* Runs the encoder and makes the state before the first step: k empty hypotheses an item. */
Search begin(const Model &model, const Packed &sources, const Settings &how) {
    Search search{model, decoding_stack(model), how, cache_of(model, sources, how)};
    const bool language = model.head == Head::Language;
    int64_t items = static_cast<int64_t>(sources.lengths.size()), token = 0;
    for (int64_t i = 0; i < items; i++) {
        Item item;
        item.place = static_cast<size_t>(i);
        item.number = static_cast<uint64_t>(sources.items[item.place]);
        item.running.resize(static_cast<size_t>(how.k));
        item.most = most_of(model, how, sources.lengths[item.place]);
        if (language || reads_sources(model.generation)) {
            at::Tensor own = sources.ids.narrow(0, token, sources.lengths[item.place]).to(at::kCPU);
            const int64_t *ids = own.contiguous().data_ptr<int64_t>();
            item.source.assign(ids, ids + own.numel());
            token += own.numel();
        }
        /* The k hypotheses of an item are equal before the first step, so a beam search scores only
         * the first of them. Samples differ from the first step on, so all of them are used. */
        for (size_t b = 0; b < item.running.size(); b++)
            if (b == 0 || how.sample) item.running[b].score = 0;
        search.items.push_back(std::move(item));
    }
    if (search.cache->takes_parts()) search.deal_items();
    return search;
}

/* Whether each thread computes all blocks of a step for rows of its own; rows: those of the step.
 * Threads that share the rows, or the weights, of each product wait for each other some 70 times a
 * step of six blocks. Apart they read all weights each, so that they need rows enough for a product
 * to take longer than its weights take to come from memory; and only the module's products have the
 * same bits for any number of rows. */
bool Search::reads_in_parts(int64_t rows) const {
    constexpr int64_t LEAST = 32;
    const int64_t threads = threads_here();
    if (threads == 1 || rows < LEAST * threads || !cache->takes_parts()) return false;
    for (const Block &block : stack.blocks)
        for (const Linear *linear : matrices_of(block))
            if (linear->given() && (!linear->narrow || linear->narrow->kernels == nullptr))
                return false;
    return true;
}

/* Rows of a step from `first` on, of which words are the tokens: what advance() returns of them.
 * watch() is asked after each block, and ends the computation, which has no result then, by
 * false. */
template <typename Watch>
at::Tensor Search::read(const at::Tensor &words, int64_t first, const Watch &watch) const {
    at::Tensor x = embed_tokens(stack, words, {}, at::full_like(words, step));
    for (size_t i = 0; i < stack.blocks.size(); i++) {
        const Block &block = stack.blocks[i];
        at::Tensor qkv = block.self(stack.pre_norm ? block.self_norm(x) : x);
        x = added(block.self_out, cache->attend_tokens(i, qkv, first), x, block.self_after);
        if (!stack.pre_norm) x = block.self_norm(x);
        if (block.cross_q.given()) {
            at::Tensor q = block.cross_q(stack.pre_norm ? block.cross_norm(x) : x);
            x = added(block.cross_out, cache->attend_sources(i, q, first), x);
            if (!stack.pre_norm) x = block.cross_norm(x);
        }
        at::Tensor y = stack.pre_norm ? block.ffn_norm(x) : x;
        at::Tensor inside = activated(block.up, y, stack.activation);
        inside = gated(block.gate, y, inside);
        x = added(block.down, inside, x, block.ffn_after);
        if (!stack.pre_norm) x = block.ffn_norm(x);
        if (!watch()) return {};
    }
    return stack.final_norm(x);
}

/* Reads the tokens of this step, one per hypothesis (k of each item, item by item) or in a first
 * step that is shared one per item, and returns the states that the output matrix reads, [tokens,
 * dims]. The arithmetic of a block is that of torch_stack.cpp for one token. Throws when
 * cancelled, of which the thread of the call tells the others. */
at::Tensor Search::advance(const std::vector<int64_t> &ids) {
    const int64_t rows = static_cast<int64_t>(ids.size());
    const at::Tensor words = at::tensor(ids, at::TensorOptions().dtype(at::kLong)).to(model.device);
    cache->begin_step(rows);
    auto tick = [&] {
        model.host.tick(nullptr, 0, 0);
        return true;
    };
    std::vector<at::Tensor> parts(static_cast<size_t>(at::get_num_threads()));
    if (reads_in_parts(rows)) {
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> ended{false};
        auto watch = [&] {
            if (std::this_thread::get_id() != caller) return !ended;
            try {
                return tick();
            } catch (...) {
                ended = true;
                throw;
            }
        };
        in_parallel(0, rows, 1, [&](int64_t begin, int64_t end) {
            c10::InferenceMode plain; /* of this thread */
            parts[static_cast<size_t>(at::get_thread_num())] =
                read(words.narrow(0, begin, end - begin), begin, watch);
        });
    } else {
        parts[0] = read(words, 0, tick);
    }
    step++;
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [](const at::Tensor &part) { return !part.defined(); }),
                parts.end());
    return parts.size() == 1 ? parts[0] : at::cat(parts);
}

/* Removes the items that are done, whose outputs decode() has taken, from the batch. */
void Search::drop_done() {
    std::vector<int64_t> kept;
    std::vector<Item> open;
    for (size_t i = 0; i < items.size(); i++) {
        if (items[i].done) continue;
        kept.push_back(static_cast<int64_t>(i));
        open.push_back(std::move(items[i]));
    }
    items = std::move(open);
    if (!items.empty()) cache->keep_items(kept);
}

/* Calls body(first, logits) for pieces of the rows of `hidden`, which advance() returned: logits
 * float [rows, vocabulary] on the model's device, of the rows from `first` on, of the token after
 * what advance() has read; body may change them. A piece has at most 2^24 logits and 4e9
 * operations, so that the call can be cancelled between two, well within 100 ms. */
void for_logits(const Search &search, const at::Tensor &hidden,
                const std::function<void(int64_t, at::Tensor)> &body) {
    const Model &model = search.model;
    double operations = 2.0 * static_cast<double>(hidden.size(1) * model.vocabulary);
    int64_t rows = hidden.size(0),
            piece = std::max<int64_t>(1, std::min((int64_t{1} << 24) / model.vocabulary,
                                                  static_cast<int64_t>(4e9 / operations)));
    for (int64_t first = 0; first < rows; first += piece) {
        at::Tensor some = hidden.narrow(0, first, std::min(piece, rows - first));
        body(first, output_logits(model, some).to(at::kFloat).contiguous());
        model.host.tick(nullptr, 0, 0);
    }
}

/* A token that may continue a hypothesis. */
struct Next {
    int64_t id;
    float ruled; /* the log-probability that ranks it */
    float own;   /* the model's own log-probability */
};
using Nexts = std::vector<std::vector<Next>>; /* [hypotheses] the best first */

/* Whether a stands before b. */
bool before(const Next &a, const Next &b) {
    return a.ruled > b.ruled || (a.ruled == b.ruled && a.id < b.id);
}

/* Finds the best continuations of hypotheses. They are the same on every device:
 *   - a forced token counts 0, as in transformers, and no other one may follow;
 *   - else what the rules make of log-probabilities (of logits in a greedy search and in draws);
 *   - the best come first, of equals the one with the lowest id (which of several equals are among
 *     the best is the choice of a device's topk());
 *   - a hypothesis whose logits have a NaN, plus infinity or no finite number has no continuation.
 * The model's own log-probability is always that over the whole vocabulary. */
struct Ranking {
    const Search &search;
    const Rules rules = search.rules();
    int64_t vocabulary = search.model.vocabulary;

    /* Calls use(context) for hypothesis `index` of the batch. */
    template <typename Use> void with_context(int64_t index, Use use) const {
        const Item &item = search.items[static_cast<size_t>(index / search.how.k)];
        const Hypothesis &one = item.running[static_cast<size_t>(index % search.how.k)];
        std::vector<int64_t> tokens{search.how.start};
        if (search.model.head == Head::Language) tokens = item.source;
        tokens.insert(tokens.end(), one.ids.begin(), one.ids.end());
        use(Context{tokens, item.source});
    }
    std::vector<Next> on_host(float *logits, int64_t index, int64_t most) const;
    std::vector<Next> forced(const float *logits, double own) const;
    void on_device(const at::Tensor &logits, int64_t most, std::vector<Next> *out) const;
};

/* The forced tokens, which share the probability 1 where the folder renormalizes. */
std::vector<Next> Ranking::forced(const float *logits, double own) const {
    const std::vector<int64_t> &ids = rules.forced();
    const float ruled = rules.renormalizes() ? -std::log(static_cast<float>(ids.size())) : 0.0f;
    std::vector<Next> out;
    for (int64_t id : ids) out.push_back({id, ruled, static_cast<float>(logits[id] - own)});
    std::stable_sort(out.begin(), out.end(), before);
    return out;
}

/* The `most` best continuations of hypothesis `index` by the model's logits [vocabulary] in memory
 * of the host, which are changed. Of equal logits find_best() finds those with the lowest ids. */
std::vector<Next> Ranking::on_host(float *logits, int64_t index, int64_t most) const {
    const torch_kernels &kernels = *torch_kernels_here();
    std::vector<int64_t> ids(static_cast<size_t>(most));
    /* The logarithm of the sum of exp(logits). */
    auto total = [&](int64_t found) {
        if (found == 0) return std::numeric_limits<double>::quiet_NaN();
        float greatest = logits[ids[0]];
        return static_cast<double>(greatest) + kernels.log_sum(logits, vocabulary, greatest);
    };
    int64_t found = kernels.find_best(logits, vocabulary, most, ids.data());
    double own = total(found), ruled = own;
    if (std::isnan(own)) return {};
    if (!rules.forced().empty()) return forced(logits, own);
    std::vector<float> plain;
    if (rules.adjusts()) {
        plain.assign(logits, logits + vocabulary);
        const float shift = search.how.greedy ? 0.0f : static_cast<float>(own);
        with_context(index, [&](const Context &context) {
            rules.adjust(logits, vocabulary, shift, context);
        });
        found = kernels.find_best(logits, vocabulary, most, ids.data());
        if (rules.renormalizes()) ruled = total(found);
    }
    std::vector<Next> out;
    for (int64_t i = 0; i < found; i++) {
        const int64_t id = ids[static_cast<size_t>(i)];
        const double logit = plain.empty() ? logits[id] : plain[static_cast<size_t>(id)];
        out.push_back(
            {id, static_cast<float>(logits[id] - ruled), static_cast<float>(logit - own)});
    }
    return out;
}

/* on_host() for all rows of logits [rows, vocabulary] on a device that is not the CPU, to which
 * only the best are copied: out[i] of row i. No token is forced, and no rule reads hypotheses.
 * Logits that are no numbers make all log-probabilities of their row NaN. */
void Ranking::on_device(const at::Tensor &logits, int64_t most, std::vector<Next> *out) const {
    at::Tensor own = at::log_softmax(logits, -1), ruled = own;
    if (rules.adjusts()) {
        ruled = own.clone();
        for (int64_t id : rules.forbidden())
            ruled.select(1, id).fill_(-std::numeric_limits<float>::infinity());
    }
    if (rules.renormalizes()) ruled = at::log_softmax(ruled, -1);
    auto [values, ids] = at::topk(ruled, most, 1);
    at::Tensor kept = own.gather(1, ids).to(at::kCPU).contiguous();
    values = values.to(at::kCPU).contiguous();
    ids = ids.to(at::kCPU).contiguous();
    for (int64_t i = 0; i < logits.size(0) * most; i++) {
        const Next next{ids.data_ptr<int64_t>()[i], values.data_ptr<float>()[i],
                        kept.data_ptr<float>()[i]};
        if (next.ruled > -std::numeric_limits<float>::infinity() && !std::isnan(next.own))
            out[i / most].push_back(next);
    }
    for (int64_t row = 0; row < logits.size(0); row++)
        std::stable_sort(out[row].begin(), out[row].end(), before);
}

/* The `most` best continuations of every hypothesis; fewer where there are no more. In a step that
 * is shared those of an item are those of all its hypotheses. */
Nexts best_tokens(const Search &search, const at::Tensor &hidden, int64_t most) {
    const int64_t hypotheses = static_cast<int64_t>(search.items.size()) * search.how.k,
                  share = hypotheses / std::max<int64_t>(hidden.size(0), 1);
    Nexts out(static_cast<size_t>(hidden.size(0)));
    const Ranking ranking{search};
    const int64_t width = ranking.vocabulary, count = std::min(most, width);
    const bool host = ranking.rules.reads_hypotheses() || !ranking.rules.forced().empty();
    for_logits(search, hidden, [&](int64_t first, const at::Tensor &logits) {
        if (!logits.is_cpu() && !host)
            return ranking.on_device(logits, count, &out[static_cast<size_t>(first)]);
        at::Tensor here = logits.to(at::kCPU);
        float *values = here.data_ptr<float>();
        in_parallel(0, here.size(0), grain_of(width), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; row++)
                out[static_cast<size_t>(first + row)] =
                    ranking.on_host(values + row * width, (first + row) * share, count);
        });
    });
    if (share == 1) return out;
    Nexts all;
    for (const std::vector<Next> &nexts : out)
        all.insert(all.end(), static_cast<size_t>(share), nexts);
    return all;
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
        bool lost = false; /* a hypothesis, which an entry with the score NEVER is not */
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
        while (running.size() < k) { /* entries without a hypothesis: NEVER */
            running.emplace_back();
            running.back().ids.resize(static_cast<size_t>(search.step), search.how.start);
            running.back().logprobs.resize(static_cast<size_t>(search.step));
            sources.push_back(static_cast<int64_t>(i * k));
        }
        item.running = std::move(running);
        item.done = last || is_settled(search, item);
    }
}

/* Scores of all tokens for draws [rows, vocabulary], on the model's device or the CPU, from the
 * log-probabilities `own` and the logits of the hypotheses from `first` on. */
at::Tensor scores_of_draws(const Ranking &ranking, const at::Tensor &own, const at::Tensor &logits,
                           int64_t first) {
    const Rules &rules = ranking.rules;
    const Generation &folder = ranking.search.model.generation;
    constexpr float minus = -std::numeric_limits<float>::infinity();
    at::Tensor scores = own;
    if (!rules.forced().empty()) {
        scores = at::full_like(own, minus);
        for (int64_t id : rules.forced()) scores.select(1, id).fill_(0);
    } else if (rules.reads_hypotheses()) {
        scores = logits.to(at::kCPU).clone();
        for (int64_t row = 0; row < scores.size(0); row++)
            ranking.with_context(first + row, [&](const Context &context) {
                rules.adjust(scores.data_ptr<float>() + row * scores.size(1), scores.size(1), 0,
                             context);
            });
    } else if (rules.adjusts()) {
        scores = own.clone();
        for (int64_t id : rules.forbidden()) scores.select(1, id).fill_(minus);
    }
    return cut_off(folder, scores / ranking.search.how.temperature);
}

/* One continuation of every hypothesis, drawn from the softmax of its scores. A draw inverts the
 * cumulated probabilities of its row, sums [rows, vocabulary]: the first token whose sum is above
 * u, which is uniform below the last sum, as rounding leaves that near 1. */
Nexts drawn_tokens(const Search &search, const at::Tensor &hidden) {
    Nexts out(static_cast<size_t>(hidden.size(0)));
    const Ranking ranking{search};
    for_logits(search, hidden, [&](int64_t first, const at::Tensor &logits) {
        at::Tensor own = at::log_softmax(logits, -1);
        at::Tensor scores = scores_of_draws(ranking, own, logits, first);
        at::Tensor sums = at::softmax(scores, 1).to(at::kCPU, at::kDouble).cumsum(1);
        own = own.to(at::kCPU).contiguous();
        int64_t width = logits.size(1);
        for (int64_t r = 0; r < logits.size(0); r++) {
            int64_t hypothesis = first + r;
            const Item &item = search.items[static_cast<size_t>(hypothesis / search.how.k)];
            const double *row = sums.data_ptr<double>() + r * width;
            double u = uniform(search.how.seed, item.number,
                               static_cast<uint64_t>(hypothesis % search.how.k),
                               static_cast<uint64_t>(search.step)) *
                       row[width - 1];
            int64_t id = std::min<int64_t>(std::upper_bound(row, row + width, u) - row, width - 1);
            float logprob = own.data_ptr<float>()[r * width + id];
            /* The sum is no number where no token that may come is finite. */
            if (!std::isnan(logprob) && std::isfinite(row[width - 1]))
                out[static_cast<size_t>(hypothesis)] = {{id, logprob, logprob}};
        }
    });
    return out;
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
    Search search = begin(model, sources, settings);
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
