/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "alcore/param.h"
#include "alcore/remedy.h"
#include "base/base.h"
#include "check_suite.h"
#include "comma_locale.h"

START_TEST(names_of_statuses) {
    ck_assert_str_eq(alcore_status_name(ALCORE_OK), "ALCORE_OK");
    ck_assert_str_eq(alcore_status_name(ALCORE_E_NOMEM), "ALCORE_E_NOMEM");
    ck_assert_str_eq(alcore_status_name(ALCORE_E_INTERNAL), "ALCORE_E_INTERNAL");
    ck_assert_str_eq(alcore_status_name(-1), "unknown status");
    ck_assert_str_eq(alcore_status_name(1), "unknown status");
}
END_TEST

START_TEST(text_is_formatted) {
    ck_assert_int_eq(alcore__fail(ALCORE_E_DATA, "line %d", 3), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "line 3");
    ck_assert_int_eq(alcore__fail_within(ALCORE_E_DATA, "%s", "pool.txt"), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "pool.txt: line 3");
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore__fail_remedy(ALCORE_E_DATA, ALCORE_REMEDY_OPTION, "nan", "exclude", "leaves it out");
    ck_assert_int_eq(alcore__fail_within(ALCORE_E_DATA, "%s", "again"), ALCORE_E_DATA);
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_str_eq(remedy.name, "nan");
    alcore__fail(ALCORE_E_DATA, "pool.txt: line 3");
    ck_assert_int_eq(alcore_last_remedy(&remedy), 0);
    /* The arguments may be the present text. */
    alcore__fail(ALCORE_E_DATA, "again: %s", alcore_last_error());
    ck_assert_str_eq(alcore_last_error(), "again: pool.txt: line 3");
    ck_assert_int_eq(alcore__fail_memory(77), ALCORE_E_NOMEM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "77"));
}
END_TEST

START_TEST(text_is_cut_at_a_code_point) {
    static const char *const characters[] = {"x", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t c = 0; c < 4; c++) {
        size_t width = strlen(characters[c]);
        for (size_t lead = 0; lead < 4; lead++) {
            char text[1200];
            size_t length = lead;
            memset(text, 'a', lead);
            for (; length + width < sizeof text; length += width)
                memcpy(text + length, characters[c], width);
            ck_assert_int_eq(alcore_error_set(ALCORE_E_DATA, text, length), ALCORE_E_DATA);
            size_t kept = strlen(alcore_last_error());
            ck_assert_uint_eq(kept, lead + (1023 - lead) / width * width);
            text[length] = 0;
            alcore__fail(ALCORE_E_DATA, "%s", text);
            ck_assert_uint_eq(strlen(alcore_last_error()), kept);
        }
    }
}
END_TEST

START_TEST(error_set_takes_unterminated_text_and_null) {
    ck_assert_int_eq(alcore_error_set(ALCORE_E_IO, "abcdef", 3), ALCORE_E_IO);
    ck_assert_str_eq(alcore_last_error(), "abc");
    ck_assert_int_eq(alcore_error_set(7, NULL, 12), 7);
    ck_assert_str_eq(alcore_last_error(), "");
}
END_TEST

START_TEST(a_callbacks_text_and_status_come_back) {
    alcore_error_set(ALCORE_E_DATA, "mine", 4);
    ck_assert_int_eq(alcore__fail_callback(ALCORE_E_DATA, "embed"), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "mine");
    ck_assert_int_eq(alcore__fail_callback(1, "embed"), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "mine");
    /* A text that belongs to another failure is not taken for this one's. */
    ck_assert_int_eq(alcore__fail_callback(ALCORE_E_IO, "embed"), ALCORE_E_IO);
    ck_assert_str_eq(alcore_last_error(), "embed failed");
    alcore_error_set(ALCORE_OK, NULL, 0);
    ck_assert_int_eq(alcore__fail_callback(5, "embed"), ALCORE_E_CALLBACK);
    ck_assert_str_eq(alcore_last_error(), "embed failed");
}
END_TEST

START_TEST(the_outermost_call_clears_the_text) {
    alcore__fail(ALCORE_E_DATA, "old");
    ck_assert_int_eq(alcore__enter(NULL), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), "");
    alcore__fail(ALCORE_E_DATA, "inner");
    /* A nested call that succeeds, as clean-up does, leaves the text alone. */
    ck_assert_int_eq(alcore__enter(NULL), ALCORE_OK);
    ck_assert_int_eq(alcore__leave(NULL, ALCORE_OK), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), "inner");
    ck_assert_int_eq(alcore__leave(NULL, ALCORE_E_DATA), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "inner");
    ck_assert_int_eq(alcore__enter(NULL), ALCORE_OK);
    alcore__fail(ALCORE_E_DATA, "got over");
    ck_assert_int_eq(alcore__leave(NULL, ALCORE_OK), ALCORE_OK);
    ck_assert_str_eq(alcore_last_error(), "");
}
END_TEST

/* A struct that is no alcore_remedy gets none, and what is asked leaves the error alone. */
START_TEST(calls_without_a_status_leave_the_text) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    alcore__fail_remedy(alcore__fail(ALCORE_E_DATA, "kept"), ALCORE_REMEDY_OPTION, "nan", "exclude",
                        "leaves it out");
    ck_assert_int_eq(alcore_last_remedy(NULL), 0);
    remedy.size = 3;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 0);
    ck_assert_ptr_null(remedy.name);
    remedy.size = sizeof remedy;
    remedy.reserved = 7;
    ck_assert_ptr_null(alcore_hint(ALCORE_HINT_STRATEGY, "x"));
    ck_assert_ptr_null(alcore_device_builtin_name(9));
    ck_assert_int_eq(alcore_ctx_is_cancelled(ctx), 0);
    ck_assert_int_gt(alcore_ctx_threads(ctx), 0);
    alcore_ctx_cancel(ctx);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_str_eq(alcore_status_name(ALCORE_E_DATA), "ALCORE_E_DATA");
    alcore_ctx_unref(ctx);
    ck_assert_str_eq(alcore_last_error(), "kept");
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_OPTION);
    ck_assert_str_eq(remedy.name, "nan");
    ck_assert_str_eq(remedy.value, "exclude");
    ck_assert_str_eq(remedy.effect, "leaves it out");
    ck_assert_int_eq(remedy.reserved, 0);
    ck_assert_str_eq(alcore_last_error(), "kept");
}
END_TEST

static void *fail_elsewhere(void *out) {
    alcore__fail(ALCORE_E_DATA, "elsewhere");
    *(int *)out = strcmp(alcore_last_error(), "elsewhere");
    return NULL;
}

START_TEST(the_text_is_per_thread) {
    pthread_t thread;
    int differs = -1;
    alcore__fail(ALCORE_E_DATA, "here");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, &differs), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(differs, 0);
    ck_assert_str_eq(alcore_last_error(), "here");
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale) {
    comma_locale locale;
    comma_locale_begin(&locale);
    alcore__fail(ALCORE_E_DATA, "%g", 0.5);
    ck_assert_str_eq(alcore_last_error(), "0.5");
    comma_locale_end(&locale);
}
END_TEST

START_TEST(nearest_name_finds_misspellings) {
    static const char *const names[] = {"random", "huds", "kcenter", "diversity-global", "nsp"};
    ck_assert_str_eq(alcore__nearest_name("hudz", names, 5), "huds");
    ck_assert_str_eq(alcore__nearest_name("kcenter", names, 5), "kcenter");
    ck_assert_str_eq(alcore__nearest_name("ranodm", names, 5), "random");
    ck_assert_str_eq(alcore__nearest_name("diversity_global", names, 5), "diversity-global");
    ck_assert_ptr_null(alcore__nearest_name("badge", names, 5));
    ck_assert_ptr_null(alcore__nearest_name("", names, 5));
    ck_assert_ptr_null(alcore__nearest_name("x", names, 5));
    ck_assert_ptr_null(alcore__nearest_name(NULL, names, 5));
}
END_TEST

CHECK_SUITE("error", names_of_statuses, text_is_formatted, text_is_cut_at_a_code_point,
            error_set_takes_unterminated_text_and_null, a_callbacks_text_and_status_come_back,
            the_outermost_call_clears_the_text, calls_without_a_status_leave_the_text,
            the_text_is_per_thread, numbers_do_not_follow_the_locale,
            nearest_name_finds_misspellings);
