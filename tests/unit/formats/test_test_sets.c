/* SPDX-License-Identifier: Apache-2.0 */
/* Test sets of WMT, IWSLT and NIST: the markup that their files have, and which side is read. The
 * files mirror published ones; their sentences are our own. */
#include <stdlib.h>

#include "records_test.h"

static memory_host host;

static alcore_status read_file(const char *path, const char *data,
                               const alcore_read_options *options, gathered *all) {
    memory_host_file(&host, data, strlen(data));
    host.warnings = 0;
    return alcore__read_records(host.ctx, path, options, 0, gather, all);
}

/* The options of a choice; each may be NULL. */
static alcore_read_options choose(const char *side, const char *translator, const char *system,
                                  const char *domain) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.side = side;
    options.translator = translator;
    options.system = system;
    options.domain = domain;
    return options;
}

static void expect_of(const char *data, alcore_read_options options, const char *records) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_file("a.xml", data, &options, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    alcore__buffer_clear(NULL, &all.text);
}

static void expect(const char *data, const char *records) {
    expect_of(data, choose(NULL, NULL, NULL, NULL), records);
}

static void refuse_of(const char *data, alcore_read_options options, alcore_status status,
                      const char *words) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_file("a.xml", data, &options, &all), status, words);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse(const char *data, const char *words) {
    refuse_of(data, choose(NULL, NULL, NULL, NULL), ALCORE_E_DATA, words);
}

/* SGML as WMT published it up to 2019: one side a file. */
START_TEST(segments_of_wmt) {
    expect("<srcset setid=\"newstest\" srclang=\"any\">\n"
           "<doc sysid=\"ref\" docid=\"abc.1\" genre=\"news\">\n<p>\n"
           "<seg id=\"1\">Ein Haus &amp; mehr</seg>\n"
           "<seg id=\"2\"> zwei &lt;b&gt; AT&T &#228;&#xE4; &nbsp; &#x;</seg>\n</p>\n</doc>\n"
           "<DOC DOCID='d 2'>\n<hl><SEG ID=1></SEG></hl>\n</DOC>\n</srcset>\n",
           "Ein Haus & mehr|abc.1:1|-|-|abc.1|-|4\n"
           "zwei <b> AT&T \xC3\xA4\xC3\xA4 &nbsp; &#x;|abc.1:2|-|-|abc.1|-|5\n"
           "|d 2:1|-|-|d 2|-|9\n");
    expect("<refset setid=\"newstest\" srclang=\"any\" trglang=\"de\">\n"
           "<doc sysid=\"ref\" docid=\"a\">\n<seg id=\"1\">eins</seg>\n</doc>\n</refset>\n",
           "eins|a:1|-|de|a|-|3\n");
    expect("<seg id=\"1\">&#0; &#xD800; &#x110000; &#99999999999; &#x6; &#6x; &amp &</seg>",
           "&#0; &#xD800; &#x110000; &#99999999999; \x06 &#6x; &amp &|1|-|-|-|-|1\n");
    /* Documents without a name: the ids of their segments may repeat. */
    expect("<doc><seg id=\"1\">a</seg></doc><doc><seg id=\"1\">b</seg></doc>",
           "a|-|-|-|-|-|1\nb|-|-|-|-|-|1\n");
}
END_TEST

/* XML of IWSLT: several segments a line or one over lines, titles, comments, CDATA. */
START_TEST(markup_of_xml) {
    expect("<?xml version='1.0' encoding='UTF-8'?>\n"
           "<!DOCTYPE mteval SYSTEM \"mteval-xml-v1.3.dtd\" [\n<!ELEMENT mteval ANY>\n]>\n"
           "<mteval>\n<srcset setid='tst' srclang='English'>\n"
           "<doc docid='7' genre='lectures'>\n<url>http://example.org/<b></url>\n"
           "<title>It's <seg-like> & more</title>\n"
           "<!-- <seg id='0'>not\n this</seg> --><seg id='1'> one </seg> <seg id=\"2\">two</seg>\n"
           "<seg\n  id='3'\n>three\n   and  more \n\n</seg><seg id='4'/>\n"
           "<seg id='5'><![CDATA[ a < b &amp; \n c]]> &amp; <!-- x -->d</seg>\n"
           "<poster id='p'><hl>\n<seg id='6'>5 < 6 and a<b</seg>\n</hl></poster>\n"
           "</doc>\n</srcset>\n</mteval>\n",
           "one|7:1|-|English|7|-|11\ntwo|7:2|-|English|7|-|11\n"
           "three and  more|7:3|-|English|7|-|12\n|7:4|-|English|7|-|17\n"
           "a < b &amp; c & d|7:5|-|English|7|-|18\n5 < 6 and a<b|7:6|-|English|7|-|21\n");
    expect("<seg id=\"1\">a <b>bold</b> c<br/></seg>", "a <b>bold</b> c<br/>|1|-|-|-|-|1\n");
    ck_assert_int_eq(host.warnings, 1); /* tags stay text */
    expect("<seg id=\"1\"><![CDATA[<b>x</b>]]> 3<4 a<b</seg>", "<b>x</b> 3<4 a<b|1|-|-|-|-|1\n");
    ck_assert_int_eq(host.warnings, 0);
    expect("<doc docid='a&amp;b'><seg id='1'>\n  \n</seg></doc>", "|a&b:1|-|-|a&b|-|1\n");
}
END_TEST

START_TEST(what_markup_is_refused) {
    refuse("\n<seg id=\"1\">one\ntwo\n", "a.xml:2: the <seg> that begins here has no end");
    refuse("\n<seg id=\"1\"", "a.xml:2: the tag that begins here has no end");
    refuse("<seg id=\"1\">a</seg>\n<!-- x", "a.xml:2: the comment that begins here has no end");
    refuse("<doc><seg id=\"1\">a\n</doc>", "a.xml:2: </doc> before the end of the <seg> of line 1");
    refuse("<seg id=\"1\">a\n<seg id=\"2\">b</seg>",
           "a.xml:2: <seg id=\"2\"> before the end of the <seg> of line 1");
    refuse("<tuv><seg>one</seg></tuv>\n", "a.xml:1: a <seg> without an id");
    refuse("<?xml version=\"1.0\"?>\n<html/>\n", "a.xml has no <seg id=\"...\">");
    refuse("", "a.xml has no <seg id=\"...\">");
    refuse_of("<?xml version='1.0' encoding='ISO-8859-1'?>\n<seg id='1'>a</seg>\n",
              choose(NULL, NULL, NULL, NULL), ALCORE_E_UNSUPPORTED,
              "encoding is ISO-8859-1: convert it with iconv -f ISO-8859-1 -t UTF-8");
    refuse_of("<!DOCTYPE a [\n<!ENTITY b \"c\">]>\n<seg id='1'>&b;</seg>\n",
              choose(NULL, NULL, NULL, NULL), ALCORE_E_UNSUPPORTED,
              "a.xml:2: an entity is declared");
    char *text = malloc(70000);
    memset(text, 'x', 70000);
    memcpy(text, "<doc id='", 9);
    text[69999] = '\0';
    text[30000] = '\n';
    refuse(text, "a.xml:2: the tag that begins in line 1 has no end");
    free(text);
}
END_TEST

/* A malformed segment is one row, and the next one of its line is read. */
START_TEST(malformed_segments) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    expect_of("<doc id='d'><seg id='1'>a</seg><seg>b</seg><seg id='3'>c</seg>\n"
              "<seg id='4'>d</doc><doc id='e'><seg id='1'>e</seg>\n",
              options,
              "a|d:1|-|-|d|-|1\n|-|-|-|-|-|1\nc|d:3|-|-|d|-|1\n|-|-|-|-|-|2\ne|e:1|-|-|e|-|2\n");
}
END_TEST

/* XML as WMT writes it from 2021 on. */
static const char complete[] =
    "<?xml version='1.0' encoding='utf-8'?>\n"
    "<dataset id=\"newstest.en-de\">\n<collection id=\"general\">\n"
    "  <doc origlang=\"en\" id=\"d1\" domain=\"news\">\n"
    "    <src lang=\"en\"><p>\n      <seg id=\"1\">One.</seg>\n    </p></src>\n"
    "    <ref lang=\"de\" translator=\"A\"><p>\n      <seg id=\"1\">Eins.</seg></p></ref>\n"
    "    <ref lang=\"de\" translator=\"B\"><p>\n      <seg id=\"1\">Eins B.</seg></p></ref>\n"
    "    <hyp lang=\"de\" system=\"S-1\"><p><seg id=\"1\">Ein.</seg></p></hyp>\n  </doc>\n"
    "  <doc origlang=\"de\" id=\"d2\" domain=\"social\" testsuite=\"t\">\n"
    "    <src lang=\"en\"><p><seg id=\"1\">Two.</seg></p></src>\n"
    "    <ref lang=\"de\" translator=\"A\"><p><seg id=\"1\">Zwei.</seg></p></ref>\n"
    "    <hyp lang=\"de\" system=\"S-1\"><p><seg id=\"1\">Zwo.</seg></p></hyp>\n"
    "    <hyp lang=\"de\" system=\"S-2\"><p><seg id=\"1\">Zweie.</seg></p></hyp>\n"
    "  </doc>\n</collection>\n</dataset>\n";

START_TEST(sides_of_wmt) {
    const char *const sources = "One.|d1:1|-|en|d1|-|6\nTwo.|d2:1|-|en|d2|-|15\n";
    expect_of(complete, choose("src", NULL, NULL, NULL), sources);
    expect_of(complete, choose("ref", "A", NULL, NULL),
              "Eins.|d1:1|-|de|d1|-|9\nZwei.|d2:1|-|de|d2|-|16\n");
    expect_of(complete, choose(NULL, "B", NULL, NULL), "Eins B.|d1:1|-|de|d1|-|11\n");
    expect_of(complete, choose(NULL, NULL, "S-2", NULL), "Zweie.|d2:1|-|de|d2|-|18\n");
    ck_assert_int_eq(host.warnings, 1); /* a document of a test suite */
    expect_of(complete, choose("src", NULL, NULL, "social"), "Two.|d2:1|-|en|d2|-|15\n");
    refuse_of(complete, choose(NULL, NULL, NULL, NULL), ALCORE_E_PARAM,
              "a.xml has several sides, of which one is read: src (en), ref of translator \"A\" "
              "(de), ref of translator \"B\" (de), hyp of system \"S-1\" (de), hyp of system "
              "\"S-2\" (de)");
    refuse_of(complete, choose("ref", NULL, NULL, NULL), ALCORE_E_PARAM, "several sides");
    refuse_of(complete, choose("hyp", NULL, NULL, NULL), ALCORE_E_PARAM, "several sides");
    expect_of(complete, choose("hyp", NULL, NULL, "news"), "Ein.|d1:1|-|de|d1|-|12\n");
    refuse_of(complete, choose(NULL, "C", NULL, NULL), ALCORE_E_PARAM,
              "a.xml has no ref of \"C\"; it has src (en), ref of translator \"A\" (de)");
    refuse_of(complete, choose("src", NULL, NULL, "speech"), ALCORE_E_PARAM,
              "no document of domain \"speech\"; it has news, social");
    refuse_of(complete, choose("source", NULL, NULL, NULL), ALCORE_E_PARAM,
              "side is \"source\"; expected src, ref or hyp");
    refuse_of(complete, choose("src", "A", NULL, NULL), ALCORE_E_PARAM, "translator chooses");
    refuse_of(complete, choose("ref", NULL, "S-1", NULL), ALCORE_E_PARAM, "system chooses");
    refuse_of(complete, choose(NULL, "A", "S-1", NULL), ALCORE_E_PARAM, "system chooses");
    /* A choice is not hidden by masking malformed lines. */
    alcore_read_options options = choose(NULL, NULL, NULL, NULL);
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    refuse_of(complete, options, ALCORE_E_PARAM, "several sides");
}
END_TEST

/* SGML of NIST: references in a set each, or in documents of one set that have the same name. */
START_TEST(sides_of_nist) {
    const char *sets = "<mteval><refset setid=\"e\" srclang=\"Arabic\" trglang=\"English\" "
                       "refid=\"r1\"><doc docid=\"a\" genre=\"nw\"><seg id=1>one</seg></doc>"
                       "</refset>\n<refset refid=\"r2\" trglang=\"English\"><doc docid=\"a\">\n"
                       "<seg id=1>uno</seg></doc></refset></mteval>";
    expect_of(sets, choose("ref", "r2", NULL, NULL), "uno|a:1|-|English|a|-|3\n");
    expect_of(sets, choose("ref", "r1", NULL, "nw"), "one|a:1|-|English|a|-|1\n");
    refuse_of(sets, choose(NULL, NULL, NULL, NULL), ALCORE_E_PARAM,
              "ref of translator \"r1\" (English), ref of translator \"r2\" (English)");
    const char *makers = "<TSTSET setid=\"e\" trglang=\"de\">\n<DOC docid=\"a\" sysid=\"x\">"
                         "<seg id=1>one</seg></DOC>\n<DOC docid=\"a\" sysid=\"y\">"
                         "<seg id=1>uno</seg></DOC>\n</TSTSET>\n";
    expect_of(makers, choose(NULL, NULL, "y", NULL), "uno|a:1|-|de|a|-|3\n");
    refuse_of(makers, choose(NULL, NULL, NULL, NULL), ALCORE_E_PARAM,
              "hyp of system \"x\" (de), hyp of system \"y\" (de)");
    /* Sources name a sysid, too, which is not theirs. */
    expect("<srcset srclang=\"en\"><doc sysid=\"ref\" docid=\"a\"><seg id=\"1\">a</seg></doc>\n"
           "<doc sysid=\"other\" docid=\"b\"><seg id=\"1\">b</seg></doc></srcset>",
           "a|a:1|-|en|a|-|1\nb|b:1|-|en|b|-|2\n");
}
END_TEST

/* Two copies of a side that nothing tells apart. */
START_TEST(copies_of_a_side) {
    refuse("<refset>\n<seg id=\"1\">a</seg>\n</refset><refset>\n<seg id=\"1\">b</seg>\n",
           "a.xml:4: a second ref: give each its own translator or system, or split the file");
    refuse("<doc id='d'><ref translator='A'><seg id='1'>a</seg></ref>\n"
           "<ref translator='A'><seg id='1'>b</seg></ref></doc>",
           "a.xml:2: a second ref of \"A\"");
    expect("<src lang=\"en\"><doc id=\"a\"><p><seg id=\"1\">x</seg></p>\n<src lang=\"en\">\n"
           "<doc>\n<segment/><seg id=\"2\">y</seg>",
           "x|a:1|-|en|a|-|1\ny|-|-|en|-|-|4\n");
    refuse_of("<src>\n<seg id=\"1\">a</seg>\n</src>\n<ref>\n<seg id=\"1\">b</seg>\n</ref>\n",
              choose(NULL, NULL, NULL, NULL), ALCORE_E_PARAM, "one is read: src, ref");
}
END_TEST

/* Messages list the first 24 of many sides. */
START_TEST(many_sides) {
    alcore__buffer text = {0};
    for (int i = 0; i < 40; i++)
        ck_works(alcore__buffer_format(NULL, &text,
                                       "<tstset sysid='s%d'><doc id='a'><seg id='1'>%d</seg></doc>"
                                       "</tstset>\n",
                                       i, i));
    expect_of(text.data, choose("hyp", NULL, "s39", NULL), "39|a:1|-|-|a|-|40\n");
    refuse_of(text.data, choose(NULL, NULL, NULL, NULL), ALCORE_E_PARAM,
              "hyp of system \"s23\", ...");
    alcore__buffer_clear(NULL, &text);
}
END_TEST

START_TEST(files_without_sides) {
    gathered all = {{0}, 0, ALCORE_OK};
    const alcore_read_options options = choose("src", NULL, NULL, NULL);
    ck_fails(read_file("a.txt", "a\n", &options, &all), ALCORE_E_PARAM,
             "a.txt is read as text, which has one side");
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

START_TEST(every_allocation_may_fail) {
    const alcore_read_options reference = choose("ref", "A", NULL, NULL),
                              nothing = choose(NULL, NULL, NULL, NULL);
    fail_each_allocation(&host, "a.xml", complete, &reference, ALCORE_OK);
    fail_each_allocation(&host, "a.xml", complete, &nothing, ALCORE_E_PARAM);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {segments_of_wmt,          markup_of_xml, what_markup_is_refused,
                                  malformed_segments,       sides_of_wmt,  sides_of_nist,
                                  copies_of_a_side,         many_sides,    files_without_sides,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("test_sets", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
