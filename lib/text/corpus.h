/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a pool, and of labeled data beside it, as one array of word symbols.
 *
 *   tokens   0 | words of row 0, 0 | words of row 1, 0 | ... | words of the labeled rows, 0 each
 *
 * Words are numbered by symbols from 1 on. Symbol 0, the boundary, stands after every row and
 * before the first, so that a sequence of words never runs from one row into the next. The index of
 * a word in this array is its position; positions rise with (row, word), so "first" means the
 * smallest position.
 *
 * Words of the labeled rows that no pool row has get symbol 0 too: a sequence that contains one
 * cannot occur in the pool, and labeled rows serve only to tell whether a phrase of the pool occurs
 * in them. Memory: 4 bytes a word, and the vocabulary of the pool. A corpus does not change once it
 * is made, so any number of threads may read it. */
#ifndef ALCORE__CORPUS_H
#define ALCORE__CORPUS_H

#include <pthread.h>

#include "base/base.h"
#include "text/vocabulary.h"

/* Where texts come from. Both functions are called from any thread; a text stays where it is while
 * the corpus is built. */
typedef struct alcore__text_source {
    const void *data; /* passed to both functions */
    int64_t rows;
    /* The number of words of the row by text/words.h; 0 leaves the row out. */
    int64_t (*words)(const void *data, int64_t row);
    /* The first byte of the row's text; *length is its number of bytes. */
    const char *(*text)(const void *data, int64_t row, size_t *length);
} alcore__text_source;

#define ALCORE__CORPUS_BOUNDARY 0u
/* The vocabulary is cut into shards by the words' hashes, so that threads seldom wait for each
 * other. */
enum { ALCORE__CORPUS_SHARDS = 64 };

typedef struct alcore__corpus_shard {
    pthread_mutex_t lock;     /* held while a word of the pool is added */
    alcore__vocabulary words; /* the words whose hash belongs to the shard */
} alcore__corpus_shard;

typedef struct alcore__corpus {
    alcore_ctx *ctx;   /* borrowed */
    uint32_t *tokens;  /* [token_count] symbols, 0 for boundaries */
    uint32_t *begin;   /* [rows + 1] position of the first word of each row of the pool; equal to
                          the next entry for a row that was left out */
    int64_t rows;      /* of the pool; labeled rows are not counted */
    uint32_t pool_end; /* positions below belong to the pool, those from here on to labeled rows */
    uint32_t token_count; /* words and boundaries of all rows */
    uint32_t max_symbol;  /* no symbol is larger; not every smaller one is used */
    int32_t symbol_bits;  /* bits of max_symbol, at least 1 */
    alcore__corpus_shard shard[ALCORE__CORPUS_SHARDS];
} alcore__corpus;

/* The symbol of word `number` of a shard. */
static inline uint32_t alcore__corpus_symbol(uint32_t number, uint32_t shard) {
    return 1 + number * ALCORE__CORPUS_SHARDS + shard;
}

/* Reads the texts on the context's threads. Which word has which symbol depends on the threads'
 * timing; no result that leaves lib/text may depend on symbols.
 * labeled may be NULL. ALCORE_E_UNSUPPORTED from 2^32 - 2 words on. */
alcore_status alcore__corpus_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                 const alcore__text_source *labeled, alcore__corpus **out);
void alcore__corpus_free(alcore__corpus *corpus); /* NULL-safe */
/* A corpus that has words and no texts, of a model that was read from a file:
 * alcore__corpus_begin_words(), then alcore__corpus_add_word() for every word on one thread, then
 * alcore__corpus_end_words(). *added: whether the word was new. */
alcore_status alcore__corpus_begin_words(alcore_ctx *ctx, alcore__corpus **out);
alcore_status alcore__corpus_add_word(alcore__corpus *corpus, const char *word, size_t length,
                                      uint32_t *out_symbol, bool *added);
void alcore__corpus_end_words(alcore__corpus *corpus);
/* The bytes of a word, valid as long as the corpus; symbol is not the boundary. */
const char *alcore__corpus_word(const alcore__corpus *corpus, uint32_t symbol, size_t *length);
/* The symbol of a word of the pool, ALCORE__CORPUS_BOUNDARY for any other word. Any thread. */
uint32_t alcore__corpus_find(const alcore__corpus *corpus, const char *word, size_t length);
/* The pool row that a position below pool_end belongs to. O(log rows). */
int64_t alcore__corpus_row(const alcore__corpus *corpus, uint32_t position);

#endif
