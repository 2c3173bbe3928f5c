/* SPDX-License-Identifier: Apache-2.0 */
/* SGML and XML cut into tags and the text between them, a line at a time.
 *
 *   alcore__markup_line(&markup, text, length);
 *   do {
 *       alcore__markup_next(&markup, &lines, NULL, &piece);
 *       ...
 *   } while (piece.kind != ALCORE__MARKUP_END);
 *
 * Comments, processing instructions and declarations are passed over; they, CDATA sections and tags
 * may extend over lines. */
#ifndef ALCORE__MARKUP_H
#define ALCORE__MARKUP_H

#include "formats/line_reader.h"

enum {
    ALCORE__MARKUP_END,     /* of the line */
    ALCORE__MARKUP_TEXT,    /* in which entities stand for characters */
    ALCORE__MARKUP_LITERAL, /* text of a CDATA section, in which they do not */
    ALCORE__MARKUP_TAG      /* what stands between < and >, such as: seg id="1" */
};

/* One piece of a line: a view of it, or of the reader where a tag began in an earlier line; valid
 * until the next piece is asked for. */
typedef struct alcore__markup_piece {
    int32_t kind;     /* ALCORE__MARKUP_* */
    const char *text; /* not terminated */
    size_t length;    /* bytes */
} alcore__markup_piece;

/* The state of a reading. A struct of zeros is one before the first line. */
typedef struct alcore__markup {
    const char *next, *end; /* the bytes of the line that are not cut off yet */
    int32_t inside;         /* what the last line ended within (markup.c); 0: nothing */
    int64_t begin_line;     /* the line in which that began */
    int32_t depth;          /* brackets that are open in a declaration */
    char quote;             /* within a value of a tag: the quote that ends it; else 0 */
    char before;            /* within a tag: the last byte that is not blank */
    alcore__buffer tag;     /* the part of a tag that stands in earlier lines */
} alcore__markup;

/* Begins a line. */
void alcore__markup_line(alcore__markup *markup, const char *text, size_t length);
/* Cuts the next piece off the line. names, NULL-terminated: only tags of these names, "/seg" being
 * one, are tags, and everything else that looks like one is text; NULL: all of them. Fails with
 * ALCORE_E_DATA for a tag without an end, behind which the next call reads on, and with
 * ALCORE_E_UNSUPPORTED for a declaration that is not read. */
alcore_status alcore__markup_next(alcore__markup *markup, const alcore__line_reader *lines,
                                  const char *const *names, alcore__markup_piece *out);
/* After the last line: fails when it ended within something. */
alcore_status alcore__markup_finish(const alcore__markup *markup, const alcore__line_reader *lines);
void alcore__markup_clear(alcore_ctx *ctx, alcore__markup *markup);

/* Whether a tag has that name, in any case; "/seg" is the name of an end tag. */
bool alcore__markup_is(const alcore__markup_piece *tag, const char *name);
/* The value of an attribute of a tag, in quotes of either kind or without them; NULL: it has none
 * of that name. */
const char *alcore__markup_attribute(const alcore__markup_piece *tag, const char *name,
                                     size_t *out_length);
/* Replaces the entities of a text in place, &amp; &lt; &gt; &quot; &apos; and numeric ones, and
 * returns the new length; any other & stands for itself. */
size_t alcore__markup_decode(char *text, size_t length);

#endif
