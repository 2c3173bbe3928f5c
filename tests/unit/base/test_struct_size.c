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

/* A member that is cut off in its middle is not there. */
START_TEST(members_within_a_size) {
    newer theirs = {.size = sizeof(older)};
    ck_assert(ALCORE_STRUCT_HAS(&theirs, first));
    ck_assert(!ALCORE_STRUCT_HAS(&theirs, second));
    theirs.size--;
    ck_assert(!ALCORE_STRUCT_HAS(&theirs, first));
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

/* One function begins every public struct, as its macro does, what is not set included. */
#define CHECK_STRUCT(type, initial)                                                                \
    do {                                                                                           \
        const type by_macro = initial;                                                             \
        type by_function;                                                                          \
        memset(&by_function, 0xFF, sizeof by_function);                                            \
        ck_assert_int_eq(alcore_extra_struct_begin(&by_function, sizeof by_function, #type),       \
                         ALCORE_OK);                                                               \
        ck_assert_mem_eq(&by_macro, &by_function, sizeof by_macro);                                \
    } while (0)

START_TEST(begin_and_macros_agree) {
    CHECK_STRUCT(alcore_ctx_options, ALCORE_CTX_OPTIONS_INIT);
    CHECK_STRUCT(alcore_allocator, ALCORE_ALLOCATOR_INIT);
    CHECK_STRUCT(alcore_files, ALCORE_FILES_INIT);
    CHECK_STRUCT(alcore_lm_options, ALCORE_LM_OPTIONS_INIT);
    CHECK_STRUCT(alcore_aligner_options, ALCORE_ALIGNER_OPTIONS_INIT);
    CHECK_STRUCT(alcore_annotation_records, ALCORE_ANNOTATION_RECORDS_INIT);
    CHECK_STRUCT(alcore_job_options, ALCORE_JOB_OPTIONS_INIT);
    CHECK_STRUCT(alcore_mix_options, ALCORE_MIX_OPTIONS_INIT);
    CHECK_STRUCT(alcore_model_host, ALCORE_MODEL_HOST_INIT);
    CHECK_STRUCT(alcore_model_info, ALCORE_MODEL_INFO_INIT);
    CHECK_STRUCT(alcore_model_options, ALCORE_MODEL_OPTIONS_INIT);
    CHECK_STRUCT(alcore_train_options, ALCORE_TRAIN_OPTIONS_INIT);
    CHECK_STRUCT(alcore_train_result, ALCORE_TRAIN_RESULT_INIT);
    CHECK_STRUCT(alcore_translate_options, ALCORE_TRANSLATE_OPTIONS_INIT);
    CHECK_STRUCT(alcore_vocabulary_options, ALCORE_VOCABULARY_OPTIONS_INIT);
    CHECK_STRUCT(alcore_ngram_options, ALCORE_NGRAM_OPTIONS_INIT);
    CHECK_STRUCT(alcore_param_info, ALCORE_PARAM_INFO_INIT);
    CHECK_STRUCT(alcore_scorer_host, ALCORE_SCORER_HOST_INIT);
    CHECK_STRUCT(alcore_strategy_host, ALCORE_STRATEGY_HOST_INIT);
    CHECK_STRUCT(alcore_pool_options, ALCORE_POOL_OPTIONS_INIT);
    CHECK_STRUCT(alcore_column_options, ALCORE_COLUMN_OPTIONS_INIT);
    CHECK_STRUCT(alcore_filter, ALCORE_FILTER_INIT);
}
END_TEST

START_TEST(begin_refuses_what_is_no_struct) {
    unsigned char bytes[16];
    const char *name = "alcore_report_options";
    memset(bytes, 7, sizeof bytes);
    ck_assert_int_eq(alcore_struct_begin(NULL, 64, name), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_struct_begin(bytes, 16, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_struct_begin(bytes, sizeof(size_t) - 1, name), ALCORE_E_STRUCT_SIZE);
    ck_assert_int_eq(alcore_struct_begin(bytes, 4097, name), ALCORE_E_STRUCT_SIZE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "4097"));
    ck_assert_int_eq(alcore_struct_begin(bytes, 16, "alcore_report_option"), ALCORE_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "'alcore_report_option'"));
    /* The structs of extra are begun by the function of that tier. */
    ck_assert_int_eq(alcore_struct_begin(bytes, 16, "alcore_train_options"), ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(alcore_extra_struct_begin(NULL, 64, name), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_extra_struct_begin(bytes, 16, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_extra_struct_begin(bytes, 4097, name), ALCORE_E_STRUCT_SIZE);
    ck_assert_int_eq(alcore_extra_struct_begin(bytes, 7, name), ALCORE_E_STRUCT_SIZE);
    ck_assert_int_eq(alcore_extra_struct_begin(bytes, 16, "alcore_train"), ALCORE_E_NOT_FOUND);
    ck_assert_uint_eq(bytes[0], 7); /* nothing was written */
    ck_assert_int_eq(alcore_struct_begin(bytes, sizeof bytes, name), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), ""); /* as every call does, it clears the error text */
}
END_TEST

/* A caller with an older struct gets its beginning, and one with a newer struct zeros behind it. */
START_TEST(begin_serves_other_sizes) {
    unsigned char bytes[sizeof(alcore_model_options) + 24];
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    const size_t old_size = offsetof(alcore_model_options, stride);
    memset(bytes, 7, sizeof bytes);
    ck_assert_int_eq(alcore_struct_begin(bytes, old_size, "alcore_model_options"), ALCORE_OK);
    options.size = old_size;
    ck_assert_mem_eq(bytes, &options, old_size);
    ck_assert_uint_eq(bytes[old_size], 7);
    ck_assert_int_eq(alcore_struct_begin(bytes, sizeof bytes, "alcore_model_options"), ALCORE_OK);
    options.size = sizeof bytes;
    ck_assert_mem_eq(bytes, &options, sizeof options);
    for (size_t i = sizeof options; i < sizeof bytes; i++) ck_assert_uint_eq(bytes[i], 0);
}
END_TEST

/* What the macros of a newer header leave unset does not count as set; what an older caller lacks
 * begins as its macro would. */
START_TEST(unset_members_count_as_absent) {
    struct {
        size_t size;
        int64_t first, second;
        double number;
        int64_t whole;
        int32_t half, other;
    } later = {.number = ALCORE_UNSET, .whole = ALCORE_UNSET_INT, .half = ALCORE_UNSET_INT};
    present ours;
    later.size = sizeof later;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &later, "later"), ALCORE_OK);
    later.number = 0.5;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &later, "later"),
                     ALCORE_E_STRUCT_NEWER);
    later.number = ALCORE_UNSET;
    later.other = 1;
    ck_assert_int_eq(alcore__struct_read(&ours, sizeof ours, FIRST, &later, "later"),
                     ALCORE_E_STRUCT_NEWER);
    const older old = {.size = sizeof old, .first = 4};
    ours = (present){.second = ALCORE_UNSET_INT};
    ck_assert_int_eq(alcore__struct_read_over(&ours, sizeof ours, FIRST, &old, "old"), ALCORE_OK);
    ck_assert_int_eq(ours.first, 4);
    ck_assert_int_eq(ours.second, ALCORE_UNSET_INT);
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
            members_within_a_size, results_stay_within_the_callers_size, begin_and_macros_agree,
            begin_refuses_what_is_no_struct, begin_serves_other_sizes,
            unset_members_count_as_absent, the_context_checks_its_structs);
