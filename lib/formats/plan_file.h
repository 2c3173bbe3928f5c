/* SPDX-License-Identifier: Apache-2.0 */
/* Labeling plans: files that say how many rows of each language a round labels (spec 7.10). */
#ifndef ALCORE__PLAN_FILE_H
#define ALCORE__PLAN_FILE_H

#include "base/base.h"

/* Finds the line of a configuration for a round and appends its counts, "hi:40,fa:20", to the empty
 * buffer, which the caller clears. config "": the file has one configuration only. A line of the
 * round goes before one of "*". round 0: the counts of all rounds together, of a line of "*"; a
 * line of a round of its own is refused in that configuration. *line: number of the line that was
 * found, from 1, for messages about its counts. ALCORE_E_DATA names a line that is malformed,
 * ALCORE_E_NOT_FOUND a configuration or round that the file lacks. */
alcore_status alcore__plan_file_find(alcore_ctx *ctx, const char *path, const char *config,
                                     int64_t round, alcore__buffer *counts, int64_t *line);

#endif
