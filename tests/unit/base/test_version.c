/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "alcore/version.h"
#include "check_suite.h"

START_TEST(version_and_abi_are_the_headers) {
    ck_assert_str_eq(alcore_version(), ALCORE_VERSION);
    ck_assert_int_eq(alcore_abi(), ALCORE_ABI);
}
END_TEST

START_TEST(features_are_known_or_not) {
    static const char *const names[] = {"zlib",       "lzma", "zstd",   "avx2",  "avx512",
                                        "avx512vnni", "neon", "sqlite", "expat", "xlsxwriter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert(alcore_feature(names[i]) == 0 || alcore_feature(names[i]) == 1);
    ck_assert_int_eq(alcore_feature("pickle"), -1);
    ck_assert_int_eq(alcore_feature(NULL), -1);
}
END_TEST

START_TEST(build_info_is_json_that_agrees) {
    json_error_t error;
    json_t *info = json_loads(alcore_build_info(), JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(info, "%s", error.text);
    ck_assert_str_eq(json_string_value(json_object_get(info, "version")), ALCORE_VERSION);
    ck_assert_int_eq(json_integer_value(json_object_get(info, "abi")), ALCORE_ABI);
    ck_assert(json_is_string(json_object_get(info, "compiler")));
    ck_assert(json_is_string(json_object_get(info, "flags")));
    ck_assert(json_is_string(json_object_get(json_object_get(info, "dependencies"), "utf8proc")));
    const char *name;
    json_t *present;
    size_t features = 0;
    json_object_foreach(json_object_get(info, "features"), name, present) {
        ck_assert_int_eq(alcore_feature(name), json_is_true(present));
        features++;
    }
    ck_assert_uint_eq(features, 10);
    json_decref(info);
}
END_TEST

CHECK_SUITE("version", version_and_abi_are_the_headers, features_are_known_or_not,
            build_info_is_json_that_agrees);
