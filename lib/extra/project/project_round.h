/* SPDX-License-Identifier: Apache-2.0 */
/* One round on its way: project_request.c prepares its request, project_next.c answers it and
 * writes down what was picked. */
#ifndef ALCORE__PROJECT_ROUND_H
#define ALCORE__PROJECT_ROUND_H

#include "extra/project/project_internal.h"

/* Suggestions for the items of a round (project_drafts.c). A struct of zeros has none. */
typedef struct alcore__project_drafts {
    bool of_references;        /* they are the references of the candidates */
    alcore_pool *translations; /* [picks] in rank order, owned; NULL: none were made */
} alcore__project_drafts;

typedef struct alcore__project_round {
    int64_t number;                   /* from 1 */
    alcore_pool *candidates, *target; /* views, which the request keeps; NULL: none */
    bool from_target;                 /* the strategy picks rows of the target */
    alcore_model *model;              /* a view, which the request keeps; NULL: none */
    alcore__project_drafts drafts;    /* owned */
} alcore__project_round;

/* What an item is: the column kind of the table items. */
#define ITEM_SENTENCE 0
#define ITEM_PHRASE 1
#define ITEM_OF_TARGET 2
/* The same as conditions of a statement. */
#define IS_SENTENCE "kind = " IN_SQL(ITEM_SENTENCE)
#define IS_PHRASE "kind = " IN_SQL(ITEM_PHRASE)

/* Gives the request of the settings all that the next round needs. */
alcore_status alcore__project_request_prepare(alcore_project *project,
                                              const alcore__project_settings *settings,
                                              alcore_model *model, alcore__project_round *out);
/* Makes them by the setting draft; model NULL: there is none. */
alcore_status alcore__project_drafts_make(alcore_project *project,
                                          const alcore__project_settings *settings,
                                          const alcore_selection *selection, alcore_model *model,
                                          alcore__project_drafts *out);
void alcore__project_drafts_clear(alcore__project_drafts *drafts);
/* The draft of a pick of that rank, from 0, or NULL; source: the pool of its row, or NULL for a
 * phrase, whose reference would be that of a sentence. */
const char *alcore__project_draft(const alcore__project_drafts *drafts, const alcore_pool *source,
                                  int64_t row, int64_t rank);

/* ALCORE_E_PARAM where the measure of the setting stop_metric has reached a plateau. */
alcore_status alcore__project_check_stop(alcore_project *project,
                                         const alcore__project_settings *settings);

#endif
