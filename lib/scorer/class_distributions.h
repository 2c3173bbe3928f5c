/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions over classes of a block of rows or tokens: how the columns "probs" and
 * "token_probs" are read and checked, and what is measured of each distribution (spec 1.1, 4.9).
 * score_classes.c makes scores of the measures. */
#ifndef ALCORE__CLASS_DISTRIBUTIONS_H
#define ALCORE__CLASS_DISTRIBUTIONS_H

#include "kernel/kernels.h"
#include "scorer/score.h"

/* Distributions of a block. Where they are on a device and the measure needs only the two largest
 * classes, the kernel class_tops writes these to host memory; rows are then the tops, and `whole`
 * the distributions on the device. */
typedef struct alcore__distributions {
    const alcore__column *column;
    const char *name;                 /* of the column */
    alcore_sys_rows rows;             /* on the host, in the calls of class_stats */
    alcore_sys_rows whole;            /* in memory of the device; data NULL: the same as rows */
    const alcore_sys_kernels *reader; /* kernels that read whole, or rows */
    double *tops;                     /* [distributions, 2] memory of rows, owned; NULL: none */
    double *sums; /* [distributions] of those on the device, behind tops; NULL: not computed yet */
} alcore__distributions;

/* What is measured of one distribution. */
typedef struct alcore__measure {
    int64_t mode;    /* MODE_AUTO (the margin) to MODE_ENTROPY of uncertainty_modes.h */
    bool log_margin; /* margins are of the logarithms of probabilities, else of these themselves */
} alcore__measure;

/* Reads the distributions of the call's rows from `column`, the "probs" of the call's dataset, one
 * a row, or those of the tokens of its rows from its "token_probs", or of the samples of its rows
 * from its "sample_probs", by the name of the column; *items then tells which tokens or samples
 * belong to which row. mode: what will be measured, MODE_AUTO (the margin) to MODE_ENTROPY: it
 * decides whether all classes are copied from a device, or the two largest ones. ALCORE_E_SHAPE for
 * a column with one class, whose numbers are no distribution, unless its meaning is sigmoid or
 * multilabel. The caller clears *out, also after a failure. */
alcore_status alcore__distributions_of_rows(alcore__score_call *call, const alcore__column *column,
                                            int64_t mode, alcore__distributions *out);
alcore_status alcore__distributions_of_tokens(alcore__score_call *call,
                                              const alcore__column *column, const char *name,
                                              int64_t mode, alcore_sys_ragged *items,
                                              alcore__distributions *out);
void alcore__distributions_clear(alcore_ctx *ctx, alcore__distributions *distributions);

/* `count` distributions from number `begin` on, which borrow the memory of all. */
alcore__distributions alcore__distributions_part(const alcore__distributions *all, int64_t begin,
                                                 int64_t count);

/* Measures every distribution of the mask (NULL: all), out [distributions]; of independent labels
 * the mean of their measures, or that of the most uncertain one, by the parameter "labels". NaN
 * where a NaN was found and nan=exclude leaves its row out; any other bad distribution is
 * ALCORE_E_DATA that names its row. item: pool row that all distributions belong to, or -1 when
 * each is that of its own pool row. */
alcore_status alcore__distributions_measure(alcore__score_call *call,
                                            const alcore__distributions *from, const uint8_t *mask,
                                            int64_t item, alcore__measure measure, double *out);

/* ALCORE_E_PARAM where the parameter "labels" is set and the column that is read, NULL for ready
 * scores, has no independent labels. */
alcore_status alcore__labels_check(const alcore__score_params *params,
                                   const alcore__column *column);

/* The sums of distributions of probabilities or of their logarithms, by the kernels of an engine
 * that reads them: sums [rows->count], about 1 each. largest [rows->count], for logarithms: the
 * largest of each; for probabilities NULL. Entries of masked rows (mask NULL: there are none) have
 * no meaning. */
alcore_status alcore__class_sums(const alcore__engine *engine, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const double *largest, double *sums);
/* How far the sum of a distribution of this type may be from 1 (spec 1.1). */
double alcore__class_sum_slack(int32_t dtype);
/* Makes probabilities of the numbers of one distribution over classes that exclude each other,
 * values [classes], by what the column says that they are; those outside [0, 1] by rounding become
 * the nearer end. out [classes], which may be `values`. */
void alcore__probs_of(const alcore__column *column, const double *values, int64_t classes,
                      double *out);
/* ALCORE_CLASSES_* for class_stats, from what the column says its values mean. */
int32_t alcore__class_kind(const alcore__column *column);

#endif
