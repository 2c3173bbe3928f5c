/* SPDX-License-Identifier: Apache-2.0 */
/* A column of numbers whose rows lie in pieces: rows of another column, and rows in memory. For the
 * rows of a shard with those of its last block that another shard has sent (lib/extra/job). It is
 * read on the host, and no pool has it. */
#ifndef ALCORE__COLUMN_JOINED_H
#define ALCORE__COLUMN_JOINED_H

#include "pool/column.h"

/* What blocks of a column have in common, in all pieces. */
typedef struct alcore__column_form {
    char name[32];
    int64_t dims;
    double log_scale;
    int32_t dtype, meaning; /* as in alcore__column */
    int32_t ragged, per_word;
} alcore__column_form;
alcore__column_form alcore__column_form_of(const alcore__column *column);

/* Rows first .. end - 1 of the joined column. */
typedef struct alcore__column_piece {
    int64_t first, end;
    const alcore__column
        *column;      /* borrowed: whose row 0 is the first one; NULL: it is in memory */
    char *values;     /* [end - first, dims] or [tokens, dims], in the dtype; owned by the column */
    int64_t *offsets; /* [end - first + 1] of a ragged column, from 0; owned likewise */
} alcore__column_piece;

/* Makes a column of `rows` rows, of which those outside the pieces [count], ascending, have no
 * entry. On success the column owns the array of pieces and the memory of each; freed with
 * alcore__column_free(). */
alcore_status alcore__column_join(alcore_ctx *ctx, const alcore__column_form *form, int64_t rows,
                                  alcore__column_piece *pieces, int64_t count,
                                  alcore__column **out);
/* Frees pieces that no column owns. */
void alcore__column_pieces_free(alcore_ctx *ctx, alcore__column_piece *pieces, int64_t count);

#endif
