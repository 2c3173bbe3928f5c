/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in CSV: what packages and spreadsheets write, every rule of RFC 4180, and how each line
 * that breaks one is named. */
#include <stdlib.h>

#include "formats/csv_quoting.h"
#include "formats/table_origin.h"
#include "records_test.h"

static memory_host host;

/* Reads data [bytes] as the file of a path into *all. */
static alcore_status read_as(const char *path, const char *data, size_t bytes,
                             const alcore_read_options *options, gathered *all) {
    memory_host_file(&host, data, bytes);
    host.warnings = 0;
    return alcore__read_records(host.ctx, path, options, 0, gather, all);
}

static void expect(const char *data, const char *column, const char *records) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.text_column = column;
    ck_works(read_as("p.csv", data, strlen(data), &options, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    ck_assert_int_eq(host.warnings, 0);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse(const char *data, const char *words) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_as("p.csv", data, strlen(data), NULL, &all), ALCORE_E_DATA, words);
    alcore__buffer_clear(NULL, &all.text);
}

/* What packages wrote of the same nine texts. */
static const char same_texts[] = "plain|1|-|-|-|-|%d\n"
                                 "a, b; c\td|2|-|-|-|-|%d\n"
                                 "say \"hi\"|3|-|-|-|-|%d\n"
                                 "two\nlines|4|-|-|-|-|%d\n"
                                 "cr\r\nlf|5|-|-|-|-|%d\n"
                                 "|6|-|-|-|-|%d\n"
                                 " lead|7|-|-|-|-|%d\n"
                                 "\\theta \\n|8|-|-|-|-|%d\n"
                                 "\"|9|-|-|-|-|%d\n";

static void expect_same(const char *data) {
    char records[512];
    snprintf(records, sizeof records, same_texts, 2, 3, 4, 5, 7, 9, 10, 11, 12);
    expect(data, NULL, records);
}

START_TEST(what_packages_write) {
    /* pandas 3.1.1: to_csv(), to_csv(sep=";", index=False), to_csv(sep="\t", index=False) */
    expect_same(
        ",id,text\n0,1,plain\n1,2,\"a, b; c\td\"\n2,3,\"say \"\"hi\"\"\"\n3,4,\"two\nlines\"\n"
        "4,5,\"cr\r\nlf\"\n5,6,\n6,7, lead\n7,8,\\theta \\n\n8,9,\"\"\"\"\n");
    expect_same("id;text\n1;plain\n2;\"a, b; c\td\"\n3;\"say \"\"hi\"\"\"\n4;\"two\nlines\"\n"
                "5;\"cr\r\nlf\"\n6;\n7; lead\n8;\\theta \\n\n9;\"\"\"\"\n");
    expect_same("id\ttext\n1\tplain\n2\t\"a, b; c\td\"\n3\t\"say \"\"hi\"\"\"\n4\t\"two\nlines\"\n"
                "5\t\"cr\r\nlf\"\n6\t\n7\t lead\n8\t\\theta \\n\n9\t\"\"\"\"\n");
    /* csv.writer of Python 3.11 */
    expect_same("id,text\r\n1,plain\r\n2,\"a, b; c\td\"\r\n3,\"say \"\"hi\"\"\"\r\n"
                "4,\"two\nlines\"\r\n5,\"cr\r\nlf\"\r\n6,\r\n7, lead\r\n8,\\theta \\n\r\n"
                "9,\"\"\"\"\r\n");
    /* polars 2.1.0 and duckdb 2.0.1 */
    expect_same("id,text\n1,plain\n2,\"a, b; c\td\"\n3,\"say \"\"hi\"\"\"\n4,\"two\nlines\"\n"
                "5,\"cr\r\nlf\"\n6,\"\"\n7, lead\n8,\\theta \\n\n9,\"\"\"\"\n");
}
END_TEST

/* R's write.csv quotes every text and names the column of row names ""; Excel writes a byte order
 * mark, and semicolons where the comma is the decimal point. */
START_TEST(what_spreadsheets_write) {
    expect("\"\",\"id\",\"text\"\n\"1\",\"a\",\"x\"\n\"2\",\"b\",\"y, \"\"z\"\"\"\n", NULL,
           "x|a|-|-|-|-|2\ny, \"z\"|b|-|-|-|-|3\n");
    expect("\xEF\xBB\xBFid;text;cost\r\n1;Hallo, du;2.5\r\n", NULL, "Hallo, du|1|-|-|-|2.5|2\n");
    expect("sep=;\r\nid;text,x;source\r\n1;a,b;c\r\n", NULL, "c|1|-|-|-|-|3\n");
    expect("sep=|\nid|text\n1|a,b;c\n", NULL, "a,b;c|1|-|-|-|-|3\n");
    expect("sep=\t\nid\ttext\n1\ta\n", NULL, "a|1|-|-|-|-|3\n");
    expect("text,id,,\na,1,,\nb,2,,\n", NULL, "a|1|-|-|-|-|2\nb|2|-|-|-|-|3\n");
}
END_TEST

START_TEST(columns) {
    expect("id,lang,source,reference,cost,group,other\n7,de,Hallo,Hi,2.5,doc,x\n", NULL,
           "Hallo|7|Hi|de|doc|2.5|2\n");
    expect("text,\"a title, long\"\na,b\n", "a title, long", "b|-|-|-|-|-|2\n");
    /* names without regard to case, behind those as they stand */
    expect("ID,Text,Lang\n1,a,de\n", NULL, "a|1|-|de|-|-|2\n");
    expect("TEXT,src,Text\n1,2,3\n", NULL, "2|-|-|-|-|-|2\n");
    expect("id,text,cost\n,,\n", NULL, "|-|-|-|-|-|2\n");
    /* a table of one column: no delimiter, and an empty line is an empty cell, as LibreOffice
     * writes it */
    expect("text\n\n\"b, c\"", NULL, "|-|-|-|-|-|2\nb, c|-|-|-|-|-|3\n");
    /* of more columns: an empty line is no record */
    expect("text,id\n\na,1\n\n", NULL, "a|1|-|-|-|-|3\n");
    expect("text\n", NULL, "");
    /* a quote that does not begin a field stands for itself, and a backslash always does */
    expect("id,text\n1,5\" disk \\n\n2,\"a\\\"\n", NULL,
           "5\" disk \\n|1|-|-|-|-|2\na\\|2|-|-|-|-|3\n");
}
END_TEST

/* pandas 3.1.1 writes a carriage return inside a text without quotes; at the end of a line it
 * cannot be told from a line end. Both are warnings, but not where all lines end in CR LF. */
START_TEST(carriage_returns) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_as("p.csv", "id,text\n1,a\rb\n2,c\r\n", 19, NULL, &all));
    ck_assert_str_eq(all.text.data, "a\rb|1|-|-|-|-|2\nc|2|-|-|-|-|3\n");
    ck_assert_int_eq(host.warnings, 2);
    ck_assert(strstr(host.last_log, "1 carriage returns inside lines stay"));
    ck_works(read_as("p.csv", "id,text\r\n1,a\r\n2,\"\r\"\n", 20, NULL, &all));
    ck_assert_int_eq(host.warnings, 0);
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* The delimiter is that of the header outside quotes; with several the one that gives a column of
 * texts. */
START_TEST(delimiters) {
    expect("\"a;b\",text\n1,x;y\n", NULL, "x;y|-|-|-|-|-|2\n");
    expect("id;text;a,b\n1;x;2\n", NULL, "x|1|-|-|-|-|2\n");
    expect("\"a\"\"\n;b\"\tid\ttext\n1\t2\tx\n", NULL, "x|2|-|-|-|-|3\n");
    refuse("text;text,source\n", "p.csv:1: which of comma, semicolon and TAB separates the "
                                 "columns cannot be told from the first line, "
                                 "\"text;text,source\": put a line before it");
    refuse("a;b,c\n", "p.csv:1: which of comma, semicolon and TAB");
}
END_TEST

START_TEST(errors) {
    refuse("", "p.csv is empty: a table begins with a line that names its columns");
    refuse("sep=;\n", "p.csv is empty");
    refuse("id,sentence,en\n1,a,b\n", "p.csv:1: the first line must name the columns, one of them "
                                      "text, source or src; it has \"id\", \"sentence\", \"en\"");
    refuse("id|text\n1|a\n",
           "it has \"id|text\"; a comma, a semicolon or a TAB separates columns, or");
    refuse("Text,TEXT\n", "p.csv:1: two columns are called \"TEXT\"");
    refuse("text,id,text\n", "p.csv:1: two columns are called \"text\"");
    refuse("text,id\n\"a\nb\",1\nc\n", "p.csv:4: 1 columns, the header has 2");
    refuse("text,id\na,b,c,d\n", "p.csv:2: 4 columns, the header has 2");
    refuse("text,id\na,b,\n", "p.csv:2: 3 columns, the header has 2");
    refuse("text,cost\na,\"1,5\"\n", "p.csv:2: the cost \"1,5\" is no number >= 0");
    refuse("text,id\na,1\n\"b\n\nc,2\nd,3\n", "p.csv:3: no quote closes the one that opens here");
    refuse("text,id\n\"a\nb\",\"1\n", "p.csv:3: no quote closes the one that opens here");
    refuse("id,text\n1,\"a\" b\n", "p.csv:2: field 2 goes on behind its closing quote");
    refuse("id,text\n1,\"say \\\"hi\\\"\"\n", "p.csv:2: field 2 goes on behind its closing quote");
    refuse("id,text\n1, \"a\"\n", "p.csv:2: field 2 has a space before its opening quote");
    refuse("id,text\r1,a\r2,b\r", "p.csv:1: lines that end in a carriage return are not read: "
                                  "convert them with tr '\\r' '\\n'");
    refuse("text,x;\"y\nz\"\n", "p.csv:1: which of comma, semicolon and TAB");
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_as("p.csv", "id,text\n1,\"a\nb\0\"\n", 16, NULL, &all), ALCORE_E_DATA,
             "p.csv:3: a NUL byte");
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* bad_lines=mask: a wrong line becomes one row; a quote that is not closed, and the header, are
 * errors all the same. */
START_TEST(bad_lines_are_masked) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    const char *data = "sep=,\nid,text\n1,\"a\nb\"\n2\n3,\"c\"d\n4,e\n";
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    ck_works(read_as("p.csv", data, strlen(data), &options, &all));
    ck_assert_str_eq(all.text.data,
                     "a\nb|1|-|-|-|-|3\n|-|-|-|-|-|5\n|-|-|-|-|-|6\ne|4|-|-|-|-|7\n");
    ck_assert_int_eq(host.warnings, 1);
    ck_assert(strstr(host.last_log, "2 malformed lines are masked; the first: p.csv:5: 1 columns"));
    data = "id,text\n1,\"a\n2,b\n";
    ck_fails(read_as("p.csv", data, strlen(data), &options, &all), ALCORE_E_DATA,
             "p.csv:2: no quote closes");
    data = "sep=,\nid,body\n1,a\n";
    ck_fails(read_as("p.csv", data, strlen(data), &options, &all), ALCORE_E_DATA,
             "p.csv:2: the first line must name the columns");
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* By the option, also where the suffix says something else, and from standard input. */
START_TEST(the_format_is_an_option) {
    static const char *const paths[] = {"p", "-", "p.tsv", "p.CSV"};
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.format = ALCORE_FORMAT_CSV;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        gathered all = {{0}, 0, ALCORE_OK};
        ck_works(read_as(paths[i], "id\ttext\n1\t\"a\tb\"\n", 16, &options, &all));
        ck_assert_str_eq(all.text.data, "a\tb|1|-|-|-|-|2\n");
        alcore__buffer_clear(NULL, &all.text);
    }
}
END_TEST

/* Texts of two megabytes in a file of ten, over many readings; the end of a line is found once. */
START_TEST(long_quoted_texts) {
    const size_t text = (size_t)2 << 20, bytes = 5 * (text + 5) + 8;
    char *data = malloc(bytes), *next = data;
    memcpy(next, "id,text\n", 8);
    next += 8;
    for (char id = '1'; id <= '5'; id++) {
        next[0] = id, next[1] = ',', next[2] = '"';
        for (size_t i = 0; i < text; i++) next[3 + i] = i % 7 ? 'x' : i % 2 ? '\n' : ',';
        memcpy(next + 3 + text, "\"\n", 2);
        next += text + 5;
    }
    gathered all = {{0}, 0, ALCORE_OK};
    host.peak = host.live;
    ck_works(read_as("p.csv", data, bytes, NULL, &all));
    ck_assert_int_eq(all.count, 5);
    ck_assert_uint_gt(all.text.length, 5 * text);
    ck_assert_uint_lt(host.peak - host.live, (size_t)16 << 20);
    data[bytes - 2] = 'x'; /* the last quote */
    ck_fails(alcore__read_records(host.ctx, "p.csv", NULL, 1 << 20, gather, &all), ALCORE_E_DATA,
             "p.csv:2: no quote closes the one that opens here within 1048576 bytes");
    alcore__buffer_clear(NULL, &all.text);
    free(data);
}
END_TEST

/* However the bytes come, the end of a line is the same. */
START_TEST(ends_of_lines_in_pieces) {
    static const char line[] = "a,\"b\n\"\"c\n\"\"\",d\"\n,\"\n\"\nrest";
    for (size_t first = 0; first < sizeof line - 1; first++) {
        alcore__quoting quoting = {.delimiter = ','};
        size_t length = 0;
        bool found = alcore__csv_find_end(&quoting, line, first, false, &length);
        if (!found) found = alcore__csv_find_end(&quoting, line, sizeof line - 1, true, &length);
        ck_assert(found);
        ck_assert_uint_eq(length, 15);
        ck_assert_int_eq(quoting.breaks, 2);
        ck_assert_int_eq(quoting.opened, 0);
    }
}
END_TEST

/* ---- escapes and quotes of TSV ---- */

/* Reads data under a path with a value of ALCORE_ESCAPES_* and expects records and warnings. */
static void expect_escapes(const char *path, const char *data, int32_t escapes, const char *records,
                           int64_t warnings) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.escapes = escapes;
    ck_works(read_as(path, data, strlen(data), &options, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    ck_assert_int_eq(host.warnings, warnings);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse_escapes(const char *path, const char *data, int32_t escapes,
                           alcore_status status, const char *words) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.escapes = escapes;
    ck_fails(read_as(path, data, strlen(data), &options, &all), status, words);
    alcore__buffer_clear(NULL, &all.text);
}

START_TEST(escapes) {
    /* of somebody else's table: \theta and C:\new stay, and the warning counts them */
    static const char foreign[] = "id\ttext\n1\t\\theta\n2\tC:\\new \\x\n3\t\\alpha\n";
    expect_escapes("p.tsv", foreign, 0,
                   "\\theta|1|-|-|-|-|2\nC:\\new \\x|2|-|-|-|-|3\n\\alpha|3|-|-|-|-|4\n", 1);
    ck_assert(strstr(host.last_log, "p.tsv: 2 fields have \\t, \\n or \\\\, the first in line 2"));
    expect_escapes("p.tsv", foreign, ALCORE_ESCAPES_ON,
                   "\theta|1|-|-|-|-|2\nC:\new \\x|2|-|-|-|-|3\n\\alpha|3|-|-|-|-|4\n", 0);
    /* of libalcore's: each is decoded, and what libalcore cannot have written ends the reading */
    static const char own[] = "index\tid\ttext\tcost\n0\t1\ta\\tb\\\\n\t2\n";
    expect_escapes("p.tsv", own, 0, "a\tb\\n|1|-|-|-|2|2\n", 0);
    expect_escapes("p.tsv", own, ALCORE_ESCAPES_OFF, "a\\tb\\\\n|1|-|-|-|2|2\n", 0);
    refuse_escapes("p.tsv", "index\tid\ttext\n0\t1\t\\alpha\n", 0, ALCORE_E_DATA,
                   "p.tsv:2: a backslash before something else than t, n and a backslash");
    refuse_escapes("p.tsv", "index\tid\ttext\n0\t1\tend\\\n", 0, ALCORE_E_DATA,
                   "p.tsv:2: a backslash before something else");
    expect_escapes("p.tsv", "index\tid\ttext\n0\t1\t\\alpha\n", ALCORE_ESCAPES_ON,
                   "\\alpha|1|-|-|-|-|2\n", 0);
    /* CSV and text only where it is asked for */
    expect_escapes("p.csv", "index,id,text\n0,1,a\\tb\n", 0, "a\\tb|1|-|-|-|-|2\n", 0);
    expect_escapes("p.csv", "text\n\"a\\tb\"\n", ALCORE_ESCAPES_ON, "a\tb|-|-|-|-|-|2\n", 0);
    expect_escapes("p.txt", "a\\tb\\\\\n", 0, "a\\tb\\\\|-|-|-|-|-|1\n", 0);
    expect_escapes("p.txt", "a\\tb\\\\\n", ALCORE_ESCAPES_ON, "a\tb\\|-|-|-|-|-|1\n", 0);
    refuse_escapes("p.jsonl", "", ALCORE_ESCAPES_ON, ALCORE_E_PARAM,
                   "p.jsonl: escapes are of tsv, csv and text, not of jsonl");
    refuse_escapes("p.conll", "", ALCORE_ESCAPES_ON, ALCORE_E_PARAM, "text, not of conll");
    refuse_escapes("p.sgm", "", ALCORE_ESCAPES_ON, ALCORE_E_PARAM, "text, not of sgml");
    refuse_escapes("p.tsv", "", 3, ALCORE_E_INVALID, "escapes is 3");
}
END_TEST

static void expect_own(const char *first_line, bool own) {
    const alcore__line_reader lines = {.ctx = host.ctx};
    alcore__fields names = {0};
    char text[80];
    strcpy(text, first_line);
    ck_works(alcore__fields_of_tsv(&lines, text, strlen(text), 0, &names));
    ck_assert_msg((alcore__table_own_columns(&names) == names.count) == own, "%s", text);
    alcore__fields_clear(&names, host.ctx);
}

/* A sheet of requests that was filled in: what libalcore wrote is decoded, what was added is
 * not. */
START_TEST(columns_that_were_added) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    const char *data = "req_id\tkind\tlang\tcost\ttext\tcontext\ttranslation\n"
                       "1\tsent\tde\t2\ta\\tb\t\t\\theta\n";
    ck_works(read_as("p.tsv", data, strlen(data), &options, &all));
    ck_assert_str_eq(all.text.data, "a\tb|-|\\theta|de|-|2|2\n");
    ck_assert_int_eq(host.warnings, 1);
    ck_assert(strstr(host.last_log, "1 fields have"));
    alcore__buffer_clear(NULL, &all.text);
    expect_escapes("p.tsv",
                   "rank\tindex\tid\tscore\tcost\tu\treason\ttext\tnotes\n"
                   "1\t0\t7\t1\t2\t3\tr\ta\\\\b\tx\n",
                   0, "a\\b|7|-|-|-|2|2\n", 0);
}
END_TEST

/* First lines that are libalcore's, and others that are nearly. */
START_TEST(first_lines_of_ours) {
    static const char *const ours[] = {"index\tid\ttext",
                                       "index\tid\ttext\tlang\tcost",
                                       "index\tid\ttext\treference\tlang\tgroup\tcost",
                                       "rank\tindex\tid\tscore\tcost\treason\ttext",
                                       "rank\tindex\tid\tscore\tcost\tu\td\treason\ttext",
                                       "req_id\tkind\tlang\tcost\ttext\tcontext",
                                       "id\ttext\ttranslation\tflags",
                                       "kind\tsrc\ttgt\tprovenance"};
    static const char *const others[] = {"id\ttext",
                                         "index\tid\ttext\tlabel",
                                         "index\tid\ttext\tcost\tlang",
                                         "index\ttext",
                                         "rank\tindex\tid\tscore\tcost\ttext",
                                         "rank\tindex\tid\tscore\ttext",
                                         "id\ttext\ttranslation",
                                         "id\ttext\ttranslation\tflags\tnotes",
                                         "Index\tid\ttext"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) expect_own(ours[i], true);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) expect_own(others[i], false);
}
END_TEST

/* Quotes around fields of a TSV are a part of the text, and a warning says how to read them. */
START_TEST(quoted_fields_of_tsv) {
    expect_escapes("p.tsv", "id\ttext\n1\t\"a \"\"b\"\"\"\n2\t\"c\"\n3\t\"d\" e \"f\"\n4\t\"\n", 0,
                   "\"a \"\"b\"\"\"|1|-|-|-|-|2\n\"c\"|2|-|-|-|-|3\n\"d\" e \"f\"|3|-|-|-|-|4\n"
                   "\"|4|-|-|-|-|5\n",
                   1);
    ck_assert(
        strstr(host.last_log, "p.tsv: 2 fields have quotes around them, the first in line 2"));
    ck_assert(strstr(host.last_log, "is read with the format csv"));
    expect_escapes("p.tsv", "index\tid\ttext\n0\t1\t\"c\"\n", 0, "\"c\"|1|-|-|-|-|2\n", 0);
    /* One of libalcore's that another program has saved again. */
    expect_escapes("p.tsv", "index\tid\ttext\n0\t1\t\"a \"\"b\"\"\"\n", 0,
                   "\"a \"\"b\"\"\"|1|-|-|-|-|2\n", 1);
    refuse_escapes("p.tsv", "\"id\"\t\"text\"\n\"1\"\t\"a\"\n", 0, ALCORE_E_DATA,
                   "; a table with quotes is read with the format csv");
    refuse_escapes("p.tsv", "id\ttext\n1\t\"a\nb\"\n", 0, ALCORE_E_DATA,
                   "p.tsv:3: 1 columns, the header has 2");
    refuse_escapes("p.tsv", "id\ttext\n1\t\"a\tb\"\n", 0, ALCORE_E_DATA,
                   "p.tsv:2: 3 columns, the header has 2; a field begins with a quote: tables with "
                   "quotes are read with the format csv");
}
END_TEST

/* R writes a missing value as NA: the letters are read, with a warning but in libalcore's
 * tables. */
START_TEST(missing_values_of_r) {
    expect_escapes("p.csv", "id,text,lang\n1,a,NA\n2,NA,de\n", 0,
                   "a|1|-|NA|-|-|2\nNA|2|-|de|-|-|3\n", 1);
    ck_assert(strstr(host.last_log, "p.csv: 2 fields are NA, the first in line 2"));
    expect_escapes("p.tsv", "id\ttext\n1\tNA\n2\tNAT\n", 0, "NA|1|-|-|-|-|2\nNAT|2|-|-|-|-|3\n", 1);
    ck_assert(strstr(host.last_log, "p.tsv: 1 fields are NA, the first in line 2"));
    expect_escapes("p.tsv", "index\tid\ttext\n0\t1\tNA\n", 0, "NA|1|-|-|-|-|2\n", 0);
    expect_escapes("p.csv", "id,text\n1,\"\"\"a\"\"\"\n", 0, "\"a\"|1|-|-|-|-|2\n", 0);
}
END_TEST

START_TEST(every_allocation_may_fail) {
    fail_each_allocation(&host, "p.csv", "a;b,text\n\"x\ny;\",z\n", NULL, ALCORE_OK);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {what_packages_write,
                                  what_spreadsheets_write,
                                  columns,
                                  carriage_returns,
                                  delimiters,
                                  errors,
                                  bad_lines_are_masked,
                                  the_format_is_an_option,
                                  long_quoted_texts,
                                  ends_of_lines_in_pieces,
                                  escapes,
                                  first_lines_of_ours,
                                  quoted_fields_of_tsv,
                                  missing_values_of_r,
                                  columns_that_were_added,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("tables", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
