/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of every kind of model: making and releasing it, running it on a pool, and the origin
 * of the columns that it makes. An origin is one line that names the model, its state and what it
 * was trained on; a column with the origin that the model would write today is still valid. What a
 * kind of model does differently is in its table (model_internal.h): can, run, describe, release.
 */
#include <math.h>
#include <string.h>

#include "formats/json_text.h"
#include "model/model_internal.h"

/* The destructor of the handle, called when its last reference is released. */
static void release(void *object) {
    alcore_model *model = object;
    if (model->table) model->table->release(model);
    alcore__free(model->object.ctx, model->cache_folder);
    alcore__free(model->object.ctx, model->name);
}

/* Makes a handle that owns data; name is copied, the table is not and must live as long. named: the
 * name identifies the model, so that columns that it made may be used again. The table is set last:
 * release() calls table->release, which frees data, only when it is there. So a failure leaves data
 * to the caller. */
alcore_status alcore__model_new(alcore_ctx *ctx, const alcore__model_table *table, const char *name,
                                bool named, void *data, alcore_model **out) {
    *out = NULL;
    alcore_model *model;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *model, release, &model));
    model->name = alcore__strndup(ctx, name, strlen(name));
    if (!model->name) {
        alcore__object_unref(model);
        return alcore__fail_memory(strlen(name) + 1);
    }
    model->named = named;
    model->data = data;
    model->table = table; /* from here on the handle owns data */
    *out = model;
    return ALCORE_OK;
}

alcore_model *alcore_model_ref(alcore_model *model) {
    return alcore__object_ref(model);
}

void alcore_model_unref(alcore_model *model) {
    alcore__object_unref(model);
}

const char *alcore_model_name(const alcore_model *model) {
    return !model ? NULL : model->name;
}

int32_t alcore_model_can(const alcore_model *model, const char *column) {
    return model && column && model->table->can(model, column);
}

alcore_status alcore__model_origin(const alcore_model *model, const alcore_pool *pool,
                                   const char *column, alcore__buffer *out) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore_status status = alcore__buffer_format(ctx, out, "model %s", model->name);
    if (status == ALCORE_OK && model->table->describe)
        status = model->table->describe(model, pool, column, out);
    if (status != ALCORE_OK) alcore__buffer_clear(ctx, out);
    return status;
}

/* The column exists, as the caller has just made it under its lock. origin is owned by the column
 * from here on, and the one before is freed. */
void alcore__column_set_origin(alcore_pool *pool, const char *column, char *origin,
                               const char *engine) {
    alcore__column *made = alcore__pool_change_column(pool, column);
    alcore__free(alcore__pool_ctx(pool), made->origin);
    made->origin = origin;
    made->engine = engine;
}

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
    if (status == ALCORE_OK && out->cut.texts > 0)
        alcore__log(model->object.ctx, ALCORE_LOG_WARN, "model", NULL,
                    "%s: %lld %s cut to %lld tokens for the column '%s'", model->name,
                    (long long)out->cut.texts, out->cut.texts == 1 ? "text was" : "texts were",
                    (long long)out->cut.tokens, column);
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
    made->per_word = model->table->per_word;
    if (model->table->tokens) model->table->tokens(model, column, &tokens);
    alcore__column_set_tokens(made, &tokens);
}

alcore_status alcore__model_set_mixed_origin(const alcore_model *model, alcore_pool *pool,
                                             const char *column, const char *note) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore__buffer origin = {0};
    notes said = {0};
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, column, &origin);
    alcore__read_end(pool);
    if (status == ALCORE_OK) status = alcore__buffer_format(ctx, &origin, "; %s", note);
    if (status == ALCORE_OK) status = make_notes(model, pool, column, NULL /* all rows */, &said);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) {
        alcore__free(ctx, said.warnings);
        alcore__buffer_clear(ctx, &origin);
        return status;
    }
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

/* Runs the model for the wanted rows and gives the new column its origin and engine. The origin is
 * made first, so that after the column was installed only the lock can fail. Called with the write
 * lock of the model and no lock of the pool: each step locks the pool by itself. */
static alcore_status run_and_set_origin(alcore_model *model, alcore_pool *pool, const char *column,
                                        const alcore__wanted *wanted, const alcore__cache *cache) {
    alcore__buffer origin = {0};
    uint8_t *mask = NULL;
    notes said = {0};
    const alcore__cache own = {.folder = model->cache_folder, .max_age = model->cache_max_age};
    if (!cache || !*cache->folder) cache = own.folder ? &own : NULL;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, column, &origin);
    if (status == ALCORE_OK) status = join_rows(model, pool, column, origin.data, wanted, &mask);
    alcore__read_end(pool);
    const alcore__wanted joined = {.mask = mask, .rows = wanted ? wanted->rows : 0};
    if (mask) wanted = &joined;
    if (status == ALCORE_OK)
        status = cache && alcore__model_is_cached(model, column)
                     ? alcore__model_run_cached(model, pool, column, wanted, origin.data, cache)
                     : model->table->run(model, pool, column, wanted);
    if (status == ALCORE_OK) status = make_notes(model, pool, column, wanted, &said);
    alcore__free(model->object.ctx, mask);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) {
        alcore__free(alcore__pool_ctx(pool), said.warnings);
        alcore__buffer_clear(alcore__pool_ctx(pool), &origin);
        return status;
    }
    put_notes(pool, column, &said);
    alcore__column_set_origin(pool, column, origin.data, model->table->engine);
    note_tokens(model, pool, column);
    alcore__write_end(pool);
    return ALCORE_OK;
}

/* Refuses columns that the model cannot make, and runs it under its write lock. Called by
 * alcore_model_run() and by alcore__model_supply(), without a lock of the pool. */
alcore_status alcore__model_run(alcore_model *model, alcore_pool *pool, const char *column,
                                const alcore__wanted *wanted, const alcore__cache *cache) {
    if (!model->table->can(model, column))
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "model %s cannot make the column '%s'; give the column, or a model that "
            "can make it",
            model->name, column);
    /* A write lock, because a model may train when it is first run. */
    ALCORE__TRY(alcore__write_begin(model, "model"));
    alcore_status status = run_and_set_origin(model, pool, column, wanted, cache);
    alcore__write_end(model);
    return status;
}

/* Replaces the folder, of which the model keeps a copy. The copy is made first, so that a failure
 * leaves the old one. */
static alcore_status set_cache(alcore_model *model, const char *folder, double max_age) {
    alcore_ctx *ctx = model->object.ctx;
    char *copy = NULL;
    if (!(max_age >= 0))
        return alcore__fail(ALCORE_E_PARAM,
                            "max_age is %g; expected seconds, 0 or more, or INFINITY", max_age);
    if (folder && *folder) {
        copy = alcore__strndup(ctx, folder, strlen(folder));
        if (!copy) return alcore__fail_memory(strlen(folder) + 1);
    }
    alcore__free(ctx, model->cache_folder);
    model->cache_folder = copy;
    model->cache_max_age = isinf(max_age) ? (double)NAN : max_age;
    return ALCORE_OK;
}

alcore_status alcore_model_set_cache(alcore_model *model, const char *folder, double max_age) {
    if (!model) return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_cache: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    alcore_status status = alcore__write_begin(model, "model");
    if (status == ALCORE_OK) {
        status = set_cache(model, folder, max_age);
        alcore__write_end(model);
    }
    return alcore__leave(model->object.ctx, status);
}

alcore_status alcore_model_run(alcore_model *model, alcore_pool *pool, const char *column) {
    if (!model || !pool || !column)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_run: model, pool and column are needed");
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
    return alcore__leave(
        model->object.ctx,
        alcore__model_run(model, pool, column, NULL /* all rows */, NULL /* its own cache */));
}

/* *out: whether the column can be used as it is. Three tests: a column without an engine was given
 * and is used as it is; a computed one must have the origin that the model would write now (model
 * NULL: nobody could make it again, any origin is good; a model without a name of its own cannot be
 * told from others, so its columns are made anew); and no wanted row that needs a value may lack
 * it, because the states of rows can have changed since. The caller holds a lock of the pool. */
alcore_status alcore__model_column_stands(const alcore_model *model, const alcore_pool *pool,
                                          const char *column, const alcore__wanted *wanted,
                                          bool *out) {
    *out = false;
    const alcore__column *found = alcore__pool_find_column(pool, column);
    if (!found) return ALCORE_OK;
    if (!found->engine) {
        *out = true;
        return ALCORE_OK;
    }
    if (model) {
        if (!model->named) return ALCORE_OK;
        alcore__buffer origin = {0};
        alcore_status status = alcore__model_origin(model, pool, column, &origin);
        bool same = status == ALCORE_OK && strcmp(origin.data, found->origin) == 0;
        alcore__buffer_clear(alcore__pool_ctx(pool), &origin);
        if (!same) return status;
    }
    const uint32_t *states = alcore_pool_states(pool);
    int64_t rows = alcore_pool_row_count(pool);
    for (int64_t i = 0; i < rows; i++)
        if (alcore__model_wants(wanted, i, states[i], column) && !alcore__column_has(found, i))
            return ALCORE_OK;
    *out = true;
    return ALCORE_OK;
}
