/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Lua module share.
 *
 * A noun of the library (pool, strategy, ...) is a kind of userdata (al_kind) whose objects own one
 * handle (al_object). A method checks its arguments, which raises for misuse, and calls the library
 * through AL_CALL(), which turns a failure into the results nil, message, code. Functions of the
 * caller's that the library calls back run protected (lua_callbacks.c): no error of Lua jumps over
 * a frame of the library. Names of strategies, columns and words of options come from lua_tables.c,
 * which is made from the headers.
 *
 * Conventions: a function that "pushes" leaves one value more on the Lua stack and keeps the
 * others; an `index` or `table` parameter is a stack index; `what` and `name` begin the messages.
 * "Raises" means lua_error(), which does not return. A function whose result is called `failed`
 * returns 0, or the number of results (3) that the method is to return: they are on the stack then.
 * Rows count from 0 in C and from 1 in Lua. */
#ifndef ALCORE_LUA_BINDING_H
#define ALCORE_LUA_BINDING_H

#include "lua_compat.h"

#include <alcore/extra.h>

/* Hidden whatever the compiler is told: only luaopen_alcore is visible outside of the module. */
#pragma GCC visibility push(hidden)

/* ---- calls ---- */

/* A call of the library that is running, on the C stack of the method that makes it. A function of
 * the caller's that runs inside it and raises an error leaves the error value on the Lua stack;
 * al_leave() raises it again when the library has returned. */
typedef struct al_frame {
    struct al_context
        *context;           /* of the call; its `frame` is this one while the call is innermost */
    struct al_frame *outer; /* the call of the same context whose callback made this one, or NULL */
    lua_State *L;           /* the coroutine that made the call: callbacks run on it */
    const alcore_view *view; /* shown to a callback now, or NULL */
    uint64_t view_number;    /* of that view: a Lua view with another number has expired */
    int raised;              /* stack index of the error value; 0: none */
    int captured;            /* 1: text and remedy are set */
    alcore_remedy remedy;    /* of the library's error; kind 0: it has none */
    char text[1024];         /* the library's message, cut to fit, with its NUL */
} al_frame;

/* A context of the library and the data of its callbacks, which receive a pointer to it. It is
 * counted: every object and view of the context has one share, so that it lives as long as anything
 * that may call back. */
typedef struct al_context {
    alcore_ctx *ctx; /* owned */
    al_frame *frame; /* the innermost call that is running, or NULL */
    int64_t users;   /* shares; at 0 it is freed */
    uint64_t views;  /* views made so far; the number of the latest */
} al_context;

/* The begin and the end of a call; AL_CALL() is their only user. */
void al_enter(lua_State *L, al_context *context, al_frame *frame);
int al_leave(lua_State *L, al_context *context, alcore_status status);

/* Calls the library: `call` is an expression of type alcore_status, evaluated inside a frame of
 * `context`. Its value is 0 when the call went well; after a failure nil, message and code are on
 * the stack and it is their number (3), which the function returns to Lua. Raises what a callback
 * raised. Every call that takes a context or a handle and answers with a status goes through here;
 * getters that cannot fail need no frame. */
#define AL_CALL(L, context, call)                                                                  \
    __extension__({                                                                                \
        al_frame al_frame_of_call;                                                                 \
        al_enter(L, context, &al_frame_of_call);                                                   \
        al_leave(L, context, call);                                                                \
    })
/* The same for a whole method: the number of its results. After success that is one: the value at
 * index 1 (the object itself), or the value on top of the stack (what the call made). */
#define AL_SELF(L, context, call) al_result(L, AL_CALL(L, context, call), 1)
#define AL_TOP(L, context, call) al_result(L, AL_CALL(L, context, call), lua_gettop(L))
/* The number of results of a method: those of a failure, else one, the value at index. */
int al_result(lua_State *L, int failed, int index);

/* Inside a frame: copies the message and the remedy of a failed call before another call clears
 * them. */
void al_capture(al_frame *frame, alcore_status status);
/* Pushes a remedy as the fields of a table that a program in Lua writes: 'fill = "skip" stays
 * within the budget'. */
void al_push_remedy(lua_State *L, const alcore_remedy *remedy);
/* Pushes nil, message and code of a failed call that needs no frame, such as one that reads a
 * registry; returns 3. */
int al_fail(lua_State *L, alcore_status status);

/* ---- objects ---- */

/* A handle of the library as userdata. Its user value is a table of the Lua values that the object
 * keeps alive; entry 1 of that table is the table of its context's callbacks. */
typedef struct al_object {
    union { /* owned; NULL: closed. The member is that of the object's kind. */
        void *handle;
        alcore_ctx *ctx;
        alcore_aligner *aligner;
        alcore_annotations *annotations;
        alcore_column_writer *column_writer;
        alcore_comparison *comparison;
        alcore_links *links;
        alcore_lm *lm;
        alcore_mix *mix;
        alcore_model *model;
        alcore_overlap *overlap;
        alcore_pool *pool;
        alcore_project *project;
        alcore_request *request;
        alcore_scorer *scorer;
        alcore_selection *selection;
        alcore_strategy *strategy;
        alcore_tokenizer *tokenizer;
        alcore_tokens *tokens;
        alcore_tool_answers *tool_answers;
    };
    al_context *context; /* one share; NULL: closed */
} al_object;

/* A function under its name in Lua. Lists of them end with a NULL name. */
typedef struct al_method {
    const char *name;
    lua_CFunction function;
} al_method;

typedef struct al_kind {
    const char *name;            /* of the metatable, and in messages: "alcore.pool" */
    void (*unref)(void *handle); /* gives a handle back to the library */
    const al_method *methods;    /* list, or NULL */
    const al_method
        *getters; /* list, or NULL: fields whose value the function computes each time */
} al_kind;

/* Makes the metatable of a kind. */
void al_register_kind(lua_State *L, const al_kind *kind);
/* Pushes a new object without a handle, which the call that follows sets; context may be NULL. */
al_object *al_new(lua_State *L, const al_kind *kind, al_context *context);
/* Gives the object, which is on top of the stack and has no context, a share of one. */
void al_join(lua_State *L, al_object *object, al_context *context);
/* The object at index; raises when it is not of the kind, or closed. */
al_object *al_check(lua_State *L, int index, const al_kind *kind);
/* The same, but NULL instead of an error. */
al_object *al_test(lua_State *L, int index, const al_kind *kind);
/* Keeps the value at index alive as long as the object (or array) at owner, under a name by which
 * al_push_anchor() pushes it. */
void al_anchor(lua_State *L, int owner, int index, const char *name);
void al_push_anchor(lua_State *L, int owner, const char *name);

/* Pushes the table of that name in Lua's registry, which the first call makes. The collector may
 * remove its values. */
void al_push_weak(lua_State *L, const char *name);
/* Adds functions to the table on top of the stack. */
void al_set_functions(lua_State *L, const al_method *functions);

/* ---- contexts ---- */

/* The context in the field "context" of a table of options (index 0: there is no table), else the
 * module's own, which the first call makes. */
al_context *al_context_of(lua_State *L, int table);
/* Gives one share back. */
void al_context_release(al_context *context);
/* Pushes the table of a context's functions: log, progress, and call_progress, that of the select
 * that is running. */
void al_push_functions(lua_State *L, const al_context *context);

/* ---- values ---- */

/* A word of an option in Lua and the constant of the library. Lists of them end with a NULL name.
 */
typedef struct al_constant {
    const char *name;
    int32_t value;
} al_constant;
/* A member of a struct of the library that is a field of the same name in a Lua table, by the type
 * that it has there. Lists of members end with a NULL name. */
typedef enum al_type {
    AL_INT32,  /* int32_t: a number */
    AL_INT64,  /* int64_t: a number */
    AL_UINT64, /* uint64_t, a seed: a number, or from 2^53 on a string */
    AL_DOUBLE, /* double: a number */
    AL_TEXT,   /* const char *: a string */
    AL_FLAG,   /* int32_t, 0 or 1: a boolean */
    AL_WORD,   /* int32_t: one of the words */
    AL_WRITER  /* alcore_column_writer *: a column writer; never a result */
} al_type;
typedef struct al_member {
    const char *name;
    al_type type;
    int32_t count;            /* entries of an array member, which is a list in Lua; else 1 */
    size_t offset;            /* bytes from the beginning of the struct */
    const al_constant *words; /* of AL_WORD, else NULL */
} al_member;

/* Lists that bindings/gen makes from the headers. */
#include "lua_tables.h"
/* Metrics, which have one shape, as the library's functions take them (lua_metrics.c). */
typedef enum al_input_kind {
    AL_TEXTS,   /* a list of strings */
    AL_LISTS,   /* a list of strings or of lists of them */
    AL_NUMBERS, /* a list of numbers */
    AL_CLASSES, /* a list of integers */
    AL_LINKS    /* links of word alignments */
} al_input_kind;
/* An input of a call; its kind says which members are set. */
typedef struct al_input {
    const char **texts;
    const size_t *lengths; /* [count] bytes */
    const double *numbers;
    const int64_t *classes;
    int64_t count;
    const int64_t *offsets; /* [offset_count] of lists: those of item i begin at entry i */
    int64_t offset_count;
    const alcore_links *links;
} al_input;
enum { AL_MOST_INPUTS = 4, AL_MOST_STRUCT = 512 /* bytes of options or a result */ };
typedef struct al_measure {
    const char *name;
    struct {
        const char *name; /* NULL behind the last */
        al_input_kind kind;
    } inputs[AL_MOST_INPUTS + 1]; /* in the library's order */
    const al_member *options, *result;
    size_t options_size, result_size;
    const char *result_name; /* of the struct of its result */
    const void *defaults;    /* options without a setting */
    size_t pointer; /* offset of the member of the options that points to something; 0: none */
    /* scores: where those of single texts go; NULL: not wanted */
    alcore_status (*compute)(alcore_ctx *ctx, const al_input *inputs, const void *options,
                             const alcore_tensor *scores, void *out);
    /* NULL: it reads no files. links: path of those of a metric that has them */
    alcore_status (*read)(alcore_ctx *ctx, const alcore_text_files *files, const char *links,
                          const void *options, void *out);
    /* Of metrics that score single texts; else NULL */
    const char *(*signature)(int64_t sets, const void *options, char buffer[160]);
} al_measure;
extern const al_measure al_measures[];
/* Sets the members of the struct whose fields the table at index has; the others keep their value.
 * Pushes the strings and objects that the struct then points to. Index 0 is no table. */
void al_read_struct(lua_State *L, int table, const al_member *members, void *out);
/* Pushes a table of all members of a struct. */
void al_push_struct(lua_State *L, const al_member *members, const void *from);
/* Pushes a field of a table, nil where the index of the table is 0; whether it is not nil. */
int al_has(lua_State *L, int table, const char *field);
/* Set a field of the table on top of the stack. A string that is NULL leaves it nil. */
void al_set_integer(lua_State *L, const char *field, int64_t value);
void al_set_number(lua_State *L, const char *field, double value);
void al_set_string(lua_State *L, const char *field, const char *value);
/* The number of results of a method that returns a struct or a tensor: those of a failure, else
 * one, which is pushed as by al_push_struct() or al_push_tensor(). */
int al_struct_result(lua_State *L, int failed, const al_member *members, const void *from);
int al_tensor_result(lua_State *L, int failed, const alcore_tensor *values,
                     const alcore_tensor *offsets);
/* Pushes the word of a constant; nil for one that the list lacks. */
void al_push_word(lua_State *L, const al_constant *list, int32_t value);
/* Push what a call returned, and nil for what stands for nothing: NULL, NaN, a negative number. */
void al_push_bytes(lua_State *L, const char *text, size_t length);
void al_push_number_or_nil(lua_State *L, double value);
void al_push_integer_or_nil(lua_State *L, int64_t value);
/* Pushes a hash as 16 hexadecimal digits. */
void al_push_hash(lua_State *L, uint64_t hash);
/* Shape (ALCORE_COLUMN_*) of a column that the library knows by name; -1 for another name. */
int32_t al_usual_shape(const char *column);
/* Whether a list of lists that is given for this column is ragged, not a matrix. */
static inline int al_usual_ragged(const char *column) {
    return al_usual_shape(column) >= ALCORE_COLUMN_RAGGED;
}

/* The constant of the word at index; `absent` for nil or none. Raises for another word. */
int32_t al_constant_check(lua_State *L, int index, const al_constant *list, const char *what,
                          int32_t absent);
/* A field of a table as a constant, an integer, a number or a seed; 0 when it is nil. They raise
 * for a value of another type. */
int32_t al_field_constant(lua_State *L, int table, const char *field, const al_constant *list);
int64_t al_field_integer(lua_State *L, int table, const char *field);
/* Raises for an integer that does not fit into 32 bits. */
int32_t al_field_int32(lua_State *L, int table, const char *field);
double al_field_number(lua_State *L, int table, const char *field);
uint64_t al_field_seed(lua_State *L, int table, const char *field);
/* Pushes the field and returns its text, which lives as long as the pushed value; NULL for nil. */
const char *al_field_string(lua_State *L, int table, const char *field);

/* The integer at index; raises for anything else, and from 2^53 on, where numbers of Lua are not
 * exact. */
int64_t al_integer(lua_State *L, int index, const char *what);
/* Pushes the value of an option or parameter as the text that the library parses: numbers so that
 * they read back exactly, booleans as 0 and 1, lists with commas. Raises for an integer from 2^53
 * on and for anything else. */
const char *al_push_text(lua_State *L, int index, const char *what);
/* The setters of one kind of handle, for each type that a value of Lua has. */
typedef struct al_setters {
    alcore_status (*set)(void *handle, const char *name, const char *value);
    alcore_status (*set_int)(void *handle, const char *name, int64_t value);
    alcore_status (*set_number)(void *handle, const char *name, double value);
} al_setters;

/* Defines al_<noun>_setters from three functions of the library, which take handles of that noun.
 */
#define AL_DEFINE_SETTERS(noun, set_call, set_int_call, set_number_call)                           \
    static alcore_status noun##_text(void *handle, const char *name, const char *value) {          \
        return set_call(handle, name, value);                                                      \
    }                                                                                              \
    static alcore_status noun##_int(void *handle, const char *name, int64_t value) {               \
        return set_int_call(handle, name, value);                                                  \
    }                                                                                              \
    static alcore_status noun##_number(void *handle, const char *name, double value) {             \
        return set_number_call(handle, name, value);                                               \
    }                                                                                              \
    const al_setters al_##noun##_setters = {noun##_text, noun##_int, noun##_number}

extern const al_setters al_request_setters, al_strategy_setters, al_scorer_setters;

/* Sets the option or parameter of a handle to the value at an index, which is read as
 * al_push_text() reads it; numbers pass as numbers. Returns `failed`. */
int al_set_value(lua_State *L, al_context *context, const al_setters *setters, void *handle,
                 const char *name, int value);
/* Pushes a block of memory for count entries of that many bytes, which the collector frees; not
 * initialized. */
void *al_buffer(lua_State *L, int64_t count, size_t bytes);
/* Length of the list at index. */
int64_t al_length(lua_State *L, int index);
/* Pushes a copy of the list at index, which keeps its strings alive: a progress function could
 * change the caller's list while the library reads them. */
void al_copy_list(lua_State *L, int index);
/* Pushes the arrays that it returns: pointers to the strings of a list, [*count], and their lengths
 * in bytes (lengths may be NULL). The list owns the strings. NULL for nil. With `optional` *count
 * is given, and entries that are nil or false become NULL. */
const char **al_strings(lua_State *L, int index, const char *what, int optional, size_t **lengths,
                        int64_t *count);
/* Pushes the array that it returns: the numbers of a list, [*count]. */
double *al_numbers(lua_State *L, int index, const char *what, int64_t *count);
/* Pushes the array that it returns: rows from 0, [*count], of a list of indices from 1 (with a pool
 * also of ids), or of the picks of a selection. For an id that the pool lacks, *failed is the
 * number of results to return; otherwise 0. */
int64_t *al_rows(lua_State *L, int index, const al_object *pool, int64_t *count, int *failed);
/* Pushes an empty table that a list of count values fits into (memory for a million at most is
 * taken at once: the count may be wrong). */
void al_push_list(lua_State *L, int64_t count);
/* Sets entry index (from 0) of the list on top of the stack to a text and returns 1; returns 0 for
 * NULL, with which the library's registries end. */
int al_append(lua_State *L, int64_t index, const char *text);
/* The index of the table of options there, 0 for nil or none; raises for anything else, and for a
 * table that al_check_fields() refuses. out: the struct of the members, which al_read_struct() sets
 * then; NULL: it is read later, or there is none. */
int al_options(lua_State *L, int index, const char *function, const al_member *members,
               const char *const *others, void *out);
/* Sets the options of a training set to the fields of a table, as al_read_struct() does, with its
 * language model, links and model. */
void al_read_mix(lua_State *L, int table, al_context *context, alcore_mix_options *options);
/* Raises when the table has a field that is neither one of members nor of others, a list of names
 * that ends with NULL. Either may be NULL. The message names the field, the function (as it is
 * called in Lua) and the nearest name that is known. */
void al_check_fields(lua_State *L, int table, const char *function, const al_member *members,
                     const char *const *others);
/* The names of a function whose only option is the context; ends with NULL. */
extern const char *const al_context_only[];
/* Pushes the array that it returns: the integers of a list [count], less first. */
int64_t *al_integers(lua_State *L, int list, const char *what, int64_t count, int64_t first);
/* Pushes a list of texts [count], false for NULL; lengths NULL: they end with NUL. */
void al_push_texts(lua_State *L, const char *const *texts, const size_t *lengths, int64_t count);
/* Pushes the list of the texts of some rows [count] of a pool; rows NULL: of the first ones. */
void al_push_pool_texts(lua_State *L, const alcore_pool *pool, const int64_t *rows, int64_t count);
/* Push a list of values[count]; plus is added to each: 1 makes indices of rows. */
void al_push_integers(lua_State *L, const int64_t *values, int64_t count, int64_t plus);
void al_push_doubles(lua_State *L, const double *values, int64_t count);
/* Pushes a tensor in host memory as a list of numbers, a matrix as a list of lists; with offsets
 * [rows + 1] as a list of the rows, each a list of its values. */
void al_push_tensor(lua_State *L, const alcore_tensor *values, const alcore_tensor *offsets);

/* ---- arrays ---- */

/* Makes a tensor over data[shape], neither of which it owns; raises for a dtype or shape that the
 * library refuses. */
void al_tensor(lua_State *L, alcore_tensor *out, void *data, int32_t dtype, int64_t *shape,
               int32_t ndim);

/* Userdata "alcore.array": the values of a column, in memory or in a file. Its user value keeps the
 * memory alive. */
typedef struct al_array {
    alcore_tensor values;     /* [shape[0]] or [shape[0], shape[1]]; a ragged array: [tokens]; of
                                 samples: [shape[0], shape[1], shape[2]] */
    alcore_tensor offsets;    /* of a ragged array: int64 [rows + 1]; else data is NULL */
    int64_t shape[3];         /* of values */
    int64_t offsets_shape[1]; /* of offsets */
    int64_t *lengths;         /* of a ragged array: values of each row [lengths_count] */
    int64_t lengths_count;    /* rows of a ragged array */
    const char *path;         /* of an array that stays in a file, else NULL */
    alcore_column_options options; /* what the values mean and which rows they are of */
} al_array;

/* Makes the metatable of arrays. */
void al_array_register(lua_State *L);
/* Pushes the array at index, or one that is made of the list there; ragged: a list of lists is rows
 * of different lengths, else a matrix. */
al_array *al_array_from(lua_State *L, int index, const char *what, int ragged);
/* Pushes an array [samples, rows, classes] of the list of lists of lists at index. */
al_array *al_samples_from(lua_State *L, int index, const char *what);
int al_array_is(lua_State *L, int index);
/* Gives a pool a column of the array. */
int al_set_column(lua_State *L, al_object *pool, const char *name, al_array *array);
/* The same of the list of numbers or of texts, or the array, at an index. */
int al_give_column(lua_State *L, al_object *pool, const char *name, int index, int32_t meaning);
/* Reads one operand of a search at index into *out: a pool, whose embeddings are read, {pool, the
 * name of a column}, or a matrix. Pushes what *out points to and the stack does not have yet.
 * Returns its rows; *dims: numbers of a row of a matrix, 0 for a pool. */
int64_t al_search_data(lua_State *L, int index, const char *what, alcore_search_data *out,
                       int64_t *dims);

/* ---- callbacks ---- */

/* The log and progress functions of every context of this module; user is its al_context. */
void al_log(void *user, int32_t level, const char *component, const char *message,
            const char *fields);
int32_t al_progress(void *user, const char *stage, int64_t done, int64_t total);

/* The user data of a strategy, scorer or model that is made of Lua functions. Its address is the
 * key of the functions in a weak table: the Lua object, which keeps them alive, may be collected
 * before the library gives its last reference back. */
typedef struct al_host {
    al_context *context; /* borrowed: the Lua object has the share */
} al_host;
/* Makes the data for the table of functions at an index, which the object at owner keeps alive. */
al_host *al_host_new(lua_State *L, int owner, int functions, al_context *context);
/* The library's `destroy` of such parts. */
void al_host_destroy(void *user);
/* Passes the status of the call that is to own the host on; destroys the host after a failure. */
alcore_status al_host_given(al_host *host, alcore_status status);
/* Runs body, protected and with data as light userdata at index 1, on the coroutine of the
 * innermost call. After an error the status is ALCORE_E_CALLBACK and the error waits for
 * al_leave(). */
alcore_status al_call_back(al_context *context, lua_CFunction body, void *data);
/* Pushes the field `name` of a host's table of functions; raises when the table was collected. */
void al_push_host_function(lua_State *L, const al_host *host, const char *name);
/* The status of a function of the caller's whose results lie on the stack from index first on.
 * nil, message[, code] is a failure: the library's error text is the message then. */
alcore_status al_answer(lua_State *L, int first, const char *what);

/* Every method, field and function of Lua, and the kinds of objects (bindings/gen). */
#include "lua_calls.h"

/* ---- the nouns ---- */

/* The texts of sentence pairs as a call of the library takes them. */
typedef struct al_pairs {
    const char **sources, **targets; /* [count] */
    size_t *source_lengths, *target_lengths;
    int64_t count;
} al_pairs;
/* Pushes what owns the arrays of *out: the texts of the list of pairs {source, target} at index. */
void al_read_sides(lua_State *L, int index, al_pairs *out);

/* The number of results of a method that returns a decision to stop, with its sentence. */
int al_decision_result(lua_State *L, int failed, const alcore_stop_decision *decision);
/* The frame that shows the view at index; raises when its callback has returned. */
const al_frame *al_view_frame(lua_State *L, int index);
/* Makes the metatable of views. */
void al_view_register(lua_State *L);
/* Pushes the view that the innermost call shows. */
void al_push_view(lua_State *L, al_context *context);
/* Candidates of the view at index. */
int64_t al_view_size(lua_State *L, int index);

/* Pushes a new pool of the list of texts (index 0: an empty one) with the fields of the options
 * (index 0: none). */
int al_pool_make(lua_State *L, int texts, int options, al_context *context, al_object **out);
/* Pushes a new object with a reference of its own to a pool that the library lent; nil for NULL. */
void al_push_pool(lua_State *L, alcore_pool *pool, al_context *context);
/* Pushes the strategy that the value at index means: an object, or one that is made of a name, a
 * function or a table of functions. */
int al_strategy_from(lua_State *L, int index, al_context *context, al_object **out);

/* Pushes the table alcore.metrics. */
void al_push_metrics(lua_State *L);

#pragma GCC visibility pop

#endif
