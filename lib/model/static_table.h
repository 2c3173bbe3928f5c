/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a static model: one vector for each token, in model.safetensors of a folder of
 * model2vec or of the module StaticEmbedding of sentence-transformers. The vector of a text is the
 * mean of its tokens' vectors; there is nothing else to it. */
#ifndef ALCORE__STATIC_TABLE_H
#define ALCORE__STATIC_TABLE_H

#include "base/base.h"

/* It does not change once it is open. A struct of zeros owns nothing. */
typedef struct alcore__static_table {
    alcore__file_map map; /* of model.safetensors */
    const char *rows;     /* [row_count, dims] numbers of the type, in the map */
    int64_t row_count, dims;
    int64_t row_bytes;
    int32_t type;      /* ALCORE_FLOAT16, _BFLOAT16, _FLOAT32, _FLOAT64, or _INT32 for int8 */
    double *weights;   /* [tokens] by which the vector of a token is multiplied; owned; NULL: 1 */
    int64_t *places;   /* [tokens] rows of the tokens ("mapping" of a vocabulary that is quantized);
                      * owned; NULL: token t has row t */
    int64_t tokens;    /* tokens 0 .. tokens - 1 have a vector */
    bool of_model2vec; /* the names of its tensors are those of model2vec */
} alcore__static_table;

/* Opens the table in the folder at path; *out is closed by the caller, also after a failure.
 * ALCORE_E_DATA: a tensor is missing or has a shape, a type or values that no table has. */
alcore_status alcore__static_table_open(alcore_ctx *ctx, const char *path,
                                        alcore__static_table *out);
/* Adds the vector of a token, which is below table->tokens, to sums [dims]. */
void alcore__static_table_add(const alcore__static_table *table, int64_t token, double *sums);
/* Asks for the vector of a token that will be added soon; a token without one is ignored. */
void alcore__static_table_fetch(const alcore__static_table *table, int64_t token);
void alcore__static_table_close(alcore_ctx *ctx, alcore__static_table *table);

/* *out: whether FOLDER/model.safetensors has a tensor of that name; false without the file. */
alcore_status alcore__static_tensor_found(alcore_ctx *ctx, const char *folder, const char *name,
                                          bool *out);
/* Reads a tensor of FOLDER/model.safetensors, [shape[0]] or [shape[0], shape[1]], as doubles that
 * the caller owns; *out is NULL where the file lacks it. ALCORE_E_DATA: it has another number of
 * dimensions, no numbers that are read here, or a NaN or infinity. */
alcore_status alcore__static_tensor_read(alcore_ctx *ctx, const char *folder, const char *name,
                                         int32_t dimensions, int64_t shape[2], double **out);

#endif
