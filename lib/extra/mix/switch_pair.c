/* SPDX-License-Identifier: Apache-2.0 */
/* Switched and contextualized pairs (switch_pair.h). */
#include "extra/mix/switch_pair.h"

#include <math.h>

#include "base/rng.h"
#include "text/words.h"

/* ---- opening a pair ---- */

/* Scores x* once and keeps what every candidate shares: the contexts and the sums before each
 * word. */
static alcore_status score_source(alcore__switcher *self) {
    const int64_t words = self->source.count;
    const size_t need = (size_t)words + 1;
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->number, &self->number_capacity, need, sizeof *self->number));
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->logp, &self->logp_capacity, need, sizeof *self->logp));
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->before, &self->before_capacity, need, sizeof *self->before));
    ALCORE__TRY(alcore__grow(self->ctx, &self->context, &self->context_capacity, need,
                             sizeof *self->context));
    alcore__lm_context context = alcore__lm_begin(self->lm);
    double total = 0.0;
    for (int64_t i = 0; i <= words; i++) {
        if (i < words) {
            size_t bytes;
            const char *word = alcore__word_row_span(&self->source, i, 1, &bytes);
            self->number[i] =
                alcore__lm_word_number(self->lm, alcore__hash64(word, bytes), word, bytes);
        }
        self->before[i] = total;
        self->context[i] = context;
        self->logp[i] = alcore__lm_read(
            self->lm, &context, i < words ? self->number[i] : alcore__lm_end_number(self->lm));
        total += self->logp[i];
    }
    return ALCORE_OK;
}

alcore_status alcore__switcher_open(alcore__switcher *self, const alcore__labeled_pair *pair,
                                    bool with_links) {
    ALCORE__TRY(alcore__word_row_read(self->ctx, &self->source, pair->source, pair->source_length));
    ALCORE__TRY(alcore__word_row_read(self->ctx, &self->target, pair->target, pair->target_length));
    ALCORE__TRY(score_source(self));
    if (!with_links) return ALCORE_OK;
    return alcore__link_ranges_read(self->ctx, &self->ranges, pair->link, pair->link_count,
                                    self->source.count, self->target.count);
}

void alcore__switcher_clear(alcore__switcher *self) {
    alcore__word_row_clear(self->ctx, &self->source);
    alcore__word_row_clear(self->ctx, &self->target);
    alcore__word_row_clear(self->ctx, &self->translation);
    alcore__free(self->ctx, self->number);
    alcore__free(self->ctx, self->logp);
    alcore__free(self->ctx, self->before);
    alcore__free(self->ctx, self->context);
    alcore__link_ranges_clear(self->ctx, &self->ranges);
    *self = (alcore__switcher){.ctx = self->ctx, .lm = self->lm};
}

/* ---- candidates ---- */

/* The key by which candidates are compared: log10 P in millionths, rounded to the nearest integer.
 * Different orders of the same additions differ in the last bits of a sum, and ties are common. */
static double rounded(double log10) {
    return floor(log10 * 1e6 + 0.5);
}

/* The log10 probability of x* with words first .. next - 1 replaced by the phrase: the sum of the
 * words before `first`, of the phrase's words, of those from `next` on, and of the end. As soon as
 * the context is that of x* at the same word, every later word has the probability that it has in
 * x*. *out_words: words of the phrase. */
static double score_with(const alcore__switcher *self, const alcore__translated_phrase *phrase,
                         int64_t first, int64_t next, int64_t *out_words) {
    const char *rest = phrase->text, *end = phrase->text + phrase->text_length, *word;
    const int64_t words = self->source.count;
    alcore__lm_context context = self->context[first];
    double total = self->before[first];
    size_t bytes;
    *out_words = 0;
    for (; alcore__word_next(&rest, end, &word, &bytes); ++*out_words)
        total += alcore__lm_read(
            self->lm, &context,
            alcore__lm_word_number(self->lm, alcore__hash64(word, bytes), word, bytes));
    int64_t i = next;
    for (; i <= words; i++) {
        const alcore__lm_context *own = &self->context[i];
        if (own->length == context.length && own->number == context.number) break;
        total += alcore__lm_read(self->lm, &context,
                                 i < words ? self->number[i] : alcore__lm_end_number(self->lm));
    }
    for (; i <= words; i++) total += self->logp[i];
    return total;
}

/* The words of a text. */
static int64_t count_words(const char *text, size_t length) {
    return alcore__lm_token_count(text, length) - 1; /* without the end */
}

/* A span may have up to twice as many words as the phrase, and 4 in any case; ALCORE__SPAN_LITERAL
 * has no limit. */
void alcore__switch_candidate_at(const alcore__switcher *self,
                                 const alcore__translated_phrase *phrase, int64_t word,
                                 alcore__span span, bool score, alcore__switch_candidate *out) {
    const int64_t words = count_words(phrase->text, phrase->text_length);
    *out = (alcore__switch_candidate){.word = word, .words = words, .low = -1, .high = -1};
    const alcore__word_range range =
        alcore__link_ranges_span(&self->ranges, word, words, &out->consistent);
    if (range.low <= range.high) {
        const int64_t longest = words > 2 ? 2 * words : 4;
        out->low = range.low;
        out->high = range.high;
        out->allowed =
            span == ALCORE__SPAN_LITERAL || (range.high - range.low + 1 <= longest &&
                                             (span == ALCORE__SPAN_MINMAX || out->consistent));
    }
    if (!score) return;
    int64_t scored;
    out->log10 = score_with(self, phrase, word, word + words, &scored);
}

/* Whether candidate a is better than b: by falling rounded probability, rising word, rising phrase.
 */
static bool precedes(const alcore__switch_candidate *a, const alcore__switch_candidate *b) {
    const double of_a = rounded(a->log10), of_b = rounded(b->log10);
    if (of_a != of_b) return of_a > of_b;
    if (a->word != b->word) return a->word < b->word;
    return a->phrase < b->phrase;
}

/* Tries every phrase at every word; only allowed candidates are scored, which takes most of the
 * time. */
void alcore__switch_best(const alcore__switcher *self, const alcore__translated_phrase *phrases,
                         int64_t count, alcore__span span, bool *out_found,
                         alcore__switch_candidate *out) {
    *out_found = false;
    for (int64_t p = 0; p < count; p++) {
        const int64_t words = count_words(phrases[p].text, phrases[p].text_length);
        for (int64_t i = 0; i + words <= self->source.count; i++) {
            alcore__switch_candidate candidate;
            alcore__switch_candidate_at(self, &phrases[p], i, span, false, &candidate);
            if (!candidate.allowed) continue;
            int64_t scored;
            candidate.phrase = p;
            candidate.log10 = score_with(self, &phrases[p], i, i + words, &scored);
            if (*out_found && !precedes(&candidate, out)) continue;
            *out = candidate;
            *out_found = true;
        }
    }
}

/* Appends words first .. first + count - 1 of row, count 0 or more, behind a space where the text
 * has begun. */
static alcore_status append_words(alcore_ctx *ctx, alcore__buffer *out, size_t begun,
                                  const alcore__word_row *row, int64_t first, int64_t count) {
    if (count <= 0) return ALCORE_OK;
    size_t bytes;
    const char *text = alcore__word_row_span(row, first, count, &bytes);
    if (out->length > begun) ALCORE__TRY(alcore__buffer_append(ctx, out, " ", 1));
    return alcore__buffer_append(ctx, out, text, bytes);
}

/* Appends the words of row with those from `first` to before `next` replaced by the words of
 * text. */
static alcore_status replace_words(alcore__switcher *self, const alcore__word_row *row,
                                   int64_t first, int64_t next, const char *text, size_t length,
                                   alcore__buffer *out) {
    const size_t begun = out->length;
    ALCORE__TRY(alcore__word_row_read(self->ctx, &self->translation, text, length));
    ALCORE__TRY(append_words(self->ctx, out, begun, row, 0, first));
    ALCORE__TRY(
        append_words(self->ctx, out, begun, &self->translation, 0, self->translation.count));
    return append_words(self->ctx, out, begun, row, next, row->count - next);
}

/* The words to be replaced end with candidate->high, or, taken literally, after as many words as
 * the translation has. */
alcore_status alcore__switch_write(alcore__switcher *self, const alcore__translated_phrase *phrase,
                                   const alcore__switch_candidate *candidate, alcore__span span,
                                   alcore__buffer *source, alcore__buffer *target,
                                   int64_t *out_end) {
    ALCORE__TRY(replace_words(self, &self->source, candidate->word,
                              candidate->word + candidate->words, phrase->text, phrase->text_length,
                              source));
    *out_end = candidate->high + 1;
    if (span == ALCORE__SPAN_LITERAL) {
        *out_end = candidate->low + count_words(phrase->translation, phrase->translation_length);
        if (*out_end > self->target.count) *out_end = self->target.count;
    }
    return replace_words(self, &self->target, candidate->low, *out_end, phrase->translation,
                         phrase->translation_length, target);
}

/* ---- contextualized pairs ---- */

/* Of equal rounded scores the earlier phrase stays; the score that is returned is not rounded. */
int64_t alcore__context_best(const alcore__switcher *self, const alcore__translated_phrase *phrases,
                             int64_t count, bool norm, double *out_score) {
    const int64_t end = self->source.count;
    int64_t best = 0;
    for (int64_t p = 0; p < count; p++) {
        int64_t words;
        double score = score_with(self, &phrases[p], end, end, &words);
        if (norm) score /= (double)(end + words + 1);
        if (p > 0 && rounded(score) <= rounded(*out_score)) continue;
        best = p;
        *out_score = score;
    }
    return best;
}
