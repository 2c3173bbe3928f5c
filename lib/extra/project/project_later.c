/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are not there yet. */
#include "alcore/extra/project.h"
#include "base/base.h"

static alcore_status fail_missing(void) {
    return alcore__fail(ALCORE_E_UNSUPPORTED, "not there yet");
}

alcore_status alcore_project_write_report(alcore_project *project, const char *path) {
    (void)project, (void)path;
    return fail_missing();
}
