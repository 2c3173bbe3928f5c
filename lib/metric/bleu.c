/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU (Papineni et al. 2002) as sacreBLEU 2.6 computes it (docs/spec/analyses.md 8.6):
 *
 *     BLEU = 100 * BP * exp(mean over orders n = 1 .. 4 of log(precision_n))
 *     precision_n = matches_n / totals_n, smoothed where no n-gram matches
 *     BP = 1 if the hypotheses are no shorter than the references, else exp(1 - refs / hyps)
 *
 * One pass over the segments: each text is cut into tokens, tokens become numbers that are valid
 * within the segment, n-grams of all orders are counted (clipped_ngrams.h), and the sums of the
 * integer counts give the score. Memory is that of the largest segment; bootstrap samples need ten
 * integers a segment beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/metric.h"
#include "alcore/version.h"
#include "metric/bleu_tokens.h"
#include "metric/clipped_ngrams.h"
#include "metric/resample.h"
#include "metric/segment_pairs.h"

#define ORDERS 4

/* Statistics of a segment or a corpus, in this order. */
enum { MATCHES = 0, TOTALS = ORDERS, HYPOTHESIS = 2 * ORDERS, REFERENCE, WIDTH };

typedef struct bleu_work {
    alcore_bleu_options options; /* smoothing_value is never 0 */
    alcore__segment_pairs pairs;
    alcore__ngram_counter counter;
    alcore__token_lines lines;
    int64_t *statistics; /* [pairs.count][WIDTH] for bootstrap samples, else NULL */
} bleu_work;

/* The caller's options with the defaults filled in. */
static alcore_status read_options(const alcore_bleu_options *options, alcore_bleu_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_bleu_options, seed), options,
                                    "alcore_bleu_options"));
    if (ours->tokenizer < ALCORE_BLEU_13A || ours->tokenizer > ALCORE_BLEU_NONE)
        return alcore__fail(ALCORE_E_INVALID, "tokenizer %d is none of ALCORE_BLEU_13A to _NONE",
                            ours->tokenizer);
    if (ours->smoothing < ALCORE_BLEU_SMOOTH_EXP || ours->smoothing > ALCORE_BLEU_SMOOTH_NONE)
        return alcore__fail(ALCORE_E_INVALID, "smoothing %d is none of ALCORE_BLEU_SMOOTH_...",
                            ours->smoothing);
    if (!(ours->smoothing_value >= 0) || isinf(ours->smoothing_value))
        return alcore__fail(ALCORE_E_INVALID, "smoothing_value must be a number above 0");
    if ((ours->effective_order & ~1) != 0 || ours->reserved != 0)
        return alcore__fail(ALCORE_E_INVALID, "effective_order is 0 or 1, reserved is 0");
    if (ours->resamples < 0 || ours->resamples > ALCORE__MOST_RESAMPLES)
        return alcore__fail(ALCORE_E_INVALID, "resamples must be 0 to %d", ALCORE__MOST_RESAMPLES);
    if (ours->smoothing_value == 0)
        ours->smoothing_value = ours->smoothing == ALCORE_BLEU_SMOOTH_FLOOR ? 0.1 : 1.0;
    return ALCORE_OK;
}

/* Fills bleu, brevity_penalty and precisions of *out from sums [WIDTH]. As in sacreBLEU, without a
 * single match nothing is smoothed and every precision is 0. */
static void score_sums(const int64_t *sums, const alcore_bleu_options *options,
                       bool effective_order, alcore_bleu_score *out) {
    const double hypothesis = (double)sums[HYPOTHESIS], reference = (double)sums[REFERENCE];
    const double value = options->smoothing_value;
    double halving = 1, logarithms = 0;
    int order = ORDERS;
    out->bleu = 0;
    out->brevity_penalty = 1;
    if (hypothesis < reference)
        out->brevity_penalty = hypothesis > 0 ? exp(1 - reference / hypothesis) : 0;
    memset(out->precisions, 0, sizeof out->precisions);
    if (!(sums[0] | sums[1] | sums[2] | sums[3])) return;
    for (int n = 0; n < ORDERS; n++) {
        const bool add = options->smoothing == ALCORE_BLEU_SMOOTH_ADD_K && n > 0;
        const double matches = (double)sums[MATCHES + n] + (add ? value : 0);
        const double total = (double)sums[TOTALS + n] + (add ? value : 0);
        if (total == 0) break;
        if (effective_order) order = n + 1;
        if (matches == 0 && options->smoothing == ALCORE_BLEU_SMOOTH_EXP)
            out->precisions[n] = 100 / ((halving *= 2) * total);
        else if (matches == 0 && options->smoothing == ALCORE_BLEU_SMOOTH_FLOOR)
            out->precisions[n] = 100 * value / total;
        else
            out->precisions[n] = 100 * matches / total;
    }
    for (int n = 0; n < order; n++) {
        if (out->precisions[n] == 0) return;
        logarithms += log(out->precisions[n]);
    }
    out->bleu = out->brevity_penalty * exp(logarithms / order);
}

/* For alcore__resample(). */
static double bleu_of_sums(const int64_t *sums, const void *settings) {
    const alcore_bleu_options *options = settings;
    alcore_bleu_score score;
    score_sums(sums, options, options->effective_order != 0, &score);
    return score.bleu;
}

/* Cuts one text into the next part of the counter; *tokens is how many it has. */
static alcore_status add_text(bleu_work *work, const char *text, size_t length, int64_t *tokens) {
    size_t place = 0, begin;
    *tokens = 0;
    ALCORE__TRY(alcore__token_lines_read(&work->lines, text, length));
    ALCORE__TRY(alcore__token_lines_cut(&work->lines, work->options.tokenizer));
    for (; alcore__token_lines_next(&work->lines, &place, &begin); (*tokens)++)
        ALCORE__TRY(
            alcore__ngram_counter_intern(&work->counter, work->lines.line + begin, place - begin));
    return alcore__ngram_counter_end_part(&work->counter);
}

/* The statistics [WIDTH] of one segment. The reference length is that closest to the hypothesis,
 * the shorter of two equally close. */
static alcore_status count_segment(bleu_work *work, int64_t segment, int64_t *statistics) {
    int64_t hypothesis = 0, closest = -1, tokens;
    alcore__ngram_matches counts;
    alcore__ngram_counter_begin(&work->counter);
    for (int64_t part = 0; part <= work->pairs.sets; part++) {
        size_t length;
        const char *text = alcore__segment_pairs_text(&work->pairs, segment, part, &length);
        ALCORE__TRY(add_text(work, text, length, &tokens));
        const int64_t distance = llabs(tokens - hypothesis), best = llabs(closest - hypothesis);
        if (part == 0)
            hypothesis = tokens;
        else if (closest < 0 || distance < best || (distance == best && tokens < closest))
            closest = tokens;
    }
    ALCORE__TRY(alcore__ngram_counter_match(&work->counter, ORDERS, &counts));
    memcpy(statistics + MATCHES, counts.matches, ORDERS * sizeof *statistics);
    memcpy(statistics + TOTALS, counts.totals, ORDERS * sizeof *statistics);
    statistics[HYPOTHESIS] = hypothesis;
    statistics[REFERENCE] = closest;
    return ALCORE_OK;
}

/* Adds the segments up in sums [WIDTH] and scores each of them where the caller wants that. */
static alcore_status count_corpus(bleu_work *work, double *sentence_scores, int64_t *sums) {
    if (work->options.resamples > 0)
        ALCORE__TRY(alcore__new_array(work->counter.ctx, (size_t)work->pairs.count,
                                      WIDTH * sizeof *work->statistics, &work->statistics));
    for (int64_t i = 0; i < work->pairs.count; i++) {
        int64_t statistics[WIDTH];
        ALCORE__TRY(alcore__tick(work->counter.ctx, "BLEU", i, work->pairs.count));
        ALCORE__TRY(count_segment(work, i, statistics));
        for (int j = 0; j < WIDTH; j++) sums[j] += statistics[j];
        if (work->statistics != NULL)
            memcpy(work->statistics + i * WIDTH, statistics, sizeof statistics);
        if (sentence_scores == NULL) continue;
        alcore_bleu_score score;
        score_sums(statistics, &work->options, true, &score);
        sentence_scores[i] = score.bleu;
    }
    return ALCORE_OK;
}

/* The public call between enter and leave; the caller clears what work allocated. */
static alcore_status compute(bleu_work *work, double *sentence_scores, alcore_bleu_score *out) {
    int64_t sums[WIDTH] = {0};
    alcore_bleu_score score = {0};
    alcore__interval interval;
    ALCORE__TRY(count_corpus(work, sentence_scores, sums));
    score_sums(sums, &work->options, work->options.effective_order != 0, &score);
    memcpy(score.matches, sums + MATCHES, sizeof score.matches);
    memcpy(score.totals, sums + TOTALS, sizeof score.totals);
    score.hypothesis_tokens = sums[HYPOTHESIS];
    score.reference_tokens = sums[REFERENCE];
    ALCORE__TRY(alcore__resample(work->counter.ctx, work->statistics, work->pairs.count, WIDTH,
                                 work->options.resamples, work->options.seed, bleu_of_sums,
                                 &work->options, &interval));
    score.bootstrap_mean = interval.mean;
    score.bootstrap_low = interval.low;
    score.bootstrap_high = interval.high;
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_bleu_score, bootstrap_high),
                                "alcore_bleu_score");
}

alcore_status alcore_metric_compute_bleu(alcore_ctx *ctx, const char *const *hypotheses,
                                         const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                         const char *const *references,
                                         const size_t *reference_lengths, int64_t reference_count,
                                         const alcore_bleu_options *options,
                                         double *sentence_scores, alcore_bleu_score *out) {
    bleu_work work = {.counter.ctx = ctx, .lines.ctx = ctx};
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

const char *alcore_metric_bleu_signature(const alcore_bleu_options *options, int64_t reference_sets,
                                         char buffer[160]) {
    static const char *const tokenizers[] = {"13a", "intl", "char", "zh", "none"};
    static const char *const smoothings[] = {"exp", "floor", "add-k", "none"};
    alcore_bleu_options ours;
    char bootstrap[64] = "", value[40] = "";
    if (buffer == NULL || read_options(options, &ours) != ALCORE_OK) return NULL;
    if (ours.resamples > 0)
        alcore__format(bootstrap, sizeof bootstrap, "bs:%lld|seed:%llu|", (long long)ours.resamples,
                       (unsigned long long)ours.seed);
    if (ours.smoothing == ALCORE_BLEU_SMOOTH_FLOOR || ours.smoothing == ALCORE_BLEU_SMOOTH_ADD_K)
        alcore__format(value, sizeof value, "[%.2f]", ours.smoothing_value);
    alcore__format(buffer, 160,
                   "nrefs:%lld|%scase:mixed|eff:%s|tok:%s|smooth:%s%s|version:alcore-%s",
                   (long long)reference_sets, bootstrap, ours.effective_order ? "yes" : "no",
                   tokenizers[ours.tokenizer], smoothings[ours.smoothing], value, alcore_version());
    return buffer;
}
