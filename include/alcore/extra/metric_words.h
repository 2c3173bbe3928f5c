/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Measures of the words of translations: whether those of a domain are translated, and how long
 * translations are (docs/spec/analyses.md). metric_common.h describes the shape of every metric. */
#ifndef ALCORE_EXTRA_METRIC_WORDS_H
#define ALCORE_EXTRA_METRIC_WORDS_H

#include "alcore/context.h"
#include "alcore/extra/aligner.h"
#include "alcore/extra/metric_common.h"
#include "alcore/extra/overlap.h"

ALCORE_BEGIN

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
