/* SPDX-License-Identifier: Apache-2.0 */
/* Short words as 16 bytes, their spelling: two words are equal where their spellings are, which two
 * comparisons of integers say without reading the words' bytes elsewhere in memory. The language
 * model and the cache of a corpus look words up by it. */
#ifndef ALCORE__SPELLING_H
#define ALCORE__SPELLING_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__ /* of every x86-64; elsewhere words are searched byte by byte */
#include <emmintrin.h>
#endif

#include "text/words.h"

/* Bytes of a word that has a spelling; the last byte of the spelling is their number. */
enum { ALCORE__SPELLED = 15, ALCORE__LONG_WORD = 255 };

/* The bytes of a word, zeros, and in the last byte its length; a word of more than ALCORE__SPELLED
 * bytes has zeros and ALCORE__LONG_WORD. */
typedef struct alcore__spelling {
    uint64_t part[2];
} alcore__spelling;

/* A word of a text. */
typedef struct alcore__spelled_word {
    const char *word;
    size_t bytes;
    alcore__spelling spelling;
} alcore__spelled_word;

/* Whether the spelling says what the word is. */
static inline bool alcore__is_spelled(alcore__spelling spelling) {
    return spelling.part[1] != (uint64_t)ALCORE__LONG_WORD << 56;
}

static inline bool alcore__spelling_same(alcore__spelling a, alcore__spelling b) {
    return ((a.part[0] ^ b.part[0]) | (a.part[1] ^ b.part[1])) == 0;
}

/* A hash of 32 bits. It never leaves the process. */
static inline uint32_t alcore__spelling_tag(alcore__spelling spelling) {
    uint64_t hash =
        (spelling.part[0] ^ spelling.part[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
    return (uint32_t)(hash * 0x9E3779B97F4A7C15u >> 32);
}

/* The first `length` bytes, at most ALCORE__SPELLED, of 16 as a spelling. */
static inline alcore__spelling alcore__spelling_cut(alcore__spelling bytes, size_t length) {
    const uint64_t ones = UINT64_MAX;
    const uint64_t low = length >= 8 ? ones : ~(ones << 8 * length);
    const uint64_t high = length <= 8 ? 0 : ~(ones << 8 * (length - 8));
    return (alcore__spelling){
        {bytes.part[0] & low, (bytes.part[1] & high) | (uint64_t)length << 56}};
}

/* A number of `bytes` (4 or 8) bytes of a word. */
static inline uint64_t alcore__spelling_part(const char *word, size_t bytes) {
    uint64_t part = 0;
    uint32_t half;
    if (bytes == sizeof part) {
        memcpy(&part, word, sizeof part);
        return part;
    }
    memcpy(&half, word, sizeof half);
    return half;
}

/* `length` bytes, at most ALCORE__SPELLED, and zeros: reads that may overlap, and no byte behind
 * them. */
static inline alcore__spelling alcore__spelling_load(const char *bytes, size_t length) {
    const unsigned char *byte = (const unsigned char *)bytes;
    if (length > 8)
        return (alcore__spelling){
            {alcore__spelling_part(bytes, 8),
             alcore__spelling_part(bytes + length - 8, 8) >> 8 * (16 - length)}};
    if (length >= 4)
        return (alcore__spelling){
            {alcore__spelling_part(bytes, 4) | alcore__spelling_part(bytes + length - 4, 4)
                                                   << 8 * (length - 4),
             0}};
    if (length == 0) return (alcore__spelling){{0, 0}};
    return (alcore__spelling){{(uint64_t)byte[0] | (uint64_t)byte[length / 2] << 8 * (length / 2) |
                                   (uint64_t)byte[length - 1] << 8 * (length - 1),
                               0}};
}

/* The spelling of a word. */
static inline alcore__spelling alcore__spell(const char *word, size_t length) {
    if (length > ALCORE__SPELLED) return (alcore__spelling){{0, (uint64_t)ALCORE__LONG_WORD << 56}};
    return alcore__spelling_cut(alcore__spelling_load(word, length), length);
}

/* The last `length` bytes, 1 to ALCORE__SPELLED, of 16, and zeros. */
static inline alcore__spelling alcore__spelling_last(const char *bytes, size_t length) {
    const uint64_t low = alcore__spelling_part(bytes, 8),
                   high = alcore__spelling_part(bytes + 8, 8);
    const size_t bits = 8 * (16 - length) % 64;
    const uint64_t second = high >> bits;
    return length <= 8 ? (alcore__spelling){{second, 0}}
                       : (alcore__spelling){{low >> bits | high << (64 - bits), second}};
}

/* alcore__word_next() with the spelling of the word, which lies in a text that begins at `begin`.
 * Most words and the space behind them, or the end of the text, lie in 16 bytes, which one
 * comparison searches. */
static inline bool alcore__spelled_next(const char **rest, const char *begin, const char *end,
                                        alcore__spelled_word *out) {
#ifdef __SSE2__
    const char *next = *rest;
    while (next < end && alcore__is_word_space(*next)) next++;
    *rest = next;
    if (next == end) return false;
    const size_t left = (size_t)(end - next);
    alcore__spelling bytes;
    if (left >= sizeof bytes)
        memcpy(&bytes, next, sizeof bytes);
    else if ((size_t)(end - begin) >= sizeof bytes)
        bytes = alcore__spelling_last(end - sizeof bytes, left);
    else
        bytes = alcore__spelling_load(next, left);
    const __m128i block = _mm_set_epi64x((int64_t)bytes.part[1], (int64_t)bytes.part[0]);
    const __m128i space = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8(' ')),
                                                    _mm_cmpeq_epi8(block, _mm_set1_epi8('\n'))),
                                       _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\t')),
                                                    _mm_cmpeq_epi8(block, _mm_set1_epi8('\r'))));
    unsigned spaces = (unsigned)_mm_movemask_epi8(space);
    if (left < sizeof bytes) spaces |= 1u << left;
    if (spaces != 0) {
        out->word = next;
        out->bytes = (size_t)__builtin_ctz(spaces);
        out->spelling = alcore__spelling_cut(bytes, out->bytes);
        *rest = next + out->bytes;
        return true;
    }
#else
    (void)begin;
#endif
    if (!alcore__word_next(rest, end, &out->word, &out->bytes)) return false;
    out->spelling = alcore__spell(out->word, out->bytes);
    return true;
}

#endif
