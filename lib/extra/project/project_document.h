/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a project, and what it shares with the page (project_report.h). */
#ifndef ALCORE__PROJECT_DOCUMENT_H
#define ALCORE__PROJECT_DOCUMENT_H

#include "extra/project/project_internal.h"

/* Queries that the page makes too. Each annotator with his present answers: name, items, ok,
 * drafts, without, seconds. Each two: one, other, items of both, agreeing. Items on which
 * annotators differ: item, round, id, text; and of one such item, which is bound: annotator,
 * status, value, comment. */
extern const char alcore__project_annotators[], alcore__project_agreement[],
    alcore__project_disagreements[], alcore__project_differing_answers[];

/* Writes the document, within a transaction of the caller. */
alcore_status alcore__project_document(alcore_project *project, alcore__json_out *json);

#endif
