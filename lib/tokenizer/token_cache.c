/* SPDX-License-Identifier: Apache-2.0 */
/* Words and their pieces in a table with one entry for each value of the low bits of the hash: a
 * new word replaces the old one. An entry is two cache lines. The table begins with MIN_ENTRIES, so
 * that cutting one short text does not pay for a large one, and doubles, without its contents,
 * whenever as many words were put into it as it has entries. */
#include "tokenizer/token_cache.h"

#include <string.h>

#include "base/rng.h"

enum {
    MAX_KEY = 60,      /* bytes of a word; with MAX_PIECES, what fits into two cache lines */
    MAX_PIECES = 11,   /* of a word */
    MIN_ENTRIES = 256, /* 32 KiB */
    MAX_ENTRIES =
        8192 /* 1 MiB. Measured on sentences of 22 languages: with fewer, more words are cut
              * again; with more, entries are read from beyond the core's own cache */
};

/* A word and its pieces. Positions within MAX_KEY bytes fit into uint8_t, and ids into int32_t, as
 * they are below 2^24 (token_table.c). */
typedef struct entry {
    int32_t id[MAX_PIECES];                     /* [count] */
    uint8_t begin[MAX_PIECES], end[MAX_PIECES]; /* [count] bytes of the word */
    uint8_t count, bytes;                       /* pieces; bytes of the word, 0: a free entry */
    char word[MAX_KEY];                         /* [bytes] */
} entry;
_Static_assert(sizeof(entry) == 128, "an entry is two cache lines");

struct alcore__token_cache {
    uint64_t model; /* serial number of the model whose pieces these are */
    size_t entries; /* a power of two; 0 before the first word is put */
    size_t puts;    /* words that were put since the table has this size or was emptied */
    void *block;    /* owned: what is freed; `entry` begins at the first cache line in it */
    entry *entry;   /* [entries] by the low bits of the hash of the word */
};

void alcore__token_cache_free(alcore_ctx *ctx, struct alcore__token_cache *cache) {
    if (!cache) return;
    alcore__free(ctx, cache->block);
    alcore__free(ctx, cache);
}

/* Makes an empty cache, or empties one of another model; the table keeps its size. */
alcore_status alcore__token_cache_ready(alcore_ctx *ctx, alcore__pieces *pieces, uint64_t model) {
    struct alcore__token_cache *cache = pieces->cache;
    if (cache && cache->model == model) return ALCORE_OK;
    if (!cache) {
        ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *cache, &cache));
        pieces->cache = cache;
    }
    if (cache->entries > 0) memset(cache->entry, 0, cache->entries * sizeof *cache->entry);
    cache->model = model;
    cache->puts = 0;
    return ALCORE_OK;
}

/* Replaces the table by an empty one of twice the size, or of MIN_ENTRIES at first. */
static alcore_status grow(alcore_ctx *ctx, struct alcore__token_cache *cache) {
    const size_t entries = cache->entries == 0 ? MIN_ENTRIES : cache->entries * 2;
    void *block;
    entry *table;
    ALCORE__TRY(alcore__new_lines(ctx, entries, sizeof *table, &block, &table));
    alcore__free(ctx, cache->block);
    cache->block = block;
    cache->entry = table;
    cache->entries = entries;
    cache->puts = 0;
    return ALCORE_OK;
}

/* Appends the pieces of an entry to those that are there. */
static alcore_status add_pieces(alcore_ctx *ctx, alcore__pieces *pieces, const entry *known) {
    if (pieces->capacity - pieces->count < known->count)
        ALCORE__TRY(alcore__grow(ctx, &pieces->piece, &pieces->capacity,
                                 pieces->count + known->count, sizeof *pieces->piece));
    for (size_t i = 0; i < known->count; i++)
        pieces->piece[pieces->count++] =
            (alcore__piece){known->id[i], known->begin[i], known->end[i]};
    return ALCORE_OK;
}

/* Looks a word up in the one entry of its hash. *hash is set unless the word is too long to be
 * kept. alcore__token_cache_ready() was called, so there is a cache; a word has a byte or more, so
 * that a free entry (bytes 0) is never taken for one. */
alcore_status alcore__token_cache_get(alcore_ctx *ctx, alcore__pieces *pieces, const char *word,
                                      size_t length, uint64_t *hash, bool *found) {
    const struct alcore__token_cache *cache = pieces->cache;
    *found = false;
    if (length > MAX_KEY) return ALCORE_OK;
    *hash = alcore__hash64(word, length);
    if (cache->entries == 0) return ALCORE_OK;
    const entry *known = &cache->entry[*hash & (cache->entries - 1)];
    if (known->bytes != length || memcmp(known->word, word, length) != 0) return ALCORE_OK;
    *found = true;
    return add_pieces(ctx, pieces, known);
}

/* Overwrites the entry of the hash. puts counts only until the table has its full size; the first
 * put finds 0 entries and 0 puts, and makes the table. */
alcore_status alcore__token_cache_put(alcore_ctx *ctx, alcore__pieces *pieces, const char *word,
                                      size_t length, uint64_t hash, size_t first) {
    struct alcore__token_cache *cache = pieces->cache;
    const size_t count = pieces->count - first;
    if (length > MAX_KEY || count > MAX_PIECES) return ALCORE_OK;
    if (cache->puts == cache->entries && cache->entries < MAX_ENTRIES)
        ALCORE__TRY(grow(ctx, cache));
    if (cache->entries < MAX_ENTRIES) cache->puts++;
    entry *known = &cache->entry[hash & (cache->entries - 1)];
    known->count = (uint8_t)count;
    known->bytes = (uint8_t)length;
    memcpy(known->word, word, length);
    for (size_t i = 0; i < count; i++) {
        known->id[i] = (int32_t)pieces->piece[first + i].id;
        known->begin[i] = (uint8_t)pieces->piece[first + i].begin;
        known->end[i] = (uint8_t)pieces->piece[first + i].end;
    }
    return ALCORE_OK;
}
