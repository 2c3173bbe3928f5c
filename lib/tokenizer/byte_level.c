/* SPDX-License-Identifier: Apache-2.0 */
/* ByteLevel (byte_level.h). */
#include "tokenizer/byte_level.h"

#include <string.h>

#include "text/utf8.h"
#include "tokenizer/unicode_class.h"

typedef enum word_kind { LETTER, NUMBER, SPACE, OTHER } word_kind;

/* The kind of a character in GPT-2's expression. */
static word_kind kind_of(int32_t point) {
    if (alcore__point_is_letter(point)) return LETTER;
    if (alcore__utf8_is_space(point)) return SPACE;
    return alcore__point_is_number(point) ? NUMBER : OTHER;
}

/* The byte behind the characters of one kind from `next` on. */
static size_t skip_kind(const char *text, size_t length, size_t next, word_kind kind) {
    while (next < length) {
        size_t end = next;
        if (kind_of(alcore__utf8_next(text, length, &end)) != kind) break;
        next = end;
    }
    return next;
}

/* Bytes of the English ending that begins at text, which has `length` bytes: 's, 't, 're, 've, 'm,
 * 'll or 'd; 0 for none. */
static size_t english_ending(const char *text, size_t length) {
    if (length < 2 || text[0] != '\'') return 0;
    const char c = text[1];
    if (c == 's' || c == 't' || c == 'm' || c == 'd') return 2;
    if (length < 3) return 0;
    if ((c == 'r' || c == 'v') && text[2] == 'e') return 3;
    return c == 'l' && text[2] == 'l' ? 3 : 0;
}

/* Where the word of white space [begin, end) ends, by \s+(?!\S)|\s+: before its last character
 * where something else follows, as that character goes to the next word; a single one stays. */
static size_t space_end(const char *text, size_t length, size_t begin, size_t end) {
    if (end == length) return end;
    size_t last = end - 1;
    while (((unsigned char)text[last] & 0xC0) == 0x80) last--;
    return last > begin ? last : end;
}

/* Tries the alternatives of the expression in order: an English ending; an optional space and
 * characters of one kind; white space. */
size_t alcore__byte_level_word(const char *text, size_t length, size_t begin) {
    const size_t ending = english_ending(text + begin, length - begin);
    if (ending > 0) return begin + ending;
    size_t next = begin + (text[begin] == ' ');
    if (next < length) {
        const size_t first = next;
        const word_kind kind = kind_of(alcore__utf8_next(text, length, &next));
        if (kind != SPACE) return skip_kind(text, length, next, kind);
        next = first;
    }
    return space_end(text, length, begin, skip_kind(text, length, next, SPACE));
}

/* The character that stands for a byte in GPT-2's map: the visible characters of Latin-1 stand for
 * their own bytes, and the 68 code points from U+0100 on, in order, for the other bytes. */
static int32_t visible(int byte) {
    if (byte <= ' ') return 0x100 + byte;
    if (byte < 0x7F) return byte;
    if (byte < 0xA1) return 0x121 + (byte - 0x7F);
    return byte == 0xAD ? 0x143 : byte;
}

/* Inverts visible(): a candidate by the range of the code point, checked by mapping it back. */
int alcore__byte_level_byte(int32_t point) {
    int byte = (int)point;
    if (point >= 0x100 && point <= 0x120) byte = (int)point - 0x100;
    if (point >= 0x121 && point <= 0x142) byte = (int)point - 0x121 + 0x7F;
    if (point == 0x143) byte = 0xAD;
    return byte >= 0 && byte < 0x100 && visible(byte) == point ? byte : -1;
}

/* Visible ASCII at the beginning stays as it is and plain; each byte from there on stems from its
 * whole character. */
alcore_status alcore__byte_level_map(alcore_ctx *ctx, const alcore__view *view,
                                     alcore__aligned *out) {
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, 2 * view->length));
    size_t next = 0;
    while (next < view->length && view->text[next] > ' ' && view->text[next] < 0x7F) next++;
    alcore__aligned_copy(out, view, 0, next);
    if (next == view->length) return ALCORE_OK;
    alcore__aligned_list_sources(out);
    for (size_t polled = next; next < view->length; next++) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        char bytes[4];
        const size_t length = alcore__utf8_write(visible((unsigned char)view->text[next]), bytes);
        alcore__aligned_put(out, bytes, length, alcore__view_source(view, next, next + 1));
    }
    return ALCORE_OK;
}
