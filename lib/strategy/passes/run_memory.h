/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that belongs to a run: strategies free nothing that they make in begin, in the start, end
 * or reduce of a pass, or in finish. All of it is freed with the run, also after a failure. For the
 * calling thread only; what a visited block needs is in block.h. */
#ifndef ALCORE__RUN_MEMORY_H
#define ALCORE__RUN_MEMORY_H

#include "strategy/strategy_run.h"

typedef struct alcore__run alcore__run;

/* *slot: a zeroed array [count] in place of the one that it had. slot points to a member of the
 * state, which the run frees by: until then it may be set to NULL, by who takes the array over, or
 * to another array of the run's context. */
alcore_status alcore__run_make(const alcore__run *run, int64_t count, size_t entry_bytes,
                               void *slot);
#define ALCORE__RUN_ARRAY(run, count, slot)                                                        \
    alcore__run_make((run), (int64_t)(count), sizeof **(slot), (slot))
/* Sums of the state, zeroed, to which the partials of passes are added. */
typedef struct alcore__doubles {
    double *values; /* [count] */
    int64_t count;
} alcore__doubles;
alcore_status alcore__run_sums(const alcore__run *run, int64_t count, alcore__doubles *sums);
/* The same as alcore__grow(). */
alcore_status alcore__run_grow(const alcore__run *run, void *slot, size_t *capacity, int64_t count,
                               size_t entry_bytes);
/* release(run, object) is called when the run is freed, the last object first. A call with the same
 * object as before changes nothing. */
typedef void alcore__run_release(const alcore__run *run, void *object);
alcore_status alcore__run_defer(const alcore__run *run, alcore__run_release *release, void *object);

/* A stack of zeroed arrays that a function works with: it gets the height first and drops what it
 * pushed at its end. After a failure it need not, as the run is freed then. */
alcore_status alcore__run_push(const alcore__run *run, int64_t count, size_t entry_bytes,
                               void *out);
#define ALCORE__RUN_PUSH(run, count, out)                                                          \
    alcore__run_push((run), (int64_t)(count), sizeof **(out), (out))
size_t alcore__run_height(const alcore__run *run);
void alcore__run_drop(const alcore__run *run, size_t height);

/* What alcore__run_free() calls. */
void alcore__run_memory_clear(const alcore__run *run);

#endif
