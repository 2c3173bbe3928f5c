/* SPDX-License-Identifier: Apache-2.0 */
/* A program with an acquisition score of its own: the negative log-likelihood of a text divided by
 * the square root of its number of tokens. The library masks rows, breaks ties and spends the
 * budget.
 *
 * build: cc own_strategy.c -o own_strategy $(pkg-config --cflags --libs alcore) -lm
 * usage: own_strategy POOL.txt */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <alcore/alcore.h>

static void check(alcore_status status) {
    if (status == ALCORE_OK) return;
    fprintf(stderr, "own_strategy: %s (%s)\n", alcore_last_error(), alcore_status_name(status));
    exit(1);
}

/* Scores the candidates at positions first .. first + n - 1: scores [n]. Token t of candidate i has
 * the log-probability lp[t], start[i] <= t < start[i + 1]. */
static alcore_status score_block(const alcore_view *view, int64_t first, int64_t n,
                                 double *scores) {
    alcore_tensor logprobs, offsets;
    alcore_status status = alcore_view_get_column(view, ALCORE_ROLE_CANDIDATES, "logprobs", first,
                                                  n, &logprobs, &offsets);
    if (status != ALCORE_OK) return status;
    const double *lp = logprobs.data;
    const int64_t *start = offsets.data;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int64_t t = start[i]; t < start[i + 1]; t++) sum -= lp[t];
        scores[i] = sum / sqrt((double)(start[i + 1] - start[i]));
    }
    return ALCORE_OK;
}

/* The function of the strategy, which the library calls once a selection: scores all candidates, in
 * the order of their positions, and hands the scores over. */
static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    const int64_t block = 4096; /* rows whose values are in memory at once */
    int64_t count = alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES);
    double *scores = malloc((size_t)(count ? count : 1) * sizeof *scores);
    alcore_status status = ALCORE_OK;

    (void)user;
    if (!scores) return ALCORE_E_NOMEM;
    for (int64_t first = 0; first < count && status == ALCORE_OK; first += block) {
        int64_t n = count - first < block ? count - first : block;
        status =
            alcore_view_poll(view, "scoring", first, count); /* not OK: the call is cancelled */
        if (status == ALCORE_OK) status = score_block(view, first, n, scores + first);
    }
    if (status == ALCORE_OK) status = alcore_choice_scores(out, scores, count);
    free(scores);
    return status;
}

int main(int argc, char **argv) {
    static const char *const needs[] = {"logprobs", NULL};
    alcore_strategy_host functions = ALCORE_STRATEGY_HOST_INIT;
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_strategy *strategy;
    alcore_request *request;
    alcore_selection *picked;

    if (argc != 2) {
        fprintf(stderr, "usage: own_strategy POOL.txt\n");
        return 2;
    }
    functions.name = "damped";
    functions.needs = needs;
    functions.choose = choose;

    check(alcore_ctx_new(NULL, &ctx));
    check(alcore_pool_new(ctx, NULL, &pool));
    check(alcore_pool_read(pool, argv[1], NULL));
    check(alcore_strategy_new_host(ctx, &functions, &strategy));
    check(alcore_request_new(ctx, &request));
    check(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    check(alcore_request_set_strategy(request, strategy));
    check(alcore_request_set(request, "budget", "3"));
    check(alcore_select(request, &picked));
    for (int64_t i = 0; i < alcore_selection_count(picked); i++)
        printf("%.6g\t%s\n", alcore_selection_scores(picked)[i],
               alcore_pool_text(pool, alcore_selection_rows(picked)[i], NULL));

    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return 0;
}
