/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of every kind of model: making and releasing it, and the origin of the columns that it
 * makes (model_run.c). An origin is one line that names the model, its state and what it
 * was trained on; a column with the origin that the model would write today is still valid. What a
 * kind of model does differently is in its table (model_internal.h): can, run, describe, release.
 */
#include <math.h>
#include <string.h>

#include "model/model_internal.h"
#include "pool/column_names.h"

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

int32_t alcore__model_shape(const alcore_model *model, const char *column) {
    const alcore__column_name *known = alcore__column_name_find(column);
    if (model->table->shape) return model->table->shape(model, column);
    return known ? known->shape : ALCORE__COLUMN_ANY_SHAPE;
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
