/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Plots of an experiment: learning curves with bands over seeds, and points (uncertainty against
 * diversity, maps of selections), as SVG or as the table of the numbers that are drawn
 * (docs/spec/analyses.md 8.7). Series differ in the shape of their markers and in their dashes, not
 * in color only, so that a print in black and white says the same. */
#ifndef ALCORE_EXTRA_PLOT_H
#define ALCORE_EXTRA_PLOT_H

#include "alcore/context.h"

ALCORE_BEGIN

/** What the band around a curve shows. */
enum alcore_band {
    ALCORE_BAND_SE = 6501,  /**< mean minus and plus the standard error */
    ALCORE_BAND_SD = 6502,  /**< mean minus and plus the standard deviation of a sample */
    ALCORE_BAND_NONE = 6503 /**< no band */
};

/** Largest number of series of a plot. */
#define ALCORE_PLOT_SERIES_MAX 32

/** Settings of a plot. Zero and NULL mean default. Texts are UTF-8, NUL-terminated. */
typedef struct alcore_plot_options {
    size_t size;          /**< sizeof(alcore_plot_options) */
    const char *title;    /**< borrowed; NULL: none */
    const char *x_label;  /**< borrowed; NULL: "x" */
    const char *y_label;  /**< borrowed; NULL: "y" */
    int32_t width;        /**< of the frame in pixels, 100 to 10000; 0: 480 */
    int32_t height;       /**< of the frame in pixels, 100 to 10000; 0: 320 */
    int32_t band;         /**< ALCORE_BAND_*, of curves; 0: _SE; 0 for points */
    int32_t equal_scales; /**< 1: one unit is as long on both axes */
    /** Borrowed, of points: names [column_count] of further columns of the table, such as the row,
     * the score and the stratum of a pick */
    const char *const *column_names;
    /** Borrowed: [column_count] arrays float64 [count]; NaN is an empty cell */
    const double *const *columns;
    int64_t column_count; /**< 0 or more; of curves 0 */
} alcore_plot_options;
/** An alcore_plot_options with its size set and everything else 0. */
#define ALCORE_PLOT_OPTIONS_INIT ALCORE_INIT(alcore_plot_options)

/** Draws a metric against a budget, a curve for each strategy: the mean over seeds at each round
 * with a band around it.
 *
 * Observations of one series with the same round are the seeds of one point; its x is the mean of
 * theirs, as budgets are spent to slightly different amounts. The table has a line for each point:
 * series, round (empty where none was given), x, n, mean, sd and se.
 * Source: docs/spec/analyses.md 8.5, 8.7.
 * @param[in] ctx borrowed
 * @param[in] series borrowed: [count] UTF-8, the strategy of each observation
 * @param[in] series_lengths borrowed: [count] bytes; NULL: NUL-terminated
 * @param[in] rounds borrowed: int64 [count]; NULL: observations with the same x are of one point
 * @param[in] x borrowed: float64 [count], -1e300 to 1e300, such as the words that were labeled
 * @param[in] y borrowed: float64 [count], -1e300 to 1e300, the metric
 * @param[in] count observations, 0 or more
 * @param[in] path borrowed: .svg draws, .tsv and .csv write the table; "-" is the table on standard
 *   output. A file appears whole or not at all
 * @param[in] options borrowed; NULL: defaults
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names the observation that is out of range),
 *   ALCORE_E_UNSUPPORTED (another suffix; more than ALCORE_PLOT_SERIES_MAX series), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_plot_write_curves(alcore_ctx *ctx, const char *const *series,
                                                  const size_t *series_lengths,
                                                  const int64_t *rounds, const double *x,
                                                  const double *y, int64_t count, const char *path,
                                                  const alcore_plot_options *options);

/** Draws points: picks of strategies by round, over a background of candidates and targets.
 *
 * A series whose points all have round 0 is background: small marks, of which every n-th is drawn
 * where there are more than 4,000. Points of round 1 and later are picks: a marker for each series,
 * filled from dark (round 1) to light, or with the color of the series where there is one round
 * only. The table has a line for each point: series, round, x, y, and the columns of the options.
 * Source: docs/spec/analyses.md 8.7 (HUDS, Figures 1 and 3; DeMuX, Figure 2).
 * @param[in] ctx borrowed
 * @param[in] series borrowed: [count] UTF-8, such as a strategy, "candidates", "target"
 * @param[in] series_lengths borrowed: [count] bytes; NULL: NUL-terminated
 * @param[in] rounds borrowed: int64 [count], 0 for background; NULL: all are of round 1
 * @param[in] x borrowed: float64 [count], -1e300 to 1e300
 * @param[in] y borrowed: float64 [count], -1e300 to 1e300
 * @param[in] count points, 0 or more
 * @param[in] path borrowed: as in alcore_plot_write_curves()
 * @param[in] options borrowed; NULL: defaults
 * @return as alcore_plot_write_curves(); ALCORE_E_DATA also for a round below 0
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_plot_write_points(alcore_ctx *ctx, const char *const *series,
                                                  const size_t *series_lengths,
                                                  const int64_t *rounds, const double *x,
                                                  const double *y, int64_t count, const char *path,
                                                  const alcore_plot_options *options);

ALCORE_END

#endif
