/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the commands oracle and mix both need: the pool and the selections made from it. */
#ifndef ALCORE_CLI_ANNOTATING_H
#define ALCORE_CLI_ANNOTATING_H

#include "inputs.h"

/* Makes a pool with --dedup and reads a file into it with --format, --text-column and --bad-lines.
 * with_references: those of --references or --reference-column too. Prints what is wrong; an exit
 * code. */
int annotating_read_pool(alcore_ctx *ctx, const arguments *args, const char *path,
                         bool with_references, alcore_pool **out);
/* The pairs of --labeled in a pool; *out stays NULL without one. Prints what is wrong; an exit
 * code. */
int annotating_read_labeled(alcore_ctx *ctx, const arguments *args, alcore_pool **out);
/* The items of every --selection, in order; an exit code. */
int annotating_read_selection(const arguments *args, alcore_pool *pool, alcore_annotations **out);

#endif
