/* SPDX-License-Identifier: Apache-2.0 */
/* Which tokens may continue a hypothesis, and what they count: the logits processors of
 * transformers, in its order, and the cuts of draws. */
#ifndef ALCORE__TORCH_RULES_H
#define ALCORE__TORCH_RULES_H

#include "torch_parts.h"

namespace alcore_torch {

/* What a hypothesis is continued from. */
struct Context {
    const std::vector<int64_t> &tokens; /* so far, the one that starts the output first */
    const std::vector<int64_t> &source; /* those of the source; empty where no rule reads them */
};

/* The rules of one step, for all hypotheses. */
class Rules {
  public:
    /* step: tokens that the decoder has read, the start included, 1 or more; longest: tokens of the
     * longest output; forced_first: the token that outputs begin with, -1: any. */
    Rules(const Generation &folder, int64_t step, int64_t longest, int64_t forced_first);
    /* The tokens of which one must follow; empty: any may. */
    const std::vector<int64_t> &forced() const { return forced_; }
    /* Tokens that follow no hypothesis in this step; empty where some are forced. */
    const std::vector<int64_t> &forbidden() const { return forbidden_; }
    /* Whether what a token counts depends on the hypothesis. */
    bool reads_hypotheses() const { return reads_hypotheses_; }
    /* Whether adjust() does anything. */
    bool adjusts() const { return reads_hypotheses_ || !forbidden_.empty(); }
    /* Changes the values [vocabulary] of all tokens: raises and lowers some, and makes those minus
     * infinity that may not follow. values less `shift` are the scores that factors apply to: log-
     * probabilities in a beam search, else logits. */
    void adjust(float *values, int64_t vocabulary, float shift, const Context &context) const;
    /* Whether probabilities of what may follow are made to sum to 1 again. */
    bool renormalizes() const { return folder_.renormalize && (adjusts() || !forced_.empty()); }

  private:
    void favor_ends(float *values, float shift) const;
    const Generation &folder_;
    int64_t step_;
    bool reads_hypotheses_ = false;
    std::vector<int64_t> forced_, forbidden_;
};

/* Whether rules of the folder read the tokens of the sources. */
bool reads_sources(const Generation &folder);

/* Values [rows, vocabulary] of draws, divided by the temperature, with those tokens at minus
 * infinity that top_k, top_p and min_p cut off. */
at::Tensor cut_off(const Generation &folder, at::Tensor values);

} // namespace alcore_torch

#endif
