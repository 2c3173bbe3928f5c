/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Models of functions of your own.
 * @section models */
#include <math.h>
#include <string.h>

#include "lua_binding.h"

/* Functions of the caller's table that make one column each. */
static const struct {
    const char *function, *column;
} one_column[] = {{"embed", "embeddings"},
                  {"token_logprobs", "logprobs"},
                  {"class_probs", "probs"},
                  {"token_probs", "token_probs"}};
enum { ONE_COLUMN = (int)(sizeof one_column / sizeof *one_column) };

/* The function that makes a column alone; NULL: no such function is known. */
static const char *function_of(const char *column) {
    for (int i = 0; i < ONE_COLUMN; i++)
        if (strcmp(one_column[i].column, column) == 0) return one_column[i].function;
    return NULL;
}

/* Whether the field of the table is a function; raises when it is something else. */
static int has_function(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    if (!lua_isnil(L, -1) && !lua_isfunction(L, -1))
        luaL_error(L, "%s: a function expected, got %s", name, luaL_typename(L, -1));
    int found = lua_isfunction(L, -1);
    lua_pop(L, 1);
    return found;
}

/* Pushes the field `name` of the caller's table; 0, and nothing is pushed: it has none. */
static int push_field(lua_State *L, const al_host *host, const char *name) {
    al_push_host_function(L, host, name);
    if (!lua_isnil(L, -1)) return 1;
    lua_pop(L, 1);
    return 0;
}

/* ---- batches ---- */

/* Sets a field of the table on top of the stack to a list of texts; false for a row without one. */
static void set_texts(lua_State *L, const char *field, const char *const *texts,
                      const size_t *lengths, int64_t count) {
    if (!texts) return;
    al_push_texts(L, texts, lengths, count);
    lua_setfield(L, -2, field);
}

/* Pushes the table {count, indices, texts, languages, references, contexts} of a batch. */
static void push_batch(lua_State *L, const alcore_batch *batch) {
    lua_createtable(L, 0, 6);
    al_set_integer(L, "count", batch->count);
    al_push_integers(L, batch->rows, batch->count, 1);
    lua_setfield(L, -2, "indices");
    set_texts(L, "texts", batch->texts, batch->lengths, batch->count);
    set_texts(L, "references", batch->references, batch->reference_lengths, batch->count);
    set_texts(L, "contexts", batch->contexts, batch->context_lengths, batch->count);
    set_texts(L, "languages", batch->languages, NULL, batch->count);
}

/* ---- columns ---- */

/* One call of the caller's functions while it runs. */
typedef struct host_call {
    const al_host *host;
    const alcore_batch *batch; /* what the library asks for */
    const char *const *columns;
    alcore_column_writer *const *outs; /* [count] where the rows go */
    int64_t count;
    alcore_status status; /* out */
} host_call;

/* Pushes the table that the caller's describe(name) returns of a column; 0, and nothing is pushed:
 * it says nothing. */
static int push_description(lua_State *L, const al_host *host, const char *column) {
    if (!push_field(L, host, "describe")) return 0;
    lua_pushstring(L, column);
    lua_call(L, 1, 1);
    if (lua_istable(L, -1)) return 1;
    lua_pop(L, 1);
    return 0;
}

/* Whether the rows of a column are lists of tokens: as the caller says, else those of a name that
 * may be of any shape are. */
static int is_ragged(lua_State *L, const al_host *host, const char *column) {
    if (push_description(L, host, column)) {
        const int32_t shape = al_field_constant(L, lua_gettop(L), "shape", al_words_column_shape);
        lua_pop(L, 1);
        if (shape != 0) return shape == ALCORE_COLUMN_RAGGED || shape == ALCORE_COLUMN_RAGGED_DENSE;
    }
    for (const al_constant *entry = al_usual_columns; entry->name; entry++)
        if (strcmp(entry->name, column) == 0) return entry->value < 0 || al_usual_ragged(column);
    return 0;
}

/* Puts the rows at index into a column; what: the function that gave them. A frame of its own: the
 * put may call the progress function, and an error that this raises is a value of this function's
 * stack. */
static void put_rows(lua_State *L, host_call *call, int index, int64_t c, const char *what) {
    const int ragged = is_ragged(L, call->host, call->columns[c]);
    const al_array *array = al_array_from(L, index, what, ragged);
    if (array->path) luaL_error(L, "%s: numbers in memory expected, got a file", what);
    if (ragged && !array->lengths)
        luaL_error(L, "%s: an array of alcore.ragged() or a list of lists expected", what);
    const int64_t rows = ragged ? array->lengths_count : array->shape[0];
    if (rows != call->batch->count)
        luaL_error(L, "%s: gave %d rows for %d texts", what, (int)rows, (int)call->batch->count);
    AL_CALL(L, call->host->context,
            call->status = alcore_column_writer_put(call->outs[c], call->batch->rows,
                                                    ragged ? array->lengths : NULL,
                                                    call->batch->count, &array->values));
}

/* Calls the function that makes a column alone. */
static void run_function(lua_State *L, host_call *call, int64_t c, const char *function) {
    const int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, function);
    push_batch(L, call->batch);
    lua_call(L, 1, 3);
    call->status = al_answer(L, first, function);
    if (call->status == ALCORE_OK) put_rows(L, call, first, c, function);
    lua_settop(L, first - 1);
}

/* Raises for a key of the table at index, which compute() returned, that is none of the columns. */
static void check_keys(lua_State *L, int index, const host_call *call) {
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        int asked = 0;
        for (int64_t c = 0; c < call->count; c++)
            asked += name && strcmp(call->columns[c], name) == 0;
        if (!asked)
            luaL_error(L, "compute: gave the column %s, which was not asked for",
                       name ? name : luaL_typename(L, -2));
    }
}

/* Calls compute(batch, columns) for the columns that no function makes alone, where there are any.
 */
static void run_compute(lua_State *L, host_call *call) {
    const int first = lua_gettop(L) + 1;
    lua_Integer asked = 0;
    al_push_host_function(L, call->host, "compute");
    push_batch(L, call->batch);
    lua_newtable(L);
    for (int64_t c = 0; c < call->count; c++) {
        const char *function = function_of(call->columns[c]);
        if (function && push_field(L, call->host, function)) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushstring(L, call->columns[c]);
        lua_rawseti(L, -2, (int)++asked);
    }
    if (asked == 0) {
        lua_settop(L, first - 1);
        return;
    }
    lua_call(L, 2, 3);
    call->status = al_answer(L, first, "compute");
    if (call->status != ALCORE_OK) return;
    luaL_argcheck(L, lua_istable(L, first), 1, "compute: a table {column = rows} expected");
    check_keys(L, first, call);
    for (int64_t c = 0; c < call->count && call->status == ALCORE_OK; c++) {
        lua_getfield(L, first, call->columns[c]);
        if (!lua_isnil(L, -1)) put_rows(L, call, lua_gettop(L), c, call->columns[c]);
        lua_settop(L, first);
    }
    lua_settop(L, first - 1);
}

/* Calls the caller's functions with the batch and puts the rows that they return into the columns;
 * runs protected, with the call as light userdata at index 1. */
static int run_columns(lua_State *L) {
    host_call *call = lua_touserdata(L, 1);
    luaL_checkstack(L, AL_STACK, "columns");
    for (int64_t c = 0; c < call->count && call->status == ALCORE_OK; c++) {
        const char *function = function_of(call->columns[c]);
        if (!function || !push_field(L, call->host, function)) continue;
        lua_pop(L, 1);
        run_function(L, call, c, function);
    }
    if (call->status != ALCORE_OK || !push_field(L, call->host, "compute")) return 0;
    lua_pop(L, 1);
    run_compute(L, call);
    return 0;
}

/* The library's callback. */
static alcore_status compute(void *user, const alcore_batch *batch, const char *const *columns,
                             alcore_column_writer *const *outs, int64_t count) {
    host_call call = {user, batch, columns, outs, count, ALCORE_OK};
    const alcore_status status = al_call_back(call.host->context, run_columns, &call);
    return status == ALCORE_OK ? call.status : status;
}

/* Calls score_references(batch); runs as run_columns() does. */
static int run_score(lua_State *L) {
    host_call *call = lua_touserdata(L, 1);
    run_function(L, call, 0, "score_references");
    return 0;
}

/* The library's callback. */
static alcore_status score(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    static const char *const columns[] = {"logprobs"};
    host_call call = {user, batch, columns, &out, 1, ALCORE_OK};
    const alcore_status status = al_call_back(call.host->context, run_score, &call);
    return status == ALCORE_OK ? call.status : status;
}

/* ---- translations ---- */

/* One call of translate() while it runs. */
typedef struct translate_call {
    const al_host *host;
    const alcore_batch *batch;
    const alcore_translate_options *options;
    alcore_outputs *out;
    alcore_status status; /* out */
} translate_call;

/* Puts the output at index, a text or {text, logprobs = list, score = number}. */
static void put_output(lua_State *L, translate_call *call, int64_t item, int64_t rank, int index) {
    const int top = lua_gettop(L);
    const double *numbers = NULL;
    double score = (double)NAN;
    int64_t tokens = 0;
    size_t length;
    lua_pushvalue(L, index);
    if (lua_istable(L, top + 1)) {
        lua_getfield(L, top + 1, "logprobs");
        if (!lua_isnil(L, -1)) numbers = al_numbers(L, lua_gettop(L), "logprobs", &tokens);
        lua_getfield(L, top + 1, "score");
        if (!lua_isnil(L, -1)) score = luaL_checknumber(L, -1);
        lua_rawgeti(L, top + 1, 1);
        lua_replace(L, top + 1);
    }
    if (lua_type(L, top + 1) != LUA_TSTRING)
        luaL_error(L, "translate: a text or {text, logprobs = ...} expected for text %d, got %s",
                   (int)item + 1, luaL_typename(L, top + 1));
    const char *text = lua_tolstring(L, top + 1, &length);
    float *logprobs = al_buffer(L, tokens, sizeof *logprobs);
    for (int64_t t = 0; t < tokens; t++) logprobs[t] = (float)numbers[t];
    if (tokens == 0 && isnan(score)) score = 0;
    AL_CALL(L, call->host->context,
            call->status =
                alcore_outputs_put(call->out, item, rank, text, length, logprobs, tokens, score));
    lua_settop(L, top);
}

/* Drops the numbers of the table on top of the stack that are NaN, as they are unset. */
static void drop_unset(lua_State *L) {
    for (const al_member *member = al_translate_options; member->name; member++) {
        lua_getfield(L, -1, member->name);
        const int unset = lua_type(L, -1) == LUA_TNUMBER && isnan(lua_tonumber(L, -1));
        lua_pop(L, 1);
        if (!unset) continue;
        lua_pushnil(L);
        lua_setfield(L, -2, member->name);
    }
}

/* Calls translate(batch, options) and hands its outputs over; runs as run_columns() does. */
static int run_translate(lua_State *L) {
    translate_call *call = lua_touserdata(L, 1);
    const int first = lua_gettop(L) + 1;
    luaL_checkstack(L, AL_STACK, "outputs");
    al_push_host_function(L, call->host, "translate");
    push_batch(L, call->batch);
    al_push_struct(L, al_translate_options, call->options);
    drop_unset(L);
    lua_call(L, 2, 3);
    call->status = al_answer(L, first, "translate");
    if (call->status != ALCORE_OK) return 0;
    if (!lua_istable(L, first)) return luaL_error(L, "translate: a list of outputs expected");
    for (int64_t item = 0; item < call->batch->count && call->status == ALCORE_OK; item++) {
        lua_rawgeti(L, first, (int)item + 1);
        const int one = lua_gettop(L);
        int is_list = 0;
        if (lua_istable(L, one)) {
            lua_rawgeti(L, one,
                        1); /* of a list of outputs it is a table or a text of its own, of an
                                       output the text beside its log-probabilities */
            lua_getfield(L, one, "logprobs");
            lua_getfield(L, one, "score");
            is_list = lua_isnil(L, -1) && lua_isnil(L, -2);
        }
        lua_settop(L, one);
        if (!is_list) put_output(L, call, item, 0, one);
        for (int rank = 0; is_list && call->status == ALCORE_OK; rank++) {
            lua_rawgeti(L, one, rank + 1);
            if (lua_isnil(L, -1)) break;
            put_output(L, call, item, rank, lua_gettop(L));
        }
        lua_settop(L, first);
    }
    return 0;
}

/* The library's callback. */
static alcore_status translate(void *user, const alcore_batch *batch,
                               const alcore_translate_options *options, alcore_outputs *out) {
    translate_call call = {user, batch, options, out, ALCORE_OK};
    const alcore_status status = al_call_back(call.host->context, run_translate, &call);
    return status == ALCORE_OK ? call.status : status;
}

/* ---- what the model says ---- */

/* One question while it is asked; 0 after an error, which does not reach the library: al_leave()
 * raises it when the outer call has returned. */
typedef struct question {
    const al_host *host;
    const char *column; /* of `can` */
    uint64_t answer;    /* out */
} question;

/* Reads the field "version" of the caller's table, a number or a function that returns one; runs as
 * run_columns() does. */
static int run_version(lua_State *L) {
    question *asked = lua_touserdata(L, 1);
    al_push_host_function(L, asked->host, "version");
    if (lua_isfunction(L, -1)) lua_call(L, 0, 1);
    asked->answer = (uint64_t)al_integer(L, -1, "version");
    return 0;
}

/* The library's callback. */
static uint64_t version(void *user) {
    question asked = {user, NULL, 0};
    (void)al_call_back(asked.host->context, run_version, &asked);
    return asked.answer;
}

/* Whether a function makes the column alone, or the list `columns` names it; runs as run_columns()
 * does. */
static int run_can(lua_State *L) {
    question *asked = lua_touserdata(L, 1);
    const char *function = function_of(asked->column);
    if (function && push_field(L, asked->host, function)) {
        asked->answer = 1;
        return 0;
    }
    if (!push_field(L, asked->host, "columns")) return 0;
    luaL_checktype(L, -1, LUA_TTABLE);
    const int list = lua_gettop(L);
    for (int i = 1; asked->answer == 0; i++) {
        lua_rawgeti(L, list, i);
        if (lua_isnil(L, -1)) return 0;
        asked->answer = strcmp(luaL_checkstring(L, -1), asked->column) == 0;
        lua_pop(L, 1);
    }
    return 0;
}

/* The library's callback. */
static int32_t can(void *user, const char *column) {
    question asked = {user, column, 0};
    (void)al_call_back(asked.host->context, run_can, &asked);
    return asked.answer != 0;
}

/* What the model tells or is told. */
typedef struct telling {
    const al_host *host;
    const char *text; /* the column of `describe`, the language of `set_language`; NULL: none */
    alcore_model_column *column; /* out, of `describe` */
    alcore_model_info *info;     /* out, of `info` */
    int32_t on;                  /* of `set_dropout`, as the next */
    uint64_t seed;
    alcore_status status; /* out, of settings */
} telling;

/* Reads what describe(name) says: {shape, meaning, per_word}; runs as run_columns() does. */
static int run_describe(lua_State *L) {
    telling *call = lua_touserdata(L, 1);
    if (!push_description(L, call->host, call->text)) return 0;
    const int said = lua_gettop(L);
    const int32_t shape = al_field_constant(L, said, "shape", al_words_column_shape),
                  meaning = al_field_constant(L, said, "meaning", al_words_meaning);
    if (shape != 0) call->column->shape = shape;
    if (meaning != 0) call->column->meaning = meaning;
    lua_getfield(L, said, "per_word");
    call->column->per_word = lua_toboolean(L, -1);
    return 0;
}

/* The library's callback. */
static void describe(void *user, const char *column, alcore_model_column *out) {
    telling call = {.host = user, .text = column, .column = out};
    (void)al_call_back(call.host->context, run_describe, &call);
}

/* Reads the table `info`, which keeps its texts; runs as run_columns() does. */
static int run_info(lua_State *L) {
    telling *call = lua_touserdata(L, 1);
    if (!push_field(L, call->host, "info")) return 0;
    luaL_checktype(L, -1, LUA_TTABLE);
    al_read_struct(L, lua_gettop(L), al_model_info, call->info);
    return 0;
}

/* The library's callback. */
static void info(void *user, alcore_model_info *out) {
    telling call = {.host = user, .info = out};
    (void)al_call_back(call.host->context, run_info, &call);
}

/* Calls set_language(name or nil), which may return nil, message; runs as run_columns() does. */
static int run_language(lua_State *L) {
    telling *call = lua_touserdata(L, 1);
    const int first = lua_gettop(L) + 1;
    al_push_host_function(L, call->host, "set_language");
    lua_pushstring(L, call->text);
    lua_call(L, 1, 3);
    if (lua_type(L, first + 1) == LUA_TSTRING) call->status = al_answer(L, first, "set_language");
    return 0;
}

/* The library's callback. */
static alcore_status set_language(void *user, const char *language) {
    telling call = {.host = user, .text = language, .status = ALCORE_OK};
    const alcore_status status = al_call_back(call.host->context, run_language, &call);
    return status == ALCORE_OK ? call.status : status;
}

/* Calls set_dropout(seed or nil); runs as run_columns() does. */
static int run_dropout(lua_State *L) {
    telling *call = lua_touserdata(L, 1);
    al_push_host_function(L, call->host, "set_dropout");
    if (call->on)
        lua_pushinteger(L, (lua_Integer)call->seed);
    else
        lua_pushnil(L);
    lua_call(L, 1, 0);
    return 0;
}

/* The library's callback. */
static alcore_status set_dropout(void *user, int32_t on, uint64_t seed) {
    telling call = {.host = user, .on = on, .seed = seed};
    return al_call_back(call.host->context, run_dropout, &call);
}

/* ---- the model ---- */

/* Sets the functions that make columns, where the table at index 1 has any. */
static void set_compute(lua_State *L, alcore_model_host *host) {
    int found = has_function(L, 1, "compute");
    if (found) {
        lua_getfield(L, 1, "columns");
        if (!lua_istable(L, -1))
            luaL_error(L, "columns: a list of the columns that compute makes expected, got %s",
                       luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    for (int i = 0; i < ONE_COLUMN; i++) found += has_function(L, 1, one_column[i].function);
    if (found == 0) return;
    host->can = can;
    host->compute = compute;
}

/* The field "reads" of the table at index 1 as a list that ends with NULL, which what is pushed
 * owns; NULL: there is none. */
static const char *const *push_reads(lua_State *L) {
    if (!al_has(L, 1, "reads")) return NULL;
    luaL_checktype(L, -1, LUA_TTABLE);
    const int list = lua_gettop(L);
    const int64_t count = (int64_t)lua_rawlen(L, list);
    const char **reads = al_buffer(L, count + 1, sizeof *reads);
    for (int64_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        reads[i] = luaL_checkstring(L, -1); /* the list keeps it */
        lua_pop(L, 1);
    }
    reads[count] = NULL;
    return reads;
}

/*** A model of functions of your own. Each gets a batch {count, indices, texts, languages,
 * references, contexts} and returns one row of numbers per text; token functions return a list of
 * lists or an array of @{alcore.ragged}. References are there where `reads` names them, contexts
 * where the pool has a column of them.
 * @function alcore.model
 * @tparam table functions embed, token_logprobs, class_probs, token_probs: a column each;
 * compute(batch, names), which returns a table with the rows of each of the columns that are still
 * needed, made in one pass, and columns, the list of those that it makes; score_references(batch):
 * rows of the log-probabilities of the tokens of batch.references; translate(batch, options): for
 * each text an output or a list of outputs, the best first, each a text or {text, logprobs = list,
 * score = number}; describe(name): what differs from the usual kind of a column, {shape =
 * "scalar", meaning = "logits", per_word = true}; set_language(name) and set_dropout(seed), called
 * by the methods of that name; and info (a table with family, device, dims, classes, max_tokens,
 * vocabulary), name, version (an integer, or a function that returns one: columns that a
 * model of another version made are computed again), reads (a list of what the functions read
 * beside texts and languages: "ids", "groups", "costs", "references", names of columns),
 * batch_rows, batch_bytes (rows times the bytes of the longest text), context
 * @return a model; or nil, message, code */
int l_alcore_model(lua_State *L) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    al_context *context = al_context_of(L, 1);
    const int translates = has_function(L, 1, "translate");
    set_compute(L, &host);
    if (has_function(L, 1, "score_references")) host.score = score;
    if (has_function(L, 1, "describe")) host.describe = describe;
    if (has_function(L, 1, "set_language")) host.set_language = set_language;
    if (has_function(L, 1, "set_dropout")) host.set_dropout = set_dropout;
    if (al_has(L, 1, "info")) host.info = info;
    lua_pop(L, 1);
    if (al_has(L, 1, "version")) host.version = version;
    lua_pop(L, 1);
    host.batch_rows = al_field_integer(L, 1, "batch_rows");
    host.batch_bytes = al_field_integer(L, 1, "batch_bytes");
    host.reads = push_reads(L);
    al_object *object = al_new(L, &al_model_kind, context);
    int top = lua_gettop(L);
    host.name = al_field_string(L, 1, "name");
    host.destroy = al_host_destroy;
    host.user = al_host_new(L, top, 1, context);
    int failed = AL_CALL(
        L, context,
        al_host_given(host.user, alcore_model_new_host(context->ctx, &host, &object->model)));
    if (failed) return failed;
    if (translates)
        failed = AL_CALL(L, context, alcore_model_set_translate(object->model, translate));
    if (failed) return failed;
    lua_pushvalue(L, top);
    return 1;
}
