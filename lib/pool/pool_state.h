/* SPDX-License-Identifier: Apache-2.0 */
/* What a pool is made of; for the files of this folder only. */
#ifndef ALCORE__POOL_STATE_H
#define ALCORE__POOL_STATE_H

#include <pthread.h>

#include "pool/chunks.h"
#include "pool/hash_index.h"
#include "pool/pool_internal.h"
#include "pool/segments.h"

/* The tag of rows without one (spec 1.1). */
#define ALCORE__NO_LANGUAGE "unknown"

typedef struct alcore__pool_row {
    const char *text; /* in texts */
    int64_t length;
    int64_t words;
} alcore__pool_row;

typedef struct alcore__pool_reference {
    const char *text;
    int64_t length;
} alcore__pool_reference;

typedef struct alcore__pool_cost {
    double cost;
    bool given;
} alcore__pool_cost;

/* Names that many rows share. Number 0 is "none"; name n stands at names[n - 1]. */
typedef struct alcore__pool_names {
    const char **names; /* in texts */
    size_t count, capacity;
    alcore__hash_index index;
} alcore__pool_names;

struct alcore_pool {
    alcore__object object;
    alcore_pool *source; /* of a derived pool: a reference to where its rows come from; else NULL */
    int32_t dedup, utf8;
    int64_t max_text_bytes;

    int64_t rows;
    alcore__chunks texts;  /* every string of the pool */
    alcore__segments info; /* alcore__pool_row */
    alcore__segments ids;  /* const char *; only where ids were given */
    alcore__segments references, costs;
    alcore__segments languages, groups; /* uint32_t numbers of names */
    alcore__pool_names language_names, group_names;
    const char **tags;  /* language tags in byte order */
    int64_t *tag_ranks; /* [language_names.count + 1] number of a name -> position in tags */
    int64_t tag_count;
    int64_t untagged; /* rows without a language */
    uint32_t *states;
    size_t states_capacity;
    alcore__hash_index duplicates; /* first row of each text that is not empty */
    uint64_t fingerprint;          /* running, over the texts in order */

    alcore__column **columns;
    size_t column_count, column_capacity;

    pthread_mutex_t
        lazy; /* guards the two below: find() only reads, but builds its index when first asked */
    alcore__hash_index id_index; /* given ids: first row of each */
    int64_t id_rows;             /* rows that are in it */
};

static inline alcore__pool_row *alcore__pool_row_at(const alcore_pool *pool, int64_t row) {
    return alcore__segments_get(&pool->info, sizeof(alcore__pool_row), row);
}

/* The id that was given with a row; NULL when none was. */
static inline const char *alcore__pool_given_id(const alcore_pool *pool, int64_t row) {
    const char *const *id = alcore__segments_get(&pool->ids, sizeof(char *), row);
    return id != NULL ? *id : NULL;
}

/* What one text is compared by: the text itself, or its normalized form in buffer. */
typedef struct alcore__dedup_key {
    const char *text;
    size_t length;
} alcore__dedup_key;
alcore_status alcore__dedup_key_of(alcore_ctx *ctx, int32_t dedup, const char *text, size_t length,
                                   alcore__buffer *buffer, alcore__dedup_key *out);
/* The row of pool, among those in index from *at on (the hash's home, to begin with), with a text
 * of this key; -1 when there is none, *at then is its place in index. */
alcore_status alcore__dedup_find(const alcore_pool *pool, const alcore__hash_index *index,
                                 int32_t dedup, const alcore__dedup_key *key, uint64_t hash,
                                 alcore__buffer *buffer, size_t *at, int64_t *out_row);

/* Begin and end of a public call on a pool: enters the context and takes the pool for changing or
 * for reading. A failed begin has nothing to end. */
alcore_status alcore__pool_change_begin(alcore_pool *pool);
alcore_status alcore__pool_change_end(alcore_pool *pool, alcore_status status);
alcore_status alcore__pool_read_begin(const alcore_pool *pool);
alcore_status alcore__pool_read_end(const alcore_pool *pool, alcore_status status);

/* alcore_pool_find() inside a call. */
alcore_status alcore__pool_find_id(const alcore_pool *pool, const char *id, size_t length,
                                   int64_t *out_row);

/* ALCORE_E_NOT_FOUND that names the first of rows that the pool does not have. */
alcore_status alcore__pool_check_rows(const alcore_pool *pool, const int64_t *rows, int64_t count);

#endif
