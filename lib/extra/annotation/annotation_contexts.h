/* SPDX-License-Identifier: Apache-2.0 */
/* The context of open phrases: the first unmasked sentences of the pool that contain each. */
#ifndef ALCORE__ANNOTATION_CONTEXTS_H
#define ALCORE__ANNOTATION_CONTEXTS_H

#include "extra/annotation/annotation_list.h"
#include "extra/annotation/phrase_finder.h"

/* A struct of zeros has none. */
typedef struct alcore__annotation_contexts {
    alcore__phrase_finder finder;
    uint32_t *phrase_of_item; /* [items] number in the finder; ALCORE__WORD_NONE for a sentence and
                                 for an answered item */
    int64_t *rows;            /* [phrases, 3] ascending; -1 behind the last one */
    int64_t row;              /* the row that is being read */
} alcore__annotation_contexts;

/* Reads the unmasked rows of the pool once. The annotations and the pool are locked; cleared by the
 * caller after a failure too. */
alcore_status alcore__contexts_find(const alcore_annotations *annotations,
                                    alcore__annotation_contexts *out);
/* The text of the n-th context of an item, a view of the pool; NULL when it has fewer. */
const char *alcore__contexts_at(const alcore_annotations *annotations,
                                const alcore__annotation_contexts *contexts, int64_t item, int n,
                                size_t *length);
void alcore__contexts_clear(alcore_ctx *ctx, alcore__annotation_contexts *contexts);

#endif
