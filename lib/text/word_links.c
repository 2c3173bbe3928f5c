/* SPDX-License-Identifier: Apache-2.0 */
/* Freeing links of words (word_links.h); whoever makes them fills their arrays. */
#include "text/word_links.h"

void alcore__links_clear(alcore_ctx *ctx, alcore__links *links) {
    alcore__free(ctx, links->begin);
    alcore__free(ctx, links->link);
    alcore__free(ctx, links->path);
    *links = (alcore__links){0};
}
