/* SPDX-License-Identifier: Apache-2.0 */
/* A column of a pool as the layers above see it.
 *
 * A column has entries; a map says which entry belongs to which row of the pool (without a map,
 * entry i is row i's). Rows without an entry read as "no value": NaN in float columns, the smallest
 * integer in integer columns, no tokens in ragged ones, no text in text ones. Wherever the values
 * live (in memory, in a file, computed on demand), they are read as blocks of consecutive rows. */
#ifndef ALCORE__COLUMN_H
#define ALCORE__COLUMN_H

#include <stdbool.h>

#include "alcore/pool_column.h"
#include "alcore/sys/kernel.h"
#include "kernel/kernel_engine.h"

/* Memory that a reader of blocks keeps between calls, so that each block need not allocate. Each
 * thread has its own; a zeroed struct is empty. */
typedef struct alcore__scratch {
    void *values, *offsets;             /* of the block that was read last */
    size_t values_bytes, offsets_bytes; /* capacities of both */
    void *user;                         /* state of a generated column for this thread, owned */
    void (*user_free)(alcore_ctx *ctx, void *user); /* frees it; NULL: there is none */
} alcore__scratch;
/* Frees all of it and leaves it empty. */
void alcore__scratch_clear(alcore_ctx *ctx, alcore__scratch *scratch);

typedef struct alcore__column alcore__column;

/* How the values of a column are read; exactly one of the first three is not NULL. All are
 * thread-safe. The block is in host memory, the column's own or that of scratch, and there only
 * until scratch is used again; values that are on a device are copied. Kernels that can read them
 * on the device get their rows from alcore__column_rows_on(). */
typedef struct alcore__column_ops {
    /* Pool rows first .. first + count - 1 of a column with one entry of dims values per row. */
    alcore_status (*rows)(const alcore__column *column, int64_t first, int64_t count,
                          alcore__scratch *scratch, alcore_sys_rows *out);
    /* The same rows of a ragged column, each of which has any number of tokens of dims values.
     * out->offsets may begin at any number: token t of row i is at values[offsets[i] - offsets[0] +
     * t]. */
    alcore_status (*ragged)(const alcore__column *column, int64_t first, int64_t count,
                            alcore__scratch *scratch, alcore_sys_ragged *out);
    /* The text of entry `entry` of a column of texts; NULL when the entry has none. */
    const char *(*text)(const alcore__column *column, int64_t entry, size_t *out_length);
    void (*release)(alcore__column *column); /* frees what data points to */
} alcore__column_ops;

/* A tokenizer (tokenizer/encoding.h). */
typedef struct alcore_tokenizer alcore_tokenizer;

/* What the tokens of a column are, whose values a model made: the texts that they are of, and how
 * these were cut. A struct of zeros: not known. */
typedef struct alcore__column_tokens {
    alcore_tokenizer *tokenizer; /* that cut the texts; a reference; NULL: not known */
    char *language;              /* that it was told, owned; NULL: none */
    int64_t max_tokens;          /* at which texts were cut */
    bool of_references;          /* of the references of the rows; else of their texts */
    bool as_target;              /* the texts are outputs of a translation model */
} alcore__column_tokens;

/* Texts of a column that a model cut. */
typedef struct alcore__column_cut {
    int64_t texts;  /* how many it cut */
    int64_t tokens; /* the most that it reads of a text; 0: not known */
} alcore__column_cut;

struct alcore__column {
    const alcore__column_ops *ops; /* how the values are read; they say what data is */
    alcore_ctx *ctx;               /* without a reference: the pool has one */
    char *name;                    /* owned */
    char *origin;                  /* who made it: "given", a path, "model ngram ..."; owned */
    /* token values that a model made: one per word and one for the end of the text */
    bool per_word;
    alcore__column_tokens tokens; /* of a column that a model made, where they are no words */
    alcore__column_cut cut;
    char *warnings;      /* what the model's folder asks for and was left undone: a JSON array of
                           texts, owned; NULL: nothing */
    const char *engine;  /* engine that ran its model (a static string); NULL: no model made it */
    int64_t row_count;   /* rows of the pool when the column was set; later rows have no entry */
    int64_t dims;        /* values of a row, or of a token; 1 or more */
    int32_t dtype;       /* ALCORE_FLOAT32, ..., or ALCORE_TEXT */
    int32_t meaning;     /* ALCORE_MEANS_* */
    double log_scale;    /* ln(base) of stored log-probabilities: their factor to natural ones */
    bool ragged;         /* a list of tokens per row */
    int64_t token_count; /* tokens of all rows of a ragged column; 0: none, or not known before they
                            are read */
    bool in_file;        /* blocks are read from a file */
    bool by_line;        /* entry i was line i + 1 of the text file that origin names */
    void *data; /* where the values are, in a struct that ops knows; ops->release frees it */
    struct alcore__row_map *map; /* entry of each row, owned; NULL: entry i belongs to row i */
};

/* The origin of the columns that the maker of a derived pool gives it. */
#define ALCORE__ORIGIN_DERIVED "derived"
/* Replaces the origin of a column by that; its pool is the caller's alone. */
alcore_status alcore__column_mark_derived(alcore__column *column);
/* Whether a caller gave the values: no model made them, and not the maker of a derived pool. */
bool alcore__column_is_given(const alcore__column *column);

/* Says what the tokens of a column are. The column gets a reference to the tokenizer and takes over
 * the language, which was allocated with its context. What was known before is released. */
void alcore__column_set_tokens(alcore__column *column, const alcore__column_tokens *tokens);

/* Releases a column that no pool owns (yet): its data, map, strings and itself. NULL-safe. */
void alcore__column_free(alcore__column *column);
/* The columns in the order in which they were given, index from 0; NULL past the last. */
const alcore__column *alcore__pool_column_at(const alcore_pool *pool, int64_t index);
/* The column of a name; NULL when the pool has none. */
const alcore__column *alcore__pool_find_column(const alcore_pool *pool, const char *name);
/* The same column for a caller who has locked the pool for writing and changes its origin. */
alcore__column *alcore__pool_change_column(alcore_pool *pool, const char *name);
/* The column of a name; ALCORE_E_NOT_FOUND that names the most similar column when there is none.
 */
alcore_status alcore__pool_get_column(const alcore_pool *pool, const char *name,
                                      const alcore__column **out);
/* Gives the pool a column that the caller made (a generated one, a finished writer's), in place of
 * one of the same name. On success the pool owns column, which was allocated with alcore__alloc. */
alcore_status alcore__pool_put_column(alcore_pool *pool, alcore__column *column);
/* A hash of the values with their shape and meaning, for provenance. Of a large column only 64
 * parts are read, spread evenly over it. */
alcore_status alcore__column_fingerprint(const alcore__column *column, uint64_t *out);
/* The same of all values of the column, for who has to notice every change. */
alcore_status alcore__column_fingerprint_whole(const alcore__column *column, uint64_t *out);
/* A value of a row is wrong, as the error text of `status` says: puts the file and the line before
 * it where they are known. Returns status. */
alcore_status alcore__column_fail(const alcore__column *column, int64_t row, alcore_status status);
/* The number of the CUDA device that the values are on; -1: they are on the host, or in a file. */
int32_t alcore__column_device(const alcore__column *column);
/* ops->rows for kernels of an engine: rows on the engine's own device are handed out where they
 * are, in place of a copy on the host. Others are copied as by ops->rows. */
alcore_status alcore__column_rows_on(const alcore__column *column, const alcore__engine *engine,
                                     int64_t first, int64_t count, alcore__scratch *scratch,
                                     alcore_sys_rows *out);
/* ops->ragged for a kernel of an engine: the values are handed out where they are when the engine's
 * own device has them, every row has an entry and count is 1 or more. Offsets are on the host. */
alcore_status alcore__column_ragged_on(const alcore__column *column, const alcore__engine *engine,
                                       int64_t first, int64_t count, alcore__scratch *scratch,
                                       alcore_sys_ragged *out);
/* Samples of rows of the column "sample_probs" that lie as the caller's array has them. */
typedef struct alcore__sample_planes {
    alcore_sys_rows first; /* the first sample of each row */
    int64_t samples;       /* of each row */
    int64_t stride;        /* values from a sample of a row to the next one */
} alcore__sample_planes;
/* Sets *out to the samples of rows first .. first + count - 1, where they lie; false where they lie
 * otherwise, or a row has none: ops->ragged reads them then. */
bool alcore__column_planes(const alcore__column *column, int64_t first, int64_t count,
                           alcore__sample_planes *out);
/* Bytes of all values of a column in memory, on the host or a device; 0: it is not in memory. */
int64_t alcore__column_bytes(const alcore__column *column);
/* Whether alcore__column_rows_on() hands rows out where they lie, however many, and copies none. */
bool alcore__column_in_place(const alcore__column *column, const alcore__engine *engine);
/* Whether the row has an entry: false for rows outside alcore_column_options.rows, and for rows
 * that were added after the column was set. */
bool alcore__column_has(const alcore__column *column, int64_t row);
/* ALCORE_COLUMN_* of a column of numbers. */
int32_t alcore__column_shape(const alcore__column *column);
/* Converts a block to float64: out [block->count, block->dims]. Reads integers too, which the
 * kernels' widen does not; "no value" becomes NaN. */
void alcore__column_widen(const alcore_sys_rows *block, double *out);

#endif
