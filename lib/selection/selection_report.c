/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a selection as Markdown, JSON or HTML: the summary, the values of the score's terms
 * among the picks, shares by language and group, and where everything came from. The HTML page
 * loads nothing and carries its pictures as inline SVG (report_chart.c). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "formats/byte_stream.h"
#include "formats/write_options.h"
#include "selection/selection_internal.h"

/* The picks' values of one term of the score. */
typedef struct term_stats {
    const char *name; /* of the term */
    double mean, median;
} term_stats;

/* The numbers of one report, measured before it is written; arrays are owned, names borrowed from
 * the pool. */
typedef struct report {
    const alcore_selection *selection;
    alcore_ctx *ctx;
    alcore__share *languages; /* [language_count] picks by language, the most frequent first */
    alcore__share *groups;    /* [group_count] likewise by group; picks without one left out */
    int64_t language_count, group_count;
    term_stats terms[ALCORE__TERMS]; /* [term_count] used */
    int32_t term_count;
} report;

/* Orders for qsort(): of shares by name; of shares by count, the largest first, then by name; of
 * doubles, none of them NaN, by value. */
static int by_name(const void *a, const void *b) {
    const alcore__share *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static int by_count(const void *a, const void *b) {
    const alcore__share *left = a, *right = b;
    if (left->count != right->count) return left->count < right->count ? 1 : -1;
    return strcmp(left->name, right->name);
}

static int by_value(const void *a, const void *b) {
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Sorting brings equal names together, so that neighbors can be merged. */
void alcore__shares_count(alcore__share *shares, int64_t *count) {
    int64_t names = 0;
    if (*count == 0) return;
    qsort(shares, (size_t)*count, sizeof *shares, by_name);
    for (int64_t i = 0; i < *count; i++) {
        if (names > 0 && strcmp(shares[names - 1].name, shares[i].name) == 0)
            shares[names - 1].count++;
        else
            shares[names++] = shares[i];
    }
    qsort(shares, (size_t)names, sizeof *shares, by_count);
    *count = names;
}

/* Appends the mean and the median of one term to self->terms; values [picks], one or more: the
 * term's value of each pick, by rank; none is NaN, as a row whose score is NaN is not bought. The
 * median of an even number of values is the mean of the middle two. terms has an entry for every
 * term, each of which has one record column.
 * alcore__sort() polls cancellation, and a failure leaves the values in no order; the report is
 * then dropped. */
static alcore_status measure_term(report *self, const char *name, const double *values) {
    size_t count = (size_t)self->selection->count;
    double *sorted, sum = 0;
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof *sorted, &sorted));
    memcpy(sorted, values, count * sizeof *sorted);
    for (size_t k = 0; k < count; k++) sum += sorted[k];
    const alcore_status status = alcore__sort(self->ctx, sorted, count, sizeof *sorted, by_value);
    self->terms[self->term_count++] =
        (term_stats){.name = name,
                     .mean = sum / (double)count,
                     .median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2};
    alcore__free(self->ctx, sorted);
    return status;
}

const alcore__term_part *alcore__selection_term_of(const alcore_selection *selection,
                                                   const char *column) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    for (int32_t t = 0; t < explanation->count; t++)
        if (strcmp(explanation->parts[t].term->column, column) == 0) return &explanation->parts[t];
    return NULL;
}

/* Counts the picks by language and by group and measures the terms of the score among them. A pick
 * without a language has the name "unknown", one without a group none (NULL). Names are borrowed
 * from the pool, which stays locked for reading until the report is composed. */
static alcore_status measure(report *self) {
    const alcore_selection *selection = self->selection;
    const alcore_pool *pool = selection->ranking->pool;
    const alcore__outcome *outcome = &selection->ranking->outcome;
    size_t count = (size_t)selection->count;
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof(alcore__share), &self->languages));
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof(alcore__share), &self->groups));
    for (size_t k = 0; k < count; k++) {
        int64_t row = selection->rows[k];
        const char *group = alcore_pool_group(pool, row);
        self->languages[self->language_count++] =
            (alcore__share){.name = alcore_pool_language(pool, row), .count = 1};
        if (group) self->groups[self->group_count++] = (alcore__share){.name = group, .count = 1};
    }
    alcore__shares_count(self->languages, &self->language_count);
    alcore__shares_count(self->groups, &self->group_count);
    for (int32_t c = 0; c < outcome->column_count && count > 0; c++) {
        const alcore__term_part *part =
            alcore__selection_term_of(selection, outcome->columns[c].name);
        if (part) ALCORE__TRY(measure_term(self, part->term->name, selection->pick_columns[c]));
    }
    return ALCORE_OK;
}

/* ---- JSON ---- */

/* Writes shares [count] as an array of objects {name, count, share} under a key; a share is the
 * part of all picks, 0 to 1. Without picks there are no shares, so no division by 0. */
static void put_shares(const report *self, alcore__json_out *json, const char *key,
                       const alcore__share *shares, int64_t count) {
    alcore__json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) {
        alcore__json_open(json, NULL, '{');
        alcore__json_put_string(json, "name", shares[i].name);
        alcore__json_put_integer(json, "count", shares[i].count);
        alcore__json_put_number(json, "share",
                                (double)shares[i].count / (double)self->selection->count);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}

/* Writes the report as one JSON object (docs/schemas/report.schema.json): the members of the
 * provenance, the languages, the groups, and in term_values the mean and the median of each term of
 * the score among the picks. Functions of alcore__json_out note the first failure in json.status
 * and then do nothing, so it is asked once. "schema" names this document; the members of the
 * provenance come without theirs. The text moves to *out, also after a failure, and the caller
 * frees it. */
static alcore_status write_json(const report *self, alcore__buffer *out) {
    alcore__json_out json = {.ctx = self->ctx, .text = *out};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", "alcore-report-1");
    alcore__selection_put_provenance(self->selection, &json);
    put_shares(self, &json, "languages", self->languages, self->language_count);
    put_shares(self, &json, "groups", self->groups, self->group_count);
    alcore__json_open(&json, "term_values", '{');
    for (int32_t t = 0; t < self->term_count; t++) {
        alcore__json_open(&json, self->terms[t].name, '{');
        alcore__json_put_number(&json, "mean", self->terms[t].mean);
        alcore__json_put_number(&json, "median", self->terms[t].median);
        alcore__json_close(&json, '}');
    }
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    *out = json.text;
    if (json.status != ALCORE_OK) return json.status;
    return alcore__buffer_append(self->ctx, out, "\n", 1);
}

/* ---- Markdown and HTML: the same parts with other marks ---- */

/* What is written around the parts of a page in one format. */
typedef struct marks {
    const char *open, *close;                              /* of the document */
    const char *title, *title_end, *heading, *heading_end; /* of the page, and of a section */
    const char *text, *text_end;                           /* of preformatted text */
    const char *table, *table_end; /* of a table with the columns name, count and share */
    const char *row, *cell,
        *row_end; /* before a row's first cell, between cells, behind the last */
    bool html;
} marks;

static const marks markdown = {.open = "",
                               .close = "",
                               .title = "# ",
                               .title_end = "\n\n",
                               .heading = "## ",
                               .heading_end = "\n\n",
                               .text = "```\n",
                               .text_end = "```\n\n",
                               .table = "| name | count | share |\n|---|---|---|\n",
                               .table_end = "\n",
                               .row = "| ",
                               .cell = " | ",
                               .row_end = " |\n",
                               .html = false};
static const marks html = {
    .open = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
            "charset=\"utf-8\"><title>Selection</title></head>\n"
            "<body style=\"font-family:sans-serif;max-width:60em;margin:2em auto\">\n",
    .close = "</body></html>\n",
    .title = "<h1>",
    .title_end = "</h1>\n",
    .heading = "<h2>",
    .heading_end = "</h2>\n",
    .text = "<pre>",
    .text_end = "</pre>\n",
    .table = "<table>\n<tr><th>name</th><th>count</th><th>share</th></tr>\n",
    .table_end = "</table>\n",
    .row = "<tr><td>",
    .cell = "</td><td>",
    .row_end = "</td></tr>\n",
    .html = true};

/* A page, in Markdown or HTML, that is being written. */
typedef struct sheet {
    alcore__page page;
    const marks *marks;
} sheet;

/* Appends text as it is. */
static void put(sheet *self, const char *text) {
    alcore__page *page = &self->page;
    if (page->status == ALCORE_OK)
        page->status = alcore__buffer_append(page->ctx, page->text, text, strlen(text));
}

/* Appends text from outside, such as names of languages: characters that HTML, or in Markdown a
 * table, would read as marks are escaped. one: the present byte as a string. */
static void put_foreign(sheet *self, const char *text) {
    char one[2] = {0};
    for (; *text != '\0'; text++) {
        one[0] = *text;
        bool is_html = self->marks->html;
        put(self, is_html && *text == '<'    ? "&lt;"
                  : is_html && *text == '>'  ? "&gt;"
                  : is_html && *text == '&'  ? "&amp;"
                  : is_html && *text == '"'  ? "&quot;"
                  : !is_html && *text == '|' ? "\\|"
                                             : one);
    }
}

/* Appends the heading of a section; text needs no escape. */
static void put_heading(sheet *self, const char *text) {
    put(self, self->marks->heading);
    put(self, text);
    put(self, self->marks->heading_end);
}

/* Appends preformatted text; inside a code block Markdown needs no escape, but the mark that ends
 * it stands on a line of its own. The summary ends with a newline, the provenance with none. */
static void put_block(sheet *self, const char *text) {
    put(self, self->marks->text);
    if (self->marks->html)
        put_foreign(self, text);
    else {
        put(self, text);
        if (text[strlen(text) - 1] != '\n') put(self, "\n");
    }
    put(self, self->marks->text_end);
}

/* Appends a section with a table of names, counts and percentages of `total` picks, in whole per
 * cent, rounded half up. shares [count]: the rows of the table in their order; nothing is appended
 * where there are none. */
static void put_table(sheet *self, const char *title, const alcore__share *shares, int64_t count,
                      int64_t total) {
    char number[32];
    if (count == 0) return;
    put_heading(self, title);
    put(self, self->marks->table);
    for (int64_t i = 0; i < count; i++) {
        put(self, self->marks->row);
        put_foreign(self, shares[i].name);
        put(self, self->marks->cell);
        put(self, alcore__thousands(shares[i].count, number));
        put(self, self->marks->cell);
        alcore__say(&self->page, "%" PRId64 " %%", alcore__percent(shares[i].count, total));
        put(self, self->marks->row_end);
    }
    put(self, self->marks->table_end);
}

/* Appends a section about one term: the heading "Uncertainty of the picks" and the text "mean 3.1,
 * median 3.0". The first letter of the name, a small ASCII letter in every term, becomes a capital.
 */
static void put_term_stats(sheet *self, const term_stats *stats) {
    const marks *with = self->marks;
    char mean[32], median[32];
    alcore__print_double(stats->mean, mean);
    alcore__print_double(stats->median, median);
    alcore__say(&self->page, "%s%c%s of the picks%s%smean %s, median %s\n%s", with->heading,
                stats->name[0] - 'a' + 'A', stats->name + 1, with->heading_end, with->text, mean,
                median, with->text_end);
}

/* Appends the drawings of an HTML page. */
static void put_charts(const report *self, alcore__page *page) {
    alcore__chart_budget(self->selection, page);
    alcore__chart_terms(self->selection, page);
    alcore__chart_shares("Picks by language", self->languages, self->language_count, page);
    alcore__chart_shares("Picks by group", self->groups, self->group_count, page);
}

/* Appends the report as Markdown or HTML, by the marks `with`. Both have the same parts in the same
 * order, but for the drawings, which only HTML has. The caller frees the text, also after a
 * failure. */
static alcore_status write_page(const report *self, const marks *with, alcore__buffer *out) {
    sheet page = {.page = {.ctx = self->ctx, .text = out}, .marks = with};
    const alcore_selection *selection = self->selection;
    put(&page, with->open);
    put(&page, with->title);
    put(&page, "Selection by ");
    put_foreign(&page, selection->ranking->strategy);
    put(&page, with->title_end);
    put_block(&page, selection->summary);
    if (with->html) put_charts(self, &page.page);
    for (int32_t t = 0; t < self->term_count; t++) put_term_stats(&page, &self->terms[t]);
    put_table(&page, "Languages", self->languages, self->language_count, selection->count);
    put_table(&page, "Groups", self->groups, self->group_count, selection->count);
    put_heading(&page, "Where everything came from");
    put_block(&page, selection->provenance);
    put(&page, with->close);
    return page.page.status;
}

/* Sets *kind to the kind of a report, ALCORE_REPORT_*: the one that the options ask for, which it
 * is before, or, where that is 0, the one that the suffix of the path names. Fails where there is
 * neither, and for a suffix of compression: the report is plain. ALCORE_REPORT_* are consecutive,
 * from MARKDOWN to HTML. */
static alcore_status resolve_kind(const char *path, int32_t *kind) {
    const char *dot = strrchr(path, '.');
    size_t base;
    if (*kind != 0 && (*kind < ALCORE_REPORT_MARKDOWN || *kind > ALCORE_REPORT_HTML))
        return alcore__fail(ALCORE_E_INVALID, "kind is %d; expected ALCORE_REPORT_*, or 0", *kind);
    if (*kind == 0 && dot)
        *kind = strcmp(dot, ".md") == 0     ? ALCORE_REPORT_MARKDOWN
                : strcmp(dot, ".json") == 0 ? ALCORE_REPORT_JSON
                : strcmp(dot, ".html") == 0 ? ALCORE_REPORT_HTML
                                            : 0;
    if (*kind != 0 && !alcore__stream_compressed(path, &base)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: a report is written as .md, .json or .html",
                        path);
}

/* Measures the picks and writes the report to memory, with the pool locked for reading. The file is
 * written afterwards, when the report is complete. The arrays of measure() are freed here on every
 * path. */
static alcore_status compose(report *self, int32_t kind, alcore__buffer *out) {
    ALCORE__TRY(alcore__read_begin(self->selection->ranking->pool, "pool"));
    alcore_status status = measure(self);
    if (status == ALCORE_OK)
        status = kind == ALCORE_REPORT_JSON       ? write_json(self, out)
                 : kind == ALCORE_REPORT_MARKDOWN ? write_page(self, &markdown, out)
                                                  : write_page(self, &html, out);
    alcore__read_end(self->selection->ranking->pool);
    alcore__free(self->ctx, self->languages);
    alcore__free(self->ctx, self->groups);
    return status;
}

/* Reads the options, composes the report in the format that was asked for or that the suffix of the
 * path names, and writes the file as a whole or not at all. theirs: the caller's options, NULL: the
 * defaults. */
static alcore_status write_report(const alcore_selection *selection, const char *path,
                                  const alcore_report_options *theirs) {
    alcore_ctx *ctx = selection->object.ctx;
    alcore_report_options options;
    report self = {.selection = selection, .ctx = ctx};
    alcore__buffer text = {0};
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_report_options, reserved), theirs,
                                    "alcore_report_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_report_options"));
    ALCORE__TRY(resolve_kind(path, &options.kind));
    alcore_status status = compose(&self, options.kind, &text);
    if (status == ALCORE_OK) status = alcore__write_text(ctx, path, &text);
    alcore__buffer_clear(ctx, &text);
    return status;
}

alcore_status alcore_selection_report(const alcore_selection *selection, const char *path,
                                      const alcore_report_options *options) {
    if (!selection || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_selection_report: selection and path are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    return alcore__leave(selection->object.ctx, write_report(selection, path, options));
}
