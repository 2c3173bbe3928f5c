/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The pool: rows of text with their states and columns.
 *
 * A row number is permanent: row i is the i-th record read, over all files and calls. Nothing is removed, moved or
 * renumbered, ever; duplicates, empty, labelled, excluded and filtered rows are states of their rows. Every column has one
 * entry per row. */
#ifndef ALCORE_POOL_H
#define ALCORE_POOL_H

#include "alcore/context.h"
#include "alcore/format.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** A pool. Reading calls may run at the same time; a changing call needs the pool for itself (ALCORE_E_BUSY). */
typedef struct alcore_pool alcore_pool;

/** How a later row with the text of an earlier one is treated. */
enum {
    ALCORE_DEDUP_EXACT = 0,      /**< byte-equal texts: the later row is masked */
    ALCORE_DEDUP_NORMALIZED = 1, /**< equal after case folding, digits as 0, punctuation and space dropped */
    ALCORE_DEDUP_NONE = 2        /**< repeated texts stay */
};

/** What happens to a text that is not valid UTF-8. */
enum {
    ALCORE_UTF8_REFUSE = 0, /**< ALCORE_E_DATA that names row and byte */
    ALCORE_UTF8_REPLACE = 1 /**< each malformed sequence becomes U+FFFD, counted in a warning */
};

/** States of a row, as bits. A row with any bit set is masked: never selected, in no mean and no extreme. */
enum {
    ALCORE_ROW_EMPTY = 1,        /**< no word */
    ALCORE_ROW_DUPLICATE = 2,    /**< repeats an earlier row */
    ALCORE_ROW_LABELED = 4,      /**< its label is known */
    ALCORE_ROW_EXCLUDED = 8,     /**< taken out by the caller */
    ALCORE_ROW_FILTERED = 16,    /**< by length or share of letters */
    ALCORE_ROW_NAN = 32,         /**< a needed value is NaN or infinite, and nan=exclude was asked for */
    ALCORE_ROW_INELIGIBLE = 64,  /**< not among the rows the caller allows */
    ALCORE_ROW_KNOWN = 128,      /**< its text stands on the labelled side */
    ALCORE_ROW_MISSING = 256     /**< a column has no value for it, and masking was asked for */
};

/** Settings of a pool. Zero means default. */
typedef struct alcore_pool_options {
    size_t size;            /**< sizeof(alcore_pool_options) */
    int32_t dedup;          /**< ALCORE_DEDUP_* */
    int32_t utf8;           /**< ALCORE_UTF8_* */
    int64_t max_text_bytes; /**< longest text that is accepted; 0: 64 MiB */
} alcore_pool_options;
#define ALCORE_POOL_OPTIONS_INIT ALCORE_INIT(alcore_pool_options)

/** What ALCORE_POOL_OPTIONS_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_pool_options_init(alcore_pool_options *options, size_t size);

/** Records to be added, as parallel arrays of count entries; an array that is NULL is absent for all of them. Lengths may be NULL
 * for NUL-terminated strings. Strings are copied. */
typedef struct alcore_records {
    size_t size;                     /**< sizeof(alcore_records) */
    int64_t count;                   /**< records */
    const char *const *texts;        /**< [count] required, UTF-8 */
    const size_t *text_lengths;      /**< [count] bytes */
    const char *const *ids;          /**< [count]; NULL array or entry: the 1-based number of the row */
    const size_t *id_lengths;        /**< [count] */
    const char *const *references;   /**< [count] reference translations or labels */
    const size_t *reference_lengths; /**< [count] */
    const char *const *languages;    /**< [count] NUL-terminated tags; NULL: "unknown" */
    const char *const *groups;       /**< [count] NUL-terminated names of a group, such as a document */
    const double *costs;             /**< [count] >= 0 */
} alcore_records;
#define ALCORE_RECORDS_INIT ALCORE_INIT(alcore_records)

/** What ALCORE_RECORDS_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_records_init(alcore_records *records, size_t size);

/** Makes an empty pool.
 * @param[in] ctx kept @param[in] options borrowed, NULL for defaults @param[out] out owned
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOMEM, ALCORE_E_STRUCT_* */
ALCORE_API alcore_status alcore_pool_new(alcore_ctx *ctx, const alcore_pool_options *options, alcore_pool **out);

/** Takes another reference. @threadsafe @since 0.1 @return pool itself */
ALCORE_API alcore_pool *alcore_pool_ref(alcore_pool *pool);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_pool_unref(alcore_pool *pool);

/** Adds texts. All of them or, on failure, none. Texts that were handed out never move.
 * @param[in,out] pool changed
 * @param[in] count texts
 * @param[in] texts [count] borrowed, UTF-8, copied
 * @param[in] lengths [count] bytes, or NULL for NUL-terminated texts
 * @param[out] out_first row of the first text; may be NULL
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_DATA (names the row), ALCORE_E_NOMEM, ALCORE_E_BUSY */
ALCORE_API alcore_status alcore_pool_add_texts(alcore_pool *pool, int64_t count, const char *const *texts,
                                               const size_t *lengths, int64_t *out_first);

/** Adds records with ids, references, languages, groups and costs. As alcore_pool_add_texts(). */
ALCORE_API alcore_status alcore_pool_add_records(alcore_pool *pool, const alcore_records *records, int64_t *out_first);

/** Adds the records of a file, which may be compressed (.gz, .xz, .zst). All of them or, on failure, none.
 * @param[in,out] pool changed @param[in] path borrowed; "-" reads standard input
 * @param[in] options borrowed, NULL for defaults
 * @serialized per pool @callback progress @since 0.1
 * @return ALCORE_OK, ALCORE_E_IO, ALCORE_E_DATA (names file and line), ALCORE_E_UNSUPPORTED (format), ALCORE_E_CANCELLED */
ALCORE_API alcore_status alcore_pool_read(alcore_pool *pool, const char *path, const alcore_read_options *options);

struct ArrowArrayStream;

/** Adds the records of an Arrow C stream of structs: string or large string columns named as in TSV, numeric cost. A
 * null text is an empty text, so that rows stay those of the caller's table.
 * @param[in,out] stream consumed and released, also on failure
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_DATA, ALCORE_E_UNSUPPORTED (an Arrow type), ALCORE_E_CALLBACK */
ALCORE_API alcore_status alcore_pool_add_arrow(alcore_pool *pool, struct ArrowArrayStream *stream,
                                               const alcore_read_options *options);

/** Rows, masked ones included. @threadsafe @since 0.1 */
ALCORE_API int64_t alcore_pool_rows(const alcore_pool *pool);

/** Text of a row.
 * @param[out] out_length bytes; may be NULL @threadsafe @since 0.1
 * @return a view, NUL-terminated, valid until the pool is released; NULL when there is no such row */
ALCORE_API const char *alcore_pool_text(const alcore_pool *pool, int64_t row, size_t *out_length);

/** Id of a row: the caller's, or its 1-based number.
 * @param[out] buffer [24] room for a number when the row has no id of its own @threadsafe @since 0.1
 * @return a view or buffer; NULL when there is no such row */
ALCORE_API const char *alcore_pool_id(const alcore_pool *pool, int64_t row, char buffer[24]);

/** Reference of a row. @threadsafe @since 0.1 @return a view; NULL when it has none */
ALCORE_API const char *alcore_pool_reference(const alcore_pool *pool, int64_t row, size_t *out_length);

/** Language tag of a row. @threadsafe @since 0.1 @return a view, "unknown" without one; NULL: no such row */
ALCORE_API const char *alcore_pool_language(const alcore_pool *pool, int64_t row);

/** Group of a row. @threadsafe @since 0.1 @return a view; NULL when it has none */
ALCORE_API const char *alcore_pool_group(const alcore_pool *pool, int64_t row);

/** Cost of a row in units of the cost column. @threadsafe @since 0.1 @return NaN when it has none */
ALCORE_API double alcore_pool_cost(const alcore_pool *pool, int64_t row);

/** Words of a row: maximal runs without ASCII space, tab, CR, LF. @threadsafe @since 0.1 @return -1: no such row */
ALCORE_API int64_t alcore_pool_words(const alcore_pool *pool, int64_t row);

/** Finds the row with an id; the first one when several share it.
 * @param[in] length bytes of id @param[out] out_row -1 when there is none
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_pool_find(const alcore_pool *pool, const char *id, size_t length, int64_t *out_row);

/** State bits of every row: uint32 [rows], host.
 * @threadsafe @since 0.1 @return a view, valid until the next changing call on the pool; NULL for an empty pool */
ALCORE_API const uint32_t *alcore_pool_states(const alcore_pool *pool);

/** Rows that have any of the state bits; 0 counts the rows with none. @threadsafe @since 0.1 */
ALCORE_API int64_t alcore_pool_count(const alcore_pool *pool, uint32_t states);

/** Sets state bits of rows: alcore_pool_mark(pool, ALCORE_ROW_LABELED, rows, n) after their labels came back.
 * @param[in] states ALCORE_ROW_LABELED, _EXCLUDED, _FILTERED or _INELIGIBLE; the others follow from the texts
 * @param[in] rows int64 [count] borrowed
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND (names the row; nothing is marked), ALCORE_E_INVALID */
ALCORE_API alcore_status alcore_pool_mark(alcore_pool *pool, uint32_t states, const int64_t *rows, int64_t count);

/** Clears state bits of rows. As alcore_pool_mark(). */
ALCORE_API alcore_status alcore_pool_unmark(alcore_pool *pool, uint32_t states, const int64_t *rows, int64_t count);

/** Sets state bits of the rows whose text stands in another pool; texts are compared as the pool's dedup says.
 * @param[in,out] pool changed @param[in] states as alcore_pool_mark() @param[in] other borrowed, read
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_BUSY */
ALCORE_API alcore_status alcore_pool_mark_texts(alcore_pool *pool, uint32_t states, const alcore_pool *other);

/** Which rows alcore_pool_filter() masks. Zero means no limit. */
typedef struct alcore_filter {
    size_t size;        /**< sizeof(alcore_filter) */
    int64_t min_words;  /**< rows with fewer words are masked */
    int64_t max_words;  /**< rows with more words are masked; 0: no limit */
    double min_letters; /**< rows whose share of letters (and their marks) among non-space characters is lower are masked */
} alcore_filter;
#define ALCORE_FILTER_INIT ALCORE_INIT(alcore_filter)

/** What ALCORE_FILTER_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_filter_init(alcore_filter *filter, size_t size);

/** Sets or clears ALCORE_ROW_FILTERED of every row by a filter.
 * @serialized per pool @callback progress @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_CANCELLED */
ALCORE_API alcore_status alcore_pool_filter(alcore_pool *pool, const alcore_filter *filter);

/** Writes rows of a pool as TSV with the columns index, id and text; the file appears whole or not at all.
 * @param[in] rows int64 [count] @param[in] path borrowed; "-" is standard output @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (names the row), ALCORE_E_IO */
ALCORE_API alcore_status alcore_pool_write(const alcore_pool *pool, const int64_t *rows, int64_t count, const char *path);

/* ---- columns ---- */

/** Who owns the numbers of a column. */
enum {
    ALCORE_KEEP = 0,  /**< the library copies */
    ALCORE_BORROW = 1 /**< the caller keeps the array alive and unchanged until the column is dropped or the pool released */
};

/** What the numbers of a column mean. */
enum {
    ALCORE_MEANS_DEFAULT = 0,     /**< scores: uncertainty; probs, token_probs: probabilities; logprobs: natural logarithms */
    ALCORE_MEANS_UNCERTAINTY = 1, /**< larger = more uncertain */
    ALCORE_MEANS_CONFIDENCE = 2,  /**< larger = more certain: the score is 1 - value */
    ALCORE_MEANS_LOGPROB = 3,     /**< log-probability of the sentence: the score is minus the value */
    ALCORE_MEANS_PROBS = 4,       /**< class probabilities */
    ALCORE_MEANS_LOGPROBS = 5,    /**< logarithms of class probabilities */
    ALCORE_MEANS_LOGITS = 6       /**< class logits */
};

/** How a column is taken. Zero means default. */
typedef struct alcore_column_options {
    size_t size;         /**< sizeof(alcore_column_options) */
    int32_t ownership;   /**< ALCORE_KEEP or ALCORE_BORROW */
    int32_t meaning;     /**< ALCORE_MEANS_* */
    double log_base;     /**< base of log-probabilities; 0: e */
    const int64_t *rows; /**< [row_count] pool row of each entry, copied; NULL: one entry per pool row, in order */
    int64_t row_count;   /**< entries of rows */
    const char *offsets; /**< alcore_pool_read_column(): file with the int64 or uint64 offsets [rows + 1] of a ragged column */
    const char *format;  /**< alcore_pool_read_column(): "npy", "safetensors", "txt", "tsv", "lp", "marian", "fairseq"; NULL: suffix */
} alcore_column_options;
#define ALCORE_COLUMN_OPTIONS_INIT ALCORE_INIT(alcore_column_options)

/** What ALCORE_COLUMN_OPTIONS_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_column_options_init(alcore_column_options *options, size_t size);

/** Gives the pool a column. The usual names: "scores" [rows], "logprobs" ragged [tokens], "probs" [rows, classes], "embeddings"
 * [rows, dims], "token_probs" ragged [tokens, classes]. A column of that name is replaced.
 * @param[in,out] pool changed @param[in] name borrowed
 * @param[in] values values: float16|bfloat16|float32|float64 [rows] or [rows, n], host; strided rows are accepted, strided
 *   numbers within a row are refused with ALCORE_E_SHAPE
 * @param[in] offsets int64|uint64 [rows + 1] for a ragged column, host; NULL for one entry per row
 * @param[in] options borrowed, NULL for defaults
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_SHAPE (says what was expected), ALCORE_E_DATA, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_pool_set_column(alcore_pool *pool, const char *name, const alcore_tensor *values,
                                                const alcore_tensor *offsets, const alcore_column_options *options);

/** Gives the pool a column and takes over a DLPack tensor, which is released by its deleter when the column goes.
 * @param[in] values owned by the library from here on, also on failure @serialized per pool @since 0.1 */
ALCORE_API alcore_status alcore_pool_take_column(alcore_pool *pool, const char *name,
                                                 struct DLManagedTensorVersioned *values,
                                                 const alcore_column_options *options);

/** Gives the pool a column that stays in a file and is read in blocks: .npy, or a tensor of a .safetensors ("FILE:tensor"). Text
 * forms (.txt, .tsv, .lp, marian, fairseq), also compressed, are read at once; compressed arrays are refused. Rows that a form joined by
 * id does not name have no value.
 * @serialized per pool @callback progress @since 0.1
 * @return ALCORE_OK, ALCORE_E_IO, ALCORE_E_DATA, ALCORE_E_SHAPE (expected and found rows) */
ALCORE_API alcore_status alcore_pool_read_column(alcore_pool *pool, const char *name, const char *path,
                                                 const alcore_column_options *options);

/** Takes a column away. @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND */
ALCORE_API alcore_status alcore_pool_drop_column(alcore_pool *pool, const char *name);

/** Names of the columns, one a call. @threadsafe @since 0.1 @return a view; NULL past the last */
ALCORE_API const char *alcore_pool_column_name(const alcore_pool *pool, int64_t index);

/** A column as arrays, when it is in memory and has one entry per row in order.
 * @param[out] out_values a view, valid until the column is replaced or dropped
 * @param[out] out_offsets a view of int64 [rows + 1]; data is NULL for a column that is not ragged; may be NULL
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND, ALCORE_E_UNSUPPORTED (it stays in a file) */
ALCORE_API alcore_status alcore_pool_column(const alcore_pool *pool, const char *name, alcore_tensor *out_values,
                                            alcore_tensor *out_offsets);

/** Copies rows of a column, widened to float64, wherever the column lives. Rows without a value come as NaN.
 * @param[in] rows int64 [count] @param[out] out float64 [count, n], host
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND, ALCORE_E_SHAPE (a ragged column), ALCORE_E_IO */
ALCORE_API alcore_status alcore_pool_column_rows(const alcore_pool *pool, const char *name, const int64_t *rows,
                                                 int64_t count, double *out);

/** Writes a column to a file, which appears whole or not at all: .npy, .tsv (id TAB numbers, unmasked rows) or .lp (id TAB token
 * values). "-" is standard output, as .lp for a ragged column and .tsv for others.
 * @param[in] path borrowed @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND, ALCORE_E_SHAPE (the format cannot hold the column), ALCORE_E_UNSUPPORTED, ALCORE_E_IO */
ALCORE_API alcore_status alcore_pool_write_column(const alcore_pool *pool, const char *name, const char *path);

/* ---- column writer ---- */

/** Collects a column in any order, from the caller's loop or from a model's functions. */
typedef struct alcore_column_writer alcore_column_writer;

/** Shapes of a written column. */
enum {
    ALCORE_COLUMN_SCALAR = 0, /**< one number per row */
    ALCORE_COLUMN_DENSE = 1,  /**< n numbers per row; n is that of the first put */
    ALCORE_COLUMN_RAGGED = 2, /**< tokens per row: lengths are needed at every put */
    ALCORE_COLUMN_RAGGED_DENSE = 3 /**< tokens per row, n numbers per token */
};

/** What finish does with rows that were never put. */
enum {
    ALCORE_MISSING_FAIL = 0, /**< ALCORE_E_MISSING that names the first of them and their count */
    ALCORE_MISSING_MASK = 1  /**< they get ALCORE_ROW_MISSING */
};

/** Begins a column of a pool. It covers the rows that the pool has now.
 * @param[in] pool kept @param[in] name borrowed @param[in] shape ALCORE_COLUMN_* @param[out] out owned
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_column_writer_new(alcore_pool *pool, const char *name, int32_t shape,
                                                  alcore_column_writer **out);

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_column_writer *alcore_column_writer_ref(alcore_column_writer *writer);

/** Drops a reference; a column that was not finished is forgotten. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_column_writer_unref(alcore_column_writer *writer);

/** Gives the values of some rows, in any order. A row given twice keeps its first value and is counted.
 * @param[in] rows int64 [count] borrowed
 * @param[in] values float16|bfloat16|float32|float64 [count], [count, n], [tokens] or [tokens, n], host, any strides; stored as
 *   float32 (float64 stays)
 * @param[in] lengths int64 [count] tokens of each row for ragged columns, else NULL
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND (a row), ALCORE_E_SHAPE, ALCORE_E_NOMEM; nothing is taken on failure */
ALCORE_API alcore_status alcore_column_writer_put(alcore_column_writer *writer, const int64_t *rows, int64_t count,
                                                  const alcore_tensor *values, const int64_t *lengths);

/** Rows that were given more than once. @threadsafe @since 0.1 */
ALCORE_API int64_t alcore_column_writer_repeats(const alcore_column_writer *writer);

/** Rows not given yet, ascending; masked rows are not waited for.
 * @param[out] rows int64 [capacity] filled as far as it goes; may be NULL when capacity is 0
 * @threadsafe @since 0.1 @return the number of missing rows */
ALCORE_API int64_t alcore_column_writer_missing(const alcore_column_writer *writer, int64_t *rows, int64_t capacity);

/** Saves what was put to a file, for another process to merge. @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_IO */
ALCORE_API alcore_status alcore_column_writer_save(alcore_column_writer *writer, const char *path);

/** Adds what another process saved for the same pool and column; rows present already keep their first value.
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_IO, ALCORE_E_CORRUPT, ALCORE_E_SHAPE (another pool, name or shape) */
ALCORE_API alcore_status alcore_column_writer_merge(alcore_column_writer *writer, const char *path);

/** Gives the column to the pool. The writer takes no more values afterwards.
 * @param[in] missing ALCORE_MISSING_*
 * @serialized per pool @since 0.1 @return ALCORE_OK, ALCORE_E_MISSING (the writer stays usable), ALCORE_E_BUSY */
ALCORE_API alcore_status alcore_column_writer_finish(alcore_column_writer *writer, int32_t missing);

ALCORE_END

#endif
