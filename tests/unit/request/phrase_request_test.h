/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of selections of phrases share: a context, pools of texts, random corpora, and
 * buying phrases of them. */
#ifndef PHRASE_REQUEST_TEST_H
#define PHRASE_REQUEST_TEST_H

#include <stdlib.h>

#include "base/rng.h"
#include "request_test.h"

static alcore_ctx *ctx;

static inline void open_ctx(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static inline void close_ctx(void) {
    alcore_ctx_unref(ctx);
}

/* A pool of texts in which repeated ones stay. */
static inline alcore_pool *texts_pool(const char *const *texts, int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

/* A selection of phrases from a pool of texts. params: "max_n=3 smp_limit=inf" or "". */
static inline alcore_selection *buy(alcore_pool *pool, alcore_pool *labeled, const char *strategy,
                                    const char *params, const char *budget, const char *fill) {
    alcore_request *request = request_for(ctx, pool, strategy, budget);
    alcore_strategy *made;
    char text[128];
    snprintf(text, sizeof text, "%s", params);
    ck_assert_ok(alcore_strategy_new(ctx, strategy, &made));
    for (char *at = text, *word; (word = strsep(&at, " "));) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        ck_assert_ok(alcore_strategy_set(made, word, value));
    }
    ck_assert_ok(alcore_request_set_strategy(request, made));
    alcore_strategy_unref(made);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_request_set(request, "fill", fill));
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    alcore_selection *selection = selected(request);
    alcore_request_unref(request);
    return selection;
}

static inline const char *text_of_pick(const alcore_selection *selection, int64_t rank) {
    return alcore_pool_text(alcore_selection_pool(selection),
                            alcore_selection_rows(selection)[rank], NULL);
}

static inline int64_t record_of(const alcore_selection *selection, const char *name, int64_t rank) {
    alcore_tensor values;
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, name, &values));
    return ((const int64_t *)values.data)[rank];
}

/* ---- random corpora ---- */

enum { TEXTS = 14, LABELED = 3 };

/* Seeded texts of one-letter words, few letters, so that phrases repeat. */
typedef struct corpus {
    char texts[TEXTS][64], labeled_texts[LABELED][64];
    const char *rows[TEXTS], *labeled_rows[LABELED];
    int states[TEXTS]; /* as reference_list() has them: all unlabeled */
} corpus;

static inline void make_text(alcore__rng *rng, char *out) {
    const int words = 1 + (int)alcore__rng_below(rng, 11);
    for (int w = 0; w < words; w++) {
        out[2 * w] = (char)('a' + (int)(alcore__rng_f64(rng) * alcore__rng_f64(rng) * 6));
        out[2 * w + 1] = w + 1 < words ? ' ' : '\0';
    }
}

static inline void make_corpus(uint64_t seed, corpus *out) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int i = 0; i < TEXTS; i++) {
        make_text(&rng, out->texts[i]);
        out->rows[i] = out->texts[i];
        out->states[i] = 1;
    }
    for (int i = 0; i < LABELED; i++) {
        make_text(&rng, out->labeled_texts[i]);
        out->labeled_texts[i][15] = '\0'; /* few words, so that much stays unknown */
        if (strlen(out->labeled_texts[i]) == 0) strcpy(out->labeled_texts[i], "z");
        out->labeled_rows[i] = out->labeled_texts[i];
    }
}

static inline void expect_same_picks(const alcore_selection *one, const alcore_selection *other) {
    ck_assert_int_eq(alcore_selection_count(one), alcore_selection_count(other));
    for (int64_t k = 0; k < alcore_selection_count(one); k++) {
        ck_assert_str_eq(text_of_pick(one, k), text_of_pick(other, k));
        ck_assert_str_eq(alcore_selection_reason(one, k), alcore_selection_reason(other, k));
        ck_assert_double_eq(alcore_selection_scores(one)[k], alcore_selection_scores(other)[k]);
    }
}

#endif
