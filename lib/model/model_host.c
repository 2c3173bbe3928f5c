/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose functions are callbacks of the host program (alcore_model_host): each column has
 * one function, which gets batches of rows in row order and puts values into a column writer. */
#include <inttypes.h>
#include <string.h>

#include "model/model_internal.h"

/* Rows of a batch when the host names no number. */
enum { DEFAULT_BATCH = 256 };

/* Which function of the host makes a column. */
static const struct {
    const char *column;
    size_t function; /* offset of the pointer in alcore_model_host */
    int32_t shape;   /* ALCORE_COLUMN_* of the column */
} entries[] = {
    {"embeddings", offsetof(alcore_model_host, embed), ALCORE_COLUMN_DENSE},
    {"logprobs", offsetof(alcore_model_host, token_logprobs), ALCORE_COLUMN_RAGGED},
    {"probs", offsetof(alcore_model_host, class_probs), ALCORE_COLUMN_DENSE},
    {"token_probs", offsetof(alcore_model_host, token_probs), ALCORE_COLUMN_RAGGED_DENSE},
};

/* The function of the host that makes a column, and the shape of the column, ALCORE_COLUMN_*. NULL
 * when the host lacks it or no function makes such a column; *out_shape may then be unset. */
static alcore_model_function find_function(const alcore_model_host *host, const char *column,
                                           int32_t *out_shape) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].column, column) != 0) continue;
        alcore_model_function function;
        memcpy(&function, (const char *)host + entries[i].function, sizeof function);
        *out_shape = entries[i].shape;
        return function;
    }
    return NULL;
}

/* alcore__model_table.can. */
static bool can(const alcore_model *model, const char *column) {
    int32_t shape;
    return find_function(model->data, column, &shape);
}

/* Calls the function for all rows of the pool that need a value, batch by batch; buffers: arrays
 * for a batch, filled anew for each. The host's struct alcore_batch has views of them, valid during
 * one call; the function puts values into the writer. The caller holds the read lock of the pool.
 */
static alcore_status run_batches(alcore_model *model, alcore_pool *pool,
                                 alcore_model_function function, alcore_column_writer *writer,
                                 alcore__model_batch *buffers, const char *column,
                                 const alcore__wanted *wanted) {
    const alcore_model_host *host = model->data;
    int64_t rows = alcore_pool_row_count(pool);
    for (int64_t row = 0; row < rows;) {
        alcore__model_batch_fill(pool, column, wanted, &row, buffers);
        alcore_batch batch = {.size = sizeof batch,
                              .rows = buffers->rows,
                              .texts = buffers->texts,
                              .lengths = buffers->lengths,
                              .languages = buffers->languages,
                              .count = buffers->count};
        ALCORE__TRY(alcore__tick(model->object.ctx, "model", row, rows));
        if (batch.count == 0) continue;
        alcore_status status = function(host->user, &batch, writer);
        if (status != ALCORE_OK) return alcore__fail_callback(status, "the model's function");
        ALCORE__TRY(alcore__model_writer_keep(model));
    }
    return ALCORE_OK;
}

/* alcore__model_table.run: makes a writer, fills it batch by batch, and installs the column, which
 * must then have a value for every wanted row that is unmasked. can() has confirmed that the host
 * has the function. Called with the write lock of the model and no lock of the pool. */
static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column,
                         const alcore__wanted *wanted) {
    const alcore_model_host *host = model->data;
    alcore_ctx *ctx = model->object.ctx;
    int32_t shape = 0;
    alcore_model_function function = find_function(host, column, &shape);
    int64_t batch_rows = host->batch_rows == 0 ? DEFAULT_BATCH : host->batch_rows;
    alcore_column_writer *writer;
    ALCORE__TRY(alcore__model_writer_open(model, pool, column, shape, wanted, &writer));
    alcore__model_batch buffers = {0};
    alcore_status status = alcore__model_batch_init(ctx, batch_rows, &buffers);
    if (status == ALCORE_OK) status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = run_batches(model, pool, function, writer, &buffers, column, wanted);
        alcore__read_end(pool);
    }
    alcore__model_batch_clear(ctx, &buffers);
    return alcore__model_writer_close(model, writer, status);
}

/* alcore__model_table.describe: the version is part of the origin of a column, so that the columns
 * of a model that was trained further since are not used again; and so is what the functions may
 * have read of the pool beside its texts. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    const alcore_model_host *host = model->data;
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    uint64_t details = 0;
    (void)column;
    if (host->version)
        ALCORE__TRY(
            alcore__buffer_format(ctx, out, ", version %" PRIu64, host->version(host->user)));
    if (model->named) ALCORE__TRY(alcore__pool_hash_details(pool, &details));
    if (details == 0) return ALCORE_OK;
    return alcore__buffer_format(ctx, out, ", details of rows %016" PRIx64, details);
}

/* alcore__model_table.release; the host's destroy runs once. */
static void release(alcore_model *model) {
    alcore_model_host *host = model->data;
    if (host->destroy) host->destroy(host->user);
    alcore__free(model->object.ctx, host);
}

/* alcore__model_table.cacheable: its name and version tell whether the host's functions would
 * answer the same; a model without a name is never asked. */
static bool cacheable(const alcore_model *model, const char *column) {
    (void)model;
    (void)column;
    return true;
}

static const alcore__model_table table = {.engine = "host",
                                          .can = can,
                                          .run = run,
                                          .cacheable = cacheable,
                                          .describe = describe,
                                          .release = release};

/* Copies the host's struct, which is read by its size, into a new handle, which owns the copy and
 * calls host->destroy when it is released; after a failure destroy is not called. A model without a
 * name is not `named`: its columns are never used again, because nothing tells two such models
 * apart. */
static alcore_status new_host(alcore_ctx *ctx, const alcore_model_host *caller_host,
                              alcore_model **out) {
    alcore_model_host *host;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *host, &host));
    alcore_status status =
        alcore__struct_read(host, sizeof *host, ALCORE__FIRST_SIZE(alcore_model_host, token_probs),
                            caller_host, "alcore_model_host");
    if (status == ALCORE_OK && (host->batch_rows < 0 || host->batch_rows > 1 << 24))
        status = alcore__fail(ALCORE_E_INVALID,
                              "alcore_model_host: batch_rows is %lld; 0 to 16777216 are allowed",
                              (long long)host->batch_rows);
    const char *name = !host->name ? "host" : host->name;
    bool named = host->name;
    if (status == ALCORE_OK) status = alcore__model_new(ctx, &table, name, named, host, out);
    if (status != ALCORE_OK) {
        alcore__free(ctx, host);
        return status;
    }
    host->name = NULL; /* the caller's string; the handle has its copy */
    return ALCORE_OK;
}

alcore_status alcore_model_new_host(alcore_ctx *ctx, const alcore_model_host *host,
                                    alcore_model **out) {
    if (out) *out = NULL;
    if (!ctx || !host || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_new_host: ctx, host and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_host(ctx, host, out));
}
