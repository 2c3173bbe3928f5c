/* SPDX-License-Identifier: Apache-2.0 */
/* Files of translators, out and back: what is written are the files of TOOL_FILES, from which
 * tests/engines/current/make_translators.py and tests/programs made what real tools give back:
 * translate-toolkit, gettext, OmegaT, LibreOffice and openpyxl. */
#include "check_suite.h"
#include "tool_files.h"

enum { ITEMS = 6 };
static const char *const ids[ITEMS] = {"doc:1", "b 2", "c", "d", "e", "f"};
static const char *const texts[ITEMS] = {"The <b>red</b> house & \"more\"",
                                         "Two\nlines",
                                         "\xF0\x9F\x98\x80 \xF0\x9D\x95\x8F smile",
                                         "Paris",
                                         "left open",
                                         "left as a draft"};
static const char *const drafts[ITEMS] = {NULL,
                                          "Zwei\nZeilen",
                                          "\xF0\x9F\x98\x80 L\xC3\xA4"
                                          "cheln",
                                          NULL,
                                          NULL,
                                          "blieb Entwurf"};
static const char *const reasons[ITEMS] = {"far from all that is labeled"};
static const char *const contexts[ITEMS] = {NULL, "Sign at the door"};
static const char *const groups[ITEMS] = {"doc.txt"};
static const double scores[ITEMS] = {0.5, 0.25, 0.125, 0, -1, -2};

/* What is written is what is kept. */
static void check_written(const char *tool, const char *name) {
    char path[512];
    alcore_tool_items items = tool_items(ids, texts, drafts, ITEMS);
    items.reasons = reasons;
    items.contexts = contexts;
    items.groups = groups;
    items.scores = scores;
    ck_assert_ok(alcore_tool_write(ctx, tool, in_folder(name), &items,
                                   OPTIONS_WITH(alcore_tool_options, .source_language = "en",
                                                .target_language = "de", .batch = "round-3")));
    char *written = strdup(file_text(tool_path));
    snprintf(path, sizeof path, TOOL_FILES "/%s", name);
    ck_assert_msg(strcmp(written, file_text(path)) == 0, "%s differs; it is now:\n%s", name,
                  written);
    free(written);
}

START_TEST(test_out) {
    check_written("xliff", "translators.xlf");
    check_written("xliff2", "translators2.xlf");
    check_written("po", "translators.po");
    check_written("tmx", "translators.tmx");
    check_written("csv", "translators.csv");
}
END_TEST

#define RED "doc:1 ok Das <b>rote</b> Haus & \"mehr\"\n"
#define TWO "b 2 ok Zwei\nneue Zeilen\n"
#define SMILE                                                                                      \
    "c ok \xF0\x9F\x98\x80 L\xC3\xA4"                                                              \
    "cheln\n"
#define PARIS "d ok Paris\n"
#define DRAFT "f draft blieb Entwurf\n"
#define DRAFT_SMILE                                                                                \
    "c draft \xF0\x9F\x98\x80 L\xC3\xA4"                                                           \
    "cheln\n"

START_TEST(test_back) {
    const struct {
        const char *tool, *name, *answers;
    } cases[] = {
        {"xliff", "translators.toolkit.xlf", RED TWO SMILE PARIS DRAFT},
        {"xliff2", "translators2.toolkit.xlf", RED TWO SMILE PARIS DRAFT},
        {"po", "translators.toolkit.po", RED TWO SMILE PARIS DRAFT},
        /* A memory has no states: a draft that was accepted is what went out. */
        {"tmx", "translators.toolkit.tmx", RED TWO DRAFT_SMILE PARIS DRAFT},
        /* OmegaT takes the drafts of XLIFF for sources, and does not say that a text stays the same
         * in both languages; drafts of PO that nobody accepts go. */
        {"xliff", "translators.omegat.xlf", RED "b 2 draft Zwei\nZeilen\n" DRAFT_SMILE DRAFT},
        {"po", "translators.omegat.po", RED TWO SMILE PARIS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        snprintf(path, sizeof path, TOOL_FILES "/%s", cases[i].name);
        ck_assert_msg(strcmp(answers_of_file(cases[i].tool, path, NULL), cases[i].answers) == 0,
                      "%s: %s", cases[i].name, answers_of_file(cases[i].tool, path, NULL));
    }
}
END_TEST

CHECK_SUITE_WITH("files of translators", tool_setup, tool_teardown, test_out, test_back);
