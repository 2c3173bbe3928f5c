/* SPDX-License-Identifier: Apache-2.0 */
/* What only a request runs is the same for every number of threads: hybrids and strategies of
 * phrases with 1, 2 and 8 of them, to the byte of the file that a selection writes (spec B.13). Of
 * a hybrid without a model, that file is tests/golden/request-hybrid.tsv. */
#include "request_test.h"

#include <stdlib.h>

#include "base/rng.h"
#include "check_suite.h"

/* More rows than a block of 8192, so that threads share the passes. */
enum { ROWS = 9000, LABELED = 200, DIMS = 4, MOST_WORDS = 8, VOCABULARY = 60 };

/* Texts of words that are more and less frequent; each has its number as a word of its own. */
static void add_texts(alcore_pool *pool, alcore__rng *rng, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) {
        char text[96];
        const char *texts[] = {text};
        int length = snprintf(text, sizeof text, "n%lld", (long long)i);
        for (uint64_t w = 1 + alcore__rng_below(rng, MOST_WORDS); w > 0; w--)
            length += snprintf(text + length, sizeof text - (size_t)length, " w%d",
                               (int)alcore__rng_below(rng, 1 + alcore__rng_below(rng, VOCABULARY)));
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
}

/* The file of the selection that a strategy makes of the pool with so many threads, allocated for
 * the caller. sentences, phrases: the strategies of a hybrid's parts; NULL: the default. */
static char *selection_file(const char *strategy, const char *sentences, const char *phrases,
                            bool scored, int32_t threads, size_t *length) {
    static double embeddings[ROWS * DIMS];
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled;
    alcore__rng rng;
    char *text;
    options.threads = threads;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &labeled));
    alcore__rng_seed(&rng, 13);
    add_texts(pool, &rng, ROWS);
    add_texts(labeled, &rng, LABELED);
    for (int i = 0; i < ROWS * DIMS; i++) embeddings[i] = alcore__rng_f64(&rng) - 0.5;
    give(pool, "embeddings", embeddings, ROWS, DIMS);
    alcore_request *request = request_for(ctx, pool, strategy, "400w");
    give_ngram(ctx, request, NULL);
    alcore_strategy *made;
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    if (sentences) ck_assert_ok(alcore_strategy_set(made, "sentences", sentences));
    if (phrases) ck_assert_ok(alcore_strategy_set(made, "phrases", phrases));
    ck_assert_ok(alcore_request_set_strategy(request, made));
    alcore_strategy_unref(made);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    if (scored) give_ngram(ctx, request, labeled);
    ck_assert_ok(alcore_request_set(request, "seed", "7"));
    alcore_selection *selection = selected(request);
    ck_assert_int_gt(alcore_selection_count(selection), 20);
    ck_assert_ok(alcore_selection_write(selection, "request_threads.tsv", NULL));
    text = strdup(file_text("request_threads.tsv"));
    *length = strlen(text);
    remove("request_threads.tsv");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return text;
}

static const struct {
    const char *strategy, *sentences, *phrases;
    bool scored; /* log-probabilities are read: those of the n-gram model */
} CASES[] = {{"hybrid", "huds", NULL, true},          {"hybrid", "random", NULL, false},
             {"hybrid", "huds", "huds-phrase", true}, {"hybrid", "nnll", "random-phrase", true},
             {"hybrid", "random", "ngf", false},      {"huds-phrase", NULL, NULL, true},
             {"ngf-smp", NULL, NULL, false},          {"ngf", NULL, NULL, false},
             {"random-phrase", NULL, NULL, false}};
enum { GOLDEN_CASE = 1, CASE_COUNT = sizeof CASES / sizeof CASES[0] };

/* $ALCORE_GOLDEN_RENEW=1: the file is written anew, then compared like any other. */
START_TEST(hybrid_is_golden) {
    static const char PATH[] = ALCORE_GOLDEN_DIR "/request-hybrid.tsv";
    size_t length;
    char *text = selection_file(CASES[GOLDEN_CASE].strategy, CASES[GOLDEN_CASE].sentences,
                                CASES[GOLDEN_CASE].phrases, CASES[GOLDEN_CASE].scored, 0, &length);
    if (getenv("ALCORE_GOLDEN_RENEW")) {
        FILE *out = fopen(PATH, "wb");
        ck_assert_ptr_nonnull(out);
        ck_assert_uint_eq(fwrite(text, 1, length, out), length);
        ck_assert_int_eq(fclose(out), 0);
    }
    ck_assert_msg(strcmp(text, file_text(PATH)) == 0, "%s differs:\n%.2000s", PATH, text);
    free(text);
}
END_TEST

START_TEST(threads_change_no_byte) {
    static const int32_t THREADS[] = {2, 8};
    size_t length, again;
    const char *strategy = CASES[_i].strategy, *sentences = CASES[_i].sentences;
    const char *phrases = CASES[_i].phrases;
    const bool scored = CASES[_i].scored;
    char *one = selection_file(strategy, sentences, phrases, scored, 1, &length);
    for (int t = 0; t < 2; t++) {
        char *other = selection_file(strategy, sentences, phrases, scored, THREADS[t], &again);
        ck_assert_msg(again == length && memcmp(one, other, length) == 0,
                      "%s with %d threads differs:\n%.2000s\nwith one:\n%.2000s", strategy,
                      (int)THREADS[t], other, one);
        free(other);
    }
    free(one);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("threads");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, threads_change_no_byte, 0, CASE_COUNT);
    tcase_add_test(all, hybrid_is_golden);
    return check_suite_run("request-threads", all);
}
