/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a public call: (texts, lengths, count) as every header has them. */
#ifndef ALCORE__TEXTS_H
#define ALCORE__TEXTS_H

#include "base/base.h"

/* Borrowed arrays of the caller. */
typedef struct alcore__texts {
    const char *const *texts; /* [count] */
    const size_t *lengths;    /* [count] bytes; NULL: NUL-terminated */
    int64_t count;
} alcore__texts;

/* ALCORE_E_INVALID for a negative count or a NULL, naming the text; a NULL text of length 0 is
 * an empty text. what: the argument's name, for the error. */
alcore_status alcore__texts_check(const alcore__texts *texts, const char *what);
/* The first byte of a text, not NULL; *length is its number of bytes. */
const char *alcore__texts_get(const alcore__texts *texts, int64_t index, size_t *length);

#endif
