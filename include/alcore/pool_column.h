/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Columns of a pool: one entry per row, in memory or in a file, and the writer that collects a
 * column in any order. */
#ifndef ALCORE_POOL_COLUMN_H
#define ALCORE_POOL_COLUMN_H

#include "alcore/pool.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** Who owns the numbers of a column. */
enum alcore_ownership {
    /** The library copies: to host memory, or on the device where floating-point values are */
    ALCORE_KEEP = 1301,
    /** The library reads the caller's array in place, on a device too: it must stay alive and
     * unchanged until the column is replaced, dropped or released with its pool.
     * alcore_column_options.release tells when that is. */
    ALCORE_BORROW = 1302
};

/** What the numbers of a column mean. 0: what its name says, of "scores" uncertainty, of
 * "probs" and "token_probs" probabilities, of "logprobs" logarithms of probabilities; other
 * columns have no other meaning. */
enum alcore_meaning {
    ALCORE_MEANS_UNCERTAINTY = 1401, /**< larger = more uncertain */
    ALCORE_MEANS_CONFIDENCE = 1402,  /**< larger = more certain: the score is 1 - value */
    /** Log-probability of the sentence: the score is minus the value */
    ALCORE_MEANS_LOGPROB = 1403,
    ALCORE_MEANS_PROBS = 1404,    /**< class probabilities: two or more, which add up to 1 */
    ALCORE_MEANS_LOGPROBS = 1405, /**< logarithms of class probabilities */
    ALCORE_MEANS_LOGITS = 1406,   /**< class logits */
    /** Probability of the positive one of two classes, [rows] or [rows, 1], a token likewise */
    ALCORE_MEANS_SIGMOID = 1407,
    /** Probabilities of labels that do not exclude each other, [rows, labels], a token likewise:
     * each in [0, 1], of any sum */
    ALCORE_MEANS_MULTILABEL = 1408
};

/** Shapes of a column. */
enum alcore_column_shape {
    ALCORE_COLUMN_SCALAR = 1501, /**< one value per row: [rows] */
    ALCORE_COLUMN_DENSE = 1502,  /**< n values per row: [rows, n] */
    ALCORE_COLUMN_RAGGED = 1503, /**< one value per token: [tokens], with offsets [rows + 1] */
    /** n values per token: [tokens, n], with offsets [rows + 1] */
    ALCORE_COLUMN_RAGGED_DENSE = 1504
};

/** How a column is given. What is 0 or unset means the default. */
typedef struct alcore_column_options {
    size_t size;       /**< sizeof(alcore_column_options) */
    int32_t ownership; /**< ALCORE_KEEP or ALCORE_BORROW; 0: ALCORE_KEEP */
    int32_t meaning;   /**< ALCORE_MEANS_*; 0: what its name says */
    double log_base;   /**< base of logprobs, and of scores that are ALCORE_MEANS_LOGPROB, above 1;
                            unset: e. Refused for other numbers, and for the format "fairseq" */
    /** borrowed: [row_count] pool row of each entry, each once; NULL: one entry per pool row, in
     * order */
    const int64_t *rows;
    int64_t row_count; /**< entries of rows */
    /** For alcore_pool_read_column(): file with the offsets [rows + 1], integers of any width, of a
     * ragged column; NULL: not ragged, or a text form */
    const char *offsets;
    /** For alcore_pool_read_column(): "npy", "safetensors", "txt", "tsv", "csv", "lp",
     * "marian", "fairseq" or "pharaoh" (links of words, a line an entry: `0-0 1-2`); NULL: by the
     * suffix, an array when it is none of .txt, .tsv, .csv and .lp */
    const char *format;
    /** For ALCORE_BORROW: called once with release_user when the library has read the array for the
     * last time, on the thread that drops the column; never after a call that failed. It may
     * release a DLPack tensor or unmap a file. NULL: nothing is called */
    void (*release)(void *user);
    void *release_user; /**< first argument of release */
    /** The stream (cudaStream_t) in whose order values and offsets on a device are ready; NULL: the
     * default stream. The call waits until the work that is in it is done, and later readers use
     * streams of the library: the stream need not live on. Not used for arrays on the host and
     * files; refused for texts */
    void *stream;
    /** For a column writer: 1: values that are put on a CUDA device are copied to memory of it, in
     * their type, and the finished column is on that device as one of alcore_pool_set_column() is;
     * 0: they are copied to host memory. They come to host memory too once one put is on the host,
     * on another device or of another type, when the writer is saved, for integers, and where less
     * than a quarter of the device's memory would stay free, which the log says */
    int32_t on_device;
    /** For columns of Arrow (alcore/arrow.h), how lists are read: ALCORE_COLUMN_RAGGED: as tokens;
     * ALCORE_COLUMN_DENSE: as vectors of one length; 0: as the name says, and as vectors where it
     * says nothing */
    int32_t shape;
} alcore_column_options;
/** An alcore_column_options with its size set, log_base unset and everything else 0. */
#define ALCORE_COLUMN_OPTIONS_INIT ALCORE_INIT_1(alcore_column_options, log_base, ALCORE_UNSET)

/** Gives the pool a column of numbers. A column of that name is replaced; rows that are added later
 * have no value in it. Any name is allowed; these have a meaning, and their numbers are checked to
 * be floating-point or integers as listed:
 *
 *     scores          float [rows]             uncertainty of each row
 *     logprobs        float, ragged [tokens]   log-probability of each token
 *     probs           float [rows, classes]    class probabilities
 *     embeddings      float [rows, dims]       a vector per row
 *     token_probs     float, ragged [tokens, classes]
 *     sample_probs    float [samples, rows, classes], or ragged [samples of all rows, classes]
 *                                              class probabilities by several passes of a model, or
 *                                              by several models
 *     margins         float [rows] or ragged   difference of the two largest probabilities, of the
 *                                              row or of each token
 *     confidences     float [rows] or ragged   largest probability, of the row or of each token
 *     entropies       float [rows] or ragged   entropy of the probabilities, of the row or of each
 *                                              token
 *     mlm_losses      float, ragged [tokens]   minus the logarithm of each token's probability by a
 *                                              masked language model, in nats
 *     factors         float [rows, n]          the other factor of BADGE's gradients
 *     qa_start        float, ragged [tokens]   probability that an answer begins at the token
 *     qa_end          float, ragged [tokens]   probability that an answer ends at the token
 *     qa_windows      integer or float, ragged [windows]  number of tokens of each window that the
 *                                              context of a question was cut into, in their order
 *     roundtrip       texts [rows]             the text translated and translated back
 *     qa_contexts     texts [rows]             where the answer to a row's text, a question, is
 *                                              sought: a model of question answering reads both
 *     occurrences     integer [rows]           how often a phrase occurs in the source pool
 *     first_row       integer [rows]           row of the source pool with its first occurrence
 *     first_position  integer [rows]           word, from 0, at which that occurrence begins
 *     source_rows     integer, ragged [tokens] rows of the source pool that contain it, ascending
 *
 * The last four belong to derived pools: alcore_pool_new_derived(). Selections of phrases by
 * huds-phrase read two more where they are given: word_embeddings, float, ragged [words, n]; and
 * links, integer, ragged [links, 2]: a word of the row and a token, both from 0, of the hypothesis
 * whose log-probabilities the column logprobs has (alcore_links_get() gives such arrays).
 *
 * Values on a CUDA device need the module of that engine. Floating-point values stay there: a
 * selection or search on that device, which is what "auto" chooses then, reads them in place, and
 * whatever is computed on the host reads them in blocks that are copied. A selection or search for
 * which another device is named is ALCORE_E_INVALID. With ALCORE_BORROW they are read in the
 * caller's memory. They are copied once to memory of their device that the column owns with
 * ALCORE_KEEP, where options.rows gives tokens another order, or entries to more than half of the
 * pool's rows (each row of the pool has memory then), and where there are gaps between tokens. No
 * such copy is made where less than a quarter of the device's memory would stay free, and a warning
 * in the log says so: values that are kept, and tokens with gaps, are copied to host memory, others
 * are put in order on the host in blocks, as they are read. Offsets and integers are copied to host
 * memory. The calling thread's current CUDA context is as before when a call returns.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name, UTF-8 of 1 to 4096 bytes
 * @param[in] values kept, or borrowed with ALCORE_BORROW:
 *   float16|bfloat16|float32|float64|int32|int64 [rows], [rows, n], [tokens] or [tokens, n], any
 *   device; of sample_probs without offsets also [samples, rows, n], which is copied to host
 *   memory with ALCORE_KEEP or from a device; there may be gaps between rows and samples, but
 *   strided values within a row are ALCORE_E_SHAPE. The smallest integer of a type means "no
 *   value", as NaN does
 * @param[in] offsets kept: copied; int64|uint64 [rows + 1], any device, from 0 to the number of
 *   tokens, never falling; NULL: one entry per row
 * @param[in] options borrowed; NULL: defaults
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (says what was expected), ALCORE_E_DATA
 * (offsets that fall, a row given twice), ALCORE_E_NOT_FOUND (a row of options; a row of the source
 * pool), ALCORE_E_MODULE (an array on a device whose module is not there), ALCORE_E_UNSUPPORTED (no
 * such device), ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log; alcore_column_options.release of a column that is replaced
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_column(alcore_pool *pool, const char *name,
                                                const alcore_tensor *values,
                                                const alcore_tensor *offsets,
                                                const alcore_column_options *options);

/** Gives the pool a column of texts. A column of that name is replaced; rows that are added later
 * have no text in it. alcore_pool_column_text() reads it.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name
 * @param[in] texts kept: copied; [count] UTF-8; an entry that is NULL leaves its row without a
 * text; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count entries of texts: the rows of the pool, or those of options
 * @param[in] options borrowed; only rows and row_count apply; NULL: one text per row, in order
 * @return ALCORE_OK, ALCORE_E_INVALID (also: another option is set), ALCORE_E_SHAPE (expected and
 *   found texts; a name whose column is numeric), ALCORE_E_DATA (names the entry: too long, with a
 *   NUL or not UTF-8; a row given twice), ALCORE_E_NOT_FOUND (a row of options), ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log; alcore_column_options.release of a column that is replaced
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_set_text_column(alcore_pool *pool, const char *name,
                                                     const char *const *texts,
                                                     const size_t *lengths, int64_t count,
                                                     const alcore_column_options *options);

/** Gives the pool a column from a file. A .npy, or a tensor of a .safetensors ("FILE:TENSOR"),
 * stays in its file and is read in blocks whenever it is needed: the file must stay as it is, and
 * must not be compressed or a stream. Text forms (.txt, .tsv, .csv, .lp, Marian, fairseq) are read
 * at once and may be compressed; rows that a form joined by id does not name have no value.
 * docs/formats.md has the rules.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name
 * @param[in] path borrowed
 * @param[in] options borrowed; NULL: defaults, one entry per row in order
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file and line; a
 * compressed array), ALCORE_E_SHAPE (expected and found rows), ALCORE_E_NOT_FOUND (an id, a row of
 * options), ALCORE_E_UNSUPPORTED, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY,
 * ALCORE_E_STRUCT_*
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files; files also later, from any thread;
 *   alcore_column_options.release of a column that is replaced
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_read_column(alcore_pool *pool, const char *name,
                                                 const char *path,
                                                 const alcore_column_options *options);

/** Removes a column.
 * @param[in,out] pool borrowed, changed
 * @param[in] name borrowed: the column's name
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the nearest), ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback alcore_column_options.release of the column
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_drop_column(alcore_pool *pool, const char *name);

/** Names of the columns, one a call.
 * @param[in] pool borrowed
 * @param[in] index from 0
 * @return a view, valid until the column is replaced or dropped; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_column_name(const alcore_pool *pool, int64_t index);

/** What alcore_pool_get_column_info() says of a column. */
typedef struct alcore_column_info {
    size_t size;        /**< sizeof(alcore_column_info) */
    int32_t dtype;      /**< ALCORE_FLOAT32, ... of alcore_tensor_init(), or ALCORE_TEXT */
    int32_t shape;      /**< ALCORE_COLUMN_* */
    int32_t meaning;    /**< ALCORE_MEANS_*; 0: what its name says */
    int32_t in_file;    /**< 1: it stays in its file and is read in blocks; 0: it is in memory */
    int64_t width;      /**< values of a row, or of a token of a ragged column; 1 or more */
    int64_t entries;    /**< rows of the pool that have an entry */
    const char *origin; /**< a view, valid until the column is replaced or dropped: "given", a path,
                           "model ..." */
} alcore_column_info;
/** An alcore_column_info with its size set and everything else 0. */
#define ALCORE_COLUMN_INFO_INIT ALCORE_INIT(alcore_column_info)

/** Type, shape and origin of a column.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[in,out] out its size is read, the rest is filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the nearest), ALCORE_E_BUSY,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_get_column_info(const alcore_pool *pool, const char *name,
                                                     alcore_column_info *out);

/** A column of numbers as arrays, when it is in memory and has one entry per row, in order or as a
 * copy on a device that was put in order (alcore_pool_set_column()). Its rows are those that the
 * pool had when it was given. A selection from a large pool leaves log-probabilities of the
 * built-in model that are computed when they are read: alcore_pool_get_column_tokens() copies them.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[out] out_values a view, read only, valid until the column is replaced or dropped; on the
 *   device on which it was given (out_values->device). Samples of rows that are borrowed are a view
 *   [samples, rows, n], without offsets
 * @param[out] out_offsets a view of int64 [rows + 1]; its data is NULL for a column that is not
 * ragged; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (names the nearest), ALCORE_E_UNSUPPORTED
 * (it stays in a file, is computed when it is read, was given for some rows only, or has texts),
 * ALCORE_E_BUSY
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_get_column(const alcore_pool *pool, const char *name,
                                                alcore_tensor *out_values,
                                                alcore_tensor *out_offsets);

/** Copies rows of a column of numbers, wherever the column lives. A row without a value becomes NaN
 * in float64, INT64_MIN in int64.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[in] rows borrowed: int64 [count], host; NULL only if count is 0
 * @param[in] count entries of rows, 0 or more
 * @param[in,out] out borrowed; its numbers are filled: float64 [count, width], or int64
 *   [count, width] for a column of integers, any device, without gaps; [count] where width is 1.
 *   width is that of alcore_pool_get_column_info(). Integers beyond 2^53 are rounded in float64. On
 *   a device, that of the column if it is on one, it is written in the order of the default stream
 *   before the call returns
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (the column or a row), ALCORE_E_SHAPE (a
 *   ragged column, a column of texts; out has another shape or dtype), ALCORE_E_MODULE,
 *   ALCORE_E_UNSUPPORTED (out on a device without its module; no such device), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_get_column_rows(const alcore_pool *pool, const char *name,
                                                     const int64_t *rows, int64_t count,
                                                     const alcore_tensor *out);

/** Copies the tokens of rows of a ragged column, wherever the column lives. A first call without
 * values tells how many there are.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[in] rows borrowed: int64 [count], host, in any order; NULL only if count is 0
 * @param[in] count entries of rows, 0 or more
 * @param[out] out_offsets borrowed: int64 [count + 1], host: the tokens of entry i are those from
 *   out_offsets[i] up to out_offsets[i + 1], the first is 0. A row without an entry has none
 * @param[in,out] out_values borrowed; its numbers are filled: float64 [tokens, width], or int64
 *   [tokens, width] for a column of integers, any device, without gaps; [tokens] where width is 1.
 *   tokens is the last of the offsets and width that of alcore_pool_get_column_info(). A missing
 *   value is NaN in float64, INT64_MIN in int64. NULL: only the offsets are wanted
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (the column or a row), ALCORE_E_SHAPE (a
 *   column that is not ragged; out_values has another shape or dtype), ALCORE_E_MODULE,
 *   ALCORE_E_UNSUPPORTED (out_values on a device without its module; no such device), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_get_column_tokens(const alcore_pool *pool, const char *name,
                                                       const int64_t *rows, int64_t count,
                                                       int64_t *out_offsets,
                                                       const alcore_tensor *out_values);

/** Text of a row in a column of texts.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[in] row a row number
 * @param[out] out_length bytes without the NUL; 0 without a text; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the column is replaced or dropped; NULL: the
 *   row has no text there, there is no such row or no such column of texts
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_pool_column_text(const alcore_pool *pool, const char *name,
                                               int64_t row, size_t *out_length);

/** Writes a column to a file, which appears whole or not at all: .npy, .tsv (id TAB values,
 * of unmasked rows that have some) or .lp (id TAB token values, of a ragged column). "-" is
 * standard output, as .lp for a ragged column and as .tsv for others unless the options say
 * otherwise.
 * @param[in] pool borrowed
 * @param[in] name borrowed: the column's name
 * @param[in] path borrowed
 * @param[in] options borrowed: ALCORE_FORMAT_NPY, _TSV or _LP; NULL: by the suffix
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND, ALCORE_E_SHAPE (the format cannot hold
 *   the column), ALCORE_E_UNSUPPORTED (the format or suffix), ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_write_column(const alcore_pool *pool, const char *name,
                                                  const char *path,
                                                  const alcore_write_options *options);

/* ---- column writer ---- */

/** Collects a column of numbers in any order, from the caller's loop or from a model's functions.
 */
typedef struct alcore_column_writer alcore_column_writer;

/** What finish does with rows that were never put. */
enum alcore_missing_rule {
    /** ALCORE_E_MISSING that names the first of them and their count */
    ALCORE_MISSING_FAIL = 1601,
    ALCORE_MISSING_MASK = 1602 /**< they get ALCORE_ROW_MISSING */
};

/** Begins a column of a pool, for the rows that the pool has now.
 * @param[in] pool kept
 * @param[in] name kept: copied; UTF-8 of 1 to 4096 bytes
 * @param[in] shape ALCORE_COLUMN_*; the width of a dense column is that of the first put
 * @param[in] options borrowed; only meaning, log_base and, for values on a device, on_device and
 *   stream apply, which then outlives the writer; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (also: another option is set), ALCORE_E_NOMEM, ALCORE_E_BUSY,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_new(alcore_pool *pool, const char *name,
                                                  int32_t shape,
                                                  const alcore_column_options *options,
                                                  alcore_column_writer **out);

/** Takes another reference.
 * @param[in] writer the handle; NULL is allowed
 * @return owned: writer itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_column_writer *alcore_column_writer_ref(alcore_column_writer *writer);

/** Drops a reference; the last one releases the writer. A column that was not finished is
 * discarded.
 * @param[in] writer the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_column_writer_unref(alcore_column_writer *writer);

/** Puts the values of some rows, in any order. A row that is put twice keeps its first value and is
 * counted (alcore_column_writer_repeats()). A call that fails puts nothing.
 * @param[in,out] writer borrowed, changed
 * @param[in] rows borrowed: int64 [count], host; NULL only if count is 0
 * @param[in] lengths borrowed: int64 [count] tokens of each row of a ragged column; else NULL
 * @param[in] count entries of rows, 0 or more
 * @param[in] values kept: copied; float16|bfloat16|float32|float64, or int32|int64 for a column of
 *   integers, [count], [count, n], [tokens] or [tokens, n], any device; any strides on the host,
 *   adjacent numbers in each row on a device. Floating-point values in host memory are stored as
 *   float32, as float64 once one put was float64; integers as int64. The first put decides between
 *   the two
 * @return ALCORE_OK, ALCORE_E_INVALID (also: finished), ALCORE_E_NOT_FOUND (a row), ALCORE_E_SHAPE,
 *   ALCORE_E_MODULE (values on a device whose module is not there), ALCORE_E_UNSUPPORTED (no such
 *   device), ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY (from a callback of a
 *   call on the writer)
 * @threadsafe Calls from several threads take turns.
 * @callback progress, while many values are copied; log
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_put(alcore_column_writer *writer, const int64_t *rows,
                                                  const int64_t *lengths, int64_t count,
                                                  const alcore_tensor *values);

/** alcore_column_writer_put() of values that are ready in another stream than the writer's, such as
 * arrays that name a stream of their own. The call waits until the work that is in the stream is
 * done: it need not live on.
 * @param[in,out] writer borrowed, changed
 * @param[in] rows borrowed: int64 [count], host; NULL only if count is 0
 * @param[in] lengths borrowed: int64 [count] tokens of each row of a ragged column; else NULL
 * @param[in] count entries of rows, 0 or more
 * @param[in] values kept: copied; as in alcore_column_writer_put(), any device
 * @param[in] stream borrowed: the cudaStream_t in whose order values on a device are ready, one of
 *   that device; NULL: the default stream; not used for values on the host
 * @return as alcore_column_writer_put(); ALCORE_E_INVALID also for a stream of another device
 * @threadsafe Calls from several threads take turns.
 * @callback progress, while many values are copied; log
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_put_in_stream(alcore_column_writer *writer,
                                                            const int64_t *rows,
                                                            const int64_t *lengths, int64_t count,
                                                            const alcore_tensor *values,
                                                            void *stream);

/** How many values were dropped because their rows had been put before.
 * @param[in] writer borrowed
 * @return the number of repetitions; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_column_writer_repeats(const alcore_column_writer *writer);

/** How many rows were not put yet; masked rows are not counted.
 * @param[in] writer borrowed
 * @return the number of missing rows; 0 for NULL or a finished writer
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_column_writer_missing_count(const alcore_column_writer *writer);

/** The rows that were not put yet, ascending, without masked ones.
 * @param[in] writer borrowed
 * @param[in] out borrowed: its data is filled, int64 [n], contiguous, host: the first n missing
 *   rows; -1 behind the last of them, which may come earlier than counted where another thread puts
 *   rows meanwhile
 * @return ALCORE_OK, ALCORE_E_INVALID (also: finished), ALCORE_E_SHAPE (out has another shape or
 *   dtype), ALCORE_E_BUSY (from a callback of a call on the writer)
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_missing(alcore_column_writer *writer,
                                                      const alcore_tensor *out);

/** Saves what was put to a file, for another process to merge. The file appears whole or not at
 * all.
 * @param[in] writer borrowed
 * @param[in] path borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID (also: finished), ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_save(alcore_column_writer *writer, const char *path);

/** Adds what another process saved for a pool with the same texts and a column of the same name,
 * shape and meaning; rows present already keep their first value and are counted.
 * @param[in,out] writer borrowed, changed
 * @param[in] path borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID (also: finished), ALCORE_E_IO, ALCORE_E_CORRUPT (cut off or
 *   damaged), ALCORE_E_SHAPE (another pool, name, shape or meaning), ALCORE_E_UNSUPPORTED (a newer
 * version of the file), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_merge(alcore_column_writer *writer, const char *path);

/** Gives the column to the pool. After a success the writer takes no more values.
 * @param[in,out] writer borrowed, changed, as is its pool
 * @param[in] missing ALCORE_MISSING_*
 * @return ALCORE_OK, ALCORE_E_INVALID (also: finished already), ALCORE_E_MISSING or
 *   ALCORE_E_CANCELLED (by progress; the writer stays usable), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per pool; ALCORE_E_BUSY while another call uses it.
 * @callback progress; alcore_column_options.release of a column that is replaced
 * @since 1.0 */
ALCORE_API alcore_status alcore_column_writer_finish(alcore_column_writer *writer, int32_t missing);

ALCORE_END

#endif
