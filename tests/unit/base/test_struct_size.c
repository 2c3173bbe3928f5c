/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "alcore/extra.h"
#include "base/base.h"
#include "check_suite.h"

/* What the library knows, what an old caller has and what a newer header declares. */
typedef struct present {
    size_t size;
    int64_t first;
    int64_t second;
} present;
typedef struct older {
    size_t size;
    int64_t first;
} older;
typedef struct newer {
    size_t size;
    int64_t first, second, third;
} newer;
#define FIRST ALCORE__FIRST_SIZE(present, first)

START_TEST(three_distinct_errors) {
    present ours;
    newer theirs = {.size = sizeof theirs, .first = 1, .third = 9};
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &theirs, "newer"),
                     ALCORE_E_STRUCT_NEWER);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "newer"));
    theirs.size = 0;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &theirs, "newer"),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "INIT"));
    theirs.size = FIRST - 1;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &theirs, "newer"),
                     ALCORE_E_STRUCT_SIZE);
    theirs.size = 4097;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &theirs, "newer"),
                     ALCORE_E_STRUCT_SIZE);
}
END_TEST

START_TEST(old_and_new_callers_are_read) {
    present ours;
    older old = {.size = sizeof old, .first = 4};
    memset(&ours, 0xFF, sizeof ours);
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &old, "old"), ALCORE_OK);
    ck_assert_uint_eq(ours.size, sizeof ours);
    ck_assert_int_eq(ours.first, 4);
    ck_assert_int_eq(ours.second, 0);
    newer new = {.size = sizeof new, .first = 5, .second = 6};
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &new, "new"), ALCORE_OK);
    ck_assert_uint_eq(ours.size, sizeof ours);
    ck_assert_int_eq(ours.second, 6);
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, NULL, "none"), ALCORE_OK);
    ck_assert_int_eq(ours.first, 0);
}
END_TEST

START_TEST(results_stay_within_the_callers_size) {
    present ours = {.size = sizeof ours, .first = 1, .second = 2};
    struct {
        older old;
        int64_t guard;
    } caller = {.old = {.size = sizeof(older)}, .guard = -1};
    ck_assert_int_eq(alcore__struct_write(&caller.old, &ours, sizeof ours, FIRST, "old"),
                     ALCORE_OK);
    ck_assert_uint_eq(caller.old.size, sizeof(older));
    ck_assert_int_eq(caller.old.first, 1);
    ck_assert_int_eq(caller.guard, -1);
    newer new = {.size = sizeof new};
    ck_assert_int_eq(alcore__struct_write(&new, &ours, sizeof ours, FIRST, "new"), ALCORE_OK);
    ck_assert_uint_eq(new.size, sizeof new);
    ck_assert_int_eq(new.second, 2);
    ck_assert_int_eq(new.third, 0);
    new.size = 0;
    ck_assert_int_eq(alcore__struct_write(&new, &ours, sizeof ours, FIRST, "new"),
                     ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore__struct_write(NULL, &ours, sizeof ours, FIRST, "new"),
                     ALCORE_E_INVALID);
}
END_TEST

/* One function begins every public struct, as its macro does. */
#define CHECK_STRUCT(type)                                                                         \
    do {                                                                                           \
        type by_macro = ALCORE_INIT(type), by_function;                                            \
        memset(&by_function, 0xFF, sizeof by_function);                                            \
        ck_assert_int_eq(alcore_struct_init(&by_function, sizeof by_function), ALCORE_OK);         \
        ck_assert_mem_eq(&by_macro, &by_function, sizeof by_macro);                                \
    } while (0)

START_TEST(init_function_and_macros_agree) {
    CHECK_STRUCT(alcore_ctx_options);
    CHECK_STRUCT(alcore_allocator);
    CHECK_STRUCT(alcore_files);
    CHECK_STRUCT(alcore_lm_options);
    CHECK_STRUCT(alcore_aligner_options);
    CHECK_STRUCT(alcore_annotation_records);
    CHECK_STRUCT(alcore_mix_options);
    CHECK_STRUCT(alcore_model_host);
    CHECK_STRUCT(alcore_model_info);
    CHECK_STRUCT(alcore_model_options);
    CHECK_STRUCT(alcore_train_options);
    CHECK_STRUCT(alcore_train_result);
    CHECK_STRUCT(alcore_translate_options);
    CHECK_STRUCT(alcore_vocabulary_options);
    CHECK_STRUCT(alcore_ngram_options);
    CHECK_STRUCT(alcore_param_info);
    CHECK_STRUCT(alcore_scorer_host);
    CHECK_STRUCT(alcore_strategy_host);
    CHECK_STRUCT(alcore_pool_options);
    CHECK_STRUCT(alcore_column_options);
    CHECK_STRUCT(alcore_filter);
}
END_TEST

START_TEST(init_refuses_what_is_no_struct) {
    unsigned char bytes[16];
    memset(bytes, 7, sizeof bytes);
    ck_assert_int_eq(alcore_struct_init(NULL, 64), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_struct_init(bytes, sizeof(size_t) - 1), ALCORE_E_STRUCT_SIZE);
    ck_assert_int_eq(alcore_struct_init(bytes, 4097), ALCORE_E_STRUCT_SIZE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "4097"));
    ck_assert_uint_eq(bytes[0], 7); /* nothing was written */
    ck_assert_int_eq(alcore_struct_init(bytes, sizeof bytes), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), ""); /* as every call does, it clears the error text */
}
END_TEST

START_TEST(the_context_checks_its_structs) {
    alcore_ctx *ctx = (alcore_ctx *)&ctx;
    alcore_ctx_options options = {0};
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_STRUCT_UNSET);
    ck_assert_ptr_null(ctx);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "alcore_ctx_options"));
    options.size = sizeof options;
    alcore_allocator allocator = ALCORE_ALLOCATOR_INIT;
    options.allocator = &allocator;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_INVALID);
    options.allocator = NULL;
    alcore_files files = {0};
    options.files = &files;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_STRUCT_UNSET);
    options.files = NULL;
    options.threads = -1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_INVALID);
    options.threads = 0;
    options.reserved = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_E_STRUCT_NEWER);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "alcore_ctx_options: reserved is 1"));
    ck_assert_int_eq(alcore_ctx_new(NULL, NULL), ALCORE_E_INVALID);
    struct {
        alcore_ctx_options known;
        int64_t unknown;
    } longer = {.known = {.size = sizeof longer}, .unknown = 1};
    ck_assert_int_eq(alcore_ctx_new(&longer.known, &ctx), ALCORE_E_STRUCT_NEWER);
    longer.unknown = 0;
    ck_assert_int_eq(alcore_ctx_new(&longer.known, &ctx), ALCORE_OK);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("struct size", three_distinct_errors, old_and_new_callers_are_read,
            results_stay_within_the_callers_size, init_function_and_macros_agree,
            init_refuses_what_is_no_struct, the_context_checks_its_structs);
