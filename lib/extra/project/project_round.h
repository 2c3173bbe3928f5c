/* SPDX-License-Identifier: Apache-2.0 */
/* One round on its way: project_request.c prepares its request, project_next.c answers it and
 * writes down what was picked. */
#ifndef ALCORE__PROJECT_ROUND_H
#define ALCORE__PROJECT_ROUND_H

#include "extra/project/project_internal.h"

typedef struct alcore__project_round {
    int64_t number;                   /* from 1 */
    alcore_pool *candidates, *target; /* views, which the request keeps; NULL: none */
    bool from_target;                 /* the strategy picks rows of the target */
} alcore__project_round;

/* What an item is: the column kind of the table items. */
enum { ITEM_SENTENCE = 0, ITEM_PHRASE = 1, ITEM_OF_TARGET = 2 };

/* Gives the request of the settings all that the next round needs. */
alcore_status alcore__project_request_prepare(alcore_project *project,
                                              const alcore__project_settings *settings,
                                              alcore_model *model, alcore__project_round *out);
/* ALCORE_E_PARAM where the measure of the setting stop_metric has reached a plateau. */
alcore_status alcore__project_check_stop(alcore_project *project,
                                         const alcore__project_settings *settings);

#endif
