/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of letters and of texts. */
#include <string.h>

#include "check_suite.h"
#include "text/scripts.h"
#include "text/utf8.h"

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

/* A text that is Latin by its bytes has no letter of another script, for each character and
 * wherever it stands; accents, dashes and quotation marks are told by their bytes. */
START_TEST(texts_are_latin_by_their_bytes) {
    for (int32_t point = 1; point < 0x30000; point++) {
        char text[64];
        const int before = point % 40;
        memset(text, 'a', sizeof text);
        if (point >= 0xD800 && point < 0xE000) continue;
        const size_t bytes = alcore__utf8_write(point, text + before);
        const bool latin = alcore__text_is_latin(text, sizeof text);
        const uint8_t script =
            alcore__utf8_is_letter(point) ? alcore__script_of(point) : ALCORE__SCRIPT_LATIN;
        ck_assert_int_eq(latin, point < 0x2C0 || (point >= 0x2000 && point < 0x2040));
        if (latin) ck_assert_int_eq(script, ALCORE__SCRIPT_LATIN);
        ck_assert_int_eq(alcore__text_is_latin(text + before, bytes), latin);
    }
    ck_assert(alcore__text_is_latin("", 0));
    ck_assert(!alcore__text_is_latin("\xE2", 1));
}
END_TEST

CHECK_SUITE("text/scripts", letters_have_scripts, texts_have_the_scripts_of_most_letters,
            texts_are_latin_by_their_bytes);
