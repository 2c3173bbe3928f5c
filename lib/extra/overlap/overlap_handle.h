/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of alcore/extra/overlap.h. */
#ifndef ALCORE__OVERLAP_HANDLE_H
#define ALCORE__OVERLAP_HANDLE_H

#include "alcore/extra/overlap.h"
#include "base/base.h"
#include "extra/overlap/ngram_uses.h"

struct alcore_overlap {
    alcore__object object;
    int32_t max_order; /* 1 .. ALCORE_NGRAM_ORDER_MAX */
    int32_t kept;      /* ALCORE_OVERLAP_* bits of the roles whose n-grams are kept */
    bool tagged;       /* each side has tables of its own */
    bool looked_up;    /* texts of a role that is not kept were added: no kept role may follow */
    bool spoiled;      /* a call failed in the middle of its texts: no call may follow */
    alcore__ngram_uses sides[2]; /* by ALCORE_SIDE_*; only the first unless tagged */
    alcore__buffer repaired;     /* a text with malformed sequences replaced */
};

/* Begins a call that reads the overlap, which has to keep `role`; ends with alcore__read_end() and
 * alcore__leave(). */
alcore_status alcore__overlap_begin(const alcore_overlap *overlap, int32_t role);
/* Forgets the texts of ALCORE_OVERLAP_SELECTED, a role that is not kept, so that the texts of
 * another selection can be looked up in the n-grams of the kept roles. */
alcore_status alcore__overlap_forget_selected(alcore_overlap *overlap);

#endif
