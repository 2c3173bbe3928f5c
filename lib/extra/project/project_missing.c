/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of projects in a build without SQLite: each says so. No project can be made, so that
 * calls on one are only made with a NULL. */
#include "alcore/extra/project.h"
#include "base/base.h"

static alcore_status fail_missing(void) {
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "this build of the library has no projects, as libsqlite3 was missing; on "
                        "Debian: apt-get install libsqlite3-dev, then build it again");
}

alcore_status alcore_project_init(alcore_ctx *ctx, const char *folder, const char *const *names,
                                  const char *const *values, int64_t count, alcore_project **out) {
    (void)ctx, (void)folder, (void)names, (void)values, (void)count;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_status alcore_project_open(alcore_ctx *ctx, const char *folder, alcore_project **out) {
    (void)ctx, (void)folder;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_project *alcore_project_ref(alcore_project *project) {
    return project;
}

void alcore_project_unref(alcore_project *project) {
    (void)project;
}

alcore_status alcore_project_set(alcore_project *project, const char *name, const char *value) {
    (void)project, (void)name, (void)value;
    return fail_missing();
}

alcore_status alcore_project_get(alcore_project *project, const char *name, const char **out) {
    (void)project, (void)name;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_status alcore_project_add(alcore_project *project, int32_t role, const char *path,
                                 const alcore_read_options *options) {
    (void)project, (void)role, (void)path, (void)options;
    return fail_missing();
}

alcore_status alcore_project_next(alcore_project *project, alcore_model *model,
                                  const char *const *names, const char *const *values,
                                  int64_t count, alcore_selection **out) {
    (void)project, (void)model, (void)names, (void)values, (void)count;
    if (out) *out = NULL;
    return fail_missing();
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

alcore_status alcore_project_import_spans(alcore_project *project, const char *tool,
                                          const char *path, const char *annotator,
                                          int32_t span_unit, alcore_project_import_report *out) {
    (void)project, (void)tool, (void)path, (void)annotator, (void)span_unit, (void)out;
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

alcore_status alcore_project_put_metrics(alcore_project *project, int64_t round, const char *text,
                                         size_t length, int64_t *out_count) {
    (void)project, (void)round, (void)text, (void)length;
    if (out_count) *out_count = 0;
    return fail_missing();
}

alcore_status alcore_project_train(alcore_project *project,
                                   const alcore_project_train_options *options, const char **out) {
    (void)project, (void)options;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_status alcore_project_eval(alcore_project *project,
                                  const alcore_project_eval_options *options, const char **out) {
    (void)project, (void)options;
    if (out) *out = NULL;
    return fail_missing();
}

alcore_status alcore_project_get_status(alcore_project *project, alcore_project_status *out) {
    (void)project, (void)out;
    return fail_missing();
}

alcore_status alcore_project_get_agreement(alcore_project *project, alcore_project_agreement *out) {
    (void)project, (void)out;
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
