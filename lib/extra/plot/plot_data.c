/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of a plot and numbers its series. */
#include "extra/plot/plot_data.h"

#include <math.h>
#include <string.h>

#include "formats/byte_stream.h"

#define LARGEST 1e300 /* magnitude of numbers that are drawn, so that ranges do not overflow */
enum { DEFAULT_WIDTH = 480, DEFAULT_HEIGHT = 320, TICK_EVERY = 4096 };

/* Copies the options and fills in defaults. */
static alcore_status read_options(alcore__plot_data *data, const alcore_plot_options *theirs) {
    alcore_plot_options *options = &data->options;
    ALCORE__TRY(alcore__struct_read(options, sizeof *options,
                                    ALCORE__FIRST_SIZE(alcore_plot_options, equal_scales), theirs,
                                    "alcore_plot_options"));
    if (options->width == 0) options->width = DEFAULT_WIDTH;
    if (options->height == 0) options->height = DEFAULT_HEIGHT;
    if (!options->x_label) options->x_label = "x";
    if (!options->y_label) options->y_label = "y";
    if (options->width < 100 || options->width > 10000 || options->height < 100 ||
        options->height > 10000)
        return alcore__fail(ALCORE_E_INVALID, "a frame of %d x %d pixels; expected 100 to 10000",
                            options->width, options->height);
    if (options->band != 0 && (options->band < ALCORE_BAND_SE || options->band > ALCORE_BAND_NONE))
        return alcore__fail(ALCORE_E_INVALID, "band %d is none of ALCORE_BAND_*", options->band);
    bool named = options->column_count == 0 || (options->column_names && options->columns);
    for (int64_t c = 0; named && c < options->column_count; c++)
        named = options->column_names[c] && (data->count == 0 || options->columns[c]);
    if (options->column_count < 0 || !named)
        return alcore__fail(ALCORE_E_INVALID, "column_count is negative, or a column or its name "
                                              "is NULL");
    if (options->equal_scales != 0 && options->equal_scales != 1)
        return alcore__fail(ALCORE_E_INVALID, "equal_scales is 0 or 1");
    return ALCORE_OK;
}

/* Sets data->picture by the suffix of the path. */
static alcore_status read_path(alcore__plot_data *data) {
    if (!data->path) return alcore__fail(ALCORE_E_INVALID, "path is NULL");
    const size_t length = strlen(data->path);
    data->picture = alcore__path_ends_in(data->path, length, ".svg");
    if (data->picture || strcmp(data->path, "-") == 0 ||
        alcore__path_ends_in(data->path, length, ".tsv") ||
        alcore__path_ends_in(data->path, length, ".csv"))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: a plot is written as .svg, .tsv or .csv",
                        data->path);
}

/* Numbers the series of all observations, and checks that their numbers are finite. */
static alcore_status number_series(alcore__plot_data *data) {
    ALCORE__TRY(
        alcore__new_array(data->ctx, (size_t)data->count, sizeof *data->numbers, &data->numbers));
    for (int64_t i = 0; i < data->count; i++) {
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(data->ctx, "plot", i, data->count));
        if (!data->series[i])
            return alcore__fail(ALCORE_E_INVALID, "series %lld is NULL", (long long)i);
        if (!(fabs(data->x[i]) <= LARGEST) || !(fabs(data->y[i]) <= LARGEST))
            return alcore__fail(ALCORE_E_DATA,
                                "observation %lld has x %g and y %g; numbers from -%g to %g are "
                                "expected",
                                (long long)i, data->x[i], data->y[i], LARGEST, LARGEST);
        const size_t length =
            data->series_lengths ? data->series_lengths[i] : strlen(data->series[i]);
        ALCORE__TRY(alcore__vocabulary_add(data->ctx, &data->names, data->series[i], length,
                                           &data->numbers[i]));
        if (data->names.count > ALCORE_PLOT_SERIES_MAX)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "observation %lld is of series number %d; a plot has %d at most",
                                (long long)i, ALCORE_PLOT_SERIES_MAX + 1, ALCORE_PLOT_SERIES_MAX);
    }
    return ALCORE_OK;
}

/* Checks the arguments in *data and fills in the rest of it; clear() ends it in every case. */
static alcore_status begin(alcore__plot_data *data, const alcore_plot_options *theirs) {
    if (!data->ctx || data->count < 0 ||
        (data->count > 0 && (!data->series || !data->x || !data->y)))
        return alcore__fail(ALCORE_E_INVALID, "ctx, series, x or y is NULL, or count is negative");
    ALCORE__TRY(read_options(data, theirs));
    ALCORE__TRY(read_path(data));
    return number_series(data);
}

static void clear(alcore__plot_data *data) {
    alcore__vocabulary_clear(data->ctx, &data->names);
    alcore__free(data->ctx, data->numbers);
}

alcore_status alcore__plot_write(alcore_ctx *ctx, const char *const *series,
                                 const size_t *series_lengths, const int64_t *rounds,
                                 const double *x, const double *y, int64_t count, const char *path,
                                 const alcore_plot_options *options,
                                 alcore_status (*write)(const alcore__plot_data *data)) {
    alcore__plot_data data = {.ctx = ctx,
                              .series = series,
                              .series_lengths = series_lengths,
                              .rounds = rounds,
                              .x = x,
                              .y = y,
                              .count = count,
                              .path = path};
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = begin(&data, options);
    if (!status) status = write(&data);
    clear(&data);
    return alcore__leave(ctx, status);
}
