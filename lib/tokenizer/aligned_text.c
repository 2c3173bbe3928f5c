/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with the sources of their bytes (aligned_text.h). */
#include "tokenizer/aligned_text.h"

#include <string.h>

#include "text/utf8.h"

/* Whether a byte is not the first one of its character in UTF-8. */
static bool continues(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

alcore__view alcore__aligned_view(const alcore__aligned *text) {
    return (alcore__view){text->text, text->plain ? NULL : text->source, text->length,
                          text->origin};
}

/* The origin of a slice that is not plain is that of its first byte; of an empty one, that of the
 * view. */
alcore__view alcore__view_slice(const alcore__view *view, size_t begin, size_t end) {
    alcore__view slice = {view->text + begin, NULL, end - begin, view->origin + (uint32_t)begin};
    if (view->source) {
        slice.source = view->source + begin;
        slice.origin = begin < end ? slice.source->begin : view->origin;
    }
    return slice;
}

/* In a plain text a part of a character stems from the whole character. */
alcore__source alcore__view_source(const alcore__view *view, size_t begin, size_t end) {
    if (view->source) return (alcore__source){view->source[begin].begin, view->source[end - 1].end};
    while (begin > 0 && continues(view->text[begin])) begin--;
    while (end < view->length && continues(view->text[end])) end++;
    return (alcore__source){view->origin + (uint32_t)begin, view->origin + (uint32_t)end};
}

/* Memory for text and sources grows together, so that a text can cease to be plain at any time. */
alcore_status alcore__aligned_reserve(alcore_ctx *ctx, alcore__aligned *text, size_t bytes) {
    if (bytes > UINT32_MAX - text->length)
        return alcore__fail(ALCORE_E_INVALID, "a text of more than 4 GiB");
    const size_t need = text->length + bytes;
    ALCORE__TRY(alcore__grow(ctx, &text->text, &text->text_capacity, need, 1));
    return alcore__grow(ctx, &text->source, &text->source_capacity, need, sizeof *text->source);
}

alcore_status alcore__aligned_start(alcore_ctx *ctx, alcore__aligned *text, uint32_t origin,
                                    size_t bytes) {
    text->length = 0;
    text->origin = origin;
    text->plain = true;
    return alcore__aligned_reserve(ctx, text, bytes);
}

/* Writes the sources of the characters in text [length], which is plain from origin on. */
static void list_characters(const char *text, size_t length, uint32_t origin, alcore__source *out) {
    size_t begin = 0;
    while (begin < length) {
        size_t end = begin + 1;
        while (end < length && continues(text[end])) end++;
        const alcore__source source = {origin + (uint32_t)begin, origin + (uint32_t)end};
        for (; begin < end; begin++) out[begin] = source;
    }
}

void alcore__aligned_list_sources(alcore__aligned *text) {
    if (!text->plain) return;
    list_characters(text->text, text->length, text->origin, text->source);
    text->plain = false;
}

void alcore__aligned_put(alcore__aligned *text, const char *bytes, size_t length,
                         alcore__source source) {
    char *out = text->text + text->length;
    alcore__source *sources = text->source + text->length;
    for (size_t i = 0; i < length; i++) {
        out[i] = bytes[i];
        sources[i] = source;
    }
    text->length += length;
}

/* A plain text whose origin the bytes do not continue gets its sources listed first. */
void alcore__aligned_copy(alcore__aligned *text, const alcore__view *from, size_t begin,
                          size_t end) {
    if (begin == end) return;
    const size_t length = end - begin;
    const uint32_t origin = from->origin + (uint32_t)begin;
    if (text->plain && (from->source || origin != text->origin + (uint32_t)text->length))
        alcore__aligned_list_sources(text);
    memcpy(text->text + text->length, from->text + begin, length);
    if (!text->plain && from->source)
        memcpy(text->source + text->length, from->source + begin, length * sizeof *from->source);
    else if (!text->plain)
        list_characters(from->text + begin, length, origin, text->source + text->length);
    text->length += length;
}

void alcore__aligned_clear(alcore_ctx *ctx, alcore__aligned *text) {
    alcore__free(ctx, text->text);
    alcore__free(ctx, text->source);
    *text = (alcore__aligned){0};
}

alcore_status alcore__changes_add(alcore_ctx *ctx, alcore__changes *changes, int32_t point,
                                  int32_t change) {
    if (changes->count == changes->capacity)
        ALCORE__TRY(alcore__grow(ctx, &changes->change, &changes->capacity, changes->count + 1,
                                 sizeof *changes->change));
    changes->change[changes->count++] = (alcore__change){point, change};
    return ALCORE_OK;
}

void alcore__changes_clear(alcore_ctx *ctx, alcore__changes *changes) {
    alcore__free(ctx, changes->change);
    *changes = (alcore__changes){0};
}

/* The byte after the character at `offset`, or `end`. */
static size_t behind(const alcore__view *view, size_t offset, size_t end) {
    if (offset < end) offset++;
    while (offset < end && continues(view->text[offset])) offset++;
    return offset;
}

/* A change without a character to stand for has the empty source at the origin of the view: one
 * that is added before the first character, and one behind the last. A character is 4 bytes at
 * most. */
alcore_status alcore__aligned_transform(alcore_ctx *ctx, const alcore__view *view, size_t begin,
                                        size_t end, const alcore__changes *changes,
                                        alcore__aligned *out) {
    size_t offset = begin; /* of the next character that a change stands for */
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, 4 * changes->count));
    alcore__aligned_list_sources(out);
    for (size_t i = 0, polled = 0; i < changes->count; i++) {
        ALCORE__TRY(alcore__poll_text(ctx, i, &polled));
        const alcore__change *change = &changes->change[i];
        alcore__source source = {view->origin, view->origin};
        if (change->change > 0) {
            if (offset > 0) source = alcore__view_source(view, offset - 1, offset);
        } else {
            const size_t next = behind(view, offset, end);
            if (next > offset) source = alcore__view_source(view, offset, next);
            offset = next;
            for (int32_t n = change->change; n < 0; n++) offset = behind(view, offset, end);
        }
        char bytes[4];
        alcore__aligned_put(out, bytes, alcore__utf8_write(change->point, bytes), source);
    }
    return ALCORE_OK;
}
