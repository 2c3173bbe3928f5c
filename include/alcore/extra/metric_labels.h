/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Measures of predictions against gold ones: labels, spans and answers, and the agreement of two
 * predictions. metric_common.h describes the shape of every metric. */
#ifndef ALCORE_EXTRA_METRIC_LABELS_H
#define ALCORE_EXTRA_METRIC_LABELS_H

#include "alcore/context.h"
#include "alcore/extra/metric_common.h"

ALCORE_BEGIN

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

ALCORE_END

#endif
