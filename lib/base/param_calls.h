/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls alcore_x_set(), _set_int(), _set_number() and _get() of a handle with named
 * parameters. They are the same for a scorer, a strategy and a request: check the arguments, lock
 * the handle, read or change one value. */
#ifndef ALCORE__PARAM_CALLS_H
#define ALCORE__PARAM_CALLS_H

#include "base/params.h"

/* What the calls of one kind of handle need to know. `handle` begins with an alcore__object and is
 * locked during both functions. */
typedef struct alcore__param_calls {
    const char *noun; /* such as "scorer": names the argument and alcore_scorer_set() in messages */
    alcore_status (*set)(void *handle, const char *name, const char *value);
    alcore_status (*get)(const void *handle, const char *name, const char **out_text);
} alcore__param_calls;

/* Each is the whole body of the public function of that name. */
alcore_status alcore__param_set(const alcore__param_calls *calls, void *handle, const char *name,
                                const char *value);
alcore_status alcore__param_set_int(const alcore__param_calls *calls, void *handle,
                                    const char *name, int64_t value);
alcore_status alcore__param_set_number(const alcore__param_calls *calls, void *handle,
                                       const char *name, double value);
/* The numbers become a text with commas between them. */
alcore_status alcore__param_set_numbers(const alcore__param_calls *calls, void *handle,
                                        const char *name, const double *numbers, int64_t count);
alcore_status alcore__param_get(const alcore__param_calls *calls, const void *handle,
                                const char *name, const char **out_text);

#endif
