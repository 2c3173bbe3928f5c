/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of texts by an alcore__char_embedder that has learnt (char_embedding.h has the
 * formula). One alcore__char_rows belongs to one thread, which calls it for many texts: words that
 * recur, there or in others of the embedder, are not hashed again. */
#ifndef ALCORE__CHAR_ROWS_H
#define ALCORE__CHAR_ROWS_H

#include "text/char_embedding.h"

typedef struct alcore__char_rows alcore__char_rows;

/* embedder: after alcore__char_embedder_finish(); it must outlive the object. All objects of an
 * embedder together grow with the texts, up to 50 MiB. */
alcore_status alcore__char_rows_new(const alcore__char_embedder *embedder, alcore__char_rows **out);
/* Writes the rows of texts [count], of lengths [count] bytes: out [count, dims], vectors of length
 * 1, or 0 for a text without words. They do not depend on the texts before. */
void alcore__char_rows_make(alcore__char_rows *self, const char *const *texts,
                            const size_t *lengths, int64_t count, float *out);
void alcore__char_rows_free(alcore__char_rows *self); /* NULL-safe */

#endif
