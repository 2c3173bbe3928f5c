/* SPDX-License-Identifier: Apache-2.0 */
/* Inline elements of XLIFF 1.2 and TMX. */
#ifndef ALCORE__INLINE_CODES_H
#define ALCORE__INLINE_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the content of an inline element are codes of the file that is translated, as opposed to
 * <hi>, <g> and <sub>, whose text belongs to the segment. */
static inline bool alcore__is_inline_code(const char *name) {
    static const char *const names[] = {"bpt", "ept", "it", "ph", "ut"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

#endif
