/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of tokens as columns of a pool (token_columns.h). A column writer fills a new column,
 * with one number a row (scalar) or a list of numbers a row, one a token (ragged). Memory: 12 bytes
 * a token and 8 an item. */
#include "scorer/token_columns.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/kernel_engine.h"
#include "pool/pool_internal.h"

/* A writer of a call: which statistic is written to it, and of which shape it may be. */
typedef struct writer_use {
    alcore_column_writer *writer; /* the caller's; NULL: not wanted */
    const char *name;             /* its member of alcore_logits_writers, for messages */
    alcore__token_statistic what; /* of nnll the one that it is computed from */
    bool of_rows;                 /* one number a row may be written */
    bool of_tokens;               /* one number a token may be written */
    bool reduces;                 /* the number of a row is computed from all of its tokens */
} writer_use;
enum { WRITERS = 5 };

/* Lists the writers of the caller's struct, with what is written to each. */
static void list_writers(const alcore_logits_writers *out, writer_use uses[WRITERS]) {
    const writer_use all[WRITERS] = {
        {out->nnll, "nnll", ALCORE__TOKEN_LOGPROB, .of_rows = true, .reduces = true},
        {out->logprobs, "logprobs", ALCORE__TOKEN_LOGPROB, .of_tokens = true},
        {out->margins, "margins", ALCORE__TOKEN_MARGIN, .of_rows = true, .of_tokens = true},
        {out->confidences, "confidences", ALCORE__TOKEN_CONFIDENCE, .of_rows = true,
         .of_tokens = true},
        {out->entropies, "entropies", ALCORE__TOKEN_ENTROPY, .of_rows = true, .of_tokens = true},
    };
    memcpy(uses, all, sizeof all);
}

/* A writer takes one column: of two, the second would find every row written. */
static alcore_status check_single(const writer_use *uses, const writer_use *use) {
    for (const writer_use *other = uses; other < use; other++) {
        if (other->writer == use->writer)
            return alcore__fail(ALCORE_E_INVALID, "the writers %s and %s are the same", other->name,
                                use->name);
    }
    return ALCORE_OK;
}

/* Each writer must have been opened for a shape that it can be given: scalar (one number a row) or
 * ragged (one a token). uses [WRITERS]. */
static alcore_status check_writers(const writer_use *uses) {
    for (const writer_use *use = uses; use < uses + WRITERS; use++) {
        if (!use->writer) continue;
        int32_t shape = alcore__column_writer_shape(use->writer);
        if (!(shape == ALCORE_COLUMN_SCALAR && use->of_rows) &&
            !(shape == ALCORE_COLUMN_RAGGED && use->of_tokens))
            return alcore__fail(ALCORE_E_SHAPE, "the writer %s is not of shape %s", use->name,
                                !use->of_tokens ? "scalar"
                                : use->of_rows  ? "ragged or scalar"
                                                : "ragged");
        ALCORE__TRY(check_single(uses, use));
    }
    return ALCORE_OK;
}

alcore_status alcore__token_writers_read(const alcore_logits_writers *given,
                                         alcore_logits_writers *out) {
    writer_use uses[WRITERS];
    ALCORE__TRY(alcore__struct_read(out, sizeof *out,
                                    ALCORE__FIRST_SIZE(alcore_logits_writers, entropies), given,
                                    "alcore_logits_writers"));
    list_writers(out, uses);
    return check_writers(uses);
}

void alcore__token_writers_want(const alcore_logits_writers *writers,
                                bool wanted[ALCORE__TOKEN_STATISTICS]) {
    writer_use uses[WRITERS];
    list_writers(writers, uses);
    memset(wanted, 0, ALCORE__TOKEN_STATISTICS * sizeof *wanted);
    for (int i = 0; i < WRITERS; i++)
        if (uses[i].writer) wanted[uses[i].what] = true;
}

alcore_status alcore__token_items_init(alcore__token_items *items) {
    const size_t count = (size_t)items->count;
    ALCORE__TRY(alcore__new_array(items->ctx, count, sizeof *items->lengths, &items->lengths));
    return alcore__new_array(items->ctx, count + 1, sizeof *items->offsets, &items->offsets);
}

void alcore__token_items_clear(alcore__token_items *items) {
    alcore__free(items->ctx, items->lengths);
    alcore__free(items->ctx, items->offsets);
    items->lengths = items->offsets = NULL;
}

/* Checks before anything is written: to a writer of shape scalar that is not for a mean over the
 * row (reduces) the number of the row's only token is written, so every row must have exactly one.
 * uses [WRITERS]. */
static alcore_status check_lengths_of_rows(const alcore__token_items *items,
                                           const writer_use *uses) {
    for (const writer_use *use = uses; use < uses + WRITERS; use++) {
        if (!use->writer || use->reduces ||
            alcore__column_writer_shape(use->writer) != ALCORE_COLUMN_SCALAR)
            continue;
        for (int64_t i = 0; i < items->count; i++)
            if (items->lengths[i] != 1)
                return alcore__fail(ALCORE_E_SHAPE,
                                    "row %" PRId64 " has %" PRId64
                                    " tokens: the writer %s of shape scalar "
                                    "is for rows of one token; one of shape ragged is for all rows",
                                    items->rows[i], items->lengths[i], use->name);
    }
    return ALCORE_OK;
}

/* Memory of a call, used for one column after the other. */
typedef struct workspace {
    double *exact;   /* [tokens] a statistic */
    float *narrowed; /* [tokens] the same, as the column has it */
    double *nnll;    /* [items] */
} workspace;

/* Writes a statistic of the tokens as float32. A ragged writer gets a list of numbers for each row,
 * one a token; a scalar writer gets one number for each row, as every row has one token then
 * (check_lengths_of_rows()). */
static alcore_status put_tokens(const alcore__token_items *items, const writer_use *use,
                                const workspace *work) {
    int64_t total = items->offsets[items->count];
    alcore_tensor values;
    for (int64_t t = 0; t < total; t++) work->narrowed[t] = (float)work->exact[t];
    ALCORE__TRY(alcore_tensor_init(&values, work->narrowed, ALCORE_FLOAT32, &total, 1));
    const bool ragged = alcore__column_writer_shape(use->writer) == ALCORE_COLUMN_RAGGED;
    return alcore_column_writer_put(use->writer, items->rows, ragged ? items->lengths : NULL,
                                    items->count, &values);
}

/* Writes the mean negative log-likelihood of each item (larger = less sure; NaN without tokens) as
 * a scalar column: by the kernel that scores stored log-probabilities, so that both agree to the
 * bit. Values below -100 count as -100; how many is logged. */
static alcore_status put_nnll(const alcore__token_items *items, const writer_use *use,
                              const workspace *work) {
    int64_t floored = 0, count = items->count;
    alcore_tensor values;
    alcore__engine cpu = alcore__engine_cpu(items->ctx);
    alcore_sys_work kernel_work = alcore__engine_work(&cpu);
    ALCORE__TRY(cpu.kernels->sequence_nnll(
        &kernel_work, work->exact, NULL /* labels: all count */, 0 /* no label is ignored */,
        items->offsets, NULL /* item i to nnll[i] */, count, work->nnll, &floored));
    if (floored > 0)
        alcore__log(items->ctx, ALCORE_LOG_WARN, "scorer", NULL,
                    "%" PRId64 " log-probabilities below -100 were counted as -100", floored);
    ALCORE__TRY(alcore_tensor_init(&values, work->nnll, ALCORE_FLOAT64, &count, 1));
    return alcore_column_writer_put(use->writer, items->rows, NULL /* one number a row */, count,
                                    &values);
}

/* Gathers and writes every column that has a writer, one after the other in the same workspace,
 * which the caller frees, also after a failure. */
static alcore_status put_all(const alcore__token_items *items, const writer_use *uses,
                             workspace *work) {
    alcore_ctx *ctx = items->ctx;
    const size_t tokens = (size_t)items->offsets[items->count];
    ALCORE__TRY(alcore__new_array(ctx, tokens, sizeof *work->exact, &work->exact));
    ALCORE__TRY(alcore__new_array(ctx, tokens, sizeof *work->narrowed, &work->narrowed));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)items->count, sizeof *work->nnll, &work->nnll));
    for (const writer_use *use = uses; use < uses + WRITERS; use++) {
        if (!use->writer) continue;
        items->gather(items->source, use->what, work->exact);
        ALCORE__TRY(use->reduces ? put_nnll(items, use, work) : put_tokens(items, use, work));
    }
    return ALCORE_OK;
}

alcore_status alcore__token_columns_put(const alcore__token_items *items,
                                        const alcore_logits_writers *writers) {
    writer_use uses[WRITERS];
    workspace work = {0};
    list_writers(writers, uses);
    ALCORE__TRY(check_lengths_of_rows(items, uses));
    const alcore_status status = put_all(items, uses, &work);
    alcore__free(items->ctx, work.exact);
    alcore__free(items->ctx, work.narrowed);
    alcore__free(items->ctx, work.nnll);
    return status;
}
