/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation page: what the file holds, and what is read of the files that it saves. tests/page
 * opens it in a browser. */
#include "check_suite.h"

#include <jansson.h>
#include <math.h>

#include "tool_files.h"

#define OPTIONS(...) OPTIONS_WITH(alcore_tool_options, __VA_ARGS__)

static const char *const ids[] = {"s1", "</script>", "s3"};
static const char *const texts[] = {"a </script><script>alert(1)</script> b",
                                    "x\xE2\x80\xA8y\xE2\x80\xA9z \xE2\x82\xAC",
                                    "\xF0\x9F\x98\x80 \"Anna\" \\ <!-- &amp;"};
static const char *const some[] = {"one <b>", NULL, "three"};

/* The page of the three items; the text is valid until the next call. */
static const char *page_of(const alcore_tool_options *options) {
    alcore_tool_items items = tool_items(ids, texts, some, 3);
    const double scores[] = {0.5, (double)NAN, INFINITY};
    items.contexts = items.reasons = items.groups = some;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "page", in_folder("page.html"), &items, options));
    return file_text(tool_path);
}

/* What is asked in a page; the caller drops it. */
static json_t *asked_of(const char *page) {
    static const char opening[] = "<script type=\"application/json\" id=\"asked\">";
    const char *begin = strstr(page, opening);
    ck_assert_ptr_nonnull(begin);
    begin += strlen(opening);
    const char *end = strstr(begin, "</script>");
    ck_assert_ptr_nonnull(end);
    json_t *asked = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    ck_assert_ptr_nonnull(asked);
    return asked;
}

static const char *string_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "(none)";
}

/* ---- what is written ---- */

START_TEST(test_asked) {
    const char *const labels[] = {"</b>", "O"};
    json_t *asked =
        asked_of(page_of(OPTIONS(.batch = "a <b>", .source_language = "en", .target_language = "de",
                                 .labels = labels, .label_count = 2)));
    const json_t *items = json_object_get(asked, "items"), *first = json_array_get(items, 0);
    ck_assert_str_eq(string_of(asked, "schema"), "alcore-page-items-1");
    ck_assert_str_eq(string_of(asked, "batch"), "a <b>");
    ck_assert_str_eq(string_of(asked, "task"), "translation");
    ck_assert_str_eq(string_of(asked, "source"), "en");
    ck_assert_str_eq(string_of(asked, "target"), "de");
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(asked, "labels"), 0)),
                     "</b>");
    ck_assert_uint_eq(json_array_size(items), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(items, i);
        ck_assert_str_eq(string_of(item, "id"), ids[i]);
        ck_assert_str_eq(string_of(item, "text"), texts[i]);
        ck_assert_str_eq(string_of(item, "draft"), some[i] ? some[i] : "(none)");
        ck_assert_str_eq(string_of(item, "context"), some[i] ? some[i] : "(none)");
        ck_assert_ptr_null(json_object_get(item, "language"));
    }
    ck_assert_double_eq(json_real_value(json_object_get(first, "score")), 0.5);
    ck_assert_ptr_null(json_object_get(json_array_get(items, 1), "score")); /* NaN */
    ck_assert_ptr_null(json_object_get(json_array_get(items, 2), "score"));
    json_decref(asked);
}
END_TEST

/* Nothing of what is asked ends the element that it stands in, or is a line end of JavaScript. */
START_TEST(test_escapes) {
    char *page = strdup(page_of(OPTIONS(.batch = "</title><b>\"&'")));
    ck_assert_ptr_nonnull(page);
    const char *asked = strstr(page, "id=\"asked\">"), *end = strstr(asked, "</script>");
    ck_assert_ptr_nonnull(strstr(page, "<title>&lt;/title&gt;&lt;b&gt;&quot;&amp;&#39;</title>"));
    ck_assert_ptr_null(memchr(asked + 1, '<', (size_t)(end - asked - 1)));
    ck_assert_ptr_null(strstr(page, "\xE2\x80\xA8"));
    ck_assert_ptr_null(strstr(page, "\xE2\x80\xA9"));
    ck_assert_ptr_nonnull(strstr(asked, "a \\u003c/script>"));
    ck_assert_ptr_nonnull(strstr(asked, "x\\u2028y\\u2029z \xE2\x82\xAC"));
    free(page);
}
END_TEST

/* The same items make the same bytes, and what the browser keeps is told apart by the digest. */
START_TEST(test_digest) {
    char *first = strdup(page_of(NULL));
    ck_assert_str_eq(page_of(NULL), first);
    json_t *one = asked_of(first);
    const char *digest = string_of(one, "digest");
    ck_assert_uint_eq(strlen(digest), 32);
    const alcore_tool_options *const others[] = {
        OPTIONS(.batch = "b"), OPTIONS(.source_language = "en"), OPTIONS(.target_language = "en")};
    for (size_t i = 0; i < 3; i++) {
        json_t *other = asked_of(page_of(others[i]));
        ck_assert_str_ne(string_of(other, "digest"), digest);
        json_decref(other);
    }
    alcore_tool_items items = tool_items(ids, texts, NULL, 2);
    ck_assert_ok(alcore_tool_write(ctx, "page", in_folder("two.html"), &items, NULL));
    json_t *two = asked_of(file_text(tool_path));
    ck_assert_str_ne(string_of(two, "digest"), digest);
    json_decref(two);
    json_decref(one);
    free(first);
}
END_TEST

START_TEST(test_refused) {
    const char *const spaced[] = {"B PER"};
    const alcore_tool_items items = tool_items(ids, texts, NULL, 3);
    ck_assert_fails(
        alcore_tool_write(ctx, "page", in_folder("x.html"), &items,
                          OPTIONS(.task = ALCORE_TASK_TAGS, .labels = spaced, .label_count = 1)),
        ALCORE_E_PARAM, "the tag \"B PER\" has a space");
    ck_assert_fails(
        alcore_tool_write(ctx, "page", tool_path, &items, OPTIONS(.task = ALCORE_TASK_CLASSES)),
        ALCORE_E_PARAM, "needs labels");
    ck_assert_fails(alcore_tool_write(ctx, "page", "/dev/full", &items, NULL), ALCORE_E_IO,
                    "/dev/full");
    ck_assert_ptr_null(fopen(in_folder("x.html"), "rb"));
    const alcore_tool_items none = tool_items(NULL, NULL, NULL, 0);
    ck_assert_ok(alcore_tool_write(ctx, "page", tool_path, &none, NULL));
    json_t *asked = asked_of(file_text(tool_path));
    ck_assert_uint_eq(json_array_size(json_object_get(asked, "items")), 0);
    json_decref(asked);
}
END_TEST

/* ---- what is read ---- */

#define HEAD(task)                                                                                 \
    "{\"schema\":\"alcore-page-1\",\"batch\":\"b 1\",\"digest\":\"0\",\"task\":\"" task            \
    "\",\"answers\":["

/* The answers of a file to a task, as answers_of() has them. */
static const char *read_task(int32_t task, const char *text) {
    return answers_of_file("page", put("saved.json", text), OPTIONS(.task = task));
}

START_TEST(test_translations) {
    const char *saved =
        HEAD("translation") "\n"
                            "{\"id\":\"a\",\"text\":\"A\",\"status\":\"ok\",\"value\":\"x \\u00e4 "
                            "\\ud83d\\ude00\",\"time\":\"2026-11-29T10:00:00.000Z\","
                            "\"seconds\":12.5,\"annotator\":\"Ana\",\"comment\":\"sure\"},\n"
                            "{\"id\":\"b\",\"status\":\"draft\",\"value\":\"y\"},\n{\"id\":\"c\","
                            "\"status\":\"skip\",\"value\":\"z\",\"comment\":\"why\"},"
                            "{\"id\":\"d\",\"status\":\"reject\"},\n{\"id\":\"e\",\"status\":"
                            "\"untranslatable\"}\n],\"saved\":\"now\"}\n";
    ck_assert_str_eq(
        read_task(0, saved),
        "a ok x \xC3\xA4 \xF0\x9F\x98\x80\nb draft y\nc skip -\nd reject -\ne untranslatable -\n");
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    ck_assert_ok(alcore_tool_read(ctx, "page", tool_path, NULL, &answers));
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "b 1");
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.text, "A");
    ck_assert_str_eq(answer.annotator, "Ana");
    ck_assert_str_eq(answer.time, "2026-11-29T10:00:00.000Z");
    ck_assert_str_eq(answer.comment, "sure");
    ck_assert_double_eq(answer.seconds, 12.5);
    ck_assert_int_eq(answer.line, 2);
    ck_assert_ok(alcore_tool_answers_get(answers, 4, &answer));
    ck_assert_ptr_null(answer.annotator);
    ck_assert(isnan(answer.seconds));
    ck_assert_int_eq(answer.line, 5);
    alcore_tool_answers_unref(answers);
}
END_TEST

START_TEST(test_labels) {
    ck_assert_str_eq(
        read_task(ALCORE_TASK_CLASSES,
                  HEAD("classes") "{\"id\":\"a\",\"status\":\"ok\",\"value\":[\"pos\",\"neg\"]},"
                                  "{\"id\":\"b\",\"status\":\"ok\",\"value\":[]},"
                                  "{\"id\":\"c\",\"status\":\"skip\"}]}"),
        "a ok neg\tpos\nb ok \nc skip -\n");
    ck_assert_str_eq(
        read_task(
            ALCORE_TASK_TAGS,
            HEAD(
                "tags") "{\"id\":\"a\",\"text\":\"one "
                        "two\",\"status\":\"ok\",\"value\":[\"O\",\"B\"]},\n"
                        "{\"id\":\"b\",\"text\":\"one two\",\"status\":\"ok\",\"value\":[\"O\"]},\n"
                        "{\"id\":\"c\",\"text\":\"one "
                        "two\",\"status\":\"draft\",\"value\":[\"\",\"B\"]},\n"
                        "{\"id\":\"d\",\"text\":\"one two\",\"status\":\"ok\"},\n"
                        "{\"id\":\"e\",\"status\":\"ok\",\"value\":[\"O\"]},\n"
                        "{\"id\":\"f\",\"status\":\"draft\",\"value\":[\"\"]}]}"),
        "a ok O B\nc draft B\ne ok O\nFILE:2: item b: 1 tags for 2 words\nFILE:4: item d: 0 tags "
        "for 2 words\nFILE:6: item f: 0 tags for 0 words\n");
}
END_TEST

START_TEST(test_spans) {
    ck_assert_str_eq(
        read_task(
            ALCORE_TASK_SPANS,
            HEAD("spans") "{\"id\":\"a\",\"text\":\"\xF0\x9F\x98\x80 "
                          "Anna\",\"status\":\"ok\",\"value\":[[2,6,\"PER\"],[0,1,\"X\"]]},\n"
                          "{\"id\":\"b\",\"text\":\"bb\",\"status\":\"ok\",\"value\":[]},\n"
                          "{\"id\":\"c\",\"text\":\"cc\",\"status\":\"ok\",\"value\":[[0,3,\"PER\"]"
                          "]},\n"
                          "{\"id\":\"d\",\"text\":\"dd\",\"status\":\"ok\",\"value\":[[1,1,\"PER\"]"
                          "]},\n"
                          "{\"id\":\"e\",\"text\":\"ee\",\"status\":\"ok\",\"value\":[[0,1]]},\n"
                          "{\"id\":\"f\",\"text\":\"ff\",\"status\":\"ok\",\"value\":[7,[\"0\",1.5,"
                          "\"PER\"]]},\n"
                          "{\"id\":\"g\",\"text\":\"gg\",\"status\":\"ok\",\"value\":[[-1,1e99,"
                          "\"PER\",9]]}]}"),
        "a ok [[0,1,\"X\"],[2,6,\"PER\"]]\nb ok []\n"
        "FILE:3: item c: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "FILE:4: item d: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "FILE:5: item e: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "FILE:6: item f: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "FILE:7: item g: part 1 is beyond the text, cuts a character, is empty or has no label\n");
}
END_TEST

/* The answers of a file that a browser saved (tests/page/test_page_saved.py). */
static const char *saved_by_browser(int32_t task, const char *name) {
    char place[512];
    snprintf(place, sizeof place, TOOL_FILES "/page-%s.back.json", name);
    return answers_of_file("page", place, OPTIONS(.task = task));
}

START_TEST(test_saved) {
    ck_assert_str_eq(saved_by_browser(ALCORE_TASK_TRANSLATION, "translation"),
                     "s:1 ok \xF0\x9F\x98\x80 Anna Li wohnt in \xE2\x80\x9EParis\"\ns:2 skip -\n"
                     "s:3 ok \xF0\x9D\x95\x8F\xF0\x9D\x95\x8F Cologne\nam Rhein\n"
                     "s:4 draft nicht fertig\n");
    ck_assert_str_eq(saved_by_browser(ALCORE_TASK_CLASSES, "classes"),
                     "s:1 ok LOC & \"GPE\"\tPER\ns:2 skip -\ns:3 ok LOC & \"GPE\"\tPER\n"
                     "s:4 draft PER\n");
    ck_assert_str_eq(saved_by_browser(ALCORE_TASK_SPANS, "spans"),
                     "s:1 ok [[2,9,\"PER\"],[19,24,\"LOC\"]]\ns:2 skip -\n"
                     "s:3 ok [[0,2,\"PER\"]]\ns:4 ok []\n");
    ck_assert_str_eq(saved_by_browser(ALCORE_TASK_TAGS, "tags"),
                     "s:1 ok O PER PER O O LOC\ns:2 skip -\ns:3 ok O LOC\ns:4 draft O\n");
}
END_TEST

/* A record that cannot be used spoils no other. */
START_TEST(test_unusable) {
    ck_assert_str_eq(
        read_task(
            0, HEAD("translation") "\n7,\n{},\n{\"id\":\"a\"},\n{\"id\":\"b\",\"status\":\"fine\","
                                   "\"value\":\"x\"},\n"
                                   "{\"id\":\"c\",\"status\":\"ok\",\"value\":\" "
                                   "\"},\n{\"id\":\"d\",\"status\":\"ok\",\"value\":\"\\ud83d\"},\n"
                                   "{\"id\":\"e\",\"status\":\"ok\",\"value\":[\"x\"]},\n{\"id\":"
                                   "\"f\",\"status\":\"ok\",\"value\":\"\xFF\"},\n"
                                   "{\"id\":\"g\",\"status\":\"ok\",\"value\":\"good\"}\n]}"),
        "g ok good\nFILE:2: the record is no object\nFILE:3: the answer has no id\n"
        "FILE:4: item a: the status null is not known\nFILE:5: item b: the status fine is not "
        "known\n"
        "FILE:6: item c: it is said to be answered, and has no translation\n"
        "FILE:7: byte 36 of the record: half of a surrogate pair\n"
        "FILE:8: item e: it is said to be answered, and has no translation\n"
        "FILE:9: byte 34 of the record is not UTF-8\n");
}
END_TEST

START_TEST(test_not_the_form) {
    ck_assert_str_eq(error_of("page", "x.html", "<!DOCTYPE html>"),
                     "ALCORE_E_DATA FILE is a page, which has no answers: they are in the file "
                     "that its button Save makes");
    ck_assert_str_eq(error_of("page", "x.json", ""),
                     "ALCORE_E_DATA FILE:1: the file is empty; a JSON object is expected");
    ck_assert_str_eq(error_of("page", "x.json", "[]"),
                     "ALCORE_E_DATA FILE:1: a JSON object is expected");
    ck_assert_str_eq(error_of("page", "x.json", "{\"answers\":[]}"),
                     "ALCORE_E_DATA FILE: the schema is not alcore-page-1");
    ck_assert_str_eq(error_of("page", "x.json", "{\"schema\":\"x\",\"answers\":[]}"),
                     "ALCORE_E_DATA FILE: the schema is not alcore-page-1");
    ck_assert_str_eq(
        error_of("page", "x.json", "{\"schema\":\"alcore-page-2\",\"answers\":[]}"),
        "ALCORE_E_UNSUPPORTED FILE: the schema is alcore-page-2, and alcore-page-1 is read");
    ck_assert_str_eq(error_of("page", "x.json", "{\"schema\":\"alcore-page-1\"}"),
                     "ALCORE_E_DATA FILE:1: the object has no list \"answers\"");
    ck_assert_str_eq(error_of("page", "x.json", HEAD("spans") "]}"),
                     "ALCORE_E_PARAM FILE has answers to the task spans, not translation");
    ck_assert_str_eq(error_of("page", "x.json", HEAD("translation") "\n{\"id\":\"a\""),
                     "ALCORE_E_DATA FILE:2: the file ends within what begins here");
    ck_assert_str_eq(error_of("page", "x.json",
                              "{\"schema\":\"alcore-page-1\",\"batch\":\"\\x\",\"answers\":[]}"),
                     "ALCORE_E_DATA FILE:1: the member \"batch\" is malformed");
    ck_assert_str_eq(answers_of("page", "x.json", "{\"answers\":[],\"schema\":\"alcore-page-1\"}"),
                     "");
}
END_TEST

CHECK_SUITE_WITH("tool page", tool_setup, tool_teardown, test_asked, test_escapes, test_digest,
                 test_refused, test_translations, test_labels, test_spans, test_saved,
                 test_unusable, test_not_the_form);
