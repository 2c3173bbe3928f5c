/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "templates": a text with the words of an earlier candidate or a bought text, so that it
 * differs in numbers, placeholders, punctuation, case and names (text/word_pattern.h) only; the
 * first one stays. A text without a word has no template.
 *
 * A text with names has two patterns, one of its words and one in which its names are all alike, as
 * the same word may have the form of a name in one text and not in another ("SSH", "ssh"). It is
 * left out if either was met. */
#include "pool/hash_index.h"
#include "request/text_masks_internal.h"

/* The templates that were met. */
typedef struct templates {
    uint64_t *patterns; /* [count] owned */
    int64_t count;
    alcore__hash_index index; /* of patterns */
} templates;

/* Whether a pattern was met before; it is from now on. There is room for it. */
static bool is_pattern_met(templates *self, uint64_t pattern) {
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

/* The same of both patterns of a text. */
static bool is_met(templates *self, const alcore__text_facts *facts) {
    const bool met = is_pattern_met(self, facts->pattern);
    if (facts->named_pattern == facts->pattern) return met;
    return is_pattern_met(self, facts->named_pattern) || met;
}

/* Whether a text that is read has a template. */
static bool has_template(const alcore__read_texts *texts, int64_t row) {
    return texts->mask[row] && texts->facts[row].pattern != 0;
}

/* Prefetches the slots of the patterns of the row AHEAD rows later. Results do not depend on it; it
 * is always inlined, as fetch_places() of text_near.c is. */
enum { AHEAD = 16 };
static inline __attribute__((always_inline)) void
fetch_ahead(const templates *self, const alcore__read_texts *texts, int64_t row) {
    const alcore__hash_index *index = &self->index;
    if (row + AHEAD >= texts->rows) return;
    const alcore__text_facts *facts = &texts->facts[row + AHEAD];
    __builtin_prefetch(&index->slots[alcore__index_home(index, facts->pattern)]);
    __builtin_prefetch(&index->slots[alcore__index_home(index, facts->named_pattern)]);
}

/* Bought texts come before all candidates; texts that were not read have no rows. */
static void meet_bought(templates *self, const alcore__read_texts *bought) {
    for (int64_t row = 0; row < bought->rows; row++) {
        fetch_ahead(self, bought, row);
        if (has_template(bought, row)) is_met(self, &bought->facts[row]);
    }
}

/* Patterns of the texts that are still read. */
static int64_t count_patterns(const alcore__read_texts *texts) {
    int64_t count = 0;
    for (int64_t row = 0; row < texts->rows; row++)
        if (has_template(texts, row))
            count += 1 + (texts->facts[row].named_pattern != texts->facts[row].pattern);
    return count;
}

/* Room for all of them; more than none, so that no array is empty. */
static alcore_status reserve(templates *self, const alcore__masked_texts *texts) {
    const int64_t most = 1 + count_patterns(&texts->candidates) +
                         count_patterns(&texts->bought[0]) + count_patterns(&texts->bought[1]);
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
        fetch_ahead(&self, &texts->candidates, row);
        if (has_template(&texts->candidates, row) && is_met(&self, &texts->candidates.facts[row]))
            alcore__mask_text(texts->masks, row, ALCORE__CAUSE_TEMPLATE);
    }
    alcore__free(texts->ctx, self.patterns);
    alcore__index_clear(texts->ctx, &self.index);
    return status;
}
