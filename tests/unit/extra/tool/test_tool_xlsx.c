/* SPDX-License-Identifier: Apache-2.0 */
/* XLSX: sheets that are written and read back, sheets of other programs, ZIP files that are damaged
 * or would not fit into memory. */
#include "check_suite.h"

#include <math.h>
#include <zlib.h>

#include "comma_locale.h"
#include "formats/zip_reader.h"
#include "tool_files.h"

/* ---- ZIP files of our own ---- */

typedef struct member {
    const char *name, *content;
    size_t length;
} member;

static unsigned char archive[1 << 20];
static size_t archive_bytes;

static void put_number(size_t at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) archive[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

/* Packs content to the end of the archive; returns the bytes. */
static size_t pack(const member *one) {
    z_stream stream = {0};
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)one->content;
    stream.avail_in = (uInt)one->length;
    stream.next_out = archive + archive_bytes;
    stream.avail_out = (uInt)(sizeof archive - archive_bytes);
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t packed = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

/* Makes an archive of members [count], deflated, and puts it into a file. */
static const char *zip(const char *name, const member *members, size_t count) {
    size_t headers[16], packed[16], list;
    archive_bytes = 0;
    memset(archive, 0, sizeof archive);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(members[i].name), at = archive_bytes;
        headers[i] = at;
        put_number(at, 0x04034B50, 4);
        put_number(at + 8, 8, 2);
        put_number(at + 26, (uint32_t)length, 2);
        memcpy(archive + at + 30, members[i].name, length);
        archive_bytes += 30 + length;
        packed[i] = pack(&members[i]);
        archive_bytes += packed[i];
    }
    list = archive_bytes;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(members[i].name), at = archive_bytes;
        put_number(at, 0x02014B50, 4);
        put_number(at + 10, 8, 2);
        put_number(at + 16,
                   (uint32_t)crc32(0, (const Bytef *)members[i].content, (uInt)members[i].length),
                   4);
        put_number(at + 20, (uint32_t)packed[i], 4);
        put_number(at + 24, (uint32_t)members[i].length, 4);
        put_number(at + 28, (uint32_t)length, 2);
        put_number(at + 42, (uint32_t)headers[i], 4);
        memcpy(archive + at + 46, members[i].name, length);
        archive_bytes += 46 + length;
    }
    put_number(archive_bytes, 0x06054B50, 4);
    put_number(archive_bytes + 12, (uint32_t)(archive_bytes - list), 4);
    put_number(archive_bytes + 16, (uint32_t)list, 4);
    archive_bytes += 22;
    return put_bytes(name, archive, archive_bytes);
}

#define BOOK                                                                                       \
    "<workbook><sheets><sheet name='a' r:id='r2' xmlns:r='r'/><sheet "                             \
    "r:id='r9'/></sheets></workbook>"
#define RELATIONS                                                                                  \
    "<Relationships><Relationship Id='r1' Type='x/sharedStrings' Target='/xl/s.xml'/>"             \
    "<Relationship Id='r2' Type='x/worksheet' Target='worksheets/one.xml'/></Relationships>"

/* A workbook with shared strings and a sheet. */
static const char *book(const char *strings, const char *sheet) {
    const member members[] = {{"xl/workbook.xml", BOOK, strlen(BOOK)},
                              {"xl/_rels/workbook.xml.rels", RELATIONS, strlen(RELATIONS)},
                              {"xl/s.xml", strings, strlen(strings)},
                              {"xl/worksheets/one.xml", sheet, strlen(sheet)}};
    return zip("x.xlsx", members, 4);
}

#define SHEET(rows) "<worksheet><sheetData>" rows "</sheetData></worksheet>"
#define TEXT(reference, text) "<c r='" reference "' t='inlineStr'><is><t>" text "</t></is></c>"
#define HEAD "<row r='1'>" TEXT("A1", "ID") TEXT("C1", "Translation") TEXT("D1", "status") "</row>"

/* ---- tests ---- */

START_TEST(test_written) {
    static const char *const ids[] = {"a&1", "=1+1", "c", "d"};
    static const char *const texts[] = {" x <y>\n\"z\"\t", "007", "\xF0\x9F\x98\x80 _x0041_ _x00",
                                        ""};
    static const char *const drafts[] = {"cr\r\nlf ", "1e5", "_x000D_", NULL};
    static const double scores[] = {0.25, (double)NAN, -1e300, 1};
    alcore_tool_items items = tool_items(ids, texts, drafts, 4);
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    items.scores = scores;
    ck_assert_ok(
        alcore_tool_write(ctx, "xlsx", in_folder("x.xlsx"), &items,
                          OPTIONS_WITH(alcore_tool_options, .batch = "round <3> & \xC3\xA9")));
    ck_assert_ok(alcore_tool_read(ctx, "xlsx", tool_path, NULL, &answers));
    ck_assert_str_eq(alcore_tool_answers_messages(answers), "");
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "round <3> & \xC3\xA9");
    ck_assert_int_eq(alcore_tool_answers_count(answers), 3);
    for (int64_t i = 0; i < 3; i++) {
        ck_assert_ok(alcore_tool_answers_get(answers, i, &answer));
        ck_assert_str_eq(answer.id, ids[i]);
        ck_assert_str_eq(answer.text, texts[i]);
        ck_assert_str_eq(answer.value, drafts[i]);
        ck_assert_str_eq(answer.status, "draft");
        ck_assert_int_eq(answer.line, i + 2);
    }
    alcore_tool_answers_unref(answers);
    /* The same items are the same bytes. */
    char *first = malloc(1 << 20), again[TEST_PATH_BYTES + 64];
    FILE *file = fopen(tool_path, "rb");
    const size_t bytes = fread(first, 1, 1 << 20, file);
    fclose(file);
    snprintf(again, sizeof again, "%s", in_folder("y.xlsx"));
    ck_assert_ok(
        alcore_tool_write(ctx, "xlsx", again, &items,
                          OPTIONS_WITH(alcore_tool_options, .batch = "round <3> & \xC3\xA9")));
    ck_assert_mem_eq(first, file_text(again), bytes);
    free(first);
}
END_TEST

/* Numbers have points where the host's locale has commas. */
START_TEST(test_locale) {
    static const char *const ids[] = {"a"}, *const texts[] = {"x"};
    static const double scores[] = {0.25};
    static char sheet[1 << 16];
    size_t bytes;
    alcore__zip *made;
    comma_locale locale;
    const bool commas = comma_locale_begin(&locale);
    alcore_tool_items items = tool_items(ids, texts, NULL, 1);
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, "xlsx", in_folder("x.xlsx"), &items, NULL));
    ck_assert_int_eq(snprintf(sheet, sizeof sheet, "%.1f", 0.5), 3);
    ck_assert_int_eq(sheet[1], commas ? ',' : '.');
    comma_locale_end(&locale);
    ck_assert_ok(alcore__zip_open(ctx, tool_path, &made));
    ck_assert_ok(alcore__zip_begin(made, "xl/worksheets/sheet1.xml"));
    ck_assert_ok(alcore__zip_read(made, sheet, sizeof sheet - 1, &bytes));
    sheet[bytes] = '\0';
    ck_assert_ptr_nonnull(strstr(sheet, "<v>0.25</v>"));
    alcore__zip_close(made);
}
END_TEST

START_TEST(test_too_long) {
    static char text[32769];
    static const char *const ids[] = {"a"};
    const char *const texts[] = {text};
    alcore_tool_items items = tool_items(ids, texts, NULL, 1);
    memset(text, 'x', sizeof text - 1);
    ck_assert_fails(alcore_tool_write(ctx, "xlsx", in_folder("x.xlsx"), &items, NULL),
                    ALCORE_E_DATA, "item 1 (a): its text does not fit into a cell");
    ck_assert_ptr_null(fopen(tool_path, "rb"));
    text[32767] = '\0';
    ck_assert_ok(alcore_tool_write(ctx, "xlsx", in_folder("x.xlsx"), &items, NULL));
    ck_assert_str_eq(answers_of_file("xlsx", in_folder("x.xlsx"), NULL), "");
    ck_assert_fails(alcore_tool_write(ctx, "xlsx", "/nowhere/x.xlsx", &items, NULL), ALCORE_E_IO,
                    "/nowhere");
}
END_TEST

/* Strings of every kind, cells without references, numbers, truths, empty rows. */
START_TEST(test_cells) {
    const char *path = book(
        "<sst><si><t>a</t></si><si><r><t>one</t></r><r><t xml:space='preserve'> two</t></r><rPh>"
        "<t>no</t></rPh></si><si/></sst>",
        SHEET("<row r='2'/>" HEAD
              "<row r='5'><c r='A5' t='s'><v>0</v></c><c r='C5' t='s'><v>1</v></c></row>"
              "<row><c t='str'><f>A1</f><v>b</v></c><c/><c><v>1.5</v></c></row>"
              "<row r='9'>" TEXT("A9", "c") "<c r='C9' t='b'><v>1</v></c>" TEXT("D9", "ok") TEXT(
                  "ZZ9", "no") "</row>"
                               "<row r='10'>" TEXT("A10", "d") "<c r='C10' t='s'><v>2</v></c>" TEXT(
                                   "D10", "skip") "</row><row r='11'>" TEXT("C11", "x") "</row>"));
    ck_assert_str_eq(answers_of_file("xlsx", path, NULL),
                     "a ok one two\nb ok 1.5\nc ok TRUE\nd skip -\nFILE:11: there is no id\n");
}
END_TEST

static void check_fails(const char *path, alcore_status status, const char *part) {
    alcore_tool_answers *answers = NULL;
    ck_assert_fails(alcore_tool_read(ctx, "xlsx", path, NULL, &answers), status, part);
    ck_assert_ptr_null(answers);
}

START_TEST(test_wrong) {
    const member no_book[] = {{"x", "y", 1}};
    check_fails(put("x.xlsx", ""), ALCORE_E_DATA, "this is no ZIP file, as .xlsx is");
    check_fails(put("x.xlsx", "id,translation\na,b\n"), ALCORE_E_DATA, "this is no ZIP file");
    check_fails(zip("x.xlsx", no_book, 1), ALCORE_E_DATA, "has no xl/workbook.xml: it is no XLSX");
    check_fails(book("<sst/>", SHEET("")), ALCORE_E_DATA, "its first sheet is empty");
    check_fails(book("<sst/>", SHEET("<row r='3'>" TEXT("A3", "id") "</row>")), ALCORE_E_DATA,
                "one.xml:1: row 3 names no column translation");
    check_fails(book("<sst/>", SHEET(HEAD "<row><c t='s'><v>0</v></c></row>")), ALCORE_E_DATA,
                "a cell has a string that is not there");
    check_fails(book("<sst/>", SHEET("<row>" TEXT("A1", "id") TEXT("B1", "ID") "</row>")),
                ALCORE_E_DATA, "two columns are called ID");
    check_fails(book("<sst/>", SHEET("<row><c r='XFE1'/></row>")), ALCORE_E_DATA,
                "there is no column XFE1");
    check_fails(book("<sst/>", SHEET("<row><c r='1'/></row>")), ALCORE_E_DATA,
                "there is no column 1");
    check_fails(book("<sst>", SHEET("")), ALCORE_E_DATA,
                "x.xlsx/xl/s.xml:1: the file ends too early");
}
END_TEST

/* Every byte of a small file that is another one, and every beginning of it, is an error or changes
 * nothing that counts; none of them ends the process. */
START_TEST(test_damaged) {
    char path[TEST_PATH_BYTES + 64];
    unsigned char kept[4096];
    alcore_tool_answers *answers;
    size_t refused = 0;
    snprintf(path, sizeof path, "%s",
             book("<sst/>", SHEET(HEAD "<row>" TEXT("A2", "a") TEXT("C2", "b") "</row>")));
    ck_assert_uint_lt(archive_bytes, sizeof kept);
    memcpy(kept, archive, archive_bytes);
    for (size_t i = 0; i < archive_bytes; i++) {
        put_bytes("x.xlsx", kept, i);
        ck_assert_int_ne(alcore_tool_read(ctx, "xlsx", path, NULL, &answers), ALCORE_OK);
        kept[i] ^= 0x11;
        put_bytes("x.xlsx", kept, archive_bytes);
        if (alcore_tool_read(ctx, "xlsx", path, NULL, &answers) == ALCORE_OK)
            alcore_tool_answers_unref(answers);
        else
            refused++;
        kept[i] ^= 0x11;
    }
    ck_assert_uint_gt(refused, archive_bytes / 2);
}
END_TEST

/* 200 MB of spaces in 200 KB. */
START_TEST(test_bomb) {
    enum { BYTES = 200 << 20 };
    char *sheet = malloc(BYTES);
    const char head[] = "<worksheet><sheetData>", end[] = "</sheetData></worksheet>";
    memset(sheet, ' ', BYTES);
    memcpy(sheet, head, sizeof head - 1);
    memcpy(sheet + BYTES - sizeof end + 1, end, sizeof end - 1);
    const member members[] = {{"xl/workbook.xml", BOOK, strlen(BOOK)},
                              {"xl/_rels/workbook.xml.rels", RELATIONS, strlen(RELATIONS)},
                              {"xl/s.xml", "<sst/>", 6},
                              {"xl/worksheets/one.xml", sheet, BYTES}};
    check_fails(zip("x.xlsx", members, 4), ALCORE_E_DATA,
                "it unpacks to more than 64 MiB and 64 times its length");
    free(sheet);
}
END_TEST

CHECK_SUITE_WITH("XLSX", tool_setup, tool_teardown, test_written, test_locale, test_too_long,
                 test_cells, test_wrong, test_damaged, test_bomb);
