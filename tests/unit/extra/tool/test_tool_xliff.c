/* SPDX-License-Identifier: Apache-2.0 */
/* XLIFF 1.2: what is written, what counts as an answer, and files that are none. */
#include "check_suite.h"

#include <math.h>

#include "tool_files.h"

#define HEAD                                                                                       \
    "<xliff version='1.2' xmlns='urn:oasis:names:tc:xliff:document:1.2'><file original='r3' "
#define BEGIN HEAD "source-language='en' target-language='de' datatype='plaintext'><body>\n"
#define END "</body></file></xliff>"
/* A unit of the source "a" with attributes and a target. */
#define UNIT(id, attributes, target)                                                               \
    "<trans-unit id='" id "' " attributes "><source>a</source>" target "</trans-unit>\n"

static const char *const ids[] = {"a&\"1", "b", "c"};
static const char *const texts[] = {"x < y & \"z\"", " two\nlines\r\t", "\xF0\x9F\x98\x80"};
static const char *const drafts[] = {NULL, "zwei", ""};
static const char *const groups[] = {"doc.txt", NULL, NULL};
static const char *const reasons[] = {"far from <all>", NULL, NULL};
static const char *const contexts[] = {NULL, "before", NULL};
static const char *const languages[] = {"en", "fr", "unknown"};
static const double scores[] = {0.25, (double)NAN, 1};

static const char *write_all(void) {
    alcore_tool_items items = tool_items(ids, texts, drafts, 3);
    items.groups = groups;
    items.reasons = reasons;
    items.contexts = contexts;
    items.languages = languages;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "xliff", in_folder("x.xlf"), &items,
                                   OPTIONS_WITH(alcore_tool_options, .source_language = "en",
                                                .target_language = "de", .batch = "round \"3\"")));
    return tool_path;
}

START_TEST(test_written) {
    ck_assert_str_eq(
        file_text(write_all()),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\">\n"
        "<file original=\"round &quot;3&quot;\" source-language=\"en\" target-language=\"de\" "
        "datatype=\"plaintext\">\n<body>\n"
        "<trans-unit id=\"a&amp;&quot;1\" xml:space=\"preserve\">\n"
        "<source>x &lt; y &amp; &quot;z&quot;</source>\n"
        "<target state=\"needs-translation\" state-qualifier=\"x-alcore\">x &lt; y &amp; "
        "&quot;z&quot;</target>\n"
        "<context-group purpose=\"location\"><context context-type=\"sourcefile\">doc.txt"
        "</context></context-group>\n"
        "<note from=\"alcore\">rank=1 score=0.25</note>\n"
        "<note from=\"alcore\">far from &lt;all&gt;</note>\n"
        "</trans-unit>\n"
        "<trans-unit id=\"b\" xml:space=\"preserve\">\n"
        "<source xml:lang=\"fr\"> two\nlines&#13;\t</source>\n"
        "<target state=\"needs-review-translation\" state-qualifier=\"leveraged-mt\">zwei"
        "</target>\n"
        "<note from=\"alcore\">rank=2</note>\n"
        "<note from=\"alcore\" annotates=\"source\">before</note>\n"
        "<alt-trans origin=\"alcore\"><target>zwei</target></alt-trans>\n"
        "</trans-unit>\n"
        "<trans-unit id=\"c\" xml:space=\"preserve\">\n"
        "<source>\xF0\x9F\x98\x80</source>\n"
        "<target state=\"needs-translation\" state-qualifier=\"x-alcore\">\xF0\x9F\x98\x80"
        "</target>\n"
        "<note from=\"alcore\">rank=3 score=1</note>\n"
        "</trans-unit>\n"
        "</body>\n</file>\n</xliff>\n");
}
END_TEST

/* What went out and comes back as it was has no answer: a draft is one, and copies are open. */
START_TEST(test_untouched) {
    alcore_tool_answers *answers;
    ck_assert_str_eq(answers_of_file("xliff", write_all(), NULL), "b draft zwei\n");
    ck_assert_ok(alcore_tool_read(ctx, "xliff", tool_path, NULL, &answers));
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "round \"3\"");
    alcore_tool_answers_unref(answers);
}
END_TEST

START_TEST(test_states) {
    const struct {
        const char *unit, *answer;
    } cases[] = {
        {UNIT("u", "", "<target state='translated'>b</target>"), "u ok b\n"},
        {UNIT("u", "", "<target state='final'>a</target>"), "u ok a\n"},
        {UNIT("u", "", "<target state='signed-off'>b</target>"), "u ok b\n"},
        {UNIT("u", "approved='no'", "<target state='translated'>b</target>"), "u ok b\n"},
        {UNIT("u", "approved='yes'", "<target>b</target>"), "u ok b\n"},
        {UNIT("u", "approved='yes'", "<target>a</target>"), "u ok a\n"},
        {UNIT("u", "approved='yes'", "<target state='needs-review-translation'>b</target>"),
         "u ok b\n"},
        {UNIT("u", "", "<target>b</target>"), "u ok b\n"},
        {UNIT("u", "", "<target>a</target>"), ""},
        {UNIT("u", "", "<target/>"), ""},
        {UNIT("u", "", ""), ""},
        {UNIT("u", "", "<target state='needs-translation'>b</target>"), "u draft b\n"},
        {UNIT("u", "", "<target state='needs-translation'>a</target>"), ""},
        {UNIT("u", "", "<target state='needs-adaptation'>b</target>"), "u draft b\n"},
        {UNIT("u", "", "<target state='new'>b</target>"), "u draft b\n"},
        {UNIT("u", "", "<target state='x-mine'>b</target>"), "u draft b\n"},
        {UNIT("u", "", "<target state='new'/>"), ""},
        /* OmegaT changes the target that we wrote, and neither state nor qualifier. */
        {UNIT("u", "", "<target state='needs-translation' state-qualifier='x-alcore'>b</target>"),
         "u ok b\n"},
        {UNIT("u", "",
              "<target state='needs-review-translation' state-qualifier='leveraged-mt'>b</target>"
              "<alt-trans origin='alcore'><target>c</target></alt-trans>"),
         "u ok b\n"},
        {UNIT("u", "",
              "<target state='needs-review-translation' state-qualifier='leveraged-mt'>c</target>"
              "<alt-trans origin='alcore'><target>c</target></alt-trans>"),
         "u draft c\n"},
        {UNIT("u", "",
              "<target state='needs-review-translation' state-qualifier='leveraged-mt'>b</target>"
              "<alt-trans origin='other'><target>c</target></alt-trans>"),
         "u draft b\n"},
        {UNIT("u", "",
              "<target state='translated'>b</target><alt-trans><source>x</source>"
              "<target state='final'>c</target></alt-trans>"),
         "u ok b\n"},
        {UNIT("u", "", "<target state='final'></target>"),
         "FILE:2: u is said to be translated, but its target is empty\n"},
        {UNIT("u", "approved='yes'", ""),
         "FILE:2: u is said to be translated, but its target is empty\n"},
        {"<trans-unit><source>a</source><target>b</target></trans-unit>",
         "FILE:2: the unit has no id\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_unit("xliff", BEGIN, cases[i].unit, END, cases[i].answer);
}
END_TEST

/* Text of inline elements and codes belongs to the target; notes of people are comments, and
 * elements of other namespaces are not ours. */
START_TEST(test_content) {
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    put("x.xlf", BEGIN
        "<group id='g'><trans-unit id='u'>\n<source>a <g id='1'>b</g></source>"
        "<seg-source><mrk mid='0' mtype='seg'>no</mrk></seg-source>"
        "<target state='final'>A <g id='1'>B<x id='2'/></g>&#x1F600; <ph id='3'>&lt;br/&gt;</ph>"
        "<bpt id='4'>{\\b <sub>no</sub></bpt><![CDATA[<]]></target><note "
        "from='alcore'>rank=1</note><note>first</note>"
        "<o:target xmlns:o='urn:other'>no</o:target><note from='translator'>second</note>"
        "</trans-unit></group><bin-unit id='v'><bin-source/></bin-unit>" END);
    ck_assert_ok(alcore_tool_read(ctx, "xliff", tool_path, NULL, &answers));
    ck_assert_int_eq(alcore_tool_answers_count(answers), 1);
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.text, "a b");
    ck_assert_str_eq(answer.value, "A B\xF0\x9F\x98\x80 <br/>{\\b no<");
    ck_assert_str_eq(answer.comment, "first\nsecond");
    ck_assert_int_eq(answer.line, 2);
    ck_assert(answer.seconds != answer.seconds);
    ck_assert_ptr_null(answer.annotator);
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "r3");
    alcore_tool_answers_unref(answers);
    /* Of the first version, without a namespace. */
    ck_assert_str_eq(answers_of("xliff", "x.xlf",
                                "<xliff version='1.1'><file><body>" UNIT(
                                    "u", "", "<target>b</target>") "</body></file></xliff>"),
                     "u ok b\n");
}
END_TEST

/* Codes hold or stand for markup of the text, which went out as plain text. */
START_TEST(test_codes) {
    static const char *const pairs[][2] = {
        {"<ph id='1'>&lt;b&gt;</ph>x<ph id='2'>&lt;/b&gt;</ph>", "<b>x</b>"},
        {"<bpt id='1'>&lt;b&gt;</bpt>x<ept id='1'>&lt;/b&gt;</ept>", "<b>x</b>"},
        {"<x id='1' equiv-text='{n}'/> y", "{n} y"},
        {"<ph id='1' equiv-text='no'>&lt;i&gt;</ph>y", "<i>y"},
        {"y<ph id='1' ctype='lb'/>z<x id='2' ctype='lb' equiv-text=' '/>", "y\nz "},
        {"<g id='1' equiv-text='no'>y</g><bx id='2'/>z<it id='3' pos='open'>[</it>", "yz["},
        {"<ph id='1' equiv-text='no'><sub>alt</sub></ph>", "alt"},
        {"<ph id='1' equiv-text='out'><sub><x id='2' equiv-text='in'/></sub></ph>", "out"},
        {"y <mrk mtype='term'>z</mrk>", "y z"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        alcore_tool_answers *answers;
        alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
        char text[1024];
        snprintf(text, sizeof text,
                 BEGIN "<trans-unit id='u'><source>%s</source><alt-trans><target>%s no</target>"
                       "</alt-trans><target state='final'>A %s</target></trans-unit>" END,
                 pairs[i][0], pairs[i][0], pairs[i][0]);
        put("x.xlf", text);
        ck_assert_ok(alcore_tool_read(ctx, "xliff", tool_path, NULL, &answers));
        ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
        ck_assert_str_eq(answer.text, pairs[i][1]);
        ck_assert_str_eq(answer.value + 2, pairs[i][1]);
        alcore_tool_answers_unref(answers);
    }
}
END_TEST

#define SEGMENT(id, text) "<mrk mid='" id "' mtype='seg'>" text "</mrk>"
#define SEGMENTED(attributes, target)                                                              \
    BEGIN "<trans-unit id='u'><source>One. Two.</source><seg-source>" SEGMENT(                     \
        "0", "One.") " " SEGMENT("1", "Two.") "</seg-source><target" attributes ">" target         \
                                              "</target></trans-unit>" END

/* A unit that a tool has cut into segments is done when all of them are. */
START_TEST(test_segments) {
    static const char *const cases[][2] = {
        {SEGMENTED("", SEGMENT("0", "Eins.") " " SEGMENT("1", "<g id='1'>Zwei</g>.")),
         "u ok Eins. Zwei.\n"},
        {SEGMENTED(" state='translated'", SEGMENT("0", "Eins.") " " SEGMENT("1", "Two.")),
         "u ok Eins. Two.\n"},
        {SEGMENTED("", SEGMENT("0", "Eins.") " " SEGMENT("1", "Two.")), "u draft Eins. Two.\n"},
        {SEGMENTED("", SEGMENT("0", "Eins.") " " SEGMENT("1", " ")), "u draft Eins.  \n"},
        {SEGMENTED("", SEGMENT("0", "Eins.")), "u draft Eins.\n"},
        {SEGMENTED("", SEGMENT("0", "<mrk mtype='term'>Eins</mrk>.") "<mrk mid='1' mtype='seg'/>"),
         "u draft Eins.\n"},
        {SEGMENTED("", "<mrk mid='0' mtype='seg'/><mrk mid='1' mtype='seg'/>"), ""},
        {SEGMENTED("", "Eins. Zwei."), "u ok Eins. Zwei.\n"},
        {BEGIN "<trans-unit id='u'><source>1. Zwei</source><seg-source>" SEGMENT("0", "1.")
             SEGMENT("1", " ") SEGMENT("2", "Zwei") "</seg-source><target>" SEGMENT("0", "1.")
                 SEGMENT("2", "Two") "</target></trans-unit>" END,
         "u ok 1.Two\n"},
        {BEGIN UNIT("u", "", "<target>" SEGMENT("0", "b") SEGMENT("1", "") "</target>") END,
         "u draft b\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(answers_of("xliff", "x.xlf", cases[i][0]), cases[i][1]);
    ck_assert_str_eq(
        answers_of("xliff", "x.xlf",
                   SEGMENTED(" state='final'", SEGMENT("0", "Eins.") SEGMENT("1", ""))),
        "FILE:2: u is said to be translated, but a segment of its target is empty\n");
}
END_TEST

/* A target within a segment, which no tool writes, ends the segment: another target has none. */
START_TEST(test_a_target_within_a_segment) {
    ck_assert_str_eq(answers_of("xliff", "x.xlf",
                                BEGIN UNIT("u", "",
                                           "<target>aa<mrk mtype='seg'>b<target>x</target>"
                                           "</mrk></target><target>cd<mrk/></target>") END),
                     "u ok cd\n");
}
END_TEST

START_TEST(test_wrong) {
    char deep[8192] = "", *at = deep;
    for (int i = 0; i < 300; i++) at += sprintf(at, "<xliff>");
    ck_assert_str_eq(error_of("xliff", "x.xlf", ""), "ALCORE_E_DATA FILE:1: the file is empty");
    ck_assert_str_eq(error_of("xliff", "x.xlf", "<xliff><file>\n<body"),
                     "ALCORE_E_DATA FILE:2: the file ends too early");
    ck_assert_str_eq(error_of("xliff", "x.xlf", "<po/>"),
                     "ALCORE_E_DATA FILE:1: the root is po, not xliff");
    ck_assert_str_eq(error_of("xliff", "x.xlf", "<xliff version='2.0'/>"),
                     "ALCORE_E_DATA FILE:1: it is XLIFF 2.0: read it with the tool xliff2");
    ck_assert_str_eq(error_of("xliff", "x.xlf", BEGIN "<trans-unit></group>"),
                     "ALCORE_E_DATA FILE:2: this is no well-formed XML: mismatched tag");
    ck_assert_str_eq(
        error_of("xliff", "x.xlf", BEGIN "\xFF" END),
        "ALCORE_E_DATA FILE:2: this is no well-formed XML: not well-formed (invalid token)");
    ck_assert_str_eq(
        error_of("xliff", "x.xlf", "<!DOCTYPE x [<!ENTITY a 'b'>]><xliff>&a;</xliff>"),
        "ALCORE_E_UNSUPPORTED FILE:1: the entity a is declared, which is not read: expand "
        "entities with xmllint first");
    ck_assert_str_eq(
        error_of("xliff", "x.xlf", "<!DOCTYPE xliff SYSTEM 'x.dtd'>\n<xliff>&uuml;</xliff>"),
        "ALCORE_E_DATA FILE:2: the entity &uuml; is declared nowhere in the file");
    ck_assert_str_eq(error_of("xliff", "x.xlf", deep),
                     "ALCORE_E_DATA FILE:1: elements are nested more than 256 deep");
}
END_TEST

/* A tag without an end is given up, and not read again with each piece of a huge file. */
START_TEST(test_endless_tag) {
    enum { BYTES = 3 << 20 };
    alcore_tool_answers *answers;
    char *file = malloc(BYTES);
    memset(file, 'a', BYTES);
    memcpy(file, "<xliff a='", 10);
    put_bytes("x.xlf", file, BYTES);
    free(file);
    ck_assert_fails(alcore_tool_read(ctx, "xliff", tool_path, NULL, &answers), ALCORE_E_DATA,
                    "what begins here has no end within 1048576 bytes");
}
END_TEST

START_TEST(test_not_xml) {
    static const char *const wrong[] = {"a\x01"}, *const id[] = {"i"}, *const fine[] = {"a"};
    static const char *const noncharacter[] = {"ab\xEF\xBF\xBE"};
    alcore_tool_items items = tool_items(id, wrong, NULL, 1);
    ck_assert_fails(alcore_tool_write(ctx, "xliff", in_folder("x.xlf"), &items, NULL),
                    ALCORE_E_DATA,
                    "item 1 (i): byte 2 of the text begins a character that XML cannot hold");
    items = tool_items(id, fine, noncharacter, 1);
    ck_assert_fails(alcore_tool_write(ctx, "xliff", in_folder("x.xlf"), &items, NULL),
                    ALCORE_E_DATA, "item 1: byte 3 of the draft");
    ck_assert_ptr_null(fopen(tool_path, "rb"));
}
END_TEST

CHECK_SUITE_WITH("XLIFF 1.2", tool_setup, tool_teardown, test_written, test_untouched, test_states,
                 test_content, test_codes, test_segments, test_a_target_within_a_segment,
                 test_wrong, test_endless_tag, test_not_xml);
