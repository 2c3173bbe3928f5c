/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What the library gives to a loadable module. Modules link nothing of libalcore: everything they
 * need comes through this table, so an error raised inside a module reaches the caller's thread and
 * a program linked with the static library has one core. System tier: stable within a minor
 * release. */
#ifndef ALCORE_SYS_HOST_H
#define ALCORE_SYS_HOST_H

#include "alcore/status.h"

ALCORE_BEGIN

/** ABI number of the system tier, passed to every module's entry point. */
#define ALCORE_SYS_ABI 1u

/** The library's services to a module; valid until the process ends for the functions, for a call
 * for user. */
typedef struct alcore_sys_host {
    size_t size; /**< sizeof(alcore_sys_host) of the library that loads */
    /** Memory from the context's allocator; NULL when there is none. */
    void *(*allocate)(void *user, size_t bytes);
    /** Gives back a block of that many bytes; memory is never NULL. */
    void (*release)(void *user, void *memory, size_t bytes);
    /** One line to the context's log (ALCORE_LOG_*). */
    void (*log)(void *user, int32_t level, const char *component, const char *message);
    /** alcore_error_set() of the core. */
    alcore_status (*set_error)(alcore_status status, const char *text, size_t length);
    /** Nonzero when the running call is to end with ALCORE_E_CANCELLED. */
    int32_t (*poll_cancel)(void *user);
    /** Runs task(data, i, worker) for i = 0..count-1 on the context's threads. Returns the status
     * of the lowest index that failed. */
    alcore_status (*parallel_for)(void *user, const char *stage, int64_t count,
                                  alcore_status (*task)(void *data, int64_t index, int32_t worker),
                                  void *data);
} alcore_sys_host;

ALCORE_END

#endif
