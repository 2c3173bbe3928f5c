/* SPDX-License-Identifier: Apache-2.0 */
/* One scan of every string that enters a pool: its words (runs of bytes other than space, TAB, CR
 * and LF), whether all bytes are ASCII, whether a NUL is among them. */
#include "pool/text_scan.h"

#include "text/byte_block.h"
#include "text/words.h"

/* Blocks of bytes, as loading a pool of 10 million sentences spends most of its arithmetic here. */
enum { WIDTH = ALCORE__BLOCK_BYTES };
typedef alcore__byte_block block;

/* 0xFF in every byte that is white space between words. */
static inline block is_space(block bytes) {
    return (block)((bytes == ' ') | (bytes == '\t') | (bytes == '\r') | (bytes == '\n'));
}

/* The sum of the 16 bytes of a block: neighbors are added in 16 bits, then a multiplication adds
 * those up in the highest 16 bits of each half. */
static int64_t sum(block bytes) {
    const uint64_t even = 0x00FF00FF00FF00FFu;
    const alcore__block_halves parts = (alcore__block_halves)bytes;
    int64_t total = 0;
    for (int i = 0; i < 2; i++) {
        const uint64_t pairs = (parts[i] & even) + (parts[i] >> 8 & even);
        total += (int64_t)(pairs * 0x0001000100010001u >> 48);
    }
    return total;
}

/* Scans a text of at most one block, byte by byte. The first byte counts as behind a space. */
static alcore__text_stats scan_short(const char *text, size_t length) {
    alcore__text_stats stats = {.ascii = true};
    bool space = true;
    for (size_t i = 0; i < length; i++) {
        const bool space_before = space;
        space = alcore__is_word_space(text[i]);
        stats.words += space_before && !space;
        stats.ascii &= (text[i] & 0x80) == 0;
        stats.nul |= text[i] == '\0';
    }
    return stats;
}

/* Scans a text in blocks of 16 bytes, each loaded together with the bytes one before it, since a
 * word begins where a byte is no space and the one before it is. Counts of word beginnings are kept
 * in bytes, one for each place in the block (subtracting 0xFF adds 1), and added up before 256
 * blocks could overflow them. */
alcore__text_stats alcore__text_scan(const char *text, size_t length) {
    static const block number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    if (length <= WIDTH) return scan_short(text, length);
    /* A word begins at every byte that is no space behind one that is, and at the first byte. */
    int64_t words = !alcore__is_word_space(text[0]);
    block begins = {0}, seen = alcore__block_load(text), nul = (block)(seen == 0);
    int counted = 0;
    for (size_t offset = 1; offset < length; offset += WIDTH) {
        const size_t left = length - offset;
        const size_t start = left >= WIDTH ? offset : length - WIDTH;
        const block bytes = alcore__block_load(text + start);
        block begin = is_space(alcore__block_load(text + start - 1)) & ~is_space(bytes);
        /* The last block ends with the text and overlaps the one before it: only the beginnings in
         * its last `left` bytes are new. */
        if (left < WIDTH) begin &= (block)(number >= (uint8_t)(WIDTH - left));
        begins -= begin;
        seen |= bytes;
        nul |= (block)(bytes == 0);
        if (++counted == UINT8_MAX) {
            words += sum(begins);
            begins = (block){0};
            counted = 0;
        }
    }
    return (alcore__text_stats){.words = words + sum(begins),
                                .ascii = !alcore__block_has(seen, 0x80),
                                .nul = alcore__block_has(nul, 0xFF)};
}
