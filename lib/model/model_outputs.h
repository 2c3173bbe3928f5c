/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a model that translates, collected as they come, and the pool that is made of them
 * (model_outputs.c). */
#ifndef ALCORE__MODEL_OUTPUTS_H
#define ALCORE__MODEL_OUTPUTS_H

#include "model/model_internal.h"

/* What is known of one output of a row. */
typedef struct alcore__output {
    size_t text, text_length; /* its offset in alcore__outputs.texts and its bytes */
    int64_t logprob, tokens;  /* index of its first log-probability and their number */
    double score;             /* what the outputs of a row are ranked by */
    bool found;               /* the model gave it */
} alcore__output;

/* All outputs of a call. A struct of zeros owns nothing. */
typedef struct alcore__outputs {
    alcore_ctx *ctx;
    int64_t best;         /* outputs of a row that are kept */
    alcore__output *rows; /* [rows of the pool, best]; zeros for masked rows */
    alcore__buffer texts; /* of all outputs, one after the other */
    float *logprobs;      /* [logprobs_count] of the tokens of all outputs, output by output as they
                           * came; natural logarithms */
    size_t logprobs_count, logprobs_capacity;
} alcore__outputs;

/* Allocates the rows; the caller clears the outputs, also after a failure. */
alcore_status alcore__outputs_init(alcore_ctx *ctx, int64_t rows, int64_t best,
                                   alcore__outputs *out);
void alcore__outputs_clear(alcore__outputs *all);
/* Begins the output of a rank of a pool row: *out is where it goes, and its text is what is
 * appended to all->texts until alcore__outputs_end(). NULL: the rank is not kept, or there already.
 * */
alcore__output *alcore__outputs_begin(alcore__outputs *all, int64_t row, int64_t rank);
/* Ends it: NUL, of which no text of a pool has one, becomes a space. logprobs [tokens] or NULL. */
alcore_status alcore__outputs_end(alcore__outputs *all, alcore__output *output,
                                  const float *logprobs, int64_t tokens, double score);
/* Adds the rows and their columns "logprobs" and "output_scores" to the pool `made`. The caller
 * holds the read lock of the sources, whose ids are read. */
alcore_status alcore__outputs_fill(const alcore__outputs *all, const alcore_pool *sources,
                                   alcore_pool *made);

#endif
