/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of texts that nobody translates: what programs put into or read from a text.
 *
 *     %s %-8.3f %1$d %(name)s %{name} %1 %qD    conversions of printf and its relatives, no word
 *                                               behind them
 *     {0} {name:.2f} {{name}} ${HOME} #{name}   fields in braces, without white space inside
 *     $HOME %HOME% @name@                       variables
 *     <b> </a> <br/> <a href=x> <!-- -->        tags: a blank in one asks for an equals sign
 *     &amp; &#160;                              entities
 *     http://... mailto:... a@b.org             addresses
 *     --option=x -v                             options of a command, where a word begins
 *     /usr/share ./x ~/x C:\x a/b/c.h a/b/c/d   paths, where a word begins
 *     \n \t \x20                                escapes
 *     (_F) (&F) (~F)                            keys of commands, as interfaces in scripts of other
 *                                               letters name them behind a label
 */
#ifndef ALCORE__PLACEHOLDER_H
#define ALCORE__PLACEHOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the placeholder that begins at offset `at` of a text, which is below its length; 0:
 * there is none. Brackets and tags close within 256 bytes, and no more than 512 are looked at for
 * an address or a path, so that the time for a text grows with its length. */
size_t alcore__placeholder(const char *text, size_t length, size_t at);

/* By its first byte: no placeholder begins with it, some do, or one does only where
 * alcore__placeholder_is_marked(). */
enum { ALCORE__OPENS_NEVER, ALCORE__OPENS_ALWAYS, ALCORE__OPENS_WHERE_MARKED };
extern const uint8_t alcore__placeholder_openings[256];
/* Whether an address or a path may begin with the letter, digit or underscore at offset `at`. Few
 * texts have the bytes that mark one, so most words need no closer look. *mark_end: 0 before the
 * first call for a text, whose offsets ascend; the calls read a text once altogether. */
bool alcore__placeholder_is_marked(const char *text, size_t length, size_t at, size_t *mark_end);

/* alcore__placeholder() for one that reads the text in ascending order, with *mark_end as above. */
static inline size_t alcore__placeholder_next(const char *text, size_t length, size_t at,
                                              size_t *mark_end) {
    const uint8_t opens = alcore__placeholder_openings[(unsigned char)text[at]];
    if (opens == ALCORE__OPENS_NEVER) return 0;
    if (opens == ALCORE__OPENS_WHERE_MARKED &&
        !alcore__placeholder_is_marked(text, length, at, mark_end))
        return 0;
    return alcore__placeholder(text, length, at);
}

#endif
