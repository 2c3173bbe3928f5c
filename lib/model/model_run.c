/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model for columns of a pool: each gets its origin, and notes of what was cut and of what
 * the model warns of.
 *
 * Most kinds of models make a column by a pass of its own and put it into the pool themselves
 * (alcore__model_table.run). A host's model makes several in one pass (alcore__model_table.fill):
 * the writers of all columns are opened here, each with the rows of its file where there is a
 * cache; the model fills them; then the files are written, and the columns go to the pool one by
 * one. A pass that fails puts no column into the pool, but the files keep what was computed. */
#include <stdio.h>
#include <string.h>

#include "formats/json_text.h"
#include "model/model_engine.h"
#include "model/model_pass.h"

/* What is said of a column beside its origin. */
typedef struct notes {
    alcore__column_cut cut;
    char *warnings; /* as in alcore__column; owned */
} notes;

/* *out: the warnings of the model as a JSON array; NULL: there are none. */
static alcore_status list_warnings(const alcore_model *model, alcore_ctx *ctx, char **out) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore__json_out json = {.ctx = ctx};
    *out = NULL;
    if (model->table->info) model->table->info(model, &info);
    if (info.warning_count == 0) return ALCORE_OK;
    alcore__json_open(&json, NULL, '[');
    for (int64_t i = 0; i < info.warning_count; i++)
        alcore__json_put_string(&json, NULL, info.warnings[i]);
    alcore__json_close(&json, ']');
    *out = json.text.data;
    if (json.status == ALCORE_OK) return ALCORE_OK;
    alcore__buffer_clear(ctx, &json.text);
    *out = NULL;
    return json.status;
}

/* The notes of a column that the model has just made for the wanted rows of a pool, which the
 * caller has not locked. */
static alcore_status make_notes(const alcore_model *model, alcore_pool *pool, const char *column,
                                const alcore__wanted *wanted, notes *out) {
    ALCORE__TRY(list_warnings(model, alcore__pool_ctx(pool), &out->warnings));
    if (!model->table->cut) return ALCORE_OK;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = model->table->cut(model, pool, column, wanted, &out->cut);
    alcore__read_end(pool);
    return status;
}

/* Gives the notes to a column of a pool that is locked for writing; they are empty then. */
static void put_notes(alcore_pool *pool, const char *column, notes *from) {
    alcore__column *made = alcore__pool_change_column(pool, column);
    alcore__free(alcore__pool_ctx(pool), made->warnings);
    made->cut = from->cut;
    made->warnings = from->warnings;
    *from = (notes){0};
}

/* Records what the tokens of a column are that the model has just made, by which the reasons of a
 * selection name words: one per word, or what the model says of them. */
static void note_tokens(const alcore_model *model, alcore_pool *pool, const char *column) {
    alcore__column *made = alcore__pool_change_column(pool, column);
    alcore__column_tokens tokens = {0};
    made->per_word = model->table->is_per_word && model->table->is_per_word(model, column);
    if (model->table->tokens) model->table->tokens(model, column, &tokens);
    alcore__column_set_tokens(made, &tokens);
}

/* Removes a column that the pool has, and whose origin could not be said: it would pass for one
 * that the caller gave. Returns status. */
static alcore_status withdraw(alcore_pool *pool, const char *column, alcore_status status) {
    if (status != ALCORE_OK) (void)alcore_pool_drop_column(pool, column);
    return status;
}

alcore_status alcore__model_set_mixed_origin(const alcore_model *model, alcore_pool *pool,
                                             const char *column, const char *note) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore__buffer origin = {0};
    notes said = {0};
    alcore_status status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = alcore__model_origin(model, pool, column, &origin);
        alcore__read_end(pool);
    }
    if (status == ALCORE_OK) status = alcore__buffer_format(ctx, &origin, "; %s", note);
    if (status == ALCORE_OK) status = make_notes(model, pool, column, NULL /* all rows */, &said);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) {
        alcore__free(ctx, said.warnings);
        alcore__buffer_clear(ctx, &origin);
        return withdraw(pool, column, status);
    }
    alcore__model_log_cut(model, said.cut, column);
    put_notes(pool, column, &said);
    alcore__column_set_origin(pool, column, origin.data, model->table->engine);
    note_tokens(model, pool, column);
    alcore__write_end(pool);
    return ALCORE_OK;
}

/* *out: the wanted rows and those that the column has now, where the model made it with this
 * origin; NULL where that adds none. Two requests that leave out different rows would otherwise
 * replace each other's column again and again. The mask is owned by the caller. */
static alcore_status join_rows(const alcore_model *model, const alcore_pool *pool,
                               const char *column, const char *origin, const alcore__wanted *wanted,
                               uint8_t **out) {
    const alcore__column *found = alcore__pool_find_column(pool, column);
    *out = NULL;
    if (!wanted || !model->named || !found || !found->engine || strcmp(found->origin, origin) != 0)
        return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(model->object.ctx, (size_t)wanted->rows, 1, out));
    for (int64_t row = 0; row < wanted->rows; row++)
        (*out)[row] = wanted->mask[row] || alcore__column_has(found, row);
    return ALCORE_OK;
}

/* ---- one column ---- */

/* A column that is being made. A struct of zeros owns nothing. */
typedef struct making {
    const char *column;
    const alcore__wanted *wanted; /* rows that are asked for, or `joined`; NULL: all */
    alcore__wanted joined;
    uint8_t *mask;         /* of `joined`, owned; NULL: none */
    alcore__buffer origin; /* owned, until the column takes it over */
    notes said;
    alcore__cache cache; /* that of the call, with the use of this column; folder NULL: none */
    bool is_cached;      /* `cached` is used */
    alcore__cached_run cached;
    alcore_column_writer *writer; /* in a pass of several columns; a reference; NULL: none */
} making;

static void making_clear(alcore_ctx *ctx, making *self) {
    if (self->writer) alcore__column_writer_want(self->writer, NULL);
    alcore_column_writer_unref(self->writer);
    if (self->is_cached) alcore__cached_run_clear(&self->cached);
    alcore__free(ctx, self->mask);
    alcore__free(ctx, self->said.warnings);
    alcore__buffer_clear(ctx, &self->origin);
}

/* Makes the origin, first of all: after the column was installed only the lock can fail. */
static alcore_status begin_making(const alcore_model *model, alcore_pool *pool, making *self) {
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, self->column, &self->origin);
    if (status == ALCORE_OK)
        status = join_rows(model, pool, self->column, self->origin.data, self->wanted, &self->mask);
    alcore__read_end(pool);
    if (!self->mask) return status;
    self->joined = (alcore__wanted){.mask = self->mask, .rows = self->wanted->rows};
    self->wanted = &self->joined;
    return status;
}

/* Gives origin and notes to the column, which the pool has now. */
static alcore_status end_making(alcore_model *model, alcore_pool *pool, making *self) {
    alcore_status status = make_notes(model, pool, self->column, self->wanted, &self->said);
    if (status == ALCORE_OK) alcore__model_note_cut(model, self->said.cut, self->column);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) return withdraw(pool, self->column, status);
    put_notes(pool, self->column, &self->said);
    alcore__column_set_origin(pool, self->column, self->origin.data, model->table->engine);
    self->origin = (alcore__buffer){0};
    note_tokens(model, pool, self->column);
    alcore__write_end(pool);
    return ALCORE_OK;
}

/* Makes a column by a pass of its own. */
static alcore_status make_alone(alcore_model *model, alcore_pool *pool, making *self) {
    ALCORE__TRY(begin_making(model, pool, self));
    ALCORE__TRY(self->cache.folder && alcore__model_is_cached(model, self->column)
                    ? alcore__model_run_cached(model, pool, self->column, self->wanted,
                                               self->origin.data, &self->cache)
                    : model->table->run(model, pool, self->column, self->wanted));
    return end_making(model, pool, self);
}

/* ---- several columns in one pass ---- */

alcore_status alcore__pass_keep(const alcore__pass *pass) {
    double writing = 0; /* seconds, of all files */
    for (int32_t i = 0; i < pass->count; i++)
        if (pass->columns[i].cached) writing += pass->columns[i].cached->writing;
    for (int32_t i = 0; i < pass->count; i++) {
        alcore__cached_run *cached = pass->columns[i].cached;
        if (cached && alcore__cached_run_is_due(cached, writing))
            ALCORE__TRY(alcore__cached_run_write(cached));
    }
    return ALCORE_OK;
}

/* Opens the writer of a column, with the rows of its file where there is a cache. */
static alcore_status open_writer(alcore_model *model, alcore_pool *pool, making *self) {
    if (self->cache.folder && alcore__model_is_cached(model, self->column)) {
        self->is_cached = true;
        ALCORE__TRY(alcore__cached_run_init(model, pool, self->column, self->wanted,
                                            self->origin.data, &self->cache, &self->cached));
        self->cached.taken = true;
        self->writer = alcore_column_writer_ref(self->cached.writer);
        return ALCORE_OK;
    }
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.meaning = alcore__model_meaning(model, self->column);
    ALCORE__TRY(alcore_column_writer_new(
        pool, self->column, alcore__model_shape(model, self->column), &options, &self->writer));
    alcore__column_writer_want(self->writer, self->wanted);
    return ALCORE_OK;
}

/* Lists the columns of which rows are missing. */
static void list_columns(making *all, int32_t count, alcore__pass *pass) {
    pass->count = 0;
    for (int32_t i = 0; i < count; i++) {
        making *one = &all[i];
        if (one->is_cached && one->cached.missing_count == 0) continue;
        pass->columns[pass->count++] = (alcore__pass_column){
            .name = one->column,
            .missing = one->is_cached ? &one->cached.missing_rows : one->wanted,
            .writer = one->writer,
            .cached = one->is_cached ? &one->cached : NULL};
    }
}

/* Ends a pass in which the model worked for `seconds`, with or without success: counts what it
 * computed, and after a failure keeps that too and leaves the error text as it was. */
static alcore_status end_filling(const alcore__pass *pass, double seconds, alcore_status status) {
    char text[ALCORE__TEXT_BYTES];
    snprintf(text, sizeof text, "%s", alcore_last_error());
    for (int32_t i = 0; i < pass->count; i++) {
        alcore__cached_run *cached = pass->columns[i].cached;
        if (!cached) continue;
        alcore__cached_run_count(cached, seconds / pass->count);
        if (status != ALCORE_OK) alcore__cached_run_rescue(cached, status);
    }
    return status == ALCORE_OK ? ALCORE_OK : alcore_error_set(status, text, strlen(text));
}

/* Lets the model fill the writers of a pass. */
static alcore_status fill(alcore_model *model, alcore__pass *pass) {
    const double began = alcore__cache_seconds();
    for (int32_t i = 0; i < pass->count; i++)
        if (pass->columns[i].cached) ALCORE__TRY(alcore__cached_run_begin(pass->columns[i].cached));
    const alcore_status status = model->table->fill(model, pass);
    return end_filling(pass, alcore__cache_seconds() - began, status);
}

/* Leaves the files of the columns out; *any: there was one. */
static alcore_status leave_files_out(making *all, int32_t count, bool *any) {
    *any = false;
    for (int32_t i = 0; i < count; i++) {
        if (!all[i].is_cached || !alcore__cached_run_has_file(&all[i].cached)) continue;
        *any = true;
        ALCORE__TRY(alcore__cached_run_leave_out(&all[i].cached));
        alcore_column_writer_unref(all[i].writer);
        all[i].writer = alcore_column_writer_ref(all[i].cached.writer);
    }
    return ALCORE_OK;
}

/* Computes what is missing. Values of another shape than those of the files say that the model is
 * another one than it claims to be: then the files are left out and every wanted row is computed.
 */
static alcore_status compute(alcore_model *model, alcore_pool *pool, making *all, int32_t count) {
    alcore__pass pass = {.pool = pool};
    bool any = false;
    list_columns(all, count, &pass);
    if (pass.count == 0) return ALCORE_OK;
    alcore_status status = fill(model, &pass);
    if (status == ALCORE_E_SHAPE) ALCORE__TRY(leave_files_out(all, count, &any));
    if (any) {
        list_columns(all, count, &pass);
        status = fill(model, &pass);
    }
    if (status != ALCORE_OK) return status;
    for (int32_t i = 0; i < pass.count; i++)
        if (pass.columns[i].cached) ALCORE__TRY(alcore__cached_run_write(pass.columns[i].cached));
    return ALCORE_OK;
}

/* Makes columns of a model that can make several in one pass. */
static alcore_status make_together(alcore_model *model, alcore_pool *pool, making *all,
                                   int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        ALCORE__TRY(begin_making(model, pool, &all[i]));
        ALCORE__TRY(open_writer(model, pool, &all[i]));
    }
    ALCORE__TRY(compute(model, pool, all, count));
    for (int32_t i = 0; i < count; i++) {
        if (all[i].is_cached) alcore__cached_run_log(&all[i].cached);
        ALCORE__TRY(alcore_column_writer_finish(all[i].writer, ALCORE_MISSING_FAIL));
        ALCORE__TRY(end_making(model, pool, &all[i]));
    }
    return ALCORE_OK;
}

/* ---- the call ---- */

/* Makes the columns with the write lock of the model and no lock of the pool: each step locks the
 * pool by itself. */
static alcore_status make_all(alcore_model *model, alcore_pool *pool, making *all, int32_t count) {
    if (model->table->fill) return make_together(model, pool, all, count);
    for (int32_t i = 0; i < count; i++) ALCORE__TRY(make_alone(model, pool, &all[i]));
    return ALCORE_OK;
}

/* Makes up to ALCORE__PASS_COLUMNS columns. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *const *columns,
                         int32_t count, const alcore__wanted *wanted, const alcore__cache *cache) {
    alcore_ctx *ctx = model->object.ctx;
    const alcore__cache own = {.folder = model->cache_folder, .max_age = model->cache_max_age};
    making *all;
    if (!*cache->folder) cache = own.folder ? &own : NULL;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *all, &all));
    for (int32_t i = 0; i < count; i++) {
        all[i] = (making){.column = columns[i], .wanted = wanted};
        if (cache) all[i].cache = *cache;
        if (cache && cache->use) all[i].cache.use = &cache->use[i];
    }
    const alcore_status status = make_all(model, pool, all, count);
    for (int32_t i = 0; i < count; i++) making_clear(ctx, &all[i]);
    alcore__free(ctx, all);
    return status;
}

/* Refuses columns that the model cannot make, and runs it under its write lock, as it may train
 * when it is first run. Called without a lock of the pool. */
alcore_status alcore__model_run(alcore_model *model, alcore_pool *pool, const char *const *columns,
                                int32_t count, const alcore__wanted *wanted,
                                const alcore__cache *cache) {
    char lacks[ALCORE__LACKS_BYTES];
    for (int32_t i = 0; i < count; i++)
        if (!model->table->can(model, columns[i]))
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "model %s cannot make the column '%s'%s; give the column, or a "
                                "model that can make it",
                                model->name, columns[i],
                                alcore__engine_lacks(model, columns[i], lacks));
    ALCORE__TRY(alcore__write_begin(model, "model"));
    alcore_status status = ALCORE_OK;
    model->cut = (alcore__column_cut){0};
    for (int32_t i = 0; i < count && status == ALCORE_OK; i += ALCORE__PASS_COLUMNS) {
        const int32_t left = count - i;
        alcore__cache of_pass = cache ? *cache : (alcore__cache){.folder = ""};
        if (of_pass.use) of_pass.use += i;
        status = run(model, pool, columns + i,
                     left < ALCORE__PASS_COLUMNS ? left : ALCORE__PASS_COLUMNS, wanted, &of_pass);
    }
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_run(alcore_model *model, alcore_pool *pool, const char *column) {
    if (!model || !pool || !column)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_run: model, pool and column are needed");
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
    return alcore__leave(
        model->object.ctx,
        alcore__model_run(model, pool, &column, 1, NULL /* all rows */, NULL /* its own cache */));
}

/* Refuses names that are missing or given twice, and runs the model. */
static alcore_status run_columns(alcore_model *model, alcore_pool *pool, const char *const *columns,
                                 int64_t count) {
    if (count < 1 || count > INT32_MAX)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_run_columns: %lld columns; 1 or more are expected",
                            (long long)count);
    for (int64_t i = 0; i < count; i++) {
        if (!columns[i])
            return alcore__fail(ALCORE_E_INVALID, "alcore_model_run_columns: column %lld is NULL",
                                (long long)i);
        for (int64_t before = 0; before < i; before++)
            if (strcmp(columns[before], columns[i]) == 0)
                return alcore__fail(ALCORE_E_INVALID,
                                    "alcore_model_run_columns: the column '%s' is given twice",
                                    columns[i]);
    }
    return alcore__model_run(model, pool, columns, (int32_t)count, NULL /* all rows */,
                             NULL /* its own cache */);
}

alcore_status alcore_model_run_columns(alcore_model *model, alcore_pool *pool,
                                       const char *const *columns, int64_t count) {
    if (!model || !pool || !columns)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_run_columns: model, pool and columns are needed");
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
    return alcore__leave(model->object.ctx, run_columns(model, pool, columns, count));
}
