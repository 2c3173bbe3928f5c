/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The pool: rows of text with their states and columns.
 *
 * A row number is permanent: row i is the i-th record that was added, over all files and calls.
 * Rows are never removed, moved or renumbered; a row that must not be selected (a duplicate, an
 * empty text, a labeled, excluded or filtered row) has a state that says so. Every column has one
 * entry per row: numbers, a list of numbers per token, or a text.
 *
 * A derived pool has rows that were taken from rows of another pool, such as the phrases of its
 * sentences. It is a pool in every respect (budgets, masks, reports and models work on it); its
 * columns "first_row", "first_position" and "source_rows" say where each row came from. */
#ifndef ALCORE_POOL_H
#define ALCORE_POOL_H

#include "alcore/context.h"
#include "alcore/format.h"

ALCORE_BEGIN

/** A pool. Calls that read it may run at the same time; a call that changes it returns
 * ALCORE_E_BUSY while any other call uses the pool. Functions that return no status cannot return
 * ALCORE_E_BUSY: none may run while another thread changes the pool. */
typedef struct alcore_pool alcore_pool;

/** How a later row with the text of an earlier one is treated. */
enum alcore_dedup {
    ALCORE_DEDUP_EXACT = 1001, /**< byte-equal texts: the later row is masked */
    /** Equal after case folding, digits as 0, punctuation and space dropped. */
    ALCORE_DEDUP_NORMALIZED = 1002,
    ALCORE_DEDUP_NONE = 1003 /**< repeated texts stay */
};

/** What happens to a text that is not valid UTF-8. */
enum alcore_malformed_text {
    ALCORE_UTF8_REFUSE = 1101, /**< ALCORE_E_DATA that names row and byte */
    /** Each malformed sequence, and each NUL, becomes U+FFFD, counted in a warning */
    ALCORE_UTF8_REPLACE = 1102
};

/** States of a row, as bits. A row with any bit set is masked: it is never selected and counts in
 * no mean and no extreme. A labeled row takes part in strategies that read labeled rows. */
enum alcore_row_state {
    ALCORE_ROW_EMPTY = 0x10000,     /**< the text has no word */
    ALCORE_ROW_DUPLICATE = 0x20000, /**< the text repeats that of an earlier row */
    ALCORE_ROW_LABELED = 0x40000,   /**< the label is known */
    ALCORE_ROW_EXCLUDED = 0x80000,  /**< excluded by the caller */
    ALCORE_ROW_FILTERED = 0x100000, /**< masked by alcore_pool_filter() or by the caller */
    /** A value that the strategy needs is NaN or infinite, and the request has nan=exclude. Never
     * set in a pool: it belongs to one request. The provenance of the selection counts such rows.
     */
    ALCORE_ROW_NAN = 0x200000,
    ALCORE_ROW_INELIGIBLE = 0x400000, /**< not among the rows that the caller allows */
    /** The labeled pool of the request has the same text. Never set in a pool: it belongs to one
     * request. The provenance of the selection counts such rows. */
    ALCORE_ROW_KNOWN = 0x800000,
    /** A column has no value for it and ALCORE_MISSING_MASK was asked for. */
    ALCORE_ROW_MISSING = 0x1000000,
    /** Its line of the file was no record: ALCORE_BAD_LINES_MASK */
    ALCORE_ROW_MALFORMED = 0x2000000
};

/** Which rows may have the same id. A row that was given none has its number from 1 for one; a
 * malformed row has none. */
enum alcore_repeated_ids {
    /** None: a repeated id is ALCORE_E_DATA, which names both places */
    ALCORE_IDS_UNIQUE = 1201,
    /** Rows that were added by different calls, as files of a role whose rows nobody looks up may
     * number their rows alike. alcore_pool_find() then gives the first row. */
    ALCORE_IDS_PER_CALL = 1202,
    /** Any rows: for texts whose ids play no part, such as a training set that repeats some texts
     * on purpose. A file whose references are joined by id has to have each id once all the same.
     */
    ALCORE_IDS_ANY = 1203
};

/** Settings of a pool. Zero means default. */
typedef struct alcore_pool_options {
    size_t size;            /**< sizeof(alcore_pool_options) */
    int32_t dedup;          /**< ALCORE_DEDUP_*; 0: _EXACT */
    int32_t utf8;           /**< ALCORE_UTF8_*; 0: _REFUSE */
    int64_t max_text_bytes; /**< longest text that is accepted; 0: 64 MiB */
    int32_t repeated_ids;   /**< ALCORE_IDS_*; 0: _UNIQUE */
    int32_t reserved;       /**< pads: 0, checked */
} alcore_pool_options;
/** An alcore_pool_options with its size set and everything else 0. */
#define ALCORE_POOL_OPTIONS_INIT ALCORE_INIT(alcore_pool_options)

/** Records to be added, as parallel arrays of count entries. The count stands behind the texts and
 * their lengths, which every record has; the arrays after it have as many entries. Where an array
 * is NULL no record has such a thing; where a string is NULL its record has none. Lengths may be
 * NULL for NUL-terminated strings. Everything is copied. */
typedef struct alcore_records {
    size_t size;                /**< sizeof(alcore_records) */
    const char *const *texts;   /**< [count] UTF-8; NULL only if count is 0 */
    const size_t *text_lengths; /**< [count] bytes */
    int64_t count;              /**< records */
    const char *const *ids;   /**< [count] UTF-8; absent or empty: the 1-based number of the row */
    const size_t *id_lengths; /**< [count] bytes */
    const char *const *references;   /**< [count] reference translations or labels */
    const size_t *reference_lengths; /**< [count] bytes */
    const char *const *languages;    /**< [count] NUL-terminated tags; absent, empty: "unknown" */
    /** [count] NUL-terminated names of a group, such as a document; empty: none */
    const char *const *groups;
    const double *costs; /**< [count] finite and >= 0 */
} alcore_records;
/** An alcore_records with its size set and everything else 0. */
#define ALCORE_RECORDS_INIT ALCORE_INIT(alcore_records)

/** Makes an empty pool.
 * @param[in] ctx kept
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_new(alcore_ctx *ctx, const alcore_pool_options *options,
                                         alcore_pool **out);

/** Makes an empty pool for rows that are taken from rows of another pool, such as the phrases of
 * its sentences. The new pool keeps the other one alive. Its columns "first_row" and "source_rows"
 * (see alcore_pool_set_column()) must name rows of that pool.
 * @param[in] source kept: the pool that the rows come from
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_new_derived(alcore_pool *source,
                                                 const alcore_pool_options *options,
                                                 alcore_pool **out);

/** The pool that the rows of a derived pool come from.
 * @param[in] pool borrowed
 * @return a view, valid until the pool is released; NULL: the pool is not derived
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_pool *alcore_pool_source(const alcore_pool *pool);

/** Takes another reference.
 * @param[in] pool the handle; NULL is allowed
 * @return owned: pool itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_pool *alcore_pool_ref(alcore_pool *pool);

/** Drops a reference; the last one releases the pool with its texts and columns.
 * @param[in] pool the caller's reference; NULL is allowed
 * @threadsafe
 * @callback alcore_column_options.release of its columns
 * @since 1.0 */
ALCORE_API void alcore_pool_unref(alcore_pool *pool);

/** Adds texts. All of them or, on failure, none. Texts that were handed out never move.
 * @param[in,out] pool borrowed, changed
 * @param[in] texts kept: copied; [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts, 0 or more
 * @param[out] out_first row of the first text; 0 on failure; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names the row: a text too long, with a NUL or
 * not UTF-8), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_add_texts(alcore_pool *pool, const char *const *texts,
                                               const size_t *lengths, int64_t count,
                                               int64_t *out_first);

/** Adds texts that lie in one block, as columnar memory and most languages' string builders have
 * them. All of them or, on failure, none. Texts that were handed out never move.
 * @param[in,out] pool borrowed, changed
 * @param[in] bytes kept: copied; UTF-8, without NULs between the texts; NULL only if there is no
 *   byte
 * @param[in] offsets borrowed: int64 [count + 1], host: text i is the bytes from offsets[i] up to
 *   offsets[i + 1], which never falls; the first need not be 0. NULL only if count is 0
 * @param[in] count texts, 0 or more
 * @param[out] out_first row of the first text; 0 on failure; NULL is allowed
 * @return as alcore_pool_add_texts(); ALCORE_E_DATA also for offsets that fall
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_add_utf8(alcore_pool *pool, const char *bytes,
                                              const int64_t *offsets, int64_t count,
                                              int64_t *out_first);

/** Adds records with ids, references, languages, groups and costs. All of them or, on failure,
 * none.
 * @param[in,out] pool borrowed, changed
 * @param[in] records kept: copied
 * @param[out] out_first row of the first record; 0 on failure; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names the row: a string too long, with a NUL
 * or not UTF-8, a negative or infinite cost), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 * ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_add_records(alcore_pool *pool, const alcore_records *records,
                                                 int64_t *out_first);

/** Adds the records of a file of text, TSV, CSV or JSONL, which may be compressed (.gz, .xz, .zst),
 * and with alcore_read_options.references their references from a second file. All of them or, on
 * failure, none. docs/formats.md has the rules.
 * @param[in,out] pool borrowed, changed
 * @param[in] path borrowed; "-" reads standard input
 * @param[in] options borrowed; NULL: defaults
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (a format of columns was asked for, or an
 * option that the format has not, or a column that a file of CoNLL has not), ALCORE_E_IO,
 * ALCORE_E_DATA (names file and line; or a suffix of a format that is not read; or two
 * files with different numbers of records), ALCORE_E_UNSUPPORTED (a compression that this build
 * lacks), ALCORE_E_CANCELLED, ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_read(alcore_pool *pool, const char *path,
                                          const alcore_read_options *options);

/** The Arrow C stream interface, of alcore/arrow.h. */
struct ArrowArrayStream;

/** Adds the records of an Arrow C stream of structs: string, large string or string view columns
 * named as in TSV, and a numeric cost, integer, floating-point or decimal. Ids, groups and
 * references may be integers, of which the digits are taken; every column may be a dictionary of
 * these types, or of nulls only. Columns of other names are left alone, whatever their type. A null
 * text becomes an empty text, so that row numbers agree with the caller's table. All of them or, on
 * failure, none.
 * @param[in,out] pool borrowed, changed
 * @param[in] stream owned by the library once reading has begun: the call has then released it, and
 *   its release member is NULL, whether the call succeeds or not. A call that fails earlier
 *   (ALCORE_E_BUSY, ALCORE_E_CANCELLED, ALCORE_E_INVALID, ALCORE_E_STRUCT_*) leaves it untouched
 * @param[in] options borrowed; only text_column and reference_column apply; NULL:
 *   defaults
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names row or column), ALCORE_E_UNSUPPORTED
 * (an Arrow type, or an extension type such as arrow.json, in a column that is read),
 *   ALCORE_E_CALLBACK (the stream failed), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY,
 *   ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback the stream's functions, progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_add_arrow(alcore_pool *pool, struct ArrowArrayStream *stream,
                                               const alcore_read_options *options);

/** The number of rows, masked ones included.
 * @param[in] pool borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_pool_row_count(const alcore_pool *pool);

/** Text of a row.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @param[out] out_length bytes without the NUL; 0 without such a row; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the pool is released; NULL: no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_text(const alcore_pool *pool, int64_t row, size_t *out_length);

/** Id of a row: the caller's, or its 1-based number. Numbers become texts when they are first asked
 * for, 1024 rows at a time, in memory of the pool.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @return a view, UTF-8, NUL-terminated, valid until the pool is released; NULL: no such row,
 *   or no memory for the text of a number
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_row_id(const alcore_pool *pool, int64_t row);

/** Reference of a row.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @param[out] out_length bytes without the NUL; 0 without one; NULL is allowed
 * @return a view, valid until the pool is released; NULL: it has none, or no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_reference(const alcore_pool *pool, int64_t row,
                                             size_t *out_length);

/** Language tag of a row.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @return a view, valid until the pool is released, "unknown" without a tag; NULL: no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_language(const alcore_pool *pool, int64_t row);

/** Distinct language tags of all rows in byte order, one a call; "unknown" is among them when a row
 * has none.
 * @param[in] pool borrowed
 * @param[in] index from 0
 * @return a view, valid until rows are added or the pool is released; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_distinct_language(const alcore_pool *pool, int64_t index);

/** Group of a row.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @return a view, valid until the pool is released; NULL: it has none, or no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_group(const alcore_pool *pool, int64_t row);

/** Cost of a row.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @return units of the cost column, >= 0; NaN: it has none, or no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_pool_cost(const alcore_pool *pool, int64_t row);

/** Words of a row: maximal runs without ASCII space, TAB, CR and LF.
 * @param[in] pool borrowed
 * @param[in] row a row number
 * @return 0 or more; -1: no such row
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_pool_words(const alcore_pool *pool, int64_t row);

/** Hash of the texts in their order. Two pools with the same texts in the same order have the same
 * fingerprint; ids, states and columns are not part of it. Files of column writers carry it, so
 * that a file is only merged into a pool with the same texts.
 * @param[in] pool borrowed
 * @return 64 bits, the same on every machine; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API uint64_t alcore_pool_fingerprint(const alcore_pool *pool);

/** Sets the references (translations or labels) of rows: how labels that come back enter the pool.
 * All of them or, on failure, none. An earlier reference of a row is replaced; its text stays
 * allocated until the pool is released, so that views of it stay valid. The states of the rows do
 * not change: alcore_pool_mark() with ALCORE_ROW_LABELED says that they are labeled.
 * @param[in,out] pool borrowed, changed
 * @param[in] rows borrowed: int64 [count], host; the last entry counts for a row that is listed
 * twice; NULL only if count is 0
 * @param[in] references kept: copied; [count] UTF-8; an entry that is NULL removes the reference of
 *   its row; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the references are NUL-terminated
 * @param[in] count entries of each array, 0 or more
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the row), ALCORE_E_DATA (names the
 *   row: too long, with a NUL or not UTF-8), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_references(alcore_pool *pool, const int64_t *rows,
                                                    const char *const *references,
                                                    const size_t *lengths, int64_t count);

/** Sets the costs of rows. All of them or, on failure, none.
 * @param[in,out] pool borrowed, changed
 * @param[in] rows borrowed: int64 [count], host; the last entry counts for a row that is listed
 * twice; NULL only if count is 0
 * @param[in] costs borrowed: float64 [count], host, finite and >= 0; NaN removes the cost of its
 *   row; NULL only if count is 0
 * @param[in] count entries of each array, 0 or more
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the row), ALCORE_E_DATA (names the
 *   row: a negative or infinite cost), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_costs(alcore_pool *pool, const int64_t *rows,
                                               const double *costs, int64_t count);

/** Finds the row with an id: the first one when several share it, which repeated_ids may allow. A
 * malformed row has none, and another row without an id of its own is
 * found by its 1-based number.
 * @param[in] pool borrowed
 * @param[in] id borrowed, need not be NUL-terminated
 * @param[in] length bytes of id
 * @param[out] out_row the row; -1 when there is none
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND, ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_find(const alcore_pool *pool, const char *id, size_t length,
                                          int64_t *out_row);

/** What alcore_pool_join() joins. Zero means default. */
typedef struct alcore_join_options {
    size_t size;               /**< sizeof(alcore_join_options) */
    int32_t by;                /**< ALCORE_JOIN_*; 0: by ids where both have them */
    int32_t reserved;          /**< pads: 0, checked */
    const char *texts_name;    /**< borrowed; of the texts in messages, such as their file; NULL: a
                                    general name */
    const char *partners_name; /**< the same of the partners */
    const int64_t *rows; /**< [row_count] rows of the texts that need a partner; NULL: all rows */
    int64_t row_count;   /**< entries of rows; not read without them */
} alcore_join_options;
/** An alcore_join_options with its size set and everything else 0. */
#define ALCORE_JOIN_OPTIONS_INIT ALCORE_INIT(alcore_join_options)

/** Finds which row of another pool belongs to each row of a pool: translations, predictions or
 * values of texts that were read into a pool of their own. Ids count where all rows of both pools
 * were given one, in any order, else the numbers of the rows; options.by changes that.
 * @param[in] texts borrowed
 * @param[in] partners borrowed
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out_rows [rows of texts, or row_count] row of the partners; -1 for a malformed row of
 *   the texts, and where a malformed row of the partners excuses that there is none
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such row), ALCORE_E_DATA (texts
 *   without a partner: the count and the first five ids; rows of which some have ids; an id of two
 *   rows; without ids another number of rows), ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_join(const alcore_pool *texts, const alcore_pool *partners,
                                          const alcore_join_options *options, int64_t *out_rows);

/** State bits of every row: uint32 [rows], host.
 * @param[in] pool borrowed
 * @return a view, valid until the next changing call on the pool; NULL for an empty pool
 * @threadsafe
 * @since 1.0 */
ALCORE_API const uint32_t *alcore_pool_states(const alcore_pool *pool);

/** Counts rows by state.
 * @param[in] pool borrowed
 * @param[in] states ALCORE_ROW_* bits, of which a row has one or more; 0: rows that have none
 * @return the number of rows; 0 for NULL, and for bits that are no ALCORE_ROW_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_pool_state_count(const alcore_pool *pool, uint32_t states);

/** Sets state bits of rows: alcore_pool_mark(pool, ALCORE_ROW_LABELED, rows, n) after their labels
 * came back.
 * @param[in,out] pool borrowed, changed
 * @param[in] states ALCORE_ROW_LABELED, _EXCLUDED, _FILTERED or _INELIGIBLE; the others follow from
 *   the texts, from columns or from a request
 * @param[in] rows borrowed: int64 [count], host; a row may be listed twice; NULL only if count is 0
 * @param[in] count entries of rows, 0 or more
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (names the row; nothing is marked), ALCORE_E_INVALID,
 *   ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_mark(alcore_pool *pool, uint32_t states, const int64_t *rows,
                                          int64_t count);

/** Clears state bits of rows.
 * @param[in,out] pool borrowed, changed
 * @param[in] states as for alcore_pool_mark()
 * @param[in] rows borrowed: int64 [count], host; NULL only if count is 0
 * @param[in] count entries of rows, 0 or more
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (names the row; nothing is changed), ALCORE_E_INVALID,
 *   ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_unmark(alcore_pool *pool, uint32_t states, const int64_t *rows,
                                            int64_t count);

/** Sets state bits of the rows whose text is also in another pool; texts are compared as the pool's
 * dedup says, byte by byte with ALCORE_DEDUP_NONE.
 * @param[in,out] pool borrowed, changed
 * @param[in] states as for alcore_pool_mark()
 * @param[in] other borrowed, read; another pool than pool
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY (either
 * pool)
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_mark_texts(alcore_pool *pool, uint32_t states,
                                                const alcore_pool *other);

/** Which rows alcore_pool_filter() masks. Zero means no limit. */
typedef struct alcore_filter {
    size_t size;       /**< sizeof(alcore_filter) */
    int64_t min_words; /**< rows with fewer words are masked; 0: no limit */
    int64_t max_words; /**< rows with more words are masked; 0: no limit */
    /** 0 to 1: rows whose share of letters (and their marks) among non-space characters is lower
     * are masked; 0: no limit */
    double min_letters;
} alcore_filter;
/** An alcore_filter with its size set and everything else 0. */
#define ALCORE_FILTER_INIT ALCORE_INIT(alcore_filter)

/** Sets or clears ALCORE_ROW_FILTERED of every row by a filter.
 * @param[in,out] pool borrowed, changed
 * @param[in] filter borrowed; NULL: no limit, which clears the state
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY,
 *   ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_filter(alcore_pool *pool, const alcore_filter *filter);

/** Writes rows of a pool, to be read again: as TSV or CSV with the columns index, id and text, and
 * reference, lang, group and cost where a written row has one; as JSONL with the same values; or
 * their texts only. What is written as TSV, CSV or JSONL is read as the same records, an empty
 * reference as none. A file appears whole or not at all and replaces one of the same name; standard
 * output is written as it comes.
 * @param[in] pool borrowed
 * @param[in] rows borrowed: int64 [count], host, in the order to be written; NULL only if count is
 * 0
 * @param[in] count entries of rows, 0 or more
 * @param[in] path borrowed; "-" is standard output
 * @param[in] options borrowed: ALCORE_FORMAT_TEXT, _TSV, _JSONL or _CSV; NULL: by the suffix
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the row), ALCORE_E_UNSUPPORTED
 *   (the format or suffix, a compressed file), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by
 *   progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_write(const alcore_pool *pool, const int64_t *rows,
                                           int64_t count, const char *path,
                                           const alcore_write_options *options);

ALCORE_END

#endif
