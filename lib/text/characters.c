/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of characters and the normalized form of a text (utf8.h): what needs the Unicode tables
 * of utf8proc. ASCII is decided without them. */
#include <string.h>

#include <utf8proc.h>

#include "text/utf8.h"

bool alcore__utf8_is_letter(int32_t code_point) {
    if (code_point < 0x80)
        return (code_point >= 'a' && code_point <= 'z') || (code_point >= 'A' && code_point <= 'Z');
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

bool alcore__utf8_is_digit(int32_t code_point) {
    if (code_point < 0x80) return code_point >= '0' && code_point <= '9';
    return utf8proc_category(code_point) == UTF8PROC_CATEGORY_ND;
}

bool alcore__utf8_is_space(int32_t code_point) {
    if (code_point < 0x80) return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
    if (code_point == 0x85) return true;
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

/* Code points, both included. */
typedef struct range {
    int32_t first, last;
} range;

/* Whether a code point is in one of ranges [count], which rise. */
static bool is_in(int32_t code_point, const range *ranges, size_t count) {
    if (code_point < ranges[0].first) return false;
    for (size_t i = 0; i < count; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) return true;
    return false;
}

bool alcore__utf8_is_unspaced(int32_t code_point) {
    static const range ranges[] = {
        {0x0E01, 0x0E7F},   /* Thai */
        {0x0E80, 0x0EFF},   /* Lao */
        {0x1000, 0x109F},   /* Burmese */
        {0x1780, 0x17FF},   /* Khmer */
        {0x2E80, 0x2FDF},   /* Han radicals */
        {0x3005, 0x3007},   /* Han iteration mark, closing mark, zero */
        {0x3021, 0x3029},   /* Han numerals */
        {0x3041, 0x30FF},   /* Hiragana, Katakana */
        {0x31F0, 0x31FF},   /* Katakana extensions */
        {0x3400, 0x4DBF},   /* Han extension A */
        {0x4E00, 0x9FFF},   /* Han */
        {0xA9E0, 0xA9FF},   /* Burmese extended B */
        {0xAA60, 0xAA7F},   /* Burmese extended A */
        {0xF900, 0xFAFF},   /* Han compatibility */
        {0xFF66, 0xFF9F},   /* half-width Katakana */
        {0x1AFF0, 0x1B16F}, /* Kana supplements */
        {0x20000, 0x3FFFD}, /* Han extensions B and later */
    };
    return is_in(code_point, ranges, sizeof ranges / sizeof *ranges);
}

bool alcore__utf8_is_syllable(int32_t code_point) {
    static const range ranges[] = {
        {0x1200, 0x139F}, /* Ethiopic */
        {0x1401, 0x167F}, /* Canadian Aboriginal */
        {0x18B0, 0x18F5}, /* Canadian Aboriginal extended */
        {0x2D80, 0x2DDE}, /* Ethiopic extended */
        {0xA000, 0xA48C}, /* Yi */
        {0xA500, 0xA62B}, /* Vai */
        {0xAB01, 0xAB2E}, /* Ethiopic extended A */
        {0xAC00, 0xD7A3}, /* Hangul */
    };
    return is_in(code_point, ranges, sizeof ranges / sizeof *ranges) ||
           alcore__utf8_is_unspaced(code_point);
}

/* A character and the combining marks after it, not yet written: canonical order sorts the marks by
 * their combining class, stably, so they wait until the next code point that is no mark. */
typedef struct waiting {
    utf8proc_int32_t points[64];    /* [count] code points in canonical order */
    utf8proc_propval_t classes[64]; /* [count] their combining classes; 0: no mark */
    int count;
} waiting;

/* Inserts a code point before the marks of a higher class; the caller has seen that it fits. */
static void wait_for_marks(waiting *run, utf8proc_int32_t point, utf8proc_propval_t class) {
    int slot = run->count++;
    for (; class > 0 && slot > 0 && run->classes[slot - 1] > class; slot--) {
        run->points[slot] = run->points[slot - 1];
        run->classes[slot] = run->classes[slot - 1];
    }
    run->points[slot] = point;
    run->classes[slot] = class;
}

/* Appends what waits and empties it. */
static alcore_status write_waiting(alcore_ctx *ctx, waiting *run, alcore__buffer *out) {
    char bytes[4 * 64];
    size_t length = 0;
    for (int i = 0; i < run->count; i++)
        length += alcore__utf8_write(run->points[i], bytes + length);
    run->count = 0;
    return alcore__buffer_append(ctx, out, bytes, length);
}

/* Whether the normalized form leaves out the characters of a category: punctuation (P), separators
 * (Z) and control characters (Cc, Cf). */
static bool is_dropped(utf8proc_category_t category) {
    return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) ||
           (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CF);
}

/* Normalizes one code point that is not ASCII: drops it, or replaces a digit by 0, or decomposes
 * and case-folds it into at most 32 code points, which then wait for marks. A character with more
 * than 63 marks is written in parts, whose marks are sorted within each part only. */
static alcore_status normalize_one(alcore_ctx *ctx, int32_t point, waiting *run,
                                   alcore__buffer *out) {
    utf8proc_category_t category = utf8proc_category(point);
    if (is_dropped(category)) return ALCORE_OK;
    utf8proc_int32_t parts[32];
    utf8proc_ssize_t count = 1;
    int boundary = 0;
    parts[0] = category == UTF8PROC_CATEGORY_ND ? '0' : point;
    if (category != UTF8PROC_CATEGORY_ND) {
        count = utf8proc_decompose_char(point, parts, 32, UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD,
                                        &boundary);
        if (count < 0 || count > 32) {
            parts[0] = point;
            count = 1;
        }
    }
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        const utf8proc_propval_t class = utf8proc_get_property(parts[i])->combining_class;
        if (run->count == 64 || (class == 0 && run->count > 0))
            ALCORE__TRY(write_waiting(ctx, run, out));
        wait_for_marks(run, parts[i], class);
    }
    return ALCORE_OK;
}

/* ASCII in the normalized form; 0 for what is dropped. '$', '+', '<' and the like are symbols
 * (category S), not punctuation, and stay. */
#define LETTER(lower, upper) [lower] = lower, [upper] = lower
static const char plain[128] = {
    ['0' ... '9'] = '0', ['$'] = '$',      ['+'] = '+',      ['<'] = '<',      ['='] = '=',
    ['>'] = '>',         ['^'] = '^',      ['`'] = '`',      ['|'] = '|',      ['~'] = '~',
    LETTER('a', 'A'),    LETTER('b', 'B'), LETTER('c', 'C'), LETTER('d', 'D'), LETTER('e', 'E'),
    LETTER('f', 'F'),    LETTER('g', 'G'), LETTER('h', 'H'), LETTER('i', 'I'), LETTER('j', 'J'),
    LETTER('k', 'K'),    LETTER('l', 'L'), LETTER('m', 'M'), LETTER('n', 'N'), LETTER('o', 'O'),
    LETTER('p', 'P'),    LETTER('q', 'Q'), LETTER('r', 'R'), LETTER('s', 'S'), LETTER('t', 'T'),
    LETTER('u', 'U'),    LETTER('v', 'V'), LETTER('w', 'W'), LETTER('x', 'X'), LETTER('y', 'Y'),
    LETTER('z', 'Z'),
};

/* Appends the normalized form of the ASCII that text begins with, and returns how many bytes of
 * text that is; out has memory for as many. It leaves no NUL at the end of out; the caller appends
 * something afterwards, which does. */
static size_t normalize_plain(const char *text, size_t length, alcore__buffer *out) {
    char *end = out->data + out->length;
    size_t next = 0;
    for (; next < length && (unsigned char)text[next] < 0x80; next++) {
        *end = plain[(unsigned char)text[next]];
        end += *end != '\0';
    }
    out->length = (size_t)(end - out->data);
    return next;
}

/* Appends the normalized form of text. Runs of ASCII are copied through a table; other code points
 * go one by one through the waiting list, which puts combining marks into canonical order. */
alcore_status alcore__utf8_normalize(alcore_ctx *ctx, const char *text, size_t length,
                                     alcore__buffer *out) {
    waiting run;
    size_t next = 0;
    run.count = 0;
    while (next < length) {
        if ((unsigned char)text[next] >= 0x80) {
            const int32_t point = alcore__utf8_next(text, length, &next);
            ALCORE__TRY(normalize_one(ctx, point < 0 ? 0xFFFD : point, &run, out));
        } else if (plain[(unsigned char)text[next]] == '\0') {
            next++; /* dropped; marks after it join the character that waits */
        } else {
            if (run.count > 0) ALCORE__TRY(write_waiting(ctx, &run, out));
            ALCORE__TRY(alcore__buffer_reserve(ctx, out, length - next));
            next += normalize_plain(text + next, length - next, out);
            /* The last character of the ASCII may have marks after it, so it waits. */
            if (next < length) wait_for_marks(&run, out->data[--out->length], 0);
        }
    }
    return write_waiting(ctx, &run, out);
}
