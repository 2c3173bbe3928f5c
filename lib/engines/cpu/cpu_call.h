/* SPDX-License-Identifier: Apache-2.0 */
/* What every CPU kernel does around its arithmetic: it checks its arguments, allocates from the
 * call's workspace or the host's allocator, and asks the host every few milliseconds whether to
 * stop. Compiled once, not per instruction set: nothing here computes. `work` is the first argument
 * of the kernel. */
#ifndef ALCORE__CPU_CALL_H
#define ALCORE__CPU_CALL_H

#include <stddef.h>

#include "alcore/sys/kernel.h"

/* Sets the error text through the host's callback and returns status. */
alcore_status alcore__cpu_fail(const alcore_sys_work *work, alcore_status status, const char *text);

/* Refuses an unknown dtype, negative counts and absent data. The stride is trusted to be
 * dims or more, as alcore/sys/kernel.h demands. */
alcore_status alcore__cpu_check(const alcore_sys_work *work, const alcore_sys_rows *rows);

/* alcore__cpu_check(), and refuses a group [rows->count] that is not below groups; negative ones
 * are allowed: the row has no group. */
alcore_status alcore__cpu_check_groups(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const int32_t *group, int64_t groups);

/* Checks rows and targets, that their dims agree, that there is a group, and group [targets->count]
 * (NULL: one group); targets with a negative group are added to no sum. */
alcore_status alcore__cpu_check_targets(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                        const alcore_sys_rows *targets, const int32_t *group,
                                        int64_t groups);

/* Refuses more classes than the int32 argmax can name, and wanted log-probabilities without labels.
 * Called by logit_stats and hidden_stats behind alcore__cpu_check(), which refuses negative shapes.
 */
alcore_status alcore__cpu_check_stats(const alcore_sys_work *work, int64_t classes,
                                      const int64_t *labels, const alcore_sys_token_stats *out);

/* *out (a pointer of any type) = count entries of `bytes` bytes, not initialized, from the call's
 * workspace or the host's allocator; NULL on failure. alcore__cpu_free() gets the same count and
 * bytes; it ignores NULL. */
alcore_status alcore__cpu_new(const alcore_sys_work *work, int64_t count, size_t bytes, void *out);
void alcore__cpu_free(const alcore_sys_work *work, void *memory, int64_t count, size_t bytes);

/* The arrays of a call, which are released together. status: of the first one that failed, after
 * which none is made and *out is NULL. A call adds at most CPU_ARRAYS, which is not checked. */
enum { CPU_ARRAYS = 12 };
typedef struct cpu_arrays {
    const alcore_sys_work *work;
    alcore_status status;
    int32_t count;
    struct {
        void *memory;
        int64_t count;
        size_t bytes;
    } each[CPU_ARRAYS];
} cpu_arrays;
void alcore__cpu_add(cpu_arrays *arrays, int64_t count, size_t bytes, void *out);
void alcore__cpu_release(cpu_arrays *arrays);

/* Multiplications between two calls of the host's poll_cancel: a few milliseconds. */
#define CPU_POLL_EVERY (INT64_C(1) << 22)

/* Adds `cost` multiplications to *spent, the caller's count since the last poll. Every
 * CPU_POLL_EVERY of them it asks the host: ALCORE_E_CANCELLED when the call is to stop. */
alcore_status alcore__cpu_poll(const alcore_sys_work *work, int64_t *spent, int64_t cost);

#endif
