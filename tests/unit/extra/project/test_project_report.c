/* SPDX-License-Identifier: Apache-2.0 */
/* The page about a project: what it says of rounds, budgets, measures and annotators. */
#include "project_bed.h"

#include <stdlib.h>

#include "fault_allocator.h"
#include "file_text.h"

/* The page as a text, which the caller frees. */
static char *page_of(alcore_project *project) {
    ck_assert_ok(alcore_project_write_report(project, in_bed("report.html")));
    return strdup(file_text(bed_path));
}

#define HAS(page, text) ck_assert_msg(strstr(page, text) != NULL, "\"%s\" is not in the page", text)
#define LACKS(page, text) ck_assert_msg(strstr(page, text) == NULL, "\"%s\" is in the page", text)

/* A project with two rounds, of which the first one was answered by two people. */
static alcore_project *answered_project(void) {
    char ids[1024], first[16], second[16], third[16], rows[1024];
    alcore_project *project = bed_project();
    ck_assert_ok(alcore_project_set(project, "name", "a <b> & c"));
    ck_assert_ok(alcore_project_set(project, "price", "2EUR/i"));
    ck_assert_ok(alcore_project_set(project, "total", "9"));
    bed_next(project, ids);
    ck_assert_int_eq(sscanf(ids, "%15s %15s %15s", first, second, third), 3);
    snprintf(
        rows, sizeof rows,
        "id,text,translation,status,comment,annotator,time,seconds\n%s,,same,,,Ana,,30\n"
        "%s,,<i>one</i>,,,Ana,,60\n%s,,,skip,,Ana,,\n%s,,same,,,B<en>,,90\n%s,,other,,,B<en>,,60\n",
        first, second, third, first, second);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", rows), NULL, NULL));
    ck_assert_ok(alcore_project_put_metric(project, 0, "chrf", 40));
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 45));
    ck_assert_ok(alcore_project_put_metric(project, 1, "chrf", 47));
    ck_assert_ok(alcore_project_put_metric(project, 1, "<loss>", 0.5));
    bed_next(project, ids);
    return project;
}

START_TEST(without_rounds) {
    alcore_project *project = bed_project();
    char *page = page_of(project);
    HAS(page, "<b>12</b> candidates");
    HAS(page, "No round was selected yet.");
    HAS(page, "<tr><th scope=\"row\">budget</th><td>3 items</td></tr>");
    LACKS(page, "Learning curves");
    LACKS(page, "Agreement");
    free(page);
    alcore_project_unref(project);
}
END_TEST

START_TEST(standing_and_budget) {
    alcore_project *project = answered_project();
    char *page = page_of(project);
    HAS(page, "<h1>a &lt;b&gt; &amp; c</h1>");
    HAS(page, "<b>2</b> rounds");
    HAS(page, "<b>6</b> items selected");
    HAS(page, "<b>1</b> answered");
    HAS(page, "<b>3</b> open");
    HAS(page, "<b>1</b> without an answer");
    HAS(page, "<b>1</b> on which annotators differ");
    HAS(page, "<h2>Budget, in items</h2>");
    HAS(page, ">5, 10.00 EUR</text>"); /* six items, of which one was refunded */
    HAS(page, ">4, 8.00 EUR</text>");  /* left of nine */
    HAS(page, ">round 2</text>");
    HAS(page, "<th scope=\"row\">budget</th><td>3 items</td>");
    HAS(page, "<th scope=\"row\">money, about</th><td>6.00 EUR</td>");
    HAS(page, "<th scope=\"row\">work of annotators, about</th><td>0.1 hours</td>"); /* 3 min */
    HAS(page, "<th scope=\"row\">left afterwards</th><td>1 items</td>");
    free(page);
    ck_assert_ok(alcore_project_set(project, "total", "7")); /* less is left than a round takes */
    page = page_of(project);
    HAS(page, "<th scope=\"row\">budget</th><td>2 items</td>");
    HAS(page, "<th scope=\"row\">left afterwards</th><td>0 items</td>");
    free(page);
    alcore_project_unref(project);
}
END_TEST

/* What is told of the next round is no more than there are candidates, and nothing where the total
 * is spent or no candidate is left. */
START_TEST(next_round) {
    char ids[1024];
    alcore_project *project = bed_project();
    ck_assert_ok(alcore_project_set(project, "price", "2EUR/i"));
    ck_assert_ok(alcore_project_set(project, "total", "20"));
    ck_assert_ok(alcore_project_set(project, "budget", "11"));
    bed_next(project, ids);
    ck_assert_ok(alcore_project_set(project, "budget", "3"));
    char *page = page_of(project);
    HAS(page, "<th scope=\"row\">budget</th><td>3 items</td>");
    HAS(page, "<th scope=\"row\">items, about</th><td>1</td>");
    HAS(page, "<th scope=\"row\">money, about</th><td>2.00 EUR</td>");
    HAS(page, "<th scope=\"row\">left afterwards</th><td>8 items</td>");
    free(page);
    ck_assert_ok(alcore_project_set(project, "total", "11"));
    page = page_of(project);
    HAS(page, "There is none: the total budget is spent.");
    LACKS(page, "items, about");
    LACKS(page, "left afterwards");
    free(page);
    ck_assert_ok(alcore_project_set(project, "total", NULL));
    bed_next(project, ids);
    page = page_of(project);
    HAS(page, "There is none: no candidate is left.");
    LACKS(page, "items, about");
    free(page);
    alcore_project_unref(project);
}
END_TEST

START_TEST(rounds_and_people) {
    alcore_project *project = answered_project();
    char *page = page_of(project);
    HAS(page, "<th scope=\"row\">1</th><td>random</td><td>2001-09-09T01:46:40Z</td><td>3</td>");
    HAS(page, "unknown 3</td>"); /* languages */
    HAS(page, "0.0 %</td>");     /* near-duplicates */
    HAS(page, "<summary>Round 2: its first items");
    HAS(page, "<th>Ana</th><td>3</td><td>2</td><td>0</td><td>1</td>");
    HAS(page, "<th>B&lt;en&gt;</th><td>2</td><td>2</td><td>0</td><td>0</td>");
    HAS(page, "<td>Ana</td><td>B&lt;en&gt;</td><td>2</td><td>1</td><td>50 %</td>");
    HAS(page, "<b>Ana</b>: <bdi>&lt;i&gt;one&lt;/i&gt;</bdi>");
    HAS(page, "<b>B&lt;en&gt;</b>: <bdi>other</bdi>");
    LACKS(page, "<i>");
    free(page);
    ck_assert_ok(alcore_project_set(project, "source_language", "en"));
    page = page_of(project);
    HAS(page, "en 3</td>");
    LACKS(page, "unknown 3</td>");
    free(page);
    alcore_project_unref(project);
}
END_TEST

/* What a round consists of: near-duplicates, and reasons by how they begin. */
START_TEST(composition) {
    char ids[1024];
    alcore_project *project;
    ck_assert_ok(alcore_project_init(ctx, in_bed("c"), NULL, NULL, 0, &project));
    ck_assert_ok(alcore_project_add(
        project, ALCORE_ROLE_CANDIDATES,
        bed_put("c.txt", "a b c d e f g h i j k1\na b c d e f g h i j k2\nz y x\n"), NULL));
    ck_assert_ok(alcore_project_set(project, "strategy", "ngram-cover"));
    ck_assert_ok(alcore_project_set(project, "budget", "3"));
    bed_next(project, ids);
    char *page = page_of(project);
    HAS(page, "<td>33.3 %</td>");                 /* one of the three has the words of another */
    HAS(page, "<td>gain low 2, gain top 1</td>"); /* without the percents behind */
    HAS(page, "<td>gain top ");
    free(page);
    alcore_project_unref(project);
}
END_TEST

/* Curves are pictures in the page: two measures, of which one has two points and was corrected. */
START_TEST(curves) {
    alcore_project *project = answered_project();
    char *page = page_of(project);
    HAS(page, "<title>chrf</title>");
    HAS(page, "<title>&lt;loss&gt;</title>");
    HAS(page, "items bought");
    const char *chrf = strstr(page, "<title>chrf</title>"), *end = strstr(chrf, "</svg>");
    int circles = 0;
    for (const char *at = chrf; (at = strstr(at, "<circle")) && at < end; at++) circles++;
    ck_assert_int_eq(circles, 2);
    char *picture = strndup(chrf, (size_t)(end - chrf));
    HAS(picture, ">47</text>");  /* the last value of the round */
    HAS(picture, ">2.0</text>"); /* items that were bought: of three one was refunded */
    LACKS(picture, ">3.0</text>");
    free(picture);
    free(page);
    alcore_project_unref(project);
}
END_TEST

/* The page loads nothing, and the same project makes the same bytes. */
START_TEST(self_contained) {
    alcore_project *project = answered_project();
    char *page = page_of(project), *again = page_of(project);
    ck_assert_str_eq(page, again);
    HAS(page, "default-src 'none'");
    LACKS(page, "<script");
    LACKS(page, "src=\"");
    LACKS(page, "href=");
    LACKS(page, "url(h");
    free(page);
    free(again);
    alcore_project_unref(project);
}
END_TEST

START_TEST(refused) {
    alcore_project *project = bed_project();
    ck_assert_fails(alcore_project_write_report(project, NULL), ALCORE_E_INVALID, "path");
    ck_assert_fails(alcore_project_write_report(NULL, "x.html"), ALCORE_E_INVALID, "project");
    ck_assert_fails(alcore_project_write_report(project, in_bed("x.txt")), ALCORE_E_UNSUPPORTED,
                    ".html");
    ck_assert_fails(alcore_project_write_report(project, "/nowhere/x.html"), ALCORE_E_IO,
                    "/nowhere");
    alcore_project_unref(project);
}
END_TEST

/* Each allocation of the call fails once: nothing leaks, and no page appears. */
START_TEST(memory) {
    char folder[sizeof bed_path], page[sizeof bed_path];
    alcore_project_unref(answered_project());
    strcpy(folder, in_bed("p"));
    strcpy(page, in_bed("failing.html"));
    fault_allocator fault = {0};
    alcore_project *project;
    alcore_ctx *failing = fault_context(&fault, 1);
    ck_assert_ok(alcore_project_open(failing, folder, &project));
    for (long long call = 1;; call++) {
        atomic_store(&fault.failures, 0);
        atomic_store(&fault.fail_at, atomic_load(&fault.calls) + call);
        const alcore_status status = alcore_project_write_report(project, page);
        if (atomic_load(&fault.failures) == 0) {
            ck_assert_ok(status);
            break;
        }
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        ck_assert_ptr_null(fopen(page, "rb"));
    }
    alcore_project_unref(project);
    alcore_ctx_unref(failing);
    ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
}
END_TEST

CHECK_SUITE_WITH("project report", bed_setup, bed_teardown, without_rounds, standing_and_budget,
                 next_round, rounds_and_people, composition, curves, self_contained, refused,
                 memory);
