/* SPDX-License-Identifier: Apache-2.0 */
/* What stands within the texts of XLIFF 1.2: codes, and the segments into which tools (MateCat,
 * Okapi) cut a unit:
 *
 *     <seg-source><mrk mtype="seg" mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk>...
 *     <target><mrk mtype="seg" mid="0">Eins.</mrk> <mrk mtype="seg" mid="1"/></target>
 *
 * A batch is plain text, so that a tool makes codes of the text's own markup: what a code holds or
 * stands for is text, here <b>:
 *
 *     <ph id="1">&lt;b&gt;</ph>    <x id="1" equiv-text="&lt;b&gt;"/>
 */
#ifndef ALCORE__XLIFF_INLINE_H
#define ALCORE__XLIFF_INLINE_H

#include "extra/tool/xliff_reading.h"

/* Those of a unit that is being read. A struct of zeros is before the first. */
typedef struct alcore__xliff_inline {
    alcore__buffer equivalent; /* what the outermost code stands for if it holds nothing */
    alcore__buffer sources;    /* texts of the segments of seg-source, each with a NUL */
    alcore__buffer source;     /* text of the present one */
    size_t next;               /* where the next one begins in sources */
    size_t start;              /* length of the field where the segment began */
    size_t code_start;         /* where the outermost code did */
    int64_t code_depth;        /* codes that the reading is inside of */
    int64_t marks, mark;       /* elements mrk inside of each other; the one that is a segment */
    int64_t wanted, given;     /* segments with text of seg-source, of the target */
    bool in_source, in_target; /* within seg-source, the target */
    bool empty;                /* a segment of the target has no text */
    bool copied;               /* one is that of the source, and has a letter */
} alcore__xliff_inline;

/* Begins a unit. */
void alcore__xliff_inline_begin(alcore__xliff_inline *self);
/* Begins an element within source, seg-source or target, which may be one of them. field: of the
 * text; *field of a segment of seg-source is set. */
alcore_status alcore__xliff_inline_start(alcore__xliff_inline *self, alcore__xliff *file,
                                         const char *name, const char *const *attributes);
alcore_status alcore__xliff_inline_end(alcore__xliff_inline *self, alcore__xliff *file,
                                       const char *name);
/* Whether the target lacks text of a segment. */
bool alcore__xliff_inline_lacks(const alcore__xliff_inline *self);
void alcore__xliff_inline_clear(alcore_ctx *ctx, alcore__xliff_inline *self);

#endif
