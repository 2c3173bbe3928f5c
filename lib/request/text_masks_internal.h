/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the option "masks" share: the texts as they were read, and one function for
 * each mask.
 *
 * Words, numbers and other tokens are here those of text/text_tokens.h (docs/glossary.md, 5), not
 * those of models; most texts that are compared are compared by hashes of their words. */
#ifndef ALCORE__TEXT_MASKS_INTERNAL_H
#define ALCORE__TEXT_MASKS_INTERNAL_H

#include "request/request_internal.h"
/* alcore__near_list(words, count, parts): the parts of a text of 1 word or more, hashes of its
 *     distinct words and pairs of adjacent ones, in rising order; returns their number, at most
 *     alcore__near_most(count).
 * alcore__near_outline(text): 64 bits by which alcore__near_may(a, b) tells most texts that are not
 *     near apart without their parts; alcore__near_keys(words, count, keys): ALCORE__NEAR_KEYS
 *     hashes, one of which near texts nearly always have in common.
 * alcore__near_same(a, b): whether two texts with parts (alcore__near_parts, a view) are near.
 * ALCORE__NEAR_SHORTEST: texts of fewer words have no near ones; of scripts without spaces
 *     ALCORE__NEAR_LETTERS letters count as one word of these. */
#include "text/near_words.h"
/* alcore__text_scripts: the scripts, ALCORE__SCRIPT_*, of most and second most letters in the words
 *     of a text; NONE: there is no such script, or two have equally many.
 * alcore__text_scripts_read(text, length): reads them; alcore__text_is_latin(text, length): whether
 *     its bytes tell that all of its letters are Latin. */
#include "text/scripts.h"

/* The masks, in the order in which a text counts for them. */
enum {
    ALCORE__MASK_WORDLESS = 1,
    ALCORE__MASK_LANGUAGE = 2,
    ALCORE__MASK_LENGTHS = 4,
    ALCORE__MASK_TEMPLATES = 8,
    ALCORE__MASK_NEAR = 16,
};

/* ---- reading the texts, on all threads (text_masks_read.c) ---- */

/* What is kept of a text. */
typedef struct alcore__text_facts {
    /* A hash of its words in their order, by which templates are found: numbers, placeholders,
     * punctuation and case do not count; 0: it has no word. */
    uint64_t pattern;
    uint64_t named_pattern; /* the same with all names alike; equal to pattern where it has none */
    uint32_t tokens; /* words, numbers, placeholders and signs; at least 1 where pattern is not 0;
                        a text has less than 2^31 bytes */
    bool wordless;   /* it has too few letters in words for the mask "wordless" */
    alcore__text_scripts scripts;
} alcore__text_facts;

/* By what near-duplicates of a text are found. */
typedef struct alcore__text_near {
    size_t first;   /* of its parts among those of its block */
    uint32_t count; /* of its parts; 0: it has too few words, and the other members are 0 */
    uint32_t keys[ALCORE__NEAR_KEYS]; /* hashes, each of its own number too: key i equals key i of
                                         other texts only */
    bool unspaced;  /* half of its words or more are letters of a script without spaces */
    uint8_t shared; /* a bit for each key that other texts may have; set by alcore__mask_near() */
} alcore__text_near;

/* The parts of the texts of ALCORE_BLOCK_ROWS rows, one text's after the other's. */
typedef struct alcore__parts_block {
    uint32_t *parts; /* [count] owned */
    size_t count, capacity;
} alcore__parts_block;

/* The texts of the rows of a pool that `mask` names. */
typedef struct alcore__read_texts {
    const uint8_t *mask;        /* [rows] 1: the row is read; borrowed */
    int64_t rows, blocks;       /* of the pool; of ALCORE_BLOCK_ROWS rows each */
    alcore__text_facts *facts;  /* [rows] owned; zeros where the row is not read */
    alcore__text_near *near;    /* [rows] owned; NULL: not wanted */
    uint64_t *outlines;         /* [rows] owned, of their parts; NULL: not wanted */
    alcore__parts_block *parts; /* [blocks] owned; NULL: not wanted */
} alcore__read_texts;

/* Reads the texts of the rows with mask [rows] 1, which is borrowed; near: whether their near texts
 * are looked for. tokens: gets their tokens; NULL: they are not kept. *out and *tokens are cleared
 * by the caller, also after a failure. */
alcore_status alcore__texts_read(alcore_ctx *ctx, const alcore_pool *pool, const uint8_t *mask,
                                 int64_t rows, bool near, alcore__kept_tokens *tokens,
                                 alcore__read_texts *out);
/* Sets the outline of a row whose near texts are wanted from its parts. */
void alcore__texts_read_outline(alcore__read_texts *texts, int64_t row);
void alcore__texts_read_clear(alcore_ctx *ctx, alcore__read_texts *texts);
/* The parts of a row whose near texts are wanted; valid until the texts are cleared. */
alcore__near_parts alcore__texts_read_parts(const alcore__read_texts *texts, int64_t row);

/* ---- the masks ---- */

/* The texts of a request. Bought texts are read for the masks that look at them only. */
typedef struct alcore__masked_texts {
    alcore_ctx *ctx;
    alcore__masks *masks;
    bool keeps_tokens; /* those of the candidates and of the labeled pool go to masks */
    alcore__read_texts candidates;
    alcore__read_texts bought[2]; /* rows of the candidates' pool, and the labeled pool */
    const alcore_pool *pool;      /* of the candidates; NULL: they lie in shards, and: */
    const int32_t *languages;     /* [candidates.rows] the language of each */
    int64_t language_count;
} alcore__masked_texts;

/* Reads the option "masks": *out, bits ALCORE__MASK_*. */
alcore_status alcore__text_masks_wanted(const alcore_request *request, bool recommended,
                                        uint32_t *out);
/* Reads the candidates, and the bought rows of their pool where the masks look at these; where
 * nothing is read, the texts stay those of no row. The caller clears them, also after a failure. */
alcore_status alcore__masked_texts_read(alcore__masked_texts *texts, const alcore_request *request,
                                        uint32_t masks);
/* The same of the labeled pool. */
alcore_status alcore__masked_texts_read_labeled(alcore__masked_texts *texts,
                                                const alcore_request *request, uint32_t masks);
/* Makes the masks, once the texts were read, in their order; each looks at what those before it
 * have left. */
alcore_status alcore__text_masks_decide(alcore__masked_texts *texts, uint32_t masks);
void alcore__masked_texts_clear(alcore__masked_texts *texts);

/* Clears a candidate, whose mask is 1 before, and counts it for an ALCORE__CAUSE_*. */
static inline void alcore__mask_text(alcore__masks *masks, int64_t row, int32_t cause) {
    masks->candidate_mask[row] = 0;
    masks->eligible--;
    masks->by_cause[cause]++;
}
/* Another script than that of the row's language (text_languages.c). */
alcore_status alcore__mask_languages(const alcore__masked_texts *texts);
/* Outliers of length (text_lengths.c). */
alcore_status alcore__mask_lengths(const alcore__masked_texts *texts);
/* The words of an earlier candidate or of a bought text (text_templates.c). */
alcore_status alcore__mask_templates(const alcore__masked_texts *texts);
/* Nearly the words of one (text_near.c). */
alcore_status alcore__mask_near(const alcore__masked_texts *texts);

#endif
