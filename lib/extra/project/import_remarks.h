/* SPDX-License-Identifier: Apache-2.0 */
/* What an import warns of, though the answers are kept: of whom they are, what their times say, and
 * labels that the project has not. */
#ifndef ALCORE__IMPORT_REMARKS_H
#define ALCORE__IMPORT_REMARKS_H

#include "extra/project/project_internal.h"

typedef struct alcore__import_remarks {
    const alcore_tool_options *options; /* of the file: its task and labels */
    double now;                         /* seconds since 1970 */
    bool unnamed;                       /* an answer was added of nobody in particular */
    int64_t behind;          /* added answers that do not count, being older than the present one */
    int64_t ahead, timeless; /* whose time is in the future, or is no time */
    char ahead_time[32], timeless_time[32]; /* of the first of them */
    int64_t odd;                            /* with a label that is none of the project's */
    char odd_label[64];                     /* the first one */
    int64_t odd_line;                       /* of the file, or of a form without lines the record */
} alcore__import_remarks;

/* options: borrowed. */
void alcore__import_remarks_begin(alcore__import_remarks *self, const alcore_tool_options *options);
/* Takes note of an answer that is added. behind: it is not the present one of its annotator. */
void alcore__import_remarks_add(alcore__import_remarks *self, const alcore_tool_answer *answer,
                                const char *annotator, bool behind);
/* Warns, a line a kind. path: of the file. */
alcore_status alcore__import_remarks_tell(const alcore__import_remarks *self,
                                          alcore_project *project, const char *path);

#endif
