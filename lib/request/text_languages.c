/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "language": a text that is not written as the texts of its language are.
 *
 * The script of a language is the one that three quarters of its candidates or more belong to; rows
 * without a language are one group. A text belongs to the script of most of its letters
 * (text/scripts.h), a Latin one to another script too that comes second, as names and commands are
 * in Latin everywhere, and a Han one to Hangul too. Where a language has a script, as one that is
 * written in two or a pool of several languages without tags has not, the texts that do not belong
 * to it are masked.
 *
 * Memory: 32 bytes a language. */
#include "pool/pool_internal.h"
#include "request/text_masks_internal.h"

/* The candidates of a language. */
typedef struct group {
    int64_t texts;  /* that have a script */
    int64_t belong; /* of them to `script` */
    int64_t lead;   /* of `script` while it is voted for */
    uint8_t script; /* that more than half have, if one has that many */
} group;

typedef struct groups {
    const alcore__masked_texts *texts;
    group *list; /* [languages] owned */
} groups;

/* The candidates of the row's language; rows without one have the rank of "unknown". */
static group *group_of(const groups *self, int64_t row) {
    const alcore__masked_texts *texts = self->texts;
    return &self->list[texts->pool ? alcore__pool_language_rank(texts->pool, row)
                                   : texts->languages[row]];
}

/* The scripts of a candidate that has one, else NULL. */
static const alcore__text_scripts *scripts_of(const groups *self, int64_t row) {
    const alcore__text_scripts *text = &self->texts->candidates.facts[row].scripts;
    return self->texts->masks->candidate_mask[row] && text->first != ALCORE__SCRIPT_NONE ? text
                                                                                         : NULL;
}

/* Whether a text that has a script counts as one in `script`. */
static bool belongs(const alcore__text_scripts *text, uint8_t script) {
    return text->first == script ||
           (text->first == ALCORE__SCRIPT_LATIN && text->second == script) ||
           (text->first == ALCORE__SCRIPT_HAN && script == ALCORE__SCRIPT_HANGUL);
}

/* One pass finds what more than half have, if anything (Boyer and Moore 1981), another counts it.
 */
static void find_scripts(groups *self) {
    const int64_t rows = self->texts->masks->rows;
    for (int64_t row = 0; row < rows; row++) {
        const alcore__text_scripts *text = scripts_of(self, row);
        if (!text) continue;
        group *of = group_of(self, row);
        if (of->lead == 0) of->script = text->first;
        of->lead += text->first == of->script ? 1 : -1;
    }
    for (int64_t row = 0; row < rows; row++) {
        const alcore__text_scripts *text = scripts_of(self, row);
        if (!text) continue;
        group *of = group_of(self, row);
        of->texts++;
        of->belong += belongs(text, of->script);
    }
}

/* A candidate is masked after all were counted, so that its order does not matter. */
alcore_status alcore__mask_languages(const alcore__masked_texts *texts) {
    groups self = {.texts = texts};
    int64_t languages = texts->language_count;
    while (texts->pool && alcore_pool_distinct_language(texts->pool, languages)) languages++;
    ALCORE__TRY(alcore__new_array(texts->ctx, (size_t)languages, sizeof *self.list, &self.list));
    find_scripts(&self);
    for (int64_t row = 0; row < texts->masks->rows; row++) {
        const alcore__text_scripts *text = scripts_of(&self, row);
        if (!text) continue;
        const group *of = group_of(&self, row);
        if (of->belong * 4 >= of->texts * 3 && !belongs(text, of->script))
            alcore__mask_text(texts->masks, row, ALCORE__CAUSE_LANGUAGE);
    }
    alcore__free(texts->ctx, self.list);
    return ALCORE_OK;
}
