/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of SVG (svg.h). */
#include "extra/plot/svg.h"

#include <stdio.h>
#include <string.h>

#include "formats/escape.h"
#include "text/utf8.h"

/* Colors that people with the usual color blindness tell apart (Okabe and Ito 2008), without the
 * yellow, which is too light on white. Their lightness differs too. */
static const char *const colors[] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                     "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"};
static const char *const dashes[] = {"", "7 3", "2 3", "8 3 2 3", "4 2", "12 4", "8 3 2 3 2 3"};

const char *alcore__svg_color(uint32_t number) {
    return colors[number % (sizeof colors / sizeof *colors)];
}

/* There are 7 patterns, but 8 colors and 8 markers: only series whose numbers differ by 56 look the
 * same. */
const char *alcore__svg_dashes(uint32_t number) {
    return dashes[number % (sizeof dashes / sizeof *dashes)];
}

void alcore__svg_put(alcore__svg *svg, const char *format, ...) {
    char text[512];
    va_list args;
    if (svg->status == ALCORE_OK) svg->status = alcore__tick(svg->ctx, NULL, 0, 0);
    if (svg->status != ALCORE_OK) return;
    va_start(args, format);
    const int length = alcore__format_v(text, sizeof text, format, args);
    va_end(args);
    svg->status = length < (int)sizeof text
                      ? alcore__buffer_append(svg->ctx, &svg->text, text, (size_t)length)
                      : alcore__fail(ALCORE_E_INTERNAL, "an element of SVG is too long");
}

/* Appends a text with what has a meaning in XML escaped. */
static void put_escaped(alcore__svg *svg, const char *text, size_t length) {
    if (svg->status == ALCORE_OK)
        svg->status = alcore__xml_append(svg->ctx, &svg->text, text, length);
}

void alcore__svg_begin(alcore__svg *svg, double width, double height, const char *title) {
    alcore__svg_put(svg,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                    "width=\"%.0f\" height=\"%.0f\" role=\"img\" font-family=\"sans-serif\" "
                    "font-size=\"%d\">\n",
                    width, height, width, height, ALCORE__SVG_FONT);
    if (title) {
        alcore__svg_put(svg, "<title>");
        put_escaped(svg, title, strlen(title));
        alcore__svg_put(svg, "</title>\n");
    }
    alcore__svg_put(svg, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"white\"/>\n", width, height);
}

alcore_status alcore__svg_write(alcore__svg *svg, const char *path) {
    alcore__svg_put(svg, "</svg>\n");
    if (svg->status == ALCORE_OK) svg->status = alcore__write_text(svg->ctx, path, &svg->text);
    alcore__buffer_clear(svg->ctx, &svg->text);
    return svg->status;
}

void alcore__svg_text(alcore__svg *svg, double x, double y, alcore__svg_anchor anchor, bool upright,
                      const char *text, size_t length) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    if (upright)
        alcore__svg_put(svg, "<text transform=\"translate(%.1f %.1f) rotate(-90)\"%s>", x, y,
                        anchors[anchor]);
    else
        alcore__svg_put(svg, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, anchors[anchor]);
    put_escaped(svg, text, length);
    alcore__svg_put(svg, "</text>\n");
}

void alcore__svg_line(alcore__svg *svg, double x1, double y1, double x2, double y2) {
    alcore__svg_put(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x1, y1, x2, y2);
}

void alcore__svg_marker(alcore__svg *svg, uint32_t number, double x, double y, double size,
                        const char *fill) {
    /* Corners of each marker in units of half its size; the last two are drawn as lines. */
    static const struct {
        int corners; /* 0: a circle; below 0: pairs that are joined by lines */
        double at[8][2];
    } shapes[ALCORE__SVG_MARKERS] = {
        {0, {{0, 0}}},
        {4, {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}}},
        {3, {{0, -1.15}, {1.05, 0.85}, {-1.05, 0.85}}},
        {4, {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}},
        {3, {{0, 1.15}, {1.05, -0.85}, {-1.05, -0.85}}},
        {5, {{0, -1.15}, {1.1, -0.35}, {0.68, 0.93}, {-0.68, 0.93}, {-1.1, -0.35}}},
        {-4, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}},
        {-4, {{0, -1.2}, {0, 1.2}, {-1.2, 0}, {1.2, 0}}},
    };
    const double half = size / 2;
    const int shape = (int)(number % ALCORE__SVG_MARKERS);
    const int corners = shapes[shape].corners;
    if (corners == 0) {
        alcore__svg_put(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y,
                        half, fill);
        return;
    }
    alcore__svg_put(svg, "<path d=\"");
    for (int i = 0; i < (corners < 0 ? -corners : corners); i++)
        alcore__svg_put(svg, "%c%.1f %.1f", i == 0 || (corners < 0 && i % 2 == 0) ? 'M' : 'L',
                        x + shapes[shape].at[i][0] * half, y + shapes[shape].at[i][1] * half);
    /* A shape of lines has no inside: it is drawn in the color that would fill it, and thicker. */
    if (corners < 0)
        alcore__svg_put(svg, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
                        strcmp(fill, "none") == 0 ? "black" : fill);
    else
        alcore__svg_put(svg, "Z\" fill=\"%s\"/>\n", fill);
}

double alcore__svg_text_width(const char *text, size_t length) {
    double width = 0;
    for (size_t next = 0; next < length;) {
        const int32_t point = alcore__utf8_next(text, length, &next);
        /* Scripts from Hangul Jamo on have wide signs, and capitals are wider than other
         * letters. */
        width += point >= 0x1100                                                  ? 1.05
                 : (point >= 'A' && point <= 'Z') || point == 'm' || point == 'w' ? 0.75
                                                                                  : 0.6;
    }
    return width * ALCORE__SVG_FONT;
}
