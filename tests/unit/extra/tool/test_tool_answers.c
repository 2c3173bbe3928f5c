/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every tool (alcore/extra/tool.h): the table of tools, the checks of items and
 * options, the list of answers with its values, and offsets of spans in other units. */
#include "check_suite.h"

#include "extra/tool/span_units.h"
#include "extra/tool/tool_form.h"
#include "tool_files.h"

/* ---- the table ---- */

START_TEST(test_builtin) {
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT, same = ALCORE_TOOL_INFO_INIT;
    int64_t count = 0;
    for (; alcore_tool_builtin(count, &info) == ALCORE_OK; count++) {
        ck_assert_ok(alcore_tool_find(info.name, &same));
        ck_assert_ptr_eq(same.name, info.name);
        ck_assert(strlen(info.title) > 0 && info.suffix[0] == '.' && strlen(info.tasks) > 0);
        ck_assert_int_eq(info.span_unit != 0, strstr(info.tasks, "spans") != NULL);
    }
    ck_assert_int_gt(count, 0);
    ck_assert_fails(alcore_tool_builtin(count, &info), ALCORE_E_NOT_FOUND, "no tool");
    ck_assert_fails(alcore_tool_builtin(-1, &info), ALCORE_E_NOT_FOUND, "no tool -1");
    ck_assert_fails(alcore_tool_builtin(0, NULL), ALCORE_E_INVALID, "out");
    ck_assert_fails(alcore_tool_find("cvs", &info), ALCORE_E_NOT_FOUND, "did you mean csv?");
    ck_assert_fails(alcore_tool_find("", &info), ALCORE_E_NOT_FOUND, "the tools are:");
    ck_assert_fails(alcore_tool_find(NULL, &info), ALCORE_E_INVALID, "name");
    info.size = 0;
    ck_assert_fails(alcore_tool_builtin(0, &info), ALCORE_E_STRUCT_UNSET, "alcore_tool_info");
}
END_TEST

/* ---- what is refused before anything is written ---- */

#define WRITE(items, options) alcore_tool_write(ctx, "csv", in_folder("x.csv"), items, options)
#define ITEMS(...) OPTIONS_WITH(alcore_tool_items, __VA_ARGS__)
#define OPTIONS(...) OPTIONS_WITH(alcore_tool_options, __VA_ARGS__)

static const char *const ids[] = {"a", "b"}, *const twice[] = {"a", "a"};
static const char *const no_id[] = {"a", ""}, *const texts[] = {"one", "two"};

START_TEST(test_items) {
    const char *const no_text[] = {"one", NULL}, *const bad[] = {"one", "tw\xFFo"};
    const size_t lengths[] = {3, 4};
    ck_assert_fails(WRITE(NULL, NULL), ALCORE_E_INVALID, "items");
    ck_assert_fails(WRITE(ITEMS(.count = -1), NULL), ALCORE_E_INVALID, "count is negative");
    ck_assert_fails(WRITE(ITEMS(.ids = ids, .count = 2), NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_fails(WRITE(ITEMS(.ids = twice, .texts = texts, .count = 2), NULL), ALCORE_E_INVALID,
                    "items 1 and 2 have the id a");
    ck_assert_fails(WRITE(ITEMS(.ids = no_id, .texts = texts, .count = 2), NULL), ALCORE_E_INVALID,
                    "item 2 has no id");
    ck_assert_fails(WRITE(ITEMS(.ids = ids, .texts = no_text, .count = 2), NULL), ALCORE_E_INVALID,
                    "item 2 (b) has no text");
    ck_assert_fails(WRITE(ITEMS(.ids = ids, .texts = bad, .count = 2), NULL), ALCORE_E_DATA,
                    "item 2 (b): byte 3 of the text is not UTF-8");
    ck_assert_fails(
        WRITE(ITEMS(.ids = ids, .texts = texts, .text_lengths = lengths, .count = 2), NULL),
        ALCORE_E_DATA, "item 2 (b): the text has a NUL");
    ck_assert_fails(WRITE(ITEMS(.ids = ids, .texts = texts, .contexts = bad, .count = 2), NULL),
                    ALCORE_E_DATA, "item 2: byte 3 of the context is not UTF-8");
    ck_assert_fails(alcore_tool_write(ctx, "none", "x", ITEMS(.count = 0), NULL),
                    ALCORE_E_NOT_FOUND, "no tool \"none\"");
    ck_assert_fails(alcore_tool_write(ctx, "csv", in_folder("x.csv.gz"), ITEMS(.count = 0), NULL),
                    ALCORE_E_UNSUPPORTED, "compressed");
    ck_assert_fails(alcore_tool_write(ctx, "csv", "/nowhere/x.csv", ITEMS(.count = 0), NULL),
                    ALCORE_E_IO, "/nowhere");
    ck_assert_ptr_null(fopen(in_folder("x.csv"), "rb"));
    ck_assert_ok(WRITE(ITEMS(.count = 0), NULL));
}
END_TEST

START_TEST(test_options) {
    const alcore_tool_items *items = ITEMS(.ids = ids, .texts = texts, .count = 2);
    const char *const labels[] = {"x", "x"}, *const tab[] = {"a\tb"}, *const bar[] = {"a|b"};
    static const char *const unseen[] = {"a\x01"
                                         "b",
                                         "a\x7F",
                                         "a\xC2\x85"
                                         "b",
                                         "a\xEF\xBF\xBF"};
    ck_assert_fails(WRITE(items, OPTIONS(.task = 7)), ALCORE_E_PARAM, "task is 7");
    ck_assert_fails(WRITE(items, OPTIONS(.task = ALCORE_TASK_SPANS)), ALCORE_E_PARAM,
                    "csv does not take the task spans; it takes: translation classes tags");
    ck_assert_fails(WRITE(items, OPTIONS(.span_unit = ALCORE_SPAN_UTF16)), ALCORE_E_PARAM,
                    "csv has no spans");
    ck_assert_fails(WRITE(items, OPTIONS(.span_unit = 5)), ALCORE_E_PARAM, "span_unit is 5");
    ck_assert_fails(WRITE(items, OPTIONS(.source_language = "e n")), ALCORE_E_PARAM,
                    "source_language: \"e n\" is no language tag");
    ck_assert_fails(WRITE(items, OPTIONS(.target_language = "")), ALCORE_E_PARAM,
                    "target_language: \"\"");
    ck_assert_fails(WRITE(items, OPTIONS(.labels = labels, .label_count = 2)), ALCORE_E_PARAM,
                    "\"x\" is given twice");
    ck_assert_fails(WRITE(items, OPTIONS(.labels = tab, .label_count = 1)), ALCORE_E_PARAM,
                    "label 1 is empty");
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        ck_assert_fails(WRITE(items, OPTIONS(.labels = &unseen[i], .label_count = 1)),
                        ALCORE_E_PARAM,
                        "label 1 is empty, is not UTF-8, or has control characters");
        ck_assert_fails(WRITE(items, OPTIONS(.batch = unseen[i])), ALCORE_E_PARAM,
                        "control characters");
    }
    ck_assert_fails(WRITE(items, OPTIONS(.label_count = 1)), ALCORE_E_PARAM, "labels is NULL");
    ck_assert_fails(
        WRITE(items, OPTIONS(.labels = bar, .label_count = 1, .task = ALCORE_TASK_CLASSES)),
        ALCORE_E_PARAM, "\"a|b\" has a |");
    ck_assert_fails(WRITE(items, OPTIONS(.batch = "\xC0")), ALCORE_E_PARAM, "batch is not UTF-8");
    ck_assert_fails(WRITE(items, OPTIONS(.batch = "a\nb")), ALCORE_E_PARAM, "control characters");
    ck_assert_fails(WRITE(items, OPTIONS(.batch = "a\x01")), ALCORE_E_PARAM, "control characters");
    ck_assert_ok(WRITE(items, OPTIONS(.source_language = "pt-BR", .target_language = "sr@latin",
                                      .labels = bar, .label_count = 1)));
}
END_TEST

/* No tool is told a language that is not known: files are as those of items without languages. Of
 * xlsx, which has the time in it, the table is that of csv. */
START_TEST(test_unknown_language) {
    static const char *const languages[] = {"unknown", ""}, *const labels[] = {"x"};
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    int compared = 0;
    for (int64_t tool = 0; alcore_tool_builtin(tool, &info) == ALCORE_OK; tool++) {
        const alcore_tool_options *options =
            OPTIONS(.labels = labels, .label_count = 1, .source_language = "en",
                    .target_language = "de",
                    .task = strstr(info.tasks, "translation") ? ALCORE_TASK_TRANSLATION
                                                              : ALCORE_TASK_SPANS);
        if (info.lacks || strcmp(info.name, "xlsx") == 0) continue;
        ck_assert_ok(alcore_tool_write(
            ctx, info.name, in_folder("x"),
            ITEMS(.ids = ids, .texts = texts, .contexts = texts, .count = 2), options));
        char *without = strdup(file_text(tool_path));
        ck_assert_ok(alcore_tool_write(ctx, info.name, tool_path,
                                       ITEMS(.ids = ids, .texts = texts, .contexts = texts,
                                             .languages = languages, .count = 2),
                                       options));
        ck_assert_msg(strcmp(without, file_text(tool_path)) == 0, "%s", info.name);
        free(without);
        compared++;
    }
    ck_assert_int_ge(compared, 10);
}
END_TEST

START_TEST(test_read_wrong) {
    alcore_tool_answers *answers = (alcore_tool_answers *)tool_path;
    ck_assert_fails(alcore_tool_read(ctx, "csv", in_folder("none.csv"), NULL, &answers),
                    ALCORE_E_IO, "none.csv");
    ck_assert_ptr_null(answers);
    ck_assert_fails(alcore_tool_read(ctx, "csv", put("e.csv", ""), NULL, NULL), ALCORE_E_INVALID,
                    "out");
    ck_assert_fails(alcore_tool_read(ctx, "csv", tool_path, OPTIONS(.task = 1), &answers),
                    ALCORE_E_PARAM, "task is 1");
    ck_assert_int_eq(alcore_tool_answers_count(NULL), 0);
    ck_assert_int_eq(alcore_tool_answers_unusable(NULL), 0);
    ck_assert_str_eq(alcore_tool_answers_messages(NULL), "");
    ck_assert_ptr_null(alcore_tool_answers_batch(NULL));
    ck_assert_ptr_null(alcore_tool_answers_ref(NULL));
    alcore_tool_answers_unref(NULL);
}
END_TEST

/* ---- answers ---- */

/* A list with one answer, of a value or of spans. */
static alcore_tool_answers *list_of(int32_t task, const char *status, const char *value,
                                    const alcore_tool_span *spans, int64_t span_count) {
    alcore_tool_answers *answers;
    ck_assert_ok(alcore__tool_answers_new(ctx, "FILE", task, &answers));
    ck_assert_ok(alcore__tool_answers_add(
        answers, OPTIONS_WITH(alcore_tool_answer, .id = "a", .status = status, .value = value,
                              .spans = spans, .span_count = span_count, .line = 3)));
    return answers;
}

/* The value of that answer; valid until the next call. */
static const char *value_of(int32_t task, const char *status, const char *value,
                            const alcore_tool_span *spans, int64_t span_count) {
    static char kept[256];
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    alcore_tool_answers *answers = list_of(task, status, value, spans, span_count);
    ck_assert_int_eq(alcore_tool_answers_count(answers), 1);
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    snprintf(kept, sizeof kept, "%s", answer.value ? answer.value : "(null)");
    alcore_tool_answers_unref(answers);
    return kept;
}

START_TEST(test_values) {
    const int32_t classes = ALCORE_TASK_CLASSES, tags = ALCORE_TASK_TAGS;
    ck_assert_str_eq(value_of(ALCORE_TASK_TRANSLATION, "ok", " b  a\t", NULL, 0), " b  a\t");
    ck_assert_str_eq(value_of(ALCORE_TASK_TRANSLATION, "draft", "b", NULL, 0), "b");
    ck_assert_str_eq(value_of(ALCORE_TASK_TRANSLATION, "skip", "b", NULL, 0), "(null)");
    ck_assert_str_eq(value_of(ALCORE_TASK_TRANSLATION, "reject", "b", NULL, 0), "(null)");
    ck_assert_str_eq(value_of(classes, "ok", "pos\tneg more\tpos", NULL, 0), "neg more\tpos");
    ck_assert_str_eq(value_of(classes, "ok", "ab\ta\tabc", NULL, 0), "a\tab\tabc");
    ck_assert_str_eq(value_of(classes, "ok", "", NULL, 0), "");
    ck_assert_str_eq(value_of(classes, "untranslatable", "pos", NULL, 0), "(null)");
    ck_assert_str_eq(value_of(tags, "ok", " B-X  O\tO\n", NULL, 0), "B-X O O");
}
END_TEST

START_TEST(test_span_values) {
    const alcore_tool_span spans[] = {{5, 9, "LOC"}, {0, 4, "P\"x"}, {5, 9, "LOC"}, {5, 6, "LOC"}};
    alcore_tool_answers *answers = list_of(ALCORE_TASK_SPANS, "ok", NULL, spans, 4);
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    ck_assert_ok(alcore_tool_answers_get(answers, 0, &answer));
    ck_assert_str_eq(answer.value, "[[0,4,\"P\\\"x\"],[5,6,\"LOC\"],[5,9,\"LOC\"]]");
    ck_assert_int_eq(answer.span_count, 3);
    ck_assert_int_eq(answer.spans[1].end, 6);
    ck_assert_str_eq(answer.spans[0].label, "P\"x");
    ck_assert_ptr_ne(answer.spans[1].label, spans[3].label);
    alcore_tool_answers_unref(answers);
    ck_assert_str_eq(value_of(ALCORE_TASK_SPANS, "ok", NULL, NULL, 0), "[]");
    ck_assert_str_eq(value_of(ALCORE_TASK_SPANS, "skip", NULL, spans, 4), "(null)");
}
END_TEST

START_TEST(test_list) {
    const alcore_tool_span bad = {0, 1, "\xFF"};
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    alcore_tool_answers *answers = list_of(ALCORE_TASK_TRANSLATION, "ok", "b", NULL, 0), *same;
    ck_assert_ptr_null(alcore_tool_answers_batch(answers));
    ck_assert_str_eq(alcore_tool_answers_messages(answers), "");
    ck_assert_ok(alcore__tool_answers_set_batch(answers, "first"));
    ck_assert_ok(alcore__tool_answers_set_batch(answers, "second"));
    ck_assert_str_eq(alcore_tool_answers_batch(answers), "second");
    ck_assert_ok(alcore__tool_answers_refuse(answers, 4, "no %s", "id"));
    ck_assert_ok(alcore__tool_answers_add(
        answers,
        OPTIONS_WITH(alcore_tool_answer, .id = "b", .status = "ok", .comment = "\xC3", .line = 5)));
    ck_assert_ok(alcore__tool_answers_add(answers, OPTIONS_WITH(alcore_tool_answer, .id = "b",
                                                                .status = "ok", .spans = &bad,
                                                                .span_count = 1, .line = 6)));
    ck_assert_str_eq(alcore_tool_answers_messages(answers),
                     "FILE:4: no id\nFILE:5: the comment is not UTF-8\n"
                     "FILE:6: the label is not UTF-8\n");
    ck_assert_int_eq(alcore_tool_answers_unusable(answers), 3);
    ck_assert_int_eq(alcore_tool_answers_count(answers), 1);
    same = alcore_tool_answers_ref(answers);
    alcore_tool_answers_unref(answers);
    ck_assert_ok(alcore_tool_answers_get(same, 0, &answer));
    ck_assert_str_eq(answer.id, "a");
    ck_assert_str_eq(answer.status, "ok");
    ck_assert_int_eq(answer.line, 3);
    ck_assert_ptr_null(answer.text);
    ck_assert_fails(alcore_tool_answers_get(same, 1, &answer), ALCORE_E_NOT_FOUND, "answer 1 of 1");
    ck_assert_fails(alcore_tool_answers_get(same, -1, &answer), ALCORE_E_NOT_FOUND, "answer -1");
    ck_assert_fails(alcore_tool_answers_get(NULL, 0, &answer), ALCORE_E_INVALID, "answers");
    ck_assert_fails(alcore_tool_answers_get(same, 0, NULL), ALCORE_E_INVALID, "out");
    answer.size = 3;
    ck_assert_fails(alcore_tool_answers_get(same, 0, &answer), ALCORE_E_STRUCT_SIZE,
                    "alcore_tool_answer");
    alcore_tool_answers_unref(same);
}
END_TEST

/* ---- units of spans ---- */

/* a, e acute (2 bytes), an emoji (4 bytes, 2 units of UTF-16), a combining mark: 5 code points. */
#define WIDE "a\xC3\xA9\xF0\x9F\x98\x80\xCC\x81z"

START_TEST(test_span_units) {
    const struct {
        int32_t unit;
        int64_t offsets[6]; /* of the ends of the code points, the last one that of the text */
        int64_t inside;     /* an offset within a character; -1: there is none */
    } cases[] = {{ALCORE_SPAN_CODE_POINTS, {0, 1, 2, 3, 4, 5}, -1},
                 {ALCORE_SPAN_UTF16, {0, 1, 2, 4, 5, 6}, 3},
                 {ALCORE_SPAN_BYTES, {0, 1, 3, 7, 9, 10}, 5}};
    alcore__span_text text = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ck_assert_ok(alcore__span_text_begin(ctx, &text, WIDE, strlen(WIDE), cases[c].unit));
        for (int64_t i = 0; i < 6; i++) {
            ck_assert_int_eq(alcore__span_text_code_points(&text, cases[c].offsets[i]), i);
            ck_assert_int_eq(alcore__span_text_units(&text, i), cases[c].offsets[i]);
        }
        ck_assert_int_eq(alcore__span_text_code_points(&text, cases[c].inside), -1);
        ck_assert_int_eq(alcore__span_text_code_points(&text, cases[c].offsets[5] + 1), -1);
        ck_assert_int_eq(alcore__span_text_code_points(&text, INT64_MIN), -1);
        ck_assert_int_eq(alcore__span_text_units(&text, 6), -1);
        ck_assert_int_eq(alcore__span_text_units(&text, -1), -1);
    }
    ck_assert_ok(alcore__span_text_begin(ctx, &text, "", 0, ALCORE_SPAN_UTF16));
    ck_assert_int_eq(alcore__span_text_code_points(&text, 0), 0);
    ck_assert_int_eq(alcore__span_text_code_points(&text, 1), -1);
    ck_assert_int_eq(alcore__span_text_units(&text, 0), 0);
    alcore__span_text_clear(ctx, &text);
}
END_TEST

/* Past the marks of a long text too: 1,000 times the text above. */
START_TEST(test_span_marks) {
    enum { TIMES = 1000, BYTES = sizeof WIDE - 1 };
    static char many[TIMES * BYTES];
    alcore__span_text text = {0};
    for (int i = 0; i < TIMES; i++) memcpy(many + i * BYTES, WIDE, BYTES);
    ck_assert_ok(alcore__span_text_begin(ctx, &text, many, sizeof many, ALCORE_SPAN_UTF16));
    for (int64_t i = 0; i <= TIMES; i++) {
        ck_assert_int_eq(alcore__span_text_code_points(&text, 6 * i), 5 * i);
        ck_assert_int_eq(alcore__span_text_units(&text, 5 * i), 6 * i);
        if (i < TIMES) ck_assert_int_eq(alcore__span_text_code_points(&text, 6 * i + 3), -1);
    }
    alcore__span_text_clear(ctx, &text);
}
END_TEST

CHECK_SUITE_WITH("tool answers", tool_setup, tool_teardown, test_builtin, test_items, test_options,
                 test_unknown_language, test_read_wrong, test_values, test_span_values, test_list,
                 test_span_units, test_span_marks);
