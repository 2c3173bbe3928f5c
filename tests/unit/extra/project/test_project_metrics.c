/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of the models that were trained after a round. */
#include "project_round_bed.h"

#include <math.h>

START_TEST(metrics) {
    const char *document;
    ck_assert_ok(alcore_project_put_metric(project, 0, "chrf", 31.5));
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 33));
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":0,\"name\":\"chrf\",\"value\":31.5"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"chrf\",\"value\":33"));
    ck_assert_fails(alcore_project_put_metric(project, 2, "chrf", 1), ALCORE_E_NOT_FOUND,
                    "no round 2");
    ck_assert_fails(alcore_project_put_metric(project, -1, "chrf", 1), ALCORE_E_NOT_FOUND, "-1");
    ck_assert_fails(alcore_project_put_metric(project, 1, "chrf", (double)NAN), ALCORE_E_INVALID,
                    "chrf");
    ck_assert_fails(alcore_project_put_metric(project, 1, "", 1), ALCORE_E_INVALID, "name");
    ck_assert_fails(alcore_project_put_metric(NULL, 1, "x", 1), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_document(project, NULL), ALCORE_E_INVALID, "out");
}
END_TEST

/* A bad line keeps none of the others. */
START_TEST(metrics_of_an_evaluation) {
    static const char good[] = "chrf 40\nbleu\t20.5\n";
    static const char *const bad[][2] = {{"chrf 1\nloading\n", "line 2 of the evaluation"},
                                         {"chrf 1\nbleu nan\n", "got 'nan'"},
                                         {"chrf 1\nbleu inf\n", "got 'inf'"},
                                         {"chrf 1\nchrf 1\n", "twice"},
                                         {"{\"chrf\": 1, \"bleu\": null}", "'bleu'"},
                                         {"", "no measure"}};
    const char *document;
    int64_t count = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_fails(
            alcore_project_put_metrics(project, 1, bad[i][0], strlen(bad[i][0]), &count),
            ALCORE_E_DATA, bad[i][1]);
        ck_assert_int_eq(count, 0);
    }
    ck_assert_fails(alcore_project_put_metrics(project, 2, good, strlen(good), &count),
                    ALCORE_E_NOT_FOUND, "no round 2");
    ck_assert_fails(alcore_project_put_metrics(project, 1, NULL, 0, &count), ALCORE_E_INVALID,
                    "text");
    ck_assert_fails(alcore_project_put_metrics(NULL, 1, good, 1, &count), ALCORE_E_INVALID,
                    "project");
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "\"metrics\":[]"));
    ck_assert_ok(alcore_project_put_metrics(project, 1, good, strlen(good), &count));
    ck_assert_int_eq(count, 2);
    ck_assert_ok(alcore_project_put_metrics(project, 0, "{\"ter\": 3}", 10, NULL));
    ck_assert_ok(alcore_project_document(project, &document));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"chrf\",\"value\":40,"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":1,\"name\":\"bleu\",\"value\":20.5,"));
    ck_assert_ptr_nonnull(strstr(document, "{\"round\":0,\"name\":\"ter\",\"value\":3,"));
}
END_TEST

CHECK_SUITE_WITH("project_metrics", round_setup, round_teardown, metrics, metrics_of_an_evaluation);
