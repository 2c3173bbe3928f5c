/* SPDX-License-Identifier: Apache-2.0 */
/* What an evaluation printed: measures, remarks, and everything else, which is an error by its
 * place. */
#include "extra/metric/measure_lines.h"

#include <stdio.h>
#include <string.h>

#include "check_status.h"
#include "check_suite.h"

static alcore__measures found;

static alcore_status read_bytes(const char *text, size_t length) {
    static char copy[8192];
    found.count = 0;
    memcpy(copy, text, length);
    return alcore__measures_read(&found, copy, length);
}

static alcore_status read_text(const char *text) {
    return read_bytes(text, strlen(text));
}

static void expect(int count, const char *name, double value) {
    ck_assert_int_lt(count, found.count);
    ck_assert_str_eq(found.names[count], name);
    ck_assert_double_eq(found.values[count], value);
}

START_TEST(lines) {
    ck_assert_ok(read_text("chrf 41.5\nbleu\t-3e-1\r\n\n  \t\nccc  \t 7\n# as of today 9\nlast 1"));
    ck_assert_int_eq(found.count, 4);
    expect(0, "chrf", 41.5);
    expect(1, "bleu", -0.3);
    expect(2, "ccc", 7);
    expect(3, "last", 1);
    ck_assert_ok(read_text("bleu\t20\nsignature\tnrefs:1|case:mixed\n"));
    ck_assert_int_eq(found.count, 1);
}
END_TEST

START_TEST(json) {
    ck_assert_ok(
        read_text(" \n{\"chrf\": 41.5, \"precisions\": [1, 2.5], \"signature\": \"a b\"}\n"));
    ck_assert_int_eq(found.count, 3);
    expect(0, "chrf", 41.5);
    expect(1, "precisions_1", 1);
    expect(2, "precisions_2", 2.5);
}
END_TEST

/* Each with words of its error. */
START_TEST(refused) {
    static const char *const texts[][2] = {
        {"", "the evaluation has no measure"},
        {"\n# loading\n", "the evaluation has no measure"},
        {"signature a\n", "the evaluation has no measure"},
        {"{}", "the evaluation has no measure"},
        {"bleu 3\n41.5\n", "line 2 of the evaluation: '41.5' is no measure"},
        {"loading\nbleu 3\n", "line 1 of the evaluation: 'loading' is no measure"},
        {"loading 3 models\n", "line 1 of the evaluation: loading: a finite number is needed, got "
                               "'3 models'"},
        {"a 1\n\nb nan\n", "line 3 of the evaluation: b: a finite number is needed, got 'nan'"},
        {"a inf\n", "got 'inf'"},
        {"a -Infinity\n", "got '-Infinity'"},
        {"a 1e999\n", "got '1e999'"},
        {"a 0,5\n", "got '0,5'; the decimal point is a point"},
        {"a 5%\n", "got '5%'"},
        {"a = 5\n", "got '= 5'"},
        {"a: 5\n", "line 1 of the evaluation: 'a:' is no name of a measure"},
        {"../a 5\n", "'../a' is no name"},
        {"\xc3\xa4 5\n", "is no name"},
        {"a 1\nb 2\na 3\n", "line 3 of the evaluation: 'a' is a measure that is there twice"},
        {"{\"a\": 1, \"a\": 1}", "the evaluation's JSON: 'a' is a measure that is there twice"},
        {"{\"a_1\": 1, \"a\": [1]}", "'a_1' is a measure that is there twice"},
        {"{\"a\": \"5\"}", "the evaluation's JSON: 'a': a number is needed"},
        {"{\"a\": null}", "'a': a number is needed"},
        {"{\"a\": true}", "'a': a number is needed"},
        {"{\"a\": {\"b\": 1}}", "'a': a number is needed"},
        {"{\"a\": [1, null]}", "'a_2': a number is needed"},
        {"{\"a\": NaN}", "the evaluation's JSON"},
        {"{\"a\": 1e999}", "the evaluation's JSON: a: a finite number is needed, got '1e999'"},
        {"{\"signature\": 1}{", "byte 17"},
        {"{\"a\": 1} b", "the evaluation's JSON, byte 10"},
        {"{\"a\": 1", "the evaluation's JSON, byte 8"},
        {"{\"\": 1}", "'' is no name of a measure"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_fails(read_text(texts[i][0]), ALCORE_E_DATA, texts[i][1]);
    /* Nothing behind a NUL is passed over. */
    ck_assert_fails(read_bytes("a 1\nb\0c 2\n", 10), ALCORE_E_DATA, "line 2 of the evaluation");
    ck_assert_fails(read_bytes("a 1\0b 2\n", 8), ALCORE_E_DATA, "line 1 of the evaluation");
    ck_assert_fails(read_bytes("{\"a\": 1}\0", 9), ALCORE_E_DATA, "byte 9");
}
END_TEST

START_TEST(as_many_as_fit) {
    char text[4096] = "", name[80];
    for (int i = 0; i < ALCORE__MOST_MEASURES; i++)
        snprintf(text + strlen(text), 20, "m%d %d\n", i, i);
    ck_assert_ok(read_text(text));
    ck_assert_int_eq(found.count, ALCORE__MOST_MEASURES);
    expect(63, "m63", 63);
    strcat(text, "more 1\n");
    ck_assert_fails(read_text(text), ALCORE_E_DATA, "line 65 of the evaluation: 'more'");
    memset(name, 'n', sizeof name);
    strcpy(name + 64, " 1");
    ck_assert_ok(read_text(name));
    strcpy(name + 64, "n 1");
    ck_assert_fails(read_text(name), ALCORE_E_DATA, "is no name of a measure");
    snprintf(text, sizeof text, "{\"%.64s\": [1]}", name);
    ck_assert_fails(read_text(text), ALCORE_E_DATA, "_1' is no name of a measure");
}
END_TEST

CHECK_SUITE("measure_lines", lines, json, refused, as_many_as_fit);
