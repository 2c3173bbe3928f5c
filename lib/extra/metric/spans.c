/* SPDX-License-Identifier: Apache-2.0 */
/* Spans against gold ones (docs/spec/analyses.md 8.9).
 *
 *     F1 = 2 P R / (P + R) over spans that agree in line, type, first and last word
 *
 * P = matches / predicted spans, R = matches / gold spans, 0 to 1; larger is better. A span is a
 * run of words with one type, marked by a tag for each word (tags.h).
 *
 * Spans of a line are found from left to right on both sides at once: on one side they do not
 * overlap, so that two of them can only be equal if they begin at the same word, and nothing is
 * stored. Time: linear in the bytes. */
#include <string.h>

#include "alcore/extra/metric.h"
#include "extra/metric/tags.h"
#include "extra/metric/two_sides.h"

/* Sets *out and *found to the next span of one side and adds it to *count; the error names the line
 * and the side. */
static alcore_status advance(alcore__tag_reader *reader, const alcore__two_sides *sides, int side,
                             int64_t line, alcore__tag_span *out, bool *found, int64_t *count) {
    const alcore_status status = alcore__tags_next_span(reader, out, found);
    char place[ALCORE__PLACE_BYTES];
    if (status != ALCORE_OK)
        return alcore__fail_within(status, "%s", alcore__two_sides_line(sides, line, side, place));
    *count += *found;
    return ALCORE_OK;
}

/* Adds the spans of one line, and those that both sides have, to *score. spans [side] is the span
 * that each reader has found last. The reader whose span begins first reads its next span, or both
 * where they begin at the same word. Both sides of a line must have the same number of words. */
static alcore_status compare_line(const alcore__two_sides *sides, int64_t line, int32_t scheme,
                                  alcore_spans_result *score) {
    alcore__tag_reader reader[2];
    alcore__tag_span spans[2];
    bool found[2];
    int64_t *counts[2] = {&score->gold_spans, &score->predicted_spans};
    for (int side = 0; side < 2; side++) {
        size_t length;
        const char *text = alcore__two_sides_text(sides, side, line, &length);
        reader[side] = (alcore__tag_reader){.next = text,
                                            .end = text + length,
                                            .scheme = scheme,
                                            .before = {.mark = 'O', .type = ""}};
        ALCORE__TRY(
            advance(&reader[side], sides, side, line, &spans[side], &found[side], counts[side]));
    }
    while (found[0] || found[1]) {
        const bool both = found[0] && found[1];
        const bool gold = found[0] && (!both || spans[0].first <= spans[1].first);
        const bool predicted = found[1] && (!both || spans[1].first <= spans[0].first);
        if (gold && predicted && spans[0].last == spans[1].last &&
            spans[0].type_length == spans[1].type_length &&
            memcmp(spans[0].type, spans[1].type, spans[0].type_length) == 0)
            score->matches++;
        if (gold) ALCORE__TRY(advance(&reader[0], sides, 0, line, &spans[0], &found[0], counts[0]));
        if (predicted)
            ALCORE__TRY(advance(&reader[1], sides, 1, line, &spans[1], &found[1], counts[1]));
    }
    if (reader[0].word == reader[1].word) return ALCORE_OK;
    char place[ALCORE__PLACE_BYTES];
    return alcore__fail(ALCORE_E_SHAPE, "%s: %lld gold tags, %lld predicted tags",
                        alcore__two_sides_lines(sides, line, place), (long long)reader[0].word,
                        (long long)reader[1].word);
}

/* Counts of one call. */
typedef struct span_counts {
    alcore_ctx *ctx;
    int32_t scheme;
    alcore_spans_result score; /* the numbers of spans so far */
} span_counts;

/* Compares the lines of `sides`. */
static alcore_status compare_lines(span_counts *spans, const alcore__two_sides *sides) {
    for (int64_t i = 0; i < sides->count; i++) {
        ALCORE__TRY(alcore__two_sides_tick(spans->ctx, "spans", sides, i));
        ALCORE__TRY(compare_line(sides, i, spans->scheme, &spans->score));
    }
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(). */
static alcore_status compare_span_block(void *data, const alcore__text_block *block) {
    const alcore__two_sides sides = alcore__two_sides_of_block(block);
    return compare_lines(data, &sides);
}

/* Fills *out from the counts; precision, recall and F1 stay 0 without a match. */
static alcore_status write_spans(alcore_spans_result *score, alcore_spans_result *out) {
    const double matches = (double)score->matches;
    if (score->matches > 0) {
        score->precision = matches / (double)score->predicted_spans;
        score->recall = matches / (double)score->gold_spans;
        score->f1 = 2 * score->precision * score->recall / (score->precision + score->recall);
    }
    return alcore__struct_write(out, score, sizeof *score,
                                ALCORE__FIRST_SIZE(alcore_spans_result, matches),
                                "alcore_spans_result");
}

/* *scheme: ALCORE_TAGS_* of the caller's options (NULL: default), checked. */
static alcore_status read_options(const alcore_spans_options *options, int32_t *scheme) {
    alcore_spans_options ours;
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_spans_options, reserved), options,
                                    "alcore_spans_options"));
    ALCORE__TRY(alcore__struct_reserved(ours.reserved, "alcore_spans_options"));
    ours.scheme = alcore__or_default(ours.scheme, ALCORE_TAGS_DEFAULT);
    if (ours.scheme < ALCORE_TAGS_DEFAULT || ours.scheme > ALCORE_TAGS_BILOU)
        return alcore__fail(ALCORE_E_INVALID, "scheme %d is none of ALCORE_TAGS_...", ours.scheme);
    *scheme = ours.scheme;
    return ALCORE_OK;
}

/* Body of both public calls: compares the lines of files or, where it is NULL, of sides, which are
 * to have predicted_count predicted ones. */
static alcore_status compute_spans(alcore_ctx *ctx, const alcore_text_files *files,
                                   const alcore__two_sides *sides, int64_t predicted_count,
                                   const alcore_spans_options *options, alcore_spans_result *out) {
    span_counts spans = {.ctx = ctx};
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    ALCORE__TRY(read_options(options, &spans.scheme));
    if (!files) ALCORE__TRY(alcore__two_sides_check(sides, predicted_count));
    ALCORE__TRY(files ? alcore__text_blocks_visit(ctx, files, &alcore__two_sides_files,
                                                  compare_span_block, &spans)
                      : compare_lines(&spans, sides));
    return write_spans(&spans.score, out);
}

alcore_status alcore_metric_compute_spans(alcore_ctx *ctx, const char *const *gold,
                                          const size_t *gold_lengths, int64_t gold_count,
                                          const char *const *predicted,
                                          const size_t *predicted_lengths, int64_t predicted_count,

                                          const alcore_spans_options *options,
                                          alcore_spans_result *out) {
    const alcore__two_sides sides = {.texts = {gold, predicted},
                                     .lengths = {gold_lengths, predicted_lengths},
                                     .count = gold_count};
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, compute_spans(ctx, NULL, &sides, predicted_count, options, out));
}

alcore_status alcore_metric_read_spans(alcore_ctx *ctx, const alcore_text_files *files,
                                       const alcore_spans_options *options,
                                       alcore_spans_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_spans(ctx, files, NULL, 0, options, out));
}
