/* SPDX-License-Identifier: Apache-2.0 */
/* What a folder says of the search for outputs (torch_generation.cpp reads it, torch_rules.h obeys
 * it). Names of keys are those of generation_config.json. */
#ifndef ALCORE__TORCH_GENERATION_H
#define ALCORE__TORCH_GENERATION_H

#include <cstdint>
#include <string>
#include <vector>

namespace alcore_torch {

/* Adds `bias` to the score of the token `last` where the tokens before it are `before`, the one
 * that starts the output included. Minus infinity forbids it. */
struct SequenceBias {
    std::vector<int64_t> before; /* empty: always */
    int64_t last;
    double bias;
};

enum class EarlyStopping { No, Yes, Never };

struct Generation {
    std::string path;                      /* of the file that says it, for messages */
    uint64_t hash = 0;                     /* of what it says */
    std::vector<int64_t> ends;             /* tokens that end an output: eos_token_id */
    int64_t forced_first = -1;             /* first token of every output; -1: any */
    std::vector<int64_t> forced_last;      /* last token of outputs that become as long as is
                                          * allowed: one of these; empty: any */
    std::vector<int64_t> suppressed;       /* tokens that no output has: suppress_tokens */
    std::vector<int64_t> suppressed_first; /* tokens that no output begins with, or that do not
                                          * follow a forced first one: begin_suppress_tokens */
    std::vector<SequenceBias> biases;      /* sequence_bias */
    std::vector<SequenceBias> bad_words;   /* bad_words_ids, but for those that end outputs */
    int64_t longest = 0;       /* tokens of the longest output, its end included, its start not */
    int64_t total = INT64_MAX; /* of a prompt and its output (language models) */
    int64_t shortest = 0;      /* tokens before which no output ends */
    double repetition = 1, source_repetition = 1; /* repetition_penalty and that of the encoder */
    int64_t ngram = 0, source_ngram = 0; /* no_repeat_ngram_size and that of the encoder; 0: none */
    /* exponential_decay_length_penalty: behind `decay_from` tokens, scores of ends grow by
     * |score| (decay^tokens - 1); decay 0: it is not asked for. */
    int64_t decay_from = 0;
    double decay = 0;
    int32_t beams = 1;
    double length_penalty = 1;
    EarlyStopping early_stopping = EarlyStopping::No;
    bool renormalize = false; /* renormalize_logits */
    /* Of draws. do_sample is what the folder asks for; top_k 0: all tokens. */
    bool sample = false;
    double temperature = 1, top_p = 1, min_p = 0;
    int64_t top_k = 0;
    std::string unknown_cut; /* a key by which draws would be cut and which is not obeyed; "" */
};

} // namespace alcore_torch

#endif
