/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the words that char_rows.c has met (char_words.h). */
#include "text/char_words.h"

enum {
    ROWS_BYTES = 3 << 24, /* of rows, at most: 48 MiB */
    MAX_ROWS = UINT16_MAX
};

alcore_status alcore__char_words_new(alcore_ctx *ctx, int32_t padded, alcore__char_words **out) {
    alcore__char_words *self;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->row_bytes = sizeof(alcore__char_word) + (size_t)padded * sizeof(int32_t);
    self->max_rows = ROWS_BYTES / (uint32_t)self->row_bytes;
    if (self->max_rows > MAX_ROWS) self->max_rows = MAX_ROWS;
    pthread_mutex_init(&self->lock, NULL);
    pthread_mutex_init(&self->gate, NULL);
    pthread_cond_init(&self->turn, NULL);
    *out = self;
    return ALCORE_OK;
}

void alcore__char_words_free(alcore__char_words *self) {
    if (!self) return;
    pthread_mutex_destroy(&self->lock);
    pthread_mutex_destroy(&self->gate);
    pthread_cond_destroy(&self->turn);
    alcore__free(self->ctx, self);
}

static void free_arrays(alcore__char_words *self) {
    alcore__free(self->ctx, self->slots);
    alcore__free(self->ctx, self->free_rows);
    alcore__free(self->ctx, self->block);
    self->slots = NULL;
    self->free_rows = NULL;
    self->block = NULL;
}

/* The arrays of an empty table; free_arrays() after a failure. Rows are used from the first on, so
 * that memory behind the last one stays untouched. */
static alcore_status allocate(alcore__char_words *self) {
    alcore_ctx *ctx = self->ctx;
    self->met = self->free_count = 0;
    self->full = false;
    ALCORE__TRY(alcore__new_array(ctx, ALCORE__CHAR_WORD_SLOTS, sizeof *self->slots, &self->slots));
    ALCORE__TRY(alcore__new_array(ctx, self->max_rows, sizeof *self->free_rows, &self->free_rows));
    while (self->free_count < self->max_rows) {
        self->free_rows[self->free_count] = (uint16_t)(self->max_rows - self->free_count);
        self->free_count++;
    }
    return alcore__new_lines(ctx, self->max_rows, self->row_bytes, &self->block, &self->rows);
}

alcore_status alcore__char_words_open(alcore__char_words *self) {
    alcore_status status = ALCORE_OK;
    pthread_mutex_lock(&self->gate);
    if (self->users == 0) {
        status = allocate(self);
        if (status != ALCORE_OK) free_arrays(self);
    }
    self->users += status == ALCORE_OK;
    pthread_mutex_unlock(&self->gate);
    return status;
}

void alcore__char_words_close(alcore__char_words *self) {
    pthread_mutex_lock(&self->gate);
    if (--self->users == 0) free_arrays(self);
    pthread_mutex_unlock(&self->gate);
}

/* The largest count with which a word loses its row, so that at most three quarters of the rows
 * stay. */
static uint32_t least_met(const alcore__char_words *self) {
    uint32_t words[ALCORE__CHAR_MOST_MET + 1] = {0}, kept = 0, least = ALCORE__CHAR_MOST_MET;
    for (size_t i = 0; i < ALCORE__CHAR_WORD_SLOTS; i++) {
        const alcore__char_slot *slot = &self->slots[i];
        if (slot->row != 0) words[slot->met]++;
    }
    while (least > 0 && kept + words[least] <= self->max_rows / 4 * 3) kept += words[least--];
    return least;
}

/* Makes room: drops the words without rows and those that were met least.
 *
 * Each word is removed from its slot and, where it stays, put into the first free slot of its
 * search. The slots are visited from a free one on, which no search passes: the words that a search
 * would meet first are in their places already, so that no word moves to a later slot. Counts are
 * halved, so that words that are frequent from now on can replace those that were. */
static void drop(alcore__char_words *self) {
    const uint32_t least = least_met(self);
    size_t begin = 0;
    self->met = 0;
    self->full = false;
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
        word.met -= word.met / 2; /* 0 would be a free slot */
        self->slots[at] = word;
        self->met++;
    }
}

void alcore__char_words_enter(alcore__char_words *self) {
    pthread_mutex_lock(&self->gate);
    while (self->dropping) pthread_cond_wait(&self->turn, &self->gate);
    if (__atomic_load_n(&self->full, __ATOMIC_RELAXED)) {
        self->dropping = true;
        while (self->makers > 0) pthread_cond_wait(&self->turn, &self->gate);
        drop(self);
        self->dropping = false;
        pthread_cond_broadcast(&self->turn);
    }
    self->makers++;
    pthread_mutex_unlock(&self->gate);
}

void alcore__char_words_leave(alcore__char_words *self) {
    pthread_mutex_lock(&self->gate);
    if (--self->makers == 0 && self->dropping) pthread_cond_broadcast(&self->turn);
    pthread_mutex_unlock(&self->gate);
}
