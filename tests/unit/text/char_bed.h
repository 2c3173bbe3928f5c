/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of embeddings of character n-grams share: an embedder that has learnt texts, the
 * row of a text, and what an n-gram adds to it by the formula. */
#ifndef CHAR_BED_H
#define CHAR_BED_H

#include "text/char_rows.h"

extern alcore_ctx *char_ctx; /* of the test that runs */

void char_setup(void);
void char_teardown(void);

/* An embedder that has learnt texts [count], and may learn more; the caller frees it. */
alcore__char_embedder *char_learnt(int32_t dims, uint64_t seed, const char *const *texts,
                                   int count);

/* row [dims]: that of a text. */
void char_embed(const alcore__char_embedder *embedder, const char *text, float *row);

/* sum [dims] += idf * r(g) for the n-gram g, by the formula of char_embedding.h, written once
 * more. */
void char_add(double *sum, int dims, uint64_t seed, const char *gram, double idf);

#endif
