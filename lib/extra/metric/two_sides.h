/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that labels and spans are compared in: gold ones and predicted ones, line by line. Side
 * 0 is gold, side 1 predicted, in all arrays of two; lines count from 0, in messages from 1. */
#ifndef ALCORE__TWO_SIDES_H
#define ALCORE__TWO_SIDES_H

#include "extra/metric/text_blocks.h"

/* Gold and predicted texts: all of a call, borrowed from the caller, or those of one block of its
 * files. */
typedef struct alcore__two_sides {
    const char *const *texts[2]; /* [count] gold, predicted */
    const size_t *lengths[2];    /* [count] bytes, or NULL: NUL-terminated */
    int64_t count;
    const alcore__text_block *block; /* of files; NULL: the caller's texts */
} alcore__two_sides;

enum { ALCORE__PLACE_BYTES = 1024 }; /* of the text of a place, which is cut there */

extern const char *const alcore__two_sides_names[2]; /* by side, for messages */

/* The files of a call. */
extern const alcore__text_files_rule alcore__two_sides_files;

/* Writes where a line of a side is found: "line 3 of gold", or of files "gold tags.txt:3". */
const char *alcore__two_sides_line(const alcore__two_sides *sides, int64_t line, int side,
                                   char place[ALCORE__PLACE_BYTES]);

/* Writes where a line of both sides is found: "line 3", or of files "gold tags.txt:3, predicted
 * found.txt:3". */
const char *alcore__two_sides_lines(const alcore__two_sides *sides, int64_t line,
                                    char place[ALCORE__PLACE_BYTES]);

/* The texts of a block of files. */
alcore__two_sides alcore__two_sides_of_block(const alcore__text_block *block);

/* Polls cancellation and reports progress at a line; how many lines files have is not known. */
alcore_status alcore__two_sides_tick(alcore_ctx *ctx, const char *stage,
                                     const alcore__two_sides *sides, int64_t line);

/* Checks that both sides have sides->count texts and none is NULL; the error names the line and the
 * side, of a longer side the first line that the other lacks. */
alcore_status alcore__two_sides_check(const alcore__two_sides *sides, int64_t predicted_count);

/* The text of a line of a side, and its bytes; both were checked. */
const char *alcore__two_sides_text(const alcore__two_sides *sides, int side, int64_t line,
                                   size_t *length);

#endif
