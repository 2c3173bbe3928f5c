/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is added again: which of its rows the project has already. */
#ifndef ALCORE__PROJECT_KNOWN_H
#define ALCORE__PROJECT_KNOWN_H

#include "extra/project/project_internal.h"

/* The rows of a role with those of a file behind them. A struct of zeros has none. */
typedef struct alcore__project_known {
    alcore_pool *pool;   /* owned; ids may repeat in it, and no row is a duplicate */
    int64_t first, rows; /* those of the file */
    bool *known;         /* [rows] owned: the project has it */
    int64_t count;       /* how many of them */
} alcore__project_known;

/* Makes the pool, with the rows that the project has of the role. */
alcore_status alcore__project_known_begin(alcore_project *project, int32_t role,
                                          alcore__project_known *out);
/* Compares the rows that were added to the pool since. */
alcore_status alcore__project_known_find(alcore_project *project, int32_t role,
                                         alcore__project_known *known);
/* Writes the rows that are not known as JSONL, which reads as the same rows. */
alcore_status alcore__project_known_write_rest(const alcore__project_known *known,
                                               const char *path);
void alcore__project_known_clear(alcore_project *project, alcore__project_known *known);

#endif
