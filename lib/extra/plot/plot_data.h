/* SPDX-License-Identifier: Apache-2.0 */
/* What both kinds of plots read: observations that belong to series. */
#ifndef ALCORE__PLOT_DATA_H
#define ALCORE__PLOT_DATA_H

#include "alcore/extra/plot.h"
#include "base/base.h"
#include "text/vocabulary.h"

/* The arguments of a plot. Arrays are the caller's. */
typedef struct alcore__plot_data {
    alcore_ctx *ctx;
    const char *const *series;    /* [count] */
    const size_t *series_lengths; /* [count], or NULL */
    const int64_t *rounds;        /* [count], or NULL */
    const double *x, *y;          /* [count], finite, below 1e300 in magnitude */
    int64_t count;
    alcore_plot_options options; /* with defaults filled in */
    const char *path;
    bool picture;             /* the path ends in .svg; else a table is written */
    alcore__vocabulary names; /* of the series, numbered in the order of first occurrence; owned */
    uint32_t *numbers;        /* [count] series of each observation, owned */
} alcore__plot_data;

/* The public call of a kind of plot: checks the arguments, copies the options, numbers the series
 * and calls write(), which makes the file. */
alcore_status alcore__plot_write(alcore_ctx *ctx, const char *const *series,
                                 const size_t *series_lengths, const int64_t *rounds,
                                 const double *x, const double *y, int64_t count, const char *path,
                                 const alcore_plot_options *options,
                                 alcore_status (*write)(const alcore__plot_data *data));

/* The round of an observation; `otherwise` where the caller gave none. */
static inline int64_t alcore__plot_round(const alcore__plot_data *data, int64_t i,
                                         int64_t otherwise) {
    return data->rounds ? data->rounds[i] : otherwise;
}

#endif
