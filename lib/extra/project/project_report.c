/* SPDX-License-Identifier: Apache-2.0 */
/* The page about a project (project_report.h): where it stands, what was spent, and what the next
 * round would cost. */
#include "extra/project/project_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/project/project_round.h"
#include "formats/byte_stream.h"
#include "request/request_internal.h"

/* ---- where it stands ---- */

static void put_tile(alcore__report *self, const char *value, const char *name) {
    alcore__say(&self->page, "<li><b>");
    alcore__report_text(self, value);
    alcore__say(&self->page, "</b> %s</li>\n", name);
}

static void put_count(alcore__report *self, int64_t count, const char *name) {
    char number[32];
    put_tile(self, alcore__thousands(count, number), name);
}

static void put_head(alcore__report *self) {
    const char *name = alcore__project_setting(&self->settings, "name");
    alcore__say(&self->page,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'\"/><meta name=\"viewport\" "
                "content=\"width=device-width, initial-scale=1\"/><title>");
    alcore__report_text(self, name);
    alcore__say(&self->page,
                "</title>\n<style>body{font-family:sans-serif;line-height:1.45;max-width:62em;"
                "margin:2em auto;padding:0 1em;background:white;color:black}"
                "h2{margin-top:2em}.tiles{display:flex;flex-wrap:wrap;gap:.6em;padding:0;"
                "list-style:none}.tiles li{border:1px solid #999;border-radius:.4em;"
                "padding:.5em .9em}.tiles b{display:block;font-size:1.4em}"
                ".wide{overflow-x:auto}table{border-collapse:collapse}"
                "td,th{border:1px solid #999;padding:2px 8px;text-align:right;vertical-align:top}"
                "th{background:#eee}th[scope=col]{text-align:center}.texts td,"
                "td.text{text-align:left}td[dir]{text-align:start}svg{max-width:100%%;"
                "height:auto}details{margin:.6em 0}summary{cursor:pointer}"
                "@media print{details{display:block}}</style></head>\n<body>\n<h1>");
    alcore__report_text(self, name);
    alcore__say(&self->page, "</h1>\n");
}

static void put_standing(alcore__report *self) {
    const alcore_project_status *now = &self->standing;
    alcore__say(&self->page, "<ul class=\"tiles\">\n");
    put_count(self, now->rounds, "rounds");
    put_count(self, now->candidates, "candidates");
    put_count(self, now->items, "items selected");
    put_count(self, now->answered, "answered");
    put_count(self, now->open, "open");
    put_count(self, now->without, "without an answer");
    put_count(self, now->disagreeing, "on which annotators differ");
    alcore__say(&self->page, "</ul>\n");
}

/* Says of trainings or evaluations, `what`, that the last one has not ended or why it failed. */
static void put_work(alcore__report *self, const char *what, int32_t open, const char *failure) {
    if (open) alcore__say(&self->page, "<p>%s was begun and has not ended.</p>\n", what);
    if (!failure) return;
    alcore__say(&self->page, "<p>%s failed: ", what);
    alcore__report_text(self, failure);
    alcore__say(&self->page, "</p>\n");
}

/* ---- the budget ---- */

static void put_bar(alcore__report *self, int bar, const char *label, double amount, double largest,
                    double money) {
    char number[40], sum[64], text[128];
    alcore__amount(amount, number);
    alcore__report_amount(self, money, sum);
    alcore__format(text, sizeof text, "%s%s%s", number, *sum ? ", " : "", sum);
    alcore__chart_bar(&self->page, bar, label, largest > 0 ? fmax(amount, 0) / largest : 0, text);
}

/* Money that all rounds cost, without what was refunded: by the share of the cost that was. */
static double money_spent(const alcore__report *self) {
    double money = 0;
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__report_round *one = &self->rounds[i];
        const double kept = one->cost > 0 ? (one->cost - one->refunded) / one->cost : 1;
        money += kept * alcore__report_money(self, (double)one->items, (double)one->words,
                                             (double)one->characters, one->cost);
    }
    return money;
}

static void put_budget(alcore__report *self) {
    const alcore_project_status *now = &self->standing;
    const bool limited = !isnan(now->left);
    const double total = limited ? now->spent + now->left : now->spent;
    const double largest = fmax(fmax(total, now->spent), now->refunded);
    const double money = money_spent(self);
    char title[96];
    alcore__format(title, sizeof title, "Budget, in %s", alcore__unit_name(now->unit));
    alcore__chart_open(&self->page, title, (limited ? 4 : 2) * ALCORE__CHART_ROW + 8);
    int bar = 0;
    if (limited) put_bar(self, bar++, "in all", total, largest, (double)NAN);
    put_bar(self, bar++, "spent", now->spent, largest, money);
    put_bar(self, bar++, "refunded", now->refunded, largest, (double)NAN);
    if (limited)
        put_bar(self, bar++, "left", now->left, largest,
                now->spent > 0 ? money * now->left / now->spent : (double)NAN);
    alcore__chart_close(&self->page);
    alcore__chart_open(&self->page, "Spent by each round",
                       (int)self->count * ALCORE__CHART_ROW + 8);
    double most = 0;
    for (int64_t i = 0; i < self->count; i++) most = fmax(most, self->rounds[i].cost);
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__report_round *one = &self->rounds[i];
        char label[32];
        alcore__format(label, sizeof label, "round %" PRId64, one->number);
        put_bar(self, (int)i, label, one->cost, most,
                alcore__report_money(self, (double)one->items, (double)one->words,
                                     (double)one->characters, one->cost));
    }
    alcore__chart_close(&self->page);
}

/* ---- the next round ---- */

/* The budget of the next round by the settings; that of the last round where none is set; NaN. */
static double next_budget(const alcore__report *self) {
    alcore_tensor amounts;
    int32_t unit = 0;
    if (alcore_request_get_budgets(self->settings.request, &amounts, &unit) == ALCORE_OK &&
        unit == self->standing.unit)
        return ((const double *)amounts.data)[0];
    return self->count > 0 ? self->rounds[self->count - 1].budget : (double)NAN;
}

static void put_estimate(alcore__report *self, const char *name, const char *value) {
    alcore__say(&self->page, "<tr><th scope=\"row\">%s</th><td>", name);
    alcore__report_text(self, value);
    alcore__say(&self->page, "</td></tr>\n");
}

/* Why there will be no next round; NULL: there may be one. */
static const char *why_none(const alcore__report *self) {
    if (self->standing.left <= 0) return "There is none: the total budget is spent.";
    return self->candidates_left == 0 ? "There is none: no candidate is left." : NULL;
}

/* What the next round would cost, from what the rounds so far cost, and no more items than there
 * are candidates. */
static void put_next(alcore__report *self) {
    const alcore_project_status *now = &self->standing;
    double budget = next_budget(self), cost = 0, items = 0, words = 0, characters = 0;
    char text[128], number[40];
    for (int64_t i = 0; i < self->count; i++) {
        cost += self->rounds[i].cost;
        items += (double)self->rounds[i].items;
        words += (double)self->rounds[i].words;
        characters += (double)self->rounds[i].characters;
    }
    if (isnan(budget)) return;
    if (self->count > 0 && why_none(self)) {
        alcore__report_section(self, "The next round", why_none(self));
        return;
    }
    if (!isnan(now->left)) budget = fmin(budget, now->left);
    double takes = budget;
    if (self->candidates_left >= 0 && items > 0)
        takes = fmin(takes, cost / items * (double)self->candidates_left);
    alcore__report_section(self, "The next round",
                           "What it would cost by the present settings, where its items are like "
                           "those so far.");
    alcore__say(&self->page, "<table>\n");
    alcore__format(text, sizeof text, "%s %s", alcore__amount(budget, number),
                   alcore__unit_name(now->unit));
    put_estimate(self, "budget", text);
    if (cost > 0) {
        const double times = takes / cost; /* as much as all rounds together */
        char money[64];
        alcore__format(text, sizeof text, "%.0f", round(items * times));
        put_estimate(self, "items, about", text);
        alcore__format(text, sizeof text, "%.0f", round(words * times));
        put_estimate(self, "words, about", text);
        alcore__report_amount(
            self,
            alcore__report_money(self, items * times, words * times, characters * times, takes),
            money);
        if (*money) put_estimate(self, "money, about", money);
        if (self->timed > 0) {
            alcore__format(text, sizeof text, "%.1f hours",
                           items * times * self->seconds / (double)self->timed / 3600);
            put_estimate(self, "work of annotators, about", text);
        }
    }
    if (!isnan(now->left)) {
        alcore__format(text, sizeof text, "%s %s", alcore__amount(now->left - takes, number),
                       alcore__unit_name(now->unit));
        put_estimate(self, "left afterwards", text);
    }
    alcore__say(&self->page, "</table>\n");
}

/* ---- the page ---- */

/* Candidates that no round has taken. Phrases take none, so that their number says nothing. */
static alcore_status count_candidates(alcore__report *self) {
    int64_t phrases, taken;
    alcore__store *const store = &self->project->store;
    ALCORE__TRY(
        alcore__store_integer(store, &phrases, "SELECT count(*) FROM items WHERE " IS_PHRASE, ""));
    ALCORE__TRY(
        alcore__store_integer(store, &taken, "SELECT count(*) FROM items WHERE " IS_SENTENCE, ""));
    self->candidates_left = phrases > 0 ? -1 : self->standing.candidates - taken;
    return ALCORE_OK;
}

static alcore_status read_report(alcore__report *self) {
    sqlite3_stmt *row;
    bool found;
    self->price = (alcore_price)ALCORE_PRICE_INIT;
    self->price.amount = (double)NAN;
    ALCORE__TRY(alcore__project_settings_read(self->project, &self->settings));
    ALCORE__TRY(alcore__project_status_read(self->project, &self->settings, &self->standing));
    ALCORE__TRY(alcore__project_work_read(self->project, &self->failures, &self->standing));
    const alcore_status priced = alcore_request_get_price(self->settings.request, &self->price);
    if (priced != ALCORE_OK && priced != ALCORE_E_NOT_FOUND) return priced;
    ALCORE__TRY(count_candidates(self));
    ALCORE__TRY(alcore__store_prepare(&self->project->store, &row,
                                      "SELECT total(seconds), count(seconds) FROM latest "
                                      "JOIN answers USING (answer)",
                                      ""));
    const alcore_status status = alcore__store_step(&self->project->store, row, &found);
    if (status == ALCORE_OK && found) {
        self->seconds = sqlite3_column_double(row, 0);
        self->timed = sqlite3_column_int64(row, 1);
    }
    sqlite3_finalize(row);
    ALCORE__TRY(status);
    return alcore__report_read_rounds(self);
}

static alcore_status put_report(alcore__report *self) {
    put_head(self);
    put_standing(self);
    put_work(self, "The last training", self->standing.training, self->standing.training_failure);
    put_work(self, "The last evaluation", self->standing.evaluating,
             self->standing.evaluating_failure);
    if (self->count == 0) alcore__say(&self->page, "<p>No round was selected yet.</p>\n");
    ALCORE__TRY(alcore__report_put_curves(self));
    if (self->count > 0) put_budget(self);
    put_next(self);
    ALCORE__TRY(alcore__report_put_rounds(self));
    ALCORE__TRY(alcore__report_put_people(self));
    alcore__say(&self->page, "</body></html>\n");
    return self->page.status;
}

static void clear_report(alcore__report *self) {
    for (int64_t i = 0; i < self->count; i++) {
        alcore__free(self->ctx, self->rounds[i].languages);
        alcore__free(self->ctx, self->rounds[i].reasons);
    }
    alcore__free(self->ctx, self->rounds);
    alcore__arena_clear(self->ctx, &self->strings);
    alcore__buffer_clear(self->ctx, &self->failures);
    alcore__project_settings_clear(self->project, &self->settings);
}

/* Makes the page in a transaction that only reads. */
static alcore_status make_report(alcore_project *project, alcore__buffer *text) {
    alcore__report self = {.project = project,
                           .ctx = project->object.ctx,
                           .page = {.ctx = project->object.ctx, .text = text},
                           .standing = ALCORE_PROJECT_STATUS_INIT};
    alcore_status status = read_report(&self);
    if (status == ALCORE_OK) status = put_report(&self);
    clear_report(&self);
    return status;
}

static alcore_status write_report(alcore_project *project, const char *path) {
    alcore__buffer text = {0};
    if (!alcore__path_ends_in(path, strlen(path), ".html"))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: the page of a project is written as .html",
                            path);
    alcore_status status = alcore__store_begin_reading(&project->store);
    if (status == ALCORE_OK)
        status = alcore__store_end(&project->store, make_report(project, &text));
    if (status == ALCORE_OK) status = alcore__write_text(project->object.ctx, path, &text);
    alcore__buffer_clear(project->object.ctx, &text);
    return status;
}

alcore_status alcore_project_write_report(alcore_project *project, const char *path) {
    ALCORE__TRY(alcore__project_enter(project, "alcore_project_write_report", CALL_LONG));
    if (!path)
        return alcore__project_leave(
            project, alcore__fail(ALCORE_E_INVALID, "alcore_project_write_report: path is needed"));
    return alcore__project_leave(project, write_report(project, path));
}
