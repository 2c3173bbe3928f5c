/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/annotation.h promises of its calls: items of every kind and their bounds,
 * views, files of every kind, what the simulated translator answers, and structs. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/annotation.h"
#include "check_status.h"
#include "file_text.h"
#include "options_with.h"
#include "test_folder.h"

enum { ROWS = 5 };
static const char *const texts[ROWS] = {"the red house", "a red car", "the red boat", "red",
                                        "blue"};
static const char *const references[ROWS] = {"das rote Haus", "ein rotes Auto", "das rote Boot",
                                             "rot", NULL};

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_annotations *annotations;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 32];

static void setup(void) {
    alcore_records records = ALCORE_RECORDS_INIT;
    test_folder_make(folder, "annotation");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    records.texts = texts;
    records.references = references;
    records.count = ROWS;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
}

static void teardown(void) {
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *put(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static const char *get(const char *name) {
    return file_text(in_folder(name));
}

/* Adds a phrase that occurs first in a row. */
static void add_phrase(const char *text, int64_t row, double cost) {
    static const char *const kind = "phrase";
    ck_assert_ok(alcore_annotations_add(
        annotations, OPTIONS_WITH(alcore_annotation_records, .texts = &text, .kinds = &kind,
                                  .rows = &row, .costs = &cost, .count = 1)));
}

static void add_sentence(int64_t row) {
    ck_assert_ok(alcore_annotations_add(
        annotations,
        OPTIONS_WITH(alcore_annotation_records, .texts = &texts[row], .rows = &row, .count = 1)));
}

/* ---- items ---- */

/* Lengths in bytes, defaults, and texts that never move, however many are added behind them. */
START_TEST(items) {
    const char *const given[] = {"red car, not this", "blue"}, *const kinds[] = {"phrase",
                                                                                 "sentence"};
    const char *const answers[] = {"rotes Auto!!", NULL};
    const size_t lengths[] = {7, 4}, answer_lengths[] = {10, 0};
    size_t length = 9;
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    records.texts = given;
    records.text_lengths = lengths;
    records.kinds = kinds;
    records.translations = answers;
    records.translation_lengths = answer_lengths;
    records.count = 2;
    ck_assert_ok(alcore_annotations_add(annotations, &records));
    const char *text = alcore_annotations_text(annotations, 0, &length);
    ck_assert_str_eq(text, "red car");
    ck_assert_uint_eq(length, 7);
    const char *translation = alcore_annotations_translation(annotations, 0, &length);
    ck_assert_str_eq(translation, "rotes Auto");
    ck_assert_uint_eq(length, 10);
    ck_assert_ptr_null(alcore_annotations_translation(annotations, 1, &length));
    ck_assert_uint_eq(length, 0);
    length = 9;
    ck_assert_ptr_null(alcore_annotations_text(annotations, 2, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_ptr_null(alcore_annotations_text(annotations, -1, NULL));
    ck_assert_ptr_null(alcore_annotations_translation(annotations, 2, NULL));
    ck_assert_str_eq(alcore_annotations_id(annotations, 1), "2");
    ck_assert_str_eq(alcore_annotations_kind(annotations, 1), "sent");
    ck_assert_int_eq(alcore_annotations_row(annotations, 0), -1);
    ck_assert_double_eq(alcore_annotations_spent(annotations), 3); /* words */
    const char *id = alcore_annotations_id(annotations, 0);
    for (int i = 0; i < 5000; i++) add_phrase("red", 0, 1);
    ck_assert_ptr_eq(alcore_annotations_text(annotations, 0, NULL), text);
    ck_assert_ptr_eq(alcore_annotations_translation(annotations, 0, NULL), translation);
    ck_assert_ptr_eq(alcore_annotations_id(annotations, 0), id);
    ck_assert_str_eq(text, "red car");
    ck_assert_int_eq(alcore_annotations_count(NULL), 0);
    ck_assert_double_eq(alcore_annotations_spent(NULL), 0);
    ck_assert_double_eq(alcore_annotations_refunded(NULL), 0);
    ck_assert_ptr_null(alcore_annotations_ref(NULL));
    alcore_annotations_unref(NULL);
    ck_assert_ok(alcore_annotations_add(annotations, OPTIONS_WITH(alcore_annotation_records)));
}
END_TEST

START_TEST(items_that_are_refused) {
    char longest[65 * 2 + 1];
    const char *text = longest, *kind = "phrase", *none = NULL;
    static const double costs[] = {-1, INFINITY, NAN};
    static const int64_t rows[] = {-2, ROWS};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    records.texts = &text;
    records.kinds = &kind;
    records.count = 1;
    for (int words = 64; words <= 65; words++) {
        longest[0] = '\0';
        for (int i = 0; i < words; i++) strcat(longest, "a ");
        if (words == 64)
            ck_assert_ok(alcore_annotations_add(annotations, &records));
        else
            ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_DATA,
                            "item 0: ");
    }
    text = "red";
    for (int i = 0; i < 3; i++) {
        records.costs = &costs[i];
        ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_DATA, "item 0: ");
    }
    records.costs = NULL;
    for (int i = 0; i < 2; i++) {
        records.rows = &rows[i];
        ck_assert_fails(alcore_annotations_add(annotations, &records), ALCORE_E_NOT_FOUND, "row");
    }
    records.rows = NULL;
    records.ids = &none;
    ck_assert_int_eq(alcore_annotations_add(annotations, &records), ALCORE_E_INVALID);
    records.ids = NULL;
    records.kinds = &none;
    ck_assert_int_eq(alcore_annotations_add(annotations, &records), ALCORE_E_INVALID);
    records.size = 0;
    ck_assert_int_eq(alcore_annotations_add(annotations, &records), ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore_annotations_count(annotations), 1);
}
END_TEST

/* ---- files ---- */

/* Requests of rows that are not masked alone, in every format; a compressed name is refused. */
START_TEST(requests) {
    const int64_t masked = 0;
    alcore_write_options options = ALCORE_WRITE_OPTIONS_INIT;
    add_phrase("red", 1, 2);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &masked, 1));
    ck_assert_ok(alcore_annotations_write_requests(annotations, in_folder("r.csv"), NULL));
    ck_assert_str_eq(get("r.csv"), "\xEF\xBB\xBFreq_id,kind,lang,cost,text,context\r\n"
                                   "1,phrase,unknown,2,red,a red car | the red boat | red\r\n");
    options.format = ALCORE_FORMAT_JSONL;
    ck_assert_ok(alcore_annotations_write_requests(annotations, in_folder("r.any"), &options));
    ck_assert_ptr_nonnull(strstr(get("r.any"), "\"context\":[\"a red car\",\"the red boat\""));
    options.format = ALCORE_FORMAT_TEXT;
    ck_assert_int_eq(alcore_annotations_write_requests(annotations, in_folder("r.any"), &options),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_annotations_write_requests(annotations, in_folder("r.tsv.gz"), NULL),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_annotations_write(annotations, in_folder("a.tsv.gz"), NULL),
                     ALCORE_E_UNSUPPORTED);
    options.size = 0;
    ck_assert_int_eq(alcore_annotations_write_requests(annotations, in_folder("r"), &options),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore_annotations_write(annotations, in_folder("r"), &options),
                     ALCORE_E_STRUCT_UNSET);
}
END_TEST

/* The answered items alone, with their flags; plain text has the translations only. */
START_TEST(written) {
    static const char *const names[] = {"a.csv", "a.txt", "a.jsonl"};
    static const char *const wanted[] = {
        "id,text,translation,flags\r\n1,red,rot,\r\n2,car,,untranslatable\r\n", "rot\n\n",
        "\"flags\""};
    add_phrase("red", 0, 1);
    add_phrase("car", 1, 1);
    add_phrase("boat", 2, 1);
    ck_assert_ok(alcore_annotations_read_answers(
        annotations, put("a.tsv", "id\ttranslation\tflags\n1\trot\t\n2\t\tuntranslatable\n")));
    for (int i = 0; i < 3; i++) {
        ck_assert_ok(alcore_annotations_write(annotations, in_folder(names[i]), NULL));
        ck_assert_msg(strstr(get(names[i]), wanted[i]), "%s: %s", names[i], get(names[i]));
        ck_assert_ptr_null(strstr(get(names[i]), "boat"));
    }
    ck_assert_double_eq(alcore_annotations_spent(annotations), 2);
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 1);
}
END_TEST

/* Selections, answers and dictionaries may be compressed or standard input. */
START_TEST(files_that_are_read) {
    static const char selection[] = "id\ttext\tkind\tindex\tcost\n1\tred\tphrase\t0\t1\n";
    static const char *const dictionaries[][2] = {
        {"d.csv", "phrase,target\nred,rot\n"},
        {"d.jsonl", "{\"text\": \"red\", \"translation\": \"rot\"}\n"},
        {"d.tsv", "red\trot\n"}};
    char command[TEST_PATH_BYTES * 2];
    put("s.tsv", selection);
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    ck_assert_ok(alcore_annotations_read_selection(annotations, "-"));
    snprintf(command, sizeof command, "gzip %s", path);
    ck_assert_int_eq(system(command), 0);
    const alcore_status status =
        alcore_annotations_read_selection(annotations, in_folder("s.tsv.gz"));
    if (status == ALCORE_E_UNSUPPORTED) return; /* a build without zlib */
    ck_assert_ok(status);
    ck_assert_int_eq(alcore_annotations_count(annotations), 2);
    for (int i = 0; i < 3; i++) {
        if (i > 0) add_phrase("red", 0, 1);
        put(dictionaries[i][0], dictionaries[i][1]);
        if (i == 1) {
            ck_assert_ptr_nonnull(freopen(path, "r", stdin));
            put("e.tsv", "source\ttranslation\nred\trot\n");
        }
        ck_assert_ok(alcore_annotations_look_up(annotations, path));
        ck_assert_str_eq(alcore_annotations_translation(
                             annotations, alcore_annotations_count(annotations) - 1, NULL),
                         "rot");
    }
    put("a.tsv", "id\ttext\ttranslation\n1\tred\trote\n");
    snprintf(command, sizeof command, "gzip %s", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ok(alcore_annotations_read_answers(annotations, in_folder("a.tsv.gz")));
    ck_assert_str_eq(alcore_annotations_translation(annotations, 0, NULL), "rote");
    ck_assert_fails(
        alcore_annotations_look_up(annotations, put("d.tsv", "red\trot\nblue\tbl\xff\n")),
        ALCORE_E_DATA, "d.tsv:2");
    ck_assert_int_eq(alcore_annotations_look_up(annotations, in_folder("none.tsv")), ALCORE_E_IO);
}
END_TEST

/* ---- the simulated translator ---- */

/* Links of the pool's rows, a line each. */
static alcore_links *links_of(const char *lines, int64_t pairs) {
    alcore_links *links;
    ck_assert_ok(alcore_links_open(ctx, put("links.txt", lines), pairs, &links));
    return links;
}

/* The most frequent sequence, the one with fewer words in a tie, then the first; loose where every
 * occurrence is linked to words outside; untranslatable without a link or a reference. Masked rows
 * have no occurrence. */
START_TEST(simulated) {
    static const int64_t masked[] = {0, 2};
    alcore_links *links = links_of("0-0 1-1 2-2\n0-0 1-1 2-2\n0-0 1-1 2-2\n0-0\n\n", ROWS);
    add_phrase("red", 0, 1);  /* rote twice, rotes and rot once */
    add_phrase("car", 1, 1);  /* Auto */
    add_phrase("boat", 2, 1); /* Boot */
    add_sentence(4);          /* has no reference */
    ck_assert_ok(alcore_annotations_simulate(annotations, links, NULL));
    ck_assert_str_eq(alcore_annotations_translation(annotations, 0, NULL), "rote");
    ck_assert_str_eq(alcore_annotations_translation(annotations, 1, NULL), "Auto");
    ck_assert_str_eq(alcore_annotations_status(annotations, 3), "untranslatable");
    ck_assert_double_eq(alcore_annotations_refunded(annotations), 1);
    alcore_links_unref(links);
    /* Without the rows of "rote" a tie, of which the first counts. */
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, masked, 2));
    links = links_of("0-0 1-1 2-2\n0-0 1-1 1-2\n0-0 1-1 2-2\n0-0\n\n", ROWS);
    add_phrase("red", 1, 1); /* "rotes Auto" and "rot": the one with fewer words */
    add_phrase("car", 1, 1); /* no link */
    ck_assert_ok(alcore_annotations_simulate(annotations, links, NULL));
    ck_assert_str_eq(alcore_annotations_translation(annotations, 4, NULL), "rot");
    ck_assert_str_eq(alcore_annotations_status(annotations, 5), "untranslatable");
    alcore_links_unref(links);
    links = links_of("0-0 1-1 2-2\n0-0 1-1 0-1 2-1 2-2\n0-0 1-1 2-2\n\n\n", ROWS);
    add_phrase("red", 1, 1); /* its only link is that of other words too */
    ck_assert_ok(alcore_annotations_simulate(annotations, links, NULL));
    ck_assert_str_eq(alcore_annotations_translation(annotations, 6, NULL), "rotes");
    ck_assert_str_eq(alcore_annotations_status(annotations, 6), "loose");
    alcore_links_unref(links);
}
END_TEST

/* Links of other pairs, or of words that a pair lacks: no item is answered. */
START_TEST(links_that_do_not_fit) {
    alcore_links *few = links_of("0-0\n", 1);
    alcore_links *wrong = links_of("0-0 1-1 2-2\n0-0 1-1 2-9\n0-0 1-1 2-2\n0-0\n\n", ROWS);
    add_phrase("red", 0, 1);
    ck_assert_fails(alcore_annotations_simulate(annotations, few, NULL), ALCORE_E_SHAPE, "1");
    ck_assert_fails(alcore_annotations_simulate(annotations, wrong, NULL), ALCORE_E_DATA, "row 1");
    ck_assert_str_eq(alcore_annotations_status(annotations, 0), "open");
    alcore_links_unref(few);
    alcore_links_unref(wrong);
}
END_TEST

/* Items with one id and one text, which several rounds may have bought, are answered together and
 * count once. */
START_TEST(items_share_an_answer) {
    const char *const twice[] = {"red", "red"}, *const ids[] = {"x", "x"};
    const char *const kinds[] = {"phrase", "phrase"}, *const translation = "rot";
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    ck_assert_ok(
        alcore_annotations_add(annotations, OPTIONS_WITH(alcore_annotation_records, .texts = twice,
                                                         .ids = ids, .kinds = kinds, .count = 2)));
    ck_assert_ok(alcore_annotations_answer(annotations,
                                           OPTIONS_WITH(alcore_annotation_answers, .ids = ids,
                                                        .translations = &translation, .count = 1)));
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(alcore_annotations_translation(annotations, i, NULL), "rot");
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    ck_assert_int_eq(report.answered, 1);
    ck_assert_int_eq(report.unusable, 0);
    ck_assert_str_eq(report.messages, "");
}
END_TEST

START_TEST(structs) {
    const char *id = "1", *translation = "rot";
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    add_phrase("red", 0, 1);
    answers.ids = &id;
    answers.translations = &translation;
    answers.count = 1;
    answers.size = 0;
    ck_assert_int_eq(alcore_annotations_answer(annotations, &answers), ALCORE_E_STRUCT_UNSET);
    ck_assert_str_eq(alcore_annotations_status(annotations, 0), "open");
    report.size = 0;
    ck_assert_int_eq(alcore_annotations_answer_report(annotations, &report), ALCORE_E_STRUCT_UNSET);
}
END_TEST

CHECK_SUITE_WITH("annotation calls", setup, teardown, items, items_that_are_refused, requests,
                 written, files_that_are_read, simulated, links_that_do_not_fit,
                 items_share_an_answer, structs);
