/* SPDX-License-Identifier: Apache-2.0 */
/* Token models (token_model.h): reading one of any kind, and handing words to its kind. */
#include "tokenizer/token_model.h"

#include <string.h>

#include "tokenizer/token_cache.h"
#include "tokenizer/token_kinds.h"

void alcore__token_model_free(alcore_ctx *ctx, alcore__token_model *model) {
    if (!model) return;
    if (model->kind == ALCORE__WORD_PIECE) alcore__word_piece_clear(ctx, model);
    if (model->kind == ALCORE__BYTE_PAIR) alcore__byte_pair_clear(ctx, model);
    if (model->kind == ALCORE__UNIGRAM) alcore__unigram_clear(ctx, model);
    alcore__token_table_clear(ctx, &model->table);
    alcore__token_table_clear(ctx, &model->names);
    alcore__free(ctx, model);
}

/* Whether the file has the setting (text->text is not NULL) and it is this name. */
static bool text_is(const alcore__json_text *text, const char *name) {
    return text->text && text->length == strlen(name) &&
           memcmp(text->text, name, text->length) == 0;
}

/* The kind that a model without "type" has, as in files of 2020: by the settings that only one kind
 * knows. A vocabulary that is an array, and so has scores, is that of Unigram. The cursor is copied
 * because alcore__json_kind() moves it over white space. */
static alcore__token_kind guess_kind(const alcore__token_settings *settings) {
    alcore__json vocab = settings->vocab;
    if (settings->has_merges) return ALCORE__BYTE_PAIR;
    if (alcore__json_kind(&vocab) == '[') return ALCORE__UNIGRAM;
    return settings->max_chars >= 0 ? ALCORE__WORD_PIECE : ALCORE__WORD_LEVEL;
}

/* *out: the kind by "type", or by the other settings where that is missing. */
static alcore_status find_kind(const alcore__token_settings *settings, alcore__token_kind *out) {
    const alcore__json_text *type = &settings->type;
    if (!type->text)
        *out = guess_kind(settings);
    else if (text_is(type, "WordPiece"))
        *out = ALCORE__WORD_PIECE;
    else if (text_is(type, "BPE"))
        *out = ALCORE__BYTE_PAIR;
    else if (text_is(type, "Unigram"))
        *out = ALCORE__UNIGRAM;
    else if (text_is(type, "WordLevel"))
        *out = ALCORE__WORD_LEVEL;
    else
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: model.type \"%.*s\" is not known; WordPiece, BPE, Unigram and "
                            "WordLevel are",
                            settings->path, (int)(type->length < 100 ? type->length : 100),
                            type->text);
    return ALCORE_OK;
}

/* Caches tell models apart by the serial number and not by the address, which a later model may
 * have again (token_cache.h). */
alcore_status alcore__token_model_new(alcore_ctx *ctx, alcore__token_model **out) {
    static atomic_ullong models;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof **out, out));
    (*out)->serial = atomic_fetch_add(&models, 1) + 1;
    (*out)->unknown = ALCORE__WORD_NONE;
    return ALCORE_OK;
}

/* Makes the table of a model of entries. path, key: for messages ("PATH: KEY"); what: the unit of
 * their places. */
static alcore_status build_table(alcore_ctx *ctx, const alcore__token_entries *entries,
                                 const char *path, const char *key, const char *what,
                                 alcore__token_table *table) {
    alcore__buffer where = {0};
    alcore_status status = alcore__buffer_format(ctx, &where, "%s: %s", path, key);
    if (status == ALCORE_OK)
        status =
            alcore__token_table_build(ctx, entries->entry, entries->count, where.data, what, table);
    alcore__buffer_clear(ctx, &where);
    return status;
}

/* The number of the unknown token, given by its text; ALCORE__WORD_NONE without a text, or where
 * the vocabulary lacks it. */
static uint32_t find_unknown(const alcore__token_model *model, const alcore__json_text *text) {
    return text->text ? alcore__token_table_find(&model->table, text->text, text->length)
                      : ALCORE__WORD_NONE;
}

/* Makes a Unigram model of the table and the scores; entries has one entry or more. The ids are 0,
 * 1, ... in the order of the file (alcore__token_entries_read_scores()), so that scores by entry
 * are scores by number. Without unk_id (-1) the model has no unknown token, as
 * alcore__token_table_number() returns ALCORE__WORD_NONE for it. */
static alcore_status build_unigram(alcore_ctx *ctx, const alcore__token_settings *settings,
                                   const alcore__token_entries *entries,
                                   alcore__token_model *model) {
    if (settings->unknown_id >= model->table.size)
        return alcore__fail(ALCORE_E_DATA, "%s: model.unk_id is %lld, but ids are 0 to %lld",
                            settings->path, (long long)settings->unknown_id,
                            (long long)model->table.size - 1);
    model->unknown = alcore__token_table_number(&model->table, settings->unknown_id);
    double lowest = entries->score[0];
    for (size_t i = 0; i < entries->count; i++)
        if (entries->score[i] < lowest) lowest = entries->score[i];
    return alcore__unigram_build(
        ctx, model,
        &(alcore__unigram_rules){
            .scores = entries->score, .lowest = lowest, .byte_fallback = settings->byte_fallback});
}

/* Makes a byte-pair encoding and reads its merges. */
static alcore_status build_byte_pair(alcore_ctx *ctx, alcore__token_settings *settings,
                                     alcore__token_model *model) {
    if (!settings->has_merges)
        return alcore__fail(ALCORE_E_DATA, "%s: the model has no merges", settings->path);
    ALCORE__TRY(alcore__byte_pair_build(
        ctx, model,
        &(alcore__byte_pair_rules){.prefix = settings->prefix.text,
                                   .suffix = settings->suffix.text,
                                   .prefix_length = settings->prefix.length,
                                   .suffix_length = settings->suffix.length,
                                   .fuse_unknown = settings->fuse_unknown,
                                   .byte_fallback = settings->byte_fallback,
                                   .whole_words = settings->ignore_merges}));
    return alcore__byte_pair_read(ctx, &settings->merges, settings->path, model);
}

/* Makes the part of the model that its kind needs, and sets kind and unknown; model->table was
 * made. alcore__unigram_build() sets the kind itself. "##" and 100 characters are the defaults that
 * WordPiece has in `tokenizers`. */
static alcore_status build_kind(alcore_ctx *ctx, alcore__token_settings *settings,
                                alcore__token_kind kind, const alcore__token_entries *entries,
                                alcore__token_model *model) {
    const alcore__json_text *prefix = &settings->prefix;
    if (kind == ALCORE__UNIGRAM) return build_unigram(ctx, settings, entries, model);
    model->kind = kind;
    model->unknown = find_unknown(model, &settings->unknown);
    if (kind == ALCORE__WORD_LEVEL) return ALCORE_OK;
    if (kind == ALCORE__BYTE_PAIR) return build_byte_pair(ctx, settings, model);
    return alcore__word_piece_build(ctx, model, prefix->text ? prefix->text : "##",
                                    prefix->text ? prefix->length : 2,
                                    settings->max_chars < 0 ? 100 : settings->max_chars);
}

/* Reads the vocabulary, then makes the rest of the model. That of Unigram is an array with scores;
 * others have an object of ids. */
static alcore_status read_model(alcore_ctx *ctx, alcore__token_settings *settings,
                                alcore__token_model *model) {
    static const char key[] = "model.vocab";
    alcore__token_kind kind = ALCORE__WORD_LEVEL;
    alcore__token_entries entries = {0};
    alcore_status status;
    ALCORE__TRY(find_kind(settings, &kind));
    if (kind == ALCORE__UNIGRAM)
        status =
            alcore__token_entries_read_scores(ctx, &settings->vocab, settings->path, key, &entries);
    else
        status =
            alcore__token_entries_read_ids(ctx, &settings->vocab, settings->path, key, &entries);
    if (status == ALCORE_OK && entries.count == 0)
        status = alcore__fail(ALCORE_E_DATA, "%s: %s holds no token", settings->path, key);
    if (status == ALCORE_OK)
        status = build_table(ctx, &entries, settings->path, key, "byte", &model->table);
    if (status == ALCORE_OK) status = build_kind(ctx, settings, kind, &entries, model);
    alcore__token_entries_clear(ctx, &entries);
    return status;
}

/* Reads the settings first, in whatever order the file has them, then the model; *out is NULL after
 * a failure. */
alcore_status alcore__token_model_read_json(alcore_ctx *ctx, alcore__json *json, const char *path,
                                            alcore__token_model **out) {
    alcore__token_settings settings;
    alcore__token_model *model;
    *out = NULL;
    ALCORE__TRY(alcore__token_settings_read(json, path, &settings));
    ALCORE__TRY(alcore__token_model_new(ctx, &model));
    const alcore_status status = read_model(ctx, &settings, model);
    if (status != ALCORE_OK) {
        alcore__token_model_free(ctx, model);
        return status;
    }
    *out = model;
    return ALCORE_OK;
}

/* Collects the lines of vocab.txt, as views of text [length]. The id of a token is the number of
 * its line from 0; its place, for messages, is that number from 1. An empty line is no token, but
 * is counted. */
static alcore_status read_lines(alcore_ctx *ctx, const char *text, size_t length,
                                alcore__token_entries *out) {
    int64_t line = 0;
    for (size_t begin = 0, next; begin < length; begin = next, line++) {
        const char *newline = memchr(text + begin, '\n', length - begin);
        size_t end = newline ? (size_t)(newline - text) : length;
        next = newline ? end + 1 : length;
        if (end > begin && text[end - 1] == '\r') end--;
        if (end == begin) continue;
        ALCORE__TRY(alcore__grow(ctx, &out->entry, &out->entry_capacity, out->count + 1,
                                 sizeof *out->entry));
        out->entry[out->count++] = (alcore__token_entry){text + begin, end - begin, line, line + 1};
    }
    return ALCORE_OK;
}

/* Makes a WordPiece model of the lines of vocab.txt. Settings that no file has are those of BERT
 * (100: max_chars). */
static alcore_status read_vocab(alcore_ctx *ctx, const char *text, size_t length,
                                alcore__name unknown, const char *path,
                                alcore__token_model *model) {
    alcore__token_entries entries = {0};
    alcore_status status = read_lines(ctx, text, length, &entries);
    if (status == ALCORE_OK)
        status = alcore__token_table_build(ctx, entries.entry, entries.count, path, "line",
                                           &model->table);
    alcore__token_entries_clear(ctx, &entries);
    ALCORE__TRY(status);
    if (model->table.size == 0) return alcore__fail(ALCORE_E_DATA, "%s: no token in it", path);
    model->unknown = alcore__token_table_find(&model->table, unknown.text, unknown.length);
    return alcore__word_piece_build(ctx, model, "##", 2, 100);
}

/* *out: the WordPiece model of a vocab.txt, text [length]; NULL after a failure. */
alcore_status alcore__token_model_read_vocab(alcore_ctx *ctx, const char *text, size_t length,
                                             alcore__name unknown, const char *path,
                                             alcore__token_model **out) {
    alcore__token_model *model;
    *out = NULL;
    ALCORE__TRY(alcore__token_model_new(ctx, &model));
    const alcore_status status = read_vocab(ctx, text, length, unknown, path, model);
    if (status != ALCORE_OK) {
        alcore__token_model_free(ctx, model);
        return status;
    }
    *out = model;
    return ALCORE_OK;
}

/* A word is a token or it is not. */
static alcore_status cut_whole_word(alcore_ctx *ctx, const alcore__token_model *model,
                                    const char *word, size_t length, alcore__pieces *pieces) {
    ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, 1));
    const uint32_t number = alcore__token_table_find(&model->table, word, length);
    if (number == ALCORE__WORD_NONE)
        alcore__pieces_put_unknown(model, pieces, length);
    else
        alcore__pieces_put(model, pieces, number, 0, length);
    return ALCORE_OK;
}

/* Cuts a word that is not in the cache. */
static alcore_status cut_word(alcore_ctx *ctx, const alcore__token_model *model, const char *word,
                              size_t length, alcore__pieces *pieces) {
    switch (model->kind) {
    case ALCORE__WORD_LEVEL:
        return cut_whole_word(ctx, model, word, length, pieces);
    case ALCORE__WORD_PIECE:
        return alcore__word_piece_cut(ctx, model, word, length, pieces);
    case ALCORE__BYTE_PAIR:
        return alcore__byte_pair_cut(ctx, model, word, length, pieces);
    case ALCORE__UNIGRAM:
        return alcore__unigram_cut(ctx, model, word, length, pieces);
    }
    return alcore__fail(ALCORE_E_INTERNAL, "a token model without a kind");
}

/* The cache serves the kinds that need several hundred nanoseconds to cut a word. Whole words are
 * looked up and WordPiece needs 35, so those two have none. alcore__token_cache_get() appends the
 * pieces of a word that it finds; else they are cut, and pieces from `first` on are those of this
 * word. */
alcore_status alcore__token_model_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                      const char *word, size_t length, alcore__pieces *pieces) {
    const size_t first = pieces->count;
    uint64_t hash = 0;
    bool found;
    if (model->kind == ALCORE__WORD_LEVEL || model->kind == ALCORE__WORD_PIECE)
        return cut_word(ctx, model, word, length, pieces);
    ALCORE__TRY(alcore__token_cache_ready(ctx, pieces, model->serial));
    ALCORE__TRY(alcore__token_cache_get(ctx, pieces, word, length, &hash, &found));
    if (found) return ALCORE_OK;
    ALCORE__TRY(cut_word(ctx, model, word, length, pieces));
    return alcore__token_cache_put(ctx, pieces, word, length, hash, first);
}

/* The tokens as callers see them. */
static const alcore__token_table *names_of(const alcore__token_model *model) {
    return model->has_names ? &model->names : &model->table;
}

int64_t alcore__token_model_size(const alcore__token_model *model) {
    return names_of(model)->size;
}

int64_t alcore__token_model_id(const alcore__token_model *model, const char *token, size_t length) {
    const alcore__token_table *names = names_of(model);
    const uint32_t number = alcore__token_table_find(names, token, length);
    return number == ALCORE__WORD_NONE ? -1 : alcore__token_table_id(names, number);
}

int64_t alcore__token_model_unknown(const alcore__token_model *model) {
    return model->unknown == ALCORE__WORD_NONE
               ? -1
               : alcore__token_table_id(&model->table, model->unknown);
}

const char *alcore__token_model_token(const alcore__token_model *model, int64_t id,
                                      size_t *length) {
    const alcore__token_table *names = names_of(model);
    const uint32_t number = alcore__token_table_number(names, id);
    *length = 0;
    if (number == ALCORE__WORD_NONE) return NULL;
    return alcore__vocabulary_word(&names->words, number, length);
}
