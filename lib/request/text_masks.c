/* SPDX-License-Identifier: Apache-2.0 */
/* The option "masks": its names, and the order of the masks. Each text counts for the first of
 * these that holds; each mask looks at the texts that are left.
 *
 *   wordless    there is hardly a word in it: its words have fewer than 2 letters, or less than
 *               two fifths of the characters that are no white space and in no placeholder and no
 *               variable; or it has calls of source code or markup, and its other words less than
 *               a third; or it is a line of markup, a synopsis or a declared argument; or
 *               it is cut off: it ends in a comma
 *   language    it is in another script than most texts of its language (text_languages.c)
 *   lengths     its number of tokens is an outlier (text_lengths.c)
 *   templates   it has the words of an earlier candidate or a bought text, but for names
 *               (text_templates.c)
 *   near        it has nearly the words of one (text_near.c)
 *
 * Texts without a word have no length, template or near text: what they are is told by wordless
 * alone. Memory: 40 bytes a row of each pool that is read, and about 30 for each template, twice
 * for one with names. */
#include "request/text_masks.h"

#include <string.h>

#include "request/text_masks_internal.h"

/* In the order of ALCORE__CAUSE_*. */
static const struct {
    const char *name;
    uint32_t mask;
} names[] = {
    {"wordless", ALCORE__MASK_WORDLESS}, {"language", ALCORE__MASK_LANGUAGE},
    {"lengths", ALCORE__MASK_LENGTHS},   {"templates", ALCORE__MASK_TEMPLATES},
    {"near", ALCORE__MASK_NEAR},
};
enum { NAMES = sizeof names / sizeof *names };

const char *alcore__text_mask_name(int32_t cause) {
    return names[cause - ALCORE__CAUSE_WORDLESS].name;
}

/* Reads "auto", "all", "none" or names with commas between: *out, bits ALCORE__MASK_*. "auto" is
 * "all" where it is recommended, else "none". The masks are the lowest NAMES bits. */
static alcore_status parse(const char *text, bool recommended, uint32_t *out) {
    const bool automatic = strcmp(text, "auto") == 0;
    *out = strcmp(text, "all") == 0 || (automatic && recommended) ? (1u << NAMES) - 1 : 0;
    if (*out || automatic || strcmp(text, "none") == 0) return ALCORE_OK;
    for (const char *next = text;;) {
        next += strspn(next, " ");
        const size_t length = strcspn(next, ", ");
        uint32_t found = 0;
        for (size_t i = 0; i < NAMES; i++)
            if (strlen(names[i].name) == length && memcmp(names[i].name, next, length) == 0)
                found = names[i].mask;
        if (!found)
            return alcore__fail(ALCORE_E_PARAM,
                                "masks: \"%.*s\" is none of wordless, language, lengths, templates "
                                "and near; auto, all or none stands alone",
                                (int)length, next);
        *out |= found;
        next += length + strspn(next + length, " ");
        if (*next == '\0') return ALCORE_OK;
        if (*next++ != ',')
            return alcore__fail(ALCORE_E_PARAM, "masks: a comma is missing before \"%s\"",
                                next - 1);
    }
}

/* The mask "wordless", which reading the texts has decided. */
static void mask_wordless(const alcore__masked_texts *texts) {
    for (int64_t row = 0; row < texts->masks->rows; row++)
        if (texts->masks->candidate_mask[row] && texts->candidates.facts[row].wordless)
            alcore__mask_text(texts->masks, row, ALCORE__CAUSE_WORDLESS);
}

alcore_status alcore__text_masks_wanted(const alcore_request *request, bool recommended,
                                        uint32_t *out) {
    return parse(request->options.masks, recommended, out);
}

/* Whether the masks compare candidates with bought texts. */
static bool read_bought(uint32_t masks) {
    return masks & (ALCORE__MASK_TEMPLATES | ALCORE__MASK_NEAR);
}

alcore_status alcore__masked_texts_read_labeled(alcore__masked_texts *texts,
                                                const alcore_request *request, uint32_t masks) {
    const alcore__masks *out = texts->masks;
    if (!read_bought(masks) || !out->labeled_mask) return ALCORE_OK;
    return alcore__texts_read(texts->ctx, request->labeled, out->labeled_mask,
                              out->labeled_pool_rows, masks & ALCORE__MASK_NEAR,
                              texts->keeps_tokens ? &texts->masks->labeled_tokens : NULL,
                              &texts->bought[1]);
}

alcore_status alcore__masked_texts_read(alcore__masked_texts *texts, const alcore_request *request,
                                        uint32_t masks) {
    const alcore__masks *out = texts->masks;
    const bool near = masks & ALCORE__MASK_NEAR;
    texts->pool = request->candidates;
    ALCORE__TRY(alcore__texts_read(
        texts->ctx, request->candidates, out->candidate_mask, out->rows, near,
        texts->keeps_tokens ? &texts->masks->candidate_tokens : NULL, &texts->candidates));
    if (!read_bought(masks) || out->bought_count == 0) return ALCORE_OK;
    return alcore__texts_read(texts->ctx, request->candidates, out->bought_rows, out->rows, near,
                              NULL /* no tokens */, &texts->bought[0]);
}

void alcore__masked_texts_clear(alcore__masked_texts *texts) {
    alcore__texts_read_clear(texts->ctx, &texts->candidates);
    alcore__texts_read_clear(texts->ctx, &texts->bought[0]);
    alcore__texts_read_clear(texts->ctx, &texts->bought[1]);
}

alcore_status alcore__text_masks_decide(alcore__masked_texts *texts, uint32_t masks) {
    if (masks & ALCORE__MASK_WORDLESS) mask_wordless(texts);
    if (masks & ALCORE__MASK_LANGUAGE) ALCORE__TRY(alcore__mask_languages(texts));
    if (masks & ALCORE__MASK_LENGTHS) ALCORE__TRY(alcore__mask_lengths(texts));
    if (masks & ALCORE__MASK_TEMPLATES) ALCORE__TRY(alcore__mask_templates(texts));
    return masks & ALCORE__MASK_NEAR ? alcore__mask_near(texts) : ALCORE_OK;
}

alcore_status alcore__text_masks_apply(const alcore_request *request, bool recommended,
                                       bool keeps_tokens, alcore__masks *out) {
    alcore__masked_texts texts = {
        .ctx = request->object.ctx, .masks = out, .keeps_tokens = keeps_tokens};
    uint32_t masks;
    ALCORE__TRY(alcore__text_masks_wanted(request, recommended, &masks));
    if (masks == 0) return ALCORE_OK;
    alcore_status status = alcore__masked_texts_read(&texts, request, masks);
    if (status == ALCORE_OK) status = alcore__masked_texts_read_labeled(&texts, request, masks);
    if (status == ALCORE_OK) status = alcore__text_masks_decide(&texts, masks);
    alcore__masked_texts_clear(&texts);
    return status;
}
