/* SPDX-License-Identifier: Apache-2.0 */
/* chrF and chrF++ (Popovic 2015, 2017) as sacreBLEU 2.6 computes them (docs/spec/analyses.md 8.9):
 *
 *     P, R = means of matches_n / hypothesis_n and matches_n / reference_n over the orders of which
 *            both sides have n-grams;   chrF = 100 * 5 P R / (4 P + R)
 *
 * over n-grams of 1 to 6 characters and, for chrF++, of 1 and 2 words. One pass over the segments;
 * each reference is counted by itself, because the one with the best score of the segment counts.
 * Memory is that of the largest segment; bootstrap samples need 24 integers a segment beside it. */
#include <math.h>
#include <string.h>

#include "alcore/metric.h"
#include "alcore/version.h"
#include "metric/bleu_tokens.h"
#include "metric/clipped_ngrams.h"
#include "metric/resample.h"
#include "metric/segment_pairs.h"

enum { CHARACTER_ORDERS = 6, ORDERS = 8, WIDTH = 3 * ORDERS };

/* Statistics of a segment or a corpus: matches, n-grams of hypothesis and of reference, [ORDERS]
 * each. */
enum { MATCHES = 0, HYPOTHESIS = ORDERS, REFERENCE = 2 * ORDERS };

typedef struct chrf_work {
    alcore_chrf_options options;
    alcore__segment_pairs pairs;
    alcore__ngram_counter counter;
    alcore__token_lines lines;
    int64_t *statistics; /* [pairs.count][WIDTH] for bootstrap samples, else NULL */
} chrf_work;

static alcore_status read_options(const alcore_chrf_options *options, alcore_chrf_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_chrf_options, seed), options,
                                    "alcore_chrf_options"));
    if (ours->word_order < 0 || ours->word_order > ORDERS - CHARACTER_ORDERS)
        return alcore__fail(ALCORE_E_INVALID, "word_order %d is not 0 (chrF) to 2 (chrF++)",
                            ours->word_order);
    if ((ours->whitespace & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "whitespace is 0 or 1");
    if (ours->resamples < 0 || ours->resamples > ALCORE__MOST_RESAMPLES)
        return alcore__fail(ALCORE_E_INVALID, "resamples must be 0 to %d", ALCORE__MOST_RESAMPLES);
    return ALCORE_OK;
}

/* Orders that are not counted have no n-grams and so take no part. */
static double chrf_of_sums(const int64_t *sums, const void *settings) {
    double precision = 0, recall = 0;
    int used = 0;
    (void)settings;
    for (int n = 0; n < ORDERS; n++) {
        if (sums[HYPOTHESIS + n] == 0 || sums[REFERENCE + n] == 0) continue;
        precision += (double)sums[MATCHES + n] / (double)sums[HYPOTHESIS + n];
        recall += (double)sums[MATCHES + n] / (double)sums[REFERENCE + n];
        used++;
    }
    if (precision + recall == 0) return 0;
    precision /= used;
    recall /= used;
    return 100 * (5 * precision * recall / (4 * precision + recall));
}

/* ---- counting ---- */

static alcore_status add_characters(chrf_work *work, const char *text, size_t length) {
    ALCORE__TRY(alcore__token_lines_read(&work->lines, text, length));
    for (size_t i = 0; i < work->lines.length; i++) {
        const int32_t point = work->lines.line[i];
        if (work->options.whitespace || !alcore__is_python_space(point))
            ALCORE__TRY(alcore__ngram_counter_unit(&work->counter, point));
    }
    return alcore__ngram_counter_end_part(&work->counter);
}

/* Python's string.punctuation. */
static bool is_ascii_punctuation(int32_t c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* Words at white space; of a longer word that ends in ASCII punctuation, or else begins with it,
 * that one character is a word of its own. */
static alcore_status add_words(chrf_work *work, const char *text, size_t length) {
    size_t place = 0, begin;
    ALCORE__TRY(alcore__token_lines_read(&work->lines, text, length));
    while (alcore__token_lines_next(&work->lines, &place, &begin)) {
        const int32_t *word = work->lines.line + begin;
        const size_t size = place - begin;
        size_t cut = size;
        if (size > 1 && is_ascii_punctuation(word[size - 1]))
            cut = size - 1;
        else if (size > 1 && is_ascii_punctuation(word[0]))
            cut = 1;
        ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, word, cut));
        if (cut < size)
            ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, word + cut, size - cut));
    }
    return alcore__ngram_counter_end_part(&work->counter);
}

typedef alcore_status (*add_text)(chrf_work *work, const char *text, size_t length);

/* Counts the hypothesis against one reference: `orders` orders of the units that `add` makes, into
 * the statistics from order `first` on. Without an n-gram in the reference those of the hypothesis
 * do not count. */
static alcore_status count_units(chrf_work *work, int64_t segment, int64_t part, add_text add,
                                 int32_t first, int32_t orders, int64_t *statistics) {
    alcore__ngram_matches counts;
    size_t length;
    alcore__ngram_counter_begin(&work->counter);
    const char *text = alcore__segment_pairs_text(&work->pairs, segment, 0, &length);
    ALCORE__TRY(add(work, text, length));
    text = alcore__segment_pairs_text(&work->pairs, segment, part, &length);
    ALCORE__TRY(add(work, text, length));
    ALCORE__TRY(alcore__ngram_counter_match(&work->counter, orders, &counts));
    for (int32_t n = 0; n < orders; n++) {
        statistics[MATCHES + first + n] = counts.matches[n];
        statistics[HYPOTHESIS + first + n] = counts.reference_totals[n] > 0 ? counts.totals[n] : 0;
        statistics[REFERENCE + first + n] = counts.reference_totals[n];
    }
    return ALCORE_OK;
}

/* The statistics [WIDTH] of one segment with its best reference, the first in ties. */
static alcore_status count_segment(chrf_work *work, int64_t segment, int64_t *best,
                                   double *best_score) {
    *best_score = -1;
    for (int64_t part = 1; part <= work->pairs.sets; part++) {
        int64_t statistics[WIDTH] = {0};
        ALCORE__TRY(
            count_units(work, segment, part, add_characters, 0, CHARACTER_ORDERS, statistics));
        if (work->options.word_order > 0)
            ALCORE__TRY(count_units(work, segment, part, add_words, CHARACTER_ORDERS,
                                    work->options.word_order, statistics));
        const double score = chrf_of_sums(statistics, NULL);
        if (score <= *best_score) continue;
        *best_score = score;
        memcpy(best, statistics, sizeof statistics);
    }
    return ALCORE_OK;
}

/* The public call between enter and leave; the caller clears what work allocated. */
static alcore_status compute(chrf_work *work, double *sentence_scores, alcore_chrf_score *out) {
    alcore_ctx *ctx = work->counter.ctx;
    int64_t sums[WIDTH] = {0};
    alcore_chrf_score result = {0};
    alcore__interval interval;
    if (work->options.resamples > 0)
        ALCORE__TRY(alcore__new_array(ctx, (size_t)work->pairs.count,
                                      WIDTH * sizeof *work->statistics, &work->statistics));
    for (int64_t i = 0; i < work->pairs.count; i++) {
        int64_t statistics[WIDTH];
        double score;
        ALCORE__TRY(alcore__tick(ctx, "chrF", i, work->pairs.count));
        ALCORE__TRY(count_segment(work, i, statistics, &score));
        for (int j = 0; j < WIDTH; j++) sums[j] += statistics[j];
        if (work->statistics != NULL)
            memcpy(work->statistics + i * WIDTH, statistics, sizeof statistics);
        if (sentence_scores != NULL) sentence_scores[i] = score;
    }
    ALCORE__TRY(alcore__resample(ctx, work->statistics, work->pairs.count, WIDTH,
                                 work->options.resamples, work->options.seed, chrf_of_sums, NULL,
                                 &interval));
    result.chrf = chrf_of_sums(sums, NULL);
    memcpy(result.matches, sums + MATCHES, sizeof result.matches);
    memcpy(result.hypothesis_total, sums + HYPOTHESIS, sizeof result.hypothesis_total);
    memcpy(result.reference_total, sums + REFERENCE, sizeof result.reference_total);
    result.bootstrap_mean = interval.mean;
    result.bootstrap_low = interval.low;
    result.bootstrap_high = interval.high;
    return alcore__struct_write(out, &result, sizeof result,
                                ALCORE__FIRST_SIZE(alcore_chrf_score, bootstrap_high),
                                "alcore_chrf_score");
}

alcore_status alcore_metric_compute_chrf(alcore_ctx *ctx, const char *const *hypotheses,
                                         const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                         const char *const *references,
                                         const size_t *reference_lengths, int64_t reference_count,
                                         const alcore_chrf_options *options,
                                         double *sentence_scores, alcore_chrf_score *out) {
    chrf_work work = {.counter.ctx = ctx, .lines.ctx = ctx};
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = ALCORE_OK;
    if (ctx == NULL || out == NULL) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = read_options(options, &work.options);
    if (status == ALCORE_OK)
        status = alcore__segment_pairs_check(hypotheses, hypothesis_lengths, hypothesis_count,
                                             references, reference_lengths, reference_count,
                                             &work.pairs);
    if (status == ALCORE_OK) status = compute(&work, sentence_scores, out);
    alcore__ngram_counter_clear(&work.counter);
    alcore__token_lines_clear(&work.lines);
    alcore__free(ctx, work.statistics);
    return alcore__leave(ctx, status);
}

const char *alcore_metric_chrf_signature(const alcore_chrf_options *options, int64_t reference_sets,
                                         char buffer[160]) {
    alcore_chrf_options ours;
    char bootstrap[64] = "";
    if (buffer == NULL || read_options(options, &ours) != ALCORE_OK) return NULL;
    if (ours.resamples > 0)
        alcore__format(bootstrap, sizeof bootstrap, "bs:%lld|seed:%llu|", (long long)ours.resamples,
                       (unsigned long long)ours.seed);
    alcore__format(buffer, 160,
                   "nrefs:%lld|%scase:mixed|eff:yes|nc:6|nw:%d|space:%s|version:alcore-%s",
                   (long long)reference_sets, bootstrap, ours.word_order,
                   ours.whitespace ? "yes" : "no", alcore_version());
    return buffer;
}
