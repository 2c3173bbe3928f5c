/* SPDX-License-Identifier: Apache-2.0 */
/* A small writer of SVG 1.1: SVG is text, and the plotting libraries that there are would bring
 * renderers and fonts with them. Coordinates are pixels, y grows downwards, and are written with
 * one decimal, so that the same plot is the same bytes on every machine. */
#ifndef ALCORE__SVG_H
#define ALCORE__SVG_H

#include "base/base.h"

/* A picture that is being put together. The first failure stays in status, and later calls do
 * nothing. */
typedef struct alcore__svg {
    alcore_ctx *ctx;
    alcore__buffer text; /* owned */
    alcore_status status;
} alcore__svg;

enum { ALCORE__SVG_FONT = 13 }; /* height of the letters in pixels */

/* Where a text stands against its x. */
typedef enum alcore__svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } alcore__svg_anchor;

/* Markers, which differ in shape. */
enum { ALCORE__SVG_MARKERS = 8 };

/* The look of a series: number 0, 1, 2, ... */
const char *alcore__svg_color(uint32_t number);  /* "#0072b2" */
const char *alcore__svg_dashes(uint32_t number); /* "6 3"; "" for a solid line */

/* Begins the picture, with a white ground. title: for screen readers, UTF-8, may be NULL. */
void alcore__svg_begin(alcore__svg *svg, double width, double height, const char *title);
/* Ends it and writes it to a file, which appears whole or not at all; frees the text in any case.
 * Returns the first failure. */
alcore_status alcore__svg_write(alcore__svg *svg, const char *path);

/* Appends formatted SVG, 511 bytes at most; polls cancellation. */
void alcore__svg_put(alcore__svg *svg, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A text of `length` bytes at (x, y), the base line; what has a meaning in XML is escaped. upright:
 * it is turned to read from below. */
void alcore__svg_text(alcore__svg *svg, double x, double y, alcore__svg_anchor anchor, bool upright,
                      const char *text, size_t length);
void alcore__svg_line(alcore__svg *svg, double x1, double y1, double x2, double y2);
/* Marker `number` at (x, y), about `size` pixels wide. fill: a color, or "none". */
void alcore__svg_marker(alcore__svg *svg, uint32_t number, double x, double y, double size,
                        const char *fill);

/* The width of a text in pixels, estimated from its code points, never too low for the usual
 * sans-serif fonts. */
double alcore__svg_text_width(const char *text, size_t length);

#endif
