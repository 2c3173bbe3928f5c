/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as one page of HTML, which loads nothing and carries its pictures as inline SVG:
 * bars of what is covered and repeated, boxes of the lengths, matrices of what each two share, and
 * the samples. Shapes, hatching and numbers tell things apart, never a color alone. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/analysis/comparison_internal.h"
#include "formats/escape.h"

enum {
    ORDERS = ALCORE__COMPARED_ORDERS,
    WIDTH = ALCORE__CHART_WIDTH,
    ROW = ALCORE__CHART_ROW,
    LABEL = ALCORE__CHART_LABEL
};

/* Appends text from outside, [length] bytes. */
static void put_text(alcore__page *page, const char *text, size_t length) {
    if (page->status == ALCORE_OK)
        page->status = alcore__xml_append(page->ctx, page->text, text, length);
}

static void put_string(alcore__page *page, const char *text) {
    put_text(page, text, strlen(text));
}

/* ---- bars ---- */

/* One picture of bars, one of each strategy. */
typedef struct bars {
    const char *title; /* a literal */
    const char *unit;  /* behind each number */
    double (*value)(const alcore__compared *one);
} bars;

static double pool_words(const alcore__compared *one) {
    return one->pool.types[0];
}
static double pool_tokens(const alcore__compared *one) {
    return one->pool.tokens[0];
}
static double pool_pairs(const alcore__compared *one) {
    return one->pool.tokens[1];
}
static double test_words(const alcore__compared *one) {
    return one->test.types[0];
}
static double test_tokens(const alcore__compared *one) {
    return one->test.tokens[0];
}
static double test_pairs(const alcore__compared *one) {
    return one->test.tokens[1];
}
static double repeated_pairs(const alcore__compared *one) {
    return one->repeated[1];
}
static double near_duplicates(const alcore__compared *one) {
    return one->near_duplicates;
}

static const bars of_pool[] = {
    {"Distinct words of the pool that the picks have", " %", pool_words},
    {"Words of the pool, with their repeats", " %", pool_tokens},
    {"Pairs of words of the pool, with their repeats", " %", pool_pairs}};
static const bars of_test[] = {
    {"Distinct words of the test set that the picks have", " %", test_words},
    {"Words of the test set, with their repeats", " %", test_tokens},
    {"Pairs of words of the test set, with their repeats", " %", test_pairs}};
static const bars of_picks[] = {
    {"Pairs of words in the picks that are repeats", " %", repeated_pairs},
    {"Picks with nearly the words of another pick", " %", near_duplicates}};

/* Draws one picture; the longest bar is that of the largest value, and NaN has none. */
static void put_bars(const alcore_comparison *self, const bars *what, alcore__page *page) {
    double largest = 0;
    for (int64_t i = 0; i < self->count; i++)
        largest = fmax(largest, what->value(&self->compared[i]));
    alcore__chart_open(page, what->title, (int)self->count * ROW + 8);
    for (int64_t i = 0; i < self->count; i++) {
        const double value = what->value(&self->compared[i]);
        char number[48] = "not measured";
        if (!isnan(value)) alcore__format(number, sizeof number, "%.2f%s", value, what->unit);
        alcore__chart_bar(page, (int)i, self->compared[i].name,
                          largest > 0 && !isnan(value) ? value / largest : 0, number);
    }
    alcore__chart_close(page);
}

static void put_all_bars(const alcore_comparison *self, const bars *what, size_t count,
                         alcore__page *page) {
    for (size_t i = 0; i < count; i++) put_bars(self, &what[i], page);
}

/* ---- boxes ---- */

static double end_of_boxes(const alcore_comparison *self) {
    double end = 1;
    for (int64_t i = 0; i < self->count; i++)
        end = fmax(end, fmax(self->compared[i].quartile[2], self->compared[i].mean_words));
    return end;
}

/* A box from the first to the third quartile with a line at the median, and a cross at the mean. */
static void put_box(const alcore__compared *one, int row, double end, alcore__page *page) {
    const double scale = (WIDTH - LABEL - 110) / end;
    const double low = LABEL + one->quartile[0] * scale, middle = LABEL + one->quartile[1] * scale,
                 high = LABEL + one->quartile[2] * scale, mean = LABEL + one->mean_words * scale;
    const int y = row * ROW + 4;
    alcore__say(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8, y + 13);
    put_string(page, one->name);
    alcore__say(page, "</text>");
    if (one->items > 0)
        alcore__say(page,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"none\" "
                    "stroke=\"black\"/><path d=\"M%.1f %dv%d\" stroke=\"black\" "
                    "stroke-width=\"3\"/><path d=\"M%.1f %dl6 6m0 -6l-6 6\" stroke=\"black\"/>"
                    "<text x=\"%.1f\" y=\"%d\">median %.1f, mean %.1f</text>\n",
                    low, y, high - low, ROW - 6, middle, y, ROW - 6, mean - 3, y + 5,
                    fmax(high, mean) + 6, y + 13, one->quartile[1], one->mean_words);
}

static void put_lengths(const alcore_comparison *self, alcore__page *page) {
    const double end = end_of_boxes(self);
    alcore__chart_open(page, "Words of a pick: quartiles, and a cross at the mean",
                       (int)self->count * ROW + 8);
    for (int64_t i = 0; i < self->count; i++) put_box(&self->compared[i], (int)i, end, page);
    alcore__chart_close(page);
}

/* ---- matrices ---- */

/* A square of each two strategies, the darker the more of the row's things the column has too; on
 * it the count and the percentage. */
static void put_matrix(const alcore_comparison *self, const char *title, const int64_t *shared,
                       alcore__page *page) {
    const int64_t count = self->count;
    alcore__say(page,
                "<h2>%s</h2>\n<p>Of what the strategy of the row has, how much that of the column "
                "has too.</p>\n<table class=\"matrix\">\n<tr><th></th>",
                title);
    for (int64_t k = 0; k < count; k++) {
        alcore__say(page, "<th>");
        put_string(page, self->compared[k].name);
        alcore__say(page, "</th>");
    }
    alcore__say(page, "</tr>\n");
    for (int64_t i = 0; i < count; i++) {
        const int64_t all = shared[i * count + i];
        alcore__say(page, "<tr><th>");
        put_string(page, self->compared[i].name);
        alcore__say(page, "</th>");
        for (int64_t k = 0; k < count; k++) {
            const double share = all > 0 ? (double)shared[i * count + k] / (double)all : 0;
            char number[32];
            alcore__say(page, "<td style=\"background:rgba(0,114,178,%.2f)\">%s<br/>%.0f %%</td>",
                        0.6 * share, alcore__thousands(shared[i * count + k], number), 100 * share);
        }
        alcore__say(page, "</tr>\n");
    }
    alcore__say(page, "</table>\n");
}

/* ---- tables ---- */

/* A cell with a number, empty for NaN. */
static void put_cell(alcore__page *page, double value, const char *format) {
    char number[64] = "";
    alcore__say(page, "<td>");
    if (!isnan(value)) {
        if (strcmp(format, "amount") == 0)
            alcore__amount(value, number);
        else
            alcore__format(number, sizeof number, "%.2f", value);
        alcore__say(page, "%s", number);
    }
    alcore__say(page, "</td>");
}

/* A cell with what the picks cost; empty where it is not known. */
static void put_money(const alcore__compared *one, alcore__page *page) {
    const alcore__price *price = &one->picked->ranking->price;
    char number[64] = "";
    alcore__say(page, "<td>");
    if (!isnan(one->amount)) put_string(page, alcore__money(one->amount, price->currency, number));
    alcore__say(page, "</td>");
}

/* The number of texts that the option "masks" has left out. */
static int64_t masked_texts(const alcore__compared *one) {
    int64_t masked = 0;
    for (int32_t cause = ALCORE__CAUSE_WORDLESS; cause < ALCORE__CAUSES; cause++)
        masked += alcore__ranking_text_masked(one->picked->ranking, cause);
    return masked;
}

/* The price is that of the request, which all strategies have in common. */
static bool has_price(const alcore_comparison *self) {
    return !isnan(self->compared[0].picked->ranking->price.amount);
}

static void put_row(const alcore_comparison *self, const alcore__compared *one,
                    alcore__page *page) {
    alcore__say(page, "<tr><th>");
    put_string(page, one->name);
    alcore__say(page, "</th>");
    put_cell(page, (double)one->items, "amount");
    put_cell(page, (double)one->words, "amount");
    put_cell(page, one->spent, "amount");
    if (has_price(self)) put_money(one, page);
    put_cell(page, (double)masked_texts(one), "amount");
    put_cell(page, one->quartile[1], "amount");
    put_cell(page, one->pool.types[0], "");
    put_cell(page, one->pool.tokens[0], "");
    if (self->has_test) put_cell(page, one->test.types[0], "");
    if (self->has_test) put_cell(page, one->test.tokens[0], "");
    put_cell(page, one->repeated[1], "");
    put_cell(page, one->near_duplicates, "");
    alcore__say(page, "</tr>\n");
}

static void put_table(const alcore_comparison *self, alcore__page *page) {
    alcore__say(page,
                "<table>\n<tr><th>strategy</th><th>items</th><th>words</th><th>spent</th>%s"
                "<th>texts left out by masks</th><th>median words</th>"
                "<th>pool: distinct words, %%</th><th>pool: words, %%</th>%s"
                "<th>repeated pairs, %%</th><th>near-duplicates, %%</th></tr>\n",
                has_price(self) ? "<th>money</th>" : "",
                self->has_test ? "<th>test: distinct words, %</th><th>test: words, %</th>" : "");
    for (int64_t i = 0; i < self->count; i++) put_row(self, &self->compared[i], page);
    alcore__say(page, "</table>\n");
}

/* Whether a pick has a language tag. */
static bool has_tags(const alcore_comparison *self) {
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__compared *one = &self->compared[i];
        for (int64_t l = 0; l < one->language_count; l++)
            if (strcmp(one->languages[l].name, ALCORE__NO_LANGUAGE) != 0) return true;
    }
    return false;
}

static void put_languages(const alcore_comparison *self, alcore__page *page) {
    alcore__say(page, "<h2>Languages</h2>\n<ul>\n");
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__compared *one = &self->compared[i];
        alcore__say(page, "<li>");
        put_string(page, one->name);
        for (int64_t l = 0; l < one->language_count; l++) {
            char number[32];
            alcore__say(page, "%s", l == 0 ? ": " : ", ");
            put_string(page, one->languages[l].name);
            alcore__say(page, " %s", alcore__thousands(one->languages[l].count, number));
        }
        alcore__say(page, "</li>\n");
    }
    alcore__say(page, "</ul>\n");
}

static void put_samples(const alcore__compared *one, alcore__page *page) {
    const alcore_pool *pool = alcore_selection_pool(one->picked);
    alcore__say(page, "<h3>");
    put_string(page, one->name);
    alcore__say(page, "</h3>\n<table class=\"texts\">\n");
    for (int64_t i = 0; i < alcore__compared_samples(one->items); i++) {
        const int64_t rank = alcore__compared_sample(one->items, i);
        const int64_t row = alcore_selection_rows(one->picked)[rank];
        size_t length;
        const char *text = alcore_pool_text(pool, row, &length);
        alcore__say(page, "<tr><td>%" PRId64 "</td><td>", rank + 1);
        put_text(page, text, length);
        alcore__say(page, "</td></tr>\n");
    }
    alcore__say(page, "</table>\n");
}

/* ---- the page ---- */

static bool same_masks(const alcore_comparison *self) {
    for (int64_t i = 1; i < self->count; i++)
        if (masked_texts(&self->compared[i]) != masked_texts(&self->compared[0])) return false;
    return true;
}

static void put_head(const alcore_comparison *self, alcore__page *page) {
    char budget[40], rows[32];
    alcore__say(page,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                "<title>Strategies compared</title>\n<style>table{border-collapse:collapse}"
                "td,th{border:1px solid #999;padding:2px 6px;text-align:right}"
                ".texts td{text-align:left}.matrix td{text-align:center}</style></head>\n"
                "<body style=\"font-family:sans-serif;max-width:70em;margin:2em auto\">\n"
                "<h1>Strategies compared</h1>\n<p>What each strategy would buy for %s %s from "
                "%s rows. The strategy random is the floor%s.</p>\n<p>The more of the pool%s the "
                "picks cover, and the less they repeat, the better they are for the same price. "
                "Coverage counts formats and names too: read the samples.%s</p>\n",
                alcore__amount(self->budget, budget), alcore__unit_name(self->unit),
                alcore__thousands(self->pool_rows, rows),
                self->compared[self->count - 1].added ? ", and was added" : "",
                self->has_test ? " and of the test set" : "",
                same_masks(self)
                    ? ""
                    : " Texts that are not worth a person's time were not left out for "
                      "all strategies alike; with the option masks they are.");
}

static void put_page(const alcore_comparison *self, alcore__page *page) {
    put_head(self, page);
    put_table(self, page);
    put_all_bars(self, of_pool, sizeof of_pool / sizeof *of_pool, page);
    if (self->has_test) put_all_bars(self, of_test, sizeof of_test / sizeof *of_test, page);
    put_all_bars(self, of_picks, sizeof of_picks / sizeof *of_picks, page);
    put_lengths(self, page);
    put_matrix(self, "Shared picks", self->shared_picks, page);
    put_matrix(self, "Shared words", self->shared_words, page);
    if (has_tags(self)) put_languages(self, page);
    alcore__say(page, "<h2>Samples, with their ranks</h2>\n");
    for (int64_t i = 0; i < self->count; i++) put_samples(&self->compared[i], page);
    alcore__say(page, "</body></html>\n");
}

alcore_status alcore__comparison_write_page(const alcore_comparison *self, const char *path) {
    alcore_ctx *ctx = self->object.ctx;
    alcore__buffer text = {0};
    alcore__page page = {.ctx = ctx, .text = &text};
    int64_t locked = 0;
    page.status = alcore__comparison_lock(self, &locked);
    if (page.status == ALCORE_OK) put_page(self, &page);
    alcore__comparison_unlock(self, locked);
    if (page.status == ALCORE_OK) page.status = alcore__write_text(ctx, path, &text);
    alcore__buffer_clear(ctx, &text);
    return page.status;
}
