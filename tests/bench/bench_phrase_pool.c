/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of the n-grams of a pool, by the public calls alone: seconds and peak memory.
 *
 *     bench_phrase_pool [SENTENCES [MIN_COUNT [THREADS]]]     made sentences of 8 to 41 words
 *     bench_phrase_pool --texts SENTENCES                     prints these sentences, a line each
 *
 * Prints a line for the pool of sentences and one for the pool of its n-grams of 1 to 4 words that
 * occur MIN_COUNT times or more (default 2): one with its text, id and columns takes about 150
 * bytes. The goal is 6 GiB for 4,400,000 sentences, 108 million words: bench_phrase_pool 4400000.
 */
#include <alcore/extra.h>

#include "bench_clock.h"
#include "bench_texts.h"

enum {
    BATCH = 1 << 16, /* sentences made and added at once, so that no copy of all stays */
    LENGTHS = 34     /* 8 to 41 words, 24.5 on average */
};

/* Adds made sentences to the pool. */
static alcore_status add_sentences(alcore_pool *pool, int64_t sentences) {
    alcore_status status = ALCORE_OK;
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int64_t left = sentences; left > 0 && status == ALCORE_OK; left -= BATCH) {
        texts t = {0};
        make_more(&t, &rng, left < BATCH ? left : BATCH, LENGTHS);
        status = alcore_pool_add_texts(pool, t.text, t.length, t.count, NULL);
        clear(&t);
    }
    return status;
}

static alcore_status run(alcore_ctx *ctx, int64_t sentences, int64_t min_count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_phrase_options wanted = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_pool *pool, *phrases;
    int64_t words = 0;
    options.dedup = ALCORE_DEDUP_NONE;
    alcore_status status = alcore_pool_new(ctx, &options, &pool);
    if (status != ALCORE_OK) return status;
    status = add_sentences(pool, sentences);
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++)
        words += alcore_pool_words(pool, row);
    printf("pool of %lld sentences, %lld words: %.0f MiB peak\n", (long long)sentences,
           (long long)words, peak_mib());
    fflush(stdout);
    wanted.min_count = min_count;
    const times begin = now();
    if (status == ALCORE_OK) status = alcore_pool_derive_phrases(pool, NULL, &wanted, &phrases);
    if (status == ALCORE_OK) {
        const times used = since(begin);
        printf("%lld n-grams of %lld occurrences or more: %.2f s, %.2f s CPU, %.0f MiB peak\n",
               (long long)alcore_pool_row_count(phrases), (long long)min_count, used.wall, used.cpu,
               peak_mib());
        printf("result phrase_pool_peak %.0f MiB\n", peak_mib());
        alcore_pool_unref(phrases);
    }
    alcore_pool_unref(pool);
    return status;
}

static int print_sentences(int64_t sentences) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int64_t left = sentences; left > 0; left -= BATCH) {
        texts t = {0};
        make_more(&t, &rng, left < BATCH ? left : BATCH, LENGTHS);
        if (fwrite(t.bytes, 1, t.used, stdout) != t.used) return 4;
        clear(&t);
    }
    return fflush(stdout) == 0 ? 0 : 4;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--texts") == 0) return print_sentences(atoll(argv[2]));
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = argc > 3 ? atoi(argv[3]) : 0;
    if (alcore_ctx_new(&options, &ctx) != ALCORE_OK) return 1;
    const alcore_status status =
        run(ctx, argc > 1 ? atoll(argv[1]) : 100000, argc > 2 ? atoll(argv[2]) : 2);
    if (status != ALCORE_OK) fprintf(stderr, "bench_phrase_pool: %s\n", alcore_last_error());
    alcore_ctx_unref(ctx);
    return status != ALCORE_OK;
}
