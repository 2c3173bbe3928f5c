/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens continue the hypotheses of a step (torch_decode.h): the best ones, or drawn ones.
 * What tokens count in scores is up to the rules of the folder (torch_rules.h): forced ones count
 * 0, as in transformers; the log-probabilities of the outputs are the model's own.
 *
 * Memory: that for 2^24 logits, as a large vocabulary is computed in pieces. */
#include "torch_decode.h"

#include <cmath>
#include <limits>

#include "torch_kernels.h"
#include "torch_parallel.h"

namespace alcore_torch {

namespace {

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
 * only the best are copied: out[i] gets those of row i. The caller sees to it that no token is
 * forced and that no rule depends on the hypotheses.
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

} // namespace

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

/* A draw inverts the cumulated probabilities of its row, sums [rows, vocabulary]: the first token
 * whose sum is above u, which is uniform below the last sum, as rounding leaves that near 1. */
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

} // namespace alcore_torch
