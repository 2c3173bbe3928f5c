/* SPDX-License-Identifier: Apache-2.0 */
/* The loop in memory: a selection becomes annotations, answers come from arrays, and a training set
 * follows, without a file. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "alcore/alcore.h"
#include "alcore/extra/annotation.h"
#include "alcore/extra/mix.h"
#include "annotation_line.h"
#include "check_status.h"
#include "check_suite.h"
#include "test_folder.h"

static const char *const texts[] = {
    "the patient has severe headache", "the patient has severe nausea",
    "severe headache was reported",    "the patient was treated",
    "headache was reported",           "the patient has fever"};
enum { TEXTS = 6 };

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_annotations *annotations;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, TEXTS, NULL));
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
}

static void teardown(void) {
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* What a strategy picks of a pool. */
static alcore_selection *select_of(alcore_pool *from, const char *name, const char *budget) {
    alcore_strategy *strategy;
    alcore_request *request;
    alcore_selection *selection;
    ck_assert_ok(alcore_strategy_new(ctx, name, &strategy));
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, from));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "budget", budget));
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    return selection;
}

/* The items of a selection are those of its file. */
static void check_like_the_file(const alcore_selection *selection) {
    char folder[TEST_PATH_BYTES], path[2 * TEST_PATH_BYTES];
    alcore_annotations *read, *added;
    test_folder_make(folder, "answers");
    snprintf(path, sizeof path, "%s/selection.tsv", folder);
    ck_assert_ok(alcore_annotations_new(pool, &read));
    ck_assert_ok(alcore_annotations_new(pool, &added));
    ck_assert_ok(alcore_selection_write(selection, path, NULL));
    ck_assert_ok(alcore_annotations_read_selection(read, path));
    ck_assert_ok(alcore_annotations_add_selection(added, selection));
    ck_assert_int_gt(alcore_annotations_count(read), 0);
    ck_assert_int_eq(alcore_annotations_count(added), alcore_annotations_count(read));
    for (int64_t i = 0; i < alcore_annotations_count(read); i++)
        ck_assert_str_eq(annotation_line(added, i), annotation_line(read, i));
    ck_assert_double_eq(alcore_annotations_spent(added), alcore_annotations_spent(read));
    alcore_annotations_unref(read);
    alcore_annotations_unref(added);
    test_folder_remove(folder);
}

START_TEST(items_are_those_of_the_file) {
    static const char *const strategies[] = {"random", "huds-phrase", "hybrid"};
    for (int i = 0; i < 3; i++) {
        alcore_selection *selection = select_of(pool, strategies[i], i < 2 ? "4 items" : "12w");
        check_like_the_file(selection);
        alcore_selection_unref(selection);
    }
}
END_TEST

START_TEST(selections_of_another_pool) {
    static const char *const others[] = {"another text"};
    alcore_ctx *other_ctx;
    alcore_pool *other;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &other));
    ck_assert_ok(alcore_pool_add_texts(other, others, NULL, 1, NULL));
    alcore_selection *selection = select_of(other, "random", "1 items");
    ck_assert_fails(alcore_annotations_add_selection(annotations, selection), ALCORE_E_DATA,
                    "pick 0: the text is not that of row 0: the selection was made from another");
    ck_assert_int_eq(alcore_annotations_count(annotations), 0);
    alcore_selection_unref(selection);
    alcore_pool_unref(other);
    ck_assert_ok(alcore_ctx_new(NULL, &other_ctx));
    ck_assert_ok(alcore_pool_new(other_ctx, NULL, &other));
    alcore_annotations *items;
    ck_assert_ok(alcore_annotations_new(other, &items));
    selection = select_of(pool, "random", "1 items");
    ck_assert_fails(alcore_annotations_add_selection(items, selection), ALCORE_E_INVALID,
                    "another context");
    ck_assert_fails(alcore_annotations_add_selection(items, NULL), ALCORE_E_INVALID, "needed");
    alcore_selection_unref(selection);
    alcore_annotations_unref(items);
    alcore_pool_unref(other);
    alcore_ctx_unref(other_ctx);
}
END_TEST

/* Three items: two sentences and a phrase, two of which have the same id. */
static void add_items(void) {
    static const char *const items[] = {"the patient was treated", "severe headache", "fever"},
                             *const kinds[] = {"sent", "phrase", "phrase"},
                             *const ids[] = {"4", "4", "7"};
    static const int64_t rows[] = {3, 0, 5};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    records.texts = items;
    records.kinds = kinds;
    records.ids = ids;
    records.rows = rows;
    records.count = 3;
    ck_assert_ok(alcore_annotations_add(annotations, &records));
}

static alcore_answer_report answer(const alcore_annotation_answers *answers) {
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    ck_assert_ok(alcore_annotations_answer(annotations, answers));
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    return report;
}

START_TEST(answers_by_number) {
    static const int64_t items[] = {2, 0, 1, 9, -1};
    static const char *const translations[] = {"Fieber", "", NULL, "x", "y"};
    static const size_t lengths[] = {4, 0, 0, 1, 1};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    add_items();
    answers.items = items;
    answers.translations = translations;
    answers.count = 5;
    alcore_answer_report report = answer(&answers);
    ck_assert(report.lines == 5 && report.answered == 1 && report.unanswered == 2);
    ck_assert(report.unusable == 2 && report.corrected == 0);
    ck_assert_ptr_nonnull(strstr(report.messages, "answer 3: there is no item 9 of 3\n"));
    ck_assert_ptr_nonnull(strstr(report.messages, "answer 4: there is no item -1 of 3\n"));
    ck_assert_str_eq(annotation_line(annotations, 2), "7 phrase fever = Fieber (ok, row 5)");
    ck_assert_str_eq(annotation_line(annotations, 0),
                     "4 sent the patient was treated = - (open, row 3)");
    answers.translation_lengths = lengths;
    answers.count = 1;
    report = answer(&answers);
    ck_assert(report.answered == 1 && report.corrected == 1);
    ck_assert_ptr_nonnull(strstr(
        report.messages, "answer 0: corrects the item with the id \"7\": \"Fieb\" was \"Fieber\""));
}
END_TEST

START_TEST(answers_by_id) {
    static const char *const ids[] = {"7", "4", "4", "5", NULL},
                             *const of_texts[] = {NULL, "severe headache", NULL, NULL, NULL},
                             *const translations[] = {"Fieber", "starke Kopfschmerzen", "x", "y",
                                                      "z"};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    add_items();
    answers.ids = ids;
    answers.texts = of_texts;
    answers.translations = translations;
    answers.count = 5;
    const alcore_answer_report report = answer(&answers);
    ck_assert(report.answered == 2 && report.unusable == 3);
    ck_assert_ptr_nonnull(strstr(report.messages, "answer 2: several items have the id \"4\""));
    ck_assert_ptr_nonnull(strstr(report.messages, "answer 3: no selected item has the id \"5\""));
    ck_assert_ptr_nonnull(strstr(report.messages, "answer 4: it has no id"));
    ck_assert_str_eq(annotation_line(annotations, 1),
                     "4 phrase severe headache = starke Kopfschmerzen (ok, row 0)");
}
END_TEST

START_TEST(statuses_and_conflicts) {
    static const int64_t items[] = {0, 1, 2, 2, 0};
    static const char *const translations[] = {NULL, "starke", "Fieber", "Hitze", "ein Entwurf"},
                             *const statuses[] = {"Skip", "loose", "ok", NULL, "draft"};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    add_items();
    answers.items = items;
    answers.translations = translations;
    answers.statuses = statuses;
    answers.count = 5;
    const alcore_answer_report report = answer(&answers);
    ck_assert(report.skipped == 1 && report.answered == 1 && report.conflicting == 1);
    ck_assert_ptr_nonnull(
        strstr(report.messages, "answer 3: the item with the id \"7\" has another answer in answer "
                                "2, \"Fieber\" and \"Hitze\": neither counts"));
    ck_assert_str_eq(annotation_line(annotations, 0),
                     "4 sent the patient was treated = - (skipped, row 3)");
    ck_assert_str_eq(annotation_line(annotations, 1),
                     "4 phrase severe headache = starke (loose, row 0)");
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 4.0);
}
END_TEST

START_TEST(refused) {
    static const int64_t items[] = {2};
    static const char *const ids[] = {"8"}, *const bad[] = {"\xFF"}, *const words[] = {"maybe"},
                             *const good[] = {"Fieber"}, *const none[] = {"untranslatable"},
                             *const other_text[] = {"nausea"};
    static const size_t lengths[] = {6};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    add_items();
    answers.count = 1;
    answers.translations = good;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_INVALID,
                    "items and ids are both NULL");
    answers.items = items;
    answers.ids = ids;
    ck_assert_fails(
        alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA,
        "no answer can be used; the first: answer 0: item 2 has the id \"7\", not \"8\"");
    answers.ids = NULL;
    answers.texts = other_text;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA,
                    "answer 0: the text \"nausea\" is not that of the item with the id \"7\"");
    answers.texts = NULL;
    answers.translations = NULL;
    answers.translation_lengths = lengths;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_INVALID,
                    "translation_lengths without translations");
    answers.translation_lengths = NULL;
    answers.translations = bad;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA,
                    "answer 0: byte 1 of the translation is not UTF-8");
    answers.translations = good;
    answers.statuses = words;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA,
                    "answer 0: \"maybe\" is no status that is known");
    answers.statuses = none;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA,
                    "an item that is untranslatable has a translation");
    answers.size = 0;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_STRUCT_UNSET,
                    "size");
    ck_assert_fails(alcore_annotations_answer(annotations, NULL), ALCORE_E_INVALID, "needed");
    ck_assert_fails(alcore_annotations_answer(NULL, &answers), ALCORE_E_INVALID, "needed");
    ck_assert_str_eq(annotation_line(annotations, 2), "7 phrase fever = - (open, row 5)");
    answers = (alcore_annotation_answers)ALCORE_ANNOTATION_ANSWERS_INIT; /* none at all */
    ck_assert_int_eq(answer(&answers).lines, 0);
}
END_TEST

/* Nothing was answered yet; a call that fails leaves the report of the one before. */
START_TEST(reports_before_and_after) {
    static const int64_t items[] = {2}, none[] = {9};
    static const char *const translations[] = {"Fieber"};
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    add_items();
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    ck_assert(report.lines == 0 && report.answered == 0 && report.unusable == 0);
    ck_assert_str_eq(report.messages, "");
    answers.items = items;
    answers.translations = translations;
    answers.count = 1;
    ck_assert_int_eq(answer(&answers).answered, 1);
    answers.items = none;
    ck_assert_fails(alcore_annotations_answer(annotations, &answers), ALCORE_E_DATA, "no item 9");
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    ck_assert(report.lines == 1 && report.answered == 1 && report.unusable == 0);
}
END_TEST

START_TEST(from_selection_to_training_set) {
    alcore_selection *selection = select_of(pool, "random", "3 items");
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    alcore_mix *mix;
    const int64_t items[] = {0, 1, 2};
    const char *const translations[] = {"eins", "zwei", "drei"};
    ck_assert_ok(alcore_annotations_add_selection(annotations, selection));
    answers.items = items;
    answers.translations = translations;
    answers.count = 3;
    ck_assert_int_eq(answer(&answers).answered, 3);
    options.kind = "none";
    ck_assert_ok(alcore_mix_new(ctx, NULL, pool, annotations, &options, &mix));
    ck_assert_int_eq(alcore_mix_count(mix), 3);
    for (int64_t i = 0; i < 3; i++) {
        const int64_t row = alcore_selection_rows(selection)[i];
        ck_assert_str_eq(alcore_mix_source(mix, i, NULL), texts[row]);
        ck_assert_str_eq(alcore_mix_target(mix, i, NULL), translations[i]);
    }
    alcore_mix_unref(mix);
    alcore_selection_unref(selection);
}
END_TEST

CHECK_SUITE_WITH("mix/answers-memory", setup, teardown, items_are_those_of_the_file,
                 selections_of_another_pool, answers_by_number, answers_by_id,
                 statuses_and_conflicts, refused, reports_before_and_after,
                 from_selection_to_training_set);
