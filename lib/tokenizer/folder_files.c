/* SPDX-License-Identifier: Apache-2.0 */
/* Reading whole files (folder_files.h). */
#include "tokenizer/folder_files.h"

/* Larger files are refused: those of tokenizers that exist have 33 MB and less. */
#define MAX_BYTES ((size_t)1 << 30)

/* Appends the whole file to *out, which is empty, as its length is the place in the file. */
static alcore_status read_open_file(alcore_ctx *ctx, alcore__file *file, alcore__buffer *out) {
    enum { PART = 1 << 20 };
    size_t bytes = PART;
    while (bytes == PART) {
        if (out->length > MAX_BYTES)
            return alcore__fail(ALCORE_E_DATA, "%s has more than %zu bytes",
                                alcore__file_path(file), MAX_BYTES);
        ALCORE__TRY(alcore__tick(ctx, "reading the tokenizer", (int64_t)out->length, -1));
        ALCORE__TRY(alcore__buffer_reserve(ctx, out, PART));
        ALCORE__TRY(
            alcore__file_read(file, (int64_t)out->length, out->data + out->length, PART, &bytes));
        out->length += bytes;
    }
    return ALCORE_OK;
}

alcore_status alcore__folder_read_file(alcore_ctx *ctx, const char *path, alcore__buffer *out) {
    alcore__file *file;
    ALCORE__TRY(alcore__file_open(ctx, path, &file));
    const alcore_status status = read_open_file(ctx, file, out);
    alcore__file_close(file);
    return status;
}

/* A file that cannot be opened (ALCORE_E_IO) counts as missing; one that cannot be read is a
 * failure. */
alcore_status alcore__folder_read(alcore_ctx *ctx, const char *folder, const char *name,
                                  alcore__buffer *path, alcore__buffer *out, bool *found) {
    alcore__file *file;
    *found = false;
    out->length = path->length = 0;
    ALCORE__TRY(alcore__buffer_format(ctx, path, "%s/%s", folder, name));
    alcore_status status = alcore__file_open(ctx, path->data, &file);
    if (status == ALCORE_E_IO) return ALCORE_OK;
    ALCORE__TRY(status);
    status = read_open_file(ctx, file, out);
    alcore__file_close(file);
    *found = status == ALCORE_OK;
    return status;
}
