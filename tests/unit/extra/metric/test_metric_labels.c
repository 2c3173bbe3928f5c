/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and spans: the vectors of the specification, random tags against a plain list of spans,
 * malformed tags and unequal counts. */
#include "check_suite.h"

#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "base/rng.h"
#include "options_with.h"
#include "vectors.h"

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    return ctx;
}

START_TEST(test_label_vectors) {
    alcore_ctx *ctx = new_ctx();
    const vector_case one = vector_case_named(vector_find("analyses", "TV-METRICS"), "labels");
    const char *sides[2][8];
    const int64_t count = vector_length(vector_input(&one, "gold"));
    for (int64_t i = 0; i < count; i++) {
        sides[0][i] = vector_text(json_array_get(vector_input(&one, "gold"), (size_t)i));
        sides[1][i] = vector_text(json_array_get(vector_input(&one, "predicted"), (size_t)i));
    }
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    ck_assert_int_eq(alcore_metric_compute_labels(ctx, sides[0], NULL, count, sides[1], NULL, count,
                                                  NULL, &score),
                     ALCORE_OK);
    ck_assert_double_eq_tol(score.accuracy, vector_double(vector_expected(&one, "accuracy")),
                            1e-12);
    ck_assert_double_eq_tol(score.macro_f1, vector_double(vector_expected(&one, "macro_f1")),
                            1e-12);
    ck_assert_int_eq(
        alcore_metric_compute_labels(ctx, sides[0], NULL, count, sides[1], NULL, 2, NULL, &score),
        ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 3 of gold"));
    ck_assert_int_eq(alcore_metric_compute_labels(ctx, NULL, NULL, 0, NULL, NULL, 0, NULL, &score),
                     ALCORE_OK);
    ck_assert_double_nan(score.accuracy);
    const char *const empty[] = {"", ""}; /* a label as any other, of which nothing is kept */
    ck_assert_int_eq(
        alcore_metric_compute_labels(ctx, empty, NULL, 2, empty, NULL, 2, NULL, &score), ALCORE_OK);
    ck_assert_double_eq(score.accuracy, 1);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The labels of the vector as words of two lines give what they give as lines. */
START_TEST(test_labels_of_words) {
    alcore_ctx *ctx = new_ctx();
    const char *const gold[] = {"e n", "", " c\te"}, *const predicted[] = {"e n", " ", "n c "};
    const char *const longer[] = {"e n", "", "n c x"}, *const shorter[] = {"e", "", "n c"};
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT, lines = ALCORE_LABELS_RESULT_INIT;
    const char *const one[] = {"e", "n", "c", "e"}, *const other[] = {"e", "n", "n", "c"};
#define LABELS(gold, predicted)                                                                    \
    alcore_metric_compute_labels(ctx, gold, NULL, 3, predicted, NULL, 3,                           \
                                 OPTIONS_WITH(alcore_labels_options, .words = 1), &score)
    ck_assert_int_eq(LABELS(gold, predicted), ALCORE_OK);
    ck_assert_int_eq(alcore_metric_compute_labels(ctx, one, NULL, 4, other, NULL, 4, NULL, &lines),
                     ALCORE_OK);
    ck_assert_double_eq(score.accuracy, lines.accuracy);
    ck_assert_double_eq(score.macro_f1, lines.macro_f1);
    ck_assert_int_eq(score.compared, 4);
    ck_assert_int_eq(score.correct, 2);
    ck_assert_int_eq(LABELS(gold, longer), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 3: word 3 of predicted"));
    ck_assert_int_eq(LABELS(gold, shorter), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 1: word 2 of gold"));
    ck_assert_int_eq(alcore_metric_compute_labels(ctx, one, NULL, 4, other, NULL, 4,
                                                  OPTIONS_WITH(alcore_labels_options, .words = 2),
                                                  &lines),
                     ALCORE_E_INVALID);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The tags of one side as lines. */
static void join_tags(const json_t *lines, char out[][200], const char **texts) {
    for (int64_t i = 0; i < vector_length(lines); i++) {
        const json_t *tags = json_array_get(lines, (size_t)i);
        out[i][0] = '\0';
        for (int64_t k = 0; k < vector_length(tags); k++) {
            strcat(out[i], k > 0 ? " " : "");
            strcat(out[i], vector_text(json_array_get(tags, (size_t)k)));
        }
        texts[i] = out[i];
    }
}

START_TEST(test_span_vectors) {
    alcore_ctx *ctx = new_ctx();
    for (int strict = 0; strict < 2; strict++) {
        const vector_case one = vector_case_named(vector_find("analyses", "TV-METRICS"),
                                                  strict ? "spans, strict" : "spans");
        char gold[4][200], predicted[4][200];
        const char *g[4], *p[4];
        const int64_t count = vector_length(vector_input(&one, "gold"));
        join_tags(vector_input(&one, "gold"), gold, g);
        join_tags(vector_input(&one, "predicted"), predicted, p);
        alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
        ck_assert_int_eq(
            alcore_metric_compute_spans(
                ctx, g, NULL, count, p, NULL, count,
                OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + strict), &score),
            ALCORE_OK);
        ck_assert_double_eq_tol(score.precision, vector_double(vector_expected(&one, "precision")),
                                1e-12);
        ck_assert_double_eq_tol(score.recall, vector_double(vector_expected(&one, "recall")),
                                1e-12);
        ck_assert_double_eq_tol(score.f1, vector_double(vector_expected(&one, "f1")), 1e-12);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

#define WORDS 7
/* A line of tags as digits: 0 is O, 1 and 2 are B of two types, 3 and 4 are I. Writes the end of
 * the span that begins at each word, -1 where none does. */
static void find_spans(const int *tags, bool strict, int *ends, int64_t *count) {
    int open = -1;
    *count = 0;
    for (int i = 0; i < WORDS; i++) {
        const bool inside = tags[i] >= 3;
        ends[i] = -1;
        if (open >= 0 && !(inside && (tags[i] - 1) % 2 == (tags[open] - 1) % 2)) open = -1;
        if (open < 0 && tags[i] > 0 && !(inside && strict)) {
            open = i;
            (*count)++;
        }
        if (open >= 0) ends[open] = i;
    }
}

START_TEST(test_span_twin) {
    static const char *const names[] = {"O", "B-x", "B-y", "I-x", "I-y"};
    alcore_ctx *ctx = new_ctx();
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    for (int round = 0; round < 4000; round++) {
        const bool strict = round % 2;
        int tags[2][WORDS], ends[2][WORDS];
        int64_t counts[2], matches = 0;
        char line[2][100] = {"", ""};
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < WORDS; i++) {
                const bool copy = side == 1 && alcore__rng_below(&rng, 3) > 0;
                tags[side][i] = copy ? tags[0][i] : (int)alcore__rng_below(&rng, 5);
                strcat(strcat(line[side], " "), names[tags[side][i]]);
            }
            find_spans(tags[side], strict, ends[side], &counts[side]);
        }
        for (int i = 0; i < WORDS; i++)
            matches += ends[0][i] >= 0 && ends[0][i] == ends[1][i] &&
                       (tags[0][i] - 1) % 2 == (tags[1][i] - 1) % 2;
        const char *gold = line[0], *predicted = line[1];
        alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
        ck_assert_int_eq(
            alcore_metric_compute_spans(
                ctx, &gold, NULL, 1, &predicted, NULL, 1,
                OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + strict), &score),
            ALCORE_OK);
        ck_assert_msg(score.gold_spans == counts[0] && score.predicted_spans == counts[1] &&
                          score.matches == matches,
                      "%s |%s", gold, predicted);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_tags) {
    alcore_ctx *ctx = new_ctx();
    static const char *const gold[] = {"O", "B-x O"}, *const bad[] = {"O", "B-x X-y"},
                             *const fewer[] = {"O", "B-x"}, *const bare[] = {"O", "B- O"};
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
#define SPANS(p, n, strict)                                                                        \
    alcore_metric_compute_spans(                                                                   \
        ctx, gold, NULL, 2, p, NULL, n,                                                            \
        OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + strict), &score)
    ck_assert_int_eq(SPANS(bad, 2, 0), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2 of predicted: tag 2 is 'X-y'"));
    ck_assert_int_eq(SPANS(bare, 2, 0), ALCORE_E_DATA);
    ck_assert_int_eq(SPANS(fewer, 2, 0), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2: 2 gold tags, 1 predicted"));
    ck_assert_int_eq(SPANS(gold, 1, 0), ALCORE_E_SHAPE);
    ck_assert_int_eq(SPANS(gold, 2, 6), ALCORE_E_INVALID);
    ck_assert_int_eq(SPANS(gold, 2, 1), ALCORE_OK);
    ck_assert_double_eq(score.f1, 1);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The spans of seqeval on generated tags of each scheme (make_peer_cases.py). */
START_TEST(test_seqeval) {
    static const char *const schemes[] = {"default", "iob2", "iob1", "ioe2", "iobes", "bilou"};
    enum { MOST = 16 };
    alcore_ctx *ctx = new_ctx();
    json_error_t error;
    json_t *all = json_load_file(PEER_CASES, 0, &error), *row;
    int compared[6] = {0};
    size_t i;
    ck_assert_msg(all, "%s", error.text);
    json_array_foreach(json_object_get(all, "tags"), i, row) {
        const char *lines[2][MOST];
        const json_t *gold = json_object_get(row, "gold");
        const int64_t count = vector_length(gold);
        for (size_t k = 0; k < (size_t)count; k++) {
            lines[0][k] = vector_text(json_array_get(gold, k));
            lines[1][k] = vector_text(json_array_get(json_object_get(row, "predicted"), k));
        }
        for (int scheme = ALCORE_TAGS_DEFAULT; scheme <= ALCORE_TAGS_BILOU; scheme++) {
            const json_t *wanted = json_object_get(row, schemes[scheme - ALCORE_TAGS_DEFAULT]);
            alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
            if (!wanted) continue;
            ck_assert_int_eq(alcore_metric_compute_spans(
                                 ctx, lines[0], NULL, count, lines[1], NULL, count,
                                 OPTIONS_WITH(alcore_spans_options, .scheme = scheme), &score),
                             ALCORE_OK);
            const double found[3] = {score.precision, score.recall, score.f1};
            vector_near(found, wanted, 1e-12);
            compared[scheme - ALCORE_TAGS_DEFAULT]++;
        }
    }
    for (int scheme = 0; scheme < 6; scheme++) ck_assert_int_ge(compared[scheme], 30);
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A word that is no tag of the scheme is refused with a scheme that has it. */
START_TEST(test_tags_of_other_schemes) {
    static const struct {
        int scheme;
        const char *tag, *message;
    } cases[] = {
        {ALCORE_TAGS_DEFAULT, "U-PER", "tag 1 is 'U-PER'; those of the scheme default are"},
        {ALCORE_TAGS_DEFAULT, "L", "the marks of O, B, I, E, S; the scheme bilou has it"},
        {ALCORE_TAGS_IOB2, "S-PER", "the scheme default has it"},
        {ALCORE_TAGS_IOBES, "U-PER", "the scheme bilou has it"},
        {ALCORE_TAGS_BILOU, "E-PER", "the scheme default has it"},
        {ALCORE_TAGS_IOE2, "B-PER", "the scheme default has it"},
        {ALCORE_TAGS_DEFAULT, "PER", "tag 1 is 'PER'"},
        {ALCORE_TAGS_DEFAULT, "B-", "tag 1 is 'B-'"},
        {ALCORE_TAGS_DEFAULT, "O-PER", "tag 1 is 'O-PER'"},
        {ALCORE_TAGS_DEFAULT, "3", "tag 1 is '3'"},
    };
    alcore_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
        const char *line = cases[i].tag;
        ck_assert_int_eq(alcore_metric_compute_spans(
                             ctx, &line, NULL, 1, &line, NULL, 1,
                             OPTIONS_WITH(alcore_spans_options, .scheme = cases[i].scheme), &score),
                         ALCORE_E_DATA);
        ck_assert_msg(strstr(alcore_last_error(), cases[i].message), "%s", alcore_last_error());
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_labels", test_seqeval, test_tags_of_other_schemes, test_label_vectors,
            test_labels_of_words, test_span_vectors, test_span_twin, test_wrong_tags);
