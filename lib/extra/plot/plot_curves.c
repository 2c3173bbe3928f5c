/* SPDX-License-Identifier: Apache-2.0 */
/* Learning curves (docs/spec/analyses.md 8.5, 8.7).
 *
 * Observations are sorted by (series, round), or by (series, x) where no rounds are given; each run
 * of equal ones is a point: mean of x, and mean, standard deviation and standard error of y over
 * its observations, the seeds. A curve joins the points of a series in the order of x. */
#include <math.h>
#include <stdlib.h>

#include "alcore/extra/metric.h"
#include "extra/plot/plot_frame.h"
#include "formats/table_writer.h"

#define LEGEND_WIDTH 260.0  /* pixels after which the name of a series is cut */
enum { TICK_EVERY = 4096 }; /* observations or points between two polls of cancellation */

/* One observation, with what it is sorted by. */
typedef struct observation {
    uint32_t series;
    int64_t round; /* 0 where none was given */
    double key;    /* the round, or x */
    double x, y;
} observation;

/* One point of a curve. */
typedef struct point {
    uint32_t series;
    int64_t round;
    int64_t count; /* observations */
    double x;
    alcore_mean_result y;
} point;

/* The points of a plot. */
typedef struct curves {
    const alcore__plot_data *data;
    point *points; /* [count], by series and x; owned */
    int64_t count;
} curves;

/* For sorting: by series, then by round or x, then by x and y, so that sums do not depend on the
 * order in which the caller gives the seeds. */
static int compare_observations(const void *a, const void *b) {
    const observation *x = a, *y = b;
    if (x->series != y->series) return x->series < y->series ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->x != y->x) return x->x < y->x ? -1 : 1;
    return (x->y > y->y) - (x->y < y->y);
}

/* For sorting: by series and x. */
static int compare_points(const void *a, const void *b) {
    const point *x = a, *y = b;
    if (x->series != y->series) return x->series < y->series ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

/* Makes the point of a run of observations [count]. values [count]: workspace. */
static alcore_status make_point(const curves *self, const observation *run, int64_t count,
                                double *values, point *out) {
    double x = 0;
    *out = (point){
        .series = run->series, .round = run->round, .count = count, .y = ALCORE_MEAN_RESULT_INIT};
    for (int64_t i = 0; i < count; i++) {
        x += run[i].x;
        values[i] = run[i].y;
    }
    out->x = x / (double)count;
    return alcore_metric_compute_mean(self->data->ctx, values, count, NULL, &out->y);
}

/* Makes the points from sorted observations. */
static alcore_status make_points(curves *self, const observation *all, double *values) {
    const int64_t count = self->data->count;
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && all[next].series == all[first].series &&
                               all[next].key == all[first].key;)
            next++;
        ALCORE__TRY(alcore__tick(self->data->ctx, "plot", first, count));
        ALCORE__TRY(
            make_point(self, all + first, next - first, values, &self->points[self->count++]));
    }
    return alcore__sort(self->data->ctx, self->points, (size_t)self->count, sizeof *self->points,
                        compare_points);
}

/* Sorts the observations and makes the points; the caller frees self->points. */
static alcore_status gather(curves *self) {
    const alcore__plot_data *data = self->data;
    const size_t count = (size_t)data->count;
    observation *all = NULL;
    double *values = NULL;
    alcore_status status = alcore__new_array(data->ctx, count, sizeof *all, &all);
    if (!status) status = alcore__new_array(data->ctx, count, sizeof *values, &values);
    if (!status) status = alcore__new_array(data->ctx, count, sizeof *self->points, &self->points);
    for (int64_t i = 0; i < data->count && !status; i++) {
        const int64_t round = alcore__plot_round(data, i, 0);
        if (i % TICK_EVERY == 0) status = alcore__tick(data->ctx, "plot", i, data->count);
        all[i] = (observation){.series = data->numbers[i],
                               .round = round,
                               .key = data->rounds ? (double)round : data->x[i],
                               .x = data->x[i],
                               .y = data->y[i]};
    }
    if (!status) status = alcore__sort(data->ctx, all, count, sizeof *all, compare_observations);
    if (!status) status = make_points(self, all, values);
    alcore__free(data->ctx, all);
    alcore__free(data->ctx, values);
    return status;
}

/* ---- the table ---- */

static alcore_status put_point(const curves *self, alcore__table *table, const point *one) {
    size_t length;
    const char *name = alcore__vocabulary_word(&self->data->names, one->series, &length);
    ALCORE__TRY(alcore__table_put_text(table, name, length));
    if (self->data->rounds)
        ALCORE__TRY(alcore__table_put_integer(table, one->round));
    else
        ALCORE__TRY(alcore__table_put_string(table, ""));
    ALCORE__TRY(alcore__table_put_number(table, one->x));
    ALCORE__TRY(alcore__table_put_integer(table, one->count));
    ALCORE__TRY(alcore__table_put_number(table, one->y.mean));
    ALCORE__TRY(alcore__table_put_number(table, one->y.standard_deviation));
    ALCORE__TRY(alcore__table_put_number(table, one->y.standard_error));
    return alcore__table_end_line(table);
}

/* Writes a line for each point. */
static alcore_status write_table(const curves *self) {
    static const char *const columns[] = {"series", "round", "x", "n", "mean", "sd", "se"};
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, self->data->ctx, "a plot", self->data->path, NULL));
    alcore_status status = ALCORE_OK;
    for (int c = 0; c < 7 && !status; c++) status = alcore__table_put_string(&table, columns[c]);
    if (!status) status = alcore__table_end_line(&table);
    for (int64_t i = 0; i < self->count && !status; i++) {
        if (i % TICK_EVERY == 0) status = alcore__tick(self->data->ctx, "plot", i, self->count);
        if (!status) status = put_point(self, &table, &self->points[i]);
    }
    return alcore__table_close(&table, status);
}

/* ---- the picture ---- */

/* Half the height of the band at a point; 0 without one. The default is the standard error. */
static double half_band(const curves *self, const point *one) {
    const int32_t band = self->data->options.band;
    const double half = band == ALCORE_BAND_NONE ? 0
                        : band == ALCORE_BAND_SD ? one->y.standard_deviation
                                                 : one->y.standard_error;
    return isnan(half) ? 0 : half;
}

/* Draws the band of points [count] of one series as a light area: along the upper edge to the
 * right, back along the lower edge. Each point also gets a vertical bar with a stroke of 6 pixels
 * at both ends, because bars can be told apart where areas overlap. */
static void put_band(const curves *self, alcore__plot_frame *frame, const point *points,
                     int64_t count) {
    alcore__svg *svg = &frame->svg;
    bool any = false;
    for (int64_t i = 0; i < count; i++) any = any || half_band(self, &points[i]) > 0;
    if (!any) return;
    const char *color = alcore__svg_color(points->series);
    alcore__svg_put(svg, "<path fill=\"%s\" fill-opacity=\"0.12\" d=\"", color);
    for (int64_t i = 0; i < count; i++)
        alcore__svg_put(svg, "%c%.1f %.1f", i == 0 ? 'M' : 'L', alcore__plot_x(frame, points[i].x),
                        alcore__plot_y(frame, points[i].y.mean + half_band(self, &points[i])));
    for (int64_t i = count; i-- > 0;)
        alcore__svg_put(svg, "L%.1f %.1f", alcore__plot_x(frame, points[i].x),
                        alcore__plot_y(frame, points[i].y.mean - half_band(self, &points[i])));
    alcore__svg_put(svg, "Z\"/>\n<g stroke=\"%s\" fill=\"none\">\n", color);
    for (int64_t i = 0; i < count; i++) {
        const double half = half_band(self, &points[i]), x = alcore__plot_x(frame, points[i].x);
        const double high = alcore__plot_y(frame, points[i].y.mean + half);
        const double low = alcore__plot_y(frame, points[i].y.mean - half);
        if (half > 0)
            alcore__svg_put(svg, "<path d=\"M%.1f %.1fh6m-3 0L%.1f %.1fm-3 0h6\"/>\n", x - 3, high,
                            x, low);
    }
    alcore__svg_put(svg, "</g>\n");
}

/* Opens the group of the lines and markers of a series. */
static void open_series(alcore__svg *svg, uint32_t series) {
    alcore__svg_put(svg, "<g stroke=\"%s\" fill=\"none\" stroke-width=\"1.5\">\n",
                    alcore__svg_color(series));
}

/* Draws the line through points [count] of one series, and their markers, which are white inside so
 * that those below show their edges. Markers 6 and 7 are made of lines, without an inside, and are
 * drawn in the color of the series (alcore__svg_marker()). */
static void put_curve(alcore__plot_frame *frame, const point *points, int64_t count) {
    alcore__svg *svg = &frame->svg;
    const uint32_t series = points->series;
    open_series(svg, series);
    alcore__svg_put(svg, "<path stroke-dasharray=\"%s\" d=\"", alcore__svg_dashes(series));
    for (int64_t i = 0; i < count; i++)
        alcore__svg_put(svg, "%c%.1f %.1f", i == 0 ? 'M' : 'L', alcore__plot_x(frame, points[i].x),
                        alcore__plot_y(frame, points[i].y.mean));
    alcore__svg_put(svg, "\"/>\n");
    for (int64_t i = 0; i < count; i++)
        alcore__svg_marker(svg, series, alcore__plot_x(frame, points[i].x),
                           alcore__plot_y(frame, points[i].y.mean), 8,
                           series % ALCORE__SVG_MARKERS < 6 ? "white" : alcore__svg_color(series));
    alcore__svg_put(svg, "</g>\n");
}

/* Draws the row of a series in the legend. */
static void put_legend(alcore__plot_frame *frame, uint32_t series, const char *text,
                       size_t length) {
    double y;
    const double x = alcore__plot_legend_row(frame, text, length, &y);
    open_series(&frame->svg, series);
    alcore__svg_put(&frame->svg, "<path stroke-dasharray=\"%s\" d=\"M%.1f %.1fh%d\"/>\n",
                    alcore__svg_dashes(series), x - ALCORE__LEGEND_SAMPLE / 2.0, y,
                    ALCORE__LEGEND_SAMPLE);
    alcore__svg_marker(&frame->svg, series, x, y, 8,
                       series % ALCORE__SVG_MARKERS < 6 ? "white" : alcore__svg_color(series));
    alcore__svg_put(&frame->svg, "</g>\n");
}

/* Draws all curves. */
static alcore_status draw(const curves *self) {
    const alcore__plot_data *data = self->data;
    const uint32_t series = data->names.count;
    alcore__plot_frame frame;
    char names[ALCORE_PLOT_SERIES_MAX][ALCORE__LABEL_BYTES];
    size_t lengths[ALCORE_PLOT_SERIES_MAX];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, widest = 0;
    for (int64_t i = 0; i < self->count; i++) {
        const double half = half_band(self, &self->points[i]);
        low[0] = fmin(low[0], self->points[i].x);
        high[0] = fmax(high[0], self->points[i].x);
        low[1] = fmin(low[1], self->points[i].y.mean - half);
        high[1] = fmax(high[1], self->points[i].y.mean + half);
    }
    if (self->count == 0) low[0] = low[1] = high[0] = high[1] = 0;
    for (uint32_t s = 0; s < series; s++) {
        size_t length;
        const char *name = alcore__vocabulary_word(&data->names, s, &length);
        lengths[s] = alcore__plot_cut_text(name, length, LEGEND_WIDTH, names[s]);
        widest = fmax(widest, alcore__svg_text_width(names[s], lengths[s]));
    }
    alcore__plot_frame_begin(&frame, data, low, high, series, widest);
    for (int pass = 0; pass < 2; pass++) /* bands lie below all curves */
        for (int64_t first = 0, next; first < self->count; first = next) {
            for (next = first;
                 next < self->count && self->points[next].series == self->points[first].series;)
                next++;
            if (pass == 0)
                put_band(self, &frame, self->points + first, next - first);
            else
                put_curve(&frame, self->points + first, next - first);
        }
    for (uint32_t s = 0; s < series; s++) put_legend(&frame, s, names[s], lengths[s]);
    return alcore__svg_write(&frame.svg, data->path);
}

/* The work of alcore_plot_write_curves(): a picture, or a table of the points. */
static alcore_status write_curves(const alcore__plot_data *data) {
    curves self = {.data = data};
    if (data->options.column_count > 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "column_count is %lld; only points have further "
                            "columns",
                            (long long)data->options.column_count);
    alcore_status status = gather(&self);
    if (!status) status = data->picture ? draw(&self) : write_table(&self);
    alcore__free(data->ctx, self.points);
    return status;
}

alcore_status alcore_plot_write_curves(alcore_ctx *ctx, const char *const *series,
                                       const size_t *series_lengths, const int64_t *rounds,
                                       const double *x, const double *y, int64_t count,
                                       const char *path, const alcore_plot_options *options) {
    return alcore__plot_write(ctx, series, series_lengths, rounds, x, y, count, path, options,
                              write_curves);
}
