/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts about links of a file (word_links.h): where the link stands, and what may have caused
 * it. */
#include <string.h>

#include "text/word_links.h"
#include "text/words.h"

alcore_status alcore__links_fail(const alcore__links *links, int64_t pair, alcore_status status) {
    if (!links->path) return status;
    return alcore__fail_within(status, "%s:%lld", links->path,
                               (long long)(links->before + pair + 1));
}

/* The character U+0080 or above, and in *out_bytes its length, that text [length] begins with and
 * at which str.split() of Python and eflomal split, but not this library; 0: none. */
static unsigned other_space(const char *text, size_t length, size_t *out_bytes) {
    const unsigned char *byte = (const unsigned char *)text;
    *out_bytes = 2;
    if (length >= 2 && byte[0] == 0xC2) return byte[1] == 0xA0 || byte[1] == 0x85 ? byte[1] : 0;
    *out_bytes = 3;
    if (length < 3 || byte[0] < 0xE1 || byte[0] > 0xE3) return 0;
    const unsigned code = (byte[0] & 0x0Fu) << 12 | (byte[1] & 0x3Fu) << 6 | (byte[2] & 0x3Fu);
    const bool is_space = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                          code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
    return is_space ? code : 0;
}

/* Puts the first such space of a text, with the word that it stands in, behind the error text. */
static bool explain_space(alcore_status status, const char *side, const char *text, size_t length) {
    size_t word = 0, bytes; /* where the word begins; bytes of the space */
    for (size_t i = 0; i < length; i++) {
        if (alcore__is_word_space(text[i])) word = i + 1;
        const unsigned code = other_space(text + i, length - i, &bytes);
        if (code == 0) continue;
        size_t end = i + bytes;
        while (end < length && !alcore__is_word_space(text[end]) && end - word < 60) end++;
        while (end < length && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
        alcore__fail(status,
                     "%s; the aligner may have split at the space U+%04X in \"%.*s\" of the %s, "
                     "which is one word here: replace such spaces before aligning",
                     alcore_last_error(), code, (int)(end - word), text + word, side);
        return true;
    }
    return false;
}

/* Whether the links that are in memory seem to count from 1: none of them has a position 0. */
static bool counts_from_one(const alcore__links *links) {
    for (int64_t i = links->begin[0]; i < links->begin[links->pairs]; i++)
        if (links->link[i].source == 0 || links->link[i].target == 0) return false;
    return true;
}

alcore_status alcore__links_fail_range(const alcore__links *links, int64_t pair,
                                       alcore_status status, const char *source,
                                       size_t source_length, const char *target,
                                       size_t target_length) {
    if (!explain_space(status, "source", source, source_length) &&
        !explain_space(status, "target", target, target_length) && counts_from_one(links))
        alcore__fail(status, "%s; no link has a position 0: subtract 1 if they count from 1",
                     alcore_last_error());
    return alcore__links_fail(links, pair, status);
}
