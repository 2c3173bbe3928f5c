/* SPDX-License-Identifier: Apache-2.0 */
/* Adding rows: all of a call or none. */
#ifndef ALCORE__POOL_ADD_H
#define ALCORE__POOL_ADD_H

#include "formats/records.h"
#include "pool/pool_strings.h"

/* An addition under way. The pool is held for changing; its rows count stays what it was until the
 * commit. */
typedef struct alcore__pool_add {
    alcore_pool *pool;
    const char *path;    /* for messages: the file; NULL: rows are named */
    int64_t rows;        /* of the pool and of this addition */
    int64_t indexed;     /* rows that went through the duplicates' index */
    int64_t untagged;    /* rows without a language */
    bool mask_bad;       /* rows whose strings are refused are added as malformed ones */
    int64_t bad;         /* how many were */
    char first_bad[256]; /* message of the first of them */
    uint64_t fingerprint;
    alcore__chunks mark;
    size_t language_count, group_count;
    alcore__string_check check;
    alcore__buffer keys[2];
} alcore__pool_add;

void alcore__pool_add_begin(alcore__pool_add *add, alcore_pool *pool, const char *path);
/* coming: about how many records will follow these, as far as one can tell. */
alcore_status alcore__pool_add_records(alcore__pool_add *add, const alcore__record *records,
                                       int64_t count, int64_t coming);
/* Commits when status is ALCORE_OK, else takes everything back. Returns the status of the whole
 * addition. */
alcore_status alcore__pool_add_end(alcore__pool_add *add, alcore_status status);

#endif
