/* SPDX-License-Identifier: Apache-2.0 */
/* XLIFF 2.0: what is written, what counts as an answer, units that a tool has cut into segments. */
#include "check_suite.h"

#include <math.h>

#include "tool_files.h"

#define BEGIN                                                                                      \
    "<xliff version='2.0' xmlns='urn:oasis:names:tc:xliff:document:2.0' srcLang='en' "             \
    "trgLang='de'><file id='f' original='r3'>\n"
#define END "</file></xliff>"
#define SEGMENT(state, target) "<segment " state "><source>a</source>" target "</segment>"
#define UNIT(content) "<unit id='u1' name='u'>" content "</unit>\n"

START_TEST(test_written) {
    static const char *const ids[] = {"a b", "c"}, *const texts[] = {"x < y", "two"};
    static const char *const drafts[] = {NULL, "zwei"}, *const contexts[] = {"before", NULL};
    static const char *const reasons[] = {NULL, "far"}, *const groups[] = {NULL, "d.txt"};
    static const double scores[] = {0.25, (double)NAN};
    alcore_tool_items items = tool_items(ids, texts, drafts, 2);
    items.contexts = contexts;
    items.reasons = reasons;
    items.groups = groups;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "xliff2", in_folder("x.xlf"), &items,
                                   OPTIONS_WITH(alcore_tool_options, .source_language = "en",
                                                .target_language = "de", .batch = "r3")));
    ck_assert_str_eq(
        file_text(tool_path),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<xliff version=\"2.0\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" srcLang=\"en\" "
        "trgLang=\"de\">\n<file id=\"f1\" original=\"r3\">\n"
        "<unit id=\"u1\" name=\"a b\">\n<notes>\n"
        "<note category=\"alcore\">rank=1 score=0.25</note>\n"
        "<note category=\"alcore\" appliesTo=\"source\">before</note>\n</notes>\n"
        "<segment>\n<source xml:space=\"preserve\">x &lt; y</source>\n"
        "</segment>\n</unit>\n"
        "<unit id=\"u2\" name=\"c\">\n<notes>\n"
        "<note category=\"alcore\">rank=2</note>\n<note category=\"alcore\">far</note>\n"
        "<note category=\"alcore\">d.txt</note>\n"
        "<note category=\"alcore-draft\">zwei</note>\n</notes>\n"
        "<segment state=\"initial\" subState=\"alcore:draft\">\n<source "
        "xml:space=\"preserve\">two</source>\n"
        "<target xml:space=\"preserve\">zwei</target>\n</segment>\n</unit>\n"
        "</file>\n</xliff>\n");
    ck_assert_str_eq(answers_of_file("xliff2", tool_path, NULL), "c draft zwei\n");
}
END_TEST

START_TEST(test_states) {
    const struct {
        const char *unit, *answer;
    } cases[] = {
        {UNIT(SEGMENT("state='translated'", "<target>b</target>")), "u ok b\n"},
        {UNIT(SEGMENT("state='reviewed'", "<target>a</target>")), "u ok a\n"},
        {UNIT(SEGMENT("state='final'", "<target>b</target>")), "u ok b\n"},
        {UNIT(SEGMENT("state='initial'", "<target>b</target>")), "u draft b\n"},
        {UNIT(SEGMENT("state='initial'", "<target>a</target>")), ""},
        {UNIT(SEGMENT("state='initial'", "")), ""},
        {UNIT(SEGMENT("state='other'", "<target>b</target>")), "u draft b\n"},
        {UNIT(SEGMENT("", "<target>b</target>")), "u ok b\n"},
        {UNIT(SEGMENT("", "<target>a</target>")), ""},
        {UNIT(SEGMENT("", "")), ""},
        {UNIT(SEGMENT("state='final'", "")),
         "FILE:2: u is said to be translated, but its target is empty\n"},
        {UNIT(SEGMENT("state='final'",
                      "<target>b</target>") "<ignorable><source> </source>"
                                            "</ignorable>" SEGMENT("state='final'",
                                                                   "<target>c</target>")),
         "u ok b c\n"},
        {UNIT(SEGMENT("state='final'", "<target>b</target>")
                  SEGMENT("state='initial'", "<target>c</target>")),
         "u draft bc\n"},
        {UNIT(SEGMENT("state='initial'", "<target>b</target>")
                  SEGMENT("state='final'", "<target>c</target>")),
         "u draft bc\n"},
        {UNIT(SEGMENT("", "<target>b</target>") SEGMENT("state='final'", "<target>c</target>")),
         "u ok bc\n"},
        {UNIT(SEGMENT("state='final'", "<target>b</target>") SEGMENT("state='initial'", "")), ""},
        {UNIT("<notes><note category='alcore-draft'>b</note></notes>" SEGMENT(
             "state='initial' subState='alcore:draft'", "<target>c</target>")),
         "u ok c\n"},
        {UNIT("<notes><note category='alcore-draft'>b</note></notes>" SEGMENT(
             "state='initial' subState='alcore:draft'", "<target>b</target>")),
         "u draft b\n"},
        {UNIT("<notes><note category='alcore-draft'>b</note></notes>" SEGMENT(
             "state='initial' subState='x:mine'", "<target>c</target>")),
         "u draft c\n"},
        {"<unit id='v'>" SEGMENT("state='final'", "<target>b</target>") "</unit>", "v ok b\n"},
        {"<unit>" SEGMENT("state='final'", "<target>b</target>") "</unit>",
         "FILE:2: the unit has no id\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_unit("xliff2", BEGIN, cases[i].unit, END, cases[i].answer);
}
END_TEST

/* Inline elements, a prefix for all of XLIFF, elements of others, notes, and control characters. */
START_TEST(test_content) {
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    put("x.xlf",
        "<x:xliff version='2.1' xmlns:x='urn:oasis:names:tc:xliff:document:2.0' xmlns:m='urn:m'>\n"
        "<x:file original='r3'><x:unit id='u'><x:notes><x:note category='alcore'>rank=1</x:note>"
        "<x:note>first</x:note></x:notes><m:matches><m:match><x:source>no</x:source>"
        "<x:target>no</x:target></m:match></m:matches><x:originalData><x:data id='d'>no</x:data>"
        "</x:originalData><x:segment state='final'><x:source>a <x:pc id='1'>b</x:pc></x:source>"
        "<x:target>A <x:pc id='1'>B<x:ph id='2'/></x:pc><x:cp hex='001F'/><x:cp hex='zz'/>"
        "<m:target>C</m:target></x:target></x:segment></x:unit></x:file></x:xliff>");
    ck_assert_ok(alcore_tool_read(ctx, "xliff2", tool_path, NULL, &answers));
    ck_assert_int_eq(alcore_tool_answers_count(answers), 1);
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.text, "a b");
    ck_assert_str_eq(answer.value, "A B\x1F"
                                   "C");
    ck_assert_str_eq(answer.comment, "first");
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "r3");
    alcore_tool_answers_unref(answers);
    /* The batch is that of the first file. */
    for (int version = 1; version <= 2; version++) {
        char both[256];
        snprintf(
            both, sizeof both,
            "<xliff version='%d.0'><file original='r3'></file><file original='r4'></file></xliff>",
            version);
        put("x.xlf", both);
        ck_assert_ok(
            alcore_tool_read(ctx, version == 1 ? "xliff" : "xliff2", tool_path, NULL, &answers));
        ck_assert_str_eq(alcore_tool_answers_batch(answers), "r3");
        alcore_tool_answers_unref(answers);
    }
    ck_assert_str_eq(error_of("xliff2", "x.xlf", "<xliff version='1.2'/>"),
                     "ALCORE_E_DATA FILE:1: it is XLIFF 1.2: read it with the tool xliff");
    ck_assert_str_eq(
        error_of("xliff2", "x.xlf", "<tmx/>"),
        "ALCORE_E_DATA FILE:1: the root is tmx, not xliff; this is a batch of tmx, not of "
        "xliff2");
}
END_TEST

CHECK_SUITE_WITH("XLIFF 2.0", tool_setup, tool_teardown, test_written, test_states, test_content);
