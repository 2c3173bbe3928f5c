/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of models in formats that are not read here: what they are, and what to do. */
#ifndef ALCORE__FOLDER_KIND_H
#define ALCORE__FOLDER_KIND_H

#include "base/base.h"

/* *out: whether the folder has the file. */
alcore_status alcore__folder_has_file(alcore_ctx *ctx, const char *folder, const char *name,
                                      bool *out);
/* *out: whether the folder has weights of transformers. */
alcore_status alcore__folder_has_weights(alcore_ctx *ctx, const char *folder, bool *out);
/* ALCORE_E_UNSUPPORTED with what the folder at path is, by the names of its files, and what to do,
 * where it is a model in a format that is not read; else ALCORE_OK. has_config: it has config.json;
 * then one with weights that transformers reads is left to the engine. */
alcore_status alcore__folder_kind_check(alcore_ctx *ctx, const char *path, bool has_config);

#endif
