/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of a pool's rows by language models: the ragged column "logprobs", one natural
 * logarithm for each word of a row and one for its end (spec 6.5). An entry is a wanted row that
 * is unmasked, with state 0; entry i has tokens offsets[i] .. offsets[i + 1] - 1 of values. A fold
 * is a part of the rows, by a hash of their texts; in cross-fitting each fold is scored by a model
 * that was trained on the others. Cost: one look-up per word and order of n-grams; memory 4 bytes a
 * token and 8 a row, and 8 more while it is made where rows are masked. */
#include "model/lm_column.h"

#include "text/lm_trainer.h"

/* ---- begin ---- */

/* Whether the row has an entry; states [rows of the pool]. */
static bool is_entry(const alcore__lm_column *self, const uint32_t *states, int64_t row) {
    return states[row] == 0 && alcore__is_wanted(self->wanted, row);
}

/* Counts the entries and their tokens, and lists their rows in self->rows, ascending, unless every
 * row is one: rows then stays NULL. The pool is locked for reading. */
static alcore_status list_rows(alcore__lm_column *self) {
    const uint32_t *states = alcore_pool_states(self->pool);
    const int64_t rows = self->pool_rows = alcore_pool_row_count(self->pool);
    for (int64_t row = 0; row < rows; row++) {
        if (!is_entry(self, states, row)) continue;
        self->entries++;
        self->tokens += alcore_pool_words(self->pool, row) + 1;
    }
    if (self->entries == rows) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->entries, sizeof *self->rows, &self->rows));
    for (int64_t row = 0, entry = 0; row < rows; row++)
        if (is_entry(self, states, row)) self->rows[entry++] = row;
    return ALCORE_OK;
}

/* The pool row of an entry. */
static int64_t row_of(const alcore__lm_column *self, int64_t entry) {
    return self->rows ? self->rows[entry] : entry;
}

/* Values and offsets of more bytes are not kept for a selection. Strategies that read them more
 * than once are faster with those that are kept. */
enum { MAX_KEPT_BYTES = 64 * 1024 * 1024 };

/* Makes the arrays, of which offsets are filled in and values are 0: the words of a row were
 * counted when it was added, so no text is read here. A host that runs the model itself, for all
 * rows, may look at the values where they are (alcore_pool_get_column()): they are always kept. */
alcore_status alcore__lm_column_begin(alcore__lm_column *self) {
    ALCORE__TRY(list_rows(self));
    self->waits = self->may_wait && self->wanted &&
                  self->tokens * (int64_t)sizeof *self->values +
                          self->entries * (int64_t)sizeof *self->offsets >
                      MAX_KEPT_BYTES;
    if (self->waits) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->entries + 1, sizeof *self->offsets,
                                  &self->offsets));
    for (int64_t i = 0; i < self->entries; i++)
        self->offsets[i + 1] =
            self->offsets[i] + alcore_pool_words(self->pool, row_of(self, i)) + 1;
    return alcore__new_array(self->ctx, (size_t)self->offsets[self->entries], sizeof *self->values,
                             &self->values);
}

/* ---- rows ---- */

/* Entries of one task: few enough for cancelling to act at once, enough to be looked up
 * together. */
enum { TASK_ENTRIES = 512 };

/* Task `index` of alcore__parallel(): scores those of its TASK_ENTRIES entries whose text is in
 * self->fold (-1: all of them), each into its place in self->values; no two tasks share an entry.
 */
static alcore_status score_task(void *data, int64_t index, int32_t worker) {
    const alcore__lm_column *self = data;
    (void)worker;
    alcore__lm_text scored[TASK_ENTRIES];
    int64_t first = index * TASK_ENTRIES, last = first + TASK_ENTRIES, count = 0;
    if (last > self->entries) last = self->entries;
    for (int64_t i = first; i < last; i++) {
        alcore__lm_text *next = &scored[count];
        next->text = alcore_pool_text(self->pool, row_of(self, i), &next->length);
        next->values = self->values + self->offsets[i];
        next->total = NULL;
        count += self->fold < 0 || alcore__lm_fold(next->text, next->length) == self->fold;
    }
    alcore__lm_tokens(self->lm, scored, count);
    return ALCORE_OK;
}

/* Called once for each language model, self->lm, with self->fold set; the pool is still locked. */
alcore_status alcore__lm_column_rows(alcore__lm_column *self) {
    int64_t tasks = (self->entries + TASK_ENTRIES - 1) / TASK_ENTRIES;
    return alcore__parallel(self->ctx, "log-probabilities", tasks, score_task, self);
}

/* ---- finish ---- */

/* The arrays of a column that stands. */
typedef struct column_arrays {
    alcore_ctx *ctx;  /* no reference: the pool that owns the column has one, and lives longer */
    int64_t *offsets; /* [entries + 1] first token of each entry */
    float *values;    /* [offsets[entries]] natural logarithms, entry by entry */
} column_arrays;

/* alcore_column_options.release of the column: called when the pool frees it. */
static void free_arrays(void *user) {
    column_arrays *arrays = user;
    alcore__free(arrays->ctx, arrays->offsets);
    alcore__free(arrays->ctx, arrays->values);
    alcore__free(arrays->ctx, arrays);
}

/* Gives the pool the column with our arrays, borrowed: the pool calls free_arrays(arrays) when it
 * drops the column. After a failure arrays, offsets and values are still the caller's. `places` is
 * the number of offsets: one more than the entries. self->rows, copied by the pool, says which row
 * each entry is. */
static alcore_status set_column(const alcore__lm_column *self, column_arrays *arrays) {
    int64_t tokens = self->offsets[self->entries], places = self->entries + 1;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor values, offsets;
    ALCORE__TRY(alcore_tensor_init(&values, self->values, ALCORE_FLOAT32, &tokens, 1));
    ALCORE__TRY(alcore_tensor_init(&offsets, self->offsets, ALCORE_INT64, &places, 1));
    options.ownership = ALCORE_BORROW;
    options.rows = self->rows;
    options.row_count = self->rows ? self->entries : 0;
    options.release = free_arrays;
    options.release_user = arrays;
    *arrays = (column_arrays){.ctx = self->ctx, .offsets = self->offsets, .values = self->values};
    return alcore_pool_set_column(self->pool, "logprobs", &values, &offsets, &options);
}

/* Called in every case, with the status of the calls before and without a lock of the pool. */
alcore_status alcore__lm_column_finish(alcore__lm_column *self, alcore_status status) {
    column_arrays *arrays = NULL;
    if (status == ALCORE_OK && self->waits)
        status = alcore__lm_column_put_waiting(self);
    else if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, 1, sizeof *arrays, &arrays);
    if (status == ALCORE_OK && !self->waits) status = set_column(self, arrays);
    alcore__free(self->ctx, self->rows);
    self->rows = NULL;
    if (status == ALCORE_OK) return ALCORE_OK; /* the column frees the others */
    alcore__free(self->ctx, arrays);
    alcore__free(self->ctx, self->offsets);
    alcore__free(self->ctx, self->values);
    return status;
}
