/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of static models (model2vec, StaticEmbedding of sentence-transformers): the table of
 * alcore/sys/model.h for a model that needs no module, since all it computes is a mean. */
#ifndef ALCORE__STATIC_ENGINE_H
#define ALCORE__STATIC_ENGINE_H

#include "alcore/sys/model.h"
#include "model/folder_settings.h"
#include "model/static_table.h"

extern const alcore_sys_model_engine alcore__static_engine;

/* Makes a model of the table, which it takes over (the caller's is empty then, also after a
 * failure), and of the modules behind it that settings name. max_tokens: the longest input;
 * INT64_MAX: no limit. normalize: ALCORE_SYS_NORMALIZE_*. */
alcore_status alcore__static_open(alcore_ctx *ctx, const alcore__folder_settings *settings,
                                  int64_t max_tokens, int32_t normalize,
                                  alcore__static_table *table, alcore_sys_model **out);

#endif
