/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are not there yet. */
#include "alcore/extra/project.h"
#include "base/base.h"

static alcore_status fail_missing(void) {
    return alcore__fail(ALCORE_E_UNSUPPORTED, "not there yet");
}

alcore_status alcore_project_export(alcore_project *project, const char *tool, const char *path,
                                    int64_t round) {
    (void)project, (void)tool, (void)path, (void)round;
    return fail_missing();
}

alcore_status alcore_project_import(alcore_project *project, const char *tool, const char *path,
                                    const char *annotator, alcore_project_import_report *out) {
    (void)project, (void)tool, (void)path, (void)annotator, (void)out;
    return fail_missing();
}

alcore_status alcore_project_write_labeled(alcore_project *project, const char *path) {
    (void)project, (void)path;
    return fail_missing();
}

alcore_status alcore_project_put_metric(alcore_project *project, int64_t round, const char *name,
                                        double value) {
    (void)project, (void)round, (void)name, (void)value;
    return fail_missing();
}

alcore_status alcore_project_document(alcore_project *project, const char **out) {
    (void)project;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_status alcore_project_write_report(alcore_project *project, const char *path) {
    (void)project, (void)path;
    return fail_missing();
}

alcore_status alcore_project_verify(alcore_project *project) {
    (void)project;
    return fail_missing();
}

alcore_status alcore_project_gc(alcore_project *project, int64_t *out_bytes) {
    (void)project, (void)out_bytes;
    return fail_missing();
}
