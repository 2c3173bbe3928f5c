/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU (Papineni et al. 2002) as sacreBLEU 2.6 computes it (docs/spec/analyses.md 8.6):
 *
 *     BLEU = 100 * BP * exp(mean over orders n = 1 .. 4 of log(precision_n))
 *     precision_n = matches_n / totals_n, smoothed where no n-gram matches
 *     BP = 1 if the hypotheses are no shorter than the references, else exp(1 - refs / hyps)
 *
 * A segment is a hypothesis with its references, one line of each file. matches_n: n-grams of the
 * hypothesis that a reference has too, counted no more often than in the reference with most of
 * them; totals_n: n-grams of the hypothesis; hyps, refs: tokens, of the closest reference. Larger
 * scores are better, 100 at most; logarithms are natural.
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
#include "metric/corpus_metric.h"
#include "metric/sentence_bleu.h"

#define ORDERS 4

/* Where the statistics of a segment or a corpus are in its array [WIDTH]: matches [ORDERS], totals
 * [ORDERS], tokens of the hypothesis, tokens of the closest reference. */
enum { MATCHES = 0, TOTALS = ORDERS, HYPOTHESIS = 2 * ORDERS, REFERENCE, WIDTH };

/* *ours: the caller's options (NULL: all defaults), checked, with the default of smoothing_value
 * (given as 0) filled in: 0.1 for floor, 1 for the others. */
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
    ALCORE__TRY(alcore__struct_reserved(ours->reserved, "alcore_bleu_options"));
    if ((ours->effective_order & ~1) != 0)
        return alcore__fail(ALCORE_E_INVALID, "effective_order is 0 or 1");
    ALCORE__TRY(alcore__check_resamples(ours->resamples));
    ALCORE__TRY(alcore__paired_read(&(alcore__paired){0}, ours->paired));
    if (ours->smoothing_value == 0)
        ours->smoothing_value = ours->smoothing == ALCORE_BLEU_SMOOTH_FLOOR ? 0.1 : 1.0;
    return ALCORE_OK;
}

/* For alcore__corpus_metric: reads the caller's options into metric->settings, and copies those
 * that all metrics have to the metric itself. */
static alcore_status read_settings(alcore__corpus_metric *metric, const void *options) {
    alcore_bleu_options *ours = metric->settings;
    ALCORE__TRY(read_options(options, ours));
    metric->resamples = ours->resamples;
    metric->seed = ours->seed;
    metric->files = ours->files;
    return alcore__paired_read(&metric->paired, ours->paired);
}

/* Fills bleu, brevity_penalty and precisions (percentages, by order - 1) of *out from sums [WIDTH].
 * As in sacreBLEU, without a single match nothing is smoothed and every precision is 0; smoothing
 * "exp" gives the i-th order without a match 1 / 2^i matches, "floor" gives it `value`, "add-k"
 * adds `value` to matches and totals of the orders above 1. With effective_order the mean is over
 * the orders that the hypothesis has n-grams of; without it a precision of 0 makes the score 0. */
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
    if (!(sums[0] | sums[1] | sums[2] | sums[3])) return; /* no match of any order */
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

/* For alcore__resample(): the score of the sums [WIDTH] of a sample; settings: the metric. */
static double bleu_of_sums(const int64_t *sums, const void *settings) {
    const alcore_bleu_options *options = ((const alcore__corpus_metric *)settings)->settings;
    alcore_bleu_score score;
    score_sums(sums, options, options->effective_order != 0, &score);
    return score.bleu;
}

/* Cuts one text into tokens, the next part of the counter (part 0 is the hypothesis, the others its
 * references); *tokens is how many it has. `end` is the index in the line of code points behind the
 * last token that was found. */
static alcore_status add_text(const alcore_bleu_options *options, alcore__metric_workspace *work,
                              const char *text, size_t length, int64_t *tokens) {
    alcore__token_lines *lines = &work->lines;
    size_t end = 0, begin;
    *tokens = 0;
    ALCORE__TRY(alcore__token_lines_read(lines, text, length));
    ALCORE__TRY(alcore__token_lines_cut(lines, options->tokenizer));
    for (; alcore__token_lines_next(lines, &end, &begin); (*tokens)++)
        ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, lines->line + begin, end - begin));
    return alcore__ngram_counter_end_part(&work->counter);
}

/* For alcore__corpus_metric: the statistics [WIDTH] of one segment, whose own score is that
 * with effective order, as sacreBLEU's sentence BLEU is (score NULL: not wanted). The reference
 * length is that closest to the hypothesis, the shorter of two equally close; closest is -1 until
 * the first reference was read, and there is at least one. */
static alcore_status count_segment(const alcore__corpus_metric *metric,
                                   alcore__metric_workspace *work, int64_t segment,
                                   int64_t *statistics, double *score) {
    int64_t hypothesis = 0, closest = -1, tokens;
    alcore__ngram_matches counts;
    alcore__ngram_counter_begin(&work->counter);
    for (int64_t part = 0; part <= metric->pairs.sets; part++) {
        size_t length;
        const char *text = alcore__segment_pairs_text(&metric->pairs, segment, part, &length);
        if (!text) continue;
        ALCORE__TRY(add_text(metric->settings, work, text, length, &tokens));
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
    if (score) {
        alcore_bleu_score segment_score;
        score_sums(statistics, metric->settings, true, &segment_score);
        *score = segment_score.bleu;
    }
    return ALCORE_OK;
}

/* For alcore__corpus_metric: fills the caller's struct from the counted corpus; of a caller built
 * with an older header, whose struct is shorter, only the members that it has. bootstrap_*: NaN
 * without bootstrap samples. */
static alcore_status write_score(const alcore__corpus_metric *metric, void *out) {
    const alcore_bleu_options *options = metric->settings;
    const int64_t *sums = metric->sums;
    alcore_bleu_score score = {0};
    score_sums(sums, options, options->effective_order != 0, &score);
    memcpy(score.matches, sums + MATCHES, sizeof score.matches);
    memcpy(score.totals, sums + TOTALS, sizeof score.totals);
    score.hypothesis_tokens = sums[HYPOTHESIS];
    score.reference_tokens = sums[REFERENCE];
    score.bootstrap_mean = metric->interval.mean;
    score.bootstrap_low = metric->interval.low;
    score.bootstrap_high = metric->interval.high;
    score.baseline = metric->baseline_score;
    score.p = metric->p;
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_bleu_score, bootstrap_high),
                                "alcore_bleu_score");
}

alcore_status alcore_metric_compute_bleu(alcore_ctx *ctx, const char *const *hypotheses,
                                         const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                         const char *const *references,
                                         const size_t *reference_lengths, int64_t reference_count,
                                         const alcore_bleu_options *options,
                                         const alcore_tensor *out_sentence_scores,
                                         alcore_bleu_score *out) {
    alcore_bleu_options ours;
    alcore__corpus_metric metric = {.stage = "BLEU",
                                    .settings = &ours,
                                    .width = WIDTH,
                                    .read = read_settings,
                                    .count = count_segment,
                                    .score = bleu_of_sums,
                                    .write = write_score};
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    return alcore__corpus_metric_compute(ctx, &metric, &texts, options, out_sentence_scores, out);
}

/* The settings in sacreBLEU's notation, written to buffer, which is returned; NULL for bad options.
 */
const char *alcore_metric_bleu_signature(int64_t reference_sets, const alcore_bleu_options *options,
                                         char buffer[160]) {
    static const char *const tokenizers[] = {"13a", "intl", "char", "zh", "none"};
    static const char *const smoothings[] = {"exp", "floor", "add-k", "none"};
    alcore_bleu_options ours;
    char sets[24], bootstrap[64], value[40] = "";
    if (!buffer || read_options(options, &ours) != ALCORE_OK) return NULL;
    if (ours.smoothing == ALCORE_BLEU_SMOOTH_FLOOR || ours.smoothing == ALCORE_BLEU_SMOOTH_ADD_K)
        alcore__format(value, sizeof value, "[%.2f]", ours.smoothing_value);
    alcore__format(buffer, 160, "nrefs:%s|%scase:mixed|eff:%s|tok:%s|smooth:%s%s|version:alcore-%s",
                   alcore__reference_sets(reference_sets, sets),
                   alcore__bootstrap_signature(ours.resamples, ours.seed, ours.paired, bootstrap),
                   ours.effective_order ? "yes" : "no", tokenizers[ours.tokenizer],
                   smoothings[ours.smoothing], value, alcore_version());
    return buffer;
}

/* The statistics of a segment are those of a corpus of one, counted in the caller's workspace. */
alcore_status alcore__sentence_bleu(alcore_ctx *ctx, alcore__metric_workspace *workspace,
                                    const char *hypothesis, size_t hypothesis_length,
                                    const char *reference, size_t reference_length, double *bleu) {
    int64_t statistics[WIDTH];
    alcore_bleu_options options = {
        .tokenizer = ALCORE_BLEU_13A, .smoothing = ALCORE_BLEU_SMOOTH_EXP, .smoothing_value = 1};
    const alcore__corpus_metric metric = {.settings = &options,
                                          .pairs = {.hypotheses = &hypothesis,
                                                    .hypothesis_lengths = &hypothesis_length,
                                                    .references = &reference,
                                                    .reference_lengths = &reference_length,
                                                    .count = 1,
                                                    .sets = 1}};
    workspace->counter.ctx = workspace->lines.ctx = ctx;
    return count_segment(&metric, workspace, 0, statistics, bleu);
}

void alcore__sentence_bleu_clear(alcore__metric_workspace *workspace) {
    alcore__ngram_counter_clear(&workspace->counter);
    alcore__token_lines_clear(&workspace->lines);
}
