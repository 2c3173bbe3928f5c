/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring a pool (alcore_scorer_run()): the columns that the scorer needs come from the pool or
 * from the model, then each unmasked row (state 0) gets one number, larger = more worth labeling,
 * and the numbers become the column "scores" of the pool.
 *
 * A scorer is a score of the registry, which runs in blocks of rows on all threads and of whose
 * three numbers a row only `score` is kept here, or a function of the host, called once with a view
 * of the pool (host_view.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model_internal.h"
#include "scorer/host_view.h"
#include "scorer/scorer_internal.h"

/* One call of alcore_scorer_run(), which its tasks share. The arrays are owned; rows are those of
 * the pool. */
typedef struct scoring {
    alcore_ctx *ctx;
    alcore_scorer *scorer; /* locked for reading */
    alcore__score_params params;
    alcore_pool *pool;
    char names[ALCORE__DATASET_COLUMNS]
              [ALCORE__NEED_BYTES]; /* [name_count] columns that are read */
    int32_t name_count;
    alcore__dataset dataset; /* the pool with these columns, as scores and views read it */
    uint8_t *mask;           /* [rows] 1: the row has state 0 and gets a score */
    uint8_t *labeled;        /* [rows] 1: the row's state is ALCORE_ROW_LABELED alone */
    double *scores;          /* [rows]; NaN where the row is masked */
    double *raw, *rank;      /* [rows] as alcore__score_call has them; not kept */
    int64_t *floored;        /* [blocks] log-probabilities below -100 of each block of rows */
} scoring;

/* Task `index` of alcore__parallel(): scores a block of pool rows by the scorer's function of the
 * registry; all arrays are by row of the pool, and the call gets them from the block's first row
 * on, so blocks do not overlap. nan_exclude stays false: a row without a score is an error. */
static alcore_status score_block(void *data, int64_t index, int32_t worker) {
    scoring *self = data;
    (void)worker;
    int64_t first = index * ALCORE_BLOCK_ROWS, count = self->dataset.rows - first;
    if (count > ALCORE_BLOCK_ROWS) count = ALCORE_BLOCK_ROWS;
    alcore__scratch scratch = {0};
    alcore__score_call call = {.ctx = self->ctx,
                               .engine = alcore__engine_cpu(self->ctx),
                               .dataset = &self->dataset,
                               .params = &self->params,
                               .first = first,
                               .count = count,
                               .mask = self->mask + first,
                               .scratch = &scratch,
                               .score = self->scores + first,
                               .raw = self->raw + first,
                               .rank = self->rank + first};
    alcore_status status = self->scorer->score->rows(&call);
    self->floored[index] = call.floored;
    alcore__scratch_clear(self->ctx, &scratch);
    return status;
}

/* Scores all rows by a scorer of the registry, in parallel by blocks: self->scores.
 * Log-probabilities that were floored are counted by block, as blocks run on several threads, and
 * logged once. */
static alcore_status score_built_in(scoring *self) {
    self->params = alcore__score_params_of(&self->scorer->values);
    int64_t rows = self->dataset.rows, blocks = (rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)rows, sizeof(double), &self->raw));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)rows, sizeof(double), &self->rank));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)blocks, sizeof(int64_t), &self->floored));
    ALCORE__TRY(alcore__parallel(self->ctx, "scores", blocks, score_block, self));
    int64_t floored = 0;
    for (int64_t b = 0; b < blocks; b++) floored += self->floored[b];
    if (floored > 0)
        alcore__log(self->ctx, ALCORE_LOG_WARN, "scorer", NULL,
                    "%lld log-probabilities below -100 were counted as -100", (long long)floored);
    return ALCORE_OK;
}

/* Calls the host's function. The view's candidates are the unmasked rows: the function's scores
 * [count], by position in the list of these rows, are copied to self->scores by row; each must be
 * finite. */
static alcore_status score_view(scoring *self, const alcore_view *view) {
    const int64_t *rows = alcore_view_rows(view, ALCORE_ROLE_CANDIDATES);
    int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    double *scores;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *scores, &scores));
    alcore_status status = self->scorer->host.score(self->scorer->host.user, view, scores);
    if (status != ALCORE_OK) status = alcore__fail_callback(status, "the scorer's function");
    for (int64_t i = 0; status == ALCORE_OK && i < count; i++) {
        if (!isfinite(scores[i]))
            status = alcore__fail(ALCORE_E_DATA, "scorer %s gave row %lld the score %s",
                                  self->scorer->name, (long long)rows[i],
                                  isnan(scores[i]) ? "NaN" : "infinity");
        self->scores[rows[i]] = scores[i];
    }
    alcore__free(self->ctx, scores);
    return status;
}

/* Lists the rows whose entry of mask [rows of the pool] is 1, ascending, as a source of a view.
 * *out_rows: the list, which the caller frees. */
static alcore_status list_rows(const scoring *self, const uint8_t *mask,
                               alcore__view_source *source, int64_t **out_rows) {
    int64_t count = 0, *rows;
    for (int64_t i = 0; i < self->dataset.rows; i++) count += mask[i];
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *rows, &rows));
    *out_rows = rows;
    *source = (alcore__view_source){.dataset = &self->dataset, .rows = rows, .count = count};
    for (int64_t i = 0, n = 0; i < self->dataset.rows; i++)
        if (mask[i]) rows[n++] = i;
    return ALCORE_OK;
}

/* Scores the rows by the host's function, in one call on this thread. It sees the unmasked rows as
 * candidates and the labeled rows of the same pool; a scorer has no budget (infinity) and no rounds
 * (always 1). */
static alcore_status score_host(scoring *self) {
    alcore__view_input input = {.ctx = self->ctx,
                                .budget = (double)INFINITY,
                                .seed = alcore__ctx_seed(self->ctx),
                                .round = 1};
    alcore__view_source *candidates = &input.sources[ALCORE__ROLE(CANDIDATES)];
    alcore__view_source *labeled = &input.sources[ALCORE__ROLE(LABELED_ROWS)];
    alcore_view *view = NULL;
    int64_t *candidate_rows = NULL, *labeled_rows = NULL; /* [count] of each source */
    alcore_status status = list_rows(self, self->mask, candidates, &candidate_rows);
    if (status == ALCORE_OK) status = list_rows(self, self->labeled, labeled, &labeled_rows);
    if (status == ALCORE_OK) status = alcore__view_new(&input, &view);
    if (status == ALCORE_OK) status = score_view(self, view);
    alcore__view_free(view);
    alcore__free(self->ctx, candidate_rows);
    alcore__free(self->ctx, labeled_rows);
    return status;
}

/* Makes the masks and the scores, all [rows], and adds the columns that the scorer reads to the
 * dataset; each unmasked row must have a value in each of them. A column can be missing only when
 * another thread dropped it after provide_columns(), before the pool was locked. */
static alcore_status set_up(scoring *self) {
    size_t rows = (size_t)self->dataset.rows;
    ALCORE__TRY(alcore__new_array(self->ctx, rows, 1, &self->mask));
    ALCORE__TRY(alcore__new_array(self->ctx, rows, 1, &self->labeled));
    ALCORE__TRY(alcore__new_array(self->ctx, rows, sizeof(double), &self->scores));
    const uint32_t *states = alcore_pool_states(self->pool);
    for (size_t i = 0; i < rows; i++) {
        self->mask[i] = states[i] == 0;
        self->labeled[i] = states[i] == ALCORE_ROW_LABELED;
        self->scores[i] = (double)NAN;
    }
    for (int32_t c = 0; c < self->name_count; c++) {
        const alcore__column *column = alcore__pool_find_column(self->pool, self->names[c]);
        if (!column)
            return alcore__fail(ALCORE_E_BUSY, "the column '%s' was dropped during the call",
                                self->names[c]);
        ALCORE__TRY(alcore__dataset_add(&self->dataset, self->names[c], column));
        for (size_t i = 0; i < rows; i++)
            if (self->mask[i] && !alcore__column_has(column, (int64_t)i))
                return alcore__fail(ALCORE_E_MISSING, "column '%s' has no value for row %lld",
                                    self->names[c], (long long)i);
    }
    return ALCORE_OK;
}

/* Fills self->scores, with the pool locked for reading, so that no column is dropped while it is
 * read. */
static alcore_status compute(scoring *self) {
    ALCORE__TRY(alcore__read_begin(self->pool, "pool"));
    self->dataset.pool = self->pool;
    self->dataset.rows = alcore_pool_row_count(self->pool);
    alcore_status status = set_up(self);
    self->dataset.mask = self->mask;
    if (status == ALCORE_OK)
        status = !self->scorer->score ? score_host(self) : score_built_in(self);
    alcore__read_end(self->pool);
    return status;
}

/* Writes the scores of the unmasked rows to the column and finishes it. self->scores is packed in
 * place: afterwards entry i is that of the i-th unmasked row. */
static alcore_status put_rows(scoring *self, alcore_column_writer *writer) {
    int64_t *rows;
    int64_t count = 0;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->dataset.rows, sizeof *rows, &rows));
    for (int64_t i = 0; i < self->dataset.rows; i++) {
        if (!self->mask[i]) continue;
        self->scores[count] = self->scores[i]; /* moves down: count <= i */
        rows[count++] = i;
    }
    alcore_tensor values;
    alcore_status status = alcore_tensor_init(&values, self->scores, ALCORE_FLOAT64, &count, 1);
    if (status == ALCORE_OK)
        status =
            alcore_column_writer_put(writer, rows, NULL /* one number a row */, count, &values);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    alcore__free(self->ctx, rows);
    return status;
}

/* Makes the column "scores" with the origin "scorer NAME". The text of the origin is made first and
 * passed to the column last: once the column exists only the lock can fail, and then the column has
 * no origin. */
static alcore_status write_column(scoring *self) {
    alcore_column_writer *writer = NULL;
    alcore__buffer origin = {0};
    ALCORE__TRY(alcore__buffer_format(self->ctx, &origin, "scorer %s", self->scorer->name));
    alcore_status status = alcore_column_writer_new(self->pool, "scores", ALCORE_COLUMN_SCALAR,
                                                    NULL /* options */, &writer);
    if (status == ALCORE_OK) status = put_rows(self, writer);
    alcore_column_writer_unref(writer);
    if (status == ALCORE_OK) status = alcore__write_begin(self->pool, "pool");
    if (status != ALCORE_OK) {
        alcore__buffer_clear(self->ctx, &origin);
        return status;
    }
    alcore__column_set_origin(self->pool, "scores", origin.data, NULL /* no model made it */);
    alcore__write_end(self->pool);
    return ALCORE_OK;
}

/* Makes sure that every column the scorer needs is in the pool: given, or made by the model (NULL:
 * there is none); names[] gets the alternatives that were chosen (a need may be "scores|logprobs").
 * Runs before the pool is locked for reading, because a model adds columns. */
static alcore_status provide_columns(scoring *self, alcore_model *model) {
    const char *const *needs = alcore__scorer_needs(self->scorer);
    int32_t from[ALCORE__DATASET_COLUMNS], count = 0;
    while (needs[count]) count++;
    if (count > ALCORE__DATASET_COLUMNS)
        return alcore__fail(ALCORE_E_INVALID, "scorer %s needs more than %d columns",
                            self->scorer->name, ALCORE__DATASET_COLUMNS);
    ALCORE__TRY(alcore__model_supply(&model, !model ? 0 : 1, self->pool, NULL /* all rows */, needs,
                                     count, self->names, from));
    self->name_count = count;
    for (int32_t i = 0; i < count; i++)
        if (from[i] == ALCORE__SUPPLY_NONE)
            return alcore__fail_without(
                alcore__fail(
                    ALCORE_E_MISSING, "scorer %s needs the column '%s', which was not given%s%s",
                    self->scorer->name, needs[i],
                    !model ? "; there is no model to make it" : " and cannot be made by the model ",
                    !model ? "" : alcore_model_name(model)),
                needs[i]);
    return ALCORE_OK;
}

/* The three steps of alcore_scorer_run(): columns, scores, the new column; the scorer cannot be
 * changed meanwhile. */
static alcore_status run_scorer(alcore_scorer *scorer, alcore_pool *pool, alcore_model *model) {
    scoring self = {.ctx = scorer->object.ctx, .scorer = scorer, .pool = pool};
    ALCORE__TRY(alcore__read_begin(scorer, "scorer"));
    alcore_status status = provide_columns(&self, model);
    if (status == ALCORE_OK) status = compute(&self);
    /* The error of a NaN suggests nan=exclude, an option that a scorer does not have: removed. */
    if (status == ALCORE_E_DATA) alcore__fail_remedy(status, 0, NULL, NULL, NULL);
    if (status == ALCORE_OK) status = write_column(&self);
    alcore__read_end(scorer);
    alcore__free(self.ctx, self.mask);
    alcore__free(self.ctx, self.labeled);
    alcore__free(self.ctx, self.scores);
    alcore__free(self.ctx, self.raw);
    alcore__free(self.ctx, self.rank);
    alcore__free(self.ctx, self.floored);
    return status;
}

/* Scores the pool into its column "scores"; model: makes columns that are missing, NULL: none does.
 */
alcore_status alcore_scorer_run(alcore_scorer *scorer, alcore_pool *pool, alcore_model *model) {
    if (!scorer || !pool)
        return alcore__fail(ALCORE_E_INVALID, "alcore_scorer_run: scorer and pool are needed");
    ALCORE__TRY(alcore__enter_long(scorer->object.ctx));
    return alcore__leave(scorer->object.ctx, run_scorer(scorer, pool, model));
}
