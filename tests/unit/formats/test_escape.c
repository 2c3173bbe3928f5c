/* SPDX-License-Identifier: Apache-2.0 */
#include "format_test.h"
#include "formats/escape.h"

static memory_host host;
typedef alcore_status (*append)(alcore_ctx *, alcore__buffer *, const char *, size_t);

static void expect(append function, const char *text, size_t length, const char *expected) {
    alcore__buffer out = {0};
    ck_works(function(host.ctx, &out, text, length));
    ck_assert_str_eq(out.data ? out.data : "", expected);
    alcore__buffer_clear(host.ctx, &out);
}

START_TEST(tsv_there_and_back) {
    expect(alcore__tsv_append, "a\tb\nc\\n", 7, "a\\tb\\nc\\\\n");
    expect(alcore__tsv_append, "", 0, "");
    char text[] = "a\\tb\\nc\\\\n\\x\\";
    size_t length = alcore__tsv_unescape(text, strlen(text));
    ck_assert_uint_eq(length, 10);
    ck_assert_mem_eq(text, "a\tb\nc\\n\\x\\", 10);
    char all[256], copy[256];
    for (int i = 0; i < 256; i++) all[i] = (char)i;
    alcore__buffer out = {0};
    ck_works(alcore__tsv_append(host.ctx, &out, all, 256));
    ck_assert(!memchr(out.data, '\t', out.length) && !memchr(out.data, '\n', out.length));
    ck_assert_uint_eq(alcore__tsv_unescape(out.data, out.length), 256);
    memcpy(copy, out.data, 256);
    ck_assert_mem_eq(copy, all, 256);
    alcore__buffer_clear(host.ctx, &out);
}
END_TEST

START_TEST(csv_quotes_what_needs_it) {
    expect(alcore__csv_append, "plain", 5, "plain");
    expect(alcore__csv_append, "", 0, "");
    expect(alcore__csv_append, "a,b", 3, "\"a,b\"");
    expect(alcore__csv_append, "a\"b", 3, "\"a\"\"b\"");
    expect(alcore__csv_append, "a\r\nb", 4, "\"a\r\nb\"");
    expect(alcore__csv_append, " a", 2, "\" a\"");
}
END_TEST

START_TEST(json_strings) {
    expect(alcore__json_append, "a\"\\/\b\n\r\t\x1f\x7f", 10,
           "\"a\\\"\\\\/\\u0008\\n\\r\\t\\u001f\x7f\"");
    expect(alcore__json_append, "\0", 1, "\"\\u0000\"");
    expect(alcore__json_append, "\xC3\xA9\xFFz", 4, "\"\xC3\xA9\xEF\xBF\xBDz\"");
    expect(alcore__json_append, "", 0, "\"\"");
}
END_TEST

START_TEST(xml_contents) {
    expect(alcore__xml_append, "<a b='c'>&\"", 11, "&lt;a b=&#39;c&#39;&gt;&amp;&quot;");
    expect(alcore__xml_append, "a\tb\nc\rd\x01", 8, "a\tb\nc&#13;d\xEF\xBF\xBD");
    expect(alcore__xml_append, "\xEF\xBF\xBE\xC3", 4, "\xEF\xBF\xBD\xEF\xBF\xBD");
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {tsv_there_and_back, csv_quotes_what_needs_it, json_strings,
                                  xml_contents};
    memory_host_open(&host);
    int failed = run_case("escape", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
