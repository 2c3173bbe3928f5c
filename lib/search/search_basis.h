/* SPDX-License-Identifier: Apache-2.0 */
/* Directions for exact pruning, and whether they pay. */
#ifndef ALCORE__SEARCH_BASIS_H
#define ALCORE__SEARCH_BASIS_H

#include "search/search_run.h"

/* Looks at a sample of rows and queries; where a few directions would refuse most pairs, points
 * run->search at them. *out owns them: alcore__free(). The answer of the search is the same with
 * and without. */
alcore_status alcore__search_basis(alcore__search_run *run, float **out);

#endif
