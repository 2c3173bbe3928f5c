/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the columns that the n-gram model makes for a pool: real_columns POOL LABELED COLUMN FILE.
 * Texts are read from the column "en". */
#include <alcore/extra.h>

#include <stdio.h>

static int run(alcore_ctx *ctx, char **argv) {
    alcore_pool *pool = NULL, *labeled = NULL;
    alcore_model *model = NULL;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = "en";
    const int failed = alcore_pool_new(ctx, NULL, &pool) != ALCORE_OK ||
                       alcore_pool_read(pool, argv[1], &options) != ALCORE_OK ||
                       alcore_pool_new(ctx, NULL, &labeled) != ALCORE_OK ||
                       alcore_pool_read(labeled, argv[2], &options) != ALCORE_OK ||
                       alcore_model_new_ngram(ctx, labeled, NULL, &model) != ALCORE_OK ||
                       alcore_model_run(model, pool, argv[3]) != ALCORE_OK ||
                       alcore_pool_write_column(pool, argv[3], argv[4], NULL) != ALCORE_OK;
    if (failed) fprintf(stderr, "real_columns: %s\n", alcore_last_error());
    alcore_model_unref(model);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    return failed;
}

int main(int argc, char **argv) {
    alcore_ctx *ctx;
    if (argc != 5 || alcore_ctx_new(NULL, &ctx) != ALCORE_OK) {
        fputs("usage: real_columns POOL LABELED COLUMN FILE\n", stderr);
        return 2;
    }
    const int result = run(ctx, argv);
    alcore_ctx_unref(ctx);
    return result;
}
