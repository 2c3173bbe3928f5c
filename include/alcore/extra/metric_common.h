/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What all metrics have in common: their shape, their texts, and the files that they read.
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
 * NUL-terminated texts. A malformed UTF-8 sequence of a text in memory counts as U+FFFD in BLEU,
 * chrF, TER and answers; labels, tags and the words of metric_words.h are compared byte by byte. In
 * a file it is an error, whatever bad_lines says. Several references of each hypothesis are given
 * as one set after the other: reference r of hypothesis i is references[r * hypothesis_count + i].
 * A reference that is missing is a NULL, with a length other than 0 where lengths are given; of
 * each hypothesis one reference at least is there. */
#ifndef ALCORE_EXTRA_METRIC_COMMON_H
#define ALCORE_EXTRA_METRIC_COMMON_H

#include "alcore/format.h"

ALCORE_BEGIN

/** Files of texts, of which line i of each belong together. A function that reads them holds a
 * block of lines of each in memory. Files without a line are ALCORE_E_DATA. */
typedef struct alcore_text_files {
    size_t size; /**< sizeof(alcore_text_files) */
    /** Borrowed: [count] paths; the function says of what. One may be "-", standard input; .gz, .xz
     * and .zst are decompressed */
    const char *const *paths;
    int64_t count; /**< what the function says; of BLEU, chrF and TER 2 to 1000 */
    /** Borrowed: format, by, bad_lines, of which a masked one is an empty text, text_column of the
     * files that have it, and the choice of a side of test sets, in which the first file is the
     * texts and the others their references. References, their column and a language are refused.
     * NULL: defaults */
    const alcore_read_options *options;
    /** BLEU, chrF and TER: called with the score of each hypothesis, in order, on the calling
     * thread; NULL: not wanted */
    void (*score)(void *user, int64_t line, double score);
    void *score_user; /**< first argument of score */
} alcore_text_files;
/** An alcore_text_files with its size set and everything else 0. */
#define ALCORE_TEXT_FILES_INIT ALCORE_INIT(alcore_text_files)

ALCORE_END

#endif
