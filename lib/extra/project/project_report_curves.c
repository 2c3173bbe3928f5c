/* SPDX-License-Identifier: Apache-2.0 */
/* Learning curves of a project: each measure over what was bought up to its round, as inline SVG by
 * the parts of plots (extra/plot). Of a measure that was given again for a round the last value
 * counts, as for the end of the rounds (project_stop.c). */
#include <math.h>
#include <string.h>

#include "extra/plot/plot_frame.h"
#include "extra/project/project_report.h"
#include "request/request_internal.h"

/* The points of one curve, by round. */
typedef struct curve {
    const char *name;
    double *x, *y; /* [count] */
    size_t count;
} curve;

/* What all rounds up to one cost, without what was refunded. */
static double bought(const alcore__report *self, int64_t round) {
    double cost = 0;
    for (int64_t i = 0; i < self->count && self->rounds[i].number <= round; i++)
        cost += self->rounds[i].cost - self->rounds[i].refunded;
    return cost;
}

static void put_points(alcore__plot_frame *frame, const curve *one) {
    alcore__svg *svg = &frame->svg;
    alcore__svg_put(svg, "<g stroke=\"black\" fill=\"none\" stroke-width=\"1.5\">\n<path d=\"");
    for (size_t i = 0; i < one->count; i++)
        alcore__svg_put(svg, "%c%.1f %.1f", i == 0 ? 'M' : 'L', alcore__plot_x(frame, one->x[i]),
                        alcore__plot_y(frame, one->y[i]));
    alcore__svg_put(svg, "\"/>\n");
    for (size_t i = 0; i < one->count; i++)
        alcore__svg_marker(svg, 0, alcore__plot_x(frame, one->x[i]),
                           alcore__plot_y(frame, one->y[i]), 8, "white");
    alcore__svg_put(svg, "</g>\n");
}

/* Draws a curve into the page. */
static void draw(alcore__report *self, const curve *one) {
    char label[64];
    alcore__plot_data data = {.ctx = self->ctx, .options = ALCORE_PLOT_OPTIONS_INIT};
    alcore__plot_frame frame;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < one->count; i++) {
        low[0] = fmin(low[0], one->x[i]);
        high[0] = fmax(high[0], one->x[i]);
        low[1] = fmin(low[1], one->y[i]);
        high[1] = fmax(high[1], one->y[i]);
    }
    alcore__format(label, sizeof label, "%s bought", alcore__unit_name(self->standing.unit));
    data.options.width = 480;
    data.options.height = 240;
    data.options.title = one->name;
    data.options.x_label = label;
    data.options.y_label = one->name;
    alcore__plot_frame_begin(&frame, &data, low, high, 0, 0);
    put_points(&frame, one);
    alcore__svg_put(&frame.svg, "</svg>\n");
    if (self->page.status == ALCORE_OK) self->page.status = frame.svg.status;
    if (self->page.status == ALCORE_OK)
        self->page.status = alcore__buffer_append(self->ctx, self->page.text, frame.svg.text.data,
                                                  frame.svg.text.length);
    alcore__buffer_clear(self->ctx, &frame.svg.text);
}

/* Draws the curve of the measure that a row names. */
static alcore_status put_curve(alcore__report *self, const char *name, size_t capacity) {
    alcore__store *store = &self->project->store;
    curve one = {.name = name};
    sqlite3_stmt *rows = NULL;
    bool row;
    alcore_status status = alcore__new_array(self->ctx, capacity, sizeof *one.x, &one.x);
    if (status == ALCORE_OK) status = alcore__new_array(self->ctx, capacity, sizeof *one.y, &one.y);
    if (status == ALCORE_OK)
        status = alcore__store_prepare(store, &rows,
                                       "SELECT round, value FROM metrics WHERE metric IN (SELECT "
                                       "max(metric) FROM metrics WHERE name = ? GROUP BY round) "
                                       "ORDER BY round",
                                       "t", name);
    while (status == ALCORE_OK && one.count < capacity) {
        status = alcore__store_step(store, rows, &row);
        if (status != ALCORE_OK || !row) break;
        one.x[one.count] = bought(self, sqlite3_column_int64(rows, 0));
        one.y[one.count++] = sqlite3_column_double(rows, 1);
    }
    sqlite3_finalize(rows);
    if (status == ALCORE_OK && one.count > 0) draw(self, &one);
    alcore__free(self->ctx, one.x);
    alcore__free(self->ctx, one.y);
    return status;
}

alcore_status alcore__report_put_curves(alcore__report *self) {
    alcore__store *store = &self->project->store;
    sqlite3_stmt *names;
    bool row, any = false;
    alcore_status status;
    ALCORE__TRY(alcore__store_prepare(
        store, &names, "SELECT name FROM metrics GROUP BY name ORDER BY min(metric)", ""));
    while ((status = alcore__store_step(store, names, &row)) == ALCORE_OK && row) {
        if (!any)
            alcore__report_section(self, "Learning curves",
                                   "Each measure over what was bought up to its round.");
        any = true;
        status = put_curve(self, alcore__store_text(names, 0), (size_t)self->count + 2);
        if (status != ALCORE_OK) break;
    }
    sqlite3_finalize(names);
    return status == ALCORE_OK ? self->page.status : status;
}
