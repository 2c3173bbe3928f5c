/* SPDX-License-Identifier: Apache-2.0 */
/* Adding rows to a pool: all rows of a call are added, or none. Rows from arrays of the caller,
 * from files and from Arrow streams are all added by these functions. */
#ifndef ALCORE__POOL_ADD_H
#define ALCORE__POOL_ADD_H

#include "formats/records.h"
#include "pool/pool_strings.h"

/* An addition in progress. The pool is locked for writing; pool->rows stays as it was until the
 * addition ends. */
typedef struct alcore__pool_add {
    alcore_pool *pool;
    const char *path;   /* the file that messages name; NULL: they name the row */
    int64_t rows;       /* of the pool and of this addition so far */
    int64_t indexed;    /* rows, of these, that were looked up among the rows before them */
    int64_t untagged;   /* rows, of these, without a language */
    size_t expected;    /* about how many rows follow those of the present call */
    int64_t first_line; /* of the file: of the first of these rows */
    int64_t *lines;     /* [rows - pool->rows] of the file, owned; NULL: they follow first_line */
    size_t lines_capacity;
    bool mask_bad;        /* rows whose strings are refused are added as malformed ones */
    bool joined;          /* its references are joined by id: each id occurs once */
    int64_t bad;          /* how many were */
    char first_bad[256];  /* the message about the first of them */
    uint64_t fingerprint; /* of the texts so far; the pool gets it at the end */
    /* The state of the pool before the addition, which a failure restores. */
    alcore__chunks mark;
    size_t language_count, group_count;
    alcore__string_check check;
    alcore__buffer keys[2]; /* normalized texts: of the batch, and of a row it is compared with */
} alcore__pool_add;

/* Begins an addition; the pool is locked for writing until it ends. */
void alcore__pool_add_begin(alcore__pool_add *add, alcore_pool *pool, const char *path);
/* Adds records [count]. expected: about how many records will follow these; 0: not known. */
alcore_status alcore__pool_add_records(alcore__pool_add *add, const alcore__record *records,
                                       int64_t count, int64_t expected);
/* Sets the references of rows of this addition, `row` and the next ones, to the texts of records
 * [count], which are of another file: the caller sets add->path to it. */
alcore_status alcore__pool_add_references(alcore__pool_add *add, int64_t row,
                                          const alcore__record *records, int64_t count);
/* Whether the error of a record, which names its place, is masked: with mask_bad strings that are
 * refused are. Counts it and keeps the first message for the log. */
bool alcore__pool_add_masks(alcore__pool_add *add, alcore_status status);
/* Commits when status is ALCORE_OK, else restores the pool as it was. Returns the status of the
 * whole addition. */
alcore_status alcore__pool_add_end(alcore__pool_add *add, alcore_status status);

#endif
