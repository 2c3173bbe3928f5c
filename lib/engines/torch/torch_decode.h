/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a batch that is being decoded, and its parts: what a step computes
 * (torch_decode_batch.cpp), which tokens may come next (torch_decode_tokens.cpp), and the searches
 * (torch_decode.cpp).
 *
 * An item is one source text of the batch; of a language model the prompt that outputs continue. A
 * hypothesis is the beginning of an output; an item has k of them (beams, or samples). A hypothesis
 * is finished when it has ended with the end token or has reached the greatest length. Logarithms
 * are natural; larger scores are better. */
#ifndef ALCORE__TORCH_DECODE_H
#define ALCORE__TORCH_DECODE_H

#include <algorithm>

#include "torch_attention.h"
#include "torch_rules.h"

namespace alcore_torch {

/* Score of an entry of Item::running without a hypothesis: below every sum of log-probabilities,
 * and finite, as in transformers. */
constexpr double NO_HYPOTHESIS = -1e9;

/* Whether a sum of log-probabilities is that of a hypothesis. */
inline bool is_real(double sum) {
    return sum > NO_HYPOTHESIS / 2;
}

/* A hypothesis, finished or not. */
struct Hypothesis {
    std::vector<int64_t> ids;     /* tokens so far, without the start */
    std::vector<float> logprobs;  /* [ids] the model's own */
    double score = NO_HYPOTHESIS; /* sum of log-probabilities so far; of finished ones divided by
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

/* The state of a batch that is being decoded. */
struct Search {
    const Model &model;
    const Stack &stack;
    Settings how;
    std::unique_ptr<DecoderCache> cache;
    std::vector<Item> items = {}; /* those that are not done */
    int64_t step = 0;             /* tokens that the decoder has read */

    /* Reads the tokens of this step, one per hypothesis (k of each item, item by item) or in a
     * first step that is shared one per item, and returns the states that the output matrix reads,
     * [tokens, dims]. Throws when cancelled. */
    at::Tensor advance(const std::vector<int64_t> &ids);
    /* Removes the items that are done, whose outputs decode() has taken, from the batch. */
    void drop_done();
    /* Whether a token ends an output. */
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

  private:
    template <typename Watch>
    at::Tensor read(const at::Tensor &words, int64_t first, const Watch &watch) const;
    bool reads_in_parts(int64_t rows) const;
};
/* Runs the encoder and makes the state before the first step: k empty hypotheses an item. */
Search begin_search(const Model &model, const Packed &sources, const Settings &how);

/* ---- tokens that may come next (torch_decode_tokens.cpp) ---- */

/* A token that may continue a hypothesis. */
struct Next {
    int64_t id;
    float ruled; /* the log-probability that ranks it */
    float own;   /* the model's own log-probability */
};
using Nexts = std::vector<std::vector<Next>>; /* [hypotheses] the best first */

/* The `most` best continuations of every hypothesis; fewer where there are no more. In a step that
 * is shared those of an item are those of all its hypotheses. hidden: what advance() returned. */
Nexts best_tokens(const Search &search, const at::Tensor &hidden, int64_t most);
/* One continuation of every hypothesis, drawn from the softmax of its scores. */
Nexts drawn_tokens(const Search &search, const at::Tensor &hidden);

} // namespace alcore_torch

#endif
