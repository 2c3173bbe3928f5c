/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of the CPU does around its arithmetic: it checks its arguments, takes memory
 * from the call's workspace or the host's allocator, and asks the host every few milliseconds
 * whether to stop. Compiled once, not per instruction set: nothing here computes. */
#ifndef ALCORE__CPU_CALL_H
#define ALCORE__CPU_CALL_H

#include <stddef.h>

#include "alcore/sys/kernel.h"

/* Sets the error text of the calling thread and returns status. */
alcore_status alcore__cpu_fail(const alcore_sys_work *work, alcore_status status, const char *text);

/* Refuses an unknown dtype, negative counts and absent data. */
alcore_status alcore__cpu_check(const alcore_sys_work *work, const alcore_sys_rows *rows);

/* The same, and refuses a group that is not below groups. */
alcore_status alcore__cpu_check_groups(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const int32_t *group, int64_t groups);

/* The same for rows and targets of one width; targets with a negative group are nobody's. */
alcore_status alcore__cpu_check_targets(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                        const alcore_sys_rows *targets, const int32_t *group,
                                        int64_t groups);

/* Refuses more classes than argmax can name, and log-probabilities of absent labels. */
alcore_status alcore__cpu_check_stats(const alcore_sys_work *work, int64_t classes,
                                      const int64_t *labels, const alcore_sys_token_stats *out);

/* count * bytes bytes from the call's workspace, or the host's allocator. */
alcore_status alcore__cpu_new(const alcore_sys_work *work, int64_t count, size_t bytes, void *out);
void alcore__cpu_free(const alcore_sys_work *work, void *memory, int64_t count, size_t bytes);

/* Multiplications between two looks at the host's cancel flag: a few milliseconds. */
#define CPU_POLL_EVERY (INT64_C(1) << 22)

/* Adds `cost` operations to *spent; when it is time, asks the host whether to stop. */
alcore_status alcore__cpu_poll(const alcore_sys_work *work, int64_t *spent, int64_t cost);

#endif
