/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a plot. The widths of texts are estimated (svg.h); the margins follow from them, and
 * an axis gets as many ticks as have room for their labels. */
#include "extra/plot/plot_frame.h"

#include <math.h>
#include <string.h>

#include "text/utf8.h"

enum {
    EDGE = 12,        /* free pixels at each edge of the picture */
    GAP = 8,          /* between the frame and the labels of ticks */
    TICK = 4,         /* length of a tick */
    ROW = 20,         /* height of a row of the legend */
    TICK_ROOM_X = 80, /* pixels of the x axis for each tick, approximately */
    TICK_ROOM_Y = 30, /* the same of the y axis */
    TITLE = 26        /* height of the title */
};

size_t alcore__plot_cut_text(const char *text, size_t length, double width,
                             char out[ALCORE__LABEL_BYTES]) {
    static const char ellipsis[] = "\xE2\x80\xA6";
    size_t fits = 0;
    if (length < ALCORE__LABEL_BYTES - 4 && alcore__svg_text_width(text, length) <= width) {
        memcpy(out, text, length);
        return length;
    }
    for (size_t next = 0; next < length;) {
        alcore__utf8_next(text, length, &next);
        if (next >= ALCORE__LABEL_BYTES - 4 ||
            alcore__svg_text_width(text, next) > width - ALCORE__SVG_FONT)
            break;
        fits = next;
    }
    memcpy(out, text, fits);
    memcpy(out + fits, ellipsis, sizeof ellipsis - 1);
    return fits + sizeof ellipsis - 1;
}

/* The width of the widest label of an axis, in pixels; 0 without ticks. */
static double widest_label(const alcore__plot_axis *axis) {
    double widest = 0;
    char label[40];
    for (int32_t i = 0; i < axis->ticks; i++) {
        const int length = alcore__plot_axis_label(axis, i, label);
        widest = fmax(widest, alcore__svg_text_width(label, (size_t)length));
    }
    return widest;
}

/* An x axis `pixels` long, with as many ticks as their labels have room for. */
static alcore__plot_axis make_x_axis(double low, double high, double pixels) {
    int32_t wanted = (int32_t)(pixels / TICK_ROOM_X) + 1;
    if (wanted > 10) wanted = 10;
    for (;; wanted--) {
        const alcore__plot_axis axis = alcore__plot_axis_make(low, high, wanted);
        const double apart = axis.step / (axis.high - axis.low) * pixels;
        if (wanted <= 2 || widest_label(&axis) + EDGE <= apart) return axis;
    }
}

/* Makes one unit as long on both axes by widening the range of the one with longer units. */
static void equalize(double low[2], double high[2], const alcore_plot_options *options) {
    const double pixels[2] = {options->width, options->height};
    double unit = 0; /* of the axis, by pixel: the larger of both */
    for (int a = 0; a < 2; a++) unit = fmax(unit, (high[a] - low[a]) / pixels[a]);
    for (int a = 0; a < 2; a++) {
        const double more = (unit * pixels[a] - (high[a] - low[a])) / 2;
        low[a] -= more;
        high[a] += more;
    }
}

/* Draws ticks and their labels, and light lines through the frame at each. */
static void put_ticks(alcore__plot_frame *frame) {
    alcore__svg *svg = &frame->svg;
    char label[40];
    alcore__svg_put(svg, "<g stroke=\"#dddddd\">\n");
    for (int32_t i = 0; i < frame->x.ticks; i++) {
        const double x = alcore__plot_x(frame, (double)(frame->x.first + i) * frame->x.step);
        alcore__svg_line(svg, x, frame->top, x, frame->bottom);
    }
    for (int32_t i = 0; i < frame->y.ticks; i++) {
        const double y = alcore__plot_y(frame, (double)(frame->y.first + i) * frame->y.step);
        alcore__svg_line(svg, frame->left, y, frame->right, y);
    }
    alcore__svg_put(svg,
                    "</g>\n<g stroke=\"black\" fill=\"none\">\n<rect x=\"%.1f\" y=\"%.1f\" "
                    "width=\"%.1f\" height=\"%.1f\"/>\n",
                    frame->left, frame->top, frame->right - frame->left,
                    frame->bottom - frame->top);
    for (int32_t i = 0; i < frame->x.ticks; i++) {
        const double x = alcore__plot_x(frame, (double)(frame->x.first + i) * frame->x.step);
        alcore__svg_line(svg, x, frame->bottom, x, frame->bottom + TICK);
    }
    for (int32_t i = 0; i < frame->y.ticks; i++) {
        const double y = alcore__plot_y(frame, (double)(frame->y.first + i) * frame->y.step);
        alcore__svg_line(svg, frame->left - TICK, y, frame->left, y);
    }
    alcore__svg_put(svg, "</g>\n");
    for (int32_t i = 0; i < frame->x.ticks; i++) {
        const int length = alcore__plot_axis_label(&frame->x, i, label);
        alcore__svg_text(svg, alcore__plot_x(frame, (double)(frame->x.first + i) * frame->x.step),
                         frame->bottom + TICK + ALCORE__SVG_FONT + 1, SVG_MIDDLE, false, label,
                         (size_t)length);
    }
    for (int32_t i = 0; i < frame->y.ticks; i++) {
        const int length = alcore__plot_axis_label(&frame->y, i, label);
        alcore__svg_text(svg, frame->left - GAP,
                         alcore__plot_y(frame, (double)(frame->y.first + i) * frame->y.step) +
                             ALCORE__SVG_FONT / 2.0 - 2,
                         SVG_END, false, label, (size_t)length);
    }
}

/* Writes the title above the frame and the names of both axes. */
static void put_names(alcore__plot_frame *frame, const alcore_plot_options *options) {
    char text[ALCORE__LABEL_BYTES];
    size_t length;
    if (options->title)
        alcore__svg_text(&frame->svg, frame->left, frame->top - 10, SVG_START, false,
                         options->title, strlen(options->title));
    length = alcore__plot_cut_text(options->x_label, strlen(options->x_label),
                                   frame->right - frame->left, text);
    alcore__svg_text(&frame->svg, (frame->left + frame->right) / 2, frame->bottom + 40, SVG_MIDDLE,
                     false, text, length);
    length = alcore__plot_cut_text(options->y_label, strlen(options->y_label),
                                   frame->bottom - frame->top, text);
    alcore__svg_text(&frame->svg, EDGE + ALCORE__SVG_FONT - 2, (frame->top + frame->bottom) / 2,
                     SVG_MIDDLE, true, text, length);
}

void alcore__plot_frame_begin(alcore__plot_frame *frame, const alcore__plot_data *data,
                              const double low[2], const double high[2], int64_t legend_rows,
                              double legend_width) {
    const alcore_plot_options *options = &data->options;
    double from[2] = {low[0], low[1]}, to[2] = {high[0], high[1]};
    *frame = (alcore__plot_frame){.svg = {.ctx = data->ctx, .status = ALCORE_OK}};
    if (options->equal_scales) equalize(from, to, options);
    frame->x = make_x_axis(from[0], to[0], options->width);
    frame->y = alcore__plot_axis_make(
        from[1], to[1], options->height < 2 * TICK_ROOM_Y ? 2 : options->height / TICK_ROOM_Y);
    frame->left = 2 * EDGE + ALCORE__SVG_FONT + widest_label(&frame->y) + GAP;
    frame->top = EDGE + (options->title ? TITLE : 0);
    frame->right = frame->left + options->width;
    frame->bottom = frame->top + options->height;
    frame->legend_y = frame->top + ROW / 2.0;
    const double title_end =
        frame->left +
        (options->title ? alcore__svg_text_width(options->title, strlen(options->title)) : 0);
    const double legend_end =
        frame->right + (legend_rows > 0 ? 2 * EDGE + ALCORE__LEGEND_SAMPLE + legend_width : 0);
    const double legend_bottom = frame->top + (double)legend_rows * ROW;
    alcore__svg_begin(&frame->svg, ceil(fmax(title_end, legend_end)) + 2 * EDGE,
                      ceil(fmax(frame->bottom + 40 + EDGE, legend_bottom + EDGE)), options->title);
    put_ticks(frame);
    put_names(frame, options);
}

double alcore__plot_legend_row(alcore__plot_frame *frame, const char *text, size_t length,
                               double *y) {
    const double x = frame->right + 2 * EDGE;
    *y = frame->legend_y;
    alcore__svg_text(&frame->svg, x + ALCORE__LEGEND_SAMPLE + 4, *y + ALCORE__SVG_FONT / 2.0 - 2,
                     SVG_START, false, text, length);
    frame->legend_y += ROW;
    return x + ALCORE__LEGEND_SAMPLE / 2.0;
}
