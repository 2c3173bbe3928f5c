/* SPDX-License-Identifier: Apache-2.0 */
/* A sketch of alcore/extra/project.h: a labeling project in a folder, which survives being killed
 * at any instant. It shows that the project needs new names only: it is made of requests,
 * selections, annotations and models as they are. */
#ifndef ALCORE_EXTRA_PROJECT_H
#define ALCORE_EXTRA_PROJECT_H

#include "alcore/extra.h"

ALCORE_BEGIN

typedef struct alcore_project alcore_project;

/* How a folder becomes a project; settings of rounds are options of a request, by name. */
typedef struct alcore_project_options {
    size_t size;
    const char *const *pools; /* [pool_count] files of candidates */
    int64_t pool_count;
    const char *labeled, *target, *test; /* files; NULL: none */
    const char *model;                   /* folder; NULL: the built-in one */
} alcore_project_options;
#define ALCORE_PROJECT_OPTIONS_INIT ALCORE_INIT(alcore_project_options)

typedef struct alcore_project_status {
    size_t size;
    int64_t round, items, answered, open, conflicting;
    double spent, refunded, left;
} alcore_project_status;
#define ALCORE_PROJECT_STATUS_INIT ALCORE_INIT(alcore_project_status)

ALCORE_API alcore_status alcore_project_init(alcore_ctx *ctx, const char *folder,
                                             const alcore_project_options *options,
                                             alcore_project **out);
ALCORE_API alcore_status alcore_project_open(alcore_ctx *ctx, const char *folder,
                                             alcore_project **out);
ALCORE_API alcore_project *alcore_project_ref(alcore_project *project);
ALCORE_API void alcore_project_unref(alcore_project *project);
/* The request by whose strategy, budgets, price, seed and columns the next round is selected; what
 * is set in it is kept in the project. */
ALCORE_API alcore_status alcore_project_get_request(const alcore_project *project,
                                                    alcore_request **out);
ALCORE_API alcore_status alcore_project_next(alcore_project *project, alcore_selection **out);
ALCORE_API alcore_status alcore_project_export(alcore_project *project, const char *tool,
                                               const char *path);
ALCORE_API alcore_status alcore_project_import(alcore_project *project, const char *tool,
                                               const char *path, alcore_answer_report *out);
ALCORE_API alcore_status alcore_project_get_annotations(const alcore_project *project,
                                                        int64_t round, alcore_annotations **out);
ALCORE_API alcore_status alcore_project_train(alcore_project *project, alcore_model *model,
                                              const alcore_train_options *options,
                                              alcore_train_result *out);
ALCORE_API alcore_status alcore_project_get_status(const alcore_project *project,
                                                   alcore_project_status *out);
ALCORE_API alcore_status alcore_project_verify(const alcore_project *project);

ALCORE_END

#endif
