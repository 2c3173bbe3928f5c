/* SPDX-License-Identifier: Apache-2.0 */
/*** @module alcore */
/*** Experiments from one file (docs/experiments.md).
 * @section experiments */
#include "lua_binding.h"

/* One call. Its address is the key of the event function in the registry. */
typedef struct experimenting {
    al_context *context;
    const char *config, *folder;
    const char *line; /* of the event that is told */
    alcore_experiment_options options;
    alcore_experiment_result result;
} experimenting;

/* Calls the event function; runs protected, with the call at index 1. */
static int run_event(lua_State *L) {
    const experimenting *self = lua_touserdata(L, 1);
    lua_pushlightuserdata(L, (void *)(uintptr_t)self);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_pushstring(L, self->line);
    lua_call(L, 1, 0);
    return 0;
}

static alcore_status tell_event(void *user, const char *line) {
    experimenting *self = user;
    self->line = line;
    return al_call_back(self->context, run_event, self);
}

/* Runs, and then lets the event function go, which may run finalizers that clear the error text. */
static alcore_status run(lua_State *L, experimenting *self) {
    const alcore_status status = alcore_experiment_run(self->context->ctx, self->config,
                                                       self->folder, &self->options, &self->result);
    al_capture(self->context->frame, status);
    lua_pushlightuserdata(L, self);
    lua_pushnil(L);
    lua_rawset(L, LUA_REGISTRYINDEX);
    return status;
}

/*** Does what is left of an experiment: killed at any instant, the same call goes on, and any
 * number of processes may work on one folder.
 * @function alcore.experiment
 * @tparam string config path of the configuration
 * @tparam string folder
 * @tparam[opt] table options event (a function that is called with each event, a line of JSON),
 * keep_going (true: after a failure the other runs are done), base (the folder that paths of the
 * configuration are relative to; by default its own), context
 * @treturn table runs (that there are), rounds (that this call made), failed; or nil, message,
 * code */
int l_alcore_experiment(lua_State *L) {
    static const char *const names[] = {"event", "context", NULL};
    experimenting self = {.config = luaL_checkstring(L, 1),
                          .folder = luaL_checkstring(L, 2),
                          .options = ALCORE_EXPERIMENT_OPTIONS_INIT,
                          .result = ALCORE_EXPERIMENT_RESULT_INIT};
    lua_settop(L, 3);
    const int table = al_options(L, 3, "experiment", al_experiment_options, names, NULL);
    al_read_struct(L, table, al_experiment_options, &self.options);
    self.context = al_context_of(L, table);
    if (al_has(L, table, "event")) {
        luaL_checktype(L, -1, LUA_TFUNCTION);
        self.options.event = tell_event;
        self.options.event_user = &self;
        lua_pushlightuserdata(L, &self);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }
    const int failed = AL_CALL(L, self.context, run(L, &self));
    return al_struct_result(L, failed, al_experiment_result, &self.result);
}
