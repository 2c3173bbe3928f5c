/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of a score decided: ranks of the picks by each term, and the picks that each term
 * alone would have made under the same budget. */
#ifndef ALCORE__EXPLAIN_H
#define ALCORE__EXPLAIN_H

#include "strategy/strategy_def.h"

/* Fills purchase->explanation from the record of the finished run. On failure the caller clears the
 * purchase. */
alcore_status alcore__explain(alcore__run *run, alcore__purchase *purchase);

#endif
