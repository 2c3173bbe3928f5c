/* SPDX-License-Identifier: Apache-2.0 */
/* Labels against gold ones (docs/spec/analyses.md 8.9).
 *
 *     accuracy = equal labels / labels
 *     macro F1 = mean over the labels of either side of 2 tp / (gold + predicted)
 *
 * tp: lines on which both sides have the label; gold, predicted: lines on which that side has it;
 * or words, where each word of a line has a label. Both are from 0 to 1, larger is better.
 *
 * Labels become numbers in one pass and are counted in three arrays; memory is that of the distinct
 * labels. Time: linear in the bytes. */
#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "base/base.h"
#include "extra/metric/two_sides.h"
#include "text/vocabulary.h"
#include "text/words.h"

/* Counts of one call, owned. */
typedef struct label_counts {
    alcore_ctx *ctx;
    bool by_word;               /* each word is a label, not each line */
    alcore_labels_result score; /* correct and compared so far */
    alcore__vocabulary names;   /* the distinct labels of both sides */
    int64_t (*counts)[3]; /* [names.count] lines, or words, with the label: gold, predicted, both */
    size_t capacity;      /* of counts */
} label_counts;

/* *out: the number of a label, from 0; a new one is copied and begins with counts of 0. */
static alcore_status add_label(label_counts *labels, const char *text, size_t length,
                               uint32_t *out) {
    const uint32_t before = labels->names.count;
    ALCORE__TRY(alcore__grow(labels->ctx, &labels->counts, &labels->capacity, (size_t)before + 1,
                             sizeof *labels->counts));
    ALCORE__TRY(alcore__vocabulary_add(labels->ctx, &labels->names, text, length, out));
    if (labels->names.count > before) memset(labels->counts[before], 0, sizeof *labels->counts);
    return ALCORE_OK;
}

/* Counts one gold label with the predicted one; texts [side], lengths [side] bytes. */
static alcore_status count_pair(label_counts *labels, const char *const *texts,
                                const size_t *lengths) {
    uint32_t number[2];
    for (int side = 0; side < 2; side++) {
        ALCORE__TRY(add_label(labels, texts[side], lengths[side], &number[side]));
        labels->counts[number[side]][side]++;
    }
    labels->counts[number[0]][2] += number[0] == number[1];
    labels->score.correct += number[0] == number[1];
    labels->score.compared++;
    return ALCORE_OK;
}

/* Counts the words of one line as labels, from left to right on both sides. */
static alcore_status count_words(label_counts *labels, const alcore__two_sides *sides,
                                 int64_t line) {
    const char *next[2], *end[2], *word[2];
    size_t length[2];
    bool found[2];
    for (int side = 0; side < 2; side++) {
        next[side] = alcore__two_sides_text(sides, side, line, &length[side]);
        end[side] = next[side] + length[side];
    }
    for (int64_t words = 0;; words++) {
        for (int side = 0; side < 2; side++)
            found[side] = alcore__word_next(&next[side], end[side], &word[side], &length[side]);
        if (found[0] != found[1]) {
            char place[ALCORE__PLACE_BYTES];
            return alcore__fail(ALCORE_E_SHAPE, "%s: word %lld of %s has no counterpart",
                                alcore__two_sides_lines(sides, line, place), (long long)words + 1,
                                alcore__two_sides_names[found[1]]);
        }
        if (!found[0]) return ALCORE_OK;
        ALCORE__TRY(count_pair(labels, word, length));
    }
}

/* Counts the lines of `sides`. */
static alcore_status count_lines(label_counts *labels, const alcore__two_sides *sides) {
    for (int64_t i = 0; i < sides->count; i++) {
        ALCORE__TRY(alcore__two_sides_tick(labels->ctx, "labels", sides, i));
        if (labels->by_word) {
            ALCORE__TRY(count_words(labels, sides, i));
        } else {
            size_t lengths[2];
            const char *const texts[2] = {alcore__two_sides_text(sides, 0, i, &lengths[0]),
                                          alcore__two_sides_text(sides, 1, i, &lengths[1])};
            ALCORE__TRY(count_pair(labels, texts, lengths));
        }
    }
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(). */
static alcore_status count_label_block(void *data, const alcore__text_block *block) {
    const alcore__two_sides sides = alcore__two_sides_of_block(block);
    return count_lines(data, &sides);
}

/* Fills *out from the counts: NaN without labels. Each counted label occurs on at least one side,
 * so that no divisor is 0. */
static alcore_status write_labels(label_counts *labels, alcore_labels_result *out) {
    alcore_labels_result *score = &labels->score;
    double sum = 0;
    for (uint32_t i = 0; i < labels->names.count; i++) {
        const int64_t *counts = labels->counts[i];
        sum += 2 * (double)counts[2] / (double)(counts[0] + counts[1]);
    }
    score->labels = labels->names.count;
    score->accuracy =
        score->compared > 0 ? (double)score->correct / (double)score->compared : (double)NAN;
    score->macro_f1 = score->labels > 0 ? sum / (double)score->labels : (double)NAN;
    return alcore__struct_write(out, score, sizeof *score,
                                ALCORE__FIRST_SIZE(alcore_labels_result, compared),
                                "alcore_labels_result");
}

/* *by_word: the setting of the caller's options (NULL: default), checked. */
static alcore_status read_options(const alcore_labels_options *options, bool *by_word) {
    alcore_labels_options ours;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_labels_options, reserved), options,
                                    "alcore_labels_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_labels_options"));
    if ((ours.words & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "words is 0 or 1");
    *by_word = ours.words != 0;
    return ALCORE_OK;
}

/* Body of both public calls: counts the lines of files or, where it is NULL, of sides, which are to
 * have predicted_count predicted ones. */
static alcore_status compute_labels(alcore_ctx *ctx, const alcore_text_files *files,
                                    const alcore__two_sides *sides, int64_t predicted_count,
                                    const alcore_labels_options *options,
                                    alcore_labels_result *out) {
    label_counts labels = {.ctx = ctx};
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    ALCORE__TRY(read_options(options, &labels.by_word));
    if (!files) ALCORE__TRY(alcore__two_sides_check(sides, predicted_count));
    alcore_status status = files ? alcore__text_blocks_visit(ctx, files, &alcore__two_sides_files,
                                                             count_label_block, &labels)
                                 : count_lines(&labels, sides);
    if (status == ALCORE_OK) status = write_labels(&labels, out);
    alcore__vocabulary_clear(ctx, &labels.names);
    alcore__free(ctx, labels.counts);
    return status;
}

alcore_status alcore_metric_compute_labels(alcore_ctx *ctx, const char *const *gold,
                                           const size_t *gold_lengths, int64_t gold_count,
                                           const char *const *predicted,
                                           const size_t *predicted_lengths, int64_t predicted_count,
                                           const alcore_labels_options *options,
                                           alcore_labels_result *out) {
    const alcore__two_sides sides = {.texts = {gold, predicted},
                                     .lengths = {gold_lengths, predicted_lengths},
                                     .count = gold_count};
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, compute_labels(ctx, NULL, &sides, predicted_count, options, out));
}

alcore_status alcore_metric_read_labels(alcore_ctx *ctx, const alcore_text_files *files,
                                        const alcore_labels_options *options,
                                        alcore_labels_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_labels(ctx, files, NULL, 0, options, out));
}
