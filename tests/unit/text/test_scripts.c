/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of letters and of texts. */
#include <string.h>

#include "check_suite.h"
#include "text/scripts.h"

START_TEST(letters_have_scripts) {
    static const int32_t latin[] = {'a', 'Z', 0xE9, 0x1EA1, 0xFF21};
    static const int32_t han[] = {0x4E00, 0x3042, 0x30AB, 0x3105, 0x20000};
    static const int32_t none[] = {' ', '1', 0x2014, 0x1F600, 0x10FFFF};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(alcore__script_of(latin[i]), ALCORE__SCRIPT_LATIN);
        ck_assert_int_eq(alcore__script_of(han[i]), ALCORE__SCRIPT_HAN);
        ck_assert_int_eq(alcore__script_of(none[i]), ALCORE__SCRIPT_NONE);
    }
    ck_assert_int_eq(alcore__script_of(0xAC00), ALCORE__SCRIPT_HANGUL);
    ck_assert_int_eq(alcore__script_of(0x0416), alcore__script_of(0x0436));
    ck_assert_int_ne(alcore__script_of(0x0416), alcore__script_of(0x0396)); /* Greek */
    ck_assert_int_ne(alcore__script_of(0x0E01), alcore__script_of(0x0E81)); /* Thai, Lao */
}
END_TEST

static uint8_t first_of(const char *text) {
    return alcore__text_scripts_read(text, strlen(text)).first;
}
static uint8_t second_of(const char *text) {
    return alcore__text_scripts_read(text, strlen(text)).second;
}

START_TEST(texts_have_the_scripts_of_most_letters) {
    const uint8_t cyrillic = alcore__script_of(0x0436);
    ck_assert_int_eq(first_of("Open the file"), ALCORE__SCRIPT_LATIN);
    ck_assert_int_eq(second_of("Open the file"), ALCORE__SCRIPT_NONE);
    ck_assert_int_eq(first_of("Откройте файл file"), cyrillic);
    ck_assert_int_eq(second_of("Откройте файл file"), ALCORE__SCRIPT_LATIN);
    ck_assert_int_eq(second_of("file Откройте файл"), ALCORE__SCRIPT_LATIN);
    /* Letters of placeholders are none, one without spaces counts 2, of equally many none leads. */
    ck_assert_int_eq(first_of("ж %(a_very_long_name)s"), cyrillic);
    ck_assert_int_eq(first_of("打开 abc"), ALCORE__SCRIPT_HAN);
    ck_assert_int_eq(first_of("한국 abc"), ALCORE__SCRIPT_HANGUL); /* a syllable counts 2, too */
    ck_assert_int_eq(first_of("жж ab"), ALCORE__SCRIPT_NONE);
    ck_assert_int_eq(first_of(""), ALCORE__SCRIPT_NONE);
    ck_assert_int_eq(first_of("12 %s ..."), ALCORE__SCRIPT_NONE);
    ck_assert_int_eq(first_of("ファイルを開く"), ALCORE__SCRIPT_HAN);
}
END_TEST

CHECK_SUITE("text/scripts", letters_have_scripts, texts_have_the_scripts_of_most_letters);
