/* SPDX-License-Identifier: Apache-2.0 */
/* The items of annotations as a batch of a tool, and its answers to them: which ids they have,
 * their contexts and drafts, what counts of a file that comes back, and what is refused. */
#include "check_suite.h"
#include "fault_allocator.h"
#include "tool_files.h"

static alcore_pool *pool;
static alcore_annotations *annotations;

/* A pool with groups, and with the language of its rows where one is given. */
static void make_annotations(alcore_ctx *of, const char *language) {
    static const char *const rows[] = {"the patient has severe headache\td1",
                                       "the patient was treated\td1", "fever & <chills>\td2",
                                       "severe headache was reported\td3"};
    char tsv[512] = "text\tgroup\tlang\n";
    for (int i = 0; i < 4; i++) sprintf(tsv + strlen(tsv), "%s\t%s\n", rows[i], language);
    ck_assert_ok(alcore_pool_new(of, NULL, &pool));
    ck_assert_ok(alcore_pool_read(pool, put("pool.tsv", tsv), NULL));
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
}

/* Two sentences and three phrases, of which two have one text, and one the id of a sentence. */
static void select_items(void) {
    ck_assert_ok(alcore_annotations_read_selection(
        annotations,
        put("selection.tsv", "rank\tindex\tid\tscore\tcost\tkind\treason\ttext\n"
                             "1\t0\t1\t0.5\t5\tsentence\tlikely\tthe patient has severe headache\n"
                             "2\t2\t3\tnan\t3\tsentence\t\tfever & <chills>\n"
                             "3\t0\t1\t0.25\t2\tphrase\tfrequent\tsevere headache\n"
                             "4\t0\t2\t0.2\t2\tphrase\t\tsevere headache\n"
                             "5\t0\t3\t0.1\t1\tphrase\t\tpatient\n")));
}

static void setup(void) {
    tool_setup();
    make_annotations(ctx, "");
    select_items();
}

static void teardown(void) {
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    tool_teardown();
}

#define REQUESTS(name, drafts)                                                                     \
    alcore_tool_write_requests(annotations, "csv", in_folder(name), drafts, NULL)

START_TEST(test_batch) {
    ck_assert_ok(REQUESTS("batch.csv", NULL));
    ck_assert_str_eq(
        file_text(in_folder("batch.csv")),
        "\xEF\xBB\xBFid,text,translation,status,comment,draft,context,reason,group,language,rank,"
        "score,cost\r\n"
        "1,the patient has severe headache,,,,,\"the patient has severe headache\nthe patient was "
        "treated\",likely,d1,,1,0.5,5\r\n"
        "3,fever & <chills>,,,,,,,d2,,2,,3\r\n"
        "phrase:severe headache,severe headache,,,,,\"the patient has severe headache\nsevere "
        "headache was reported\",frequent,d1,,3,0.25,2\r\n"
        "phrase:patient,patient,,,,,\"the patient has severe headache\nthe patient was treated\",,"
        "d1,,4,0.1,1\r\n");
}
END_TEST

/* Drafts by text and by row; a sentence of the pool has one though it was not selected. */
static char path_of_drafts[TEST_PATH_BYTES + 64];

static const char *put_drafts(const char *name, const char *text) {
    snprintf(path_of_drafts, sizeof path_of_drafts, "%s", put(name, text));
    return path_of_drafts;
}

/* The batch with the drafts of a file. */
static const char *drafted(const char *name, const char *text) {
    put_drafts(name, text);
    ck_assert_ok(REQUESTS("batch.csv", path_of_drafts));
    return file_text(in_folder("batch.csv"));
}

static void refuse_drafts(const char *name, const char *text, alcore_status status,
                          const char *words) {
    put_drafts(name, text);
    ck_assert_fails(REQUESTS("batch.csv", path_of_drafts), status, words);
}

START_TEST(test_drafts) {
    const char *batch =
        drafted("d.tsv", "source\ttarget\nsevere headache\tKopfweh\nsevere headache\tandere\n"
                         "no item\tnichts\nfever & <chills>\t\n");
    ck_assert_ptr_nonnull(strstr(batch, ",severe headache,Kopfweh,draft,,Kopfweh,"));
    ck_assert_ptr_nonnull(strstr(batch, "\n3,fever & <chills>,,,,,"));
    batch = drafted("d.txt", "eins\nzwei\ndrei\nvier\n");
    ck_assert_ptr_nonnull(strstr(batch, "\n3,fever & <chills>,drei,draft,,drei,"));
    ck_assert_ptr_nonnull(strstr(batch, ",severe headache,,,,,"));
    refuse_drafts("d.txt", "eins\n", ALCORE_E_SHAPE, "d.txt has 1 lines, the pool has 4 rows");
    refuse_drafts("d.tsv", "text\na\n", ALCORE_E_DATA, "d.tsv has no translation");
    refuse_drafts("d.tsv", "text\ttarget\na\n", ALCORE_E_DATA, "d.tsv:2: ");
}
END_TEST

static const char *status_of(int64_t item) {
    return alcore_annotations_status(annotations, item);
}

static alcore_answer_report report_of(const char *csv) {
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    ck_assert_ok(alcore_tool_read_answers(annotations, "csv", put("back.csv", csv), NULL));
    ck_assert_ok(alcore_annotations_answer_report(annotations, &report));
    return report;
}

/* Half of the answers, twice: what was answered stays, and an answer corrects an earlier one. */
START_TEST(test_answers) {
    alcore_answer_report report =
        report_of("id,text,translation,status\nphrase:severe headache,severe headache,starke "
                  "Kopfschmerzen,\n3,fever &  <chills>,,skip\n1,,,\n");
    ck_assert_int_eq(report.answered, 2); /* two items of one text, of different ids */
    ck_assert_str_eq(status_of(2), "ok");
    ck_assert_str_eq(status_of(3), "ok");
    ck_assert_str_eq(status_of(1), "skipped");
    ck_assert_str_eq(status_of(0), "open");
    report = report_of("id,text,translation\n1,the patient has severe headache,Der Patient\n"
                       "3,fever & <chills>,Fieber\nphrase:patient,patient,Patient\n");
    ck_assert_int_eq(report.answered, 3);
    ck_assert_int_eq(report.corrected, 1);
    ck_assert_str_eq(status_of(1), "ok");
    ck_assert_str_eq(alcore_annotations_translation(annotations, 0, NULL), "Der Patient");
    ck_assert_str_eq(alcore_annotations_translation(annotations, 3, NULL), "starke Kopfschmerzen");
    /* An answered item goes out no more. */
    ck_assert_ok(REQUESTS("batch.csv", NULL));
    ck_assert_str_eq(strchr(file_text(in_folder("batch.csv")), '\n') + 1, "");
}
END_TEST

START_TEST(test_unusable) {
    alcore_answer_report report =
        report_of("id,text,translation,status\n9,x,X,\n1,other words,Y,\n3,,Fieber,\n"
                  "phrase:patient,,P,\nphrase:patient,,Q,\n3,,,fuzzy words\n");
    ck_assert_int_eq(report.answered, 1);
    ck_assert_int_eq(report.conflicting, 1);
    ck_assert_int_eq(report.unusable, 3);
    ck_assert_ptr_nonnull(strstr(report.messages, "back.csv:2: no selected item has the id \"9\""));
    ck_assert_ptr_nonnull(strstr(report.messages, "back.csv:3: the text \"other words\" is not"));
    ck_assert_ptr_nonnull(strstr(report.messages, "back.csv:7: "));
    ck_assert_fails(
        alcore_tool_read_answers(annotations, "csv", put("b.csv", "id,translation\n9,x\n"), NULL),
        ALCORE_E_DATA, "b.csv:2: no selected item has the id \"9\"");
    /* Nobody has answered yet: that is no error. */
    ck_assert_ok(
        alcore_tool_read_answers(annotations, "csv", put("b.csv", "id,translation\n1,\n"), NULL));
    ck_assert_ok(
        alcore_tool_read_answers(annotations, "csv", put("b.csv", "id,translation\n"), NULL));
    ck_assert_str_eq(status_of(1), "ok");
}
END_TEST

START_TEST(test_refused) {
    ck_assert_fails(alcore_tool_write_requests(NULL, "csv", "x.csv", NULL, NULL), ALCORE_E_INVALID,
                    "annotations");
    ck_assert_fails(alcore_tool_read_answers(annotations, NULL, "x.csv", NULL), ALCORE_E_INVALID,
                    "tool");
    ck_assert_fails(alcore_tool_write_requests(annotations, "cvs", "x.csv", NULL, NULL),
                    ALCORE_E_NOT_FOUND, "did you mean csv?");
    ck_assert_fails(alcore_tool_read_answers(annotations, "csv", in_folder("none.csv"), NULL),
                    ALCORE_E_IO, "none.csv");
    ck_assert_fails(REQUESTS("batch.csv", "none.tsv"), ALCORE_E_IO, "none.tsv");
}
END_TEST

/* The language of the rows is that of the batch where no other is named; nothing leaks where an
 * allocation fails. */
START_TEST(test_memory) {
    static const char answers[] = "id,translation\nphrase:severe headache,K\n9,x\n3,F\n";
    alcore_status status;
    char drafts[TEST_PATH_BYTES + 64], batch[TEST_PATH_BYTES + 64];
    snprintf(drafts, sizeof drafts, "%s", put("d.tsv", "text\ttarget\nsevere headache\tK\n"));
    snprintf(batch, sizeof batch, "%s", in_folder("batch.csv"));
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    for (int step = 0; step < 2; step++)
        for (long long call = 1, failed = 1; failed; call++) {
            fault_allocator fault = {0};
            alcore_ctx *own = fault_context(&fault, 0);
            make_annotations(own, "en");
            select_items();
            const char *back = put("back.csv", answers);
            fault_arm(&fault, call, 0);
            status = step == 0 ? alcore_tool_write_requests(annotations, "csv", batch, drafts, NULL)
                               : alcore_tool_read_answers(annotations, "csv", back, NULL);
            failed = atomic_load(&fault.failures);
            fault_arm(&fault, 0, 0);
            ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
            ck_assert_int_lt(call, 2000);
            if (!failed) ck_assert_int_gt(call, 20);
            alcore_annotations_unref(annotations);
            alcore_pool_unref(pool);
            alcore_ctx_unref(own);
            ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
        }
    make_annotations(ctx, "en");
}
END_TEST

CHECK_SUITE_WITH("tool requests", setup, teardown, test_batch, test_drafts, test_answers,
                 test_unusable, test_refused, test_memory);
