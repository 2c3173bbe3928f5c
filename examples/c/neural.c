/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS with the embeddings of a Hugging Face folder. usage: neural FOLDER POOL.txt
 * build: cc neural.c -o neural $(pkg-config --cflags --libs alcore) */
#include <alcore/alcore.h>
#include <stdio.h>
#define TRY(call)                                                                                  \
    if ((call) != ALCORE_OK) return fprintf(stderr, "%s\n", alcore_last_error()), 1
int main(int argc, char **argv) {
    alcore_ctx *ctx = NULL;
    alcore_pool *pool = NULL;
    alcore_model *model = NULL, *ngram = NULL;
    alcore_request *request = NULL;
    alcore_strategy *huds = NULL;
    alcore_selection *picked = NULL;
    if (argc != 3) return 2;
    TRY(alcore_ctx_new(NULL, &ctx));
    TRY(alcore_pool_new(ctx, NULL, &pool));
    TRY(alcore_pool_read(pool, argv[2], NULL));
    TRY(alcore_model_open(ctx, argv[1], NULL, &model));
    TRY(alcore_request_new(ctx, &request));
    TRY(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    TRY(alcore_strategy_new(ctx, "huds", &huds));
    TRY(alcore_request_set_strategy(request, huds));
    TRY(alcore_request_set_column_model(request, "embeddings", model));
    TRY(alcore_model_new_ngram(ctx, NULL, NULL, &ngram));
    TRY(alcore_request_set_column_model(request, "logprobs", ngram));
    TRY(alcore_request_set(request, "budget", "5"));
    TRY(alcore_select(request, &picked));
    for (int i = 0; i < 5; i++) puts(alcore_pool_text(pool, alcore_selection_rows(picked)[i], 0));
}
