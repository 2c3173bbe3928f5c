/* SPDX-License-Identifier: Apache-2.0 */
#include "text/ngram_table.h"

#define TICK_EVERY 4096

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
    alcore__ngram_table grown = *table;
    grown.slot = slot;
    grown.slots = slots;
    /* The high bits of the hash keep the order of the slots: both tables are walked front to back.
     */
    for (size_t i = 0; i < table->slots; i++) {
        if (i % TICK_EVERY == 0) {
            const alcore_status status = alcore__tick(ctx, NULL, 0, 0);
            if (status != ALCORE_OK) {
                alcore__free(ctx, slot);
                return status;
            }
        }
        if (table->slot[i] == 0) continue;
        const alcore__ngram *ngram = &table->ngram[table->slot[i] - 1];
        size_t at = alcore__ngram_home(&grown, alcore__ngram_hash(ngram->context, ngram->word));
        while (slot[at] != 0) at = (at + 1) & (slots - 1);
        slot[at] = table->slot[i];
    }
    alcore__free(ctx, table->slot);
    *table = grown;
    return ALCORE_OK;
}

void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table) {
    alcore__free(ctx, table->ngram);
    alcore__free(ctx, table->slot);
    *table = (alcore__ngram_table){0};
}
