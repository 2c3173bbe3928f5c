/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a model that translates, as a pool with a row for each output of a row of the
 * sources.
 *
 * Outputs come in any order and are collected; when all are there, the rows of the pool and the
 * columns of log-probabilities and scores are made of them in row order. Memory: the texts twice, 4
 * bytes a token and 56 bytes an output. */
#include "model/model_outputs.h"

#include <math.h>
#include <string.h>

alcore_status alcore__outputs_init(alcore_ctx *ctx, int64_t rows, int64_t best,
                                   alcore__outputs *out) {
    *out = (alcore__outputs){.ctx = ctx, .best = best};
    return alcore__new_array(ctx, (size_t)(rows * best), sizeof *out->rows, &out->rows);
}

void alcore__outputs_clear(alcore__outputs *all) {
    alcore__free(all->ctx, all->rows);
    alcore__free(all->ctx, all->logprobs);
    alcore__buffer_clear(all->ctx, &all->texts);
}

alcore__output *alcore__outputs_begin(alcore__outputs *all, int64_t row, int64_t rank) {
    if (rank < 0 || rank >= all->best) return NULL;
    alcore__output *output = &all->rows[row * all->best + rank];
    if (output->found) return NULL;
    output->text = all->texts.length;
    return output;
}

/* Appends the log-probabilities of an output; none where the model gives none. */
static alcore_status keep_logprobs(alcore__outputs *all, const float *logprobs, int64_t tokens,
                                   alcore__output *out) {
    out->logprob = (int64_t)all->logprobs_count;
    out->tokens = logprobs ? tokens : 0;
    if (out->tokens == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(all->ctx, &all->logprobs, &all->logprobs_capacity,
                             all->logprobs_count + (size_t)tokens, sizeof *all->logprobs));
    memcpy(all->logprobs + all->logprobs_count, logprobs, (size_t)tokens * sizeof *logprobs);
    all->logprobs_count += (size_t)tokens;
    return ALCORE_OK;
}

alcore_status alcore__outputs_end(alcore__outputs *all, alcore__output *output,
                                  const float *logprobs, int64_t tokens, double score) {
    output->text_length = all->texts.length - output->text;
    for (size_t i = output->text; i < all->texts.length; i++)
        if (all->texts.data[i] == '\0') all->texts.data[i] = ' ';
    ALCORE__TRY(keep_logprobs(all, logprobs, tokens, output));
    output->score = score;
    output->found = true;
    return ALCORE_OK;
}

/* The outputs in row order, those of a row the best first, from which their pool is filled. It owns
 * the arrays; count: rows of the sources times outputs of each. */
typedef struct row_arrays {
    const char **texts, **ids; /* [count] views; an id that is NULL is the number of the row */
    size_t *lengths;           /* [count] bytes of the texts */
    float *logprobs;           /* [offsets[count]] of all tokens */
    int64_t *offsets;          /* [count + 1] first token of each output */
    double *scores;            /* [count] NaN: there is no output */
    char *numbers;             /* [count, 24] ids of rows that have none of their own; or NULL */
} row_arrays;

static void row_arrays_clear(alcore_ctx *ctx, row_arrays *arrays) {
    alcore__free(ctx, (void *)arrays->texts);
    alcore__free(ctx, (void *)arrays->ids);
    alcore__free(ctx, arrays->lengths);
    alcore__free(ctx, arrays->logprobs);
    alcore__free(ctx, arrays->offsets);
    alcore__free(ctx, arrays->scores);
    alcore__free(ctx, arrays->numbers);
}

/* Allocates the arrays for `count` outputs. With several outputs of a row their ids are written
 * down, as they are not the numbers of their rows any more. */
static alcore_status new_row_arrays(const alcore__outputs *all, size_t count, row_arrays *out) {
    alcore_ctx *ctx = all->ctx;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->texts, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->ids, &out->ids));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    ALCORE__TRY(alcore__new_array(ctx, count + 1, sizeof *out->offsets, &out->offsets));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->scores, &out->scores));
    if (all->best > 1) ALCORE__TRY(alcore__new_array(ctx, count, 24, &out->numbers));
    return alcore__new_array(ctx, all->logprobs_count, sizeof *out->logprobs, &out->logprobs);
}

/* Fills the arrays, which the caller clears also after a failure, with the outputs in row order. An
 * id that alcore__pool_id() wrote to `number` is the row's own number, which the new pool's row has
 * anyway, and is left out. */
static alcore_status list_rows(const alcore__outputs *all, const alcore_pool *pool,
                               row_arrays *out) {
    const int64_t count = alcore_pool_row_count(pool) * all->best;
    ALCORE__TRY(new_row_arrays(all, (size_t)count, out));
    for (int64_t i = 0; i < count; i++) {
        const alcore__output *one = &all->rows[i];
        char number[24], *written = out->numbers ? out->numbers + 24 * i : number;
        const char *id = alcore__pool_id(pool, i / all->best, written);
        out->ids[i] = id == number ? NULL : id;
        out->texts[i] = one->found && one->text_length ? all->texts.data + one->text : "";
        out->lengths[i] = one->text_length;
        out->scores[i] = one->found ? one->score : (double)NAN;
        out->offsets[i + 1] = out->offsets[i] + one->tokens;
        if (one->tokens > 0)
            memcpy(out->logprobs + out->offsets[i], all->logprobs + one->logprob,
                   (size_t)one->tokens * sizeof *out->logprobs);
    }
    return ALCORE_OK;
}

/* Gives the pool `made` the columns of its rows [count]. */
static alcore_status set_columns(const row_arrays *arrays, int64_t count, alcore_pool *made) {
    alcore_tensor values, offsets, scores;
    int64_t bounds = count + 1;
    ALCORE__TRY(
        alcore_tensor_init(&values, arrays->logprobs, ALCORE_FLOAT32, &arrays->offsets[count], 1));
    ALCORE__TRY(alcore_tensor_init(&offsets, arrays->offsets, ALCORE_INT64, &bounds, 1));
    ALCORE__TRY(alcore_tensor_init(&scores, arrays->scores, ALCORE_FLOAT64, &count, 1));
    ALCORE__TRY(alcore_pool_set_column(made, "logprobs", &values, &offsets, NULL));
    return alcore_pool_set_column(made, "output_scores", &scores, NULL, NULL);
}

alcore_status alcore__outputs_fill(const alcore__outputs *all, const alcore_pool *sources,
                                   alcore_pool *made) {
    alcore_records records = ALCORE_RECORDS_INIT;
    row_arrays arrays = {0};
    alcore_status status = list_rows(all, sources, &arrays);
    records.texts = arrays.texts;
    records.text_lengths = arrays.lengths;
    records.ids = arrays.ids;
    records.count = alcore_pool_row_count(sources) * all->best;
    if (status == ALCORE_OK) status = alcore_pool_add_records(made, &records, NULL);
    if (status == ALCORE_OK) status = set_columns(&arrays, records.count, made);
    row_arrays_clear(all->ctx, &arrays);
    return status;
}
