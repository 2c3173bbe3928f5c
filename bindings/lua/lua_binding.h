/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Lua module share: objects, calls and conversions. */
#ifndef ALCORE_LUA_BINDING_H
#define ALCORE_LUA_BINDING_H

#include "lua_compat.h"

#include <alcore/alcore.h>

/* Whoever compiles: of the module only luaopen_alcore is to be seen. */
#pragma GCC visibility push(hidden)

/* ---- calls ---- */

/* A call of the library that is under way. A function of the caller's that runs inside it and
 * raises an error leaves the error value on the stack; al_leave() raises it again once the
 * library's frames are gone. */
typedef struct al_frame {
    struct al_home *home;
    struct al_frame *outer;  /* the call of the same home whose callback made this one, or NULL */
    lua_State *L;            /* the coroutine that made the call: callbacks run on it */
    const alcore_view *view; /* shown to a callback now, or NULL */
    uint64_t view_number;    /* which view: a Lua view of another number is over */
    int raised;              /* stack index of the error value; 0: none */
    int captured;            /* text is set */
    char text[1024];         /* the library's message, which ends with NUL */
} al_frame;

/* A context and who uses it: every object of the context holds one count, so that the callbacks'
 * data lives as long as anything that may call back. */
typedef struct al_home {
    alcore_ctx *ctx;
    al_frame *frame; /* innermost call, or NULL */
    int64_t users;
    uint64_t views;
} al_home;

/* The two ends of a call; AL_CALL() is their only user. */
void al_enter(lua_State *L, al_home *home, al_frame *frame);
int al_leave(lua_State *L, al_home *home, alcore_status status);

/* Calls the library: `call` is an expression of type alcore_status, evaluated inside a frame of
 * `home`. Its value is 0 when the call went well; after a failure nil, message and code are on the
 * stack and it is their number (3), which the function returns to Lua. Raises what a callback
 * raised. Every call that takes a context or a handle and answers with a status goes through here;
 * getters that cannot fail need no frame. */
#define AL_CALL(L, home, call)                                                                     \
    __extension__({                                                                                \
        al_frame al_frame_of_call;                                                                 \
        al_enter(L, home, &al_frame_of_call);                                                      \
        al_leave(L, home, call);                                                                   \
    })
/* The same for a whole method: the number of its results, which after success are the value at
 * index 1 (the object itself) or the value on top of the stack (what the call made). */
#define AL_SELF(L, home, call) al_result(L, AL_CALL(L, home, call), 1)
#define AL_TOP(L, home, call) al_result(L, AL_CALL(L, home, call), lua_gettop(L))
int al_result(lua_State *L, int failed, int index);

/* Inside a frame: keeps the message of a failed call before another call clears it. */
void al_capture(al_frame *frame, alcore_status status);
/* nil, message and code of a failed call without context, such as a look into a registry. */
int al_fail(lua_State *L, alcore_status status);

/* ---- objects ---- */

/* A handle of the library as userdata. Its user value is a table that keeps alive what it needs;
 * [1] there is the table of its context's callbacks. */
typedef struct al_object {
    union {
        void *handle; /* owned; NULL: closed */
        alcore_column_writer *column_writer;
        alcore_lm *lm;
        alcore_model *model;
        alcore_pool *pool;
        alcore_request *request;
        alcore_scorer *scorer;
        alcore_selection *selection;
        alcore_strategy *strategy;
    };
    al_home *home;
} al_object;

typedef struct al_method {
    const char *name;
    lua_CFunction function;
} al_method;

typedef struct al_kind {
    const char *name; /* of the metatable: "alcore.pool" */
    void (*unref)(void *handle);
    const al_method *methods;
    const al_method *getters; /* called with the object, result is not kept */
} al_kind;

/* Defines al_<noun>_kind: the objects of the noun, which `release` of the library gives back. */
#define AL_KIND(noun, release, method_table, getter_table)                                         \
    static void unref_##noun(void *handle) {                                                       \
        release(handle);                                                                           \
    }                                                                                              \
    const al_kind al_##noun##_kind = {"alcore." #noun, unref_##noun, method_table, getter_table}

extern const al_kind al_context_kind, al_pool_kind, al_column_writer_kind, al_request_kind,
    al_selection_kind, al_strategy_kind, al_scorer_kind, al_model_kind, al_lm_kind;

void al_register_kind(lua_State *L, const al_kind *kind);
/* Pushes a new object without handle, and without home when that is NULL. */
al_object *al_new(lua_State *L, const al_kind *kind, al_home *home);
/* Makes the object on top of the stack a user of a home. */
void al_join(lua_State *L, al_object *object, al_home *home);
/* The object at index, which is of a kind and open; raises otherwise. */
al_object *al_check(lua_State *L, int index, const al_kind *kind);
/* The same; NULL when the value is something else. */
al_object *al_test(lua_State *L, int index, const al_kind *kind);
/* Keeps the value at index alive as long as the object at owner, under a name. */
void al_anchor(lua_State *L, int owner, int index, const char *name);
void al_push_anchor(lua_State *L, int owner, const char *name);

/* Pushes a table that the registry keeps, made when it is first asked for; its values are weak. */
void al_push_weak(lua_State *L, const char *name);
/* Adds functions to the table on top. */
void al_set_functions(lua_State *L, const al_method *functions);

/* ---- contexts ---- */

/* The home of the table's field "context", or of the module's own context, which is made when it is
 * first needed. table 0: none. */
al_home *al_home_of(lua_State *L, int table);
void al_home_release(al_home *home);
/* Pushes the table of a context's functions: log, progress, and that of the call under way. */
void al_push_functions(lua_State *L, const al_home *home);
extern const al_method al_context_functions[];

/* ---- values ---- */

typedef struct al_constant {
    const char *name;
    int32_t value;
} al_constant;
/* A member of a struct of the library that is a field of the same name in a Lua table. */
typedef enum al_type {
    AL_INT32,  /* a number */
    AL_INT64,  /* a number */
    AL_UINT64, /* a seed: a number, or from 2^53 on a string */
    AL_DOUBLE, /* a number */
    AL_TEXT,   /* const char *: a string */
    AL_FLAG,   /* int32_t, 0 or 1: a boolean */
    AL_WORD    /* int32_t: one of the words */
} al_type;
typedef struct al_member {
    const char *name;
    al_type type;
    int32_t count;            /* entries of an array member, which is a list in Lua; else 1 */
    size_t offset;            /* bytes from the begin of the struct */
    const al_constant *words; /* of AL_WORD, else NULL */
} al_member;
#define AL_METHOD(prefix, name)                                                                    \
    { #name, prefix##name }

/* Made from the headers (lua_tables.c). */
extern const al_constant al_bad_lines[], al_bleu_smoothings[], al_bleu_tokenizers[], al_dedups[],
    al_file_formats[], al_malformed[], al_meanings[], al_missing_rules[], al_normalizations[],
    al_poolings[], al_report_kinds[], al_roles[], al_row_states[], al_scopes[], al_shapes[],
    al_usual_columns[];
extern const al_member al_bleu_options[], al_bleu_score[], al_chrf_options[], al_chrf_score[],
    al_ctx_options[], al_filter[], al_label_score[], al_lm_options[], al_mean_result[],
    al_model_options[], al_ngram_options[], al_pearson_result[], al_phrase_options[],
    al_pool_options[], al_read_options[], al_span_score[], al_wilcoxon_result[];
extern const char al_default_strategy[];
/* Sets the members of the struct whose fields the table at index has; the others keep their value.
 * Pushes the strings that the struct then points to. Index 0 is no table. */
void al_read_struct(lua_State *L, int table, const al_member *members, void *out);
/* Pushes a table of all members of a struct. */
void al_push_struct(lua_State *L, const al_member *members, const void *from);
/* ALCORE_COLUMN_* of a usual column; -1 for another name. */
int32_t al_usual_shape(const char *column);
/* Whether a list of lists is a ragged array where this column is meant. */
static inline int al_usual_ragged(const char *column) {
    return al_usual_shape(column) >= ALCORE_COLUMN_RAGGED;
}

/* The value of a string at index; absent when there is none. Raises for an unknown one. */
int32_t al_constant_check(lua_State *L, int index, const al_constant *list, const char *what,
                          int32_t absent);
/* Field of the table at index as a constant, an integer, a number or a string. */
int32_t al_field_constant(lua_State *L, int table, const char *field, const al_constant *list);
int64_t al_field_integer(lua_State *L, int table, const char *field);
/* An integer of the C type int32_t; raises for one that does not fit. */
int32_t al_field_int32(lua_State *L, int table, const char *field);
double al_field_number(lua_State *L, int table, const char *field);
uint64_t al_field_seed(lua_State *L, int table, const char *field);
/* Pushes the field and returns its text, or NULL; the text lives as long as what was pushed. */
const char *al_field_string(lua_State *L, int table, const char *field);

/* An integer that Lua holds exactly; raises otherwise, what names it. */
int64_t al_integer(lua_State *L, int index, const char *what);
/* Pushes a value as the text the library parses: numbers in full, booleans as 0 and 1, lists with
 * commas. Raises for an integer above 2^53 and for anything else. */
const char *al_push_text(lua_State *L, int index, const char *what);
/* Pushes a buffer of count entries that the collector frees. */
void *al_buffer(lua_State *L, int64_t count, size_t bytes);
/* Length of the list at index. */
int64_t al_length(lua_State *L, int index);
/* Pushes what holds them and returns the strings of a list; NULL for nil. Entries may be nil when
 * optional. */
const char **al_strings(lua_State *L, int index, const char *what, int optional, size_t **lengths,
                        int64_t *count);
double *al_numbers(lua_State *L, int index, const char *what, int64_t *count);
/* Pushes a buffer with the C rows of a list of 1-based indices, of ids, or of a selection. An id
 * that is not there is reported in *failed, which is then the number of results to return. */
int64_t *al_rows(lua_State *L, int index, const al_object *pool, int64_t *count, int *failed);
/* Pushes an empty table with room for a list of count values, up to a million. */
void al_push_list(lua_State *L, int64_t count);
/* Adds a text to the list on top as its entry at the 0-based index; 0 when it is NULL: the end of a
 * registry. */
int al_append(lua_State *L, int64_t index, const char *text);
/* Whether the optional table of options is there: its index, or 0. Raises for anything else. */
int al_options(lua_State *L, int index);
void al_push_integers(lua_State *L, const int64_t *values, int64_t count, int64_t plus);
void al_push_doubles(lua_State *L, const double *values, int64_t count);
/* Pushes a host array of numbers as a list, or a list of lists. */
void al_push_tensor(lua_State *L, const alcore_tensor *values, const alcore_tensor *offsets);

/* ---- arrays ---- */

/* A tensor of the caller's own numbers; raises for a dtype or shape that the library refuses. */
void al_tensor(lua_State *L, alcore_tensor *out, void *data, int32_t dtype, int64_t *shape,
               int32_t ndim);

/* Numbers on their way into the library: in memory, or in a file. */
typedef struct al_array {
    alcore_tensor values, offsets;
    int64_t shape[2], offsets_shape[1];
    int64_t *lengths; /* of a ragged array: [lengths_count] */
    int64_t lengths_count;
    const char *path; /* of an array that stays in a file, or NULL */
    alcore_column_options options;
} al_array;

void al_array_register(lua_State *L);
/* Pushes an array made of the value at index, or the value itself if it is one. */
al_array *al_array_from(lua_State *L, int index, const char *what, int ragged);
int al_array_is(lua_State *L, int index);
/* Gives a pool a column; results to return on failure, else 0. */
int al_set_column(lua_State *L, al_object *pool, const char *name, al_array *array);
extern const al_method al_array_functions[];

/* ---- callbacks ---- */

/* The library's log and progress functions of every context of ours. */
void al_log(void *user, int32_t level, const char *component, const char *message,
            const char *fields);
int32_t al_progress(void *user, const char *stage, int64_t done, int64_t total);

/* Data of a host strategy, scorer or model. Lua's functions are found through it and never through
 * the object, which may be gone before the library's last reference. */
typedef struct al_host {
    al_home *home;
} al_host;
/* Makes the data for the functions of the table at index and keeps the table alive with the object
 * at owner. */
al_host *al_host_new(lua_State *L, int owner, int functions, al_home *home);
void al_host_destroy(void *user);
/* status of the call that was to own the host: destroys the host when the call failed. */
alcore_status al_host_given(al_host *host, alcore_status status);
/* Runs body(L, data) protected on the frame's coroutine; ALCORE_E_CALLBACK after an error. */
alcore_status al_call_back(al_home *home, lua_CFunction body, void *data);
/* Pushes the function `name` of a host's table; raises when it is gone. */
void al_push_host_function(lua_State *L, const al_host *host, const char *name);
/* With what a function returned from stack index first on: whether it answered nil, message[,
 * code]; then the error text is set and the status is that of the code. */
alcore_status al_answer(lua_State *L, int first, const char *what);

/* ---- the nouns ---- */

void al_view_register(lua_State *L);
/* Pushes the view of the innermost call. */
void al_push_view(lua_State *L, al_home *home);
int64_t al_view_size(lua_State *L, int index);

/* Pushes the pool of texts (a list) with the fields of options, or leaves 3 results. */
int al_pool_make(lua_State *L, int texts, int options, al_home *home, al_object **out);
/* Pushes an object that shares a handle the library lent. */
void al_push_pool(lua_State *L, alcore_pool *pool, al_home *home);
int al_pool_select(lua_State *L);
int al_pool_candidates(lua_State *L);
/* Pushes the strategy that the value at index means: a name, an object, a function or a table of
 * one. */
int al_strategy_from(lua_State *L, int index, al_home *home, al_object **out);
int al_pool_column_writer(lua_State *L);

extern const al_method al_pool_functions[], al_request_functions[], al_strategy_functions[],
    al_model_functions[], al_lm_functions[], al_phrase_functions[], al_registry_functions[];
/* Pushes the table alcore.metrics. */
void al_push_metrics(lua_State *L);
int al_pool_write_phrases(lua_State *L);

#pragma GCC visibility pop

#endif
