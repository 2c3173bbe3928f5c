/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_select() when memory runs out or the caller cancels. */
#include "request_test.h"

#include <stdio.h>
#include <unistd.h>

#include "fault_allocator.h"
#include "test_folder.h"

/* Every allocation of one whole selection fails in turn; the handles stay usable and nothing is
 * lost. */
START_TEST(every_allocation) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 1);
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
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
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
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    /* Enough work for several calls of the progress function. */
    static char texts[30000][48];
    static const char *pointers[30000];
    for (int i = 0; i < 30000; i++) {
        snprintf(texts[i], sizeof texts[i], "word%d and word%d or word%d", i, i * 7 % 9973, i % 89);
        pointers[i] = texts[i];
    }
    alcore_status status = alcore_pool_add_texts(pool, pointers, NULL, 30000, NULL);
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

/* An allocator that cancels its context at one allocation: the same moment of a call every time. */
typedef struct cancelling {
    fault_allocator fault; /* first: its functions see this struct as theirs */
    alcore_ctx *ctx;
    long long cancel_at; /* number of the allocation; 0: never */
} cancelling;

static void cancel_in_time(cancelling *it) {
    if (atomic_load(&it->fault.calls) + 1 == it->cancel_at) alcore_ctx_cancel(it->ctx);
}

static void *cancelling_allocate(void *user, size_t bytes) {
    cancel_in_time(user);
    return fault_allocate(user, bytes);
}

static void *cancelling_reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    cancel_in_time(user);
    return fault_reallocate(user, memory, old_bytes, new_bytes);
}

/* The last thing that reading ids allocates is the list's growth for the 513th id, after the file
 * was read: only the search for ids is left then, and it alone can notice. */
START_TEST(a_search_for_ids_is_cancelled) {
    cancelling it = {0};
    alcore_allocator table = fault_table(&it.fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    table.user = &it;
    table.allocate = cancelling_allocate;
    table.reallocate = cancelling_reallocate;
    options.allocator = &table;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &it.ctx));
    alcore_pool *pool = numbered_pool(it.ctx, 20);
    alcore_request *request = request_for(it.ctx, pool, "random", "5");
    char path[TEST_PATH_BYTES];
    test_file_make(path, "cancel-ids", ".txt", "");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 1000; i++) fprintf(file, "%d\n", i % 20 + 1);
    ck_assert_int_eq(fclose(file), 0);
    long long counts[2];
    for (int i = 0; i < 2; i++) { /* the first call makes what the pool keeps: its index of ids */
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, NULL, 0));
        long long before = atomic_load(&it.fault.calls);
        ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path));
        counts[i] = atomic_load(&it.fault.calls) - before;
    }
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, NULL, 0));
    it.cancel_at = atomic_load(&it.fault.calls) + counts[1];
    ck_assert_int_eq(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path),
                     ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(it.ctx);
    alcore_tensor rows; /* the list is as it was: not given */
    ck_assert_int_eq(alcore_request_get_rows(request, ALCORE_ROWS_EXCLUDED, &rows),
                     ALCORE_E_NOT_FOUND);
    unlink(path);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(it.ctx);
}
END_TEST

CHECK_SUITE("select faults", every_allocation, a_search_for_ids_is_cancelled,
            a_cancelled_context_answers_at_once, progress_may_cancel);
