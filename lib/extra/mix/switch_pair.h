/* SPDX-License-Identifier: Apache-2.0 */
/* Puts an annotated phrase into a sentence pair: switched pairs (spec 6.3) and contextualized pairs
 * (spec 6.4) of Hu and Neubig (2021), section 4.2.
 *
 *   x*, y*     source and target of a labeled sentence pair, with the links between their words
 *   p, t       an annotated phrase and its translation
 *   switched   the source is x* with words i .. i + |p| - 1 replaced by p, the target y* with the
 *              words that are linked to the replaced ones replaced by t; i and p are those for
 *              which a language model gives the source the largest probability, among the
 *              candidates that are allowed (alcore__span)
 *   contextualized   the source is x* followed by p, the target y* followed by t
 *
 * A probability is the total log10 probability of the source with its end, rounded to six decimals
 * for comparisons only. It is computed for the words that change and for those after them whose
 * context the language model still sees: at most |p| + order - 1 look-ups a candidate instead of
 * |x*| + 1. The sum is added in the order of the words, so it has the bits of scoring the whole
 * text. */
#ifndef ALCORE__SWITCH_PAIR_H
#define ALCORE__SWITCH_PAIR_H

#include "extra/annotation/link_ranges.h"
#include "extra/annotation/phrase_finder.h"
#include "text/lm_internal.h"

/* Which target words are replaced, and which candidates are allowed; a candidate whose replaced
 * words have no link never is. low .. high: from the first to the last target word that is linked
 * to a replaced one. */
typedef enum alcore__span {
    ALCORE__SPAN_CONSISTENT, /* low .. high, if no word of it has a link to a source word outside,
                                and it has at most max(4, 2 |p|) words */
    ALCORE__SPAN_MINMAX,     /* low .. high, if it has at most max(4, 2 |p|) words */
    ALCORE__SPAN_LITERAL     /* as many words from low on as t has, or as y* has left */
} alcore__span;

/* A labeled pair; everything is borrowed. */
typedef struct alcore__labeled_pair {
    const char *source, *target;
    size_t source_length, target_length; /* bytes */
    const alcore__link *link;            /* [link_count] sorted by (source, target) */
    int64_t link_count;
} alcore__labeled_pair;

/* An annotated phrase; everything is borrowed. At most ALCORE__FINDER_WORDS words. */
typedef struct alcore__translated_phrase {
    const char *text, *translation;
    size_t text_length, translation_length; /* bytes */
} alcore__translated_phrase;

/* One place for one phrase. */
typedef struct alcore__switch_candidate {
    int64_t phrase;    /* index among the phrases given */
    int64_t word;      /* i: first word of x* that is replaced */
    int64_t words;     /* |p| */
    int64_t low, high; /* target words linked to the replaced ones; -1 without a link */
    double log10;      /* of the new source with its end */
    bool consistent;   /* no word of low .. high is linked to a source word outside */
    bool allowed;      /* by the given alcore__span */
} alcore__switch_candidate;

/* A pair that is open for candidates, and the memory for it: one a thread, used for one pair after
 * the other. It begins as zeros but for ctx and lm. */
typedef struct alcore__switcher {
    alcore_ctx *ctx;
    const alcore_lm *lm; /* borrowed */
    alcore__word_row source, target;
    alcore__word_row translation; /* workspace */
    uint32_t *number;             /* [n] number of each source word in the model; n = |x*| */
    double *logp;   /* [n + 1] log10 probability of each source word, and of the end, in x* */
    double *before; /* [n + 1] sum of logp before each word, added in order from 0.0 */
    alcore__lm_context *context; /* [n + 1] of each word of x* and of the end */
    size_t number_capacity, logp_capacity, before_capacity,
        context_capacity; /* entries there is memory for */
    /* Of the pair; set only if it was opened with links. */
    alcore__link_ranges ranges;
} alcore__switcher;

/* Opens a pair. with_links: false for contextualized pairs, whose links are not read.
 * ALCORE_E_DATA: a link names a word that the pair lacks; the message names the link. */
alcore_status alcore__switcher_open(alcore__switcher *switcher, const alcore__labeled_pair *pair,
                                    bool with_links);
void alcore__switcher_clear(alcore__switcher *switcher);

/* Fills in the candidate of a phrase p at word i, 0 <= i <= |x*| - |p|, but for its member phrase,
 * which is 0. score: also its log10, which is 0 otherwise. */
void alcore__switch_candidate_at(const alcore__switcher *switcher,
                                 const alcore__translated_phrase *phrase, int64_t word,
                                 alcore__span span, bool score, alcore__switch_candidate *out);
/* The best allowed candidate of the phrases [count], which are in order of selection: largest
 * rounded log10, then lowest word, then earliest phrase. *out_found: whether there is one. */
void alcore__switch_best(const alcore__switcher *switcher, const alcore__translated_phrase *phrases,
                         int64_t count, alcore__span span, bool *out_found,
                         alcore__switch_candidate *out);
/* Appends the new source and the new target. *out_end: behind the last target word that is
 * replaced; candidate->low is the first. */
alcore_status alcore__switch_write(alcore__switcher *switcher,
                                   const alcore__translated_phrase *phrase,
                                   const alcore__switch_candidate *candidate, alcore__span span,
                                   alcore__buffer *source, alcore__buffer *target,
                                   int64_t *out_end);

/* The phrase of phrases [count], at least one, for which x* followed by it has the largest rounded
 * log10 probability; the earliest in a tie. norm: divided by the number of words and the end.
 * *out_score: that value, not rounded. Returns the phrase's index. */
int64_t alcore__context_best(const alcore__switcher *switcher,
                             const alcore__translated_phrase *phrases, int64_t count, bool norm,
                             double *out_score);

#endif
