/* SPDX-License-Identifier: Apache-2.0 */
/* Items that go out and answers that come back: partially, again, in any order, from several
 * people, corrected; what they come to, and what is written of them. */
#include "project_bed.h"

#include <math.h>

#include "alcore/extra/translating.h"

#define HEADER "id,text,translation,status,comment,annotator,time,seconds\n"

static alcore_project *project;
static char ids[1024], first[16], second[16], third[16];

/* A project with a round of three items, whose ids are first, second and third. */
static void setup(void) {
    bed_setup();
    project = bed_project();
    bed_next(project, ids);
    ck_assert_int_eq(sscanf(ids, "%15s %15s %15s", first, second, third), 3);
}

static void teardown(void) {
    alcore_project_unref(project);
    bed_teardown();
}

static alcore_project_import_report imported(const char *rows) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    char text[4096] = HEADER;
    strcat(text, rows);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", text), NULL, &report));
    return report;
}

/* A row of the file; valid until the next call but three. */
static const char *row(const char *id, const char *answer, const char *status, const char *who,
                       const char *when) {
    static char rows[4][256];
    static int next;
    char *const out = rows[next++ % 4];
    snprintf(out, sizeof rows[0], "%s,,%s,%s,,%s,%s,\n", id, answer, status, who, when);
    return out;
}

static const char *labeled(void) {
    static char out[4096];
    ck_assert_ok(alcore_project_write_labeled(project, in_bed("out.tsv")));
    FILE *file = fopen(in_bed("out.tsv"), "rb");
    out[fread(out, 1, sizeof out - 1, file)] = '\0';
    fclose(file);
    return out;
}

/* ---- out ---- */

START_TEST(exports) {
    char text[4096], batch[64];
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), 0));
    FILE *file = fopen(in_bed("out.csv"), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *at[] = {strstr(text, first), strstr(text, second), strstr(text, third)};
    ck_assert(at[0] && at[1] && at[2] && at[0] < at[1] && at[1] < at[2]);
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"tool\":\"csv\",\"round\":1,\"items\":3"));
    ck_assert_ptr_nonnull(strstr(document, "2001-09-09T01:46:40Z")); /* $SOURCE_DATE_EPOCH */
    ck_assert_int_eq(sscanf(strstr(document, "\"batch\":"), "\"batch\":\"%63[^\"]", batch), 1);
    ck_assert_ptr_nonnull(strstr(batch, "alcore-"));
    imported(row(second, "b", "", "", ""));
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), 1));
    file = fopen(in_bed("out.csv"), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert(strstr(text, first) && !strstr(text, second) && strstr(text, third));
    bed_next(project, ids);
    ck_assert_ok(alcore_project_export(project, "csv", in_bed("out.csv"), -1));
    ck_assert_fails(alcore_project_export(project, "csv", in_bed("out.csv"), 3), ALCORE_E_NOT_FOUND,
                    "no round 3");
    ck_assert_fails(alcore_project_export(project, "cvs", in_bed("out.csv"), 1), ALCORE_E_NOT_FOUND,
                    "csv");
    ck_assert_fails(alcore_project_export(project, NULL, "x", 1), ALCORE_E_INVALID, "tool");
    ck_assert_fails(alcore_project_export(NULL, "csv", "x", 1), ALCORE_E_INVALID, "project");
    imported(row(first, "a", "", "", ""));
    imported(row(third, "c", "", "", ""));
    ck_assert_fails(alcore_project_export(project, "csv", in_bed("out.csv"), 1), ALCORE_E_MISSING,
                    "no open item");
}
END_TEST

/* Annotators see the texts around an item, of its group and no further. */
START_TEST(contexts) {
    alcore_project *other;
    char text[4096];
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "9"));
    ck_assert_ok(alcore_project_set(other, "context", "1"));
    ck_assert_ok(alcore_project_add(
        other, ALCORE_ROLE_CANDIDATES,
        bed_put("q.tsv", "id\ttext\tgroup\na\tA1\tx\nb\tA2\tx\nc\tA3\tx\nd\tB1\ty\ne\tC\t\n"),
        NULL));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ok(alcore_project_export(other, "csv", in_bed("q.csv"), 1));
    FILE *file = fopen(in_bed("q.csv"), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "\"A1\nA2\nA3\""));
    ck_assert_ptr_nonnull(strstr(text, "\"A1\nA2\""));
    ck_assert_ptr_nonnull(strstr(text, "\"A2\nA3\""));
    ck_assert_ptr_null(strstr(text, "A3\nB1"));
    alcore_project_unref(other);
}
END_TEST

/* What the file "x.csv" says, after the open items of all rounds were exported to it. */
static const char *exported(alcore_project *of) {
    static char text[4096];
    ck_assert_ok(alcore_project_export(of, "csv", in_bed("x.csv"), -1));
    FILE *file = fopen(in_bed("x.csv"), "rb");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static alcore_status translate(void *user, const alcore_batch *batch,
                               const alcore_translate_options *options, alcore_outputs *out) {
    alcore_status status = ALCORE_OK;
    (void)user;
    for (int64_t i = 0; i < batch->count && status == ALCORE_OK; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s:%.20s", options->language, batch->texts[i]);
        status = alcore_outputs_put(out, i, 0, text, strlen(text), NULL, 0, (double)NAN);
    }
    return status;
}

/* Annotators may begin with the references of candidates, or with what the model translates. */
START_TEST(drafts_go_out) {
    alcore_project *other;
    alcore_model *model;
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &other));
    ck_assert_ok(alcore_project_set(other, "strategy", "random"));
    ck_assert_ok(alcore_project_set(other, "budget", "1"));
    ck_assert_ok(alcore_project_add(
        other, ALCORE_ROLE_CANDIDATES,
        bed_put("q.tsv", "text\treference\nein Haus\ta house\nein Hof\ta yard\nein Hut\ta hat\n"),
        NULL));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ptr_null(strstr(exported(other), ",a "));
    ck_assert_ok(alcore_project_set(other, "draft", "reference"));
    ck_assert_ok(alcore_project_next(other, NULL, NULL, NULL, 0, NULL));
    ck_assert_ptr_nonnull(strstr(exported(other), ",a "));
    ck_assert_ok(alcore_project_set(other, "draft", "model"));
    ck_assert_ok(alcore_project_set(other, "draft_language", "en"));
    ck_assert_fails(alcore_project_next(other, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "draft=model");
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    ck_assert_ok(alcore_model_set_translate(model, translate));
    ck_assert_ok(alcore_project_next(other, model, NULL, NULL, 0, NULL));
    ck_assert_ptr_nonnull(strstr(exported(other), ",en:ein H"));
    alcore_model_unref(model);
    alcore_project_unref(other);
}
END_TEST

/* ---- back ---- */

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
    snprintf(text, sizeof text, HEADER "%s%s", row(first, "eins", "", "", ""),
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
    snprintf(text, sizeof text, HEADER "%s", row(first, "a", "", "", ""));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), "ann", NULL));
    ck_assert_ok(alcore_project_import(heard, "csv", bed_put("in.csv", text), NULL, NULL));
    ck_assert_int_eq(warnings, 0); /* of ann, and known before */
    snprintf(text, sizeof text, HEADER "%s", row(second, "b", "", "", ""));
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
    char text[1024] = HEADER;
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
    const char *path = bed_put("in.csv", HEADER "nobody,,x,,,,,\n");
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
    snprintf(text, sizeof text, "%s%s", HEADER, rows);
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
    snprintf(answer, sizeof answer, HEADER "%s,,eins zwei,,,,,\n", pick);
    ck_assert_ok(alcore_project_import(other, "csv", bed_put("q.csv", answer), NULL, NULL));
    ck_assert_fails(alcore_project_next(other, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "no candidate");
    alcore_project_unref(other);
}
END_TEST

START_TEST(metrics) {
    const char *document;
    ck_assert_ok(alcore_project_put_metric(project, 0, "chrf", 31.5));
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 33));
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":0,\"name\":\"chrf\",\"value\":31.5"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"chrf\",\"value\":33"));
    ck_assert_fails(alcore_project_put_metric(project, 2, "chrf", 1), ALCORE_E_NOT_FOUND,
                    "no round 2");
    ck_assert_fails(alcore_project_put_metric(project, -1, "chrf", 1), ALCORE_E_NOT_FOUND, "-1");
    ck_assert_fails(alcore_project_put_metric(project, 1, "chrf", (double)NAN), ALCORE_E_INVALID,
                    "chrf");
    ck_assert_fails(alcore_project_put_metric(project, 1, "", 1), ALCORE_E_INVALID, "name");
    ck_assert_fails(alcore_project_put_metric(NULL, 1, "x", 1), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_document(project, NULL), ALCORE_E_INVALID, "out");
}
END_TEST

/* A bad line keeps none of the others. */
START_TEST(metrics_of_an_evaluation) {
    static const char good[] = "chrf 40\nbleu\t20.5\n";
    static const char *const bad[][2] = {{"chrf 1\nloading\n", "line 2 of the evaluation"},
                                         {"chrf 1\nbleu nan\n", "got 'nan'"},
                                         {"chrf 1\nbleu inf\n", "got 'inf'"},
                                         {"chrf 1\nchrf 1\n", "twice"},
                                         {"{\"chrf\": 1, \"bleu\": null}", "'bleu'"},
                                         {"", "no measure"}};
    const char *document;
    int64_t count = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_fails(
            alcore_project_put_metrics(project, 1, bad[i][0], strlen(bad[i][0]), &count),
            ALCORE_E_DATA, bad[i][1]);
        ck_assert_int_eq(count, 0);
    }
    ck_assert_fails(alcore_project_put_metrics(project, 2, good, strlen(good), &count),
                    ALCORE_E_NOT_FOUND, "no round 2");
    ck_assert_fails(alcore_project_put_metrics(project, 1, NULL, 0, &count), ALCORE_E_INVALID,
                    "text");
    ck_assert_fails(alcore_project_put_metrics(NULL, 1, good, 1, &count), ALCORE_E_INVALID,
                    "project");
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"metrics\":[]"));
    ck_assert_ok(alcore_project_put_metrics(project, 1, good, strlen(good), &count));
    ck_assert_int_eq(count, 2);
    ck_assert_ok(alcore_project_put_metrics(project, 0, "{\"ter\": 3}", 10, NULL));
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"chrf\",\"value\":40,"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"bleu\",\"value\":20.5,"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":0,\"name\":\"ter\",\"value\":3,"));
}
END_TEST

/* ---- spans ---- */

/* A text with characters of one to four bytes: "a", e with an acute accent, the euro sign, and a
 * clef beyond the BMP, each followed by "x". The last "x" is the span. */
#define CLEF_TEXT "a\xC3\xA9x\xE2\x82\xACx\xF0\x9D\x84\x9Ex"
enum { CLEF_POINT = 6, CLEF_UTF16 = 7, CLEF_BYTE = 12 };

/* Offsets of files count in the unit of the setting, out and back; answers count in code points. */
START_TEST(span_units) {
    static const struct {
        const char *unit;
        int begin;
    } units[] = {{"code-points", CLEF_POINT},
                 {"utf16", CLEF_UTF16},
                 {"bytes", CLEF_BYTE},
                 {"tool", CLEF_POINT}}; /* prodigy counts in code points */
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        static const char *const names[] = {"task",   "labels", "strategy",
                                            "budget", "draft",  "span_unit"};
        const char *const values[] = {"spans", "x", "random", "1", "reference", units[i].unit};
        char line[512], out[2048] = "";
        alcore_project *marked;
        const char *labeled;
        ck_assert_ok(alcore_project_init(ctx, in_bed("q"), names, values, 6, &marked));
        ck_assert_ok(
            alcore_project_add(marked, ALCORE_ROLE_CANDIDATES,
                               bed_put("clef.jsonl", "{\"id\":\"c\",\"text\":\"" CLEF_TEXT
                                                     "\",\"reference\":\"[[6,7,\\\"x\\\"]]\"}\n"),
                               NULL));
        ck_assert_ok(alcore_project_next(marked, NULL, NULL, NULL, 0, NULL));
        ck_assert_ok(alcore_project_export(marked, "prodigy", in_bed("out.jsonl"), 0));
        FILE *file = fopen(in_bed("out.jsonl"), "rb");
        ck_assert_ptr_nonnull(fgets(out, sizeof out, file));
        fclose(file);
        snprintf(line, sizeof line, "\"start\":%d,\"end\":%d", units[i].begin, units[i].begin + 1);
        ck_assert_msg(strstr(out, line), "%s: %s", units[i].unit, out);
        snprintf(line, sizeof line,
                 "{\"text\":\"" CLEF_TEXT "\",\"al_id\":\"c\",\"answer\":\"accept\",\"spans\":"
                 "[{\"start\":%d,\"end\":%d,\"label\":\"x\"}]}\n",
                 units[i].begin, units[i].begin + 1);
        ck_assert_ok(
            alcore_project_import(marked, "prodigy", bed_put("in.jsonl", line), "ann", NULL));
        ck_assert_ok(alcore_project_write_labeled(marked, in_bed("labeled.jsonl")));
        file = fopen(in_bed("labeled.jsonl"), "rb");
        ck_assert_ptr_nonnull(fgets(out, sizeof out, file));
        fclose(file);
        labeled = strstr(out, "[[6,7,\\\"x\\\"]]");
        ck_assert_msg(labeled, "%s: %s", units[i].unit, out);
        /* A form without spans does not mind, for another task. */
        ck_assert_ok(alcore_project_set(marked, "task", "translation"));
        ck_assert_ok(alcore_project_set(marked, "draft", NULL));
        ck_assert_fails(alcore_project_export(marked, "csv", in_bed("out.csv"), 0),
                        ALCORE_E_MISSING, "no open item");
        alcore_project_unref(marked);
        test_folder_remove(in_bed("q"));
    }
}
END_TEST

/* A span that ends within a character, or beyond the text in the unit that is set, is refused. */
START_TEST(span_unit_of_others) {
    static const char *const names[] = {"task", "labels", "strategy", "budget", "span_unit"};
    static const char *const values[] = {"spans", "x", "random", "1", "utf16"};
    alcore_project *marked;
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), names, values, 5, &marked));
    ck_assert_ok(alcore_project_add(marked, ALCORE_ROLE_CANDIDATES,
                                    bed_put("clef.tsv", "id\ttext\nc\t" CLEF_TEXT "\n"), NULL));
    ck_assert_ok(alcore_project_next(marked, NULL, NULL, NULL, 0, NULL));
    ck_assert_fails(alcore_project_import(marked, "prodigy",
                                          bed_put("in.jsonl", "{\"text\":\"" CLEF_TEXT
                                                              "\",\"al_id\":\"c\",\"answer\":"
                                                              "\"accept\",\"spans\":[{\"start\":6,"
                                                              "\"end\":7,\"label\":\"x\"}]}\n"),
                                          "ann", NULL),
                    ALCORE_E_DATA, "in.jsonl:1");
    /* One import may have a unit of its own, which the log has. */
    const char *document;
    ck_assert_fails(alcore_project_import_spans(marked, "prodigy", in_bed("in.jsonl"), "ann",
                                                ALCORE_SPAN_BYTES, NULL),
                    ALCORE_E_DATA, "in.jsonl:1");
    ck_assert_fails(
        alcore_project_import_spans(marked, "prodigy", in_bed("in.jsonl"), "ann", 7, NULL),
        ALCORE_E_PARAM, "span_unit");
    ck_assert_fails(alcore_project_import_spans(marked, NULL, in_bed("in.jsonl"), "ann", 0, NULL),
                    ALCORE_E_INVALID, "alcore_project_import_spans");
    ck_assert_ok(alcore_project_import_spans(marked, "prodigy", in_bed("in.jsonl"), "ann",
                                             ALCORE_SPAN_CODE_POINTS, NULL));
    ck_assert_ok(alcore_project_document(marked, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"annotator\":\"ann\",\"span_unit\":\"code-points\"}"));
    ck_assert_ptr_nonnull(strstr(document, "\"span_unit\":\"utf16\"")); /* the setting stays */
    /* 0 is the unit of the tool, prodigy's code points. */
    ck_assert_ok(
        alcore_project_import_spans(marked, "prodigy", in_bed("in.jsonl"), "ben", 0, NULL));
    ck_assert_ok(alcore_project_document(marked, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"annotator\":\"ben\",\"span_unit\":\"tool\"}"));
    ck_assert_ok(alcore_project_set(marked, "task", "translation"));
    ck_assert_fails(alcore_project_import_spans(marked, "prodigy", in_bed("in.jsonl"), "ann",
                                                ALCORE_SPAN_UTF16, NULL),
                    ALCORE_E_PARAM, "task spans");
    ck_assert_fails(alcore_project_set(marked, "span_unit", "letters"), ALCORE_E_PARAM,
                    "span_unit");
    alcore_project_unref(marked);
}
END_TEST

CHECK_SUITE_WITH("project_answers", setup, teardown, metrics_of_an_evaluation, exports, contexts,
                 drafts_go_out, partially_and_again, corrected, known_by_time, in_any_order, drafts,
                 without, several, annotator, unnamed, odd_times, unusable, another_project,
                 another_text, labels, labeled_files, answers_are_labeled, metrics, span_units,
                 span_unit_of_others);
