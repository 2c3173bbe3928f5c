/* SPDX-License-Identifier: Apache-2.0 */
/* The column "embeddings" of the n-gram model: float32 [rows, dims] from character n-grams
 * (text/char_embedding.h). Two steps: an embedder learns the weights of the n-grams from the
 * labeled pool or the pool itself; then the vectors are computed, for a small pool at once and kept
 * in memory, for a large one whenever rows of the column are read. The values are the same either
 * way. Cost: one pass over the texts to learn, one for each time the vectors are computed.
 *
 * An embedder has the weight of each n-gram; a learner is one that still counts; char_rows is one
 * thread's memory for making vectors with a learned embedder, with the words that it has seen. */
#include <string.h>

#include "model/ngram_model.h"
#include "pool/column_array.h"
#include "text/char_rows.h"

/* A matrix of at most KEPT_BYTES is kept: strategies that read it many times are faster then. */
enum { KEPT_BYTES = 256 * 1024 * 1024 };
/* Embedders that learn in parallel, each from a part of the rows; 12 MiB each. */
enum { LEARNERS = 4 };
/* Rows of a task, and rows between two tests for cancellation. */
enum { TASK_ROWS = 512 };

/* A learned embedder, owned together by the model and the columns that it made: a column outlives
 * the model. */
typedef struct shared_embedder {
    alcore__object object;
    alcore__char_embedder *embedder;
} shared_embedder;

/* The destructor, called with the last reference; embedder is NULL where learning failed. */
static void shared_release(void *object) {
    alcore__char_embedder_free(((shared_embedder *)object)->embedder);
}

/* ---- learning ---- */

/* What the learning tasks share. */
typedef struct learning {
    alcore_ctx *ctx;
    const alcore_pool *pool;                   /* the caller holds its read lock */
    alcore__char_embedder *learners[LEARNERS]; /* [count], owned by learn() */
    int32_t count;                             /* of learners, and of tasks */
} learning;

/* Task `index` of count: its learner reads its share of the rows, an equal number of adjacent ones.
 * Rows with a state other than ALCORE_ROW_LABELED are left out. */
static alcore_status learn_part(void *data, int64_t index, int32_t worker) {
    learning *self = data;
    (void)worker;
    const uint32_t *states = alcore_pool_states(self->pool);
    int64_t rows = alcore_pool_row_count(self->pool);
    int64_t last = rows * (index + 1) / self->count;
    for (int64_t i = rows * index / self->count; i < last; i++) {
        if (i % TASK_ROWS == 0 && alcore__cancelled(self->ctx))
            return alcore__fail(ALCORE_E_CANCELLED, "cancelled");
        if ((states[i] & ~(uint32_t)ALCORE_ROW_LABELED) != 0) continue;
        size_t length;
        const char *text = alcore_pool_text(self->pool, i, &length);
        alcore__char_embedder_learn(self->learners[index], text, length);
    }
    return ALCORE_OK;
}

/* *out: an embedder that has learned from all rows of the pool, owned by the caller: learners count
 * in parallel and are merged into the first one, so that the result does not depend on the number
 * of threads. The other learners are freed here, also after a failure. */
static alcore_status learn(const alcore__ngram_data *ngram, alcore_ctx *ctx,
                           const alcore_pool *pool, alcore__char_embedder **out) {
    learning self = {.ctx = ctx, .pool = pool};
    int32_t learner_count = alcore_ctx_threads(ctx) < LEARNERS ? alcore_ctx_threads(ctx) : LEARNERS;
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && self.count < learner_count) {
        status =
            alcore__char_embedder_new(ctx, ngram->dims, ngram->seed, &self.learners[self.count]);
        if (status == ALCORE_OK) self.count++;
    }
    if (status == ALCORE_OK)
        status = alcore__parallel(ctx, "n-gram weights", self.count, learn_part, &self);
    if (status == ALCORE_OK) {
        for (int32_t i = 1; i < self.count; i++)
            alcore__char_embedder_merge(self.learners[0], self.learners[i]);
        alcore__char_embedder_finish(self.learners[0]);
        *out = self.learners[0];
        self.learners[0] = NULL;
    }
    for (int32_t i = 0; i < self.count; i++) alcore__char_embedder_free(self.learners[i]);
    return status;
}

/* Makes ngram->embedder valid: learns from the labeled pool, so that candidates and labeled rows
 * share one space, or without it from `pool`; again when these texts or row states have changed.
 * Columns that have the old embedder keep their references to it. After a failure the embedder is
 * NULL, and the next call learns. The model handle is locked for writing. */
static alcore_status prepare(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_pool *pool) {
    const alcore_pool *source = alcore__ngram_source(ngram, pool);
    ALCORE__TRY(alcore__read_begin(source, "pool"));
    uint64_t texts = alcore__ngram_state(source);
    alcore_status status = ALCORE_OK;
    if (!ngram->embedder || ngram->embedder_texts != texts) {
        shared_embedder *shared;
        alcore__object_unref(ngram->embedder);
        ngram->embedder = NULL;
        status = alcore__object_new(ctx, sizeof *shared, shared_release, &shared);
        if (status == ALCORE_OK) {
            status = learn(ngram, ctx, source, &shared->embedder);
            if (status == ALCORE_OK)
                ngram->embedder = shared;
            else
                alcore__object_unref(shared);
        }
        ngram->embedder_texts = texts;
    }
    alcore__read_end(source);
    return status;
}

/* ---- the column ---- */

/* The data of the column. */
typedef struct embeddings {
    shared_embedder *shared; /* a reference */
    const alcore_pool *pool; /* which owns the column, and so outlives it */
    float *matrix; /* [rows, dims], owned; NULL: vectors are computed when rows are read */
} embeddings;

/* Computes the vectors of rows first .. first + count - 1, count at most TASK_ROWS, to out [count,
 * dims]. rows: this thread's own workspace. */
static void embed_rows(const embeddings *self, alcore__char_rows *rows, int64_t first,
                       int64_t count, float *out) {
    const char *texts[TASK_ROWS];
    size_t lengths[TASK_ROWS];
    for (int64_t i = 0; i < count; i++)
        texts[i] = alcore_pool_text(self->pool, first + i, &lengths[i]);
    alcore__char_rows_make(rows, texts, lengths, count, out);
}

/* alcore__scratch.user_free: frees what get_rows() made. */
static void free_rows(alcore_ctx *ctx, void *rows) {
    (void)ctx;
    alcore__char_rows_free(rows);
}

/* *out: the thread's own memory for making rows, made when scratch is used first; it stays with
 * scratch until that is cleared, so that the words of one block are known in the next. A scratch is
 * used with one column only. */
static alcore_status get_rows(const embeddings *self, alcore__scratch *scratch,
                              alcore__char_rows **out) {
    if (!scratch->user) {
        alcore__char_rows *rows;
        ALCORE__TRY(alcore__char_rows_new(self->shared->embedder, &rows));
        scratch->user = rows;
        scratch->user_free = free_rows;
    }
    *out = scratch->user;
    return ALCORE_OK;
}

/* embed_rows() of any number of rows, to out [count, dims]; ends when the call is cancelled. */
static alcore_status embed_block(const alcore__column *column, alcore__char_rows *rows,
                                 int64_t first, int64_t count, float *out) {
    for (int64_t done = 0; done < count; done += TASK_ROWS) {
        if (alcore__cancelled(column->ctx)) return alcore__fail(ALCORE_E_CANCELLED, "cancelled");
        int64_t part = count - done < TASK_ROWS ? count - done : TASK_ROWS;
        embed_rows(column->data, rows, first + done, part, out + done * column->dims);
    }
    return ALCORE_OK;
}

/* alcore__fetch of a block that has rows of the pool which were added after the column was made. */
static alcore_status fetch(const alcore__column *column, int64_t entry, int64_t count,
                           char *destination) {
    const embeddings *self = column->data;
    const int64_t values = count * column->dims;
    if (self->matrix) {
        memcpy(destination, self->matrix + entry * column->dims, (size_t)values * sizeof(float));
        return ALCORE_OK;
    }
    alcore__char_rows *rows;
    ALCORE__TRY(alcore__char_rows_new(self->shared->embedder, &rows));
    const alcore_status status = embed_block(column, rows, entry, count, (float *)destination);
    alcore__char_rows_free(rows);
    return status;
}

/* alcore__column_ops.rows: pool rows first .. first + count - 1 as a view of the matrix, or as
 * vectors computed into scratch->values, float32 [count, dims], which stay until its next use.
 * Masked rows have vectors too, rows that were added later have none. */
static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    const embeddings *self = column->data;
    if (first + count > column->row_count)
        return alcore__gather_rows(column, first, count, fetch, scratch, out);
    *out = (alcore_sys_rows){.first = first,
                             .count = count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = ALCORE_FLOAT32};
    if (self->matrix) {
        out->data = self->matrix + first * column->dims;
        return ALCORE_OK;
    }
    alcore__char_rows *rows;
    ALCORE__TRY(get_rows(self, scratch, &rows));
    size_t bytes = (size_t)count * (size_t)column->dims * sizeof(float);
    if (scratch->values_bytes < bytes) {
        void *grown = alcore__realloc(column->ctx, scratch->values, bytes);
        if (!grown) return alcore__fail_memory(bytes);
        scratch->values = grown;
        scratch->values_bytes = bytes;
    }
    out->data = scratch->values;
    return embed_block(column, rows, first, count, scratch->values);
}

/* alcore__column_ops.release; matrix may be NULL. */
static void release_embeddings(alcore__column *column) {
    embeddings *self = column->data;
    alcore__object_unref(self->shared);
    alcore__free(column->ctx, self->matrix);
    alcore__free(column->ctx, self);
}

static const alcore__column_ops ops = {.rows = read_rows, .release = release_embeddings};

/* Making all rows at once. */
typedef struct filling {
    const alcore__column *column;
    alcore__char_rows **workers; /* [threads] made when a thread begins its first task */
} filling;

/* Task `index` of filling the matrix: TASK_ROWS adjacent rows, or those that are left. */
static alcore_status embed_task(void *data, int64_t index, int32_t worker) {
    const filling *self = data;
    const alcore__column *column = self->column;
    const embeddings *embedded = column->data;
    alcore__char_rows **rows = &self->workers[worker];
    if (!*rows) ALCORE__TRY(alcore__char_rows_new(embedded->shared->embedder, rows));
    int64_t first = index * TASK_ROWS, count = column->row_count - first;
    if (count > TASK_ROWS) count = TASK_ROWS;
    embed_rows(embedded, *rows, first, count, embedded->matrix + first * column->dims);
    return ALCORE_OK;
}

/* Fills the matrix of the column, which is allocated, in tasks of TASK_ROWS rows; workers that ran
 * no task have no memory (NULL). */
static alcore_status embed_all(const alcore__column *column) {
    alcore_ctx *ctx = column->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    filling self = {.column = column};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *self.workers, &self.workers));
    alcore_status status = alcore__parallel(
        ctx, "embeddings", (column->row_count + TASK_ROWS - 1) / TASK_ROWS, embed_task, &self);
    for (int32_t i = 0; i < threads; i++) alcore__char_rows_free(self.workers[i]);
    alcore__free(ctx, self.workers);
    return status;
}

/* Frees a column that make_column() began and no pool owns; NULL does nothing. */
static void column_free(alcore_ctx *ctx, alcore__column *column) {
    if (!column) return;
    if (column->data) release_embeddings(column);
    alcore__free(ctx, column->name);
    alcore__free(ctx, column->origin);
    alcore__free(ctx, column);
}

/* Fills in a zeroed column struct, and the matrix when it is small enough. After a failure
 * column_free() releases what is there. The caller holds the read lock of the pool. */
static alcore_status make_column(const alcore__ngram_data *ngram, alcore_ctx *ctx,
                                 alcore_pool *pool, alcore__column *column) {
    int64_t rows = alcore_pool_row_count(pool);
    column->ops = &ops;
    column->ctx = ctx;
    column->row_count = rows;
    column->dims = ngram->dims;
    column->dtype = ALCORE_FLOAT32;
    column->log_scale = 1;
    column->name = alcore__strndup(ctx, "embeddings", strlen("embeddings"));
    column->origin = alcore__strndup(ctx, "", 0);
    if (!column->name || !column->origin)
        return alcore__fail_memory(16); /* about the bytes of both, for the message */
    embeddings *self;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *self, &self));
    column->data = self;
    self->shared = alcore__object_ref(ngram->embedder);
    self->pool = pool;
    if (rows > KEPT_BYTES / (int64_t)sizeof(float) / ngram->dims) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)(rows * ngram->dims), sizeof(float), &self->matrix));
    return embed_all(column);
}

/* Called by the model for the column "embeddings". The locks of the pool are taken one after the
 * other: for learning, for computing the vectors, and for installing the column. */
alcore_status alcore__ngram_embed(alcore__ngram_data *ngram, alcore_ctx *ctx, alcore_pool *pool) {
    ALCORE__TRY(prepare(ngram, ctx, pool));
    alcore__column *column;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    alcore_status status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = make_column(ngram, ctx, pool, column);
        alcore__read_end(pool);
    }
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = alcore__pool_put_column(pool, column);
        alcore__write_end(pool);
    }
    if (status != ALCORE_OK) column_free(ctx, column);
    return status;
}
