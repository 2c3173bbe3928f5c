/* SPDX-License-Identifier: Apache-2.0 */
/* A model: one handle over a table of functions (docs/architecture.md). */
#ifndef ALCORE__MODEL_INTERNAL_H
#define ALCORE__MODEL_INTERNAL_H

#include <string.h>

#include "alcore/model.h"
#include "alcore/sys/model.h"
#include "base/base.h"
#include "pool/column.h"
#include "pool/pool_internal.h"

/* What one kind of model can do. data is alcore_model.data. */
typedef struct alcore__model_table {
    const char *engine; /* what runs it: "cpu", or "host" for the caller's functions */
    bool per_word;      /* its token log-probabilities are one per word and one for the end */
    bool (*can)(const alcore_model *model, const char *column);
    /* Puts the column into the pool. Called for columns that can() confirms, holding nothing. */
    alcore_status (*run)(alcore_model *model, alcore_pool *pool, const char *column);
    /* Says in one line what the column was made from, for provenance and for telling a stale column
     * from a fresh one. Called holding the pool for reading. */
    alcore_status (*describe)(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out);
    void (*release)(alcore_model *model);
} alcore__model_table;

struct alcore_model {
    alcore__object object;
    const alcore__model_table *table;
    char *name;
    bool named; /* the name tells the model's state: columns it made may be used again */
    void *data;
};

/* Makes a handle; on failure data is not released. name is copied. */
alcore_status alcore__model_new(alcore_ctx *ctx, const alcore__model_table *table, const char *name,
                                bool named, void *data, alcore_model **out);
/* Whether a model computes the column for a row: unmasked rows, and for embeddings the labeled
 * ones too, which strategies keep away from. */
static inline bool alcore__model_wants(uint32_t state, const char *column) {
    return state == 0 || (state == ALCORE_ROW_LABELED && strcmp(column, "embeddings") == 0);
}
/* Runs the model and signs the column with its origin. As alcore_model_run(), without enter and
 * leave. */
alcore_status alcore__model_run(alcore_model *model, alcore_pool *pool, const char *column);
/* Whether the pool's column may stand: given by the caller, or made by this model in its present
 * state. For calls that hold the pool. *out is false when the pool has no such column, or lacks
 * values for unmasked rows of a computed one. */
alcore_status alcore__model_column_stands(const alcore_model *model, const alcore_pool *pool,
                                          const char *column, bool *out);

/* Room for a batch of rows on their way to a model, and the batch. */
typedef struct alcore__model_batch {
    int64_t capacity;       /* rows that fit */
    int64_t count;          /* rows in it */
    int64_t *rows;          /* [count] row numbers */
    const char **texts;     /* [count] views into the pool, NUL-terminated */
    size_t *lengths;        /* [count] bytes */
    const char **languages; /* [count] tags, views into the pool */
} alcore__model_batch;
/* Allocates the arrays; after a failure alcore__model_batch_clear() is still to be called. */
alcore_status alcore__model_batch_room(alcore_ctx *ctx, int64_t capacity,
                                       alcore__model_batch *batch);
/* Fills the batch with the next rows from *row on that a model computes the column for, and moves
 * *row behind them. For calls that hold the pool. */
void alcore__model_batch_fill(const alcore_pool *pool, const char *column, int64_t *row,
                              alcore__model_batch *batch);
void alcore__model_batch_clear(alcore_ctx *ctx, alcore__model_batch *batch);

/* Bytes of an engine's name, as in libalcore-ENGINE.so, with its end. */
enum { ALCORE__ENGINE_BYTES = 24 };
/* Loads the engine for the libtorch of this process, or for the one that is found, and writes its
 * name. ALCORE_E_MODULE says what was looked for and what was there. */
alcore_status alcore__torch_engine(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]);
/* Opens a folder that holds config.json with the engine that runs such models. */
alcore_status alcore__model_open_with_engine(alcore_ctx *ctx, const char *path,
                                             const alcore_model_options *options,
                                             alcore_model **out);
/* The same with a named engine, as in libalcore-ENGINE.so. options: NULL for defaults. */
alcore_status alcore__model_open_engine(alcore_ctx *ctx, const char *engine, const char *path,
                                        const alcore_sys_model_options *options,
                                        alcore_model **out);

/* Bytes of a column's name in a need, with its end. */
enum { ALCORE__NEED_BYTES = 32 };
/* Answers of alcore__model_supply() beside the number of a model. */
enum { ALCORE__SUPPLY_GIVEN = -1, ALCORE__SUPPLY_NONE = -2 };
/* Settles a need ("scores|logprobs": any of them) on a column of the pool and writes its name: one
 * that stands already, else one made by the first of the models that can. Holds nothing. */
alcore_status alcore__model_supply(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const char *need, char name[ALCORE__NEED_BYTES],
                                   int32_t *out_from);
/* Says who made a column of the pool; takes over origin. engine: of the model that did, valid for
 * ever; NULL: no model. For calls that hold the pool for writing. */
void alcore__column_sign(alcore_pool *pool, const char *column, char *origin, const char *engine);

#endif
