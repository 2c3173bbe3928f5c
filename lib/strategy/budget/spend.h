/* SPDX-License-Identifier: Apache-2.0 */
/* Spending every budget of a request from what a strategy made. */
#ifndef ALCORE__SPEND_H
#define ALCORE__SPEND_H

#include "strategy/strategy_def.h"

/* After the strategy's finish: ranks and buys where the strategy has not picked by itself, then
 * buys under the further budgets (but see runs_once of the input), and explains the picks of each
 * where the request asks for it. */
alcore_status alcore__spend(alcore__run *run);

#endif
