/* SPDX-License-Identifier: Apache-2.0 */
/* Which text of a unit of a translation memory (TMX) is its source and which its target: the one
 * rule of memories that are read as records (tmx_records.c) and of those that annotators' tools
 * bring back (extra/tool/tool_tmx.c). docs/formats.md has it as a table.
 *
 *   source   the language that was asked for, else srclang of the unit, else that of the header;
 *            where that is missing or *all*, there is none, and the caller fails
 *   target   the language that was asked for, else the first one of the file that is not the
 *            source's
 *
 * A tag stands for its variants, and a variant for the tag without its ending (language_tag.h). Of
 * several texts in a language the best match counts, and the first of equal ones; a text that
 * matches both languages is of the one that it matches better, and the source's where it matches
 * them equally. A text that names no language is left out. */
#ifndef ALCORE__TMX_LANGUAGES_H
#define ALCORE__TMX_LANGUAGES_H

#include "base/base.h"

/* What a text of a unit is. */
typedef enum alcore__tmx_place {
    ALCORE__TMX_OTHER, /* neither, or one that counts less than an earlier one */
    ALCORE__TMX_SOURCE,
    ALCORE__TMX_TARGET
} alcore__tmx_place;

/* A struct of zeros but ctx, source and target is empty. */
typedef struct alcore__tmx_languages {
    alcore_ctx *ctx;
    const char *source, *target;             /* asked for, borrowed; NULL: not */
    alcore__buffer file_source, unit_source; /* srclang of the header and of the unit */
    alcore__buffer first_target;  /* the language of targets that the file turned out to have */
    int source_rank, target_rank; /* how well those of the unit match; 0: it has none so far */

    /* Counted, for alcore__tmx_report(). */
    int64_t repeated;    /* further texts in a language that the unit has already */
    int64_t passed_over; /* texts in other languages where none is asked for */
    int64_t unnamed;     /* texts that name no language */
} alcore__tmx_languages;

/* The language of a <tuv>: xml:lang, or "lang" of TMX 1.1; NULL: it names none. */
const char *alcore__tmx_tag(const char *const *attributes);
/* Takes srclang of the header; NULL: it has none. */
alcore_status alcore__tmx_header(alcore__tmx_languages *self, const char *language);
/* Begins a unit with its srclang; NULL: it has none. */
alcore_status alcore__tmx_unit(alcore__tmx_languages *self, const char *language);
/* The language of sources; NULL: nothing says it. */
const char *alcore__tmx_source(const alcore__tmx_languages *self);
/* Why there is none, as the text of an error. Static. */
const char *alcore__tmx_no_source(const alcore__tmx_languages *self);
/* The language of targets; NULL: none was asked for, and the file has none so far. */
const char *alcore__tmx_target(const alcore__tmx_languages *self);
/* What a text of the unit with this tag (""; none) is; there is a source language. */
alcore_status alcore__tmx_place_text(alcore__tmx_languages *self, const char *tag,
                                     alcore__tmx_place *out);
/* Warns of what was left out of a file, a line for each kind. */
void alcore__tmx_report(const alcore__tmx_languages *self, const char *path);
void alcore__tmx_clear(alcore__tmx_languages *self);

#endif
