/* SPDX-License-Identifier: Apache-2.0 */
/* Units of translators' files (tool_unit.h). */
#include "extra/tool/tool_unit.h"

#include <math.h>
#include <string.h>

#include "extra/annotation/answer_words.h"

void alcore__unit_begin(alcore__unit *unit, int64_t line) {
    unit->id.length = unit->source.length = unit->target.length = unit->draft.length = 0;
    unit->comment.length = unit->annotator.length = unit->time.length = 0;
    unit->line = line;
    unit->state = ALCORE__UNIT_STATELESS;
}

alcore_status alcore__unit_set(alcore__unit *unit, alcore__buffer *buffer, const char *text) {
    buffer->length = 0;
    return text ? alcore__buffer_append(unit->ctx, buffer, text, strlen(text)) : ALCORE_OK;
}

alcore_status alcore__unit_new_comment(alcore__unit *unit) {
    if (unit->comment.length == 0) return ALCORE_OK;
    return alcore__buffer_append(unit->ctx, &unit->comment, "\n", 1);
}

alcore__unit_state alcore__unit_state_of(const char *word) {
    alcore__answer_meaning meaning;
    if (!word) return ALCORE__UNIT_STATELESS;
    return alcore__answer_word(word, strlen(word), &meaning) && meaning == ALCORE__MEANS_ANSWER
               ? ALCORE__UNIT_FINAL
               : ALCORE__UNIT_PENDING;
}

bool alcore__unit_same(const alcore__buffer *one, const alcore__buffer *other) {
    return one->length == other->length &&
           (one->length == 0 || memcmp(one->data, other->data, one->length) == 0);
}

/* The string of a buffer; NULL: it is empty. */
static const char *text_or_none(const alcore__buffer *buffer) {
    return buffer->length > 0 ? buffer->data : NULL;
}

alcore_status alcore__unit_end(alcore__unit *unit) {
    const bool copied = unit->target.length == 0 || alcore__unit_same(&unit->target, &unit->source);
    if (unit->id.length == 0)
        return alcore__tool_answers_refuse(unit->into, unit->line, "the unit has no id");
    if (unit->state == ALCORE__UNIT_FINAL && unit->target.length == 0)
        return alcore__tool_answers_refuse(unit->into, unit->line,
                                           "%s is said to be translated, but its target is empty",
                                           unit->id.data);
    if (unit->state != ALCORE__UNIT_FINAL && copied) return ALCORE_OK;
    const alcore_tool_answer answer = {.id = unit->id.data,
                                       .text = alcore__unit_text(&unit->source),
                                       .status =
                                           unit->state == ALCORE__UNIT_PENDING ? "draft" : "ok",
                                       .value = unit->target.data,
                                       .annotator = text_or_none(&unit->annotator),
                                       .time = text_or_none(&unit->time),
                                       .comment = text_or_none(&unit->comment),
                                       .seconds = (double)NAN,
                                       .line = unit->line};
    return alcore__tool_answers_add(unit->into, &answer);
}

void alcore__unit_clear(alcore__unit *unit) {
    alcore__buffer *const buffers[] = {&unit->id,    &unit->source,  &unit->target,
                                       &unit->draft, &unit->comment, &unit->annotator,
                                       &unit->time};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        alcore__buffer_clear(unit->ctx, buffers[i]);
}
