/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that stay in a file. An entry is what the column has of one pool row: dims values, or, of
 * a ragged column, a list of tokens of dims values each. Values lie in the file without gaps, in
 * any byte order, row after row or, of a .npy in Fortran order, column after column.
 * Blocks are read, never mapped into memory: another program may truncate the file while it is in
 * use, and reading a mapped page that is gone would end the process.
 *
 * A program that writes the file anew in place would change the values between two passes, or
 * within one. So the time and the length of the open file are compared behind every read with those
 * that it had when the column was set: what was read before them is what the column was. A file
 * that takes the place of this one is another file, which is not read. */
#include "pool/column_array.h"

typedef struct file_array {
    alcore__file *file;
    alcore__array_info info;  /* where and how the values lie in it */
    int64_t *offsets;         /* [entries + 1] tokens of a ragged column, else NULL */
    alcore__file_state state; /* of the file when the column was set */
} file_array;

/* Reads entries (or tokens) entry .. entry + count - 1 from the file to destination, where they lie
 * without gaps. */
static alcore_status fetch(const alcore__column *column, int64_t entry, int64_t count,
                           char *destination) {
    const file_array *array = column->data;
    const alcore_status status =
        alcore__array_read(array->file, &array->info, entry, count, destination);
    alcore__file_state now;
    alcore__file_state_of(array->file, &now);
    if (alcore__file_state_equal(&now, &array->state)) return status;
    return alcore__fail(
        ALCORE_E_DATA,
        "%s was written to while it was read: it must stay as it is while the column "
        "\"%s\" is there; set the column again",
        alcore__file_path(array->file), column->name);
}

/* ops.rows and ops.ragged: pool rows first .. first + count - 1 in *out. Every block is assembled
 * in scratch, run by run of rows with consecutive entries, as nothing of the file is in memory. */
static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    return alcore__gather_rows(column, first, count, fetch, scratch, out);
}

static alcore_status read_ragged(const alcore__column *column, int64_t first, int64_t count,
                                 alcore__scratch *scratch, alcore_sys_ragged *out) {
    const file_array *array = column->data;
    return alcore__gather_ragged(column, first, count, array->offsets, fetch, scratch, out);
}

/* ops.release: closes the file and frees the offsets. */
static void release_file(alcore__column *column) {
    file_array *array = column->data;
    alcore__file_close(array->file);
    alcore__free(column->ctx, array->offsets);
    alcore__free(column->ctx, array);
}

static const alcore__column_ops dense_ops = {.rows = read_rows, .release = release_file};
static const alcore__column_ops ragged_ops = {.ragged = read_ragged, .release = release_file};

/* Called when the file's header was read and checked; offsets [entries + 1], owned by the column
 * from now on, NULL: it is not ragged. A failure leaves file and offsets to the caller. */
alcore_status alcore__column_set_file(alcore__column *column, alcore__file *file,
                                      const alcore__array_info *info, int64_t *offsets) {
    file_array *array;
    ALCORE__TRY(alcore__new_array(column->ctx, 1, sizeof *array, &array));
    *array = (file_array){.file = file, .info = *info, .offsets = offsets};
    alcore__file_state_of(file, &array->state);
    column->data = array;
    column->in_file = true;
    column->ragged = offsets;
    column->token_count = offsets ? info->shape[0] : 0;
    column->ops = column->ragged ? &ragged_ops : &dense_ops;
    return ALCORE_OK;
}
