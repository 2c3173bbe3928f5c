/* SPDX-License-Identifier: Apache-2.0 */
#include "format_test.h"
#include "text/utf8.h"

static memory_host host;

START_TEST(names_the_first_malformed_byte) {
    static const struct {
        const char *text;
        size_t bad, replaced; /* U+FFFD that repair writes */
    } rows[] = {
        {"plain", 5, 0},
        {"gr\xC3\xBC\xC3\x9F", 6, 0},
        {"\xE4\xB8\xAD\xF0\x9F\x98\x80", 7, 0},
        {"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF", 10, 0}, /* the ends of the ranges */
        {"ab\x80", 2, 1},                                    /* stray continuation */
        {"ab\xC0\xAF", 2, 2},                                /* overlong, two bytes */
        {"\xC1\xBF", 0, 2},
        {"a\xE0\x9F\xBF", 1, 3}, /* overlong, three bytes */
        {"a\xF0\x8F\xBF\xBF", 1, 4},
        {"\xED\xA0\x80", 0, 3},     /* surrogate */
        {"\xF4\x90\x80\x80", 0, 4}, /* above U+10FFFF */
        {"\xF5\x80", 0, 2},
        {"\xFF\xFE", 0, 2},
        {"x\xE4\xB8", 1, 1}, /* truncated at the end: one maximal part */
        {"x\xF0\x9F\x98", 1, 1},
        {"x\xE4\xB8y", 1, 1}, /* truncated before a letter */
        {"x\xC3", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].text);
        ck_assert_uint_eq(alcore__utf8_check(rows[i].text, length), rows[i].bad);
        alcore__buffer out = {0};
        int64_t count = -1;
        ck_works(alcore__utf8_repair(host.ctx, rows[i].text, length, &out, &count));
        ck_assert_msg(count == (int64_t)rows[i].replaced, "row %zu: %d", i, (int)count);
        ck_assert_uint_eq(alcore__utf8_check(out.data, out.length), out.length);
        alcore__buffer_clear(host.ctx, &out);
        /* The same after and before blocks of plain text, at every offset. */
        for (size_t before = 0; before < 70; before++) {
            char long_text[160];
            memset(long_text, 'a', sizeof long_text);
            memcpy(long_text + before, rows[i].text, length);
            size_t bad = rows[i].replaced ? before + rows[i].bad : sizeof long_text;
            ck_assert_uint_eq(alcore__utf8_check(long_text, sizeof long_text), bad);
        }
    }
}
END_TEST

START_TEST(agrees_with_itself_on_every_code_point) {
    for (int32_t point = 0; point <= 0x10FFFF; point++) {
        char bytes[4];
        if (point >= 0xD800 && point < 0xE000) continue;
        size_t length = alcore__utf8_write(point, bytes), at = 0;
        /* One condition: an assertion costs more than what it asserts. */
        if (alcore__utf8_next(bytes, length, &at) != point || at != length ||
            alcore__utf8_check(bytes, length) != length ||
            (length > 1 && alcore__utf8_check(bytes, length - 1) != 0))
            ck_abort_msg("U+%04X", (unsigned)point);
    }
    ck_assert_int_eq(alcore__utf8_count("gr\xC3\xBC\xE4\xB8\xAD", 7), 4);
}
END_TEST

START_TEST(knows_characters) {
    ck_assert(alcore__utf8_is_letter('a') && alcore__utf8_is_letter('Z'));
    ck_assert(alcore__utf8_is_letter(0xFC) && alcore__utf8_is_letter(0x4E2D));
    ck_assert(alcore__utf8_is_letter(0x93F)); /* a Devanagari vowel sign */
    ck_assert(!alcore__utf8_is_letter('1') && !alcore__utf8_is_letter('-') &&
              !alcore__utf8_is_letter(0x1F600) && !alcore__utf8_is_letter(0x2014));
    ck_assert(alcore__utf8_is_space(' ') && alcore__utf8_is_space('\t') &&
              alcore__utf8_is_space(0xA0) && alcore__utf8_is_space(0x3000) &&
              alcore__utf8_is_space(0x2028) && alcore__utf8_is_space(0x85));
    ck_assert(!alcore__utf8_is_space('x') && !alcore__utf8_is_space(0x4E2D));
    static const int32_t unspaced[] = {0x4E2D, 0x3042, 0x30AB, 0x0E01,
                                       0x0E81, 0x1780, 0x1000, 0x20000};
    for (size_t i = 0; i < sizeof unspaced / sizeof *unspaced; i++)
        ck_assert(alcore__utf8_is_unspaced(unspaced[i]));
    static const int32_t spaced[] = {'a', 0xFC, 0x430, 0x5D0, 0x627, 0x905, 0xAC00, 0x10A0};
    for (size_t i = 0; i < sizeof spaced / sizeof *spaced; i++)
        ck_assert(!alcore__utf8_is_unspaced(spaced[i]));
}
END_TEST

START_TEST(normalises_for_dedup) {
    static const char *const rows[][2] = {
        {"Hello, World!", "helloworld"},
        {"Room 42 (B-7)", "room00b0"},
        {"STRASSE", "strasse"},
        {"Stra\xC3\x9F"
         "e",
         "strasse"},
        {"\xC3\x89t\xC3\xA9", "e\xCC\x81te\xCC\x81"},   /* composed */
        {"E\xCC\x81te\xCC\x81", "e\xCC\x81te\xCC\x81"}, /* decomposed */
        {"q\xCC\x87\xCC\xA3", "q\xCC\xA3\xCC\x87"},     /* marks in canonical order */
        {"q\xCC\xA3\xCC\x87", "q\xCC\xA3\xCC\x87"},
        {"\xD9\xA1\xD9\xA2", "00"}, /* Arabic digits */
        {"\xC2\xAB"
         "a\xC2\xBB\xE3\x80\x82\xE2\x80\xA8",
         "a"}, /* quotes, full stop, line separator */
        {"c++ $5", "c++$0"},
        {" \t\r\n", ""},
        {"a\xFF"
         "b",
         "a\xEF\xBF\xBD"
         "b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        alcore__buffer out = {0};
        ck_works(alcore__utf8_normalize(host.ctx, rows[i][0], strlen(rows[i][0]), &out));
        ck_assert_str_eq(out.data ? out.data : "", rows[i][1]);
        alcore__buffer_clear(host.ctx, &out);
    }
    char marks[1 + 2 * 500]; /* more marks than are kept waiting */
    marks[0] = 'a';
    for (size_t i = 0; i < 500; i++) memcpy(marks + 1 + 2 * i, "\xCC\x81", 2);
    alcore__buffer out = {0};
    ck_works(alcore__utf8_normalize(host.ctx, marks, sizeof marks, &out));
    ck_assert_uint_eq(out.length, sizeof marks);
    alcore__buffer_clear(host.ctx, &out);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {names_the_first_malformed_byte,
                                  agrees_with_itself_on_every_code_point, knows_characters,
                                  normalises_for_dedup};
    memory_host_open(&host);
    int failed = run_case("utf8", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
