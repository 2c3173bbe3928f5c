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

#include "alcore/metric.h"
#include "base/base.h"
#include "metric/bleu_tokens.h"
#include "metric/clipped_ngrams.h"
#include "metric/segment_pairs.h"

#define TICK_EVERY 256

/* The texts of one call, borrowed from the caller. Gold answers of question i are those from
 * offsets[i] to offsets[i + 1] - 1, or answer i where there are no offsets. */
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

/* The workspace of one call. */
typedef struct answer_words {
    alcore__ngram_counter counter; /* words of the two answers that are compared */
    alcore__token_lines lines;     /* code points of one answer */
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

/* Compares all answers and fills *score, which is zeroed; without questions its percentages are
 * NaN. exact_sum is a count, as every best_exact is 0 or 1. */
static alcore_status compare_all(alcore_ctx *ctx, const questions *given, answer_words *words,
                                 alcore_answer_score *score) {
    double exact_sum = 0, f1_sum = 0;
    for (int64_t i = 0; i < given->count; i++) {
        const int64_t first = given->offsets ? given->offsets[i] : i;
        const int64_t behind = given->offsets ? given->offsets[i + 1] : i + 1;
        const char *predicted = given->predicted[i];
        const size_t length = length_of(predicted, given->predicted_lengths, i);
        double best_exact = 0, best_f1 = 0;
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(ctx, "answers", i, given->count));
        for (int64_t k = first; k < behind; k++) {
            double exact, f1;
            ALCORE__TRY(compare_answers(words, predicted, length, given->gold[k],
                                        length_of(given->gold[k], given->gold_lengths, k), &exact,
                                        &f1));
            best_exact = fmax(best_exact, exact);
            best_f1 = fmax(best_f1, f1);
        }
        exact_sum += best_exact;
        f1_sum += best_f1;
    }
    const double count = given->count > 0 ? (double)given->count : (double)NAN;
    score->exact_match = 100 * exact_sum / count;
    score->f1 = 100 * f1_sum / count;
    score->exact = (int64_t)exact_sum;
    score->questions = given->count;
    return ALCORE_OK;
}

/* Checks the offsets: they begin at 0, end at gold_count and leave no question without an answer.
 */
static alcore_status check_offsets(const questions *given) {
    const int64_t *offsets = given->offsets;
    if (!offsets) {
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

alcore_status alcore_metric_compute_answers(alcore_ctx *ctx, const char *const *predicted,
                                            const size_t *predicted_lengths,
                                            int64_t predicted_count, const char *const *gold,
                                            const size_t *gold_lengths, int64_t gold_count,
                                            const int64_t *gold_offsets, int64_t gold_offset_count,
                                            alcore_answer_score *out) {
    const questions given = {.predicted = predicted,
                             .predicted_lengths = predicted_lengths,
                             .count = predicted_count,
                             .gold = gold,
                             .gold_lengths = gold_lengths,
                             .gold_count = gold_count,
                             .offsets = gold_offsets,
                             .offset_count = gold_offset_count};
    answer_words words = {.counter.ctx = ctx, .lines.ctx = ctx};
    alcore_answer_score score = {0};
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = check_questions(&given);
    if (status == ALCORE_OK) status = compare_all(ctx, &given, &words, &score);
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &score, sizeof score,
                                      ALCORE__FIRST_SIZE(alcore_answer_score, questions),
                                      "alcore_answer_score");
    alcore__ngram_counter_clear(&words.counter);
    alcore__token_lines_clear(&words.lines);
    return alcore__leave(ctx, status);
}
