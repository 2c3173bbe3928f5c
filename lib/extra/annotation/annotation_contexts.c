/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the context of phrases (annotation_contexts.h). */
#include "extra/annotation/annotation_contexts.h"

enum {
    CONTEXTS = 3,    /* sentences that show a phrase in use */
    POLL_ROWS = 1024 /* rows between two polls of cancellation */
};

/* alcore__phrase_sink: enters the row that is being read, once for each phrase, in the first free
 * place of the phrase; a phrase that has CONTEXTS rows gets no more. */
static alcore_status add_context(void *user, const alcore__phrase_hit *hit) {
    alcore__annotation_contexts *self = user;
    int64_t *rows = self->rows + (size_t)hit->phrase * CONTEXTS;
    for (int i = 0; i < CONTEXTS && rows[i] != self->row; i++) {
        if (rows[i] >= 0) continue;
        rows[i] = self->row;
        break;
    }
    return ALCORE_OK;
}

/* Numbers the open phrases of the annotations. */
static alcore_status number_phrases(const alcore_annotations *annotations, alcore__word_row *words,
                                    alcore__annotation_contexts *self) {
    alcore_ctx *ctx = annotations->object.ctx;
    const size_t count = (size_t)annotations->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->phrase_of_item, &self->phrase_of_item));
    for (size_t i = 0; i < count; i++) {
        const alcore__annotation *item = &annotations->items[i];
        self->phrase_of_item[i] = ALCORE__WORD_NONE;
        if (item->phrase && item->answer == ALCORE__ANSWER_OPEN)
            ALCORE__TRY(alcore__phrase_finder_add(ctx, &self->finder, words, item->text,
                                                  item->text_length, &self->phrase_of_item[i]));
    }
    const size_t entries = (size_t)self->finder.phrases.count * CONTEXTS;
    ALCORE__TRY(alcore__new_array(ctx, entries, sizeof *self->rows, &self->rows));
    for (size_t i = 0; i < entries; i++) self->rows[i] = -1;
    return ALCORE_OK;
}

alcore_status alcore__contexts_find(const alcore_annotations *annotations,
                                    alcore__annotation_contexts *self) {
    alcore_ctx *ctx = annotations->object.ctx;
    const alcore_pool *pool = annotations->pool;
    const uint32_t *states = alcore_pool_states(pool);
    const int64_t rows = alcore_pool_row_count(pool);
    alcore__word_row words = {0};
    alcore_status status = number_phrases(annotations, &words, self);
    for (self->row = 0; status == ALCORE_OK && self->row < rows; self->row++) {
        if (self->row % POLL_ROWS == 0) status = alcore__tick(ctx, "contexts", self->row, rows);
        if (status != ALCORE_OK || states[self->row] != 0) continue;
        size_t length;
        const char *text = alcore_pool_text(pool, self->row, &length);
        status = alcore__word_row_read(ctx, &words, text, length);
        if (status == ALCORE_OK)
            status = alcore__phrase_finder_scan(&self->finder, &words, add_context, self);
    }
    alcore__word_row_clear(ctx, &words);
    return status;
}

void alcore__contexts_clear(alcore_ctx *ctx, alcore__annotation_contexts *self) {
    alcore__phrase_finder_clear(ctx, &self->finder);
    alcore__free(ctx, self->phrase_of_item);
    alcore__free(ctx, self->rows);
}

const char *alcore__contexts_at(const alcore_annotations *annotations,
                                const alcore__annotation_contexts *self, int64_t item, int n,
                                size_t *length) {
    const uint32_t phrase = self->phrase_of_item[item];
    if (phrase == ALCORE__WORD_NONE || n == CONTEXTS) return NULL;
    const int64_t row = self->rows[(size_t)phrase * CONTEXTS + (size_t)n];
    return row < 0 ? NULL : alcore_pool_text(annotations->pool, row, length);
}
