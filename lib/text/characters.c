/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of characters and the normalised form: what needs the Unicode tables of utf8proc. */
#include <string.h>

#include <utf8proc.h>

#include "text/utf8.h"

bool alcore__utf8_is_letter(int32_t code_point) {
    if (code_point < 0x80)
        return (code_point >= 'a' && code_point <= 'z') || (code_point >= 'A' && code_point <= 'Z');
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

bool alcore__utf8_is_space(int32_t code_point) {
    if (code_point < 0x80) return code_point == ' ' || (code_point >= '\t' && code_point <= '\r');
    if (code_point == 0x85) return true;
    utf8proc_category_t category = utf8proc_category(code_point);
    return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

bool alcore__utf8_is_unspaced(int32_t code_point) {
    static const struct {
        int32_t first, last;
    } ranges[] = {
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
    if (code_point < ranges[0].first) return false;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) return true;
    return false;
}

/* Code points that wait for the next one that is no combining mark: canonical order sorts marks by
 * their class, stably. */
typedef struct waiting {
    utf8proc_int32_t points[64];
    int count;
} waiting;

static alcore_status write_waiting(alcore_ctx *ctx, waiting *run, alcore__buffer *out) {
    for (int i = 1; i < run->count; i++) {
        utf8proc_int32_t point = run->points[i];
        utf8proc_propval_t class = utf8proc_get_property(point)->combining_class;
        int k = i;
        for (; class > 0 && k > 0; k--) {
            if (utf8proc_get_property(run->points[k - 1])->combining_class <= class) break;
            run->points[k] = run->points[k - 1];
        }
        run->points[k] = point;
    }
    char bytes[4 * 64];
    size_t length = 0;
    for (int i = 0; i < run->count; i++)
        length += alcore__utf8_write(run->points[i], bytes + length);
    run->count = 0;
    return alcore__buffer_append(ctx, out, bytes, length);
}

static bool is_dropped(utf8proc_category_t category) {
    return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) ||
           (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CF);
}

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
        bool starts = utf8proc_get_property(parts[i])->combining_class == 0;
        if (run->count == 64 || (starts && run->count > 0))
            ALCORE__TRY(write_waiting(ctx, run, out));
        run->points[run->count++] = parts[i];
    }
    return ALCORE_OK;
}

/* ASCII in the normalised form; 0 for what is dropped. '$', '+', '<' and the like are symbols
 * (category S), not punctuation, and stay. */
static char normalize_ascii(char c) {
    /* One bit for each of !"#%&'()*,-./:;?@[\]_{} */
    static const uint64_t punctuation[2] = {UINT64_C(0x8c00f7ee00000000), UINT64_C(0x28000000b8000001)};
    if (c >= 'A' && c <= 'Z') return (char)(c | 0x20);
    if (c >= '0' && c <= '9') return '0';
    if (c <= ' ' || c == 0x7F || (punctuation[c >> 6] >> (c & 63) & 1)) return 0;
    return c;
}

alcore_status alcore__utf8_normalize(alcore_ctx *ctx, const char *text, size_t length,
                                     alcore__buffer *out) {
    waiting run = {.count = 0};
    size_t at = 0;
    while (at < length) {
        char plain[256];
        size_t filled = 0;
        while (at < length && filled < sizeof plain && (unsigned char)text[at] < 0x80) {
            char c = normalize_ascii(text[at++]);
            if (c) plain[filled++] = c;
        }
        if (filled > 0) {
            if (run.count > 0) ALCORE__TRY(write_waiting(ctx, &run, out));
            /* The last letter may still take combining marks. */
            ALCORE__TRY(alcore__buffer_append(ctx, out, plain, filled - 1));
            run.points[run.count++] = plain[filled - 1];
        }
        if (at == length || (unsigned char)text[at] < 0x80) continue;
        int32_t point = alcore__utf8_next(text, length, &at);
        ALCORE__TRY(normalize_one(ctx, point < 0 ? 0xFFFD : point, &run, out));
    }
    return write_waiting(ctx, &run, out);
}
