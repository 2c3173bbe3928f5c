/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a JSON file one after the other: lists, lines, lists within an object; where they
 * begin, what is malformed, and the memory that it takes. */
#include "check_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_status.h"
#include "formats/json_stream.h"
#include "memory_host.h"

static memory_host host;

static void setup(void) {
    memory_host_open(&host);
}

static void teardown(void) {
    ck_assert_uint_eq(memory_host_close(&host), 0);
}

/* All values of a text, "LINE:VALUE" with a space behind each, and the error that ends it. */
static const char *values_of(const char *text, const char *member) {
    static char out[1024];
    alcore__json_stream values;
    char *value = out;
    size_t length, used = 0;
    memory_host_file(&host, text, strlen(text));
    ck_assert_ok(alcore__enter(host.ctx));
    alcore_status status = alcore__json_stream_open(&values, host.ctx, "f.json", member);
    out[0] = '\0';
    while (status == ALCORE_OK && value) {
        status = alcore__json_stream_next(&values, &value, &length);
        if (status == ALCORE_OK && value)
            used += (size_t)snprintf(out + used, sizeof out - used, "%lld:%.*s ",
                                     (long long)values.line, (int)length, value);
    }
    if (status != ALCORE_OK) {
        ck_assert_int_eq(status, ALCORE_E_DATA);
        snprintf(out + used, sizeof out - used, "%s", alcore_last_error());
    }
    alcore__json_stream_close(&values);
    alcore__leave(host.ctx, status);
    return out;
}

START_TEST(test_lists) {
    ck_assert_str_eq(values_of("[1, \"a\\\"],\" ,{\"b\":[{}]}\n,\n[null]\n]\n", NULL),
                     "1:1 1:\"a\\\"],\" 1:{\"b\":[{}]} 3:[null] ");
    ck_assert_str_eq(values_of("\xEF\xBB\xBF [\n]", NULL), "");
    ck_assert_str_eq(values_of("[{} {}]", NULL), "1:{} f.json:1: a comma or ] is expected");
    ck_assert_str_eq(values_of("[{},\n]", NULL), "1:{} f.json:2: a value is expected");
    ck_assert_str_eq(values_of("[,{}]", NULL), "f.json:1: a value is expected");
    ck_assert_str_eq(values_of("[{}", NULL), "1:{} f.json:1: a comma or ] is expected");
    ck_assert_str_eq(values_of("[{},", NULL), "1:{} f.json:1: the list does not end");
    ck_assert_str_eq(values_of("[\n{\"a\":\n[", NULL),
                     "f.json:2: the file ends within what begins here");
    ck_assert_str_eq(values_of("[\"a", NULL), "f.json:1: the file ends within what begins here");
    ck_assert_str_eq(values_of("[]\n\nx", NULL), "f.json:3: something follows it");
    ck_assert_str_eq(values_of("[1}2]", NULL), "1:1 f.json:1: a comma or ] is expected");
    ck_assert_str_eq(values_of("\xFF\xFE[", NULL),
                     "f.json is UTF-16LE text: convert it with iconv -f UTF-16LE -t UTF-8");
    ck_assert_str_eq(values_of("PK\3\4\24", NULL),
                     "f.json:1: JSON is expected, a list or an object in each line; the file is a "
                     "zip archive (also .xlsx, .docx, .odt)");
    ck_assert_str_eq(values_of("<?xml version=\"1.0\"?>\n<a/>", "data"),
                     "f.json:1: a JSON object is expected; the file is XML");
    ck_assert_str_eq(values_of("id,text", NULL),
                     "f.json:1: JSON is expected, a list or an object in each line");
}
END_TEST

/* A line is a value, whatever is in it: one that is cut spoils no other. */
START_TEST(test_lines) {
    ck_assert_str_eq(values_of("\n{\"a\":1}\n\n  {\"b\":\n{\"c\":2}", NULL),
                     "2:{\"a\":1} 4:{\"b\": 5:{\"c\":2} ");
    ck_assert_str_eq(values_of("", NULL), "");
    ck_assert_str_eq(values_of(" \n\n", NULL), "");
}
END_TEST

START_TEST(test_members) {
    ck_assert_str_eq(values_of("{\"v\":\"]\",\"w\":[[]],\n\"data\":[{},\n{}],\"x\":{}}\n", "data"),
                     "2:{} 3:{} ");
    ck_assert_str_eq(values_of("{\"data\":[]}", "data"), "");
    ck_assert_str_eq(values_of("{}", "data"), "f.json:1: the object has no list \"data\"");
    ck_assert_str_eq(values_of("{\"data\":{}}", "data"),
                     "f.json:1: the object has no list \"data\"");
    ck_assert_str_eq(values_of("[]", "data"), "f.json:1: a JSON object is expected");
    ck_assert_str_eq(values_of("", "data"),
                     "f.json:1: the file is empty; a JSON object is expected");
    ck_assert_str_eq(values_of("{\"data\":[{}]", "data"),
                     "1:{} f.json:1: a comma or } is expected");
    ck_assert_str_eq(values_of("{\"data\" 1}", "data"), "f.json:1: a colon is expected");
    ck_assert_str_eq(values_of("{\"a\":,}", "data"), "f.json:1: a value is expected");
    ck_assert_str_eq(values_of("{a:1}", "data"), "f.json:1: a key in quotes is expected");
}
END_TEST

/* A list of many values takes the memory of one; a value that does not fit in the buffer is whole.
 */
START_TEST(test_memory) {
    enum { MANY = 200000, LARGE = 3 << 20 };
    static const char one[] = "{\"text\":\"0123456789\"},";
    char *text = malloc(MANY * sizeof one + LARGE + 64), *value, *end = text;
    alcore__json_stream values;
    size_t length = 0;
    int64_t count = 0;
    *end++ = '[';
    for (int i = 0; i < MANY; i++) memcpy(end, one, sizeof one - 1), end += sizeof one - 1;
    memory_host_file(&host, text, (size_t)(end - text));
    ck_assert_ok(alcore__enter(host.ctx));
    const size_t before = host.live;
    host.peak = before;
    ck_assert_ok(alcore__json_stream_open(&values, host.ctx, "f.json", NULL));
    while (count < MANY) {
        ck_assert_ok(alcore__json_stream_next(&values, &value, &length));
        ck_assert_uint_eq(length, sizeof one - 2);
        count++;
    }
    ck_assert_uint_lt(host.peak - before, (size_t)1 << 20);
    alcore__json_stream_close(&values);
    end = text;
    *end++ = '[', *end++ = '"';
    memset(end, 'x', LARGE), end += LARGE;
    *end++ = '"', *end++ = ']';
    memory_host_file(&host, text, (size_t)(end - text));
    ck_assert_ok(alcore__json_stream_open(&values, host.ctx, "f.json", NULL));
    ck_assert_ok(alcore__json_stream_next(&values, &value, &length));
    ck_assert_uint_eq(length, LARGE + 2);
    alcore__json_stream_close(&values);
    ck_assert_ok(alcore__json_stream_open(&values, host.ctx, "f.json", NULL));
    values.max_bytes = LARGE / 2;
    ck_assert_fails(alcore__json_stream_next(&values, &value, &length), ALCORE_E_DATA,
                    "f.json:1: a value of more than 1572864 bytes begins here");
    alcore__json_stream_close(&values);
    alcore__leave(host.ctx, ALCORE_OK);
    free(text);
}
END_TEST

CHECK_SUITE_WITH("json_stream", setup, teardown, test_lists, test_lines, test_members, test_memory);
