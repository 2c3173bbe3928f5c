/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a pool; for the files of this folder only.
 *
 * Everything that a row has is found by its number: its text in `row_texts`, where every row has an
 * entry, the rest in segments that exist only where rows have such a thing. Strings lie in `texts`
 * and never move, so that views of them stay valid while the pool lives. */
#ifndef ALCORE__POOL_STATE_H
#define ALCORE__POOL_STATE_H

#include <pthread.h>

#include "pool/chunks.h"
#include "pool/hash_index.h"
#include "pool/number_ids.h"
#include "pool/pool_internal.h"
#include "pool/segments.h"

typedef struct alcore__pool_row {
    const char *text; /* in pool->texts, followed by a NUL */
    int64_t length;   /* in bytes */
    int64_t words;
} alcore__pool_row;

/* What stands in front of a text: its bytes and words or, where these are LONG_TEXT or more,
 * LONG_TEXT and before that an alcore__text_size. So a row has the address of its text alone, and
 * what is read with it is near. */
typedef struct alcore__text_head {
    uint16_t length, words;
} alcore__text_head;
typedef struct alcore__text_size {
    int64_t length, words;
} alcore__text_size;
enum { ALCORE__LONG_TEXT = UINT16_MAX }; /* there are no more words than bytes */

typedef struct alcore__pool_reference {
    const char *text; /* in pool->texts, followed by a NUL; NULL: the row has none */
    int64_t length;   /* in bytes */
} alcore__pool_reference;

typedef struct alcore__pool_cost {
    double cost;
    bool given; /* false: the row has none */
} alcore__pool_cost;

/* Names that many rows share, such as languages. Rows store a number: 0 is no name, n is
 * names[n - 1]. */
typedef struct alcore__pool_names {
    const char **names; /* [count] strings in pool->texts, distinct */
    size_t count, capacity;
    alcore__hash_index index; /* of the names: entry n - 1 for the number n */
} alcore__pool_names;

struct alcore_pool {
    alcore__object object;
    alcore_pool *source; /* of a derived pool: a reference to where its rows come from; else NULL */
    /* Of a pool of phrases (phrase_pool.h): 1 for the unlabeled rows of the source, whose phrases
     * are counted. Owned; NULL in any other pool. */
    uint8_t *counted;       /* [counted_end] */
    int64_t counted_end;    /* rows that the source had when the pool was made */
    int64_t counted_rows;   /* rows with counted 1 */
    int32_t dedup, utf8;    /* ALCORE_DEDUP_*, ALCORE_UTF8_* */
    int32_t repeated_ids;   /* ALCORE_IDS_* */
    int64_t max_text_bytes; /* of one string */

    int64_t rows;               /* entries of segments and of states at or above it do not count */
    alcore__chunks texts;       /* every string of the pool */
    alcore__segments row_texts; /* const char *: the text of each row, behind its head */
    alcore__segments ids;       /* const char *; only where ids were given */
    alcore__number_ids number_ids;      /* of rows without an id, once one was asked for */
    alcore__segments references, costs; /* alcore__pool_reference, alcore__pool_cost */
    alcore__segments languages, groups; /* uint32_t numbers of names */
    alcore__pool_names language_names, group_names;
    const char **tags;  /* [tag_count] language tags of all rows in byte order, without repeats */
    int64_t *tag_ranks; /* [language_names.count + 1] index in tags by the number of a name */
    int64_t tag_count;
    int64_t untagged; /* rows without a language */
    uint32_t *states; /* [rows] ALCORE_ROW_* bits; 0: the row may be selected */
    size_t states_capacity;
    alcore__hash_index duplicates; /* of the texts: the first row of each that is not empty */
    uint64_t fingerprint;          /* of all texts in the order of the rows */

    alcore__column **columns; /* [column_count] owned; names are distinct */
    size_t column_count, column_capacity;

    alcore__hash_index id_index; /* of the given ids: every row that was given one */
};

/* The text of a row. */
static inline const char *alcore__pool_text_at(const alcore_pool *pool, int64_t row) {
    const char *const *text = alcore__segments_get(&pool->row_texts, sizeof *text, row);
    return *text;
}
/* Text, length and words of a row. */
static inline alcore__pool_row alcore__pool_row_at(const alcore_pool *pool, int64_t row) {
    const char *text = alcore__pool_text_at(pool, row);
    alcore__text_head head;
    alcore__text_size size;
    memcpy(&head, text - sizeof head, sizeof head);
    if (head.length < ALCORE__LONG_TEXT) return (alcore__pool_row){text, head.length, head.words};
    memcpy(&size, text - sizeof head - sizeof size, sizeof size);
    return (alcore__pool_row){text, size.length, size.words};
}

/* The id that was given with a row; NULL when none was. */
static inline const char *alcore__pool_given_id(const alcore_pool *pool, int64_t row) {
    const char *const *id = alcore__segments_get(&pool->ids, sizeof(char *), row);
    return id ? *id : NULL;
}

/* What one text is compared by: the text itself, or its normalized form in buffer. */
typedef struct alcore__dedup_key {
    const char *text;
    size_t length; /* bytes */
} alcore__dedup_key;
alcore_status alcore__dedup_key_of(alcore_ctx *ctx, int32_t dedup, const char *text, size_t length,
                                   alcore__buffer *buffer, alcore__dedup_key *out);
/* Sets *out_row to the row of pool whose text has this key, among the entries of index from *slot
 * on (alcore__index_home() of the hash, to begin with). -1: there is none, and *slot is the free
 * slot where a row with this key belongs. buffer: for the keys of the rows it is compared with. */
alcore_status alcore__dedup_find(const alcore_pool *pool, const alcore__hash_index *index,
                                 int32_t dedup, const alcore__dedup_key *key, uint64_t hash,
                                 alcore__buffer *buffer, size_t *slot, int64_t *out_row);

/* Begin and end a public call on a pool: enter its context, for a long call or for another, and
 * lock the pool for writing or for reading. A begin that fails has nothing to end. The end returns
 * status. */
alcore_status alcore__pool_change_begin(alcore_pool *pool);
alcore_status alcore__pool_long_change_begin(alcore_pool *pool);
alcore_status alcore__pool_change_end(alcore_pool *pool, alcore_status status);
alcore_status alcore__pool_read_begin(const alcore_pool *pool);
alcore_status alcore__pool_long_read_begin(const alcore_pool *pool);
alcore_status alcore__pool_read_end(const alcore_pool *pool, alcore_status status);

/* The first of the rows [first, end) with the id `id` [length bytes], which it was given or whose
 * number it is; -1: none. A malformed row has no id. end may be above pool->rows by the rows of an
 * addition. */
int64_t alcore__pool_row_of_id(const alcore_pool *pool, const char *id, size_t length,
                               int64_t first, int64_t end);
/* alcore_pool_find() inside a call. */
alcore_status alcore__pool_find_id(const alcore_pool *pool, const char *id, size_t length,
                                   int64_t *out_row);

/* Fails with ALCORE_E_NOT_FOUND and the first of rows [count] that the pool does not have. */
alcore_status alcore__pool_check_rows(const alcore_pool *pool, const int64_t *rows, int64_t count);

#endif
