/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read where they lie (alcore__file_map in base.h): for tables of which a call needs
 * a few rows, so that opening costs no memory and two processes share one copy.
 *
 * The price: a program that cuts the file off while it is mapped takes its last pages away, and
 * whoever reads them is killed by SIGBUS. A file that is replaced by renaming another one over it,
 * as all programs that save models do it, stays as it was for those who have mapped it. Callers
 * look at the length before they begin to read (alcore__file_map_check()), so that only a cut
 * during a call can do harm. */
#include <errno.h>
#include <sys/mman.h>

#include "base/state.h"

/* Reads the whole file through the file table. */
static alcore_status read_copy(alcore_ctx *ctx, alcore__file_map *map) {
    ALCORE__TRY(alcore__new_array(ctx, map->bytes, 1, &map->copy));
    map->data = map->copy;
    return alcore__file_read_all(map->file, 0, map->copy, map->bytes);
}

/* Maps a file of the file system, or reads one of the host's. */
static alcore_status fill(alcore_ctx *ctx, alcore__file_map *map) {
    int64_t length;
    ALCORE__TRY(alcore__file_length(map->file, &length));
    if (length <= 0)
        return alcore__fail(ALCORE_E_DATA, "'%s' is empty or a stream",
                            alcore__file_path(map->file));
    map->bytes = (size_t)length;
    const int descriptor = alcore__file_descriptor_of(map->file);
    if (descriptor < 0) return read_copy(ctx, map);
    void *data = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED)
        return errno == ENOMEM ? alcore__fail_memory(map->bytes)
                               : alcore__fail_system(errno, "map", alcore__file_path(map->file));
    map->data = data;
    return ALCORE_OK;
}

alcore_status alcore__file_map_open(alcore_ctx *ctx, alcore__file *file, alcore__file_map *out) {
    *out = (alcore__file_map){.file = file};
    const alcore_status status = fill(ctx, out);
    if (status != ALCORE_OK) alcore__file_map_close(ctx, out);
    return status;
}

alcore_status alcore__file_map_check(const alcore__file_map *map) {
    int64_t length;
    if (map->copy) return ALCORE_OK;
    ALCORE__TRY(alcore__file_length(map->file, &length));
    if (length >= 0 && (uint64_t)length >= map->bytes) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "'%s' was cut to %lld of %zu bytes since it was opened",
                        alcore__file_path(map->file), (long long)length, map->bytes);
}

void alcore__file_map_close(alcore_ctx *ctx, alcore__file_map *map) {
    if (map->data && !map->copy) munmap((void *)map->data, map->bytes);
    alcore__free(ctx, map->copy);
    alcore__file_close(map->file);
    *map = (alcore__file_map){0};
}
