/* SPDX-License-Identifier: Apache-2.0 */
#include "text/ngram_table.h"

/* Slots are at most three quarters full: misses end at the next free slot. */
static size_t slots_for(size_t ngrams) {
    size_t slots = 1024;
    while (slots / 4 * 3 < ngrams) slots *= 2;
    return slots;
}

alcore_status alcore__ngram_reserve(alcore_ctx *ctx, alcore__ngram_table *table, size_t more) {
    const size_t need = table->count + more;
    if (need >= ALCORE__NGRAM_NONE)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^32 - 2 different n-grams");
    ALCORE__TRY(alcore__grow(ctx, &table->ngram, &table->capacity, need, sizeof *table->ngram));
    const size_t slots = slots_for(need);
    if (slots <= table->slots) return ALCORE_OK;
    uint32_t *slot = NULL;
    ALCORE__TRY(alcore__new_array(ctx, slots, sizeof *slot, &slot));
    uint32_t *old = table->slot;
    const size_t old_slots = table->slots;
    table->slot = slot;
    table->slots = slots;
    /* The high bits of the hash keep the order of the slots: both tables are walked front to back.
     */
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i] == 0) continue;
        const alcore__ngram *ngram = &table->ngram[old[i] - 1];
        size_t at = alcore__ngram_home(table, alcore__ngram_hash(ngram->context, ngram->word));
        while (slot[at] != 0) at = (at + 1) & (slots - 1);
        slot[at] = old[i];
    }
    alcore__free(ctx, old);
    return ALCORE_OK;
}

void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table) {
    alcore__free(ctx, table->ngram);
    alcore__free(ctx, table->slot);
    *table = (alcore__ngram_table){0};
}
