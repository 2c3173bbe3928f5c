/* SPDX-License-Identifier: Apache-2.0 */
/* Letters and digits of ASCII, whatever the locale. */
#ifndef ALCORE__ASCII_H
#define ALCORE__ASCII_H

#include <stdbool.h>

static inline bool alcore__is_small(char c) {
    return c >= 'a' && c <= 'z';
}
static inline bool alcore__is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}
static inline bool alcore__is_letter(char c) {
    return alcore__is_small(c) || alcore__is_capital(c);
}
static inline bool alcore__is_digit(char c) {
    return c >= '0' && c <= '9';
}
/* A character of names in programming languages. */
static inline bool alcore__is_name(char c) {
    return alcore__is_letter(c) || alcore__is_digit(c) || c == '_';
}

#endif
