/* SPDX-License-Identifier: Apache-2.0 */
/* The finished form of a language model (lm_internal.h): what training and reading keep in arrays
 * by number, an array for each property, is put side by side, so that a look-up reads one place in
 * memory for each n-gram that it finds. The numbers of the n-grams stay. Order by order, and an
 * order's arrays are freed before the next order is laid out: the memory at the peak is that of the
 * model and the entries of one order. Cost: one pass over each array. */
#include <string.h>

#include "text/lm_internal.h"

#define CHUNK_NGRAMS 65536 /* n-grams of one task */
#define AHEAD 16           /* n-grams by which memory is prefetched */
#define POLL_WORDS 4096    /* words between two polls of cancellation */
static const char stage[] = "laying out the language model";

/* State of the tasks that lay out the n-grams of one order; read by all of them. */
typedef struct layout {
    const alcore_lm *lm;
    int32_t order;
    size_t count; /* n-grams of the order */
} layout;

/* Fills lm->word for the words from `begin` to before `end`. */
static void lay_out_words(const alcore_lm *lm, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        alcore__lm_word *word = &lm->word[i];
        word->logp = lm->logp[1][i];
        word->backoff = lm->order > 1 ? lm->backoff[1][i] : 0.0;
        size_t length;
        const char *bytes = alcore__vocabulary_word(&lm->trie->words, (uint32_t)i, &length);
        word->spelling = alcore__spell(bytes, length);
    }
}

/* Fills lm->entry[n] for the n-grams of order n >= 2 from `begin` to before `end`. */
static void lay_out_ngrams(const alcore_lm *lm, int32_t n, size_t begin, size_t end) {
    const alcore__ngram *ngram = lm->trie->table[n].ngram;
    const size_t bytes = alcore__lm_entry_bytes(lm, n);
    for (size_t i = begin; i < end; i++) {
        const alcore__lm_entry entry = {.logp = lm->logp[n][i],
                                        .context = ngram[i].context,
                                        .word = ngram[i].word,
                                        .suffix = ngram[i].suffix};
        char *out = lm->entry[n] + i * bytes;
        memcpy(out, &entry, sizeof entry);
        if (n < lm->order) memcpy(out + sizeof entry, &lm->backoff[n][i], sizeof(double));
    }
}

/* Sets in the entries of the contexts, in order n - 1 >= 2, the bits of the words of the n-grams
 * from `begin` to before `end`. Several workers may meet one context, so bits are set atomically;
 * their order does not matter. */
static void mark_following(const alcore_lm *lm, int32_t n, size_t begin, size_t end) {
    const alcore__ngram *ngram = lm->trie->table[n].ngram;
    const size_t bytes = alcore__lm_entry_bytes(lm, n - 1);
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(lm->entry[n - 1] + ngram[i + AHEAD].context * bytes, 1);
        alcore__lm_entry *context = (void *)(lm->entry[n - 1] + ngram[i].context * bytes);
        const uint32_t bit = alcore__lm_following(ngram[i].word);
        if (!(__atomic_load_n(&context->following, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(&context->following, bit, __ATOMIC_RELAXED);
    }
}

/* The task of one chunk of n-grams (alcore__task). */
static alcore_status lay_out_chunk(void *data, int64_t index, int32_t worker) {
    (void)worker;
    const layout *l = data;
    const size_t begin = (size_t)index * CHUNK_NGRAMS;
    const size_t end = l->count - begin < CHUNK_NGRAMS ? l->count : begin + CHUNK_NGRAMS;
    if (l->order == 1)
        lay_out_words(l->lm, begin, end);
    else
        lay_out_ngrams(l->lm, l->order, begin, end);
    if (l->order > 2) mark_following(l->lm, l->order, begin, end);
    return ALCORE_OK;
}

/* Fills lm->spelled from lm->word: a slot for each word that has one. */
static alcore_status enter_spellings(alcore_lm *lm) {
    alcore_ctx *ctx = lm->object.ctx;
    const uint32_t count = lm->trie->words.count;
    alcore__ngram_table *table = &lm->spelled;
    ALCORE__TRY(alcore__ngram_reserve(ctx, table, count));
    alcore__ngram_keep_slots(ctx, table);
    for (uint32_t i = 0; i < count; i++) {
        const alcore__spelling spelling = lm->word[i].spelling;
        if (i % POLL_WORDS == 0) ALCORE__TRY(alcore__tick(ctx, stage, 0, 0));
        if (!alcore__is_spelled(spelling)) continue;
        const uint32_t tag = alcore__spelling_tag(spelling);
        const size_t home = alcore__ngram_home(table, tag);
        size_t slot = home;
        while (table->slot[slot].number != 0) slot = alcore__ngram_next(table, slot, home);
        table->slot[slot] = (alcore__ngram_slot){tag, i + 1};
    }
    return ALCORE_OK;
}

/* Allocates and fills the entries of an order, and frees what they replace. */
static alcore_status finish_order(alcore_lm *lm, int32_t n, bool sole) {
    alcore_ctx *ctx = lm->object.ctx;
    layout l = {lm, n, alcore__lm_size(lm, n)};
    ALCORE__TRY(n == 1 ? alcore__new_lines(ctx, l.count, sizeof *lm->word, &lm->block[n], &lm->word)
                       : alcore__new_lines(ctx, l.count, alcore__lm_entry_bytes(lm, n),
                                           &lm->block[n], &lm->entry[n]));
    const int64_t chunks = (int64_t)((l.count + CHUNK_NGRAMS - 1) / CHUNK_NGRAMS);
    ALCORE__TRY(alcore__parallel(ctx, stage, chunks, lay_out_chunk, &l));
    alcore__free(ctx, lm->logp[n]);
    alcore__free(ctx, lm->backoff[n]);
    lm->logp[n] = lm->backoff[n] = NULL;
    if (sole && n > 1) alcore__ngram_keep_slots(ctx, &lm->trie->table[n]);
    return ALCORE_OK;
}

alcore_status alcore__lm_finish(alcore_lm *lm, bool sole) {
    for (int32_t n = 1; n <= lm->order; n++) ALCORE__TRY(finish_order(lm, n, sole));
    return enter_spellings(lm);
}
