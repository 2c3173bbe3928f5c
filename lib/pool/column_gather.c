/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of rows that are assembled in scratch, because consecutive rows do not have consecutive
 * entries or because the values have to be fetched from a file. A block is cut into runs: either
 * rows with consecutive entries, which one fetch copies, or rows without an entry. */
#include "pool/column_array.h"

/* Assembles pool rows first .. first + count - 1 of a dense column in scratch->values [count,
 * dims], without gaps, where they stay until its next use; rows without an entry are filled with
 * the "no value" of the dtype (NaN, or the smallest integer). fetch: copies consecutive entries of
 * this kind of column. Called by the column's ops.rows. */
alcore_status alcore__gather_rows(const alcore__column *column, int64_t first, int64_t count,
                                  alcore__fetch fetch, alcore__scratch *scratch,
                                  alcore_sys_rows *out) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        count, bytes));
    char *destination = scratch->values;
    for (int64_t done = 0; done < count;) {
        int64_t entry;
        const int64_t run = alcore__column_run(column, first + done, count - done, &entry);
        if (entry < 0)
            alcore__fill_missing(column->dtype, destination, run * column->dims);
        else
            ALCORE__TRY(fetch(column, entry, run, destination));
        destination += (size_t)run * bytes;
        done += run;
    }
    *out = (alcore_sys_rows){.data = scratch->values,
                             .first = first,
                             .count = count,
                             .dims = column->dims,
                             .stride = column->dims,
                             .dtype = column->dtype};
    return ALCORE_OK;
}

/* Assembles pool rows first .. first + count - 1 of a ragged column in scratch: first the
 * offsets, which say how much memory the values need, then the values. offsets [entries + 1] are
 * the column's, by entry, from 0; rows without an entry get no tokens. Tokens of consecutive
 * entries are consecutive, so that fetch copies those of a whole run. Called by the column's
 * ops.ragged. */
alcore_status alcore__gather_ragged(const alcore__column *column, int64_t first, int64_t count,
                                    const int64_t *offsets, alcore__fetch fetch,
                                    alcore__scratch *scratch, alcore_sys_ragged *out) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->offsets, &scratch->offsets_bytes,
                                        count + 1, sizeof(int64_t)));
    /* [count + 1] where the tokens of each row begin in the block. */
    int64_t *row_starts = scratch->offsets;
    row_starts[0] = 0;
    for (int64_t done = 0; done < count;) {
        int64_t entry;
        const int64_t run = alcore__column_run(column, first + done, count - done, &entry);
        for (int64_t i = 0; i < run; i++, done++)
            row_starts[done + 1] =
                row_starts[done] + (entry < 0 ? 0 : offsets[entry + i + 1] - offsets[entry + i]);
    }
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        row_starts[count], bytes));
    for (int64_t done = 0; done < count;) {
        int64_t entry;
        const int64_t run = alcore__column_run(column, first + done, count - done, &entry);
        const int64_t tokens = row_starts[done + run] - row_starts[done];
        if (tokens > 0)
            ALCORE__TRY(fetch(column, offsets[entry], tokens,
                              (char *)scratch->values + (size_t)row_starts[done] * bytes));
        done += run;
    }
    *out = (alcore_sys_ragged){.values = scratch->values,
                               .offsets = row_starts,
                               .first = first,
                               .count = count,
                               .classes = column->dims,
                               .dtype = column->dtype};
    return ALCORE_OK;
}
