/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls that tests/fault/cancel_walk.c cancels, and the world they run in. */
#ifndef CANCEL_CALLS_H
#define CANCEL_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "alcore/extra.h"

typedef struct cancel_call {
    const char *function; /* its name; NULL ends the table */
    const char *variant;  /* what is special about this case; NULL: once for each strategy_name */
    alcore_status (*call)(void); /* runs it once on fresh or unchanged data */
} cancel_call;
extern const cancel_call CALLS[];        /* long calls, which cancelling ends */
extern const cancel_call SAVING_CALLS[]; /* calls that it does not end; all have a variant */

extern alcore_ctx *ctx;           /* two threads; every call runs on it */
extern const char *strategy_name; /* the strategy of alcore_select() */

/* Called before and after every call that saves or sets; NULL: nothing happens. */
extern void (*around_saving)(bool begins);

/* Makes files, pools and columns of that many rows, or ends the program. */
void cancel_world_make(int64_t rows);
/* Whether the handles still answer. */
bool cancel_world_works(void);
/* Releases everything; false when a file is left that should not be there. */
bool cancel_world_end(void);

#endif
