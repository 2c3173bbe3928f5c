/* SPDX-License-Identifier: Apache-2.0 */
/* Annotators of a project, how they agree, and items on which they differ. The queries are those of
 * the document (project_document.h). */
#include <inttypes.h>
#include <string.h>

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

static alcore_status put_pair(alcore__report *self, sqlite3_stmt *row) {
    const int64_t items = sqlite3_column_int64(row, 2), same = sqlite3_column_int64(row, 3);
    put_name(self, "td", row, 0);
    put_name(self, "td", row, 1);
    put_count(self, row, 2);
    put_count(self, row, 3);
    alcore__say(&self->page, "<td>%" PRId64 " %%</td>",
                items > 0 ? alcore__percent(same, items) : 0);
    return ALCORE_OK;
}

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
    static const char *const pairs[] = {"annotator", "and", "items of both", "agreeing", "share"};
    static const char *const items[] = {"round", "id", "text", "answers"};
    ALCORE__TRY(put_table(self, "Annotators", "Their present answers.", people, 6,
                          alcore__project_annotators, INT64_MAX, put_annotator));
    ALCORE__TRY(put_table(self, "Agreement",
                          "Items that both answered, and on how many their answers are the same.",
                          pairs, 5, alcore__project_agreement, INT64_MAX, put_pair));
    ALCORE__TRY(put_table(self, "Disagreements", "Items whose annotators gave different answers.",
                          items, 4, alcore__project_disagreements, SHOWN_ITEMS, put_disagreement));
    return self->page.status;
}
