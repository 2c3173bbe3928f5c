/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a plot: title, axes with ticks, and the legend on its right, outside of the frame,
 * so that no label can lie over what is drawn. */
#ifndef ALCORE__PLOT_FRAME_H
#define ALCORE__PLOT_FRAME_H

#include "extra/plot/plot_axis.h"
#include "extra/plot/plot_data.h"
#include "extra/plot/svg.h"

typedef struct alcore__plot_frame {
    alcore__svg svg;
    alcore__plot_axis x, y;
    double left, top, right, bottom; /* edges of the frame in pixels */
    double legend_y;                 /* middle of the next row of the legend */
} alcore__plot_frame;

enum { ALCORE__LEGEND_SAMPLE = 34 }; /* pixels for the sample of a legend's row, before its text */

/* Begins the picture and draws title, frame, ticks and labels of the axes. low, high: ranges of the
 * values, [x, y]. legend_rows: rows that alcore__plot_legend_row() will be called for;
 * legend_width: of the longest text among them, in pixels. */
void alcore__plot_frame_begin(alcore__plot_frame *frame, const alcore__plot_data *data,
                              const double low[2], const double high[2], int64_t legend_rows,
                              double legend_width);

/* Begins a row of the legend and writes its text. Returns the x of the middle of the sample, which
 * the caller draws at (x, *y). */
double alcore__plot_legend_row(alcore__plot_frame *frame, const char *text, size_t length,
                               double *y);

/* Where a value lies in the picture. */
static inline double alcore__plot_x(const alcore__plot_frame *frame, double x) {
    return alcore__plot_axis_place(&frame->x, x, frame->left, frame->right);
}
static inline double alcore__plot_y(const alcore__plot_frame *frame, double y) {
    return alcore__plot_axis_place(&frame->y, y, frame->bottom, frame->top);
}

/* Copies a text of a legend or an axis, cut with an ellipsis where it is wider than `width` pixels;
 * returns the length. */
enum { ALCORE__LABEL_BYTES = 400 };
size_t alcore__plot_cut_text(const char *text, size_t length, double width,
                             char out[ALCORE__LABEL_BYTES]);

#endif
