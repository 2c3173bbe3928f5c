/* SPDX-License-Identifier: Apache-2.0 */
/* A trainer that asks for the next batch each round.
 *
 * build: cc trainer.c -o trainer $(pkg-config --cflags --libs alcore)
 * usage: trainer POOL.txt LABELED.txt */
#include <stdio.h>
#include <stdlib.h>

#include <alcore/alcore.h>

#define ROUNDS 3

static void check(alcore_status status) {
    if (status == ALCORE_OK) return;
    fprintf(stderr, "trainer: %s (%s)\n", alcore_last_error(), alcore_status_name(status));
    exit(1);
}

/* Takes the place of fine-tuning your model on the picked rows [count]: it prints their texts. */
static void train_on(alcore_pool *pool, const int64_t *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        printf("  %lld\t%s\n", (long long)rows[i], alcore_pool_text(pool, rows[i], NULL));
}

int main(int argc, char **argv) {
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled;
    alcore_strategy *strategy;
    alcore_request *request;

    if (argc != 3) {
        fprintf(stderr, "usage: trainer POOL.txt LABELED.txt\n");
        return 2;
    }
    check(alcore_ctx_new(NULL, &ctx));
    check(alcore_pool_new(ctx, NULL, &pool));
    check(alcore_pool_read(pool, argv[1], NULL));
    check(alcore_pool_new(ctx, NULL, &labeled));
    check(alcore_pool_read(labeled, argv[2], NULL));

    check(alcore_strategy_new(ctx, "huds", &strategy));
    check(alcore_strategy_set(strategy, "lambda", "0.5"));
    check(alcore_request_new(ctx, &request));
    check(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    check(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    check(alcore_request_set_strategy(request, strategy));
    check(alcore_request_set_budgets(request, (const double[]){40}, 1, ALCORE_UNIT_WORDS));

    for (int round = 1; round <= ROUNDS; round++) {
        alcore_selection *picked;
        check(alcore_request_set_int(request, "round", round));
        check(alcore_select(request, &picked));

        const int64_t *rows = alcore_selection_rows(picked);
        int64_t count = alcore_selection_count(picked);
        printf("round %d: %lld sentences, %.0f words\n", round, (long long)count,
               alcore_selection_spent(picked));
        train_on(pool, rows, count);
        check(alcore_pool_mark(pool, ALCORE_ROW_LABELED, rows, count));
        alcore_selection_unref(picked);
    }
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return 0;
}
