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
 */
#ifndef ALCORE__PLACEHOLDER_H
#define ALCORE__PLACEHOLDER_H

#include <stddef.h>

/* Bytes of the placeholder that begins at offset `at` of a text, which is below its length; 0:
 * there is none. Brackets and tags close within 256 bytes, and no more than 512 are looked at for
 * an address or a path, so that the time for a text grows with its length. */
size_t alcore__placeholder(const char *text, size_t length, size_t at);

#endif
