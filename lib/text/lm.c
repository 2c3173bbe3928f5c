/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing a language model and its trie. lm_internal.h has the data layout. */
#include <string.h>

#include "text/lm_internal.h"

/* Frees what a trie owns when its last reference is dropped. */
static void release_trie(void *object) {
    alcore__lm_trie *trie = object;
    alcore__vocabulary_clear(trie->object.ctx, &trie->words);
    for (int32_t n = 2; n <= trie->order; n++)
        alcore__ngram_clear(trie->object.ctx, &trie->table[n]);
}

/* Makes a trie whose vocabulary has the three symbols, which get the numbers 0, 1 and 2. */
alcore_status alcore__lm_trie_new(alcore_ctx *ctx, int32_t order, alcore__lm_trie **out) {
    static const char *const symbols[] = {"<unk>", "<s>", "</s>"}; /* ALCORE__LM_UNK, ... */
    alcore__lm_trie *trie = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *trie, release_trie, &trie));
    trie->order = order;
    for (size_t i = 0; i < 3; i++) {
        uint32_t number;
        const alcore_status status =
            alcore__vocabulary_add(ctx, &trie->words, symbols[i], strlen(symbols[i]), &number);
        if (status != ALCORE_OK) {
            alcore__object_unref(trie);
            return status;
        }
    }
    *out = trie;
    return ALCORE_OK;
}

/* Frees what a model owns when its last reference is dropped; word and entry lie in block. */
static void release_lm(void *object) {
    alcore_lm *lm = object;
    for (int32_t n = 1; n <= ALCORE__LM_ORDERS; n++) {
        alcore__free(lm->object.ctx, lm->logp[n]);
        alcore__free(lm->object.ctx, lm->backoff[n]);
        alcore__free(lm->object.ctx, lm->block[n]);
    }
    alcore__ngram_clear(lm->object.ctx, &lm->spelled);
    alcore__object_unref(lm->trie);
}

alcore_status alcore__lm_new(alcore__lm_trie *trie, alcore_lm **out) {
    alcore_lm *lm = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__object_new(trie->object.ctx, sizeof *lm, release_lm, &lm));
    lm->trie = alcore__object_ref(trie);
    lm->order = trie->order;
    *out = lm;
    return ALCORE_OK;
}
