/* SPDX-License-Identifier: Apache-2.0 */
/* Reading texts into the tables of ngram_uses.h. Cost of a word: one look-up in the vocabulary and,
 * while the n-grams that end at it are in the tables, one an order. */
#include "extra/overlap/ngram_uses.h"

#include <string.h>

#include "text/words.h"

#define TICK_EVERY 1024 /* words between two polls of cancellation */

void alcore__ngram_uses_clear(alcore_ctx *ctx, alcore__ngram_uses *uses) {
    alcore__vocabulary_clear(ctx, &uses->words);
    for (int i = 0; i < ALCORE_NGRAM_ORDER_MAX - 1; i++) alcore__ngram_clear(ctx, &uses->longer[i]);
    for (int i = 0; i < ALCORE_NGRAM_ORDER_MAX; i++) alcore__free(ctx, uses->use[i]);
    *uses = (alcore__ngram_uses){0};
}

int64_t alcore__ngram_uses_count(const alcore__ngram_uses *uses, int32_t order) {
    return order == 1 ? uses->words.count : uses->longer[order - 2].count;
}

/* Counts one occurrence of n-gram `number` of an order. */
static void count_use(alcore__ngram_uses *uses, int32_t order, uint32_t number, int32_t role) {
    alcore__ngram_use *use = &uses->use[order - 1][number];
    use->roles |= role;
    use->test += role == ALCORE_OVERLAP_TEST;
    use->selected += role == ALCORE_OVERLAP_SELECTED;
}

/* Makes capacity for the use of n-gram `number`, which the caller is about to add as the next one
 * of its order, and sets that use to 0. */
static alcore_status reserve_use(alcore_ctx *ctx, alcore__ngram_uses *uses, int32_t order,
                                 uint32_t number) {
    ALCORE__TRY(alcore__grow(ctx, &uses->use[order - 1], &uses->use_capacity[order - 1],
                             (size_t)number + 1, sizeof **uses->use));
    uses->use[order - 1][number] = (alcore__ngram_use){0};
    return ALCORE_OK;
}

/* *out: the number of a word, ALCORE__WORD_NONE for an unknown one that is not kept. */
static alcore_status find_word(alcore_ctx *ctx, alcore__ngram_uses *uses, bool keep,
                               const char *word, size_t length, uint32_t *out) {
    *out = alcore__vocabulary_find(&uses->words, word, length);
    if (*out != ALCORE__WORD_NONE || !keep) return ALCORE_OK;
    ALCORE__TRY(reserve_use(ctx, uses, 1, uses->words.count));
    return alcore__vocabulary_add(ctx, &uses->words, word, length, out);
}

/* *out: the number of the n-gram of `order`, from 2, that is n-gram `context` of the order below
 * and `word`; ALCORE__NGRAM_NONE for an unknown one that is not kept. */
static alcore_status find_ngram(alcore_ctx *ctx, alcore__ngram_uses *uses, int32_t order, bool keep,
                                uint32_t context, uint32_t word, uint32_t *out) {
    alcore__ngram_table *table = &uses->longer[order - 2];
    *out = alcore__ngram_find(table, context, word);
    if (*out != ALCORE__NGRAM_NONE || !keep) return ALCORE_OK;
    ALCORE__TRY(alcore__ngram_reserve(ctx, table, 1));
    ALCORE__TRY(reserve_use(ctx, uses, order, table->count));
    const uint32_t tag = alcore__ngram_tag(context, word);
    const size_t slot =
        alcore__ngram_probe(table, alcore__ngram_home(table, tag), tag, context, word);
    *out = alcore__ngram_put(table, slot, tag, context, word, 0 /* suffixes are not used */);
    return ALCORE_OK;
}

/* The orders of a word are handled from the highest to the lowest: order n needs ending[n - 2] as
 * it was at the word before. */
alcore_status alcore__ngram_uses_read(alcore_ctx *ctx, alcore__ngram_uses *uses, int32_t max_order,
                                      int32_t role, bool keep, const char *text, size_t length) {
    const char *next = text, *end = text + length, *word;
    uint32_t ending[ALCORE_NGRAM_ORDER_MAX]; /* [order - 1] n-gram that ends at the last word */
    size_t bytes;
    memset(ending, 0xFF, sizeof ending); /* ALCORE__NGRAM_NONE, and ALCORE__WORD_NONE for order 1 */
    for (int64_t i = 1; alcore__word_next(&next, end, &word, &bytes); i++) {
        uint32_t number;
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
        ALCORE__TRY(find_word(ctx, uses, keep, word, bytes, &number));
        for (int32_t order = max_order; order >= 2; order--) {
            const uint32_t context = ending[order - 2];
            ending[order - 1] = ALCORE__NGRAM_NONE;
            if (number == ALCORE__WORD_NONE || context == ALCORE__NGRAM_NONE) continue;
            ALCORE__TRY(find_ngram(ctx, uses, order, keep, context, number, &ending[order - 1]));
            if (ending[order - 1] != ALCORE__NGRAM_NONE)
                count_use(uses, order, ending[order - 1], role);
        }
        ending[0] = number;
        if (number != ALCORE__WORD_NONE) count_use(uses, 1, number, role);
    }
    return ALCORE_OK;
}
