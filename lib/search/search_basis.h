/* SPDX-License-Identifier: Apache-2.0 */
/* Directions for exact pruning, and whether pruning by them saves time. */
#ifndef ALCORE__SEARCH_BASIS_H
#define ALCORE__SEARCH_BASIS_H

#include "search/search_run.h"

/* Called before a search for neighbors of queries only. Measures on a sample of rows and queries
 * whether comparing a few leading components would rule out most pairs, and if so sets
 * run->search.basis, leading and skew. *out [leading, dims] owns the basis (alcore__free()); NULL:
 * none. The search finds the same with and without it. */
alcore_status alcore__search_basis(alcore__search_run *run, float **out);

#endif
