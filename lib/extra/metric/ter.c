/* SPDX-License-Identifier: Apache-2.0 */
/* TER, the translation edit rate (Snover et al. 2006), as sacreBLEU 2.6 computes it
 * (docs/spec/analyses.md 8.9):
 *
 *     TER = 100 * edits / reference words
 *
 * A segment is a hypothesis with its references, lower-cased and cut at white space. edits: of each
 * hypothesis to the reference that needs fewest (shift_search.h); reference words: the mean over
 * the references of a segment. Smaller scores are better; a TER can exceed 100. Without reference
 * words it is 100 if there are edits, else 0.
 *
 * One pass over the segments. Memory is that of the largest segment: 200 bytes a word for the band
 * of edit distances; bootstrap samples need an integer and one for
 * each set of references a segment beside it. */
#include "alcore/extra/metric.h"
#include "alcore/version.h"
#include "extra/metric/corpus_metric.h"

/* Where the statistics of a segment or a corpus are in its array: edits, then the words of all
 * references of the segments that have k of them, at k, so that the mean over the references needs
 * no fractions. From MOST_VARIED sets on every segment has all of them, and their words are at
 * 1. */
enum { EDITS, MOST_VARIED = ALCORE__MOST_STATISTICS - 1 };

/* *ours: the caller's options (NULL: all defaults), checked. */
static alcore_status read_options(const alcore_ter_options *options, alcore_ter_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_ter_options, seed), options,
                                    "alcore_ter_options"));
    if ((ours->case_sensitive & ~1) != 0)
        return alcore__fail(ALCORE_E_INVALID, "case_sensitive is 0 or 1");
    ALCORE__TRY(alcore__struct_reserved(ours->reserved, "alcore_ter_options"));
    ALCORE__TRY(alcore__check_resamples("resamples", ours->resamples));
    return alcore__paired_read(&(alcore__paired){0}, ours->paired);
}

/* For alcore__corpus_metric: reads the caller's options into metric->settings, and copies those
 * that all metrics have to the metric itself. */
static alcore_status read_settings(alcore__corpus_metric *metric, const void *options) {
    alcore_ter_options *ours = metric->settings;
    ALCORE__TRY(read_options(options, ours));
    metric->resamples = ours->resamples;
    metric->seed = ours->seed;
    return alcore__paired_read(&metric->paired, ours->paired);
}

/* For alcore__corpus_metric, when the number of references is known. */
static alcore_status begin(alcore__corpus_metric *metric) {
    const alcore__segment_pairs *pairs = &metric->pairs;
    if (pairs->varied && pairs->sets > MOST_VARIED)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "TER of %lld references of which some are missing: at most %d",
                            (long long)pairs->sets, MOST_VARIED);
    metric->width = pairs->sets > MOST_VARIED ? 2 : 1 + (int32_t)pairs->sets;
    return ALCORE_OK;
}

/* Sums over segments of the mean words of their references. */
static double reference_words(const alcore__corpus_metric *metric, const int64_t *sums) {
    double words = 0;
    if (metric->pairs.sets > MOST_VARIED) return (double)sums[1] / (double)metric->pairs.sets;
    for (int32_t k = 1; k < metric->width; k++) words += (double)sums[k] / k;
    return words;
}

/* TER of sums [width]; settings: the metric. alcore__resample() calls it for each sample. */
static double ter_of_sums(const int64_t *sums, const void *settings) {
    const double words = reference_words(settings, sums);
    if (words == 0) return sums[EDITS] > 0 ? 100 : 0;
    return 100 * (double)sums[EDITS] / words;
}

/* Adds the words of one text as numbers, the next part of the counter. */
static alcore_status add_words(const alcore_ter_options *options, alcore__metric_workspace *work,
                               const char *text, size_t length) {
    alcore__token_lines *lines = &work->lines;
    size_t end = 0, begin;
    ALCORE__TRY(alcore__token_lines_read(lines, text, length));
    if (!options->case_sensitive) ALCORE__TRY(alcore__token_lines_lower(lines));
    while (alcore__token_lines_next(lines, &end, &begin))
        ALCORE__TRY(alcore__ngram_counter_intern(&work->counter, lines->line + begin, end - begin));
    return alcore__ngram_counter_end_part(&work->counter);
}

/* For alcore__corpus_metric: the statistics [width] of one segment and its score. Part 0 of the
 * counter is the hypothesis, the others are its references, of which there is at least one. */
static alcore_status count_segment(const alcore__corpus_metric *metric,
                                   alcore__metric_workspace *work, int64_t segment,
                                   int64_t *statistics, double *score) {
    alcore__ngram_counter *counter = &work->counter;
    int64_t parts = 0, all_words = 0;
    alcore__ngram_counter_begin(counter);
    for (int64_t part = 0; part <= metric->pairs.sets; part++) {
        size_t length;
        const char *text = alcore__segment_pairs_text(&metric->pairs, segment, part, &length);
        if (!text) continue;
        parts++;
        ALCORE__TRY(add_words(metric->settings, work, text, length));
    }
    const size_t hypothesis = counter->part_end[0];
    for (size_t part = 1; part < (size_t)parts; part++) {
        const size_t begin = counter->part_end[part - 1], words = counter->part_end[part] - begin;
        int64_t edits;
        ALCORE__TRY(alcore__shift_search_edits(&work->shifts, counter->units, hypothesis,
                                               counter->units + begin, words, &edits));
        if (part == 1 || edits < statistics[EDITS]) statistics[EDITS] = edits;
        all_words += (int64_t)words;
    }
    statistics[metric->pairs.sets > MOST_VARIED ? 1 : parts - 1] = all_words;
    if (score) *score = ter_of_sums(statistics, metric);
    return ALCORE_OK;
}

/* For alcore__corpus_metric: fills the caller's struct from the counted corpus; of a caller built
 * with an older header, whose struct is shorter, only the members that it has. bootstrap_*: NaN
 * without bootstrap samples. */
static alcore_status write_score(const alcore__corpus_metric *metric, void *out) {
    alcore_ter_result score = {0};
    score.ter = ter_of_sums(metric->sums, metric);
    score.edits = metric->sums[EDITS];
    score.reference_words = reference_words(metric, metric->sums);
    score.bootstrap_mean = metric->interval.mean;
    score.bootstrap_low = metric->interval.low;
    score.bootstrap_high = metric->interval.high;
    score.baseline = metric->baseline_score;
    score.p = metric->p;
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_ter_result, bootstrap_high),
                                "alcore_ter_result");
}

/* The metric, whose options are read into *settings. */
static alcore__corpus_metric ter_metric(alcore_ter_options *settings) {
    return (alcore__corpus_metric){.stage = "TER",
                                   .settings = settings,
                                   .read = read_settings,
                                   .begin = begin,
                                   .count = count_segment,
                                   .score = ter_of_sums,
                                   .write = write_score};
}

alcore_status alcore_metric_compute_ter(alcore_ctx *ctx, const char *const *hypotheses,
                                        const size_t *hypothesis_lengths, int64_t hypothesis_count,
                                        const char *const *references,
                                        const size_t *reference_lengths, int64_t reference_count,
                                        const alcore_ter_options *options,
                                        const alcore_tensor *out_sentence_scores,
                                        alcore_ter_result *out) {
    alcore_ter_options ours;
    const alcore__segment_texts texts = {hypotheses, hypothesis_lengths, hypothesis_count,
                                         references, reference_lengths,  reference_count};
    return alcore__corpus_metric_compute(ctx, ter_metric(&ours), &texts, options,
                                         out_sentence_scores, out);
}

alcore_status alcore_metric_read_ter(alcore_ctx *ctx, const alcore_text_files *files,
                                     const alcore_ter_options *options, alcore_ter_result *out) {
    alcore_ter_options ours;
    return alcore__corpus_metric_read(ctx, ter_metric(&ours), files, options, out);
}

/* The settings in sacreBLEU's notation, written to buffer, which is returned; NULL for bad options.
 */
const char *alcore_metric_ter_signature(int64_t reference_sets, const alcore_ter_options *options,
                                        char buffer[160]) {
    alcore_ter_options ours;
    char sets[24], bootstrap[64];
    if (!buffer || read_options(options, &ours) != ALCORE_OK) return NULL;
    alcore__format(buffer, 160,
                   "nrefs:%s|%scase:%s|tok:tercom|norm:no|punct:yes|asian:no|version:alcore-%s",
                   alcore__reference_sets(reference_sets, sets),
                   alcore__bootstrap_signature(ours.resamples, ours.seed, ours.paired, bootstrap),
                   ours.case_sensitive ? "mixed" : "lc", alcore_version());
    return buffer;
}
