/* SPDX-License-Identifier: Apache-2.0 */
/* Annotators of a project, how they agree, and items on which they differ. The queries are those of
 * the document (project_document.h, project_agreement.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/project/project_agreement.h"
#include "extra/project/project_document.h"
#include "extra/project/project_report.h"

enum { SHOWN_ITEMS = 50 /* on which annotators differ */ };

static void put_count(alcore__report *self, sqlite3_stmt *row, int column) {
    char number[32];
    alcore__say(&self->page, "<td>%s</td>",
                alcore__thousands(sqlite3_column_int64(row, column), number));
}

static void put_name(alcore__report *self, const char *tag, sqlite3_stmt *row, int column) {
    const char *name = alcore__store_text(row, column);
    alcore__say(&self->page, "<%s>", tag);
    alcore__report_text(self, *name ? name : "no name");
    alcore__say(&self->page, "</%s>", tag);
}

/* Writes a row of a table. */
typedef alcore_status (*put_row)(alcore__report *self, sqlite3_stmt *row);

/* Writes a section with a table of the rows of a query, at most `most`; nothing without a row. */
static alcore_status put_table(alcore__report *self, const char *title, const char *about,
                               const char *const *names, int count, const char *sql, int64_t most,
                               put_row put) {
    alcore__store *store = &self->project->store;
    sqlite3_stmt *rows;
    bool row;
    int64_t shown = 0;
    ALCORE__TRY(alcore__store_prepare(store, &rows, sql, ""));
    alcore_status status = alcore__store_step(store, rows, &row);
    if (status == ALCORE_OK && row) {
        alcore__report_section(self, title, about);
        alcore__report_table(self, names, count);
    }
    for (; status == ALCORE_OK && row && shown < most; shown++) {
        alcore__say(&self->page, "<tr>");
        status = put(self, rows);
        alcore__say(&self->page, "</tr>\n");
        if (status == ALCORE_OK) status = alcore__store_step(store, rows, &row);
    }
    if (shown > 0) alcore__say(&self->page, "</table></div>\n");
    if (status == ALCORE_OK && row)
        alcore__say(&self->page, "<p>The first %" PRId64 " are shown.</p>\n", most);
    sqlite3_finalize(rows);
    return status;
}

static alcore_status put_annotator(alcore__report *self, sqlite3_stmt *row) {
    const double seconds = sqlite3_column_double(row, 5);
    put_name(self, "th", row, 0);
    for (int i = 1; i < 5; i++) put_count(self, row, i);
    if (seconds > 0)
        alcore__say(&self->page, "<td>%.1f</td>", seconds / 3600);
    else
        alcore__say(&self->page, "<td></td>");
    return ALCORE_OK;
}

/* ---- agreement ---- */

/* The measure less chance of labels, or of translations what stands in its place; spans have only
 * the share. */
static const char *measure_of(alcore__compared compared) {
    static const char *const names[] = {"chrF", NULL, "kappa", "kappa"};
    return names[compared];
}

static double measure_value(alcore__compared compared, double kappa, double chrf) {
    return compared == ALCORE__COMPARED_TEXTS ? chrf : kappa;
}

/* A number with its digits behind the point; "-": there is none. */
static const char *measure_text(alcore__compared compared, double value, char out[32]) {
    if (isnan(value)) return "-";
    alcore__format(out, 32, compared == ALCORE__COMPARED_TEXTS ? "%.1f" : "%.3f", value);
    return out;
}

static void put_pair_name(alcore__report *self, const char *name) {
    alcore__say(&self->page, "<td>");
    alcore__report_text(self, *name ? name : "no name");
    alcore__say(&self->page, "</td>");
}

static void put_pair(alcore__report *self, alcore__compared compared,
                     const alcore__project_pair *pair) {
    char items[32], agreeing[32], value[32];
    alcore__say(&self->page, "<tr>");
    put_pair_name(self, pair->one);
    put_pair_name(self, pair->other);
    alcore__say(&self->page, "<td>%s</td><td>%s</td><td>%" PRId64 " %%</td>",
                alcore__thousands(pair->items, items), alcore__thousands(pair->agreeing, agreeing),
                alcore__percent(pair->agreeing, pair->items));
    if (measure_of(compared))
        alcore__say(
            &self->page, "<td>%s</td>",
            measure_text(compared, measure_value(compared, pair->kappa, pair->chrf), value));
    alcore__say(&self->page, "</tr>\n");
}

/* The sentence under the table: all annotators together. */
static void put_overall(alcore__report *self, const alcore__project_agreement *found) {
    const alcore_project_agreement *all = &found->all;
    char items[32], agreeing[32], value[32];
    alcore__say(&self->page,
                "<p>All answers are the same on %s of the %s items with two answers or more. ",
                alcore__thousands(all->agreeing, agreeing), alcore__thousands(all->items, items));
    if (found->compared == ALCORE__COMPARED_TEXTS)
        alcore__say(&self->page,
                    "chrF of the translations against each other: %s. Two good translations may "
                    "differ in every word, and what chance would give is not defined for free "
                    "text: there is no kappa.</p>\n",
                    measure_text(found->compared, all->chrf, value));
    else if (found->compared == ALCORE__COMPARED_SPANS)
        alcore__say(&self->page, "What chance would give is not defined for spans, which may begin "
                                 "and end anywhere: there is no kappa.</p>\n");
    else
        alcore__say(&self->page,
                    "Krippendorff's alpha (nominal): %s, of %s %s; kappa and alpha are 1 where all "
                    "labels are equal, and 0 where chance gives as many.</p>\n",
                    measure_text(found->compared, all->alpha, value),
                    alcore__thousands(all->units, items), alcore__compared_name(found->compared));
    if (all->uneven > 0)
        alcore__say(&self->page,
                    "<p>%s items are left out of it: annotators gave tags to different numbers of "
                    "words.</p>\n",
                    alcore__thousands(all->uneven, items));
}

static alcore_status put_agreement(alcore__report *self) {
    alcore__project_agreement found;
    ALCORE__TRY(alcore__project_agreement_read(self->project, true, &found));
    const char *const columns[] = {"annotator", "and",   "items of both",
                                   "agreeing",  "share", measure_of(found.compared)};
    if (found.count > 0) {
        alcore__report_section(
            self, "Agreement",
            "Items that both answered, and on how many their answers are the same.");
        alcore__report_table(self, columns, columns[5] ? 6 : 5);
        for (size_t i = 0; i < found.count; i++) put_pair(self, found.compared, &found.pairs[i]);
        alcore__say(&self->page, "</table></div>\n");
        put_overall(self, &found);
    }
    alcore__project_agreement_clear(self->project, &found);
    return self->page.status;
}

/* ---- disagreements ---- */

/* The answers to one item, a line each. */
static alcore_status put_answers(alcore__report *self, int64_t item) {
    alcore__store *store = &self->project->store;
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(store, &rows, alcore__project_differing_answers, "i", item));
    alcore__say(&self->page, "<td class=\"text\">");
    while ((status = alcore__store_step(store, rows, &row)) == ALCORE_OK && row) {
        const char *value = alcore__store_text_or_null(rows, 2);
        put_name(self, "b", rows, 0);
        alcore__say(&self->page, ": <bdi>");
        alcore__report_text(self, value ? value : alcore__store_text(rows, 1));
        alcore__say(&self->page, "</bdi><br/>");
    }
    alcore__say(&self->page, "</td>");
    sqlite3_finalize(rows);
    return status;
}

static alcore_status put_disagreement(alcore__report *self, sqlite3_stmt *row) {
    alcore__say(&self->page, "<td>%lld</td><td>", (long long)sqlite3_column_int64(row, 1));
    alcore__report_text(self, alcore__store_text(row, 2));
    alcore__say(&self->page, "</td><td dir=\"auto\">");
    alcore__report_text(self, alcore__store_text(row, 3));
    alcore__say(&self->page, "</td>");
    return put_answers(self, sqlite3_column_int64(row, 0));
}

alcore_status alcore__report_put_people(alcore__report *self) {
    static const char *const people[] = {"annotator", "items",   "answers",
                                         "drafts",    "without", "hours"};
    static const char *const items[] = {"round", "id", "text", "answers"};
    ALCORE__TRY(put_table(self, "Annotators", "Their present answers.", people, 6,
                          alcore__project_annotators, INT64_MAX, put_annotator));
    ALCORE__TRY(put_agreement(self));
    ALCORE__TRY(put_table(self, "Disagreements", "Items whose annotators gave different answers.",
                          items, 4, alcore__project_disagreements, SHOWN_ITEMS, put_disagreement));
    return self->page.status;
}
