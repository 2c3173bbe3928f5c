/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that have sentencepiece models and no tokenizer.json. */
#ifndef ALCORE__PIECES_FOLDER_H
#define ALCORE__PIECES_FOLDER_H

#include "tokenizer/tokenizer_handle.h"

/* Fills the empty tokenizer. config: the object of tokenizer_config.json; where the folder has
 * none, its cursor has no value. *found: the folder has a sentencepiece model of a name that is
 * known. ALCORE_E_UNSUPPORTED: a class of tokenizers that is not known, which is named. */
alcore_status alcore__pieces_folder_read(alcore_ctx *ctx, const char *folder,
                                         const alcore__part *config, alcore_tokenizer *tokenizer,
                                         bool *found);
/* Fills the empty tokenizer from a sentencepiece model alone: the ids are those of its pieces, and
 * nothing is added around a text. */
alcore_status alcore__pieces_file_read(alcore_ctx *ctx, const char *path,
                                       alcore_tokenizer *tokenizer);

#endif
