/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are added again: as they were, grown, several in one, and with rows of which some are
 * known. Each part ends in the number of rows that the project has. */
#include "project_bed.h"

#include "options_with.h"

#include <stdbool.h>

/* The warnings that were logged last, one after the other. */
static char warnings[4096];

static void keep_warning(void *user, int32_t level, const char *component, const char *message,
                         const char *fields) {
    (void)user, (void)component, (void)fields;
    if (level == ALCORE_LOG_WARN)
        strncat(warnings, message, sizeof warnings - strlen(warnings) - 2);
}

static alcore_ctx *logging;
static alcore_project *bed;

/* An empty project, whose warnings are kept. */
static void begin(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = keep_warning;
    bed_setup();
    ck_assert_ok(alcore_ctx_new(&options, &logging));
    ck_assert_ok(alcore_project_init(logging, in_bed("p"), NULL, NULL, 0, &bed));
}

static void end(void) {
    ck_assert_ok(alcore_project_verify(bed));
    alcore_project_unref(bed);
    alcore_ctx_unref(logging);
    bed_teardown();
}

/* Adds a file with a text; what is warned of is in warnings then. */
static alcore_status add(int32_t role, const char *name, const char *text) {
    warnings[0] = '\0';
    return alcore_project_add(bed, role, bed_put(name, text), NULL);
}

static bool warned(const char *part) {
    return strstr(warnings, part) != NULL;
}

/* Steps of the log so far. */
static int64_t steps(void) {
    const char *document;
    int64_t count = 0;
    ck_assert_ok(alcore_project_document(bed, &document));
    for (const char *at = strstr(document, "\"steps\":["); (at = strstr(at, "\"step\":")); at++)
        count++;
    return count;
}

/* The texts of all candidates that may be selected, with spaces between. */
static const char *candidates(void) {
    static char texts[1024];
    alcore_selection *selection;
    const char *const names[] = {"strategy", "budget"}, *const values[] = {"random", "1000"};
    ck_assert_ok(alcore_project_next(bed, NULL, names, values, 2, &selection));
    texts[0] = '\0';
    const alcore_pool *const pool = alcore_selection_pool(selection);
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++) {
        if (alcore_pool_states(pool)[row] & ALCORE_ROW_DUPLICATE) continue;
        strcat(texts, row ? " " : "");
        strcat(texts, alcore_pool_text(pool, row, NULL));
    }
    alcore_selection_unref(selection);
    return texts;
}

/* The same file brings nothing, under any name, and no step. */
START_TEST(same_file) {
    static const int32_t roles[] = {ALCORE_ROLE_CANDIDATES, ALCORE_ROLE_LABELED, ALCORE_ROLE_TARGET,
                                    ALCORE_ROLE_EXCLUDED};
    for (int i = 0; i < 4; i++) {
        ck_assert_ok(add(roles[i], "a.tsv", "text\treference\none\teins\ntwo\tzwei\none\teins\n"));
        ck_assert_str_eq(warnings, "");
        const int64_t before = steps();
        ck_assert_ok(add(roles[i], "b.tsv", "text\treference\none\teins\ntwo\tzwei\none\teins\n"));
        ck_assert_msg(warned("b.tsv: nothing is new: each of its 3 rows is there"), "%s", warnings);
        ck_assert_int_eq(steps(), before);
        ck_assert_ok(add(roles[i], "ids.jsonl", "{\"id\":\"x\",\"text\":\"three\"}\n"));
        ck_assert_ok(add(roles[i], "ids.jsonl", "{\"id\":\"x\",\"text\":\"three\"}\n"));
        ck_assert(warned("nothing is new: each of its 1 rows"));
    }
    ck_assert_int_eq(bed_status(bed).candidates, 4);
    ck_assert_int_eq(bed_status(bed).labeled, 4);
}
END_TEST

/* A file that has grown brings the rows behind those that were there; grown again, the next ones;
 * and one that is made of several brings what none of them has. */
START_TEST(grown) {
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.txt", "one\ntwo\n"));
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.txt", "one\ntwo\nthree\n\nfour \\n five\n"));
    ck_assert_msg(warned("2 of its 5 rows are there already (candidates)"), "%s", warnings);
    ck_assert_int_eq(bed_status(bed).candidates, 5);
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.txt", "one\ntwo\nthree\n\nfour \\n five\nsix\n"));
    ck_assert_msg(warned("5 of its 6 rows"), "%s", warnings);
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "b.txt", "seven\n"));
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "c.txt", "seven\none\ntwo\neight\n"));
    ck_assert_msg(warned("3 of its 4 rows"), "%s", warnings);
    ck_assert_int_eq(bed_status(bed).candidates, 8);
    ck_assert_str_eq(candidates(), "one two three  four \\n five six seven eight");
    /* What a row has beside its text goes with it. */
    ck_assert_ok(add(ALCORE_ROLE_LABELED, "l.tsv", "text\treference\tlang\na\tA\ten\n"));
    ck_assert_ok(add(ALCORE_ROLE_LABELED, "l.tsv",
                     "text\treference\tlang\na\tA\ten\n\xF0\x9D\x84\x9E\t\"B\"\tde\n"));
    ck_assert(warned("1 of its 2 rows are there already (labeled)"));
    ck_assert_ok(add(ALCORE_ROLE_LABELED, "l2.tsv",
                     "text\treference\tlang\na\tA\ten\n\xF0\x9D\x84\x9E\t\"B\"\tde\n"));
    ck_assert(warned("nothing is new"));
    ck_assert_int_eq(bed_status(bed).labeled, 2);
}
END_TEST

/* Of candidates with ids the rows that are there are known wherever they stand; one with the id of
 * another is an error, which names its line. */
START_TEST(by_ids) {
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.tsv", "id\ttext\nx\tone\ny\ttwo\n"));
    ck_assert_ok(
        add(ALCORE_ROLE_CANDIDATES, "b.tsv", "id\ttext\nz\tthree\ny\ttwo\nx\tone\nw\tfour\n"));
    ck_assert(warned("2 of its 4 rows"));
    ck_assert_int_eq(bed_status(bed).candidates, 4);
    ck_assert_fails(add(ALCORE_ROLE_CANDIDATES, "c.tsv", "id\ttext\nv\tfive\ny\tTWO\n"),
                    ALCORE_E_DATA, "c.tsv:3");
    ck_assert_fails(
        add(ALCORE_ROLE_CANDIDATES, "d.tsv", "id\ttext\treference\nv\tfive\tV\ny\ttwo\tII\n"),
        ALCORE_E_DATA, "d.tsv:3");
    ck_assert_int_eq(bed_status(bed).candidates, 4);
    ck_assert_str_eq(candidates(), "one two three four");
    /* Of other roles ids say nothing: files may number their rows alike. */
    ck_assert_ok(add(ALCORE_ROLE_LABELED, "l.tsv", "id\ttext\n1\ta\n"));
    ck_assert_ok(add(ALCORE_ROLE_LABELED, "m.tsv", "id\ttext\n1\tb\n"));
    ck_assert_str_eq(warnings, "");
    ck_assert_int_eq(bed_status(bed).labeled, 2);
}
END_TEST

/* The same texts with other ids are other rows, which are told. */
START_TEST(other_ids) {
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.tsv", "id\ttext\nx\tone\ny\ttwo\n"));
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "b.tsv", "id\ttext\np\ttwo\nq\tone\nr\tthree\n"));
    ck_assert_msg(warned("2 of the 3 rows that are added repeat texts of other rows"), "%s",
                  warnings);
    ck_assert_int_eq(bed_status(bed).candidates, 5);
    ck_assert_str_eq(candidates(), "one two three");
}
END_TEST

/* Rows of documents keep their neighbors, though a text is there: it is no grown file. */
START_TEST(within_documents) {
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "a.tsv", "text\tgroup\nyes\td1\nno\td1\n"));
    ck_assert_ok(
        add(ALCORE_ROLE_CANDIDATES, "b.tsv", "text\tgroup\nwell\td2\nyes\td2\nmaybe\td2\n"));
    ck_assert(warned("1 of the 3 rows that are added repeat"));
    ck_assert_int_eq(bed_status(bed).candidates, 5);
    ck_assert_ok(add(ALCORE_ROLE_CANDIDATES, "c.tsv", "text\tgroup\nyes\td3\nno\td3\n"));
    ck_assert_int_eq(bed_status(bed).candidates, 7);
}
END_TEST

/* Malformed lines that are masked are rows as others. */
START_TEST(masked_lines) {
    const alcore_read_options *const masking =
        OPTIONS_WITH(alcore_read_options, .bad_lines = ALCORE_BAD_LINES_MASK);
    ck_assert_ok(alcore_project_add(bed, ALCORE_ROLE_CANDIDATES,
                                    bed_put("a.jsonl", "{\"text\":\"one\"}\n{\n"), masking));
    ck_assert_ok(alcore_project_add(
        bed, ALCORE_ROLE_CANDIDATES,
        bed_put("a.jsonl", "{\"text\":\"one\"}\n{\n{\n{\"text\":\"two\"}\n"), masking));
    ck_assert_int_eq(bed_status(bed).candidates, 4);
    ck_assert_ok(alcore_project_add(
        bed, ALCORE_ROLE_CANDIDATES,
        bed_put("b.jsonl", "{\"text\":\"one\"}\n{\n{\n{\"text\":\"two\"}\n"), masking));
    ck_assert_int_eq(bed_status(bed).candidates, 4);
    ck_assert_str_eq(candidates(), "one   two");
}
END_TEST

CHECK_SUITE_WITH("project_add", begin, end, same_file, grown, by_ids, other_ids, within_documents,
                 masked_lines);
