/* SPDX-License-Identifier: Apache-2.0 */
/* Opening folders of static models: those of model2vec and those of sentence-transformers whose
 * first module is a StaticEmbedding. The two packages read the same files and do not agree:
 * model2vec leaves unknown tokens out, cuts texts at max_length tokens of its config.json and,
 * before that, at as many characters as that many tokens of median length have;
 * sentence-transformers counts unknown tokens and cuts where tokenizer.json says. Each folder is
 * read as by the package that wrote it, which the name of its table tells. */
#include <string.h>

#include "model/model_engine.h"
#include "model/static_engine.h"
#include "tokenizer/folder_files.h"
#include "tokenizer/tokenizer_handle.h"

/* ---- which folders ---- */

/* What config.json says. */
typedef struct config {
    bool found;        /* there is one, an object */
    bool names_type;   /* it has a model_type */
    bool is_model2vec; /* which is that of model2vec */
} config;

/* A config.json that is malformed is left to those who read it. */
static alcore_status read_config(alcore_ctx *ctx, const char *path, config *out) {
    alcore__buffer name = {0}, text = {0};
    alcore__arena arena = {0};
    alcore__part object;
    alcore__name type = {0};
    *out = (config){0};
    alcore_status status = alcore__folder_read(ctx, path, "config.json", &name, &text, &out->found);
    if (status == ALCORE_OK && out->found)
        status = alcore__part_open(ctx, &arena, &text, name.data, &object);
    if (status == ALCORE_OK && out->found) status = alcore__part_text(&object, "model_type", &type);
    out->found = out->found && status == ALCORE_OK;
    out->names_type = type.text != NULL;
    out->is_model2vec = type.text && alcore__name_is(type, "model2vec");
    alcore__arena_clear(ctx, &arena);
    alcore__buffer_clear(ctx, &name);
    alcore__buffer_clear(ctx, &text);
    return status == ALCORE_E_DATA ? ALCORE_OK : status;
}

/* *out: whether the folder is one of a static model. A model of model2vec that was put together by
 * hand has no model_type, but the table has the name that model2vec gives it. */
static alcore_status is_static(alcore_ctx *ctx, const char *path, const char *route, bool *out) {
    config said;
    alcore__folder_first first;
    ALCORE__TRY(alcore__folder_settings_find(ctx, path, route, &first));
    const bool is_part = first.folder != NULL;
    alcore__free(ctx, first.folder);
    *out = first.is_static;
    if (*out || is_part) return ALCORE_OK;
    ALCORE__TRY(read_config(ctx, path, &said));
    *out = said.is_model2vec;
    if (*out || !said.found || said.names_type) return ALCORE_OK;
    return alcore__static_tensor_found(ctx, path, "embeddings", out);
}

/* ---- options ---- */

/* Refuses what says nothing of a mean of rows. */
static alcore_status check_options(const char *path, const alcore_model_options *options) {
    const char *device = options->device;
    const char *name = options->layer != -1                  ? "layer"
                       : options->batch_tokens               ? "batch_tokens"
                       : options->stride != ALCORE_UNSET_INT ? "stride"
                       : options->pooling && options->pooling != ALCORE_POOLING_MEAN ? "pooling"
                       : options->dtype && options->dtype != ALCORE_FLOAT32          ? "dtype"
                                                                                     : NULL;
    if (device && strcmp(device, "auto") != 0 && strcmp(device, "cpu") != 0)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: static models run on the CPU, not on the device '%s'", path,
                            device);
    if (!name) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "%s: the embeddings of a static model are means of the rows of a table, "
                        "for which %s says nothing; leave it out",
                        path, name);
}

/* ---- opening ---- */

/* What open_static() needs beside the options of engines: it is called with nothing between. */
typedef struct opening {
    const char *place; /* the folder of the table and its tokenizer */
    alcore__static_table table;
    int64_t max_tokens; /* INT64_MAX: no limit */
} opening;

/* Opens the tokenizer, and sets what the package that wrote the folder does with its tokens. */
static alcore_status read_rules(alcore_ctx *ctx, const alcore_sys_model_options *options,
                                opening *from, alcore__engine_model *data) {
    int64_t length, limit = data->settings.max_tokens;
    ALCORE__TRY(alcore__engine_read_tokenizer(ctx, from->place, data));
    if (data->tokenizer->size > from->table.tokens)
        return alcore__fail(
            ALCORE_E_DATA,
            "%s: tokenizer.json has the ids 0 to %lld, but the table has vectors for "
            "%lld tokens only",
            from->place, (long long)data->tokenizer->size - 1, (long long)from->table.tokens);
    if (from->table.of_model2vec) {
        data->unknown = alcore__tokenizer_unknown(data->tokenizer);
    } else {
        limit = alcore__tokenizer_truncation(data->tokenizer);
        if (limit < 0)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s/tokenizer.json: its truncation cuts texts at their beginning; "
                                "only \"direction\": \"Right\" is supported",
                                from->place);
    }
    if (options->max_tokens > 0 && (limit == 0 || options->max_tokens < limit))
        limit = options->max_tokens;
    from->max_tokens = limit > 0 ? limit : INT64_MAX;
    if (!from->table.of_model2vec || limit == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__tokenizer_median_length(data->tokenizer, &length));
    if (__builtin_mul_overflow(limit, length, &data->most_points)) data->most_points = INT64_MAX;
    return ALCORE_OK;
}

/* Reads all of the folder, once from->place is known. */
static alcore_status read_place(alcore_ctx *ctx, const char *path,
                                const alcore_sys_model_options *options, opening *from,
                                alcore__engine_model *data) {
    ALCORE__TRY(alcore__static_table_open(ctx, from->place, &from->table));
    if (from->table.of_model2vec)
        ALCORE__TRY(alcore__folder_settings_read_model2vec(ctx, from->place, &data->settings));
    for (size_t i = 0; i < data->settings.report.warning_count; i++)
        alcore__log(ctx, ALCORE_LOG_WARN, "model", NULL, "%s: %s", path,
                    data->settings.report.warnings[i]);
    ALCORE__TRY(read_rules(ctx, options, from, data));
    ALCORE__TRY(alcore__static_open(ctx, &data->settings, from->max_tokens, options->normalize,
                                    &from->table, &data->opened));
    return alcore__engine_update(ctx, data);
}

/* An alcore__engine_opener. */
static alcore_status open_static(alcore_ctx *ctx, const char *path, const char *route,
                                 const alcore_sys_model_options *options,
                                 alcore__engine_model *data) {
    opening from = {0};
    data->is_static = true;
    ALCORE__TRY(alcore__folder_settings_read_static(ctx, path, route, &data->settings));
    from.place = data->settings.folder;
    const alcore_status status = read_place(ctx, path, options, &from, data);
    alcore__static_table_close(ctx, &from.table);
    return status;
}

alcore_status alcore__model_open_static(alcore_ctx *ctx, const char *path,
                                        const alcore_model_options *options, bool *found,
                                        alcore_model **out) {
    const alcore_sys_model_options passed = {
        .size = sizeof passed,
        .normalize = options->normalize
                         ? options->normalize - ALCORE_NORMALIZE_UNIT + ALCORE_SYS_NORMALIZE_UNIT
                         : ALCORE_SYS_NORMALIZE_AUTO,
        .max_tokens = options->max_tokens};
    ALCORE__TRY(is_static(ctx, path, options->prompt_name, found));
    if (!*found) return ALCORE_OK;
    ALCORE__TRY(check_options(path, options));
    ALCORE__TRY(alcore__model_make_engine(ctx, &alcore__static_engine, path, options->prompt_name,
                                          &passed, open_static, out));
    return alcore__engine_choose_prompt(ctx, path, options, out);
}
