/* SPDX-License-Identifier: Apache-2.0 */
/* select{}: a table becomes a request. Which names are options, parameters or columns is asked of
 * the library; this file knows only its own fields. */
/*** @module alcore */
/*** Selecting.
 * @section selecting */
#include <string.h>

#include "lua_binding.h"

/* Fields that are neither options of the request nor parameters nor columns. */
static const char *const own_fields[] = {
    "cost",     "context",   "dedup", "eligible",       "exclude", "groups",   "ids",
    "labeled",  "languages", "model", "params",         "pool",    "progress", "references",
    "strategy", "targets",   "texts", "max_text_bytes", "utf8",    NULL};
/* Those that only make sense for a pool made here. */
static const char *const record_fields[] = {
    "cost", "dedup", "groups", "ids", "languages", "utf8", "references", "max_text_bytes", NULL};

/* One call of select, with the stack places of what it holds. */
typedef struct selecting {
    lua_State *L;
    int spec;
    al_home *home;
    al_object *pool, *request, *strategy;
    int pool_at, request_at, strategy_at;
} selecting;

static int is_one_of(const char *name, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcmp(*list, name) == 0) return 1;
    return 0;
}

/* ---- pools ---- */

static al_home *home_of_spec(lua_State *L, int spec) {
    static const struct {
        const char *field;
        const al_kind *kind;
    } sources[] = {{"pool", &al_pool_kind},
                   {"labeled", &al_pool_kind},
                   {"targets", &al_pool_kind},
                   {"model", &al_model_kind},
                   {"strategy", &al_strategy_kind}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        lua_getfield(L, spec, sources[i].field);
        al_object *object = al_test(L, -1, sources[i].kind);
        lua_pop(L, 1);
        if (object != NULL) return object->home;
    }
    return al_home_of(L, spec);
}

static void check_home(const selecting *self, const al_object *object, const char *what) {
    if (object->home != self->home)
        luaL_error(self->L, "select: '%s' belongs to another context", what);
}

static int find_pool(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, "texts");
    lua_getfield(L, self->spec, "pool");
    int texts = lua_gettop(L) - 1, pool = lua_gettop(L);
    if (self->pool_at != 0) {
        if (!lua_isnil(L, texts) || !lua_isnil(L, pool))
            return luaL_error(L, "select: the pool has its texts already");
    } else if (!lua_isnil(L, texts)) {
        if (!lua_istable(L, texts))
            return luaL_error(L, "texts: a list of strings expected, got %s",
                              luaL_typename(L, texts));
        int failed = al_pool_make(L, texts, self->spec, self->home, &self->pool);
        self->pool_at = lua_gettop(L);
        return failed;
    } else {
        if (lua_isnil(L, pool)) return luaL_error(L, "select: 'texts' or 'pool' is needed");
        self->pool = al_check(L, pool, &al_pool_kind);
        self->pool_at = pool;
    }
    for (const char *const *field = record_fields; *field != NULL; field++) {
        lua_getfield(L, self->spec, *field);
        if (!lua_isnil(L, -1)) return luaL_error(L, "select: '%s' goes with 'texts'", *field);
        lua_pop(L, 1);
    }
    return 0;
}

static int set_role(selecting *self, int32_t role, const al_object *pool, const char *what) {
    check_home(self, pool, what);
    return AL_CALL(self->L, self->home,
                   alcore_request_set_pool(self->request->request, role, pool->pool));
}

/* A pool, or a list of texts, as the pool of a role. */
static int take_side(selecting *self, const char *field, int32_t role) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, field);
    if (lua_isnil(L, -1)) return 0;
    al_object *side;
    if (lua_istable(L, -1)) {
        int failed = al_pool_make(L, lua_gettop(L), 0, self->home, &side);
        if (failed) return failed;
    } else {
        side = al_check(L, -1, &al_pool_kind);
    }
    return set_role(self, role, side, field);
}

/* labeled: the labeled side, or a list of indices of the pool itself. */
static int take_labeled(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, "labeled");
    int numbers = 0;
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 1);
        numbers = lua_type(L, -1) == LUA_TNUMBER;
        lua_pop(L, 1);
    }
    if (!numbers) {
        lua_pop(L, 1);
        return take_side(self, "labeled", ALCORE_ROLE_LABELED);
    }
    int64_t count;
    int failed;
    int64_t *rows = al_rows(L, -1, self->pool, &count, &failed);
    if (failed) return failed;
    return AL_CALL(L, self->home,
                   alcore_pool_mark(self->pool->pool, ALCORE_ROW_LABELED, rows, count));
}

/* ---- rows of this call ---- */

/* Names the rows of a field's list to the request. kind: ALCORE_ROWS_*. */
static int take_rows(selecting *self, const char *field, int32_t kind) {
    lua_State *L = self->L;
    int64_t count;
    int failed;
    lua_getfield(L, self->spec, field);
    if (lua_isnil(L, -1)) return 0;
    int64_t *rows = al_rows(L, -1, self->pool, &count, &failed);
    if (failed) return failed;
    int64_t all = alcore_pool_rows(self->pool->pool);
    for (int64_t i = 0; i < count; i++) /* in this language's own count, which begins with 1 */
        if (rows[i] >= all)
            return luaL_error(L, "%s: there is no row %d, the pool has %d", field, (int)rows[i] + 1,
                              (int)all);
    int64_t none = 0; /* an empty list is not the same as none */
    return AL_CALL(
        L, self->home,
        alcore_request_set_rows(self->request->request, kind, count == 0 ? &none : rows, count));
}

/* ---- options, parameters and columns ---- */

static int set_option(selecting *self, const char *name, int value) {
    const char *text = al_push_text(self->L, value, name);
    return AL_CALL(self->L, self->home, alcore_request_set(self->request->request, name, text));
}

static int set_parameter(selecting *self, const char *name, int value) {
    const char *text = al_push_text(self->L, value, name);
    return AL_CALL(self->L, self->home, alcore_strategy_set(self->strategy->strategy, name, text));
}

static int is_option(const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    for (int32_t i = 0; alcore_request_param(i, &info) == ALCORE_OK; i++)
        if (strcmp(info.name, name) == 0) return 1;
    return 0;
}

static int is_parameter(const selecting *self, const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    al_push_anchor(self->L, self->strategy_at, "name");
    const char *strategy = lua_tostring(self->L, -1);
    int found = 0;
    for (int32_t i = 0; strategy != NULL && !found &&
                        alcore_strategy_builtin_param(strategy, i, &info) == ALCORE_OK;
         i++)
        found = strcmp(info.name, name) == 0;
    lua_pop(self->L, 1);
    return found;
}

static int take_field(selecting *self, int key, int value) {
    lua_State *L = self->L;
    if (lua_type(L, key) != LUA_TSTRING)
        return luaL_error(L, "select: fields have names, this one is %s", luaL_typename(L, key));
    const char *name = lua_tostring(L, key);
    if (is_one_of(name, own_fields)) return 0;
    if (strcmp(name, "spread") == 0)
        return luaL_error(L, "select: 'spread' is called 'max_similarity'");
    if (is_option(name)) return set_option(self, name, value);
    if (is_parameter(self, name)) return set_parameter(self, name, value);
    if (lua_istable(L, value) || al_array_is(L, value))
        return al_set_column(L, self->pool, name,
                             al_array_from(L, value, name, al_usual_ragged(name)));
    return set_parameter(self, name, value);
}

static int take_fields(selecting *self, int table,
                       int (*take)(selecting *self, int key, int value)) {
    lua_State *L = self->L;
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        int place = lua_gettop(L);
        int failed = take(self, place - 1, place);
        if (failed) return failed;
        lua_settop(L, place - 1);
    }
    return 0;
}

static int take_parameter(selecting *self, int key, int value) {
    if (lua_type(self->L, key) != LUA_TSTRING)
        return luaL_error(self->L, "params: parameters have names");
    return set_parameter(self, lua_tostring(self->L, key), value);
}

static int take_strategy(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, "strategy");
    if (lua_isnil(L, -1)) lua_pushstring(L, al_default_strategy);
    int failed = al_strategy_from(L, -1, self->home, &self->strategy);
    if (failed) return failed;
    self->strategy_at = lua_gettop(L);
    check_home(self, self->strategy, "strategy");
    al_anchor(L, self->request_at, self->strategy_at, "strategy");
    return AL_CALL(L, self->home,
                   alcore_request_set_strategy(self->request->request, self->strategy->strategy));
}

static int take_model(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, "model");
    if (lua_isnil(L, -1)) return 0;
    al_object *model = al_check(L, -1, &al_model_kind);
    check_home(self, model, "model");
    al_anchor(L, self->request_at, -1, "model");
    return AL_CALL(L, self->home, alcore_request_set_model(self->request->request, model->model));
}

/* ---- the call ---- */

/* Pushes the request's object. */
static int new_request(selecting *self) {
    self->request = al_new(self->L, &al_request_kind, self->home);
    self->request_at = lua_gettop(self->L);
    return AL_CALL(self->L, self->home,
                   alcore_request_new(self->home->ctx, &self->request->request));
}

static int build(selecting *self) {
    lua_State *L = self->L;
    int failed = find_pool(self);
    if (!failed) failed = new_request(self);
    if (!failed) failed = set_role(self, ALCORE_ROLE_CANDIDATES, self->pool, "pool");
    if (!failed) failed = take_labeled(self);
    if (!failed) failed = take_side(self, "targets", ALCORE_ROLE_TARGET);
    if (!failed) failed = take_strategy(self);
    if (!failed) failed = take_model(self);
    if (!failed) failed = take_fields(self, self->spec, take_field);
    if (failed) return failed;
    lua_getfield(L, self->spec, "params");
    if (lua_isnil(L, -1)) return 0;
    luaL_checktype(L, -1, LUA_TTABLE);
    return take_fields(self, lua_gettop(L), take_parameter);
}

/* The table of the context's functions with the progress function of this call; the one that was
 * there is left above it. */
static int begin_progress(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->spec, "progress");
    if (!lua_isnil(L, -1) && !lua_isfunction(L, -1))
        luaL_error(L, "progress: a function expected, got %s", luaL_typename(L, -1));
    al_push_functions(L, self->home);
    int table = lua_gettop(L);
    lua_getfield(L, table, "call_progress");
    lua_pushvalue(L, table - 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushvalue(L, table + 1);
    }
    lua_setfield(L, table, "call_progress");
    return table;
}

/* Selects with the progress function of this call and puts the earlier one back, which may run the
 * collector and with it finalizers that clear the error text. */
static alcore_status select_with_progress(selecting *self, int functions, al_object *result) {
    lua_State *L = self->L;
    alcore_status status = alcore_select(self->request->request, &result->selection);
    al_capture(self->home->frame, status);
    lua_pushvalue(L, functions + 1);
    lua_setfield(L, functions, "call_progress");
    return status;
}

static int run(selecting *self) {
    lua_State *L = self->L;
    int failed = take_rows(self, "exclude", ALCORE_ROWS_EXCLUDED);
    if (!failed) failed = take_rows(self, "eligible", ALCORE_ROWS_ELIGIBLE);
    if (failed) return failed;
    al_object *result = al_new(L, &al_selection_kind, self->home);
    int place = lua_gettop(L);
    al_anchor(L, place, self->pool_at, "pool");
    int functions = begin_progress(self);
    failed = AL_CALL(L, self->home, select_with_progress(self, functions, result));
    return al_result(L, failed, place);
}

static int select_from(selecting *self) {
    luaL_checkstack(self->L, 4 * AL_STACK, "select");
    luaL_checktype(self->L, self->spec, LUA_TTABLE);
    int failed = build(self);
    return failed ? failed : run(self);
}

/*** Chooses what to label next, in one call.
 * @function alcore.select
 * @tparam table what texts or pool; budget, strategy, model, labeled, targets, exclude, eligible,
 * progress; options of a request, parameters of the strategy, and columns by their names
 * @return a selection; or nil, message, code */
static int select_now(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    selecting self = {.L = L, .spec = 1, .home = home_of_spec(L, 1)};
    return select_from(&self);
}

/*** Chooses from a pool.
 * @function pool:select
 * @tparam table what the fields of @{alcore.select} but for the texts
 * @return a selection; or nil, message, code */
int al_pool_select(lua_State *L) {
    al_object *pool = al_check(L, 1, &al_pool_kind);
    lua_settop(L, 2);
    selecting self = {.L = L, .spec = 2, .home = pool->home, .pool = pool, .pool_at = 1};
    return select_from(&self);
}

/*** Indices of the rows that a strategy would see as candidates, ascending.
 * @function pool:candidates
 * @tparam number count
 * @tparam[opt=1] number round
 * @param[opt=0] seed a number, from 2^53 on a string
 * @return a list; or nil, message, code */
int al_pool_candidates(lua_State *L) {
    static const char *const names[] = {"round", "seed"};
    al_object *pool = al_check(L, 1, &al_pool_kind);
    lua_settop(L, 4);
    int64_t count = al_integer(L, 2, "count");
    selecting self = {.L = L, .home = pool->home, .pool = pool, .pool_at = 1};
    int failed = new_request(&self);
    if (!failed) failed = set_role(&self, ALCORE_ROLE_CANDIDATES, pool, "pool");
    for (int i = 0; i < 2 && !failed; i++)
        if (!lua_isnil(L, 3 + i)) failed = set_option(&self, names[i], 3 + i);
    if (failed) return failed;
    int64_t rows = alcore_pool_rows(pool->pool), found = 0;
    if (count > rows) count = rows;
    int64_t *out = al_buffer(L, count < 0 ? 0 : count, sizeof *out);
    failed = AL_CALL(L, pool->home,
                     alcore_request_candidates(self.request->request, count, out, &found));
    if (failed) return failed;
    al_push_integers(L, out, found, 1);
    return 1;
}

AL_KIND(request, alcore_request_unref, NULL, NULL);
const al_method al_request_functions[] = {{"select", select_now}, {NULL, NULL}};
