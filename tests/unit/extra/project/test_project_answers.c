/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that come back: partially, again, in any order, from several people, corrected; what they
 * come to, and what is written of them. */
#include "file_text.h"
#include "project_round_bed.h"

static const char *labeled(void) {
    ck_assert_ok(alcore_project_write_labeled(project, in_bed("out.tsv")));
    return file_text(in_bed("out.tsv"));
}

START_TEST(partially_and_again) {
    alcore_project_import_report report = imported(row(second, "zwei", "", "anna", ""));
    ck_assert_int_eq(report.answers, 1);
    ck_assert_int_eq(report.added, 1);
    ck_assert_str_eq(report.messages, "");
    ck_assert_int_eq(bed_status(project).answered, 1);
    ck_assert_int_eq(bed_status(project).open, 2);
    report = imported(row(second, "zwei", "", "anna", ""));
    ck_assert_int_eq(report.added, 0);
    ck_assert_int_eq(report.repeated, 1);
    ck_assert_int_eq(bed_status(project).answers, 1);
    char both[600];
    snprintf(both, sizeof both, "%s%s", row(first, "eins", "", "anna", ""),
             row(second, "zwei", "", "anna", ""));
    report = imported(both);
    ck_assert_int_eq(report.added, 1);
    ck_assert_int_eq(report.repeated, 1);
    ck_assert_int_eq(bed_status(project).answered, 2);
}
END_TEST

START_TEST(corrected) {
    imported(row(first, "eins", "", "anna", ""));
    alcore_project_import_report report = imported(row(first, "ein", "", "anna", ""));
    ck_assert_int_eq(report.corrected, 1);
    ck_assert_int_eq(report.added, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tein\t"));
    /* The first file again changes nothing; another file with the first answer is a change back. */
    report = imported(row(first, "eins", "", "anna", ""));
    ck_assert_int_eq(report.repeated, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tein\t"));
    char both[600];
    snprintf(both, sizeof both, "%s%s", row(first, "eins", "", "anna", ""),
             row(second, "zwei", "", "anna", ""));
    report = imported(both);
    ck_assert_int_eq(report.added, 2);
    ck_assert_int_eq(report.corrected, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\teins\t"));
    ck_assert_int_eq(bed_status(project).answers, 4);
}
END_TEST

/* An answer with its time is known again in any other file, also behind a later one. */
START_TEST(known_by_time) {
    char both[600];
    imported(row(first, "eins", "", "anna", "2026-01-02T10:00:00Z"));
    imported(row(first, "ein", "", "anna", "2026-01-02T11:00:00Z"));
    snprintf(both, sizeof both, "%s%s", row(first, "eins", "", "anna", "2026-01-02T10:00:00Z"),
             row(second, "zwei", "", "anna", "2026-01-02T12:00:00Z"));
    const alcore_project_import_report report = imported(both);
    ck_assert_int_eq(report.repeated, 1);
    ck_assert_int_eq(report.added, 1);
    ck_assert_int_eq(report.corrected, 0);
    ck_assert_int_eq(bed_status(project).answers, 3);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tein\t"));
}
END_TEST

/* Times say which answer is later, in whatever order files come. */
START_TEST(in_any_order) {
    imported(row(first, "late", "", "anna", "2026-01-02T10:00:00+01:00"));
    alcore_project_import_report report =
        imported(row(first, "early", "", "anna", "2026-01-02T08:59:59Z"));
    ck_assert_int_eq(report.added, 1);
    ck_assert_int_eq(report.corrected, 0);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tlate\t"));
    imported(row(first, "latest", "", "anna", "2026-01-02T09:00:01.5Z"));
    ck_assert_ptr_nonnull(strstr(labeled(), "\tlatest\t"));
    /* As translation memories have times. */
    imported(row(first, "before", "", "anna", "20260102T090001Z"));
    ck_assert_ptr_nonnull(strstr(labeled(), "\tlatest\t"));
    imported(row(first, "after", "", "anna", "20260102T090002Z"));
    ck_assert_ptr_nonnull(strstr(labeled(), "\tafter\t"));
    imported(row(first, "long before", "", "anna", "20260102T0900Z"));
    ck_assert_ptr_nonnull(strstr(labeled(), "\tafter\t"));
    ck_assert_int_eq(bed_status(project).answers, 6);
}
END_TEST

START_TEST(drafts) {
    alcore_project_import_report report = imported(row(first, "ein", "draft", "anna", ""));
    ck_assert_int_eq(report.drafts, 1);
    ck_assert_int_eq(report.added, 0);
    ck_assert_int_eq(bed_status(project).open, 3);
    ck_assert_int_eq(bed_status(project).answered, 0);
    report = imported(row(first, "eins", "", "anna", ""));
    ck_assert_int_eq(report.corrected, 0);
    ck_assert_int_eq(bed_status(project).answered, 1);
    imported(row(first, "einz", "draft", "anna", ""));
    ck_assert_int_eq(bed_status(project).answered, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\teins\t"));
}
END_TEST

START_TEST(without) {
    imported(row(first, "", "skip", "anna", ""));
    alcore_project_status status = bed_status(project);
    ck_assert_int_eq(status.without, 1);
    ck_assert_double_eq(status.refunded, 1);
    ck_assert_double_eq(status.spent, 2);
    ck_assert_str_eq(strchr(labeled(), '\n'), "\n"); /* no pair behind the head */
    /* Another word for there being none is no disagreement. */
    imported(row(first, "", "untranslatable", "ben", ""));
    ck_assert_int_eq(bed_status(project).without, 1);
    ck_assert_int_eq(bed_status(project).disagreeing, 0);
    imported(row(first, "eins", "", "cem", ""));
    ck_assert_int_eq(bed_status(project).disagreeing, 1);
    ck_assert_int_eq(bed_status(project).without, 0);
}
END_TEST

START_TEST(several) {
    imported(row(first, "eins", "", "anna", ""));
    alcore_project_import_report report = imported(row(first, "ein", "", "ben", ""));
    ck_assert_int_eq(report.disagreeing, 1);
    ck_assert_int_eq(report.corrected, 0);
    ck_assert_int_eq(bed_status(project).disagreeing, 1);
    ck_assert_int_eq(bed_status(project).answered, 0);
    ck_assert_int_eq(bed_status(project).open, 2);
    ck_assert_ptr_null(strstr(labeled(), first));
    ck_assert_ok(alcore_project_set(project, "several", "latest"));
    ck_assert_int_eq(bed_status(project).answered, 1);
    ck_assert_int_eq(bed_status(project).disagreeing, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tein\t"));
    ck_assert_ok(alcore_project_set(project, "several", "majority"));
    ck_assert_int_eq(bed_status(project).answered, 0);
    imported(row(first, "eins", "", "cem", ""));
    ck_assert_int_eq(bed_status(project).answered, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\teins\t"));
    ck_assert_ok(alcore_project_set(project, "several", NULL));
    ck_assert_int_eq(bed_status(project).answered, 0);
    imported(row(first, "eins", "", "ben", ""));
    ck_assert_int_eq(bed_status(project).answered, 1);
    ck_assert_int_eq(bed_status(project).disagreeing, 0);
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(
        strstr(document, "{\"one\":\"anna\",\"other\":\"ben\",\"items\":1,\"agreeing\":1,"));
}
END_TEST

/* The annotator of the call is the one of rows that name none. */
START_TEST(annotator) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char text[512];
    snprintf(text, sizeof text, ANSWERS_HEADER "%s%s", row(first, "eins", "", "", ""),
             row(second, "zwei", "", "ben", ""));
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", text), "dora", &report));
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"name\":\"dora\",\"items\":1"));
    ck_assert_ptr_nonnull(strstr(document, "{\"name\":\"ben\",\"items\":1"));
}
END_TEST

/* The last warning, with how many there were. */
static char warned[1024];
static int warnings;
static void take_warning(void *user, int32_t level, const char *component, const char *text,
                         const char *fields) {
    (void)user, (void)component, (void)fields;
    if (level != ALCORE_LOG_WARN) return;
    warnings++;
    snprintf(warned, sizeof warned, "%s", text);
}

/* Answers of nobody in particular are those of one more person, which is warned of where others
 * have names, and nowhere else. */
START_TEST(unnamed) {
    alcore_ctx *logging;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_project *heard;
    char text[512];
    options.log = take_warning;
    warnings = 0;
    ck_assert_ok(alcore_ctx_new(&options, &logging));
    ck_assert_ok(alcore_project_open(logging, in_bed("p"), &heard));
    snprintf(text, sizeof text, ANSWERS_HEADER "%s", row(first, "a", "", "", ""));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), "ann", NULL));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    ck_assert_int_eq(warnings, 0); /* of ann, and known before */
    snprintf(text, sizeof text, ANSWERS_HEADER "%s", row(second, "b", "", "", ""));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    ck_assert_int_eq(warnings, 1);
    ck_assert_ptr_nonnull(strstr(warned, "in.csv has answers without an annotator"));
    ck_assert_ptr_nonnull(strstr(warned, "'ann'"));
    const char *document;
    ck_assert_ok(alcore_project_document(heard, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"name\":\"\",\"items\":2"));
    ck_assert_ptr_nonnull(strstr(document, "{\"name\":\"ann\",\"items\":1"));
    alcore_project_unref(heard);
    alcore_ctx_unref(logging);
}
END_TEST

/* The warnings of an import. */
static const char *warnings_of(alcore_project *heard, const char *rows) {
    char text[1024] = ANSWERS_HEADER;
    strcat(text, rows);
    warnings = 0;
    warned[0] = '\0';
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    return warned;
}

/* Times that keep an answer from counting, that are in the future or no times are warned of, once
 * for each answer that is added. Today is 2001-09-09. */
START_TEST(odd_times) {
    alcore_ctx *logging;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_project *heard;
    char both[600];
    options.log = take_warning;
    ck_assert_ok(alcore_ctx_new(&options, &logging));
    ck_assert_ok(alcore_project_open(logging, in_bed("p"), &heard));
    const char *soon = row(first, "a", "", "ann", "2001-09-10T01:00:00Z");
    ck_assert_str_eq(warnings_of(heard, soon), "");
    const char *later = row(first, "b", "", "ann", "2999-01-01T00:00:00Z");
    ck_assert_ptr_nonnull(strstr(warnings_of(heard, later),
                                 "in.csv: 1 answers have times in the "
                                 "future, such as 2999-01-01T00:00:00Z"));
    ck_assert_int_eq(warnings, 1);
    ck_assert_str_eq(warnings_of(heard, later), ""); /* known before */
    ck_assert_ptr_nonnull(
        strstr(warnings_of(heard, row(first, "c", "", "ann", "2001-09-09T02:00:00Z")),
               "in.csv: 1 answers are older, by their times"));
    ck_assert_int_eq(warnings, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tb\t"));
    ck_assert_str_eq(warnings_of(heard, row(first, "d", "draft", "ann", "")), "");
    snprintf(both, sizeof both, "%s%s", row(second, "e", "", "ann", "9.9.2001"),
             row(third, "f", "", "ann", "2001-13-09T02:00:00Z"));
    ck_assert_ptr_nonnull(strstr(warnings_of(heard, both), "in.csv: 2 answers have times that are "
                                                           "none of ISO 8601, such as '9.9.2001'"));
    ck_assert_int_eq(warnings, 1);
    ck_assert_int_eq(bed_status(heard).answered, 3);
    alcore_project_unref(heard);
    alcore_ctx_unref(logging);
}
END_TEST

START_TEST(unusable) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char both[600];
    snprintf(both, sizeof both, "%s%s", row("nobody", "x", "", "", ""),
             row(second, "zwei", "", "", ""));
    report = imported(both);
    ck_assert_int_eq(report.answers, 2);
    ck_assert_int_eq(report.added, 1);
    ck_assert_int_eq(report.unusable, 1);
    ck_assert_ptr_nonnull(strstr(report.messages, "in.csv:2: no round has an item with the id"));
    ck_assert_ptr_nonnull(strstr(report.messages, "'nobody'"));
    const char *path = bed_put("in.csv", ANSWERS_HEADER "nobody,,x,,,,,\n");
    ck_assert_fails(alcore_project_import(project, "csv", path, NULL, &report), ALCORE_E_DATA,
                    "in.csv:2: no round");
    ck_assert_int_eq(bed_status(project).answers, 1);
    ck_assert_fails(alcore_project_import(project, "csv", in_bed("none.csv"), NULL, NULL),
                    ALCORE_E_IO, "none.csv");
    ck_assert_fails(alcore_project_import(project, "cvs", path, NULL, NULL), ALCORE_E_NOT_FOUND,
                    "csv");
    ck_assert_fails(alcore_project_import(project, NULL, path, NULL, NULL), ALCORE_E_INVALID,
                    "tool");
    ck_assert_fails(alcore_project_import(NULL, "csv", path, NULL, NULL), ALCORE_E_INVALID,
                    "project");
    report.size = 0;
    ck_assert_fails(alcore_project_import(project, "csv", path, NULL, &report),
                    ALCORE_E_STRUCT_UNSET, "alcore_project_import_report");
}
END_TEST

/* A file of another project, whose ids may be the same, is known by its batch. */
START_TEST(another_project) {
    alcore_project *other;
    char out[sizeof bed_path];
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_add(other, ALCORE_ROLE_CANDIDATES,
                                    bed_put("q.tsv", "id\ttext\ns1\tx\ns2\ty\ns3\tz\n"), NULL));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "3"));
    bed_next(other, ids);
    strcpy(out, in_bed("q.po"));
    ck_assert_ok(alcore_project_export(other, "po", out, 1));
    ck_assert_fails(alcore_project_import(project, "po", out, NULL, NULL), ALCORE_E_DATA,
                    "of another project");
    ck_assert_ok(alcore_project_import(other, "po", out, NULL, NULL));
    alcore_project_unref(other);
}
END_TEST

/* A spreadsheet keeps no batch: its texts tell. Spaces between words may differ. */
START_TEST(another_text) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char rows[600], text[1024];
    snprintf(rows, sizeof rows, "%s,something \xC3\xA4lse,eins,,,,,\n%s", first,
             row(second, "zwei", "", "", ""));
    report = imported(rows);
    ck_assert_int_eq(report.added, 1);
    ck_assert_int_eq(report.unusable, 1);
    ck_assert_ptr_nonnull(strstr(report.messages,
                                 "in.csv:2: the text 'something \xC3\xA4lse' is not "
                                 "that of the item with the id"));
    snprintf(rows, sizeof rows, "%s,another,eins,,,,,\n", first);
    snprintf(text, sizeof text, "%s%s", ANSWERS_HEADER, rows);
    ck_assert_fails(alcore_project_import(project, "csv", bed_put("in.csv", text), NULL, NULL),
                    ALCORE_E_DATA, "the text 'another' is not that");
    ck_assert_int_eq(bed_status(project).answers, 1);
    int length = snprintf(rows, sizeof rows, "%s,  word%s ", first, first + 1);
    for (int word = 1; word < atoi(first + 1); word++)
        length +=
            snprintf(rows + length, sizeof rows - (size_t)length, " w%sx%d ", first + 1, word);
    strcat(rows, ",eins,,,,,\n");
    ck_assert_int_eq(imported(rows).added, 1);
}
END_TEST

/* The settings task and labels say what is asked, and what an answer may be. */
START_TEST(labels) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char text[256];
    ck_assert_ok(alcore_project_set(project, "task", "classes"));
    ck_assert_fails(alcore_project_export(project, "label-studio", in_bed("x.json"), 1),
                    ALCORE_E_PARAM, "label");
    ck_assert_ok(alcore_project_set(project, "labels", "good, bad,"));
    ck_assert_ok(alcore_project_export(project, "label-studio", in_bed("x.json"), 1));
    snprintf(text, sizeof text, "id,labels\n%s,good\n", first);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", text), NULL, &report));
    ck_assert_int_eq(report.added, 1);
    ck_assert_ptr_nonnull(strstr(labeled(), "\tgood\t"));
}
END_TEST

/* ---- what is written ---- */

START_TEST(labeled_files) {
    imported(row(second, "zwei", "", "", ""));
    imported(row(first, "eins", "", "", ""));
    const char *text = labeled();
    ck_assert_int_eq(strncmp(text, "id\ttext\treference\tlang\tgroup\n", 29), 0);
    ck_assert_ptr_nonnull(strstr(text, first));
    ck_assert(strstr(text, "\teins\t") < strstr(text, "\tzwei\t"));
    ck_assert_ok(alcore_project_write_labeled(project, in_bed("out.jsonl")));
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_read(pool, in_bed("out.jsonl"), NULL));
    ck_assert_int_eq(alcore_pool_row_count(pool), 2);
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), "eins");
    ck_assert_str_eq(alcore_pool_row_id(pool, 0), first);
    alcore_pool_unref(pool);
    ck_assert_fails(alcore_project_write_labeled(project, in_bed("out.txt")), ALCORE_E_UNSUPPORTED,
                    "out.txt");
    ck_assert_fails(alcore_project_write_labeled(project, in_bed("no/out.tsv")), ALCORE_E_IO,
                    "out.tsv");
    ck_assert_fails(alcore_project_write_labeled(project, NULL), ALCORE_E_INVALID, "path");
}
END_TEST

/* Answers are labeled data of the next round: a candidate with the text of one is not selected. */
START_TEST(answers_are_labeled) {
    alcore_project *other;
    char pick[1024], answer[1200];
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_set(other, "dedup", "none"));
    ck_assert_ok(alcore_project_add(other, ALCORE_ROLE_CANDIDATES,
                                    bed_put("q.tsv", "id\ttext\na\tone two\nb\tone two\n"), NULL));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "1"));
    bed_next(other, pick);
    snprintf(answer, sizeof answer, ANSWERS_HEADER "%s,,eins zwei,,,,,\n", pick);
    ck_assert_ok(alcore_project_import(other, "csv", bed_put("q.csv", answer), NULL, NULL));
    ck_assert_fails(alcore_project_next(other, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "no candidate");
    alcore_project_unref(other);
}
END_TEST

CHECK_SUITE_WITH("project_answers", round_setup, round_teardown, partially_and_again, corrected,
                 known_by_time, in_any_order, drafts, without, several, annotator, unnamed,
                 odd_times, unusable, another_project, another_text, labels, labeled_files,
                 answers_are_labeled);
