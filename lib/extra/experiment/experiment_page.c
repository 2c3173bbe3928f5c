/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of an experiment, and a page with them and the statistics after the last round, which
 * loads nothing. */
#include <math.h>
#include <string.h>

#include "alcore/extra/plot.h"
#include "extra/experiment/experiment_results.h"
#include "formats/escape.h"
#include "selection/selection_internal.h"

enum { MOST_DRAWING = 16 << 20 };

/* The observations of one picture. */
typedef struct observations {
    const char **series; /* [count] */
    int64_t *rounds;     /* [count] */
    double *x, *y;       /* [count] words, and the measure */
    int64_t count;
} observations;

static alcore_status new_observations(alcore_ctx *ctx, int64_t count, observations *out) {
    const size_t room = (size_t)count;
    ALCORE__TRY(alcore__new_array(ctx, room, sizeof *out->series, &out->series));
    ALCORE__TRY(alcore__new_array(ctx, room, sizeof *out->rounds, &out->rounds));
    ALCORE__TRY(alcore__new_array(ctx, room, sizeof *out->x, &out->x));
    return alcore__new_array(ctx, room, sizeof *out->y, &out->y);
}

static void free_observations(alcore_ctx *ctx, observations *all) {
    alcore__free(ctx, all->series);
    alcore__free(ctx, all->rounds);
    alcore__free(ctx, all->x);
    alcore__free(ctx, all->y);
}

/* Collects a measure of one domain and budget. */
static void collect(const alcore__results *self, int64_t domain, int64_t budget, int64_t measure,
                    observations *out) {
    out->count = 0;
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__result_row *row = &self->rows[i];
        if (row->domain != domain || row->budget != budget) continue;
        if (isnan(row->values[measure]) || isnan(row->bought[1])) continue;
        out->series[out->count] = self->all->config.strategies[row->strategy].name;
        out->rounds[out->count] = row->round;
        out->x[out->count] = row->bought[1];
        out->y[out->count++] = row->values[measure];
    }
}

/* ---- the page ---- */

static void put_string(alcore__page *page, const char *text) {
    if (page->status == ALCORE_OK)
        page->status = alcore__xml_append(page->ctx, page->text, text, strlen(text));
}

static void put_number(alcore__page *page, double value) {
    char text[48] = "";
    if (!isnan(value)) alcore__format(text, sizeof text, "%.4g", value);
    alcore__say(page, "<td>%s</td>", text);
}

/* Puts the picture that was written to a file into the page, from its element on. */
static void put_picture(alcore__page *page, const char *path) {
    alcore__buffer text = {0};
    if (page->status == ALCORE_OK)
        page->status = alcore__read_text(page->ctx, path, MOST_DRAWING, &text);
    const char *begin = text.data ? strstr(text.data, "<svg") : NULL;
    if (begin && page->status == ALCORE_OK)
        page->status = alcore__buffer_append(page->ctx, page->text, begin, strlen(begin));
    alcore__buffer_clear(page->ctx, &text);
}

static alcore_status put_statistics(const alcore__results *self, int64_t domain, int64_t budget,
                                    int64_t measure, int64_t round, alcore__page *page) {
    const alcore__experiment_config *config = &self->all->config;
    alcore__say(page,
                "<table>\n<tr><th>after round %lld</th><th>seeds</th><th>mean</th><th>standard "
                "deviation</th><th>standard error</th><th>difference from ",
                (long long)round);
    put_string(page, config->baseline);
    alcore__say(page, "</th><th>Wilcoxon p</th><th>bootstrap p</th></tr>\n");
    for (int64_t i = 0; i < config->strategy_count; i++) {
        alcore__result_cell cell;
        ALCORE__TRY(alcore__results_cell(self, domain, budget, i, round, measure, &cell));
        if (cell.n == 0) continue;
        alcore__say(page, "<tr><th>");
        put_string(page, config->strategies[i].name);
        alcore__say(page, "</th><td>%lld</td>", (long long)cell.n);
        put_number(page, cell.mean);
        put_number(page, cell.deviation);
        put_number(page, cell.error);
        put_number(page, cell.difference);
        put_number(page, cell.wilcoxon);
        put_number(page, cell.bootstrap);
        alcore__say(page, "</tr>\n");
    }
    alcore__say(page, "</table>\n");
    return ALCORE_OK;
}

/* Draws a measure of a domain and budget; nothing where it has none. A plot has at most
 * ALCORE_PLOT_SERIES_MAX series, and a table any number. */
static alcore_status put_measure(alcore__results *self, int64_t domain, int64_t budget,
                                 int64_t measure, observations *seen, alcore__page *page) {
    const alcore__experiment_config *config = &self->all->config;
    alcore_plot_options options = ALCORE_PLOT_OPTIONS_INIT;
    collect(self, domain, budget, measure, seen);
    if (seen->count == 0) return ALCORE_OK;
    options.x_label = "words";
    options.y_label = self->measures[measure];
    alcore__say(page, "<h3>%s</h3>\n", self->measures[measure]);
    if (config->strategy_count <= ALCORE_PLOT_SERIES_MAX) {
        ALCORE__TRY(alcore__experiment_path(self->all->ctx, &self->path, "%s/results/%s.%s.%s.svg",
                                            self->all->folder.data, config->domains[domain].name,
                                            config->budgets[budget], self->measures[measure]));
        ALCORE__TRY(alcore_plot_write_curves(self->all->ctx, seen->series, NULL, seen->rounds,
                                             seen->x, seen->y, seen->count, self->path.data,
                                             &options));
        put_picture(page, self->path.data);
    }
    return put_statistics(self, domain, budget, measure,
                          alcore__results_last_round(self, domain, budget), page);
}

static void put_head(const alcore__results *self, alcore__page *page) {
    const alcore__experiment_config *config = &self->all->config;
    const char *title = config->title ? config->title : "Experiment";
    alcore__say(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>");
    put_string(page, title);
    alcore__say(page, "</title>\n<style>body{font-family:sans-serif;max-width:70em;margin:2em auto;"
                      "padding:0 1em}table{border-collapse:collapse}td,th{border:1px solid "
                      "#999;padding:2px 6px;text-align:right}</style></head>\n<body>\n<h1>");
    put_string(page, title);
    alcore__say(
        page,
        "</h1>\n<p>Strategies: %lld, seeds: %lld, budgets: %lld, domains: %lld, rounds: %lld; "
        "lines of metrics.tsv so far: %lld. Curves are means over seeds with the standard "
        "error.</p>\n",
        (long long)config->strategy_count, (long long)config->seed_count,
        (long long)config->budget_count, (long long)config->domain_count, (long long)config->rounds,
        (long long)self->count);
}

static alcore_status put_all(alcore__results *self, observations *seen, alcore__page *page) {
    const alcore__experiment_config *config = &self->all->config;
    put_head(self, page);
    for (int64_t d = 0; d < config->domain_count; d++)
        for (int64_t b = 0; b < config->budget_count; b++) {
            alcore__say(page, "<h2>");
            put_string(page, config->domains[d].name);
            alcore__say(page, ", %s a round</h2>\n", config->budgets[b]);
            for (int64_t m = 0; m < self->measure_count; m++)
                ALCORE__TRY(put_measure(self, d, b, m, seen, page));
        }
    alcore__say(page, "</body></html>\n");
    return page->status;
}

alcore_status alcore__results_write_page(alcore__results *self) {
    alcore_ctx *ctx = self->all->ctx;
    alcore__buffer text = {0};
    alcore__page page = {ctx, &text, ALCORE_OK};
    observations seen = {0};
    alcore_status status = new_observations(ctx, self->count, &seen);
    if (status == ALCORE_OK) status = put_all(self, &seen, &page);
    if (status == ALCORE_OK)
        status =
            alcore__experiment_path(ctx, &self->path, "%s/report.html", self->all->folder.data);
    if (status == ALCORE_OK) status = alcore__write_text(ctx, self->path.data, &text);
    free_observations(ctx, &seen);
    alcore__buffer_clear(ctx, &text);
    return status;
}
