/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and spans against gold ones (docs/spec/analyses.md 8.9).
 *
 *     accuracy = equal labels / labels
 *     macro F1 = mean over the labels of either side of 2 tp / (gold + predicted)
 *     span F1  = 2 P R / (P + R) over spans that agree in line, type, first and last word
 *
 * tp: lines on which both sides have the label; gold, predicted: lines on which that side has it;
 * or words, where each word of a line has a label. P = matches / predicted spans, R = matches /
 * gold spans. All are from 0 to 1, larger is better. Side 0 is gold, side 1 predicted, in all
 * arrays of two; lines count from 0, in messages from 1. A span is a run of words with one type,
 * marked by a tag for each word: O (outside of spans), B-TYPE (begins a span) or I-TYPE (continues
 * one).
 *
 * Labels become numbers in one pass and are counted in three arrays; memory is that of the distinct
 * labels. Spans of a line are found from left to right on both sides at once: on one side they do
 * not overlap, so that two of them can only be equal if they begin at the same word, and nothing is
 * stored. Time: linear in the bytes. */
#include <math.h>
#include <string.h>

#include "alcore/metric.h"
#include "base/base.h"
#include "metric/tags.h"
#include "metric/text_blocks.h"
#include "text/vocabulary.h"
#include "text/words.h"

#define TICK_EVERY 4096

/* Gold and predicted texts: all of a call, borrowed from the caller, or those of one block of its
 * files. */
typedef struct two_sides {
    const char *const *texts[2]; /* [count] gold, predicted */
    const size_t *lengths[2];    /* [count] bytes, or NULL: NUL-terminated */
    int64_t count;
    const alcore__text_block *block; /* of files; NULL: the caller's texts */
} two_sides;

static const char *const SIDE[] = {"gold", "predicted"}; /* by side, for messages */

/* The files of a call. */
static const alcore__text_files_rule FILES = {2, 2, "gold and predicted", false};

enum { PLACE_BYTES = 1024 }; /* of the text of a place, which is cut there */

/* Writes where a line of a side is found: "line 3 of gold", or of files "gold tags.txt:3". */
static const char *place_of(const two_sides *sides, int64_t line, int side,
                            char place[PLACE_BYTES]) {
    const alcore__text_block *block = sides->block;
    if (block)
        alcore__format(place, PLACE_BYTES, "%s %.400s:%lld", SIDE[side], block->files->paths[side],
                       (long long)block->lines[side * block->count + line]);
    else
        alcore__format(place, PLACE_BYTES, "line %lld of %s", (long long)line + 1, SIDE[side]);
    return place;
}

/* Writes where a line of both sides is found: "line 3", or of files "gold tags.txt:3, predicted
 * found.txt:3". */
static const char *places_of(const two_sides *sides, int64_t line, char place[PLACE_BYTES]) {
    char gold[PLACE_BYTES], predicted[PLACE_BYTES];
    if (sides->block)
        alcore__format(place, PLACE_BYTES, "%s, %s", place_of(sides, line, 0, gold),
                       place_of(sides, line, 1, predicted));
    else
        alcore__format(place, PLACE_BYTES, "line %lld", (long long)line + 1);
    return place;
}

/* The texts of a block of files. */
static two_sides sides_of(const alcore__text_block *block) {
    return (two_sides){.texts = {block->texts, block->texts + block->count},
                       .lengths = {block->lengths, block->lengths + block->count},
                       .count = block->count,
                       .block = block};
}

/* Polls cancellation and reports progress at a line; how many lines files have is not known. */
static alcore_status tick(alcore_ctx *ctx, const char *stage, const two_sides *sides,
                          int64_t line) {
    if (line % TICK_EVERY != 0) return ALCORE_OK;
    return sides->block ? alcore__tick(ctx, stage, sides->block->before + line, -1)
                        : alcore__tick(ctx, stage, line, sides->count);
}

/* Checks that both sides have sides->count texts and none is NULL; the error names the line and the
 * side, of a longer side the first line that the other lacks. */
static alcore_status check_sides(const two_sides *sides, int64_t predicted_count) {
    const long long gold = sides->count, predicted = predicted_count;
    if (gold < 0 || predicted < 0) return alcore__fail(ALCORE_E_INVALID, "a count is negative");
    if (gold != predicted)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%lld gold lines, %lld predicted lines: line %lld of %s has no "
                            "counterpart",
                            gold, predicted, (gold < predicted ? gold : predicted) + 1,
                            SIDE[gold < predicted]);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < gold; i++)
            if (!sides->texts[side] || !sides->texts[side][i])
                return alcore__fail(ALCORE_E_INVALID, "line %lld of %s is NULL", (long long)i + 1,
                                    SIDE[side]);
    return ALCORE_OK;
}

/* The text of a line of a side, and its bytes; both were checked. */
static const char *text_of(const two_sides *sides, int side, int64_t line, size_t *length) {
    const char *text = sides->texts[side][line];
    *length = sides->lengths[side] ? sides->lengths[side][line] : strlen(text);
    return text;
}

/* ---- labels ---- */

/* Counts of one call, owned. */
typedef struct label_counts {
    alcore_ctx *ctx;
    bool by_word;             /* each word is a label, not each line */
    alcore_label_score score; /* correct and compared so far */
    alcore__vocabulary names; /* the distinct labels of both sides */
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
static alcore_status count_words(label_counts *labels, const two_sides *sides, int64_t line) {
    const char *next[2], *end[2], *word[2];
    size_t length[2];
    bool found[2];
    for (int side = 0; side < 2; side++) {
        next[side] = text_of(sides, side, line, &length[side]);
        end[side] = next[side] + length[side];
    }
    for (int64_t words = 0;; words++) {
        for (int side = 0; side < 2; side++)
            found[side] = alcore__word_next(&next[side], end[side], &word[side], &length[side]);
        if (found[0] != found[1]) {
            char place[PLACE_BYTES];
            return alcore__fail(ALCORE_E_SHAPE, "%s: word %lld of %s has no counterpart",
                                places_of(sides, line, place), (long long)words + 1,
                                SIDE[found[1]]);
        }
        if (!found[0]) return ALCORE_OK;
        ALCORE__TRY(count_pair(labels, word, length));
    }
}

/* Counts the lines of `sides`. */
static alcore_status count_lines(label_counts *labels, const two_sides *sides) {
    for (int64_t i = 0; i < sides->count; i++) {
        ALCORE__TRY(tick(labels->ctx, "labels", sides, i));
        if (labels->by_word) {
            ALCORE__TRY(count_words(labels, sides, i));
        } else {
            size_t lengths[2];
            const char *const texts[2] = {text_of(sides, 0, i, &lengths[0]),
                                          text_of(sides, 1, i, &lengths[1])};
            ALCORE__TRY(count_pair(labels, texts, lengths));
        }
    }
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(). */
static alcore_status count_label_block(void *data, const alcore__text_block *block) {
    const two_sides sides = sides_of(block);
    return count_lines(data, &sides);
}

/* Fills *out from the counts: NaN without labels. Each counted label occurs on at least one side,
 * so that no divisor is 0. */
static alcore_status write_labels(label_counts *labels, alcore_label_score *out) {
    alcore_label_score *score = &labels->score;
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
                                ALCORE__FIRST_SIZE(alcore_label_score, compared),
                                "alcore_label_score");
}

/* Body of both public calls: counts the lines of files or, where it is NULL, of sides, which are to
 * have predicted_count predicted ones. */
static alcore_status compute_labels(alcore_ctx *ctx, const alcore_text_files *files,
                                    const two_sides *sides, int64_t predicted_count,
                                    int32_t by_word, alcore_label_score *out) {
    label_counts labels = {.ctx = ctx, .by_word = by_word != 0};
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if ((by_word & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "by_word is 0 or 1");
    if (!files) ALCORE__TRY(check_sides(sides, predicted_count));
    alcore_status status =
        files ? alcore__text_blocks_visit(ctx, files, &FILES, count_label_block, &labels)
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
                                           int32_t by_word, alcore_label_score *out) {
    const two_sides sides = {.texts = {gold, predicted},
                             .lengths = {gold_lengths, predicted_lengths},
                             .count = gold_count};
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, compute_labels(ctx, NULL, &sides, predicted_count, by_word, out));
}

alcore_status alcore_metric_read_labels(alcore_ctx *ctx, const alcore_text_files *files,
                                        int32_t by_word, alcore_label_score *out) {
    ALCORE__TRY(alcore__enter(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_labels(ctx, files, NULL, 0, by_word, out));
}

/* ---- spans ---- */

/* One side of a line, read from left to right. */
typedef struct tag_reader {
    const char *next, *end; /* the rest of the line */
    const char *type;       /* [type_length] of the open span; NULL: none is open */
    size_t type_length;
    int64_t word, first; /* words read; first word of the open span */
    bool strict;         /* true: an I-TYPE that continues no span begins none either */
} tag_reader;

/* A span of a line; its type is a view of the line. */
typedef struct span {
    const char *type; /* [type_length], without "B-" or "I-" */
    size_t type_length;
    int64_t first, last; /* words of the line, from 0 */
} span;

/* Reads tags until a span ends and sets *out to that span; *found is false when the line has no
 * further span. The end of the line ends an open span as a tag O would. A span continues over I
 * tags of its type only. The tag that ends a span may begin the next one. ALCORE_E_DATA: a tag that
 * is not O, B-TYPE or I-TYPE. */
static alcore_status next_span(tag_reader *reader, span *out, bool *found) {
    const char *tag;
    size_t length;
    for (*found = false; !*found;) {
        const bool more = alcore__word_next(&reader->next, reader->end, &tag, &length);
        if (!more && !reader->type) return ALCORE_OK;
        const char mark = more ? tag[0] : 'O';
        if (more && !alcore__is_tag(tag, length))
            return alcore__fail(ALCORE_E_DATA, "tag %lld is '%.*s', not O, B-TYPE or I-TYPE",
                                (long long)reader->word + 1, length < 40 ? (int)length : 40, tag);
        const bool same = mark != 'O' && reader->type && reader->type_length == length - 2 &&
                          memcmp(reader->type, tag + 2, length - 2) == 0;
        if (reader->type && !(mark == 'I' && same)) {
            *out = (span){reader->type, reader->type_length, reader->first, reader->word - 1};
            *found = true;
            reader->type = NULL;
        }
        if (mark == 'B' || (mark == 'I' && !reader->type && !reader->strict)) {
            reader->type = tag + 2;
            reader->type_length = length - 2;
            reader->first = reader->word;
        }
        reader->word += more;
    }
    return ALCORE_OK;
}

/* Sets *out and *found to the next span of one side and adds it to *count; the error names the line
 * and the side. */
static alcore_status advance(tag_reader *reader, const two_sides *sides, int side, int64_t line,
                             span *out, bool *found, int64_t *count) {
    const alcore_status status = next_span(reader, out, found);
    char place[PLACE_BYTES];
    if (status != ALCORE_OK)
        return alcore__fail_within(status, "%s", place_of(sides, line, side, place));
    *count += *found;
    return ALCORE_OK;
}

/* Adds the spans of one line, and those that both sides have, to *score. spans [side] is the span
 * that each reader has found last. The reader whose span begins first reads its next span, or both
 * where they begin at the same word. Both sides of a line must have the same number of words. */
static alcore_status compare_line(const two_sides *sides, int64_t line, bool strict,
                                  alcore_span_score *score) {
    tag_reader reader[2];
    span spans[2];
    bool found[2];
    int64_t *counts[2] = {&score->gold_spans, &score->predicted_spans};
    for (int side = 0; side < 2; side++) {
        size_t length;
        const char *text = text_of(sides, side, line, &length);
        reader[side] = (tag_reader){.next = text, .end = text + length, .strict = strict};
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
    char place[PLACE_BYTES];
    return alcore__fail(ALCORE_E_SHAPE, "%s: %lld gold tags, %lld predicted tags",
                        places_of(sides, line, place), (long long)reader[0].word,
                        (long long)reader[1].word);
}

/* Counts of one call. */
typedef struct span_counts {
    alcore_ctx *ctx;
    bool strict;             /* see tag_reader */
    alcore_span_score score; /* the numbers of spans so far */
} span_counts;

/* Compares the lines of `sides`. */
static alcore_status compare_lines(span_counts *spans, const two_sides *sides) {
    for (int64_t i = 0; i < sides->count; i++) {
        ALCORE__TRY(tick(spans->ctx, "spans", sides, i));
        ALCORE__TRY(compare_line(sides, i, spans->strict, &spans->score));
    }
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(). */
static alcore_status compare_span_block(void *data, const alcore__text_block *block) {
    const two_sides sides = sides_of(block);
    return compare_lines(data, &sides);
}

/* Fills *out from the counts; precision, recall and F1 stay 0 without a match. */
static alcore_status write_spans(alcore_span_score *score, alcore_span_score *out) {
    const double matches = (double)score->matches;
    if (score->matches > 0) {
        score->precision = matches / (double)score->predicted_spans;
        score->recall = matches / (double)score->gold_spans;
        score->f1 = 2 * score->precision * score->recall / (score->precision + score->recall);
    }
    return alcore__struct_write(out, score, sizeof *score,
                                ALCORE__FIRST_SIZE(alcore_span_score, matches),
                                "alcore_span_score");
}

/* Body of both public calls: compares the lines of files or, where it is NULL, of sides, which are
 * to have predicted_count predicted ones. strict: 0 or 1, see tag_reader. */
static alcore_status compute_spans(alcore_ctx *ctx, const alcore_text_files *files,
                                   const two_sides *sides, int64_t predicted_count, int32_t strict,
                                   alcore_span_score *out) {
    span_counts spans = {.ctx = ctx, .strict = strict != 0};
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (!files) ALCORE__TRY(check_sides(sides, predicted_count));
    if ((strict & ~1) != 0) return alcore__fail(ALCORE_E_INVALID, "strict is 0 or 1");
    ALCORE__TRY(files ? alcore__text_blocks_visit(ctx, files, &FILES, compare_span_block, &spans)
                      : compare_lines(&spans, sides));
    return write_spans(&spans.score, out);
}

alcore_status alcore_metric_compute_spans(alcore_ctx *ctx, const char *const *gold,
                                          const size_t *gold_lengths, int64_t gold_count,
                                          const char *const *predicted,
                                          const size_t *predicted_lengths, int64_t predicted_count,
                                          int32_t strict, alcore_span_score *out) {
    const two_sides sides = {.texts = {gold, predicted},
                             .lengths = {gold_lengths, predicted_lengths},
                             .count = gold_count};
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, compute_spans(ctx, NULL, &sides, predicted_count, strict, out));
}

alcore_status alcore_metric_read_spans(alcore_ctx *ctx, const alcore_text_files *files,
                                       int32_t strict, alcore_span_score *out) {
    ALCORE__TRY(alcore__enter(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_spans(ctx, files, NULL, 0, strict, out));
}
