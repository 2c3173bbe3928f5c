/* SPDX-License-Identifier: Apache-2.0 */
/* Surprisal vectors (surprisal.h) as a column that is computed when it is read: its components, 128
 * a row by default, would need more memory than the losses that they are made of. Each thread keeps
 * the reader of the losses and the arrays of one text in its scratch.
 *
 * The column "mlm_losses" is ragged, a list of losses a row, one a token: those of row i of a read
 * are values[offsets[i] - offsets[0]] and on, offsets[i + 1] - offsets[i] of them. alps.c has
 * checked that it is ragged with one number a token. Members of alcore__surprisal: length, how many
 * tokens of a text are looked at and how many components a vector has; share of these tokens that
 * keep their loss; bernoulli, true: each token is drawn by itself, false: how many are drawn is
 * fixed; pool, for the ids of rows, NULL: the id of a row is its number from 1. */
#include "strategy/rules/surprisal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "pool/column_array.h"
#include "pool/number_type.h"

alcore_status alcore__surprisal_draw(const alcore__surprisal *surprisal, const char *id,
                                     int64_t tokens, uint8_t *chosen, int64_t *workspace) {
    alcore__rng rng;
    int64_t count = tokens < surprisal->length ? tokens : surprisal->length;
    alcore__rng_seed(&rng, alcore__rng_derive(surprisal->seed, ALCORE__TAG_ALPS, 0 /* any round */,
                                              alcore__hash64(id, strlen(id))));
    if (surprisal->bernoulli) {
        for (int64_t t = 0; t < count; t++) chosen[t] = alcore__rng_f64(&rng) < surprisal->share;
        return ALCORE_OK;
    }
    int64_t wanted = (int64_t)floor(surprisal->share * (double)count + 0.5);
    if (wanted < 1) wanted = 1;
    memset(chosen, 0, (size_t)count);
    /* A draw without replacement: the first `wanted` entries of workspace are the tokens drawn. Its
     * other memory comes from malloc, as there is no context here (NULL). */
    ALCORE__TRY(alcore__rng_sample(NULL, &rng, count, wanted, workspace));
    for (int64_t i = 0; i < wanted && i < count; i++) chosen[workspace[i]] = 1;
    return ALCORE_OK;
}

/* What a thread keeps between reads, in `user` of its scratch. */
typedef struct reader {
    alcore__scratch losses; /* in which the losses are read */
    uint8_t *chosen;        /* [length] of the text at hand, as alcore__surprisal_draw() sets it */
    int64_t *workspace;     /* [length] */
} reader;

/* The user_free of the scratch: frees the reader of a thread. */
static void free_reader(alcore_ctx *ctx, void *user) {
    reader *self = user;
    alcore__scratch_clear(ctx, &self->losses);
    alcore__free(ctx, self->chosen);
    alcore__free(ctx, self->workspace);
    alcore__free(ctx, self);
}

/* Sets *out to the reader that the thread's scratch has, or to a new one that the scratch owns. */
static alcore_status get_reader(const alcore__column *column, alcore__scratch *scratch,
                                reader **out) {
    const size_t length = (size_t)column->dims;
    /* Another column may have used the same scratch, such as embeddings that were searched for a
     * NaN: what it kept there is freed. */
    if (scratch->user && scratch->user_free != free_reader)
        alcore__scratch_clear(column->ctx, scratch);
    if (!scratch->user) {
        ALCORE__TRY(alcore__new_array(column->ctx, 1, sizeof(reader), &scratch->user));
        scratch->user_free = free_reader;
    }
    *out = scratch->user;
    if ((*out)->chosen && (*out)->workspace) return ALCORE_OK;
    alcore__free(column->ctx, (*out)->chosen); /* made before an earlier failure, or NULL */
    (*out)->chosen = NULL;
    ALCORE__TRY(alcore__new_array(column->ctx, length, 1, &(*out)->chosen));
    return alcore__new_array(column->ctx, length, sizeof(int64_t), &(*out)->workspace);
}

/* Writes the vector of the text of a pool row to out [length], components of type out_dtype, which
 * are zeroed before: component t is the loss of token t where it was drawn. values [tokens]: the
 * losses of the text, of type dtype; tokens from `length` on are not looked at. */
static alcore_status make_vector(const alcore__surprisal *surprisal, reader *own, int64_t row,
                                 const char *values, int64_t tokens, int32_t dtype,
                                 int32_t out_dtype, char *out) {
    char buffer[24];
    const char *id = buffer;
    if (surprisal->pool)
        id = alcore__pool_id(surprisal->pool, row, buffer);
    else
        snprintf(buffer, sizeof buffer, "%lld", (long long)row + 1);
    if (tokens > surprisal->length) tokens = surprisal->length;
    ALCORE__TRY(alcore__surprisal_draw(surprisal, id, tokens, own->chosen, own->workspace));
    for (int64_t t = 0; t < tokens; t++) {
        if (!own->chosen[t]) continue;
        double loss = alcore__widen(dtype, values + (size_t)t * alcore_sys_dtype_bytes(dtype));
        if (out_dtype == ALCORE_FLOAT64)
            ((double *)(void *)out)[t] = loss;
        else
            ((float *)(void *)out)[t] = (float)loss; /* exact: the losses are no wider */
    }
    return ALCORE_OK;
}

/* The function `rows` of the column: computes the vectors of pool rows first .. first + count - 1,
 * *out [count, length], in the scratch, where they stay until it is used again. Called by any
 * thread, each with its own scratch, whenever a block reads the embeddings. */
static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    const alcore__surprisal *surprisal = column->data;
    const alcore__column *losses = surprisal->losses;
    const size_t row_bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    alcore_sys_ragged items = {0};
    reader *own;
    ALCORE__TRY(get_reader(column, scratch, &own));
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        count, row_bytes));
    ALCORE__TRY(losses->ops->ragged(losses, first, count, &own->losses, &items));
    if (count > 0) memset(scratch->values, 0, (size_t)count * row_bytes);
    for (int64_t i = 0; i < count; i++) {
        size_t begin = (size_t)(items.offsets[i] - items.offsets[0]);
        ALCORE__TRY(
            make_vector(surprisal, own, first + i,
                        (const char *)items.values + begin * alcore_sys_dtype_bytes(items.dtype),
                        items.offsets[i + 1] - items.offsets[i], items.dtype, column->dtype,
                        (char *)scratch->values + (size_t)i * row_bytes));
    }
    *out = (alcore_sys_rows){.data = scratch->values,
                             .first = first,
                             .count = count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = column->dtype};
    return ALCORE_OK;
}

/* The function `release` of the column: it owns nothing. */
static void release_nothing(alcore__column *column) {
    (void)column;
}

static const alcore__column_ops OPS = {.rows = read_rows, .release = release_nothing};

/* The column is in no pool: it needs no name or origin and has an entry for each row (map NULL).
 * log_scale is 1 in every column without stored logarithms. */
alcore_status alcore__surprisal_column(alcore_ctx *ctx, alcore__surprisal *surprisal,
                                       alcore__column **out) {
    alcore__column *column;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    column->ops = &OPS;
    column->ctx = ctx;
    column->row_count = surprisal->losses->row_count;
    column->dims = surprisal->length;
    column->dtype = surprisal->losses->dtype == ALCORE_FLOAT64 ? ALCORE_FLOAT64 : ALCORE_FLOAT32;
    column->log_scale = 1.0;
    column->data = surprisal; /* only read */
    *out = column;
    return ALCORE_OK;
}
