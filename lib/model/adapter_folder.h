/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of PEFT that hold an adapter (LoRA) instead of a model: adapter_config.json, which names
 * the folder of the weights that the adapter changes (its base), and adapter_model.safetensors. */
#ifndef ALCORE__ADAPTER_FOLDER_H
#define ALCORE__ADAPTER_FOLDER_H

#include "base/base.h"

/* *out: the folder of the base where the folder at path holds an adapter and no weights of its own,
 * owned by the caller; else NULL. base_model_name_or_path of adapter_config.json names it: an
 * absolute path, or one relative to the folder or, where it is not there, to the working directory.
 * ALCORE_E_NOT_FOUND: it names no folder with config.json, such as the name of a model of a hub. */
alcore_status alcore__adapter_base(alcore_ctx *ctx, const char *path, char **out);

#endif
