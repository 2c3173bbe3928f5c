/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "comma_locale.h"
#include "format_test.h"

static bool parse(const char *text, double *out) {
    return alcore__parse_double(text, strlen(text), out);
}

START_TEST(accepts_what_tools_write) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "-1.5",
                                        "+2",
                                        ".5",
                                        "5.",
                                        "1e3",
                                        "1E-3",
                                        "0.1",
                                        "-0.6931471805599453",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "123456789012345678901234567890",
                                        "0.000001234567890123456789",
                                        "2.2250738585072011e-308",
                                        "5e-324",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "1e-400",
                                        "8.5e-3100",
                                        "100000000000000000000000000000000000000000000000e-46",
                                        "0.30000000000000004",
                                        "6.02214076e+23"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = -1;
        ck_assert_msg(parse(texts[i], &value), "%s", texts[i]);
        double expected = strtod(texts[i], NULL);
        ck_assert_msg(memcmp(&value, &expected, 8) == 0, "%s: %a, not %a", texts[i], value,
                      expected);
    }
    double value;
    ck_assert(parse("nan", &value) && isnan(value));
    ck_assert(parse("NaN", &value) && isnan(value));
    ck_assert(parse("-inf", &value) && value == -INFINITY);
    ck_assert(parse("Infinity", &value) && value == INFINITY);
}
END_TEST

START_TEST(refuses_everything_else) {
    static const char *const texts[] = {"",     " 1",    "1 ",   "1,5",   "0x10", "1e",    "e5",
                                        ".",    "-",     "1..2", "--1",   "1e+",  "1e999", "-1e999",
                                        "nanx", "infin", "1_0",  "1.2.3", "١"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 7;
        ck_assert_msg(!parse(texts[i], &value), "%s", texts[i]);
        ck_assert_double_eq(value, 7);
    }
    char longer[1024];
    memset(longer, '1', sizeof longer);
    double value;
    ck_assert(!alcore__parse_double(longer, sizeof longer, &value));
    ck_assert(!alcore__parse_double("1\0", 2, &value));
}
END_TEST

START_TEST(reads_integers) {
    int64_t value;
    ck_assert(alcore__parse_int("9223372036854775807", 19, &value) && value == INT64_MAX);
    ck_assert(alcore__parse_int("-9223372036854775808", 20, &value) && value == INT64_MIN);
    ck_assert(alcore__parse_int("+7", 2, &value) && value == 7);
    value = 3;
    ck_assert(!alcore__parse_int("9223372036854775808", 19, &value));
    ck_assert(!alcore__parse_int("-9223372036854775809", 20, &value));
    uint64_t bits = 0;
    ck_assert(alcore__parse_uint("18446744073709551615", 20, &bits) && bits == UINT64_MAX);
    ck_assert(alcore__parse_uint("0", 1, &bits) && bits == 0);
    ck_assert(!alcore__parse_uint("18446744073709551616", 20, &bits));
    ck_assert(!alcore__parse_uint("-1", 2, &bits));
    ck_assert(!alcore__parse_uint("", 0, &bits));
    ck_assert(!alcore__parse_uint("1 ", 2, &bits));
    ck_assert(!alcore__parse_int("", 0, &value));
    ck_assert(!alcore__parse_int("-", 1, &value));
    ck_assert(!alcore__parse_int("1.0", 3, &value));
    ck_assert_int_eq(value, 3);
}
END_TEST

START_TEST(prints_the_shortest_form) {
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.1, "0.1"},
                {1.0 / 3, "0.3333333333333333"},
                {0.1 + 0.2, "0.30000000000000004"},
                {100, "100"},
                {-2.5, "-2.5"},
                {1e300, "1e+300"},
                {5e-324, "5e-324"},
                {0, "0"},
                {INFINITY, "inf"},
                {-INFINITY, "-inf"},
                {NAN, "nan"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        ck_assert_uint_eq(alcore__print_double(rows[i].value, text), strlen(rows[i].text));
        ck_assert_str_eq(text, rows[i].text);
    }
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = state ^ state >> 29;
        double value, again;
        memcpy(&value, &bits, 8);
        char text[32];
        size_t length = alcore__print_double(value, text);
        ck_assert(alcore__parse_double(text, length, &again));
        ck_assert(isnan(value) ? isnan(again) : memcmp(&value, &again, 8) == 0);
    }
}
END_TEST

/* In a locale with a decimal comma, where the machine has one or can make it. */
START_TEST(no_locale_matters) {
    comma_locale locale;
    comma_locale_begin(&locale);
    double value;
    char text[32];
    ck_assert(parse("1234567890.12345678", &value) && value == 1234567890.12345678);
    ck_assert(!parse("1,5", &value));
    alcore__print_double(1.5, text);
    ck_assert_str_eq(text, "1.5");
    comma_locale_end(&locale);
}
END_TEST

START_TEST(faults) {
    static const char *const texts[][2] = {
        {"0,17", "; the decimal point is a point, as in 0.17, and thousands are not separated"},
        {"1.000,5", "; the decimal point is a point, as in 0.17, and thousands are not separated"},
        {"1,000", "; the decimal point is a point, as in 0.17, and thousands are not separated"},
        {"-0x1F", "; numbers are decimal, not hexadecimal"},
        {"1e400", "; it is too large"},
        {" 1", "; there are spaces around it"},
        {"1\t", "; there are spaces around it"},
        {"1 000", "; thousands are not separated"},
        {"1'000", "; thousands are not separated"},
        {"1_000", "; thousands are not separated"},
        {"1\xE2\x80\xAF"
         "000",
         "; thousands are not separated"},
        {"1\xC2\xA0"
         "000",
         "; thousands are not separated"},
        {"41.5 %", ""},
        {"3 models", ""},
        {"1 ", "; there are spaces around it"},
        {"", "; it is empty"},
        {"1.5", ""},
        {"x", ""},
        {",5", ""},
        {"-", ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_str_eq(alcore__number_fault(texts[i][0], strlen(texts[i][0])), texts[i][1]);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {accepts_what_tools_write, refuses_everything_else, reads_integers,
                                  prints_the_shortest_form, no_locale_matters,       faults};
    return run_case("number", tests, sizeof tests / sizeof *tests);
}
