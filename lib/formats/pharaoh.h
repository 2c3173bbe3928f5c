/* SPDX-License-Identifier: Apache-2.0 */
/* Word alignments as text in Pharaoh's notation: one line per sentence pair, links "i-j" (source
 * word i, target word j, both from 0) with spaces between them. */
#ifndef ALCORE__PHARAOH_H
#define ALCORE__PHARAOH_H

#include "text/word_links.h"

/* Reads a file (.gz, .xz, .zst are decompressed; "-" is standard input). An empty line is a pair
 * without links; links may come in any order and more than once. pairs: how many lines there are to
 * be, -1 for any number. ALCORE_E_DATA names the file, the line and what is wrong. */
alcore_status alcore__pharaoh_read(alcore_ctx *ctx, const char *path, int64_t pairs,
                                   alcore__links *out);
/* The same file for a caller who reads as many pairs at a time as it wants. */
typedef struct alcore__pharaoh_reader alcore__pharaoh_reader;
alcore_status alcore__pharaoh_open(alcore_ctx *ctx, const char *path, alcore__pharaoh_reader **out);
/* *out: view of the links of the next `pairs` pairs, valid until the next call. ALCORE_E_DATA when
 * the file has fewer lines. */
alcore_status alcore__pharaoh_next(alcore__pharaoh_reader *reader, int64_t pairs,
                                   const alcore__links **out);
/* ALCORE_E_DATA unless all lines were read. */
alcore_status alcore__pharaoh_end(alcore__pharaoh_reader *reader);
void alcore__pharaoh_close(alcore__pharaoh_reader *reader); /* NULL-safe */
/* Writes the links of every pair in (source, target) order. */
alcore_status alcore__pharaoh_write(alcore_ctx *ctx, const char *path, const alcore__links *links);

#endif
