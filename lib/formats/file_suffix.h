/* SPDX-License-Identifier: Apache-2.0 */
/* Which format the suffix of a path names (docs/formats.md). A suffix of compression is left out of
 * account, and so is the case of letters. */
#ifndef ALCORE__FILE_SUFFIX_H
#define ALCORE__FILE_SUFFIX_H

#include "alcore/format.h"
#include "base/base.h"

/* What is known of a path by its suffix. */
typedef struct alcore__file_suffix {
    char text[16];      /* the suffix in small letters, ".csv"; "": there is none */
    int32_t format;     /* ALCORE_FORMAT_TEXT, _TSV, ...: what it is read as */
    const char *advice; /* NULL, or the file is not read: what to do about it */
    bool guessed;       /* nothing is known about the suffix: text only if the content is */
} alcore__file_suffix;
alcore__file_suffix alcore__file_suffix_of(const char *path);

/* Fails with ALCORE_E_DATA where a file with that suffix is not read. */
alcore_status alcore__file_suffix_check(const char *path, const alcore__file_suffix *suffix);

#endif
