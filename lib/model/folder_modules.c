/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of sentence-transformers in a model's folder: modules.json, and the config.json of
 * each module (folder_reader.h). */
#include <string.h>

#include "model/folder_reader.h"
#include "tokenizer/folder_files.h"

typedef alcore__folder_reader reader;
typedef alcore__folder_module module;

/* ---- what a module says of itself ---- */

/* The files of modules that have one, and their keys. */
static const struct {
    int32_t kind, keys;
    const char *file;
} files[] = {
    {ALCORE__CLASS_WEIGHTED_LAYERS, ALCORE__KEYS_WEIGHTED_LAYERS, "config.json"},
    {ALCORE__CLASS_CNN, ALCORE__KEYS_CNN, "cnn_config.json"},
    {ALCORE__CLASS_POOLING, ALCORE__KEYS_POOLING, "config.json"},
    {ALCORE__CLASS_DENSE, ALCORE__KEYS_DENSE, "config.json"},
    {ALCORE__CLASS_LAYER_NORM, ALCORE__KEYS_LAYER_NORM, "config.json"},
    {ALCORE__CLASS_NORMALIZE, ALCORE__KEYS_NORMALIZE, "config.json"},
    {ALCORE__CLASS_DROPOUT, ALCORE__KEYS_DROPOUT, "config.json"},
};
enum { FILES = (int)(sizeof files / sizeof *files) };

/* Reads the config of a module; the engine reads those of the modules with weights again. */
static alcore_status read_module(reader *r, const module *one) {
    alcore__part object;
    alcore__buffer name = {0};
    bool found = false;
    int32_t i = 0;
    while (i < FILES && files[i].kind != one->kind) i++;
    if (i == FILES) return ALCORE_OK;
    alcore_status status = alcore__buffer_format(r->ctx, &name, "%.*s/%s", (int)one->place.length,
                                                 one->place.text, files[i].file);
    if (status == ALCORE_OK) status = alcore__folder_read_object(r, name.data, &object, &found);
    alcore__buffer_clear(r->ctx, &name);
    if (status != ALCORE_OK) return status;
    if (!found && one->kind == ALCORE__CLASS_POOLING)
        return alcore__fail(ALCORE_E_DATA, "%s: the config.json of the pooling is missing",
                            r->path.data);
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_keys_check(&object, files[i].keys, "", &r->out->report));
    return one->kind == ALCORE__CLASS_POOLING ? alcore__folder_pooling_read(&object, r->out)
                                              : ALCORE_OK;
}

/* ---- modules.json ---- */

/* Reads an entry of modules.json. */
static alcore_status read_entry(reader *r, const alcore__part *entry, module *out) {
    *out = (module){.kind = -1};
    ALCORE__TRY(alcore__folder_keys_check(entry, ALCORE__KEYS_MODULES, "", &r->out->report));
    ALCORE__TRY(alcore__part_text(entry, "type", &out->type));
    ALCORE__TRY(alcore__part_text(entry, "path", &out->place));
    return alcore__folder_module_kind(entry, out);
}

/* Puts *out before the list that modules.json is. */
static alcore_status open_list(const reader *r, alcore__part *out) {
    enum { MAX_DEPTH = 8 };
    *out = (alcore__part){r->ctx, &r->out->arena, r->path.data, NULL, {0}};
    alcore__json_begin(&out->value, r->text.data, r->text.length, MAX_DEPTH);
    alcore__part whole = *out;
    if (alcore__json_kind(&whole.value) != '[')
        return alcore__part_fail(out, ALCORE_E_DATA, "a list is expected");
    if (!alcore__json_skip(&whole.value) || !alcore__json_end(&whole.value))
        return alcore__part_leave(&whole);
    return ALCORE_OK;
}

/* Reads the list of modules, which is longer than `most` in no folder that is computed here. */
static alcore_status read_list(reader *r, alcore__part *list, module *out, size_t most,
                               size_t *count) {
    alcore__part entry;
    alcore__part_enter(list);
    while (alcore__part_next(list, &entry)) {
        if (alcore__json_kind(&entry.value) != '{')
            return alcore__part_fail(list, ALCORE_E_DATA, "a module is no object");
        if (*count == most)
            return alcore__part_fail(list, ALCORE_E_UNSUPPORTED, "more than %zu modules", most);
        ALCORE__TRY(read_entry(r, &entry, &out[(*count)++]));
    }
    return alcore__part_leave(list);
}

/* Puts the modules of the taken route in the place of each Router. */
static alcore_status take_routes(reader *r, module *list, size_t *count) {
    module taken[ALCORE__MOST_MODULES];
    size_t used = 0;
    for (size_t i = 0; i < *count; i++) {
        if (list[i].kind == ALCORE__CLASS_ROUTER)
            ALCORE__TRY(alcore__folder_router_read(r, list[i].place, taken, &used));
        else if (used < ALCORE__MOST_MODULES)
            taken[used++] = list[i];
        else
            return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: more than %d modules", r->folder,
                                ALCORE__MOST_MODULES);
    }
    memcpy(list, taken, used * sizeof *list);
    *count = used;
    return ALCORE_OK;
}

/* ---- their order ---- */

/* Where a module stands: 0 first, 1 among those of tokens, 2 the pooling, 3 among those of texts.
 */
static int32_t stage(int32_t kind) {
    switch (kind) {
    case ALCORE__CLASS_TRANSFORMER:
    case ALCORE__CLASS_STATIC:
        return 0;
    case ALCORE__CLASS_WEIGHTED_LAYERS:
    case ALCORE__CLASS_CNN:
        return 1;
    case ALCORE__CLASS_POOLING:
        return 2;
    default:
        return 3;
    }
}

/* The modules behind a StaticEmbedding, in any order. */
static alcore_status check_static_order(const reader *r, const module *list, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (stage(list[i].kind) != 3 || list[i].kind == ALCORE__CLASS_LAYER_NORM)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s/modules.json: behind a StaticEmbedding only Dense and "
                                "Normalize are supported, but number %zu is '%.*s'; take the "
                                "embeddings of another program as .npy",
                                r->folder, i + 1, (int)list[i].type.length, list[i].type.text);
    return ALCORE_OK;
}

/* Whether module i can stand behind the one before it. A WeightedLayerPooling reads the
 * transformer; a convolution reads whatever there is of tokens. */
static bool follows(const module *list, size_t i) {
    const int32_t own = stage(list[i].kind);
    if (i == 0) return list[i].kind == ALCORE__CLASS_TRANSFORMER;
    const int32_t before = stage(list[i - 1].kind);
    if (list[i].kind == ALCORE__CLASS_WEIGHTED_LAYERS) return before == 0;
    return own == 1 || own == 2 ? before < 2 : own == 3 && before >= 2;
}

/* The order in which modules are computed here: the transformer, what vectors of tokens go through,
 * a pooling, and what vectors of texts go through. */
static alcore_status check_order(const reader *r, const module *list, size_t count) {
    if (count == 0)
        return alcore__fail(ALCORE_E_DATA, "%s/modules.json: no module is named", r->folder);
    if (list[0].kind == ALCORE__CLASS_STATIC) return check_static_order(r, list, count);
    for (size_t i = 0; i < count; i++)
        if (!follows(list, i) || (i + 1 == count && stage(list[i].kind) == 1))
            return alcore__fail(
                ALCORE_E_UNSUPPORTED,
                "%s/modules.json: the modules are not Transformer, WeightedLayerPooling or CNN, "
                "Pooling and then Dense, LayerNorm or Normalize in this order, as number %zu is "
                "'%.*s'; take the embeddings of another program as .npy",
                r->folder, i + 1, (int)list[i].type.length, list[i].type.text);
    return ALCORE_OK;
}

/* ---- settings ---- */

/* *out: the whole path of a place in the folder of the model. */
static alcore_status whole_path(const reader *r, alcore__name place, const char **out) {
    const bool is_root = alcore__folder_is_root(place);
    alcore__buffer path = {0};
    alcore_status status =
        alcore__buffer_format(r->ctx, &path, "%s%s%.*s", r->folder, is_root ? "" : "/",
                              is_root ? 0 : (int)place.length, is_root ? "" : place.text);
    if (status == ALCORE_OK)
        status = alcore__arena_text(r->ctx, &r->out->arena, path.data, path.length, out);
    alcore__buffer_clear(r->ctx, &path);
    return status;
}

/* Appends a module to those of the settings. Dropout does nothing outside of a training. */
static alcore_status add_module(reader *r, const module *one) {
    static const int32_t kinds[] = {
        [ALCORE__CLASS_WEIGHTED_LAYERS] = ALCORE_SYS_MODULE_WEIGHTED_LAYERS,
        [ALCORE__CLASS_CNN] = ALCORE_SYS_MODULE_CNN,
        [ALCORE__CLASS_DENSE] = ALCORE_SYS_MODULE_DENSE,
        [ALCORE__CLASS_LAYER_NORM] = ALCORE_SYS_MODULE_LAYER_NORM,
        [ALCORE__CLASS_NORMALIZE] = ALCORE_SYS_MODULE_NORMALIZE,
    };
    if (one->kind == ALCORE__CLASS_POOLING || one->kind == ALCORE__CLASS_DROPOUT) return ALCORE_OK;
    alcore_sys_model_module *made = &r->out->modules[r->out->module_count++];
    made->kind = kinds[one->kind];
    return whole_path(r, one->place, &made->folder);
}

/* Takes Normalize away from the end of the modules: an option of the call may leave it out. */
static void set_normalize(alcore__folder_settings *out) {
    while (out->module_count > 0 &&
           out->modules[out->module_count - 1].kind == ALCORE_SYS_MODULE_NORMALIZE) {
        out->normalize = true;
        out->module_count--;
    }
}

/* Reads modules.json to a list, in which Routers are replaced. */
static alcore_status read_modules(reader *r, module list[ALCORE__MOST_MODULES], size_t *count,
                                  bool *found) {
    alcore__part part;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "modules.json", &r->path, &r->text, found));
    if (!*found) return ALCORE_OK;
    ALCORE__TRY(open_list(r, &part));
    ALCORE__TRY(read_list(r, &part, list, ALCORE__MOST_MODULES, count));
    for (size_t i = 0; i < *count; i++)
        if (i > 0 || !alcore__folder_is_root(list[i].place))
            ALCORE__TRY(alcore__folder_check_place(r->path.data, list[i].place));
    return take_routes(r, list, count);
}

alcore_status alcore__folder_modules_read(reader *r, bool *found) {
    module list[ALCORE__MOST_MODULES];
    size_t count = 0;
    ALCORE__TRY(read_modules(r, list, &count, found));
    if (!*found) return whole_path(r, (alcore__name){0}, &r->out->folder);
    ALCORE__TRY(check_order(r, list, count));
    ALCORE__TRY(whole_path(r, list[0].place, &r->out->folder));
    r->out->is_part = !alcore__folder_is_root(list[0].place);
    for (size_t i = 1; i < count; i++) {
        ALCORE__TRY(read_module(r, &list[i]));
        ALCORE__TRY(add_module(r, &list[i]));
    }
    set_normalize(r->out);
    return ALCORE_OK;
}

/* Looks at the first module only, and leaves it to the readers to say what is wrong with the rest.
 */
static alcore_status find_first(reader *r, module list[ALCORE__MOST_MODULES], bool *found) {
    alcore__part part, entry;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "modules.json", &r->path, &r->text, found));
    if (!*found) return ALCORE_OK;
    size_t count = 1;
    *found = false;
    ALCORE__TRY(open_list(r, &part));
    alcore__part_enter(&part);
    if (!alcore__part_next(&part, &entry) || alcore__json_kind(&entry.value) != '{')
        return ALCORE_OK;
    list[0] = (module){0};
    ALCORE__TRY(alcore__part_text(&entry, "type", &list[0].type));
    ALCORE__TRY(alcore__part_text(&entry, "path", &list[0].place));
    ALCORE__TRY(alcore__folder_module_kind(&entry, &list[0]));
    if (!alcore__folder_is_root(list[0].place))
        ALCORE__TRY(alcore__folder_check_place(r->path.data, list[0].place));
    ALCORE__TRY(take_routes(r, list, &count));
    *found = count > 0;
    return ALCORE_OK;
}

alcore_status alcore__folder_settings_find(alcore_ctx *ctx, const char *path, const char *route,
                                           alcore__folder_first *out) {
    alcore__folder_settings settings = {0};
    alcore__folder_reader r = {.ctx = ctx, .folder = path, .route = route, .out = &settings};
    module list[ALCORE__MOST_MODULES];
    bool found = false;
    *out = (alcore__folder_first){0};
    alcore_status status = find_first(&r, list, &found);
    if (status == ALCORE_OK && found) {
        out->is_static = list[0].kind == ALCORE__CLASS_STATIC;
        status = whole_path(&r, list[0].place, &settings.folder);
    }
    if (status == ALCORE_OK && found && !alcore__folder_is_root(list[0].place)) {
        out->folder = alcore__strndup(ctx, settings.folder, strlen(settings.folder));
        if (!out->folder) status = alcore__fail_memory(strlen(settings.folder) + 1);
    }
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    alcore__folder_settings_clear(ctx, &settings);
    return status;
}
