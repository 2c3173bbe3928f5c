/* SPDX-License-Identifier: Apache-2.0 */
/* How a corpus is read (corpus.h has the layout). The number of words of each row is known
 * beforehand, so the position of every row is known too (lay_out), and blocks of rows are read in
 * parallel: the pool's first, which adds words, then the labeled rows, which does not. The result
 * is tokens: 0 | words of row 0, 0 | words of row 1, 0 | ..., symbols of words from 1 on and the
 * boundary 0 after each row. A thread looks each word up in a cache of its own first, which
 * answers most words of natural text. The others go to the shard of the word's hash, under its
 * lock. Cost: one pass over the bytes, some 50 ns a word. */
#include "text/corpus.h"

#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "text/spelling.h"

static const char STAGE[] = "reading words";
/* Rows of one task. */
enum { BLOCK_ROWS = 2048 };
/* Words between two polls of cancellation within a row. */
enum { POLL_WORDS = 4096 };
/* The length of a phrase is kept in 30 bits (phrase_table.h). */
#define MAX_ROW_WORDS ((INT64_C(1) << 30) - 1)
/* Entries of a thread's cache: a power of two, for a source of fewer words the next one. The
 * largest cache, 2^18 entries, takes 6 MiB, more than a second-level cache holds. But to look at an
 * entry is one read far away, which is prefetched, and a word that is in no entry costs three in
 * the vocabulary, of which each one waits for the result of the one before. With 2^15 entries,
 * which a second-level cache holds, the reading of 800,000 made sentences (bench_phrase_pool
 * --texts) took 1.7 times as long, and that of 231,000 texts of software and its manuals too. */
enum { MIN_CACHE_ENTRIES = 1 << 10, MAX_CACHE_ENTRIES = 1 << 18 };
/* Entries of the caches of all threads, 48 MiB: with more than 8 threads each has fewer. */
enum { MAX_ALL_ENTRIES = 1 << 21 };
/* Words whose entries are prefetched together, before the first of them is looked up. */
enum { GROUP = 16 };

/* An entry of a thread's cache: a word that it met before, of those that have a spelling. */
typedef struct cached_word {
    alcore__spelling spelling;
    uint32_t symbol; /* 0: the entry is free */
} cached_word;

/* One reading of a source, the pool or the labeled rows: what its tasks share. */
typedef struct reading {
    alcore__corpus *corpus; /* being filled */
    const alcore__text_source *source;
    const uint32_t *begin;  /* [rows + 1] position of the first word of each row of the source */
    bool add;               /* unknown words get a symbol (the pool), else the boundary's */
    uint32_t cache_entries; /* of each thread: a power of two */
    cached_word *caches;    /* [threads, cache_entries] */
} reading;

/* The shard comes from the low bits of the hash: a vocabulary's slots come from the high ones. */
static uint32_t shard_of(uint64_t hash) {
    return (uint32_t)(hash % ALCORE__CORPUS_SHARDS);
}

/* *out: the symbol of a word, which is added to its shard if it is new. Any thread. */
static alcore_status add_word(alcore__corpus *corpus, uint64_t hash, const char *word,
                              size_t length, uint32_t *out) {
    alcore__corpus_shard *shard = &corpus->shard[shard_of(hash)];
    uint32_t number = 0;
    pthread_mutex_lock(&shard->lock);
    alcore_status status =
        alcore__vocabulary_add_hashed(corpus->ctx, &shard->words, hash, word, length, &number);
    pthread_mutex_unlock(&shard->lock);
    if (status == ALCORE_OK && number >= UINT32_MAX / ALCORE__CORPUS_SHARDS - 1)
        status = alcore__fail(ALCORE_E_UNSUPPORTED, "more different words than 32 bits can number");
    *out = alcore__corpus_symbol(number, shard_of(hash));
    return status;
}

/* The symbol of a word of the pool, ALCORE__CORPUS_BOUNDARY for any other word. Takes no lock: no
 * word is added any more. */
static uint32_t find_hashed(const alcore__corpus *corpus, uint64_t hash, const char *word,
                            size_t length) {
    const alcore__vocabulary *words = &corpus->shard[shard_of(hash)].words;
    const uint32_t number = alcore__vocabulary_find_hashed(words, hash, word, length);
    return number == ALCORE__WORD_NONE ? ALCORE__CORPUS_BOUNDARY
                                       : alcore__corpus_symbol(number, shard_of(hash));
}

/* *out: the symbol of a word, from its entry of the thread's cache, which has the number of the
 * spelling's tag, or else from its shard. The entry is overwritten by the last word that was looked
 * up. A cache that kept where each word was last met, to compare its bytes there, took 1.4 times
 * the time of reading all words: those bytes are in no cache of the processor. */
static alcore_status look_up(const reading *self, const alcore__spelled_word *word,
                             cached_word *entry, uint32_t *out) {
    const bool spelled = alcore__is_spelled(word->spelling);
    if (spelled && entry->symbol != 0 && alcore__spelling_same(entry->spelling, word->spelling)) {
        *out = entry->symbol;
        return ALCORE_OK;
    }
    const uint64_t hash = alcore__hash64(word->word, word->bytes);
    if (self->add) {
        ALCORE__TRY(add_word(self->corpus, hash, word->word, word->bytes, out));
    } else {
        *out = find_hashed(self->corpus, hash, word->word, word->bytes);
    }
    if (spelled && *out != ALCORE__CORPUS_BOUNDARY) *entry = (cached_word){word->spelling, *out};
    return ALCORE_OK;
}

/* Writes the symbols of a row's words to its positions and the boundary behind them. A text with
 * fewer words than the source announced is filled up with boundaries. */
static alcore_status read_row(const reading *self, cached_word *cache, int64_t row) {
    uint32_t position = self->begin[row];
    const uint32_t stop = self->begin[row + 1];
    if (position == stop) return ALCORE_OK;
    size_t length;
    const char *text = self->source->text(self->source->data, row, &length);
    const char *next = text, *end = text + length;
    const uint32_t mask = self->cache_entries - 1;
    alcore__spelled_word words[GROUP];
    cached_word *entries[GROUP];
    uint32_t count;
    do {
        for (count = 0; count < GROUP && position + count + 1 < stop &&
                        alcore__spelled_next(&next, text, end, &words[count]);
             count++) {
            entries[count] = &cache[alcore__spelling_tag(words[count].spelling) & mask];
            __builtin_prefetch(entries[count]);
        }
        for (uint32_t i = 0; i < count; i++, position++) {
            if (position % POLL_WORDS == 0)
                ALCORE__TRY(alcore__tick(self->corpus->ctx, NULL, 0, 0));
            ALCORE__TRY(look_up(self, &words[i], entries[i], &self->corpus->tokens[position]));
        }
    } while (count == GROUP);
    for (; position < stop; position++) self->corpus->tokens[position] = ALCORE__CORPUS_BOUNDARY;
    return ALCORE_OK;
}

/* The task of one block of rows (alcore__task). */
static alcore_status read_block(void *data, int64_t block, int32_t worker) {
    const reading *self = data;
    cached_word *cache = self->caches + (size_t)worker * self->cache_entries;
    const int64_t first = block * BLOCK_ROWS, left = self->source->rows - first;
    for (int64_t i = 0; i < (left < BLOCK_ROWS ? left : BLOCK_ROWS); i++)
        ALCORE__TRY(read_row(self, cache, first + i));
    return ALCORE_OK;
}

/* Gives each row of a source its positions, from *position on: as many as it has words and one for
 * the boundary, none for a row without words. begin [rows + 1] receives the first position of each
 * row; *position moves behind the last one. */
static alcore_status lay_out(alcore_ctx *ctx, const alcore__text_source *source, uint32_t *begin,
                             uint32_t *position) {
    int64_t next = *position;
    for (int64_t row = 0; row < source->rows; row++) {
        if (row % POLL_WORDS == 0) ALCORE__TRY(alcore__tick(ctx, STAGE, 0, source->rows));
        const int64_t words = source->words(source->data, row);
        begin[row] = (uint32_t)next;
        if (words > MAX_ROW_WORDS)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "row %" PRId64 " has %" PRId64
                                " words, more than 2^30 - 1: split it into sentences",
                                row, words);
        if (words > 0) next += words + 1;
        if (next > UINT32_MAX - 1)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "the texts have more than 2^32 - 2 words: use fewer rows");
    }
    begin[source->rows] = (uint32_t)next;
    *position = (uint32_t)next;
    return ALCORE_OK;
}

/* Reads all rows of a source on the context's threads; begin [rows + 1] is from lay_out(). */
static alcore_status read_source(alcore__corpus *corpus, const alcore__text_source *source,
                                 const uint32_t *begin, bool add) {
    const size_t threads = (size_t)alcore_ctx_threads(corpus->ctx);
    reading self = {corpus, source, begin, add, MIN_CACHE_ENTRIES, NULL};
    while (self.cache_entries < MAX_CACHE_ENTRIES &&
           self.cache_entries < begin[source->rows] - begin[0] &&
           2 * threads * self.cache_entries <= MAX_ALL_ENTRIES)
        self.cache_entries *= 2;
    ALCORE__TRY(alcore__new_array(corpus->ctx, threads * self.cache_entries, sizeof *self.caches,
                                  &self.caches));
    const int64_t blocks = (source->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    const alcore_status status = alcore__parallel(corpus->ctx, STAGE, blocks, read_block, &self);
    alcore__free(corpus->ctx, self.caches);
    return status;
}

/* Sets max_symbol and symbol_bits from the largest shard, after the pool was read: the last word of
 * the last shard, if that is the largest one, would have the symbol max_count * SHARDS. */
static void measure_symbols(alcore__corpus *corpus) {
    uint32_t max_count = 0;
    for (int i = 0; i < ALCORE__CORPUS_SHARDS; i++)
        if (corpus->shard[i].words.count > max_count) max_count = corpus->shard[i].words.count;
    corpus->max_symbol = max_count * ALCORE__CORPUS_SHARDS;
    corpus->symbol_bits = corpus->max_symbol == 0 ? 1 : 32 - __builtin_clz(corpus->max_symbol);
}

/* Lays out both sources, allocates tokens and reads them. *labeled_begin is allocated here when
 * there are labeled rows and freed by the caller, also after a failure. */
static alcore_status read_all(alcore__corpus *corpus, const alcore__text_source *pool,
                              const alcore__text_source *labeled, uint32_t **labeled_begin) {
    alcore_ctx *ctx = corpus->ctx;
    uint32_t position = 1; /* behind the boundary before the first row */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)pool->rows + 1, sizeof(uint32_t), &corpus->begin));
    ALCORE__TRY(lay_out(ctx, pool, corpus->begin, &position));
    corpus->pool_end = position;
    if (labeled) {
        ALCORE__TRY(
            alcore__new_array(ctx, (size_t)labeled->rows + 1, sizeof(uint32_t), labeled_begin));
        ALCORE__TRY(lay_out(ctx, labeled, *labeled_begin, &position));
    }
    corpus->token_count = position;
    corpus->tokens = alcore__alloc(ctx, (size_t)position * sizeof *corpus->tokens);
    if (!corpus->tokens) return alcore__fail_memory((size_t)position * sizeof *corpus->tokens);
    corpus->tokens[0] = ALCORE__CORPUS_BOUNDARY;
    ALCORE__TRY(read_source(corpus, pool, corpus->begin, true));
    measure_symbols(corpus);
    return !labeled ? ALCORE_OK : read_source(corpus, labeled, *labeled_begin, false);
}

/* Makes a corpus without words and rows. */
alcore_status alcore__corpus_begin_words(alcore_ctx *ctx, alcore__corpus **out) {
    alcore__corpus *corpus = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *corpus, &corpus));
    corpus->ctx = ctx;
    for (int i = 0; i < ALCORE__CORPUS_SHARDS; i++)
        pthread_mutex_init(&corpus->shard[i].lock, NULL);
    *out = corpus;
    return ALCORE_OK;
}

/* Adds a word on the only thread that adds any, so that the count of its shard tells whether it is
 * new. */
alcore_status alcore__corpus_add_word(alcore__corpus *corpus, const char *word, size_t length,
                                      uint32_t *out_symbol, bool *added) {
    const uint64_t hash = alcore__hash64(word, length);
    const uint32_t *count = &corpus->shard[shard_of(hash)].words.count, before = *count;
    ALCORE__TRY(add_word(corpus, hash, word, length, out_symbol));
    *added = *count > before;
    return ALCORE_OK;
}

void alcore__corpus_end_words(alcore__corpus *corpus) {
    measure_symbols(corpus);
}

/* Makes a corpus of the pool's texts and, behind them, of the labeled ones; labeled may be NULL. */
alcore_status alcore__corpus_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                 const alcore__text_source *labeled, alcore__corpus **out) {
    alcore__corpus *corpus;
    uint32_t *labeled_begin = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__corpus_begin_words(ctx, &corpus));
    corpus->rows = pool->rows;
    const alcore_status status = read_all(corpus, pool, labeled, &labeled_begin);
    alcore__free(ctx, labeled_begin);
    if (status != ALCORE_OK)
        alcore__corpus_free(corpus);
    else
        *out = corpus;
    return status;
}

void alcore__corpus_free(alcore__corpus *corpus) {
    if (!corpus) return;
    alcore_ctx *ctx = corpus->ctx;
    for (int i = 0; i < ALCORE__CORPUS_SHARDS; i++) {
        pthread_mutex_destroy(&corpus->shard[i].lock);
        alcore__vocabulary_clear(ctx, &corpus->shard[i].words);
    }
    alcore__free(ctx, corpus->tokens);
    alcore__free(ctx, corpus->begin);
    alcore__free(ctx, corpus);
}

const char *alcore__corpus_word(const alcore__corpus *corpus, uint32_t symbol, size_t *length) {
    const uint32_t number = (symbol - 1) / ALCORE__CORPUS_SHARDS;
    const uint32_t shard = (symbol - 1) % ALCORE__CORPUS_SHARDS;
    return alcore__vocabulary_word(&corpus->shard[shard].words, number, length);
}

uint32_t alcore__corpus_find(const alcore__corpus *corpus, const char *word, size_t length) {
    return find_hashed(corpus, alcore__hash64(word, length), word, length);
}

/* Binary search for the pool row whose positions contain `position`. A row without words has no
 * position, and the loop ends at the last row that begins at or before it. */
int64_t alcore__corpus_row(const alcore__corpus *corpus, uint32_t position) {
    int64_t low = 0, high = corpus->rows; /* begin[low] <= position < begin[high] */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (corpus->begin[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}
