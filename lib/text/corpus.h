/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a pool, and of labeled data beside it, as one array of word numbers.
 *
 *   tokens   0 | words of row 0, 0 | words of row 1, 0 | ... | words of the labeled rows, 0 each
 *
 * A word is a symbol of 1 and more; 0 stands at the end of every row and before the first, so that
 * a sequence of words never runs from one row into the next. The place of a word in this array is
 * its position; positions rise with (row, word), so "first" means the smallest position.
 *
 * Words of the labeled rows that no pool row has are 0 too: a sequence that contains one cannot
 * occur in the pool, and whether a phrase of the pool occurs in the labeled data is all that those
 * rows are asked. Memory: 4 bytes a word, and the vocabulary of the pool. */
#ifndef ALCORE__CORPUS_H
#define ALCORE__CORPUS_H

#include <pthread.h>

#include "base/base.h"
#include "text/vocabulary.h"

/* Where texts come from. Both functions are called from any thread; a text stays where it is while
 * the corpus is built. */
typedef struct alcore__text_source {
    const void *data;
    int64_t rows;
    /* Words of the row by lib/text/words.h; 0 leaves the row out. */
    int64_t (*words)(const void *data, int64_t row);
    const char *(*text)(const void *data, int64_t row, size_t *length);
} alcore__text_source;

#define ALCORE__CORPUS_BOUNDARY 0u
/* Words are numbered in shards by their hash, so that threads seldom wait for each other. The
 * symbol of word `number` of shard s is 1 + number * shards + s. */
enum { ALCORE__CORPUS_SHARDS = 64 };

typedef struct alcore__corpus_shard {
    pthread_mutex_t lock; /* while words are added */
    alcore__vocabulary words;
} alcore__corpus_shard;

typedef struct alcore__corpus {
    alcore_ctx *ctx;
    uint32_t *tokens;     /* [token_count] symbols */
    uint32_t *begin;      /* [rows + 1] position of the first word of each row of the pool */
    int64_t rows;         /* of the pool */
    uint32_t pool_end;    /* tokens of the pool are [0, pool_end), those of labeled rows follow */
    uint32_t token_count; /* boundaries included */
    uint32_t max_symbol;
    int32_t symbol_bits; /* enough for every symbol */
    alcore__corpus_shard shard[ALCORE__CORPUS_SHARDS];
} alcore__corpus;

/* Reads the texts on the context's threads. Which word has which symbol depends on the threads'
 * timing; nothing that leaves this folder may depend on the numbers of words.
 * labeled may be NULL. ALCORE_E_UNSUPPORTED from 2^32 - 2 words on. */
alcore_status alcore__corpus_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                 const alcore__text_source *labeled, alcore__corpus **out);
void alcore__corpus_free(alcore__corpus *corpus); /* NULL-safe */
/* The bytes of a word, valid as long as the corpus; symbol is not the boundary. */
const char *alcore__corpus_word(const alcore__corpus *corpus, uint32_t symbol, size_t *length);
/* The symbol of a word of the pool, ALCORE__CORPUS_BOUNDARY for any other word. Any thread. */
uint32_t alcore__corpus_find(const alcore__corpus *corpus, const char *word, size_t length);
/* The pool row that a position below pool_end belongs to. O(log rows). */
int64_t alcore__corpus_row(const alcore__corpus *corpus, uint32_t position);

#endif
