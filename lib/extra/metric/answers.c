/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to questions against gold ones, as SQuAD measures them (Rajpurkar et al. 2016;
 * docs/spec/analyses.md 8.9).
 *
 *     exact match = 100 * mean over the questions of the best of (words of both are equal)
 *     F1          = 100 * mean over the questions of the best of 2 P R / (P + R)
 *
 * A question may have several gold answers. Its best exact match and its best F1 are chosen
 * separately, and may belong to different gold answers. P and R are the shares of the predicted and
 * of the gold words that the other answer has too, as multisets; if one of the two answers has no
 * words, F1 is 1 if both have none, else 0. Before they are compared, answers are put in lower
 * case, lose their ASCII punctuation and the words a, an and the, and are cut at white space.
 *
 * One pass over the questions; memory is that of the largest pair of answers. */
#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "alcore/extra/metric.h"
#include "base/base.h"
#include "extra/metric/segment_pairs.h"
#include "extra/metric/text_blocks.h"
#include "text/bleu_tokens.h"
#include "text/clipped_ngrams.h"

#define TICK_EVERY 256

/* The texts of one call, borrowed from the caller, or of one block of its files. Gold answers of
 * question i are those from offsets[i] to offsets[i + 1] - 1, or answer i where there are no
 * offsets. */
typedef struct questions {
    const char *const *predicted;    /* [count] */
    const size_t *predicted_lengths; /* [count] bytes, or NULL: the texts end in NUL */
    int64_t count;
    const char *const *gold;    /* [gold_count] */
    const size_t *gold_lengths; /* [gold_count] bytes, or NULL: the texts end in NUL */
    int64_t gold_count;
    const int64_t *offsets; /* [offset_count], which is count + 1, or NULL */
    int64_t offset_count;
} questions;

/* The workspace and the sums of one call. */
typedef struct answer_words {
    alcore_ctx *ctx;
    alcore__ngram_counter counter; /* words of the two answers that are compared */
    alcore__token_lines lines;     /* code points of one answer */
    double exact_sum, f1_sum;      /* over the questions so far; exact_sum is a count, as the best
                                    * exact match of a question is 0 or 1 */
    int64_t questions;             /* so far */
    /* The gold answers of a block of files. */
    const char **gold;     /* [answers] views of the block's texts */
    size_t *gold_lengths;  /* [answers] bytes */
    int64_t *gold_offsets; /* [questions of the block + 1] as questions.offsets */
    size_t gold_capacity, lengths_capacity, offsets_capacity;
} answer_words;

/* Letters and numbers of any script: what \w of Python matches, but for the underscore, which is
 * punctuation and gone by then. */
static bool is_word_point(int32_t point) {
    const utf8proc_category_t category = utf8proc_category(point);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
           (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

/* Whether a run of letters and numbers is an English article. */
static bool is_article(const int32_t *points, size_t length) {
    if (length == 0 || length > 3) return false;
    if (length == 3) return points[0] == 't' && points[1] == 'h' && points[2] == 'e';
    return points[0] == 'a' && (length == 1 || points[1] == 'n');
}

/* Deletes ASCII punctuation from lines->line, then replaces each article by a space. The line never
 * grows, so both write over what they have read. */
static void normalize(alcore__token_lines *lines) {
    int32_t *line = lines->line;
    size_t length = 0, end = 0;
    for (size_t i = 0; i < lines->length; i++)
        if (!alcore__is_ascii_punctuation(line[i])) line[length++] = line[i];
    for (size_t i = 0, run; i < length; i = run) {
        run = i;
        while (run < length && is_word_point(line[run])) run++;
        if (run == i) run++; /* any other character is a run of one */
        if (is_article(line + i, run - i))
            line[end++] = ' ';
        else
            for (size_t k = i; k < run; k++) line[end++] = line[k];
    }
    lines->length = end;
}

/* Adds the normalized words of an answer as the next part of the counter. `end` is the index in the
 * line behind the last word that was found. */
static alcore_status add_answer(answer_words *words, const char *text, size_t length) {
    alcore__token_lines *lines = &words->lines;
    size_t end = 0, begin;
    ALCORE__TRY(alcore__token_lines_read(lines, text, length));
    ALCORE__TRY(alcore__token_lines_lower(lines));
    normalize(lines);
    while (alcore__token_lines_next(lines, &end, &begin))
        ALCORE__TRY(
            alcore__ngram_counter_intern(&words->counter, lines->line + begin, end - begin));
    return alcore__ngram_counter_end_part(&words->counter);
}

/* The scores of one predicted answer against one gold answer: *exact is 0 or 1, *f1 0 to 1. The
 * counter's units are the numbers of the predicted words, followed by those of the gold words. */
static alcore_status compare_answers(answer_words *words, const char *predicted,
                                     size_t predicted_length, const char *gold, size_t gold_length,
                                     double *exact, double *f1) {
    const alcore__ngram_counter *counter = &words->counter;
    alcore__ngram_matches counts;
    alcore__ngram_counter_begin(&words->counter);
    ALCORE__TRY(add_answer(words, predicted, predicted_length));
    ALCORE__TRY(add_answer(words, gold, gold_length));
    ALCORE__TRY(alcore__ngram_counter_match(&words->counter, 1 /* orders */, &counts));
    const int64_t predicted_words = counts.totals[0], gold_words = counts.reference_totals[0];
    if (predicted_words == 0 || gold_words == 0) { /* then the units may be NULL */
        *exact = *f1 = predicted_words == gold_words;
        return ALCORE_OK;
    }
    *exact =
        predicted_words == gold_words && memcmp(counter->units, counter->units + predicted_words,
                                                (size_t)predicted_words * sizeof(int32_t)) == 0;
    const double precision = (double)counts.matches[0] / (double)predicted_words;
    const double recall = (double)counts.matches[0] / (double)gold_words;
    *f1 = counts.matches[0] == 0 ? 0 : 2 * precision * recall / (precision + recall);
    return ALCORE_OK;
}

static size_t length_of(const char *text, const size_t *lengths, int64_t i) {
    return lengths ? lengths[i] : strlen(text);
}

/* Compares the answers to all questions that are given and adds to the sums. total: how many
 * questions the call has, -1 where that is not known. */
static alcore_status compare_questions(answer_words *words, const questions *given, int64_t total) {
    for (int64_t i = 0; i < given->count; i++) {
        const int64_t first = given->offsets ? given->offsets[i] : i;
        const int64_t behind = given->offsets ? given->offsets[i + 1] : i + 1;
        const char *predicted = given->predicted[i];
        const size_t length = length_of(predicted, given->predicted_lengths, i);
        double best_exact = 0, best_f1 = 0;
        if (words->questions % TICK_EVERY == 0)
            ALCORE__TRY(alcore__tick(words->ctx, "answers", words->questions, total));
        for (int64_t k = first; k < behind; k++) {
            double exact, f1;
            ALCORE__TRY(compare_answers(words, predicted, length, given->gold[k],
                                        length_of(given->gold[k], given->gold_lengths, k), &exact,
                                        &f1));
            best_exact = fmax(best_exact, exact);
            best_f1 = fmax(best_f1, f1);
        }
        words->exact_sum += best_exact;
        words->f1_sum += best_f1;
        words->questions++;
    }
    return ALCORE_OK;
}

/* Adds one gold answer of a block of files. */
static alcore_status add_gold(answer_words *words, const char *text, size_t length,
                              int64_t *answers) {
    const size_t needed = (size_t)*answers + 1;
    ALCORE__TRY(
        alcore__grow(words->ctx, &words->gold, &words->gold_capacity, needed, sizeof *words->gold));
    ALCORE__TRY(alcore__grow(words->ctx, &words->gold_lengths, &words->lengths_capacity, needed,
                             sizeof *words->gold_lengths));
    words->gold[*answers] = text;
    words->gold_lengths[(*answers)++] = length;
    return ALCORE_OK;
}

/* Splits line i of the gold texts of a block, [count], into the answers of question i, between
 * which there are TABs. *answers: how many there are. */
static alcore_status split_answers(answer_words *words, const alcore__text_block *block,
                                   int64_t *answers) {
    *answers = 0;
    ALCORE__TRY(alcore__grow(words->ctx, &words->gold_offsets, &words->offsets_capacity,
                             (size_t)block->count + 1, sizeof *words->gold_offsets));
    for (int64_t i = 0; i < block->count; i++) {
        const char *begin = block->texts[i], *end = begin + block->lengths[i];
        words->gold_offsets[i] = *answers;
        for (const char *tab; (tab = memchr(begin, '\t', (size_t)(end - begin))); begin = tab + 1)
            ALCORE__TRY(add_gold(words, begin, (size_t)(tab - begin), answers));
        ALCORE__TRY(add_gold(words, begin, (size_t)(end - begin), answers));
    }
    words->gold_offsets[block->count] = *answers;
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(): the first file is gold, the second predicted. */
static alcore_status compare_block(void *data, const alcore__text_block *block) {
    answer_words *words = data;
    int64_t answers;
    ALCORE__TRY(split_answers(words, block, &answers));
    const questions given = {.predicted = block->texts + block->count,
                             .predicted_lengths = block->lengths + block->count,
                             .count = block->count,
                             .gold = words->gold,
                             .gold_lengths = words->gold_lengths,
                             .gold_count = answers,
                             .offsets = words->gold_offsets,
                             .offset_count = block->count + 1};
    return compare_questions(words, &given, -1);
}

/* Fills *out from the sums; without questions its percentages are NaN. */
static alcore_status write_answers(const answer_words *words, alcore_answers_result *out) {
    const double count = words->questions > 0 ? (double)words->questions : (double)NAN;
    alcore_answers_result score = {.exact_match = 100 * words->exact_sum / count,
                                   .f1 = 100 * words->f1_sum / count,
                                   .exact = (int64_t)words->exact_sum,
                                   .questions = words->questions};
    return alcore__struct_write(out, &score, sizeof score,
                                ALCORE__FIRST_SIZE(alcore_answers_result, questions),
                                "alcore_answers_result");
}

/* Checks the offsets: they begin at 0, end at gold_count and leave no question without an answer.
 */
static alcore_status check_offsets(const questions *given) {
    const int64_t *offsets = given->offsets;
    if (!offsets) {
        if (given->offset_count != 0)
            return alcore__fail(ALCORE_E_INVALID, "gold_offset_count is %lld without gold_offsets",
                                (long long)given->offset_count);
        if (given->gold_count == given->count) return ALCORE_OK;
        return alcore__fail(ALCORE_E_SHAPE,
                            "%lld predicted answers, %lld gold answers: without gold_offsets each "
                            "question has one of each",
                            (long long)given->count, (long long)given->gold_count);
    }
    if (given->offset_count != given->count + 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%lld gold_offsets for %lld questions: one more is needed",
                            (long long)given->offset_count, (long long)given->count);
    if (offsets[0] != 0 || offsets[given->count] != given->gold_count)
        return alcore__fail(ALCORE_E_SHAPE,
                            "gold_offsets go from %lld to %lld; they begin with 0 and end with the "
                            "number of gold answers, %lld",
                            (long long)offsets[0], (long long)offsets[given->count],
                            (long long)given->gold_count);
    for (int64_t i = 0; i < given->count; i++)
        if (offsets[i] >= offsets[i + 1])
            return alcore__fail(ALCORE_E_SHAPE,
                                "question %lld has no gold answer: gold_offsets rise by 1 or more "
                                "(an empty text is the answer of a question that has none)",
                                (long long)i + 1);
    return ALCORE_OK;
}

static alcore_status check_questions(const questions *given) {
    if (given->count < 0 || given->gold_count < 0)
        return alcore__fail(ALCORE_E_INVALID, "a count is negative");
    ALCORE__TRY(check_offsets(given));
    for (int64_t i = 0; i < given->count; i++)
        if (!given->predicted || !given->predicted[i])
            return alcore__fail(ALCORE_E_INVALID, "predicted answer %lld is NULL",
                                (long long)i + 1);
    for (int64_t i = 0; i < given->gold_count; i++)
        if (!given->gold || !given->gold[i])
            return alcore__fail(ALCORE_E_INVALID, "gold answer %lld is NULL", (long long)i + 1);
    return ALCORE_OK;
}

/* Body of both public calls: compares the answers of files or, where it is NULL, the given ones. */
static alcore_status compute_answers(alcore_ctx *ctx, const alcore_text_files *files,
                                     const questions *given, const alcore_answers_options *options,
                                     alcore_answers_result *out) {
    static const alcore__text_files_rule rule = {2, 2, "gold and predicted", false, false};
    answer_words words = {.ctx = ctx, .counter.ctx = ctx, .lines.ctx = ctx};
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    ALCORE__TRY(alcore__struct_empty(options, "alcore_answers_options"));
    if (!files) ALCORE__TRY(check_questions(given));
    alcore_status status = files
                               ? alcore__text_blocks_visit(ctx, files, &rule, compare_block, &words)
                               : compare_questions(&words, given, given->count);
    if (status == ALCORE_OK) status = write_answers(&words, out);
    alcore__ngram_counter_clear(&words.counter);
    alcore__token_lines_clear(&words.lines);
    alcore__free(ctx, words.gold);
    alcore__free(ctx, words.gold_lengths);
    alcore__free(ctx, words.gold_offsets);
    return status;
}

alcore_status
alcore_metric_compute_answers(alcore_ctx *ctx, const char *const *gold, const size_t *gold_lengths,
                              int64_t gold_count, const int64_t *gold_offsets,
                              int64_t gold_offset_count, const char *const *predicted,
                              const size_t *predicted_lengths, int64_t predicted_count,
                              const alcore_answers_options *options, alcore_answers_result *out) {
    const questions given = {.predicted = predicted,
                             .predicted_lengths = predicted_lengths,
                             .count = predicted_count,
                             .gold = gold,
                             .gold_lengths = gold_lengths,
                             .gold_count = gold_count,
                             .offsets = gold_offsets,
                             .offset_count = gold_offset_count};
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, compute_answers(ctx, NULL, &given, options, out));
}

alcore_status alcore_metric_read_answers(alcore_ctx *ctx, const alcore_text_files *files,
                                         const alcore_answers_options *options,
                                         alcore_answers_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!files) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "files is NULL"));
    return alcore__leave(ctx, compute_answers(ctx, files, NULL, options, out));
}
