/* SPDX-License-Identifier: Apache-2.0 */
/* Files of links: the calls that read and write them (formats/pharaoh.c has the notation). */
#include "extra/aligner/links_handle.h"
#include "formats/byte_stream.h"
#include "formats/pharaoh.h"

/* The handle takes over the links, also where it cannot be made. */
alcore_status alcore_links_open(alcore_ctx *ctx, const char *path, int64_t pairs,
                                alcore_links **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path || !out || pairs < -1)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "ctx, path or out is NULL, or pairs below -1"));
    alcore__links links;
    alcore_status status = alcore__pharaoh_read(ctx, path, pairs, &links);
    if (status == ALCORE_OK) status = alcore__links_handle_new(ctx, &links, out);
    return alcore__leave(ctx, status);
}

alcore_status alcore_links_write(const alcore_links *links, const char *path) {
    alcore_ctx *ctx = !links ? NULL : links->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!links || !path)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "links or path is NULL"));
    size_t base;
    if (alcore__stream_compressed(path, &base))
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_UNSUPPORTED, "%s: links are written uncompressed", path));
    return alcore__leave(ctx, alcore__pharaoh_write(ctx, path, &links->links));
}
