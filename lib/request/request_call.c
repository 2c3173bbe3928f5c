/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of every public call that changes a request. */
#include "request/request_internal.h"

/* Begins a public function that changes the request: enters its context and locks it for writing.
 * call: the function's name in messages. Where this fails there is nothing to end. */
alcore_status alcore__request_begin(alcore_request *request, const char *call) {
    if (!request) return alcore__fail(ALCORE_E_INVALID, "%s: request is needed", call);
    ALCORE__TRY(alcore__enter(request->object.ctx));
    alcore_status status = alcore__write_begin(request, "request");
    return status == ALCORE_OK ? ALCORE_OK : alcore__leave(request->object.ctx, status);
}

/* Ends it: unlocks the request, leaves the context, and returns the status for the caller. */
alcore_status alcore__request_end(alcore_request *request, alcore_status status) {
    alcore__write_end(request);
    return alcore__leave(request->object.ctx, status);
}
