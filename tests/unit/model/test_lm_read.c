/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of the n-gram model that a selection from a large pool does not keep: they are
 * computed when rows are read, and are those that a run of the model keeps. */
#include <stdlib.h>
#include <string.h>

#include "alcore/alcore.h"
#include "check_suite.h"
#include "pool/column_array.h"

#define MUST(call) ck_assert_int_eq((call), ALCORE_OK)
/* A long text has WORDS words: with these rows the values are above 64 MiB. Row 1 is a repeat of
 * row 0, which no selection takes, and row 4 is short. */
enum { WORDS = 5 * 1000 * 1000, ROWS = 6, SHORT = 4 };

static char *long_text(int first) {
    static const char letters[] = "abc";
    char *text = malloc(2 * WORDS);
    for (int i = 0; i < WORDS; i++) {
        text[2 * i] = letters[i == 0 ? first % 3 : i * (first + 1) % 7 % 3];
        text[2 * i + 1] = ' ';
    }
    text[2 * WORDS - 1] = '\0';
    return text;
}

static alcore_pool *pool_of(alcore_ctx *ctx, const char *const *texts, int64_t count) {
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.count = count;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

/* Tokens of the column at the ends of the texts: offsets [ROWS + 1], values of all. */
static double *tokens_of(const alcore_pool *pool, int64_t *offsets) {
    static const int64_t rows[ROWS] = {0, 1, 2, 3, 4, 5};
    alcore_tensor numbers;
    MUST(alcore_pool_get_column_tokens(pool, "logprobs", rows, ROWS, offsets, NULL));
    int64_t tokens = offsets[ROWS];
    double *values = malloc((size_t)tokens * sizeof *values);
    MUST(alcore_tensor_init(&numbers, values, ALCORE_FLOAT64, &tokens, 1));
    MUST(alcore_pool_get_column_tokens(pool, "logprobs", rows, ROWS, offsets, &numbers));
    return values;
}

START_TEST(a_selection_keeps_no_values) {
    static const char *const labeled[] = {"a b c a b", "b c", "c c a"};
    alcore_ctx *ctx;
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    alcore_model *model;
    alcore_tensor values, offsets;
    int64_t kept_starts[ROWS + 1], read_starts[ROWS + 1];
    MUST(alcore_ctx_new(NULL, &ctx));
    char *texts[ROWS];
    for (int i = 0; i < ROWS; i++)
        texts[i] = i == SHORT ? strdup("b a") : long_text(i == 1 ? 0 : i);
    alcore_pool *pool = pool_of(ctx, (const char *const *)texts, ROWS);
    alcore_pool *known = pool_of(ctx, labeled, 3);
    MUST(alcore_model_new_ngram(ctx, known, NULL, &model));
    MUST(alcore_request_new(ctx, &request));
    MUST(alcore_strategy_new(ctx, "nnll", &strategy));
    MUST(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    MUST(alcore_request_set_strategy(request, strategy));
    MUST(alcore_request_set_model(request, model));
    MUST(alcore_request_set(request, "budget", "2"));
    MUST(alcore_select(request, &selection));
    ck_assert_ptr_null(alcore__column_memory(alcore__pool_find_column(pool, "logprobs")));
    ck_assert_int_eq(alcore_pool_get_column(pool, "logprobs", &values, &offsets),
                     ALCORE_E_UNSUPPORTED);
    double *read = tokens_of(pool, read_starts);
    ck_assert_int_eq(read_starts[1], WORDS + 1);
    ck_assert_int_eq(read_starts[2], WORDS + 1); /* the repeat has none */
    /* A run of the model keeps what it makes, for all rows. */
    MUST(alcore_model_run(model, pool, "logprobs"));
    ck_assert_ptr_nonnull(alcore__column_memory(alcore__pool_find_column(pool, "logprobs")));
    double *kept = tokens_of(pool, kept_starts);
    for (int i = 0; i < ROWS; i++) {
        const int64_t count = read_starts[i + 1] - read_starts[i];
        if (i == 1) continue;
        ck_assert_int_eq(count, i == SHORT ? 3 : WORDS + 1);
        ck_assert_int_eq(kept_starts[i + 1] - kept_starts[i], count);
        ck_assert(memcmp(read + read_starts[i], kept + kept_starts[i],
                         (size_t)count * sizeof *read) == 0);
    }
    free(read);
    free(kept);
    for (int i = 0; i < ROWS; i++) free(texts[i]);
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(known);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("lm_read");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_selection_keeps_no_values);
    return check_suite_run("model/lm_read", cases);
}
