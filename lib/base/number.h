/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, the same in every locale. */
#ifndef ALCORE__NUMBER_H
#define ALCORE__NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text is one decimal number: an optional sign, digits with at most one point, an
 * optional exponent; or nan, inf, infinity in any case. No spaces, no hexadecimal, at most 1,023
 * bytes. Correctly rounded; a number too large for a double is refused, one too small becomes 0.
 * *out is untouched on failure. */
bool alcore__parse_double(const char *text, size_t length, double *out);
/* Why a text is no such number, as the end of a message: "; the decimal point is a point, as in
 * 0.17" for 0,17; "" where nothing is known. Static. */
const char *alcore__number_fault(const char *text, size_t length);
/* The whole text is a decimal integer with an optional sign that fits. */
bool alcore__parse_int(const char *text, size_t length, int64_t *out);
/* The whole text is a decimal integer from 0 to 2^64 - 1, without a sign. */
bool alcore__parse_uint(const char *text, size_t length, uint64_t *out);
/* The fewest digits that read back to the same double; "nan", "inf", "-inf". Returns the length;
 * out is NUL-terminated. */
size_t alcore__print_double(double value, char out[32]);

#endif
