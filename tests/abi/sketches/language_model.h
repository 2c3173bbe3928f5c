/* SPDX-License-Identifier: Apache-2.0 */
/* A sketch of what decoder-only language models need of the core: how a folder is opened, in a
 * struct of its own that follows alcore_model_options as new members at its end would, and a call
 * for files of servers. Kinds of numbers (int8), poolings and families are new values and names. */
#ifndef ALCORE_LANGUAGE_MODEL_H
#define ALCORE_LANGUAGE_MODEL_H

#include "alcore/alcore.h"

ALCORE_BEGIN

/* The members that alcore_model_options will get. */
typedef struct alcore_language_model_options {
    size_t size;
    const char *template_text; /* with {source}, {target} and languages; NULL: that of the folder */
    const char *const *verbalizers; /* [verbalizer_count] the word that stands for each class */
    int64_t verbalizer_count;
    const char *lora; /* folder of an adapter that is merged; NULL: none */
} alcore_language_model_options;
#define ALCORE_LANGUAGE_MODEL_OPTIONS_INIT ALCORE_INIT(alcore_language_model_options)

/* Reads the answers of an OpenAI-compatible server as columns of a pool. */
ALCORE_API alcore_status alcore_pool_read_logprobs(alcore_pool *pool, const char *path,
                                                   const char *format,
                                                   const alcore_column_options *options);

ALCORE_END

#endif
