/* SPDX-License-Identifier: Apache-2.0 */
/* Growing and freeing the hash table of the n-grams of one order (ngram_table.h has the layout and
 * the look-ups, which are inline because each token of a training makes several). */
#include "text/ngram_table.h"

/* Slots that are moved between two polls of cancellation. */
#define POLL_SLOTS 4096

/* The number of slots, a power of two, at most two thirds of which are then full: seven of eight
 * searches then stay in the cache line where they begin, and nearly all where one third is full. */
static size_t slots_for(size_t ngrams) {
    size_t slots = 1024;
    while (slots / 3 * 2 < ngrams) slots *= 2;
    return slots;
}

/* Gets memory for `more` n-grams; where the slots become too few, all used ones are moved to a
 * table of more slots. */
alcore_status alcore__ngram_reserve(alcore_ctx *ctx, alcore__ngram_table *table, size_t more) {
    const size_t need = table->count + more;
    if (need >= ALCORE__NGRAM_NONE)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^32 - 2 different n-grams");
    ALCORE__TRY(alcore__grow(ctx, &table->ngram, &table->capacity, need, sizeof *table->ngram));
    const size_t slots = slots_for(need);
    if (slots <= table->slots) return ALCORE_OK;
    alcore__ngram_table grown = *table;
    ALCORE__TRY(alcore__new_lines(ctx, slots, sizeof *grown.slot, &grown.slot_block, &grown.slot));
    grown.slots = slots;
    /* A tag has all that its slot depends on, so no n-gram is read; its high bits keep the order of
     * the slots, so both tables are walked front to back. */
    for (size_t i = 0; i < table->slots; i++) {
        if (i % POLL_SLOTS == 0) {
            const alcore_status status = alcore__tick(ctx, NULL, 0, 0);
            if (status != ALCORE_OK) {
                alcore__free(ctx, grown.slot_block);
                return status;
            }
        }
        if (table->slot[i].number == 0) continue;
        const size_t home = alcore__ngram_home(&grown, table->slot[i].tag);
        size_t free_slot = home;
        while (grown.slot[free_slot].number != 0)
            free_slot = alcore__ngram_next(&grown, free_slot, home);
        grown.slot[free_slot] = table->slot[i];
    }
    alcore__free(ctx, table->slot_block);
    *table = grown;
    return ALCORE_OK;
}

void alcore__ngram_keep_slots(alcore_ctx *ctx, alcore__ngram_table *table) {
    alcore__free(ctx, table->ngram);
    table->ngram = NULL;
    table->capacity = 0;
}

void alcore__ngram_clear(alcore_ctx *ctx, alcore__ngram_table *table) {
    alcore__free(ctx, table->ngram);
    alcore__free(ctx, table->slot_block);
    *table = (alcore__ngram_table){0};
}
