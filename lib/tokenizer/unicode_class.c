/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of characters (unicode_class.h): the general categories of utf8proc, which is of another
 * version of Unicode than the tables of the package tokenizers. Where those are of Unicode 8 (or,
 * for StripAccents, another version), what was added later is listed here, so that the same
 * characters are punctuation and marks. A range may span characters of other categories, as the
 * category is looked at first. */
#include "tokenizer/unicode_class.h"

#include <stddef.h>
#include <utf8proc.h>

typedef struct point_range {
    int32_t first, last; /* both belong to it */
} point_range;

/* Whether a code point is in one of ranges [count], which are sorted. */
static bool is_within(int32_t point, const point_range *ranges, size_t count) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && point >= ranges[low].first;
}
#define IS_WITHIN(point, ranges) is_within(point, ranges, sizeof(ranges) / sizeof *(ranges))

/* Category P since a later version than Unicode 8. */
static const point_range late_punctuation[] = {
    {0x61D, 0x61D},     {0x9FD, 0xA76},     {0xC77, 0xC84},     {0x1B7D, 0x1B7E},
    {0x2E43, 0x2E5D},   {0x10EAD, 0x10F89}, {0x1144B, 0x1145D}, {0x11660, 0x116B9},
    {0x1183B, 0x11FFF}, {0x12FF1, 0x12FF2}, {0x16E97, 0x16FE2}, {0x1E95E, 0x1E95F},
};

/* Category Cf since a later version than Unicode 8. */
static const point_range late_formats[] = {
    {0x890, 0x8E2},
    {0x110CD, 0x1343F},
};

/* Category Mn since a later version than Unicode 8. */
static const point_range late_marks[] = {
    {0x7FD, 0x7FD},     {0x898, 0x8E1},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC3C},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x180F, 0x1886},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFB},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},
    {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10F85}, {0x11070, 0x11074},
    {0x110C2, 0x110C2}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF}, {0x1123E, 0x11241},
    {0x1133B, 0x1133B}, {0x11438, 0x1145E}, {0x1182F, 0x13455}, {0x16F4F, 0x16F4F},
    {0x16FE4, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E4EF}, {0x1E944, 0x1E94A},
};

/* Category M since a later version than that of the table by which StripAccents looks marks up. */
static const point_range latest_marks[] = {
    {0x7FD, 0x7FD},     {0x898, 0x8D3},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC3C},     {0xCF3, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x1715, 0x1715},
    {0x180F, 0x180F},   {0x1ABF, 0x1ACE},   {0x1CF7, 0x1CF7},   {0x1DF6, 0x1DFA},
    {0xA82C, 0xA82C},   {0xA8FF, 0xA8FF},   {0x10D24, 0x10F85}, {0x11070, 0x11074},
    {0x110C2, 0x110C2}, {0x11145, 0x11146}, {0x111C9, 0x111C9}, {0x111CE, 0x111CF},
    {0x11241, 0x11241}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x1182C, 0x11A99},
    {0x11D31, 0x13455}, {0x16F4F, 0x16F4F}, {0x16F7F, 0x16F87}, {0x16FE4, 0x16FF1},
    {0x1CF00, 0x1CF46}, {0x1E08F, 0x1E4EF},
};

/* ASCII's punctuation includes symbols such as $ and +, as in BERT. Two characters were punctuation
 * in Unicode 8 and are not any more. */
bool alcore__point_is_punctuation(int32_t point) {
    if (point < 0x80)
        return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
               (point >= '[' && point <= '`') || (point >= '{' && point <= '~');
    const utf8proc_category_t category = utf8proc_category(point);
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return !IS_WITHIN(point, late_punctuation);
    return point == 0x166D || point == 0x111C9;
}

bool alcore__point_is_control(int32_t point) {
    if (point < 0x80) return point < ' ' || point == 0x7F;
    const utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_CC && category <= UTF8PROC_CATEGORY_CO &&
           !IS_WITHIN(point, late_formats);
}

bool alcore__point_is_nonspacing(int32_t point) {
    return point >= 0x300 &&
           ((utf8proc_category(point) == UTF8PROC_CATEGORY_MN && !IS_WITHIN(point, late_marks)) ||
            point == 0x1734);
}

bool alcore__point_is_mark(int32_t point) {
    if (point < 0x300) return false;
    const utf8proc_category_t category = utf8proc_category(point);
    if (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME)
        return !IS_WITHIN(point, latest_marks);
    return point == 0x1CF2 || point == 0x1CF3;
}

bool alcore__point_is_letter(int32_t point) {
    if (point < 0x80) return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
    const utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool alcore__point_is_number(int32_t point) {
    if (point < 0x80) return point >= '0' && point <= '9';
    const utf8proc_category_t category = utf8proc_category(point);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

/* The blocks that the package tokenizers lists, in their order by code point; that it begins the
 * last but one at U+2B920, and not at U+2B820, is its rule too. */
bool alcore__point_is_han(int32_t point) {
    static const point_range ranges[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                         {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                         {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
    return point >= ranges[0].first && IS_WITHIN(point, ranges);
}

/* symbols: the ranges of category So that are alphabetic (circled and squared letters). */
bool alcore__point_is_word(int32_t point) {
    static const point_range symbols[] = {
        {0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
    if (point < 0x80)
        return alcore__point_is_letter(point) || alcore__point_is_number(point) || point == '_';
    const utf8proc_category_t category = utf8proc_category(point);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) return true;
    return category == UTF8PROC_CATEGORY_PC || point == 0x200C || point == 0x200D ||
           (category == UTF8PROC_CATEGORY_SO && IS_WITHIN(point, symbols));
}
