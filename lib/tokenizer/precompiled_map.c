/* SPDX-License-Identifier: Apache-2.0 */
/* The character map of SentencePiece (precompiled_map.h), applied as the package tokenizers does
 * (its normalizer Precompiled): a grapheme cluster of fewer than 6 bytes is looked up as a whole,
 * and what the map has for the shortest beginning of it replaces all of it; longer clusters, and
 * those without an entry, are looked up character by character.
 *
 * The trie is a double array (darts-clone). Each unit of 32 bits holds the label of the byte that
 * leads to it, and an offset: the child for byte c of the node at place p is at p ^ offset ^ c. A
 * node with a leaf has it at p ^ offset; its unit is the value. */
#include "tokenizer/precompiled_map.h"

#include <string.h>
#include <utf8proc.h>

#include "text/utf8.h"

/* The label in the lowest 8 bits; bit 31 is set in values only, which so never equal a byte. */
static uint32_t unit_label(uint32_t unit) {
    return unit & (1u << 31 | 0xFF);
}

/* Bits 10 to 31, times 256 if bit 9 is set (the shift is then 8). */
static uint32_t unit_offset(uint32_t unit) {
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}

/* Whether a text of the map ends at the node. */
static bool unit_has_leaf(uint32_t unit) {
    return unit >> 8 & 1;
}

/* What replaces the shortest beginning of text [length] that the map has, or the longest; *bytes of
 * it are replaced. The file is not trusted: an index outside of the units, or a value outside of
 * the texts, ends the search. A NUL ends it too, as byte 0 is the edge to a leaf. */
static alcore__replacement find(const alcore__precompiled_map *map, const char *text, size_t length,
                                bool longest, size_t *bytes) {
    alcore__replacement found = {0};
    if (map->units_count == 0) return found;
    size_t index = unit_offset(map->units[0]);
    for (size_t i = 0; i < length && text[i] != '\0'; i++) {
        const unsigned char byte = (unsigned char)text[i];
        index ^= byte;
        if (index >= map->units_count) return found;
        const uint32_t unit = map->units[index];
        if (unit_label(unit) != byte) return found;
        index ^= unit_offset(unit);
        if (!unit_has_leaf(unit)) continue;
        if (index >= map->units_count) return found;
        const size_t value = map->units[index] & 0x7FFFFFFF;
        if (value >= map->texts_length) return found;
        found = (alcore__replacement){map->texts + value, strlen(map->texts + value)};
        *bytes = i + 1;
        if (!longest) return found;
    }
    return found;
}

/* What replaces a text of one cluster or character: as in the package tokenizers, what the map has
 * for its shortest beginning. */
static alcore__replacement look_up(const alcore__precompiled_map *map, const char *text,
                                   size_t length) {
    size_t bytes;
    return find(map, text, length, false, &bytes);
}

alcore__replacement alcore__precompiled_map_longest(const alcore__precompiled_map *map,
                                                    const char *text, size_t length,
                                                    size_t *bytes) {
    return find(map, text, length, true, bytes);
}

/* Reads the size of the trie (4 bytes, little-endian, as are the units), the trie and the texts,
 * and copies both into one piece of memory. A NUL behind the texts ends the last one in any case.
 */
alcore_status alcore__precompiled_map_make(alcore_ctx *ctx, const char *bytes, size_t length,
                                           alcore__precompiled_map *out) {
    uint32_t trie_bytes = 0;
    *out = (alcore__precompiled_map){0};
    if (length >= 4)
        trie_bytes = (uint32_t)(unsigned char)bytes[0] | (uint32_t)(unsigned char)bytes[1] << 8 |
                     (uint32_t)(unsigned char)bytes[2] << 16 |
                     (uint32_t)(unsigned char)bytes[3] << 24;
    if (length < 4 || trie_bytes > length - 4 || trie_bytes % 4 != 0)
        return alcore__fail(ALCORE_E_DATA, "the character map is damaged");
    const char *texts = bytes + 4 + trie_bytes;
    out->texts_length = length - 4 - trie_bytes;
    if (alcore__utf8_check(texts, out->texts_length) < out->texts_length)
        return alcore__fail(ALCORE_E_DATA, "the character map is not UTF-8");
    const size_t whole = trie_bytes + out->texts_length + 1;
    char *memory = alcore__alloc(ctx, whole);
    if (!memory) return alcore__fail_memory(whole);
    out->units = (uint32_t *)(void *)memory;
    out->units_count = trie_bytes / 4;
    for (size_t i = 0; i < out->units_count; i++) {
        const unsigned char *b = (const unsigned char *)bytes + 4 + 4 * i;
        out->units[i] =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
    memcpy(memory + trie_bytes, texts, out->texts_length);
    memory[whole - 1] = '\0';
    out->texts = memory + trie_bytes;
    for (int c = 0; c < 128; c++) {
        const char byte = (char)c;
        out->ascii[c] = look_up(out, &byte, 1);
    }
    return ALCORE_OK;
}

/* The value of a character of base64; 64 for others. */
static uint32_t base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Decodes base64 into bytes, which has memory for 3 bytes for each 4 characters; returns their
 * number, SIZE_MAX for what is no base64. */
static size_t decode_base64(const char *text, size_t length, char *bytes) {
    size_t count = 0, padding = 0;
    if (length % 4 != 0) return SIZE_MAX;
    while (padding < 2 && length > padding && text[length - 1 - padding] == '=') padding++;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            const bool padded = i + k >= length - padding;
            const uint32_t value = padded ? 0 : base64_value(text[i + k]);
            if (value == 64) return SIZE_MAX;
            group = group << 6 | value;
        }
        for (int shift = 16; shift >= 0; shift -= 8) bytes[count++] = (char)(group >> shift & 0xFF);
    }
    return count - padding;
}

/* As alcore__precompiled_map_make(), of bytes in base64. */
alcore_status alcore__precompiled_map_decode(alcore_ctx *ctx, const char *base64, size_t length,
                                             alcore__precompiled_map *out) {
    *out = (alcore__precompiled_map){0};
    char *bytes = alcore__alloc(ctx, length / 4 * 3 + 1);
    if (!bytes) return alcore__fail_memory(length / 4 * 3 + 1);
    const size_t count = decode_base64(base64, length, bytes);
    const alcore_status status =
        count == SIZE_MAX ? alcore__fail(ALCORE_E_DATA, "the character map is not base64")
                          : alcore__precompiled_map_make(ctx, bytes, count, out);
    alcore__free(ctx, bytes);
    return status;
}

void alcore__precompiled_map_clear(alcore_ctx *ctx, alcore__precompiled_map *map) {
    alcore__free(ctx, map->units);
    *map = (alcore__precompiled_map){0};
}

/* ---- applying the map ---- */

/* Adds the changes by which a replacement stands for `old` characters (alcore__change): each of its
 * characters for one old one; if it has more, the others are added ones; if it has fewer, the last
 * change, which may be one from before, also leaves out the old ones that remain. */
static alcore_status add_replacement(alcore_ctx *ctx, alcore__changes *changes, int32_t old,
                                     alcore__replacement by) {
    int32_t made = 0;
    size_t next = 0;
    while (next < by.length) {
        const int32_t point = alcore__utf8_next(by.text, by.length, &next);
        ALCORE__TRY(alcore__changes_add(ctx, changes, point, made >= old));
        made++;
    }
    if (made < old && changes->count > 0) changes->change[changes->count - 1].change -= old - made;
    return ALCORE_OK;
}

/* Adds the changes of a grapheme cluster [length] of `characters` characters. *modified is set
 * where the map has something for it, and left alone otherwise. */
static alcore_status map_cluster(alcore_ctx *ctx, const alcore__precompiled_map *map,
                                 const char *cluster, size_t length, int32_t characters,
                                 alcore__changes *changes, bool *modified) {
    if (length < 6) {
        const alcore__replacement by = look_up(map, cluster, length);
        if (by.text) {
            *modified = true;
            return add_replacement(ctx, changes, characters, by);
        }
    }
    for (size_t begin = 0, next = 0; begin < length; begin = next) {
        const int32_t point = alcore__utf8_next(cluster, length, &next);
        const alcore__replacement by = look_up(map, cluster + begin, next - begin);
        if (by.text) {
            *modified = true;
            ALCORE__TRY(add_replacement(ctx, changes, 1, by));
        } else {
            ALCORE__TRY(alcore__changes_add(ctx, changes, point, 0));
        }
    }
    return ALCORE_OK;
}

/* The end of the cluster that begins at `begin`; *characters: how many it has. */
static size_t cluster_end(const char *text, size_t length, size_t begin, int32_t *characters) {
    size_t next = begin;
    int32_t before = alcore__utf8_next(text, length, &next);
    utf8proc_int32_t state = 0;
    *characters = 1;
    while (next < length) {
        /* Between two characters of ASCII a cluster ends, but for CR LF. */
        if (before < 0x80 && (unsigned char)text[next] < 0x80 &&
            !(before == '\r' && text[next] == '\n'))
            break;
        size_t end = next;
        const int32_t point = alcore__utf8_next(text, length, &end);
        if (utf8proc_grapheme_break_stateful(before, point, &state)) break;
        before = point;
        next = end;
        ++*characters;
    }
    return next;
}

/* Returns where the ASCII from `next` on ends that the map leaves alone. Its last character is left
 * out where a character beyond ASCII follows, which may be a mark of the same cluster. */
static size_t skip_plain(const alcore__precompiled_map *map, const char *text, size_t length,
                         size_t next) {
    while (next < length && (unsigned char)text[next] < 0x80 &&
           !map->ascii[(unsigned char)text[next]].text &&
           (next + 1 == length || (unsigned char)text[next + 1] < 0x80))
        next++;
    return next;
}

/* Appends the view from *done to `begin` as it is, then what the changes make of bytes begin .. end
 * - 1; *done, the bytes of the view that have been dealt with, becomes end. */
static alcore_status flush(alcore_ctx *ctx, const alcore__view *view, size_t begin, size_t end,
                           const alcore__changes *changes, size_t *done, alcore__aligned *out) {
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, begin - *done));
    alcore__aligned_copy(out, view, *done, begin);
    *done = end;
    return alcore__aligned_transform(ctx, view, begin, end, changes, out);
}

/* Runs of 8 or more characters of ASCII that the map leaves alone are copied; what stands between
 * them is transformed, together with the one character (of ASCII) before it, to whose change
 * removed characters can be added. When the text begins with characters that are removed, there is
 * no such change (`lost`), and the sources of all that follow are off by them in the package
 * tokenizers; so they are here, where no run is copied then. */
alcore_status alcore__precompiled_map_apply(alcore_ctx *ctx, const alcore__precompiled_map *map,
                                            const alcore__view *view, alcore__changes *changes,
                                            alcore__aligned *out) {
    enum { LONG_RUN = 8 };
    const char *text = view->text;
    size_t polled = 0, done = 0, next = skip_plain(map, text, view->length, 0);
    while (next < view->length) {
        const size_t begin = next > done ? next - 1 : next;
        bool modified = false, lost = false;
        changes->count = 0;
        next = begin;
        while (next < view->length) {
            int32_t characters;
            ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
            const size_t end = cluster_end(text, view->length, next, &characters);
            ALCORE__TRY(
                map_cluster(ctx, map, text + next, end - next, characters, changes, &modified));
            lost = lost || changes->count == 0;
            next = end;
            if (!lost && skip_plain(map, text, view->length, next) >= next + LONG_RUN) break;
        }
        if (modified) ALCORE__TRY(flush(ctx, view, begin, next, changes, &done, out));
        next = skip_plain(map, text, view->length, next);
    }
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, view->length - done));
    alcore__aligned_copy(out, view, done, view->length);
    return ALCORE_OK;
}
