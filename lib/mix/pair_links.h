/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns sentence pairs in both directions and symmetrizes the links by grow-diag-final-and, with
 * the default aligner (docs/spec/aligner.md): the links that the simulated oracle and switched
 * pairs use where none are given. */
#ifndef ALCORE__PAIR_LINKS_H
#define ALCORE__PAIR_LINKS_H

#include "text/corpus.h"
#include "text/word_links.h"

/* Row r of sources and targets is pair r; a pair of which either has no words gets no links. The
 * caller clears *out. */
alcore_status alcore__pairs_align(alcore_ctx *ctx, const alcore__text_source *sources,
                                  const alcore__text_source *targets, alcore__links *out);

#endif
