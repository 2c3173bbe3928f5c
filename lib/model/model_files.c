/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of ready columns as a model: NAME.npy, or a tensor NAME of columns.safetensors, with an
 * entry per row of the pool; ragged columns with NAME.offsets as well. A folder without any column
 * that holds config.json is a model for an engine (model_engine.c). Also the options of
 * alcore_model_open(). */
#include <stdio.h>
#include <string.h>

#include "formats/array_file.h"
#include "model/adapter_folder.h"
#include "model/folder_kind.h"
#include "model/folder_settings.h"
#include "model/model_internal.h"
#include "pool/column_names.h"

/* Where each input column (pool/column_names.h) lies in the folder, as a path that
 * alcore__array_open() reads; NULL: the folder lacks it. */
typedef struct folder {
    char *values[ALCORE__COLUMN_INPUTS];
    char *offsets[ALCORE__COLUMN_INPUTS]; /* of columns with a value per token */
} folder;

/* The number of a column among the inputs; -1: it is none of them. */
static int32_t column_index(const char *column) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        if (strcmp(alcore__column_name_input(i)->name, column) == 0) return i;
    return -1;
}

/* alcore__model_table.can: the folder has a file of the column. */
static bool can(const alcore_model *model, const char *column) {
    const folder *files = model->data;
    int32_t index = column_index(column);
    return index >= 0 && files->values[index];
}

/* alcore__model_table.run: gives the pool the column of a file, which is then read in blocks from
 * there, so that nothing is computed and all rows have values; can() has confirmed that the file
 * exists. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted) {
    (void)wanted;
    const folder *files = model->data;
    int32_t index = column_index(column);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.offsets = files->offsets[index];
    return alcore_pool_read_column(pool, column, files->values[index], &options);
}

/* Frees the paths, of which those that were not found are NULL, and the struct. */
static void folder_free(alcore_ctx *ctx, folder *files) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++) {
        alcore__free(ctx, files->values[i]);
        alcore__free(ctx, files->offsets[i]);
    }
    alcore__free(ctx, files);
}

/* alcore__model_table.release. */
static void release(alcore_model *model) {
    folder_free(model->object.ctx, model->data);
}

static const alcore__model_table table = {
    .engine = "cpu", .can = can, .run = run, .release = release};

/* *out = PATH/NAME, NUL-terminated, owned by the caller; format: how NAME is written, with one %s,
 * such as "%s.npy". With the names of this file it is shorter than `tail`. */
static alcore_status join(alcore_ctx *ctx, const char *path, const char *format, const char *name,
                          char **out) {
    alcore__buffer buffer = {0};
    alcore_status status = alcore__buffer_format(ctx, &buffer, "%s/", path);
    if (status == ALCORE_OK) {
        char tail[96];
        int length = snprintf(tail, sizeof tail, format, name);
        status = alcore__buffer_append(ctx, &buffer, tail, (size_t)length);
    }
    if (status != ALCORE_OK) {
        alcore__buffer_clear(ctx, &buffer);
        return status;
    }
    *out = buffer.data;
    return ALCORE_OK;
}

/* *out = path, which is owned by *out then, when an array can be read there; else path is freed. A
 * file or tensor that does not exist is ALCORE_OK with *out unchanged, a damaged one a failure. */
static alcore_status probe(alcore_ctx *ctx, char *path, char **out) {
    alcore__array_info info;
    alcore__file *file;
    alcore_status status = alcore__array_find(ctx, path, &info, &file);
    if (status == ALCORE_OK) {
        alcore__file_close(file);
        *out = path;
        return ALCORE_OK;
    }
    alcore__free(ctx, path);
    return status == ALCORE_E_IO || status == ALCORE_E_NOT_FOUND ? ALCORE_OK : status;
}

/* *out, NULL before: the path of an array, as NAME.npy or, where that is missing, as a tensor of
 * columns.safetensors, owned by the caller; NULL: neither is there. */
static alcore_status find_array(alcore_ctx *ctx, const char *folder_path, const char *name,
                                char **out) {
    static const char *const forms[] = {"%s.npy", "columns.safetensors:%s"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !*out; i++) {
        char *path = NULL;
        ALCORE__TRY(join(ctx, folder_path, forms[i], name, &path));
        ALCORE__TRY(probe(ctx, path, out));
    }
    return ALCORE_OK;
}

/* Fills the zeroed *files with the paths of all columns of the folder; a ragged column (a list of
 * values a row, one a token) needs its offsets too. ALCORE_E_NOT_FOUND, without a text: the folder
 * has no column; the caller goes on with open_without_columns(). */
static alcore_status find_columns(alcore_ctx *ctx, const char *path, folder *files) {
    bool any = false;
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++) {
        const char *column = alcore__column_name_input(i)->name;
        ALCORE__TRY(find_array(ctx, path, column, &files->values[i]));
        if (!files->values[i]) continue;
        any = true;
        if (!alcore__column_name_is_ragged(column)) continue;
        char name[64];
        snprintf(name, sizeof name, "%s.offsets", column);
        ALCORE__TRY(find_array(ctx, path, name, &files->offsets[i]));
        if (!files->offsets[i])
            return alcore__fail(ALCORE_E_DATA,
                                "%s: %s has a value per token, but %s.offsets.npy, int64 "
                                "[rows + 1], is missing",
                                path, column, column);
    }
    return any ? ALCORE_OK : ALCORE_E_NOT_FOUND;
}

/* Opens a folder without columns: a static model here, others with config.json, and adapters, by an
 * engine, else it is an error. */
static alcore_status open_without_columns(alcore_ctx *ctx, const char *path,
                                          const alcore_model_options *options, alcore_model **out) {
    char *base = NULL;
    alcore__folder_first first;
    bool is_static, found = false;
    ALCORE__TRY(alcore__model_open_static(ctx, path, options, &is_static, out));
    if (is_static) return ALCORE_OK;
    ALCORE__TRY(alcore__adapter_base(ctx, path, &base));
    if (base) {
        alcore__free(ctx, base);
        return alcore__model_open_with_engine(ctx, path, path, options, out);
    }
    ALCORE__TRY(alcore__folder_settings_find(ctx, path, options->prompt_name, &first));
    const char *place = first.folder ? first.folder : path;
    alcore_status status = alcore__folder_has_file(ctx, place, "config.json", &found);
    if (status == ALCORE_OK && found)
        status = alcore__model_open_with_engine(ctx, path, place, options, out);
    else if (status == ALCORE_OK && first.folder)
        status = alcore__fail(
            ALCORE_E_DATA, "%s/modules.json: the first module is in %s, which has no config.json",
            path, first.folder);
    alcore__free(ctx, first.folder);
    if (status != ALCORE_OK || found) return status;
    ALCORE__TRY(alcore__folder_kind_check(ctx, path, false));
    return alcore__fail(
        ALCORE_E_IO,
        "%s: no model here; a Hugging Face folder with config.json is expected, or one "
        "with embeddings.npy, logprobs.npy and logprobs.offsets.npy, probs.npy or "
        "scores.npy",
        path);
}

/* Ready columns are read, not computed: a setting of the computation (any but the default) would
 * be ignored in silence, so it is refused. Only the first of several is named. */
static alcore_status refuse_options(const char *path, const alcore_model_options *options) {
    const char *device = options->device;
    const char *name = device && strcmp(device, "auto") && strcmp(device, "cpu") ? "device"
                       : options->dtype                                          ? "dtype"
                       : options->pooling                                        ? "pooling"
                       : options->layer != -1                                    ? "layer"
                       : options->normalize                                      ? "normalize"
                       : options->max_tokens                                     ? "max_tokens"
                       : options->batch_tokens                                   ? "batch_tokens"
                       : options->stride != ALCORE_UNSET_INT                     ? "stride"
                       : options->prompt                                         ? "prompt"
                       : options->prompt_name                                    ? "prompt_name"
                                                                                 : NULL;
    if (!name) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "%s: the folder holds ready columns, which have no %s; leave it out", path,
                        name);
}

/* Opens a folder of columns, or passes it on to open_without_columns(). After a success the handle
 * owns files. */
static alcore_status open_folder(alcore_ctx *ctx, const char *path,
                                 const alcore_model_options *options, alcore_model **out) {
    folder *files;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *files, &files));
    alcore_status status = find_columns(ctx, path, files);
    if (status == ALCORE_OK) status = refuse_options(path, options);
    if (status == ALCORE_OK)
        status = alcore__model_new(ctx, &table, path, true /* path names it */, files, out);
    if (status == ALCORE_OK) return status;
    folder_free(ctx, files);
    return status == ALCORE_E_NOT_FOUND ? open_without_columns(ctx, path, options, out) : status;
}

/* Checks the values of the options, whatever the folder holds. */
static alcore_status check_options(const alcore_model_options *options) {
    if (options->dtype != 0 && options->dtype != ALCORE_FLOAT32 &&
        options->dtype != ALCORE_BFLOAT16 && options->dtype != ALCORE_FLOAT16 &&
        options->dtype != ALCORE_SYS_INT8)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_model_options: dtype is %d, not ALCORE_FLOAT32, "
                            "ALCORE_BFLOAT16, ALCORE_FLOAT16, ALCORE_INT8 or 0",
                            options->dtype);
    if (options->pooling != 0 &&
        (options->pooling < ALCORE_POOLING_MEAN || options->pooling > ALCORE_POOLING_MAX))
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_model_options: pooling is %d, not ALCORE_POOLING_* or 0",
                            options->pooling);
    if (options->normalize != 0 && options->normalize != ALCORE_NORMALIZE_UNIT &&
        options->normalize != ALCORE_NORMALIZE_NONE)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_model_options: normalize is %d, not ALCORE_NORMALIZE_* or 0",
                            options->normalize);
    if (options->layer < -1)
        return alcore__fail(ALCORE_E_PARAM, "alcore_model_options: layer is %d, not -1 or more",
                            options->layer);
    if (options->max_tokens < 0 || options->batch_tokens < 0)
        return alcore__fail(ALCORE_E_PARAM, "alcore_model_options: %s is negative",
                            options->max_tokens < 0 ? "max_tokens" : "batch_tokens");
    if (options->stride < 0 && options->stride != ALCORE_UNSET_INT)
        return alcore__fail(ALCORE_E_PARAM, "alcore_model_options: stride is %lld, not 0 or more",
                            (long long)options->stride);
    if (options->prompt && options->prompt_name)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_model_options: prompt and prompt_name are given; one of them "
                            "says what the prompt is");
    return ALCORE_OK;
}

/* Reads the options by their size and opens the folder. */
static alcore_status open_model(alcore_ctx *ctx, const char *path,
                                const alcore_model_options *given, alcore_model **out) {
    alcore_model_options options;
    options = (alcore_model_options)ALCORE_MODEL_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&options, sizeof options,
                                         ALCORE__FIRST_SIZE(alcore_model_options, batch_tokens),
                                         given, "alcore_model_options"));
    ALCORE__TRY(check_options(&options));
    return open_folder(ctx, path, &options, out);
}

alcore_status alcore_model_open(alcore_ctx *ctx, const char *path,
                                const alcore_model_options *options, alcore_model **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path || !out)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "alcore_model_open: ctx, path and out are needed"));
    return alcore__leave(ctx, open_model(ctx, path, options, out));
}
