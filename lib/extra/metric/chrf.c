/* SPDX-License-Identifier: Apache-2.0 */
/* chrF and chrF++ (Popovic 2015, 2017) as sacreBLEU 2.6 computes them (docs/spec/analyses.md 8.9):
 *
 *     P, R = means of matches_n / hypothesis_n and matches_n / reference_n over the orders of which
 *            both sides have n-grams;   chrF = 100 * 5 P R / (4 P + R)
 *
 * The orders are n-grams of 1 to 6 characters and, for chrF++, of 1 and 2 words. A segment is a
 * hypothesis with its references. matches_n: n-grams that both sides have, each counted as often as
 * on the side with fewer of it; hypothesis_n, reference_n: n-grams of each side. Larger scores are
 * better, 100 at most.
 *
 * One pass over the segments. The hypothesis is compared with each reference separately, and the
 * counts with the reference of the best score enter the sums. Memory is that of the largest
 * segment; bootstrap samples need 24 integers a segment beside it. */
#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "alcore/version.h"
#include "extra/metric/chrf_count.h"

enum { CHARACTER_ORDERS = 6, ORDERS = 8, WIDTH = ALCORE__CHRF_WIDTH };

/* Where the statistics of a segment or a corpus are in its array [WIDTH]: matches, n-grams of
 * hypothesis and of reference, [ORDERS] each: characters of orders 1 to 6, then words of 1 and 2.
 */
enum { MATCHES = 0, HYPOTHESIS = ORDERS, REFERENCE = 2 * ORDERS };

/* *ours: the caller's options (NULL: all defaults), checked. */
static alcore_status read_options(const alcore_chrf_options *options, alcore_chrf_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_chrf_options, seed), options,
                                    "alcore_chrf_options"));
    if (ours->word_order < 0 || ours->word_order > ORDERS - CHARACTER_ORDERS)
        return alcore__fail(ALCORE_E_INVALID, "word_order %d is not 0 (chrF) to 2 (chrF++)",
                            ours->word_order);
    if ((ours->whitespace & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "whitespace is 0 or 1");
    ALCORE__TRY(alcore__check_resamples("resamples", ours->resamples));
    return alcore__paired_read(&(alcore__paired){0}, ours->paired);
}

/* For alcore__corpus_metric: reads the caller's options into metric->settings, and copies those
 * that all metrics have to the metric itself. */
static alcore_status read_settings(alcore__corpus_metric *metric, const void *options) {
    alcore_chrf_options *ours = metric->settings;
    ALCORE__TRY(read_options(options, ours));
    metric->resamples = ours->resamples;
    metric->seed = ours->seed;
    return alcore__paired_read(&metric->paired, ours->paired);
}

/* chrF of sums [WIDTH], 0 to 100; 0 without a match. Orders that are not counted have no n-grams
 * and are skipped. The signature is that of alcore__resample(), which calls it for each sample;
 * settings are not needed. */
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

/* Adds the code points of a text as the next part of the counter; white space, which chrF leaves
 * out, only with options->whitespace. */
static alcore_status add_characters(const alcore_chrf_options *options,
                                    alcore__metric_workspace *work, const char *text,
                                    size_t length) {
    ALCORE__TRY(alcore__token_lines_read(&work->lines, text, length));
    for (size_t i = 0; i < work->lines.length; i++) {
        const int32_t point = work->lines.line[i];
        if (options->whitespace || !alcore__is_python_space(point))
            ALCORE__TRY(alcore__ngram_counter_unit(&work->counter, point));
    }
    return alcore__ngram_counter_end_part(&work->counter);
}

/* Adds the words of a text, which stand between white space, as the next part of the counter; of a
 * word of two or more characters that ends in ASCII punctuation, or else begins with it, that one
 * character is a word of its own. */
static alcore_status add_words(const alcore_chrf_options *options, alcore__metric_workspace *work,
                               const char *text, size_t length) {
    size_t end = 0, begin;
    (void)options;
    ALCORE__TRY(alcore__token_lines_read(&work->lines, text, length));
    while (alcore__token_lines_next(&work->lines, &end, &begin)) {
        const int32_t *word = work->lines.line + begin;
        const size_t size = end - begin;
        size_t cut = size;
        if (size > 1 && alcore__is_ascii_punctuation(word[size - 1]))
            cut = size - 1;
        else if (size > 1 && alcore__is_ascii_punctuation(word[0]))
            cut = 1;
        ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, word, cut));
        if (cut < size)
            ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, word + cut, size - cut));
    }
    return alcore__ngram_counter_end_part(&work->counter);
}

/* add_characters or add_words. */
typedef alcore_status (*add_text)(const alcore_chrf_options *options,
                                  alcore__metric_workspace *work, const char *text, size_t length);

/* Counts a hypothesis against a reference, texts [2]: n-grams of 1 to `orders` of the units that
 * `add` makes, into statistics [WIDTH], of which entry `first` + n - 1 of each kind is that of
 * order n. */
static alcore_status count_units(const alcore_chrf_options *options, alcore__metric_workspace *work,
                                 const char *const texts[2], const size_t lengths[2], add_text add,
                                 int32_t first, int32_t orders, int64_t *statistics) {
    alcore__ngram_matches counts;
    alcore__ngram_counter_begin(&work->counter);
    for (int side = 0; side < 2; side++)
        ALCORE__TRY(add(options, work, texts[side], lengths[side]));
    ALCORE__TRY(alcore__ngram_counter_match(&work->counter, orders, &counts));
    for (int32_t n = 0; n < orders; n++) {
        statistics[MATCHES + first + n] = counts.matches[n];
        statistics[HYPOTHESIS + first + n] = counts.totals[n];
        statistics[REFERENCE + first + n] = counts.reference_totals[n];
    }
    return ALCORE_OK;
}

/* Without an n-gram in the reference those of the hypothesis do not count, as in sacreBLEU. */
static void drop_unreferenced(int64_t *statistics) {
    for (int n = 0; n < ORDERS; n++)
        if (statistics[REFERENCE + n] == 0) statistics[HYPOTHESIS + n] = 0;
}

/* For alcore__corpus_metric: the statistics [WIDTH] of one segment with that reference whose
 * score is best, the first of equally good ones; *score is that score (score NULL: not wanted).
 * There is at least one reference, and scores are at least 0, above the first best_score. */
static alcore_status count_segment(const alcore__corpus_metric *metric,
                                   alcore__metric_workspace *work, int64_t segment,
                                   int64_t *statistics, double *score) {
    const alcore_chrf_options *options = metric->settings;
    const char *texts[2];
    size_t lengths[2];
    double best_score = -1;
    texts[0] =
        alcore__segment_pairs_text(&metric->pairs, segment, 0 /* the hypothesis */, &lengths[0]);
    for (int64_t part = 1; part <= metric->pairs.sets; part++) {
        int64_t counts[WIDTH] = {0};
        texts[1] = alcore__segment_pairs_text(&metric->pairs, segment, part, &lengths[1]);
        if (!texts[1]) continue;
        ALCORE__TRY(count_units(options, work, texts, lengths, add_characters, 0 /* first */,
                                CHARACTER_ORDERS, counts));
        if (options->word_order > 0)
            ALCORE__TRY(count_units(options, work, texts, lengths, add_words, CHARACTER_ORDERS,
                                    options->word_order, counts));
        drop_unreferenced(counts);
        const double part_score = chrf_of_sums(counts, NULL /* settings */);
        if (part_score <= best_score) continue;
        best_score = part_score;
        memcpy(statistics, counts, sizeof counts);
    }
    if (score) *score = best_score;
    return ALCORE_OK;
}

alcore_status alcore__chrf_add_both(alcore__metric_workspace *work, const char *const texts[2],
                                    const size_t lengths[2], int64_t *sums) {
    const alcore_chrf_options defaults = ALCORE_CHRF_OPTIONS_INIT;
    int64_t counts[2][WIDTH] = {{0}};
    ALCORE__TRY(count_units(&defaults, work, texts, lengths, add_characters, 0 /* first */,
                            CHARACTER_ORDERS, counts[0]));
    memcpy(counts[1] + MATCHES, counts[0] + MATCHES, ORDERS * sizeof **counts);
    memcpy(counts[1] + HYPOTHESIS, counts[0] + REFERENCE, ORDERS * sizeof **counts);
    memcpy(counts[1] + REFERENCE, counts[0] + HYPOTHESIS, ORDERS * sizeof **counts);
    for (int side = 0; side < 2; side++) {
        drop_unreferenced(counts[side]);
        for (int i = 0; i < WIDTH; i++) sums[i] += counts[side][i];
    }
    return ALCORE_OK;
}

double alcore__chrf_of(const int64_t *sums) {
    return chrf_of_sums(sums, NULL /* settings */);
}

/* For alcore__corpus_metric: fills the caller's struct from the counted corpus; of a caller built
 * with an older header, whose struct is shorter, only the members that it has. bootstrap_*: NaN
 * without bootstrap samples. */
static alcore_status write_score(const alcore__corpus_metric *metric, void *out) {
    const int64_t *sums = metric->sums;
    alcore_chrf_result score = {0};
    score.chrf = chrf_of_sums(sums, NULL /* settings */);
    memcpy(score.matches, sums + MATCHES, sizeof score.matches);
    memcpy(score.hypothesis_total, sums + HYPOTHESIS, sizeof score.hypothesis_total);
    memcpy(score.reference_total, sums + REFERENCE, sizeof score.reference_total);
    score.bootstrap_mean = metric->interval.mean;
    score.bootstrap_low = metric->interval.low;
    score.bootstrap_high = metric->interval.high;
    score.baseline = metric->baseline_score;
    score.p = metric->p;
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_chrf_result, bootstrap_high),
                                "alcore_chrf_result");
}

/* The metric, whose options are read into *settings. */
static alcore__corpus_metric chrf_metric(alcore_chrf_options *settings) {
    return (alcore__corpus_metric){.stage = "chrF",
                                   .settings = settings,
                                   .width = WIDTH,
                                   .read = read_settings,
                                   .count = count_segment,
                                   .score = chrf_of_sums,
                                   .write = write_score};
}

alcore_status alcore_metric_compute_chrf(alcore_ctx *ctx, const char *const *hypotheses,
                                         const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                         const char *const *references,
                                         const size_t *reference_lengths, int64_t reference_count,
                                         const alcore_chrf_options *options,
                                         const alcore_tensor *out_sentence_scores,
                                         alcore_chrf_result *out) {
    alcore_chrf_options ours;
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    return alcore__corpus_metric_compute(ctx, chrf_metric(&ours), &texts, options,
                                         out_sentence_scores, out);
}

alcore_status alcore_metric_read_chrf(alcore_ctx *ctx, const alcore_text_files *files,
                                      const alcore_chrf_options *options, alcore_chrf_result *out) {
    alcore_chrf_options ours;
    return alcore__corpus_metric_read(ctx, chrf_metric(&ours), files, options, out);
}

/* The settings in sacreBLEU's notation, written to buffer, which is returned; NULL for bad options.
 */
const char *alcore_metric_chrf_signature(int64_t reference_sets, const alcore_chrf_options *options,
                                         char buffer[160]) {
    alcore_chrf_options ours;
    char sets[24], bootstrap[64];
    if (!buffer || read_options(options, &ours) != ALCORE_OK) return NULL;
    alcore__format(buffer, 160,
                   "nrefs:%s|%scase:mixed|eff:yes|nc:6|nw:%d|space:%s|version:alcore-%s",
                   alcore__reference_sets(reference_sets, sets),
                   alcore__bootstrap_signature(ours.resamples, ours.seed, ours.paired, bootstrap),
                   ours.word_order, ours.whitespace ? "yes" : "no", alcore_version());
    return buffer;
}
