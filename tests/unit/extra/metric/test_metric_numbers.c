/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/metric_labels.h, metric_words.h and metric_statistics.h promise of numbers of
 * any magnitude, of nothing to count, of bytes that are no UTF-8, and of wrong arguments. */
#include "check_suite.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "check_status.h"
#include "options_with.h"
#include "test_folder.h"

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* ---- statistics ---- */

static alcore_mean_result mean_of(const double *values, int64_t count) {
    alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_mean(ctx, values, count, NULL, &result));
    return result;
}

static alcore_pearson_result pearson(const double *x, const double *y, int64_t count) {
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_pearson(ctx, x, count, y, count, NULL, &result));
    return result;
}

/* A power of two as unit changes no digit: neither squares nor sums overflow or vanish. */
START_TEST(numbers_of_any_magnitude) {
    static const double x[] = {1, -2, 4, 7.5, 3}, y[] = {2, 1, -5, 4, 9};
    static const int powers[] = {-1060, -1020, -600, -400, 0, 400, 600, 1000, 1020};
    const alcore_mean_result mean = mean_of(x, 5);
    const alcore_pearson_result rho = pearson(x, y, 5);
    ck_assert_double_eq_tol(mean.mean, 2.7, 1e-15);
    ck_assert_double_eq_tol(mean.standard_deviation, sqrt(49.8 / 4), 1e-14);
    ck_assert_double_eq(mean.standard_error, mean.standard_deviation / sqrt(5));
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        double large[5];
        const double unit = ldexp(1, powers[i]);
        for (int k = 0; k < 5; k++) large[k] = x[k] * unit;
        const alcore_mean_result one = mean_of(large, 5);
        const double last_digit = powers[i] < -1020 ? 2 * DBL_TRUE_MIN : 0;
        ck_assert_double_eq_tol(one.mean, mean.mean * unit, last_digit + 1e-15 * unit);
        ck_assert_double_eq_tol(one.standard_deviation, mean.standard_deviation * unit,
                                last_digit + 1e-15 * unit);
        ck_assert_double_eq_tol(one.standard_error, mean.standard_error * unit,
                                last_digit + 1e-15 * unit);
        ck_assert_double_eq(pearson(large, y, 5).rho, rho.rho);
        ck_assert_double_eq(pearson(y, large, 5).rho, rho.rho);
        ck_assert_double_eq(pearson(large, y, 5).p, rho.p);
    }
    const double most[] = {DBL_MAX, DBL_MAX, DBL_MAX};
    ck_assert_double_eq(mean_of(most, 3).mean, DBL_MAX);
    ck_assert_double_eq(mean_of(most, 3).standard_deviation, 0);
}
END_TEST

START_TEST(numbers_that_are_not_finite) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const double x[] = {1, bad[i], 5}, y[] = {2, 3, 5};
        const alcore_mean_result mean = mean_of(x, 3);
        ck_assert(!isfinite(mean.mean));
        ck_assert_double_nan(mean.standard_deviation);
        ck_assert_double_nan(mean.standard_error);
        for (int turned = 0; turned < 2; turned++) {
            const alcore_pearson_result rho = turned ? pearson(y, x, 3) : pearson(x, y, 3);
            ck_assert_double_nan(rho.rho);
            ck_assert_double_nan(rho.p);
        }
    }
}
END_TEST

START_TEST(few_numbers) {
    static const double x[] = {3, 5}, same[] = {2, 2};
    ck_assert_double_eq(mean_of(x, 1).mean, 3);
    ck_assert_double_nan(mean_of(x, 1).standard_deviation);
    ck_assert_double_nan(mean_of(x, 1).standard_error);
    ck_assert_double_nan(mean_of(NULL, 0).standard_error);
    ck_assert_double_eq_tol(mean_of(x, 2).standard_deviation, sqrt(2), 1e-15);
    ck_assert_double_eq_tol(mean_of(x, 2).standard_error, 1, 1e-15);
    ck_assert_double_nan(pearson(x, x, 1).rho);
    ck_assert_double_nan(pearson(x, x, 1).p);
    ck_assert_double_nan(pearson(NULL, NULL, 0).rho);
    ck_assert_double_nan(pearson(x, same, 2).rho);
    ck_assert_double_nan(pearson(same, x, 2).rho);
    ck_assert_double_eq(pearson(x, x, 2).p, 1);
}
END_TEST

static alcore_wilcoxon_result wilcoxon(const double *x, int64_t x_count, const double *y,
                                       int64_t y_count) {
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_wilcoxon(ctx, x, x_count, y, y_count, NULL, &result));
    return result;
}

/* Differences are counted in units of 1e-9: what rounds to 0 is no pair, what rounds to the same is
 * a tie. Up to 9e9 they fit. */
START_TEST(differences) {
    static const double tiny[] = {4e-10, -4e-10, 0, 6e-10, -1e-9};
    static const double x[] = {3, 1, 9, 4}, y[] = {1, 2, 9, 8}, given[] = {2, -1, 0, -4};
    const alcore_wilcoxon_result small = wilcoxon(tiny, 5, NULL, 0);
    ck_assert_int_eq(small.pairs, 2);
    ck_assert_double_eq(small.w_plus, 1.5); /* both are one unit: a tie of ranks 1 and 2 */
    ck_assert_double_eq(small.w_minus, 1.5);
    ck_assert_double_eq(small.p, 1);
    const alcore_wilcoxon_result one = wilcoxon(x, 4, y, 4), two = wilcoxon(given, 4, NULL, 0);
    ck_assert_mem_eq(&one, &two, sizeof one);
    ck_assert_int_eq(one.pairs, 3);
    ck_assert_double_eq(one.w_plus, 2);
    ck_assert_double_eq(one.w_minus, 4);
    ck_assert_int_eq(one.exact, 1);
    ck_assert_int_eq(one.reserved, 0);
    const alcore_wilcoxon_result none = wilcoxon(tiny, 3, NULL, 0);
    ck_assert_int_eq(none.pairs, 0);
    ck_assert_double_eq(none.w_plus, 0);
    ck_assert_double_eq(none.w_minus, 0);
    ck_assert_double_eq(none.p, 1);
    ck_assert_double_eq(wilcoxon(NULL, 0, NULL, 0).p, 1);
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    const double most[] = {1, 9e9, -9e9}, above[] = {1, 2, 9.000001e9}, nan[] = {NAN, 1};
    ck_assert_int_eq(wilcoxon(most, 3, NULL, 0).pairs, 3);
    ck_assert_fails(alcore_metric_compute_wilcoxon(ctx, above, 3, NULL, 0, NULL, &result),
                    ALCORE_E_DATA, "pair 3");
    ck_assert_fails(alcore_metric_compute_wilcoxon(ctx, nan, 2, nan, 2, NULL, &result),
                    ALCORE_E_DATA, "pair 1");
    ck_assert_fails(
        alcore_metric_compute_wilcoxon(ctx, most, (INT64_C(1) << 30) + 1, NULL, 0, NULL, &result),
        ALCORE_E_UNSUPPORTED, "2^30");
    ck_assert_int_eq(alcore_metric_compute_wilcoxon(ctx, most, 3, NULL, 3, NULL, &result),
                     ALCORE_E_INVALID);
}
END_TEST

/* ---- labels ---- */

/* Half of the words of a gold answer are predicted; labels that only one side has count as labels
 * whose F1 is 0. */
START_TEST(labels_by_definition) {
    const char *const gold[] = {"a", "a", "b", "c"}, *const predicted[] = {"a", "b", "b", "d"};
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    ck_assert_ok(
        alcore_metric_compute_labels(ctx, gold, NULL, 4, predicted, NULL, 4, NULL, &labels));
    ck_assert_double_eq(labels.accuracy, 0.5);
    ck_assert_double_eq_tol(labels.macro_f1, (2.0 / 3 + 2.0 / 3 + 0 + 0) / 4, 1e-15);
    ck_assert_int_eq(labels.correct, 2);
    ck_assert_int_eq(labels.labels, 4);
    ck_assert_int_eq(labels.compared, 4);
    ck_assert_ok(alcore_metric_compute_labels(ctx, NULL, NULL, 0, NULL, NULL, 0, NULL, &labels));
    ck_assert_double_nan(labels.accuracy);
    ck_assert_double_nan(labels.macro_f1);
    ck_assert_int_eq(labels.compared, 0);
}
END_TEST

/* Bytes that are no UTF-8 are compared as bytes: two different ones are two labels, two types of
 * spans and two words; answers see U+FFFD in both. */
START_TEST(malformed_bytes) {
    const char *const one = "\xff", *const other = "\xfe", *const tag = "B-\xff",
                      *const same = "B-\xfe";
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    alcore_answers_result answers = ALCORE_ANSWERS_RESULT_INIT;
    alcore_word_accuracy_result words = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_links *links;
    char path[TEST_PATH_BYTES];
    ck_assert_ok(alcore_metric_compute_labels(ctx, &one, NULL, 1, &other, NULL, 1, NULL, &labels));
    ck_assert_int_eq(labels.labels, 2);
    ck_assert_int_eq(labels.correct, 0);
    ck_assert_ok(alcore_metric_compute_spans(ctx, &tag, NULL, 1, &same, NULL, 1, NULL, &spans));
    ck_assert_int_eq(spans.gold_spans, 1);
    ck_assert_int_eq(spans.matches, 0);
    ck_assert_ok(alcore_metric_compute_answers(ctx, &one, NULL, 1, NULL, 0, &other, NULL, 1, NULL,
                                               &answers));
    ck_assert_int_eq(answers.exact, 1);
    test_file_make(path, "links", ".txt", "0-0\n");
    ck_assert_ok(alcore_links_open(ctx, path, 1, &links));
    ck_assert_ok(alcore_metric_compute_word_accuracy(ctx, &one, NULL, 1, &one, NULL, 1, &other,
                                                     NULL, 1, links, NULL, &words));
    ck_assert_int_eq(words.total, 1);
    ck_assert_int_eq(words.matched, 0);
    ck_assert_ok(alcore_metric_compute_word_accuracy(ctx, &one, NULL, 1, &one, NULL, 1, &one, NULL,
                                                     1, links, NULL, &words));
    ck_assert_int_eq(words.matched, 1);
    alcore_links_unref(links);
    unlink(path);
}
END_TEST

START_TEST(spans_of_nothing) {
    const char *const none = "O O", *const one = "B-x O", *const other = "O B-x";
    const struct {
        const char *gold, *predicted;
        double precision, recall;
    } cases[] = {{none, none, 0, 0}, {one, none, 0, 0},    {none, one, 0, 0},
                 {one, other, 0, 0}, {"B S", "B S", 1, 1}, {"B-x B-x", one, 1, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
        ck_assert_ok(alcore_metric_compute_spans(ctx, &cases[i].gold, NULL, 1, &cases[i].predicted,
                                                 NULL, 1, NULL, &spans));
        const double p = cases[i].precision, r = cases[i].recall;
        ck_assert_double_eq(spans.precision, p);
        ck_assert_double_eq(spans.recall, r);
        ck_assert_double_eq_tol(spans.f1, p + r > 0 ? 2 * p * r / (p + r) : 0, 1e-15);
    }
    alcore_spans_result empty = ALCORE_SPANS_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_spans(ctx, NULL, NULL, 0, NULL, NULL, 0, NULL, &empty));
    ck_assert_double_eq(empty.f1, 0);
}
END_TEST

/* A mark alone is a span of one type, which is that of no B-x. */
START_TEST(marks_alone) {
    const char *const bare = "B I O S", *const typed = "B-x I-x O S-x";
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_spans(ctx, &bare, NULL, 1, &bare, NULL, 1, NULL, &spans));
    ck_assert_int_eq(spans.matches, 2);
    ck_assert_ok(alcore_metric_compute_spans(ctx, &bare, NULL, 1, &typed, NULL, 1, NULL, &spans));
    ck_assert_int_eq(spans.gold_spans, 2);
    ck_assert_int_eq(spans.predicted_spans, 2);
    ck_assert_int_eq(spans.matches, 0);
}
END_TEST

static alcore_kappa_result kappa(const int64_t *x, const int64_t *y, int64_t count) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_kappa(ctx, x, count, y, count, NULL, &result));
    return result;
}

/* Chance is 0, agreement 1, whatever integers the classes are. */
START_TEST(kappas) {
    static const int64_t x[] = {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX};
    static const int64_t y[] = {INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX}, one[] = {0, 0, 0, 0};
    const alcore_kappa_result chance = kappa(x, y, 4);
    ck_assert_double_eq(chance.kappa, 0);
    ck_assert_double_eq(chance.observed, 0.5);
    ck_assert_double_eq(chance.expected, 0.5);
    ck_assert_int_eq(chance.classes, 2);
    ck_assert_int_eq(chance.items, 4);
    ck_assert_double_eq(kappa(x, x, 4).kappa, 1);
    ck_assert_double_eq(kappa(x, one, 4).observed, 0);
    ck_assert_int_eq(kappa(x, one, 4).classes, 3);
    const alcore_kappa_result sure = kappa(one, one, 4), none = kappa(NULL, NULL, 0);
    ck_assert_double_nan(sure.kappa);
    ck_assert_double_eq(sure.observed, 1);
    ck_assert_double_eq(sure.expected, 1);
    ck_assert_double_nan(none.kappa);
    ck_assert_double_nan(none.observed);
    ck_assert_int_eq(none.items, 0);
}
END_TEST

/* The best answer of each question, in percent; one without an answer is right if nothing is
 * predicted. */
START_TEST(answers_by_definition) {
    const char *const gold[] = {"The cat.", "a dog", "", "red, green"};
    const char *const predicted[] = {"DOG", "", "green blue"};
    static const int64_t offsets[] = {0, 2, 3, 4};
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_answers(ctx, gold, NULL, 4, offsets, 4, predicted, NULL, 3,
                                               NULL, &score));
    ck_assert_int_eq(score.exact, 2);
    ck_assert_int_eq(score.questions, 3);
    ck_assert_double_eq_tol(score.exact_match, 200.0 / 3, 1e-12);
    ck_assert_double_eq_tol(score.f1, 250.0 / 3, 1e-12);
    ck_assert_ok(
        alcore_metric_compute_answers(ctx, NULL, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, &score));
    ck_assert_double_nan(score.exact_match);
    ck_assert_double_nan(score.f1);
    ck_assert_int_eq(score.questions, 0);
}
END_TEST

/* ---- words ---- */

START_TEST(lengths_of_nothing) {
    const char *const texts[] = {"one two", "", "three"}, *const empty[] = {"", " \t\r\n", ""};
    const char *const six[] = {"a", "b", "c", "d", "e", "f"};
    alcore_length_ratio_result ratio = ALCORE_LENGTH_RATIO_RESULT_INIT;
#define RATIO(h, n, r, m)                                                                          \
    alcore_metric_compute_length_ratio(ctx, h, NULL, n, r, NULL, m, NULL, &ratio)
    ck_assert_ok(RATIO(texts, 3, empty, 3));
    ck_assert_double_nan(ratio.ratio);
    ck_assert_int_eq(ratio.hypothesis_words, 3);
    ck_assert_int_eq(ratio.reference_words, 0);
    ck_assert_ok(RATIO(empty, 3, texts, 3));
    ck_assert_double_eq(ratio.ratio, 0);
    ck_assert_ok(RATIO(NULL, 0, NULL, 0));
    ck_assert_double_nan(ratio.ratio);
    ck_assert_fails(RATIO(texts, 3, six, 6), ALCORE_E_SHAPE, "2 references for each hypothesis");
    ck_assert_int_eq(RATIO(texts, 3, six, 2), ALCORE_E_SHAPE);
    ck_assert_int_eq(RATIO(texts, -1, six, 2), ALCORE_E_INVALID);
}
END_TEST

/* Words are cut at ASCII space, tab, CR and LF alone; a domain needs the test set. */
START_TEST(words_and_domains) {
    const char *const source = "a\tb\r\nc\xC2\xA0 d", *const target = "A B C D";
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_word_accuracy_options options = ALCORE_WORD_ACCURACY_OPTIONS_INIT;
    alcore_overlap *without, *domain;
    alcore_links *links;
    char path[TEST_PATH_BYTES];
    test_file_make(path, "links", ".txt", "0-0 1-1 3-3\n");
    ck_assert_ok(alcore_links_open(ctx, path, 1, &links));
    ck_assert_ok(alcore_overlap_new(
        ctx, OPTIONS_WITH(alcore_overlap_options, .kept = ALCORE_OVERLAP_SELECTED), &without));
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &domain));
#define ACCURACY()                                                                                 \
    alcore_metric_compute_word_accuracy(ctx, &source, NULL, 1, &target, NULL, 1, &target, NULL, 1, \
                                        links, &options, &score)
    ck_assert_ok(ACCURACY());
    ck_assert_int_eq(score.total, 3);
    ck_assert_int_eq(score.matched, 3);
    ck_assert_int_eq(score.unlinked, 1);
    ck_assert_double_eq(score.accuracy, 100);
    options.domain = without;
    ck_assert_fails(ACCURACY(), ALCORE_E_INVALID, "test set");
    options.domain = domain; /* of no text: no word of the sources is in-domain */
    ck_assert_ok(ACCURACY());
    ck_assert_int_eq(score.total, 0);
    ck_assert_int_eq(score.unlinked, 0);
    ck_assert_double_nan(score.accuracy);
    const char *const two[] = {"a", "b"};
    ck_assert_fails(alcore_metric_compute_word_accuracy(ctx, two, NULL, 1, two, NULL, 2, two, NULL,
                                                        1, links, NULL, &score),
                    ALCORE_E_SHAPE, "1 sources, 2 references");
    ck_assert_fails(alcore_metric_compute_word_accuracy(ctx, two, NULL, 2, two, NULL, 2, two, NULL,
                                                        1, links, NULL, &score),
                    ALCORE_E_SHAPE, "2 sources, 1 hypotheses");
    options.size = 0;
    ck_assert_int_eq(ACCURACY(), ALCORE_E_STRUCT_UNSET);
    options.size = sizeof options;
    score.size = 0;
    ck_assert_int_eq(ACCURACY(), ALCORE_E_STRUCT_UNSET);
    alcore_overlap_unref(without);
    alcore_overlap_unref(domain);
    alcore_links_unref(links);
    unlink(path);
}
END_TEST

/* ---- structs and arguments ---- */

#define STRUCTS(name, NAME, call)                                                                  \
    do {                                                                                           \
        alcore_##name##_options options_of = ALCORE_##NAME##_OPTIONS_INIT, *options = NULL;        \
        alcore_##name##_result out_of = ALCORE_##NAME##_RESULT_INIT, *out = NULL;                  \
        ck_assert_int_eq(call, ALCORE_E_INVALID);                                                  \
        out = &out_of;                                                                             \
        options = &options_of;                                                                     \
        ck_assert_ok(call);                                                                        \
        out_of.size = 0;                                                                           \
        ck_assert_int_eq(call, ALCORE_E_STRUCT_UNSET);                                             \
        out_of.size = sizeof out_of;                                                               \
        options_of.size = 0;                                                                       \
        ck_assert_int_eq(call, ALCORE_E_STRUCT_UNSET);                                             \
    } while (0)

START_TEST(structs) {
    static const double x[] = {1, 2, 4};
    static const int64_t classes[] = {1, 2, 1};
    const char *const tags[] = {"O", "B-x", "O"};
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    STRUCTS(mean, MEAN, alcore_metric_compute_mean(ctx, x, 3, options, out));
    STRUCTS(pearson, PEARSON, alcore_metric_compute_pearson(ctx, x, 3, x, 3, options, out));
    STRUCTS(wilcoxon, WILCOXON, alcore_metric_compute_wilcoxon(ctx, x, 3, x, 3, options, out));
    STRUCTS(kappa, KAPPA, alcore_metric_compute_kappa(ctx, classes, 3, classes, 3, options, out));
    STRUCTS(labels, LABELS,
            alcore_metric_compute_labels(ctx, tags, NULL, 3, tags, NULL, 3, options, out));
    STRUCTS(spans, SPANS,
            alcore_metric_compute_spans(ctx, tags, NULL, 3, tags, NULL, 3, options, out));
    STRUCTS(
        answers, ANSWERS,
        alcore_metric_compute_answers(ctx, tags, NULL, 3, NULL, 0, tags, NULL, 3, options, out));
    STRUCTS(length_ratio, LENGTH_RATIO,
            alcore_metric_compute_length_ratio(ctx, tags, NULL, 3, tags, NULL, 3, options, out));
    ck_assert_int_eq(
        alcore_metric_compute_labels(ctx, tags, NULL, 3, tags, NULL, 3,
                                     OPTIONS_WITH(alcore_labels_options, .reserved = 1), &labels),
        ALCORE_E_STRUCT_NEWER);
    ck_assert_int_eq(alcore_metric_compute_spans(ctx, tags, NULL, 3, tags, NULL, 3,
                                                 OPTIONS_WITH(alcore_spans_options, .reserved = 1),
                                                 &spans),
                     ALCORE_E_STRUCT_NEWER);
    ck_assert_int_eq(alcore_metric_compute_spans(ctx, tags, NULL, 3, tags, NULL, 3,
                                                 OPTIONS_WITH(alcore_spans_options, .scheme = 6100),
                                                 &spans),
                     ALCORE_E_INVALID);
}
END_TEST

START_TEST(wrong_arguments) {
    static const double x[] = {1, 2};
    const char *const hole[] = {"O", NULL}, *const tags[] = {"O", "O"};
    alcore_mean_result mean = ALCORE_MEAN_RESULT_INIT;
    alcore_pearson_result rho = ALCORE_PEARSON_RESULT_INIT;
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    ck_assert_int_eq(alcore_metric_compute_mean(ctx, x, -1, NULL, &mean), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_metric_compute_mean(NULL, x, 1, NULL, &mean), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, -1, x, -1, NULL, &rho),
                     ALCORE_E_INVALID);
    ck_assert_fails(alcore_metric_compute_labels(ctx, tags, NULL, 2, hole, NULL, 2, NULL, &labels),
                    ALCORE_E_INVALID, "line 2 of predicted is NULL");
    ck_assert_fails(alcore_metric_compute_labels(ctx, hole, NULL, 2, tags, NULL, 2, NULL, &labels),
                    ALCORE_E_INVALID, "line 2 of gold is NULL");
    ck_assert_fails(alcore_metric_compute_spans(ctx, tags, NULL, 2, hole, NULL, 2, NULL, &spans),
                    ALCORE_E_INVALID, "line 2 of predicted is NULL");
    ck_assert_fails(alcore_metric_compute_spans(ctx, tags, NULL, -1, hole, NULL, 2, NULL, &spans),
                    ALCORE_E_INVALID, "negative");
}
END_TEST

CHECK_SUITE_WITH("metric_numbers", setup, teardown, numbers_of_any_magnitude,
                 numbers_that_are_not_finite, few_numbers, differences, labels_by_definition,
                 malformed_bytes, spans_of_nothing, marks_alone, kappas, answers_by_definition,
                 lengths_of_nothing, words_and_domains, structs, wrong_arguments);
