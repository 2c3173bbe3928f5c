/* SPDX-License-Identifier: Apache-2.0 */
/* The document of a project, for what shows it: the page of alcore_project_write_report() reads it
 * with the scanner of formats/json_scan.h, or asks store.h itself. */
#ifndef ALCORE__PROJECT_DOCUMENT_H
#define ALCORE__PROJECT_DOCUMENT_H

#include "extra/project/project_internal.h"

/* Writes the document, within a transaction of the caller. */
alcore_status alcore__project_document(alcore_project *project, alcore__json_out *json);

#endif
