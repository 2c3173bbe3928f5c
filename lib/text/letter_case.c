/* SPDX-License-Identifier: Apache-2.0 */
/* Lower case; letter_case.h says what it computes. utf8proc maps single code points; what depends
 * on the neighbors is here.
 *
 * A capital sigma is final where, skipping case-ignorable code points, a cased one stands before it
 * and none behind it (Unicode 3.13, Final_Sigma). Both properties follow from the general category
 * but for the ranges below, which are those of PropList.txt and WordBreakProperty.txt. */
#include "text/letter_case.h"

#include <stdbool.h>
#include <utf8proc.h>

typedef struct point_range {
    int32_t first, last; /* both belong to it */
} point_range;

/* Whether a code point is in one of ranges [count], which are sorted. */
static bool is_within(int32_t point, const point_range *ranges, size_t count) {
    size_t i = 0;
    while (i < count && point > ranges[i].last) i++;
    return i < count && point >= ranges[i].first;
}

/* Letters with case, and what Other_Lowercase and Other_Uppercase add to them. */
static bool is_cased(int32_t point) {
    static const point_range others[] = {{0xAA, 0xAA},      {0xBA, 0xBA},       {0x2160, 0x217F},
                                         {0x24B6, 0x24E9},  {0x1F130, 0x1F149}, {0x1F150, 0x1F169},
                                         {0x1F170, 0x1F189}};
    const utf8proc_category_t category = utf8proc_category(point);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LT ||
           is_within(point, others, sizeof others / sizeof *others);
}

/* Marks, format characters, modifiers, and punctuation that stands within words. */
static bool is_case_ignorable(int32_t point) {
    static const point_range others[] = {
        {0x27, 0x27},     {0x2E, 0x2E},     {0x3A, 0x3A},     {0xB7, 0xB7},
        {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
        {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
        {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};
    const utf8proc_category_t category = utf8proc_category(point);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME ||
           category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_LM ||
           category == UTF8PROC_CATEGORY_SK ||
           is_within(point, others, sizeof others / sizeof *others);
}

/* Whether the capital sigma points[index] of points [length] ends a word. */
static bool is_final_sigma(const int32_t *points, size_t length, size_t index) {
    size_t before = index, behind = index + 1;
    while (before > 0 && is_case_ignorable(points[before - 1])) before--;
    if (before == 0 || !is_cased(points[before - 1])) return false;
    while (behind < length && is_case_ignorable(points[behind])) behind++;
    return behind == length || !is_cased(points[behind]);
}

/* Maps code points one by one, in order, but for the two rules of letter_case.h. */
size_t alcore__lower_case(const int32_t *points, size_t length, int32_t *out) {
    enum { DOTTED_I = 0x130, DOT_ABOVE = 0x307, CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2 };
    size_t end = 0;
    for (size_t i = 0; i < length; i++) {
        const int32_t point = points[i];
        if (point < 0x80) {
            out[end++] = point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point;
        } else if (point == DOTTED_I) {
            out[end++] = 'i';
            out[end++] = DOT_ABOVE;
        } else if (point == CAPITAL_SIGMA && is_final_sigma(points, length, i)) {
            out[end++] = FINAL_SIGMA;
        } else {
            out[end++] = utf8proc_tolower(point);
        }
    }
    return end;
}
