/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else: prints the library's version after a call that needs every part of
 * it. */
#include <alcore/alcore.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    static const char *const texts[] = {"a first text", "a second text", "a third one"};
    alcore_ctx *ctx;
    alcore_pool *pool;
    int good = strcmp(alcore_version(), ALCORE_VERSION) == 0 && alcore_abi() == ALCORE_ABI;
    if (alcore_ctx_new(NULL, &ctx) != ALCORE_OK || alcore_pool_new(ctx, NULL, &pool) != ALCORE_OK)
        return 1;
    if (alcore_pool_add_texts(pool, texts, NULL, 3, NULL) != ALCORE_OK) return 1;
    good = good && alcore_pool_row_count(pool) == 3;
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    if (good) printf("consumer of %s\n", alcore_version());
    return !good;
}
