/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations: items, selections, answers, dictionaries, requests, and what they refuse. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/annotation.h"
#include "annotation_line.h"
#include "check_status.h"
#include "check_suite.h"
#include "file_text.h"
#include "test_folder.h"

static const char *const texts[] = {
    "the patient has severe headache", "the patient has severe nausea",
    "severe headache was reported",    "the patient was treated",
    "headache was reported",           "the patient has fever"};
static const char *const references[] = {
    "der Patient hat starke Kopfschmerzen", "der Patient hat starke Uebelkeit",
    "starke Kopfschmerzen wurden gemeldet", "der Patient wurde behandelt",
    "Kopfschmerzen wurden gemeldet",        "der Patient hat Fieber"};
enum { TEXTS = 6 };

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_annotations *annotations;
static char folder[TEST_PATH_BYTES];
static char paths[16][2 * TEST_PATH_BYTES];

static const char *path_of(const char *name) {
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *put_file(const char *name, const char *text) {
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void begin(bool with_references) {
    alcore_records records = ALCORE_RECORDS_INIT;
    test_folder_make(folder, "annotations");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    records.texts = texts;
    records.references = with_references ? references : NULL;
    records.count = TEXTS;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
}

static void end(void) {
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

static const char *item(int64_t i) {
    return annotation_line(annotations, i);
}

static const char selection[] = "rank\tindex\tid\tscore\tcost\tkind\treason\ttext\n"
                                "1\t3\t4\t0.5\t4\tsentence\tr\tthe patient was treated\n"
                                "2\t0\t4\t2\t2\tphrase\tr\tsevere headache\n"
                                "3\t5\t7\t1\t1\tphrase\tr\tfever\n";

START_TEST(selections) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_int_eq(alcore_annotations_count(annotations), 3);
    ck_assert_str_eq(item(0), "4 sent the patient was treated = - (open, row 3)");
    ck_assert_str_eq(item(1), "4 phrase severe headache = - (open, row 0)");
    ck_assert_str_eq(item(2), "7 phrase fever = - (open, row 5)");
    ck_assert_double_eq(alcore_annotations_spent(annotations), 7.0);
    /* Phrases are told by their column of occurrences. */
    ck_assert_ok(alcore_annotations_read_selection(
        annotations, put_file("p.tsv", "rank\tindex\tid\tscore\tcost\tocc\ttext\n"
                                       "1\t1\t9\t2\t1\t1\tnausea\n")));
    ck_assert_str_eq(item(3), "9 phrase nausea = - (open, row 1)");
    ck_assert_ok(alcore_annotations_read_selection(
        annotations,
        put_file("j.jsonl", "{\"id\":\"2\",\"source\":\"the patient has severe nausea\",\"al\":"
                            "{\"index\":1,\"cost\":5,\"other\":[1,{}]}}\n"
                            "{\"id\":\"x\",\"source\":\"has fever\",\"al\":{\"kind\":\"phrase\","
                            "\"index\":5}}\n")));
    ck_assert_str_eq(item(4), "2 sent the patient has severe nausea = - (open, row 1)");
    ck_assert_str_eq(item(5), "x phrase has fever = - (open, row 5)");
    ck_assert_ptr_null(alcore_annotations_id(annotations, 6));
    ck_assert_ptr_null(alcore_annotations_kind(annotations, -1));
    ck_assert_ptr_null(alcore_annotations_status(annotations, 6));
    ck_assert_int_eq(alcore_annotations_row(annotations, 6), -1);
    end();
}
END_TEST

START_TEST(malformed_selections) {
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"id\tscore\n1\t2\n", "s.tsv:1: the first line names no column text"},
        {"", ""},
        {"id\ttext\n1\tthe patient was treated\n", "s.tsv:2: the text is not that of row 0"},
        {"id\ttext\n99\tthe patient was treated\n", "s.tsv:2: "},
        {"id\ttext\n4\tthe patient was treated\n5\n", "s.tsv:3: 1 fields"},
        {"id\ttext\tkind\n4\tthe patient was treated\tword\n", "s.tsv:2: \"word\" is no kind"},
        {"id\ttext\tcost\n4\tthe patient was treated\tfour\n", "s.tsv:2: the cost is no number"},
        {"id\ttext\tcost\n4\tthe patient was treated\t-1\n", "s.tsv:2: the cost is -1"},
        {"id\ttext\tindex\tocc\n4\ttreated\tx\t1\n", "s.tsv:2: the index is no integer"},
        {"id\ttext\tindex\tocc\n4\ttreated\t6\t1\n", "s.tsv:2: the pool has no row 6"},
        {"id\ttext\tocc\n4\t \t1\n", "s.tsv:2: the text has no word"},
        {"id\ttext\tocc\n4\t\xFFz\t1\n", "s.tsv:2: byte 1 of the text is not UTF-8"},
        {"id\ttext\tid\n", "s.tsv:1: two columns are called id"},
    };
    begin(false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = put_file("s.tsv", bad[i].text);
        if (!*bad[i].text) {
            ck_assert_ok(alcore_annotations_read_selection(annotations, path));
            continue;
        }
        ck_assert_fails(alcore_annotations_read_selection(annotations, path), ALCORE_E_DATA,
                        bad[i].part);
        ck_assert_int_eq(alcore_annotations_count(annotations), 0);
    }
    ck_assert_fails(alcore_annotations_read_selection(annotations, path_of("none.tsv")),
                    ALCORE_E_IO, "none.tsv");
    ck_assert_fails(
        alcore_annotations_read_selection(annotations, put_file("j.jsonl", "{\"id\":\"1\"}\n")),
        ALCORE_E_DATA, "j.jsonl:1: the object has no \"text\"");
    static const char *const objects[][2] = {
        {"{\"id\":\"1\",\"text\":[\"a\"]}", "\"text\" must be a string or a number"},
        {"{\"id\":{\"n\":1},\"text\":\"a\"}", "\"id\" must be a string or a number"},
        {"{\"id\":\"1\",\"text\":\"a\",\"kind\":true}", "\"kind\" must be a string or a number"},
        {"{\"id\":\"1\",\"id\":\"2\",\"text\":\"a\"}", "\"id\" is given twice"},
        {"{\"source\":\"b\",\"text\":\"a\"}", "\"text\" is given twice, or under another name"}};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        ck_assert_fails(
            alcore_annotations_read_selection(annotations, put_file("j.jsonl", objects[i][0])),
            ALCORE_E_DATA, objects[i][1]);
    ck_assert_fails(alcore_annotations_read_selection(
                        annotations, put_file("j.jsonl", "{\"id\":\"1\",\"text\":\"a\n")),
                    ALCORE_E_DATA, "j.jsonl:1: ");
    end();
}
END_TEST

START_TEST(answers) {
    begin(false);
    const char *selected = put_file("s.tsv", selection);
    ck_assert_ok(alcore_annotations_read_selection(annotations, selected));
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put_file("a.tsv", "id\ttext\ttranslation\n"
                                       "4\tsevere headache\tstarke Kopfschmerzen\n")));
    ck_assert_str_eq(item(0), "4 sent the patient was treated = - (open, row 3)");
    ck_assert_str_eq(item(1), "4 phrase severe headache = starke Kopfschmerzen (ok, row 0)");
    /* Without a header; the rest of the items. */
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put_file("b.csv", "7,fever,Fieber\n"
                                       "4,the patient was treated,\"der Patient\twurde\"\n")));
    ck_assert_str_eq(item(0), "4 sent the patient was treated = der Patient\twurde (ok, row 3)");
    ck_assert_str_eq(item(2), "7 phrase fever = Fieber (ok, row 5)");
    const char *out = path_of("out.tsv");
    ck_assert_ok(alcore_annotations_write(annotations, out, NULL));
    ck_assert_str_eq(file_text(out), "id\ttext\ttranslation\tflags\n"
                                     "4\tthe patient was treated\tder Patient\\twurde\t\n"
                                     "4\tsevere headache\tstarke Kopfschmerzen\t\n"
                                     "7\tfever\tFieber\t\n");
    alcore_annotations_unref(annotations);
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
    ck_assert_ok(alcore_annotations_read_selection(annotations, selected));
    ck_assert_ok(alcore_annotations_read_answers(annotations, out));
    ck_assert_str_eq(item(0), "4 sent the patient was treated = der Patient\twurde (ok, row 3)");
    const char *json = path_of("out.jsonl");
    ck_assert_ok(alcore_annotations_write(annotations, json, NULL));
    alcore_annotations_unref(annotations);
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
    ck_assert_ok(alcore_annotations_read_selection(annotations, selected));
    ck_assert_ok(alcore_annotations_read_answers(annotations, json));
    ck_assert_str_eq(item(2), "7 phrase fever = Fieber (ok, row 5)");
    end();
}
END_TEST

/* The form of spec 9.4: status, and an untranslatable item, whose cost is refunded. */
START_TEST(statuses) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_fails(alcore_annotations_read_answers(
                        annotations, put_file("a.tsv", "req_id\tstatus\ttranslation\n4\tok\tx\n")),
                    ALCORE_E_DATA, "a.tsv:2: several items have the id \"4\"");
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put_file("a.tsv", "req_id\tstatus\ttranslation\n7\tskip\t\n")));
    ck_assert_str_eq(item(2), "7 phrase fever = - (skipped, row 5)");
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 1.0);
    ck_assert_double_eq(alcore_annotations_spent(annotations), 6.0);
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put_file("a.tsv", "id\ttext\ttranslation\tflags\n"
                                       "4\tsevere headache\tstarke\tloose\n")));
    ck_assert_str_eq(item(1), "4 phrase severe headache = starke (loose, row 0)");
    end();
}
END_TEST

/* Reads answers, in TSV unless the name says otherwise; returns what was found. */
static alcore_answer_report read_answers(const char *name, const char *text) {
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    ck_assert_ok(alcore_annotations_read_answers(annotations, put_file(name, text)));
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    return report;
}

START_TEST(malformed_answers) {
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"id\ttext\ttranslation\n4\tfever\tx\n",
         "a.tsv:2: no item with the id \"4\" has the text \"fever\""},
        {"id\ttext\ttranslation\n7\tflu\tx\n",
         "a.tsv:2: the text \"flu\" is not that of the item with the id \"7\", which is \"fever\""},
        {"id\ttext\ttranslation\n5\tfever\tx\n", "a.tsv:2: no selected item has the id \"5\""},
        {"id\ttext\ttranslation\n7\tfever\tx\n7\tfever\ty\n",
         "a.tsv:3: the item with the id \"7\" has another answer in line 2, \"x\" and \"y\": "
         "neither counts"},
        {"id\ttext\ttranslation\n7\tfever\n", "a.tsv:2: 2 fields"},
        {"7\tfever\n", "a.tsv:1: 2 fields, separated by tabs; 3 are expected"},
        {"9\tfever\tFieber\n", "a.tsv:1: no selected item has the id \"9\""},
        {"id\ttext\ttranslation\n7\tfever\tx\ty\n", "a.tsv:2: 4 fields"},
        {"id\ttext\ttranslation\n7\tfever\t\xC3\n", "a.tsv:2: byte 1 of the translation is not"},
        {"id\ttranslation\tstatus\n7\tx\tmaybe\n", "a.tsv:2: \"maybe\" is no status that is known"},
        {"id\ttranslation\tflags\n7\tx\tuntranslatable\n",
         "a.tsv:2: an item that is untranslatable has a translation"},
        {"id\ttranslation\tflags\n7\tx\todd\n", "a.tsv:2: \"odd\" is no flag that is known"},
        {"id\ttranslation\tcancelled\n7\tx\tsoon\n", "a.tsv:2: was_cancelled is \"soon\""},
        {"id\ttext\ttranslation\n", "a.tsv has no line with an answer"},
        {"id\ttext\n7\tfever\n", "a.tsv:1: "},
    };
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_fails(
            alcore_annotations_read_answers(annotations, put_file("a.tsv", bad[i].text)),
            ALCORE_E_DATA, bad[i].part);
        /* Nothing of a file that is refused is taken. */
        ck_assert_str_eq(item(2), "7 phrase fever = - (open, row 5)");
    }
    end();
}
END_TEST

/* Lines apply one by one: what cannot be used is told, and blank translations stay open. */
START_TEST(lines_apply_one_by_one) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    const alcore_answer_report report =
        read_answers("a.tsv", "id\ttext\ttranslation\n"
                              "4\tthe  patient was treated \tC:\\temp \\q\n" /* as trimmed cells */
                              "5\tfever\tx\n"
                              "4\tsevere headache\t\n"
                              "too few\n"
                              "7\tfever\tFieber\n"
                              "7\tfever\tFieber\n");
    ck_assert(report.lines == 5 && report.answered == 1 && report.unanswered == 1);
    ck_assert(report.unusable == 3 && report.corrected == 0 && report.conflicting == 0);
    ck_assert_ptr_nonnull(strstr(report.messages, "a.tsv:3: no selected item has the id \"5\"\n"));
    ck_assert_ptr_nonnull(strstr(report.messages, "a.tsv:5: 1 fields"));
    ck_assert_str_eq(item(1), "4 phrase severe headache = - (open, row 0)");
    ck_assert_str_eq(item(2), "7 phrase fever = Fieber (ok, row 5)");
    /* Of one item with an id white space does not matter, and backslashes are no escapes. */
    read_answers("a.tsv", "id\ttext\ttranslation\n7\t fever \tC:\\temp \\q\n");
    ck_assert_str_eq(item(2), "7 phrase fever = C:\\temp \\q (ok, row 5)");
    end();
}
END_TEST

/* Null is a blank translation, what is skipped needs none, and names have any case. */
START_TEST(blanks_of_json) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    alcore_answer_report report = read_answers(
        "a.jsonl", "{\"id\": 7, \"translation\": null}\n"
                   "{\"id\": 4, \"text\": \"severe headache\", \"answer\": \"ignore\"}\n");
    ck_assert(report.lines == 2 && report.unanswered == 1 && report.skipped == 1);
    ck_assert(report.unusable == 0 && report.answered == 0);
    ck_assert_fails(alcore_annotations_read_answers(
                        annotations, put_file("a.jsonl", "{\"id\": 7, \"traduction\": \"x\"}\n")),
                    ALCORE_E_DATA, "a.jsonl:1: the object has no \"translation\"");
    report = read_answers("a.csv", "id;translation\n7;\n;\n;\n"); /* of a spreadsheet */
    ck_assert(report.lines == 1 && report.unanswered == 1 && report.unusable == 0);
    report = read_answers("a.tsv", "ID\tTranslation\tStatus\n7\t\tSkip\n");
    ck_assert(report.skipped == 1 && report.unusable == 0);
    end();
}
END_TEST

/* A later file corrects an earlier one; skips and rejections end, and the cost follows. */
START_TEST(later_answers) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    alcore_answer_report report = read_answers("a.tsv", "id\ttranslation\tstatus\n7\tFeber\tOK\n");
    ck_assert(report.answered == 1 && report.corrected == 0 && report.messages[0] == '\0');
    report = read_answers("b.tsv", "id\ttranslation\n7\t\n");
    ck_assert(report.unanswered == 1 && report.answered == 0);
    report = read_answers("b.jsonl", "{\"id\": 7, \"translation\": null}\n");
    ck_assert(report.unanswered == 1 && report.unusable == 0);
    report = read_answers("b.tsv", "id\ttranslation\n7\tFeber\n");
    ck_assert(report.answered == 1 && report.corrected == 0);
    report = read_answers("b.tsv", "id\ttranslation\n7\tFieber\n");
    ck_assert(report.answered == 1 && report.corrected == 1);
    ck_assert_ptr_nonnull(strstr(
        report.messages, "b.tsv:2: corrects the item with the id \"7\": \"Fieber\" was \"Feber\""));
    report = read_answers("c.jsonl", "{\"id\": 7, \"translation\": \"Fieber\", \"answer\": "
                                     "\"reject\"}\n");
    ck_assert(report.rejected == 1 && report.corrected == 1);
    ck_assert_str_eq(item(2), "7 phrase fever = - (rejected, row 5)");
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 1.0);
    report = read_answers("c.jsonl", "{\"id\": 7, \"translation\": \"Fieber\", "
                                     "\"was_cancelled\": true}\n");
    ck_assert(report.skipped == 1);
    ck_assert_str_eq(item(2), "7 phrase fever = - (skipped, row 5)");
    /* What is written of such items is read again. */
    const char *out = path_of("out.tsv");
    ck_assert_ok(alcore_annotations_write(annotations, out, NULL));
    ck_assert_ok(alcore_annotations_read_answers(annotations, out));
    ck_assert_str_eq(item(2), "7 phrase fever = - (skipped, row 5)");
    report = read_answers("c.jsonl", "{\"id\": 7, \"translation\": \"Fieber\", "
                                     "\"was_cancelled\": false, \"status\": \"submitted\"}\n");
    ck_assert(report.answered == 1 && report.corrected == 1);
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 0.0);
    ck_assert_double_eq(alcore_annotations_spent(annotations), 7.0);
    end();
}
END_TEST

/* Two answers of one file: neither counts, and the item keeps what it had; a translation ends a
 * skip. The less favorable of two words of a line counts. */
START_TEST(answers_that_differ) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    read_answers("a.tsv", "id\ttranslation\n7\tfirst\n");
    alcore_answer_report report =
        read_answers("b.tsv", "id\ttext\ttranslation\tstatus\n"
                              "7\tfever\tFieber\tdone\n"
                              "7\tfever\tHitze\tdone\n"
                              "4\tsevere headache\t\tdiscarded\n"
                              "4\tsevere headache\tstarke Kopfschmerzen\tTRANSLATED\n"
                              "4\tthe patient was treated\tein Entwurf\tNeeds_Review\n");
    ck_assert(report.conflicting == 1 && report.answered == 1 && report.skipped == 0);
    ck_assert(report.unanswered == 1);
    ck_assert_ptr_nonnull(strstr(report.messages, "b.tsv:3: the item with the id \"7\" has another "
                                                  "answer in line 2, \"Fieber\" and \"Hitze\""));
    ck_assert_str_eq(item(2), "7 phrase fever = first (ok, row 5)");
    ck_assert_str_eq(item(1), "4 phrase severe headache = starke Kopfschmerzen (ok, row 0)");
    ck_assert_str_eq(item(0), "4 sent the patient was treated = - (open, row 3)");
    report = read_answers("c.tsv", "id\ttranslation\tstatus\tanswer\n7\tx\tok\treject\n");
    ck_assert(report.rejected == 1);
    ck_assert_fails(alcore_annotations_answer_report(NULL, &report), ALCORE_E_INVALID, "NULL");
    end();
}
END_TEST

START_TEST(dictionaries) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_fails(
        alcore_annotations_look_up(annotations, put_file("d.tsv", "fever\tFieber\nfever\n")),
        ALCORE_E_DATA, "d.tsv:2: 1 fields");
    ck_assert_fails(alcore_annotations_look_up(annotations, put_file("d.tsv", "fever\t \n")),
                    ALCORE_E_DATA, "d.tsv:1: the translation is empty");
    ck_assert_fails(alcore_annotations_look_up(annotations, put_file("d.tsv", " \tx\n")),
                    ALCORE_E_DATA, "d.tsv:1: the source has no word");
    ck_assert_str_eq(item(2), "7 phrase fever = - (open, row 5)");
    ck_assert_ok(alcore_annotations_look_up(
        annotations, put_file("d.tsv", "source\ttranslation\nfever\tFieber\nfever\tTemperatur\n"
                                       "severe  headache\tstarke Kopfschmerzen\nother\tx\n")));
    ck_assert_str_eq(item(0), "4 sent the patient was treated = - (untranslatable, row 3)");
    ck_assert_str_eq(item(1), "4 phrase severe headache = starke Kopfschmerzen (ok, row 0)");
    ck_assert_str_eq(item(2), "7 phrase fever = Fieber (ok, row 5)");
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 4.0);
    end();
}
END_TEST

START_TEST(requests) {
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_ok(alcore_annotations_read_selection(
        annotations, put_file("p.tsv", "index\tid\tcost\tocc\ttext\n0\t1\t2\t4\tthe patient\n")));
    const char *out = path_of("r.tsv");
    ck_assert_ok(alcore_annotations_write_requests(annotations, out, NULL));
    ck_assert_str_eq(
        file_text(out),
        "req_id\tkind\tlang\tcost\ttext\tcontext\n"
        "4\tsent\tunknown\t4\tthe patient was treated\t\n"
        "4\tphrase\tunknown\t2\tsevere headache\tthe patient has severe headache | severe headache "
        "was reported\n"
        "7\tphrase\tunknown\t1\tfever\tthe patient has fever\n"
        "1\tphrase\tunknown\t2\tthe patient\tthe patient has severe headache | the patient has "
        "severe nausea | the patient was treated\n");
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put_file("a.tsv", "4\tthe patient was treated\tx\n4\tsevere headache\ty\n"
                                       "1\tthe patient\tz\n")));
    out = path_of("r.jsonl");
    ck_assert_ok(alcore_annotations_write_requests(annotations, out, NULL));
    ck_assert_str_eq(file_text(out), "{\"schema\":\"alcore-requests-1\",\"req_id\":\"7\",\"kind\":"
                                     "\"phrase\",\"lang\":\"unknown\","
                                     "\"cost\":1,\"text\":\"fever\",\"context\":[\"the patient has "
                                     "fever\"]}\n");
    ck_assert_fails(alcore_annotations_write_requests(annotations, path_of("r.txt"), NULL),
                    ALCORE_E_UNSUPPORTED, "r.txt");
    ck_assert_int_ne(access(path_of("r.txt"), F_OK), 0);
    end();
}
END_TEST

/* Sentences by their references, phrases by links that are made here. */
START_TEST(simulated) {
    begin(true);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_ok(alcore_annotations_simulate(annotations, NULL, NULL));
    ck_assert_str_eq(item(0),
                     "4 sent the patient was treated = der Patient wurde behandelt (ok, row 3)");
    ck_assert_str_ne(alcore_annotations_status(annotations, 1), "open");
    ck_assert_str_ne(alcore_annotations_status(annotations, 2), "open");
    ck_assert_ok(alcore_annotations_simulate(annotations, NULL, NULL)); /* nothing is open */
    end();
    begin(false);
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_fails(alcore_annotations_simulate(annotations, NULL, NULL), ALCORE_E_MISSING,
                    "no references");
    end();
}
END_TEST

/* A pool of its own. */
static alcore_pool *pool_of_pairs(const char *const *sources, const char *const *targets,
                                  int64_t count) {
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *out;
    records.texts = sources;
    records.references = targets;
    records.count = count;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &out));
    ck_assert_ok(alcore_pool_add_records(out, &records, NULL));
    return out;
}

/* How "rot" is translated in a pool of one pair, whose words are crossed. */
static void assert_red_is(const char *expected, const alcore_pool *labeled) {
    const char *source = "haus rot", *target = "red house", *phrase = "rot", *kind = "phrase";
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_pool *crossed = pool_of_pairs(&source, &target, 1);
    alcore_annotations *items;
    records.texts = &phrase;
    records.kinds = &kind;
    records.count = 1;
    ck_assert_ok(alcore_annotations_new(crossed, &items));
    ck_assert_ok(alcore_annotations_add(items, &records));
    ck_assert_ok(alcore_annotations_simulate(items, NULL, labeled));
    ck_assert_str_eq(alcore_annotations_translation(items, 0, NULL), expected);
    alcore_annotations_unref(items);
    alcore_pool_unref(crossed);
}

/* Alone the crossed pair is linked along the diagonal; labeled pairs of the same words say which
 * word is which, whether they are marked as labeled or not. Excluded ones take no part. */
START_TEST(simulated_beside_labeled_pairs) {
    const char *words[] = {"rot", "haus", "rot rot"}, *meanings[] = {"red", "house", "red red"};
    const int64_t all[] = {0, 1, 2};
    alcore_links *links;
    begin(true);
    alcore_pool *labeled = pool_of_pairs(words, meanings, 3);
    assert_red_is("house", NULL);
    assert_red_is("red", labeled);
    ck_assert_ok(alcore_pool_mark(labeled, ALCORE_ROW_LABELED, all, 3));
    assert_red_is("red", labeled);
    ck_assert_ok(alcore_pool_mark(labeled, ALCORE_ROW_EXCLUDED, all + 1, 2));
    ck_assert_ok(alcore_annotations_read_selection(annotations, put_file("s.tsv", selection)));
    ck_assert_ok(alcore_align(ctx, words, NULL, meanings, NULL, 3, NULL, NULL, NULL, &links));
    ck_assert_fails(alcore_annotations_simulate(annotations, links, labeled), ALCORE_E_INVALID,
                    "one of both");
    ck_assert_ok(alcore_pool_mark(labeled, ALCORE_ROW_EXCLUDED, all, 1));
    ck_assert_fails(alcore_annotations_simulate(annotations, NULL, labeled), ALCORE_E_MISSING,
                    "the labeled pool has no pair");
    ck_assert_str_eq(alcore_annotations_status(annotations, 1), "open");
    alcore_links_unref(links);
    alcore_pool_unref(labeled);
    end();
}
END_TEST

START_TEST(added) {
    const char *item_texts[] = {texts[1], "severe headache"}, *kinds[] = {"sent", "phrase"};
    const char *translations[] = {"uno", NULL};
    static const char *const ids[] = {"first", "a\xFF"};
    const int64_t rows[] = {1, 0};
    const double costs[] = {2.5, 1.0};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    begin(false);
    records.texts = item_texts;
    records.kinds = kinds;
    records.translations = translations;
    records.rows = rows;
    records.costs = costs;
    records.count = 2;
    ck_assert_ok(alcore_annotations_add(annotations, &records));
    ck_assert_str_eq(item(0), "1 sent the patient has severe nausea = uno (ok, row 1)");
    ck_assert_str_eq(item(1), "2 phrase severe headache = - (open, row 0)");
    ck_assert_double_eq(alcore_annotations_spent(annotations), 3.5);
    kinds[1] = "word";
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_PARAM, "item 1: ");
    kinds[1] = "phrase";
    item_texts[1] = " ";
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_DATA,
                    "item 1: the text has no word");
    item_texts[1] = NULL;
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_INVALID, "item 1: ");
    item_texts[1] = "severe headache";
    translations[1] = "";
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_DATA,
                    "item 1: the translation has no word");
    translations[1] = NULL;
    records.ids = ids;
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_DATA,
                    "item 1: byte 2 of the id is not UTF-8");
    records.count = -1;
    ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_INVALID, "negative");
    ck_assert_int_eq(alcore_annotations_count(annotations), 2);
    ck_assert_fails(alcore_annotations_add(annotations, NULL), ALCORE_E_INVALID, "needed");
    ck_assert_fails(alcore_annotations_read_answers(NULL, "x"), ALCORE_E_INVALID, "needed");
    ck_assert_fails(alcore_annotations_write(annotations, NULL, NULL), ALCORE_E_INVALID, "needed");
    alcore_annotations *none;
    ck_assert_fails(alcore_annotations_new(NULL, &none), ALCORE_E_INVALID, "needed");
    ck_assert_ptr_null(none);
    end();
}
END_TEST

CHECK_SUITE("mix/annotations", selections, malformed_selections, answers, statuses,
            malformed_answers, lines_apply_one_by_one, blanks_of_json, later_answers,
            answers_that_differ, dictionaries, requests, simulated, simulated_beside_labeled_pairs,
            added);
