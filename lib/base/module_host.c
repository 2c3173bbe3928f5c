/* SPDX-License-Identifier: Apache-2.0 */
/* What a loadable module gets of the library (alcore/sys/host.h). */
#include "base/base.h"

static void *host_allocate(void *user, size_t bytes) {
    return alcore__alloc(user, bytes);
}

static void host_release(void *user, void *memory, size_t bytes) {
    (void)bytes; /* the block knows */
    alcore__free(user, memory);
}

static void host_log(void *user, int32_t level, const char *component, const char *message) {
    alcore__log(user, level, component, NULL, "%s", message);
}

static int32_t host_poll_cancel(void *user) {
    return alcore__cancelled(user);
}

static alcore_status
host_parallel_for(void *user, const char *stage, int64_t count,
                  alcore_status (*task)(void *data, int64_t index, int32_t worker), void *data) {
    if (!user) return alcore__fail(ALCORE_E_INVALID, "parallel_for: user is NULL");
    return alcore__parallel(user, stage, count, task, data);
}

const alcore_sys_host *alcore__sys_host(void) {
    static const alcore_sys_host host = {.size = sizeof host,
                                         .allocate = host_allocate,
                                         .release = host_release,
                                         .log = host_log,
                                         .set_error = alcore_error_set,
                                         .poll_cancel = host_poll_cancel,
                                         .parallel_for = host_parallel_for};
    return &host;
}
