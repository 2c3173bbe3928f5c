/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Columns of a pool from a model's logits, or from its hidden states and output matrix.
 * @section logits */
#include <math.h>

#include "lua_binding.h"

/* What a call gives the library. */
typedef struct batch {
    alcore_logits given;
    alcore_tensor labels; /* int32 or int64 [tokens] */
} logits_batch;

/* Pushes the array that it returns: the numbers [tokens, n] of the tokens of all rows, one row
 * after the other, from a ragged array, a matrix, or a list (of rows of tokens, each a list of
 * numbers). Raises for a file and for another shape. */
static const al_array *read_tokens(lua_State *L, int index, const char *what) {
    const al_array *array = al_array_from(L, index, what, 1);
    if (array->path || array->values.ndim != 2)
        luaL_error(L,
                   "%s: a list of n numbers for each token of each row, or a matrix [tokens, n] "
                   "or a ragged array of such in memory expected",
                   what);
    return array;
}

/* Describes the whole numbers of an array in memory as int64 numbers on the stack, in *out of the
 * same shape. A number that is none in a double is an error. */
static void whole_numbers(lua_State *L, const al_array *array, const char *what,
                          alcore_tensor *out) {
    const int64_t rows = array->shape[0], columns = array->values.ndim == 2 ? array->shape[1] : 1;
    *out = array->values;
    if (array->values.dtype.code != ALCORE_KIND_FLOAT) return;
    if (array->values.dtype.bits != 64) luaL_error(L, "%s: int32 or int64 numbers expected", what);
    const double *numbers = array->values.data;
    int64_t *whole = al_buffer(L, rows * columns, sizeof *whole);
    for (int64_t i = 0; i < rows * columns; i++) {
        if (!(fabs(numbers[i]) < 9e15) || numbers[i] != floor(numbers[i]))
            luaL_error(L, "%s: number %d is no integer", what, (int)i + 1);
        whole[i] = (int64_t)numbers[i];
    }
    al_tensor(L, out, whole, ALCORE_INT64, array->values.shape, array->values.ndim);
}

/* Sets the labels of the tokens from the value at index, nil for none; `states` is the array of the
 * logits or hidden states. Pushes what the batch then points to. */
static void read_labels(lua_State *L, int index, const al_array *states, logits_batch *out) {
    if (lua_isnil(L, index)) return;
    al_array *array = al_array_from(L, index, "labels", states->lengths != NULL);
    if (array->path || array->values.ndim != 1)
        luaL_error(L, "labels: a class for each token of each row expected, from 0");
    for (int64_t i = 0; array->lengths && states->lengths && i < array->lengths_count; i++)
        if (i >= states->lengths_count || array->lengths[i] != states->lengths[i])
            luaL_error(L, "labels: row %d of the list has %d labels and another number of tokens",
                       (int)i + 1, (int)array->lengths[i]);
    whole_numbers(L, array, "labels", &out->labels);
    out->given.labels = &out->labels;
}

/* Sets how many tokens each of `count` rows has: the option `lengths`, what a ragged array says, or
 * one token each where there are as many tokens as rows. Pushes what the batch then points to. */
static void read_lengths(lua_State *L, int table, const al_array *states, int64_t count,
                         logits_batch *out) {
    if (al_has(L, table, "lengths")) {
        const double *numbers = al_numbers(L, lua_gettop(L), "lengths", &out->given.length_count);
        int64_t *lengths = al_buffer(L, out->given.length_count, sizeof *lengths);
        for (int64_t i = 0; i < out->given.length_count; i++) {
            if (!(numbers[i] >= 0 && numbers[i] <= 9e15))
                luaL_error(L, "lengths: 0 or more expected");
            lengths[i] = (int64_t)numbers[i];
        }
        out->given.lengths = lengths;
    } else if (states->lengths) {
        out->given.lengths = states->lengths;
        out->given.length_count = states->lengths_count;
    } else if (states->shape[0] == count) {
        int64_t *ones = al_buffer(L, count, sizeof *ones);
        for (int64_t i = 0; i < count; i++) ones[i] = 1;
        out->given.lengths = ones;
        out->given.length_count = count;
    }
    if (out->given.lengths && out->given.length_count != count)
        luaL_error(L, "lengths: %d for %d rows", (int)out->given.length_count, (int)count);
}

/* Raises unless the options name a writer, and every one that they name is of the pool's context.
 */
static void check_writers(lua_State *L, int table, const al_context *context) {
    int writers = 0;
    for (const al_member *member = al_logits_writers; member->name; member++) {
        lua_getfield(L, table, member->name);
        writers += !lua_isnil(L, -1);
        if (!lua_isnil(L, -1) && al_check(L, -1, &al_column_writer_kind)->context != context)
            luaL_error(L, "%s: the column belongs to another context", member->name);
        lua_pop(L, 1);
    }
    if (writers == 0)
        luaL_error(L, "a column writer expected, such as that of %s", al_logits_writers[0].name);
}

/* Puts what the logits or hidden states of a batch say into the columns. The pool is at index 1,
 * the rows at 2, the labels and the table of options at the indices given. */
static int put(lua_State *L, const al_array *states, int labels, int table, logits_batch *batch) {
    const al_object *pool = al_check(L, 1, &al_pool_kind);
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    int64_t count, ignore = -100;
    int failed;
    check_writers(L, table, pool->context);
    al_read_struct(L, table, al_logits_writers, &writers);
    const int64_t *rows = al_rows(L, 2, pool, &count, &failed);
    if (failed) return failed;
    read_labels(L, labels, states, batch);
    read_lengths(L, table, states, count, batch);
    if (al_has(L, table, "ignore")) ignore = al_integer(L, -1, "ignore");
    return AL_SELF(
        L, pool->context,
        alcore_logits_put(pool->context->ctx, &batch->given, rows, count, ignore, &writers));
}

/*** Puts what a model's logits say of rows into columns that are being written: the
 * log-probabilities of labels, margins, confidences, entropies, and the NNLL of each row.
 * Nothing of the size of the vocabulary is copied from an array.
 * @function pool:score_logits
 * @tparam table rows indices or ids
 * @param logits a list with a list of tokens for each row, each token a list of numbers; or an
 * array:
 * @{alcore.matrix} [tokens, classes], the rows one after the other, or @{alcore.ragged} of it
 * @param labels the class of each token, from 0: a list of lists or an array; nil where no
 * log-probabilities are wanted
 * @tparam table options nnll, logprobs, margins, confidences, entropies (column writers of
 * @{pool:column}), lengths (tokens of each row, for a matrix; without it a row has one token),
 * ignore (label of the tokens that are left out, -100)
 * @return the pool; or nil, message, code */
int l_pool_score_logits(lua_State *L) {
    static const char *const others[] = {"lengths", "ignore", NULL};
    logits_batch batch = {.given = ALCORE_LOGITS_INIT};
    lua_settop(L, 5);
    luaL_checkstack(L, 2 * AL_STACK, "logits");
    luaL_checktype(L, 5, LUA_TTABLE);
    const int table = al_options(L, 5, "pool:score_logits", al_logits_writers, others, NULL);
    const al_array *logits = read_tokens(L, 3, "logits");
    batch.given.logits = &logits->values;
    return put(L, logits, 4, table, &batch);
}

/*** The same from what the model multiplies by its output matrix: the logits are never written, so
 * that a large vocabulary needs no memory.
 * @function pool:score_hidden
 * @tparam table rows indices or ids
 * @param hidden as the logits of @{pool:score_logits}, d numbers a token
 * @param output the output matrix [classes, d]: a list of lists or an array
 * @param labels the class of each token, from 0
 * @tparam table options those of @{pool:score_logits}, and bias (a number for each class)
 * @return the pool; or nil, message, code */
int l_pool_score_hidden(lua_State *L) {
    static const char *const others[] = {"lengths", "ignore", "bias", NULL};
    logits_batch batch = {.given = ALCORE_LOGITS_INIT};
    lua_settop(L, 6);
    luaL_checkstack(L, 2 * AL_STACK, "hidden states");
    luaL_checktype(L, 6, LUA_TTABLE);
    const int table = al_options(L, 6, "pool:score_hidden", al_logits_writers, others, NULL);
    const al_array *hidden = read_tokens(L, 3, "hidden");
    const al_array *output = al_array_from(L, 4, "output", 0);
    if (output->path) return luaL_error(L, "output: a matrix in memory expected");
    batch.given.hidden = &hidden->values;
    batch.given.output = &output->values;
    if (al_has(L, table, "bias")) {
        const al_array *bias = al_array_from(L, lua_gettop(L), "bias", 0);
        if (bias->path) return luaL_error(L, "bias: numbers in memory expected");
        batch.given.bias = &bias->values;
    }
    return put(L, hidden, 5, table, &batch);
}

/* Pushes the array at index, nil for NULL: a number for each token of each row, one row after the
 * other. */
static const al_array *read_of_tokens(lua_State *L, int index, const char *what) {
    if (lua_isnil(L, index)) return NULL;
    const al_array *array = al_array_from(L, index, what, 1);
    if (array->path || array->values.ndim != 1)
        luaL_error(L, "%s: a number for each token of each row expected, in memory", what);
    return array;
}

/* What pool:score_topk gives the library, and what it points to. */
typedef struct topk_batch {
    alcore_topk given;
    logits_batch lengths;
    alcore_tensor ids, top_ids;
} topk_batch;

/* Sets the ids from the options `ids` and `top_ids`. */
static void read_ids(lua_State *L, int table, topk_batch *out) {
    lua_getfield(L, table, "ids");
    const al_array *ids = read_of_tokens(L, lua_gettop(L), "ids");
    if (ids) {
        whole_numbers(L, ids, "ids", &out->ids);
        out->given.ids = &out->ids;
    }
    if (!al_has(L, table, "top_ids")) return;
    whole_numbers(L, read_tokens(L, lua_gettop(L), "top_ids"), "top_ids", &out->top_ids);
    out->given.top_ids = &out->top_ids;
}

/*** Puts what an inference server says of tokens into columns that are being written: the
 * log-probability of each token, and those of the k likeliest ones in its place, as natural
 * logarithms. Margins and confidences are those of the whole vocabulary; entropies are a bound.
 * @function pool:score_topk
 * @tparam table rows indices or ids
 * @param logprobs the log-probability of each token: a list of lists or an array; or nil
 * @param top a list with a list of tokens for each row, each token a list of k numbers, in any
 * order (-math.huge where a server gave fewer); or an array: @{alcore.matrix} [tokens, k], or
 * @{alcore.ragged} of it; or nil
 * @tparam table options those of @{pool:score_logits} but ignore, and ids (the id of each token),
 * top_ids (those of top), classes (tokens of the vocabulary), rest ("one_class", the default: the
 * tokens that are not listed count as one, a lower bound of the entropy; "uniform": their mass is
 * spread evenly over the vocabulary, an upper bound)
 * @return the pool; or nil, message, code */
int l_pool_score_topk(lua_State *L) {
    static const char *const others[] = {"lengths", "ids", "top_ids", "classes", "rest", NULL};
    topk_batch batch = {.given = ALCORE_TOPK_INIT, .lengths = {.given = ALCORE_LOGITS_INIT}};
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    int64_t count;
    int failed;
    lua_settop(L, 5);
    luaL_checkstack(L, 2 * AL_STACK, "likeliest tokens");
    luaL_checktype(L, 5, LUA_TTABLE);
    const al_object *pool = al_check(L, 1, &al_pool_kind);
    (void)al_options(L, 5, "pool:score_topk", al_logits_writers, others, NULL);
    al_read_struct(L, 5, al_topk, &batch.given);
    check_writers(L, 5, pool->context);
    al_read_struct(L, 5, al_logits_writers, &writers);
    const al_array *logprobs = read_of_tokens(L, 3, "log-probabilities");
    const al_array *top = lua_isnil(L, 4) ? NULL : read_tokens(L, 4, "top");
    if (!logprobs && !top)
        return luaL_error(L, "log-probabilities or top expected, got nil for both");
    if (logprobs) batch.given.logprobs = &logprobs->values;
    if (top) batch.given.top = &top->values;
    const int64_t *rows = al_rows(L, 2, pool, &count, &failed);
    if (failed) return failed;
    read_ids(L, 5, &batch);
    read_lengths(L, 5, top ? top : logprobs, count, &batch.lengths);
    batch.given.lengths = batch.lengths.given.lengths;
    batch.given.length_count = batch.lengths.given.length_count;
    return AL_SELF(L, pool->context,
                   alcore_logits_put_topk(pool->context->ctx, &batch.given, rows, count, &writers));
}

/*** Puts what an inference server answered into columns that are being written, as
 * @{pool:score_topk} does: a file of JSON lines, each an answer of a server of OpenAI's protocol,
 * or a line of a batch file, whose custom_id is the id of its row.
 * @function pool:read_served
 * @tparam string path the file
 * @tparam table options nnll, logprobs, margins, confidences, entropies (column writers of
 * @{pool:column}), rows (indices or ids: of the answers without a custom_id, in their order; all
 * rows without it), classes and rest as in @{pool:score_topk}
 * @return the pool; or nil, message, code */
int l_pool_read_served(lua_State *L) {
    static const char *const others[] = {"rows", "classes", "rest", NULL};
    alcore_served_options options = ALCORE_SERVED_OPTIONS_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    lua_settop(L, 3);
    luaL_checkstack(L, AL_STACK, "answers");
    const char *path = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    const al_object *pool = al_check(L, 1, &al_pool_kind);
    (void)al_options(L, 3, "pool:read_served", al_logits_writers, others, NULL);
    al_read_struct(L, 3, al_served_options, &options);
    check_writers(L, 3, pool->context);
    al_read_struct(L, 3, al_logits_writers, &writers);
    if (al_has(L, 3, "rows")) {
        int failed;
        options.rows = al_rows(L, lua_gettop(L), pool, &options.row_count, &failed);
        if (failed) return failed;
    }
    return AL_SELF(L, pool->context, alcore_served_read(pool->pool, path, &options, &writers));
}

/* Reads whole numbers at index into int64 numbers on the stack and describes them in *out, whose
 * shape is *count. */
static void read_integers(lua_State *L, int index, const char *what, int64_t *count,
                          alcore_tensor *out) {
    const double *numbers = al_numbers(L, index, what, count);
    int64_t *integers = al_buffer(L, *count, sizeof *integers);
    for (int64_t i = 0; i < *count; i++) {
        if (!(fabs(numbers[i]) < 9e15) || numbers[i] != floor(numbers[i]))
            luaL_error(L, "%s: number %d is no integer", what, (int)i + 1);
        integers[i] = (int64_t)numbers[i];
    }
    al_tensor(L, out, integers, ALCORE_INT64, count, 1);
}

/*** Embeddings for tasks that label words: for each row the mean, over its words, of the hidden
 * state of the word's first token (DeMuX).
 * @function alcore.first_subword_mean
 * @param hidden a list with a list of tokens for each row, each token a list of numbers; or an
 * @{alcore.matrix} [tokens, dims] with `lengths`, or an @{alcore.ragged} array of it
 * @tparam table words the number of each token's word, of all rows one after the other: a token
 * whose number differs from that of the token before it in its row begins a word; negative: none
 * @tparam[opt] table options lengths (tokens of each row, for a matrix), context
 * @return a list of numbers for each row, NaN in a row without a word; or nil, message, code */
int l_alcore_first_subword_mean(lua_State *L) {
    static const char *const names[] = {"lengths", "context", NULL};
    logits_batch batch = {.given = ALCORE_LOGITS_INIT};
    alcore_tensor words, offsets, out;
    int64_t word_count, offset_count, shape[2];
    lua_settop(L, 3);
    luaL_checkstack(L, 2 * AL_STACK, "hidden states");
    const int table = al_options(L, 3, "first_subword_mean", NULL, names, NULL);
    const al_array *hidden = read_tokens(L, 1, "hidden");
    read_integers(L, 2, "words", &word_count, &words);
    if (table != 0) lua_getfield(L, table, "lengths");
    if (table != 0 && !lua_isnil(L, -1)) {
        alcore_tensor lengths;
        int64_t count;
        read_integers(L, lua_gettop(L), "lengths", &count, &lengths);
        batch.given.lengths = lengths.data;
        batch.given.length_count = count;
    } else {
        batch.given.lengths = hidden->lengths;
        batch.given.length_count = hidden->lengths ? hidden->lengths_count : 0;
    }
    if (!batch.given.lengths)
        luaL_error(L, "lengths: the number of tokens of each row expected, for a matrix");
    shape[0] = batch.given.length_count;
    shape[1] = hidden->shape[1];
    offset_count = shape[0] + 1;
    int64_t *starts = al_buffer(L, offset_count, sizeof *starts);
    starts[0] = 0;
    for (int64_t i = 0; i < shape[0]; i++) starts[i + 1] = starts[i] + batch.given.lengths[i];
    double *values = al_buffer(L, shape[0] * shape[1], sizeof *values);
    al_tensor(L, &offsets, starts, ALCORE_INT64, &offset_count, 1);
    al_tensor(L, &out, values, ALCORE_FLOAT64, shape, 2);
    al_context *context = al_context_of(L, table);
    const int failed =
        AL_CALL(L, context,
                alcore_hidden_average_words(context->ctx, &hidden->values, &words, &offsets, &out));
    return al_tensor_result(L, failed, &out, NULL);
}
