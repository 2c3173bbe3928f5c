/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/overlap.h promises of roles, sides, options and results that have nothing to
 * count, and of files. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/overlap.h"
#include "check_status.h"
#include "options_with.h"
#include "test_folder.h"

enum { SELECTED = ALCORE_OVERLAP_SELECTED, OUTSIDE = ALCORE_OVERLAP_OUTSIDE };
enum { TEST = ALCORE_OVERLAP_TEST, BOTH = ALCORE_OVERLAP_BOTH };

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore_overlap *new_overlap(const alcore_overlap_options *options) {
    alcore_overlap *overlap;
    ck_assert_ok(alcore_overlap_new(ctx, options, &overlap));
    return overlap;
}

static void add(alcore_overlap *overlap, int32_t role, int32_t side, const char *text) {
    ck_assert_ok(alcore_overlap_add(overlap, role, side, &text, NULL, 1));
}

static alcore_coverage_result coverage(const alcore_overlap *overlap, int32_t order, int32_t data) {
    alcore_coverage_result out = ALCORE_COVERAGE_RESULT_INIT;
    ck_assert_ok(alcore_overlap_compute_coverage(
        overlap, order, OPTIONS_WITH(alcore_coverage_options, .data = data), &out));
    return out;
}

/* The longest order, and the one by default, are counted, and the next is refused. */
START_TEST(orders) {
    static const int32_t given[] = {0, 1, ALCORE_NGRAM_ORDER_MAX}, most[] = {4, 1, 16};
    const char *text = "a b c d e f g h i j k l m n o p q r";
    for (int i = 0; i < 3; i++) {
        alcore_overlap *overlap =
            new_overlap(OPTIONS_WITH(alcore_overlap_options, .max_order = given[i]));
        alcore_coverage_result out = ALCORE_COVERAGE_RESULT_INIT;
        add(overlap, TEST, ALCORE_SIDE_SOURCE, text);
        add(overlap, SELECTED, ALCORE_SIDE_SOURCE, text);
        ck_assert_int_eq(coverage(overlap, most[i], 0).shared_types, 18 - most[i] + 1);
        ck_assert_fails(alcore_overlap_compute_coverage(overlap, most[i] + 1, NULL, &out),
                        ALCORE_E_INVALID, "is not 1 to");
        ck_assert_int_eq(alcore_overlap_compute_coverage(overlap, 0, NULL, &out), ALCORE_E_INVALID);
        alcore_overlap_unref(overlap);
    }
    alcore_overlap *overlap;
    static const int32_t wrong[] = {-1, 17};
    for (int i = 0; i < 2; i++)
        ck_assert_fails(
            alcore_overlap_new(ctx, OPTIONS_WITH(alcore_overlap_options, .max_order = wrong[i]),
                               &overlap),
            ALCORE_E_INVALID, "is not 1 to 16");
    ck_assert_ptr_null(overlap);
}
END_TEST

/* A role that is not kept has no n-grams of its own: what needs them is NaN or -1. */
START_TEST(roles_that_are_not_kept) {
    for (int kept = 0; kept < 2; kept++) {
        alcore_overlap *overlap = new_overlap(
            kept ? OPTIONS_WITH(alcore_overlap_options, .kept = TEST | SELECTED) : NULL);
        add(overlap, TEST, ALCORE_SIDE_SOURCE, "a b");
        add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "a c d");
        add(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, "b");
        const alcore_coverage_result one = coverage(overlap, 1, 0),
                                     both = coverage(overlap, 1, BOTH);
        ck_assert_double_eq(one.coverage, 50); /* of the data selected, by default */
        ck_assert_double_eq(both.coverage, 100);
        ck_assert_double_eq(coverage(overlap, 1, OUTSIDE).coverage, 50);
        if (kept) {
            ck_assert_double_eq_tol(one.precision, 100.0 / 3, 1e-12);
            ck_assert_double_eq(one.jaccard, 25);
            ck_assert_int_eq(one.data_types, 3);
        } else {
            ck_assert_double_nan(one.precision);
            ck_assert_double_nan(one.jaccard);
            ck_assert_int_eq(one.data_types, -1);
        }
        ck_assert_double_nan(both.precision); /* the data outside is not kept in either */
        ck_assert_double_nan(both.jaccard);
        ck_assert_int_eq(both.data_types, -1);
        alcore_overlap_unref(overlap);
    }
    alcore_overlap *overlap = new_overlap(OPTIONS_WITH(alcore_overlap_options, .kept = SELECTED));
    alcore_coverage_result out = ALCORE_COVERAGE_RESULT_INIT;
    ck_assert_fails(alcore_overlap_compute_coverage(overlap, 1, NULL, &out), ALCORE_E_INVALID,
                    "does not keep the n-grams of the test set");
    alcore_overlap_unref(overlap);
}
END_TEST

START_TEST(nothing_has_no_share) {
    alcore_overlap *overlap =
        new_overlap(OPTIONS_WITH(alcore_overlap_options, .kept = TEST | SELECTED));
    alcore_in_domain_result words = ALCORE_IN_DOMAIN_RESULT_INIT;
    ck_assert_ok(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, NULL, NULL, 0));
    alcore_coverage_result out = coverage(overlap, 1, 0);
    ck_assert_double_nan(out.coverage);
    ck_assert_double_nan(out.token_coverage);
    ck_assert_double_nan(out.precision);
    ck_assert_double_nan(out.jaccard);
    ck_assert_ok(alcore_overlap_compute_in_domain(overlap, NULL, &words));
    ck_assert_double_nan(words.type_share);
    ck_assert_double_nan(words.word_share);
    ck_assert_int_eq(words.types + words.words + words.in_domain_types + words.in_domain_words, 0);
    add(overlap, TEST, ALCORE_SIDE_SOURCE, "a a b");
    out = coverage(overlap, 1, 0);
    ck_assert_double_eq(out.coverage, 0);
    ck_assert_double_nan(out.precision);
    add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "a x x x");
    out = coverage(overlap, 1, 0);
    ck_assert_double_eq(out.coverage, 50);
    ck_assert_double_eq_tol(out.token_coverage, 200.0 / 3, 1e-12); /* two of three words */
    ck_assert_ok(alcore_overlap_compute_in_domain(overlap, NULL, &words));
    ck_assert_double_eq(words.type_share, 50);
    ck_assert_double_eq(words.word_share, 25);
    alcore_overlap_unref(overlap);
}
END_TEST

/* Texts of no word added to a role that is not kept do not end the time of those that are. */
START_TEST(no_texts_change_nothing) {
    alcore_overlap *overlap = new_overlap(NULL);
    ck_assert_ok(alcore_overlap_add(overlap, SELECTED, ALCORE_SIDE_SOURCE, NULL, NULL, 0));
    add(overlap, TEST, ALCORE_SIDE_SOURCE, "a");
    add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "a");
    ck_assert_double_eq(coverage(overlap, 1, 0).coverage, 100);
    alcore_overlap_unref(overlap);
}
END_TEST

/* Only a tagged overlap tells the sides apart, and adds up their counts. */
START_TEST(sides) {
    for (int32_t tagged = 0; tagged < 2; tagged++) {
        alcore_overlap *overlap = new_overlap(
            OPTIONS_WITH(alcore_overlap_options, .tagged = tagged, .kept = TEST | SELECTED));
        add(overlap, TEST, ALCORE_SIDE_SOURCE, "a b");
        add(overlap, TEST, ALCORE_SIDE_TARGET, "a");
        add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "b");
        add(overlap, SELECTED, ALCORE_SIDE_TARGET, "a b");
        const alcore_coverage_result out = coverage(overlap, 1, 0);
        ck_assert_int_eq(out.test_types, tagged ? 3 : 2);
        ck_assert_int_eq(out.data_types, tagged ? 3 : 2);
        ck_assert_int_eq(out.shared_types, 2);
        ck_assert_int_eq(out.test_tokens, 3);
        alcore_in_domain_result words = ALCORE_IN_DOMAIN_RESULT_INIT;
        ck_assert_ok(alcore_overlap_compute_in_domain(overlap, NULL, &words));
        ck_assert_int_eq(words.types, tagged ? 3 : 2);
        ck_assert_int_eq(words.words, 3);
        alcore_overlap_unref(overlap);
    }
}
END_TEST

/* Words end at ASCII space only; an n-gram lies inside one text; a malformed sequence is U+FFFD. */
START_TEST(words_and_texts) {
    const char *test = "a\xC2\xA0z b\t\xEF\xBF\xBDq\r\nc", *other = "\xFFq";
    const char *halves[] = {"c", "d"}, *cut = "c dd";
    const size_t lengths[] = {3};
    alcore_overlap *overlap = new_overlap(NULL);
    add(overlap, TEST, ALCORE_SIDE_SOURCE, test);
    ck_assert_int_eq(coverage(overlap, 1, 0).test_types, 4);
    ck_assert_ok(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, &cut, lengths, 1));
    ck_assert_int_eq(coverage(overlap, 1, 0).test_types, 5);
    add(overlap, SELECTED, ALCORE_SIDE_SOURCE, other);
    ck_assert_int_eq(coverage(overlap, 1, 0).shared_types, 1);
    ck_assert_ok(alcore_overlap_add(overlap, SELECTED, ALCORE_SIDE_SOURCE, halves, NULL, 2));
    ck_assert_int_eq(coverage(overlap, 1, 0).shared_types, 3);
    ck_assert_int_eq(coverage(overlap, 2, 0).shared_types, 0);
    add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "c d");
    ck_assert_int_eq(coverage(overlap, 2, 0).shared_types, 1);
    alcore_overlap_unref(overlap);
}
END_TEST

START_TEST(in_domain_words_by_definition) {
    static const int32_t definitions[] = {0, ALCORE_IN_DOMAIN_TEST, ALCORE_IN_DOMAIN_UNSEEN};
    alcore_overlap *overlap = new_overlap(OPTIONS_WITH(alcore_overlap_options, .kept = SELECTED));
    alcore_in_domain_result words = ALCORE_IN_DOMAIN_RESULT_INIT;
    add(overlap, SELECTED, ALCORE_SIDE_SOURCE, "in in new out");
    add(overlap, TEST, ALCORE_SIDE_SOURCE, "in out");
    add(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, "out");
    for (int i = 0; i < 3; i++) {
        ck_assert_ok(alcore_overlap_compute_in_domain(
            overlap, OPTIONS_WITH(alcore_in_domain_options, .definition = definitions[i]), &words));
        ck_assert_int_eq(words.in_domain_types, i < 2 ? 1 : 2);
        ck_assert_int_eq(words.in_domain_words, i < 2 ? 2 : 3);
    }
    ck_assert_fails(alcore_overlap_compute_in_domain(
                        overlap, OPTIONS_WITH(alcore_in_domain_options, .definition = 1), &words),
                    ALCORE_E_INVALID, "definition 1");
    alcore_overlap_unref(overlap);
}
END_TEST

START_TEST(reserved_fields_and_structs) {
    alcore_overlap *overlap;
    alcore_coverage_result out = ALCORE_COVERAGE_RESULT_INIT;
    alcore_in_domain_result words = ALCORE_IN_DOMAIN_RESULT_INIT;
    ck_assert_int_eq(
        alcore_overlap_new(ctx, OPTIONS_WITH(alcore_overlap_options, .reserved = 1), &overlap),
        ALCORE_E_STRUCT_NEWER);
    overlap = new_overlap(OPTIONS_WITH(alcore_overlap_options, .kept = TEST | SELECTED));
    ck_assert_int_eq(alcore_overlap_compute_coverage(
                         overlap, 1, OPTIONS_WITH(alcore_coverage_options, .reserved = 1), &out),
                     ALCORE_E_STRUCT_NEWER);
    ck_assert_int_eq(alcore_overlap_compute_in_domain(
                         overlap, OPTIONS_WITH(alcore_in_domain_options, .reserved = 1), &words),
                     ALCORE_E_STRUCT_NEWER);
    out.size = words.size = 0;
    ck_assert_int_eq(alcore_overlap_compute_coverage(overlap, 1, NULL, &out),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore_overlap_compute_in_domain(overlap, NULL, &words),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore_overlap_compute_coverage(overlap, 1, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_compute_in_domain(NULL, NULL, &words), ALCORE_E_INVALID);
    ck_assert_ptr_eq(alcore_overlap_ref(overlap), overlap);
    alcore_overlap_unref(overlap);
    add(overlap, TEST, ALCORE_SIDE_SOURCE, "a");
    alcore_overlap_unref(overlap);
    ck_assert_ptr_null(alcore_overlap_ref(NULL));
    alcore_overlap_unref(NULL);
}
END_TEST

/* A file is as good as its texts; what is wrong with it is named, and a failure in its middle
 * spoils the overlap while one before its first text does not. */
START_TEST(files) {
    char path[TEST_PATH_BYTES];
    int64_t count = 9;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_overlap *overlap = new_overlap(NULL);
    test_file_make(path, "roles", ".tsv", "text\tother\na b\tx\n\ty\nb\tz\n");
    options.text_column = "nothing";
    ck_assert_fails(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, &options, &count),
                    ALCORE_E_DATA, ".tsv:1: no column is called \"nothing\"");
    ck_assert_int_eq(count, 0);
    ck_assert_ok(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, NULL, &count));
    ck_assert_int_eq(count, 3); /* the empty one too */
    ck_assert_int_eq(coverage(overlap, 1, 0).test_tokens, 3);
    unlink(path);
    test_file_make(path, "roles", ".txt", "a\n\xFF\n");
    ck_assert_fails(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, NULL, NULL),
                    ALCORE_E_DATA, ":2: the text is not valid UTF-8");
    alcore_coverage_result out = ALCORE_COVERAGE_RESULT_INIT;
    const char *text = "a";
    ck_assert_fails(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, &text, NULL, 1),
                    ALCORE_E_INVALID, "an earlier call on this overlap failed");
    ck_assert_int_eq(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_compute_coverage(overlap, 1, NULL, &out), ALCORE_E_INVALID);
    unlink(path);
    alcore_overlap_unref(overlap);
    overlap = new_overlap(NULL);
    ck_assert_fails(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, NULL, NULL),
                    ALCORE_E_IO, path);
    ck_assert_int_eq(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, NULL, NULL, NULL),
                     ALCORE_E_INVALID);
    test_file_make(path, "roles", ".jsonl", "{\"text\": \"a\"\n");
    ck_assert_fails(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, NULL, NULL),
                    ALCORE_E_DATA, ":1:");
    options = (alcore_read_options)ALCORE_READ_OPTIONS_INIT;
    options.escapes = ALCORE_ESCAPES_ON;
    ck_assert_fails(alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, path, &options, NULL),
                    ALCORE_E_PARAM, "escapes are of tsv, csv and text");
    ck_assert_ok(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, &text, NULL, 1));
    unlink(path);
    alcore_overlap_unref(overlap);
}
END_TEST

/* Compressed files and standard input hold the same texts. */
START_TEST(files_of_every_kind) {
    char path[TEST_PATH_BYTES], command[2 * TEST_PATH_BYTES], packed[TEST_PATH_BYTES + 4];
    int64_t count;
    test_file_make(path, "roles", ".txt", "a b\nb\n");
    snprintf(command, sizeof command, "gzip -k %s", path);
    snprintf(packed, sizeof packed, "%s.gz", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    const char *const names[] = {path, packed, "-"};
    for (int i = 0; i < 3; i++) {
        alcore_overlap *overlap = new_overlap(NULL);
        const alcore_status status =
            alcore_overlap_read(overlap, TEST, ALCORE_SIDE_SOURCE, names[i], NULL, &count);
        if (i == 1 && status == ALCORE_E_UNSUPPORTED) { /* a build without zlib */
            alcore_overlap_unref(overlap);
            continue;
        }
        ck_assert_ok(status);
        ck_assert_int_eq(count, 2);
        ck_assert_int_eq(coverage(overlap, 1, 0).test_tokens, 3);
        alcore_overlap_unref(overlap);
    }
    unlink(path);
    unlink(packed);
}
END_TEST

CHECK_SUITE_WITH("metric_overlap_roles", setup, teardown, orders, roles_that_are_not_kept,
                 nothing_has_no_share, no_texts_change_nothing, sides, words_and_texts,
                 in_domain_words_by_definition, reserved_fields_and_structs, files,
                 files_of_every_kind);
