/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of words with open addressing and linear probing (vocabulary.h has the layout), at
 * most half full. The bytes of all words lie behind each other in one array, so that a word costs
 * its bytes and 32 to 48 bytes more. */
#include "text/vocabulary.h"

#include <string.h>

#include "base/rng.h"

/* The slot where the search for a hash begins: its high bits, so that a table of twice the size
 * keeps the order of the slots and growing walks both tables from front to back. */
static size_t home(const alcore__vocabulary *words, uint64_t hash) {
    return (size_t)(hash >> (64 - __builtin_ctzll(words->slots)));
}

/* Whether word `number` consists of these bytes. A table of the empty word alone has no memory. */
static bool same(const alcore__vocabulary *words, uint32_t number, const char *word,
                 size_t length) {
    const uint64_t begin = words->begin[number];
    return words->begin[number + 1] - begin == length &&
           (length == 0 || memcmp(words->bytes + begin, word, length) == 0);
}

/* The bits of a hash that a slot keeps: not those that choose the slot. */
static uint32_t tag_of(uint64_t hash) {
    return (uint32_t)hash;
}

/* The slot of a word that the table has, or the free slot where it belongs. The table has slots,
 * and at least half of them are free. */
static size_t probe(const alcore__vocabulary *words, uint64_t hash, const char *word,
                    size_t length) {
    size_t slot_index = home(words, hash);
    while (words->slot[slot_index].word != 0 &&
           (words->slot[slot_index].tag != tag_of(hash) ||
            !same(words, words->slot[slot_index].word - 1, word, length)))
        slot_index = (slot_index + 1) & (words->slots - 1);
    return slot_index;
}

uint32_t alcore__vocabulary_find_hashed(const alcore__vocabulary *words, uint64_t hash,
                                        const char *word, size_t length) {
    if (words->slots == 0) return ALCORE__WORD_NONE;
    const uint32_t found = words->slot[probe(words, hash, word, length)].word;
    return found == 0 ? ALCORE__WORD_NONE : found - 1;
}

uint32_t alcore__vocabulary_find(const alcore__vocabulary *words, const char *word, size_t length) {
    return alcore__vocabulary_find_hashed(words, alcore__hash64(word, length), word, length);
}

/* Doubles the slots and enters every word again from its kept hash; numbers do not change. */
static alcore_status grow_slots(alcore_ctx *ctx, alcore__vocabulary *words) {
    const size_t slots = words->slots == 0 ? 1024 : words->slots * 2;
    alcore__vocabulary_slot *slot = NULL;
    ALCORE__TRY(alcore__new_array(ctx, slots, sizeof *slot, &slot));
    alcore__free(ctx, words->slot);
    words->slot = slot;
    words->slots = slots;
    for (uint32_t i = 0; i < words->count; i++) {
        size_t slot_index = home(words, words->hash[i]);
        while (slot[slot_index].word != 0) slot_index = (slot_index + 1) & (slots - 1);
        slot[slot_index] = (alcore__vocabulary_slot){tag_of(words->hash[i]), i + 1};
    }
    return ALCORE_OK;
}

alcore_status alcore__vocabulary_add(alcore_ctx *ctx, alcore__vocabulary *words, const char *word,
                                     size_t length, uint32_t *out) {
    return alcore__vocabulary_add_hashed(ctx, words, alcore__hash64(word, length), word, length,
                                         out);
}

/* *out: the number of a word, which is appended with the next number if it is new. All memory is
 * allocated before anything changes, so a failure leaves the words as they were. */
alcore_status alcore__vocabulary_add_hashed(alcore_ctx *ctx, alcore__vocabulary *words,
                                            uint64_t hash, const char *word, size_t length,
                                            uint32_t *out) {
    if ((size_t)words->count * 2 >= words->slots) ALCORE__TRY(grow_slots(ctx, words));
    const size_t slot_index = probe(words, hash, word, length);
    if (words->slot[slot_index].word != 0) {
        *out = words->slot[slot_index].word - 1;
        return ALCORE_OK;
    }
    if (words->count >= UINT32_MAX - 2)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^32 - 2 different words");
    const size_t count = words->count;
    const size_t begin = count == 0 ? 0 : (size_t)words->begin[count];
    ALCORE__TRY(
        alcore__grow(ctx, &words->hash, &words->hash_capacity, count + 1, sizeof *words->hash));
    ALCORE__TRY(
        alcore__grow(ctx, &words->begin, &words->begin_capacity, count + 2, sizeof *words->begin));
    ALCORE__TRY(alcore__grow(ctx, &words->bytes, &words->bytes_capacity, begin + length, 1));
    if (length > 0) memcpy(words->bytes + begin, word, length);
    words->hash[count] = hash;
    words->begin[count] = begin;
    words->begin[count + 1] = begin + length;
    words->slot[slot_index] = (alcore__vocabulary_slot){tag_of(hash), ++words->count};
    *out = (uint32_t)count;
    return ALCORE_OK;
}

const char *alcore__vocabulary_word(const alcore__vocabulary *words, uint32_t number,
                                    size_t *length) {
    *length = (size_t)(words->begin[number + 1] - words->begin[number]);
    return words->bytes + words->begin[number];
}

void alcore__vocabulary_clear(alcore_ctx *ctx, alcore__vocabulary *words) {
    alcore__free(ctx, words->hash);
    alcore__free(ctx, words->begin);
    alcore__free(ctx, words->bytes);
    alcore__free(ctx, words->slot);
    *words = (alcore__vocabulary){0};
}
