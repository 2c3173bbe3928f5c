/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole files of a model's folder. */
#ifndef ALCORE__FOLDER_FILES_H
#define ALCORE__FOLDER_FILES_H

#include "base/base.h"

/* Reads the whole file at path to *out, which is empty. */
alcore_status alcore__folder_read_file(alcore_ctx *ctx, const char *path, alcore__buffer *out);
/* Reads FOLDER/NAME to *out, over what it had; *path then names the file. *found: whether it is
 * there; if not, *out is empty. */
alcore_status alcore__folder_read(alcore_ctx *ctx, const char *folder, const char *name,
                                  alcore__buffer *path, alcore__buffer *out, bool *found);

#endif
