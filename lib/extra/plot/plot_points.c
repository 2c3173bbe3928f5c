/* SPDX-License-Identifier: Apache-2.0 */
/* Points: picks of strategies by round over a background (docs/spec/analyses.md 8.7). Background is
 * drawn first, then picks from the last round to the first, so that the dark ones lie on top. */
#include <math.h>
#include <stdlib.h>

#include "extra/plot/plot_frame.h"
#include "formats/table_writer.h"

enum {
    BACKGROUND = 4000, /* points of a background series that are drawn at most */
    SHADES = 5,        /* samples of the legend's row of rounds, at most */
    TICK_EVERY = 4096
};
#define LEGEND_WIDTH 260.0 /* pixels after which the name of a series is cut */
#define DARKEST 40         /* gray of round 1, 0 to 255 */
#define LIGHTEST 235       /* gray of the last round */

/* One series. */
typedef struct series_look {
    bool background; /* all its points have round 0 */
    uint32_t number; /* among the background series, or among the others */
    int64_t points;  /* of round 0 */
    int64_t step;    /* every step-th of these is drawn; 0 where there are none */
    int64_t visited; /* of these, drawn or skipped so far */
} series_look;

/* The state of a plot of points. */
typedef struct points_plot {
    const alcore__plot_data *data;
    series_look looks[ALCORE_PLOT_SERIES_MAX]; /* [names.count] */
    int64_t last_round;                        /* the largest one */
    int64_t *order;                            /* [data->count] in which points are drawn; owned */
} points_plot;

/* A point, with what it is sorted by. */
typedef struct drawn {
    int64_t round, index;
} drawn;

/* For sorting: background first, then the last round first; within a round as given. */
static int compare_drawn(const void *a, const void *b) {
    const drawn *x = a, *y = b;
    if ((x->round == 0) != (y->round == 0)) return x->round == 0 ? -1 : 1;
    if (x->round != y->round) return x->round > y->round ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Finds what each series looks like, the last round, and the order of drawing. */
static alcore_status arrange(points_plot *self) {
    const alcore__plot_data *data = self->data;
    uint32_t backgrounds = 0, others = 0;
    drawn *sorted;
    for (uint32_t s = 0; s < data->names.count; s++) self->looks[s].background = true;
    for (int64_t i = 0; i < data->count; i++) {
        const int64_t round = alcore__plot_round(data, i, 1);
        series_look *look = &self->looks[data->numbers[i]];
        if (round < 0)
            return alcore__fail(ALCORE_E_DATA, "point %lld has round %lld; expected 0 or more",
                                (long long)i, (long long)round);
        if (round > self->last_round) self->last_round = round;
        look->points += round == 0;
        if (round > 0) look->background = false;
    }
    for (uint32_t s = 0; s < data->names.count; s++) {
        series_look *look = &self->looks[s];
        look->number = look->background ? backgrounds++ : others++;
        look->step = (look->points + BACKGROUND - 1) / BACKGROUND;
    }
    ALCORE__TRY(
        alcore__new_array(data->ctx, (size_t)data->count, sizeof *self->order, &self->order));
    ALCORE__TRY(alcore__new_array(data->ctx, (size_t)data->count, sizeof *sorted, &sorted));
    for (int64_t i = 0; i < data->count; i++)
        sorted[i] = (drawn){.round = alcore__plot_round(data, i, 1), .index = i};
    const alcore_status status =
        alcore__sort(data->ctx, sorted, (size_t)data->count, sizeof *sorted, compare_drawn);
    for (int64_t i = 0; i < data->count; i++) self->order[i] = sorted[i].index;
    alcore__free(data->ctx, sorted);
    return status;
}

/* ---- the table ---- */

/* Writes a line for each point, in the order given. */
static alcore_status write_table(const alcore__plot_data *data) {
    static const char *const columns[] = {"series", "round", "x", "y"};
    const alcore_plot_options *options = &data->options;
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, data->ctx, "a plot", data->path, NULL));
    alcore_status status = ALCORE_OK;
    for (int c = 0; c < 4 && !status; c++) status = alcore__table_put_string(&table, columns[c]);
    for (int64_t c = 0; c < options->column_count && !status; c++)
        status = alcore__table_put_string(&table, options->column_names[c]);
    if (!status) status = alcore__table_end_line(&table);
    for (int64_t i = 0; i < data->count && !status; i++) {
        size_t length;
        const char *name = alcore__vocabulary_word(&data->names, data->numbers[i], &length);
        if (i % TICK_EVERY == 0) status = alcore__tick(data->ctx, "plot", i, data->count);
        if (!status) status = alcore__table_put_text(&table, name, length);
        if (!status) status = alcore__table_put_integer(&table, alcore__plot_round(data, i, 1));
        if (!status) status = alcore__table_put_number(&table, data->x[i]);
        if (!status) status = alcore__table_put_number(&table, data->y[i]);
        for (int64_t c = 0; c < options->column_count && !status; c++)
            status = alcore__table_put_number(&table, options->columns[c][i]);
        if (!status) status = alcore__table_end_line(&table);
    }
    return alcore__table_close(&table, status);
}

/* ---- the picture ---- */

/* The fill of a pick, "#rrggbb": a gray by its round; of a plot with one round only the color of
 * the series. */
static const char *shade(const points_plot *self, uint32_t number, int64_t round, char out[8]) {
    if (self->last_round <= 1) return alcore__svg_color(number);
    const double share = (double)(round - 1) / (double)(self->last_round - 1);
    const int gray = DARKEST + (int)lround(share * (LIGHTEST - DARKEST));
    alcore__format(out, 8, "#%02x%02x%02x", (unsigned)gray, (unsigned)gray, (unsigned)gray);
    return out;
}

/* Draws one mark of a series at a place of the picture: of the background a dot, a small plus or a
 * small cross in gray, else the marker of the series. */
static void put_mark(const points_plot *self, alcore__svg *svg, const series_look *look,
                     int64_t round, double x, double y) {
    char gray[8];
    if (look->background && look->number == 0)
        alcore__svg_put(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" fill=\"#aaaaaa\"/>\n", x,
                        y);
    else if (look->background) /* markers 7 and 6: plus and cross */
        alcore__svg_marker(svg, look->number % 2 == 1 ? 7 : 6, x, y, 7, "#666666");
    else {
        alcore__svg_put(svg, "<g stroke=\"%s\" stroke-width=\"1.2\">",
                        alcore__svg_color(look->number));
        alcore__svg_marker(svg, look->number, x, y, 9, shade(self, look->number, round, gray));
        alcore__svg_put(svg, "</g>\n");
    }
}

/* Draws all points in their order. Points of round 0 are thinned out; those of a series that has
 * picks too get the shade of round 1. */
static alcore_status put_points(points_plot *self, alcore__plot_frame *frame) {
    const alcore__plot_data *data = self->data;
    for (int64_t n = 0; n < data->count; n++) {
        const int64_t i = self->order[n], round = alcore__plot_round(data, i, 1);
        series_look *look = &self->looks[data->numbers[i]];
        if (n % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(data->ctx, "plot", n, data->count));
        if (round == 0 && look->visited++ % look->step != 0) continue;
        put_mark(self, &frame->svg, look, round < 1 ? 1 : round, alcore__plot_x(frame, data->x[i]),
                 alcore__plot_y(frame, data->y[i]));
    }
    return ALCORE_OK;
}

/* The text of a series in the legend: its name, and how many of its points are drawn where that is
 * not all of them. Returns the length. */
static size_t legend_text(const points_plot *self, uint32_t series,
                          char out[ALCORE__LABEL_BYTES + 40]) {
    size_t length;
    const char *name = alcore__vocabulary_word(&self->data->names, series, &length);
    length = alcore__plot_cut_text(name, length, LEGEND_WIDTH, out);
    if (self->looks[series].step > 1)
        length += (size_t)alcore__format(out + length, 40, " (1 of %lld drawn)",
                                         (long long)self->looks[series].step);
    return length;
}

/* Draws the legend's row of rounds: samples from dark to light, where there is more than one
 * round. */
static void put_rounds(const points_plot *self, alcore__plot_frame *frame, const char *text,
                       size_t length) {
    double y;
    char gray[8];
    const double x = alcore__plot_legend_row(frame, text, length, &y);
    const int samples = self->last_round < SHADES ? (int)self->last_round : SHADES;
    alcore__svg_put(&frame->svg, "<g stroke=\"black\">\n");
    for (int i = 0; i < samples; i++) {
        const int64_t round = 1 + (self->last_round - 1) * i / (samples - 1);
        alcore__svg_put(&frame->svg,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"10\" fill=\"%s\"/>\n",
                        x + (i - samples / 2.0) * 6, y - 5, shade(self, 0, round, gray));
    }
    alcore__svg_put(&frame->svg, "</g>\n");
}

/* Draws the picture. */
static alcore_status draw(points_plot *self) {
    const alcore__plot_data *data = self->data;
    const uint32_t series = data->names.count;
    alcore__plot_frame frame;
    char texts[ALCORE_PLOT_SERIES_MAX][ALCORE__LABEL_BYTES + 40], rounds[40];
    size_t lengths[ALCORE_PLOT_SERIES_MAX], rounds_length = 0;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, widest = 0;
    for (int64_t i = 0; i < data->count; i++) {
        low[0] = fmin(low[0], data->x[i]);
        high[0] = fmax(high[0], data->x[i]);
        low[1] = fmin(low[1], data->y[i]);
        high[1] = fmax(high[1], data->y[i]);
    }
    if (data->count == 0) low[0] = low[1] = high[0] = high[1] = 0;
    for (uint32_t s = 0; s < series; s++) {
        lengths[s] = legend_text(self, s, texts[s]);
        widest = fmax(widest, alcore__svg_text_width(texts[s], lengths[s]));
    }
    if (self->last_round > 1) {
        rounds_length = (size_t)alcore__format(rounds, sizeof rounds, "rounds 1 to %lld",
                                               (long long)self->last_round);
        widest = fmax(widest, alcore__svg_text_width(rounds, rounds_length));
    }
    alcore__plot_frame_begin(&frame, data, low, high, series + (self->last_round > 1), widest);
    alcore_status status = put_points(self, &frame);
    for (uint32_t s = 0; s < series; s++) {
        double y;
        const double x = alcore__plot_legend_row(&frame, texts[s], lengths[s], &y);
        put_mark(self, &frame.svg, &self->looks[s], 1, x, y);
    }
    if (self->last_round > 1) put_rounds(self, &frame, rounds, rounds_length);
    if (status != ALCORE_OK) frame.svg.status = status;
    return alcore__svg_write(&frame.svg, data->path);
}

/* The work of alcore_plot_write_points(): a picture, or a table of the observations. */
static alcore_status write_points(const alcore__plot_data *data) {
    points_plot self = {.data = data};
    if (data->options.band != 0)
        return alcore__fail(ALCORE_E_INVALID, "band is %d; only curves have bands",
                            (int)data->options.band);
    alcore_status status = arrange(&self);
    if (!status) status = data->picture ? draw(&self) : write_table(data);
    alcore__free(data->ctx, self.order);
    return status;
}

alcore_status alcore_plot_write_points(alcore_ctx *ctx, const char *const *series,
                                       const size_t *series_lengths, const int64_t *rounds,
                                       const double *x, const double *y, int64_t count,
                                       const char *path, const alcore_plot_options *options) {
    return alcore__plot_write(ctx, series, series_lengths, rounds, x, y, count, path, options,
                              write_points);
}
