/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "format_test.h"
#include "formats/score_text.h"

static memory_host host;

static alcore_status gather(void *user, const alcore__score_line *line) {
    alcore__buffer *out = user;
    if (line->id)
        alcore__buffer_append(NULL, out, line->id, line->id_length);
    else
        alcore__buffer_format(NULL, out, "#%lld", (long long)line->number);
    for (int64_t i = 0; i < line->count; i++)
        alcore__buffer_format(NULL, out, " %.6g", line->values[i]);
    return alcore__buffer_format(NULL, out, "@%lld\n", (long long)line->line);
}

static alcore_status read_text(int32_t format, const char *text, alcore__buffer *out) {
    memory_host_file(&host, text, strlen(text));
    return alcore__read_score_text(host.ctx, "s.txt", format, 0, gather, out);
}

static void expect(int32_t format, const char *text, const char *expected) {
    alcore__buffer out = {0};
    ck_works(read_text(format, text, &out));
    ck_assert_str_eq(out.data ? out.data : "", expected);
    alcore__buffer_clear(NULL, &out);
}

static void refuse(int32_t format, const char *text, const char *words) {
    alcore__buffer out = {0};
    ck_fails(read_text(format, text, &out), ALCORE_E_DATA, words);
    alcore__buffer_clear(NULL, &out);
}

START_TEST(numbers_by_line) {
    expect(ALCORE__SCORE_TXT, "1\n-2.5\r\nnan\ninf", "#0 1@1\n#1 -2.5@2\n#2 nan@3\n#3 inf@4\n");
    refuse(ALCORE__SCORE_TXT, "1\n\n", "s.txt:2: \"\" is no number");
    refuse(ALCORE__SCORE_TXT, "1\n2 3\n", "s.txt:2: \"2 3\" is no number");
    refuse(ALCORE__SCORE_TXT, "1\n0x3\n", "s.txt:2: \"0x3\" is no number");
}
END_TEST

START_TEST(numbers_by_id) {
    expect(ALCORE__SCORE_TSV, "a\t1\nb\\tc\t2\n", "a 1@1\nb\\tc 2@2\n");
    expect(ALCORE__SCORE_TSV, "id\tscore\na\t1\n", "a 1@2\n");
    expect(ALCORE__SCORE_TSV, "id\t3\n", "id 3@1\n");
    refuse(ALCORE__SCORE_TSV, "a\t1\nid\tscore\n", "s.txt:2: \"score\" is no number");
    refuse(ALCORE__SCORE_TSV, "name\tscore\n", "s.txt:1: \"score\" is no number");
    refuse(ALCORE__SCORE_TSV, "a 1\n", "s.txt:1: no TAB between id and number");
    refuse(ALCORE__SCORE_TSV, "\t1\n", "s.txt:1: the id is empty");
    refuse(ALCORE__SCORE_TSV, "a\t1\tx\n", "s.txt:1: more than two columns");
    refuse(ALCORE__SCORE_TSV, "a\t\n", "s.txt:1: \"\" is no number");
    refuse(ALCORE__SCORE_TSV, "a\t0,5\n", "\"0,5\" is no number; the decimal point is a point");
    refuse(ALCORE__SCORE_TSV, "a\t\"5\"\n",
           "is no number; a table with quotes is read with the format csv");
}
END_TEST

START_TEST(numbers_of_csv) {
    expect(ALCORE__SCORE_CSV, "id,score\na,1\n\"b,\"\"c\"\"\nd\",-2.5\n",
           "a 1@2\nb,\"c\"\nd -2.5@3\n");
    /* pandas 3.1.1: Series([1.5, nan], index=...).to_csv(), DataFrame.to_csv(sep=";") */
    expect(ALCORE__SCORE_CSV, ",id,score\n0,a,1.5\n1,b,nan\n", "a 1.5@2\nb nan@3\n");
    expect(ALCORE__SCORE_CSV, "sep=;\r\nid;score\r\na\\t;1\r\n\r\n", "a\\t 1@3\n");
    refuse(ALCORE__SCORE_CSV, "id;score\na;0,5\n",
           "s.txt:2: \"0,5\" is no number; the decimal point is a point, as in 0.17");
    refuse(ALCORE__SCORE_CSV, "id,score\na,\n", "s.txt:2: \"\" is no number; it is empty");
    refuse(ALCORE__SCORE_CSV, "id,score\na, 1\n", "s.txt:2: \" 1\" is no number; there are spaces");
    refuse(ALCORE__SCORE_CSV, "id,score\na,0x1\n", "is no number; numbers are decimal");
    refuse(ALCORE__SCORE_CSV, "id,score\na,1e400\n", "is no number; it is too large");
    refuse(ALCORE__SCORE_CSV, "a,1\n",
           "s.txt:1: a column id and one of numbers are expected; the "
           "first line has \"a\", \"1\"");
    refuse(ALCORE__SCORE_CSV, "id,u,d\na,1,2\n", "a column id and one of numbers are expected");
    refuse(ALCORE__SCORE_CSV, "id,score\na\n", "s.txt:2: 1 columns, the header has 2");
    refuse(ALCORE__SCORE_CSV, "id,score\n,1\n", "s.txt:2: the id is empty");
}
END_TEST

START_TEST(log_probabilities_by_id) {
    expect(ALCORE__SCORE_LP, "a\t-1 -2  -3 \nb\t\n", "a -1 -2 -3@1\nb@2\n");
    refuse(ALCORE__SCORE_LP, "a\t-1 x\n", "s.txt:1: \"x\" is no number");
    refuse(ALCORE__SCORE_LP, "a\n", "no TAB");
}
END_TEST

START_TEST(marian_word_scores) {
    expect(ALCORE__SCORE_MARIAN, "Hallo ||| WordScores= -0.5 -1\nb ||| WordScores= -2\n",
           "#0 -0.5 -1@1\n#1 -2@2\n");
    expect(ALCORE__SCORE_MARIAN, "7 ||| WordScores= -0.5\n",
           "#0 -0.5@1\n"); /* the translation is 7 */
    expect(ALCORE__SCORE_MARIAN,
           "0 ||| a ||| WordScores= -0.5 -1 ||| F0= -1.5 ||| -0.75\n"
           "0 ||| b ||| WordScores= -3 ||| F0= -3 ||| -3\n"
           "2 ||| c ||| WordScores= -4 ||| F0= -4 ||| -4\n",
           "#0 -0.5 -1@1\n#2 -4@3\n");
    refuse(ALCORE__SCORE_MARIAN, "Hallo\n",
           "s.txt:1: no WordScores=: run marian with --word-scores");
    refuse(ALCORE__SCORE_MARIAN, "x ||| a ||| WordScores= -1 ||| F0= -1 ||| -1\n",
           "an n-best line begins with");
    refuse(ALCORE__SCORE_MARIAN, "a ||| WordScores= -1 y\n", "\"y\" is no number");
}
END_TEST

START_TEST(fairseq_scores_become_natural) {
    expect(
        ALCORE__SCORE_FAIRSEQ,
        "S-3\tHallo\nH-3\t-1\thello\nP-3\t-1 -2\nP-3\t-9\nI-3\t5\nP-0\t-0.5\n2020 | INFO | done\n",
        "#3 -0.693147 -1.38629@3\n#0 -0.346574@6\n");
    refuse(ALCORE__SCORE_FAIRSEQ, "S-3\tHallo\n", "s.txt has no P- line");
    refuse(ALCORE__SCORE_FAIRSEQ, "P-x\t1\n", "s.txt:1: P-NUMBER TAB scores is expected");
    refuse(ALCORE__SCORE_FAIRSEQ, "P-1 1\n", "P-NUMBER TAB scores is expected");
    refuse(ALCORE__SCORE_FAIRSEQ, "P-1\t1 a\n", "\"a\" is no number");
}
END_TEST

START_TEST(formats_by_name_or_suffix) {
    ck_assert_int_eq(alcore__score_format(NULL, "a.txt"), ALCORE__SCORE_TXT);
    ck_assert_int_eq(alcore__score_format(NULL, "a.b/s.tsv.gz"), ALCORE__SCORE_TSV);
    ck_assert_int_eq(alcore__score_format(NULL, "s.csv"), ALCORE__SCORE_CSV);
    ck_assert_int_eq(alcore__score_format(NULL, "s.lp"), ALCORE__SCORE_LP);
    ck_assert_int_eq(alcore__score_format(NULL, "s.marian"), 0);
    ck_assert_int_eq(alcore__score_format(NULL, "s.npy"), 0);
    ck_assert_int_eq(alcore__score_format(NULL, "s"), 0);
    ck_assert_int_eq(alcore__score_format("fairseq", "s.txt"), ALCORE__SCORE_FAIRSEQ);
    refuse(0, "1\n", "hold columns");
}
END_TEST

START_TEST(every_allocation_may_fail) {
    size_t live = host.live;
    alcore_status status = ALCORE_E_NOMEM;
    for (int64_t k = 0; status != ALCORE_OK; k++) {
        alcore__buffer out = {0};
        host.fail_from = host.calls + k;
        status = read_text(ALCORE__SCORE_LP, "a\t1 2 3 4 5 6 7 8 9 10\n", &out);
        host.fail_from = -1;
        alcore__buffer_clear(NULL, &out);
        ck_assert_uint_eq(host.live, live);
        ck_assert(status == ALCORE_OK || status == ALCORE_E_NOMEM);
        ck_assert_int_lt(k, 1000);
    }
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {numbers_by_line,
                                  numbers_by_id,
                                  numbers_of_csv,
                                  log_probabilities_by_id,
                                  marian_word_scores,
                                  fairseq_scores_become_natural,
                                  formats_by_name_or_suffix,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("score_text", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
