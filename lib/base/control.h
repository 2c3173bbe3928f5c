/* SPDX-License-Identifier: Apache-2.0 */
/* How a host steers the calls of a context or of a request: by cancelling them, and by a function
 * that gets their progress.
 *
 * Cancels are counted, and a clear remembers up to which count they were cleared. A call keeps the
 * count of its beginning: it is cancelled as soon as the count is another one, whatever was cleared
 * meanwhile, and it is refused where the count of its beginning has not been cleared. So neither a
 * cancel that is cleared while a call runs nor one between two calls is lost. */
#ifndef ALCORE__CONTROL_H
#define ALCORE__CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "alcore/context.h"

typedef struct alcore__control {
    atomic_uint cancels;               /* made so far; lock-free, counted in signal handlers */
    atomic_uint cleared;               /* the number of cancels when they were cleared last */
    alcore_progress_function progress; /* NULL: none */
    void *progress_user;
    alcore_destroy_function progress_destroy; /* NULL: none */
} alcore__control;

/* Both from any thread and from signal handlers. */
static inline void alcore__control_cancel(alcore__control *control) {
    atomic_fetch_add(&control->cancels, 1);
}
/* Clears the cancels that were made before; one that comes meanwhile stays, as does what another
 * thread clears meanwhile. The counts may wrap around. */
static inline void alcore__control_clear(alcore__control *control) {
    const unsigned made = atomic_load(&control->cancels);
    unsigned cleared = atomic_load(&control->cleared);
    while ((int)(made - cleared) > 0 &&
           !atomic_compare_exchange_weak(&control->cleared, &cleared, made)) {
    }
}
/* Cancels made so far. */
static inline unsigned alcore__control_count(const alcore__control *control) {
    return atomic_load_explicit(&control->cancels, memory_order_relaxed);
}
/* Whether calls that begin with that count of cancels are refused. The count is read before this is
 * asked, so that a cancel in between ends the call instead. */
static inline bool alcore__control_refuses(const alcore__control *control, unsigned count) {
    return atomic_load(&control->cleared) != count;
}
/* Ends the use of the progress function, in a process that is no forked child. */
static inline void alcore__control_end(const alcore__control *control) {
    if (control->progress_destroy) control->progress_destroy(control->progress_user);
}

#endif
