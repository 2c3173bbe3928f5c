/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of languages (language_tag.h). */
#include "text/language_tag.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

bool alcore__language_is_tag(const char *text) {
    const char *at = text;
    for (; *at; at++) {
        const bool letter = (*at | 0x20) >= 'a' && (*at | 0x20) <= 'z';
        const bool digit = *at >= '0' && *at <= '9';
        if (!letter && (at == text || (!digit && !strchr("-_@", *at)))) return false;
    }
    return at > text;
}

/* Whether the bytes of two tags are equal. */
static bool same(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char left = a[i] == '_' ? '-' : a[i], right = b[i] == '_' ? '-' : b[i];
        if (strncasecmp(&left, &right, 1) != 0) return false;
    }
    return true;
}

int alcore__language_match(const char *wanted, const char *tag) {
    const size_t wanted_length = strlen(wanted), length = strlen(tag);
    if (!same(wanted, tag, wanted_length < length ? wanted_length : length)) return 0;
    if (wanted_length == length) return 3;
    const char next = length > wanted_length ? tag[wanted_length] : wanted[length];
    if (next != '-' && next != '_') return 0;
    return length > wanted_length ? 2 : 1;
}
