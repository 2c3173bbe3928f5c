/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, files that are added, rounds and where a project stands. */
#include "project_bed.h"

#include <math.h>
#include <unistd.h>

#include "options_with.h"

/* ---- making and opening ---- */

START_TEST(made_and_opened) {
    alcore_project *project, *again;
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_ptr_eq(alcore_project_ref(project), project);
    alcore_project_unref(project);
    alcore_project_unref(project);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &again));
    ck_assert_int_eq(bed_status(again).rounds, 0);
    ck_assert_int_eq(bed_status(again).unit, ALCORE_UNIT_ITEMS);
    ck_assert(isnan(bed_status(again).left));
    alcore_project_unref(again);
    ck_assert_fails(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project), ALCORE_E_IO,
                    "already");
    ck_assert_ptr_null(project);
    bed_put("other.txt", "x");
    ck_assert_fails(alcore_project_init(ctx, bed_folder, NULL, NULL, 0, &project), ALCORE_E_IO,
                    "not empty");
    ck_assert_fails(alcore_project_open(ctx, in_bed("nothing"), &project), ALCORE_E_NOT_FOUND,
                    "there is no project");
    ck_assert_ptr_null(project);
    ck_assert_fails(alcore_project_init(ctx, in_bed("no/p"), NULL, NULL, 0, &project), ALCORE_E_IO,
                    "no/p");
    ck_assert_fails(alcore_project_init(ctx, "", NULL, NULL, 0, &project), ALCORE_E_INVALID,
                    "folder");
    ck_assert_fails(alcore_project_open(ctx, NULL, &project), ALCORE_E_INVALID, "folder");
    ck_assert_fails(alcore_project_init(NULL, "p", NULL, NULL, 0, &project), ALCORE_E_INVALID,
                    "ctx");
    ck_assert_fails(alcore_project_open(ctx, "p", NULL), ALCORE_E_INVALID, "out");
    ck_assert_ptr_null(alcore_project_ref(NULL));
    alcore_project_unref(NULL);
}
END_TEST

/* A process that was killed while it made a project leaves an empty database. */
START_TEST(half_made) {
    alcore_project *project;
    ck_assert_int_eq(mkdir(in_bed("p"), 0777), 0);
    bed_put("p/project.sqlite", "");
    ck_assert_fails(alcore_project_open(ctx, in_bed("p"), &project), ALCORE_E_NOT_FOUND, "empty");
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    alcore_project_unref(project);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    alcore_project_unref(project);
}
END_TEST

/* ---- settings ---- */

static void check_setting(alcore_project *project, const char *name, const char *expected) {
    const char *value = "";
    ck_assert_ok(alcore_project_get(project, name, &value));
    if (expected)
        ck_assert_str_eq(value, expected);
    else
        ck_assert_ptr_null(value);
}

START_TEST(settings) {
    alcore_project *project = bed_project();
    const char *value = "";
    check_setting(project, "strategy", "random");
    check_setting(project, "several", "agree");
    check_setting(project, "seed", "0");
    check_setting(project, "total", NULL);
    ck_assert_ok(alcore_project_set(project, "name", ""));
    check_setting(project, "name", NULL);
    ck_assert_ok(alcore_project_set(project, "total", "40w"));
    ck_assert_ok(alcore_project_set(project, "seed", "7"));
    ck_assert_ok(alcore_project_set(project, "fill", "stop"));
    alcore_project_unref(project);
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &project));
    check_setting(project, "total", "40w");
    check_setting(project, "seed", "7");
    check_setting(project, "fill", "stop");
    ck_assert_ok(alcore_project_set(project, "seed", NULL));
    check_setting(project, "seed", "0");
    ck_assert_fails(alcore_project_set(project, "sede", "1"), ALCORE_E_PARAM, "'seed'");
    ck_assert_fails(alcore_project_set(project, "seed", "x"), ALCORE_E_PARAM, "seed");
    check_setting(project, "seed", "0");
    ck_assert_fails(alcore_project_set(project, "several", "vote"), ALCORE_E_PARAM, "majority");
    ck_assert_fails(alcore_project_set(project, "budget", "1,2"), ALCORE_E_PARAM, "one amount");
    ck_assert_fails(alcore_project_set(project, "total", "x"), ALCORE_E_PARAM, "x");
    ck_assert_fails(alcore_project_set(project, "round", "2"), ALCORE_E_PARAM, "each round");
    ck_assert_fails(alcore_project_set(project, "strategy", "randon"), ALCORE_E_PARAM, "random");
    check_setting(project, "strategy", "random");
    ck_assert_fails(alcore_project_get(project, "sede", &value), ALCORE_E_PARAM, "'seed'");
    ck_assert_ptr_null(value);
    ck_assert_fails(alcore_project_set(NULL, "seed", "1"), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_set(project, NULL, "1"), ALCORE_E_INVALID, "name");
    ck_assert_fails(alcore_project_get(project, "seed", NULL), ALCORE_E_INVALID, "out");
    alcore_project_unref(project);
}
END_TEST

/* Each strategy has its own parameters, which another one does not touch. */
START_TEST(parameters) {
    alcore_project *project = bed_project();
    const char *value;
    ck_assert_fails(alcore_project_set(project, "lambda", "0.25"), ALCORE_E_PARAM, "random");
    ck_assert_ok(alcore_project_set(project, "strategy", "huds"));
    check_setting(project, "lambda", "0.5");
    ck_assert_ok(alcore_project_set(project, "lambda", "0.25"));
    ck_assert_fails(alcore_project_set(project, "lambda", "7"), ALCORE_E_PARAM, "lambda");
    ck_assert_fails(alcore_project_set(project, "sticky", "1"), ALCORE_E_PARAM, "anew");
    ck_assert_ok(alcore_project_set(project, "sticky", "0"));
    check_setting(project, "lambda", "0.25");
    ck_assert_ok(alcore_project_set(project, "strategy", "random"));
    ck_assert_fails(alcore_project_get(project, "lambda", &value), ALCORE_E_PARAM, "lambda");
    ck_assert_ok(alcore_project_set(project, "strategy", "huds"));
    check_setting(project, "lambda", "0.25");
    alcore_project_unref(project);
}
END_TEST

/* ---- files ---- */

START_TEST(files) {
    alcore_project *project = bed_project();
    ck_assert_int_eq(bed_status(project).candidates, BED_ROWS);
    /* Ids are unique over all files of candidates; the message names the file of the user. */
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_CANDIDATES,
                                       bed_put("twice.tsv", "id\ttext\nt1\ta\ns3\tb\n"), NULL),
                    ALCORE_E_DATA, "twice.tsv");
    ck_assert_int_eq(bed_status(project).candidates, BED_ROWS);
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_CANDIDATES,
                                       bed_put("bad.tsv", "id\ttext\nt1\ta\tb\n"), NULL),
                    ALCORE_E_DATA, "bad.tsv:2");
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_CANDIDATES,
                                    bed_put("more.tsv", "id\ttext\nt1\ta\nt2\tb\n"), NULL));
    ck_assert_int_eq(bed_status(project).candidates, BED_ROWS + 2);
    bed_put("de.txt", "eins\nzwei\n");
    char references[sizeof bed_path];
    strcpy(references, bed_path);
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_LABELED, bed_put("en.txt", "one\ntwo\n"),
                                    OPTIONS_WITH(alcore_read_options, .references = references)));
    ck_assert_int_eq(bed_status(project).labeled, 2);
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_CANDIDATES, in_bed("none.txt"), NULL),
                    ALCORE_E_IO, "none.txt");
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_LABELED_ROWS, "x", NULL),
                    ALCORE_E_INVALID, "role");
    ck_assert_fails(alcore_project_add(project, ALCORE_ROLE_TARGET, NULL, NULL), ALCORE_E_INVALID,
                    "path");
    ck_assert_fails(alcore_project_add(NULL, ALCORE_ROLE_TARGET, "x", NULL), ALCORE_E_INVALID,
                    "project");
    alcore_project_unref(project);
}
END_TEST

/* The project has its own copies. */
START_TEST(files_are_copied) {
    alcore_project *project = bed_project();
    char ids[1024];
    ck_assert_int_eq(unlink(in_bed("pool.tsv")), 0);
    bed_next(project, ids);
    ck_assert_int_eq(bed_status(project).items, 3);
    alcore_project_unref(project);
}
END_TEST

/* ---- rounds ---- */

/* The same as selecting from the files, without the rows of earlier rounds. */
START_TEST(rounds) {
    alcore_project *project = bed_project();
    char ids[4][1024];
    for (int round = 0; round < 4; round++) bed_next(project, ids[round]);
    alcore_project_status status = bed_status(project);
    ck_assert_int_eq(status.rounds, 4);
    ck_assert_int_eq(status.items, BED_ROWS);
    ck_assert_int_eq(status.open, BED_ROWS);
    ck_assert_double_eq(status.spent, BED_ROWS);
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "no candidate");
    ck_assert_int_eq(bed_status(project).rounds, 4);
    alcore_project_unref(project);

    alcore_pool *pool;
    alcore_request *request;
    alcore_strategy *strategy;
    int64_t taken[BED_ROWS], count = 0;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_read(pool, in_bed("pool.tsv"), NULL));
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, "random", &strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "budget", "3"));
    for (int round = 0; round < 4; round++) {
        alcore_selection *selection;
        char expected[1024] = "";
        ck_assert_ok(alcore_request_set_int(request, "round", round + 1));
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, taken, count));
        ck_assert_ok(alcore_select(request, &selection));
        for (int64_t i = 0; i < alcore_selection_count(selection); i++) {
            taken[count++] = alcore_selection_rows(selection)[i];
            strcat(strcat(expected, i ? " " : ""), alcore_pool_row_id(pool, taken[count - 1]));
        }
        ck_assert_str_eq(ids[round], expected);
        alcore_selection_unref(selection);
    }
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

/* The total bounds the last round, and then ends the rounds. */
START_TEST(total) {
    alcore_project *project = bed_project();
    char ids[1024];
    ck_assert_ok(alcore_project_set(project, "total", "5"));
    bed_next(project, ids);
    ck_assert_double_eq(bed_status(project).left, 2);
    bed_next(project, ids);
    ck_assert_int_eq(bed_status(project).items, 5);
    ck_assert_double_eq(bed_status(project).left, 0);
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "is spent");
    ck_assert_ok(alcore_project_set(project, "total", NULL));
    ck_assert_ok(alcore_project_set(project, "budget", "10w"));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "one unit");
    ck_assert_ok(alcore_project_set(project, "total", "8"));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "one unit");
    alcore_project_unref(project);
}
END_TEST

START_TEST(waiting) {
    alcore_project *project = bed_project();
    char ids[1024];
    ck_assert_ok(alcore_project_set(project, "wait", "1"));
    bed_next(project, ids);
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "3 open items");
    ck_assert_ok(alcore_project_set(project, "wait", "0"));
    bed_next(project, ids);
    alcore_project_unref(project);
}
END_TEST

START_TEST(nothing_to_select) {
    alcore_project *project;
    alcore_selection *selection = (alcore_selection *)&project;
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, &selection), ALCORE_E_MISSING,
                    "no candidates");
    ck_assert_ptr_null(selection);
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_CANDIDATES, bed_put("a.txt", "a b\n"), NULL));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, &selection), ALCORE_E_PARAM,
                    "budget");
    ck_assert_fails(alcore_project_next(NULL, NULL, NULL, NULL, 0, &selection), ALCORE_E_INVALID,
                    "project");
    ck_assert_fails(alcore_project_get_status(project, NULL), ALCORE_E_INVALID, "out");
    alcore_project_unref(project);
}
END_TEST

/* Phrases that a round took are excluded by their texts. */
START_TEST(phrases) {
    alcore_project *project;
    char ids[2][1024];
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_ok(alcore_project_add(
        project, ALCORE_ROLE_CANDIDATES,
        bed_put("a.txt", "the red house\nthe red boat\nthe blue house\nthe blue boat\n"), NULL));
    ck_assert_ok(alcore_project_set(project, "strategy", "ngf"));
    ck_assert_ok(alcore_project_set(project, "budget", "2w"));
    bed_next(project, ids[0]);
    bed_next(project, ids[1]);
    ck_assert_str_ne(ids[0], ids[1]);
    ck_assert_int_eq(bed_status(project).unit, ALCORE_UNIT_WORDS);
    alcore_project_unref(project);
}
END_TEST

/* Texts that are excluded, and those of the labeled role, are not selected. */
START_TEST(roles) {
    alcore_project *project;
    char ids[1024];
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_ok(alcore_project_set(project, "strategy", "random"));
    ck_assert_ok(alcore_project_set(project, "budget", "9"));
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_CANDIDATES,
                                    bed_put("a.txt", "one\ntwo\nthree\n"), NULL));
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_EXCLUDED, bed_put("b.txt", "one\n"), NULL));
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_LABELED, bed_put("c.txt", "three\n"), NULL));
    bed_next(project, ids);
    ck_assert_str_eq(ids, "2");
    alcore_project_unref(project);
}
END_TEST

/* The strategy gold takes its rows from the target, each once. */
START_TEST(from_the_target) {
    alcore_project *project;
    char ids[2][1024];
    ck_assert_ok(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project));
    ck_assert_ok(alcore_project_set(project, "strategy", "gold"));
    ck_assert_ok(alcore_project_set(project, "budget", "1"));
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_TARGET, bed_put("t.txt", "uno\ndos\n"), NULL));
    bed_next(project, ids[0]);
    bed_next(project, ids[1]);
    ck_assert_str_ne(ids[0], ids[1]);
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_MISSING,
                    "no candidate");
    alcore_project_unref(project);
    /* Answers find items by their ids, which those of the target must not share. */
    ck_assert_ok(alcore_project_init(ctx, in_bed("q"), NULL, NULL, 0, &project));
    ck_assert_ok(alcore_project_set(project, "strategy", "random"));
    ck_assert_ok(alcore_project_set(project, "budget", "1"));
    ck_assert_ok(
        alcore_project_add(project, ALCORE_ROLE_CANDIDATES, bed_put("c.txt", "one\n"), NULL));
    bed_next(project, ids[0]);
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_TARGET, bed_put("t.txt", "uno\n"), NULL));
    ck_assert_ok(alcore_project_set(project, "strategy", "gold"));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_DATA,
                    "the id '1'");
    ck_assert_int_eq(bed_status(project).rounds, 1);
    alcore_project_unref(project);
}
END_TEST

/* Rounds end where the measure has reached a plateau. */
START_TEST(stopping) {
    alcore_project *project = bed_project();
    char ids[1024];
    ck_assert_ok(alcore_project_set(project, "stop_metric", "chrf"));
    ck_assert_ok(alcore_project_set(project, "stop_patience", "1"));
    ck_assert_ok(alcore_project_set(project, "stop_gain", "0.5"));
    ck_assert_ok(alcore_project_put_metric(project, 0, "chrf", 20));
    bed_next(project, ids);
    ck_assert_ok(alcore_project_put_metric(project, 1, "ter", 1));
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 20.25));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "plateau");
    /* A measure that is given again counts in place of the first. */
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 22));
    bed_next(project, ids);
    ck_assert_ok(alcore_project_set(project, "stop_falling", "1"));
    ck_assert_fails(alcore_project_next(project, NULL, NULL, NULL, 0, NULL), ALCORE_E_PARAM,
                    "chrf");
    ck_assert_ok(alcore_project_set(project, "stop_metric", NULL));
    bed_next(project, ids);
    alcore_project_unref(project);
}
END_TEST

/* ---- several processes ---- */

/* A second handle may read, and may change when the first does not. */
START_TEST(two_handles) {
    alcore_project *project = bed_project(), *other;
    char ids[1024];
    ck_assert_ok(alcore_project_open(ctx, in_bed("p"), &other));
    bed_next(project, ids);
    ck_assert_int_eq(bed_status(other).items, 3);
    bed_next(other, ids);
    ck_assert_int_eq(bed_status(project).items, 6);
    alcore_project_unref(other);
    alcore_project_unref(project);
}
END_TEST

/* ---- values for one round ---- */

/* The ids of a round that is selected with values of its own, into ids [1024]. */
static alcore_status next_with(alcore_project *project, const char *const *names,
                               const char *const *values, int64_t count, char *ids) {
    alcore_selection *selection;
    const alcore_status status =
        alcore_project_next(project, NULL, names, values, count, &selection);
    ids[0] = '\0';
    for (int64_t i = 0; i < alcore_selection_count(selection); i++) {
        if (i) strcat(ids, " ");
        strcat(ids, alcore_pool_row_id(alcore_selection_pool(selection),
                                       alcore_selection_rows(selection)[i]));
    }
    alcore_selection_unref(selection);
    return status;
}

static const char *document_of(alcore_project *project) {
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    return document;
}

/* A round is what one is by settings with these values, which stay as they were; the log, the round
 * and its provenance have what was given. */
START_TEST(for_one_round) {
    static const char *const names[] = {"max_n", "budget", "strategy", "seed"};
    static const char *const values[] = {"2", "5w", "ngram-cover", "7"};
    const char *value;
    char given[1024], set[1024];
    alcore_project *project = bed_project();
    ck_assert_ok(next_with(project, names, values, 4, given));
    ck_assert_ok(alcore_project_get(project, "strategy", &value));
    ck_assert_str_eq(value, "random");
    ck_assert_ok(alcore_project_get(project, "budget", &value));
    ck_assert_str_eq(value, "3");
    const char *const document = document_of(project);
    ck_assert_ptr_nonnull(strstr(document, "\"strategy\":\"ngram-cover\",\"seed\":\"7\""));
    ck_assert_ptr_nonnull(strstr(document,
                                 "{\"settings\":{\"max_n\":\"2\",\"budget\":\"5w\",\"strategy\":"
                                 "\"ngram-cover\",\"seed\":\"7\"}}"));
    ck_assert_ptr_nonnull(strstr(document, "\"unit\":\"words\""));
    alcore_project_unref(project);
    test_folder_remove(in_bed("p"));
    project = bed_project();
    ck_assert_ok(alcore_project_set(project, "strategy", "ngram-cover"));
    ck_assert_ok(alcore_project_set(project, "max_n", "2"));
    ck_assert_ok(alcore_project_set(project, "budget", "5w"));
    ck_assert_ok(alcore_project_set(project, "seed", "7"));
    bed_next(project, set);
    ck_assert_str_eq(given, set);
    alcore_project_unref(project);
}
END_TEST

/* The settings that are not given hold, among them the parameters of the given strategy; a value
 * of NULL is the default. */
START_TEST(beside_settings) {
    static const char *const names[] = {"lambda", "strategy", "budget"};
    static const char *const values[] = {NULL, NULL, "2"};
    const char *const huds = "huds";
    char ids[1024];
    alcore_project *project = bed_project();
    ck_assert_ok(alcore_project_set(project, "strategy", "huds"));
    ck_assert_ok(alcore_project_set(project, "lambda", "0.875"));
    ck_assert_ok(alcore_project_set(project, "strategy", "random"));
    ck_assert_ok(next_with(project, names + 1, &huds, 1, ids));
    ck_assert_ptr_nonnull(strstr(document_of(project), "0.875"));
    const char *document = document_of(project);
    ck_assert_ptr_nonnull(strstr(strstr(document, "\"rounds\":[{"), "\"lambda\":\"0.875\""));
    ck_assert_ok(alcore_project_set(project, "strategy", "huds"));
    ck_assert_ok(next_with(project, names, values, 1, ids));
    document = strstr(strstr(document_of(project), "\"round\":2,"), "\"provenance\"");
    ck_assert_ptr_nonnull(strstr(document, "\"lambda\":\"0.5\""));
    ck_assert_ptr_nonnull(strstr(document, "{\"settings\":{\"lambda\":null}}"));
    ck_assert_ok(alcore_project_set(project, "total", "7"));
    ck_assert_ok(next_with(project, names + 2, values + 2, 1, ids));
    ck_assert_fails(next_with(project, names + 2, values + 2, 1, ids), ALCORE_E_PARAM,
                    "total budget");
    ck_assert_int_eq(bed_status(project).items, 7);
    alcore_project_unref(project);
}
END_TEST

START_TEST(not_for_one_round) {
    static const struct {
        const char *name, *value, *says;
    } refused[] = {{"several", "latest", "all rounds"},   {"price", "1EUR/w", "all rounds"},
                   {"total", "9", "all rounds"},          {"dedup", "none", "all rounds"},
                   {"task", "spans", "all rounds"},       {"stop_metric", "x", "all rounds"},
                   {"wait", "1", "all rounds"},           {"name", "x", "all rounds"},
                   {"budgte", "3", "did you mean"},       {"budget", "few", "few"},
                   {"budget", "3,4", "one amount"},       {"round", "3", "each round"},
                   {"strategy", "none such", "none such"}};
    static const char *const sticky[] = {"sticky", "strategy"}, *const one[] = {"1", "nnll"};
    char ids[1024];
    alcore_project *project = bed_project();
    const char *const before = strdup(document_of(project));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_fails(next_with(project, &refused[i].name, &refused[i].value, 1, ids),
                        ALCORE_E_PARAM, refused[i].says);
    ck_assert_fails(next_with(project, sticky, one, 2, ids), ALCORE_E_PARAM, "anew");
    ck_assert_fails(next_with(project, NULL, NULL, 1, ids), ALCORE_E_INVALID, "names and values");
    ck_assert_str_eq(before, document_of(project));
    free((char *)before);
    alcore_project_unref(project);
}
END_TEST

/* The model of a round: given as a handle, by its folder, or the built-in one by its name. */
START_TEST(model_of_one_round) {
    static const char *const names[] = {"model", "strategy"};
    const char *absent[] = {"no such folder", "nnll"}, *built_in[] = {"ngram", "nnll"};
    char by_name[1024], by_handle[1024];
    alcore_model *model;
    alcore_project *project = bed_project();
    ck_assert_fails(next_with(project, names, absent, 2, by_name), ALCORE_E_IO, "no such folder");
    ck_assert_ok(next_with(project, names, built_in, 2, by_name));
    alcore_project_unref(project);
    test_folder_remove(in_bed("p"));
    project = bed_project();
    ck_assert_ok(alcore_project_set(project, "strategy", "nnll"));
    ck_assert_ok(alcore_project_set(project, "model", "no such folder"));
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model));
    ck_assert_fails(alcore_project_next(project, model, names, built_in, 1, NULL), ALCORE_E_INVALID,
                    "the name of one");
    bed_next_of(project, model, by_handle);
    ck_assert_str_eq(by_name, by_handle);
    alcore_model_unref(model);
    alcore_project_unref(project);
}
END_TEST

CHECK_SUITE_WITH("project_rounds", bed_setup, bed_teardown, made_and_opened, half_made, settings,
                 parameters, files, files_are_copied, rounds, total, waiting, nothing_to_select,
                 phrases, roles, from_the_target, stopping, two_handles, for_one_round,
                 beside_settings, not_for_one_round, model_of_one_round);
