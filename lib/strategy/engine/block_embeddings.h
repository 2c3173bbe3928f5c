/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a block's embeddings that are kept between passes: block_matrix.c reads rows,
 * block_memory.c decides whether and where a copy stays. */
#ifndef ALCORE__BLOCK_EMBEDDINGS_H
#define ALCORE__BLOCK_EMBEDDINGS_H

#include "strategy/engine/runner.h"

/* The kept copy of the active rows, numbered by position; out has dims and dtype. False: none. */
bool alcore__block_find_copy(const alcore__block *block, alcore_sys_rows *out);
/* Makes one where that pays. rows and mask: the rows as they were just read. */
alcore_status alcore__block_make_copy(alcore__block *block, const alcore__column *column,
                                      const alcore__scratch *reader, const alcore_sys_rows *rows,
                                      const uint8_t *mask);

#endif
