/* SPDX-License-Identifier: Apache-2.0 */
/* A scorer: one of the table's scores with its parameters, or the caller's function. */
#ifndef ALCORE__SCORER_INTERNAL_H
#define ALCORE__SCORER_INTERNAL_H

#include "alcore/scorer.h"
#include "scorer/score.h"

struct alcore_scorer {
    alcore__object object;
    const alcore__score *score; /* of the registry; NULL: the caller's function */
    alcore__values values;      /* of score */
    alcore_scorer_host host;    /* a copy; its name and needs are the caller's, not read */
    char *name;                 /* owned */
    char **own_needs; /* columns of the host's function, ending with NULL, owned; NULL: `score` is
                         set */
};

/* The columns that a scorer needs with the present values of its parameters, ending with NULL. */
const char *const *alcore__scorer_needs(const alcore_scorer *scorer);

#endif
