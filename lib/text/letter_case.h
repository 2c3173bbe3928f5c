/* SPDX-License-Identifier: Apache-2.0 */
/* Lower case by Unicode's full mapping (SpecialCasing.txt, conditions of the root locale). */
#ifndef ALCORE__LETTER_CASE_H
#define ALCORE__LETTER_CASE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the lower-case form of points [length] to out, which has memory for 2 * length code
 * points, and returns how many it wrote. Two rules need more than a table from one code point to
 * another: U+0130 (I with a dot) becomes two code points, and a capital sigma at the end of a word
 * becomes the final sigma. The locale of the process does not matter. Time: linear, but for runs of
 * ignorable marks beside each capital sigma. */
size_t alcore__lower_case(const int32_t *points, size_t length, int32_t *out);

#endif
