/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a column builder share: its entries and the values of an input
 * (column_builder_entries.c), and values on a device (column_builder_device.c). */
#ifndef ALCORE__COLUMN_BUILDER_PARTS_H
#define ALCORE__COLUMN_BUILDER_PARTS_H

#include "pool/column_builder.h"

/* Checks an input before any of it is stored: rows inside the pool, lengths of 0 or more (of a
 * ragged column; lengths is not NULL then) that add up to the rows of the matrix, values of the
 * same kind (integers or floats) and number (dims) as those put before. */
alcore_status alcore__builder_check(const alcore__column_builder *builder,
                                    const alcore__builder_input *input);
/* Grows rows and offsets for that many entries more. */
alcore_status alcore__builder_reserve_entries(alcore__column_builder *builder, int64_t entries);
/* Appends an entry of a row, with `length` tokens; false: the row has one already, which is counted
 * in repeats. */
bool alcore__builder_append_entry(alcore__column_builder *builder, int64_t row, int64_t length);
/* Removes what a put that failed or was cancelled has appended. before: the builder as it was; its
 * arrays may have moved since. If no entry is left, the next put decides again how many values of
 * which type a row has. */
void alcore__builder_undo(alcore__column_builder *builder, const alcore__column_builder *before);

/* Rows first .. first + count - 1 of the matrix of an input, in host memory at rows. */
typedef struct alcore__builder_window {
    const char *rows;
    int64_t first, count;
} alcore__builder_window;
/* Writes rows first .. first + count - 1 of the input's matrix to out, without gaps, as values of
 * dtype. Rows that are not in the window are fetched into it. */
alcore_status alcore__builder_read_rows(const alcore__builder_input *input,
                                        alcore__builder_window *here, int32_t dtype, int64_t first,
                                        int64_t count, char *out);

/* Frees memory of a device; none is nothing. */
void alcore__builder_release_there(alcore__column_builder *builder);
/* Makes the column of values on a device and puts it into the pool. After a success the builder has
 * what the column did not take, to be cleared; after a failure it is as before, and the caller
 * frees the column. */
alcore_status alcore__builder_finish_there(alcore__column_builder *builder, alcore_pool *pool,
                                           alcore__column *column);

#endif
