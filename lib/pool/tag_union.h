/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of languages of pools whose rows lie in shards (lib/extra/job): each pool writes its
 * tags, and the union of them numbers all. */
#ifndef ALCORE__TAG_UNION_H
#define ALCORE__TAG_UNION_H

#include "base/byte_cursor.h"
#include "pool/pool_internal.h"

/* The distinct tags of several pools; zeroed it has none. */
typedef struct alcore__tag_union {
    char **tags; /* [count] owned, in the order in which they were added */
    int64_t count;
    size_t capacity;
} alcore__tag_union;

/* Appends the tags of a pool, in multiples of 8 bytes: for each its length, then its bytes. */
alcore_status alcore__tags_write(alcore_ctx *ctx, const alcore_pool *pool, alcore__buffer *out);
/* Reads `count` tags that a pool has written and adds them: numbers [count], where in the union
 * each is; the caller frees it, also after a failure. *complete: false where the bytes end. */
alcore_status alcore__tag_union_read(alcore_ctx *ctx, alcore__byte_cursor *cursor, int64_t count,
                                     alcore__tag_union *tags, int32_t **numbers, bool *complete);
void alcore__tag_union_clear(alcore_ctx *ctx, alcore__tag_union *tags);

#endif
