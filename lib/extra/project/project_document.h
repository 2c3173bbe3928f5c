/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a project, and what it shares with the page (project_report.h). */
#ifndef ALCORE__PROJECT_DOCUMENT_H
#define ALCORE__PROJECT_DOCUMENT_H

#include "extra/project/project_internal.h"

/* SQL of which both the document and the report page read the rows; these are their columns.
 * annotators, a row for each by their latest answers: name, items, ok, drafts, without, seconds.
 * disagreements, a row for each item on which annotators differ: item, round, id, text.
 * differing, the answers to one such item, whose number is bound: annotator, status, value,
 * comment. */
extern const char alcore__project_annotators[], alcore__project_disagreements[],
    alcore__project_differing_answers[];

/* Writes the document, within a transaction of the caller. */
alcore_status alcore__project_document(alcore_project *project, alcore__json_out *json);

#endif
