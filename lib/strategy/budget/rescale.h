/* SPDX-License-Identifier: Apache-2.0 */
/* Scales that make the terms of a score comparable (spec 3.4). */
#ifndef ALCORE__RESCALE_H
#define ALCORE__RESCALE_H

#include "strategy/strategy_def.h"

enum { ALCORE__RESCALE_NONE, ALCORE__RESCALE_MINMAX, ALCORE__RESCALE_ZSCORE, ALCORE__RESCALE_RANK };

/* Rescales values [candidates], without NaN, in place; scale: ALCORE__RESCALE_*. */
alcore_status alcore__rescale(const alcore__run *run, int64_t scale, double *values);

#endif
