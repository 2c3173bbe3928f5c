/* SPDX-License-Identifier: Apache-2.0 */
/* What fails while the labels of a verbalizer are scored: each piece of memory that C++ or a tensor
 * takes, and each operation of torch, fails once, and the call is cancelled at each operation. It
 * says so, leaves nothing in memory, and the same call then gives the same values. */
#include "check_suite.h"
#include "torch_support.h"

/* Kinds of points at which a call ends; those of failing.cpp first. */
enum { MEMORY = 1, TENSORS, OPERATIONS, CANCELLED, KINDS };
static const char *const kinds[KINDS] = {"", "memory", "tensors", "operations", "cancelled"};

static void (*failing_begin)(int, int64_t, void (*)(void));
static int64_t (*failing_end)(void), (*failing_blocks)(void);

/* ---- the call ---- */

/* Sources that begin alike, so that this is read once, and labels as a tree. */
enum { SOURCES = 2, ALIKE = 17, LABELS = 4, TOKENS = 10 };
static int64_t source_ids[38];
static const int64_t source_offsets[SOURCES + 1] = {0, 18, 38};
static const int64_t label_ids[TOKENS] = {12, 13, 14, 13, 14, 15, 13, 16, 20, 21};
static const int64_t label_offsets[LABELS + 1] = {0, 1, 3, 6, 10};

static alcore_status score(alcore_sys_model *model, float *out) {
    static results found;
    for (int i = 0; i < SOURCES; i++)
        for (int64_t k = source_offsets[i]; k < source_offsets[i + 1]; k++)
            source_ids[k] = 5 + (k - source_offsets[i] < ALIKE ? k - source_offsets[i] : k) % 50;
    const alcore_sys_model_texts sources = {.size = sizeof sources,
                                            .count = SOURCES,
                                            .ids = source_ids,
                                            .offsets = source_offsets},
                                 labels = {.size = sizeof labels,
                                           .count = LABELS,
                                           .ids = label_ids,
                                           .offsets = label_offsets};
    const alcore_sys_model_scoring how = {.size = sizeof how, .what = ALCORE_SYS_SCORE_CHOICES};
    const alcore_sys_model_sink sink = sink_of(&found);
    const alcore_status status = engine->token_logprobs(model, &sources, &labels, &how, &sink);
    for (int i = 0; status == ALCORE_OK && i < SOURCES; i++) {
        ck_assert_int_eq(found.counts[i], TOKENS);
        memcpy(out + (size_t)i * TOKENS, found.values[i], TOKENS * sizeof *out);
    }
    free_results(&found);
    return status;
}

static void cancel(void) {
    alcore_ctx_cancel(ctx);
}

/* One call, in which point `at` of a kind fails. Returns whether it came to that point. */
static bool comes_to(int kind, int64_t at, alcore_sys_model *model, float *out,
                     alcore_status *status) {
    const bool cancels = kind == CANCELLED;
    failing_begin(cancels ? OPERATIONS : kind, at, cancels ? cancel : NULL);
    *status = score(model, out);
    const int64_t passed = failing_end();
    alcore_ctx_cancel_clear(ctx);
    return passed >= at;
}

/* Whether a call that ended at a point says what it has to. */
static bool is_told(int kind, alcore_status status) {
    const char *text = alcore_last_error();
    if (kind == CANCELLED) return status == ALCORE_E_CANCELLED;
    if (kind == OPERATIONS)
        return status == ALCORE_E_INTERNAL && strstr(text, "torch: operation ") &&
               strstr(text, " has failed");
    return status == ALCORE_E_NOMEM && (strstr(text, "memory") || strstr(text, "allocate"));
}

/* Ends a call at a point; returns whether it comes to it. What oneDNN keeps of its first failure it
 * does not keep of the second one. */
static bool fails_at(int kind, int64_t at, alcore_sys_model *model, const float *expected,
                     int64_t *whole) {
    float values[SOURCES * TOKENS];
    for (int attempt = 0;; attempt++) {
        alcore_status status;
        const int64_t blocks = failing_blocks();
        if (!comes_to(kind, at, model, values, &status)) return false;
        const bool is_whole = kind == MEMORY && status == ALCORE_OK;
        ck_assert_msg(is_whole || is_told(kind, status), "%s %lld: %s: %s", kinds[kind],
                      (long long)at, alcore_status_name(status), alcore_last_error());
        *whole += is_whole;
        if (is_whole) ck_assert_mem_eq(values, expected, sizeof values);
        ck_assert_int_eq(score(model, values), ALCORE_OK);
        ck_assert_mem_eq(values, expected, sizeof values);
        if (failing_blocks() == blocks) return true;
        ck_assert_msg(attempt == 0, "%s %lld: %lld blocks more", kinds[kind], (long long)at,
                      (long long)(failing_blocks() - blocks));
    }
}

/* Ends calls at each point of a kind. What torch and oneDNN can do without, such as a place in a
 * cache, leaves the call and its values whole. */
static void fail_at_each(int kind, alcore_sys_model *model) {
    float expected[SOURCES * TOKENS];
    int64_t at = 1, whole = 0;
    for (int i = 0; i < 2; i++) ck_assert_int_eq(score(model, expected), ALCORE_OK);
    while (fails_at(kind, at, model, expected, &whole)) at++;
    ck_assert_int_lt(whole, at / 100);
    ck_assert_int_gt(at, kind == TENSORS ? 100 : 500);
}

/* Opens the fixture for calls in several batches, so that weights are packed. */
static void fail_model(int32_t dtype, int first, int last) {
    char path[600];
    void *library = dlopen(getenv("TORCH_FAILING"), RTLD_NOW | RTLD_GLOBAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    *(void **)&failing_begin = dlsym(library, "failing_begin");
    *(void **)&failing_end = dlsym(library, "failing_end");
    *(void **)&failing_blocks = dlsym(library, "failing_blocks");
    begin();
    snprintf(path, sizeof path, "%s/qwen3", fixtures());
    const alcore_sys_model_options open = {
        .size = sizeof open, .device = "cpu", .dtype = dtype, .batch_tokens = 12};
    alcore_sys_model *model = NULL;
    ck_assert_int_eq(engine->open(ctx, path, &open, &model), ALCORE_OK);
    for (int kind = first; kind <= last; kind++) fail_at_each(kind, model);
    engine->close(model);
    alcore_ctx_unref(ctx);
}

START_TEST(failures_are_told_and_leave_nothing) {
    fail_model(ALCORE_FLOAT32, TENSORS, CANCELLED);
}
END_TEST

START_TEST(short_memory_is_told_and_leaves_nothing) {
    fail_model(ALCORE_FLOAT32, MEMORY, MEMORY);
}
END_TEST

START_TEST(failures_of_narrow_weights_are_told) {
    fail_model(ALCORE_SYS_INT8, TENSORS, OPERATIONS);
}
END_TEST

CHECK_SUITE("torch failures", failures_are_told_and_leave_nothing,
            short_memory_is_told_and_leaves_nothing, failures_of_narrow_weights_are_told);
