/* SPDX-License-Identifier: Apache-2.0 */
/* The strategies of DeMuX that draw so many rows of each language: TV-EGAL, TV-SAMERATIO, TV-PLAN
 * with its files and rounds, and GOLD of TV-DRAW. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block_bed.h"
#include "demux_bed.h"

static bed b;

/* ---- vectors ---- */

/* The languages of the three vectors, in byte order of their tags: ar, fa, hi. */
static const char *const TAGS[] = {"ar", "fa", "hi"};
static int32_t LANGUAGES[13];

static void open_languages(const vector_case *one) {
    const json_t *list = vector_input(one, "languages");
    ck_assert_int_eq(vector_length(list), 13);
    for (size_t i = 0; i < 13; i++) {
        const char *tag = json_string_value(json_array_get(list, i));
        LANGUAGES[i] = 0;
        while (strcmp(TAGS[LANGUAGES[i]], tag) != 0) LANGUAGES[i]++;
    }
    bed_open(&b, 13, 1, NULL);
    b.input.languages = LANGUAGES;
    b.input.language_tags = TAGS;
    b.input.language_count = 3;
    b.input.seed = (uint64_t)vector_integer(vector_input(one, "seed"));
}

START_TEST(egalitarian_vector) {
    vector_case one = vector_case_number(vector_find("multilingual", "TV-EGAL"), 0);
    open_languages(&one);
    ck_assert_int_eq(bed_run(&b, "egalitarian", "", 10), ALCORE_OK);
    demux_bed_expect_picks(&b, &one);
    bed_close(&b);
}
END_TEST

START_TEST(same_ratio_vector) {
    vector_case one = vector_case_number(vector_find("multilingual", "TV-SAMERATIO"), 0);
    open_languages(&one);
    ck_assert_msg(bed_run(&b, "same-ratio", "counts=hi:1,fa:1,ar:3", 5) == ALCORE_OK, "%s",
                  alcore_last_error());
    demux_bed_expect_picks(&b, &one);
    bed_close(&b);
}
END_TEST

START_TEST(plan_vector) {
    test_vector plan = vector_find("multilingual", "TV-PLAN");
    for (int64_t round = 1; round <= 2; round++) {
        vector_case one = vector_case_number(plan, round - 1);
        open_languages(&one);
        b.input.round = round;
        ck_assert_msg(bed_run(&b, "plan", "counts=fa:2,ar:3;hi:4", 5) == ALCORE_OK, "%s",
                      alcore_last_error());
        demux_bed_expect_picks(&b, &one);
        ck_assert_int_eq(b.outcome.bought.flags, round == 1 ? 0 : ALCORE_SELECTION_SHORT);
        bed_close(&b);
    }
}
END_TEST

START_TEST(plan_takes_what_there_is) {
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    open_languages(&one);
    ck_assert_int_eq(bed_run(&b, "plan", "counts=fa:5,hi:1", 10), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 3);
    ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    const double *missing = bed_fact(&b, "missing of each language");
    ck_assert(missing[0] == 0 && missing[1] == 3 && missing[2] == 0);
    /* 5 of hi, 2 of fa, 6 of ar: 6 rows are 2.77, 0.92 and 2.31 of each. */
    ck_assert_int_eq(bed_run(&b, "plan", "", 6), ALCORE_OK);
    int64_t of[3] = {0};
    for (int64_t r = 0; r < b.outcome.bought.pick_count; r++) of[LANGUAGES[bed_pick(&b, r)]]++;
    ck_assert(of[0] == 3 && of[1] == 1 && of[2] == 2);
    bed_close(&b);
}
END_TEST

START_TEST(counts_that_are_refused) {
    static const struct {
        const char *counts, *says;
    } CASES[] = {{"counts=de:1", "no row of the language de"},
                 {"counts=hi:1,hi:2", "hi is named twice"},
                 {"counts=hi", "\"hi\" is not a language"},
                 {"counts=hi:-1", "\"hi:-1\" is not"},
                 {"counts=hi:4,fa:2", "6 rows are more than the budget of 5"}};
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    open_languages(&one);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        ck_assert_int_eq(bed_run(&b, "plan", CASES[c].counts, 5), ALCORE_E_PARAM);
        ck_assert_msg(strstr(alcore_last_error(), CASES[c].says), "%s", alcore_last_error());
    }
    bed_close(&b);
}
END_TEST

START_TEST(gold_vector) {
    vector_case one = vector_case_named(vector_find("random", "TV-DRAW"), "gold");
    int64_t count;
    const int64_t *rows = vector_integers(vector_input(&one, "rows"), &count);
    bed_open(&b, rows[count - 1] + 1, 1, NULL);
    memset(b.mask, 0, (size_t)b.input.candidates.rows);
    for (int64_t i = 0; i < count; i++) b.mask[rows[i]] = 1;
    b.input.seed = 42;
    b.input.round = vector_integer(vector_input(&one, "round"));
    double budget = vector_double(vector_input(&one, "k"));
    ck_assert_int_eq(bed_run(&b, "gold", "", budget), ALCORE_OK);
    demux_bed_expect_picks(&b, &one);
    bed_close(&b);
}
END_TEST

/* ---- plan files ---- */

static const char PLAN[] = "# rounds\n\na\t*\thi:1\na\t2\tfa:2\nb\t1\tar:1\n";

/* Writes a plan to a file of this process and returns its path. */
static const char *write_plan(const char *text) {
    static char path[64];
    snprintf(path, sizeof path, "plan-%ld.tsv", (long)getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fputs(text, file) >= 0, 1);
    fclose(file);
    return path;
}

START_TEST(plan_files) {
    static const struct {
        const char *plan, *config;
        int64_t round, picks;
        int32_t language; /* of the first pick */
        alcore_status status;
        const char *says;
    } CASES[] = {
        {PLAN, "a", 1, 1, 2, ALCORE_OK, ""},
        {PLAN, "a", 2, 2, 1, ALCORE_OK, ""}, /* its own line goes before * */
        {PLAN, "a", 3, 1, 2, ALCORE_OK, ""},
        {"a\t2\tfa:2\na\t*\thi:1\n", "a", 2, 2, 1, ALCORE_OK, ""}, /* wherever it stands */
        {PLAN, "b", 1, 1, 0, ALCORE_OK, ""},
        {PLAN, "b", 2, 0, 0, ALCORE_E_NOT_FOUND, "no line for configuration \"b\", round 2"},
        {PLAN, "c", 1, 0, 0, ALCORE_E_NOT_FOUND, "configuration \"c\""},
        {PLAN, "", 1, 0, 0, ALCORE_E_DATA, "has the configurations a and b"},
        {"a\t1\thi:1\n", "", 1, 1, 2, ALCORE_OK, ""},
        {"a\t1\thi:1", "a", 1, 1, 2, ALCORE_OK, ""},
        {"a hi:1\n", "a", 1, 0, 0, ALCORE_E_DATA, ":1: a line of a plan is"},
        {"a\t1\thi:1\t\n", "a", 1, 0, 0, ALCORE_E_DATA, ":1: a line of a plan is"},
        {"a\t1\thi:1\na\t0\thi:1\n", "a", 1, 0, 0, ALCORE_E_DATA, ":2: \"0\" is no round"},
        {"a\t1\thi:1;fa:1\n", "a", 1, 0, 0, ALCORE_E_DATA, ":1: a line of a plan is"},
        {"#\na\t1\txx:1\n", "a", 1, 0, 0, ALCORE_E_DATA,
         ".tsv:2: the pool has no row of the language xx"},
        {"b\t1\thi:1\na\t1\thi:1,hi:2\n", "a", 1, 0, 0, ALCORE_E_DATA,
         ".tsv:2: the language hi is named twice"},
        {"a\t1\thi:x\na\t1\thi:1,hi:x\n", "a", 1, 0, 0, ALCORE_E_DATA,
         ".tsv:2: \"hi:x\" is not a language, a colon"},
        {"a\t1\thi:1\na\t2\tfa:2,hi:4\n", "a", 2, 0, 0, ALCORE_E_PARAM,
         ".tsv:2: 6 rows are more than the budget of 5"},
    };
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        char params[128];
        const char *path = write_plan(CASES[c].plan);
        open_languages(&one);
        b.input.round = CASES[c].round;
        snprintf(params, sizeof params, "file=%s config=%s", path, CASES[c].config);
        alcore_status status = bed_run(&b, "plan", params, 5);
        ck_assert_msg(status == CASES[c].status, "case %zu: %s", c, alcore_last_error());
        if (status == ALCORE_OK) {
            ck_assert_int_eq(b.outcome.bought.pick_count, CASES[c].picks);
            ck_assert_int_eq(LANGUAGES[bed_pick(&b, 0)], CASES[c].language);
        } else {
            ck_assert_msg(strstr(alcore_last_error(), CASES[c].says), "%s", alcore_last_error());
        }
        bed_close(&b);
        ck_assert_int_eq(remove(path), 0);
    }
    open_languages(&one);
    ck_assert_int_eq(bed_run(&b, "plan", "file=no-such-plan.tsv", 5), ALCORE_E_IO);
    bed_close(&b);
}
END_TEST

/* ---- a plan in several rounds ---- */

/* How many rows of ar, fa and hi the last run of the bed picked. */
static void count_picks(int64_t of[3]) {
    memset(of, 0, 3 * sizeof *of);
    for (int64_t r = 0; r < b.outcome.bought.pick_count; r++) of[LANGUAGES[bed_pick(&b, r)]]++;
}

/* K rounds add up to the counts, round r buys floor(r c / K) - floor((r - 1) c / K) rows of each
 * language, from the parameter and from a file alike. The pool has 5 rows of hi, 2 of fa, 6 of ar.
 */
START_TEST(rounds_add_up_to_the_plan) {
    static const int64_t PLANNED[3] = {6, 1, 5};
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    for (int64_t rounds = 1; rounds <= 8; rounds++) {
        int64_t sum[3] = {0}, of[3], again[3];
        for (int64_t round = 1; round <= rounds; round++) {
            char params[128];
            const char *path = write_plan("b\t1\tar:1\na\t*\thi:5,fa:1,ar:6\n");
            open_languages(&one);
            b.input.round = round;
            snprintf(params, sizeof params, "counts=hi:5,fa:1,ar:6 rounds=%d", (int)rounds);
            ck_assert_msg(bed_run(&b, "plan", params, 12) == ALCORE_OK, "%s", alcore_last_error());
            count_picks(of);
            snprintf(params, sizeof params, "file=%s config=a rounds=%d", path, (int)rounds);
            ck_assert_msg(bed_run(&b, "plan", params, 12) == ALCORE_OK, "%s", alcore_last_error());
            count_picks(again);
            bed_close(&b);
            ck_assert_int_eq(remove(path), 0);
            for (int l = 0; l < 3; l++) {
                ck_assert_int_eq(of[l],
                                 round * PLANNED[l] / rounds - (round - 1) * PLANNED[l] / rounds);
                ck_assert_int_eq(again[l], of[l]);
                sum[l] += of[l];
            }
        }
        for (int l = 0; l < 3; l++) ck_assert_int_eq(sum[l], PLANNED[l]);
    }
}
END_TEST

/* The budget is that of one round, and counts near the largest integer do not overflow. */
START_TEST(rounds_have_budgets_of_their_own) {
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    open_languages(&one);
    b.input.round = 2;
    ck_assert_int_eq(bed_run(&b, "plan", "counts=hi:4,fa:2 rounds=2", 3), ALCORE_OK);
    ck_assert_int_eq(b.outcome.bought.pick_count, 3);
    ck_assert_int_eq(bed_run(&b, "plan", "counts=hi:4,fa:2 rounds=2", 2), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "3 rows are more than the budget of 2"));
    ck_assert_int_eq(bed_run(&b, "plan", "counts=hi:9223372036854775807 rounds=1000000", 9.3e12),
                     ALCORE_OK);
    /* floor(2 c / 10^6) - floor(c / 10^6) of c = 9223372036854775807, of which the pool has 5. */
    ck_assert(bed_fact(&b, "missing of each language")[2] == 9223372036855.0 - 5);
    bed_close(&b);
}
END_TEST

START_TEST(rounds_that_are_refused) {
    static const char *const PLAN_OF_ROUNDS = "a\t*\thi:1\na\t2\tfa:2\nb\t1\tar:1\n";
    static const struct {
        const char *params, *config; /* config NULL: without the file */
        int64_t round;
        alcore_status status;
        const char *says;
    } CASES[] = {
        {"counts=hi:4 rounds=2", NULL, 3, ALCORE_E_PARAM, "in 2 rounds, and this is round 3"},
        {"counts=hi:4 rounds=0", NULL, 1, ALCORE_E_PARAM, "rounds"},
        {"rounds=2", NULL, 1, ALCORE_E_PARAM, "rounds=2 spreads one list of counts"},
        {"counts=hi:4;fa:1 rounds=2", NULL, 1, ALCORE_E_PARAM, "rounds=2 spreads one list"},
        {"rounds=2", "a", 1, ALCORE_E_DATA, ".tsv:2: the line is of round 2 alone"},
        {"rounds=2", "b", 1, ALCORE_E_DATA, ".tsv:3: the line is of round 1 alone"},
        {"rounds=2", "c", 1, ALCORE_E_NOT_FOUND, "no line for configuration \"c\", round *"},
    };
    vector_case one = vector_case_number(vector_find("multilingual", "TV-PLAN"), 0);
    const char *path = write_plan(PLAN_OF_ROUNDS);
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        char params[160];
        open_languages(&one);
        b.input.round = CASES[c].round;
        snprintf(params, sizeof params, "%s", CASES[c].params);
        if (CASES[c].config)
            snprintf(params, sizeof params, "%s file=%s config=%s", CASES[c].params, path,
                     CASES[c].config);
        ck_assert_msg(bed_run(&b, "plan", params, 5) == CASES[c].status, "case %zu: %s", c,
                      alcore_last_error());
        ck_assert_msg(strstr(alcore_last_error(), CASES[c].says), "%s", alcore_last_error());
        bed_close(&b);
    }
    ck_assert_int_eq(remove(path), 0);
}
END_TEST

/* Every line of Table 9 (examples/data/litmus_plans.tsv) against a pool of just the rows it names.
 */
START_TEST(plans_of_the_paper) {
    static const char FILE_NAME[] = ALCORE_EXAMPLES_DIR "/data/litmus_plans.tsv";
    static int32_t languages[16000];
    char line[256];
    int lines = 0;
    FILE *file = fopen(FILE_NAME, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        char config[32], list[200], tags[8][8], params[512];
        const char *tag_list[8];
        int64_t counts[8], rows = 0;
        int32_t number = 0;
        if (line[0] == '#') continue;
        ck_assert_int_eq(sscanf(line, "%31s * %199s", config, list), 2);
        for (char *part = strtok(list, ","); part; part = strtok(NULL, ","), number++) {
            long long count;
            ck_assert_int_eq(sscanf(part, "%7[^:]:%lld", tags[number], &count), 2);
            tag_list[number] = tags[number];
            counts[number] = count;
            for (int64_t i = 0; i < count; i++) languages[rows++] = number;
        }
        bed_open(&b, rows, 1, NULL);
        b.input.languages = languages;
        b.input.language_tags = tag_list;
        b.input.language_count = number;
        snprintf(params, sizeof params, "file=%s config=%s", FILE_NAME, config);
        ck_assert_msg(bed_run(&b, "plan", params, 10000) == ALCORE_OK, "%s", alcore_last_error());
        ck_assert_int_eq(b.outcome.bought.pick_count, rows);
        const double *missing = bed_fact(&b, "missing of each language");
        for (int32_t l = 0; l < number; l++) ck_assert(missing[l] == 0 && counts[l] > 0);
        ck_assert_int_eq(bed_run(&b, "plan", params, (double)rows - 1), ALCORE_E_PARAM);
        bed_close(&b);
        lines++;
    }
    fclose(file);
    ck_assert_int_eq(lines, 19);
}
END_TEST

CHECK_SUITE("strategy-languages", egalitarian_vector, same_ratio_vector, plan_vector,
            plan_takes_what_there_is, plan_files, rounds_add_up_to_the_plan,
            rounds_have_budgets_of_their_own, rounds_that_are_refused, plans_of_the_paper,
            counts_that_are_refused, gold_vector);
