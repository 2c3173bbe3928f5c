/* SPDX-License-Identifier: Apache-2.0 */
/* Training and scoring of the language model: seconds and peak memory.
 *
 *     bench_lm [SENTENCES [ORDER]]     made sentences (bench_texts.h)
 *     bench_lm FILE [ORDER [QUERIES]]  the lines of a file; scored are those of another file */
#include <alcore/extra.h>

#include "bench_clock.h"
#include "bench_texts.h"
#include "lm_calls.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 20

static int run(alcore_ctx *ctx, const texts *trained_on, const texts *t, int32_t order) {
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    options.order = order;
    alcore_lm *lm;
    const double before = peak_mib();
    times begin = now();
    if (alcore_lm_new_trained(ctx, trained_on->text, trained_on->length, trained_on->count,
                              &options, &lm) != ALCORE_OK)
        return 1;
    const times trained = since(begin);
    double total = 0.0, *totals = larger(NULL, (size_t)t->count * sizeof *totals + 1);
    int64_t tokens = 0, ends = t->count + 1;
    int64_t *offsets = larger(NULL, (size_t)ends * sizeof *offsets);
    alcore_tensor out;
    if (alcore_tensor_init(&out, offsets, ALCORE_INT64, &ends, 1) != ALCORE_OK ||
        alcore_lm_token_logprobs(lm, t->text, t->length, t->count, &out, NULL) != ALCORE_OK)
        return 1;
    tokens = offsets[t->count];
    if (alcore_tensor_init(&out, totals, ALCORE_FLOAT64, (int64_t *)(uintptr_t)&t->count, 1) !=
        ALCORE_OK)
        return 1;
    times scored = {HUGE_VAL, HUGE_VAL}; /* the least of RUNS */
    for (int i = 0; i < RUNS; i++) {
        begin = now();
        if (alcore_lm_score(lm, t->text, t->length, t->count, &out) != ALCORE_OK) return 1;
        const times used = since(begin);
        scored = (times){fmin(scored.wall, used.wall), fmin(scored.cpu, used.cpu)};
    }
    for (int64_t i = 0; i < t->count; i++) total += totals[i];
    double one_by_one = 0.0; /* the same texts, a call each */
    begin = now();
    for (int64_t i = 0; i < t->count; i++) {
        double log10_p;
        if (lm_score_one(lm, t->text[i], t->length[i], &log10_p) != ALCORE_OK) return 1;
        one_by_one += log10_p;
    }
    const double singly = since(begin).wall;
    free(totals);
    free(offsets);
    printf("sentences %lld tokens %lld order %d threads %d\n", (long long)t->count,
           (long long)tokens, (int)alcore_lm_order(lm), (int)alcore_ctx_threads(ctx));
    for (int32_t n = 1; n <= alcore_lm_order(lm); n++)
        printf("order %d: %lld n-grams\n", (int)n, (long long)lm_ngrams(lm, n));
    printf("train %.2f s, %.2f s CPU, %.0f MiB in all, of which %.0f MiB before\n", trained.wall,
           trained.cpu, peak_mib(), before);
    printf("score %.2f s, %.2f million tokens/s, %.1f ns CPU a token, log10 %.3f\n", scored.wall,
           (double)tokens / scored.wall * 1e-6, scored.cpu / (double)tokens * 1e9, total);
    printf("a call a text %.2f s, %.2f million tokens/s, %.1f ns a token, log10 %.3f\n", singly,
           (double)tokens / singly * 1e-6, singly / (double)tokens * 1e9, one_by_one);
    alcore_lm_unref(lm);
    return 0;
}

int main(int argc, char **argv) {
    texts t = {0}, queries = {0};
    const char *what = argc > 1 ? argv[1] : "100000";
    char *end;
    const long long sentences = strtoll(what, &end, 10);
    if (*end == '\0')
        make(&t, sentences);
    else if (read_file(&t, what) != 0)
        return 4;
    if (argc > 3 && read_file(&queries, argv[3]) != 0) return 4;
    alcore_ctx *ctx;
    if (alcore_ctx_new(NULL, &ctx) != ALCORE_OK) return 1;
    const int result = run(ctx, &t, argc > 3 ? &queries : &t, argc > 2 ? atoi(argv[2]) : 0);
    if (result != 0) fprintf(stderr, "bench_lm: %s\n", alcore_last_error());
    alcore_ctx_unref(ctx);
    clear(&t);
    clear(&queries);
    return result;
}
