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

#include "alcore/extra/metric.h"
#include "alcore/version.h"
#include "extra/metric/corpus_metric.h"
#include "text/sentence_bleu.h"

enum { WIDTH = ALCORE__BLEU_WIDTH };
_Static_assert(ALCORE_BLEU_NONE - ALCORE_BLEU_13A == ALCORE__BLEU_NONE, "tokenizers of both tiers");
_Static_assert(ALCORE_BLEU_SMOOTH_NONE - ALCORE_BLEU_SMOOTH_EXP == ALCORE__BLEU_SMOOTH_NONE,
               "smoothings of both tiers");

/* *ours: the caller's options (NULL: all defaults), checked, with the default of smoothing_value
 * filled in: 0.1 for floor, 1 for the others. */
static alcore_status read_options(const alcore_bleu_options *options, alcore_bleu_options *ours) {
    *ours = (alcore_bleu_options)ALCORE_BLEU_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(ours, sizeof *ours,
                                         ALCORE__FIRST_SIZE(alcore_bleu_options, seed), options,
                                         "alcore_bleu_options"));
    ours->tokenizer = alcore__or_default(ours->tokenizer, ALCORE_BLEU_13A);
    ours->smoothing = alcore__or_default(ours->smoothing, ALCORE_BLEU_SMOOTH_EXP);
    if (ours->tokenizer < ALCORE_BLEU_13A || ours->tokenizer > ALCORE_BLEU_NONE)
        return alcore__fail(ALCORE_E_INVALID, "tokenizer %d is none of ALCORE_BLEU_13A to _NONE",
                            ours->tokenizer);
    if (ours->smoothing < ALCORE_BLEU_SMOOTH_EXP || ours->smoothing > ALCORE_BLEU_SMOOTH_NONE)
        return alcore__fail(ALCORE_E_INVALID, "smoothing %d is none of ALCORE_BLEU_SMOOTH_...",
                            ours->smoothing);
    if (!isnan(ours->smoothing_value) && ours->smoothing != ALCORE_BLEU_SMOOTH_FLOOR &&
        ours->smoothing != ALCORE_BLEU_SMOOTH_ADD_K)
        return alcore__fail(ALCORE_E_INVALID, "smoothing_value is of ALCORE_BLEU_SMOOTH_FLOOR and "
                                              "_ADD_K alone");
    ours->smoothing_value = alcore__or_unset(
        ours->smoothing_value, ours->smoothing == ALCORE_BLEU_SMOOTH_FLOOR ? 0.1 : 1.0);
    if (!(ours->smoothing_value >= 0) || isinf(ours->smoothing_value))
        return alcore__fail(ALCORE_E_INVALID, "smoothing_value must be a number from 0 on");
    ALCORE__TRY(alcore__struct_reserved(ours->reserved, "alcore_bleu_options"));
    if ((ours->effective_order & ~1) != 0)
        return alcore__fail(ALCORE_E_INVALID, "effective_order is 0 or 1");
    ALCORE__TRY(alcore__check_resamples("resamples", ours->resamples));
    ALCORE__TRY(alcore__paired_read(&(alcore__paired){0}, ours->paired));
    return ALCORE_OK;
}

/* For alcore__corpus_metric: reads the caller's options into metric->settings, and copies those
 * that all metrics have to the metric itself. */
static alcore_status read_settings(alcore__corpus_metric *metric, const void *options) {
    alcore_bleu_options *ours = metric->settings;
    ALCORE__TRY(read_options(options, ours));
    metric->resamples = ours->resamples;
    metric->seed = ours->seed;
    return alcore__paired_read(&metric->paired, ours->paired);
}

/* The rules by which sums become a score. */
static alcore__bleu_rules rules_of(const alcore_bleu_options *options, bool effective_order) {
    return (alcore__bleu_rules){
        .smoothing = (alcore__bleu_smoothing)(options->smoothing - ALCORE_BLEU_SMOOTH_EXP),
        .smoothing_value = options->smoothing_value,
        .effective_order = effective_order};
}

/* For alcore__resample(): the score of the sums [WIDTH] of a sample; settings: the metric. */
static double bleu_of_sums(const int64_t *sums, const void *settings) {
    const alcore_bleu_options *options = ((const alcore__corpus_metric *)settings)->settings;
    const alcore__bleu_rules rules = rules_of(options, options->effective_order != 0);
    alcore__bleu_score score;
    alcore__bleu_of_sums(sums, &rules, &score);
    return score.bleu;
}

/* For alcore__corpus_metric: the statistics [WIDTH] of one segment, whose own score is that
 * with effective order, as sacreBLEU's sentence BLEU is (score NULL: not wanted). The reference
 * length is that closest to the hypothesis, the shorter of two equally close; closest is -1 until
 * the first reference was read, and there is at least one. */
static alcore_status count_segment(const alcore__corpus_metric *metric,
                                   alcore__metric_workspace *work, int64_t segment,
                                   int64_t *statistics, double *score) {
    int64_t hypothesis = 0, closest = -1, tokens;
    const alcore_bleu_options *options = metric->settings;
    const alcore__bleu_tokenizer tokenizer =
        (alcore__bleu_tokenizer)(options->tokenizer - ALCORE_BLEU_13A);
    alcore__ngram_counter_begin(&work->counter);
    for (int64_t part = 0; part <= metric->pairs.sets; part++) {
        size_t length;
        const char *text = alcore__segment_pairs_text(&metric->pairs, segment, part, &length);
        if (!text) continue;
        ALCORE__TRY(
            alcore__bleu_add_text(&work->counter, &work->lines, tokenizer, text, length, &tokens));
        const int64_t distance = llabs(tokens - hypothesis), best = llabs(closest - hypothesis);
        if (part == 0)
            hypothesis = tokens;
        else if (closest < 0 || distance < best || (distance == best && tokens < closest))
            closest = tokens;
    }
    ALCORE__TRY(alcore__bleu_match(&work->counter, statistics));
    statistics[ALCORE__BLEU_HYPOTHESIS] = hypothesis;
    statistics[ALCORE__BLEU_REFERENCE] = closest;
    if (score) {
        const alcore__bleu_rules rules = rules_of(options, true);
        alcore__bleu_score segment_score;
        alcore__bleu_of_sums(statistics, &rules, &segment_score);
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
    const alcore__bleu_rules rules = rules_of(options, options->effective_order != 0);
    alcore_bleu_result score = {0};
    alcore__bleu_score parts;
    alcore__bleu_of_sums(sums, &rules, &parts);
    score.bleu = parts.bleu;
    score.brevity_penalty = parts.brevity_penalty;
    memcpy(score.precisions, parts.precisions, sizeof score.precisions);
    memcpy(score.matches, sums + ALCORE__BLEU_MATCHES, sizeof score.matches);
    memcpy(score.totals, sums + ALCORE__BLEU_TOTALS, sizeof score.totals);
    score.hypothesis_tokens = sums[ALCORE__BLEU_HYPOTHESIS];
    score.reference_tokens = sums[ALCORE__BLEU_REFERENCE];
    score.bootstrap_mean = metric->interval.mean;
    score.bootstrap_low = metric->interval.low;
    score.bootstrap_high = metric->interval.high;
    score.baseline = metric->baseline_score;
    score.p = metric->p;
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_bleu_result, bootstrap_high),
                                "alcore_bleu_result");
}

/* The metric, whose options are read into *settings. */
static alcore__corpus_metric bleu_metric(alcore_bleu_options *settings) {
    return (alcore__corpus_metric){.stage = "BLEU",
                                   .settings = settings,
                                   .width = WIDTH,
                                   .read = read_settings,
                                   .count = count_segment,
                                   .score = bleu_of_sums,
                                   .write = write_score};
}

alcore_status alcore_metric_compute_bleu(alcore_ctx *ctx, const char *const *hypotheses,
                                         const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                         const char *const *references,
                                         const size_t *reference_lengths, int64_t reference_count,
                                         const alcore_bleu_options *options,
                                         const alcore_tensor *out_sentence_scores,
                                         alcore_bleu_result *out) {
    alcore_bleu_options ours;
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    return alcore__corpus_metric_compute(ctx, bleu_metric(&ours), &texts, options,
                                         out_sentence_scores, out);
}

alcore_status alcore_metric_read_bleu(alcore_ctx *ctx, const alcore_text_files *files,
                                      const alcore_bleu_options *options, alcore_bleu_result *out) {
    alcore_bleu_options ours;
    return alcore__corpus_metric_read(ctx, bleu_metric(&ours), files, options, out);
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
                   ours.effective_order ? "yes" : "no",
                   tokenizers[ours.tokenizer - ALCORE_BLEU_13A],
                   smoothings[ours.smoothing - ALCORE_BLEU_SMOOTH_EXP], value, alcore_version());
    return buffer;
}
