/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of texts without a trained network: TF-IDF of character n-grams, projected at random.
 *
 * The features of a text are the n-grams of 3, 4 and 5 code points of each of its words (spec 1.1),
 * with a space before and behind the word; case and everything else stay as they are. An n-gram g
 * has the hash h(g) = scramble(FNV-1a64 of its UTF-8 bytes) with scramble the last three lines of
 * spec 1.7's mix, and the bucket b(g) = the 20 highest bits of h(g). With D texts learnt, df(b) of
 * which have an n-gram in b:
 *
 *     idf(b) = float32(1 + ln((1 + D) / (1 + df(b))))
 *     v      = sum of idf(b(g)) * r(g) over all occurrences of n-grams g, words in the order of the
 *              text, in a word by first code point, then by length; in double, from +0.0 on
 *     row    = float32(v / sqrt(sum of v_j * v_j, in order of j)); all +0 if the sum is 0
 *
 * r(g) is a sparse random vector of signs: the columns are cut into S = min(8, dims) slices, slice
 * s from column s * dims / S to before (s + 1) * dims / S, and r(g) is +1 or -1 in one column of
 * each slice, else 0. The 16-bit pieces, lowest first, of scramble((h(g) ^ seed') + (k + 1) * G)
 * for k = 0, 1 (four slices each) say which: with piece p of a slice of w columns, column floor((p
 * >> 1) * w / 32768) of the slice, sign - if p is odd. seed' = derive(seed, 0, 0, 0) and G are
 * those of spec 1.7. Scaling a text's TF-IDF vector to length 1 before the projection would change
 * nothing, since the row is scaled to length 1 after it: cosines of rows estimate cosines of TF-IDF
 * vectors with a standard error of at most about 1 / sqrt(dims).
 *
 * Rows are made on demand (char_rows.h), on any thread, and have the same bits everywhere where ln
 * has; what is learnt is integers, so it does not depend on who learns which texts first. */
#ifndef ALCORE__CHAR_EMBEDDING_H
#define ALCORE__CHAR_EMBEDDING_H

#include "base/base.h"

#define ALCORE__CHAR_DEFAULT_DIMS 256
#define ALCORE__CHAR_MAX_DIMS 4096

typedef struct alcore__char_embedder alcore__char_embedder;

/* dims: 1 .. ALCORE__CHAR_MAX_DIMS. 12 MiB while learning, then 4 MiB. */
alcore_status alcore__char_embedder_new(alcore_ctx *ctx, int32_t dims, uint64_t seed,
                                        alcore__char_embedder **out);
/* Counts one text; one thread per embedder. */
void alcore__char_embedder_learn(alcore__char_embedder *embedder, const char *text, size_t length);
/* Adds what `other` has learnt, as if it had been learnt here. */
void alcore__char_embedder_merge(alcore__char_embedder *embedder,
                                 const alcore__char_embedder *other);
/* Ends the learning: computes the weights from the counts, which are freed. Rows can be made from
 * then on (char_rows.h), and no text can be learnt any more. */
void alcore__char_embedder_finish(alcore__char_embedder *embedder);
void alcore__char_embedder_free(alcore__char_embedder *embedder); /* NULL-safe */

#endif
