/* SPDX-License-Identifier: Apache-2.0 */
/* One unit of a translators' file as it is read, and when its target is an answer (docs/tools.md):
 *
 *     final                        an answer; an empty target cannot be used
 *     stateless                    an answer where the target is neither empty nor the source
 *     pending                      no answer: a draft, or nothing where the target is empty or the
 *                                  source */
#ifndef ALCORE__TOOL_UNIT_H
#define ALCORE__TOOL_UNIT_H

#include "extra/tool/tool_form.h"

typedef enum alcore__unit_state {
    ALCORE__UNIT_STATELESS, /* the file does not say */
    ALCORE__UNIT_PENDING,
    ALCORE__UNIT_FINAL
} alcore__unit_state;

/* A struct of zeros but ctx and into has no unit. Buffers may have no data before the first
 * append. */
typedef struct alcore__unit {
    alcore_ctx *ctx;
    alcore_tool_answers *into;
    alcore__buffer id, source, target;
    alcore__buffer draft;   /* what went out as target; empty: nothing did */
    alcore__buffer comment; /* of the translator; a line each */
    alcore__buffer annotator, time;
    int64_t line; /* of the file, where the unit begins */
    alcore__unit_state state;
} alcore__unit;

/* The bytes of a buffer as a string; "": it has none. */
static inline const char *alcore__unit_text(const alcore__buffer *buffer) {
    return buffer->length > 0 ? buffer->data : "";
}

/* Begins a unit at a line: every buffer becomes empty. */
void alcore__unit_begin(alcore__unit *unit, int64_t line);
/* Replaces what a buffer has; text may be NULL: nothing. */
alcore_status alcore__unit_set(alcore__unit *unit, alcore__buffer *buffer, const char *text);
/* Begins another line of the comment. */
alcore_status alcore__unit_new_comment(alcore__unit *unit);
/* Ends the unit: adds the answer, or refuses the unit, which is ALCORE_OK. */
alcore_status alcore__unit_end(alcore__unit *unit);
void alcore__unit_clear(alcore__unit *unit);

/* What the word of a state says of a target: of those that tools use for a finished translation it
 * is final (answer_words.h), of any other pending; NULL: stateless. */
alcore__unit_state alcore__unit_state_of(const char *word);

/* Whether two buffers have the same bytes. */
bool alcore__unit_same(const alcore__buffer *one, const alcore__buffer *other);

#endif
