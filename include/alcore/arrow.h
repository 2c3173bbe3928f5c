/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Columns in and tables out by the Arrow C data interface, by which libraries hand each other
 * columns in memory without knowing each other: pyarrow, polars, DuckDB, nanoarrow, arrow-rs, Arrow
 * Java and Go.
 *
 * The structs are those of the interface's specification, behind the guards that it prescribes: a
 * program that has them from another header may include both. Records come in by
 * alcore_pool_add_arrow() (alcore/pool.h), picks go out by alcore_selection_get_arrow()
 * (alcore/selection.h). */
#ifndef ALCORE_ARROW_H
#define ALCORE_ARROW_H

#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
/** Whether a header has defined the structs of arrays. */
#define ARROW_C_DATA_INTERFACE

/** ArrowSchema.flags: the order of a dictionary's values is that of what they mean. */
#define ARROW_FLAG_DICTIONARY_ORDERED 1
/** ArrowSchema.flags: values may be null. */
#define ARROW_FLAG_NULLABLE 2
/** ArrowSchema.flags: the keys of each map are sorted. */
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/** The type of an array and of its children, as the Arrow C data interface has it. */
struct ArrowSchema {
    const char *format;            /**< the type, in the letters of the interface */
    const char *name;              /**< of the column; may be NULL */
    const char *metadata;          /**< pairs of keys and values; may be NULL */
    int64_t flags;                 /**< ARROW_FLAG_* bits */
    int64_t n_children;            /**< entries of children */
    struct ArrowSchema **children; /**< types of the columns of a struct, of the values of a list */
    struct ArrowSchema *dictionary; /**< type of the values that indices stand for; may be NULL */
    void (*release)(struct ArrowSchema *schema); /**< frees it; NULL: it is released */
    void *private_data;                          /**< the producer's */
};

/** The values of an array, as the Arrow C data interface has it. */
struct ArrowArray {
    int64_t length;                /**< values */
    int64_t null_count;            /**< values that are null; -1: not counted */
    int64_t offset;                /**< the first value in the buffers */
    int64_t n_buffers;             /**< entries of buffers */
    int64_t n_children;            /**< entries of children */
    const void **buffers;          /**< what the type says: validity bits, offsets, values, ... */
    struct ArrowArray **children;  /**< columns of a struct, the values of a list */
    struct ArrowArray *dictionary; /**< the values that indices stand for; may be NULL */
    void (*release)(struct ArrowArray *array); /**< frees it; NULL: it is released */
    void *private_data;                        /**< the producer's */
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
/** Whether a header has defined the struct of streams. */
#define ARROW_C_STREAM_INTERFACE

/** Arrays of one type, one after the other, as the Arrow C stream interface has it. */
struct ArrowArrayStream {
    /** Fills in the type; 0 or a code of errno */
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *out);
    /** Fills in the next array, a released one at the end; 0 or a code of errno */
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *out);
    /** Why the last call failed; NULL: no reason is known */
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream); /**< frees it; NULL: it is released */
    void *private_data;                               /**< the producer's */
};

#endif

#include "alcore/pool_column.h"

ALCORE_BEGIN

/** Gives the pool a column from an Arrow array. A column of that name is replaced; rows that are
 * added later have no value in it. These types are read:
 *
 *     integers, float16 to 64  [rows], in their type; integers of other widths than 32 and 64 bits
 *                              become int64. Where the name has floating-point numbers by
 *                              alcore_pool_set_column(), integers become float64, which has to
 *                              hold each of them exactly
 *     decimals                 [rows], float64
 *     fixed-size lists, lists, list views of these, with 32-bit or 64-bit offsets
 *                              tokens of the rows where the name has such by
 *                              alcore_pool_set_column(), vectors of one length [rows, n] elsewhere;
 *                              options.shape decides otherwise. Lists of lists are vectors of
 *                              tokens, [tokens, n]
 *     strings, large strings, string views
 *                              texts
 *     null                     no value in any row, float64
 *     a dictionary of one of these, itself or in lists
 *
 * A null is a row without a value: NaN, the smallest integer, no text. A row whose list is null has
 * one token without a value where lists are tokens, so that the request's option nan decides about
 * it; an empty list has no token.
 *
 * With ALCORE_KEEP the values are copied and the array is released before the call returns. With
 * ALCORE_BORROW the numbers are read where they lie, and the array is released when the column is
 * replaced, dropped or released with its pool, as the library reads it last. That is possible where
 * they are in one of the column's types and none is null; they are copied otherwise, as texts
 * always are.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name, UTF-8 of 1 to 4096 bytes
 * @param[in,out] array the library's after a success: its release is NULL then, as the interface
 *   marks an array that was moved. A call that fails leaves it as it is
 * @param[in,out] schema the same
 * @param[in] options borrowed; only ownership, meaning, log_base, rows, row_count and shape apply,
 *   of texts only rows and row_count, and ownership changes nothing; NULL: defaults
 * @return ALCORE_OK, ALCORE_E_INVALID (also: released already; another option is set),
 *   ALCORE_E_UNSUPPORTED (the type, which is named; an extension type), ALCORE_E_SHAPE (expected
 *   and found rows; the first row whose list has another length), ALCORE_E_DATA (an array that does
 *   not fit its type; an integer that float64 or int64 cannot hold; a text as in
 *   alcore_pool_set_text_column()), ALCORE_E_NOT_FOUND (a row of options; a row of the source
 *   pool), ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, the release functions of array and schema;
 *   alcore_column_options.release of a column that is replaced. The array's release later too, on
 *   the thread that drops the column
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_column_arrow(alcore_pool *pool, const char *name,
                                                      struct ArrowArray *array,
                                                      struct ArrowSchema *schema,
                                                      const alcore_column_options *options);

/** Gives the pool a column from the arrays of an Arrow stream, one behind the other, as chunked
 * columns are handed out. What alcore_pool_set_column_arrow() says of types, nulls and ownership
 * holds; the numbers of several arrays are always copied.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name, UTF-8 of 1 to 4096 bytes
 * @param[in] stream owned by the library once reading has begun: the call has then released it, and
 *   its release member is NULL, whether the call succeeds or not. A call that fails earlier
 *   (ALCORE_E_BUSY, ALCORE_E_CANCELLED, ALCORE_E_INVALID, ALCORE_E_STRUCT_*) leaves it untouched
 * @param[in] options borrowed; as in alcore_pool_set_column_arrow(); NULL: defaults
 * @return as alcore_pool_set_column_arrow(); ALCORE_E_CALLBACK (the stream failed);
 *   ALCORE_E_CANCELLED
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback as alcore_pool_set_column_arrow(), the stream's functions
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_column_stream(alcore_pool *pool, const char *name,
                                                       struct ArrowArrayStream *stream,
                                                       const alcore_column_options *options);

/** What a table has that is handed out. Zero means default. */
typedef struct alcore_table_options {
    size_t size;                /**< sizeof(alcore_table_options) */
    const char *const *columns; /**< [column_count] names of columns, in the order wanted; NULL:
                                     all that there are */
    int64_t column_count;       /**< entries of columns; not read without them */
} alcore_table_options;
/** An alcore_table_options with its size set and everything else 0. */
#define ALCORE_TABLE_OPTIONS_INIT ALCORE_INIT(alcore_table_options)

/** Hands out the rows of a pool, masked ones included, as an Arrow stream of structs, some tens of
 * thousands of rows an array:
 *
 *     index                  int64         number of the row, from 0
 *     id, text               large string
 *     reference, lang, group large string  null where the row has none
 *     cost                   float64       null where the row has none
 *     state                  uint32        ALCORE_ROW_* bits
 *
 * and behind them the columns of the pool, by their names: numbers in their type, bfloat16 as
 * float32; vectors as fixed-size lists; tokens as large lists, of fixed-size lists where a token is
 * a vector; texts as large strings. A row without a value is null. alcore_pool_add_arrow() reads
 * such a stream as the same records.
 *
 * Values are copied as the stream is read, a batch at a time, so that columns in files need not fit
 * into memory. The stream keeps the pool alive. It has the rows that the pool has now; a column
 * that is dropped, or replaced by one of another type, before it was read is an error of the stream
 * (EINVAL), and EBUSY one that is read while another call changes the pool.
 * @param[in] pool kept: read later, as the stream is
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned: filled in; the caller, or whoever it is passed on to, releases it by its
 *   release function, on any thread. Its release is NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (also a column that the pool was given by one of the names
 *   above, which would be twice in the table), ALCORE_E_NOT_FOUND (a column, names the nearest),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback files, when the stream is read
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_get_arrow(const alcore_pool *pool,
                                               const alcore_table_options *options,
                                               struct ArrowArrayStream *out);

ALCORE_END

#endif
