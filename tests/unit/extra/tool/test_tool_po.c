/* SPDX-License-Identifier: Apache-2.0 */
/* PO: what is written, what counts as an answer, escapes and layouts of other programs, and files
 * that are none. */
#include "check_suite.h"

#include <math.h>
#ifdef ALCORE_HAVE_ZLIB
#include <zlib.h>
#endif

#include "tool_files.h"

#define HEADER "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"

START_TEST(test_written) {
    static const char *const ids[] = {"a\"1", "b", "c"};
    static const char *const texts[] = {"one", "two\nlines\t\\\n", "\x01 \xF0\x9F\x98\x80\n"};
    static const char *const drafts[] = {NULL, "zwei", ""}, *const groups[] = {"d.txt", "a b",
                                                                               NULL};
    static const char *const reasons[] = {"far\nfrom", NULL, NULL};
    static const char *const contexts[] = {NULL, "before", NULL};
    static const double scores[] = {0.25, (double)NAN, 1}, costs[] = {3, 2, 1};
    alcore_tool_items items = tool_items(ids, texts, drafts, 3);
    items.groups = groups;
    items.reasons = reasons;
    items.contexts = contexts;
    items.scores = scores;
    items.costs = costs;
    ck_assert_ok(alcore_tool_write(ctx, "po", in_folder("x.po"), &items,
                                   OPTIONS_WITH(alcore_tool_options, .source_language = "en",
                                                .target_language = "pt-BR", .batch = "r \"3\"")));
    ck_assert_str_eq(file_text(tool_path),
                     "msgid \"\"\nmsgstr \"\"\n"
                     "\"Project-Id-Version: r \\\"3\\\"\\n\"\n"
                     "\"Language: pt-BR\\n\"\n"
                     "\"MIME-Version: 1.0\\n\"\n"
                     "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                     "\"Content-Transfer-Encoding: 8bit\\n\"\n"
                     "\"X-Source-Language: en\\n\"\n"
                     "\n#. rank=1 score=0.25 cost=3\n#. far\n#. from\n#: d.txt\n"
                     "msgctxt \"a\\\"1\"\nmsgid \"one\"\nmsgstr \"\"\n"
                     "\n#. rank=2 cost=2\n#. before\n#. a b\n#, fuzzy\n"
                     "msgctxt \"b\"\nmsgid \"\"\n\"two\\n\"\n\"lines\\t\\\\\\n\"\nmsgstr \"zwei\"\n"
                     "\n#. rank=3 score=1 cost=1\n"
                     "msgctxt \"c\"\nmsgid \"\\001 \xF0\x9F\x98\x80\\n\"\nmsgstr \"\"\n");
    ck_assert_str_eq(answers_of_file("po", in_folder("x.po"), NULL), "b draft zwei\n");
}
END_TEST

START_TEST(test_states) {
    ck_assert_str_eq(answers_of("po", "x.po",
                                HEADER
                                "\nmsgctxt \"a\"\nmsgid \"x\"\nmsgstr \"y\"\n"
                                "\nmsgctxt \"b\"\nmsgid \"x\"\nmsgstr \"x\"\n"
                                "\n#, c-format, fuzzy\nmsgctxt \"c\"\nmsgid \"x\"\nmsgstr \"y\"\n"
                                "\nmsgctxt \"d\"\nmsgid \"x\"\nmsgstr \"\"\n"
                                "\n#, fuzzy\nmsgctxt \"e\"\nmsgid \"x\"\nmsgstr \"\"\n"
                                "\n#, notfuzzy\nmsgctxt \"f\"\nmsgid \"x\"\nmsgstr \"y\"\n"
                                "\n#~ msgctxt \"g\"\n#~ msgid \"x\"\n#~ msgstr \"y\"\n"
                                "\nmsgid \"x\"\nmsgstr \"y\"\n"
                                "\nmsgctxt \"h\"\nmsgid \"x\"\nmsgid_plural \"xs\"\n"
                                "msgstr[0] \"y\"\nmsgstr[1] \"ys\"\n"
                                "\nmsgctxt \"\"\nmsgid \"x\"\nmsgstr \"y\"\n"),
                     "a ok y\nb ok x\nc draft y\nf ok y\n"
                     "FILE:36: the entry has no msgctxt, where the id is\n"
                     "FILE:40: h has plural forms, of which none is the answer\n"
                     "FILE:46: the unit has no id\n");
}
END_TEST

/* Long lines that are wrapped, entries without empty lines between, earlier texts, CR LF, a byte
 * order mark, blanks, and escapes of every kind. */
START_TEST(test_layouts) {
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    put("x.po",
        "\xEF\xBB\xBF#, fuzzy\r\nmsgid \"\"\r\nmsgstr \"\"\r\n\"Project-Id-Version: r3\\n\"\r\n"
        "\"Last-Translator: Ann <a@b>\\n\"\r\n"
        "\"Content-Type: text/plain; charset=utf-8\\n\"\r\n"
        "# first\r\n#\r\n# second\r\n#: a.c:1\r\n#| msgctxt \"old\"\r\n#| msgid \"old\"\r\n"
        "msgctxt \"\"\r\n\"a\"\r\n\"1\"\r\n"
        "  msgid\t\"o\"  \"ne\"\r\n");
    ck_assert_fails(alcore_tool_read(ctx, "po", tool_path, NULL, &answers), ALCORE_E_DATA,
                    "x.po:16: something stands behind the string");
    put("x.po",
        "\xEF\xBB\xBF#, fuzzy\r\nmsgid \"\"\r\nmsgstr \"\"\r\n\"Project-Id-Version: r3\\n\"\r\n"
        "\"Last-Translator: Ann <a@b>\\n\"\r\n"
        "\"Content-Type: text/plain; charset=utf-8\\n\"\r\n"
        "# first\r\n#\r\n# second\r\n#: a.c:1\r\n#| msgctxt \"old\"\r\n#| msgid \"old\"\r\n"
        "msgctxt \"\"\r\n\"a\"\r\n\"1\"\r\n"
        "  msgid\t\"o\"\r\n  \"ne\"  \r\n"
        "msgstr \"\\x41\\101\\t\\\"\\\\n\\r\"\r\n\"\\360\\237\\230\\200\"\r\n"
        "msgctxt \"b\"\r\nmsgid \"x\"\r\nmsgstr \"y\"\r\n#~ msgid \"z\"\r\n#~ msgstr \"z\"\r\n"
        "# of c\r\nmsgctxt \"c\"\r\nmsgid \"x\"\r\nmsgstr \"y\"");
    ck_assert_str_eq(answers_of_file("po", tool_path, NULL),
                     "a1 ok AA\t\"\\n\r\xF0\x9F\x98\x80\nb ok y\nc ok y\n");
    ck_assert_ok(alcore_tool_read(ctx, "po", tool_path, NULL, &answers));
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.text, "one");
    ck_assert_str_eq(answer.comment, "first\nsecond");
    ck_assert_str_eq(answer.annotator, "Ann <a@b>");
    ck_assert_int_eq(answer.line, 16);
    ck_assert_ok(alcore_tool_answers_get(answers, 2, &answer));
    ck_assert_str_eq(answer.comment, "of c");
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "r3");
    alcore_tool_answers_unref(answers);
}
END_TEST

START_TEST(test_wrong) {
    const struct {
        const char *text, *error;
    } cases[] = {
        {"", "ALCORE_E_DATA FILE has no entry: it is no PO"},
        {"# only\n", "ALCORE_E_DATA FILE has no entry: it is no PO"},
        {"id,text\n", "ALCORE_E_DATA FILE:1: this is no line of PO, or not in its place"},
        {"msgid \"x\"\nmsgid \"y\"\n",
         "ALCORE_E_DATA FILE:2: this is no line of PO, or not in its place"},
        {"msgstr \"x\"\n", "ALCORE_E_DATA FILE:1: this is no line of PO, or not in its place"},
        {"msgid \"x\"\n\n", "ALCORE_E_DATA FILE:2: the entry before this line has no msgstr"},
        {"msgid \"x\n", "ALCORE_E_DATA FILE:1: a quote is not closed"},
        {"msgid \"x\\\"\n", "ALCORE_E_DATA FILE:1: a quote is not closed"},
        {"msgid \"x\\\n", "ALCORE_E_DATA FILE:1: a backslash stands before what is no escape"},
        {"msgid \"\\q\"\n", "ALCORE_E_DATA FILE:1: a backslash stands before what is no escape"},
        {"msgid \"\\x\"\n", "ALCORE_E_DATA FILE:1: a backslash stands before what is no escape"},
        {"msgid \"\\0\"\n", "ALCORE_E_DATA FILE:1: a backslash stands before what is no escape"},
        {"msgid \"\\777\"\n", "ALCORE_E_DATA FILE:1: a backslash stands before what is no escape"},
        {"msgid x\n", "ALCORE_E_DATA FILE:1: a string in quotes is expected, behind a keyword"},
        {"msgid\n", "ALCORE_E_DATA FILE:1: a string in quotes is expected, behind a keyword"},
        {"\"x\"\n", "ALCORE_E_DATA FILE:1: a string in quotes is expected, behind a keyword"},
        {"msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n",
         "ALCORE_E_DATA FILE:2: the entries are in ISO-8859-1: convert the file with msgconv -t "
         "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(error_of("po", "x.po", cases[i].text), cases[i].error);
    alcore_tool_answers *answers;
    ck_assert_fails(
        alcore_tool_read(ctx, "po", put_bytes("x.po", "msgid \"\0\"\n", 10), NULL, &answers),
        ALCORE_E_DATA, "x.po:1: a NUL byte");
    ck_assert_str_eq(answers_of("po", "x.po", "msgctxt \"a\"\nmsgid \"x\"\nmsgstr \"\xFF\"\n"),
                     "FILE:2: the answer is not UTF-8\n");
}
END_TEST

/* The language of texts that all have the same one, unless the caller names another. */
START_TEST(test_languages) {
    static const char *const ids[] = {"a", "b"}, *const texts[] = {"x", "y"};
    static const char *const same[] = {"fr", "fr"}, *const two[] = {"fr", "it"};
    static const char *const unknown[] = {"unknown", "unknown"}, *const some[] = {"fr", NULL};
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    const struct {
        const char *const *languages;
        const char *given, *line;
    } cases[] = {
        {same, NULL, "X-Source-Language: fr\\n"},     {same, "de", "X-Source-Language: de\\n"},
        {two, NULL, "X-Source-Language: und\\n"},     {some, NULL, "X-Source-Language: und\\n"},
        {unknown, NULL, "X-Source-Language: und\\n"}, {NULL, NULL, "X-Source-Language: und\\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_tool_items items = tool_items(ids, texts, NULL, 2);
        items.languages = cases[i].languages;
        options.source_language = cases[i].given;
        ck_assert_ok(alcore_tool_write(ctx, "po", in_folder("x.po"), &items, &options));
        ck_assert_ptr_nonnull(strstr(file_text(tool_path), cases[i].line));
        ck_assert_ptr_nonnull(strstr(file_text(tool_path), "Language: und\\n"));
    }
}
END_TEST

/* In the order of the items, and whole: a text with a length may go on behind it. */
START_TEST(test_order) {
    static const char *const ids[] = {"z", "a", "m"}, *const texts[] = {"one|two", "x", "y"};
    static const char *const drafts[] = {"1", "2", "3"};
    const size_t lengths[] = {3, 1, 1};
    alcore_tool_items items = tool_items(ids, texts, drafts, 3);
    items.text_lengths = lengths;
    ck_assert_ok(alcore_tool_write(ctx, "po", in_folder("x.po"), &items, NULL));
    ck_assert_ptr_nonnull(strstr(file_text(tool_path), "msgid \"one\"\n"));
    ck_assert_ptr_nonnull(strstr(file_text(tool_path), "Project-Id-Version: alcore\\n"));
    ck_assert_str_eq(answers_of_file("po", in_folder("x.po"), NULL),
                     "z draft 1\na draft 2\nm draft 3\n");
}
END_TEST

#ifdef ALCORE_HAVE_ZLIB
START_TEST(test_compressed) {
    gzFile file = gzopen(in_folder("x.po.gz"), "wb");
    gzputs(file, "msgctxt \"a\"\nmsgid \"x\"\nmsgstr \"y\"\n");
    gzclose(file);
    ck_assert_str_eq(answers_of_file("po", in_folder("x.po.gz"), NULL), "a ok y\n");
}
END_TEST
#else
START_TEST(test_compressed) {
    alcore_tool_answers *answers;
    ck_assert_fails(alcore_tool_read(ctx, "po", put("x.po.gz", "x"), NULL, &answers),
                    ALCORE_E_UNSUPPORTED, "zlib");
}
END_TEST
#endif

CHECK_SUITE_WITH("PO", tool_setup, tool_teardown, test_written, test_states, test_layouts,
                 test_wrong, test_languages, test_order, test_compressed);
