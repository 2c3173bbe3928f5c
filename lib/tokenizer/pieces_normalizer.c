/* SPDX-License-Identifier: Apache-2.0 */
/* The normalizer of sentencepiece (pieces_normalizer.h; normalizer.cc there): at each place the
 * longest text that the map has is replaced, or one character stays; then spaces are treated. What
 * replaces a text stems from all of it. */
#include "tokenizer/pieces_normalizer.h"

#include <string.h>

#include "text/utf8.h"

/* A text while it is normalized; all but `offset` is borrowed and constant. */
typedef struct run {
    const alcore__pieces_rules *rules;
    const alcore__precompiled_map *map;
    const alcore__view *view;
    alcore__aligned *out;
    size_t offset; /* byte of the view that is normalized next */
} run;

/* What becomes of the longest text at r->offset that the map has, or the character there as it is;
 * *next: the byte of the view behind what was read. */
static alcore__replacement next_part(const run *r, size_t *next) {
    const alcore__view *view = r->view;
    const alcore__replacement found = alcore__precompiled_map_longest(
        r->map, view->text + r->offset, view->length - r->offset, next);
    if (found.text) {
        *next += r->offset;
        return found;
    }
    *next = r->offset;
    (void)alcore__utf8_next(view->text, view->length, next);
    return (alcore__replacement){view->text + r->offset, *next - r->offset};
}

/* Appends a space, or U+2581, which stands for one; out has memory for it. */
static void put_space(run *r, alcore__source source) {
    if (r->rules->escape_whitespaces)
        alcore__aligned_put(r->out, "\xE2\x96\x81", 3, source);
    else
        alcore__aligned_put(r->out, " ", 1, source);
}

/* Moves over what the map makes single spaces of at the beginning. */
static void skip_spaces(run *r) {
    size_t next;
    while (r->offset < r->view->length) {
        const alcore__replacement part = next_part(r, &next);
        if (part.length != 1 || part.text[0] != ' ') return;
        r->offset = next;
    }
}

/* Appends a part byte by byte. *before: the text so far is empty or ends with a space, and spaces
 * are to be removed: so those at the beginning of the part are dropped. */
static void put_part(run *r, alcore__replacement part, alcore__source source, bool *before) {
    while (*before && part.length > 0 && part.text[0] == ' ') {
        part.text++;
        part.length--;
    }
    for (size_t i = 0; i < part.length; i++) {
        if (part.text[i] == ' ')
            put_space(r, source);
        else
            alcore__aligned_put(r->out, part.text + i, 1, source);
    }
    if (part.length > 0) *before = part.text[part.length - 1] == ' ';
    if (!r->rules->remove_extra_whitespaces) *before = false;
}

/* Removes the spaces at the end of the text. */
static void drop_spaces(run *r) {
    const char *space = r->rules->escape_whitespaces ? "\xE2\x96\x81" : " ";
    const size_t bytes = strlen(space);
    while (r->out->length >= bytes &&
           memcmp(r->out->text + r->out->length - bytes, space, bytes) == 0)
        r->out->length -= bytes;
}

/* Appends the normalized text, part by part. With remove_extra_whitespaces a text of spaces alone
 * becomes empty, without the space of add_dummy_prefix. */
alcore_status alcore__pieces_normalize(alcore_ctx *ctx, const alcore__pieces_rules *rules,
                                       const alcore__precompiled_map *map, const alcore__view *view,
                                       alcore__aligned *out) {
    run r = {rules, map, view, out, 0};
    bool before = rules->remove_extra_whitespaces;
    alcore__aligned_list_sources(out);
    if (rules->remove_extra_whitespaces) skip_spaces(&r);
    if (r.offset == view->length) return ALCORE_OK;
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, view->length + 8));
    if (rules->add_dummy_prefix && !rules->space_behind)
        put_space(&r, alcore__view_source(view, r.offset, r.offset + 1));
    for (size_t polled = 0; r.offset < view->length;) {
        size_t next;
        ALCORE__TRY(alcore__poll_text(ctx, r.offset, &polled));
        const alcore__replacement part = next_part(&r, &next);
        const alcore__source source = alcore__view_source(view, r.offset, next);
        /* 3 bytes for each space of the part, and for the one behind the text. */
        ALCORE__TRY(alcore__aligned_reserve(ctx, out, 3 * part.length + 3));
        put_part(&r, part, source, &before);
        r.offset = next;
    }
    if (rules->remove_extra_whitespaces) drop_spaces(&r);
    if (rules->add_dummy_prefix && rules->space_behind)
        put_space(&r, alcore__view_source(view, view->length - 1, view->length));
    return ALCORE_OK;
}
