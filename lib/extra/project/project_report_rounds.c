/* SPDX-License-Identifier: Apache-2.0 */
/* What each round of a project consists of: languages, lengths, repeats and reasons of its items.
 * The texts of one round are in memory at a time. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/analysis/text_measures.h"
#include "extra/project/project_report.h"
#include "pool/pool_internal.h"

enum { SHOWN_NAMES = 5 /* languages, and beginnings of reasons, of a round */ };
#define SHOWN_ITEMS "5" /* of a round, with their reasons */

/* ---- reading ---- */

/* *out: a copy of text [length] among the strings of the report. */
static alcore_status keep(alcore__report *self, const char *text, size_t length, const char **out) {
    return alcore__arena_text(self->ctx, &self->strings, text, length, out);
}

/* How much of a reason says what kind it is: what stands before its first number or mark. */
static size_t kind_of_reason(const char *reason) {
    size_t length = strcspn(reason, "0123456789,;:(");
    while (length > 0 && reason[length - 1] == ' ') length--;
    return length;
}

/* Takes the items of a round into a pool and its shares. */
static alcore_status read_items(alcore__report *self, alcore__report_round *one,
                                alcore_pool *pool) {
    alcore__store *store = &self->project->store;
    const char *const fallback = alcore__project_setting(&self->settings, "source_language");
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        store, &rows, "SELECT text, language, reason FROM items WHERE round = ? ORDER BY rank", "i",
        one->number));
    while ((status = alcore__store_step(store, rows, &row)) == ALCORE_OK && row) {
        const char *text = alcore__store_text(rows, 0), *reason = alcore__store_text(rows, 2);
        const char *language = alcore__store_text_or_null(rows, 1), *name = NULL;
        if (one->language_count >= one->items) break; /* of a damaged count */
        status = alcore_pool_add_texts(pool, &text, NULL, 1, NULL);
        if (!language) language = *fallback ? fallback : "unknown";
        if (status == ALCORE_OK) status = keep(self, language, strlen(language), &name);
        one->languages[one->language_count++] = (alcore__share){.name = name, .count = 1};
        if (status == ALCORE_OK) status = keep(self, reason, kind_of_reason(reason), &name);
        if (status != ALCORE_OK) break;
        if (*name) one->reasons[one->reason_count++] = (alcore__share){.name = name, .count = 1};
    }
    sqlite3_finalize(rows);
    return status;
}

/* Measures the texts of a pool. */
static alcore_status measure_texts(alcore__report *self, alcore__report_round *one,
                                   const alcore_pool *pool) {
    const int64_t count = alcore_pool_row_count(pool);
    int64_t *words = NULL;
    uint8_t *mask = NULL;
    alcore_status status = alcore__new_array(self->ctx, (size_t)count + 1, sizeof *words, &words);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, (size_t)count + 1, sizeof *mask, &mask);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        one->words += words[i] = alcore_pool_words(pool, i);
        one->characters += alcore__pool_characters(pool, i);
        mask[i] = 1;
    }
    if (status == ALCORE_OK) status = alcore__quartiles(self->ctx, words, count, one->quartile);
    if (status == ALCORE_OK)
        status = alcore__near_duplicates(self->ctx, pool, mask, count, &one->near_duplicates);
    alcore__free(self->ctx, words);
    alcore__free(self->ctx, mask);
    return status;
}

static alcore_status read_round(alcore__report *self, alcore__report_round *one) {
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool = NULL;
    const size_t items = (size_t)one->items;
    ALCORE__TRY(alcore__new_array(self->ctx, items + 1, sizeof *one->languages, &one->languages));
    ALCORE__TRY(alcore__new_array(self->ctx, items + 1, sizeof *one->reasons, &one->reasons));
    keep_all.dedup = ALCORE_DEDUP_NONE;
    ALCORE__TRY(alcore_pool_new(self->ctx, &keep_all, &pool));
    alcore_status status = read_items(self, one, pool);
    if (status == ALCORE_OK) status = measure_texts(self, one, pool);
    alcore_pool_unref(pool);
    if (status != ALCORE_OK) return status; /* a name may be missing */
    alcore__shares_count(one->languages, &one->language_count);
    alcore__shares_count(one->reasons, &one->reason_count);
    return ALCORE_OK;
}

/* Fills a round from its row and measures its items. */
static alcore_status take_round(alcore__report *self, sqlite3_stmt *row) {
    alcore__report_round *one = &self->rounds[self->count++];
    const char *strategy = alcore__store_text(row, 1), *time = alcore__store_text(row, 2);
    *one = (alcore__report_round){.number = sqlite3_column_int64(row, 0),
                                  .budget = sqlite3_column_double(row, 3),
                                  .cost = sqlite3_column_double(row, 4),
                                  .refunded = sqlite3_column_double(row, 5),
                                  .items = sqlite3_column_int64(row, 6),
                                  .answered = sqlite3_column_int64(row, 7),
                                  .open = sqlite3_column_int64(row, 8),
                                  .without = sqlite3_column_int64(row, 9),
                                  .disagreeing = sqlite3_column_int64(row, 10)};
    ALCORE__TRY(keep(self, strategy, strlen(strategy), &one->strategy));
    ALCORE__TRY(keep(self, time, strlen(time), &one->time));
    ALCORE__TRY(alcore__tick(self->ctx, "report", self->count, self->standing.rounds));
    return read_round(self, one);
}

alcore_status alcore__report_read_rounds(alcore__report *self) {
    alcore__store *store = &self->project->store;
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->standing.rounds + 1,
                                  sizeof *self->rounds, &self->rounds));
    ALCORE__TRY(alcore__store_prepare(
        store, &rows,
        "SELECT rounds.round, strategy, time, budget, cost, refunded, items, answered, open, "
        "without, disagreeing FROM rounds JOIN counts USING (round) ORDER BY round",
        ""));
    while ((status = alcore__store_step(store, rows, &row)) == ALCORE_OK && row) {
        if (self->count > self->standing.rounds) break; /* of a damaged number */
        if ((status = take_round(self, rows)) != ALCORE_OK) break;
    }
    sqlite3_finalize(rows);
    return status;
}

/* ---- writing ---- */

static void put_integer(alcore__report *self, int64_t value) {
    char number[32];
    alcore__say(&self->page, "<td>%s</td>", alcore__thousands(value, number));
}

static void put_number(alcore__report *self, double value, const char *end) {
    if (isnan(value))
        alcore__say(&self->page, "<td></td>");
    else
        alcore__say(&self->page, "<td>%.1f%s</td>", value, end);
}

/* The most frequent names with their counts, in one cell. */
static void put_shares(alcore__report *self, const alcore__share *shares, int64_t count) {
    alcore__say(&self->page, "<td>");
    for (int64_t i = 0; i < count && i < SHOWN_NAMES; i++) {
        char number[32];
        alcore__say(&self->page, "%s", i > 0 ? ", " : "");
        alcore__report_text(self, shares[i].name);
        alcore__say(&self->page, " %s", alcore__thousands(shares[i].count, number));
    }
    if (count > SHOWN_NAMES) alcore__say(&self->page, ", %" PRId64 " others", count - SHOWN_NAMES);
    alcore__say(&self->page, "</td>");
}

static void put_counts(alcore__report *self) {
    static const char *const names[] = {"round",   "strategy",  "time",     "items",
                                        "words",   "cost",      "answered", "open",
                                        "without", "differing", "refunded"};
    char number[40];
    alcore__report_table(self, names, sizeof names / sizeof *names);
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__report_round *one = &self->rounds[i];
        alcore__say(&self->page, "<tr><th scope=\"row\">%" PRId64 "</th><td>", one->number);
        alcore__report_text(self, one->strategy);
        alcore__say(&self->page, "</td><td>");
        alcore__report_text(self, one->time);
        alcore__say(&self->page, "</td>");
        put_integer(self, one->items);
        put_integer(self, one->words);
        alcore__say(&self->page, "<td>%s</td>", alcore__amount(one->cost, number));
        put_integer(self, one->answered);
        put_integer(self, one->open);
        put_integer(self, one->without);
        put_integer(self, one->disagreeing);
        alcore__say(&self->page, "<td>%s</td></tr>\n", alcore__amount(one->refunded, number));
    }
    alcore__say(&self->page, "</table></div>\n");
}

static void put_composition(alcore__report *self) {
    static const char *const names[] = {"round",           "words of an item: first quartile",
                                        "median",          "third quartile",
                                        "near-duplicates", "languages",
                                        "reasons"};
    alcore__report_table(self, names, sizeof names / sizeof *names);
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__report_round *one = &self->rounds[i];
        alcore__say(&self->page, "<tr><th scope=\"row\">%" PRId64 "</th>", one->number);
        for (int k = 0; k < 3; k++) put_number(self, one->quartile[k], "");
        put_number(self, one->near_duplicates, " %");
        put_shares(self, one->languages, one->language_count);
        put_shares(self, one->reasons, one->reason_count);
        alcore__say(&self->page, "</tr>\n");
    }
    alcore__say(&self->page, "</table></div>\n");
}

/* The first items of a round with their reasons. */
static alcore_status put_items(alcore__report *self, const alcore__report_round *one) {
    alcore__store *store = &self->project->store;
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        store, &rows,
        "SELECT rank, text, reason FROM items WHERE round = ? ORDER BY rank LIMIT " SHOWN_ITEMS,
        "i", one->number));
    alcore__say(&self->page,
                "<details><summary>Round %" PRId64 ": its first items, and why they were "
                "picked</summary>\n<table class=\"texts\">\n",
                one->number);
    while ((status = alcore__store_step(store, rows, &row)) == ALCORE_OK && row) {
        alcore__say(&self->page, "<tr><td>%lld</td><td dir=\"auto\">",
                    (long long)sqlite3_column_int64(rows, 0));
        alcore__report_text(self, alcore__store_text(rows, 1));
        alcore__say(&self->page, "</td><td>");
        alcore__report_text(self, alcore__store_text(rows, 2));
        alcore__say(&self->page, "</td></tr>\n");
    }
    alcore__say(&self->page, "</table></details>\n");
    sqlite3_finalize(rows);
    return status;
}

alcore_status alcore__report_put_rounds(alcore__report *self) {
    if (self->count == 0) return ALCORE_OK;
    alcore__report_section(self, "Rounds", "What was picked, and what became of it.");
    put_counts(self);
    alcore__report_section(self, "What the rounds consist of",
                           "Near-duplicates have nearly the words of another item of their round; "
                           "reasons are counted by how they begin.");
    put_composition(self);
    for (int64_t i = 0; i < self->count; i++) ALCORE__TRY(put_items(self, &self->rounds[i]));
    return self->page.status;
}
