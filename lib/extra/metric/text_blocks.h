/* SPDX-License-Identifier: Apache-2.0 */
/* The files of an alcore_text_files, of which line i of each belong together, read side by side in
 * blocks of lines, so that memory does not grow with the files. */
#ifndef ALCORE__TEXT_BLOCKS_H
#define ALCORE__TEXT_BLOCKS_H

#include "alcore/extra/metric.h"
#include "base/base.h"

/* What a metric reads: how many files, and which. */
typedef struct alcore__text_files_rule {
    int64_t least, most; /* number of files */
    const char *order;   /* which files these are, for the message of a wrong number */
    bool scores_lines;   /* the metric calls alcore_text_files.score; else it must be NULL */
    bool whole;          /* the first file has translations: of files with ids every text of the
                          * others needs one */
} alcore__text_files_rule;

/* One block. Line i of file f is at index f * count + i of the arrays, which are valid during the
 * visit. */
typedef struct alcore__text_block {
    const alcore_text_files *files; /* the caller's struct; its options are not read again */
    int64_t count;                  /* lines of the block, of each file; 1 or more */
    int64_t before;                 /* lines of each file that came before the block */
    const char *const *texts;       /* [files->count * count] valid UTF-8, not ended by NUL */
    const size_t *lengths;          /* [files->count * count] bytes */
    const int64_t *lines; /* [files->count * count] number of the line in its file, from 1; that of
                           * a text differs from its index where a file has a line of names, or
                           * texts of several lines */
} alcore__text_block;

/* Visits all lines of the files, block by block in their order. A failure of visit ends the reading
 * and is returned. ALCORE_E_DATA: a file is empty, is longer than another, or has a text that is
 * not UTF-8; the message names the file. Cost beside the visits: one pass over the bytes; memory:
 * a batch and the texts of a block of each file, 8 MiB and one line of each at most. */
alcore_status alcore__text_blocks_visit(
    alcore_ctx *ctx, const alcore_text_files *files, const alcore__text_files_rule *rule,
    alcore_status (*visit)(void *data, const alcore__text_block *block), void *data);

#endif
