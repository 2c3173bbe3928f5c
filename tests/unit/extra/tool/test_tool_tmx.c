/* SPDX-License-Identifier: Apache-2.0 */
/* TMX: what is written, which variant is the answer, and drafts. */
#include "check_suite.h"

#include <math.h>

#include "alcore/version.h"
#include "tool_files.h"

#define BEGIN "<!DOCTYPE tmx SYSTEM 'tmx14.dtd'>\n<tmx version='1.4'><header srclang='en'/><body>\n"
#define END "</body></tmx>"
#define TUV(language, text) "<tuv xml:lang='" language "'><seg>" text "</seg></tuv>"

START_TEST(test_written) {
    static const char *const ids[] = {"a&", "b"}, *const texts[] = {"x < y", "two"};
    static const char *const drafts[] = {"", "zwei"}, *const groups[] = {"d.txt", NULL};
    static const char *const reasons[] = {NULL, "far"}, *const contexts[] = {NULL, "before"};
    static const double scores[] = {0.25, (double)NAN};
    char expected[2048];
    alcore_tool_items items = tool_items(ids, texts, drafts, 2);
    items.groups = groups;
    items.reasons = reasons;
    items.contexts = contexts;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "tmx", in_folder("x.tmx"), &items,
                                   OPTIONS_WITH(alcore_tool_options, .source_language = "en",
                                                .target_language = "de", .batch = "r3")));
    snprintf(expected, sizeof expected,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
             "<tmx version=\"1.4\">\n"
             "<header creationtool=\"alcore\" creationtoolversion=\"%s\" segtype=\"sentence\" "
             "o-tmf=\"alcore\" adminlang=\"en\" srclang=\"en\" datatype=\"plaintext\">\n"
             "<prop type=\"x-alcore-batch\">r3</prop>\n</header>\n<body>\n"
             "<tu tuid=\"a&amp;\">\n<note>rank=1 score=0.25</note>\n"
             "<prop type=\"x-document\">d.txt</prop>\n"
             "<tuv xml:lang=\"en\"><seg>x &lt; y</seg></tuv>\n</tu>\n"
             "<tu tuid=\"b\">\n<note>rank=2</note>\n<note>far</note>\n<note>before</note>\n"
             "<prop type=\"x-alcore-draft\">zwei</prop>\n"
             "<tuv xml:lang=\"en\"><seg>two</seg></tuv>\n"
             "<tuv xml:lang=\"de\"><seg>zwei</seg></tuv>\n</tu>\n</body>\n</tmx>\n",
             alcore_version());
    ck_assert_str_eq(file_text(tool_path), expected);
    ck_assert_str_eq(answers_of_file("tmx", tool_path, NULL), "b draft zwei\n");
    alcore_tool_answers *answers;
    ck_assert_ok(alcore_tool_read(ctx, "tmx", tool_path, NULL, &answers));
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "r3");
    alcore_tool_answers_unref(answers);
}
END_TEST

/* Languages that nobody names are two all the same. */
START_TEST(test_unnamed) {
    static const char *const ids[] = {"a"}, *const texts[] = {"x"}, *const drafts[] = {"y"};
    alcore_tool_items items = tool_items(ids, texts, drafts, 1);
    ck_assert_ok(alcore_tool_write(ctx, "tmx", in_folder("x.tmx"), &items, NULL));
    ck_assert_str_eq(answers_of_file("tmx", tool_path, NULL), "a draft y\n");
}
END_TEST

static const char *answers_in(const char *units, const char *source, const char *target) {
    char file[2048];
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    options.source_language = source;
    options.target_language = target;
    snprintf(file, sizeof file, BEGIN "%s" END, units);
    return answers_of_file("tmx", put("x.tmx", file), &options);
}

START_TEST(test_variants) {
    const char *unit = "<tu tuid='a'>" TUV("en-US", "x") TUV("fr", "y") TUV("de-AT", "z") "</tu>";
    ck_assert_str_eq(answers_in(unit, NULL, NULL), "a ok y\n");
    ck_assert_str_eq(answers_in(unit, NULL, "de"), "a ok z\n");
    ck_assert_str_eq(answers_in(unit, NULL, "it"),
                     "FILE:3: a has a translation into fr, and none into it\n");
    ck_assert_str_eq(answers_in(unit, "de", "en"), "a ok x\n");
    ck_assert_str_eq(answers_in(unit, "de", NULL), "a ok x\n");
    ck_assert_str_eq(answers_in("<tu tuid='a' srclang='fr'>" TUV("en", "x")
                                    TUV("fr", "y") "</tu>"
                                                   "<tu tuid='b'>" TUV("en", "x")
                                                       TUV("fr", "y") "</tu>",
                                NULL, NULL),
                     "a ok x\nFILE:3: b has a translation into fr, and none into en\n");
    ck_assert_str_eq(
        answers_in("<tu tuid='a'>" TUV("en", "x") TUV("en-GB", "y") "</tu>", NULL, NULL), "");
    ck_assert_str_eq(answers_in("<tu tuid='a'>" TUV("en", "x") TUV("de", "x")
                                    TUV("de", "y") "</tu>",
                                NULL, NULL),
                     "a ok x\n");
    ck_assert_str_eq(
        answers_in("<tu>" TUV("en", "x")
                       TUV("de", "y") "</tu>"
                                      "<tu tuid='b'>" TUV("en", "x")
                                          TUV("de", "") "</tu>"
                                                        "<tu tuid='c'>" TUV("en", "x") "</tu>",
                   NULL, NULL),
        "FILE:3: the unit has no id\n");
    ck_assert_str_eq(answers_in("<tu tuid='a'><prop type='x-alcore-draft'>y</prop>" TUV("en", "x")
                                    TUV("de", "z") "</tu>",
                                NULL, NULL),
                     "a ok z\n");
}
END_TEST

/* The table of docs/formats.md, whose rows of memories are in test_tmx.c. */
START_TEST(test_languages) {
    static const struct {
        const char *units, *source, *target, *answers;
    } rows[] = {
        /* Case and "_" do not count, regions are variants, but not of each other. */
        {"<tu tuid='a'>" TUV("EN", "x") TUV("De_at", "z") "</tu>", NULL, "de-AT", "a ok z\n"},
        {"<tu tuid='a'>" TUV("EN", "x") TUV("De_at", "z") "</tu>", "en-GB", "DE", "a ok z\n"},
        {"<tu tuid='a'>" TUV("en", "x") TUV("de-CH", "z") "</tu>", NULL, "de-AT",
         "FILE:3: a has a translation into de-CH, and none into de-AT\n"},
        /* xml:lang goes before lang, which stands alone in TMX 1.1. */
        {"<tu tuid='a'><tuv lang='de' xml:lang='en'><seg>x</seg></tuv>"
         "<tuv xml:lang='de' lang='fr'><seg>y</seg></tuv></tu>",
         NULL, "de", "a ok y\n"},
        {"<tu tuid='a'><tuv lang='en'><seg>x</seg></tuv><tuv lang='de'><seg>y</seg></tuv></tu>",
         NULL, NULL, "a ok y\n"},
        /* Of several variants the best counts, wherever it stands, and the first of equal ones. */
        {"<tu tuid='a'>" TUV("en", "x") TUV("de-AT", "at") TUV("de", "de")
             TUV("de", "again") "</tu>",
         NULL, "de", "a ok de\n"},
        {"<tu tuid='a'>" TUV("en", "x") TUV("de", "de") TUV("de-AT", "at") "</tu>", NULL, "de-AT",
         "a ok at\n"},
        {"<tu tuid='a'>" TUV("en-US", "color") TUV("en-GB", "colour") "</tu>", "en", "en-GB",
         "a ok colour\n"},
        {"<tu tuid='a'>" TUV("en-GB", "colour") TUV("en-US", "color") "</tu>", "en", "en-GB",
         "a ok colour\n"},
        /* Without a name the target is the first other language of the file, for all units. */
        {"<tu tuid='a'>" TUV("en", "x") TUV("fr", "f") TUV("de", "d") "</tu><tu tuid='b'>" TUV(
             "de", "d") TUV("fr", "f2") "</tu><tu tuid='c'>" TUV("en", "x") TUV("de", "d") "</tu>",
         NULL, NULL, "a ok f\nb ok f2\nFILE:3: c has a translation into de, and none into fr\n"},
        /* A text without a language is nobody's, and one without <seg> is none. */
        {"<tu tuid='a'>" TUV("en", "x") "<tuv><seg>y</seg></tuv></tu>", NULL, "de",
         "FILE:3: a has a translation into no language by name, and none into de\n"},
        {"<tu tuid='a'>" TUV("en", "x") "<tuv><seg>y</seg></tuv>" TUV("de", "z") "</tu>", NULL,
         NULL, "a ok z\n"},
        {"<tu tuid='a'>" TUV("en", "x") "<tuv xml:lang='de'/>" TUV("de-AT", "z") "</tu>", NULL,
         "de", "a ok z\n"},
        /* srclang of the unit goes before that of the header, and a name before both. */
        {"<tu tuid='a' srclang='*ALL*'>" TUV("fr", "x") TUV("de", "y") "</tu>", "fr", NULL,
         "a ok y\n"},
        {"<tu tuid='a' srclang='de'>" TUV("fr", "x") TUV("de", "y") "</tu>", NULL, NULL,
         "a ok x\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(answers_in(rows[i].units, rows[i].source, rows[i].target),
                         rows[i].answers);
    ck_assert_str_eq(error_of("tmx", "x.tmx",
                              "<tmx><header srclang='*all*'/><body>\n<tu tuid='a'>" TUV("en", "x")
                                  TUV("fr", "y") "</tu></body></tmx>"),
                     "ALCORE_E_DATA FILE:2: the file does not say which language its sources are "
                     "in (srclang is *all*): source_language names it");
    ck_assert_str_eq(error_of("tmx", "x.tmx",
                              "<tmx><body><tu tuid='a'>" TUV("en", "x") "</tu>"
                                                                        "</body></tmx>"),
                     "ALCORE_E_DATA FILE:1: the file does not say which language its sources are "
                     "in: source_language names it");
}
END_TEST

/* Who and when, codes of inline elements, TMX 1.1. */
START_TEST(test_content) {
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    put("x.tmx", BEGIN
        "<tu tuid='a'><tuv lang='en' creationid='Eve'><prop type='x'>no</prop><seg>x</seg></tuv>"
        "<tuv lang='de' creationid='Ann' changeid='Bob' creationdate='20260101T000000Z'>"
        "<prop type='x-alcore-draft'>no</prop>"
        "<seg>A <hi>B</hi><bpt i='1'>{<sub>no</sub></bpt><ph/>C</seg></tuv></tu>" END);
    ck_assert_ok(alcore_tool_read(ctx, "tmx", tool_path, NULL, &answers));
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.text, "x");
    ck_assert_str_eq(answer.value, "A BC");
    ck_assert_str_eq(answer.annotator, "Bob");
    ck_assert_str_eq(answer.time, "20260101T000000Z");
    ck_assert_ptr_null(alcore_tool_answers_batch(answers));
    alcore_tool_answers_unref(answers);
    ck_assert_str_eq(error_of("tmx", "x.tmx", "<xliff/>"),
                     "ALCORE_E_DATA FILE:1: the root is xliff, not tmx");
}
END_TEST

CHECK_SUITE_WITH("TMX", tool_setup, tool_teardown, test_written, test_unnamed, test_variants,
                 test_languages, test_content);
