/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of texts that lie in shards (lib/extra/job): each shard writes those of its rows, and
 * all of them are read in the place of the texts. */
#ifndef ALCORE__TOKEN_GATHER_H
#define ALCORE__TOKEN_GATHER_H

#include "strategy/strategy_def.h"

/* Appends the tokens (text/text_tokens.h) of the candidates and bought rows of a shard, with their
 * costs and languages. */
alcore_status alcore__tokens_gather(const alcore__run_input *input, alcore__buffer *out);
/* Reads what all shards have written, which `out` borrows. rows: of all shards. The caller clears
 * *out, also after a failure. ALCORE_E_CORRUPT for a part that is none. */
alcore_status alcore__shard_tokens_read(alcore_ctx *ctx, const alcore__shard_parts *parts,
                                        int64_t rows, alcore__shard_tokens *out);
void alcore__shard_tokens_clear(alcore_ctx *ctx, alcore__shard_tokens *tokens);

#endif
