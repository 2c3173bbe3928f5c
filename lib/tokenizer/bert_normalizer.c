/* SPDX-License-Identifier: Apache-2.0 */
/* BertNormalizer (bert_normalizer.h). Its four parts treat each character by itself, so they are
 * done in one pass: what a character becomes stems from that character.
 *
 * Stripping accents is NFD without nonspacing marks. NFD also sorts marks, but of those that it
 * sorts nearly all are dropped; the few others (category Mc or Me with a combining class) keep
 * their place here. */
#include "tokenizer/bert_normalizer.h"

#include <utf8proc.h>

#include "text/utf8.h"
#include "tokenizer/unicode_class.h"

/* The ASCII character that each ASCII character becomes; DROPPED, which is none: nothing. */
enum { DROPPED = 0x80 };
typedef struct ascii_table {
    uint8_t becomes[128];
} ascii_table;

/* The table for these settings. */
static ascii_table make_table(const alcore__bert_cleaning *cleaning) {
    ascii_table table;
    for (int c = 0; c < 128; c++) {
        int to = c;
        if (cleaning->lowercase && c >= 'A' && c <= 'Z') to = c + ('a' - 'A');
        if (cleaning->clean_text && (c < ' ' || c == 0x7F))
            to = c == '\t' || c == '\n' || c == '\r' ? ' ' : DROPPED;
        table.becomes[c] = (uint8_t)to;
    }
    return table;
}

/* Appends a code point, in lower case if wanted. */
static void put_point(const alcore__bert_cleaning *cleaning, int32_t point, alcore__source source,
                      alcore__aligned *out) {
    char bytes[8];
    size_t length;
    if (cleaning->lowercase && point == 0x130) { /* I with a dot becomes i and a dot above */
        bytes[0] = 'i';
        length = 1 + alcore__utf8_write(0x307, bytes + 1);
    } else {
        length = alcore__utf8_write(cleaning->lowercase ? utf8proc_tolower(point) : point, bytes);
    }
    alcore__aligned_put(out, bytes, length, source);
}

/* Bytes that one character can become: 18 code points of 4 bytes, and two spaces, are the most. */
enum { MOST_BYTES = 96 };

/* Appends what a character beyond ASCII becomes; out has memory for MOST_BYTES. U+0085 is white
 * space and a control character, and is dropped as such. */
static void put_wide(const alcore__bert_cleaning *cleaning, int32_t point, alcore__source source,
                     alcore__aligned *out) {
    if (cleaning->clean_text) {
        if (point == 0xFFFD) return;
        if (alcore__utf8_is_space(point) && point != 0x85) {
            alcore__aligned_put(out, " ", 1, source);
            return;
        }
        if (alcore__point_is_control(point)) return;
    }
    const bool han = cleaning->handle_chinese_chars && alcore__point_is_han(point);
    if (han) alcore__aligned_put(out, " ", 1, source);
    utf8proc_int32_t parts[20] = {point};
    utf8proc_ssize_t count = 1;
    if (cleaning->strip_accents) {
        int boundary = 0;
        count = utf8proc_decompose_char(point, parts, 20, UTF8PROC_DECOMPOSE, &boundary);
        if (count < 0 || count > 20) {
            parts[0] = point;
            count = 1;
        }
    }
    for (utf8proc_ssize_t i = 0; i < count; i++)
        if (!cleaning->strip_accents || !alcore__point_is_nonspacing(parts[i]))
            put_point(cleaning, parts[i], source, out);
    if (han) alcore__aligned_put(out, " ", 1, source);
}

/* Bytes of ASCII that put_ascii() appends at most, so that its caller polls cancellation. */
enum { LONGEST_RUN = 1 << 16 };

/* Appends ASCII from `next` on up to a character that is dropped or is not ASCII, and returns where
 * it stopped. out has memory for the rest of the view, and stays plain if it is, as each byte
 * becomes one. */
static size_t put_ascii(const ascii_table *table, const alcore__view *view, size_t next,
                        alcore__aligned *out) {
    const char *text = view->text;
    char *to = out->text + out->length;
    const size_t left = view->length - next, most = left < LONGEST_RUN ? left : LONGEST_RUN;
    size_t count = 0;
    while (count < most && (unsigned char)text[next + count] < 0x80) {
        const uint8_t becomes = table->becomes[(unsigned char)text[next + count]];
        if (becomes == DROPPED) break;
        to[count++] = (char)becomes;
    }
    if (!out->plain)
        for (size_t i = 0; i < count; i++)
            out->source[out->length + i] = alcore__view_source(view, next + i, next + i + 1);
    out->length += count;
    return next + count;
}

/* Alternates runs of ASCII, which the table maps, and single other characters. out stays plain
 * until the first character that does not become one byte for one byte. */
alcore_status alcore__bert_normalize(alcore_ctx *ctx, const alcore__bert_cleaning *cleaning,
                                     const alcore__view *view, alcore__aligned *out) {
    const ascii_table table = make_table(cleaning);
    size_t next = 0, polled = 0;
    if (view->source) alcore__aligned_list_sources(out); /* byte i does not stem from origin + i */
    while (next < view->length) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        ALCORE__TRY(alcore__aligned_reserve(ctx, out, view->length - next + MOST_BYTES));
        next = put_ascii(&table, view, next, out);
        if (next == view->length) break;
        if ((unsigned char)view->text[next] < 0x80) { /* dropped, or the end of a long run */
            if (table.becomes[(unsigned char)view->text[next]] != DROPPED) continue;
            alcore__aligned_list_sources(out);
            next++;
            continue;
        }
        alcore__aligned_list_sources(out);
        const size_t begin = next;
        const int32_t point = alcore__utf8_next(view->text, view->length, &next);
        put_wide(cleaning, point, alcore__view_source(view, begin, next), out);
    }
    return ALCORE_OK;
}
