/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of spans in the unit that a project or an import has. */
#include "project_bed.h"

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

CHECK_SUITE_WITH("project_spans", bed_setup, bed_teardown, span_units, span_unit_of_others);
