/* SPDX-License-Identifier: Apache-2.0 */
/* One of the files that text_blocks.c reads side by side: its records in order, or by their ids.
 *
 * A record that is asked for by id before its turn is reached is looked for by reading on; the
 * texts that are passed on the way are kept until they are asked for. Of files in the same order
 * nothing is kept but the ids, which have to be distinct. */
#ifndef ALCORE__TEXT_FILE_H
#define ALCORE__TEXT_FILE_H

#include "pool/id_join.h"

enum { ALCORE__BLOCK_LINES = 8192 /* texts of a block, of each file, at most */ };

/* A zeroed struct with its path set is a file that was not opened. */
typedef struct alcore__text_file {
    const char *path;
    alcore_read_options options; /* valid while the reader is open */
    alcore__record_reader *reader;
    const alcore__record *records;      /* [count] the batch that is being copied */
    int64_t count, at;                  /* records of the batch; the next one */
    int64_t texts;                      /* records that were copied so far, of all blocks */
    alcore__buffer bytes;               /* the texts of the block, one after the other */
    size_t length[ALCORE__BLOCK_LINES]; /* bytes of each text of the block */
    int64_t line[ALCORE__BLOCK_LINES];  /* line of the file that each begins in, from 1 */

    alcore__id_use ids;
    bool by_id;                       /* its records are asked for by their ids */
    alcore__id_list list;             /* of the records that were read, where ids count */
    alcore__buffer kept;              /* texts that were read and not asked for so far */
    struct alcore__kept_text *places; /* [list.ids.count] where each text is in kept */
    size_t places_capacity;
    alcore__join_tally tally; /* of a file that is joined by id to the first one */
} alcore__text_file;

/* Opens a file by its options with its first batch. */
alcore_status alcore__text_file_open(alcore_ctx *ctx, alcore__text_file *file);
void alcore__text_file_close(alcore_ctx *ctx, alcore__text_file *file);

/* Makes the next record of a file the one at file->at; *more: there is one. */
alcore_status alcore__text_file_next(alcore__text_file *file, bool *more);
/* Copies the record at file->at, which becomes text `index` of the block. */
alcore_status alcore__text_file_copy(alcore_ctx *ctx, alcore__text_file *file, int64_t index);
/* Copies the record with the id `id` [length], which becomes text `index` of the block; *found:
 * there is one. It is asked for once. */
alcore_status alcore__text_file_find(alcore_ctx *ctx, alcore__text_file *file, const char *id,
                                     size_t length, int64_t index, bool *found);
/* Reads a file that is joined by id to its end, and lists the ids that were not asked for. */
alcore_status alcore__text_file_drain(alcore_ctx *ctx, alcore__text_file *file);

#endif
