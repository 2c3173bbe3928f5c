/* SPDX-License-Identifier: Apache-2.0 */
/* What public calls of a request share: the beginning and the end of every one that changes it, and
 * the locks of its pools. */
#include "request/request_internal.h"

alcore_status alcore__request_begin(alcore_request *request, const char *call) {
    if (!request) return alcore__fail(ALCORE_E_INVALID, "%s: request is needed", call);
    ALCORE__TRY(alcore__enter(request->object.ctx));
    alcore_status status = alcore__write_begin(request, "request");
    return status == ALCORE_OK ? ALCORE_OK : alcore__leave(request->object.ctx, status);
}

alcore_status alcore__request_begin_long(alcore_request *request, const char *call) {
    if (!request) return alcore__fail(ALCORE_E_INVALID, "%s: request is needed", call);
    ALCORE__TRY(alcore__enter_request(request->object.ctx, request->control));
    alcore_status status = alcore__write_begin(request, "request");
    return status == ALCORE_OK ? ALCORE_OK : alcore__leave(request->object.ctx, status);
}

alcore_status alcore__request_end(alcore_request *request, alcore_status status) {
    alcore__write_end(request);
    return alcore__leave(request->object.ctx, status);
}

alcore_status alcore__fail_no_candidates(void) {
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_INVALID, "the request has no pool of candidates"), ALCORE_REMEDY_POOL,
        "candidates", NULL /* no value */, "is what is selected from");
}

/* A call of alcore_select() locks and unlocks the pools several times: models must be able to add
 * columns to them in between. */
alcore_status alcore__request_read_pools(const alcore_request *request) {
    const struct {
        alcore_pool *pool;
        const char *name;
    } pools[] = {{request->candidates, "pool"},
                 {request->labeled, "labeled pool"},
                 {request->target, "target pool"},
                 {request->excluded, "pool of excluded texts"}};
    const int count = (int)(sizeof pools / sizeof pools[0]);
    alcore_status status = ALCORE_OK;
    int locked = 0;
    for (; locked < count; locked++) {
        if (!pools[locked].pool) continue;
        status = alcore__read_begin(pools[locked].pool, pools[locked].name);
        if (status != ALCORE_OK) break;
    }
    while (status != ALCORE_OK && locked-- > 0)
        if (pools[locked].pool) alcore__read_end(pools[locked].pool);
    return status;
}

void alcore__request_leave_pools(const alcore_request *request) {
    if (request->excluded) alcore__read_end(request->excluded);
    if (request->target) alcore__read_end(request->target);
    if (request->labeled) alcore__read_end(request->labeled);
    alcore__read_end(request->candidates);
}
