/* SPDX-License-Identifier: Apache-2.0 */
/* TV-LM2 (spec 6.5): the English side of the first 20,000 rows of en-de/general, order 3. */
#include "alcore/extra/lm.h"
#include "shared_corpus.h"
#include "text/lm_trainer.h"
#include "vectors.h"

enum { ROWS = 20000 };

static void add_row(void *user, int64_t row, const char *line, size_t length) {
    size_t bytes;
    const char *text = shared_corpus_column(line, length, CORPUS_ENGLISH, &bytes);
    (void)row;
    ck_assert_int_eq(alcore__lm_trainer_add(user, text, bytes), ALCORE_OK);
}

static alcore_lm *train(alcore_ctx *ctx) {
    alcore__lm_trainer *trainer = NULL;
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore__lm_trainer_new(ctx, 3, 1, ROWS, &trainer), ALCORE_OK);
    shared_corpus_read(ctx, ROWS, add_row, trainer);
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, -1, &lm), ALCORE_OK);
    alcore__lm_trainer_free(trainer);
    return lm;
}

START_TEST(tv_lm2) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    alcore_lm *lm = train(ctx);
    vector_case known = vector_case_named(vector_find("corpus", "TV-LM2"), "model");
    int64_t ngrams[3];
    for (int32_t n = 1; n <= 3; n++) {
        alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
        char member[48];
        ck_assert_int_eq(alcore_lm_order_get(lm, n, &info), ALCORE_OK);
        ngrams[n - 1] = info.ngrams;
        ck_assert_int_eq(info.fallback, 0);
        snprintf(member, sizeof member, "counts_of_counts/%d", n - 1);
        vector_equal(info.exactly, vector_expected(&known, member));
        snprintf(member, sizeof member, "discounts/%d", n - 1);
        vector_near(info.discount, vector_expected(&known, member), 1e-12);
    }
    const double log10s[] = {alcore__lm_logp(lm, 1, ALCORE__LM_END),
                             alcore__lm_logp(lm, 1, ALCORE__LM_UNK)};
    const double back_off = alcore__lm_backoff(lm, 1, ALCORE__LM_BEGIN);
    vector_equal(ngrams, vector_expected(&known, "ngrams"));
    vector_near(log10s, vector_expected(&known, "log10"), 1e-6);
    vector_near(&back_off, vector_expected(&known, "back_off_of_start"), 1e-6);
    alcore_lm_unref(lm);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {tv_lm2};
    return shared_corpus_main(argc, argv, "text/lm_general", tests, 1);
}
