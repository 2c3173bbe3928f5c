/* SPDX-License-Identifier: Apache-2.0 */
/* What the layers above read of a pool beyond the public header. All functions are for calls that
 * have locked the pool (alcore__read_begin() or alcore__write_begin()). */
#ifndef ALCORE__POOL_INTERNAL_H
#define ALCORE__POOL_INTERNAL_H

#include <string.h>

#include "base/base.h"
#include "pool/column.h"

/* The tag of rows without one (spec 1.1). */
#define ALCORE__NO_LANGUAGE "unknown"
/* A tag; NULL for that one, for an empty one and for NULL. */
static inline const char *alcore__language_or_null(const char *tag) {
    return tag && *tag && strcmp(tag, ALCORE__NO_LANGUAGE) != 0 ? tag : NULL;
}

alcore_ctx *alcore__pool_ctx(const alcore_pool *pool);
/* *out: a hash of what the rows have beside their texts; 0 where there is nothing of it. reads, a
 * list that ends with NULL: of their languages, and of what it names of "ids", "groups", "costs",
 * "references" and columns; NULL: of ids, languages, groups, costs and the columns that a caller
 * gave, but for those of numbers that models make. */
alcore_status alcore__pool_hash_details(const alcore_pool *pool, const char *const *reads,
                                        uint64_t *out);
/* A hash of the languages alone; 0: no row has one. */
uint64_t alcore__pool_hash_languages(const alcore_pool *pool);
/* Sets known [rows of pool] to 1 for each row whose text is that of a row of other, to 0 for the
 * others. Texts are compared as they are, or normalized where the pool's dedup says so. */
alcore_status alcore__pool_match_texts(const alcore_pool *pool, const alcore_pool *other,
                                       uint8_t *known);
/* Share of letters of the pool that belong to scripts written without spaces (Han, Kana, Thai, Lao,
 * Khmer, Burmese). */
double alcore__pool_unspaced_share(const alcore_pool *pool);
/* Sets ALCORE_ROW_NAN / _MISSING bits, which alcore_pool_mark() does not let callers set. */
alcore_status alcore__pool_mark_internal(alcore_pool *pool, uint32_t states, const int64_t *rows,
                                         int64_t count);
/* The id that a row was given, a view; for a row without one its number from 1, written to buffer.
 * NULL: there is no such row, or the row has no id and buffer is NULL. */
const char *alcore__pool_id(const alcore_pool *pool, int64_t row, char buffer[24]);
/* Code points of a row's text. */
int64_t alcore__pool_characters(const alcore_pool *pool, int64_t row);
/* Distinct language tags of all rows in byte order, "unknown" among them when a row has none.
 * Views, valid until rows are added. */
int64_t alcore__pool_languages(const alcore_pool *pool, const char *const **out_tags);
/* The index of the tag of `length` bytes in a list of tags [count] in byte order; -1: it is not
 * there. */
int64_t alcore__tag_find(const char *const *tags, int64_t count, const char *tag, size_t length);
/* The rank of a row's tag among them, from 0. */
int64_t alcore__pool_language_rank(const alcore_pool *pool, int64_t row);
/* Rows of a pool that a column is made for. */
typedef struct alcore__wanted {
    const uint8_t *mask; /* [rows] 1: wanted */
    int64_t rows;        /* of the pool when the mask was made; later rows are not wanted */
} alcore__wanted;
/* Whether the row is wanted; wanted NULL: every row is. */
static inline bool alcore__is_wanted(const alcore__wanted *wanted, int64_t row) {
    return !wanted || (row < wanted->rows && wanted->mask[row]);
}

/* The shape of the column that a writer makes, ALCORE_COLUMN_*; without a lock. */
int32_t alcore__column_writer_shape(const alcore_column_writer *writer);
/* Limits the rows that alcore_column_writer_finish() asks for to those that are wanted (NULL: all
 * unmasked ones). `wanted` is borrowed until the next call. Whoever frees the mask calls this with
 * NULL before, because a host may keep a reference to the writer of its model. */
void alcore__column_writer_want(alcore_column_writer *writer, const alcore__wanted *wanted);
/* Whether values were put for the row; for the only user of the writer. */
bool alcore__column_writer_has(const alcore_column_writer *writer, int64_t row);
/* alcore_column_writer_save() and _merge() of a call that may have been cancelled, which ends
 * neither. */
alcore_status alcore__column_writer_keep(alcore_column_writer *writer, const char *path);
alcore_status alcore__column_writer_join(alcore_column_writer *writer, const char *path);
/* Puts the entries of a column of the writer's pool; rows that the writer has already keep theirs.
 * ALCORE_E_SHAPE: the column has values of another shape. The pool is locked for reading. */
alcore_status alcore__column_writer_copy(alcore_column_writer *writer,
                                         const alcore__column *column);

#endif
