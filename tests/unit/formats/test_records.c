/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "records_test.h"

static memory_host host;

static alcore_status read_bytes(const char *path, const void *data, size_t bytes,
                                const char *column, int64_t longest, gathered *all) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = column;
    memory_host_file(&host, data, bytes);
    host.warnings = 0;
    return alcore__read_records(host.ctx, path, &options, longest, gather, all);
}

static void expect(const char *path, const char *data, const char *column, const char *records) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_bytes(path, data, strlen(data), column, 0, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    alcore__buffer_clear(NULL, &all.text);
}

/* The same with the columns that the options name for texts and references. */
static void expect_pairs(const char *path, const char *data, const char *text,
                         const char *reference, const char *records) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.text_column = text;
    options.reference_column = reference;
    memory_host_file(&host, data, strlen(data));
    ck_works(alcore__read_records(host.ctx, path, &options, 0, gather, &all));
    ck_assert_str_eq(all.text.data ? all.text.data : "", records);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse_pairs(const char *path, const char *data, const char *text,
                         const char *reference, alcore_status status, const char *words) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.text_column = text;
    options.reference_column = reference;
    memory_host_file(&host, data, strlen(data));
    ck_fails(alcore__read_records(host.ctx, path, &options, 0, gather, &all), status, words);
    alcore__buffer_clear(NULL, &all.text);
}

static void refuse(const char *path, const char *data, const char *words) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_bytes(path, data, strlen(data), NULL, 0, &all), ALCORE_E_DATA, words);
    alcore__buffer_clear(NULL, &all.text);
}

START_TEST(text_splits_on_newline_only) {
    expect("p.txt", "a\nb c\n", NULL, "a|-|-|-|-|-|1\nb c|-|-|-|-|-|2\n");
    expect("p.txt", "a\nb", NULL, "a|-|-|-|-|-|1\nb|-|-|-|-|-|2\n");
    expect("p.txt", "\n\n", NULL, "|-|-|-|-|-|1\n|-|-|-|-|-|2\n");
    expect("p.txt", "\nb", NULL, "|-|-|-|-|-|1\nb|-|-|-|-|-|2\n");
    expect("p.txt", "", NULL, "");
    expect("train.de",
           "a\xC2\x85"
           "b\xE2\x80\xA8"
           "c\x0B"
           "d\n",
           NULL,
           "a\xC2\x85"
           "b\xE2\x80\xA8"
           "c\x0B"
           "d|-|-|-|-|-|1\n");
    ck_assert_int_eq(host.warnings, 0);
    expect("-", "a\tb\n", NULL, "a\tb|-|-|-|-|-|1\n");
}
END_TEST

START_TEST(text_carriage_returns_are_reported_once) {
    expect("p.txt", "a\r\nb\r\n", NULL, "a|-|-|-|-|-|1\nb|-|-|-|-|-|2\n");
    ck_assert_int_eq(host.warnings, 1);
    ck_assert(strstr(host.last_log, "p.txt: 2 lines end in CR LF"));
    expect("p.txt", "a\rb\n\r\r\nx\r", NULL, "a\rb|-|-|-|-|-|1\n\r|-|-|-|-|-|2\nx\r|-|-|-|-|-|3\n");
    ck_assert_int_eq(host.warnings, 2);
    ck_assert(strstr(host.last_log, "3 carriage returns inside lines stay"));
}
END_TEST

START_TEST(byte_order_marks) {
    expect("p.txt",
           "\xEF\xBB\xBF"
           "a\n\xEF\xBB\xBF"
           "b\n",
           NULL,
           "a|-|-|-|-|-|1\n\xEF\xBB\xBF"
           "b|-|-|-|-|-|2\n");
    expect("p.txt", "\xEF\xBB\xBF", NULL, "");
    expect("p.tsv", "\xEF\xBB\xBFtext\na\n", NULL, "a|-|-|-|-|-|2\n");
    expect("p.jsonl", "\xEF\xBB\xBF{\"text\":\"a\"}\n", NULL, "a|-|-|-|-|-|1\n");
    refuse("p.txt",
           "\xFF\xFE"
           "a",
           "UTF-16LE text: convert it with iconv");
    refuse("p.txt", "\xFE\xFFx", "UTF-16BE");
}
END_TEST

START_TEST(nul_bytes_are_named_by_line) {
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_bytes("p.txt", "a\nb\nc\0d\n", 8, NULL, 0, &all), ALCORE_E_DATA,
             "p.txt:3: a NUL byte");
    ck_fails(read_bytes("p.txt", "\0", 1, NULL, 0, &all), ALCORE_E_DATA, "p.txt:1: a NUL byte");
    ck_assert_int_eq(all.count, 0);
}
END_TEST

START_TEST(long_lines) {
    size_t bytes = (size_t)9 << 20;
    char *text = malloc(bytes);
    memset(text, 'x', bytes);
    gathered all = {{0}, 0, ALCORE_OK};
    ck_works(read_bytes("p.txt", text, bytes, NULL, (int64_t)bytes, &all));
    ck_assert_int_eq(all.count, 1);
    ck_assert_uint_eq(all.text.length, bytes + strlen("|-|-|-|-|-|1\n"));
    memcpy(text, "a\nb\n", 4);
    host.peak = host.live;
    ck_fails(read_bytes("p.txt", text, bytes, NULL, 1 << 20, &all), ALCORE_E_DATA,
             "p.txt:3: the line is longer than 1048576 bytes");
    ck_assert_uint_lt(host.peak - host.live, (size_t)6 << 20); /* never read whole */
    ck_fails(read_bytes("p.txt", "abc\nabcd\n", 9, NULL, 3, &all), ALCORE_E_DATA,
             "p.txt:2: the line is longer than 3 bytes");
    ck_works(read_bytes("p.txt", "abc\r\nab\n", 8, NULL, 3, &all));
    alcore__buffer_clear(NULL, &all.text);
    free(text);
}
END_TEST

typedef struct forecast {
    int64_t lines, count, batches, last;
} forecast;

static alcore_status check_coming(void *user, const alcore__record *records, int64_t count,
                                  int64_t coming) {
    forecast *seen = user;
    (void)records;
    seen->count += count;
    seen->batches++;
    seen->last = coming;
    ck_assert_int_ge(seen->count + coming, seen->lines - 1);
    ck_assert_int_le(seen->count + coming, seen->lines + 1);
    return ALCORE_OK;
}

START_TEST(many_lines_over_many_reads) {
    alcore__buffer file = {0}, expected = {0};
    for (int i = 0; i < 200000; i++) {
        char line[40];
        int length = snprintf(line, sizeof line, "%.*s%d\n", i % 17, "abcdefghijklmnopq", i);
        alcore__buffer_append(NULL, &file, line, (size_t)length);
        alcore__buffer_append(NULL, &expected, line, (size_t)length - 1);
        alcore__buffer_format(NULL, &expected, "|-|-|-|-|-|%d\n", i + 1);
    }
    expect("p.txt", file.data, NULL, expected.data);
    alcore__buffer_clear(NULL, &file);
    alcore__buffer_clear(NULL, &expected);
}
END_TEST

START_TEST(how_many_are_coming) {
    /* Lines of one length: the guess is nearly right after every batch, and 0 after the last. */
    enum { LINES = 100000 };
    alcore__buffer file = {0};
    for (int i = 0; i < LINES; i++) alcore__buffer_format(NULL, &file, "line %06d\n", i);
    forecast seen = {.lines = LINES};
    memory_host_file(&host, file.data, file.length);
    ck_works(alcore__read_records(host.ctx, "p.txt", NULL, 0, check_coming, &seen));
    ck_assert_int_eq(seen.count, LINES);
    ck_assert_int_ge(seen.batches, 10);
    ck_assert_int_eq(seen.last, 0);
    alcore__buffer_clear(NULL, &file);
}
END_TEST

START_TEST(tsv_columns) {
    expect("p.tsv",
           "id\tlang\tsource\treference\tcost\tgroup\tother\n7\tde\tHallo\tHi\t2.5\tdoc\tx\n", NULL,
           "Hallo|7|Hi|de|doc|2.5|2\n");
    expect("p.tsv", "src\ttranslation\tlanguage\na\tb\ten\n", NULL, "a|-|b|en|-|-|2\n");
    expect("p.tsv", "src\tsource\ttext\ta\n1\t2\t3\t4\n", NULL, "3|-|-|-|-|-|2\n");
    expect("p.tsv", "target\treference\ttext\n1\t2\t3\n", NULL, "3|-|2|-|-|-|2\n");
    expect("p.tsv", "text\ttitle\na\tb\n", "title", "b|-|-|-|-|-|2\n");
    expect("p.tsv", "id\ttext\tcost\n\t\t\n", NULL, "|-|-|-|-|-|2\n");
    expect("p.tsv", "text\n\nb", NULL, "|-|-|-|-|-|2\nb|-|-|-|-|-|3\n");
    expect("p.tsv", "text\n", NULL, "");
    expect("p.tsv", "text\tid\na\\tb\\x\\\t\\\\\n", NULL, "a\\tb\\x\\|\\\\|-|-|-|-|2\n");
}
END_TEST

START_TEST(tsv_errors) {
    refuse("p.tsv", "", "p.tsv is empty: a table begins with a line that names its columns");
    refuse("p.tsv", "a\tb\n1\t2\n", "p.tsv:1: the first line must name the columns");
    refuse("p.tsv", "text\tid\ttext\n", "p.tsv:1: two columns are called \"text\"");
    refuse("p.tsv", "text\tid\na\tb\na\n", "p.tsv:3: 1 columns, the header has 2");
    refuse("p.tsv", "text\tid\na\tb\tc\td\n", "p.tsv:2: 4 columns, the header has 2");
    refuse("p.tsv", "text\tid\na\tb\t\n", "p.tsv:2: 3 columns, the header has 2");
    refuse("p.tsv", "text\tcost\na\t-1\n", "p.tsv:2: the cost \"-1\" is no number >= 0");
    refuse("p.tsv", "text\tcost\na\tnan\n", "the cost \"nan\"");
    refuse("p.tsv", "text\tcost\na\tinf\n", "the cost \"inf\"");
    refuse("p.tsv", "text\tcost\na\t1,5\n", "the cost \"1,5\"");
    gathered all = {{0}, 0, ALCORE_OK};
    ck_fails(read_bytes("p.tsv", "text\na\n", 7, "body", 0, &all), ALCORE_E_DATA,
             "p.tsv:1: no column is called \"body\"; the first line names \"text\"");
}
END_TEST

START_TEST(jsonl_records) {
    expect("p.jsonl",
           "{\"id\":\"x\",\"source\":\"a\",\"lang\":\"de\",\"reference\":\"b\",\"group\":\"g\","
           "\"cost\":2}\n",
           NULL, "a|x|b|de|g|2|1\n");
    expect("p.jsonl", " { \"id\" : -12 , \"text\" : \"\" } \n\n  \n{\"src\":\"b\"}", NULL,
           "|-12|-|-|-|-|1\nb|-|-|-|-|-|4\n");
    expect("p.jsonl", "{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u4E2D\\uD83D\\uDE00\"}", NULL,
           "\"\\/\b\f\n\r\t\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80|-|-|-|-|-|1\n");
    expect(
        "p.jsonl",
        "{\"source\":\"s\",\"text\":\"t\",\"meta\":{\"a\":[1,2.5e-3,true,false,null,{}],\"b\":[]}}",
        NULL, "t|-|-|-|-|-|1\n");
    expect("p.jsonl", "{\"text\":null,\"source\":\"s\",\"id\":null,\"cost\":null}", NULL,
           "s|-|-|-|-|-|1\n");
    expect("p.ndjson", "{\"text\":\"t\",\"title\":\"u\"}", "title", "u|-|-|-|-|-|1\n");
    expect("p.jsonl", "{\"target\":\"a\",\"reference\":\"b\",\"text\":\"c\"}", NULL,
           "c|-|b|-|-|-|1\n");
}
END_TEST

START_TEST(jsonl_errors) {
    static const char *const rows[][2] = {
        {"[]", "an object is expected; each line has one object: jq -c '.[]' writes a list so"},
        {"{", "the text ends too early; each line has one object: jq -c . writes objects so"},
        {"{\"text\":\"a\"", "the text ends too early"},
        {"{\"text\":\"a\"}}", "something follows the value"},
        {"{\"text\":\"a\",}", "a key in quotes is expected"},
        {"{\"text\" \"a\"}", "a colon is expected"},
        {"{\"text\":\"a\" \"id\":1}", "a comma or } is expected"},
        {"{text:1}", "a key in quotes is expected"},
        {"{\"text\":\"a", "the string does not end"},
        {"{\"text\":\"a\tb\"}", "byte 11 of the line: a control character inside a string"},
        {"{\"text\":\"\\x\"}", "an unknown escape"},
        {"{\"text\":\"\\u12\"}", "\\u needs four hexadecimal digits"},
        {"{\"text\":\"\\u0000\"}", "\\u0000 stands for a NUL"},
        {"{\"text\":\"\\uD800\"}", "half of a surrogate pair"},
        {"{\"text\":\"\\uDC00\"}", "half of a surrogate pair"},
        {"{\"text\":\"\\uD800\\u0041\"}", "half of a surrogate pair"},
        {"{\"id\":01,\"text\":\"\"}", "a malformed number"},
        {"{\"x\":-,\"text\":\"\"}", "a malformed number"},
        {"{\"x\":1.,\"text\":\"\"}", "a malformed number"},
        {"{\"x\":1e,\"text\":\"\"}", "a malformed number"},
        {"{\"x\":tru,\"text\":\"\"}", "a value is expected"},
        {"{\"x\":[1,],\"text\":\"\"}", "a value is expected"},
        {"{\"x\":[1 2],\"text\":\"\"}", "a comma or ] is expected"},
        {"{\"text\":\"a\",\"text\":\"b\"}", "a key stands twice"},
        {"{\"x\":1,\"x\":1,\"text\":\"b\"}", "a key stands twice"},
        {"{\"te\\u0078t\":\"a\",\"text\":\"b\"}", "a key stands twice"},
        {"{\"id\":1}", "no text: none of the keys text, source and src"},
        {"{\"id\":1,\"text\":null}", "the text is null; \"\" is an empty one"},
        {"{\"id\":1,\"Text\":\"a\",\"x\":0}",
         "no text: none of the keys text, source and src, but \"Text\", \"x\""},
        {"{\"text\":\"a\",\"cost\":NaN}", "JSON has no NaN and no Infinity"},
        {"{\"text\":1}", "\"text\" must be a string"},
        {"{\"text\":{}}", "\"text\" must be a string"},
        {"{\"text\":[\"a\"]}", "\"text\" must be a string"},
        {"{\"text\":\"a\",\"reference\":0.5}", "\"reference\" must be a string or an integer"},
        {"{\"text\":\"\",\"id\":1.5}", "\"id\" must be a string or an integer"},
        {"{\"text\":\"\",\"id\":{}}", "\"id\" must be a string or an integer"},
        {"{\"text\":\"\",\"cost\":\"1\"}", "\"cost\" must be a number"},
        {"{\"text\":\"\",\"cost\":-1}", "the cost \"-1\" is no number >= 0"},
        {"{\"text\":\"\",\"cost\":true}", "\"cost\" must be a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[200];
        snprintf(file, sizeof file, "{\"text\":\"good\"}\n%s\n", rows[i][0]);
        refuse("p.jsonl", file, rows[i][1]);
        refuse("p.jsonl", file, "p.jsonl:2: ");
    }
    char deep[400] = "{\"text\":\"a\",\"x\":";
    size_t start = strlen(deep);
    memset(deep + start, '[', 64);
    memset(deep + start + 64, ']', 64);
    strcpy(deep + start + 128, "}");
    refuse("p.jsonl", deep, "nested too deeply");
    memset(deep + start, '[', 63);
    memset(deep + start + 63, ']', 63);
    strcpy(deep + start + 126, "}");
    expect("p.jsonl", deep, NULL, "a|-|-|-|-|-|1\n");
}
END_TEST

/* Lists of tokens and of their classes, as the data sets of Hugging Face have them, and classes of
 * texts. */
START_TEST(jsonl_tokens_and_classes) {
    static const char *const wrong[][2] = {
        {"{\"t\":[\"a\",1.5]}", "\"t\": item 2 is not a word or an integer"},
        {"{\"t\":[\"a\",null]}", "\"t\": item 2 is not a word or an integer"},
        {"{\"t\":[[\"a\"]]}", "\"t\": item 1 is not a word or an integer"},
        {"{\"t\":[\"a\",\"\"]}", "\"t\": item 2 is not a word or an integer"},
        {"{\"t\":[\"one reference\"]}", "\"t\": item 1 is not a word or an integer"},
        {"{\"t\":[\"a\",}", "a value is expected"},
        {"{\"t\":[\"a\"", "the text ends too early"},
    };
    expect_pairs("p.jsonl",
                 "{\"id\":\"1\",\"tokens\":[\"New\", \"York\",\"\\u00e9t\\u00e9\"],"
                 "\"ner_tags\":[3, 0,-100]}\n{\"tokens\":[],\"ner_tags\":[ ]}",
                 "tokens", "ner_tags",
                 "New York \xC3\xA9t\xC3\xA9|1|3 0 -100|-|-|-|1\n|-|-|-|-|-|2\n");
    expect_pairs("p.jsonl", "{\"text\":[\"a\",\"c\"],\"target\":[\"B-X\",\"I-X\"]}", "text",
                 "target", "a c|-|B-X I-X|-|-|-|1\n");
    expect_pairs("p.jsonl", "{\"text\":\"a\",\"label\":12}", NULL, "label", "a|-|12|-|-|-|1\n");
    expect_pairs("p.jsonl", "{\"text\":\"a\",\"target\":-1}", NULL, NULL, "a|-|-1|-|-|-|1\n");
    expect_pairs("p.jsonl", "{\"label\":7}", "label", NULL, "7|-|-|-|-|-|1\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse_pairs("p.jsonl", wrong[i][0], "t", NULL, ALCORE_E_DATA, wrong[i][1]);
}
END_TEST

START_TEST(columns_of_pairs) {
    const char *tsv = "id\tde\ttarget\ten\n7\tein Haus\tx\ta house\n8\tzwei\ty\t\n";
    expect_pairs("p.tsv", tsv, "en", "de", "a house|7|ein Haus|-|-|-|2\n|8|zwei|-|-|-|3\n");
    expect_pairs("p.tsv", tsv, "de", "en", "ein Haus|7|a house|-|-|-|2\nzwei|8|-|-|-|-|3\n");
    expect_pairs("p.tsv", tsv, "en", NULL, "a house|7|x|-|-|-|2\n|8|y|-|-|-|3\n");
    refuse_pairs(
        "p.tsv", tsv, "en", "fr", ALCORE_E_DATA,
        "p.tsv:1: no column is called \"fr\"; the first line names \"id\", \"de\", \"target\", "
        "\"en\"");
    refuse_pairs("p.tsv", tsv, "en", "en", ALCORE_E_INVALID,
                 "the column \"en\" cannot be text and reference");
    /* Of several names the first of these counts, wherever it stands. */
    expect_pairs("p.tsv", "src\tsource\ttext\n1\t2\t3\n", NULL, NULL, "3|-|-|-|-|-|2\n");
    expect_pairs("p.tsv", "src\tsource\n1\t2\n", NULL, NULL, "2|-|-|-|-|-|2\n");
    expect_pairs("p.tsv", "text\ttranslation\ttarget\treference\n1\t2\t3\t4\n", NULL, NULL,
                 "1|-|4|-|-|-|2\n");
    expect_pairs("p.csv", "translation,target,text\n2,3,1\n", NULL, NULL, "1|-|3|-|-|-|2\n");
    expect_pairs("p.jsonl", "{\"text\":\"a\",\"reference\":\"b\",\"human\":\"c\"}", NULL, "human",
                 "a|-|c|-|-|-|1\n");
    expect_pairs("p.jsonl", "{\"text\":\"a\",\"human\":null}", NULL, "human", "a|-|-|-|-|-|1\n");
    refuse_pairs("p.jsonl", "{\"text\":\"a\",\"reference\":\"b\"}", NULL, "human", ALCORE_E_DATA,
                 "p.jsonl:1: no key \"human\"");
}
END_TEST

/* The data sets of translations of Hugging Face. */
START_TEST(jsonl_translations) {
    const char *pairs =
        "{\"translation\":{\"en\":\"a house\",\"de\":\"ein Haus\"}}\n"
        "{\"id\":\"x\",\"translation\":{\"de\":\"zwei\",\"fr\":\"deux\",\"en\":\"two\"}}";
    expect_pairs("p.jsonl", pairs, "en", "de", "a house|-|ein Haus|-|-|-|1\ntwo|x|zwei|-|-|-|2\n");
    expect_pairs("p.jsonl", pairs, "de", NULL, "ein Haus|-|-|-|-|-|1\nzwei|x|-|-|-|-|2\n");
    /* Keys of the object are languages: "id" is Indonesian, and "text" is none. */
    expect_pairs("p.jsonl", "{\"translation\":{\"id\":\"rumah\",\"en\":\"house\",\"text\":\"x\"}}",
                 "en", "id", "house|-|rumah|-|-|-|1\n");
    expect_pairs("p.jsonl", "{\"translation\":{\"en\":\"a\",\"de\":null}}", "en", "de",
                 "a|-|-|-|-|-|1\n");
    /* A key of the record goes before one of the object, wherever it stands. */
    expect_pairs("p.jsonl",
                 "{\"en\":\"own\",\"translation\":{\"en\":\"a\",\"de\":\"b\"}}\n"
                 "{\"translation\":{\"en\":\"a\",\"de\":\"b\"},\"en\":\"own\"}",
                 "en", "de", "own|-|b|-|-|-|1\nown|-|b|-|-|-|2\n");
    expect_pairs("p.jsonl", "{\"text\":\"a\",\"translation\":\"b\"}", NULL, NULL,
                 "a|-|b|-|-|-|1\n");
    const struct {
        const char *line, *text, *reference, *words;
    } wrong[] = {
        {"{\"translation\":{\"en\":\"a\",\"de\":\"b\"}}", NULL, NULL,
         "\"translation\" has \"en\", \"de\", and which one is the text is not said"},
        {"{\"translation\":{\"en\":\"a\",\"de\":\"b\"}}", "fr", NULL,
         "\"translation\" has \"en\", \"de\" and no text in \"fr\""},
        {"{\"translation\":{\"en\":\"a\",\"de\":\"b\"}}", "en", "fr",
         "\"translation\" has \"en\", \"de\" and no text in \"fr\""},
        {"{\"translation\":{\"en\":null,\"de\":\"b\"}}", "en", "de", "and no text in \"en\""},
        {"{\"translation\":{\"en\":[\"a\"],\"de\":\"b\"}}", "en", "de", "\"en\" must be a string"},
        {"{\"translation\":{\"en\":\"a\",\"de\":7}}", "en", "de", "\"de\" must be a string"},
        {"{\"translation\":{\"en\":\"a\",\"en\":\"b\"}}", "en", NULL, "has the key \"en\" twice"},
        {"{\"translation\":[\"a\"],\"text\":\"b\"}", NULL, NULL,
         "\"translation\" must be a string or an integer"},
        {"{\"translation\":{\"en\":\"a\"}", "en", NULL, "the text ends too early"},
        {"{\"translation\":{\"en\":\"a\",}}", "en", NULL, "a key in quotes is expected"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char file[200];
        snprintf(file, sizeof file, "\n%s\n", wrong[i].line);
        refuse_pairs("p.jsonl", file, wrong[i].text, wrong[i].reference, ALCORE_E_DATA,
                     wrong[i].words);
        refuse_pairs("p.jsonl", file, wrong[i].text, wrong[i].reference, ALCORE_E_DATA,
                     "p.jsonl:2: ");
    }
    char many[4000] = "{\"translation\":{";
    for (int i = 0; i < 200; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "\"x%d\":\"\",", i);
    strcpy(many + strlen(many) - 1, "}}");
    refuse_pairs("p.jsonl", many, "en", NULL, ALCORE_E_DATA, "\"x0\", \"x1\", \"x2\"");
}
END_TEST

START_TEST(formats_by_suffix) {
    static const char *const unread[][2] = {{"a.json", "jq -c '.[]'"},
                                            {"a.xlsx.gz", "save the sheet as CSV"},
                                            {"a.ODS", "as CSV"},
                                            {"a.parquet", "pyarrow"},
                                            {"a.sdlxliff", "take its"},
                                            {"a.mqxliff", "take its texts out"},
                                            {"a.xlf", "take its"},
                                            {"a.ttx", "take its texts out"},
                                            {"a.po", "po2csv"},
                                            {"a.properties", "take its texts out"},
                                            {"a.srt", "one cue a line"},
                                            {"a.vtt", "one cue a line"},
                                            {"a.html", "sentences"},
                                            {"a."
                                             "md",
                                             "sentences"},
                                            {"a.yaml", "as lines"},
                                            {"a.npy", "numbers or objects"},
                                            {"a.bin", "numbers"},
                                            {"a.sqlite", "as CSV"},
                                            {"a.bz2", "unpack it"},
                                            {"a.tar.gz", "unpack it"},
                                            {"d.en/a.docx", "sentences"},
                                            {"a.png", "no texts"}};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        refuse(unread[i][0], "x", unread[i][1]);
        refuse(unread[i][0], "x",
               "what is read is .txt (one text per line), .tsv, .csv, .jsonl, .conll, .sgm and "
               ".tmx");
    }
    static const char *const read[][2] = {{"a.tab", "text\nx\n"},
                                          {"a.TAB.xyz/b.Csv", "text\nx\n"},
                                          {"a.jsonlines", "{\"text\":\"x\"}"},
                                          {"a.ldjson", "{\"text\":\"x\"}"},
                                          {"a.NDJSON", "{\"text\":\"x\"}"}};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        gathered all = {{0}, 0, ALCORE_OK};
        ck_works(read_bytes(read[i][0], read[i][1], strlen(read[i][1]), NULL, 0, &all));
        ck_assert(strncmp(all.text.data, "x|", 2) == 0);
        ck_assert_int_eq(host.warnings, 0);
        alcore__buffer_clear(NULL, &all.text);
    }
    gathered all = {{0}, 0, ALCORE_OK};
    memory_host_file(&host, "text\na\n", 7);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.format = ALCORE_FORMAT_TSV;
    ck_works(alcore__read_records(host.ctx, "a.csv", &options, 0, gather, &all));
    ck_assert_int_eq(all.count, 1);
    options.format = ALCORE_FORMAT_NPY;
    ck_fails(alcore__read_records(host.ctx, "a", &options, 0, gather, &all), ALCORE_E_PARAM,
             "npy is a format of columns");
    options.format = 9;
    ck_fails(alcore__read_records(host.ctx, "a", &options, 0, gather, &all), ALCORE_E_INVALID,
             "format is 9; expected ALCORE_FORMAT_*");
    ck_works(alcore__read_records(host.ctx, "a.tsv", NULL, 0, gather, &all));
    all.answer = ALCORE_E_SHAPE;
    ck_assert_int_eq(alcore__read_records(host.ctx, "a.tsv", NULL, 0, gather, &all),
                     ALCORE_E_SHAPE);
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

/* Names of corpora are text, whatever they begin with; a suffix of which nothing is known only if
 * the content is text, and with a warning. */
START_TEST(text_by_content) {
    static const char *const texts[] = {
        "train.de", "train.zh-Hans", "flores.deu_Latn", "news.pt-BR", "es.es-419", "a.en.txt",
        "a.src",    "a.TGT",         "a.ref",           "a.hyp",      "a.tok",     "a.bpe",
        "a.norm",   "corpus",        "d.x/corpus",      "-",          ".hidden",   "a.so"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect(texts[i], "[laughs] a\n", NULL, "[laughs] a|-|-|-|-|-|1\n");
        ck_assert_int_eq(host.warnings, 0);
        expect(texts[i], "{\"text\": 1}\n", NULL, "{\"text\": 1}|-|-|-|-|-|1\n");
        ck_assert_int_eq(host.warnings, 1);
        ck_assert(
            strstr(host.last_log, "is read as text, one a line, but what it begins with is JSON"));
        expect(texts[i], "id\tText\n", NULL, "id\tText|-|-|-|-|-|1\n");
        ck_assert(strstr(host.last_log, "its first line names the columns of a table"));
    }
    static const char *const plain[] = {
        "<unk> a\n", "[1] a\n", "{a} b\n", "<b>a</b> b\n", "a\n[{\"x\":1}]\n", "\x1B[1ma\n",
        "< 5 >\n",   "<s>\n",   "",        "\n\n"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        gathered all = {{0}, 0, ALCORE_OK};
        ck_works(read_bytes("p.xyz", plain[i], strlen(plain[i]), NULL, 0, &all));
        ck_assert_int_eq(host.warnings, 1);
        ck_assert(strstr(host.last_log,
                         "p.xyz is read as text, one a line: the suffix .xyz names no format"));
        alcore__buffer_clear(NULL, &all.text);
    }
    static const char *const others[][2] = {{"{\"text\": \"a\"}\n{}\n", "it is JSON"},
                                            {" [\n {\"a\": 1}\n]\n", "it is JSON"},
                                            {"{\n", "it is JSON"},
                                            {"[1, 2]", "it is JSON"},
                                            {"<?xml version=\"1.0\"?>\n", "it is XML"},
                                            {"\n<!DOCTYPE x>\n", "it is XML"},
                                            {"<body lang=\"de\">\nx\n", "it is XML"},
                                            {"<!-- made by x -->\n<a>\n", "it is XML"},
                                            {"<url>http://x</url>\nx\n", "it is XML"},
                                            {"%PDF-1.7\n", "it is a PDF document"},
                                            {"PK\3\4x", "it is a zip archive"},
                                            {"\x1F\x8Bx", "its name has to end in .gz"},
                                            {"\1\2\3\4 a\n", "it is a binary file"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        refuse("p.xyz", others[i][0], "p.xyz: the suffix .xyz names no format");
        refuse("p.xyz.gz/p.xyz", others[i][0], others[i][1]);
    }
    /* a long first line, of which the beginning has to do */
    char *line = malloc(100001);
    memset(line, 'x', 100000);
    memcpy(line, "{\"a\": \"", 7);
    line[100000] = 0;
    refuse("p.xyz", line, "it is JSON");
    memcpy(line, "[{\"a\":\"", 7);
    refuse("p.xyz", line, "it is JSON");
    free(line);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    gathered all = {{0}, 0, ALCORE_OK};
    options.format = ALCORE_FORMAT_TEXT;
    host.warnings = 0;
    memory_host_file(&host, "{}\n", 3);
    ck_works(alcore__read_records(host.ctx, "p.xyz", &options, 0, gather, &all));
    ck_assert_int_eq(host.warnings, 0);
    alcore__buffer_clear(NULL, &all.text);
}
END_TEST

START_TEST(every_allocation_may_fail) {
    static const char *const files[][2] = {{"p.txt", "a\nb\n"},
                                           {"p.tsv", "id\ttext\n1\ta\n"},
                                           {"p.jsonl", "{\"id\":1,\"text\":\"a\"}\n"},
                                           {"p.sgm", "<doc id=\"d\">\n<seg id=\"1\">a</seg>\n"},
                                           {"p.conllu", "# sent_id = x\n# newdoc id = y\na\tX\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fail_each_allocation(&host, files[i][0], files[i][1], NULL, ALCORE_OK);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {text_splits_on_newline_only,
                                  text_carriage_returns_are_reported_once,
                                  byte_order_marks,
                                  nul_bytes_are_named_by_line,
                                  long_lines,
                                  many_lines_over_many_reads,
                                  how_many_are_coming,
                                  tsv_columns,
                                  tsv_errors,
                                  jsonl_records,
                                  jsonl_errors,
                                  columns_of_pairs,
                                  jsonl_tokens_and_classes,
                                  jsonl_translations,
                                  formats_by_suffix,
                                  text_by_content,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("records", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
