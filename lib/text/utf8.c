/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 (utf8.h): decoding and checking by a state machine of one shift per byte, and a check of 16
 * bytes at a time for texts without characters of four bytes, which is nearly every text. */
#include "text/utf8.h"

#include <string.h>

#include "text/byte_block.h"

/* The state machine: entry[byte] >> state gives the next state in its low six bits, so a state is
 * the position of its bits in the entries. A malformed byte leads to BAD, which is never left. */
enum {
    BAD = 0,
    START = 6,   /* between two characters */
    NEED_1 = 12, /* one more continuation byte */
    NEED_2 = 18,
    NEED_3 = 24,
    AFTER_E0 = 30, /* A0..BF: no overlong form */
    AFTER_ED = 36, /* 80..9F: no surrogate */
    AFTER_F0 = 42, /* 90..BF: no overlong form */
    AFTER_F4 = 48  /* 80..8F: not above U+10FFFF */
};
/* The bits of an entry that lead from one state to another; all others lead to BAD. */
#define STEP(from, to) ((uint64_t)(to) << (from))
/* The transitions of every continuation byte inside a character. */
#define INNER (STEP(NEED_1, START) | STEP(NEED_2, NEED_1) | STEP(NEED_3, NEED_2))
static const uint64_t entry[256] = {
    [0x00 ... 0x7F] = STEP(START, START),
    [0x80 ... 0x8F] = INNER | STEP(AFTER_ED, NEED_1) | STEP(AFTER_F4, NEED_2),
    [0x90 ... 0x9F] = INNER | STEP(AFTER_ED, NEED_1) | STEP(AFTER_F0, NEED_2),
    [0xA0 ... 0xBF] = INNER | STEP(AFTER_E0, NEED_1) | STEP(AFTER_F0, NEED_2),
    [0xC2 ... 0xDF] = STEP(START, NEED_1),
    [0xE0] = STEP(START, AFTER_E0),
    [0xE1 ... 0xEC] = STEP(START, NEED_2),
    [0xED] = STEP(START, AFTER_ED),
    [0xEE ... 0xEF] = STEP(START, NEED_2),
    [0xF0] = STEP(START, AFTER_F0),
    [0xF1 ... 0xF3] = STEP(START, NEED_3),
    [0xF4] = STEP(START, AFTER_F4),
};

/* Decodes the code point at *next, which moves behind it; -1 for a malformed sequence, of which the
 * longest well-formed beginning is skipped. */
int32_t alcore__utf8_next_wide(const char *text, size_t length, size_t *next) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t first = *next, i = first;
    uint64_t state = (entry[bytes[i]] >> START) & 63;
    i++;
    if (state == BAD) {
        *next = i;
        return -1;
    }
    unsigned lead = bytes[first];
    int32_t point = (int32_t)(lead & (lead < 0xE0 ? 0x1F : lead < 0xF0 ? 0x0F : 0x07));
    while (state != START) {
        if (i == length) break;
        state = (entry[bytes[i]] >> state) & 63;
        if (state == BAD) break;
        point = point << 6 | (bytes[i] & 0x3F);
        i++;
    }
    *next = i;
    return state == START ? point : -1;
}

/* The offset of the first malformed sequence; length without one. */
static size_t first_malformed(const char *text, size_t length) {
    size_t next = 0;
    while (next < length) {
        size_t before = next;
        if (alcore__utf8_next(text, length, &next) < 0) return before;
    }
    return length;
}

typedef alcore__byte_block block;
typedef int8_t signs __attribute__((vector_size(16)));

/* Marks by 0xFF each of 16 bytes that is malformed. before and before_that: the same 16 bytes moved
 * by one and by two, so that entry i of them is the byte one and two places before entry i of
 * bytes. A byte is right if it continues a character exactly where one must (after a lead byte, or
 * two after a lead byte of three), is no lead byte of an overlong form (C0, C1), and is not the
 * second byte of an overlong form (after E0) or a surrogate (after ED). Lead bytes of four-byte
 * characters, which are rare, are marked too. As signed bytes, 80 to BF are those below -64, and 80
 * to 9F those below -96. */
static inline block wrong(block bytes, block before, block before_that) {
    const signs value = (signs)bytes;
    const block continues = (block)(value < -64);
    const block expected = (block)((before >= 0xC0) | (before_that >= 0xE0));
    return (continues ^ expected) | (block)(bytes >= 0xF0) | (block)((bytes & 0xFE) == 0xC0) |
           (block)((before == 0xE0) & (block)(value < -96)) |
           (block)((before == 0xED) & (block)(value > -97));
}

/* Whether a text of at least 18 bytes is well-formed without four-byte characters; false also means
 * "look again byte by byte". The last 16 bytes overlap those before them. Blocks of ASCII after two
 * bytes of ASCII are skipped. head: the first 16 bytes behind two of ASCII, as nothing is before
 * them. The text must not end within a character, which wrong() sees at the next byte only. */
static bool is_simple(const unsigned char *bytes, size_t length) {
    unsigned char head[18] = {0};
    memcpy(head + 2, bytes, 16);
    block bad =
        wrong(alcore__block_load(head + 2), alcore__block_load(head + 1), alcore__block_load(head));
    for (size_t offset = 16; offset < length; offset += 16) {
        const size_t first = offset + 16 <= length ? offset : length - 16;
        const block here = alcore__block_load(bytes + first),
                    before_that = alcore__block_load(bytes + first - 2);
        if (!alcore__block_has(here | before_that, 0x80)) continue;
        bad |= wrong(here, alcore__block_load(bytes + first - 1), before_that);
    }
    return !alcore__block_has(bad, 0xFF) && bytes[length - 1] < 0xC0 && bytes[length - 2] < 0xE0;
}

/* Tries the fast check, then the state machine; only a text that both refuse is searched for the
 * place. */
size_t alcore__utf8_check(const char *text, size_t length) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (length >= 18 && is_simple(bytes, length)) return length;
    uint64_t state = START;
    for (size_t i = 0; i < length; i++) state = entry[bytes[i]] >> (state & 63);
    return (state & 63) == START ? length : first_malformed(text, length);
}

/* Writes a code point as 1 to 4 bytes and returns their number. */
size_t alcore__utf8_write(int32_t code_point, char out[4]) {
    uint32_t point = (uint32_t)code_point;
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)((length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0) | point);
    return length;
}

/* Appends text with U+FFFD for each malformed sequence; *out_count, which may be NULL, is their
 * number. */
alcore_status alcore__utf8_repair(alcore_ctx *ctx, const char *text, size_t length,
                                  alcore__buffer *out, int64_t *out_count) {
    int64_t count = 0;
    size_t good = 0, next = 0; /* text[good .. next) is well-formed and not yet appended */
    while (next < length) {
        size_t before = next;
        if (alcore__utf8_next(text, length, &next) >= 0) continue;
        ALCORE__TRY(alcore__buffer_append(ctx, out, text + good, before - good));
        ALCORE__TRY(alcore__buffer_append(ctx, out, "\xEF\xBF\xBD", 3));
        good = next;
        count++;
    }
    ALCORE__TRY(alcore__buffer_append(ctx, out, text + good, length - good));
    if (out_count) *out_count = count;
    return ALCORE_OK;
}

int64_t alcore__utf8_count(const char *text, size_t length) {
    int64_t count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}
