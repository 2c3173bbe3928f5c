/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are arrays, in memory or in a file: what the files of this folder that make them
 * share. */
#ifndef ALCORE__COLUMN_ARRAY_H
#define ALCORE__COLUMN_ARRAY_H

#include "formats/array_file.h"
#include "kernel/device_array.h"
#include "pool/column_names.h"
#include "pool/number_type.h"
#include "pool/pool_state.h"
#include "pool/row_map.h"

/* Copies and checks the caller's options. *out_entries is the number of entries that a column of
 * this pool has under them: the rows of options, or all rows of the pool. */
alcore_status alcore__column_options_read(const alcore_pool *pool,
                                          const alcore_column_options *theirs,
                                          alcore_column_options *ours, int64_t *out_entries);

/* The longest name of a column in bytes, which files of column writers hold as well. */
enum { ALCORE__COLUMN_NAME_BYTES = 4096 };
/* ALCORE_E_INVALID for a name that no column can have: NULL, empty, longer than that, or not UTF-8.
 */
alcore_status alcore__column_check_name(const char *name);

/* A column of the pool with its name, map, meaning and base, without values yet. */
alcore_status alcore__column_new(alcore_pool *pool, const char *name, const char *origin,
                                 const alcore_column_options *options, alcore__column **out);

/* alcore_pool_set_column() and alcore_pool_set_text_column() of a pool that is locked for writing.
 */
alcore_status alcore__column_set_given(alcore_pool *pool, const char *name,
                                       const alcore_tensor *values, const alcore_tensor *offsets,
                                       const alcore_column_options *theirs);
alcore_status alcore__column_set_texts(alcore_pool *pool, const char *name,
                                       const char *const *texts, const size_t *lengths,
                                       int64_t count, const alcore_column_options *theirs);

/* Checks a caller's tensor for a column: host memory or a CUDA device, 1 or 2 dimensions. Error
 * texts name the column. */
alcore_status alcore__column_tensor(const char *name, const alcore_tensor *tensor,
                                    alcore__array *out);

/* ALCORE_E_SHAPE when a column of this name cannot have values of the type of such a tensor. */
alcore_status alcore__column_tensor_dtype(const char *name, int32_t dtype);

/* Opens the engine of the device that an array of this column is on, once the array is ready in
 * the order of `stream`; error texts name the column. */
alcore_status alcore__column_open_device(alcore_ctx *ctx, const char *name,
                                         const alcore__array *array, void *stream,
                                         alcore__engine *out);

/* Whether the numbers of a column of this name are rows of the pool's source pool: in the columns
 * "first_row" and "source_rows" of a derived pool. */
bool alcore__column_names_source_rows(const alcore_pool *pool, const char *name);
/* For such columns: ALCORE_E_NOT_FOUND when one of
 * the integers values[0 .. count - 1] is no row of the source pool. Other columns and other pools
 * pass. */
alcore_status alcore__column_check_source_rows(const alcore_pool *pool, const char *name,
                                               int32_t dtype, const char *values, int64_t count);

/* Copies borrowed or kept values that are on a device, and cannot be read where they are, to memory
 * of it which the array then owns (column_device.c). kept: the caller's memory may go; array:
 * zeroed but for its offsets, which are replaced where tokens change their order. Nothing is done
 * where kernels can read the caller's memory, or where the device has too little memory, which is
 * logged: array->held.memory is then NULL. engine: of that device. After a failure the column is of
 * no use. */
struct alcore__memory_array;
alcore_status alcore__column_copy_there(alcore__column *column, const alcore__array *given,
                                        const alcore__engine *engine, bool kept,
                                        struct alcore__memory_array *array);
/* Arrays [samples, rows, classes] (column_samples.c), which the column "sample_probs" takes:
 * whether a column of this name does. */
bool alcore__column_takes_samples(const char *name);
/* Fills array from a caller's array of three dimensions, and the column's dims and dtype;
 * *out_count: samples of all rows. A borrowed array on the host is read where it lies; of any other
 * a copy is made, which has the samples of a row side by side. What array owns is freed by the
 * caller of this function, also after a failure. */
alcore_status alcore__column_set_samples(alcore__column *column, const alcore_tensor *values,
                                         int64_t entries, const alcore_column_options *options,
                                         struct alcore__memory_array *array, int64_t *out_count);
/* Copies tokens `token` to token + count - 1, those of whole rows, of such an array that lies where
 * it is: the samples of a row side by side, without gaps. */
void alcore__samples_fetch(const alcore__column *column, int64_t token, int64_t count,
                           char *destination);
/* The same of the planes of an array file. Error texts name its path. */
alcore_status alcore__column_read_samples(alcore__column *column, alcore__file *file,
                                          const alcore__array_info *info, int64_t entries,
                                          struct alcore__memory_array *array, int64_t *out_count);
/* Frees memory of the engine's device; none is nothing. */
void alcore__held_release(const alcore__engine *engine, const alcore_sys_held *held);

/* Values in memory: entry (or token) i begins at values + i * stride * sizeof(value). */
typedef struct alcore__memory_array {
    char *values;          /* [entries or tokens, dims]; never written */
    bool on_device;        /* values, and only they, are on the device of engine */
    alcore__engine engine; /* of that device; zeroed where values are on the host */
    alcore_sys_held held;  /* the column's own memory of the device, where values are;
                                           zeroed: they are elsewhere */
    bool by_row;           /* values have a row for each of the pool, whether it has an
                                           entry or not: all bits of one without are 1 (NaN) */
    int64_t stride;        /* values from an entry (or token) to the next */
    int64_t samples;       /* 0, or: values are the caller's [samples, rows, dims], and
                                           sample s of entry i begins at values + (i * stride + s *
                                           sample_stride) * sizeof(value) */
    int64_t sample_stride;
    int64_t *offsets;                   /* [entries + 1] tokens of a ragged column, else NULL */
    void *owned_values, *owned_offsets; /* the same arrays where the column frees them; NULL: they
                                           are the caller's */
    void (*release)(void *user);        /* the caller's, called when the column is freed; or NULL */
    void *release_user;                 /* its argument */
    /* What the tensors of alcore_pool_get_column() point to. shape[1] is 0 for one value per entry.
     * */
    int64_t shape[2], strides[2], offsets_shape[1];
    int64_t sample_shape[3], sample_strides[3]; /* where there are samples */
} alcore__memory_array;
/* Makes the column read an array in memory. On success the column owns what the array owns.
 * entries: the number of entries (of tokens for a ragged column) in values. */
alcore_status alcore__column_set_memory(alcore__column *column, const alcore__memory_array *array,
                                        int64_t entries);
/* The array of a column in memory, NULL for any other column. */
alcore__memory_array *alcore__column_memory(const alcore__column *column);
/* Frees what the array owns and calls release. */
void alcore__memory_array_clear(alcore_ctx *ctx, alcore__memory_array *array);

/* Copies entries (or tokens) entry .. entry + count - 1 to destination, without gaps. */
typedef alcore_status (*alcore__fetch)(const alcore__column *column, int64_t entry, int64_t count,
                                       char *destination);
/* Assemble a block in scratch, run by run: for columns whose consecutive rows do not have
 * consecutive entries, or whose values have to be fetched. Readers in alcore__column_ops call them.
 */
alcore_status alcore__gather_rows(const alcore__column *column, int64_t first, int64_t count,
                                  alcore__fetch fetch, alcore__scratch *scratch,
                                  alcore_sys_rows *out);
alcore_status alcore__gather_ragged(const alcore__column *column, int64_t first, int64_t count,
                                    const int64_t *offsets, alcore__fetch fetch,
                                    alcore__scratch *scratch, alcore_sys_ragged *out);

/* Makes the column, with its dims and dtype, read an array file. On success the column owns file
 * and offsets (int64 [entries + 1] from alcore__alloc; NULL: the column is not ragged). */
alcore_status alcore__column_set_file(alcore__column *column, alcore__file *file,
                                      const alcore__array_info *info, int64_t *offsets);

/* Checks the offsets of `entries` rows into `tokens` tokens: the first is 0, none is less than the
 * one before it, the last is `tokens`. */
alcore_status alcore__offsets_check(const char *name, const int64_t *offsets, int64_t entries,
                                    int64_t tokens);

/* Grows an array of scratch, *memory with *capacity bytes, to count * bytes bytes; its contents are
 * lost. */
alcore_status alcore__scratch_reserve(alcore_ctx *ctx, void **memory, size_t *capacity,
                                      int64_t count, size_t bytes);

#endif
