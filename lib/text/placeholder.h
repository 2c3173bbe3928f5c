/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of texts that nobody translates: what programs put into or read from a text.
 *
 *     %s %-8.3f %1$d %(name)s %{name} %1 %qD    conversions of printf and its relatives
 *     {0} {name:.2f} {{name}} ${HOME} #{name}   fields in braces, without white space inside
 *     $HOME @name@                              variables
 *     <b> </a> <br/> <!-- -->                   tags
 *     &amp; &#160;                              entities
 *     http://... mailto:... a@b.org             addresses
 *     --option=x -v                             options of a command, where a word begins
 *     /usr/share ./x ~/x C:\x a/b/c             paths, where a word begins
 *     \n \t \x20                                escapes
 */
#ifndef ALCORE__PLACEHOLDER_H
#define ALCORE__PLACEHOLDER_H

#include <stddef.h>

/* Bytes of the placeholder that begins at offset `at` of a text, which is below its length; 0:
 * there is none. A placeholder is never longer than 256 bytes, but for addresses and paths. */
size_t alcore__placeholder(const char *text, size_t length, size_t at);

#endif
