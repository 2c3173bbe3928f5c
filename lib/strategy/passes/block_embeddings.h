/* SPDX-License-Identifier: Apache-2.0 */
/* Where a block's embeddings are read, and copies of them that are kept between passes:
 * block_matrix.c reads rows, block_memory.c decides whether and where a copy stays. */
#ifndef ALCORE__BLOCK_EMBEDDINGS_H
#define ALCORE__BLOCK_EMBEDDINGS_H

#include "strategy/passes/runner.h"

/* The column that the vectors of a source are read from; NULL: there is none. */
const alcore__column *alcore__source_embeddings(const alcore__run *run,
                                                enum alcore__row_source source);
/* Sets out, whose dims and dtype the caller has set, to the copy of the block's active rows
 * [active rows, dims] that an earlier pass kept, numbered by position. False: there is none. */
bool alcore__block_find_copy(const alcore__block *block, alcore_sys_rows *out);
/* Makes and keeps a copy of the active rows where that saves time in later passes. rows, and mask
 * [rows->count] (NULL: all are active), are the rows as they were just read from the column with
 * the buffer `reader`. */
alcore_status alcore__block_make_copy(alcore__block *block, const alcore__column *column,
                                      const alcore__scratch *reader, const alcore_sys_rows *rows,
                                      const uint8_t *mask);

#endif
