/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words that stand once and are read in two forms. Such a list is a macro
 *
 *     #define LIST(FIRST, NEXT) FIRST("code-points") NEXT("utf16") NEXT("bytes")
 *
 * in the order of its enum, of which ALCORE__CHOICES(LIST) is the text "code-points|utf16|bytes"
 * and ALCORE__WORDS(LIST) the initializer of an array. The command compiles these lists in too. */
#ifndef ALCORE__WORD_LIST_H
#define ALCORE__WORD_LIST_H

#define ALCORE__CHOICES(list) list(ALCORE__WORD_ALONE, ALCORE__WORD_OR)
#define ALCORE__WORDS(list)                                                                        \
    { list(ALCORE__WORD_ALONE, ALCORE__WORD_AND) }

#define ALCORE__WORD_ALONE(word) word
#define ALCORE__WORD_OR(word) "|" word
#define ALCORE__WORD_AND(word) , word

#endif
