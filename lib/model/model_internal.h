/* SPDX-License-Identifier: Apache-2.0 */
/* A model: a handle over a table of functions, one table for each kind of model (ready files, host
 * callbacks, n-gram model, language model, engine in a module), and what these kinds share: batches
 * of rows, choosing the model for a column, and engines (docs/architecture.md). */
#ifndef ALCORE__MODEL_INTERNAL_H
#define ALCORE__MODEL_INTERNAL_H

#include <string.h>

#include "alcore/model.h"
#include "alcore/sys/model.h"
#include "base/base.h"
#include "pool/column.h"
#include "pool/dataset.h"
#include "pool/pool_internal.h"

/* How outputs of a translation model are searched for: the members of alcore_translate_options,
 * checked; 0: what the folder says. */
typedef struct alcore__translating {
    int64_t max_tokens;
    double length_penalty, temperature; /* ALCORE_UNSET: what the folder says */
    uint64_t seed;
    int32_t beams;
    int32_t best; /* outputs of each text, from 1 */
    int32_t sample;
    const char *language; /* NULL: that of the model */
} alcore__translating;

/* Columns that a model makes in one pass (model_pass.h). */
typedef struct alcore__pass alcore__pass;

/* The functions of one kind of model. They read their state from alcore_model.data. Called with the
 * write lock of the model and no lock of a pool, each pool being locked within: run, translate,
 * score and save; info with the model's read lock. */
typedef struct alcore__model_table {
    const char *engine; /* what runs it: "cpu", or "host" for the caller's functions */
    /* Whether the model can make the column. */
    bool (*can)(const alcore_model *model, const char *column);
    /* Makes the column and puts it into the pool, with values at least for the rows that
     * alcore__model_wants() names; wanted may be NULL. Called for columns that can() confirms. */
    alcore_status (*run)(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted);
    /* In place of run, for models that make several columns in one pass: fills the writers of the
     * columns for the rows that they lack (model_pass.h). */
    alcore_status (*fill)(alcore_model *model, alcore__pass *pass);
    /* Whether a cache keeps the column (model_cache.c): it costs more to compute than to read, and
     * its origin names all that its values depend on, in other processes too. NULL: no column. */
    bool (*cacheable)(const alcore_model *model, const char *column);
    /* Appends to *out, in one line, what the column is made from: for provenance, and to tell a
     * stale column from a valid one. NULL: the name says all. Called with the read lock of the
     * pool. */
    alcore_status (*describe)(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out);
    /* Fills what alcore_model_get_info() tells; *out holds zeros and its size. NULL: nothing more
     * than zeros is known of such models. */
    void (*info)(const alcore_model *model, alcore_model_info *out);
    /* Adds a row to the empty pool `out` for each row of the pool, and the column "logprobs" of
     * their tokens; the calls of alcore_model_translate(). NULL: such models do not translate. */
    alcore_status (*translate)(alcore_model *model, alcore_pool *pool,
                               const alcore__translating *how, alcore_pool *out);
    /* Makes the column "logprobs" of the references of a pool; the call of alcore_model_score().
     * NULL: such models score no pairs. */
    alcore_status (*score)(alcore_model *model, alcore_pool *pool);
    /* The call of alcore_model_set_language(). NULL: such models have no outputs in a language. */
    alcore_status (*set_language)(alcore_model *model, const char *language);
    /* The call of alcore_model_set_dropout(), whose `on` is 0 or 1. NULL: such models have none. */
    alcore_status (*set_dropout)(alcore_model *model, int32_t on, uint64_t seed);
    /* The call of alcore_model_set_verbalizer() with 0 labels or more. NULL: such models have none.
     */
    alcore_status (*set_verbalizer)(alcore_model *model, const char *const *labels, int64_t count);
    /* The call of alcore_model_set_chat(). NULL: such models have none. */
    alcore_status (*set_chat)(alcore_model *model, bool on, const char *system);
    /* The call of alcore_model_save(). NULL: such models are not saved. */
    alcore_status (*save)(alcore_model *model, const char *path);
    /* Fills *out, zeros before, with what the tokens of a column are that the model has made, in
     * views of the model. NULL: they are words, or not known. */
    void (*tokens)(const alcore_model *model, const char *column, alcore__column_tokens *out);
    /* *out: how many texts of a column the model cuts, and where. Called with the read lock of the
     * pool. NULL: such models cut none. */
    alcore_status (*cut)(const alcore_model *model, const alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted, alcore__column_cut *out);
    /* The shape of a column that such a model makes, ALCORE_COLUMN_*. NULL: the usual one of the
     * name. */
    int32_t (*shape)(const alcore_model *model, const char *column);
    /* What the numbers of a column that such a model makes mean, ALCORE_MEANS_*. NULL: what the
     * name says. */
    int32_t (*meaning)(const alcore_model *model, const char *column);
    /* Whether the column has a value for each word and one for the end of the text. NULL: none. */
    bool (*is_per_word)(const alcore_model *model, const char *column);
    void (*release)(alcore_model *model); /* frees data */
} alcore__model_table;

/* What the runs with a cache computed, added up. */
typedef struct alcore__cache_use {
    int64_t computed; /* rows that were wanted and not there */
    double seconds;   /* that the model took for them */
    bool lost;        /* what was computed could not be kept: a full disk, no permission */
} alcore__cache_use;

/* A run of a model with a cache, while it is under way (model_cache.c). */
typedef struct alcore__cached_run alcore__cached_run;

/* Where computed columns are kept. */
typedef struct alcore__cache {
    const char *folder; /* borrowed; "": none */
    double max_age;     /* seconds after which what was computed is computed again; NaN: never */
    alcore__cache_use *use; /* added to by each run, borrowed, one for each of its columns; NULL:
                             * not counted */
} alcore__cache;

struct alcore_model {
    alcore__object object;
    const alcore__model_table *table;
    char *name;         /* in messages and in the origins of columns, owned */
    bool named;         /* the name identifies the model: columns that it made may be used again */
    void *data;         /* state of this kind of model, owned; released by table->release */
    char *cache_folder; /* of alcore_model_set_cache(), owned; NULL: none */
    double cache_max_age;           /* as alcore__cache.max_age */
    alcore__cached_run *cached_run; /* that is under way; NULL: none */
    alcore__column_cut
        cut; /* of the last run, scores or translation; of several columns the most */
};

/* Logs what was cut for a column, or for outputs (column NULL); the second one keeps it as what was
 * cut in a call, too. */
void alcore__model_log_cut(const alcore_model *model, alcore__column_cut cut, const char *column);
void alcore__model_note_cut(alcore_model *model, alcore__column_cut cut, const char *column);
/* Makes a handle, which owns data from then on; on failure data is still the caller's. name is
 * copied. */
alcore_status alcore__model_new(alcore_ctx *ctx, const alcore__model_table *table, const char *name,
                                bool named, void *data, alcore_model **out);
/* Appends to the empty *out the origin that a column made now would have: "model NAME" and what
 * describe() of the kind of model adds; it is empty again after a failure. The caller holds the
 * read lock of the pool and frees *out. */
alcore_status alcore__model_origin(const alcore_model *model, const alcore_pool *pool,
                                   const char *column, alcore__buffer *out);
/* Whether a model computes the column for a row, whose ALCORE_ROW_* bits are `state`. It does for
 * unmasked rows that are wanted; embeddings are computed for wanted labeled rows too, because
 * strategies measure distances to them. */
static inline bool alcore__model_wants(const alcore__wanted *wanted, int64_t row, uint32_t state,
                                       const char *column) {
    return (state == 0 || (state == ALCORE_ROW_LABELED && strcmp(column, "embeddings") == 0)) &&
           alcore__is_wanted(wanted, row);
}
/* What the numbers of a column mean that the model makes. */
static inline int32_t alcore__model_meaning(const alcore_model *model, const char *column) {
    return model->table->meaning ? model->table->meaning(model, column) : 0;
}
/* The shape of a column that the model makes, ALCORE_COLUMN_* or ALCORE__COLUMN_ANY_SHAPE. */
int32_t alcore__model_shape(const alcore_model *model, const char *column);
/* Runs the model and gives the columns [count], all of different names, their origins (model_run.c)
 * and, where the model can, in one pass. As alcore_model_run(), without enter and leave, and for
 * the wanted rows only (NULL: all). cache: of the caller; NULL or without a folder: the model's
 * own, if it has one. Columns that were made before one fails stay in the pool. */
alcore_status alcore__model_run(alcore_model *model, alcore_pool *pool, const char *const *columns,
                                int32_t count, const alcore__wanted *wanted,
                                const alcore__cache *cache);
/* Whether the values of the column are kept in a cache; and the part of alcore__model_run() that
 * makes the column with one (model_cache.c). origin: that of the column. */
bool alcore__model_is_cached(const alcore_model *model, const char *column);
alcore_status alcore__model_run_cached(alcore_model *model, alcore_pool *pool, const char *column,
                                       const alcore__wanted *wanted, const char *origin,
                                       const alcore__cache *cache);
/* Puts the rows of a file of the cache that the writer lacks into it. *out: whether the file was
 * read; one that is missing counts as empty, and one that is damaged or does not fit likewise, with
 * a warning. */
alcore_status alcore__cache_merge(alcore_column_writer *writer, const char *path, bool *out);
/* Writes the rows of the writer to a file of the cache, also in a call that was cancelled. A full
 * disk is logged, as an error, and noted in use (NULL: it is not); it fails nothing. */
alcore_status alcore__cache_save(alcore_column_writer *writer, const char *path,
                                 alcore__cache_use *use);
/* The writer into which a kind of model puts what it computes: with a cache that of the run, which
 * has the rows of the file, so that batches can be kept as they come; else a new one. It asks for
 * the wanted rows. */
alcore_status alcore__model_writer_open(alcore_model *model, alcore_pool *pool, const char *column,
                                        int32_t shape, const alcore__wanted *wanted,
                                        alcore_column_writer **out);
/* Called after each batch: lets the cache keep what was put, when it is time. */
alcore_status alcore__model_writer_keep(alcore_model *model);
/* With ALCORE_OK keeps all and puts the column into the pool; releases the writer. Returns status,
 * or the failure. */
alcore_status alcore__model_writer_close(alcore_model *model, alcore_column_writer *writer,
                                         alcore_status status);

/* ---- values of earlier rounds (model_rounds.c) ---- */

/* Which files of a cache belong to one loop of rounds, and which of them a round reads. */
typedef struct alcore__rounds {
    const char *folder;   /* of the cache, borrowed */
    const char *strategy; /* its name, borrowed */
    uint64_t seed;        /* of the request */
    int64_t round;        /* the present one, from 1 */
    int64_t max_age;      /* how many rounds before the present one are read, 1 or more */
    int64_t first_row; /* of the pool, among those of all shards; 0: it is no shard, or the first */
} alcore__rounds;
/* Puts the values that the last max_age rounds kept of a column of the pool into the writer, which
 * is of that pool and column; rows that it has keep their values, and a younger round goes before
 * an older one. Called without a lock of the pool, as the next function is. */
alcore_status alcore__rounds_merge(const alcore__rounds *rounds, const alcore_pool *pool,
                                   const char *column, alcore_column_writer *writer);
/* Keeps the values of the writer as those of the present round. */
alcore_status alcore__rounds_save(const alcore__rounds *rounds, const alcore_pool *pool,
                                  const char *column, alcore_column_writer *writer,
                                  alcore__cache_use *use);

/* *out: whether the column of the pool can be used as it is: it was given by the caller, or this
 * model made it in its present state (model NULL: any model) and it has values for all wanted rows
 * that need one. The caller holds a lock of the pool. */
alcore_status alcore__model_column_stands(const alcore_model *model, const alcore_pool *pool,
                                          const char *column, const alcore__wanted *wanted,
                                          bool *out);

/* A batch of rows on their way to a model; the arrays are owned, what they point to is not. */
typedef struct alcore__model_batch {
    int64_t capacity;       /* entries of the arrays */
    int64_t count;          /* rows in the batch */
    int64_t *rows;          /* [count] pool rows, ascending */
    const char **texts;     /* [count] views into the pool, NUL-terminated */
    size_t *lengths;        /* [count] bytes */
    const char **languages; /* [count] tags, views into the pool */
} alcore__model_batch;
/* Allocates the arrays; alcore__model_batch_clear() must be called even after a failure. */
alcore_status alcore__model_batch_init(alcore_ctx *ctx, int64_t capacity,
                                       alcore__model_batch *batch);
/* Fills the batch with the next rows from *row on that a model computes the column for, and moves
 * *row behind them. The views are valid while the caller holds the lock of the pool. */
void alcore__model_batch_fill(const alcore_pool *pool, const char *column,
                              const alcore__wanted *wanted, int64_t *row,
                              alcore__model_batch *batch);
void alcore__model_batch_clear(alcore_ctx *ctx, alcore__model_batch *batch);

/* Capacity for the name of an engine, as in libalcore-ENGINE.so, NUL included. */
enum { ALCORE__ENGINE_BYTES = 24 };
/* Loads the engine for the libtorch of this process, or for the one that is found
 * (torch_library.c), and writes its name. ALCORE_E_MODULE: none loads; the text says what was
 * tried. */
alcore_status alcore__torch_engine(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]);
/* Opens a folder with the engine that runs such models. place: the folder that holds config.json
 * and weights, that one or one in it. */
alcore_status alcore__model_open_with_engine(alcore_ctx *ctx, const char *path, const char *place,
                                             const alcore_model_options *options,
                                             alcore_model **out);
/* Opens the folder of a static model; *found: whether it is one, else nothing was opened. */
alcore_status alcore__model_open_static(alcore_ctx *ctx, const char *path,
                                        const alcore_model_options *options, bool *found,
                                        alcore_model **out);
/* alcore_sys_model_options.kernels: user is the context; *out is NULL for kinds of devices that the
 * library has no kernels for. */
alcore_status alcore__model_kernels(void *user, int32_t device_type,
                                    const struct alcore_sys_kernels **out);

/* Results of alcore__model_supply() other than the index of a model: the pool has the column
 * already; no model can make it. */
enum { ALCORE__SUPPLY_GIVEN = -1, ALCORE__SUPPLY_NONE = -2 };
/* Provides columns for needs [need_count, at most ALCORE__DATASET_COLUMNS], such as
 * "scores|logprobs" (any of them suffices), and writes their names: ones that the pool has and can
 * be used, else ones that the first of the models that can make any makes now, for the wanted rows
 * (NULL: all); those of one model in one pass, where it can. out_from [need_count]: the index of
 * that model, or ALCORE__SUPPLY_*; with ALCORE__SUPPLY_NONE the entries behind it are not written
 * and no model is run. Called with no lock of the pool held. */
alcore_status alcore__model_supply(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const alcore__wanted *wanted, const char *const *needs,
                                   int32_t need_count, char (*names)[ALCORE__NEED_BYTES],
                                   int32_t *out_from);
/* A column that was chosen for a need. */
typedef struct alcore__chosen {
    const char *name;
    alcore_model *maker;   /* that makes it now, borrowed; NULL: none, the pool has it */
    alcore__cache_use use; /* out: of the cache; not written where it was not made, so that the
                              caller begins it with zeros */
} alcore__chosen;
/* Runs the makers of chosen columns [count, at most ALCORE__DATASET_COLUMNS]; entries may name the
 * same column twice. cache: as in alcore__model_run(), but its `use` is not read. Called with no
 * lock of the pool held, as a model that makes a column locks it. */
alcore_status alcore__model_run_chosen(alcore__chosen *all, int32_t count, alcore_pool *pool,
                                       const alcore__wanted *wanted, const alcore__cache *cache);
/* Chooses as alcore__model_supply() does for one need, and runs no model. Locks the pool for
 * reading meanwhile. */
alcore_status alcore__model_choose(alcore_model *const *models, int32_t count, alcore_pool *pool,
                                   const alcore__wanted *wanted, const char *need,
                                   char name[ALCORE__NEED_BYTES], int32_t *out_from);
/* Adds to the error that nothing meets a need what would: the first of the inputs (column_names.h)
 * that the need has, to be given. */
alcore_status alcore__fail_without(alcore_status status, const char *need);
/* Gives a column of the pool, of which `model` made some rows, the origin of the model with `note`
 * behind it, so that no later call takes it for a column of the model. Called with no lock of the
 * pool held. */
alcore_status alcore__model_set_mixed_origin(const alcore_model *model, alcore_pool *pool,
                                             const char *column, const char *note);
/* Sets origin, which the column then owns, and engine of a column of the pool. engine: name of what
 * ran the model, a string that is never freed; NULL: no model made it. The caller holds the write
 * lock of the pool. */
void alcore__column_set_origin(alcore_pool *pool, const char *column, char *origin,
                               const char *engine);

#endif
