/* SPDX-License-Identifier: Apache-2.0 */
/* An opened model of a module: the calls that it has, and texts as its engine takes them: as they
 * are, or as token ids made by the tokenizer of the model's folder. The files of the tokenizer are
 * part of the version of the model: with another vocabulary the same weights give other numbers,
 * which a cache must not mix up. */
#include <inttypes.h>
#include <string.h>

#include "model/model_engine.h"

/* ---- calls ---- */

/* Whether the engine has the function of a call (one of ALCORE_SYS_MODEL_*). Its table may be older
 * and shorter than ours: a function beyond its size counts as NULL. */
static bool has_call(const alcore_sys_model_engine *engine, uint32_t call) {
#define HAS(name)                                                                                  \
    (engine->size >= ALCORE__FIRST_SIZE(alcore_sys_model_engine, name) && engine->name)
    switch (call) {
    case ALCORE_SYS_MODEL_EMBED:
        return HAS(embed);
    case ALCORE_SYS_MODEL_TOKEN_LOGPROBS:
        return HAS(token_logprobs);
    case ALCORE_SYS_MODEL_CLASS_PROBS:
        return HAS(class_probs);
    case ALCORE_SYS_MODEL_TOKEN_PROBS:
        return HAS(token_probs);
    case ALCORE_SYS_MODEL_QA_PROBS:
        return HAS(qa_probs);
    case ALCORE_SYS_MODEL_MLM_LOSSES:
        return HAS(mlm_losses);
    case ALCORE_SYS_MODEL_TRANSLATE:
        return HAS(translate);
    case ALCORE_SYS_MODEL_TRAIN:
        return HAS(train);
    case ALCORE_SYS_MODEL_SAVE:
        return HAS(save);
    default:
        return false;
    }
#undef HAS
}

bool alcore__engine_has(const alcore__engine_model *data, uint32_t call) {
    return (data->info.calls & call) != 0 && has_call(data->engine, call);
}

/* ---- the tokenizer ---- */

/* The files of a folder that tokens can depend on: those of the tokenizer, and the one that may
 * limit their number. */
static const char *const tokenizer_files[] = {ALCORE_SYS_TOKENIZER_FILES,
                                              ALCORE_SYS_SENTENCE_FILES};
enum { TOKENIZER_FILES = (int)(sizeof tokenizer_files / sizeof *tokenizer_files) };

/* Appends the hash of the file at path and its name to *out; a file that cannot be opened is none.
 */
static alcore_status append_hash(alcore_ctx *ctx, const char *path, const char *name,
                                 alcore__buffer *out) {
    alcore__file *file;
    int64_t length = 0;
    char *data = NULL;
    alcore_status status = alcore__file_open(ctx, path, &file);
    if (status != ALCORE_OK) return status == ALCORE_E_IO ? ALCORE_OK : status;
    status = alcore__file_length(file, &length);
    if (status == ALCORE_OK && length > 0)
        status = alcore__new_array(ctx, (size_t)length, 1, &data);
    if (status == ALCORE_OK && length > 0)
        status = alcore__file_read_all(file, 0, data, (size_t)length);
    if (status == ALCORE_OK) {
        char hash[ALCORE__HASH_TEXT_BYTES];
        alcore__hash_print(alcore__hash128(data, length > 0 ? (size_t)length : 0), hash);
        status = alcore__buffer_format(ctx, out, "%s %s\n", name, hash);
    }
    alcore__free(ctx, data);
    alcore__file_close(file);
    return status;
}

/* *out: a hash of all files of the tokenizer in the folder at path. Names are hashed too, so that a
 * file that appears or vanishes changes it. */
static alcore_status hash_files(alcore_ctx *ctx, const char *path, uint64_t *out) {
    alcore__buffer lines = {0}, name = {0};
    alcore_status status = ALCORE_OK;
    for (int32_t i = 0; i < TOKENIZER_FILES && status == ALCORE_OK; i++) {
        name.length = 0;
        status = alcore__buffer_format(ctx, &name, "%s/%s", path, tokenizer_files[i]);
        if (status == ALCORE_OK) status = append_hash(ctx, name.data, tokenizer_files[i], &lines);
    }
    if (status == ALCORE_OK) *out = alcore__hash128(lines.data, lines.length).low;
    alcore__buffer_clear(ctx, &name);
    alcore__buffer_clear(ctx, &lines);
    return status;
}

/* Opens the tokenizer of a static model. */
static alcore_status read_alone(alcore_ctx *ctx, const char *path, alcore__engine_model *data) {
    alcore__buffer file = {0};
    alcore_status status = alcore__buffer_format(ctx, &file, "%s/tokenizer.json", path);
    if (status == ALCORE_OK)
        status = alcore__tokenizer_open_alone(ctx, file.data, &data->tokenizer);
    alcore__buffer_clear(ctx, &file);
    return status == ALCORE_OK ? hash_files(ctx, path, &data->tokenizer_hash) : status;
}

/* A folder without a tokenizer (ALCORE_E_IO) opens all the same, since what the model is can be
 * told; its texts cannot be encoded. */
alcore_status alcore__engine_read_tokenizer(alcore_ctx *ctx, const char *path,
                                            alcore__engine_model *data) {
    if (data->is_static) return read_alone(ctx, path, data);
    if (!data->info.takes_tokens) return ALCORE_OK;
    const alcore_status status = alcore__tokenizer_open(ctx, path, &data->tokenizer);
    if (status != ALCORE_OK && status != ALCORE_E_IO) return status;
    if (data->settings.lowercase && data->tokenizer)
        ALCORE__TRY(alcore__tokenizer_lowercase(data->tokenizer));
    return hash_files(ctx, path, &data->tokenizer_hash);
}

/* Asks the engine for data->info, whose strings stay the engine's, and makes data->version of it:
 * the version that the engine tells and, where it takes token ids, "-" and the hash of the
 * tokenizer's files. The old version stays after a failure. */
alcore_status alcore__engine_update(alcore_ctx *ctx, alcore__engine_model *data) {
    alcore__buffer version = {0};
    data->info.size = sizeof data->info;
    const alcore_status status = data->engine->info(data->opened, &data->info);
    if (status != ALCORE_OK) return alcore__fail_callback(status, data->engine->engine);
    ALCORE__TRY(
        alcore__buffer_format(ctx, &version, "%s", data->info.version ? data->info.version : ""));
    if (data->info.takes_tokens) {
        const alcore_status added =
            alcore__buffer_format(ctx, &version, "-%016" PRIx64, data->tokenizer_hash);
        if (added != ALCORE_OK) {
            alcore__buffer_clear(ctx, &version);
            return added;
        }
    }
    alcore__free(ctx, data->version);
    data->version = version.data;
    return ALCORE_OK;
}

/* Tells an engine that reads texts itself the language of targets, where the model has one. */
static alcore_status tag_targets(const alcore_model *model, alcore__engine_texts *out) {
    const alcore__engine_model *data = model->data;
    const size_t count = (size_t)out->passed.count;
    if (!data->language) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(model->object.ctx, count, sizeof *out->tags, &out->tags));
    for (size_t i = 0; i < count; i++) out->tags[i] = data->language;
    out->passed.languages = out->tags;
    return ALCORE_OK;
}

alcore_status alcore__engine_cut_points(alcore_ctx *ctx, const alcore__engine_model *data,
                                        alcore__texts *read, alcore__engine_texts *out) {
    const size_t count = (size_t)read->count;
    if (!out->lengths)
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    for (size_t i = 0; i < count; i++)
        out->lengths[i] =
            alcore__engine_points(read->texts[i], read->lengths[i], data->most_points);
    read->lengths = out->lengths;
    return ALCORE_OK;
}

/* Marks the unknown tokens, which static models leave out. */
static void leave_unknown_out(const alcore__engine_model *data, alcore__tokens *tokens) {
    const int64_t count = tokens->offsets[tokens->count];
    for (int64_t t = 0; t < count; t++)
        if (tokens->ids[t] == data->unknown) tokens->marks[t] |= ALCORE_SYS_TOKEN_LEFT_OUT;
}

/* Sets out->passed to texts, which the engine may look at beside their tokens. */
static void pass_texts(const alcore__texts *read, const char *const *languages,
                       alcore__engine_texts *out) {
    out->passed = (alcore_sys_model_texts){.size = sizeof out->passed,
                                           .texts = read->texts,
                                           .lengths = read->lengths,
                                           .languages = languages,
                                           .count = read->count};
}

/* The same for the tokens. */
static void pass_tokens(alcore__engine_texts *out) {
    out->passed.ids = out->tokens.ids;
    out->passed.offsets = out->tokens.offsets;
    out->passed.types = out->tokens.types;
    out->passed.marks = out->tokens.marks;
}

/* Ends the targets of a chat. Their types and marks, which no engine needs, are not passed then. */
static alcore_status end_targets(const alcore_model *model, alcore__engine_texts *out) {
    ALCORE__TRY(alcore__chat_end_targets(model, &out->tokens));
    pass_tokens(out);
    out->passed.types = NULL;
    out->passed.marks = NULL;
    return ALCORE_OK;
}

/* Encodes texts in their prompts with places, of a language model. */
static alcore_status encode_prompts(const alcore_model *model, const alcore__texts *texts,
                                    const char *const *languages, alcore__text_role role,
                                    const int64_t *rooms, alcore__engine_texts *out) {
    ALCORE__TRY(alcore__template_encode(model, texts, languages, role, rooms, out));
    const alcore__texts read = {out->views, out->lengths, texts->count};
    pass_texts(&read, languages, out);
    pass_tokens(out);
    return ALCORE_OK;
}

/* Encodes texts; languages: [texts->count] tags, or NULL. */
static alcore_status encode(const alcore_model *model, const alcore__texts *texts,
                            const char *const *languages, alcore__text_role role,
                            const int64_t *rooms, alcore__engine_texts *out) {
    const alcore__engine_model *data = model->data;
    const bool as_target = role == ALCORE__TEXT_TARGET;
    const alcore__name *prompt =
        as_target ? NULL : alcore__engine_prompt(data, role == ALCORE__TEXT_EMBEDDED);
    alcore__texts read = *texts;
    if (data->info.takes_tokens && !data->tokenizer)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the model takes token ids, and its folder has no tokenizer; add "
                            "its tokenizer.json or vocab.txt, or compute the values elsewhere and "
                            "give them as .npy",
                            model->name);
    if (role == ALCORE__TEXT_EMBEDDED) alcore__engine_note_alone(model);
    if (role == ALCORE__TEXT_LEARNED || (prompt && data->is_template))
        alcore__engine_note_template(model);
    if (prompt && data->is_template)
        return encode_prompts(model, texts, languages, role, rooms, out);
    if (prompt) {
        ALCORE__TRY(alcore__engine_join_prompt(model->object.ctx, prompt, texts, out));
        read = (alcore__texts){out->views, out->lengths, texts->count};
    }
    if (data->most_points > 0)
        ALCORE__TRY(alcore__engine_cut_points(model->object.ctx, data, &read, out));
    pass_texts(&read, languages, out);
    if (!data->info.takes_tokens) return as_target ? tag_targets(model, out) : ALCORE_OK;
    const bool continued = alcore__is_language_model(data);
    const alcore__encoding how = {.max_tokens = alcore__engine_limit(data, role),
                                  .without_special = data->is_static || (as_target && continued),
                                  .as_target = as_target,
                                  .language = as_target && !continued ? data->language : NULL};
    ALCORE__TRY(
        alcore__tokenizer_encode(data->tokenizer, &read, NULL /* no pairs */, &how, &out->tokens));
    if (out->counts)
        ALCORE__TRY(alcore__engine_count_full(data, model->object.ctx, &read, &how, out));
    if (role == ALCORE__TEXT_EMBEDDED) alcore__engine_leave_prompt_out(data, &out->tokens);
    if (data->unknown >= 0) leave_unknown_out(data, &out->tokens);
    pass_tokens(out);
    return as_target && data->in_turns ? end_targets(model, out) : ALCORE_OK;
}

alcore_status alcore__engine_encode(const alcore_model *model, const alcore_pool *pool,
                                    const alcore__model_batch *batch, alcore__text_role role,
                                    const int64_t *rooms, alcore__engine_texts *out) {
    const alcore__texts texts = {batch->texts, batch->lengths, batch->count};
    const alcore_status status = encode(model, &texts, batch->languages, role, rooms, out);
    if (status == ALCORE_OK || out->failed == 0) return status;
    const int64_t row = batch->rows[out->failed - 1];
    char id[24];
    return alcore__fail_within(status, "row %lld (id %s)", (long long)row,
                               alcore__pool_id(pool, row, id));
}

alcore_status alcore__engine_list_references(const alcore_pool *pool,
                                             const alcore__model_batch *batch, const char **texts,
                                             size_t *lengths) {
    for (int64_t i = 0; i < batch->count; i++) {
        char id[24];
        texts[i] = alcore_pool_reference(pool, batch->rows[i], &lengths[i]);
        if (!texts[i])
            return alcore__fail(ALCORE_E_MISSING, "row %lld (id %s) has no reference",
                                (long long)batch->rows[i],
                                alcore__pool_id(pool, batch->rows[i], id));
    }
    return ALCORE_OK;
}

alcore_status alcore__engine_encode_references(const alcore_model *model, const alcore_pool *pool,
                                               const alcore__model_batch *batch,
                                               const char ***texts, size_t **lengths,
                                               alcore__engine_texts *out) {
    const size_t count = (size_t)batch->count;
    ALCORE__TRY(alcore__new_array(model->object.ctx, count, sizeof **texts, texts));
    ALCORE__TRY(alcore__new_array(model->object.ctx, count, sizeof **lengths, lengths));
    ALCORE__TRY(alcore__engine_list_references(pool, batch, *texts, *lengths));
    const alcore__texts references = {*texts, *lengths, batch->count};
    return encode(model, &references, NULL /* languages */, ALCORE__TEXT_TARGET, NULL /* rooms */,
                  out);
}

alcore_status alcore__engine_copy_language(const alcore_pool *pool, const char *language,
                                           char **out) {
    *out = NULL;
    if (!language) return ALCORE_OK;
    *out = alcore__strndup(alcore__pool_ctx(pool), language, strlen(language));
    return *out ? ALCORE_OK : alcore__fail_memory(strlen(language) + 1);
}

void alcore__engine_note_targets(const alcore_model *model, alcore_pool *pool, char *language,
                                 bool of_references) {
    const alcore__engine_model *data = model->data;
    /* What a language model scores begins and ends otherwise than a text that is encoded. */
    const bool known = !alcore__is_language_model(data);
    const alcore__column_tokens scored = {.tokenizer = known ? data->tokenizer : NULL,
                                          .language = language,
                                          .max_tokens = data->info.max_tokens,
                                          .of_references = of_references,
                                          .as_target = true};
    alcore__column_set_tokens(alcore__pool_change_column(pool, "logprobs"), &scored);
}
