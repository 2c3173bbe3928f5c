/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling a request, and its progress (base/control.h). */
#include "request/request_internal.h"

void alcore_request_cancel(alcore_request *request) {
    if (request) alcore__control_cancel(request->control);
}

void alcore_request_cancel_clear(alcore_request *request) {
    if (request) alcore__control_clear(request->control);
}

alcore_status alcore_request_set_progress(alcore_request *request,
                                          alcore_progress_function progress, void *user,
                                          alcore_destroy_function destroy) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_progress"));
    alcore__control_end(request->control);
    request->control->progress = progress;
    request->control->progress_user = user;
    request->control->progress_destroy = destroy;
    return alcore__request_end(request, ALCORE_OK);
}
