/* SPDX-License-Identifier: Apache-2.0 */
/* A loadable module as cuda and torch are: it sees alcore/sys/ only and links nothing of libalcore.
 */
#include "example_module.h"

#include <stdatomic.h>
#include <string.h>

static const alcore_sys_host *core;

typedef struct sum {
    int64_t fail_at;
    _Atomic int64_t total;
} sum;

static alcore_status add(void *data, int64_t index, int32_t worker) {
    static const char text[] = "example: index 7 is bad";
    sum *all = data;
    (void)worker;
    if (index == all->fail_at) return core->set_error(ALCORE_E_DATA, text, strlen(text));
    all->total += index;
    return ALCORE_OK;
}

static alcore_status sum_up(void *user, int64_t count, int64_t fail_at, int64_t *out) {
    sum *all = core->allocate(user, sizeof *all);
    if (!all) return core->set_error(ALCORE_E_NOMEM, "example: no memory", 18);
    all->fail_at = fail_at;
    all->total = 0;
    core->log(user, 20, "example", "adding");
    alcore_status status = core->parallel_for(user, "adding", count, add, all);
    if (status == ALCORE_OK) *out = all->total;
    core->release(user, all, sizeof *all);
    return status;
}

static int32_t cancelled(void *user) {
    return core->poll_cancel(user);
}

static const example_table table = {
    .size = sizeof table, .sum_up = sum_up, .cancelled = cancelled, .host = &core};

/* A module that is built for another system tier answers so and sets the text. */
ALCORE_API alcore_status alcore_example_entry(uint32_t abi, const alcore_sys_host *host,
                                              const void **out) {
    if (abi != EXAMPLE_ABI)
        return host->set_error(ALCORE_E_UNSUPPORTED, "built for another libalcore", 27);
    core = host;
    *out = &table;
    return ALCORE_OK;
}
