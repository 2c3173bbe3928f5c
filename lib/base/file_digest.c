/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of files: XXH3 of 128 bits of their bytes, as xxh128sum prints it. Experiments and
 * projects know files by them. Memory is that of one block. */
/* With the code in the header, as the size of a state that a shared library works on is not known
 * here, and its own calls allocate one behind the back of the context. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"

enum { BLOCK_BYTES = 1 << 20 };

/* Adds the bytes of a file to the state, and to the copy unless that is NULL. */
static alcore_status read_through(alcore_ctx *ctx, alcore__file *file, alcore__writer *copy,
                                  XXH3_state_t *state, int64_t *bytes) {
    int64_t length = -1;
    size_t got = 1;
    char *block;
    ALCORE__TRY(alcore__file_length(file, &length));
    ALCORE__TRY(alcore__new_array(ctx, BLOCK_BYTES, 1, &block));
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && got > 0) {
        status = alcore__file_read(file, *bytes, block, BLOCK_BYTES, &got);
        if (status != ALCORE_OK) break;
        XXH3_128bits_update(state, block, got);
        *bytes += (int64_t)got;
        if (copy) status = alcore__writer_put(copy, block, got);
        if (status == ALCORE_OK)
            status = alcore__tick(ctx, copy ? "copying" : "comparing", *bytes, length);
    }
    alcore__free(ctx, block);
    return status;
}

alcore_status alcore__file_digest(alcore_ctx *ctx, alcore__file *file, alcore__writer *copy,
                                  char digest[ALCORE__HASH_TEXT_BYTES], int64_t *bytes) {
    XXH3_state_t state = {0};
    XXH3_128bits_reset(&state);
    *bytes = 0;
    const alcore_status status = read_through(ctx, file, copy, &state, bytes);
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    alcore__hash_print((alcore__hash){.low = hash.low64, .high = hash.high64}, digest);
    return status;
}

alcore_status alcore__path_digest(alcore_ctx *ctx, const char *path,
                                  char digest[ALCORE__HASH_TEXT_BYTES], int64_t *bytes) {
    alcore__file *file;
    digest[0] = '\0';
    *bytes = 0;
    ALCORE__TRY(alcore__file_open(ctx, path, &file));
    const alcore_status status = alcore__file_digest(ctx, file, NULL, digest, bytes);
    alcore__file_close(file);
    return status;
}
