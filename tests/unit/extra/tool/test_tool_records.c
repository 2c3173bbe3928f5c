/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for all tools of JSON: what went out and was not touched, records that cannot be used,
 * units of offsets, parts of words as tags, files that are something else. */
#include "check_suite.h"

#include <stdbool.h>

#include "file_text.h"
#include "tool_listing.h"

/* What went out and comes back as it is has no answers, with drafts or without. */
START_TEST(test_unchanged) {
    static const char *const files[][2] = {
        {"label-studio", "json"}, {"doccano", "jsonl"}, {"argilla", "json"}, {"prodigy", "jsonl"}};
    static const char *const tasks[] = {"translation", "classes", "spans", "tags"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int task = 0; task < 4; task++) {
            char name[64];
            snprintf(name, sizeof name, "%s-%s.%s", files[i][0], tasks[task], files[i][1]);
            ck_assert_str_eq(answers_of(files[i][0], kept(name),
                                        OPTIONS(.task = ALCORE_TASK_TRANSLATION + task)),
                             "");
        }
}
END_TEST

/* What another tool exported is refused by its name, and none of it is an answer; that of the right
 * tool is not. */
START_TEST(test_foreign) {
    static const struct {
        const char *tool, *record;
    } records[] = {{"label-studio",
                    "{\"al_id\":\"a\",\"annotation_id\":1,\"translation\":\"x\",\"text\":\"y\"}"},
                   {"prodigy", "{\"al_id\":\"a\",\"translation\":\"x\",\"answer\":\"accept\"}"},
                   {"argilla", "{\"al_id\":\"a\",\"translation.responses\":[\"x\"]}"},
                   {"doccano", "{\"al_id\":\"a\",\"label\":[\"x\"]}"}};
    const int count = sizeof records / sizeof *records;
    for (int reader = 0; reader < count; reader++)
        for (int writer = 0; writer < count; writer++) {
            const char *said =
                answers_of(records[reader].tool, put("f.jsonl", records[writer].record), NULL);
            char wanted[128];
            snprintf(wanted, sizeof wanted, "it looks like a record of %s, not of %s\n",
                     records[writer].tool, records[reader].tool);
            if (reader == writer)
                ck_assert_str_eq(said, "a ok x / -\n");
            else
                ck_assert_msg(strncmp(said, "1: item a: by its \"", 19) == 0 &&
                                  strstr(said, wanted),
                              "%s", said);
        }
    ck_assert_str_eq(answers_of("doccano", put("f.jsonl", records[1].record), SPANS),
                     "1: item a: by its \"answer\" it looks like a record of prodigy, not of "
                     "doccano\n");
    ck_assert_str_eq(answers_of("prodigy",
                                put("f.jsonl", "{\"al_id\":\"a\",\"entities\":[],"
                                               "\"relations\":[]}"),
                                SPANS),
                     "1: item a: by its \"entities\" it looks like a record of doccano, not of "
                     "prodigy\n");
}
END_TEST

/* Whether a file has answers, or it is told why not. */
static bool says_something(const char *tool, const char *file, const alcore_tool_options *options) {
    alcore_tool_answers *answers;
    if (alcore_tool_read(ctx, tool, file, options, &answers) != ALCORE_OK)
        return strstr(alcore_last_error(), "this is a batch of") != NULL;
    const bool said =
        alcore_tool_answers_count(answers) > 0 || *alcore_tool_answers_messages(answers);
    alcore_tool_answers_unref(answers);
    return said;
}

/* None of the files that tools have exported is one that nobody answered for another tool. */
START_TEST(test_foreign_files) {
    static const char *const readers[] = {"label-studio", "doccano", "argilla", "prodigy"};
    static const char *const files[][2] = {{"label-studio", "min.json"},
                                           {"label-studio", "full.json"},
                                           {"doccano", "back.jsonl"},
                                           {"argilla", "flat.json"},
                                           {"argilla", "nested.json"}};
    static const char *const tasks[] = {"translation", "classes", "spans", "tags"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int task = 0; task < 4; task++)
            for (size_t reader = 0; reader < 4; reader++) {
                char name[64];
                snprintf(name, sizeof name, "%s-%s.%s", files[i][0], tasks[task], files[i][1]);
                ck_assert_msg(says_something(readers[reader], kept(name),
                                             OPTIONS(.task = ALCORE_TASK_TRANSLATION + task)),
                              "%s reads %s", readers[reader], name);
            }
}
END_TEST

/* One bad record spoils no other, and says where it is. */
START_TEST(test_records) {
    ck_assert_str_eq(
        answers_of("doccano",
                   put("bad.jsonl", "{\"al_id\":\"a\",\"label\":[\"x\"]}\n{\"al_id\":\"b\",\n"
                                    "[1]\n\xFF\n{\"label\":[\"x\"]}\n{\"al_id\":\"c\",\"label\":"
                                    "[\"\\ud800\"]}\n{\"al_id\":7,\"label\":[\"x\"]}\n{}"),
                   CLASSES),
        "a ok x / -\n7 ok x / -\n"
        "2: byte 14 of the record: a key in quotes is expected\n"
        "3: the record is no object\n4: byte 1 of the record is not UTF-8\n"
        "5: it has no al_id, by which its item is found\n"
        "6: byte 26 of the record: half of a surrogate pair\n"
        "8: it has no al_id, by which its item is found\n");
    ck_assert_str_eq(
        answers_of("label-studio",
                   put("bad.json", "[\n{\"data\":{\"al_id\":\"a\",\"text\":\"" FACE "b\"},"
                                   "\"annotations\":[{\"result\":[{\"type\":\"labels\",\"value\":"
                                   "{\"start\":1,\"end\":3,\"labels\":[\"X\"]}}]},{\"result\":[{"
                                   "\"value\":{\"start\":0.5,\"end\":1,\"labels\":[\"X\"]}}]},{"
                                   "\"result\":[{\"value\":{\"start\":0,\"end\":1,\"labels\":[1,"
                                   "null]}}]},{\"result\":[{\"value\":{\"start\":-1,\"end\":1e300,"
                                   "\"labels\":[\"X\"]}}]}, 5, []]},\n"
                                   "{\"data\":{\"al_id\":\"b\"},\"annotations\":[{\"result\":[{"
                                   "\"value\":{\"start\":0,\"end\":1,\"labels\":[\"X\"]}}]}]},\n"
                                   "7]"),
                   SPANS),
        "b ok [[0,1,\"X\"]] / -\n"
        "2: item a: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "2: item a: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "2: item a: part 2 is beyond the text, cuts a character, is empty or has no label\n"
        "2: item a: part 1 is beyond the text, cuts a character, is empty or has no label\n"
        "4: the record is no object\n");
    ck_assert_str_eq(
        answers_of("label-studio",
                   put("other.json",
                       "[{\"data\":{\"al_id\":\"a\",\"text\":\"b\"},\"annotations\":["
                       "{\"result\":[{\"type\":\"textarea\",\"value\":{\"text\":[\"x\"]"
                       "}}]},{\"result\":[{\"from_name\":\"comment\",\"value\":{\"text\":"
                       "[\"none\"]}}]},{\"was_cancelled\":true,\"result\":[{\"value\":"
                       "{\"text\":[\"x\"]}}]}]}]"),
                   SPANS),
        "a ok [] / -, none\na skip - / -\n1: item a: its results are those of another task\n");
    ck_assert_str_eq(
        answers_of("doccano", put("word.jsonl", "{\"al_id\":\"a\",\"label\":\"x\"}\n"), CLASSES),
        "1: item a: its label is no list\n");
}
END_TEST

/* The unit is the caller's where a tool counts otherwise than it used to. */
START_TEST(test_units) {
    static const char record[] =
        "{\"al_id\":\"a\",\"text\":\"" FACE " b\",\"spans\":[{\"start\":%d,\"end\":%d,"
        "\"label\":\"X\"}],\"answer\":\"accept\"}\n";
    static const struct {
        int32_t unit;
        int begin, end;
    } cases[] = {{0, 2, 3}, {ALCORE_SPAN_UTF16, 3, 4}, {ALCORE_SPAN_BYTES, 5, 6}};
    char text[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, record, cases[i].begin, cases[i].end);
        ck_assert_str_eq(answers_of("prodigy", put("u.jsonl", text),
                                    OPTIONS(.task = ALCORE_TASK_SPANS, .span_unit = cases[i].unit)),
                         "a ok [[2,3,\"X\"]] / -\n");
    }
    snprintf(text, sizeof text, record, 1, 3); /* within the surrogate pair */
    ck_assert_str_eq(answers_of("prodigy", put("u.jsonl", text),
                                OPTIONS(.task = ALCORE_TASK_SPANS, .span_unit = ALCORE_SPAN_UTF16)),
                     "1: item a: part 1 is beyond the text, cuts a character, is empty or has no "
                     "label\n");
    ck_assert_str_eq(answers_of("prodigy",
                                put("n.jsonl", "{\"al_id\":\"a\",\"spans\":[{\"start\":0,\"end\":1,"
                                               "\"label\":\"X\"}],\"answer\":\"accept\"}\n"),
                                OPTIONS(.task = ALCORE_TASK_SPANS, .span_unit = ALCORE_SPAN_UTF16)),
                     "1: item a: without its text, offsets that do not count code points say "
                     "nothing\n");
}
END_TEST

/* Tags are parts of words: what they cover, and what they may not. */
START_TEST(test_tags) {
    static const char record[] = "{\"al_id\":\"a\",%s\"answer\":\"accept\",\"spans\":[%s]}\n";
    static const struct {
        const char *text, *spans, *wanted;
    } cases[] = {
        {"\"text\":\"ab  cd ef\",", "{\"start\":5,\"end\":8,\"label\":\"X\"}", "a ok O X X / -\n"},
        {"\"text\":\"ab cd\",",
         "{\"start\":3,\"end\":5,\"label\":\"Y\"},{\"start\":0,\"end\":2,\"label\":\"X\"}",
         "a ok X Y / -\n"},
        {"\"text\":\"ab cd\",",
         "{\"start\":0,\"end\":5,\"label\":\"X\"},{\"start\":3,\"end\":5,\"label\":\"X\"}",
         "a ok X X / -\n"},
        {"\"text\":\"ab cd\",",
         "{\"start\":0,\"end\":4,\"label\":\"X\"},{\"start\":3,\"end\":5,\"label\":\"Y\"}",
         "1: item a: word 2 has two tags\n"},
        {"\"text\":\"ab cd\",", "{\"start\":0,\"end\":2,\"label\":\"X Y\"}",
         "1: item a: the tag \"X Y\" has a space\n"},
        {"", "{\"start\":0,\"end\":2,\"label\":\"X\"}",
         "1: item a: without its text, parts have no words to be tags of\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, record, cases[i].text, cases[i].spans);
        ck_assert_str_eq(answers_of("prodigy", put("g.jsonl", text), TAGS), cases[i].wanted);
    }
}
END_TEST

/* A file that is not the form of the tool. */
START_TEST(test_wrong_files) {
    alcore_tool_answers *answers;
    ck_assert_fails(
        alcore_tool_read(ctx, "argilla", put("x.json", "[{\"id\": 1},\n{"), NULL, &answers),
        ALCORE_E_DATA, "x.json:2: the file ends within what begins here");
    ck_assert_fails(
        alcore_tool_read(ctx, "label-studio", put("x.json", "id,text\n1,a\n"), NULL, &answers),
        ALCORE_E_DATA, "x.json:1: JSON is expected");
    ck_assert_fails(
        alcore_tool_read(ctx, "squad", put("x.json", "{\"version\": 1}"), NULL, &answers),
        ALCORE_E_DATA, "x.json:1: the object has no list \"data\"");
    ck_assert_fails(alcore_tool_read(ctx, "squad", put("x.json", "[]"), NULL, &answers),
                    ALCORE_E_DATA, "x.json:1: a JSON object is expected");
    static const char *const wholes[] = {"label-studio", "argilla"},
                             *const objects[] = {"squad", "page"},
                             *const lines[] = {"prodigy", "doccano", "potato", "translations"};
    static const char *const blanks[] = {"", " \n", "\xEF\xBB\xBF"};
    for (size_t b = 0; b < sizeof blanks / sizeof *blanks; b++) {
        for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
            ck_assert_fails(
                alcore_tool_read(ctx, wholes[i], put("e.json", blanks[b]), NULL, &answers),
                ALCORE_E_DATA, "e.json is empty; JSON with a list of records is expected");
        for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
            ck_assert_fails(
                alcore_tool_read(ctx, objects[i], put("e.json", blanks[b]), NULL, &answers),
                ALCORE_E_DATA, "the file is empty; a JSON object is expected");
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            ck_assert_str_eq(answers_of(lines[i], put("e.jsonl", blanks[b]), NULL), "");
    }
    ck_assert_str_eq(answers_of("label-studio", put("e.json", "[]"), NULL), "");
}
END_TEST

/* Writes an item with a draft and says what stands in the file between two texts. */
static const char *draft_in_file(const char *tool, const char *text, const char *draft,
                                 const alcore_tool_options *options, const char *from) {
    static char found[64];
    const char *const labels[] = {"X"}, *const id[] = {"a"};
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore_tool_options named = *options;
    items.count = 1;
    items.ids = id;
    items.texts = &text;
    items.drafts = &draft;
    named.labels = labels;
    named.label_count = 1;
    snprintf(path, sizeof path, "%s/draft", folder);
    if (alcore_tool_write(ctx, tool, path, &items, &named) != ALCORE_OK) return alcore_last_error();
    const char *at = strstr(file_text(path), from);
    snprintf(found, sizeof found, "%.*s", at ? (int)strcspn(at, "}]\n") : 4, at ? at : "none");
    return found;
}

/* A draft goes out in the unit of the file, and one that is none is said with its item. */
START_TEST(test_drafts) {
    static const char text[] = FACE " b c", draft[] = "[[2,3,\"X\"]]";
    static const struct {
        int32_t unit;
        const char *wanted;
    } units[] = {{0, "\"start\":2,\"end\":3,\"label\":\"X\""},
                 {ALCORE_SPAN_UTF16, "\"start\":3,\"end\":4,\"label\":\"X\""},
                 {ALCORE_SPAN_BYTES, "\"start\":5,\"end\":6,\"label\":\"X\""}};
    static const char *const bad[] = {"X",
                                      "[[2,3]]",
                                      "[[3,2,\"X\"]]",
                                      "[[0,6,\"X\"]]",
                                      "[[-1,2,\"X\"]]",
                                      "[[0,1,\"X\"]",
                                      "[[0,1,\"\"]]",
                                      "[[0,1.5,\"X\"]]",
                                      "[[0,1,\"X\",1]]",
                                      "[[0,1,\"X\"]]x"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        ck_assert_str_eq(
            draft_in_file("prodigy", text, draft,
                          OPTIONS(.task = ALCORE_TASK_SPANS, .span_unit = units[i].unit),
                          "\"start"),
            units[i].wanted);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_ptr_nonnull(strstr(draft_in_file("prodigy", text, bad[i], SPANS, "{"),
                                     "item 1 (a): the draft is no list of [begin, end, label]"));
    ck_assert_str_eq(draft_in_file("prodigy", text, "O X", TAGS, "{"),
                     "item 1 (a): the draft has not a tag for each word");
    ck_assert_str_eq(draft_in_file("prodigy", text, "O X O O", TAGS, "{"),
                     "item 1 (a): the draft has not a tag for each word");
    ck_assert_str_eq(draft_in_file("prodigy", text, "", SPANS, "\"spans"), "none");
    ck_assert_str_eq(draft_in_file("conll", text, "[[0,3,\"X\"],[2,4,\"Y\"]]", SPANS, "#"),
                     "item 1 (a): spans of the draft overlap");
    ck_assert_str_eq(draft_in_file("conll", text, "[[0,3,\"X Y\"]]", SPANS, "#"),
                     "item 1 (a): the label \"X Y\" of the draft has a space");
    ck_assert_str_eq(draft_in_file("conll", "abc", "[[1,2,\"X\"]]", SPANS, "# draft"),
                     "# draft = O B-X O");
    ck_assert_str_eq(
        draft_in_file("translations", text, "x",
                      OPTIONS(.source_language = "de", .target_language = "de"), "{"),
        "item 1 (a): text and translation are both in \"de\": source_language and target_language "
        "have to differ");
}
END_TEST

CHECK_SUITE_WITH("tool_records", setup, teardown, test_unchanged, test_foreign, test_foreign_files,
                 test_records, test_units, test_tags, test_wrong_files, test_drafts);
