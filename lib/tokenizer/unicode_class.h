/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of characters as the package tokenizers has them. White space is
 * alcore__utf8_is_space(). */
#ifndef ALCORE__UNICODE_CLASS_H
#define ALCORE__UNICODE_CLASS_H

#include <stdbool.h>
#include <stdint.h>

bool alcore__point_is_punctuation(int32_t point); /* ASCII's, and category P */
bool alcore__point_is_control(int32_t point);     /* Cc, Cf, Co and Cs, also \t, \n and \r */
bool alcore__point_is_nonspacing(int32_t point);  /* category Mn */
bool alcore__point_is_mark(int32_t point);        /* category M */
bool alcore__point_is_letter(int32_t point);      /* category L */
bool alcore__point_is_number(int32_t point);      /* category N */
bool alcore__point_is_han(int32_t point);         /* what BERT writes spaces around */
bool alcore__point_is_word(int32_t point); /* \w: alphabetic, marks, digits, connectors, joiners */

#endif
