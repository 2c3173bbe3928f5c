/* SPDX-License-Identifier: Apache-2.0 */
/* How a corpus is read: the numbers of words are known beforehand, so every row knows where its
 * words go, and blocks of rows are read in parallel. A thread looks each word up in a small cache
 * of its own first; natural text answers most words there. The others go to the shard of the word's
 * hash, under its lock. Cost: one pass over the bytes, about 30 ns a word. */
#include "text/corpus.h"

#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "text/words.h"

static const char STAGE[] = "reading words";
enum { BLOCK_ROWS = 2048 };
/* Words between two polls of cancellation within a row. */
enum { POLL_WORDS = 4096 };
/* The length of a phrase is kept in 30 bits (phrase_table.h). */
#define MAX_ROW_WORDS ((INT64_C(1) << 30) - 1)
/* Entries of a thread's cache, a power of two: 384 KiB stay in the second-level cache. */
enum { CACHE_ENTRIES = 16384 };

/* A word met before: its bytes in the text where the thread met it. symbol 0: a free entry. */
typedef struct cached_word {
    const char *text;
    uint64_t hash;
    uint32_t length, symbol;
} cached_word;

/* One reading of a source: which rows go where, and whether unknown words are added. */
typedef struct reading {
    alcore__corpus *corpus;
    const alcore__text_source *source;
    const uint32_t *begin; /* [rows + 1] */
    bool add;
    cached_word *caches; /* [threads, CACHE_ENTRIES] */
} reading;

static uint32_t symbol_of(uint32_t number, uint32_t shard) {
    return 1 + number * ALCORE__CORPUS_SHARDS + shard;
}

/* The shard comes from the low bits of the hash: a vocabulary's slots come from the high ones. */
static uint32_t shard_of(uint64_t hash) {
    return (uint32_t)(hash % ALCORE__CORPUS_SHARDS);
}

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
    *out = symbol_of(number, shard_of(hash));
    return status;
}

/* ALCORE__CORPUS_BOUNDARY for a word that no row of the pool has. */
static uint32_t find_hashed(const alcore__corpus *corpus, uint64_t hash, const char *word,
                            size_t length) {
    const alcore__vocabulary *words = &corpus->shard[shard_of(hash)].words;
    const uint32_t number = alcore__vocabulary_find_hashed(words, hash, word, length);
    return number == ALCORE__WORD_NONE ? ALCORE__CORPUS_BOUNDARY
                                       : symbol_of(number, shard_of(hash));
}

static alcore_status look_up(const reading *work, cached_word *cache, const char *word,
                             size_t length, uint32_t *out) {
    const uint64_t hash = alcore__hash64(word, length);
    cached_word *entry = &cache[(hash >> 32) % CACHE_ENTRIES];
    if (entry->symbol != 0 && entry->hash == hash && entry->length == length &&
        memcmp(entry->text, word, length) == 0) {
        *out = entry->symbol;
        return ALCORE_OK;
    }
    if (work->add) {
        ALCORE__TRY(add_word(work->corpus, hash, word, length, out));
    } else {
        *out = find_hashed(work->corpus, hash, word, length);
    }
    if (*out != ALCORE__CORPUS_BOUNDARY && length <= UINT32_MAX)
        *entry = (cached_word){word, hash, (uint32_t)length, *out};
    return ALCORE_OK;
}

static alcore_status read_row(const reading *work, cached_word *cache, int64_t row) {
    uint32_t place = work->begin[row];
    const uint32_t stop = work->begin[row + 1];
    if (place == stop) return ALCORE_OK;
    size_t length;
    const char *text = work->source->text(work->source->data, row, &length);
    const char *next = text, *end = text + length, *word;
    size_t bytes;
    for (; place + 1 < stop && alcore__word_next(&next, end, &word, &bytes); place++) {
        if (place % POLL_WORDS == 0) ALCORE__TRY(alcore__tick(work->corpus->ctx, NULL, 0, 0));
        ALCORE__TRY(look_up(work, cache, word, bytes, &work->corpus->tokens[place]));
    }
    for (; place < stop; place++) work->corpus->tokens[place] = ALCORE__CORPUS_BOUNDARY;
    return ALCORE_OK;
}

static alcore_status read_block(void *data, int64_t block, int32_t worker) {
    const reading *work = data;
    cached_word *cache = work->caches + (size_t)worker * CACHE_ENTRIES;
    const int64_t first = block * BLOCK_ROWS, left = work->source->rows - first;
    for (int64_t i = 0; i < (left < BLOCK_ROWS ? left : BLOCK_ROWS); i++)
        ALCORE__TRY(read_row(work, cache, first + i));
    return ALCORE_OK;
}

/* Where the rows of a source go, from *position on: each takes its words and a boundary. begin:
 * [rows + 1]. Moves *position behind them. */
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

static alcore_status read_source(alcore__corpus *corpus, const alcore__text_source *source,
                                 const uint32_t *begin, bool add) {
    const size_t threads = (size_t)alcore_ctx_threads(corpus->ctx);
    reading work = {corpus, source, begin, add, NULL};
    ALCORE__TRY(
        alcore__new_array(corpus->ctx, threads * CACHE_ENTRIES, sizeof *work.caches, &work.caches));
    const int64_t blocks = (source->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    const alcore_status status = alcore__parallel(corpus->ctx, STAGE, blocks, read_block, &work);
    alcore__free(corpus->ctx, work.caches);
    return status;
}

static void measure_symbols(alcore__corpus *corpus) {
    uint32_t most = 0;
    for (int i = 0; i < ALCORE__CORPUS_SHARDS; i++)
        if (corpus->shard[i].words.count > most) most = corpus->shard[i].words.count;
    corpus->max_symbol = most * ALCORE__CORPUS_SHARDS;
    corpus->symbol_bits = corpus->max_symbol == 0 ? 1 : 32 - __builtin_clz(corpus->max_symbol);
}

static alcore_status read_all(alcore__corpus *corpus, const alcore__text_source *pool,
                              const alcore__text_source *labeled, uint32_t **labeled_begin) {
    alcore_ctx *ctx = corpus->ctx;
    uint32_t position = 1; /* behind the boundary before the first row */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)pool->rows + 1, sizeof(uint32_t), &corpus->begin));
    ALCORE__TRY(lay_out(ctx, pool, corpus->begin, &position));
    corpus->pool_end = position;
    if (labeled != NULL) {
        ALCORE__TRY(
            alcore__new_array(ctx, (size_t)labeled->rows + 1, sizeof(uint32_t), labeled_begin));
        ALCORE__TRY(lay_out(ctx, labeled, *labeled_begin, &position));
    }
    corpus->token_count = position;
    corpus->tokens = alcore__alloc(ctx, (size_t)position * sizeof *corpus->tokens);
    if (corpus->tokens == NULL)
        return alcore__fail_memory((size_t)position * sizeof *corpus->tokens);
    corpus->tokens[0] = ALCORE__CORPUS_BOUNDARY;
    ALCORE__TRY(read_source(corpus, pool, corpus->begin, true));
    measure_symbols(corpus);
    return labeled == NULL ? ALCORE_OK : read_source(corpus, labeled, *labeled_begin, false);
}

alcore_status alcore__corpus_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                 const alcore__text_source *labeled, alcore__corpus **out) {
    alcore__corpus *corpus = NULL;
    uint32_t *labeled_begin = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *corpus, &corpus));
    corpus->ctx = ctx;
    corpus->rows = pool->rows;
    for (int i = 0; i < ALCORE__CORPUS_SHARDS; i++)
        pthread_mutex_init(&corpus->shard[i].lock, NULL);
    const alcore_status status = read_all(corpus, pool, labeled, &labeled_begin);
    alcore__free(ctx, labeled_begin);
    if (status != ALCORE_OK)
        alcore__corpus_free(corpus);
    else
        *out = corpus;
    return status;
}

void alcore__corpus_free(alcore__corpus *corpus) {
    if (corpus == NULL) return;
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
