/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers of an item come to, and the counts of the rounds that follow from it.
 *
 *   state        the annotators' present answers, drafts left out
 *   OPEN         none
 *   ANSWERED     a translation or labels: agreed on, or chosen by the setting "several"
 *   WITHOUT      they agree, or it is chosen, that there is none
 *   DISAGREEING  they differ, and nothing is chosen */
#ifndef ALCORE__PROJECT_DECISIONS_H
#define ALCORE__PROJECT_DECISIONS_H

#include "extra/project/project_internal.h"

/* The column state of the table decisions; an item that has no row there is open. */
#define STATE_OPEN 0
#define STATE_ANSWERED 1
#define STATE_WITHOUT 2
#define STATE_DISAGREEING 3
/* The same as conditions of a statement; IS_OPEN also where the table is joined from the left. */
#define IS_OPEN "ifnull(state, " IN_SQL(STATE_OPEN) ") = " IN_SQL(STATE_OPEN)
#define IS_ANSWERED "state = " IN_SQL(STATE_ANSWERED)
#define IS_WITHOUT "state = " IN_SQL(STATE_WITHOUT)

/* Decides anew the items that have an answer of number `first` or higher, and counts their rounds.
 * several: the setting. disagreeing, NULL or how many of these items have annotators that differ.
 */
alcore_status alcore__project_decide(alcore_project *project, const char *several, int64_t first,
                                     int64_t *disagreeing);
/* Compares the decision on each item with what its latest answers come to: ALCORE_E_DATA names the
 * first item of which it differs. */
alcore_status alcore__project_decisions_verify(alcore_project *project, const char *several);

/* Whether an answer takes the place of the annotator's present one: one that says that it is older
 * does not, nor a draft that of an answer. Times are NULL where none is known. */
bool alcore__project_replaces(const char *status, const char *time, const char *present_status,
                              const char *present_time);

#endif
