/* SPDX-License-Identifier: Apache-2.0 */
/* What a project tells tools, on the way out and back: task, labels and languages of its settings,
 * and the name of the batch, NAME-PROJECT-NUMBER. PROJECT is the begin of the digest of the first
 * file that was added, by which a batch of another project is known, as ids alone may be alike. */
#ifndef ALCORE__PROJECT_EXCHANGE_H
#define ALCORE__PROJECT_EXCHANGE_H

#include "extra/project/project_internal.h"

enum { PROJECT_ID_DIGITS = 8 };

typedef struct alcore__project_exchange {
    alcore__project_settings settings;
    alcore_tool_options options; /* of views of the members here */
    alcore__buffer batch;        /* of the next export */
    alcore__buffer labels;       /* their texts, with NULs between */
    const char **label_list;     /* [options.label_count] owned */
    char id[PROJECT_ID_DIGITS + 1];
} alcore__project_exchange;

/* The setting task: ALCORE_TASK_*. */
int32_t alcore__project_task(const alcore__project_settings *settings);
/* The word of the setting span_unit for a unit, ALCORE_SPAN_* or 0. */
const char *alcore__project_span_unit_name(int32_t unit);

alcore_status alcore__project_exchange_begin(alcore_project *project,
                                             alcore__project_exchange *out);
void alcore__project_exchange_end(alcore_project *project, alcore__project_exchange *exchange);

/* Refuses a batch of another project. A name that is no batch of a project says nothing. */
alcore_status alcore__project_exchange_check(const alcore__project_exchange *exchange,
                                             const char *path, const char *batch);

#endif
