/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Labeling projects in a folder, resumable at any instant (docs/projects.md).
 * @section projects */
#include <string.h>

#include "base/number.h"
#include "lua_binding.h"

/* Settings that are given together. */
typedef struct settings {
    const char **names, **values; /* [count] in buffers of Lua */
    int64_t count;
} settings;

/* Reads the table of settings at an index, or nil; what they are made of stays on the stack. */
static settings read_settings(lua_State *L, int index, const char *function) {
    settings out = {NULL, NULL, 0};
    if (lua_isnoneornil(L, index)) return out;
    index = al_absolute(L, index);
    if (!lua_istable(L, index))
        luaL_error(L, "%s: a table of settings expected, got %s", function,
                   luaL_typename(L, index));
    luaL_checkstack(L, AL_STACK, function);
    lua_newtable(L);
    lua_newtable(L);
    const int names = lua_gettop(L) - 1, values = names + 1;
    lua_pushnil(L);
    for (int i = 1; lua_next(L, index) != 0; i++) {
        const int value = lua_gettop(L), name = value - 1;
        if (lua_type(L, name) != LUA_TSTRING) luaL_error(L, "%s: settings have names", function);
        al_push_text(L, value, lua_tostring(L, name));
        lua_rawseti(L, values, i);
        lua_pushvalue(L, name);
        lua_rawseti(L, names, i);
        lua_settop(L, name);
    }
    out.names = al_strings(L, names, function, 0, NULL, &out.count);
    out.values = al_strings(L, values, function, 0, NULL, &out.count);
    return out;
}

/*** Opens a project, or makes one; a project that cannot be made leaves nothing behind.
 * @function alcore.project
 * @tparam string folder
 * @tparam[opt] table options init (true: the project is made, of a folder that is empty or not
 * there), settings (with init: a table of them), context
 * @return a project; or nil, message, code */
int l_alcore_project(lua_State *L) {
    static const char *const names[] = {"init", "settings", "context", NULL};
    const char *folder = luaL_checkstring(L, 1);
    settings given = {NULL, NULL, 0};
    int init = 0;
    lua_settop(L, 2);
    const int table = al_options(L, 2, "project", NULL, names, NULL);
    if (table != 0) {
        lua_getfield(L, table, "init");
        init = lua_toboolean(L, -1);
        lua_pop(L, 1);
        lua_getfield(L, table, "settings");
        if (!init && !lua_isnil(L, -1))
            return luaL_error(L, "project: settings are given with init; project:set() sets them");
        given = read_settings(L, -1, "project");
    }
    al_context *context = al_context_of(L, table);
    al_object *made = al_new(L, &al_project_kind, context);
    return AL_TOP(L, context,
                  init ? alcore_project_init(context->ctx, folder, given.names, given.values,
                                             given.count, &made->project)
                       : alcore_project_open(context->ctx, folder, &made->project));
}

/*** Selects the next round by the settings, of the candidates that no round has taken.
 * @function project:next
 * @tparam[opt] model model in place of that of the settings
 * @tparam[opt] table settings of this round alone, in place of those of the project
 * @return a selection; or nil, message, code */
int l_project_next(lua_State *L) {
    al_object *self = al_check(L, 1, &al_project_kind);
    al_object *model = lua_isnoneornil(L, 2) ? NULL : al_check(L, 2, &al_model_kind);
    lua_settop(L, 3);
    settings given = read_settings(L, 3, "project:next");
    al_object *made = al_new(L, &al_selection_kind, self->context);
    return AL_TOP(L, self->context,
                  alcore_project_next(self->project, model ? model->model : NULL, given.names,
                                      given.values, given.count, &made->selection));
}

/* ---- models ---- */

enum { MOST_WORDS = 256 };

/* A training or an evaluation. Its address is the key of the function in the registry, that of
 * `answer` the key of the text that the function gave. */
typedef struct working {
    al_context *context;
    const alcore_project_work *work;
    const char **out;
    char answer;
    int measures; /* 1: the function gives measures; 0: the path of a model */
    const char *command[MOST_WORDS + 1];
} working;

static void keep(lua_State *L, const void *key) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)key);
    lua_insert(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

/* Drops the references to function and answer, so that they can be collected. */
static void drop_references(lua_State *L, const working *self) {
    lua_pushnil(L);
    keep(L, self);
    lua_pushnil(L);
    keep(L, &self->answer);
}

/* Replaces the table of measures on the top by the text that the library reads. */
static void measures_as_text(lua_State *L) {
    luaL_checktype(L, -1, LUA_TTABLE);
    const int table = lua_gettop(L);
    lua_pushliteral(L, "");
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TNUMBER)
            luaL_error(L, "measures are numbers with names");
        const char *name = lua_tostring(L, -2);
        const lua_Number value = lua_tonumber(L, -1);
        char number[40];
        if (!*name || strpbrk(name, " \t\r\n") || value - value != 0)
            luaL_error(L, "measure '%s': a name without blanks and a finite number are needed",
                       name);
        alcore__print_double((double)value, number);
        lua_pushvalue(L, table + 1);
        lua_pushfstring(L, "%s\t%s\n", name, number);
        lua_concat(L, 2);
        lua_replace(L, table + 1);
        lua_pop(L, 1);
    }
    lua_remove(L, table);
}

/* Calls the function with the round, the file of pairs and the model; runs protected, with the work
 * at index 1. */
static int run_function(lua_State *L) {
    working *self = lua_touserdata(L, 1);
    lua_pushlightuserdata(L, self);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_pushinteger(L, (lua_Integer)self->work->round);
    if (!self->measures) lua_pushstring(L, self->work->labeled);
    lua_pushstring(L, self->work->model);
    lua_call(L, self->measures ? 2 : 3, 1);
    if (self->measures) measures_as_text(L);
    *self->out = luaL_optstring(L, -1, NULL);
    keep(L, &self->answer);
    return 0;
}

static alcore_status call_function(void *user, const alcore_project_work *work, const char **out) {
    working *self = user;
    self->work = work;
    self->out = out;
    return al_call_back(self->context, run_function, self);
}

/* Reads who does it, at index 2: a function, a text for the shell, a list of arguments, or nil.
 * Sets *function or *command. */
static void read_worker(lua_State *L, working *self, alcore_project_function *function,
                        const char *const **command) {
    if (lua_isnoneornil(L, 2)) return;
    if (lua_isfunction(L, 2)) {
        *function = call_function;
        lua_pushvalue(L, 2);
        keep(L, self);
        return;
    }
    *command = self->command;
    if (lua_type(L, 2) == LUA_TSTRING) {
        self->command[0] = "/bin/sh";
        self->command[1] = "-c";
        self->command[2] = lua_tostring(L, 2);
        return;
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    for (int i = 0; i < MOST_WORDS; i++) {
        lua_rawgeti(L, 2, i + 1);
        if (lua_isnil(L, -1)) break;
        luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, 2, "a list of strings is needed");
        self->command[i] = lua_tostring(L, -1); /* the table keeps it */
        lua_pop(L, 1);
    }
}

/* The table of an option, or 0; of the members of a struct, which is read. */
static int read_part(lua_State *L, int table, const char *name, const al_member *members,
                     void *out) {
    if (!al_has(L, table, name)) return 0;
    return al_options(L, lua_gettop(L), name, members, NULL, out);
}

static alcore_status train(lua_State *L, working *self, al_object *project,
                           const alcore_project_train_options *options, const char **out) {
    const alcore_status status = alcore_project_train(project->project, options, out);
    al_capture(self->context->frame, status);
    drop_references(L, self);
    return status;
}

/*** Trains a model on the pairs that are labeled by now.
 * @function project:train
 * @param trainer a function, which is given the round, the path of the file of pairs and a path
 * where it may make a model, and returns the path of a model that it made elsewhere; a command, a
 * text for the shell or a list of arguments; or nil: the torch engine fine-tunes a model
 * @tparam[opt] table options model (the folder that the engine begins with), training (a table of
 * options of model:train), language (of the references, for models of several), labeled (the file
 * of pairs: .tsv, .csv or .jsonl), with_labeled (true: pairs that were there before come first),
 * mix (a table of options of alcore.mix: pairs of the labeled files that are mixed in), show (true:
 * what a command writes is shown)
 * @return the path of the model, or false where none was made; or nil, message, code */
int l_project_train(lua_State *L) {
    static const char *const others[] = {"training", "mix", NULL};
    static const char *const of_mix[] = {"lm", "links", "model", NULL};
    alcore_mix_options mix = ALCORE_MIX_OPTIONS_INIT;
    al_object *project = al_check(L, 1, &al_project_kind);
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    alcore_train_options how = ALCORE_TRAIN_OPTIONS_INIT;
    working self = {.context = project->context};
    const char *made = NULL;
    lua_settop(L, 3);
    const int table = al_options(L, 3, "project:train", al_project_train_options, others, &options);
    if (read_part(L, table, "training", al_train_options, &how)) options.training = &how;
    if (al_has(L, table, "mix")) {
        const int given = al_options(L, lua_gettop(L), "mix", al_mix_options, of_mix, NULL);
        al_read_mix(L, given, project->context, &mix);
        options.mix = &mix;
    }
    options.user = &self;
    read_worker(L, &self, &options.function, &options.command);
    const int failed = AL_CALL(L, project->context, train(L, &self, project, &options, &made));
    if (failed) return failed;
    if (made)
        lua_pushstring(L, made);
    else
        lua_pushboolean(L, 0);
    return 1;
}

static alcore_status eval(lua_State *L, working *self, al_object *project,
                          const alcore_project_eval_options *options, const char **out) {
    const alcore_status status = alcore_project_eval(project->project, options, out);
    al_capture(self->context->frame, status);
    drop_references(L, self);
    return status;
}

/*** Measures the model of a round and keeps the measures.
 * @function project:eval
 * @param evaluator a function, which is given the round and the path of its model, or nil, and
 * returns a table of numbers by their names; a command, a text for the shell or a list of
 * arguments, which prints a line NAME VALUE for each; or nil: the torch engine measures
 * @tparam[opt] table options test (the file of texts and references that the engine measures on),
 * reading (a table of options of pool:read), metrics ("chrf,bleu"), model (else that of the
 * round), language (of the outputs, for models of several), round (else the last one), show (true:
 * the standard error of a command is shown)
 * @return the measures as a JSON object, a string; or nil, message, code */
int l_project_eval(lua_State *L) {
    static const char *const others[] = {"reading", NULL};
    al_object *project = al_check(L, 1, &al_project_kind);
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    working self = {.context = project->context, .measures = 1};
    const char *measures = NULL;
    lua_settop(L, 3);
    const int table = al_options(L, 3, "project:eval", al_project_eval_options, others, &options);
    if (read_part(L, table, "reading", al_read_options, &reading)) options.reading = &reading;
    options.user = &self;
    read_worker(L, &self, &options.function, &options.command);
    const int failed = AL_CALL(L, project->context, eval(L, &self, project, &options, &measures));
    if (failed) return failed;
    lua_pushstring(L, measures);
    return 1;
}
