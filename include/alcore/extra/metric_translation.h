/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Measures of translations against references: BLEU, chrF and TER, and whether two systems differ
 * (docs/spec/analyses.md). metric_common.h describes the shape of every metric. */
#ifndef ALCORE_EXTRA_METRIC_TRANSLATION_H
#define ALCORE_EXTRA_METRIC_TRANSLATION_H

#include "alcore/context.h"
#include "alcore/extra/metric_common.h"
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
 * grows by at most 384 bytes a line of each system.
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
 * grows by at most 384 bytes a line of each system.
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
 *   ALCORE_E_UNSUPPORTED (a text of more than 2^30 words; references that are missing among more
 *   than 31 sets), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_metric_compute_ter(
    alcore_ctx *ctx, const char *const *hypotheses, const size_t *hypothesis_lengths,
    int64_t hypothesis_count, const char *const *references, const size_t *reference_lengths,
    int64_t reference_count, const alcore_ter_options *options,
    const alcore_tensor *out_sentence_scores, alcore_ter_result *out);

/** TER as alcore_metric_compute_ter() computes it, of files. With resamples or a baseline memory
 * grows by at most 384 bytes a line of each system.
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
 * @param[in] reference_sets references of each hypothesis; below 1: it varies, nrefs:var
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
 * @param[in] reference_sets references of each hypothesis; below 1: it varies, nrefs:var
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
 * @param[in] reference_sets references of each hypothesis; below 1: it varies, nrefs:var
 * @param[in] options borrowed; NULL: defaults
 * @param[out] buffer where the text is written
 * @return view: buffer; NULL for options that alcore_metric_compute_ter() refuses, or no buffer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_metric_ter_signature(int64_t reference_sets,
                                                   const alcore_ter_options *options,
                                                   char buffer[160]);

ALCORE_END

#endif
