/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the words that char_rows.c has met (char_words.h). */
#include "text/char_words.h"

enum {
    MAX_MET = ALCORE__CHAR_WORD_SLOTS / 2,
    /* of the rows of all threads, of those of one, and at least of these */
    ALL_BYTES = 1 << 26,
    MOST_BYTES = 1 << 25,
    LEAST_BYTES = 1 << 23,
    MAX_ROWS = 1 << 15
};

/* Bytes of the kept rows of each thread, when there are `threads` of them. */
static uint32_t bytes_for(int32_t threads) {
    const int32_t share = ALL_BYTES / (threads > 0 ? threads : 1);
    return (uint32_t)(share > MOST_BYTES ? MOST_BYTES : share < LEAST_BYTES ? LEAST_BYTES : share);
}

alcore_status alcore__char_words_new(alcore_ctx *ctx, int32_t padded, alcore__char_words *self) {
    self->row_bytes = sizeof(alcore__char_word) + (size_t)padded * sizeof(int32_t);
    self->max_rows = bytes_for(alcore_ctx_threads(ctx)) / (uint32_t)self->row_bytes;
    if (self->max_rows > MAX_ROWS) self->max_rows = MAX_ROWS;
    ALCORE__TRY(alcore__new_array(ctx, ALCORE__CHAR_WORD_SLOTS, sizeof *self->slots, &self->slots));
    return alcore__new_lines(ctx, self->max_rows, self->row_bytes, &self->block, &self->rows);
}

void alcore__char_words_clear(alcore_ctx *ctx, alcore__char_words *self) {
    alcore__free(ctx, self->slots);
    alcore__free(ctx, self->block);
    *self = (alcore__char_words){0};
}

void alcore__char_words_enter(alcore__char_words *self, const alcore__char_name *name,
                              alcore__char_slot *slot) {
    if (self->met == MAX_MET || self->used == self->max_rows) {
        memset(self->slots, 0, ALCORE__CHAR_WORD_SLOTS * sizeof *self->slots);
        self->met = self->used = 0;
        slot = &self->slots[name->home];
    }
    *slot = (alcore__char_slot){.tag = name->tag, .is_met = 1};
    self->met++;
}
