/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "templates": a text with the words of an earlier candidate or a bought text, so that it
 * differs in numbers, placeholders, punctuation and case only; the first one stays. A text without
 * a word has no template. */
#include "pool/hash_index.h"
#include "request/text_masks_internal.h"

/* The templates that were met. */
typedef struct templates {
    uint64_t *patterns; /* [count] owned */
    int64_t count;
    alcore__hash_index index; /* of patterns */
} templates;

/* Whether a template was met before; it is from now on. There is room for it. */
static bool is_met(templates *self, uint64_t pattern) {
    size_t slot = alcore__index_home(&self->index, pattern);
    for (;;) {
        const int64_t number = alcore__index_next(&self->index, pattern, &slot);
        if (number < 0) break;
        if (self->patterns[number] == pattern) return true;
    }
    self->patterns[self->count] = pattern;
    alcore__index_put(&self->index, slot, pattern, self->count++);
    return false;
}

/* Bought texts come before all candidates; texts that were not read have no rows. */
static void meet_bought(templates *self, const alcore__read_texts *bought) {
    for (int64_t row = 0; row < bought->rows; row++)
        if (bought->mask[row] && bought->facts[row].pattern != 0)
            is_met(self, bought->facts[row].pattern);
}

/* Room for the templates of all texts that are still read; `eligible` counts down as texts are
 * masked. */
static alcore_status reserve(templates *self, const alcore__masked_texts *texts) {
    const int64_t most =
        texts->masks->eligible + texts->masks->bought_count + texts->masks->labeled_pool_count;
    ALCORE__TRY(
        alcore__new_array(texts->ctx, (size_t)most, sizeof *self->patterns, &self->patterns));
    return alcore__index_reserve(texts->ctx, &self->index, (size_t)most, 0, most);
}

alcore_status alcore__mask_templates(const alcore__masked_texts *texts) {
    const alcore__masks *masks = texts->masks;
    templates self = {0};
    const alcore_status status = reserve(&self, texts);
    for (int i = 0; status == ALCORE_OK && i < 2; i++) meet_bought(&self, &texts->bought[i]);
    for (int64_t row = 0; status == ALCORE_OK && row < masks->rows; row++) {
        const uint64_t pattern = texts->candidates.facts[row].pattern;
        if (masks->candidate_mask[row] && pattern != 0 && is_met(&self, pattern))
            alcore__mask_text(texts->masks, row, ALCORE__CAUSE_TEMPLATE);
    }
    alcore__free(texts->ctx, self.patterns);
    alcore__index_clear(texts->ctx, &self.index);
    return status;
}
