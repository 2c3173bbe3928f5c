/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the words that char_rows.c has met (char_words.h). */
#include "text/char_words.h"

enum {
    MAX_COUNTED = 1023, /* larger counts of a word count as this one when words are dropped */
    /* Bytes of rows: of all threads together, and at most and at least of one thread. */
    ALL_BYTES = 3 << 24,
    MOST_BYTES = 3 << 23,
    LEAST_BYTES = 1 << 23,
    MAX_ROWS = UINT16_MAX
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
    ALCORE__TRY(alcore__new_array(ctx, self->max_rows, sizeof *self->free_rows, &self->free_rows));
    while (self->free_count < self->max_rows) {
        self->free_rows[self->free_count] = (uint16_t)(self->max_rows - self->free_count);
        self->free_count++;
    }
    return alcore__new_lines(ctx, self->max_rows, self->row_bytes, &self->block, &self->rows);
}

void alcore__char_words_clear(alcore_ctx *ctx, alcore__char_words *self) {
    alcore__free(ctx, self->slots);
    alcore__free(ctx, self->free_rows);
    alcore__free(ctx, self->block);
    *self = (alcore__char_words){0};
}

/* The largest count with which a word loses its row, so that at most three quarters of the rows
 * stay. */
static uint32_t least_met(const alcore__char_words *self) {
    uint32_t words[MAX_COUNTED + 1] = {0}, kept = 0, least = MAX_COUNTED;
    for (size_t i = 0; i < ALCORE__CHAR_WORD_SLOTS; i++) {
        const alcore__char_slot *slot = &self->slots[i];
        if (slot->row != 0) words[slot->met < MAX_COUNTED ? slot->met : MAX_COUNTED]++;
    }
    while (least > 0 && kept + words[least] <= self->max_rows / 4 * 3) kept += words[least--];
    return least;
}

/* Each word is removed from its slot and, where it stays, put into the first free slot of its
 * search. The slots are visited from a free one on, which no search passes: the words that a search
 * would meet first are in their places already, so that no word moves to a later slot. Counts are
 * halved, so that words that are frequent from now on can replace those that were. */
void alcore__char_words_drop(alcore__char_words *self) {
    const uint32_t least = least_met(self);
    size_t begin = 0;
    self->met = 0;
    while (self->slots[begin].met != 0) begin++;
    for (size_t i = 1; i < ALCORE__CHAR_WORD_SLOTS; i++) {
        alcore__char_slot *slot = &self->slots[(begin + i) % ALCORE__CHAR_WORD_SLOTS], word = *slot;
        *slot = (alcore__char_slot){0};
        if (word.row == 0) continue;
        if (word.met <= least) {
            self->free_rows[self->free_count++] = word.row;
            continue;
        }
        size_t at = alcore__char_home(word.tag);
        while (self->slots[at].met) at = (at + 1) % ALCORE__CHAR_WORD_SLOTS;
        word.met /= 2;
        self->slots[at] = word;
        self->met++;
    }
}
