/* SPDX-License-Identifier: Apache-2.0 */
/* How the annotators of a project agree: labels of items and of words, translations, spans, and
 * what is missing. */
#include <math.h>

#include "file_text.h"
#include "project_bed.h"

static alcore_project *project;
static char ids[1024], all_ids[BED_ROWS][16];

/* All twelve candidates are items. */
static void setup(void) {
    bed_setup();
    project = bed_project();
    ck_assert_ok(alcore_project_set(project, "budget", "12"));
    bed_next(project, ids);
    char *rest;
    int count = 0;
    for (char *id = strtok_r(ids, " ", &rest); id; id = strtok_r(NULL, " ", &rest))
        strcpy(all_ids[count++], id);
    ck_assert_int_eq(count, BED_ROWS);
}

static void teardown(void) {
    alcore_project_unref(project);
    bed_teardown();
}

static void set_task(const char *task, const char *labels) {
    ck_assert_ok(alcore_project_set(project, "labels", labels));
    ck_assert_ok(alcore_project_set(project, "task", task));
}

/* Imports answers of a person, one an item with a | between; "": none, "-": skipped. */
static void answer(const char *who, const char *column, const char *answers) {
    char file[4096];
    int length = snprintf(file, sizeof file, "id\t%s\tstatus\tannotator\n", column);
    for (int item = 0; *answers; item++) {
        const size_t bytes = strcspn(answers, "|");
        const int skipped = bytes == 1 && *answers == '-';
        if (bytes > 0)
            length += snprintf(file + length, sizeof file - (size_t)length, "%s\t%.*s\t%s\t%s\n",
                               all_ids[item], skipped ? 0 : (int)bytes, answers,
                               skipped ? "skip" : "", who);
        answers += bytes + (answers[bytes] == '|');
    }
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.tsv", file), NULL, NULL));
}

static alcore_project_agreement agreement(void) {
    alcore_project_agreement out = ALCORE_PROJECT_AGREEMENT_INIT;
    ck_assert_ok(alcore_project_get_agreement(project, &out));
    return out;
}

static void expect_part(const char *part) {
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_msg(strstr(document, part), "%s is not in %s", part, document);
}

static const char *page(void) {
    ck_assert_ok(alcore_project_write_report(project, in_bed("report.html")));
    return file_text(bed_path);
}

static void expect_on_page(const char *part) {
    ck_assert_msg(strstr(page(), part), "'%s' is not on the page", part);
}

/* The example of Krippendorff 2011, whose nominal alpha is 0.743; the kappas are scikit-learn's
 * (tests/unit/extra/metric/make_agreement_cases.py). */
START_TEST(classes) {
    set_task("classes", "1,2,3,4,5");
    answer("A", "labels", "1|2|3|3|2|1|4|1|2|||");
    answer("B", "labels", "1|2|3|3|2|2|4|1|2|5||3");
    answer("C", "labels", "|3|3|3|2|3|4|2|2|5|1|-");
    answer("D", "labels", "1|2|3|3|2|4|4|1|2|5|1|");
    const alcore_project_agreement found = agreement();
    ck_assert_int_eq(found.items, 12); /* of one of them one of two answers is none */
    ck_assert_int_eq(found.agreeing, 8);
    ck_assert_int_eq(found.annotators, 4);
    ck_assert_int_eq(found.units, 11);
    ck_assert_int_eq(found.labels, 40);
    ck_assert_int_eq(found.classes, 5);
    ck_assert_int_eq(found.uneven, 0);
    ck_assert_double_eq_tol(found.alpha, 0.743421052631579, 1e-14);
    ck_assert_double_nan(found.kappa);
    ck_assert_double_nan(found.chrf);
    expect_part("{\"one\":\"A\",\"other\":\"B\",\"items\":9,\"agreeing\":8,\"units\":9,"
                "\"kappa\":0.8448275862068966,\"chrf\":null}");
    expect_part("{\"one\":\"B\",\"other\":\"C\",\"items\":10,\"agreeing\":6,\"units\":9,");
    expect_part("\"overall\":{\"of\":\"items\",\"items\":12,\"agreeing\":8,\"annotators\":4,"
                "\"units\":11,\"labels\":40,\"classes\":5,\"uneven\":0,"
                "\"alpha\":0.74342105263157");
    expect_on_page("Krippendorff's alpha (nominal): 0.743, of 11 items;");
    expect_on_page("<td>89 %</td><td>0.845</td>");
    /* What counts is the task that is set: the same answers as free text. */
    set_task("translation", NULL);
    ck_assert_int_eq(agreement().units, 0);
    ck_assert_double_nan(agreement().alpha);
}
END_TEST

START_TEST(two_annotators) {
    set_task("classes", "a,b");
    answer("ann", "labels", "a|b|a|b|a");
    ck_assert_int_eq(agreement().annotators, 0);
    ck_assert_int_eq(agreement().items, 0);
    ck_assert_double_nan(agreement().alpha);
    ck_assert_double_nan(agreement().kappa);
    expect_part("\"agreement\":[],\"overall\":{\"of\":\"items\",\"items\":0,");
    ck_assert_ptr_null(strstr(page(), "Krippendorff"));
    answer("ben", "labels", "a|b|b|b|");
    ck_assert_double_eq(agreement().kappa, 0.5);
    /* A draft is no answer; a later answer takes the place of the earlier one. */
    answer("ben", "labels", "||a||-");
    ck_assert_double_eq(agreement().kappa, 1);
    ck_assert_double_eq(agreement().alpha, 1);
    ck_assert_int_eq(agreement().items, 5);
    ck_assert_int_eq(agreement().units, 4);
}
END_TEST

/* One label everywhere tells nothing. */
START_TEST(one_class) {
    set_task("classes", "a,b");
    answer("ann", "labels", "a|a|a");
    answer("ben", "labels", "a|a|a|b");
    ck_assert_double_nan(agreement().kappa);
    ck_assert_double_nan(agreement().alpha);
    ck_assert_int_eq(agreement().agreeing, 3);
    ck_assert_int_eq(agreement().classes, 1);
    expect_part("\"units\":3,\"kappa\":null,");
    expect_on_page("Krippendorff's alpha (nominal): -, of 3 items;");
}
END_TEST

/* Words are the units of tags: of ids 0 0 1 1 0 and 0 0 1 0 0 kappa is 6 / 11. */
START_TEST(tags) {
    set_task("tags", "X,O");
    answer("ann", "tags", "O O|X X O|X");
    answer("ben", "tags", "O O|X O O|X O");
    const alcore_project_agreement found = agreement();
    ck_assert_int_eq(found.items, 3);
    ck_assert_int_eq(found.agreeing, 1);
    ck_assert_int_eq(found.units, 5);
    ck_assert_int_eq(found.labels, 10);
    ck_assert_int_eq(found.uneven, 1);
    ck_assert_double_eq_tol(found.kappa, 6.0 / 11, 1e-15);
    expect_part("\"overall\":{\"of\":\"words\",\"items\":3,");
    expect_on_page("of 5 words;");
    expect_on_page("1 items are left out of it");
}
END_TEST

/* sacreBLEU 2.6.0: CHRF().corpus_score() of the answers of both directions. */
START_TEST(translations) {
    answer("ann", "translation", "das Haus|ein Hund|eins");
    answer("ben", "translation", "das Haus|der Hund|-");
    const alcore_project_agreement found = agreement();
    ck_assert_int_eq(found.items, 3);
    ck_assert_int_eq(found.agreeing, 1);
    ck_assert_int_eq(found.units, 0);
    ck_assert_double_nan(found.alpha);
    ck_assert_double_nan(found.kappa);
    ck_assert_double_eq_tol(found.chrf, 65.53571428571429, 1e-10);
    expect_part("\"kappa\":null,\"chrf\":65.535");
    expect_part("\"overall\":{\"of\":\"texts\",");
    expect_on_page("there is no kappa");
    expect_on_page("<th scope=\"col\">chrF</th>");
}
END_TEST

START_TEST(spans) {
    set_task("spans", "X");
    static const char line[] =
        "{\"id\": 1, \"al_id\": \"s1\", \"text\": \"word1\", \"label\": [[0, 2, \"X\"]]}\n";
    for (int i = 0; i < 2; i++)
        ck_assert_ok(alcore_project_import(project, "doccano", bed_put("in.jsonl", line),
                                           i ? "ann" : "ben", NULL));
    ck_assert_int_eq(agreement().items, 1);
    ck_assert_int_eq(agreement().agreeing, 1);
    ck_assert_double_nan(agreement().alpha);
    ck_assert_double_nan(agreement().chrf);
    expect_on_page("not defined for spans");
}
END_TEST

START_TEST(refused) {
    alcore_project_agreement out = ALCORE_PROJECT_AGREEMENT_INIT;
    ck_assert_fails(alcore_project_get_agreement(NULL, &out), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_get_agreement(project, NULL), ALCORE_E_INVALID, "out");
    out.size = 3;
    ck_assert_fails(alcore_project_get_agreement(project, &out), ALCORE_E_STRUCT_SIZE, "size");
}
END_TEST

CHECK_SUITE_WITH("project_agreement", setup, teardown, classes, two_annotators, one_class, tags,
                 translations, spans, refused);
