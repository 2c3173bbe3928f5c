/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the settings of a model's folder (folder_settings.h). */
#include <string.h>

#include "base/number.h"
#include "model/folder_reader.h"
#include "tokenizer/folder_files.h"

typedef alcore__folder_reader reader;

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
    ALCORE__TRY(alcore__folder_read_object(r, "config.json", &config, &found));
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
    ALCORE__TRY(alcore__folder_read_object(r, name, &object, &found));
    return found ? alcore__folder_keys_check(&object, file, model_type, &r->out->report)
                 : ALCORE_OK;
}

/* Reads the tokens that end an output, one or a list, of a file; what is wrong with them is for the
 * engine to say. */
static alcore_status read_ends(reader *r, const char *name) {
    alcore__part object, member, entry;
    bool found;
    ALCORE__TRY(alcore__folder_read_object(r, name, &object, &found));
    if (!found || !alcore__part_member(&object, "eos_token_id", &member)) return ALCORE_OK;
    if (alcore__json_kind(&member.value) == '0')
        return alcore__part_number(&member, &r->out->ends[r->out->end_count++]);
    if (alcore__json_kind(&member.value) != '[') return ALCORE_OK;
    alcore__part_enter(&member);
    while (r->out->end_count < ALCORE__MOST_ENDS && alcore__part_next(&member, &entry) &&
           alcore__json_kind(&entry.value) == '0')
        ALCORE__TRY(alcore__part_number(&entry, &r->out->ends[r->out->end_count++]));
    return ALCORE_OK;
}

/* Refuses a tokenizer with code of its own where transformers has no class of the model_type and
 * none of its own is named: there it would ask whether the code may run. A class that it has goes
 * before the code, with "Fast" behind its name or without, and is then read as in a folder without
 * code: the first ones are that of tokenizer.json. */
static alcore_status check_tokenizer_code(const alcore__part *object, const char *model_type) {
    static const char *const known[] = {
        "PreTrainedTokenizer", "TokenizersBackend",   "PythonBackend",      "LlamaTokenizer",
        "Qwen2Tokenizer",      "GPT2Tokenizer",       "GemmaTokenizer",     "BertTokenizer",
        "DistilBertTokenizer", "ElectraTokenizer",    "MPNetTokenizer",     "RobertaTokenizer",
        "BartTokenizer",       "XLMRobertaTokenizer", "CamembertTokenizer", "T5Tokenizer",
        "MT5Tokenizer",        "RemBertTokenizer",    "DebertaV2Tokenizer"};
    alcore__part code, classes;
    alcore__name name = {0};
    if (strcmp(model_type, "eurobert") != 0 && strcmp(model_type, "llama") != 0) return ALCORE_OK;
    if (!alcore__part_member(object, "auto_map", &code)) return ALCORE_OK;
    if (alcore__json_kind(&code.value) == '{' &&
        !alcore__part_member(&code, "AutoTokenizer", &classes))
        return ALCORE_OK;
    ALCORE__TRY(alcore__part_text(object, "tokenizer_class", &name));
    if (name.length > 4 && memcmp(name.text + name.length - 4, "Fast", 4) == 0) name.length -= 4;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (alcore__name_is(name, known[i])) return ALCORE_OK;
    return alcore__part_fail(object, ALCORE_E_UNSUPPORTED,
                             "the tokenizer has code of its own (auto_map), which does not run "
                             "here; where its tokenizer.json says all, write "
                             "\"tokenizer_class\": \"PreTrainedTokenizerFast\"");
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
    ALCORE__TRY(alcore__folder_read_object(r, "tokenizer_config.json", &object, &found));
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_chat_read(&object, chat));
    ALCORE__TRY(
        alcore__folder_keys_check(&object, ALCORE__KEYS_TOKENIZER, model_type, &r->out->report));
    ALCORE__TRY(check_tokenizer_code(&object, model_type));
    ALCORE__TRY(read_count(&object, "max_len", &r->out->max_tokens));
    return read_count(&object, "model_max_length", &r->out->max_tokens);
}

/* ---- settings of sentence-transformers ---- */

/* The file of the module Transformer, under the names that the package looks for, of which the
 * first that is there counts. */
static alcore_status read_sentence_config(reader *r) {
    static const char *const names[] = {ALCORE_SYS_SENTENCE_FILES};
    alcore__part object;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        ALCORE__TRY(alcore__folder_read_object(r, names[i], &object, &found));
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
    alcore__part_enter_object(&list);
    for (;;) {
        alcore__name name;
        bool found;
        ALCORE__TRY(alcore__part_next_pair(&list, &name, &item, &found));
        if (!found) return ALCORE_OK;
        ALCORE__TRY(alcore__grow(object->ctx, &out->prompts, &out->prompt_capacity,
                                 out->prompt_count + 1, sizeof *out->prompts));
        alcore__prompt *made = &out->prompts[out->prompt_count];
        *made = (alcore__prompt){.name = name, .text = {"", 0}};
        if (alcore__json_kind(&item.value) != 'n')
            ALCORE__TRY(alcore__part_string(&item, &made->text));
        out->prompt_count++;
    }
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
    ALCORE__TRY(
        alcore__folder_read_object(r, "config_sentence_transformers.json", &object, &found));
    if (!found) return ALCORE_OK;
    ALCORE__TRY(alcore__folder_keys_check(&object, ALCORE__KEYS_PROMPTS, "", &r->out->report));
    ALCORE__TRY(read_count(&object, "truncate_dim", &r->out->truncate_dims));
    ALCORE__TRY(read_prompts(&object, r->out));
    return read_default_prompt(&object, r->out);
}

/* ---- all files ---- */

/* The files of the transformer, in its folder. */
static alcore_status read_transformer(reader *r) {
    char model_type[64];
    bool generation;
    ALCORE__TRY(read_model_type(r, model_type));
    ALCORE__TRY(alcore__folder_read(r->ctx, r->folder, "generation_config.json", &r->path, &r->text,
                                    &generation));
    ALCORE__TRY(check_file(r, "config.json", ALCORE__KEYS_CONFIG, model_type));
    if (generation) r->out->report.no_outputs = NULL;
    ALCORE__TRY(check_file(r, "generation_config.json", ALCORE__KEYS_GENERATION, model_type));
    ALCORE__TRY(read_ends(r, generation ? "generation_config.json" : "config.json"));
    if (r->tokenizer_folder) r->folder = r->tokenizer_folder;
    return read_tokenizer_config(r, model_type);
}

static alcore_status read_all(reader *r) {
    const char *whole = r->folder;
    bool modules_found;
    ALCORE__TRY(alcore__folder_modules_read(r, &modules_found));
    r->folder = r->out->folder;
    ALCORE__TRY(read_transformer(r));
    r->folder = r->out->folder;
    if (!modules_found) return ALCORE_OK;
    ALCORE__TRY(read_sentence_config(r));
    r->folder = whole;
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
    ALCORE__TRY(alcore__folder_read_object(r, "config.json", &object, &found));
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
                                                  const char *route, alcore__folder_settings *out) {
    reader r = {.ctx = ctx, .folder = path, .route = route, .out = out};
    bool found;
    alcore_status status = alcore__folder_modules_read(&r, &found);
    if (status == ALCORE_OK) status = read_prompt_config(&r);
    alcore__buffer_clear(ctx, &r.path);
    alcore__buffer_clear(ctx, &r.text);
    return status;
}

alcore_status alcore__folder_settings_read(alcore_ctx *ctx, const char *path, const char *route,
                                           const char *tokenizer, alcore__folder_settings *out) {
    reader r = {
        .ctx = ctx, .folder = path, .route = route, .tokenizer_folder = tokenizer, .out = out};
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
    /* encode_document() of the package takes these, too. */
    if (settings->route_taken && strcmp(name, "document") == 0) {
        if (!found) found = find_prompt(settings, "passage", 7);
        if (!found) found = find_prompt(settings, "corpus", 6);
    }
    if (found || settings->route_taken) {
        *out = found ? found->text : settings->default_prompt;
        return ALCORE_OK;
    }
    for (size_t i = 0; i < settings->prompt_count && used + 1 < sizeof names; i++)
        used += (size_t)alcore__format(names + used, sizeof names - used, "%s%.*s",
                                       used ? ", " : "", (int)settings->prompts[i].name.length,
                                       settings->prompts[i].name.text);
    return alcore__fail(ALCORE_E_PARAM, "%s has no prompt%s of the name '%s'; it has %s%s%s", path,
                        settings->routes ? " and no route" : "", name, *names ? names : "none",
                        settings->routes ? ", and the routes " : "",
                        settings->routes ? settings->routes : "");
}
