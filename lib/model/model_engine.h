/* SPDX-License-Identifier: Apache-2.0 */
/* A model that runs in a loadable module: its state, and how texts reach the engine. Shared by
 * model_engine.c (columns of a pool), model_opened.c (texts as token ids) and model_translate.c
 * (outputs of a translation model). */
#ifndef ALCORE__MODEL_ENGINE_H
#define ALCORE__MODEL_ENGINE_H

#include "model/model_internal.h"
#include "tokenizer/encoding.h"

/* Rows of a call of the engine: enough for it to group texts of similar length, few enough to keep
 * its memory per call small. */
enum { ALCORE__ENGINE_ROWS = 8192 };

/* The data of the handle, owned by it. */
typedef struct alcore__engine_model {
    alcore__model_table table;             /* of the handle; its engine is the name of this one */
    const alcore_sys_model_engine *engine; /* table of the module, valid until the process ends */
    alcore_sys_model *opened;              /* the engine's handle; NULL: not open */
    alcore_sys_model_info info;            /* its strings belong to the engine */
    alcore_tokenizer *tokenizer; /* a reference; NULL: the engine reads texts itself, or the folder
                                    has no tokenizer */
    uint64_t tokenizer_hash;     /* of the tokenizer's files; 0 where the engine reads texts */
    char *version;               /* info.version and tokenizer_hash; owned */
} alcore__engine_model;

/* Whether the engine has the function of a call (one of ALCORE_SYS_MODEL_*), and the opened model
 * supports it. */
bool alcore__engine_has(const alcore__engine_model *data, uint32_t call);

/* ---- texts as the engine takes them (model_opened.c) ---- */

/* Opens the tokenizer of the folder at path where the engine takes token ids. Called once
 * data->info is there. */
alcore_status alcore__engine_read_tokenizer(alcore_ctx *ctx, const char *path,
                                            alcore__engine_model *data);
/* Sets data->info to what the engine says now, and data->version: after opening, and whenever the
 * model has changed. */
alcore_status alcore__engine_update(alcore_ctx *ctx, alcore__engine_model *data);

/* The texts of one call. A struct of zeros holds none. */
typedef struct alcore__engine_texts {
    alcore_sys_model_texts passed; /* views of the texts and of tokens */
    alcore__tokens tokens;         /* owned; empty where the engine reads texts */
} alcore__engine_texts;

/* Sets *out to texts, which are views: as they are, and as token ids where the engine takes these,
 * each cut to the longest input of the model. as_target: they are outputs of a translation model.
 * languages: [texts->count] tags, or NULL. */
alcore_status alcore__engine_encode(const alcore_model *model, const alcore__texts *texts,
                                    const char *const *languages, bool as_target,
                                    alcore__engine_texts *out);
void alcore__engine_texts_clear(alcore_ctx *ctx, alcore__engine_texts *texts);

/* Encodes the references of a batch as targets. *texts and *lengths are arrays that the caller
 * frees when the targets are no longer used, also after a failure. The caller holds the read lock
 * of the pool. ALCORE_E_MISSING names the first row without a reference. */
alcore_status alcore__engine_encode_references(const alcore_model *model, const alcore_pool *pool,
                                               const alcore__model_batch *batch,
                                               const char ***texts, size_t **lengths,
                                               alcore__engine_texts *out);

/* ---- training (model_train.c) ---- */

/* alcore__model_table.train and .save of an engine. */
alcore_status alcore__engine_train(alcore_model *model, alcore_pool *pool,
                                   const alcore_train_options *options, alcore_train_result *out);
alcore_status alcore__engine_save(alcore_model *model, const char *path);

/* ---- translation (model_translate.c) ---- */

/* alcore__model_table.translate of an engine. */
alcore_status alcore__engine_translate(alcore_model *model, alcore_pool *pool,
                                       const alcore_translate_options *options, alcore_pool *out);

#endif
