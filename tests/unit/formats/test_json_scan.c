/* SPDX-License-Identifier: Apache-2.0 */
/* Walking twice over a JSON text: what was skipped is read later. */
#include "check_suite.h"
#include <string.h>

#include "formats/json_scan.h"

/* A value that is skipped keeps its escapes, also in keys and inside containers, so that a copy of
 * the cursor reads it afterwards. */
START_TEST(a_skipped_value_can_be_read_later) {
    char text[] =
        "{\"a\\n\": [\"x\\u00e9\\\"y\", {\"k\\t\": \"\\ud83d\\ude00\"}, 1.5, null], \"b\": true}";
    char before[sizeof text], *key, *value;
    size_t length;
    memcpy(before, text, sizeof text);
    alcore__json json;
    alcore__json_begin(&json, text, strlen(text), 8);
    ck_assert(alcore__json_enter(&json, '{') && alcore__json_key(&json, &key, &length));
    ck_assert_uint_eq(length, 2);
    ck_assert_mem_eq(key, "a\n", 2);
    alcore__json later = json;
    ck_assert(alcore__json_skip(&json));
    ck_assert_mem_eq(text + 7, before + 7, sizeof text - 7);
    ck_assert(alcore__json_key(&json, &key, &length) && alcore__json_skip(&json));
    ck_assert(!alcore__json_key(&json, &key, &length) && alcore__json_end(&json));
    ck_assert(alcore__json_enter(&later, '[') && alcore__json_item(&later));
    ck_assert(alcore__json_string(&later, &value, &length));
    ck_assert_uint_eq(length, 5);
    ck_assert_mem_eq(value, "x\xC3\xA9\"y", 5);
    ck_assert(alcore__json_item(&later) && alcore__json_enter(&later, '{'));
    ck_assert(alcore__json_key(&later, &key, &length));
    ck_assert_mem_eq(key, "k\t", 2);
    ck_assert(alcore__json_string(&later, &value, &length));
    ck_assert_uint_eq(length, 4);
    ck_assert_mem_eq(value, "\xF0\x9F\x98\x80", 4);
}
END_TEST

/* What is wrong in a string is found by skipping as well as by reading. */
START_TEST(skipping_finds_what_is_wrong) {
    static const char *const bad[] = {"\"abc",       "\"\\x\"",  "\"\\u12\"", "\"\\ud800\"",
                                      "\"\\u0000\"", "\"a\nb\"", "{1:2}",     "{\"a\" 2}",
                                      "{\"a\":}",    "[1 2]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        size_t length = strlen(bad[i]);
        memcpy(text, bad[i], length);
        alcore__json json;
        alcore__json_begin(&json, text, length, 8);
        ck_assert_msg(!alcore__json_skip(&json) && json.error, "%s is skipped", bad[i]);
    }
}
END_TEST

/* A member is found wherever it stands, and nothing is changed by the search. */
START_TEST(members_are_found) {
    char text[] = "{\"a\": [\"\\u0041\", 1], \"type\": \"t\\n\", \"b\": {\"c\": 2}}",
         before[sizeof text];
    memcpy(before, text, sizeof text);
    alcore__json json, found;
    char *value;
    const char *key;
    size_t length;
    alcore__json_begin(&json, text, strlen(text), 8);
    ck_assert(alcore__json_find(&json, "b", &found) && alcore__json_kind(&found) == '{');
    ck_assert(alcore__json_find(&found, "c", &found) && alcore__json_kind(&found) == '0');
    ck_assert(!alcore__json_find(&json, "c", &found) && !found.error);
    ck_assert(!alcore__json_find(&json, "typ", &found));
    ck_assert_mem_eq(text, before, sizeof text);
    ck_assert(alcore__json_enter(&json, '{') && alcore__json_skip_key(&json, &key, &length));
    ck_assert_uint_eq(length, 1);
    ck_assert(key[0] == 'a' && alcore__json_skip(&json));
    ck_assert(alcore__json_skip_key(&json, &key, &length));
    ck_assert(alcore__json_string(&json, &value, &length));
    ck_assert_uint_eq(length, 2);
    ck_assert_mem_eq(value, "t\n", 2);
}
END_TEST

CHECK_SUITE("json_scan", members_are_found, a_skipped_value_can_be_read_later,
            skipping_finds_what_is_wrong);
