/* SPDX-License-Identifier: Apache-2.0 */
/* ByteLevel: GPT-2's rule to cut a text, and its map from bytes to visible characters. */
#ifndef ALCORE__BYTE_LEVEL_H
#define ALCORE__BYTE_LEVEL_H

#include "tokenizer/aligned_text.h"

/* The end of the word that begins at `begin`, which is below length, by GPT-2's expression
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
size_t alcore__byte_level_word(const char *text, size_t length, size_t begin);
/* Appends a text in which each byte is the character that stands for it, of 1 or 2 bytes. */
alcore_status alcore__byte_level_map(alcore_ctx *ctx, const alcore__view *view,
                                     alcore__aligned *out);
/* The byte that a character stands for; -1: none. */
int alcore__byte_level_byte(int32_t point);

#endif
