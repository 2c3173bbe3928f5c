/* SPDX-License-Identifier: Apache-2.0 */
/* select{...}, ablate{...} and compare{...}: a table becomes a request of the library.
 *
 * The fields that mean pools, rows, the model and the strategy are listed here. For every other
 * name the library is asked: an option of a request, else a parameter of the strategy, else a
 * column if the value is a list or an array. */
/*** @module alcore */
/*** Selecting.
 * @section selecting */
#include <stdio.h>
#include <string.h>

#include "lua_binding.h"

/* Fields that have a meaning of their own, so that the library is not asked. */
static const char *const select_fields[] = {
    "cost",       "context",   "dedup",   "eligible", "exclude",        "groups", "ids",
    "labeled",    "languages", "like",    "model",    "params",         "pool",   "progress",
    "references", "strategy",  "targets", "texts",    "max_text_bytes", "utf8",   "repeated_ids",
    NULL};
/* Those that ablate{...} has besides. */
static const char *const ablation_fields[] = {"parameter", "test", "values", NULL};
/* Those that compare{...} has besides. */
static const char *const comparison_fields[] = {"strategies", "test", NULL};
/* Those of select_fields that make a pool of `texts`, and are refused beside a pool. */
static const char *const record_fields[] = {"cost",         "dedup", "groups",     "ids",
                                            "languages",    "utf8",  "references", "max_text_bytes",
                                            "repeated_ids", NULL};

/* One call of select. */
typedef struct selecting {
    lua_State *L;
    int fields;                                    /* stack index of the caller's table */
    const char *const *more_fields;                /* than select has; NULL: none */
    al_context *context;                           /* of all objects of the call */
    al_object *pool, *request, *strategy;          /* NULL until they are made or found */
    int pool_index, request_index, strategy_index; /* their stack indices; 0 until then */
    char given[1024]; /* names of the columns among the fields, with commas between them */
} selecting;

static int is_one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0) return 1;
    return 0;
}

/* ---- pools ---- */

/* The context of the field "context", else of the first object among the fields, else the module's;
 * objects of another context are refused where they are used. */
static al_context *context_of_fields(lua_State *L, int fields) {
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

static void check_context(const selecting *self, const al_object *object, const char *what) {
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
    check_context(self, pool, what);
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
    if (self->more_fields == comparison_fields)
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
    check_context(self, self->strategy, "strategy");
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
    check_context(self, model, "model");
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
    check_context(self, model, "model");
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

/* Makes the request from the fields. */
static int build(selecting *self) {
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

/* Sets the progress function of this call in the table of the context's functions. Pushes the
 * table, whose index it returns, and above it the function that was there before: of an outer call,
 * whose function this call keeps when it has none. */
static int begin_progress(selecting *self) {
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

/* Ends the call that begin_progress() began: puts the earlier progress function back, which may run
 * the collector and with it finalizers that clear the error text. */
static alcore_status end_progress(selecting *self, int functions, alcore_status status) {
    lua_State *L = self->L;
    al_capture(self->context->frame, status);
    lua_pushvalue(L, functions + 1);
    lua_setfield(L, functions, "call_progress");
    return status;
}

/* Rows that the call leaves out, rows that it is limited to, and those of another selection. */
static int limit_rows(selecting *self) {
    int failed = set_excluded(self);
    if (!failed) failed = set_rows(self, "eligible", ALCORE_ROWS_ELIGIBLE);
    return failed ? failed : set_like(self);
}

/* Pushes a selection without a handle, which keeps the pool. */
static al_object *push_selection(selecting *self) {
    al_object *result = al_new(self->L, &al_selection_kind, self->context);
    al_anchor(self->L, lua_gettop(self->L), self->pool_index, "pool");
    return result;
}

/* Runs the request; the one result is the selection. */
static int run(selecting *self) {
    lua_State *L = self->L;
    int failed = limit_rows(self);
    if (failed) return failed;
    al_object *result = push_selection(self);
    int top = lua_gettop(L);
    int functions = begin_progress(self);
    failed = AL_CALL(
        L, self->context,
        end_progress(self, functions, alcore_select(self->request->request, &result->selection)));
    return al_result(L, failed, top);
}

static int select_from(selecting *self) {
    luaL_checkstack(self->L, 4 * AL_STACK, "select");
    luaL_checktype(self->L, self->fields, LUA_TTABLE);
    int failed = build(self);
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
    selecting self = {.L = L, .fields = 1, .context = context_of_fields(L, 1)};
    return select_from(&self);
}

/* ---- ablate ---- */

/* Pushes what the field `test` says: an overlap with the texts of a list, or of a file by its path;
 * *out stays NULL without it. */
static int read_test(selecting *self, int32_t max_order, alcore_overlap **out) {
    lua_State *L = self->L;
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    options.max_order = max_order;
    lua_getfield(L, self->fields, "test");
    const int test = lua_gettop(L);
    if (lua_isnil(L, test)) return 0;
    al_object *overlap = al_new(L, &al_overlap_kind, self->context);
    int failed = AL_CALL(L, self->context,
                         alcore_overlap_new(self->context->ctx, &options, &overlap->overlap));
    if (failed) return failed;
    *out = overlap->overlap;
    if (lua_type(L, test) == LUA_TSTRING)
        return AL_CALL(L, self->context,
                       alcore_overlap_read(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE,
                                           lua_tostring(L, test), NULL, NULL));
    size_t *lengths;
    int64_t count;
    const char **texts = al_strings(L, test, "test", 0, &lengths, &count);
    return AL_CALL(
        L, self->context,
        alcore_overlap_add(*out, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, texts, lengths, count));
}

/* Pushes the numbers that it returns, [*count]: the field `values`, else those of Table 7. */
static const double *read_values(selecting *self, int64_t *count) {
    static const double usual[] = {0, 0.1, 0.3, 0.5, 0.7, 0.9, 1};
    lua_getfield(self->L, self->fields, "values");
    *count = sizeof usual / sizeof *usual;
    if (lua_isnil(self->L, -1)) return usual;
    return al_numbers(self->L, lua_gettop(self->L), "values", count);
}

/* Runs the request with each value; the one result is the list of rows, whose selections are made
 * before the call so that none is lost when memory ends. */
static int run_ablation(selecting *self) {
    lua_State *L = self->L;
    alcore_overlap *test = NULL;
    int64_t count;
    int failed = limit_rows(self);
    if (!failed) failed = read_test(self, 1, &test);
    if (failed) return failed;
    lua_getfield(L, self->fields, "parameter");
    const char *parameter = luaL_optstring(L, -1, NULL);
    const double *values = read_values(self, &count);
    alcore_ablation *rows = al_buffer(L, count + 1, sizeof *rows);
    alcore_selection **picked = al_buffer(L, count + 1, sizeof *picked);
    al_object **objects = al_buffer(L, count + 1, sizeof *objects);
    al_push_list(L, count);
    const int list = lua_gettop(L);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (alcore_ablation)ALCORE_ABLATION_INIT;
        objects[i] = push_selection(self);
        lua_rawseti(L, list, (int)i + 1);
    }
    const int functions = begin_progress(self);
    failed = AL_CALL(L, self->context,
                     end_progress(self, functions,
                                  alcore_request_ablate(self->request->request, parameter, values,
                                                        count, test, rows, picked)));
    if (failed) return failed;
    for (int64_t i = 0; i < count; i++) objects[i]->selection = picked[i];
    for (int64_t i = 0; i < count; i++) { /* a row with its selection takes the selection's place */
        al_push_struct(L, al_ablation, &rows[i]);
        lua_rawgeti(L, list, (int)i + 1);
        lua_setfield(L, -2, "selection");
        lua_rawseti(L, list, (int)i + 1);
    }
    return al_result(L, 0, list);
}

/*** What one parameter of the strategy changes: a selection with each of several values, compared.
 * @function alcore.ablate
 * @tparam table what the fields of @{alcore.select}; strategy (one that has the parameter),
 * parameter (default "lambda", of the strategy hybrid "ratio"), values (a list of numbers from 0 to
 * 1; default 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1), test (a list of texts, or the path of a file)
 * @return a list of tables with value, items, phrases (-1 but of a hybrid), words, overlap (percent
 * of the word types of `test` that the picks have; NaN without it), share_of_0 and share_of_1 (of
 * the picks that the values 0 and 1 select too) and selection; or nil, message, code */
int l_alcore_ablate(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkstack(L, 4 * AL_STACK, "ablate");
    selecting self = {
        .L = L, .fields = 1, .more_fields = ablation_fields, .context = context_of_fields(L, 1)};
    const int failed = build(&self);
    return failed ? failed : run_ablation(&self);
}

/* ---- compare ---- */

/* Pushes the strategies of the field `strategies`, a list, and an array of their handles, *out
 * [*count]. */
static int read_strategies(selecting *self, alcore_strategy ***out, int64_t *count) {
    lua_State *L = self->L;
    lua_getfield(L, self->fields, "strategies");
    const int list = lua_gettop(L);
    luaL_checktype(L, list, LUA_TTABLE);
    *count = al_length(L, list);
    luaL_checkstack(L, 4 * AL_STACK + 4 * (int)(*count < 1024 ? *count : 1024), "compare");
    if (*count > ALCORE_COMPARISON_MAX)
        return luaL_error(L, "strategies: %d at most", ALCORE_COMPARISON_MAX);
    *out = al_buffer(L, *count + 1, sizeof **out);
    for (int64_t i = 0; i < *count; i++) {
        al_object *made;
        lua_rawgeti(L, list, (int)i + 1);
        const int failed = al_strategy_from(L, lua_gettop(L), self->context, &made);
        if (failed) return failed;
        check_context(self, made, "strategy");
        (*out)[i] = made->strategy;
    }
    return 0;
}

/* Runs the request with each strategy; the one result is the comparison. */
static int run_comparison(selecting *self) {
    lua_State *L = self->L;
    alcore_overlap *test = NULL;
    alcore_strategy **strategies = NULL;
    int64_t count;
    int failed = limit_rows(self);
    if (!failed) failed = read_test(self, 3, &test);
    if (!failed) failed = read_strategies(self, &strategies, &count);
    if (failed) return failed;
    al_object *result = al_new(L, &al_comparison_kind, self->context);
    const int top = lua_gettop(L);
    al_anchor(L, top, self->pool_index, "pool");
    const int functions = begin_progress(self);
    failed = AL_CALL(L, self->context,
                     end_progress(self, functions,
                                  alcore_request_compare(self->request->request, strategies, NULL,
                                                         count, test, &result->comparison)));
    return al_result(L, failed, top);
}

/*** What several strategies would buy with one budget, before anything is paid. The strategy random
 * is added as the floor where it is not among them.
 * @function alcore.compare
 * @tparam table what the fields of @{alcore.select} but for strategy and the parameters of one;
 * strategies (a list of names and strategies), test (a list of texts, or the path of a file)
 * @return a comparison; or nil, message, code */
int l_alcore_compare(lua_State *L) {
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkstack(L, 4 * AL_STACK, "compare");
    if (al_has(L, 1, "strategy")) return luaL_error(L, "compare: strategies is a list");
    lua_settop(L, 1);
    selecting self = {
        .L = L, .fields = 1, .more_fields = comparison_fields, .context = context_of_fields(L, 1)};
    const int failed = build(&self);
    return failed ? failed : run_comparison(&self);
}

/*** What one of the strategies picked.
 * @function comparison:selection
 * @tparam number index from 1, in the order given; one that was added is the last
 * @return a selection; nil past the last */
int l_comparison_selection(lua_State *L) {
    const al_object *self = al_check(L, 1, &al_comparison_kind);
    const int64_t index = (int64_t)luaL_checknumber(L, 2) - 1;
    lua_settop(L, 2);
    al_object *made = al_new(L, &al_selection_kind, self->context);
    made->selection = alcore_selection_ref(alcore_comparison_selection(self->comparison, index));
    if (!made->selection) return 0;
    al_push_anchor(L, 1, "pool");
    al_anchor(L, 3, -1, "pool");
    lua_settop(L, 3);
    return 1;
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
