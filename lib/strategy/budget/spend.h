/* SPDX-License-Identifier: Apache-2.0 */
/* Spending every budget of a request from what a strategy made. */
#ifndef ALCORE__SPEND_H
#define ALCORE__SPEND_H

#include "strategy/strategy_def.h"

/* After the strategy's finish: ranks and buys where the strategy has not picked by itself, then
 * buys under the further budgets (but see runs_once of the input), and explains the picks of each
 * where the request asks for it. */
alcore_status alcore__spend(alcore__run *run);
/* Moves what another run of the strategy has bought under a further budget, with the scores and
 * columns of its picks, to an outcome whose run left that to its caller (runs_once). */
alcore_status alcore__outcome_add_purchase(alcore_ctx *ctx, alcore__outcome *other,
                                           alcore__outcome *outcome);

#endif
