/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of inference servers that speak OpenAI's protocol, a JSON object a line: as they
 * came, or in the lines of batch files, {"custom_id": ..., "response": {"body": ...}}. */
#ifndef ALCORE__SERVED_ANSWERS_H
#define ALCORE__SERVED_ANSWERS_H

#include "base/base.h"

/* An answer. All are views, valid during the sink's call and not to be written to. */
typedef struct alcore__served_answer {
    const char *id;   /* custom_id, not terminated by NUL; NULL: number says which row */
    size_t id_length; /* bytes */
    int64_t number;   /* "index", or which answer of the file it is, from 0; -1 where id is given */
    int64_t line;     /* of the file, from 1, for error texts */
    int64_t tokens;   /* with a log-probability */
    int64_t k;        /* classes listed for a token, at most; 0: none is listed for any */
    double *logprobs; /* [tokens] */
    double *top;      /* [tokens, k] of the likeliest classes; minus infinity: no class */
    int64_t *ids;     /* [tokens]; NULL: not known */
    int64_t *top_ids; /* [tokens, k]; NULL: not known */
    int64_t doubtful; /* first token of whose likeliest classes one may be missing, as two of them
                       * have one text; -1: none */
} alcore__served_answer;
typedef alcore_status (*alcore__served_sink)(void *user, const alcore__served_answer *answer);

/* Reads path (compressed or not) line by line and hands each answer to the sink, whose failure ends
 * the reading. Numbers are as they stand, the sink's to judge. Errors name path and line. */
alcore_status alcore__served_read(alcore_ctx *ctx, const char *path, alcore__served_sink sink,
                                  void *user);

#endif
