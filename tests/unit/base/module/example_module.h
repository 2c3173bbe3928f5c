/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_MODULE_H
#define EXAMPLE_MODULE_H

#include "alcore/sys/host.h"

#ifndef EXAMPLE_ABI
#define EXAMPLE_ABI ALCORE_SYS_ABI
#endif

typedef struct example_table {
    size_t size;
    alcore_status (*sum_up)(void *user, int64_t count, int64_t fail_at, int64_t *out);
    int32_t (*cancelled)(void *user);
    const alcore_sys_host *const *host;
} example_table;

ALCORE_API alcore_status alcore_example_entry(uint32_t abi, const alcore_sys_host *host,
                                              const void **out);

#endif
