/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the settings of a model's folder (folder_settings.h). */
#include "model/folder_settings.h"

#include <string.h>

#include "base/number.h"
#include "tokenizer/folder_files.h"

/* The files while they are read. */
typedef struct reader {
    alcore_ctx *ctx;
    const char *folder;
    alcore__buffer path, text; /* of the file that was read last */
    alcore__folder_settings *out;
} reader;

/* Reads a file of the folder as a JSON object; *found: whether it is there. *out lives until the
 * next file is read. */
static alcore_status read_object(reader *r, const char *name, alcore__part *out, bool *found) {
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, name, &r->path, &r->text, found));
    return *found ? alcore__part_open(r->ctx, &r->out->arena, &r->text, r->path.data, out)
                  : ALCORE_OK;
}

/* ---- numbers ---- */

/* The size above which transformers takes model_max_length as no limit (LARGE_INTEGER). */
#define NO_LIMIT 1e20

/* Reads a number of tokens or components, which is left as it is where the member is missing; one
 * above NO_LIMIT is 0, "no limit". */
static alcore_status read_count(const alcore__part *object, const char *name, int64_t *out) {
    alcore__part member;
    char *text;
    size_t length;
    double value = 0;
    if (!alcore__part_member(object, name, &member)) return ALCORE_OK;
    if (alcore__json_kind(&member.value) != '0' ||
        !alcore__json_number(&member.value, &text, &length) ||
        !alcore__parse_double(text, length, &value) || !(value >= 1) ||
        (value < 9e15 && (double)(int64_t)value != value))
        return alcore__part_fail(object, ALCORE_E_DATA, "%s is not a whole number above 0", name);
    *out = value > NO_LIMIT ? 0 : value > 9e15 ? INT64_MAX : (int64_t)value;
    return ALCORE_OK;
}

/* ---- files of transformers ---- */

/* The model_type of config.json, and the first of its architectures. */
static alcore_status read_model_type(reader *r, char model_type[64]) {
    alcore__part config, list, first;
    alcore__name name = {0};
    bool found;
    ALCORE__TRY(read_object(r, "config.json", &config, &found));
    if (found) ALCORE__TRY(alcore__part_text(&config, "model_type", &name));
    alcore__format(model_type, 64, "%.*s", name.length > 63 ? 63 : (int)name.length,
                   name.text ? name.text : "");
    if (!found || !alcore__part_member(&config, "architectures", &list) ||
        alcore__json_kind(&list.value) != '[')
        return ALCORE_OK;
    alcore__part_enter(&list);
    return alcore__part_next(&list, &first) && alcore__json_kind(&first.value) == '"'
               ? alcore__part_string(&first, &r->out->architecture)
               : ALCORE_OK;
}

/* Checks the keys of a file; an engine for other families may know other keys. */
static alcore_status check_file(reader *r, const char *name, int32_t file, const char *model_type) {
    alcore__part object;
    bool found;
    if (!alcore__folder_keys_knows(model_type)) return ALCORE_OK;
    ALCORE__TRY(read_object(r, name, &object, &found));
    return found ? alcore__folder_keys_check(&object, file, model_type, &r->out->report)
                 : ALCORE_OK;
}

/* tokenizer_config.json: its keys, where texts are cut, and the chat template, which is there or in
 * a file of its own. */
static alcore_status read_tokenizer_config(reader *r, const char *model_type) {
    alcore__folder_chat *chat = &r->out->chat;
    alcore__part object;
    bool found;
    chat->tokens = (alcore__chat_tokens){ALCORE__CHAT_NOT_NAMED, ALCORE__CHAT_NOT_NAMED,
                                         ALCORE__CHAT_NOT_NAMED, ALCORE__CHAT_NOT_NAMED};
    ALCORE__TRY(
        alcore__folder_read(r->ctx, r->folder, "chat_template.jinja", &r->path, &r->text, &found));
    if (found) {
        chat->file = "chat_template.jinja";
        chat->program.length = r->text.length;
        ALCORE__TRY(alcore__arena_text(r->ctx, &r->out->arena, r->text.data, r->text.length,
                                       &chat->program.text));
    }
    ALCORE__TRY(read_object(r, "tokenizer_config.json", &object, &found));
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_chat_read(&object, chat));
    ALCORE__TRY(
        alcore__folder_keys_check(&object, ALCORE__KEYS_TOKENIZER, model_type, &r->out->report));
    ALCORE__TRY(read_count(&object, "max_len", &r->out->max_tokens));
    return read_count(&object, "model_max_length", &r->out->max_tokens);
}

/* ---- modules of sentence-transformers ---- */

enum { TRANSFORMER, POOLING, NORMALIZE, STATIC, DENSE, LAYER_NORM };

/* The classes of modules, as version 5 and newer write them and as older versions did. */
static const struct {
    const char *now, *before;
    int32_t kind;
} modules[] = {
    {"sentence_transformers.base.modules.transformer.Transformer",
     "sentence_transformers.models.Transformer", TRANSFORMER},
    {"sentence_transformers.sentence_transformer.modules.pooling.Pooling",
     "sentence_transformers.models.Pooling", POOLING},
    {"sentence_transformers.base.modules.normalize.Normalize",
     "sentence_transformers.models.Normalize", NORMALIZE},
    {"sentence_transformers.sentence_transformer.modules.static_embedding.StaticEmbedding",
     "sentence_transformers.models.StaticEmbedding", STATIC},
    {"sentence_transformers.base.modules.dense.Dense", "sentence_transformers.models.Dense", DENSE},
    {"sentence_transformers.sentence_transformer.modules.layer_norm.LayerNorm",
     "sentence_transformers.models.LayerNorm", LAYER_NORM},
};
enum { MODULES = (int)(sizeof modules / sizeof *modules) };

/* The number of a class of modules; -1: it is none that is computed here. */
static int32_t module_kind(alcore__name type) {
    for (int32_t i = 0; i < MODULES; i++)
        if (alcore__name_is(type, modules[i].now) || alcore__name_is(type, modules[i].before))
            return modules[i].kind;
    return -1;
}

/* The ways in which vectors of tokens become one, with the flags of older folders, in the order in
 * which the vectors of several flags stand side by side. */
static const struct {
    const char *mode, *flag;
    int32_t pooling;
} poolings[] = {
    {"cls", "pooling_mode_cls_token", ALCORE_SYS_POOLING_FIRST},
    {"max", "pooling_mode_max_tokens", ALCORE_SYS_POOLING_MAX},
    {"mean", "pooling_mode_mean_tokens", ALCORE_SYS_POOLING_MEAN},
    {"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", ALCORE_SYS_POOLING_ROOT},
    {"weightedmean", "pooling_mode_weightedmean_tokens", ALCORE_SYS_POOLING_RISING},
    {"lasttoken", "pooling_mode_lasttoken", ALCORE_SYS_POOLING_LAST},
};
enum { POOLINGS = (int)(sizeof poolings / sizeof *poolings) };

/* Appends a pooling, of which there is room for all flags. */
static void add_pooling(alcore__folder_settings *out, int32_t pooling) {
    out->poolings[out->pooling_count++] = pooling;
}

static alcore_status add_mode(const alcore__part *object, alcore__name mode,
                              alcore__folder_settings *out) {
    if (out->pooling_count == ALCORE__MOST_POOLINGS)
        return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                                 "pooling_mode has more than %d modes", ALCORE__MOST_POOLINGS);
    for (int32_t i = 0; i < POOLINGS; i++)
        if (alcore__name_is(mode, poolings[i].mode)) {
            add_pooling(out, poolings[i].pooling);
            return ALCORE_OK;
        }
    return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                             "the pooling '%.*s' is not supported (cls, max, mean, "
                             "mean_sqrt_len_tokens, weightedmean and lasttoken are); take the "
                             "embeddings of another program as .npy",
                             mode.length > 64 ? 64 : (int)mode.length, mode.text);
}

/* pooling_mode: a mode, or a list of modes whose vectors stand side by side. */
static alcore_status read_modes(const alcore__part *object, const alcore__part *value,
                                alcore__folder_settings *out) {
    alcore__part list = *value, item;
    alcore__name mode;
    if (alcore__json_kind(&list.value) != '[') {
        ALCORE__TRY(alcore__part_string(value, &mode));
        return add_mode(object, mode, out);
    }
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) {
        ALCORE__TRY(alcore__part_string(&item, &mode));
        ALCORE__TRY(add_mode(object, mode, out));
    }
    if (out->pooling_count == 0)
        return alcore__part_fail(object, ALCORE_E_DATA, "pooling_mode is an empty list");
    return alcore__part_leave(&list);
}

/* The flags of older folders; none is the mean. */
static alcore_status read_flags(const alcore__part *object, alcore__folder_settings *out) {
    for (int32_t i = 0; i < POOLINGS; i++) {
        bool on = false;
        ALCORE__TRY(alcore__part_flag(object, poolings[i].flag, &on));
        if (on) add_pooling(out, poolings[i].pooling);
    }
    if (out->pooling_count == 0) add_pooling(out, ALCORE_SYS_POOLING_MEAN);
    return ALCORE_OK;
}

static alcore_status read_pooling(alcore__part *object, alcore__folder_settings *out) {
    alcore__part modes;
    bool include = true;
    ALCORE__TRY(alcore__part_flag(object, "include_prompt", &include));
    out->leaves_prompt_out = !include;
    if (alcore__part_member(object, "pooling_mode", &modes)) return read_modes(object, &modes, out);
    return read_flags(object, out);
}

static int32_t module_keys(int32_t kind) {
    return kind == POOLING      ? ALCORE__KEYS_POOLING
           : kind == DENSE      ? ALCORE__KEYS_DENSE
           : kind == LAYER_NORM ? ALCORE__KEYS_LAYER_NORM
                                : ALCORE__KEYS_NORMALIZE;
}

/* Reads config.json of a module, in the folder `place`. */
static alcore_status read_module(reader *r, int32_t kind, alcore__name place) {
    alcore__part object;
    alcore__buffer name = {0};
    bool found = false;
    alcore_status status =
        alcore__buffer_format(r->ctx, &name, "%.*s/config.json", (int)place.length, place.text);
    if (status == ALCORE_OK) status = read_object(r, name.data, &object, &found);
    alcore__buffer_clear(r->ctx, &name);
    if (status != ALCORE_OK) return status;
    if (!found && kind == POOLING)
        return alcore__fail(ALCORE_E_DATA, "%s: the config.json of the pooling is missing",
                            r->path.data);
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_keys_check(&object, module_keys(kind), "", &r->out->report));
    return kind == POOLING ? read_pooling(&object, r->out) : ALCORE_OK;
}

/* One module of modules.json. */
typedef struct module {
    int32_t kind;
    alcore__name type, path;
} module;

/* Reads an entry of modules.json. */
static alcore_status read_entry(reader *r, const alcore__part *entry, module *out) {
    alcore__name type = {0};
    *out = (module){.kind = -1};
    ALCORE__TRY(alcore__folder_keys_check(entry, ALCORE__KEYS_MODULES, "", &r->out->report));
    ALCORE__TRY(alcore__part_text(entry, "type", &type));
    ALCORE__TRY(alcore__part_text(entry, "path", &out->path));
    out->kind = module_kind(type);
    out->type = type;
    if (out->kind < 0)
        return alcore__part_fail(entry, ALCORE_E_UNSUPPORTED,
                                 "the module '%.*s' is not supported (Transformer, Pooling, "
                                 "Dense, LayerNorm and Normalize are, and StaticEmbedding with "
                                 "Dense and Normalize); take the embeddings of another program as "
                                 ".npy",
                                 type.length > 120 ? 120 : (int)type.length,
                                 type.text ? type.text : "");
    return ALCORE_OK;
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

/* The modules behind a StaticEmbedding: Dense and Normalize, in any order. */
static alcore_status check_static_order(const module *list, size_t count, const char *path) {
    for (size_t i = 1; i < count; i++)
        if (list[i].kind != NORMALIZE && list[i].kind != DENSE)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s: behind a StaticEmbedding only Dense and Normalize are "
                                "supported; take the embeddings of another program as .npy",
                                path);
    return ALCORE_OK;
}

/* The order in which modules are computed here: the transformer in the folder itself, a pooling,
 * and what vectors of texts go through. path: of modules.json. */
static alcore_status check_order(const module *list, size_t count, const char *path) {
    if (count > 0 && list[0].kind == STATIC) return check_static_order(list, count, path);
    for (size_t i = 0; i < count; i++) {
        const bool right = i == 0   ? list[i].kind == TRANSFORMER
                           : i == 1 ? list[i].kind == POOLING
                                    : list[i].kind != TRANSFORMER && list[i].kind != POOLING;
        if (!right)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s: the modules are not Transformer, Pooling and then Dense, "
                                "LayerNorm or Normalize in this order, as number %zu is '%.*s'; "
                                "take the embeddings of another program as .npy",
                                path, i + 1, (int)list[i].type.length, list[i].type.text);
    }
    if (count == 0) return alcore__fail(ALCORE_E_DATA, "%s: no module is named", path);
    if (list[0].path.length > 0 && !alcore__name_is(list[0].path, "."))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the transformer is in the folder %.*s; open the model with a "
                            "newer sentence-transformers and save it, which puts it beside "
                            "modules.json",
                            path, (int)list[0].path.length, list[0].path.text);
    return ALCORE_OK;
}

/* Whether a path of modules.json stays in the folder. */
static bool stays(alcore__name path) {
    for (size_t i = 0; i + 1 < path.length; i++)
        if (path.text[i] == '.' && path.text[i + 1] == '.') return false;
    return path.length > 0 && path.text[0] != '/';
}

/* r->path is that of modules.json. */
static alcore_status check_stays(const reader *r, alcore__name path) {
    return stays(path) ? ALCORE_OK
                       : alcore__fail(ALCORE_E_DATA, "%s: the path '%.*s' leads out of the folder",
                                      r->path.data, (int)path.length, path.text ? path.text : "");
}

/* Appends a module behind the pooling or the table to those of the settings. */
static alcore_status add_module(reader *r, const module *one) {
    alcore_sys_model_module *made = &r->out->modules[r->out->module_count++];
    made->kind = one->kind == DENSE        ? ALCORE_SYS_MODULE_DENSE
                 : one->kind == LAYER_NORM ? ALCORE_SYS_MODULE_LAYER_NORM
                                           : ALCORE_SYS_MODULE_NORMALIZE;
    return alcore__arena_text(r->ctx, &r->out->arena, one->path.text, one->path.length,
                              &made->folder);
}

/* Takes Normalize away from the end of the modules: an option of the call may leave it out. */
static void set_normalize(alcore__folder_settings *out) {
    while (out->module_count > 0 &&
           out->modules[out->module_count - 1].kind == ALCORE_SYS_MODULE_NORMALIZE) {
        out->normalize = true;
        out->module_count--;
    }
}

/* modules.json; *found: whether it is there. */
static alcore_status read_modules(reader *r, bool *found) {
    module list[ALCORE__MOST_MODULES];
    size_t count = 0;
    alcore__part part;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "modules.json", &r->path, &r->text, found));
    if (!*found) return ALCORE_OK;
    ALCORE__TRY(open_list(r, &part));
    ALCORE__TRY(read_list(r, &part, list, ALCORE__MOST_MODULES, &count));
    ALCORE__TRY(check_order(list, count, r->path.data));
    const bool is_static = list[0].kind == STATIC;
    if (is_static && list[0].path.length > 0) ALCORE__TRY(check_stays(r, list[0].path));
    if (is_static) r->out->table_path = list[0].path;
    for (size_t i = 1; i < count; i++) {
        ALCORE__TRY(check_stays(r, list[i].path));
        ALCORE__TRY(read_module(r, list[i].kind, list[i].path));
        if (is_static || i > 1) ALCORE__TRY(add_module(r, &list[i]));
    }
    set_normalize(r->out);
    return ALCORE_OK;
}

/* ---- settings of sentence-transformers ---- */

/* The file of the module Transformer, under the names that the package looks for, of which the
 * first that is there counts. */
static alcore_status read_sentence_config(reader *r) {
    static const char *const names[] = {ALCORE_SYS_SENTENCE_FILES};
    alcore__part object;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        ALCORE__TRY(read_object(r, names[i], &object, &found));
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_keys_check(&object, ALCORE__KEYS_SENTENCE, "", &r->out->report));
    ALCORE__TRY(alcore__part_flag(&object, "do_lower_case", &r->out->lowercase));
    return read_count(&object, "max_seq_length", &r->out->max_tokens);
}

/* Reads the members of "prompts", of which null is the empty text. */
static alcore_status read_prompts(const alcore__part *object, alcore__folder_settings *out) {
    alcore__part list, item;
    if (!alcore__part_member(object, "prompts", &list)) return ALCORE_OK;
    if (alcore__json_kind(&list.value) != '{')
        return alcore__part_fail(object, ALCORE_E_DATA, "prompts is no object");
    alcore__json scan = list.value;
    const char *key;
    size_t length;
    (void)alcore__json_enter(&scan, '{');
    while (alcore__json_skip_key(&scan, &key, &length)) {
        alcore__prompt *made;
        ALCORE__TRY(alcore__grow(object->ctx, &out->prompts, &out->prompt_capacity,
                                 out->prompt_count + 1, sizeof *out->prompts));
        made = &out->prompts[out->prompt_count];
        *made = (alcore__prompt){.text = {"", 0}};
        item = list;
        /* The key with its quotes is a string too. */
        item.value = scan;
        item.value.next = scan.begin + (key - 1 - scan.begin);
        item.value.fresh = true;
        ALCORE__TRY(alcore__part_string(&item, &made->name));
        item.value = scan;
        if (alcore__json_kind(&item.value) != 'n')
            ALCORE__TRY(alcore__part_string(&item, &made->text));
        out->prompt_count++;
        if (!alcore__json_skip(&scan)) break;
    }
    return ALCORE_OK;
}

/* The prompt of a name; NULL: there is none. */
static const alcore__prompt *find_prompt(const alcore__folder_settings *settings, const char *name,
                                         size_t length) {
    for (size_t i = 0; i < settings->prompt_count; i++)
        if (settings->prompts[i].name.length == length &&
            memcmp(settings->prompts[i].name.text, name, length) == 0)
            return &settings->prompts[i];
    return NULL;
}

/* default_prompt_name, which must be the name of a prompt; "query" and "document" are empty ones
 * where the folder has none of these names. */
static alcore_status read_default_prompt(const alcore__part *object, alcore__folder_settings *out) {
    alcore__name name = {0};
    ALCORE__TRY(alcore__part_text(object, "default_prompt_name", &name));
    if (!name.text) return ALCORE_OK;
    const alcore__prompt *found = find_prompt(out, name.text, name.length);
    if (found)
        out->default_prompt = found->text;
    else if (!alcore__name_is(name, "query") && !alcore__name_is(name, "document"))
        return alcore__part_fail(object, ALCORE_E_DATA,
                                 "default_prompt_name is '%.*s', which is no name of prompts",
                                 name.length > 64 ? 64 : (int)name.length, name.text);
    return ALCORE_OK;
}

static alcore_status read_prompt_config(reader *r) {
    alcore__part object;
    bool found;
    ALCORE__TRY(read_object(r, "config_sentence_transformers.json", &object, &found));
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_keys_check(&object, ALCORE__KEYS_PROMPTS, "", &r->out->report));
    ALCORE__TRY(read_count(&object, "truncate_dim", &r->out->truncate_dims));
    ALCORE__TRY(read_prompts(&object, r->out));
    return read_default_prompt(&object, r->out);
}

/* ---- all files ---- */

static alcore_status read_all(reader *r) {
    char model_type[64];
    bool generation, modules_found;
    ALCORE__TRY(read_model_type(r, model_type));
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "generation_config.json", &r->path, &r->text,
                                    &generation));
    ALCORE__TRY(check_file(r, "config.json", ALCORE__KEYS_CONFIG, model_type));
    if (generation) r->out->report.no_outputs = NULL;
    ALCORE__TRY(check_file(r, "generation_config.json", ALCORE__KEYS_GENERATION, model_type));
    ALCORE__TRY(read_tokenizer_config(r, model_type));
    ALCORE__TRY(read_modules(r, &modules_found));
    if (!modules_found) return ALCORE_OK;
    ALCORE__TRY(read_sentence_config(r));
    return read_prompt_config(r);
}

/* ---- static models ---- */

/* The limit of a config.json of model2vec that names none (DEFAULT_MAX_LENGTH). */
enum { MODEL2VEC_TOKENS = 512 };

/* config.json of model2vec, whose max_length may be null: no limit. */
static alcore_status read_model2vec(reader *r) {
    alcore__part object;
    alcore__json value;
    bool found, normalize = false;
    ALCORE__TRY(read_object(r, "config.json", &object, &found));
    r->out->max_tokens = MODEL2VEC_TOKENS;
    if (!found) return ALCORE_OK;
    ALCORE__TRY(
        alcore__folder_keys_check(&object, ALCORE__KEYS_CONFIG, "model2vec", &r->out->report));
    ALCORE__TRY(alcore__part_flag(&object, "normalize", &normalize));
    r->out->normalize |= normalize; /* a Normalize of modules.json stays */
    if (alcore__json_find(&object.value, "max_length", &value) && alcore__json_kind(&value) == 'n')
        r->out->max_tokens = 0;
    return read_count(&object, "max_length", &r->out->max_tokens);
}

alcore_status alcore__folder_settings_read_model2vec(alcore_ctx *ctx, const char *path,
                                                     alcore__folder_settings *out) {
    reader r = {.ctx = ctx, .folder = path, .out = out};
    const alcore_status status = read_model2vec(&r);
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    return status;
}

alcore_status alcore__folder_settings_read_static(alcore_ctx *ctx, const char *path,
                                                  alcore__folder_settings *out) {
    reader r = {.ctx = ctx, .folder = path, .out = out};
    bool found;
    alcore_status status = read_modules(&r, &found);
    if (status == ALCORE_OK) status = read_prompt_config(&r);
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    return status;
}

/* Looks at the first entry only, and leaves it to the readers to say what is wrong with the rest.
 */
static alcore_status find_static(reader *r, bool *out) {
    alcore__part list, entry;
    alcore__name type = {0};
    bool found;
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "modules.json", &r->path, &r->text, &found));
    if (!found) return ALCORE_OK;
    alcore_status status = open_list(r, &list);
    if (status == ALCORE_OK) {
        alcore__part_enter(&list);
        if (alcore__part_next(&list, &entry) && alcore__json_kind(&entry.value) == '{')
            status = alcore__part_text(&entry, "type", &type);
    }
    *out = type.text && module_kind(type) == STATIC;
    return status == ALCORE_E_DATA ? ALCORE_OK : status;
}

alcore_status alcore__folder_settings_find_static(alcore_ctx *ctx, const char *path, bool *out) {
    alcore__folder_settings settings = {0};
    reader r = {.ctx = ctx, .folder = path, .out = &settings};
    *out = false;
    const alcore_status status = find_static(&r, out);
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    alcore__folder_settings_clear(ctx, &settings);
    return status;
}

alcore_status alcore__folder_settings_read(alcore_ctx *ctx, const char *path,
                                           alcore__folder_settings *out) {
    reader r = {.ctx = ctx, .folder = path, .out = out};
    const alcore_status status = read_all(&r);
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    return status;
}

alcore_status alcore__folder_settings_prompt(const alcore__folder_settings *settings,
                                             const char *path, const char *name,
                                             alcore__name *out) {
    const alcore__prompt *found = find_prompt(settings, name, strlen(name));
    char names[200] = "";
    size_t used = 0;
    if (found) {
        *out = found->text;
        return ALCORE_OK;
    }
    for (size_t i = 0; i < settings->prompt_count && used + 1 < sizeof names; i++)
        used += (size_t)alcore__format(names + used, sizeof names - used, "%s%.*s",
                                       used ? ", " : "", (int)settings->prompts[i].name.length,
                                       settings->prompts[i].name.text);
    return alcore__fail(ALCORE_E_PARAM, "%s has no prompt of the name '%s'; it has %s", path, name,
                        *names ? names : "none");
}

void alcore__folder_settings_clear(alcore_ctx *ctx, alcore__folder_settings *settings) {
    alcore__key_report_clear(ctx, &settings->report);
    alcore__arena_clear(ctx, &settings->arena);
    alcore__free(ctx, settings->prompts);
    *settings = (alcore__folder_settings){0};
}
