/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_select() when memory runs out or the caller cancels. */
#include "request_test.h"

#include <stdio.h>

#include "fault_allocator.h"

/* Every allocation of one whole selection fails in turn; the handles stay usable and nothing is
 * lost. */
START_TEST(every_allocation) {
    fault_allocator fault = {0};
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.allocator = &table;
    options.threads = 1;
    ck_works(alcore_ctx_new(&options, &ctx));
    alcore_pool *pool = numbered_pool(ctx, 20);
    alcore_request *request = request_for(ctx, pool, "huds", "12w");
    bool clean = false;
    /* Under valgrind every seventh, which leaves none of the calls that allocate out. */
    long long thinned = getenv("ALCORE_TEST_BRIEF") ? 7 : 1;
    for (long long at = 1; !clean; at += thinned) {
        alcore_selection *selection = NULL;
        ck_assert_int_lt(at, 1000000);
        /* Computed columns stay in the pool: each try begins without them. */
        alcore_pool_drop_column(pool, "logprobs");
        alcore_pool_drop_column(pool, "embeddings");
        atomic_store(&fault.calls, 0);
        atomic_store(&fault.failures, 0);
        atomic_store(&fault.fail_at, at);
        alcore_status status = alcore_select(request, &selection);
        atomic_store(&fault.fail_at, 0);
        clean = atomic_load(&fault.failures) == 0;
        if (status == ALCORE_OK) {
            ck_assert_int_eq(alcore_selection_count(selection), 3);
            alcore_selection_unref(selection);
        } else {
            ck_assert_msg(status == ALCORE_E_NOMEM, "allocation %lld: %s: %s", at,
                          alcore_status_name(status), alcore_last_error());
            ck_assert_ptr_null(selection);
        }
    }
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}
END_TEST

static int32_t stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)stage;
    (void)done;
    (void)total;
    ++*(int *)user;
    return 1;
}

START_TEST(a_cancelled_context_answers_at_once) {
    alcore_ctx *ctx;
    alcore_selection *selection;
    ck_works(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, 50);
    alcore_request *request = request_for(ctx, pool, "huds", "5");
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_select(request, &selection), ALCORE_E_CANCELLED);
    ck_assert_ptr_null(selection);
    alcore_ctx_cancel_clear(ctx);
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 5);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(progress_may_cancel) {
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_selection *selection;
    int calls = 0;
    options.progress = stop_at_once;
    options.progress_user = &calls;
    ck_works(alcore_ctx_new(&options, &ctx));
    alcore_pool *pool;
    ck_works(alcore_pool_new(ctx, NULL, &pool));
    /* Enough work for several calls of the progress function. */
    static char texts[30000][48];
    static const char *pointers[30000];
    for (int i = 0; i < 30000; i++) {
        snprintf(texts[i], sizeof texts[i], "word%d and word%d or word%d", i, i * 7 % 9973, i % 89);
        pointers[i] = texts[i];
    }
    alcore_status status = alcore_pool_add_texts(pool, pointers, 30000, NULL, NULL);
    if (status == ALCORE_OK) {
        alcore_request *request = request_for(ctx, pool, "huds", "5");
        status = alcore_select(request, &selection);
        ck_assert_ptr_null(selection);
        alcore_request_unref(request);
    }
    ck_assert_int_eq(status, ALCORE_E_CANCELLED);
    ck_assert_int_ge(calls, 1);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("select faults", every_allocation, a_cancelled_context_answers_at_once,
            progress_may_cancel);
