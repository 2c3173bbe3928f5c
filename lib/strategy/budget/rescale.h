/* SPDX-License-Identifier: Apache-2.0 */
/* Scales that make the terms of a score comparable (spec 3.4). */
#ifndef ALCORE__RESCALE_H
#define ALCORE__RESCALE_H

#include "strategy/strategy_def.h"

enum { ALCORE__RESCALE_NONE, ALCORE__RESCALE_MINMAX, ALCORE__RESCALE_ZSCORE, ALCORE__RESCALE_RANK };

/* The scale that a word of the parameter "rescale" names: strategies differ in which words they
 * have. Any other word, and NULL of a strategy without the parameter, names none. */
int64_t alcore__rescale_named(const char *word);
/* Rescales values [candidates], without NaN, in place; scale: ALCORE__RESCALE_*. */
alcore_status alcore__rescale(const alcore__run *run, int64_t scale, double *values);

#endif
