/* SPDX-License-Identifier: Apache-2.0 */
/* The vocabulary of a tokenizer: the id of each token's text, and the text of each id. Ids may have
 * holes, so tokens are numbered without holes in the order of their ids: number n, id ids[n]. */
#ifndef ALCORE__TOKEN_TABLE_H
#define ALCORE__TOKEN_TABLE_H

#include "text/vocabulary.h"

/* A token as a file has it: an input of alcore__token_table_build(). */
typedef struct alcore__token_entry {
    const char *text; /* borrowed, not terminated */
    size_t length;    /* bytes */
    int64_t id;
    int64_t location; /* in the file, for messages: a byte, from 0, or a line, from 1 */
} alcore__token_entry;

/* It owns its arrays. A struct of zeros has no tokens. */
typedef struct alcore__token_table {
    alcore__vocabulary words; /* the texts by number */
    int32_t *ids;             /* [words.count] the id of each number; NULL: it is the number */
    uint32_t *numbers;        /* [size] the number of each id, ALCORE__WORD_NONE in a hole; NULL: it
                               * is the id */
    int64_t size;             /* ids are 0 .. size - 1 */
} alcore__token_table;

/* Makes *table, a struct of zeros, of entries [count] in any order. An id or a text that stands
 * twice, an id that is negative or above 2^24 - 1, malformed UTF-8 and NUL are ALCORE_E_DATA; the
 * message begins with `where` (file and key) and gives the location as "byte N" or "line N", of
 * which `what` is the first word. A failure leaves arrays for alcore__token_table_clear(). */
alcore_status alcore__token_table_build(alcore_ctx *ctx, const alcore__token_entry *entries,
                                        size_t count, const char *where, const char *what,
                                        alcore__token_table *table);
void alcore__token_table_clear(alcore_ctx *ctx, alcore__token_table *table);

/* The number of a text; ALCORE__WORD_NONE: no token has it. */
static inline uint32_t alcore__token_table_find(const alcore__token_table *table, const char *text,
                                                size_t length) {
    return alcore__vocabulary_find(&table->words, text, length);
}
static inline int64_t alcore__token_table_id(const alcore__token_table *table, uint32_t number) {
    return table->ids ? table->ids[number] : (int64_t)number;
}
/* The number of an id, ALCORE__WORD_NONE for an id without a token. */
static inline uint32_t alcore__token_table_number(const alcore__token_table *table, int64_t id) {
    if (id < 0 || id >= table->size) return ALCORE__WORD_NONE;
    return table->numbers ? table->numbers[id] : (uint32_t)id;
}

#endif
