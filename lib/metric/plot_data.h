/* SPDX-License-Identifier: Apache-2.0 */
/* What both kinds of plots read: observations that belong to series. */
#ifndef ALCORE__PLOT_DATA_H
#define ALCORE__PLOT_DATA_H

#include "alcore/plot.h"
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

/* Checks the arguments in *data, copies the options, and numbers the series. The caller ends with
 * alcore__plot_data_clear(), also after a failure. */
alcore_status alcore__plot_data_begin(alcore__plot_data *data, const alcore_plot_options *theirs);
void alcore__plot_data_clear(alcore__plot_data *data);

/* The round of an observation; `otherwise` where the caller gave none. */
static inline int64_t alcore__plot_round(const alcore__plot_data *data, int64_t i,
                                         int64_t otherwise) {
    return data->rounds ? data->rounds[i] : otherwise;
}

#endif
