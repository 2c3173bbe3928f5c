/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Tokenizers: how the texts of a Hugging Face model become token ids.
 * @section tokenizers */
#include "lua_binding.h"

/*** Trains a vocabulary on texts, writes it as a sentencepiece model and opens it. The program
 * spm_train of sentencepiece does it, which must be on PATH.
 * @function alcore.train_tokenizer
 * @tparam table texts a list of strings
 * @tparam string path the file, such as "spiece.model"
 * @tparam[opt] table options tokens (ids, of which 0 to 3 are `<pad>` `<s>` `</s>` `<unk>`; default
 * 8000), kind ("unigram", the default, or "bpe"), coverage (share of the characters that are tokens
 * themselves, 0.98 to 1; default 0.9995), byte_fallback (true: other characters become tokens of
 * their bytes), max_texts (number of texts, drawn by seed), seed, context
 * @return a tokenizer; or nil, message, code */
int l_alcore_train_tokenizer(lua_State *L) {
    alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
    size_t *lengths;
    int64_t count;
    lua_settop(L, 3);
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *path = luaL_checkstring(L, 2);
    int table =
        al_options(L, 3, "train_tokenizer", al_vocabulary_options, al_context_only, &options);
    al_context *context = al_context_of(L, table);
    al_copy_list(L, 1);
    const char **texts = al_strings(L, -1, "texts", 0, &lengths, &count);
    int failed = AL_CALL(
        L, context,
        alcore_tokenizer_train_vocabulary(context->ctx, texts, lengths, count, path, &options));
    if (failed) return failed;
    al_object *object = al_new(L, &al_tokenizer_kind, context);
    return AL_TOP(L, context, alcore_tokenizer_open(context->ctx, path, &object->tokenizer));
}

/*** Encodes texts, or pairs of texts.
 * @function tokenizer:encode
 * @tparam table texts a list of strings
 * @tparam[opt] table options pairs (a list with the second text of each pair), language (code of
 * the texts' language, such as "deu_Latn", for models that mark it), max_tokens (longer texts are
 * cut, of a pair the second text), without_special (true: no special tokens such as [CLS]),
 * as_target (true: the texts are outputs of a translation model)
 * @return tokens; or nil, message, code */
int l_tokenizer_encode(lua_State *L) {
    static const char *const others[] = {"pairs", NULL};
    al_object *self = al_check(L, 1, &al_tokenizer_kind);
    alcore_encode_options options = ALCORE_ENCODE_OPTIONS_INIT;
    const char **pairs = NULL;
    size_t *lengths, *pair_lengths = NULL;
    int64_t count, pair_count;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    int table = al_options(L, 3, "encode", al_encode_options, others, &options);
    const char **texts = al_strings(L, 2, "texts", 0, &lengths, &count);
    if (table != 0) {
        if (al_has(L, table, "pairs")) {
            luaL_checktype(L, -1, LUA_TTABLE);
            pairs = al_strings(L, lua_gettop(L), "pairs", 0, &pair_lengths, &pair_count);
            if (pair_count != count)
                return luaL_error(L, "pairs: %d texts, but there are %d texts", (int)pair_count,
                                  (int)count);
        }
    }
    al_object *object = al_new(L, &al_tokens_kind, self->context);
    return AL_TOP(L, self->context,
                  alcore_tokenizer_encode(self->tokenizer, texts, lengths, pairs, pair_lengths,
                                          count, &options, &object->tokens));
}

/*** The text that ids stand for.
 * @function tokenizer:decode
 * @tparam table ids a list of numbers, from 0 as in the model's files
 * @tparam[opt] boolean special true: special tokens such as [CLS] are written too
 * @return a string; or nil, message, code */
int l_tokenizer_decode(lua_State *L) {
    al_object *self = al_check(L, 1, &al_tokenizer_kind);
    size_t length = 0;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    const int64_t count = al_length(L, 2);
    const int64_t *ids = al_integers(L, 2, "an id", count, 0);
    const int32_t special = lua_toboolean(L, 3);
    for (size_t capacity = 16 * (size_t)count + 64;; capacity = length) {
        char *text = al_buffer(L, (int64_t)capacity, 1);
        int failed = AL_CALL(
            L, self->context,
            alcore_tokenizer_decode(self->tokenizer, ids, count, special, capacity, text, &length));
        if (failed) return failed;
        if (length > capacity) continue;
        lua_pushlstring(L, text, length);
        return 1;
    }
}

/* ---- tokens ---- */

/* Sets the field of the table on top of the stack to a list of integers, which begin at `from` and
 * stand `step` apart. */
static void set_list(lua_State *L, const char *field, const int64_t *from, int64_t count,
                     int step) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)from[i * step]);
        lua_rawseti(L, -2, (int)(i + 1));
    }
    lua_setfield(L, -2, field);
}

/* Sets the field of the table on top of the stack to a list of booleans: whether a mark is set. */
static void set_marks(lua_State *L, const char *field, const uint8_t *marks, int64_t count,
                      int mark) {
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        lua_pushboolean(L, marks[i] & mark);
        lua_rawseti(L, -2, (int)(i + 1));
    }
    lua_setfield(L, -2, field);
}

/*** The tokens of one text.
 * @function tokens:get
 * @tparam number text from 1
 * @return a table of lists with an entry a token: ids (from 0), types (1 for the second text of a
 * pair in models such as BERT), first and last (the bytes of the text that the token stems from, as
 * text:sub(first, last) takes them; 1 and 0 for special tokens), special and word (true for a
 * special token, and for the first token of a word); or nil, message, code */
int l_tokens_get(lua_State *L) {
    al_object *self = al_check(L, 1, &al_tokens_kind);
    const int64_t text = al_integer(L, 2, "text");
    alcore_tensor offsets, ids, types, spans, marks;
    int failed = AL_CALL(L, self->context,
                         alcore_tokens_get(self->tokens, &offsets, &ids, &types, &spans, &marks));
    if (failed) return failed;
    if (text < 1 || text >= offsets.shape[0])
        return luaL_error(L, "text %d: there are %d texts", (int)text, (int)(offsets.shape[0] - 1));
    const int64_t *bounds = (const int64_t *)offsets.data + text - 1;
    const int64_t begin = bounds[0], count = bounds[1] - begin;
    const int64_t *bytes = count > 0 ? (const int64_t *)spans.data + 2 * begin : NULL;
    lua_createtable(L, 0, 6);
    set_list(L, "ids", count > 0 ? (const int64_t *)ids.data + begin : NULL, count, 1);
    set_list(L, "types", count > 0 ? (const int64_t *)types.data + begin : NULL, count, 1);
    al_push_list(L, count);
    for (int64_t i = 0; i < count; i++) {
        lua_pushinteger(L, (lua_Integer)bytes[2 * i] + 1);
        lua_rawseti(L, -2, (int)(i + 1));
    }
    lua_setfield(L, -2, "first");
    set_list(L, "last", count > 0 ? bytes + 1 : NULL, count, 2);
    const uint8_t *bits = count > 0 ? (const uint8_t *)marks.data + begin : NULL;
    set_marks(L, "special", bits, count, ALCORE_TOKEN_SPECIAL);
    set_marks(L, "word", bits, count, ALCORE_TOKEN_WORD);
    return 1;
}
