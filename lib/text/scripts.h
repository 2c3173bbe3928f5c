/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts of letters (Unicode, UAX #24), and those in which a text is written. */
#ifndef ALCORE__SCRIPTS_H
#define ALCORE__SCRIPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Scripts have numbers that are those of script_ranges.h; these are named because they stand beside
 * others. Kana and Bopomofo have the number of Han, which they are written with. */
enum {
    ALCORE__SCRIPT_NONE = 0,
    ALCORE__SCRIPT_LATIN = 1,
    ALCORE__SCRIPT_HAN = 2,
    ALCORE__SCRIPT_HANGUL = 3
};

/* The script of a letter or mark; ALCORE__SCRIPT_NONE for those that are of several. What no letter
 * is may have a script too. */
uint8_t alcore__script_of(int32_t code_point);

/* The scripts of most letters in the words of a text (text_tokens.h); one that is a syllable
 * (text/utf8.h) counts 2. ALCORE__SCRIPT_NONE: there is no first one, because there are no letters
 * or two have equally many, or no second one. */
typedef struct alcore__text_scripts {
    uint8_t first, second;
} alcore__text_scripts;

alcore__text_scripts alcore__text_scripts_read(const char *text, size_t length);

/* Whether the bytes of a text tell that all of its letters are Latin, 16 at a time: it has
 * characters below U+02C0 and U+2000 to U+203F (dashes, quotation marks) alone. */
bool alcore__text_is_latin(const char *text, size_t length);

#endif
