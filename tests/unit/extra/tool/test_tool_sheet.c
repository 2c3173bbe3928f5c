/* SPDX-License-Identifier: Apache-2.0 */
/* CSV for spreadsheets: what is written, and what rows that people filled in say. */
#include "check_suite.h"

#include <math.h>

#include "tool_files.h"

#define HEAD "id,text,translation,status,comment,draft\n"

static const alcore_tool_options classes = {.size = sizeof(alcore_tool_options),
                                            .task = ALCORE_TASK_CLASSES};
static const alcore_tool_options tags = {.size = sizeof(alcore_tool_options),
                                         .task = ALCORE_TASK_TAGS};

START_TEST(test_written) {
    static const char *const ids[] = {"a,1", "b"}, *const texts[] = {"x \"y\"\nz", "two"};
    static const char *const drafts[] = {NULL, "zwei"}, *const groups[] = {"d.txt", NULL};
    static const char *const reasons[] = {"far", NULL}, *const contexts[] = {NULL, "before"};
    static const char *const languages[] = {"en", NULL};
    static const double scores[] = {0.25, (double)NAN}, costs[] = {3, 1};
    alcore_tool_items items = tool_items(ids, texts, drafts, 2);
    items.groups = groups;
    items.reasons = reasons;
    items.contexts = contexts;
    items.languages = languages;
    items.scores = scores;
    items.costs = costs;
    ck_assert_ok(alcore_tool_write(ctx, "csv", in_folder("x.csv"), &items, NULL));
    ck_assert_str_eq(file_text(tool_path),
                     "\xEF\xBB\xBFid,text,translation,status,comment,draft,context,reason,group,"
                     "language,rank,score,cost\r\n"
                     "\"a,1\",\"x \"\"y\"\"\nz\",,,,,,far,d.txt,en,1,0.25,3\r\n"
                     "b,two,zwei,draft,,zwei,before,,,,2,,1\r\n");
    ck_assert_str_eq(answers_of_file("csv", in_folder("x.csv"), NULL), "b draft zwei\n");
}
END_TEST

START_TEST(test_rows) {
    ck_assert_str_eq(answers_of("csv", "x.csv",
                                HEAD "a,x,y,,,\nb,x,,,,\nc,x,y,draft,,y\n"
                                     "d,x,z,draft,,y\ne,x,y,draft,,\n"
                                     "f,x,,skip,,\ng,x,y,Rejected,,\n"
                                     "h,x,y,untranslatable,,\ni,x,y,needs work,,\n"
                                     "j,x,x,ok,,\n,,,,,\n"
                                     "k,x,y,perhaps,,\nl,x,,ok,,\n,x,y,,,\n"
                                     "m,x,,draft,,\n\n"),
                     "a ok y\nc draft y\nd ok z\ne draft y\nf skip -\ng reject -\n"
                     "h untranslatable -\ni draft y\nj ok x\n"
                     "FILE:13: \"perhaps\" is no status that is known; ok, draft, skip, reject, "
                     "untranslatable and others are\n"
                     "FILE:14: the status is ok, but there is no translation\n"
                     "FILE:15: there is no id\n");
}
END_TEST

/* Columns that people add, in any order and case, with semicolons as spreadsheets of half of Europe
 * write them. */
START_TEST(test_columns) {
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    put("x.csv", "Seconds;Annotator;Time;Translation;ID;Comment;Text;mine\n"
                 "1.5;Ann;2026-01-02;\"y;\";a;odd;x;1\nfast;Ann;;y;b;;x;2\n");
    ck_assert_ok(alcore_tool_read(ctx, "csv", tool_path, NULL, &answers));
    ck_assert_int_eq(alcore_tool_answers_count(answers), 1);
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.value, "y;");
    ck_assert_str_eq(answer.annotator, "Ann");
    ck_assert_str_eq(answer.time, "2026-01-02");
    ck_assert_str_eq(answer.comment, "odd");
    ck_assert_str_eq(answer.text, "x");
    ck_assert_double_eq(answer.seconds, 1.5);
    ck_assert_int_eq(alcore_tool_answers_unusable(answers), 1);
    ck_assert_ptr_nonnull(
        strstr(alcore_tool_answers_messages(answers), "x.csv:3: the seconds are no number\n"));
    alcore_tool_answers_unref(answers);
    /* By their suffix, and as CSV where it says nothing. */
    ck_assert_str_eq(answers_of("csv", "x.tsv", "id\ttranslation\na\ty, \"z\n"), "a ok y, \"z\n");
    ck_assert_str_eq(answers_of("csv", "x.jsonl", "{\"id\":\"a\",\"translation\":\"y\"}\n"),
                     "a ok y\n");
    ck_assert_str_eq(answers_of("csv", "x", "id,translation\na,\"y, z\"\n"), "a ok y, z\n");
    ck_assert_str_eq(error_of("csv", "x.xlsx", "PK"),
                     "ALCORE_E_DATA FILE is no CSV: files in .xlsx are read by the tool xlsx");
    ck_assert_str_eq(error_of("csv", "x.xlf", "<xliff/>"),
                     "ALCORE_E_DATA FILE is no CSV: files in .xlf are read by the tool xliff, "
                     "xliff2");
    ck_assert_str_eq(
        error_of("csv", "x.tmx", "<tmx/>"),
        "ALCORE_E_DATA FILE is no CSV: files in .tmx are read by the tool tmx; this is a "
        "batch of tmx, not of csv");
}
END_TEST

START_TEST(test_labels) {
    static const char *const ids[] = {"a", "b"}, *const texts[] = {"x", "y"};
    static const char *const drafts[] = {"pos\tneg", NULL}, *const bad[] = {"p|q", NULL};
    static const char *const taggings[] = {"B-X O", NULL};
    alcore_tool_items items = tool_items(ids, texts, drafts, 2);
    ck_assert_ok(alcore_tool_write(ctx, "csv", in_folder("x.csv"), &items, &classes));
    ck_assert_ptr_nonnull(strstr(file_text(tool_path), "a,x,pos|neg,draft,,pos|neg,"));
    ck_assert_str_eq(answers_of_file("csv", in_folder("x.csv"), &classes), "a draft neg\tpos\n");
    ck_assert_str_eq(answers_of_file("csv",
                                     put("x.csv", "id,labels,status,draft\na,pos|neg,,\nb,,ok,\n"
                                                  "c,,,\nd,pos,draft,neg|pos\n"
                                                  "e,neg|pos,draft,neg|pos\n"),
                                     &classes),
                     "a ok neg\tpos\nb ok \nd ok pos\ne draft neg\tpos\n");
    items.drafts = bad;
    ck_assert_fails(alcore_tool_write(ctx, "csv", in_folder("x.csv"), &items, &classes),
                    ALCORE_E_DATA, "item 1 (a): a label of the draft has a |");
    items.drafts = taggings;
    ck_assert_ok(alcore_tool_write(ctx, "csv", in_folder("x.csv"), &items, &tags));
    ck_assert_ptr_nonnull(strstr(file_text(tool_path), "id,text,tags,status"));
    ck_assert_str_eq(answers_of_file("csv", put("x.csv", "id,tags\na,B-X  O\n"), &tags),
                     "a ok B-X O\n");
}
END_TEST

START_TEST(test_wrong) {
    ck_assert_str_eq(error_of("csv", "x.csv", ""),
                     "ALCORE_E_DATA FILE is empty; its first line has to name the columns");
    ck_assert_str_eq(error_of("csv", "x.csv", "\xEF\xBB\xBF\n\n"),
                     "ALCORE_E_DATA FILE is empty; its first line has to name the columns");
    ck_assert_str_eq(answers_of("csv", "x.csv", HEAD), "");
    ck_assert_str_eq(error_of("csv", "x.csv", "name,translation\na,b\n"),
                     "ALCORE_E_DATA FILE:1: the first line names no column id; it has \"name\", "
                     "\"translation\"");
    ck_assert_str_eq(error_of("csv", "x.csv", "id,labels\na,b\n"),
                     "ALCORE_E_DATA FILE:1: the first line names no column translation; it has "
                     "\"id\", \"labels\"");
    ck_assert_str_eq(answers_of("csv", "x.csv", HEAD "a,x,y\nb,x,\xFF,,,\nc,x,y,,,\n"),
                     "c ok y\nFILE:2: 3 fields, separated by commas; 6 are expected\n"
                     "FILE:3: byte 1 of the translation is not UTF-8\n");
}
END_TEST

CHECK_SUITE_WITH("CSV of tools", tool_setup, tool_teardown, test_written, test_rows, test_columns,
                 test_labels, test_wrong);
