/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the functions of a host's model: columns of a pool in one pass, and scores of
 * references.
 *
 * Rows may lack different columns: labeled rows have embeddings only, and a file of a cache may
 * have more rows of one column than of another. A batch has rows that lack the same columns, and
 * the function is asked for exactly these: rows are walked once for each set of columns, of which
 * there are few, in the order in which the sets appear. So the function computes what is missing
 * and nothing else. */
#include "model/model_host.h"
#include "pool/column_writer.h"

/* A walk over the rows of a pool. */
typedef struct walk {
    alcore_model *model;
    const alcore__pass *pass;
    alcore__host_batch batch;
    uint32_t *sets;      /* [rows] bits: which columns of the pass the row lacks; owned */
    int64_t done, total; /* rows that were computed, and that are to be computed */
} walk;

/* Fills sets and counts the rows that lack something. */
static alcore_status find_sets(walk *self) {
    const alcore__pass *pass = self->pass;
    const int64_t rows = alcore_pool_row_count(pass->pool);
    const uint32_t *states = alcore_pool_states(pass->pool);
    ALCORE__TRY(
        alcore__new_array(self->model->object.ctx, (size_t)rows, sizeof *self->sets, &self->sets));
    for (int64_t row = 0; row < rows; row++) {
        for (int32_t c = 0; c < pass->count; c++)
            if (alcore__model_wants(pass->columns[c].missing, row, states[row],
                                    pass->columns[c].name))
                self->sets[row] |= UINT32_C(1) << c;
        self->total += self->sets[row] != 0;
    }
    return ALCORE_OK;
}

/* Refuses a batch of which a row has no value of a column: hours later the whole column would be
 * refused. */
static alcore_status check_values(const alcore__host_batch *batch, const char *const *columns,
                                  alcore_column_writer *const *outs, int64_t count) {
    for (int64_t c = 0; c < count; c++)
        for (int64_t i = 0; i < batch->rows.count; i++)
            if (!alcore__column_writer_has(outs[c], batch->rows.rows[i]))
                return alcore__fail(ALCORE_E_MISSING,
                                    "the model's function gave row %lld no value of the column "
                                    "'%s'",
                                    (long long)batch->rows.rows[i], columns[c]);
    return ALCORE_OK;
}

/* Asks the function for the columns of a set, for the rows of the batch, which is empty then. */
static alcore_status compute_batch(walk *self, uint32_t set) {
    const alcore__host_model *data = alcore__host_data(self->model);
    const char *columns[ALCORE__PASS_COLUMNS];
    alcore_column_writer *outs[ALCORE__PASS_COLUMNS];
    int64_t count = 0;
    if (self->batch.rows.count == 0) return ALCORE_OK;
    for (int32_t c = 0; c < self->pass->count; c++) {
        if (!(set >> c & 1)) continue;
        columns[count] = self->pass->columns[c].name;
        outs[count++] = self->pass->columns[c].writer;
    }
    ALCORE__TRY(alcore__tick(self->model->object.ctx, "model", self->done, self->total));
    const alcore_batch view = alcore__host_batch_view(&self->batch);
    const alcore_status status = data->host.compute(data->host.user, &view, columns, outs, count);
    if (status != ALCORE_OK) return alcore__fail_callback(status, "the model's function");
    ALCORE__TRY(check_values(&self->batch, columns, outs, count));
    self->done += self->batch.rows.count;
    alcore__host_batch_empty(&self->batch);
    return alcore__pass_keep(self->pass);
}

/* Computes the columns of a set for the rows from `first` on that lack exactly these, and marks
 * them as done. */
static alcore_status compute_set(walk *self, int64_t first) {
    const int64_t rows = alcore_pool_row_count(self->pass->pool);
    const uint32_t set = self->sets[first];
    for (int64_t row = first; row < rows; row++) {
        if (self->sets[row] != set) continue;
        self->sets[row] = 0;
        if (alcore__host_batch_add(&self->batch, row)) continue;
        ALCORE__TRY(compute_batch(self, set));
        (void)alcore__host_batch_add(&self->batch, row); /* an empty batch takes any row */
    }
    return compute_batch(self, set);
}

/* Computes every set. The caller holds the read lock of the pool. */
static alcore_status compute_sets(walk *self) {
    const int64_t rows = alcore_pool_row_count(self->pass->pool);
    ALCORE__TRY(find_sets(self));
    ALCORE__TRY(alcore__host_batch_init(self->model, self->pass->pool, false, &self->batch));
    for (int64_t row = 0; row < rows; row++)
        if (self->sets[row] != 0) ALCORE__TRY(compute_set(self, row));
    return alcore__tick(self->model->object.ctx, "model", self->total, self->total);
}

alcore_status alcore__host_fill(alcore_model *model, alcore__pass *pass) {
    alcore_ctx *ctx = model->object.ctx;
    walk self = {.model = model, .pass = pass};
    for (int32_t c = 0; c < pass->count; c++)
        ALCORE__TRY(alcore__host_check_column(model, pass->columns[c].name));
    ALCORE__TRY(alcore__read_begin(pass->pool, "pool"));
    const alcore_status status = compute_sets(&self);
    alcore__read_end(pass->pool);
    alcore__host_batch_clear(ctx, &self.batch);
    alcore__free(ctx, self.sets);
    return status;
}

/* ---- references ---- */

/* Scores the references of a batch, which is empty then. */
static alcore_status score_batch(const alcore_model *model, alcore__host_batch *batch,
                                 alcore_column_writer *writer, int64_t row) {
    static const char *const columns[] = {"logprobs"};
    const alcore__host_model *data = alcore__host_data(model);
    if (batch->rows.count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__tick(model->object.ctx, "model", row, alcore_pool_row_count(batch->pool)));
    for (int64_t i = 0; i < batch->rows.count; i++)
        if (!batch->references[i])
            return alcore__fail(ALCORE_E_MISSING, "row %lld has no reference",
                                (long long)batch->rows.rows[i]);
    const alcore_batch view = alcore__host_batch_view(batch);
    const alcore_status status = data->host.score(data->host.user, &view, writer);
    if (status != ALCORE_OK) return alcore__fail_callback(status, "the model's function");
    ALCORE__TRY(check_values(batch, columns, &writer, 1));
    alcore__host_batch_empty(batch);
    return ALCORE_OK;
}

/* Scores the references of the unmasked rows. The caller holds the read lock of the pool. */
static alcore_status score_rows(const alcore_model *model, alcore_pool *pool,
                                alcore__host_batch *batch, alcore_column_writer *writer) {
    const int64_t rows = alcore_pool_row_count(pool);
    const uint32_t *states = alcore_pool_states(pool);
    ALCORE__TRY(alcore__host_batch_init(model, pool, true, batch));
    for (int64_t row = 0; row < rows; row++) {
        if (!alcore__model_wants(NULL, row, states[row], "logprobs")) continue;
        if (alcore__host_batch_add(batch, row)) continue;
        ALCORE__TRY(score_batch(model, batch, writer, row));
        (void)alcore__host_batch_add(batch, row); /* an empty batch takes any row */
    }
    return score_batch(model, batch, writer, rows);
}

/* Makes the column of the references; its origin is the caller's to give. */
static alcore_status score_pool(const alcore_model *model, alcore_pool *pool) {
    alcore__host_batch batch = {0};
    alcore_column_writer *writer;
    ALCORE__TRY(alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL /* options */,
                                         &writer));
    alcore_status status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = score_rows(model, pool, &batch, writer);
        alcore__read_end(pool);
    }
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    alcore_column_writer_unref(writer);
    alcore__host_batch_clear(model->object.ctx, &batch);
    return status;
}

/* As of every model, the column has no engine: like one that was given, it stays as it is until it
 * is replaced, and is never used as that of the model's own outputs. */
alcore_status alcore__host_score(alcore_model *model, alcore_pool *pool) {
    const alcore__host_model *data = alcore__host_data(model);
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    alcore__buffer origin = {0};
    if (!data->host.score)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s scores no pairs of texts", model->name);
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, "logprobs", &origin);
    alcore__read_end(pool);
    if (status == ALCORE_OK) status = alcore__buffer_format(ctx, &origin, ", of the references");
    if (status == ALCORE_OK) status = score_pool(model, pool);
    if (status == ALCORE_OK) status = alcore__write_begin(pool, "pool");
    if (status != ALCORE_OK) {
        alcore__buffer_clear(ctx, &origin);
        return status;
    }
    alcore__column_set_origin(pool, "logprobs", origin.data, NULL);
    alcore__write_end(pool);
    return ALCORE_OK;
}
