/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of languages, such as "pt-BR": "_" is "-", and case does not count. */
#ifndef ALCORE__LANGUAGE_TAG_H
#define ALCORE__LANGUAGE_TAG_H

#include <stdbool.h>

/* Whether a text may be a tag: a letter, and letters, digits, "-", "_" and "@" behind it. */
bool alcore__language_is_tag(const char *text);
/* How well a tag of a file matches a wanted one: 3, they are equal; 2, it is a variant ("en-US" for
 * "en"); 1, it is what the wanted one is a variant of ("en" for "en-US"); 0, it is another
 * language. */
int alcore__language_match(const char *wanted, const char *tag);

#endif
