/* SPDX-License-Identifier: Apache-2.0 */
/* Counting the n-grams of the training texts (lm_trainer.h). Texts are collected into a block of
 * about BLOCK_WORDS words, which is then counted order by order: order n finds or adds the n-gram
 * that begins at each word from the number of the (n-1)-gram there, so each n-gram costs one
 * look-up in the table of its order. The block is three arrays [block_length]: word numbers, id
 * (the n-gram that begins at each word) and fold; counts[n] has `folds` entries for each n-gram of
 * order n, at number * folds. The look-ups of a block are independent but for their order,
 * so the memory that they read is prefetched. Cost: N look-ups a word. */
#include "text/lm_trainer.h"

#include <string.h>

#include "base/rng.h"
#include "text/words.h"

/* A block is counted when it has this many words: enough to keep many memory reads in flight, few
 * enough to stay in the cache. */
#define BLOCK_WORDS 16384
/* Words between two polls of cancellation. */
#define POLL_WORDS 65536
static const char stage[] = "training the language model";

int32_t alcore__lm_fold(const char *text, size_t length) {
    return (int32_t)(alcore__hash64(text, length) % ALCORE__LM_FOLDS);
}

/* Makes a trainer with an empty trie; expected is the number of texts for the progress, -1 if
 * unknown. */
alcore_status alcore__lm_trainer_new(alcore_ctx *ctx, int32_t order, int32_t folds,
                                     int64_t expected, alcore__lm_trainer **out) {
    *out = NULL;
    alcore__lm_trainer *trainer = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *trainer, &trainer));
    trainer->ctx = ctx;
    trainer->order = order;
    trainer->folds = folds;
    trainer->expected = expected;
    const alcore_status status = alcore__lm_trie_new(ctx, order, &trainer->trie);
    if (status != ALCORE_OK) {
        alcore__lm_trainer_free(trainer);
        return status;
    }
    *out = trainer;
    return ALCORE_OK;
}

void alcore__lm_trainer_free(alcore__lm_trainer *trainer) {
    if (!trainer) return;
    alcore_ctx *ctx = trainer->ctx;
    for (int32_t n = 1; n <= trainer->order; n++) alcore__free(ctx, trainer->counts[n]);
    alcore__free(ctx, trainer->block);
    alcore__free(ctx, trainer->id);
    alcore__free(ctx, trainer->fold);
    alcore__object_unref(trainer->trie);
    alcore__free(ctx, trainer);
}

void alcore__lm_trainer_drop_counts(alcore__lm_trainer *trainer, int32_t order) {
    alcore__free(trainer->ctx, trainer->counts[order]);
    trainer->counts[order] = NULL;
    trainer->counts_capacity[order] = 0;
}

/* Gets memory for whatever the block can bring: one new n-gram per word in every order. So counting
 * cannot run out of memory and leave an order counted and the next not. New counts of order 1 are
 * 0; those of the others are set to 0 when an n-gram is added. */
static alcore_status reserve(alcore__lm_trainer *trainer) {
    alcore_ctx *ctx = trainer->ctx;
    const size_t more = trainer->block_length;
    const size_t folds = (size_t)trainer->folds;
    ALCORE__TRY(alcore__grow(ctx, &trainer->id, &trainer->id_capacity, more, sizeof(uint32_t)));
    const size_t words = trainer->trie->words.count;
    const size_t before = trainer->counts_capacity[1];
    ALCORE__TRY(alcore__grow(ctx, &trainer->counts[1], &trainer->counts_capacity[1], words * folds,
                             sizeof(uint32_t)));
    if (trainer->counts_capacity[1] > before)
        memset(trainer->counts[1] + before, 0,
               (trainer->counts_capacity[1] - before) * sizeof(uint32_t));
    for (int32_t n = 2; n <= trainer->order; n++) {
        alcore__ngram_table *table = &trainer->trie->table[n];
        ALCORE__TRY(alcore__ngram_reserve(ctx, table, more));
        ALCORE__TRY(alcore__grow(ctx, &trainer->counts[n], &trainer->counts_capacity[n],
                                 (table->count + more) * folds, sizeof(uint32_t)));
    }
    return ALCORE_OK;
}

/* Whether an n-gram begins at word i of the block while order n is counted: there is an (n-1)-gram,
 * id[i], and it does not end with </s>. */
static inline bool begins(const alcore__lm_trainer *trainer, size_t i, size_t n) {
    return trainer->id[i] != ALCORE__NGRAM_NONE && trainer->block[i + n - 2] != ALCORE__LM_END;
}

/* Counts the n-grams of order n in the block and replaces id, for each word, from the number of its
 * (n-1)-gram to that of its n-gram. Words are counted in order, so that id[i + 1] is still the
 * (n-1)-gram there when the n-gram at i is added, which has it as its suffix.
 *
 * A look-up reads a slot of the table and then the n-gram it names, far apart in memory. The loop
 * therefore runs AHEAD_SLOT words ahead of the counting: it computes the tag of word `ahead` and
 * prefetches its slot, 8 words later the n-gram and its counts, and counts after 16. tags
 * [AHEAD_SLOT] is a ring of the tags in between. */
static alcore_status count_order(alcore__lm_trainer *trainer, size_t n) {
    enum { AHEAD_SLOT = 16, AHEAD_NGRAM = 8 };
    alcore__ngram_table *table = &trainer->trie->table[n];
    uint32_t *counts = trainer->counts[n];
    uint32_t *id = trainer->id;
    const uint32_t *block = trainer->block;
    const size_t folds = (size_t)trainer->folds, length = trainer->block_length;
    uint32_t tags[AHEAD_SLOT];
    for (size_t ahead = 0; ahead < length + AHEAD_SLOT; ahead++) {
        uint32_t *tag = &tags[ahead % AHEAD_SLOT];
        if (ahead >= AHEAD_SLOT) {
            const size_t i = ahead - AHEAD_SLOT;
            if (i % POLL_WORDS == POLL_WORDS - 1)
                ALCORE__TRY(alcore__tick(trainer->ctx, stage, trainer->texts, trainer->expected));
            if (begins(trainer, i, n)) {
                const uint32_t context = id[i], word = block[i + n - 1];
                const size_t slot = alcore__ngram_probe(table, alcore__ngram_home(table, *tag),
                                                        *tag, context, word);
                uint32_t number = table->slot[slot].number - 1;
                if (table->slot[slot].number == 0) {
                    number = alcore__ngram_put(table, slot, *tag, context, word, id[i + 1]);
                    memset(counts + number * folds, 0, folds * sizeof *counts);
                }
                counts[number * folds + trainer->fold[i]]++;
                id[i] = number;
            } else {
                id[i] = ALCORE__NGRAM_NONE;
            }
        }
        if (ahead < length && begins(trainer, ahead, n)) {
            *tag = alcore__ngram_tag(id[ahead], block[ahead + n - 1]);
            __builtin_prefetch(&table->slot[alcore__ngram_home(table, *tag)]);
        }
        const size_t next = ahead - AHEAD_NGRAM;
        if (ahead >= AHEAD_NGRAM && next < length && begins(trainer, next, n)) {
            const uint32_t next_tag = tags[next % AHEAD_SLOT];
            const size_t candidate =
                alcore__ngram_candidate(table, alcore__ngram_home(table, next_tag), next_tag);
            const uint32_t found = table->slot[candidate].number;
            if (found != 0) {
                __builtin_prefetch(&table->ngram[found - 1]);
                __builtin_prefetch(&counts[(found - 1) * folds]);
            }
        }
    }
    return ALCORE_OK;
}

/* Counts the block, order by order, and empties it. A failure can leave some orders counted, so it
 * closes the trainer. */
static alcore_status count_block(alcore__lm_trainer *trainer) {
    ALCORE__TRY(reserve(trainer));
    const size_t folds = (size_t)trainer->folds;
    for (size_t i = 0; i < trainer->block_length; i++) {
        trainer->counts[1][trainer->block[i] * folds + trainer->fold[i]]++;
        trainer->id[i] = trainer->block[i];
    }
    alcore_status status = ALCORE_OK;
    for (int32_t n = 2; n <= trainer->order && status == ALCORE_OK; n++)
        status = count_order(trainer, (size_t)n);
    trainer->block_length = 0;
    if (status != ALCORE_OK) trainer->closed = true;
    return status;
}

/* Appends a word of a fold to the block. Counts are 32 bits, which bounds the number of tokens. */
static alcore_status push(alcore__lm_trainer *trainer, uint32_t word, int32_t fold) {
    const size_t index = trainer->block_length;
    if (trainer->tokens >= (int64_t)UINT32_MAX - 1)
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "more than 2^32 - 2 tokens: train with another tool, read its ARPA file");
    ALCORE__TRY(alcore__grow(trainer->ctx, &trainer->block, &trainer->block_capacity, index + 1,
                             sizeof *trainer->block));
    ALCORE__TRY(alcore__grow(trainer->ctx, &trainer->fold, &trainer->fold_capacity, index + 1,
                             sizeof *trainer->fold));
    trainer->block[index] = word;
    trainer->fold[index] = (uint8_t)fold;
    trainer->block_length++;
    trainer->tokens++;
    return ALCORE_OK;
}

/* Appends <s>, the words of a text and </s>. New words get their number here. Words of the text
 * that read <s>, </s> or <unk> are left out and counted in *dropped. After a failure the caller
 * removes the part of the sentence from the block. */
static alcore_status push_sentence(alcore__lm_trainer *trainer, const char *text, size_t length,
                                   int32_t fold, int64_t *dropped) {
    ALCORE__TRY(push(trainer, ALCORE__LM_BEGIN, fold));
    const char *next = text, *end = text + length, *word;
    size_t bytes;
    while (alcore__word_next(&next, end, &word, &bytes)) {
        uint32_t number = 0;
        ALCORE__TRY(
            alcore__vocabulary_add(trainer->ctx, &trainer->trie->words, word, bytes, &number));
        if (number > ALCORE__LM_END) {
            ALCORE__TRY(push(trainer, number, fold));
            if (trainer->block_length % POLL_WORDS == 0)
                ALCORE__TRY(alcore__tick(trainer->ctx, stage, trainer->texts, trainer->expected));
        } else {
            (*dropped)++;
        }
    }
    return push(trainer, ALCORE__LM_END, fold);
}

/* Appends a text to the block, and counts the block when it is full. After a failure the block has
 * no part of the text. */
alcore_status alcore__lm_trainer_add(alcore__lm_trainer *trainer, const char *text, size_t length) {
    if (trainer->closed)
        return alcore__fail(ALCORE_E_INVALID, "the language model's training has ended");
    ALCORE__TRY(alcore__tick(trainer->ctx, stage, trainer->texts, trainer->expected));
    const int32_t fold = trainer->folds == 1 ? 0 : alcore__lm_fold(text, length);
    const size_t block_before = trainer->block_length;
    const int64_t tokens_before = trainer->tokens;
    int64_t dropped = 0;
    const alcore_status status = push_sentence(trainer, text, length, fold, &dropped);
    if (status != ALCORE_OK) { /* half a sentence must not be counted */
        trainer->block_length = block_before;
        trainer->tokens = tokens_before;
        return status;
    }
    trainer->texts++;
    trainer->sentences[fold]++;
    trainer->dropped[fold] += dropped;
    return trainer->block_length < BLOCK_WORDS ? ALCORE_OK : count_block(trainer);
}

/* Counts what is left in the block, closes the trainer and estimates the model without one fold. */
alcore_status alcore__lm_trainer_model(alcore__lm_trainer *trainer, int32_t without,
                                       alcore_lm **out) {
    *out = NULL;
    if (trainer->closed && trainer->folds == 1)
        return alcore__fail(ALCORE_E_INVALID, "the language model's training has ended");
    ALCORE__TRY(count_block(trainer));
    if (trainer->texts == 0)
        return alcore__fail(ALCORE_E_DATA, "no sentence to train the language model on");
    trainer->closed = true;
    alcore_lm *lm = NULL;
    ALCORE__TRY(alcore__lm_new(trainer->trie, &lm));
    const alcore_status status = alcore__lm_estimate(trainer, without, lm);
    return alcore__object_made(status, lm, out);
}
