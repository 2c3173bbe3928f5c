/* SPDX-License-Identifier: Apache-2.0 */
/* Reading post-processors (post_processor.h). All of them become templates. */
#include "tokenizer/post_processor.h"

#include <string.h>

/* ---- templates ---- */

/* Appends a piece of zeros; NULL, with an error text: the template is full. */
static alcore__template_piece *new_piece(const alcore__part *part, alcore__template *pieces) {
    if (pieces->count == ALCORE__TEMPLATE_PIECES) {
        (void)alcore__part_fail(part, ALCORE_E_UNSUPPORTED, "a template of more than %d pieces",
                                ALCORE__TEMPLATE_PIECES);
        return NULL;
    }
    alcore__template_piece *piece = &pieces->piece[pieces->count++];
    *piece = (alcore__template_piece){0};
    return piece;
}

alcore_status alcore__template_add_text(const alcore__part *part, alcore__template *pieces,
                                        alcore__template_kind kind, int64_t type) {
    alcore__template_piece *piece = new_piece(part, pieces);
    if (!piece) return ALCORE_E_UNSUPPORTED;
    piece->kind = kind;
    piece->type = type;
    return ALCORE_OK;
}

/* Appends a special token, whose ids [count] are copied to the arena. */
alcore_status alcore__template_add_special(const alcore__part *part, alcore__template *pieces,
                                           alcore__name name, const int64_t *ids, size_t count,
                                           int64_t type) {
    alcore__template_piece *piece = new_piece(part, pieces);
    if (!piece) return ALCORE_E_UNSUPPORTED;
    int64_t *copy =
        alcore__arena_alloc(part->ctx, part->arena, count * sizeof *ids + 1, sizeof *ids);
    if (!copy) return alcore__fail_memory(count * sizeof *ids);
    if (count > 0) memcpy(copy, ids, count * sizeof *ids);
    *piece = (alcore__template_piece){
        .kind = ALCORE__TEMPLATE_SPECIAL, .type = type, .name = name, .ids = copy, .count = count};
    return ALCORE_OK;
}

size_t alcore__template_specials(const alcore__template *pieces) {
    size_t count = 0;
    for (size_t i = 0; i < pieces->count; i++) count += pieces->piece[i].count;
    return count;
}

/* Makes the template A B; the tokens of A have type 0, those of B type `second`. */
static void set_types(alcore__template *pieces, int64_t second) {
    *pieces = (alcore__template){0};
    pieces->piece[0] = (alcore__template_piece){.kind = ALCORE__TEMPLATE_FIRST};
    pieces->piece[1] = (alcore__template_piece){.kind = ALCORE__TEMPLATE_SECOND, .type = second};
    pieces->count = 2;
}

void alcore__post_processor_start(alcore__post_processor *out) {
    *out = (alcore__post_processor){0};
    set_types(&out->single, 0);
    out->single.count = 1;
    set_types(&out->pair, 1);
}

/* ---- BERT and RoBERTa ---- */

/* Reads the member `name`, a text and its id. */
static alcore_status read_token(const alcore__part *part, const char *name, alcore__around *out) {
    alcore__part list, item;
    if (!alcore__part_member(part, name, &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "%s is missing", name);
    alcore__part_enter(&list);
    if (alcore__part_next(&list, &item)) ALCORE__TRY(alcore__part_string(&item, &out->name));
    if (alcore__part_next(&list, &item)) return alcore__part_number(&item, &out->id);
    ALCORE__TRY(alcore__part_leave(&list));
    return alcore__part_fail(part, ALCORE_E_DATA, "%s is not a token and its id", name);
}

static alcore_status add_special(const alcore__part *part, alcore__template *pieces,
                                 alcore__around token, int64_t type) {
    if (!token.name.text) return ALCORE_OK;
    return alcore__template_add_special(part, pieces, token.name, &token.id, 1, type);
}

alcore_status alcore__post_processor_set_around(const alcore__part *part, alcore__around first,
                                                alcore__around last,
                                                const alcore__pair_shape *shape,
                                                alcore__post_processor *out) {
    out->single.count = out->pair.count = 0;
    alcore__template *const both[] = {&out->single, &out->pair};
    for (int i = 0; i < 2; i++) {
        ALCORE__TRY(add_special(part, both[i], first, 0));
        ALCORE__TRY(alcore__template_add_text(part, both[i], ALCORE__TEMPLATE_FIRST, 0));
        ALCORE__TRY(add_special(part, both[i], last, 0));
    }
    if (shape->again) ALCORE__TRY(add_special(part, &out->pair, last, shape->second_type));
    ALCORE__TRY(
        alcore__template_add_text(part, &out->pair, ALCORE__TEMPLATE_SECOND, shape->second_type));
    return add_special(part, &out->pair, last, shape->second_type);
}

/* Reads BertProcessing or RobertaProcessing. */
static alcore_status read_around(const alcore__part *part, alcore__pair_shape shape,
                                 alcore__post_processor *out) {
    alcore__around cls = {0}, sep = {0};
    ALCORE__TRY(read_token(part, "cls", &cls));
    ALCORE__TRY(read_token(part, "sep", &sep));
    return alcore__post_processor_set_around(part, cls, sep, &shape, out);
}

/* Reads trim_offsets and add_prefix_space of ByteLevel and RobertaProcessing; both default to true.
 */
static alcore_status read_trimming(const alcore__part *part, alcore__post_processor *out) {
    out->trim_offsets = out->add_prefix_space = true;
    ALCORE__TRY(alcore__part_flag(part, "trim_offsets", &out->trim_offsets));
    return alcore__part_flag(part, "add_prefix_space", &out->add_prefix_space);
}

/* ---- TemplateProcessing ---- */

/* Appends the special token with that name, whose ids the member special_tokens of the
 * post-processor `part` lists, 16 of them at most. */
static alcore_status read_special(const alcore__part *part, alcore__name name, int64_t type,
                                  alcore__template *pieces) {
    enum { MOST = 16 };
    int64_t ids[MOST];
    size_t count = 0;
    alcore__part list, token, member, item;
    if (!alcore__part_member(part, "special_tokens", &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "special_tokens is missing");
    alcore__part_enter_object(&list);
    while (alcore__part_next_member(&list, &token)) {
        alcore__name own = {0};
        ALCORE__TRY(alcore__part_text(&token, "id", &own));
        if (!own.text || own.length != name.length || memcmp(own.text, name.text, name.length) != 0)
            continue;
        if (!alcore__part_member(&token, "ids", &member)) break;
        alcore__part_enter(&member);
        while (count < MOST && alcore__part_next(&member, &item))
            ALCORE__TRY(alcore__part_number(&item, &ids[count++]));
        ALCORE__TRY(alcore__part_leave(&member));
        return alcore__template_add_special(part, pieces, name, ids, count, type);
    }
    ALCORE__TRY(alcore__part_leave(&list));
    return alcore__part_fail(part, ALCORE_E_DATA, "the template has %.*s, but special_tokens not",
                             name.length > 64 ? 64 : (int)name.length, name.text);
}

/* Reads a piece of a template, {"SpecialToken": {"id", "type_id"}} or {"Sequence": {..}}, from
 * item, and appends it. part: the post-processor. */
static alcore_status read_piece(const alcore__part *part, const alcore__part *item,
                                alcore__template *pieces) {
    alcore__part inner;
    alcore__name name = {0};
    int64_t type = 0;
    const bool special = alcore__part_member(item, "SpecialToken", &inner);
    if (!special && !alcore__part_member(item, "Sequence", &inner))
        return alcore__part_fail(part, ALCORE_E_UNSUPPORTED,
                                 "a piece of a template that is no SpecialToken and no Sequence");
    ALCORE__TRY(alcore__part_text(&inner, "id", &name));
    ALCORE__TRY(alcore__part_integer(&inner, "type_id", &type));
    if (!name.text) return alcore__part_fail(part, ALCORE_E_DATA, "a piece has no id");
    if (special) return read_special(part, name, type, pieces);
    const bool first = alcore__name_is(name, "A");
    if (!first && !alcore__name_is(name, "B"))
        return alcore__part_fail(part, ALCORE_E_DATA, "a Sequence that is neither A nor B");
    return alcore__template_add_text(
        part, pieces, first ? ALCORE__TEMPLATE_FIRST : ALCORE__TEMPLATE_SECOND, type);
}

/* Reads the template of TemplateProcessing that is the member `name`. */
static alcore_status read_pieces(const alcore__part *part, const char *name,
                                 alcore__template *pieces) {
    alcore__part list, item;
    pieces->count = 0;
    if (!alcore__part_member(part, name, &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "%s is missing", name);
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(read_piece(part, &item, pieces));
    return alcore__part_leave(&list);
}

/* ---- any ---- */

/* Each post-processor of a sequence overwrites what it says in *out. */
static alcore_status read_sequence(const alcore__part *part, alcore__post_processor *out) {
    alcore__part list, item;
    if (!alcore__part_member(part, "processors", &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "Sequence has no processors");
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(alcore__post_processor_read(&item, out));
    return alcore__part_leave(&list);
}

/* Reads a post-processor over what *out holds. BERT's has types 0 and 1; RoBERTa's has a second
 * separator, and type 0 only. */
alcore_status alcore__post_processor_read(const alcore__part *part, alcore__post_processor *out) {
    alcore__name type;
    ALCORE__TRY(alcore__part_type(part, &type));
    if (alcore__name_is(type, "Sequence")) return read_sequence(part, out);
    if (alcore__name_is(type, "ByteLevel")) return read_trimming(part, out);
    if (alcore__name_is(type, "BertProcessing"))
        return read_around(part, (alcore__pair_shape){false, 1}, out);
    if (alcore__name_is(type, "RobertaProcessing")) {
        ALCORE__TRY(read_trimming(part, out));
        return read_around(part, (alcore__pair_shape){true, 0}, out);
    }
    if (!alcore__name_is(type, "TemplateProcessing")) return alcore__part_unknown(part, type);
    ALCORE__TRY(read_pieces(part, "single", &out->single));
    return read_pieces(part, "pair", &out->pair);
}
