/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings of the HTML report as inline SVG: what was spent, the picks among the candidates by the
 * first two terms of the score, and the picks by name. Shapes and hatching tell things apart, never
 * a color, so that a page printed in black and white says the same. Coordinates are in pixels of a
 * drawing WIDTH wide. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/escape.h"
#include "selection/selection_internal.h"

enum {
    WIDTH = ALCORE__CHART_WIDTH,
    PLOT = 360, /* height of the scatter's frame */
    LEFT = 70,  /* left edge of that frame; the labels of the y axis stand before it */
    ROW = ALCORE__CHART_ROW,
    LABEL = ALCORE__CHART_LABEL,
    SAMPLE = 1500, /* candidates that are drawn at most */
    PICKS = 5000,  /* picks that are drawn at most */
    BARS = 12      /* names that are drawn at most; the others are summed */
};

/* The <svg> element has a title for screen readers, and the hatching that bars are filled with. */
void alcore__chart_open(alcore__page *page, const char *title, int height) {
    alcore__say(
        page,
        "<h2>%s</h2>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "width=\"%d\" height=\"%d\" role=\"img\" font-family=\"sans-serif\" font-size=\"13\">"
        "<title>%s</title>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"2\" "
        "height=\"6\" fill=\"black\"/></pattern></defs>\n",
        title, WIDTH, height, WIDTH, height, title);
}

void alcore__chart_close(alcore__page *page) {
    alcore__say(page, "</svg>\n");
}

/* 110 pixels behind a bar are for the number. */
void alcore__chart_bar(alcore__page *page, int bar, const char *label, double share,
                       const char *number) {
    double width = share * (WIDTH - LABEL - 110);
    int y = bar * ROW + 4;
    alcore__say(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LABEL - 8, y + 13);
    if (page->status == ALCORE_OK)
        page->status = alcore__xml_append(page->ctx, page->text, label, strlen(label));
    alcore__say(page,
                "</text><rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"url(#hatch)\" "
                "stroke=\"black\"/><text x=\"%.1f\" y=\"%d\">%s</text>\n",
                LABEL, y, width, ROW - 6, LABEL + width + 6, y + 13, number);
}

/* With fill=overshoot the last pick may make the second bar the longer one. */
void alcore__chart_budget(const alcore_selection *selection, alcore__page *page) {
    const alcore__purchase *bought = &selection->bought;
    double widest = fmax(bought->budget, bought->spent);
    char amount[40];
    if (!(widest > 0)) return;
    alcore__chart_open(page, "Budget", 2 * ROW + 8);
    alcore__amount(bought->budget, amount);
    alcore__chart_bar(page, 0, "budget", bought->budget / widest, amount);
    alcore__amount(bought->spent, amount);
    alcore__chart_bar(page, 1, "spent", bought->spent / widest, amount);
    alcore__chart_close(page);
}

void alcore__chart_shares(const char *title, const alcore__share *shares, int64_t count,
                          alcore__page *page) {
    char number[32];
    int64_t rest = 0;
    int drawn = count < BARS ? (int)count : BARS;
    if (count == 0) return;
    for (int64_t i = drawn; i < count; i++) rest += shares[i].count;
    int64_t largest = rest > shares[0].count ? rest : shares[0].count; /* that of the longest bar */
    alcore__chart_open(page, title, (drawn + (rest > 0)) * ROW + 8);
    for (int i = 0; i < drawn; i++)
        alcore__chart_bar(page, i, shares[i].name, (double)shares[i].count / (double)largest,
                          alcore__thousands(shares[i].count, number));
    if (rest > 0)
        alcore__chart_bar(page, drawn, "others", (double)rest / (double)largest,
                          alcore__thousands(rest, number));
    alcore__chart_close(page);
}

/* ---- the scatter ---- */

/* One axis of the scatter: the values of one term of the score. */
typedef struct axis {
    const char *name;     /* of the term */
    const double *values; /* [candidates] of its record column, borrowed */
    double low, high;     /* the smallest and the largest finite value: both ends of the axis */
} axis;

/* Makes the axis of a term from its record column. False when the record lacks the column, or has
 * fewer than two different finite values in it: then there is no scatter. */
static bool find_axis(const alcore_selection *selection, const alcore__term_part *part, axis *out) {
    const alcore__outcome *outcome = &selection->ranking->outcome;
    *out = (axis){.name = part->term->name, .low = (double)INFINITY, .high = (double)-INFINITY};
    for (int32_t c = 0; c < outcome->column_count; c++)
        if (strcmp(outcome->columns[c].name, part->term->column) == 0)
            out->values = outcome->columns[c].values;
    for (int64_t i = 0; out->values && i < outcome->count; i++) {
        if (!isfinite(out->values[i])) continue;
        out->low = fmin(out->low, out->values[i]);
        out->high = fmax(out->high, out->values[i]);
    }
    return out->high > out->low;
}

/* Coordinates in the drawing of the candidate at a position, whose values are finite; y grows
 * downwards. */
static double place_x(const axis *x, int64_t position) {
    return LEFT + (x->values[position] - x->low) / (x->high - x->low) * (WIDTH - LEFT - 20);
}

static double place_y(const axis *y, int64_t position) {
    return 10 + (y->high - y->values[position]) / (y->high - y->low) * PLOT;
}

/* Draws the frame of the scatter with the names of both axes and the values at their ends. */
static void put_frame(alcore__page *page, const axis *x, const axis *y) {
    alcore__say(
        page,
        "<rect x=\"%d\" y=\"10\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"black\"/>\n"
        "<text x=\"%d\" y=\"%d\">%.3g</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g</text>"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g</text>"
        "<text x=\"%d\" y=\"22\" text-anchor=\"end\">%.3g</text>"
        "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
        LEFT, WIDTH - LEFT - 20, PLOT, LEFT, PLOT + 28, x->low, WIDTH - 20, PLOT + 28, x->high,
        (WIDTH + LEFT) / 2, PLOT + 28, x->name, LEFT - 6, PLOT + 10, y->low, LEFT - 6, y->high,
        PLOT / 2, y->name);
}

/* Draws candidates as small crosses, every `step`-th position so that no more than SAMPLE are
 * drawn, and over them the first PICKS picks as filled circles. Candidates and picks without a
 * finite value of both terms are left out. A finite value lies between the ends of its axis. */
static void put_points(alcore__page *page, const alcore_selection *selection, const axis *x,
                       const axis *y) {
    int64_t count = selection->ranking->outcome.count, step = (count + SAMPLE - 1) / SAMPLE;
    int64_t *ranks;
    if (page->status == ALCORE_OK) page->status = alcore__selection_ranks(selection, &ranks);
    if (page->status != ALCORE_OK) return;
    alcore__say(page, "<path stroke=\"#888\" fill=\"none\" d=\"");
    for (int64_t i = 0; i < count && page->status == ALCORE_OK; i += step) {
        if (ranks[i] >= 0 || !isfinite(x->values[i]) || !isfinite(y->values[i])) continue;
        alcore__say(page, "M%.1f %.1fl4 4m0 -4l-4 4", place_x(x, i) - 2, place_y(y, i) - 2);
    }
    alcore__say(page, "\"/>\n<g fill=\"black\">\n");
    int64_t picks = selection->count < PICKS ? selection->count : PICKS;
    for (int64_t k = 0; k < picks && page->status == ALCORE_OK; k++) {
        int64_t i = selection->bought.picks[k];
        if (isfinite(x->values[i]) && isfinite(y->values[i]))
            alcore__say(page, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", place_x(x, i),
                        place_y(y, i));
    }
    alcore__say(page, "</g>\n");
}

void alcore__chart_terms(const alcore_selection *selection, alcore__page *page) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    axis x, y;
    char picks[32], candidates[32];
    if (explanation->count < 2 || !find_axis(selection, &explanation->parts[0], &x) ||
        !find_axis(selection, &explanation->parts[1], &y))
        return;
    alcore__chart_open(page, "Picks among the candidates", PLOT + 64);
    put_frame(page, &x, &y);
    put_points(page, selection, &x, &y);
    alcore__say(page,
                "<circle cx=\"%d\" cy=\"%d\" r=\"3.5\"/><text x=\"%d\" y=\"%d\">%s picks</text>"
                "<path stroke=\"#888\" d=\"M%d %dl4 4m0 -4l-4 4\"/><text x=\"%d\" y=\"%d\">"
                "%s candidates%s</text>\n",
                LEFT + 4, PLOT + 48, LEFT + 14, PLOT + 53,
                alcore__thousands(selection->count, picks), LEFT + 180, PLOT + 46, LEFT + 192,
                PLOT + 53, alcore__thousands(selection->ranking->outcome.count, candidates),
                selection->ranking->outcome.count > SAMPLE ? ", some of them drawn" : "");
    alcore__chart_close(page);
}
