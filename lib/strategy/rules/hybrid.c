/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid: a strategy made of two others, one that buys rows and one that buys phrases (spec 5.8; Hu
 * and Neubig 2021, Algorithm 2). The handle of the strategy has both parts and their parameters
 * (strategy_handle.c); a request runs one after the other and shares the budget between them
 * (lib/select/request_hybrid.c). It has no pass of its own. */
#include "strategy/strategies.h"

/* Called where something else than a request runs the strategy. */
static alcore_status refuse(alcore__run *run) {
    (void)run;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "strategy hybrid is run by a request: its parts select from two pools");
}

#define SHARE(member) ALCORE__MEMBER(ALCORE__TO_SHARES, alcore__hybrid_shares, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"sentences", ALCORE_PARAM_TEXT, "huds", 0, 0, NULL,
     "strategy that buys rows; the paper's best is mrs, which needs labeled rows and embeddings of "
     "both sides. A parameter of it is set as sentences.NAME",
     SHARE(parts[0])},
    {"phrases", ALCORE_PARAM_TEXT, "ngf-smp", 0, 0, NULL,
     "strategy that buys phrases; a parameter of it is set as phrases.NAME", SHARE(parts[1])},
    {"ratio", ALCORE_PARAM_NUMBER, "0.5", 0, 1, NULL, "share of the budget for sentences",
     SHARE(ratio)},
    {"carry", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: phrases get what the sentences left, so that an overshoot is made up for", SHARE(carry)},
    {"cover", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: phrases of the sentences just bought are not bought", SHARE(cover)},
};

const alcore__strategy_def alcore__strategy_hybrid = {
    .name = "hybrid",
    .summary = "Sentences by one strategy and phrases of the rest by another, under one budget (Hu "
               "and Neubig 2021, Algorithm 2)",
    .params = ALCORE__PARAMS(ROWS),
    .ablated = "ratio",
    .hybrid = true,
    .finish = refuse,
};
