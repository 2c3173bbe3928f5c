/* SPDX-License-Identifier: Apache-2.0 */
/* select{...}: a table becomes a request of the library (lua_selecting.h).
 *
 * The fields that mean pools, rows, the model and the strategy are listed here. For every other
 * name the library is asked: an option of a request, else a parameter of the strategy, else a
 * column if the value is a list or an array. */
/*** @module alcore */
/*** Selecting.
 * @section selecting */
#include <stdio.h>
#include <string.h>

#include "lua_selecting.h"

/* Fields that have a meaning of their own, so that the library is not asked. */
static const char *const select_fields[] = {
    "cost",       "context",   "dedup",   "eligible", "exclude",        "groups", "ids",
    "labeled",    "languages", "like",    "model",    "params",         "pool",   "progress",
    "references", "strategy",  "targets", "texts",    "max_text_bytes", "utf8",   "repeated_ids",
    NULL};
/* Those of select_fields that make a pool of `texts`, and are refused beside a pool. */
static const char *const record_fields[] = {"cost",         "dedup", "groups",     "ids",
                                            "languages",    "utf8",  "references", "max_text_bytes",
                                            "repeated_ids", NULL};

static int is_one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0) return 1;
    return 0;
}

/* ---- pools ---- */

al_context *al_selecting_context(lua_State *L, int fields) {
    static const struct {
        const char *field;
        const al_kind *kind;
    } sources[] = {{"pool", &al_pool_kind},
                   {"labeled", &al_pool_kind},
                   {"targets", &al_pool_kind},
                   {"model", &al_model_kind},
                   {"strategy", &al_strategy_kind}};
    lua_getfield(L, fields, "context");
    const int given = !lua_isnil(L, -1);
    lua_pop(L, 1);
    for (size_t i = 0; !given && i < sizeof sources / sizeof *sources; i++) {
        lua_getfield(L, fields, sources[i].field);
        al_object *object = al_test(L, -1, sources[i].kind);
        lua_pop(L, 1);
        if (object) return object->context;
    }
    return al_context_of(L, fields);
}

void al_selecting_check(const selecting *self, const al_object *object, const char *what) {
    if (object->context != self->context)
        luaL_error(self->L, "select: '%s' belongs to another context", what);
}

/* Sets the pool: that of pool:select(), that of the field `pool`, or a new one of `texts`. */
static int find_pool(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "texts");
    lua_getfield(L, self->fields, "pool");
    int texts = lua_gettop(L) - 1, pool = lua_gettop(L);
    if (self->pool_index != 0) {
        if (!lua_isnil(L, texts) || !lua_isnil(L, pool))
            return luaL_error(L, "select: the pool has its texts already");
    } else if (!lua_isnil(L, texts)) {
        if (!lua_istable(L, texts))
            return luaL_error(L, "texts: a list of strings expected, got %s",
                              luaL_typename(L, texts));
        int failed = al_pool_make(L, texts, self->fields, self->context, &self->pool);
        self->pool_index = lua_gettop(L);
        return failed;
    } else {
        if (lua_isnil(L, pool)) return luaL_error(L, "select: 'texts' or 'pool' is needed");
        self->pool = al_check(L, pool, &al_pool_kind);
        self->pool_index = pool;
    }
    for (const char *const *field = record_fields; *field; field++) {
        lua_getfield(L, self->fields, *field);
        if (!lua_isnil(L, -1)) return luaL_error(L, "select: '%s' goes with 'texts'", *field);
        lua_pop(L, 1);
    }
    return 0;
}

static int set_role(selecting *self, int32_t role, const al_object *pool, const char *what) {
    al_selecting_check(self, pool, what);
    return AL_CALL(self->L, self->context,
                   alcore_request_set_pool(self->request->request, role, pool->pool));
}

/* The pool or list of texts in a field becomes the pool of a role. */
static int set_role_from_field(selecting *self, const char *field, int32_t role) {
    lua_State *L = self->L;
    if (!al_has(L, self->fields, field)) return 0;
    al_object *found;
    if (lua_istable(L, -1)) {
        int failed = al_pool_make(L, lua_gettop(L), 0, self->context, &found);
        if (failed) return failed;
    } else {
        found = al_check(L, -1, &al_pool_kind);
    }
    return set_role(self, role, found, field);
}

/* The list of rows in a field, or the path of a file of ids, restricts this request; kind is
 * ALCORE_ROWS_*. The library would name a row that is too large by its number from 0, so it is
 * refused here. */
static int set_rows(selecting *self, const char *field, int32_t kind) {
    lua_State *L = self->L;
    int64_t count;
    int failed;
    if (!al_has(L, self->fields, field)) return 0;
    if (lua_type(L, -1) == LUA_TSTRING)
        return AL_CALL(L, self->context,
                       alcore_request_read_rows(self->request->request, kind, lua_tostring(L, -1)));
    int64_t *rows = al_rows(L, -1, self->pool, &count, &failed);
    if (failed) return failed;
    int64_t all = alcore_pool_row_count(self->pool->pool);
    for (int64_t i = 0; i < count; i++)
        if (rows[i] >= all)
            return luaL_error(L, "%s: there is no row %d, the pool has %d", field, (int)rows[i] + 1,
                              (int)all);
    int64_t none = 0; /* an empty list is no NULL, which would mean that there is no list */
    return AL_CALL(
        L, self->context,
        alcore_request_set_rows(self->request->request, kind, count == 0 ? &none : rows, count));
}

/* Excludes the picks of a selection whose pool was derived from texts: sentences of a hybrid one by
 * their rows of the texts, phrases by their texts. rows: workspace [picks]. */
static alcore_status exclude_picks(alcore_ctx *ctx, alcore_request *request,
                                   const alcore_selection *picked, int64_t *rows) {
    alcore_tensor kinds = {0}, first_rows;
    alcore_pool *phrases;
    int64_t sentences = 0;
    const int hybrid =
        alcore_selection_get_column(picked, ALCORE_SCOPE_PICKS, "kind", &kinds) == ALCORE_OK;
    alcore_status status =
        alcore_selection_get_column(picked, ALCORE_SCOPE_PICKS, "first_row", &first_rows);
    if (status == ALCORE_OK) status = alcore_pool_new(ctx, NULL, &phrases);
    if (status != ALCORE_OK) return status;
    for (int64_t k = 0; status == ALCORE_OK && k < alcore_selection_count(picked); k++) {
        size_t length;
        const char *text = alcore_pool_text(alcore_selection_pool(picked),
                                            alcore_selection_rows(picked)[k], &length);
        if (hybrid && ((const int64_t *)kinds.data)[k] == 0)
            rows[sentences++] = ((const int64_t *)first_rows.data)[k];
        else
            status = alcore_pool_add_texts(phrases, &text, &length, 1, NULL);
    }
    if (status == ALCORE_OK)
        status = alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, rows, sentences);
    if (status == ALCORE_OK)
        status = alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, phrases);
    alcore_pool_unref(phrases);
    return status;
}

/* The field `exclude`: rows or ids of the texts, the path of a file of ids, or an earlier
 * selection.
 */
static int set_excluded(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "exclude");
    const al_object *earlier = al_test(L, -1, &al_selection_kind);
    const alcore_pool *picked = earlier ? alcore_selection_pool(earlier->selection) : NULL;
    if (!earlier || picked == self->pool->pool || !alcore_pool_source(picked))
        return set_rows(self, "exclude", ALCORE_ROWS_EXCLUDED);
    int64_t *rows = al_buffer(L, alcore_selection_count(earlier->selection) + 1, sizeof *rows);
    return AL_CALL(
        L, self->context,
        exclude_picks(self->context->ctx, self->request->request, earlier->selection, rows));
}

/* The field `like`: rows or ids of the texts, the path of a file of ids, or an earlier selection,
 * in which a phrase stands for the row where it occurs first. */
static int set_like(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "like");
    const al_object *earlier = al_test(L, -1, &al_selection_kind);
    const alcore_pool *picked = earlier ? alcore_selection_pool(earlier->selection) : NULL;
    alcore_tensor first_rows;
    int64_t none = 0; /* an empty list is no NULL, which would mean that there is no list */
    if (!earlier || picked == self->pool->pool || !alcore_pool_source(picked) ||
        alcore_selection_get_column(earlier->selection, ALCORE_SCOPE_PICKS, "first_row",
                                    &first_rows) != ALCORE_OK)
        return set_rows(self, "like", ALCORE_ROWS_LIKE);
    return AL_CALL(L, self->context,
                   alcore_request_set_rows(self->request->request, ALCORE_ROWS_LIKE,
                                           first_rows.shape[0] ? first_rows.data : &none,
                                           first_rows.shape[0]));
}

/* The field `labeled`: the labeled pool, or rows of the pool itself (a list of indices, or the path
 * of a file of ids), which count as labeled in this call; the pool keeps its states, so that other
 * calls may name other rows. */
static int set_labeled(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "labeled");
    int is_rows = lua_type(L, -1) == LUA_TSTRING;
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 1);
        is_rows = lua_type(L, -1) == LUA_TNUMBER;
        lua_pop(L, 1);
    }
    if (!is_rows) {
        lua_pop(L, 1);
        return set_role_from_field(self, "labeled", ALCORE_ROLE_LABELED);
    }
    return set_rows(self, "labeled", ALCORE_ROWS_LABELED);
}

/* ---- options, parameters and columns ---- */

AL_DEFINE_SETTERS(request, alcore_request_set, alcore_request_set_int, alcore_request_set_number);

static int set_option(selecting *self, const char *name, int value) {
    return al_set_value(self->L, self->context, &al_request_setters, self->request->request, name,
                        value);
}

static int set_parameter(selecting *self, const char *name, int value) {
    if (self->compares)
        return luaL_error(self->L,
                          "compare: '%s' is no option and no column; a parameter goes with its "
                          "strategy",
                          name);
    return al_set_value(self->L, self->context, &al_strategy_setters, self->strategy->strategy,
                        name, value);
}

static int is_option(const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    for (int32_t i = 0; alcore_request_builtin_param(i, &info) == ALCORE_OK; i++)
        if (strcmp(info.name, name) == 0) return 1;
    return 0;
}

static int is_parameter(const selecting *self, const char *name) {
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    al_push_anchor(self->L, self->strategy_index, "name");
    const char *strategy = lua_tostring(self->L, -1);
    int found = 0;
    for (int32_t i = 0;
         strategy && !found && alcore_strategy_builtin_param(strategy, i, &info) == ALCORE_OK; i++)
        found = strcmp(info.name, name) == 0;
    lua_pop(self->L, 1);
    return found;
}

/* Length of the name of the column that a field such as probs_are speaks of; 0: it is none. */
static size_t column_of_meaning(const char *field) {
    const size_t length = strlen(field);
    return length > 4 && strcmp(field + length - 4, "_are") == 0 ? length - 4 : 0;
}

/* The field NAME_are says what the numbers of the column NAME mean, which is given beside it. */
static int check_meaning(selecting *self, const char *field, size_t length) {
    lua_State *L = self->L;
    lua_pushlstring(L, field, length);
    lua_gettable(L, self->fields);
    if (lua_isnil(L, -1))
        luaL_error(L, "select: '%s' says what a column holds that is not given", field);
    lua_pop(L, 1);
    return 0;
}

/* Gives the pool a column, whose meaning another field may tell. */
static int set_column(selecting *self, const char *name, int value) {
    lua_State *L = self->L;
    lua_pushfstring(L, "%s_are", name);
    const int32_t meaning =
        al_field_constant(L, self->fields, lua_tostring(L, -1), al_words_meaning);
    const size_t used = strlen(self->given);
    snprintf(self->given + used, sizeof self->given - used, "%s%s", used ? "," : "", name);
    return al_give_column(L, self->pool, name, value, meaning);
}

/* One field of the caller's table, whose name and value are at two stack indices. */
static int set_field(selecting *self, int key, int value) {
    lua_State *L = self->L;
    if (lua_type(L, key) != LUA_TSTRING)
        return luaL_error(L, "select: fields have names, this one is %s", luaL_typename(L, key));
    const char *name = lua_tostring(L, key);
    if (is_one_of(name, select_fields)) return 0;
    if (self->more_fields && is_one_of(name, self->more_fields)) return 0;
    if (is_option(name)) return set_option(self, name, value);
    if (is_parameter(self, name)) return set_parameter(self, name, value);
    if (lua_istable(L, value) || al_array_is(L, value)) return set_column(self, name, value);
    if (column_of_meaning(name)) return check_meaning(self, name, column_of_meaning(name));
    return set_parameter(self, name, value);
}

/* Calls set for every field of a table; ends with the first failure. */
static int for_each_field(selecting *self, int table,
                          int (*set)(selecting *self, int key, int value)) {
    lua_State *L = self->L;
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        int top = lua_gettop(L);
        int failed = set(self, top - 1, top);
        if (failed) return failed;
        lua_settop(L, top - 1);
    }
    return 0;
}

/* One field of the table `params`. */
static int set_table_parameter(selecting *self, int key, int value) {
    if (lua_type(self->L, key) != LUA_TSTRING)
        return luaL_error(self->L, "params: parameters have names");
    return set_parameter(self, lua_tostring(self->L, key), value);
}

static int find_strategy(selecting *self) {
    lua_State *L = self->L;
    if (!al_has(L, self->fields, "strategy")) lua_pushliteral(L, "recommended");
    int failed = al_strategy_from(L, -1, self->context, &self->strategy);
    if (failed) return failed;
    self->strategy_index = lua_gettop(L);
    al_selecting_check(self, self->strategy, "strategy");
    al_anchor(L, self->request_index, self->strategy_index, "strategy");
    return AL_CALL(L, self->context,
                   alcore_request_set_strategy(self->request->request, self->strategy->strategy));
}

/* The model at a stack index, or a new n-gram model for the word "ngram", which takes its place. A
 * failure of making that is left in *failed. */
static al_object *model_at(selecting *self, int index, int *failed) {
    lua_State *L = self->L;
    *failed = 0;
    if (lua_type(L, index) != LUA_TSTRING || strcmp(lua_tostring(L, index), "ngram") != 0)
        return al_check(L, index, &al_model_kind);
    lua_getfield(L, self->fields, "labeled");
    const al_object *labeled = al_test(L, -1, &al_pool_kind);
    lua_pop(L, 1);
    al_object *made = al_new(L, &al_model_kind, self->context);
    *failed = AL_CALL(L, self->context,
                      alcore_model_new_ngram(self->context->ctx, labeled ? labeled->pool : NULL,
                                             NULL, &made->model));
    lua_replace(L, index);
    return made;
}

/* Sets the model of one column: an entry of a table of models. */
static int set_column_model(selecting *self, int key, int value) {
    lua_State *L = self->L;
    if (lua_type(L, key) != LUA_TSTRING)
        return luaL_error(L, "model: a model, or a table with the names of columns expected");
    const char *column = lua_tostring(L, key);
    int failed;
    al_object *model = model_at(self, value, &failed);
    if (failed) return failed;
    al_selecting_check(self, model, "model");
    lua_pushfstring(L, "model of %s", column);
    al_anchor(L, self->request_index, value, lua_tostring(L, -1));
    return AL_CALL(L, self->context,
                   alcore_request_set_column_model(self->request->request, column, model->model));
}

/* The field model: a model, or a table with a model for each column. */
static int find_model(selecting *self) {
    lua_State *L = self->L;
    if (!al_has(L, self->fields, "model")) return 0;
    strcpy(self->given, "model");
    if (lua_istable(L, -1)) return for_each_field(self, lua_gettop(L), set_column_model);
    int failed;
    al_object *model = model_at(self, lua_gettop(L), &failed);
    if (failed) return failed;
    al_selecting_check(self, model, "model");
    al_anchor(L, self->request_index, -1, "model");
    return AL_CALL(L, self->context,
                   alcore_request_set_model(self->request->request, model->model));
}

/* ---- the call ---- */

/* Pushes a new request. */
static int new_request(selecting *self) {
    self->request = al_new(self->L, &al_request_kind, self->context);
    self->request_index = lua_gettop(self->L);
    return AL_CALL(self->L, self->context,
                   alcore_request_new(self->context->ctx, &self->request->request));
}

int al_selecting_build(selecting *self) {
    lua_State *L = self->L;
    int failed = find_pool(self);
    if (!failed) failed = new_request(self);
    if (!failed) failed = set_role(self, ALCORE_ROLE_CANDIDATES, self->pool, "pool");
    if (!failed) failed = set_labeled(self);
    if (!failed) failed = set_role_from_field(self, "targets", ALCORE_ROLE_TARGET);
    if (!failed) failed = find_strategy(self);
    if (!failed) failed = find_model(self);
    if (!failed) failed = for_each_field(self, self->fields, set_field);
    if (!failed)
        failed = AL_CALL(L, self->context,
                         alcore_request_set(self->request->request, "given", self->given));
    if (failed) return failed;
    if (!al_has(L, self->fields, "params")) return 0;
    luaL_checktype(L, -1, LUA_TTABLE);
    return for_each_field(self, lua_gettop(L), set_table_parameter);
}

int al_selecting_begin(selecting *self) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "progress");
    if (!lua_isnil(L, -1) && !lua_isfunction(L, -1))
        luaL_error(L, "progress: a function expected, got %s", luaL_typename(L, -1));
    al_push_functions(L, self->context);
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

alcore_status al_selecting_end(selecting *self, int functions, alcore_status status) {
    lua_State *L = self->L;
    al_capture(self->context->frame, status);
    lua_pushvalue(L, functions + 1);
    lua_setfield(L, functions, "call_progress");
    return status;
}

int al_selecting_limit(selecting *self) {
    int failed = set_excluded(self);
    if (!failed) failed = set_rows(self, "eligible", ALCORE_ROWS_ELIGIBLE);
    return failed ? failed : set_like(self);
}

al_object *al_selecting_push(selecting *self) {
    al_object *result = al_new(self->L, &al_selection_kind, self->context);
    al_anchor(self->L, lua_gettop(self->L), self->pool_index, "pool");
    return result;
}

/* Runs the request; the one result is the selection. */
static int run(selecting *self) {
    lua_State *L = self->L;
    int failed = al_selecting_limit(self);
    if (failed) return failed;
    al_object *result = al_selecting_push(self);
    int top = lua_gettop(L);
    int functions = al_selecting_begin(self);
    failed = AL_CALL(L, self->context,
                     al_selecting_end(self, functions,
                                      alcore_select(self->request->request, &result->selection)));
    return al_result(L, failed, top);
}

static int select_from(selecting *self) {
    luaL_checkstack(self->L, 4 * AL_STACK, "select");
    luaL_checktype(self->L, self->fields, LUA_TTABLE);
    int failed = al_selecting_build(self);
    return failed ? failed : run(self);
}

/*** Chooses what to label next, in one call.
 * @function alcore.select
 * @tparam table what texts or pool; budget, strategy, model (or a table with a model for each
 * column, {embeddings = model}), labeled, targets, exclude, eligible, like (rows, or the path of a
 * file of ids), progress; options of a request, parameters of the strategy,
 * and columns by their names
 * @return a selection; or nil, message, code */
int l_alcore_select(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    selecting self = {.L = L, .fields = 1, .context = al_selecting_context(L, 1)};
    return select_from(&self);
}

/*** Chooses from a pool.
 * @function pool:select
 * @tparam table what the fields of @{alcore.select} but for the texts
 * @return a selection; or nil, message, code */
int l_pool_select(lua_State *L) {
    al_object *pool = al_check(L, 1, &al_pool_kind);
    lua_settop(L, 2);
    selecting self = {.L = L, .fields = 2, .context = pool->context, .pool = pool, .pool_index = 1};
    return select_from(&self);
}

/*** Indices of the rows that a strategy would see as candidates, ascending.
 * @function pool:candidates
 * @tparam number count
 * @tparam[opt=1] number round
 * @param[opt=0] seed a number, from 2^53 on a string
 * @return a list; or nil, message, code */
int l_pool_candidates(lua_State *L) {
    static const char *const names[] = {"round", "seed"};
    al_object *pool = al_check(L, 1, &al_pool_kind);
    lua_settop(L, 4);
    int64_t count = al_integer(L, 2, "count");
    selecting self = {.L = L, .context = pool->context, .pool = pool, .pool_index = 1};
    int failed = new_request(&self);
    if (!failed) failed = set_role(&self, ALCORE_ROLE_CANDIDATES, pool, "pool");
    for (int i = 0; i < 2 && !failed; i++)
        if (!lua_isnil(L, 3 + i)) failed = set_option(&self, names[i], 3 + i);
    if (failed) return failed;
    alcore_tensor found;
    failed =
        AL_CALL(L, pool->context, alcore_request_candidates(self.request->request, count, &found));
    if (failed) return failed;
    al_push_integers(L, found.data, found.shape[0], 1);
    return 1;
}
