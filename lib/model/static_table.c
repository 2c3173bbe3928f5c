/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the table of a static model (static_table.h). The matrix is mapped; what there is one
 * number of for each token is copied, as doubles. */
#include "model/static_table.h"

#include <math.h>
#include <string.h>

#include "formats/array_format.h"
#include "pool/number_type.h"

/* ---- tensors ---- */

/* Locates FOLDER/model.safetensors:NAME and opens the file; ALCORE_E_NOT_FOUND: it lacks the
 * tensor. */
static alcore_status find_tensor(alcore_ctx *ctx, const char *folder, const char *name,
                                 alcore__array_info *info, alcore__file **file) {
    alcore__buffer path = {0};
    alcore_status status =
        alcore__buffer_format(ctx, &path, "%s/model.safetensors:%s", folder, name);
    if (status == ALCORE_OK) status = alcore__array_find(ctx, path.data, info, file);
    alcore__buffer_clear(ctx, &path);
    return status;
}

alcore_status alcore__static_tensor_found(alcore_ctx *ctx, const char *folder, const char *name,
                                          bool *out) {
    alcore__array_info info;
    alcore__file *file;
    const alcore_status status = find_tensor(ctx, folder, name, &info, &file);
    *out = status == ALCORE_OK;
    if (*out) alcore__file_close(file);
    return status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED ? status : ALCORE_OK;
}

/* ALCORE_E_DATA "PATH: NAME what". */
static alcore_status fail_tensor(const alcore__file *file, const char *name, const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: the tensor \"%s\" %s", alcore__file_path(file), name,
                        what);
}

/* Replaces numbers of a type, which lie at the front of values [count], by doubles. From the last
 * one on, so that none is overwritten before it is read. */
static void widen_in_place(int32_t dtype, double *values, int64_t count) {
    const char *from = (const char *)values;
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    for (int64_t i = count; i-- > 0;) values[i] = alcore__widen(dtype, from + (size_t)i * bytes);
}

static alcore_status read_numbers(alcore__file *file, const char *name,
                                  const alcore__array_info *info, double *values) {
    const int64_t count = info->shape[0] * info->shape[1];
    ALCORE__TRY(alcore__array_read(file, info, 0, info->shape[0], values));
    widen_in_place(info->dtype, values, count);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return fail_tensor(file, name, "has a NaN or an infinity");
    return ALCORE_OK;
}

/* Checks the tensor, allocates *out and reads. */
static alcore_status read_tensor(alcore_ctx *ctx, alcore__file *file, const char *name,
                                 int32_t dimensions, alcore__array_info *info, double **out) {
    int64_t count;
    alcore__array_widen_bytes(info);
    if (info->ndim != dimensions)
        return fail_tensor(file, name,
                           dimensions == 1 ? "has not one dimension" : "has not two dimensions");
    if (!alcore__dtype_is_float(info->dtype) && !alcore__dtype_is_integer(info->dtype))
        return fail_tensor(file, name, "has numbers of a type that is not read");
    if (!alcore__size_product(info->shape[0], info->shape[1], &count) || count == 0)
        return fail_tensor(file, name, "is empty");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof **out, out));
    return read_numbers(file, name, info, *out);
}

alcore_status alcore__static_tensor_read(alcore_ctx *ctx, const char *folder, const char *name,
                                         int32_t dimensions, int64_t shape[2], double **out) {
    alcore__array_info info;
    alcore__file *file;
    *out = NULL;
    alcore_status status = find_tensor(ctx, folder, name, &info, &file);
    if (status == ALCORE_E_NOT_FOUND) return ALCORE_OK;
    ALCORE__TRY(status);
    status = read_tensor(ctx, file, name, dimensions, &info, out);
    shape[0] = info.shape[0];
    shape[1] = info.shape[1];
    alcore__file_close(file);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__free(ctx, *out);
    *out = NULL;
    return status;
}

/* ---- the table ---- */

/* Checks the matrix that `info` says and points the table at it. A matrix that is not aligned is
 * refused: safetensors fills the header up to 8 bytes since 2022. */
static alcore_status set_rows(const char *name, const alcore__array_info *info,
                              alcore__static_table *out) {
    const alcore__file *file = out->map.file;
    const int64_t bytes = alcore__array_stored_bytes(info);
    const bool is_int8 = info->stored == ALCORE__STORED_INT8;
    if (info->ndim != 2) return fail_tensor(file, name, "has not two dimensions");
    if (!is_int8 && (info->stored != ALCORE__STORED_SAME || !alcore__dtype_is_float(info->dtype)))
        return fail_tensor(file, name,
                           "has numbers of a type that no static model has (F16, BF16, F32, F64 "
                           "and I8 are read)");
    if (info->shape[0] == 0 || info->shape[1] == 0) return fail_tensor(file, name, "is empty");
    if (info->data_start % bytes != 0)
        return fail_tensor(file, name,
                           "is not aligned to its numbers; load the file with safetensors and "
                           "save it again");
    out->type = info->dtype;
    out->row_count = out->tokens = info->shape[0];
    out->dims = info->shape[1];
    out->row_bytes = out->dims * bytes;
    out->rows = out->map.data + info->data_start;
    return ALCORE_OK;
}

/* Opens the matrix, of the name that model2vec gives it or else of that of StaticEmbedding. */
static alcore_status open_rows(alcore_ctx *ctx, const char *path, alcore__static_table *out) {
    const char *name = "embeddings";
    alcore__array_info info;
    alcore__file *file;
    alcore_status status = find_tensor(ctx, path, name, &info, &file);
    out->of_model2vec = status == ALCORE_OK;
    if (status == ALCORE_E_NOT_FOUND) {
        name = "embedding.weight";
        status = find_tensor(ctx, path, name, &info, &file);
    }
    if (status == ALCORE_E_NOT_FOUND)
        return alcore__fail(ALCORE_E_DATA,
                            "%s/model.safetensors has neither \"embeddings\" nor "
                            "\"embedding.weight\", the names of the table of a static model",
                            path);
    ALCORE__TRY(status);
    ALCORE__TRY(alcore__file_map_open(ctx, file, &out->map));
    return set_rows(name, &info, out);
}

/* Fewer numbers than rows leave tokens without one. */
static void limit_tokens(alcore__static_table *table, bool replaces, int64_t count) {
    if (replaces || count < table->tokens) table->tokens = count;
}

/* Reads "mapping", if it is there. */
static alcore_status read_places(alcore_ctx *ctx, const char *path, alcore__static_table *out) {
    double *read;
    int64_t shape[2];
    ALCORE__TRY(alcore__static_tensor_read(ctx, path, "mapping", 1, shape, &read));
    if (!read) return ALCORE_OK;
    alcore_status status =
        alcore__new_array(ctx, (size_t)shape[0], sizeof *out->places, &out->places);
    for (int64_t i = 0; status == ALCORE_OK && i < shape[0]; i++) {
        if (!(read[i] >= 0 && read[i] < (double)out->row_count) || read[i] != floor(read[i]))
            status = alcore__fail(ALCORE_E_DATA,
                                  "%s: \"mapping\" has the row %g for token %lld, but rows are 0 "
                                  "to %lld",
                                  alcore__file_path(out->map.file), read[i], (long long)i,
                                  (long long)out->row_count - 1);
        else
            out->places[i] = (int64_t)read[i];
    }
    alcore__free(ctx, read);
    limit_tokens(out, true, shape[0]);
    return status;
}

alcore_status alcore__static_table_open(alcore_ctx *ctx, const char *path,
                                        alcore__static_table *out) {
    int64_t shape[2];
    ALCORE__TRY(open_rows(ctx, path, out));
    if (!out->of_model2vec) return ALCORE_OK;
    ALCORE__TRY(read_places(ctx, path, out));
    ALCORE__TRY(alcore__static_tensor_read(ctx, path, "weights", 1, shape, &out->weights));
    if (out->weights) limit_tokens(out, false, shape[0]);
    return ALCORE_OK;
}

void alcore__static_table_close(alcore_ctx *ctx, alcore__static_table *table) {
    alcore__file_map_close(ctx, &table->map);
    alcore__free(ctx, table->weights);
    alcore__free(ctx, table->places);
    *table = (alcore__static_table){0};
}

/* ---- sums ---- */

/* Sums are doubles: the mean of float32 rows is then rounded once, and does not depend on how many
 * rows came before. One loop a type, each over `dims` adjacent numbers. */
static void add_float(const float *restrict row, double weight, int64_t dims,
                      double *restrict sums) {
    for (int64_t j = 0; j < dims; j++) sums[j] += weight * (double)row[j];
}

static void add_double(const double *restrict row, double weight, int64_t dims,
                       double *restrict sums) {
    for (int64_t j = 0; j < dims; j++) sums[j] += weight * row[j];
}

/* Numbers of 16 bits are widened in blocks, so that the compiler does several at once. */
enum { BLOCK = 64 };

/* As alcore__widen_half(), of which the loop leaves the numbers out that are none: they are put
 * right afterwards. */
static void widen_halves(const uint16_t *restrict row, int64_t count, float *restrict out) {
    uint32_t bits[BLOCK], none = 0;
    for (int64_t k = 0; k < count; k++) {
        bits[k] = (uint32_t)(row[k] & 0x7FFF) << 13 | (uint32_t)(row[k] & 0x8000) << 16;
        none |= (row[k] & 0x7C00) == 0x7C00;
    }
    memcpy(out, bits, (size_t)count * sizeof *out);
    for (int64_t k = 0; k < count; k++) out[k] *= 0x1p112f;
    for (int64_t k = 0; none && k < count; k++) out[k] = alcore__widen_half(row[k]);
}

static void widen_brains(const uint16_t *restrict row, int64_t count, float *restrict out) {
    uint32_t bits[BLOCK];
    for (int64_t k = 0; k < count; k++) bits[k] = (uint32_t)row[k] << 16;
    memcpy(out, bits, (size_t)count * sizeof *out);
}

static void add_short(const uint16_t *row, bool is_half, double weight, int64_t dims,
                      double *sums) {
    float wide[BLOCK];
    for (int64_t j = 0; j < dims; j += BLOCK) {
        const int64_t count = dims - j < BLOCK ? dims - j : BLOCK;
        if (is_half)
            widen_halves(row + j, count, wide);
        else
            widen_brains(row + j, count, wide);
        add_float(wide, weight, count, sums + j);
    }
}

static void add_int8(const int8_t *restrict row, double weight, int64_t dims,
                     double *restrict sums) {
    for (int64_t j = 0; j < dims; j++) sums[j] += weight * (double)row[j];
}

static const char *row_of(const alcore__static_table *table, int64_t token) {
    return table->rows + (table->places ? table->places[token] : token) * table->row_bytes;
}

void alcore__static_table_fetch(const alcore__static_table *table, int64_t token) {
    enum { LINE = 64 }; /* bytes of a cache line */
    if (token < 0 || token >= table->tokens) return;
    const char *row = row_of(table, token);
    for (int64_t i = 0; i < table->row_bytes; i += LINE) __builtin_prefetch(row + i);
}

void alcore__static_table_add(const alcore__static_table *table, int64_t token, double *sums) {
    const void *row = row_of(table, token);
    const double weight = table->weights ? table->weights[token] : 1;
    switch (table->type) {
    case ALCORE_FLOAT32:
        add_float(row, weight, table->dims, sums);
        break;
    case ALCORE_FLOAT64:
        add_double(row, weight, table->dims, sums);
        break;
    case ALCORE_FLOAT16:
    case ALCORE_BFLOAT16:
        add_short(row, table->type == ALCORE_FLOAT16, weight, table->dims, sums);
        break;
    default:
        add_int8(row, weight, table->dims, sums);
        break;
    }
}
