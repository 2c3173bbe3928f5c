/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Measures of an experiment: BLEU, chrF and TER of translations, labels, spans and answers against
 * gold ones, agreement of predictions, translated words, means, correlation, significance
 * (docs/spec/analyses.md). The overlap of n-grams is in alcore/extra/overlap.h.
 *
 * Every metric has the same shape, and X stands for its name in all of it:
 *
 *     alcore_metric_compute_X(ctx, inputs, options, out)  measures what is in memory
 *     alcore_metric_read_X(ctx, files, options, out)      measures files, which are read in blocks
 *
 * The settings are an alcore_X_options, of which NULL means all defaults; some metrics have no
 * setting yet, and their struct only its size. The result is an alcore_X_result, which the caller
 * begins with its _INIT macro. BLEU, chrF and TER give the scores of single hypotheses too, and
 * have alcore_metric_X_signature(), which names the settings of a score in sacreBLEU's words. What
 * files give equals what their texts give in one call; memory does not grow with them but by what
 * the function says. Numbers come in arrays only.
 *
 * Texts are given as an array of pointers with an array of lengths in bytes, or NULL for
 * NUL-terminated texts. A malformed UTF-8 sequence counts as U+FFFD. Several references of each
 * hypothesis are given as one set after the other: reference r of hypothesis i is
 * references[r * hypothesis_count + i]. A reference that is missing is a NULL, with a length other
 * than 0 where lengths are given; of each hypothesis one reference at least is there. */
#ifndef ALCORE_EXTRA_METRIC_H
#define ALCORE_EXTRA_METRIC_H

#include "alcore/context.h"
#include "alcore/extra/aligner.h"
#include "alcore/extra/overlap.h"
#include "alcore/format.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** How BLEU cuts a text into tokens. */
enum alcore_bleu_tokenizer {
    ALCORE_BLEU_13A = 5901,  /**< as mteval-v13a */
    ALCORE_BLEU_INTL = 5902, /**< at punctuation and symbols of every script, as mteval-v14 */
    ALCORE_BLEU_CHAR = 5903, /**< every code point that is not white space */
    ALCORE_BLEU_ZH = 5904,   /**< every Chinese character, other text as 13a */
    ALCORE_BLEU_NONE = 5905  /**< at white space only */
};

/** What BLEU does with an order of which no n-gram matches. */
enum alcore_bleu_smoothing {
    ALCORE_BLEU_SMOOTH_EXP = 6001,   /**< 1/2, 1/4, ... of a match */
    ALCORE_BLEU_SMOOTH_FLOOR = 6002, /**< smoothing_value matches, by default 0.1 */
    ALCORE_BLEU_SMOOTH_ADD_K = 6003, /**< adds smoothing_value, by default 1, from order 2 on */
    ALCORE_BLEU_SMOOTH_NONE = 6004   /**< a precision of 0, and so a BLEU of 0 */
};

/** The schemes of tags that mark spans, as seqeval 1.2 has them. A tag is O, a mark and a type such
 * as B-PER, or a mark alone, of which all spans have one type. */
enum alcore_tag_scheme {
    /** Marks B, I, E and S, read forgivingly as conlleval does: an I or E that continues no span
     * begins one */
    ALCORE_TAGS_DEFAULT = 6101,
    /** B begins a span, I continues it; this and those below as seqeval's strict mode reads them */
    ALCORE_TAGS_IOB2 = 6102,
    /** I begins and continues a span, B one behind another of its type */
    ALCORE_TAGS_IOB1 = 6103,
    ALCORE_TAGS_IOE2 = 6104,  /**< I, then E, which ends every span */
    ALCORE_TAGS_IOBES = 6105, /**< B, I, E, which ends a span; S is a span of one word */
    ALCORE_TAGS_BILOU = 6106  /**< B, I, L, which ends a span; U is a span of one word */
};

/** Files of texts, of which line i of each belong together. A function that reads them holds a
 * block of lines of each in memory. Files without a line are ALCORE_E_DATA. */
typedef struct alcore_text_files {
    size_t size; /**< sizeof(alcore_text_files) */
    /** Borrowed: [count] paths; the function says of what. One may be "-", standard input; .gz, .xz
     * and .zst are decompressed */
    const char *const *paths;
    int64_t count; /**< 2 or more */
    /** Borrowed: format, bad_lines, text_column of the files that have it, and the choice of a side
     * of test sets, in which the first file is the texts and the others their references; NULL:
     * defaults */
    const alcore_read_options *options;
    /** BLEU, chrF and TER: called with the score of each hypothesis, in order, on the calling
     * thread; NULL: not wanted */
    void (*score)(void *user, int64_t line, double score);
    void *score_user; /**< first argument of score */
} alcore_text_files;
/** An alcore_text_files with its size set and everything else 0. */
#define ALCORE_TEXT_FILES_INIT ALCORE_INIT(alcore_text_files)

/** The paired tests of two systems on the same texts. */
enum alcore_paired_test {
    ALCORE_PAIRED_BOOTSTRAP = 6201, /**< bootstrap resampling (Koehn 2004) */
    /** Approximate randomization (Riezler and Maxwell 2005) */
    ALCORE_PAIRED_RANDOMIZATION = 6202
};

/** Another system, the baseline, from which the hypotheses of BLEU, chrF or TER are told apart by a
 * paired test, as sacreBLEU does (docs/spec/analyses.md 8.5). Zero means default everywhere. */
typedef struct alcore_paired_options {
    size_t size; /**< sizeof(alcore_paired_options) */
    /** Borrowed: [baseline_count] the hypotheses of the baseline, UTF-8. NULL for files, of which
     * the last one then has them */
    const char *const *baseline;
    const size_t *baseline_lengths; /**< borrowed: [baseline_count] bytes; NULL: NUL-terminated */
    int64_t baseline_count;         /**< the number of the hypotheses; 0 for files */
    int32_t test;                   /**< ALCORE_PAIRED_*; 0: _BOOTSTRAP */
    int32_t reserved;               /**< pads: 0, checked */
    /** Bootstrap samples, or shuffles, at most 1,000,000; 0: 1,000 samples, or 10,000 shuffles */
    int64_t samples;
    uint64_t seed; /**< of the samples */
} alcore_paired_options;
/** An alcore_paired_options with its size set and everything else 0. */
#define ALCORE_PAIRED_OPTIONS_INIT ALCORE_INIT(alcore_paired_options)

/** Settings of BLEU. What is 0 or unset means the default. */
typedef struct alcore_bleu_options {
    size_t size;             /**< sizeof(alcore_bleu_options) */
    int32_t tokenizer;       /**< ALCORE_BLEU_13A, ...; 0: _13A */
    int32_t smoothing;       /**< ALCORE_BLEU_SMOOTH_*; 0: _EXP */
    double smoothing_value;  /**< of floor and add-k, from 0; unset: 0.1 and 1 */
    int32_t effective_order; /**< 1: the mean is over orders of which the hypotheses have n-grams */
    int32_t reserved;        /**< pads: 0, checked */
    int64_t resamples;       /**< bootstrap samples for the interval, at most 1,000,000; 0: none */
    uint64_t seed;           /**< of the bootstrap samples */
    /** Borrowed: a second system, which the hypotheses are compared with; NULL: none */
    const alcore_paired_options *paired;
} alcore_bleu_options;
/** An alcore_bleu_options with its size set, smoothing_value unset and everything else 0. */
#define ALCORE_BLEU_OPTIONS_INIT ALCORE_INIT_1(alcore_bleu_options, smoothing_value, ALCORE_UNSET)

/** BLEU of a corpus and what it was computed from. */
typedef struct alcore_bleu_result {
    size_t size;               /**< sizeof(alcore_bleu_result) */
    double bleu;               /**< 0 to 100 */
    double brevity_penalty;    /**< 0 to 1 */
    double precisions[4];      /**< percent, of the orders 1 to 4, smoothed */
    int64_t matches[4];        /**< n-grams of the hypotheses that references have, clipped */
    int64_t totals[4];         /**< n-grams of the hypotheses */
    int64_t hypothesis_tokens; /**< tokens of the hypotheses */
    int64_t reference_tokens;  /**< tokens of the reference closest in length, summed */
    double bootstrap_mean;     /**< mean over the bootstrap samples; NaN without them */
    double bootstrap_low;      /**< lower end of the 95 % interval; NaN without samples */
    double bootstrap_high;     /**< upper end of the 95 % interval; NaN without samples */
    double baseline;           /**< the same of the baseline; NaN without one */
    double p;                  /**< of the paired test, two-sided; NaN without a baseline */
} alcore_bleu_result;
/** An alcore_bleu_result with its size set and everything else 0. */
#define ALCORE_BLEU_RESULT_INIT ALCORE_INIT(alcore_bleu_result)

/** Settings of chrF. Zero means default everywhere. */
typedef struct alcore_chrf_options {
    size_t size;        /**< sizeof(alcore_chrf_options) */
    int32_t word_order; /**< longest n-gram of words, 0 to 2; 0 is chrF, 2 is chrF++ */
    int32_t whitespace; /**< 1: white space counts as characters */
    int64_t resamples;  /**< bootstrap samples for the interval, at most 1,000,000; 0: none */
    uint64_t seed;      /**< of the bootstrap samples */
    /** Borrowed: a second system, which the hypotheses are compared with; NULL: none */
    const alcore_paired_options *paired;
} alcore_chrf_options;
/** An alcore_chrf_options with its size set and everything else 0. */
#define ALCORE_CHRF_OPTIONS_INIT ALCORE_INIT(alcore_chrf_options)

/** chrF of a corpus and what it was computed from; entries 0 to 5 of the counts are of n-grams of
 * 1 to 6 characters, 6 and 7 of 1 and 2 words. */
typedef struct alcore_chrf_result {
    size_t size;                 /**< sizeof(alcore_chrf_result) */
    double chrf;                 /**< 0 to 100 */
    int64_t matches[8];          /**< n-grams that both have, clipped */
    int64_t hypothesis_total[8]; /**< n-grams of hypotheses whose reference has one of that order */
    int64_t reference_total[8];  /**< n-grams of the references */
    double bootstrap_mean;       /**< mean over the bootstrap samples; NaN without them */
    double bootstrap_low;        /**< lower end of the 95 % interval; NaN without samples */
    double bootstrap_high;       /**< upper end of the 95 % interval; NaN without samples */
    double baseline;             /**< the same of the baseline; NaN without one */
    double p;                    /**< of the paired test, two-sided; NaN without a baseline */
} alcore_chrf_result;
/** An alcore_chrf_result with its size set and everything else 0. */
#define ALCORE_CHRF_RESULT_INIT ALCORE_INIT(alcore_chrf_result)

/** Settings of TER. Zero means default everywhere. */
typedef struct alcore_ter_options {
    size_t size;            /**< sizeof(alcore_ter_options) */
    int32_t case_sensitive; /**< 1: words that differ in case differ; 0: texts are lower-cased */
    int32_t reserved;       /**< pads: 0, checked */
    int64_t resamples;      /**< bootstrap samples for the interval, at most 1,000,000; 0: none */
    uint64_t seed;          /**< of the bootstrap samples */
    /** Borrowed: a second system, which the hypotheses are compared with; NULL: none */
    const alcore_paired_options *paired;
} alcore_ter_options;
/** An alcore_ter_options with its size set and everything else 0. */
#define ALCORE_TER_OPTIONS_INIT ALCORE_INIT(alcore_ter_options)

/** TER of a corpus and what it was computed from. */
typedef struct alcore_ter_result {
    size_t size;            /**< sizeof(alcore_ter_result) */
    double ter;             /**< percent, 0 or more; smaller is better */
    int64_t edits;          /**< shifts, substitutions, deletions and insertions of words */
    double reference_words; /**< mean over the references of a hypothesis, summed */
    double bootstrap_mean;  /**< mean over the bootstrap samples; NaN without them */
    double bootstrap_low;   /**< lower end of the 95 % interval; NaN without samples */
    double bootstrap_high;  /**< upper end of the 95 % interval; NaN without samples */
    double baseline;        /**< the same of the baseline; NaN without one */
    double p;               /**< of the paired test, two-sided; NaN without a baseline */
} alcore_ter_result;
/** An alcore_ter_result with its size set and everything else 0. */
#define ALCORE_TER_RESULT_INIT ALCORE_INIT(alcore_ter_result)

/** Settings of a mean: none yet. */
typedef struct alcore_mean_options {
    size_t size; /**< sizeof(alcore_mean_options) */
} alcore_mean_options;
/** An alcore_mean_options with its size set and everything else 0. */
#define ALCORE_MEAN_OPTIONS_INIT ALCORE_INIT(alcore_mean_options)

/** Mean, standard deviation and standard error of numbers. */
typedef struct alcore_mean_result {
    size_t size;               /**< sizeof(alcore_mean_result) */
    double mean;               /**< NaN without numbers */
    double standard_deviation; /**< of a sample: n - 1; NaN for fewer than two numbers */
    double standard_error;     /**< the deviation divided by sqrt(n); NaN like it */
} alcore_mean_result;
/** An alcore_mean_result with its size set and everything else 0. */
#define ALCORE_MEAN_RESULT_INIT ALCORE_INIT(alcore_mean_result)

/** Settings of Pearson's correlation: none yet. */
typedef struct alcore_pearson_options {
    size_t size; /**< sizeof(alcore_pearson_options) */
} alcore_pearson_options;
/** An alcore_pearson_options with its size set and everything else 0. */
#define ALCORE_PEARSON_OPTIONS_INIT ALCORE_INIT(alcore_pearson_options)

/** Pearson's correlation. */
typedef struct alcore_pearson_result {
    size_t size; /**< sizeof(alcore_pearson_result) */
    double rho;  /**< -1 to 1; NaN for fewer than two pairs, or where x or y has no variance */
    double p;    /**< two-sided, Student's t with n - 2 degrees of freedom; 1 for two pairs */
} alcore_pearson_result;
/** An alcore_pearson_result with its size set and everything else 0. */
#define ALCORE_PEARSON_RESULT_INIT ALCORE_INIT(alcore_pearson_result)

/** Settings of Wilcoxon's test: none yet. */
typedef struct alcore_wilcoxon_options {
    size_t size; /**< sizeof(alcore_wilcoxon_options) */
} alcore_wilcoxon_options;
/** An alcore_wilcoxon_options with its size set and everything else 0. */
#define ALCORE_WILCOXON_OPTIONS_INIT ALCORE_INIT(alcore_wilcoxon_options)

/** Wilcoxon's signed-rank test. */
typedef struct alcore_wilcoxon_result {
    size_t size;      /**< sizeof(alcore_wilcoxon_result) */
    int64_t pairs;    /**< pairs whose difference is not 0 */
    double w_plus;    /**< sum of the ranks of positive differences */
    double w_minus;   /**< sum of the ranks of negative differences */
    double p;         /**< two-sided; 1 without pairs */
    int32_t exact;    /**< 1: p is exact; 0: by the normal distribution */
    int32_t reserved; /**< pads: 0 */
} alcore_wilcoxon_result;
/** An alcore_wilcoxon_result with its size set and everything else 0. */
#define ALCORE_WILCOXON_RESULT_INIT ALCORE_INIT(alcore_wilcoxon_result)

/** Settings of Cohen's kappa: none yet. */
typedef struct alcore_kappa_options {
    size_t size; /**< sizeof(alcore_kappa_options) */
} alcore_kappa_options;
/** An alcore_kappa_options with its size set and everything else 0. */
#define ALCORE_KAPPA_OPTIONS_INIT ALCORE_INIT(alcore_kappa_options)

/** Agreement of two predictions. */
typedef struct alcore_kappa_result {
    size_t size;     /**< sizeof(alcore_kappa_result) */
    double kappa;    /**< at most 1; 0: as by chance; NaN without items, or where expected is 1 */
    double observed; /**< share of items with equal classes; NaN without items */
    double expected; /**< the share that chance gives, from how often each side has each class */
    int64_t classes; /**< distinct classes of either side */
    int64_t items;   /**< items that were compared */
} alcore_kappa_result;
/** An alcore_kappa_result with its size set and everything else 0. */
#define ALCORE_KAPPA_RESULT_INIT ALCORE_INIT(alcore_kappa_result)

/** Settings of labels. Zero means default everywhere. */
typedef struct alcore_labels_options {
    size_t size;   /**< sizeof(alcore_labels_options) */
    int32_t words; /**< 1: each word of a text is a label, and both texts of a line have as many; 0:
                       * the whole text is */
    int32_t reserved; /**< pads: 0, checked */
} alcore_labels_options;
/** An alcore_labels_options with its size set and everything else 0. */
#define ALCORE_LABELS_OPTIONS_INIT ALCORE_INIT(alcore_labels_options)

/** Labels against gold ones. */
typedef struct alcore_labels_result {
    size_t size;      /**< sizeof(alcore_labels_result) */
    double accuracy;  /**< share of equal labels, 0 to 1; NaN without labels */
    double macro_f1;  /**< mean F1 of the distinct labels, 0 to 1; NaN without labels */
    int64_t correct;  /**< equal labels */
    int64_t labels;   /**< distinct labels of either side */
    int64_t compared; /**< pairs of labels: lines, or words */
} alcore_labels_result;
/** An alcore_labels_result with its size set and everything else 0. */
#define ALCORE_LABELS_RESULT_INIT ALCORE_INIT(alcore_labels_result)

/** Settings of spans. Zero means default everywhere. */
typedef struct alcore_spans_options {
    size_t size;      /**< sizeof(alcore_spans_options) */
    int32_t scheme;   /**< ALCORE_TAGS_*, how tags mark spans; 0: _DEFAULT */
    int32_t reserved; /**< pads: 0, checked */
} alcore_spans_options;
/** An alcore_spans_options with its size set and everything else 0. */
#define ALCORE_SPANS_OPTIONS_INIT ALCORE_INIT(alcore_spans_options)

/** Spans against gold ones. */
typedef struct alcore_spans_result {
    size_t size;             /**< sizeof(alcore_spans_result) */
    double precision;        /**< share of the predicted spans that are right; 0 if none is */
    double recall;           /**< share of the gold spans that are found; 0 if none is */
    double f1;               /**< harmonic mean of the two; 0 if no span is right */
    int64_t gold_spans;      /**< spans of the gold tags */
    int64_t predicted_spans; /**< spans of the predicted tags */
    int64_t matches;         /**< spans of both, equal in line, type, first and last word */
} alcore_spans_result;
/** An alcore_spans_result with its size set and everything else 0. */
#define ALCORE_SPANS_RESULT_INIT ALCORE_INIT(alcore_spans_result)

/** Settings of answers: none yet. */
typedef struct alcore_answers_options {
    size_t size; /**< sizeof(alcore_answers_options) */
} alcore_answers_options;
/** An alcore_answers_options with its size set and everything else 0. */
#define ALCORE_ANSWERS_OPTIONS_INIT ALCORE_INIT(alcore_answers_options)

/** Answers to questions against gold ones. */
typedef struct alcore_answers_result {
    size_t size;        /**< sizeof(alcore_answers_result) */
    double exact_match; /**< percent of the questions answered exactly; NaN without questions */
    double f1;          /**< mean F1 of the words, percent; NaN without questions */
    int64_t exact;      /**< questions answered exactly */
    int64_t questions;  /**< questions */
} alcore_answers_result;
/** An alcore_answers_result with its size set and everything else 0. */
#define ALCORE_ANSWERS_RESULT_INIT ALCORE_INIT(alcore_answers_result)

/** Settings of the accuracy of words. */
typedef struct alcore_word_accuracy_options {
    size_t size; /**< sizeof(alcore_word_accuracy_options) */
    /** Borrowed: its texts of ALCORE_OVERLAP_TEST, which it keeps, are the sources; a word of them
     * is in-domain unless a text of ALCORE_OVERLAP_OUTSIDE has it. NULL: every source word is */
    const alcore_overlap *domain;
} alcore_word_accuracy_options;
/** An alcore_word_accuracy_options with its size set and everything else 0. */
#define ALCORE_WORD_ACCURACY_OPTIONS_INIT ALCORE_INIT(alcore_word_accuracy_options)

/** How many words of the references that are aligned to in-domain words a translation has. */
typedef struct alcore_word_accuracy_result {
    size_t size;      /**< sizeof(alcore_word_accuracy_result) */
    double accuracy;  /**< percent of total that matched; NaN where total is 0 */
    int64_t matched;  /**< reference words that the hypothesis has */
    int64_t total;    /**< reference words aligned to in-domain words of the source */
    int64_t unlinked; /**< in-domain words of the sources without a link */
} alcore_word_accuracy_result;
/** An alcore_word_accuracy_result with its size set and everything else 0. */
#define ALCORE_WORD_ACCURACY_RESULT_INIT ALCORE_INIT(alcore_word_accuracy_result)

/** Settings of the length ratio: none yet. */
typedef struct alcore_length_ratio_options {
    size_t size; /**< sizeof(alcore_length_ratio_options) */
} alcore_length_ratio_options;
/** An alcore_length_ratio_options with its size set and everything else 0. */
#define ALCORE_LENGTH_RATIO_OPTIONS_INIT ALCORE_INIT(alcore_length_ratio_options)

/** Lengths of translations. */
typedef struct alcore_length_ratio_result {
    size_t size;              /**< sizeof(alcore_length_ratio_result) */
    double ratio;             /**< words of hypotheses / words of references; NaN without these */
    int64_t hypothesis_words; /**< words of all hypotheses */
    int64_t reference_words;  /**< words of all references */
} alcore_length_ratio_result;
/** An alcore_length_ratio_result with its size set and everything else 0. */
#define ALCORE_LENGTH_RATIO_RESULT_INIT ALCORE_INIT(alcore_length_ratio_result)

/** BLEU (Papineni et al. 2002) as sacreBLEU 2.6 defines it, of a corpus and of each sentence.
 * @param[in] ctx borrowed
 * @param[in] hypotheses borrowed: [hypothesis_count] UTF-8; NULL only if the count is 0
 * @param[in] hypothesis_lengths borrowed: [hypothesis_count] bytes; NULL: NUL-terminated
 * @param[in] hypothesis_count texts
 * @param[in] references borrowed: [reference_count] UTF-8, set after set; NULL only if the count is
 *   0
 * @param[in] reference_lengths borrowed: [reference_count] bytes; NULL: NUL-terminated
 * @param[in] reference_count 1, 2, ... times hypothesis_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in] out_sentence_scores borrowed: its data is filled, float64 [hypothesis_count],
 *   contiguous, host: BLEU of each hypothesis with effective order; NULL: not wanted; undefined
 *   after a failure
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, a NULL text), ALCORE_E_SHAPE (counts
 *   that do not fit; names the line and the side; another shape or dtype of out_sentence_scores),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 tokens), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_bleu(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_bleu_options *options,
    const alcore_tensor *out_sentence_scores, alcore_bleu_result *out);

/** BLEU as alcore_metric_compute_bleu() computes it, of files. With resamples or a baseline memory
 * grows by at most 256 bytes a line of each system.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: the hypotheses, then each set of references, last the hypotheses of
 *   options.paired, if there is one; its score is called with BLEU of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files, alcore_text_files.score
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, another number of files),
 *   ALCORE_E_IO, ALCORE_E_DATA (names the file: its line, or another number of lines),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 tokens), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_bleu(alcore_ctx *ctx, const alcore_text_files *files,
                                                 const alcore_bleu_options *options,
                                                 alcore_bleu_result *out);

/** chrF and chrF++ (Popovic 2015, 2017) as sacreBLEU 2.6 defines them, of a corpus and of each
 * sentence. Of several references the one with the best score of the sentence counts.
 * @param[in] ctx borrowed
 * @param[in] hypotheses borrowed: [hypothesis_count] UTF-8; NULL only if the count is 0
 * @param[in] hypothesis_lengths borrowed: [hypothesis_count] bytes; NULL: NUL-terminated
 * @param[in] hypothesis_count texts
 * @param[in] references borrowed: [reference_count] UTF-8, set after set; NULL only if the count is
 *   0
 * @param[in] reference_lengths borrowed: [reference_count] bytes; NULL: NUL-terminated
 * @param[in] reference_count 1, 2, ... times hypothesis_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in] out_sentence_scores borrowed: its data is filled, float64 [hypothesis_count],
 *   contiguous, host: chrF of each hypothesis; NULL: not wanted; undefined
 *   after a failure
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, a NULL text), ALCORE_E_SHAPE (counts
 *   that do not fit; names the line and the side; another shape or dtype of out_sentence_scores),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 characters), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_chrf(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_chrf_options *options,
    const alcore_tensor *out_sentence_scores, alcore_chrf_result *out);

/** chrF as alcore_metric_compute_chrf() computes it, of files. With resamples or a baseline memory
 * grows by at most 256 bytes a line of each system.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: the hypotheses, then each set of references, last the hypotheses of
 *   options.paired, if there is one; its score is called with chrF of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files, alcore_text_files.score
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, another number of files),
 *   ALCORE_E_IO, ALCORE_E_DATA (names the file: its line, or another number of lines),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 characters), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_chrf(alcore_ctx *ctx, const alcore_text_files *files,
                                                 const alcore_chrf_options *options,
                                                 alcore_chrf_result *out);

/** TER, the translation edit rate (Snover et al. 2006), as sacreBLEU 2.6 defines it, of a corpus
 * and of each sentence: the edits that turn a hypothesis into a reference, among them shifts of
 * blocks of words, in percent of the words of the reference. Of several references the one with
 * fewest edits counts, over their mean length.
 * @param[in] ctx borrowed
 * @param[in] hypotheses borrowed: [hypothesis_count] UTF-8; NULL only if the count is 0
 * @param[in] hypothesis_lengths borrowed: [hypothesis_count] bytes; NULL: NUL-terminated
 * @param[in] hypothesis_count texts
 * @param[in] references borrowed: [reference_count] UTF-8, set after set; NULL only if the count is
 *   0
 * @param[in] reference_lengths borrowed: [reference_count] bytes; NULL: NUL-terminated
 * @param[in] reference_count 1, 2, ... times hypothesis_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in] out_sentence_scores borrowed: its data is filled, float64 [hypothesis_count],
 *   contiguous, host: TER of each hypothesis; NULL: not wanted; undefined
 *   after a failure
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, a NULL text), ALCORE_E_SHAPE (counts
 *   that do not fit; names the line and the side; another shape or dtype of out_sentence_scores),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 words), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_ter(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_ter_options *options,
    const alcore_tensor *out_sentence_scores, alcore_ter_result *out);

/** TER as alcore_metric_compute_ter() computes it, of files. With resamples or a baseline memory
 * grows by at most 256 bytes a line of each system.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: the hypotheses, then each set of references, last the hypotheses of
 *   options.paired, if there is one; its score is called with TER of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files, alcore_text_files.score
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, another number of files),
 *   ALCORE_E_IO, ALCORE_E_DATA (names the file: its line, or another number of lines),
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 words), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_ter(alcore_ctx *ctx, const alcore_text_files *files,
                                                const alcore_ter_options *options,
                                                alcore_ter_result *out);

/** The settings of a BLEU score in sacreBLEU's words, such as
 * `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:alcore-1.0.0`.
 * @param[in] reference_sets references of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[out] buffer where the text is written
 * @return view: buffer; NULL for options that alcore_metric_compute_bleu() refuses, or no buffer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_metric_bleu_signature(int64_t reference_sets,
                                                    const alcore_bleu_options *options,
                                                    char buffer[160]);

/** The settings of a chrF score in sacreBLEU's words, such as
 * `nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:alcore-1.0.0`.
 * @param[in] reference_sets references of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[out] buffer where the text is written
 * @return view: buffer; NULL for options that alcore_metric_compute_chrf() refuses, or no buffer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_metric_chrf_signature(int64_t reference_sets,
                                                    const alcore_chrf_options *options,
                                                    char buffer[160]);

/** The settings of a TER score in sacreBLEU's words, such as
 * `nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:alcore-1.0.0`.
 * @param[in] reference_sets references of each hypothesis
 * @param[in] options borrowed; NULL: defaults
 * @param[out] buffer where the text is written
 * @return view: buffer; NULL for options that alcore_metric_compute_ter() refuses, or no buffer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_metric_ter_signature(int64_t reference_sets,
                                                   const alcore_ter_options *options,
                                                   char buffer[160]);

/** Mean, standard deviation of a sample and standard error.
 * @param[in] ctx borrowed
 * @param[in] values borrowed: float64 [value_count]; NULL only if the count is 0
 * @param[in] value_count numbers
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_mean(alcore_ctx *ctx, const double *values,
                                                    int64_t value_count,
                                                    const alcore_mean_options *options,
                                                    alcore_mean_result *out);

/** Pearson's correlation of pairs, computed in two passes, and the probability of a correlation at
 * least as strong between independent values.
 * @param[in] ctx borrowed
 * @param[in] x borrowed: float64 [x_count]; NULL only if x_count is 0
 * @param[in] x_count numbers
 * @param[in] y borrowed: float64 [y_count]
 * @param[in] y_count x_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_pearson(alcore_ctx *ctx, const double *x,
                                                       int64_t x_count, const double *y,
                                                       int64_t y_count,
                                                       const alcore_pearson_options *options,
                                                       alcore_pearson_result *out);

/** Wilcoxon's signed-rank test of pairs: the differences x - y in units of 1e-9, zeros dropped,
 * mean ranks in ties. p is exact for at most 50 differences; above, it comes from the normal
 * distribution with corrections for ties and continuity.
 * @param[in] ctx borrowed
 * @param[in] x borrowed: float64 [x_count]; NULL only if x_count is 0
 * @param[in] x_count numbers, at most 2^30
 * @param[in] y borrowed: float64 [y_count]; NULL if y_count is 0
 * @param[in] y_count x_count, or 0: x are the differences
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_DATA (a difference
 *   that is not finite or above 9e9), ALCORE_E_UNSUPPORTED, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_wilcoxon(alcore_ctx *ctx, const double *x,
                                                        int64_t x_count, const double *y,
                                                        int64_t y_count,
                                                        const alcore_wilcoxon_options *options,
                                                        alcore_wilcoxon_result *out);

/** Cohen's kappa (Cohen 1960) of two predictions of classes for the same items, such as those of
 * the models of two rounds for a stop set (alcore_stop_check_agreement() of stop.h).
 * Source: docs/spec/loop.md 9.6.
 * @param[in] ctx borrowed
 * @param[in] x borrowed: int64 [x_count], the class of each item by one model, any integer; NULL
 *   only if x_count is 0
 * @param[in] x_count items, below 2^31
 * @param[in] y borrowed: int64 [y_count], the class of the same item by the other
 * @param[in] y_count x_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_UNSUPPORTED,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_kappa(alcore_ctx *ctx, const int64_t *x,
                                                     int64_t x_count, const int64_t *y,
                                                     int64_t y_count,
                                                     const alcore_kappa_options *options,
                                                     alcore_kappa_result *out);

/** Cohen's kappa as alcore_metric_compute_kappa() computes it, of the classes of two files: each
 * line is the class of an item, and equal texts are equal classes. Memory grows with the distinct
 * classes only.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: two; its score is NULL
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files), ALCORE_E_IO, ALCORE_E_DATA (names
 *   the file: its line, or another number of lines), ALCORE_E_UNSUPPORTED (2^31 lines or more),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_kappa(alcore_ctx *ctx, const alcore_text_files *files,
                                                  const alcore_kappa_options *options,
                                                  alcore_kappa_result *out);

/** Accuracy and macro F1 of labels: one a text, or one a word, as parts of speech are.
 * @param[in] ctx borrowed
 * @param[in] gold borrowed: [gold_count] labels; NULL only if the count is 0
 * @param[in] gold_lengths borrowed: [gold_count] bytes; NULL: NUL-terminated
 * @param[in] gold_count labels
 * @param[in] predicted borrowed: [predicted_count] labels
 * @param[in] predicted_lengths borrowed: [predicted_count] bytes; NULL: NUL-terminated
 * @param[in] predicted_count gold_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts of lines or words differ; names line
 *   and side), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_labels(
    alcore_ctx *ctx, const char *const *gold, const size_t *gold_lengths, int64_t gold_count,
    const char *const *predicted, const size_t *predicted_lengths, int64_t predicted_count,
    const alcore_labels_options *options, alcore_labels_result *out);

/** Accuracy and macro F1 as alcore_metric_compute_labels() computes them, of files. Memory grows
 * with the distinct labels only.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: two, gold labels and predicted ones; its score is NULL
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files), ALCORE_E_IO, ALCORE_E_DATA (names
 *   the file: its line, or another number of lines), ALCORE_E_SHAPE (counts of words differ; names
 *   the lines of both files), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_labels(alcore_ctx *ctx, const alcore_text_files *files,
                                                   const alcore_labels_options *options,
                                                   alcore_labels_result *out);

/** Precision, recall and F1 of spans, as seqeval: each line holds the tags of a sentence with
 * spaces between them.
 * @param[in] ctx borrowed
 * @param[in] gold borrowed: [gold_count] lines; NULL only if the count is 0
 * @param[in] gold_lengths borrowed: [gold_count] bytes; NULL: NUL-terminated
 * @param[in] gold_count lines
 * @param[in] predicted borrowed: [predicted_count] lines
 * @param[in] predicted_lengths borrowed: [predicted_count] bytes; NULL: NUL-terminated
 * @param[in] predicted_count gold_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts of lines or tags differ; names the
 *   line), ALCORE_E_DATA (a word that is no tag of the scheme; names line, side and tag, and a
 *   scheme that has it), ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_spans(
    alcore_ctx *ctx, const char *const *gold, const size_t *gold_lengths, int64_t gold_count,
    const char *const *predicted, const size_t *predicted_lengths, int64_t predicted_count,
    const alcore_spans_options *options, alcore_spans_result *out);

/** Precision, recall and F1 as alcore_metric_compute_spans() computes them, of files.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: two, lines of gold tags and of predicted ones; its score is NULL
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files), ALCORE_E_IO, ALCORE_E_DATA (names
 *   the file: its line, with the tag if that is wrong, or another number of lines), ALCORE_E_SHAPE
 *   (counts of tags differ; names the lines of both files), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_spans(alcore_ctx *ctx, const alcore_text_files *files,
                                                  const alcore_spans_options *options,
                                                  alcore_spans_result *out);

/** Exact match and F1 of answers to questions, as SQuAD (Rajpurkar et al. 2016): case, ASCII
 * punctuation and the words a, an and the do not count; the best over the gold answers of a
 * question, the mean over questions.
 * @param[in] ctx borrowed
 * @param[in] gold borrowed: [gold_count] UTF-8, the answers of one question after the other; an
 *   empty text for a question without an answer; NULL only if the count is 0
 * @param[in] gold_lengths borrowed: [gold_count] bytes; NULL: NUL-terminated
 * @param[in] gold_count answers
 * @param[in] gold_offsets borrowed: [gold_offset_count] question i has the answers
 *   gold_offsets[i] to gold_offsets[i + 1] - 1, one or more; NULL: one each
 * @param[in] gold_offset_count predicted_count + 1; 0 for NULL
 * @param[in] predicted borrowed: [predicted_count] UTF-8, an answer a question; NULL only if the
 *   count is 0
 * @param[in] predicted_lengths borrowed: [predicted_count] bytes; NULL: NUL-terminated
 * @param[in] predicted_count questions
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL text), ALCORE_E_SHAPE (counts or offsets that do not
 *   fit; names the question), ALCORE_E_UNSUPPORTED (an answer of more than 2^30 words),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_answers(
    alcore_ctx *ctx, const char *const *gold, const size_t *gold_lengths, int64_t gold_count,
    const int64_t *gold_offsets, int64_t gold_offset_count, const char *const *predicted,
    const size_t *predicted_lengths, int64_t predicted_count, const alcore_answers_options *options,
    alcore_answers_result *out);

/** Exact match and F1 as alcore_metric_compute_answers() computes them, of files.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: two; line i of the first holds the gold answers of question i with
 *   TABs between them, of the second its predicted answer; its score is NULL
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files), ALCORE_E_IO, ALCORE_E_DATA (names
 *   the file: its line, or another number of lines), ALCORE_E_UNSUPPORTED (an answer of more than
 *   2^30 words), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_answers(alcore_ctx *ctx, const alcore_text_files *files,
                                                    const alcore_answers_options *options,
                                                    alcore_answers_result *out);

/** Accuracy of the translation of in-domain words (PHR Figure 3). For each sentence, the words of
 * the reference that are aligned to an in-domain word of the source count once each; such a word
 * matches if the hypothesis has a copy of it that no earlier one took. Words are the maximal runs
 * without ASCII space, tab, CR and LF.
 * @param[in] ctx borrowed
 * @param[in] sources borrowed: [source_count] UTF-8; NULL only if the count is 0
 * @param[in] source_lengths borrowed: [source_count] bytes; NULL: NUL-terminated
 * @param[in] source_count sentences
 * @param[in] references borrowed: [reference_count] UTF-8
 * @param[in] reference_lengths borrowed: [reference_count] bytes; NULL: NUL-terminated
 * @param[in] reference_count source_count
 * @param[in] hypotheses borrowed: [hypothesis_count] UTF-8
 * @param[in] hypothesis_lengths borrowed: [hypothesis_count] bytes; NULL: NUL-terminated
 * @param[in] hypothesis_count source_count
 * @param[in] links borrowed: of source_count pairs, the sources and the references
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL text, a domain without the test set), ALCORE_E_SHAPE
 *   (counts differ; links of another number of pairs), ALCORE_E_DATA (a link that points behind its
 *   sentence; names the line), ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_word_accuracy(
    alcore_ctx *ctx, const char *const *sources, const size_t *source_lengths, int64_t source_count,
    const char *const *references, const size_t *reference_lengths, int64_t reference_count,
    const char *const *hypotheses, const size_t *hypothesis_lengths, int64_t hypothesis_count,
    const alcore_links *links, const alcore_word_accuracy_options *options,
    alcore_word_accuracy_result *out);

/** Accuracy of the translation of in-domain words as alcore_metric_compute_word_accuracy() computes
 * it, of files, which are read together with a file of links.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: three, sources, references and hypotheses; its score is NULL
 * @param[in] links borrowed: path of the links of the sources and the references in Pharaoh's
 *   notation, a line a sentence, as alcore_links_open() reads them
 * @param[in] options borrowed, with a domain such as an overlap that alcore_overlap_read() gave the
 *   file of the sources; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files, a domain without the test set),
 *   ALCORE_E_IO, ALCORE_E_DATA (names the file: its line, or another number of lines),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_word_accuracy(
    alcore_ctx *ctx, const alcore_text_files *files, const char *links,
    const alcore_word_accuracy_options *options, alcore_word_accuracy_result *out);

/** Length ratio of a corpus: words of the hypotheses / words of the references (PHR Figure 4).
 * @param[in] ctx borrowed
 * @param[in] hypotheses borrowed: [hypothesis_count] UTF-8; NULL only if the count is 0
 * @param[in] hypothesis_lengths borrowed: [hypothesis_count] bytes; NULL: NUL-terminated
 * @param[in] hypothesis_count texts
 * @param[in] references borrowed: [reference_count] UTF-8
 * @param[in] reference_lengths borrowed: [reference_count] bytes; NULL: NUL-terminated
 * @param[in] reference_count hypothesis_count
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (counts differ), ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_length_ratio(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_length_ratio_options *options,
    alcore_length_ratio_result *out);

/** Length ratio as alcore_metric_compute_length_ratio() computes it, of files.
 * @param[in] ctx borrowed
 * @param[in] files borrowed: two, hypotheses and references; its score is NULL
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @threadsafe
 * @callback progress, files
 * @since 1.0
 * @return ALCORE_OK, ALCORE_E_INVALID (another number of files), ALCORE_E_IO, ALCORE_E_DATA (names
 *   the file: its line, or another number of lines), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_read_length_ratio(alcore_ctx *ctx,
                                                         const alcore_text_files *files,
                                                         const alcore_length_ratio_options *options,
                                                         alcore_length_ratio_result *out);

ALCORE_END

#endif
