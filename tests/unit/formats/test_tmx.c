/* SPDX-License-Identifier: Apache-2.0 */
/* Translation memories in TMX: which texts of a unit are its source and its reference, what inline
 * elements leave, how files may be cut, and what is refused. */
#include <stdlib.h>

#include "records_test.h"

static memory_host host;

static alcore_status read_bytes(const char *data, size_t bytes, const alcore_read_options *options,
                                gathered *all) {
    memory_host_file(&host, data, bytes);
    host.warnings = 0;
    return alcore__read_records(host.ctx, "m.tmx", options, 0, gather, all);
}

/* Expects the records of a file, and how many warnings it gives. */
static void expect(const char *data, const char *text, const char *reference, int warnings,
                   const char *records) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.text_column = text;
    options.reference_column = reference;
    ck_works(read_bytes(data, strlen(data), &options, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    ck_assert_int_eq(host.warnings, warnings);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse_of(const char *data, size_t bytes, const alcore_read_options *options,
                      alcore_status status, const char *words) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_bytes(data, bytes, options, &all), status, words);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse(const char *data, const char *words) {
    refuse_of(data, strlen(data), NULL, ALCORE_E_DATA, words);
}

#define HEAD "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n"
#define TAIL "</body></tmx>\n"

/* translate-toolkit 3.20.4: tmxfile.addtranslation(). */
START_TEST(what_translate_toolkit_writes) {
    expect("<?xml version='1.0' encoding='UTF-8'?>\n"
           "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
           "<tmx version=\"1.4\">\n"
           "  <header creationtool=\"Translate Toolkit\" creationtoolversion=\"3.20.4\" "
           "segtype=\"sentence\" o-tmf=\"UTF-8\" adminlang=\"en\" srclang=\"en\" "
           "datatype=\"PlainText\"/>\n"
           "  <body>\n"
           "    <tu srclang=\"en\">\n"
           "      <note>a note</note>\n"
           "      <prop type=\"x-context\">menu</prop>\n"
           "      <tuv xml:lang=\"en\">\n"
           "        <seg>A house &amp; a &lt;garden&gt;</seg>\n"
           "      </tuv>\n"
           "      <tuv xml:lang=\"de\">\n"
           "        <seg>Ein Haus</seg>\n"
           "      </tuv>\n"
           "    </tu>\n"
           "    <tu srclang=\"en\"><tuv xml:lang=\"en\"><seg> two\nlines\t</seg></tuv>"
           "<tuv xml:lang=\"de\"><seg>zwei\nZeilen \xF0\x9F\x98\x80</seg></tuv></tu>\n"
           "  </body>\n"
           "</tmx>\n",
           NULL, NULL, 0,
           "A house & a <garden>|-|Ein Haus|en|-|-|6\n"
           " two\nlines\t|-|zwei\nZeilen \xF0\x9F\x98\x80|en|-|-|16\n");
}
END_TEST

/* A tag stands for its variants, and a variant for the tag; the best match counts. */
START_TEST(languages_of_units) {
    static const char three[] =
        HEAD "<tu tuid='1'><tuv xml:lang='de-DE'><seg>d1</seg></tuv><tuv xml:lang='EN_us'><seg>e1"
             "</seg></tuv><tuv xml:lang='fr'><seg>f1</seg></tuv></tu>\n"
             "<tu tuid='2'><tuv xml:lang='en'><seg>e2</seg></tuv><tuv xml:lang='fr'><seg>f2</seg>"
             "</tuv></tu>\n" TAIL;
    /* The header's language, and the first other one of the file. */
    expect(three, NULL, NULL, 1, "e1|1|d1|EN_us|-|-|2\ne2|2|-|en|-|-|3\n");
    expect(three, NULL, "fr", 0, "e1|1|f1|EN_us|-|-|2\ne2|2|f2|en|-|-|3\n");
    expect(three, "fr-CA", "en-GB", 0, "f1|1|-|fr|-|-|2\nf2|2|e2|fr|-|-|3\n");
    expect(three, "de", NULL, 2, "d1|1|e1|de-DE|-|-|2\n"); /* the second unit has none in German */
    /* Several of one language: the best, the first of equal ones. */
    expect(HEAD "<tu><tuv xml:lang='en-GB'><seg>gb</seg></tuv><tuv xml:lang='en'><seg>en</seg>"
                "</tuv><tuv xml:lang='en'><seg>again</seg></tuv><tuv xml:lang='de'><seg>d</seg>"
                "</tuv><tuv xml:lang='de-AT'><seg>at</seg></tuv></tu>" TAIL,
           NULL, NULL, 1, "en|-|d|en|-|-|2\n");
    /* English into English: the one that is named exactly is the reference. */
    expect(HEAD "<tu><tuv xml:lang='en-US'><seg>color</seg></tuv><tuv xml:lang='en-GB'><seg>colour"
                "</seg></tuv></tu>" TAIL,
           NULL, "en-GB", 0, "color|-|colour|en-US|-|-|2\n");
    /* "en" is no beginning of "eng" or of "en1". */
    expect(HEAD "<tu><tuv xml:lang='eng'><seg>x</seg></tuv><tuv xml:lang='en-x'><seg>y</seg></tuv>"
                "</tu>" TAIL,
           NULL, NULL, 0, "y|-|x|en-x|-|-|2\n");
    /* Case and "_" do not count; xml:lang goes before lang; the best of several variants counts,
     * wherever it stands; what is named goes before srclang. As in test_tool_tmx.c. */
    expect(HEAD "<tu><tuv xml:lang='EN'><seg>x</seg></tuv><tuv xml:lang='De_at'><seg>z</seg></tuv>"
                "</tu>" TAIL,
           NULL, "de-AT", 0, "x|-|z|EN|-|-|2\n");
    expect(HEAD "<tu><tuv lang='de' xml:lang='en'><seg>x</seg></tuv><tuv xml:lang='de' lang='fr'>"
                "<seg>y</seg></tuv></tu>" TAIL,
           NULL, "de", 0, "x|-|y|en|-|-|2\n");
    expect(HEAD "<tu><tuv xml:lang='en'><seg>x</seg></tuv><tuv xml:lang='de-AT'><seg>at</seg></tuv>"
                "<tuv xml:lang='de'><seg>de</seg></tuv></tu>" TAIL,
           NULL, "de", 1, "x|-|de|en|-|-|2\n");
    expect(HEAD "<tu><tuv xml:lang='en-GB'><seg>colour</seg></tuv><tuv xml:lang='en-US'><seg>color"
                "</seg></tuv></tu>" TAIL,
           "en", "en-GB", 0, "color|-|colour|en-US|-|-|2\n");
    expect(HEAD "<tu srclang='*ALL*'><tuv xml:lang='fr'><seg>x</seg></tuv><tuv xml:lang='de'><seg>y"
                "</seg></tuv></tu>" TAIL,
           "fr", NULL, 0, "x|-|y|fr|-|-|2\n");
    /* Two texts in an unknown language are two languages. */
    expect("<tmx><header srclang='und'/><body><tu><tuv xml:lang='und'><seg>x</seg></tuv>"
           "<tuv xml:lang='und'><seg>y</seg></tuv></tu></body></tmx>",
           NULL, NULL, 0, "x|-|y|und|-|-|1\n");
    /* srclang of a unit, "lang" of TMX 1.1, a <tuv> without language, one without a <seg>. */
    expect("<tmx><header srclang='*all*'/><body><tu srclang='de'><tuv lang='en'><seg>e</seg></tuv>"
           "<tuv lang='de'><seg>d</seg></tuv></tu><tu srclang='de'><tuv><seg>?</seg></tuv>"
           "<tuv lang='de'><seg/></tuv><tuv lang='en'/></tu></body></tmx>",
           NULL, NULL, 1, "d|-|e|de|-|-|1\n|-|-|de|-|-|1\n");
}
END_TEST

/* The content of codes is none of the text, that of <hi> is. */
START_TEST(inline_elements) {
    expect(HEAD "<tu><tuv xml:lang='en'><note>n</note><seg>a <bpt i='1'>&lt;b><sub>s</sub></bpt>b"
                "<ept i='1'>&lt;/b></ept> <hi>c <hi>d</hi></hi><ph/> <it pos='begin'>x</it>"
                "<![CDATA[<e>&amp;]]><!-- c --><ut>u</ut>&#x1F600;</seg></tuv></tu>" TAIL,
           NULL, NULL, 1, "a b c d <e>&amp;\xF0\x9F\x98\x80|-|-|en|-|-|2\n");
}
END_TEST

/* UTF-16 with its mark, in bytes; the reader of lines would refuse it. */
START_TEST(encodings) {
    static const char text[] = HEAD "<tu><tuv xml:lang='en'><seg>a</seg></tuv></tu>" TAIL;
    char wide[2 * sizeof text + 2] = "\xFF\xFE";
    gathered all = {{0}, 0, ALCORE_OK};
    for (size_t i = 0; i < sizeof text; i++) {
        wide[2 + 2 * i] = text[i];
        wide[3 + 2 * i] = '\0';
    }
    ck_works(read_bytes(wide, 2 * sizeof text, NULL, &all));
    ck_assert_str_eq(all.text.data, "a|-|-|en|-|-|2\n");
    alcore__buffer_clear(NULL, &all.text);
    expect("\xEF\xBB\xBF<tmx/>", NULL, NULL, 0, "");
    expect("<?xml version='1.0' encoding='iso-8859-1'?><tmx><body><tu srclang='fr'><tuv "
           "xml:lang='fr'><seg>\xE9t\xE9</seg></tuv></tu></body></tmx>",
           NULL, NULL, 0, "\xC3\xA9t\xC3\xA9|-|-|fr|-|-|1\n");
}
END_TEST

START_TEST(what_is_refused) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    refuse("", "m.tmx is empty: it is no TMX");
    refuse("hello\n", "m.tmx:1: this is no well-formed XML: syntax error");
    refuse("<xliff/>", "m.tmx:1: the file is XML of <xliff>, not of <tmx>");
    refuse(HEAD "<tu><tuv xml:lang='en'>\n<seg>a</tuv>",
           "m.tmx:3: this is no well-formed XML: mis");
    refuse(HEAD "<tu>\n\n", "m.tmx:4: the file ends too early");
    refuse(HEAD "<tu><tuv xml:lang='en'><seg>\n\xFF</seg>", "m.tmx:3: this is no well-formed XML");
    refuse("<?xml version='1.0' encoding='windows-1252'?>\n<tmx/>",
           "m.tmx:1: unknown encoding: con");
    refuse("<tmx><header srclang='*all*'/><body>\n<tu><tuv xml:lang='en'><seg>a</seg></tuv></tu>",
           "m.tmx:2: the file does not say which language its sources are in (srclang is *all*)");
    refuse(HEAD "<tu><tuv xml:lang='de'><seg>a</seg></tuv><tuv xml:lang='de-AT'><seg>b</seg></tuv>"
                "</tu>" TAIL,
           "m.tmx: none of its 1 units has a text in en: it has de, de-AT");
    options.reference_column = "fr";
    static const char one[] = HEAD "<tu><tuv xml:lang='en'><seg>a</seg></tuv></tu>" TAIL;
    refuse_of(one, strlen(one), &options, ALCORE_E_DATA,
              "m.tmx: none of its 1 units has a text in fr: it has en");
    /* What is wrong with the markup is wrong with the file: nothing is masked. */
    options = (alcore_read_options)ALCORE_READ_OPTIONS_INIT;
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    refuse_of("<tmx><a>", 8, &options, ALCORE_E_DATA, "m.tmx:1: ");
}
END_TEST

/* Texts cannot grow by entities, and nothing is loaded. */
START_TEST(entities) {
    refuse_of("<!DOCTYPE tmx [\n<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><tmx>&b;</tmx>", 69, NULL,
              ALCORE_E_UNSUPPORTED, "m.tmx:2: the entity a is declared, which is not read");
    refuse_of("<!DOCTYPE tmx [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]><tmx/>", 67, NULL,
              ALCORE_E_UNSUPPORTED, "m.tmx:1: the entity a is declared");
    refuse("<!DOCTYPE tmx SYSTEM 'tmx14.dtd'>\n<tmx><body>&nbsp;</body></tmx>",
           "m.tmx:2: the entity &nbsp; is declared nowhere in the file");
}
END_TEST

/* Units beyond a piece of the file, a text that is longer than one may be, a tag without an end. */
START_TEST(long_files) {
    alcore__buffer text = {0};
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(alcore__buffer_format(NULL, &text, "%s", HEAD));
    for (int i = 0; i < 30000; i++)
        ck_works(alcore__buffer_format(
            NULL, &text,
            "<tu tuid='%d'><tuv xml:lang='en'><seg>text %d</seg></tuv><tuv xml:lang='de'><seg>Text "
            "%d</seg></tuv></tu>%s",
            i, i, i, i % 2 ? "\n" : ""));
    ck_works(alcore__buffer_format(NULL, &text, "%s", TAIL));
    ck_works(read_bytes(text.data, text.length, NULL, &all));
    ck_assert_int_eq(all.count, 30000);
    ck_assert_ptr_nonnull(strstr(all.text.data, "text 29999|29999|Text 29999|en|-|-|15001\n"));
    alcore__buffer_clear(NULL, &all.text);
    memory_host_file(&host, text.data, 200);
    ck_fails(alcore__read_records(host.ctx, "m.tmx", NULL, 5, gather, &all), ALCORE_E_DATA,
             "m.tmx:2: the <seg> is longer than 5 bytes");
    alcore__buffer_clear(NULL, &text);
    alcore__buffer_clear(NULL, &all.text);
    ck_works(alcore__buffer_reserve(NULL, &text, (size_t)10 << 20));
    memset(text.data, 'a', (size_t)10 << 20);
    memcpy(text.data, "<tmx b='", 8);
    refuse_of(text.data, (size_t)10 << 20, NULL, ALCORE_E_DATA,
              "m.tmx:1: what begins here has no end within 8388608 bytes");
    alcore__buffer_clear(NULL, &text);
}
END_TEST

START_TEST(every_allocation_may_fail) {
    static const char data[] = HEAD
        "<tu tuid='1'><tuv xml:lang='en'><seg>a <ph>x</ph></seg></tuv><tuv xml:lang='de'><seg>b"
        "</seg></tuv></tu>" TAIL;
    ck_assert_int_gt(fail_each_allocation(&host, "m.tmx", data, NULL, ALCORE_OK), 15);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {what_translate_toolkit_writes,
                                  languages_of_units,
                                  inline_elements,
                                  encodings,
                                  what_is_refused,
                                  entities,
                                  long_files,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("tmx", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
