/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of selections of phrases: what was bought, excluded or labeled before, and requests that
 * keep the index of their phrases. */
#include "../phrase/phrase_reference.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "phrase_request_test.h"

static bool contained(const char *phrase, alcore_pool *labeled) {
    for (int64_t row = 0; row < alcore_pool_row_count(labeled); row++)
        if (reference_contains(alcore_pool_text(labeled, row, NULL), phrase)) return true;
    return false;
}

/* What was bought joins the labeled texts: none of it, and no part of it, is bought again; with the
 * default of random-phrase, which may buy phrases of labeled texts, none of the phrases itself. */
START_TEST(bought_phrases_are_not_bought_again) {
    static const char *const NAMES[] = {"ngf", "ngf-smp", "random-phrase"};
    static corpus texts;
    make_corpus(100 + (uint64_t)_i, &texts);
    open_ctx();
    for (int s = 0; s < 3; s++) {
        alcore_pool *pool = texts_pool(texts.rows, TEXTS);
        alcore_pool *labeled = texts_pool(texts.labeled_rows, LABELED);
        for (int round = 0; round < 4; round++) {
            alcore_selection *selection = buy(pool, labeled, NAMES[s], "", "9w", "overshoot");
            for (int64_t k = 0; k < alcore_selection_count(selection); k++) {
                const char *pick = text_of_pick(selection, k);
                if (s < 2) ck_assert_msg(!contained(pick, labeled), "%s is known", pick);
                for (int64_t row = LABELED; row < alcore_pool_row_count(labeled); row++)
                    ck_assert_str_ne(pick, alcore_pool_text(labeled, row, NULL));
            }
            for (int64_t k = 0; k < alcore_selection_count(selection); k++) {
                const char *pick[] = {text_of_pick(selection, k)};
                ck_assert_ok(alcore_pool_add_texts(labeled, pick, NULL, 1, NULL));
            }
            alcore_selection_unref(selection);
        }
        ck_assert_int_gt(alcore_pool_row_count(labeled), LABELED + 4);
        alcore_pool_unref(pool);
        alcore_pool_unref(labeled);
    }
    close_ctx();
}
END_TEST

/* Excluded texts leave out the phrases with these words and nothing else: the other phrases keep
 * their scores and their order, and the masked ones count as excluded. */
START_TEST(excluded_texts_mask_phrases) {
    static corpus texts;
    make_corpus(300 + (uint64_t)_i, &texts);
    open_ctx();
    alcore_pool *pool = texts_pool(texts.rows, TEXTS), *excluded;
    alcore_request *request = request_for(ctx, pool, "ngf", "1000000w");
    alcore_selection *all = selected(request);
    const int64_t count = alcore_selection_count(all);
    ck_assert_int_gt(count, 3);
    const char *taken[] = {text_of_pick(all, 0), text_of_pick(all, 2), "no phrase of the texts"};
    ck_assert_ok(alcore_pool_new(ctx, NULL, &excluded));
    ck_assert_ok(alcore_pool_add_texts(excluded, taken, NULL, 3, NULL));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, excluded));
    alcore_selection *left = selected(request);
    ck_assert_int_eq(alcore_selection_count(left), count - 2);
    for (int64_t k = 0; k < count - 2; k++) {
        const int64_t before = k == 0 ? 1 : k + 2;
        ck_assert_str_eq(text_of_pick(left, k), text_of_pick(all, before));
        ck_assert_double_eq(alcore_selection_scores(left)[k], alcore_selection_scores(all)[before]);
    }
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(left), "\"excluded\":2"));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, NULL));
    alcore_selection *again = selected(request);
    expect_same_picks(all, again);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, pool));
    alcore_selection_unref(all);
    ck_assert_fails(alcore_select(request, &all), ALCORE_E_INVALID, "excluded texts too");
    alcore_pool_unref(excluded);
    alcore_selection_unref(again);
    alcore_selection_unref(left);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* Sentences that move from U to L: by a label in the pool, by a list of the request, or by making
 * both pools anew, the selection is the same. */
START_TEST(labeled_rows_equal_a_new_pool) {
    static const int64_t MOVED[] = {1, 4, 5};
    static corpus texts;
    const char *rest[TEXTS], *more[LABELED + 3];
    int kept = 0;
    make_corpus(200 + (uint64_t)_i, &texts);
    for (int i = 0; i < TEXTS; i++)
        if (i != 1 && i != 4 && i != 5) rest[kept++] = texts.rows[i];
    for (int i = 0; i < LABELED; i++) more[i] = texts.labeled_rows[i];
    for (int i = 0; i < 3; i++) more[LABELED + i] = texts.rows[MOVED[i]];
    open_ctx();
    for (int s = 0; s < 2; s++) {
        const char *name = s ? "ngf-smp" : "ngf";
        alcore_pool *small = texts_pool(rest, kept), *large = texts_pool(more, LABELED + 3);
        alcore_pool *pool = texts_pool(texts.rows, TEXTS);
        alcore_pool *labeled = texts_pool(texts.labeled_rows, LABELED);
        alcore_selection *expected = buy(small, large, name, "", "30w", "stop");
        alcore_request *request = request_for(ctx, pool, name, "30w");
        ck_assert_ok(alcore_request_set(request, "fill", "stop"));
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, MOVED, 3));
        alcore_selection *listed = selected(request);
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, NULL, 0));
        ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, MOVED, 3));
        alcore_selection *marked = selected(request);
        expect_same_picks(listed, expected);
        expect_same_picks(marked, expected);
        alcore_selection_unref(listed);
        alcore_selection_unref(marked);
        alcore_selection_unref(expected);
        alcore_request_unref(request);
        alcore_pool_unref(small);
        alcore_pool_unref(large);
        alcore_pool_unref(pool);
        alcore_pool_unref(labeled);
    }
    close_ctx();
}
END_TEST

/* Rounds of one request that keeps the index of its phrases: rows become labeled, become excluded
 * and return. Each round equals that of a new request, and the words are read once, until a text is
 * added to the labeled pool or another phrase length is asked for. */
START_TEST(kept_phrases_equal_new_ones) {
    static const char *const NAMES[] = {"ngf", "ngf-smp", "random-phrase"};
    static const char *const MORE[] = {"a c f b"};
    static corpus texts;
    fault_allocator counts = {0};
    ctx = fault_context(&counts, 0);
    make_corpus(400 + (uint64_t)_i, &texts);
    alcore_pool *pool = texts_pool(texts.rows, TEXTS);
    alcore_pool *labeled = texts_pool(texts.labeled_rows, LABELED);
    int64_t bought = 0;
    alcore_request *kept = request_for(ctx, pool, "ngf", "1w");
    ck_assert_ok(alcore_request_set(kept, "keep_phrases", "1"));
    ck_assert_ok(alcore_request_set_pool(kept, ALCORE_ROLE_LABELED, labeled));
    for (int round = 0; round < 12; round++) {
        const int64_t row = (round * 5 + _i) % TEXTS;
        if (round == 8) ck_assert_ok(alcore_pool_add_texts(labeled, MORE, NULL, 1, NULL));
        set_parameter(ctx, kept, NAMES[round % 3], "max_n", round < 10 ? "3" : "2");
        ck_assert_ok(alcore_request_set(kept, "budget", "60w"));
        ck_assert_ok(alcore_request_set_rows(kept, ALCORE_ROWS_EXCLUDED, &row, 1));
        atomic_store(&counts.calls, 0);
        alcore_selection *again = selected(kept);
        const long long calls = atomic_exchange(&counts.calls, 0);
        alcore_request *fresh = request_for(ctx, pool, "ngf", "60w");
        set_parameter(ctx, fresh, NAMES[round % 3], "max_n", round < 10 ? "3" : "2");
        ck_assert_ok(alcore_request_set_pool(fresh, ALCORE_ROLE_LABELED, labeled));
        ck_assert_ok(alcore_request_set_rows(fresh, ALCORE_ROWS_EXCLUDED, &row, 1));
        atomic_store(&counts.calls, 0);
        alcore_selection *anew = selected(fresh);
        /* A new index allocates for each shard of the words. */
        const long long fewer = atomic_load(&counts.calls) - calls;
        const bool read = round == 0 || round == 8 || round == 10;
        ck_assert_msg(read ? fewer < 20 : fewer > 20, "round %d: %lld allocations fewer", round,
                      fewer);
        bought += alcore_selection_count(anew);
        expect_same_picks(again, anew);
        const alcore_pool *ours = alcore_selection_pool(again),
                          *theirs = alcore_selection_pool(anew);
        ck_assert_int_eq(alcore_pool_row_count(ours), alcore_pool_row_count(theirs));
        for (int64_t i = 0; i < alcore_pool_row_count(ours); i++) {
            ck_assert_str_eq(alcore_pool_text(ours, i, NULL), alcore_pool_text(theirs, i, NULL));
            ck_assert_str_eq(alcore_pool_row_id(ours, i), alcore_pool_row_id(theirs, i));
        }
        if (round % 4 == 3) ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &row, 1));
        alcore_selection_unref(again);
        alcore_selection_unref(anew);
        alcore_request_unref(fresh);
    }
    ck_assert_int_gt(bought, 50);
    alcore_request_unref(kept);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    close_ctx();
    ck_assert_int_eq(atomic_load(&counts.live_bytes), 0);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("rounds");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, bought_phrases_are_not_bought_again, 0, 10);
    tcase_add_loop_test(all, excluded_texts_mask_phrases, 0, 4);
    tcase_add_loop_test(all, labeled_rows_equal_a_new_pool, 0, 10);
    tcase_add_loop_test(all, kept_phrases_equal_new_ones, 0, 6);
    return check_suite_run("phrase-rounds", all);
}
